/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes without a network: an exchange is filled in as http.c would, and its answer read.
 * The trace has one container, "p", with states "run" [0, 10) and "wait" [10, 30) seconds.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "serve/routes.h"
#include "view/prepare.h"

static char folder[] = "/tmp/weft-routes-test-XXXXXX";
static char trace_path[64], marks_path[80];
static char *roots[2];
static struct service service;
static struct weft_arena arena;
static struct exchange answer; /* the latest */

static void build(const char *path)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    weft_builder_resolution(b, 1, 1);
    uint32_t process = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Process" });
    uint32_t type = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .parent = process, .name = "State" });
    uint32_t p = weft_builder_container(b, process, 0, "p", NULL, 0);
    uint32_t track = weft_builder_track(b, p, type);
    weft_builder_site(b, &(struct weft_site){ .file = "inside.c", .line = 3 });
    weft_builder_site(b, &(struct weft_site){ .file = "../outside.c", .line = 1 });
    weft_builder_push(b, track, 0, weft_builder_value(b, type, "run", NULL, 0), NULL, 0,
                      NULL);
    weft_builder_pop(b, track, 10, NULL);
    weft_builder_push(b, track, 10, weft_builder_value(b, type, "wait", NULL, 0), NULL, 0,
                      NULL);
    weft_builder_pop(b, track, 30, NULL);
    assert_true(weft_builder_finish(b, NULL, &err));
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    struct weft_err err;
    assert_non_null(mkdtemp(folder));
    snprintf(trace_path, sizeof trace_path, "%s/trace.weft", folder);
    snprintf(marks_path, sizeof marks_path, "%s.marks", trace_path);
    build(trace_path);
    char path[64];
    snprintf(path, sizeof path, "%s/outside.c", folder);
    write_text(path, "the secret\n");
    snprintf(path, sizeof path, "%s/src", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/src/inside.c", folder);
    write_text(path, "one\ntwo \"2\"\r\nthree\nfour\nfive");
    roots[0] = weft_asprintf("%s/src", folder);
    const char *paths[] = { trace_path };
    service = (struct service){
        .traces = traces_find(paths, 1, &(struct weft_read_options){ 0 }, &err),
        .shelf = weft_shelf_new(),
        .searches = searches_new(),
        .source_roots = roots,
    };
    assert_non_null(service.traces);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(answer.content);
    searches_free(service.searches);
    weft_shelf_free(service.shelf);
    traces_close(service.traces);
    weft_arena_free(&arena);
    free(roots[0]);
    static const char *const made[] = { "trace.weft", "trace.weft.marks", "outside.c",
                                        "src/inside.c" };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        unlink(path);
    }
    char path[64];
    snprintf(path, sizeof path, "%s/src", folder);
    rmdir(path);
    return rmdir(folder);
}

/* Run a route; the status.  QUERY is "a=b&c=d", BODY NULL for a GET. */
static unsigned ask(const char *path, const char *query, const char *body)
{
    enum { MOST = 16 };
    static struct parameter parameters[MOST];
    static char text[512], *rest;
    free(answer.content);
    weft_arena_reset(&arena);
    size_t n = 0;
    snprintf(text, sizeof text, "%s", query);
    for (char *at = strtok_r(text, "&", &rest); at; at = strtok_r(NULL, "&", &rest)) {
        char *equals = strchr(at, '=');
        *equals = '\0';
        assert_true(n < MOST);
        parameters[n++] = (struct parameter){ at, equals + 1 };
    }
    answer = (struct exchange){
        .service = &service,
        .path = path,
        .post = body != NULL,
        .parameters = parameters,
        .n_parameters = n,
        .body = body ? body : "",
        .body_size = body ? strlen(body) : 0,
        .arena = &arena,
    };
    routes_answer(&answer);
    assert_true(answer.status && answer.type);
    if (answer.status >= 400) { /* one sentence, as JSON */
        assert_string_equal(answer.type, "application/json");
        assert_int_equal(strncmp(answer.content, "{\"error\":\"", 10), 0);
    }
    return answer.status;
}

static void answered(const char *part)
{
    if (!memmem(answer.content, answer.size, part, strlen(part)))
        fail_msg("no %s in %.*s", part, (int)answer.size, answer.content);
}

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
        { "begin=-9223372036854775808&end=9223372036854775807", "begin and end" },
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
        { "width=16385&height=15", "{\"width\":1280,\"height\":720," },
        { "width=-1&height=1e9", "{\"width\":1280,\"height\":720," },
    };
    (void)state;
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
    assert_int_equal(ask("/source", "site=2", NULL), 404);
    assert_int_equal(ask("/source", "", NULL), 404);
}

/* ---- Marks ---- */

static void test_marks_are_kept_beside_the_trace(void **state)
{
    (void)state;
    unlink(marks_path);
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    assert_string_equal(answer.content, "[]\n");
    assert_int_equal(
        ask("/marks", "trace=0", "5\t10\tthe \"first\"\n-3\t0\t\n7\t1\ta\tb\n"), 200);
    static const char both[] =
        "[{\"begin_ns\":5,\"length_ns\":10,\"note\":\"the \\\"first\\\"\"},"
        "\n{\"begin_ns\":-3,\"length_ns\":0,\"note\":\"\"},"
        "\n{\"begin_ns\":7,\"length_ns\":1,\"note\":\"a\\u0009b\"}]\n";
    assert_string_equal(answer.content, both);
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    assert_string_equal(answer.content, both);
    assert_int_equal(ask("/marks", "trace=0", ""), 200); /* none: all are gone */
    assert_string_equal(answer.content, "[]\n");
}

/* A bad line refuses the whole, and leaves what was there. */
static void test_bad_marks_change_nothing(void **state)
{
    static const char *const bad[] = {
        "x",         "5",           "5\t",       "5\t10",        "\t10\tnote",
        "5\t\tnote", "5\t-1\tnote", "5 10 note", "5x\t10\tnote", "1\t1\tgood\nbad"
    };
    (void)state;
    assert_int_equal(ask("/marks", "trace=0", "1\t2\tkept\n"), 200);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ask("/marks", "trace=0", bad[i]), 400);
        assert_int_equal(ask("/marks", "trace=0", NULL), 200);
        answered("\"note\":\"kept\"");
    }
    enum { LONGEST = 4096, MOST = 10000 };
    char *long_note = weft_asprintf("1\t1\t%0*d", LONGEST, 0);
    assert_int_equal(ask("/marks", "trace=0", long_note), 200);
    free(long_note);
    long_note = weft_asprintf("1\t1\t%0*d", LONGEST + 1, 0);
    assert_int_equal(ask("/marks", "trace=0", long_note), 400);
    free(long_note);
    char *many = weft_alloc(6 * (MOST + 1) + 1);
    for (size_t i = 0; i <= MOST; i++)
        memcpy(many + 6 * i, "1\t1\tx\n", 6);
    many[6 * (MOST + 1)] = '\0';
    assert_int_equal(ask("/marks", "trace=0", many), 400);
    many[6 * MOST] = '\0';
    assert_int_equal(ask("/marks", "trace=0", many), 200);
    free(many);
}

/* The file is the user's: what is no mark in it is passed over. */
static void test_lines_that_are_no_marks_are_passed_over(void **state)
{
    (void)state;
    write_text(marks_path, "# mine\n5\t1\tone\n\n5\t1\n6\t1\ttwo \xff\r\n7\t1\tlast");
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"},"
                        "\n{\"begin_ns\":6,\"length_ns\":1,\"note\":\"two \xef\xbf\xbd\"},"
                        "\n{\"begin_ns\":7,\"length_ns\":1,\"note\":\"last\"}]\n");
}

/* ---- Several pictures on one sheet ---- */

static void test_sheets(void **state)
{
    static const char *const bad[] = { "",
                                       "100",
                                       "100 100",
                                       "15 100 light",
                                       "100 16385 light",
                                       "100 100 pink",
                                       "100 100 light\n0 0 50 space-time",
                                       "100 100 light\n0 0 50 50 no-such-view",
                                       "100 100 light\n0 0 50 50 space-time?under=nobody",
                                       "100 100 light\nx y 50 50 space-time" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask("/workbench.svg", "", bad[i]), 400);
    assert_int_equal(ask("/workbench.svg", "",
                         "400 200 dark\n0 0 200 200 space-time?range=0%3A10&under=p\n"
                         "200.5 0 200 200 state-summary"),
                     200);
    assert_string_equal(answer.type, "image/svg+xml");
    answered("run");
    assert_int_equal(ask("/workbench.exe", "", "400 200 dark\n"), 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_and_methods),
        cmocka_unit_test(test_traces_go_by_number),
        cmocka_unit_test(test_details_and_containers),
        cmocka_unit_test(test_parameters_of_views),
        cmocka_unit_test(test_sizes_have_limits),
        cmocka_unit_test(test_views_and_endings),
        cmocka_unit_test(test_sources_come_from_the_roots_only),
        cmocka_unit_test(test_marks_are_kept_beside_the_trace),
        cmocka_unit_test(test_bad_marks_change_nothing),
        cmocka_unit_test(test_lines_that_are_no_marks_are_passed_over),
        cmocka_unit_test(test_sheets),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
