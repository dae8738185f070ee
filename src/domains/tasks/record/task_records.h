/* SPDX-License-Identifier: Apache-2.0 */
/* Gives tasks and regions numbers, unique in the process image, and writes their
   records. */
#ifndef WEFT_RECORD_TASK_RECORDS_H
#define WEFT_RECORD_TASK_RECORDS_H

#include "domains/tasks/record/counters.h"
#include "domains/tasks/record/current_processor.h"

/* How many numbers of tasks and regions a thread reserves at a time, so that threads seldom
   contend for weft_next_run. */
enum { WEFT_NUMBER_RUN = 1024 };
/* The lowest number of a task or region that no thread has taken yet, from 1; changed
   atomically. */
WEFT_HIDDEN extern uint64_t weft_next_run;
/* The numbers that the calling thread has reserved and not used: from `next` to `end` - 1;
   none if they are equal. */
WEFT_HIDDEN extern __thread struct weft_number_run {
    uint64_t next, end;
} weft_own_run __attribute__((tls_model("initial-exec")));

/* Returns a new number for a task or a parallel region, from 1, unique in the process
   image. Takes no lock. */
static inline uint64_t weft_new_number(void)
{
    struct weft_number_run *own = &weft_own_run;

    if (__builtin_expect(own->next == own->end, 0)) {
        own->next = __atomic_fetch_add(&weft_next_run, WEFT_NUMBER_RUN, __ATOMIC_RELAXED);
        own->end = own->next + WEFT_NUMBER_RUN;
    }
    return own->next++;
}

/* Writes up to three records into the calling thread's log, all at the present tick: the
   processor that it runs on if that changed, its performance counters if any are counted,
   and last a record of KIND (format/records.h) with ARGUMENT and WORDS[N_WORDS], which are
   copied. */
static inline void weft_omp_put(uint32_t kind, uint32_t argument, const uint64_t *words,
                                uint32_t n_words)
{
    struct weft_log *log = weft_log_get();
    uint64_t ticks = weft_ticks();

    weft_processor_note(log, ticks);
    weft_counters_note(log, ticks);
    weft_log_put_words(log, ticks, kind, argument, words, n_words);
}

#endif
