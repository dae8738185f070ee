/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late fields: values that become known when other entities of their track have begun, as a
 * task's work at its end.  Columns are in order of entities, so late values are collected,
 * beyond some megabytes on disk, and sorted into their columns at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "store/build/builder_priv.h"

/* Late columns are numbered; such a number and an ordinal form one sorting key. */
enum { ORDINAL_BITS = 40, MAX_COLUMNS = 1 << 24 };

void weft_builder_late_field(struct weft_builder *b, uint32_t field)
{
    WEFT_REQUIRE(field < b->n_fields, "field %u", field);
    size_t old = b->late.capacity;
    b->late.fields = weft_grow(b->late.fields, &b->late.capacity, field + 1, 1);
    memset(b->late.fields + old, 0, b->late.capacity - old);
    b->late.fields[field] = 1;
}

bool weft_build_is_late(const struct weft_builder *b, uint32_t field)
{
    return field < b->late.capacity && b->late.fields[field];
}

void weft_build_late_value(struct weft_builder *b, uint32_t track,
                           struct build_column *column, uint64_t ordinal, int64_t bits)
{
    WEFT_REQUIRE(!b->blocks_wait, "a late value while several threads append");
    if (!column->late_number) {
        WEFT_REQUIRE(b->late.n_columns < MAX_COLUMNS - 1, "too many late columns");
        b->late.columns = weft_grow(b->late.columns, &b->late.column_capacity,
                                    b->late.n_columns + 1, sizeof *b->late.columns);
        b->late.columns[b->late.n_columns++] =
            (struct build_late_column){ track, column->field };
        column->late_number = (uint32_t)b->late.n_columns;
    }
    weft_sort_runs_add(&b->late.rows,
                       (uint64_t)(column->late_number - 1) << ORDINAL_BITS | ordinal,
                       (uint64_t)bits);
}

void weft_builder_field_later(struct weft_builder *b, uint64_t id,
                              const struct weft_field_value *value)
{
    uint32_t track = weft_entity_track(id);
    WEFT_REQUIRE(track < b->n_tracks && weft_build_is_late(b, value->field),
                 "field %u of track %u does not come later", value->field, track);
    weft_build_fields(b, &b->tracks[track], weft_entity_ordinal(id), value, 1);
}

void weft_builder_field_now(struct weft_builder *b, uint64_t id,
                            const struct weft_field_value *value)
{
    uint32_t track = weft_entity_track(id);
    WEFT_REQUIRE(track < b->n_tracks && !weft_build_is_late(b, value->field)
                     && weft_entity_ordinal(id) + 1 == b->tracks[track].count,
                 "field %u of what is not the latest of track %u", value->field, track);
    weft_build_fields(b, &b->tracks[track], weft_entity_ordinal(id), value, 1);
}

bool weft_build_late_rows(struct weft_builder *b, struct weft_job *job,
                          struct weft_err *err)
{
    enum { STEP = 1 << 14 }; /* rows between two looks at the job */
    struct weft_sort_item item;
    b->late.rows.job = job;
    if (!weft_sort_runs_merge(&b->late.rows, err))
        return false;
    for (uint64_t i = 0; weft_sort_runs_next(&b->late.rows, &item); i++) {
        if (i % STEP == 0 && !weft_job_step(job, i, b->late.rows.count, err))
            return false;
        const struct build_late_column *of = &b->late.columns[item.key >> ORDINAL_BITS];
        weft_build_column_row(b, &b->tracks[of->track], of->field,
                              item.key & ((UINT64_C(1) << ORDINAL_BITS) - 1),
                              (int64_t)item.payload);
    }
    return true;
}

void weft_build_late_free(struct weft_builder *b)
{
    weft_sort_runs_end(&b->late.rows);
    free(b->late.fields);
    free(b->late.columns);
}
