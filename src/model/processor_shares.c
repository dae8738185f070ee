/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the classes by column: the source's shares of values, put together. */
#include <stdlib.h>
#include <string.h>

#include "model/processors.h"

/*
 * The class of each slot of a type's shares (store/source.h): PART[slot][class] is the part of
 * the slot's time that belongs to a class.  The last slot may hold several values: their time
 * is divided as it is over the whole trace.
 */
static void divide_slots(const struct weft_processors *p, uint32_t type,
                         float (*part)[WEFT_CLASSES])
{
    const struct weft_schema *schema = p->source->schema;
    uint32_t slots = schema->types[type].slots;
    double ticks[WEFT_MOST_SLOTS][WEFT_CLASSES] = { 0 };
    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        uint32_t slot = value->rank < slots ? value->rank : slots - 1;
        if (value->type == type)
            ticks[slot][p->class_of[v]] += (double)value->self_ticks + 1;
    }
    for (uint32_t s = 0; s < slots; s++) {
        double sum = ticks[s][0] + ticks[s][1] + ticks[s][2];
        for (size_t c = 0; c < WEFT_CLASSES; c++)
            part[s][c] = sum > 0 ? (float)(ticks[s][c] / sum) : 0;
    }
}

/* The processors of [first, after) with tracks of TYPE; adds their shares of calls. */
static void add_type(const struct weft_processors *p, uint32_t type,
                     const struct weft_share_query *query, float *out)
{
    uint32_t slots = p->source->schema->types[type].slots;
    float part[WEFT_MOST_SLOTS][WEFT_CLASSES];
    divide_slots(p, type, part);
    p->source->ops->shares(p->source, query);
    for (size_t c = 0; c < query->columns; c++)
        for (uint32_t s = 0; s < slots; s++) {
            float share = query->shares[c * slots + s];
            for (size_t k = 0; k < WEFT_CLASSES; k++)
                out[c * WEFT_CLASSES + k] += share * part[s][k];
            out[c * WEFT_CLASSES + WEFT_CLASS_BUSY] -= share;
        }
}

/* All are busy where they are in no call until their last event, and idle from then on. */
static void begin_shares(const struct weft_processors *p, uint32_t first, uint32_t after,
                         struct weft_span window, size_t columns, float *shares)
{
    double length = (double)(window.end - window.begin);
    memset(shares, 0, columns * WEFT_CLASSES * sizeof *shares);
    double *idle = weft_zalloc(columns + 2, sizeof *idle);
    for (uint32_t i = first; i < after; i++) {
        int64_t finish = p->processors[i].finish;
        if (finish >= window.end)
            continue;
        finish = finish > window.begin ? finish : window.begin;
        double x = (double)(finish - window.begin) / length * (double)columns;
        size_t column = x < (double)columns ? (size_t)x : columns - 1;
        double rest = (double)column + 1 - x;
        idle[column] += rest;
        idle[column + 1] += 1 - rest;
    }
    double sum = 0;
    for (size_t c = 0; c < columns; c++) {
        sum += idle[c];
        shares[c * WEFT_CLASSES + WEFT_CLASS_IDLE] = (float)sum;
        shares[c * WEFT_CLASSES + WEFT_CLASS_BUSY] = (float)(after - first - sum);
    }
    free(idle);
}

void weft_processors_shares(const struct weft_processors *p, uint32_t first, uint32_t after,
                            struct weft_span window, size_t columns, float *shares,
                            struct weft_job *job)
{
    const struct weft_schema *schema = p->source->schema;
    begin_shares(p, first, after, window, columns, shares);
    uint32_t *tracks = weft_alloc(((size_t)(after - first) + 1) * sizeof *tracks);
    float *of_values = weft_alloc(columns * WEFT_MOST_SLOTS * sizeof *of_values);
    for (uint32_t type = 0; type < schema->n_types; type++) {
        size_t n = 0;
        for (uint32_t i = first; schema->types[type].kind == WEFT_STATE && i < after; i++)
            if (p->processors[i].track != WEFT_NONE
                && schema->tracks[p->processors[i].track].type == type)
                tracks[n++] = p->processors[i].track;
        const struct weft_share_query query = {
            tracks, n, window, columns, of_values, job
        };
        if (n)
            add_type(p, type, &query, shares);
    }
    for (size_t i = 0; i < columns * WEFT_CLASSES; i++)
        shares[i] = shares[i] > 0 ? shares[i] : 0;
    free(tracks);
    free(of_values);
}
