/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a picture is asked with, drawn from the sequence of random.h: sizes, windows, themes,
 * moments and settings, those that people send and those that nobody should.
 */
#ifndef WEFT_TESTS_SWEEP_SHOTS_H
#define WEFT_TESTS_SWEEP_SHOTS_H

#include "view/view.h"

enum { SHOT_MAX_PARAMETERS = 24 };

struct shot {
    const struct weft_view *view;
    struct weft_request request;
    const char *settings[SHOT_MAX_PARAMETERS];
    char texts[SHOT_MAX_PARAMETERS][5000];
    unsigned rows; /* of the trace */
    bool whole;    /* the trace is not damaged */
};

/* A window within the span, around it, beside it, or with nothing in it. */
struct weft_span some_window(struct weft_span span);
/* Fill in the request of SHOT, whose view and rows are set. */
void some_request(struct shot *shot, const struct weft_set *set);

#endif
