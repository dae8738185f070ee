/* SPDX-License-Identifier: Apache-2.0 */
/* Reading events, samples and fields. */
#include <math.h>
#include <string.h>

#include "store/column.h"
#include "store/mipmaps.h"

size_t weft_rows_columns(const struct weft_trace *trace,
                         const struct weft_file_block *block,
                         int64_t columns[][WEFT_BLOCK_ROWS], uint32_t wanted)
{
    size_t left;
    const unsigned char *at = weft_trace_block(trace, block, &left);
    struct weft_rows_header header;
    if (!at || left < sizeof header)
        return 0;
    memcpy(&header, at, sizeof header);
    if (header.n != block->n || header.n_columns > 31 || wanted >> header.n_columns)
        return 0;
    at += sizeof header;
    left -= sizeof header;
    for (size_t c = 0; wanted >> c; c++) {
        size_t size = wanted >> c & 1
                          ? weft_column_decode(at, left, columns[c], header.n, NULL)
                          : weft_column_size(at, left, header.n);
        if (!size)
            return 0;
        at += size;
        left -= size;
    }
    return header.n;
}

bool weft_rows_row(const struct weft_trace *trace, const struct weft_file_block *block,
                   uint64_t row, int64_t *cells, size_t n_columns)
{
    size_t left;
    const unsigned char *at = weft_trace_block(trace, block, &left);
    struct weft_rows_header header;
    if (!at || left < sizeof header)
        return false;
    memcpy(&header, at, sizeof header);
    if (header.n != block->n || row >= header.n || header.n_columns < n_columns)
        return false;
    at += sizeof header;
    left -= sizeof header;
    for (size_t c = 0; c < n_columns; c++) {
        size_t size = weft_column_size(at, left, header.n);
        if (!size)
            return false;
        cells[c] = weft_column_cell(at, row);
        at += size;
        left -= size;
    }
    return true;
}

size_t weft_rows_decode(const struct weft_trace *trace, const struct weft_file_block *block,
                        int64_t columns[][WEFT_BLOCK_ROWS], size_t n_columns)
{
    return weft_rows_columns(trace, block, columns, (UINT32_C(1) << n_columns) - 1);
}

void weft_times_from_deltas(int64_t *times, size_t n, int64_t first)
{
    uint64_t time = (uint64_t)first;
    for (size_t i = 0; i < n; i++)
        times[i] = (int64_t)(time += (uint64_t)times[i]);
}

void weft_trace_events(const struct weft_source *source, uint32_t track_index,
                       struct weft_span window,
                       bool (*visit)(void *user, const struct weft_event *event),
                       void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    int64_t columns[2][WEFT_BLOCK_ROWS];
    if (!track->n_blocks)
        return;
    for (size_t b = weft_block_at(blocks, track->n_blocks, window.begin);
         b < track->n_blocks && blocks[b].time < window.end; b++) {
        size_t n = weft_rows_decode(trace, &blocks[b], columns, 2);
        weft_times_from_deltas(columns[0], n, blocks[b].time);
        for (size_t i = 0; i < n; i++) {
            if (columns[0][i] < window.begin || columns[0][i] >= window.end)
                continue;
            struct weft_event event = {
                weft_entity_id(track_index, blocks[b].ordinal + i), columns[0][i],
                weft_code_value(trace, track, (uint64_t)columns[1][i])
            };
            if (!visit(user, &event))
                return;
        }
    }
}

void weft_run_events(const struct weft_trace *trace, uint32_t track_index,
                     const struct weft_file_block *block, struct weft_run *out)
{
    const struct weft_file_track *track = &trace->tracks[track_index];
    int64_t columns[2][WEFT_BLOCK_ROWS];
    size_t n = weft_rows_decode(trace, block, columns, 2);
    weft_times_from_deltas(columns[0], n, block->time);
    for (; out->n < n; out->n++)
        out->events[out->n] = (struct weft_event){
            weft_entity_id(track_index, out->first + out->n), columns[0][out->n],
            weft_code_value(trace, track, (uint64_t)columns[1][out->n]), 0
        };
}

bool weft_trace_event(const struct weft_source *source, uint64_t id, struct weft_event *out)
{
    const struct weft_trace *trace = weft_trace_of(source);
    uint32_t track_index = weft_entity_track(id);
    uint64_t ordinal = weft_entity_ordinal(id);
    if (track_index >= trace->schema.n_tracks)
        return false;
    const struct weft_file_track *track = &trace->tracks[track_index];
    if (trace->schema.types[track->type].kind != WEFT_EVENT || ordinal >= track->count
        || !track->n_blocks)
        return false;
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    size_t b = weft_block_of_ordinal(blocks, track->n_blocks, ordinal);
    int64_t columns[2][WEFT_BLOCK_ROWS];
    size_t n = weft_rows_decode(trace, &blocks[b], columns, 2),
           row = ordinal - blocks[b].ordinal;
    if (row >= n)
        return false;
    weft_times_from_deltas(columns[0], n, blocks[b].time);
    *out =
        (struct weft_event){ id, columns[0][row],
                             weft_code_value(trace, track, (uint64_t)columns[1][row]), 0 };
    return true;
}

int64_t weft_samples_end(const struct weft_trace *trace,
                         const struct weft_file_track *track)
{
    int64_t end = trace->schema.containers[track->container].end;
    return end > track->end ? end : track->end;
}

void weft_trace_samples(const struct weft_source *source, uint32_t track_index,
                        struct weft_span window,
                        bool (*visit)(void *user, const struct weft_sample *sample),
                        void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    int64_t columns[2][WEFT_BLOCK_ROWS];
    if (!track->n_blocks)
        return;
    for (size_t b = weft_block_at(blocks, track->n_blocks, window.begin);
         b < track->n_blocks && blocks[b].time < window.end; b++) {
        size_t n = weft_rows_decode(trace, &blocks[b], columns, 2);
        weft_times_from_deltas(columns[0], n, blocks[b].time);
        int64_t after =
            b + 1 < track->n_blocks ? blocks[b + 1].time : weft_samples_end(trace, track);
        for (size_t i = 0; i < n; i++) {
            struct weft_sample sample = { .id = weft_entity_id(track_index,
                                                               blocks[b].ordinal + i),
                                          .begin = columns[0][i],
                                          .end = i + 1 < n ? columns[0][i + 1] : after };
            memcpy(&sample.value, &columns[1][i], sizeof sample.value);
            bool before = sample.end <= window.begin
                          && !(sample.begin == sample.end && sample.begin >= window.begin);
            if (before)
                continue;
            if (sample.begin >= window.end || !visit(user, &sample))
                return;
        }
    }
}

void weft_run_samples(const struct weft_trace *trace, uint32_t track_index,
                      const struct weft_file_block *block, struct weft_run *out)
{
    const struct weft_file_track *track = &trace->tracks[track_index];
    bool last =
        (uint64_t)(block + 1 - trace->directory) == track->first_block + track->n_blocks;
    int64_t columns[2][WEFT_BLOCK_ROWS];
    size_t n = weft_rows_decode(trace, block, columns, 2);
    weft_times_from_deltas(columns[0], n, block->time);
    int64_t after = last ? weft_samples_end(trace, track) : block[1].time;
    for (; out->n < n; out->n++) {
        size_t i = out->n;
        struct weft_sample *sample = &out->samples[i];
        *sample = (struct weft_sample){ .id = weft_entity_id(track_index, out->first + i),
                                        .begin = columns[0][i],
                                        .end = i + 1 < n ? columns[0][i + 1] : after };
        memcpy(&sample->value, &columns[1][i], sizeof sample->value);
    }
}

struct curve {
    struct weft_edges edges;
    struct weft_span window;
    size_t column, columns;
    struct weft_envelope *out;
    double integral; /* of the current column */
    int64_t covered; /* ticks of it that have a value */
};

static void finish_column(struct curve *curve)
{
    if (curve->covered)
        curve->out[curve->column].mean = (float)(curve->integral / (double)curve->covered);
    curve->integral = 0;
    curve->covered = 0;
}

/* Adds a piece: from FROM to TO the curve lies between MIN and MAX, MEAN on average. */
static void add_piece(struct curve *curve, int64_t from, int64_t to, double min, double max,
                      double mean)
{
    from = from > curve->window.begin ? from : curve->window.begin;
    to = to < curve->window.end ? to : curve->window.end;
    while (from < to) {
        while (from >= curve->edges.edge && curve->column + 1 < curve->columns) {
            finish_column(curve);
            curve->column++;
            weft_edges_next(&curve->edges);
        }
        int64_t edge =
            curve->column + 1 < curve->columns ? curve->edges.edge : curve->window.end;
        int64_t until = to < edge ? to : edge;
        struct weft_envelope *out = &curve->out[curve->column];
        if (!(out->min <= (float)min))
            out->min = (float)min;
        if (!(out->max >= (float)max))
            out->max = (float)max;
        curve->integral += mean * (double)(until - from);
        curve->covered += until - from;
        from = until;
    }
}

static bool add_sample(void *user, const struct weft_sample *sample)
{
    add_piece(user, sample->begin, sample->end, sample->value, sample->value,
              sample->value);
    return true;
}

void weft_trace_envelope(const struct weft_source *source, uint32_t track_index,
                         struct weft_span window, size_t columns, struct weft_envelope *out)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    for (size_t c = 0; c < columns; c++)
        out[c] = (struct weft_envelope){ NAN, NAN, NAN };
    if (!track->n_blocks || window.end <= window.begin || !columns)
        return;
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    const struct weft_file_sample_block *summaries = trace->samples + track->first_depth;
    struct curve curve = { .edges = weft_edges_begin(window, columns),
                           .window = window,
                           .columns = columns,
                           .out = out };
    for (size_t b = weft_block_at(blocks, track->n_blocks, window.begin);
         b < track->n_blocks && blocks[b].time < window.end; b++) {
        int64_t end =
            b + 1 < track->n_blocks ? blocks[b + 1].time : weft_samples_end(trace, track);
        /* Use the summary of a block that lies within one column. */
        bool inside = blocks[b].time >= window.begin && end <= window.end
                      && end - blocks[b].time <= curve.edges.step && end > blocks[b].time;
        if (inside)
            add_piece(&curve, blocks[b].time, end, summaries[b].min, summaries[b].max,
                      summaries[b].integral / (double)(end - blocks[b].time));
        else
            weft_trace_samples(
                source, track_index,
                (struct weft_span){ blocks[b].time, end < window.end ? end : window.end },
                add_sample, &curve);
    }
    finish_column(&curve);
}

/* Finds the row of ORDINAL in a field column, if it has one. */
static bool find_field(const struct weft_trace *trace,
                       const struct weft_file_column *column, uint64_t ordinal,
                       int64_t *value)
{
    const struct weft_file_block *blocks = trace->directory + column->first_block;
    ptrdiff_t b = weft_block_before(blocks, column->n_blocks, (int64_t)ordinal);
    int64_t columns[2][WEFT_BLOCK_ROWS];
    if (b < 0)
        return false;
    size_t n = weft_rows_decode(trace, &blocks[b], columns, 2);
    uint64_t at = (uint64_t)blocks[b].time;
    for (size_t i = 0; i < n && at <= ordinal; i++) {
        at += i ? (uint64_t)columns[0][i] + 1 : 0;
        if (at == ordinal) {
            *value = columns[1][i];
            return true;
        }
    }
    return false;
}

/* Converts an id from building to one with the final number of its track. */
static bool final_id(const struct weft_trace *trace, uint64_t id, uint64_t *out)
{
    uint32_t track = weft_entity_track(id);
    if (id == WEFT_NO_ID || track == WEFT_CONTAINER_TRACK) {
        *out = id;
        return true;
    }
    if (track >= trace->schema.n_tracks)
        return false;
    *out = weft_entity_id(trace->track_numbers[track], weft_entity_ordinal(id));
    return true;
}

bool weft_trace_field_value(const struct weft_trace *trace, uint32_t field, int64_t bits,
                            struct weft_field_value *out)
{
    const struct weft_schema *schema = &trace->schema;
    uint64_t limit = 0;
    *out = (struct weft_field_value){ .field = field, .integer = bits };
    switch (schema->fields[field].kind) {
    case WEFT_FIELD_ENTITY: return final_id(trace, (uint64_t)bits, &out->entity);
    case WEFT_FIELD_TEXT: limit = schema->n_strings; break;
    case WEFT_FIELD_SITE: limit = schema->n_sites; break;
    case WEFT_FIELD_CONTAINER: limit = schema->n_containers; break;
    default: return true;
    }
    out->integer = 0;
    out->index = (uint32_t)bits;
    return (uint64_t)bits < limit;
}

size_t weft_trace_fields(const struct weft_source *source, uint64_t id,
                         struct weft_field_value *out, size_t capacity)
{
    const struct weft_trace *trace = weft_trace_of(source);
    uint32_t track_index = weft_entity_track(id);
    if (track_index >= trace->schema.n_tracks)
        return 0;
    const struct weft_file_track *track = &trace->tracks[track_index];
    size_t n = 0;
    for (uint32_t c = 0; c < track->n_columns && n < capacity; c++) {
        const struct weft_file_column *column = &trace->columns[track->first_column + c];
        int64_t value;
        if (!find_field(trace, column, weft_entity_ordinal(id), &value))
            continue;
        n += weft_trace_field_value(trace, column->field, value, &out[n]); /* or damaged */
    }
    return n;
}

/*
 * Decodes a block of a field column; returns the number of rows, 0: damaged.  Leaves out
 * values that name nothing (in a crafted store, whose checksums are right).
 */
static size_t decode_field(const struct weft_trace *trace,
                           const struct weft_file_track *track, uint32_t field,
                           const struct weft_file_block *block, uint64_t *ordinals,
                           int64_t columns[2][WEFT_BLOCK_ROWS])
{
    size_t n = weft_rows_decode(trace, block, columns, 2), good = 0;
    uint64_t at = (uint64_t)block->time;
    for (size_t i = 0; i < n; i++) {
        at += i ? (uint64_t)columns[0][i] + 1 : 0;
        struct weft_field_value value;
        if (at >= track->count
            || !weft_trace_field_value(trace, field, columns[1][i], &value))
            continue;
        ordinals[good] = at;
        columns[1][good++] = value.integer;
    }
    return good;
}

/* The visitor of runs of a field. */
struct run_visitor {
    uint64_t first, after; /* ordinals */
    bool (*visit)(void *user, uint32_t field, const struct weft_field_run *run);
    void *user;
};

static bool visit_column(const struct weft_trace *trace,
                         const struct weft_file_track *track,
                         const struct weft_file_column *column,
                         const struct run_visitor *visitor)
{
    const struct weft_file_block *blocks = trace->directory + column->first_block;
    int64_t columns[2][WEFT_BLOCK_ROWS];
    uint64_t ordinals[WEFT_BLOCK_ROWS];
    ptrdiff_t from = weft_block_before(blocks, column->n_blocks, (int64_t)visitor->first);
    for (size_t b = from < 0 ? 0 : (size_t)from;
         b < column->n_blocks && blocks[b].time < (int64_t)visitor->after; b++) {
        size_t n = decode_field(trace, track, column->field, &blocks[b], ordinals, columns);
        size_t low = 0;
        while (low < n && ordinals[low] < visitor->first)
            low++;
        while (n > low && ordinals[n - 1] >= visitor->after)
            n--;
        struct weft_field_run run = { ordinals + low, columns[1] + low, n - low };
        if (run.n && !visitor->visit(visitor->user, column->field, &run))
            return false;
    }
    return true;
}

void weft_trace_all_fields(
    const struct weft_source *source, uint32_t track_index, uint64_t first, uint64_t after,
    bool (*visit)(void *user, uint32_t field, const struct weft_field_run *run), void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    struct run_visitor visitor = { first, after < track->count ? after : track->count,
                                   visit, user };
    for (uint32_t c = 0; c < track->n_columns && first < visitor.after; c++)
        if (!visit_column(trace, track, &trace->columns[track->first_column + c], &visitor))
            return;
}

struct one_field {
    bool (*visit)(void *user, const struct weft_field_run *run);
    void *user;
};

static bool visit_one(void *user, uint32_t field, const struct weft_field_run *run)
{
    struct one_field *one = user;
    (void)field;
    return one->visit(one->user, run);
}

void weft_trace_field_range(const struct weft_source *source, uint32_t track_index,
                            uint32_t field, uint64_t first, uint64_t after,
                            bool (*visit)(void *user, const struct weft_field_run *run),
                            void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[track_index];
    struct one_field one = { visit, user };
    struct run_visitor visitor = { first, after < track->count ? after : track->count,
                                   visit_one, &one };
    for (uint32_t c = 0; c < track->n_columns && first < visitor.after; c++) {
        const struct weft_file_column *column = &trace->columns[track->first_column + c];
        if (column->field == field && !visit_column(trace, track, column, &visitor))
            return;
    }
}

void weft_trace_column(const struct weft_source *source, uint32_t track, uint32_t field,
                       bool (*visit)(void *user, const struct weft_field_run *run),
                       void *user)
{
    weft_trace_field_range(source, track, field, 0, UINT64_MAX, visit, user);
}
