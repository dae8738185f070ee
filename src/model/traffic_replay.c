/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes come from the links in order of their begins, from a heap of the ends of those that are
 * pending, and from the calls of collective operations, which enter the heap when the
 * operation begins.  The messages of an operation are counted: what a processor sends or gets by
 * it is a product of its own state and of how many others have entered it, or not left it yet.
 */
#include <stdlib.h>
#include <string.h>

#include "model/field_window.h"
#include "model/traffic_priv.h"
#include "model/traffic_replay.h"
#include "store/walk.h"

/* In the order in which they come at one time. */
enum change_kind { SEND, RECEIVE, ENTRY, EXIT };

struct change {
    int64_t time, bytes;
    uint64_t call;     /* the state that it begins or ends, or WEFT_NO_ID */
    uint32_t from, to; /* processors; of calls: number of the open operation, and call */
    enum change_kind kind;
    /*
     * Of a message that is sent and received at one time: where in the batch the other change
     * is.  When the receive comes first, it is a tachyon, and both are nothing.
     */
    uint32_t partner; /* or NO_PARTNER */
    bool nothing;
};
#define NO_PARTNER UINT32_MAX

/* Sums of the first calls of an operation (Fenwick 1994), for patterns that go by rank. */
struct ranked {
    struct weft_amount *sums; /* [n + 1] */
    uint32_t n;
};

struct open_operation {
    const struct weft_collective *of; /* NULL: the place is free */
    uint8_t *is_in, *is_out;          /* by call: sent, does not await any more */
    struct weft_amount sent;
    int64_t awaited;
    struct ranked sent_by_rank, awaited_by_rank; /* of prefixes */
    uint64_t left;                               /* entries and exits that are to come */
};

struct part { /* of a processor in an open operation */
    uint32_t operation, call;
};

struct queue {                                  /* of a processor */
    struct weft_amount stored[WEFT_DIRECTIONS]; /* without collective operations */
    struct weft_amount high[WEFT_DIRECTIONS];
    struct part *parts;
    size_t n_parts, capacity;
};

/* What a processor has in the batch: the first and the last call of each kind of change. */
struct in_batch {
    uint64_t n_batches; /* which batch it is about */
    uint64_t first[EXIT + 1], last[EXIT + 1];
};

struct weft_replay {
    const struct weft_traffic *traffic;
    struct weft_replay_options options;
    struct weft_walk walk;
    struct weft_link link; /* the next one */
    bool has_link;
    struct weft_field_window *sizes; /* [tracks]: bytes of their messages */
    struct change *heap;             /* what is to come */
    size_t n_heap, heap_capacity;
    struct change *batch; /* of one time */
    size_t n_batch, batch_capacity;
    struct in_batch *in_batch; /* [processors] */
    uint64_t n_batches;
    size_t next_operation;
    struct open_operation *open;
    size_t n_open, open_capacity;
    struct queue *queues; /* [processors] */
    struct weft_amount all;
};

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

static void ranked_add(struct ranked *ranked, uint32_t call, int64_t messages,
                       int64_t bytes)
{
    for (uint32_t i = call + 1; i <= ranked->n; i += i & -i)
        add(&ranked->sums[i], messages, bytes);
}

/* Of the calls before CALL. */
static struct weft_amount ranked_before(const struct ranked *ranked, uint32_t call)
{
    struct weft_amount sum = { 0 };
    for (uint32_t i = call; i; i -= i & -i)
        add(&sum, ranked->sums[i].messages, ranked->sums[i].bytes);
    return sum;
}

/* ---- Open operations ---- */

static const struct weft_collective_call *calls_of(const struct weft_replay *replay,
                                                   const struct open_operation *open)
{
    return replay->traffic->calls + open->of->first_call;
}

static bool is_prefix(const struct open_operation *open)
{
    return open->sent_by_rank.sums != NULL;
}

/* How many messages a call, once it sent, has on their way. */
static int64_t on_their_way(const struct open_operation *open, uint32_t call)
{
    bool self = !open->is_out[call];
    if (!is_prefix(open))
        return open->awaited - self;
    return open->awaited - ranked_before(&open->awaited_by_rank, call + 1).messages;
}

/* What is on its way to a call that still awaits. */
static struct weft_amount awaited_by(const struct weft_replay *replay,
                                     const struct open_operation *open, uint32_t call)
{
    if (is_prefix(open))
        return ranked_before(&open->sent_by_rank, call);
    struct weft_amount amount = open->sent;
    if (open->is_in[call])
        add(&amount, -1, -calls_of(replay, open)[call].bytes);
    return amount;
}

static void push(struct weft_replay *replay, const struct change *change)
{
    replay->heap = weft_grow(replay->heap, &replay->heap_capacity, replay->n_heap + 1,
                             sizeof *replay->heap);
    size_t i = replay->n_heap++;
    for (; i && replay->heap[(i - 1) / 2].time > change->time; i = (i - 1) / 2)
        replay->heap[i] = replay->heap[(i - 1) / 2];
    replay->heap[i] = *change;
}

static struct change pop(struct weft_replay *replay)
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

static uint32_t free_place(struct weft_replay *replay)
{
    for (size_t i = 0; i < replay->n_open; i++)
        if (!replay->open[i].of)
            return (uint32_t)i;
    replay->open = weft_grow(replay->open, &replay->open_capacity, replay->n_open + 1,
                             sizeof *replay->open);
    return (uint32_t)replay->n_open++;
}

static void open_operation(struct weft_replay *replay, const struct weft_collective *of)
{
    const struct weft_collective_call *calls = replay->traffic->calls + of->first_call;
    uint32_t place = free_place(replay), n = of->n_calls;
    struct open_operation *open = &replay->open[place];
    *open = (struct open_operation){ .of = of, .left = 2 * (uint64_t)n };
    open->is_in = weft_zalloc(n, 1);
    open->is_out = weft_zalloc(n, 1);
    if (of->pattern == WEFT_ROLE_PREFIX) {
        open->sent_by_rank =
            (struct ranked){ weft_zalloc((size_t)n + 1, sizeof(struct weft_amount)), n };
        open->awaited_by_rank =
            (struct ranked){ weft_zalloc((size_t)n + 1, sizeof(struct weft_amount)), n };
    }
    for (uint32_t i = 0; i < n; i++) {
        struct queue *queue = &replay->queues[calls[i].processor];
        struct change change = {
            .call = calls[i].state, .from = place, .to = i, .partner = NO_PARTNER
        };
        open->is_out[i] = !weft_collective_receives(of, &calls[i]);
        open->awaited += !open->is_out[i];
        if (is_prefix(open))
            ranked_add(&open->awaited_by_rank, i, 1, 0);
        queue->parts = weft_grow(queue->parts, &queue->capacity, queue->n_parts + 1,
                                 sizeof(struct part));
        queue->parts[queue->n_parts++] = (struct part){ place, i };
        change.time = calls[i].entry;
        change.kind = ENTRY;
        push(replay, &change);
        change.time = calls[i].exit;
        change.kind = EXIT;
        push(replay, &change);
    }
}

static void close_operation(struct weft_replay *replay, uint32_t place)
{
    struct open_operation *open = &replay->open[place];
    const struct weft_collective_call *calls = calls_of(replay, open);
    for (uint32_t i = 0; i < open->of->n_calls; i++) {
        struct queue *queue = &replay->queues[calls[i].processor];
        for (size_t part = queue->n_parts; part-- > 0;)
            if (queue->parts[part].operation == place)
                queue->parts[part] = queue->parts[--queue->n_parts];
    }
    free(open->is_in);
    free(open->is_out);
    free(open->sent_by_rank.sums);
    free(open->awaited_by_rank.sums);
    *open = (struct open_operation){ 0 };
}

/* ---- Queues ---- */

static struct weft_amount queue_of(const struct weft_replay *replay, uint32_t processor,
                                   enum weft_direction direction)
{
    const struct queue *queue = &replay->queues[processor];
    struct weft_amount amount = queue->stored[direction];
    for (size_t i = 0; i < queue->n_parts; i++) {
        const struct open_operation *open = &replay->open[queue->parts[i].operation];
        uint32_t call = queue->parts[i].call;
        if (direction == WEFT_OUTGOING && open->is_in[call]) {
            int64_t n = on_their_way(open, call);
            add(&amount, n, times(calls_of(replay, open)[call].bytes, n));
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

/* ---- Changes ---- */

/* An incoming queue grows by what others do, and is looked at before it shrinks. */
static void apply_call(struct weft_replay *replay, const struct change *change)
{
    struct open_operation *open = &replay->open[change->from];
    uint32_t call = change->to;
    const struct weft_collective_call *of = &calls_of(replay, open)[call];
    if (change->kind == ENTRY && weft_collective_sends(open->of, of)) {
        int64_t n = on_their_way(open, call);
        open->is_in[call] = 1;
        add(&open->sent, 1, of->bytes);
        if (is_prefix(open))
            ranked_add(&open->sent_by_rank, call, 1, of->bytes);
        add(&replay->all, n, times(of->bytes, n));
        mark_high(replay, of->processor, WEFT_OUTGOING, change->time);
    } else if (change->kind == EXIT && !open->is_out[call]) {
        mark_high(replay, of->processor, WEFT_INCOMING, change->time);
        struct weft_amount in = awaited_by(replay, open, call);
        open->is_out[call] = 1;
        open->awaited--;
        if (is_prefix(open))
            ranked_add(&open->awaited_by_rank, call, -1, 0);
        add(&replay->all, -in.messages, -in.bytes);
    }
    if (--open->left == 0)
        close_operation(replay, change->from);
}

static void apply(struct weft_replay *replay, const struct change *change)
{
    bool send = change->kind == SEND;
    if (change->nothing)
        return;
    if (change->partner != NO_PARTNER) {
        replay->batch[change->partner].partner = NO_PARTNER; /* it is not alone any more */
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
    add(&replay->queues[change->from].stored[WEFT_OUTGOING], sign, bytes);
    add(&replay->queues[change->to].stored[WEFT_INCOMING], sign, bytes);
    if (send)
        mark_high(replay, change->from, WEFT_OUTGOING, change->time);
}

struct weft_amount weft_replay_pending(const struct weft_replay *replay)
{
    return replay->options.processor == WEFT_NONE
               ? replay->all
               : queue_of(replay, replay->options.processor, WEFT_INCOMING);
}

/* ---- The order of one time ---- */

static uint32_t processor_of(const struct weft_replay *replay, const struct change *change)
{
    if (change->kind == SEND)
        return change->from;
    if (change->kind == RECEIVE)
        return change->to;
    const struct open_operation *open = &replay->open[change->from];
    return calls_of(replay, open)[change->to].processor;
}

struct ordered {
    uint32_t processor, change;
    uint64_t call;
    enum change_kind kind;
};

/* By processor, and there as it made its calls. */
static int by_processor(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->processor != y->processor)
        return x->processor < y->processor ? -1 : 1;
    if (x->call != y->call && x->call != WEFT_NO_ID && y->call != WEFT_NO_ID)
        return x->call < y->call ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->change < y->change ? -1 : x->change > y->change;
}

/* Of two processors, the one whose next change comes first. */
static bool comes_first(const struct ordered *a, const struct ordered *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->processor < b->processor;
}

static void sink_down(const struct ordered **heap, size_t n, size_t i)
{
    const struct ordered *moved = heap[i];
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

/* Apply the batch; always the change that sorts first of those that are next at processors. */
static void apply_merged(struct weft_replay *replay, struct weft_amount *peak)
{
    size_t n = replay->n_batch, n_heap = 0;
    struct ordered *list = weft_alloc((n + 1) * sizeof *list);
    const struct ordered **heap = weft_alloc((n + 1) * sizeof *heap);
    for (size_t i = 0; i < n; i++) {
        const struct change *change = &replay->batch[i];
        list[i] = (struct ordered){ processor_of(replay, change), (uint32_t)i, change->call,
                                    change->kind };
    }
    qsort(list, n, sizeof *list, by_processor);
    list[n].processor = WEFT_NONE; /* which none has: the end */
    for (size_t i = 0; i < n; i++)
        if (!i || list[i].processor != list[i - 1].processor)
            heap[n_heap++] = &list[i];
    for (size_t i = n_heap; i-- > 0;)
        sink_down(heap, n_heap, i);
    while (n_heap) {
        const struct ordered *top = heap[0];
        apply(replay, &replay->batch[top->change]);
        raise_peak(replay, peak);
        heap[0] = top[1].processor == top->processor ? top + 1 : heap[--n_heap];
        sink_down(heap, n_heap, 0);
    }
    free(list);
    free(heap);
}

/*
 * Does the order of the kinds of changes agree with the order of each processor's calls?  Then
 * it is the order of all, and nothing has to be merged.
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

static void apply_batch(struct weft_replay *replay, struct weft_amount *peak)
{
    *peak = weft_replay_pending(replay);
    if (!kinds_in_order(replay)) {
        apply_merged(replay, peak);
        return;
    }
    for (enum change_kind kind = SEND; kind <= EXIT; kind++) {
        for (size_t i = 0; i < replay->n_batch; i++)
            if (replay->batch[i].kind == kind)
                apply(replay, &replay->batch[i]);
        raise_peak(replay, peak); /* within a kind it only grows, or only shrinks */
    }
}

/* ---- Messages ---- */

static size_t n_tracks(const struct weft_replay *replay)
{
    return replay->options.collectives == WEFT_COLLECTIVES_NONE ? replay->traffic->n_plain
                                                                : replay->traffic->n_tracks;
}

static int64_t bytes_of(struct weft_replay *replay, uint64_t id)
{
    size_t i = 0;
    while (replay->traffic->tracks[i] != weft_entity_track(id))
        i++;
    return weft_field_window_get(&replay->sizes[i], weft_entity_ordinal(id));
}

/* The changes of a message; false: it is never pending. */
static bool changes_of(struct weft_replay *replay, const struct weft_link *link,
                       struct change *send, struct change *receive)
{
    const uint32_t *index_of = replay->traffic->processors->index_of;
    if (link->end < link->begin || link->from == WEFT_NONE || link->to == WEFT_NONE
        || index_of[link->from] == WEFT_NONE || index_of[link->to] == WEFT_NONE)
        return false;
    bool received = !(link->flags & WEFT_END_IMPLIED);
    *send = (struct change){ .time = link->begin,
                             .bytes = bytes_of(replay, link->id),
                             .call = link->from_entity,
                             .from = index_of[link->from],
                             .to = index_of[link->to],
                             .kind = SEND,
                             .partner = NO_PARTNER };
    *receive = *send;
    receive->time = received ? link->end : INT64_MAX;
    receive->call = link->to_entity;
    receive->kind = RECEIVE;
    return true;
}

static void add_to_batch(struct weft_replay *replay, const struct change *change)
{
    replay->batch = weft_grow(replay->batch, &replay->batch_capacity, replay->n_batch + 1,
                              sizeof *replay->batch);
    replay->batch[replay->n_batch++] = *change;
}

static void next_link(struct weft_replay *replay)
{
    struct weft_entity entity;
    do {
        replay->has_link = weft_walk_next(&replay->walk, &entity);
    } while (replay->has_link && entity.link->end < entity.link->begin);
    if (replay->has_link)
        replay->link = *entity.link;
}

struct beginning {
    struct weft_replay *replay;
    int64_t time;
};

static bool begin_link(void *user, const struct weft_link *link)
{
    struct beginning *beginning = user;
    struct weft_replay *replay = beginning->replay;
    struct change send, receive;
    if (link->begin <= beginning->time && changes_of(replay, link, &send, &receive)
        && receive.time > beginning->time) {
        apply(replay, &send);
        if (receive.time != INT64_MAX)
            push(replay, &receive);
    }
    return true;
}

/* Operations that have begun: those that go on, as they are at TIME. */
static void begin_operations(struct weft_replay *replay, int64_t time)
{
    const struct weft_traffic *traffic = replay->traffic;
    size_t after = 0, first, high = traffic->n_collectives;
    while (after < high) {
        size_t middle = after + (high - after) / 2;
        if (traffic->collectives[middle].begin <= time)
            after = middle + 1;
        else
            high = middle;
    }
    for (first = after; first && traffic->reach[first - 1] > time;)
        first--;
    for (size_t i = first; i < after; i++)
        if (traffic->collectives[i].end > time)
            open_operation(replay, &traffic->collectives[i]);
    while (replay->n_heap && replay->heap[0].time <= time) {
        struct change change = pop(replay);
        apply(replay, &change);
    }
    replay->next_operation = after;
}

struct weft_replay *weft_replay_begin(const struct weft_traffic *traffic, int64_t time,
                                      const struct weft_replay_options *options)
{
    struct weft_replay *replay = weft_zalloc(1, sizeof *replay);
    const struct weft_schema *schema = traffic->source->schema;
    struct beginning beginning = { replay, time };
    /* What was never received is kept until the end, and pending after it, too. */
    int64_t end = schema->span.end, seen = time < end ? time : end - 1;
    replay->traffic = traffic;
    replay->options = *options;
    replay->queues =
        weft_zalloc((size_t)traffic->processors->n + 1, sizeof *replay->queues);
    replay->in_batch =
        weft_zalloc((size_t)traffic->processors->n + 1, sizeof *replay->in_batch);
    replay->sizes = weft_zalloc(traffic->n_tracks + 1, sizeof *replay->sizes);
    for (size_t i = 0; i < n_tracks(replay); i++) {
        weft_field_window_begin(&replay->sizes[i], traffic->source, traffic->tracks[i],
                                WEFT_ROLE_BYTES);
        traffic->source->ops->links(traffic->source, traffic->tracks[i],
                                    (struct weft_span){ seen, time + 1 }, begin_link,
                                    &beginning);
    }
    if (options->collectives == WEFT_COLLECTIVES_NONE)
        replay->next_operation = traffic->n_collectives;
    else
        begin_operations(replay, time);
    weft_walk_begin(&replay->walk, traffic->source, traffic->tracks, n_tracks(replay),
                    1u << WEFT_LINK, time + 1, false);
    next_link(replay);
    return replay;
}

/* The next time at which anything changes; false: there is none. */
static bool next_time(const struct weft_replay *replay, int64_t *time)
{
    const struct weft_traffic *traffic = replay->traffic;
    *time = INT64_MAX;
    if (replay->has_link)
        *time = replay->link.begin;
    if (replay->n_heap && replay->heap[0].time < *time)
        *time = replay->heap[0].time;
    if (replay->next_operation < traffic->n_collectives
        && traffic->collectives[replay->next_operation].begin < *time)
        *time = traffic->collectives[replay->next_operation].begin;
    return *time != INT64_MAX;
}

bool weft_replay_next(struct weft_replay *replay, struct weft_replay_step *step)
{
    const struct weft_traffic *traffic = replay->traffic;
    if (!next_time(replay, &step->time))
        return false;
    replay->n_batch = 0;
    for (; replay->next_operation < traffic->n_collectives
           && traffic->collectives[replay->next_operation].begin == step->time;
         replay->next_operation++)
        open_operation(replay, &traffic->collectives[replay->next_operation]);
    for (; replay->has_link && replay->link.begin == step->time; next_link(replay)) {
        struct change send, receive;
        if (!changes_of(replay, &replay->link, &send, &receive))
            continue;
        if (receive.time == send.time) {
            send.partner = (uint32_t)replay->n_batch + 1;
            receive.partner = (uint32_t)replay->n_batch;
            add_to_batch(replay, &send);
            add_to_batch(replay, &receive);
            continue;
        }
        add_to_batch(replay, &send);
        if (receive.time != INT64_MAX)
            push(replay, &receive);
    }
    while (replay->n_heap && replay->heap[0].time == step->time) {
        struct change change = pop(replay);
        add_to_batch(replay, &change);
    }
    apply_batch(replay, &step->peak);
    step->pending = weft_replay_pending(replay);
    step->changes = replay->n_batch;
    return true;
}

void weft_replay_end(struct weft_replay *replay)
{
    if (!replay)
        return;
    weft_walk_end(&replay->walk);
    for (size_t i = 0; i < replay->n_open; i++)
        if (replay->open[i].of)
            close_operation(replay, (uint32_t)i);
    for (uint32_t i = 0; i < replay->traffic->processors->n; i++)
        free(replay->queues[i].parts);
    free(replay->queues);
    free(replay->sizes);
    free(replay->in_batch);
    free(replay->heap);
    free(replay->batch);
    free(replay->open);
    free(replay);
}
