/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of a sorted table: of all rows of a view's table, in the order of a column's
 * values, `limit` rows from number `offset` on.  It keeps only rows that may be on the page
 * or before it, so memory does not grow with the table; time does: n log(offset + limit).
 */
#ifndef WEFT_SERVE_TABLE_PAGE_H
#define WEFT_SERVE_TABLE_PAGE_H

#include <stdio.h>

#include "base/json_writer.h"
#include "base/progress_and_cancel.h"
#include "view/table.h"

/* The order of a table, and the part of it that is a page. */
struct table_page_order {
    const char *column; /* by whose values; NULL or not in the table: as the rows come */
    /* largest first; rising: numbers, then texts, with digits in texts as numbers.  Empty
       cells are last either way, and equal rows stay as they come */
    bool falling;
    size_t offset, limit; /* rows before the page, in that order; most rows on it */
};

/* A page of a sorted table; table_page_begin() sets it, table_page_end() frees it. */
struct table_page {
    struct weft_table table; /* first: give it to the view */
    struct table_page_order order;
    struct weft_job *job; /* when it is cancelled, the page takes no more rows; or NULL */
    char **names;         /* [n_columns], of the view's table */
    /* column: index of order.column in names; n_columns: none, rows as they come */
    size_t n_columns, column;
    /*
     * With a column a heap of the rows of this page and before it, whose first is the last
     * in order; without one the rows of this page as they came.
     */
    struct page_row **rows;
    size_t n, capacity, bytes; /* rows; room for rows; bytes of the rows */
    uint64_t n_all;            /* rows that came, on the page or not */
    /* no more rows were taken, since `too_long`, or, unsorted, the page is full and
       1,000,000 have come: n_all may be less than the table's rows */
    bool stopped;
    bool too_long; /* `rows` take more bytes than an answer may have */
};

/*
 * Sets *PAGE to an empty page; give &page->table to the view, which writes its rows there.
 * *ORDER is copied, but its column's name is borrowed for as long as the page.  JOB may be
 * NULL.
 */
void table_page_begin(struct table_page *page, const struct table_page_order *order,
                      struct weft_job *job);
/*
 * Writes the rows of the page, in order, by OUT, a table that writes to STREAM; once,
 * after the view has written its table.  Integers of a column "id" become texts, since
 * JavaScript's numbers hold 53 bits.  Returns false with WEFT_ERR_USAGE if the rows have
 * more than LIMIT_ANSWER bytes, in memory or as OUT writes them, or with
 * WEFT_ERR_CANCELLED; then a part may be written.
 */
bool table_page_write(struct table_page *page, struct weft_table *out, FILE *stream,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the rows and names that PAGE keeps, not PAGE itself. */
void table_page_end(struct table_page *page);

#endif
