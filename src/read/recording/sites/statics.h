/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which member of a static variable lies at an address, by a file's DWARF: of an
 * array its element, of a structure its member, and so on inwards.
 */
#ifndef WEFT_READ_RECORDING_STATICS_H
#define WEFT_READ_RECORDING_STATICS_H

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
 * Returns the way from the variable that begins at BEGIN, as libdwfl counts addresses in
 * the module, its bias included, to the byte WITHIN it: ".lock", "[3].lock", "[3].lock+8"
 * if nothing smaller is known, "" if the variable itself begins there; the caller frees it.
 * It does not go into unions, whose members share their place, into types of foreign
 * headers (foreign.h), nor into parts of less than 4 bytes.  Returns NULL if the variable's
 * type is not known.  The first call walks the module's entries, 4 million at most.
 */
char *statics_path(struct statics *statics, uint64_t begin, uint64_t within);

#endif
