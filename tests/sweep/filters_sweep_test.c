/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random chains of filters below random views, at all sizes: what must hold in each picture
 * is scene_check's.  The chains' numbers are tests/unit/filter's.
 */
#include <stdarg.h>

#include "base/memory.h"
#include "filter/filtered_source.h"
#include "scene_check.h"
#include "shots.h"
#include "tests/random.h"
#include "tests/test.h"
#include "traces.h"
#include "view/prepare.h"

/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}

enum { CHAINS = 60, PICTURES = 8, LINES = 6 };

static char path[] = "/tmp/weft-filters-sweep.XXXXXX";
static char copy[] = "/tmp/weft-filters-sweep-copy.XXXXXX";

WEFT_PRINTF(3, 4)
static void print(char *text, size_t size, const char *fmt, ...)
{
    va_list arguments;
    size_t n = strlen(text);
    va_start(arguments, fmt);
    vsnprintf(text + n, size - n, fmt, arguments);
    va_end(arguments);
}

/* Adds a term, or two, about what the trace has. */
static void add_selection(char *text, size_t size, const struct weft_schema *schema)
{
    const char *value = schema->values[roll(schema->n_values)].name;
    unsigned row = (unsigned)roll(schema->n_containers);
    print(text, size, "%s", roll(3) ? "" : "not ");
    switch (roll(6)) {
    case 0: print(text, size, "row in \"#%u\"", row); break;
    case 1: print(text, size, "duration > %uns", (unsigned)roll(100000)); break;
    case 2: print(text, size, "(state and begin > %u%%)", (unsigned)roll(100)); break;
    case 3: print(text, size, "(value = \"%s\" or event)", value); break;
    case 4: print(text, size, "(value = \"%s\" and row in \"#%u\")", value, row); break;
    default: print(text, size, "value = \"%s\"", value);
    }
}

static void add_line(char *text, size_t size, const struct weft_schema *schema)
{
    static const char *const looks[] = { "",           " as bars",
                                         " as shades", " as shades of state",
                                         " with sums", " as shades with sums" };
    static const char *const keys[] = { "name", "begin", "end", "length", "count" };
    const char *value = schema->values[roll(schema->n_values)].name;
    unsigned row = (unsigned)roll(schema->n_containers);
    unsigned other = (unsigned)roll(schema->n_containers);
    switch (roll(12)) {
    case 0:
        print(text, size, "hide ");
        add_selection(text, size, schema);
        break;
    case 1:
    case 2:
        print(text, size, "dim ");
        add_selection(text, size, schema);
        break;
    case 3: print(text, size, "group pool %u = #%u, #%u", row, row, other); break;
    case 4: print(text, size, "group by %s", roll(2) ? "type" : "depth 1"); break;
    case 5: print(text, size, "move #%u under #%u", row, other); break;
    case 6: print(text, size, "sort by %s", keys[roll(5)]); break;
    case 7: print(text, size, "reuse"); break;
    case 8: print(text, size, "reduce #%u, #%u%s", row, other, looks[roll(6)]); break;
    case 9:
        print(text, size, "reduce %s%s",
              roll(2)   ? "groups"
              : roll(2) ? "depth 1"
                        : "depth 2",
              looks[roll(6)]);
        break;
    case 10: print(text, size, "height #%u = %u", row, 4 + (unsigned)roll(397)); break;
    default: print(text, size, roll(2) ? "shape %s = cross" : "color %s = #abcdef", value);
    }
    print(text, size, "\n");
}

/*
 * Returns a source above BELOW with a random chain in TEXT; lines that do not suit the
 * trace, such as one that moves a row below itself, are left out.
 */
static struct weft_source *some_chain(const struct weft_source *below, char *text,
                                      size_t size)
{
    struct weft_err err;
    struct weft_source *above = weft_filtered_new(below, "", &err);
    text[0] = '\0';
    for (uint64_t n = 1 + roll(LINES); n--;) {
        size_t before = strlen(text);
        add_line(text, size, below->schema);
        struct weft_source *next = weft_filtered_new(below, text, &err);
        if (!next) {
            assert_int_equal(err.code, WEFT_ERR_USAGE);
            text[before] = '\0';
            continue;
        }
        weft_filtered_free(above);
        above = next;
    }
    return above;
}

static const struct weft_view *some_view(const struct weft_set *set)
{
    const struct weft_view *view = weft_view_find(roll(2) ? "space-time" : "groups");
    if (roll(3) == 0)
        view = weft_view_at(roll(weft_view_count()));
    return view->fills(set) && !view->compares ? view : weft_view_find("overview");
}

static void draw(struct shot *shot, const struct weft_source *source, const char *chain)
{
    const struct weft_set set = { &source, 1, NULL };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    char what[600];
    shot->view = some_view(&set);
    some_request(shot, &set);
    if (weft_view_scene(shot->view, &shot->request, &arena, &scene, &err)) {
        if (scene_fault(&scene, what, sizeof what))
            fail_msg("%s: %s, after\n%s", shot->view->name, what, chain);
    } else if (shot->whole && err.code != WEFT_ERR_USAGE && err.code != WEFT_ERR_LIMIT
               && err.code != WEFT_ERR_FORMAT)
        fail_msg("%s: %s, after\n%s", shot->view->name, err.message, chain);
    weft_arena_free(&arena);
}

static void draw_chains(const char *file, unsigned rows, bool whole, unsigned chains)
{
    static struct shot shot;
    static char text[4096];
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(file, &err);
    assert_non_null(trace);
    shot.rows = rows;
    shot.whole = whole;
    for (unsigned c = 0; c < chains; c++) {
        struct weft_source *above = some_chain(weft_trace_source(trace), text, sizeof text);
        for (int i = 0; i < PICTURES; i++)
            draw(&shot, above, text);
        weft_filtered_free(above);
    }
    weft_trace_close(trace);
}

static void chains_of_whole_traces(void **unused)
{
    (void)unused;
    static const unsigned rows[] = { 1, 7, 64, 500 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_trace(path, rows[i], i % 2);
        draw_chains(path, rows[i], true, rows[i] < 500 ? CHAINS : CHAINS / 6);
    }
    make_messages(path, 9);
    draw_chains(path, 9, true, CHAINS);
}

static void chains_of_damaged_traces(void **unused)
{
    (void)unused;
    make_trace(path, 64, true);
    for (int i = 0; i < 4; i++) {
        copy_damaged(path, copy, 500);
        draw_chains(copy, 64, false, CHAINS / 6);
    }
}

static int make_files(void **state)
{
    (void)state;
    close(mkstemp(path));
    close(mkstemp(copy));
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path);
    unlink(copy);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_whole_traces),
        cmocka_unit_test(chains_of_damaged_traces),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
