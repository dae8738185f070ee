/* SPDX-License-Identifier: Apache-2.0 */
/* The family of threads: its state, and its records. */
#include <stdlib.h>
#include <string.h>

#include "domains/threads/join/threads_join.h"
#include "read/recording/join/first_pass.h"

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_THREADS))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_CREATE)] = 3,  [NUMBER(WEFT_RECORD_JOIN)] = 2,
    [NUMBER(WEFT_RECORD_COUNT)] = 1,   [NUMBER(WEFT_RECORD_CALL)] = 1,
    [NUMBER(WEFT_RECORD_INIT)] = 2,    [NUMBER(WEFT_RECORD_STACK)] = WEFT_STACK_WORDS,
    [NUMBER(WEFT_RECORD_SHARED)] = 5,  [NUMBER(WEFT_RECORD_LEFT)] = 0,
    [NUMBER(WEFT_RECORD_PATH)] = 2,    [NUMBER(WEFT_RECORD_TEAM_WAIT)] = 2,
    [NUMBER(WEFT_RECORD_TEAM_GO)] = 0,
};

static void scan(struct recording *recording, const struct stream *stream,
                 const struct record *record)
{
    struct birth birth = { .time = recording_ns(recording, stream->image, record->ticks),
                           .site = record->words[1],
                           .start = record->words[2],
                           .state = WEFT_NO_ID };

    for (uint32_t i = 3; i < record->n_words && birth.n_argument < WEFT_ARGUMENT_WORDS; i++)
        birth.argument[birth.n_argument++] = record->words[i];
    if (record->words[0] <= UINT32_MAX)
        recording_add_birth(recording, stream, (uint32_t)record->words[0], &birth);
}

static void *begin(struct join *join)
{
    struct threads_join *threads = weft_zalloc(1, sizeof *threads);

    threads->join = join;
    threads->threads = weft_zalloc(join->n_threads + 1, sizeof *threads->threads);
    threads->groups = weft_alloc((join->recording->n_hosts + 1) * sizeof *threads->groups);
    for (size_t i = 0; i < join->recording->n_hosts; i++)
        threads->groups[i] = WEFT_NONE;
    threads->frames = frames_new(join->sites);
    threads_know_wrappers(join->sites);
    threads_define_types(threads);
    threads_tell_wakings(threads);
    return threads;
}

static bool takes_part(const struct threads_join *threads, const struct join_thread *thread)
{
    return threads->join->recording->images[thread->image].header.families
               >> WEFT_FAMILY_THREADS
           & 1;
}

static void thread_starts(void *user, struct join_thread *thread, int64_t time)
{
    struct threads_join *threads = user;

    /* Without this family's hooks the state of the thread is unknown. */
    if (takes_part(threads, thread))
        activity_begin(threads->join->activities, thread, time);
}

/* Ends the objects in the process's own memory. */
static void end_objects(struct threads_join *threads, uint32_t process, int64_t time)
{
    for (size_t i = 0; i < threads->n_objects; i++)
        if (threads->objects[i] && threads->objects[i]->process == process) {
            join_let_go(threads->join, &threads->objects[i]->place, time);
            threads_destroy_object(threads, threads->objects[i], time);
            threads->objects[i] = NULL;
        }
}

/* Execution of another program ends the memory in which the locks are. */
static void thread_becomes(void *user, struct join_thread *thread,
                           const struct join_thread *before, int64_t time)
{
    struct threads_join *threads = user;

    (void)before;
    end_objects(threads, thread->process, time);
}

static void joined(struct threads_join *threads, struct join_thread *thread, bool success,
                   int64_t time)
{
    struct thread_state *state = &threads->threads[thread->index];
    struct join_thread *target = state->join_target;
    struct wait wait;
    struct cause cause;

    if (!threads_unblock(threads, thread, time, REASON_JOIN, NULL, &wait) || !success)
        return;
    if (!target)
        target = join_find_thread(threads->join, thread->process, state->join_handle);
    /* A thread that had ended before the join did not wake this one. */
    if (!target || !target->ended || target->end < wait.begin)
        return;
    cause = threads_cause(target, target->end, 1);
    threads_wake(threads, &cause, thread, &wait, 0);
}

/* Ends the innermost call, and waits inside it: a handler jumped out of them unseen. */
static void call_returns(struct threads_join *threads, struct join_thread *thread,
                         int64_t time)
{
    const struct thread_state *state = &threads->threads[thread->index];
    unsigned i = state->n_waits;
    struct wait wait;

    while (i > 0 && state->waits[i - 1].reason < REASON_CALL)
        i--;
    if (i > 0)
        (void)threads_unblock(threads, thread, time, state->waits[i - 1].reason, NULL,
                              &wait);
}

/*
 * Completes the new thread's birth: the first pass over the records, which made it, did not
 * know the creator's state and which frames are wrappers.
 */
static void creates(struct threads_join *threads, const struct join_thread *thread,
                    const struct record *record)
{
    struct birth *birth = record->words[0] <= UINT32_MAX
                              ? recording_birth(threads->join->recording, thread->image,
                                                (uint32_t)record->words[0])
                              : NULL;

    if (!birth || birth->parent != thread->index)
        return;
    birth->state = thread->state;
    birth->caller = threads_site(threads, thread, record->words[1]);
}

static void keep_stack(struct join *join, struct thread_state *state,
                       const struct record *record)
{
    uint32_t most =
        record->n_words <= WEFT_STACK_FEW ? (uint32_t)WEFT_STACK_FEW : WEFT_STACK_DEEP;

    state->n_stack = record->n_words < most ? record->n_words : most;
    if (state->stack_capacity < state->n_stack) {
        state->stack = weft_arena_alloc(&join->arena, most * sizeof *state->stack);
        state->stack_capacity = most;
    }
    memcpy(state->stack, record->words, state->n_stack * sizeof *state->stack);
}

static struct join_place *join_record(void *user, struct join_thread *thread,
                                      const struct record *record, int64_t time)
{
    struct threads_join *threads = user;
    struct thread_state *state = &threads->threads[thread->index];

    /* The header may be damaged, or hooks have run before the start. */
    activity_begin(threads->join->activities, thread, time);
    switch (record->kind) {
    case WEFT_RECORD_CREATE: creates(threads, thread, record); break;
    case WEFT_RECORD_STACK: keep_stack(threads->join, state, record); break;
    case WEFT_RECORD_PATH: threads_add_path(threads, thread, record); break;
    case WEFT_RECORD_SHARED: threads_add_mapping(threads, thread, record); break;
    case WEFT_RECORD_INIT: threads_initialize_object(threads, thread, record, time); break;
    case WEFT_RECORD_LEFT: threads_leave(threads, thread, record->argument, time); break;
    case WEFT_RECORD_JOIN:
        state->join_handle = record->words[0];
        state->join_target =
            join_find_thread(threads->join, thread->process, record->words[0]);
        (void)threads_block(threads, thread, time, REASON_JOIN, NULL, record->words[1]);
        break;
    case WEFT_RECORD_JOINED: joined(threads, thread, record->argument == 1, time); break;
    case WEFT_RECORD_CALL:
        if (record->argument < WEFT_CALL_KINDS)
            (void)threads_block(threads, thread, time,
                                (enum reason)(REASON_CALL + record->argument), NULL,
                                record->words[0]);
        break;
    case WEFT_RECORD_RETURN: call_returns(threads, thread, time); break;
    case WEFT_RECORD_TEAM_WAIT: threads_team_waits(threads, thread, record, time); break;
    case WEFT_RECORD_TEAM_GO: threads_team_goes(threads, thread, record, time); break;
    default: return threads_object_record(threads, thread, record, time);
    }
    return NULL;
}

static void process_ends(void *user, uint32_t process, int64_t time)
{
    end_objects(user, process, time);
}

static void end(void *user)
{
    struct threads_join *threads = user;

    weft_text_map_free(&threads->object_map);
    weft_text_map_free(&threads->object_names);
    weft_text_map_free(&threads->initialized);
    weft_text_map_free(&threads->given_names);
    weft_text_map_free(&threads->place_map);
    free(threads->places);
    for (size_t i = 0; i < threads->n_objects; i++)
        if (threads->objects[i]) {
            threads_list_free(&threads->objects[i]->inside);
            threads_list_free(&threads->objects[i]->returning);
            free(threads->objects[i]->pending);
            free(threads->objects[i]->releases);
        }
    threads_list_free(&threads->at_teams);
    weft_text_map_free(&threads->begun);
    free(threads->regions);
    weft_text_map_free(&threads->path_map);
    frames_free(threads->frames);
    free(threads->paths);
    free(threads->facts);
    free(threads->mappings);
    weft_id_map_free(&threads->last_mappings);
    free(threads->groups);
    free(threads->objects);
    free(threads->threads);
    free(threads);
}

extern const struct join_family join_threads;
const struct join_family join_threads = {
    .number = WEFT_FAMILY_THREADS,
    .kinds = { words, NUMBER(WEFT_RECORD_THREADS_END) },
    .scans = 1u << NUMBER(WEFT_RECORD_CREATE),
    .scan = scan,
    .begin = begin,
    .thread_starts = thread_starts,
    .thread_becomes = thread_becomes,
    .join_record = join_record,
    .object_named = threads_object_named,
    .process_ends = process_ends,
    .end = end,
};
