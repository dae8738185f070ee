/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the reduction tree: reduction_tree.c reads the settings and puts the picture
 * together, _visible.c and _divide.c find the visible nodes and their sectors, _marks.c
 * draws them, _tiny_nodes.c draws nodes that are too small, _names.c writes names, _edges.c
 * draws data dependences and migrations, _path.c the longest path, _legend.c and _caption.c
 * explain the picture, _point.c tells the facts of the node at a point, _wait_facts.c
 * what it waited for.
 */
#ifndef WEFT_VIEW_TREE_REDUCTION_TREE_H
#define WEFT_VIEW_TREE_REDUCTION_TREE_H

#include "domains/trees/view/tree_prepared.h"
#include "domains/trees/view/tree_words.h"
#include "view/picture_frame.h"

/* The number of colours in a picture's ramp (colour scale), and the decades of waiting time
   that it spans: it ends at the longest wait and begins at a thousandth of it. */
enum { RT_RAMP = 256, RT_WAIT_DECADES = 3 };

/* The shape of the picture: rings around the root; bars, children below their parent; or
   levels from top to bottom, with lines and polygons between them. */
enum rt_layout { RT_RADIAL, RT_ICICLE, RT_TOP_DOWN };
/* The quantity that colours show: the row (PE or thread), the time of the begin, the row at
   corners and the time in polygons, the procedure or name, or the waiting time. */
enum rt_color { RT_BY_PE, RT_BY_TIME, RT_BY_PE_AND_TIME, RT_BY_PROCEDURE, RT_BY_WAITING };

/*
 * A node that the picture shows, or several siblings of one procedure drawn as one. Its
 * "children" are the descendants on the next ring of all nodes that it stands for. An entry
 * of p->places, made by rt_walk().
 */
struct rt_place {
    uint32_t node, ring;     /* node of the tree; ring of the layout, from 0, the root's */
    uint32_t times;          /* number of nodes that it stands for */
    const uint32_t *members; /* [times], the first is `node`; NULL for one node */
    struct weft_tree_sector sector; /* its part of the circle or width */
    struct weft_point at; /* pixels: the node's dot; in an icicle the bar's upper left
                             corner */
    uint32_t first, n;    /* its visible children: n entries of p->places from `first` on */
    /* Its children that are too small to see: n_gaps entries of p->gaps from first_gap
       on. */
    uint32_t first_gap, n_gaps;
    uint64_t hidden; /* nodes below it that are too small to see */
    uint64_t folded; /* nodes on levels between its ring and the next, or beyond the last
                        ring */
    /* A chain is a row of places in which each node has one child only. The index in
       p->places of the first place of this one's chain; its own index without a chain. */
    uint32_t chain;
    bool links; /* the chain goes on: it has one child, and so have the nodes folded between
                   it and that child */
};

/* A gap in the picture: children of one place, side by side, that are too small to see.
   An entry of p->gaps, made by rt_walk(). */
struct rt_gap {
    struct weft_tree_sector sector; /* of all of them */
    struct weft_tree_run run;       /* the children, on the ring after their place's */
    uint64_t count;                 /* nodes: the children and all nodes below them */
};

/*
 * The meaning of colours when two runs are compared. RT_SAME: the first run is drawn, in
 * its own colours; the others are for the second run. RT_OWN: its own colours. RT_IN_PE: a
 * node on a PE of another number than in the first run has the colour of that PE.
 * RT_IN_ORDER, RT_IN_TIME: how much earlier or later a node is than in the first run, as a
 * part of the run's nodes or time.
 */
enum rt_difference { RT_SAME, RT_OWN, RT_IN_PE, RT_IN_ORDER, RT_IN_TIME };

/*
 * The tree of one run in a picture, and its colours. Its data are held by the request's
 * weft_use or are in the picture's arena, so nothing is to be freed. A second run that is
 * compared has only `tree`, `schema`, `source` and the swatches.
 */
struct rt_look {
    const struct weft_tree *tree;          /* of the whole run */
    const struct tree_spread *spread;      /* of the shown subtree */
    const struct tree_waits *waits;        /* set if nodes are coloured by waiting, else
                                              NULL */
    const struct weft_tree_layout *layout; /* set once the frame has left room for the
                                              plot */
    const struct weft_schema *schema;
    const struct weft_source *source; /* the trace of the run */
    struct weft_swatch *by_value; /* colours of procedures, by index in schema->values */
    struct weft_swatch *by_pe;    /* [tree->n_pes] colours of rows (PEs or threads) */
};

/*
 * A picture of a tree while it is made: settings, positions and visible nodes. rt_begin()
 * fills in the settings, rt_fill_plot() the rest; rt_end() frees what it holds.
 */
struct rt_picture {
    const struct weft_request *request;
    struct weft_arena *arena; /* the request's */
    struct weft_scene *scene; /* the caller's, which is drawn into */
    struct weft_frame frame;  /* title, legend and room for the plot */
    struct rt_look look;      /* the first run's tree and colours */
    struct tree_words words;  /* words for nodes and rows in texts */

    enum rt_layout layout;      /* rings, bars or lines */
    enum weft_tree_depth depth; /* how levels with a ring are chosen */
    enum tree_size size;        /* what makes a node large */
    uint32_t top;               /* the root of the shown subtree */
    enum rt_color color;        /* what colours show */
    bool spectrum;              /* time has VISTA's colours */
    bool labels, rings;         /* names are written; grey circles are drawn */
    /*
     * When two runs are compared: the second run, drawn in its colours at the places of
     * this one.
     */
    const struct rt_look *other;
    const uint32_t *match; /* by node: that of the other tree, or WEFT_NONE (tree_match_of);
                              NULL without a comparison */
    enum rt_difference difference;

    const char *span_text; /* work, span and parallelism, or NULL */
    weft_color *ramp;      /* [RT_RAMP] colours of time or of waiting */

    int64_t at;      /* ticks: nodes that begin later are not drawn; INT64_MAX: all are */
    uint32_t marked; /* the marked node, or WEFT_NONE */

    struct weft_rect plot;  /* part of the picture that has the tree, in pixels */
    struct weft_point root; /* position of the root, in pixels */
    /*
     * [rings + 1] pixels from the root: to a ring's nodes; in an icicle to a bar's upper
     * edge, which is the lower edge of the ring before.
     */
    double *reach;
    double width; /* width of the whole tree in pixels; icicle and top-down only */

    struct rt_place *places; /* [n_places] visible nodes, each after its parent */
    size_t n_places, place_capacity;
    struct rt_gap *gaps; /* [n_gaps] children that are too small to see */
    size_t n_gaps, gap_capacity;
    /*
     * The nodes without a place of their own, by reason; with the places they add up to all
     * nodes.
     */
    uint64_t merged;             /* merged into a place with another first node */
    uint64_t hidden;             /* too small to see */
    uint64_t folded;             /* on levels without a ring */
    uint64_t later;              /* begin after `at` */
    uint64_t outside;            /* beyond the picture's edge */
    uint64_t edges, edges_drawn; /* edges that the settings ask for; those of them drawn */

    bool merges;        /* equal siblings that are too small to see are merged */
    uint64_t looked_at; /* nodes examined for merging */
    uint32_t *group_of; /* by label: its group among the small siblings at hand; checked by
                           the group's label */
    const bool *found;  /* by label: its name matches the searched text; NULL: no search */
    struct weft_entity_set opened; /* opened chains and merged nodes, each by its first
                                      node */
};

/* ---- reduction_tree_visible.c ---- */

/*
 * Sets p->plot, p->root and, but for rings, p->width, the picture's position and scale in
 * pixels, from the frame's plot, the layout and the settings x, y and zoom; allocates
 * p->reach, the pixels to each ring; and makes the scene zoom about the root.
 */
void rt_place_root(struct rt_picture *p);
/*
 * Returns the pixels from the root to the nodes of ring RING (in an icicle to the upper
 * edge of its bars); RING, at least 0, may be a fraction between two rings. Beyond the last
 * ring, the pixels to the tree's edge.
 */
double rt_reach(const struct rt_picture *p, double ring);
/*
 * Returns the pixels between the nodes of ring RING and those of the next one; for the last
 * ring between it and the one before, for the only ring the plot's shorter side. In an
 * icicle, the height of the ring's bars.
 */
double rt_step(const struct rt_picture *p, uint32_t ring);
/*
 * Finds the visible nodes, from the root outwards: fills in p->places and p->gaps, whose
 * numbers the caller has set to 0, and adds to the counts of other nodes. There is no place
 * if the root begins after p->at. rt_walk_free() frees both lists.
 */
void rt_walk(struct rt_picture *p);
/* Frees p->places and p->gaps and sets them to NULL, but not their numbers to 0; a second
   call is allowed. */
void rt_walk_free(struct rt_picture *p);

/* ---- reduction_tree_divide_sectors.c ---- */

/* Adds the root of the shown subtree, with the whole circle or width, to p->places. */
void rt_open_root(struct rt_picture *p);
/*
 * Divides the sector of p->places[INDEX] among its children: appends those that are visible
 * to p->places, those too small to see to p->gaps, and counts the others. Once for each
 * place, in order.
 */
void rt_open_place(struct rt_picture *p, size_t index);
/*
 * Returns the pixel position on ring RING (a fraction lies between two rings) at PART, from
 * 0 to 1, of the circle, clockwise from the right, or of the width, from the left.
 */
struct weft_point rt_point_at(const struct rt_picture *p, double ring, double part);
/* Returns true if a part of SECTOR, from ring RING outwards, may be within the plot or a
   few pixels beside it; false only if none is. */
bool rt_may_show(const struct rt_picture *p, uint32_t ring, struct weft_tree_sector sector);
/*
 * Returns the pixels that a sector of size PART, a fraction of the whole from 0 to 1,
 * takes: along the circle of the ring after ring RING (for the last ring, along a circle
 * rt_step() pixels outside it); in an icicle or from top to bottom, of the tree's width,
 * the same for every ring.
 */
double rt_pixels(const struct rt_picture *p, uint32_t ring, double part);

/* ---- reduction_tree_draw.c ---- */

/* Draws the tree into p->scene, after rt_fill_plot(): circles of levels, shades of nodes
   too small to see, polygons from nodes to their children, nodes, names and the marked
   node; not edges, the longest path and the status text. */
void rt_draw(struct rt_picture *p);
/* Returns the next ring (drawn level, from 0) after RING whose grey circle, or line if the
   layout is from top to bottom, is drawn: the first whose nodes are at least 9 pixels
   further from the root than RING's. The number of rings if there is none. */
uint32_t rt_next_circle(const struct rt_picture *p, uint32_t ring);
/* Sets p->ramp, in the arena: the RT_RAMP colours of time or, with RT_BY_WAITING, of
   waiting times. p->color and p->spectrum are set. */
void rt_choose_ramp(struct rt_picture *p);
/* Returns the colour at AMOUNT, clamped to 0 to 1, of the picture's ramp (rt_choose_ramp),
   of time or of waiting. */
weft_color rt_time_color(const struct rt_picture *p, double amount);
/*
 * Returns the colour and hatch of the polygon or line from NODE to its children, or of its
 * bar: by p->color (time with RT_BY_PE_AND_TIME). A node that begins outside of the
 * request's window of time, or whose name the search does not match, is grey. While the
 * second run of a comparison is drawn (p->difference is not RT_SAME), by p->difference, and
 * hatched if NODE has no pair there.
 */
struct weft_swatch rt_family_swatch(const struct rt_picture *p, uint32_t node);
/* Returns the one colour that stands for SWATCH on a mark too pale or small for a hatch; in
   black and white, a grey. */
static inline weft_color rt_flat_color(struct weft_swatch swatch)
{
    return swatch.tone ? swatch.tone : swatch.fill;
}
/* Returns the colour and hatch of a node's dot or corner: like rt_family_swatch(), but by
   PE with RT_BY_PE_AND_TIME. */
struct weft_swatch rt_swatch(const struct rt_picture *p, uint32_t node);
/* Returns the text that the page shows when one points at PLACE: name, clause if known, PE
   and position there, time since the trace's begin, number of hidden nodes, and the second
   run's PE and time if two are compared. In the picture's arena. */
const char *rt_node_text(const struct rt_picture *p, const struct rt_place *place);

/* reduction_tree_tiny_nodes.c: draws the nodes that are too small to see (p->gaps) as
   shades, the darker the more nodes there are. */
void rt_draw_shades(struct rt_picture *p);
/* reduction_tree_names.c: writes the names of nodes, the lengths of folded chains and the
   numbers of hidden nodes where there is room; nothing if the setting labels is off. */
void rt_draw_names(struct rt_picture *p);

/*
 * reduction_tree_path.c: draws the longest path of work and waits through the tree (struct
 * tree_span), as a line through those of its nodes that are visible. Returns false with
 * *ERR if it cannot be computed.
 */
bool rt_draw_path(struct rt_picture *p, struct weft_err *err);

/* ---- reduction_tree_edges.c ---- */

/*
 * Draws the data dependences and migrations that the settings edges and edge-kind ask for,
 * and counts them in p->edges and p->edges_drawn. Returns false with *ERR, as when
 * cancelled; true if nothing is asked for.
 */
bool rt_draw_edges(struct rt_picture *p, struct weft_err *err);
/* Returns the pixel position at which edges and the longest path meet PLACE: its dot, or
   in an icicle the middle of its bar. */
struct weft_point rt_middle_of(const struct rt_picture *p, const struct rt_place *place);
/*
 * Writes the legend's entries for the kinds of edges that the settings ask for, and that
 * the tree has, to OUT, which has room for two; returns how many these are.
 */
size_t rt_edge_legend(const struct rt_picture *p, struct weft_legend_entry *out);

/* Parameters that the views of one and of two trees share: initializers for an array of
   struct weft_parameter. */
#define RT_PARAMETERS                                                                      \
 { .name = "layout",                                                                       \
   .kind = WEFT_PARAMETER_CHOICE,                                                          \
   .choices = "radial|icicle|top-down",                                                    \
   .fallback = "radial",                                                                   \
   .help = "rings around the root, bars below it, or lines below it" },                    \
     { .name = "color",                                                                    \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "pe|time|pe-time|procedure|waiting",                                     \
       .fallback = "pe",                                                                   \
       .help = "what colours say; pe-time: corners the PE, polygons the time; "            \
               "waiting: how long" },                                                      \
     { .name = "spectrum",                                                                 \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "even|vista",                                                            \
       .fallback = "even",                                                                 \
       .help = "colours of time: perceptually even, or blue to magenta",                   \
       .seldom = true },                                                                   \
     { .name = "root",                                                                     \
       .kind = WEFT_PARAMETER_ENTITY,                                                      \
       .fallback = "",                                                                     \
       .help = "show the subtree of this node (record:N, PE:INDEX or an id)" },            \
     { .name = "depth",                                                                    \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "adaptive|vista",                                                        \
       .fallback = "adaptive",                                                             \
       .help = "room by what is on the levels, or VISTA's formulas",                       \
       .seldom = true },                                                                   \
     { .name = "size",                                                                     \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "auto|count|time|weight|self",                                           \
       .fallback = "auto",                                                                 \
       .help = "what makes a node large: nodes below it, their time, VISTA's "             \
               "weight, or their time without waiting; auto: time, or count where "        \
               "nodes have no known length" },                                             \
     { .name = "distance",                                                                 \
       .kind = WEFT_PARAMETER_NUMBER,                                                      \
       .minimum = 1,                                                                       \
       .maximum = 200,                                                                     \
       .fallback = "4",                                                                    \
       .help = "least distance of two levels, in pixels; more levels are condensed",       \
       .seldom = true },                                                                   \
     { .name = "zoom",                                                                     \
       .kind = WEFT_PARAMETER_ZOOM,                                                        \
       .minimum = 0.01,                                                                    \
       .maximum = 1e6,                                                                     \
       .fallback = "1",                                                                    \
       .help = "enlarges the tree",                                                        \
       .seldom = true },                                                                   \
     { .name = "x",                                                                        \
       .kind = WEFT_PARAMETER_PLACE_X,                                                     \
       .minimum = -1e7,                                                                    \
       .maximum = 1e7,                                                                     \
       .fallback = "0.5",                                                                  \
       .help = "where the root stands, from the left (0) to the right (1)" },              \
     { .name = "y",                                                                        \
       .kind = WEFT_PARAMETER_PLACE_Y,                                                     \
       .minimum = -1e7,                                                                    \
       .maximum = 1e7,                                                                     \
       .fallback = "0.5",                                                                  \
       .help = "where the root stands, from the top (0) to the bottom (1)" },              \
     { .name = "merge",                                                                    \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "auto|on|off",                                                           \
       .fallback = "auto",                                                                 \
       .help = "draw equal siblings that are too small to see as one; auto: not of "       \
               "reductions",                                                               \
       .seldom = true },                                                                   \
     { .name = "opened",                                                                   \
       .kind = WEFT_PARAMETER_ENTITIES,                                                    \
       .fallback = "",                                                                     \
       .help = "chains and merged nodes that are shown node by node (clicking does it)",   \
       .seldom = true },                                                                   \
     { .name = "find",                                                                     \
       .kind = WEFT_PARAMETER_TEXT,                                                        \
       .fallback = "",                                                                     \
       .help = "colour only nodes with such a name (the search box does it)",              \
       .seldom = true },                                                                   \
     { .name = "node",                                                                     \
       .kind = WEFT_PARAMETER_ENTITY,                                                      \
       .fallback = "",                                                                     \
       .help = "mark this node (named as root)" },                                         \
     { .name = "rings",                                                                    \
       .kind = WEFT_PARAMETER_FLAG,                                                        \
       .fallback = "on",                                                                   \
       .help = "grey circles, one a level",                                                \
       .seldom = true },                                                                   \
 {                                                                                         \
  .name = "labels", .kind = WEFT_PARAMETER_FLAG, .fallback = "on",                         \
  .help = "names where there is room", .seldom = true                                      \
 }

/*
 * Lays out the tree for p->frame.plot, the part of the picture left for the tree, and finds
 * the visible nodes (rt_place_root, rt_walk). p->n_places and p->n_gaps must be 0. Returns
 * false with the errors of tree_layout_of(); the caller calls rt_end() in both cases.
 */
bool rt_fill_plot(struct rt_picture *p, struct weft_err *err);
/*
 * Overwrites *P, reads the tree of the request's first trace and the settings, and chooses
 * colours; draws nothing. REQUEST and SCENE outlive *P. Returns false with *ERR and nothing
 * to free; after true, rt_end() frees what the picture holds.
 */
bool rt_begin(struct rt_picture *p, const struct weft_request *request,
              struct weft_scene *scene, struct weft_err *err);
/* Frees what P holds, the visible nodes and the set of opened nodes, but not P itself; the
   rest is the request's. */
void rt_end(struct rt_picture *p);
/* Sets look->by_value and by_pe, the colours of procedures and PEs (or threads) in the
   theme of P, in its arena. look->tree and schema are set. */
void rt_choose_colors(const struct rt_picture *p, struct rt_look *look);
/*
 * Returns the number, from 0, of the colour of row ROW of TREE: in a tree of reductions the
 * row's own; in one of calls the number of its container among those with rows, since rows
 * of one container have one colour. BEFORE is the result for the row before it (unused for
 * row 0).
 */
uint32_t rt_pe_number(const struct weft_tree *tree, uint32_t row, uint32_t before);
/*
 * reduction_tree_legend.c: sets *OUT to the legend of colours, in the picture's arena: PEs
 * or procedures, with their shares of the subtree. Returns the number of entries, 0 if
 * colours show time or waiting; *OUT has room for two more behind them (rt_edge_legend).
 */
size_t rt_legend(struct rt_picture *p, struct weft_legend_entry **out);

/* ---- reduction_tree_caption.c ---- */

/* Draws the status text into LINE, a result of rt_cut_status_line() with a width above 0:
   how nodes and levels are shown, work and span, and what colours mean. */
void rt_draw_status(struct rt_picture *p, struct weft_rect line);
/* Takes room for the lines of the status text from the lower edge of p->frame.plot, whose
   height shrinks (also that of p->scene->frame.plot), and returns it, in pixels of the
   picture; its width is 0, and nothing is taken, when there is no room. */
struct weft_rect rt_cut_status_line(struct rt_picture *p);
/*
 * Draws the frame (title, explanation, legend), then finds and places the visible nodes
 * (rt_fill_plot), after rt_begin(). Sets *LINE to the room for the status text; its width
 * is 0 when there is none. Returns false with *ERR; the caller calls rt_end() in both
 * cases.
 */
bool rt_lay_out(struct rt_picture *p, struct weft_rect *line, struct weft_err *err);

/* ---- reduction_tree_point.c ---- */

/* Writes a row to TABLE for each visible node of the picture that REQUEST asks for; the
   view's callback `table`. Returns false with *ERR, before TABLE is begun. */
bool rt_table(const struct weft_request *request, struct weft_table *table,
              struct weft_err *err);
/* Adds the row NAME, VALUE to a table of facts, which has these two columns; no row if
   VALUE is NULL. */
void rt_fact(struct weft_table *table, const char *name, const char *value);
/*
 * Writes to TABLE the facts of the visible node nearest to AT, in pixels of the picture
 * that REQUEST asks for, and sets *ID to its id (weft_tree_id); the view's callback
 * `point`. Without a visible node, TABLE is empty and *ID stays. Returns false with *ERR,
 * before TABLE is begun.
 */
bool rt_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err);

/*
 * reduction_tree_wait_facts.c: adds rows to TABLE, a table of facts: how long NODE, a call
 * or a thread, waited, and of the longest kinds of waits (by value, object and partner),
 * which object each waited for and which container ended it; none if it did not wait.
 */
void rt_tell_waits(const struct rt_picture *p, uint32_t node, struct weft_table *table);

#endif
