/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the views of processors and of messages between them (as in ParaGraph). */
#ifndef WEFT_DOMAINS_MESSAGES_VIEWS_H
#define WEFT_DOMAINS_MESSAGES_VIEWS_H

#include "view/view.h"

/*
 * Each view is defined in the file of its name in this folder, whose top says what it
 * shows; its `explanation` is for users.  "Pending" is sent and not yet received.
 */
/* How many processors were busy, in overhead and idle, over time. */
extern const struct weft_view weft_view_utilization_count;
/* The class (busy, overhead, idle) of each processor over time; a row each. */
extern const struct weft_view weft_view_gantt;
/* A wheel whose spokes are processors: the share of the recent time that each was busy. */
extern const struct weft_view weft_view_kiviat;
/* For how long each processor has been busy, or idle, without a break. */
extern const struct weft_view weft_view_streak;
/* For what part of the time each processor was busy, in overhead and idle. */
extern const struct weft_view weft_view_utilization_summary;
/* The percentages of processors that are busy, in overhead and idle at a moment. */
extern const struct weft_view weft_view_utilization_meter;
/* For what part of the time exactly k processors were busy, in overhead or idle. */
extern const struct weft_view weft_view_concurrency_profile;
/* Pending messages or bytes over time, of all processors or to one. */
extern const struct weft_view weft_view_traffic;
/* The messages pending to or from each processor at a moment, and the most until then. */
extern const struct weft_view weft_view_message_queues;
/* The messages from each sender to each receiver: pending, or sent in the window. */
extern const struct weft_view weft_view_comm_matrix;
/* The amount pending at a moment, as a percentage of the most that ever was. */
extern const struct weft_view weft_view_comm_meter;
/* The messages of one processor over time, by partner, tag, length or distance. */
extern const struct weft_view weft_view_node_data;
/* Numbers about the time and the messages of each processor, as a table. */
extern const struct weft_view weft_view_statistics;
/* How many processors are busy against how much is pending, as a curve over time. */
extern const struct weft_view weft_view_phase_portrait;
/* State, task and pending bytes of each processor at a moment, as squares. */
extern const struct weft_view weft_view_processor_status;
/* How many processors execute each task. */
extern const struct weft_view weft_view_task_count;
/* The task of each processor over time; a row each. */
extern const struct weft_view weft_view_task_gantt;
/* The same, by the work that a second of the task does. */
extern const struct weft_view weft_view_task_speed;
/* The tasks that have begun, and those that are completed, as squares. */
extern const struct weft_view weft_view_task_status;
/* The life of each task in the run. */
extern const struct weft_view weft_view_task_summary;
/* Time, work or speed of each task on each processor, as colours. */
extern const struct weft_view weft_view_task_surface;
/* The rate at which work is done, and how much is done, over time. */
extern const struct weft_view weft_view_task_work;
/* The longest serial thread of processors and messages, in red. */
extern const struct weft_view weft_view_message_path;
/* The events of processors by Lamport's logical clock, and how late each is. */
extern const struct weft_view weft_view_logical_time;
/* The moment, and the part of the run that has passed then. */
extern const struct weft_view weft_view_clock;
/* The events of processors, one by one in words, around a moment. */
extern const struct weft_view weft_view_trace;
/*
 * Processors as circles, with lines between those that have messages pending at a moment;
 * without a moment, that have messages in the window.
 */
extern const struct weft_view weft_view_animation;
/* The animation in the layouts of a hypercube (model/node_diagram_layout.h). */
extern const struct weft_view weft_view_hypercube;
/* The routes of messages through a network that the user chooses (model/topology.h). */
extern const struct weft_view weft_view_network;

#endif
