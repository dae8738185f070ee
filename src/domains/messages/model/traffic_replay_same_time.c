/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/messages/model/traffic_replay_priv.h"

static uint32_t processor_of(const struct weft_replay *replay, const struct change *change)
{
    if (change->kind == SEND)
        return change->from;
    if (change->kind == RECEIVE)
        return change->to;
    const struct open_operation *open = &replay->open[change->from];
    return replay_calls_of(replay, open)[change->to].processor;
}

struct ordered_change {
    uint32_t processor, change;
    uint64_t call;
    enum change_kind kind;
};

/* Sorts by processor, then in the order of its calls. */
static int by_processor(const void *a, const void *b)
{
    const struct ordered_change *x = a, *y = b;
    bool calls = x->call != WEFT_NO_ID && y->call != WEFT_NO_ID;
    return WEFT_COMPARE(x->processor, y->processor)
           ?: (calls ? WEFT_COMPARE(x->call, y->call) : 0) ?: WEFT_COMPARE(x->kind, y->kind)
           ?: WEFT_COMPARE(x->change, y->change);
}

/* Returns true if change A comes before B, which is of another processor. */
static bool comes_first(const struct ordered_change *a, const struct ordered_change *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->processor < b->processor;
}

static void sink_down(const struct ordered_change **heap, size_t n, size_t i)
{
    const struct ordered_change *moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && comes_first(heap[child + 1], heap[child]))
            child++;
        if (!comes_first(heap[child], moved))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static void raise_peak(const struct weft_replay *replay, struct weft_amount *peak)
{
    struct weft_amount now = weft_replay_pending(replay);
    peak->messages = now.messages > peak->messages ? now.messages : peak->messages;
    peak->bytes = now.bytes > peak->bytes ? now.bytes : peak->bytes;
}

/*
 * Applies the batch: a merge of the changes of all processors, each of which stays in
 * order.
 */
static void apply_merged(struct weft_replay *replay, struct weft_amount *peak)
{
    size_t n = replay->n_batch, n_heap = 0;
    struct ordered_change *list = weft_alloc((n + 1) * sizeof *list);
    const struct ordered_change **heap = weft_alloc((n + 1) * sizeof *heap);
    for (size_t i = 0; i < n; i++) {
        const struct change *change = &replay->batch[i];
        list[i] = (struct ordered_change){ processor_of(replay, change), (uint32_t)i,
                                           change->call, change->kind };
    }
    qsort(list, n, sizeof *list, by_processor);
    list[n].processor = WEFT_NONE; /* no processor: marks the end */
    for (size_t i = 0; i < n; i++)
        if (!i || list[i].processor != list[i - 1].processor)
            heap[n_heap++] = &list[i];
    for (size_t i = n_heap; i-- > 0;)
        sink_down(heap, n_heap, i);
    while (n_heap && replay_goes_on(replay)) {
        const struct ordered_change *top = heap[0];
        replay_apply(replay, &replay->batch[top->change]);
        raise_peak(replay, peak);
        heap[0] = top[1].processor == top->processor ? top + 1 : heap[--n_heap];
        sink_down(heap, n_heap, 0);
    }
    free(list);
    free(heap);
}

/*
 * Returns true if the order by kind of change agrees with the order of each processor's
 * calls, so that nothing has to be merged.
 */
static bool kinds_in_order(struct weft_replay *replay)
{
    replay->n_batches++;
    for (size_t i = 0; i < replay->n_batch; i++) {
        const struct change *change = &replay->batch[i];
        struct in_batch *in = &replay->in_batch[processor_of(replay, change)];
        if (in->n_batches != replay->n_batches) {
            *in = (struct in_batch){ .n_batches = replay->n_batches };
            memset(in->first, 0xff, sizeof in->first);
        }
        if (change->call == WEFT_NO_ID)
            continue;
        if (change->call < in->first[change->kind])
            in->first[change->kind] = change->call;
        if (change->call > in->last[change->kind])
            in->last[change->kind] = change->call;
        for (int kind = 0; kind <= EXIT; kind++)
            if ((kind < (int)change->kind && change->call < in->last[kind])
                || (kind > (int)change->kind && in->first[kind] < change->call))
                return false;
    }
    return true;
}

void replay_apply_batch(struct weft_replay *replay, struct weft_amount *peak)
{
    *peak = weft_replay_pending(replay);
    if (!kinds_in_order(replay)) {
        apply_merged(replay, peak);
        return;
    }
    for (enum change_kind kind = SEND; kind <= EXIT; kind++) {
        for (size_t i = 0; i < replay->n_batch && replay_goes_on(replay); i++)
            if (replay->batch[i].kind == kind)
                replay_apply(replay, &replay->batch[i]);
        raise_peak(replay, peak); /* within a kind amounts only grow, or only shrink */
    }
}
