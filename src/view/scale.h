/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Axes: round ticks (1, 2, 5 x 10^k) with labels in a unit that fits the range, never two
 * alike.
 */
#ifndef WEFT_VIEW_SCALE_H
#define WEFT_VIEW_SCALE_H

#include "store/schema.h"
#include "view/scene.h"

struct weft_tick {
    double at;         /* pixels from the axis' begin */
    const char *label; /* "612.4"; the unit is the axis' */
};

struct weft_axis {
    struct weft_tick *ticks;
    size_t n_ticks;
    const char *unit;   /* "ms"; "" for plain numbers */
    const char *offset; /* when labels count from a round time because the range is far from
                           zero and tiny: "+ 3,599.5 s", else NULL */
};

/*
 * Ticks for a window of time over LENGTH pixels, about SPACING pixels apart or more; labels
 * count from the begin of the span.  Memory from ARENA.
 */
struct weft_axis weft_time_axis(struct weft_arena *arena, const struct weft_schema *schema,
                                struct weft_span window, double length, double spacing);
/*
 * The same for values from LOW to HIGH; UNIT is passed through ("B" becomes KiB, MiB...).
 * Without ticks where the range is empty or too large for a double.
 */
struct weft_axis weft_value_axis(struct weft_arena *arena, double low, double high,
                                 const char *unit, double length, double spacing);

/* The same for what is counted (messages, processors): ticks are whole numbers. */
struct weft_axis weft_count_axis(struct weft_arena *arena, double low, double high,
                                 double length, double spacing);

/*
 * A number for people: thousands separated, at most DECIMALS decimals: "412,906", "2e+18".
 */
const char *weft_number_text(struct weft_arena *arena, double value, int decimals);
/* "1.5 KiB" */
const char *weft_bytes_text(struct weft_arena *arena, int64_t bytes);

#endif
