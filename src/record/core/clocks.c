/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the clock of the stamps and the system's clocks at the same moment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
# include <cpuid.h>
#endif

#include "record/core/clocks.h"
#include "record/core/system.h"
#include "record/log/log.h"
#include "record/process/process.h"

/* The first kept samples are at least this far apart: closer ones tell no rate. */
#define FIRST_DISTANCE_NS INT64_C(250000000)

static struct {
    int lock;
    int64_t distance_ns, kept_ns; /* between kept samples; time of the last */
} notes;

/*
 * clock_gettime of the C library.  By name the recorder could get the program's own, which
 * may take locks, and so come here again.  NULL until it is found.
 */
static int (*of_library)(clockid_t, struct timespec *);

/* Resolved in the constructor, before the others': dlsym takes the loader's lock. */
__attribute__((constructor(101))) static void resolve(void)
{
    void *handle = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    void *found = handle ? dlsym(handle, "clock_gettime") : NULL;

    __atomic_store_n(&of_library, (__typeof__(of_library))found, __ATOMIC_RELEASE);
}

/*
 * Returns true if the thread has lost its clocks.  A thread that ends may have no TLS, so
 * it is read only after some thread has lost them.
 */
static bool has_stopped(void)
{
    return !__atomic_load_n(&weft_record_core_v1.clock_is_tsc, __ATOMIC_RELAXED)
           && weft_record_stopped_at != 0;
}

int64_t weft_clock_ns(clockid_t clock)
{
    __typeof__(of_library) read = __atomic_load_n(&of_library, __ATOMIC_ACQUIRE);
    struct timespec now = { 0, 0 };

    if (has_stopped())
        return 0;
    if (read)
        (void)read(clock, &now);
    else
        (void)syscall(SYS_clock_gettime, clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool tsc_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
#else
    return false;
#endif
}

void weft_clocks_choose(void)
{
    weft_record_core_v1.clock_is_tsc = tsc_is_invariant();
}

/*
 * The sample with the two closest readings of the stamps around a reading of
 * CLOCK_MONOTONIC.
 */
struct weft_clock_sample weft_clocks_sample(void)
{
    struct weft_clock_sample best = { .error_ticks = UINT64_MAX };

    for (int i = 0; i < 5; i++) {
        uint64_t before = weft_ticks();
        int64_t monotonic = weft_clock_ns(CLOCK_MONOTONIC);
        uint64_t half = (weft_ticks() - before + 1) / 2;
        if (half < best.error_ticks) {
            best.ticks = before + half;
            best.error_ticks = half;
            best.monotonic_ns = monotonic;
        }
    }
    best.realtime_ns = weft_clock_ns(CLOCK_REALTIME);
    return best;
}

void weft_clocks_keep(struct weft_process_header *header,
                      const struct weft_clock_sample *sample)
{
    uint32_t n = header->n_samples;

    if (notes.distance_ns == 0) {
        notes.distance_ns = FIRST_DISTANCE_NS;
        notes.kept_ns = header->first.monotonic_ns;
    }
    if (sample->monotonic_ns - notes.kept_ns < notes.distance_ns)
        return;
    if (n == WEFT_CLOCK_SAMPLES) {
        for (n = 0; n < WEFT_CLOCK_SAMPLES / 2; n++)
            header->samples[n] = header->samples[2 * n + 1];
        notes.distance_ns *= 2;
    }
    notes.kept_ns = sample->monotonic_ns;
    header->samples[n] = *sample;
    __atomic_store_n(&header->n_samples, n + 1, __ATOMIC_RELEASE);
}

/* Signals are blocked: no handler may jump out with the lock held. */
void weft_clocks_note(void)
{
    struct weft_process_header *header = weft_process.header;
    uint64_t before;

    if (!header || has_stopped())
        return;
    before = weft_sys_block_signals();
    if (__atomic_exchange_n(&notes.lock, 1, __ATOMIC_ACQUIRE) == 0) {
        header->last = weft_clocks_sample();
        weft_clocks_keep(header, &header->last);
        __atomic_store_n(&notes.lock, 0, __ATOMIC_RELEASE);
    }
    weft_sys_restore_signals(before);
}

void weft_clocks_forked(void)
{
    notes.lock = 0;
    notes.distance_ns = 0;
}
