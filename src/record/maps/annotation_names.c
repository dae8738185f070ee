/* SPDX-License-Identifier: Apache-2.0 */
/* Names and their numbers. */
#include "record/maps/annotation_names.h"
#include "record/log/log_slow_paths.h"
#include "record/maps/maps.h"

static uint32_t given; /* numbers given out; a forked child continues from here */

/* If two threads meet here, one number is used. */
uint32_t weft_names_number(uint32_t *name, const char *text, uint64_t site)
{
    uint32_t number = __atomic_add_fetch(&given, 1, __ATOMIC_RELAXED);
    uint32_t expected = 0;
    uint64_t words[2];

    /* All names beyond the limit share the last number; the first is shown. */
    if (number > WEFT_ARGUMENT_MAX)
        number = WEFT_ARGUMENT_MAX;
    if (!__atomic_compare_exchange_n(name, &expected, number, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return expected;
    words[0] = number;
    words[1] = site;
    weft_log_text(weft_ticks(), WEFT_RECORD_NAME, words, 2, text);
    weft_maps_see(site);
    return number;
}

uint32_t weft_names_given(void)
{
    return __atomic_load_n(&given, __ATOMIC_RELAXED);
}

void weft_names_thread(const char *name)
{
    weft_log_text(weft_ticks(), WEFT_RECORD_THREAD, NULL, 0, name);
}
