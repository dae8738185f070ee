/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes without a network: an exchange is filled in as http.c would, and its answer read.
 * The trace has one container, "p", with states "run" [0, 10) and "wait" [10, 30) seconds.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "serve/routes.h"
#include "view/detail.h"
#include "view/prepare.h"

/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}

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

static struct weft_trace *forgotten[4];
static size_t n_forgotten;

static void forget(void *user, struct weft_trace *trace)
{
    (void)user;
    assert_true(n_forgotten < 4);
    forgotten[n_forgotten++] = trace;
    searches_forget(service.searches, trace);
    weft_shelf_forget(service.shelf, weft_trace_source(trace));
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
        .kept = kept_new(NULL),
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
    kept_free(service.kept);
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

/* Two files of one name, in two folders: each has its path. */
static void test_traces_of_one_name_have_their_paths(void **state)
{
    (void)state;
    struct weft_err err;
    char *other = weft_asprintf("%s/src/trace.weft", folder);
    char *third = weft_asprintf("%s/src/other.weft", folder);
    build(other);
    build(third);
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
    const char *paths[] = { folder };
    char *made[5];
    for (size_t i = 0; i < 4; i++) {
        made[i] = weft_asprintf("%s/%s", folder, parts[i]);
        assert_int_equal(mkdir(made[i], 0700), 0);
    }
    made[4] = weft_asprintf("%s/deep.weft", made[3]);
    build(made[4]);
    struct traces *traces = traces_find(paths, 1, &reading, &err);
    assert_int_equal(traces_count(traces), 1); /* trace.weft */
    assert_string_equal(traces_remark(traces),
                        "1 folder deeper than 3 was not looked into");
    traces_close(traces);
    paths[0] = roots[0];
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
    static const char *const bad[] = { "width=16385", "height=1e9", "width=wide", "height=640.5",
                                       "width=99999999999999999999" };
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
        ask("/marks", "trace=0", "+5\t10\tthe \"first\"\n+-3\t0\t\n+7\t1\ta\tb\n"), 200);
    static const char all[] =
        "[{\"begin_ns\":5,\"length_ns\":10,\"note\":\"the \\\"first\\\"\"},"
        "\n{\"begin_ns\":-3,\"length_ns\":0,\"note\":\"\"},"
        "\n{\"begin_ns\":7,\"length_ns\":1,\"note\":\"a\\u0009b\"}]\n";
    assert_string_equal(answer.content, all);
    assert_int_equal(ask("/marks", "trace=0", ""), 200); /* nothing changes */
    assert_string_equal(answer.content, all);
    assert_int_equal(ask("/marks", "trace=0", "--3\t0\t\n-5\t10\tthe \"first\"\n"), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":7,\"length_ns\":1,\"note\":\"a\\u0009b\"}]\n");
    assert_int_equal(ask("/marks", "trace=0", "-7\t1\ta\tb\n"), 200);
    assert_string_equal(answer.content, "[]\n");
}

/* Each says what it changed since it last looked: nobody's mark is lost. */
static void test_marks_of_two_tabs_are_all_kept(void **state)
{
    (void)state;
    unlink(marks_path);
    assert_int_equal(ask("/marks", "trace=0", "+1\t0\tboth see this\n"), 200);
    assert_int_equal(ask("/marks", "trace=0", "+2\t0\tof the first\n"), 200);
    assert_int_equal(ask("/marks", "trace=0", "+3\t0\tof the second\n"), 200);
    answered("both see this");
    answered("of the first");
    answered("of the second");
    /* Both give the first another note: both notes stay.  And both take one out. */
    assert_int_equal(ask("/marks", "trace=0", "-1\t0\tboth see this\n+1\t0\tone\n"), 200);
    assert_int_equal(ask("/marks", "trace=0", "-1\t0\tboth see this\n+1\t0\ttwo\n"), 200);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ask("/marks", "trace=0", "-2\t0\tof the first\n"), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":3,\"length_ns\":0,\"note\":\"of the second\"},"
                        "\n{\"begin_ns\":1,\"length_ns\":0,\"note\":\"one\"},"
                        "\n{\"begin_ns\":1,\"length_ns\":0,\"note\":\"two\"}]\n");
    /* What is there already is not there twice. */
    assert_int_equal(ask("/marks", "trace=0", "+1\t0\tone\n"), 200);
    assert_non_null(strstr(answer.content, "one"));
    assert_null(strstr(strstr(answer.content, "one") + 1, "one"));
}

/* A bad line refuses the whole, and leaves what was there. */
static void test_bad_marks_change_nothing(void **state)
{
    static const char *const bad[] = { "x",
                                       "+5",
                                       "+5\t",
                                       "+5\t10",
                                       "+\t10\tnote",
                                       "+5\t\tnote",
                                       "+5\t-1\tnote",
                                       "+5 10 note",
                                       "+5x\t10\tnote",
                                       "1\t2\tno sign",
                                       "+1\t1\tgood\nbad",
                                       "-1\t2\tkept\nbad" };
    (void)state;
    unlink(marks_path);
    assert_int_equal(ask("/marks", "trace=0", "+1\t2\tkept\n"), 200);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ask("/marks", "trace=0", bad[i]), 400);
        assert_int_equal(ask("/marks", "trace=0", NULL), 200);
        answered("\"note\":\"kept\"");
    }
    enum { LONGEST = 4096, MOST = 10000 };
    char *long_note = weft_asprintf("+1\t1\t%0*d", LONGEST, 0);
    assert_int_equal(ask("/marks", "trace=0", long_note), 200);
    free(long_note);
    long_note = weft_asprintf("+1\t1\t%0*d", LONGEST + 1, 0);
    assert_int_equal(ask("/marks", "trace=0", long_note), 400);
    free(long_note);
    char *many = NULL;
    size_t size;
    FILE *stream = open_memstream(&many, &size);
    for (int i = 0; i < MOST - 2; i++) /* two are there */
        fprintf(stream, "+%d\t1\tx\n", i);
    fclose(stream);
    assert_int_equal(ask("/marks", "trace=0", many), 200);
    free(many);
    assert_int_equal(ask("/marks", "trace=0", "+1\t1\tone too many\n"), 400);
    assert_int_equal(ask("/marks", "trace=0", "-1\t1\tx\n+1\t1\tin its place\n"), 200);
    unlink(marks_path);
}

static void test_marks_that_cannot_be_written_are_told(void **state)
{
    (void)state;
    unlink(marks_path);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit none = { 0, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0); /* as on a full disk */
    assert_int_equal(ask("/marks", "trace=0", "+1\t2\tlost\n"), 500);
    answered("cannot write");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* Neither shown as no marks, nor written over. */
static void refused(const char *why)
{
    struct stat before, after;
    assert_int_equal(lstat(marks_path, &before), 0);
    assert_int_equal(ask("/marks", "trace=0", NULL), 500);
    answered(why);
    assert_int_equal(ask("/marks", "trace=0", "+1\t2\tlost\n"), 500);
    answered(why);
    assert_int_equal(lstat(marks_path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(remove(marks_path), 0);
}

static void test_marks_that_cannot_be_read_are_told(void **state)
{
    (void)state;
    unlink(marks_path);
    assert_int_equal(mkdir(marks_path, 0700), 0);
    refused("not a regular file");
    assert_int_equal(mkfifo(marks_path, 0600), 0);
    refused("not a regular file");
    assert_int_equal(symlink("/dev/zero", marks_path), 0);
    refused("not a regular file");
}

static void test_marks_files_have_limits(void **state)
{
    (void)state;
    write_text(marks_path, "5\t1\tone\n");
    assert_int_equal(truncate(marks_path, 1LL << 36), 0); /* without a further line */
    refused("longer than 64 MiB");
    write_text(marks_path, "5\t1\tone\n6\t1\ttwo\n");
    assert_int_equal(truncate(marks_path, 100), 0);
    refused(".marks:3: a NUL byte");
    char line[(64 << 10) + 3];
    memset(line, 'x', sizeof line);
    strcpy(line + sizeof line - 2, "\n");
    write_text(marks_path, line);
    refused(".marks:1: a line of more than 64 KiB");
    char *marks = malloc(10001 * 8), *at = marks;
    assert_non_null(marks);
    for (int i = 0; i <= 10000; i++)
        at += sprintf(at, "%d\t1\tx\n", i % 10);
    write_text(marks_path, marks);
    free(marks);
    assert_int_equal(ask("/marks", "trace=0", NULL), 500);
    answered("more than 10000 marks");
    unlink(marks_path);
}

/* The file is the user's: what is no mark in it is passed over, and stays. */
static void test_lines_that_are_no_marks_are_passed_over(void **state)
{
    (void)state;
    write_text(marks_path, "# mine\n5\t1\tone\n\n5\t1\n6\t1\ttwo \xff\r\n7\t1\tlast");
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"},"
                        "\n{\"begin_ns\":6,\"length_ns\":1,\"note\":\"two \xef\xbf\xbd\"},"
                        "\n{\"begin_ns\":7,\"length_ns\":1,\"note\":\"last\"}]\n");
    assert_int_equal(ask("/marks", "trace=0", "-5\t1\tone\n+8\t0\tnew\n"), 200);
    char text[200];
    FILE *file = fopen(marks_path, "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "# mine\n\n5\t1\n6\t1\ttwo \xff\n7\t1\tlast\n8\t0\tnew\n");
}

/* What a person wrote into the file by hand can be taken out, and given another note, as shown. */
static void test_marks_go_by_what_is_shown(void **state)
{
    (void)state;
    static const struct {
        const char *line, *shown; /* and as the page says it back */
    } cases[] = {
        { " 7\t0\tx", "7\t0\tx" },
        { "+8\t 0\ty", "8\t0\ty" },
        { "007\t00\tx\r", "7\t0\tx" },
        { "9\t1\ta\tb", "9\t1\ta b" },
        { "9\t1\tcaf\xe9 \xff", "9\t1\tcaf\xef\xbf\xbd \xef\xbf\xbd" },
        { "9007199254740993\t1\tfar", "9007199254740992\t1\tfar" },
        { "9223372036854775807\t1\tfar", "9223372036854776000\t1\tfar" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = weft_asprintf("5\t1\tone\n%s\n", cases[i].line);
        char *removal = weft_asprintf("-%s\n", cases[i].shown);
        char *edit = weft_asprintf("-%s\n+6\t1\tother\n", cases[i].shown);
        write_text(marks_path, text);
        assert_int_equal(ask("/marks", "trace=0", removal), 200);
        assert_string_equal(answer.content,
                            "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"}]\n");
        write_text(marks_path, text);
        assert_int_equal(ask("/marks", "trace=0", edit), 200);
        assert_string_equal(answer.content,
                            "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"},"
                            "\n{\"begin_ns\":6,\"length_ns\":1,\"note\":\"other\"}]\n");
        free(text);
        free(removal);
        free(edit);
    }
    /* The one that is written so goes first. */
    write_text(marks_path, " 7\t0\tx\n7\t0\tx\n");
    assert_int_equal(ask("/marks", "trace=0", "-7\t0\tx\n"), 200);
    answered("\"begin_ns\":7");
    assert_int_equal(ask("/marks", "trace=0", "-7\t0\tx\n"), 200);
    assert_string_equal(answer.content, "[]\n");
    unlink(marks_path);
}

/* ---- Pages of tables ---- */

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

/* ---- Long settings ---- */

static void test_a_key_stands_for_a_long_setting(void **state)
{
    (void)state;
    assert_int_equal(ask("/settings", "", "#1"), 200);
    char key[KEPT_KEY], query[80];
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

/* ---- Files that change ---- */

static void wait_until_open(void)
{
    do
        assert_int_equal(ask("/trace", "trace=0", NULL), 200);
    while (strstr(answer.content, "\"loading\""));
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
    build(trace_path);
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
    build(trace_path);
    wait_until_open();
    unlink(trace_path);
    assert_all_say_that_it_changed();
    build(trace_path);
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
    build(trace_path);
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
    do /* until it is done */
        assert_int_equal(ask("/search", "q=run", NULL), 200);
    while (!memmem(answer.content, answer.size, "\"done\":true", 11));
    answered("\"damaged\":1");
    build(trace_path);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
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
    uint32_t type = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Process" });
    uint32_t parent = 0;
    for (int i = 0; i < DEEP; i++) {
        memset(name, 'a', NAME);
        snprintf(name + NAME - 8, 9, "ä%06d", i);
        parent = weft_builder_container(b, type, parent, name, NULL, 0);
    }
    weft_builder_container(b, type, parent, "zz", NULL, 0);
    char *longest = weft_asprintf("ä%0*d", 2 * WEFT_PATH_MOST, 0);
    weft_builder_container(b, type, parent, longest, NULL, 0);
    assert_true(weft_builder_finish(b, NULL, &err));
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    assert_int_equal(ask("/containers", "q=zz", NULL), 200);
    answered("…aa");
    answered("ä000198/aaa");
    answered("ä000199/zz\"");
    assert_in_range(answer.size, WEFT_PATH_MOST - 100, WEFT_PATH_MOST + 100);
    assert_int_equal(ask("/containers", "q=0000000", NULL), 200);
    answered("\"path\":\"…0000");
    assert_in_range(answer.size, WEFT_PATH_MOST, WEFT_PATH_MOST + 100);
    assert_int_equal(ask("/containers", "q=a", NULL), 200); /* 100 of them */
    assert_in_range(answer.size, 100 * 1000, 100 * (WEFT_PATH_MOST + 100));
    free(longest);
    struct weft_job left = { .cancelled = true };
    answer.job = &left;
    routes_answer(&answer);
    assert_int_equal(answer.status, 409);
    build(trace_path);
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
            held[i] = searches_hold(searches, trace, texts[i], &done, &cut, &err);
        while (!done);
    for (size_t i = 0; i < 4; i++) {
        assert_ptr_equal(searches_hold(searches, trace, texts[i], &done, &cut, &err),
                         held[i]);
        assert_false(cut);
    }
    /* "run" was asked for longest ago. */
    held[4] = searches_hold(searches, trace, texts[4], &done, &cut, &err);
    struct running_search *again =
        searches_hold(searches, trace, texts[0], &done, &cut, &err);
    assert_ptr_not_equal(again, held[0]);
    assert_ptr_equal(searches_hold(searches, trace, texts[4], &done, &cut, &err), held[4]);
    searches_free(searches);
    traces_release(service.traces, 0, trace);
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
                                       "100 100 light\nx y 50 50 space-time",
                                       "100 100 light\nnan 0 50 50 space-time",
                                       "100 100 light\n0 inf 50 50 space-time",
                                       "100 100 light\n1e30 0 50 50 space-time",
                                       "100 100 light\n0 -16385 50 50 space-time" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask("/workbench.svg", "", bad[i]), 400);
    assert_int_equal(ask("/workbench.svg", "",
                         "400 200 dark\n0 0 200 200 space-time?range=0%3A10&under=p\n"
                         "200.5 0 200 200 state-summary"),
                     200);
    assert_string_equal(answer.type, "image/svg+xml");
    answered("run");
    assert_int_equal(
        ask("/workbench.svg", "", "400 200 dark\n-16384 1e1 200 200 state-summary"), 200);
    assert_int_equal(ask("/workbench.exe", "", "400 200 dark\n"), 404);
}

/* All that a sheet makes counts, however it is cut into panels. */
static void test_large_pictures_are_refused(void **state)
{
    (void)state;
    assert_int_equal(ask("/view/overview.svg", "width=16000&height=16000", NULL), 413);
    assert_int_equal(ask("/workbench.svg", "", "16000 16000 light\n"), 413);
    char *body;
    size_t size;
    for (int panels = 1; panels <= 65; panels += 64) {
        FILE *stream = open_memstream(&body, &size);
        fputs("100 100 light\n", stream);
        for (int i = 0; i < panels; i++)
            fputs("0 0 20 20 overview?\n", stream);
        fclose(stream);
        assert_int_equal(ask("/workbench.svg", "", body), panels > 64 ? 400 : 200);
        free(body);
    }
    FILE *stream = open_memstream(&body, &size);
    fputs("100 100 light\n", stream);
    for (int i = 0; i < 4; i++)
        fputs("0 0 16384 1400 overview?\n", stream); /* 23 million each */
    fclose(stream);
    assert_int_equal(ask("/workbench.svg", "", body), 413);
    answered("pixels");
    free(body);
    assert_int_equal(atomic_load(&service.pixels), 0); /* all is given back */
}

/* What takes more memory than a picture may is refused, and not shown in part. */
static void test_pictures_full_of_marks_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = { "/view/space-time.packed", "/view/space-time.svg",
                                         "/view/space-time.png" };
    for (size_t i = 0; i < 3; i++) {
        arena.most = 1; /* all that is there before the first mark is more */
        assert_int_equal(ask(paths[i], "", NULL), 400);
        answered("this picture takes more than");
        arena.most = 1 << 20;
        assert_int_equal(ask(paths[i], "", NULL), 200);
    }
    arena.most = 1;
    assert_int_equal(ask("/workbench.svg", "", "400 200 dark\n0 0 200 200 space-time?"),
                     400);
    assert_int_equal(ask("/view/space-time.csv", "", NULL), 200); /* this is no picture */
    arena.most = 0;
}

/* Open the trace anew, with something searched and prepared of it. */
static void replace(void)
{
    build(trace_path);
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
    traces_forget_by(service.traces, forget, NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_and_methods),
        cmocka_unit_test(test_traces_go_by_number),
        cmocka_unit_test(test_traces_of_one_name_have_their_paths),
        cmocka_unit_test(test_what_of_a_folder_is_left_out_is_told),
        cmocka_unit_test(test_details_and_containers),
        cmocka_unit_test(test_parameters_of_views),
        cmocka_unit_test(test_sizes_have_limits),
        cmocka_unit_test(test_numbers_are_not_guessed),
        cmocka_unit_test(test_the_second_trace_goes_by_number),
        cmocka_unit_test(test_views_and_endings),
        cmocka_unit_test(test_sources_come_from_the_roots_only),
        cmocka_unit_test(test_marks_are_kept_beside_the_trace),
        cmocka_unit_test(test_bad_marks_change_nothing),
        cmocka_unit_test(test_lines_that_are_no_marks_are_passed_over),
        cmocka_unit_test(test_marks_go_by_what_is_shown),
        cmocka_unit_test(test_marks_of_two_tabs_are_all_kept),
        cmocka_unit_test(test_marks_that_cannot_be_written_are_told),
        cmocka_unit_test(test_marks_that_cannot_be_read_are_told),
        cmocka_unit_test(test_marks_files_have_limits),
        cmocka_unit_test(test_tables_come_sorted_and_in_pages),
        cmocka_unit_test(test_a_key_stands_for_a_long_setting),
        cmocka_unit_test(test_tables_say_what_is_damaged),
        cmocka_unit_test(test_several_search_at_a_time),
        cmocka_unit_test(test_long_paths_are_shown_by_their_ends),
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_large_pictures_are_refused),
        cmocka_unit_test(test_pictures_full_of_marks_are_refused),
        cmocka_unit_test(test_a_trace_that_changes_is_told_and_reloaded),
        cmocka_unit_test(test_an_old_trace_is_closed_when_nobody_holds_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
