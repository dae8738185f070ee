/* SPDX-License-Identifier: Apache-2.0 */
/* Several pictures on one sheet, and how large pictures may be. */
#define _GNU_SOURCE
#include "routes_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/small_store.h"

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
                                       "100 100 light\n0 0 50 50 space-time?novalue",
                                       "100 100 light\n0 0 50 50 space-time?under=p%00x",
                                       "100 100 light\nx y 50 50 space-time",
                                       "100 100 light\nnan 0 50 50 space-time",
                                       "100 100 light\n0 inf 50 50 space-time",
                                       "100 100 light\n1e30 0 50 50 space-time",
                                       "100 100 light\n0 -16385 50 50 space-time" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask("/workbench.svg", "", bad[i]), 400);
    char many[1200] = "100 100 light\n0 0 50 50 space-time?";
    for (int i = 0; i < 128; i++)
        strcat(many, "under=p&");
    assert_int_equal(ask("/workbench.svg", "", many), 200);
    strcat(many, "under=nobody"); /* one too many */
    assert_int_equal(ask("/workbench.svg", "", many), 400);
    answered("too many parameters");
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

/* Five rows of 60 MB each: the fifth does not fit, and is not written to find that out. */
static void test_long_names_are_no_way_around_the_limit(void **state)
{
    enum { NAME = 60 << 20, ROWS = 5 };
    (void)state;
    struct weft_err err;
    char *name = malloc(NAME + 1);
    memset(name, 'n', NAME);
    name[NAME] = '\0';
    struct weft_builder *b = weft_builder_new(trace_path, "test", &err);
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_STATE, process, "State", WEFT_ROLE_NONE);
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, process, 0, "p", NULL, 0), type);
    uint32_t value = weft_builder_value(b, type, name, NULL, 0);
    free(name);
    for (int64_t i = 0; i < ROWS; i++) {
        weft_builder_push(b, track, i, value, NULL, 0, NULL);
        weft_builder_pop(b, track, i + 1, NULL);
    }
    assert_true(weft_builder_finish(b, NULL, &err));
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
    static const char *const paths[] = { "/view/space-time.csv", "/view/space-time.json" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(ask(paths[i], "", NULL), 400);
        answered("the table is longer than 256 MiB");
        assert_int_equal(ask(paths[i], "limit=1", NULL), 200);
    }
    build_trace(trace_path);
    assert_int_equal(ask("/reload", "trace=0", ""), 200);
    wait_until_open();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_large_pictures_are_refused),
        cmocka_unit_test(test_pictures_full_of_marks_are_refused),
        cmocka_unit_test(test_long_names_are_no_way_around_the_limit),
    };
    return cmocka_run_group_tests(tests, routes_set_up, routes_tear_down);
}
