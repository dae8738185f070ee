/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the displays of communication: histories of pending messages, groups of
 * processors where a display has fewer pixels than processors, and axes.
 */
#ifndef WEFT_VIEW_COMM_DISPLAY_HELPERS_H
#define WEFT_VIEW_COMM_DISPLAY_HELPERS_H

#include "domains/messages/model/processor_order.h"
#include "domains/messages/model/traffic_history.h"
#include "domains/messages/view/message_color_code.h"
#include "domains/messages/view/processor_display_helpers.h"
#include "model/network_distance.h"
#include "view/picture_frame.h"

/*
 * COMM_LABELS: pixels below a plot for the numbers and the name of the axis there.
 * COMM_NAME: pixels above a plot for the name of the axis at its left.
 */
enum { COMM_LABELS = 29, COMM_NAME = 18 };
/* Factor from the highest value to the end of its axis, so that the curve's top is seen. */
#define COMM_HEADROOM 1.06

/* ---- Parameters shared by several displays ---- */

/*
 * Initializers of a struct weft_parameter: the settings `collectives` (comm_collectives)
 * and `show` (comm_shows_bytes).
 */
#define COMM_PARAMETER_COLLECTIVES                                                         \
 {                                                                                         \
  .name = "collectives", .kind = WEFT_PARAMETER_CHOICE,                                    \
  .choices = WEFT_COLLECTIVES_CHOICES, .fallback = "data",                                 \
  .help = "collective operations: one message from each sender to each receiver, but "     \
          "none of barriers (data), or also of these (messages, group), or none at all",   \
  .seldom = true                                                                           \
 }
#define COMM_PARAMETER_SHOW                                                                \
 {                                                                                         \
  .name = "show", .kind = WEFT_PARAMETER_CHOICE, .choices = "messages|bytes",              \
  .fallback = "messages", .help = "how many messages, or how long they are together"       \
 }
/*
 * Returns how collective operations count by the setting `collectives` of REQUEST;
 * WEFT_COLLECTIVES_MESSAGES for `group`, too, since both have the same numbers.
 */
enum weft_collectives comm_collectives(const struct weft_request *request);
/* Returns true if the setting `show` of REQUEST asks for bytes instead of messages. */
bool comm_shows_bytes(const struct weft_request *request);
/*
 * Sets *INDEX to the index in processors->processors of the one whose `number` is TEXT,
 * decimal, or whose label TEXT is.  Returns false with WEFT_ERR_USAGE, *INDEX as it was, if
 * there is none.
 */
bool comm_processor(const struct weft_processors *processors, const char *text,
                    uint32_t *index, struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Prepared data ---- */

/*
 * Returns the history of pending messages (sent and not yet received;
 * model/traffic_history.h) of the request's first trace: of all messages if PROCESSOR is
 * WEFT_NONE, else of those to the processor with that index in weft_processors.processors.
 * COLLECTIVES is how collective operations count.  USE keeps it until weft_use_end.  Reads
 * all messages the first time; later requests with the same arguments share the result.
 * Returns NULL with *ERR if the trace has no processors or the job is cancelled.
 */
const struct weft_history *comm_use_history(struct weft_use *use,
                                            enum weft_collectives collectives,
                                            uint32_t processor,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns ", with those of collectives", for texts about numbers of messages, if TRAFFIC
 * has collective operations and REQUEST counts them as messages, else "".
 */
const char *comm_collectives_text(const struct weft_request *request,
                                  const struct weft_traffic *traffic);

/* The time that a display shows. */
struct comm_moment {
    int64_t time; /* ticks of the trace's clock */
    /* "when the most was on its way"; NULL: it was asked for, or the end */
    const char *why;
};
/*
 * Returns the request's moment, else its window's end.
 */
struct comm_moment comm_asked_moment(const struct weft_request *request);
/*
 * Sets *MOMENT to the moment of USE's request, else to the first in its window at which the
 * most is pending: bytes if BYTES, else messages, or the window's end if nothing ever is.
 * Later requests with the same window share the search.  Returns false with *ERR if the
 * trace has no processors or the job is cancelled.
 */
bool comm_use_moment(struct weft_use *use, bool bytes, struct comm_moment *moment,
                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns "at 1.2 ms", with the reason if MOMENT has one, or "at the end, 1.28 s" if the
 * request asks for none; since the trace's begin, in ARENA.
 */
const char *comm_moment_text(struct weft_arena *arena, const struct weft_request *request,
                             struct comm_moment moment);

/* ---- Groups ---- */

/*
 * The processors in a container's subtree, in an order (model/processor_order.h), of which
 * EACH neighbours, a power of two, make a group; the last group may have fewer.  Made by
 * comm_groups_make; the caller frees `order` with weft_order_free.
 */
struct comm_groups {
    const struct weft_processors *processors;
    struct weft_order order; /* of all processors of the trace */
    uint32_t n_shown;        /* processors in the subtree */
    /* [n_shown]: indices in processors->processors, by position; in the arena */
    uint32_t *processor;
    uint32_t each, n;   /* processors in a group; number of groups, at least 1 */
    uint32_t *group_of; /* [processors]: group, or n if not shown; in the arena */
};

/*
 * Returns true if processor INDEX (in processors->processors) is in the subtree of
 * UNDER, an index in the schema's containers.
 */
bool comm_is_under(const struct weft_processors *processors, uint32_t index,
                   uint32_t under);
/*
 * Makes at most MOST groups (0 counts as 1) of 2^k processors each, with the least k, of
 * the processors in the subtree of container UNDER; the last group may have fewer.  ORDER,
 * a setting for weft_order_make, puts them in order first.  *GROUPS may hold anything
 * before; its arrays lie in ARENA, and after success the caller frees groups->order with
 * weft_order_free.  Fails with WEFT_ERR_USAGE when UNDER holds no processor, or ORDER is
 * invalid; then nothing is to be freed.
 */
bool comm_groups_make(const struct weft_processors *processors, const char *order,
                      uint32_t under, size_t most, struct weft_arena *arena,
                      struct comm_groups *groups, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns a text for GROUP, in ARENA.  If groups have one processor: the name that the
 * order file gives it, else its number; else the numbers of the group's first and last
 * processor, "32…63".
 */
const char *comm_group_label(const struct comm_groups *groups, struct weft_arena *arena,
                             uint32_t group);
/*
 * Returns "each WHAT: 32 processors", in ARENA, or NULL when each group is one processor.
 */
const char *comm_groups_text(const struct comm_groups *groups, struct weft_arena *arena,
                             const char *what);

/* ---- Axes and texts ---- */

/*
 * Draws a value axis from 0 to MOST at the left inside of PLOT and, if PLOT is higher than
 * 70 pixels, NAME above it, followed by the unit: "bytes in the queue" becomes "bytes in
 * the queue, KiB".  UNIT is that of MOST; "B" is scaled to KiB and so on; with "" only
 * whole numbers are marked, and NAME stands alone.  Returns what is left of PLOT for the
 * data; BELOW pixels at its bottom stay free.
 */
struct weft_rect comm_value_axis(struct weft_frame *frame, struct weft_rect plot,
                                 double most, const char *unit, const char *name,
                                 double below);
/*
 * Draws a value axis from 0 to MOST * COMM_HEADROOM for PLOT, which lies in the frame's
 * plot below a time axis: the numbers in the gutter at its left; above it NAME, followed by
 * the unit (nothing if NAME is ""), if PLOT begins at least COMM_NAME pixels below the top
 * of the frame's plot.  UNIT is that of MOST: "B" is scaled to KiB and so on; with "" only
 * whole numbers are marked.
 */
void comm_time_plot_axis(struct weft_frame *frame, struct weft_rect plot, double most,
                         const char *unit, const char *name);
/*
 * Returns the pixels left of a plot of HEIGHT pixels that comm_time_plot_axis needs for its
 * numbers, with the same MOST and UNIT.  ARENA gets what it takes meanwhile.
 */
double comm_axis_gutter(struct weft_arena *arena, double most, const char *unit,
                        double height);
/* Draws the labels of the groups below PLOT, as many as have room, and NAME below these. */
void comm_group_axis(struct weft_frame *frame, struct weft_rect plot,
                     const struct comm_groups *groups, const char *name);
/* Returns a text for AMOUNT, "12 messages, 3.4 KiB", in ARENA. */
const char *comm_amount_text(struct weft_arena *arena, const struct weft_amount *amount);

#endif
