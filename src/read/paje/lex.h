/* SPDX-License-Identifier: Apache-2.0 */
/* Converts text to records: splits lines into words, and numbers names. */
#ifndef WEFT_READ_PAJE_LEX_H
#define WEFT_READ_PAJE_LEX_H

#include "read/paje/lexed_lines.h"

/*
 * The trace's tables so far, as the lexer sees them; they must not change while parts are
 * lexed.  The arrays belong to the simulator.
 */
struct paje_known {
    const struct paje_names *names;
    const bool *direct; /* [n_direct] by pair: its events need no joining (simulate.h) */
    size_t n_direct;
    const uint32_t *values; /* [n_values] by choice: the builder's value, or WEFT_NONE */
    size_t n_values;
    struct paje_clock clock; /* copied into each part, which changes its copy */
    uint64_t epoch;          /* the simulator's, when these tables were taken */
};

/*
 * Empties PART and fills it with the records of its text (lexed_lines.h, "From the lexer"),
 * by KNOWN, the trace's tables so far; faults are noted in part->findings, and most faulty
 * lines skipped.  Without ADDS, while no definition is open (definitions->open is NULL),
 * any number of threads may call it, each with its own part; at the first line of a
 * definition (%) it sets part->defines and stops: the part must be lexed again with ADDS.
 * With ADDS only one thread may call it, for parts in order; definitions are added to
 * DEFINITIONS.
 */
void paje_lex(struct paje_part *part, const struct paje_known *known,
              struct paje_definitions *definitions, bool adds);

#endif
