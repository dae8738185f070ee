/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text is read in rounds, and each round is cut into parts, at ends of lines.  A line longer
 * than 16 MiB is left out; memory is bounded by that and the size of a round.
 */
#ifndef WEFT_READ_PAJE_CUT_H
#define WEFT_READ_PAJE_CUT_H

#include "read/paje/part.h"
#include "read/reader.h"

/* In bytes of text.  What is found in a trace is the same for any sizes. */
struct paje_sizes {
    size_t part;  /* enough lines that handing them to a thread costs nothing beside them */
    size_t round; /* three rounds are in memory at once, with their records */
};

struct paje_round {
    char *text;
    size_t size, capacity;
    struct paje_part *parts; /* of earlier rounds too: their memory is used again */
    size_t n_parts, n_parts_made, part_capacity;
    uint64_t n_dropped;            /* lines before the first part that were left out */
    struct paje_findings findings; /* lines from the first that was left out */
    struct weft_err damage; /* of the input, after this round; its message is "" else */
    uint64_t taken;         /* of the input, for progress */
    bool last;
};

struct paje_cutter {
    struct weft_input *input;
    struct paje_sizes sizes;
    char *rest; /* the begin of a line whose end is not read yet */
    size_t n_rest, rest_capacity;
    bool skipping; /* within a line that is too long */
    bool begun;
};

/*
 * Read the next round.  The first is one part: definitions are at the head of a trace, and the
 * parts of one round are read without knowing of definitions in one another.
 */
void paje_cut(struct paje_cutter *cutter, struct paje_round *round);
void paje_cutter_free(struct paje_cutter *cutter);
void paje_round_free(struct paje_round *round);

#endif
