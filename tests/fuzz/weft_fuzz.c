/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a store, asked everything.  The mutator knows the format (store_mutate.h); one in
 * four times libFuzzer's own is let loose on all bytes, and the checksums are made good again.
 */
#include "fuzz.h"

#include <string.h>

#include "format/store_layout.h"
#include "store_ask.h"
#include "store_mutate.h"
#include "tests/random.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    roll_from(seed);
    if (roll(4) == 0 && LLVMFuzzerMutate) {
        size = LLVMFuzzerMutate(data, size, most);
        if (size >= WEFT_STORE_HEADER_SIZE)
            store_repair(data, size);
    } else {
        store_mutate(data, size);
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* What is asked is a function of the bytes, so that a file shows its fault again. */
    uint64_t seed = size;
    for (size_t i = 0; i < size; i += 1 + size / 64)
        seed = seed * 31 + data[i];
    roll_from(seed);
    store_ask(data, size);
    return 0;
}
