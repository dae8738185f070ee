/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns addresses into places in source text, names of functions and variables, and
 * callers: by the recorded maps, and the symbols, lines and unwinding tables of the files
 * in them (by elfutils; C++ and Rust names by libiberty).  Files that are gone, or have no
 * symbols, give no names.
 */
#ifndef WEFT_READ_RECORDING_SITES_H
#define WEFT_READ_RECORDING_SITES_H

#include "read/recording/logs/files.h"
#include "store/build/builder.h"

struct sites;
struct sites *sites_new(const struct recording *recording, struct weft_builder *builder);
void sites_free(struct sites *sites);

/*
 * The rule to unwind one call, by the unwinding tables of its file: the frame (CFA) is at
 * OFFSET from the stack pointer or the frame pointer; the return address and, if saved, the
 * caller's frame pointer lie relative to it.
 */
struct sites_frame {
    bool by_frame_pointer, saves_frame_pointer;
    int64_t offset;                 /* from the register */
    int64_t returns, frame_pointer; /* from the frame */
};

/* Set *FRAME for the call that returns to ADDRESS; false if unknown or too complex. */
bool sites_unwind(struct sites *sites, uint32_t image, uint64_t address,
                  struct sites_frame *frame);

/* Returns the builder's site of a return address in an image; WEFT_NONE for address 0. */
uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address);
/* Like sites_find(), but of the code after the call: mostly the next statement. */
uint32_t sites_find_after(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns the function that begins at or covers an address, or NULL.  Names are demangled,
 * without parameters, and live as long as SITES.
 */
const char *sites_function(struct sites *sites, uint32_t image, uint64_t address);
/* Returns true if ADDRESS is in a mapped file whose name begins with NAME. */
bool sites_is_in(struct sites *sites, uint32_t image, uint64_t address, const char *name);
/* Returns the demangled name of the function that begins at ADDRESS, or NULL. */
const char *sites_function_at(struct sites *sites, uint32_t image, uint64_t address);
/* Returns the name of the variable at ADDRESS, or NULL; *WITHIN: bytes into it. */
const char *sites_variable(struct sites *sites, uint32_t image, uint64_t address,
                           uint64_t *within);
/* Like sites_variable(), also of functions, with types: "vtable for A<void (*)(int)>". */
const char *sites_variable_in_full(struct sites *sites, uint32_t image, uint64_t address,
                                   uint64_t *within);

#endif
