/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic of random runs against a list of all messages, those of collective operations one by
 * one: what is pending at every time, totals of windows, queues and their high-water marks,
 * curves; and of a run of a page, whose numbers are worked out here.
 */
#include <math.h>

#include "tests/random.h"
#include "tests/test.h"
#include "traffic_store.h"

enum { MAX_PROCESSORS = 9, MAX_MESSAGES = 40000, MAX_CALLS = 4000 };

/* A call of a processor, in the order in which it made them. */
struct call {
    uint32_t processor;
    int64_t entry, exit;
    int operation; /* or -1 */
};

struct message {
    uint32_t from, to;
    int64_t bytes;
    int send, receive; /* calls; receive -1: never */
    bool collective;
};

struct random_run {
    struct traffic_store store;
    struct call calls[MAX_CALLS];
    int n_calls;
    struct message messages[MAX_MESSAGES];
    int n_messages;
    int64_t end;
};

/* ---- Building ---- */

static void begin_run(struct random_run *run, uint32_t n)
{
    memset(run, 0, sizeof *run);
    traffic_store_begin(&run->store, n);
    weft_builder_index_field(run->store.builder, run->store.operation);
}

/* A call, its state and its number; those of a processor come in order of time. */
static int add_call(struct random_run *run, uint32_t processor, int64_t entry, int64_t exit,
                    int operation, uint64_t event, int64_t bytes, uint64_t *id)
{
    const struct weft_field_value fields[] = {
        { run->store.operation, { .entity = event } },
        { run->store.call_bytes, { .integer = bytes } },
    };
    uint32_t track = weft_builder_track(run->store.builder,
                                        run->store.processors[processor], run->store.call);
    assert_true(run->n_calls < MAX_CALLS);
    assert_int_equal(weft_builder_push(run->store.builder, track, entry,
                                       run->store.call_value, fields, operation < 0 ? 0 : 2,
                                       id),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(run->store.builder, track, exit, NULL),
                     WEFT_BUILD_OK);
    run->calls[run->n_calls] = (struct call){ processor, entry, exit, operation };
    run->end = exit > run->end ? exit : run->end;
    return run->n_calls++;
}

static void add_message(struct random_run *run, struct message message, uint64_t send,
                        uint64_t receive, int64_t last)
{
    assert_true(run->n_messages < MAX_MESSAGES);
    run->messages[run->n_messages++] = message;
    if (message.collective)
        return;
    struct weft_link link = {
        .type = run->store.message,
        .value = WEFT_NONE,
        .key = WEFT_NONE,
        .from = run->store.processors[message.from],
        .to = run->store.processors[message.to],
        .begin = run->calls[message.send].entry,
        .end = message.receive < 0 ? last : run->calls[message.receive].exit,
        .from_entity = send,
        .to_entity = receive,
        .flags = message.receive < 0 ? WEFT_END_IMPLIED : 0,
    };
    weft_builder_link(
        run->store.builder, &link,
        &(struct weft_field_value){ run->store.size, { .integer = message.bytes } }, 1);
}

/* ---- What is expected ---- */

static bool counts(const struct message *message, bool with_collectives)
{
    return with_collectives || !message->collective;
}

static bool is_pending(const struct random_run *run, const struct message *message,
                       int64_t time)
{
    return run->calls[message->send].entry <= time
           && (message->receive < 0 || run->calls[message->receive].exit > time);
}

static struct weft_amount expected_pair(const struct random_run *run, uint32_t from,
                                        uint32_t to, int64_t time, bool with_collectives)
{
    struct weft_amount sum = { 0 };
    for (int i = 0; i < run->n_messages; i++) {
        const struct message *message = &run->messages[i];
        if (message->from == from && message->to == to && counts(message, with_collectives)
            && is_pending(run, message, time)) {
            sum.messages++;
            sum.bytes += message->bytes;
        }
    }
    return sum;
}

/* ROWS are all pairs with messages, in order, and EXPECTED[n][n] says what each has. */
static void check_rows(const struct weft_pair_sums *rows,
                       const struct weft_amount *expected, uint32_t n)
{
    size_t at = 0;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            const struct weft_amount *cell = &expected[from * n + to];
            if (!cell->messages)
                continue;
            assert_true(at < rows->n);
            assert_int_equal(rows->rows[at].from, from);
            assert_int_equal(rows->rows[at].to, to);
            assert_int_equal(rows->rows[at].count, cell->messages);
            assert_int_equal(rows->rows[at].bytes, cell->bytes);
            at++;
        }
    assert_int_equal(at, rows->n);
}

static void fold(const struct weft_amount *cells, uint32_t n, const uint32_t *group_of,
                 uint32_t n_groups, struct weft_amount *out)
{
    memset(out, 0, n_groups * n_groups * sizeof *out);
    for (uint32_t i = 0; i < n * n; i++) {
        struct weft_amount *cell = &out[group_of[i / n] * n_groups + group_of[i % n]];
        cell->messages += cells[i].messages;
        cell->bytes += cells[i].bytes;
    }
}

static void check_moment(const struct random_run *run, int64_t time, bool with_collectives)
{
    enum { MAX_CELLS = MAX_PROCESSORS * MAX_PROCESSORS };
    struct weft_amount cells[MAX_CELLS] = { 0 }, folded[MAX_CELLS], all = { 0 };
    struct weft_amount out[MAX_PROCESSORS] = { 0 }, in[MAX_PROCESSORS] = { 0 };
    struct weft_amount found_out[MAX_PROCESSORS], found_in[MAX_PROCESSORS];
    const uint32_t group_of[MAX_PROCESSORS] = { 0, 0, 1, 1, 2, 2, 0, 1, 2 };
    struct weft_pair_sums rows = { 0 };
    struct weft_traffic_query query = { .collectives = with_collectives
                                                           ? WEFT_COLLECTIVES_MESSAGES
                                                           : WEFT_COLLECTIVES_NONE };
    for (uint32_t i = 0; i < run->store.n * run->store.n; i++) {
        uint32_t from = i / run->store.n, to = i % run->store.n;
        cells[i] = expected_pair(run, from, to, time, with_collectives);
        struct weft_amount *const sums[] = { &all, &out[from], &in[to] };
        for (size_t k = 0; k < 3; k++) {
            sums[k]->messages += cells[i].messages;
            sums[k]->bytes += cells[i].bytes;
        }
    }
    weft_traffic_pending(run->store.traffic, time, &query, &rows);
    check_rows(&rows, cells, run->store.n);
    query.group_of = group_of;
    query.n_groups = 3;
    fold(cells, run->store.n, group_of, 3, folded);
    weft_traffic_pending(run->store.traffic, time, &query, &rows);
    check_rows(&rows, folded, 3);
    free(rows.rows);
    struct weft_amount found =
        weft_traffic_at(run->store.traffic, time, query.collectives, found_out, found_in);
    assert_memory_equal(&found, &all, sizeof all);
    assert_memory_equal(found_out, out, run->store.n * sizeof *out);
    assert_memory_equal(found_in, in, run->store.n * sizeof *in);
}

static void check_window(const struct random_run *run, struct weft_span window,
                         bool with_collectives)
{
    enum { MAX_CELLS = MAX_PROCESSORS * MAX_PROCESSORS };
    struct weft_amount cells[MAX_CELLS] = { 0 }, folded[MAX_CELLS];
    const uint32_t group_of[MAX_PROCESSORS] = { 1, 0, 1, 0, 1, 0, 1, 0, 1 };
    struct weft_pair_sums rows = { 0 };
    struct weft_traffic_query query = { .collectives = with_collectives
                                                           ? WEFT_COLLECTIVES_GROUP
                                                           : WEFT_COLLECTIVES_NONE };
    for (int i = 0; i < run->n_messages; i++) {
        const struct message *message = &run->messages[i];
        int64_t sent = run->calls[message->send].entry;
        if (!counts(message, with_collectives) || sent < window.begin || sent >= window.end)
            continue;
        cells[message->from * run->store.n + message->to].messages++;
        cells[message->from * run->store.n + message->to].bytes += message->bytes;
    }
    weft_traffic_total(run->store.traffic, window, &query, &rows);
    check_rows(&rows, cells, run->store.n);
    query.group_of = group_of;
    query.n_groups = 2;
    fold(cells, run->store.n, group_of, 2, folded);
    weft_traffic_total(run->store.traffic, window, &query, &rows);
    check_rows(&rows, folded, 2);
    free(rows.rows);
}

/* ---- Changes one by one ---- */

enum kind { SEND, RECEIVE, ENTRY, EXIT };
enum message_state { NOT_SENT, ON_ITS_WAY, GONE };
struct change {
    int call;
    enum kind kind;
    bool done;
};

struct replayed {
    struct weft_amount pending, peak;
    struct weft_amount high[WEFT_DIRECTIONS][MAX_PROCESSORS];
    struct weft_amount queue[WEFT_DIRECTIONS][MAX_PROCESSORS];
    struct weft_amount most;
};

static void raise_to(struct weft_amount *peak, struct weft_amount now)
{
    peak->messages = now.messages > peak->messages ? now.messages : peak->messages;
    peak->bytes = now.bytes > peak->bytes ? now.bytes : peak->bytes;
}

/* All messages that a call sends (or receives) come into the queues (or leave them). */
static void apply(const struct random_run *run, const struct change *change,
                  enum message_state *is_on_its_way, struct replayed *now)
{
    bool sends = change->kind == SEND || change->kind == ENTRY;
    for (int i = 0; i < run->n_messages; i++) {
        const struct message *message = &run->messages[i];
        bool collective = change->kind == ENTRY || change->kind == EXIT;
        if (message->collective != collective
            || (sends ? message->send : message->receive) != change->call)
            continue;
        if (sends && message->receive >= 0
            && run->calls[message->receive].exit < run->calls[message->send].entry)
            continue;
        if (is_on_its_way[i] == GONE || (!sends && is_on_its_way[i] != ON_ITS_WAY)) {
            is_on_its_way[i] = GONE; /* received first: a tachyon, if of no time */
            continue;
        }
        is_on_its_way[i] = sends ? ON_ITS_WAY : GONE;
        struct weft_amount *const sums[] = { &now->pending,
                                             &now->queue[WEFT_OUTGOING][message->from],
                                             &now->queue[WEFT_INCOMING][message->to] };
        for (int k = 0; k < 3; k++) {
            sums[k]->messages += sends ? 1 : -1;
            sums[k]->bytes += sends ? message->bytes : -message->bytes;
        }
    }
    raise_to(&now->peak, now->pending);
    for (int d = 0; d < WEFT_DIRECTIONS; d++)
        for (uint32_t q = 0; q < run->store.n; q++)
            raise_to(&now->high[d][q], now->queue[d][q]);
}

/* A processor's next change: of its first call that has one left, the entry before the exit. */
static struct change *next_of(const struct random_run *run, struct change *changes, int n,
                              uint32_t processor)
{
    for (int i = 0; i < n; i++)
        if (!changes[i].done && run->calls[changes[i].call].processor == processor)
            return &changes[i];
    return NULL;
}

/* Whether a message that is ever pending is sent, or received, by a call. */
static bool has_message(const struct random_run *run, int call, bool sends)
{
    for (int i = 0; i < run->n_messages; i++) {
        const struct message *message = &run->messages[i];
        if (!message->collective && (sends ? message->send : message->receive) == call
            && (message->receive < 0
                || run->calls[message->receive].exit >= run->calls[message->send].entry))
            return true;
    }
    return false;
}

/*
 * The changes of TIME, in order of calls; entries stand before exits.  Calls that do nothing (a
 * receive's entry, a send's exit) hold up no other change.
 */
static int changes_at(const struct random_run *run, int64_t time, struct change *changes)
{
    int n = 0;
    for (int c = 0; c < run->n_calls; c++) {
        const struct call *call = &run->calls[c];
        bool collective = call->operation >= 0;
        if (call->entry == time && (collective || has_message(run, c, true)))
            changes[n++] = (struct change){ c, collective ? ENTRY : SEND, false };
        if (call->exit == time && (collective || has_message(run, c, false)))
            changes[n++] = (struct change){ c, collective ? EXIT : RECEIVE, false };
    }
    return n;
}

static void replay_time(const struct random_run *run, int64_t time,
                        enum message_state *is_on_its_way, struct replayed *now)
{
    struct change changes[2 * MAX_CALLS], *first;
    int n = changes_at(run, time, changes);
    now->peak = now->pending;
    do {
        first = NULL;
        for (uint32_t q = 0; q < run->store.n; q++) {
            struct change *next = next_of(run, changes, n, q);
            if (next && (!first || next->kind < first->kind))
                first = next;
        }
        if (first) {
            apply(run, first, is_on_its_way, now);
            first->done = true;
        }
    } while (first);
    raise_to(&now->most, now->peak);
}

static void check_replay(const struct random_run *run)
{
    struct weft_err err;
    struct weft_history *history = weft_history_make(
        run->store.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, &err);
    struct weft_replay_options options = { .processor = WEFT_NONE };
    struct weft_replay *replay = weft_replay_begin(run->store.traffic, -1, &options);
    struct weft_replay_step step = { .time = INT64_MIN };
    enum message_state *is_on_its_way = calloc(MAX_MESSAGES, sizeof *is_on_its_way);
    struct replayed *now = calloc(1, sizeof *now);
    assert_true(weft_replay_next(replay, &step));
    for (int64_t time = 0; time <= run->end; time++) {
        replay_time(run, time, is_on_its_way, now);
        if (step.time == time) {
            assert_memory_equal(&step.pending, &now->pending, sizeof step.pending);
            assert_memory_equal(&step.peak, &now->peak, sizeof step.peak);
            if (!weft_replay_next(replay, &step))
                step.time = INT64_MAX;
        }
        struct weft_amount marks[WEFT_DIRECTIONS][MAX_PROCESSORS];
        weft_traffic_at(run->store.traffic, time, WEFT_COLLECTIVES_MESSAGES,
                        marks[WEFT_OUTGOING], marks[WEFT_INCOMING]);
        for (int d = 0; d < WEFT_DIRECTIONS; d++) {
            weft_history_high(history, d, time, marks[d]);
            assert_memory_equal(marks[d], now->high[d], run->store.n * sizeof marks[d][0]);
        }
    }
    struct weft_amount peak = weft_history_peak(history);
    assert_memory_equal(&peak, &now->most, sizeof peak);
    weft_replay_end(replay);
    weft_history_free(history);
    free(is_on_its_way);
    free(now);
}

/* From every time on, and for one processor. */
static void check_from_anywhere(const struct random_run *run, int64_t from,
                                uint32_t processor)
{
    struct weft_replay_options options = { .processor = processor };
    struct weft_replay *replay = weft_replay_begin(run->store.traffic, from, &options);
    struct weft_amount in[MAX_PROCESSORS], all, pending = weft_replay_pending(replay);
    struct weft_replay_step step = { .time = from };
    do {
        all = weft_traffic_at(run->store.traffic, step.time, options.collectives, NULL, in);
        all = processor == WEFT_NONE ? all : in[processor];
        assert_memory_equal(&pending, &all, sizeof all);
        if (!weft_replay_next(replay, &step))
            break;
        pending = step.pending;
    } while (1);
    weft_replay_end(replay);
}

/* ---- Random runs ---- */

/* Members of a communicator, perhaps not in order, as a text: "3,0-1". */
static uint32_t add_communicator(struct random_run *run, uint32_t *members,
                                 uint32_t *n_members)
{
    char text[200] = "", one[16];
    *n_members = 2 + (uint32_t)roll(run->store.n - 1);
    bool taken[MAX_PROCESSORS] = { false };
    for (uint32_t i = 0; i < *n_members; i++) {
        do {
            members[i] = (uint32_t)roll(run->store.n);
        } while (taken[members[i]]);
        taken[members[i]] = true;
    }
    for (uint32_t i = 0, last; i < *n_members; i = last + 1) {
        for (last = i; last + 1 < *n_members && members[last + 1] == members[last] + 1;)
            last++;
        snprintf(one, sizeof one, last > i ? "%s%u-%u" : "%s%u", i ? "," : "", members[i],
                 members[last]);
        strcat(text, one);
    }
    uint32_t c = weft_builder_container(run->store.builder, run->store.communicator, 0, "c",
                                        NULL, 0);
    uint32_t index = weft_builder_string(run->store.builder, text, strlen(text));
    weft_builder_container_field(
        run->store.builder, c,
        &(struct weft_field_value){ run->store.members, { .index = index } });
    return c;
}

static bool sends_to(int pattern, uint32_t root, uint32_t from, uint32_t to)
{
    switch (pattern) {
    case 0: return from == root && to != root;
    case 1: return to == root && from != root;
    case 2: return from != to;
    default: return from < to;
    }
}

/* An operation that its members enter and leave at times of their own after BUSY. */
static void add_operation(struct random_run *run, uint32_t communicator,
                          const uint32_t *members, uint32_t n, int number, int64_t *busy)
{
    int pattern = (int)roll(4), calls[MAX_PROCESSORS];
    uint32_t root = (uint32_t)roll(n);
    int64_t entries[MAX_PROCESSORS], first = INT64_MAX, bytes[MAX_PROCESSORS];
    uint64_t event, id;
    for (uint32_t i = 0; i < n; i++) {
        entries[i] = busy[members[i]] + (int64_t)roll(4);
        first = entries[i] < first ? entries[i] : first;
        bytes[i] = (int64_t)roll(50);
    }
    uint32_t track =
        weft_builder_track(run->store.builder, communicator, run->store.collective);
    struct weft_field_value of_root = { run->store.root, { .integer = members[root] } };
    if (weft_builder_event(run->store.builder, track, first, run->store.patterns[pattern],
                           &of_root, pattern < 2, &event)
        != WEFT_BUILD_OK)
        return; /* earlier than the one before on this communicator */
    for (uint32_t i = 0; i < n; i++) {
        int64_t exit = entries[i] + (int64_t)roll(6);
        calls[i] =
            add_call(run, members[i], entries[i], exit, number, event, bytes[i], &id);
        busy[members[i]] = exit;
    }
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            if (sends_to(pattern, root, from, to))
                add_message(run,
                            (struct message){ members[from], members[to], bytes[from],
                                              calls[from], calls[to], true },
                            0, 0, 0);
}

static void random_run(struct random_run *run, int n_things)
{
    enum { COMMUNICATORS = 3, MAX_LOST = 100 };
    uint32_t members[COMMUNICATORS][MAX_PROCESSORS], n_members[COMMUNICATORS];
    uint32_t communicators[COMMUNICATORS];
    int64_t busy[MAX_PROCESSORS] = { 0 };
    uint64_t send, receive, lost_sends[MAX_LOST];
    struct message lost_messages[MAX_LOST];
    int n_lost = 0;
    begin_run(run, 2 + (uint32_t)roll(MAX_PROCESSORS - 1));
    for (int c = 0; c < COMMUNICATORS; c++)
        communicators[c] = add_communicator(run, members[c], &n_members[c]);
    for (int i = 0; i < n_things; i++) {
        if (roll(8) == 0) {
            int c = (int)roll(COMMUNICATORS);
            add_operation(run, communicators[c], members[c], n_members[c], i, busy);
            continue;
        }
        uint32_t from = (uint32_t)roll(run->store.n), to = (uint32_t)roll(run->store.n);
        int64_t entry = busy[from] + (int64_t)roll(4), exit = entry + (int64_t)roll(3);
        int sent = add_call(run, from, entry, exit, -1, 0, 0, &send), got;
        busy[from] = exit;
        if (roll(20) == 0) { /* nobody receives it */
            struct message lost = { from, to, (int64_t)roll(100), sent, -1, false };
            lost_sends[n_lost] = send;
            lost_messages[n_lost++] = lost;
            continue;
        }
        entry = busy[to] + (int64_t)roll(3); /* perhaps a tachyon */
        exit = entry + (int64_t)roll(9);
        got = add_call(run, to, entry, exit, -1, 0, 0, &receive);
        busy[to] = exit;
        add_message(run, (struct message){ from, to, (int64_t)roll(100), sent, got, false },
                    send, receive, 0);
    }
    for (int i = 0; i < n_lost; i++)
        add_message(run, lost_messages[i], lost_sends[i], WEFT_NO_ID, run->end);
    traffic_store_finish(&run->store);
}

static void check_curve(const struct random_run *run, struct weft_span window, size_t n)
{
    struct weft_err err;
    struct weft_level columns[16];
    struct weft_history *history = weft_history_make(
        run->store.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, &err);
    weft_history_columns(history, window, n, columns);
    for (size_t i = 0; i < n; i++) {
        int64_t ticks = window.end - window.begin, sum = 0, sum_bytes = 0;
        int64_t from = window.begin + ticks * (int64_t)i / (int64_t)n;
        int64_t to = window.begin + ticks * ((int64_t)i + 1) / (int64_t)n;
        to = to > from ? to : from + 1;
        for (int64_t t = from; t < to; t++) {
            struct weft_amount all = weft_traffic_at(run->store.traffic, t,
                                                     WEFT_COLLECTIVES_MESSAGES, NULL, NULL);
            sum += all.messages;
            sum_bytes += all.bytes;
            assert_true(columns[i].peak.messages >= all.messages);
            assert_true(columns[i].peak.bytes >= all.bytes);
        }
        assert_true(llabs((long long)(columns[i].mean_messages * (double)(to - from) * 1000)
                          - sum * 1000)
                    < 10);
        assert_true(llabs((long long)(columns[i].mean_bytes * (double)(to - from) * 1000)
                          - sum_bytes * 1000)
                    < 10);
    }
    weft_history_free(history);
}

/* LEVEL[time][of bytes] is what is pending, if it is given. */
static void check_fullest(const struct random_run *run, const struct weft_history *history,
                          struct weft_span window, const int64_t (*level)[2])
{
    struct weft_err err;
    for (int bytes = 0; bytes < 2; bytes++) {
        int64_t most = 0, when = window.end, found;
        for (int64_t t = window.begin; t < window.end; t++) {
            struct weft_amount all =
                level ? (struct weft_amount){ level[t][0], level[t][1] }
                      : weft_traffic_at(run->store.traffic, t, WEFT_COLLECTIVES_MESSAGES,
                                        NULL, NULL);
            int64_t now = bytes ? all.bytes : all.messages;
            when = now > most ? t : when;
            most = now > most ? now : most;
        }
        assert_true(weft_history_fullest(history, window, bytes, &found, NULL, &err));
        assert_int_equal(found, when);
    }
}

static void check_fullest_of_windows(const struct random_run *run)
{
    struct weft_err err;
    struct weft_history *history = weft_history_make(
        run->store.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, &err);
    for (int i = 0; i < 20; i++) {
        int64_t a = (int64_t)roll((uint64_t)run->end + 2),
                b = (int64_t)roll((uint64_t)run->end + 3);
        check_fullest(run, history, (struct weft_span){ a < b ? a : b, a < b ? b : a },
                      NULL);
    }
    weft_history_free(history);
}

static void test_random(void **state)
{
    (void)state;
    struct random_run *run = malloc(sizeof *run);
    for (uint64_t seed = 1; seed < 60; seed++) {
        roll_from(seed);
        random_run(run, 5 + (int)roll(60));
        for (int64_t t = -2; t <= run->end + 2; t++)
            for (int with = 0; with < 2; with++)
                check_moment(run, t, with);
        for (int i = 0; i < 40; i++) {
            int64_t a = (int64_t)roll((uint64_t)run->end + 2),
                    b = (int64_t)roll((uint64_t)run->end + 3);
            check_window(run, (struct weft_span){ a < b ? a : b, a < b ? b : a }, i % 2);
        }
        check_replay(run);
        for (int i = 0; i < 10; i++) {
            check_from_anywhere(run, (int64_t)roll((uint64_t)run->end), WEFT_NONE);
            check_from_anywhere(run, (int64_t)roll((uint64_t)run->end),
                                (uint32_t)roll(run->store.n));
        }
        check_fullest_of_windows(run);
        check_curve(run, (struct weft_span){ 0, run->end + 1 }, 7);
        check_curve(run, (struct weft_span){ run->end / 3, run->end / 3 + 3 }, 16);
        traffic_store_end(&run->store);
    }
    free(run);
}

/*
 * Many changes at each of few times, as of a machine with many processors and a coarse clock: too
 * many to be replayed for a picture, and each column is right to a message.
 */
static void test_many_at_once(void **state)
{
    (void)state;
    enum { TIMES = 30, APART = 7, AT_ONCE = 250, LAST = (TIMES + 1) * APART, COLUMNS = 60 };
    static int64_t level[LAST + 1][2], peak[LAST + 1][2]; /* by tick: messages, bytes */
    struct random_run *run = malloc(sizeof *run);
    roll_from(7);
    begin_run(run, 4);
    for (int i = 0; i < TIMES * AT_ONCE; i++) {
        int64_t sent = i / AT_ONCE * APART, bytes = (int64_t)roll(100);
        int64_t received = sent + APART * (1 + (int64_t)roll(4));
        received = received < LAST ? received : LAST;
        struct weft_link link = { .type = run->store.message,
                                  .value = WEFT_NONE,
                                  .key = WEFT_NONE,
                                  .from = run->store.processors[roll(4)],
                                  .to = run->store.processors[roll(4)],
                                  .begin = sent,
                                  .end = received,
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        weft_builder_link(
            run->store.builder, &link,
            &(struct weft_field_value){ run->store.size, { .integer = bytes } }, 1);
        for (int64_t t = sent; t <= received; t++) {
            bool on = t < received; /* at the time of a receipt the sends come first */
            level[t][0] += on;
            level[t][1] += on ? bytes : 0;
            peak[t][0]++;
            peak[t][1] += bytes;
        }
    }
    traffic_store_finish(&run->store);
    struct weft_err err;
    struct weft_history *history = weft_history_make(
        run->store.traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, &err);
    assert_non_null(history);
    for (int round = 0; round < 300; round++) {
        int64_t from = (int64_t)roll(LAST / 2), length = LAST / 2 + (int64_t)roll(40);
        length = from + length > LAST ? LAST - from : length;
        check_fullest(run, history, (struct weft_span){ from, from + length }, level);
        size_t n = 1 + roll(COLUMNS);
        struct weft_level columns[COLUMNS];
        weft_history_columns(history, (struct weft_span){ from, from + length }, n,
                             columns);
        for (size_t c = 0; c < n; c++) {
            int64_t begin = from + length * (int64_t)c / (int64_t)n, most[2] = { 0 };
            int64_t after = from + length * (int64_t)(c + 1) / (int64_t)n;
            double sums[2] = { 0 };
            after = after > begin ? after : begin + 1;
            for (int64_t t = begin; t < after; t++)
                for (int k = 0; k < 2; k++) {
                    sums[k] += (double)level[t][k];
                    most[k] = peak[t][k] > most[k] ? peak[t][k] : most[k];
                }
            assert_int_equal(columns[c].peak.messages, most[0]);
            assert_int_equal(columns[c].peak.bytes, most[1]);
            double ticks = (double)(after - begin);
            assert_true(fabs(columns[c].mean_messages - sums[0] / ticks) < 0.01);
            assert_true(fabs(columns[c].mean_bytes - sums[1] / ticks) < 0.01);
        }
    }
    weft_history_free(history);
    traffic_store_end(&run->store);
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
