/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the pictures of nodes and lines share (animation, hypercube, network): processors in
 * groups, what they are doing, the messages between them, and how all that is drawn.
 *
 * Where there are more processors than a picture has room for, a node is a *group*: the
 * processors at 2^k neighbouring positions.  Messages are then those between groups.
 */
#ifndef WEFT_VIEW_DIAGRAM_H
#define WEFT_VIEW_DIAGRAM_H

#include "domains/messages/model/order.h"
#include "domains/messages/model/placement.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/view/messages.h"
#include "view/frame.h"

/* What a processor is doing: the class of its call, or what is known better. */
enum diagram_status {
    DIAGRAM_BUSY,
    DIAGRAM_OVERHEAD,
    DIAGRAM_IDLE,
    DIAGRAM_SENDING,    /* in a call that sends */
    DIAGRAM_RECEIVING,  /* in a call that receives, or waits for a message */
    DIAGRAM_COLLECTIVE, /* in a collective operation or a barrier */
    DIAGRAM_DAMAGED, /* what it does cannot be read: hatched, as damage is in all pictures */
    DIAGRAM_STATUSES,
};

/* Messages between two nodes, both ways. */
struct diagram_arc {
    uint32_t a, b; /* groups, a <= b */
    uint64_t there, back;
};

struct diagram {
    struct weft_use use;
    const struct weft_request *request;
    struct weft_arena *arena;
    const struct weft_processors *processors;
    const struct weft_traffic *traffic;
    enum weft_collectives collectives; /* as they are counted */
    bool stars;                        /* they are stars, and not among the messages */
    struct weft_order order; /* of the processors; natural where a view has no other */
    uint32_t n;     /* processors that are shown: those under the request's container */
    uint32_t n_all; /* processors of the trace */
    uint32_t *processor; /* [n], by position */
    uint32_t *position;  /* [n_all], by processor; WEFT_NONE: it is not shown */
    uint32_t each;       /* processors of a group, a power of two */
    uint32_t n_groups;
    uint32_t *group_of; /* [n_all]; n_groups: it is not shown */
    /* After diagram_statuses: how many processors of a group are doing what. */
    uint32_t (*statuses)[DIAGRAM_STATUSES]; /* [n_groups], or NULL */
    struct weft_pair_sums sums;             /* after diagram_ask: between groups */
    uint64_t *out, *in;                     /* [n_groups], after diagram_ask */
};

/*
 * Processors and messages of the request; end with diagram_end, also after an error.  ORDER and
 * COLLECTIVES are settings.
 */
bool diagram_begin(struct diagram *diagram, const struct weft_request *request,
                   struct weft_arena *arena, const char *order, const char *collectives,
                   struct weft_err *err) WEFT_MUST_CHECK;
void diagram_end(struct diagram *diagram);
/* Groups of EACH processors, by position. */
void diagram_group(struct diagram *diagram, uint32_t each);
/*
 * The messages between groups: pending at the request's moment, or of its window.  An error when
 * there would be too many pairs of single processors to be kept.
 */
bool diagram_ask(struct diagram *diagram, struct weft_err *err) WEFT_MUST_CHECK;
/* What the processors are doing at the request's moment; nothing without one. */
void diagram_statuses(struct diagram *diagram);
/*
 * The sums as arcs, at most MOST of the *N_ALL that there are: those with most messages, the
 * heaviest last; in the diagram's arena.
 */
struct diagram_arc *diagram_arcs(const struct diagram *diagram, size_t most, size_t *n,
                                 size_t *n_all);

/* "12", or "32–63" of a group, for sentences; and the number of the first, for circles. */
const char *diagram_name(const struct diagram *diagram, uint32_t group);
const char *diagram_label(const struct diagram *diagram, uint32_t group);
/* The range shown, or the moment, and how many processors a node is. */
const char *diagram_subtitle(const struct diagram *diagram, const char *more);

/* "2,000 of 8,128 lines drawn, ...", or NULL when all are. */
const char *diagram_left_out(const struct diagram *diagram, size_t drawn, size_t all);
/* Where middles of nodes may be in a picture of the request's size, about; x and y are 0. */
struct weft_rect diagram_room(const struct weft_request *request);
/* The same, exactly: the frame's plot without what nodes and their labels need around it. */
struct weft_rect diagram_inset(const struct weft_frame *frame);
/* Whether two processors, or groups, are neighbours in a hypercube. */
static inline bool diagram_is_physical(uint32_t a, uint32_t b)
{
    return a != b && ((a ^ b) & ((a ^ b) - 1)) == 0;
}
/*
 * The table src,dst,pending,total,physical: the pairs with messages pending at the moment, or
 * without one all that have messages in the window, and `pending` is empty then; `total` is of
 * the window.  PHYSICAL: fill the last column, which is empty else.
 */
bool diagram_table(const struct weft_request *request, const struct weft_view *view,
                   bool physical, struct weft_table *table,
                   struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Steps of numbers of messages ---- */

enum { DIAGRAM_STEPS = 8 };
struct diagram_scale {
    uint64_t edges[DIAGRAM_STEPS]; /* the least number of each step, rising */
    uint32_t n;                    /* steps */
    uint64_t most;                 /* of the last step; UINT64_MAX: no matter how many */
    size_t lines;                  /* that are drawn: many are thin, to be told apart */
};
/* Steps from LOW (at least 1) to HIGH, equal in the logarithm; no more than numbers. */
struct diagram_scale diagram_scale_make(uint64_t low, uint64_t high, bool open);
/*
 * Steps for numbers from LOW to HIGH: from 1, so that what differs little looks so, too; evenly
 * where HIGH is up to about 16 times LOW, else equal in the logarithm.
 */
struct diagram_scale diagram_scale_fit(uint64_t low, uint64_t high);
/* Those for the numbers of arcs as diagram_arcs has them. */
struct diagram_scale diagram_arc_scale(const struct diagram_arc *arcs, size_t n);
uint32_t diagram_step(const struct diagram_scale *scale, uint64_t count);
/* "1", "4 to 7", "64 or more" messages. */
const char *diagram_step_text(const struct diagram_scale *scale, uint32_t step,
                              struct weft_arena *arena);
/* From blue to red; in grey from light to dark; in black and white all black. */
weft_color diagram_heat(const struct weft_theme *theme, const struct diagram_scale *scale,
                        uint32_t step);
/* Pixels: the only difference in black and white, a hint elsewhere. */
double diagram_width(const struct weft_theme *theme, const struct diagram_scale *scale,
                     uint32_t step);
/* Entries of a legend for the steps that USED[step] says are there; returns how many. */
size_t diagram_scale_legend(const struct weft_theme *theme,
                            const struct diagram_scale *scale, const bool *used,
                            struct weft_arena *arena, struct weft_legend_entry *out);

/* ---- Nodes and lines ---- */

struct weft_swatch diagram_swatch(const struct weft_theme *theme,
                                  enum diagram_status status);
/*
 * Entries for the statuses that are there; returns how many, at most DIAGRAM_STATUSES.  That of
 * damage comes with the picture's own (view/damage.h).
 */
size_t diagram_status_legend(const struct diagram *diagram, struct weft_legend_entry *out);

/* Labels that are placed already, and what they must not cover. */
struct diagram_labels {
    struct weft_rect *taken;
    size_t n, capacity;
    struct weft_arena *arena;
};
void diagram_take(struct diagram_labels *labels, struct weft_rect rect);
/* Whether nothing is there yet; takes it then. */
bool diagram_try(struct diagram_labels *labels, struct weft_rect rect);

/* The nodes of a picture. */
struct diagram_nodes {
    const struct weft_spot *spots; /* [n_groups], in pixels of the picture */
    double radius;
    struct weft_spot centre; /* labels beside nodes are on the far side of it */
    bool grouped;            /* each stands for several processors */
    const char *movable;     /* the setting that keeps where they are, or NULL */
};
/* Circles with their statuses, numbers and tooltips, in a layer of their own. */
void diagram_draw_nodes(struct weft_frame *frame, const struct diagram *diagram,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels);
/* An unused place of a layout: black. */
void diagram_draw_unused(struct weft_frame *frame, struct weft_spot spot, double radius);

/*
 * A line between two circles, straight, or BEND times its length aside (to its left when it
 * is positive); from a node to itself a loop.  HEADS: arrow heads where messages go.
 */
struct weft_mark *diagram_draw_arc(struct weft_frame *frame,
                                   const struct diagram_nodes *nodes,
                                   const struct diagram_arc *arc, double bend, bool heads,
                                   struct weft_paint paint);
/* How one of N_LINES lines is drawn whose messages are pending: pale among many. */
struct weft_paint diagram_pending_paint(weft_color color, uint64_t count, size_t n_lines);
/* For a picture: where the setting is `group`, collective operations are stars. */
void diagram_choose_stars(struct diagram *diagram);
/* Collective operations, of the moment or the window, as stars; nothing without them. */
void diagram_draw_stars(struct weft_frame *frame, const struct diagram *diagram,
                        const struct diagram_nodes *nodes);
/* Numbers of messages beside straight lines, where they cover nothing. */
void diagram_count_arcs(struct weft_frame *frame, const struct diagram_arc *arcs, size_t n,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels);
/* The tooltip of an arc. */
void diagram_arc_title(struct weft_frame *frame, const struct diagram *diagram,
                       struct weft_mark *mark, const struct diagram_arc *arc,
                       const char *kind);

#endif
