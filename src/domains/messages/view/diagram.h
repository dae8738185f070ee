/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the displays of nodes and lines (animation, hypercube, network): processors in
 * groups, their status, the messages between them, and how these are drawn.
 *
 * Where a picture has no room for all processors, a node is a *group*: the processors at
 * 2^k neighbouring positions.  Messages are then those between groups.
 */
#ifndef WEFT_VIEW_DIAGRAM_H
#define WEFT_VIEW_DIAGRAM_H

#include "domains/messages/model/order.h"
#include "domains/messages/model/placement.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/view/messages.h"
#include "view/frame.h"

/* The status of a processor: the class of its call, or the kind of its communication. */
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
    uint32_t a, b; /* groups, a <= b; equal for messages within a group */
    uint64_t there, back;
};

struct diagram {
    struct weft_use use;
    const struct weft_request *request;
    struct weft_arena *arena;
    const struct weft_processors *processors;
    const struct weft_traffic *traffic;
    enum weft_collectives collectives; /* how diagram_ask counts collective operations */
    bool stars;                        /* they are stars instead, and not counted */
    struct weft_order order; /* of all processors; "natural" where a view has no setting */
    uint32_t n;              /* processors shown: those under the request's container */
    uint32_t n_all;          /* processors of the trace */
    uint32_t *processor;     /* [n], by position */
    uint32_t *position;      /* [n_all], by processor; WEFT_NONE: not shown */
    uint32_t each;           /* processors in a group, a power of two */
    uint32_t n_groups;
    uint32_t *group_of; /* [n_all]; n_groups: not shown */
    /* After diagram_statuses: the number of a group's processors in each status. */
    uint32_t (*statuses)[DIAGRAM_STATUSES]; /* [n_groups], or NULL */
    struct weft_pair_sums sums;             /* after diagram_ask: between groups */
    uint64_t *out, *in;                     /* [n_groups] messages, after diagram_ask */
};

/*
 * Gets the processors and traffic of the request's first trace, each processor a group.
 * ORDER and COLLECTIVES are texts of settings.  The caller calls diagram_end, also after an
 * error.
 */
bool diagram_begin(struct diagram *diagram, const struct weft_request *request,
                   struct weft_arena *arena, const char *order, const char *collectives,
                   struct weft_err *err) WEFT_MUST_CHECK;
void diagram_end(struct diagram *diagram);
/* Makes groups of EACH processors at neighbouring positions. */
void diagram_group(struct diagram *diagram, uint32_t each);
/*
 * Sums the messages between groups: those pending at the request's moment, or without one
 * those of its window.  Fails with WEFT_ERR_USAGE when single processors are shown and
 * collective operations would make more than 2^24 pairs, and with WEFT_ERR_CANCELLED.
 */
bool diagram_ask(struct diagram *diagram, struct weft_err *err) WEFT_MUST_CHECK;
/* Counts statuses at the request's moment; without a moment it does nothing. */
void diagram_statuses(struct diagram *diagram);
/*
 * Returns the sums as *N arcs in the diagram's arena, the heaviest last: the MOST of *N_ALL
 * arcs with most messages.  O(n_groups^2) time and temporary memory.
 */
struct diagram_arc *diagram_arcs(const struct diagram *diagram, size_t most, size_t *n,
                                 size_t *n_all);

/* name: "12", or "32–63" for a group; label: its first processor's name or number only. */
const char *diagram_name(const struct diagram *diagram, uint32_t group);
const char *diagram_label(const struct diagram *diagram, uint32_t group);
/*
 * The window or moment, the numbers of processors shown and in a circle, and MORE or NULL.
 */
const char *diagram_subtitle(const struct diagram *diagram, const char *more);

/* "2,000 of 8,128 lines drawn, ...", or NULL when all were drawn. */
const char *diagram_left_out(const struct diagram *diagram, size_t drawn, size_t all);
/* Roughly the area for the nodes' middles; only its width and height have a meaning. */
struct weft_rect diagram_room(const struct weft_request *request);
/* Exactly that area: the frame's plot without the margin for circles and labels. */
struct weft_rect diagram_inset(const struct weft_frame *frame);
/* Whether two processors or groups are neighbours in a hypercube: one bit differs. */
static inline bool diagram_is_physical(uint32_t a, uint32_t b)
{
    return a != b && ((a ^ b) & ((a ^ b) - 1)) == 0;
}
/*
 * Writes the table src,dst,pending,total,physical.  Rows are the pairs with messages
 * pending at the request's moment; `total` is their messages in the window.  Without a
 * moment rows are all pairs with messages in the window, and `pending` is empty.
 * `physical` (hypercube neighbours) is empty unless PHYSICAL.
 */
enum { DIAGRAM_COLUMNS = 5 };
extern const struct weft_column diagram_columns[DIAGRAM_COLUMNS];
bool diagram_table(const struct weft_request *request, const struct weft_view *view,
                   bool physical, struct weft_table *table,
                   struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Scales of numbers of messages ---- */

enum { DIAGRAM_STEPS = 8 };
struct diagram_scale {
    uint64_t edges[DIAGRAM_STEPS]; /* the least number of each step, rising */
    uint32_t n;                    /* steps */
    uint64_t most;                 /* greatest number of the last step; UINT64_MAX: open */
    size_t lines;                  /* lines to be drawn: many are drawn thinner */
};
/*
 * Steps from LOW (at least 1) to HIGH with equal ratios; if OPEN, the last is HIGH or more.
 */
struct diagram_scale diagram_scale_make(uint64_t low, uint64_t high, bool open);
/*
 * Steps from 1 to HIGH: of equal width where HIGH is at most about 16 times LOW, else with
 * equal ratios.  Beginning at 1 makes similar numbers look similar.
 */
struct diagram_scale diagram_scale_fit(uint64_t low, uint64_t high);
/* A scale for the arcs that diagram_arcs returned. */
struct diagram_scale diagram_arc_scale(const struct diagram_arc *arcs, size_t n);
/* The step that COUNT falls into; the first or last for smaller or larger counts. */
uint32_t diagram_step(const struct diagram_scale *scale, uint64_t count);
/* "1", "4 to 7", "64 or more". */
const char *diagram_step_text(const struct diagram_scale *scale, uint32_t step,
                              struct weft_arena *arena);
/* The step's colour: blue to red, or light to dark grey; black in black and white. */
weft_color diagram_heat(const struct weft_theme *theme, const struct diagram_scale *scale,
                        uint32_t step);
/* The step's line width in pixels; the hueless themes vary it most. */
double diagram_width(const struct weft_theme *theme, const struct diagram_scale *scale,
                     uint32_t step);
/* Makes legend entries for the steps with USED[step], highest first; returns how many. */
size_t diagram_scale_legend(const struct weft_theme *theme,
                            const struct diagram_scale *scale, const bool *used,
                            struct weft_arena *arena, struct weft_legend_entry *out);

/* ---- Nodes and lines ---- */

struct weft_swatch diagram_swatch(const struct weft_theme *theme,
                                  enum diagram_status status);
/*
 * Makes legend entries for the statuses that occur; returns how many, at most
 * DIAGRAM_STATUSES.  Damage has its entry from view/damage.h.
 */
size_t diagram_status_legend(const struct diagram *diagram, struct weft_legend_entry *out);

/* Rectangles that labels must not cover: nodes, and labels that were placed before. */
struct diagram_labels {
    struct weft_rect *taken;
    size_t n, capacity;
    struct weft_arena *arena;
};
/* Adds a rectangle, even where it overlaps others. */
void diagram_take(struct diagram_labels *labels, struct weft_rect rect);
/* Takes RECT if it overlaps no rectangle that was taken; returns whether it did. */
bool diagram_try(struct diagram_labels *labels, struct weft_rect rect);

/* The nodes of a picture. */
struct diagram_nodes {
    const struct weft_spot *spots; /* [n_groups], in pixels of the picture */
    double radius;
    struct weft_spot centre; /* labels beside nodes point away from it */
    bool grouped;            /* a node is several processors */
    const char *movable;     /* the setting that dragging a node writes, or NULL */
};
/* Draws circles with statuses, labels and tooltips in a layer of their own. */
void diagram_draw_nodes(struct weft_frame *frame, const struct diagram *diagram,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels);
/* Draws a black circle where a layout has a place without a processor. */
void diagram_draw_unused(struct weft_frame *frame, struct weft_spot spot, double radius);

/*
 * Draws a line between two circles: straight, or a curve that is BEND times its length
 * aside (positive: to its left); for an arc from a node to itself, a loop.  HEADS adds
 * arrow heads.  Returns NULL when nothing is drawn: for messages within a group, and where
 * circles leave a curve no room.
 */
struct weft_mark *diagram_draw_arc(struct weft_frame *frame,
                                   const struct diagram_nodes *nodes,
                                   const struct diagram_arc *arc, double bend, bool heads,
                                   struct weft_paint paint);
/* The paint of an arc with COUNT pending messages; paler when N_LINES is large. */
struct weft_paint diagram_pending_paint(weft_color color, uint64_t count, size_t n_lines);
/* Where the setting is `group`, collective operations become stars and are not counted. */
void diagram_choose_stars(struct diagram *diagram);
/*
 * Draws the stars (at most 12) of the moment or window; none without diagram_choose_stars.
 */
void diagram_draw_stars(struct weft_frame *frame, const struct diagram *diagram,
                        const struct diagram_nodes *nodes);
/*
 * Writes numbers of messages beside straight lines, where they cover nothing; none if N >
 * 60.
 */
void diagram_count_arcs(struct weft_frame *frame, const struct diagram_arc *arcs, size_t n,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels);
/* Sets the tooltip of an arc: KIND, then the numbers both ways.  MARK may be NULL. */
void diagram_arc_title(struct weft_frame *frame, const struct diagram *diagram,
                       struct weft_mark *mark, const struct diagram_arc *arc,
                       const char *kind);

#endif
