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
#include "domains/trees/fghc/program.h"

enum { MOST_PES = 256 }; /* threads: as many processors as a large machine has */

struct fghc_options {
    unsigned pes;
    uint64_t seed; /* of the random order in which goals are taken; 0: in order */
    bool int32;    /* arithmetic wraps at 32 bits instead of 64 */
    /* Record every reduction into this file, which is made (recording.h); or NULL. */
    const char *record_to;
    uint32_t pace;       /* microseconds that every reduction takes at least; 0: no wait */
    uint64_t most_bytes; /* of terms and goals; 0: 2 GiB */
    FILE *out;           /* what the program prints */
    FILE *errors;        /* what it prints on stderr; NULL: as `out` */
    FILE *in;            /* what it reads; NULL: nothing */
    const char *const *arguments; /* of the program: unix:argv */
    size_t n_arguments;
    /* Looked at every 10 ms; when it is cancelled the run ends (WEFT_ERR_CANCELLED), with
     * what it has recorded so far.  Or NULL. */
    struct weft_job *job;
};

struct fghc_result {
    uint64_t reductions, suspensions, migrations, collections;
    double seconds;
    uint64_t *by_pe; /* [pes] reductions */
    /* [n_variables] of the goal, printed; NULL: its name begins with _, the run was cancelled, or
     * that one is longer than half of what the run may take, which is an error
     * (WEFT_ERR_LIMIT). */
    char **answers;
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
