/* SPDX-License-Identifier: Apache-2.0 */
#include "view/text.h"

#include <string.h>

#include "base/utf8.h"
#include "font_widths.h"

/* The table of widths: its first and last character, and the em in the typeface's units. */
enum { FIRST = 0x20, LAST = 0x2fff, EM = 2048 };
enum { LONG = 4096 }; /* bytes: few pictures have room for more */

/* XML forbids U+FFFE and U+FFFF, and terminals interpret control characters. */
static bool is_bad(uint32_t code)
{
    return code == WEFT_UTF8_INVALID || code < 0x20 || (code >= 0x7f && code < 0xa0)
           || code == 0xfffe || code == 0xffff;
}

static double width_of(enum weft_font font, uint32_t code)
{
    const uint16_t *widths = font == WEFT_FONT_BOLD   ? bold_widths
                             : font == WEFT_FONT_MONO ? mono_widths
                                                      : sans_widths;
    if (is_bad(code)) /* drawn as U+FFFD */
        return 1;
    return code <= LAST && widths[code - FIRST] ? (double)widths[code - FIRST] / EM : 1;
}

double weft_text_width(enum weft_font font, double size, const char *text)
{
    double width = 0;
    for (const char *at = text; *at;) {
        size_t bytes;
        uint32_t code = weft_utf8_decode(at, &bytes);
        width += width_of(font, code);
        at += bytes;
    }
    return width * size;
}

const char *weft_text_clean(struct weft_arena *arena, const char *text)
{
    bool clean = true;
    size_t length = 0;
    for (const char *at = text; *at; length++) {
        size_t bytes;
        uint32_t code = weft_utf8_decode(at, &bytes);
        clean &= !is_bad(code);
        at += bytes;
    }
    if (clean)
        return text;
    char *out = weft_arena_alloc(arena, 4 * length + 1), *to = out;
    for (const char *at = text; *at;) {
        size_t bytes;
        uint32_t code = weft_utf8_decode(at, &bytes);
        bool bad = is_bad(code);
        memcpy(to, bad ? WEFT_UTF8_REPLACEMENT : at, bad ? 3 : bytes);
        to += bad ? 3 : bytes;
        at += bytes;
    }
    *to = '\0';
    return out;
}

static const char dots[] = "\xe2\x80\xa6";

/*
 * Names come from traces, may have megabytes, and may be in a picture thousands of times:
 * reads no more of a long one than fits.
 */
static const char *fit_begin(struct weft_arena *arena, enum weft_font font, double size,
                             const char *text, double width)
{
    double left = width - weft_text_width(font, size, dots);
    const char *at = text;
    for (size_t taken = 0, bytes; *at; taken++, at += bytes) {
        uint32_t code = weft_utf8_decode(at, &bytes);
        left -= size * width_of(font, code);
        if (left >= 0)
            continue;
        if (taken < 4)
            return NULL;
        text = weft_arena_printf(arena, "%.*s%s", (int)(at - text), text, dots);
        break;
    }
    return weft_text_clean(arena, text);
}

const char *weft_text_fit(struct weft_arena *arena, enum weft_font font, double size,
                          const char *text, double width)
{
    if (strnlen(text, LONG + 1) > LONG)
        return fit_begin(arena, font, size, text, width);
    text = weft_text_clean(arena, text);
    if (weft_text_width(font, size, text) <= width)
        return text;
    size_t length = strlen(text);
    double left = width - weft_text_width(font, size, dots);
    /* Take characters from both ends in turn, the first from the head. */
    size_t head = 0, tail = length, taken = 0;
    for (;;) {
        bool front = taken % 2 == 0;
        size_t bytes = 1, from = head;
        if (front) {
            weft_utf8_decode(text + head, &bytes);
        } else {
            from = tail - 1;
            while (from > head && ((unsigned char)text[from] & 0xc0) == 0x80)
                from--;
            bytes = tail - from;
        }
        size_t ignored;
        double one = size * width_of(font, weft_utf8_decode(text + from, &ignored));
        if (one > left || head + bytes > tail)
            break;
        left -= one;
        if (front)
            head += bytes;
        else
            tail = from;
        taken++;
    }
    if (taken < 4)
        return NULL;
    return weft_arena_printf(arena, "%.*s%s%s", (int)head, text, dots, text + tail);
}

const char *weft_text_parts(struct weft_arena *arena, enum weft_font font, double size,
                            const char *const *parts, size_t n, double width)
{
    const char *text = weft_text_fit(arena, font, size, parts[0], width);
    if (text == parts[0]) /* the caller's, which may not live as long as the scene */
        text = weft_arena_strdup(arena, text);
    for (size_t i = 1; text && i < n; i++) {
        if (!parts[i] || !parts[i][0])
            continue;
        const char *more =
            weft_arena_printf(arena, "%s · %s", text, weft_text_clean(arena, parts[i]));
        if (weft_text_width(font, size, more) <= width)
            text = more;
    }
    return text;
}
