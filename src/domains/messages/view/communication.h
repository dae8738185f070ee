/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the displays of communication: histories of pending messages, groups of
 * processors where a display has fewer pixels than processors, and axes.
 */
#ifndef WEFT_VIEW_COMMUNICATION_H
#define WEFT_VIEW_COMMUNICATION_H

#include "domains/messages/model/order.h"
#include "domains/messages/model/traffic_history.h"
#include "domains/messages/view/message_code.h"
#include "domains/messages/view/messages.h"
#include "model/distance.h"
#include "view/frame.h"

/*
 * Pixels: the numbers and name of the axis below a plot; the name of the axis at its left.
 */
enum { COMM_LABELS = 29, COMM_NAME = 18 };
#define COMM_HEADROOM 1.06 /* axes end above the highest value, so that its top is seen */

/* ---- Parameters shared by several displays ---- */

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
/*
 * Reads the setting `collectives`; `group` counts like `messages` and is returned as such.
 */
enum weft_collectives comm_collectives(const struct weft_view *view,
                                       const struct weft_request *request);
/* Reads the setting `show`: bytes instead of messages. */
bool comm_shows_bytes(const struct weft_view *view, const struct weft_request *request);
/* Sets *INDEX to the index of the processor whose number is TEXT; else WEFT_ERR_USAGE. */
bool comm_processor(const struct weft_processors *processors, const char *text,
                    uint32_t *index, struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Prepared data ---- */

/*
 * The history of pending messages (model/traffic_history.h) of the request's first trace:
 * of all processors together (PROCESSOR: WEFT_NONE) or of one.  It is held until
 * weft_use_end; NULL with *err.
 */
const struct weft_history *comm_use_history(struct weft_use *use,
                                            enum weft_collectives collectives,
                                            uint32_t processor,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/* The subtitle's suffix where collective operations are counted as messages, else "". */
const char *comm_collectives_text(const struct weft_view *view,
                                  const struct weft_request *request,
                                  const struct weft_traffic *traffic);

/* The moment that a display shows: the request's, else the end of its window. */
int64_t comm_moment(const struct weft_request *request);
/* "at 1.2 ms", or "at the end, 1.28 s", since the trace's begin. */
const char *comm_moment_text(struct weft_arena *arena, const struct weft_request *request);

/* ---- Groups ---- */

/*
 * The processors under the request's container in the positions of an order; EACH
 * neighbours (a power of two) are a group, and the last group may have fewer.
 */
struct comm_groups {
    const struct weft_processors *processors;
    struct weft_order order; /* of all processors of the trace; it also owns the names */
    uint32_t n_shown;
    uint32_t *processor; /* [n_shown], by position; in the arena */
    uint32_t each, n;
    uint32_t *group_of; /* [processors], in the arena; n: not shown */
};

/* Whether processor INDEX is in the subtree of container UNDER. */
bool comm_is_under(const struct weft_processors *processors, uint32_t index,
                   uint32_t under);
/*
 * Makes the fewest groups of 2^k processors each that are not more than MOST.  The caller
 * frees groups->order with weft_order_free.  Fails with WEFT_ERR_USAGE when UNDER holds no
 * processor, and like weft_order_make.
 */
bool comm_groups_make(const struct weft_processors *processors, const char *order,
                      uint32_t under, size_t most, struct weft_arena *arena,
                      struct comm_groups *groups, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * "5" or its name in the order file; for a group "32…63", the numbers of its first and
 * last.
 */
const char *comm_group_label(const struct comm_groups *groups, struct weft_arena *arena,
                             uint32_t group);
/* "each WHAT: 32 processors", or NULL when each group is one processor. */
const char *comm_groups_text(const struct comm_groups *groups, struct weft_arena *arena,
                             const char *what);

/* ---- Axes and texts ---- */

/*
 * Draws a value axis from 0 to MOST at the left of a plot and its name above it (where the
 * plot is higher than 70 pixels).  UNIT "B" is scaled to KiB and so on; with UNIT "" only
 * whole numbers are marked.  Returns the rest of the plot; BELOW pixels under it stay free.
 */
struct weft_rect comm_value_axis(struct weft_frame *frame, struct weft_rect plot,
                                 double most, const char *unit, const char *name,
                                 double below);
/*
 * Draws a value axis for a plot below a time axis: the numbers in the frame's gutter at its
 * left, the name above it, if the plot begins COMM_NAME pixels or more below the frame's
 * plot.  PLOT itself is not changed.
 */
void comm_time_plot_axis(struct weft_frame *frame, struct weft_rect plot, double most,
                         const char *unit, const char *name);
/* Returns the pixels that the numbers of comm_time_plot_axis need for such a plot. */
double comm_axis_gutter(struct weft_arena *arena, double most, const char *unit,
                        double height);
/* Draws the labels of groups below a plot, as many as have room, and NAME below them. */
void comm_group_axis(struct weft_frame *frame, struct weft_rect plot,
                     const struct comm_groups *groups, const char *name);
/* "12 messages, 3.4 KiB". */
const char *comm_amount_text(struct weft_arena *arena, const struct weft_amount *amount);

#endif
