/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The activity of each thread: the states of type "Thread state".  Two sources are merged:
 * the waits that a family knows (for a mutex: activity_wait), and when the thread had a
 * processor, as the kernel told (observed/observed.h).  A thread that runs by the family
 * and had no processor by the kernel was ready, or blocked in a system call.  A thread that
 * waits by the family and had a processor for 50 microseconds or more was running; one that
 * the family knows to have been woken was ready until it got a processor.
 *
 * The functions must be called with times that do not decrease for one thread.
 */
#ifndef WEFT_READ_RECORDING_THREAD_STATES_H
#define WEFT_READ_RECORDING_THREAD_STATES_H

#include "read/recording/join/join.h"

/* The most fields that a family may give to a thread's wait (activity_wait()). */
enum { ACTIVITY_FIELDS = 2 };

/* The states of all threads of a join, as far as they are written: join->activities. */
struct activities;

/*
 * Defines the type of states "Thread state", its value "running" and its field "site" in
 * the join's builder.  JOIN must have its threads (lifecycle_prepare) and container types,
 * and live longer; activities_free() frees the result.
 */
struct activities *activities_new(struct join *join);
/* Frees ACTIVITIES (may be NULL); what was written stays in the builder. */
void activities_free(struct activities *activities);
/*
 * Defines the values and fields of "Thread state" that only observations give (ready,
 * blocked, system calls).  Call it once if recording->n_observed > 0, before any thread
 * starts; after the families have defined their values, which lists then show first.
 */
void activities_define_observed(struct activities *activities);
/*
 * Returns the index of the builder's type "Thread state", to which families add values and
 * fields for their waits.
 */
uint32_t activities_type(const struct activities *activities);
/*
 * Returns the index of the builder's field "site" of the type "Thread state": the place of
 * a wait in the program (join_site_field()).
 */
uint32_t activities_site(const struct activities *activities);

/* A family's answer to when its waiting threads were woken. */
struct activity_wakings {
    /*
     * Returns when another thread woke THREAD out of the wait that it is in, in ns: after
     * OFF, when it lost its processor, and before ON, when it got one.  If it was woken
     * more than once, any of these times.  INT64_MAX: not known, or it was not woken.  The
     * records of other threads before ON have been joined; thread->record is the one that
     * follows its wait, if that comes before its next switch.
     */
    int64_t (*woken_at)(void *user, struct join_thread *thread, int64_t off, int64_t on);
    void *user;
};
/*
 * Lets WAKINGS, which is copied, say when threads were woken.  Without it, threads that
 * activity_woken() does not name are blocked until they have a processor.
 */
void activities_know_wakings(struct activities *activities,
                             const struct activity_wakings *wakings);

/*
 * Begins the states of THREAD, which has a container, at TIME in ns; no effect if they have
 * begun.  Its first state is the one by its latest switch up to TIME; without one, ready if
 * its next switch gives it a processor, else running.
 */
void activity_begin(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/*
 * The family's wait of THREAD, if any, is over: writes the state "running" at TIME (ns), or
 * "unknown" if its switches were lost then.  Begins its states if needed.
 */
void activity_run(struct activities *activities, struct join_thread *thread, int64_t time);
/*
 * THREAD waits from TIME (ns) until activity_run() or the next activity_wait(): its state
 * has VALUE (of the type activities_type()) and N_FIELDS fields, at most ACTIVITY_FIELDS,
 * which are copied; FIELDS may be NULL for 0.  Begins its states if needed.  Returns the
 * builder's id of the state.  By the kernel's switches the wait may be written in several
 * states; the id is that of the first.  WEFT_NO_ID: the thread was woken from another wait
 * and has no processor yet, so a state of this wait begins when it has run, if at all
 * (activity_blocked_until()).
 */
uint64_t activity_wait(struct activities *activities, struct join_thread *thread,
                       int64_t time, uint32_t value, const struct weft_field_value *fields,
                       size_t n_fields);
/*
 * THREAD, which waits, was woken at TIME (ns): if it has no processor then, it is ready
 * until it gets one.  No effect if the kernel's switches do not tell when that was.
 */
void activity_woken(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/*
 * Returns until when THREAD was blocked in its wait, which ends at TIME (ns): TIME, or when
 * it was woken, since when it was ready or ran.  Sets *ID to the builder's id of the wait's
 * first state; WEFT_NO_ID if it has none.  Call it before activity_run().
 */
int64_t activity_blocked_until(struct activities *activities, struct join_thread *thread,
                               int64_t time, uint64_t *id);
/*
 * Writes the states of THREAD that follow from its observed switches before TIME, in ns:
 * thread->state is then the id of the state at TIME.  The merge calls it before a family
 * gets a record of that time.  No effect without observations, or before activity_begin().
 */
void activity_reach(struct activities *activities, struct join_thread *thread,
                    int64_t time);
/*
 * THREAD goes on at TIME (ns) with the state of BEFORE, whose program it replaced, and in
 * its container.  BEFORE is not used after that.  The two may have different observations,
 * or only one of them has any.
 */
void activity_become(struct activities *activities, struct join_thread *thread,
                     struct join_thread *before, int64_t time);
/*
 * Writes the states of THREAD up to TIME, in ns, and ends the last one there; no effect if
 * they have not begun.
 */
void activity_end(struct activities *activities, struct join_thread *thread, int64_t time);

#endif
