/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Details of ranks, calls and messages, by hand.  Rank r2 makes its calls on a thread, main:
 *
 *     r0    sends from 100 to 110, from 195 to 205 and from 240 to 245
 *     main  receives from 140 to 150 and from 220 to 300, when the trace ends
 *     r0 -> r2  from 100 to 150, of the two calls; from 200 to 290, which names none;
 *               from 242 to 300, of the two calls
 *     r1 -> r2  from 142 to 148, which names the first receive
 */
#include "tests/small_store.h"
#include "view/detail.h"

enum { RANKS = 3 };

static struct {
    struct weft_builder *builder;
    uint32_t ranks[RANKS], thread, call, thread_call, message, receive, send;
    struct weft_trace *trace;
    struct weft_arena arena;
} store;

static void begin(char *path)
{
    struct weft_builder *b = store.builder = small_store_begin(path);
    uint32_t rank = add_type(b, WEFT_CONTAINER, 0, "Rank", WEFT_ROLE_RANK);
    uint32_t thread = add_type(b, WEFT_CONTAINER, rank, "Thread", WEFT_ROLE_THREAD);
    store.call = add_type(b, WEFT_STATE, rank, "Call", WEFT_ROLE_COMMUNICATION);
    store.thread_call = add_type(b, WEFT_STATE, thread, "Call", WEFT_ROLE_COMMUNICATION);
    store.send = add_value(b, store.call, "send", WEFT_ROLE_BLOCKING_SEND);
    store.receive =
        add_value(b, store.thread_call, "receive", WEFT_ROLE_BLOCKED_ON_MESSAGE);
    store.message = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                              .parent = 0,
                                                              .name = "Message",
                                                              .role = WEFT_ROLE_MESSAGE,
                                                              .start_type = rank,
                                                              .end_type = rank });
    for (int r = 0; r < RANKS; r++)
        store.ranks[r] = weft_builder_container(
            b, rank, 0, (char[]){ 'r', (char)('0' + r), 0 }, NULL, 0);
    store.thread = weft_builder_container(b, thread, store.ranks[2], "main", NULL, 0);
}

static uint64_t call(uint32_t row, uint32_t type, uint32_t value, int64_t from, int64_t to)
{
    uint32_t track = weft_builder_track(store.builder, row, type);
    uint64_t id;
    assert_int_equal(weft_builder_push(store.builder, track, from, value, NULL, 0, &id),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(store.builder, track, to, NULL), WEFT_BUILD_OK);
    return id;
}

static uint64_t send(int64_t from, int64_t to)
{
    return call(store.ranks[0], store.call, store.send, from, to);
}

static uint64_t receive(int64_t from, int64_t to)
{
    return call(store.thread, store.thread_call, store.receive, from, to);
}

static void message(int from, int64_t sent, uint64_t sender, int64_t received,
                    uint64_t receiver)
{
    weft_builder_link(store.builder,
                      &(struct weft_link){ .type = store.message,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = store.ranks[from],
                                           .to = store.ranks[2],
                                           .begin = sent,
                                           .end = received,
                                           .from_entity = sender,
                                           .to_entity = receiver },
                      NULL, 0);
}

/* The id of the call or message INDEX of a row; the root has the messages. */
static uint64_t id_of(uint32_t row, enum weft_kind kind, uint64_t index)
{
    const struct weft_schema *schema = weft_trace_source(store.trace)->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].container == row
            && schema->types[schema->tracks[t].type].kind == kind)
            return weft_entity_id(t, index);
    fail();
    return WEFT_NO_ID;
}

static struct weft_detail detail_of(uint64_t id)
{
    struct weft_detail detail;
    assert_true(weft_detail(weft_trace_source(store.trace), id, &store.arena, &detail));
    return detail;
}

/* The value of the fact NAME, number INDEX of those with that name; "" if there is none. */
static const char *fact(const struct weft_detail *detail, const char *name, size_t index)
{
    for (size_t i = 0; i < detail->n_facts; i++)
        if (strcmp(detail->facts[i].name, name) == 0 && index-- == 0)
            return detail->facts[i].value;
    return "";
}

static int setup(void **state)
{
    char path[] = "/tmp/weft-details-XXXXXX";
    (void)state;
    begin(path);
    uint64_t first_receive = receive(140, 150), second_receive = receive(220, 300);
    message(0, 100, send(100, 110), 150, first_receive);
    message(1, 142, WEFT_NO_ID, 148, first_receive);
    send(195, 205);
    message(0, 200, WEFT_NO_ID, 290, WEFT_NO_ID);
    message(0, 242, send(240, 245), 300, second_receive);
    store.trace = small_store_end(store.builder, path);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weft_arena_free(&store.arena);
    weft_trace_close(store.trace);
    return 0;
}

static void messages_tell_both_ends_and_how_long_they_lay(void **state)
{
    (void)state;
    struct weft_detail first = detail_of(id_of(0, WEFT_LINK, 0));
    assert_string_equal(fact(&first, "sent in", 0), "send");
    assert_string_equal(fact(&first, "received in", 0), "receive");
    assert_string_equal(fact(&first, "lay for", 0),
                        "40 ns, until the call began that received it");
    assert_string_equal(fact(&first, "awaited for", 0), "");
    assert_int_equal(first.incoming, id_of(store.ranks[0], WEFT_STATE, 0));
    assert_int_equal(first.outgoing, id_of(store.thread, WEFT_STATE, 0));
    struct weft_detail last = detail_of(id_of(0, WEFT_LINK, 3));
    assert_string_equal(fact(&last, "awaited for", 0),
                        "22 ns, by the call that received it");
    assert_string_equal(fact(&last, "lay for", 0), "");
    /* Which call received it is not known: what the rank's first row did then. */
    struct weft_detail unnamed = detail_of(id_of(0, WEFT_LINK, 2));
    assert_string_equal(fact(&unnamed, "lay for", 0), "");
    assert_int_equal(unnamed.outgoing, id_of(store.thread, WEFT_STATE, 1));
}

static void calls_on_a_thread_lead_to_the_messages_of_their_rank(void **state)
{
    (void)state;
    struct weft_detail first = detail_of(id_of(store.thread, WEFT_STATE, 0));
    assert_string_equal(fact(&first, "Message from", 0), "r0");
    assert_string_equal(fact(&first, "Message from", 1), "r1");
    assert_string_equal(fact(&first, "Message from", 2), "");
    assert_int_equal(first.incoming, id_of(store.ranks[0], WEFT_STATE, 0));
    /* The one that names it, and the one that arrives in it and names none. */
    struct weft_detail second = detail_of(id_of(store.thread, WEFT_STATE, 1));
    assert_string_equal(fact(&second, "Message from", 1), "r0");
    assert_string_equal(fact(&second, "Message from", 2), "");
    assert_int_equal(second.incoming, id_of(store.ranks[0], WEFT_STATE, 2));
    struct weft_detail sender = detail_of(id_of(store.ranks[0], WEFT_STATE, 0));
    assert_string_equal(fact(&sender, "Message to", 0), "r2");
    assert_string_equal(fact(&sender, "Message to", 1), "");
    assert_int_equal(sender.outgoing, id_of(store.thread, WEFT_STATE, 0));
}

static void ranks_tell_their_partners_and_threads_their_time(void **state)
{
    (void)state;
    struct weft_detail rank = detail_of(weft_container_id(store.ranks[2], false));
    assert_string_equal(fact(&rank, "messages with r0", 0), "0 to it, 3 from it");
    assert_string_equal(fact(&rank, "messages with r1", 0), "0 to it, 1 from it");
    rank = detail_of(weft_container_id(store.ranks[0], false));
    assert_string_equal(fact(&rank, "messages with r2", 0), "3 to it, 0 from it");
    /* 10 and 80 of 300. */
    struct weft_detail thread = detail_of(weft_container_id(store.thread, false));
    assert_string_equal(fact(&thread, "receive", 0), "30.0 % of its time, 90 ns");
    assert_int_equal(thread.n_questions, 3);
    assert_string_equal(thread.questions[0].view, "times");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_tell_both_ends_and_how_long_they_lay),
        cmocka_unit_test(calls_on_a_thread_lead_to_the_messages_of_their_rank),
        cmocka_unit_test(ranks_tell_their_partners_and_threads_their_time),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
