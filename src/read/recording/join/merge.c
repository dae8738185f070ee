/* SPDX-License-Identifier: Apache-2.0 */
/* The merge of all threads' records by time. */
#include "read/recording/join/process_containers.h"
#include "read/recording/join/thread_states.h"

/*
 * A thread is held back no longer than this: stamps of two processors differ by less than a
 * microsecond, so a record that it still waits for was lost.
 */
#define MAX_HELD_NS 1000000

/*
 * Limits of refusals: in all, and more for each record taken.  Differences of clocks cause
 * far fewer; but damage may make many threads wait for many records.
 */
enum { MAX_REFUSALS = 1000000, REFUSALS_OF_A_RECORD = 64 };

static bool earlier(const struct join_thread *a, const struct join_thread *b)
{
    return a->time != b->time ? a->time < b->time : a->index < b->index;
}

static void push(struct join *join, struct join_thread *thread)
{
    size_t i = join->n_heap++;

    while (i > 0 && earlier(thread, join->heap[(i - 1) / 2])) {
        join->heap[i] = join->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    join->heap[i] = thread;
}

static struct join_thread *pop(struct join *join)
{
    struct join_thread *first = join->heap[0], *moved = join->heap[--join->n_heap];
    size_t i = 0;

    for (size_t child = 1; child < join->n_heap; child = 2 * i + 1) {
        if (child + 1 < join->n_heap && earlier(join->heap[child + 1], join->heap[child]))
            child++;
        if (!earlier(join->heap[child], moved))
            break;
        join->heap[i] = join->heap[child];
        i = child;
    }
    join->heap[i] = moved;
    return first;
}

static void hold(struct join *join, struct join_thread *thread, struct join_place *place)
{
    thread->place = place;
    thread->previous_at_place = place->last;
    thread->next_at_place = NULL;
    if (place->last)
        place->last->next_at_place = thread;
    else
        place->first = thread;
    place->last = thread;
    thread->previous_waiting = join->last_waiting;
    thread->next_waiting = NULL;
    if (join->last_waiting)
        join->last_waiting->next_waiting = thread;
    else
        join->waiting = thread;
    join->last_waiting = thread;
    join->n_waiting++;
}

static void leave(struct join *join, struct join_thread *thread)
{
    if (thread->previous_waiting)
        thread->previous_waiting->next_waiting = thread->next_waiting;
    else
        join->waiting = thread->next_waiting;
    if (thread->next_waiting)
        thread->next_waiting->previous_waiting = thread->previous_waiting;
    else
        join->last_waiting = thread->previous_waiting;
    if (thread->previous_at_place)
        thread->previous_at_place->next_at_place = thread->next_at_place;
    else
        thread->place->first = thread->next_at_place;
    if (thread->next_at_place)
        thread->next_at_place->previous_at_place = thread->previous_at_place;
    else
        thread->place->last = thread->previous_at_place;
    thread->place = NULL;
    join->n_waiting--;
}

void join_let_one_go(struct join *join, struct join_thread *thread, int64_t time)
{
    leave(join, thread);
    if (thread->time < time)
        thread->time = time;
    push(join, thread);
}

void join_let_go(struct join *join, struct join_place *place, int64_t time)
{
    while (place->first)
        join_let_one_go(join, place->first, time);
}

bool join_may_look(struct join *join)
{
    enum { MAX_LOOKS = 1 << 28, LOOKS_OF_A_RECORD = 1024 };
    bool may = join->n_looks < MAX_LOOKS + LOOKS_OF_A_RECORD * join->n_given;

    join->n_looks += may;
    join->looks_left_out += !may;
    return may;
}

/*
 * Let the first waiting thread continue if its record was refused for too long, or if all
 * threads wait; but not before all records up to NOW were taken.  The queue is sorted by
 * time.
 */
static void force(struct join *join, int64_t now)
{
    struct join_thread *thread = join->waiting;

    if (!thread)
        return;
    if (join->n_heap > 0
        && (join->heap[0]->time <= now || thread->time + MAX_HELD_NS > now))
        return;
    thread->forced = true;
    join_let_one_go(join, thread, thread->time);
}

static void next_record(struct join *join, struct join_thread *thread)
{
    int64_t time;

    if (!recording_next(&join->known, thread->stream, &thread->record)) {
        lifecycle_records_end(join, thread);
        return;
    }
    time = recording_time(join->recording, thread->stream, thread->record.ticks);
    /* A signal handler's record may stand before that of the code that it interrupted. */
    if (thread->time < time)
        thread->time = time;
    push(join, thread);
}

/* Give the record to its family; returns false if the thread must wait. */
static bool give(struct join *join, struct join_thread *thread)
{
    const struct record *record = &thread->record;
    const struct join_family *family = join->by_number[record->family];
    struct join_place *place = NULL;

    if (join->n_refused > MAX_REFUSALS + REFUSALS_OF_A_RECORD * join->n_given)
        thread->forced = true;
    activity_reach(join->activities, thread, thread->time);
    if (record->family == WEFT_FAMILY_CORE)
        lifecycle_record(join, thread, record, thread->time);
    else if (family)
        place =
            family->join_record(join->states[family->number], thread, record, thread->time);
    if (place && !thread->forced) {
        hold(join, thread, place);
        join->n_refused++;
        return false;
    }
    thread->forced = false;
    join->n_given++;
    return true;
}

static void step(struct join *join, struct join_thread *thread, int64_t now)
{
    struct join_process *process = &join->processes[thread->process];

    if (thread->time < now)
        thread->time = now;
    /* The first step is the thread's start: it has no record yet. */
    if (!thread->started)
        lifecycle_start_thread(join, thread, thread->time);
    else if (!thread->ended && !give(join, thread))
        return;
    if (thread->time > process->time)
        process->time = thread->time;
    next_record(join, thread);
}

bool join_merge(struct join *join, struct weft_job *job, struct weft_err *err)
{
    uint64_t n = 0;
    int64_t now = INT64_MIN;

    for (size_t i = 0; i < join->n_threads; i++)
        push(join, join->threads[i]);
    while (join->n_heap > 0 || join->n_waiting > 0) {
        struct join_thread *thread;
        force(join, now);
        thread = pop(join);
        if (thread->time > now)
            now = thread->time;
        step(join, thread, now);
        if (++n % 65536 == 0 && !weft_job_step(job, n, join->recording->report.events, err))
            return false;
    }
    return true;
}
