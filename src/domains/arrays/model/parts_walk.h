/* SPDX-License-Identifier: Apache-2.0 */
/* Walking through the iterations of a part (model/parts.h); shared by its files. */
#ifndef WEFT_ARRAY_PARTS_WALK_H
#define WEFT_ARRAY_PARTS_WALK_H

#include "domains/arrays/model/parts.h"

/* The index of the entry for two sums, which is added if new. */
size_t part_entry_of(struct part *part, uint32_t server, uint32_t requester);

/* Returns true if an axis depends on a loop of the part. */
bool part_depends_on(const struct part_axis *axis, const struct part *part);

struct part_walk {
    const struct parts *parts;
    int loop;                     /* the innermost loop */
    uint64_t at[ARRAY_BOX_LOOPS]; /* current iteration of the loops around it */
    int64_t place[PART_AXES];     /* of each axis, at LOOP's first iteration */
    /* Called for each run of innermost iterations [FROM, FROM + N) with the same sums. */
    void (*visit)(void *user, const struct part_walk *walk, uint64_t from, uint64_t n,
                  uint32_t server, uint32_t requester);
    void *user;
};

/*
 * Walks through all iterations of a part, unless the work exceeds its limit: TURNS is
 * called for each iteration of the loops around the innermost (the part's last).
 */
void part_walk(struct part_walk *walk, const struct part *part,
               void (*turns)(const struct part_walk *walk, const struct part *part));
/* Visits the iterations [FROM, AFTER) of the innermost loop, in runs with the same sums. */
void part_walk_turns(const struct part_walk *walk, uint64_t from, uint64_t after);

/* Counts the iterations and elements of each entry of a part; its loops and dimension are
   set. */
void parts_count(const struct parts *parts, struct part *part,
                 const struct weft_array *array);

#endif
