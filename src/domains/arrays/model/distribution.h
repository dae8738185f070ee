/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distributions: which processor owns which element of an array, by High Performance
 * Fortran's directives (version 1.0; as in S. T. Hackstadt and A. D. Malony, CIS-TR-93-21,
 * sections 3.3 and 4.2.2), by ScaLAPACK's descriptor, or by a map that lists every
 * element's owner.
 *
 * A mapping is, for each dimension of the arrangement of processors, where its coordinate
 * comes from: from one dimension of the array through the alignment's stride * index +
 * offset and a format, from a constant, or from nowhere: then every coordinate owns a copy.
 * Processors are numbered row by row: the last coordinate counts fastest.  Indices count
 * from 0 here; directives count from the lower bounds that they declare, from 1 when they
 * say nothing.
 */
#ifndef WEFT_ARRAY_DISTRIBUTION_H
#define WEFT_ARRAY_DISTRIBUTION_H

#include "domains/arrays/model/profile.h"

enum weft_distribution_format {
    WEFT_DISTRIBUTION_COLLAPSED, /* `*`: the dimension is not distributed */
    WEFT_DISTRIBUTION_BLOCK,
    WEFT_DISTRIBUTION_CYCLIC,
};

/* Where one coordinate of the processors comes from. */
struct weft_distribution_axis {
    enum { WEFT_AXIS_ARRAY, WEFT_AXIS_CONSTANT, WEFT_AXIS_REPLICATED } kind;
    uint32_t dimension;     /* of the array (WEFT_AXIS_ARRAY) */
    int64_t stride, offset; /* the place in the template, from 0: stride * index + offset */
    uint64_t template_extent;             /* of that dimension of the template */
    enum weft_distribution_format format; /* BLOCK or CYCLIC */
    uint64_t block;                       /* m of BLOCK(m), CYCLIC(m); at least 1 */
    uint64_t processors;                  /* extent of this dimension of the arrangement */
    uint64_t coordinate;                  /* WEFT_AXIS_CONSTANT */
};

struct weft_distribution {
    uint32_t rank; /* of the arrangement of processors; 0: a scalar, one processor */
    uint64_t extent[WEFT_ARRAY_RANK];
    struct weft_distribution_axis axis[WEFT_ARRAY_RANK];
    /* Or, when MAP is set, the owner of each element; ranks and axes only arrange
       processors. */
    const uint32_t *map; /* it belongs to the set of distributions that this is from */
    char text[160];      /* as people write it: "(BLOCK, CYCLIC(2)) ONTO P(2,8)" */
};

uint64_t weft_distribution_processors(const struct weft_distribution *distribution);

/* The coordinate of one axis for an index of its dimension; the report's formulas. */
uint64_t weft_distribution_coordinate(const struct weft_distribution_axis *axis,
                                      uint64_t index);
/* The (first) owner of an element; INDEX has the array's rank. */
uint64_t weft_distribution_owner(const struct weft_distribution *distribution,
                                 const struct weft_array *array, const uint64_t *index);
/* Does a processor own it (replication: several do)? */
bool weft_distribution_owns(const struct weft_distribution *distribution,
                            const struct weft_array *array, const uint64_t *index,
                            uint64_t processor);

enum { WEFT_DISTRIBUTION_PROCESSORS = 1 << 20 /* of an arrangement, at most */ };

/* What a file of directives says of all arrays, and from which step on. */
struct weft_distributions;

/* One of a program's own making: of nothing, at first. */
struct weft_distributions *weft_distributions_new(const struct weft_profile *profile);
/*
 * From STEP on the array lies so; steps of an array rise.  Copied but for the map, which
 * must outlive the set.
 */
void weft_distributions_add(struct weft_distributions *distributions, uint32_t array,
                            uint32_t step, const struct weft_distribution *distribution);

/*
 * Read directives: Fortran source (!HPF$, CHPF$, *HPF$, continued lines, declarations of
 * arrays) or a plain file, a ScaLAPACK descriptor, or a map (doc/distributions.md).  ARRAYS
 * are those of the profile: names, ranks and shapes are checked against them.  Errors:
 * WEFT_ERR_FORMAT with file, line and what would be right.
 */
struct weft_distributions *weft_distributions_read(const char *path,
                                                   const struct weft_profile *profile,
                                                   struct weft_err *err) WEFT_MUST_CHECK;
/* The same from a text; NAME stands for the file in errors. */
struct weft_distributions *weft_distributions_parse(const char *name, const char *text,
                                                    size_t size,
                                                    const struct weft_profile *profile,
                                                    struct weft_err *err) WEFT_MUST_CHECK;
void weft_distributions_free(struct weft_distributions *distributions); /* NULL is fine */

/*
 * The distribution of an array in a step; NULL: none was given (it then lies on processor
 * 0, and nothing of it is counted as remote).  It stays until the set is freed.
 */
const struct weft_distribution *
weft_distributions_of(const struct weft_distributions *distributions, uint32_t array,
                      uint32_t step);
/* The processors of the whole set, at least 1. */
uint64_t weft_distributions_processors(const struct weft_distributions *distributions);

#endif
