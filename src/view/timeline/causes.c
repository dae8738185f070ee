/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The causes of all waits (analyse/blame.h): what rows did, and where, while others waited
 * for it, and how long these waited, all together.
 */
#include "view/timeline/causes.h"

#include <string.h>

#include "analyse/alike_objects.h"
#include "analyse/sites_by_line.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/why.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "by",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "place|row",
      .fallback = "place",
      .help = "what is one: what was done at a place, or by one row there" },
    CAUSES_MOST,
    { .name = "where",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "only these waits (doc/selections.md): object = table_lock",
      .seldom = true },
};

static const struct weft_column columns[] = {
    { "row", "the thread, rank or processor that others waited for; of several the one for "
             "which they waited longest" },
    { "rows", "how many these are", .seldom = true },
    CAUSES_PLACE,
    { "waited_ns", "how long others waited meanwhile, all together" },
    { "share_pct", "that by the length of all waits that were followed", .seldom = true },
    { "waits", "how many waits passed through it" },
};

bool causes_read(const struct weft_request *request, int number, struct weft_span window,
                 const char *where, size_t most, struct weft_blames *blames,
                 struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[number];
    struct weft_where *selection = where[0] ? weft_where_new(source, where, err) : NULL;
    const struct weft_releases *releases =
        where[0] && !selection ? NULL : why_releases(request, number, err);
    const struct weft_blame_query query = { .source = source,
                                            .releases = releases,
                                            .under = number == 0 ? request->under : 0,
                                            .window = window,
                                            .where = selection,
                                            .most = most,
                                            .job = request->job };
    bool ok = releases && weft_blame_read(&query, blames, err);
    weft_where_free(selection);
    return ok;
}

static bool read_blames(const struct weft_request *request, struct weft_blames *blames,
                        struct weft_err *err)
{
    if (!causes_read(request, 0, request->window, weft_setting(request, "where"),
                     (size_t)weft_setting_number(request, "most"), blames, err))
        return false;
    if (strcmp(weft_setting(request, "by"), "place") == 0)
        weft_blames_by_place(request->set->sources[0]->schema, blames);
    return true;
}

static double percent(const struct weft_blames *blames, int64_t ticks)
{
    return blames->walked_ticks ? 100 * (double)ticks / (double)blames->walked_ticks : 0;
}

const char *causes_object_text(struct weft_arena *arena, const struct weft_schema *schema,
                               const char **labels, const struct weft_blame *blame)
{
    const char *common = "";
    if (blame->cause.object == WEFT_NONE)
        return "";
    if (blame->alike)
        common = weft_objects_text(arena, schema, blame->cause.object);
    return common[0] ? common : labels[blame->cause.object];
}

static bool put_row(const struct weft_schema *schema, const char **labels,
                    const struct weft_blames *blames, const struct weft_blame *blame,
                    struct weft_arena *arena, struct weft_table *out)
{
    const struct weft_cause *cause = &blame->cause;
    const struct weft_cell cells[] = {
        weft_text_cell(labels[cause->row]),
        weft_integer_cell(blame->rows),
        weft_text_cell(why_class_text(cause)),
        weft_text_cell(cause->value == WEFT_NONE ? "" : schema->values[cause->value].name),
        weft_text_cell(causes_object_text(arena, schema, labels, blame)),
        weft_text_cell(weft_site_text(arena, schema, cause->site)),
        weft_text_cell(cause->function ? cause->function : ""),
        weft_integer_cell(weft_ticks_to_ns(schema, cause->ticks)),
        weft_real_cell(percent(blames, cause->ticks), 2),
        weft_integer_cell((int64_t)blame->waits),
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_blames blames;
    struct weft_arena row = { 0 };
    if (!read_blames(request, &blames, err))
        return false;
    const char **labels = weft_container_labels(schema, request->arena);
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < blames.n; i++) {
        bool more = put_row(schema, labels, &blames, &blames.list[i], &row, out);
        weft_arena_reset(&row);
        if (!more)
            break;
    }
    out->end(out);
    weft_arena_free(&row);
    weft_blames_free(&blames);
    return true;
}

static const char *numbers_of(const struct weft_request *request,
                              const struct weft_blames *blames,
                              const struct weft_blame *blame, const char **labels)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const struct weft_cause *cause = &blame->cause;
    char length[WEFT_TIME_TEXT];
    const char *site = weft_site_text(request->arena, schema, cause->site);
    const char *object = causes_object_text(request->arena, schema, labels, blame);
    return weft_arena_printf(
        request->arena, "%s · %.1f %% · %s wait%s%s%s%s%s%s%s",
        weft_duration_text(schema, cause->ticks, length), percent(blames, cause->ticks),
        weft_number_text(request->arena, (double)blame->waits, 0),
        blame->waits == 1 ? "" : "s", blame->rows > 1 ? " · most by " : "",
        blame->rows > 1 ? labels[cause->row] : "", object[0] ? " · " : "", object,
        site[0] ? " · " : "", site);
}

/* "all of 200 ms: 412 waits, 3.2 s together; the longest 2000 of them are 98 %" */
static const char *subtitle_of(const struct weft_request *request,
                               const struct weft_blames *blames)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    char length[WEFT_TIME_TEXT];
    const char *all =
        weft_arena_printf(request->arena, "%s · %s wait%s, %s together",
                          weft_range_text(request->arena, schema, request->window),
                          weft_number_text(request->arena, (double)blames->waits, 0),
                          blames->waits == 1 ? "" : "s",
                          weft_duration_text(schema, blames->waited_ticks, length));
    if (blames->walked == blames->waits)
        return all;
    return weft_arena_printf(request->arena, "%s; of the longest %s, %.1f %% of that", all,
                             weft_number_text(request->arena, (double)blames->walked, 0),
                             100 * (double)blames->walked_ticks
                                 / (double)blames->waited_ticks);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_blames blames;
    if (!read_blames(request, &blames, err))
        return false;
    const char **labels = weft_container_labels(schema, request->arena);
    struct weft_swatch *swatches = weft_palette(request->arena, schema, request->theme);
    size_t most = weft_bars_looked_at(request), n = blames.n < most ? blames.n : most;
    struct weft_bar *bars = weft_arena_zalloc(request->arena, n + 1, sizeof *bars);
    for (size_t i = 0; i < n; i++) {
        const struct weft_cause *cause = &blames.list[i].cause;
        bars[i] = (struct weft_bar){ why_cause_name(request->arena, schema,
                                                    blames.list[i].rows > 1 ? NULL : labels,
                                                    cause),
                                     why_cause_swatch(request->theme, swatches, cause),
                                     (double)cause->ticks,
                                     numbers_of(request, &blames, &blames.list[i], labels),
                                     weft_container_id(cause->row, false) };
    }
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false, NULL,
                     0, subtitle_of(request, &blames));
    if (n)
        weft_bars_draw_some(&frame, bars, n, blames.n - n);
    else
        weft_frame_empty(&frame, "Nobody waited for another in this range.");
    weft_blames_free(&blames);
    return true;
}

/* Tells if only the longest waits were followed. */
static const char *remark(const struct weft_request *request)
{
    struct weft_blames all;
    struct weft_err err;
    size_t most = (size_t)weft_setting_number(request, "most");
    if (!causes_read(request, 0, request->window, weft_setting(request, "where"), 0, &all,
                     &err))
        return NULL;
    uint64_t waits = all.waits;
    weft_blames_free(&all);
    if (waits <= most)
        return NULL;
    return weft_arena_printf(request->arena,
                             "of %s waits the longest %s were followed (--set most=N "
                             "follows more)",
                             weft_number_text(request->arena, (double)waits, 0),
                             weft_number_text(request->arena, (double)most, 0));
}

const struct weft_view weft_view_causes = {
    .name = "causes",
    .title = "Causes of waiting",
    .group = "Statistics",
    .explanation =
        "Each bar is what one thread did, and where, while others waited for it: "
        "how long they waited, all together.",
    .needs = "states that are waits (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_waits,
    .scene = scene,
    .table = table,
    .remark = remark,
};
