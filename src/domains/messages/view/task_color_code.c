/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/task_color_code.h"

#include <math.h>

/* Hues in equal steps of OKLab, of a lightness that is seen on the panel. */
struct weft_task_colors weft_task_colors_make(const struct weft_theme *theme)
{
    const double chroma = 0.14;
    struct weft_task_colors made = { .theme = theme };
    if (theme->name != WEFT_THEME_LIGHT && theme->name != WEFT_THEME_DARK) {
        weft_hue_ramp(theme, made.colors, WEFT_TASK_COLORS);
        return made;
    }
    for (int i = 0; i < WEFT_TASK_COLORS; i++) {
        double hue = 2 * M_PI * i / WEFT_TASK_COLORS;
        double lightness = (theme->dark ? 0.75 : 0.6) + (i % 2 ? 0.08 : -0.08);
        made.colors[i] = weft_oklab_color(
            (struct weft_oklab){ lightness, chroma * cos(hue), chroma * sin(hue) });
    }
    return made;
}

struct weft_swatch weft_task_swatch(const struct weft_task_colors *colors, int64_t number)
{
    enum { STRIDE = 8 };
    uint64_t n = (uint64_t)number % WEFT_TASK_COLORS;
    weft_color color = colors->colors[n % STRIDE * STRIDE + n / STRIDE];
    struct weft_swatch swatch = { color, color, weft_ink(color), WEFT_HATCH_NONE };
    if (colors->theme->name == WEFT_THEME_MONO) {
        const double palest = 0.15; /* neighbours are three of the eight steps apart */
        swatch.tone = weft_ramp(
            colors->theme,
            palest + (1 - palest) * (double)(n * 3 % WEFT_HATCHES) / (WEFT_HATCHES - 1));
        swatch.fill = colors->theme->panel;
        swatch.ink = colors->theme->text;
        swatch.hatch = (enum weft_hatch)(n % WEFT_HATCHES);
    }
    return swatch;
}

bool weft_task_at(const struct weft_processors *processors, uint32_t index, int64_t time,
                  int64_t *number)
{
    const struct weft_source *source = processors->source;
    uint32_t track = processors->processors[index].task_track;
    struct weft_innermost inner;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    if (track == WEFT_NONE)
        return false;
    source->ops->values_at(source, &track, 1, time, &inner);
    if (inner.id == WEFT_NO_ID)
        return false;
    size_t n = source->ops->fields(source, inner.id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *field = weft_field_with_role(
        source->schema, fields, n, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
    if (field)
        *number = field->integer;
    return field != NULL;
}
