/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes: rows (key, entity) are gathered in order of entity and sorted by key. */
#include <stdlib.h>

#include "store/build/sort_runs.h"
#include "store/column.h"
#include "store/write_row_blocks.h"

enum { STEP = 256 }; /* blocks between two looks at the job */

struct gather {
    struct weft_sort_runs rows; /* key, id */
    uint32_t track;
};

static void add_row(struct gather *gather, int64_t key, uint64_t ordinal)
{
    weft_sort_runs_add(&gather->rows, weft_sortable(key),
                       weft_entity_id(gather->track, ordinal));
}

static bool add_run(void *user, const struct weft_field_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        add_row(user, run->values[i], run->ordinals[i]);
    return true;
}

/* TRACK_COLUMN: the column of the tracks at one end; the next column has their ordinals. */
static bool gather_ends(const struct weft_trace *trace, enum weft_link_column track_column,
                        struct gather *gather, struct weft_job *job, struct weft_err *err)
{
    int64_t(*columns)[WEFT_BLOCK_ROWS] = weft_alloc(WEFT_LINK_COLUMNS * sizeof *columns);
    const struct weft_file_track *track = &trace->tracks[gather->track];
    bool ok = true;
    for (uint64_t b = 0; b < track->n_blocks && ok; b++) {
        const struct weft_file_block *block = &trace->directory[track->first_block + b];
        size_t n = weft_rows_columns(trace, block, columns, UINT32_C(3) << track_column);
        for (size_t i = 0; i < n; i++) {
            int64_t of = columns[track_column][i];
            if (of < 0)
                continue;
            uint64_t ordinal = (uint64_t)columns[track_column + 1][i];
            add_row(gather, (int64_t)weft_entity_id((uint32_t)of, ordinal),
                    block->ordinal + i);
        }
        ok = b % STEP || weft_job_step(job, b, track->n_blocks, err);
    }
    free(columns);
    return ok;
}

static unsigned width_of(const int64_t *values, size_t n)
{
    int64_t low = values[0], high = values[0];
    for (size_t i = 1; i < n; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return weft_width_of((uint64_t)high - (uint64_t)low);
}

void weft_index_block_add(struct weft_row_blocks *out, const struct weft_sort_item *rows,
                          size_t n)
{
    int64_t columns[WEFT_INDEX_COLUMNS][WEFT_BLOCK_ROWS], steps[WEFT_BLOCK_ROWS];
    for (size_t i = 0; i < n; i++) {
        uint64_t ordinal = weft_entity_ordinal(rows[i].payload);
        columns[WEFT_INDEX_KEY][i] = i ? (int64_t)(rows[i].key - rows[i - 1].key) : 0;
        columns[WEFT_INDEX_TRACK][i] = weft_entity_track(rows[i].payload);
        columns[WEFT_INDEX_ORDINAL][i] = (int64_t)ordinal;
        steps[i] = i ? (int64_t)(ordinal - weft_entity_ordinal(rows[i - 1].payload)) : 0;
    }
    uint32_t form = 0;
    if (width_of(steps, n) < width_of(columns[WEFT_INDEX_ORDINAL], n)) {
        memcpy(columns[WEFT_INDEX_ORDINAL], steps, n * sizeof *steps);
        form = WEFT_ORDINALS_ARE_STEPS;
    }
    struct weft_file_block entry = { .time = (int64_t)weft_sortable((int64_t)rows[0].key),
                                     .ordinal = weft_entity_ordinal(rows[0].payload) };
    weft_row_blocks_add(out, entry, columns, WEFT_INDEX_COLUMNS, n, form);
}

/* Sorts the gathered rows and writes them as an index. */
static bool write_index(struct gather *gather, enum weft_index_kind kind, uint32_t field,
                        struct weft_row_blocks *out, struct weft_row_tables *tables,
                        struct weft_job *job, struct weft_err *err)
{
    gather->rows.job = job;
    if (!weft_sort_runs_merge(&gather->rows, err))
        return false;
    struct weft_file_index index = { kind, field, out->n, 0, gather->rows.count };
    struct weft_sort_item rows[WEFT_BLOCK_ROWS];
    size_t n = 0;
    while (weft_sort_runs_next(&gather->rows, &rows[n])) {
        if (++n < WEFT_BLOCK_ROWS)
            continue;
        weft_index_block_add(out, rows, n);
        n = 0;
        if (out->n % STEP == 0
            && !weft_job_step(job, (out->n - index.first_block) * WEFT_BLOCK_ROWS,
                              gather->rows.count, err))
            return false;
    }
    if (n)
        weft_index_block_add(out, rows, n);
    index.n_blocks = out->n - index.first_block;
    tables->indexes = weft_grow(tables->indexes, &tables->index_capacity,
                                tables->n_indexes + 1, sizeof *tables->indexes);
    tables->indexes[tables->n_indexes++] = index;
    return true;
}

static bool build_index(const struct weft_trace *trace, const char *folder,
                        enum weft_index_kind kind, uint32_t field,
                        struct weft_row_blocks *out, struct weft_row_tables *tables,
                        struct weft_job *job, struct weft_err *err)
{
    struct gather gather = { 0 };
    bool ok = true;
    weft_sort_runs_begin(&gather.rows, folder);
    for (uint32_t t = 0; t < trace->schema.n_tracks && ok; t++) {
        gather.track = t;
        uint32_t type = trace->tracks[t].type;
        if (kind == WEFT_INDEX_FIELD) {
            if (trace->schema.fields[field].type == type) {
                weft_trace_column(&trace->source, t, field, add_run, &gather);
                ok = weft_job_step(job, t, trace->schema.n_tracks, err);
            }
        } else if (trace->schema.types[type].kind == WEFT_LINK) {
            ok = gather_ends(trace,
                             kind == WEFT_INDEX_LINKS_FROM ? WEFT_LINK_FROM_TRACK
                                                           : WEFT_LINK_TO_TRACK,
                             &gather, job, err);
        }
    }
    ok = ok && write_index(&gather, kind, field, out, tables, job, err);
    weft_sort_runs_end(&gather.rows);
    return ok;
}

bool weft_indexes_build(const struct weft_trace *trace, const char *folder,
                        struct weft_row_blocks *out, struct weft_row_tables *tables,
                        struct weft_job *job, struct weft_err *err)
{
    const struct weft_schema *schema = &trace->schema;
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].indexed
            && (!weft_job_step(job, f, schema->n_fields, err)
                || !build_index(trace, folder, WEFT_INDEX_FIELD, f, out, tables, job, err)))
            return false;
    for (int kind = WEFT_INDEX_LINKS_FROM; schema->n_links && kind <= WEFT_INDEX_LINKS_TO;
         kind++)
        if (!weft_job_step(job, schema->n_fields, schema->n_fields, err)
            || !build_index(trace, folder, (enum weft_index_kind)kind, WEFT_NONE, out,
                            tables, job, err))
            return false;
    return true;
}
