/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Axes: round ticks (1, 2, 5 x 10^k) with labels in a unit that fits the range, no two of
 * them equal.
 */
#ifndef WEFT_VIEW_AXIS_TICKS_H
#define WEFT_VIEW_AXIS_TICKS_H

#include "store/schema.h"
#include "view/scene.h"

/* A tick of an axis. */
struct weft_tick {
    double at;         /* pixels from the axis' begin */
    const char *label; /* "612.4", in the axis' unit */
};

/* The ticks of an axis; in the arena that it was made with. */
struct weft_axis {
    struct weft_tick *ticks;
    size_t n_ticks;
    const char *unit; /* "ms"; "" for plain numbers */
    /* For a tiny range far from zero the round time that labels count from, as
       "+ 3,599.5 s"; else NULL. */
    const char *offset;
};

/*
 * Returns ticks for a window of time (ticks of the trace's clock) over LENGTH pixels, at
 * least about SPACING pixels apart; labels count from the begin of the trace's span.  None
 * for an empty window.  Memory from ARENA.
 */
struct weft_axis weft_time_axis(struct weft_arena *arena, const struct weft_schema *schema,
                                struct weft_span window, double length, double spacing);
/*
 * Returns ticks for values from LOW to HIGH over LENGTH pixels, at least about SPACING
 * pixels apart; UNIT (NULL: "") becomes the axis' unit and is not copied, but "B" becomes
 * KiB, MiB... as needed.  None if the range is empty or too large for a double.
 */
struct weft_axis weft_value_axis(struct weft_arena *arena, double low, double high,
                                 const char *unit, double length, double spacing);

/*
 * Returns ticks at whole numbers only, without a unit, for counts from LOW to HIGH over
 * LENGTH pixels, at least about SPACING pixels apart; memory from ARENA.  None if the range
 * is empty or too large for a double.
 */
struct weft_axis weft_count_axis(struct weft_arena *arena, double low, double high,
                                 double length, double spacing);

/*
 * Returns VALUE as text for people, in ARENA, thousands separated, with DECIMALS decimals,
 * "412,906.0"; from 10^18 on in four digits, "2e+18".
 */
const char *weft_number_text(struct weft_arena *arena, double value, int decimals);
/* Returns a number of bytes with a unit, B to EiB, in ARENA: "1.5 KiB". */
const char *weft_bytes_text(struct weft_arena *arena, int64_t bytes);

#endif
