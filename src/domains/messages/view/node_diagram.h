/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the displays of nodes and lines (animation, hypercube, network): processors in
 * groups, their status, the messages between them, and how these are drawn.
 *
 * Where a picture has no room for all processors, a node is a *group*: the processors at
 * 2^k neighbouring positions.  Messages are then those between groups.
 */
#ifndef WEFT_VIEW_NODE_DIAGRAM_H
#define WEFT_VIEW_NODE_DIAGRAM_H

#include "domains/messages/model/node_diagram_layout.h"
#include "domains/messages/model/processor_order.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/view/processor_display_helpers.h"
#include "view/picture_frame.h"

/* A processor's activity at a moment: its kind of call, or else its class. */
enum diagram_status {
    DIAGRAM_BUSY,
    DIAGRAM_OVERHEAD,
    DIAGRAM_IDLE,
    DIAGRAM_SENDING,    /* in a call that sends */
    DIAGRAM_RECEIVING,  /* in a call that receives, or waits for a message */
    DIAGRAM_COLLECTIVE, /* in a collective operation or a barrier */
    /* the trace cannot be read there: hatched, like damage in all pictures */
    DIAGRAM_DAMAGED,
    DIAGRAM_STATUSES,
};

/* The messages between two nodes in both directions. */
struct diagram_arc {
    uint32_t a, b;        /* groups, a <= b; equal for messages within a group */
    uint64_t there, back; /* messages from A to B; from B to A, or 0 if A is B */
};

/*
 * Collective operations that are drawn as one star: at a moment one operation, in a window
 * all operations of a communicator.
 */
struct diagram_star {
    const struct weft_collective *one; /* the first; its processors are the star's */
    uint64_t operations;               /* number of operations */
};

/*
 * The contents of a picture of nodes and lines.  Made by diagram_begin, freed by
 * diagram_end; its arrays lie in the request's arena.  A node is a group of processors at
 * neighbouring positions, at first of one each.
 */
struct diagram {
    const struct weft_request *request;
    struct weft_arena *arena;
    const struct weft_processors *processors;
    const struct weft_traffic *traffic;
    enum weft_collectives collectives; /* how diagram_ask counts collective operations */
    bool stars;                        /* collective operations are drawn as stars */
    struct diagram_star *star_list;    /* [n_stars], in the arena; only if `stars` */
    size_t n_stars, n_stars_in_all;    /* those drawn, and with those left out */
    struct weft_order order; /* of all processors; "natural" where a view has no setting */
    uint32_t n;              /* processors shown: those under the request's container */
    uint32_t n_all;          /* processors of the trace */
    uint32_t *processor;     /* [n]: index in processors->processors, by position */
    uint32_t *position;      /* [n_all]: position, by that index; WEFT_NONE: not shown */
    uint32_t each;           /* processors in a group, a power of two */
    uint32_t n_groups;       /* at least 1; group G has positions G * each and following */
    uint32_t *group_of;      /* [n_all]: group, by that index; n_groups: not shown */
    /* [n_groups], after diagram_statuses: processors in each status; NULL: no moment */
    uint32_t (*statuses)[DIAGRAM_STATUSES];
    /* after diagram_ask: messages between groups, and within one; sorted by (from, to) */
    struct weft_pair_sums sums;
    uint64_t *out, *in; /* [n_groups], after diagram_ask: messages sent, received */
};

/*
 * Gets the processors and messages of the request's first trace, each processor a group.
 * ORDER is a setting for weft_order_make; the view must have a setting `collectives`.  The
 * caller calls diagram_end, also after an error: WEFT_ERR_USAGE if ORDER is invalid or the
 * trace or the request's container has no processor, or WEFT_ERR_CANCELLED.
 */
bool diagram_begin(struct diagram *diagram, const struct weft_request *request,
                   const char *order, struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the order and the sums of DIAGRAM; the rest lies in the request's arena. */
void diagram_end(struct diagram *diagram);
/*
 * Makes groups of EACH processors, a power of two, at neighbouring positions, in place of
 * those before; the last one may have fewer.  To be called before diagram_statuses and
 * diagram_ask, whose results are by group.
 */
void diagram_group(struct diagram *diagram, uint32_t each);
/*
 * Sets sums, out and in of DIAGRAM by the messages between groups: those pending at the
 * request's moment, or without one those of its window.  Messages from or to processors
 * that are not shown are left out.  Fails with WEFT_ERR_USAGE when single processors are
 * shown and collective operations would make more than 2^24 pairs, and with
 * WEFT_ERR_CANCELLED.
 */
bool diagram_ask(struct diagram *diagram, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets diagram->statuses to the number of each group's processors in each status at the
 * request's moment; without a moment it does nothing.
 */
void diagram_statuses(struct diagram *diagram);
/*
 * Returns arcs, pairs of groups with messages between them (also of a group with itself),
 * as diagram_ask has summed them up, in order of rising numbers of messages both ways
 * together; sets *N_ALL to how many there are, and *N to how many are returned: those with
 * most messages, at most MOST.  They lie in the diagram's arena.  O(n_groups^2) time and
 * temporary memory.
 */
struct diagram_arc *diagram_arcs(const struct diagram *diagram, size_t most, size_t *n,
                                 size_t *n_all);

/*
 * Returns a text for tooltips, in the diagram's arena: where groups are of one processor
 * the text of diagram_label, else the numbers of the first and the last processor of GROUP,
 * "32–63".
 */
const char *diagram_name(const struct diagram *diagram, uint32_t group);
/*
 * Returns a short text for a node, in the diagram's arena: where groups are of one
 * processor its name in the order file, cut to 90 pixels, or its number if it has none;
 * else the number of the first processor of GROUP.
 */
const char *diagram_label(const struct diagram *diagram, uint32_t group);
/*
 * Returns a subtitle, in the diagram's arena: the window or moment, how many processors are
 * shown if not all, how many are in a circle if several, how many stars are drawn if not
 * all, and MORE, which may be NULL.
 */
const char *diagram_subtitle(const struct diagram *diagram, const char *more);

/*
 * Returns "2,000 of 8,128 lines drawn, those with most messages", in the diagram's arena,
 * or NULL if DRAWN is ALL.
 */
const char *diagram_left_out(const struct diagram *diagram, size_t drawn, size_t all);
/*
 * Estimates the area for the nodes' middles before the frame is made, from the size that
 * REQUEST asks for, less title, legend and a margin; only its width and height are of use.
 */
struct weft_rect diagram_room(const struct weft_request *request);
/* Returns the area for the nodes' middles: the frame's plot less a margin for labels. */
struct weft_rect diagram_inset(const struct weft_frame *frame);
/*
 * Returns true if nodes with the numbers A and B are neighbours in a hypercube: exactly one
 * bit differs.
 */
static inline bool diagram_is_physical(uint32_t a, uint32_t b)
{
    return a != b && ((a ^ b) & ((a ^ b) - 1)) == 0;
}
/* Number of columns of the table that diagram_table writes. */
enum { DIAGRAM_COLUMNS = 5 };
/*
 * The columns of the table that diagram_table writes: src, dst, pending, total, physical.
 */
extern const struct weft_column diagram_columns[DIAGRAM_COLUMNS];
/*
 * Writes the table src,dst,pending,total,physical: numbers of two processors and of the
 * messages from one to the other.  Rows are the pairs with messages pending at the
 * request's moment; `total` is their messages in the window.  Without a moment rows are
 * all pairs with messages in the window, and `pending` is empty.  `physical` (1:
 * neighbours in a hypercube) is empty in views other than the hypercube.  Fails with
 * WEFT_ERR_USAGE if the trace or the request's container has no processor, or collective
 * operations would make more than 2^24 pairs, and with WEFT_ERR_CANCELLED.
 */
bool diagram_table(const struct weft_request *request, struct weft_table *table,
                   struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Scales of numbers of messages ---- */

enum { DIAGRAM_STEPS = 8 }; /* the most steps of a scale */
/* Divides numbers of messages into steps, each with a colour and a line width. */
struct diagram_scale {
    uint64_t edges[DIAGRAM_STEPS]; /* [n]: the least number of each step, rising */
    uint32_t n;                    /* steps */
    uint64_t most;                 /* greatest number of the last step; UINT64_MAX: open */
    size_t lines;                  /* lines to be drawn: many are drawn thinner */
};
/*
 * Makes a scale of at most DIAGRAM_STEPS steps from LOW (at least 1) to HIGH (at least LOW)
 * with about equal ratios, none empty; if OPEN, the last step is "HIGH or more".  Its
 * `lines` is 0, to be set by the caller.
 */
struct diagram_scale diagram_scale_make(uint64_t low, uint64_t high, bool open);
/*
 * Makes a scale of at most DIAGRAM_STEPS steps from 1 to HIGH, for numbers from LOW to
 * HIGH: of equal width where HIGH is at most about 16 times LOW, else with equal ratios.
 * The steps begin at 1, not at LOW, so that similar numbers look similar.  Its `lines` is
 * 0, to be set by the caller.
 */
struct diagram_scale diagram_scale_fit(uint64_t low, uint64_t high);
/*
 * Makes a scale for the messages, both ways together, of the N arcs that diagram_arcs
 * returned; its `lines` is N.
 */
struct diagram_scale diagram_arc_scale(const struct diagram_arc *arcs, size_t n);
/* Returns the step that COUNT falls into; the first (last) if COUNT is beyond the scale. */
uint32_t diagram_step(const struct diagram_scale *scale, uint64_t count);
/* Returns the numbers that fall into STEP, in ARENA: "1", "4 to 7", "64 or more". */
const char *diagram_step_text(const struct diagram_scale *scale, uint32_t step,
                              struct weft_arena *arena);
/*
 * Returns the colour of lines whose number of messages is in STEP of SCALE, by THEME: from
 * blue to red (to brown in the theme for colour-blind readers), from light to dark grey, or
 * the text's colour for all steps in black and white.
 */
weft_color diagram_heat(const struct weft_theme *theme, const struct diagram_scale *scale,
                        uint32_t step);
/*
 * Returns the width in pixels of lines whose number of messages is in STEP of SCALE: from 1
 * to 3, or to 7 in a THEME without hues; thinner, at least 0.3, if scale->lines is above
 * 150.
 */
double diagram_width(const struct weft_theme *theme, const struct diagram_scale *scale,
                     uint32_t step);
/*
 * Fills OUT with legend entries, in THEME's colours, of the steps for which USED[scale->n]
 * is true, highest first, with texts in ARENA, the first with the unit ("messages");
 * returns how many, at most DIAGRAM_STEPS.
 */
size_t diagram_scale_legend(const struct weft_theme *theme,
                            const struct diagram_scale *scale, const bool *used,
                            struct weft_arena *arena, struct weft_legend_entry *out);

/* ---- Nodes and lines ---- */

/*
 * Returns the fill of a node's circle whose processors are in STATUS: a colour or a hatch.
 */
struct weft_swatch diagram_swatch(const struct weft_theme *theme,
                                  enum diagram_status status);
/*
 * Fills OUT with legend entries of the statuses that occur, each with its number of
 * processors, without DIAGRAM_DAMAGED, which view/damage.h adds; returns how many, less
 * than DIAGRAM_STATUSES.  None before diagram_statuses, or without a moment.
 */
size_t diagram_status_legend(const struct diagram *diagram, struct weft_legend_entry *out);

/* Rectangles that labels must not cover: nodes, and labels that were placed before. */
struct diagram_labels {
    struct weft_rect *taken; /* [n], in the arena */
    size_t n, capacity;
    struct weft_arena *arena; /* the caller sets it, and zeroes the rest */
};
/* Adds RECT to labels->taken, even where it overlaps others. */
void diagram_reserve(struct diagram_labels *labels, struct weft_rect rect);
/*
 * Adds RECT to labels->taken and returns true; returns false, with no effect, if it
 * overlaps one of them.
 */
bool diagram_try(struct diagram_labels *labels, struct weft_rect rect);

/* How the nodes of a picture, circles that stand for groups, are placed and drawn. */
struct diagram_nodes {
    const struct weft_spot *spots; /* [n_groups], in pixels of the picture */
    double radius;                 /* pixels */
    struct weft_spot centre;       /* labels beside nodes point away from it */
    bool grouped;                  /* a node is several processors */
    const char *movable;           /* the setting that dragging a node writes, or NULL */
};
/*
 * Draws the nodes as circles with statuses (empty circles without a moment), labels and
 * tooltips, in a new layer; adds their rectangles to LABELS.  To be called after
 * diagram_ask, whose numbers the tooltips have.
 */
void diagram_draw_nodes(struct weft_frame *frame, const struct diagram *diagram,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels);
/* Draws a black circle of RADIUS pixels at SPOT, a node's place without a processor. */
void diagram_draw_unused(struct weft_frame *frame, struct weft_spot spot, double radius);

/*
 * Draws the line of ARC between two circles of NODES with PAINT: straight if BEND is 0,
 * else a curve, BEND times its length aside (positive: to its left, seen from A to B); for
 * an arc from a node to itself, a loop.  HEADS adds an arrow head at each end where
 * messages arrive, but to no loop.  Returns the line's mark; NULL when nothing is drawn:
 * for messages within a group (nodes->grouped), and where circles leave a curve no room.
 */
struct weft_mark *diagram_draw_arc(struct weft_frame *frame,
                                   const struct diagram_nodes *nodes,
                                   const struct diagram_arc *arc, double bend, bool heads,
                                   struct weft_paint paint);
/*
 * Returns the paint of an arc with COUNT (at least 1) pending messages: a line in COLOR, 1
 * to 4 pixels wide; if N_LINES, the number of arcs, is above 250, 1 pixel wide and paler
 * the more there are.
 */
struct weft_paint diagram_pending_paint(weft_color color, uint64_t count, size_t n_lines);
/*
 * To be called before diagram_ask and diagram_subtitle.  If diagram->collectives is
 * WEFT_COLLECTIVES_GROUP, sets that to WEFT_COLLECTIVES_NONE and diagram->stars to true:
 * operations become stars, which are chosen, and diagram_ask does not count them; so do
 * barriers if it is WEFT_COLLECTIVES_DATA, which stays.  Else sets `stars` to false.
 */
void diagram_choose_stars(struct diagram *diagram);
/*
 * Draws at most 12 stars, if diagram->stars: a diamond amid the nodes (placed by NODES) of
 * the processors of a collective operation, with a line to each node.  At a moment each
 * pending operation is a star; in a window all operations of a communicator are one.
 * diagram_subtitle says if there are more.
 */
void diagram_draw_stars(struct weft_frame *frame, const struct diagram *diagram,
                        const struct diagram_nodes *nodes);
/*
 * Writes numbers of messages, both ways together, on the straight lines of ARCS[n], where
 * they cover nothing in LABELS, to which they are added; none if N > 60.  Begins a new
 * layer.
 */
void diagram_count_arcs(struct weft_frame *frame, const struct diagram_arc *arcs, size_t n,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels);
/* Sets the tooltip of an arc's MARK: KIND, then the numbers both ways.  NULL: no effect. */
void diagram_arc_title(struct weft_frame *frame, const struct diagram *diagram,
                       struct weft_mark *mark, const struct diagram_arc *arc,
                       const char *kind);

#endif
