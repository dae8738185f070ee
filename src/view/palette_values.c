/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of values: by role, by name, and told apart within a type. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/container_relevance.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "view/palette.h"

static const weft_color ten[10] = { 0xff3b76b8, 0xffe8853a, 0xff4f9d5d, 0xffc44e56,
                                    0xff8466b3, 0xff8f6a55, 0xffd98bc0, 0xff8a8f98,
                                    0xffb7b63c, 0xff3fb0c0 };
static const weft_color eight[8] = { 0xff3554b4, 0xffee8c39, 0xff42f2c6, 0xff933161,
                                     0xffa5aeea, 0xffbd5534, 0xff5085f5, 0xff9f809c };

/*
 * ParaGraph's traffic lights (Heath, Etheridge 1991): busy green, overhead yellow, idle
 * red.  Waiting is a kind of idleness and hatched; each kind of it has a hue of its own.
 * Colour 0 is the theme's own for busy, overhead or idle.  A role without a row looks like
 * its parent.
 */
struct role_look {
    enum weft_role role;
    weft_color light, dark;
    bool waits;
};

static const struct role_look looks[] = {
    { WEFT_ROLE_BUSY, 0, 0, false },
    { WEFT_ROLE_SPINNING, 0xff8f9a2e, 0xffb3bf4d, true },
    { WEFT_ROLE_OVERHEAD, 0, 0, false },
    { WEFT_ROLE_RECEIVING, 0xffe8b9a0, 0xffe0b09a, false },
    { WEFT_ROLE_SCHEDULING, 0xffd9b13b, 0xffe6c35a, false },
    { WEFT_ROLE_IDLE, 0, 0, true },
    { WEFT_ROLE_READY, 0xffe0a838, 0xffe8b850, true },
    { WEFT_ROLE_SLEEPING, 0xffb0b5bd, 0xff6b7484, true },
    { WEFT_ROLE_BLOCKED, 0xff9e2036, 0xffc23b4e, true },
    { WEFT_ROLE_BLOCKED_ON_CONDITION, 0xffd0803a, 0xffd98c48, true },
    { WEFT_ROLE_BLOCKED_ON_SEMAPHORE, 0xff8466b3, 0xff9a7fc8, true },
    { WEFT_ROLE_BLOCKED_ON_BARRIER, 0xff3b76b8, 0xff5590d0, true },
    { WEFT_ROLE_BLOCKED_ON_END, 0xff8a8f98, 0xff9aa0aa, true },
    { WEFT_ROLE_BLOCKED_ON_COLLECTIVE, 0xff8466b3, 0xff9a7fc8, true },
    { WEFT_ROLE_BLOCKED_ON_TASK, 0xffb8506a, 0xffcc6880, true },
    { WEFT_ROLE_BLOCKED_ON_DATA, 0xffd0803a, 0xffd98c48, true },
    { WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT, 0xff8fa8b8, 0xff7d95a6, true },
    { WEFT_ROLE_FREE, 0xffdde2ea, 0xff333a49, false },
    { WEFT_ROLE_HELD, 0xfff4cf52, 0xfff7d960, false },
    { WEFT_ROLE_CONTENDED, 0xffc8602a, 0xffd9783a, true },
    /*
     * Parts of tasks are all busy: they have hues of their own, as there are too few
     * greens.
     */
    { WEFT_ROLE_BEFORE_CREATE, 0xff39b7e2, 0xff4fc0e8, false },
    { WEFT_ROLE_BEFORE_WAIT, 0xff7d5fb2, 0xff9a80d0, false },
    { WEFT_ROLE_BEFORE_OTHER, 0xffa5603c, 0xffc07a52, false },
    { WEFT_ROLE_BEFORE_END, 0xff63b03a, 0xff7cc653, false },
    { WEFT_ROLE_WHOLE_SECTION, 0xffab8217, 0xffb9912c, false },
    { WEFT_ROLE_WHOLE_TASK, 0xffd9b056, 0xffe0bd6b, false },
};

static const struct role_look *look_of(enum weft_role role)
{
    for (; role != WEFT_ROLE_NONE; role = weft_role_parent(role))
        for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
            if (looks[i].role == role)
                return &looks[i];
    return NULL;
}

/* The colour-blind set has few hues: kinds of waiting take theirs from the palette of
   eight. */
static weft_color look_color(const struct weft_theme *theme, const struct role_look *look)
{
    weft_color color = theme->dark ? look->dark : look->light;
    if (color)
        return theme->name == WEFT_THEME_CVD ? eight[(look - looks) % 8] : color;
    return look->role == WEFT_ROLE_IDLE       ? theme->idle
           : look->role == WEFT_ROLE_OVERHEAD ? theme->overhead
                                              : theme->busy;
}

/* ---- Black and white ---- */

static bool is_hueless(const struct weft_theme *theme)
{
    return theme->name == WEFT_THEME_MONO || theme->name == WEFT_THEME_GREY;
}

/* These tell swatches without a hue apart, in order of use. */
static const enum weft_hatch plain_hatches[] = { WEFT_HATCH_NONE, WEFT_HATCH_DOTS,
                                                 WEFT_HATCH_GRID, WEFT_HATCH_CROSS };
static const enum weft_hatch waiting_hatches[] = { WEFT_HATCH_DIAGONAL,
                                                   WEFT_HATCH_BACK_DIAGONAL,
                                                   WEFT_HATCH_VERTICAL,
                                                   WEFT_HATCH_HORIZONTAL };
enum { LOOKS_OF_A_KIND = 4, GREYS = 5 };

static weft_color grey(unsigned level)
{
    return 0xff000000u | level << 16 | level << 8 | level;
}

/* Returns the N-th look of black and white: white with each hatch, then black with each. */
static struct weft_swatch mono_look(size_t n, bool waits)
{
    const enum weft_hatch *hatches = waits ? waiting_hatches : plain_hatches;
    return (struct weft_swatch){ .fill = n / LOOKS_OF_A_KIND % 2 ? grey(0) : grey(255),
                                 .hatch = hatches[n % LOOKS_OF_A_KIND] };
}

/* Returns the N-th look of greyscale: five greys, then five with dots, and so on. */
static struct weft_swatch grey_look(size_t n)
{
    return (struct weft_swatch){ .fill = grey(70 + (unsigned)(n % GREYS) * 37),
                                 .hatch = plain_hatches[n / GREYS % LOOKS_OF_A_KIND] };
}

/*
 * Returns by how much of 255 a tone differs from the fill, where columns are too narrow for
 * a hatch: darker, or lighter on black.  White without a hatch is darkened, too, since a
 * dense row of it would look like a gap.
 */
static unsigned coverage(enum weft_hatch hatch, unsigned level)
{
    static const unsigned of[WEFT_HATCHES] = {
        [WEFT_HATCH_NONE] = 35,       [WEFT_HATCH_DOTS] = 65,
        [WEFT_HATCH_HORIZONTAL] = 85, [WEFT_HATCH_GRID] = 100,
        [WEFT_HATCH_CROSS] = 115,     [WEFT_HATCH_VERTICAL] = 130,
        [WEFT_HATCH_DIAGONAL] = 145,  [WEFT_HATCH_BACK_DIAGONAL] = 160,
    };
    return hatch == WEFT_HATCH_NONE && level == 0 ? 0 : of[hatch];
}

static struct weft_swatch finished(const struct weft_theme *theme,
                                   struct weft_swatch swatch)
{
    unsigned level = swatch.fill & 255, ink = coverage(swatch.hatch, level);
    swatch.ink = weft_ink(swatch.fill);
    swatch.tone = swatch.fill;
    if (theme->name == WEFT_THEME_MONO)
        swatch.tone = grey(level ? level - ink : ink);
    return swatch;
}

/* Returns the swatch of a colour that stands alone; PLACE tells names apart where there are
   no hues. */
static struct weft_swatch swatch_of(const struct weft_theme *theme, weft_color color,
                                    bool waits, size_t place)
{
    struct weft_swatch swatch = { .fill = color,
                                  .hatch = waits ? WEFT_HATCH_DIAGONAL : WEFT_HATCH_NONE };
    if (theme->name == WEFT_THEME_MONO)
        swatch = mono_look(place, waits);
    else if (theme->name == WEFT_THEME_GREY && waits)
        swatch.fill = grey(weft_grey_level(color));
    else if (theme->name == WEFT_THEME_GREY)
        swatch = grey_look(place);
    return finished(theme, swatch);
}

static double squared_distance(struct weft_oklab a, struct weft_oklab b)
{
    double l = a.lightness - b.lightness, u = a.a - b.a, v = a.b - b.b;
    return l * l + u * u + v * v;
}

weft_color weft_given_color(const struct weft_theme *theme, uint32_t given)
{
    const double unseen = 0.12; /* in OKLab: white beside a light grey */
    if (!given || (theme->name != WEFT_THEME_LIGHT && theme->name != WEFT_THEME_DARK))
        return 0;
    weft_color color = given | 0xff000000u;
    double distance = squared_distance(weft_oklab(color), weft_oklab(theme->panel));
    return distance < unseen * unseen ? 0 : color;
}

static size_t palette_size(const struct weft_theme *theme, const weft_color **colors)
{
    *colors = theme->name == WEFT_THEME_CVD ? eight : ten;
    return theme->name == WEFT_THEME_CVD ? 8 : 10;
}

struct weft_swatch weft_role_swatch(const struct weft_theme *theme, enum weft_role role)
{
    const struct role_look *look = look_of(role);
    if (!look)
        return weft_name_swatch(theme, weft_role_name(role));
    struct weft_swatch swatch = { .fill = look_color(theme, look),
                                  .hatch =
                                      look->waits ? WEFT_HATCH_DIAGONAL : WEFT_HATCH_NONE };
    if (theme->name == WEFT_THEME_GREY)
        swatch.fill = grey(weft_grey_level(swatch.fill));
    if (theme->name == WEFT_THEME_MONO)
        swatch = mono_look(weft_role_is(role, WEFT_ROLE_BUSY)   ? LOOKS_OF_A_KIND
                           : weft_role_is(role, WEFT_ROLE_FREE) ? 0
                                                                : 1,
                           look->waits);
    return finished(theme, swatch);
}

struct weft_swatch weft_name_swatch(const struct weft_theme *theme, const char *name)
{
    const weft_color *colors;
    size_t n = palette_size(theme, &colors);
    size_t place = weft_hash(name, strlen(name)) % n;
    return swatch_of(theme, colors[place], false, place);
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
    return swatch_of(theme, color, false, number);
}

/* ---- The values of a type ---- */

struct named_value {
    const char *name;
    uint32_t value;
    bool busy;
};

/* The looks of earlier values: of the type, and of other types in the same picture. */
enum {
    MAX_TOLD_APART = 64
}; /* comparing all pairs is quadratic, and eyes cannot tell more */
struct chosen {
    const struct weft_theme *theme;
    struct weft_swatch list[MAX_TOLD_APART];
    struct weft_oklab at[MAX_TOLD_APART];
    size_t n;
    bool taken[10]; /* places in the palette that values of this type have */
    size_t n_taken;
    struct weft_text_map named; /* by name: the first value that has it */
    bool hueless;               /* the theme has no hues */
    bool by_name;               /* all values of this type have the same role */
};

static int by_precedence(const void *a, const void *b)
{
    const struct named_value *x = a, *y = b;
    return WEFT_COMPARE(y->busy, x->busy) ?: strcmp(x->name, y->name)
           ?: WEFT_COMPARE(x->value, y->value);
}

static double nearest(const struct chosen *chosen, struct weft_oklab at)
{
    double least = DBL_MAX;
    for (size_t i = 0; i < chosen->n; i++) {
        double d = squared_distance(chosen->at[i], at);
        least = d < least ? d : least;
    }
    return least;
}

/*
 * The square of the distance in OKLab below which two colours look alike: about three just
 * noticeable differences, so that small areas that do not touch are told apart, too.
 */
static const double alike = 0.07 * 0.07;

/*
 * Returns COLOR if no chosen colour looks like it; else the first variant that differs:
 * lighter and darker ones, then neighbouring hues, then distant hues.
 */
static weft_color told_apart(const struct chosen *chosen, weft_color color)
{
    static const struct {
        double lighter, cosine, sine;
    } variants[] = {
        { 0, 1, 0 },           { 0.09, 1, 0 },         { -0.09, 1, 0 },
        { 0.17, 1, 0 },        { -0.17, 1, 0 },        { 0, 0.82, 0.57 },
        { 0, 0.82, -0.57 },    { 0.09, 0.82, 0.57 },   { 0.09, 0.82, -0.57 },
        { -0.09, 0.82, 0.57 }, { -0.09, 0.82, -0.57 }, { 0, 0.34, 0.94 },
        { 0, 0.34, -0.94 },    { 0.1, 0.34, 0.94 },    { 0.1, 0.34, -0.94 },
        { -0.1, 0.34, 0.94 },  { -0.1, 0.34, -0.94 },  { 0, -0.5, 0.87 },
        { 0, -0.5, -0.87 },    { 0.1, -0.5, 0.87 },    { 0.1, -0.5, -0.87 },
        { -0.1, -0.5, 0.87 },  { -0.1, -0.5, -0.87 },  { 0, -1, 0 },
        { 0.1, -1, 0 },        { -0.1, -1, 0 },
    };
    struct weft_oklab lab = weft_oklab(color);
    weft_color best = color;
    double best_distance = -1;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct weft_oklab other = { lab.lightness + variants[i].lighter,
                                    lab.a * variants[i].cosine - lab.b * variants[i].sine,
                                    lab.a * variants[i].sine + lab.b * variants[i].cosine };
        /* A colour lighter or darker than this has no hue left. */
        if (i && (other.lightness < 0.25 || other.lightness > 0.93))
            continue;
        weft_color shown = i ? weft_oklab_color(other) : color;
        double distance = nearest(chosen, weft_oklab(shown));
        if (distance >= alike)
            return shown;
        if (distance > best_distance) {
            best_distance = distance;
            best = shown;
        }
    }
    return best;
}

static bool looks_alike(const struct weft_swatch *a, const struct weft_swatch *b)
{
    int steps = (int)weft_grey_level(a->fill) - (int)weft_grey_level(b->fill);
    return a->hatch == b->hatch && abs(steps) < 14; /* of 255: seen when side by side */
}

/*
 * Returns the N-th look of black and white to try: those of the value's kind first, then
 * those of the other kind.  Waiting is white as long as a white look is left: on black it
 * would look busy.
 */
static struct weft_swatch mono_choice(size_t n, bool waits)
{
    enum { KIND = LOOKS_OF_A_KIND };
    if (!waits)
        return mono_look(n, n >= 2 * KIND);
    if (n < KIND)
        return mono_look(n, true);
    if (n < 2 * KIND)
        return mono_look(n - KIND, false);
    return n < 3 * KIND ? mono_look(n - KIND, true) : mono_look(n - 2 * KIND, false);
}

/* Without hues: returns the first look, beginning with FIRST, that no earlier value has. */
static struct weft_swatch hueless(const struct chosen *chosen, struct weft_swatch first,
                                  bool waits)
{
    struct weft_swatch swatch = first;
    bool mono = chosen->theme->name == WEFT_THEME_MONO;
    size_t most = mono ? 4 * LOOKS_OF_A_KIND : GREYS * LOOKS_OF_A_KIND;
    for (size_t look = 0;; look++) {
        bool free = true;
        for (size_t i = 0; i < chosen->n && free; i++)
            free = !looks_alike(&swatch, &chosen->list[i]);
        if (free || look == most)
            return free ? swatch : first;
        if (mono)
            swatch = mono_choice(look, waits);
        else if (waits)
            swatch =
                (struct weft_swatch){ .fill = grey(70 + (unsigned)(look % GREYS) * 37),
                                      .hatch =
                                          waiting_hatches[look / GREYS % LOOKS_OF_A_KIND] };
        else
            swatch = grey_look(look);
    }
}

static bool is_near(const struct chosen *chosen, weft_color color)
{
    return nearest(chosen, weft_oklab(color)) < alike;
}

/*
 * Returns true for the hue of idleness or a grey, which beside waiting would not look like
 * work.
 */
static bool looks_idle(const struct weft_theme *theme, weft_color color)
{
    const double same_hue = 0.06, no_hue = 0.03; /* in OKLab's plane of hues */
    struct weft_oklab lab = weft_oklab(color), idle = weft_oklab(theme->idle);
    double a = lab.a - idle.a, b = lab.b - idle.b;
    return a * a + b * b < same_hue * same_hue
           || lab.a * lab.a + lab.b * lab.b < no_hue * no_hue;
}

/*
 * Takes a place in the palette: the one that the name prefers, or the next free one, if
 * there is one whose colour looks like no other.
 */
static weft_color palette_color(struct chosen *chosen, const char *name, size_t *place)
{
    const weft_color *colors;
    size_t places = palette_size(chosen->theme, &colors);
    *place = weft_hash(name, strlen(name)) % places;
    for (size_t i = 0;
         i < places
         && (chosen->taken[*place] || is_near(chosen, colors[*place])
             || (chosen->by_name && looks_idle(chosen->theme, colors[*place])));
         i++)
        *place = (*place + 1) % places;
    while (chosen->taken[*place] && chosen->n_taken < places)
        *place = (*place + 1) % places;
    chosen->taken[*place] = true;
    chosen->n_taken++;
    return colors[*place];
}

static struct weft_swatch choose(struct chosen *chosen, const struct weft_value *value)
{
    const struct weft_theme *theme = chosen->theme;
    const weft_color *colors;
    size_t places = palette_size(theme, &colors), place = 0;
    weft_color given = weft_given_color(theme, value->color);
    const struct role_look *look = chosen->by_name ? NULL : look_of(value->role);
    struct weft_swatch swatch;
    if (given)
        swatch = (struct weft_swatch){ .fill = given };
    else if (look)
        swatch = weft_role_swatch(theme, value->role);
    else if (value->rank < places && chosen->n_taken < places)
        swatch = swatch_of(theme, palette_color(chosen, value->name, &place), false, place);
    else
        /* Beyond the palette: steps of grey, by rank. */
        return finished(theme,
                        (struct weft_swatch){ .fill = grey((theme->dark ? 90 : 150)
                                                           + value->rank * 37 % 60) });
    if (chosen->n == MAX_TOLD_APART)
        return finished(theme, swatch);
    if (chosen->hueless)
        swatch = hueless(chosen, swatch, look && look->waits);
    else
        swatch.fill = told_apart(chosen, swatch.fill);
    chosen->at[chosen->n] = weft_oklab(swatch.fill);
    chosen->list[chosen->n++] = swatch;
    return finished(theme, swatch);
}

/*
 * Returns the value of another type with the same name that would look the same by itself,
 * so that one name has one look in a picture; or WEFT_NONE.
 */
static uint32_t namesake(const struct chosen *chosen, const struct weft_schema *schema,
                         const struct weft_value *value)
{
    uint32_t other = weft_text_map_get(&chosen->named, value->name, strlen(value->name));
    return other != WEFT_MAP_NONE && schema->values[other].type != value->type
                   && schema->values[other].color == value->color
                   && schema->values[other].role == value->role
               ? other
               : WEFT_NONE;
}

/* Gives values of a type that have a namesake in an earlier type the namesake's look. */
static void color_namesakes(struct weft_swatch *swatches, const struct named_value *list,
                            size_t n, bool *done, const struct weft_schema *schema,
                            struct chosen *chosen)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t other = namesake(chosen, schema, &schema->values[list[i].value]);
        bool differs = other != WEFT_NONE && chosen->n < MAX_TOLD_APART;
        for (size_t k = 0; chosen->hueless && k < chosen->n && differs; k++)
            differs = !looks_alike(&swatches[other], &chosen->list[k]);
        if (!differs)
            continue;
        done[i] = true;
        swatches[list[i].value] = swatches[other];
        chosen->at[chosen->n] = weft_oklab(swatches[other].fill);
        chosen->list[chosen->n++] = swatches[other];
    }
}

/*
 * Returns true if all values of a type are one kind of work, as the procedures of a program
 * are: a hue that says "busy" then tells nothing, and its shades are hard to tell apart.
 */
static bool is_all_one_work(const struct named_value *list, size_t n,
                            const struct weft_schema *schema)
{
    enum weft_role role = n ? schema->values[list[0].value].role : WEFT_ROLE_NONE;
    for (size_t i = 0; i < n; i++)
        if (schema->values[list[i].value].role != role)
            return false;
    return n > 1 && weft_role_is(role, WEFT_ROLE_BUSY);
}

/*
 * Colours the values of one type: those with namesakes, then busy ones, which have the
 * plainest look, then by name, so that runs agree.  CHOSEN has the looks of the state types
 * before it, which are in the same picture.  Themes without hues have too few looks for
 * that: there only the values of a type are told apart.
 */
static void color_type(struct weft_swatch *swatches, struct named_value *list, size_t n,
                       const struct weft_schema *schema, struct chosen *chosen)
{
    if (chosen->hueless || chosen->n + n > MAX_TOLD_APART)
        chosen->n = 0;
    memset(chosen->taken, 0, sizeof chosen->taken);
    chosen->n_taken = 0;
    chosen->by_name = is_all_one_work(list, n, schema);
    qsort(list, n, sizeof *list, by_precedence);
    bool *done = weft_zalloc(n + 1, sizeof *done);
    color_namesakes(swatches, list, n, done, schema, chosen);
    for (size_t i = 0; i < n; i++) {
        const struct weft_value *value = &schema->values[list[i].value];
        size_t length = strlen(value->name);
        if (!done[i])
            swatches[list[i].value] = choose(chosen, value);
        if (weft_text_map_get(&chosen->named, value->name, length) == WEFT_MAP_NONE)
            weft_text_map_put(&chosen->named, value->name, length, list[i].value);
    }
    free(done);
}

/*
 * Colours all types; of states the most relevant types first, so that they have the colours
 * that they would have alone.  END[type] is where the type's values end in LIST.
 */
static void color_types(struct weft_swatch *swatches, struct named_value *list,
                        const uint32_t *end, const struct weft_schema *schema,
                        const struct weft_theme *theme)
{
    struct chosen states = { .theme = theme, .hueless = is_hueless(theme) };
    for (unsigned order = 0; order <= 2; order++)
        for (uint32_t t = 0; t < schema->n_types; t++) {
            uint32_t begin = t ? end[t - 1] : 0;
            if (schema->types[t].kind == WEFT_STATE && weft_type_order(schema, t) == order)
                color_type(swatches, list + begin, end[t] - begin, schema, &states);
        }
    weft_text_map_free(&states.named);
    for (uint32_t t = 0; t < schema->n_types; t++) {
        uint32_t begin = t ? end[t - 1] : 0;
        struct chosen alone = { .theme = theme, .hueless = is_hueless(theme) };
        if (schema->types[t].kind != WEFT_STATE)
            color_type(swatches, list + begin, end[t] - begin, schema, &alone);
        weft_text_map_free(&alone.named);
    }
}

struct weft_swatch *weft_palette(struct weft_arena *arena, const struct weft_schema *schema,
                                 const struct weft_theme *theme)
{
    struct weft_swatch *swatches =
        weft_arena_zalloc(arena, schema->n_values + 1, sizeof *swatches);
    struct named_value *list =
        weft_arena_alloc(arena, (schema->n_values + 1) * sizeof *list);
    uint32_t *first = weft_arena_zalloc(arena, schema->n_types + 2, sizeof *first);
    /* Sort the values by type: one pass to count, one to place. */
    for (uint32_t v = 0; v < schema->n_values; v++)
        first[schema->values[v].type + 1]++;
    for (uint32_t t = 0; t < schema->n_types; t++)
        first[t + 1] += first[t];
    for (uint32_t v = 0; v < schema->n_values; v++)
        list[first[schema->values[v].type]++] =
            (struct named_value){ schema->values[v].name, v,
                                  weft_role_is(schema->values[v].role, WEFT_ROLE_BUSY) };
    color_types(swatches, list, first, schema, theme);
    return swatches;
}
