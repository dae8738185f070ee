/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace's text some megabytes at a time (a round) and cuts each round at ends of
 * lines into parts, which threads parse in parallel.  A line longer than 16 MiB is left
 * out, with a fault, so memory is bounded.
 */
#ifndef WEFT_READ_PAJE_TEXT_ROUNDS_H
#define WEFT_READ_PAJE_TEXT_ROUNDS_H

#include "read/paje/lexed_lines.h"
#include "read/reader.h"

/* Bytes of text of a part and of a round; the resulting store does not depend on them. */
struct paje_sizes {
    size_t part;  /* about; so large that handing it to a thread costs nearly nothing */
    size_t round; /* about; three rounds are in memory at once, with their records */
};

/* Some whole lines of the trace, in parts.  All 0 at first; paje_cut() fills it again. */
struct paje_round {
    char *text; /* [size] and PAJE_SPARE zeros */
    size_t size, capacity;
    /*
     * [n_parts] of this round; up to n_parts_made: of earlier ones, to reuse their memory
     */
    struct paje_part *parts;
    size_t n_parts, n_parts_made, part_capacity;
    uint64_t n_dropped;            /* lines left out before the first part */
    struct paje_findings findings; /* of lines left out; their lines count from 0, the
                                      first line of the round */
    struct weft_err damage; /* error of the input after this round; message "" if none */
    uint64_t taken;         /* bytes of the input so far, for progress */
    bool last;              /* the input has ended */
};

/* The state between rounds.  The caller sets `input` and `sizes`, all else to 0. */
struct paje_cutter {
    struct weft_input *input; /* not owned */
    struct paje_sizes sizes;
    char *rest; /* read so far of the line after the last round */
    size_t n_rest, rest_capacity;
    bool skipping; /* inside a line that is too long */
    bool begun;    /* a round was read */
};

/*
 * Reads the next lines into ROUND, whose earlier text and parts are invalid then, and cuts
 * them into parts, of which only `text`, `size` and `cut_short` are set.  The first round
 * is one part: it has the event definitions, and parts of one round do not see each
 * other's.  Sets round->last at the end of the input, or if that cannot be read on
 * (round->damage); a missing last newline is added.
 */
void paje_cut(struct paje_cutter *cutter, struct paje_round *round);
/* Frees the memory of CUTTER, which may not be used afterwards. */
void paje_cutter_free(struct paje_cutter *cutter);
/* Frees the memory of ROUND and of all its parts; it may not be used afterwards. */
void paje_round_free(struct paje_round *round);

#endif
