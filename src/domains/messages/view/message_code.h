/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colour code of messages (Heath, Finger: ParaGraph, 2003, section 5.2, "Color Code"): by
 * their length, their tag or the distance that they travel.
 */
#ifndef WEFT_VIEW_MESSAGE_CODE_H
#define WEFT_VIEW_MESSAGE_CODE_H

#include "view/distance_setting.h"
#include "view/frame.h"

enum weft_code_kind { WEFT_CODE_SIZE, WEFT_CODE_TAG, WEFT_CODE_DISTANCE, WEFT_CODE_COUNT };

enum { WEFT_CODE_STEPS = 128 }; /* finer than the eye tells apart */

struct weft_message_code {
    enum weft_code_kind kind;
    const struct weft_theme *theme;
    double least; /* below it the legend has nothing; the ramp begins at 0 all the same */
    double
        most; /* what the end of the ramp stands for; up to 16 times the least: linearly */
    weft_color ramp[WEFT_CODE_STEPS + 1];
};

/* A code whose ramp ends at MOST, which may be set later. */
struct weft_message_code weft_code_make(enum weft_code_kind kind,
                                        const struct weft_theme *theme, double most);
/* The colour of an amount: of bytes, of messages, of hops, or a tag. */
weft_color weft_code_color(const struct weft_message_code *code, int64_t amount);
/* How much of the ramp an amount is, 0 to 1; not of tags. */
double weft_code_place(const struct weft_message_code *code, int64_t amount);
/* In black and white, patterns that are the darker the more it is. */
struct weft_swatch weft_code_swatch(const struct weft_message_code *code, int64_t amount);
/*
 * Entries of a legend, in ARENA: *N of them.  Sizes and counts go by powers, distances by steps;
 * of tags those in TAGS[n_tags], rising.
 */
struct weft_legend_entry *weft_code_legend(const struct weft_message_code *code,
                                           struct weft_arena *arena, const int64_t *tags,
                                           size_t n_tags, size_t *n);

#endif
