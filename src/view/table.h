/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: the numbers behind every picture, streamed row by row so that 10^8 rows need no
 * memory.  The writers (CSV, JSON, aligned text) implement struct weft_table.
 */
#ifndef WEFT_VIEW_TABLE_H
#define WEFT_VIEW_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* The kind of a cell's value, which selects the member of struct weft_cell. */
enum weft_cell_kind { WEFT_CELL_EMPTY, WEFT_CELL_TEXT, WEFT_CELL_INTEGER, WEFT_CELL_REAL };

/* A cell of a row of a table.  A REAL that is not finite is written like EMPTY. */
struct weft_cell {
    enum weft_cell_kind kind;
    /*
     * REAL: digits after the point; -1: as many as needed to read the same double back
     * (aligned text: about four).
     */
    int decimals;
    /* true: two compared traces differ in this cell; the writers here do not show it */
    bool differs;
    union {
        const char *text; /* borrowed during the call */
        int64_t integer;
        double real;
    };
};

/* Returns a cell with TEXT, which is not NULL and not copied. */
static inline struct weft_cell weft_text_cell(const char *text)
{
    return (struct weft_cell){ .kind = WEFT_CELL_TEXT, .text = text };
}
/* Returns a cell with an integer. */
static inline struct weft_cell weft_integer_cell(int64_t integer)
{
    return (struct weft_cell){ .kind = WEFT_CELL_INTEGER, .integer = integer };
}
/*
 * Returns a cell with a real; DECIMALS: digits after the point, or -1 (struct weft_cell).
 */
static inline struct weft_cell weft_real_cell(double real, int decimals)
{
    return (struct weft_cell){ .kind = WEFT_CELL_REAL, .decimals = decimals, .real = real };
}

/* A receiver of a table: begin once, then row for each row, then end. */
struct weft_table {
    /*
     * Takes the columns' names, lower case, with the unit at the end (total_ns, share_pct);
     * they are borrowed during the call.
     */
    void (*begin)(struct weft_table *table, const char *const *names, size_t n_columns);
    /*
     * Takes the n_columns cells of one row, borrowed during the call; returns false if no
     * more rows are wanted: the caller then goes on with end.
     */
    bool (*row)(struct weft_table *table, const struct weft_cell *cells);
    /* Ends the table after its last row; called once. */
    void (*end)(struct weft_table *table);
    /* Frees a table of a function below; other tables leave it NULL. */
    void (*free)(struct weft_table *table);
};

/* The columns of a table that aligned text has. */
struct weft_text_columns {
    size_t most; /* columns, at least 1; 0: all */
    /* [n_seldom] names of columns that are left out before others; borrowed */
    const char *const *seldom;
    size_t n_seldom;
};

/* Calls table->begin with two columns, "name" and "value"; each row is then one fact. */
void weft_table_begin_facts(struct weft_table *table);

/*
 * Returns a writer of CSV (quotes of RFC 4180, lines end in LF) on STREAM, which stays open
 * and keeps errors of writing (ferror()).  The caller frees it by weft_table_free().
 */
struct weft_table *weft_table_csv(FILE *stream);
/*
 * Returns a writer of JSON, an array with an object for each row, on STREAM, which stays
 * open and keeps errors of writing (ferror()).  The caller frees it by weft_table_free().
 */
struct weft_table *weft_table_json(FILE *stream);
/*
 * Returns a writer of text in aligned columns on STREAM, which keeps all rows until the
 * table's end.  Times in ns become ms, also in the column's name.  If there are more than
 * COLUMNS.most columns, those without any value but 0 are left out, then those of
 * COLUMNS.seldom, then times that are least in all, then the last ones; a last line names
 * them.  STREAM stays open and keeps
 * errors of writing (ferror()).  The caller frees the writer by weft_table_free().
 */
struct weft_table *weft_table_text(FILE *stream, struct weft_text_columns columns);
/*
 * Frees TABLE, which weft_table_csv(), _json() or _text() returned; not its stream.  NULL
 * is allowed.
 */
void weft_table_free(struct weft_table *table);

#endif
