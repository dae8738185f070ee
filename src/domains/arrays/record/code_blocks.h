/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a function's machine code and its loops, while it is looked at. */
#ifndef WEFT_RECORD_ARRAYS_CODE_BLOCKS_H
#define WEFT_RECORD_ARRAYS_CODE_BLOCKS_H

#include "domains/arrays/record/code_loops.h"

/* Limits of a function whose code is read; reads of a larger one belong to nobody. */
enum {
    CODE_BYTES = 1 << 17,
    CODE_BLOCKS = 8192,
    CODE_SITES = 2048,
    CODE_LOOPS = 512,
    CODE_RANGES = 3, /* a function and parts of it that lie elsewhere */
    CODE_NO_BLOCK = 0xffff,
};

/* Instructions that are executed one after the other. */
struct code_block {
    uint32_t begin, end; /* positions: see struct code_blocks */
    uint16_t next[2];    /* blocks that may follow, or CODE_NO_BLOCK */
    uint16_t order;      /* its index in `ordered` */
    uint16_t loop;       /* its innermost loop */
    uint16_t first_site, n_sites;
    bool on_path, reached; /* while blocks are ordered */
};

struct code_range {
    uint64_t begin, end; /* addresses */
    uint32_t position;   /* of the first byte */
};

/* All of this is zero at first.  A position is an index of a byte in all ranges. */
struct code_blocks {
    struct code_range ranges[CODE_RANGES];
    uint32_t n_ranges, n_bytes;
    uint8_t marks[CODE_BYTES]; /* bits: an instruction begins here; a block does */
    uint32_t work[CODE_BLOCKS];
    uint32_t n_work;
    struct code_block blocks[CODE_BLOCKS]; /* [n], by their positions */
    uint32_t n;
    /* Blocks in an order in which each comes behind all that lead to it, but by going back
       in a loop, and in which the blocks of a loop are not parted by others. */
    uint16_t ordered[CODE_BLOCKS];
    uint16_t list[CODE_BLOCKS]; /* while loops are ordered; [n_list] */
    uint32_t n_list;
    uint32_t next_edge[CODE_BLOCKS];
    uint16_t back[CODE_BLOCKS][2]; /* [n_back] from the last block of a loop to its first */
    uint32_t n_back;
    uint16_t before[2 * CODE_BLOCKS],
        first_before[CODE_BLOCKS + 1]; /* what leads to each */
    uint16_t parents[CODE_LOOPS + 1], headers[CODE_LOOPS + 1];
    uint32_t n_loops;
    struct code_site sites[CODE_SITES];
    uint16_t block_of[CODE_SITES];
    uint32_t n_sites;
    /* Blocks with the stamp were seen by the current search. */
    uint32_t seen[CODE_BLOCKS], stamp;
    /* By reads, bits: writes that store what was read (code_values.h); those that do so in
       the same iteration; and blocks whose last branch it decides. */
    uint64_t stores[CODE_SITES][CODE_SITES / 64];
    uint64_t stores_now[CODE_SITES][CODE_SITES / 64];
    uint64_t decides[CODE_SITES][CODE_BLOCKS / 64];
    /* Bits: writes that the current read decides, and for its loop: see code_control.c. */
    uint64_t chosen[CODE_SITES / 64];
    uint16_t post[CODE_BLOCKS];
    uint32_t post_loop;
    bool has_post;
};

/*
 * Reads the code of the function with the bytes from BEGIN to END into BLOCKS: blocks,
 * loops and sites, these without their owners.  Returns false if it cannot be read.
 */
WEFT_HIDDEN bool code_read(struct code_blocks *blocks, uint64_t begin, uint64_t end,
                           code_hook_kind *kind);
/* Returns the range of the function, or part of one, with ADDRESS, by the unwinding tables
   of its file; false if there is none. */
WEFT_HIDDEN bool code_range_of(uint64_t address, uint64_t *begin, uint64_t *end);
/* Returns the address of the byte at a position. */
WEFT_HIDDEN uint64_t code_address(const struct code_blocks *blocks, uint32_t position);
/* Sets the owners of all reads of BLOCKS. */
WEFT_HIDDEN void code_owners(struct code_blocks *blocks);

/* Returns the loop around INNER that is directly in LOOP; 0 if INNER is LOOP itself. */
static inline uint32_t code_loop_within(const struct code_blocks *blocks, uint32_t inner,
                                        uint32_t loop)
{
    uint32_t within = 0;

    for (; inner != loop && inner != 0; inner = blocks->parents[inner])
        within = inner;
    return within;
}

/* Returns true if the loop INNER is OUTER or lies in it. */
static inline bool code_block_inside(const struct code_blocks *blocks, uint32_t inner,
                                     uint32_t outer)
{
    while (inner != outer && inner != 0)
        inner = blocks->parents[inner];
    return inner == outer;
}

#endif
