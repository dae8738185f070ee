/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program: processing elements (PEs) are threads, each with a heap and a stack of
 * goals, worked off depth-first.  A PE without goals takes the oldest of another.  A goal
 * whose clauses cannot decide yet waits for the variables that they ask for; whoever binds
 * one of them takes the goal.
 *
 * Heaps only grow: what a run builds stays until it ends.  A limit ends the run with an error
 * instead of the machine's memory.
 */
#ifndef WEFT_FGHC_MACHINE_H
#define WEFT_FGHC_MACHINE_H

#include <stdio.h>

#include "fghc/program.h"

enum { MOST_PES = 256 };

struct fghc_options {
    unsigned pes;
    uint64_t seed; /* not 0: goals are taken in random order */
    bool int32;    /* arithmetic wraps at 32 bits instead of 64 */
    bool record;
    uint64_t most_bytes; /* of all heaps together; 0: 2 GiB */
    FILE *out;           /* what the program prints */
};

/* Four of VISTA's six fields; PE and index are those of the record in its list, from 1. */
struct fghc_record {
    uint64_t time; /* ns from the start of the run */
    uint32_t parent_index;
    uint16_t parent_pe, clause;
};

struct fghc_result {
    uint64_t reductions, suspensions, migrations;
    double seconds;
    uint64_t *by_pe;              /* [pes] reductions */
    char **answers;               /* [n_variables] of the goal, printed */
    struct fghc_record **records; /* by PE, in order of time; NULL: not recorded */
    uint64_t *n_records;
    unsigned pes;
};

/*
 * Run the goal to its end.  False: it failed, or goals wait for ever, with the goal and its
 * line in *err (WEFT_ERR_FORMAT); *result holds what was done until then either way.
 */
bool fghc_run(struct program *program, const struct query *query,
              const struct fghc_options *options, struct fghc_result *result,
              struct weft_err *err) WEFT_MUST_CHECK;
void fghc_result_free(struct fghc_result *result, const struct query *query);

/* Write figure 9's format: the number of PEs, then time, clause, PE, index, parent's both. */
bool fghc_write_vista(const struct fghc_result *result, FILE *out);

#endif
