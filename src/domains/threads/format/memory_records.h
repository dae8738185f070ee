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

/*
 * Kinds of records of memory.  Each has an argument, a small integer; "slot": it names the
 * call's return address (site).  "+" precedes each word that follows.  "ticks": how long
 * the call took.
 */
enum {
    WEFT_RECORD_BLOCK = WEFT_FIRST_KIND(WEFT_FAMILY_MEMORY), /* slot; + address + bytes and
                            ticks (weft_block_word) [+ ticks]: a new block */
    WEFT_RECORD_FREE,     /* argument: ticks, if below WEFT_ARGUMENT_MAX, else 0; + address
                            [+ ticks, in the second case]: the block is given back */
    WEFT_RECORD_LEAVES,   /* as FREE: realloc takes a block away from the address; the next
                            MOVED of the thread has the block that replaces it */
    WEFT_RECORD_MOVED,    /* as BLOCK: the block of a realloc that LEAVES precedes */
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

/*
 * The address that a WEFT_RECORD_PAIR (an object and a site) of this family has as its
 * object, since only the site counts.  No object of a program lies there.
 */
#define WEFT_MEMORY_OBJECT ((const void *)16)

/*
 * The word of a record with a block's size in bytes and the ticks that the call took: the
 * size in the low 48 (WEFT_BLOCK_TICKS) bits, since no process has more memory; the ticks
 * in the 16 bits above.  If these are all set (WEFT_BLOCK_TICKS_MAX), the ticks are in the
 * record's next word.
 */
enum { WEFT_BLOCK_TICKS = 48, WEFT_BLOCK_TICKS_MAX = (1 << 16) - 1 };

/*
 * Returns the word of a record for a block of BYTES (less than 2^48, in the low 48 bits)
 * whose call took TICKS (in the 16 bits above; 65,535 if it took as many or more, and the
 * caller then writes TICKS as the next word).
 */
static inline uint64_t weft_block_word(uint64_t bytes, uint64_t ticks)
{
    uint64_t high = ticks < WEFT_BLOCK_TICKS_MAX ? ticks : WEFT_BLOCK_TICKS_MAX;

    return (bytes & ((UINT64_C(1) << WEFT_BLOCK_TICKS) - 1)) | high << WEFT_BLOCK_TICKS;
}

#endif
