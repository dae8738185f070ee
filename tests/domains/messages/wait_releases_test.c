/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of ranks, and what ended their waits, by hand: late senders and receivers, messages
 * that name their calls or not, calls on threads of a rank.  Collective operations are in
 * last_comers_test.c.
 */
#include "analyse/releases_of_waits.h"
#include "tests/small_store.h"

enum { RANKS = 3 };

static struct {
    struct weft_builder *builder;
    uint32_t ranks[RANKS], thread; /* the thread is rank 2's, whose calls it makes */
    uint32_t call, thread_call, message, receive, send, thread_receive;
    struct weft_trace *trace;
    struct weft_releases *releases;
} store;

static void begin(char *path)
{
    struct weft_builder *b = store.builder = small_store_begin(path);
    uint32_t rank = add_type(b, WEFT_CONTAINER, 0, "Rank", WEFT_ROLE_RANK);
    uint32_t thread = add_type(b, WEFT_CONTAINER, rank, "Thread", WEFT_ROLE_THREAD);
    store.call = add_type(b, WEFT_STATE, rank, "Call", WEFT_ROLE_COMMUNICATION);
    store.thread_call = add_type(b, WEFT_STATE, thread, "Call", WEFT_ROLE_COMMUNICATION);
    store.receive = add_value(b, store.call, "receive", WEFT_ROLE_BLOCKED_ON_MESSAGE);
    store.send = add_value(b, store.call, "send", WEFT_ROLE_BLOCKING_SEND);
    store.thread_receive =
        add_value(b, store.thread_call, "receive", WEFT_ROLE_BLOCKED_ON_MESSAGE);
    store.message = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                              .parent = 0,
                                                              .name = "Message",
                                                              .role = WEFT_ROLE_MESSAGE,
                                                              .start_type = rank,
                                                              .end_type = rank });
    for (int r = 0; r < RANKS; r++) {
        char name[] = { 'r', (char)('0' + r), 0 };
        store.ranks[r] = weft_builder_container(b, rank, 0, name, NULL, 0);
    }
    store.thread = weft_builder_container(b, thread, store.ranks[2], "main", NULL, 0);
}

/* Adds a call of RANK, on its thread if it has one; returns its id while building. */
static uint64_t call(int rank, uint32_t value, int64_t from, int64_t to)
{
    bool threaded = rank == 2;
    uint32_t track =
        weft_builder_track(store.builder, threaded ? store.thread : store.ranks[rank],
                           threaded ? store.thread_call : store.call);
    uint64_t id;
    assert_int_equal(weft_builder_push(store.builder, track, from, value, NULL, 0, &id),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(store.builder, track, to, NULL), WEFT_BUILD_OK);
    return id;
}

static void message(int from, int64_t sent, uint64_t sender, int to, int64_t received,
                    uint64_t receiver)
{
    weft_builder_link(store.builder,
                      &(struct weft_link){ .type = store.message,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = store.ranks[from],
                                           .to = store.ranks[to],
                                           .begin = sent,
                                           .end = received,
                                           .from_entity = sender,
                                           .to_entity = receiver },
                      NULL, 0);
}

/* The call number INDEX, from 0, of a row. */
static struct weft_state call_of(uint32_t row, uint64_t index)
{
    const struct weft_source *source = weft_trace_source(store.trace);
    struct weft_state state = { .id = WEFT_NO_ID };
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (source->schema->tracks[t].container == row
            && source->schema->types[source->schema->tracks[t].type].kind == WEFT_STATE) {
            assert_true(source->ops->state(source, weft_entity_id(t, index), &state));
            return state;
        }
    fail();
    return state;
}

static void expect(uint32_t row, uint64_t index, enum weft_release_kind kind, uint32_t by,
                   int64_t time)
{
    struct weft_state wait = call_of(row, index);
    struct weft_release release;
    assert_true(weft_release_of(store.releases, row, &wait, &release));
    assert_int_equal(release.kind, kind);
    assert_int_equal(release.row, by);
    assert_int_equal(release.time, time);
}

static void expect_none(uint32_t row, uint64_t index)
{
    struct weft_state wait = call_of(row, index);
    struct weft_release release;
    assert_false(weft_release_of(store.releases, row, &wait, &release));
}

static void waits_have_their_releases(void **state)
{
    struct weft_err err;
    char path[] = "/tmp/weft-releases-XXXXXX";
    (void)state;
    begin(path);
    /* Rank 1 receives; rank 0 sends late, then early, then twice. */
    uint64_t r0 = call(1, store.receive, 10, 80), s0 = call(0, store.send, 70, 75);
    message(0, 70, s0, 1, 80, r0);
    uint64_t s1 = call(0, store.send, 85, 86), r1 = call(1, store.receive, 90, 95);
    message(0, 85, s1, 1, 95, r1);
    uint64_t r2 = call(1, store.receive, 100, 150);
    message(0, 120, WEFT_NO_ID, 1, 145, r2);
    message(0, 110, WEFT_NO_ID, 1, 150, r2);
    /* Messages without calls: the one that arrives while the receive is open. */
    call(1, store.receive, 200, 250);
    message(0, 230, WEFT_NO_ID, 1, 250, WEFT_NO_ID);
    message(0, 240, WEFT_NO_ID, 1, 260, WEFT_NO_ID);
    /* A send that waits for its receiver; one that does not; a receive without a message. */
    uint64_t s2 = call(0, store.send, 300, 360), r4 = call(1, store.receive, 350, 361);
    message(0, 300, s2, 1, 360, r4);
    uint64_t s3 = call(0, store.send, 400, 402), r5 = call(1, store.receive, 450, 455);
    message(0, 400, s3, 1, 455, r5);
    call(1, store.receive, 500, 510);
    /* The thread of rank 2 receives, and sends to rank 1. */
    uint64_t t0 = call(2, store.thread_receive, 600, 650),
             s4 = call(0, store.send, 640, 645), r7 = call(1, store.receive, 700, 730);
    message(0, 640, s4, 2, 650, t0);
    message(2, 720, WEFT_NO_ID, 1, 730, r7);
    /*
     * A long message is sent at 800, before its receive, which ends just after the sender's
     * next call begins, at 890; the same with a receive that ends long after that, and with
     * a sender that is in a call as the receive begins.
     */
    uint64_t s5 = call(0, store.send, 800, 802), r8 = call(1, store.receive, 810, 900);
    call(0, store.send, 890, 901);
    message(0, 800, s5, 1, 900, r8);
    uint64_t s6 = call(0, store.send, 1000, 1002), r9 = call(1, store.receive, 1010, 1100);
    call(0, store.send, 1020, 1030);
    message(0, 1000, s6, 1, 1100, r9);
    uint64_t s7 = call(0, store.send, 1200, 1215), r10 = call(1, store.receive, 1210, 1300);
    call(0, store.send, 1290, 1301);
    message(0, 1200, s7, 1, 1300, r10);
    store.trace = small_store_end(store.builder, path);
    store.releases = weft_releases_new(weft_trace_source(store.trace), NULL, &err);
    assert_non_null(store.releases);
    uint32_t rank0 = store.ranks[0], rank1 = store.ranks[1];
    expect(rank1, 0, WEFT_RELEASED_BY_MESSAGE, rank0, 70);
    expect(rank1, 1, WEFT_RELEASED_BY_MESSAGE, rank0, 85);
    expect(rank1, 2, WEFT_RELEASED_BY_MESSAGE, rank0, 120);
    expect(rank1, 3, WEFT_RELEASED_BY_MESSAGE, rank0, 230);
    expect(rank0, 2, WEFT_RELEASED_BY_RECEIVING, rank1, 350);
    expect_none(rank0, 3);
    expect_none(rank1, 6);
    expect(store.thread, 0, WEFT_RELEASED_BY_MESSAGE, rank0, 640);
    expect(rank1, 7, WEFT_RELEASED_BY_MESSAGE, store.thread, 720);
    expect(rank1, 8, WEFT_RELEASED_BY_PROGRESS, rank0, 890);
    expect(rank1, 9, WEFT_RELEASED_BY_MESSAGE, rank0, 1000);
    expect(rank1, 10, WEFT_RELEASED_BY_MESSAGE, rank0, 1200);
    weft_releases_free(store.releases);
    weft_trace_close(store.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(waits_have_their_releases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
