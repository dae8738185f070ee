/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records words of the stack at calls that wait.  The reader finds the caller of a wrapper
 * in them, by the unwinding tables of the wrapper.  Locks that are taken at once are too
 * many for that: there the return addresses of small frames are recorded, once for each
 * path of calls.
 */
#include "domains/threads/record/hook_helpers.h"

#include <string.h>

#include "record/log/stack_words.h"

enum {
    PAGE = 4096,             /* no page is smaller */
    MAX_WRAPPER_FRAME = 512, /* bytes: wrappers have few variables */
    PATHS = 32,              /* remembered as recorded */
};

static __thread struct {
    uintptr_t low, high;            /* of the thread's own stack; 0 if unknown */
    uint64_t noted[WEFT_STACK_FEW]; /* the last record */
    uint32_t n_noted;
    uint64_t paths[PATHS]; /* by number */
} stack __attribute__((tls_model("initial-exec")));

void weft_stack_is(const void *low, const void *high)
{
    stack.high = (uintptr_t)high;
    stack.low = (uintptr_t)low;
}

void weft_stack_forked(void)
{
    stack.n_noted = 0;
    memset(stack.paths, 0, sizeof stack.paths);
}

#if WEFT_CAN_UNWIND
/* Returns the end of the readable stack: of its page, if ADDRESS is on another stack. */
static uintptr_t readable_end(uintptr_t address)
{
    if (address >= stack.low && address < stack.high)
        return stack.high;
    return (address | (PAGE - 1)) + 1;
}

void weft_stack_note(uint64_t site, const void *frame)
{
    uint64_t words[WEFT_STACK_FEW];
    uint32_t n = weft_stack_read(words, WEFT_STACK_RAW_FEW, site, frame,
                                 readable_end((uintptr_t)frame + 2 * sizeof *words));

    if (n == stack.n_noted && memcmp(words, stack.noted, n * sizeof *words) == 0)
        return;
    if (weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_STACK, 0, words, n)) {
        memcpy(stack.noted, words, n * sizeof *words);
        stack.n_noted = n;
    }
}

void weft_stack_note_deep(uint64_t site, const void *frame)
{
    uint64_t words[WEFT_STACK_DEEP];
    uint32_t n = weft_stack_read(words, WEFT_STACK_RAW_DEEP, site, frame,
                                 readable_end((uintptr_t)frame + 2 * sizeof *words));

    (void)weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_STACK, 0, words, n);
    stack.n_noted = 0; /* this is the last record */
}

/*
 * Set CALLS to SITE and the return addresses in the chain of frame pointers, which begins
 * at the caller's, as far as the frames are small; returns their number.
 */
__attribute__((no_sanitize("thread"))) static uint32_t
follow_frames(uint64_t site, const uint64_t *frame, uint64_t calls[WEFT_PATH_MAX])
{
    uintptr_t low = (uintptr_t)(frame + 2), end = readable_end(low);
    uint64_t next = frame[0];
    uint32_t n = 0;

    calls[n++] = site;
    while (n < WEFT_PATH_MAX && weft_stack_has(low, end, next)
           && next - low <= MAX_WRAPPER_FRAME) {
        const uint64_t *at = (const uint64_t *)(uintptr_t)next;
        calls[n++] = at[1];
        next = at[0];
        low = (uintptr_t)(at + 2);
    }
    return n;
}

/* Returns a number for a path; no address has its highest bit set. */
static uint64_t number_of(const uint64_t *calls, uint32_t n)
{
    uint64_t number = n;

    for (uint32_t i = 0; i < n; i++) {
        number = (number ^ calls[i]) * UINT64_C(0x9e3779b97f4a7c15);
        number ^= number >> 29;
    }
    return (number & ~WEFT_PATH_EXACT) | WEFT_PATH_BIT;
}

/* Writes the path CALLS[n], unless the thread did so lately; returns NUMBER, or SITE. */
static uint64_t put_path(uint64_t site, uint64_t number, const uint64_t *calls, uint32_t n)
{
    uint64_t words[1 + WEFT_PATH_MAX];
    uint64_t *known = &stack.paths[(number >> 8) % PATHS];

    if (n == 1)
        return site;
    if (*known == number)
        return number;
    words[0] = number;
    for (uint32_t i = 0; i < n; i++) {
        CORE.see(calls[i]);
        words[1 + i] = calls[i];
    }
    if (!weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_PATH, 0, words,
                            1 + n))
        return site;
    *known = number;
    return number;
}

uint64_t weft_stack_path(uint64_t site, const void *frame)
{
    uint64_t calls[WEFT_PATH_MAX];
    uint32_t n = follow_frames(site, frame, calls);

    return put_path(site, number_of(calls, n), calls, n);
}

uint64_t weft_wrapper_path(uint64_t site, const void *frame)
{
    uint64_t calls[WEFT_PATH_MAX];
    uintptr_t end = readable_end((uintptr_t)frame + 2 * sizeof *calls);
    uint32_t n = weft_leave_wrappers(site, frame, end, calls);

    if (n == 1)
        return site;
    return put_path(site, number_of(calls, n) | WEFT_PATH_EXACT, calls, n);
}
#else
void weft_stack_note(uint64_t site, const void *frame)
{
    (void)site;
    (void)frame;
}

void weft_stack_note_deep(uint64_t site, const void *frame)
{
    (void)site;
    (void)frame;
}

uint64_t weft_stack_path(uint64_t site, const void *frame)
{
    (void)frame;
    return site;
}

uint64_t weft_wrapper_path(uint64_t site, const void *frame)
{
    (void)frame;
    return site;
}
#endif
