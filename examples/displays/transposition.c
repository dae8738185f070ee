/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recursive matrix transposition: which element is where.
 *
 * The program says
 *     tracedata(2, 0, "integer", 2, { order, processors })   first of all
 *     tracedata(2, 1, "integer", 3, { row, column, size })   when it has transposed a block
 *     tracedata(2, 2, "integer", 3, { row, column, size })   when it has exchanged the two
 *                                        quarters of a block that are beside its diagonal
 */
#include <stdio.h>
#include <stdlib.h>
#include <weft/view.h>

enum { TRANSPOSITION = 2, MOST = 1024 }; /* number of the event; order of the matrix */

struct matrix {
    uint32_t order;
    uint32_t *
        held; /* [order][order]: number of the element that is there: row * order + column */
    uint32_t last[3]; /* row, column, size of the last change; size 0: none yet */
};

static void *begin(const struct weft_display_trace *trace)
{
    (void)trace;
    return calloc(1, sizeof(struct matrix));
}

static void end(void *state)
{
    free(((struct matrix *)state)->held);
    free(state);
}

static void start(struct matrix *matrix, double order)
{
    free(matrix->held);
    matrix->order = (uint32_t)order;
    matrix->held = calloc((size_t)matrix->order * matrix->order, sizeof *matrix->held);
    for (uint32_t i = 0; i < matrix->order * matrix->order; i++)
        matrix->held[i] = i;
}

static void exchange(struct matrix *matrix, uint32_t row, uint32_t column, uint32_t row2,
                     uint32_t column2)
{
    uint32_t *a = &matrix->held[row * matrix->order + column],
             *b = &matrix->held[row2 * matrix->order + column2], kept = *a;
    *a = *b;
    *b = kept;
}

static void event(void *state, const struct weft_display_event *event)
{
    struct matrix *matrix = state;
    const double *v = event->values;
    if (event->number != TRANSPOSITION)
        return;
    if (event->data == 0 && event->n_values && v[0] >= 1 && v[0] <= MOST)
        start(matrix, v[0]);
    if (event->data < 1 || event->n_values != 3 || v[0] < 0 || v[1] < 0 || v[2] < 1
        || v[0] + v[2] > matrix->order || v[1] + v[2] > matrix->order)
        return;
    uint32_t row = (uint32_t)v[0], column = (uint32_t)v[1], size = (uint32_t)v[2];
    uint32_t half = size / 2;
    for (uint32_t i = 0; event->data == 1 && i < size; i++)
        for (uint32_t j = 0; j < i; j++)
            exchange(matrix, row + i, column + j, row + j, column + i);
    for (uint32_t i = 0; event->data == 2 && i < half; i++)
        for (uint32_t j = 0; j < half; j++)
            exchange(matrix, row + half + i, column + j, row + i, column + half + j);
    matrix->last[0] = row;
    matrix->last[1] = column;
    matrix->last[2] = size;
}

static void draw(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet)
{
    const struct matrix *matrix = state;
    uint32_t n = matrix->order, done = 0;
    double cell =
        (sheet->width < sheet->height ? sheet->width : sheet->height) / (n ? n : 1);
    double left = (sheet->width - cell * n) / 2;
    char text[80];
    (void)now;
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t row = matrix->held[i] / n, column = matrix->held[i] % n;
        int there = row == i % n && column == i / n;
        done += there;
        sheet->rectangle(sheet, left + i % n * cell, i / n * cell, cell, cell,
                         WEFT_INK_AMOUNT(n > 1 ? (double)row / (n - 1) : 0),
                         there ? WEFT_INK_TEXT : WEFT_INK_NONE);
        snprintf(text, sizeof text, "row %u, column %u holds element (%u, %u)", i / n,
                 i % n, row, column);
        sheet->title(sheet, text);
    }
    if (matrix->last[2])
        sheet->rectangle(sheet, left + matrix->last[1] * cell, matrix->last[0] * cell,
                         matrix->last[2] * cell, matrix->last[2] * cell, WEFT_INK_NONE,
                         WEFT_INK_ACCENT);
    snprintf(text, sizeof text, "%u of %u elements are where they belong", done, n * n);
    sheet->subtitle(sheet, n ? text : "no program has said its order yet");
}

static void table(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table)
{
    const struct matrix *matrix = state;
    uint32_t n = matrix->order;
    (void)now;
    for (uint32_t i = 0; i < n * n; i++) {
        const struct weft_display_cell cells[] = { { NULL, i / n },
                                                   { NULL, i % n },
                                                   { NULL, matrix->held[i] / n },
                                                   { NULL, matrix->held[i] % n } };
        table->row(table, cells);
    }
}

static const char *const columns[] = { "row", "column", "element_row", "element_column" };

static const struct weft_display transposition = {
    .version = WEFT_DISPLAY_VERSION,
    .name = "transposition",
    .title = "Matrix transposition",
    .explanation = "Each square is a place of the matrix; its shade is the row that its "
                   "element had at first, an outline: it is where it belongs.",
    .takes = 1u << WEFT_DISPLAY_INSTANT,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .event = event,
    .draw = draw,
    .table = table,
    .end = end,
};

WEFT_DISPLAYS(&transposition);
