/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the places in source text of an address, by a file's DWARF: that of the code in the
 * innermost inlined function, then where that function was inlined, and so on outwards.
 */
#ifndef WEFT_READ_RECORDING_SOURCE_LINES_H
#define WEFT_READ_RECORDING_SOURCE_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The most functions, inlined in each other, that lines_find() gives; of more, the
 * innermost are left out.
 */
enum { LINES_MAX_FRAMES = 64 };

/*
 * One function at an address, and a place in it.  The texts live as long as the struct
 * lines and the module.
 */
struct line_frame {
    const char *file;     /* path of the source file, as DWARF has it; NULL if unknown */
    uint32_t line;        /* from 1; 0 if `file` is NULL */
    const char *function; /* its symbol, which may be mangled, else its name; or NULL */
    /* "lambda at worker.cc:12" or "main at heat.c:5", for a function that the compiler made
       of a part of another one (generated_functions.h); else NULL */
    const char *generated;
    /* a wrapper: the compiler marked it as artificial, yet DWARF has the line where it is
       declared */
    bool artificial;
};

/* Indexes of the code of one module, made when they are needed. */
struct lines;

/*
 * Returns empty indexes of MODULE, which must outlive them.  It cannot fail: a module
 * without debugging information has no lines.  lines_free() frees the result.
 */
struct lines *lines_new(Dwfl_Module *module);
/* Frees LINES (may be NULL), not the module. */
void lines_free(struct lines *lines);

/*
 * Sets FRAMES, the innermost function first, for the code at ADDRESS, as libdwfl counts it
 * in the module, its bias included.  frames[0] has the line of the code, each further one
 * the line at which the function before was inlined.  Returns their number; 0 if nothing is
 * known.  The first address in a compilation unit costs a walk of that unit, any other a
 * search.
 */
uint32_t lines_find(struct lines *lines, uint64_t address,
                    struct line_frame frames[LINES_MAX_FRAMES]);
/*
 * Returns the name ("lambda at worker.cc:12") of the lambda that the function at ADDRESS,
 * counted as above, or its class, has as the given ARGUMENT of its template (from 0), or
 * that such a type begins with; NULL if none is known.  It lives as long as LINES.
 */
const char *lines_lambda(struct lines *lines, uint64_t address, uint32_t argument);

#endif
