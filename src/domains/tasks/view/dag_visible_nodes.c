/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the visible nodes of a DAG, from the root inwards, breadth first.  A box outside
 * the picture is not entered, nor one whose children would be too small to see or exceed
 * the limit of marks; it is drawn as if it were closed.  So a frame costs as much as it
 * shows, however large the DAG is.
 */
#include <math.h>
#include <stdlib.h>

#include "domains/tasks/view/dag_picture_priv.h"

enum {
    UNIT = 20,       /* pixels of a node's width at zoom 1 */
    LARGEST = 36,    /* ... and if the whole DAG fits */
    MARGIN = 10,     /* pixels around the DAG */
    MAX_SEEN = 3000, /* nodes in a picture; more cannot be told apart, and cost time */
    MIN_SIDE = 5,    /* pixels: a box is entered if its larger side has this ... */
};
static const double least_side = 1.5; /* ... and its smaller side this */

static void fit(struct dag_picture *p, struct weft_dag_size size)
{
    double width = fmax(p->plot.width - 2 * MARGIN, 1),
           height = fmax(p->plot.height - 2 * MARGIN, 1);
    p->across = fmin(width / (size.left + size.right), LARGEST);
    p->down = fmin(height / size.down, LARGEST);
    double spare_x = width - p->across * (size.left + size.right),
           spare_y = height - p->down * size.down;
    p->root = (struct weft_point){ p->plot.x + MARGIN + spare_x / 2 + p->across * size.left,
                                   p->plot.y + MARGIN + spare_y / 2 };
}

void dag_place_root(struct dag_picture *p)
{
    double zoom = weft_setting_number(p->request, "zoom");
    double tall = weft_setting_number(p->request, "tall");
    struct weft_scene_frame *frame = &p->scene->frame;
    p->plot = p->frame.plot;
    fit(p, weft_dag_layout_root(p->layout).size);
    if (zoom > 0) {
        p->across = zoom * UNIT;
        p->down = p->across * (tall > 0 ? tall : 1);
        p->root = (struct weft_point){
            p->plot.x + weft_setting_number(p->request, "x") * p->plot.width,
            p->plot.y + weft_setting_number(p->request, "y") * p->plot.height
        };
    }
    frame->zooms = true;
    frame->anchor = p->root;
    frame->zoom = p->across / UNIT;
    frame->tall = p->down / p->across;
}

/* ---- Places ---- */

static struct weft_rect box_at(const struct dag_picture *p, struct weft_point at,
                               struct weft_dag_size size)
{
    return (struct weft_rect){ at.x - size.left * p->across, at.y,
                               (size.left + size.right) * p->across, size.down * p->down };
}

static bool is_in_plot(const struct dag_picture *p, struct weft_rect box)
{
    const double slack = 4; /* pixels: widths of lines */
    return box.x < p->plot.x + p->plot.width + slack
           && box.x + box.width > p->plot.x - slack
           && box.y < p->plot.y + p->plot.height + slack
           && box.y + box.height > p->plot.y - slack;
}

static void add_place(struct dag_picture *p, const struct dag_place *place)
{
    p->places =
        weft_grow(p->places, &p->place_capacity, p->n_places + 1, sizeof *p->places);
    p->places[p->n_places++] = *place;
    if (place->depth > p->deepest)
        p->deepest = place->depth;
}

static struct weft_point exit_of(const struct dag_picture *p, const struct dag_place *place)
{
    return (struct weft_point){ place->at.x + place->child.size.tail * p->across,
                                place->box.y + place->box.height };
}

/* ---- The critical path ---- */

/* Marks the critical path of work inside a box: ON_PATH[n], by child.  After a create it
   continues in the created task or after the create, whichever is longer. */
static void find_path(struct dag_picture *p, const struct weft_dag_child *list, size_t n,
                      bool *on_path)
{
    double *after = weft_arena_alloc(p->arena, (n + 1) * sizeof *after);
    struct weft_dag_node all;
    after[n] = 0;
    for (size_t i = n; i-- > 0;) { /* a task follows its create in the list */
        weft_dag_node(p->dag, list[i].node, &all);
        double own = (double)all.critical_path, rest = after[i + 1];
        if (i + 1 < n && list[i + 1].is_created) {
            double rest_of_box = i + 2 < n ? after[i + 2] : 0;
            rest = fmax(after[i + 1], rest_of_box);
        }
        after[i] = list[i].is_created ? own : own + rest;
    }
    for (size_t i = 0; i < n; i++) {
        on_path[i] = true;
        if (i + 1 >= n || !list[i + 1].is_created)
            continue;
        bool in_task = after[i + 1] > (i + 2 < n ? after[i + 2] : -1);
        on_path[i + 1] = in_task;
        if (in_task)
            return; /* the rest is off the path */
        i++;
    }
}

/* ---- Entering ---- */

static bool may_enter(const struct dag_place *place)
{
    double smaller = fmin(place->box.width, place->box.height),
           larger = fmax(place->box.width, place->box.height);
    return place->child.open && larger >= MIN_SIDE && smaller >= least_side;
}

/* Links each node to its next sibling, or to the successor of the box. */
static void link_next(const struct dag_picture *p, const struct dag_place *box,
                      const struct weft_dag_child *list, size_t n, size_t i,
                      const bool *on_path, struct dag_place *place)
{
    size_t next = i + 1;
    while (next < n && list[next].is_created)
        next++;
    place->has_next = box->has_next;
    place->next = box->next;
    place->next_critical = box->next_critical && place->is_critical;
    if (list[i].is_created || next >= n)
        return;
    place->has_next = true;
    place->next = (struct weft_point){ box->at.x + list[next].x * p->across,
                                       box->at.y + list[next].y * p->down };
    place->next_critical = place->is_critical && on_path[next];
}

static void count_hidden(struct dag_picture *p, const struct dag_place *place)
{
    struct weft_dag_node all;
    weft_dag_node(p->dag, place->child.node, &all);
    p->hidden += place->child.open ? all.materialized : 1;
}

/* If siblings are too small to enter, one is drawn in each pixel. */
static bool is_hidden_by(const struct dag_place *before, const struct dag_place *place)
{
    return before && fmin(place->box.width, place->box.height) < 1
           && floor(before->at.x) == floor(place->at.x)
           && floor(before->at.y) == floor(place->at.y);
}

static void enter(struct dag_picture *p, size_t index, size_t *n_read)
{
    struct dag_place box = p->places[index];
    size_t n;
    const struct weft_dag_child *list =
        weft_dag_layout_children(p->layout, &box.child, p->arena, &n);
    bool *on_path = weft_arena_zalloc(p->arena, n + 1, sizeof *on_path);
    const struct dag_place *before = NULL; /* the previous sibling in the picture */
    if (p->critical && box.is_critical)
        find_path(p, list, n, on_path);
    *n_read += n;
    p->places[index].entered = true;
    for (size_t i = 0; i < n; i++) {
        struct dag_place place = { .child = list[i],
                                   .depth = box.depth + 1,
                                   .at = { box.at.x + list[i].x * p->across,
                                           box.at.y + list[i].y * p->down },
                                   .is_critical = on_path[i] };
        place.box = box_at(p, place.at, list[i].size);
        link_next(p, &box, list, n, i, on_path, &place);
        if (i == 0 && index) /* the edge into the box; none leads into the root */
            dag_add_edge(p, box.at, place.at, place.is_critical);
        if (list[i].is_created) {
            struct weft_point from = {
                box.at.x + list[i - 1].x * p->across,
                box.at.y + (list[i - 1].y + list[i - 1].size.down) * p->down
            };
            dag_add_edge(p, from, place.at, place.is_critical);
        }
        if (is_in_plot(p, place.box) && is_hidden_by(before, &place)) {
            count_hidden(p, &place);
            continue;
        }
        if (is_in_plot(p, place.box)) {
            add_place(p, &place);
            before = p->places + p->n_places - 1;
        } else if (place.has_next)
            dag_add_edge(p, exit_of(p, &place), place.next, place.next_critical);
    }
}

void dag_walk(struct dag_picture *p)
{
    struct dag_place root = { .child = weft_dag_layout_root(p->layout),
                              .at = p->root,
                              .is_critical = p->critical };
    size_t n_read = 0;
    p->n_places = p->n_arcs = 0;
    p->n_seen = p->hidden = p->crowded = 0;
    p->deepest = 0;
    root.box = box_at(p, root.at, root.child.size);
    if (is_in_plot(p, root.box))
        add_place(p, &root);
    for (size_t i = 0; i < p->n_places; i++) {
        struct dag_place *place = &p->places[i];
        struct weft_dag_node all;
        if (may_enter(place) && p->n_places <= MAX_SEEN
            && n_read + place->child.n <= DAG_MAX_READ_NODES) {
            enter(p, i, &n_read);
            p->n_seen++;
            continue;
        }
        if (place->has_next)
            dag_add_edge(p, exit_of(p, place), place->next, place->next_critical);
        p->n_seen++;
        if (!place->child.open)
            continue;
        weft_dag_node(p->dag, place->child.node, &all);
        *(place->child.n > DAG_MAX_READ_NODES ? &p->crowded : &p->hidden) +=
            all.materialized - (all.materialized > 0);
    }
}

/* The innermost box around a node. */
static uint32_t box_of(const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_node shape, parent;
    weft_dag_shape(dag, node, &shape);
    if (shape.parent == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_shape(dag, shape.parent, &parent);
    return parent.kind == WEFT_DAG_CREATE ? parent.parent : shape.parent;
}

void dag_tell_marked(struct dag_picture *p)
{
    uint32_t *chain = NULL;
    size_t n = 0, capacity = 0, n_children;
    if (p->marked == WEFT_NONE)
        return;
    for (uint32_t node = p->marked; node != WEFT_NONE; node = box_of(p->dag, node)) {
        chain = weft_grow(chain, &capacity, n + 1, sizeof *chain);
        chain[n++] = node;
    }
    struct weft_dag_child at = weft_dag_layout_root(p->layout);
    struct weft_point place = p->root;
    for (size_t i = n - 1; i-- > 0 && at.open;) {
        struct weft_arena arena = { 0 };
        const struct weft_dag_child *list =
            weft_dag_layout_children(p->layout, &at, &arena, &n_children);
        for (size_t k = 0; k < n_children; k++)
            if (list[k].node == chain[i]) {
                at = list[k];
                place.x += at.x * p->across;
                place.y += at.y * p->down;
                break;
            }
        weft_arena_free(&arena);
    }
    free(chain);
    p->scene->frame.has_marked = true;
    p->scene->frame.marked = box_at(p, place, at.size);
}

void dag_walk_free(struct dag_picture *p)
{
    free(p->places);
    free(p->arcs);
    p->places = NULL;
    p->arcs = NULL;
    p->place_capacity = p->arc_capacity = 0;
}
