/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions: which thread wakes which, and when a wait for a condition becomes a wait for
 * its mutex.
 *
 * A recorder sees that a thread calls pthread_cond_wait, and that it returns, when it has
 * the mutex again.  A broadcast to many threads wakes them all, and then they queue for the
 * mutex.  So the wait is split at the signal or broadcast: from there on the thread waits
 * for the mutex, as soon as another thread has the mutex.  If the mutex is free, the thread
 * waits for the condition until it returns: it only needs a processor.  Where the kernel's
 * switches tell when it gets one, it is ready from the signal on until then.
 *
 * The waiter that a signal wakes is not recorded; it is inferred.  Signals are assigned to
 * waiters in the order in which these return, which their next records tell.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/threads/join/threads_join.h"

static void add(struct thread_list *list, struct join_thread *thread)
{
    list->threads =
        weft_grow(list->threads, &list->capacity, list->n + 1, sizeof *list->threads);
    list->threads[list->n++] = thread;
}

static void remove_thread(struct thread_list *list, const struct join_thread *thread)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->threads[i] == thread) {
            memmove(list->threads + i, list->threads + i + 1,
                    (list->n - i - 1) * sizeof *list->threads);
            list->n--;
            return;
        }
}

void threads_list_free(struct thread_list *list)
{
    free(list->threads);
    *list = (struct thread_list){ 0 };
}

void threads_enter_condition(struct threads_join *threads, struct join_thread *thread,
                             struct object_state *condition)
{
    struct wait *wait = threads_waits_in(threads, thread, condition);

    if (wait)
        wait->mutex = threads->threads[thread->index].gave_back;
    add(&condition->inside, thread);
}

void threads_leave_condition(struct join_thread *thread, const struct wait *wait)
{
    remove_thread(&wait->object->inside, thread);
    if (wait->mutex)
        remove_thread(&wait->mutex->returning, thread);
}

/* From TIME on the thread waits for the mutex instead of the condition. */
static void queue(struct threads_join *threads, struct join_thread *thread,
                  struct object_state *mutex, int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];
    struct object_state *condition;
    struct wait wait;

    if (state->n_waits == 0)
        return;
    wait = state->waits[state->n_waits - 1];
    condition = wait.object;
    if (!condition || condition->class != WEFT_OBJECT_CONDITION || wait.mutex != mutex
        || !wait.cause.thread)
        return; /* a signal handler waits in it, it has ended, or records were lost */
    threads_waits_no_more(thread, &wait);
    threads_end_wait(threads, thread, time, &wait);
    threads_wake(threads, &wait.cause, thread, &wait, WEFT_INFERRED);
    threads_show_object(threads, condition, time);
    state->n_waits--;
    threads_wait_begins(threads, thread, mutex, wait.site, time);
}

static void tell(struct threads_join *threads, struct join_thread *waiter,
                 struct wait *wait, struct join_thread *thread, int64_t time)
{
    struct object_state *mutex = wait->mutex;

    wait->cause = threads_cause(thread, time, 1);
    activity_woken(threads->join->activities, waiter, time);
    if (!mutex || mutex->destroyed)
        return;
    add(&mutex->returning, waiter);
    if (mutex->holder && mutex->holder != waiter) {
        remove_thread(&mutex->returning, waiter);
        queue(threads, waiter, mutex, time);
    }
}

/*
 * Returns the time at which the waiter is woken and returns; INT64_MAX if unknown;
 * INT64_MIN if it gives up (timeout or error).
 */
static int64_t return_time(struct join_thread *waiter, const struct object_state *condition)
{
    const struct record *next = &waiter->record;
    const struct slot_binding *binding;

    if (next->kind != WEFT_RECORD_WAKE && next->kind != WEFT_RECORD_GIVE_UP)
        return INT64_MAX;
    binding = join_slot(waiter, next->argument);
    if (!binding || (binding->known && binding->known != condition))
        return INT64_MAX;
    return next->kind == WEFT_RECORD_WAKE ? waiter->time : INT64_MIN;
}

/* Returns the first waiter to be woken among those without an assigned signal; or NULL. */
static struct join_thread *next_waiter(struct threads_join *threads,
                                       const struct object_state *condition)
{
    struct join_thread *found = NULL;
    int64_t earliest = 0;

    for (size_t i = 0; i < condition->inside.n && join_may_look(threads->join); i++) {
        struct join_thread *waiter = condition->inside.threads[i];
        const struct wait *wait = threads_waits_in(threads, waiter, condition);
        int64_t time = return_time(waiter, condition);
        if (!wait || wait->cause.thread || time == INT64_MIN)
            continue;
        if (!found || time < earliest) {
            found = waiter;
            earliest = time;
        }
    }
    return found;
}

static void tell_all(struct threads_join *threads, struct object_state *condition,
                     struct join_thread *thread, int64_t time)
{
    size_t n = condition->inside.n;
    struct join_thread **waiters = weft_alloc((n + 1) * sizeof *waiters);

    /* tell() changes the list. */
    if (n > 0)
        memcpy(waiters, condition->inside.threads, n * sizeof *waiters);
    for (size_t i = 0; i < n && join_may_look(threads->join); i++) {
        struct wait *wait = threads_waits_in(threads, waiters[i], condition);
        if (wait && !wait->cause.thread && return_time(waiters[i], condition) != INT64_MIN)
            tell(threads, waiters[i], wait, thread, time);
    }
    free(waiters);
}

void threads_tell_condition(struct threads_join *threads, struct object_state *condition,
                            struct join_thread *thread, bool all, int64_t time)
{
    struct join_thread *waiter;

    if (all) {
        tell_all(threads, condition, thread, time);
        return;
    }
    waiter = next_waiter(threads, condition);
    if (waiter)
        tell(threads, waiter, threads_waits_in(threads, waiter, condition), thread, time);
}

void threads_mutex_acquired(struct threads_join *threads, struct object_state *mutex,
                            struct join_thread *thread, int64_t time)
{
    struct thread_list list = mutex->returning;

    if (list.n == 0)
        return;
    mutex->returning = (struct thread_list){ 0 };
    for (size_t i = 0; i < list.n; i++)
        if (list.threads[i] != thread)
            queue(threads, list.threads[i], mutex, time);
    threads_list_free(&list);
}
