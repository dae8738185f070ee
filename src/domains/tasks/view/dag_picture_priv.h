/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the pictures of task DAGs: dag.c reads the settings and composes the picture,
 * dag_prepared.c has the layouts that frames share, dag_visible_nodes.c finds the visible
 * nodes and their positions, dag_edges.c draws the edges and dag_draw_nodes.c the nodes,
 * dag_colors.c defines the colours, dag_table.c makes the table and finds the node at a
 * point.  DAGs of round nodes and of long nodes are two views of the same code.
 */
#ifndef WEFT_VIEW_TASKS_DAG_PICTURE_PRIV_H
#define WEFT_VIEW_TASKS_DAG_PICTURE_PRIV_H

#include "domains/tasks/model/dag_layout.h"
#include "domains/tasks/view/dag_facts.h"
#include "view/picture_frame.h"
#include "view/prepare.h"

/* The property of a node that its colour shows; BEGIN, END and BOTH: source lines. */
enum dag_color {
    DAG_BY_WORKER,
    DAG_BY_CPU,
    DAG_BY_KIND,
    DAG_BY_BEGIN,
    DAG_BY_END,
    DAG_BY_BOTH,
};
/* How edges are drawn: straight lines, vertical and horizontal ones with two corners,
   curves, or not at all. */
enum dag_edges { DAG_STRAIGHT, DAG_DOWN, DAG_WINDING, DAG_NO_EDGES };

/* The most children of open sections and tasks that are read for one picture: one whose
   children would exceed this is drawn closed. */
enum { DAG_MAX_READ_NODES = 100000 };

/* A visible leaf, section or task; coordinates in pixels. */
struct dag_place {
    struct weft_dag_child child;
    uint32_t depth;       /* boxes around it */
    struct weft_point at; /* its position: where edges arrive */
    struct weft_rect box; /* its bounding box */
    bool entered;         /* its children are drawn */
    bool is_critical;     /* on the critical path */
    bool has_next;      /* a node follows it: its next sibling, else what follows its box */
    bool next_critical; /* ... and the edge to that is on the critical path */
    struct weft_point next; /* ... at this position */
};

/* A visible edge between two positions, in pixels. */
struct dag_edge {
    struct weft_point from, to;
    bool is_critical; /* on the critical path */
};

/* A cache of the colours, labels and places of nodes, which only dag_colors.c reads. */
struct dag_memo;

/* A picture or table of a task DAG while it is made: dag_begin() fills it in, dag_end()
   frees its memory.  The request's arena owns texts. */
struct dag_picture {
    /* By performance counter: it was counted, so its column of the table has values.  Only
       dag_table() sets this. */
    bool counted[WEFT_DAG_COUNTERS];
    const struct weft_request *request;
    struct weft_arena *arena;
    struct weft_scene *scene;
    struct weft_frame frame;

    const struct weft_source *source;
    const struct weft_schema *schema;
    const struct weft_dag *dag; /* held by the request */
    const struct weft_dag_layout *layout;
    struct weft_dag_style style;

    enum dag_color color;
    struct dag_memo *memo;                   /* NULL: nothing is cached */
    const struct dag_place_numbers *numbers; /* for colours by place, held by the request */
    enum dag_edges edges;
    bool critical, click_opens; /* draws the critical path; a click opens or closes a box */
    double radius;              /* share of its room that a node fills: 0 to 1 */
    uint32_t asked;             /* depth in the settings, or WEFT_DAG_ALL */
    uint32_t depth;             /* nodes less deep than this are open, or WEFT_DAG_ALL */
    uint32_t marked;            /* the node that is outlined, or WEFT_NONE */
    /* Nodes (weft_dag_layout_id()) that the user has opened at or below the depth, closed
       above it, and tagged (their facts are shown). */
    struct weft_entity_set opened, closed, tags;

    struct weft_rect plot;  /* part of the picture that has the DAG, in pixels */
    struct weft_point root; /* the root's position, in pixels */
    double across, down;    /* pixels of a node's width, horizontally and vertically */

    struct dag_place *places; /* visible nodes, outer boxes first */
    size_t n_places, place_capacity;
    struct dag_edge *arcs; /* visible edges */
    size_t n_arcs, arc_capacity;
    uint64_t n_seen; /* nodes that are drawn one by one, including open boxes */
    uint64_t hidden; /* nodes covered by others, or in open boxes too small to show them */
    /* Nodes in boxes with more than DAG_MAX_READ_NODES children: closed at any zoom. */
    uint64_t crowded;
    uint32_t deepest; /* depth of the deepest visible node */
};

/* ---- dag_prepared.c ---- */

/* Returns the DAG of the first trace of USE's request, which pictures share, valid until
   USE ends; NULL with WEFT_ERR_FORMAT if the trace has none. */
const struct weft_dag *dag_opened(struct weft_use *use, struct weft_err *err);
/*
 * Returns the layout that p->style, p->depth, p->opened and p->closed ask for, which
 * pictures share, valid until the request's use ends; sets p->depth to the layout's depth.
 * If p->depth is WEFT_DAG_ALL and the DAG has more than 4 million nodes, a depth with at
 * most 10000 is chosen instead.  NULL with *ERR on failure; p->depth is then unchanged.
 */
const struct weft_dag_layout *dag_layout_of(struct dag_picture *p, struct weft_err *err);

/* ---- dag_source_line_colors.c ---- */

/* Numbers of source lines, by frequency, for colours: a preparation (a result computed
   once, which pictures share). */
struct dag_place_numbers;
/*
 * If nodes are coloured by source line (p->color), sets p->numbers, held by the request: it
 * numbers the 256 most frequent lines (or pairs of lines) among the first 2^20 nodes from
 * 0, the most frequent first, for their colours.  Else does nothing and returns true.
 * Returns false with *ERR if the DAG cannot be opened or the job is cancelled.
 */
bool dag_number_places(struct dag_picture *p, struct weft_err *err);
/* Returns the number from 0 to 255, by frequency, of the source line (or pair of lines)
   whose dag_place_label() is LABEL; WEFT_NONE if it is rare. */
uint32_t dag_place_number(const struct dag_place_numbers *numbers, const char *label);
/* Returns the source line at which NODE begins if COLOR is DAG_BY_BEGIN, or ends if it is
   DAG_BY_END ("sort.c:10"); else both ("sort.c:10 – ?": the end is unknown).  NULL if it
   is, or both are, unknown.  ARENA or SCHEMA owns the text.  */
const char *dag_place_label(const struct weft_schema *schema,
                            const struct weft_dag_node *node, enum dag_color color,
                            struct weft_arena *arena);

/* ---- dag_visible_nodes.c ---- */

/*
 * Sets p->plot, p->root, p->across and p->down (room, position and scale of the DAG) from
 * the picture's frame, layout and settings, and puts position and zoom into p->scene's
 * frame.
 */
void dag_place_root(struct dag_picture *p);
/*
 * Finds the visible nodes and edges of the picture, by p->root and its scale: replaces what
 * is in p->places and p->arcs, whose memory is used again, and sets the counts of nodes.
 * May be called again as it is; dag_walk_free() frees both arrays in the end.
 */
void dag_walk(struct dag_picture *p);
/* Puts the rectangle of the marked node, or of the closed box around it, in pixels, into
   the scene's frame, also if it is outside the picture; no effect if p->marked is
   WEFT_NONE. */
void dag_tell_marked(struct dag_picture *p);
/* Frees p->places and p->arcs, if dag_walk() has made them; may be called twice. */
void dag_walk_free(struct dag_picture *p);

/* ---- dag_edges.c, dag_draw_nodes.c ---- */

/*
 * Adds an edge between the positions FROM and TO, in pixels, to p->arcs, unless it is
 * outside the plot or shorter than 1.5 pixels.  An edge that is not critical (on the
 * critical path: IS_CRITICAL) is left out, too, if p->edges is DAG_NO_EDGES or there are
 * 20000 already.
 */
void dag_add_edge(struct dag_picture *p, struct weft_point from, struct weft_point to,
                  bool is_critical);
/* Draws the edges p->arcs into the scene: those on the critical path if CRITICAL, else the
   others. */
void dag_draw_edges(struct dag_picture *p, bool critical);
/*
 * Draws the orders (a node could not begin before a task had ended) between what is visible
 * into the scene, as lines (dag_draw_order_lines.c): those of the marked node, and all if
 * the DAG has at most 2000.  None if p->edges is DAG_NO_EDGES.
 */
void dag_draw_orders(struct dag_picture *p);
/* Draws what dag_walk() has found into the scene: open boxes, edges, orders, the critical
   path, nodes, names, the marked node and the tags, each in a layer of its own. */
void dag_draw(struct dag_picture *p);
/*
 * Draws the rectangle BOX with PAINT and round corners of radius CORNER pixels, reduced to
 * half of BOX's shorter side if that is less; a radius below 1.5 gives sharp corners.
 * Returns its mark, which the scene owns, or NULL if the scene has none for it.
 */
struct weft_mark *dag_round_box(struct weft_scene *scene, struct weft_rect box,
                                double corner, struct weft_paint paint);

/* ---- dag_colors.c ---- */

/* Returns a new cache for the colours and titles of many nodes of one picture, which ARENA
   owns; the caller sets p->memo to it. */
struct dag_memo *dag_memo_new(struct weft_arena *arena);

/* Returns the colour of a node, whose fields are NODE, by p->color, and sets *LABEL to its
   meaning for the legend, valid as long as p->arena and the trace; a damaged node has a
   colour of its own. */
struct weft_swatch dag_swatch(const struct dag_picture *p, const struct weft_dag_node *node,
                              const char **label);
/* Returns the sort key of a node's colour in a legend: the number of worker, CPU or kind
   plus 1, with 0 for an unknown one; 0 for source lines, which are sorted by frequency. */
uint32_t dag_legend_number(const struct dag_picture *p, const struct weft_dag_node *node);
/* Sets *OUT to the legend of the colours of p->places, an array in p->arena, and returns
   the number of its entries, at most 64: further colours are left out.  Open boxes and
   damaged nodes do not count. */
size_t dag_legend(struct dag_picture *p, struct weft_legend_entry **out);

/* Returns a title of NODE, in p->arena: "task 12 · thread 3 · work 1.2 ms · sort.c:10 –
   sort.c:12", without the worker and places that are unknown; "damaged: ..." for a damaged
   node.  ALL has the fields of NODE. */
const char *dag_title(const struct dag_picture *p, uint32_t node,
                      const struct weft_dag_node *all);

/* ---- dag.c, dag_table.c ---- */

/* Returns true if the first trace of SET has a task DAG; the `fills` function of the views
   of a DAG. */
bool dag_fills(const struct weft_set *set);
/* Fills in *P: opens the DAG of the request's first trace, reads the request's settings and
   gets the layout; draws nothing.  Returns true, and dag_end() frees what *P has; or false
   with *ERR and nothing to free.  REQUEST and SCENE must outlive P. */
bool dag_begin(struct dag_picture *p, const struct weft_request *request,
               struct weft_scene *scene, struct weft_err *err);
/* Begins the frame of p->scene with its legend and finds the visible nodes (dag_walk());
   returns the rectangle for the status line, in pixels, of size 0 if there is no room. */
struct weft_rect dag_lay_out(struct dag_picture *p);
/* Frees the memory of P, not P itself, nor the DAG and the layout, which the request's use
   holds. */
void dag_end(struct dag_picture *p);
enum { DAG_COLUMNS = 43 }; /* number of dag_columns */
/* Columns of the tables of the views of round and of long nodes, in the order of
   dag_table()'s cells. */
extern const struct weft_column dag_columns[DAG_COLUMNS];
/* Writes a row for each visible node of the picture that REQUEST asks for into OUT, with
   the columns dag_columns; the `table` function of the views of a DAG.  Returns false with
   *ERR, before any row, if the DAG cannot be drawn. */
bool dag_table(const struct weft_request *request, struct weft_table *out,
               struct weft_err *err);
/* Finds the innermost visible node at the pixel AT, or the nearest within 6 pixels, of the
   picture that REQUEST asks for; the `point` function of the views of a DAG.  Sets *ID to
   its weft_dag_mark_id() and writes its facts into TABLE; without a node *ID is unchanged
   and TABLE has no rows.  Returns true in both cases; false with *ERR if the DAG cannot be
   drawn. */
bool dag_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
               struct weft_table *table, struct weft_err *err);

#endif
