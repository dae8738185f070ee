/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/color_ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Scales ---- */

bool arrays_read_scale(const struct arrays_question *q, struct arrays_scale *scale,
                       struct weft_err *err)
{
    const char *text = weft_setting(q->request, "scale");
    char *end;
    *scale = (struct arrays_scale){ .kind = ARRAYS_SCALE_SHARED };
    if (strcmp(text, "shared") == 0)
        return true;
    scale->kind = ARRAYS_SCALE_OWN;
    if (strcmp(text, "own") == 0)
        return true;
    scale->kind = ARRAYS_SCALE_NUMBER;
    scale->number = strtod(text, &end);
    return (end != text && !*end && scale->number > 0 && isfinite(scale->number))
           || weft_fail(err, WEFT_ERR_USAGE,
                        "scale=%.40s (right: shared, own, or a number above 0)", text);
}

double arrays_most_of_cells(const struct arrays_question *q,
                            const struct arrays_scale *scale,
                            const struct arrays_cells *cells, enum arrays_quantity quantity,
                            enum arrays_statistic statistic)
{
    if (scale->kind == ARRAYS_SCALE_NUMBER)
        return scale->number * arrays_divisor(q, q->statistic)
               / arrays_divisor(q, statistic);
    return cells->most[scale->kind == ARRAYS_SCALE_OWN ? quantity
                                                       : arrays_quantity_scale(quantity)]
           / arrays_divisor(q, statistic);
}

double arrays_most_of_processors(const struct arrays_question *q,
                                 const struct arrays_scale *scale,
                                 const struct weft_reference_counts *counts,
                                 enum arrays_quantity quantity,
                                 enum arrays_statistic statistic)
{
    double divisor = arrays_divisor(q, statistic), most = 0, sum = 0;
    if (scale->kind == ARRAYS_SCALE_NUMBER)
        return scale->number * arrays_divisor(q, q->statistic) / divisor;
    for (uint32_t p = 0; p < q->processors; p++) {
        most = fmax(most, (double)arrays_quantity_value(quantity, &counts[p]));
        sum += (double)arrays_quantity_value(arrays_quantity_scale(quantity), &counts[p]);
    }
    double end = sum / q->processors;
    while (end > 0 && end < most)
        end *= 2;
    return (scale->kind == ARRAYS_SCALE_OWN ? most : end) / divisor;
}

/* ---- Colours and circles ---- */

static weft_color towards(weft_color color, float part, weft_color background)
{
    return weft_mix(&color, &part, 1, background);
}

void arrays_ramp_make(struct arrays_ramp *ramp, const struct weft_theme *theme,
                      const struct arrays_scale *scale, enum arrays_quantity quantity,
                      enum arrays_statistic statistic, double most, bool pale)
{
    bool part = arrays_quantity_scale(quantity) != quantity;
    *ramp = (struct arrays_ramp){ .theme = theme,
                                  .quantity = quantity,
                                  .statistic = statistic,
                                  .most = most,
                                  .pale = pale,
                                  .root = part && scale->kind == ARRAYS_SCALE_SHARED };
    for (int i = 0; i < ARRAYS_SHADES; i++)
        ramp->shades[i] =
            weft_ramp(theme, (pale ? 0.45 : 1) * (double)i / (ARRAYS_SHADES - 1));
}

weft_color arrays_faint(const struct weft_theme *theme, weft_color color)
{
    return towards(color, 0.28f, theme->panel);
}

weft_color arrays_circle_color(const struct arrays_ramp *ramp, double value)
{
    const double least =
        0.3; /* start of the ramp, so that the smallest value differs from the background */
    double place = least + (1 - least) * arrays_ramp_place(ramp, value);
    return ramp->shades[(int)(place * (ARRAYS_SHADES - 1) + 0.5)];
}

double arrays_circle(const struct arrays_ramp *ramp, double value, double side)
{
    double place = arrays_ramp_place(ramp, value), part = ramp->root ? place : sqrt(place);
    return value > 0 && ramp->most > 0 ? fmax(1.5, part * side * 0.86) : 0;
}

/* ---- Legends ---- */

const char *arrays_references_text(const struct arrays_question *q, double value,
                                   enum arrays_statistic statistic)
{
    return weft_arena_printf(q->arena, "%s reference%s%s", arrays_value_text(q, value),
                             value == 1 ? "" : "s",
                             statistic == ARRAYS_AVERAGE ? " a step" : "");
}

void arrays_legend_say(struct arrays_legend *legend, const struct arrays_question *q,
                       struct weft_swatch swatch, const char *label)
{
    (void)q;
    if (legend->n < ARRAYS_LEGEND_MAX) {
        legend->entries[legend->n] =
            (struct weft_legend_entry){ swatch, label, -1,
                                        (double)(ARRAYS_LEGEND_MAX - legend->n) };
        legend->n++;
    }
}

void arrays_legend_ramp(struct arrays_legend *legend, const struct arrays_question *q,
                        const struct arrays_ramp *ramp, const char *what)
{
    enum { STEPS = 4 };
    double last = -1;
    for (int i = 0; i <= STEPS; i++) {
        double part = (double)i / STEPS,
               value = ramp->most * (ramp->root ? part * part : part);
        if (ramp->statistic != ARRAYS_AVERAGE && ramp->most >= STEPS)
            value = floor(value + 0.5);
        if (value <= last || (i && ramp->most <= 0))
            continue;
        last = value;
        struct weft_swatch swatch = { .fill = arrays_ramp_color(ramp, value) };
        swatch.tone = swatch.fill;
        swatch.ink = weft_ink(swatch.fill);
        const char *text = i == STEPS ? arrays_references_text(q, value, ramp->statistic)
                                      : arrays_value_text(q, value);
        arrays_legend_say(legend, q, swatch,
                          i ? text
                            : weft_arena_printf(q->arena, "shade (%s, %s): %s", what,
                                                ramp->root ? "by square roots" : "linear",
                                                text));
    }
}

void arrays_legend_circle(struct arrays_legend *legend, const struct arrays_question *q,
                          const struct arrays_ramp *ramp, const char *what)
{
    struct weft_swatch swatch = { .fill = ramp->shades[ARRAYS_SHADES - 1] };
    swatch.tone = swatch.fill;
    swatch.ink = weft_ink(swatch.fill);
    if (ramp->most <= 0)
        return;
    const char *value = *what ? arrays_value_text(q, ramp->most)
                              : arrays_references_text(q, ramp->most, ramp->statistic);
    arrays_legend_say(
        legend, q, swatch,
        weft_arena_printf(q->arena, "%s circle: %s%s", *what ? what : "largest", value,
                          ramp->statistic == ARRAYS_CUMULATIVE ? " so far" : ""));
}

void arrays_legend_lit(struct arrays_legend *legend, const struct arrays_question *q)
{
    enum { NAMED = 4 };
    const struct weft_theme *theme = q->request->theme;
    const char *text = "";
    uint32_t n = 0;
    for (uint32_t p = 0; p < q->processors; p++)
        if (arrays_is_lit(q, p) && n++ < NAMED)
            text = weft_arena_printf(q->arena, "%s%s%u", text, n > 1 ? ", " : "", p);
    if (n)
        arrays_legend_say(legend, q,
                          (struct weft_swatch){ .fill = theme->accent,
                                                .tone = theme->accent,
                                                .ink = weft_ink(theme->accent) },
                          weft_arena_printf(q->arena, "lit: processor%s %s%s",
                                            n > 1 ? "s" : "", text, n > NAMED ? " …" : ""));
}

const char *arrays_counts_title(const struct arrays_question *q, const char *what,
                                enum arrays_statistic statistic,
                                const struct weft_reference_counts *counts)
{
    struct weft_arena *arena = q->arena;
    double all = (double)arrays_quantity_value(ARRAYS_ALL, counts);
    const char *text = weft_arena_printf(
        arena, "%s · %s: %s", what,
        arrays_steps_text(q, statistic == ARRAYS_STEP ? ARRAYS_STEP : ARRAYS_CUMULATIVE),
        arrays_references_text(q, all, ARRAYS_CUMULATIVE));
    if (statistic != ARRAYS_STEP)
        text = weft_arena_printf(
            arena, "%s · %s", text,
            arrays_references_text(q, all / arrays_divisor(q, ARRAYS_AVERAGE),
                                   ARRAYS_AVERAGE));
    if (!q->known)
        return text;
    const char *unowned = "";
    if (counts->unowned_reads)
        unowned = weft_arena_printf(arena, ", %s for nobody",
                                    arrays_value_text(q, (double)counts->unowned_reads));
    return weft_arena_printf(
        arena, "%s · reads: %s local, %s remote%s · writes: %s local, %s remote", text,
        arrays_value_text(q, (double)counts->local_reads),
        arrays_value_text(q, (double)counts->remote_reads), unowned,
        arrays_value_text(q, (double)counts->local_writes),
        arrays_value_text(q, (double)counts->remote_writes));
}
