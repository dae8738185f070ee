/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of views on small stores whose numbers can be had by hand. */
#include "base/memory.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/damage.h"
#include "views_store.h"

static char *table_of(const char *view_name, const char *setting, struct weft_span window)
{
    const struct weft_view *view = weft_view_find(view_name);
    const char *settings[32] = { 0 };
    struct weft_err err = { 0 };
    struct weft_request request = { .set = &set,
                                    .window = window,
                                    .width = 4,
                                    .height = 100,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = settings };
    if (setting)
        assert_true(weft_setting_parse(view, setting, settings, &err));
    return table_csv(view, &request);
}

static void test_state_summary_of_everything(void **unused)
{
    (void)unused;
    small_store();
    char *text = table_of("state-summary", NULL, source->schema->span);
    /* work: total 60 (the work inside work counts once) + 100; self 60 - 10 + 100; durations
       60, 20, 100: mean 60, median 60.  wait: 10 + 40.  Shares are of 2 x 100. */
    assert_string_equal(text,
                        "type,value,count,total_ns,self_ns,mean_ns,p50_ns,p95_ns,p99_ns,"
                        "max_ns,share_pct\n"
                        "state,work,3,160,150,60,60,100,100,100,80.00\n"
                        "state,wait,2,50,50,25,10,40,40,40,25.00\n");
    free(text);
}

static void test_state_summary_of_a_range(void **unused)
{
    (void)unused;
    small_store();
    /* [25, 65): work 35 + 40 (of which the wait [25, 30) is not its own), wait 5 + 5.
       Durations are whole. */
    char *text = table_of("state-summary", NULL, (struct weft_span){ 25, 65 });
    assert_non_null(strstr(text, "state,work,3,75,70,60,60,100,100,100,93.75\n"));
    assert_non_null(strstr(text, "state,wait,2,10,10,25,10,40,40,40,12.50\n"));
    free(text);
    text = table_of("state-summary", "by=container", (struct weft_span){ 0, 100 });
    assert_non_null(strstr(text, "state,one,4,100,100,"));
    assert_non_null(strstr(text, "state,two,1,100,100,100,100,100,100,100,100.00\n"));
    free(text);
    /* Each value on each container: one works 60 ticks, 10 of them with a wait inside. */
    text = table_of("state-summary", "by=each", (struct weft_span){ 0, 100 });
    assert_non_null(strstr(text, "container,type,value,count,"));
    assert_non_null(strstr(text, "one,state,work,2,60,50,40,20,60,60,60,60.00\n"));
    assert_non_null(strstr(text, "one,state,wait,2,50,50,25,10,40,40,40,50.00\n"));
    assert_non_null(strstr(text, "two,state,work,1,100,100,100,100,100,100,100,100.00\n"));
    free(text);
}

/* Threads of one name are told apart by their processes. */
static void test_state_summary_tells_names_apart(void **unused)
{
    (void)unused;
    struct weft_builder *b = start_store();
    uint32_t process = define_type(b, WEFT_CONTAINER, 0, "process");
    uint32_t thread = define_type(b, WEFT_CONTAINER, process, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t work = weft_builder_value(b, state, "work", NULL, 0);
    for (int i = 0; i < 2; i++) {
        uint32_t of =
            weft_builder_container(b, process, 0, i ? "rank 1" : "rank 0", NULL, 0);
        uint32_t track = weft_builder_track(
            b, weft_builder_container(b, thread, of, "task", NULL, 0), state);
        (void)!weft_builder_push(b, track, 0, work, NULL, 0, NULL);
        (void)!weft_builder_pop(b, track, 10, NULL);
    }
    open_store(b);
    char *text = table_of("state-summary", "by=each", (struct weft_span){ 0, 10 });
    assert_non_null(strstr(text, "rank 0/task,state,work,1,10,"));
    assert_non_null(strstr(text, "rank 1/task,state,work,1,10,"));
    free(text);
    text = table_of("state-summary", "by=container", (struct weft_span){ 0, 10 });
    assert_non_null(strstr(text, "state,rank 1/task,1,10,"));
    free(text);
}

/* A picture does not keep a name of a megabyte for each of its rows. */
static void test_state_summary_cuts_names(void **unused)
{
    (void)unused;
    enum { ROWS = 16, NAME = 1 << 20 };
    struct weft_builder *b = start_store();
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    char *name = weft_arena_alloc(&arena, NAME + 1);
    memset(name, 'N', NAME);
    name[NAME] = '\0';
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t states[2] = { define_type(b, WEFT_STATE, thread, name),
                           define_type(b, WEFT_STATE, thread, name) };
    for (int k = 0; k < 2; k++) {
        uint32_t value = weft_builder_value(b, states[k], name, NULL, 0);
        for (int i = 0; i < ROWS / 2; i++) {
            uint32_t track = weft_builder_track(
                b, weft_builder_container(b, thread, 0, "t", NULL, 0), states[k]);
            (void)!weft_builder_push(b, track, 0, value, NULL, 0, NULL);
            (void)!weft_builder_pop(b, track, 10, NULL);
        }
    }
    open_store(b);
    weft_arena_reset(&arena);
    const struct weft_view *view = weft_view_find("state-summary");
    const char *settings[32] = { NULL };
    assert_true(weft_setting_parse(view, "by=each", settings, &err));
    const struct weft_request request = { .set = &set,
                                          .window = source->schema->span,
                                          .width = 900,
                                          .height = 900,
                                          .settings = settings,
                                          .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    assert_true(weft_view_draw(view, &request, &arena, &scene, &err));
    assert_true(arena.used < ROWS * NAME / 4);
    weft_arena_free(&arena);
}

/* States as a damaged block may have them: longer than a time can say, or backwards. */
static void wild_states(const struct weft_source *wild, uint32_t track,
                        struct weft_span window,
                        bool (*visit)(void *user, const struct weft_state *state),
                        void *user)
{
    (void)wild;
    (void)track;
    (void)window;
    if (visit(user, &(struct weft_state){ .begin = INT64_MIN, .end = INT64_MAX }))
        visit(user, &(struct weft_state){ .begin = INT64_MAX, .end = INT64_MIN });
}

static void whole_sums(const struct weft_source *wild, const uint32_t *tracks, size_t n,
                       struct weft_span window, struct weft_sum *sums)
{
    (void)wild;
    source->ops->sums(source, tracks, n, window, sums);
}

/* Numbers that mean nothing, but all of them, and no overflow on the way. */
static void test_state_summary_of_damaged_times(void **unused)
{
    (void)unused;
    small_store();
    const struct weft_source_ops ops = { .states = wild_states, .sums = whole_sums };
    const struct weft_source wild = { &ops, source->schema };
    const struct weft_source *only = &wild;
    struct weft_set whole = set;
    set = (struct weft_set){ &only, 1 };
    char *text = table_of("state-summary", NULL, source->schema->span);
    assert_non_null(strstr(text, "9223372036854775807"));
    free(text);
    set = whole;
}

/* Quantiles of few are exact, and the shortest states are among them. */
static void test_quantiles_of_single_ticks(void **unused)
{
    (void)unused;
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t tick = weft_builder_value(b, state, "tick", NULL, 0);
    uint32_t none = weft_builder_value(b, state, "none", NULL, 0);
    uint32_t one =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), state);
    for (int64_t i = 0; i < 10; i++) {
        (void)!weft_builder_push(b, one, 10 * i, tick, NULL, 0, NULL);
        (void)!weft_builder_pop(b, one, 10 * i + 1, NULL);
        (void)!weft_builder_push(b, one, 10 * i + 5, none, NULL, 0, NULL);
        (void)!weft_builder_pop(b, one, 10 * i + 5, NULL);
    }
    open_store(b);
    char *text = table_of("state-summary", NULL, (struct weft_span){ 0, 100 });
    /* The thread lives to the end of the span, 95: 10 of 95 ticks. */
    assert_non_null(strstr(text, "state,tick,10,10,10,1,1,1,1,1,10.53\n"));
    assert_non_null(strstr(text, "state,none,10,0,0,0,0,0,0,0,0.00\n"));
    free(text);
}

static void test_overview_counts_tracks(void **unused)
{
    (void)unused;
    small_store();
    /* Four columns of 25: in [25, 50) thread one waits 5 of 25 ticks. */
    char *text = table_of("overview", NULL, source->schema->span);
    assert_string_equal(text, "time_ns,value,tracks\n"
                              "0,work,1.800\n0,wait,0.200\n"
                              "25,work,1.800\n25,wait,0.200\n"
                              "50,work,1.400\n50,wait,0.600\n"
                              "75,work,1.000\n75,wait,1.000\n");
    free(text);
}

/* From 1000 to 5000, and inside of itself from 2000 to 3000: durations 1000 and 4000. */
static void test_a_value_inside_itself(void **unused)
{
    (void)unused;
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t submit = weft_builder_value(b, state, "submit", NULL, 0);
    uint32_t one =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), state);
    (void)!weft_builder_push(b, one, 1000, submit, NULL, 0, NULL);
    (void)!weft_builder_push(b, one, 2000, submit, NULL, 0, NULL);
    (void)!weft_builder_pop(b, one, 3000, NULL);
    (void)!weft_builder_pop(b, one, 5000, NULL);
    open_store(b);
    char *text = table_of("state-summary", NULL, source->schema->span);
    assert_non_null(
        strstr(text, "state,submit,2,4000,4000,2500,1000,4000,4000,4000,80.00\n"));
    free(text);
}

static void test_lock_summary(void **unused)
{
    (void)unused;
    struct weft_builder *b = start_store();
    uint32_t process = define_type(b, WEFT_CONTAINER, 0, "Process");
    uint32_t thread = define_type(b, WEFT_CONTAINER, process, "Thread");
    uint32_t mutex = define_type(b, WEFT_CONTAINER, process, "Mutex");
    uint32_t state = define_type(b, WEFT_STATE, thread, "Thread state");
    uint32_t lock = define_type(b, WEFT_STATE, mutex, "Verrou");
    uint32_t blocked = weft_builder_value(b, state, "attend", NULL, 0);
    uint32_t held = weft_builder_value(b, lock, "pris", NULL, 0);
    uint32_t contended = weft_builder_value(b, lock, "pris, attendu", NULL, 0);
    uint32_t object = weft_builder_field(b, state, "what", WEFT_FIELD_CONTAINER);
    uint32_t site = weft_builder_field(b, state, "where", WEFT_FIELD_SITE);
    uint32_t holder = weft_builder_field(b, lock, "who", WEFT_FIELD_CONTAINER);
    uint32_t acquisition = weft_builder_field(b, lock, "new", WEFT_FIELD_INTEGER);
    uint32_t taken = add_field(b, lock, "taken at", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    weft_builder_type_role(b, lock, WEFT_ROLE_LOCK_STATE);
    weft_builder_value_role(b, blocked, WEFT_ROLE_BLOCKED_ON_LOCK);
    weft_builder_value_role(b, held, WEFT_ROLE_HELD);
    weft_builder_value_role(b, contended, WEFT_ROLE_CONTENDED);
    weft_builder_field_role(b, object, WEFT_ROLE_OBJECT);
    weft_builder_field_role(b, site, WEFT_ROLE_SITE);
    weft_builder_field_role(b, holder, WEFT_ROLE_HOLDER);
    weft_builder_field_role(b, acquisition, WEFT_ROLE_ACQUISITION);
    uint32_t where = weft_builder_site(
        b, &(struct weft_site){ .function = "put", .file = "q.c", .line = 12 });
    uint32_t culprit = weft_builder_site(
        b, &(struct weft_site){ .function = "sort", .file = "/x/q.c", .line = 30 });
    uint32_t p = weft_builder_container(b, process, 0, "p", NULL, 0);
    uint32_t t1 = weft_builder_container(b, thread, p, "t1", NULL, 0);
    uint32_t t2 = weft_builder_container(b, thread, p, "t2", NULL, 0);
    uint32_t m = weft_builder_container(b, mutex, p, "mutex 1", NULL, 0);
    uint32_t locks = weft_builder_track(b, m, lock),
             states = weft_builder_track(b, t2, state);
    /* t1 holds [10, 40), from 20 on t2 waits; t2 holds [40, 50); nobody else. */
    struct weft_field_value by_t1[] = { { holder, { .index = t1 } },
                                        { acquisition, { .integer = 1 } } };
    struct weft_field_value again[] = { by_t1[0],
                                        { acquisition, { .integer = 0 } },
                                        { taken, { .index = culprit } } };
    struct weft_field_value by_t2[] = { { holder, { .index = t2 } },
                                        { acquisition, { .integer = 1 } } };
    struct weft_field_value wait[] = { { object, { .index = m } },
                                       { site, { .index = where } } };
    (void)!weft_builder_set(b, locks, 10, held, by_t1, 2, NULL);
    (void)!weft_builder_set(b, locks, 20, contended, again, 3, NULL);
    (void)!weft_builder_set(b, locks, 40, held, by_t2, 2, NULL);
    (void)!weft_builder_reset(b, locks, 50);
    (void)!weft_builder_push(b, states, 20, blocked, wait, 2, NULL);
    (void)!weft_builder_pop(b, states, 40, NULL);
    open_store(b);
    char *text = table_of("lock-summary", NULL, source->schema->span);
    assert_string_equal(text, "lock,kind,acquisitions,read_acquisitions,contended,"
                              "wait_total_ns,wait_p99_ns,wait_max_ns,hold_total_ns,"
                              "hold_read_ns,hold_ready_ns,hold_mean_ns,worst_holder,"
                              "worst_holder_ns,worst_hold_site,hold_sites,wait_sites,"
                              "who_for_whom\n"
                              "mutex 1,Mutex,2,,1,20,20,20,40,,,20,t1,20,sort (q.c:30),"
                              "sort (q.c:30),put (q.c:12),\n");
    free(text);
    text = table_of("wait-summary", NULL, source->schema->span);
    assert_string_equal(text,
                        "wait,role,object,objects,kind,site,partner,tag,count,total_ns,"
                        "mean_ns,p50_ns,p99_ns,max_ns,waiters,worst_waiter,worst_waiter_ns,"
                        "wakings,usual_waker,usual_waker_pct\n"
                        "attend,blocked-on-lock,mutex 1,1,Mutex,put (q.c:12),,,1,20,20,20,"
                        "20,20,1,t2,20,,,\n");
    free(text);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, close_store)
    const struct CMUnitTest tests[] = {
        T(test_state_summary_of_everything),
        T(test_state_summary_of_a_range),
        T(test_state_summary_tells_names_apart),
        T(test_state_summary_cuts_names),
        T(test_state_summary_of_damaged_times),
        T(test_quantiles_of_single_ticks),
        T(test_a_value_inside_itself),
        T(test_overview_counts_tracks),
        T(test_lock_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
