/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of memory in a recording (recording_layout.h has their framing): blocks of
 * the allocator and mappings.  Below, "+" precedes a word of the record; "slot": the
 * argument is the number that a WEFT_RECORD_PAIR gave to the site, the call's return
 * address, and to WEFT_MEMORY_OBJECT.  Ticks are of the process's clock: how long the call
 * took.
 *
 * A block begins when its call has returned, and ends when the call that gives it back
 * begins: an address is in use between these two, and belongs to one block at a time.
 */
#ifndef WEFT_FORMAT_RECORDING_MEMORY_H
#define WEFT_FORMAT_RECORDING_MEMORY_H

#include "format/recording_layout.h"

/* The number of this family of records, which is a part of their kinds. */
enum { WEFT_FAMILY_MEMORY = 6 };

/* The kinds of records of memory. */
enum {
    WEFT_RECORD_BLOCK = WEFT_FIRST_KIND(WEFT_FAMILY_MEMORY), /* slot; + address + bytes and
                            ticks (weft_block_word) [+ ticks]: a new block */
    WEFT_RECORD_FREE,   /* ticks, if below WEFT_ARGUMENT_MAX; + address [+ ticks]: the block
                            is given back */
    WEFT_RECORD_LEAVES, /* as FREE: realloc takes a block away from the address; the next
                            MOVED of the thread has the block that replaces it */
    WEFT_RECORD_MOVED,  /* as BLOCK: the block of a realloc that LEAVES precedes */
    WEFT_RECORD_RESIZED,  /* as BLOCK: realloc left the block where it was, of other size */
    WEFT_RECORD_REFUSED,  /* slot; + bytes + ticks: the allocator returned no block */
    WEFT_RECORD_MAPPED,   /* slot; + address + bytes + enum weft_mapping_kind + ticks */
    WEFT_RECORD_UNMAPPED, /* + address + bytes + ticks: about to be unmapped */
    WEFT_RECORD_REMAPPED, /* slot; + address + bytes before (0: they stay mapped) + address
                             + bytes after + ticks: mremap */
    WEFT_RECORD_MEMORY_END, /* one more than the last kind */
};

/* The content of a mapping. */
enum weft_mapping_kind {
    WEFT_MAPPING_ANONYMOUS, /* memory */
    WEFT_MAPPING_FILE,      /* pages of a file or device */
};

/* The object of the pairs whose slots name sites.  No object of a program lies there. */
#define WEFT_MEMORY_OBJECT ((const void *)16)

/*
 * The word of a block with its size and ticks: the size in the low WEFT_BLOCK_TICKS bits,
 * which no process has more of, and the ticks in the others; all of these set: the ticks
 * are in the next word.
 */
enum { WEFT_BLOCK_TICKS = 48, WEFT_BLOCK_TICKS_MAX = (1 << 16) - 1 };

/* Returns that word for a block of BYTES, less than 2^48, whose call took TICKS. */
static inline uint64_t weft_block_word(uint64_t bytes, uint64_t ticks)
{
    uint64_t high = ticks < WEFT_BLOCK_TICKS_MAX ? ticks : WEFT_BLOCK_TICKS_MAX;

    return (bytes & ((UINT64_C(1) << WEFT_BLOCK_TICKS) - 1)) | high << WEFT_BLOCK_TICKS;
}

#endif
