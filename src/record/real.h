/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions behind those that are interposed: found by name at the first use, each in a
 * pointer of its own.  WEFT_REAL(name) is the function.
 */
#ifndef WEFT_RECORD_REAL_H
#define WEFT_RECORD_REAL_H

#include "record/log.h"

/* The next definition of NAME, in VERSION when the library has that; aborts when none. */
WEFT_HIDDEN void *weft_real_find(const char *name, const char *version);

#define WEFT_REAL_VERSION(name, version) \
 ({ \
static __typeof__(&name) found_; \
__typeof__(&name) real_ = __atomic_load_n(&found_, __ATOMIC_RELAXED); \
if (__builtin_expect(real_ == NULL, 0)) { \
real_ = (__typeof__(&name))weft_real_find(#name, version); \
__atomic_store_n(&found_, real_, __ATOMIC_RELAXED); \
} \
real_; \
 })
#define WEFT_REAL(name) WEFT_REAL_VERSION(name, NULL)

#endif
