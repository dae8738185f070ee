/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The activity of each thread: the states of type "Thread state".  Two sources are merged:
 * the waits that a family knows (for a mutex: activity_wait), and when the thread ran, as
 * the kernel told (observed/observed.h).  Where both are known, a thread that "runs" by the
 * first and had no processor by the second was ready, or blocked in a system call.
 */
#ifndef WEFT_READ_RECORDING_ACTIVITY_H
#define WEFT_READ_RECORDING_ACTIVITY_H

#include "read/recording/join/join.h"

/* Most fields that a family may give to a thread's wait. */
enum { ACTIVITY_FIELDS = 2 };

/* The states of all threads of a join, as far as they are written: join->activities. */
struct activities;

/*
 * Defines the type of states "Thread state" and its value "running" in the join's builder.
 * JOIN has its threads, and must live longer; activities_free() frees the result.
 */
struct activities *activities_new(struct join *join);
/* Frees ACTIVITIES (may be NULL). */
void activities_free(struct activities *activities);
/*
 * Defines the values and fields of "Thread state" that only come from the kernel's switches
 * (ready, blocked, system calls).  Call it if there are observations, before any thread
 * starts and after the families have defined their values.
 */
void activities_define_observed(struct activities *activities);
/*
 * Returns the builder's type "Thread state", to which families add values and fields for
 * their waits.
 */
uint32_t activities_type(const struct activities *activities);
/* Returns the builder's field of that type that has the place of a wait in the program. */
uint32_t activities_site(const struct activities *activities);

/*
 * Begins the states of THREAD, which has a container, at TIME in ns, unless they have
 * begun: it runs, or it is ready if the kernel gave it its first processor later.
 */
void activity_begin(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/*
 * The family's wait of THREAD, if any, is over: it runs from TIME (ns) on, as far as the
 * family knows.  Begins its states if needed.
 */
void activity_run(struct activities *activities, struct join_thread *thread, int64_t time);
/*
 * THREAD waits from TIME (ns) until activity_run(): its state has VALUE (of the type
 * activities_type()) and N_FIELDS fields, at most ACTIVITY_FIELDS, which are copied.
 * Begins its states if needed.  Returns the builder's id of the state.
 */
uint64_t activity_wait(struct activities *activities, struct join_thread *thread,
                       int64_t time, uint32_t value, const struct weft_field_value *fields,
                       size_t n_fields);
/*
 * Writes the states of THREAD that follow from the kernel's switches before TIME, in ns:
 * thread->state is then the state at TIME.  Call it before a record of that time is taken.
 */
void activity_reach(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/*
 * THREAD goes on at TIME with the states of BEFORE, whose program it replaced.  The two may
 * have different observations, or only one of them has any.
 */
void activity_become(struct activities *activities, struct join_thread *thread,
                     struct join_thread *before, int64_t time);
/* Ends the states of THREAD at TIME, in ns; no effect if they have not begun. */
void activity_end(struct activities *activities, struct join_thread *thread, int64_t time);

#endif
