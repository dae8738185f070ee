/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over a part's loops (owner_pairs.h), in runs of iterations with the same
   processors.  Used by owner_pairs.c and owner_pair_counts.c. */
#ifndef WEFT_ARRAY_OWNER_PAIR_RUNS_H
#define WEFT_ARRAY_OWNER_PAIR_RUNS_H

#include "domains/arrays/model/owner_pairs.h"

/* Returns the index in part->entries of the entry for SERVER and REQUESTER, the part's
   summands of the numbers of two processors; adds an entry with counts of 0 if there is
   none. */
size_t part_entry_of(struct dimension_part *part, uint32_t server, uint32_t requester);

/* Returns true if the coordinate of AXIS may change in some loop of PART: its stride there
   is not 0. */
bool part_depends_on(const struct part_axis *axis, const struct dimension_part *part);

/* The state of a walk through the iterations of a part (loops of a box, a nest of loops
   over elements, that share no dimension with the box's other loops). */
struct part_walk {
    const struct parts *parts; /* has the part and the axes */
    int loop;                  /* index in the box of the innermost loop: the part's last */
    /* Current iteration of the part's other loops, in the order of part->loops. */
    uint64_t at[ARRAY_BOX_LOOPS];
    /* By axis of PARTS: its index in the template or map at LOOP's first iteration; -1 if
       it does not depend on the part. */
    int64_t place[PART_AXES];
    /* Called for each run of iterations [FROM, FROM + N) of LOOP with the same SERVER and
       REQUESTER (summands of the numbers of processors); adjacent runs may have the same,
       too. */
    void (*visit)(void *user, const struct part_walk *walk, uint64_t from, uint64_t n,
                  uint32_t server, uint32_t requester);
    void *user; /* the first argument of `visit` */
};

/*
 * Walks through the loops of a part: calls TURNS for each iteration of all but the
 * innermost (once if there is only that), with walk->loop, `at` and `place` set; ends early
 * if the work exceeds its limit.  The caller has set `parts`, `visit` and `user` of *WALK.
 */
void part_walk(struct part_walk *walk, const struct dimension_part *part,
               void (*turns)(const struct part_walk *walk,
                             const struct dimension_part *part));
/* Passes the iterations [FROM, AFTER) of the innermost loop to walk->visit, in runs with
   the same processors; ends early if the work exceeds its limit.  Called by the argument
   TURNS of part_walk(). */
void part_walk_turns(const struct part_walk *walk, uint64_t from, uint64_t after);

/*
 * Makes the entries of a part, one for each pair of summands of processors' numbers that
 * occurs in its loops, and counts their iterations and different elements of ARRAY.
 * part->loops and part->dimension are set, and it has no entries yet.  They are incomplete
 * if parts->work exceeds its limit.
 */
void parts_count(const struct parts *parts, struct dimension_part *part,
                 const struct weft_array *array);

#endif
