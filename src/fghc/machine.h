/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program: processing elements (PEs) are threads, each with a stack of goals that it
 * works off depth-first.  A PE without goals asks another for its oldest ones.  When no
 * clause of a goal can be chosen before some variables are bound, the goal waits for them;
 * the PE that binds one of them takes the goal onto its own stack.
 *
 * Memory that a run no longer needs is reclaimed: when much is used all PEs stop between
 * two reductions, and the terms that goals and answers still refer to are copied (Cheney,
 * CACM 1970).  These may take somewhat less than half of the memory that the run may have,
 * since the copy needs the other half; a run that needs more ends with an error.
 */
#ifndef WEFT_FGHC_MACHINE_H
#define WEFT_FGHC_MACHINE_H

#include <stdio.h>

#include "base/job.h"
#include "fghc/program.h"

enum { MOST_PES = 256 }; /* threads: as many processors as a large machine has */

struct fghc_options {
    unsigned pes;
    uint64_t seed; /* of the random order in which goals are taken; 0: in order */
    bool int32;    /* arithmetic wraps at 32 bits instead of 64 */
    bool record;
    uint32_t pace;       /* microseconds that every reduction takes at least; 0: no wait */
    uint64_t most_bytes; /* of terms and goals; 0: 2 GiB */
    FILE *out;           /* what the program prints */
    FILE *in;            /* what it reads; NULL: nothing */
    const char *const *arguments; /* of the program: unix:argv */
    size_t n_arguments;
    /* Looked at every 10 ms; when it is cancelled the run ends (WEFT_ERR_CANCELLED), with
     * what it has recorded so far.  Or NULL. */
    struct weft_job *job;
};

/* Four of VISTA's six fields.  The other two, PE and index, are the list that the record is
 * in and its place in the list, from 1. */
struct fghc_record {
    uint64_t time; /* ns from the start of the run */
    uint32_t parent_index;
    uint16_t parent_pe, clause;
};

/* The suspensions of a goal before it was reduced. */
struct fghc_wait {
    uint64_t index;            /* of the reduction on its PE, from 1 */
    uint64_t suspended, woken; /* ns: first suspended, last woken */
    uint32_t count;            /* of suspensions */
    uint32_t by_index;         /* the reduction that bound the variable; 0: none */
    uint16_t by_pe;
    uint16_t site;     /* of the goal, in program.calls */
    uint16_t argument; /* that was not bound, from 1; 0: a part of an argument */
};

struct fghc_idle {
    uint64_t begin, end; /* ns */
};

/* What one PE recorded. */
struct fghc_recording {
    struct fghc_record *records; /* in order of time */
    size_t n_records, record_capacity;
    struct fghc_wait *waits; /* in order of their indices */
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
 * Run the goal to its end.  False when a goal failed, or goals wait that nothing can wake:
 * *err names the goal and its line (WEFT_ERR_FORMAT).  *result holds what was done until
 * then in either case.
 */
bool fghc_run(struct program *program, const struct query *query,
              const struct fghc_options *options, struct fghc_result *result,
              struct weft_err *err) WEFT_MUST_CHECK;
void fghc_result_free(struct fghc_result *result, const struct query *query);

#endif
