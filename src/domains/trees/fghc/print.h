/* SPDX-License-Identifier: Apache-2.0 */
/* Prints terms. */
#ifndef WEFT_FGHC_PRINT_H
#define WEFT_FGHC_PRINT_H

#include <stdio.h>

#include "base/hash_map.h"
#include "base/progress_and_cancel.h"
#include "domains/trees/fghc/program.h"
#include "domains/trees/fghc/term.h"

enum { PRINT_NAME = 16 }; /* bytes of a name that the printer makes for a variable */

/* The names printed for unbound variables, the same in each of several terms that share
 * variables.  The caller begins with zeros, perhaps calls print_names_of(), passes it to
 * print_value() for each term, and ends with print_names_free(). */
struct print_names {
    struct weft_id_map indices; /* by variable: index in `taken`, or n_taken + the number of
                                 * a made name */
    const char *const *taken;   /* [n_taken] names of the goal's variables */
    uint32_t n_taken, n_given;  /* n_given: made names tried so far, A, B, ... Z, A1, ... */
};
/* Sets the names of N variables: TAKEN[i] for TERMS[i] if that is unbound.  No other
 * variable gets one of the N names.  NAMES is zeroed before; the array TAKEN must outlive
 * it. */
void print_names_of(struct print_names *names, const char *const *taken, const term *terms,
                    uint32_t n);
/* Frees the memory behind NAMES, not NAMES itself nor its array `taken`. */
void print_names_free(struct print_names *names);

/* How far a term was printed. */
enum printed {
    PRINTED_ALL,
    PRINTED_IN_PART,  /* the job was cancelled */
    PRINTED_TOO_LONG, /* the text has more than MOST bytes */
};
/*
 * Prints the term T of PROGRAM, which has its names, to OUT; with QUOTES the text reads as
 * the same term.  Unbound variables are A, B, ....  A part that contains itself, and parts
 * beyond the first 10 million, are printed as "...".  When JOB, which may be NULL, is
 * cancelled, the rest of a long term is not printed.  The caller looks at ferror(OUT).
 */
void print_term(FILE *out, const struct program *program, const struct weft_job *job,
                term t, bool quotes);
/*
 * Prints the term T of PROGRAM, which has its names, to OUT so that the text reads as the
 * same term behind "=" in a goal.  Variables get their names in NAMES, which new names are
 * added to.  Stops soon after MOST bytes (0: no limit), or when JOB, which may be NULL, is
 * cancelled; returns why.
 */
enum printed print_value(FILE *out, const struct program *program,
                         const struct weft_job *job, term t, uint64_t most,
                         struct print_names *names) WEFT_MUST_CHECK;

#endif
