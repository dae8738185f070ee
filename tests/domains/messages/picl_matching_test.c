/* SPDX-License-Identifier: Apache-2.0 */
/* Which receive got which message: worked out by hand, and by a slow second way. */
#include "tests/unit/read/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "picl_traces.h"
#include "tests/random.h"

/* Sends of one source, destination and tag are received in order; another tag overtakes. */
static void messages_match_in_order(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 -21 1 0 0 3 2 10 1 1\n-4 -21 1 0 0 0\n"
                                        "-3 -21 2 0 0 3 2 20 1 1\n-4 -21 2 0 0 0\n"
                                        "-3 -21 3 0 0 3 2 30 2 1\n-4 -21 3 0 0 0\n"
                                        "-3 -51 4 1 0 2 2 2 0\n-4 -51 4 1 0 3 2 30 2 0\n"
                                        "-3 -51 5 1 0 2 2 1 0\n-4 -51 5 1 0 3 2 10 1 0\n"
                                        "-3 -51 6 1 0 2 2 1 0\n-4 -51 6 1 0 3 2 20 1 0\n");
    const int64_t ends[] = { 5, 6, 4 };
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(trf_link(trace, i).end, ends[i] * INT64_C(1000000000));
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    weft_trace_close(trace);
}

/* The ends of the links in order of their begins, in seconds, and the bytes. */
static void assert_links(const char *text, const int64_t ends[], const int64_t bytes[],
                         uint64_t n)
{
    struct weft_trace *trace = trf_read(text);
    assert_int_equal(weft_trace_schema(trace)->n_links, n);
    for (uint64_t i = 0; i < n; i++) {
        struct weft_link link = trf_link(trace, i);
        assert_int_equal(link.end, ends[i] * INT64_C(1000000000));
        assert_int_equal(
            trf_field(trace, link.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
            bytes[i]);
    }
    weft_trace_close(trace);
}

/* The receiver's first request is for the first message, though the second is waited for first. */
static void receives_match_in_the_order_of_posting(void **unused)
{
    (void)unused;
    static const char sends[] = "-3 -27 10 0 0 3 2 200 7 1\n-4 -27 11 0 0 1 2 1\n"
                                "-3 -27 12 0 0 3 2 50 7 1\n-4 -27 13 0 0 1 2 2\n";
    static const char posts[] = "-3 -57 2 1 0 2 2 7 0\n-4 -57 3 1 0 1 2 1\n"
                                "-3 -57 4 1 0 2 2 7 0\n-4 -57 5 1 0 1 2 2\n";
    static const char waits[] = "-3 -61 20 1 0 1 2 2\n-4 -61 25 1 0 3 2 50 7 0\n"
                                "-3 -58 28 1 0 1 2 1\n-4 -58 29 1 0 0\n"
                                "-3 -60 40 1 0 1 2 1\n-4 -60 42 1 0 3 2 200 7 0\n";
    char *by_time = weft_asprintf("%s%s%s", posts, sends, waits);
    char *sender_first = weft_asprintf("%s%s%s", sends, posts, waits);
    char *receiver_first = weft_asprintf("%s%s%s", posts, waits, sends);
    const int64_t ends[] = { 42, 25 }, bytes[] = { 200, 50 };
    assert_links(by_time, ends, bytes, 2);
    assert_links(sender_first, ends, bytes, 2);
    assert_links(receiver_first, ends, bytes, 2);
    free(by_time);
    free(sender_first);
    free(receiver_first);
}

/*
 * What was posted first, and asks for anything of 0, gets the first message; the blocking receive
 * behind it, which is complete first, the second.  One that never completes stands before none,
 * nor does one whose number is given again.
 */
static void open_receives_stand_before_those_behind_them(void **unused)
{
    (void)unused;
    static const char waited[] = "-3 -57 1 1 0 2 2 -1 0\n-4 -57 2 1 0 1 2 1\n"
                                 "-3 -21 3 0 0 3 2 10 7 1\n-4 -21 3 0 0 0\n"
                                 "-3 -21 4 0 0 3 2 20 7 1\n-4 -21 4 0 0 0\n"
                                 "-3 -52 5 1 0 2 2 7 0\n-4 -52 6 1 0 3 2 20 7 0\n"
                                 "-3 -61 7 1 0 1 2 1\n-4 -61 8 1 0 3 2 10 7 0\n";
    const int64_t waited_ends[] = { 8, 6 }, bytes[] = { 10, 20 };
    assert_links(waited, waited_ends, bytes, 2);
    static const char never[] = "-3 -57 1 1 0 2 2 -1 0\n-4 -57 2 1 0 1 2 1\n"
                                "-3 -57 3 1 0 2 2 7 0\n-4 -57 4 1 0 1 2 2\n"
                                "-3 -57 5 1 0 2 2 -1 -1\n-4 -57 6 1 0 1 2 2\n"
                                "-3 -21 7 0 0 3 2 10 7 1\n-4 -21 7 0 0 0\n"
                                "-3 -21 8 0 0 3 2 20 7 1\n-4 -21 8 0 0 0\n"
                                "-3 -52 9 1 0 2 2 7 0\n-4 -52 10 1 0 3 2 10 7 0\n"
                                "-3 -52 11 1 0 2 2 7 0\n-4 -52 12 1 0 3 2 20 7 0\n";
    const int64_t never_ends[] = { 10, 12 };
    assert_links(never, never_ends, bytes, 2);
}

/* ---- Matching, against a slow second way ---- */

struct random_message {
    int source, destination, tag;
    int64_t sent, received;
};

static int by_time(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MESSAGES = 300, PROCESSORS = 5 };

/*
 * Messages of a channel are received in the order in which they are sent; each record has a time
 * of its own, which is also how the lines sort.
 */
static char *random_trace(struct random_message *messages)
{
    char *lines[4 * MESSAGES];
    int64_t times[2 * MESSAGES];
    for (int i = 0; i < 2 * MESSAGES; i++)
        times[i] = i;
    for (int i = 0; i < MESSAGES; i++) {
        struct random_message *m = &messages[i];
        *m = (struct random_message){ .source = (int)roll(PROCESSORS),
                                      .destination = (int)roll(PROCESSORS),
                                      .tag = (int)roll(3),
                                      .sent = times[i] };
        /* A window of 20 sends: received then, and never before one of its channel. */
        m->received = 2 * MESSAGES + i * 10 + (int64_t)roll(200) * 10;
        for (int j = 0; j < i; j++)
            if (messages[j].source == m->source && messages[j].destination == m->destination
                && messages[j].tag == m->tag && messages[j].received >= m->received)
                m->received = messages[j].received + 10;
        for (bool again = true; again;) {
            again = false;
            for (int j = 0; j < i; j++)
                if (messages[j].received == m->received) {
                    m->received++;
                    again = true;
                }
        }
        lines[4 * i] = weft_asprintf("-3 -21 0.%09" PRId64 " %d 0 3 2 %d %d %d", m->sent,
                                     m->source, i, m->tag, m->destination);
        lines[4 * i + 1] =
            weft_asprintf("-4 -21 0.%09" PRId64 " %d 0 0", m->sent, m->source);
        lines[4 * i + 2] = weft_asprintf("-3 -51 0.%09" PRId64 " %d 0 2 2 %d %d",
                                         m->received, m->destination, m->tag, m->source);
        lines[4 * i + 3] = weft_asprintf("-4 -51 0.%09" PRId64 " %d 0 3 2 %d %d %d",
                                         m->received, m->destination, i, m->tag, m->source);
    }
    struct weft_arena arena = { 0 };
    char *order[4 * MESSAGES]; /* "TIME NUMBER": sorts as it stands */
    for (int i = 0; i < 4 * MESSAGES; i++)
        order[i] = weft_arena_printf(&arena, "%.11s %06d", strchr(lines[i], '.'), i);
    qsort(order, 4 * MESSAGES, sizeof *order, by_time);
    size_t size = 0;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; i < 4 * MESSAGES; i++)
        fprintf(stream, "%s\n", lines[atoi(strrchr(order[i], ' '))]);
    fclose(stream);
    for (int i = 0; i < 4 * MESSAGES; i++)
        free(lines[i]);
    weft_arena_free(&arena);
    return text;
}

static void random_messages_find_their_ends(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        roll_from(seed);
        struct random_message messages[MESSAGES];
        char *text = random_trace(messages);
        struct weft_trace *trace = trf_read(text);
        assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
        assert_int_equal(weft_trace_schema(trace)->n_links, MESSAGES);
        for (uint64_t i = 0; i < MESSAGES;
             i++) { /* in order of the sends, as they were made */
            struct weft_link link = trf_link(trace, i);
            assert_int_equal(link.begin, messages[i].sent);
            assert_int_equal(link.end, messages[i].received);
            assert_int_equal(
                trf_field(trace, link.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer, i);
        }
        char *by_node = trf_written(trace, WEFT_PICL_BY_NODE);
        weft_trace_close(trace);
        trf_assert_same(text, by_node);
        trf_assert_written_twice(text);
        free(by_node);
        free(text);
    }
}

/* ---- Posting, against a slow second way ---- */

/*
 * One receiver, node 0, as MPI works: a message that is sent goes to the first receive that was
 * posted, is free and asks for it; a receive that is posted takes the first such message that
 * nobody has.  Receives complete in any order.
 */
enum { STEPS = 400, SENDERS = 3, TAGS = 2 };

struct posted {
    int source, tag; /* -1: any */
    int message;     /* or -1 */
    bool complete;
};

struct sent {
    int source, tag, receive; /* receive: or -1 */
    int64_t time, received;
};

struct matching {
    FILE *out;
    struct posted posted[STEPS];
    struct sent sent[STEPS];
    int n_posted, n_sent;
};

static bool asks_for(const struct posted *posted, const struct sent *sent)
{
    return (posted->source < 0 || posted->source == sent->source)
           && (posted->tag < 0 || posted->tag == sent->tag);
}

static void model_send(struct matching *m, int64_t time)
{
    struct sent *sent = &m->sent[m->n_sent];
    *sent = (struct sent){ 1 + (int)roll(SENDERS), (int)roll(TAGS), -1, time, -1 };
    fprintf(m->out, "-3 -21 %" PRId64 " %d 0 3 2 %d %d 0\n-4 -21 %" PRId64 " %d 0 0\n",
            time, sent->source, m->n_sent, sent->tag, time, sent->source);
    for (int i = 0; i < m->n_posted && sent->receive < 0; i++)
        if (m->posted[i].message < 0 && asks_for(&m->posted[i], sent)) {
            sent->receive = i;
            m->posted[i].message = m->n_sent;
        }
    m->n_sent++;
}

static int take_message(struct matching *m, struct posted *posted)
{
    for (int i = 0; i < m->n_sent; i++)
        if (m->sent[i].receive < 0 && asks_for(posted, &m->sent[i])) {
            m->sent[i].receive = m->n_posted;
            return i;
        }
    return -1;
}

static void model_got(struct matching *m, int message, int key, int64_t time)
{
    m->sent[message].received = time;
    fprintf(m->out, "-4 %d %" PRId64 " 0 0 3 2 %d %d %d\n", key, time, message,
            m->sent[message].tag, m->sent[message].source);
}

/* A blocking receive only where a message waits for it. */
static void model_post(struct matching *m, int64_t time)
{
    struct posted *posted = &m->posted[m->n_posted];
    *posted =
        (struct posted){ .source = (int)roll(SENDERS + 1), .tag = (int)roll(TAGS + 1) - 1 };
    posted->source = posted->source ? posted->source : -1;
    posted->message = take_message(m, posted);
    bool at_once = posted->message >= 0 && roll(2);
    fprintf(m->out, "-3 %d %" PRId64 " 0 0 2 2 %d %d\n", at_once ? -52 : -57, time,
            posted->tag, posted->source);
    if (at_once)
        model_got(m, posted->message, -52, time + 1);
    else
        fprintf(m->out, "-4 -57 %" PRId64 " 0 0 1 2 %d\n", time + 1, m->n_posted);
    posted->complete = at_once;
    m->n_posted++;
}

static void model_complete(struct matching *m, int posted, int64_t time)
{
    if (m->posted[posted].complete || m->posted[posted].message < 0)
        return;
    m->posted[posted].complete = true;
    fprintf(m->out, "-3 -61 %" PRId64 " 0 0 1 2 %d\n", time, posted);
    model_got(m, m->posted[posted].message, -61, time + 1);
}

static char *run_model(struct matching *m)
{
    char *text = NULL;
    size_t size;
    m->out = open_memstream(&text, &size);
    int64_t time = 0;
    for (int step = 0; step < STEPS; step++, time += 2)
        switch (roll(3)) {
        case 0: model_send(m, time); break;
        case 1: model_post(m, time); break;
        default:
            if (m->n_posted)
                model_complete(m, (int)roll((uint64_t)m->n_posted), time);
        }
    for (int i = m->n_posted; i-- > 0; time += 2)
        model_complete(m, i, time);
    fclose(m->out);
    return text;
}

static void assert_matched(const struct weft_trace *trace, const struct matching *m)
{
    assert_int_equal(weft_trace_schema(trace)->n_links, m->n_sent);
    for (int i = 0; i < m->n_sent; i++) {
        struct weft_link link = trf_link(trace, (uint64_t)i);
        assert_int_equal(link.begin, m->sent[i].time * INT64_C(1000000000));
        assert_int_equal(!!(link.flags & WEFT_END_IMPLIED), m->sent[i].received < 0);
        if (m->sent[i].received >= 0)
            assert_int_equal(link.end, m->sent[i].received * INT64_C(1000000000));
    }
}

static void random_receives_get_what_they_were_posted_for(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        roll_from(seed);
        struct matching m = { 0 };
        char *text = run_model(&m);
        struct weft_trace *trace = trf_read(text);
        assert_matched(trace, &m);
        char *by_node = trf_written(trace, WEFT_PICL_BY_NODE);
        weft_trace_close(trace);
        trace = trf_read(by_node);
        assert_matched(trace, &m);
        weft_trace_close(trace);
        free(by_node);
        free(text);
    }
}

/* ---- Many at once ---- */

enum { MANY = 100000 };

/*
 * Processor 1 posts MANY receives of any source, and the messages 1, 2 ... from 0 are complete in
 * the order that STEP and BACK say: what was posted i-th got message i.  TAGS: each message has a
 * tag of its own, and all receives take any.
 */
static char *many_receives(bool tags, bool back, int step)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < MANY; i++)
        fprintf(out, "-3 -21 1 0 0 3 2 %d %d 1\n-4 -21 1 0 0 0\n", i, tags ? i : 7);
    for (int i = 0; i < MANY; i++)
        fprintf(out, "-3 -57 2 1 0 2 2 %d -1\n-4 -57 2 1 0 1 2 %d\n", tags ? -1 : 7, i);
    for (int first = 0; first < step; first++)
        for (int i = first; i < MANY; i += step) {
            int n = back ? MANY - 1 - i : i;
            fprintf(out, "-3 -61 3 1 0 1 2 %d\n-4 -61 3 1 0 3 2 %d %d 0\n", n, n,
                    tags ? n : 7);
        }
    fclose(out);
    return text;
}

/* By the square of their number these took minutes, more than a test may. */
static void many_receives_may_end_in_any_order(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        char *text = many_receives(i & 1, i < 2, 1 + i / 2);
        struct weft_trace *trace = trf_read(text);
        assert_int_equal(weft_trace_schema(trace)->n_links, MANY);
        assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
        weft_trace_close(trace);
        free(text);
    }
}

/*
 * Receives whose entries are within one another begin in the opposite order, so that each goes
 * before all that are complete; every other one asks for any source.  What they hold back would
 * go from one to the next each time.
 */
static void work_for_what_is_held_back_has_an_end(void **unused)
{
    (void)unused;
    enum { NESTED = 6000 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < NESTED; i++)
        fprintf(out, "-3 -57 2 1 0 2 2 -1 %d\n", i % 2 - 1);
    fprintf(out, "-4 -57 3 1 0 1 2 %d\n", NESTED);
    for (int i = 0; i < NESTED; i++)
        fprintf(out, "-3 -52 4 1 0 2 2 %d 0\n-4 -52 4 1 0 3 2 1 %d 0\n", i, i);
    for (int i = NESTED; --i > 0;)
        fprintf(out, "-4 -57 5 1 0 1 2 %d\n-3 -61 5 1 0 1 2 %d\n-4 -61 5 1 0 3 2 1 %d 0\n",
                i, i + 1, NESTED + i);
    fclose(out);
    struct weft_trace *trace = trf_read(text);
    assert_int_equal(weft_trace_schema(trace)->n_links, 2 * NESTED - 1);
    assert_int_equal(support_problems(trace, "too-much-open", NULL), 1);
    weft_trace_close(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_match_in_order),
        cmocka_unit_test(receives_match_in_the_order_of_posting),
        cmocka_unit_test(open_receives_stand_before_those_behind_them),
        cmocka_unit_test(random_messages_find_their_ends),
        cmocka_unit_test(random_receives_get_what_they_were_posted_for),
        cmocka_unit_test(many_receives_may_end_in_any_order),
        cmocka_unit_test(work_for_what_is_held_back_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
