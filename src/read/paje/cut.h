/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text is read in rounds, and each round is cut into parts at ends of lines.  A line longer
 * than 16 MiB is left out, so memory is bounded.
 */
#ifndef WEFT_READ_PAJE_CUT_H
#define WEFT_READ_PAJE_CUT_H

#include "read/paje/part.h"
#include "read/reader.h"

/* In bytes of text.  The results are the same for any sizes. */
struct paje_sizes {
    size_t part;  /* so large that the cost of handing it to a thread is negligible */
    size_t round; /* three rounds are in memory at once, with their records */
};

struct paje_round {
    char *text;
    size_t size, capacity;
    struct paje_part *parts; /* also those of earlier rounds, to reuse their memory */
    size_t n_parts, n_parts_made, part_capacity;
    uint64_t n_dropped;            /* lines left out before the first part */
    struct paje_findings findings; /* lines count from the first one left out */
    struct weft_err damage; /* error of the input after this round; message "" if none */
    uint64_t taken;         /* bytes of the input so far, for progress */
    bool last;
};

struct paje_cutter {
    struct weft_input *input;
    struct paje_sizes sizes;
    char *rest; /* begin of an incomplete line */
    size_t n_rest, rest_capacity;
    bool skipping; /* inside a line that is too long */
    bool begun;
};

/*
 * Read the next round.  The first round is one part: it has the definitions, and the parts
 * of one round do not see each other's definitions.
 */
void paje_cut(struct paje_cutter *cutter, struct paje_round *round);
void paje_cutter_free(struct paje_cutter *cutter);
void paje_round_free(struct paje_round *round);

#endif
