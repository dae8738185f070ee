/* SPDX-License-Identifier: Apache-2.0 */
/* Places and draws the nodes and links of a network. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "domains/messages/view/network.h"

enum { LINE = 11, GAP = 4, MAX_SKELETON = 3000 };

static bool is_multistage(const struct network *w)
{
    return w->topology.stages > 1;
}

static bool is_tree(const struct network *w)
{
    return w->kind == WEFT_NETWORK_BINARY_TREE || w->kind == WEFT_NETWORK_QUADTREE;
}

/*
 * Returns the level of a node; sets its place in the level and the level's width in nodes.
 */
static uint32_t tree_level(const struct network *w, uint32_t node, uint64_t *place,
                           uint64_t *width)
{
    uint32_t children = w->kind == WEFT_NETWORK_QUADTREE ? 4 : 2, level = 0;
    uint64_t first = 0;
    *width = 1;
    while (node >= first + *width) {
        first += *width;
        *width *= children;
        level++;
    }
    *place = node - first;
    return level;
}

/* ---- Room ---- */

/* The arrangement of the labels beside the ends of a multistage network. */
struct end_labels {
    uint32_t columns; /* labels take turns in so many columns */
    uint32_t every;   /* only every such end has a label */
    double width;     /* of a column */
};

static struct end_labels arrange_labels(const struct network *w, double row)
{
    const char *longest = diagram_label(&w->d, w->d.n_groups - 1);
    struct end_labels labels = {
        1, 1, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, longest) + GAP
    };
    while (labels.columns < 3 && row * labels.columns < LINE)
        labels.columns++;
    while (row * labels.columns * labels.every < LINE)
        labels.every *= 2;
    return labels;
}

struct room {
    struct weft_rect box; /* holds the nodes' middles */
    double spacing;       /* between the nearest two nodes of a stage, level or row */
    double radius;
    struct end_labels labels;
};

static double mesh_spacing(const struct weft_grid *grid, double width, double height)
{
    return fmin(width / grid->columns, height / grid->rows);
}

static struct room lay_out(const struct network *w, struct weft_rect plot)
{
    const struct weft_topology *t = &w->topology;
    struct room room = { .box = plot };
    uint64_t place, width;
    if (is_multistage(w)) {
        room.spacing = plot.height / t->size;
        room.radius = fmax(1.5, fmin(8, 0.36 * room.spacing));
        room.labels = arrange_labels(w, room.spacing);
        double margin = fmin(plot.width / 3,
                             room.labels.columns * room.labels.width + room.radius + GAP);
        room.box.x += margin;
        room.box.width -= 2 * margin;
        return room;
    }
    if (is_tree(w)) {
        uint32_t levels = 1 + tree_level(w, t->n - 1, &place, &width);
        room.spacing = fmin(plot.width / (double)width, plot.height / levels);
    } else {
        const char *longest = diagram_label(&w->d, w->d.n_groups - 1);
        double text = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, longest);
        double x = fmin(text + 2 * GAP, plot.width / 8), y = fmin(12, plot.height / 8);
        room.box = (struct weft_rect){ plot.x + x, plot.y + y, plot.width - 2 * x,
                                       plot.height - 2 * y };
        room.spacing = mesh_spacing(&t->grid, room.box.width, room.box.height);
    }
    room.radius = fmax(2, fmin(16, 0.36 * room.spacing));
    return room;
}

bool network_fits(const struct network *w)
{
    struct weft_rect plot = { 0, 0, fmax(1, w->d.request->width - 16),
                              fmax(1, w->d.request->height
                                          - (w->d.request->bare           ? 0
                                             : w->d.request->height < 260 ? 60
                                                                          : 100)) };
    double spacing = lay_out(w, plot).spacing;
    bool single = w->d.each == 1;
    if (is_multistage(w))
        return spacing >= (single ? 4.5 : LINE) && w->topology.size <= 128;
    return spacing >= (single ? 9 : 26);
}

/* ---- Nodes ---- */

static struct weft_spot spot_of(const struct network *w, const struct room *room,
                                uint32_t node)
{
    const struct weft_topology *t = &w->topology;
    struct weft_rect box = room->box;
    uint32_t place, stage = weft_topology_stage(t, node, &place);
    if (is_multistage(w))
        return (struct weft_spot){
            box.x + box.width * stage / (t->stages - 1),
            box.y + box.height * (place + 0.5) / weft_topology_width(t, stage)
        };
    if (is_tree(w)) {
        uint64_t at, width, last_at, last_width;
        uint32_t level = tree_level(w, node, &at, &width);
        uint32_t levels = 1 + tree_level(w, t->n - 1, &last_at, &last_width);
        return (struct weft_spot){ box.x + box.width * ((double)at + 0.5) / (double)width,
                                   box.y + box.height * (level + 0.5) / levels };
    }
    struct weft_place_on_grid on = weft_grid_place(&t->grid, node);
    return (struct weft_spot){ box.x + box.width * (on.column + 0.5) / t->grid.columns,
                               box.y + box.height * (on.row + 0.5) / t->grid.rows };
}

static bool is_switch(const struct network *w, uint32_t stage)
{
    return (w->kind == WEFT_NETWORK_OMEGA || w->kind == WEFT_NETWORK_BASELINE)
           && !weft_topology_is_end(&w->topology, stage);
}

static bool at_edge(const struct network *w, uint32_t node)
{
    const struct weft_grid *grid = &w->topology.grid;
    struct weft_place_on_grid on = weft_grid_place(grid, node);
    return on.row == 0 || on.column == 0 || on.row + 1 == grid->rows
           || on.column + 1 == grid->columns;
}

static void draw_node(struct weft_frame *frame, const struct network *w,
                      const struct room *room, uint32_t node)
{
    const struct weft_theme *theme = frame->theme;
    uint32_t place, stage = weft_topology_stage(&w->topology, node, &place);
    struct weft_spot at = spot_of(w, room, node);
    double r = room->radius;
    bool end = weft_topology_is_end(&w->topology, stage);
    if (end && place >= w->d.n_groups) {
        diagram_draw_unused(frame, at, r);
        return;
    }
    struct weft_paint paint = { .fill = end ? theme->panel : theme->grid,
                                .stroke = end ? theme->text : theme->quiet,
                                .stroke_width = 1 };
    struct weft_mark *mark =
        is_switch(w, stage)
            ? weft_scene_rect(frame->scene,
                              (struct weft_rect){ at.x - r, at.y - r, 2 * r, 2 * r }, paint)
            : weft_scene_glyph(frame->scene, WEFT_GLYPH_CIRCLE,
                               (struct weft_point){ at.x, at.y }, 2 * r, 0, paint);
    if (!end) {
        weft_mark_title(frame->scene, mark, "stage %" PRIu32 ", %s %" PRIu32, stage,
                        is_switch(w, stage) ? "switch" : "node", place);
        return;
    }
    weft_mark_title(frame->scene, mark,
                    "%s %s · messages in: %" PRIu64 " · messages out: %" PRIu64,
                    w->d.each > 1 ? "processors" : "processor", diagram_name(&w->d, place),
                    w->d.in[place], w->d.out[place]);
    if (mark && w->d.each == 1)
        mark->id = weft_container_id(w->d.processors->processors[place].container, false);
}

/* ---- Numbers ---- */

/* Labels the first and last stage, in several columns where rows are narrow. */
static void label_ends(struct weft_frame *frame, const struct network *w,
                       const struct room *room)
{
    const struct end_labels *labels = &room->labels;
    for (uint32_t place = 0; place < w->d.n_groups; place += labels->every) {
        uint32_t column = place / labels->every % labels->columns;
        for (int last = 0; last < 2; last++) {
            uint32_t node =
                weft_topology_node(&w->topology, last ? w->topology.stages - 1 : 0, place);
            struct weft_spot at = spot_of(w, room, node);
            double side = last ? 1 : -1;
            double x = at.x + side * (room->radius + GAP + column * labels->width);
            if (column)
                weft_scene_line(
                    frame->scene, (struct weft_point){ at.x + side * room->radius, at.y },
                    (struct weft_point){ x - side * 2, at.y },
                    (struct weft_paint){ .stroke = frame->theme->grid, .stroke_width = 1 });
            weft_scene_text(frame->scene, (struct weft_point){ x, at.y + 4 },
                            last ? WEFT_ANCHOR_START : WEFT_ANCHOR_END, WEFT_FONT_SANS,
                            WEFT_SMALL_SIZE, frame->theme->text,
                            diagram_label(&w->d, place));
        }
    }
}

/*
 * Sets the directions in which a node's label is tried, those with fewest links first;
 * returns how many.
 */
static size_t sides_of(const struct network *w, uint32_t node, double sides[4][2])
{
    static const double around[4][2] = { { 0, 1 }, { 1, 0 }, { -1, 0 }, { 0, -1 } };
    static const double above[4][2] = { { 1, -0.6 }, { -1, -0.6 }, { 1, 0.6 }, { 0, -1 } };
    uint32_t children = w->kind == WEFT_NETWORK_QUADTREE ? 4 : 2;
    bool inner = is_tree(w) && (uint64_t)node * children + 1 < w->topology.n;
    memcpy(sides, inner ? above : around, sizeof above);
    if (w->kind == WEFT_NETWORK_MESH && at_edge(w, node)) {
        struct weft_place_on_grid on = weft_grid_place(&w->topology.grid, node);
        sides[0][0] = on.column == 0 ? -1 : on.column + 1 == w->topology.grid.columns;
        sides[0][1] = sides[0][0] != 0 ? 0 : on.row == 0 ? -1 : 1;
        return 1;
    }
    return 4;
}

/* Writes the label into the node, else beside it where nothing is, else nowhere. */
static void label_node(struct weft_frame *frame, const struct network *w,
                       const struct room *room, uint32_t node,
                       struct diagram_labels *labels)
{
    double sides[4][2];
    size_t n_sides = sides_of(w, node, sides);
    uint32_t place, stage = weft_topology_stage(&w->topology, node, &place);
    const char *text = weft_topology_is_end(&w->topology, stage)
                           ? diagram_label(&w->d, place)
                           : weft_arena_printf(w->d.arena, "%" PRIu32, place);
    double width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text), r = room->radius;
    struct weft_spot at = spot_of(w, room, node);
    struct weft_spot found = { at.x, at.y };
    bool inside = hypot(width, 8) + 2 <= 2 * r, fits = inside;
    for (size_t i = 0; i < n_sides && !fits; i++) {
        found.x = at.x + sides[i][0] * (r + 2 + width / 2);
        found.y = at.y + sides[i][1] * (r + 7);
        struct weft_rect box = { found.x - width / 2 - 1, found.y - 5, width + 2, 10 };
        fits = box.x >= 0 && box.x + box.width <= frame->scene->width
               && box.y >= frame->plot.y - 2
               && box.y + box.height <= frame->plot.y + frame->plot.height + 2
               && diagram_try(labels, box);
        if (fits)
            weft_scene_rect(frame->scene, box,
                            (struct weft_paint){ .fill = frame->theme->panel });
    }
    if (fits)
        weft_scene_text(frame->scene, (struct weft_point){ found.x, found.y + 4 },
                        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        frame->theme->text, text);
}

static void draw_nodes(struct weft_frame *frame, const struct network *w,
                       const struct room *room)
{
    const struct weft_topology *t = &w->topology;
    struct diagram_labels labels = { .arena = w->d.arena };
    double r = room->radius;
    weft_scene_layer(frame->scene, "nodes",
                     (struct weft_rect){ 0, frame->plot.y - 2, frame->scene->width,
                                         frame->plot.height + 4 },
                     WEFT_LAYER_FIXED);
    for (uint32_t node = 0; node < t->n_nodes; node++) {
        struct weft_spot at = spot_of(w, room, node);
        diagram_reserve(&labels, (struct weft_rect){ at.x - r, at.y - r, 2 * r, 2 * r });
        draw_node(frame, w, room, node);
    }
    if (is_multistage(w))
        label_ends(frame, w, room);
    for (uint32_t node = 0; node < t->n_nodes; node++) {
        uint32_t place, stage = weft_topology_stage(t, node, &place);
        bool end = weft_topology_is_end(t, stage);
        bool always = end && (is_tree(w) || (!is_multistage(w) && at_edge(w, node)));
        bool asked = w->inner_numbers && (!end || !is_multistage(w));
        if ((always || asked) && (!end || place < w->d.n_groups))
            label_node(frame, w, room, node, &labels);
    }
}

/* ---- Links ---- */

static struct weft_mark *draw_link(struct weft_frame *frame, const struct network *w,
                                   const struct room *room, uint64_t link,
                                   struct weft_paint paint)
{
    uint32_t from, to;
    weft_topology_ends(&w->topology, link, &from, &to);
    struct weft_spot a = spot_of(w, room, from), b = spot_of(w, room, to);
    /* A switch's upper wire leaves from its upper half. */
    bool wires = w->kind == WEFT_NETWORK_OMEGA || w->kind == WEFT_NETWORK_BASELINE;
    uint32_t place, stage = weft_topology_stage(&w->topology, from, &place);
    if (wires && stage)
        a.y += (link % 2 ? 0.5 : -0.5) * room->radius;
    return weft_scene_line(frame->scene, (struct weft_point){ a.x, a.y },
                           (struct weft_point){ b.x, b.y }, paint);
}

static void draw_skeleton(struct weft_frame *frame, const struct network *w,
                          const struct room *room)
{
    const struct weft_paint paint = { .stroke = frame->theme->grid, .stroke_width = 1 };
    weft_scene_layer(frame->scene, "links", frame->plot, WEFT_LAYER_FIXED);
    for (uint64_t link = 0; link < w->topology.n_links; link++)
        if (w->topology.n_links <= MAX_SKELETON && !w->loads[link])
            draw_link(frame, w, room, link, paint);
}

static void draw_loads(struct weft_frame *frame, const struct network *w,
                       const struct room *room)
{
    const struct weft_theme *theme = frame->theme;
    weft_scene_layer(frame->scene, "messages", frame->plot, WEFT_LAYER_FIXED);
    for (size_t i = w->first; i < w->n_used; i++) {
        uint64_t link = w->used[i], load = w->loads[link];
        bool stays = weft_topology_stays(&w->topology, link);
        uint32_t from, to, step = diagram_step(&w->scale, load);
        weft_topology_ends(&w->topology, link, &from, &to);
        struct weft_paint paint = {
            .stroke = stays ? theme->grid : diagram_heat(theme, &w->scale, step),
            .stroke_width = stays ? 1
                                  : (float)fmin(diagram_width(theme, &w->scale, step),
                                                fmax(1, room->spacing * 0.45)),
            .dash = stays ? 3 : 0,
        };
        weft_mark_title(frame->scene, draw_link(frame, w, room, link, paint),
                        stays ? "%s stays · %s%" PRIu64 " messages"
                              : "%s \xe2\x80\x93 %s · %" PRIu64 " messages",
                        network_node_name(w, from), stays ? "" : network_node_name(w, to),
                        load);
    }
}

void network_draw(struct weft_frame *frame, const struct network *w)
{
    struct room room = lay_out(w, frame->plot);
    draw_skeleton(frame, w, &room);
    draw_loads(frame, w, &room);
    draw_nodes(frame, w, &room);
}
