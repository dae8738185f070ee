/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the entities of a track a block at a time, in order of begin, for walking
 * (store/entities_by_time.h).
 */
#include "store/trace/trace_priv.h"

/*
 * Returns the block of a track that holds an entity; OUT gets the ordinals that it holds.
 */
static const struct weft_file_block *block_of(const struct weft_trace *trace,
                                              const struct weft_file_track *track,
                                              uint64_t ordinal, struct weft_run *out)
{
    out->first = ordinal;
    out->after = ordinal + 1;
    out->n = 0;
    if (!track->n_blocks || ordinal >= track->count)
        return NULL;
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    size_t b = weft_block_of_ordinal(blocks, track->n_blocks, ordinal);
    uint64_t after = b + 1 < track->n_blocks ? blocks[b + 1].ordinal : track->count;
    if (blocks[b].ordinal > ordinal || after <= ordinal || after > track->count
        || after - blocks[b].ordinal > WEFT_RUN_MAX)
        return NULL; /* damaged: this one entity is skipped */
    out->first = blocks[b].ordinal;
    out->after = after;
    return &blocks[b];
}

void weft_trace_run(const struct weft_source *source, uint32_t index, uint64_t ordinal,
                    struct weft_run *out)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[index];
    const struct weft_file_block *block = block_of(trace, track, ordinal, out);
    if (!block)
        return;
    switch (trace->schema.types[track->type].kind) {
    case WEFT_STATE: weft_run_states(trace, index, block, out); break;
    case WEFT_EVENT: weft_run_events(trace, index, block, out); break;
    case WEFT_VARIABLE: weft_run_samples(trace, index, block, out); break;
    case WEFT_LINK: weft_run_links(trace, index, block, out); break;
    case WEFT_CONTAINER: break;
    }
    if (out->n != out->after - out->first)
        out->n = 0; /* damaged */
}

/* Returns how many of the states that a block opens begin before TIME. */
static uint64_t opened_before(const struct weft_trace *trace,
                              const struct weft_file_track *track, size_t block,
                              int64_t time)
{
    struct weft_changes changes;
    uint64_t n = 0;
    weft_changes_decode(trace, track, block, &changes);
    for (size_t i = 0; i < changes.n && (int64_t)changes.times[i] < time; i++) {
        enum weft_change_kind kind = changes.operations[i] & 3;
        n += kind == WEFT_CHANGE_PUSH || kind == WEFT_CHANGE_SET;
    }
    return n;
}

uint64_t weft_trace_rank(const struct weft_source *source, uint32_t index, int64_t time)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[index];
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    if (!track->n_blocks || blocks[0].time >= time)
        return 0;
    size_t b = weft_block_at(blocks, track->n_blocks, time);
    uint64_t before = blocks[b].ordinal;
    if (trace->schema.types[track->type].kind == WEFT_STATE) {
        before += opened_before(trace, track, b, time);
    } else {
        int64_t times[1][WEFT_BLOCK_ROWS];
        size_t n = weft_rows_decode(trace, &blocks[b], times, 1);
        weft_times_from_deltas(times[0], n, blocks[b].time);
        for (size_t i = 0; i < n && times[0][i] < time; i++)
            before++;
    }
    return before < track->count ? before : track->count;
}
