/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk from a moment of a row back through causes: what the row did; where it waited,
 * what the row did that let the wait end; and so on, to an earlier time.  The parts of a
 * walk are adjacent in time: they add up exactly to the time walked.  From the end of a
 * wait to its begin they say why it took so long; from the end of a run to its begin they
 * are its critical path.
 *
 * Sources: backward replay of wait states, D. Böhme, M. Geimer, F. Wolf, L. Arnold,
 * Identifying the root causes of wait states in large-scale parallel applications, ICPP
 * 2010, section III; the walk over threads' wake-ups, F. Zhou, Y. Gan, S. Ma, Y. Wang,
 * wPerf: generic off-CPU analysis to identify bottleneck waiting events, OSDI 2018.
 */
#ifndef WEFT_ANALYSE_WALK_BACK_THROUGH_CAUSES_H
#define WEFT_ANALYSE_WALK_BACK_THROUGH_CAUSES_H

#include "analyse/activity_intervals.h"
#include "analyse/releases_of_waits.h"

/* The kinds of steps. */
enum weft_step_kind {
    WEFT_STEP_DID,        /* what the row did, of the class that `class` says */
    WEFT_STEP_ON_ITS_WAY, /* from the release to the end of the wait: waking, flight */
    WEFT_STEP_UNSEEN,     /* waited, and nothing in the trace tells what ended the wait */
    WEFT_STEP_ABSENT,     /* the row did not exist, or existed no more */
};

/* A step of a walk back through causes (weft_walk()): an interval of one row. */
struct weft_step {
    enum weft_step_kind kind;
    enum weft_activity_class class; /* of what the row did; of ON_ITS_WAY: waiting */
    uint32_t visit;                 /* counts the stays on a row, from 0 */
    uint32_t row;                   /* a container */
    struct weft_span span;          /* it begins where the next step ends */
    struct weft_state of;           /* what the row was in; of.id WEFT_NO_ID: no state */
    struct weft_release release;    /* of ON_ITS_WAY; else without meaning */
    /* the release by which the walk came to the row; kind WEFT_RELEASE_KINDS: it began
       there */
    struct weft_release came_by;
};

/* A walk back in time through causes, for weft_walk(): where it begins, how far it goes. */
struct weft_walk_query {
    const struct weft_source *source;
    const struct weft_releases *releases; /* of the source */
    uint32_t row;                         /* a container: the row to begin at */
    struct weft_span span;                /* from its end back to its begin */
    struct weft_job *job;                 /* or NULL */
    struct weft_release_memory *memory;   /* shared by walks of one thread; or NULL */
};

/*
 * Calls VISIT, with USER, for each step, the latest first, until it returns false; none for
 * an empty span.  A wait that lasts beyond the end of the span is followed from its own
 * end; what lies behind the span is not reported.  Reads what the visited rows did while
 * they are on the way.  Returns true, also if VISIT has stopped it; false with
 * WEFT_ERR_CANCELLED if the query's job is cancelled.
 */
bool weft_walk(const struct weft_walk_query *query,
               bool (*visit)(void *user, const struct weft_step *step), void *user,
               struct weft_err *err) WEFT_MUST_CHECK;

#endif
