/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colour code of messages (Heath, Finger: ParaGraph, 2003, section 5.2, "Color Code"):
 * by length, tag, number, or distance.
 */
#ifndef WEFT_VIEW_MESSAGE_COLOR_CODE_H
#define WEFT_VIEW_MESSAGE_COLOR_CODE_H

#include "view/network_setting.h"
#include "view/picture_frame.h"

/* The amount that colours tell: a message's bytes, tag or hops, or a number of messages. */
enum weft_code_kind { WEFT_CODE_SIZE, WEFT_CODE_TAG, WEFT_CODE_DISTANCE, WEFT_CODE_COUNT };

enum { WEFT_CODE_STEPS = 128 }; /* colours of the ramp: finer than the eye tells apart */

/* A code of colours for messages; made by weft_code_make, nothing to free. */
struct weft_message_code {
    enum weft_code_kind kind;
    const struct weft_theme *theme;
    double least; /* smallest amount, where the legend begins; the ramp begins at 0 */
    /*
     * The amount at the end of the ramp.  The ramp is linear for distances, and where MOST
     * is at most 16 times LEAST; else logarithmic.
     */
    double most;
    weft_color ramp[WEFT_CODE_STEPS + 1]; /* weft_ramp() in equal steps from 0 to 1 */
};

/*
 * Makes a code of colours for amounts of KIND up to MOST, where its ramp ends; its `least`
 * is 0.  The caller may set `least` and `most` later.  THEME must outlive the code.
 */
struct weft_message_code weft_code_make(enum weft_code_kind kind,
                                        const struct weft_theme *theme, double most);
/* Returns the colour of AMOUNT: bytes, messages, hops, or a tag, by the code's kind. */
weft_color weft_code_color(const struct weft_message_code *code, int64_t amount);
/*
 * Returns where on the ramp AMOUNT is, from 0.12 (so that it differs from empty) for 0 or
 * less to 1 for code->most or more.  Not for WEFT_CODE_TAG, whose colours have no order.
 */
double weft_code_place(const struct weft_message_code *code, int64_t amount);
/*
 * Returns AMOUNT's colour as a swatch (colour and hatch of an area); in black and white a
 * pattern, darker for larger amounts.
 */
struct weft_swatch weft_code_swatch(const struct weft_message_code *code, int64_t amount);
/*
 * Returns *N entries of a legend, at most 12, in ARENA: sizes and counts in about five
 * steps from code->least to code->most (in black and white one entry a pattern; none if
 * `most` is 0); distances from 0 on, each if there are up to 8, else about ten; or the
 * first 12 of the tags TAGS[n_tags], which must rise and may be NULL for the other kinds.
 */
struct weft_legend_entry *weft_code_legend(const struct weft_message_code *code,
                                           struct weft_arena *arena, const int64_t *tags,
                                           size_t n_tags, size_t *n);

#endif
