/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic of collective operations of which many go on at once: memory is that of the pairs that
 * have messages, and queues are what the sums of a moment say.
 */
#include "tests/random.h"
#include "tests/test.h"
#include "traffic_store.h"

struct operations_run {
    struct traffic_store store;
    uint32_t communicator; /* of all, in order */
};

static void begin(struct operations_run *run, uint32_t n)
{
    traffic_store_begin(&run->store, n);
    run->communicator = weft_builder_container(run->store.builder, run->store.communicator,
                                               0, "c", NULL, 0);
}

static uint64_t add_operation(struct operations_run *run, int64_t time,
                              enum traffic_pattern pattern)
{
    uint64_t event;
    uint32_t track =
        weft_builder_track(run->store.builder, run->communicator, run->store.collective);
    assert_int_equal(weft_builder_event(run->store.builder, track, time,
                                        run->store.patterns[pattern], NULL, 0, &event),
                     WEFT_BUILD_OK);
    return event;
}

static void enter(struct operations_run *run, uint32_t q, int64_t time, uint64_t event,
                  int64_t bytes)
{
    const struct weft_field_value fields[] = {
        { run->store.operation, { .entity = event } },
        { run->store.call_bytes, { .integer = bytes } }
    };
    uint32_t track =
        weft_builder_track(run->store.builder, run->store.processors[q], run->store.call);
    assert_int_equal(weft_builder_push(run->store.builder, track, time,
                                       run->store.call_value, fields, 2, NULL),
                     WEFT_BUILD_OK);
}

static void leave(struct operations_run *run, uint32_t q, int64_t time)
{
    uint32_t track =
        weft_builder_track(run->store.builder, run->store.processors[q], run->store.call);
    assert_int_equal(weft_builder_pop(run->store.builder, track, time, NULL),
                     WEFT_BUILD_OK);
}

/* ---- Many processors ---- */

enum { PROCESSORS = 1100, NESTED = 4, ODD_LATER = 50 };

/* Each enters operation K at 10 + K and leaves it at 100 - K, those of odd number later. */
static void many_processors(struct operations_run *run)
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
    traffic_store_finish(&run->store);
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
    struct operations_run run;
    struct weft_pair_sums rows = { 0 };
    const struct weft_traffic_query query = { .collectives = WEFT_COLLECTIVES_MESSAGES };
    many_processors(&run);
    weft_traffic_pending(run.store.traffic, 50, &query, &rows);
    check_rows(&rows, NESTED, NESTED);
    /* The even ones have left two. */
    weft_traffic_pending(run.store.traffic, 98, &query, &rows);
    check_rows(&rows, NESTED - 2, NESTED);
    weft_traffic_pending(run.store.traffic, 120, &query, &rows);
    check_rows(&rows, 0, NESTED);
    weft_traffic_total(run.store.traffic, (struct weft_span){ 0, 12 }, &query, &rows);
    check_rows(&rows, 2, 2);
    free(rows.rows);
    traffic_store_end(&run.store);
}

static void test_cancelled(void **state)
{
    (void)state;
    struct operations_run run;
    struct weft_err err;
    struct weft_job job = { .cancelled = true };
    struct weft_pair_sums rows = { 0 };
    const struct weft_traffic_query query = { .collectives = WEFT_COLLECTIVES_MESSAGES,
                                              .job = &job };
    many_processors(&run);
    weft_traffic_pending(run.store.traffic, 50, &query, &rows);
    assert_int_equal(rows.n, 0); /* nothing was spread */
    weft_traffic_total(run.store.traffic, (struct weft_span){ 0, 200 }, &query, &rows);
    assert_int_equal(rows.n, 0);
    const struct weft_replay_options options = { .processor = WEFT_NONE, .job = &job };
    struct weft_replay *replay = weft_replay_begin(run.store.traffic, 0, &options);
    struct weft_replay_step step;
    assert_false(weft_replay_next(replay, &step));
    weft_replay_end(replay);
    assert_null(weft_history_make(run.store.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE,
                                  &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    free(rows.rows);
    traffic_store_end(&run.store);
}

/* ---- Many operations ---- */

enum { OPERATIONS = 400, MEMBERS = 6, LAST = 2 * OPERATIONS * MEMBERS };

/*
 * All go on at once; who enters or leaves one next is random, and each does at its own time.
 * HOSTILE: some send the least number of bytes there is, so that sums wrap.
 */
static void many_operations(struct operations_run *run, bool hostile)
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
    traffic_store_finish(&run->store);
}

static void raise_to(struct weft_amount *mark, const struct weft_amount *now, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mark[i].messages =
            now[i].messages > mark[i].messages ? now[i].messages : mark[i].messages;
        mark[i].bytes = now[i].bytes > mark[i].bytes ? now[i].bytes : mark[i].bytes;
    }
}

static void check_marks(const struct operations_run *run)
{
    struct weft_err err;
    struct weft_amount out[MEMBERS], in[MEMBERS];
    struct weft_amount high[WEFT_DIRECTIONS][MEMBERS] = { 0 }, found[MEMBERS];
    struct weft_history *history = weft_history_make(
        run->store.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, &err);
    assert_non_null(history);
    for (int64_t time = 0; time < LAST; time++) {
        weft_traffic_at(run->store.traffic, time, WEFT_COLLECTIVES_MESSAGES, out, in);
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

static void check_queue(const struct operations_run *run, uint32_t processor, int64_t from)
{
    const struct weft_replay_options options = { .processor = processor };
    struct weft_replay *replay = weft_replay_begin(run->store.traffic, from, &options);
    struct weft_amount in[MEMBERS], pending = weft_replay_pending(replay);
    struct weft_replay_step step = { .time = from };
    do {
        weft_traffic_at(run->store.traffic, step.time, WEFT_COLLECTIVES_MESSAGES, NULL, in);
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
    struct operations_run run;
    roll_from(11);
    many_operations(&run, false);
    check_marks(&run);
    for (uint32_t q = 0; q < MEMBERS; q++)
        check_queue(&run, q, q * LAST / MEMBERS);
    traffic_store_end(&run.store);
    many_operations(&run, true);
    check_queue(&run, 0, 0);
    check_queue(&run, 1, LAST / 2);
    traffic_store_end(&run.store);
}

/*
 * A barrier and an exchange without a byte, each of three: the calls do not say which is
 * which, as those that begin an operation in the background do not.
 */
static void test_barriers(void **state)
{
    (void)state;
    struct operations_run run;
    begin(&run, 3);
    const uint64_t events[] = { add_operation(&run, 0, ALL_WAIT),
                                add_operation(&run, 20, ALL_TO_ALL) };
    for (int k = 0; k < 2; k++)
        for (uint32_t q = 0; q < 3; q++) {
            enter(&run, q, 20 * k + 5, events[k], 0);
            leave(&run, q, 20 * k + 15);
        }
    traffic_store_finish(&run.store);
    const struct weft_traffic *traffic = run.store.traffic;
    assert_int_equal(traffic->n_collectives, 2);
    assert_int_equal(traffic->n_barriers, 1);
    for (int k = 0; k < 2; k++) {
        int64_t time = 20 * k + 10;
        assert_int_equal(
            weft_traffic_at(traffic, time, WEFT_COLLECTIVES_DATA, NULL, NULL).messages,
            k ? 6 : 0);
        assert_int_equal(
            weft_traffic_at(traffic, time, WEFT_COLLECTIVES_MESSAGES, NULL, NULL).messages,
            6);
    }
    traffic_store_end(&run.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_that_of_the_pairs),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
