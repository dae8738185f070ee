/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any computation with a matrix: which elements were read and written, how often, and by
 * whom.
 *
 * The program says
 *     tracedata(3, 0, "integer", 2, { rows, columns })                 first of all
 *     tracedata(3, 1, "integer", 4, { row, column, rows, columns })    it read that block
 *     tracedata(3, 2, "integer", 4, { row, column, rows, columns })    it wrote that block
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/view.h>

enum { MATRIX = 3, MOST = 1024 }; /* number of the event; rows and columns */

struct element {
    uint32_t reads, writes;
    int32_t by; /* processor that wrote it last; -1: none */
};

struct matrix {
    const struct weft_display_trace *trace;
    uint32_t rows, columns;
    struct element *elements; /* [rows][columns] */
    uint32_t last[2][4]; /* the last read, the last write: row, column, rows, columns */
};

static void *begin(const struct weft_display_trace *trace)
{
    struct matrix *matrix = calloc(1, sizeof *matrix);
    matrix->trace = trace;
    return matrix;
}

static void end(void *state)
{
    free(((struct matrix *)state)->elements);
    free(state);
}

static void start(struct matrix *matrix, const double *v)
{
    free(matrix->elements);
    matrix->rows = (uint32_t)v[0];
    matrix->columns = (uint32_t)v[1];
    matrix->elements =
        calloc((size_t)matrix->rows * matrix->columns, sizeof *matrix->elements);
    for (uint32_t i = 0; i < matrix->rows * matrix->columns; i++)
        matrix->elements[i].by = -1;
}

static void touch(struct matrix *matrix, const uint32_t *block, int writes, int32_t by)
{
    for (uint32_t i = block[0]; i < block[0] + block[2]; i++)
        for (uint32_t j = block[1]; j < block[1] + block[3]; j++) {
            struct element *element = &matrix->elements[i * matrix->columns + j];
            element->reads += !writes;
            element->writes += writes;
            element->by = writes ? by : element->by;
        }
    memcpy(matrix->last[writes], block, sizeof matrix->last[0]);
}

static void event(void *state, const struct weft_display_event *event)
{
    struct matrix *matrix = state;
    const double *v = event->values;
    uint32_t block[4];
    if (event->number != MATRIX)
        return;
    if (event->data == 0 && event->n_values == 2 && v[0] >= 1 && v[0] <= MOST && v[1] >= 1
        && v[1] <= MOST)
        start(matrix, v);
    if ((event->data != 1 && event->data != 2) || event->n_values != 4)
        return;
    for (int i = 0; i < 4; i++) {
        if (!(v[i] >= 0 && v[i] <= MOST))
            return;
        block[i] = (uint32_t)v[i];
    }
    if (block[0] + block[2] <= matrix->rows && block[1] + block[3] <= matrix->columns)
        touch(matrix, block, event->data == 2, matrix->trace->rows[event->row].number);
}

/* The colour of an element, by the setting: how often, or by whom. */
static weft_display_ink ink_of(const struct element *element, const char *shows,
                               uint32_t most)
{
    if (strcmp(shows, "writer") == 0)
        return element->by < 0 ? WEFT_INK_GRID : WEFT_INK_NUMBER(element->by);
    uint32_t n = strcmp(shows, "reads") == 0 ? element->reads : element->writes;
    return WEFT_INK_AMOUNT(most ? (double)n / most : 0);
}

static void outline(const struct matrix *matrix, const struct weft_sheet *sheet,
                    double left, double cell, int writes)
{
    const uint32_t *block = matrix->last[writes];
    if (block[2])
        sheet->rectangle(sheet, left + block[1] * cell, block[0] * cell, block[3] * cell,
                         block[2] * cell, WEFT_INK_NONE,
                         writes ? WEFT_INK_ACCENT : WEFT_INK_TEXT);
}

static void draw(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet)
{
    const struct matrix *matrix = state;
    const char *shows = now->settings[0];
    uint32_t n = matrix->rows * matrix->columns, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct element *element = &matrix->elements[i];
        uint32_t count = strcmp(shows, "reads") == 0 ? element->reads : element->writes;
        most = count > most ? count : most;
    }
    double wide = matrix->columns ? sheet->width / matrix->columns : 1;
    double tall = matrix->rows ? sheet->height / matrix->rows : 1;
    double cell = wide < tall ? wide : tall;
    double left = (sheet->width - cell * matrix->columns) / 2;
    char text[120];
    for (uint32_t i = 0; i < n; i++) {
        const struct element *element = &matrix->elements[i];
        sheet->rectangle(sheet, left + i % matrix->columns * cell,
                         i / matrix->columns * cell, cell - 0.5, cell - 0.5,
                         ink_of(element, shows, most), WEFT_INK_NONE);
        snprintf(text, sizeof text, "row %u, column %u: %u reads, %u writes, last by %d",
                 i / matrix->columns, i % matrix->columns, element->reads, element->writes,
                 element->by);
        sheet->title(sheet, text);
        sheet->sets(sheet, "shows", strcmp(shows, "writes") == 0 ? "writer" : "writes");
    }
    outline(matrix, sheet, left, cell, 0);
    outline(matrix, sheet, left, cell, 1);
    snprintf(text, sizeof text,
             "at most %u %s of an element; outlined: the last read, and write", most,
             strcmp(shows, "reads") == 0 ? "reads" : "writes");
    sheet->subtitle(sheet, n ? text : "no program has said its size yet");
}

static void table(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table)
{
    const struct matrix *matrix = state;
    (void)now;
    for (uint32_t i = 0; i < matrix->rows * matrix->columns; i++) {
        const struct element *element = &matrix->elements[i];
        const struct weft_display_cell cells[] = { { NULL, i / matrix->columns },
                                                   { NULL, i % matrix->columns },
                                                   { NULL, element->reads },
                                                   { NULL, element->writes },
                                                   { NULL, element->by } };
        table->row(table, cells);
    }
}

static const char *const columns[] = { "row", "column", "reads", "writes", "processor" };
static const struct weft_display_setting settings[] = {
    { "shows", "writes|reads|writer", 0, 0, "writes", "what the colours are" },
};
static const struct weft_display_key keys[] = {
    { '1', "shows", 1, "show writes, reads or writers" },
};

static const struct weft_display matrix = {
    .version = WEFT_DISPLAY_VERSION,
    .name = "matrix",
    .title = "Matrix",
    .explanation =
        "Each square is an element, darker the more often it was written or read, "
        "or in the colour of the processor that wrote it last.",
    .takes = 1u << WEFT_DISPLAY_INSTANT,
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .keys = keys,
    .n_keys = sizeof keys / sizeof *keys,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .event = event,
    .draw = draw,
    .table = table,
    .end = end,
};

WEFT_DISPLAYS(&matrix);
