/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the innermost states of many tracks at one time.  Nothing is unpacked: the deltas
 * of a block are added up to the wanted change, whose operation has the value; the ordinal
 * of the state follows from the pushes and pops before it.
 */
#include "base/parallel.h"
#include "store/trace/trace_priv.h"

enum {
    AHEAD = 6,      /* tracks whose memory is prefetched */
    FEW_TRACKS = 64 /* with fewer, threads cost more than they save */
};

/* Returns the delta of a row that did not fit into its column, where its cell is 0. */
static uint64_t long_delta(const struct weft_change_parts *parts, size_t row)
{
    uint64_t delta = 0;
    for (size_t i = 0; i < parts->header.n_long; i++) {
        uint16_t at;
        memcpy(&at, parts->long_rows + 2 * i, 2);
        if (at == row)
            memcpy(&delta, parts->long_deltas + 8 * i, 8);
    }
    return delta;
}

/*
 * Counts how many of N deltas of a constant WIDTH fit into *REST, one after the other.
 * Sixteen are added up at once, until they no longer fit.
 */
static inline __attribute__((always_inline)) size_t
count_deltas(const struct weft_change_parts *parts, size_t n, uint64_t *rest,
             unsigned width)
{
    enum { AT_ONCE = 16 };
    const unsigned char *deltas = parts->deltas;
    uint64_t left = *rest;
    size_t i = 0;
    while (width < 8 && !parts->header.n_long && i + AT_ONCE <= n) {
        uint64_t sum = 0;
        for (size_t k = 0; k < AT_ONCE; k++)
            sum += weft_change_cell(deltas, i + k, width);
        if (sum > left)
            break;
        left -= sum;
        i += AT_ONCE;
    }
    for (; i < n; i++) {
        uint64_t delta = weft_change_cell(deltas, i, width);
        if (!delta && parts->header.n_long)
            delta = long_delta(parts, i);
        if (delta > left)
            break;
        left -= delta;
    }
    *rest = left;
    return i;
}

size_t weft_changes_until(const struct weft_change_parts *parts, int64_t begin,
                          int64_t time, int64_t *last)
{
    uint64_t left = (uint64_t)time - (uint64_t)begin;
    size_t n = parts->header.n;
    switch (parts->header.delta_width) {
    case 1: n = count_deltas(parts, n, &left, 1); break;
    case 2: n = count_deltas(parts, n, &left, 2); break;
    case 4: n = count_deltas(parts, n, &left, 4); break;
    default: n = count_deltas(parts, n, &left, 8); break;
    }
    *last = (int64_t)((uint64_t)time - left);
    return n;
}

/* Returns the row before ROW that opened the innermost state, else ROW. */
static size_t find_opening(const struct weft_change_parts *parts, size_t row,
                           size_t *closed)
{
    size_t n_closed = 0;
    for (size_t i = row; i-- > 0;) {
        switch (weft_change_cell(parts->operations, i, parts->header.operation_width) & 3) {
        case WEFT_CHANGE_PUSH:
            if (!n_closed)
                return i;
            n_closed--;
            break;
        case WEFT_CHANGE_POP: n_closed++; break;
        case WEFT_CHANGE_SET:
            if (!n_closed)
                return i;
            *closed = SIZE_MAX; /* damaged: nothing was open before the change */
            return row;
        default: *closed = SIZE_MAX; return row;
        }
    }
    *closed = n_closed;
    return row;
}

/*
 * Counts pushes and pops without looking at their order; returns false if there are other
 * changes.
 */
static inline __attribute__((always_inline)) bool
count_pushes(const struct weft_change_parts *parts, size_t row, unsigned width,
             size_t *opened, size_t *depth)
{
    uint32_t pops = 0, others = 0;
    for (size_t i = 0; i < row; i++) {
        uint32_t kind = weft_change_cell(parts->operations, i, width) & 3;
        pops += kind & 1;
        others += kind >> 1;
    }
    *opened = row - pops;
    *depth = parts->header.depth + *opened - pops;
    return !others && pops <= parts->header.depth + *opened;
}

/*
 * Returns how many states the changes before ROW open; *DEPTH: how many are open after
 * them.
 */
static size_t count_opened(const struct weft_change_parts *parts, size_t row, size_t *depth)
{
    unsigned width = parts->header.operation_width;
    size_t opened = 0, open = parts->header.depth;
    if (width == 1 ? count_pushes(parts, row, 1, &opened, depth)
                   : count_pushes(parts, row, width, &opened, depth))
        return opened;
    opened = 0;
    for (size_t i = 0; i < row; i++) {
        enum weft_change_kind kind = weft_change_cell(parts->operations, i, width) & 3;
        opened += kind == WEFT_CHANGE_PUSH || kind == WEFT_CHANGE_SET;
        open += kind == WEFT_CHANGE_PUSH;
        open -= kind == WEFT_CHANGE_POP && open;
        open = kind == WEFT_CHANGE_SET ? 1 : kind == WEFT_CHANGE_RESET ? 0 : open;
    }
    *depth = open;
    return opened;
}
static_assert(WEFT_CHANGE_PUSH == 0 && WEFT_CHANGE_POP == 1 && WEFT_CHANGE_SET == 2
                  && WEFT_CHANGE_RESET == 3,
              "the kinds are told by their bits");

static const struct weft_file_block *block_of(const struct weft_trace *trace,
                                              uint32_t index, int64_t time)
{
    if (index >= trace->schema.n_tracks)
        return NULL;
    const struct weft_file_track *track = &trace->tracks[index];
    if (trace->schema.types[track->type].kind != WEFT_STATE || time > track->end)
        return NULL;
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    ptrdiff_t b = weft_block_before(blocks, track->n_blocks, time);
    return b < 0 ? NULL : &blocks[b];
}

static void look_up(const struct weft_trace *trace, uint32_t index,
                    const struct weft_file_block *block, int64_t time,
                    struct weft_innermost *out)
{
    struct weft_change_parts parts;
    size_t left, depth, closed = 0;
    *out = (struct weft_innermost){ WEFT_NO_ID, WEFT_NONE, 0, block != NULL };
    const unsigned char *at = block ? weft_trace_block(trace, block, &left) : NULL;
    if (!at || !weft_change_parts(at, left, &parts) || parts.header.n != block->n)
        return;
    out->damaged = false;
    int64_t last;
    size_t row = weft_changes_until(&parts, block->time, time, &last);
    uint64_t code =
        row ? weft_change_cell(parts.operations, row - 1, parts.header.operation_width) >> 2
            : 0;
    uint32_t value = weft_code_value(trace, &trace->tracks[index], code);
    if (value == WEFT_NONE)
        return;
    size_t opening = find_opening(&parts, row, &closed);
    uint64_t ordinal;
    if (opening < row) {
        ordinal = block->ordinal + count_opened(&parts, opening, &depth);
        enum weft_change_kind kind =
            weft_change_cell(parts.operations, opening, parts.header.operation_width) & 3;
        depth = kind == WEFT_CHANGE_SET ? 0 : depth;
    } else {
        if (closed >= parts.header.depth) {
            out->damaged = true;
            return;
        }
        depth = parts.header.depth - 1 - closed;
        uint64_t entry;
        memcpy(&entry, parts.stack + 8 * depth, 8);
        ordinal = weft_entity_ordinal(entry);
    }
    if (ordinal < trace->tracks[index].count)
        *out = (struct weft_innermost){ weft_entity_id(index, ordinal), value,
                                        (uint32_t)depth, false };
}

struct at_work {
    const struct weft_trace *trace;
    const uint32_t *tracks;
    size_t n, n_parts;
    int64_t time;
    struct weft_innermost *out;
};

static void look_up_part(void *user, size_t part)
{
    const struct at_work *work = user;
    size_t from = work->n * part / work->n_parts, to = work->n * (part + 1) / work->n_parts;
    const struct weft_file_block *ahead[AHEAD] = { NULL };
    for (size_t i = from; i < to + AHEAD; i++) {
        /* The block found AHEAD tracks ago: by now its bytes are in the cache. */
        if (i >= from + AHEAD) {
            size_t now = i - AHEAD;
            look_up(work->trace, work->tracks[now], ahead[now % AHEAD], work->time,
                    &work->out[now]);
        }
        if (i >= to)
            continue;
        const struct weft_file_block *block =
            block_of(work->trace, work->tracks[i], work->time);
        ahead[i % AHEAD] = block;
        size_t left;
        const unsigned char *at =
            block ? weft_trace_fetch(work->trace, block, &left) : NULL;
        for (size_t line = 0; at && line < 768 && line < left; line += 64)
            __builtin_prefetch(at + line);
    }
}

void weft_trace_values_at(const struct weft_source *source, const uint32_t *tracks,
                          size_t n, int64_t time, struct weft_innermost *out)
{
    struct at_work work = { weft_trace_of(source), tracks, n, 1, time, out };
    if (n >= FEW_TRACKS)
        work.n_parts = 4 * (size_t)weft_parallel_width();
    weft_parallel(work.n_parts, 1, look_up_part, &work);
}
