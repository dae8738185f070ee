/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and tables, each at its own address, and several pictures on one sheet. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "serve/query.h"
#include "serve/routes.h"
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
};

static const char *type_of(const char *ending)
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

/* A table that ends after a number of rows: a page cannot show 10^8. */
struct limited {
    struct weft_table table;
    struct weft_table *inner;
    long long left;
};

static void limited_begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct limited *limited = (struct limited *)table;
    limited->inner->begin(limited->inner, names, n);
}

static bool limited_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct limited *limited = (struct limited *)table;
    return limited->left-- > 0 && limited->inner->row(limited->inner, cells);
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
    struct limited limited = { { limited_begin, limited_row, limited_end },
                               table_of(ending, out),
                               exchange_number(exchange, "limit", 1, 1LL << 40, 1000000) };
    bool ok = view->table(request, &limited.table, err);
    weft_table_free(limited.inner);
    return ok;
}

static bool write_scene(struct exchange *exchange, const struct weft_view *view,
                        const struct weft_request *request, const char *ending, FILE *out,
                        struct weft_err *err)
{
    struct weft_scene scene;
    return weft_view_draw(view, request, exchange->arena, &scene, err)
           && weft_backend_find(ending)->draw(&scene, out, err);
}

/* A scene for the page, which shows many a second: packed, without a file in between. */
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
    exchange->type = type_of("packed");
    exchange->status = 200;
}

void route_view(struct exchange *exchange, const char *rest)
{
    const char *dot = strrchr(rest, '.');
    const char *type = dot ? type_of(dot + 1) : NULL;
    struct asking asking;
    if (!type) {
        exchange_fail(exchange, 404,
                      "/view/NAME.ENDING: the ending may be svg, png, pdf, eps, csv, json, "
                      "text, scene or packed");
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
    /* point_x and point_y, since a view may have settings that are called x and y. */
    struct weft_point at = { (double)exchange_number(exchange, "point_x", 0, 1 << 20, 0),
                             (double)exchange_number(exchange, "point_y", 0, 1 << 20, 0) };
    struct weft_err err = { 0 };
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

/* ---- Several pictures on one sheet ---- */

/*
 * The body: a first line "WIDTH HEIGHT THEME", then one line a panel, "X Y WIDTH HEIGHT
 * VIEW?QUERY", where QUERY is what the panel asks for itself, URL-encoded.
 */
struct sheet {
    struct exchange *exchange;
    struct weft_scene scene;
    const char *theme;
};

static bool add_panel(struct sheet *sheet, char *line, struct weft_err *err)
{
    enum { MOST = 64 };
    double x, y;
    int width, height, used = 0;
    if (sscanf(line, "%lf %lf %d %d %n", &x, &y, &width, &height, &used) != 4 || !used)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad panel (right: X Y WIDTH HEIGHT VIEW?QUERY)");
    char *name = line + used, *query = strchr(name, '?');
    struct parameter parameters[MOST + 3];
    struct weft_arena *arena = sheet->exchange->arena;
    size_t n = query ? query_parse(arena, query + 1, parameters + 3, MOST) : 0;
    parameters[0] = (struct parameter){ "width", weft_arena_printf(arena, "%d", width) };
    parameters[1] = (struct parameter){ "height", weft_arena_printf(arena, "%d", height) };
    parameters[2] = (struct parameter){ "theme", sheet->theme };
    struct exchange inner = { .service = sheet->exchange->service,
                              .parameters = parameters,
                              .n_parameters = n + 3,
                              .job = sheet->exchange->job,
                              .arena = arena };
    struct asking asking;
    const struct weft_view *view =
        asking_find_view(&inner, name, query ? (size_t)(query - name) : strlen(name));
    struct weft_scene scene;
    bool ok = view && asking_view(&inner, &asking, view);
    if (!ok)
        weft_fail(err, WEFT_ERR_USAGE, "a panel cannot be drawn: %s",
                  inner.content ? inner.content : "");
    free(inner.content);
    if (!ok || !weft_view_draw(view, &asking.request, arena, &scene, err))
        return false;
    weft_scene_append(&sheet->scene, &scene, x, y);
    return true;
}

static bool fill_sheet(struct sheet *sheet, struct weft_err *err)
{
    struct weft_arena *arena = sheet->exchange->arena;
    char *body = weft_arena_strdup(arena, sheet->exchange->body), *rest = body;
    char *line = strtok_r(rest, "\n", &rest);
    int width = 0, height = 0;
    char theme[16] = "light";
    enum weft_theme_name name;
    if (!line || sscanf(line, "%d %d %15s", &width, &height, theme) != 3 || width < 16
        || height < 16 || width > 16384 || height > 16384
        || !weft_theme_parse(theme, &name))
        return weft_fail(err, WEFT_ERR_USAGE, "bad first line (right: WIDTH HEIGHT THEME)");
    sheet->theme = weft_arena_strdup(arena, theme);
    weft_scene_init(&sheet->scene, arena, width, height, weft_theme_get(name)->page);
    sheet->scene.title = "Weft workbench";
    while ((line = strtok_r(rest, "\n", &rest)))
        if (!add_panel(sheet, line, err))
            return false;
    return true;
}

void route_workbench(struct exchange *exchange, const char *rest)
{
    const struct weft_backend *backend = weft_backend_find(rest);
    struct sheet sheet = { .exchange = exchange };
    struct weft_err err = { 0 };
    if (!backend || !type_of(rest)) {
        exchange_fail(exchange, 404, "/workbench.ENDING: png, svg, pdf or eps");
        return;
    }
    if (!fill_sheet(&sheet, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    FILE *out = exchange_begin(exchange);
    bool ok = backend->draw(&sheet.scene, out, &err);
    exchange_end(exchange, out, type_of(rest));
    if (!ok)
        exchange_fail_with(exchange, &err);
}
