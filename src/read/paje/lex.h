/* SPDX-License-Identifier: Apache-2.0 */
/* Converts text to records: splits lines into words, and numbers names. */
#ifndef WEFT_READ_PAJE_LEX_H
#define WEFT_READ_PAJE_LEX_H

#include "read/paje/part.h"

/*
 * The trace's tables as the lexer sees them; they must not change while parts are lexed.
 * The arrays belong to the simulator.
 */
struct paje_known {
    const struct paje_names *names;
    const bool *direct; /* [n_direct] by pair: its events need no joining (simulate.h) */
    size_t n_direct;
    const uint32_t *values; /* [n_values] by choice (symbols.h): value, or WEFT_NONE */
    size_t n_values;
    struct paje_clock clock; /* copied into each part, which changes its copy */
    uint64_t epoch;          /* the simulator's, when these tables were taken */
};

/*
 * Empties PART and fills it with the records of its text (part.h, "From the lexer"); faulty
 * lines are skipped, and noted in part->findings.  Without ADDS, any number of threads may
 * call it, each with its own part; at the first event definition it sets part->defines and
 * stops: the part must be lexed again.  With ADDS the caller must be alone, and event
 * definitions are added to DEFINITIONS.
 */
void paje_lex(struct paje_part *part, const struct paje_known *known,
              struct paje_definitions *definitions, bool adds);

#endif
