/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: which are found, those that are damaged or change, and when one is closed. */
#define _GNU_SOURCE
#include "routes_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/small_store.h"
#include "view/detail.h"
#include "view/prepare.h"

/* Two files of one name, in two folders: each has its path. */
static void test_traces_of_one_name_have_their_paths(void **state)
{
    (void)state;
    struct weft_err err;
    char *other = weft_asprintf("%s/src/trace.weft", routes_folder);
    char *third = weft_asprintf("%s/src/other.weft", routes_folder);
    build_trace(other);
    build_trace(third);
    const char *paths[] = { trace_path, other, third };
    struct traces *traces = traces_find(paths, 3, &(struct weft_read_options){ 0 }, &err);
    assert_int_equal(traces_count(traces), 3);
    assert_string_equal(traces_entry(traces, 0)->name, trace_path);
    assert_string_equal(traces_entry(traces, 1)->name, other);
    assert_string_equal(traces_entry(traces, 2)->name, "other.weft");
    traces_close(traces);
    unlink(other);
    unlink(third);
    free(other);
    free(third);
}

/* What of a folder is not looked into is told, also when it is all. */
static void test_what_of_a_folder_is_left_out_is_told(void **state)
{
    (void)state;
    static const char *const parts[] = { "src/a", "src/a/b", "src/a/b/c", "src/a/b/c/d" };
    struct weft_err err;
    const struct weft_read_options reading = { 0 };
    const char *paths[] = { routes_folder };
    char *made[5];
    for (size_t i = 0; i < 4; i++) {
        made[i] = weft_asprintf("%s/%s", routes_folder, parts[i]);
        assert_int_equal(mkdir(made[i], 0700), 0);
    }
    made[4] = weft_asprintf("%s/deep.weft", made[3]);
    build_trace(made[4]);
    struct traces *traces = traces_find(paths, 1, &reading, &err);
    assert_int_equal(traces_count(traces), 1); /* trace.weft */
    assert_string_equal(traces_remark(traces),
                        "1 folder deeper than 3 was not looked into");
    traces_close(traces);
    paths[0] = source_roots[0];
    assert_null(traces_find(paths, 1, &reading, &err));
    assert_string_equal(err.message, "no trace in this folder: 1 folder deeper than 3 was "
                                     "not looked into");
    paths[0] = made[0];
    traces = traces_find(paths, 1, &reading, &err);
    assert_int_equal(traces_count(traces), 1);
    assert_null(traces_remark(traces));
    traces_close(traces);
    if (geteuid() != 0) { /* who may read all cannot be kept out */
        assert_int_equal(chmod(made[3], 0), 0);
        paths[0] = made[1];
        assert_null(traces_find(paths, 1, &reading, &err));
        assert_non_null(strstr(err.message, "1 folder cannot be read"));
        assert_int_equal(chmod(made[3], 0700), 0);
        assert_int_equal(chmod(made[4], 0), 0);
        assert_null(traces_find(paths, 1, &reading, &err));
        assert_non_null(strstr(err.message, "1 file cannot be read"));
    }
    for (size_t i = 5; i--;) {
        remove(made[i]);
        free(made[i]);
    }
}

static void assert_all_say_that_it_changed(void)
{
    static const char *const paths[] = { "/view/space-time.packed",
                                         "/view/space-time.rows",
                                         "/view/overview.svg",
                                         "/view/overview.csv",
                                         "/point/space-time",
                                         "/detail",
                                         "/containers",
                                         "/search",
                                         "/source",
                                         "/trace" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(ask(paths[i], "trace=0&q=x", NULL), 410);
        answered("trace.weft changed while it was open; reload");
    }
    assert_int_equal(ask("/workbench.svg", "", "400 200 dark\n0 0 200 200 space-time?"),
                     410);
    assert_int_equal(ask("/catalogue", "", NULL), 200);
}

static void test_a_trace_that_changes_is_told_and_reloaded(void **state)
{
    (void)state;
    wait_until_open();
    /* Replaced by another of the same kind. */
    build_trace(trace_path);
    assert_all_say_that_it_changed();
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    assert_int_equal(ask("/view/space-time.rows", "", NULL), 200);
    answered("\"total\":2");
    /* Cut: touching it would be a bus error. */
    assert_int_equal(truncate(trace_path, 100), 0);
    assert_all_say_that_it_changed();
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    answered("\"failed\"");
    /* Gone, and there again. */
    build_trace(trace_path);
    wait_until_open();
    unlink(trace_path);
    assert_all_say_that_it_changed();
    build_trace(trace_path);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    assert_int_equal(ask("/view/overview.svg", "", NULL), 200);
    assert_int_equal(ask("/reload", "trace=0", ""),
                     200); /* nothing has changed: nothing done */
    assert_int_equal(ask("/view/overview.svg", "", NULL), 200);
    assert_int_equal(ask("/reload", "trace=7", ""), 404);
}

/* A table, a search and a header say that something of the trace cannot be read. */
static void test_tables_say_what_is_damaged(void **state)
{
    (void)state;
    wait_until_open();
    assert_int_equal(ask("/view/space-time.rows", "", NULL), 200);
    answered("\"damaged\":0");
    assert_int_equal(ask("/view/space-time.csv", "", NULL), 200);
    assert_int_equal(answer.damaged, 0);
    build_trace(trace_path);
    FILE *file = fopen(trace_path, "r+b");
    assert_int_equal(fseek(file, 4096 + 9, SEEK_SET), 0); /* in the first block */
    assert_int_equal(putc(0xff, file), 0xff);
    fclose(file);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    assert_int_equal(ask("/view/space-time.rows", "", NULL), 200);
    answered("\"total\":0,\"more\":false,\"damaged\":1");
    assert_int_equal(answer.damaged, 1);
    static const char *const endings[] = { "csv", "json", "text",  "svg",
                                           "png", "pdf",  "scene", "packed" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[40];
        snprintf(path, sizeof path, "/view/space-time.%s", endings[i]);
        assert_int_equal(ask(path, "", NULL), 200);
        assert_int_equal(answer.damaged, 1);
    }
    assert_int_equal(ask("/workbench.svg", "",
                         "400 200 dark\n0 0 200 200 space-time?\n"
                         "200 0 200 200 state-summary?"),
                     200);
    assert_int_equal(answer.damaged, 1); /* one trace, in two panels */
    do
        assert_int_equal(ask("/search", "q=run", NULL), 200); /* until it is done */
    while (!memmem(answer.content, answer.size, "\"done\":true", 11));
    answered("\"damaged\":1");
    assert_int_equal(ask("/trace", "trace=0", NULL), 200); /* a trace without problems */
    answered("\"kind\":\"damaged\",\"message\":\"a block of ");
    build_trace(trace_path);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    answered("\"problems\":[]");
    assert_int_equal(ask("/view/space-time.rows", "", NULL), 200);
    answered("\"total\":2,\"more\":false,\"damaged\":0");
}

/* Containers inside one another with long names: each path by its end, not all of them whole. */
static void test_long_paths_are_shown_by_their_ends(void **state)
{
    (void)state;
    enum { DEEP = 200, NAME = 1000 };
    struct weft_err err;
    char name[NAME + 1];
    struct weft_builder *b = weft_builder_new(trace_path, "test", &err);
    weft_builder_resolution(b, 1, 1);
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_NONE);
    uint32_t parent = 0;
    for (int i = 0; i < DEEP; i++) {
        memset(name, 'a', NAME);
        snprintf(name + NAME - 8, 9, "ä%06d", i);
        parent = weft_builder_container(b, type, parent, name, NULL, 0);
    }
    weft_builder_container(b, type, parent, "zz", NULL, 0);
    char *longest = weft_asprintf("ä%0*d", 2 * WEFT_PATH_MAX, 0);
    weft_builder_container(b, type, parent, longest, NULL, 0);
    assert_true(weft_builder_finish(b, NULL, &err));
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    assert_int_equal(ask("/containers", "q=zz", NULL), 200);
    answered("…aa");
    answered("ä000198/aaa");
    answered("ä000199/zz\"");
    assert_in_range(answer.size, WEFT_PATH_MAX - 100, WEFT_PATH_MAX + 100);
    assert_int_equal(ask("/containers", "q=0000000", NULL), 200);
    answered("\"path\":\"…0000");
    assert_in_range(answer.size, WEFT_PATH_MAX, WEFT_PATH_MAX + 100);
    assert_int_equal(ask("/containers", "q=a", NULL), 200); /* 100 of them */
    assert_in_range(answer.size, 100 * 1000, 100 * (WEFT_PATH_MAX + 100));
    free(longest);
    struct weft_job left = { .cancelled = true };
    request.job = &left;
    routes_answer(&request, &answer);
    assert_int_equal(answer.status, 409);
    build_trace(trace_path);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
}

/* Two who search different texts in a trace do not end each other's search, but a crowd does. */
static void test_several_search_at_a_time(void **state)
{
    (void)state;
    static const char *const texts[] = { "run", "wait", "p", "State", "fifth" };
    struct weft_err err;
    bool done, cut;
    wait_until_open();
    struct weft_trace *trace = traces_hold(service.traces, 0, NULL, &err);
    struct searches *searches = searches_new();
    struct running_search *held[5];
    for (size_t i = 0; i < 4; i++)
        do /* to the end: one that runs is given up when nobody asks for it for a while */
            held[i] = searches_hold(searches, weft_trace_source(trace), texts[i], &done,
                                    &cut, &err);
        while (!done);
    for (size_t i = 0; i < 4; i++) {
        assert_ptr_equal(
            searches_hold(searches, weft_trace_source(trace), texts[i], &done, &cut, &err),
            held[i]);
        assert_false(cut);
    }
    /* "run" was asked for longest ago. */
    held[4] =
        searches_hold(searches, weft_trace_source(trace), texts[4], &done, &cut, &err);
    struct running_search *again =
        searches_hold(searches, weft_trace_source(trace), texts[0], &done, &cut, &err);
    assert_ptr_not_equal(again, held[0]);
    assert_ptr_equal(
        searches_hold(searches, weft_trace_source(trace), texts[4], &done, &cut, &err),
        held[4]);
    searches_free(searches);
    traces_release(service.traces, 0, trace);
}

/* The state "run" lasts from 0 to 10 s, "wait" from there to 30 s. */
static void test_filters_stand_before_views_and_searches(void **state)
{
    (void)state;
    char key[64], query[128];
    wait_until_open();
    assert_int_equal(ask("/view/state-summary.csv", "trace=0", NULL), 200);
    answered("State,run,");
    assert_int_equal(ask("/view/state-summary.csv", "trace=0&filters=hide run", NULL), 200);
    assert_null(strstr(answer.content, "run"));
    answered("State,wait,");
    assert_int_equal(
        ask("/view/state-summary.csv", "trace=0&filters=# none\noff hide run\n", NULL),
        200);
    answered("State,run,");
    assert_int_equal(ask("/view/state-summary.csv", "trace=0&filters=\nhode run", NULL),
                     400);
    answered("filters, line 2: 'hode' is no filter (did you mean hide?)");
    assert_int_equal(ask("/detail", "trace=0&row=#2&filters=group g = p", NULL), 200);
    answered("\"name\":\"g\"");
    assert_int_equal(ask("/containers", "trace=0&filters=hide row in p", NULL), 200);
    assert_null(strstr(answer.content, "\"p\""));
    assert_int_equal(ask("/settings", "a=b", "hide wait"), 200);
    const char *at = strstr(answer.content, "@");
    assert_non_null(at);
    snprintf(key, sizeof key, "%.33s", at);
    snprintf(query, sizeof query, "trace=0&filters=%s", key);
    assert_int_equal(ask("/view/state-summary.csv", query, NULL), 200);
    assert_null(strstr(answer.content, "wait"));
    static char usual[] = "hide run";
    service.usual_filters = usual;
    assert_int_equal(ask("/view/state-summary.csv", "trace=0", NULL), 200);
    assert_null(strstr(answer.content, "run"));
    assert_int_equal(ask("/view/state-summary.csv", "trace=0&filters=", NULL), 200);
    answered("State,run,");
    service.usual_filters = NULL;
    /* More chains than are kept: none is in use, so the oldest go. */
    for (int i = 0; i < 40; i++) {
        snprintf(query, sizeof query, "trace=0&q=run&filters=name run = \"run %d\"", i);
        assert_int_equal(ask("/search", query, NULL), 200);
        snprintf(query, sizeof query, "trace=0&filters=name run = \"run %d\"", i);
        assert_int_equal(ask("/view/state-summary.csv", query, NULL), 200);
        snprintf(query, sizeof query, "State,run %d,", i);
        answered(query);
    }
}

static struct weft_trace *forgotten[4];
static size_t n_forgotten;

static void forget(void *user, struct weft_trace *trace)
{
    (void)user;
    if (n_forgotten < sizeof forgotten / sizeof *forgotten)
        forgotten[n_forgotten++] = trace;
    filter_chains_forget(service.filters, trace);
    searches_forget(service.searches, weft_trace_source(trace));
    weft_shelf_forget(service.shelf, weft_trace_source(trace));
}

/* Open the trace anew, with something searched and prepared of it. */
static void replace(void)
{
    build_trace(trace_path);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    assert_int_equal(ask("/search", "q=run", NULL), 200);
    assert_int_equal(ask("/view/state-summary.rows", "", NULL), 200);
}

static void test_an_old_trace_is_closed_when_nobody_holds_it(void **state)
{
    (void)state;
    struct weft_err err;
    wait_until_open();
    replace();
    n_forgotten = 0;
    struct weft_trace *first = traces_hold(service.traces, 0, NULL, &err);
    assert_ptr_equal(traces_hold(service.traces, 0, NULL, &err), first);
    replace();
    assert_int_equal(n_forgotten, 0);
    struct weft_trace *second = traces_hold(service.traces, 0, NULL, &err);
    assert_ptr_not_equal(first, second);
    traces_release(service.traces, 0, first);
    assert_int_equal(n_forgotten, 0);
    assert_int_equal(weft_trace_schema(first)->n_states, 2); /* it can be used still */
    replace();
    traces_release(service.traces, 0, first);
    assert_int_equal(n_forgotten, 1);
    assert_ptr_equal(forgotten[0], first);
    traces_release(service.traces, 0, second);
    assert_int_equal(n_forgotten, 2);
    assert_ptr_equal(forgotten[1], second);
    replace(); /* no answer uses the third any more */
    assert_int_equal(n_forgotten, 3);
}

/* Searches and the like end before their trace is closed, as in the server. */
static int set_up(void **state)
{
    int failed = routes_set_up(state);
    if (!failed)
        traces_forget_by(service.traces, forget, NULL);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces_of_one_name_have_their_paths),
        cmocka_unit_test(test_what_of_a_folder_is_left_out_is_told),
        cmocka_unit_test(test_tables_say_what_is_damaged),
        cmocka_unit_test(test_several_search_at_a_time),
        cmocka_unit_test(test_filters_stand_before_views_and_searches),
        cmocka_unit_test(test_long_paths_are_shown_by_their_ends),
        cmocka_unit_test(test_a_trace_that_changes_is_told_and_reloaded),
        cmocka_unit_test(test_an_old_trace_is_closed_when_nobody_holds_it),
    };
    return cmocka_run_group_tests(tests, set_up, routes_tear_down);
}
