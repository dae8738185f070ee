/* SPDX-License-Identifier: Apache-2.0 */
/* The table that the core offers, and the families that have joined. */
#include "record/core/clocks.h"
#include "record/core/core.h"
#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/maps/annotation_names.h"
#include "record/maps/maps.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"
#include "record/process/thread_lives.h"

static const struct weft_record_family *families[WEFT_FAMILIES_MAX];

static bool join(const struct weft_record_family *family)
{
    if (family->core_size > sizeof(struct weft_record_core)
        || family->number >= WEFT_FAMILIES_MAX)
        return false;
    families[family->number] = family;
    __atomic_fetch_or(&weft_process.families, 1u << family->number, __ATOMIC_RELAXED);
    if (weft_process.header)
        weft_process.header->families = weft_process.families;
    return true;
}

void weft_families_thread_ends(void)
{
    for (int i = 0; i < WEFT_FAMILIES_MAX; i++)
        if (families[i] && families[i]->thread_ends)
            families[i]->thread_ends();
}

struct weft_record_core weft_record_core_v1 = {
    .version = WEFT_RECORD_CORE_VERSION,
    .size = sizeof(struct weft_record_core),
    .join = join,
    .process_start = weft_process_start,
    .process_finish = weft_process_finish,
    .thread_number = weft_process_next_thread,
    .thread_begins = weft_lifecycle_begin,
    .log_first = weft_log_first,
    .log_make_room = weft_log_make_room,
    .log_lose = weft_log_lose,
    .log_define = weft_log_define,
    .log_text = weft_log_text,
    .name = weft_names_number,
    .thread_name = weft_names_thread,
    .processor_time = weft_lifecycle_processor_time,
    .see = weft_maps_see,
    .filter = weft_sandbox_filter,
    .filter_ends = weft_sandbox_filter_ends,
    .block_signals = weft_sys_block_signals,
    .restore_signals = weft_sys_restore_signals,
    .clock_ns = weft_clock_ns,
};
