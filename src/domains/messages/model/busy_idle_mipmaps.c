/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/busy_idle_mipmaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "domains/messages/model/busy_idle_changes.h"

enum {
    /* least number of groups if there are more processors: about a screen's rows */
    ROWS = 1024,
    CHANGES_A_BIN = 4,   /* of a group */
    MAX_BINS = 24 << 20, /* finest bins of all groups; 64 MB with the levels above */
    FEWEST_BINS = 64,    /* of a group */
    FAN = 4,             /* bins in a bin of the level above */
    BATCH = 64,          /* groups between two looks at the job */
};

/* ---- Reading changes ---- */

/*
 * A change adds a processor to one class and takes it from another, for the rest of the
 * window.  At column position x = c + f, c whole, that is 1 - f of column c and all of each
 * later column.  STEPS holds the differences between neighbouring columns: 1 - f at c, and
 * f at c + 1.
 */
enum {
    PART = 1 << 16, /* a whole column, in fixed point */
    /* classes, and a slot for the time before the first change and unknown time */
    STRIDE = 4,
    AT_ONCE = 8192, /* processors whose sums fit 32 bits */
};

struct ramps {
    int32_t *steps; /* [columns + 2][STRIDE] */
    int64_t begin;
    size_t columns;
    uint64_t per_tick; /* PART << shift times the columns in a tick */
    unsigned shift;
    uint8_t class;
};

static bool add_run(void *user, const struct weft_class_run *run)
{
    struct ramps *r = user;
    const uint64_t per_tick = r->per_tick;
    const unsigned shift = r->shift;
    const int64_t begin = r->begin;
    uint8_t class = r->class;
    for (size_t i = 0; i < run->n; i++) {
        uint64_t ticks = (uint64_t)(run->times[i] - begin);
        uint64_t x = (uint64_t)((unsigned __int128)per_tick * ticks >> shift);
        int32_t part = (int32_t)(x & (PART - 1)), rest = PART - part;
        int32_t *column = r->steps + (x >> 16) * STRIDE;
        column[class] -= rest;
        column[STRIDE + class] -= part;
        class = run->classes[i];
        column[class] += rest;
        column[STRIDE + class] += part;
    }
    r->class = class;
    return true;
}

/* Adds the running sums of the steps to the columns. */
static void add_columns(const struct ramps *r, float *shares)
{
    int32_t now[WEFT_CLASSES] = { 0 };
    for (size_t c = 0; c < r->columns; c++)
        for (size_t k = 0; k < WEFT_CLASSES; k++) {
            now[k] += r->steps[c * STRIDE + k];
            shares[c * WEFT_CLASSES + k] +=
                (float)(now[k] > 0 ? now[k] : 0) * (1.0f / PART);
        }
}

void weft_class_shares_read(const struct weft_processors *p,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares)
{
    memset(shares, 0, columns * WEFT_CLASSES * sizeof *shares);
    if (window.end <= window.begin || !columns)
        return;
    uint64_t length = (uint64_t)window.end - (uint64_t)window.begin;
    struct ramps r = { .begin = window.begin, .columns = columns };
    /* PER_TICK gets at least 36 bits; up to 2^26 columns fit. */
    r.shift = 20 + (unsigned)(63 - __builtin_clzll(length));
    r.per_tick = (uint64_t)(((unsigned __int128)columns << (r.shift + 16)) / length);
    r.steps = weft_alloc((columns + 2) * STRIDE * sizeof *r.steps);
    for (uint32_t i = 0; i < list.n; i++) {
        if (i % AT_ONCE == 0)
            memset(r.steps, 0, (columns + 2) * STRIDE * sizeof *r.steps);
        r.class = WEFT_CLASSES;
        weft_class_runs(p, list.index[i], window, add_run, &r);
        if (i % AT_ONCE == AT_ONCE - 1 || i + 1 == list.n)
            add_columns(&r, shares);
    }
    free(r.steps);
}

/* ---- Making ---- */

static struct weft_span span_of(const struct weft_class_mips *mips)
{
    return mips->processors->source->schema->span;
}

static int64_t width_of(const struct weft_class_mips *mips, unsigned level)
{
    return mips->width << 2 * level;
}

/*
 * Returns the share of a bin that lies in the span: 1 for all but the last one of a level.
 */
static float held_of(const struct weft_class_mips *mips, unsigned level, size_t bin)
{
    if (bin + 1 < mips->n_bins[level])
        return 1;
    struct weft_span span = span_of(mips);
    int64_t width = width_of(mips, level);
    int64_t begin = span.begin + (int64_t)bin * width;
    return span.end > begin ? (float)(span.end - begin) / (float)width : 1;
}

/* Sets the width of the finest bins, and the number of bins of each level. */
static void choose_bins(struct weft_class_mips *mips)
{
    const struct weft_processors *p = mips->processors;
    const struct weft_schema *schema = p->source->schema;
    uint64_t length =
        (uint64_t)mips->processors->source->schema->span.end - (uint64_t)schema->span.begin;
    uint64_t changes = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->processors[i].track != WEFT_NONE)
            changes += 2 * schema->tracks[p->processors[i].track].count;
    uint64_t bins = changes / CHANGES_A_BIN / mips->n_groups;
    uint64_t most = MAX_BINS / mips->n_groups;
    bins = bins < most ? bins : most;
    bins = bins > FEWEST_BINS ? bins : FEWEST_BINS;
    mips->width = (int64_t)(length / bins) + 1;
    uint64_t n = (length + (uint64_t)mips->width - 1) / (uint64_t)mips->width;
    while (mips->n_levels < WEFT_MIP_LEVELS) {
        n = n ? n : 1;
        mips->n_bins[mips->n_levels] = n;
        mips->first[mips->n_levels++] = mips->n_all;
        mips->n_all += n;
        if (n == 1)
            break;
        n = (n + FAN - 1) / FAN;
    }
}

/*
 * Rounds a share to 255ths; *CARRY passes the rounding error on to the next bin, so that
 * sums stay right.
 */
static uint8_t rounded(float share, float *carry)
{
    float wanted = 255 * share + *carry;
    float whole = wanted < 0 ? 0 : wanted > 255 ? 255 : (float)(int)(wanted + 0.5f);
    *carry = wanted - whole;
    return (uint8_t)whole;
}

struct mips_batch {
    struct weft_class_mips *mips;
    uint32_t first;
    struct weft_job *job;
};

/* Fills the finest bins of a group with the shares of the time that lies in the span. */
static void fill_finest(const struct weft_class_mips *mips, struct weft_processor_list list,
                        uint8_t (*bins)[2])
{
    size_t n = mips->n_bins[0];
    struct weft_span span = span_of(mips);
    span.end = span.begin + (int64_t)n * mips->width;
    float *shares = weft_alloc(n * WEFT_CLASSES * sizeof *shares), carry[2] = { 0 };
    weft_class_shares_read(mips->processors, list, span, n, shares);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++)
            bins[i][k] =
                rounded(shares[i * WEFT_CLASSES + k] / (float)list.n / held_of(mips, 0, i),
                        &carry[k]);
    free(shares);
}

static void fill_level(const struct weft_class_mips *mips, unsigned level,
                       uint8_t (*bins)[2])
{
    const uint8_t(*from)[2] = (const uint8_t(*)[2])(bins + mips->first[level - 1]);
    uint8_t(*to)[2] = bins + mips->first[level];
    float carry[2] = { 0 };
    for (size_t i = 0; i < mips->n_bins[level]; i++)
        for (size_t k = 0; k < 2; k++) {
            float sum = 0, held = 0;
            for (size_t j = FAN * i; j < FAN * (i + 1) && j < mips->n_bins[level - 1];
                 j++) {
                float part = held_of(mips, level - 1, j);
                sum += part * (float)from[j][k];
                held += part;
            }
            to[i][k] = rounded(sum / held / 255, &carry[k]);
        }
}

static void make_group(void *user, size_t i)
{
    const struct mips_batch *batch = user;
    struct weft_class_mips *mips = batch->mips;
    uint32_t group = batch->first + (uint32_t)i, first = group * mips->group;
    uint32_t rest = mips->processors->n - first;
    uint32_t n = rest < mips->group ? rest : mips->group;
    if (weft_job_cancelled(batch->job))
        return;
    uint32_t *index = weft_alloc(n * sizeof *index);
    for (uint32_t k = 0; k < n; k++)
        index[k] = first + k;
    uint8_t(*bins)[2] = mips->bins + (size_t)group * mips->n_all;
    fill_finest(mips, (struct weft_processor_list){ index, n }, bins);
    for (unsigned level = 1; level < mips->n_levels; level++)
        fill_level(mips, level, bins);
    free(index);
}

struct weft_class_mips *weft_class_mips_make(const struct weft_processors *p,
                                             uint32_t group, struct weft_job *job,
                                             struct weft_err *err)
{
    struct weft_class_mips *mips = weft_zalloc(1, sizeof *mips);
    mips->processors = p;
    mips->group = group ? group : 1;
    while (!group && p->n / mips->group >= 2 * ROWS)
        mips->group *= 2;
    mips->n_groups = (p->n + mips->group - 1) / mips->group;
    choose_bins(mips);
    mips->bins = weft_alloc(mips->n_groups * mips->n_all * sizeof *mips->bins);
    struct mips_batch batch = { mips, 0, job };
    bool ok = true;
    for (; ok && batch.first < mips->n_groups; batch.first += BATCH) {
        uint32_t rest = mips->n_groups - batch.first;
        ok = weft_job_step(job, batch.first, mips->n_groups, err);
        if (ok)
            weft_parallel(rest < BATCH ? rest : BATCH, 1, make_group, &batch);
    }
    if (ok && weft_job_step(job, mips->n_groups, mips->n_groups, err))
        return mips;
    weft_class_mips_free(mips);
    return NULL;
}

void weft_class_mips_free(struct weft_class_mips *mips)
{
    if (!mips)
        return;
    free(mips->bins);
    free(mips);
}

size_t weft_class_mips_bytes(const struct weft_class_mips *mips)
{
    return sizeof *mips + mips->n_groups * mips->n_all * sizeof *mips->bins;
}

/* ---- Answers ---- */

/*
 * Finds the groups that a list is made of; false if it does not consist of whole groups.
 * GROUPS has room for list.n.
 */
static bool groups_of(const struct weft_class_mips *mips, struct weft_processor_list list,
                      uint32_t *groups, uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < list.n; (*n)++) {
        uint32_t group = list.index[i] / mips->group, first = group * mips->group;
        uint32_t rest = mips->processors->n - first;
        uint32_t size = rest < mips->group ? rest : mips->group;
        if (size > list.n - i)
            return false;
        for (uint32_t k = 0; k < size; k++, i++) /* no processor is listed twice */
            if (list.index[i] / mips->group != group)
                return false;
        groups[*n] = group;
    }
    return true;
}

/*
 * Adds a group of N processors to the columns.  A column starts at bin position FIRST + c *
 * STEP.  Columns share the bin at their edge: the rest of it is carried over to the next
 * column.
 */
static void add_group(const uint8_t (*bins)[2], size_t n_bins, double first, double step,
                      float n, size_t columns, float *shares)
{
    const float each = n / (float)(255 * step);
    size_t i = (size_t)first; /* the bin in which the column begins */
    if (i >= n_bins)
        return;
    float left = (float)((double)(i + 1) - first);
    float busy_left = left * (float)bins[i][0], overhead_left = left * (float)bins[i][1];
    for (size_t c = 0; c < columns && i < n_bins; c++) {
        double end = first + (double)(c + 1) * step;
        size_t last = (size_t)end;
        last = last < n_bins ? last : n_bins;
        unsigned whole[2] = { 0 };
        for (size_t k = i + 1; k < last; k++) {
            whole[0] += bins[k][0];
            whole[1] += bins[k][1];
        }
        float busy = busy_left + (float)whole[0];
        float overhead = overhead_left + (float)whole[1];
        busy_left = overhead_left = 0;
        if (last < n_bins) {
            float part = (float)(end - (double)last), bin_busy = (float)bins[last][0];
            float bin_overhead = (float)bins[last][1];
            busy_left = (1 - part) * bin_busy;
            overhead_left = (1 - part) * bin_overhead;
            /*
             * A column within one bin started with all of the bin's rest: take off what is
             * behind the column.
             */
            part -= last == i ? 1 : 0;
            busy += part * bin_busy;
            overhead += part * bin_overhead;
        }
        i = last;
        shares[c * WEFT_CLASSES + WEFT_CLASS_BUSY] += busy * each;
        shares[c * WEFT_CLASSES + WEFT_CLASS_OVERHEAD] += overhead * each;
    }
}

bool weft_class_mips_shares(const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares)
{
    struct weft_span span = span_of(mips);
    if (!columns || window.begin < span.begin || window.end > span.end
        || (window.end - window.begin) / (int64_t)columns < mips->width)
        return false;
    uint32_t n, *groups = weft_alloc(((size_t)list.n + 1) * sizeof *groups);
    if (!groups_of(mips, list, groups, &n)) {
        free(groups);
        return false;
    }
    double length = (double)(window.end - window.begin);
    unsigned level = 0;
    while (level + 1 < mips->n_levels
           && (double)width_of(mips, level + 1) * (double)columns * 2 <= length)
        level++;
    double width = (double)width_of(mips, level);
    double first = (double)(window.begin - span.begin) / width;
    memset(shares, 0, columns * WEFT_CLASSES * sizeof *shares);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rest = mips->processors->n - groups[i] * mips->group;
        const uint8_t(*bins)[2] = (const uint8_t(*)[2])(
            mips->bins + (size_t)groups[i] * mips->n_all + mips->first[level]);
        add_group(bins, mips->n_bins[level], first, length / width / (double)columns,
                  (float)(rest < mips->group ? rest : mips->group), columns, shares);
    }
    for (size_t c = 0; c < columns; c++) {
        float *column = shares + c * WEFT_CLASSES;
        float idle = (float)list.n - column[WEFT_CLASS_BUSY] - column[WEFT_CLASS_OVERHEAD];
        column[WEFT_CLASS_IDLE] = idle > 0 ? idle : 0;
    }
    free(groups);
    return true;
}
