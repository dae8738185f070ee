/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace's text some megabytes at a time (a round) and cuts each round at ends of
 * lines into parts, which threads parse in parallel.  A line longer than 16 MiB is left
 * out, so memory is bounded.
 */
#ifndef WEFT_READ_PAJE_TEXT_ROUNDS_H
#define WEFT_READ_PAJE_TEXT_ROUNDS_H

#include "read/paje/part.h"
#include "read/reader.h"

/* Bytes of text of a part and of a round; the resulting store does not depend on them. */
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
    struct paje_findings findings; /* of lines left out, which count from the first one */
    struct weft_err damage; /* error of the input after this round; message "" if none */
    uint64_t taken;         /* bytes of the input so far, for progress */
    bool last;              /* the input has ended */
};

struct paje_cutter {
    struct weft_input *input;
    struct paje_sizes sizes;
    char *rest; /* read so far of the line after the last round */
    size_t n_rest, rest_capacity;
    bool skipping; /* inside a line that is too long */
    bool begun;    /* a round was read */
};

/*
 * Read the next round into ROUND.  The first round is one part: it has the event
 * definitions, and the parts of one round do not see each other's definitions.
 */
void paje_cut(struct paje_cutter *cutter, struct paje_round *round);
void paje_cutter_free(struct paje_cutter *cutter);
void paje_round_free(struct paje_round *round);

#endif
