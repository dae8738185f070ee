/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program.  Processing elements (PEs) are threads, each with a stack of goals that
 * it reduces depth-first.  A PE without goals asks another for its oldest ones.  When no
 * clause of a goal can be chosen before some variables are bound, the goal is suspended;
 * the PE that binds one of them puts the goal on its own stack.
 *
 * A copying collector reclaims memory (Cheney, CACM 1970): all PEs stop between two
 * reductions, and the terms that goals and answers refer to are copied.  These may take
 * somewhat less than half of the run's memory, since the copy needs the other half; a run
 * that needs more ends with an error.
 */
#ifndef WEFT_FGHC_MACHINE_H
#define WEFT_FGHC_MACHINE_H

#include <stdio.h>

#include "base/progress_and_cancel.h"
#include "domains/trees/fghc/program.h"

enum { MAX_PES = 256 }; /* as many processors as a large machine has */

/* How a program is run.  The caller owns what it points to, until fghc_run() has
 * returned. */
struct fghc_options {
    unsigned pes;  /* processing elements (threads), 1 to MAX_PES */
    uint64_t seed; /* of the random order in which goals are reduced; 0: depth-first */
    bool int32;    /* arithmetic wraps at 32 bits instead of 64 */
    /* Path of the file into which every reduction is recorded (recording.h); it is
     * overwritten.  NULL: none. */
    const char *record_to;
    uint32_t pace;                /* microseconds that a PE sleeps after each reduction */
    uint64_t most_bytes;          /* memory of terms and goals; 0: 2 GiB */
    FILE *out;                    /* the program's standard output, not NULL */
    FILE *errors;                 /* its standard error; NULL: `out` */
    FILE *in;                     /* its standard input; NULL: empty */
    const char *const *arguments; /* the program's arguments: unix:argv */
    size_t n_arguments;
    /* Asked every 10 ms; when it is cancelled the run ends with WEFT_ERR_CANCELLED, and the
     * records so far are kept.  NULL: the run cannot be cancelled. */
    struct weft_job *job;
};

/* The result of a run: fghc_run() sets it, fghc_result_free() frees it. */
struct fghc_result {
    /* Numbers of: reductions; suspensions of goals and built-in processes; reductions of
     * goals on another PE than their parents; garbage collections. */
    uint64_t reductions, suspensions, migrations, collections;
    double seconds;  /* from the start of all PEs to their end */
    uint64_t *by_pe; /* [pes] reductions; NULL: the run did not begin */
    /* [query->n_variables] The values of the goal's variables as text; "_" for an unbound
     * one, or the name of the variable before it that it is the same as.  An entry is NULL
     * if the name begins with _, the run was cancelled, or the texts take more than half of
     * most_bytes, which is an error (WEFT_ERR_LIMIT).  The array is NULL if the run did not
     * begin. */
    char **answers;
    unsigned pes; /* number of PEs; 0: the run did not begin */
};

/*
 * Runs the goal QUERY of PROGRAM, by OPTIONS, to its end.  Returns false with
 * WEFT_ERR_FORMAT and the goal's line when a goal failed, goals wait for ever (deadlock;
 * built-in processes that wait for more of a stream do not count) or the program exits with
 * a status other than 0, with WEFT_ERR_LIMIT when memory runs out, with WEFT_ERR_READ when
 * a thread cannot start, WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.  *RESULT holds the run so
 * far in each case, zeros if it did not begin, and needs fghc_result_free().  Only one run
 * at a time may use PROGRAM, since gett (a program reads a term) adds names to it.
 */
bool fghc_run(struct program *program, const struct query *query,
              const struct fghc_options *options, struct fghc_result *result,
              struct weft_err *err) WEFT_MUST_CHECK;
/* Frees what RESULT of the goal QUERY points to, not RESULT itself, which is zeroed. */
void fghc_result_free(struct fghc_result *result, const struct query *query);

#endif
