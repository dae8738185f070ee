/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reduction tree: a whole run in one radial picture, after VISTA (Park 1991). The root
 * is in the middle and each level on a ring. A node and its children are drawn as a polygon
 * (a line for one child), coloured by the PE, the time or the procedure.
 */
#include "domains/trees/view/reduction_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/view/tree_damage.h"
#include "domains/trees/view/views.h"
#include "store/time.h"
#include "view/search.h"

enum { MIN_HEIGHT = 180 }; /* pixels: lower pictures have no room for numbers */

static const struct weft_parameter parameters[] = {
    RT_PARAMETERS,
    { .name = "edges",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "none|node|subtree|bundles",
      .fallback = "none",
      .help = "of the marked node, within its subtree, or all as bundles" },
    { .name = "span",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "off",
      .help = "the longest way through creation and data dependences",
      .seldom = true },
    { .name = "edge-kind",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "both|dependence|migration",
      .fallback = "both",
      .help = "who bound what a goal waited for; reductions on another PE than "
              "their parent's" },
};

static bool is_setting(const struct rt_picture *p, const char *name, const char *value)
{
    return strcmp(weft_setting(p->request, name), value) == 0;
}

/*
 * The size of `auto`: VISTA's weight with VISTA's depth; else time where durations are
 * known, else count.
 */
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
    return p->depth == WEFT_TREE_DEPTH_VISTA                  ? TREE_SIZE_WEIGHT
           : tree_knows_lengths(p->look.tree, p->look.schema) ? TREE_SIZE_TIME
                                                              : TREE_SIZE_COUNT;
}

/* Returns by label whether its name matches the searched text; NULL without a search. */
static const bool *find_labels(const struct rt_picture *p)
{
    const struct weft_tree *tree = p->look.tree;
    const char *text = weft_setting(p->request, "find");
    if (!*text)
        return NULL;
    bool *found = weft_arena_zalloc(p->arena, tree->n_labels + 1, sizeof *found);
    for (uint32_t l = 0; l < tree->n_labels; l++)
        found[l] = weft_text_matches(text, tree->labels[l].name);
    return found;
}

static bool read_settings(struct rt_picture *p, struct weft_err *err)
{
    const struct weft_request *r = p->request;
    const char *node = weft_setting(r, "node");
    p->layout = is_setting(p, "layout", "icicle")     ? RT_ICICLE
                : is_setting(p, "layout", "top-down") ? RT_TOP_DOWN
                                                      : RT_RADIAL;
    p->color = is_setting(p, "color", "time")        ? RT_BY_TIME
               : is_setting(p, "color", "pe-time")   ? RT_BY_PE_AND_TIME
               : is_setting(p, "color", "procedure") ? RT_BY_PROCEDURE
               : is_setting(p, "color", "waiting")   ? RT_BY_WAITING
                                                     : RT_BY_PE;
    p->depth =
        is_setting(p, "depth", "vista") ? WEFT_TREE_DEPTH_VISTA : WEFT_TREE_DEPTH_ADAPTIVE;
    p->size = size_setting(p);
    p->merges = is_setting(p, "merge", "auto") ? !p->look.tree->has_reductions
                                               : is_setting(p, "merge", "on");
    p->found = find_labels(p);
    p->group_of =
        weft_arena_zalloc(p->arena, p->look.tree->n_labels + 1, sizeof *p->group_of);
    if (!weft_setting_entities(p->look.schema, weft_setting(r, "opened"), &p->opened, err))
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
    p->top = tree_node_named(p->look.tree, "root", weft_setting(r, "root"), err);
    return p->top != WEFT_NONE;
}

void rt_choose_colors(const struct rt_picture *p, struct rt_look *look)
{
    const struct weft_tree *tree = look->tree;
    const struct weft_theme *theme = p->request->theme;
    look->by_value = weft_palette(p->arena, look->schema, theme);
    look->by_pe = weft_arena_alloc(p->arena, (tree->n_pes + 1) * sizeof *look->by_pe);
    for (uint32_t i = 0, number = 0; i < tree->n_pes; i++) {
        number = rt_pe_number(tree, i, number);
        look->by_pe[i] = weft_number_swatch(theme, number);
    }
}

uint32_t rt_pe_number(const struct weft_tree *tree, uint32_t row, uint32_t before)
{
    if (tree->has_reductions || !row)
        return row;
    return before + (tree->pes[row].container != tree->pes[row - 1].container);
}

/* ---- Putting it together ---- */

bool rt_begin(struct rt_picture *p, const struct weft_request *request,
              struct weft_scene *scene, struct weft_err *err)
{
    *p = (struct rt_picture){ .request = request, .arena = request->arena, .scene = scene };
    p->look.source = request->set->sources[0];
    p->look.schema = p->look.source->schema;
    p->look.tree = tree_of(p->request->use, 0, err);
    if (p->look.tree && read_settings(p, err))
        p->look.spread = tree_spread_of(p->request->use, 0, p->top, p->size, err);
    if (!p->look.spread) {
        weft_entity_set_free(&p->opened);
        return false;
    }
    if (p->color == RT_BY_WAITING)
        p->look.waits = tree_waits_of(p->request->use, 0, err);
    if (p->color == RT_BY_WAITING && !p->look.waits) {
        rt_end(p);
        return false;
    }
    rt_choose_colors(p, &p->look);
    rt_choose_ramp(p);
    p->words = tree_words_of(p->look.tree, p->look.schema);
    return true;
}

void rt_end(struct rt_picture *p)
{
    rt_walk_free(p);
    weft_entity_set_free(&p->opened);
}

/*
 * Returns how many rings there is room for. VISTA's formula takes the window's size, not
 * the plot's.
 */
static uint32_t most_rings(const struct rt_picture *p)
{
    const double least_row = 14; /* pixels of a bar with its name */
    const struct weft_request *request = p->request;
    double distance = weft_setting_number(request, "distance");
    bool vista = p->depth == WEFT_TREE_DEPTH_VISTA;
    double width = vista ? request->width : p->frame.plot.width;
    double height = vista ? request->height : p->frame.plot.height;
    if (p->layout == RT_ICICLE && !vista)
        distance = fmax(distance, least_row);
    return weft_tree_most_rings(p->layout == RT_RADIAL ? fmin(width, height) : 2 * height,
                                distance);
}

/*
 * Lists the levels, counted from the root, of the opened chains; returns how many chains.
 * Ends early when the job is cancelled.
 */
static size_t opened_chains(const struct rt_picture *p, struct weft_tree_run *chains)
{
    const struct weft_tree *tree = p->look.tree;
    enum { STEP = 1 << 14 }; /* nodes between two looks at the job: below a millisecond */
    uint32_t top = weft_tree_level(tree, p->top);
    uint64_t looked_at = 0;
    size_t n = 0;
    for (size_t r = 0; r < p->opened.n_ranges; r++)
        for (uint64_t id = p->opened.ranges[r].first;
             id <= p->opened.ranges[r].last && n < TREE_MAX_OPENED; id++) {
            if (++looked_at % STEP == 0 && weft_job_cancelled(p->request->job))
                return n;
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

bool rt_fill_plot(struct rt_picture *p, struct weft_err *err)
{
    struct weft_tree_run chains[TREE_MAX_OPENED];
    const struct weft_tree_how how = { .most = most_rings(p),
                                       .depth = p->depth,

                                       .opened = chains,
                                       .n_opened = opened_chains(p, chains) };
    p->look.layout =
        tree_layout_of(p->request->use, 0, p->look.tree, p->top, &how, p->size, err);
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

bool rt_lay_out(struct rt_picture *p, struct weft_rect *line, struct weft_err *err)
{
    struct weft_legend_entry *legend;
    size_t n = rt_legend(p, &legend);
    struct weft_view view = *p->request->view;
    struct weft_request titled = *p->request;
    titled.view = &view;
    view.title = p->words.tree;
    bool timed = p->size == TREE_SIZE_TIME || p->size == TREE_SIZE_SELF;
    bool made = p->look.tree->has_reductions;
    if (p->layout == RT_ICICLE)
        view.explanation =
            timed && made
                ? "The root is the bar on top; below each bar stand its children, as wide as "
                  "they and all below them took time."
            : timed
                ? "The root is the bar on top; below each bar stand its children, as wide as "
                  "they are long."
            : p->size == TREE_SIZE_COUNT
                ? "The root is the bar on top; below each bar stand its children, as wide as "
                  "there are nodes below them."
                : "The root is the bar on top; below each bar stand its children, as wide as "
                  "their weights.";
    else if (p->layout == RT_RADIAL && timed && p->look.spread->n)
        view.explanation =
            made
                ? "The root is in the middle, each ring is a level; a sector is as large as "
                  "its node and all below it took time."
                : "The root is in the middle, each ring is a level; a sector is as large as "
                  "its node is long.";
    else if (p->layout == RT_TOP_DOWN)
        view.explanation =
            "The root is on top, each line is a level; a node and its children "
            "are a polygon, or a line.";
    n += rt_edge_legend(p, legend + n);
    weft_frame_begin(&p->frame, p->scene, &titled, 0, false, legend, n, subtitle(p));
    *line = rt_cut_status_line(p);
    return rt_fill_plot(p, err);
}

/*
 * Sets the text of work and span. They take edges and durations, several times the cost of
 * the picture: for large trees they are computed only on demand (tree-pes, span=on).
 */
static bool tell_span(struct rt_picture *p, struct weft_err *err)
{
    enum { MAX_NODES = 2000000 }; /* nodes: some tenths of a second, once */
    bool asked = is_setting(p, "span", "on");
    if ((p->look.tree->n > MAX_NODES && !asked) || p->top)
        return true;
    const struct tree_span *span = tree_span_of(p->request->use, 0, err);
    if (!span)
        return false;
    struct tree_damage damage;
    tree_damage_find(p->look.source, p->look.tree, p->request->window, p->arena, &damage);
    p->span_text = damage.any
                       ? "work and span are not known"
                       : tree_span_text(p->arena, span, p->look.tree, p->look.schema);
    return true;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct rt_picture picture;
    if (!rt_begin(&picture, request, out, err))
        return false;
    struct weft_rect line;
    bool ok = (request->height <= MIN_HEIGHT || tell_span(&picture, err))
              && rt_lay_out(&picture, &line, err);
    if (ok)
        rt_draw(&picture);
    ok = ok && rt_draw_edges(&picture, err);
    if (ok && is_setting(&picture, "span", "on"))
        ok = rt_draw_path(&picture, err);
    if (ok && line.width > 0)
        rt_draw_status(&picture, line);
    rt_end(&picture);
    return ok;
}

/* A trace of calls is a tree, too, but its main view is the timeline. */
static enum weft_place place(const struct weft_set *set)
{
    return weft_tree_reduction_type(set->sources[0]->schema) != WEFT_NONE ? WEFT_PLACE_MAIN
                                                                          : WEFT_PLACE_NONE;
}

static const struct weft_column columns[] = {
    { .name = "record" },    { .name = "pe" },      { .name = "index" },
    { .name = "procedure" }, { .name = "time_ns" }, { .name = "level" },
    { .name = "ring" },      { .name = "x" },       { .name = "y" },
    { .name = "condensed" }, { .name = "folded" },  { .name = "times" },
};

const struct weft_view weft_view_reduction_tree = {
    .name = "reduction-tree",
    .title = "Reduction tree",
    .group = "Tree",
    .of_all = true,
    .explanation =
        "The root is in the middle, each ring is a level; a node and its children "
        "are a polygon, or a line.",
    .needs =
        "reductions (weft fghc), or nested calls or states, or threads that create others",
    .moment = WEFT_MOMENT_SHOWN,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = tree_set_fills,
    .place = place,
    .scene = scene,
    .table = rt_table,
    .point = rt_point,
};
