/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/fghc/operators.h"

#include <string.h>

static const struct operator_entry infix[] = {
    { ":-", 1200, 1199, 1199 }, { "|", 1100, 1099, 1100 }, { ";", 1100, 1099, 1100 },
    { "->", 1050, 1049, 1050 }, { ",", 1000, 999, 1000 },  { "=", 700, 699, 699 },
    { ":=", 700, 699, 699 },    { "=:=", 700, 699, 699 },  { "=\\=", 700, 699, 699 },
    { "\\=", 700, 699, 699 },   { "==", 700, 699, 699 },   { "\\==", 700, 699, 699 },
    { "<", 700, 699, 699 },     { ">", 700, 699, 699 },    { "=<", 700, 699, 699 },
    { ">=", 700, 699, 699 },    { "<=", 700, 699, 699 },   { "@<", 700, 699, 699 },
    { "@>", 700, 699, 699 },    { "@=<", 700, 699, 699 },  { "@>=", 700, 699, 699 },
    { "is", 700, 699, 699 },    { "=..", 700, 699, 699 },  { "=>", 700, 699, 699 },
    { "<==", 700, 699, 699 },   { "+=", 700, 699, 699 },   { "-=", 700, 699, 699 },
    { "*=", 700, 699, 699 },    { "/=", 700, 699, 699 },   { "$:=", 700, 699, 699 },
    { "$<", 700, 699, 699 },    { "$>", 700, 699, 699 },   { "$=<", 700, 699, 699 },
    { "$>=", 700, 699, 699 },   { "$=:=", 700, 699, 699 }, { "$=\\=", 700, 699, 699 },
    { "@", 650, 649, 649 },     { ":", 640, 639, 640 },    { "+", 500, 500, 499 },
    { "-", 500, 500, 499 },     { "/\\", 500, 500, 499 },  { "\\/", 500, 500, 499 },
    { "xor", 500, 500, 499 },   { "*", 400, 400, 399 },    { "/", 400, 400, 399 },
    { "//", 400, 400, 399 },    { "mod", 400, 400, 399 },  { "<<", 400, 400, 399 },
    { ">>", 400, 400, 399 },    { "^", 200, 199, 200 },    { "#", 100, 99, 99 },
};
static const struct operator_entry prefix[] = {
    { ":-", 1200, 0, 1199 },
    { "?-", 1200, 0, 1199 },
    { "module", 1150, 0, 1149 },
    { "public", 1150, 0, 1149 },
    { "with_macro", 1150, 0, 1149 },
    { "\\+", 900, 0, 900 },
    { "-", 200, 0, 200 },
    { "+", 200, 0, 200 },
    { "\\", 200, 0, 200 },
    { "~", 200, 0, 200 },
};

static const struct operator_entry *find(const struct operator_entry *list, size_t n,
                                         const char *text, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].text[0] == text[0] && strlen(list[i].text) == length
            && memcmp(list[i].text, text, length) == 0)
            return &list[i];
    return NULL;
}

const struct operator_entry *operator_infix(const char *text, size_t length)
{
    return length ? find(infix, sizeof infix / sizeof *infix, text, length) : NULL;
}

const struct operator_entry *operator_prefix(const char *text, size_t length)
{
    return length ? find(prefix, sizeof prefix / sizeof *prefix, text, length) : NULL;
}

bool operator_symbol(char c)
{
    return c && strchr("+-*/\\^<>=~:.?@#&$`", c) != NULL;
}
