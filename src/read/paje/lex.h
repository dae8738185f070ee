/* SPDX-License-Identifier: Apache-2.0 */
/* Converts text to records: splits lines into words, and numbers names. */
#ifndef WEFT_READ_PAJE_LEX_H
#define WEFT_READ_PAJE_LEX_H

#include "read/paje/part.h"

/* The trace's tables as the lexer sees them; constant while parts are read. */
struct paje_known {
    const struct paje_names *names;
    const bool *direct; /* by pair of names: its events need no joining (simulate.h) */
    size_t n_direct;
    const uint32_t *values; /* by choice (symbols.h): value, or WEFT_NONE */
    size_t n_values;
    struct paje_clock clock;
    uint64_t epoch; /* the simulator's, when these tables were taken */
};

/*
 * Fill PART with the records of its text.  Without ADDS, any number of threads may call it,
 * each with its own part; at the first event definition it sets part->defines and stops.
 * With ADDS the caller must be alone, and event definitions are added to DEFINITIONS.
 */
void paje_lex(struct paje_part *part, const struct paje_known *known,
              struct paje_definitions *definitions, bool adds);

#endif
