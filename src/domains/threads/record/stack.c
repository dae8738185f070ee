/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few words of the stack at calls that wait.  Who called the wrapper that called the hook is
 * found from them when the recording is joined, by the unwinding tables of the wrapper.
 */
#include "domains/threads/record/threads.h"

#include <string.h>

enum { PAGE = 4096 }; /* no page is smaller */

static __thread struct {
    uintptr_t low, high;             /* of the thread's own stack; 0: not known */
    uint64_t noted[WEFT_STACK_MOST]; /* as recorded last */
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
/* How far up the stack may be read: other stacks may end where the page of ADDRESS does. */
static uintptr_t readable_end(uintptr_t address)
{
    if (address >= stack.low && address < stack.high)
        return stack.high;
    return (address | (PAGE - 1)) + 1;
}

/* Whoever else writes into these words does so whenever he likes. */
__attribute__((no_sanitize("thread"))) void weft_stack_note(uint64_t site,
                                                            const void *frame)
{
    /* The hook has a frame pointer: there lie its caller's, the return address, the rest. */
    const uint64_t *at = frame;
    uint64_t words[WEFT_STACK_MOST] = { site, (uint64_t)(uintptr_t)(at + 2), at[0] };
    uint32_t n = WEFT_STACK_WORDS;
    uintptr_t end = readable_end((uintptr_t)(at + 2));

    for (at += 2; n < WEFT_STACK_MOST && (uintptr_t)(at + 1) <= end; at++)
        words[n++] = *at;
    if (n == stack.n_noted && memcmp(words, stack.noted, n * sizeof *words) == 0)
        return;
    if (weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_STACK, 0, words, n)) {
        memcpy(stack.noted, words, n * sizeof *words);
        stack.n_noted = n;
    }
}
#else
/* The join knows how to unwind one kind of processor only. */
void weft_stack_note(uint64_t site, const void *frame)
{
    (void)site;
    (void)frame;
}
#endif
