/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up messages by pair.  Collective operations have messages between all of their
 * processors, so far more may be added than there are pairs.  So the rows of each pair are
 * added up whenever there are twice as many rows as after the last time, and replaced by a
 * matrix once that is not much larger.
 */
#include <stdlib.h>

#include "domains/messages/model/traffic_priv.h"

enum {
    /* rows and columns of a matrix that is made at the beginning: 16 MiB */
    MATRIX_SOON = 1024,
    ROWS_MAX = 1 << 20, /* rows before they are added up for the first time: 24 MiB */
    /*
     * cells of a matrix for each row that it replaces, at most; less than three times the
     * memory
     */
    CELLS_A_ROW = 4
};

/* Appends a row; returns true if the rows of each pair were added up. */
static bool add_row(struct weft_pair_sums *rows, size_t *limit,
                    const struct weft_pair_sum *row)
{
    bool full = *limit && rows->n >= *limit;
    if (full)
        weft_pair_sums_combine(rows);
    if (full || !*limit)
        *limit = rows->n > ROWS_MAX / 2 ? 2 * rows->n : ROWS_MAX;
    rows->rows = weft_grow(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
    rows->rows[rows->n++] = *row;
    return full;
}

void traffic_add_row(struct weft_pair_sums *rows, size_t *limit,
                     const struct weft_pair_sum *row)
{
    (void)add_row(rows, limit, row);
}

int64_t traffic_add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int64_t traffic_minus(int64_t a)
{
    return (int64_t) - (uint64_t)a;
}

static void add_to_cell(struct traffic_sink *sink, uint32_t from, uint32_t to,
                        int64_t messages, int64_t bytes)
{
    struct weft_amount *cell = &sink->matrix[(size_t)from * sink->n + to];
    cell->messages += messages;
    cell->bytes = traffic_add_wrapping(cell->bytes, bytes);
}

static struct weft_amount *new_matrix(const struct traffic_sink *sink)
{
    return weft_zalloc((size_t)sink->n * sink->n + 1, sizeof(struct weft_amount));
}

void traffic_sink_begin(struct traffic_sink *sink, const struct weft_traffic *traffic,
                        const struct weft_traffic_query *query, bool dense)
{
    sink->query = query;
    sink->n = query->group_of ? query->n_groups : traffic->processors->n;
    sink->matrix = dense && sink->n <= MATRIX_SOON ? new_matrix(sink) : NULL;
    sink->limit = 0;
    sink->rows->n = 0;
}

uint32_t traffic_sink_group(const struct traffic_sink *sink, uint32_t processor)
{
    return sink->query->group_of ? sink->query->group_of[processor] : processor;
}

/*
 * A quarter of the pairs have messages: go on with a matrix, where nothing has to be
 * sorted.
 */
static void become_matrix(struct traffic_sink *sink)
{
    struct weft_pair_sums *rows = sink->rows;
    sink->matrix = new_matrix(sink);
    for (size_t i = 0; i < rows->n; i++)
        add_to_cell(sink, rows->rows[i].from, rows->rows[i].to,
                    (int64_t)rows->rows[i].count, rows->rows[i].bytes);
    free(rows->rows);
    *rows = (struct weft_pair_sums){ 0 };
}

void traffic_sink_add(struct traffic_sink *sink, uint32_t from, uint32_t to,
                      int64_t messages, int64_t bytes)
{
    if (!messages)
        return;
    if (sink->matrix) {
        add_to_cell(sink, from, to, messages, bytes);
        return;
    }
    struct weft_pair_sum row = { from, to, (uint64_t)messages, bytes };
    if (add_row(sink->rows, &sink->limit, &row)
        && sink->rows->n >= (uint64_t)sink->n * sink->n / CELLS_A_ROW)
        become_matrix(sink);
}

static void rows_of_matrix(struct traffic_sink *sink)
{
    struct weft_pair_sums *rows = sink->rows;
    size_t n = (size_t)sink->n * sink->n, kept = 0;
    for (size_t i = 0; i < n; i++)
        kept += sink->matrix[i].messages != 0;
    free(rows->rows);
    *rows =
        (struct weft_pair_sums){ weft_alloc((kept + 1) * sizeof *rows->rows), 0, kept + 1 };
    for (size_t i = 0; i < n; i++)
        if (sink->matrix[i].messages)
            rows->rows[rows->n++] =
                (struct weft_pair_sum){ (uint32_t)(i / sink->n), (uint32_t)(i % sink->n),
                                        (uint64_t)sink->matrix[i].messages,
                                        sink->matrix[i].bytes };
    free(sink->matrix);
    sink->matrix = NULL;
}

static bool in_order(const struct weft_pair_sums *sums)
{
    for (size_t i = 1; i < sums->n; i++) {
        const struct weft_pair_sum *a = &sums->rows[i - 1], *b = &sums->rows[i];
        if (a->from > b->from || (a->from == b->from && a->to >= b->to))
            return false;
    }
    return true;
}

void traffic_sink_end(struct traffic_sink *sink)
{
    struct weft_pair_sums *rows = sink->rows;
    if (sink->matrix)
        rows_of_matrix(sink);
    if (!in_order(rows))
        weft_pair_sums_combine(rows);
    size_t kept = 0;
    for (size_t i = 0; i < rows->n; i++) /* subtraction may have left nothing */
        if (rows->rows[i].count)
            rows->rows[kept++] = rows->rows[i];
    rows->n = kept;
}
