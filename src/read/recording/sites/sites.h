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

/* Look-ups of the addresses of one recording, with open symbol files and caches. */
struct sites;
/*
 * Returns look-ups of addresses of RECORDING, which put the places they find into BUILDER;
 * both must live longer.  The caller frees them by sites_free().
 */
struct sites *sites_new(const struct recording *recording, struct weft_builder *builder);
/* Frees SITES (or NULL) and all names that it has returned. */
void sites_free(struct sites *sites);

/* Functions that people call instead of those that are recorded. */
struct sites_wrapper {
    const char *name; /* demangled, without parameters */
    bool begins;      /* NAME is the beginning of names */
    bool library;     /* NAME is the beginning of a file's name: all of its code */
};
/* Know TABLE[n] of wrappers, too; it must outlive SITES, and comes before all questions. */
void sites_know_wrappers(struct sites *sites, const struct sites_wrapper *table, size_t n);
/*
 * Returns true if the code of the call that returns to ADDRESS, with all functions that are
 * inlined there, is no part of the program: each is of a table of wrappers, of a header of
 * the system or a compiler, or marked as artificial.
 */
bool sites_is_wrapper(struct sites *sites, uint32_t image, uint64_t address);

/*
 * Returns the index of the innermost of N ADDRESSES in process image IMAGE, N >= 1, that is
 * the program's own: in no system library (those of C and C++), and in a function that is
 * no wrapper.  In the file of that one, a later function whose source line is known is
 * preferred: a static program has the C library in its own file.  Returns N - 1, the
 * outermost, if none is the program's own.
 */
size_t sites_own(struct sites *sites, uint32_t image, const uint64_t *addresses, size_t n);

/*
 * The rule to unwind one call, by the unwinding tables of its file: the frame (CFA) is at
 * `offset` from the stack pointer or (by_frame_pointer) the frame pointer; the return
 * address and, if saves_frame_pointer, the caller's frame pointer lie relative to it.
 */
struct sites_frame {
    bool by_frame_pointer, saves_frame_pointer;
    int64_t offset;                 /* bytes from the register */
    int64_t returns, frame_pointer; /* bytes from the frame */
};

/*
 * Sets *FRAME to the rule to unwind the function that contains the call which returns to
 * ADDRESS, in process image IMAGE (index in the recording).  Returns false if the rule is
 * unknown or too complex; then *FRAME may be partly set.  Code for x86-64 only.
 */
bool sites_unwind(struct sites *sites, uint32_t image, uint64_t address,
                  struct sites_frame *frame);

/*
 * Returns the builder's site (file, function and line of a call) of the return ADDRESS in
 * process image IMAGE (index in the recording): that in the innermost function, inlined
 * ones included, that is the program's own (see sites_is_wrapper); in the outermost, if
 * none is.  Without symbols the site has only the address; for address 0 it is WEFT_NONE.
 */
uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address);
/* Like sites_find(), but of the code at ADDRESS, after the call: mostly the next statement.
 */
uint32_t sites_find_after(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns the name of the function that begins at or covers ADDRESS in process image IMAGE
 * (index in the recording), or NULL if unknown.  It is demangled, without parameters, and
 * lives as long as SITES.
 */
const char *sites_function(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns true if ADDRESS of process image IMAGE (index in the recording) is in a mapped
 * file whose name, without its folder, begins with NAME.
 */
bool sites_is_in(struct sites *sites, uint32_t image, uint64_t address, const char *name);
/*
 * Returns the demangled name, without parameters, of the function that begins exactly at
 * ADDRESS in process image IMAGE (index in the recording), or NULL.  It lives as long as
 * SITES.
 */
const char *sites_function_at(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns the name of the static variable that covers ADDRESS in process image IMAGE (index
 * in the recording), and sets *WITHIN to the bytes from its begin to ADDRESS; NULL if
 * unknown.  The name is demangled, and lives as long as SITES.
 */
const char *sites_variable(struct sites *sites, uint32_t image, uint64_t address,
                           uint64_t *within);
/*
 * Like sites_variable(), with the types of parameters in the name: "vtable for
 * A<void (*)(int)>".
 */
const char *sites_variable_in_full(struct sites *sites, uint32_t image, uint64_t address,
                                   uint64_t *within);

#endif
