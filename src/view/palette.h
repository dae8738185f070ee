/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours belong to meanings and names: the same value has the same colour in every view
 * and every run.  The trace's own colour wins if it has one and the theme shows hues; else
 * values whose role is known have the colour of their role, and other names prefer that
 * colour of the palette which their hash selects.  Values of states that would look alike
 * are told apart, type by type and in the order of their names; values with the same name,
 * colour and role look the same in all types.  Values of events and links are told apart
 * within their type.
 */
#ifndef WEFT_VIEW_PALETTE_H
#define WEFT_VIEW_PALETTE_H

#include "store/schema.h"
#include "view/scene.h"

/* The themes that --theme and a request choose from. */
enum weft_theme_name {
    WEFT_THEME_LIGHT,
    WEFT_THEME_DARK,
    WEFT_THEME_GREY,
    WEFT_THEME_MONO, /* black, white and hatches */
    WEFT_THEME_CVD,  /* safe for colour-blind eyes */
};

/* The colours of a picture; each is 0xAARRGGBB. */
struct weft_theme {
    enum weft_theme_name name;
    weft_color page;  /* behind the panels */
    weft_color panel; /* a picture's background */
    weft_color text;
    weft_color quiet;                /* labels of axes, units; contrast at least 4.5 : 1 */
    weft_color grid;                 /* thin lines behind the data */
    weft_color accent;               /* selected things, the moment, the shown window */
    weft_color busy, overhead, idle; /* of values with these roles */
    weft_color empty;                /* a row's time in no state */
    bool dark;                       /* the panel is darker than the text */
};

/* Returns the theme NAME: a constant, not to be freed. */
const struct weft_theme *weft_theme_get(enum weft_theme_name name);
/*
 * Sets *NAME to the theme that TEXT names: light, dark, grey, mono or cvd.  Returns false,
 * *NAME unchanged, for another text.
 */
bool weft_theme_parse(const char *text, enum weft_theme_name *name);

/* How the area of a value, or another thing with a name, is painted. */
struct weft_swatch {
    weft_color fill;
    weft_color tone; /* replaces the fill where no hatch can be drawn: columns of a pixel */
    weft_color ink;  /* black or white, whichever is readable on the fill */
    enum weft_hatch hatch; /* waiting and broken things, and everything in mono */
};

/*
 * Returns the swatches of all values of a schema in a theme: an array [n_values] in ARENA.
 * In a type, values without role or colour beyond the ten (eight in cvd) of highest rank
 * share some steps of grey.
 */
struct weft_swatch *weft_palette(struct weft_arena *arena, const struct weft_schema *schema,
                                 const struct weft_theme *theme);

/*
 * Returns GIVEN, the colour that a trace itself gives to a value, opaque.  Returns 0 if
 * GIVEN is 0 (none), if the theme is neither light nor dark, or if the colour is too near
 * that of the panel (the picture's background) to be seen.
 */
weft_color weft_given_color(const struct weft_theme *theme, uint32_t given);

/*
 * Returns a role's usual swatch, or that of the nearest more general role that has one,
 * else a colour by the role's name; weft_palette() varies it to tell similar values apart.
 */
struct weft_swatch weft_role_swatch(const struct weft_theme *theme, enum weft_role role);

/* Returns a colour for any name (containers, processors): stable, by hash. */
struct weft_swatch weft_name_swatch(const struct weft_theme *theme, const char *name);

/*
 * Returns a colour for a numbered thing (processing element, rank): neighbours never look
 * alike.  Beyond the ten colours of the palette (eight in cvd) they come again, in three
 * lighter and darker sets; then all repeat.
 */
struct weft_swatch weft_number_swatch(const struct weft_theme *theme, uint32_t number);

/*
 * Returns the colour for lines and areas without a hatch on a panel: COLOR, one of the
 * theme's; in WEFT_THEME_MONO that of texts, since most colours of that theme are white.
 */
weft_color weft_unhatched(const struct weft_theme *theme, weft_color color);

/* Returns black or white, whichever is readable on a colour. */
weft_color weft_ink(weft_color fill);

/* Returns how light a colour is to the eye, 0 to 255: its value in greyscale. */
unsigned weft_grey_level(weft_color color);

/* A colour in the space OKLab, where distances are perceptual.  Lightness is 0 to 1. */
struct weft_oklab {
    double lightness, a, b;
};
/* Converts a colour, whose alpha is ignored, to OKLab. */
struct weft_oklab weft_oklab(weft_color color);
/* Converts a colour of OKLab to an opaque one; what sRGB cannot show is clipped. */
weft_color weft_oklab_color(struct weft_oklab lab);

/*
 * Returns the colour for AMOUNT, 0 to 1 (clamped), on an even ramp: light to dark on light
 * themes, dark to light on dark ones; 0 is near the panel's colour, in WEFT_THEME_CVD it is
 * yellow.
 */
weft_color weft_ramp(const struct weft_theme *theme, double amount);

/*
 * Sets COLORS[0] to COLORS[N - 1] for the least to the greatest of a quantity such as time,
 * where equal values are to be recognised: many hues in even steps, ever lighter.  In
 * themes other than light and dark, the visible part of weft_ramp().
 */
void weft_hue_ramp(const struct weft_theme *theme, weft_color *colors, size_t n);

/*
 * Returns the colour for AMOUNT, a difference from -1 to 1 (clamped): -1 is blue, 0 near
 * the background, 1 red (brown in WEFT_THEME_CVD).  In the themes grey and mono -1 is
 * nearly white, 0 a grey and 1 nearly black.
 */
weft_color weft_two_sided(const struct weft_theme *theme, double amount);

/*
 * Returns the opaque mix of COUNT colours by WEIGHTS in linear light; if the weights sum to
 * less than 1, BACKGROUND has the rest to 1.
 */
weft_color weft_mix(const weft_color *colors, const float *weights, size_t count,
                    weft_color background);

/* Most colours of a struct weft_mixer, and entries of its table of bytes. */
enum { WEFT_MIX_MAX = 32, WEFT_MIX_STEPS = 4096 };
/*
 * Tables of linear light, to mix the same colours many times: a faster weft_mix().
 * weft_mixer_init() fills them.
 */
struct weft_mixer {
    float light[WEFT_MIX_MAX][4]; /* red, green, blue, and 1: sums the weights */
    float background[4];
    uint8_t bytes[WEFT_MIX_STEPS]; /* sRGB, for linear light i / (WEFT_MIX_STEPS - 1) */
};
/*
 * Fills MIXER for the fills of COUNT swatches, of which those beyond WEFT_MIX_MAX are left
 * out, and for the colour BACKGROUND.  Nothing is to be freed.
 */
void weft_mixer_init(struct weft_mixer *mixer, const struct weft_swatch *swatches,
                     size_t count, weft_color background);
/*
 * Returns the mix, in linear light, of the first COUNT fills of weft_mixer_init() (at most
 * WEFT_MIX_MAX), each with the share WEIGHTS[i] * SCALE.  The background has the rest to 1;
 * shares whose sum exceeds 1 are scaled down to it.
 */
weft_color weft_mixer_mix(const struct weft_mixer *mixer, const float *weights,
                          size_t count, float scale);

#endif
