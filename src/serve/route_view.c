/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and tables, each at its own address. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "serve/table_page.h"
#include "view/damage.h"

static const struct {
    const char *ending, *type;
} types[] = {
    { "packed", "application/octet-stream" },
    { "scene", "application/json" },
    { "svg", "image/svg+xml" },
    { "png", "image/png" },
    { "pdf", "application/pdf" },
    { "eps", "application/postscript" },
    { "csv", "text/csv; charset=utf-8" },
    { "json", "application/json" },
    { "text", "text/plain; charset=utf-8" },
    { "rows", "application/json" },
};

const char *route_type(const char *ending)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].ending, ending) == 0)
            return types[i].type;
    return NULL;
}

static struct weft_table *table_of(const char *ending, FILE *stream)
{
    return strcmp(ending, "csv") == 0    ? weft_table_csv(stream)
           : strcmp(ending, "json") == 0 ? weft_table_json(stream)
           : strcmp(ending, "text") == 0 ? weft_table_text(stream)
                                         : NULL;
}

/* A table that ends after a number of rows, or when its text is too long. */
struct limited {
    struct weft_table table;
    struct weft_table *inner;
    FILE *out;
    size_t n_columns;
    long long left;
    bool asked; /* the request sets `limit` */
    bool too_long, too_many;
    struct weft_job *job; /* some views look at it only between tracks */
};

static void limited_begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct limited *limited = (struct limited *)table;
    limited->n_columns = n;
    limited->inner->begin(limited->inner, names, n);
}

/* Checks before a row is written: it may be as long as the names of a trace. */
static bool is_too_long(const struct limited *limited, const struct weft_cell *cells)
{
    long most = LIMIT_ANSWER - ftell(limited->out);
    for (size_t i = 0; i < limited->n_columns && most >= 0; i++)
        if (cells[i].kind == WEFT_CELL_TEXT)
            most -= (long)strlen(cells[i].text);
    return most < 0;
}

static bool limited_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct limited *limited = (struct limited *)table;
    limited->too_long |= is_too_long(limited, cells);
    limited->too_many |= limited->left == 0 && !limited->asked;
    return limited->left-- > 0 && !limited->too_long && !weft_job_cancelled(limited->job)
           && limited->inner->row(limited->inner, cells);
}

static void limited_end(struct weft_table *table)
{
    struct limited *limited = (struct limited *)table;
    limited->inner->end(limited->inner);
}

static bool write_table(struct exchange *exchange, const struct weft_view *view,
                        const struct weft_request *request, const char *ending, FILE *out,
                        struct weft_err *err)
{
    bool keeps = strcmp(ending, "text") == 0; /* the writer needs all rows to align them */
    long long most = keeps ? LIMIT_ROWS : 1LL << 40, limit;
    if (!exchange_whole(exchange, "limit", 1, most, most, &limit, err))
        return false;
    const char *asked = exchange_get(exchange, "limit");
    struct limited limited = { .table = { limited_begin, limited_row, limited_end },
                               .inner = table_of(ending, out),
                               .out = out,
                               .left = limit,
                               .asked = asked && *asked,
                               .job = exchange->job };
    bool ok = view->table(request, &limited.table, err)
              && weft_job_step(exchange->job, 0, 0, err);
    weft_table_free(limited.inner);
    if (ok && limited.too_long)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "the table is longer than %d MiB (weft render %s TRACE -o FILE.%s "
                         "writes all of it)",
                         LIMIT_ANSWER >> 20, view->name, ending);
    if (ok && limited.too_many)
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "the table has more than %lld rows, too many to align them as text "
            "(limit=N gives the first N; csv and json have all)",
            most);
    return ok;
}

static bool put_page(struct exchange *exchange, struct table_page *page,
                     struct weft_err *err)
{
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    weft_json_unsigned(&json, "total", page->n_all);
    weft_json_bool(&json, "more", page->stopped);
    weft_json_unsigned(&json, "damaged", exchange->damaged);
    weft_json_array(&json, "columns");
    for (size_t i = 0; i < page->n_columns; i++)
        weft_json_text(&json, NULL, page->names[i]);
    weft_json_close(&json);
    FILE *stream = weft_json_value(&json, "rows");
    struct weft_table *rows = weft_table_json(stream);
    bool ok = table_page_write(page, rows, stream, err);
    weft_table_free(rows);
    weft_json_close(&json);
    exchange_end_json(exchange, &json);
    return ok;
}

static bool order_of(const struct exchange *exchange, struct table_page_order *order,
                     struct weft_err *err)
{
    const char *direction = exchange_get(exchange, "direction");
    bool falling = direction && strcmp(direction, "down") == 0;
    long long offset, limit;
    if (direction && *direction && !falling && strcmp(direction, "up") != 0)
        return weft_fail(err, WEFT_ERR_USAGE, "bad direction '%s' (right: up, down)",
                         direction);
    if (!exchange_whole(exchange, "offset", 0, 1LL << 40, 0, &offset, err)
        || !exchange_whole(exchange, "limit", 1, LIMIT_ROWS, 1000, &limit, err))
        return false;
    *order = (struct table_page_order){ .column = exchange_get(exchange, "sort"),
                                        .falling = falling,
                                        .offset = (size_t)offset,
                                        .limit = (size_t)limit };
    return true;
}

/*
 * Answers with some rows for a page: {"total", "more" (there are more than total),
 * "damaged" (parts of the trace that are left out), "columns", "rows"}, by sort=COLUMN,
 * direction=up or down, offset= and limit=.
 */
static void answer_rows(struct exchange *exchange, const struct weft_view *view,
                        const struct weft_request *request)
{
    struct table_page_order order;
    struct weft_err err = { 0 };
    struct table_page page;
    if (!order_of(exchange, &order, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    table_page_begin(&page, &order, exchange->job);
    bool ok = true;
    if (order.column && order.offset + order.limit > LIMIT_ROWS)
        ok = weft_fail(&err, WEFT_ERR_USAGE,
                       "of a sorted table the first %d rows can be asked for (sort it the "
                       "other way round to see its end)",
                       LIMIT_ROWS);
    ok = ok && view->table(request, &page.table, &err)
         && weft_job_step(exchange->job, 0, 0, &err);
    if (ok && order.column && page.column == page.n_columns)
        ok = weft_fail(&err, WEFT_ERR_USAGE, "%s has no column '%s'", view->name,
                       order.column);
    exchange->damaged = weft_damage_of_set(request->set);
    if (!ok || !put_page(exchange, &page, &err))
        exchange_fail_with(exchange, &err);
    table_page_end(&page);
}

static bool write_scene(struct exchange *exchange, const struct weft_view *view,
                        const struct weft_request *request, const char *ending, FILE *out,
                        struct weft_err *err)
{
    struct weft_scene scene;
    return weft_view_draw(view, request, exchange->arena, &scene, err)
           && weft_backend_find(ending)->draw(&scene, out, exchange->job, err)
           && (ftell(out) <= LIMIT_ANSWER
               || weft_fail(err, WEFT_ERR_LIMIT, "the picture is longer than %d MiB as %s",
                            LIMIT_ANSWER >> 20, ending));
}

/* Packs a scene for the page, which shows many a second, without a file in between. */
static void pack(struct exchange *exchange, const struct weft_view *view,
                 const struct weft_request *request)
{
    struct weft_scene scene;
    struct weft_err err = { 0 };
    if (!weft_view_draw(view, request, exchange->arena, &scene, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    exchange->content = weft_scene_pack(&scene, &exchange->size);
    exchange->type = route_type("packed");
    exchange->status = 200;
}

void route_view(struct exchange *exchange, const char *rest)
{
    const char *dot = strrchr(rest, '.');
    const char *type = dot ? route_type(dot + 1) : NULL;
    struct asking asking;
    if (!type) {
        exchange_fail(exchange, 404,
                      "/view/NAME.ENDING: the ending may be svg, png, pdf, eps, csv, json, "
                      "text, rows, scene or packed");
        return;
    }
    const struct weft_view *view = asking_find_view(exchange, rest, (size_t)(dot - rest));
    if (!view || !asking_view(exchange, &asking, view))
        return;
    struct weft_err err = { 0 };
    if (strcmp(dot + 1, "packed") == 0) {
        pack(exchange, view, &asking.request);
        return;
    }
    if (strcmp(dot + 1, "rows") == 0) {
        answer_rows(exchange, view, &asking.request);
        return;
    }
    FILE *out = exchange_begin(exchange);
    struct weft_table *table = table_of(dot + 1, out);
    weft_table_free(table);
    bool ok = (table ? write_table : write_scene)(exchange, view, &asking.request, dot + 1,
                                                  out, &err);
    exchange_end(exchange, out, type);
    if (!ok)
        exchange_fail_with(exchange, &err);
    else if (exchange_get(exchange, "save"))
        exchange->filename = view->name;
}

void route_point(struct exchange *exchange, const char *rest)
{
    const struct weft_view *view = asking_find_view(exchange, rest, strlen(rest));
    struct asking asking;
    if (!view || !asking_view(exchange, &asking, view))
        return;
    if (!view->point) {
        exchange_fail(exchange, 404, "%s has no dense parts to point at", view->title);
        return;
    }
    /* point_x and point_y, since a view may have settings with the names x and y. */
    long long x, y;
    struct weft_err err = { 0 };
    if (!exchange_whole(exchange, "point_x", 0, 1 << 20, 0, &x, &err)
        || !exchange_whole(exchange, "point_y", 0, 1 << 20, 0, &y, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    struct weft_point at = { (double)x, (double)y };
    uint64_t id;
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    struct weft_table *table = weft_table_json(weft_json_value(&json, "facts"));
    bool ok = view->point(&asking.request, at, &id, table, &err);
    weft_table_free(table);
    if (ok && id != WEFT_NO_ID)
        weft_json_format(&json, "id", "%" PRIu64, id);
    weft_json_close(&json);
    exchange_end_json(exchange, &json);
    if (!ok)
        exchange_fail_with(exchange, &err);
}
