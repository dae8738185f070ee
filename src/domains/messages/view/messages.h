/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the displays of message passing: the processors that they show, the looks of
 * the classes, and axes.
 */
#ifndef WEFT_VIEW_MESSAGES_H
#define WEFT_VIEW_MESSAGES_H

#include "domains/messages/model/class_mips.h"
#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/order.h"
#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/model/utilization.h"
#include "domains/messages/view/message_use.h"
#include "view/frame.h"

/* ---- Processors that are shown ---- */

/* An entry of a view's parameters: the order of the processors. */
#define WEFT_PARAMETER_OF_ORDER                                                            \
 {                                                                                         \
  "order", WEFT_PARAMETER_FILE, WEFT_ORDER_CHOICES, 0, 0, "natural",                       \
      "of processors: by number, as a Gray code, or lines of processor, position, name",   \
      false, ".pgorder"                                                                    \
 }

/* The processors under the request's container, in the order of its setting. */
struct weft_shown {
    const struct weft_processors *processors;
    const struct weft_schema *schema;
    struct weft_processor_list list;
    const char **names;      /* [list.n]: from the order file, else their numbers */
    struct weft_span window; /* the request's, cut to the trace's span; may be empty */
};
/*
 * Fills SHOWN with memory from ARENA.  ORDER is the setting's text, or NULL for the natural
 * order.  Fails like weft_use_processors and weft_order_make.
 */
bool weft_shown_begin(struct weft_shown *shown, struct weft_use *use, const char *order,
                      struct weft_arena *arena, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns a frame's subtitle: "all of 2 s · 64 processors".  When SIZE processors share a
 * mark, "32 processors PER" (PER: "a bar") comes first, where narrow pictures show it too.
 * A trace with time that was not recorded gets a note that it is shown as overhead.
 */
const char *weft_shown_text(const struct weft_shown *shown, struct weft_arena *arena,
                            struct weft_span window, const char *per, uint32_t size);
/*
 * Returns the time that accumulated numbers cover. so_far: from the begin of the window to
 * the request's moment, or from the begin of the trace when the moment is before the
 * window; without a moment, the window. since_start: from the begin of the trace to the end
 * of so_far, for records such as the longest queue.
 */
struct weft_span weft_shown_since_start(const struct weft_shown *shown,
                                        const struct weft_request *request);
struct weft_span weft_shown_so_far(const struct weft_shown *shown,
                                   const struct weft_request *request);

/* Returns the processors per group: the least power of two with N / size at most MOST. */
uint32_t weft_group_size(uint32_t n, double most);
/* "processor 3", or "processors 96 to 127". */
const char *weft_group_name(const struct weft_shown *shown, struct weft_arena *arena,
                            uint32_t group, uint32_t size);
/* The processors of group GROUP, when each SIZE of the list are a group. */
static inline struct weft_processor_list weft_group_of(const struct weft_shown *shown,
                                                       uint32_t group, uint32_t size)
{
    uint32_t first = group * size, rest = shown->list.n - first;
    return (struct weft_processor_list){ shown->list.index + first,
                                         rest < size ? rest : size };
}

/* ---- Looks ---- */

/*
 * Sets the looks of busy, overhead and idle: the theme's colours (in colour themes near
 * ParaGraph's green, yellow and red); in black and white plain, dots and diagonals.
 */
void weft_class_swatches(const struct weft_theme *theme,
                         struct weft_swatch looks[WEFT_CLASSES]);
/* Whether the theme tells areas apart by hatches, as the black-and-white one does. */
bool weft_theme_hatches(const struct weft_theme *theme);
/*
 * The paint of an area that is NARROWEST pixels wide or high; below 4 pixels the tone
 * replaces hatches.
 */
struct weft_paint weft_swatch_paint(const struct weft_theme *theme,
                                    struct weft_swatch swatch, double narrowest);
/*
 * Paints a column of pixels for each COLUMNS, busy at the bottom, then overhead, then idle:
 * PIXELS[height][columns] in the tones of LOOKS, from SHARES[columns][WEFT_CLASSES] of N
 * processors.  The unreadable share stays transparent on top.
 */
void weft_paint_stacks(uint32_t *pixels, size_t columns, size_t height, const float *shares,
                       float n, const struct weft_swatch looks[WEFT_CLASSES]);
/*
 * Returns, for each processor of the list, the ticks of WINDOW that cannot be read; in
 * ARENA.
 */
int64_t *weft_unknown_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            struct weft_arena *arena);
/*
 * The part of N processors, 0 to 1, that SHARES leave out: 0 unless the trace is damaged.
 */
double weft_unknown_share(const float shares[WEFT_CLASSES], double n);
/* A lighter swatch, for a past value behind the current one. */
struct weft_swatch weft_swatch_faint(const struct weft_theme *theme,
                                     struct weft_swatch swatch);
/* Makes legend entries of the classes whose share is not 0; returns how many. */
size_t weft_class_legend(const struct weft_theme *theme, const double shares[WEFT_CLASSES],
                         struct weft_legend_entry entries[WEFT_CLASSES]);

/*
 * Writes the vertical axis' name at the top of the frame's plot (above the time axis, if
 * TIME_AXIS) and lowers the plot by WEFT_AXIS_NAME_HEIGHT.  A plot below 110 pixels gets no
 * name.  To be called right after weft_frame_begin.
 */
void weft_axis_name(struct weft_frame *frame, const char *name, bool time_axis);
/* Returns the pixels left of a plot that weft_value_lines needs for its numbers. */
double weft_value_gutter(struct weft_arena *arena, double low, double high, double height,
                         bool whole);
/*
 * Draws numbers from LOW to HIGH at the left of PLOT and lines across it; WHOLE: whole
 * numbers only.  If LOW is below 0, negative numbers are written without their sign (losing
 * streaks point down).
 */
void weft_value_lines(struct weft_frame *frame, struct weft_rect plot, double low,
                      double high, bool whole);

/*
 * The begin of slot I of N in a row of LENGTH pixels, rounded, so that slots have no seams.
 */
static inline double weft_slot_edge(double length, uint32_t n, uint32_t i)
{
    return i == n ? length : (double)(int64_t)(length * (double)i / (double)n + 0.5);
}
/*
 * Returns the least step of 1, 2, 5, 10 ... (at most N) with room for a name of NEED pixels
 * at every step-th of N slots in LENGTH pixels.
 */
uint32_t weft_name_step(uint32_t n, double length, double need);
/*
 * Writes names below N slots of PLOT, as many as have room, and WHAT ("processor") at the
 * right below them.  Slot I has NAMES[I * SIZE], or the number I * SIZE when NAMES is NULL.
 */
enum { WEFT_NAMES_HEIGHT = 28, WEFT_AXIS_NAME_HEIGHT = 16 };
void weft_names_below(struct weft_frame *frame, struct weft_rect plot, uint32_t n,
                      uint32_t size, const char *const *names, const char *what);

/* Adds the row (NAME, VALUE) to a view's `point` table. */
void weft_fact(struct weft_table *table, const char *name, const char *value);

#endif
