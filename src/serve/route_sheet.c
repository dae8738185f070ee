/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several pictures on one sheet.  The body has a first line "WIDTH HEIGHT THEME", then one
 * line a panel, "X Y WIDTH HEIGHT VIEW?QUERY", where QUERY is the panel's own query,
 * URL-encoded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "serve/query.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "view/damage.h"

struct sheet {
    struct exchange *exchange;
    struct weft_scene scene;
    const char *theme;
    size_t n_panels;
};

static bool refuse(struct sheet *sheet, const char *text)
{
    exchange_fail(sheet->exchange, 400, "%s", text);
    return false;
}

/* Makes a panel's error the sheet's answer. */
static void pass_on(struct exchange *outer, const struct exchange *inner)
{
    free(outer->content);
    outer->content = inner->content;
    outer->size = inner->size;
    /* The sheet's address exists: 404 for a panel becomes 400. */
    outer->status = inner->status == 404 ? 400 : inner->status;
    outer->type = inner->type;
}

static bool draw_panel(struct sheet *sheet, struct exchange *inner, const char *name,
                       size_t length, double x, double y)
{
    struct asking asking;
    struct weft_err err = { 0 };
    struct weft_scene scene;
    const struct weft_view *view = asking_find_view(inner, name, length);
    if (!view || !asking_view(inner, &asking, view)) {
        pass_on(sheet->exchange, inner);
        return false;
    }
    if (!weft_view_draw(view, &asking.request, inner->arena, &scene, &err)) {
        exchange_fail_with(sheet->exchange, &err);
        return false;
    }
    weft_scene_append(&sheet->scene, &scene, x, y);
    return true;
}

/* Draws the panel of a line.  On failure the answer is written. */
static bool add_panel(struct sheet *sheet, char *line)
{
    double x, y;
    int width, height, used = 0;
    if (++sheet->n_panels > LIMIT_PANELS)
        return refuse(sheet, "too many panels on one sheet");
    if (sscanf(line, "%lf %lf %d %d %n", &x, &y, &width, &height, &used) != 4 || !used)
        return refuse(sheet, "bad panel (right: X Y WIDTH HEIGHT VIEW?QUERY)");
    if (!(fabs(x) <= LIMIT_SIDE && fabs(y) <= LIMIT_SIDE)) /* also true for NaN */
        return refuse(sheet, "a panel lies too far away");
    char *name = line + used, *query = strchr(name, '?');
    struct parameter parameters[LIMIT_PARAMETERS + 3];
    struct weft_arena *arena = sheet->exchange->arena;
    struct weft_err err = { 0 };
    size_t n = 0;
    if (query
        && !query_parse(arena, query + 1, parameters + 3, LIMIT_PARAMETERS, &n, &err)) {
        exchange_fail_with(sheet->exchange, &err);
        return false;
    }
    parameters[0] = (struct parameter){ "width", weft_arena_printf(arena, "%d", width) };
    parameters[1] = (struct parameter){ "height", weft_arena_printf(arena, "%d", height) };
    parameters[2] = (struct parameter){ "theme", sheet->theme };
    struct exchange inner = { .service = sheet->exchange->service,
                              .parameters = parameters,
                              .n_parameters = n + 3,
                              .job = sheet->exchange->job,
                              .arena = arena,
                              .taken = sheet->exchange->taken };
    return draw_panel(sheet, &inner, name, query ? (size_t)(query - name) : strlen(name), x,
                      y);
}

static bool fill_sheet(struct sheet *sheet)
{
    struct weft_arena *arena = sheet->exchange->arena;
    char *body = weft_arena_strdup(arena, sheet->exchange->body), *rest = body;
    char *line = strtok_r(rest, "\n", &rest);
    int width = 0, height = 0;
    char theme[16] = "light";
    enum weft_theme_name name;
    if (!line || sscanf(line, "%d %d %15s", &width, &height, theme) != 3 || width < 16
        || height < 16 || width > LIMIT_SIDE || height > LIMIT_SIDE
        || !weft_theme_parse(theme, &name))
        return refuse(sheet, "bad first line (right: WIDTH HEIGHT THEME)");
    if (!exchange_take_pixels(sheet->exchange, width, height))
        return false;
    sheet->theme = weft_arena_strdup(arena, theme);
    weft_scene_init(&sheet->scene, arena, width, height, weft_theme_get(name)->page);
    sheet->scene.title = "Weft workbench";
    while ((line = strtok_r(rest, "\n", &rest)))
        if (!add_panel(sheet, line))
            return false;
    return true;
}

void route_workbench(struct exchange *exchange, const char *rest)
{
    const struct weft_backend *backend = weft_backend_find(rest);
    struct sheet sheet = { .exchange = exchange };
    struct weft_err err = { 0 };
    if (!backend || !route_type(rest)) {
        exchange_fail(exchange, 404, "/workbench.ENDING: png, svg, pdf or eps");
        return;
    }
    if (!fill_sheet(&sheet))
        return;
    FILE *out = exchange_begin(exchange);
    bool ok = backend->draw(&sheet.scene, out, exchange->job, &err);
    exchange_end(exchange, out, route_type(rest));
    if (!ok)
        exchange_fail_with(exchange, &err);
}
