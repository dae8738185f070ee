/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distributions: the processor that owns each element of an array, by High Performance
 * Fortran's directives (version 1.0; as in S. T. Hackstadt and A. D. Malony, CIS-TR-93-21,
 * sections 3.3 and 4.2.2), by a ScaLAPACK descriptor, or by a map that lists every
 * element's owner.
 *
 * A distribution gives the source of each coordinate in the arrangement of processors: one
 * dimension of the array, through the alignment's stride * index + offset and a format; a
 * constant; or none (replication), and then every coordinate owns a copy.  Processors are
 * numbered row by row, the last coordinate fastest.  Indices are from 0 here; in directives
 * from the declared lower bounds, by default 1.
 */
#ifndef WEFT_ARRAY_DISTRIBUTION_H
#define WEFT_ARRAY_DISTRIBUTION_H

#include "domains/arrays/model/reference_profile.h"

/* The way in which High Performance Fortran divides the indices of a dimension among p
   processors, in blocks of m indices. */
enum weft_distribution_format {
    WEFT_DISTRIBUTION_COLLAPSED, /* `*`: the dimension is not distributed */
    WEFT_DISTRIBUTION_BLOCK,     /* index i, from 0, is on processor i / m */
    WEFT_DISTRIBUTION_CYCLIC,    /* ... on processor i / m mod p */
};

/* The source of one coordinate of the processors: an index of the array, a constant, or
   none (every coordinate has a copy). */
struct weft_distribution_axis {
    enum { WEFT_AXIS_ARRAY, WEFT_AXIS_CONSTANT, WEFT_AXIS_REPLICATED } kind;
    uint32_t dimension;     /* of the array (WEFT_AXIS_ARRAY), from 0 */
    int64_t stride, offset; /* template index, from 0: stride * index + offset */
    /* Extent of the template in the dimension aligned with; no formula needs it. */
    uint64_t template_extent;
    enum weft_distribution_format format; /* BLOCK or CYCLIC */
    uint64_t block;                       /* m of BLOCK(m), CYCLIC(m); at least 1 */
    uint64_t processors;                  /* extent of this dimension of the arrangement */
    uint64_t coordinate;                  /* WEFT_AXIS_CONSTANT: the processor's, from 0 */
};

/* The owners of the elements of one array: by axes, or by a map. */
struct weft_distribution {
    uint32_t rank; /* of the arrangement of processors; 0: a scalar, one processor */
    uint64_t extent[WEFT_ARRAY_RANK];                    /* of the arrangement */
    struct weft_distribution_axis axis[WEFT_ARRAY_RANK]; /* by its dimension */
    /*
     * By number of the element: the number of its owner; or NULL.  If set, axis is unused,
     * and rank and extent only give the arrangement.  Owned by the set of distributions if
     * it was read from a file, else by the caller.
     */
    const uint32_t *map;
    /* In the notation of HPF: "(BLOCK, CYCLIC(2)) ONTO P(2,8)", cut if longer. */
    char text[160];
};

/* Returns the number of processors in the arrangement. */
uint64_t weft_distribution_processors(const struct weft_distribution *distribution);

/* Returns the processor's coordinate along AXIS, from 0, for INDEX, from 0, in the axis's
   dimension of the array, by the formulas of CIS-TR-93-21; INDEX is ignored for a constant
   axis, and for a replicated one, whose first coordinate is 0. */
uint64_t weft_distribution_coordinate(const struct weft_distribution_axis *axis,
                                      uint64_t index);
/* Returns the number of the processor that owns the element at INDEX[rank of ARRAY], from
   0; the lowest one if several processors have copies. */
uint64_t weft_distribution_owner(const struct weft_distribution *distribution,
                                 const struct weft_array *array, const uint64_t *index);
/* Returns true if the processor with number PROCESSOR has the element at INDEX[rank of
   ARRAY], indices from 0, or a copy of it; false for a number that does not exist. */
bool weft_distribution_owns(const struct weft_distribution *distribution,
                            const struct weft_array *array, const uint64_t *index,
                            uint64_t processor);

enum { WEFT_DISTRIBUTION_PROCESSORS = 1 << 20 /* of an arrangement, at most */ };
/* A set of distributions: those of all arrays, each from a step on. */
struct weft_distributions;
/* Returns an empty set for the arrays of PROFILE, which need not outlive it; never NULL.
   weft_distributions_free() frees it. */
struct weft_distributions *weft_distributions_new(const struct weft_profile *profile);
/*
 * Gives array number ARRAY a distribution from step number STEP on.  It must not have more
 * than WEFT_DISTRIBUTION_PROCESSORS processors.  Later calls for the array need a higher
 * STEP, else the program is aborted.  The distribution is copied, except its map, which
 * must outlive the set.
 */
void weft_distributions_add(struct weft_distributions *distributions, uint32_t array,
                            uint32_t step, const struct weft_distribution *distribution);

/*
 * Reads directives from a file: Fortran source (!HPF$, CHPF$, *HPF$, continued lines,
 * declarations of arrays), a plain file of directives, a ScaLAPACK descriptor, or a map
 * (doc/distributions.md).  Names, ranks and shapes of arrays are checked against the
 * profile. weft_distributions_free() frees the set.  NULL with WEFT_ERR_READ; or
 * WEFT_ERR_FORMAT, with file, line and what would be right, also for a file of more than 16
 * MiB.
 */
struct weft_distributions *weft_distributions_read(const char *path,
                                                   const struct weft_profile *profile,
                                                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Reads directives, a descriptor or a map from TEXT of SIZE bytes, like
 * weft_distributions_read() from a file; TEXT is not kept.  NULL with WEFT_ERR_FORMAT,
 * whose text has NAME as the file name.
 */
struct weft_distributions *weft_distributions_parse(const char *name, const char *text,
                                                    size_t size,
                                                    const struct weft_profile *profile,
                                                    struct weft_err *err) WEFT_MUST_CHECK;
void weft_distributions_free(struct weft_distributions *distributions); /* NULL is fine */

/*
 * Returns the distribution of array number ARRAY in a step, valid until the set is freed:
 * the latest from STEP or an earlier step on; NULL if it has none (the array is then on
 * processor 0, and its references all count as local).
 */
const struct weft_distribution *
weft_distributions_of(const struct weft_distributions *distributions, uint32_t array,
                      uint32_t step);
/* Returns the number of processors in the largest arrangement of the set, at least 1. */
uint64_t weft_distributions_processors(const struct weft_distributions *distributions);

#endif
