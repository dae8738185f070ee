/* SPDX-License-Identifier: Apache-2.0 */
#include "view/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory.h"

enum { CELL_TEXT = 64 }; /* bytes: the longest number, with room to spare */

struct writer {
    struct weft_table table;
    FILE *stream;
    struct weft_json json;
    char **names;
    size_t n_columns;
};

void weft_table_begin_facts(struct weft_table *table)
{
    static const char *const names[] = { "name", "value" };
    table->begin(table, names, sizeof names / sizeof *names);
}

static void keep_names(struct writer *writer, const char *const *names, size_t n)
{
    writer->names = weft_zalloc(n, sizeof *writer->names);
    for (size_t i = 0; i < n; i++)
        writer->names[i] = weft_strdup(names[i]);
    writer->n_columns = n;
}

static const char *number_text(const struct weft_cell *cell, char text[CELL_TEXT])
{
    if (cell->kind == WEFT_CELL_INTEGER)
        snprintf(text, CELL_TEXT, "%" PRId64, cell->integer);
    else if (cell->decimals >= 0)
        snprintf(text, CELL_TEXT, "%.*f", cell->decimals, cell->real);
    else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, CELL_TEXT, "%.*g", digits, cell->real);
            if (strtod(text, NULL) == cell->real)
                break;
        }
    }
    return text;
}

static bool is_number(const struct weft_cell *cell)
{
    return cell->kind == WEFT_CELL_INTEGER
           || (cell->kind == WEFT_CELL_REAL && isfinite(cell->real));
}

/* ---- CSV (RFC 4180) ---- */

static void csv_text(FILE *stream, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void csv_begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct writer *writer = (struct writer *)table;
    writer->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc(',', writer->stream);
        csv_text(writer->stream, names[i]);
    }
    fputc('\n', writer->stream);
}

static bool csv_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct writer *writer = (struct writer *)table;
    char text[CELL_TEXT];
    for (size_t i = 0; i < writer->n_columns; i++) {
        if (i)
            fputc(',', writer->stream);
        if (cells[i].kind == WEFT_CELL_TEXT)
            csv_text(writer->stream, cells[i].text);
        else if (is_number(&cells[i]))
            fputs(number_text(&cells[i], text), writer->stream);
    }
    fputc('\n', writer->stream);
    return !ferror(writer->stream);
}

static void nothing(struct weft_table *table)
{
    (void)table;
}

/* ---- JSON ---- */

static void json_begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct writer *writer = (struct writer *)table;
    keep_names(writer, names, n);
    weft_json_begin(&writer->json, writer->stream);
    writer->json.spaced = true;
    weft_json_array(&writer->json, NULL);
}

static void json_cell(struct weft_json *json, const char *name,
                      const struct weft_cell *cell)
{
    switch (cell->kind) {
    case WEFT_CELL_EMPTY: weft_json_null(json, name); break;
    case WEFT_CELL_TEXT: weft_json_text(json, name, cell->text); break;
    case WEFT_CELL_INTEGER: weft_json_integer(json, name, cell->integer); break;
    case WEFT_CELL_REAL:
        if (cell->decimals >= 0)
            weft_json_fixed(json, name, cell->real, cell->decimals);
        else
            weft_json_real(json, name, cell->real);
    }
}

static bool json_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct writer *writer = (struct writer *)table;
    struct weft_json *json = &writer->json;
    weft_json_line(json, 1);
    weft_json_object(json, NULL);
    for (size_t i = 0; i < writer->n_columns; i++)
        json_cell(json, writer->names[i], &cells[i]);
    weft_json_close(json);
    return !ferror(writer->stream);
}

static void json_end(struct weft_table *table)
{
    struct writer *writer = (struct writer *)table;
    if (writer->json.any)
        weft_json_line(&writer->json, 0);
    weft_json_close(&writer->json);
    weft_json_end(&writer->json);
}

static void free_writer(struct weft_table *table)
{
    struct writer *writer = (struct writer *)table;
    for (size_t i = 0; writer->names && i < writer->n_columns; i++)
        free(writer->names[i]);
    free(writer->names);
    free(writer);
}

static struct weft_table *new_writer(FILE *stream, struct weft_table table)
{
    struct writer *writer = weft_zalloc(1, sizeof *writer);
    writer->table = table;
    writer->stream = stream;
    return &writer->table;
}

struct weft_table *weft_table_csv(FILE *stream)
{
    return new_writer(stream,
                      (struct weft_table){ csv_begin, csv_row, nothing, free_writer });
}

struct weft_table *weft_table_json(FILE *stream)
{
    return new_writer(stream,
                      (struct weft_table){ json_begin, json_row, json_end, free_writer });
}

void weft_table_free(struct weft_table *table)
{
    if (table)
        table->free(table);
}
