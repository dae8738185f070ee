/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours.  They belong to meaning and to names: the same value has the same colour in
 * every view and every run.  The trace's own colour wins when it has one and the theme
 * shows hues; else values whose role is known have the colour of their role, other names
 * prefer a place in the palette by their hash.  Values of states that would look alike are
 * told apart, type by type and in the order of their names; values of one name, colour and
 * role look the same in all types.  Values of other types are told apart within their type.
 */
#ifndef WEFT_VIEW_PALETTE_H
#define WEFT_VIEW_PALETTE_H

#include "store/schema.h"
#include "view/scene.h"

enum weft_theme_name {
    WEFT_THEME_LIGHT,
    WEFT_THEME_DARK,
    WEFT_THEME_GREY,
    WEFT_THEME_MONO, /* black, white and hatches */
    WEFT_THEME_CVD,  /* safe for colour-blind eyes */
};

struct weft_theme {
    enum weft_theme_name name;
    weft_color page;  /* behind the panels */
    weft_color panel; /* a picture's background */
    weft_color text;
    weft_color quiet;  /* labels of axes, units; contrast at least 4.5 : 1 */
    weft_color grid;   /* thin lines behind the data */
    weft_color accent; /* selection and cursor, nothing else */
    weft_color busy, overhead, idle;
    weft_color empty; /* a row's time in no state */
    bool dark;
};

const struct weft_theme *weft_theme_get(enum weft_theme_name name);
/*
 * By what --theme says: light, dark, grey, mono, cvd.  False when there is no such theme.
 */
bool weft_theme_parse(const char *text, enum weft_theme_name *name);

struct weft_swatch {
    weft_color fill;
    weft_color tone; /* stands for it where no hatch can be drawn: columns of a pixel */
    weft_color ink;  /* black or white, whichever is readable on it */
    enum weft_hatch hatch; /* waiting and broken things, and everything in mono */
};

/*
 * The swatches of all values of a schema, in a given theme: array [n_values] in ARENA.
 * Values of a type that have no role or colour, beyond the ten (eight in cvd) of highest
 * rank, share lightness steps of grey.
 */
struct weft_swatch *weft_palette(struct weft_arena *arena, const struct weft_schema *schema,
                                 const struct weft_theme *theme);

/*
 * A trace's own colour (0: it has none) as far as it is of use: opaque, or 0 where the
 * theme has no hues, or where it is so near the panel's that nobody would see it.
 */
weft_color weft_given_color(const struct weft_theme *theme, uint32_t given);

/* The swatch of a role's values before similar ones are told apart. */
struct weft_swatch weft_role_swatch(const struct weft_theme *theme, enum weft_role role);

/* A colour for any name (containers, processors): stable, by hash. */
struct weft_swatch weft_name_swatch(const struct weft_theme *theme, const char *name);

/*
 * A colour for things that are known by their number (processing elements, ranks):
 * neighbours never look alike.  Beyond the palette its colours come again, lighter and
 * darker.
 */
struct weft_swatch weft_number_swatch(const struct weft_theme *theme, uint32_t number);

/*
 * The colour of lines and areas that have no hatch and are to be seen on a panel: COLOR, a
 * theme's, but the text's in black and white, where most colours are white and told apart
 * by hatches.
 */
weft_color weft_unhatched(const struct weft_theme *theme, weft_color color);

/* Black or white, whichever is readable on a colour. */
weft_color weft_ink(weft_color fill);

/* How light a colour is to the eye, 0 to 255: what it becomes in greyscale. */
unsigned weft_grey_level(weft_color color);

/* OKLab: where distances are as the eye sees them.  Lightness is 0 to 1. */
struct weft_oklab {
    double lightness, a, b;
};
struct weft_oklab weft_oklab(weft_color color);
weft_color
weft_oklab_color(struct weft_oklab lab); /* opaque; clipped to what screens show */

/*
 * One even ramp for amounts, 0 to 1, light to dark on light themes, dark to light on dark.
 */
weft_color weft_ramp(const struct weft_theme *theme, double amount);

/*
 * N colours for a quantity of which one wants to see what is alike and not only how much it
 * is, as time: many hues, in even steps, ever lighter.  Where a theme has no hues, or few
 * can be told apart, that of amounts.
 */
void weft_hue_ramp(const struct weft_theme *theme, weft_color *colors, size_t n);

/* Differences, -1 to 1: blue, near the background, red (brown for colour-blind eyes). */
weft_color weft_two_sided(const struct weft_theme *theme, double amount);

/*
 * Mix COUNT colours by WEIGHTS in linear light; weights that sum to less than 1 leave the
 * rest to BACKGROUND.
 */
weft_color weft_mix(const weft_color *colors, const float *weights, size_t count,
                    weft_color background);

/* Mixing many times with the same colours: linear light from tables. */
enum { WEFT_MIX_MOST = 32, WEFT_MIX_STEPS = 4096 };
struct weft_mixer {
    float light[WEFT_MIX_MOST][4]; /* red, green, blue, and 1: the sum of the weights */
    float background[4];
    uint8_t bytes[WEFT_MIX_STEPS];
};
void weft_mixer_init(struct weft_mixer *mixer, const struct weft_swatch *swatches,
                     size_t count, weft_color background);
/* WEIGHTS[count] times SCALE, together at most 1; what they lack to 1 is background. */
weft_color weft_mixer_mix(const struct weft_mixer *mixer, const float *weights,
                          size_t count, float scale);

#endif
