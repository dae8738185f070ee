/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and tables, each at its own address. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "serve/table_page.h"
#include "serve/view_request.h"
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
           : strcmp(ending, "text") == 0
               ? weft_table_text(stream, (struct weft_text_columns){ 0 })
               : NULL;
}

/* A table that ends after a number of rows, or when its text is too long. */
struct limited_table {
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
    struct limited_table *limited = (struct limited_table *)table;
    limited->n_columns = n;
    limited->inner->begin(limited->inner, names, n);
}

/* Checks before a row is written: it may be as long as the names of a trace. */
static bool is_too_long(const struct limited_table *limited, const struct weft_cell *cells)
{
    long most = LIMIT_ANSWER - ftell(limited->out);
    for (size_t i = 0; i < limited->n_columns && most >= 0; i++)
        if (cells[i].kind == WEFT_CELL_TEXT)
            most -= (long)strlen(cells[i].text);
    return most < 0;
}

static bool limited_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct limited_table *limited = (struct limited_table *)table;
    limited->too_long |= is_too_long(limited, cells);
    limited->too_many |= limited->left == 0 && !limited->asked;
    return limited->left-- > 0 && !limited->too_long && !weft_job_cancelled(limited->job)
           && limited->inner->row(limited->inner, cells);
}

static void limited_end(struct weft_table *table)
{
    struct limited_table *limited = (struct limited_table *)table;
    limited->inner->end(limited->inner);
}

static bool write_table(const struct request *request, const struct view_request *asked,
                        const char *ending, FILE *out, struct weft_err *err)
{
    bool keeps = strcmp(ending, "text") == 0; /* the writer needs all rows to align them */
    long long most = keeps ? LIMIT_ROWS : 1LL << 40, limit;
    if (!request_whole(request, "limit", 1, most, most, &limit, err))
        return false;
    const char *given = request_get(request, "limit");
    struct limited_table limited = { .table = { limited_begin, limited_row, limited_end },
                                     .inner = table_of(ending, out),
                                     .out = out,
                                     .left = limit,
                                     .asked = given && *given,
                                     .job = request->job };
    bool ok = weft_view_table(asked->view, &asked->request, &limited.table, err)
              && weft_job_step(request->job, 0, 0, err);
    weft_table_free(limited.inner);
    if (ok && limited.too_long)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "the table is longer than %d MiB (weft render %s TRACE -o FILE.%s "
                         "writes all of it)",
                         LIMIT_ANSWER >> 20, asked->view->name, ending);
    if (ok && limited.too_many)
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "the table has more than %lld rows, too many to align them as text "
            "(limit=N gives the first N; csv and json have all)",
            most);
    return ok;
}

static bool put_page(struct answer *answer, struct table_page *page, size_t damaged,
                     struct weft_err *err)
{
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_unsigned(&json, "total", page->n_all);
    weft_json_bool(&json, "more", page->stopped);
    weft_json_unsigned(&json, "damaged", damaged);
    weft_json_array(&json, "columns");
    for (size_t i = 0; i < page->n_columns; i++)
        weft_json_text(&json, NULL, page->names[i]);
    weft_json_close(&json);
    FILE *stream = weft_json_value(&json, "rows");
    struct weft_table *rows = weft_table_json(stream);
    bool ok = table_page_write(page, rows, stream, err);
    weft_table_free(rows);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return ok;
}

static bool order_of(const struct request *request, struct table_page_order *order,
                     struct weft_err *err)
{
    const char *direction = request_get(request, "direction");
    bool falling = direction && strcmp(direction, "down") == 0;
    long long offset, limit;
    if (direction && *direction && !falling && strcmp(direction, "up") != 0)
        return weft_fail(err, WEFT_ERR_USAGE, "bad direction '%s' (right: up, down)",
                         direction);
    if (!request_whole(request, "offset", 0, 1LL << 40, 0, &offset, err)
        || !request_whole(request, "limit", 1, LIMIT_ROWS, 1000, &limit, err))
        return false;
    *order = (struct table_page_order){ .column = request_get(request, "sort"),
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
static bool answer_rows(const struct request *request, const struct view_request *asked,
                        struct answer *answer, struct weft_err *err)
{
    struct table_page_order order;
    struct table_page page;
    if (!order_of(request, &order, err))
        return false;
    table_page_begin(&page, &order, request->job);
    bool ok = true;
    if (order.column && order.offset + order.limit > LIMIT_ROWS)
        ok = weft_fail(err, WEFT_ERR_USAGE,
                       "of a sorted table the first %d rows can be asked for (sort it the "
                       "other way round to see its end)",
                       LIMIT_ROWS);
    struct weft_request of_page = asked->request;
    of_page.of_page = true;
    ok = ok && weft_view_table(asked->view, &of_page, &page.table, err)
         && weft_job_step(request->job, 0, 0, err);
    if (ok && order.column && page.column == page.n_columns)
        ok = weft_fail(err, WEFT_ERR_USAGE, "%s has no column '%s'", asked->view->name,
                       order.column);
    ok = ok && put_page(answer, &page, weft_damage_of_set(&asked->set), err);
    table_page_end(&page);
    return ok;
}

static bool write_scene(const struct request *request, const struct view_request *asked,
                        const char *ending, FILE *out, struct weft_err *err)
{
    struct weft_scene scene;
    return weft_view_draw(asked->view, &asked->request, request->arena, &scene, err)
           && weft_backend_find(ending)->draw(&scene, out, request->job, err)
           && (ftell(out) <= LIMIT_ANSWER
               || weft_fail(err, WEFT_ERR_LIMIT, "the picture is longer than %d MiB as %s",
                            LIMIT_ANSWER >> 20, ending));
}

/* Packs a scene for the page, which shows many a second, without a file in between. */
static bool pack(const struct request *request, const struct view_request *asked,
                 struct answer *answer, struct weft_err *err)
{
    struct weft_scene scene;
    if (!weft_view_draw(asked->view, &asked->request, request->arena, &scene, err))
        return false;
    answer->content = weft_scene_pack(&scene, &answer->size);
    answer->type = route_type("packed");
    answer->status = 200;
    return true;
}

bool route_view(const struct request *request, struct answer *answer,
                struct refusal *refusal)
{
    const char *name = request->rest, *dot = strrchr(name, '.');
    const char *type = dot ? route_type(dot + 1) : NULL;
    struct view_request asked;
    if (!type)
        return refuse(refusal, 404,
                      "/view/NAME.ENDING: the ending may be svg, png, pdf, eps, csv, json, "
                      "text, rows, scene or packed");
    if (!view_request_parse(&asked, request, name, (size_t)(dot - name), refusal))
        return false;
    if (strcmp(dot + 1, "packed") == 0)
        return pack(request, &asked, answer, &refusal->err);
    if (strcmp(dot + 1, "rows") == 0)
        return answer_rows(request, &asked, answer, &refusal->err);
    FILE *out = answer_begin(answer);
    struct weft_table *table = table_of(dot + 1, out);
    weft_table_free(table);
    bool ok =
        (table ? write_table : write_scene)(request, &asked, dot + 1, out, &refusal->err);
    answer_end(answer, out, type);
    if (ok && request_get(request, "save"))
        answer->filename = asked.view->name;
    return ok;
}

bool route_point(const struct request *request, struct answer *answer,
                 struct refusal *refusal)
{
    struct view_request asked;
    if (!view_request_parse(&asked, request, request->rest, strlen(request->rest), refusal))
        return false;
    if (!asked.view->point)
        return refuse(refusal, 404, "%s has no dense parts to point at", asked.view->title);
    /* point_x and point_y, since a view may have settings with the names x and y. */
    long long x, y;
    if (!request_whole(request, "point_x", 0, 1 << 20, 0, &x, &refusal->err)
        || !request_whole(request, "point_y", 0, 1 << 20, 0, &y, &refusal->err))
        return false;
    struct weft_point at = { (double)x, (double)y };
    uint64_t id;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    struct weft_table *table = weft_table_json(weft_json_value(&json, "facts"));
    bool ok = weft_view_point(asked.view, &asked.request, at, &id, table, &refusal->err);
    weft_table_free(table);
    if (ok && id != WEFT_NO_ID)
        weft_json_format(&json, "id", "%" PRIu64, id);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return ok;
}
