/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hot spots: the functions, or lines, in which threads spent their running time, by samples
 * (analyse/call_stack_profile.h).  The self time of a function is that of the samples in
 * which it is the innermost; its total time that of all samples whose call stack has it,
 * once each.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "analyse/where_selection.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/requested_profile_samples.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "by",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "function|line",
      .fallback = "function",
      .help = "what a row is; line: of a function, with no total" },
    PROFILED_CONTAINERS,
};

struct spot {
    const char *name; /* [size] of the function */
    size_t size;
    uint32_t site; /* by line: the line; by function: the line with the most of self */
    int64_t self, total, at_site; /* ticks; at_site: of self at `site` */
    uint32_t threads, last_track; /* tracks that were in it; the last that was counted */
    size_t last_stack;            /* the last whose total was counted, from 1 */
};

struct spots {
    const struct weft_schema *schema;
    struct weft_profile profile;
    bool by_line;
    uint32_t *alike;               /* weft_sites_alike(); heap of the arena */
    struct weft_text_map by_name;  /* function: index of list */
    struct weft_text_map by_place; /* struct place: index of list, or of lines */
    struct spot *list;
    size_t n, capacity;
    int64_t *at_lines; /* by function: ticks of each (function, line) */
    size_t n_lines, lines_capacity;
};

struct place {
    uint32_t spot, site;
};

static uint32_t add_spot(struct spots *spots, const char *name, size_t size)
{
    spots->list =
        weft_grow(spots->list, &spots->capacity, spots->n + 1, sizeof *spots->list);
    spots->list[spots->n] = (struct spot){
        .name = name, .size = size, .site = WEFT_NONE, .last_track = WEFT_NONE
    };
    return (uint32_t)spots->n++;
}

static uint32_t find_function(struct spots *spots, const char *name, size_t size)
{
    uint32_t index = weft_text_map_get(&spots->by_name, name, size);

    if (index == WEFT_MAP_NONE) {
        index = add_spot(spots, name, size);
        weft_text_map_put(&spots->by_name, name, size, index);
    }
    return index;
}

static void count_thread(struct spot *spot, uint32_t track)
{
    spot->threads += spot->last_track != track;
    spot->last_track = track;
}

/* Adds a stack's time to all functions in it; returns the innermost. */
static uint32_t add_total(struct spots *spots, const struct weft_profile_stack *stack,
                          size_t number)
{
    const char *text =
        stack->text == WEFT_NONE ? "[unknown]" : spots->schema->strings[stack->text];
    uint32_t innermost = WEFT_NONE;
    const char *name;
    size_t size;

    while ((name = weft_profile_name(&text, &size))) {
        struct spot *spot;
        innermost = find_function(spots, name, size);
        spot = &spots->list[innermost];
        if (spot->last_stack == number)
            continue;
        spot->last_stack = number;
        spot->total = weft_ticks_add(spot->total, stack->ticks);
        count_thread(spot, stack->track);
    }
    return innermost;
}

/* Keeps the line of a function that has the most of its self time. */
static void add_line(struct spots *spots, uint32_t index, uint32_t site, int64_t ticks)
{
    struct place place = { index, site };
    uint32_t line = weft_text_map_get(&spots->by_place, &place, sizeof place);
    struct spot *spot = &spots->list[index];

    if (line == WEFT_MAP_NONE) {
        line = (uint32_t)spots->n_lines++;
        spots->at_lines = weft_grow(spots->at_lines, &spots->lines_capacity, spots->n_lines,
                                    sizeof *spots->at_lines);
        spots->at_lines[line] = 0;
        weft_text_map_put(&spots->by_place, &place, sizeof place, line);
    }
    spots->at_lines[line] = weft_ticks_add(spots->at_lines[line], ticks);
    if (spots->at_lines[line] > spot->at_site) {
        spot->at_site = spots->at_lines[line];
        spot->site = site;
    }
}

static uint32_t site_of(const struct spots *spots, const struct weft_profile_stack *stack)
{
    return stack->site == WEFT_NONE ? WEFT_NONE : spots->alike[stack->site];
}

static void add_function(struct spots *spots, const struct weft_profile_stack *stack,
                         size_t number)
{
    uint32_t index = add_total(spots, stack, number);

    if (index == WEFT_NONE)
        return;
    spots->list[index].self = weft_ticks_add(spots->list[index].self, stack->ticks);
    if (site_of(spots, stack) != WEFT_NONE)
        add_line(spots, index, site_of(spots, stack), stack->ticks);
}

/* Returns the innermost name of a stack, and its bytes. */
static const char *innermost_name(const struct weft_schema *schema,
                                  const struct weft_profile_stack *stack, size_t *size)
{
    const char *text =
        stack->text == WEFT_NONE ? "[unknown]" : schema->strings[stack->text];
    const char *last = strrchr(text, ';');

    last = last ? last + 1 : text;
    *size = strlen(last);
    return last;
}

/* Adds a stack to the line that it was at, in the function of the stack. */
static void add_place(struct spots *spots, const struct weft_profile_stack *stack)
{
    size_t size;
    const char *name = innermost_name(spots->schema, stack, &size);
    struct place place = { weft_text_map_get(&spots->by_name, name, size),
                           site_of(spots, stack) };
    uint32_t index;

    if (place.spot == WEFT_MAP_NONE) {
        place.spot = (uint32_t)spots->by_name.count;
        weft_text_map_put(&spots->by_name, name, size, place.spot);
    }
    index = weft_text_map_get(&spots->by_place, &place, sizeof place);
    if (index == WEFT_MAP_NONE) {
        index = add_spot(spots, name, size);
        spots->list[index].site = place.site;
        weft_text_map_put(&spots->by_place, &place, sizeof place, index);
    }
    spots->list[index].self = weft_ticks_add(spots->list[index].self, stack->ticks);
    count_thread(&spots->list[index], stack->track);
}

static int compare_spots(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    size_t size = x->size < y->size ? x->size : y->size;

    return WEFT_COMPARE(y->self, x->self) ?: WEFT_COMPARE(y->total, x->total)
           ?: memcmp(x->name, y->name, size) ?: WEFT_COMPARE(x->size, y->size)
           ?: WEFT_COMPARE(x->site, y->site);
}

static bool read_spots(const struct weft_request *request, struct weft_arena *arena,
                       struct spots *spots, struct weft_err *err)
{
    *spots = (struct spots){ .schema = request->set->sources[0]->schema,
                             .by_line = strcmp(weft_setting(request, "by"), "line") == 0 };
    if (!profiled_read(request, false, &spots->profile, err))
        return false;
    spots->alike = weft_sites_alike(arena, spots->schema);
    for (size_t i = 0; i < spots->profile.n_stacks; i++)
        if (spots->by_line)
            add_place(spots, &spots->profile.stacks[i]);
        else
            add_function(spots, &spots->profile.stacks[i], i + 1);
    if (spots->n > 1)
        qsort(spots->list, spots->n, sizeof *spots->list, compare_spots);
    return true;
}

static void free_spots(struct spots *spots)
{
    weft_profile_free(&spots->profile);
    weft_text_map_free(&spots->by_name);
    weft_text_map_free(&spots->by_place);
    free(spots->list);
    free(spots->at_lines);
}

static const struct weft_column columns[] = {
    { "function", "[file]: unknown, in that file; [unknown]: in no file that is known",
      .selects = "sample and function = $" },
    { "place", "file and line; by function: those with the most of its self time",
      .narrows = "site = $" },
    { "self_ns", "running time in it" },
    { "total_ns", "that in it and in what it called; empty by line" },
    { "share_pct", "self_ns by the running time of all samples" },
    { "threads", "how many were in it" },
};

/* Returns "file:line" without folders; "" if the line is not known. */
static const char *place_text(struct weft_arena *arena, const struct weft_schema *schema,
                              uint32_t index)
{
    const struct weft_site *site = index == WEFT_NONE ? NULL : &schema->sites[index];
    const char *slash;

    if (!site || !site->file[0] || !site->line)
        return "";
    slash = strrchr(site->file, '/');
    return weft_arena_printf(arena, "%s:%u", slash ? slash + 1 : site->file, site->line);
}

static bool put_row(struct weft_table *out, struct weft_arena *arena,
                    const struct spots *spots, const struct spot *spot)
{
    const struct weft_schema *schema = spots->schema;
    const struct weft_cell cells[] = {
        weft_text_cell(weft_arena_printf(arena, "%.*s", (int)spot->size, spot->name)),
        weft_text_cell(place_text(arena, schema, spot->site)),
        weft_integer_cell(weft_ticks_to_ns(schema, spot->self)),
        spots->by_line ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                       : weft_integer_cell(weft_ticks_to_ns(schema, spot->total)),
        weft_real_cell(profiled_percent(spot->self, spots->profile.ticks), 2),
        weft_integer_cell(spot->threads),
    };

    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_arena row = { 0 };
    struct spots spots;
    bool more = true;

    if (!read_spots(request, request->arena, &spots, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; more && i < spots.n; i++) {
        more = put_row(out, &row, &spots, &spots.list[i]);
        weft_arena_reset(&row);
    }
    out->end(out);
    weft_arena_free(&row);
    free_spots(&spots);
    return true;
}

static const char *numbers_of(struct weft_arena *arena, const struct spots *spots,
                              const struct spot *spot)
{
    char self[WEFT_TIME_TEXT], total[WEFT_TIME_TEXT];
    const char *place = place_text(arena, spots->schema, spot->site);

    return weft_arena_printf(
        arena, "%.1f %% · %s%s%s%s%s · %u thread%s",
        profiled_percent(spot->self, spots->profile.ticks),
        weft_duration_text(spots->schema, spot->self, self),
        spots->by_line ? "" : " · in all ",
        spots->by_line ? "" : weft_duration_text(spots->schema, spot->total, total),
        place[0] ? " · " : "", place, spot->threads, spot->threads == 1 ? "" : "s");
}

/* Returns the selection of the samples in which the function was called. */
static const char *where_of(struct weft_arena *arena, const struct spots *spots,
                            const struct spot *spot)
{
    const char *place = place_text(arena, spots->schema, spot->site);
    const char *where = weft_where_and(
        arena, "sample",
        "function =", weft_arena_printf(arena, "%.*s", (int)spot->size, spot->name));
    return spots->by_line && place[0] ? weft_where_and(arena, where, "site =", place)
                                      : where;
}

/* Makes the bars of the first N spots. */
static struct weft_bar *make_bars(const struct weft_request *request,
                                  const struct spots *spots, size_t n)
{
    struct weft_arena *arena = request->arena;
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);

    for (size_t i = 0; i < n; i++) {
        const struct spot *spot = &spots->list[i];
        const char *name = weft_name_cut(
            weft_arena_printf(arena, "%.*s", (int)spot->size, spot->name), arena);
        bars[i] = (struct weft_bar){ name,
                                     weft_name_swatch(request->theme, name),
                                     (double)spot->self,
                                     numbers_of(arena, spots, spot),
                                     WEFT_NO_ID,
                                     where_of(arena, spots, spot) };
    }
    return bars;
}

/* Returns how many spots, the first ones, have a self time. */
static size_t count_own(const struct spots *spots)
{
    size_t n = 0;

    while (n < spots->n && spots->list[n].self > 0)
        n++;
    return n;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_frame frame;
    struct weft_bar *bars;
    struct spots spots;
    size_t n, own, most;

    if (!read_spots(request, request->arena, &spots, err))
        return false;
    most = weft_bars_looked_at(request);
    own = count_own(&spots);
    n = own < most ? own : most;
    bars = make_bars(request, &spots, n);
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false, NULL,
                     0, weft_range_text(request->arena, spots.schema, request->window));
    if (n > 0)
        weft_bars_draw_some(&frame, bars, n, own - n);
    else
        weft_frame_empty(&frame, "No sample was taken in this range.");
    free_spots(&spots);
    return true;
}

const struct weft_view weft_view_hot_spots = {
    .name = "hot-spots",
    .title = "Hot spots",
    .group = "Statistics",
    .explanation = "Each bar is a function of the program: how long threads ran in it, "
                   "without what it called, by samples.",
    .needs = profiled_needs,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = profiled_fills,
    .scene = scene,
    .table = table,
};
