/* SPDX-License-Identifier: Apache-2.0 */
/* What the displays of message passing share. */
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

/* ---- What a display shows ---- */

/* A line of a view's parameters. */
#define WEFT_PARAMETER_OF_ORDER                                                            \
 {                                                                                         \
  "order", WEFT_PARAMETER_FILE, WEFT_ORDER_CHOICES, 0, 0, "natural",                       \
      "of processors: by number, as a Gray code, or lines of processor, position, name",   \
      false, ".pgorder"                                                                    \
 }

/* Processors as a display lists them: those under the request's container, in its order. */
struct weft_shown {
    const struct weft_processors *processors;
    const struct weft_schema *schema;
    struct weft_processor_list list;
    const char **names;      /* [list.n]: of the order's file, else their numbers */
    struct weft_span window; /* the request's, cut to the span; perhaps empty */
};
/*
 * ORDER: the setting, or NULL for the natural one.  All memory is in ARENA.  Errors: those of
 * weft_use_processors and weft_order_make.
 */
bool weft_shown_begin(struct weft_shown *shown, struct weft_use *use, const char *order,
                      struct weft_arena *arena, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * What a frame says under its title: "all of 2 s · 64 processors".  When SIZE of them stand for
 * one, "32 processors PER" comes first (PER: "a bar"), so that it is read in narrow pictures, too.
 * A trace with times that were not recorded has a word on what their colour is.
 */
const char *weft_shown_text(const struct weft_shown *shown, struct weft_arena *arena,
                            struct weft_span window, const char *per, uint32_t size);
/*
 * What has happened so far: from the window's begin to the moment of a request, else all of
 * its window.  A moment before the window counts from the span's begin.  Records ("the longest
 * until then") count from the span's begin in any case, as those of queues do: since_start.
 */
struct weft_span weft_shown_since_start(const struct weft_shown *shown,
                                        const struct weft_request *request);
struct weft_span weft_shown_so_far(const struct weft_shown *shown,
                                   const struct weft_request *request);

/* How many processors stand for one: a power of two, so that at most MOST things are drawn. */
uint32_t weft_group_size(uint32_t n, double most);
/* "3", or "96 to 127": the processors of group I. */
const char *weft_group_name(const struct weft_shown *shown, struct weft_arena *arena,
                            uint32_t group, uint32_t size);
/* Processors FIRST to AFTER - 1 of the list. */
static inline struct weft_processor_list weft_group_of(const struct weft_shown *shown,
                                                       uint32_t group, uint32_t size)
{
    uint32_t first = group * size, rest = shown->list.n - first;
    return (struct weft_processor_list){ shown->list.index + first,
                                         rest < size ? rest : size };
}

/* ---- How it looks ---- */

/*
 * The looks of busy, overhead and idle: ParaGraph's traffic lights, in black and white plain,
 * dots and diagonals.
 */
void weft_class_swatches(const struct weft_theme *theme,
                         struct weft_swatch looks[WEFT_CLASSES]);
/* Whether areas need hatches, which columns of a pixel cannot have. */
bool weft_theme_hatches(const struct weft_theme *theme);
/* Of an area that is NARROWEST pixels wide or high: too narrow for hatches, it has its tone. */
struct weft_paint weft_swatch_paint(const struct weft_theme *theme,
                                    struct weft_swatch swatch, double narrowest);
/*
 * Paint the parts of the classes in columns, busy at the bottom: PIXELS[height][columns] in the
 * tones of LOOKS, from SHARES[columns][WEFT_CLASSES] of N processors.  What is missing from these,
 * as it cannot be read, stays empty on top.
 */
void weft_paint_stacks(uint32_t *pixels, size_t columns, size_t height, const float *shares,
                       float n, const struct weft_swatch looks[WEFT_CLASSES]);
/* How many ticks of a window of the span cannot be read: [list.n], in ARENA. */
int64_t *weft_unknown_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            struct weft_arena *arena);
/* What is missing from the shares of N processors, of them: 0 unless the trace is damaged. */
double weft_unknown_share(const float shares[WEFT_CLASSES], double n);
/* Lighter: of what was, behind what is. */
struct weft_swatch weft_swatch_faint(const struct weft_theme *theme,
                                     struct weft_swatch swatch);
/* A legend of the classes whose share is not 0; returns how many. */
size_t weft_class_legend(const struct weft_theme *theme, const double shares[WEFT_CLASSES],
                         struct weft_legend_entry entries[WEFT_CLASSES]);

/*
 * What the vertical axis is called, over the plot of a frame that has just begun, and over its
 * time axis when it will have one.  Low plots have no room for it.
 */
void weft_axis_name(struct weft_frame *frame, const char *name, bool time_axis);
/* The width of the labels of values from LOW to HIGH. */
double weft_value_gutter(struct weft_arena *arena, double low, double high, double height,
                         bool whole);
/*
 * Numbers from LOW to HIGH at the left of PLOT, and lines behind it.  WHOLE: only whole
 * numbers.  Numbers below 0 are shown without a sign: streaks fall.
 */
void weft_value_lines(struct weft_frame *frame, struct weft_rect plot, double low,
                      double high, bool whole);

/* Where thing I of N begins in a row of LENGTH pixels: at whole ones, else seams would show. */
static inline double weft_slot_edge(double length, uint32_t n, uint32_t i)
{
    return i == n ? length : (double)(int64_t)(length * (double)i / (double)n + 0.5);
}
/*
 * Every how many of N things side by side in LENGTH pixels one has its name: 1, 2, 5, 10 ...,
 * when a name takes NEED pixels.
 */
uint32_t weft_name_step(uint32_t n, double length, double need);
/*
 * Names below N things side by side in PLOT, as many as have room, and below them at the right
 * what they are: "processor".  NAMES: of each, or NULL for numbers from 0 on, each SIZE apart.
 */
enum { WEFT_NAMES_HEIGHT = 28, WEFT_AXIS_NAME_HEIGHT = 16 };
void weft_names_below(struct weft_frame *frame, struct weft_rect plot, uint32_t n,
                      uint32_t size, const char *const *names, const char *what);

/* A table's row of a fact, for `point`. */
void weft_fact(struct weft_table *table, const char *name, const char *value);

#endif
