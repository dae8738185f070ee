/* SPDX-License-Identifier: Apache-2.0 */
/* Terms as text. */
#ifndef WEFT_FGHC_PRINT_H
#define WEFT_FGHC_PRINT_H

#include <stdio.h>

#include "base/job.h"
#include "base/map.h"
#include "domains/trees/fghc/program.h"
#include "domains/trees/fghc/term.h"

enum { PRINT_NAME = 16 }; /* bytes of a name that a variable is given */

/* The names of unbound variables, in several terms that may share some.  Begins zeroed. */
struct print_names {
    struct weft_id_map indices;
    const char *const *taken; /* [n_taken] names that the goal's variables have */
    uint32_t n_taken, n_given;
};
/* The N variables of a goal, which are named as they are there where they are unbound. */
void print_names_of(struct print_names *names, const char *const *taken, const term *terms,
                    uint32_t n);
void print_names_free(struct print_names *names);

enum printed {
    PRINTED_ALL,
    PRINTED_IN_PART,  /* the job was cancelled */
    PRINTED_TOO_LONG, /* it has more bytes than it may have */
};
/*
 * Print a term; with QUOTES it reads as the same term.  When the JOB, which may be NULL, is
 * cancelled, what is left of a long term is not printed.
 */
void print_term(FILE *out, const struct program *program, const struct weft_job *job,
                term t, bool quotes);
/* With quotes, in at most about MOST bytes, and as what may stand behind "=" in a goal. */
enum printed print_value(FILE *out, const struct program *program,
                         const struct weft_job *job, term t, uint64_t most,
                         struct print_names *names) WEFT_MUST_CHECK;

#endif
