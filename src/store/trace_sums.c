/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums.  S(t), the time that each value was on before t, is looked up: the nearest sums
 * in the blocks at or before t, and a scan of the changes from there to t.  The sums of
 * [a, b) are S(b) - S(a).
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "store/time.h"
#include "store/trace_priv.h"

enum {
    AHEAD = 4
}; /* tracks: early enough for memory to answer, late enough to stay in the cache */

struct scan { /* scratch of one worker, by code */
    int64_t *self, *total;
    uint32_t *open; /* levels that have the code; all 0 between scans */
    size_t n_codes, capacity;
    int64_t sign; /* 1 or -1: adding S(t), or taking it away */
};

static inline uint32_t checked(const struct scan *scan, uint64_t code)
{
    return code < scan->n_codes ? (uint32_t)code : 0;
}

/*
 * From TIME on, one level more (STEP 1) or less (STEP -1) has CODE.  Total time runs while at
 * least one level has it.  Without a branch, because pushes and pops cannot be predicted.
 */
static inline void count_level(struct scan *scan, uint32_t code, int32_t step, int64_t time)
{
    uint32_t before = scan->open[code], after = before + (uint32_t)step;
    int64_t edge = (before == 0) - (int64_t)(after == 0);
    scan->total[code] = (int64_t)((uint64_t)scan->total[code] - (uint64_t)(edge * time));
    scan->open[code] = after;
}

/* Close all levels at TIME.  When one is open it is TOP: the others need not be looked at. */
static void end_levels(struct scan *scan, size_t depth, uint32_t top, int64_t time)
{
    if (depth == 1 && scan->open[top] == 1) {
        count_level(scan, top, -1, time);
        return;
    }
    for (uint32_t code = 0; depth && code < scan->n_codes; code++) {
        if (!scan->open[code])
            continue;
        scan->open[code] = 1;
        count_level(scan, code, -1, time);
    }
}

/*
 * Prefetch what add_until will read, some tracks ahead: the blocks at the edges of an interval
 * are rarely in the cache, and waiting for memory is most of the time of a sum.
 */
static void fetch_ahead(const struct weft_trace *trace, const struct weft_file_track *track,
                        int64_t time)
{
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    if (!track->n_blocks || blocks[0].time >= time)
        return;
    size_t left;
    const unsigned char *at = weft_trace_fetch(
        trace, &blocks[weft_block_at(blocks, track->n_blocks, time)], &left);
    for (size_t i = 0; i < 1024 && i < left; i += 64)
        __builtin_prefetch(at + i);
}

/*
 * Add S(time) of a track to the scratch; false when a block is damaged that is needed for it.
 * Times are relative to the track's begin, so that their sums do not overflow, as long as blocks
 * do not contradict each other: where they do, they wrap.  An open count may wrap then, too, and
 * is cleared at the end.
 */
static bool add_until(const struct weft_trace *trace, const struct weft_file_track *track,
                      int64_t time, struct scan *scan)
{
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    if (!track->n_blocks || blocks[0].time >= time)
        return true;
    size_t last = weft_block_at(blocks, track->n_blocks, time), first = last;
    int64_t zero = track->begin, sign = scan->sign;
    struct weft_changes changes;
    if (!weft_changes_decode(trace, track, last, &changes))
        return false;
    if (!changes.sums && changes.sums_back) {
        first = last - changes.sums_back;
        if (!weft_changes_decode(trace, track, first, &changes))
            return false;
    }
    for (uint32_t c = 0; changes.sums && c < changes.n_codes; c++) {
        scan->self[c + 1] += sign * weft_changes_sum(&changes, c);
        scan->total[c + 1] += sign * weft_changes_sum(&changes, changes.n_codes + c);
    }
    int64_t now = blocks[first].time;
    uint32_t top = 0;
    size_t depth = changes.depth;
    for (size_t i = 0; i < depth; i++) {
        top = checked(scan, changes.stack[i] >> 40);
        count_level(scan, top, 1, sign * (now - zero));
    }
    bool whole = true;
    for (size_t b = first;;) {
        for (size_t i = 0; i < changes.n && (int64_t)changes.times[i] < time; i++) {
            int64_t at = (int64_t)changes.times[i];
            enum weft_change_kind kind = changes.operations[i] & 3;
            uint32_t after = checked(scan, changes.operations[i] >> 2);
            scan->self[top] += sign * (at - now);
            now = at;
            at = sign * (at - zero);
            if (kind >= WEFT_CHANGE_SET) {
                end_levels(scan, depth, top, at);
                depth = 0;
                if (kind == WEFT_CHANGE_SET)
                    count_level(scan, after, 1, at);
                depth = kind == WEFT_CHANGE_SET;
            } else {
                bool pop = kind == WEFT_CHANGE_POP;
                count_level(scan, pop ? top : after, pop ? -1 : 1, at);
                depth += pop ? (size_t)-1 : 1;
            }
            top = after;
        }
        if (b == last)
            break;
        whole = weft_changes_decode(trace, track, ++b, &changes) && changes.depth == depth;
        if (!whole)
            break;
    }
    scan->self[top] += sign * (time - now);
    end_levels(scan, depth, top, sign * (time - zero));
    memset(scan->open, 0, scan->n_codes * sizeof *scan->open);
    return whole;
}

static void add_track(const struct weft_trace *trace, const struct weft_file_track *track,
                      struct weft_span window, struct scan *scan, struct weft_sum *sums)
{
    scan->n_codes = (size_t)track->n_codes + 1;
    if (scan->n_codes > scan->capacity) {
        scan->capacity = scan->n_codes;
        scan->self = weft_realloc(scan->self, scan->n_codes * sizeof *scan->self);
        scan->total = weft_realloc(scan->total, scan->n_codes * sizeof *scan->total);
        scan->open = weft_realloc(scan->open, scan->n_codes * sizeof *scan->open);
        memset(scan->open, 0, scan->n_codes * sizeof *scan->open);
    }
    memset(scan->self, 0, scan->n_codes * sizeof *scan->self);
    memset(scan->total, 0, scan->n_codes * sizeof *scan->total);
    int64_t end = window.end < track->end ? window.end : track->end;
    bool whole = true;
    if (end > window.begin) {
        scan->sign = 1;
        whole = add_until(trace, track, end, scan);
        scan->sign = -1;
        whole = whole && add_until(trace, track, window.begin, scan);
    }
    for (uint32_t c = 0; whole && c < track->n_codes; c++) {
        struct weft_sum *sum = &sums[trace->codes[track->first_code + c]];
        sum->self_ticks = weft_ticks_add(sum->self_ticks, scan->self[c + 1]);
        sum->total_ticks = weft_ticks_add(sum->total_ticks, scan->total[c + 1]);
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
        if (i + AHEAD < to) {
            const struct weft_file_track *next = &trace->tracks[work->tracks[i + AHEAD]];
            fetch_ahead(trace, next, work->window.begin);
            fetch_ahead(trace, next, work->window.end);
        }
        if (trace->schema.types[track->type].kind == WEFT_STATE && track->n_blocks)
            add_track(trace, track, work->window, &scan, sums);
    }
    free(scan.self);
    free(scan.total);
    free(scan.open);
}

void weft_trace_sums(const struct weft_source *source, const uint32_t *tracks,
                     size_t n_tracks, struct weft_span window, struct weft_sum *sums)
{
    const struct weft_trace *trace = weft_trace_of(source);
    size_t n_values = trace->schema.n_values;
    size_t parts = n_tracks < 32 ? 1 : 4 * weft_parallel_width();
    struct sums_work work = { trace, tracks, n_tracks, parts, window, NULL };
    work.sums = weft_zalloc(parts * n_values, sizeof *work.sums);
    weft_parallel(parts, 1, add_part, &work);
    for (size_t i = 0; i < parts * n_values; i++) {
        struct weft_sum *sum = &sums[i % n_values];
        sum->self_ticks = weft_ticks_add(sum->self_ticks, work.sums[i].self_ticks);
        sum->total_ticks = weft_ticks_add(sum->total_ticks, work.sums[i].total_ticks);
    }
    free(work.sums);
}
