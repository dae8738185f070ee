/* SPDX-License-Identifier: Apache-2.0 */
#include "view/text.h"

#include <string.h>

#include "font_widths.h"

enum { FIRST = 0x20, LAST = 0x2fff, EM = 2048 };

/* Decode one character of UTF-8; *SIZE: its bytes.  UINT32_MAX when it is not valid. */
static uint32_t decode(const unsigned char *text, size_t *size)
{
    *size = 1;
    if (text[0] < 0x80)
        return text[0];
    unsigned extra = text[0] >= 0xf0 ? 3 : text[0] >= 0xe0 ? 2 : 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return UINT32_MAX;
    uint32_t code = text[0] & (0x3f >> extra);
    for (unsigned i = 1; i <= extra; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return UINT32_MAX;
        code = code << 6 | (text[i] & 0x3f);
    }
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    if (code < least[extra] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return UINT32_MAX;
    *size = extra + 1;
    return code;
}

/* XML has no U+FFFE and U+FFFF, terminals act on control characters. */
static bool is_bad(uint32_t code)
{
    return code == UINT32_MAX || code < 0x20 || (code >= 0x7f && code < 0xa0)
           || code == 0xfffe || code == 0xffff;
}

static double width_of(enum weft_font font, uint32_t code)
{
    const uint16_t *widths = font == WEFT_FONT_BOLD   ? bold_widths
                             : font == WEFT_FONT_MONO ? mono_widths
                                                      : sans_widths;
    if (code < FIRST)
        return 0;
    return code <= LAST && widths[code - FIRST] ? (double)widths[code - FIRST] / EM : 1;
}

double weft_text_width(enum weft_font font, double size, const char *text)
{
    double width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes;
        uint32_t code = decode(at, &bytes);
        width += code == UINT32_MAX ? 1 : width_of(font, code);
        at += bytes;
    }
    return width * size;
}

const char *weft_text_clean(struct weft_arena *arena, const char *text)
{
    bool clean = true;
    size_t length = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; length++) {
        size_t bytes;
        uint32_t code = decode(at, &bytes);
        clean &= !is_bad(code);
        at += bytes;
    }
    if (clean)
        return text;
    char *out = weft_arena_alloc(arena, 4 * length + 1), *to = out;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes;
        uint32_t code = decode(at, &bytes);
        bool bad = is_bad(code);
        memcpy(to, bad ? "\xef\xbf\xbd" : (const char *)at, bad ? 3 : bytes);
        to += bad ? 3 : bytes;
        at += bytes;
    }
    *to = '\0';
    return out;
}

void weft_text_json(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes;
        uint32_t code = decode(at, &bytes);
        if (code == UINT32_MAX)
            fputs("\xef\xbf\xbd", stream);
        else if (code == '"' || code == '\\')
            fprintf(stream, "\\%c", (int)code);
        else if (code < 0x20 || code == 0x7f)
            fprintf(stream, "\\u%04x", (unsigned)code);
        else
            fwrite(at, 1, bytes, stream);
        at += bytes;
    }
    fputc('"', stream);
}

const char *weft_text_fit(struct weft_arena *arena, enum weft_font font, double size,
                          const char *text, double width)
{
    text = weft_text_clean(arena, text);
    if (weft_text_width(font, size, text) <= width)
        return text;
    static const char dots[] = "\xe2\x80\xa6";
    size_t length = strlen(text);
    double left = width - weft_text_width(font, size, dots);
    /* Take characters from both ends in turn: the head gets the odd one. */
    size_t head = 0, tail = length, taken = 0;
    for (;;) {
        bool front = taken % 2 == 0;
        size_t bytes = 1, from = head;
        if (front) {
            decode((const unsigned char *)text + head, &bytes);
        } else {
            from = tail - 1;
            while (from > head && ((unsigned char)text[from] & 0xc0) == 0x80)
                from--;
            bytes = tail - from;
        }
        size_t ignored;
        double one =
            size * width_of(font, decode((const unsigned char *)text + from, &ignored));
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
    if (text == parts[0]) /* which may be of the caller's frame, and ends with it */
        text = weft_arena_strdup(arena, text);
    for (size_t i = 1; text && i < n; i++) {
        if (!parts[i] || !parts[i][0])
            continue;
        const char *more = weft_arena_printf(arena, "%s · %s", text, parts[i]);
        if (weft_text_width(font, size, more) <= width)
            text = more;
    }
    return text;
}
