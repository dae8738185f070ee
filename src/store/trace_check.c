/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is touched is checked first: each block, and each piece of the shares, once.  Its checksum
 * says whether it is as it was written; since anybody may write a file with right checksums, what
 * decoding believes is checked, too: places, widths, codes, depths, ordinals and times.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "store/column.h"
#include "store/grid.h"
#include "store/trace_priv.h"

enum { UNSEEN, GOOD, BAD }; /* what is known of a block or piece */

struct weft_trace_checks {
    /*
     * A byte for each block of the directory, of LINK_ENDS, of the indexes and of the grids, and
     * for each piece of the shares.  Two threads may check one at once: they find the same.
     */
    _Atomic uint8_t *seen;
    uint64_t first_link_end, first_index_block, first_grid_block, first_piece, n;
};

void weft_trace_checks_begin(struct weft_trace *trace)
{
    struct weft_trace_checks *checks = weft_zalloc(1, sizeof *checks);
    checks->first_link_end = trace->n_blocks;
    checks->first_index_block = checks->first_link_end + trace->n_link_ends;
    checks->first_grid_block = checks->first_index_block + trace->n_index_blocks;
    checks->first_piece = checks->first_grid_block + trace->n_grid_blocks;
    checks->n = checks->first_piece + trace->n_share_pieces;
    checks->seen = weft_zalloc(checks->n + 1, sizeof *checks->seen);
    trace->checks = checks;
}

void weft_trace_checks_end(struct weft_trace *trace)
{
    struct weft_trace_checks *checks = trace->checks;
    if (!checks)
        return;
    free(checks->seen);
    free(checks);
}

/* ---- Blocks of state changes ---- */

/* The times of a block's changes rise and come to no later than LAST. */
static bool deltas_fit(const struct weft_change_parts *parts, int64_t first, int64_t last)
{
    const struct weft_change_header *header = &parts->header;
    uint64_t deltas[WEFT_BLOCK_ROWS], left = (uint64_t)last - (uint64_t)first;
    weft_unpack(parts->deltas, deltas, header->n, header->delta_width);
    for (size_t i = 0; i < header->n_long; i++) {
        uint16_t row;
        memcpy(&row, parts->long_rows + 2 * i, 2);
        if (row >= header->n || deltas[row])
            return false;
        memcpy(&deltas[row], parts->long_deltas + 8 * i, 8);
    }
    uint64_t sum = 0, bits = 0;
    for (size_t i = 0; i < header->n; i++) {
        sum += deltas[i];
        bits |= deltas[i];
    }
    if (bits <= UINT64_MAX / WEFT_BLOCK_ROWS) /* as nearly always: the sum is right */
        return sum <= left;
    for (size_t i = 0; i < header->n; i++) {
        if (deltas[i] > left)
            return false;
        left -= deltas[i];
    }
    return true;
}

/* The states that were open before the block: of codes of the track, one opened after another. */
static bool stack_fits(const struct weft_file_track *track,
                       const struct weft_file_block *block,
                       const struct weft_change_parts *parts)
{
    uint64_t before = 0;
    for (size_t i = 0; i < parts->header.depth; i++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * i, 8);
        uint64_t code = entry >> 40, ordinal = weft_entity_ordinal(entry);
        if (!code || code > track->n_codes || ordinal >= block->ordinal
            || (i && ordinal <= before))
            return false;
        before = ordinal;
    }
    return parts->header.depth <= track->max_depth;
}

/* No value was on for longer than the track was there: so no difference of sums overflows. */
static bool sums_fit(const struct weft_file_track *track,
                     const struct weft_file_block *block,
                     const struct weft_change_parts *parts)
{
    const struct weft_change_header *header = &parts->header;
    uint64_t most = (uint64_t)block->time - (uint64_t)track->begin;
    for (size_t i = 0; i < 2 * (size_t)header->n_codes; i++) {
        uint64_t sum = 0;
        memcpy(&sum, parts->sums + i * header->sum_width, header->sum_width);
        if (sum > most)
            return false;
    }
    return header->n_codes <= track->n_codes;
}

/* Does each change clear the stack and put one state on?  So it is where nothing nests. */
static bool all_set(const uint64_t *operations, size_t n)
{
    uint64_t wrong = n == 0;
    for (size_t i = 0; i < n; i++)
        wrong |= (operations[i] & 3) ^ WEFT_CHANGE_SET;
    return !wrong;
}

/* The same as operations_fit for these: loops that the compiler makes vectors of. */
static bool sets_fit(const struct weft_file_track *track, const uint64_t *operations,
                     size_t n)
{
    uint64_t highest = 0, nothing = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = operations[i] >> 2;
        nothing |= code == 0;
        highest = code > highest ? code : highest;
    }
    return !nothing && highest <= track->n_codes && track->max_depth >= 1;
}

/*
 * What the changes do: they close what is open, open what the track may hold, as often as the
 * directory says, and leave innermost what they say is.
 *
 * Most of a check is spent here, and what a change does cannot be foretold, so the loop has no
 * branches: each change clears the stack or not, takes one off or not, and puts one on or not.
 * N changes reach at most N entries down the stack that the block began with, and see one more.
 */
static bool operations_fit(const struct weft_file_track *track,
                           const struct weft_file_block *block, uint64_t after,
                           const struct weft_change_parts *parts)
{
    static_assert(WEFT_CHANGE_PUSH == 0 && WEFT_CHANGE_POP == 1 && WEFT_CHANGE_SET == 2
                      && WEFT_CHANGE_RESET == 3,
                  "bit 1: the stack is cleared first; bit 0: nothing is put on");
    uint64_t operations[WEFT_BLOCK_ROWS], codes[2 * WEFT_BLOCK_ROWS + 2];
    size_t n = parts->header.n, all = parts->header.depth, seen = all < n + 1 ? all : n + 1;
    weft_unpack(parts->operations, operations, n, parts->header.operation_width);
    if (all_set(operations, n))
        return sets_fit(track, operations, n) && n == after - block->ordinal
               && block->low == 0;
    codes[0] = 0; /* below the stack */
    for (size_t i = 0; i < seen; i++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * (all - seen + i), 8);
        codes[1 + i] = entry >> 40;
    }
    int64_t hidden = (int64_t)(all - seen), depth = (int64_t)seen; /* of those in `codes` */
    int64_t low = (int64_t)all, high = 0;
    uint64_t opened = 0, highest = 0;
    bool bad = false;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = operations[i] >> 2, clears = operations[i] >> 1 & 1;
        uint64_t puts = ~operations[i] & 1;
        depth = (clears ? 0 : depth) - (int64_t)(!clears & !puts);
        hidden = clears ? 0 : hidden;
        bad |= depth < 0;
        depth = depth < 0 ? 0 : depth;
        low = hidden + depth < low ? hidden + depth : low;
        codes[1 + depth] = code; /* above the top it is nothing */
        depth += (int64_t)puts;
        opened += puts;
        bad |= codes[depth] != code;
        bad |= puts & !code;
        high = hidden + depth > high ? hidden + depth : high;
        highest = code > highest ? code : highest;
    }
    return !bad && highest <= track->n_codes && high <= (int64_t)track->max_depth
           && opened == after - block->ordinal && low == block->low;
}

/* The bytes of the block of changes at AT, or 0 when it is damaged. */
static size_t check_changes(const struct weft_trace *trace,
                            const struct weft_file_track *track, uint64_t index,
                            const unsigned char *at, size_t left)
{
    const struct weft_file_block *block = &trace->directory[track->first_block + index];
    bool is_last = index + 1 == track->n_blocks;
    struct weft_change_parts parts;
    size_t size = weft_change_parts(at, left, &parts);
    if (!size || weft_checksum(at, size) != block->checksum)
        return 0;
    uint32_t back = parts.header.sums_back[0] | (uint32_t)parts.header.sums_back[1] << 8
                    | (uint32_t)parts.header.sums_back[2] << 16;
    bool ok =
        parts.header.n == block->n && back <= index
        && deltas_fit(&parts, block->time, is_last ? track->end : block[1].time)
        && stack_fits(track, block, &parts) && sums_fit(track, block, &parts)
        && operations_fit(track, block, is_last ? track->count : block[1].ordinal, &parts);
    return ok ? size : 0;
}

/* ---- Blocks of rows ---- */

/* The bytes of a block of rows as they were written; 0: it is damaged. */
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

/* Column C of a block whose size is good. */
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

/* From FIRST on in steps of DELTAS, to no more than LAST. */
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

/* The two times of each link of a block: not before the earlier, not beyond the block's reach. */
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

/* A block of a field column: its ordinals rise, up to those of the next block. */
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

/* The last of the tracks, or of a track's columns, that begins at block INDEX or before. */
static const struct weft_file_track *track_of(const struct weft_trace *trace,
                                              uint64_t index)
{
    uint32_t low = 0, high = trace->schema.n_tracks;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->tracks[middle].first_block <= index)
            low = middle;
        else
            high = middle;
    }
    return &trace->tracks[low];
}
static const struct weft_file_column *column_of(const struct weft_trace *trace,
                                                const struct weft_file_track *track,
                                                uint64_t index)
{
    const struct weft_file_column *columns = trace->columns + track->first_column;
    uint32_t low = 0, high = track->n_columns;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (columns[middle].first_block <= index)
            low = middle;
        else
            high = middle;
    }
    return &columns[low];
}

/* ---- Once each ---- */

/* Set what is known of block or piece I, and note damage once. */
static bool settle(const struct weft_trace *trace, uint64_t i, bool good,
                   struct weft_damage damage)
{
    uint8_t before = atomic_exchange_explicit(&trace->checks->seen[i], good ? GOOD : BAD,
                                              memory_order_relaxed);
    if (!good && before != BAD)
        weft_trace_note_damage(trace, damage);
    return good;
}

static bool check_directory_block(const struct weft_trace *trace, uint64_t i,
                                  const unsigned char *at, size_t left)
{
    const struct weft_file_track *track = track_of(trace, i);
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
                   ? check_changes(trace, track, index, at, left) != 0
                   : check_rows(trace, track, index, at, left);
    }
    return settle(trace, i, good, damage);
}

/* The blocks of indexes, of the ends of links and of sums all have three columns. */
static_assert(WEFT_INDEX_COLUMNS == 3 && WEFT_PAIR_COLUMNS == 3 && WEFT_LATE_COLUMNS == 3,
              "they are not told apart");

/*
 * What a damaged block was for: to find links by their ends, entities by a field, or to add up
 * links.  The last can be done without it (trace_pairs.c).
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

/* The number of a block among the checks. */
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
    if (trace->n_shares)
        (void)weft_trace_shares_good(trace, 0, trace->n_shares);
    return weft_trace_damage(&trace->source, 0, NULL, 0);
}
