/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the time of all rows of a trace (activity_intervals.h) by what they did, for what
 * and where, in words, so that the division of one run can be compared with that of
 * another.
 */
#ifndef WEFT_ANALYSE_TIME_BY_ACTIVITY_AND_PLACE_H
#define WEFT_ANALYSE_TIME_BY_ACTIVITY_AND_PLACE_H

#include "analyse/activity_intervals.h"
#include "analyse/where_selection.h"
#include "base/err.h"

/* A part of the time of all rows together.  Texts are never NULL; "" if there is none. */
struct weft_time_part {
    enum weft_activity_class class;
    uint32_t value;     /* index in schema->values, or WEFT_NONE */
    const char *state;  /* its name */
    const char *object; /* its name, or what alike ones have in common */
    /* the place in the program as weft_site_text() writes it; unless query.lines its
       function, if that is known, since lines move from version to version */
    const char *site;
    const char *function; /* of plain running: the function, by samples */
    const char *row; /* label of the container by which query.apart tells parts apart */
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

/* The container by which parts are told apart. */
enum weft_division_apart {
    WEFT_DIVISION_OF_ALL, /* by none */
    WEFT_DIVISION_BY_ROW,
    WEFT_DIVISION_BY_PARTNER, /* of a wait, or a call: as the term of a selection says */
    WEFT_DIVISION_BY_WAKER,
};

/* A question: whose time is divided, and how. */
struct weft_division_query {
    const struct weft_source *source;
    uint32_t under; /* a container: the rows of its subtree; 0: all */
    struct weft_span window;
    const uint8_t *members; /* by container: 0: the row does not count; NULL: all do */
    /*
     * Only intervals of states that it means count, cut to the window; NULL: all, also
     * those of no state.
     */
    const struct weft_where *where;
    struct weft_job *job; /* or NULL */
    bool lines;           /* places have lines */
    enum weft_division_apart apart;
};

/*
 * Sets *OUT to the division of the time of the rows that QUERY asks for.  If that is all of
 * the time of all rows of a subtree, no container tells parts apart, and no thread spins,
 * functions have as much of the time of plain running as the samples of these rows stand
 * for; the rest, such as time in the kernel, has none.  Reads the states and samples of the
 * window, those of one row at a time.  Partners and wakers take a look at each wait and at
 * the messages of the window (weft_row_of_next_wait() in who_ended_wait.h).  Returns
 * false with WEFT_ERR_CANCELLED, and nothing to free, if the job is cancelled.
 */
bool weft_time_division_read(const struct weft_division_query *query,
                             struct weft_time_division *out,
                             struct weft_err *err) WEFT_MUST_CHECK;
/* Frees what DIVISION holds, and zeroes it. */
void weft_time_division_free(struct weft_time_division *division);

#endif
