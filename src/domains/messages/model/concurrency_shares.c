/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Averages the number of processors in each class by column, from kept sums or from the
 * changes.
 */
#include <stdlib.h>

#include "base/binary_search.h"
#include "base/parallel.h"
#include "domains/messages/model/concurrency.h"

struct share_sums { /* processors are divided among N threads */
    const struct weft_concurrency *c;
    struct weft_span window;
    size_t columns, n;
    /* [n][columns + 2][WEFT_CLASSES]: differences between neighbouring columns */
    double *steps;
    double per_tick;
};

struct adder {
    const struct share_sums *a;
    double *steps;
    enum weft_class class; /* unknown before the first change */
};

/*
 * Each change adds a processor to one class and takes it from another for the rest of the
 * window, noted as differences to the column before.
 */
static bool add_run(void *user, const struct weft_class_run *run)
{
    struct adder *to = user;
    int64_t begin = to->a->window.begin;
    double per_tick = to->a->per_tick, columns = (double)to->a->columns;
    for (size_t i = 0; i < run->n; i++) {
        double x = (double)(run->times[i] - begin) * per_tick;
        x = x < columns ? x : columns;
        size_t column = (size_t)x;
        double part = x - (double)column, *at = to->steps + column * WEFT_CLASSES;
        if (to->class != WEFT_CLASS_UNKNOWN) {
            at[to->class] -= 1 - part;
            at[WEFT_CLASSES + to->class] -= part;
        }
        to->class = (enum weft_class)run->classes[i];
        if (to->class != WEFT_CLASS_UNKNOWN) {
            at[to->class] += 1 - part;
            at[WEFT_CLASSES + to->class] += part;
        }
    }
    return true;
}

static void add_part(void *user, size_t i)
{
    const struct share_sums *a = user;
    struct weft_processor_list list = a->c->list;
    uint32_t from = (uint32_t)((uint64_t)list.n * i / a->n);
    uint32_t to = (uint32_t)((uint64_t)list.n * (i + 1) / a->n);
    double *steps = a->steps + i * (a->columns + 2) * WEFT_CLASSES;
    for (uint32_t k = from; k < to; k++) {
        struct adder adder = { a, steps, WEFT_CLASS_UNKNOWN };
        weft_class_runs(a->c->utilization->processors, list.index[k], a->window, add_run,
                        &adder);
    }
}

static void read_shares(const struct weft_concurrency *c, struct weft_span window,
                        size_t columns, float *shares)
{
    size_t n = c->list.n < 64 ? 1 : 2 * weft_parallel_width();
    size_t row = (columns + 2) * WEFT_CLASSES;
    struct share_sums a = { c,
                            window,
                            columns,
                            n,
                            weft_zalloc(n * row, sizeof(double)),
                            (double)columns / (double)(window.end - window.begin) };
    weft_parallel(n, 1, add_part, &a);
    double counts[WEFT_CLASSES] = { 0 };
    for (size_t i = 0; i < columns * WEFT_CLASSES; i++) {
        for (size_t k = 0; k < n; k++)
            counts[i % WEFT_CLASSES] += a.steps[k * row + i];
        shares[i] = (float)(counts[i % WEFT_CLASSES] > 0 ? counts[i % WEFT_CLASSES] : 0);
    }
    free(a.steps);
}

static size_t sum_before(const struct weft_concurrency *c, int64_t time)
{
    return WEFT_LAST(i, 0, c->n_sums, c->sums[i].time <= time);
}

/*
 * Returns the processor-ticks spent in a class until TIME, both counted from the span's
 * begin, interpolated between two kept sums.  *AT is a sum at or before TIME, and moves on.
 */
static double spent_until(const struct weft_concurrency *c, size_t *at, double time,
                          size_t class)
{
    int64_t zero = c->utilization->processors->source->schema->span.begin;
    while (*at + 2 < c->n_sums && (double)(c->sums[*at + 1].time - zero) <= time)
        ++*at;
    const struct weft_count_sum *sum = &c->sums[*at];
    double length = (double)(sum[1].time - sum[0].time);
    double part = length > 0 ? (time - (double)(sum->time - zero)) / length : 0;
    return sum->spent[class] + part * (sum[1].spent[class] - sum->spent[class]);
}

void weft_concurrency_shares(const struct weft_concurrency *c, struct weft_span window,
                             size_t columns, float *shares)
{
    size_t from = c->n_sums ? sum_before(c, window.begin) : 0;
    if (c->n_sums < 2
        || (sum_before(c, window.end) - from) * c->sizes.sum <= c->sizes.few) {
        read_shares(c, window, columns, shares);
        return;
    }
    int64_t zero = c->utilization->processors->source->schema->span.begin;
    double begin = (double)(window.begin - zero),
           step = (double)(window.end - window.begin);
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        size_t at = from;
        double before = spent_until(c, &at, begin, k);
        for (size_t i = 0; i < columns; i++) {
            double edge = begin + step * (double)(i + 1) / (double)columns;
            double after = spent_until(c, &at, edge, k);
            shares[i * WEFT_CLASSES + k] =
                (float)((after - before) / step * (double)columns);
            before = after;
        }
    }
}
