/* SPDX-License-Identifier: Apache-2.0 */
/* What matters first in a trace: all numbers can be had by hand. */
#include <math.h>

#include "analyse/container_relevance.h"
#include "tests/small_store.h"

static char path[] = "/tmp/weft-relevance-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_schema *schema;
static struct weft_arena arena;

static struct weft_builder *start(void)
{
    strcpy(strrchr(path, '.') + 1, "XXXXXX");
    struct weft_builder *b = small_store_begin(path);
    return b;
}

static struct weft_relevance judge(struct weft_builder *b)
{
    struct weft_err err;
    struct weft_relevance relevance;
    trace = small_store_end(b, path);
    schema = weft_trace_schema(trace);
    assert_true(weft_relevance(weft_trace_source(trace), &arena, NULL, &relevance, &err));
    return relevance;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    weft_arena_free(&arena);
    trace = NULL;
    return 0;
}

static uint32_t type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     enum weft_role role)
{
    return add_type(b, kind, parent, "x", role);
}

static uint32_t value(struct weft_builder *b, uint32_t of, enum weft_role role)
{
    char name[16];
    snprintf(name, sizeof name, "role %d", (int)role);
    return add_value(b, of, name, role);
}

/* A state of VALUE on a container's track from BEGIN to END. */
static void state(struct weft_builder *b, uint32_t container, uint32_t type_, int64_t begin,
                  int64_t end, uint32_t value_)
{
    uint32_t track = weft_builder_track(b, container, type_);
    (void)!weft_builder_push(b, track, begin, value_, NULL, 0, NULL);
    (void)!weft_builder_pop(b, track, end, NULL);
}

enum { THREAD, PLAIN, MUTEX, CONDITION, SEMAPHORE, NETWORK, MEMORY, ARRAY, KINDS };

/* A container of each kind; those of one index in both arrays. */
static void containers(struct weft_builder *b, uint32_t *types, uint32_t *of)
{
    static const enum weft_role roles[KINDS] = {
        [THREAD] = WEFT_ROLE_THREAD,       [PLAIN] = WEFT_ROLE_NONE,
        [MUTEX] = WEFT_ROLE_MUTEX,         [CONDITION] = WEFT_ROLE_CONDITION,
        [SEMAPHORE] = WEFT_ROLE_SEMAPHORE, [NETWORK] = WEFT_ROLE_NETWORK,
        [MEMORY] = WEFT_ROLE_MEMORY,       [ARRAY] = WEFT_ROLE_ARRAY,
    };
    for (int k = 0; k < KINDS; k++) {
        types[k] = type(b, WEFT_CONTAINER, 0, roles[k]);
        of[k] = weft_builder_container(b, types[k], 0, "c", NULL, 0);
    }
}

static void those_that_serve_are_secondary(void **unused)
{
    (void)unused;
    struct weft_builder *b = start();
    uint32_t types[KINDS], of[KINDS];
    containers(b, types, of);
    uint32_t activity = type(b, WEFT_STATE, types[THREAD], WEFT_ROLE_ACTIVITY);
    state(b, of[THREAD], activity, 0, 1000, value(b, activity, WEFT_ROLE_RUNNING));
    struct weft_relevance r = judge(b);
    for (int k = 0; k < KINDS; k++) {
        assert_int_equal(r.secondary[of[k]], k == MUTEX || k == CONDITION || k == SEMAPHORE
                                                 || k == NETWORK || k == MEMORY);
        assert_int_equal(r.may_be_idle[of[k]], k == CONDITION || k == SEMAPHORE);
        assert_true(r.waited[of[k]] == 0);
    }
    assert_false(r.secondary[0]); /* the root */
}

/*
 * Contended for 30 and 20 ticks; two waiters for 100 ticks, then one for 50 of 1000; half of a
 * network's use for all the time.
 */
static void waiting_is_added_up(void **unused)
{
    (void)unused;
    struct weft_builder *b = start();
    uint32_t types[KINDS], of[KINDS];
    containers(b, types, of);
    uint32_t activity = type(b, WEFT_STATE, types[THREAD], WEFT_ROLE_ACTIVITY);
    uint32_t lock = type(b, WEFT_STATE, types[MUTEX], WEFT_ROLE_LOCK_STATE);
    uint32_t waiters = type(b, WEFT_VARIABLE, types[CONDITION], WEFT_ROLE_WAITERS);
    uint32_t usage = type(b, WEFT_VARIABLE, types[NETWORK], WEFT_ROLE_USAGE);
    uint32_t capacity = type(b, WEFT_VARIABLE, types[MEMORY], WEFT_ROLE_CAPACITY);
    uint32_t held = value(b, lock, WEFT_ROLE_HELD);
    uint32_t contended = value(b, lock, WEFT_ROLE_CONTENDED);
    state(b, of[THREAD], activity, 0, 1000, value(b, activity, WEFT_ROLE_RUNNING));
    state(b, of[MUTEX], lock, 10, 40, contended);
    state(b, of[MUTEX], lock, 40, 140, held);
    state(b, of[MUTEX], lock, 200, 220, contended);
    uint32_t t = weft_builder_track(b, of[CONDITION], waiters);
    (void)!weft_builder_sample(b, t, 0, 2);
    (void)!weft_builder_sample(b, t, 100, 1);
    (void)!weft_builder_sample(b, t, 150, 0);
    (void)!weft_builder_sample(b, weft_builder_track(b, of[NETWORK], usage), 0, 0.5);
    (void)!weft_builder_sample(b, weft_builder_track(b, of[MEMORY], capacity), 0, 7);
    struct weft_relevance r = judge(b);
    assert_true(r.waited[of[MUTEX]] == 50);
    assert_true(r.waited[of[CONDITION]] > 249.9 && r.waited[of[CONDITION]] < 250.1);
    assert_true(r.waited[of[NETWORK]] > 499.9 && r.waited[of[NETWORK]] < 500.1);
    assert_true(r.waited[of[MEMORY]] == 0); /* what it could hold is no use of it */
    assert_true(r.waited[of[THREAD]] == 0); /* not secondary */
    /* Worst first, but those where threads may just have nothing to do come after. */
    uint32_t order[] = { of[NETWORK], of[MUTEX], of[CONDITION], of[MEMORY] };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            assert_int_equal(weft_relevance_compare(&r, order[i], order[j]),
                             (i > j) - (i < j));
}

static void without_work_nothing_is_secondary(void **unused)
{
    (void)unused;
    struct weft_builder *b = start();
    uint32_t types[KINDS], of[KINDS];
    containers(b, types, of);
    uint32_t lock = type(b, WEFT_STATE, types[MUTEX], WEFT_ROLE_LOCK_STATE);
    state(b, of[MUTEX], lock, 10, 40, value(b, lock, WEFT_ROLE_CONTENDED));
    struct weft_relevance r = judge(b);
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        assert_false(r.secondary[c]);
        assert_true(r.waited[c] == 0);
    }
}

/* Links between containers are not work of theirs: a trace of a lock with links is whole. */
static void links_are_no_work(void **unused)
{
    (void)unused;
    struct weft_builder *b = start();
    uint32_t types[KINDS], of[KINDS];
    containers(b, types, of);
    uint32_t lock = type(b, WEFT_STATE, types[MUTEX], WEFT_ROLE_LOCK_STATE);
    uint32_t link = type(b, WEFT_LINK, 0, WEFT_ROLE_WAKE_UP);
    state(b, of[MUTEX], lock, 10, 40, value(b, lock, WEFT_ROLE_CONTENDED));
    weft_builder_link(b,
                      &(struct weft_link){ .type = link,
                                           .container = 0,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = of[THREAD],
                                           .to = of[THREAD],
                                           .begin = 1,
                                           .end = 2,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID },
                      NULL, 0);
    struct weft_relevance r = judge(b);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        assert_false(r.secondary[c]);
}

/* The constant value of the variable whose type has a name. */
static double constant_of(const struct weft_relevance *r, const char *name)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (strcmp(schema->types[schema->tracks[t].type].name, name) == 0)
            return r->constant[t];
    fail_msg("no track of %s", name);
    return 0;
}

static void variables_that_never_change(void **unused)
{
    (void)unused;
    struct weft_builder *b = start();
    uint32_t types[KINDS], of[KINDS], tracks[5];
    containers(b, types, of);
    uint32_t cumulative =
        add_type(b, WEFT_VARIABLE, types[PLAIN], "total", WEFT_ROLE_CUMULATIVE);
    static const char *const names[] = { "same", "nearly", "late", "single" };
    for (int i = 0; i < 4; i++)
        tracks[i] = weft_builder_track(
            b, of[PLAIN],
            add_type(b, WEFT_VARIABLE, types[PLAIN], names[i], WEFT_ROLE_NONE));
    tracks[4] = weft_builder_track(b, of[PLAIN], cumulative);
    for (int t = 0; t < 1000; t++) {
        (void)!weft_builder_sample(b, tracks[0], t, 7.25);
        /* A change that is lost in the precision of a float. */
        (void)!weft_builder_sample(b, tracks[1], t, t == 500 ? 16777217 : 16777216);
        (void)!weft_builder_sample(b, tracks[2], t, t == 999);
        (void)!weft_builder_sample(b, tracks[4], t, 3);
    }
    (void)!weft_builder_sample(b, tracks[3], 10, -2);
    struct weft_relevance r = judge(b);
    assert_true(constant_of(&r, "same") == 7.25);
    assert_true(isnan(constant_of(&r, "nearly")));
    assert_true(isnan(constant_of(&r, "late")));
    assert_true(constant_of(&r, "single") == -2);
    assert_true(isnan(constant_of(&r, "total")));
}

static void types_and_values_have_an_order(void **unused)
{
    (void)unused;
    struct weft_builder *b = start();
    uint32_t types[KINDS], of[KINDS];
    containers(b, types, of);
    uint32_t activity = type(b, WEFT_STATE, types[THREAD], WEFT_ROLE_ACTIVITY);
    uint32_t call = type(b, WEFT_STATE, types[THREAD], WEFT_ROLE_CALL);
    uint32_t unknown = type(b, WEFT_STATE, types[PLAIN], WEFT_ROLE_NONE);
    uint32_t of_lock = type(b, WEFT_STATE, types[MUTEX], WEFT_ROLE_NONE);
    uint32_t lock = type(b, WEFT_STATE, types[PLAIN], WEFT_ROLE_LOCK_STATE);
    uint32_t idle = value(b, activity, WEFT_ROLE_IDLE);
    uint32_t sleeping = value(b, activity, WEFT_ROLE_SLEEPING);
    uint32_t ready = value(b, activity, WEFT_ROLE_READY);
    uint32_t blocked = value(b, activity, WEFT_ROLE_BLOCKED_ON_LOCK);
    uint32_t busy = value(b, activity, WEFT_ROLE_BUSY);
    uint32_t none = value(b, activity, WEFT_ROLE_NONE);
    uint32_t free_ = value(b, lock, WEFT_ROLE_FREE);
    uint32_t held = value(b, lock, WEFT_ROLE_HELD);
    (void)judge(b);
    assert_int_equal(weft_type_order(schema, activity), 0);
    assert_int_equal(weft_type_order(schema, call), 1); /* the activities say more */
    assert_int_equal(weft_type_order(schema, unknown), 1);
    assert_int_equal(weft_type_order(schema, of_lock), 2); /* by what it is on */
    assert_int_equal(weft_type_order(schema, lock), 2);    /* by what it means */
    const uint32_t last[] = { idle, sleeping, free_ };
    const uint32_t first[] = { ready, blocked, busy, none, held };
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        assert_int_equal(weft_value_order(schema, last[i]), 1);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        assert_int_equal(weft_value_order(schema, first[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(those_that_serve_are_secondary, tear_down),
        cmocka_unit_test_teardown(waiting_is_added_up, tear_down),
        cmocka_unit_test_teardown(without_work_nothing_is_secondary, tear_down),
        cmocka_unit_test_teardown(links_are_no_work, tear_down),
        cmocka_unit_test_teardown(variables_that_never_change, tear_down),
        cmocka_unit_test_teardown(types_and_values_have_an_order, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
