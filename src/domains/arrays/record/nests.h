/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References as they are collected: nests of loops.  References of one place in the program
 * that advance by constants become loops of up to four levels; what is irregular is counted
 * by element.  Within a step the order of references has no meaning, so each place in the
 * program collects for itself, and a nest grows by whatever comes next from there.
 *
 * All of this belongs to one thread and uses memory that it is given.
 */
#ifndef WEFT_RECORD_ARRAYS_NESTS_H
#define WEFT_RECORD_ARRAYS_NESTS_H

#include "domains/arrays/format/records.h"
#include "record/core/core.h"

struct array_loop {
    uint64_t extent;
    int64_t stride, owner_stride; /* in elements */
};

/* References whose loops 0 to n_loops - 1 are known; outer ones follow inner ones. */
struct array_nest {
    uint64_t element, owner;
    uint16_t array, owner_array; /* WEFT_RECORD_ARRAY_UNKNOWN */
    uint8_t operation, n_loops;
    uint8_t order; /* WEFT_ARRAY_BY_COLUMNS, WEFT_ARRAY_OWNER_BY_COLUMNS */
    struct array_loop loop[WEFT_RECORD_ARRAY_LOOPS];
};

/* Level L grows nests of L loops to one of L + 1, as long as they are alike and equally far
   apart. */
struct array_levels {
    struct array_nest nest[WEFT_RECORD_ARRAY_LOOPS];
    bool used[WEFT_RECORD_ARRAY_LOOPS];
};

/* Irregular references, counted: a table that gives up an entry when it needs its place. */
enum { ARRAY_TALLY = 32768, ARRAY_TALLY_PROBES = 8 };
struct array_tally_entry {
    uint64_t element, owner, site, times; /* times 0: free */
    uint32_t step;
    uint16_t array, owner_array;
    uint8_t operation, order;
};

/* Where the references are: a call site, and a step. */
struct array_origin {
    uint64_t site;
    uint32_t step;
};

/* Nests that fitted into no other one, and whose owner may still come; more have none. */
enum { ARRAY_WAITING = 1024 };
struct array_waiting_nest {
    struct array_nest nest;
    struct array_origin origin;
};

struct array_sink {
    struct array_tally_entry tally[ARRAY_TALLY];
    uint16_t counted[ARRAY_TALLY]; /* the entries that are in use */
    uint32_t n_counted;
    struct array_waiting_nest waiting[ARRAY_WAITING];
    uint32_t n_waiting;
};

/*
 * Add a nest to the levels of its place; what cannot grow any more goes to the sink.  True:
 * that was a nest of few references, as irregular ones make them.
 */
WEFT_HIDDEN bool array_levels_add(struct array_levels *levels,
                                  const struct array_nest *nest,
                                  const struct array_origin *origin,
                                  struct array_sink *sink);
/* Everything goes on to the sink. */
WEFT_HIDDEN void array_levels_flush(struct array_levels *levels,
                                    const struct array_origin *origin,
                                    struct array_sink *sink);
/* Everything goes on to other levels of the same place, on behalf of the owner of OWNER. */
WEFT_HIDDEN void array_levels_assign(struct array_levels *from, struct array_levels *to,
                                     const struct array_nest *owner,
                                     const struct array_origin *origin,
                                     struct array_sink *sink);
/* Write a nest, or count its elements when it has few references, which is true then. */
WEFT_HIDDEN bool array_sink_add(struct array_sink *sink, const struct array_nest *nest,
                                const struct array_origin *origin);
/* What waits in the sink is on behalf of the owner of OWNER. */
WEFT_HIDDEN void array_sink_assign(struct array_sink *sink, const struct array_nest *owner);
/* Write what was counted, and what waits. */
WEFT_HIDDEN void array_sink_flush(struct array_sink *sink);

#endif
