/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ramp with many hues: through OKLab, from violet over blue, green and yellow to red,
 * ever lighter, so that it is ordered also without hues.  Chroma is as high as screens can
 * show at each point; steps along the ramp are made equal afterwards.
 */
#include <math.h>

#include "view/palette.h"

enum { POINTS = 512 };

/* Radians: from violet to red, against the order of hues. */
#define FIRST_HUE  5.24
#define LAST_HUE   0.44
#define MAX_CHROMA 0.16

static double distance(struct weft_oklab a, struct weft_oklab b)
{
    return sqrt((a.lightness - b.lightness) * (a.lightness - b.lightness)
                + (a.a - b.a) * (a.a - b.a) + (a.b - b.b) * (a.b - b.b));
}

/* Returns the colour of highest chroma of a lightness and hue that is not clipped. */
static struct weft_oklab colorful(double lightness, double hue)
{
    const double slight = 0.006; /* a difference that rounding to bytes makes */
    struct weft_oklab lab = { .lightness = lightness };
    for (double chroma = MAX_CHROMA; chroma > 0; chroma -= 0.004) {
        lab.a = chroma * cos(hue);
        lab.b = chroma * sin(hue);
        if (distance(lab, weft_oklab(weft_oklab_color(lab))) < slight)
            break;
    }
    return lab;
}

void weft_hue_ramp(const struct weft_theme *theme, weft_color *colors, size_t n)
{
    double length[POINTS] = { 0 }, low = theme->dark ? 0.48 : 0.36;
    double high = theme->dark ? 0.92 : 0.84;
    struct weft_oklab points[POINTS];
    bool hues = theme->name == WEFT_THEME_LIGHT || theme->name == WEFT_THEME_DARK;
    for (int i = 0; i < POINTS && hues; i++) {
        double t = (double)i / (POINTS - 1);
        points[i] =
            colorful(low + t * (high - low), FIRST_HUE + t * (LAST_HUE - FIRST_HUE));
        if (i)
            length[i] = length[i - 1] + distance(points[i - 1], points[i]);
    }
    for (size_t i = 0, at = 0; i < n; i++) {
        double amount = n > 1 ? (double)i / (double)(n - 1) : 0;
        /*
         * The ramp of amounts begins with the background's colour: leave out its invisible
         * part.
         */
        colors[i] = weft_ramp(theme, 0.16 + 0.84 * amount);
        if (!hues)
            continue;
        while (at + 2 < POINTS && length[at + 1] < amount * length[POINTS - 1])
            at++;
        double step = length[at + 1] - length[at];
        double part = step > 0 ? (amount * length[POINTS - 1] - length[at]) / step : 0;
        struct weft_oklab a = points[at], b = points[at + 1];
        colors[i] = weft_oklab_color(
            (struct weft_oklab){ a.lightness + part * (b.lightness - a.lightness),
                                 a.a + part * (b.a - a.a), a.b + part * (b.b - a.b) });
    }
}
