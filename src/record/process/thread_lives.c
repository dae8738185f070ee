/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of threads. */
#include <limits.h>
#include <pthread.h>

#include "record/log/log_slow_paths.h"
#include "record/log/recording_overhead.h"
#include "record/process/process.h"
#include "record/process/thread_lives.h"
#include "record/process/thread_usage.h"

static pthread_key_t end_key;
static bool end_key_made;

static void put_processor_time(int64_t used_ns)
{
    if (used_ns > 0)
        weft_log_put_word(weft_log_get(), weft_ticks(), WEFT_RECORD_CPU, 0,
                          (uint64_t)used_ns);
}

/*
 * Runs when a thread ends.  Destructors of other keys may use locks: so it sets the key
 * again and runs in the last round of destructors.
 */
static void thread_ends(void *rounds)
{
    uintptr_t round = (uintptr_t)rounds;

    if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(end_key, (void *)(round + 1));
    } else if (weft_record_self) {
        int64_t used = weft_thread_ns();
        struct weft_spending spending = weft_spending_begins(used);
        put_processor_time(used); /* since it last waited */
        weft_usage_of_caller();
        weft_families_thread_ends();
        weft_log_close();
        weft_spending_ends(&spending);
    }
}

void weft_lifecycle_start(void)
{
    end_key_made = pthread_key_create(&end_key, thread_ends) == 0;
}

void weft_lifecycle_watch(void)
{
    if (end_key_made)
        pthread_setspecific(end_key, (void *)1);
}

void weft_lifecycle_begin(uint32_t number)
{
    /* The thread is new: it has used hardly any processor time. */
    struct weft_spending spending = weft_spending_begins(0);

    weft_log_open(number);
    weft_lifecycle_watch();
    weft_spending_ends(&spending);
}

void weft_lifecycle_processor_time(void)
{
    weft_log_get()->looked = weft_ticks();
    put_processor_time(weft_thread_ns());
}
