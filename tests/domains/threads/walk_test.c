/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random traces of threads that wait for each other, walked back from random moments; and a
 * slow, obvious second implementation, which goes back tick by tick through tables of what
 * each row did.  Both must say the same of every tick.
 */
#include "analyse/blame.h"
#include "analyse/time_by_activity_and_place.h"
#include "analyse/walk_back_through_causes.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { ROWS = 5, END = 300, TRACES = 200, WALKS = 20, STATES_MAX = 4096, NO_STATE = -1 };

enum { RUNS, READY, BLOCKED, SLEEPS, READS, ODD, KINDS };

static const enum weft_activity_class class_of_kind[KINDS] = {
    WEFT_ACTIVITY_WORK,    WEFT_ACTIVITY_READY,   WEFT_ACTIVITY_WAITING,
    WEFT_ACTIVITY_OUTSIDE, WEFT_ACTIVITY_OUTSIDE, WEFT_ACTIVITY_UNKNOWN,
};

static const enum weft_role role_of_kind[KINDS] = {
    WEFT_ROLE_RUNNING,
    WEFT_ROLE_READY,
    WEFT_ROLE_BLOCKED,
    WEFT_ROLE_SLEEPING,
    WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT,
    WEFT_ROLE_NONE,
};

/* A state of the trace, as the generator made it. */
struct made {
    int row, kind;
    int64_t begin, end;
    uint64_t id; /* while building */
    bool released;
    int by;
    int64_t at;
};

static struct made states[STATES_MAX];
static int n_states;
static struct {
    int64_t begin, end;
    bool scheduled, calls; /* the row has such a track */
    int creator;           /* or -1 */
    int64_t created;
    int what[END], call[END]; /* by tick: index in `states`, or NO_STATE */
} rows[ROWS];

static struct {
    struct weft_builder *builder;
    uint32_t thread, state, call, wake, spawn;
    uint32_t values[KINDS], call_values[KINDS];
    uint32_t containers[ROWS];
} store;

static int64_t roll_between(int64_t low, int64_t high)
{
    return low + (int64_t)roll((uint64_t)(high - low + 1));
}

static void define(void)
{
    struct weft_builder *b = store.builder;
    store.thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    store.state = add_type(b, WEFT_STATE, store.thread, "State", WEFT_ROLE_ACTIVITY);
    store.call = add_type(b, WEFT_STATE, store.thread, "Call", WEFT_ROLE_COMMUNICATION);
    store.wake = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                           .parent = 0,
                                                           .name = "Wake",
                                                           .role = WEFT_ROLE_WAKE_UP,
                                                           .start_type = store.thread,
                                                           .end_type = store.thread });
    store.spawn = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                            .parent = 0,
                                                            .name = "Spawn",
                                                            .role = WEFT_ROLE_SPAWN,
                                                            .start_type = store.thread,
                                                            .end_type = store.thread });
    for (int k = 0; k < KINDS; k++) {
        char name[] = { (char)('a' + k), 0 };
        store.values[k] = add_value(b, store.state, name, role_of_kind[k]);
        store.call_values[k] = add_value(b, store.call, name, role_of_kind[k]);
    }
}

/* Opens and closes a state of ROW; a wait may be interrupted by work inside it. */
static void make_state(int row, bool is_call, int kind, int64_t begin, int64_t end)
{
    uint32_t track = weft_builder_track(store.builder, store.containers[row],
                                        is_call ? store.call : store.state);
    const uint32_t *values = is_call ? store.call_values : store.values;
    int *table = is_call ? rows[row].call : rows[row].what;
    int index = n_states++;
    assert_true(index < STATES_MAX);
    states[index] = (struct made){ .row = row, .kind = kind, .begin = begin, .end = end };
    assert_int_equal(weft_builder_push(store.builder, track, begin, values[kind], NULL, 0,
                                       &states[index].id),
                     WEFT_BUILD_OK);
    for (int64_t t = begin; t < end; t++)
        table[t] = index;
    if (!is_call && kind == BLOCKED && end - begin > 3 && roll(3) == 0)
        make_state(row, false, RUNS, begin + 1, roll_between(begin + 2, end));
    assert_int_equal(weft_builder_pop(store.builder, track, end, NULL), WEFT_BUILD_OK);
}

static void make_track(int row, bool is_call)
{
    for (int64_t t = rows[row].begin; t < rows[row].end;) {
        int64_t end = t + roll_between(1, 12);
        if (end > rows[row].end)
            end = rows[row].end;
        if (roll(5))
            make_state(row, is_call, (int)roll(KINDS), t, end);
        t = end;
    }
}

static void make_row(int row)
{
    rows[row].begin = row ? roll_between(0, END / 3) : 0;
    rows[row].end = roll_between(END / 2, END);
    rows[row].scheduled = roll(4) != 0;
    rows[row].calls = !rows[row].scheduled || roll(2);
    rows[row].creator = -1;
    for (int t = 0; t < END; t++)
        rows[row].what[t] = rows[row].call[t] = NO_STATE;
    store.containers[row] =
        weft_builder_container(store.builder, store.thread, 0, "t", NULL, rows[row].begin);
    if (rows[row].scheduled)
        make_track(row, false);
    if (rows[row].calls)
        make_track(row, true);
}

static void make_link(uint32_t type, int from, int64_t begin, int to, int64_t end,
                      uint64_t to_entity)
{
    weft_builder_link(store.builder,
                      &(struct weft_link){ .type = type,
                                           .container = 0,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = store.containers[from],
                                           .to = store.containers[to],
                                           .begin = begin,
                                           .end = end,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = to_entity },
                      NULL, 0);
}

/* Most waits are ended by another row, at any time before, also before their begin. */
static void make_releases(void)
{
    for (int i = 0; i < n_states; i++) {
        struct made *wait = &states[i];
        if (class_of_kind[wait->kind] != WEFT_ACTIVITY_WAITING
            && class_of_kind[wait->kind] != WEFT_ACTIVITY_OUTSIDE)
            continue;
        if (roll(4) == 0)
            continue;
        wait->released = true;
        wait->by = (int)roll(ROWS);
        wait->at = roll_between(wait->begin > 3 ? wait->begin - 3 : 0, wait->end);
        make_link(store.wake, wait->by, wait->at, wait->row, wait->end, wait->id);
    }
    for (int row = 1; row < ROWS; row++)
        if (roll(3)) {
            rows[row].creator = (int)roll(ROWS);
            rows[row].created = roll_between(0, rows[row].begin);
            make_link(store.spawn, rows[row].creator, rows[row].created, row,
                      rows[row].begin, WEFT_NO_ID);
        }
}

/* ---- The second implementation ---- */

/* The expected row, step and state of a tick. */
struct tick {
    int row;
    enum weft_step_kind kind;
    enum weft_activity_class class;
    int state; /* index in `states`, or NO_STATE */
};

/* Returns the index of the state that counts in a tick of a row, and its class. */
static int seen(int row, int64_t t, enum weft_activity_class *class)
{
    int what = rows[row].what[t], call = rows[row].call[t];
    enum weft_activity_class calls =
        call == NO_STATE ? WEFT_ACTIVITY_UNKNOWN : class_of_kind[states[call].kind];
    bool by_call = call != NO_STATE
                   && (what == NO_STATE || calls == WEFT_ACTIVITY_WAITING
                       || (class_of_kind[states[what].kind] == WEFT_ACTIVITY_WORK
                           && calls != WEFT_ACTIVITY_UNKNOWN));
    int state = by_call ? call : what;
    if (state != NO_STATE)
        *class = class_of_kind[states[state].kind];
    else
        *class = rows[row].scheduled ? WEFT_ACTIVITY_UNKNOWN : WEFT_ACTIVITY_WORK;
    return state;
}

static bool is_wait(enum weft_activity_class class)
{
    return class == WEFT_ACTIVITY_WAITING || class == WEFT_ACTIVITY_OUTSIDE;
}

static void fill(struct tick *ticks, int64_t begin, int64_t end, struct tick with)
{
    for (int64_t t = begin; t < end; t++)
        ticks[t] = with;
}

/* The walk to other rows at one moment ends after 64 changes, as walk_back_through_causes.c says. */
enum { CHANGES_AT_ONCE_MAX = 64 };

static void walk_slowly(int row, int64_t low, int64_t at, struct tick *ticks)
{
    int changes = 0;
    enum weft_activity_class last;
    /* A wait that lasts beyond the end is followed from its own end. */
    if (at > rows[row].begin && at <= rows[row].end) {
        int state = seen(row, at - 1, &last);
        if (state != NO_STATE && is_wait(last) && states[state].end > at)
            at = states[state].end;
    }
    while (at > low) {
        enum weft_activity_class class;
        struct tick tick = { row, WEFT_STEP_ABSENT, WEFT_ACTIVITY_UNKNOWN, NO_STATE };
        if (at > rows[row].end) {
            ticks[--at] = tick;
            changes = 0;
            continue;
        }
        if (at <= rows[row].begin) {
            int creator = rows[row].creator;
            if (creator < 0 || creator == row || rows[row].created > at
                || changes >= CHANGES_AT_ONCE_MAX) {
                fill(ticks, low, at, tick);
                return;
            }
            int64_t to = rows[row].created > low ? rows[row].created : low;
            tick.kind = WEFT_STEP_ON_ITS_WAY;
            tick.class = WEFT_ACTIVITY_WAITING;
            fill(ticks, to, at, tick);
            changes = to < at ? 1 : changes + 1;
            at = to;
            row = creator;
            continue;
        }
        int state = seen(row, at - 1, &class);
        tick = (struct tick){ row, WEFT_STEP_DID, class, state };
        const struct made *wait = state == NO_STATE ? NULL : &states[state];
        if (wait && is_wait(class) && wait->end == at && wait->released && wait->by != row
            && wait->at <= at && changes < CHANGES_AT_ONCE_MAX) {
            int64_t begin = at - 1, to;
            enum weft_activity_class other;
            while (begin > low && begin > rows[row].begin
                   && seen(row, begin - 1, &other) == state)
                begin--;
            bool leaves = wait->at > begin;
            to = leaves ? wait->at : begin;
            to = to > low ? to : low;
            tick.kind = WEFT_STEP_ON_ITS_WAY;
            fill(ticks, to, at, tick);
            /* A thread in a call that waits may lack a processor. */
            for (int64_t t = to; t < at; t++) {
                int what = rows[row].what[t];
                if (what != NO_STATE && states[what].kind == READY)
                    ticks[t] =
                        (struct tick){ row, WEFT_STEP_DID, WEFT_ACTIVITY_READY, what };
            }
            changes = (to < at ? 0 : changes) + leaves;
            row = leaves ? wait->by : row;
            at = to;
            continue;
        }
        if (class == WEFT_ACTIVITY_WAITING)
            tick.kind = WEFT_STEP_UNSEEN;
        ticks[--at] = tick;
        changes = 0;
    }
}

/* ---- Comparison ---- */

struct walked {
    struct tick ticks[END];
    int64_t at;
};

static int row_of(uint32_t container)
{
    for (int row = 0; row < ROWS; row++)
        if (store.containers[row] == container)
            return row;
    fail();
    return 0;
}

static bool keep(void *user, const struct weft_step *step)
{
    struct walked *walked = user;
    assert_int_equal(step->span.end, walked->at);
    assert_true(step->span.begin < step->span.end);
    walked->at = step->span.begin;
    /* States of a row are told apart by their begin, depth and value. */
    int state = NO_STATE;
    for (int i = 0; i < n_states && step->of.id != WEFT_NO_ID; i++)
        if (states[i].row == row_of(step->row) && states[i].begin == step->of.begin
            && states[i].end == step->of.end
            && (step->of.value == store.values[states[i].kind]
                || step->of.value == store.call_values[states[i].kind]))
            state = i;
    fill(walked->ticks, step->span.begin, step->span.end,
         (struct tick){ row_of(step->row), step->kind, step->class, state });
    return true;
}

static void compare(const struct tick *slow, const struct tick *fast, int64_t low,
                    int64_t high)
{
    for (int64_t t = low; t < high; t++) {
        const struct made *a = slow[t].state == NO_STATE ? NULL : &states[slow[t].state];
        const struct made *b = fast[t].state == NO_STATE ? NULL : &states[fast[t].state];
        assert_int_equal(fast[t].row, slow[t].row);
        assert_int_equal(fast[t].kind, slow[t].kind);
        assert_int_equal(fast[t].class, slow[t].class);
        /* Two states of one track with one span and value are not told apart. */
        assert_int_equal(!a, !b);
        if (a) {
            assert_int_equal(a->begin, b->begin);
            assert_int_equal(a->kind, b->kind);
        }
    }
}

/* The parts of the causes add up to the walk, stay by stay and in sum. */
static void check_sums(const struct weft_walk_query *query)
{
    struct weft_causes causes;
    struct weft_err err;
    int64_t whole = query->span.end - query->span.begin, sum = 0, stays = 0;
    assert_true(weft_causes_read(query, NULL, &causes, &err)); /* there are no sites */
    for (size_t s = 0; s < causes.n_stays; s++) {
        int64_t stay = 0;
        for (uint32_t i = 0; i < causes.stays[s].n; i++) {
            assert_int_equal(causes.list[causes.stays[s].first + i].visit, s);
            stay += causes.list[causes.stays[s].first + i].ticks;
        }
        assert_int_equal(stay, causes.stays[s].span.end - causes.stays[s].span.begin);
        stays += stay;
    }
    assert_int_equal(stays, whole);
    weft_causes_sum(&causes);
    for (size_t i = 0; i < causes.n; i++)
        sum += causes.list[i].ticks;
    assert_int_equal(sum, whole);
    weft_causes_free(&causes);
}

/*
 * All waits are followed: their number and length are those of the tables of ticks, and the
 * causes add up to them.
 */
/* Each wait is one of the waits of one row: a selection of a row leaves these. */
static void check_blame_of_rows(struct weft_blame_query query, uint64_t waits,
                                int64_t waited)
{
    struct weft_err err;
    query.most = 0;
    for (uint32_t c = 0; c < query.source->schema->n_containers; c++) {
        struct weft_blames blames;
        char text[32];
        snprintf(text, sizeof text, "row = #%u", c);
        struct weft_where *where = weft_where_new(query.source, text, &err);
        assert_non_null(where);
        query.where = where;
        assert_true(weft_blame_read(&query, &blames, &err));
        waits -= blames.waits;
        waited -= blames.waited_ticks;
        weft_blames_free(&blames);
        weft_where_free(where);
    }
    assert_int_equal(waits, 0);
    assert_int_equal(waited, 0);
}

static void check_blame(const struct weft_source *source, struct weft_releases *releases,
                        size_t most)
{
    struct weft_blames blames;
    struct weft_err err;
    uint64_t waits = 0;
    int64_t waited = 0, sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int64_t t = rows[row].begin, last = NO_STATE; t < rows[row].end; t++) {
            enum weft_activity_class class;
            int state = seen(row, t, &class);
            bool waits_now = class == WEFT_ACTIVITY_WAITING;
            waits += waits_now && state != last;
            waited += waits_now;
            last = waits_now ? state : NO_STATE;
        }
    const struct weft_blame_query query = {
        .source = source, .releases = releases, .window = { 0, END }, .most = most
    };
    assert_true(weft_blame_read(&query, &blames, &err));
    for (size_t i = 0; i < blames.n; i++) {
        sum += blames.list[i].cause.ticks;
        assert_true(!i || blames.list[i].cause.ticks <= blames.list[i - 1].cause.ticks);
    }
    assert_int_equal(blames.waits, waits);
    assert_int_equal(blames.waited_ticks, waited);
    check_blame_of_rows(query, waits, waited);
    assert_int_equal(blames.walked, waits < most ? waits : most);
    assert_int_equal(blames.walked_ticks, sum);
    if (waits <= most)
        assert_int_equal(sum, waited);
    else /* the longest: at least their share of the number */
        assert_true((double)sum >= (double)waited * (double)most / (double)waits);
    /* By place: the rows are as many, and the sum is the same. */
    size_t n = blames.n, rows_of_places = 0;
    weft_blames_by_place(source->schema, &blames);
    for (size_t i = 0; i < blames.n; i++) {
        sum -= blames.list[i].cause.ticks;
        rows_of_places += blames.list[i].rows;
        assert_true(blames.list[i].waits > 0 && blames.list[i].waits <= blames.walked);
    }
    assert_int_equal(sum, 0);
    assert_int_equal(rows_of_places, n);
    weft_blames_free(&blames);
}

/* The division of all time has as much of each class as the tables of ticks. */
static void check_division(const struct weft_source *source)
{
    struct weft_time_division division;
    struct weft_err err;
    int64_t ticks[WEFT_ACTIVITY_CLASSES] = { 0 }, sum = 0;
    assert_true(weft_time_division_read(
        &(struct weft_division_query){ .source = source, .window = { 0, END } }, &division,
        &err));
    for (size_t i = 0; i < division.n; i++) {
        ticks[division.list[i].class] -= division.list[i].ticks;
        sum += division.list[i].ticks;
    }
    assert_int_equal(division.ticks, sum);
    assert_int_equal(division.rows, ROWS);
    for (int row = 0; row < ROWS; row++)
        for (int64_t t = rows[row].begin; t < rows[row].end; t++) {
            enum weft_activity_class class;
            (void)seen(row, t, &class);
            ticks[class]++;
        }
    for (int class = 0; class < WEFT_ACTIVITY_CLASSES; class ++)
        assert_int_equal(ticks[class], 0);
    weft_time_division_free(&division);
}

/*
 * So has the division of what a selection means, in a window, of some of the rows: states of
 * a name and a length, asked about tick by tick.
 */
static void check_selected_division(const struct weft_source *source)
{
    struct weft_time_division division;
    struct weft_err err;
    uint8_t *members = weft_zalloc(source->schema->n_containers, 1);
    int64_t ticks[KINDS] = { 0 }, low = roll_between(0, END - 1);
    int64_t high = roll_between(low + 1, END), longer = roll_between(0, 8);
    int kind = (int)roll(KINDS);
    char text[64];
    snprintf(text, sizeof text, "value = %c and duration > %dns or duration > 10ns",
             'a' + kind, (int)longer);
    struct weft_where *where = weft_where_new(source, text, &err);
    assert_non_null(where);
    for (int row = 0; row < ROWS; row++) {
        members[store.containers[row]] = roll(3) != 0;
        for (int64_t t = low; t < high && members[store.containers[row]]; t++) {
            enum weft_activity_class class;
            int state =
                t < rows[row].begin || t >= rows[row].end ? NO_STATE : seen(row, t, &class);
            if (state == NO_STATE)
                continue;
            int64_t length = states[state].end - states[state].begin;
            if ((states[state].kind == kind && length > longer) || length > 10)
                ticks[states[state].kind]--;
        }
    }
    assert_true(weft_time_division_read(
        &(struct weft_division_query){
            .source = source, .window = { low, high }, .members = members, .where = where },
        &division, &err));
    for (size_t i = 0; i < division.n; i++)
        ticks[division.list[i].state[0] - 'a'] += division.list[i].ticks;
    for (int k = 0; k < KINDS; k++)
        assert_int_equal(ticks[k], 0);
    weft_time_division_free(&division);
    weft_where_free(where);
    free(members);
}

static void walk_trace(const struct weft_source *source)
{
    struct weft_err err;
    struct weft_releases *releases = weft_releases_new(source, NULL, &err);
    assert_non_null(releases);
    for (int i = 0; i < WALKS; i++) {
        static struct walked walked;
        static struct tick slow[END];
        int row = (int)roll(ROWS);
        int64_t low = i ? roll_between(0, END - 1) : 0;
        int64_t high = i ? roll_between(low + 1, END) : END;
        const struct weft_walk_query query = {
            source, releases, store.containers[row], { low, high }, NULL
        };
        walked.at = high;
        walk_slowly(row, low, high, slow);
        assert_true(weft_walk(&query, keep, &walked, &err));
        assert_int_equal(walked.at, low);
        compare(slow, walked.ticks, low, high);
        check_sums(&query);
    }
    check_division(source);
    for (int i = 0; i < 10; i++)
        check_selected_division(source);
    check_blame(source, releases, SIZE_MAX);
    check_blame(source, releases, 3);
    weft_releases_free(releases);
}

static void walks_agree(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        char path[] = "/tmp/weft-walk-XXXXXX";
        roll_from(seed);
        n_states = 0;
        store.builder = small_store_begin(path);
        define();
        for (int row = 0; row < ROWS; row++)
            make_row(row);
        make_releases();
        for (int row = 0; row < ROWS; row++)
            weft_builder_destroy(store.builder, store.containers[row], rows[row].end);
        struct weft_trace *trace = small_store_end(store.builder, path);
        walk_trace(weft_trace_source(trace));
        weft_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(walks_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
