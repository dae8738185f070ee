/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reduction tree: a whole run in one radial picture, after VISTA (Park 1991).  The root
 * is in the middle and each level on a ring.  A node and its children are drawn as a
 * polygon (a line when there is one child), whose colour is that of the PE, the time or the
 * procedure.
 */
#include "view/tree/reduction_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/views.h"

enum { STATUS = 20, SPECTRUM = 150 }; /* pixels: height of the line, width of the colours */

static const struct weft_parameter parameters[] = {
    RT_PARAMETERS,
    { "edges", WEFT_PARAMETER_CHOICE, "none|node|subtree|bundles", 0, 0, "none",
      "of the marked node, within its subtree, or all as bundles" },
    { "edge-kind", WEFT_PARAMETER_CHOICE, "both|dependence|migration", 0, 0, "both",
      "who bound what a goal waited for; reductions on another PE than their parent's" },
};

static bool is_setting(const struct rt_picture *p, const char *name, const char *value)
{
    return strcmp(weft_setting(p->view, p->request, name), value) == 0;
}

/* VISTA's depth goes with VISTA's weight, calls with their time. */
static enum tree_size size_setting(const struct rt_picture *p)
{
    static const struct {
        const char *name;
        enum tree_size size;
    } sizes[] = { { "count", TREE_SIZE_COUNT },
                  { "time", TREE_SIZE_TIME },
                  { "weight", TREE_SIZE_WEIGHT },
                  { "self", TREE_SIZE_SELF } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (is_setting(p, "size", sizes[i].name))
            return sizes[i].size;
    return p->depth == WEFT_TREE_DEPTH_VISTA ? TREE_SIZE_WEIGHT
           : p->look.tree->has_reductions    ? TREE_SIZE_COUNT
                                             : TREE_SIZE_TIME;
}

static bool read_settings(struct rt_picture *p, struct weft_err *err)
{
    const struct weft_request *r = p->request;
    const char *node = weft_setting(p->view, r, "node");
    p->layout = is_setting(p, "layout", "icicle")     ? RT_ICICLE
                : is_setting(p, "layout", "top-down") ? RT_TOP_DOWN
                                                      : RT_RADIAL;
    p->color = is_setting(p, "color", "time")        ? RT_BY_TIME
               : is_setting(p, "color", "pe-time")   ? RT_BY_PE_AND_TIME
               : is_setting(p, "color", "procedure") ? RT_BY_PROCEDURE
                                                     : RT_BY_PE;
    p->depth =
        is_setting(p, "depth", "vista") ? WEFT_TREE_DEPTH_VISTA : WEFT_TREE_DEPTH_ADAPTIVE;
    p->size = size_setting(p);
    p->merges = is_setting(p, "merge", "auto") ? !p->look.tree->has_reductions
                                               : is_setting(p, "merge", "on");
    p->group_of =
        weft_arena_zalloc(p->arena, p->look.tree->n_labels + 1, sizeof *p->group_of);
    if (!weft_setting_entities(p->look.schema, weft_setting(p->view, r, "opened"),
                               &p->opened, err))
        return false;
    p->spectrum = is_setting(p, "spectrum", "vista");
    p->rings = is_setting(p, "rings", "on");
    p->labels = is_setting(p, "labels", "on");
    p->at = r->has_at ? r->at : INT64_MAX;
    p->marked = WEFT_NONE;
    if (*node)
        p->marked = tree_node_named(p->look.tree, "node", node, err);
    if (*node && p->marked == WEFT_NONE)
        return false;
    p->top = tree_node_named(p->look.tree, "root", weft_setting(p->view, r, "root"), err);
    return p->top != WEFT_NONE;
}

void rt_choose_colors(const struct rt_picture *p, struct rt_look *look)
{
    const struct weft_tree *tree = look->tree;
    const struct weft_theme *theme = p->request->theme;
    look->by_value = weft_palette(p->arena, look->schema, theme);
    look->by_pe = weft_arena_alloc(p->arena, (tree->n_pes + 1) * sizeof *look->by_pe);
    uint32_t number = 0; /* the rows of one container look the same */
    for (uint32_t i = 0; i < tree->n_pes; i++) {
        number += i && tree->pes[i].container != tree->pes[i - 1].container;
        look->by_pe[i] = weft_number_swatch(theme, tree->has_reductions ? i : number);
    }
}

/* ---- The line below ---- */

/* How levels are condensed by VISTA's formula. */
static const char *formula_text(const struct rt_picture *p)
{
    const struct weft_tree_rings *rings = &p->look.layout->rings;
    uint32_t rest = rings->n - rings->n_first;
    const char *first =
        rings->ratio == 1
            ? weft_arena_printf(p->arena, "the first %u all, then ", rings->n_first)
            : weft_arena_printf(p->arena, "first 1 of %u, then ", rings->ratio);
    return weft_arena_printf(p->arena, " (%s1 of %u)", rest ? first : "",
                             rings->ratio + (rest > 0));
}

static const char *levels_text(const struct rt_picture *p)
{
    const struct weft_tree_rings *rings = &p->look.layout->rings;
    const char *of = p->top ? "subtree of " : "";
    const char *levels = weft_number_text(p->arena, rings->levels, 0);
    if (rings->n == rings->levels)
        return weft_arena_printf(p->arena, "%s%s level%s", of, levels,
                                 rings->levels == 1 ? "" : "s");
    return weft_arena_printf(p->arena, "%s%s levels on %u %s%s", of, levels, rings->n,
                             p->layout == RT_RADIAL ? "rings" : "rows",
                             p->depth == WEFT_TREE_DEPTH_VISTA ? formula_text(p) : "");
}

/* What stands for all nodes: "96 drawn, 1,200 folded, 3,000 below a pixel (shades)". */
static const char *nodes_text(const struct rt_picture *p)
{
    const struct {
        uint64_t n;
        const char *what;
    } parts[] = { { p->merged, "merged (×)" },
                  { p->folded, "folded" },
                  { p->hidden, "below a pixel (shades)" },
                  { p->outside, "outside" },
                  { p->later, "later" } };
    const char *all = weft_number_text(p->arena, (double)p->look.spread->n, 0);
    if (p->n_places == p->look.spread->n)
        return weft_arena_printf(p->arena, "all %s nodes drawn", all);
    const char *text =
        weft_arena_printf(p->arena, "%s nodes: %s drawn", all,
                          weft_number_text(p->arena, (double)p->n_places, 0));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].n)
            text = weft_arena_printf(p->arena, "%s, %s %s", text,
                                     weft_number_text(p->arena, (double)parts[i].n, 0),
                                     parts[i].what);
    return text;
}

/* By what nodes are coloured, as VISTA's line said it, and what they are as large as. */
static const char *color_text(const struct rt_picture *p)
{
    static const char *const sizes[] = { "", "", ", large by time", ", large by work" };
    const char *by[] = { [RT_BY_PE] = p->words.row,
                         [RT_BY_TIME] = "time",
                         [RT_BY_PE_AND_TIME] =
                             weft_arena_printf(p->arena, "%s and time", p->words.row),
                         [RT_BY_PROCEDURE] = p->words.label,
                         [RT_BY_WAITING] = "waiting" };
    return weft_arena_printf(p->arena, "by %s%s", by[p->color], sizes[p->size]);
}

/*
 * The status line, as VISTA had one: how levels are condensed, the number of PEs, what
 * colours mean, and what is not drawn.  Parts that do not fit are left out, the least
 * important first.
 */
static const char *status_text(const struct rt_picture *p, double width)
{
    struct weft_arena *arena = p->arena;
    uint32_t pes = p->look.tree->n_pes;
    const char *parts[9], *text = NULL;
    size_t n = 0;
    parts[n++] = nodes_text(p);
    parts[n++] = levels_text(p);
    if (p->edges)
        parts[n++] = weft_arena_printf(arena, "%s of %s edges",
                                       weft_number_text(arena, (double)p->edges_drawn, 0),
                                       weft_number_text(arena, (double)p->edges, 0));
    if (p->look.tree->lost)
        parts[n++] = weft_arena_printf(arena, "%s hang on no root",
                                       weft_number_text(arena, p->look.tree->lost, 0));
    parts[n++] =
        weft_arena_printf(arena, "%u %s", pes, pes == 1 ? p->words.row : p->words.rows);
    parts[n++] = color_text(p);
    for (size_t i = 0; i < n; i++) {
        const char *more =
            text ? weft_arena_printf(arena, "%s · %s", text, parts[i]) : parts[i];
        if (weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, more) > width && text)
            break;
        text = more;
    }
    return text;
}

/* Draw the colours of time, with the times at both ends; returns the width. */
static double draw_spectrum(struct rt_picture *p, double left, double right, double y)
{
    const struct tree_spread *spread = p->look.spread;
    const struct weft_theme *theme = p->request->theme;
    int64_t zero = p->look.schema->span.begin;
    char from[WEFT_TIME_TEXT], to[WEFT_TIME_TEXT];
    weft_duration_text(p->look.schema, spread->first - zero, from);
    weft_duration_text(p->look.schema, spread->last - zero, to);
    double from_width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, from);
    double to_width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, to);
    double width = fmin(SPECTRUM, p->scene->width * 0.3),
           all = width + from_width + to_width + 12;
    double x = right - all;
    enum { STEPS = 256 };
    if (x < left)
        return 0;
    weft_scene_text(p->scene, (struct weft_point){ x, y + 11 }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, from);
    x += from_width + 6;
    uint32_t *pixels = weft_arena_alloc(p->arena, STEPS * sizeof *pixels);
    struct weft_raster *raster = weft_arena_zalloc(p->arena, 1, sizeof *raster);
    for (int i = 0; i < STEPS; i++)
        pixels[i] = rt_time_color(p, (i + 0.5) / STEPS);
    *raster = (struct weft_raster){ STEPS, 1, pixels, NULL };
    weft_scene_raster(p->scene, (struct weft_rect){ x, y + 1, width, 11 }, raster);
    weft_scene_text(p->scene, (struct weft_point){ x + width + 6, y + 11 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, to);
    return all;
}

void rt_draw_status(struct rt_picture *p, struct weft_rect line)
{
    double width = line.width;
    weft_scene_layer(p->scene, "status", line, WEFT_LAYER_FIXED);
    if (p->color == RT_BY_TIME || p->color == RT_BY_PE_AND_TIME)
        width -= draw_spectrum(p, line.x, line.x + line.width, line.y + 3) + 12;
    const char *text = weft_text_fit(p->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                     status_text(p, width), width);
    if (text && width >= 120)
        weft_scene_text(p->scene, (struct weft_point){ line.x, line.y + 14 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->request->theme->quiet, text);
}

/* ---- Putting it together ---- */

bool rt_begin(struct rt_use *use, const struct weft_view *view,
              const struct weft_request *request, struct weft_arena *arena,
              struct weft_scene *scene, struct weft_err *err)
{
    struct rt_picture *p = &use->picture;
    *p = (struct rt_picture){
        .request = request, .view = view, .arena = arena, .scene = scene
    };
    weft_use_begin(&use->prepared, request);
    p->look.source = request->set->sources[0];
    p->look.schema = p->look.source->schema;
    p->look.tree = tree_of(&use->prepared, 0, err);
    if (p->look.tree && read_settings(p, err))
        p->look.spread = tree_spread_of(&use->prepared, 0, p->top, p->size, err);
    if (!p->look.spread) {
        weft_entity_set_free(&p->opened);
        weft_use_end(&use->prepared);
        return false;
    }
    rt_choose_colors(p, &p->look);
    p->words = tree_words_of(p->look.tree, p->look.schema);
    return true;
}

void rt_end(struct rt_use *use)
{
    rt_walk_free(&use->picture);
    weft_entity_set_free(&use->picture.opened);
    weft_use_end(&use->prepared);
}

/* How many rings there is room for.  VISTA's formula is of the window, not of the plot. */
static uint32_t most_rings(const struct rt_picture *p)
{
    const double least_row = 14; /* pixels: of a bar with its name */
    const struct weft_request *request = p->request;
    double distance = weft_setting_number(p->view, request, "distance");
    bool vista = p->depth == WEFT_TREE_DEPTH_VISTA;
    double width = vista ? request->width : p->frame.plot.width;
    double height = vista ? request->height : p->frame.plot.height;
    if (p->layout == RT_ICICLE && !vista)
        distance = fmax(distance, least_row);
    return weft_tree_most_rings(p->layout == RT_RADIAL ? fmin(width, height) : 2 * height,
                                distance);
}

/* The levels below the root of the chains that are opened: how many chains. */
static size_t opened_chains(const struct rt_picture *p, struct weft_tree_run *chains)
{
    const struct weft_tree *tree = p->look.tree;
    uint32_t top = weft_tree_level(tree, p->top);
    size_t n = 0;
    for (size_t r = 0; r < p->opened.n_ranges; r++)
        for (uint64_t id = p->opened.ranges[r].first;
             id <= p->opened.ranges[r].last && n < TREE_MOST_OPENED; id++) {
            uint32_t node = weft_tree_find(tree, id), level;
            if (node == WEFT_NONE || (level = weft_tree_level(tree, node)) < top)
                continue;
            uint32_t begin = level - top + 1;
            for (; tree->first_child[node + 1] - tree->first_child[node] == 1; level++)
                node = tree->first_child[node];
            if (level - top + 1 > begin)
                chains[n++] = (struct weft_tree_run){ begin, level - top + 1 };
        }
    return n;
}

bool rt_fill_plot(struct rt_use *use, struct weft_err *err)
{
    struct rt_picture *p = &use->picture;
    struct weft_tree_run chains[TREE_MOST_OPENED];
    const struct weft_tree_how how = { .most = most_rings(p),
                                       .depth = p->depth,

                                       .opened = chains,
                                       .n_opened = opened_chains(p, chains) };
    p->look.layout =
        tree_layout_of(&use->prepared, 0, p->look.tree, p->top, &how, p->size, err);
    if (!p->look.layout)
        return false;
    rt_place_root(p);
    rt_walk(p);
    return true;
}

static const char *subtitle(const struct rt_picture *p)
{
    const struct weft_tree *tree = p->look.tree;
    uint32_t root = p->top;
    char at[WEFT_TIME_TEXT];
    const char *of = weft_range_text(p->arena, p->look.schema, p->request->window);
    if (root)
        of = weft_arena_printf(p->arena, "subtree of %s (%s, %u)",
                               tree->labels[tree->label[root]].name,
                               tree->pes[tree->pe[root]].name, weft_tree_index(tree, root));
    if (p->request->has_at)
        of = weft_arena_printf(
            p->arena, "%s, at %s", of,
            weft_duration_text(p->look.schema, p->at - p->look.schema->span.begin, at));
    return of;
}

struct weft_rect rt_take_line(struct rt_picture *p)
{
    struct weft_rect *plot = &p->frame.plot, line = { 0 };
    if (plot->height > 9 * STATUS) {
        plot->height -= STATUS;
        line = (struct weft_rect){ plot->x, plot->y + plot->height, plot->width, STATUS };
        p->scene->frame.plot = *plot;
    }
    return line;
}

bool rt_lay_out(struct rt_use *use, struct weft_rect *line, struct weft_err *err)
{
    struct rt_picture *p = &use->picture;
    struct weft_legend_entry *legend;
    size_t n = rt_legend(p, &legend);
    struct weft_view view = *p->view;
    view.title = p->words.tree;
    if (p->layout == RT_ICICLE)
        view.explanation =
            "The root is the bar on top; below each bar stand its children, as "
            "wide as their weights.";
    else if (p->layout == RT_TOP_DOWN)
        view.explanation =
            "The root is on top, each line is a level; a node and its children "
            "are a polygon, or a line.";
    n += rt_edge_legend(p, legend + n);
    weft_frame_begin(&p->frame, p->scene, p->arena, &view, p->request, 0, false, legend, n,
                     subtitle(p));
    *line = rt_take_line(p);
    return rt_fill_plot(use, err);
}

static bool scene(const struct weft_request *request, struct weft_arena *arena,
                  struct weft_scene *out, struct weft_err *err)
{
    struct rt_use use;
    if (!rt_begin(&use, &weft_view_reduction_tree, request, arena, out, err))
        return false;
    struct weft_rect line;
    bool ok = rt_lay_out(&use, &line, err);
    if (ok)
        rt_draw(&use.picture);
    ok = ok && rt_draw_edges(&use.picture, &use.prepared, err);
    if (ok && line.width > 0)
        rt_draw_status(&use.picture, line);
    rt_end(&use);
    return ok;
}

static bool fills(const struct weft_set *set)
{
    return weft_tree_fills(set->sources[0]);
}

/* Any trace of calls is a tree, too, but people come to it for its timeline. */
static enum weft_place place(const struct weft_set *set)
{
    return weft_tree_reduction_type(set->sources[0]->schema) != WEFT_NONE ? WEFT_PLACE_MAIN
                                                                          : WEFT_PLACE_NONE;
}

const struct weft_view weft_view_reduction_tree = {
    .name = "reduction-tree",
    .title = "Reduction tree",
    .group = "Tree",
    .of_all = true,
    .explanation =
        "The root is in the middle, each ring is a level; a node and its children "
        "are a polygon, or a line.",
    .needs = "reductions (weft fghc), or states inside states",
    .moment = WEFT_MOMENT_SHOWN,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .fills = fills,
    .place = place,
    .scene = scene,
    .table = rt_table,
    .point = rt_point,
};
