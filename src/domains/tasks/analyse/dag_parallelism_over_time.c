/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/parallel.h"
#include "domains/tasks/analyse/dag_parallelism_over_time_priv.h"
#include "store/mipmaps.h"
#include "store/time.h"

struct weft_dag_profile {
    const struct weft_source *source;
    bool is_whole; /* no limit of depth: the curves are variables in the store */
    uint32_t tracks[WEFT_DAG_CURVES];
    struct weft_step_curve *curves[WEFT_DAG_CURVES];
};

static void find_tracks(struct weft_dag_profile *profile, const struct weft_dag *dag)
{
    profile->tracks[WEFT_DAG_ACTUAL] = weft_dag_running(dag);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        profile->tracks[WEFT_DAG_AVAILABLE + k] =
            weft_dag_ready(dag, (enum weft_dag_edge)k);
}

struct weft_dag_profile *weft_dag_profile_new(const struct weft_dag *dag,
                                              const struct weft_source *source,
                                              uint32_t depth, struct weft_job *job,
                                              struct weft_err *err)
{
    struct weft_dag_profile *profile = weft_zalloc(1, sizeof *profile);
    profile->source = source;
    profile->is_whole = depth == WEFT_DAG_ALL_DEPTHS || !dag_reaches_below(dag, depth, job);
    find_tracks(profile, dag);
    if (weft_job_step(job, 0, 1, err)
        && (profile->is_whole || dag_sweep_curves(dag, depth, profile->curves, job, err)))
        return profile;
    weft_dag_profile_free(profile);
    return NULL;
}

void weft_dag_profile_free(struct weft_dag_profile *profile)
{
    for (int k = 0; profile && k < WEFT_DAG_CURVES; k++)
        weft_step_curve_free(profile->curves[k]);
    free(profile);
}

size_t weft_dag_profile_bytes(const struct weft_dag_profile *profile)
{
    size_t bytes = sizeof *profile;
    for (int k = 0; k < WEFT_DAG_CURVES && !profile->is_whole; k++)
        bytes += weft_step_curve_bytes(profile->curves[k]);
    return bytes;
}

/* ---- Means ---- */

struct profile_query {
    const struct weft_dag_profile *profile;
    const int64_t *times; /* [n + 1] */
    size_t n;
    double *out;
};

enum { PARTS = 64 }; /* parts of a curve in one job of a thread: some 20 microseconds */

/* Computes the means of some parts of a curve. */
static void find_means(void *user, size_t index)
{
    const struct profile_query *query = user;
    const struct weft_dag_profile *profile = query->profile;
    size_t runs = (query->n + PARTS - 1) / PARTS, k = index / runs;
    size_t first = index % runs * PARTS;
    size_t n = query->n - first < PARTS ? query->n - first : PARTS;
    const int64_t *times = query->times + first;
    double *out = &query->out[k * query->n + first];
    if (!profile->is_whole)
        weft_step_curve_integrals(profile->curves[k], times, n, out);
    else if (profile->tracks[k] != WEFT_NONE)
        profile->source->ops->integrals(profile->source, profile->tracks[k], times, n, out);
    else
        memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = times[i + 1] > times[i] ? out[i] / (double)(times[i + 1] - times[i]) : 0;
}

void weft_dag_profile_means(const struct weft_dag_profile *profile, struct weft_span window,
                            size_t n, double *out)
{
    WEFT_REQUIRE(n, "no part of a window is asked for");
    if (window.end <= window.begin) { /* the run took no time */
        memset(out, 0, WEFT_DAG_CURVES * n * sizeof *out);
        return;
    }
    int64_t *times = weft_alloc((n + 1) * sizeof *times);
    struct weft_edges edges = weft_edges_begin(window, n);
    times[0] = window.begin;
    for (size_t c = 1; c < n; c++, weft_edges_next(&edges))
        times[c] = edges.edge;
    times[n] = window.end;
    struct profile_query query = { profile, times, n, out };
    weft_parallel(WEFT_DAG_CURVES * ((n + PARTS - 1) / PARTS), 1, find_means, &query);
    free(times);
}

/* ---- Changes ---- */

/* Iterates over the changes of a curve; holds the next one. */
struct cursor {
    const struct weft_dag_profile *profile;
    size_t k;
    uint64_t next;        /* the next block, or sample of the track, to read */
    struct weft_run *run; /* of a track */
    struct weft_step steps[WEFT_RUN_MAX];
    size_t at, n;
    int64_t time; /* INT64_MAX at the end */
    double value;
};

/* Reads a block of the track's samples; skips damaged ones. */
static void read_track(struct cursor *cursor)
{
    const struct weft_source *source = cursor->profile->source;
    uint32_t track = cursor->profile->tracks[cursor->k];
    source->ops->run(source, track, cursor->next, cursor->run);
    cursor->next = cursor->run->after > cursor->next ? cursor->run->after : UINT64_MAX;
    cursor->n = cursor->run->n;
    for (size_t i = 0; i < cursor->n; i++)
        cursor->steps[i] = (struct weft_step){ cursor->run->samples[i].begin,
                                               cursor->run->samples[i].value };
}

/* The number of blocks, or samples, of a curve. */
static uint64_t length_of(const struct weft_dag_profile *profile, size_t k)
{
    if (!profile->is_whole)
        return weft_step_curve_blocks(profile->curves[k]);
    uint32_t track = profile->tracks[k];
    return track == WEFT_NONE ? 0 : profile->source->schema->tracks[track].count;
}

static void advance(struct cursor *cursor)
{
    while (cursor->at == cursor->n) {
        if (cursor->next >= length_of(cursor->profile, cursor->k)) {
            cursor->time = INT64_MAX;
            return;
        }
        cursor->at = 0;
        if (cursor->profile->is_whole)
            read_track(cursor);
        else
            cursor->n = weft_step_curve_read(cursor->profile->curves[cursor->k],
                                             (size_t)cursor->next++, cursor->steps);
    }
    cursor->time = cursor->steps[cursor->at].time;
    cursor->value = cursor->steps[cursor->at++].value;
}

/* Makes a cursor at the last change before or at TIME. */
static struct cursor *new_cursor(const struct weft_dag_profile *profile, size_t k,
                                 int64_t time)
{
    struct cursor *cursor = weft_zalloc(1, sizeof *cursor);
    const struct weft_source *source = profile->source;
    cursor->profile = profile;
    cursor->k = k;
    if (!profile->is_whole) {
        cursor->next = weft_step_curve_blocks_until(profile->curves[k], time);
    } else if (profile->tracks[k] != WEFT_NONE) {
        cursor->run = weft_alloc(sizeof *cursor->run);
        cursor->next = source->ops->rank(source, profile->tracks[k], time);
    }
    cursor->next -= cursor->next > 0;
    advance(cursor);
    return cursor;
}

void weft_dag_profile_changes(const struct weft_dag_profile *profile,
                              struct weft_span window,
                              bool (*visit)(void *user, int64_t time,
                                            const double values[WEFT_DAG_CURVES]),
                              void *user)
{
    enum { REST = 1 << 18 }; /* changes read between two releases of memory */
    struct cursor *cursors[WEFT_DAG_CURVES];
    double values[WEFT_DAG_CURVES] = { 0 };
    uint64_t seen = 0;
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        cursors[k] = new_cursor(profile, k, window.begin);
    for (int64_t time = window.begin, next; time < window.end; time = next) {
        next = INT64_MAX;
        for (size_t k = 0; k < WEFT_DAG_CURVES; k++) {
            for (; cursors[k]->time <= time; advance(cursors[k]))
                values[k] = cursors[k]->value;
            next = cursors[k]->time < next ? cursors[k]->time : next;
        }
        if (!visit(user, time, values))
            break;
        if (++seen % REST == 0)
            weft_mappings_rest(WEFT_MAPPED_MAX);
    }
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++) {
        free(cursors[k]->run);
        free(cursors[k]);
    }
}
