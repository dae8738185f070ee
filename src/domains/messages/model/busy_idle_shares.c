/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the shares of the classes by column: from mips, from the changes, or from the
 * source's shares of values, added up by class.
 *
 * The last slot of a source's shares may hold values of several classes.  If it is so large
 * that it would be seen, its time is divided as that of its values in the window.
 *
 * Neither mips nor shares of values know unreadable time; they would show it as idle or
 * busy.  So the changes of a damaged trace are read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "domains/messages/model/busy_idle_mipmaps.h"

enum {
    /* changes a column: reading them costs about what the summaries do */
    FEW_CHANGES = 32,
    SEEN = 50,           /* 1/SEEN of a column is seen */
    MIN_CHANGES = 20000, /* so many changes are read for any row */
};

struct shares {
    const struct weft_processors *p;
    struct weft_share_query query; /* for tracks of one type */
    uint32_t type, slots;
    float part[WEFT_MAX_SLOTS][WEFT_CLASSES]; /* share of each class in a slot's time */
    bool mixed;                               /* some slot has several classes */
    float *out;                               /* [columns][WEFT_CLASSES] */
};

/*
 * Divides the time of each slot by class: as in SUMS[n_values], or in the whole trace if
 * NULL.
 */
static void divide_slots(struct shares *s, const struct weft_sum *sums)
{
    const struct weft_schema *schema = s->p->source->schema;
    double ticks[WEFT_MAX_SLOTS][WEFT_CLASSES] = { 0 };
    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        uint32_t slot = value->rank < s->slots ? value->rank : s->slots - 1;
        if (value->type != s->type)
            continue;
        /* A value that never occurs counts a little, so that each slot has a class. */
        ticks[slot][s->p->class_of[v]] +=
            (double)(sums ? sums[v].self_ticks : value->self_ticks) + 1e-6;
    }
    s->mixed = false;
    for (uint32_t i = 0; i < s->slots; i++) {
        double sum = ticks[i][0] + ticks[i][1] + ticks[i][2];
        for (size_t c = 0; c < WEFT_CLASSES; c++) {
            s->part[i][c] = sum > 0 ? (float)(ticks[i][c] / sum) : 0;
            s->mixed |= ticks[i][c] > 0 && ticks[i][c] < sum;
        }
    }
}

static void add_slots(struct shares *s)
{
    const struct weft_share_query *query = &s->query;
    for (size_t c = 0; c < query->columns; c++)
        for (uint32_t i = 0; i < s->slots; i++) {
            float share = query->shares[c * s->slots + i];
            for (size_t k = 0; k < WEFT_CLASSES; k++)
                s->out[c * WEFT_CLASSES + k] += share * s->part[i][k];
            s->out[c * WEFT_CLASSES + WEFT_CLASS_BUSY] -= share;
        }
}

static bool is_seen(const struct shares *s)
{
    const struct weft_share_query *query = &s->query;
    for (size_t c = 0; c < query->columns; c++)
        if (query->shares[(c + 1) * s->slots - 1] * SEEN > (float)query->n_tracks)
            return true;
    return false;
}

static void add_type(struct shares *s)
{
    const struct weft_source *source = s->p->source;
    s->slots = source->schema->types[s->type].slots;
    divide_slots(s, NULL);
    source->ops->shares(source, &s->query);
    if (s->mixed && is_seen(s)) {
        struct weft_sum *sums =
            weft_zalloc((size_t)source->schema->n_values + 1, sizeof *sums);
        source->ops->sums(source, s->query.tracks, s->query.n_tracks, s->query.window,
                          sums);
        divide_slots(s, sums);
        free(sums);
    }
    add_slots(s);
}

/* ---- All of a column ---- */

/* Adds SIGN to all columns from TIME on, as differences to the column before. */
static void step_at(double *idle, int64_t time, double sign, struct weft_span window,
                    size_t columns)
{
    if (time >= window.end)
        return;
    time = time > window.begin ? time : window.begin;
    double x = (double)(time - window.begin) / (double)(window.end - window.begin)
               * (double)columns;
    size_t column = x < (double)columns ? (size_t)x : columns - 1;
    double rest = (double)column + 1 - x;
    idle[column] += sign * rest;
    idle[column + 1] += sign * (1 - rest);
}

/*
 * Fills the columns as if there were no calls: busy from a processor's start to its finish,
 * and idle before and after.
 */
static void begin_shares(const struct weft_processors *p, struct weft_processor_list list,
                         struct weft_span window, size_t columns, float *shares)
{
    memset(shares, 0, columns * WEFT_CLASSES * sizeof *shares);
    double *idle = weft_zalloc(columns + 2, sizeof *idle);
    for (uint32_t i = 0; i < list.n; i++) {
        const struct weft_processor *processor = &p->processors[list.index[i]];
        int64_t start = processor->start, finish = processor->finish;
        step_at(idle, window.begin, 1, window, columns);
        step_at(idle, start, -1, window, columns);
        step_at(idle, start > finish ? start : finish, 1, window, columns);
    }
    double sum = 0;
    for (size_t c = 0; c < columns; c++) {
        sum += idle[c];
        shares[c * WEFT_CLASSES + WEFT_CLASS_IDLE] = (float)fmax(sum, 0);
        shares[c * WEFT_CLASSES + WEFT_CLASS_BUSY] = (float)fmax(list.n - sum, 0);
    }
    free(idle);
}

/* Returns true if there are so few changes in a window that all are read. */
static bool few_changes(const struct weft_processors *p, struct weft_processor_list list,
                        struct weft_span window, size_t columns)
{
    uint64_t n = 0, most = FEW_CHANGES * columns;
    most = most > MIN_CHANGES ? most : MIN_CHANGES;
    for (uint32_t i = 0; i < list.n && n <= most; i++) {
        uint32_t track = p->processors[list.index[i]].track;
        if (track != WEFT_NONE)
            n += p->source->ops->density(p->source, track, window);
    }
    return n <= most;
}

/* Lists the tracks of some processors, sorted by type, and returns how many there are. */
static size_t tracks_by_type(const struct weft_processors *p,
                             struct weft_processor_list list, uint32_t *tracks)
{
    const struct weft_schema *schema = p->source->schema;
    struct weft_sort_item *items = weft_alloc(((size_t)list.n + 1) * sizeof *items);
    size_t n = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        uint32_t track = p->processors[list.index[i]].track;
        if (track != WEFT_NONE
            && schema->types[schema->tracks[track].type].kind == WEFT_STATE)
            items[n++] = (struct weft_sort_item){ schema->tracks[track].type, track };
    }
    if (n)
        weft_sort(items, n);
    for (size_t i = 0; i < n; i++)
        tracks[i] = (uint32_t)items[i].payload;
    free(items);
    return n;
}

static bool is_damaged(const struct weft_processors *p)
{
    return p->source->ops->damage(p->source, 0, NULL, 0) > 0;
}

static void sum_values(const struct weft_processors *p, struct weft_processor_list list,
                       struct weft_span window, size_t columns, float *shares,
                       struct weft_job *job)
{
    const struct weft_schema *schema = p->source->schema;
    begin_shares(p, list, window, columns, shares);
    uint32_t *tracks = weft_alloc(((size_t)list.n + 1) * sizeof *tracks);
    float *of_values = weft_alloc(columns * WEFT_MAX_SLOTS * sizeof *of_values);
    size_t n = tracks_by_type(p, list, tracks), run;
    for (size_t i = 0; i < n && !weft_job_cancelled(job); i += run) {
        uint32_t type = schema->tracks[tracks[i]].type;
        for (run = 1; i + run < n && schema->tracks[tracks[i + run]].type == type;)
            run++;
        struct shares s = { .p = p,
                            .query = { tracks + i, run, window, columns, of_values, job },
                            .type = type,
                            .out = shares };
        add_type(&s);
    }
    for (size_t i = 0; i < columns * WEFT_CLASSES; i++)
        shares[i] = shares[i] > 0 ? shares[i] : 0; /* rounding */
    free(tracks);
    free(of_values);
}

void weft_processors_shares(const struct weft_processors *p,
                            const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares, struct weft_job *job)
{
    /* Making the mips has read all changes, so their damage is known by now. */
    bool damaged = is_damaged(p);
    if (!damaged && mips && weft_class_mips_shares(mips, list, window, columns, shares))
        return;
    bool read = damaged || few_changes(p, list, window, columns);
    if (!read)
        sum_values(p, list, window, columns, shares, job);
    if (read || is_damaged(p))
        weft_class_shares_read(p, list, window, columns, shares);
}
