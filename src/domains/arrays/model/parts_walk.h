/* SPDX-License-Identifier: Apache-2.0 */
/* Walking through the turns of a part (array/parts.h): what its files share. */
#ifndef WEFT_ARRAY_PARTS_WALK_H
#define WEFT_ARRAY_PARTS_WALK_H

#include "domains/arrays/model/parts.h"

/* The entry of two sums: found, or made. */
size_t part_entry_of(struct part *part, uint32_t server, uint32_t requester);

/* Does an axis change with a loop of the part? */
bool part_depends_on(const struct part_axis *axis, const struct part *part);

struct part_walk {
    const struct parts *parts;
    int loop;                     /* the innermost one */
    uint64_t at[ARRAY_BOX_LOOPS]; /* of the loops around it */
    int64_t place[PART_AXES];     /* at its first turn */
    /* Called for each run of turns [FROM, FROM + N) of it. */
    void (*visit)(void *user, const struct part_walk *walk, uint64_t from, uint64_t n,
                  uint32_t server, uint32_t requester);
    void *user;
};

/*
 * All turns of a part, as far as the work goes: TURNS is called for each choice of the
 * loops around the innermost, its last.
 */
void part_walk(struct part_walk *walk, const struct part *part,
               void (*turns)(const struct part_walk *walk, const struct part *part));
/* Visit the turns [FROM, AFTER) of the innermost loop, from change to change of a
   coordinate. */
void part_walk_turns(const struct part_walk *walk, uint64_t from, uint64_t after);

/* Turns and elements of each entry of a part whose loops and dimension are known. */
void parts_count(const struct parts *parts, struct part *part,
                 const struct weft_array *array);

#endif
