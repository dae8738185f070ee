/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds records to the store processor by processor.  In a file in order of time,
 * neighbouring records are of different processors, and with thousands of these the data of
 * each has left the caches when its next record comes.  Only the order of each processor's
 * records matters (sortedness.c), so a batch is collected and grouped.  Two things stay as
 * if records were added one by one: processors are made in the order of their first
 * records, and faults are listed in the order of lines.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "domains/messages/read/picl_priv.h"

enum {
    FEWEST = 1 << 10,      /* records of a batch at least, 0.1 MB */
    MAX_RECORDS = 1 << 16, /* records at most, 7 MB */
    /* records a processor, so that fetching its memory costs little of the whole */
    EACH = 16,
};

static void fetch(const void *at, size_t size)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const char *)at + i, 1);
}

/*
 * Prefetches the data of a processor that is soon to be added.  Each step follows pointers
 * that the step before prefetched.
 */
static void fetch_processor(const struct picl_import *import, size_t index, int step)
{
    const struct picl_processor *p = &import->processors[index];
    if (step == 0) {
        fetch(p, sizeof *p);
        return;
    }
    for (int kind = 0; kind < PICL_STACKS; kind++) {
        const struct picl_stack *stack = &p->stacks[kind];
        if (step == 1) {
            if (stack->frames)
                fetch(stack->frames, 2 * sizeof *stack->frames);
            weft_builder_expect(import->builder, stack->track, false);
        } else if (step == 2) {
            weft_builder_expect(import->builder, stack->track, true);
        } else {
            weft_builder_expect_fields(import->builder, stack->track);
        }
    }
}

/* Adds the records of one processor, given by their indices in the batch. */
static void add_group(struct picl_import *import, const uint32_t *numbers, size_t n)
{
    enum { AHEAD = 4 };
    const struct picl_record *records = import->batch.records;
    for (size_t i = 0; i < n && !weft_job_cancelled(import->job); i++) {
        /* The indices run on into the next group, or into zeros at the end. */
        fetch(&records[numbers[i + AHEAD]], sizeof *records);
        picl_add(import, &records[numbers[i]]);
    }
}

struct group { /* records of one processor: a run of ORDER */
    uint32_t processor, first, n;
};

/*
 * make_groups for a batch that is small beside the number of processors: each faulty line
 * ends one.
 */
static size_t sort_groups(const struct picl_batch *batch, struct group *groups,
                          uint32_t *order)
{
    uint64_t *keys = weft_alloc((batch->n + 1) * sizeof *keys);
    size_t n_groups = 0;
    for (size_t i = 0; i < batch->n; i++)
        keys[i] = (uint64_t)batch->processors[i] << 32 | i;
    if (batch->n)
        qsort(keys, batch->n, sizeof *keys, weft_by_u64);
    for (size_t i = 0; i < batch->n; i++) {
        uint32_t processor = (uint32_t)(keys[i] >> 32);
        order[i] = (uint32_t)keys[i];
        if (!n_groups || groups[n_groups - 1].processor != processor)
            groups[n_groups++] = (struct group){ processor, (uint32_t)i, 0 };
        groups[n_groups - 1].n++;
    }
    free(keys);
    return n_groups;
}

/*
 * Groups the batch by processor.  ORDER[batch->n] gets the indices of the records, group
 * after group.  Returns the number of groups.
 */
static size_t make_groups(const struct picl_import *import, struct group *groups,
                          uint32_t *order)
{
    const struct picl_batch *batch = &import->batch;
    if (batch->n < import->n_processors / 16)
        return sort_groups(batch, groups, order);
    uint32_t *next = weft_zalloc(import->n_processors, sizeof *next);
    for (size_t i = 0; i < batch->n; i++)
        next[batch->processors[i]]++;
    size_t n_groups = 0;
    uint32_t sum = 0;
    for (size_t p = 0; p < import->n_processors; p++) {
        uint32_t n = next[p];
        if (n)
            groups[n_groups++] = (struct group){ (uint32_t)p, sum, n };
        next[p] = sum;
        sum += n;
    }
    for (size_t i = 0; i < batch->n; i++)
        order[next[batch->processors[i]]++] = (uint32_t)i;
    free(next);
    return n_groups;
}

static void add_groups(struct picl_import *import, const struct group *groups, size_t n,
                       const uint32_t *order)
{
    enum { STEPS = 4 };
    for (size_t g = 0; g < n + STEPS; g++) {
        for (size_t step = 0; step < STEPS; step++)
            if (g >= step && g - step < n)
                fetch_processor(import, groups[g - step].processor, (int)step);
        if (g >= STEPS)
            add_group(import, order + groups[g - STEPS].first, groups[g - STEPS].n);
    }
}

static int compare_faults(const void *a, const void *b)
{
    const struct picl_found *x = a, *y = b;
    return WEFT_COMPARE(x->line, y->line) ?: WEFT_COMPARE(x->number, y->number);
}

static void tell_faults(struct picl_import *import)
{
    struct picl_batch *batch = &import->batch;
    if (batch->n_faults)
        qsort(batch->faults, batch->n_faults, sizeof *batch->faults, compare_faults);
    for (size_t i = 0; i < batch->n_faults; i++) {
        const struct picl_found *f = &batch->faults[i];
        picl_tell(import, f->fault, f->line, f->first, f->second);
    }
    batch->n_faults = 0;
}

void picl_batch_end(struct picl_import *import)
{
    enum { PADDING = 8 /* indices behind the last that add_group prefetches */ };
    struct picl_batch *batch = &import->batch;
    if (!batch->n)
        return;
    uint32_t *order = weft_zalloc(batch->n + PADDING, sizeof *order);
    size_t most = batch->n < import->n_processors ? batch->n : import->n_processors;
    struct group *groups = weft_alloc(most * sizeof *groups);
    size_t n = make_groups(import, groups, order);
    batch->defers = true;
    add_groups(import, groups, n, order);
    batch->defers = false;
    batch->n = 0;
    free(order);
    free(groups);
    tell_faults(import);
}

void picl_batch_fault(struct picl_import *import, enum picl_fault fault, uint64_t line,
                      int64_t first, int64_t second)
{
    struct picl_batch *batch = &import->batch;
    batch->faults = weft_grow(batch->faults, &batch->fault_capacity, batch->n_faults + 1,
                              sizeof *batch->faults);
    batch->faults[batch->n_faults] =
        (struct picl_found){ fault, line, first, second, batch->n_faults };
    batch->n_faults++;
}

void picl_batch_add(struct picl_import *import, const struct picl_record *record)
{
    struct picl_batch *batch = &import->batch;
    if (record->node < 0 || record->type == PICL_SUBSET) {
        picl_batch_end(import); /* a group may be defined for all processors */
        picl_add(import, record);
        return;
    }
    if (!batch->records) {
        batch->records = weft_alloc(MAX_RECORDS * sizeof *batch->records);
        batch->processors = weft_alloc(MAX_RECORDS * sizeof *batch->processors);
    }
    const struct picl_processor *p = picl_processor(import, record->node, record->time);
    batch->processors[batch->n] = (uint32_t)(p - import->processors);
    batch->records[batch->n++] = *record;
    if (batch->n == MAX_RECORDS
        || (batch->n >= FEWEST && batch->n >= EACH * import->n_processors))
        picl_batch_end(import);
}

void picl_batch_free(struct picl_batch *batch)
{
    free(batch->records);
    free(batch->processors);
    free(batch->faults);
}
