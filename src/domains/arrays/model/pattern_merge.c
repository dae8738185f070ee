/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/pattern_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash_map.h"
#include "domains/arrays/model/pattern_check.h"

enum { GATHERED = 1 << 15 }; /* patterns: 9 MiB, including the tables for joining */

struct array_join {
    void (*give)(void *user, const struct weft_pattern *pattern);
    void *user;
    struct weft_pattern *patterns; /* `times` is 0 if it was joined to another one */
    size_t n;
    struct point *points, *others; /* [GATHERED] */
    uint32_t *runs, *other_runs;
};

/* The begin of a pattern, within a group that differs in nothing else. */
struct point {
    uint64_t owner, element;
    uint32_t group, index; /* group; index in patterns */
    uint32_t rank;         /* rank among points with the same owner, or the same element */
};

struct array_join *
array_join_new(void (*give)(void *user, const struct weft_pattern *pattern), void *user)
{
    struct array_join *join = weft_zalloc(1, sizeof *join);
    join->give = give;
    join->user = user;
    join->patterns = weft_alloc(GATHERED * sizeof *join->patterns);
    join->points = weft_alloc(GATHERED * sizeof *join->points);
    join->others = weft_alloc(GATHERED * sizeof *join->others);
    join->runs = weft_alloc(GATHERED * sizeof *join->runs);
    join->other_runs = weft_alloc(GATHERED * sizeof *join->other_runs);
    return join;
}

void array_join_abandon(struct array_join *join)
{
    if (!join)
        return;
    free(join->patterns);
    free(join->points);
    free(join->others);
    free(join->runs);
    free(join->other_runs);
    free(join);
}

/* Removes patterns that were joined to others; returns true if there were any. */
static bool squeeze(struct array_join *join)
{
    size_t n = 0;
    for (size_t i = 0; i < join->n; i++)
        if (join->patterns[i].times)
            join->patterns[n++] = join->patterns[i];
    bool fewer = n < join->n;
    join->n = n;
    return fewer;
}

/* ---- What patterns have in common ---- */

/*
 * The fields of a pattern, some of which are 0; has no padding, so bytes can be compared.
 */
struct join_key {
    uint64_t times, element, owner;
    int64_t owner_processor, requester_processor;
    uint64_t extent[WEFT_PATTERN_LOOPS];
    int64_t stride[WEFT_PATTERN_LOOPS], owner_stride[WEFT_PATTERN_LOOPS];
    uint32_t step, array, owner_array, site;
    int32_t operation, local;
};
static_assert(sizeof(struct join_key) == 8 * (5 + 3 * WEFT_PATTERN_LOOPS) + 8 * 3,
              "no padding");

static struct join_key key_of(const struct weft_pattern *pattern)
{
    struct join_key key = { .times = pattern->times,
                            .owner_processor = pattern->owner_processor,
                            .requester_processor = pattern->requester_processor,
                            .step = pattern->step,
                            .array = pattern->array,
                            .owner_array = pattern->owner_array,
                            .site = pattern->site,
                            .operation = (int32_t)pattern->operation,
                            .local = pattern->local };
    memcpy(key.extent, pattern->extent, sizeof key.extent);
    memcpy(key.stride, pattern->stride, sizeof key.stride);
    memcpy(key.owner_stride, pattern->owner_stride, sizeof key.owner_stride);
    return key;
}

/* Numbers the groups of patterns with the same key; returns the number of groups. */
static uint32_t group(struct array_join *join, bool by_times)
{
    struct weft_text_map map = { 0 };
    uint32_t n = 0;
    for (size_t i = 0; i < join->n; i++) {
        const struct weft_pattern *pattern = &join->patterns[i];
        struct join_key key = key_of(pattern);
        if (!by_times)
            key.times = 0;
        uint32_t number = weft_text_map_get(&map, &key, sizeof key);
        if (number == WEFT_MAP_NONE) {
            number = n++;
            weft_text_map_put(&map, &key, sizeof key, number);
        }
        join->points[i] = (struct point){ .owner = pattern->owner,
                                          .element = pattern->element,
                                          .group = number,
                                          .index = (uint32_t)i };
    }
    weft_text_map_free(&map);
    return n;
}

static int by_owner(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    return WEFT_COMPARE(a->group, b->group) ?: WEFT_COMPARE(a->rank, b->rank)
           ?: WEFT_COMPARE(a->owner, b->owner) ?: WEFT_COMPARE(a->element, b->element);
}

static int by_element(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    return WEFT_COMPARE(a->group, b->group) ?: WEFT_COMPARE(a->rank, b->rank)
           ?: WEFT_COMPARE(a->element, b->element) ?: WEFT_COMPARE(a->owner, b->owner);
}

/* ---- Equal patterns are counted ---- */

static bool add_times(struct weft_pattern *to, const struct weft_pattern *of)
{
    if (weft_pattern_references(to) + weft_pattern_references(of) >= WEFT_ARRAY_LIMIT)
        return false;
    to->times += of->times;
    return true;
}

static bool count_equal(struct array_join *join)
{
    group(join, false);
    qsort(join->points, join->n, sizeof *join->points, by_owner);
    for (size_t i = 0, first = 0; i < join->n; i++) {
        const struct point *a = &join->points[first], *b = &join->points[i];
        struct weft_pattern *to = &join->patterns[a->index];
        struct weft_pattern *of = &join->patterns[b->index];
        if (i > first && a->group == b->group && a->owner == b->owner
            && a->element == b->element && add_times(to, of))
            of->times = 0;
        else
            first = i;
    }
    return squeeze(join);
}

/* ---- Patterns that continue one another become one ---- */

/*
 * The key shared by patterns with the same begin that differ only in the extent of a loop.
 */
static struct join_key start_key(const struct weft_pattern *pattern, int loop)
{
    struct join_key key = key_of(pattern);
    key.element = pattern->element;
    key.owner = pattern->owner;
    key.extent[loop] = 0;
    return key;
}

/* The key of the pattern itself. */
static struct join_key whole_key(const struct weft_pattern *pattern)
{
    struct join_key key = key_of(pattern);
    key.element = pattern->element;
    key.owner = pattern->owner;
    return key;
}

/* The key of a single iteration of a loop. */
static struct join_key turn_key(const struct weft_pattern *pattern, int loop)
{
    struct join_key key = key_of(pattern);
    for (int k = loop; k < WEFT_PATTERN_LOOPS; k++) {
        bool last = k + 1 == WEFT_PATTERN_LOOPS;
        key.extent[k] = last ? 1 : key.extent[k + 1];
        key.stride[k] = last ? 0 : key.stride[k + 1];
        key.owner_stride[k] = last ? 0 : key.owner_stride[k + 1];
    }
    return key;
}

/* Moves the begin of a key behind the last iteration of a loop. */
static void move_behind(struct join_key *key, const struct weft_pattern *pattern, int loop)
{
    uint64_t turns = pattern->extent[loop];
    key->element = pattern->element + turns * (uint64_t)pattern->stride[loop];
    key->owner = pattern->owner + turns * (uint64_t)pattern->owner_stride[loop];
}

/*
 * Finds the pattern of a key: of start_key() for a LOOP, of whole_key() for -1.  NULL if
 * there is none except SELF, or if it was joined to another, or has grown since it was
 * added to the map and no longer has that key.
 */
static struct weft_pattern *find(struct array_join *join, const struct weft_text_map *map,
                                 const struct join_key *key, int loop,
                                 const struct weft_pattern *self)
{
    uint32_t at = weft_text_map_get(map, key, sizeof *key);
    if (at == WEFT_MAP_NONE || &join->patterns[at] == self || !join->patterns[at].times)
        return NULL;
    struct weft_pattern *found = &join->patterns[at];
    struct join_key now = loop < 0 ? whole_key(found) : start_key(found, loop);
    return memcmp(&now, key, sizeof now) == 0 ? found : NULL;
}

/* Appends to a pattern those that continue one of its loops; returns true if there were
   any. */
static bool extend(struct array_join *join, const struct weft_text_map *map,
                   struct weft_pattern *pattern, int loop)
{
    struct join_key key = start_key(pattern, loop);
    move_behind(&key, pattern, loop);
    struct weft_pattern *next = find(join, map, &key, loop, pattern);
    uint64_t turns = next ? next->extent[loop] : 1;
    if (!next) {
        key = turn_key(pattern, loop);
        move_behind(&key, pattern, loop);
        next = find(join, map, &key, -1, pattern);
    }
    if (!next
        || weft_pattern_references(pattern) + weft_pattern_references(next)
               >= WEFT_ARRAY_LIMIT)
        return false;
    pattern->extent[loop] += turns;
    next->times = 0;
    return true;
}

static bool join_continued(struct array_join *join)
{
    struct weft_text_map map = { 0 };
    for (size_t i = 0; i < join->n; i++) {
        const struct weft_pattern *pattern = &join->patterns[i];
        int loops = array_pattern_loops(pattern);
        struct join_key key;
        for (int loop = 0; loop < loops; loop++) {
            key = start_key(pattern, loop);
            weft_text_map_put(&map, &key, sizeof key, (uint32_t)i);
        }
        key = whole_key(pattern);
        weft_text_map_put(&map, &key, sizeof key, (uint32_t)i);
    }
    /* A pattern that has grown is not at its key for other loops; it is found in a later
       round. */
    for (size_t i = 0; i < join->n; i++) {
        struct weft_pattern *pattern = &join->patterns[i];
        int loops = array_pattern_loops(pattern);
        bool grew = false;
        for (int loop = loops - 1; loop >= 0 && pattern->times && !grew; loop--)
            while (extend(join, &map, pattern, loop))
                grew = true;
    }
    weft_text_map_free(&map);
    return squeeze(join);
}

/* ---- Patterns at equal distances become a loop ---- */

static bool same_way(const struct point *a, const struct point *b, const struct point *c)
{
    return a->group == b->group && b->group == c->group && a->rank == b->rank
           && b->rank == c->rank && b->owner - a->owner == c->owner - b->owner
           && b->element - a->element == c->element - b->element;
}

/* The number of equally spaced points from AT on. */
static size_t run_length(const struct point *points, size_t n, size_t at)
{
    size_t end = at + 1;
    if (end == n || points[end].group != points[at].group
        || points[end].rank != points[at].rank)
        return 1;
    end++;
    while (end < n && same_way(&points[end - 2], &points[end - 1], &points[end]))
        end++;
    /* Two points make a loop only if the second does not begin a longer one. */
    bool next_is_longer = end - at == 2 && at + 3 < n
                          && same_way(&points[at + 1], &points[at + 2], &points[at + 3]);
    return next_is_longer ? 1 : end - at;
}

/*
 * Ranks the points with the same owner (or element) and finds equally spaced points of the
 * same rank: so the k-th operand of a statement is compared with the k-th of the next.
 * RUNS gets the begin of each run, and the end; COUNTS the number of runs of each group.
 */
static void find_runs(struct point *points, size_t n, bool owners, uint32_t *runs,
                      uint32_t *counts)
{
    int (*order)(const void *, const void *) = owners ? by_owner : by_element;
    qsort(points, n, sizeof *points, order);
    for (size_t i = 1; i < n; i++) {
        const struct point *before = &points[i - 1];
        bool same = owners ? before->owner == points[i].owner
                           : before->element == points[i].element;
        if (same && before->group == points[i].group)
            points[i].rank = before->rank + 1;
    }
    qsort(points, n, sizeof *points, order);
    memset(runs, 0, n * sizeof *runs);
    for (size_t i = 0; i < n; i += runs[i]) {
        runs[i] = (uint32_t)run_length(points, n, i);
        counts[points[i].group]++;
    }
}

/* Makes loops of the runs of groups with fewer runs than OTHERS, or as many if FIRST. */
static void apply(struct array_join *join, const struct point *points, const uint32_t *runs,
                  const uint32_t *counts, const uint32_t *others, bool first)
{
    for (size_t i = 0; i < join->n; i += runs[i]) {
        const struct point *point = &points[i];
        struct weft_pattern *pattern = &join->patterns[point->index];
        int loops = array_pattern_loops(pattern);
        bool better = counts[point->group] < others[point->group]
                      || (first && counts[point->group] == others[point->group]);
        if (!better || runs[i] < 2 || loops == WEFT_PATTERN_LOOPS
            || weft_pattern_references(pattern) >= WEFT_ARRAY_LIMIT / runs[i])
            continue;
        pattern->extent[loops] = runs[i];
        pattern->stride[loops] = (int64_t)(points[i + 1].element - point->element);
        pattern->owner_stride[loops] = (int64_t)(points[i + 1].owner - point->owner);
        for (size_t k = i + 1; k < i + runs[i]; k++)
            join->patterns[points[k].index].times = 0;
    }
}

static bool make_loops(struct array_join *join)
{
    uint32_t groups = group(join, true);
    uint32_t *counts = weft_zalloc(groups, 2 * sizeof *counts), *others = counts + groups;
    memcpy(join->others, join->points, join->n * sizeof *join->points);
    find_runs(join->points, join->n, true, join->runs, counts);
    find_runs(join->others, join->n, false, join->other_runs, others);
    apply(join, join->points, join->runs, counts, others, true);
    apply(join, join->others, join->other_runs, others, counts, false);
    free(counts);
    return squeeze(join);
}

/* Joins all patterns.  Loops come first: the last element of a row is continued by the
   first of the next, too, but joining these would prevent a loop over rows. */
static void join_all(struct array_join *join)
{
    for (bool fewer = join->n > 1; fewer && join->n > 1; fewer = join_continued(join))
        do {
            fewer = count_equal(join);
            fewer = make_loops(join) || fewer;
        } while (fewer && join->n > 1);
}

static void give_all(struct array_join *join)
{
    for (size_t i = 0; i < join->n; i++)
        join->give(join->user, &join->patterns[i]);
    join->n = 0;
}

void array_join_add(struct array_join *join, const struct weft_pattern *pattern)
{
    join->patterns[join->n++] = *pattern;
    if (join->n < GATHERED)
        return;
    join_all(join);
    if (join->n > GATHERED / 2)
        give_all(join);
}

void array_join_finish(struct array_join *join)
{
    join_all(join);
    give_all(join);
    array_join_abandon(join);
}
