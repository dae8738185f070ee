/* SPDX-License-Identifier: Apache-2.0 */
/* The table and the picture of what a selection means, from the small trace of two threads. */
#include <string.h>

#include "tests/table_text.h"
#include "tests/test.h"
#include "view/views.h"
#include "views_store.h"

enum { WHERE, SORT, MOST, SETTINGS }; /* the view's parameters */

static struct weft_request request_of(const char *const *settings)
{
    return (struct weft_request){ .set = &set,
                                  .window = source->schema->span,
                                  .width = 600,
                                  .height = 200,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

/* The rows as "value begin end", a line each, without the column names. */
static char *rows_of(const struct weft_request *request)
{
    char *csv = table_csv(&weft_view_instances, request),
         *rows = weft_zalloc(strlen(csv) + 1, 1);
    for (char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        char row[16], value[16];
        long begin, end;
        assert_int_equal(sscanf(line, "state,%15[^,],%*[^,],%15[^,],,,,,%ld,%ld,", row,
                                value, &begin, &end),
                         4);
        sprintf(rows + strlen(rows), "%s %ld %ld\n", value, begin, end);
    }
    free(csv);
    return rows;
}

static void lists(const char *where, const char *sort, const char *most,
                  const char *expected)
{
    const char *settings[SETTINGS] = { where, sort, most };
    struct weft_request request = request_of(settings);
    char *rows = rows_of(&request);
    assert_string_equal(rows, expected);
    free(rows);
}

static void the_longest_come_first(void **unused)
{
    (void)unused;
    small_store();
    lists("", NULL, NULL, "work 0 100\nwork 0 60\nwait 60 100\nwork 30 50\nwait 20 30\n");
    lists("value = wait", NULL, NULL, "wait 60 100\nwait 20 30\n");
    lists("value = wait", "time", NULL, "wait 20 30\nwait 60 100\n");
    lists("", NULL, "2", "work 0 100\nwork 0 60\n");
    lists("", "time", "2", "work 0 60\nwork 0 100\n"); /* as the threads are in order */
    lists("duration > 1s", NULL, NULL, "");
}

static void range_and_subtree_narrow(void **unused)
{
    (void)unused;
    small_store();
    const char *settings[SETTINGS] = { "value = work" };
    struct weft_request request = request_of(settings);
    request.window = (struct weft_span){ 50, 60 };
    char *rows = rows_of(&request);
    assert_string_equal(rows, "work 0 100\nwork 0 60\n");
    free(rows);
    request.under = source->schema->n_containers - 1; /* the second thread */
    rows = rows_of(&request);
    assert_string_equal(rows, "work 0 100\n");
    free(rows);
}

static void remark_counts_what_is_left_out(void **unused)
{
    (void)unused;
    small_store();
    struct weft_arena arena = { 0 };
    const char *settings[SETTINGS] = { "", NULL, "2" };
    struct weft_request request = request_of(settings);
    const char *remark = weft_view_remark(&weft_view_instances, &request, &arena);
    assert_string_equal(remark, "5 match, of which these are the 2 longest (--set most=N "
                                "shows more)");
    settings[MOST] = "5";
    assert_null(weft_view_remark(&weft_view_instances, &request, &arena));
    weft_arena_free(&arena);
}

static void bars_lead_to_things(void **unused)
{
    (void)unused;
    small_store();
    struct weft_arena arena = { 0 };
    struct weft_err err;
    const char *settings[SETTINGS] = { "value = wait" };
    struct weft_request request = request_of(settings);
    struct weft_scene scene;
    assert_true(weft_view_scene(&weft_view_instances, &request, &arena, &scene, &err));
    size_t n = 0;
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++)
            n += scene.layers[l].marks[i].id != WEFT_NO_ID;
    assert_true(n >= 2);
    weft_arena_free(&arena);
}

static void wrong_selections_are_errors(void **unused)
{
    (void)unused;
    small_store();
    struct weft_arena arena = { 0 };
    struct weft_err err;
    const char *settings[SETTINGS] = { "value = wiat" };
    struct weft_request request = request_of(settings);
    struct weft_scene scene;
    assert_false(weft_view_scene(&weft_view_instances, &request, &arena, &scene, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    assert_non_null(strstr(err.message, "did you mean wait?"));
    weft_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_longest_come_first, close_store),
        cmocka_unit_test_teardown(range_and_subtree_narrow, close_store),
        cmocka_unit_test_teardown(remark_counts_what_is_left_out, close_store),
        cmocka_unit_test_teardown(bars_lead_to_things, close_store),
        cmocka_unit_test_teardown(wrong_selections_are_errors, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
