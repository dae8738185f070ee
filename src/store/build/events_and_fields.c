/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of rows: events and samples; and the field columns of any track. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/build/builder_priv.h"
#include "store/column.h"

enum { FIRST_FIELD_ROOM = 16 }; /* rows of a new field column */

static size_t rows_header(unsigned char *out, size_t n, size_t n_columns)
{
    struct weft_rows_header header = { (uint16_t)n, (uint16_t)n_columns, 0 };
    memcpy(out, &header, sizeof header);
    return sizeof header;
}

/* Finds the least and the greatest value of a complete block. */
static void find_extremes(struct build_track *track)
{
    struct weft_file_sample_block *block = &track->sample;
    block->min = block->max = track->values[0];
    for (size_t i = 1; i < track->n; i++) {
        double value = track->values[i];
        block->min = value < block->min ? value : block->min;
        block->max = value > block->max ? value : block->max;
    }
}

/* Adds the sample that lasted until TIME to the integral of its block. */
static void account_sample(struct build_track *track, int64_t time)
{
    track->sample.integral +=
        track->values[track->n - 1] * (double)(time - track->sample_since);
    track->sample_since = time;
}

void weft_build_flush_rows(struct weft_builder *b, struct build_track *track)
{
    size_t n = track->n;
    if (!n)
        return;
    int64_t column[WEFT_BLOCK_ROWS];
    unsigned char *out =
        weft_build_scratch(b, track, sizeof(struct weft_rows_header) + 2 * WEFT_COLUMN_MAX);
    size_t size = rows_header(out, n, 2);
    for (size_t i = 0; i < n; i++)
        column[i] = i ? track->times[i] - track->times[i - 1] : 0;
    size += weft_column_encode(out + size, column, n);
    if (track->kind == WEFT_VARIABLE) {
        size += weft_column_encode_reals(out + size, track->values, n);
    } else {
        for (size_t i = 0; i < n; i++)
            column[i] = track->operations[i];
        size += weft_column_encode(out + size, column, n);
    }
    struct weft_file_block entry = { .time = track->times[0],
                                     .ordinal = track->count - n,
                                     .n = (uint16_t)n };
    weft_build_block(b, track, NULL, entry, out, size);
    if (track->kind == WEFT_VARIABLE) {
        track->sample_blocks =
            weft_grow(track->sample_blocks, &track->sample_block_capacity, track->n_blocks,
                      sizeof *track->sample_blocks);
        find_extremes(track);
        track->sample_blocks[track->n_blocks - 1] = track->sample;
    }
    track->n = 0;
}

static struct build_track *row_track(struct weft_builder *b, uint32_t index,
                                     enum weft_kind kind)
{
    WEFT_REQUIRE(index < b->n_tracks && b->tracks[index].kind == kind,
                 "track %u is not of %ss", index, weft_kind_name(kind));
    return &b->tracks[index];
}

static void reach(struct weft_builder *b, struct build_track *track, int64_t time)
{
    if (time < track->begin)
        track->begin = time;
    track->end = time;
    weft_build_lane_time(weft_build_lane(b, track), time);
}

enum weft_build weft_builder_event(struct weft_builder *b, uint32_t index, int64_t time,
                                   uint32_t value, const struct weft_field_value *fields,
                                   size_t n_fields, uint64_t *id)
{
    struct build_track *track = row_track(b, index, WEFT_EVENT);
    if (time < track->end)
        return WEFT_BUILD_BACKWARD;
    if (track->n == WEFT_BLOCK_ROWS)
        weft_build_flush_rows(b, track);
    weft_build_row_room(track);
    reach(b, track, time);
    track->times[track->n] = time;
    track->operations[track->n++] = weft_build_code(b, track, value);
    if (n_fields)
        weft_build_fields(b, track, track->count, fields, n_fields);
    if (id)
        *id = weft_entity_id(index, track->count);
    track->count++;
    weft_build_lane(b, track)->n_events++;
    return WEFT_BUILD_OK;
}

enum weft_build weft_builder_sample(struct weft_builder *b, uint32_t index, int64_t time,
                                    double value)
{
    struct build_track *track = row_track(b, index, WEFT_VARIABLE);
    if (time < track->end)
        return WEFT_BUILD_BACKWARD;
    if (track->count && time == track->end) {
        /*
         * The latest row is still in memory: a block is written when the row after it
         * comes.
         */
        track->values[track->n - 1] = value;
        return WEFT_BUILD_OK;
    }
    if (track->n)
        account_sample(track, time);
    if (track->n == WEFT_BLOCK_ROWS)
        weft_build_flush_rows(b, track);
    weft_build_row_room(track);
    if (track->n == 0)
        track->sample = (struct weft_file_sample_block){ 0 };
    reach(b, track, time);
    track->sample_since = time;
    track->times[track->n] = time;
    track->values[track->n++] = value;
    track->count++;
    weft_build_lane(b, track)->n_samples++;
    return WEFT_BUILD_OK;
}

enum weft_build weft_builder_add(struct weft_builder *b, uint32_t index, int64_t time,
                                 double delta)
{
    struct build_track *track = row_track(b, index, WEFT_VARIABLE);
    if (!track->n)
        return WEFT_BUILD_UNSET;
    double sum = track->values[track->n - 1] + delta;
    return isfinite(sum) ? weft_builder_sample(b, index, time, sum) : WEFT_BUILD_RANGE;
}

static void flush_column(struct weft_builder *b, struct build_track *track,
                         struct build_column *column)
{
    size_t n = column->n;
    if (!n)
        return;
    const struct build_cell *rows = column->rows;
    unsigned char *out =
        weft_build_scratch(b, track, sizeof(struct weft_rows_header) + 2 * WEFT_COLUMN_MAX);
    size_t size = rows_header(out, n, 2);
    int64_t steps[WEFT_BLOCK_ROWS];
    /* Steps minus one: for a field that every entity has they are 0, and take no bytes. */
    for (size_t i = 0; i < n; i++)
        steps[i] = i ? (int64_t)(rows[i].ordinal - rows[i - 1].ordinal) - 1 : 0;
    size += weft_column_encode(out + size, steps, n);
    int64_t values[WEFT_BLOCK_ROWS];
    for (size_t i = 0; i < n; i++)
        values[i] = rows[i].value;
    if (column->real) {
        double reals[WEFT_BLOCK_ROWS];
        memcpy(reals, values, n * sizeof *reals);
        size += weft_column_encode_reals(out + size, reals, n);
    } else {
        size += weft_column_encode(out + size, values, n);
    }
    weft_build_block(
        b, track, column,
        (struct weft_file_block){ .time = (int64_t)rows[0].ordinal, .n = (uint16_t)n }, out,
        size);
    column->n = 0;
}

static struct build_column *column_of(struct weft_builder *b, struct build_track *track,
                                      uint32_t field)
{
    enum { FEW = 16 }; /* columns to search linearly; nearly all tracks have fewer */
    for (size_t i = 0; i < track->n_columns && i < FEW; i++)
        if (track->columns[i].field == field)
            return &track->columns[i];
    uint32_t at = weft_id_map_get(&track->far_columns, field);
    if (at != WEFT_MAP_NONE)
        return &track->columns[at];
    WEFT_REQUIRE(field < b->n_fields, "field %u", field);
    track->columns = weft_grow(track->columns, &track->column_capacity,
                               track->n_columns + 1, sizeof *track->columns);
    if (track->n_columns >= FEW)
        weft_id_map_put(&track->far_columns, field, (uint32_t)track->n_columns);
    struct build_column *column = &track->columns[track->n_columns++];
    *column = (struct build_column){ .field = field,
                                     .real = b->fields[field].kind == WEFT_FIELD_REAL,
                                     .late = weft_build_is_late(b, field) };
    return column;
}

static void append_row(struct weft_builder *b, struct build_track *track,
                       struct build_column *column, uint64_t ordinal, int64_t bits)
{
    if (column->n && column->rows[column->n - 1].ordinal == ordinal) {
        column->rows[column->n - 1].value = bits;
        return;
    }
    if (column->n == WEFT_BLOCK_ROWS)
        flush_column(b, track, column);
    if (column->n == column->capacity) {
        column->capacity =
            column->capacity ? (uint16_t)(column->capacity * 4) : FIRST_FIELD_ROOM;
        column->rows = weft_realloc(column->rows, column->capacity * sizeof *column->rows);
    }
    column->rows[column->n++] = (struct build_cell){ ordinal, bits };
}

void weft_build_column_row(struct weft_builder *b, struct build_track *track,
                           uint32_t field, uint64_t ordinal, int64_t bits)
{
    append_row(b, track, column_of(b, track, field), ordinal, bits);
}

void weft_build_fields(struct weft_builder *b, struct build_track *track, uint64_t ordinal,
                       const struct weft_field_value *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct build_column *column = column_of(b, track, fields[i].field);
        int64_t bits = weft_build_field_bits(b, &fields[i]);
        if (column->late)
            weft_build_late_value(b, (uint32_t)(track - b->tracks), column, ordinal, bits);
        else
            append_row(b, track, column, ordinal, bits);
    }
}

void weft_build_flush_columns(struct weft_builder *b, struct build_track *track)
{
    for (size_t i = 0; i < track->n_columns; i++)
        flush_column(b, track, &track->columns[i]);
}
