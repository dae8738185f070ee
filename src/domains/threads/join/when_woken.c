/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a thread that waits was woken, as far as the records prove it.  A thread that is
 * blocked in a futex gets a processor only after it was woken, so whoever could wake it
 * while it had none did.  From then on it was ready, not blocked.
 *
 * A mutex that is given back wakes one of the threads that wait for it.  One that was alone
 * is woken by the first release after it fell asleep, whoever takes the mutex then.  Of
 * several any may have been woken; but one that has the lock in the end was woken by the
 * last release at the latest.  A thread that finds the lock taken again falls asleep again,
 * which begins a new interval.
 */
#include <stdlib.h>

#include "base/binary_search.h"
#include "domains/threads/join/threads_join.h"

static const struct contended_release *release_at(const struct object_state *object,
                                                  size_t index)
{
    return &object->releases[(object->first_release + index) % object->releases_capacity];
}

/* Makes room for one more release, in a buffer that begins with the oldest. */
static void grow(struct object_state *object)
{
    size_t capacity = object->releases_capacity ? 2 * object->releases_capacity : 16;
    struct contended_release *grown = weft_alloc(capacity * sizeof *grown);

    for (size_t i = 0; i < object->n_releases; i++)
        grown[i] = *release_at(object, i);
    free(object->releases);
    object->releases = grown;
    object->releases_capacity = capacity;
    object->first_release = 0;
}

void threads_note_release(struct object_state *object, const struct cause *cause)
{
    if (object->waiters == 0) {
        object->n_releases = 0; /* nobody will ask for the earlier ones */
        return;
    }
    if (object->n_releases == MAX_RELEASES) {
        object->first_release = (object->first_release + 1) % object->releases_capacity;
        object->n_releases--;
    } else if (object->n_releases == object->releases_capacity)
        grow(object);
    object->releases[(object->first_release + object->n_releases++)
                     % object->releases_capacity] =
        (struct contended_release){ *cause, object->waiters == 1 };
}

/* Returns true if the thread's next record, of this KIND, is about the object. */
static bool next_is(struct join_thread *thread, const struct object_state *object,
                    uint32_t kind)
{
    const struct slot_binding *binding =
        thread->record.kind == kind ? join_slot(thread, thread->record.argument) : NULL;

    return binding && binding->known == object;
}

/* Returns the release that woke a thread out of its wait for a lock; NULL: not known. */
static const struct cause *lock_waker(struct join_thread *thread,
                                      const struct object_state *object, int64_t off,
                                      int64_t on)
{
    size_t n = object->n_releases;
    size_t first = WEFT_FIRST(i, (size_t)0, n, release_at(object, i)->cause.time > off);
    size_t after = WEFT_FIRST(i, first, n, release_at(object, i)->cause.time >= on);

    if (first == after)
        return NULL;
    /* The oldest that is kept may not be the first since then. */
    if (object->class == WEFT_OBJECT_MUTEX && release_at(object, first)->alone
        && (first > 0 || n < MAX_RELEASES))
        return &release_at(object, first)->cause;
    return next_is(thread, object, WEFT_RECORD_ACQUIRE)
                   || next_is(thread, object, WEFT_RECORD_SHARE)
               ? &release_at(object, after - 1)->cause
               : NULL;
}

/* Returns the first post after OFF of those that have not woken another thread; or NULL. */
static const struct cause *poster(struct join_thread *thread,
                                  const struct object_state *object, int64_t off)
{
    if (!next_is(thread, object, WEFT_RECORD_ACQUIRE))
        return NULL;
    for (unsigned i = 0; i < object->n_pending; i++) {
        const struct cause *post =
            &object->pending[(object->first_pending + i) % MAX_PENDING];
        if (post->time > off)
            return post;
    }
    return NULL;
}

/* Returns the waker of a thread that waits for an object; NULL: not known. */
static const struct cause *object_waker(const struct threads_join *threads,
                                        struct join_thread *thread,
                                        const struct object_state *object, int64_t off,
                                        int64_t on)
{
    const struct cause *last;

    switch (object->class) {
    case WEFT_OBJECT_MUTEX:
    case WEFT_OBJECT_RWLOCK: return lock_waker(thread, object, off, on);
    case WEFT_OBJECT_SEMAPHORE: return poster(thread, object, off);
    case WEFT_OBJECT_BARRIER:
        last = &object->rounds[threads->threads[thread->index].barrier_round & 1];
        return object->count > 0 && next_is(thread, object, WEFT_RECORD_WAKE) ? last : NULL;
    default: return NULL; /* activity_woken() has told it of conditions */
    }
}

/*
 * Returns when the thread that THREAD joins had surely ended: the kernel wakes the joining
 * thread, and then writes the record of the end.  INT64_MAX if that is not known.
 */
static int64_t end_of_joined(const struct threads_join *threads,
                             const struct join_thread *thread)
{
    const struct thread_state *state = &threads->threads[thread->index];
    const struct join_thread *target = state->join_target;
    const struct recording *recording = threads->join->recording;
    const struct observed_thread *observed;

    if (thread->record.kind != WEFT_RECORD_JOINED || thread->record.argument != 1)
        return INT64_MAX;
    if (!target)
        target = join_find_thread(threads->join, thread->process, state->join_handle);
    observed = target ? target->stream->observed : NULL;
    return observed && !observed->lives ? clock_domain_of_monotonic(
               &recording->domains[recording->images[target->image].domain], observed->end)
                                        : INT64_MAX;
}

static int64_t woken_at(void *user, struct join_thread *thread, int64_t off, int64_t on)
{
    struct threads_join *threads = user;
    struct thread_state *state = &threads->threads[thread->index];
    const struct wait *wait = state->n_waits > 0 ? &state->waits[state->n_waits - 1] : NULL;
    const struct cause *waker;

    state->waker = (struct cause){ 0 };
    if (!wait)
        return INT64_MAX;
    if (wait->reason == REASON_JOIN)
        return end_of_joined(threads, thread);
    waker = wait->object ? object_waker(threads, thread, wait->object, off, on) : NULL;
    if (!waker || !waker->thread || waker->thread == thread || waker->time <= off
        || waker->time >= on)
        return INT64_MAX;
    state->waker = *waker;
    return waker->time;
}

void threads_tell_wakings(struct threads_join *threads)
{
    activities_know_wakings(threads->join->activities,
                            &(struct activity_wakings){ woken_at, threads });
}
