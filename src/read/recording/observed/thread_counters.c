/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of performance counters, by thread.  The kernel writes a count for each
 * thread, counter and processor when the thread ends, but not for the one thread that has
 * the counter's first instance then: of that, the count is what the others leave of the
 * total.
 */
#include <string.h>

#include "read/recording/observed/observed.h"

/* Returns true for a name of the table, or any of the page faults; others are damaged. */
static bool is_counter(const struct weft_schedule_counter *record)
{
    if (record->counter == WEFT_SCHEDULE_FAULTS)
        return true;
    for (size_t i = 0; i < WEFT_COUNTER_ROWS; i++)
        if (strcmp(weft_counter_table[i].name, record->name) == 0)
            return true;
    return false;
}

void observed_add_counter(struct observed *observed,
                          const struct weft_schedule_counter *record)
{
    struct observed_counter *counter;

    if (record->counter >= WEFT_SCHEDULE_COUNTERS
        || !memchr(record->name, 0, sizeof record->name) || !is_counter(record))
        return;
    counter = &observed->counters[record->counter];
    memcpy(counter->name, record->name, sizeof counter->name);
    counter->error = record->error;
    if (record->error == 0)
        weft_id_map_put(&observed->counter_ids, record->id, record->counter);
}

void observed_add_total(struct observed *observed, const struct weft_schedule_total *record)
{
    uint32_t number = weft_id_map_get(&observed->counter_ids, record->id);

    if (number == WEFT_MAP_NONE)
        return;
    observed->counters[number].total.value += record->value;
    observed->counters[number].total.running_ns += record->running_ns;
    observed->counters[number].ended = true;
}

void observed_add_read(struct observed *observed, struct observed_thread *thread,
                       const struct weft_schedule_read *record)
{
    uint32_t number = weft_id_map_get(&observed->counter_ids, record->id);

    if (number == WEFT_MAP_NONE)
        return;
    thread->counts[number].value += record->value;
    thread->counts[number].running_ns += record->running_ns;
    thread->counted |= (uint8_t)(1u << number);
}

/* Gives the only thread without a count what the others leave of the total. */
static void count_rest(struct observed *observed, unsigned number)
{
    struct observed_count rest = observed->counters[number].total;
    struct observed_thread *without = NULL;

    for (size_t i = 0; i < observed->n_threads; i++) {
        struct observed_thread *thread = &observed->threads[i];
        const struct observed_count *count = &thread->counts[number];
        if (!(thread->counted >> number & 1)) {
            if (without)
                return;
            without = thread;
            continue;
        }
        if (count->value > rest.value || count->running_ns > rest.running_ns)
            return; /* damaged */
        rest.value -= count->value;
        rest.running_ns -= count->running_ns;
    }
    if (!without)
        return;
    without->counts[number] = rest;
    without->counted |= (uint8_t)(1u << number);
}

void observed_finish_counters(struct observed *observed)
{
    for (unsigned i = 0; i < WEFT_SCHEDULE_COUNTERS; i++)
        if (observed->counters[i].ended && observed->lost == 0)
            count_rest(observed, i);
    /* Lost records may have been counts. */
    for (size_t i = 0; observed->lost > 0 && i < observed->n_threads; i++)
        observed->threads[i].counted = 0;
    weft_id_map_free(&observed->counter_ids);
}
