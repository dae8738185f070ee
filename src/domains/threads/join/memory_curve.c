/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of the bytes live.  A program may change them a million times a second: of
 * each part of the time, the least and the greatest value are kept, with their times, and
 * the last one.  When there are too many parts, two become one.
 */
#include <stdlib.h>

#include "domains/threads/join/memory_join.h"

enum {
    CURVE_PARTS = 4096,       /* more than a picture has columns */
    MAX_WIDTH_DOUBLINGS = 62, /* from 1 ns: beyond any time of a trace */
};

static void add_to_part(struct curve_part *part, int64_t time, uint64_t value)
{
    if (value < part->least) {
        part->least = value;
        part->least_time = time;
    }
    if (value > part->most) {
        part->most = value;
        part->most_time = time;
    }
    part->last = value;
    part->last_time = time;
}

/* Returns the number of the part that TIME is in. */
static int64_t index_of(const struct curve *curve, int64_t time)
{
    int64_t index = time / curve->width;

    return time % curve->width < 0 ? index - 1 : index;
}

/* Doubles the width of the parts. */
static void widen(struct curve *curve)
{
    size_t n = 0;

    curve->width *= 2;
    for (size_t i = 0; i < curve->n; i++) {
        struct curve_part part = curve->parts[i], *to = &curve->parts[n > 0 ? n - 1 : 0];
        part.index = index_of(curve, part.last_time);
        if (n == 0 || to->index != part.index) {
            curve->parts[n++] = part;
            continue;
        }
        add_to_part(to, part.least_time, part.least);
        add_to_part(to, part.most_time, part.most);
        add_to_part(to, part.last_time, part.last);
    }
    curve->n = n;
}

void curve_add(struct curve *curve, int64_t time, uint64_t value)
{
    int64_t index;

    if (curve->width == 0)
        curve->width = 1;
    for (int i = 0; curve->n >= CURVE_PARTS && i < MAX_WIDTH_DOUBLINGS; i++) {
        if (curve->parts[curve->n - 1].index == index_of(curve, time))
            break;
        widen(curve);
    }
    index = index_of(curve, time);
    if (curve->n > 0 && curve->parts[curve->n - 1].index == index) {
        add_to_part(&curve->parts[curve->n - 1], time, value);
        return;
    }
    curve->parts =
        weft_grow(curve->parts, &curve->capacity, curve->n + 1, sizeof *curve->parts);
    curve->parts[curve->n++] =
        (struct curve_part){ index, time, time, time, value, value, value };
}

void curve_write(const struct curve *curve, struct weft_builder *builder, uint32_t track)
{
    for (size_t i = 0; i < curve->n; i++) {
        const struct curve_part *part = &curve->parts[i];
        bool rises = part->least_time < part->most_time;
        /* The later one of two at one time counts, as in the program. */
        (void)weft_builder_sample(builder, track,
                                  rises ? part->least_time : part->most_time,
                                  (double)(rises ? part->least : part->most));
        (void)weft_builder_sample(builder, track,
                                  rises ? part->most_time : part->least_time,
                                  (double)(rises ? part->most : part->least));
        (void)weft_builder_sample(builder, track, part->last_time, (double)part->last);
    }
}

void curve_free(struct curve *curve)
{
    free(curve->parts);
}
