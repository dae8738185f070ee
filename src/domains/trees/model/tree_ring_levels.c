/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/tree_ring_levels.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/memory.h"

/*
 * The rings that hold CROWD of all nodes get at least HALF of the depth (more than a half,
 * since sparse levels need less room than crowded ones).
 */
#define CROWD 0.9
#define HALF  0.6

/*
 * A level's claim to a ring of its own: half of it is in proportion to its nodes, half is
 * the same for all levels that branch. A level that only lengthens chains gets a sixteenth
 * of the latter half, so that chains of any length take few rings.
 */
#define PLAIN_CLAIM 0.0625

/* ---- Thickness of rings ---- */

/* Returns the least number of rings that hold CROWD of all nodes. */
static uint32_t crowded_rings(const uint64_t *nodes, uint32_t n)
{
    uint64_t *sorted = weft_alloc(((size_t)n + 1) * sizeof *sorted), all = 0, sum = 0;
    uint32_t rings = 0;
    for (uint32_t i = 0; i < n; i++)
        all += sorted[i] = nodes[i];
    qsort(sorted, n, sizeof *sorted, weft_by_u64);
    while (rings < n && (double)sum < CROWD * (double)all)
        sum += sorted[n - ++rings];
    free(sorted);
    return rings;
}

/*
 * Returns the fraction p of the depth that is given by nodes; the rest is given evenly. The
 * K of N rings that hold CROWD of the nodes get p CROWD + (1 - p) K / N, which is to be
 * HALF.
 */
static double part_by_nodes(const uint64_t *nodes, uint32_t n)
{
    double even = n ? (double)crowded_rings(nodes, n) / n : 1;
    return even >= HALF ? 0 : (HALF - even) / (CROWD - even);
}

void weft_tree_depths(const uint64_t *nodes, uint32_t n, double *edges)
{
    double by_nodes = part_by_nodes(nodes, n), all = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        all += (double)nodes[i];
    edges[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)nodes[i];
        edges[i + 1] = (1 - by_nodes) * (i + 1) / n + by_nodes * (all > 0 ? sum / all : 0);
    }
}

/* ---- Choice of levels ---- */

struct claims {
    const struct weft_tree_level *levels;
    uint32_t n;
    double nodes, even, opened; /* sums over all levels; `opened` counts levels */
    uint64_t opened_nodes;      /* extra nodes of an opened level */
};

static double even_claim(const struct weft_tree_level *level)
{
    return level->kind == WEFT_TREE_LEVEL_PLAIN ? PLAIN_CLAIM : 1;
}

/* Returns a level's claim as a fraction of all claims. */
static double claim_of(const struct claims *claims, uint32_t level)
{
    const struct weft_tree_level *of = &claims->levels[level];
    double claim = (of->nodes / claims->nodes + even_claim(of) / claims->even) / 2;
    if (claims->opened > 0)
        claim = (claim + (of->kind == WEFT_TREE_LEVEL_OPENED) / claims->opened) / 2;
    return claim;
}

static struct claims sum_claims(const struct weft_tree_level *levels, uint32_t n)
{
    struct claims claims = { .levels = levels, .n = n };
    for (uint32_t l = 0; l < n; l++) {
        claims.nodes += levels[l].nodes;
        claims.even += even_claim(&levels[l]);
        claims.opened += levels[l].kind == WEFT_TREE_LEVEL_OPENED;
    }
    if (claims.opened > 0)
        claims.opened_nodes = (uint64_t)(claims.nodes / claims.opened) + 1;
    return claims;
}

/*
 * Returns the claim that is worth one of N rings. A level's claim beyond that is no use to
 * it, and is left to the others.
 */
static double claim_of_ring(const struct claims *claims, uint32_t n)
{
    enum { ROUNDS = 3 }; /* each caps the claims above what the last one left */
    double worth = 1.0 / n;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        for (uint32_t l = 1; l < claims->n; l++) {
            double claim = claim_of(claims, l);
            sum += claim < worth ? claim : worth;
        }
        worth = sum / n;
    }
    return worth;
}

static void add_level(struct weft_tree_folding *f, const struct claims *claims, uint32_t l,
                      bool begins)
{
    const struct weft_tree_level *levels = claims->levels;
    if (begins) {
        f->from[f->n] = f->level[f->n] = l;
        f->nodes[f->n++] = 0;
    }
    f->nodes[f->n - 1] += levels[l].nodes;
    if (levels[l].kind == WEFT_TREE_LEVEL_OPENED)
        f->nodes[f->n - 1] += claims->opened_nodes;
    if (levels[l].nodes > levels[f->level[f->n - 1]].nodes)
        f->level[f->n - 1] = l;
}

/* Folds the levels into at most RINGS rings, including the root's. */
static void fold_into(struct weft_tree_folding *f, const struct claims *claims,
                      uint32_t rings)
{
    f->n = 0;
    add_level(f, claims, 0, true);
    bool fits = claims->n <= rings;
    double worth = rings > 1 && !fits ? claim_of_ring(claims, rings - 1) : 1, sum = 0;
    uint64_t last = UINT64_MAX;
    for (uint32_t l = 1; l < claims->n && rings > 1; l++) {
        double claim = claim_of(claims, l);
        uint64_t ring = fits ? l : (uint64_t)(sum / worth + 1e-9);
        ring = fits || ring < rings - 1 ? ring : rings - 2;
        add_level(f, claims, l, ring != last);
        last = ring;
        sum += claim < worth ? claim : worth;
    }
    for (uint32_t l = 1; l < claims->n && rings <= 1; l++)
        f->nodes[0] += claims->levels[l].nodes;
    f->from[f->n] = claims->n;
}

struct weft_tree_folding weft_tree_fold(const struct weft_tree_level *levels, uint32_t n,
                                        uint32_t most)
{
    struct weft_tree_folding f = { 0 };
    const struct claims claims = sum_claims(levels, n);
    uint32_t rings = n < most ? n : most ? most : 1;
    f.level = weft_alloc(((size_t)rings + 1) * sizeof *f.level);
    f.from = weft_alloc(((size_t)rings + 2) * sizeof *f.from);
    f.nodes = weft_alloc(((size_t)rings + 1) * sizeof *f.nodes);
    for (;;) {
        fold_into(&f, &claims, rings);
        /* ROOM is how many rings of 1 / MOST fit when each has only its even share. */
        double room = (1 - part_by_nodes(f.nodes, f.n)) * (most ? most : 1);
        if (f.n <= room || rings <= 2)
            return f;
        rings = room < rings - 1 ? room > 2 ? (uint32_t)room : 2 : rings - 1;
    }
}

void weft_tree_folding_free(struct weft_tree_folding *folding)
{
    free(folding->level);
    free(folding->from);
    free(folding->nodes);
}
