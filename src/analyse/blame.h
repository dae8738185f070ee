/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums the causes of many waits (wait_causes.h): how long threads waited, all together,
 * while a row did something at a place.  A stretch in which three threads waited for one
 * counts three times.  These are the delay costs of D. Böhme, M. Geimer, L. Arnold, F.
 * Voigtlaender, F. Wolf, Identifying the root causes of wait states in large-scale
 * parallel applications, ACM Transactions on Parallel Computing 3 (2016), section 4, for
 * threads and locks as well as for messages.
 */
#ifndef WEFT_ANALYSE_BLAME_H
#define WEFT_ANALYSE_BLAME_H

#include "analyse/wait_causes.h"
#include "analyse/where_selection.h"

/* A part that waits have in common. */
struct weft_blame {
    struct weft_cause cause; /* `ticks`: of all waits; `visit` and `span` have no meaning */
    uint64_t waits;          /* in how many waits it was met */
    uint32_t last_wait;      /* the last of these */
    uint32_t number;         /* by which struct weft_blame_met names it */
    /* 1, or after weft_blames_by_place() how many rows; cause.row has the most ticks */
    uint32_t rows;
    /* after weft_blames_by_place(): the object stands for all that are alike */
    bool alike;
};

/* A blame was met in a wait; both are numbers from 0, the waits in order. */
struct weft_blame_met {
    uint32_t blame, wait;
};

/*
 * Causes of waits with how long threads waited for each; made by weft_blame_read(), freed
 * by weft_blames_free().
 */
struct weft_blames {
    struct weft_blame *list; /* [n] most ticks first */
    size_t n, capacity;
    uint64_t waits, walked;             /* in the window; of these, those that are summed */
    int64_t waited_ticks, walked_ticks; /* their lengths within the window */
    struct weft_blame_met *met;         /* [n_met] in order of the waits */
    size_t n_met, met_capacity;
    struct weft_arena arena; /* of names of functions */
};

/* A question: whose waits, and how many of them. */
struct weft_blame_query {
    const struct weft_source *source;
    const struct weft_releases *releases; /* of SOURCE */
    uint32_t under;                       /* a container: the rows of its subtree */
    struct weft_span window;              /* waits are cut to it */
    const struct weft_where *where; /* only waits in states that it means; NULL: all */
    size_t most;                    /* how many waits are followed, the longest ones */
    struct weft_job *job;           /* or NULL */
};

/*
 * Sets *OUT to the causes of the waits that QUERY asks for.  Waits are intervals of the
 * class waiting (activity_intervals.h): for others of the run, also for the end of threads
 * and processes.  Reads the states of the window, those of one row at a time, and walks for
 * each wait.  Returns false with WEFT_ERR_CANCELLED, and nothing to free, if the job is
 * cancelled.
 */
bool weft_blame_read(const struct weft_blame_query *query, struct weft_blames *out,
                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Joins the elements of BLAMES, a result of weft_blame_read(), that differ only in the row,
 * or in objects that are alike (alike_objects.h): the sum has the object of lowest index,
 * and the row of the one with most ticks.  The list is again sorted by ticks.
 */
void weft_blames_by_place(const struct weft_schema *schema, struct weft_blames *blames);
/* Frees what BLAMES holds, and zeroes it. */
void weft_blames_free(struct weft_blames *blames);

#endif
