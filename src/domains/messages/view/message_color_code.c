/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/message_color_code.h"

#include <math.h>
#include <string.h>

#include "base/binary_search.h"

/* Logarithms of amounts between LEAST and 16 times LEAST could not be told apart. */
static bool is_linear(const struct weft_message_code *code)
{
    const double about = 16;
    return code->kind == WEFT_CODE_DISTANCE || code->least * about >= code->most;
}

static double place_on_ramp(const struct weft_message_code *code, double amount)
{
    const double least = 0.12; /* the lowest place, so that it differs from empty */
    double part = is_linear(code)
                      ? amount / fmax(code->most, 1)
                      : log2(1 + fmax(amount, 0)) / log2(1 + fmax(code->most, 1));
    return least + (1 - least) * fmin(fmax(part, 0), 1);
}

struct weft_message_code weft_code_make(enum weft_code_kind kind,
                                        const struct weft_theme *theme, double most)
{
    struct weft_message_code code = { .kind = kind, .theme = theme, .most = most };
    for (int i = 0; i <= WEFT_CODE_STEPS; i++)
        code.ramp[i] = weft_ramp(theme, (double)i / WEFT_CODE_STEPS);
    return code;
}

weft_color weft_code_color(const struct weft_message_code *code, int64_t amount)
{
    if (code->kind == WEFT_CODE_TAG)
        return weft_number_swatch(code->theme, (uint32_t)amount).tone;
    double place = place_on_ramp(code, (double)amount);
    return code->ramp[(int)(place * WEFT_CODE_STEPS + 0.5)];
}

double weft_code_place(const struct weft_message_code *code, int64_t amount)
{
    return place_on_ramp(code, (double)amount);
}

enum { PATTERNS = 6 }; /* the last one is black; each is darker than the one before */

static int pattern_step(const struct weft_message_code *code, int64_t amount)
{
    int step = (int)(place_on_ramp(code, (double)amount) * PATTERNS);
    return step < PATTERNS ? step : PATTERNS - 1;
}

static struct weft_swatch pattern_of(const struct weft_message_code *code, int64_t amount)
{
    static const enum weft_hatch patterns[] = { WEFT_HATCH_DOTS, WEFT_HATCH_HORIZONTAL,
                                                WEFT_HATCH_DIAGONAL, WEFT_HATCH_GRID,
                                                WEFT_HATCH_CROSS };
    const struct weft_theme *theme = code->theme;
    int step = pattern_step(code, amount);
    weft_color tone = weft_code_color(code, amount);
    if (step == PATTERNS - 1)
        return (struct weft_swatch){ theme->text, theme->text, theme->panel,
                                     WEFT_HATCH_NONE };
    return (struct weft_swatch){ theme->panel, tone, theme->text, patterns[step] };
}

struct weft_swatch weft_code_swatch(const struct weft_message_code *code, int64_t amount)
{
    if (code->kind == WEFT_CODE_TAG)
        return weft_number_swatch(code->theme, (uint32_t)amount);
    if (code->theme->name == WEFT_THEME_MONO)
        return pattern_of(code, amount);
    weft_color color = weft_code_color(code, amount);
    return (struct weft_swatch){ color, color, weft_ink(color), WEFT_HATCH_NONE };
}

enum { LEGEND_MAX = 12, STEPS_OF_SIZE = 5 };

static struct weft_legend_entry entry_of(const struct weft_message_code *code,
                                         int64_t amount, const char *label, size_t i)
{
    return (struct weft_legend_entry){ weft_code_swatch(code, amount), label, -1,
                                       -(double)i };
}

/*
 * Returns the greatest amount up to MOST that has the pattern of AMOUNT, by binary search.
 */
static int64_t last_of_pattern(const struct weft_message_code *code, int64_t amount)
{
    return WEFT_LAST(i, amount, (int64_t)code->most + 1,
                     pattern_step(code, i) == pattern_step(code, amount));
}

/*
 * Returns step I of the legend: LEAST, then round amounts spread evenly on the ramp, then
 * MOST.
 */
static int64_t step_of_size(const struct weft_message_code *code, size_t i)
{
    double least = fmin(code->least, code->most), part = (double)i / (STEPS_OF_SIZE - 1);
    double low = log2(1 + fmax(least, 0)), high = log2(1 + fmax(code->most, 1));
    if (i == 0)
        return (int64_t)least;
    if (i + 1 == STEPS_OF_SIZE)
        return (int64_t)code->most;
    if (is_linear(code))
        return (int64_t)(least + part * (code->most - least));
    double amount = pow(2, low + part * (high - low)) - 1;
    return (int64_t)pow(2, floor(log2(fmax(amount, 1))));
}

static const char *amount_text(const struct weft_message_code *code,
                               struct weft_arena *arena, int64_t amount)
{
    return code->kind == WEFT_CODE_SIZE
               ? weft_bytes_text(arena, amount)
               : weft_arena_printf(arena, "%s message%s",
                                   weft_number_text(arena, (double)amount, 0),
                                   amount == 1 ? "" : "s");
}

/* Makes an entry for each pattern that amounts from LEAST to MOST have. */
static size_t pattern_legend(const struct weft_message_code *code, struct weft_arena *arena,
                             struct weft_legend_entry *entries)
{
    size_t n = 0;
    for (int64_t from = (int64_t)fmin(code->least, code->most); n < PATTERNS;) {
        int64_t last = last_of_pattern(code, from);
        entries[n] = entry_of(code, from, "", n);
        entries[n++].label =
            last == from
                ? amount_text(code, arena, from)
                : weft_arena_printf(arena, "up to %s", amount_text(code, arena, last));
        if (last >= (int64_t)code->most)
            break;
        from = last + 1;
    }
    return n;
}

struct weft_legend_entry *weft_code_legend(const struct weft_message_code *code,
                                           struct weft_arena *arena, const int64_t *tags,
                                           size_t n_tags, size_t *n)
{
    struct weft_legend_entry *entries =
        weft_arena_alloc(arena, (LEGEND_MAX + 1) * sizeof *entries);
    int64_t last = -1;
    bool sizes = code->kind == WEFT_CODE_SIZE || code->kind == WEFT_CODE_COUNT;
    *n = 0;
    if (sizes && code->most > 0 && code->theme->name == WEFT_THEME_MONO) {
        *n = pattern_legend(code, arena, entries);
        return entries;
    }
    for (size_t i = 0; code->kind == WEFT_CODE_TAG && i < n_tags && *n < LEGEND_MAX; i++)
        entries[*n] = entry_of(
            code, tags[i], weft_arena_printf(arena, "tag %lld", (long long)tags[i]), *n),
        ++*n;
    for (int64_t hops = 0;
         code->kind == WEFT_CODE_DISTANCE && hops <= (int64_t)code->most;) {
        entries[*n] = entry_of(
            code, hops,
            weft_arena_printf(arena, "%lld hop%s", (long long)hops, hops == 1 ? "" : "s"),
            *n);
        ++*n;
        hops += hops && code->most > 8 ? (int64_t)ceil(code->most / 8) : 1;
        if (*n == LEGEND_MAX)
            break;
    }
    for (size_t i = 0; sizes && i < STEPS_OF_SIZE && code->most > 0; i++) {
        int64_t amount = step_of_size(code, i);
        if (amount <= last || (i && amount < (int64_t)code->least))
            continue;
        last = amount;
        const char *text = amount_text(code, arena, amount);
        if (*n && strcmp(text, entries[*n - 1].label) == 0)
            continue;
        entries[*n] = entry_of(code, amount, text, *n);
        ++*n;
    }
    return entries;
}
