/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ParaGraph's Animation display (Heath, Finger 2003, section 5.2): numbered circles in the
 * colours of the processors' statuses, and a line between two while a message is pending.
 * Without a moment: all pairs that have messages in the window, with the numbers of
 * messages.
 */
#include <math.h>
#include <string.h>

#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/node_diagram.h"
#include "domains/messages/view/views.h"

enum {
    APART = 12,        /* least pixels between circles' middles */
    GROUPS_APART = 26, /* for groups, which have sectors */
    MAX_LINES = 2000,  /* more cannot be told apart */
    MAX_HEADS = 300,
};

struct animation_settings {
    bool mesh;
    /* positions of dragged nodes (model/node_diagram_layout.h), or NULL */
    const char *places;
    const char *aspect;
    bool by_column;
};

static void read_look(const struct weft_request *request,
                      struct animation_settings *settings)
{
    const char *layout = weft_setting(request, "layout");
    settings->mesh = strcmp(layout, "mesh") == 0;
    settings->places = settings->mesh || strcmp(layout, "ring") == 0 ? NULL : layout;
    settings->aspect = weft_setting(request, "aspect");
    settings->by_column = strcmp(weft_setting(request, "numbering"), "columns") == 0;
}

/* Places N nodes in a box; WEFT_ERR_USAGE for a wrong aspect. */
static bool place(const struct animation_settings *settings, uint32_t n, double width,
                  double height, struct weft_placement *out, struct weft_err *err)
{
    struct weft_grid grid;
    if (!settings->mesh) {
        weft_place_ring(n, width, height, out);
        return true;
    }
    if (!weft_grid_parse(n, settings->aspect, settings->by_column, &grid, err))
        return false;
    weft_place_mesh(n, &grid, width, height, out);
    return true;
}

/*
 * Chooses the fewest processors a circle that fit.  The aspect setting counts processors,
 * so groups have a mesh that is nearly square.
 */
static bool choose_groups(struct diagram *d, struct animation_settings *settings,
                          struct weft_err *err)
{
    struct weft_rect box = diagram_room(d->request);
    for (uint32_t each = 1;; each *= 2) {
        struct weft_placement placement;
        diagram_group(d, each);
        if (d->n_groups > 1024)
            continue;
        if (each > 1)
            settings->aspect = "auto";
        if (!place(settings, d->n_groups, box.width, box.height, &placement, err))
            return false;
        double spacing = placement.spacing;
        weft_placement_free(&placement);
        if (d->n_groups <= 4 || spacing >= (each == 1 ? APART : GROUPS_APART))
            return true;
    }
}

/* Moves the dragged nodes; a group goes where its first processor is. */
static bool apply_places(const struct diagram *d, const struct animation_settings *settings,
                         struct weft_rect box, struct weft_placement *placement,
                         struct weft_err *err)
{
    struct weft_spot *spots = weft_arena_zalloc(d->arena, d->n_all, sizeof *spots);
    for (uint32_t i = 0; i < d->n; i++)
        spots[d->processor[i]] = placement->spots[i / d->each];
    if (!weft_place_named(settings->places, d->n_all, box.width, box.height, spots, err))
        return false;
    for (uint32_t g = 0; g < d->n_groups; g++)
        placement->spots[g] = spots[d->processor[g * d->each]];
    return true;
}

struct animation_picture {
    struct diagram d;
    struct animation_settings settings;
    struct diagram_arc *arcs;
    size_t n_arcs, n_all;
    struct diagram_scale scale;
};

static void draw_arcs(struct weft_frame *frame, const struct animation_picture *p,
                      const struct diagram_nodes *nodes)
{
    const struct weft_theme *theme = frame->theme;
    bool now = p->d.request->has_at, heads = p->n_arcs <= MAX_HEADS;
    weft_scene_layer(frame->scene, "messages",
                     (struct weft_rect){ 0, frame->plot.y - 2, frame->scene->width,
                                         frame->plot.height + 4 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < p->n_arcs; i++) {
        const struct diagram_arc *arc = &p->arcs[i];
        uint64_t count = arc->there + arc->back;
        uint32_t step = diagram_step(&p->scale, count);
        struct weft_paint paint = diagram_pending_paint(theme->text, count, p->n_arcs);
        if (!now)
            paint = (struct weft_paint){ .stroke = diagram_heat(theme, &p->scale, step),
                                         .stroke_width =
                                             (float)diagram_width(theme, &p->scale, step) };
        diagram_arc_title(frame, &p->d,
                          diagram_draw_arc(frame, nodes, arc, 0, heads, paint), arc,
                          "link");
    }
}

static bool draw(struct animation_picture *p, struct weft_scene *out, struct weft_err *err)
{
    struct diagram *d = &p->d;
    struct weft_legend_entry legend[DIAGRAM_STATUSES + DIAGRAM_STEPS];
    size_t n = diagram_status_legend(d, legend);
    bool used[DIAGRAM_STEPS] = { false };
    for (size_t i = 0; i < p->n_arcs; i++)
        used[diagram_step(&p->scale, p->arcs[i].there + p->arcs[i].back)] = true;
    if (!d->request->has_at)
        n += diagram_scale_legend(d->request->theme, &p->scale, used, d->arena, legend + n);
    struct weft_frame frame;
    weft_frame_begin(&frame, out, d->request, 0, false, legend, n,
                     diagram_subtitle(d, diagram_left_out(d, p->n_arcs, p->n_all)));
    struct weft_rect box = diagram_inset(&frame);
    struct weft_placement placement;
    if (!place(&p->settings, d->n_groups, box.width, box.height, &placement, err))
        return false;
    double radius = fmin(18, placement.spacing * 0.36);
    bool ok = !p->settings.places || apply_places(d, &p->settings, box, &placement, err);
    for (uint32_t g = 0; g < d->n_groups; g++) {
        placement.spots[g].x += box.x;
        placement.spots[g].y += box.y;
    }
    struct diagram_nodes nodes = {
        .spots = placement.spots,
        .radius = radius,
        .centre = { box.x + box.width / 2, box.y + box.height / 2 },
        .grouped = d->each > 1,
        .movable = "layout",
    };
    struct diagram_labels labels = { .arena = d->arena };
    out->frame.plot = box;
    if (ok) {
        draw_arcs(&frame, p, &nodes);
        diagram_draw_stars(&frame, d, &nodes);
        diagram_draw_nodes(&frame, d, &nodes, &labels);
        if (!d->request->has_at)
            diagram_count_arcs(&frame, p->arcs, p->n_arcs, &nodes, &labels);
    }
    weft_placement_free(&placement);
    return ok;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct animation_picture p = { .n_arcs = 0 };
    struct diagram *d = &p.d;
    read_look(request, &p.settings);
    bool ok = diagram_begin(d, request, weft_setting(request, "order"), err)
              && choose_groups(d, &p.settings, err);
    if (ok)
        diagram_choose_stars(d);
    ok = ok && diagram_ask(d, err);
    if (ok) {
        diagram_statuses(d);
        p.arcs = diagram_arcs(d, MAX_LINES, &p.n_arcs, &p.n_all);
        p.scale = diagram_arc_scale(p.arcs, p.n_arcs);
        ok = draw(&p, out, err);
    }
    diagram_end(d);
    return ok;
}

static const struct weft_parameter parameters[] = {
    { .name = "layout",
      .kind = WEFT_PARAMETER_FILE,
      .choices = "ring|mesh",
      .fallback = "ring",
      .help = "how circles are arranged, or a file of lines: node x y, 0 to 1",
      .file = ".pganim" },
    WEFT_PARAMETER_OF_ORDER,
    { .name = "aspect",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "auto",
      .help = "of the mesh: ROWSxCOLUMNS, ROWS:COLUMNS, or auto",
      .seldom = true },
    { .name = "numbering",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "rows|columns",
      .fallback = "rows",
      .help = "of the mesh: along rows or down columns",
      .seldom = true },
    { .name = "collectives",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = WEFT_COLLECTIVES_CHOICES,
      .fallback = "data",
      .help = "collective operations: lines of messages, but a star for barriers (data); "
              "lines for these, too (messages); a star for each; or nothing" },
};

const struct weft_view weft_view_animation = {
    .name = "animation",
    .title = "Animation",
    .group = "Communication",
    .explanation =
        "Circles are processors in the colour of what they do; lines are messages "
        "that are pending at the moment, or all of the range.",
    .needs = "messages between processors (weft record --with mpi, or an MPICL trace)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = diagram_columns,
    .n_columns = DIAGRAM_COLUMNS,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = diagram_table,
};
