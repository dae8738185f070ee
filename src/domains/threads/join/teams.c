/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams of threads: who waits for the others of a parallel region.  The last that comes
 * wakes all.  A worker records nothing when it is woken at the end of a region, since its
 * runtime does not tell; it waits for work from that arrival on.
 */
#include "domains/threads/join/threads_join.h"

static void leave_list(struct threads_join *threads, struct thread_state *state)
{
    struct thread_list *list = &threads->at_teams;
    struct join_thread *moved;

    if (state->at_team == 0)
        return;
    moved = list->threads[--list->n];
    list->threads[state->at_team - 1] = moved;
    threads->threads[moved->index].at_team = state->at_team;
    state->at_team = 0;
}

static void enter_list(struct threads_join *threads, struct join_thread *thread)
{
    struct thread_list *list = &threads->at_teams;

    list->threads =
        weft_grow(list->threads, &list->capacity, list->n + 1, sizeof *list->threads);
    list->threads[list->n++] = thread;
    threads->threads[thread->index].at_team = (uint32_t)list->n;
}

/* The wait of a worker for its team has become one for work. */
static void wait_for_work(struct threads_join *threads, struct join_thread *thread,
                          int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];
    struct wait wait = state->waits[state->n_waits - 1];

    threads_end_wait(threads, thread, time, &wait);
    threads_wake(threads, &state->passed, thread, &wait, 0);
    state->n_waits--;
    (void)threads_block(threads, thread, time, REASON_WORK, NULL, wait.site);
}

/* LAST was the last to come: those that wait for its team may go on. */
static void pass(struct threads_join *threads, struct join_thread *last, int64_t time)
{
    uint64_t team = threads->threads[last->index].team;

    for (size_t i = threads->at_teams.n; i-- > 0 && join_may_look(threads->join);) {
        struct join_thread *thread = threads->at_teams.threads[i];
        struct thread_state *state = &threads->threads[thread->index];
        if (state->team != team || thread->process != last->process)
            continue;
        leave_list(threads, state);
        if (thread->ended || state->n_waits == 0
            || state->waits[state->n_waits - 1].reason != REASON_TEAM)
            continue; /* it was killed, or a signal handler of it waits */
        state->passed = threads_cause(last, time, 1);
        activity_woken(threads->join->activities, thread, time);
        if (state->is_team_worker)
            wait_for_work(threads, thread, time);
    }
}

/* A region that has begun; compared as bytes, so without padding. */
struct begun_key {
    uint64_t process, team;
};

/* Keeps that THREAD began the region TEAM, in place of an earlier one of that number. */
static void keep_begin(struct threads_join *threads, struct join_thread *thread,
                       uint64_t team, int64_t time)
{
    const struct begun_key key = { thread->process, team };
    uint32_t index = weft_text_map_get(&threads->begun, &key, sizeof key);

    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)threads->n_regions++;
        weft_text_map_put(&threads->begun, &key, sizeof key, index);
        threads->regions = weft_grow(threads->regions, &threads->regions_capacity,
                                     threads->n_regions, sizeof *threads->regions);
    }
    threads->regions[index] = threads_cause(thread, time, 1);
}

/* Returns what began the region TEAM in the thread's process; no thread: unknown. */
static struct cause begin_of(const struct threads_join *threads,
                             const struct join_thread *thread, uint64_t team)
{
    const struct begun_key key = { thread->process, team };
    uint32_t index = weft_text_map_get(&threads->begun, &key, sizeof key);

    return index == WEFT_MAP_NONE ? (struct cause){ 0 } : threads->regions[index];
}

void threads_team_waits(struct threads_join *threads, struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];
    bool last = record->argument & WEFT_TEAM_LAST;

    leave_list(threads, state);
    if (record->argument & WEFT_TEAM_BEGINS)
        keep_begin(threads, thread, record->words[0], time);
    state->team = record->words[0];
    state->is_team_worker = (record->argument & WEFT_TEAM_WORKER) != 0;
    state->passed = (struct cause){ 0 };
    (void)threads_block(threads, thread, time,
                        last && state->is_team_worker ? REASON_WORK : REASON_TEAM, NULL,
                        record->words[1]);
    if (last)
        pass(threads, thread, time);
    else
        enter_list(threads, thread);
}

void threads_team_goes(struct threads_join *threads, struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];
    struct cause cause = state->passed;
    struct wait wait;

    leave_list(threads, state);
    if (threads_unblock(threads, thread, time, REASON_WORK, NULL, &wait))
        cause = record->n_words > 0 ? begin_of(threads, thread, record->words[0])
                                    : (struct cause){ 0 };
    else if (!threads_unblock(threads, thread, time, REASON_TEAM, NULL, &wait))
        return;
    if (cause.thread)
        threads_wake(threads, &cause, thread, &wait, 0);
}
