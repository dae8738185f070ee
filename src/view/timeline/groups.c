/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of rows: for how long so many of their members were active at once (Paje's pie of
 * a reduction; Chassin de Kergommeaux, Stein, Bernard 2000, figure 6), what their variables
 * were, and how much they sent to each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/groups.h"
#include "view/timeline/space_time.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "of",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "active|links|variables",
      .fallback = "active",
      .help = "for how long so many members were active at once; links from group to "
              "group; or variables" },
    { .name = "active",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help =
          "what counts as active, states by value or role (doc/selections.md): running; "
          "empty: work, or in any state where nothing is known to be work" },
    { .name = "containers",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "the groups; empty: rows that a filter reduces, else those that it makes, "
              "else rows that hold others with states" },
};

static const struct weft_column columns[] = {
    { "group", "the group, or row that holds others",
      .selects = "of=links:from in \"$\"|row in \"$\"" },
    { "active", "how many of its members were active at once", "of=active" },
    { "members", "how many it has", "of=active" },
    { "share_pct", "for which part of the range", "of=active" },
    { "total_ns", "for how long", "of=active" },
    { "to", "the group where the links arrive", "of=links", "to in \"$\"" },
    { "links", "how many begin in the range; at a moment: are under way", "of=links" },
    { "bytes", "what they carried", "of=links" },
    { "variable", "the type of the variables", "of=variables" },
    { "members", "how many have values in the range", "of=variables" },
    { "min", "the least value of any member", "of=variables" },
    { "mean", "over the time in which members have values", "of=variables" },
    { "max", "the greatest value of any member", "of=variables" },
    { "sum", "of the members, on average over the range", "of=variables" },
};

/* ---- Numbers ---- */

static bool of(const struct weft_request *request, const char *what)
{
    return strcmp(weft_setting(request, "of"), what) == 0;
}

static double percent(const struct groups *groups, int64_t ticks)
{
    double length = (double)(groups->window.end - groups->window.begin);
    return length > 0 ? 100 * (double)ticks / length : 0;
}

static bool active_rows(const struct groups *groups, struct weft_table *out,
                        struct weft_job *job, struct weft_err *err)
{
    for (size_t g = 0; g < groups->n; g++) {
        const struct group *group = &groups->list[g];
        int64_t *ticks = groups_count_active(groups, g, job);
        for (size_t k = 0; k <= group->members.n; k++) {
            const struct weft_cell cells[] = {
                weft_text_cell(group->name),
                weft_integer_cell((int64_t)k),
                weft_integer_cell((int64_t)group->members.n),
                weft_real_cell(percent(groups, ticks[k]), 3),
                weft_integer_cell(weft_ticks_to_ns(groups->schema, ticks[k])),
            };
            if (ticks[k] && !out->row(out, cells))
                break;
        }
        free(ticks);
        if (!weft_job_step(job, g + 1, groups->n, err))
            return false;
    }
    return true;
}

static void link_rows(const struct groups *groups, struct weft_table *out)
{
    struct weft_pair_sums sums = { 0 };
    groups_sum_links(groups, &sums);
    for (size_t i = 0; i < sums.n; i++) {
        const struct weft_cell cells[] = {
            weft_text_cell(groups->list[sums.rows[i].from].name),
            weft_text_cell(groups->list[sums.rows[i].to].name),
            weft_integer_cell((int64_t)sums.rows[i].count),
            weft_integer_cell(sums.rows[i].bytes),
        };
        if (!out->row(out, cells))
            break;
    }
    free(sums.rows);
}

static bool variable_rows(const struct groups *groups, struct weft_table *out,
                          struct weft_arena *arena)
{
    size_t n;
    const struct group_variable *list = groups_variables(groups, arena, &n);
    for (size_t i = 0; i < n; i++) {
        const struct group_variable *v = &list[i];
        const struct weft_cell cells[] = {
            weft_text_cell(groups->list[v->group].name),
            weft_text_cell(groups->schema->types[v->type].name),
            weft_integer_cell((int64_t)v->members),
            weft_real_cell(v->min, 6),
            weft_real_cell(v->mean, 6),
            weft_real_cell(v->max, 6),
            weft_real_cell(v->sum, 6),
        };
        if (!out->row(out, cells))
            return false;
    }
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct groups groups;
    if (!groups_find(&groups, request, err))
        return false;
    weft_view_begin_table(request, out);
    bool ok = true;
    if (of(request, "links"))
        link_rows(&groups, out);
    else if (of(request, "variables"))
        variable_rows(&groups, out, request->arena);
    else
        ok = active_rows(&groups, out, request->job, err);
    out->end(out);
    return ok && weft_job_step(request->job, 1, 1, err);
}

/* ---- Pictures ---- */

/* Draws a group's range as one bar, cut by how many members were active. */
static void draw_group(struct weft_frame *frame, const struct groups *groups, size_t g,
                       const int64_t *ticks, struct weft_rect box)
{
    const struct group *group = &groups->list[g];
    struct weft_arena *arena = groups->request->arena;
    size_t n = group->members.n;
    double x = box.x, length = (double)(groups->window.end - groups->window.begin);
    for (size_t k = 0; k <= n; k++) {
        double width = box.width * (double)ticks[k] / length;
        weft_color color = st_shade(frame->theme, (double)k, (double)group->at_once);
        char text[WEFT_TIME_TEXT];
        if (!ticks[k])
            continue;
        struct weft_mark *mark = weft_scene_rect(
            frame->scene, (struct weft_rect){ x, box.y, width, box.height },
            (struct weft_paint){ .fill = color,
                                 .stroke = width > 3 ? frame->theme->grid : 0,
                                 .stroke_width = 1 });
        weft_mark_title(frame->scene, mark, "%s · %zu of %zu %s · %.1f %% · %s",
                        group->name, k, n, groups->what, percent(groups, ticks[k]),
                        weft_duration_text(groups->schema, ticks[k], text));
        const char *number = weft_arena_printf(arena, "%zu", k);
        if (weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, number) + 6 <= width
            && box.height >= 12)
            weft_scene_text(
                frame->scene,
                (struct weft_point){ x + width / 2, box.y + box.height / 2 + 4 },
                WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE, weft_ink(color),
                number);
        x += width;
    }
}

enum { NUMBERS = 150 }; /* pixels right of the bars */

static const char *mean_text(struct weft_arena *arena, const struct group *group,
                             double mean)
{
    return weft_arena_printf(arena, "mean %.3g of %zu%s", mean, group->at_once,
                             group->at_once < group->members.n ? " at once" : "");
}

static bool draw_active(struct weft_frame *frame, const struct groups *groups,
                        struct weft_err *err)
{
    struct weft_rect plot = frame->plot;
    struct weft_job *job = groups->request->job;
    double row = weft_bars_row(frame, groups->n), room = plot.width > 400 ? NUMBERS : 0;
    size_t fit = (size_t)(plot.height / row);
    for (size_t g = 0; g < groups->n && g < fit; g++) {
        const struct group *group = &groups->list[g];
        int64_t *ticks = groups_count_active(groups, g, job);
        struct weft_rect box = { plot.x, plot.y + (double)g * row, plot.width - room,
                                 row - 4 };
        double middle = box.y + box.height / 2 + 4, mean = 0;
        draw_group(frame, groups, g, ticks, box);
        for (size_t k = 0; k <= group->members.n; k++)
            mean += (double)k * percent(groups, ticks[k]) / 100;
        free(ticks);
        const char *name = weft_text_fit(groups->request->arena, WEFT_FONT_SANS,
                                         WEFT_SMALL_SIZE, group->name, plot.x - 8);
        if (name)
            weft_scene_text(frame->scene, (struct weft_point){ plot.x - 6, middle },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                            frame->theme->text, name);
        if (room > 0)
            weft_scene_text(
                frame->scene, (struct weft_point){ plot.x + plot.width - room + 8, middle },
                WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
                mean_text(groups->request->arena, group, mean));
        if (!weft_job_step(job, g, groups->n, err))
            return false;
    }
    return true;
}

/* Returns the bars of links, or of the means of variables; *N of them. */
static struct weft_bar *bars_of(const struct groups *groups, size_t *n)
{
    struct weft_arena *arena = groups->request->arena;
    const struct weft_theme *theme = groups->request->theme;
    struct weft_bar *bars;
    if (of(groups->request, "links")) {
        struct weft_pair_sums sums = { 0 };
        groups_sum_links(groups, &sums);
        *n = sums.n;
        bars = weft_arena_zalloc(arena, *n + 1, sizeof *bars);
        for (size_t i = 0; i < *n; i++) {
            const struct weft_pair_sum *sum = &sums.rows[i];
            const char *from = groups->list[sum->from].name;
            bars[i] = (struct weft_bar){
                weft_arena_printf(arena, "%s → %s", from, groups->list[sum->to].name),
                weft_name_swatch(theme, from),
                (double)sum->count,
                weft_arena_printf(arena, "%s links · %s bytes",
                                  weft_number_text(arena, (double)sum->count, 0),
                                  weft_number_text(arena, (double)sum->bytes, 0)),
                WEFT_NO_ID,
                NULL
            };
        }
        free(sums.rows);
        return bars;
    }
    const struct group_variable *list = groups_variables(groups, arena, n);
    bars = weft_arena_zalloc(arena, *n + 1, sizeof *bars);
    for (size_t i = 0; i < *n; i++) {
        const char *type = groups->schema->types[list[i].type].name;
        bars[i] = (struct weft_bar){
            weft_arena_printf(arena, "%s · %s", groups->list[list[i].group].name, type),
            weft_name_swatch(theme, type),
            list[i].mean,
            weft_arena_printf(arena, "mean %.4g · %.4g to %.4g · sum %.4g", list[i].mean,
                              list[i].min, list[i].max, list[i].sum),
            WEFT_NO_ID,
            NULL
        };
    }
    return bars;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    struct weft_frame frame;
    struct groups groups;
    if (!groups_find(&groups, request, err))
        return false;
    bool active = of(request, "active");
    size_t n = groups.n;
    struct weft_bar *bars =
        active ? weft_arena_zalloc(arena, n + 1, sizeof *bars) : bars_of(&groups, &n);
    for (size_t g = 0; active && g < n; g++)
        bars[g].name = groups.list[g].name;
    const char *range = weft_range_text(arena, groups.schema, groups.window);
    weft_frame_begin(
        &frame, out, request, weft_bars_gutter(request, bars, n), false, NULL, 0,
        active ? weft_arena_printf(arena, "%s · members %s at once, %s", range, groups.what,
                                   request->theme->dark ? "light is all" : "dark is all")
               : range);
    if (!n)
        weft_frame_empty(&frame, active ? "No row holds others that have states."
                                        : "The groups have none of these in this range.");
    else if (active)
        return draw_active(&frame, &groups, err);
    else
        weft_bars_draw(&frame, bars, n);
    return weft_job_step(request->job, 1, 1, err);
}

static bool fills(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    return schema->n_states && schema->n_containers > 1;
}

const struct weft_view weft_view_groups = {
    .name = "groups",
    .title = "Groups",
    .group = "Statistics",
    .explanation =
        "Bars are a group's range, cut by how many of its members were active at "
        "once; or links from group to group, or means of variables.",
    .needs = "states of rows that others hold",
    .moment = WEFT_MOMENT_SHOWN,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .scene = scene,
    .table = table,
};
