/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events, and gives them their steps: each processor goes on until an event waits
 * for one that has no step yet; that one wakes it.  Processors that wait are in a heap, by
 * the time of the event: when all do, the earliest goes on.
 */
#include "domains/messages/model/logical_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "base/parallel.h"
#include "domains/messages/model/logical_time_priv.h"
#include "domains/messages/model/processors.h"

enum { EVENTS_A_REPORT = 1 << 16 }; /* between two looks at the job */

static uint32_t what_of(enum weft_logical_kind kind, uint64_t number)
{
    return (uint32_t)kind << WEFT_LOGICAL_NUMBER_BITS | (uint32_t)number;
}

/* ---- Reading ---- */

struct reader {
    struct weft_logical *logical;
    uint32_t *step_of_message;
    size_t *next;   /* by processor: where its next event goes; NULL: only count */
    uint64_t first; /* number of the first message of the track */
    uint64_t n_read, total;
    struct weft_job *job;
    struct weft_err *err;
    bool ok;
};

static void add_event(struct reader *r, uint32_t processor, int64_t time, uint32_t what)
{
    if (r->next)
        r->logical->events[r->next[processor]++] =
            (struct weft_logical_event){ time, 0, what };
    else
        r->logical->first[processor + 1]++;
}

static bool add_link(void *user, const struct weft_link *link)
{
    struct reader *r = user;
    const uint32_t *index_of = r->logical->traffic->processors->index_of;
    if (++r->n_read % EVENTS_A_REPORT == 0
        && !weft_job_step(r->job, r->n_read, 2 * r->total, r->err))
        return r->ok = false;
    uint64_t number = r->first + weft_entity_ordinal(link->id);
    uint32_t from = link->from == WEFT_NONE ? WEFT_NONE : index_of[link->from];
    uint32_t to = link->to == WEFT_NONE ? WEFT_NONE : index_of[link->to];
    if (from != WEFT_NONE && !(link->flags & WEFT_BEGIN_IMPLIED))
        add_event(r, from, link->begin, what_of(WEFT_LOGICAL_SEND, number));
    else
        r->step_of_message[number] = LOGICAL_NO_SENDER;
    if (to != WEFT_NONE && !(link->flags & WEFT_END_IMPLIED))
        add_event(r, to, link->end, what_of(WEFT_LOGICAL_RECEIVE, number));
    return true;
}

static void add_calls(struct reader *r)
{
    const struct weft_traffic *traffic = r->logical->traffic;
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        const struct weft_collective *of = &traffic->collectives[i];
        if (of->pattern == WEFT_ROLE_NEIGHBORS)
            continue;
        for (uint32_t k = 0; k < of->n_calls; k++) {
            const struct weft_collective_call *call = &traffic->calls[of->first_call + k];
            r->logical->operation_of[of->first_call + k] = (uint32_t)i;
            add_event(r, call->processor, call->entry,
                      what_of(WEFT_LOGICAL_CALL, of->first_call + k));
        }
    }
}

static bool read_events(struct reader *r)
{
    const struct weft_traffic *traffic = r->logical->traffic;
    const struct weft_span all = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT };
    for (size_t i = 0; i < traffic->n_tracks && r->ok; i++) {
        r->first = r->logical->numbers[i];
        traffic->source->ops->links(traffic->source, traffic->tracks[i], all, add_link, r);
    }
    if (r->ok)
        add_calls(r);
    return r->ok;
}

static int by_time(const void *a, const void *b)
{
    const struct weft_logical_event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

static void sort_processor(void *user, size_t p)
{
    const struct reader *r = user;
    const size_t *first = r->logical->first;
    if (!weft_job_cancelled(r->job) && first[p + 1] > first[p])
        qsort(r->logical->events + first[p], first[p + 1] - first[p],
              sizeof *r->logical->events, by_time);
}

/* Reads the events of all processors; STEP_OF_MESSAGE gets which have no sender. */
static bool read_all(struct weft_logical *logical, uint32_t *step_of_message,
                     struct weft_job *job, struct weft_err *err)
{
    uint32_t n = logical->traffic->processors->n;
    struct reader r = { .logical = logical,
                        .step_of_message = step_of_message,
                        .total = logical->numbers[logical->traffic->n_tracks],
                        .job = job,
                        .err = err,
                        .ok = true };
    if (!read_events(&r))
        return false;
    for (uint32_t p = 0; p < n; p++)
        logical->first[p + 1] += logical->first[p];
    logical->n = logical->first[n];
    logical->events = weft_alloc((logical->n + 1) * sizeof *logical->events);
    r.next = weft_alloc(((size_t)n + 1) * sizeof *r.next);
    for (uint32_t p = 0; p < n; p++)
        r.next[p] = logical->first[p];
    bool ok = read_events(&r);
    free(r.next);
    if (ok)
        weft_parallel(n, 1, sort_processor, &r);
    return ok && weft_job_step(job, 1, 2, err);
}

/* ---- Lateness ---- */

static void find_earliest(struct weft_logical *logical)
{
    for (size_t i = 0; i < logical->n; i++)
        if (logical->events[i].step > logical->n_steps)
            logical->n_steps = logical->events[i].step;
    logical->earliest =
        weft_alloc(((size_t)logical->n_steps + 1) * sizeof *logical->earliest);
    for (size_t s = 0; s <= logical->n_steps; s++)
        logical->earliest[s] = INT64_MAX;
    for (size_t i = 0; i < logical->n; i++) {
        int64_t *earliest = &logical->earliest[logical->events[i].step];
        if (logical->events[i].time < *earliest)
            *earliest = logical->events[i].time;
    }
}

static void sum_up(struct weft_logical *logical)
{
    size_t below = logical->n;
    while (below > 1 && logical->n_levels < WEFT_LOGICAL_LEVELS) {
        size_t level = logical->n_levels++;
        size_t n = (below + WEFT_LOGICAL_FAN - 1) / WEFT_LOGICAL_FAN;
        logical->latest[level] = weft_alloc(n * sizeof *logical->latest[level]);
        for (size_t b = 0; b < n; b++) {
            float most = -1;
            for (size_t i = b * WEFT_LOGICAL_FAN;
                 i < (b + 1) * WEFT_LOGICAL_FAN && i < below; i++)
                most = fmaxf(most, level ? logical->latest[level - 1][i]
                                         : (float)weft_logical_lateness(logical, i));
            logical->latest[level][b] = most;
        }
        below = n;
    }
}

static void fill_bins(struct weft_logical *logical)
{
    uint32_t n = logical->traffic->processors->n;
    size_t bins = weft_logical_bins(logical, 0);
    float *list = logical->binnings[0] = weft_alloc((n * bins + 1) * sizeof *list);
    for (size_t i = 0; i < n * bins; i++)
        list[i] = -1;
    for (uint32_t p = 0; p < n; p++)
        for (size_t i = logical->first[p]; i < logical->first[p + 1]; i++) {
            size_t bin = logical->events[i].step >> logical->bin_shift;
            float late = (float)weft_logical_lateness(logical, i);
            list[p * bins + bin] = fmaxf(list[p * bins + bin], late);
        }
    logical->n_binnings = 1;
}

/* Adds a binning with bins of twice as many steps as the last one. */
static void double_bins(struct weft_logical *logical)
{
    uint32_t n = logical->traffic->processors->n;
    unsigned l = logical->n_binnings++;
    size_t bins = weft_logical_bins(logical, l), below = weft_logical_bins(logical, l - 1);
    const float *from = logical->binnings[l - 1];
    float *list = logical->binnings[l] = weft_alloc((n * bins + 1) * sizeof *list);
    for (uint32_t p = 0; p < n; p++)
        for (size_t b = 0; b < bins; b++) {
            const float *pair = from + p * below + 2 * b;
            list[p * bins + b] = 2 * b + 1 < below ? fmaxf(pair[0], pair[1]) : pair[0];
        }
}

static void sum_up_by_step(struct weft_logical *logical)
{
    enum { EVENTS_A_BIN = 2, FEW_BINS = 64 };
    uint32_t n = logical->traffic->processors->n;
    while (logical->bin_shift < 31
           && n * weft_logical_bins(logical, 0) > logical->n / EVENTS_A_BIN)
        logical->bin_shift++;
    fill_bins(logical);
    while (weft_logical_bins(logical, logical->n_binnings - 1) > FEW_BINS
           && logical->n_binnings < WEFT_LOGICAL_BINNINGS)
        double_bins(logical);
}

float weft_logical_latest(const struct weft_logical *logical, size_t from, size_t after)
{
    float most = -1;
    while (from < after) {
        size_t level = 0, size = 1;
        while (level < logical->n_levels && from % (size * WEFT_LOGICAL_FAN) == 0
               && after - from >= size * WEFT_LOGICAL_FAN) {
            level++;
            size *= WEFT_LOGICAL_FAN;
        }
        most = fmaxf(most, level ? logical->latest[level - 1][from / size]
                                 : (float)weft_logical_lateness(logical, from));
        from += size;
    }
    return most;
}

/* ---- All together ---- */

/* Numbers the messages track by track; false with *ERR if there are too many. */
static bool number(struct weft_logical *logical, struct weft_err *err)
{
    const struct weft_traffic *traffic = logical->traffic;
    const uint64_t most = UINT64_C(1) << WEFT_LOGICAL_NUMBER_BITS;
    const struct weft_schema *schema = traffic->source->schema;
    logical->numbers = weft_zalloc(traffic->n_tracks + 1, sizeof *logical->numbers);
    for (size_t i = 0; i < traffic->n_tracks; i++) {
        uint64_t count = schema->tracks[traffic->tracks[i]].count;
        if (count > most - logical->numbers[i])
            return weft_fail(err, WEFT_ERR_LIMIT, "more than 2^30 messages");
        logical->numbers[i + 1] = logical->numbers[i] + count;
    }
    if (traffic->n_calls > most)
        return weft_fail(err, WEFT_ERR_LIMIT, "more than 2^30 calls");
    return true;
}

struct weft_logical *weft_logical_make(const struct weft_traffic *traffic,
                                       struct weft_job *job, struct weft_err *err)
{
    struct weft_logical *logical = weft_zalloc(1, sizeof *logical);
    logical->traffic = traffic;
    logical->first =
        weft_zalloc((size_t)traffic->processors->n + 2, sizeof *logical->first);
    logical->operation_of =
        weft_alloc((traffic->n_calls + 1) * sizeof *logical->operation_of);
    for (size_t i = 0; i < traffic->n_calls; i++)
        logical->operation_of[i] = WEFT_NONE;
    bool ok = number(logical, err);
    uint32_t *step_of_message =
        ok ? weft_zalloc(logical->numbers[traffic->n_tracks] + 1, sizeof *step_of_message)
           : NULL;
    ok = ok && read_all(logical, step_of_message, job, err)
         && weft_logical_count_steps(logical, step_of_message, job, err);
    free(step_of_message);
    if (ok) {
        find_earliest(logical);
        sum_up(logical);
        sum_up_by_step(logical);
        return logical;
    }
    weft_logical_free(logical);
    return NULL;
}

void weft_logical_free(struct weft_logical *logical)
{
    if (!logical)
        return;
    for (size_t i = 0; i < logical->n_levels; i++)
        free(logical->latest[i]);
    for (unsigned l = 0; l < logical->n_binnings; l++)
        free(logical->binnings[l]);
    free(logical->events);
    free(logical->first);
    free(logical->earliest);
    free(logical->numbers);
    free(logical->operation_of);
    free(logical);
}

size_t weft_logical_bytes(const struct weft_logical *logical)
{
    const struct weft_traffic *traffic = logical->traffic;
    size_t bins = 0;
    for (unsigned l = 0; l < logical->n_binnings; l++)
        bins += weft_logical_bins(logical, l) * traffic->processors->n;
    return sizeof *logical + bins * sizeof(float) + logical->n * sizeof *logical->events
           + logical->n / (WEFT_LOGICAL_FAN - 1) * sizeof(float)
           + logical->n_steps * sizeof *logical->earliest
           + traffic->processors->n * sizeof *logical->first
           + traffic->n_tracks * sizeof *logical->numbers
           + traffic->n_calls * sizeof *logical->operation_of;
}

uint64_t weft_logical_message(const struct weft_logical *logical, uint32_t number)
{
    const struct weft_traffic *traffic = logical->traffic;
    size_t i = WEFT_LAST(k, 0, traffic->n_tracks, logical->numbers[k] <= number);
    return weft_entity_id(traffic->tracks[i], number - logical->numbers[i]);
}

size_t weft_logical_find(const struct weft_logical *logical, uint32_t processor,
                         int64_t time, uint32_t what)
{
    const struct weft_logical_event key = { time, 0, what };
    size_t after = logical->first[processor + 1];
    size_t at = WEFT_FIRST(i, logical->first[processor], after,
                           by_time(&logical->events[i], &key) >= 0);
    return at < after && by_time(&logical->events[at], &key) == 0 ? at : logical->n;
}
