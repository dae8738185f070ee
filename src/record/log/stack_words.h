/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the words of the stack around a call, for records (format/stack_words.h). */
#ifndef WEFT_RECORD_LOG_STACK_WORDS_H
#define WEFT_RECORD_LOG_STACK_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/stack_words.h"

#if defined(__x86_64__)
/* 1 if the reader of a recording can unwind stacks by these words: on x86-64 only; or 0. */
# define WEFT_CAN_UNWIND 1
#else
# define WEFT_CAN_UNWIND 0
#endif

/*
 * Returns true if the two words at FRAME, a frame pointer (the caller's frame pointer and a
 * return address), are aligned and lie in [LOW, END).
 */
static inline bool weft_stack_has(uintptr_t low, uintptr_t end, uint64_t frame)
{
    return frame % sizeof(uint64_t) == 0 && frame >= low && frame < end
           && end - frame >= 2 * sizeof(uint64_t);
}

/*
 * Sets WORDS, in the layout of format/stack_words.h, for a hook that was called at SITE and
 * whose frame address (__builtin_frame_address(0)) is FRAME; returns their number, at most
 * WEFT_STACK_WORDS + RAW + 2 * WEFT_STACK_CHAIN_MAX.  RAW, at most WEFT_STACK_RAW_DEEP, is
 * how many words to copy from the stack pointer upwards; fewer if the readable stack, which
 * ends before the address END, has fewer.  Other threads may write these words at any time.
 */
__attribute__((no_sanitize("thread"))) static inline uint32_t
weft_stack_read(uint64_t *words, uint32_t raw, uint64_t site, const void *frame,
                uintptr_t end)
{
    /* Caller's frame pointer, return address, then the caller's words. */
    const uint64_t *at = frame;
    uintptr_t low = (uintptr_t)(at + 2);
    uint64_t next = at[0];
    uint32_t n = WEFT_STACK_WORDS;

    words[WEFT_STACK_SITE] = site;
    words[WEFT_STACK_POINTER] = low;
    words[WEFT_STACK_FRAME] = next;
    for (at += 2; n < WEFT_STACK_WORDS + raw && (uintptr_t)(at + 1) <= end; at++)
        words[n++] = *at;
    words[WEFT_STACK_RAW] = n - WEFT_STACK_WORDS;
    for (int i = 0; i < WEFT_STACK_CHAIN_MAX && weft_stack_has(low, end, next); i++) {
        at = (const uint64_t *)(uintptr_t)next;
        words[n++] = next = at[0];
        words[n++] = at[1];
        low = (uintptr_t)(at + 2);
    }
    return n;
}

#endif
