/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of 4,000 reductions on four PEs of which one block cannot be read.  What hangs below it falls
 * out of the tree; what other PEs did is as it was, or not known, and never less.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "domains/trees/model/tree.h"
#include "domains/trees/view/tree_damage.h"
#include "format/store_layout.h"
#include "tests/random.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "tree_runs.h"
#include "view/damage.h"

enum { PES = 4, REDUCTIONS = 4000, LENGTH = 10, GAP_PE = 2 };
enum { NUMBER, PARENT_PE, PARENT_NUMBER, FIELDS, STATES = FIELDS };

static char path[] = "/tmp/weft-tree-damage.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;
static unsigned count_of_pe[PES];
static uint32_t fields[FIELDS];

/* Each reduction but the first is the child of one before it. */
static void build(void)
{
    static const enum weft_role roles[FIELDS] = { WEFT_ROLE_NUMBER, WEFT_ROLE_PARENT_ROW,
                                                  WEFT_ROLE_PARENT_NUMBER };
    static const char *const names[FIELDS] = { "number", "row", "parent" };
    static unsigned pes[REDUCTIONS], numbers[REDUCTIONS];
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t pe_type = runs_define(b, WEFT_CONTAINER, 0, "PE", WEFT_NONE);
    uint32_t type = runs_define(b, WEFT_STATE, pe_type, "reduction", WEFT_NONE);
    uint32_t value = weft_builder_value(b, type, "work", NULL, 0), tracks[PES];
    weft_builder_type_role(b, type, WEFT_ROLE_REDUCTION);
    for (int f = 0; f < FIELDS; f++) {
        fields[f] = add_field(b, type, names[f], WEFT_FIELD_INTEGER, roles[f]);
    }
    memset(count_of_pe, 0, sizeof count_of_pe);
    for (unsigned p = 0; p < PES; p++) {
        char name[8];
        snprintf(name, sizeof name, "PE %u", p);
        tracks[p] = weft_builder_track(
            b, weft_builder_container(b, pe_type, 0, name, NULL, 0), type);
    }
    for (unsigned i = 0; i < REDUCTIONS; i++) {
        unsigned pe = i ? (unsigned)roll(PES) : 0, parent = (i - 1) / 2;
        pes[i] = pe;
        numbers[i] = ++count_of_pe[pe];
        struct weft_field_value of[FIELDS] = { { fields[NUMBER], { numbers[i] } } };
        of[1] = (struct weft_field_value){ fields[PARENT_PE], { i ? pes[parent] : 0 } };
        of[2] =
            (struct weft_field_value){ fields[PARENT_NUMBER], { i ? numbers[parent] : 0 } };
        while (weft_builder_open_states(b, tracks[pe]))
            (void)!weft_builder_pop(b, tracks[pe], (int64_t)i * LENGTH, NULL);
        (void)!weft_builder_push(b, tracks[pe], (int64_t)i * LENGTH, value, of,
                                 i ? FIELDS : 1, NULL);
    }
    for (int p = 0; p < PES; p++)
        (void)!weft_builder_reset(b, tracks[p], (int64_t)REDUCTIONS * LENGTH);
    assert_true(weft_builder_finish(b, NULL, &err));
}

/* The first block of a PE's states, or of one of its fields. */
static uint64_t find_block(uint32_t pe, int what)
{
    struct weft_err err;
    struct weft_mapping map;
    struct weft_file_header header;
    struct weft_file_track track;
    struct weft_file_column column;
    struct weft_file_block block;
    assert_true(weft_map_file(&map, path, &err));
    memcpy(&header, map.data, sizeof header);
    memcpy(&track,
           map.data + header.sections[WEFT_SECTION_TRACKS].offset + pe * sizeof track,
           sizeof track);
    uint64_t first = track.first_block;
    for (uint32_t c = 0; what != STATES && c < track.n_columns; c++) {
        memcpy(&column,
               map.data + header.sections[WEFT_SECTION_COLUMNS].offset
                   + (track.first_column + c) * sizeof column,
               sizeof column);
        if (column.field == fields[what])
            first = column.first_block;
    }
    assert_true(what == STATES || first != track.first_block);
    memcpy(&block,
           map.data + header.sections[WEFT_SECTION_DIRECTORY].offset + first * sizeof block,
           sizeof block);
    weft_unmap(&map);
    return block.offset;
}

static void damage(uint32_t pe, int what)
{
    unsigned char byte;
    off_t at = (off_t)find_block(pe, what) + 24;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* FIRST and SECOND, which may be the same: what of the PE is lost. */
static void open_with_damage(uint32_t pe, int first, int second)
{
    struct weft_err err;
    if (strchr(path, 'X')) /* the next test takes the same name */
        close(mkstemp(path));
    build();
    damage(pe, first);
    if (second != first)
        damage(pe, second);
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    source = weft_trace_source(trace);
}

static int states_are_lost(void **unused)
{
    (void)unused;
    open_with_damage(GAP_PE, STATES, STATES);
    return 0;
}

static int numbers_are_lost(void **unused)
{
    (void)unused;
    open_with_damage(0, NUMBER, NUMBER);
    return 0;
}

static int parents_are_lost(void **unused)
{
    (void)unused;
    open_with_damage(GAP_PE, PARENT_PE, PARENT_PE);
    return 0;
}

static int all_of_parents_is_lost(void **unused)
{
    (void)unused;
    open_with_damage(GAP_PE, PARENT_PE, PARENT_NUMBER);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    weft_trace_close(trace);
    return unlink(path);
}

static char *table_of(const char *view, double width)
{
    static struct weft_set set;
    static const char *settings[32];
    set = (struct weft_set){ &source, 1 };
    const struct weft_request request = { .set = &set,
                                          .window = source->schema->span,
                                          .width = width,
                                          .height = 400,
                                          .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                          .settings = settings };
    return table_csv(weft_view_find(view), &request);
}

/* Of each PE but the damaged one how many reductions it ran, and of none where parents were. */
static void expect_pes(unsigned damaged)
{
    char *text = table_of("tree-pes", 600), *rest = text;
    (void)strsep(&rest, "\n");
    for (unsigned p = 0; p < PES; p++) {
        unsigned pe, n;
        char *line = strsep(&rest, "\n");
        if (p == damaged) {
            assert_string_equal(line + 1, ",,,,,,,,,");
            continue;
        }
        assert_int_equal(sscanf(line, "%u,%u,", &pe, &n), 2);
        assert_int_equal(pe, p);
        assert_int_equal(n, count_of_pe[p]);
        assert_string_equal(line + strlen(line) - 7, ",,,,,,,");
    }
    free(text);
}

static void pes_keep_their_reductions_when_states_are_lost(void **unused)
{
    (void)unused;
    expect_pes(GAP_PE);
}

static void pes_keep_their_reductions_when_numbers_are_lost(void **unused)
{
    (void)unused;
    expect_pes(0);
}

/* What ran is known outside of the gap, what was ready nowhere. */
static void parallelism_is_not_known_in_the_gap(void **unused)
{
    (void)unused;
    enum { COLUMNS = 40 };
    char *text = table_of("tree-parallelism", COLUMNS), *rest = text;
    struct weft_damage list[4];
    size_t in_gap = 0;
    assert_int_equal(source->ops->damage(source, 0, list, 4), 1);
    (void)strsep(&rest, "\n");
    for (int64_t c = 0; c < COLUMNS; c++) {
        int64_t length = REDUCTIONS * LENGTH / COLUMNS, begin = c * length;
        char *line = strsep(&rest, "\n"), *running = strchr(line, ',') + 1;
        bool lost = begin < list[0].span.end && begin + length > list[0].span.begin;
        in_gap += lost;
        assert_int_equal(*running == ',', lost);
        assert_string_equal(strchr(running, ','), ",,,");
    }
    assert_true(in_gap > 0 && in_gap < COLUMNS);
    free(text);
}

static void the_panel_of_what_is_not_known_is_hatched(void **unused)
{
    (void)unused;
    static const char *settings[32];
    const struct weft_set set = { &source, 1 };
    const struct weft_request request = { .set = &set,
                                          .window = source->schema->span,
                                          .width = 600,
                                          .height = 400,
                                          .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                          .settings = settings };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    size_t hatched = 0;
    assert_true(
        weft_view_draw(weft_view_find("tree-parallelism"), &request, &arena, &scene, &err));
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
            const struct weft_mark *mark = &scene.layers[l].marks[i];
            hatched += strncmp(scene.layers[l].name, "running or ready", 16) == 0
                       && mark->paint.hatch == WEFT_HATCH_CROSS
                       && mark->box.width >= scene.frame.plot.width;
        }
    assert_int_equal(hatched, 1);
    weft_arena_free(&arena);
}

/* A reduction whose parent cannot be read, or half of what names it, is no root. */
static void what_had_a_parent_is_no_root(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_tree *tree = weft_tree_read(source, NULL, &err);
    assert_non_null(tree);
    assert_false(tree->has_all);
    assert_true(tree->level_begin[2] - tree->level_begin[1]
                <= 2); /* as if all were there */
    assert_true(tree->lost >= 256);
    weft_tree_free(tree);
}

/* Far more damage than is listed, none of it in what is listed a reduction's. */
static size_t much_damage(const struct weft_source *unused, size_t from,
                          struct weft_damage *out, size_t capacity)
{
    (void)unused;
    enum { KNOWN = 1 << 20 };
    for (size_t i = 0; i < capacity && from + i < KNOWN; i++)
        out[i] = (struct weft_damage){ .what = WEFT_DAMAGED_INDEX,
                                       .track = WEFT_NONE,
                                       .field = WEFT_NONE };
    return KNOWN;
}

/* Nobody knows of which rows the damage is that is not listed: no row is said to be whole. */
static void no_row_is_whole_when_damage_is_not_listed(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_arena arena = { 0 };
    struct weft_tree *tree = weft_tree_read(source, NULL, &err);
    const struct weft_source_ops ops = { .damage = much_damage };
    const struct weft_source much = { .schema = source->schema, .ops = &ops };
    const struct weft_span window = { 100, 200 };
    struct tree_damage found;
    assert_non_null(tree);
    tree_damage_find(&much, tree, window, &arena, &found);
    assert_true(found.any);
    for (uint32_t p = 0; p < tree->n_pes; p++)
        assert_true(found.of_row[p]);
    assert_int_equal(found.n_gaps, 1);
    assert_true(found.gaps[0].begin <= window.begin && found.gaps[0].end >= window.end);
    weft_tree_free(tree);
    weft_arena_free(&arena);
}

int main(void)
{
#define OF(set_up, test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        OF(states_are_lost, pes_keep_their_reductions_when_states_are_lost),
        OF(numbers_are_lost, pes_keep_their_reductions_when_numbers_are_lost),
        OF(states_are_lost, parallelism_is_not_known_in_the_gap),
        OF(states_are_lost, the_panel_of_what_is_not_known_is_hatched),
        OF(parents_are_lost, what_had_a_parent_is_no_root),
        OF(all_of_parents_is_lost, what_had_a_parent_is_no_root),
        OF(numbers_are_lost, no_row_is_whole_when_damage_is_not_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
