/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/model/node_diagram_layout.h"

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
}

/* Parses a decimal number from 0 to MOST at *TEXT and moves *TEXT behind it. */
static bool read_number(const char **text, double most, double *number)
{
    const char *at = skip_blanks(*text);
    if (!strchr("0123456789.", *at) || !*at)
        return false;
    char *end;
    *number = strtod(at, &end);
    *text = end;
    return end != at && strchr(" \t\r\n;#", *end) && *number >= 0 && *number <= most;
}

bool weft_place_named(const char *text, uint32_t n, double width, double height,
                      struct weft_spot *spots, struct weft_err *err)
{
    for (uint64_t line = 1; *text; line++) {
        size_t length = strcspn(text, "\n;");
        const char *at = skip_blanks(text);
        double node, x, y;
        if (at < text + length && *at != '#') {
            bool good = read_number(&at, UINT32_MAX, &node) && node == floor(node)
                        && read_number(&at, 1, &x) && read_number(&at, 1, &y);
            at = skip_blanks(at);
            if (!good || (at < text + length && *at != '#'))
                return weft_fail(err, WEFT_ERR_USAGE,
                                 "line %llu of the places is not 'node x y', with x and y "
                                 "from 0 to 1: '%.*s'",
                                 (unsigned long long)line, (int)(length < 60 ? length : 60),
                                 text);
            if (node < n)
                spots[(uint32_t)node] = (struct weft_spot){ x * width, y * height };
        }
        text += length + (text[length] != '\0');
    }
    return true;
}
