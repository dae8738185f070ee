/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: the places of a program that allocate, how much, and what is live
 * (analyse/allocations.h).  The picture has the bytes live over time, and below them the
 * places that had them at the peak.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "domains/threads/analyse/allocations.h"
#include "domains/threads/view/views.h"
#include "store/time.h"
#include "view/bars.h"

static const struct weft_parameter parameters[] = {
    { .name = "threads",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "off",
      .help = "tell threads apart that allocate at one place" },
    { .name = "of",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "heap|mapped-memory|mapped-file",
      .fallback = "heap",
      .help = "what the picture shows: blocks of the allocator, or what mmap maps" },
};

static const struct weft_column columns[] = {
    { "process", "the process that it belongs to", .seldom = true },
    { "program", "the program that it executed then", .seldom = true },
    { "thread", "that allocated, with --set threads=on" },
    { "what", "blocks of the allocator (heap), mapped memory, or mapped files",
      .seldom = true },
    { "site", "where in the program; empty: the allocation was not recorded" },
    { "allocations", "how many" },
    { "frees", "how many of them were given back; realloc counts for both" },
    { "frees_elsewhere", "how many of these by another thread", .seldom = true },
    { "refusals", "calls that got nothing", .seldom = true },
    { "bytes", "of all allocations together, as they were asked for" },
    { "live_peak_bytes", "live when the program had most of this kind" },
    { "live_end_bytes", "live when it ended: never given back" },
    { "mean_bytes", "bytes by the number of allocations", .seldom = true },
    { "largest_bytes", "the largest allocation", .seldom = true },
    { "time_ns", "in calls that allocated and gave back", .seldom = true },
    { "longest_ns", "the longest of these calls", .seldom = true },
};

static bool read_all(const struct weft_request *request, struct allocations **list,
                     size_t *n, struct weft_err *err)
{
    return allocations_read(request->set->sources[0], request->under,
                            strcmp(weft_setting(request, "threads"), "on") == 0,
                            request->arena, request->job, list, n, err);
}

/* ---- Table ---- */

static bool put_row(struct weft_table *out, struct weft_arena *arena,
                    const struct weft_schema *schema, const char **labels,
                    const struct allocations *row)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    const struct weft_cell cells[] = {
        weft_text_cell(labels[row->process]),
        weft_text_cell(row->program == WEFT_NONE ? "" : schema->strings[row->program]),
        weft_text_cell(row->thread == WEFT_NONE ? "" : labels[row->thread]),
        weft_text_cell(schema->values[row->value].name),
        weft_text_cell(weft_site_text(arena, schema, row->site)),
        weft_integer_cell(row->count),
        weft_integer_cell(row->frees),
        weft_integer_cell(row->frees_elsewhere),
        weft_integer_cell(row->refusals),
        weft_integer_cell(row->bytes),
        weft_integer_cell(row->at_peak),
        weft_integer_cell(row->at_end),
        row->count > 0 ? weft_integer_cell(row->bytes / row->count) : empty,
        row->count > 0 ? weft_integer_cell(row->largest) : empty,
        weft_integer_cell(weft_ticks_to_ns(schema, row->ticks)),
        weft_integer_cell(weft_ticks_to_ns(schema, row->longest)),
    };

    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char **labels = weft_container_labels(schema, request->arena);
    struct allocations *list;
    size_t n;

    if (!read_all(request, &list, &n, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < n; i++)
        if (!put_row(out, request->arena, schema, labels, &list[i]))
            break;
    out->end(out);
    return true;
}

/* ---- Picture ---- */

/* The setting "of": what is allocated, and the variable of the bytes that are live. */
static const struct {
    const char *setting, *name;
    enum weft_role value, variable;
} kinds[] = {
    { "heap", "heap", WEFT_ROLE_HEAP, WEFT_ROLE_LIVE_BYTES },
    { "mapped-memory", "mapped memory", WEFT_ROLE_MAPPED_MEMORY, WEFT_ROLE_MAPPED_BYTES },
    { "mapped-file", "mapped files", WEFT_ROLE_MAPPED_FILE, WEFT_ROLE_MAPPED_FILE_BYTES },
};

static size_t kind_of(const struct weft_request *request)
{
    const char *setting = weft_setting(request, "of");

    for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(setting, kinds[i].setting) == 0)
            return i;
    return 0;
}

static weft_color color_of(const struct weft_theme *theme)
{
    return weft_unhatched(theme, weft_number_swatch(theme, 0).fill);
}

/* "12.5 MiB (31.2 %) · 1,200 allocations · 3 MiB live at the end · the largest 64 KiB" */
static const char *numbers_of(struct weft_arena *arena, const struct allocations *row,
                              double peak)
{
    const char *end = row->at_end > 0
                          ? weft_arena_printf(arena, " · %s live at the end",
                                              weft_bytes_text(arena, row->at_end))
                          : "";
    const char *share =
        peak > 0 ? weft_arena_printf(arena, " (%.1f %%)", 100 * (double)row->at_peak / peak)
                 : "";

    return weft_arena_printf(arena, "%s%s · %s allocation%s%s · the largest %s",
                             weft_bytes_text(arena, row->at_peak), share,
                             weft_number_text(arena, (double)row->count, 0),
                             row->count == 1 ? "" : "s", end,
                             weft_bytes_text(arena, row->largest));
}

/* "make_table (table.c:20), worker 3" */
static const char *name_of(struct weft_arena *arena, const struct weft_schema *schema,
                           const char **labels, const struct allocations *row)
{
    const char *site =
        row->site == WEFT_NONE ? "not known" : weft_site_text(arena, schema, row->site);

    return row->thread == WEFT_NONE
               ? site
               : weft_arena_printf(arena, "%s, %s", site, labels[row->thread]);
}

/* The bytes at the peak of a program that a process executed. */
struct program_peak {
    int64_t image;
    double bytes;
};

/*
 * Returns the number of the program of PROCESS that had most of ROLE: a process may have
 * executed several.
 */
static int64_t program_with_most(const struct weft_request *request,
                                 const struct allocations *list, size_t n, uint32_t process,
                                 enum weft_role role)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct program_peak *peaks = weft_arena_alloc(request->arena, (n + 1) * sizeof *peaks);
    size_t n_peaks = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        if (list[i].process != process
            || !weft_role_is(schema->values[list[i].value].role, role))
            continue;
        while (k < n_peaks && peaks[k].image != list[i].image)
            k++;
        if (k == n_peaks)
            peaks[n_peaks++] = (struct program_peak){ list[i].image, 0 };
        peaks[k].bytes += (double)list[i].at_peak;
        if (peaks[k].bytes > peaks[most].bytes)
            most = k;
    }
    return n_peaks > 0 ? peaks[most].image : 0;
}

/*
 * Makes bars of the places of the process of PEAK's variable that had bytes then; returns
 * their number.
 */
static size_t make_bars(const struct weft_request *request, const struct allocations *list,
                        size_t n, const struct bytes_peak *peak, enum weft_role role,
                        struct weft_bar *bars)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char **labels = weft_container_labels(schema, request->arena);
    struct weft_swatch swatch = weft_number_swatch(request->theme, 0);
    uint32_t process = schema->tracks[peak->track].container;
    int64_t image = program_with_most(request, list, n, process, role);
    size_t n_bars = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].process == process && list[i].image == image && list[i].at_peak > 0
            && weft_role_is(schema->values[list[i].value].role, role))
            bars[n_bars++] =
                (struct weft_bar){ name_of(request->arena, schema, labels, &list[i]),
                                   swatch, (double)list[i].at_peak,
                                   numbers_of(request->arena, &list[i], peak->bytes),
                                   WEFT_NO_ID };
    return n_bars;
}

/* Draws the lines of the bytes behind the curve, from 0 to MOST. */
static void draw_axis(struct weft_frame *frame, struct weft_rect plot, double most)
{
    enum { SPACING = 36 };
    struct weft_axis axis =
        weft_value_axis(frame->scene->arena, 0, most, "B", plot.height, SPACING);

    for (size_t i = 0; i < axis.n_ticks; i++) {
        const char *label = axis.ticks[i].label;
        weft_value_line(frame, plot, plot.y + plot.height - axis.ticks[i].at, label);
    }
    weft_scene_text(frame->scene, (struct weft_point){ plot.x + 4, plot.y + 14 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
                    axis.unit);
}

/* Draws the greatest bytes of each column of PLOT, as an area of which MOST is the top. */
static void draw_curve(struct weft_frame *frame, const struct weft_source *source,
                       struct weft_rect plot, const struct bytes_peak *peak, double most)
{
    size_t wide = plot.width >= 1 ? (size_t)plot.width : 1, n = 0;
    struct weft_scene *scene = frame->scene;
    struct weft_envelope *envelope =
        weft_arena_alloc(scene->arena, wide * sizeof *envelope);
    struct weft_point *points =
        weft_arena_alloc(scene->arena, (2 * wide + 2) * sizeof *points);
    double bottom = plot.y + plot.height;
    weft_color color = color_of(frame->theme);

    source->ops->envelope(source, peak->track, source->schema->span, wide, envelope);
    for (size_t c = 0; c < wide; c++) {
        double value = isnan(envelope[c].max) ? 0 : (double)envelope[c].max;
        double y = bottom - plot.height * value / most;
        double x = plot.x + plot.width * (double)c / (double)wide;
        points[n++] = (struct weft_point){ x, y };
        points[n++] = (struct weft_point){ x + plot.width / (double)wide, y };
    }
    points[n++] = (struct weft_point){ plot.x + plot.width, bottom };
    points[n++] = (struct weft_point){ plot.x, bottom };
    weft_scene_polygon(scene, points, n,
                       (struct weft_paint){ .fill = (color & 0xffffffu) | 0x60000000u });
    weft_scene_polyline(scene, points, n - 2,
                        (struct weft_paint){ .stroke = color, .stroke_width = 1.2f });
}

/* Marks the peak in the curve, and says when it was and how many bytes. */
static void draw_peak(struct weft_frame *frame, const struct weft_schema *schema,
                      struct weft_rect plot, const struct bytes_peak *peak, double most)
{
    struct weft_scene *scene = frame->scene;
    double span = (double)schema->span.end - (double)schema->span.begin;
    double part = span > 0 ? ((double)peak->time - (double)schema->span.begin) / span : 0;
    struct weft_point at = { plot.x + plot.width * part,
                             plot.y + plot.height - plot.height * peak->bytes / most };
    bool right = part < 0.6;
    char when[WEFT_TIME_TEXT];
    const char *text = weft_arena_printf(
        scene->arena, "peak: %s after %s",
        weft_bytes_text(scene->arena, (int64_t)peak->bytes),
        weft_duration_text(schema, peak->time - schema->span.begin, when));

    weft_scene_glyph(scene, WEFT_GLYPH_CIRCLE, at, 8, 0,
                     (struct weft_paint){ .fill = frame->theme->accent,
                                          .stroke = frame->theme->panel,
                                          .stroke_width = 1 });
    weft_scene_text(scene, (struct weft_point){ at.x + (right ? 8 : -8), at.y - 4 },
                    right ? WEFT_ANCHOR_START : WEFT_ANCHOR_END, WEFT_FONT_SANS,
                    WEFT_SMALL_SIZE, frame->theme->text, text);
}

/* Draws the curve in the upper part of the plot, the bars in the lower one. */
static void draw(struct weft_frame *frame, const struct weft_request *request,
                 const struct bytes_peak *peak, const struct weft_bar *bars, size_t n)
{
    enum { BAR = 22, GAP = 26, MIN_CURVE = 60 }; /* pixels */
    const struct weft_source *source = request->set->sources[0];
    struct weft_rect whole = frame->plot, plot = whole;
    double below = fmin((double)n * BAR, whole.height * 0.5) + GAP;
    double most = fmax(peak->bytes, 1) * 1.15; /* room for the text above the peak */

    if (whole.height - below < MIN_CURVE)
        below = 0;
    plot.height -= below;
    frame->plot = plot;
    weft_frame_time_axis(frame, source->schema, source->schema->span);
    draw_axis(frame, plot, most);
    weft_scene_layer(frame->scene, "bytes", plot, WEFT_LAYER_FIXED);
    draw_curve(frame, source, plot, peak, most);
    draw_peak(frame, source->schema, plot, peak, most);
    if (below == 0)
        return;
    frame->plot =
        (struct weft_rect){ whole.x, plot.y + plot.height + GAP, whole.width, below - GAP };
    weft_bars_draw(frame, bars, n);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    size_t kind = kind_of(request), n, n_bars = 0;
    struct bytes_peak peak = allocations_peak(source, request->under, kinds[kind].variable);
    const char *subtitle = kinds[kind].name;
    struct allocations *list;
    struct weft_bar *bars;
    struct weft_frame frame;

    if (!read_all(request, &list, &n, err))
        return false;
    bars = weft_arena_zalloc(request->arena, n + 1, sizeof *bars);
    if (peak.track != WEFT_NONE) {
        n_bars = make_bars(request, list, n, &peak, kinds[kind].value, bars);
        subtitle = weft_arena_printf(
            request->arena, "%s of %s", kinds[kind].name,
            weft_container_labels(schema,
                                  request->arena)[schema->tracks[peak.track].container]);
    }
    weft_frame_begin(&frame, out, request,
                     fmax(70, weft_bars_gutter(request, bars, n_bars)), true, NULL, 0,
                     subtitle);
    if (peak.track != WEFT_NONE)
        draw(&frame, request, &peak, bars, n_bars);
    else
        weft_frame_empty(&frame, "Nothing of this kind was allocated.");
    return true;
}

static bool fills(const struct weft_set *set)
{
    return allocations_known(set->sources[0]->schema);
}

const struct weft_view weft_view_memory = {
    .name = "memory",
    .title = "Memory",
    .group = "Statistics",
    .explanation =
        "The curve is the bytes that were live, of the process that had most; each bar is "
        "what one line of the program had of them at the peak.",
    .needs = "sums of allocations (weft record --with memory makes them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_run = true,
    .fills = fills,
    .usual_place = WEFT_PLACE_BELOW,
    .scene = scene,
    .table = table,
};
