/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions behind those that a family interposes.  WEFT_REAL(name) is the function.
 *
 * Each use has a row in a section of the family's library, and all rows are resolved in its
 * constructor: dlsym takes the loader's lock, and a hook that asks it later may wait for a
 * thread that is inside dlopen and waits for the hook's thread.  A hook that is called before
 * the constructor resolves its own row.
 *
 * real.c is linked into each family: "the next definition" counts from the library that asks.
 */
#ifndef WEFT_RECORD_REAL_H
#define WEFT_RECORD_REAL_H

#include "record/core/core.h"

/* Of a size that compilers have no reason to pad, for the rows lie side by side. */
struct weft_real {
    void *function; /* NULL: not resolved yet, or the C library has none */
    const char *name, *version;
} __attribute__((aligned(32)));

/* Resolve a row now; aborts when there is no such function: the program has called it. */
WEFT_HIDDEN void *weft_real_find(struct weft_real *real);

/* The definition in VERSION when the library has that, else the next one at all. */
#define WEFT_REAL_VERSION(name, version)                                                   \
 ({                                                                                        \
static struct weft_real row_                                                                   \
__attribute__((section("weft_real"), used)) = { NULL, #name, version };                    \
void *function_ = __atomic_load_n(&row_.function, __ATOMIC_RELAXED);                           \
if (__builtin_expect(function_ == NULL, 0))                                                    \
function_ = weft_real_find(&row_);                                                            \
(__typeof__(&name))function_;                                                                  \
 })
#define WEFT_REAL(name) WEFT_REAL_VERSION(name, NULL)

#endif
