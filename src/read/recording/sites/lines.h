/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the places in source text of an address, by a file's debugging information: that of
 * the innermost inlined function, then where this was inlined, and so on outwards.
 */
#ifndef WEFT_READ_RECORDING_LINES_H
#define WEFT_READ_RECORDING_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

enum { LINES_MAX_FRAMES = 64 }; /* functions inlined in each other; more are left out */

/* One function at an address.  The texts live as long as the module. */
struct line_frame {
    const char *file; /* NULL if unknown; then LINE is 0 */
    uint32_t line;
    const char *function; /* its symbol, which may be mangled, or its name; or NULL */
    bool artificial;      /* it is marked as a wrapper that is no part of the source text */
};

struct lines; /* indexes of one module, made when they are needed */

/* MODULE must outlive the result, which lines_free() frees. */
struct lines *lines_new(Dwfl_Module *module);
void lines_free(struct lines *lines);

/*
 * Sets FRAMES, the innermost first, for an ADDRESS as libdwfl counts it in the module, its
 * bias included, and returns their number; 0 if nothing is known.  The first address in a
 * unit costs a walk of that unit, any other a search.
 */
uint32_t lines_find(struct lines *lines, uint64_t address,
                    struct line_frame frames[LINES_MAX_FRAMES]);

#endif
