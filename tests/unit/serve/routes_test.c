/* SPDX-License-Identifier: Apache-2.0 */
/* What routes answer, and which requests they refuse. */
#define _GNU_SOURCE
#include "routes_fixture.h"

#include <stdio.h>
#include <string.h>

static void test_paths_and_methods(void **state)
{
    static const char *const unknown[] = { "/nothing",   "/catalogue/", "/catalogue2",
                                           "/Catalogue", "/views/x",    "/workbench",
                                           "/view",      "//",          "/search/else" };
    (void)state;
    assert_int_equal(ask("/catalogue", "", NULL), 200);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (strcmp(unknown[i], "/search/else") == 0)
            assert_int_equal(ask(unknown[i], "q=x", NULL), 404);
        else
            assert_int_equal(ask(unknown[i], "", NULL), 404);
    static const char *const reading[] = { "/", "/catalogue", "/trace", "/view/x.svg",
                                           "/detail" };
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        assert_int_equal(ask(reading[i], "", ""), 405);
    assert_int_equal(ask("/cancel", "trace=0", NULL), 405);
    assert_int_equal(ask("/workbench.svg", "", NULL), 405);
}

static void test_traces_go_by_number(void **state)
{
    static const char *const routes[] = { "/trace",  "/detail", "/containers",
                                          "/source", "/marks",  "/view/space-time.json" };
    static const char *const wrong[] = { "trace=1",
                                         "trace=-1",
                                         "trace=x",
                                         "trace=0x0",
                                         "trace=../trace.weft",
                                         "trace=99999999999999999999" };
    (void)state;
    for (size_t r = 0; r < sizeof routes / sizeof *routes; r++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
            assert_int_equal(ask(routes[r], wrong[i], NULL), 404);
    assert_int_equal(ask("/view/space-time.json", "trace=0", NULL), 200);
    assert_int_equal(ask("/view/space-time.json", "", NULL), 200); /* the first */
    answered("\"value\": \"run\"");
    assert_int_equal(ask("/trace", "trace=0", NULL), 200);
    answered("\"state\":\"ready\"");
    answered("\"ticks_per_second\":1,\"states\":2,\"events\":0,\"samples\":0");
}

static void test_details_and_containers(void **state)
{
    (void)state;
    assert_int_equal(ask("/containers", "q=p", NULL), 200);
    answered("{\"row\":\"#1\",\"path\":\"");
    assert_int_equal(ask("/containers", "q=nobody", NULL), 200);
    assert_string_equal(answer.content, "[]\n");
    char longest[1100];
    snprintf(longest, sizeof longest, "q=%01000d", 0);
    assert_int_equal(ask("/containers", longest, NULL), 200);
    snprintf(longest, sizeof longest, "q=%01001d", 0);
    assert_int_equal(ask("/containers", longest, NULL), 400);
    assert_int_equal(ask("/search", longest, NULL), 400);
    assert_int_equal(ask("/detail", "row=#1", NULL), 200);
    answered("\"name\":\"p\",\"row\":\"#1\",\"begin\":0,\"end\":30");
    assert_int_equal(ask("/detail", "id=0", NULL), 200);
    answered("\"row\":\"#1\",\"begin\":0,\"end\":10");
    assert_int_equal(ask("/detail", "id=1", NULL), 200);
    answered("\"begin\":10,\"end\":30");
    static const char *const wrong[] = { "id=2",
                                         "id=18446744073709551615",
                                         "id=1099511627776",
                                         "row=#2",
                                         "row=#99999",
                                         "row=p",
                                         "x=y" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ask("/detail", wrong[i], NULL), 404);
}

/* Parameters of a view: what makes no sense is refused with a sentence that names it. */
static void test_parameters_of_views(void **state)
{
    static const struct {
        const char *query, *said; /* NULL: it is drawn */
    } cases[] = {
        { "", NULL },
        { "begin=0&end=30", NULL },
        { "begin=-5&end=500&width=16&height=16", NULL },
        { "range=10:20", NULL },
        { "theme=dark&bare=1", NULL },
        { "under=p", NULL },
        { "under=", NULL },
        { "begin=20&end=10", "begin and end" },
        { "begin=10&end=10", "begin and end" },
        { "begin=10", "begin and end" },
        { "begin=x&end=10", "begin and end" },
        { "begin=-9223372036854775808&end=9223372036854775807", NULL }, /* all times */
        { "begin=9223372036854775806&end=9223372036854775807", "begin and end" },
        { "range=20:10", "empty range" },
        { "range=nonsense", "nonsense" },
        { "theme=pink", "pink" },
        { "under=nobody", "nobody" },
        { "order=sideways", "sideways" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned status = ask("/view/space-time.scene", cases[i].query, NULL);
        if (status != (cases[i].said ? 400 : 200))
            fail_msg("%s: %u %.200s", cases[i].query, status, answer.content);
        if (cases[i].said)
            answered(cases[i].said);
    }
}

static void test_sizes_have_limits(void **state)
{
    static const struct {
        const char *query, *size;
    } cases[] = {
        { "", "{\"width\":1280,\"height\":720," },
        { "width=100&height=50", "{\"width\":100,\"height\":50," },
        { "width=16384&height=16", "{\"width\":16384,\"height\":16," },
        { "width=15&height=-1", "{\"width\":16,\"height\":16," },
        { "width=&height=", "{\"width\":1280,\"height\":720," },
    };
    static const char *const bad[] = { "width=16385", "height=1e9", "width=wide",
                                       "height=640.5", "width=99999999999999999999" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask("/view/space-time.scene", bad[i], NULL), 400);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ask("/view/space-time.scene", cases[i].query, NULL), 200);
        answered(cases[i].size);
    }
    assert_int_equal(ask("/view/space-time.csv", "limit=1", NULL), 200);
    size_t lines = 0;
    for (size_t i = 0; i < answer.size; i++)
        lines += answer.content[i] == '\n';
    assert_int_equal(lines, 2); /* the columns' names and one row */
}

/* A number that is none, or beyond its limit, is not another number. */
static void test_numbers_are_not_guessed(void **state)
{
    static const struct {
        const char *path, *query, *said; /* NULL: it is answered */
    } cases[] = {
        { "/view/space-time.rows", "limit=200000&offset=0&direction=up", NULL },
        { "/view/space-time.rows", "limit=&offset=&direction=", NULL },
        { "/view/space-time.rows", "limit=200001", "bad limit '200001'" },
        { "/view/space-time.rows", "limit=0", "bad limit '0'" },
        { "/view/space-time.rows", "limit=abc", "bad limit 'abc'" },
        { "/view/space-time.rows", "offset=-3", "bad offset '-3'" },
        { "/view/space-time.rows", "offset=99999999999999999999", "bad offset" },
        { "/view/space-time.rows", "sort=value&direction=sideways", "bad direction" },
        { "/view/space-time.csv", "limit=2x", "bad limit '2x'" },
        { "/view/space-time.text", "limit=200001", "bad limit '200001'" },
        { "/view/space-time.svg", "bare=yes", "bad bare 'yes'" },
        { "/view/space-time.svg", "shown_height=tall", "bad shown_height" },
        { "/view/space-time.svg", "shown_height=-1", NULL },
        { "/view/space-time.svg", "begin=0&end=10&shown_begin=x", "bad shown_begin" },
        { "/view/space-time.svg", "begin=0&end=10&shown_end=11", "bad shown_end" },
        { "/point/space-time", "point_x=abc&point_y=1", "bad point_x 'abc'" },
        { "/point/space-time", "point_x=1&point_y=-1", "bad point_y '-1'" },
        { "/detail", "id=1&row=", NULL },
        { "/detail", "id=abc", "bad id 'abc'" },
        { "/detail", "id=-18446744073709551615", "bad id" },
        { "/detail", "id=18446744073709551617", "bad id" },
        { "/detail", "row=#4294967297", "bad row '#4294967297'" },
        { "/detail", "row=#", "bad row '#'" },
        { "/detail", "row=#1x", "bad row '#1x'" },
        { "/source", "site=0&around=abc", "bad around 'abc'" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned status = ask(cases[i].path, cases[i].query, NULL);
        if (status != (cases[i].said ? 400 : 200))
            fail_msg("%s?%s: %u %.200s", cases[i].path, cases[i].query, status,
                     answer.content);
        if (cases[i].said)
            answered(cases[i].said);
    }
    do /* until all is counted, and there is a next one */
        assert_int_equal(ask("/search", "q=run", NULL), 200);
    while (!memmem(answer.content, answer.size, "\"done\":true", 11));
    assert_int_equal(ask("/search/next", "q=run&begin=0", NULL), 200);
    assert_int_equal(ask("/search/next", "q=run&begin=x", NULL), 400);
    assert_int_equal(ask("/search/next", "q=run&backward=2", NULL), 400);
    assert_int_equal(ask("/search/next", "q=run&begin=0&id=x", NULL), 400);
}

/* A view that compares: with another trace, the one of the number that was said. */
static void test_the_second_trace_goes_by_number(void **state)
{
    (void)state;
    assert_int_equal(ask("/view/tree-compare.csv", "with=0", NULL), 409); /* no trees */
    assert_int_equal(ask("/view/tree-compare.csv", "with=", NULL), 409);
    static const char *const wrong[] = { "with=1", "with=-1", "with=abc", "with=0x0" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ask("/view/tree-compare.csv", wrong[i], NULL), 404);
}

static void test_views_and_endings(void **state)
{
    static const struct {
        const char *path, *type;
    } good[] = {
        { "/view/space-time.svg", "image/svg+xml" },
        { "/view/space-time.csv", "text/csv; charset=utf-8" },
        { "/view/space-time.text", "text/plain; charset=utf-8" },
        { "/view/space-time.json", "application/json" },
        { "/view/space-time.packed", "application/octet-stream" },
    };
    static const char *const bad[] = { "/view/",
                                       "/view/space-time",
                                       "/view/space-time.",
                                       "/view/space-time.tiff",
                                       "/view/.svg",
                                       "/view/no-such-view.svg",
                                       "/view/../catalogue.svg",
                                       "/view/space-time.svg.exe" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(ask(good[i].path, "", NULL), 200);
        assert_string_equal(answer.type, good[i].type);
        assert_null(answer.filename);
    }
    assert_int_equal(ask("/view/space-time.svg", "save=1", NULL), 200);
    assert_string_equal(answer.filename, "space-time");
    answer_fail(&answer, 410, "it changed while it was read"); /* that is not to be saved */
    assert_null(answer.filename);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask(bad[i], "", NULL), 404);
    assert_int_equal(ask("/view/reduction-tree.svg", "", NULL), 409); /* no tree in it */
    answered("cannot fill");
}

static void test_sources_come_from_the_roots_only(void **state)
{
    (void)state;
    assert_int_equal(ask("/source", "site=0&around=1", NULL), 200);
    answered(
        "\"line\":3,\"first\":2,\"lines\":[\n\"two \\\"2\\\"\",\n\"three\",\n\"four\"]}");
    assert_int_equal(ask("/source", "site=0", NULL), 200); /* the whole of a short file */
    answered("\"first\":1,\"lines\":[\n\"one\"");
    answered("\"five\"]");
    assert_int_equal(ask("/source", "site=1", NULL), 404); /* outside, by .. */
    assert_null(strstr(answer.content, "secret"));
    assert_int_equal(ask("/source", "site=2", NULL),
                     404); /* not by an end of a name so long */
    assert_int_equal(ask("/source", "site=3", NULL), 404);
    assert_int_equal(ask("/source", "", NULL), 404);
}

/* Rows of the state summary: run 10 s, wait 20 s. */
static void test_tables_come_sorted_and_in_pages(void **state)
{
    (void)state;
    assert_int_equal(ask("/view/space-time.rows", "sort=duration_ns&direction=down", NULL),
                     200);
    answered("\"total\":2,\"more\":false,\"damaged\":0,\"columns\":[\"container\",");
    assert_true(strstr(answer.content, "\"wait\"") < strstr(answer.content, "\"run\""));
    assert_int_equal(ask("/view/space-time.rows", "sort=duration_ns&direction=up", NULL),
                     200);
    assert_true(strstr(answer.content, "\"wait\"") > strstr(answer.content, "\"run\""));
    assert_int_equal(ask("/view/space-time.rows", "sort=value&offset=1&limit=1", NULL),
                     200);
    answered("\"total\":2");
    assert_null(strstr(answer.content, "\"run\""));
    answered("\"wait\"");
    assert_int_equal(ask("/view/space-time.rows", "offset=2", NULL), 200);
    answered("\"total\":2");
    answered("\"rows\":[]");
    assert_int_equal(ask("/view/space-time.rows", "sort=nothing", NULL), 400);
    answered("no column 'nothing'");
    assert_int_equal(ask("/view/space-time.rows", "sort=value&offset=200000", NULL), 400);
    answered("the first 200000 rows");
}

static void test_a_key_stands_for_a_long_setting(void **state)
{
    (void)state;
    assert_int_equal(ask("/settings", "", "#1"), 200);
    char key[TEXT_CACHE_KEY], query[80];
    assert_int_equal(sscanf(answer.content, "{\"key\":\"%33[@0-9a-f]\"}", key), 1);
    snprintf(query, sizeof query, "key=%s", key);
    assert_int_equal(ask("/settings", query, NULL), 200);
    assert_string_equal(answer.content, "{\"text\":\"#1\"}\n");
    assert_int_equal(ask("/settings", "", "#1"), 200); /* the same text has the same key */
    assert_non_null(strstr(answer.content, key));
    snprintf(query, sizeof query, "closed=%s", key);
    assert_int_equal(ask("/view/space-time.svg", query, NULL), 200);
    key[5] = key[5] == '0' ? '1' : '0';
    snprintf(query, sizeof query, "closed=%s", key);
    assert_int_equal(ask("/view/space-time.svg", query, NULL), 400);
    answered("not there any more");
    snprintf(query, sizeof query, "key=%s", key);
    assert_int_equal(ask("/settings", query, NULL), 404);
    assert_int_equal(ask("/settings", "key=../../x", NULL), 404);
    assert_int_equal(ask("/settings", "", NULL), 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_and_methods),
        cmocka_unit_test(test_traces_go_by_number),
        cmocka_unit_test(test_details_and_containers),
        cmocka_unit_test(test_parameters_of_views),
        cmocka_unit_test(test_sizes_have_limits),
        cmocka_unit_test(test_numbers_are_not_guessed),
        cmocka_unit_test(test_the_second_trace_goes_by_number),
        cmocka_unit_test(test_views_and_endings),
        cmocka_unit_test(test_sources_come_from_the_roots_only),
        cmocka_unit_test(test_tables_come_sorted_and_in_pages),
        cmocka_unit_test(test_a_key_stands_for_a_long_setting),
    };
    return cmocka_run_group_tests(tests, routes_set_up, routes_tear_down);
}
