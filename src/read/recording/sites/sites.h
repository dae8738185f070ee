/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From addresses to places in source text, to names of functions and variables, and to callers:
 * through the maps that were recorded, and the symbols, lines and unwinding tables of the files
 * that they name (by elfutils; names in C++ and Rust by libiberty).  Files that are gone, or have no symbols, give no names.
 */
#ifndef WEFT_READ_RECORDING_SITES_H
#define WEFT_READ_RECORDING_SITES_H

#include "read/recording/logs/files.h"
#include "store/build/builder.h"

struct sites;
struct sites *sites_new(const struct recording *recording, struct weft_builder *builder);
void sites_free(struct sites *sites);

/*
 * How to get from a call to the one around it, by the unwinding tables of its file: the frame
 * begins at OFFSET from the stack pointer, or from the frame pointer; there lie the return
 * address and, if it is saved, the caller's frame pointer.
 */
struct sites_frame {
    bool by_frame_pointer, saves_frame_pointer;
    int64_t offset;                 /* from the register */
    int64_t returns, frame_pointer; /* from where the frame begins */
};

/* The frame of the call that returns to ADDRESS; false: not known, or not that simple. */
bool sites_unwind(struct sites *sites, uint32_t image, uint64_t address,
                  struct sites_frame *frame);

/* The builder's site of a return address in an image; WEFT_NONE for address 0. */
uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address);
/* The same of what runs when the call has returned: the next statement, mostly. */
uint32_t sites_find_after(struct sites *sites, uint32_t image, uint64_t address);
/*
 * The function that begins at or covers an address; NULL.  As long as SITES lives, like all
 * names.  They are as people write them, for C++ and Rust, too, without parameters.
 */
const char *sites_function(struct sites *sites, uint32_t image, uint64_t address);
/* Is what lies at an address of a file whose name begins so? */
bool sites_is_in(struct sites *sites, uint32_t image, uint64_t address, const char *name);
/* The function that begins at an address; NULL. */
const char *sites_function_at(struct sites *sites, uint32_t image, uint64_t address);
/* The variable that covers an address, and how far into it that is; NULL. */
const char *sites_variable(struct sites *sites, uint32_t image, uint64_t address,
                           uint64_t *within);
/* The same with types in full, for functions, too: "vtable for Task<void (*)(int)>". */
const char *sites_variable_in_full(struct sites *sites, uint32_t image, uint64_t address,
                                   uint64_t *within);

#endif
