/* SPDX-License-Identifier: Apache-2.0 */
/* The family of MPI in the join: its types, and what becomes of each record. */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/join/mpi_join.h"

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_MPI))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_MPI_CALL)] = 1,
    [NUMBER(WEFT_RECORD_MPI_CALL_SEND)] = 4,
    [NUMBER(WEFT_RECORD_MPI_CALL_RECEIVE)] = 3,
    [NUMBER(WEFT_RECORD_MPI_CALL_COLLECTIVE)] = 4,
    [NUMBER(WEFT_RECORD_MPI_CALL_START)] = 2,
    [NUMBER(WEFT_RECORD_MPI_CALL_WAIT)] = 2,
    [NUMBER(WEFT_RECORD_MPI_CALL_FILE)] = 2,
    [NUMBER(WEFT_RECORD_MPI_CALL_TRANSFER)] = 4,
    [NUMBER(WEFT_RECORD_MPI_CALL_COMPLETE)] = 3,
    [NUMBER(WEFT_RECORD_MPI_RETURN_RECEIVED)] = 2,
    [NUMBER(WEFT_RECORD_MPI_SEND)] = 3,
    [NUMBER(WEFT_RECORD_MPI_RECEIVE)] = 2,
    [NUMBER(WEFT_RECORD_MPI_REQUEST)] = 1,
    [NUMBER(WEFT_RECORD_MPI_STARTED)] = 1,
    [NUMBER(WEFT_RECORD_MPI_COMPLETED)] = 3,
    [NUMBER(WEFT_RECORD_MPI_FREED)] = 1,
    [NUMBER(WEFT_RECORD_MPI_MATCHED)] = 3,
    [NUMBER(WEFT_RECORD_MPI_TAKE)] = 1,
    [NUMBER(WEFT_RECORD_MPI_COMMUNICATOR)] = 3,
    [NUMBER(WEFT_RECORD_MPI_COMMUNICATOR_GONE)] = 1,
    [NUMBER(WEFT_RECORD_MPI_COMMUNICATOR_NAME)] = 1,
    [NUMBER(WEFT_RECORD_MPI_RANK)] = 4,
    [NUMBER(WEFT_RECORD_MPI_CLOCK)] = 3,
    [NUMBER(WEFT_RECORD_MPI_WINDOW)] = 2,
    [NUMBER(WEFT_RECORD_MPI_WINDOW_GONE)] = 1,
    [NUMBER(WEFT_RECORD_MPI_UNKNOWN)] = 0,
    [NUMBER(WEFT_RECORD_MPI_NEIGHBORS)] = 2,
    [NUMBER(WEFT_RECORD_MPI_SHOWN)] = 0,
    [NUMBER(WEFT_RECORD_MPI_LEFT)] = 0,
    [NUMBER(WEFT_RECORD_MPI_STACK)] = WEFT_STACK_WORDS,
    [NUMBER(WEFT_RECORD_MPI_UNSEEN)] = 0,
};

/* ---- Types ---- */

static uint32_t link_type(struct mpi_join *mpi, const char *name, enum weft_role role)
{
    return weft_builder_type(mpi->join->builder,
                             &(struct weft_type){ .kind = WEFT_LINK,
                                                  .parent = 0,
                                                  .name = name,
                                                  .alias = "",
                                                  .start_type = mpi->join->process_type,
                                                  .end_type = mpi->join->process_type,
                                                  .role = role });
}

static void define_links(struct mpi_join *mpi)
{
    struct mpi_types *types = &mpi->types;
    struct join *join = mpi->join;

    types->message = link_type(mpi, "MPI message", WEFT_ROLE_MESSAGE);
    types->message_tag =
        join_field(join, types->message, "tag", WEFT_FIELD_INTEGER, WEFT_ROLE_TAG);
    types->message_bytes =
        join_field(join, types->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    types->message_communicator =
        join_field(join, types->message, "communicator", WEFT_FIELD_CONTAINER,
                   WEFT_ROLE_COMMUNICATOR_OF);
    types->part = link_type(mpi, "MPI part of an operation", WEFT_ROLE_COLLECTIVE);
    types->part_bytes =
        join_field(join, types->part, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    types->part_communicator = join_field(join, types->part, "communicator",
                                          WEFT_FIELD_CONTAINER, WEFT_ROLE_COMMUNICATOR_OF);
    types->transfer = link_type(mpi, "MPI transfer", WEFT_ROLE_TRANSFER);
    types->transfer_bytes =
        join_field(join, types->transfer, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    types->transfer_communicator =
        join_field(join, types->transfer, "communicator", WEFT_FIELD_CONTAINER,
                   WEFT_ROLE_COMMUNICATOR_OF);
}

/* Only for a recording with MPI. */
static void define_types(struct mpi_join *mpi)
{
    struct mpi_types *types = &mpi->types;
    struct join *join = mpi->join;

    types->rank = join_field(join, join->process_type, "rank", WEFT_FIELD_INTEGER,
                             WEFT_ROLE_RANK_NUMBER);
    types->communicator =
        join_type(join, WEFT_CONTAINER, 0, "Communicator", WEFT_ROLE_COMMUNICATOR);
    types->communicator_number = join_field(join, types->communicator, "number",
                                            WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    types->communicator_members = join_field(join, types->communicator, "members",
                                             WEFT_FIELD_TEXT, WEFT_ROLE_MEMBERS);
    types->call =
        join_type(join, WEFT_STATE, join->thread_type, "MPI call", WEFT_ROLE_COMMUNICATION);
    types->call_site =
        join_field(join, types->call, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    types->call_operation =
        join_field(join, types->call, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION);
    types->call_bytes =
        join_field(join, types->call, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    types->call_communicator = join_field(join, types->call, "communicator",
                                          WEFT_FIELD_CONTAINER, WEFT_ROLE_COMMUNICATOR_OF);
    types->call_completes =
        join_field(join, types->call, "completes", WEFT_FIELD_TEXT, WEFT_ROLE_COMPLETES);
    types->call_partner =
        join_field(join, types->call, "partner", WEFT_FIELD_CONTAINER, WEFT_ROLE_PARTNER);
    types->call_tag =
        join_field(join, types->call, "tag", WEFT_FIELD_INTEGER, WEFT_ROLE_TAG);
    weft_builder_index_field(join->builder, types->call_operation);
    types->operation = join_type(join, WEFT_EVENT, types->communicator,
                                 "Collective operation", WEFT_ROLE_COLLECTIVE_OPERATION);
    types->operation_root =
        join_field(join, types->operation, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT);
    define_links(mpi);
}

static bool is_recorded(const struct recording *recording)
{
    for (size_t i = 0; i < recording->n_images; i++)
        if (recording->images[i].header.families >> WEFT_FAMILY_MPI & 1)
            return true;
    return false;
}

static void *begin(struct join *join)
{
    struct mpi_join *mpi = weft_zalloc(1, sizeof *mpi);
    size_t n_processes = join->recording->n_processes;

    mpi->join = join;
    mpi->threads = weft_zalloc(join->n_threads + 1, sizeof *mpi->threads);
    mpi->processes = weft_zalloc(n_processes + 1, sizeof *mpi->processes);
    for (size_t i = 0; i < join->n_threads; i++) {
        mpi->threads[i].track = mpi->threads[i].gone.index = WEFT_NONE;
        mpi->threads[i].receive = mpi->threads[i].window = WEFT_NONE;
    }
    for (size_t i = 0; i < n_processes; i++)
        mpi->processes[i].processor = WEFT_NONE, mpi->processes[i].shown_at = INT64_MIN;
    for (int i = 0; i < WEFT_MPI_N_CALLS; i++)
        mpi->values[i] = mpi->operations[i] = WEFT_NONE;
    mpi->unrecorded = WEFT_NONE;
    mpi->free_send = mpi->free_receive = mpi->free_request = mpi->free_transfer = WEFT_NONE;
    mpi->frames = frames_new(join->sites);
    if (is_recorded(join->recording)) {
        define_types(mpi);
        mpi_know_wrappers(join);
    }
    mpi_make_worlds(mpi);
    return mpi;
}

/* ---- Calls ---- */

uint32_t mpi_call_track(struct mpi_join *mpi, const struct join_thread *thread)
{
    struct mpi_thread *state = &mpi->threads[thread->index];

    if (state->track == WEFT_NONE)
        state->track =
            weft_builder_track(mpi->join->builder, thread->container, mpi->types.call);
    return state->track;
}

static void leave_call(struct mpi_join *mpi, struct mpi_thread *thread, int64_t time)
{
    if (thread->open)
        mpi_say_completed(mpi, thread);
    thread->completed.n = 0;
    if (thread->open)
        (void)weft_builder_pop(mpi->join->builder, thread->track, time, NULL);
    thread->open = false;
    thread->deed.what = thread->sent.what = MPI_NOTHING;
    thread->receive = thread->window = thread->gone.index = WEFT_NONE;
}

/*
 * Begin the call of the record, with MORE fields besides its site, and end one that is
 * open.
 */
static void enter_call(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record, int64_t time,
                       const struct weft_field_value *more, size_t n_more)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    const struct mpi_call *call = &mpi_calls[record->argument];
    struct join *join = mpi->join;
    struct weft_field_value fields[4];
    uint32_t *value = &mpi->values[record->argument];

    leave_call(mpi, state, time); /* if it was left by a jump */
    state->goes_on = false;
    state->call = record->argument;
    state->state = WEFT_NO_ID;
    state->deed = (struct mpi_deed){ .what = MPI_NOTHING, .call = record->argument };
    /* MPI_Pcontrol itself is always shown. */
    if (mpi->processes[thread->process].hidden && record->argument != WEFT_MPI_Pcontrol) {
        mpi_hide(mpi, thread, time);
        return;
    }
    mpi_show(mpi, thread, time);
    if (*value == WEFT_NONE)
        *value = join_value_with_role(join, mpi->types.call, call->name, call->role);
    fields[0] = join_site_field(join, mpi->types.call_site, thread->image,
                                frames_site(mpi->frames, thread->image, record->words[0],
                                            state->stack, state->n_stack));
    if (n_more > 0)
        memcpy(fields + 1, more, n_more * sizeof *more);
    state->open = weft_builder_push(join->builder, mpi_call_track(mpi, thread), time,
                                    *value, fields, 1 + n_more, &state->state)
                  == WEFT_BUILD_OK;
}

static bool is_for_later(uint32_t call)
{
    return mpi_calls[call].begins == MPI_BEGINS_LATER
           || mpi_calls[call].begins == MPI_BEGINS_PARTS;
}

/* The thread's call sends.  COMMUNICATOR is a handle. */
static void begin_send(struct mpi_join *mpi, const struct join_thread *thread,
                       uint64_t peer_and_tag, uint64_t communicator, uint64_t bytes,
                       int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    uint32_t member = mpi_find_member(mpi, thread, communicator);

    if (member == WEFT_NONE)
        return;
    state->deed = (struct mpi_deed){ .what = MPI_SEND,
                                     .call = state->call,
                                     .member = member,
                                     .peer_and_tag = peer_and_tag,
                                     .bytes = (int64_t)bytes };
    if (is_for_later(state->call))
        return;
    mpi_send(mpi, member, peer_and_tag, (int64_t)bytes, MPI_WHOLE, state->state, time);
    state->sent = state->deed; /* a receive of the same call may overwrite deed */
}

static void begin_receive(struct mpi_join *mpi, const struct join_thread *thread,
                          uint64_t peer_and_tag, uint64_t communicator)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    uint32_t member = mpi_find_member(mpi, thread, communicator);

    if (member == WEFT_NONE)
        return;
    if (!is_for_later(state->call))
        state->receive = mpi_post(mpi, member, peer_and_tag, MPI_WHOLE);
    state->deed = (struct mpi_deed){ .what = MPI_RECEIVE,
                                     .call = state->call,
                                     .member = member,
                                     .peer_and_tag = peer_and_tag,
                                     .index = state->receive };
}

/* A call that enters a collective operation, or makes a persistent request of one. */
static void enter_collective(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record, int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    uint32_t call = record->argument;
    bool later = mpi_calls[call].begins >= MPI_BEGINS_ONE_TO_ALL_LATER;
    uint32_t member = mpi_find_member(mpi, thread, record->words[1]);
    struct weft_field_value fields[3];
    uint64_t event = WEFT_NO_ID;
    size_t n = 0;

    if (member != WEFT_NONE) {
        uint32_t communicator = mpi->members[member].communicator;
        if (!later)
            event = mpi_operation(mpi, member, call, record->words[3], time);
        if (event != WEFT_NO_ID) {
            fields[n++] =
                (struct weft_field_value){ mpi->types.call_operation, { .entity = event } };
            fields[n++] =
                (struct weft_field_value){ mpi->types.call_bytes,
                                           { .integer = (int64_t)record->words[2] } };
        }
        fields[n++] = (struct weft_field_value){ mpi->types.call_communicator,
                                                 { .index = mpi_container(mpi, communicator,
                                                                          time) } };
    }
    enter_call(mpi, thread, record, time, fields, n);
    if (member != WEFT_NONE)
        state->deed = (struct mpi_deed){ .what = MPI_COLLECTIVE,
                                         .call = call,
                                         .member = member,
                                         .peer_and_tag = record->words[3],
                                         .bytes = (int64_t)record->words[2],
                                         .takes_part = !later,
                                         .event = event };
    if (member != WEFT_NONE && !later)
        mpi_begin_neighbors(mpi, &state->deed, state->state, time);
}

/* A call that starts a request, or waits for it. */
static void enter_of_request(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record, int64_t time)
{
    struct weft_field_value field = { mpi->types.call_operation, { .entity = WEFT_NO_ID } };

    /* A wait's field names the operation that it waits for. */
    if (record->kind == WEFT_RECORD_MPI_CALL_WAIT)
        field.entity = mpi_operation_of_request(mpi, thread, record->words[1]);
    enter_call(mpi, thread, record, time, &field, field.entity != WEFT_NO_ID);
    if (record->kind == WEFT_RECORD_MPI_CALL_START)
        (void)mpi_start_request(mpi, thread, record->words[1], time);
}

static void enter_transfer(struct mpi_join *mpi, const struct join_thread *thread,
                           const struct record *record, int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    uint32_t window = mpi_find_window(mpi, thread, record->words[1]);

    enter_call(mpi, thread, record, time, NULL, 0);
    if (record->kind == WEFT_RECORD_MPI_CALL_COMPLETE) {
        state->window = window;
        state->window_rank = (int32_t)record->words[2];
    } else if (window != WEFT_NONE) {
        state->deed = mpi_begin_transfer(mpi, thread, record->argument, window,
                                         (int32_t)record->words[2],
                                         (int64_t)record->words[3], state->state, time);
    }
}

static void enter_file(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    struct weft_field_value bytes = { mpi->types.call_bytes,
                                      { .integer = (int64_t)record->words[1] } };

    enter_call(mpi, thread, record, time, &bytes, 1);
}

/* The call has failed: undo what it began. */
static void fail_call(struct mpi_join *mpi, const struct join_thread *thread)
{
    const struct mpi_thread *state = &mpi->threads[thread->index];

    mpi_undo_free(mpi, thread);
    if (state->sent.what == MPI_SEND)
        (void)mpi_send_cancelled(mpi, state->sent.member, state->sent.peer_and_tag,
                                 MPI_WHOLE);
    if (state->deed.what == MPI_TRANSFER)
        mpi_drop_transfer(mpi, &state->deed);
    /*
     * A refused operation cannot be told from one that failed half way: it stays entered.
     */
    if (state->deed.what == MPI_COLLECTIVE && state->deed.takes_part)
        mpi->failed_operations++;
}

/* The call returns, with a message if the record is WEFT_RECORD_MPI_RETURN_RECEIVED. */
static void return_from_call(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record, int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];

    if (record->kind == WEFT_RECORD_MPI_RETURN_RECEIVED) {
        if (state->receive != WEFT_NONE && record->argument == 0)
            mpi_receive(mpi, state->receive, record->words[0], (int64_t)record->words[1],
                        state->state, time);
        else if (state->receive != WEFT_NONE)
            mpi_unpost(mpi, state->receive);
    } else if (state->receive != WEFT_NONE) {
        mpi_unpost(mpi, state->receive); /* the call failed */
    }
    if (state->deed.what == MPI_COLLECTIVE && !state->goes_on)
        mpi_end_neighbors(mpi, &state->deed, state->state, time);
    if (record->kind == WEFT_RECORD_MPI_RETURN && record->argument != 0)
        fail_call(mpi, thread);
    else if (state->window != WEFT_NONE)
        mpi_end_transfers(mpi, state->window, state->window_rank, state->state, time);
    leave_call(mpi, state, time);
    if (mpi->processes[thread->process].hidden)
        mpi_hide(mpi, thread, time);
}

/* The call was left without a return: its receive is not complete. */
static void abandon_call(struct mpi_join *mpi, const struct join_thread *thread,
                         const struct record *record, int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];

    mpi->passed += record->argument;
    if (state->receive != WEFT_NONE)
        mpi_unpost(mpi, state->receive);
    mpi_undo_free(mpi, thread);
    leave_call(mpi, state, time);
    if (mpi->processes[thread->process].hidden)
        mpi_hide(mpi, thread, time);
}

/*
 * Move the call's operation to a request.  The first request takes it, so that only one
 * ends it.
 */
static void move_to_request(struct mpi_join *mpi, const struct join_thread *thread,
                            const struct record *record)
{
    struct mpi_thread *state = &mpi->threads[thread->index];

    mpi_begin_request(mpi, thread, record->words[0], &state->deed);
    state->deed.what = MPI_NOTHING;
    state->goes_on = true;
    state->receive = WEFT_NONE;
}

/* The call receives a message that was matched before. */
static void receive_matched(struct mpi_join *mpi, const struct join_thread *thread,
                            const struct record *record)
{
    struct mpi_thread *state = &mpi->threads[thread->index];

    state->receive = mpi_take_message(mpi, thread, record->words[0]);
    if (state->receive != WEFT_NONE)
        state->deed = (struct mpi_deed){
            .what = MPI_RECEIVE,
            .call = state->call,
            .member = mpi->receives[state->receive].member,
            .peer_and_tag = weft_mpi_peer_and_tag(WEFT_MPI_ANY, WEFT_MPI_ANY),
            .index = state->receive,
        };
}

/* ---- Records ---- */

/* Records that begin a call; their argument is its number. */
static void record_call(struct mpi_join *mpi, struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    if (record->argument >= WEFT_MPI_N_CALLS)
        return; /* damage */
    switch (record->kind) {
    case WEFT_RECORD_MPI_CALL_SEND:
        enter_call(mpi, thread, record, time, NULL, 0);
        begin_send(mpi, thread, record->words[1], record->words[2], record->words[3], time);
        break;
    case WEFT_RECORD_MPI_CALL_RECEIVE:
        enter_call(mpi, thread, record, time, NULL, 0);
        begin_receive(mpi, thread, record->words[1], record->words[2]);
        break;
    case WEFT_RECORD_MPI_CALL_COLLECTIVE:
        enter_collective(mpi, thread, record, time);
        break;
    case WEFT_RECORD_MPI_CALL_START:
    case WEFT_RECORD_MPI_CALL_WAIT: enter_of_request(mpi, thread, record, time); break;
    case WEFT_RECORD_MPI_CALL_FILE: enter_file(mpi, thread, record, time); break;
    case WEFT_RECORD_MPI_CALL_TRANSFER:
    case WEFT_RECORD_MPI_CALL_COMPLETE: enter_transfer(mpi, thread, record, time); break;
    default: enter_call(mpi, thread, record, time, NULL, 0); break;
    }
}

/* Records inside a call and at its end. */
static void record_in_call(struct mpi_join *mpi, struct join_thread *thread,
                           const struct record *record, int64_t time)
{
    const uint64_t *word = record->words;
    char text[RECORD_TEXT];

    switch (record->kind) {
    case WEFT_RECORD_MPI_RETURN:
    case WEFT_RECORD_MPI_RETURN_RECEIVED:
        return_from_call(mpi, thread, record, time);
        break;
    case WEFT_RECORD_MPI_LEFT: abandon_call(mpi, thread, record, time); break;
    case WEFT_RECORD_MPI_SEND:
        begin_send(mpi, thread, word[0], word[1], word[2], time);
        break;
    case WEFT_RECORD_MPI_RECEIVE: begin_receive(mpi, thread, word[0], word[1]); break;
    case WEFT_RECORD_MPI_REQUEST: move_to_request(mpi, thread, record); break;
    case WEFT_RECORD_MPI_STARTED:
        (void)mpi_start_request(mpi, thread, word[0], time);
        break;
    case WEFT_RECORD_MPI_COMPLETED: mpi_complete_request(mpi, thread, record, time); break;
    case WEFT_RECORD_MPI_FREED: mpi_free_request(mpi, thread, word[0]); break;
    case WEFT_RECORD_MPI_MATCHED: mpi_match_message(mpi, thread, record); break;
    case WEFT_RECORD_MPI_TAKE: receive_matched(mpi, thread, record); break;
    case WEFT_RECORD_MPI_RANK: mpi_set_rank(mpi, thread, record, time); break;
    case WEFT_RECORD_MPI_COMMUNICATOR:
        mpi_add_communicator(mpi, thread, record, time);
        break;
    case WEFT_RECORD_MPI_NEIGHBORS: mpi_set_neighbors(mpi, thread, record); break;
    case WEFT_RECORD_MPI_COMMUNICATOR_GONE:
        mpi_forget_communicator(mpi, thread, record);
        break;
    case WEFT_RECORD_MPI_COMMUNICATOR_NAME: mpi_set_name(mpi, thread, record); break;
    case WEFT_RECORD_MPI_WINDOW: mpi_add_window(mpi, thread, word[0], word[1]); break;
    case WEFT_RECORD_MPI_WINDOW_GONE: mpi_forget_window(mpi, thread, record); break;
    case WEFT_RECORD_MPI_SHOWN:
        mpi->processes[thread->process].hidden = record->argument == 0;
        if (record->argument != 0)
            mpi->processes[thread->process].shown_at = time;
        break;
    case WEFT_RECORD_MPI_UNKNOWN:
        if (!mpi->library)
            mpi->library =
                weft_arena_strdup(&mpi->join->arena, record_text(record, 0, text));
        break;
    case WEFT_RECORD_MPI_UNSEEN: mpi->unseen++; break;
    default: break;
    }
}

static struct join_place *join_record(void *user, struct join_thread *thread,
                                      const struct record *record, int64_t time)
{
    struct mpi_join *mpi = user;
    struct mpi_thread *state = &mpi->threads[thread->index];

    if (record->kind == WEFT_RECORD_MPI_STACK) {
        state->n_stack =
            record->n_words < WEFT_STACK_MAX ? record->n_words : (uint32_t)WEFT_STACK_MAX;
        memcpy(state->stack, record->words, state->n_stack * sizeof *state->stack);
    } else if (record->kind <= WEFT_RECORD_MPI_CALL_COMPLETE) {
        if (mpi->types.call != 0) /* else the process's header is damaged */
            record_call(mpi, thread, record, time);
    } else if (mpi->types.call != 0 || record->kind == WEFT_RECORD_MPI_UNKNOWN
               || record->kind == WEFT_RECORD_MPI_UNSEEN) {
        record_in_call(mpi, thread, record, time);
    }
    return NULL;
}

/* exec ended the calls of the program before. */
static void thread_becomes(void *user, struct join_thread *thread,
                           const struct join_thread *before, int64_t time)
{
    struct mpi_join *mpi = user;
    struct mpi_thread *now = &mpi->threads[thread->index];

    leave_call(mpi, &mpi->threads[before->index], time);
    mpi_show(mpi, before, time);
    now->track = mpi->threads[before->index].track;
}

/*
 * If the process's calls are shown again, the thread's hidden stretch ended then, not now.
 */
static void thread_ends(void *user, struct join_thread *thread, int64_t time)
{
    struct mpi_join *mpi = user;

    if (!mpi->processes[thread->process].hidden)
        mpi_show(mpi, thread, time);
}

/* ---- The end ---- */

static void finish(void *user)
{
    struct mpi_join *mpi = user;

    mpi_half_messages(mpi);
    mpi_report_ranks(mpi);
    mpi_report_tachyons(mpi);
    mpi_report_limits(mpi);
    mpi_report_unknown(mpi);
    mpi_report_hidden(mpi);
}

static void end(void *user)
{
    struct mpi_join *mpi = user;

    frames_free(mpi->frames);
    mpi_free_worlds(mpi);
    mpi_free_communicators(mpi);
    for (size_t i = 0; i < mpi->join->recording->n_processes; i++) {
        weft_id_map_free(&mpi->processes[i].members);
        weft_id_map_free(&mpi->processes[i].requests);
        weft_id_map_free(&mpi->processes[i].messages);
        weft_id_map_free(&mpi->processes[i].windows);
    }
    weft_text_map_free(&mpi->identities);
    weft_text_map_free(&mpi->makings);
    weft_text_map_free(&mpi->channel_map);
    free(mpi->worlds);
    free(mpi->process_of);
    free(mpi->communicators);
    free(mpi->members);
    free(mpi->channels);
    free(mpi->sends);
    free(mpi->receives);
    free(mpi->requests);
    free(mpi->windows);
    free(mpi->transfers);
    free(mpi->processes);
    free(mpi->threads);
    free(mpi);
}

extern const struct join_family join_mpi;
const struct join_family join_mpi = {
    .number = WEFT_FAMILY_MPI,
    .kinds = { words, NUMBER(WEFT_RECORD_MPI_END) },
    .compares = 1u << NUMBER(WEFT_RECORD_MPI_RANK) | 1u << NUMBER(WEFT_RECORD_MPI_CLOCK),
    .compare = mpi_compare_clocks,
    .scans =
        1u << NUMBER(WEFT_RECORD_MPI_RANK) | 1u << NUMBER(WEFT_RECORD_MPI_COMMUNICATOR),
    .scan = mpi_scan_worlds,
    .relate = mpi_relate_clocks,
    .begin = begin,
    .thread_becomes = thread_becomes,
    .thread_ends = thread_ends,
    .join_record = join_record,
    .finish = finish,
    .end = end,
};
