/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An average over the interval before a time is the difference of two integrals: up to the
 * time, and up to the interval's begin.
 */
#include "domains/messages/model/phase_portrait_points.h"

#include <math.h>
#include <stdlib.h>

/* Integrals: processors times ticks; messages or bytes times ticks. */
struct integral {
    double busy, known, pending;
};

static int64_t span_begin(const struct weft_phase *phase)
{
    return phase->traffic->source->schema->span.begin;
}

/* Returns the begin of the interval before TIME. */
static int64_t since(const struct weft_phase *phase, int64_t time)
{
    int64_t begin = span_begin(phase);
    return time - begin > phase->width ? time - phase->width : begin;
}

static double amount(const struct weft_phase *phase, const struct weft_amount *of)
{
    return (double)(phase->bytes ? of->bytes : of->messages);
}

static void set_point(const struct weft_phase *phase, struct weft_phase_point *point,
                      const struct integral *over)
{
    const double enough = 0.5; /* of the time of all processors, to be an average */
    struct weft_amount peak = weft_history_peak(phase->history);
    double ticks = (double)(point->time - since(phase, point->time));
    double all = ticks * phase->utilization->processors->n, most = amount(phase, &peak);
    point->utilization =
        ticks > 0 && over->known >= enough * all ? over->busy / over->known : NAN;
    point->communication =
        ticks > 0 && most > 0 ? fmax(0, over->pending) / (most * ticks) : NAN;
}

/* ---- Exactly ---- */

/* Adds the ticks of all processors in the intervals before the points. */
static bool add_ticks(const struct weft_phase *phase, const struct weft_phase_point *points,
                      size_t n, struct integral *over, struct weft_job *job,
                      struct weft_err *err)
{
    uint32_t p = phase->utilization->processors->n;
    struct weft_processor_moment *moments =
        weft_alloc(((size_t)p * 2 + 1) * sizeof *moments);
    int64_t(*spent)[WEFT_CLASSES] = weft_alloc(((size_t)p * 2 + 1) * sizeof *spent);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        for (uint32_t q = 0; q < p; q++) {
            moments[q] = (struct weft_processor_moment){ q, points[i].time };
            moments[p + q] =
                (struct weft_processor_moment){ q, since(phase, points[i].time) };
        }
        weft_utilization_spent(phase->utilization, moments, (size_t)p * 2, spent);
        for (uint32_t q = 0; q < p; q++)
            for (int k = 0; k < WEFT_CLASSES; k++) {
                double ticks = (double)(spent[q][k] - spent[p + q][k]);
                over[i].busy += k == WEFT_CLASS_BUSY ? ticks : 0;
                over[i].known += ticks;
            }
        ok = weft_job_step(job, i, n, err);
    }
    free(moments);
    free(spent);
    return ok;
}

/*
 * Adds SIGN times the integral of what is pending, from the span's begin to each point's
 * time, or to the begin of the interval before it.
 */
static void add_pending(const struct weft_phase *phase,
                        const struct weft_phase_point *points, size_t n, bool to_begin,
                        double sign, struct integral *over, struct weft_job *job)
{
    const struct weft_replay_options options = { .collectives = phase->collectives,
                                                 .processor = WEFT_NONE,
                                                 .job = job };
    int64_t at = span_begin(phase);
    struct weft_replay *replay = weft_replay_begin(phase->traffic, at, &options);
    struct weft_replay_step step;
    struct weft_amount pending = weft_replay_pending(replay);
    bool more = weft_replay_next(replay, &step);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t until = to_begin ? since(phase, points[i].time) : points[i].time;
        while (more && step.time < until) {
            sum += amount(phase, &pending) * (double)(step.time - at);
            at = step.time;
            pending = step.pending;
            more = weft_replay_next(replay, &step);
        }
        sum += amount(phase, &pending) * (double)(until - at);
        at = until;
        over[i].pending += sign * sum;
    }
    weft_replay_end(replay);
}

bool weft_phase_exact(const struct weft_phase *phase, struct weft_phase_point *points,
                      size_t n, struct weft_job *job, struct weft_err *err)
{
    struct integral *over = weft_zalloc(n + 1, sizeof *over);
    bool ok = add_ticks(phase, points, n, over, job, err);
    if (ok) {
        add_pending(phase, points, n, false, 1, over, job);
        add_pending(phase, points, n, true, -1, over, job);
        ok = weft_job_step(job, n, n, err);
    }
    for (size_t i = 0; i < n && ok; i++)
        set_point(phase, &points[i], &over[i]);
    free(over);
    return ok;
}

/* ---- Quickly ---- */

/* Sets OUT[n] to the integrals over N equal parts of WINDOW. */
static void integrate_parts(const struct weft_phase *phase,
                            const struct weft_concurrency *concurrency,
                            struct weft_span window, size_t n, struct integral *out)
{
    if (!n || window.end <= window.begin)
        return;
    float *shares = weft_zalloc(n * WEFT_CLASSES, sizeof *shares);
    struct weft_level *levels = weft_alloc(n * sizeof *levels);
    double ticks = (double)(window.end - window.begin) / (double)n;
    weft_concurrency_shares(concurrency, window, n, shares);
    weft_history_columns(phase->history, window, n, levels);
    for (size_t i = 0; i < n; i++) {
        double known = 0;
        for (int k = 0; k < WEFT_CLASSES; k++)
            known += (double)shares[i * WEFT_CLASSES + (size_t)k];
        out[i] = (struct integral){
            ticks * (double)shares[i * WEFT_CLASSES + WEFT_CLASS_BUSY], ticks * known,
            ticks * (phase->bytes ? levels[i].mean_bytes : levels[i].mean_messages)
        };
    }
    free(shares);
    free(levels);
}

static void add(struct integral *sum, const struct integral *part, double sign)
{
    sum->busy += sign * part->busy;
    sum->known += sign * part->known;
    sum->pending += sign * part->pending;
}

void weft_phase_quick(const struct weft_phase *phase,
                      const struct weft_concurrency *concurrency,
                      struct weft_phase_point *points, size_t n)
{
    if (!n)
        return;
    struct integral *ends = weft_zalloc(n + 1, sizeof *ends),
                    *begins = weft_zalloc(n + 1, sizeof *begins), sum = { 0 };
    int64_t zero = span_begin(phase);
    int64_t first = points[0].time, last = points[n - 1].time;
    size_t moved = 0; /* points whose interval begins with the span */
    while (moved < n && since(phase, points[moved].time) == zero)
        moved++;
    /* The first point's interval; the parts between points; those between begins. */
    integrate_parts(phase, concurrency, (struct weft_span){ since(phase, first), first }, 1,
                    &sum);
    integrate_parts(phase, concurrency, (struct weft_span){ first, last }, n - 1, ends + 1);
    if (moved && moved < n)
        integrate_parts(phase, concurrency,
                        (struct weft_span){ zero, since(phase, points[moved].time) }, 1,
                        &begins[moved]);
    if (moved + 1 < n)
        integrate_parts(
            phase, concurrency,
            (struct weft_span){ since(phase, points[moved].time), since(phase, last) },
            n - 1 - moved, begins + moved + 1);
    for (size_t i = 0; i < n; i++) {
        add(&sum, &ends[i], 1);
        add(&sum, &begins[i], -1);
        set_point(phase, &points[i], &sum);
    }
    free(ends);
    free(begins);
}
