/* SPDX-License-Identifier: Apache-2.0 */
/* The clock samples that weft record itself takes. */
#include <time.h>
#if defined(__x86_64__)
# include <x86intrin.h>
#endif

#include "read/recording/recording_to_store.h"

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t read_ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    return (uint64_t)read_clock(CLOCK_MONOTONIC);
#endif
}

/* The fastest of a few readings: an interrupted reading is inexact. */
struct weft_clock_sample weft_recording_clocks(void)
{
    struct weft_clock_sample best = { .error_ticks = UINT64_MAX };

    for (int i = 0; i < 5; i++) {
        uint64_t before = read_ticks();
        int64_t monotonic = read_clock(CLOCK_MONOTONIC);
        uint64_t half = (read_ticks() - before + 1) / 2;
        if (half < best.error_ticks)
            best = (struct weft_clock_sample){ before + half, monotonic, 0, half };
    }
    best.realtime_ns = read_clock(CLOCK_REALTIME);
    return best;
}
