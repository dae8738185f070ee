/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws edges between reductions. A data dependence leads from the reduction that bound a
 * variable to the one that waited for it; a migration from a parent to a child on another
 * PE. The edges drawn are those of one node, those within a subtree, or all of them in
 * bundles: then the ends are groups of nodes, and all edges between two groups are one
 * curve, as wide as the logarithm of their number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/trees/view/reduction_tree.h"

/* Most curves of a picture (more are a blur); segments of a curve, enough to look round. */
enum { MAX_EDGES = 4000, CURVE = 14 };

/* Value for nodes that no place shows. */
#define NOWHERE UINT32_MAX

/* Distance of a migration's curve from its chord, as a fraction of the length. */
#define BESIDE 0.18

enum kind { DEPENDENCE = 1, MIGRATION = 2 };

struct edges {
    struct rt_picture *p;
    unsigned kinds;
    /* By node: one plus the index of the place that shows it; 0: not yet known; NOWHERE. */
    uint32_t *places;
    uint32_t centre;                     /* the marked node, or the root */
    const struct weft_tree_edges *links; /* empty unless dependences are asked for */
    uint64_t looked_at;                  /* nodes and edges visited */
    uint32_t curves;                     /* single edges drawn, at most MAX_EDGES */
    struct weft_err *err;
};

/* Called for each node and edge: returns false once the job is cancelled. */
static bool go_on(struct edges *e)
{
    enum { STEP = 1 << 16 }; /* between two looks at the job: some milliseconds */
    return ++e->looked_at % STEP
           || weft_job_step(e->p->request->job, e->looked_at,
                            (uint64_t)e->p->look.tree->n + e->links->n, e->err);
}

/*
 * Returns the place that shows a node: its own, or that of its nearest visible ancestor;
 * else NULL. The result is kept for all nodes on the way, so that edges far below the
 * visible nodes do not all climb as far.
 */
static const struct rt_place *place_of(struct edges *e, uint32_t node)
{
    const uint32_t *parent = e->p->look.tree->parent;
    uint32_t top = node;
    while (top != WEFT_NONE && !e->places[top])
        top = parent[top];
    uint32_t place = top == WEFT_NONE ? NOWHERE : e->places[top];
    for (; node != top; node = parent[node])
        e->places[node] = place;
    return place == NOWHERE ? NULL : &e->p->places[place - 1];
}

struct weft_point rt_middle_of(const struct rt_picture *p, const struct rt_place *place)
{
    struct weft_point at = place->at;
    if (p->layout == RT_ICICLE) {
        at.x += place->sector.size * p->width / 2;
        at.y += rt_step(p, place->ring) / 2;
    }
    return at;
}

static weft_color color_of(const struct rt_picture *p, enum kind kind)
{
    const struct weft_theme *theme = p->request->theme;
    return kind == DEPENDENCE
               ? (theme->text & 0xffffffu) | 0x70000000u
               : (weft_unhatched(theme, theme->idle) & 0xffffffu) | 0xd0000000u;
}

/*
 * Draws a curve with an arrowhead. A dependence bends towards the root, so that it does not
 * hide the tree between its ends. A migration is dashed and bends aside, since the straight
 * line is the tree's own.
 */
static void draw_curve(struct rt_picture *p, struct weft_point from, struct weft_point to,
                       enum kind kind, double width, uint64_t id, const char *title)
{
    weft_color color = color_of(p, kind);
    struct weft_point points[CURVE + 1];
    struct weft_point bend = { (from.x + to.x) / 2, (from.y + to.y) / 2 };
    double lean = kind == DEPENDENCE && p->layout == RT_RADIAL ? 0.45 : 0;
    bend.x += (p->root.x - bend.x) * lean;
    bend.y += (p->root.y - bend.y) * lean;
    if (kind == DEPENDENCE && p->layout != RT_RADIAL)
        bend.y -= fmin(60, hypot(to.x - from.x, to.y - from.y) / 4);
    if (kind == MIGRATION) {
        bend.x += (to.y - from.y) * BESIDE;
        bend.y -= (to.x - from.x) * BESIDE;
    }
    for (int i = 0; i <= CURVE; i++) {
        double t = (double)i / CURVE, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        points[i] = (struct weft_point){ a * from.x + b * bend.x + c * to.x,
                                         a * from.y + b * bend.y + c * to.y };
    }
    struct weft_paint paint = { .stroke = color,
                                .stroke_width = (float)width,
                                .dash = kind == MIGRATION ? 3 : 0 };
    struct weft_mark *mark = weft_scene_polyline(p->scene, points, CURVE + 1, paint);
    if (mark) {
        mark->id = id;
        mark->title = title;
    }
    double angle = atan2(to.y - bend.y, to.x - bend.x);
    weft_scene_glyph(p->scene, WEFT_GLYPH_ARROWHEAD, to, 4 + width, angle,
                     (struct weft_paint){ .fill = color });
}

static void draw_edge(struct edges *e, uint32_t from, uint32_t to, enum kind kind)
{
    e->p->edges++;
    if (e->curves >= MAX_EDGES)
        return;
    const struct rt_place *a = place_of(e, from), *b = place_of(e, to);
    if (!a || !b || a == b)
        return;
    e->p->edges_drawn++;
    e->curves++;
    draw_curve(e->p, rt_middle_of(e->p, a), rt_middle_of(e->p, b), kind, 1,
               weft_tree_id(e->p->look.tree, to),
               kind == DEPENDENCE ? "data dependence" : "migration");
}

static bool draw_dependences(struct edges *e, uint32_t node)
{
    const struct weft_tree_edges *links = e->links;
    for (uint32_t i = links->out_begin[node]; i < links->out_begin[node + 1]; i++) {
        if (!go_on(e))
            return false;
        draw_edge(e, node, links->to[i], DEPENDENCE);
    }
    for (uint32_t i = links->in_begin[node]; i < links->in_begin[node + 1]; i++) {
        uint32_t from = weft_tree_edge_from(links, links->in[i]);
        if (!go_on(e))
            return false;
        if (from != node) /* an edge to itself was drawn above */
            draw_edge(e, from, node, DEPENDENCE);
    }
    return true;
}

static bool draw_of_node(struct edges *e)
{
    const struct weft_tree *tree = e->p->look.tree;
    uint32_t node = e->centre;
    if ((e->kinds & DEPENDENCE) && !draw_dependences(e, node))
        return false;
    if (!(e->kinds & MIGRATION))
        return true;
    if (tree_migrated(tree, node))
        draw_edge(e, tree->parent[node], node, MIGRATION);
    for (uint32_t c = tree->first_child[node]; c < tree->first_child[node + 1]; c++) {
        if (!go_on(e))
            return false;
        if (tree_migrated(tree, c))
            draw_edge(e, node, c, MIGRATION);
    }
    return true;
}

/* Returns the runs of the subtree of `centre` by level, *N levels. */
static struct weft_tree_run *list_runs(const struct edges *e, size_t *n)
{
    const struct weft_tree *tree = e->p->look.tree;
    struct weft_tree_run run = { e->centre, e->centre + 1 }, *runs = NULL;
    size_t capacity = 0;
    for (*n = 0; run.begin < run.end; run = weft_tree_below(tree, run)) {
        runs = weft_grow(runs, &capacity, *n + 1, sizeof *runs);
        runs[(*n)++] = run;
    }
    return runs;
}

/* Draws the edges from the nodes of the subtree's level L to nodes of the subtree. */
static bool draw_from_level(struct edges *e, const struct weft_tree_run *runs, size_t n,
                            size_t l)
{
    const struct weft_tree *tree = e->p->look.tree;
    const struct weft_tree_edges *links = e->links;
    size_t top = weft_tree_level(tree, e->centre);
    uint32_t after = links->n ? links->out_begin[runs[l].end] : 0;
    for (uint32_t i = after ? links->out_begin[runs[l].begin] : 0; i < after; i++) {
        uint32_t to = links->to[i];
        size_t level = weft_tree_level(tree, to) - top; /* wraps to a huge number when it is
                                                           above */
        if (!go_on(e))
            return false;
        if (level < n && to >= runs[level].begin && to < runs[level].end)
            draw_edge(e, weft_tree_edge_from(links, i), to, DEPENDENCE);
    }
    for (uint32_t i = runs[l].begin; (e->kinds & MIGRATION) && i < runs[l].end; i++) {
        if (!go_on(e))
            return false;
        if (i != e->centre && tree_migrated(tree, i))
            draw_edge(e, tree->parent[i], i, MIGRATION);
    }
    return true;
}

static bool draw_of_subtree(struct edges *e)
{
    size_t n;
    struct weft_tree_run *runs = list_runs(e, &n);
    bool ok = true;
    for (size_t l = 0; l < n && ok; l++)
        ok = draw_from_level(e, runs, n, l);
    free(runs);
    return ok;
}

/* ---- Bundles ---- */

struct bundles {
    uint32_t groups[TREE_MAX_GROUPS]; /* indices of places */
    size_t n;
    const uint32_t *count; /* [n][n] */
};

/* Returns the priority of dividing a group: its nodes, or 0 without visible children. */
static uint32_t worth_of(const struct rt_picture *p, uint32_t index)
{
    const struct rt_place *place = &p->places[index];
    return place->n ? p->look.tree->count[place->node] : 0;
}

/*
 * Divides the largest group again and again, beginning with the root: its children become
 * groups, and it keeps the rest. So groups have similar sizes whatever the tree's shape.
 */
static void choose_groups(const struct rt_picture *p, struct bundles *b)
{
    bool divided[TREE_MAX_GROUPS] = { false };
    if (!p->n_places)
        return;
    b->groups[b->n++] = 0;
    for (;;) {
        size_t largest = b->n;
        for (size_t g = 0; g < b->n; g++)
            if (!divided[g] && worth_of(p, b->groups[g])
                && (largest == b->n
                    || worth_of(p, b->groups[g]) > worth_of(p, b->groups[largest])))
                largest = g;
        if (largest == b->n)
            return;
        const struct rt_place *place = &p->places[b->groups[largest]];
        if (b->n + place->n > TREE_MAX_GROUPS)
            return;
        divided[largest] = true;
        for (uint32_t c = 0; c < place->n; c++)
            b->groups[b->n++] = place->first + c;
    }
}

static bool count_bundles(struct edges *e, struct bundles *b, struct weft_err *err)
{
    const struct rt_picture *p = e->p;
    uint32_t nodes[TREE_MAX_GROUPS];
    for (size_t g = 0; g < b->n; g++)
        nodes[g] = p->places[b->groups[g]].node;
    b->count = tree_bundles_of(p->request->use, 0, p->top, nodes, b->n, err);
    return b->count != NULL;
}

static void draw_dependence_bundles(struct edges *e, const struct bundles *b)
{
    struct rt_picture *p = e->p;
    const struct weft_tree *tree = p->look.tree;
    p->edges += e->links->n;
    for (size_t x = 0; x < b->n; x++)
        for (size_t y = 0; y < b->n; y++) {
            uint32_t n = b->count[x * b->n + y];
            if (!n)
                continue;
            p->edges_drawn += n;
            const struct rt_place *from = &p->places[b->groups[x]];
            const struct rt_place *to = &p->places[b->groups[y]];
            draw_curve(p, rt_middle_of(p, from), rt_middle_of(p, to), DEPENDENCE,
                       0.8 + log2((double)n) / 2, weft_tree_id(tree, to->node),
                       weft_arena_printf(p->arena, "%u data dependences from %s to %s", n,
                                         tree->labels[tree->label[from->node]].name,
                                         tree->labels[tree->label[to->node]].name));
        }
}

static bool draw_bundles(struct edges *e, struct weft_err *err)
{
    struct rt_picture *p = e->p;
    const struct weft_tree *tree = p->look.tree;
    struct bundles b = { 0 };
    choose_groups(p, &b);
    if (e->kinds & DEPENDENCE) {
        if (!count_bundles(e, &b, err))
            return false;
        draw_dependence_bundles(e, &b);
    }
    /* Migrations run along the tree: each visible one is its own bundle. */
    uint64_t edges = p->edges + (e->kinds & MIGRATION ? p->look.spread->migrated : 0);
    for (size_t i = 0; (e->kinds & MIGRATION) && i < p->n_places; i++)
        if (p->places[i].node != p->top && tree_migrated(tree, p->places[i].node))
            draw_edge(e, tree->parent[p->places[i].node], p->places[i].node, MIGRATION);
    p->edges = edges; /* including invisible migrations */
    return true;
}

static unsigned kinds_of(const struct rt_picture *p)
{
    const char *which = weft_setting(p->request, "edges");
    const char *kind = weft_setting(p->request, "edge-kind");
    return strcmp(which, "none") == 0        ? 0
           : strcmp(kind, "dependence") == 0 ? DEPENDENCE
           : strcmp(kind, "migration") == 0  ? MIGRATION
                                             : DEPENDENCE | MIGRATION;
}

size_t rt_edge_legend(const struct rt_picture *p, struct weft_legend_entry *out)
{
    unsigned kinds = kinds_of(p);
    size_t n = 0;
    struct weft_err err;
    /* A failure is told when edges are drawn. */
    const struct weft_tree_edges *links =
        kinds & DEPENDENCE ? tree_edges_of(p->request->use, 0, &err) : NULL;
    if (links && links->n)
        out[n++] = (struct weft_legend_entry){ { .fill = color_of(p, DEPENDENCE) },
                                               "data dependence",
                                               -1 };
    if ((kinds & MIGRATION) && p->look.spread->migrated)
        out[n++] = (struct weft_legend_entry){ { .fill = color_of(p, MIGRATION) },
                                               "migration",
                                               -1 };
    return n;
}

bool rt_draw_edges(struct rt_picture *p, struct weft_err *err)
{
    static const struct weft_tree_edges none = { 0 };
    const char *which = weft_setting(p->request, "edges");
    struct edges e = { .p = p, .kinds = kinds_of(p), .links = &none, .err = err };
    bool ok = true;
    if (!e.kinds)
        return true;
    if (e.kinds & DEPENDENCE)
        e.links = tree_edges_of(p->request->use, 0, err);
    if (!e.links)
        return false;
    e.centre = p->marked != WEFT_NONE ? p->marked : p->top;
    e.places = weft_zalloc(p->look.tree->n, sizeof *e.places);
    for (size_t i = 0; i < p->n_places; i++)
        for (uint32_t m = 0; m < p->places[i].times; m++)
            e.places[p->places[i].members ? p->places[i].members[m] : p->places[i].node] =
                (uint32_t)i + 1;
    weft_scene_layer(p->scene, "edges", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    if (strcmp(which, "node") == 0)
        ok = draw_of_node(&e);
    else if (strcmp(which, "subtree") == 0)
        ok = draw_of_subtree(&e);
    else
        ok = draw_bundles(&e, err);
    free(e.places);
    return ok;
}
