/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the displays of processors: the processors that they show, the looks of busy,
 * overhead and idle time, and axes.
 */
#ifndef WEFT_VIEW_PROCESSOR_DISPLAY_HELPERS_H
#define WEFT_VIEW_PROCESSOR_DISPLAY_HELPERS_H

#include "domains/messages/model/busy_idle_mipmaps.h"
#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/processor_order.h"
#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/model/utilization.h"
#include "domains/messages/view/prepared_data.h"
#include "view/picture_frame.h"

/* ---- Processors that are shown ---- */

/*
 * Initializer of a struct weft_parameter: the setting `order` of a view, the order of the
 * processors; a name or the text of an order file (model/processor_order.h).
 */
#define WEFT_PARAMETER_OF_ORDER                                                            \
 {                                                                                         \
  .name = "order", .kind = WEFT_PARAMETER_FILE, .choices = WEFT_ORDER_CHOICES,             \
  .fallback = "natural",                                                                   \
  .help = "of processors: by number, as a Gray code, or lines of processor, "              \
          "position, name",                                                                \
  .file = ".pgorder"                                                                       \
 }

/*
 * Initializer of a struct weft_parameter: the setting `smoothing` of a view, the interval
 * of its averages (weft_setting_smoothing).
 */
#define WEFT_PARAMETER_OF_SMOOTHING                                                        \
 {                                                                                         \
  .name = "smoothing", .kind = WEFT_PARAMETER_TEXT, .fallback = "2%",                      \
  .help = "how much time before a moment is averaged: 20ms, 2%"                            \
 }
/*
 * Sets *WIDTH to the setting `smoothing` of REQUEST, in ticks, at least 1; a percentage is
 * of the span of SCHEMA's trace.  Returns false with WEFT_ERR_USAGE, and *WIDTH of no use,
 * if it is no length of time.
 */
bool weft_setting_smoothing(const struct weft_request *request,
                            const struct weft_schema *schema, int64_t *width,
                            struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The processors under the request's container, in the order of its setting `order`; filled
 * by weft_shown_begin, in the request's arena.
 */
struct weft_shown {
    const struct weft_processors *processors; /* of the trace */
    const struct weft_schema *schema;
    struct weft_processor_list list; /* of those shown, in order */
    const char **names;              /* [list.n]: from the order file, else their numbers */
    struct weft_span window; /* the request's, cut to the trace's span; may be empty */
};
/*
 * Fills SHOWN with the processors of the request's first trace under its container, in the
 * request's arena.  ORDER is the text of the setting `order`, or NULL for the natural
 * order.  The list is empty if no processor is under the container.  Fails with
 * WEFT_ERR_USAGE if ORDER is invalid or the trace has no processors, and with
 * WEFT_ERR_CANCELLED.
 */
bool weft_shown_begin(struct weft_shown *shown, const struct weft_request *request,
                      const char *order, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns a frame's subtitle, in ARENA: WINDOW and the number of processors shown, "all of
 * 2 s · 64 processors".  If SIZE is above 1, "SIZE processors PER" (PER: "a bar"; else not
 * used) comes first, where narrow pictures show it, too.  A trace with states for time that
 * was not recorded gets a note that overhead includes it.
 */
const char *weft_shown_text(const struct weft_shown *shown, struct weft_arena *arena,
                            struct weft_span window, const char *per, uint32_t size);
/*
 * Returns the time from the begin of the trace's span to the request's moment (cut to the
 * span), or without a moment to the end of shown->window; for records such as the longest
 * queue.
 */
struct weft_span weft_shown_since_start(const struct weft_shown *shown,
                                        const struct weft_request *request);
/*
 * Returns the time that accumulated numbers cover: from the begin of the window to the
 * request's moment (cut to the trace's span), or from the begin of the trace if the moment
 * is not after the window's begin; without a moment, the window.
 */
struct weft_span weft_shown_so_far(const struct weft_shown *shown,
                                   const struct weft_request *request);

/*
 * Returns the number of processors in a group, the least power of two with which N
 * processors, at most 2^31, make at most MOST groups (below 1 counts as 1).  The last group
 * counts, too, which may have fewer processors.
 */
uint32_t weft_group_size(uint32_t n, double most);
/*
 * Returns a name of group GROUP when each SIZE of shown->list are a group, in ARENA:
 * "processor 3", or "processors 96 to 127", by their names in shown->names.
 */
const char *weft_group_name(const struct weft_shown *shown, struct weft_arena *arena,
                            uint32_t group, uint32_t size);
/*
 * Returns the processors of group GROUP, when each SIZE of shown->list are a group; the
 * last group may have fewer.  Points into shown->list.
 */
static inline struct weft_processor_list weft_group_of(const struct weft_shown *shown,
                                                       uint32_t group, uint32_t size)
{
    uint32_t first = group * size, rest = shown->list.n - first;
    return (struct weft_processor_list){ shown->list.index + first,
                                         rest < size ? rest : size };
}

/* ---- Looks ---- */

/*
 * Sets LOOKS, the fills of areas of busy, overhead and idle time: the theme's colours (in
 * colour themes near ParaGraph's green, yellow and red); in black and white plain, dots and
 * diagonals.
 */
void weft_class_swatches(const struct weft_theme *theme,
                         struct weft_swatch looks[WEFT_CLASSES]);
/* Returns true if the theme tells areas apart by hatches: the black-and-white one. */
bool weft_theme_hatches(const struct weft_theme *theme);
/*
 * Returns the paint of an area whose shorter side is NARROWEST pixels, by SWATCH.  In black
 * and white it has an outline; below 4 pixels the swatch's tone, a plain grey, replaces
 * outline and hatch.
 */
struct weft_paint weft_swatch_paint(const struct weft_theme *theme,
                                    struct weft_swatch swatch, double narrowest);
/*
 * Sets all of PIXELS[height][columns], top row first, to colours (0xAARRGGBB): in each
 * column busy at the bottom, then overhead, then idle, in the tones of LOOKS, by
 * SHARES[columns][WEFT_CLASSES], numbers of processors of N.  On top, the share that cannot
 * be read is transparent (0).
 */
void weft_paint_stacks(uint32_t *pixels, size_t columns, size_t height, const float *shares,
                       float n, const struct weft_swatch looks[WEFT_CLASSES]);
/*
 * Returns, for each processor of the list, the ticks of WINDOW (in the trace's span) that
 * cannot be read because the trace is damaged; [list.n], in ARENA.
 */
int64_t *weft_unknown_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            struct weft_arena *arena);
/*
 * Returns the part (0 to 1) of N processors that the sum of SHARES, numbers of processors,
 * leaves out; 0 if that is at most a thousandth (rounding), as in a trace without damage.
 */
double weft_unknown_share(const float shares[WEFT_CLASSES], double n);
/*
 * Returns a lighter form of SWATCH, for a past value that is drawn behind the current one.
 */
struct weft_swatch weft_swatch_faint(const struct weft_theme *theme,
                                     struct weft_swatch swatch);
/*
 * Fills ENTRIES with legend entries, look and name, of the classes (busy, overhead, idle)
 * whose SHARES, parts of all time from 0 to 1, are above 0; returns how many.
 */
size_t weft_class_legend(const struct weft_theme *theme, const double shares[WEFT_CLASSES],
                         struct weft_legend_entry entries[WEFT_CLASSES]);

/*
 * Writes NAME, the vertical axis' name, at the top of the frame's plot (above the time
 * axis, if TIME_AXIS) and lowers the plot's top by WEFT_AXIS_NAME_HEIGHT.  No effect on a
 * plot that is less than 110 pixels high.  Call it right after weft_frame_begin.
 */
void weft_axis_name(struct weft_frame *frame, const char *name, bool time_axis);
/*
 * Returns the pixels that weft_value_lines needs for its numbers left of a plot of HEIGHT
 * pixels, with the same LOW, HIGH and WHOLE.  ARENA gets what it takes meanwhile.
 */
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
 * Returns where slot I of N slots in LENGTH pixels begins, rounded to pixels, so that slots
 * have no seams.
 */
static inline double weft_slot_edge(double length, uint32_t n, uint32_t i)
{
    return i == n ? length : (double)(int64_t)(length * (double)i / (double)n + 0.5);
}
/*
 * Returns the least step of 1, 2, 5, 10 ... (at most N, or 1 if that is 0) such that every
 * step-th of N slots in LENGTH pixels has room for a name of NEED pixels.
 */
uint32_t weft_name_step(uint32_t n, double length, double need);
/*
 * Heights in pixels.  WEFT_NAMES_HEIGHT: of the names below a plot (weft_names_below);
 * WEFT_AXIS_NAME_HEIGHT: of the name of its vertical axis (weft_axis_name).
 */
enum { WEFT_NAMES_HEIGHT = 28, WEFT_AXIS_NAME_HEIGHT = 16 };
/*
 * Writes names below N equal slots of PLOT's width, as many as have room, and WHAT
 * ("processor") at the right below these.  The name of slot I is NAMES[I * SIZE], or the
 * number I * SIZE when NAMES is NULL.  SIZE is the number of processors a slot.
 */
void weft_names_below(struct weft_frame *frame, struct weft_rect plot, uint32_t n,
                      uint32_t size, const char *const *names, const char *what);

/*
 * Adds the row (NAME, VALUE) to TABLE, the answer of a view's `point` to what is at a point
 * of the picture.
 */
void weft_fact(struct weft_table *table, const char *name, const char *value);

#endif
