/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which processor the thread is: written when it has changed, so that it costs events a
 * load and a comparison.  The kernel keeps the number in the thread's own memory (restartable
 * sequences, Linux 4.18; the C library registers that memory, glibc 2.35); where it does not, no
 * processor is recorded, since asking costs more than all the rest.
 */
#ifndef WEFT_RECORD_OMP_PROCESSOR_H
#define WEFT_RECORD_OMP_PROCESSOR_H

#include <stddef.h>

#include "domains/tasks/format/records.h"
#include "record/log/log.h"

#if defined(__x86_64__)

/* Of the C library: where in the thread's own memory, from its pointer; 0 bytes: it is not. */
extern const ptrdiff_t weft_rseq_offset __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned weft_rseq_size __asm__("__rseq_size") __attribute__((weak));

static __thread uint32_t weft_processor_last __attribute__((tls_model("initial-exec"))) =
    UINT32_MAX;

static inline void weft_processor_note(struct weft_log *log, uint64_t ticks)
{
    char *self;
    uint32_t now;

    if (__builtin_expect(&weft_rseq_size == NULL || weft_rseq_size == 0, 0))
        return;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    /* Its second word is the number, or a negative one. */
    now = *((volatile uint32_t *)(void *)(self + weft_rseq_offset) + 1);
    if (__builtin_expect(now == weft_processor_last || now > WEFT_ARGUMENT_MOST, 1))
        return;
    weft_processor_last = now;
    (void)weft_log_put(log, ticks, WEFT_RECORD_OMP_CPU, now);
}

#else

static inline void weft_processor_note(struct weft_log *log, uint64_t ticks)
{
    (void)log;
    (void)ticks;
}

#endif
#endif
