/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: the tracks, and the directory of their blocks.  Everything that searches rely on
 * is checked here, in one walk through the tables: each block belongs to one track or field
 * column, times and ordinals rise, and all of them are within limits.  The content of a
 * block is checked when it is touched (check_blocks.c).
 */
#include "store/trace/trace_priv.h"

/* The positions in the tables behind the tracks so far: each track's parts follow. */
struct cursor {
    const struct weft_trace *trace;
    uint64_t block, code, column, depth, sample, reach;
};

/* Takes the next N rows of a table; returns false unless they begin at FIRST and fit. */
static bool claim_rows(uint64_t *at, uint64_t first, uint64_t n, uint64_t limit)
{
    bool ok = first == *at && weft_fits(first, n, limit);
    *at += ok ? n : 0;
    return ok;
}

static bool is_block(const struct weft_trace *trace, const struct weft_file_block *block,
                     enum weft_section_kind kind)
{
    const struct weft_file_section *section = &trace->header->sections[kind];
    return block->n > 0 && block->n <= WEFT_BLOCK_ROWS && block->offset % 8 == 0
           && block->offset >= section->offset
           && block->offset - section->offset < section->size;
}

bool weft_trace_is_row_block(const struct weft_trace *trace,
                             const struct weft_file_block *block)
{
    return is_block(trace, block, WEFT_SECTION_INDEX_ROWS)
           || is_block(trace, block, WEFT_SECTION_DATA);
}

/* Checks that the summary of the depths of 64 blocks has their lowest. */
static bool depths_agree(const struct weft_file_block *blocks, uint64_t n,
                         const uint16_t *depths)
{
    for (uint64_t i = 0; i < n; i += WEFT_DIRECTORY_STEP) {
        uint16_t low = UINT16_MAX;
        for (uint64_t j = i; j < i + WEFT_DIRECTORY_STEP && j < n; j++)
            low = blocks[j].low < low ? blocks[j].low : low;
        if (depths[i / WEFT_DIRECTORY_STEP] != low)
            return false;
    }
    return true;
}

/*
 * Checks the blocks of a track: times and ordinals rise, from its begin and to its count.
 */
static bool blocks_fit(const struct weft_trace *trace, const struct weft_file_track *track,
                       enum weft_kind kind)
{
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    uint64_t n = track->n_blocks;
    if (!n)
        return track->count == 0;
    bool ok = blocks[0].ordinal == 0 && blocks[0].time == track->begin
              && blocks[n - 1].time <= track->end && weft_time_fits(track->begin)
              && weft_time_fits(track->end) && track->count < UINT64_C(1) << 40;
    for (uint64_t i = 0; i < n && ok; i++) {
        uint64_t after = i + 1 < n ? blocks[i + 1].ordinal : track->count;
        uint64_t held = after - blocks[i].ordinal;
        ok = is_block(trace, &blocks[i], WEFT_SECTION_DATA) && after >= blocks[i].ordinal
             && (kind == WEFT_STATE ? held <= blocks[i].n : held == blocks[i].n)
             && (i == 0 || blocks[i].time >= blocks[i - 1].time)
             && (kind != WEFT_STATE || blocks[i].low <= track->max_depth);
    }
    return ok;
}

static bool samples_fit(const struct weft_file_sample_block *samples, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (samples[i].min > samples[i].max)
            return false;
    return true;
}

static bool reach_fits(const struct weft_file_block *blocks, const int64_t *reach,
                       const struct weft_file_track *track)
{
    for (uint64_t i = 0; i < track->n_blocks; i++)
        if (reach[i] < blocks[i].time || reach[i] > track->end)
            return false;
    return true;
}

/* Checks the tables beside the directory for the kind of the track. */
static bool summaries_fit(struct cursor *at, const struct weft_file_track *track,
                          enum weft_kind kind)
{
    const struct weft_trace *trace = at->trace;
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    uint64_t n = track->n_blocks;
    switch (kind) {
    case WEFT_STATE: {
        uint64_t steps = n / WEFT_DIRECTORY_STEP + (n % WEFT_DIRECTORY_STEP != 0);
        return claim_rows(&at->depth, track->first_depth, steps, trace->n_depths)
               && depths_agree(blocks, n, trace->depths + track->first_depth);
    }
    case WEFT_VARIABLE:
        return !n
               || (claim_rows(&at->sample, track->first_depth, n, trace->n_samples)
                   && samples_fit(trace->samples + track->first_depth, n));
    case WEFT_LINK:
        return !n
               || (claim_rows(&at->reach, track->first_depth, n, trace->n_reach)
                   && reach_fits(blocks, trace->reach + track->first_depth, track));
    case WEFT_EVENT: return true;
    case WEFT_CONTAINER: break;
    }
    return false;
}

/* Checks a field column: its rows are of the track's entities, each named once. */
static bool column_fits(struct cursor *at, const struct weft_file_track *track,
                        const struct weft_file_column *column)
{
    const struct weft_trace *trace = at->trace;
    const struct weft_schema *schema = &trace->schema;
    if (!claim_rows(&at->block, column->first_block, column->n_blocks, trace->n_blocks)
        || column->field >= schema->n_fields
        || schema->fields[column->field].type != track->type)
        return false;
    const struct weft_file_block *blocks = trace->directory + column->first_block;
    for (uint64_t i = 0; i < column->n_blocks; i++) {
        uint64_t first = (uint64_t)blocks[i].time;
        uint64_t after =
            i + 1 < column->n_blocks ? (uint64_t)blocks[i + 1].time : track->count;
        if (!is_block(trace, &blocks[i], WEFT_SECTION_DATA) || first >= track->count
            || after > track->count || after < first || after - first < blocks[i].n)
            return false;
    }
    return true;
}

static bool track_fits(struct cursor *at, const struct weft_file_track *track)
{
    const struct weft_trace *trace = at->trace;
    const struct weft_schema *schema = &trace->schema;
    if (track->type >= schema->n_types || track->container >= schema->n_containers
        || track->max_depth >= UINT16_MAX
        || !claim_rows(&at->block, track->first_block, track->n_blocks, trace->n_blocks)
        || !claim_rows(&at->code, track->first_code, track->n_codes, trace->n_codes)
        || !claim_rows(&at->column, track->first_column, track->n_columns,
                       trace->n_columns))
        return false;
    enum weft_kind kind = schema->types[track->type].kind;
    bool ok = blocks_fit(trace, track, kind) && summaries_fit(at, track, kind);
    for (uint32_t c = 0; ok && c < track->n_codes; c++)
        ok = trace->codes[track->first_code + c] < schema->n_values;
    for (uint32_t c = 0; ok && c < track->n_columns; c++)
        ok = column_fits(at, track, &trace->columns[track->first_column + c]);
    return ok;
}

bool weft_trace_load_directory(struct weft_trace *trace, uint32_t n_tracks)
{
    trace->codes = weft_trace_section(trace, WEFT_SECTION_CODES, 4, &trace->n_codes);
    trace->directory = weft_trace_section(trace, WEFT_SECTION_DIRECTORY,
                                          sizeof *trace->directory, &trace->n_blocks);
    trace->depths = weft_trace_section(trace, WEFT_SECTION_DEPTHS, 2, &trace->n_depths);
    trace->samples = weft_trace_section(trace, WEFT_SECTION_SAMPLES, sizeof *trace->samples,
                                        &trace->n_samples);
    trace->reach = weft_trace_section(trace, WEFT_SECTION_REACH, 8, &trace->n_reach);
    trace->columns = weft_trace_section(trace, WEFT_SECTION_COLUMNS, sizeof *trace->columns,
                                        &trace->n_columns);
    struct cursor at = { .trace = trace };
    for (uint32_t t = 0; t < n_tracks; t++)
        if (!track_fits(&at, &trace->tracks[t]))
            return false;
    return at.block == trace->n_blocks && at.column == trace->n_columns;
}
