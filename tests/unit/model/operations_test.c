/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic of collective operations of which many go on at once: memory is that of the pairs that
 * have messages, and queues are what the sums of a moment say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/processors.h"
#include "model/traffic_history.h"
#include "store/builder.h"
#include "store/trace.h"

struct run {
    struct weft_builder *builder;
    uint32_t call, call_value, operation, bytes, message, size, collective, patterns[2];
    uint32_t *processors, n;
    uint32_t communicator; /* all of them, in order */
    char path[64];
    struct weft_trace *trace;
    struct weft_processors *model;
    struct weft_traffic *traffic;
};

enum pattern { ALL_TO_ALL, PREFIX };

static uint32_t type(struct run *run, enum weft_kind kind, const char *name,
                     enum weft_role role)
{
    uint32_t t =
        weft_builder_type(run->builder, &(struct weft_type){ .kind = kind, .name = name });
    weft_builder_type_role(run->builder, t, role);
    return t;
}

static uint32_t field(struct run *run, uint32_t of, const char *name,
                      enum weft_field_kind kind, enum weft_role role)
{
    uint32_t f = weft_builder_field(run->builder, of, name, kind);
    weft_builder_field_role(run->builder, f, role);
    return f;
}

static void begin(struct run *run, uint32_t n)
{
    static const enum weft_role roles[] = { WEFT_ROLE_ALL_TO_ALL, WEFT_ROLE_PREFIX };
    struct weft_err err;
    memset(run, 0, sizeof *run);
    strcpy(run->path, "/tmp/weft-operations-test.XXXXXX");
    close(mkstemp(run->path));
    run->builder = weft_builder_new(run->path, "test", &err);
    uint32_t rank = type(run, WEFT_CONTAINER, "rank", WEFT_ROLE_RANK);
    uint32_t number = field(run, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    run->call = type(run, WEFT_STATE, "call", WEFT_ROLE_COMMUNICATION);
    run->call_value = weft_builder_value(run->builder, run->call, "call", NULL, 0);
    run->operation =
        field(run, run->call, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION);
    run->bytes = field(run, run->call, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    run->message = type(run, WEFT_LINK, "message", WEFT_ROLE_MESSAGE);
    run->size = field(run, run->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    uint32_t group = type(run, WEFT_CONTAINER, "communicator", WEFT_ROLE_COMMUNICATOR);
    run->collective = type(run, WEFT_EVENT, "collective", WEFT_ROLE_COLLECTIVE_OPERATION);
    for (int i = 0; i < 2; i++) {
        run->patterns[i] = weft_builder_value(run->builder, run->collective,
                                              i ? "prefix" : "all", NULL, 0);
        weft_builder_value_role(run->builder, run->patterns[i], roles[i]);
    }
    run->n = n;
    run->processors = malloc(n * sizeof *run->processors);
    for (uint32_t q = 0; q < n; q++) {
        run->processors[q] = weft_builder_container(run->builder, rank, 0, "p", NULL, 0);
        weft_builder_container_field(
            run->builder, run->processors[q],
            &(struct weft_field_value){ number, { .integer = q } });
    }
    run->communicator = weft_builder_container(run->builder, group, 0, "c", NULL, 0);
}

static uint64_t add_operation(struct run *run, int64_t time, enum pattern pattern)
{
    uint64_t event;
    uint32_t track = weft_builder_track(run->builder, run->communicator, run->collective);
    assert_int_equal(weft_builder_event(run->builder, track, time, run->patterns[pattern],
                                        NULL, 0, &event),
                     WEFT_BUILD_OK);
    return event;
}

static void enter(struct run *run, uint32_t q, int64_t time, uint64_t event, int64_t bytes)
{
    const struct weft_field_value fields[] = { { run->operation, { .entity = event } },
                                               { run->bytes, { .integer = bytes } } };
    uint32_t track = weft_builder_track(run->builder, run->processors[q], run->call);
    assert_int_equal(
        weft_builder_push(run->builder, track, time, run->call_value, fields, 2, NULL),
        WEFT_BUILD_OK);
}

static void leave(struct run *run, uint32_t q, int64_t time)
{
    uint32_t track = weft_builder_track(run->builder, run->processors[q], run->call);
    assert_int_equal(weft_builder_pop(run->builder, track, time, NULL), WEFT_BUILD_OK);
}

static void finish(struct run *run)
{
    struct weft_err err;
    assert_true(weft_builder_finish(run->builder, NULL, &err));
    run->trace = weft_trace_open(run->path, &err);
    assert_non_null(run->trace);
    const struct weft_source *source = weft_trace_source(run->trace);
    run->model = weft_processors_make(source, NULL, &err);
    assert_non_null(run->model);
    assert_int_equal(run->model->n, run->n);
    run->traffic = weft_traffic_make(source, run->model, NULL, &err);
    assert_non_null(run->traffic);
}

static void end(struct run *run)
{
    weft_traffic_free(run->traffic);
    weft_processors_free(run->model);
    weft_trace_close(run->trace);
    unlink(run->path);
    free(run->processors);
}

/* ---- Many processors ---- */

enum { PROCESSORS = 1100, NESTED = 4, ODD_LATER = 50 };

/* Each enters operation K at 10 + K and leaves it at 100 - K, those of odd number later. */
static void many_processors(struct run *run)
{
    uint64_t events[NESTED];
    begin(run, PROCESSORS);
    for (int k = 0; k < NESTED; k++)
        events[k] = add_operation(run, k, ALL_TO_ALL);
    for (uint32_t q = 0; q < PROCESSORS; q++) {
        for (int k = 0; k < NESTED; k++)
            enter(run, q, 10 + k, events[k], q + 1);
        for (int k = NESTED - 1; k >= 0; k--)
            leave(run, q, 100 - k + (q % 2 ? ODD_LATER : 0));
    }
    finish(run);
}

/* Each to each that awaits: TO_EVEN, TO_ODD messages of the sender's bytes. */
static void check_rows(const struct weft_pair_sums *rows, uint64_t to_even, uint64_t to_odd)
{
    size_t at = 0;
    for (uint32_t from = 0; from < PROCESSORS; from++)
        for (uint32_t to = 0; to < PROCESSORS; to++) {
            uint64_t count = to % 2 ? to_odd : to_even;
            if (from == to || !count)
                continue;
            assert_true(at < rows->n);
            const struct weft_pair_sum *row = &rows->rows[at++];
            assert_int_equal(row->from, from);
            assert_int_equal(row->to, to);
            assert_int_equal(row->count, count);
            assert_int_equal(row->bytes, count * (from + 1));
        }
    assert_int_equal(rows->n, at);
    assert_true(rows->capacity <= 2 * rows->n);
}

static void test_memory_is_that_of_the_pairs(void **state)
{
    (void)state;
    struct run run;
    struct weft_pair_sums rows = { 0 };
    const struct weft_traffic_query query = { .collectives = WEFT_COLLECTIVES_MESSAGES };
    many_processors(&run);
    weft_traffic_pending(run.traffic, 50, &query, &rows);
    check_rows(&rows, NESTED, NESTED);
    weft_traffic_pending(run.traffic, 98, &query, &rows); /* the even ones have left two */
    check_rows(&rows, NESTED - 2, NESTED);
    weft_traffic_pending(run.traffic, 120, &query, &rows);
    check_rows(&rows, 0, NESTED);
    weft_traffic_total(run.traffic, (struct weft_span){ 0, 12 }, &query, &rows);
    check_rows(&rows, 2, 2);
    free(rows.rows);
    end(&run);
}

static void test_cancelled(void **state)
{
    (void)state;
    struct run run;
    struct weft_err err;
    struct weft_job job = { .cancelled = true };
    struct weft_pair_sums rows = { 0 };
    const struct weft_traffic_query query = { .collectives = WEFT_COLLECTIVES_MESSAGES,
                                              .job = &job };
    many_processors(&run);
    weft_traffic_pending(run.traffic, 50, &query, &rows);
    assert_int_equal(rows.n, 0); /* nothing was spread */
    weft_traffic_total(run.traffic, (struct weft_span){ 0, 200 }, &query, &rows);
    assert_int_equal(rows.n, 0);
    const struct weft_replay_options options = { .processor = WEFT_NONE, .job = &job };
    struct weft_replay *replay = weft_replay_begin(run.traffic, 0, &options);
    struct weft_replay_step step;
    assert_false(weft_replay_next(replay, &step));
    weft_replay_end(replay);
    assert_null(
        weft_history_make(run.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    free(rows.rows);
    end(&run);
}

/* ---- Many operations ---- */

enum { OPERATIONS = 400, MEMBERS = 6, LAST = 2 * OPERATIONS * MEMBERS };

static uint64_t seed;
static uint64_t roll(uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
    return (seed >> 33) % limit;
}

/*
 * All go on at once; who enters or leaves one next is random, and each does at its own time.
 * HOSTILE: some send the least number of bytes there is, so that sums wrap.
 */
static void many_operations(struct run *run, bool hostile)
{
    uint64_t events[OPERATIONS];
    int inside[MEMBERS] = { 0 };
    int64_t time = 0;
    begin(run, MEMBERS);
    for (int k = 0; k < OPERATIONS; k++)
        events[k] = add_operation(run, 0, roll(2) ? PREFIX : ALL_TO_ALL);
    for (; time < OPERATIONS * MEMBERS; time++) {
        uint32_t q = (uint32_t)roll(MEMBERS);
        while (inside[q] == OPERATIONS)
            q = (q + 1) % MEMBERS;
        enter(run, q, time, events[inside[q]++],
              hostile && !roll(50) ? INT64_MIN : (int64_t)roll(1000));
    }
    for (; time < LAST; time++) {
        uint32_t q = (uint32_t)roll(MEMBERS);
        while (!inside[q])
            q = (q + 1) % MEMBERS;
        leave(run, q, time);
        inside[q]--;
    }
    finish(run);
}

static void raise_to(struct weft_amount *mark, const struct weft_amount *now, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mark[i].messages =
            now[i].messages > mark[i].messages ? now[i].messages : mark[i].messages;
        mark[i].bytes = now[i].bytes > mark[i].bytes ? now[i].bytes : mark[i].bytes;
    }
}

static void check_marks(const struct run *run)
{
    struct weft_err err;
    struct weft_amount out[MEMBERS], in[MEMBERS];
    struct weft_amount high[WEFT_DIRECTIONS][MEMBERS] = { 0 }, found[MEMBERS];
    struct weft_history *history =
        weft_history_make(run->traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, &err);
    assert_non_null(history);
    for (int64_t time = 0; time < LAST; time++) {
        weft_traffic_at(run->traffic, time, WEFT_COLLECTIVES_MESSAGES, out, in);
        raise_to(high[WEFT_OUTGOING], out, MEMBERS);
        raise_to(high[WEFT_INCOMING], in, MEMBERS);
        for (int d = 0; time % 50 == 0 && d < WEFT_DIRECTIONS; d++) {
            memcpy(found, d == WEFT_OUTGOING ? out : in, sizeof found);
            weft_history_high(history, d, time, found);
            assert_memory_equal(found, high[d], sizeof found);
        }
    }
    weft_history_free(history);
}

static void check_queue(const struct run *run, uint32_t processor, int64_t from)
{
    const struct weft_replay_options options = { .processor = processor };
    struct weft_replay *replay = weft_replay_begin(run->traffic, from, &options);
    struct weft_amount in[MEMBERS], pending = weft_replay_pending(replay);
    struct weft_replay_step step = { .time = from };
    do {
        weft_traffic_at(run->traffic, step.time, WEFT_COLLECTIVES_MESSAGES, NULL, in);
        assert_memory_equal(&pending, &in[processor], sizeof pending);
        bool more = weft_replay_next(replay, &step);
        if (!more)
            break;
        pending = step.pending;
    } while (1);
    assert_int_equal(pending.messages, 0);
    weft_replay_end(replay);
}

static void test_queues(void **state)
{
    (void)state;
    struct run run;
    seed = 11;
    many_operations(&run, false);
    check_marks(&run);
    for (uint32_t q = 0; q < MEMBERS; q++)
        check_queue(&run, q, q * LAST / MEMBERS);
    end(&run);
    many_operations(&run, true);
    check_queue(&run, 0, 0);
    check_queue(&run, 1, LAST / 2);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_that_of_the_pairs),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
