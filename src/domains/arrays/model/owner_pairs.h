/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the references of a box (model/pattern_boxes.h) under a distribution without
 * looking at each one.  Used in this folder only.
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

#include "domains/arrays/model/count_work_limits.h"
#include "domains/arrays/model/distribution.h"
#include "domains/arrays/model/pattern_boxes.h"

/* A coordinate of the server (processor that has the element) or of the requester
   (processor that refers to it), and its dependence on the loops of a box. */
struct part_axis {
    const struct weft_distribution_axis *axis; /* NULL if there is a map */
    const uint32_t *map; /* by number of the element: its processor; or NULL */
    bool asks;           /* the coordinate is the requester's */
    uint64_t weight;     /* factor of the coordinate in the processor's number */
    /* Index in the template, or number of the element (map), at the first iteration. */
    int64_t place;
    int64_t stride[ARRAY_BOX_LOOPS]; /* stride of PLACE in each loop of the box */
};

/* The iterations of a part (some loops of a box) in which it adds SERVER and REQUESTER to
   the numbers of the processor that has the element and of the one that refers to it: TURNS
   iterations, with ELEMENTS different elements (1 if the part's loops move no element). */
struct part_entry {
    uint32_t server, requester; /* summands of processors' numbers */
    uint64_t turns, elements;   /* iterations; different elements in them */
};

/* Values of `dimension` in struct dimension_part that are no dimension: its loops move the
   element in none, or in several. */
enum { PART_NO_DIMENSION = -1, PART_DIMENSIONS = -2 };

/* A part of a box (a nest of loops over elements): loops that share no dimension with the
   box's other loops, with an entry for each pair of summands of processors' numbers that
   occurs in them. */
struct dimension_part {
    int loops[ARRAY_BOX_LOOPS], n_loops; /* indices of loops of the box */
    int dimension; /* the array's only one in which elements move, or a constant above */
    struct part_entry *entries; /* [n] */
    size_t n, capacity;
    uint32_t *slots; /* hash table of entries: index + 1 */
    size_t n_slots;
    /* Bitmaps of the indices in DIMENSION, WORDS 64-bit words for each entry; not valid
       while WORDS is 0, until part_set(). */
    uint64_t *sets;
    size_t words, set_capacity;
};

/* Returns the coordinate of the processor at index PLACE of the template; for a map, the
   number of the processor that has element PLACE. */
uint64_t part_coordinate(const struct part_axis *axis, int64_t place);
/*
 * Returns for how many iterations of a loop with this STRIDE, from index PLACE of the
 * template or map on, the coordinate is known to stay the same: UINT64_MAX if STRIDE is 0;
 * else 1 for a map, or the number of iterations in the block of PLACE.
 */
uint64_t part_turns_alike(const struct part_axis *axis, int64_t place, int64_t stride);

enum { PART_AXES = 2 * WEFT_ARRAY_RANK }; /* axes of a box: of server and of requester */

/* The parts of a box (a nest of loops over elements): its loops in groups that share no
   dimension with each other, and their counts by processor.  Zeroed by the caller before
   the first use; may be used for many boxes, and parts_free() frees it at the end. */
struct parts {
    struct array_work *work;     /* set by the caller before parts_make(); NULL: no limit */
    const struct array_box *box; /* the caller's */
    struct part_axis axes[PART_AXES]; /* the first n_axes: those that some loop moves */
    int n_axes;
    struct dimension_part parts[ARRAY_BOX_LOOPS]; /* the first N are in use */
    int n;                                        /* may be 0 */
    uint32_t server, requester; /* summands that do not depend on a loop */
    /* Product of the extents of the loops in no part, which change neither the element nor
       a processor. */
    uint64_t turns;
};
/* Frees the memory and zeroes *PARTS, `work` too. */
void parts_free(struct parts *parts);
/* Begins PARTS with BOX, a nest of loops over elements, without axes; BOX is not copied and
   must outlive its use.  The caller then adds axes (parts_add()) and calls parts_make().
   Voids the parts of the previous box. */
void parts_begin(struct parts *parts, const struct array_box *box);
/*
 * Adds to PARTS, after parts_begin(), the axes (coordinates of the processor) of
 * DISTRIBUTION, of ARRAY; none if it is NULL: the caller then knows the one processor.  The
 * distribution must outlive their use.  OWNERS: they follow from the box's owners, which
 * are then elements of ARRAY, else from its elements; ASKS: they are coordinates of the
 * requester (the processor that refers to an element), else of the server (that has it).
 */
void parts_add(struct parts *parts, const struct weft_distribution *distribution,
               const struct weft_array *array, bool owners, bool asks);
/* Groups the loops of the box into parts and counts the iterations and elements of each by
   processor, when all axes are added; the box's elements are those of ARRAY.  If
   parts->work exceeds its limit (count_work_limits.h), entries are missing or have too small
   counts. */
void parts_make(struct parts *parts, const struct weft_array *array);

/* Adds a single AXIS, whose coordinate has the factor WEIGHT in the processor's number, to
   PARTS before parts_make(); AXIS must outlive its use.  OWNERS: it follows from the box's
   owners, else from its elements; ASKS: it is a coordinate of the requester (the processor
   that refers to an element), else of the server (that has it). */
void parts_add_axis(struct parts *parts, const struct weft_distribution_axis *axis,
                    uint64_t weight, bool owners, bool asks);

/*
 * Returns the bitmap of the indices, in dimension part->dimension of the array (which must
 * not be negative, and has EXTENT indices), of the elements to which the iterations of
 * part->entries[ENTRY] refer: index i is bit i % 64 of word i / 64.  PART, one of
 * parts->parts, owns it until parts_begin() or parts_free().  The first call after
 * parts_make() makes the bitmaps of all entries, incomplete if parts->work exceeds its
 * limit.  NULL if they need more memory than parts->work has left.
 */
const uint64_t *part_set(const struct parts *parts, struct dimension_part *part,
                         size_t entry, uint64_t extent);

/* A pair of processors with references in the box: one entry of each part, the sums of
   their servers and requesters, and the products of their turns and elements.  The same
   two processors may be in several pairs. */
struct parts_pair {
    uint32_t server, requester; /* numbers of processors; 0 if no axis of it was added */
    uint64_t turns, elements;   /* iterations of the box; different elements in them */
    uint32_t entry[ARRAY_BOX_LOOPS]; /* by index in parts.parts: index in its entries */
};
/* Sets *PAIR to the first pair of processors with references in the box that PARTS began
   with, after parts_make(); there is at least one. */
void parts_first(const struct parts *parts, struct parts_pair *pair);
/* Sets *PAIR, which parts_first() or parts_next() set before, to the next pair of the box,
   in no order of processors; returns false after the last, or if parts->work exceeds its
   limit; *PAIR is then void. */
bool parts_next(const struct parts *parts, struct parts_pair *pair);

#endif
