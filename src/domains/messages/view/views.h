/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the views of processors and of messages between them (as in ParaGraph). */
#ifndef WEFT_DOMAINS_MESSAGES_VIEWS_H
#define WEFT_DOMAINS_MESSAGES_VIEWS_H

#include "view/view.h"

/*
 * Each view is defined in the file of its name in this folder, whose top says what it
 * shows; its `explanation` is for users.
 */
extern const struct weft_view weft_view_utilization_count;
extern const struct weft_view weft_view_gantt;
extern const struct weft_view weft_view_kiviat;
extern const struct weft_view weft_view_streak;
extern const struct weft_view weft_view_utilization_summary;
extern const struct weft_view weft_view_utilization_meter;
extern const struct weft_view weft_view_concurrency_profile;
extern const struct weft_view weft_view_traffic;
extern const struct weft_view weft_view_message_queues;
extern const struct weft_view weft_view_comm_matrix;
extern const struct weft_view weft_view_comm_meter;
extern const struct weft_view weft_view_node_data;
extern const struct weft_view weft_view_animation;
extern const struct weft_view weft_view_hypercube;
extern const struct weft_view weft_view_network;

#endif
