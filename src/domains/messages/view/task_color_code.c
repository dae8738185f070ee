/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/task_color_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Task n has the colour (n % 8) * 8 + n / 8 of a rainbow: hues in equal steps of OKLab. */
static void fill_rainbow(struct weft_task_colors *colors)
{
    enum { STRIDE = 8 };
    const double chroma = 0.14;
    const struct weft_theme *theme = colors->theme;
    weft_color rainbow[WEFT_TASK_COLORS];
    if (theme->name != WEFT_THEME_LIGHT && theme->name != WEFT_THEME_DARK)
        weft_hue_ramp(theme, rainbow, WEFT_TASK_COLORS);
    else
        for (int i = 0; i < WEFT_TASK_COLORS; i++) {
            double hue = 2 * M_PI * i / WEFT_TASK_COLORS;
            double lightness = (theme->dark ? 0.75 : 0.6) + (i % 2 ? 0.08 : -0.08);
            rainbow[i] = weft_oklab_color(
                (struct weft_oklab){ lightness, chroma * cos(hue), chroma * sin(hue) });
        }
    for (int n = 0; n < WEFT_TASK_COLORS; n++)
        colors->colors[n] = rainbow[n % STRIDE * STRIDE + n / STRIDE];
}

/* Parses a number up to MOST at *TEXT, with a blank or the end of the line behind it. */
static bool read_number(const char **text, unsigned long most, unsigned long *number)
{
    *text += strspn(*text, " \t\r");
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return *number <= most && (!*end || strchr(" \t\r\n", *end));
}

static bool read_line(struct weft_task_colors *colors, const char *text, unsigned line,
                      struct weft_err *err)
{
    unsigned long number, rgb[3];
    text += strspn(text, " \t\r");
    if (!*text || *text == '\n' || *text == '#')
        return true;
    bool ok = read_number(&text, WEFT_TASK_COLORS - 1, &number);
    for (int i = 0; ok && i < 3; i++)
        ok = read_number(&text, 255, &rgb[i]);
    text += ok ? strspn(text, " \t\r") : 0;
    if (!ok || (*text && *text != '\n'))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "line %u of the colors is not a number, 0 to 63, and red, green "
                         "and blue, 0 to 255",
                         line);
    if (colors->theme->name == WEFT_THEME_LIGHT || colors->theme->name == WEFT_THEME_DARK)
        colors->colors[number] =
            0xff000000u | (weft_color)(rgb[0] << 16 | rgb[1] << 8 | rgb[2]);
    return true;
}

bool weft_task_colors_make(struct weft_task_colors *colors, const struct weft_theme *theme,
                           const char *setting, struct weft_err *err)
{
    colors->theme = theme;
    fill_rainbow(colors);
    if (strcmp(setting, "rainbow") == 0)
        return true;
    for (unsigned line = 1; *setting; line++) {
        if (!read_line(colors, setting, line, err))
            return false;
        setting += strcspn(setting, "\n");
        setting += *setting == '\n';
    }
    return true;
}

struct weft_swatch weft_task_swatch(const struct weft_task_colors *colors, int64_t number)
{
    uint64_t n = (uint64_t)number % WEFT_TASK_COLORS;
    weft_color color = colors->colors[n];
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
