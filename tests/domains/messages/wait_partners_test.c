/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose message a call waited for: worked out by hand, with links that name calls and links
 * that do not, and against a second model that looks at all messages for each call, in one
 * part and in three.
 */
#include "domains/messages/analyse/partner_of_one_wait.h"
#include "domains/threads/analyse/waits_by_place.h"
#include "tests/count_where.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { RECV, WAIT, SEND, BEGIN, VALUES, MAX_RANKS = 5 };
static const enum weft_role roles[VALUES] = {
    WEFT_ROLE_BLOCKED_ON_MESSAGE,
    WEFT_ROLE_BLOCKED_ON_MESSAGE,
    WEFT_ROLE_BLOCKING_SEND,
    WEFT_ROLE_SENDING,
};

struct trace_maker {
    char path[64];
    struct weft_builder *b;
    uint32_t states, link, tag, partner, said_tag, values[VALUES];
    uint32_t ranks[MAX_RANKS], tracks[MAX_RANKS];
    uint32_t of, communicators[2]; /* of messages: by whether their tags are odd */
};

/* Ranks are called 10, 11 ...: their numbers are not those of their containers. */
static struct trace_maker begin_trace(uint32_t n_ranks)
{
    struct trace_maker m = { .path = "/tmp/weft-partners-test.XXXXXX" };
    m.b = small_store_begin(m.path);
    uint32_t rank = add_type(m.b, WEFT_CONTAINER, 0, "r", WEFT_ROLE_RANK);
    m.states = add_type(m.b, WEFT_STATE, rank, "s", WEFT_ROLE_COMMUNICATION);
    m.link = weft_builder_type(m.b, &(struct weft_type){ .kind = WEFT_LINK,
                                                         .parent = 0,
                                                         .name = "m",
                                                         .start_type = rank,
                                                         .end_type = rank,
                                                         .role = WEFT_ROLE_MESSAGE });
    for (uint32_t v = 0; v < VALUES; v++) {
        m.values[v] = add_value(m.b, m.states, (char[]){ (char)('a' + v), 0 }, roles[v]);
    }
    uint32_t number = weft_builder_field(m.b, rank, "n", WEFT_FIELD_INTEGER);
    m.tag = weft_builder_field(m.b, m.link, "t", WEFT_FIELD_INTEGER);
    m.partner = weft_builder_field(m.b, m.states, "p", WEFT_FIELD_CONTAINER);
    m.said_tag = weft_builder_field(m.b, m.states, "t", WEFT_FIELD_INTEGER);
    weft_builder_field_role(m.b, number, WEFT_ROLE_RANK_NUMBER);
    weft_builder_field_role(m.b, m.tag, WEFT_ROLE_TAG);
    weft_builder_field_role(m.b, m.partner, WEFT_ROLE_PARTNER);
    weft_builder_field_role(m.b, m.said_tag, WEFT_ROLE_TAG);
    m.of = add_field(m.b, m.link, "c", WEFT_FIELD_CONTAINER, WEFT_ROLE_COMMUNICATOR_OF);
    uint32_t communicator = add_type(m.b, WEFT_CONTAINER, 0, "c", WEFT_ROLE_COMMUNICATOR);
    for (uint32_t c = 0; c < 2; c++)
        m.communicators[c] =
            weft_builder_container(m.b, communicator, 0, c ? "odd" : "even", NULL, 0);
    for (uint32_t r = 0; r < n_ranks; r++) {
        m.ranks[r] =
            weft_builder_container(m.b, rank, 0, (char[]){ (char)('A' + r), 0 }, NULL, 0);
        weft_builder_container_field(
            m.b, m.ranks[r], &(struct weft_field_value){ number, { .integer = 10 + r } });
        m.tracks[r] = weft_builder_track(m.b, m.ranks[r], m.states);
    }
    return m;
}

static uint64_t call(struct trace_maker *m, uint32_t rank, int value, int64_t begin,
                     int64_t end, const struct weft_field_value *fields, size_t n)
{
    uint64_t id;
    assert_int_equal(
        weft_builder_push(m->b, m->tracks[rank], begin, m->values[value], fields, n, &id),
        WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(m->b, m->tracks[rank], end, NULL), WEFT_BUILD_OK);
    return id;
}

static void message(struct trace_maker *m, uint32_t from, uint32_t to, int64_t begin,
                    int64_t end, uint64_t sender, uint64_t receiver, int64_t tag)
{
    struct weft_link link = { .type = m->link,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = m->ranks[from],
                              .to = m->ranks[to],
                              .begin = begin,
                              .end = end,
                              .from_entity = sender,
                              .to_entity = receiver };
    const struct weft_field_value fields[] = {
        { m->tag, { .integer = tag } }, { m->of, { .index = m->communicators[tag & 1] } }
    };
    weft_builder_link(m->b, &link, fields, 2);
}

static struct weft_trace *open_trace(struct trace_maker *m)
{
    return small_store_end(m->b, m->path);
}

/* ---- By hand ---- */

/*
 * 10 sends to 11, which has waited for it since 5.  Then 11 waits for two messages: that of 12
 * was sent last.  At 70 rank 12 waits for a send of its own, and says to whom; at 81 nobody knows
 * for what.
 */
static struct weft_trace *small_trace(bool named)
{
    struct trace_maker m = begin_trace(3);
    struct weft_field_value said[] = { { m.partner, { .index = m.ranks[1] } },
                                       { m.said_tag, { .integer = 3 } } };
    uint64_t send = call(&m, 0, SEND, 10, 20, NULL, 0);
    uint64_t first = call(&m, 0, BEGIN, 41, 42, NULL, 0);
    uint64_t recv = call(&m, 1, RECV, 5, 30, NULL, 0);
    uint64_t wait = call(&m, 1, WAIT, 40, 60, NULL, 0);
    uint64_t last = call(&m, 2, BEGIN, 50, 51, NULL, 0);
    call(&m, 2, WAIT, 70, 80, said, 2);
    call(&m, 2, WAIT, 81, 85, NULL, 0);
    uint64_t none = WEFT_NO_ID;
    message(&m, 0, 1, 10, 30, named ? send : none, named ? recv : none, 7);
    message(&m, 0, 1, 41, 60, named ? first : none, named ? wait : none, 8);
    message(&m, 2, 1, 50, 60, named ? last : none, named ? wait : none, 9);
    return open_trace(&m);
}

static void expect(const struct weft_wait *wait, int value, int64_t partner, int64_t tag,
                   int64_t ticks)
{
    assert_int_equal(wait->value, value);
    assert_int_equal(wait->partner == WEFT_NONE ? -1 : wait->partner_number, partner);
    assert_int_equal(wait->tagged ? wait->tag : -1, tag);
    assert_int_equal(wait->ticks, ticks);
    assert_int_equal(wait->count, 1);
}

static void waits_say_for_whom(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct weft_trace *trace = small_trace(named);
        const struct weft_source *source = weft_trace_source(trace);
        struct weft_waits waits;
        struct weft_err err;
        assert_true(weft_has_waits(source->schema));
        assert_true(weft_waits_read(source, 0, (struct weft_span){ 0, 90 }, true, NULL,
                                    &waits, &err));
        assert_int_equal(waits.n, 5);
        expect(&waits.list[0], RECV, 10, 7, 25);
        expect(&waits.list[1], WAIT, 12, 9, 20);
        expect(&waits.list[2], WAIT, 11, 3, 10);
        expect(&waits.list[3], SEND, 11, 7, 10);
        expect(&waits.list[4], WAIT, -1, -1, 4);
        /* In which communicator: that of the message, where one is known. */
        for (int w = 0; w < 5; w++) {
            uint32_t object = waits.list[w].object;
            bool known = w != 2 && w != 4;
            assert_int_equal(object != WEFT_NONE, known);
            if (known)
                assert_string_equal(source->schema->containers[object].name, "odd");
        }
        weft_waits_free(&waits);
        /* Without tags: the calls and partners are the same, and none is said. */
        assert_true(weft_waits_read(source, 0, (struct weft_span){ 0, 90 }, false, NULL,
                                    &waits, &err));
        assert_int_equal(waits.n, 5);
        expect(&waits.list[0], RECV, 10, -1, 25);
        weft_waits_free(&waits);
        /* The message arrives, and was sent, outside of the window: 13 and 8 of the calls. */
        assert_true(weft_waits_read(source, 0, (struct weft_span){ 12, 25 }, true, NULL,
                                    &waits, &err));
        assert_int_equal(waits.n, 2);
        expect(&waits.list[0], RECV, 10, 7, 13);
        expect(&waits.list[1], SEND, 11, 7, 8);
        weft_waits_free(&waits);
        weft_trace_close(trace);
    }
}

/* ---- One call, without reading all messages first ---- */

static const struct weft_processors *all_processors; /* of the trace that is looked at */

static void check_one(const struct weft_wait_asker *asker, const struct weft_state *state,
                      struct weft_wait_partner expected)
{
    struct weft_wait_partner is =
        weft_partner_of_one_wait(all_processors, asker->track, state);
    assert_int_equal(is.processor, expected.processor);
    assert_int_equal(is.tagged, expected.tagged);
    assert_int_equal(is.tag, expected.tag);
    assert_int_equal(is.communicator, expected.communicator);
}

/* ---- Selections ---- */

/* Each row of the table of waits is as many waits as the selection of its terms means. */
static void selections_mean_what_the_table_counts(const struct weft_source *source)
{
    struct weft_waits waits;
    struct weft_err err;
    assert_true(weft_waits_read(source, 0,
                                (struct weft_span){ 0, source->schema->span.end + 1 },
                                WEFT_WAITS_BY_TAG, NULL, &waits, &err));
    for (size_t i = 0; i < waits.n; i++) {
        const struct weft_wait *wait = &waits.list[i];
        const char *names[VALUES] = { "a", "b", "c", "d" };
        char text[256], partner[64] = "\"\"", tag[32] = "\"\"";
        if (wait->partner != WEFT_NONE)
            snprintf(partner, sizeof partner, "processor number %d",
                     (int)wait->partner_number);
        if (wait->tagged)
            snprintf(tag, sizeof tag, "%d", (int)wait->tag);
        snprintf(text, sizeof text, "value = %s and state and partner = %s and tag = %s",
                 names[wait->value], partner, tag);
        if (wait->object != WEFT_NONE)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     " and communicator = %s",
                     source->schema->containers[wait->object].name);
        assert_int_equal(count_where(source, text), wait->count);
    }
    weft_waits_free(&waits);
}

static void partners_are_terms(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct weft_trace *trace = small_trace(named);
        const struct weft_source *source = weft_trace_source(trace);
        selections_mean_what_the_table_counts(source);
        /* The receive of 11, the send of 10; the messages of 10 and 11 are two. */
        assert_int_equal(count_where(source, "state and partner = processor 10"), 1);
        assert_int_equal(count_where(source, "state and partner = processor 11"), 2);
        assert_int_equal(count_where(source, "link and partner = processor 10"), 2);
        assert_int_equal(
            count_where(source, "link and row = processor 11 and partner = processor 12"),
            1);
        /* The wait of 12 at 81, and what is no wait: two calls that only begin to send. */
        assert_int_equal(count_where(source, "state and partner = \"\""), 3);
        assert_int_equal(count_where(source, "state and tag = 7"), 2);
        assert_int_equal(count_where(source, "link and tag = 7"), 1);
        assert_int_equal(count_where(source, "state and communicator = odd"), 3);
        assert_int_equal(count_where(source, "link and communicator = even"), 1);
        assert_int_equal(count_where(source, "state and partner != \"\""), 4);
        assert_int_equal(count_where(source, "waker = \"\" and state"), 7);
        weft_trace_close(trace);
    }
}

/* ---- The second model ---- */

struct one_call {
    uint32_t rank;
    int64_t begin, end;
    uint64_t id;
};
struct one_message {
    uint32_t from, to; /* calls */
    int64_t tag;
};
enum { CALLS = 200, MESSAGES = 150 };

static struct one_call calls[CALLS];
static struct one_message messages[MESSAGES];

static struct weft_trace *random_trace(uint32_t n_ranks)
{
    struct trace_maker m = begin_trace(n_ranks);
    int64_t time[MAX_RANKS] = { 0 };
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t rank = roll(n_ranks);
        int64_t begin = time[rank] + 1 + roll(9), end = begin + roll(20);
        time[rank] = end;
        calls[i] =
            (struct one_call){ rank, begin, end,
                               call(&m, rank, (int)roll(VALUES), begin, end, NULL, 0) };
    }
    for (uint32_t i = 0; i < MESSAGES; i++) {
        messages[i] = (struct one_message){ roll(CALLS), roll(CALLS), roll(5) };
        const struct one_call *from = &calls[messages[i].from],
                              *to = &calls[messages[i].to];
        message(&m, from->rank, to->rank, from->begin, to->end, from->id, to->id,
                messages[i].tag);
    }
    return open_trace(&m);
}

/* By the rule: what was sent last to the call, else what arrived last of what it sent. */
static struct weft_wait_partner expected(uint32_t of)
{
    const struct one_message *best = NULL;
    for (int outgoing = 0; outgoing < 2 && !best; outgoing++)
        for (uint32_t i = 0; i < MESSAGES; i++) {
            const struct one_message *m = &messages[i];
            if ((outgoing ? m->from : m->to) != of)
                continue;
            const struct one_call *other = &calls[outgoing ? m->to : m->from];
            const struct one_call *most =
                best ? &calls[outgoing ? best->to : best->from] : NULL;
            int64_t time = outgoing ? other->end : other->begin;
            int64_t latest = !best ? 0 : outgoing ? most->end : most->begin;
            if (!best || time > latest
                || (time == latest
                    && (other->rank < most->rank
                        || (other->rank == most->rank && m->tag < best->tag))))
                best = m;
        }
    if (!best)
        return (struct weft_wait_partner){ WEFT_NONE, false, 0 };
    return (struct weft_wait_partner){ calls[best->to == of ? best->from : best->to].rank,
                                       true, best->tag };
}

static bool check_call(void *user, const struct weft_state *state)
{
    struct weft_wait_asker *asker = user;
    uint32_t of = 0;
    while (calls[of].rank != asker->processor || calls[of].begin != state->begin)
        of++;
    struct weft_wait_partner is = weft_wait_partner_of(asker, state), should = expected(of);
    assert_int_equal(is.processor, should.processor);
    assert_int_equal(is.tagged, should.tagged);
    assert_int_equal(is.tag, should.tag);
    check_one(asker, state, is);
    return true;
}

static void partners_equal_the_second_model(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct weft_trace *trace = random_trace(1 + roll(MAX_RANKS));
        const struct weft_source *source = weft_trace_source(trace);
        const struct weft_schema *schema = source->schema;
        struct weft_span all = { 0, schema->span.end + 1 };
        struct weft_err err;
        struct weft_processors *processors = weft_processors_make(source, NULL, &err);
        assert_non_null(processors);
        all_processors = processors;
        uint32_t n_parts = round % 2 ? 3 : 1;
        for (uint32_t part = 0; part < n_parts; part++) {
            struct weft_wait_ends *ends =
                weft_wait_ends_read(processors, all, part, n_parts, NULL, &err);
            struct weft_wait_asker asker;
            assert_non_null(ends);
            for (uint32_t p = part; p < processors->n; p += n_parts)
                if (processors->processors[p].track != WEFT_NONE) {
                    weft_wait_asker_begin(&asker, ends, processors->processors[p].track);
                    assert_int_equal(asker.processor, p);
                    source->ops->states(source, asker.track, all, check_call, &asker);
                }
            weft_wait_ends_free(ends);
        }
        weft_processors_free(processors);
        weft_trace_close(trace);
    }
}

/* ---- Calls that are nested, or have no length ---- */

struct timed_message {
    uint32_t from, to; /* ranks */
    int64_t begin, end, tag;
    uint64_t sender, receiver; /* ids of calls, or WEFT_NO_ID */
};
enum { NESTED = 120, TIMED = 200 };

static struct one_call nested[NESTED];
static struct timed_message timed[TIMED];

/* One rank after the other: calls open and close at times that often are the same. */
static void nest_calls(struct trace_maker *m, uint32_t n_ranks)
{
    for (uint32_t i = 0, rank = 0; rank < n_ranks; rank++) {
        uint32_t open[NESTED], n_open = 0, last = NESTED * (rank + 1) / n_ranks;
        int64_t time = 0;
        while (i < last || n_open) {
            time += roll(3) ? 0 : roll(4);
            if (i < last && (!n_open || roll(5) < 3)) {
                struct one_call *call = &nested[i];
                *call = (struct one_call){ rank, time, 0, 0 };
                assert_int_equal(weft_builder_push(m->b, m->tracks[rank], time,
                                                   m->values[roll(VALUES)], NULL, 0,
                                                   &call->id),
                                 WEFT_BUILD_OK);
                open[n_open++] = i++;
            } else {
                nested[open[--n_open]].end = time;
                assert_int_equal(weft_builder_pop(m->b, m->tracks[rank], time, NULL),
                                 WEFT_BUILD_OK);
            }
        }
    }
}

static uint64_t some_call(uint32_t rank)
{
    uint32_t i = roll(NESTED);
    return roll(3) || nested[i].rank != rank ? WEFT_NO_ID : nested[i].id;
}

static struct weft_trace *nested_trace(uint32_t n_ranks)
{
    struct trace_maker m = begin_trace(n_ranks);
    nest_calls(&m, n_ranks);
    for (uint32_t i = 0; i < TIMED; i++) {
        struct timed_message *t = &timed[i];
        *t = (struct timed_message){
            .from = roll(n_ranks), .to = roll(n_ranks), .begin = roll(40), .tag = roll(4)
        };
        t->end = t->begin + roll(9);
        t->sender = some_call(t->from);
        t->receiver = some_call(t->to);
        message(&m, t->from, t->to, t->begin, t->end, t->sender, t->receiver, t->tag);
    }
    return open_trace(&m);
}

/* Is this end of the message the call's: as it says, or by its time? */
static bool is_of(const struct one_call *call, uint64_t named, int64_t time, bool outgoing)
{
    if (time < call->begin || time > call->end)
        return false;
    if (named != WEFT_NO_ID)
        return named == call->id;
    return call->begin == call->end || (outgoing ? time < call->end : time > call->begin);
}

static bool check_nested(void *user, const struct weft_state *state)
{
    struct weft_wait_asker *asker = user;
    const struct one_call *call = nested;
    const struct timed_message *best = NULL;
    bool outgoing = false;
    /* Tracks have other numbers than while the trace was built. */
    while (call->rank != asker->processor
           || weft_entity_ordinal(call->id) != weft_entity_ordinal(state->id))
        call++;
    for (int pass = 0; pass < 2 && !best; pass++) {
        outgoing = pass;
        for (uint32_t i = 0; i < TIMED; i++) {
            const struct timed_message *t = &timed[i];
            if ((outgoing ? t->from : t->to) != call->rank
                || !is_of(call, outgoing ? t->sender : t->receiver,
                          outgoing ? t->begin : t->end, outgoing))
                continue;
            int64_t more = !best      ? 1
                           : outgoing ? t->end - best->end
                                      : t->begin - best->begin;
            more = more       ? more
                   : outgoing ? (int64_t)best->to - t->to
                              : (int64_t)best->from - t->from;
            if (more > 0 || (!more && t->tag < best->tag))
                best = t;
        }
    }
    struct weft_wait_partner is = weft_wait_partner_of(asker, state);
    assert_int_equal(is.processor, !best ? WEFT_NONE : outgoing ? best->to : best->from);
    assert_int_equal(is.tag, best ? best->tag : 0);
    check_one(asker, state, is);
    return true;
}

static void ask_all(const struct weft_source *source,
                    bool (*check)(void *user, const struct weft_state *state))
{
    struct weft_span all = { 0, source->schema->span.end + 1 };
    struct weft_err err;
    struct weft_processors *processors = weft_processors_make(source, NULL, &err);
    assert_non_null(processors);
    all_processors = processors;
    struct weft_wait_ends *ends = weft_wait_ends_read(processors, all, 0, 1, NULL, &err);
    assert_non_null(ends);
    for (uint32_t p = 0; p < processors->n; p++) {
        struct weft_wait_asker asker;
        if (processors->processors[p].track == WEFT_NONE)
            continue;
        weft_wait_asker_begin(&asker, ends, processors->processors[p].track);
        source->ops->states(source, asker.track, all, check, &asker);
    }
    weft_wait_ends_free(ends);
    weft_processors_free(processors);
}

static void nested_calls_equal_the_second_model(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct weft_trace *trace = nested_trace(1 + roll(3));
        ask_all(weft_trace_source(trace), check_nested);
        selections_mean_what_the_table_counts(weft_trace_source(trace));
        weft_trace_close(trace);
    }
}

static bool check_last(void *user, const struct weft_state *state)
{
    struct weft_wait_partner is = weft_wait_partner_of(user, state);
    assert_int_equal(is.processor, 1);
    return true;
}

/*
 * Each of as many calls could have waited for each of as many messages: this test ends within its
 * time only because a call does not look at all of them.
 */
static void many_calls_at_many_messages(void **state)
{
    (void)state;
    enum { MANY = 400000 };
    struct trace_maker m = begin_trace(2);
    for (int i = 0; i < MANY; i++)
        call(&m, 0, WAIT, 10, 10, NULL, 0);
    for (int i = 0; i < MANY; i++)
        message(&m, 1, 0, i % 10, 10, WEFT_NO_ID, WEFT_NO_ID, i);
    struct weft_trace *trace = open_trace(&m);
    ask_all(weft_trace_source(trace), check_last);
    weft_trace_close(trace);
}

/* Without tags, rows are those with them that are alike else, added up. */
static void tags_are_added_up(void **state)
{
    (void)state;
    size_t merged = 0;
    for (int round = 0; round < 60; round++) {
        struct weft_trace *trace = random_trace(1 + roll(MAX_RANKS));
        const struct weft_source *source = weft_trace_source(trace);
        struct weft_span all = { 0, source->schema->span.end + 1 };
        struct weft_waits by_tag, waits;
        struct weft_err err;
        assert_true(weft_waits_read(source, 0, all, true, NULL, &by_tag, &err));
        assert_true(weft_waits_read(source, 0, all, false, NULL, &waits, &err));
        for (size_t i = 0; i < waits.n; i++) {
            const struct weft_wait *wait = &waits.list[i];
            int64_t ticks = 0;
            uint64_t count = 0, rows = 0;
            assert_false(wait->tagged);
            for (size_t k = 0; k < by_tag.n; k++) {
                const struct weft_wait *part = &by_tag.list[k];
                if (part->value != wait->value || part->site != wait->site
                    || part->partner != wait->partner || part->object != wait->object)
                    continue;
                ticks += part->ticks;
                count += part->count;
                rows++;
            }
            assert_int_equal(wait->ticks, ticks);
            assert_int_equal(wait->count, count);
            merged += rows - 1;
        }
        weft_waits_free(&by_tag);
        weft_waits_free(&waits);
        weft_trace_close(trace);
    }
    assert_true(merged > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_say_for_whom),
        cmocka_unit_test(partners_are_terms),
        cmocka_unit_test(partners_equal_the_second_model),
        cmocka_unit_test(nested_calls_equal_the_second_model),
        cmocka_unit_test(many_calls_at_many_messages),
        cmocka_unit_test(tags_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
