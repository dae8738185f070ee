/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each thread was doing: the states of type "Thread state".  Two sources are merged:
 * what a family knows (a wait for a mutex: activity_show), and when the thread ran, as the
 * kernel told (observed/observed.h).  Where both are known, a thread that "runs" by the
 * first and had no processor by the second was ready, or blocked in a system call.
 */
#ifndef WEFT_READ_RECORDING_ACTIVITY_H
#define WEFT_READ_RECORDING_ACTIVITY_H

#include "read/recording/join/join.h"

enum { ACTIVITY_FIELDS = 2 };

struct activities;

/* Defines the type, its values and fields; ends with activities_free(). */
struct activities *activities_new(struct join *join);
void activities_free(struct activities *activities);
/* Defines what only observations need; after the families have defined their values. */
void activities_define_observed(struct activities *activities);
/* Returns the type of the states: families add values and fields to it. */
uint32_t activities_type(const struct activities *activities);

/* Begins the states of a thread at TIME, unless they have begun: it runs, or is ready. */
void activity_begin(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/* The thread runs from TIME on, as far as its family knows. */
void activity_run(struct activities *activities, struct join_thread *thread, int64_t time);
/*
 * The thread waits from TIME on: its state has VALUE (of activities_type()) and N_FIELDS
 * fields, at most ACTIVITY_FIELDS.  Returns the id of the state.
 */
uint64_t activity_wait(struct activities *activities, struct join_thread *thread,
                       int64_t time, uint32_t value, const struct weft_field_value *fields,
                       size_t n_fields);
/*
 * Writes the states of the thread up to TIME: thread->state is then that of TIME.  Call it
 * before what the thread did at TIME is joined.
 */
void activity_reach(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/* THREAD goes on with the states of BEFORE, whose program it replaced. */
void activity_become(struct activities *activities, const struct join_thread *thread,
                     const struct join_thread *before);
/* Ends the thread's states at TIME. */
void activity_end(struct activities *activities, struct join_thread *thread, int64_t time);

#endif
