/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sample_integral.h"

#include <string.h>

#include "store/column.h"

void weft_ruler_load(struct weft_ruler *ruler, const unsigned char *steps,
                     const unsigned char *values, size_t n, uint64_t most)
{
    struct weft_column_header times, heights;
    memcpy(&times, steps, sizeof times);
    memcpy(&heights, values, sizeof heights);
    weft_unpack(steps + sizeof times, ruler->steps, n, times.width);
    for (size_t i = 0; i < n; i++)
        ruler->steps[i] += (uint64_t)times.minimum;
    /* The sum of a block's 32-bit values times 31-bit ticks fits into 64 bits. */
    ruler->whole = heights.kind == 2 && heights.width <= 4 && most < UINT64_C(1) << 31;
    ruler->lowest = (double)heights.minimum;
    if (ruler->whole)
        weft_unpack(values + sizeof heights, ruler->values, n, heights.width);
    else
        weft_column_decode(values, WEFT_COLUMN_MAX, (int64_t *)ruler->values, n, NULL);
    ruler->n = n;
    ruler->i = 0;
    ruler->past = ruler->whole_area = 0;
    ruler->area = 0;
}

static double real_value(const struct weft_ruler *ruler)
{
    double value;
    memcpy(&value, &ruler->values[ruler->i], sizeof value);
    return value;
}

static bool next_begins(const struct weft_ruler *ruler, uint64_t ticks)
{
    return ruler->i + 1 < ruler->n && ruler->past + ruler->steps[ruler->i + 1] <= ticks;
}

static double whole_area(struct weft_ruler *ruler, uint64_t ticks)
{
    uint64_t area = ruler->whole_area, past = ruler->past;
    size_t i = ruler->i, n = ruler->n;
    for (; i + 1 < n && past + ruler->steps[i + 1] <= ticks; i++) {
        area += ruler->values[i] * ruler->steps[i + 1];
        past += ruler->steps[i + 1];
    }
    ruler->whole_area = area;
    ruler->past = past;
    ruler->i = i;
    return (double)(area + ruler->values[i] * (ticks - past))
           + ruler->lowest * (double)ticks;
}

double weft_ruler_area(struct weft_ruler *ruler, uint64_t ticks)
{
    if (ruler->whole)
        return whole_area(ruler, ticks);
    while (next_begins(ruler, ticks)) {
        ruler->area += real_value(ruler) * (double)ruler->steps[ruler->i + 1];
        ruler->past += ruler->steps[++ruler->i];
    }
    return ruler->area + real_value(ruler) * (double)(ticks - ruler->past);
}
