/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strverscmp */
#include "serve/table_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "serve/request_limits.h"

/* Rows that an unsorted table counts behind a full page: a second's work. */
enum { MAX_COUNTED = 1000000 };

struct page_row {
    uint64_t number;          /* its place in the table: equal rows stay in this order */
    struct weft_cell cells[]; /* the texts are behind them */
};

/* ---- Order ---- */

/* Returns the rank of a cell's kind.  A real that is no number counts as empty. */
static int kind_rank(const struct weft_cell *cell)
{
    bool empty = cell->kind == WEFT_CELL_EMPTY
                 || (cell->kind == WEFT_CELL_REAL && !isfinite(cell->real));
    return empty ? 2 : cell->kind == WEFT_CELL_TEXT;
}

static double number_of(const struct weft_cell *cell)
{
    return cell->kind == WEFT_CELL_INTEGER ? (double)cell->integer : cell->real;
}

/* Compares two cells that are not empty: numbers before texts, and in texts digits as
   numbers. */
static int compare_values(const struct weft_cell *a, const struct weft_cell *b)
{
    if (kind_rank(a) != kind_rank(b))
        return kind_rank(a) - kind_rank(b);
    if (a->kind == WEFT_CELL_TEXT)
        return strverscmp(a->text, b->text);
    if (a->kind == WEFT_CELL_INTEGER && b->kind == WEFT_CELL_INTEGER)
        return WEFT_COMPARE(a->integer, b->integer);
    double x = number_of(a), y = number_of(b);
    return WEFT_COMPARE(x, y);
}

/* Returns less than 0 if row A, with the number NUMBER, comes before B. */
static int compare(const struct table_page *page, const struct weft_cell *a,
                   uint64_t number, const struct page_row *b)
{
    int order = 0;
    if (page->column < page->n_columns) {
        const struct weft_cell *x = &a[page->column], *y = &b->cells[page->column];
        bool empty = kind_rank(x) == 2 || kind_rank(y) == 2;
        order = empty                 ? kind_rank(x) / 2 - kind_rank(y) / 2
                : page->order.falling ? compare_values(y, x)
                                      : compare_values(x, y);
    }
    return order ?: WEFT_COMPARE(number, b->number);
}

static bool is_before(const struct table_page *page, size_t i, size_t k)
{
    const struct page_row *row = page->rows[i];
    return compare(page, row->cells, row->number, page->rows[k]) < 0;
}

/* ---- The heap ---- */

static void swap(struct table_page *page, size_t i, size_t k)
{
    struct page_row *row = page->rows[i];
    page->rows[i] = page->rows[k];
    page->rows[k] = row;
}

static void sink(struct table_page *page, size_t i, size_t n)
{
    for (size_t last = i;; i = last) {
        for (size_t child = 2 * i + 1; child < n && child <= 2 * i + 2; child++)
            if (is_before(page, last, child))
                last = child;
        if (last == i)
            return;
        swap(page, i, last);
    }
}

static void rise(struct table_page *page, size_t i)
{
    for (; i && is_before(page, (i - 1) / 2, i); i = (i - 1) / 2)
        swap(page, i, (i - 1) / 2);
}

/* ---- Rows ---- */

static size_t text_size(const struct weft_cell *cell)
{
    return cell->kind == WEFT_CELL_TEXT ? strlen(cell->text) + 1 : 0;
}

static size_t row_bytes(const struct table_page *page, const struct weft_cell *cells)
{
    size_t size = sizeof(struct page_row) + page->n_columns * sizeof *cells;
    for (size_t i = 0; i < page->n_columns; i++)
        size += text_size(&cells[i]);
    return size;
}

static struct page_row *keep(struct table_page *page, const struct weft_cell *cells)
{
    size_t size = row_bytes(page, cells);
    struct page_row *row = weft_alloc(size);
    char *text = (char *)(row->cells + page->n_columns);
    row->number = page->n_all;
    for (size_t i = 0; i < page->n_columns; i++) {
        row->cells[i] = cells[i];
        size_t length = text_size(&cells[i]);
        if (!length)
            continue;
        memcpy(text, cells[i].text, length);
        row->cells[i].text = text;
        text += length;
    }
    page->bytes += size;
    page->too_long |= page->bytes > LIMIT_ANSWER;
    return row;
}

static void forget(struct table_page *page, struct page_row *row)
{
    page->bytes -= row_bytes(page, row->cells);
    free(row);
}

static void add(struct table_page *page, const struct weft_cell *cells)
{
    page->rows = weft_grow(page->rows, &page->capacity, page->n + 1, sizeof *page->rows);
    page->rows[page->n++] = keep(page, cells);
}

static void add_in_order(struct table_page *page, const struct weft_cell *cells)
{
    size_t most = page->order.offset + page->order.limit;
    if (page->n < most) {
        add(page, cells);
        rise(page, page->n - 1);
    } else if (most && compare(page, cells, page->n_all, page->rows[0]) < 0) {
        forget(page, page->rows[0]);
        page->rows[0] = keep(page, cells);
        sink(page, 0, page->n);
    }
}

static void begin(struct weft_table *table, const char *const *names, size_t n_columns)
{
    struct table_page *page = (struct table_page *)table;
    page->names = weft_zalloc(n_columns, sizeof *page->names);
    page->column = page->n_columns = n_columns;
    for (size_t i = n_columns; i--;) {
        page->names[i] = weft_strdup(names[i]);
        if (page->order.column && strcmp(names[i], page->order.column) == 0)
            page->column = i;
    }
}

static bool row(struct weft_table *table, const struct weft_cell *cells)
{
    struct table_page *page = (struct table_page *)table;
    bool sorts = page->column < page->n_columns;
    bool full = page->n == page->order.limit;
    if (weft_job_cancelled(page->job))
        return false;
    if ((!sorts && full && page->n_all >= MAX_COUNTED) || page->too_long) {
        page->stopped = true;
        return false;
    }
    if (sorts)
        add_in_order(page, cells);
    else if (page->n_all >= page->order.offset && !full)
        add(page, cells);
    page->n_all++;
    return true;
}

static void end(struct weft_table *table)
{
    (void)table;
}

void table_page_begin(struct table_page *page, const struct table_page_order *order,
                      struct weft_job *job)
{
    *page =
        (struct table_page){ .table = { begin, row, end }, .order = *order, .job = job };
}

static bool fits(struct table_page *page, FILE *stream, struct weft_err *err)
{
    page->too_long |= ftell(stream) > LIMIT_ANSWER;
    return !page->too_long
           || weft_fail(err, WEFT_ERR_USAGE, "these rows are longer than %d MiB",
                        LIMIT_ANSWER >> 20);
}

/* Ids are beyond what a number of JavaScript holds: the page gets them as texts. */
static void write_row(struct table_page *page, struct weft_table *out,
                      struct weft_cell *cells)
{
    char text[24];
    for (size_t c = 0; c < page->n_columns; c++)
        if (cells[c].kind == WEFT_CELL_INTEGER && strcmp(page->names[c], "id") == 0) {
            snprintf(text, sizeof text, "%" PRIu64, (uint64_t)cells[c].integer);
            cells[c] = weft_text_cell(text);
        }
    out->row(out, cells);
}

bool table_page_write(struct table_page *page, struct weft_table *out, FILE *stream,
                      struct weft_err *err)
{
    bool sorts = page->column < page->n_columns, ok = fits(page, stream, err);
    for (size_t n = page->n; sorts && n > 1; n--) { /* the last in order goes to the end */
        swap(page, 0, n - 1);
        sink(page, 0, n - 1);
    }
    out->begin(out, (const char *const *)page->names, page->n_columns);
    for (size_t i = sorts ? page->order.offset : 0; ok && i < page->n; i++) {
        write_row(page, out, page->rows[i]->cells);
        ok = fits(page, stream, err) && weft_job_step(page->job, 0, 0, err);
    }
    out->end(out);
    return ok;
}

void table_page_end(struct table_page *page)
{
    for (size_t i = 0; i < page->n; i++)
        free(page->rows[i]);
    for (size_t i = 0; i < page->n_columns; i++)
        free(page->names[i]);
    free(page->rows);
    free(page->names);
}
