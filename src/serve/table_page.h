/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of a table in some order: of all rows that a view makes, those from the OFFSET-th
 * on, LIMIT of them, by the values of a column.  It keeps only rows that may be on the page
 * or before it, so memory does not grow with the table; time does: n log(offset + limit).
 */
#ifndef WEFT_SERVE_TABLE_PAGE_H
#define WEFT_SERVE_TABLE_PAGE_H

#include <stdio.h>

#include "base/job.h"
#include "base/json.h"
#include "view/table.h"

struct table_page_order {
    const char *column; /* a name of the table; NULL: the order in which rows come */
    bool falling;       /* largest first; what is empty is last either way */
    size_t offset, limit;
};

struct table_page {
    struct weft_table table; /* first: give it to the view */
    struct table_page_order order;
    struct weft_job *job; /* no more rows are taken when it is cancelled; or NULL */
    char **names;
    size_t n_columns, column; /* column: n_columns when there is none of that name */
    /* A heap whose first row is the last in order, or, without a column, the rows as they
       came. */
    struct page_row **rows;
    size_t n, capacity, bytes;
    uint64_t n_all; /* rows that came */
    bool stopped;   /* not all were asked for: there are more than n_all */
    bool too_long;  /* the rows of this page take more bytes than an answer may have */
};

/* ORDER is borrowed for as long as the page. */
void table_page_begin(struct table_page *page, const struct table_page_order *order,
                      struct weft_job *job);
/*
 * The rows whose place is on the page, in order, by OUT on STREAM.  Errors: WEFT_ERR_USAGE
 * when they are too long, of which OUT may make six times as much; WEFT_ERR_CANCELLED.
 */
bool table_page_write(struct table_page *page, struct weft_table *out, FILE *stream,
                      struct weft_err *err) WEFT_MUST_CHECK;
void table_page_end(struct table_page *page);

#endif
