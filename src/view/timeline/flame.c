/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flame: the tree of call stacks as an icicle.  A box is a function, the box above it its
 * caller; its width is the running time in it and in what it called, by samples, or the
 * time that threads waited in it and in what it called.  The function with the most time
 * is left of the others that its caller called.
 */
#include <math.h>
#include <string.h>

#include "store/time.h"
#include "view/picture_frame.h"
#include "view/timeline/flame_tree.h"
#include "view/timeline/requested_profile_samples.h"
#include "view/views.h"

enum {
    ROW = 18,       /* pixels of a level */
    LEAST_ROW = 14, /* if they do not all fit */
    PAD = 4,        /* beside a name in its box */
};

static const struct weft_parameter parameters[] = {
    { .name = "focus",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "a function: only it, and what it calls" },
    PROFILED_OF,
    PROFILED_CONTAINERS,
    { .name = "scroll",
      .kind = WEFT_PARAMETER_SCROLL,
      .maximum = 1e9,
      .fallback = "0",
      .help = "pixels scrolled down, where there are more levels" },
};

struct flame {
    const struct weft_schema *schema;
    struct weft_profile profile;
    struct flame_tree tree;
};

static bool read_flame(const struct weft_request *request, struct flame *flame,
                       struct weft_err *err)
{
    flame->schema = request->set->sources[0]->schema;
    if (!profiled_read(request, profiled_waits(request), &flame->profile, err))
        return false;
    flame_tree_make(&flame->tree, flame->schema, &flame->profile,
                    weft_setting(request, "focus"));
    return true;
}

static void free_flame(struct flame *flame)
{
    flame_tree_free(&flame->tree);
    weft_profile_free(&flame->profile);
}

static const struct weft_column columns[] = {
    { "depth", "1: the outermost function; the row is called by the last one of less" },
    { "function", "[file]: unknown, in that file; [unknown]: in no file that is known",
      .selects = "of=waiting:state and function = $|sample and function = $" },
    { "total_ns", "time in it and in what it called, from there: running, or waiting" },
    { "self_ns", "that without what it called" },
    { "share_pct", "total_ns by the time of all samples, or waits" },
};

static bool put_row(struct weft_table *out, struct weft_arena *arena,
                    const struct flame *flame, const struct flame_node *node)
{
    const struct weft_cell cells[] = {
        weft_integer_cell(node->depth),
        weft_text_cell(weft_arena_printf(arena, "%.*s", (int)node->size, node->name)),
        weft_integer_cell(weft_ticks_to_ns(flame->schema, node->total)),
        weft_integer_cell(weft_ticks_to_ns(flame->schema, node->self)),
        weft_real_cell(profiled_percent(node->total, flame->profile.ticks), 2),
    };

    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_arena row = { 0 };
    struct flame flame;
    bool more = true;

    if (!read_flame(request, &flame, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t i = flame_tree_next(&flame.tree, 0); more && i != WEFT_NONE;
         i = flame_tree_next(&flame.tree, i)) {
        more = put_row(out, &row, &flame, &flame.tree.nodes[i]);
        weft_arena_reset(&row);
    }
    out->end(out);
    weft_arena_free(&row);
    free_flame(&flame);
    return true;
}

/* A picture being drawn. */
struct drawing {
    const struct flame *flame;
    struct weft_frame *frame;
    double row, scroll; /* pixels of a level; of levels above the plot */
    double scale;       /* pixels a tick */
    double *left;       /* [levels + 1]: x at which the next box of a level begins */
};

static void draw_text(const struct drawing *drawing, struct weft_rect box, const char *name,
                      weft_color ink)
{
    struct weft_scene *scene = drawing->frame->scene;
    const char *fits = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, name,
                                     box.width - 2 * PAD);

    if (fits && box.y + box.height <= drawing->frame->plot.y + drawing->frame->plot.height)
        weft_scene_text(scene,
                        (struct weft_point){
                            box.x + PAD, box.y + (box.height + WEFT_SMALL_SIZE) / 2 - 2 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, ink, fits);
}

/* Returns the swatch of a function by its name; the root and unknown functions are grey. */
static struct weft_swatch swatch_of(const struct drawing *drawing, const char *name,
                                    uint32_t depth)
{
    const struct weft_theme *theme = drawing->frame->theme;

    if (theme->name == WEFT_THEME_MONO) /* nobody can read a name on a hatch */
        return (struct weft_swatch){ .fill = theme->panel,
                                     .tone = theme->panel,
                                     .ink = theme->text };
    if (depth > 0 && name[0] != '[')
        return weft_name_swatch(theme, name);
    return (struct weft_swatch){ .fill = theme->empty,
                                 .tone = theme->empty,
                                 .ink = theme->text };
}

static void draw_box(const struct drawing *drawing, const struct flame_node *node,
                     struct weft_rect box)
{
    const struct flame *flame = drawing->flame;
    const struct weft_theme *theme = drawing->frame->theme;
    struct weft_scene *scene = drawing->frame->scene;
    const char *name = weft_text_clean(
        scene->arena,
        weft_name_cut(weft_arena_printf(scene->arena, "%.*s", (int)node->size, node->name),
                      scene->arena));
    struct weft_swatch swatch = swatch_of(drawing, name, node->depth);
    char total[WEFT_TIME_TEXT], self[WEFT_TIME_TEXT];
    struct weft_mark *mark = weft_scene_rect(
        scene, box,
        (struct weft_paint){ .fill = swatch.fill,
                             .stroke = box.width <= 2                   ? 0
                                       : theme->name == WEFT_THEME_MONO ? theme->text
                                                                        : theme->panel,
                             .stroke_width = 1 });

    weft_mark_title(scene, mark, "%s · %.1f %% · %s · of its own %s", name,
                    profiled_percent(node->total, flame->profile.ticks),
                    weft_duration_text(flame->schema, node->total, total),
                    weft_duration_text(flame->schema, node->self, self));
    draw_text(drawing, box, name, swatch.ink);
}

/* Draws NODE and all that it called; boxes of less than half a pixel are left out. */
static void draw_tree(const struct drawing *drawing)
{
    const struct flame_tree *tree = &drawing->flame->tree;
    struct weft_rect plot = drawing->frame->plot;
    uint32_t i = 0;

    while (i != WEFT_NONE) {
        const struct flame_node *node = &tree->nodes[i];
        double x = drawing->left[node->depth], width = (double)node->total * drawing->scale;
        double y = plot.y + node->depth * drawing->row - drawing->scroll;
        bool seen = width >= 0.5 && y < plot.y + plot.height;
        drawing->left[node->depth] += width;
        if (seen && y + drawing->row > plot.y)
            draw_box(drawing, node, (struct weft_rect){ x, y, width, drawing->row });
        if (seen && node->depth < tree->levels)
            drawing->left[node->depth + 1] = x;
        i = seen ? flame_tree_next(tree, i) : flame_tree_skip(tree, i);
    }
}

/* Sets the height of a level, and how far the picture is scrolled. */
static void fit_levels(struct drawing *drawing, const struct weft_request *request)
{
    struct weft_scene *scene = drawing->frame->scene;
    double height = drawing->frame->plot.height, levels = drawing->flame->tree.levels + 1.0;

    drawing->row = fmax(LEAST_ROW, fmin(ROW, floor(height / levels)));
    if (drawing->row * levels <= height)
        return;
    if (!request->bare) { /* no scrolling in a file: its last line says what is missing */
        height = fmax(1, floor(height / drawing->row) - 1) * drawing->row;
        drawing->frame->plot.height = height;
    }
    drawing->scroll = fmax(
        0, fmin(weft_setting_number(request, "scroll"), drawing->row * levels - height));
    scene->frame.scroll = drawing->scroll;
    scene->frame.scroll_height = drawing->row * levels;
}

/* Says below the boxes how many levels are not drawn. */
static void say_more(const struct drawing *drawing, struct weft_rect plot)
{
    const struct weft_frame *frame = drawing->frame;
    double below = drawing->row * (drawing->flame->tree.levels + 1) - drawing->scroll
                   - frame->plot.height;

    if (plot.height == frame->plot.height || below < 1)
        return;
    weft_scene_layer(frame->scene, "more", plot, WEFT_LAYER_FIXED);
    weft_scene_text(frame->scene, (struct weft_point){ plot.x, plot.y + plot.height - 3 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
                    weft_arena_printf(frame->scene->arena,
                                      "and %.0f more levels, in the table",
                                      ceil(below / drawing->row)));
}

/* Returns the range, and how many levels there are. */
static const char *subtitle(const struct weft_request *request, const struct flame *flame)
{
    char total[WEFT_TIME_TEXT];

    return weft_arena_printf(
        request->arena, "%s; %s of %s, %u level%s",
        weft_range_text(request->arena, flame->schema, request->window),
        weft_duration_text(flame->schema, flame->tree.nodes[0].total, total),
        profiled_waits(request) ? "waiting" : "running", flame->tree.levels,
        flame->tree.levels == 1 ? "" : "s");
}

static void draw(const struct weft_request *request, const struct flame *flame,
                 struct weft_frame *frame)
{
    struct drawing drawing = { .flame = flame, .frame = frame };
    struct weft_rect plot = frame->plot;

    fit_levels(&drawing, request);
    drawing.scale = frame->plot.width / (double)flame->tree.nodes[0].total;
    drawing.left =
        weft_arena_zalloc(request->arena, flame->tree.levels + 2, sizeof *drawing.left);
    drawing.left[0] = frame->plot.x;
    weft_scene_layer(frame->scene, "boxes", frame->plot, WEFT_LAYER_MOVES_Y);
    draw_tree(&drawing);
    say_more(&drawing, plot);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_frame frame;
    struct flame flame;

    if (!read_flame(request, &flame, err))
        return false;
    weft_frame_begin(&frame, out, request, 0, false, NULL, 0, subtitle(request, &flame));
    if (flame.tree.nodes[0].total > 0)
        draw(request, &flame, &frame);
    else
        weft_frame_empty(&frame, weft_setting(request, "focus")[0]
                                     ? "Nothing in this range has that function."
                                 : profiled_waits(request)
                                     ? "No thread waited in this range."
                                     : "No sample was taken in this range.");
    free_flame(&flame);
    return true;
}

const struct weft_view weft_view_flame = {
    .name = "flame",
    .title = "Flame",
    .group = "Statistics",
    .explanation = "Each box is a function, the box above it its caller; the wider, the "
                   "longer threads ran in it and in what it called, or waited there.",
    .needs = profiled_needs,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = profiled_fills,
    .scene = scene,
    .table = table,
};
