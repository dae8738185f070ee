/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the displays of communication share: histories of what is pending, the colour code of
 * messages, groups of processors where there are more than pixels, and axes.
 */
#ifndef WEFT_VIEW_COMMUNICATION_H
#define WEFT_VIEW_COMMUNICATION_H

#include "domains/messages/model/order.h"
#include "domains/messages/model/traffic_history.h"
#include "domains/messages/view/message_code.h"
#include "domains/messages/view/messages.h"
#include "model/distance.h"
#include "view/frame.h"

/* Pixels: an axis' numbers and name below a plot; the other's name above it. */
enum { COMM_LABELS = 29, COMM_NAME = 18 };
#define COMM_HEADROOM 1.06 /* above the highest value, so that it is seen to end */

/* ---- Parameters that several displays have ---- */

#define COMM_PARAMETER_COLLECTIVES                                                         \
 {                                                                                         \
  "collectives", WEFT_PARAMETER_CHOICE, WEFT_COLLECTIVES_CHOICES, 0, 0, "messages",        \
      "collective operations: one message from each sender to each receiver, none, or "    \
      "groups, which count as their messages",                                             \
      true, NULL                                                                           \
 }
#define COMM_PARAMETER_SHOW                                                                \
 {                                                                                         \
  "show", WEFT_PARAMETER_CHOICE, "messages|bytes", 0, 0, "messages",                       \
      "how many messages, or how long they are together", false, NULL                      \
 }
/* Groups are MESSAGES to who counts. */
enum weft_collectives comm_collectives(const struct weft_view *view,
                                       const struct weft_request *request);
bool comm_shows_bytes(const struct weft_view *view, const struct weft_request *request);
/* The index of the processor with the number that TEXT is. */
bool comm_processor(const struct weft_processors *processors, const char *text,
                    uint32_t *index, struct weft_err *err) WEFT_MUST_CHECK;

/* ---- What is prepared ---- */

/* What is pending over time, of all processors or for one (model/traffic_history.h). */
const struct weft_history *comm_use_history(struct weft_use *use,
                                            enum weft_collectives collectives,
                                            uint32_t processor,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/* What a subtitle adds where collective operations are counted as messages, else "". */
const char *comm_collectives_text(const struct weft_view *view,
                                  const struct weft_request *request,
                                  const struct weft_traffic *traffic);

/* The moment that a display shows: the request's, else the end of its window. */
int64_t comm_moment(const struct weft_request *request);
/* "at 1.2 ms", or "at the end: 1.28 s". */
const char *comm_moment_text(struct weft_arena *arena, const struct weft_request *request);

/* ---- Groups ---- */

/*
 * Processors under the request's container, in positions of an order, EACH of them (a power of
 * two) in a group.
 */
struct comm_groups {
    const struct weft_processors *processors;
    struct weft_order order; /* of all; in it for their names */
    uint32_t n_shown;
    uint32_t *processor; /* [n_shown], by position, in the arena */
    uint32_t each, n;
    uint32_t *group_of; /* [processors], in the arena; n: it is not shown */
};

/* Is a processor, by its index, one of those under a container? */
bool comm_is_under(const struct weft_processors *processors, uint32_t index,
                   uint32_t under);
/*
 * As few in a group as leave at most MOST groups.  order_free(&groups->order) in the end.  Error:
 * no processor is under UNDER, and those of weft_order_make.
 */
bool comm_groups_make(const struct weft_processors *processors, const char *order,
                      uint32_t under, size_t most, struct weft_arena *arena,
                      struct comm_groups *groups, struct weft_err *err) WEFT_MUST_CHECK;
/* "5", its name in the order's file, or "32–63", by number where the order is natural. */
const char *comm_group_label(const struct comm_groups *groups, struct weft_arena *arena,
                             uint32_t group);
/* "each bar: 32 processors", or NULL when it is one. */
const char *comm_groups_text(const struct comm_groups *groups, struct weft_arena *arena,
                             const char *what);

/* ---- Axes and texts ---- */

/*
 * A value axis at the left of a plot and its name above it, 0 to MOST; UNIT "B" becomes KiB and
 * so on, "" counts.  Returns what is left of the plot; BELOW pixels are kept free under it.
 */
struct weft_rect comm_value_axis(struct weft_frame *frame, struct weft_rect plot,
                                 double most, const char *unit, const char *name,
                                 double below);
/*
 * The same for a plot below a time axis, which keeps its place: numbers at its left, where the
 * frame's gutter is, and the name above it where it begins COMM_NAME pixels below the frame's.
 */
void comm_time_plot_axis(struct weft_frame *frame, struct weft_rect plot, double most,
                         const char *unit, const char *name);
/* How wide the numbers of such an axis are, whose plot is about HEIGHT pixels high. */
double comm_axis_gutter(struct weft_arena *arena, double most, const char *unit,
                        double height);
/* The numbers of groups below a plot, each in the middle of its part of the width. */
void comm_group_axis(struct weft_frame *frame, struct weft_rect plot,
                     const struct comm_groups *groups, const char *name);
const char *comm_amount_text(struct weft_arena *arena, const struct weft_amount *amount);

#endif
