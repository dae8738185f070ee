/* SPDX-License-Identifier: Apache-2.0 */
/* Nests of loops: growing and writing them, or counting their elements. */
#include "domains/arrays/record/loop_nests.h"

#include <string.h>

#include "record/log/log.h"

enum {
    MAX_LOOPS = WEFT_RECORD_ARRAY_LOOPS,
    /* Nests with fewer references are not written, but added to the counts of elements. */
    MIN_REFERENCES = 4,
};

/* ---- Writing ---- */

/* Writes the loops; skips those with one iteration, and turns those without strides into a
   factor. */
static uint32_t put_loops(uint64_t *words, const struct array_nest *nest, uint64_t *times)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < nest->n_loops; i++) {
        const struct array_loop *loop = &nest->loop[i];
        if (loop->stride == 0 && loop->owner_stride == 0) {
            *times *= loop->extent;
        } else if (loop->extent > 1) {
            words[3 * n] = loop->extent;
            words[3 * n + 1] = (uint64_t)loop->stride;
            words[3 * n + 2] = (uint64_t)loop->owner_stride;
            n++;
        }
    }
    return n;
}

static void write_nest(const struct array_nest *nest, const struct array_origin *origin,
                       uint64_t times)
{
    uint64_t words[WEFT_RECORD_PATTERN_WORDS + 3 * MAX_LOOPS];
    uint32_t n = put_loops(words + WEFT_RECORD_PATTERN_WORDS, nest, &times);

    words[0] = origin->step | (uint64_t)n << 32 | (uint64_t)nest->operation << 40
               | (uint64_t)nest->array << 48;
    words[1] =
        nest->owner_array == ARRAY_NOBODY ? WEFT_RECORD_ARRAY_UNKNOWN : nest->owner_array;
    words[1] |= (uint64_t)nest->order << 16;
    words[2] = origin->site;
    words[3] = times;
    words[4] = nest->element;
    words[5] = nest->owner;
    (void)weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_ARRAY_PATTERN, 0,
                             words, WEFT_RECORD_PATTERN_WORDS + 3 * n);
}

/* ---- Counting by element ---- */

static void write_entry(struct array_tally_entry *entry)
{
    struct array_nest nest = { .element = entry->element,
                               .owner = entry->owner,
                               .array = entry->array,
                               .owner_array = entry->owner_array,
                               .operation = entry->operation,
                               .order = entry->order };
    struct array_origin origin = { entry->site, entry->step };

    write_nest(&nest, &origin, entry->times);
    entry->times = 0;
}

static bool is_of(const struct array_tally_entry *entry, const struct array_nest *nest,
                  const struct array_origin *origin, uint64_t element, uint64_t owner)
{
    return entry->element == element && entry->owner == owner && entry->site == origin->site
           && entry->step == origin->step && entry->array == nest->array
           && entry->owner_array == nest->owner_array && entry->operation == nest->operation
           && entry->order == nest->order;
}

static void count(struct array_sink *sink, const struct array_nest *nest,
                  const struct array_origin *origin, uint64_t element, uint64_t owner)
{
    uint64_t hash = (element ^ owner << 24) * UINT64_C(0x9e3779b97f4a7c15)
                    ^ origin->site * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint32_t first = (uint32_t)(hash >> 40) % ARRAY_TALLY;
    struct array_tally_entry *entry = NULL;

    for (uint32_t i = 0; i < ARRAY_TALLY_PROBES; i++) {
        entry = &sink->tally[(first + i) % ARRAY_TALLY];
        if (entry->times == 0)
            break;
        if (is_of(entry, nest, origin, element, owner)) {
            entry->times++;
            return;
        }
    }
    if (entry->times != 0) {
        entry = &sink->tally[(first + (hash >> 32) % ARRAY_TALLY_PROBES) % ARRAY_TALLY];
        write_entry(entry);
    } else {
        sink->counted[sink->n_counted++] = (uint16_t)(entry - sink->tally);
    }
    *entry = (struct array_tally_entry){ .element = element,
                                         .owner = owner,
                                         .site = origin->site,
                                         .times = 1,
                                         .step = origin->step,
                                         .array = nest->array,
                                         .owner_array = nest->owner_array,
                                         .operation = nest->operation,
                                         .order = nest->order };
}

/* Counts each of the N references of a nest. */
static void count_all(struct array_sink *sink, const struct array_nest *nest,
                      const struct array_origin *origin, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t element = nest->element, owner = nest->owner, rest = i;
        for (uint32_t k = 0; k < nest->n_loops; k++) {
            uint64_t index = rest % nest->loop[k].extent;
            rest /= nest->loop[k].extent;
            element += index * (uint64_t)nest->loop[k].stride;
            owner += index * (uint64_t)nest->loop[k].owner_stride;
        }
        count(sink, nest, origin, element, owner);
    }
}

/* Writes or counts a nest whose owner is final. */
static bool put_nest(struct array_sink *sink, const struct array_nest *nest,
                     const struct array_origin *origin)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < nest->n_loops && n < MIN_REFERENCES; i++)
        n *= nest->loop[i].extent;
    if (n < MIN_REFERENCES)
        count_all(sink, nest, origin, n);
    else
        write_nest(nest, origin, 1);
    return n < MIN_REFERENCES;
}

bool array_sink_add(struct array_sink *sink, const struct array_nest *nest,
                    const struct array_origin *origin)
{
    if (nest->owner_array != WEFT_RECORD_ARRAY_UNKNOWN || sink->n_waiting == ARRAY_WAITING)
        return put_nest(sink, nest, origin);
    sink->waiting[sink->n_waiting++] = (struct array_waiting_nest){ *nest, *origin };
    return false;
}

static void give_owner(struct array_nest *nest, const struct array_nest *owner)
{
    nest->owner_array = owner->owner_array;
    nest->owner = owner->owner;
    nest->order |= owner->order;
}

void array_sink_assign(struct array_sink *sink, uint64_t site,
                       const struct array_nest *owner)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < sink->n_waiting; i++) {
        if (sink->waiting[i].origin.site != site) {
            sink->waiting[n++] = sink->waiting[i];
            continue;
        }
        give_owner(&sink->waiting[i].nest, owner);
        (void)put_nest(sink, &sink->waiting[i].nest, &sink->waiting[i].origin);
    }
    sink->n_waiting = n;
}

void array_sink_flush(struct array_sink *sink)
{
    for (uint32_t i = 0; i < sink->n_waiting; i++)
        (void)put_nest(sink, &sink->waiting[i].nest, &sink->waiting[i].origin);
    sink->n_waiting = 0;
    for (uint32_t i = 0; i < sink->n_counted; i++)
        write_entry(&sink->tally[sink->counted[i]]);
    sink->n_counted = 0;
}

/* ---- Growing ---- */

static bool are_alike(const struct array_nest *a, const struct array_nest *b)
{
    return a->array == b->array && a->owner_array == b->owner_array
           && a->operation == b->operation && a->order == b->order
           && memcmp(a->loop, b->loop, b->n_loops * sizeof *b->loop) == 0;
}

/* Appends NEXT, which has one loop less, to GROWING if it is the next iteration of its
   outermost loop. */
static bool grow(struct array_nest *growing, const struct array_nest *next)
{
    struct array_loop *loop = &growing->loop[next->n_loops];
    int64_t distance = (int64_t)(next->element - growing->element);
    int64_t owner_distance = (int64_t)(next->owner - growing->owner);

    if (!are_alike(growing, next))
        return false;
    if (loop->extent == 1) {
        loop->stride = distance;
        loop->owner_stride = owner_distance;
    } else if (distance != loop->stride * (int64_t)loop->extent
               || owner_distance != loop->owner_stride * (int64_t)loop->extent) {
        return false;
    }
    loop->extent++;
    return true;
}

bool array_levels_add(struct array_levels *levels, const struct array_nest *nest,
                      const struct array_origin *origin, struct array_sink *sink)
{
    struct array_nest rising = *nest;

    while (rising.n_loops < MAX_LOOPS) {
        uint32_t level = rising.n_loops;
        struct array_nest *growing = &levels->nest[level], full;
        bool was_used = levels->used[level];
        if (was_used && grow(growing, &rising))
            return false;
        full = *growing;
        *growing = rising;
        growing->n_loops = (uint8_t)(level + 1);
        growing->loop[level] = (struct array_loop){ .extent = 1 };
        levels->used[level] = true;
        if (!was_used)
            return false;
        rising = full;
    }
    return array_sink_add(sink, &rising, origin);
}

void array_levels_flush(struct array_levels *levels, const struct array_origin *origin,
                        struct array_sink *sink)
{
    for (uint32_t level = 0; level < MAX_LOOPS; level++) {
        if (!levels->used[level])
            continue;
        levels->used[level] = false;
        if (level + 1 < MAX_LOOPS)
            (void)array_levels_add(levels, &levels->nest[level], origin, sink);
        else
            (void)array_sink_add(sink, &levels->nest[level], origin);
    }
}

void array_levels_assign(struct array_levels *from, struct array_levels *to,
                         const struct array_nest *owner, const struct array_origin *origin,
                         struct array_sink *sink)
{
    for (uint32_t level = 0; level < MAX_LOOPS; level++) {
        struct array_nest nest = from->nest[level];
        if (!from->used[level])
            continue;
        from->used[level] = false;
        while (nest.n_loops > 0 && nest.loop[nest.n_loops - 1].extent == 1)
            nest.n_loops--;
        give_owner(&nest, owner);
        if (nest.n_loops < MAX_LOOPS)
            (void)array_levels_add(to, &nest, origin, sink);
        else
            (void)array_sink_add(sink, &nest, origin);
    }
}
