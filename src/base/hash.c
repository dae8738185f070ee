/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t weft_hash_secret[2];

/*
 * The kernel gives each process 16 random bytes (getauxval(3), AT_RANDOM), which the C
 * library uses for its own secrets: they are hashed here, so that neither secret can be
 * derived from the other.  Multipliers with few bits set would be bad.
 */
__attribute__((constructor)) static void make_secret(void)
{
    uint64_t random[2] = { 0 };
    const void *bytes = (const void *)getauxval(AT_RANDOM);
    if (bytes)
        memcpy(random, bytes, sizeof random);
    weft_hash_secret[0] = weft_hash(random, sizeof random);
    random[0] ^= 0x9e3779b97f4a7c15u;
    weft_hash_secret[1] = weft_hash(random, sizeof random);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

uint64_t weft_hash(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0x9e3779b97f4a7c15u ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 29;
        at += 8;
        length -= 8;
    }
    uint64_t word = 0;
    memcpy(&word, at, length);
    return mix(hash ^ word);
}

uint64_t weft_hash_text(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = length;
    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = weft_hash_words(hash ^ word, hash);
    }
    uint64_t word = 0;
    memcpy(&word, at, length);
    return weft_hash_words(hash ^ word, hash);
}
