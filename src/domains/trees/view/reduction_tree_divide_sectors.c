/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides a place's sector among its children in proportion to their sizes. Children below
 * a pixel are, by the first rule that applies,
 *
 *     drawn a pixel wide near their place, when they are few;
 *     merged by procedure into places with a count;
 *     left to the shades, as gaps.
 *
 * A merged place has the children of all its nodes, merged in turn: equal siblings with
 * equal descendants are one subtree.
 */
#include <math.h>
#include <stdlib.h>

#include "domains/trees/view/reduction_tree.h"

enum {
    WIDE_GAP = 3, /* pixels: a narrower gap takes in the next child */
    MAX_MERGED =
        400000, /* most nodes examined for merging in one picture: some milliseconds */
};

/*
 * Children widened to a pixel take at most this part of a sector, so that the others keep
 * their shape.
 */
#define EDGE_PART (1.0 / 3)
/* The part of its parent's sector that an opened group has. */
#define OPENED_PART 0.75

struct sector_division {
    struct rt_picture *p;
    size_t parent; /* index among the places */
    uint32_t ring; /* ring of the children */
    struct weft_tree_sector sector;
    double share;        /* part of the circle for a size of 1 */
    double narrow;       /* factor for the children beside an opened group */
    double least, alone; /* parts of a pixel, for nodes with and without children */
    double from;         /* begin of the next child */
    double edge;         /* end of the last child that was widened to a pixel */
};

/* Small children of one procedure. */
struct group {
    uint32_t label, n, filled;
    double size;
    uint32_t *members; /* [n] */
};

struct groups {
    struct group *list;
    size_t n, capacity;
    uint32_t *small; /* [n_small] nodes */
    size_t n_small, small_capacity;
};

/*
 * Returns the least part of the circle that is drawn by itself on RING. VISTA takes a pixel
 * on the next ring. But a sector widens outwards, where the node's descendants are: a node
 * without children (ALONE) must be seen on its own ring, any other as far out as the tree
 * reaches.
 */
static double least_part(const struct rt_picture *p, uint32_t ring, bool alone)
{
    uint32_t rim = p->look.layout->rings.n - 1;
    if (p->layout != RT_RADIAL || p->depth == WEFT_TREE_DEPTH_VISTA)
        return 1 / rt_pixels(p, ring, 1);
    return 1 / (2 * M_PI * fmax(p->reach[alone ? ring : rim], 0.01));
}

static bool is_small(const struct sector_division *s, uint32_t child)
{
    double part = s->share * weft_tree_size(s->p->look.layout, s->ring, child);
    return part < (s->p->look.tree->count[child] > 1 ? s->least : s->alone);
}

/* ---- Places and gaps ---- */

static struct rt_place *add_place(struct rt_picture *p, uint32_t node, uint32_t ring,
                                  struct weft_tree_sector sector)
{
    p->places =
        weft_grow(p->places, &p->place_capacity, p->n_places + 1, sizeof *p->places);
    double shift = p->layout == RT_ICICLE ? 0 : 0.5;
    p->places[p->n_places] =
        (struct rt_place){ .node = node,
                           .times = 1,
                           .chain = (uint32_t)p->n_places,
                           .ring = ring,
                           .sector = sector,
                           .at = rt_point_at(p, ring, sector.from + shift * sector.size) };
    return &p->places[p->n_places++];
}

static void add_gap(struct rt_picture *p, size_t parent, uint32_t child, double from,
                    double to)
{
    uint64_t count = p->look.tree->count[child];
    struct rt_place *place = &p->places[parent];
    struct rt_gap *last = place->n_gaps ? &p->gaps[p->n_gaps - 1] : NULL;
    place->hidden += count;
    p->hidden += count;
    /*
     * Gaps stay a few pixels wide, so that shades follow the density of nodes along the
     * circle.
     */
    if (last && last->run.end == child
        && rt_pixels(p, place->ring, last->sector.size) < WIDE_GAP) {
        last->sector.size = to - last->sector.from;
        last->run.end = child + 1;
        last->count += count;
        return;
    }
    p->gaps = weft_grow(p->gaps, &p->gap_capacity, p->n_gaps + 1, sizeof *p->gaps);
    if (!place->n_gaps)
        place->first_gap = (uint32_t)p->n_gaps;
    place->n_gaps++;
    p->gaps[p->n_gaps++] =
        (struct rt_gap){ { from, to - from }, { child, child + 1 }, count };
}

/*
 * Adds a place for N members, the first of which stands for all; NULL when it is outside of
 * the picture.
 */
static struct rt_place *put(struct sector_division *s, const uint32_t *members, uint32_t n,
                            struct weft_tree_sector sector)
{
    struct rt_picture *p = s->p;
    if (!rt_may_show(p, s->ring - 1, sector)) {
        for (uint32_t i = 0; i < n; i++)
            p->outside += p->look.tree->count[members[i]];
        return NULL;
    }
    struct rt_place *place = add_place(p, members[0], s->ring, sector);
    place->times = n;
    place->members = n > 1 ? members : NULL;
    if (p->places[s->parent].links)
        place->chain = p->places[s->parent].chain;
    p->merged += n - 1;
    p->places[s->parent].n++;
    return place;
}

/* Puts a child or a group at the next part of the sector; WIDEN: at least a pixel wide. */
static void put_next(struct sector_division *s, const uint32_t *members, uint32_t n,
                     double size, bool widen)
{
    struct weft_tree_sector sector = { s->from, s->narrow * s->share * size };
    s->from += sector.size;
    if (widen && sector.size < s->alone) {
        double end = s->sector.from + s->sector.size;
        sector.size = fmin(s->alone, s->sector.size);
        sector.from =
            fmax(s->sector.from, fmin(fmax(sector.from, s->edge), end - sector.size));
        s->edge = sector.from + sector.size;
    }
    put(s, members, n, sector);
}

/*
 * Returns true if a child has begun by the picture's moment; else counts its subtree as
 * later.
 */
static bool is_there(struct sector_division *s, uint32_t child)
{
    bool there = s->p->look.tree->time[child] <= s->p->at;
    if (!there)
        s->p->later += s->p->look.tree->count[child];
    return there;
}

/* ---- Children in order ---- */

/* Puts the children in order; small ones are widened to a pixel, or become gaps. */
static void put_all(struct sector_division *s, struct weft_tree_run run, bool widen)
{
    const struct weft_tree_layout *layout = s->p->look.layout;
    for (uint32_t child = run.begin; child < run.end; child++) {
        double size = weft_tree_size(layout, s->ring, child), from = s->from;
        bool small = is_small(s, child), gap = small && !widen;
        if (!is_there(s, child) || gap)
            s->from += s->share * size;
        else
            put_next(s, &child, 1, size, small);
        if (gap && s->p->look.tree->time[child] <= s->p->at)
            add_gap(s->p, s->parent, child, from, s->from);
    }
}

/* ---- Merged children ---- */

/* Adds a small child to the group of its procedure. */
static void add_small(struct sector_division *s, struct groups *groups, uint32_t child)
{
    struct rt_picture *p = s->p;
    uint32_t label = p->look.tree->label[child], *of = &p->group_of[label];
    if (*of >= groups->n || groups->list[*of].label != label) {
        groups->list =
            weft_grow(groups->list, &groups->capacity, groups->n + 1, sizeof *groups->list);
        *of = (uint32_t)groups->n;
        groups->list[groups->n++] = (struct group){ .label = label };
    }
    groups->list[*of].n++;
    groups->list[*of].size += weft_tree_size(p->look.layout, s->ring, child);
    groups->small = weft_grow(groups->small, &groups->small_capacity, groups->n_small + 1,
                              sizeof *groups->small);
    groups->small[groups->n_small++] = child;
}

/* Lists the members of each group, in order. */
static void fill_groups(const struct rt_picture *p, struct groups *groups)
{
    uint32_t *room = weft_arena_alloc(p->arena, (groups->n_small + 1) * sizeof *room);
    for (size_t g = 0; g < groups->n; g++) {
        groups->list[g].members = room;
        room += groups->list[g].n;
    }
    for (size_t i = 0; i < groups->n_small; i++) {
        struct group *group =
            &groups->list[p->group_of[p->look.tree->label[groups->small[i]]]];
        group->members[group->filled++] = groups->small[i];
    }
}

static bool is_opened(const struct rt_picture *p, const struct group *group)
{
    return weft_entity_set_contains(&p->opened,
                                    weft_tree_id(p->look.tree, group->members[0]));
}

/* Returns the first group that the user opened, or NULL. */
static struct group *opened_group(const struct rt_picture *p, const struct groups *groups)
{
    for (size_t g = 0; g < groups->n; g++)
        if (groups->list[g].n > 1 && is_opened(p, &groups->list[g]))
            return &groups->list[g];
    return NULL;
}

/* Puts the members of a group one by one into a PART of the circle. */
static void put_members(struct sector_division *s, const struct group *group, double part)
{
    const struct weft_tree_layout *layout = s->p->look.layout;
    struct sector_division own = *s;
    own.narrow = 1;
    own.share = group->size > 0 ? part / group->size : 0;
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t member = group->members[i];
        double size = weft_tree_size(layout, s->ring, member), from = own.from;
        if (!is_small(&own, member)) {
            put_next(&own, &member, 1, size, false);
            continue;
        }
        own.from += own.share * size;
        add_gap(s->p, s->parent, member, from, own.from);
    }
    s->from = own.from;
}

static void put_groups(struct sector_division *s, struct groups *groups,
                       const struct group *opened)
{
    for (size_t g = 0; g < groups->n; g++) {
        struct group *group = &groups->list[g];
        if (group == opened)
            put_members(s, group, OPENED_PART * s->sector.size);
        else
            put_next(s, group->members, group->n, group->size, true);
    }
}

/* Draws none of the groups, for want of room; their nodes count as too small to see. */
static void hide_groups(struct sector_division *s, const struct groups *groups)
{
    for (size_t i = 0; i < groups->n_small; i++) {
        uint64_t count = s->p->look.tree->count[groups->small[i]];
        s->p->places[s->parent].hidden += count;
        s->p->hidden += count;
    }
}

/*
 * Puts the children of a place's nodes: first the large ones, in order, then the groups of
 * the others. With ALL, all children are in groups.
 */
static void put_merged(struct sector_division *s, const struct weft_tree_run *runs,
                       uint32_t n_runs, bool all)
{
    const struct weft_tree_layout *layout = s->p->look.layout;
    struct groups groups = { 0 };
    for (uint32_t r = 0; r < n_runs; r++)
        for (uint32_t child = runs[r].begin; child < runs[r].end; child++)
            if (is_there(s, child) && (all || is_small(s, child)))
                add_small(s, &groups, child);
    fill_groups(s->p, &groups);
    bool room = (double)groups.n * s->alone <= s->sector.size;
    const struct group *opened = room ? opened_group(s->p, &groups) : NULL;
    s->narrow = opened ? 1 - OPENED_PART : 1;
    for (uint32_t r = 0; r < n_runs && !all; r++)
        for (uint32_t child = runs[r].begin; child < runs[r].end; child++)
            if (s->p->look.tree->time[child] <= s->p->at && !is_small(s, child))
                put_next(s, &child, 1, weft_tree_size(layout, s->ring, child), true);
    if (room)
        put_groups(s, &groups, opened);
    else
        hide_groups(s, &groups);
    free(groups.list);
    free(groups.small);
}

/* ---- The children of a place ---- */

/* Counts the nodes folded between a place and its descendants on the next ring (RUNS). */
static void fold_between(struct rt_picture *p, struct rt_place *place,
                         const struct weft_tree_run *runs)
{
    const struct weft_tree_layout *layout = p->look.layout;
    const uint32_t *count = p->look.tree->count;
    for (uint32_t m = 0; m < place->times; m++) {
        place->folded += count[place->members ? place->members[m] : place->node] - 1;
        for (uint32_t i = runs[m].begin; i < runs[m].end; i++)
            place->folded -= count[i];
    }
    p->folded += place->folded;
    place->links =
        place->times == 1 && runs->end - runs->begin == 1
        && layout->level[place->ring] + place->folded + 1 == layout->level[place->ring + 1];
}

/*
 * Returns the descendants on the next ring of each of a place's nodes, their number, and
 * the sum of the sizes that they are parts of.
 */
static struct weft_tree_run *list_runs(const struct rt_picture *p,
                                       const struct rt_place *place, uint64_t *n,
                                       double *whole)
{
    const struct weft_tree_layout *layout = p->look.layout;
    struct weft_tree_run *runs = weft_arena_alloc(p->arena, place->times * sizeof *runs);
    *n = 0;
    *whole = 0;
    for (uint32_t m = 0; m < place->times; m++) {
        uint32_t node = place->members ? place->members[m] : place->node;
        runs[m] = weft_tree_hangs(layout, place->ring, node);
        *n += runs[m].end - runs[m].begin;
        if (runs[m].begin < runs[m].end)
            *whole += weft_tree_whole(layout, place->ring + 1, node, runs[m]);
    }
    return runs;
}

/* Returns true if a place's small children, if any, may be widened to a pixel each. */
static bool fit_at_edges(const struct sector_division *s, struct weft_tree_run run)
{
    double room = EDGE_PART * s->sector.size;
    for (uint32_t child = run.begin; child < run.end && room >= 0; child++)
        room -= is_small(s, child) ? s->alone : 0;
    return room >= 0;
}

void rt_open_place(struct rt_picture *p, size_t index)
{
    const struct rt_place place = p->places[index];
    double whole;
    uint64_t n;
    struct weft_tree_run *runs = list_runs(p, &place, &n, &whole);
    fold_between(p, &p->places[index], runs);
    if (!n)
        return;
    struct sector_division s = { .p = p,
                                 .parent = index,
                                 .ring = place.ring + 1,
                                 .sector = place.sector,
                                 .share = whole > 0 ? place.sector.size / whole : 0,
                                 .narrow = 1,
                                 .least = least_part(p, place.ring + 1, false),
                                 .alone = least_part(p, place.ring + 1, true),
                                 .from = place.sector.from,
                                 .edge = place.sector.from };
    p->places[index].first = (uint32_t)p->n_places;
    if (p->depth == WEFT_TREE_DEPTH_VISTA) {
        put_all(&s, *runs, false);
        return;
    }
    bool may_merge = p->merges && p->looked_at + n <= MAX_MERGED;
    if (place.times == 1 && fit_at_edges(&s, *runs)) {
        put_all(&s, *runs, true);
    } else if (may_merge || place.times > 1) {
        p->looked_at += n;
        put_merged(&s, runs, place.times, place.times > 1);
    } else {
        put_all(&s, *runs, false);
    }
}

void rt_open_root(struct rt_picture *p)
{
    add_place(p, p->look.layout->root, 0, (struct weft_tree_sector){ 0, 1 });
}
