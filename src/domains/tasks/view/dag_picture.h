/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the pictures of task DAGs: dag.c reads the settings and puts a picture together,
 * dag_prepared.c has the layouts that frames share, dag_walk.c finds out what can be seen and
 * where, dag_edges.c draws the edges and dag_marks.c the nodes, dag_colors.c says what colours
 * mean, dag_table.c gives the table and what is at a point.
 * DAGs of round nodes and of long nodes are two views of the same code.
 */
#ifndef WEFT_VIEW_TASKS_DAG_PICTURE_H
#define WEFT_VIEW_TASKS_DAG_PICTURE_H

#include "domains/tasks/model/dag_layout.h"
#include "domains/tasks/view/dag_facts.h"
#include "view/frame.h"
#include "view/prepare.h"

enum dag_color {
    DAG_BY_WORKER,
    DAG_BY_CPU,
    DAG_BY_KIND,
    DAG_BY_BEGIN,
    DAG_BY_END,
    DAG_BY_BOTH,
};
enum dag_edges { DAG_STRAIGHT, DAG_DOWN, DAG_WINDING, DAG_NO_EDGES };

/* Things that a picture looks at; a box with more of them directly inside is drawn closed. */
enum { DAG_MOST_READ = 100000 };

/* A thing that is seen, or a box that something seen is inside of. */
struct dag_place {
    struct weft_dag_child child;
    uint32_t depth;
    struct weft_point at; /* its place in pixels */
    struct weft_rect box;
    bool entered;       /* what is inside is drawn */
    bool is_critical;   /* on the critical path */
    bool has_next;      /* something comes after it, at */
    bool next_critical; /* and the critical path goes there */
    struct weft_point next;
};

struct dag_edge {
    struct weft_point from, to;
    bool is_critical;
};

struct dag_memo; /* what was found out of nodes alike, for dag_colors.c */

struct dag_picture {
    bool counted[WEFT_DAG_COUNTERS]; /* columns of the table */
    const struct weft_request *request;
    const struct weft_view *view;
    struct weft_arena *arena;
    struct weft_scene *scene;
    struct weft_frame frame;
    struct weft_use prepared;

    const struct weft_source *source;
    const struct weft_schema *schema;
    const struct weft_dag *dag; /* held by prepared */
    const struct weft_dag_layout *layout;
    struct weft_dag_style style;

    enum dag_color color;
    struct dag_memo *memo;                   /* or NULL */
    const struct dag_place_numbers *numbers; /* of colours by places, held by prepared */
    enum dag_edges edges;
    bool critical, click_opens;
    double radius;   /* of its room, how much a node takes: 0 to 1 */
    uint32_t asked;  /* depth, or WEFT_DAG_ALL */
    uint32_t depth;  /* to which things are open, or WEFT_DAG_ALL */
    uint32_t marked; /* node, or WEFT_NONE */
    struct weft_entity_set opened, closed, tags;

    struct weft_rect plot;
    struct weft_point root; /* the root's place, in pixels */
    double across, down;    /* pixels of a length of 1 */

    struct dag_place *places;
    size_t n_places, place_capacity;
    struct dag_edge *arcs;
    size_t n_arcs, arc_capacity;
    uint64_t n_seen; /* nodes that are drawn as such, open boxes among them */
    uint64_t hidden; /* nodes in boxes that are drawn closed, though they are not */
    /* The same in boxes with more than DAG_MOST_READ things: these are closed at any zoom. */
    uint64_t crowded;
    uint32_t deepest;
};

/* ---- dag_prepared.c ---- */

/* The DAG of the request's first trace. */
const struct weft_dag *dag_opened(struct weft_use *use, struct weft_err *err);
/* The layout that a picture's settings ask for; held by p->prepared. */
const struct weft_dag_layout *dag_layout_of(struct dag_picture *p, struct weft_err *err);

/* ---- dag_places.c ---- */

struct dag_place_numbers;
/*
 * Where colours say places in the program, number those, the most frequent first, so that what
 * is seen most has colours of its own; false with *err.
 */
bool dag_number_places(struct dag_picture *p, struct weft_err *err);
/* The number of what a place is called, or WEFT_NONE: it is a rare one. */
uint32_t dag_place_number(const struct dag_place_numbers *numbers, const char *label);
/* What colours call the place of a node, in ARENA; NULL: it is not known. */
const char *dag_place_label(const struct weft_schema *schema,
                            const struct weft_dag_node *node, enum dag_color color,
                            struct weft_arena *arena);

/* ---- dag_walk.c ---- */

/* Set root, across and down from the plot and the settings, and tell the page. */
void dag_place_root(struct dag_picture *p);
void dag_walk(struct dag_picture *p);
/* Tell the page where the marked node is, or the closed box that it is inside of. */
void dag_tell_marked(struct dag_picture *p);
void dag_walk_free(struct dag_picture *p);

/* ---- dag_edges.c, dag_marks.c ---- */

/*
 * Note the edge from what comes before a point to it, if any of it may be seen.
 */
void dag_add_edge(struct dag_picture *p, struct weft_point from, struct weft_point to,
                  bool is_critical);
void dag_draw_edges(struct dag_picture *p, bool critical);
void dag_draw(struct dag_picture *p);
/* A box with round corners. */
struct weft_mark *dag_round_box(struct weft_scene *scene, struct weft_rect box,
                                double corner, struct weft_paint paint);

/* ---- dag_colors.c ---- */

/* Makes colours and titles of many nodes quick, as long as the arena is not reset. */
struct dag_memo *dag_memo_new(struct weft_arena *arena);

/* What a node's colour says, as a text, and the colour. */
struct weft_swatch dag_swatch(const struct dag_picture *p, const struct weft_dag_node *node,
                              const char **label);
/* Where that comes in a legend: by number of worker, CPU or kind; 0: by how often it is seen. */
uint32_t dag_legend_number(const struct dag_picture *p, const struct weft_dag_node *node);
/* The legend of what is drawn; in p->arena. */
size_t dag_legend(struct dag_picture *p, struct weft_legend_entry **out);

/* "task 12 · thread 3 · work 1.2 ms · sort.c:10 – sort.c:12" */
const char *dag_title(const struct dag_picture *p, uint32_t node,
                      const struct weft_dag_node *all);

/* ---- dag.c, dag_table.c ---- */

bool dag_begin(struct dag_picture *p, const struct weft_view *view,
               const struct weft_request *request, struct weft_arena *arena,
               struct weft_scene *scene, struct weft_err *err);
/* Begin the frame, and find and place what can be seen; returns the line for the status. */
struct weft_rect dag_lay_out(struct dag_picture *p);
void dag_end(struct dag_picture *p);
/* Of both views' tables. */
enum { DAG_COLUMNS = 42 };
extern const struct weft_column dag_columns[DAG_COLUMNS];
bool dag_table(const struct weft_view *view, const struct weft_request *request,
               struct weft_table *out, struct weft_err *err);
bool dag_point(const struct weft_view *view, const struct weft_request *request,
               struct weft_point at, uint64_t *id, struct weft_table *table,
               struct weft_err *err);

#endif
