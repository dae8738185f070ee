/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box (array/box.h) refers to under a distribution, without a look at each
 * reference: inside this folder.
 *
 * The number of the processor that serves a reference, and that of the one that asks, are
 * sums over dimensions, and a dimension depends on few loops.  A *part* is a set of loops
 * that share no dimension with others.  For each pair of sums that its turns lead to, a
 * part has an *entry*: in how many turns, and for how many elements.  A pair of processors
 * belongs to one entry of each part, and its references and elements are the products of
 * theirs.
 *
 * A part is walked through from change to change of a coordinate, and between the changes
 * of blocks for one period of the cyclic formats only.
 */
#ifndef WEFT_ARRAY_PARTS_H
#define WEFT_ARRAY_PARTS_H

#include "domains/arrays/model/box.h"
#include "domains/arrays/model/distribution.h"
#include "domains/arrays/model/work.h"

/* A coordinate of who serves, or asks, and how it depends on the loops of a box. */
struct part_axis {
    const struct weft_distribution_axis *axis; /* NULL: a map */
    const uint32_t *map;
    bool asks;
    uint64_t weight; /* of the coordinate in the processor's number */
    int64_t place;   /* at the begin: in the template, or in the map */
    int64_t way[ARRAY_BOX_LOOPS];
};

struct part_entry {
    uint32_t server, requester; /* what is added to the numbers */
    uint64_t turns, elements;
};

enum { PART_NO_DIMENSION = -1, PART_DIMENSIONS = -2 };

struct part {
    int loops[ARRAY_BOX_LOOPS], n_loops;
    int dimension; /* the only one in which elements move, or one of the above */
    struct part_entry *entries;
    size_t n, capacity;
    uint32_t *slots; /* a hash table of entries: number + 1 */
    size_t n_slots;
    uint64_t
        *sets; /* of indices in DIMENSION, WORDS of each entry; NULL: not asked for yet */
    size_t words, set_capacity;
};

/*
 * The coordinate at a place, and for how many turns of a WAY it stays so from there on: at
 * least 1.
 */
uint64_t part_coordinate(const struct part_axis *axis, int64_t place);
uint64_t part_turns_alike(const struct part_axis *axis, int64_t place, int64_t way);

enum { PART_AXES = 2 * WEFT_ARRAY_RANK };

struct parts {
    struct array_work *work; /* or NULL; whoever makes parts sets it first */
    const struct array_box *box;
    struct part_axis axes[PART_AXES];
    int n_axes;
    struct part parts[ARRAY_BOX_LOOPS];
    int n;
    uint32_t server, requester; /* what does not depend on a loop */
    uint64_t turns;             /* of loops that change nothing: a factor */
};

/* Zeroed at first; made again and again; free in the end. */
void parts_free(struct parts *parts);
/* Begin with a box; then its axes; then make the parts. */
void parts_begin(struct parts *parts, const struct array_box *box);
/*
 * Add the axes of a distribution of ARRAY; NULL: one processor, whose number is added by
 * the caller.  OWNERS: the places are those of the box's owners; ASKS: the number is the
 * requester's.
 */
void parts_add(struct parts *parts, const struct weft_distribution *distribution,
               const struct weft_array *array, bool owners, bool asks);
/* When the work goes too far, they are not whole. */
void parts_make(struct parts *parts, const struct weft_array *array);

/* One axis by itself, for who looks at dimensions one by one. */
void parts_add_axis(struct parts *parts, const struct weft_distribution_axis *axis,
                    uint64_t weight, bool owners, bool asks);

/*
 * The sets of indices of a part's entries; only of one with a DIMENSION.  NULL: too large.
 */
const uint64_t *part_set(const struct parts *parts, struct part *part, size_t entry,
                         uint64_t extent);

/* A choice of an entry of each part. */
struct parts_pair {
    uint32_t server, requester;
    uint64_t turns, elements;
    uint32_t entry[ARRAY_BOX_LOOPS]; /* by part */
};
/*
 * Begin with the first pair; go on to the next: false when there are no more, or too many.
 */
void parts_first(const struct parts *parts, struct parts_pair *pair);
bool parts_next(const struct parts *parts, struct parts_pair *pair);

#endif
