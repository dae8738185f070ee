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
#include "domains/messages/view/shown_processors.h"
#include "model/distance.h"
#include "view/frame.h"

/* Pixels below a plot, for an axis' numbers and name; above it, for the left axis' name. */
enum { COMM_LABELS = 29, COMM_NAME = 18 };
#define COMM_HEADROOM 1.06 /* axes end above the highest value, so that its top is seen */

/* ---- Parameters shared by several displays ---- */

#define COMM_PARAMETER_COLLECTIVES                                                         \
 {                                                                                         \
  .name = "collectives", .kind = WEFT_PARAMETER_CHOICE,                                    \
  .choices = WEFT_COLLECTIVES_CHOICES, .fallback = "messages",                             \
  .help = "collective operations: one message from each sender to each "                   \
          "receiver, none, or groups, which count as their messages",                      \
  .seldom = true                                                                           \
 }
#define COMM_PARAMETER_SHOW                                                                \
 {                                                                                         \
  .name = "show", .kind = WEFT_PARAMETER_CHOICE, .choices = "messages|bytes",              \
  .fallback = "messages", .help = "how many messages, or how long they are together"       \
 }
/* Reads the setting `collectives`; returns WEFT_COLLECTIVES_MESSAGES for `group`, too. */
enum weft_collectives comm_collectives(const struct weft_request *request);
/* Returns true if the setting `show` asks for bytes instead of messages. */
bool comm_shows_bytes(const struct weft_request *request);
/* Sets *INDEX to that of the processor with the number TEXT; WEFT_ERR_USAGE if none has. */
bool comm_processor(const struct weft_processors *processors, const char *text,
                    uint32_t *index, struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Prepared data ---- */

/*
 * Returns the history of pending messages (model/traffic_history.h) of the request's first
 * trace: of all messages (PROCESSOR: WEFT_NONE) or of those to one processor, by index.
 * Valid until the answer is complete.  Reads all messages the first time.  Returns NULL
 * with *ERR if that fails or is cancelled.
 */
const struct weft_history *comm_use_history(struct weft_use *use,
                                            enum weft_collectives collectives,
                                            uint32_t processor,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/* Returns ", with those of collectives" if operations are counted as messages, else "". */
const char *comm_collectives_text(const struct weft_request *request,
                                  const struct weft_traffic *traffic);

/* Returns the moment that a display shows: the request's, else the end of its window. */
int64_t comm_moment(const struct weft_request *request);
/* Returns "at 1.2 ms", or "at the end, 1.28 s": that moment, since the trace's begin. */
const char *comm_moment_text(struct weft_arena *arena, const struct weft_request *request);

/* ---- Groups ---- */

/*
 * The processors in a container's subtree, in an order (model/order.h), of which EACH
 * neighbours, a power of two, make a group; the last group may have fewer.
 */
struct comm_groups {
    const struct weft_processors *processors;
    struct weft_order order; /* of all processors of the trace */
    uint32_t n_shown;        /* processors in the subtree */
    uint32_t *processor;     /* [n_shown]: indices of processors, in order; in the arena */
    uint32_t each, n;        /* processors in a group; groups */
    uint32_t *group_of;      /* [processors]: group, or n if not shown; in the arena */
};

/* Returns true if processor INDEX is in the subtree of container UNDER. */
bool comm_is_under(const struct weft_processors *processors, uint32_t index,
                   uint32_t under);
/*
 * Makes at most MOST groups of 2^k processors each, with the least k, of the processors in
 * the subtree of container UNDER.  ORDER is a setting for weft_order_make.  After success
 * the caller frees groups->order with weft_order_free.  Fails with WEFT_ERR_USAGE when
 * UNDER holds no processor, or ORDER is invalid.
 */
bool comm_groups_make(const struct weft_processors *processors, const char *order,
                      uint32_t under, size_t most, struct weft_arena *arena,
                      struct comm_groups *groups, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the number of a group's only processor, or its name in the order file; of several
 * the numbers of the first and the last: "32…63".
 */
const char *comm_group_label(const struct comm_groups *groups, struct weft_arena *arena,
                             uint32_t group);
/* Returns "each WHAT: 32 processors", or NULL when each group is one processor. */
const char *comm_groups_text(const struct comm_groups *groups, struct weft_arena *arena,
                             const char *what);

/* ---- Axes and texts ---- */

/*
 * Draws a value axis from 0 to MOST at the left inside of PLOT, and NAME above it if PLOT
 * is higher than 70 pixels.  UNIT "B" is scaled to KiB and so on; with UNIT "" only whole
 * numbers are marked.  Returns what is left of PLOT for the data; BELOW pixels at its
 * bottom stay free.
 */
struct weft_rect comm_value_axis(struct weft_frame *frame, struct weft_rect plot,
                                 double most, const char *unit, const char *name,
                                 double below);
/*
 * Draws a value axis from 0 to MOST * COMM_HEADROOM for PLOT, which lies in the frame's
 * plot below a time axis: the numbers in the gutter at its left; NAME above it, if PLOT
 * begins at least COMM_NAME pixels below the top of the frame's plot.  UNIT as for
 * comm_value_axis.
 */
void comm_time_plot_axis(struct weft_frame *frame, struct weft_rect plot, double most,
                         const char *unit, const char *name);
/* Returns the pixels that the numbers of comm_time_plot_axis need, for a plot of HEIGHT. */
double comm_axis_gutter(struct weft_arena *arena, double most, const char *unit,
                        double height);
/* Draws the labels of the groups below PLOT, as many as have room, and NAME below these. */
void comm_group_axis(struct weft_frame *frame, struct weft_rect plot,
                     const struct comm_groups *groups, const char *name);
/* Returns "12 messages, 3.4 KiB". */
const char *comm_amount_text(struct weft_arena *arena, const struct weft_amount *amount);

#endif
