/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects references as nests of loops.  References of one place in the program that
 * advance by constants become nests of up to four loops; irregular references are counted
 * by element.  The order of references within a step has no meaning, so each place in the
 * program collects for itself, and its nest grows by the next references from there.
 *
 * All of this is used by one thread, in memory that the caller provides.
 */
#ifndef WEFT_RECORD_ARRAYS_LOOP_NESTS_H
#define WEFT_RECORD_ARRAYS_LOOP_NESTS_H

#include "domains/arrays/format/records.h"
#include "record/core/core.h"

/* A loop of EXTENT iterations, in each of which the element's number, and its owner's,
   grow by a stride. */
struct array_loop {
    uint64_t extent;
    int64_t stride, owner_stride; /* in elements */
};

/* In place of the number of an owner's array: there is none.  It is recorded as unknown. */
enum { ARRAY_NOBODY = 0xfffe };

/* A nest of N_LOOPS loops over references; loop[0] is the innermost.  With 0 loops it is
   one reference. */
struct array_nest {
    uint64_t element, owner; /* numbers of the first element and of its owner */
    /* The owner's array; WEFT_RECORD_ARRAY_UNKNOWN if that may still become known, and
       ARRAY_NOBODY if not. */
    uint16_t array, owner_array;
    uint8_t operation, n_loops; /* operation: 0 a read, 1 a write */
    uint8_t order; /* bits: WEFT_ARRAY_BY_COLUMNS, WEFT_ARRAY_OWNER_BY_COLUMNS */
    struct array_loop loop[WEFT_RECORD_ARRAY_LOOPS]; /* [n_loops] */
};

/* The growing nests of one site (place in the program): nest[L] combines nests of L loops,
   added one after another, to one of L + 1, as long as they are equal and equally spaced.
   Zeroed, it is empty. */
struct array_levels {
    struct array_nest nest[WEFT_RECORD_ARRAY_LOOPS];
    bool used[WEFT_RECORD_ARRAY_LOOPS]; /* else nest[L] is empty */
};

/*
 * ARRAY_TALLY: entries of the hash table that counts irregular references.
 * ARRAY_TALLY_PROBES: slots that an entry may have; if all these are taken, one of the
 * entries there is written to the log and replaced.
 */
enum { ARRAY_TALLY = 32768, ARRAY_TALLY_PROBES = 8 };
/* A count of irregular references: TIMES references of one site (place in the program) and
   step to one element on behalf of one owner. */
struct array_tally_entry {
    uint64_t element, owner, site, times; /* times is 0 if the entry is free */
    uint32_t step;
    uint16_t array, owner_array; /* numbers; owner_array as in struct array_nest */
    uint8_t operation, order;    /* as in struct array_nest */
};

/* The site and the step of references. */
struct array_origin {
    uint64_t site; /* return address into the program */
    uint32_t step; /* number of the step */
};

/* Limit of nests of reads that wait for the next write, whose element is their owner;
   further ones are written without an owner. */
enum { ARRAY_WAITING = 1024 };
/* A nest of reads that waits for its owner, and the place and step of its references. */
struct array_waiting_nest {
    struct array_nest nest;
    struct array_origin origin;
};

/* References of a thread on their way from its growing nests of loops (struct array_levels)
   to the log: counts by element, and nests that wait for their owner.  Zeroed, it is
   empty. */
struct array_sink {
    struct array_tally_entry tally[ARRAY_TALLY]; /* hash table */
    uint16_t counted[ARRAY_TALLY]; /* [n_counted], indices of the entries in use */
    uint32_t n_counted;
    struct array_waiting_nest waiting[ARRAY_WAITING]; /* [n_waiting], reads */
    uint32_t n_waiting;
};

/*
 * Adds a copy of NEST, of at most WEFT_RECORD_ARRAY_LOOPS loops, to the growing nests of
 * its site (place in the program), whose return address and step is ORIGIN: it becomes the
 * next iteration of one, or replaces it.  A nest with that many loops, and nests that
 * cannot grow any more, go to the sink (array_sink_add).  Returns true if such a nest was
 * so short that its elements were counted, which irregular references cause.
 */
WEFT_HIDDEN bool array_levels_add(struct array_levels *levels,
                                  const struct array_nest *nest,
                                  const struct array_origin *origin,
                                  struct array_sink *sink);
/* Moves all growing nests of LEVELS, whose site and step are ORIGIN, to the sink, as by
   array_sink_add(); LEVELS is then empty. */
WEFT_HIDDEN void array_levels_flush(struct array_levels *levels,
                                    const struct array_origin *origin,
                                    struct array_sink *sink);
/* Moves all nests from the levels FROM to the levels TO of the same site, by
   array_levels_add(), or to the sink if they have WEFT_RECORD_ARRAY_LOOPS loops; FROM is
   then empty.  Sets their owner to owner->owner of array owner->owner_array, the same
   element for all their references.  ORIGIN is the site and step of all. */
WEFT_HIDDEN void array_levels_assign(struct array_levels *from, struct array_levels *to,
                                     const struct array_nest *owner,
                                     const struct array_origin *origin,
                                     struct array_sink *sink);
/*
 * Adds a copy of a nest that grows no more, of the site and step ORIGIN.  With a known
 * owner it is written to the log, or if it has fewer than 4 references, each is counted by
 * its element.  With an unknown owner it waits for array_sink_assign(); if ARRAY_WAITING
 * nests wait already, it is written or counted without an owner.  Returns true if its
 * references were counted.
 */
WEFT_HIDDEN bool array_sink_add(struct array_sink *sink, const struct array_nest *nest,
                                const struct array_origin *origin);
/* Sets the owner of all nests of SITE that wait in the sink to owner->owner of array
   owner->owner_array, the same element for all their references, and writes them to the log
   or, if they have fewer than 4 references, counts these; none of SITE waits any more. */
WEFT_HIDDEN void array_sink_assign(struct array_sink *sink, uint64_t site,
                                   const struct array_nest *owner);
/* Writes all counted references to the log, and all nests that still wait for their owner,
   as nests without one; the sink is then empty. */
WEFT_HIDDEN void array_sink_flush(struct array_sink *sink);

#endif
