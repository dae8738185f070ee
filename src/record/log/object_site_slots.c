/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of pairs, and the records that define them. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/log/object_site_slots.h"
#include "record/maps/maps.h"

enum {
    PROBES = 8, /* slots that a pair may be in: two cache lines */
    LARGE_TABLE = WEFT_LOG_SLOTS * sizeof(struct weft_slot),
};

void weft_slots_begin(struct weft_pooled_log *log)
{
    memset(log->slots, 0, sizeof log->slots);
    log->log.slots_at = (int64_t)offsetof(struct weft_pooled_log, slots);
    log->log.slots_mask = WEFT_LOG_SLOTS_FIRST - 1;
}

void weft_slots_end(struct weft_log *log)
{
    if (log->slots_mask == WEFT_LOG_SLOTS - 1)
        weft_sys_unmap(weft_log_slot(log, 0), LARGE_TABLE);
}

/*
 * Replace the table by the large one, which is empty: slots are defined anew.  Returns
 * false if there is no memory.
 */
static bool enlarge(struct weft_log *log)
{
    struct weft_slot *table = weft_sys_memory(LARGE_TABLE);

    if (!table)
        return false;
    weft_sys_advise(table, LARGE_TABLE, MADV_DONTFORK); /* a child has no pointer to it */
    log->slots_at = (char *)table - (char *)log;
    /* In this order, since signal handlers may look for slots meanwhile. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    log->slots_mask = WEFT_LOG_SLOTS - 1;
    return true;
}

uint32_t weft_slots_find(struct weft_log *log, uint64_t object, uint64_t site,
                         uint32_t slot, bool *found)
{
    *found = false;
    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t at = (slot + i) & log->slots_mask;
        struct weft_slot *known = weft_log_slot(log, at);
        if (known->object == object && known->site == site) {
            *found = true;
            return at;
        }
        if (known->object == 0)
            return at;
    }
    if (log->slots_mask < WEFT_LOG_SLOTS - 1 && enlarge(log))
        return slot;
    /* One of them is replaced; a different one for each object. */
    slot = (slot + (uint32_t)(object >> 4) % PROBES) & log->slots_mask;
    weft_log_slot(log, slot)->object = 0;
    return slot;
}

uint32_t weft_log_define(struct weft_log *log, uint64_t ticks, uint32_t class,
                         uint64_t object, uint64_t site, uint32_t slot)
{
    bool found = false, handler = log->busy > 1;
    uint64_t *at;

    /* A dead log has no table; a wiped one gets its own here. */
    if (log->slots_mask == 0 && !weft_log_make_room(log, 3, ticks))
        return UINT32_MAX;
    slot =
        handler ? WEFT_LOG_HANDLER_SLOT : weft_slots_find(log, object, site, slot, &found);
    if (found)
        return slot;
    at = weft_log_reserve(log, 2, ticks);
    if (!at)
        return UINT32_MAX;
    at[1] = object;
    at[2] = site;
    weft_log_seal(at, ticks, WEFT_RECORD_PAIR, 2, slot | class << WEFT_PAIR_CLASS);
    if (!handler)
        *weft_log_slot(log, slot) = (struct weft_slot){ object, site };
    if (site >> 63 == 0) /* else a family's own number (threads: WEFT_PATH_BIT) */
        weft_maps_see(site);
    return slot;
}
