/* SPDX-License-Identifier: Apache-2.0 */
/* The states of threads: waits and their wake-ups. */
#include <string.h>

#include "domains/threads/join/threads_join.h"

void threads_show_state(struct threads_join *threads, struct join_thread *thread,
                        int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];
    struct wait *wait = state->n_waits ? &state->waits[state->n_waits - 1] : NULL;
    struct weft_field_value fields[ACTIVITY_FIELDS] = { { 0 } };
    size_t n = 0;

    if (!wait) {
        activity_run(threads->join->activities, thread, time);
        return;
    }
    if (wait->object)
        fields[n++] = (struct weft_field_value){ threads->types.state_object,
                                                 { .index = wait->object->container } };
    if (wait->site)
        fields[n++] = join_site_field(threads->join, threads->types.state_site,
                                      thread->image, wait->site);
    wait->id = activity_wait(threads->join->activities, thread, time,
                             threads->types.reasons[wait->reason], fields, n);
}

struct cause threads_cause(struct join_thread *thread, int64_t time, uint64_t count)
{
    return (struct cause){ thread, time, count, thread->state, false };
}

struct path_key {
    uint64_t image, number;
};

void threads_add_path(struct threads_join *threads, const struct join_thread *thread,
                      const struct record *record)
{
    struct path_key key = { thread->image, record->words[0] };

    if (weft_text_map_get(&threads->path_map, &key, sizeof key) != WEFT_MAP_NONE)
        return;
    threads->paths = weft_grow(threads->paths, &threads->paths_capacity,
                               threads->n_paths + 1, sizeof *threads->paths);
    threads->paths[threads->n_paths] =
        frames_first(threads->frames, thread->image, record->words + 1, record->n_words - 1,
                     record->words[0] & WEFT_PATH_EXACT);
    weft_text_map_put(&threads->path_map, &key, sizeof key, (uint32_t)threads->n_paths++);
}

uint64_t threads_path(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site)
{
    struct path_key key = { thread->image, site };
    uint32_t index;

    if (!(site & WEFT_PATH_BIT))
        return site;
    index = weft_text_map_get(&threads->path_map, &key, sizeof key);
    return index == WEFT_MAP_NONE ? 0 : threads->paths[index];
}

uint64_t threads_site(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site)
{
    const struct thread_state *state = &threads->threads[thread->index];

    if (site & WEFT_PATH_BIT)
        return threads_path(threads, thread, site);
    return frames_site(threads->frames, thread->image, site, state->stack, state->n_stack);
}

/* The thread no longer waits for the object of WAIT, if any: write that object's state. */
static void drop_wait(struct threads_join *threads, struct join_thread *thread,
                      const struct wait *wait, int64_t time)
{
    if (!wait->object)
        return;
    threads_waits_no_more(thread, wait);
    threads_show_object(threads, wait->object,
                        time < wait->object->time ? wait->object->time : time);
}

struct wait *threads_block(struct threads_join *threads, struct join_thread *thread,
                           int64_t time, enum reason reason, struct object_state *object,
                           uint64_t site)
{
    struct thread_state *state = &threads->threads[thread->index];

    if (state->n_waits == MAX_NESTED) {
        drop_wait(threads, thread, &state->waits[0], time);
        memmove(state->waits, state->waits + 1, sizeof *state->waits * (MAX_NESTED - 1));
        state->n_waits--;
    }
    state->waits[state->n_waits++] =
        (struct wait){ .reason = reason,
                       .object = object,
                       .site = threads_site(threads, thread, site),
                       .begin = time,
                       .end = time,
                       .id = WEFT_NO_ID };
    state->waker = (struct cause){ 0 };
    if (object && object->class == WEFT_OBJECT_CONDITION) {
        state->condition_site = site;
        state->own_condition_site = state->waits[state->n_waits - 1].site;
    }
    threads_show_state(threads, thread, time);
    return &state->waits[state->n_waits - 1];
}

void threads_end_wait(struct threads_join *threads, struct join_thread *thread,
                      int64_t time, struct wait *wait)
{
    uint64_t id;

    wait->end = activity_blocked_until(threads->join->activities, thread, time, &id);
    wait->id = id;
}

struct wait *threads_waits_in(struct threads_join *threads,
                              const struct join_thread *thread,
                              const struct object_state *object)
{
    struct thread_state *state = &threads->threads[thread->index];
    struct wait *wait = state->n_waits > 0 ? &state->waits[state->n_waits - 1] : NULL;

    return wait && wait->object == object ? wait : NULL;
}

void threads_leave(struct threads_join *threads, struct join_thread *thread, uint64_t n,
                   int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];

    if (n > state->n_waits)
        n = state->n_waits;
    if (n == 0)
        return;
    for (; n > 0; n--)
        drop_wait(threads, thread, &state->waits[--state->n_waits], time);
    threads_show_state(threads, thread, time);
}

bool threads_unblock(struct threads_join *threads, struct join_thread *thread, int64_t time,
                     enum reason reason, const struct object_state *object,
                     struct wait *ended)
{
    struct thread_state *state = &threads->threads[thread->index];

    for (unsigned i = state->n_waits; i-- > 0;) {
        if (state->waits[i].reason != reason || state->waits[i].object != object)
            continue;
        *ended = state->waits[i];
        if (i + 1 == state->n_waits)
            threads_end_wait(threads, thread, time, ended);
        else
            ended->end = time;
        /* Nested waits were left: a signal handler jumped out of them unseen. */
        while (--state->n_waits > i)
            drop_wait(threads, thread, &state->waits[state->n_waits], time);
        threads_show_state(threads, thread, time);
        return true;
    }
    return false;
}

void threads_wake(struct threads_join *threads, const struct cause *cause,
                  struct join_thread *woken, const struct wait *wait, uint32_t flags)
{
    struct weft_link link = {
        .type = threads->types.wake_up,
        .container = 0,
        .value =
            cause->died ? threads->types.wake_by_death : threads->types.wakes[wait->reason],
        .key = WEFT_NONE,
        .from = cause->thread->container,
        .to = woken->container,
        .begin = cause->time,
        .end = wait->end,
        .from_entity = cause->state,
        .to_entity = wait->id,
        .flags = flags,
    };

    if (cause->thread == woken || link.from == WEFT_NONE || wait->id == WEFT_NO_ID)
        return;
    weft_builder_link(threads->join->builder, &link, NULL, 0);
}
