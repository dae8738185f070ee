/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the changes of many processors by time, slab by slab, and sums up each slab. */
#include "domains/messages/model/concurrency.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/parallel.h"

enum {
    CHUNK = 256,               /* changes between two chunks of the utilization */
    MAX_SELDOM_SUMS = 1 << 16, /* sums kept for the sake of long times with few changes */
    /* bits that a pass of the radix sort looks at: its counters fit the cache */
    DIGIT = 11,
};

struct weft_concurrency_sizes weft_concurrency_sizes(uint32_t n)
{
    enum { SLAB = 1 << 16, SLAB_A_PROCESSOR = 32 };
    size_t slab = SLAB_A_PROCESSOR * ((size_t)n + 1);
    return (struct weft_concurrency_sizes){ 1 << 20, 1 << 21, slab > SLAB ? slab : SLAB,
                                            256, 1 << 19 };
}

/* ---- Changes in order of time ---- */

/*
 * A change is one number, so that sorting moves little: the ticks since the window's begin,
 * the class before and the class after.
 */
enum { CLASS_BITS = 2, CHANGE_BITS = 2 * CLASS_BITS, CLASS_MASK = 3 };
static_assert(WEFT_CLASS_UNKNOWN < 1 << CLASS_BITS, "a class fits");
/* Ticks of the longest window that is sorted at once; longer ones are cut. */
static const int64_t longest_window = INT64_C(1) << (62 - CHANGE_BITS);

struct batch {
    uint64_t *list, *spare;
    size_t n, capacity, spare_capacity;
    /* at the begin; the last is the number whose class is unknown */
    uint32_t counts[WEFT_CLASSES + 1];
    size_t limit;
    int64_t begin; /* of the window */
    /* no change of the processor was taken yet; there are more changes than LIMIT */
    bool first, stopped;
    uint8_t class; /* the processor's class */
};

static bool add_run(void *user, const struct weft_class_run *run)
{
    struct batch *b = user;
    size_t i = 0;
    if (b->first) {
        b->class = run->classes[i++];
        b->counts[b->class]++;
        b->first = false;
    }
    if (run->n > b->limit || b->n > b->limit - run->n)
        return !(b->stopped = true);
    b->list = weft_grow(b->list, &b->capacity, b->n + run->n, sizeof *b->list);
    uint64_t *out = b->list + b->n, class = b->class;
    for (; i < run->n; i++) {
        uint64_t time = (uint64_t)(run->times[i] - b->begin), to = run->classes[i];
        *out++ = time << CHANGE_BITS | class << CLASS_BITS | to;
        class = to;
    }
    b->class = (uint8_t) class;
    b->n = (size_t)(out - b->list);
    return true;
}

/*
 * Collects the changes of a list in a window, processor by processor; false if there are
 * more than b->limit.
 */
static bool collect(struct batch *b, const struct weft_processors *p,
                    struct weft_processor_list list, struct weft_span window)
{
    b->n = 0;
    b->begin = window.begin;
    memset(b->counts, 0, sizeof b->counts);
    for (uint32_t i = 0; i < list.n; i++) {
        b->first = true;
        b->stopped = false;
        weft_class_runs(p, list.index[i], window, add_run, b);
        if (b->stopped)
            return false;
    }
    return true;
}

static void sort(struct batch *b, struct weft_span window)
{
    const uint64_t mask = (1 << DIGIT) - 1;
    uint64_t length = (uint64_t)window.end - (uint64_t)window.begin;
    b->spare = weft_grow(b->spare, &b->spare_capacity, b->n, sizeof *b->spare);
    for (unsigned shift = 0; shift < 64 && length >> shift; shift += DIGIT) {
        size_t at[1 << DIGIT] = { 0 }, sum = 0;
        const unsigned digit = shift + CHANGE_BITS;
        for (size_t i = 0; i < b->n; i++)
            at[b->list[i] >> digit & mask]++;
        for (size_t d = 0; d <= mask; d++) {
            size_t n = at[d];
            at[d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < b->n; i++)
            b->spare[at[b->list[i] >> digit & mask]++] = b->list[i];
        uint64_t *list = b->list;
        size_t capacity = b->capacity;
        b->list = b->spare;
        b->capacity = b->spare_capacity;
        b->spare = list;
        b->spare_capacity = capacity;
    }
}

static void free_batch(struct batch *b)
{
    free(b->list);
    free(b->spare);
}

/* Collects on all threads at once, for the few changes that a frame needs. */
struct change_collector {
    const struct weft_processors *p;
    struct weft_processor_list list;
    struct weft_span window;
    struct batch *batches;
    size_t n;
};

static void collect_part(void *user, size_t i)
{
    const struct change_collector *collector = user;
    uint32_t from = (uint32_t)((uint64_t)collector->list.n * i / collector->n);
    uint32_t to = (uint32_t)((uint64_t)collector->list.n * (i + 1) / collector->n);
    const struct weft_processor_list part = { collector->list.index + from, to - from };
    collect(&collector->batches[i], collector->p, part, collector->window);
}

static void collect_side_by_side(struct batch *out, const struct weft_processors *p,
                                 struct weft_processor_list list, struct weft_span window)
{
    size_t n = list.n < 64 ? 1 : 4 * weft_parallel_width();
    struct change_collector collector = { p, list, window,
                                          weft_zalloc(n, sizeof *collector.batches), n };
    for (size_t i = 0; i < n; i++)
        collector.batches[i].limit = SIZE_MAX;
    weft_parallel(n, 1, collect_part, &collector);
    out->n = 0;
    out->begin = window.begin;
    memset(out->counts, 0, sizeof out->counts);
    for (size_t i = 0; i < n; i++) {
        struct batch *b = &collector.batches[i];
        out->list = weft_grow(out->list, &out->capacity, out->n + b->n, sizeof *out->list);
        if (b->n)
            memcpy(out->list + out->n, b->list, b->n * sizeof *b->list);
        out->n += b->n;
        for (size_t k = 0; k <= WEFT_CLASS_UNKNOWN; k++)
            out->counts[k] += b->counts[k];
        free_batch(b);
    }
    free(collector.batches);
    sort(out, window);
}

/*
 * Calls STEP for each interval of a window in which the counts stay the same.  CHANGES is
 * the number of changes before it.  Returns false if STEP stopped.
 */
static bool sweep(struct batch *b, struct weft_span window,
                  bool (*step)(void *user, struct weft_span time,
                               const uint32_t counts[WEFT_CLASSES + 1], size_t changes),
                  void *user)
{
    struct weft_span time = { window.begin, window.begin };
    for (size_t i = 0; i <= b->n; i++) {
        time.end =
            i < b->n ? window.begin + (int64_t)(b->list[i] >> CHANGE_BITS) : window.end;
        if (time.end > time.begin && !step(user, time, b->counts, i))
            return false;
        time.begin = time.end;
        if (i == b->n)
            break;
        b->counts[b->list[i] >> CLASS_BITS & CLASS_MASK]--;
        b->counts[b->list[i] & CLASS_MASK]++;
    }
    return true;
}

/* ---- Histograms ---- */

struct histogram {
    int64_t *ticks;                                 /* [WEFT_CLASSES][n + 1] */
    int64_t sign;                                   /* 1 to add time, -1 to subtract it */
    size_t row;                                     /* processors + 1 */
    uint32_t low[WEFT_CLASSES], high[WEFT_CLASSES]; /* range of counts that occurred */
};

static bool add_time(void *user, struct weft_span time,
                     const uint32_t counts[WEFT_CLASSES + 1], size_t changes)
{
    struct histogram *h = user;
    (void)changes;
    if (counts[WEFT_CLASS_UNKNOWN]) /* the true counts may be greater */
        return true;
    for (size_t c = 0; c < WEFT_CLASSES; c++) {
        h->ticks[c * h->row + counts[c]] += h->sign * (time.end - time.begin);
        h->low[c] = counts[c] < h->low[c] ? counts[c] : h->low[c];
        h->high[c] = counts[c] > h->high[c] ? counts[c] : h->high[c];
    }
    return true;
}

/* ---- Slabs ---- */

struct span_part { /* the slabs of a part of the span */
    struct weft_span window;
    struct weft_concurrency_slab *slabs;
    size_t n, capacity;
    int64_t *ticks;
    size_t n_ticks, ticks_capacity;
    struct weft_count_sum *sums; /* counted from the part's begin on */
    size_t n_sums, sums_capacity;
    struct weft_count_sum sum; /* up to now */
    size_t changes;            /* number of changes when the last sum was kept */
};

struct slab_cutter {
    struct span_part *part;
    struct histogram histogram;
    size_t target, since; /* changes a slab shall have; changes before it */
    int64_t begin;
    bool open;
    size_t sum;     /* changes after which a sum is kept */
    int64_t seldom; /* ticks after which a sum is kept, however few changes there were */
};

static void forget(struct histogram *h)
{
    for (size_t c = 0; c < WEFT_CLASSES; c++) {
        if (h->high[c] >= h->low[c])
            memset(h->ticks + c * h->row + h->low[c], 0,
                   (h->high[c] - h->low[c] + 1) * sizeof *h->ticks);
        h->low[c] = UINT32_MAX;
        h->high[c] = 0;
    }
}

static void close_slab(struct slab_cutter *s)
{
    struct span_part *part = s->part;
    struct histogram *h = &s->histogram;
    if (!s->open)
        return;
    part->slabs = weft_grow(part->slabs, &part->capacity, part->n + 1, sizeof *part->slabs);
    struct weft_concurrency_slab *slab = &part->slabs[part->n++];
    slab->begin = s->begin;
    for (size_t c = 0; c < WEFT_CLASSES; c++) {
        /* There are none if all of the slab's time is unknown. */
        uint32_t n = h->high[c] >= h->low[c] ? h->high[c] - h->low[c] + 1 : 0;
        slab->of[c].low = n ? h->low[c] : 0;
        slab->of[c].n = n;
        slab->of[c].first = part->n_ticks;
        part->ticks = weft_grow(part->ticks, &part->ticks_capacity, part->n_ticks + n,
                                sizeof *part->ticks);
        if (n)
            memcpy(part->ticks + part->n_ticks, h->ticks + c * h->row + h->low[c],
                   n * sizeof *part->ticks);
        part->n_ticks += n;
    }
    forget(h);
    s->open = false;
}

/*
 * Keeps the sums at the begin of an interval of equal counts if one is due, then adds the
 * interval.
 */
static void keep_sum(struct slab_cutter *s, struct weft_span time,
                     const uint32_t counts[WEFT_CLASSES + 1], size_t changes)
{
    struct span_part *part = s->part;
    part->sum.time = time.begin;
    if (!part->n_sums || changes < part->changes || changes - part->changes >= s->sum
        || time.begin - part->sums[part->n_sums - 1].time >= s->seldom
        || time.end - time.begin >= s->seldom) {
        part->sums = weft_grow(part->sums, &part->sums_capacity, part->n_sums + 1,
                               sizeof *part->sums);
        part->sums[part->n_sums++] = part->sum;
        part->changes = changes;
    }
    for (size_t c = 0; c < WEFT_CLASSES; c++)
        part->sum.spent[c] += (double)counts[c] * (double)(time.end - time.begin);
}

static bool slice(void *user, struct weft_span time,
                  const uint32_t counts[WEFT_CLASSES + 1], size_t changes)
{
    struct slab_cutter *s = user;
    if (s->open && changes - s->since >= s->target)
        close_slab(s);
    if (!s->open) {
        s->open = true;
        s->begin = time.begin;
        s->since = changes;
    }
    keep_sum(s, time, counts, changes);
    return add_time(&s->histogram, time, counts, changes);
}

struct span_slicer {
    const struct weft_concurrency *c;
    struct span_part *parts;
    size_t first;
    struct weft_job *job;
};

/* Makes the slabs of a window, in halves if it holds too many changes. */
static void slice_window(struct slab_cutter *s, struct batch *b,
                         const struct span_slicer *slicer, struct weft_span window)
{
    if (weft_job_cancelled(slicer->job) || window.begin >= window.end)
        return;
    b->limit = window.end - window.begin > 1 ? slicer->c->sizes.most : SIZE_MAX;
    if (window.end - window.begin > longest_window
        || !collect(b, slicer->c->utilization->processors, slicer->c->list, window)) {
        int64_t middle = window.begin + (window.end - window.begin) / 2;
        slice_window(s, b, slicer, (struct weft_span){ window.begin, middle });
        slice_window(s, b, slicer, (struct weft_span){ middle, window.end });
        return;
    }
    sort(b, window);
    sweep(b, window, slice, s);
    close_slab(s);
}

static void make_part(void *user, size_t i)
{
    const struct span_slicer *slicer = user;
    struct span_part *part = &slicer->parts[slicer->first + i];
    size_t n = slicer->c->list.n;
    struct weft_span span = slicer->c->utilization->processors->source->schema->span;
    struct slab_cutter s = { .part = part,
                             .target = slicer->c->sizes.slab,
                             .sum = slicer->c->sizes.sum,
                             .seldom = (span.end - span.begin) / MAX_SELDOM_SUMS + 1 };
    s.histogram.row = n + 1;
    s.histogram.sign = 1;
    s.histogram.ticks = weft_zalloc(WEFT_CLASSES * (n + 1), sizeof(int64_t));
    memset(s.histogram.low, 0xff, sizeof s.histogram.low);
    struct batch b = { 0 };
    slice_window(&s, &b, slicer, part->window);
    free_batch(&b);
    free(s.histogram.ticks);
}

/* ---- All of the time ---- */

/*
 * Cuts the span into parts of about WANTED changes each, as the chunks of the utilization
 * tell.
 */
static struct span_part *cut(const struct weft_concurrency *c, size_t wanted, size_t *n)
{
    const struct weft_utilization *u = c->utilization;
    struct weft_span span = u->processors->source->schema->span;
    size_t n_times = 0, capacity = 0, step = wanted > CHUNK ? wanted / CHUNK : 1;
    int64_t *times = NULL;
    for (uint32_t i = 0; i < c->list.n; i++)
        for (size_t k = u->first[c->list.index[i]]; k < u->first[c->list.index[i] + 1];
             k++) {
            times = weft_grow(times, &capacity, n_times + 1, sizeof *times);
            times[n_times++] = u->begins[k];
        }
    if (n_times)
        qsort(times, n_times, sizeof *times, weft_by_i64);
    struct span_part *parts = weft_zalloc(n_times / step + 2, sizeof *parts);
    *n = 0;
    int64_t begin = span.begin;
    for (size_t i = step; i < n_times; i += step) {
        if (times[i] > begin && times[i] < span.end)
            parts[(*n)++].window = (struct weft_span){ begin, times[i] };
        begin = times[i] > begin ? times[i] : begin;
    }
    if (begin < span.end)
        parts[(*n)++].window = (struct weft_span){ begin, span.end };
    free(times);
    return parts;
}

static void append(struct weft_concurrency *c, struct span_part *part)
{
    c->ticks = weft_grow(c->ticks, &c->ticks_capacity, c->n_ticks + part->n_ticks,
                         sizeof *c->ticks);
    if (part->n_ticks)
        memcpy(c->ticks + c->n_ticks, part->ticks, part->n_ticks * sizeof *c->ticks);
    c->slabs =
        weft_grow(c->slabs, &c->capacity, c->n_slabs + part->n + 1, sizeof *c->slabs);
    for (size_t i = 0; i < part->n; i++) {
        struct weft_concurrency_slab *slab = &c->slabs[c->n_slabs++];
        *slab = part->slabs[i];
        for (size_t k = 0; k < WEFT_CLASSES; k++)
            slab->of[k].first += c->n_ticks;
    }
    c->n_ticks += part->n_ticks;
    /*
     * Sums of a part count from its begin: add those of all parts before.  The last sum, at
     * the part's end, is replaced by the first one of the next part.
     */
    c->sums = weft_grow(c->sums, &c->sums_capacity, c->n_sums + part->n_sums + 1,
                        sizeof *c->sums);
    struct weft_count_sum before = { 0 };
    if (c->n_sums)
        before = c->sums[--c->n_sums];
    part->sum.time = part->window.end;
    for (size_t i = 0; i <= part->n_sums; i++) {
        struct weft_count_sum sum = i < part->n_sums ? part->sums[i] : part->sum;
        for (size_t k = 0; k < WEFT_CLASSES; k++)
            sum.spent[k] += before.spent[k];
        c->sums[c->n_sums++] = sum;
    }
    free(part->slabs);
    free(part->ticks);
    free(part->sums);
    *part = (struct span_part){ 0 };
}

struct weft_concurrency *weft_concurrency_make(const struct weft_utilization *u,
                                               struct weft_processor_list list,
                                               const struct weft_concurrency_sizes *sizes,
                                               struct weft_job *job, struct weft_err *err)
{
    struct weft_concurrency *c = weft_zalloc(1, sizeof *c);
    uint32_t *copy = weft_alloc(((size_t)list.n + 1) * sizeof *copy);
    if (list.n)
        memcpy(copy, list.index, list.n * sizeof *copy);
    *c = (struct weft_concurrency){ .utilization = u, .list = { copy, list.n } };
    size_t n, batch = weft_parallel_width();
    struct span_slicer slicer = { .c = c, .job = job };
    c->sizes = sizes ? *sizes : weft_concurrency_sizes(list.n);
    slicer.parts = cut(c, c->sizes.part, &n);
    bool ok = true;
    for (; ok && slicer.first < n; slicer.first += batch) {
        size_t now = n - slicer.first < batch ? n - slicer.first : batch;
        ok = weft_job_step(job, slicer.first, n, err);
        if (ok)
            weft_parallel(now, 1, make_part, &slicer);
        for (size_t i = 0; i < now; i++)
            append(c, &slicer.parts[slicer.first + i]);
    }
    ok = ok && weft_job_step(job, n, n, err);
    free(slicer.parts);
    c->slabs = weft_grow(c->slabs, &c->capacity, c->n_slabs + 1, sizeof *c->slabs);
    c->slabs[c->n_slabs] =
        (struct weft_concurrency_slab){ .begin = u->processors->source->schema->span.end };
    if (!ok) {
        weft_concurrency_free(c);
        return NULL;
    }
    return c;
}

void weft_concurrency_free(struct weft_concurrency *c)
{
    if (!c)
        return;
    free((void *)c->list.index);
    free(c->slabs);
    free(c->ticks);
    free(c->sums);
    free(c);
}

size_t weft_concurrency_bytes(const struct weft_concurrency *c)
{
    return sizeof *c + c->list.n * sizeof *c->list.index + c->capacity * sizeof *c->slabs
           + c->ticks_capacity * sizeof *c->ticks + c->sums_capacity * sizeof *c->sums;
}

/* ---- Answers ---- */

/* Adds a window to the histogram by reading its changes, or subtracts it if SIGN is -1. */
static void add_window(const struct weft_concurrency *c, struct weft_span window,
                       int64_t sign, struct histogram *h)
{
    struct batch b = { 0 };
    if (window.begin >= window.end)
        return;
    if (window.end - window.begin > longest_window) {
        int64_t middle = window.begin + (window.end - window.begin) / 2;
        add_window(c, (struct weft_span){ window.begin, middle }, sign, h);
        add_window(c, (struct weft_span){ middle, window.end }, sign, h);
        return;
    }
    h->sign = sign;
    collect_side_by_side(&b, c->utilization->processors, c->list, window);
    sweep(&b, window, add_time, h);
    free_batch(&b);
}

/*
 * Returns the slab whose begin is nearest to TIME, or n_slabs for the span's end.  So at
 * most one slab of changes is read up to TIME, half of one if changes are spread evenly.
 */
static size_t nearest_slab(const struct weft_concurrency *c, int64_t time)
{
    if (!c->n_slabs)
        return 0;
    size_t at = WEFT_LAST(i, 0, c->n_slabs, c->slabs[i].begin <= time);
    int64_t before = time - c->slabs[at].begin, after = c->slabs[at + 1].begin - time;
    return after < before ? at + 1 : at;
}

/* Adds the slabs from FIRST up to AFTER. */
static void add_slabs(const struct weft_concurrency *c, size_t first, size_t after,
                      struct histogram *h)
{
    for (size_t i = first; i < after; i++)
        for (size_t k = 0; k < WEFT_CLASSES; k++) {
            int64_t *out = h->ticks + k * h->row + c->slabs[i].of[k].low;
            const int64_t *in = c->ticks + c->slabs[i].of[k].first;
            for (uint32_t j = 0; j < c->slabs[i].of[k].n; j++)
                out[j] += in[j];
        }
}

void weft_concurrency_profile(const struct weft_concurrency *c, struct weft_span window,
                              int64_t *ticks)
{
    struct histogram h = { .ticks = ticks, .row = (size_t)c->list.n + 1 };
    memset(ticks, 0, WEFT_CLASSES * h.row * sizeof *ticks);
    size_t first = nearest_slab(c, window.begin), after = nearest_slab(c, window.end);
    if (first >= after) {
        add_window(c, window, 1, &h);
        return;
    }
    int64_t begin = c->slabs[first].begin, end = c->slabs[after].begin;
    add_window(c, (struct weft_span){ window.begin, begin }, 1, &h);
    add_window(c, (struct weft_span){ begin, window.begin }, -1, &h);
    add_slabs(c, first, after, &h);
    add_window(c, (struct weft_span){ end, window.end }, 1, &h);
    add_window(c, (struct weft_span){ window.end, end }, -1, &h);
}

/* ---- Counts ---- */

struct count_visitor {
    bool (*visit)(void *user, int64_t time, const uint32_t counts[WEFT_CLASSES]);
    void *user;
    uint32_t last[WEFT_CLASSES];
    bool any;
};

static bool give_counts(void *user, struct weft_span time,
                        const uint32_t counts[WEFT_CLASSES], size_t changes)
{
    struct count_visitor *visitor = user;
    (void)changes;
    if (visitor->any && memcmp(visitor->last, counts, sizeof visitor->last) == 0)
        return true;
    visitor->any = true;
    memcpy(visitor->last, counts, sizeof visitor->last);
    return visitor->visit(visitor->user, time.begin, counts);
}

bool weft_count_changes(const struct weft_utilization *u, struct weft_processor_list list,
                        struct weft_span window,
                        bool (*visit)(void *user, int64_t time,
                                      const uint32_t counts[WEFT_CLASSES]),
                        void *user, struct weft_job *job, struct weft_err *err)
{
    const struct weft_concurrency c = { .utilization = u, .list = list };
    struct count_visitor visitor = { .visit = visit, .user = user };
    struct batch b = { 0 };
    size_t n;
    struct span_part *parts = cut(&c, weft_concurrency_sizes(list.n).part, &n);
    bool ok = true, more = true;
    for (size_t i = 0; ok && more && i < n; i++) {
        struct weft_span part = parts[i].window;
        part.begin = part.begin > window.begin ? part.begin : window.begin;
        int64_t end = part.end < window.end ? part.end : window.end;
        ok = weft_job_step(job, i, n, err);
        for (; ok && more && part.begin < end; part.begin = part.end) {
            bool rest = end - part.begin <= longest_window;
            part.end = rest ? end : part.begin + longest_window;
            collect_side_by_side(&b, u->processors, list, part);
            more = sweep(&b, part, give_counts, &visitor);
        }
    }
    free(parts);
    free_batch(&b);
    return ok;
}
