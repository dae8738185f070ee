/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/tree_radial.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/parallel.h"

enum {
    PARTS = 64,      /* parts of a ring, weighed in parallel */
    WORTH = 1 << 15, /* nodes of a ring from which on threads pay off */
};

uint32_t weft_tree_most_rings(double width, double distance)
{
    double rings = width / (2 * distance);
    return rings >= 1 ? rings < 1e9 ? (uint32_t)rings : 1000000000 : 1;
}

bool weft_tree_keeps(const struct weft_tree_rings *rings, uint32_t level)
{
    return level <= rings->threshold ? level % rings->ratio == 0
                                     : level % (rings->ratio + 1) == 0;
}

struct weft_tree_rings weft_tree_condense(uint32_t levels, uint32_t most)
{
    struct weft_tree_rings rings = { .levels = levels,
                                     .most = most ? most : 1,
                                     .ratio = 1 };
    rings.threshold = levels;
    if (levels > rings.most) {
        uint64_t fit = rings.most, ratio = levels / fit;
        rings.ratio = (uint32_t)ratio;
        rings.threshold = (uint32_t)(fit * ratio - (levels - fit * ratio) * ratio);
    }
    uint64_t first = rings.threshold < levels ? rings.threshold : levels - 1;
    uint64_t step = rings.ratio + 1;
    rings.n_first = levels ? (uint32_t)(first / rings.ratio + 1) : 0;
    /* Multiples of c0 + 1 in (first, levels). */
    uint64_t rest = levels ? (levels - 1) / step - first / step : 0;
    rings.n = rings.n_first + (uint32_t)rest;
    return rings;
}

struct ring_part {
    struct weft_tree_layout *layout;
    uint32_t ring;
    uint32_t parts;
};

/* Computes the weights of part INDEX of a ring from those of the next ring. */
static void weigh(void *user, size_t index)
{
    const struct ring_part *part = user;
    struct weft_tree_layout *layout = part->layout;
    struct weft_tree_run run = layout->runs[part->ring];
    uint64_t n = run.end - run.begin;
    uint32_t from = run.begin + (uint32_t)(n * index / part->parts);
    uint32_t to = run.begin + (uint32_t)(n * (index + 1) / part->parts);
    uint64_t height = layout->rings.n - part->ring;
    uint64_t *out = layout->weights + layout->offset[part->ring] - run.begin;
    if (part->ring + 1 == layout->rings.n) {
        for (uint32_t i = from; i < to; i++)
            out[i] = height;
        return;
    }
    const uint64_t *below = layout->weights + layout->offset[part->ring + 1]
                            - layout->runs[part->ring + 1].begin;
    uint32_t child = weft_tree_hangs(layout, part->ring, from).begin;
    for (uint32_t i = from; i < to; i++) {
        uint64_t sum = height;
        uint32_t end = weft_tree_hangs(layout, part->ring, i).end;
        for (; child < end; child++)
            sum += below[child];
        out[i] = sum;
    }
}

/*
 * Lists the levels of the subtree, counts its nodes and finds its times; returns how many
 * levels there are.
 */
static uint32_t survey(struct weft_tree_layout *layout, struct weft_tree_level **levels)
{
    const struct weft_tree *tree = layout->tree;
    struct weft_tree_run run = { layout->root, layout->root + 1 };
    size_t n = 0, capacity = 0;
    bool branches = true; /* the root's level counts as branching */
    *levels = NULL;
    for (; run.begin < run.end; run = weft_tree_below(tree, run)) {
        *levels = weft_grow(*levels, &capacity, n + 1, sizeof **levels);
        (*levels)[n++] = (struct weft_tree_level){ run.end - run.begin,
                                                   branches ? WEFT_TREE_LEVEL_BRANCHES
                                                            : WEFT_TREE_LEVEL_PLAIN };
        layout->n_all += run.end - run.begin;
        branches = false;
        for (uint32_t i = run.begin; i < run.end; i++) {
            layout->first = tree->time[i] < layout->first ? tree->time[i] : layout->first;
            layout->last = tree->time[i] > layout->last ? tree->time[i] : layout->last;
            branches |= tree->first_child[i + 1] - tree->first_child[i] > 1;
        }
    }
    return (uint32_t)n;
}

/* Returns the folding by VISTA's formula. */
static struct weft_tree_folding fold_by_formula(const struct weft_tree_rings *rings,
                                                const struct weft_tree_level *levels)
{
    struct weft_tree_folding f = { 0 };
    f.level = weft_alloc(((size_t)rings->n + 1) * sizeof *f.level);
    f.from = weft_alloc(((size_t)rings->n + 1) * sizeof *f.from);
    f.nodes = weft_zalloc((size_t)rings->n + 1, sizeof *f.nodes);
    for (uint32_t l = 0; l < rings->levels; l++) {
        if (weft_tree_keeps(rings, l)) {
            f.from[f.n] = f.level[f.n] = l;
            f.n++;
        }
        f.nodes[f.n - 1] += levels[l].nodes;
    }
    f.from[f.n] = rings->levels;
    WEFT_REQUIRE(f.n == rings->n, "%u rings of %u", f.n, rings->n);
    return f;
}

static void choose_rings(struct weft_tree_layout *layout, const struct weft_tree_how *how)
{
    struct weft_tree_level *levels;
    uint32_t n = survey(layout, &levels);
    layout->rings = weft_tree_condense(n, how->most);
    if (how->depth == WEFT_TREE_DEPTH_VISTA) {
        layout->fold = fold_by_formula(&layout->rings, levels);
    } else {
        for (size_t i = 0; i < how->n_opened; i++)
            for (uint32_t l = how->opened[i].begin; l < how->opened[i].end && l < n; l++)
                levels[l].kind = WEFT_TREE_LEVEL_OPENED;
        layout->fold = weft_tree_fold(levels, n, how->most);
        layout->rings.n = layout->rings.n_first = layout->fold.n;
    }
    layout->level = layout->fold.level;
    free(levels);
}

/* Finds the runs of the levels with a ring. */
static void find_runs(struct weft_tree_layout *layout)
{
    size_t n = layout->rings.n;
    layout->runs = weft_alloc(n * sizeof *layout->runs);
    layout->offset = weft_alloc((n + 1) * sizeof *layout->offset);
    struct weft_tree_run run = { layout->root, layout->root + 1 };
    for (uint32_t ring = 0, l = 0; ring < n; run = weft_tree_below(layout->tree, run)) {
        if (layout->level[ring] != l++)
            continue;
        layout->runs[ring] = run;
        layout->offset[ring++] = layout->n_kept;
        layout->n_kept += run.end - run.begin;
    }
    layout->offset[n] = layout->n_kept;
}

/* Returns the runs of all levels, and sets *WIDEST to the nodes of the widest. */
static struct weft_tree_run *list_runs(const struct weft_tree_layout *layout,
                                       uint32_t *widest)
{
    struct weft_tree_run run = { layout->root, layout->root + 1 };
    struct weft_tree_run *runs =
        weft_alloc(((size_t)layout->rings.levels + 1) * sizeof *runs);
    *widest = 0;
    for (uint32_t l = 0; l < layout->rings.levels; l++) {
        runs[l] = run;
        *widest = run.end - run.begin > *widest ? run.end - run.begin : *widest;
        run = weft_tree_below(layout->tree, run);
    }
    return runs;
}

/*
 * Finds the descendants of a ring's nodes on the next ring, level by level inwards from the
 * next ring: a node's first descendant is that of its first child. The node after the last
 * of a run has its first child where the run's children end, which gives the ends.
 */
static void hang_ring(struct weft_tree_layout *layout, uint32_t ring,
                      const struct weft_tree_run *runs, uint32_t *next, uint32_t *out)
{
    const uint32_t *first_child = layout->tree->first_child;
    uint32_t level = layout->level[ring], far = layout->level[ring + 1];
    for (uint32_t i = runs[far].begin; i <= runs[far].end; i++)
        next[i - runs[far].begin] = i;
    for (uint32_t l = far; l-- > level;) {
        uint32_t *to = l == level ? layout->hangs + layout->offset[ring] + ring : out;
        for (uint32_t i = runs[l].begin; i <= runs[l].end; i++)
            to[i - runs[l].begin] = next[first_child[i] - runs[l + 1].begin];
        out = next;
        next = to;
    }
}

static void hang_all(struct weft_tree_layout *layout)
{
    uint32_t widest, last = layout->rings.n - 1;
    struct weft_tree_run *runs = list_runs(layout, &widest);
    size_t room = (size_t)widest + 1, n = layout->n_kept + layout->rings.n;
    uint32_t *buffer = weft_alloc(2 * room * sizeof *buffer);
    layout->hangs = weft_alloc((n + 1) * sizeof *layout->hangs);
    for (uint32_t ring = 0; ring < last; ring++)
        hang_ring(layout, ring, runs, buffer, buffer + room);
    for (size_t i = layout->offset[last] + last; i < n; i++)
        layout->hangs[i] = layout->runs[last].end;
    free(buffer);
    free(runs);
}

/* Weights are computed from the outermost ring to the root. */
static bool weigh_all(struct weft_tree_layout *layout, struct weft_job *job,
                      struct weft_err *err)
{
    enum { STEP = 256 }; /* rings, or one large ring, between two looks at the job */
    uint64_t done = 0;
    layout->weights = weft_alloc((layout->n_kept + 1) * sizeof *layout->weights);
    for (uint32_t ring = layout->rings.n; ring-- > 0;) {
        uint32_t n = layout->runs[ring].end - layout->runs[ring].begin;
        struct ring_part part = { layout, ring, n > WORTH ? PARTS : 1 };
        if ((part.parts > 1 || ring % STEP == 0)
            && !weft_job_step(job, done, layout->n_kept, err))
            return false;
        if (part.parts > 1)
            weft_parallel(part.parts, 1, weigh, &part);
        else
            weigh(&part, 0);
        done += n;
    }
    return true;
}

struct weft_tree_layout *weft_tree_lay_out(const struct weft_tree *tree, uint32_t root,
                                           const struct weft_tree_how *how,
                                           struct weft_job *job, struct weft_err *err)
{
    struct weft_tree_layout *layout = weft_zalloc(1, sizeof *layout);
    layout->tree = tree;
    layout->root = root;
    layout->how = *how;
    layout->how.opened = NULL;
    layout->how.n_opened = 0;
    layout->first = INT64_MAX;
    layout->last = INT64_MIN;
    choose_rings(layout, how);
    find_runs(layout);
    hang_all(layout);
    if (how->size == WEFT_TREE_SIZE_WEIGHT ? weigh_all(layout, job, err)
                                           : weft_job_step(job, 1, 1, err))
        return layout;
    weft_tree_layout_free(layout);
    return NULL;
}

size_t weft_tree_layout_bytes(const struct weft_tree_layout *layout)
{
    size_t ring = sizeof *layout->fold.level + sizeof *layout->fold.from
                  + sizeof *layout->fold.nodes + sizeof *layout->runs
                  + sizeof *layout->offset;
    return sizeof *layout + layout->rings.n * ring
           + ((size_t)layout->n_kept + layout->rings.n) * sizeof *layout->hangs
           + (layout->weights ? (size_t)layout->n_kept * sizeof *layout->weights : 0);
}

void weft_tree_layout_free(struct weft_tree_layout *layout)
{
    if (!layout)
        return;
    weft_tree_folding_free(&layout->fold);
    free(layout->runs);
    free(layout->offset);
    free(layout->hangs);
    free(layout->weights);
    free(layout);
}

double weft_tree_whole(const struct weft_tree_layout *layout, uint32_t ring,
                       uint32_t parent, struct weft_tree_run hang)
{
    double whole = 0;
    switch (layout->how.size) {
    case WEFT_TREE_SIZE_COUNT:
        for (uint32_t i = hang.begin; i < hang.end; i++)
            whole += layout->tree->count[i];
        return whole;
    case WEFT_TREE_SIZE_SUMS: return layout->how.sums[parent];
    case WEFT_TREE_SIZE_WEIGHT: break;
    }
    return (double)weft_tree_weight_below(layout, ring - 1, parent);
}

void weft_tree_edges_of_rings(const struct weft_tree_layout *layout, bool point,
                              double *edges)
{
    uint32_t n = layout->rings.n, first = point && n > 1;
    edges[0] = 0;
    if (layout->how.depth == WEFT_TREE_DEPTH_ADAPTIVE)
        weft_tree_depths(layout->fold.nodes + first, n - first, edges + first);
    for (uint32_t i = 0; i <= n && layout->how.depth == WEFT_TREE_DEPTH_VISTA; i++)
        edges[i] = i > first ? (double)(i - first) / (n - first) : 0;
}

uint32_t weft_tree_ring_of(const struct weft_tree_layout *layout, uint32_t *node)
{
    const struct weft_tree *tree = layout->tree;
    uint32_t top = weft_tree_level(tree, layout->root);
    uint32_t level = weft_tree_level(tree, *node);
    level = level > top ? level - top : 0;
    uint32_t ring = WEFT_LAST(i, 0, layout->rings.n, layout->level[i] <= level);
    for (; level > layout->level[ring]; level--)
        *node = tree->parent[*node];
    return ring;
}

struct weft_tree_sector weft_tree_sector_of(const struct weft_tree_layout *layout,
                                            uint32_t ring, uint32_t node)
{
    const struct weft_tree *tree = layout->tree;
    struct weft_tree_sector sector = { 0, 1 };
    uint32_t *path = weft_alloc((ring + 1) * sizeof *path);
    path[ring] = node;
    for (uint32_t r = ring; r > 0; r--) {
        for (uint32_t l = layout->level[r]; l > layout->level[r - 1]; l--)
            node = tree->parent[node];
        path[r - 1] = node;
    }
    for (uint32_t r = 1; r <= ring; r++) {
        struct weft_tree_run run = weft_tree_hangs(layout, r - 1, path[r - 1]);
        double all = weft_tree_whole(layout, r, path[r - 1], run), before = 0;
        if (!(all > 0)) {
            sector.size = 0;
            break;
        }
        for (uint32_t i = run.begin; i < path[r]; i++)
            before += weft_tree_size(layout, r, i);
        sector.from += sector.size * (before / all);
        sector.size *= weft_tree_size(layout, r, path[r]) / all;
    }
    free(path);
    return sector;
}
