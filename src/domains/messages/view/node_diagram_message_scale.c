/* SPDX-License-Identifier: Apache-2.0 */
/* Scales: steps of numbers of messages, and the colour and width of each step. */
#include <inttypes.h>
#include <math.h>

#include "domains/messages/view/node_diagram.h"

struct diagram_scale diagram_scale_make(uint64_t low, uint64_t high, bool open)
{
    struct diagram_scale scale = { .n = 0, .most = open ? UINT64_MAX : high };
    /*
     * The last step of an open scale begins at HIGH.  A closed scale has equal ratios up to
     * HIGH, so that numbers little below HIGH look like it.
     */
    double ratio = ((double)high + !open) / (double)low, n = DIAGRAM_STEPS - open;
    for (uint32_t i = 0; i < DIAGRAM_STEPS; i++) {
        uint64_t edge = (uint64_t)llround((double)low * pow(ratio, (double)i / n));
        /* Each step holds at least one number. */
        if (i && edge <= scale.edges[i - 1])
            edge = scale.edges[i - 1] + 1;
        if (edge > high)
            break;
        scale.edges[scale.n++] = edge;
    }
    return scale;
}

struct diagram_scale diagram_scale_fit(uint64_t low, uint64_t high)
{
    const uint64_t about = 16; /* up to this ratio the steps have equal widths */
    struct diagram_scale scale = { .n = 0, .most = high };
    if (high / about > low)
        return diagram_scale_make(1, high, false);
    for (uint32_t i = 0; i < DIAGRAM_STEPS; i++) {
        uint64_t edge =
            1 + high / DIAGRAM_STEPS * i + high % DIAGRAM_STEPS * i / DIAGRAM_STEPS;
        if (!i || edge > scale.edges[scale.n - 1])
            scale.edges[scale.n++] = edge;
    }
    return scale;
}

struct diagram_scale diagram_arc_scale(const struct diagram_arc *arcs, size_t n)
{
    uint64_t low = n ? arcs[0].there + arcs[0].back : 1;
    uint64_t high = n ? arcs[n - 1].there + arcs[n - 1].back : 1;
    struct diagram_scale scale = diagram_scale_fit(low, high);
    scale.lines = n;
    return scale;
}

uint32_t diagram_step(const struct diagram_scale *scale, uint64_t count)
{
    uint32_t step = 0;
    while (step + 1 < scale->n && scale->edges[step + 1] <= count)
        step++;
    return step;
}

const char *diagram_step_text(const struct diagram_scale *scale, uint32_t step,
                              struct weft_arena *arena)
{
    bool last = step + 1 == scale->n;
    const char *from = weft_number_text(arena, (double)scale->edges[step], 0);
    uint64_t to = last ? scale->most : scale->edges[step + 1] - 1;
    if (to == scale->edges[step])
        return from;
    if (to == UINT64_MAX)
        return weft_arena_printf(arena, "%s or more", from);
    return weft_arena_printf(arena, "%s to %s", from,
                             weft_number_text(arena, (double)to, 0));
}

static double part(const struct diagram_scale *scale, uint32_t step)
{
    return scale->n > 1 ? (double)step / (scale->n - 1) : 0;
}

/* Interpolates between the two nearest of N colours, in Oklab. */
static weft_color between(const weft_color *stops, size_t n, double at)
{
    double place = at * (double)(n - 1);
    size_t i = place >= (double)(n - 1) ? n - 2 : (size_t)place;
    double t = place - (double)i;
    struct weft_oklab a = weft_oklab(stops[i]), b = weft_oklab(stops[i + 1]);
    return weft_oklab_color(
        (struct weft_oklab){ a.lightness + t * (b.lightness - a.lightness),
                             a.a + t * (b.a - a.a), a.b + t * (b.b - a.b) });
}

weft_color diagram_heat(const struct weft_theme *theme, const struct diagram_scale *scale,
                        uint32_t step)
{
    /* From blue to red; the lightness of each set suits its panel. */
    static const weft_color light[] = { 0xff3f73c4, 0xff3a9fae, 0xffd2a62c, 0xffe0732a,
                                        0xffb91f2b };
    static const weft_color dark[] = { 0xff5c90e6, 0xff4fc0c8, 0xfff0cc50, 0xfff59145,
                                       0xfff04a50 };
    static const weft_color cvd[] = { 0xff3554b4, 0xffa5aeea, 0xffe3b84e, 0xff7a2d0c };
    double at = part(scale, step);
    switch (theme->name) {
    case WEFT_THEME_MONO: return theme->text;
    case WEFT_THEME_GREY: return weft_ramp(theme, 0.3 + 0.7 * at);
    case WEFT_THEME_CVD: return between(cvd, sizeof cvd / sizeof *cvd, at);
    default: break;
    }
    return theme->dark ? between(dark, sizeof dark / sizeof *dark, at)
                       : between(light, sizeof light / sizeof *light, at);
}

double diagram_width(const struct weft_theme *theme, const struct diagram_scale *scale,
                     uint32_t step)
{
    /* Up to this many lines fit at full width into a picture of usual size. */
    const double enough = 150;
    bool hueless = theme->name == WEFT_THEME_MONO || theme->name == WEFT_THEME_GREY;
    double wide = 1 + part(scale, step) * (hueless ? 6 : 2);
    double room = fmin(1, enough / fmax(1, (double)scale->lines));
    return fmax(0.3, wide * (hueless ? room : sqrt(room)));
}

size_t diagram_scale_legend(const struct weft_theme *theme,
                            const struct diagram_scale *scale, const bool *used,
                            struct weft_arena *arena, struct weft_legend_entry *out)
{
    size_t n = 0;
    for (uint32_t step = scale->n; step-- > 0;) {
        if (!used[step])
            continue;
        const char *text = diagram_step_text(scale, step, arena);
        if (theme->name == WEFT_THEME_MONO)
            text = weft_arena_printf(arena, "%.1f px: %s",
                                     diagram_width(theme, scale, step), text);
        out[n] = (struct weft_legend_entry){
            { .fill = diagram_heat(theme, scale, step) }, text, -1, 1000 + step
        };
        n++;
    }
    if (n) /* the first entry has the unit */
        out[0].label = weft_arena_printf(arena, "%s message%s", out[0].label,
                                         scale->most == 1 ? "" : "s");
    return n;
}
