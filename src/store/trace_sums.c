/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums.  S(t), the time that each value was on before t, is looked up: the nearest sums
 * in the blocks at or before t, and a scan of the changes from there to t.  The sums of
 * [a, b) are S(b) - S(a).
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "store/trace_priv.h"

struct scan { /* scratch of one worker */
    int64_t *self, *total;  /* by code */
    uint32_t *open;         /* levels that have the code */
    uint32_t *stack;        /* codes */
    size_t n_codes, code_capacity;
    size_t depth, stack_capacity;
};

static void push_code(struct scan *scan, uint32_t code, int64_t time, int sign)
{
    scan->stack = weft_grow(scan->stack, &scan->stack_capacity, scan->depth + 1,
                            sizeof *scan->stack);
    scan->stack[scan->depth++] = code;
    if (scan->open[code]++ == 0)
        scan->total[code] -= sign * time;
}

static void pop_code(struct scan *scan, int64_t time, int sign)
{
    uint32_t code = scan->stack[--scan->depth];
    if (--scan->open[code] == 0)
        scan->total[code] += sign * time;
}

static uint32_t checked(const struct scan *scan, uint64_t code)
{
    return code < scan->n_codes ? (uint32_t)code : 0;
}

/*
 * Apply a change of a damaged file too: never pop what is not there.  Times are relative to
 * the track's begin, so that their sums do not overflow.
 */
static void apply(struct scan *scan, uint64_t operation, int64_t time, int sign)
{
    enum weft_change_kind kind = operation & 3;
    if (kind == WEFT_CHANGE_POP) {
        if (scan->depth)
            pop_code(scan, time, sign);
        return;
    }
    if (kind != WEFT_CHANGE_PUSH)
        while (scan->depth)
            pop_code(scan, time, sign);
    if (kind != WEFT_CHANGE_RESET)
        push_code(scan, checked(scan, operation >> 2), time, sign);
}

/* Add SIGN * S(time) of a track to the scratch. */
static void add_until(const struct weft_trace *trace, const struct weft_file_track *track,
                      int64_t time, int sign, struct scan *scan)
{
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    if (!track->n_blocks || blocks[0].time >= time)
        return;
    size_t last = weft_block_at(blocks, track->n_blocks, time), first = last;
    int64_t zero = track->begin;
    struct weft_changes changes;
    if (!weft_changes_decode(trace, track, last, &changes))
        return;
    if (!changes.self && changes.sums_back) {
        first = last - changes.sums_back;
        if (!weft_changes_decode(trace, track, first, &changes))
            return;
    }
    for (uint32_t c = 0; changes.self && c < changes.n_codes; c++) {
        scan->self[c + 1] += sign * changes.self[c];
        scan->total[c + 1] += sign * changes.total[c];
    }
    int64_t now = blocks[first].time;
    for (size_t i = 0; i < changes.depth; i++)
        push_code(scan, checked(scan, changes.stack[i] >> 40), now - zero, sign);
    for (size_t b = first;;) {
        for (size_t i = 0; i < changes.n && (int64_t)changes.times[i] < time; i++) {
            int64_t at = (int64_t)changes.times[i];
            if (scan->depth)
                scan->self[scan->stack[scan->depth - 1]] += sign * (at - now);
            now = at;
            apply(scan, changes.operations[i], at - zero, sign);
        }
        if (b == last || !weft_changes_decode(trace, track, ++b, &changes))
            break;
    }
    if (scan->depth)
        scan->self[scan->stack[scan->depth - 1]] += sign * (time - now);
    while (scan->depth)
        pop_code(scan, time - zero, sign);
}

static void add_track(const struct weft_trace *trace, const struct weft_file_track *track,
                      struct weft_span window, struct scan *scan, struct weft_sum *sums)
{
    scan->n_codes = (size_t)track->n_codes + 1;
    if (scan->n_codes > scan->code_capacity) {
        scan->code_capacity = scan->n_codes;
        scan->self = weft_realloc(scan->self, scan->n_codes * sizeof *scan->self);
        scan->total = weft_realloc(scan->total, scan->n_codes * sizeof *scan->total);
        scan->open = weft_realloc(scan->open, scan->n_codes * sizeof *scan->open);
        memset(scan->open, 0, scan->n_codes * sizeof *scan->open);
    }
    memset(scan->self, 0, scan->n_codes * sizeof *scan->self);
    memset(scan->total, 0, scan->n_codes * sizeof *scan->total);
    int64_t end = window.end < track->end ? window.end : track->end;
    if (end > window.begin) {
        add_until(trace, track, end, 1, scan);
        add_until(trace, track, window.begin, -1, scan);
    }
    for (uint32_t c = 0; c < track->n_codes; c++) {
        struct weft_sum *sum = &sums[trace->codes[track->first_code + c]];
        sum->self_ticks += scan->self[c + 1];
        sum->total_ticks += scan->total[c + 1];
    }
}

struct sums_work {
    const struct weft_trace *trace;
    const uint32_t *tracks;
    size_t n_tracks, n_parts;
    struct weft_span window;
    struct weft_sum *sums; /* [n_parts][n_values] */
};

static void add_part(void *user, size_t part)
{
    const struct sums_work *work = user;
    const struct weft_trace *trace = work->trace;
    struct scan scan = { 0 };
    struct weft_sum *sums = work->sums + part * trace->schema.n_values;
    size_t from = work->n_tracks * part / work->n_parts;
    size_t to = work->n_tracks * (part + 1) / work->n_parts;
    for (size_t i = from; i < to; i++) {
        const struct weft_file_track *track = &trace->tracks[work->tracks[i]];
        if (trace->schema.types[track->type].kind == WEFT_STATE && track->n_blocks)
            add_track(trace, track, work->window, &scan, sums);
    }
    free(scan.self);
    free(scan.total);
    free(scan.open);
    free(scan.stack);
}

void weft_trace_sums(const struct weft_source *source, const uint32_t *tracks, size_t n_tracks,
                     struct weft_span window, struct weft_sum *sums)
{
    const struct weft_trace *trace = weft_trace_of(source);
    size_t n_values = trace->schema.n_values;
    size_t parts = n_tracks < 32 ? 1 : 4 * weft_parallel_width();
    struct sums_work work = { trace, tracks, n_tracks, parts, window, NULL };
    work.sums = weft_zalloc(parts * n_values, sizeof *work.sums);
    weft_parallel(parts, 1, add_part, &work);
    for (size_t i = 0; i < parts * n_values; i++) {
        sums[i % n_values].self_ticks += work.sums[i].self_ticks;
        sums[i % n_values].total_ticks += work.sums[i].total_ticks;
    }
    free(work.sums);
}
