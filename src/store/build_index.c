/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes: rows (key, entity) are gathered in runs in order of entity, each run is sorted by
 * key, and the runs are merged.  A run has so many rows that sorting it takes 16 MiB; rows
 * beyond some megabytes wait in a temporary file.
 */
#include <stdlib.h>

#include "base/parallel.h"
#include "store/column.h"
#include "store/row_blocks.h"
#include "store/sort.h"
#include "store/spill.h"

enum { RUN = 1 << 19 }; /* rows of a run */

struct gather {
    struct weft_spill rows; /* struct weft_sort_item: key, id */
    const char *folder;
    uint32_t track;
    uint64_t count;
};

static void add_row(struct gather *gather, int64_t key, uint64_t ordinal)
{
    struct weft_sort_item row = { weft_sortable(key),
                                  weft_entity_id(gather->track, ordinal) };
    weft_spill_append(&gather->rows, gather->folder, &row, sizeof row);
    gather->count++;
}

static bool add_run(void *user, const struct weft_field_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        add_row(user, run->values[i], run->ordinals[i]);
    return true;
}

/* TRACK_COLUMN: the column of the tracks at one end; their ordinals are the next. */
static void gather_ends(const struct weft_trace *trace, enum weft_link_column track_column,
                        struct gather *gather)
{
    int64_t(*columns)[WEFT_BLOCK_ROWS] = weft_alloc(WEFT_LINK_COLUMNS * sizeof *columns);
    const struct weft_file_track *track = &trace->tracks[gather->track];
    for (uint64_t b = 0; b < track->n_blocks; b++) {
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
    }
    free(columns);
}

struct runs {
    struct weft_sort_item *rows;
    uint64_t count;
    struct run_head {
        uint64_t at, end;
    } * heap; /* by the row at AT; the heap's top comes next */
    size_t n;
};

static void sort_run(void *user, size_t i)
{
    const struct runs *runs = user;
    uint64_t first = (uint64_t)i * RUN;
    weft_sort(runs->rows + first, runs->count - first < RUN ? runs->count - first : RUN);
}

/* Of rows with one key that of the earlier run: its entity is lower. */
static bool comes_before(const struct runs *runs, size_t a, size_t b)
{
    uint64_t left = runs->rows[runs->heap[a].at].key;
    uint64_t right = runs->rows[runs->heap[b].at].key;
    return left != right ? left < right : runs->heap[a].at < runs->heap[b].at;
}

static void sink(struct runs *runs, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < runs->n; child++)
            if (comes_before(runs, child, least))
                least = child;
        if (least == i)
            return;
        struct run_head swap = runs->heap[i];
        runs->heap[i] = runs->heap[least];
        runs->heap[least] = swap;
        i = least;
    }
}

static void begin_merge(struct runs *runs)
{
    runs->n = (size_t)((runs->count + RUN - 1) / RUN);
    weft_parallel(runs->n, 1, sort_run, runs);
    runs->heap = weft_alloc((runs->n + 1) * sizeof *runs->heap);
    for (size_t i = 0; i < runs->n; i++) {
        uint64_t end = (uint64_t)(i + 1) * RUN;
        runs->heap[i] =
            (struct run_head){ (uint64_t)i * RUN, end < runs->count ? end : runs->count };
    }
    for (size_t i = runs->n; i-- > 0;)
        sink(runs, i);
}

static struct weft_sort_item next_row(struct runs *runs)
{
    struct weft_sort_item row = runs->rows[runs->heap[0].at];
    if (++runs->heap[0].at == runs->heap[0].end)
        runs->heap[0] = runs->heap[--runs->n];
    sink(runs, 0);
    return row;
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

/* Sort what was gathered and write it as an index. */
static bool write_index(struct gather *gather, enum weft_index_kind kind, uint32_t field,
                        struct weft_row_blocks *out, struct weft_row_tables *tables,
                        struct weft_err *err)
{
    uint64_t size;
    struct runs runs = { .rows = weft_spill_read(&gather->rows, &size, err),
                         .count = gather->count };
    if (!runs.rows)
        return false;
    struct weft_file_index index = { kind, field, out->n, 0, gather->count };
    begin_merge(&runs);
    struct weft_sort_item rows[WEFT_BLOCK_ROWS];
    size_t n = 0;
    while (runs.n) {
        rows[n++] = next_row(&runs);
        if (n == WEFT_BLOCK_ROWS || !runs.n) {
            weft_index_block_add(out, rows, n);
            n = 0;
        }
    }
    free(runs.heap);
    index.n_blocks = out->n - index.first_block;
    tables->indexes = weft_grow(tables->indexes, &tables->index_capacity,
                                tables->n_indexes + 1, sizeof *tables->indexes);
    tables->indexes[tables->n_indexes++] = index;
    return true;
}

static bool build_index(const struct weft_trace *trace, const char *folder,
                        enum weft_index_kind kind, uint32_t field,
                        struct weft_row_blocks *out, struct weft_row_tables *tables,
                        struct weft_err *err)
{
    struct gather gather = { .folder = folder };
    weft_spill_init(&gather.rows);
    for (uint32_t t = 0; t < trace->schema.n_tracks; t++) {
        gather.track = t;
        uint32_t type = trace->tracks[t].type;
        if (kind == WEFT_INDEX_FIELD) {
            if (trace->schema.fields[field].type == type)
                weft_trace_column(&trace->source, t, field, add_run, &gather);
        } else if (trace->schema.types[type].kind == WEFT_LINK) {
            gather_ends(trace,
                        kind == WEFT_INDEX_LINKS_FROM ? WEFT_LINK_FROM_TRACK
                                                      : WEFT_LINK_TO_TRACK,
                        &gather);
        }
    }
    bool ok = write_index(&gather, kind, field, out, tables, err);
    weft_spill_free(&gather.rows);
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
                || !build_index(trace, folder, WEFT_INDEX_FIELD, f, out, tables, err)))
            return false;
    for (int kind = WEFT_INDEX_LINKS_FROM; schema->n_links && kind <= WEFT_INDEX_LINKS_TO;
         kind++)
        if (!weft_job_step(job, schema->n_fields, schema->n_fields, err)
            || !build_index(trace, folder, (enum weft_index_kind)kind, WEFT_NONE, out,
                            tables, err))
            return false;
    return true;
}
