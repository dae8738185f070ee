/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs, or two ranges of one, side by side: the setting that says the range of the
 * second, the picture, and what is said beside the table.  For the views time-compare and
 * causes-compare.
 */
#ifndef WEFT_VIEW_COMPARED_RUNS_H
#define WEFT_VIEW_COMPARED_RUNS_H

#include "view/view.h"

/* The setting "second", which compared_windows() reads: an initializer of struct
   weft_parameter. */
#define COMPARED_SECOND                                                                    \
 {                                                                                         \
  .name = "second", .kind = WEFT_PARAMETER_TEXT, .fallback = "",                           \
  .help = "the range of the second run, T0:T1 or T0+LENGTH; else all of it"                \
 }

/* The settings "where" and "second_where", the selections of the two runs; THINGS:
   "states", or what else they are about. */
#define COMPARED_WHERE(things)                                                             \
 { .name = "where",                                                                        \
   .kind = WEFT_PARAMETER_TEXT,                                                            \
   .fallback = "",                                                                         \
   .help = "of the first run only these " things " (doc/selections.md): row in worker*",   \
   .seldom = true },                                                                       \
 {                                                                                         \
  .name = "second_where", .kind = WEFT_PARAMETER_TEXT, .fallback = "",                     \
  .help = "of the second run only these " things, .seldom = true                           \
 }

/*
 * Sets WINDOWS to the ranges of the two runs, by the request's window and its setting
 * "second".  Returns false with WEFT_ERR_USAGE if that is no range.
 */
bool compared_windows(const struct weft_request *request, struct weft_span windows[2],
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Function `remark` of weft_view: tells how long the two ranges are, which no table does.
 */
const char *compared_remark(const struct weft_request *request);

/* A bar of the picture: how long something took in each run, in nanoseconds. */
struct compared_bar {
    const char *name;
    int64_t total[2];
};
/*
 * Returns the sorting order of changes: the largest, of either sign, first; then the
 * largest in the first run.
 */
int compared_order(const int64_t x[2], const int64_t y[2]);
/* Returns CELL, marked as one that differs if DIFFERS. */
struct weft_cell compared_cell(struct weft_cell cell, bool differs);
/*
 * Begins *OUT and draws the N first of ALL bars in it, in their order: how much longer
 * (or shorter) in the second run.  SUBTITLE stands above, NOTHING in place of no bars.
 */
void compared_bars_draw(const struct weft_request *request, struct weft_scene *out,
                        const struct compared_bar *bars, size_t n, size_t all,
                        const char *subtitle, const char *nothing);

#endif
