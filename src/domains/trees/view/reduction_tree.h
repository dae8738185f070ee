/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the reduction tree: reduction_tree.c reads the settings and puts the picture
 * together, _walk.c and _share.c find the visible nodes and their sectors, _marks.c draws
 * them, _shade.c draws nodes that are too small, _names.c writes names, _edges.c draws data
 * dependences and migrations, _path.c the longest path, _legend.c and _status.c explain the
 * picture, _point.c tells the facts of the node at a point, _waits.c what it waited for.
 */
#ifndef WEFT_VIEW_TREE_REDUCTION_TREE_H
#define WEFT_VIEW_TREE_REDUCTION_TREE_H

#include "domains/trees/view/tree_prepared.h"
#include "domains/trees/view/tree_words.h"
#include "view/frame.h"

enum { RT_RAMP = 256, RT_WAIT_DECADES = 3 };

enum rt_layout { RT_RADIAL, RT_ICICLE, RT_TOP_DOWN };
enum rt_color { RT_BY_PE, RT_BY_TIME, RT_BY_PE_AND_TIME, RT_BY_PROCEDURE, RT_BY_WAITING };

/* A visible node, or several siblings of one procedure drawn as one. */
struct rt_place {
    uint32_t node, ring;
    uint32_t times;          /* number of nodes that it stands for */
    const uint32_t *members; /* [times], the first is `node`; NULL for one node */
    struct weft_tree_sector sector;
    struct weft_point at; /* in pixels */
    uint32_t first, n;    /* its visible children: n places from `first` on */
    /* The gaps for its children that are not visible. */
    uint32_t first_gap, n_gaps;
    uint64_t hidden; /* nodes below it that are too small to see */
    uint64_t folded; /* nodes on levels between its ring and the next, or beyond the last
                        ring */
    /* A chain: places in which each is the only child of the one before. The index of the
       first place of this one's chain; its own index without a chain. */
    uint32_t chain;
    bool links; /* its only child continues the chain, also the nodes folded in between */
};

/* A gap: adjacent children RUN that are too small to see; COUNT nodes with those below. */
struct rt_gap {
    struct weft_tree_sector sector;
    struct weft_tree_run run;
    uint64_t count;
};

/*
 * The meaning of colours when two runs are compared. RT_SAME: the first run; RT_OWN: the
 * second run, by itself; the others: where, in what order or when the second run differs
 * from the first.
 */
enum rt_difference { RT_SAME, RT_OWN, RT_IN_PE, RT_IN_ORDER, RT_IN_TIME };

/* The tree of a picture, and its colours. */
struct rt_look {
    const struct weft_tree *tree;
    const struct tree_spread *spread;
    const struct tree_waits *waits;        /* set if nodes are coloured by waiting, else
                                              NULL */
    const struct weft_tree_layout *layout; /* set once the frame has left room for the
                                              plot */
    const struct weft_schema *schema;
    const struct weft_source *source;
    struct weft_swatch *by_value; /* colours of procedures, by value of the schema */
    struct weft_swatch *by_pe;    /* [n_pes] */
};

struct rt_picture {
    const struct weft_request *request;
    struct weft_arena *arena;
    struct weft_scene *scene;
    struct weft_frame frame;
    struct rt_look look;
    struct tree_words words;

    enum rt_layout layout;
    enum weft_tree_depth depth;
    enum tree_size size;
    uint32_t top; /* the root of the shown subtree */
    enum rt_color color;
    bool spectrum; /* time has VISTA's colours */
    bool labels, rings;
    /*
     * When two runs are compared: the second run, drawn in its colours at the places of
     * this one.
     */
    const struct rt_look *other;
    const uint32_t *match; /* by node: the node of the other tree (tree_match_of) */
    enum rt_difference difference;

    const char *span_text; /* work, span and parallelism, or NULL */
    weft_color *ramp;      /* [RT_RAMP] colours of time or of waiting */

    int64_t at;      /* nodes that begin later are not drawn; INT64_MAX: all are */
    uint32_t marked; /* the marked node, or WEFT_NONE */

    struct weft_rect plot;
    struct weft_point root; /* position of the root, in pixels */
    /*
     * [rings + 1] pixels from the root: to a ring's nodes; in an icicle to a bar's upper
     * edge, which is the lower edge of the ring before.
     */
    double *reach;
    double width; /* width of the whole tree in pixels; icicle and top-down only */

    struct rt_place *places;
    size_t n_places, place_capacity;
    struct rt_gap *gaps;
    size_t n_gaps, gap_capacity;
    /*
     * The nodes without a place of their own, by reason; with the places they add up to all
     * nodes.
     */
    uint64_t merged;  /* merged into a place with another first node */
    uint64_t hidden;  /* too small to see */
    uint64_t folded;  /* on levels without a ring */
    uint64_t later;   /* begin after `at` */
    uint64_t outside; /* beyond the picture's edge */
    uint64_t edges, edges_drawn;

    bool merges;        /* equal siblings that are too small to see are merged */
    uint64_t looked_at; /* nodes examined for merging */
    uint32_t *group_of; /* by label: its group among the small siblings at hand; checked by
                           the group's label */
    const bool *found;  /* by label: its name matches the searched text; NULL: no search */
    struct weft_entity_set opened; /* opened chains and merged nodes, each by its first
                                      node */
};

/* reduction_tree_walk.c */
/* Sets plot, reach, root and width from the frame's plot, the layout and the settings. */
void rt_place_root(struct rt_picture *p);
/*
 * Returns the pixels from the root to the nodes of ring RING (in an icicle to the upper
 * edge of its bars); RING may be a fraction, between two rings.
 */
double rt_reach(const struct rt_picture *p, double ring);
/*
 * Returns the pixels between ring RING and the next one; for the last ring, between it and
 * the one before.
 */
double rt_step(const struct rt_picture *p, uint32_t ring);
/* Fills in places and gaps of the picture: the visible nodes, and the siblings too small to
   see. rt_walk_free() frees them. */
void rt_walk(struct rt_picture *p);
void rt_walk_free(struct rt_picture *p);

/*
 * reduction_tree_share.c: rt_open_root() adds the root to p->places, rt_open_place() the
 * children of the place INDEX to p->places and p->gaps.
 */
void rt_open_root(struct rt_picture *p);
void rt_open_place(struct rt_picture *p, size_t index);
/*
 * Returns the pixel position on ring RING (a fraction lies between two rings) at PART, from
 * 0 to 1, of the circle or width.
 */
struct weft_point rt_point_at(const struct rt_picture *p, double ring, double part);
/*
 * Returns true if a part of SECTOR, from ring RING outwards, may be in the picture.
 */
bool rt_may_show(const struct rt_picture *p, uint32_t ring, struct weft_tree_sector sector);
/*
 * Returns the pixels that a sector of size PART takes along the circle of the ring after
 * ring RING, or of the width.
 */
double rt_pixels(const struct rt_picture *p, uint32_t ring, double part);

/* reduction_tree_marks.c */
void rt_draw(struct rt_picture *p);
/* Returns the next ring after ring RING whose circle is drawn: circles are some pixels
   apart. */
uint32_t rt_next_circle(const struct rt_picture *p, uint32_t ring);
/* Sets the ramp of the picture: of time or of waiting. */
void rt_choose_ramp(struct rt_picture *p);
/* Returns the colour at AMOUNT, from 0 to 1, of the picture's ramp. */
weft_color rt_time_color(const struct rt_picture *p, double amount);
/* Returns the swatch of the polygon or line from a node to its children. */
struct weft_swatch rt_family_swatch(const struct rt_picture *p, uint32_t node);
/*
 * Returns the colour of a mark too pale or small for a hatch; in black and white, a grey.
 */
static inline weft_color rt_flat_color(struct weft_swatch swatch)
{
    return swatch.tone ? swatch.tone : swatch.fill;
}
/* Returns the swatch of a node; with RT_BY_PE_AND_TIME that of its corner, by PE. */
struct weft_swatch rt_swatch(const struct rt_picture *p, uint32_t node);
/* Returns the text of a place for pointing: name, PE, time, hidden nodes. */
const char *rt_node_text(const struct rt_picture *p, const struct rt_place *place);

/* reduction_tree_shade.c, reduction_tree_names.c */
void rt_draw_shades(struct rt_picture *p);
void rt_draw_names(struct rt_picture *p);

/* reduction_tree_path.c: draws the longest path (work_span.h). Returns false with *ERR. */
bool rt_draw_path(struct rt_picture *p, struct weft_err *err);

/*
 * reduction_tree_edges.c: draws the edges that the settings edges and edge-kind ask for.
 * Returns false with *ERR.
 */
bool rt_draw_edges(struct rt_picture *p, struct weft_err *err);
/* Returns the pixel position at which the edges of a place's node end. */
struct weft_point rt_middle_of(const struct rt_picture *p, const struct rt_place *place);
/* Adds the legend's entries for edges to OUT; returns how many, at most two. */
size_t rt_edge_legend(const struct rt_picture *p, struct weft_legend_entry *out);

/* Parameters that the views of one and of two trees share. */
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

/* Lays out the tree for the frame's plot, and finds the visible nodes (rt_walk). Returns
   false with *ERR. */
bool rt_fill_plot(struct rt_picture *p, struct weft_err *err);
/* Reads the settings of a request and chooses colours. Returns false with *ERR; after true,
   rt_end() frees what the picture holds. */
bool rt_begin(struct rt_picture *p, const struct weft_request *request,
              struct weft_scene *scene, struct weft_err *err);
void rt_end(struct rt_picture *p);
/* Chooses the swatches of a tree's PEs and procedures. */
void rt_choose_colors(const struct rt_picture *p, struct rt_look *look);
/*
 * reduction_tree_legend.c: makes the legend of colours in *OUT, in p->arena, with room for
 * the entries of rt_edge_legend(); returns the number of entries (0 for colours of a ramp).
 */
size_t rt_legend(struct rt_picture *p, struct weft_legend_entry **out);
/* reduction_tree_caption.c */
void rt_draw_status(struct rt_picture *p, struct weft_rect line);
/* Takes room for the lines of the status text from the plot's lower edge and returns it;
   its width is 0 when there is no room. */
struct weft_rect rt_cut_status_line(struct rt_picture *p);
/*
 * Begins the frame, then finds and places the visible nodes. Sets *LINE to the room for the
 * status text; its width is 0 when there is none. Returns false with *ERR.
 */
bool rt_lay_out(struct rt_picture *p, struct weft_rect *line, struct weft_err *err);

/* reduction_tree_point.c */
bool rt_table(const struct weft_request *request, struct weft_table *table,
              struct weft_err *err);
/* Adds a row to a table of facts, unless VALUE is NULL. */
void rt_fact(struct weft_table *table, const char *name, const char *value);
bool rt_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err);

/*
 * reduction_tree_waits.c: adds the facts of a call's or a thread's waits, if there are any
 */
void rt_tell_waits(const struct rt_picture *p, uint32_t node, struct weft_table *table);

#endif
