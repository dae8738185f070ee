/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/step_curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/radix_sort.h"
#include "store/build/spill.h"
#include "store/column.h"
#include "store/sample_integral.h"

/* Begins and ends in a bucket.  Intervals of height 1, the most frequent ones, are stored
   more compactly. */
struct bucket {
    uint64_t *units; /* time << 1 | 1 for an end */
    size_t n_units, unit_capacity;
    struct weft_sort_item *parts; /* time; bits of the change of height */
    size_t n_parts, part_capacity;
};

/* A block of encoded steps. */
struct block {
    int64_t begin;
    double area; /* area under all earlier blocks, in ticks */
    uint64_t at; /* offset in the encoded bytes */
};

enum {
    IN_MEMORY = 1 << 20, /* bytes of encoded blocks; more go to a temporary file */
    MAX_ENCODED_BYTES = 2 * (int)(sizeof(struct weft_column_header) + 8 * WEFT_STEP_BLOCK),
};

struct weft_step_curve {
    struct weft_time_buckets buckets;
    struct bucket *pending; /* [buckets.n] */
    size_t settled;         /* buckets */

    /* State at the end of the settled part. */
    int64_t units, open; /* open intervals of height 1; others */
    double parts;        /* sum of the heights of the others */
    double area;         /* area under all steps, in ticks */
    struct weft_step last[WEFT_STEP_BLOCK];
    size_t n_last; /* steps not yet in a block */

    struct block *blocks;
    size_t n_blocks, block_capacity;
    size_t n; /* steps */
    int64_t end;
    struct weft_spill encoded;
    uint64_t n_encoded;         /* bytes */
    struct weft_mapping mapped; /* the encoded bytes, after the end */
};

struct weft_time_buckets weft_time_buckets_over(struct weft_span span, size_t most)
{
    struct weft_time_buckets buckets = { span.begin, 0, 1 };
    uint64_t length = span.end > span.begin ? (uint64_t)span.end - (uint64_t)span.begin : 0;
    while (length >> buckets.shift >= most)
        buckets.shift++;
    buckets.n = (size_t)(length >> buckets.shift) + 1;
    return buckets;
}

struct weft_step_curve *weft_step_curve_new(struct weft_time_buckets buckets)
{
    struct weft_step_curve *curve = weft_zalloc(1, sizeof *curve);
    curve->buckets = buckets;
    curve->pending = weft_zalloc(buckets.n, sizeof *curve->pending);
    weft_spill_init(&curve->encoded);
    curve->encoded.in_memory = IN_MEMORY;
    return curve;
}

static void free_bucket(struct bucket *bucket)
{
    free(bucket->units);
    free(bucket->parts);
    *bucket = (struct bucket){ 0 };
}

void weft_step_curve_free(struct weft_step_curve *curve)
{
    if (!curve)
        return;
    for (size_t i = 0; curve->pending && i < curve->buckets.n; i++)
        free_bucket(&curve->pending[i]);
    if (curve->mapped.mapped)
        weft_unmap(&curve->mapped);
    weft_spill_free(&curve->encoded);
    free(curve->pending);
    free(curve->blocks);
    free(curve);
}

/* ---- Adding ---- */

/* Keys have the order of times, which lie within +-2^62. */
static uint64_t key_of(int64_t time)
{
    return (uint64_t)time ^ UINT64_C(1) << 63;
}

static int64_t time_of(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

static struct bucket *bucket_at(struct weft_step_curve *curve, int64_t time)
{
    size_t i = weft_time_bucket(&curve->buckets, time);
    return i < curve->settled ? NULL : &curve->pending[i];
}

static void add_unit(struct bucket *bucket, int64_t time, bool ends)
{
    bucket->units = weft_grow(bucket->units, &bucket->unit_capacity, bucket->n_units + 1,
                              sizeof *bucket->units);
    bucket->units[bucket->n_units++] = ((uint64_t)time << 1 ^ UINT64_C(1) << 63) | ends;
}

static void add_part(struct bucket *bucket, int64_t time, double change)
{
    struct weft_sort_item item = { .key = key_of(time) };
    memcpy(&item.payload, &change, sizeof change);
    bucket->parts = weft_grow(bucket->parts, &bucket->part_capacity, bucket->n_parts + 1,
                              sizeof *bucket->parts);
    bucket->parts[bucket->n_parts++] = item;
}

bool weft_step_curve_spread(struct weft_step_curve *curve, int64_t begin, int64_t end,
                            int64_t amount)
{
    if (end <= begin || !amount)
        return true;
    struct bucket *first = bucket_at(curve, begin), *second = bucket_at(curve, end);
    if (!first || !second)
        return false;
    if (amount == end - begin) {
        add_unit(first, begin, false);
        add_unit(second, end, true);
    } else {
        double height = (double)amount / (double)(end - begin);
        add_part(first, begin, height);
        add_part(second, end, -height);
    }
    return true;
}

/* ---- Settling ---- */

static void end_block(struct weft_step_curve *curve)
{
    int64_t steps[WEFT_STEP_BLOCK];
    double values[WEFT_STEP_BLOCK];
    unsigned char encoded[MAX_ENCODED_BYTES];
    size_t n = curve->n_last;
    if (!n)
        return;
    for (size_t i = 0; i < n; i++) {
        steps[i] = i ? curve->last[i].time - curve->last[i - 1].time : 0;
        values[i] = curve->last[i].value;
    }
    size_t size = weft_column_encode(encoded, steps, n);
    size += weft_column_encode_reals(encoded + size, values, n);
    weft_spill_append(&curve->encoded, weft_temporary_folder(), encoded, size);
    curve->blocks[curve->n_blocks - 1].at = curve->n_encoded;
    curve->n_encoded += size;
    curve->n_last = 0;
}

static void add_step(struct weft_step_curve *curve, int64_t time, double value)
{
    const struct weft_step *before = curve->n_last ? &curve->last[curve->n_last - 1] : NULL;
    if (before && before->value == value)
        return;
    if (before)
        curve->area += before->value * (double)(time - before->time);
    if (curve->n_last == WEFT_STEP_BLOCK)
        end_block(curve);
    if (!curve->n_last) {
        curve->blocks = weft_grow(curve->blocks, &curve->block_capacity,
                                  curve->n_blocks + 1, sizeof *curve->blocks);
        curve->blocks[curve->n_blocks++] =
            (struct block){ .begin = time, .area = curve->area };
    }
    curve->last[curve->n_last++] = (struct weft_step){ time, value };
    curve->end = time;
    curve->n++;
}

/* Merges two sorted lists of changes. */
struct merge {
    const struct bucket *bucket;
    size_t unit, part; /* next items */
};

static int64_t unit_time(uint64_t unit)
{
    return (int64_t)(unit ^ UINT64_C(1) << 63) >> 1;
}

/* Gets the time of the next change; returns false if there is none. */
static bool next_time(const struct merge *merge, int64_t *time)
{
    const struct bucket *bucket = merge->bucket;
    bool has_unit = merge->unit < bucket->n_units, has_part = merge->part < bucket->n_parts;
    if (!has_unit && !has_part)
        return false;
    *time = has_unit ? unit_time(bucket->units[merge->unit]) : INT64_MAX;
    if (has_part && time_of(bucket->parts[merge->part].key) < *time)
        *time = time_of(bucket->parts[merge->part].key);
    return true;
}

/* The value after the changes at a time.  The sum is reset to 0 when no part is open, so
   that rounding errors do not accumulate. */
static double value_from(struct weft_step_curve *curve, struct merge *merge, int64_t time)
{
    const struct bucket *bucket = merge->bucket;
    for (; merge->unit < bucket->n_units && unit_time(bucket->units[merge->unit]) == time;
         merge->unit++)
        curve->units += bucket->units[merge->unit] & 1 ? -1 : 1;
    uint64_t key = key_of(time);
    for (; merge->part < bucket->n_parts && bucket->parts[merge->part].key == key;
         merge->part++) {
        double change;
        memcpy(&change, &bucket->parts[merge->part].payload, sizeof change);
        curve->open += change > 0 ? 1 : -1;
        curve->parts += change;
    }
    curve->parts = curve->open ? curve->parts : 0;
    return (double)curve->units + curve->parts;
}

static void settle_bucket(struct weft_step_curve *curve, struct bucket *bucket)
{
    struct merge merge = { .bucket = bucket };
    int64_t time;
    weft_sort_keys(bucket->units, bucket->n_units);
    weft_sort(bucket->parts, bucket->n_parts);
    while (next_time(&merge, &time))
        add_step(curve, time, value_from(curve, &merge, time));
    free_bucket(bucket);
}

void weft_step_curve_settle(struct weft_step_curve *curve, size_t bucket)
{
    for (; curve->settled < bucket && curve->settled < curve->buckets.n; curve->settled++)
        if (curve->pending[curve->settled].n_units
            || curve->pending[curve->settled].n_parts)
            settle_bucket(curve, &curve->pending[curve->settled]);
}

bool weft_step_curve_end(struct weft_step_curve *curve, struct weft_err *err)
{
    weft_step_curve_settle(curve, curve->buckets.n);
    end_block(curve);
    free(curve->pending);
    curve->pending = NULL;
    return weft_spill_map(&curve->encoded, weft_temporary_folder(), &curve->mapped, err);
}

/* ---- Reading ---- */

size_t weft_step_curve_bytes(const struct weft_step_curve *curve)
{
    return sizeof *curve + curve->n_encoded + curve->block_capacity * sizeof *curve->blocks;
}

size_t weft_step_curve_blocks(const struct weft_step_curve *curve)
{
    return curve->n_blocks;
}

/* The number of blocks that begin at or before TIME, at least FROM; fast if the result is
   near FROM. */
static size_t blocks_until(const struct weft_step_curve *curve, size_t from, int64_t time)
{
    size_t low = from, high = from, n = curve->n_blocks;
    for (size_t step = 1; high < n && curve->blocks[high].begin <= time; step *= 2) {
        low = high + 1;
        high = n - high > step ? high + step : n;
    }
    return WEFT_FIRST(i, low, high, curve->blocks[i].begin > time);
}

size_t weft_step_curve_blocks_until(const struct weft_step_curve *curve, int64_t time)
{
    return blocks_until(curve, 0, time);
}

static size_t steps_of(const struct weft_step_curve *curve, size_t block)
{
    size_t first = block * WEFT_STEP_BLOCK;
    return curve->n - first < WEFT_STEP_BLOCK ? curve->n - first : WEFT_STEP_BLOCK;
}

/* Decodes both columns of a block of N steps. */
static const unsigned char *columns_of(const struct weft_step_curve *curve, size_t block,
                                       size_t n, const unsigned char **values)
{
    const unsigned char *steps = curve->mapped.data + curve->blocks[block].at;
    *values = steps + weft_column_size(steps, WEFT_COLUMN_MAX, n);
    return steps;
}

size_t weft_step_curve_read(const struct weft_step_curve *curve, size_t block,
                            struct weft_step out[WEFT_STEP_BLOCK])
{
    int64_t steps[WEFT_STEP_BLOCK], values[WEFT_STEP_BLOCK];
    const unsigned char *second;
    size_t n = steps_of(curve, block);
    const unsigned char *first = columns_of(curve, block, n, &second);
    weft_column_decode(first, WEFT_COLUMN_MAX, steps, n, NULL);
    weft_column_decode(second, WEFT_COLUMN_MAX, values, n, NULL);
    int64_t time = curve->blocks[block].begin;
    for (size_t i = 0; i < n; i++) {
        out[i].time = time += steps[i];
        memcpy(&out[i].value, &values[i], sizeof out[i].value);
    }
    return n;
}

/* A position on a curve, which only moves forwards. */
struct curve_cursor {
    const struct weft_step_curve *curve;
    size_t after;  /* number of blocks that begin at or before it */
    size_t loaded; /* the same for the block that is decoded, or 0 */
    struct weft_ruler ruler;
};

/* The area from the begin of the current block to TIME. */
static double area_until(struct curve_cursor *cursor, int64_t time)
{
    const struct weft_step_curve *curve = cursor->curve;
    if (!cursor->after)
        return 0;
    size_t b = cursor->after - 1;
    const struct block *block = &curve->blocks[b];
    int64_t end = cursor->after < curve->n_blocks ? block[1].begin : curve->end;
    time = time < end ? time : end;
    if (time <= block->begin)
        return 0;
    if (cursor->loaded != cursor->after) {
        size_t n = steps_of(curve, b);
        const unsigned char *values, *steps = columns_of(curve, b, n, &values);
        weft_ruler_load(&cursor->ruler, steps, values, n,
                        (uint64_t)end - (uint64_t)block->begin);
        cursor->loaded = cursor->after;
    }
    return weft_ruler_area(&cursor->ruler, (uint64_t)time - (uint64_t)block->begin);
}

/* Areas are computed relative to block begins, since sums over hours would lose
   nanoseconds. */
void weft_step_curve_integrals(const struct weft_step_curve *curve, const int64_t *times,
                               size_t n, double *out)
{
    struct curve_cursor cursor;
    cursor.curve = curve;
    cursor.after = blocks_until(curve, 0, times[0]);
    cursor.loaded = 0;
    double before = area_until(&cursor, times[0]);
    for (size_t i = 0; i < n; i++) {
        size_t from = cursor.after;
        cursor.after = blocks_until(curve, from, times[i + 1]);
        double until = area_until(&cursor, times[i + 1]), area = until - before;
        if (cursor.after != from)
            area += curve->blocks[cursor.after - 1].area
                    - (from ? curve->blocks[from - 1].area : 0);
        out[i] = area;
        before = until;
    }
}
