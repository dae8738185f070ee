/* SPDX-License-Identifier: Apache-2.0 */
#include "view/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/map.h"

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

/* Mixing and light come back to bytes through a table: pow() is for making it only. */
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
    for (size_t i = 0; i < count && i < WEFT_MIX_MOST; i++) {
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
        /* What a damaged store calls a share may be below 0, huge, or not a number. */
        x = x > 0 ? x : 0;
        x = x < 1 ? x : 1;
        int step = (int)(x * (WEFT_MIX_STEPS - 1) + 0.5f);
        color = color << 8 | mixer->bytes[step];
    }
    return color;
}

/* ---- Categories ---- */

static const weft_color ten[10] = { 0xff3b76b8, 0xffe8853a, 0xff4f9d5d, 0xffc44e56,
                                    0xff8466b3, 0xff8f6a55, 0xffd98bc0, 0xff8a8f98,
                                    0xffb7b63c, 0xff3fb0c0 };
static const weft_color eight[8] = { 0xff3554b4, 0xffee8c39, 0xff42f2c6, 0xff933161,
                                     0xffa5aeea, 0xffbd5534, 0xff5085f5, 0xff9f809c };

enum role {
    ROLE_NONE,
    ROLE_BUSY,
    ROLE_OVERHEAD,
    ROLE_IDLE,
    ROLE_WAIT,
    ROLE_FREE,
    ROLE_HELD
};

/*
 * Names that the field knows.  ParaGraph's traffic lights: busy green, overhead yellow, idle
 * red; waiting is idle, each kind of it in a shade of its own, hatched.  The first that
 * matches counts, in capitals or not: of two that begin alike the longer stands first.
 */
static const struct {
    const char *name;
    bool prefix;
    enum role role;
    weft_color light, dark;
} known[] = {
    { "running", false, ROLE_BUSY, 0, 0 },
    { "busy", false, ROLE_BUSY, 0, 0 },
    { "computing", false, ROLE_BUSY, 0, 0 },
    { "overhead", false, ROLE_OVERHEAD, 0, 0 },
    { "idle", false, ROLE_IDLE, 0, 0 },
    { "blocked on mutex", true, ROLE_WAIT, 0xff9e2036, 0xffc23b4e },
    { "blocked on condition", true, ROLE_WAIT, 0xffd0803a, 0xffd98c48 },
    { "blocked on semaphore", true, ROLE_WAIT, 0xff8466b3, 0xff9a7fc8 },
    { "blocked on barrier", true, ROLE_WAIT, 0xff3b76b8, 0xff5590d0 },
    { "blocked on join", true, ROLE_WAIT, 0xff8a8f98, 0xff9aa0aa },
    { "blocked on read-write", true, ROLE_WAIT, 0xffb8506a, 0xffcc6880 },
    { "blocked on spin", true, ROLE_WAIT, 0xffc44e56, 0xffd0636b },
    { "blocked", true, ROLE_WAIT, 0xff9e2036, 0xffc23b4e },
    { "would block", false, ROLE_OVERHEAD, 0, 0 },
    { "sleeping", true, ROLE_WAIT, 0xffb0b5bd, 0xff6b7484 },
    { "free", false, ROLE_FREE, 0xffdde2ea, 0xff333a49 },
    { "open", false, ROLE_BUSY, 0, 0 },
    { "held, others blocked", false, ROLE_WAIT, 0xffc8602a, 0xffd9783a },
    { "held", false, ROLE_HELD, 0xfff4cf52, 0xfff7d960 },
    { "MPI_Recv", false, ROLE_WAIT, 0xff9e2036, 0xffc23b4e },
    { "MPI_Sendrecv", true, ROLE_WAIT, 0xffb8506a, 0xffcc6880 },
    { "MPI_Wait", true, ROLE_WAIT, 0xffd0803a, 0xffd98c48 },
    { "MPI_Barrier", true, ROLE_WAIT, 0xff3b76b8, 0xff5590d0 },
    { "MPI_Probe", true, ROLE_WAIT, 0xff8a8f98, 0xff9aa0aa },
    { "MPI_Iprobe", true, ROLE_OVERHEAD, 0, 0 },
    { "MPI_Test", true, ROLE_HELD, 0xffd9b13b, 0xffe6c35a },
    { "MPI_Send", false, ROLE_HELD, 0xfff4cf52, 0xfff7d960 },
    { "MPI_Ssend", true, ROLE_HELD, 0xffe0a838, 0xffe8b850 },
    { "MPI_Isend", true, ROLE_HELD, 0xfff6dd8a, 0xfff2dd98 },
    { "MPI_Irecv", true, ROLE_HELD, 0xffe8b9a0, 0xffe0b09a },
    { "MPI_Bcast", true, ROLE_NONE, 0xff8466b3, 0xff9a7fc8 },
    { "MPI_Reduce", true, ROLE_NONE, 0xff3fb0c0, 0xff55c0d0 },
    { "MPI_Allreduce", true, ROLE_NONE, 0xff2f7f9f, 0xff4a98b8 },
    { "MPI_Gather", true, ROLE_NONE, 0xffd98bc0, 0xffe09ccb },
    { "MPI_Allgather", true, ROLE_NONE, 0xffb35f97, 0xffc476aa },
    { "MPI_Scatter", true, ROLE_NONE, 0xffa5aeea, 0xffb4bcf0 },
    { "MPI_Alltoall", true, ROLE_NONE, 0xff5f4a9c, 0xff7a66b8 },
    { "MPI_Init", true, ROLE_NONE, 0xff8f6a55, 0xffa47e68 },
    { "MPI_Finalize", true, ROLE_NONE, 0xff6b5346, 0xff866a5a },
    { "MPI_", true, ROLE_HELD, 0xffb7b63c, 0xffc8c755 },
};

static bool matches(size_t i, const char *name)
{
    size_t n = strlen(known[i].name);
    if (strncasecmp(name, "PMPI_", 5) == 0)
        name++; /* the same call by its profiling name */
    return known[i].prefix ? strncasecmp(name, known[i].name, n) == 0
                           : strcasecmp(name, known[i].name) == 0;
}

static unsigned grey_level(weft_color color)
{
    return byte_of(luminance(color));
}

static weft_color to_grey(weft_color color)
{
    unsigned level = grey_level(color);
    return (color & 0xff000000u) | level << 16 | level << 8 | level;
}

enum { KNOWN = 1000 }; /* places from here on: names that the field knows */

weft_color weft_ink(weft_color fill)
{
    double light = luminance(fill);
    /* The contrast with black is (L + 0.05) / 0.05, with white 1.05 / (L + 0.05). */
    return (light + 0.05) * (light + 0.05) > 1.05 * 0.05 ? 0xff000000 : 0xffffffff;
}

/* Give a colour the theme's looks, and an ink that can be read on it. */
static struct weft_swatch dress(const struct weft_theme *theme, weft_color color, bool wait,
                                unsigned place)
{
    static const enum weft_hatch hatches[] = { WEFT_HATCH_NONE, WEFT_HATCH_DOTS,
                                               WEFT_HATCH_DIAGONAL, WEFT_HATCH_CROSS };
    struct weft_swatch swatch = { .fill = color,
                                  .hatch = wait ? WEFT_HATCH_DIAGONAL : WEFT_HATCH_NONE };
    if (theme->name == WEFT_THEME_GREY && place < KNOWN) {
        /* Hues of one lightness would look alike: five steps of grey, then hatches. */
        unsigned level = 70 + place % 5 * 37;
        swatch.fill = 0xff000000u | level << 16 | level << 8 | level;
        swatch.hatch = hatches[place / 5 % 4];
    } else if (theme->name == WEFT_THEME_GREY) {
        swatch.fill = to_grey(color);
    }
    if (theme->name == WEFT_THEME_MONO) {
        /* Black or white, and a hatch; diagonals on white are for waiting. */
        static const struct {
            weft_color fill;
            enum weft_hatch hatch;
        } looks[] = {
            { 0xffffffffu, WEFT_HATCH_NONE },    { 0xff000000u, WEFT_HATCH_NONE },
            { 0xffffffffu, WEFT_HATCH_DOTS },    { 0xff000000u, WEFT_HATCH_DOTS },
            { 0xffffffffu, WEFT_HATCH_CROSS },   { 0xff000000u, WEFT_HATCH_CROSS },
            { 0xff000000u, WEFT_HATCH_DIAGONAL }
        };
        swatch.fill = wait ? 0xffffffffu : looks[place % KNOWN % 7].fill;
        swatch.hatch = wait ? WEFT_HATCH_DIAGONAL : looks[place % KNOWN % 7].hatch;
    }
    swatch.ink = weft_ink(swatch.fill);
    return swatch;
}

static bool known_swatch(const struct weft_theme *theme, const char *name,
                         struct weft_swatch *swatch)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!matches(i, name))
            continue;
        enum role role = known[i].role;
        weft_color color = theme->dark ? known[i].dark : known[i].light;
        if (role == ROLE_BUSY)
            color = theme->busy;
        else if (role == ROLE_OVERHEAD)
            color = theme->overhead;
        else if (role == ROLE_IDLE)
            color = theme->idle;
        *swatch = dress(theme, color, role == ROLE_WAIT || role == ROLE_IDLE,
                        KNOWN
                            + (role == ROLE_HELD       ? 1
                               : role == ROLE_FREE     ? 2
                               : role == ROLE_OVERHEAD ? 4
                                                       : 0));
        return true;
    }
    return false;
}

static size_t palette_size(const struct weft_theme *theme, const weft_color **colors)
{
    *colors = theme->name == WEFT_THEME_CVD ? eight : ten;
    return theme->name == WEFT_THEME_CVD ? 8 : 10;
}

struct weft_swatch weft_name_swatch(const struct weft_theme *theme, const char *name)
{
    const weft_color *colors;
    size_t n = palette_size(theme, &colors);
    struct weft_swatch swatch;
    if (known_swatch(theme, name, &swatch))
        return swatch;
    size_t place = weft_hash(name, strlen(name)) % n;
    return dress(theme, colors[place], false, (unsigned)place);
}

struct weft_swatch weft_number_swatch(const struct weft_theme *theme, uint32_t number)
{
    const weft_color *colors;
    size_t n = palette_size(theme, &colors);
    uint32_t round = number / (uint32_t)n % 4;
    weft_color color = colors[number % n];
    const float rest[] = { 1, 0.6f, 0.75f, 0.45f };
    if (round)
        color = weft_mix(&color, &rest[round], 1, round % 2 ? 0xffffffffu : 0xff000000u);
    return dress(theme, color, false, number % KNOWN);
}

struct named {
    const char *name;
    uint32_t value, rank;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->value < y->value ? -1 : x->value > y->value;
}

/* The values of one type that get a place: in name order, so that runs agree. */
static void color_type(struct weft_swatch *swatches, struct named *list, size_t n,
                       const struct weft_schema *schema, const struct weft_theme *theme)
{
    const weft_color *colors;
    size_t places = palette_size(theme, &colors), taken_count = 0;
    bool taken[10] = { false };
    bool hues = theme->name == WEFT_THEME_LIGHT || theme->name == WEFT_THEME_DARK;
    qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++) {
        const struct weft_value *value = &schema->values[list[i].value];
        struct weft_swatch *swatch = &swatches[list[i].value];
        if (value->color && hues) {
            *swatch = dress(theme, value->color | 0xff000000u, false, 0);
            continue;
        }
        if (known_swatch(theme, value->name, swatch))
            continue;
        if (value->rank >= places || taken_count == places) {
            /* Beyond the palette: steps of grey, by rank. */
            unsigned level = (theme->dark ? 90 : 150) + value->rank * 37 % 60;
            *swatch = dress(theme, 0xff000000u | level << 16 | level << 8 | level, false,
                            KNOWN + value->rank);
            continue;
        }
        size_t place = weft_hash(value->name, strlen(value->name)) % places;
        while (taken[place])
            place = (place + 1) % places;
        taken[place] = true;
        taken_count++;
        *swatch = dress(theme, colors[place], false, (unsigned)place);
    }
}

struct weft_swatch *weft_palette(struct weft_arena *arena, const struct weft_schema *schema,
                                 const struct weft_theme *theme)
{
    struct weft_swatch *swatches =
        weft_arena_zalloc(arena, schema->n_values + 1, sizeof *swatches);
    struct named *list = weft_arena_alloc(arena, (schema->n_values + 1) * sizeof *list);
    uint32_t *first = weft_arena_zalloc(arena, schema->n_types + 2, sizeof *first);
    /* Bucket the values by type: one pass to count, one to place. */
    for (uint32_t v = 0; v < schema->n_values; v++)
        first[schema->values[v].type + 1]++;
    for (uint32_t t = 0; t < schema->n_types; t++)
        first[t + 1] += first[t];
    for (uint32_t v = 0; v < schema->n_values; v++)
        list[first[schema->values[v].type]++] =
            (struct named){ schema->values[v].name, v, schema->values[v].rank };
    for (uint32_t t = 0, begin = 0; t < schema->n_types; begin = first[t++])
        color_type(swatches, list + begin, first[t] - begin, schema, theme);
    return swatches;
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
    /* Steps of even lightness; cividis-like for colour-blind eyes. */
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
    static const weft_color grey[] = { 0xff202020, 0xff808080, 0xfff0f0f0, 0xff808080,
                                       0xff202020 };
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
