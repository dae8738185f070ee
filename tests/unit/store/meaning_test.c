/* SPDX-License-Identifier: Apache-2.0 */
/* Roles, facts about containers, hosts and clocks: what goes in comes out, and nothing else. */
#include "tests/random.h"
#include "tests/small_store.h"

static void roles_are_consistent(void **state)
{
    (void)state;
    unsigned known = 0;
    for (int i = 1; i < WEFT_ROLE_LIMIT; i++) {
        enum weft_role role = (enum weft_role)i, parent = weft_role_parent(role);
        if (!weft_role_name(role)[0]) {
            assert_int_equal(weft_role_subject(role), WEFT_ROLE_SUBJECTS);
            assert_int_equal(parent, WEFT_ROLE_NONE);
            continue;
        }
        known++;
        assert_int_equal(weft_role_find(weft_role_name(role)), role);
        assert_true(strlen(weft_role_explanation(role)) > 5);
        assert_true(weft_role_subject_name(weft_role_subject(role))[0]);
        assert_true(weft_role_is(role, role));
        unsigned steps = 0;
        for (; parent; parent = weft_role_parent(parent), steps++) {
            assert_true(steps < 8);
            assert_int_equal(weft_role_subject(parent), weft_role_subject(role));
            assert_true(weft_role_is(role, parent));
            assert_false(weft_role_is(parent, role));
        }
    }
    assert_true(known > 80);
    assert_int_equal(weft_role_find(""), WEFT_ROLE_NONE);
    assert_int_equal(weft_role_find("no such role"), WEFT_ROLE_NONE);
    assert_false(weft_role_is(WEFT_ROLE_NONE, WEFT_ROLE_NONE));
    assert_true(weft_role_is(WEFT_ROLE_BLOCKED_ON_LOCK, WEFT_ROLE_IDLE));
    assert_false(weft_role_is(WEFT_ROLE_BLOCKED_ON_LOCK, WEFT_ROLE_BUSY));
}

/* An offset: one knot.  Drift: 10 ticks gained in 1,000.  Rounding is down, by definition. */
static void a_clock_is_corrected(void **state)
{
    (void)state;
    struct weft_clock none = { 0 };
    assert_int_equal(weft_clock_correct(&none, -5), -5);
    assert_int_equal(weft_clock_raw(&none, INT64_MAX), INT64_MAX);

    struct weft_clock_knot one[] = { { 100, 250 } };
    struct weft_clock offset = { .knots = one, .n_knots = 1 };
    assert_int_equal(weft_clock_correct(&offset, 0), 150);
    assert_int_equal(weft_clock_raw(&offset, 150), 0);
    assert_int_equal(weft_clock_correct(&offset, INT64_MAX), INT64_MAX);
    assert_int_equal(weft_clock_raw(&offset, INT64_MIN), INT64_MIN);

    struct weft_clock_knot two[] = { { 0, 0 }, { 1000, 1010 } };
    struct weft_clock drift = { .knots = two, .n_knots = 2 };
    assert_int_equal(weft_clock_correct(&drift, 500), 505);
    assert_int_equal(weft_clock_correct(&drift, 99), 99);
    assert_int_equal(weft_clock_correct(&drift, 100), 101);
    assert_int_equal(weft_clock_correct(&drift, -1), -2);
    assert_int_equal(weft_clock_correct(&drift, 2000), 2020);

    struct weft_clock_knot bad[] = { { 0, 0 }, { 5, 0 } };
    assert_false(weft_clock_knots_valid(bad, 2));
    assert_true(weft_clock_knots_valid(two, 2));
}

/* Where the store's ticks are not longer than the clock's, no raw time is lost. */
static void a_correction_can_be_undone(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct weft_clock_knot knots[6];
        size_t n = 2 + roll(5);
        int64_t raw = (int64_t)roll(1u << 30) - (1 << 29);
        int64_t corrected = (int64_t)roll(UINT64_C(1) << 50) - (INT64_C(1) << 49);
        for (size_t i = 0; i < n; i++) {
            knots[i] = (struct weft_clock_knot){ raw, corrected };
            int64_t step = 1 + (int64_t)roll(100000);
            raw += step;
            corrected += step + (int64_t)roll(round % 3 ? 50 : 500000);
        }
        assert_true(weft_clock_knots_valid(knots, n));
        struct weft_clock clock = { .knots = knots, .n_knots = n };
        int64_t before = INT64_MIN;
        for (int i = 0; i < 40; i++) {
            int64_t at = knots[0].raw - 1000 + i * ((raw - knots[0].raw + 2000) / 40);
            int64_t to = weft_clock_correct(&clock, at);
            assert_true(to > before);
            before = to;
            assert_int_equal(weft_clock_raw(&clock, to), at);
        }
        for (size_t i = 0; i < n; i++)
            assert_int_equal(weft_clock_correct(&clock, knots[i].raw), knots[i].corrected);
    }
}

static void the_ends_of_time_are_survived(void **state)
{
    (void)state;
    struct weft_clock_knot knots[] = { { INT64_MIN, INT64_MIN }, { INT64_MAX, INT64_MAX } };
    struct weft_clock clock = { .knots = knots, .n_knots = 2 };
    int64_t times[] = { INT64_MIN, -1, 0, 1, INT64_MAX };
    for (size_t i = 0; i < 5; i++) {
        (void)weft_clock_correct(&clock, times[i]);
        (void)weft_clock_raw(&clock, times[i]);
    }
    struct weft_clock_knot steep[] = { { 0, INT64_MIN }, { 1, INT64_MAX } };
    clock.knots = steep;
    assert_int_equal(weft_clock_correct(&clock, 5), INT64_MAX);
    assert_int_equal(weft_clock_correct(&clock, -5), INT64_MIN);
}

static char path[] = "/tmp/weft-meaning-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_schema *schema;
static uint64_t first_task; /* as the builder gave it out */

/*
 * Two hosts with a clock each.  The second thread's type says "thread", it is a worker.  Its
 * task's parent is the task of the first thread, whose track is made last and comes first.
 */
static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    uint32_t host = add_type(b, WEFT_CONTAINER, 0, "H", WEFT_ROLE_HOST);
    uint32_t thread = add_type(b, WEFT_CONTAINER, host, "T", WEFT_ROLE_NONE);
    uint32_t task = add_type(b, WEFT_STATE, thread, "S", WEFT_ROLE_NONE);
    weft_builder_type_role(b, thread, WEFT_ROLE_THREAD);
    weft_builder_type_role(b, task, WEFT_ROLE_TASK);
    uint32_t work = add_value(b, task, "W", WEFT_ROLE_COMPUTING);
    uint32_t pid = weft_builder_field(b, thread, "pid", WEFT_FIELD_INTEGER);
    uint32_t symbol = weft_builder_field(b, thread, "symbol", WEFT_FIELD_TEXT);
    uint32_t parent = weft_builder_field(b, task, "parent", WEFT_FIELD_ENTITY);
    uint32_t on = weft_builder_field(b, task, "on", WEFT_FIELD_CONTAINER);
    weft_builder_field_role(b, pid, WEFT_ROLE_PROCESS_ID);
    weft_builder_field_role(b, symbol, WEFT_ROLE_SYMBOL);
    weft_builder_field_role(b, parent, WEFT_ROLE_PARENT);
    weft_builder_field_role(b, on, WEFT_ROLE_OBJECT);
    weft_builder_index_field(b, on);

    uint32_t host_a = weft_builder_host(b, &(struct weft_host){ "a", "boot-1", 4 });
    struct weft_clock_knot knots[] = { { 0, 0 }, { 100, 101 } };
    uint32_t tsc = weft_builder_clock(
        b, &(struct weft_clock){
               .name = "tsc", .host = host_a, .knots = knots, .n_knots = 2, .error = 7 });
    uint32_t unknown =
        weft_builder_clock(b, &(struct weft_clock){ .host = WEFT_NONE, .error = -1 });

    uint32_t a = weft_builder_container(b, host, 0, "a", NULL, 0);
    uint32_t t1 = weft_builder_container(b, thread, a, "t1", NULL, 0);
    uint32_t t2 = weft_builder_container(b, thread, a, "t2", NULL, 0);
    weft_builder_container_role(b, t2, WEFT_ROLE_WORKER);
    weft_builder_container_clock(b, a, tsc);
    weft_builder_container_clock(b, t2, unknown);
    weft_builder_container_field(b, t2,
                                 &(struct weft_field_value){ pid, { .integer = 1 } });
    weft_builder_container_field(
        b, t1,
        &(struct weft_field_value){ symbol,
                                    { .index = weft_builder_string(b, "main", 4) } });
    weft_builder_container_field(b, t2,
                                 &(struct weft_field_value){ pid, { .integer = 42 } });

    uint32_t track2 = weft_builder_track(b, t2, task);
    uint32_t track1 = weft_builder_track(b, t1, task);
    assert_int_equal(weft_builder_push(b, track1, 0, work, NULL, 0, &first_task),
                     WEFT_BUILD_OK);
    struct weft_field_value fields[] = { { parent, { .entity = first_task } },
                                         { on, { .index = t1 } } };
    assert_int_equal(weft_builder_push(b, track2, 1, work, fields, 2, NULL), WEFT_BUILD_OK);
    trace = small_store_open(b, path);
    schema = weft_trace_schema(trace);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    unlink(path);
    return 0;
}

static void roles_are_kept(void **state)
{
    (void)state;
    assert_int_equal(schema->types[1].role, WEFT_ROLE_HOST);
    assert_int_equal(schema->containers[0].role, WEFT_ROLE_NONE);
    assert_int_equal(schema->containers[1].role, WEFT_ROLE_HOST);
    assert_int_equal(schema->containers[2].role, WEFT_ROLE_THREAD);
    assert_int_equal(schema->containers[3].role, WEFT_ROLE_WORKER);
    assert_int_equal(schema->values[0].role, WEFT_ROLE_COMPUTING);
    assert_int_equal(weft_type_with_role(schema, WEFT_ROLE_EXECUTOR), 2);
    assert_int_equal(weft_type_with_role(schema, WEFT_ROLE_LOCK), WEFT_NONE);
    assert_int_equal(weft_value_with_role(schema, 3, WEFT_ROLE_BUSY), 0);
    assert_int_equal(weft_value_with_role(schema, 2, WEFT_ROLE_BUSY), WEFT_NONE);
    assert_int_equal(weft_field_of_type(schema, 3, WEFT_ROLE_PARENT, WEFT_FIELD_ENTITY), 2);
    assert_int_equal(weft_field_of_type(schema, 3, WEFT_ROLE_PARENT, WEFT_FIELD_TEXT),
                     WEFT_NONE);
    assert_true(schema->fields[3].indexed);
    assert_false(schema->fields[2].indexed);
}

static void facts_are_kept(void **state)
{
    (void)state;
    size_t n;
    weft_container_facts(schema, 1, &n);
    assert_int_equal(n, 0);
    const struct weft_field_value *pid =
        weft_container_fact(schema, 3, WEFT_ROLE_PROCESS_ID, WEFT_FIELD_INTEGER);
    assert_non_null(pid);
    assert_int_equal(pid->integer, 42);
    weft_container_facts(schema, 3, &n);
    assert_int_equal(n, 1);
    const struct weft_field_value *symbol =
        weft_container_fact(schema, 2, WEFT_ROLE_SYMBOL, WEFT_FIELD_TEXT);
    assert_string_equal(schema->strings[symbol->index], "main");
    assert_null(weft_container_fact(schema, 3, WEFT_ROLE_SYMBOL, WEFT_FIELD_TEXT));
    assert_null(weft_container_fact(schema, 2, WEFT_ROLE_SYMBOL, WEFT_FIELD_INTEGER));
}

static void clocks_are_kept(void **state)
{
    (void)state;
    assert_int_equal(schema->n_hosts, 1);
    assert_string_equal(schema->hosts[0].identity, "boot-1");
    assert_int_equal(schema->hosts[0].processors, 4);
    assert_int_equal(schema->n_clocks, 2);
    assert_int_equal(schema->clocks[0].error, 7);
    assert_int_equal(weft_clock_correct(&schema->clocks[0], 50), 50);
    assert_int_equal(weft_clock_correct(&schema->clocks[0], 200), 202);
    assert_int_equal(schema->containers[0].clock, WEFT_NONE);
    assert_int_equal(schema->containers[1].clock, 0);
    assert_int_equal(schema->containers[2].clock, 0);
    assert_int_equal(schema->containers[3].clock, 1);
}

static void entities_and_containers_are_fields(void **state)
{
    (void)state;
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_field_value fields[4];
    struct weft_state task;
    uint32_t track = schema->track_at[schema->track_begin[schema->containers[3].order]];
    size_t n = source->ops->fields(source, weft_entity_id(track, 0), fields, 4);
    const struct weft_field_value *parent =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_PARENT, WEFT_FIELD_ENTITY);
    assert_non_null(parent);
    assert_int_not_equal(parent->entity, first_task); /* tracks were numbered anew */
    assert_true(source->ops->state(source, parent->entity, &task));
    assert_int_equal(task.begin, 0);
    const struct weft_field_value *on =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    assert_non_null(on);
    assert_int_equal(on->index, 2);
}

/* A field may name anything when its file is hostile: it is only given out when it exists. */
static void fields_that_lead_nowhere_are_not_found(void **state)
{
    (void)state;
    struct weft_field_value symbol = { 1, { .index = 1000000000 } };
    assert_null(
        weft_field_with_role(schema, &symbol, 1, WEFT_ROLE_SYMBOL, WEFT_FIELD_TEXT));
    struct weft_field_value wild = { 1000, { .index = 0 } };
    assert_null(weft_field_with_role(schema, &wild, 1, WEFT_ROLE_SYMBOL, WEFT_FIELD_TEXT));
}

/*
 * Siblings are in order of their places, then of creation; each with its tracks behind it.  The
 * slow way: A comes before B when, below their nearest common ancestor, the one it is in does.
 */
enum { PLACED = 60, ROOT = 0 };

static bool comes_before(const uint32_t *parent, const uint32_t *place, uint32_t a,
                         uint32_t b)
{
    uint32_t path_a[PLACED], path_b[PLACED];
    size_t n_a = 0, n_b = 0;
    for (uint32_t c = a; c != ROOT; c = parent[c])
        path_a[n_a++] = c;
    for (uint32_t c = b; c != ROOT; c = parent[c])
        path_b[n_b++] = c;
    while (n_a && n_b && path_a[n_a - 1] == path_b[n_b - 1])
        n_a--, n_b--;
    if (!n_a || !n_b)
        return !n_a;
    uint32_t x = path_a[n_a - 1], y = path_b[n_b - 1];
    return place[x] != place[y] ? place[x] < place[y] : x < y;
}

static void siblings_are_in_order_of_their_places(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        char file[] = "/tmp/weft-place-XXXXXX";
        close(mkstemp(file));
        struct weft_err err;
        struct weft_builder *b = weft_builder_new(file, "test", &err);
        assert_non_null(b);
        struct weft_type thread = { .kind = WEFT_CONTAINER,
                                    .name = "thread",
                                    .start_type = WEFT_NONE,
                                    .end_type = WEFT_NONE };
        uint32_t type = weft_builder_type(b, &thread);
        struct weft_type mark = { .kind = WEFT_EVENT,
                                  .parent = type,
                                  .name = "mark",
                                  .start_type = WEFT_NONE,
                                  .end_type = WEFT_NONE };
        uint32_t event = weft_builder_type(b, &mark);
        uint32_t value = weft_builder_value(b, event, "here", NULL, 0);
        uint32_t parent[PLACED] = { WEFT_NONE }, place[PLACED] = { 0 };
        for (uint32_t c = 1; c < PLACED; c++) {
            parent[c] = (uint32_t)roll(c);
            place[c] = round ? (uint32_t)roll(4) : 0;
            assert_int_equal(weft_builder_container(b, type, parent[c], "c", NULL, 0), c);
            weft_builder_container_place(b, c, place[c]);
            /* One event more than its number modulo 3 tells whose track it is. */
            for (uint32_t i = 0; i < 1 + c % 3; i++)
                assert_int_equal(weft_builder_event(b, weft_builder_track(b, c, event), 5,
                                                    value, NULL, 0, NULL),
                                 WEFT_BUILD_OK);
        }
        struct weft_trace *placed = small_store_open(b, file);
        const struct weft_schema *s = weft_trace_source(placed)->schema;
        for (uint32_t i = 0; i < PLACED; i++)
            for (uint32_t k = i + 1; k < PLACED; k++)
                assert_true(comes_before(parent, place, s->preorder[i], s->preorder[k]));
        for (uint32_t t = 0; t < s->n_tracks; t++)
            assert_int_equal(s->tracks[t].count, 1 + s->tracks[t].container % 3);
        weft_trace_close(placed);
        remove(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_are_consistent),
        cmocka_unit_test(a_clock_is_corrected),
        cmocka_unit_test(a_correction_can_be_undone),
        cmocka_unit_test(the_ends_of_time_are_survived),
        cmocka_unit_test(roles_are_kept),
        cmocka_unit_test(facts_are_kept),
        cmocka_unit_test(clocks_are_kept),
        cmocka_unit_test(entities_and_containers_are_fields),
        cmocka_unit_test(fields_that_lead_nowhere_are_not_found),
        cmocka_unit_test(siblings_are_in_order_of_their_places),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
