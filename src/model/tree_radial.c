/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tree_radial.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

enum {
    PARTS = 64, /* of a ring, weighed side by side: enough for any number of processors */
    WORTH = 1 << 15, /* nodes of a ring from which on threads gain more than they cost */
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
    /* Multiples of the next ratio in (first, levels). */
    uint64_t rest = levels ? (levels - 1) / step - first / step : 0;
    rings.n = rings.n_first + (uint32_t)rest;
    return rings;
}

struct weft_tree_run weft_tree_hangs(const struct weft_tree_layout *layout, uint32_t ring,
                                     uint32_t node)
{
    struct weft_tree_run run = { node, node + 1 };
    if (ring + 1 == layout->rings.n)
        return (struct weft_tree_run){ node, node };
    for (uint32_t l = layout->level[ring]; l < layout->level[ring + 1]; l++)
        run = weft_tree_below(layout->tree, run);
    return run;
}

struct part {
    struct weft_tree_layout *layout;
    uint32_t ring;
    uint32_t parts;
};

/* Compute the weights of part INDEX of a ring from the weights of the next ring. */
static void weigh(void *user, size_t index)
{
    const struct part *part = user;
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

/* Walk the runs of all levels, and keep those of the levels that have a ring. */
static void find_runs(struct weft_tree_layout *layout, uint32_t most)
{
    const struct weft_tree *tree = layout->tree;
    struct weft_tree_run run = { layout->root, layout->root + 1 };
    uint32_t levels = 0;
    for (; run.begin < run.end; levels++)
        run = weft_tree_below(tree, run);
    layout->rings = weft_tree_condense(levels, most);
    size_t n = layout->rings.n;
    layout->level = weft_alloc(n * sizeof *layout->level);
    layout->runs = weft_alloc(n * sizeof *layout->runs);
    layout->offset = weft_alloc(n * sizeof *layout->offset);
    run = (struct weft_tree_run){ layout->root, layout->root + 1 };
    uint32_t ring = 0;
    for (uint32_t l = 0; l < levels; l++) {
        layout->n_all += run.end - run.begin;
        if (weft_tree_keeps(&layout->rings, l)) {
            layout->level[ring] = l;
            layout->runs[ring] = run;
            layout->offset[ring++] = layout->n_kept;
            layout->n_kept += run.end - run.begin;
        }
        for (uint32_t i = run.begin; i < run.end; i++) {
            layout->first = tree->time[i] < layout->first ? tree->time[i] : layout->first;
            layout->last = tree->time[i] > layout->last ? tree->time[i] : layout->last;
        }
        run = weft_tree_below(tree, run);
    }
    WEFT_REQUIRE(ring == layout->rings.n, "%u rings of %u", ring, layout->rings.n);
}

/* Weights are computed from the outermost ring to the root. */
static bool weigh_all(struct weft_tree_layout *layout, struct weft_job *job,
                      struct weft_err *err)
{
    enum { STEP = 256 }; /* rings, or one large one, between two looks at the job */
    uint64_t done = 0;
    layout->weights = weft_alloc((layout->n_kept + 1) * sizeof *layout->weights);
    for (uint32_t ring = layout->rings.n; ring-- > 0;) {
        uint32_t n = layout->runs[ring].end - layout->runs[ring].begin;
        struct part part = { layout, ring, n > WORTH ? PARTS : 1 };
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
                                           uint32_t most, struct weft_job *job,
                                           struct weft_err *err)
{
    struct weft_tree_layout *layout = weft_zalloc(1, sizeof *layout);
    layout->tree = tree;
    layout->root = root;
    layout->first = INT64_MAX;
    layout->last = INT64_MIN;
    find_runs(layout, most);
    if (weigh_all(layout, job, err))
        return layout;
    weft_tree_layout_free(layout);
    return NULL;
}

size_t weft_tree_layout_bytes(const struct weft_tree_layout *layout)
{
    size_t ring = sizeof *layout->level + sizeof *layout->runs + sizeof *layout->offset;
    return sizeof *layout + layout->rings.n * ring
           + (size_t)layout->n_kept * sizeof *layout->weights;
}

void weft_tree_layout_free(struct weft_tree_layout *layout)
{
    if (!layout)
        return;
    free(layout->level);
    free(layout->runs);
    free(layout->offset);
    free(layout->weights);
    free(layout);
}

uint32_t weft_tree_ring_of(const struct weft_tree_layout *layout, uint32_t *node)
{
    const struct weft_tree *tree = layout->tree;
    uint32_t top = weft_tree_level(tree, layout->root);
    uint32_t level = weft_tree_level(tree, *node);
    level = level > top ? level - top : 0;
    while (level && !weft_tree_keeps(&layout->rings, level)) {
        *node = tree->parent[*node];
        level--;
    }
    uint32_t low = 0, high = layout->rings.n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (layout->level[middle] <= level)
            low = middle;
        else
            high = middle;
    }
    return low;
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
        double all = (double)weft_tree_weight_below(layout, r - 1, path[r - 1]);
        uint64_t before = 0;
        for (uint32_t i = run.begin; i < path[r]; i++)
            before += weft_tree_weight(layout, r, i);
        sector.from += sector.size * ((double)before / all);
        sector.size *= (double)weft_tree_weight(layout, r, path[r]) / all;
    }
    free(path);
    return sector;
}
