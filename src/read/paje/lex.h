/* SPDX-License-Identifier: Apache-2.0 */
/* Converts text to records: splits lines into words, and numbers names. */
#ifndef WEFT_READ_PAJE_LEX_H
#define WEFT_READ_PAJE_LEX_H

#include "read/paje/lexed_lines.h"

/*
 * The trace's tables so far, as the lexer (which makes records of lines) sees them; they
 * must not change while it works.  The arrays belong to the simulator (struct
 * paje_simulator), which applies the records.
 */
struct paje_known {
    const struct paje_names *names; /* numbers of all names so far (symbols.h) */
    /* [n_direct] by pair, the number of (container name, type name): true if its events
       need only their track, so that no other thread must see them in order */
    const bool *direct;
    size_t n_direct;
    /* [n_values] by choice, the number of (value name, type name): the builder's value, or
       WEFT_NONE */
    const uint32_t *values;
    size_t n_values;
    struct paje_clock clock; /* copied into each part, which changes its copy */
    uint64_t epoch;          /* paje_simulator.epoch, when these tables were taken */
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
