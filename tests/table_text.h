/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of views as text. */
#ifndef WEFT_TESTS_TABLE_TEXT_H
#define WEFT_TESTS_TABLE_TEXT_H

#include "base/memory.h"
#include "tests/test.h"
#include "view/table.h"
#include "view/view.h"

/* Not inlined: gcc 12 would warn that the text may be its own address and dangle. */
#define TABLE_TEXT static __attribute__((noinline, unused))

/* The view's table as CSV; the caller frees it.  The test fails where the view does. */
TABLE_TEXT char *table_csv(const struct weft_view *view, const struct weft_request *request)
{
    struct weft_err err = { 0 };
    char *text;
    size_t size;
    FILE *stream = weft_text_begin(&text, &size);
    struct weft_table *table = weft_table_csv(stream);
    if (!weft_view_table(view, request, table, &err))
        fail_msg("%s", err.message);
    weft_table_free(table);
    weft_text_end(stream);
    return text;
}

/* The details of what stands at a point, and its id; the caller frees the text. */
TABLE_TEXT char *point_csv(const struct weft_view *view, const struct weft_request *request,
                           struct weft_point point, uint64_t *id)
{
    struct weft_err err = { 0 };
    char *text;
    size_t size;
    FILE *stream = weft_text_begin(&text, &size);
    struct weft_table *table = weft_table_csv(stream);
    assert_true(weft_view_point(view, request, point, id, table, &err));
    weft_table_free(table);
    weft_text_end(stream);
    return text;
}

#endif
