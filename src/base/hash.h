/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes. weft_hash never changes: its values are stored in files and file names.  The
 * others are for hash tables in memory: they depend on a random secret of the process, so
 * that no input file can be crafted to make all names collide.  Output must never depend on
 * the order of such a table.
 *
 * Words are mixed by multiplying them and XORing the halves of the product, as in Wang Yi's
 * wyhash: collisions depend on all bits of the secret.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Hashes LENGTH bytes; the value is the same in every process and version, so that inputs
 * can be crafted to collide.
 */
uint64_t weft_hash(const void *bytes, size_t length);

/* The random secret of the process, set before main begins and constant from then on. */
extern uint64_t weft_hash_secret[2];

/* Multiplies A by B and returns the two halves of the 128-bit product, XORed. */
static inline uint64_t weft_hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hashes the 128-bit key HIGH, LOW with weft_hash_secret: it differs between processes. */
static inline uint64_t weft_hash_words(uint64_t low, uint64_t high)
{
    return weft_hash_fold(low ^ weft_hash_secret[0], high ^ weft_hash_secret[1]);
}

/* Hashes a 64-bit key with weft_hash_secret: the value differs between processes. */
static inline uint64_t weft_hash_word(uint64_t word)
{
    return weft_hash_words(word, 0);
}

/*
 * Hashes LENGTH bytes with weft_hash_secret, so that the value differs between processes.
 */
uint64_t weft_hash_text(const void *bytes, size_t length);

#endif
