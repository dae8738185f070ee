/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which member of a static variable lies at an address, by a file's DWARF: of an
 * array its element, of a structure its member, and so on inwards.
 */
#ifndef WEFT_READ_RECORDING_STATIC_VARIABLES_H
#define WEFT_READ_RECORDING_STATIC_VARIABLES_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

/* The static variables of one module, listed when they are needed. */
struct statics;

/*
 * Returns an empty list for MODULE, which must outlive it; statics_free() frees the result.
 */
struct statics *statics_new(Dwfl_Module *module);
/* Frees STATICS (may be NULL), not the module. */
void statics_free(struct statics *statics);

/*
 * Returns the name of the part of a variable that begins at byte WITHIN it: "queue.lock",
 * "table[3].lock", "table[3].lock+8" if nothing smaller is known there; the caller frees
 * it.  BEGIN is the variable's address, as libdwfl counts it in the module, its bias
 * included; NAME is that of its symbol, demangled, which a compiler may have changed for a
 * variable that is local to a function ("lock.3"): then the result is "function::lock".
 * Unions are not looked into, since their members share their place, nor types of foreign
 * headers (foreign_code.h), nor parts of less than 4 bytes.  Returns NULL if the variable's
 * type is not known.  The first call walks the module's entries, 4 million at most.
 */
char *statics_name(struct statics *statics, const char *name, uint64_t begin,
                   uint64_t within);

#endif
