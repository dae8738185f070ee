/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ParaGraph's Hypercube display (Heath, Finger 2003, section 5.2): like the animation, in
 * layouts that show networks which a hypercube contains (model/node_diagram_layout.h).
 * Lines bend around nodes in their way; lines along a link of the hypercube are solid,
 * others dashed. Groups of 2^k neighbours form a hypercube again.
 */
#include <math.h>
#include <string.h>

#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/node_diagram.h"
#include "domains/messages/view/views.h"

enum {
    APART = 14, /* least pixels between circles' middles */
    GROUPS_APART = 26,
    MAX_BITS = 8, /* of node numbers: more have too many pairs for a frame */
    MAX_LINES = 1000,
    LOOKS = 1000000, /* line-to-node checks for all bends: some milliseconds */
    MAX_HEADS = 300,
};

struct hypercube_picture {
    struct diagram d;
    enum weft_layout layout;
    uint32_t bits;
    struct diagram_arc *arcs;
    size_t n_arcs, n_all;
    struct diagram_scale scale;
};

static enum weft_layout find_layout(const char *name)
{
    const char *choice = WEFT_LAYOUT_CHOICES;
    unsigned layout = 0;
    for (size_t length = strcspn(choice, "|");
         strlen(name) != length || memcmp(name, choice, length) != 0;
         length = strcspn(choice, "|")) {
        choice += length + 1;
        layout++;
    }
    return (enum weft_layout)layout;
}

static void choose_groups(struct hypercube_picture *p)
{
    struct weft_rect box = diagram_room(p->d.request);
    for (uint32_t each = 1;; each *= 2) {
        struct weft_placement placement;
        diagram_group(&p->d, each);
        p->bits = weft_bits_for(p->d.n_groups);
        if (p->bits > MAX_BITS)
            continue;
        weft_place_hypercube(p->layout, p->bits, box.width, box.height, &placement);
        double spacing = placement.spacing;
        weft_placement_free(&placement);
        if (p->bits <= 2 || spacing >= (each == 1 ? APART : GROUPS_APART))
            return;
    }
}

/* ---- Bends around nodes ---- */

struct way_finder {
    const struct weft_placement *placement;
    double clearance;     /* least pixels from a line to a node's middle */
    struct weft_rect box; /* lines stay inside */
    uint64_t looks;       /* checks of a node against a piece of a line that are left */
};

/* Whether a straight piece of a line keeps the clearance from all nodes but its ends. */
static bool piece_is_clear(struct way_finder *finder, uint32_t a, uint32_t b,
                           struct weft_spot from, struct weft_spot to)
{
    const struct weft_placement *placement = finder->placement;
    double clearance = finder->clearance, least = clearance * clearance;
    double left = fmin(from.x, to.x) - clearance, right = fmax(from.x, to.x) + clearance;
    double top = fmin(from.y, to.y) - clearance, bottom = fmax(from.y, to.y) + clearance;
    double dx = to.x - from.x, dy = to.y - from.y, square = dx * dx + dy * dy;
    for (uint32_t k = 0; k < placement->n; k++) {
        struct weft_spot p = placement->spots[k];
        if (p.x < left || p.x > right || p.y < top || p.y > bottom || k == a || k == b)
            continue;
        double t = square > 0 ? ((p.x - from.x) * dx + (p.y - from.y) * dy) / square : 0;
        t = fmin(1, fmax(0, t));
        double x = p.x - from.x - t * dx, y = p.y - from.y - t * dy;
        if (x * x + y * y < least)
            return false;
    }
    return true;
}

static bool is_clear(struct way_finder *finder, uint32_t a, uint32_t b, double bend)
{
    enum { PIECES = 12 };
    struct weft_spot from = finder->placement->spots[a], to = finder->placement->spots[b];
    struct weft_rect box = finder->box;
    double dx = to.x - from.x, dy = to.y - from.y;
    double cx = (from.x + to.x) / 2 + 2 * bend * dy;
    double cy = (from.y + to.y) / 2 - 2 * bend * dx;
    int pieces = bend == 0 ? 1 : PIECES;
    struct weft_spot last = from;
    for (int i = 1; i <= pieces; i++) {
        double t = (double)i / pieces, s = 1 - t;
        struct weft_spot next = { s * s * from.x + 2 * s * t * cx + t * t * to.x,
                                  s * s * from.y + 2 * s * t * cy + t * t * to.y };
        finder->looks -= finder->placement->n;
        if (next.x < box.x || next.x > box.x + box.width || next.y < box.y
            || next.y > box.y + box.height || !piece_is_clear(finder, a, b, last, next))
            return false;
        last = next;
    }
    return true;
}

/* Returns the smallest bend that is clear; 0 when none is, or when the checks are spent. */
static double bend_of(struct way_finder *finder, uint32_t a, uint32_t b)
{
    static const double bends[] = { 0,   0.05, -0.05, 0.09,  -0.09, 0.14, -0.14,
                                    0.2, -0.2, 0.28,  -0.28, 0.38,  -0.38 };
    const uint64_t most = 13 * 12 * (uint64_t)finder->placement->n; /* checks of one line */
    for (size_t i = 0; i < sizeof bends / sizeof *bends && finder->looks > most; i++)
        if (is_clear(finder, a, b, bends[i]))
            return bends[i];
    return 0;
}

/* Finds the bends of all arcs, those with most messages first. */
static double *find_ways(const struct hypercube_picture *p, struct way_finder *finder)
{
    double *bends = weft_arena_zalloc(p->d.arena, p->n_arcs + 1, sizeof *bends);
    for (size_t i = p->n_arcs; i-- > 0;)
        if (p->arcs[i].a != p->arcs[i].b)
            bends[i] = bend_of(finder, p->arcs[i].a, p->arcs[i].b);
    return bends;
}

/* ---- Drawing ---- */

static weft_color line_color(const struct weft_theme *theme, bool physical)
{
    if (theme->name == WEFT_THEME_MONO)
        return theme->text;
    if (theme->name == WEFT_THEME_GREY)
        return physical ? theme->text : 0xff808080;
    if (theme->name == WEFT_THEME_CVD)
        return physical ? theme->text : 0xffbd5534;
    return physical ? theme->text : theme->dark ? 0xffff9d4a : 0xffd9671c;
}

static void draw_arcs(struct weft_frame *frame, const struct hypercube_picture *p,
                      const struct weft_placement *placement,
                      const struct diagram_nodes *nodes)
{
    bool now = p->d.request->has_at, heads = p->n_arcs <= MAX_HEADS;
    struct way_finder finder = { placement, nodes->radius + 2, frame->plot, LOOKS };
    const double *bends = find_ways(p, &finder);
    weft_scene_layer(frame->scene, "messages",
                     (struct weft_rect){ 0, frame->plot.y - 2, frame->scene->width,
                                         frame->plot.height + 4 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < p->n_arcs; i++) {
        const struct diagram_arc *arc = &p->arcs[i];
        uint64_t count = arc->there + arc->back;
        bool physical = diagram_is_physical(arc->a, arc->b), inside = arc->a == arc->b;
        weft_color color = line_color(frame->theme, physical || inside);
        struct weft_paint paint = diagram_pending_paint(color, count, p->n_arcs);
        if (!now)
            paint.stroke_width = (float)diagram_width(frame->theme, &p->scale,
                                                      diagram_step(&p->scale, count));
        paint.dash = physical || inside ? 0 : 4;
        diagram_arc_title(frame, &p->d,
                          diagram_draw_arc(frame, nodes, arc, bends[i], heads, paint), arc,
                          inside     ? p->d.each > 1 ? "within the group" : "to itself"
                          : physical ? "a link of the hypercube"
                                     : "no link of the hypercube");
    }
}

static void draw_skeleton(struct weft_frame *frame, const struct weft_placement *placement)
{
    weft_scene_layer(frame->scene, "layout", frame->plot, WEFT_LAYER_FIXED);
    for (size_t i = 0; i < placement->n_lines; i++) {
        struct weft_spot a = placement->spots[placement->lines[i][0]];
        struct weft_spot b = placement->spots[placement->lines[i][1]];
        weft_scene_line(
            frame->scene, (struct weft_point){ a.x, a.y }, (struct weft_point){ b.x, b.y },
            (struct weft_paint){ .stroke = frame->theme->grid, .stroke_width = 1 });
    }
}

static size_t make_legend(const struct hypercube_picture *p, struct weft_legend_entry *out)
{
    const struct weft_theme *theme = p->d.request->theme;
    size_t n = diagram_status_legend(&p->d, out);
    bool physical = false, other = false;
    for (size_t i = 0; i < p->n_arcs; i++) {
        bool is = diagram_is_physical(p->arcs[i].a, p->arcs[i].b);
        physical |= is;
        other |= !is && p->arcs[i].a != p->arcs[i].b;
    }
    const char *unit =
        p->d.each > 1 ? "between neighbouring groups" : "link of the hypercube";
    if (physical)
        out[n++] =
            (struct weft_legend_entry){ { .fill = line_color(theme, true) }, unit, -1, 50 };
    if (other)
        out[n++] = (struct weft_legend_entry){ { .fill = line_color(theme, false),
                                                 .hatch = theme->name == WEFT_THEME_MONO
                                                              ? WEFT_HATCH_VERTICAL
                                                              : WEFT_HATCH_NONE },
                                               "not a link (dashed)",
                                               -1,
                                               49 };
    if (UINT32_C(1) << p->bits > p->d.n_groups)
        out[n++] = (struct weft_legend_entry){ { .fill = 0xff000000 }, "unused", -1, 48 };
    return n;
}

static const char *subtitle(const struct hypercube_picture *p)
{
    const char *left_out = diagram_left_out(&p->d, p->n_arcs, p->n_all);
    if (left_out || p->d.request->has_at || !p->n_arcs)
        return diagram_subtitle(&p->d, left_out);
    const struct diagram_arc *last = &p->arcs[p->n_arcs - 1];
    return diagram_subtitle(
        &p->d, weft_arena_printf(
                   p->d.arena, "up to %s messages a line",
                   weft_number_text(p->d.arena, (double)(last->there + last->back), 0)));
}

static void draw(struct hypercube_picture *p, struct weft_scene *out)
{
    struct diagram *d = &p->d;
    struct weft_legend_entry legend[DIAGRAM_STATUSES + 3];
    size_t n = make_legend(p, legend);
    struct weft_frame frame;
    weft_frame_begin(&frame, out, d->request, 0, false, legend, n, subtitle(p));
    struct weft_rect box = diagram_inset(&frame);
    struct weft_placement placement;
    weft_place_hypercube(p->layout, p->bits, box.width, box.height, &placement);
    for (uint32_t i = 0; i < placement.n; i++) {
        placement.spots[i].x += box.x;
        placement.spots[i].y += box.y;
    }
    struct diagram_nodes nodes = {
        .spots = placement.spots,
        .radius = fmin(18, placement.spacing * 0.36),
        .centre = { box.x + box.width / 2, box.y + box.height / 2 },
        .grouped = d->each > 1,
    };
    struct diagram_labels labels = { .arena = d->arena };
    draw_skeleton(&frame, &placement);
    draw_arcs(&frame, p, &placement, &nodes);
    for (uint32_t i = d->n_groups; i < placement.n; i++)
        diagram_draw_unused(&frame, placement.spots[i], nodes.radius);
    diagram_draw_stars(&frame, d, &nodes);
    diagram_draw_nodes(&frame, d, &nodes, &labels);
    weft_placement_free(&placement);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct hypercube_picture p = { .layout = find_layout(weft_setting(request, "layout")) };
    struct diagram *d = &p.d;
    bool ok = diagram_begin(d, request, "natural", err);
    if (ok) {
        choose_groups(&p);
        diagram_choose_stars(d);
        ok = diagram_ask(d, err);
    }
    if (ok) {
        diagram_statuses(d);
        p.arcs = diagram_arcs(d, MAX_LINES, &p.n_arcs, &p.n_all);
        p.scale = diagram_arc_scale(p.arcs, p.n_arcs);
        draw(&p, out);
    }
    diagram_end(d);
    return ok;
}

static const struct weft_parameter parameters[] = {
    { .name = "layout",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = WEFT_LAYOUT_CHOICES,
      .fallback = "cubes",
      .help = "which network of the hypercube is seen" },
    { .name = "collectives",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = WEFT_COLLECTIVES_CHOICES,
      .fallback = "data",
      .help = "collective operations: lines of messages, but a star for barriers (data); "
              "lines for these, too (messages); a star for each; or nothing" },
};

const struct weft_view weft_view_hypercube = {
    .name = "hypercube",
    .title = "Hypercube",
    .group = "Communication",
    .explanation =
        "As the animation, for a hypercube: messages along its links are solid lines, "
        "those that others would have to pass on are dashed.",
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
