/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a trace has that is lost when it is written as a Paje trace. */
#ifndef WEFT_WRITE_PAJE_LOSSES_H
#define WEFT_WRITE_PAJE_LOSSES_H

#include "store/source.h"

/* Numbers of the things that the writer could not write, or only for Weft. */
struct paje_counts {
    uint64_t not_finite; /* samples whose value is not finite */
    uint64_t unnamed;    /* fields, and ends of links, that name what a line cannot name */
    uint64_t changed;    /* texts in which a quote or a control character was replaced */
    /*
     * Only Weft reads these, since pj_dump refuses them: links with one end; and entities
     * and containers in containers that are not of the type that their own type says.
     */
    uint64_t half, misplaced;
};

/*
 * Returns a text that counts what SOURCE has and a Paje trace of it cannot hold, "12 hosts,
 * 1 clock"; "" if nothing is lost.  The caller frees it.
 */
char *paje_losses(const struct weft_source *source, const struct paje_counts *counts);

#endif
