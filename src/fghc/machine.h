/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program: processing elements (PEs) are threads, each with a stack of goals that it
 * works off depth-first.  A PE without goals asks another for its oldest ones.  A goal whose
 * clauses cannot decide yet waits for the variables that they ask for; whoever binds one of
 * them takes the goal.
 *
 * Memory that a run no longer needs is reclaimed: when much is used all PEs meet between two
 * reductions, and what is still needed is copied (Cheney, CACM 1970).  What is needed at one
 * time may take somewhat less than half of the memory that the run may have; beyond that it
 * ends with an error.
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
    uint32_t pace;       /* us: every reduction takes as long at least; 0: as it comes */
    uint64_t most_bytes; /* of terms and goals; 0: 2 GiB */
    FILE *out;           /* what the program prints */
};

/* Four of VISTA's six fields; PE and index are those of the record in its list, from 1. */
struct fghc_record {
    uint64_t time; /* ns from the start of the run */
    uint32_t parent_index;
    uint16_t parent_pe, clause;
};

/* What a reduction's goal waited for before it ran. */
struct fghc_wait {
    uint64_t index;            /* of the reduction on its PE, from 1 */
    uint64_t suspended, woken; /* ns: the first time, the last time */
    uint32_t count;            /* of suspensions */
    uint32_t by_index;         /* the reduction that bound the variable; 0: none */
    uint16_t by_pe;
    uint16_t site;     /* of the goal, in program.calls */
    uint16_t argument; /* that was not known, from 1; 0: a part of one */
};

struct fghc_idle {
    uint64_t begin, end; /* ns */
};

/* What one PE did. */
struct fghc_recording {
    struct fghc_record *records; /* in order of time */
    size_t n_records, record_capacity;
    struct fghc_wait *waits; /* in order of their reductions */
    size_t n_waits, wait_capacity;
    struct fghc_idle *idles;
    size_t n_idles, idle_capacity;
};

struct fghc_result {
    uint64_t reductions, suspensions, migrations, collections;
    double seconds;
    uint64_t *by_pe;                   /* [pes] reductions */
    char **answers;                    /* [n_variables] of the goal, printed */
    struct fghc_recording *recordings; /* [pes] */
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

#endif
