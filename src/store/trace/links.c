/* SPDX-License-Identifier: Apache-2.0 */
/* Reading links. */
#include "store/trace/trace_priv.h"

struct link_block {
    int64_t columns[WEFT_LINK_COLUMNS][WEFT_BLOCK_ROWS];
    size_t n;
};

static bool decode_links(const struct weft_trace *trace,
                         const struct weft_file_block *block, struct link_block *out)
{
    out->n = weft_rows_decode(trace, block, out->columns, WEFT_LINK_COLUMNS);
    weft_times_from_deltas(out->columns[WEFT_LINK_DELTA], out->n, block->time);
    return out->n > 0;
}

static uint32_t row_or_none(int64_t value, uint32_t limit)
{
    return value >= 0 && value < limit ? (uint32_t)value : WEFT_NONE;
}

/* CELLS: a track, or -1, and an ordinal. */
static uint64_t entity_or_none(const struct weft_trace *trace, const int64_t *cells)
{
    bool there = cells[0] >= 0 && cells[0] < trace->schema.n_tracks && cells[1] >= 0
                 && (uint64_t)cells[1] < trace->tracks[cells[0]].count;
    return there ? weft_entity_id((uint32_t)cells[0], (uint64_t)cells[1]) : WEFT_NO_ID;
}

/* CELLS: a row of a block of links, its first column the earlier of the link's times. */
static struct weft_link link_of(const struct weft_trace *trace, uint32_t track_index,
                                uint64_t ordinal, const int64_t *cells)
{
    const struct weft_schema *schema = &trace->schema;
    const struct weft_file_track *track = &trace->tracks[track_index];
    uint64_t time = (uint64_t)cells[WEFT_LINK_DELTA];
    return (struct weft_link){
        .type = track->type,
        .container = track->container,
        .value = weft_code_value(trace, track, (uint64_t)cells[WEFT_LINK_CODE]),
        .key = row_or_none(cells[WEFT_LINK_KEY], schema->n_strings),
        .from = row_or_none(cells[WEFT_LINK_FROM], schema->n_containers),
        .to = row_or_none(cells[WEFT_LINK_TO], schema->n_containers),
        .begin = (int64_t)(time + (uint64_t)cells[WEFT_LINK_BEGIN]),
        .end = (int64_t)(time + (uint64_t)cells[WEFT_LINK_END]),
        .from_entity = entity_or_none(trace, cells + WEFT_LINK_FROM_TRACK),
        .to_entity = entity_or_none(trace, cells + WEFT_LINK_TO_TRACK),
        .flags = (uint32_t)cells[WEFT_LINK_FLAGS],
        .id = weft_entity_id(track_index, ordinal),
    };
}

static struct weft_link link_at(const struct weft_trace *trace, uint32_t track_index,
                                const struct weft_file_block *block,
                                const struct link_block *rows, size_t i)
{
    int64_t cells[WEFT_LINK_COLUMNS];
    for (size_t c = 0; c < WEFT_LINK_COLUMNS; c++)
        cells[c] = rows->columns[c][i];
    return link_of(trace, track_index, block->ordinal + i, cells);
}

void weft_trace_links(const struct weft_source *source, uint32_t track_index,
                      struct weft_span window,
                      bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    const int64_t *reach = trace->reach + track->first_depth;
    struct link_block rows;
    for (size_t b = 0; b < track->n_blocks && blocks[b].time < window.end; b++) {
        if (reach[b] < window.begin || !decode_links(trace, &blocks[b], &rows))
            continue;
        for (size_t i = 0; i < rows.n; i++) {
            struct weft_link link = link_at(trace, track_index, &blocks[b], &rows, i);
            int64_t low = link.begin < link.end ? link.begin : link.end;
            int64_t high = link.begin < link.end ? link.end : link.begin;
            if (low >= window.end)
                break;
            if (high < window.begin || (high == window.begin && low < high))
                continue;
            if (!visit(user, &link))
                return;
        }
    }
}

void weft_run_links(const struct weft_trace *trace, uint32_t track,
                    const struct weft_file_block *block, struct weft_run *out)
{
    struct link_block rows;
    decode_links(trace, block, &rows);
    for (; out->n < rows.n; out->n++)
        out->links[out->n] = link_at(trace, track, block, &rows, out->n);
}

bool weft_trace_link(const struct weft_source *source, uint64_t id, struct weft_link *out)
{
    const struct weft_trace *trace = weft_trace_of(source);
    uint32_t track_index = weft_entity_track(id);
    uint64_t ordinal = weft_entity_ordinal(id);
    if (track_index >= trace->schema.n_tracks)
        return false;
    const struct weft_file_track *track = &trace->tracks[track_index];
    if (trace->schema.types[track->type].kind != WEFT_LINK || ordinal >= track->count
        || !track->n_blocks)
        return false;
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    const struct weft_file_block *block =
        &blocks[weft_block_of_ordinal(blocks, track->n_blocks, ordinal)];
    int64_t cells[WEFT_LINK_COLUMNS], deltas[1][WEFT_BLOCK_ROWS];
    uint64_t row = ordinal - block->ordinal;
    if (!weft_rows_row(trace, block, row, cells, WEFT_LINK_COLUMNS)
        || !weft_rows_decode(trace, block, deltas, 1))
        return false;
    uint64_t time = (uint64_t)block->time;
    for (size_t i = 0; i <= row; i++)
        time += (uint64_t)deltas[0][i];
    cells[WEFT_LINK_DELTA] = (int64_t)time;
    *out = link_of(trace, track_index, ordinal, cells);
    return true;
}

struct end_block { /* a block of LINK_ENDS, decoded */
    uint64_t index;
    size_t n; /* 0: none yet, or damaged */
    int64_t columns[WEFT_INDEX_COLUMNS][WEFT_BLOCK_ROWS];
};

/* Reads the link in a row of LINK_ENDS; returns false if damaged. */
static bool end_row(const struct weft_trace *trace, uint64_t row, struct end_block *block,
                    struct weft_link *out)
{
    uint64_t index = row / WEFT_BLOCK_ROWS;
    if (index >= trace->n_link_ends)
        return false;
    if (!block->n || block->index != index) {
        block->index = index;
        block->n = weft_index_decode(trace, &trace->link_ends[index], block->columns);
    }
    size_t i = row % WEFT_BLOCK_ROWS;
    if (i >= block->n)
        return false;
    uint64_t track = (uint64_t)block->columns[WEFT_INDEX_TRACK][i];
    uint64_t ordinal = (uint64_t)block->columns[WEFT_INDEX_ORDINAL][i];
    return track < trace->schema.n_tracks && ordinal < trace->tracks[track].count
           && weft_trace_link(&trace->source, weft_entity_id((uint32_t)track, ordinal),
                              out);
}

void weft_trace_links_at(const struct weft_source *source, uint32_t container,
                         bool incoming, struct weft_span window,
                         bool (*visit)(void *user, const struct weft_link *link),
                         void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    if (!trace->link_index || container >= trace->schema.n_containers)
        return;
    const struct weft_file_link_index *index = &trace->link_index[container];
    uint64_t first = incoming ? index->in_first : index->out_first;
    uint64_t n = incoming ? index->n_in : index->n_out, low = 0, high = n;
    struct end_block block = { .n = 0 };
    struct weft_link link;
    while (low < high) { /* by the time at this end */
        uint64_t middle = low + (high - low) / 2;
        if (!end_row(trace, first + middle, &block, &link)) {
            low = 0; /* damaged: visit all that is readable */
            break;
        }
        if ((incoming ? link.end : link.begin) < window.begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n; low++) {
        if (!end_row(trace, first + low, &block, &link))
            continue;
        int64_t time = incoming ? link.end : link.begin;
        if (time >= window.end)
            return;
        if (time >= window.begin && !visit(user, &link))
            return;
    }
}
