/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the time of the recorder's own work. */
#include <time.h>

#include "record/core/clocks.h"
#include "record/log/log.h"
#include "record/log/recording_overhead.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"

/* Nanoseconds; for less, a preemption is unlikely, and asking would cost as much. */
enum { SHORT_NS = 20000 };

int64_t weft_thread_ns(void)
{
    return weft_sandbox_allows(WEFT_NEED_PROCESSOR_TIME)
               ? weft_clock_ns(CLOCK_THREAD_CPUTIME_ID)
               : 0;
}

struct weft_spending weft_spending_begins(int64_t thread_ns)
{
    return (struct weft_spending){ .ticks = weft_ticks(),
                                   .system_ns = weft_clock_ns(CLOCK_MONOTONIC),
                                   .thread_ns = thread_ns };
}

void weft_spending_ends(const struct weft_spending *spending)
{
    uint64_t ticks = weft_ticks() - spending->ticks;
    int64_t took = weft_clock_ns(CLOCK_MONOTONIC) - spending->system_ns;

    if (took > SHORT_NS && weft_sandbox_allows(WEFT_NEED_PROCESSOR_TIME)) {
        int64_t used = weft_thread_ns() - spending->thread_ns;
        if (used >= 0 && used < took)
            ticks = (uint64_t)((double)ticks * (double)used / (double)took);
    }
    if (weft_process.header)
        __atomic_fetch_add(&weft_process.header->spent, ticks, __ATOMIC_RELAXED);
}
