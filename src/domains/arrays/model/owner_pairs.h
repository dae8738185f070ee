/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the references of a box (model/box.h) under a distribution without looking at each
 * one.  Used in this folder only.
 *
 * The number of the processor that serves a reference, and that of its requester, are sums
 * over dimensions, and each dimension depends on few loops.  A *part* is a set of loops
 * that share no dimension with other loops.  It has an *entry* for each pair of sums that
 * occurs in its iterations, with the number of these iterations and of the elements in
 * them.  A pair of processors corresponds to one entry of each part; its references and
 * elements are the products of those of the entries.
 *
 * A part is walked from one change of a coordinate to the next, and for cyclic formats only
 * through one period.
 */
#ifndef WEFT_ARRAY_OWNER_PAIRS_H
#define WEFT_ARRAY_OWNER_PAIRS_H

#include "domains/arrays/model/box.h"
#include "domains/arrays/model/count_limits.h"
#include "domains/arrays/model/distribution.h"

/* A coordinate of the server, or of the requester, and its dependence on the loops of a
   box. */
struct part_axis {
    const struct weft_distribution_axis *axis; /* NULL if there is a map */
    const uint32_t *map;                       /* by element: its processor */
    bool asks;                                 /* the coordinate is the requester's */
    uint64_t weight; /* factor of the coordinate in the processor's number */
    int64_t place;   /* index in the template or map at the first iteration */
    int64_t stride[ARRAY_BOX_LOOPS]; /* stride of PLACE in each loop */
};

/* The iterations of a part whose server and requester have these summands of their numbers:
   how many there are, and how many elements they refer to. */
struct part_entry {
    uint32_t server, requester;
    uint64_t turns, elements;
};

/* Values of part.dimension: the elements move in no dimension, or in several. */
enum { PART_NO_DIMENSION = -1, PART_DIMENSIONS = -2 };

struct dimension_part {
    int loops[ARRAY_BOX_LOOPS], n_loops;
    int dimension; /* the only one in which elements move, or a constant above */
    struct part_entry *entries;
    size_t n, capacity;
    uint32_t *slots; /* hash table of entries: index + 1 */
    size_t n_slots;
    /* Bitmaps of the indices in DIMENSION, WORDS for each entry; NULL until part_set(). */
    uint64_t *sets;
    size_t words, set_capacity;
};

/* Returns the coordinate of the processor at index PLACE of the template or map. */
uint64_t part_coordinate(const struct part_axis *axis, int64_t place);
/*
 * Returns for how many iterations of a loop with this STRIDE, from index PLACE of the
 * template or map on, the coordinate is known to stay the same: 1 for a map, UINT64_MAX if
 * STRIDE is 0, else those in the block of PLACE.
 */
uint64_t part_turns_alike(const struct part_axis *axis, int64_t place, int64_t stride);

enum { PART_AXES = 2 * WEFT_ARRAY_RANK };

/* The parts of a box.  Zeroed by the caller before the first use; may be used for many
   boxes, and parts_free() frees it at the end. */
struct parts {
    struct array_work *work; /* set by the caller before parts_make(); NULL: no limit */
    const struct array_box *box;
    struct part_axis axes[PART_AXES];
    int n_axes;
    struct dimension_part parts[ARRAY_BOX_LOOPS];
    int n;
    uint32_t server, requester; /* summands that do not depend on a loop */
    uint64_t turns;             /* iterations of loops that change nothing: a factor */
};
void parts_free(struct parts *parts);
/* Begins with a box, which is not copied and must outlive its use; the caller then adds
   axes and calls parts_make(). */
void parts_begin(struct parts *parts, const struct array_box *box);
/*
 * Adds the axes of a distribution of ARRAY; none if DISTRIBUTION is NULL: the caller then
 * knows the one processor.  The distribution must outlive their use.  OWNERS: the axes
 * depend on the box's owners, not on its elements; ASKS: they are coordinates of the
 * requester, not of the server.
 */
void parts_add(struct parts *parts, const struct weft_distribution *distribution,
               const struct weft_array *array, bool owners, bool asks);
/* Makes the parts of the box of elements of ARRAY.  They are incomplete if parts->work
   exceeds its limit (count_limits.h). */
void parts_make(struct parts *parts, const struct weft_array *array);

/* Adds a single axis, whose coordinate has the factor WEIGHT in the processor's number;
   OWNERS and ASKS are as for parts_add(). */
void parts_add_axis(struct parts *parts, const struct weft_distribution_axis *axis,
                    uint64_t weight, bool owners, bool asks);

/*
 * Returns the bitmap of the indices to which entry number ENTRY refers in part->dimension,
 * which has EXTENT indices and must be a single one.  PART owns it.  NULL if all bitmaps of
 * the part need more memory than parts->work has left.
 */
const uint64_t *part_set(const struct parts *parts, struct dimension_part *part,
                         size_t entry, uint64_t extent);

/* A pair of processors with references in the box: one entry of each part, and the sums and
   products of their fields. */
struct parts_pair {
    uint32_t server, requester;
    uint64_t turns, elements;
    uint32_t entry[ARRAY_BOX_LOOPS]; /* by part: index in its entries */
};
/* Sets *PAIR to the first pair of the box, after parts_make(); there is at least one. */
void parts_first(const struct parts *parts, struct parts_pair *pair);
/* Goes on from *PAIR to the next pair; returns false after the last, or if parts->work
   exceeds its limit. */
bool parts_next(const struct parts *parts, struct parts_pair *pair);

#endif
