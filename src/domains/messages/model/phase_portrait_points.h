/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How busy processors were against how much was on its way, both on average over an
 * interval before a moment (Heath, Finger: ParaGraph, 2003, section 5.4, "Phase Portrait").
 */
#ifndef WEFT_MODEL_PHASE_PORTRAIT_POINTS_H
#define WEFT_MODEL_PHASE_PORTRAIT_POINTS_H

#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/traffic_history.h"

/* The source of the averages, and their interval; all is borrowed. */
struct weft_phase {
    const struct weft_utilization *utilization;
    const struct weft_traffic *traffic;
    const struct weft_history *history; /* of all messages, counted by `collectives` */
    enum weft_collectives collectives;
    int64_t width; /* ticks of the interval, at least 1; at the run's begin what there is */
    bool bytes;    /* count bytes, not messages */
};

/* The averages before a time, 0 to 1; NAN where they are not known. */
struct weft_phase_point {
    int64_t time;
    /* of the processors, the part that was busy; NAN if less than half can be read */
    double utilization;
    /* of the most that ever was pending, the part that was; NAN if nothing ever was */
    double communication;
};

/*
 * Sets both averages of POINTS[N], those over the interval before POINTS[i].time, which the
 * caller has set: a time in the trace's span; the points are in order of time.  Both are
 * NAN at the span's begin.  Exact; costs two searches for each point and processor, and a
 * replay of all messages up to the last point.  Returns false with WEFT_ERR_CANCELLED, and
 * POINTS as they were, if JOB (may be NULL) is cancelled.
 */
bool weft_phase_exact(const struct weft_phase *phase, struct weft_phase_point *points,
                      size_t n, struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets both averages of POINTS[N], like weft_phase_exact, but quicker, for a picture: the
 * points are in order and equally far apart, by at least a tick.  CONCURRENCY is that of
 * all processors, over phase->utilization.  It is as precise as weft_concurrency_shares and
 * weft_history_columns; costs as they do.
 */
void weft_phase_quick(const struct weft_phase *phase,
                      const struct weft_concurrency *concurrency,
                      struct weft_phase_point *points, size_t n);

#endif
