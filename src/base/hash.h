/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes.  weft_hash is the same everywhere and for ever: for files and their names.  The others
 * are for tables in memory: they depend on a secret of the process, so that nobody can write a
 * file whose names all meet in one slot.  Nothing that is shown or written may follow their order.
 *
 * Words are mixed by multiplying them and adding the halves of the product without carry, as
 * Wang Yi's wyhash does: which pairs meet depends on all bits of the secret.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t weft_hash(const void *bytes, size_t length);

/* Set before main begins, and never again. */
extern uint64_t weft_hash_secret[2];

static inline uint64_t weft_hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t weft_hash_words(uint64_t low, uint64_t high)
{
    return weft_hash_fold(low ^ weft_hash_secret[0], high ^ weft_hash_secret[1]);
}

static inline uint64_t weft_hash_word(uint64_t word)
{
    return weft_hash_words(word, 0);
}

uint64_t weft_hash_text(const void *bytes, size_t length);

#endif
