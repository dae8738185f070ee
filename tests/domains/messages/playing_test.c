/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Playing: at random moments, the tables of all views with a moment are the same whether the
 * run is played forwards to them or backwards from its end, with what views keep between
 * frames.
 */
#include <stdlib.h>

#include "read/reader.h"
#include "tests/random.h"
#include "tests/table_text.h"
#include "view/prepare.h"

enum { MOMENTS = 12 };

static struct weft_trace *trace;
static struct weft_set set;
static const struct weft_source *source;
static int64_t moments[MOMENTS];

static int by_time(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static char *at(const struct weft_view *view, int64_t time, struct weft_shelf *shelf)
{
    const struct weft_request request = { .set = &set,
                                          .window = source->schema->span,
                                          .has_at = true,
                                          .at = time,
                                          .width = 640,
                                          .height = 480,
                                          .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                          .shelf = shelf };
    return table_csv(view, &request);
}

/* Plays the run forwards and backwards, each time with a shelf of its own. */
static void play(const struct weft_view *view)
{
    struct weft_shelf *forwards = weft_shelf_new(), *backwards = weft_shelf_new();
    char *seen[MOMENTS];
    for (int i = 0; i < MOMENTS; i++)
        seen[i] = at(view, moments[i], forwards);
    free(at(view, source->schema->span.end, backwards));
    for (int i = MOMENTS; i-- > 0;) {
        char *again = at(view, moments[i], backwards);
        if (strcmp(seen[i], again) != 0)
            fail_msg("%s at %lld:\n%s\nbackwards:\n%s", view->name, (long long)moments[i],
                     seen[i], again);
        free(again);
        free(seen[i]);
    }
    weft_shelf_free(forwards);
    weft_shelf_free(backwards);
}

static void check(const char *name)
{
    struct weft_err err;
    const char *root = getenv("SOURCE");
    char *path = weft_asprintf("%s/examples/picl/%s.trf", root ? root : ".", name);
    int n = 0;
    trace = weft_open(path, NULL, NULL, NULL, &err);
    free(path);
    assert_non_null(trace);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1, NULL };
    uint64_t length = (uint64_t)(source->schema->span.end - source->schema->span.begin);
    for (int i = 0; i < MOMENTS; i++)
        moments[i] = source->schema->span.begin + (int64_t)roll(length + 1);
    qsort(moments, MOMENTS, sizeof *moments, by_time);
    const struct weft_view *view;
    for (size_t i = 0; (view = weft_view_at(i)); i++)
        if (view->moment != WEFT_MOMENT_NONE && !view->compares && view->fills(&set)) {
            play(view);
            n++;
        }
    assert_true(n > 20);
    weft_trace_close(trace);
}

static void test_stencil(void **state)
{
    (void)state;
    check("stencil");
}

static void test_master_worker(void **state)
{
    (void)state;
    check("master_worker");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stencil),
        cmocka_unit_test(test_master_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
