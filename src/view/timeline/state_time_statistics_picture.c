/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "store/time.h"
#include "view/picture_frame.h"
#include "view/timeline/state_time_statistics_priv.h"

static struct weft_swatch swatch_of(const struct summary *s, const struct group *group,
                                    const struct weft_swatch *swatches,
                                    const struct weft_theme *theme)
{
    (void)s;
    return group->value == WEFT_NONE ? weft_name_swatch(theme, group->name)
                                     : swatches[group->value];
}

/* The free time of locks is only in the table. */
static bool is_drawn(const struct summary *s, const struct group *group)
{
    return group->value == WEFT_NONE
           || !weft_role_is(s->schema->values[group->value].role, WEFT_ROLE_FREE);
}

/* Returns as much of the numbers as fits; with several types, the share names its type. */
static const char *numbers_of(struct weft_arena *arena, const struct summary *s,
                              const struct group *group, bool several, double width)
{
    char total[WEFT_TIME_TEXT], mean[WEFT_TIME_TEXT], p99[WEFT_TIME_TEXT];
    double share = group->lived > 0 ? 100 * (double)group->total / group->lived : 0;
    const char *const parts[] = {
        weft_duration_text(s->schema, group->total, total),
        weft_arena_printf(arena, "%s%.1f %%%s%s", share > 0 && share < 0.1 ? "<" : "",
                          share > 0 ? fmax(share, 0.1) : 0, several ? " of " : "",
                          several ? weft_name_cut(s->type_names[group->type], arena) : ""),
        weft_arena_printf(arena, "%s time%s",
                          weft_number_text(arena, (double)group->durations.count, 0),
                          group->durations.count == 1 ? "" : "s"),
        weft_arena_printf(arena, "mean %s",
                          weft_nanoseconds_text((double)mean_ns(s->schema, group), mean)),
        weft_arena_printf(arena, "p99 %s", weft_duration_text(s->schema, group->p99, p99)),
    };
    return weft_text_parts(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, parts,
                           sizeof parts / sizeof *parts, width);
}

static const char *name_of(struct weft_arena *arena, const struct summary *s,
                           const struct group *group)
{
    const char *name = weft_name_cut(group->name, arena);
    if (s->by != BY_EACH)
        return name;
    uint32_t container = s->schema->tracks[group->track].container;
    return weft_arena_printf(arena, "%s: %s", s->labels[container], name);
}

/* Returns the selection of the group's states. */
static const char *where_of(struct weft_arena *arena, const struct summary *s,
                            const struct group *group)
{
    const char *where = weft_where_and(arena, "", "type =", s->type_names[group->type]);
    if (s->by == BY_EACH)
        where = weft_where_and(
            arena, where, "row =", s->labels[s->schema->tracks[group->track].container]);
    if (s->by == BY_TYPE)
        return where;
    return weft_where_and(arena, where,
                          s->by == BY_CONTAINER ? "row =" : "value =", group->name);
}

/* All bars of a picture share these. */
struct bars {
    struct weft_scene *scene;
    struct weft_arena *arena;
    const struct summary *s;
    const struct weft_theme *theme;
    const struct weft_swatch *swatches;
    struct weft_rect plot;
    double gutter, length; /* pixels: of the names; of the longest bar */
    double most;           /* ticks of that */
    bool several;          /* the groups are of several types */
};

static double width_of(const struct bars *bars, double ticks)
{
    return bars->most > 0 ? bars->length * ticks / bars->most : 0;
}

/* Draws what is left and right of the bar, WIDTH long, of a group at Y. */
static void draw_texts(const struct bars *bars, const struct group *group, double y,
                       double width)
{
    const struct weft_rect *plot = &bars->plot;
    double after = plot->x + width + 8;
    const char *name =
        weft_text_fit(bars->arena, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                      name_of(bars->arena, bars->s, group), bars->gutter - 8);
    const char *fits = numbers_of(bars->arena, bars->s, group, bars->several,
                                  plot->x + plot->width - after);
    if (name)
        weft_scene_text(bars->scene, (struct weft_point){ plot->x - 8, y + 15 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_FONT_SIZE, bars->theme->text,
                        name);
    if (fits)
        weft_scene_text(bars->scene, (struct weft_point){ after, y + 15 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        bars->theme->quiet, fits);
}

/* The pale part of a bar is all of the group's time, the solid one its own. */
static void draw_bar(const struct bars *bars, const struct group *group, double y)
{
    struct weft_swatch swatch = swatch_of(bars->s, group, bars->swatches, bars->theme);
    double x = bars->plot.x, width = width_of(bars, (double)group->total);
    double self = width_of(bars, (double)group->self);
    struct weft_action list = weft_list_action(where_of(bars->arena, bars->s, group));
    struct weft_mark *mark = weft_scene_rect(
        bars->scene, (struct weft_rect){ x, y + 3, fmax(width, 1), 16 },
        (struct weft_paint){ .fill = (swatch.fill & 0xffffffu) | 0x60000000u });
    if (mark)
        mark->action = list;
    mark = weft_scene_rect(bars->scene, (struct weft_rect){ x, y + 3, fmax(self, 0.5), 16 },
                           (struct weft_paint){ .fill = swatch.fill,
                                                .stroke = bars->theme->quiet,
                                                .stroke_width = 0.5f,
                                                .hatch = swatch.hatch });
    if (mark)
        mark->action = list;
    weft_mark_title(bars->scene, mark, "%s (%s) · %s", group->name,
                    bars->s->type_names[group->type],
                    numbers_of(bars->arena, bars->s, group, false, 1e9));
    draw_texts(bars, group, y, width);
}

static void draw_bars(struct weft_frame *frame, struct weft_arena *arena,
                      const struct summary *s, const struct weft_request *request,
                      double gutter)
{
    struct weft_rect plot = frame->plot;
    struct bars bars = { .scene = frame->scene,
                         .arena = arena,
                         .s = s,
                         .theme = request->theme,
                         .swatches = weft_palette(arena, s->schema, request->theme),
                         .plot = plot,
                         .gutter = gutter,
                         .length = plot.width - fmin(430, plot.width * 0.5) };
    size_t drawn = 0;
    for (size_t g = 0; g < s->n_groups; g++) {
        if (!is_drawn(s, &s->groups[g]))
            continue;
        drawn++;
        bars.most = fmax(bars.most, (double)s->groups[g].total);
        bars.several |= s->groups[g].type != s->groups[0].type;
    }
    size_t fit = (size_t)((plot.height + 4) / 22); /* the last line needs no gap below */
    size_t shown = drawn <= fit ? drawn : fit > 1 ? fit - 1 : fit;
    weft_scene_layer(frame->scene, "bars",
                     (struct weft_rect){ 0, plot.y, frame->scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    size_t line = 0;
    for (size_t g = 0; line < shown; g++)
        if (is_drawn(s, &s->groups[g]))
            draw_bar(&bars, &s->groups[g], plot.y + (double)line++ * 22);
    if (shown < drawn)
        weft_scene_text(
            frame->scene, (struct weft_point){ plot.x, plot.y + (double)shown * 22 + 15 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, request->theme->quiet,
            weft_arena_printf(arena, "and %zu more, in the table", drawn - shown));
}

void state_summary_draw(const struct weft_request *request, const struct summary *s,
                        struct weft_scene *out)
{
    double gutter = 40;
    for (size_t g = 0; g < s->n_groups && g < 200; g++)
        gutter = fmax(gutter, weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE,
                                              name_of(request->arena, s, &s->groups[g]))
                                  + 10);
    gutter = fmin(gutter, request->width * 0.3);
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, gutter, false, NULL, 0,
                     weft_range_text(request->arena, s->schema, request->window));
    if (s->n_groups)
        draw_bars(&frame, request->arena, s, request, gutter);
    else
        weft_frame_empty(&frame, s->query.where ? "No state in this range is selected."
                                                : "No state overlaps this range.");
}
