/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function is said at the place where samples found it, not wherever its row worked on the
 * way.  A thread runs for 200 ns: the region a.c:5 for the first half, the loop a.c:9 for the
 * second.  Ten samples of 10 ns find `first` in the region, ten find `second` in the loop, of
 * which three have no call stack.
 */
#include "analyse/sites_by_line.h"
#include "analyse/wait_causes.h"
#include "tests/small_store.h"

static struct weft_trace *trace;
static const struct weft_source *source;

static void add_construct(struct weft_builder *b, uint32_t track, int64_t begin,
                          int64_t end, uint32_t value, uint32_t field, uint32_t line)
{
    const struct weft_site site = { line, "a", "main", "a.c", line };
    struct weft_field_value place = { .field = field,
                                      .index = weft_builder_site(b, &site) };
    weft_builder_push(b, track, begin, value, &place, 1, NULL);
    weft_builder_pop(b, track, end, NULL);
}

static int set_up(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-functions-XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    uint32_t activity = add_type(b, WEFT_STATE, thread, "Thread state", WEFT_ROLE_ACTIVITY);
    uint32_t constructs = add_type(b, WEFT_STATE, thread, "OpenMP", WEFT_ROLE_CALL);
    uint32_t samples = add_type(b, WEFT_EVENT, thread, "Sample", WEFT_ROLE_SAMPLE);
    uint32_t running = add_value(b, activity, "running", WEFT_ROLE_RUNNING);
    uint32_t region = add_value(b, constructs, "region", WEFT_ROLE_PARALLEL_REGION);
    uint32_t loop = add_value(b, constructs, "loop", WEFT_ROLE_SHARED_WORK);
    uint32_t site = add_field(b, constructs, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    uint32_t stack = add_field(b, samples, "stack", WEFT_FIELD_TEXT, WEFT_ROLE_CALL_STACK);
    uint32_t stands_for =
        add_field(b, samples, "time", WEFT_FIELD_INTEGER, WEFT_ROLE_SAMPLED_TIME);
    uint32_t c = weft_builder_container(b, thread, 0, "main", NULL, 0);
    uint32_t runs = weft_builder_track(b, c, activity),
             calls = weft_builder_track(b, c, constructs),
             sampled = weft_builder_track(b, c, samples);
    weft_builder_push(b, runs, 0, running, NULL, 0, NULL);
    weft_builder_pop(b, runs, 200, NULL);
    add_construct(b, calls, 0, 100, region, site, 5);
    add_construct(b, calls, 100, 200, loop, site, 9);
    for (int i = 0; i < 20; i++) {
        const char *text = i < 10 ? "main;first" : "main;second";
        struct weft_field_value fields[] = {
            { .field = stands_for, .integer = 10 },
            { .field = stack, .index = weft_builder_string(b, text, strlen(text)) },
        };
        weft_builder_event(b, sampled, 10 * i + 5, WEFT_NONE, fields, i < 17 ? 2 : 1, NULL);
    }
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return 0;
}

/* Returns the ticks of FUNCTION (NULL: none) at the line LINE. */
static int64_t ticks_of(const struct weft_causes *causes, uint32_t line,
                        const char *function)
{
    int64_t ticks = 0;
    for (size_t i = 0; i < causes->n; i++) {
        const struct weft_cause *cause = &causes->list[i];
        uint32_t at =
            cause->site == WEFT_NONE ? 0 : source->schema->sites[cause->site].line;
        bool same = function ? cause->function && !strcmp(cause->function, function)
                             : !cause->function;
        if (at == line && same)
            ticks += cause->ticks;
    }
    return ticks;
}

static void test_functions_by_place(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_arena arena = { 0 };
    struct weft_releases *releases = weft_releases_new(source, NULL, &err);
    assert_non_null(releases);
    const struct weft_walk_query query = {
        .source = source, .releases = releases, .row = 1, .span = { 0, 200 }
    };
    struct weft_causes causes;
    assert_true(
        weft_causes_read(&query, weft_sites_alike(&arena, source->schema), &causes, &err));
    assert_int_equal(ticks_of(&causes, 5, "first"), 100);
    assert_int_equal(ticks_of(&causes, 9, "second"), 70);
    assert_int_equal(ticks_of(&causes, 9, NULL), 30);
    assert_int_equal(ticks_of(&causes, 5, "second") + ticks_of(&causes, 9, "first"), 0);
    weft_causes_free(&causes);
    weft_releases_free(releases);
    weft_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_functions_by_place) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
