/* SPDX-License-Identifier: Apache-2.0 */
/* A task DAG whose root cannot be read: nothing is known of the run, and no view says 0. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "format/store_layout.h"
#include "simulated_dag.h"
#include "store/trace.h"
#include "view/damage.h"

static char path[] = "/tmp/weft-dag-damage.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;

/* Where the first block of the nodes is in the file, in which the root is. */
static uint64_t find_root(void)
{
    struct weft_err err;
    struct weft_mapping map;
    struct weft_file_header header;
    struct weft_file_grid grid = { 0 };
    struct weft_file_grid_block block;
    assert_true(weft_map_file(&map, path, &err));
    memcpy(&header, map.data, sizeof header);
    const unsigned char *grids = map.data + header.sections[WEFT_SECTION_GRIDS].offset;
    for (size_t i = 0; i < WEFT_GRID_KINDS; i++) {
        memcpy(&grid, grids + i * sizeof grid, sizeof grid);
        if (grid.kind == WEFT_GRID_DAG_NODES)
            break;
    }
    assert_int_equal(grid.kind, WEFT_GRID_DAG_NODES);
    memcpy(&block,
           map.data + header.sections[WEFT_SECTION_GRID_BLOCKS].offset
               + grid.first_block * sizeof block,
           sizeof block);
    weft_unmap(&map);
    return block.offset;
}

static int set_up(void **unused)
{
    (void)unused;
    struct weft_err err;
    const unsigned char other = 0xa5;
    close(mkstemp(path));
    simulated_dag_write(path, &(struct simulated_dag){ SIMULATED_FIB, 12, 4, 0 });
    uint64_t root = find_root();
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, &other, 1, (off_t)root + 40), 1);
    close(fd);
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    source = weft_trace_source(trace);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    weft_trace_close(trace);
    return unlink(path);
}

static struct weft_request ask(const char **settings)
{
    static struct weft_set set;
    set = (struct weft_set){ &source, 1 };
    return (struct weft_request){ .set = &set,
                                  .window = source->schema->span,
                                  .width = 900,
                                  .height = 500,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

static void test_views_of_figures_say_that_there_are_none(void **unused)
{
    (void)unused;
    static const char *const names[] = { "critical-path", "dag-breakdown", "dag-speedup" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *settings[32] = { NULL };
        struct weft_request request = ask(settings);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err = { 0 };
        assert_false(
            weft_view_draw(weft_view_find(names[i]), &request, &arena, &scene, &err));
        assert_int_equal(err.code, WEFT_ERR_READ);
        assert_non_null(strstr(err.message, "figures of the run cannot be read"));
        weft_arena_free(&arena);
    }
}

static void test_statistics_are_empty(void **unused)
{
    (void)unused;
    const char *settings[32] = { NULL };
    struct weft_request request = ask(settings);
    struct weft_err err = { 0 };
    size_t size, n = 0;
    char *text;
    FILE *stream = weft_text_begin(&text, &size);
    struct weft_table *csv = weft_table_csv(stream);
    assert_true(weft_view_find("dag-stats")->table(&request, csv, &err));
    weft_table_free(csv);
    weft_text_end(stream);
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) && *line; n++)
        if (n) /* behind the names of the columns */
            assert_int_equal(line[strlen(line) - 1], ',');
    assert_true(n > 10);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_of_figures_say_that_there_are_none),
        cmocka_unit_test(test_statistics_are_empty),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
