/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records a few words of the stack at calls that wait.  The reader finds the caller of a
 * wrapper in them, by the unwinding tables of the wrapper.
 */
#include "domains/threads/record/threads.h"

#include <string.h>

enum { PAGE = 4096 }; /* no page is smaller */

static __thread struct {
    uintptr_t low, high;            /* of the thread's own stack; 0 if unknown */
    uint64_t noted[WEFT_STACK_MAX]; /* the last record */
    uint32_t n_noted;
} stack __attribute__((tls_model("initial-exec")));

void weft_stack_is(const void *low, const void *high)
{
    stack.high = (uintptr_t)high;
    stack.low = (uintptr_t)low;
}

void weft_stack_forked(void)
{
    stack.n_noted = 0;
}

#if defined(__x86_64__)
/* Returns the end of the readable stack: of its page, if ADDRESS is on another stack. */
static uintptr_t readable_end(uintptr_t address)
{
    if (address >= stack.low && address < stack.high)
        return stack.high;
    return (address | (PAGE - 1)) + 1;
}

/* Other threads may write these words at any time. */
__attribute__((no_sanitize("thread"))) void weft_stack_note(uint64_t site,
                                                            const void *frame)
{
    /* Caller's frame pointer, return address, then the caller's words. */
    const uint64_t *at = frame;
    uint64_t words[WEFT_STACK_MAX] = { site, (uint64_t)(uintptr_t)(at + 2), at[0] };
    uint32_t n = WEFT_STACK_WORDS;
    uintptr_t end = readable_end((uintptr_t)(at + 2));

    for (at += 2; n < WEFT_STACK_MAX && (uintptr_t)(at + 1) <= end; at++)
        words[n++] = *at;
    if (n == stack.n_noted && memcmp(words, stack.noted, n * sizeof *words) == 0)
        return;
    if (weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_STACK, 0, words, n)) {
        memcpy(stack.noted, words, n * sizeof *words);
        stack.n_noted = n;
    }
}
#else
/* The reader can unwind on x86-64 only. */
void weft_stack_note(uint64_t site, const void *frame)
{
    (void)site;
    (void)frame;
}
#endif
