/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks each block, and each piece of the shares, once, at the first touch: its checksum,
 * and, as a crafted file may have valid checksums, all that decoding relies on: places,
 * widths, codes, depths, ordinals and times.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "store/column.h"
#include "store/integer_grid.h"
#include "store/trace/trace_priv.h"

enum { UNSEEN, GOOD, BAD }; /* state of a block or piece */
enum { TRACK_STEP = 64 };   /* blocks: a small table with the track of every so many */

struct weft_trace_checks {
    /*
     * A byte for each block of the directory, of LINK_ENDS, of the indexes and of the
     * grids, and for each piece of the shares.  Two threads may check one at once: both get
     * the same result.
     */
    _Atomic uint8_t *seen;
    uint64_t first_link_end, first_index_block, first_grid_block, first_piece, n;
    uint32_t *track_of; /* block TRACK_STEP * i of the directory; one more at the end */
};

/*
 * Returns the last of the tracks LOW to HIGH that begins at a block of the directory or
 * before.
 */
static uint32_t find_track(const struct weft_trace *trace, uint64_t block, uint32_t low,
                           uint32_t high)
{
    return WEFT_LAST(t, low, high + 1, trace->tracks[t].first_block <= block);
}

/* Makes the table of tracks, which are in the order of their blocks. */
static uint32_t *list_tracks(const struct weft_trace *trace)
{
    uint64_t n = trace->n_blocks / TRACK_STEP + 2;
    uint32_t *track_of = weft_alloc(n * sizeof *track_of);
    uint32_t track = 0, last = trace->schema.n_tracks ? trace->schema.n_tracks - 1 : 0;
    for (uint64_t i = 0; i < n; i++) {
        while (track < last && trace->tracks[track + 1].first_block <= i * TRACK_STEP)
            track++;
        track_of[i] = track;
    }
    return track_of;
}

void weft_trace_checks_begin(struct weft_trace *trace)
{
    struct weft_trace_checks *checks = weft_zalloc(1, sizeof *checks);
    checks->first_link_end = trace->n_blocks;
    checks->first_index_block = checks->first_link_end + trace->n_link_ends;
    checks->first_grid_block = checks->first_index_block + trace->n_index_blocks;
    checks->first_piece = checks->first_grid_block + trace->n_grid_blocks;
    checks->n = checks->first_piece + trace->n_share_pieces;
    checks->seen = weft_zalloc(checks->n + 1, sizeof *checks->seen);
    checks->track_of = list_tracks(trace);
    trace->checks = checks;
}

void weft_trace_checks_end(struct weft_trace *trace)
{
    struct weft_trace_checks *checks = trace->checks;
    if (!checks)
        return;
    free(checks->track_of);
    free(checks->seen);
    free(checks);
}

/* ---- Blocks of rows ---- */

/* Returns the size of a block of rows as it was written; 0: it is damaged. */
static size_t rows_size(const struct weft_file_block *block, const unsigned char *at,
                        size_t left, unsigned n_columns)
{
    struct weft_rows_header header;
    if (left < sizeof header)
        return 0;
    memcpy(&header, at, sizeof header);
    if (header.n != block->n || header.n_columns != n_columns)
        return 0;
    size_t size = sizeof header;
    for (unsigned c = 0; c < n_columns; c++) {
        size_t column = weft_column_size(at + size, left - size, header.n);
        if (!column)
            return 0;
        size += column;
    }
    return weft_checksum(at, size) == block->checksum ? size : 0;
}

/* Reads column C of a block whose size is good. */
static void read_column(const unsigned char *at, size_t left, size_t n, unsigned c,
                        int64_t *values)
{
    at += sizeof(struct weft_rows_header);
    left -= sizeof(struct weft_rows_header);
    for (; c; c--) {
        size_t size = weft_column_size(at, left, n);
        at += size;
        left -= size;
    }
    (void)weft_column_decode(at, left, values, n, NULL);
}

/*
 * Checks that steps of DELTAS, each at least LEAST, lead from FIRST to no more than LAST.
 */
static bool steps_fit(const int64_t *deltas, size_t n, uint64_t least, int64_t first,
                      int64_t last)
{
    uint64_t left = (uint64_t)last - (uint64_t)first;
    for (size_t i = 0; i < n; i++) {
        uint64_t step = (uint64_t)deltas[i] + (i ? least : 0);
        if (step < (i ? least : 0) || step > left)
            return false;
        left -= step;
    }
    return last >= first;
}

/*
 * Checks both times of each link of a block: not before the earlier, not beyond the block's
 * reach.
 */
static bool ends_fit(const unsigned char *at, size_t size, const int64_t *deltas,
                     const struct weft_file_block *block, int64_t reach)
{
    int64_t begins[WEFT_BLOCK_ROWS], ends[WEFT_BLOCK_ROWS];
    uint64_t left = (uint64_t)reach - (uint64_t)block->time;
    read_column(at, size, block->n, WEFT_LINK_BEGIN, begins);
    read_column(at, size, block->n, WEFT_LINK_END, ends);
    for (size_t i = 0; i < block->n; i++) {
        if ((uint64_t)deltas[i] > left)
            return false;
        left -= (uint64_t)deltas[i];
        if ((uint64_t)begins[i] > left || (uint64_t)ends[i] > left
            || (begins[i] && ends[i]))
            return false;
    }
    return true;
}

static bool check_rows(const struct weft_trace *trace, const struct weft_file_track *track,
                       uint64_t index, const unsigned char *at, size_t left)
{
    const struct weft_file_block *block = &trace->directory[track->first_block + index];
    bool links = trace->schema.types[track->type].kind == WEFT_LINK;
    int64_t last = index + 1 < track->n_blocks ? block[1].time : track->end;
    int64_t deltas[WEFT_BLOCK_ROWS];
    size_t size = rows_size(block, at, left, links ? WEFT_LINK_COLUMNS : 2);
    if (!size)
        return false;
    read_column(at, size, block->n, 0, deltas);
    return steps_fit(deltas, block->n, 0, block->time, last)
           && (!links
               || ends_fit(at, size, deltas, block,
                           trace->reach[track->first_depth + index]));
}

/* Checks a block of a field column: its ordinals rise, up to those of the next block. */
static bool check_field(const struct weft_trace *trace, const struct weft_file_track *track,
                        const struct weft_file_column *column, uint64_t index,
                        const unsigned char *at, size_t left)
{
    const struct weft_file_block *block = &trace->directory[column->first_block + index];
    uint64_t after = index + 1 < column->n_blocks ? (uint64_t)block[1].time : track->count;
    int64_t steps[WEFT_BLOCK_ROWS];
    size_t size = rows_size(block, at, left, 2);
    if (!size)
        return false;
    read_column(at, size, block->n, 0, steps);
    return steps_fit(steps, block->n, 1, block->time, (int64_t)after - 1);
}

/* Returns the last of a track's columns that begins at block INDEX or before. */
static const struct weft_file_column *column_of(const struct weft_trace *trace,
                                                const struct weft_file_track *track,
                                                uint64_t index)
{
    const struct weft_file_column *columns = trace->columns + track->first_column;
    return &columns[WEFT_LAST(i, 0, track->n_columns, columns[i].first_block <= index)];
}

/* ---- Once each ---- */

/* Sets the state of block or piece I; lists damage once. */
static bool settle(const struct weft_trace *trace, uint64_t i, bool good,
                   struct weft_damage damage)
{
    _Atomic uint8_t *seen = &trace->checks->seen[i];
    if (good) /* an exchange would wait for all earlier writes */
        atomic_store_explicit(seen, GOOD, memory_order_relaxed);
    else if (atomic_exchange_explicit(seen, BAD, memory_order_relaxed) != BAD)
        weft_trace_note_damage(trace, damage);
    return good;
}

static bool check_directory_block(const struct weft_trace *trace, uint64_t i,
                                  const unsigned char *at, size_t left)
{
    const uint32_t *near = &trace->checks->track_of[i / TRACK_STEP];
    const struct weft_file_track *track =
        &trace->tracks[find_track(trace, i, near[0], near[1])];
    const struct weft_file_block *block = &trace->directory[i];
    uint64_t index = i - track->first_block;
    struct weft_damage damage = { .what = WEFT_DAMAGED_ENTITIES,
                                  .track = (uint32_t)(track - trace->tracks),
                                  .field = WEFT_NONE,
                                  .offset = block->offset };
    bool good;
    if (index >= track->n_blocks) {
        const struct weft_file_column *column = column_of(trace, track, i);
        damage.what = WEFT_DAMAGED_FIELDS;
        damage.field = column->field;
        damage.span = (struct weft_span){ track->begin, track->end };
        good = check_field(trace, track, column, i - column->first_block, at, left);
    } else {
        bool is_last = index + 1 == track->n_blocks;
        bool links = trace->schema.types[track->type].kind == WEFT_LINK;
        int64_t last = is_last ? track->end : block[1].time;
        if (links)
            last = trace->reach[track->first_depth + index];
        damage.span = (struct weft_span){ block->time, last };
        good = trace->schema.types[track->type].kind == WEFT_STATE
                   ? weft_trace_changes_good(trace, track, index, at, left)
                   : check_rows(trace, track, index, at, left);
    }
    return settle(trace, i, good, damage);
}

/* The blocks of indexes, of the ends of links and of sums all have three columns. */
static_assert(WEFT_INDEX_COLUMNS == 3 && WEFT_PAIR_COLUMNS == 3 && WEFT_LATE_COLUMNS == 3,
              "they are not told apart");

/*
 * Sets what a damaged block was for: finding links by their ends, finding entities by a
 * field, or summing links.  Sums are possible without it (link_sums.c).
 */
static void name_index(const struct weft_trace *trace, const struct weft_file_block *block,
                       struct weft_damage *damage)
{
    uint64_t at =
        (uint64_t)((uintptr_t)block - (uintptr_t)trace->index_blocks) / sizeof *block;
    damage->what = at < trace->n_index_blocks ? WEFT_DAMAGED_SUMMARY : WEFT_DAMAGED_INDEX;
    for (uint64_t i = 0; i < trace->n_indexes; i++) {
        const struct weft_file_index *index = &trace->indexes[i];
        if (at < index->first_block || at - index->first_block >= index->n_blocks)
            continue;
        damage->what = WEFT_DAMAGED_INDEX;
        damage->field = index->kind == WEFT_INDEX_FIELD ? index->field : WEFT_NONE;
    }
}

static bool check_block(const struct weft_trace *trace, const struct weft_file_block *block,
                        uint64_t i)
{
    size_t left;
    const unsigned char *at = weft_trace_fetch(trace, block, &left);
    if (i < trace->n_blocks)
        return check_directory_block(trace, i, at, left);
    bool good = rows_size(block, at, left, 3) != 0;
    struct weft_damage damage = { .track = WEFT_NONE,
                                  .field = WEFT_NONE,
                                  .span = trace->schema.span,
                                  .offset = block->offset };
    if (!good)
        name_index(trace, block, &damage);
    return settle(trace, i, good, damage);
}

/* Returns the number of a block among the checks. */
static uint64_t number_of(const struct weft_trace *trace,
                          const struct weft_file_block *block)
{
    uint64_t i = (uint64_t)((uintptr_t)block - (uintptr_t)trace->directory) / sizeof *block;
    if (i < trace->n_blocks)
        return i;
    i = (uint64_t)((uintptr_t)block - (uintptr_t)trace->index_blocks) / sizeof *block;
    if (i < trace->n_index_blocks)
        return trace->checks->first_index_block + i;
    i = (uint64_t)((uintptr_t)block - (uintptr_t)trace->link_ends) / sizeof *block;
    WEFT_REQUIRE(i < trace->n_link_ends, "a block of no directory");
    return trace->checks->first_link_end + i;
}

const unsigned char *weft_trace_block(const struct weft_trace *trace,
                                      const struct weft_file_block *block, size_t *left)
{
    uint64_t i = number_of(trace, block);
    uint8_t known = atomic_load_explicit(&trace->checks->seen[i], memory_order_relaxed);
    if (known == BAD || (known == UNSEEN && !check_block(trace, block, i)))
        return NULL;
    return weft_trace_fetch(trace, block, left);
}

const unsigned char *weft_trace_grid_bytes(const struct weft_trace *trace, uint64_t block)
{
    uint64_t i = trace->checks->first_grid_block + block;
    const struct weft_file_grid_block *entry = &trace->grid_blocks[block];
    const unsigned char *at = trace->map.data + entry->offset;
    uint8_t known = atomic_load_explicit(&trace->checks->seen[i], memory_order_relaxed);
    if (known == UNSEEN) {
        bool good = weft_grid_fits(at, entry->size)
                    && weft_checksum(at, entry->size) == entry->checksum;
        struct weft_damage damage = { .what = WEFT_DAMAGED_GRID,
                                      .track = WEFT_NONE,
                                      .field = WEFT_NONE,
                                      .span = trace->schema.span,
                                      .offset = entry->offset };
        known = settle(trace, i, good, damage) ? GOOD : BAD;
    }
    return known == GOOD ? at : NULL;
}

bool weft_trace_shares_good(const struct weft_trace *trace, uint64_t first, uint64_t size)
{
    if (!trace->n_share_pieces || !size) /* none: they are being made */
        return true;
    bool good = true;
    for (uint64_t p = first / WEFT_SHARE_PIECE; p <= (first + size - 1) / WEFT_SHARE_PIECE;
         p++) {
        uint64_t i = trace->checks->first_piece + p, at = p * WEFT_SHARE_PIECE;
        uint8_t known = atomic_load_explicit(&trace->checks->seen[i], memory_order_relaxed);
        if (known == UNSEEN) {
            uint64_t n = trace->n_shares - at;
            n = n < WEFT_SHARE_PIECE ? n : WEFT_SHARE_PIECE;
            bool same = weft_checksum(trace->shares + at, n) == trace->share_checksums[p];
            struct weft_damage damage = {
                .what = WEFT_DAMAGED_SUMMARY,
                .track = WEFT_NONE,
                .field = WEFT_NONE,
                .span = trace->schema.span,
                .offset = (uint64_t)(trace->shares - trace->map.data) + at
            };
            known = settle(trace, i, same, damage) ? GOOD : BAD;
        }
        good &= known == GOOD;
    }
    return good;
}

uint64_t weft_trace_verify(const struct weft_trace *trace, struct weft_job *job)
{
    enum { AT_ONCE = 1024 }; /* blocks between two steps of the job: about a millisecond */
    const struct weft_trace_checks *checks = trace->checks;
    struct weft_err ignored;
    size_t left;
    for (uint64_t i = 0; i < trace->n_grid_blocks; i++) {
        (void)weft_trace_grid_bytes(trace, i);
        if (i % AT_ONCE == 0 && !weft_job_step(job, i, checks->n, &ignored))
            break;
    }
    for (uint64_t i = 0; i < checks->first_grid_block; i++) {
        const struct weft_file_block *block =
            i >= checks->first_index_block
                ? &trace->index_blocks[i - checks->first_index_block]
            : i >= checks->first_link_end ? &trace->link_ends[i - checks->first_link_end]
                                          : &trace->directory[i];
        (void)weft_trace_block(trace, block, &left);
        if (i % AT_ONCE == 0 && !weft_job_step(job, i, checks->n, &ignored))
            break;
    }
    enum { PIECES = AT_ONCE * WEFT_SHARE_PIECE }; /* bytes */
    for (uint64_t at = 0;
         at < trace->n_shares && weft_job_step(job, checks->n, checks->n, &ignored);
         at += PIECES) {
        uint64_t n = trace->n_shares - at;
        (void)weft_trace_shares_good(trace, at, n < PIECES ? n : PIECES);
    }
    return weft_trace_damage(&trace->source, 0, NULL, 0);
}
