/* SPDX-License-Identifier: Apache-2.0 */
/* Prints terms. */
#ifndef WEFT_FGHC_PRINT_H
#define WEFT_FGHC_PRINT_H

#include <stdio.h>

#include "base/job.h"
#include "base/map.h"
#include "domains/trees/fghc/program.h"
#include "domains/trees/fghc/term.h"

enum { PRINT_NAME = 16 }; /* bytes of a name that the printer makes for a variable */

/* The names of unbound variables, for several terms that may share some.  Begins zeroed. */
struct print_names {
    struct weft_id_map indices;
    const char *const *taken;  /* [n_taken] names of the goal's variables */
    uint32_t n_taken, n_given; /* n_given: names that the printer has made */
};
/* Sets the names of a typed goal's variables: TAKEN[N] for those of TERMS[N] that are
 * unbound.  TAKEN must outlive NAMES. */
void print_names_of(struct print_names *names, const char *const *taken, const term *terms,
                    uint32_t n);
void print_names_free(struct print_names *names);

enum printed {
    PRINTED_ALL,
    PRINTED_IN_PART,  /* the job was cancelled */
    PRINTED_TOO_LONG, /* the text has more than MOST bytes */
};
/*
 * Prints a term; with QUOTES the text reads as the same term.  Cycles, and parts beyond the
 * first 10 million, are printed as "...".  When JOB, which may be NULL, is cancelled, the
 * rest of a long term is not printed.
 */
void print_term(FILE *out, const struct program *program, const struct weft_job *job,
                term t, bool quotes);
/* Prints a term with quotes, so that it may stand behind "=" in a goal, and adds to NAMES
 * those that it gives to variables.  Stops soon after MOST bytes; 0: no limit. */
enum printed print_value(FILE *out, const struct program *program,
                         const struct weft_job *job, term t, uint64_t most,
                         struct print_names *names) WEFT_MUST_CHECK;

#endif
