/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies changes.  The messages of an operation are counted, not listed: the number that a
 * processor has sent or is to get follows from its own state and from how many others have
 * entered the operation, or not left it yet.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/model/traffic_replay_priv.h"

static void add(struct weft_amount *amount, int64_t messages, int64_t bytes)
{
    amount->messages += messages;
    amount->bytes = (int64_t)((uint64_t)amount->bytes + (uint64_t)bytes);
}

static int64_t times(int64_t bytes, int64_t n)
{
    return (int64_t)((uint64_t)bytes * (uint64_t)n);
}

/* ---- Sums by rank ---- */

static void ranked_add(struct rank_sums *ranked, uint32_t call, int64_t messages,
                       int64_t bytes)
{
    for (uint32_t i = call + 1; i <= ranked->n; i += i & -i)
        add(&ranked->sums[i], messages, bytes);
}

/* Returns the sum over the calls before CALL. */
static struct weft_amount ranked_before(const struct rank_sums *ranked, uint32_t call)
{
    struct weft_amount sum = { 0 };
    for (uint32_t i = call; i; i -= i & -i)
        add(&sum, ranked->sums[i].messages, ranked->sums[i].bytes);
    return sum;
}

/* ---- Open operations ---- */

const struct weft_collective_call *replay_calls_of(const struct weft_replay *replay,
                                                   const struct open_operation *open)
{
    return replay->traffic->calls + open->of->first_call;
}

static bool is_prefix(const struct open_operation *open)
{
    return open->sent_by_rank.sums != NULL;
}

/* Returns how many messages of a call that has sent are pending. */
static int64_t on_their_way(const struct open_operation *open, uint32_t call)
{
    bool self = !open->is_out[call];
    if (!is_prefix(open))
        return open->awaited - self;
    return open->awaited - ranked_before(&open->awaited_by_rank, call + 1).messages;
}

/* Returns what is pending for a call that still waits. */
static struct weft_amount awaited_by(const struct weft_replay *replay,
                                     const struct open_operation *open, uint32_t call)
{
    if (is_prefix(open))
        return ranked_before(&open->sent_by_rank, call);
    struct weft_amount amount = open->sent;
    if (open->is_in[call])
        add(&amount, -1, times(replay_calls_of(replay, open)[call].bytes, -1));
    return amount;
}

void replay_push(struct weft_replay *replay, const struct change *change)
{
    replay->heap = weft_grow(replay->heap, &replay->heap_capacity, replay->n_heap + 1,
                             sizeof *replay->heap);
    size_t i = replay->n_heap++;
    for (; i && replay->heap[(i - 1) / 2].time > change->time; i = (i - 1) / 2)
        replay->heap[i] = replay->heap[(i - 1) / 2];
    replay->heap[i] = *change;
}

struct change replay_pop(struct weft_replay *replay)
{
    struct change *heap = replay->heap, top = heap[0], moved = heap[--replay->n_heap];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < replay->n_heap; i = child) {
        if (child + 1 < replay->n_heap && heap[child + 1].time < heap[child].time)
            child++;
        if (heap[child].time >= moved.time)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
    return top;
}

static uint32_t alloc_place(struct weft_replay *replay)
{
    uint32_t free = replay->free_place;
    if (free != WEFT_NONE) {
        replay->free_place = replay->open[free].next_free;
        return free;
    }
    replay->open = weft_grow(replay->open, &replay->open_capacity, replay->n_open + 1,
                             sizeof *replay->open);
    return (uint32_t)replay->n_open++;
}

static void list_part(struct queue *queue, uint32_t place, uint32_t call)
{
    queue->parts = weft_grow(queue->parts, &queue->capacity, queue->n_parts + 1,
                             sizeof(struct open_call));
    queue->parts[queue->n_parts++] = (struct open_call){ place, call };
}

/*
 * Chooses whether queues list an operation or have it in their sums.  A listed one costs a
 * step whenever a queue is looked at; one in the sums costs as many steps as it has calls
 * whenever one of them changes.  Operations with more calls than there are listed
 * operations are listed: so both costs are at most the square root of twice all open calls.
 */
static void choose_queues(struct weft_replay *replay, struct open_operation *open)
{
    enum { FEW = 4 }; /* operations of so few calls are never listed */
    uint32_t n = open->of->n_calls;
    if (!replay->options.high && replay->options.processor == WEFT_NONE)
        return;
    open->is_listed = n > FEW && n > replay->n_listed;
    open->is_summed = !open->is_listed;
    replay->n_listed += open->is_listed;
}

void replay_open(struct weft_replay *replay, const struct weft_collective *of)
{
    const struct weft_collective_call *calls = replay->traffic->calls + of->first_call;
    uint32_t place = alloc_place(replay), n = of->n_calls;
    struct open_operation *open = &replay->open[place];
    *open = (struct open_operation){ .of = of, .left = 2 * (uint64_t)n };
    open->is_in = weft_zalloc(n, 1);
    open->is_out = weft_zalloc(n, 1);
    if (of->pattern == WEFT_ROLE_PREFIX) {
        open->sent_by_rank =
            (struct rank_sums){ weft_zalloc((size_t)n + 1, sizeof(struct weft_amount)), n };
        open->awaited_by_rank =
            (struct rank_sums){ weft_zalloc((size_t)n + 1, sizeof(struct weft_amount)), n };
    }
    choose_queues(replay, open);
    for (uint32_t i = 0; i < n; i++) {
        struct change change = {
            .call = calls[i].state, .from = place, .to = i, .partner = NO_PARTNER
        };
        open->is_out[i] = !weft_collective_receives(of, &calls[i]);
        open->awaited += !open->is_out[i];
        if (is_prefix(open))
            ranked_add(&open->awaited_by_rank, i, 1, 0);
        if (open->is_listed)
            list_part(&replay->queues[calls[i].processor], place, i);
        change.time = calls[i].entry;
        change.kind = ENTRY;
        replay_push(replay, &change);
        change.time = calls[i].exit;
        change.kind = EXIT;
        replay_push(replay, &change);
    }
}

void replay_close(struct weft_replay *replay, uint32_t place)
{
    struct open_operation *open = &replay->open[place];
    const struct weft_collective_call *calls = replay_calls_of(replay, open);
    for (uint32_t i = 0; open->is_listed && i < open->of->n_calls; i++) {
        struct queue *queue = &replay->queues[calls[i].processor];
        for (size_t part = queue->n_parts; part-- > 0;)
            if (queue->parts[part].operation == place)
                queue->parts[part] = queue->parts[--queue->n_parts];
    }
    replay->n_listed -= open->is_listed;
    free(open->is_in);
    free(open->is_out);
    free(open->sent_by_rank.sums);
    free(open->awaited_by_rank.sums);
    *open = (struct open_operation){ .next_free = replay->free_place };
    replay->free_place = place;
}

/* ---- Queues ---- */

static struct weft_amount queue_of(const struct weft_replay *replay, uint32_t processor,
                                   enum weft_direction direction)
{
    const struct queue *queue = &replay->queues[processor];
    struct weft_amount amount = queue->sums[direction];
    for (size_t i = 0; i < queue->n_parts; i++) {
        const struct open_operation *open = &replay->open[queue->parts[i].operation];
        uint32_t call = queue->parts[i].call;
        if (direction == WEFT_OUTGOING && open->is_in[call]) {
            int64_t n = on_their_way(open, call);
            add(&amount, n, times(replay_calls_of(replay, open)[call].bytes, n));
        } else if (direction == WEFT_INCOMING && !open->is_out[call]) {
            struct weft_amount in = awaited_by(replay, open, call);
            add(&amount, in.messages, in.bytes);
        }
    }
    return amount;
}

static void mark_high(struct weft_replay *replay, uint32_t processor,
                      enum weft_direction direction, int64_t time)
{
    if (!replay->options.high)
        return;
    struct weft_amount now = queue_of(replay, processor, direction);
    struct weft_amount *high = &replay->queues[processor].high[direction];
    if (now.messages > high->messages) {
        high->messages = now.messages;
        replay->options.high(replay->options.user, direction, false, processor, time,
                             now.messages);
    }
    if (now.bytes > high->bytes) {
        high->bytes = now.bytes;
        replay->options.high(replay->options.user, direction, true, processor, time,
                             now.bytes);
    }
}

/*
 * Adds the N messages that a call sends to the sums: to each other call that waits, with a
 * prefix pattern only to those after it.
 */
static void sum_entry(struct weft_replay *replay, const struct open_operation *open,
                      uint32_t call, int64_t n)
{
    const struct weft_collective_call *calls = replay_calls_of(replay, open);
    int64_t bytes = calls[call].bytes;
    add(&replay->queues[calls[call].processor].sums[WEFT_OUTGOING], n, times(bytes, n));
    for (uint32_t i = is_prefix(open) ? call + 1 : 0; i < open->of->n_calls; i++)
        if (i != call && !open->is_out[i])
            add(&replay->queues[calls[i].processor].sums[WEFT_INCOMING], 1, bytes);
}

/*
 * Takes the messages IN that a call has received from the sums: one from each other call
 * that sent, with a prefix pattern only from those before it.
 */
static void sum_exit(struct weft_replay *replay, const struct open_operation *open,
                     uint32_t call, const struct weft_amount *in)
{
    const struct weft_collective_call *calls = replay_calls_of(replay, open);
    uint32_t after = is_prefix(open) ? call : open->of->n_calls;
    add(&replay->queues[calls[call].processor].sums[WEFT_INCOMING], -in->messages,
        times(in->bytes, -1));
    for (uint32_t i = 0; i < after; i++)
        if (i != call && open->is_in[i])
            add(&replay->queues[calls[i].processor].sums[WEFT_OUTGOING], -1,
                times(calls[i].bytes, -1));
}

/* ---- Changes ---- */

/*
 * Applies an entry or exit.  The incoming queue grows by the calls of others, so its mark
 * is taken before it shrinks.
 */
static void apply_call(struct weft_replay *replay, const struct change *change)
{
    struct open_operation *open = &replay->open[change->from];
    uint32_t call = change->to;
    const struct weft_collective_call *of = &replay_calls_of(replay, open)[call];
    if (change->kind == ENTRY && weft_collective_sends(open->of, of)) {
        int64_t n = on_their_way(open, call);
        open->is_in[call] = 1;
        add(&open->sent, 1, of->bytes);
        if (is_prefix(open))
            ranked_add(&open->sent_by_rank, call, 1, of->bytes);
        add(&replay->all, n, times(of->bytes, n));
        if (open->is_summed)
            sum_entry(replay, open, call, n);
        mark_high(replay, of->processor, WEFT_OUTGOING, change->time);
    } else if (change->kind == EXIT && !open->is_out[call]) {
        mark_high(replay, of->processor, WEFT_INCOMING, change->time);
        struct weft_amount in = awaited_by(replay, open, call);
        open->is_out[call] = 1;
        open->awaited--;
        if (is_prefix(open))
            ranked_add(&open->awaited_by_rank, call, -1, 0);
        add(&replay->all, -in.messages, times(in.bytes, -1));
        if (open->is_summed)
            sum_exit(replay, open, call, &in);
    }
    if (--open->left == 0)
        replay_close(replay, change->from);
}

void replay_apply(struct weft_replay *replay, const struct change *change)
{
    bool send = change->kind == SEND;
    if (change->nothing)
        return;
    if (change->partner != NO_PARTNER) {
        replay->batch[change->partner].partner = NO_PARTNER; /* its other half has come */
        replay->batch[change->partner].nothing = !send;
        if (!send)
            return;
    }
    if (change->kind == ENTRY || change->kind == EXIT) {
        apply_call(replay, change);
        return;
    }
    int64_t sign = send ? 1 : -1, bytes = times(change->bytes, sign);
    if (!send)
        mark_high(replay, change->to, WEFT_INCOMING, change->time);
    add(&replay->all, sign, bytes);
    add(&replay->queues[change->from].sums[WEFT_OUTGOING], sign, bytes);
    add(&replay->queues[change->to].sums[WEFT_INCOMING], sign, bytes);
    if (send)
        mark_high(replay, change->from, WEFT_OUTGOING, change->time);
}

struct weft_amount weft_replay_pending(const struct weft_replay *replay)
{
    return replay->options.processor == WEFT_NONE
               ? replay->all
               : queue_of(replay, replay->options.processor, WEFT_INCOMING);
}
