/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says why a wait took so long: the walk (walk_back_through_causes.h) from its end to its
 * begin, summed by what the rows on the way did and where.  The parts add up exactly to the
 * wait.  A walk through a whole range, summed over all stays on a row, is the critical path
 * of the range.
 */
#ifndef WEFT_ANALYSE_WAIT_CAUSES_H
#define WEFT_ANALYSE_WAIT_CAUSES_H

#include "analyse/walk_back_through_causes.h"
#include "base/memory.h"

/* A part of a wait, or of a critical path. */
struct weft_cause {
    uint32_t visit; /* index of its stay in causes->stays; 0 if stays are summed */
    enum weft_step_kind kind;
    enum weft_activity_class class;
    uint32_t row;    /* a container */
    uint32_t value;  /* of the row's state; WEFT_NONE: it was in none */
    uint32_t object; /* container that the state names; or WEFT_NONE */
    uint32_t site;   /* of the state: index of the first site of that line; or WEFT_NONE */
    /*
     * The function that ran, if the part is work, by the samples in the stay's work at this
     * place: functions have as much of its time as their samples stand for.  NULL: the rest
     * of it, or no work.
     */
    const char *function;
    int64_t ticks;         /* length of all its steps together, or the function's share */
    uint64_t steps;        /* of the walk, summed in this part; 0 for all but the first
                              function of some work */
    struct weft_span span; /* from the earliest step's begin to the latest one's end */
};

/* A stay of a walk back through causes (weft_walk()) on a row (a container): the steps that
   it made there one after the other. */
struct weft_stay {
    uint32_t row;
    struct weft_span span;
    /* how the walk came here: the release of the wait of the stay before; kind
       WEFT_RELEASE_KINDS for the first stay */
    struct weft_release came_by;
    uint32_t first, n; /* its parts are causes->list[first] to [first + n - 1] */
};

/*
 * The parts of a walk back through causes, and its stays on rows; made by
 * weft_causes_read(), freed by weft_causes_free().
 */
struct weft_causes {
    struct weft_cause *list; /* [n] by stay, in each the most ticks first */
    size_t n, capacity;
    struct weft_stay *stays; /* [n_stays] the latest first; none if stays are summed */
    size_t n_stays, stays_capacity;
    uint64_t n_steps;        /* of the walk */
    struct weft_arena arena; /* of names of functions */
};

/*
 * Makes the walk QUERY back through causes (weft_walk()), and sets *OUT to its parts: sums
 * of its steps, stay by stay, by what the rows did, for what and where.  ALIKE is the array
 * of weft_sites_alike() for the trace, by which sites of one line are one.  Returns false
 * with WEFT_ERR_CANCELLED, and nothing to free.  Keeps about 100 bytes a part; reads the
 * samples of the stays.
 */
bool weft_causes_read(const struct weft_walk_query *query, const uint32_t *alike,
                      struct weft_causes *out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Joins the parts in CAUSES that differ only in `visit` (the stay on a row) and time into
 * one, whose `visit` is 0, and sorts all by ticks, most first; n_stays is 0 then.
 */
void weft_causes_sum(struct weft_causes *causes);
/* Frees what CAUSES holds, and zeroes it. */
void weft_causes_free(struct weft_causes *causes);

/* A wait of a row; found is false if there is none. */
struct weft_found_wait {
    bool found;
    uint32_t row; /* the container that waited */
    struct weft_state state;
};
/*
 * Returns the longest wait of the rows in the subtree of UNDER that overlaps WINDOW, by its
 * whole length: of waits for something that is known (a lock, a message); if there are
 * none, of others; if none, for ends of threads or processes; if none, of sleeps and waits
 * for files; the first of equal ones.  Reads the states of the window.  JOB may be NULL; if
 * it is cancelled, the result is of no use.
 */
struct weft_found_wait weft_longest_wait(const struct weft_source *source, uint32_t under,
                                         struct weft_span window, struct weft_job *job);
/*
 * Returns the row (a container) in the subtree of UNDER whose states end last before the
 * end of WINDOW, as a program's main thread; of equal ones the first.  If there are ranks
 * of MPI, only they and the rows in them count, since the process that starts them ends
 * later.  WEFT_NONE if no row has a state before that.
 */
uint32_t weft_last_row(const struct weft_schema *schema, uint32_t under,
                       struct weft_span window);

#endif
