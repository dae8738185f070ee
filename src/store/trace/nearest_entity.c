/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the nearest entity with a value.  A track without the value is recognised by its
 * list of codes.  On the others only the column of codes is read, block by block, from the
 * given time, no further than the best result of another track.
 */
#include <stdlib.h>

#include "store/column.h"
#include "store/trace/trace_priv.h"

struct near_search {
    const struct weft_trace *trace;
    const struct weft_near_query *query;
    uint32_t index;
    const struct weft_file_track *track;
    enum weft_kind kind;
    unsigned char *wanted; /* by code, 0: no value */
    size_t wanted_capacity;
    struct weft_near best;
};

/*
 * Marks the codes of the values searched for; returns false if the track has none of them.
 */
static bool mark_codes(struct near_search *search)
{
    const struct weft_near_query *query = search->query;
    size_t n = (size_t)search->track->n_codes + 1;
    search->wanted = weft_grow(search->wanted, &search->wanted_capacity, n, 1);
    memset(search->wanted, query->n_values == 0, n);
    if (!query->n_values)
        return search->track->count > 0;
    bool any = false;
    for (uint32_t c = 1; c < n; c++) {
        uint32_t value = weft_code_value(search->trace, search->track, c);
        for (size_t v = 0; v < query->n_values && !search->wanted[c]; v++)
            search->wanted[c] = query->values[v] == value;
        any |= search->wanted[c];
    }
    return any;
}

/* A block's entities: their codes in order. */
struct rows {
    size_t n;
    uint64_t codes[WEFT_BLOCK_ROWS];
    uint64_t ordinal; /* of the first */
};

/* Reads the states that a block opens, or the rows that it holds, without their times. */
static bool read_codes(const struct near_search *search,
                       const struct weft_file_block *block, struct rows *rows)
{
    rows->n = 0;
    rows->ordinal = block->ordinal;
    if (search->kind != WEFT_STATE) {
        size_t column = search->kind == WEFT_LINK ? WEFT_LINK_CODE : 1;
        int64_t columns[WEFT_LINK_CODE + 1][WEFT_BLOCK_ROWS];
        rows->n = weft_rows_columns(search->trace, block, columns, UINT32_C(1) << column);
        memcpy(rows->codes, columns[column], rows->n * sizeof *rows->codes);
        return rows->n > 0;
    }
    size_t left;
    const unsigned char *at = weft_trace_block(search->trace, block, &left);
    struct weft_change_parts parts;
    uint64_t operations[WEFT_BLOCK_ROWS];
    if (!at || !weft_change_parts(at, left, &parts) || parts.header.n != block->n)
        return false;
    weft_unpack(parts.operations, operations, parts.header.n, parts.header.operation_width);
    for (size_t i = 0; i < parts.header.n; i++) {
        rows->codes[rows->n] = operations[i] >> 2;
        rows->n += (operations[i] & 1) == 0; /* push or set: opens a state */
    }
    return true;
}
static_assert(!(WEFT_CHANGE_PUSH & 1) && !(WEFT_CHANGE_SET & 1) && WEFT_CHANGE_POP & 1
                  && WEFT_CHANGE_RESET & 1,
              "what opens is even");

/* Returns true if row I of a block has a value searched for. */
static bool has_value(const struct near_search *search, const struct rows *rows, size_t i)
{
    uint64_t code = rows->codes[i];
    return code <= search->track->n_codes && search->wanted[code];
}

/* Reads the times of the entities of a block; returns how many. */
static size_t read_times(const struct near_search *search, size_t block,
                         int64_t times[WEFT_BLOCK_ROWS])
{
    const struct weft_trace *trace = search->trace;
    size_t n = 0;
    if (search->kind != WEFT_STATE) {
        const struct weft_file_block *entry =
            &trace->directory[search->track->first_block + block];
        int64_t columns[1][WEFT_BLOCK_ROWS];
        n = weft_rows_decode(trace, entry, columns, 1);
        weft_times_from_deltas(columns[0], n, entry->time);
        memcpy(times, columns[0], n * sizeof *times);
        return n;
    }
    struct weft_changes changes;
    weft_changes_decode(trace, search->track, block, &changes);
    for (size_t i = 0; i < changes.n; i++)
        if ((changes.operations[i] & 1) == 0)
            times[n++] = (int64_t)changes.times[i];
    return n;
}

/* Searches a block; returns true if it has the track's nearest. */
static bool search_block(struct near_search *search, size_t b)
{
    const struct weft_near_query *query = search->query;
    struct rows rows;
    if (!read_codes(search, &search->trace->directory[search->track->first_block + b],
                    &rows))
        return false;
    size_t any = 0;
    while (any < rows.n && !has_value(search, &rows, any))
        any++;
    int64_t times[WEFT_BLOCK_ROWS];
    if (any == rows.n || read_times(search, b, times) != rows.n)
        return false;
    for (size_t k = 0; k < rows.n; k++) {
        size_t i = query->backward ? rows.n - 1 - k : k;
        bool right_side =
            query->backward ? times[i] < query->time : times[i] >= query->time;
        uint64_t ordinal = rows.ordinal + i;
        if (!right_side || !has_value(search, &rows, i) || ordinal >= search->track->count)
            continue;
        struct weft_near found = { weft_entity_id(search->index, ordinal), times[i] };
        struct weft_near *best = &search->best;
        bool nearer = query->backward ? found.time > best->time : found.time < best->time;
        bool first = query->backward ? found.id > best->id : found.id < best->id;
        if (best->id == WEFT_NO_ID || nearer || (found.time == best->time && first))
            *best = found;
        return true;
    }
    return false;
}

/*
 * Returns true if a block that begins at TIME cannot hold a nearer entity than the best so
 * far.
 */
static bool too_far(const struct near_search *search, int64_t time)
{
    return search->best.id != WEFT_NO_ID
           && (search->query->backward ? time < search->best.time
                                       : time > search->best.time);
}

static void search_track(struct near_search *search)
{
    const struct weft_file_block *blocks =
        search->trace->directory + search->track->first_block;
    size_t n = search->track->n_blocks;
    size_t b = weft_block_at(blocks, n, search->query->time);
    if (!n)
        return;
    if (!search->query->backward) {
        for (; b < n && !too_far(search, blocks[b].time); b++)
            if (search_block(search, b))
                return;
        return;
    }
    /* A block ends where the next one begins. */
    for (;; b--) {
        if (b + 1 < n && too_far(search, blocks[b + 1].time))
            return;
        if (search_block(search, b) || b == 0)
            return;
    }
}

struct weft_near weft_trace_near(const struct weft_source *source,
                                 const struct weft_near_query *query)
{
    struct near_search search = { .trace = weft_trace_of(source),
                                  .query = query,
                                  .best = { WEFT_NO_ID, 0 } };
    for (size_t i = 0; i < query->n_tracks; i++) {
        search.index = query->tracks[i];
        search.track = &search.trace->tracks[search.index];
        search.kind = search.trace->schema.types[search.track->type].kind;
        bool has_values = search.kind == WEFT_STATE || search.kind == WEFT_EVENT
                          || search.kind == WEFT_LINK;
        if (has_values && mark_codes(&search))
            search_track(&search);
    }
    free(search.wanted);
    return search.best;
}
