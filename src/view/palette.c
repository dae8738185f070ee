/* SPDX-License-Identifier: Apache-2.0 */
#include "view/palette.h"

#include <math.h>
#include <string.h>

static const struct weft_theme themes[] = {
    { WEFT_THEME_LIGHT, 0xfff6f7f9, 0xffffffff, 0xff1d2330, 0xff6b7484, 0xffe6e9ee,
      0xff2f6fde, 0xff3f9f68, 0xfff4cf52, 0xff9e2036, 0xfff0f2f5, false },
    { WEFT_THEME_DARK, 0xff14171f, 0xff1b1f2a, 0xffdfe5f0, 0xff8d97a9, 0xff2a303e,
      0xff7aa8ff, 0xff4bb87c, 0xfff7d960, 0xffc23b4e, 0xff222734, true },
    { WEFT_THEME_GREY, 0xfff7f7f7, 0xffffffff, 0xff222222, 0xff707070, 0xffe6e6e6,
      0xff404040, 0xff8c8c8c, 0xffd0d0d0, 0xff404040, 0xfff2f2f2, false },
    { WEFT_THEME_MONO, 0xffffffff, 0xffffffff, 0xff000000, 0xff555555, 0xffdddddd,
      0xff000000, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, false },
    { WEFT_THEME_CVD, 0xfff6f7f9, 0xffffffff, 0xff1d2330, 0xff6b7484, 0xffe6e9ee,
      0xff2f6fde, 0xff4b86c6, 0xfff2d678, 0xff7a2d0c, 0xfff0f2f5, false },
};

const struct weft_theme *weft_theme_get(enum weft_theme_name name)
{
    return &themes[name];
}

bool weft_theme_parse(const char *text, enum weft_theme_name *name)
{
    static const char *const names[] = { "light", "dark", "grey", "mono", "cvd" };
    for (int i = 0; i < 5; i++)
        if (strcmp(text, names[i]) == 0) {
            *name = (enum weft_theme_name)i;
            return true;
        }
    return false;
}

static double linear_of(unsigned byte)
{
    double x = byte / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static unsigned byte_of(double linear)
{
    double x = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return x <= 0 ? 0 : x >= 1 ? 255 : (unsigned)(x * 255 + 0.5);
}

static double luminance(weft_color c)
{
    return 0.2126 * linear_of(c >> 16 & 255) + 0.7152 * linear_of(c >> 8 & 255)
           + 0.0722 * linear_of(c & 255);
}

weft_color weft_unhatched(const struct weft_theme *theme, weft_color color)
{
    return theme->name == WEFT_THEME_MONO ? theme->text : color;
}

weft_color weft_ink(weft_color fill)
{
    double light = luminance(fill);
    /* The contrast with black is (L + 0.05) / 0.05, with white 1.05 / (L + 0.05). */
    return (light + 0.05) * (light + 0.05) > 1.05 * 0.05 ? 0xff000000 : 0xffffffff;
}

unsigned weft_grey_level(weft_color color)
{
    return byte_of(luminance(color));
}

/* Ottosson 2020, "A perceptual color space for image processing". */
struct weft_oklab weft_oklab(weft_color color)
{
    double r = linear_of(color >> 16 & 255), g = linear_of(color >> 8 & 255);
    double b = linear_of(color & 255);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return (struct weft_oklab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                                1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                                0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

weft_color weft_oklab_color(struct weft_oklab lab)
{
    double l = lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b;
    double m = lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b;
    double s = lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return 0xff000000u
           | byte_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16
           | byte_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8
           | byte_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

/* Convert back to bytes by a table: pow() is too slow for each pixel. */
weft_color weft_mix(const weft_color *colors, const float *weights, size_t count,
                    weft_color background)
{
    double r = 0, g = 0, b = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        r += (double)weights[i] * linear_of(colors[i] >> 16 & 255);
        g += (double)weights[i] * linear_of(colors[i] >> 8 & 255);
        b += (double)weights[i] * linear_of(colors[i] & 255);
        sum += (double)weights[i];
    }
    double rest = sum < 1 ? 1 - sum : 0;
    r += rest * linear_of(background >> 16 & 255);
    g += rest * linear_of(background >> 8 & 255);
    b += rest * linear_of(background & 255);
    return 0xff000000u | byte_of(r) << 16 | byte_of(g) << 8 | byte_of(b);
}

void weft_mixer_init(struct weft_mixer *mixer, const struct weft_swatch *swatches,
                     size_t count, weft_color background)
{
    memset(mixer, 0, sizeof *mixer);
    for (size_t i = 0; i < count && i < WEFT_MIX_MAX; i++) {
        mixer->light[i][0] = (float)linear_of(swatches[i].fill >> 16 & 255);
        mixer->light[i][1] = (float)linear_of(swatches[i].fill >> 8 & 255);
        mixer->light[i][2] = (float)linear_of(swatches[i].fill & 255);
        mixer->light[i][3] = 1;
    }
    for (int c = 0; c < 3; c++)
        mixer->background[c] = (float)linear_of(background >> (16 - 8 * c) & 255);
    for (int i = 0; i < WEFT_MIX_STEPS; i++)
        mixer->bytes[i] = (uint8_t)byte_of((double)i / (WEFT_MIX_STEPS - 1));
}

weft_color weft_mixer_mix(const struct weft_mixer *mixer, const float *weights,
                          size_t count, float scale)
{
    float light[4] = { 0 };
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 4; c++) /* four at once: one vector instruction */
            light[c] += weights[i] * mixer->light[i][c];
    float sum = light[3] * scale, rest = sum < 1 ? 1 - sum : 0;
    scale = sum > 1 ? scale / sum : scale;
    weft_color color = 0xff;
    for (int c = 0; c < 3; c++) {
        float x = light[c] * scale + rest * mixer->background[c];
        /* A damaged store's share may be below 0, huge, or not a number. */
        x = x > 0 ? x : 0;
        x = x < 1 ? x : 1;
        int step = (int)(x * (WEFT_MIX_STEPS - 1) + 0.5f);
        color = color << 8 | mixer->bytes[step];
    }
    return color;
}

/* ---- Amounts ---- */

static weft_color blend(const weft_color *stops, size_t n, double amount)
{
    double at = amount * (double)(n - 1);
    size_t i = at >= (double)(n - 1) ? n - 2 : (size_t)at;
    double part = at - (double)i;
    weft_color out = 0xff;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double a = stops[i] >> shift & 255, b = stops[i + 1] >> shift & 255;
        out = out << 8 | (unsigned)(a + part * (b - a) + 0.5);
    }
    return out;
}

weft_color weft_ramp(const struct weft_theme *theme, double amount)
{
    /* Steps of even lightness; like cividis for colour-blind eyes. */
    static const weft_color light[] = { 0xffeef3fa, 0xffb5cce8, 0xff739fd0, 0xff3b6fae,
                                        0xff1b3f75 };
    static const weft_color dark[] = { 0xff1f2a3d, 0xff2c4c7c, 0xff4375b8, 0xff7aa6de,
                                       0xffcfe1f7 };
    static const weft_color safe[] = { 0xfffee838, 0xffbcaf6f, 0xff7c7b78, 0xff434e6c,
                                       0xff00204d };
    static const weft_color grey[] = { 0xfff0f0f0, 0xff303030 };
    amount = amount > 0 ? amount < 1 ? amount : 1 : 0;
    switch (theme->name) {
    case WEFT_THEME_DARK: return blend(dark, 5, amount);
    case WEFT_THEME_CVD: return blend(safe, 5, amount);
    case WEFT_THEME_GREY:
    case WEFT_THEME_MONO: return blend(grey, 2, amount);
    case WEFT_THEME_LIGHT: break;
    }
    return blend(light, 5, amount);
}

weft_color weft_two_sided(const struct weft_theme *theme, double amount)
{
    static const weft_color light[] = { 0xff2155a3, 0xff8fb3dd, 0xffe4e7ec, 0xffe79b8c,
                                        0xffb1262a };
    static const weft_color dark[] = { 0xff6ea8ff, 0xff3f64a0, 0xff333a49, 0xffa04a3f,
                                       0xffff7a66 };
    static const weft_color safe[] = { 0xff1f4ea8, 0xff8fb3e6, 0xffe8e8e8, 0xffc9a36b,
                                       0xff7a4a12 };
    /* Without hues, "less" is lighter than "equal", and "more" is darker. */
    static const weft_color grey[] = { 0xfff8f8f8, 0xffd4d4d4, 0xffa8a8a8, 0xff686868,
                                       0xff101010 };
    double at = amount < -1 ? 0 : amount > 1 ? 1 : (amount + 1) / 2;
    switch (theme->name) {
    case WEFT_THEME_DARK: return blend(dark, 5, at);
    case WEFT_THEME_CVD: return blend(safe, 5, at);
    case WEFT_THEME_GREY:
    case WEFT_THEME_MONO: return blend(grey, 5, at);
    case WEFT_THEME_LIGHT: break;
    }
    return blend(light, 5, at);
}
