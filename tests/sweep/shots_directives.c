/* SPDX-License-Identifier: Apache-2.0 */
#include "shots_directives.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "tests/random.h"

enum { LINE_BYTES = 120, STATEMENTS = 5 };

struct text {
    char *out;
    size_t size, used;
};

static void put(struct text *text, const char *format, ...) WEFT_PRINTF(2, 3);
static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    int n;

    if (text->size - text->used < LINE_BYTES)
        return;
    va_start(arguments, format);
    n = vsnprintf(text->out + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    text->used += (size_t)n;
}

static const char *some_array(void)
{
    static const char *const names[] = { "A", "B", "M", "T", "R", "I", "H", "nobody" };

    return names[roll(roll(20) ? 7 : 8)];
}

static void put_format(struct text *text)
{
    switch (roll(6)) {
    case 0: put(text, "*"); break;
    case 1: put(text, "BLOCK(%u)", (unsigned)roll(400)); break;
    case 2: put(text, "CYCLIC(%u)", (unsigned)roll(9)); break;
    case 3: put(text, "BLOCK"); break;
    default: put(text, "CYCLIC"); break;
    }
}

/* (BLOCK,*) and the like: mostly of two dimensions. */
static void put_formats(struct text *text)
{
    unsigned n = roll(4) ? 2 : 1 + (unsigned)roll(4);

    for (unsigned i = 0; i < n; i++) {
        put(text, "%s", i ? "," : "(");
        put_format(text);
    }
    put(text, ")");
}

static void put_statement(struct text *text)
{
    static const char *const places[] = { "(I,J)",     "(J,I)", "(I,*)",
                                          "(2*I+1,J)", "(:,:)", "(1,I)" };
    const char *array = some_array();

    switch (roll(6)) {
    case 0:
        put(text, "ALIGN %s%s WITH ", array, places[roll(6)]);
        put(text, "%s%s\n", some_array(), places[roll(6)]);
        break;
    case 1: put(text, "STEP %u\n", (unsigned)roll(6)); break;
    case 2:
        put(text, "REDISTRIBUTE %s", array);
        put_formats(text);
        put(text, " ONTO %s\n", roll(2) ? "P" : "Q");
        break;
    case 3:
        put(text, "DESCRIPTOR %s(1,0,%u,%u,%u,%u,0,0,%u) ONTO P\n", array,
            (unsigned)roll(40), (unsigned)roll(40), (unsigned)roll(9), (unsigned)roll(9),
            (unsigned)roll(40));
        break;
    default:
        put(text, "DISTRIBUTE %s", array);
        put_formats(text);
        put(text, " ONTO %s\n", roll(3) ? "P" : "Q");
        break;
    }
}

void some_directives(char *out, size_t size)
{
    struct text text = { out, size, 0 };

    out[0] = '\0';
    put(&text, "PROCESSORS P(%u,%u), Q(%u)\n", 1 + (unsigned)roll(5), 1 + (unsigned)roll(5),
        1 + (unsigned)roll(roll(8) ? 20 : 5000));
    for (uint64_t n = 1 + roll(STATEMENTS); n; n--)
        put_statement(&text);
}
