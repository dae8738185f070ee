/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the number of the processor that the thread runs on.  It is recorded only when
 * it has changed, so an event costs a load and a comparison.  The kernel keeps the number
 * in thread-local memory (restartable sequences, Linux 4.18; registered by glibc 2.35).
 * Without that no processor is recorded, since getcpu() would cost more than the rest of
 * the event.
 */
#ifndef WEFT_RECORD_OMP_CURRENT_PROCESSOR_H
#define WEFT_RECORD_OMP_CURRENT_PROCESSOR_H

#include <stddef.h>

#include "domains/tasks/format/records.h"
#include "record/log/log.h"

#if defined(__x86_64__)

/* A symbol of glibc: the offset of the area of restartable sequences (rseq) from the thread
   pointer. */
extern const ptrdiff_t weft_rseq_offset __asm__("__rseq_offset") __attribute__((weak));
/* A symbol of glibc: the bytes of the rseq area; 0 if there is none.  Its address is NULL
   if the C library is older than 2.35. */
extern const unsigned weft_rseq_size __asm__("__rseq_size") __attribute__((weak));

/* The processor that the calling thread's records name last; UINT32_MAX: none yet. */
static __thread uint32_t weft_processor_last __attribute__((tls_model("initial-exec"))) =
    UINT32_MAX;

/* Writes the number of the processor that the calling thread runs on, as a record at TICKS,
   into LOG, the thread's log, if it differs from the one written last.  Writes nothing if
   the C library has no rseq area or the kernel keeps no number there. */
static inline void weft_processor_note(struct weft_log *log, uint64_t ticks)
{
    char *self;
    uint32_t now;

    if (__builtin_expect(&weft_rseq_size == NULL || weft_rseq_size == 0, 0))
        return;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    /* The area's second word is the processor's number, or negative. */
    now = *((volatile uint32_t *)(void *)(self + weft_rseq_offset) + 1);
    if (__builtin_expect(now == weft_processor_last || now > WEFT_ARGUMENT_MAX, 1))
        return;
    weft_processor_last = now;
    (void)weft_log_put(log, ticks, WEFT_RECORD_OMP_CPU, now);
}

#else

/* Does nothing: no processors are recorded on this architecture. */
static inline void weft_processor_note(struct weft_log *log, uint64_t ticks)
{
    (void)log;
    (void)ticks;
}

#endif
#endif
