/* SPDX-License-Identifier: Apache-2.0 */
/* Reading state tracks: decoding blocks, walking states, finding one. */
#include <string.h>

#include "base/binary_search.h"
#include "store/column.h"
#include "store/trace/trace_priv.h"

ptrdiff_t weft_block_before(const struct weft_file_block *blocks, size_t n, int64_t time)
{
    return (ptrdiff_t)WEFT_FIRST(i, 0, n, blocks[i].time > time) - 1;
}

size_t weft_block_at(const struct weft_file_block *blocks, size_t n, int64_t time)
{
    return WEFT_LAST(i, 0, n, blocks[i].time < time);
}

size_t weft_block_near(const struct weft_file_block *blocks, size_t n, int64_t time,
                       size_t guess)
{
    size_t low, high, step = 1; /* block LOW begins before TIME or is 0, HIGH does not */
    if (blocks[guess].time < time) {
        for (low = guess; low + step < n && blocks[low + step].time < time; step *= 2)
            low += step;
        high = low + step < n ? low + step : n;
    } else {
        for (high = guess; high > step && blocks[high - step].time >= time; step *= 2)
            high -= step;
        low = high > step ? high - step : 0;
    }
    return WEFT_LAST(i, low, high, blocks[i].time < time);
}

size_t weft_block_of_ordinal(const struct weft_file_block *blocks, size_t n,
                             uint64_t ordinal)
{
    return WEFT_LAST(i, 0, n, blocks[i].ordinal <= ordinal);
}

size_t weft_change_parts(const unsigned char *at, size_t left,
                         struct weft_change_parts *parts)
{
    struct weft_change_header *header = &parts->header;
    if (left < sizeof *header)
        return 0;
    memcpy(header, at, sizeof *header);
    unsigned delta = header->delta_width, operation = header->operation_width;
    if (!delta || delta > 8 || (delta & (delta - 1)) || !operation || operation > 4
        || (operation & (operation - 1)) || header->n > WEFT_BLOCK_ROWS
        || header->n_long > header->n)
        return 0;
    size_t size = sizeof *header;
    parts->stack = at + size;
    size += 8 * (size_t)header->depth;
    parts->sums = at + size;
    if (header->n_codes && (!header->n || !header->sum_width || header->sum_width > 8))
        return 0;
    size += weft_sums_size(header->n_codes, header->sum_width);
    parts->deltas = at + size;
    size += weft_packed_size(header->n, delta);
    parts->long_deltas = at + size;
    size += 8 * (size_t)header->n_long;
    parts->long_rows = at + size;
    size += weft_packed_size(header->n_long, 2);
    parts->operations = at + size;
    size += weft_packed_size(header->n, operation);
    return size <= left ? size : 0;
}

bool weft_changes_decode(const struct weft_trace *trace,
                         const struct weft_file_track *track, size_t index,
                         struct weft_changes *out)
{
    out->n = out->depth = 0;
    const struct weft_file_block *block = &trace->directory[track->first_block + index];
    size_t left;
    const unsigned char *at = weft_trace_block(trace, block, &left);
    struct weft_change_parts parts;
    if (!at || !weft_change_parts(at, left, &parts))
        return false;
    const struct weft_change_header *header = &parts.header;
    uint32_t sums_back = header->sums_back[0] | (uint32_t)header->sums_back[1] << 8
                         | (uint32_t)header->sums_back[2] << 16;
    if (header->n != block->n || header->n_codes > track->n_codes || sums_back > index)
        return false;
    out->depth = header->depth;
    out->stack = (const uint64_t *)(const void *)parts.stack;
    out->sums = header->n_codes ? parts.sums : NULL;
    out->sum_width = header->sum_width;
    out->n_codes = header->n_codes;
    out->sums_back = sums_back;
    weft_unpack(parts.deltas, out->times, header->n, header->delta_width);
    for (size_t i = 0; i < header->n_long; i++) {
        uint16_t row;
        memcpy(&row, parts.long_rows + 2 * i, 2);
        if (row < header->n)
            memcpy(&out->times[row], parts.long_deltas + 8 * i, 8);
    }
    weft_unpack(parts.operations, out->operations, header->n, header->operation_width);
    uint64_t time = (uint64_t)block->time;
    for (size_t i = 0; i < header->n; i++)
        out->times[i] = time += out->times[i];
    out->n = header->n;
    return true;
}

/*
 * Returns true if a change closes level DEPTH; after a push or pop DEPTH_AFTER levels are
 * open.
 */
static bool closes(uint64_t operation, size_t depth_after, size_t depth)
{
    enum weft_change_kind kind = operation & 3;
    return kind >= WEFT_CHANGE_SET || depth_after <= depth;
}

static size_t apply(uint64_t operation, size_t depth)
{
    switch ((enum weft_change_kind)(operation & 3)) {
    case WEFT_CHANGE_PUSH: return depth + 1;
    case WEFT_CHANGE_POP: return depth ? depth - 1 : 0;
    case WEFT_CHANGE_SET: return 1;
    case WEFT_CHANGE_RESET: break;
    }
    return 0;
}

static uint16_t end_flags(const struct weft_file_track *track, size_t block, size_t row,
                          size_t n)
{
    bool last = block + 1 == track->n_blocks && row + 1 == n;
    return last && track->flags & WEFT_TRACK_END_IMPLIED ? WEFT_END_IMPLIED : 0;
}

/*
 * Returns when the state open at DEPTH before block FROM ends.  Skips blocks, and 64 blocks
 * at a time, in which nothing falls to that depth.
 */
static int64_t find_end(const struct weft_trace *trace, const struct weft_file_track *track,
                        size_t from, size_t depth, uint16_t *flags)
{
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    const uint16_t *depths = trace->depths + track->first_depth;
    struct weft_changes changes;
    for (size_t b = from; b < track->n_blocks; b++) {
        if (b % WEFT_DIRECTORY_STEP == 0 && depths[b / WEFT_DIRECTORY_STEP] > depth) {
            b += WEFT_DIRECTORY_STEP - 1;
            continue;
        }
        if (blocks[b].low > depth)
            continue;
        if (!weft_changes_decode(trace, track, b, &changes)) {
            *flags = WEFT_END_IMPLIED; /* the last time that it is seen */
            return blocks[b].time;
        }
        size_t open = changes.depth;
        if (open <= depth) { /* contradictory blocks: it is no longer open */
            *flags = WEFT_END_IMPLIED;
            return blocks[b].time;
        }
        for (size_t i = 0; i < changes.n; i++) {
            open = apply(changes.operations[i], open);
            if (closes(changes.operations[i], open, depth)) {
                *flags = end_flags(track, b, i, changes.n);
                return (int64_t)changes.times[i];
            }
        }
    }
    *flags = WEFT_END_IMPLIED; /* only with contradictory blocks */
    return track->end;
}

/*
 * Finds when the state with an ordinal opened, and in which block and row; returns false if
 * there is no such state.
 */
static bool find_begin(const struct weft_trace *trace, const struct weft_file_track *track,
                       uint64_t ordinal, struct weft_changes *changes, size_t *block,
                       size_t *row)
{
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    if (!track->n_blocks || ordinal >= track->count)
        return false;
    *block = weft_block_of_ordinal(blocks, track->n_blocks, ordinal);
    if (!weft_changes_decode(trace, track, *block, changes))
        return false;
    uint64_t opened = blocks[*block].ordinal;
    for (size_t i = 0; i < changes->n; i++) {
        enum weft_change_kind kind = changes->operations[i] & 3;
        if (kind != WEFT_CHANGE_PUSH && kind != WEFT_CHANGE_SET)
            continue;
        if (opened++ == ordinal) {
            *row = i;
            return true;
        }
    }
    return false;
}

/*
 * The ends of the states that a block opens: ENDS[i] for a change i that opens one which
 * the block itself closes; and the changes whose states are still open at its end.
 */
struct block_ends {
    int64_t ends[WEFT_BLOCK_ROWS];
    uint16_t flags[WEFT_BLOCK_ROWS];
    uint16_t depths[WEFT_BLOCK_ROWS]; /* depth of the state that a change opens */
};

static void match_ends(const struct weft_trace *trace, const struct weft_file_track *track,
                       size_t block, const struct weft_changes *changes,
                       struct block_ends *out)
{
    uint16_t open[WEFT_BLOCK_ROWS]; /* changes whose state is open, innermost last */
    size_t n_open = 0, depth = changes->depth;
    for (size_t i = 0; i < changes->n; i++) {
        enum weft_change_kind kind = changes->operations[i] & 3;
        bool all = kind >= WEFT_CHANGE_SET;
        if (kind != WEFT_CHANGE_PUSH) {
            uint16_t flags = end_flags(track, block, i, changes->n);
            while (n_open && (all || out->depths[open[n_open - 1]] + 1u >= depth)) {
                n_open--;
                out->ends[open[n_open]] = (int64_t)changes->times[i];
                out->flags[open[n_open]] = flags;
                if (!all)
                    break;
            }
        }
        depth = apply(changes->operations[i], depth);
        if (kind == WEFT_CHANGE_PUSH || kind == WEFT_CHANGE_SET) {
            out->depths[i] = (uint16_t)(depth - 1);
            open[n_open++] = (uint16_t)i;
        }
    }
    while (n_open--) {
        uint16_t i = open[n_open];
        out->ends[i] = find_end(trace, track, block + 1, out->depths[i], &out->flags[i]);
    }
}

struct state_walk {
    const struct weft_trace *trace;
    const struct weft_file_track *track;
    uint32_t track_index;
    struct weft_span window;
    bool (*visit)(void *user, const struct weft_state *state);
    void *user;
};

/*
 * Visits a state that was open when a block began.  If the block in which it opened is
 * damaged, it begins with the first block in which it is seen.
 */
static bool walk_one_open(const struct state_walk *walk, size_t block, uint64_t entry,
                          size_t level, size_t first_seen)
{
    struct weft_changes before;
    const struct weft_file_block *blocks =
        walk->trace->directory + walk->track->first_block;
    uint64_t ordinal = weft_entity_ordinal(entry);
    size_t at, row;
    struct weft_state state = {
        .id = weft_entity_id(walk->track_index, ordinal),
        .value = weft_code_value(walk->trace, walk->track, entry >> 40),
        .depth = (uint16_t)level,
    };
    bool whole = find_begin(walk->trace, walk->track, ordinal, &before, &at, &row);
    state.begin = whole ? (int64_t)before.times[row] : blocks[first_seen].time;
    state.end = find_end(walk->trace, walk->track, block, level, &state.flags);
    bool seen = whole ? state.end >= state.begin : state.end > state.begin;
    return !seen || walk->visit(walk->user, &state);
}

/* Returns the first block behind the damaged ones in which a state opened; at most LAST. */
static size_t first_seen(const struct state_walk *walk, uint64_t ordinal, size_t last)
{
    const struct weft_file_block *blocks =
        walk->trace->directory + walk->track->first_block;
    struct weft_changes ignored;
    size_t b = weft_block_of_ordinal(blocks, walk->track->n_blocks, ordinal);
    while (b < last && !weft_changes_decode(walk->trace, walk->track, b, &ignored))
        b++;
    return b < last ? b : last;
}

/*
 * Visits the states open before the first change of a block that are still open at
 * window.begin.
 */
static bool walk_open(const struct state_walk *walk, size_t block,
                      const struct weft_changes *changes)
{
    size_t depth = changes->depth, low = depth;
    int64_t begin = walk->window.begin;
    size_t i = 0;
    for (; i < changes->n && (int64_t)changes->times[i] <= begin; i++) {
        depth = apply(changes->operations[i], depth);
        size_t floor = (changes->operations[i] & 3) >= WEFT_CHANGE_SET ? 0 : depth;
        low = floor < low ? floor : low;
    }
    for (size_t level = 0; level < low; level++) {
        uint64_t entry = changes->stack[level];
        size_t seen = first_seen(walk, weft_entity_ordinal(entry), block);
        if (!walk_one_open(walk, block, entry, level, seen))
            return false;
    }
    return true;
}

/*
 * Visits the states that opened in damaged blocks, the first of them GAP, and are open
 * after them.
 */
static bool walk_reopened(const struct state_walk *walk, size_t gap, size_t block,
                          const struct weft_changes *changes)
{
    uint64_t first = walk->trace->directory[walk->track->first_block + gap].ordinal;
    for (size_t level = 0; level < changes->depth; level++)
        if (weft_entity_ordinal(changes->stack[level]) >= first
            && !walk_one_open(walk, block, changes->stack[level], level, block))
            return false;
    return true;
}

/* Visits the states that a block opens and that overlap the window. */
static bool walk_opened(const struct state_walk *walk, size_t block,
                        const struct weft_changes *changes, bool *past)
{
    struct block_ends ends;
    match_ends(walk->trace, walk->track, block, changes, &ends);
    uint64_t ordinal = walk->trace->directory[walk->track->first_block + block].ordinal;
    for (size_t i = 0; i < changes->n; i++) {
        enum weft_change_kind kind = changes->operations[i] & 3;
        if ((int64_t)changes->times[i] >= walk->window.end
            && !((int64_t)changes->times[i] == walk->window.begin)) {
            *past = true;
            return true;
        }
        if (kind != WEFT_CHANGE_PUSH && kind != WEFT_CHANGE_SET)
            continue;
        uint64_t id = weft_entity_id(walk->track_index, ordinal++);
        int64_t begin = (int64_t)changes->times[i];
        bool overlaps =
            ends.ends[i] > walk->window.begin
            || (begin >= walk->window.begin && ends.ends[i] >= walk->window.begin);
        struct weft_state state = { id,
                                    begin,
                                    ends.ends[i],
                                    weft_code_value(walk->trace, walk->track,
                                                    changes->operations[i] >> 2),
                                    ends.depths[i],
                                    ends.flags[i] };
        if (overlaps && state.value != WEFT_NONE && !walk->visit(walk->user, &state))
            return false;
    }
    return true;
}

void weft_trace_states(const struct weft_source *source, uint32_t track_index,
                       struct weft_span window,
                       bool (*visit)(void *user, const struct weft_state *state),
                       void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    WEFT_REQUIRE(track_index < trace->schema.n_tracks, "track %u", track_index);
    const struct weft_file_track *track = &trace->tracks[track_index];
    if (!track->n_blocks || window.end < window.begin)
        return;
    struct state_walk walk = { trace, track, track_index, window, visit, user };
    struct weft_changes changes;
    size_t first =
        weft_block_at(trace->directory + track->first_block, track->n_blocks, window.begin);
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    bool past = false;
    size_t gap = SIZE_MAX; /* the first of the damaged blocks before B */
    for (size_t b = first; b < track->n_blocks && !past; b++) {
        if (b > first && blocks[b].time >= window.end && blocks[b].time > window.begin)
            return;
        if (!weft_changes_decode(trace, track, b, &changes)) {
            gap = gap < b ? gap : b;
            continue;
        }
        if (b == first ? !walk_open(&walk, b, &changes)
                       : gap < b && !walk_reopened(&walk, gap, b, &changes))
            return;
        gap = SIZE_MAX;
        if (!walk_opened(&walk, b, &changes, &past))
            return;
    }
}

void weft_run_states(const struct weft_trace *trace, uint32_t track_index,
                     const struct weft_file_block *block, struct weft_run *out)
{
    const struct weft_file_track *track = &trace->tracks[track_index];
    size_t index = (size_t)(block - trace->directory) - track->first_block;
    struct weft_changes changes;
    struct block_ends ends;
    if (!weft_changes_decode(trace, track, index, &changes))
        return;
    match_ends(trace, track, index, &changes, &ends);
    for (size_t i = 0; i < changes.n; i++) {
        enum weft_change_kind kind = changes.operations[i] & 3;
        if (kind != WEFT_CHANGE_PUSH && kind != WEFT_CHANGE_SET)
            continue;
        out->states[out->n] =
            (struct weft_state){ weft_entity_id(track_index, out->first + out->n),
                                 (int64_t)changes.times[i],
                                 ends.ends[i],
                                 weft_code_value(trace, track, changes.operations[i] >> 2),
                                 ends.depths[i],
                                 ends.flags[i] };
        out->n++;
    }
}

bool weft_trace_state(const struct weft_source *source, uint64_t id, struct weft_state *out)
{
    const struct weft_trace *trace = weft_trace_of(source);
    uint32_t track_index = weft_entity_track(id);
    if (track_index >= trace->schema.n_tracks)
        return false;
    const struct weft_file_track *track = &trace->tracks[track_index];
    struct weft_changes changes;
    struct block_ends ends;
    size_t block, row;
    if (trace->schema.types[track->type].kind != WEFT_STATE
        || !find_begin(trace, track, weft_entity_ordinal(id), &changes, &block, &row))
        return false;
    match_ends(trace, track, block, &changes, &ends);
    *out = (struct weft_state){ id,
                                (int64_t)changes.times[row],
                                ends.ends[row],
                                weft_code_value(trace, track, changes.operations[row] >> 2),
                                ends.depths[row],
                                ends.flags[row] };
    return out->value != WEFT_NONE;
}

uint64_t weft_trace_density(const struct weft_source *source, uint32_t track_index,
                            struct weft_span window)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    size_t n = track->n_blocks;
    if (!n || window.end <= track->begin || window.begin > track->end)
        return 0;
    size_t first = weft_block_at(blocks, n, window.begin);
    size_t last = weft_block_at(blocks, n, window.end);
    double rows = 0;
    for (size_t b = first; b <= last; b += last > first ? last - first : 1) {
        int64_t end = b + 1 < n ? blocks[b + 1].time : track->end;
        double length = (double)(end - blocks[b].time);
        int64_t from = window.begin > blocks[b].time ? window.begin : blocks[b].time;
        int64_t to = window.end < end ? window.end : end;
        if (to >= from)
            rows += length > 0 ? blocks[b].n * (double)(to - from) / length : blocks[b].n;
    }
    if (last > first + 1)
        rows += (double)(last - first - 1) * WEFT_BLOCK_ROWS;
    return rows < 1 ? 1 : (uint64_t)rows;
}
