/* SPDX-License-Identifier: Apache-2.0 */
#include "view/axis_ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/time.h"

enum { MAX_DECIMALS = 3 }; /* of a label; a smaller unit replaces more */

/* Returns the smallest of 1, 2, 5 x 10^k that is at least AT_LEAST. */
static double round_step(double at_least)
{
    double power = pow(10, floor(log10(at_least)));
    static const double steps[] = { 1, 2, 5, 10 };
    for (size_t i = 0; i < 4; i++)
        if (steps[i] * power >= at_least * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

const char *weft_number_text(struct weft_arena *arena, double value, int decimals)
{
    char digits[64], out[96];
    if (!(fabs(value) < 1e18)) /* more digits than a double has */
        return weft_arena_printf(arena, "%.4g", value);
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    size_t whole = strcspn(digits, "."), n = 0;
    bool zero = strspn(digits, "0.") == strlen(digits);
    if (value < 0 && !zero)
        out[n++] = '-';
    for (size_t i = 0; digits[i]; i++) {
        if (i && i < whole && (whole - i) % 3 == 0)
            out[n++] = ',';
        out[n++] = digits[i];
    }
    out[n] = '\0';
    return weft_arena_strdup(arena, out);
}

static int decimals_for(double step)
{
    int decimals = 0;
    while (decimals < 9 && fabs(step - round(step)) > 1e-6 * step) {
        step *= 10;
        decimals++;
    }
    return decimals;
}

struct unit {
    const char *name;
    double seconds;
};

static const struct unit units[] = { { "s", 1 },     { "ms", 1e-3 },  { "µs", 1e-6 },
                                     { "ns", 1e-9 }, { "ps", 1e-12 }, { "fs", 1e-15 } };
enum { UNITS = sizeof units / sizeof *units };

/*
 * Chooses the unit that reads best for a window of SPAN seconds, with no time beyond
 * FARTHEST. "23.8 s" is better than "23,800 ms", as long as few decimals distinguish labels
 * that are STEP apart.
 */
static const struct unit *choose_unit(double span, double farthest, double step)
{
    const double most = 2000; /* above it, a larger unit is tried */
    const struct unit *unit = units;
    while (unit + 1 < units + UNITS && span < 2 * unit->seconds)
        unit++;
    for (const struct unit *larger = unit; farthest >= most * unit->seconds;) {
        if (larger == units)
            break;
        larger--;
        if (farthest < most * larger->seconds
            && decimals_for(step / larger->seconds) <= MAX_DECIMALS)
            return larger;
    }
    return unit;
}

struct weft_axis weft_time_axis(struct weft_arena *arena, const struct weft_schema *schema,
                                struct weft_span window, double length, double spacing)
{
    struct weft_axis axis = { .unit = "s" };
    double tick = weft_ticks_to_seconds(schema, 1);
    double span = (double)(window.end - window.begin) * tick;
    if (!(span > 0) || !(length > 0))
        return axis;
    double step = round_step(span * fmin(1, spacing / length));
    double zero_at = (double)schema->span.begin;
    double farthest =
        fmax(fabs((double)window.begin - zero_at), fabs((double)window.end - zero_at))
        * tick;
    const struct unit *unit = choose_unit(span, farthest, step);
    axis.unit = unit->name;
    /*
     * Far from the start, labels count from a round time before the window, in whole steps,
     * so that no digit is lost.
     */
    /* In a window as long as the clock's range, a step may exceed it. */
    const double longest = 0x1p62;
    int64_t step_ticks = (int64_t)llround(fmin(longest, step / tick));
    if (step_ticks < 1)
        step_ticks = 1;
    step = (double)step_ticks * tick;
    int64_t zero = schema->span.begin;
    int64_t from = window.begin - zero;
    double far = fabs((double)from * tick) / unit->seconds;
    /* A window that is long compared with its distance from the start needs no offset. */
    if (far > 99999 && step_ticks < INT64_MAX / 200) {
        int64_t hundred = step_ticks * 100;
        int64_t base = (from >= 0 ? from : from - hundred + 1) / hundred * hundred;
        char text[WEFT_TIME_TEXT];
        axis.offset =
            weft_arena_printf(arena, "+ %s s", weft_time_exact(schema, base, text));
        zero += base;
        from -= base;
    }
    int64_t first = from / step_ticks;
    if (first * step_ticks < from)
        first++;
    size_t room = (size_t)((window.end - window.begin) / step_ticks) + 2;
    axis.ticks = weft_arena_alloc(arena, room * sizeof *axis.ticks);
    int decimals = decimals_for(step / unit->seconds);
    for (int64_t k = first; axis.n_ticks < room; k++) {
        int64_t at;
        if (__builtin_mul_overflow(k, step_ticks, &at)
            || __builtin_add_overflow(at, zero, &at) || at > window.end)
            break;
        axis.ticks[axis.n_ticks++] = (struct weft_tick){
            length * ((double)(at - window.begin) / (double)(window.end - window.begin)),
            weft_number_text(arena, (double)(k * step_ticks) * tick / unit->seconds,
                             decimals)
        };
    }
    return axis;
}

/* LEAST is the smallest distance of ticks. */
static struct weft_axis value_axis(struct weft_arena *arena, double low, double high,
                                   const char *unit, double length, double spacing,
                                   double least)
{
    static const char *const bytes[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    struct weft_axis axis = { .unit = unit ? unit : "" };
    if (!(high > low) || !(length > 0) || !isfinite(high - low))
        return axis;
    double scale = 1, size = fmax(fabs(low), fabs(high));
    if (unit && strcmp(unit, "B") == 0) {
        size_t u = 0;
        for (; u < 5 && size / scale >= 1024; u++)
            scale *= 1024;
        axis.unit = bytes[u];
    }
    double step = fmax(least, round_step((high - low) / scale * fmin(1, spacing / length)));
    if (!(step > 0)) /* an infinitesimal range */
        return axis;
    int decimals = decimals_for(step);
    int64_t first = (int64_t)ceil(low / scale / step - 1e-9);
    size_t room = (size_t)((high - low) / scale / step) + 3;
    axis.ticks = weft_arena_alloc(arena, room * sizeof *axis.ticks);
    for (int64_t k = first; axis.n_ticks < room; k++) {
        double value = (double)k * step;
        if (value * scale - high > 1e-9 * (high - low))
            break;
        const char *label = weft_number_text(arena, value, decimals);
        /* If the step is finer than the digits shown, drop equal labels. */
        if (axis.n_ticks && strcmp(label, axis.ticks[axis.n_ticks - 1].label) == 0)
            continue;
        axis.ticks[axis.n_ticks++] = (struct weft_tick){
            fmin(fmax(length * (value * scale - low) / (high - low), 0), length), label
        };
    }
    return axis;
}

struct weft_axis weft_value_axis(struct weft_arena *arena, double low, double high,
                                 const char *unit, double length, double spacing)
{
    return value_axis(arena, low, high, unit, length, spacing, 0);
}

struct weft_axis weft_count_axis(struct weft_arena *arena, double low, double high,
                                 double length, double spacing)
{
    return value_axis(arena, low, high, "", length, spacing, 1);
}

const char *weft_bytes_text(struct weft_arena *arena, int64_t bytes)
{
    static const char *const binary_units[] = { "B",   "KiB", "MiB", "GiB",
                                                "TiB", "PiB", "EiB" };
    double size = (double)bytes;
    size_t u = 0;
    for (; u < 6 && fabs(size) >= 1024; u++)
        size /= 1024;
    int decimals = u && fabs(size) < 100 && size != floor(size) ? 1 : 0;
    return weft_arena_printf(arena, "%s %s", weft_number_text(arena, size, decimals),
                             binary_units[u]);
}
