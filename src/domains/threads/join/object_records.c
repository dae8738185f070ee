/* SPDX-License-Identifier: Apache-2.0 */
/* The effects of records on locks, conditions, semaphores and barriers. */
#include "domains/threads/join/threads_join.h"

static bool is_lock(enum weft_object class)
{
    return class <= WEFT_OBJECT_SPIN;
}

/* Write the lock's state.  STARTS: a hold begins.  Every state of a hold has the site. */
static void show_lock(struct threads_join *threads, struct object_state *object,
                      int64_t time, bool starts)
{
    enum weft_object class = object->class;
    bool held = object->holder != NULL;
    enum lock_value value = !held                 ? LOCK_FREE
                            : object->waiters > 0 ? LOCK_CONTENDED
                                                  : LOCK_HELD;
    struct weft_field_value fields[4];
    size_t n = 0;

    if (!starts
        && weft_builder_top_value(threads->join->builder, object->states)
               == threads->types.lock_values[class][value])
        return; /* one more waiter, but no change of the state */
    if (held) {
        fields[n++] = (struct weft_field_value){ threads->types.lock_holder[class],
                                                 { .index = object->holder->container } };
        fields[n++] = (struct weft_field_value){ threads->types.lock_acquisition[class],
                                                 { .integer = starts } };
        if (class == WEFT_OBJECT_RWLOCK)
            fields[n++] = (struct weft_field_value){ threads->types.lock_shared,
                                                     { .integer = object->readers > 0 } };
        if (object->held_at)
            fields[n++] = join_site_field(threads->join, threads->types.lock_site[class],
                                          object->held_image, object->held_at);
    }
    (void)weft_builder_set(threads->join->builder, object->states, time,
                           threads->types.lock_values[class][value], fields, n, NULL);
}

static void show_semaphore(struct threads_join *threads, struct object_state *object,
                           int64_t time)
{
    unsigned value = object->waiters > 0 ? 0 : object->count == 0 ? 1 : 2;

    if (weft_builder_top_value(threads->join->builder, object->states)
        != threads->types.semaphore_values[value])
        (void)weft_builder_set(threads->join->builder, object->states, time,
                               threads->types.semaphore_values[value], NULL, 0, NULL);
    (void)weft_builder_sample(threads->join->builder, object->waiting, time,
                              (double)object->count);
}

static void show_waiting(struct threads_join *threads, struct object_state *object,
                         int64_t time)
{
    (void)weft_builder_sample(threads->join->builder, object->waiting, time,
                              (double)object->waiters);
}

void threads_show_object(struct threads_join *threads, struct object_state *object,
                         int64_t time)
{
    if (object->destroyed)
        return;
    if (is_lock(object->class))
        show_lock(threads, object, time, false);
    else if (object->class == WEFT_OBJECT_SEMAPHORE)
        show_semaphore(threads, object, time);
    else
        show_waiting(threads, object, time);
}

/* Add a post that may wake up to COUNT of the current waiters. */
static void add_cause(struct object_state *object, struct join_thread *thread, int64_t time,
                      uint64_t count)
{
    unsigned at;

    if (count == 0)
        return;
    if (!object->pending)
        object->pending = weft_alloc(MAX_PENDING * sizeof *object->pending);
    if (object->n_pending == MAX_PENDING) {
        object->first_pending = (object->first_pending + 1) % MAX_PENDING;
        object->n_pending--;
    }
    at = (object->first_pending + object->n_pending++) % MAX_PENDING;
    object->pending[at] = threads_cause(thread, time, count);
}

/* Take one wake-up from the oldest pending post; returns false if there is none. */
static bool pop_cause(struct object_state *object, struct cause *cause)
{
    struct cause *first;

    if (object->n_pending == 0)
        return false;
    first = &object->pending[object->first_pending];
    *cause = *first;
    if (--first->count == 0) {
        object->first_pending = (object->first_pending + 1) % MAX_PENDING;
        object->n_pending--;
    }
    return true;
}

/* Returns the number of waiters less the pending wake-ups. */
static uint64_t left_waiting(const struct object_state *object)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < object->n_pending; i++)
        sum += object->pending[(object->first_pending + i) % MAX_PENDING].count;
    return sum < object->waiters ? object->waiters - sum : 0;
}

void threads_waits_no_more(struct join_thread *thread, const struct wait *wait)
{
    if (wait->object->waiters > 0)
        wait->object->waiters--;
    if (wait->object->class == WEFT_OBJECT_CONDITION)
        threads_leave_condition(thread, wait);
}

bool threads_wait_ends(struct threads_join *threads, struct join_thread *thread,
                       struct object_state *object, int64_t time, struct wait *wait)
{
    enum reason reason = (enum reason)(REASON_OBJECT + (int)object->class);

    if (!threads_unblock(threads, thread, time, reason, object, wait))
        return false;
    threads_waits_no_more(thread, wait);
    return true;
}

static void acquire_lock(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, bool shared, uint64_t site,
                         int64_t time)
{
    const struct thread_state *state = &threads->threads[thread->index];
    struct wait wait;

    if (site == state->condition_site) /* it has the mutex again */
        site = state->own_condition_site;
    if (threads_wait_ends(threads, thread, object, time, &wait)) {
        site = wait.site; /* its site is outside of wrappers */
        const struct cause *waker = &threads->threads[thread->index].waker;
        const struct cause *cause =
            waker->thread && wait.end < time ? waker : &object->last;
        if (cause->thread)
            threads_wake(threads, cause, thread, &wait, 0);
    }
    if (shared) {
        object->readers++;
        object->holder = thread;
    } else if (object->holder == thread && object->depth > 0) {
        object->depth++; /* recursive: the hold continues */
        return;
    } else {
        object->holder = thread;
        object->depth = 1;
        object->readers = 0;
    }
    object->held_at = threads_path(threads, thread, site);
    object->held_image = thread->image;
    show_lock(threads, object, time, true);
    threads_mutex_acquired(threads, object, thread, time);
}

/* Returns the time when a thread ended; if its end was not seen, the best estimate. */
static int64_t time_of_death(const struct threads_join *threads,
                             const struct join_thread *dead)
{
    const struct recording *recording = threads->join->recording;
    uint32_t last = recording->processes[dead->process].last_image;
    const struct weft_process_header *header = &recording->images[last].header;

    if (dead->ended)
        return dead->end;
    return header->exited ? recording_ns(recording, last, header->last.ticks) : dead->time;
}

/*
 * The holder has died, and the thread has the lock now.  In between the owner is dead: from
 * its death on, but not before the last change.
 */
static void inherit_lock(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, int64_t changed, uint64_t site,
                         int64_t time)
{
    struct join_thread *dead = object->holder;
    struct weft_field_value holder;

    if (dead && dead != thread) {
        int64_t death = time_of_death(threads, dead);
        death = death < changed ? changed : death > time ? time : death;
        holder = (struct weft_field_value){ threads->types.lock_holder[object->class],
                                            { .index = dead->container } };
        (void)weft_builder_set(threads->join->builder, object->states, death,
                               threads->types.lock_values[object->class][LOCK_OWNER_DIED],
                               &holder, 1, NULL);
        object->last = threads_cause(dead, death, 1);
        object->last.died = true;
    }
    object->holder = NULL;
    object->depth = object->readers = 0;
    acquire_lock(threads, thread, object, false, site, time);
}

/*
 * Did this release fail?  Then a KEPT record of the thread follows: as the next record, or
 * after the wait if the release belongs to a wait for a condition.  A release fails only if
 * another thread holds the lock, so only then the records are searched.
 */
static bool is_kept(const struct threads_join *threads, const struct join_thread *thread,
                    const struct object_state *object)
{
    enum { MAX_AHEAD_RECORDS = 8 }; /* the wait, its end, and definitions of their slots */
    struct stream ahead;
    struct record next;

    if (object->holder == thread || object->readers > 0)
        return false;
    ahead = *thread->stream;
    for (int i = 0;
         i < MAX_AHEAD_RECORDS && recording_next(&threads->join->known, &ahead, &next);
         i++) {
        bool of_object =
            next.kind >= WEFT_RECORD_JOIN && next.kind < WEFT_RECORD_THREADS_END;
        if (next.kind == WEFT_RECORD_KEPT)
            return next.argument == thread->record.argument;
        if (of_object && next.kind != WEFT_RECORD_WAIT && next.kind != WEFT_RECORD_GIVE_UP)
            return false;
    }
    return false;
}

/* A lock was freed: let the first thread that waits for it continue, or all readers. */
static void hand_on(struct threads_join *threads, struct object_state *object, int64_t time)
{
    struct join_thread *thread = object->place.first, *next;

    if (thread && thread->record.kind != WEFT_RECORD_SHARE) {
        join_let_one_go(threads->join, thread, time);
        return;
    }
    for (; thread; thread = next) {
        next = thread->next_at_place;
        if (thread->record.kind == WEFT_RECORD_SHARE)
            join_let_one_go(threads->join, thread, time);
    }
}

static void release_lock(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, int64_t time)
{
    if (is_kept(threads, thread, object))
        return;
    if (!object->holder) { /* it was taken before the recording, or before a fork */
        object->last = threads_cause(thread, time, 1);
        threads_note_release(object, &object->last);
        return;
    }
    if (object->readers > 0 ? --object->readers > 0 : --object->depth > 0)
        return;
    threads->threads[thread->index].gave_back = object;
    object->holder = NULL;
    object->depth = 0;
    object->last = threads_cause(thread, time, 1);
    threads_note_release(object, &object->last);
    if (!object->place.first) /* else another thread gets it at once */
        show_lock(threads, object, time, false);
    hand_on(threads, object, time);
}

static void take_semaphore(struct threads_join *threads, struct join_thread *thread,
                           struct object_state *object, int64_t time)
{
    struct wait wait;
    struct cause cause;

    if (threads_wait_ends(threads, thread, object, time, &wait)
        && pop_cause(object, &cause))
        threads_wake(threads, &cause, thread, &wait, 0);
    if (object->count > 0)
        object->count--;
    show_semaphore(threads, object, time);
}

static void post_semaphore(struct threads_join *threads, struct join_thread *thread,
                           struct object_state *object, int64_t time)
{
    object->count++;
    add_cause(object, thread, time, left_waiting(object) > 0);
    show_semaphore(threads, object, time);
}

static void arrive(struct threads_join *threads, struct object_state *object,
                   struct join_thread *thread, int64_t time)
{
    uint64_t size = object->count > 0 ? object->count : UINT64_MAX;

    threads->threads[thread->index].barrier_round = object->arrivals / size;
    object->arrivals++;
    object->last = threads_cause(thread, time, 1);
    if (object->arrivals % size == 0)
        object->rounds[threads->threads[thread->index].barrier_round & 1] = object->last;
}

/* The thread was woken in a condition, or passed a barrier. */
static void wake(struct threads_join *threads, struct join_thread *thread,
                 struct object_state *object, int64_t time)
{
    struct wait wait;
    struct cause cause;

    /* It may have been woken earlier, and have waited for the mutex since. */
    if (!threads_wait_ends(threads, thread, object, time, &wait))
        return;
    if (object->class != WEFT_OBJECT_BARRIER)
        cause = wait.cause;
    else
        cause = object->count > 0
                    ? object->rounds[threads->threads[thread->index].barrier_round & 1]
                    : object->last;
    if (cause.thread)
        threads_wake(threads, &cause, thread, &wait,
                     object->class == WEFT_OBJECT_CONDITION || object->count == 0
                         ? WEFT_INFERRED
                         : 0);
    threads_show_object(threads, object, time);
}

void threads_wait_begins(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, uint64_t site, int64_t time)
{
    object->waiters++;
    /* Before the thread blocks: the last to arrive wakes the others. */
    if (object->class == WEFT_OBJECT_BARRIER)
        arrive(threads, object, thread, time);
    (void)threads_block(threads, thread, time,
                        (enum reason)(REASON_OBJECT + (int)object->class), object, site);
    if (object->class == WEFT_OBJECT_CONDITION)
        threads_enter_condition(threads, thread, object);
    threads_show_object(threads, object, time);
}

/* Returns true if another thread still holds the lock. */
static bool is_held_by_other(const struct object_state *object,
                             const struct join_thread *thread, uint32_t kind)
{
    if (!is_lock(object->class) || !object->holder || object->holder->ended)
        return false;
    if (kind == WEFT_RECORD_SHARE)
        return object->readers == 0 && object->holder != thread;
    return object->readers > 0 || object->holder != thread;
}

/* Apply the record to the object. */
static void change(struct threads_join *threads, struct join_thread *thread,
                   struct object_state *object, const struct record *record, uint64_t site,
                   int64_t changed, int64_t time)
{
    struct wait wait;

    switch (record->kind) {
    case WEFT_RECORD_WAIT: threads_wait_begins(threads, thread, object, site, time); break;
    case WEFT_RECORD_GIVE_UP:
        if (threads_wait_ends(threads, thread, object, time, &wait))
            threads_show_object(threads, object, time);
        break;
    case WEFT_RECORD_ACQUIRE:
    case WEFT_RECORD_SHARE:
        if (is_lock(object->class))
            acquire_lock(threads, thread, object, record->kind == WEFT_RECORD_SHARE, site,
                         time);
        else if (object->class == WEFT_OBJECT_SEMAPHORE)
            take_semaphore(threads, thread, object, time);
        break;
    case WEFT_RECORD_INHERIT:
        if (is_lock(object->class))
            inherit_lock(threads, thread, object, changed, site, time);
        break;
    case WEFT_RECORD_RELEASE:
        if (is_lock(object->class))
            release_lock(threads, thread, object, time);
        else if (object->class == WEFT_OBJECT_SEMAPHORE)
            post_semaphore(threads, thread, object, time);
        break;
    case WEFT_RECORD_WAKE: wake(threads, thread, object, time); break;
    case WEFT_RECORD_SIGNAL:
    case WEFT_RECORD_BROADCAST:
        threads_tell_condition(threads, object, thread,
                               record->kind == WEFT_RECORD_BROADCAST, time);
        break;
    case WEFT_RECORD_COUNT:
        object->count = record->words[0];
        object->arrivals = 0;
        threads_show_object(threads, object, time);
        break;
    default: break;
    }
}

/*
 * Returns the object of a record at TIME; it is made if it does not exist.  The end of a
 * wait belongs to the object that is waited for, even if that was destroyed meanwhile:
 * threads that a condition or barrier has let go record it later than its destruction.
 */
static struct object_state *object_of(struct threads_join *threads,
                                      const struct join_thread *thread,
                                      struct slot_binding *binding, uint32_t kind,
                                      int64_t time)
{
    struct object_state *known = binding->known;
    bool ends = kind == WEFT_RECORD_WAKE || kind == WEFT_RECORD_GIVE_UP;

    if (ends && known && known->destroyed && threads_waits_in(threads, thread, known))
        return known;
    return threads_object(threads, thread, binding, time);
}

struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time)
{
    struct slot_binding *binding = join_slot(thread, record->argument);
    struct object_state *object;
    int64_t changed;

    if (!binding || binding->class >= WEFT_OBJECT_KINDS)
        return NULL; /* the slot's definition was lost */
    if (record->kind == WEFT_RECORD_DESTROY) {
        threads_destroy_binding(threads, thread, binding, time);
        return NULL;
    }
    object = object_of(threads, thread, binding, record->kind, time);
    if ((record->kind == WEFT_RECORD_ACQUIRE || record->kind == WEFT_RECORD_SHARE)
        && is_held_by_other(object, thread, record->kind)) {
        if (!thread->forced)
            return &object->place;
        object->holder = NULL;
        object->depth = object->readers = 0;
        object->last = (struct cause){ 0 }; /* an earlier release woke nobody */
    }
    changed = object->time;
    if (time < changed)
        time = changed;
    object->time = time;
    change(threads, thread, object, record, binding->site, changed, time);
    if (record->kind != WEFT_RECORD_RELEASE)
        threads->threads[thread->index].gave_back = NULL;
    return NULL;
}
