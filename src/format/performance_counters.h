/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that can be recorded, for threads and for the intervals of tasks: events of
 * perf_event_open(2), under the names that the program perf uses.
 */
#ifndef WEFT_FORMAT_PERFORMANCE_COUNTERS_H
#define WEFT_FORMAT_PERFORMANCE_COUNTERS_H

#include <stdint.h>

/* The most performance counters in one recording: a node of a task DAG has room for 4. */
enum { WEFT_COUNTERS_MAX = 4 };

/*
 * Key of the fact, in a recording's file "recording", that names the performance counters
 * to record, separated by commas.
 */
#define WEFT_RECORDING_COUNTERS "counters"

/* A performance counter of the kernel that can be recorded. */
struct weft_counter_row {
    const char *name; /* as the program perf calls it */
    uint32_t type;    /* perf_event_attr.type: PERF_TYPE_HARDWARE (0) or _SOFTWARE (1) */
    uint64_t config;  /* perf_event_attr.config: the event of that type */
};

/* All performance counters that `weft record --counters` can record. */
static const struct weft_counter_row weft_counter_table[] = {
    { "cycles", 0, 0 },       { "instructions", 0, 1 }, { "cache-references", 0, 2 },
    { "cache-misses", 0, 3 }, { "branches", 0, 4 },     { "branch-misses", 0, 5 },
    { "task-clock", 1, 1 },   { "page-faults", 1, 2 },
};

enum { WEFT_COUNTER_ROWS = sizeof weft_counter_table / sizeof *weft_counter_table };

#endif
