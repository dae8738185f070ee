/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The original of an interposed function: WEFT_REAL(name) is the next definition of `name`
 * after the family's library.
 *
 * Each use has a row in a section of the family's library, and the constructor resolves all
 * rows: dlsym takes the loader's lock, so a hook that calls it later could wait for a
 * thread that is inside dlopen and itself waits for the hook's thread.  A hook that is
 * called before the constructor resolves its own row.
 *
 * real_functions.c is linked into each family, because RTLD_NEXT counts from the library
 * that calls dlsym.
 */
#ifndef WEFT_RECORD_REAL_FUNCTIONS_H
#define WEFT_RECORD_REAL_FUNCTIONS_H

#include "record/core/core.h"

/*
 * A row of the section weft_real: one use of WEFT_REAL(name), and the function it resolved
 * to.  Aligned so that compilers add no padding: the rows lie side by side.
 */
struct weft_real {
    void *function;             /* NULL if not resolved yet, or if no library has it */
    const char *name, *version; /* version: of the symbol; NULL: any */
} __attribute__((aligned(32)));

/*
 * Resolves the row REAL of the section weft_real by dlsym, stores the function in it and
 * returns it.  Aborts if there is no such function, since the program has called it.
 */
WEFT_HIDDEN void *weft_real_find(struct weft_real *real);
/*
 * Returns the function of the row REAL that dlsym(RTLD_NEXT) finds, and stores it in the
 * row; if there is none, the one that the library of the code at CALLER sees: the program
 * may have loaded that library, and others that define the function, each for itself
 * (dlopen's RTLD_LOCAL).  Such a function is looked up at each call, under the loader's
 * lock.  Aborts if there is no such function either.
 */
WEFT_HIDDEN void *weft_real_find_for(struct weft_real *real, const void *caller);

/*
 * WEFT_REAL_VERSION(): the function NAME as the next library after this one defines it,
 * typed as a pointer to NAME: with the symbol version VERSION (a string, or NULL) if there
 * is one, else any.  Never NULL: aborts if no library defines it.  WEFT_REAL(): the same
 * for any version.
 */
#define WEFT_REAL_VERSION(name, version) WEFT_REAL_BY_(name, version, weft_real_find(&row_))
#define WEFT_REAL(name)                  WEFT_REAL_VERSION(name, NULL)
/* WEFT_REAL(name) for a function that libraries may see each for itself: for the code at
   CALLER. */
#define WEFT_REAL_FOR(name, caller)                                                        \
 WEFT_REAL_BY_(name, NULL, weft_real_find_for(&row_, caller))
#define WEFT_REAL_BY_(name, version, find) WEFT_REAL_IN_("weft_real", name, version, find)
/* The same, with the row in a section that the constructor leaves alone. */
#define WEFT_REAL_IN_(section_, name, version, find)                                       \
 ({                                                                                        \
static struct weft_real row_                                                                   \
__attribute__((section(section_), used)) = { NULL, #name, version };                    \
void *function_ = __atomic_load_n(&row_.function, __ATOMIC_RELAXED);                           \
if (__builtin_expect(function_ == NULL, 0))                                                    \
function_ = find;                                                                             \
(__typeof__(&name))function_;                                                                  \
 })

#endif
