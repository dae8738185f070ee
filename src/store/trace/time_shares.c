/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares of time by column: from the mips if a bin fits into a column, else from the
 * changes themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "store/mipmaps.h"

struct weft_edges weft_edges_begin(struct weft_span window, size_t columns)
{
    int64_t length = window.end - window.begin, n = (int64_t)columns;
    struct weft_edges edges = { window.begin, length / n, length % n, 0, n };
    weft_edges_next(&edges);
    return edges;
}

/*
 * Shares are summed without branches, because the columns of sparse changes are not
 * predictable.  A state is two ramps: one starts where it begins, one stops where it ends.
 * A ramp that starts at column position x = c + f (c whole) covers 1 - f of column c and
 * all of the columns behind it.  Stored as differences between neighbouring columns that is
 * 1 - f at c and f at c + 1; running sums over the columns then give the part of each.
 */
enum {
    PART = 1 << 16,       /* a whole column; positions and parts are in 65,536ths */
    PASS_EVERY = 1 << 14, /* blocks: some tens of megabytes */
    LOOK_EVERY = 1 << 10, /* blocks between two looks at the job: some milliseconds */
    DENSE = 8, /* changes a column; then most fall into the previous change's column */
};

static inline void deposit(int32_t *at, unsigned stride, int32_t rest, int32_t part)
{
    at[0] += rest;
    at[stride] += part;
}

struct ramps {
    const struct weft_trace *trace;
    const struct weft_file_track *track;
    int32_t *starts; /* [columns + 2][stride] */
    struct weft_span window;
    uint64_t per_tick; /* columns a tick, in units of 2^-shift */
    unsigned shift;
    size_t columns;
    unsigned stride; /* slots, and one for time in no state */
    uint8_t *slots;  /* by code; of this track */
    size_t slot_capacity;
    struct weft_job *job; /* job of the caller */
};

/* Returns the position of a time, in 65,536ths of a column. */
static inline uint64_t position(const struct ramps *r, uint64_t time)
{
    int64_t clamped = (int64_t)time;
    clamped = clamped < r->window.begin ? r->window.begin : clamped;
    clamped = clamped > r->window.end ? r->window.end : clamped;
    unsigned __int128 product =
        (unsigned __int128)r->per_tick * (uint64_t)(clamped - r->window.begin);
    return (uint64_t)(product >> r->shift);
}

/* At X the innermost value changes from OLD to FRESH: one ramp stops, another starts. */
static inline void add_change(const struct ramps *r, uint64_t x, unsigned old,
                              unsigned fresh)
{
    int32_t part = (int32_t)(x & (PART - 1)), rest = PART - part;
    int32_t *column = r->starts + (x >> 16) * r->stride;
    deposit(column + old, r->stride, -rest, -part);
    deposit(column + fresh, r->stride, rest, part);
}

/*
 * Adds that SLOT is innermost from X0 to X1.  If both lie in one column, the time is added
 * to that column and subtracted from the next: half of the work of two ramps, and it does
 * not read again what the change before has just written.
 */
static inline void add_segment(const struct ramps *r, uint64_t x0, uint64_t x1,
                               unsigned slot)
{
    if (x0 >> 16 != x1 >> 16) {
        add_change(r, x0, r->stride - 1, slot);
        add_change(r, x1, slot, r->stride - 1);
        return;
    }
    int32_t amount = (int32_t)(x1 - x0);
    deposit(r->starts + (x0 >> 16) * r->stride + slot, r->stride, amount, -amount);
}

static void load_slots(struct ramps *r)
{
    const struct weft_file_track *track = r->track;
    unsigned slots = r->stride - 1;
    r->slots = weft_grow(r->slots, &r->slot_capacity, (size_t)track->n_codes + 1, 1);
    r->slots[0] = (uint8_t)slots;
    for (uint32_t c = 0; c < track->n_codes; c++) {
        uint32_t value = r->trace->codes[track->first_code + c];
        r->slots[c + 1] = (uint8_t)weft_slot_of(r->trace->schema.values[value].rank, slots);
    }
}

static inline unsigned slot_of(const struct ramps *r, uint64_t code)
{
    return code <= r->track->n_codes ? r->slots[code] : r->stride - 1;
}

/* Begins at X with a value that no change names: that of a stack, or none. */
static inline void resume(const struct ramps *r, uint64_t *last, unsigned *top, uint64_t x,
                          unsigned fresh, bool dense)
{
    if (dense)
        add_segment(r, *last, x, *top);
    else
        add_change(r, x, *top, fresh);
    *top = fresh;
    *last = x;
}

static inline void add_changes(struct ramps *r, bool dense)
{
    const struct weft_file_track *track = r->track;
    const struct weft_file_block *blocks = r->trace->directory + track->first_block;
    size_t first = weft_block_at(blocks, track->n_blocks, r->window.begin);
    struct weft_changes changes;
    const unsigned none = r->stride - 1;
    unsigned top = none;
    uint64_t last = 0;
    bool follows = false; /* the previous block was readable */
    load_slots(r);
    for (size_t b = first; b < track->n_blocks && blocks[b].time < r->window.end; b++) {
        if (b % LOOK_EVERY == 0 && weft_job_cancelled(r->job))
            return;
        if (b % PASS_EVERY == 0 && r->trace->is_read_once)
            weft_mapping_pass(&r->trace->map, blocks[b].offset);
        if (!weft_changes_decode(r->trace, track, b, &changes)) {
            resume(r, &last, &top, position(r, (uint64_t)blocks[b].time), none, dense);
            follows = false;
            continue;
        }
        if (!follows && changes.depth)
            resume(r, &last, &top, position(r, (uint64_t)blocks[b].time),
                   slot_of(r, changes.stack[changes.depth - 1] >> 40), dense);
        follows = true;
        for (size_t i = 0; i < changes.n; i++) {
            unsigned fresh = slot_of(r, changes.operations[i] >> 2);
            uint64_t x = position(r, changes.times[i]);
            if (dense)
                add_segment(r, last, x, top);
            else
                add_change(r, x, top, fresh);
            top = fresh;
            last = x;
        }
    }
    if (dense)
        add_segment(r, last, (uint64_t)r->columns << 16, top);
}

/*
 * Adds to the query's SHARES[columns][slots] the parts of each column that the values of
 * each slot were innermost, summed over N tracks, by walking their changes: exact.
 */
static void scan_shares(const struct weft_trace *trace, const uint32_t *tracks, size_t n,
                        unsigned slots, const struct weft_share_query *query)
{
    struct weft_span window = query->window;
    size_t columns = query->columns;
    float *shares = query->shares;
    struct ramps r = { .trace = trace,
                       .window = window,
                       .columns = columns,
                       .stride = slots + 1,
                       .job = query->job };
    /* columns / length in at least 36 bits; up to 2^26 columns fit. */
    uint64_t length = (uint64_t)(window.end - window.begin);
    r.shift = 20 + (unsigned)(63 - __builtin_clzll(length));
    r.per_tick = (uint64_t)(((unsigned __int128)columns << (r.shift + 16)) / length);
    r.starts = weft_zalloc((columns + 2) * r.stride, sizeof *r.starts);
    for (size_t t = 0; t < n; t++) {
        r.track = &trace->tracks[tracks[t]];
        if (!r.track->n_blocks)
            continue;
        /*
         * If most changes fall into the column of the previous one, a branch is predicted
         * well.
         */
        uint64_t changes = weft_trace_density(&trace->source, tracks[t], window);
        if (changes > DENSE * columns)
            add_changes(&r, true);
        else
            add_changes(&r, false);
    }
    int32_t now[WEFT_MAX_SLOTS] = { 0 };
    const int32_t *starts = r.starts;
    for (size_t c = 0; c < columns; c++, starts += r.stride)
        for (unsigned s = 0; s < slots; s++) {
            now[s] += starts[s];
            /*
             * Contradictory blocks may make this negative: use 0 then.  By the sign,
             * without a branch, so that the loop is vectorized.
             */
            shares[c * slots + s] += (float)(now[s] & ~(now[s] >> 31)) * (1.0f / PART);
        }
    free(r.starts);
    free(r.slots);
}

const uint8_t *weft_mip_level(const struct weft_trace *trace,
                              const struct weft_file_mip *mip, unsigned level)
{
    unsigned slots = trace->schema.types[mip->type].slots;
    uint64_t at = mip->first_share;
    for (unsigned i = 0; i < level; i++)
        at += weft_mip_bins(trace, mip->width << 2 * i) * slots;
    return trace->shares + at;
}

/* Checks the bins of WIDTH ticks that a window needs. */
static bool bins_good(const struct weft_trace *trace, const uint8_t *bins, int64_t width,
                      unsigned slots, struct weft_span window)
{
    struct weft_span span = trace->schema.span;
    int64_t from = window.begin > span.begin ? window.begin : span.begin;
    int64_t end = window.end < span.end ? window.end : span.end;
    if (from >= end)
        return true;
    uint64_t first = (uint64_t)((from - span.begin) / width);
    uint64_t last = (uint64_t)((end - 1 - span.begin) / width);
    return weft_trace_shares_good(trace, (uint64_t)(bins - trace->shares) + first * slots,
                                  (last - first + 1) * slots);
}

static int compare_mip(const struct weft_file_mip *mip, uint32_t type, unsigned level,
                       uint32_t first)
{
    return WEFT_COMPARE(mip->type, type) ?: WEFT_COMPARE(mip->level, level)
           ?: WEFT_COMPARE(mip->first_track, first);
}

const struct weft_file_mip *weft_mip_find(const struct weft_trace *trace, uint32_t type,
                                          unsigned level, uint32_t first)
{
    size_t at = WEFT_FIRST(i, 0, trace->n_mips,
                           compare_mip(&trace->mips[i], type, level, first) >= 0);
    return at < trace->n_mips && compare_mip(&trace->mips[at], type, level, first) == 0
               ? &trace->mips[at]
               : NULL;
}

/* Adds BIN's shares, times SCALE, to a column. */
static inline void add_bin(float *restrict out, const uint8_t *restrict bin, unsigned slots,
                           float scale)
{
    for (unsigned s = 0; s < slots; s += 8)
        for (unsigned i = 0; i < 8; i++)
            out[s + i] += (float)bin[s + i] * scale;
}

/* Adds bins of WIDTH ticks to the columns; a bin across an edge is split by its length. */
static void add_bins(const struct weft_trace *trace, const uint8_t *bins, int64_t width,
                     unsigned slots, const struct weft_share_query *query, float weight)
{
    int64_t zero = trace->schema.span.begin;
    struct weft_span window = query->window;
    int64_t last = trace->schema.span.end;
    int64_t from = window.begin > zero ? window.begin : zero;
    int64_t end = window.end < last ? window.end : last;
    if (from >= end)
        return;
    float *out = query->shares;
    size_t column = 0;
    struct weft_edges edges = weft_edges_begin(window, query->columns);
    /* The part of a column that a 255th of a tick of a bin makes. */
    float per_tick =
        weight / 255 * (float)query->columns / (float)(window.end - window.begin);
    float whole = per_tick * (float)width;
    for (int64_t i = (from - zero) / width; from < end; i++) {
        const uint8_t *bin = bins + (size_t)i * slots;
        int64_t to = zero + (i + 1) * width;
        if (to > last) { /* the rest of the last bin lies behind the end of the span */
            float held = (float)width / (float)(last - (to - width));
            per_tick *= held;
            whole *= held;
        }
        to = to < end ? to : end;
        while (to > edges.edge && column + 1 < query->columns) {
            if (edges.edge > from) {
                add_bin(out, bin, slots, (float)(edges.edge - from) * per_tick);
                from = edges.edge;
            }
            column++;
            out += slots;
            weft_edges_next(&edges);
        }
        add_bin(out, bin, slots,
                to - from == width ? whole : (float)(to - from) * per_tick);
        from = to;
    }
}

/* Returns true if one of the tracks of a group has a mip of its own that is fine enough. */
static bool parts_have_mips(const struct weft_trace *trace, uint32_t type,
                            const uint32_t *tracks, size_t n, int64_t column)
{
    for (size_t i = 0; i < n; i++) {
        const struct weft_file_mip *mip =
            weft_mip_find(trace, type, 0, trace->type_position[tracks[i]]);
        if (mip && mip->width <= column)
            return true;
    }
    return false;
}

/*
 * Adds a group of 4^level tracks, from the mip that fits its columns; if none is fine
 * enough, its four parts; a single track is scanned.
 */
static void add_group(const struct weft_trace *trace, uint32_t type, const uint32_t *tracks,
                      size_t n, unsigned level, const struct weft_share_query *query)
{
    if (weft_job_cancelled(query->job))
        return;
    unsigned slots = trace->schema.types[type].slots;
    const struct weft_file_mip *mip =
        weft_mip_find(trace, type, level, trace->type_position[tracks[0]]);
    int64_t column = (query->window.end - query->window.begin) / (int64_t)query->columns;
    if (level == 0 && mip
        && weft_trace_density(&trace->source, tracks[0], query->window)
               < 4 * query->columns)
        mip = NULL; /* walking the few changes is cheaper, and exact */
    if (mip && mip->n_tracks == n && mip->width <= column) {
        unsigned up = 0;
        while (up + 1u < mip->n_levels && mip->width << 2 * (up + 1) <= column / 2)
            up++;
        const uint8_t *bins = weft_mip_level(trace, mip, up);
        int64_t width = mip->width << 2 * up;
        if (bins_good(trace, bins, width, slots, query->window)) {
            add_bins(trace, bins, width, slots, query, (float)n);
            return;
        }
    }
    if (level == 0 || (level == 1 && !parts_have_mips(trace, type, tracks, n, column))) {
        scan_shares(trace, tracks, n, slots, query);
        return;
    }
    size_t part = (size_t)1 << 2 * (level - 1);
    for (size_t i = 0; i < n; i += part)
        add_group(trace, type, tracks + i, n - i < part ? n - i : part, level - 1, query);
}

/*
 * Scans the changes of all tracks: as many at once as the counters of a scan can hold, and
 * few enough to be cancelled soon.
 */
static void scan_all(const struct weft_trace *trace, unsigned slots,
                     const struct weft_share_query *query)
{
    enum { AT_ONCE = 64 };
    for (size_t i = 0; i < query->n_tracks && !weft_job_cancelled(query->job);
         i += AT_ONCE) {
        size_t left = query->n_tracks - i;
        scan_shares(trace, query->tracks + i, left < AT_ONCE ? left : AT_ONCE, slots,
                    query);
    }
}

void weft_trace_shares(const struct weft_source *source,
                       const struct weft_share_query *query)
{
    const struct weft_trace *trace = weft_trace_of(source);
    if (!query->n_tracks || !query->columns)
        return;
    uint32_t type = trace->tracks[query->tracks[0]].type;
    unsigned slots = trace->schema.types[type].slots;
    memset(query->shares, 0, query->columns * slots * sizeof *query->shares);
    if (query->window.end <= query->window.begin)
        return;
    if (query->exact) {
        scan_all(trace, slots, query);
        return;
    }
    for (size_t i = 0; i < query->n_tracks;) {
        /* Find the largest aligned group that begins here and is wholly in the query. */
        uint32_t position = trace->type_position[query->tracks[i]];
        size_t run = 1;
        while (i + run < query->n_tracks
               && trace->tracks[query->tracks[i + run]].type == type
               && trace->type_position[query->tracks[i + run]] == position + run)
            run++;
        unsigned level = 0;
        while (level < 15 && position % (UINT32_C(4) << 2 * level) == 0
               && (size_t)4 << 2 * level <= run)
            level++;
        size_t size = (size_t)1 << 2 * level;
        add_group(trace, type, query->tracks + i, size, level, query);
        i += size;
    }
}
