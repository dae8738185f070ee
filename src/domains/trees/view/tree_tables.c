/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the numbers of a tree: its levels, with the ring that each is condensed into, and
 * its nodes, with the weights and sectors of the uncondensed tree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "domains/trees/view/tree_prepared.h"
#include "domains/trees/view/views.h"
#include "store/time.h"
#include "view/bars.h"

static const struct weft_parameter level_parameters[] = {
    { .name = "root",
      .kind = WEFT_PARAMETER_ENTITY,
      .fallback = "",
      .help = "of the subtree of this node (record:N, PE:INDEX or an id)" },
    { .name = "distance",
      .kind = WEFT_PARAMETER_NUMBER,
      .minimum = 1,
      .maximum = 200,
      .fallback = "4",
      .help = "least distance of two levels, in pixels; more levels are condensed" },
    { .name = "depth",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "adaptive|vista",
      .fallback = "adaptive",
      .help = "room by what is on the levels, or VISTA's formulas" },
};
static const struct weft_parameter node_parameters[] = {
    { .name = "root",
      .kind = WEFT_PARAMETER_ENTITY,
      .fallback = "",
      .help = "of the subtree of this node (record:N, PE:INDEX or an id)" },
};

struct use {
    const struct weft_tree *tree;
    const struct weft_tree_layout *layout;
};

static bool begin(struct use *use, const struct weft_request *request,
                  const struct weft_tree_how *how, enum tree_size size,
                  struct weft_err *err)
{
    use->tree = tree_of(request->use, 0, err);
    uint32_t root = WEFT_NONE;
    if (use->tree)
        root = tree_node_named(use->tree, "root", weft_setting(request, "root"), err);
    use->layout = root != WEFT_NONE
                      ? tree_layout_of(request->use, 0, use->tree, root, how, size, err)
                      : NULL;
    return use->layout != NULL;
}

/* ---- Levels ---- */

static bool begin_levels(struct use *use, const struct weft_request *request,
                         struct weft_err *err)
{
    double distance = weft_setting_number(request, "distance");
    bool vista = strcmp(weft_setting(request, "depth"), "vista") == 0;
    const struct weft_tree_how how = {
        .most = weft_tree_most_rings(fmin(request->width, request->height), distance),
        .depth = vista ? WEFT_TREE_DEPTH_VISTA : WEFT_TREE_DEPTH_ADAPTIVE,
    };
    return begin(use, request, &how, TREE_SIZE_COUNT, err);
}

/*
 * Calls ROW for each level of the subtree with its number of nodes and its ring, until ROW
 * returns false.
 */
static bool each_level(const struct use *use, void *user,
                       bool (*row)(void *user, uint32_t level, uint32_t nodes,
                                   uint32_t ring))
{
    const struct weft_tree_layout *layout = use->layout;
    struct weft_tree_run run = { layout->root, layout->root + 1 };
    uint32_t ring = 0;
    for (uint32_t l = 0; l < layout->rings.levels; l++) {
        if (ring + 1 < layout->rings.n && layout->fold.from[ring + 1] <= l)
            ring++;
        if (!row(user, l, run.end - run.begin, ring))
            return false;
        run = weft_tree_below(use->tree, run);
    }
    return true;
}

struct level_rows {
    struct weft_table *out;
    const double *edges; /* of rings, 0 at the root to 1 at the rim */
};

static bool level_row(void *user, uint32_t level, uint32_t nodes, uint32_t ring)
{
    const struct level_rows *rows = user;
    const struct weft_cell cells[] = {
        weft_integer_cell(level),
        weft_integer_cell(nodes),
        weft_integer_cell(ring),
        weft_real_cell(rows->edges[ring], 4),
        weft_real_cell(rows->edges[ring + 1], 4),
    };
    return rows->out->row(rows->out, cells);
}

static bool level_table(const struct weft_request *request, struct weft_table *out,
                        struct weft_err *err)
{
    struct use use;
    if (!begin_levels(&use, request, err))
        return false;
    double *edges = weft_alloc(((size_t)use.layout->rings.n + 1) * sizeof *edges);
    weft_tree_edges_of_rings(use.layout, true, edges);
    struct level_rows rows = { out, edges };
    weft_view_begin_table(request, out);
    each_level(&use, &rows, level_row);
    out->end(out);
    free(edges);
    return true;
}

struct columns { /* [n] the largest level in each column */
    double *most;
    bool *kept;
    size_t n;
    uint32_t levels, last_ring;
};

static bool add_column(void *user, uint32_t level, uint32_t nodes, uint32_t ring)
{
    struct columns *columns = user;
    size_t c = (size_t)((double)level * (double)columns->n / columns->levels);
    columns->most[c] = fmax(columns->most[c], nodes);
    columns->kept[c] |= ring != columns->last_ring;
    columns->last_ring = ring;
    return true;
}

static bool level_scene(const struct weft_request *request, struct weft_scene *out,
                        struct weft_err *err)
{
    struct use use;
    if (!begin_levels(&use, request, err))
        return false;
    const struct weft_tree_rings rings = use.layout->rings;
    const struct weft_theme *theme = request->theme;
    struct weft_swatch kept = { .fill = weft_unhatched(theme, theme->busy) };
    struct weft_swatch gone = { .fill = (theme->quiet & 0xffffffu) | 0x80000000u };
    struct weft_legend_entry legend[] = { { kept, "has a ring of its own", -1 },
                                          { gone, "condensed into one before", -1 } };
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, 0, false, legend, rings.n < rings.levels ? 2 : 1,
        weft_arena_printf(request->arena, "%u levels on %u rings · %s nodes", rings.levels,
                          rings.n,
                          weft_number_text(request->arena, (double)use.layout->n_all, 0)));
    struct columns columns = { .n = (size_t)fmax(1, fmin(frame.plot.width, rings.levels)),
                               .levels = rings.levels,
                               .last_ring = WEFT_NONE };
    columns.most = weft_arena_zalloc(request->arena, columns.n, sizeof *columns.most);
    columns.kept = weft_arena_zalloc(request->arena, columns.n, sizeof *columns.kept);
    each_level(&use, &columns, add_column);
    double most = 1;
    for (size_t c = 0; c < columns.n; c++)
        most = fmax(most, columns.most[c]);
    struct weft_rect plot = weft_axes_draw(&frame, most, "nodes", 0, rings.levels, "level");
    double width = plot.width / (double)columns.n;
    weft_scene_layer(out, "levels", plot, WEFT_LAYER_FIXED);
    for (size_t c = 0; c < columns.n; c++) {
        double height = plot.height * columns.most[c] / most;
        struct weft_mark *mark = weft_scene_rect(
            out,
            (struct weft_rect){ plot.x + (double)c * width, plot.y + plot.height - height,
                                fmax(width - (width > 4), 0.5), height },
            (struct weft_paint){ .fill = columns.kept[c] ? kept.fill : gone.fill });
        weft_mark_title(out, mark, "level %zu · %.0f nodes", c * rings.levels / columns.n,
                        columns.most[c]);
    }
    return true;
}

/* ---- Nodes ---- */

struct nodes {
    struct use use;
    uint32_t *order;     /* nodes of the subtree, by position */
    double *from, *size; /* sectors, by position in the subtree */
    uint32_t *below;     /* by position: levels below */
    uint32_t *level;
    uint32_t n;
};

/* The uncondensed tree, with VISTA's weights. */
static const struct weft_tree_how every_level = { .most = UINT32_MAX };

/* Returns the position of a node in the subtree, level by level. */
static uint32_t position_of(const struct weft_tree_layout *layout, uint32_t ring,
                            uint32_t node)
{
    return (uint32_t)layout->offset[ring] + (node - layout->runs[ring].begin);
}

static void give_sectors(struct nodes *nodes)
{
    const struct weft_tree_layout *layout = nodes->use.layout;
    nodes->from[0] = 0;
    nodes->size[0] = 360;
    for (uint32_t ring = 0; ring + 1 < layout->rings.n; ring++) {
        struct weft_tree_run run = layout->runs[ring];
        for (uint32_t node = run.begin; node < run.end; node++) {
            uint32_t at = position_of(layout, ring, node);
            struct weft_tree_run children = weft_tree_hangs(layout, ring, node);
            uint64_t all = weft_tree_weight_below(layout, ring, node), before = 0;
            for (uint32_t c = children.begin; c < children.end; c++) {
                uint32_t child = position_of(layout, ring + 1, c);
                uint64_t weight = weft_tree_weight(layout, ring + 1, c);
                nodes->from[child] =
                    nodes->from[at] + nodes->size[at] * (double)before / (double)all;
                nodes->size[child] = nodes->size[at] * (double)weight / (double)all;
                before += weight;
            }
        }
    }
}

static bool begin_nodes(struct nodes *nodes, const struct weft_request *request,
                        struct weft_err *err)
{
    if (!begin(&nodes->use, request, &every_level, TREE_SIZE_WEIGHT, err))
        return false;
    const struct weft_tree_layout *layout = nodes->use.layout;
    const struct weft_tree *tree = nodes->use.tree;
    nodes->n = (uint32_t)layout->n_all;
    nodes->order = weft_alloc((nodes->n + 1) * sizeof *nodes->order);
    nodes->level = weft_alloc((nodes->n + 1) * sizeof *nodes->level);
    nodes->from = weft_alloc((nodes->n + 1) * sizeof *nodes->from);
    nodes->size = weft_alloc((nodes->n + 1) * sizeof *nodes->size);
    nodes->below = weft_zalloc(nodes->n + 1, sizeof *nodes->below);
    give_sectors(nodes);
    for (uint32_t ring = layout->rings.n; ring-- > 0;)
        for (uint32_t i = layout->runs[ring].begin; i < layout->runs[ring].end; i++) {
            uint32_t at = position_of(layout, ring, i);
            nodes->order[at] = i;
            nodes->level[at] = ring;
            if (ring == 0)
                continue;
            uint32_t up = position_of(layout, ring - 1, tree->parent[i]);
            if (nodes->below[at] + 1 > nodes->below[up])
                nodes->below[up] = nodes->below[at] + 1;
        }
    return true;
}

static void end_nodes(struct nodes *nodes)
{
    free(nodes->order);
    free(nodes->level);
    free(nodes->from);
    free(nodes->size);
    free(nodes->below);
}

/*
 * Returns the positions of the subtree's nodes in the order of their records, nodes without
 * a record (threads) first. The records of a run are nearly 1, 2, 3 ..., so they index an
 * array; where that fails, the nodes are sorted.
 */
static uint32_t *sort_nodes(const struct nodes *nodes)
{
    const struct weft_tree *tree = nodes->use.tree;
    uint32_t *positions = weft_alloc((nodes->n + 1) * sizeof *positions), n = 0;
    uint32_t most = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t record = tree->record[nodes->order[i]];
        most = record > most ? record : most;
        least = record && record < least ? record : least;
        if (!record)
            positions[n++] = i;
    }
    if (most && most - least <= 4 * (uint64_t)nodes->n) {
        uint32_t *at = weft_alloc(((size_t)most - least + 1) * sizeof *at);
        memset(at, 0xff, ((size_t)most - least + 1) * sizeof *at);
        for (uint32_t i = 0; i < nodes->n; i++)
            if (tree->record[nodes->order[i]])
                at[tree->record[nodes->order[i]] - least] = i;
        for (uint64_t r = 0; r <= most - least; r++)
            if (at[r] != UINT32_MAX)
                positions[n++] = at[r];
        free(at);
        if (n == nodes->n) /* else two nodes have the same record */
            return positions;
    }
    struct weft_sort_item *items = weft_alloc((nodes->n + 1) * sizeof *items);
    for (uint32_t i = 0; i < nodes->n; i++)
        items[i] = (struct weft_sort_item){ tree->record[nodes->order[i]], i };
    weft_sort(items, nodes->n);
    for (uint32_t i = 0; i < nodes->n; i++)
        positions[i] = (uint32_t)items[i].payload;
    free(items);
    return positions;
}

static bool node_row(const struct nodes *nodes, const struct weft_schema *schema,
                     uint32_t at, struct weft_table *out)
{
    const struct weft_tree *tree = nodes->use.tree;
    const struct weft_tree_layout *layout = nodes->use.layout;
    uint32_t node = nodes->order[at], parent = tree->parent[node];
    const struct weft_tree_label *label = &tree->labels[tree->label[node]];
    bool orphan = parent == WEFT_NONE;
    const struct weft_cell cells[] = {
        weft_integer_cell(tree->record[node]),
        weft_integer_cell(tree->pe[node]),
        weft_integer_cell(weft_tree_index(tree, node)),
        weft_integer_cell(orphan ? 0 : tree->pe[parent]),
        weft_integer_cell(orphan ? 0 : weft_tree_index(tree, parent)),
        weft_integer_cell(label->clause),
        weft_text_cell(label->name),
        weft_integer_cell(weft_ticks_to_ns(schema, tree->time[node] - schema->span.begin)),
        weft_integer_cell(nodes->level[at]),
        weft_integer_cell(tree->first_child[node + 1] - tree->first_child[node]),
        weft_integer_cell(layout->rings.n - nodes->level[at]),
        weft_integer_cell(nodes->below[at]),
        weft_integer_cell((int64_t)weft_tree_weight(layout, nodes->level[at], node)),
        weft_real_cell(nodes->from[at], -1),
        weft_real_cell(nodes->size[at], -1),
    };
    return out->row(out, cells);
}

static bool node_table(const struct weft_request *request, struct weft_table *out,
                       struct weft_err *err)
{
    struct nodes nodes;
    if (!begin_nodes(&nodes, request, err))
        return false;
    uint32_t *positions = sort_nodes(&nodes);
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; i < nodes.n; i++)
        if (!node_row(&nodes, request->set->sources[0]->schema, positions[i], out))
            break;
    out->end(out);
    free(positions);
    end_nodes(&nodes);
    return true;
}

/* The picture: a bar for each of the largest subtrees. */

enum { MAX_BARS = 512 }; /* no picture has room for more */

/* Sorts ITEMS, the largest subtree first, then the lowest node; keeps MAX_BARS. */
static void keep_largest(struct weft_sort_item *items, size_t *n)
{
    weft_sort(items, *n);
    *n = *n < MAX_BARS ? *n : MAX_BARS;
}

/*
 * Puts the top nodes of the largest subtrees, the root's included, into ITEMS [2 *
 * MAX_BARS]; returns how many.
 */
static size_t find_largest(const struct use *use, struct weft_sort_item *items)
{
    const struct weft_tree *tree = use->tree;
    struct weft_tree_run run = { use->layout->root, use->layout->root + 1 };
    size_t n = 0;
    uint32_t least = 0; /* subtrees up to this size are not among the largest */
    for (; run.begin < run.end; run = weft_tree_below(tree, run))
        for (uint32_t i = run.begin; i < run.end; i++) {
            if (tree->count[i] <= least)
                continue;
            /* The larger a subtree, the smaller its key: the sort is ascending. */
            uint64_t key = (uint64_t)(UINT32_MAX - tree->count[i]) << 32 | i;
            items[n++] = (struct weft_sort_item){ key, i };
            if (n < 2 * MAX_BARS)
                continue;
            keep_largest(items, &n);
            least = tree->count[items[n - 1].payload];
        }
    keep_largest(items, &n);
    return n;
}

static struct weft_bar node_bar(const struct weft_tree *tree, uint32_t node,
                                const struct weft_request *request,
                                const struct weft_swatch *swatches,
                                struct weft_arena *arena)
{
    const struct weft_tree_label *label = &tree->labels[tree->label[node]];
    struct weft_swatch quiet = { .fill = request->theme->quiet };
    uint32_t index = weft_tree_index(tree, node);
    const char *number = index ? weft_arena_printf(arena, ", %u", index) : "";
    return (struct weft_bar){
        label->name, label->value == WEFT_NONE ? quiet : swatches[label->value],
        tree->count[node],
        weft_arena_printf(arena, "%s nodes · %s%s",
                          weft_number_text(arena, tree->count[node], 0),
                          tree->pes[tree->pe[node]].name, number),
        weft_tree_id(tree, node)
    };
}

static bool node_scene(const struct weft_request *request, struct weft_scene *out,
                       struct weft_err *err)
{
    struct use use;
    if (!begin(&use, request, &every_level, TREE_SIZE_WEIGHT, err))
        return false;
    const struct weft_tree_layout *layout = use.layout;
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_swatch *swatches = weft_palette(request->arena, schema, request->theme);
    struct weft_sort_item items[2 * MAX_BARS];
    size_t n = find_largest(&use, items);
    struct weft_bar *bars = weft_arena_alloc(request->arena, (n + 1) * sizeof *bars);
    for (size_t i = 0; i < n; i++)
        bars[i] = node_bar(use.tree, (uint32_t)items[i].payload, request, swatches,
                           request->arena);
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, weft_bars_gutter(request, bars, n), false, NULL, 0,
        weft_arena_printf(request->arena, "%s nodes, the largest subtrees first",
                          weft_number_text(request->arena, (double)layout->n_all, 0)));
    weft_bars_draw_some(&frame, bars, n, layout->n_all - n);
    return true;
}

static const struct weft_column level_columns[] = {
    { .name = "level" }, { .name = "nodes" }, { .name = "condensed_into" },
    { .name = "from" },  { .name = "to" },
};

const struct weft_view weft_view_tree_levels = {
    .name = "tree-levels",
    .title = "Levels of the tree",
    .group = "Tree",
    .of_all = true,
    .explanation =
        "Each bar is a level of the tree, as high as it has nodes; the root is at "
        "the left.",
    .needs =
        "reductions (weft fghc), or nested calls or states, or threads that create others",
    .parameters = level_parameters,
    .n_parameters = sizeof level_parameters / sizeof *level_parameters,
    .columns = level_columns,
    .n_columns = sizeof level_columns / sizeof *level_columns,
    .fills = tree_set_fills,
    .scene = level_scene,
    .table = level_table,
};

static const struct weft_column node_columns[] = {
    { .name = "record" },    { .name = "pe" },        { .name = "index" },
    { .name = "ppe" },       { .name = "pindex" },    { .name = "clause" },
    { .name = "procedure" }, { .name = "time_ns" },   { .name = "level" },
    { .name = "children" },  { .name = "height" },    { .name = "depth_below" },
    { .name = "weight" },    { .name = "start_deg" }, { .name = "alloc_deg" },
};

const struct weft_view weft_view_tree_nodes = {
    .name = "tree-nodes",
    .title = "Nodes of the tree",
    .group = "Tree",
    .of_all = true,
    .explanation = "Each bar is a node, as long as there are nodes in its subtree.",
    .needs =
        "reductions (weft fghc), or nested calls or states, or threads that create others",
    .parameters = node_parameters,
    .n_parameters = sizeof node_parameters / sizeof *node_parameters,
    .columns = node_columns,
    .n_columns = sizeof node_columns / sizeof *node_columns,
    .fills = tree_set_fills,
    .scene = node_scene,
    .table = node_table,
};
