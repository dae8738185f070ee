/* SPDX-License-Identifier: Apache-2.0 */
/* From text to records: splits lines into words, and turns names into small numbers. */
#ifndef WEFT_READ_PAJE_LEX_H
#define WEFT_READ_PAJE_LEX_H

#include "read/paje/part.h"

/* What of the trace is known; nobody changes it while parts are read. */
struct paje_known {
    const struct paje_names *names;
    const bool *direct; /* by pair: events need nothing but their lane; see simulate.h */
    size_t n_direct;
    const uint32_t *values; /* by choice: value, or WEFT_NONE */
    size_t n_values;
    struct paje_clock clock;
    uint64_t epoch;
};

/*
 * Fill PART from its text.  Any number of threads, each with a part of its own, when they do
 * not add definitions; with ADDS the caller is alone, and lines of definitions are read: without
 * it the first one, when one is met, sets part->defines, and the part is not read to its end.
 */
void paje_lex(struct paje_part *part, const struct paje_known *known,
              struct paje_definitions *definitions, bool adds);

#endif
