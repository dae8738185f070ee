/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the time of all rows of a trace (activity_intervals.h) by what they did, for what
 * and where, in words, so that the division of one run can be compared with that of
 * another.
 */
#ifndef WEFT_ANALYSE_TIME_BY_ACTIVITY_AND_PLACE_H
#define WEFT_ANALYSE_TIME_BY_ACTIVITY_AND_PLACE_H

#include "analyse/activity_intervals.h"
#include "base/err.h"

/* A part of the time of all rows together.  Texts are never NULL; "" if there is none. */
struct weft_time_part {
    enum weft_activity_class class;
    const char *state;  /* name of the value */
    const char *object; /* its name, or what alike ones have in common */
    /* function of the place in the program, since lines move from version to version; if
       it is unknown as weft_site_text() writes the place */
    const char *site;
    const char *function; /* of plain running: the function, by samples */
    int64_t ticks;
    uint64_t count; /* intervals; 0 for functions, whose intervals are in the rest */
};

/*
 * The time of rows together, divided by what they did, for what and where; made by
 * weft_time_division_read(), freed by weft_time_division_free().
 */
struct weft_time_division {
    struct weft_time_part *list; /* [n] in no order; several may have equal texts */
    size_t n, capacity;
    int64_t ticks;           /* sum of the parts: of the lives of the rows in the window */
    uint32_t rows;           /* that lived in the window */
    struct weft_arena arena; /* of the texts */
};

/*
 * Sets *OUT to the division of the time of the rows in the subtree of the container UNDER
 * within WINDOW.  Functions have as much of the time of plain running as the samples of all
 * rows together stand for; the rest, such as time in the kernel, has none.  Reads the
 * states and samples of the window, those of one row at a time.  Returns false with
 * WEFT_ERR_CANCELLED, and nothing to free, if JOB (may be NULL) is cancelled.
 */
bool weft_time_division_read(const struct weft_source *source, uint32_t under,
                             struct weft_span window, struct weft_job *job,
                             struct weft_time_division *out,
                             struct weft_err *err) WEFT_MUST_CHECK;
/* Frees what DIVISION holds, and zeroes it. */
void weft_time_division_free(struct weft_time_division *division);

#endif
