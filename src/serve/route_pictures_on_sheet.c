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
#include "serve/held_traces.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "serve/view_request.h"
#include "view/damage.h"

struct sheet {
    const struct request *request;
    struct weft_scene scene;
    const char *theme;
    size_t n_panels;
};

static bool draw_panel(struct sheet *sheet, const struct request *panel, const char *name,
                       size_t length, double x, double y, struct refusal *refusal)
{
    struct view_request asked;
    struct weft_scene scene;
    if (!view_request_parse(&asked, panel, name, length, refusal)) {
        if (refusal->status == 404) /* the sheet's address exists */
            refusal->status = 400;
        return false;
    }
    if (!weft_view_draw(asked.view, &asked.request, panel->arena, &scene, &refusal->err))
        return false;
    weft_scene_append(&sheet->scene, &scene, x, y);
    return true;
}

/* Draws the panel of a line. */
static bool add_panel(struct sheet *sheet, char *line, struct refusal *refusal)
{
    double x, y;
    int width, height, used = 0;
    if (++sheet->n_panels > LIMIT_PANELS)
        return refuse(refusal, 400, "too many panels on one sheet");
    if (sscanf(line, "%lf %lf %d %d %n", &x, &y, &width, &height, &used) != 4 || !used)
        return refuse(refusal, 400, "bad panel (right: X Y WIDTH HEIGHT VIEW?QUERY)");
    if (!(fabs(x) <= LIMIT_SIDE && fabs(y) <= LIMIT_SIDE)) /* also true for NaN */
        return refuse(refusal, 400, "a panel lies too far away");
    char *name = line + used, *query = strchr(name, '?');
    struct parameter parameters[LIMIT_PARAMETERS + 3];
    struct request panel = *sheet->request;
    size_t n = 0;
    if (query
        && !request_split(panel.arena, query + 1, parameters + 3, LIMIT_PARAMETERS, &n,
                          &refusal->err))
        return false;
    parameters[0] =
        (struct parameter){ "width", weft_arena_printf(panel.arena, "%d", width) };
    parameters[1] =
        (struct parameter){ "height", weft_arena_printf(panel.arena, "%d", height) };
    parameters[2] = (struct parameter){ "theme", sheet->theme };
    panel.parameters = parameters;
    panel.n_parameters = n + 3;
    return draw_panel(sheet, &panel, name, query ? (size_t)(query - name) : strlen(name), x,
                      y, refusal);
}

static bool fill_sheet(struct sheet *sheet, struct refusal *refusal)
{
    struct weft_arena *arena = sheet->request->arena;
    char *body = weft_arena_strdup(arena, sheet->request->body), *rest = body;
    char *line = strtok_r(rest, "\n", &rest);
    int width = 0, height = 0;
    char theme[16] = "light";
    enum weft_theme_name name;
    if (!line || sscanf(line, "%d %d %15s", &width, &height, theme) != 3 || width < 16
        || height < 16 || width > LIMIT_SIDE || height > LIMIT_SIDE
        || !weft_theme_parse(theme, &name))
        return refuse(refusal, 400, "bad first line (right: WIDTH HEIGHT THEME)");
    if (!hold_pixels(sheet->request, width, height, refusal))
        return false;
    sheet->theme = weft_arena_strdup(arena, theme);
    weft_scene_init(&sheet->scene, arena, width, height, weft_theme_get(name)->page);
    sheet->scene.title = "Weft workbench";
    while ((line = strtok_r(rest, "\n", &rest)))
        if (!add_panel(sheet, line, refusal))
            return false;
    return true;
}

bool route_workbench(const struct request *request, struct answer *answer,
                     struct refusal *refusal)
{
    const struct weft_backend *backend = weft_backend_find(request->rest);
    const char *type = route_type(request->rest);
    struct sheet sheet = { .request = request };
    if (!backend || !type)
        return refuse(refusal, 404, "/workbench.ENDING: png, svg, pdf or eps");
    if (!fill_sheet(&sheet, refusal))
        return false;
    FILE *out = answer_begin(answer);
    bool ok = backend->draw(&sheet.scene, out, request->job, &refusal->err);
    answer_end(answer, out, type);
    return ok;
}
