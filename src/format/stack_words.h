/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a record of the stack at a call, by which the reader finds the call in the
 * program if the recorded one is in a wrapper.
 */
#ifndef WEFT_FORMAT_STACK_WORDS_H
#define WEFT_FORMAT_STACK_WORDS_H

/*
 * Indices of the first words; then follow words[WEFT_STACK_RAW] words of the stack, copied
 * from the stack pointer upwards; then 0 to WEFT_STACK_CHAIN_MAX pairs, which follow the
 * chain of frame pointers: the first pair is the two words at the frame pointer (the next
 * frame pointer, a return address), each further one those at that of the pair before.
 */
enum {
    WEFT_STACK_SITE,           /* return address of the call */
    WEFT_STACK_POINTER,        /* the stack pointer after the call's return */
    WEFT_STACK_FRAME,          /* the frame pointer register then */
    WEFT_STACK_RAW,            /* number of words from the stack pointer upwards */
    WEFT_STACK_WORDS,          /* index of the first of these */
    WEFT_STACK_RAW_FEW = 32,   /* enough for some frames of wrappers of locks */
    WEFT_STACK_RAW_MAX = 96,   /* enough for MPICH's descriptors of Fortran's arrays */
    WEFT_STACK_RAW_DEEP = 384, /* enough for the 20 calls by which a future joins */
    WEFT_STACK_CHAIN_MAX = 8,  /* pairs */
    /* most words of a record with at most RAW_FEW, RAW_MAX, RAW_DEEP words of the stack */
    WEFT_STACK_FEW = WEFT_STACK_WORDS + WEFT_STACK_RAW_FEW + 2 * WEFT_STACK_CHAIN_MAX,
    WEFT_STACK_MAX = WEFT_STACK_WORDS + WEFT_STACK_RAW_MAX + 2 * WEFT_STACK_CHAIN_MAX,
    WEFT_STACK_DEEP = WEFT_STACK_WORDS + WEFT_STACK_RAW_DEEP + 2 * WEFT_STACK_CHAIN_MAX,
};

#endif
