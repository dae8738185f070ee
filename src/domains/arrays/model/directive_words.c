/* SPDX-License-Identifier: Apache-2.0 */
/* Reads words, names and expressions of directives. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "domains/arrays/model/directives.h"

/* ---- Errors ---- */

static WEFT_PRINTF(3, 0) bool fail(struct directives *d, uint32_t line, const char *fmt,
                                   va_list arguments)
{
    char message[sizeof d->err->message];
    vsnprintf(message, sizeof message, fmt, arguments);
    return weft_fail_at(d->err, WEFT_ERR_FORMAT, d->file, line, "%s", message);
}

uint32_t directive_line(const struct directives *d)
{
    size_t at = d->word.at < d->statement.n ? d->word.at : d->statement.n;
    return d->statement.lines[at];
}

bool directive_fail(struct directives *d, const char *fmt, ...)
{
    va_list arguments;
    va_start(arguments, fmt);
    fail(d, directive_line(d), fmt, arguments);
    va_end(arguments);
    return false;
}

bool directive_fail_at(struct directives *d, uint32_t line, const char *fmt, ...)
{
    va_list arguments;
    va_start(arguments, fmt);
    fail(d, line, fmt, arguments);
    va_end(arguments);
    return false;
}

/* ---- Words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_number(struct directives *d, const char *text)
{
    struct word *word = &d->word;
    word->kind = WORD_NUMBER;
    for (; is_digit(text[word->at + word->n]); word->n++)
        if (__builtin_mul_overflow(word->number, 10, &word->number)
            || __builtin_add_overflow(word->number, text[word->at + word->n] - '0',
                                      &word->number))
            return directive_fail(d, "this number is too large");
    return true;
}

static bool read_word(struct directives *d, size_t at)
{
    const char *text = d->statement.text;
    while (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')
        at++;
    struct word *word = &d->word;
    *word = (struct word){ .kind = WORD_END, .at = at };
    if (at >= d->statement.n)
        return true;
    if (is_letter(text[at])) {
        word->kind = WORD_NAME;
        while (is_letter(text[at + word->n]) || is_digit(text[at + word->n]))
            word->n++;
        return true;
    }
    if (is_digit(text[at]))
        return read_number(d, text);
    bool twice = text[at] == ':' && text[at + 1] == ':';
    word->kind = WORD_SIGN;
    word->sign = twice ? ';' : text[at];
    word->n = twice ? 2 : 1;
    return true;
}

bool directive_first_word(struct directives *d)
{
    return read_word(d, 0);
}

bool directive_next_word(struct directives *d)
{
    return read_word(d, d->word.at + d->word.n);
}

bool directive_is(const struct directives *d, const char *name)
{
    return d->word.kind == WORD_NAME && strlen(name) == d->word.n
           && strncasecmp(d->statement.text + d->word.at, name, d->word.n) == 0;
}

bool directive_at(const struct directives *d, char sign)
{
    return d->word.kind == WORD_SIGN && d->word.sign == sign;
}

bool directive_skip(struct directives *d, char sign, bool *taken)
{
    *taken = directive_at(d, sign);
    return !*taken || directive_next_word(d);
}

/* The next word as shown in errors. */
static const char *shown(const struct directives *d, char out[40])
{
    if (d->word.kind == WORD_END)
        return "the line ends";
    snprintf(out, 40, "\"%.*s\" stands there", d->word.n < 20 ? (int)d->word.n : 20,
             d->statement.text + d->word.at);
    return out;
}

bool directive_expect(struct directives *d, char sign, const char *where)
{
    char text[40];
    if (!directive_at(d, sign))
        return directive_fail(d, "a %s is missing %s: %s",
                              sign == ';' ? "::" : (char[]){ sign, 0 }, where,
                              shown(d, text));
    return directive_next_word(d);
}

bool directive_expect_end(struct directives *d)
{
    char text[40];
    return d->word.kind == WORD_END
           || directive_fail(d, "the directive should end here, but %s", shown(d, text));
}

bool directive_name(struct directives *d, const char *what, char **out)
{
    char text[40];
    if (d->word.kind != WORD_NAME)
        return directive_fail(d, "the name of %s is missing: %s", what, shown(d, text));
    *out = weft_strndup(d->statement.text + d->word.at, d->word.n);
    if (directive_next_word(d))
        return true;
    free(*out);
    *out = NULL; /* callers free *OUT even on failure */
    return false;
}

/* ---- Expressions ---- */

struct expression {
    struct directives *d;
    char *const *names;
    uint32_t n_names;
    int depth;
};

enum { DEEPEST = 50 }; /* nesting of parentheses */

static bool read_sum(struct expression *e, struct linear *out);

static bool too_large(struct expression *e)
{
    return directive_fail(e->d, "this expression is too large");
}

static bool named(struct expression *e, struct linear *out)
{
    struct directives *d = e->d;
    const char *text = d->statement.text + d->word.at;
    *out = (struct linear){ .name = -1 };
    for (uint32_t i = 0; i < e->n_names && out->name < 0; i++)
        if (e->names[i] && strlen(e->names[i]) == d->word.n
            && strncasecmp(e->names[i], text, d->word.n) == 0)
            *out = (struct linear){ .name = (int)i, .factor = 1 };
    if (out->name < 0 && !directive_value(d, text, d->word.n, &out->constant))
        return directive_fail(d, "\"%.*s\" is no %s here", (int)d->word.n, text,
                              e->n_names ? "index of the alignment, and no constant"
                                         : "constant: a number, or a PARAMETER");
    return directive_next_word(d);
}

static bool read_factor(struct expression *e, struct linear *out)
{
    struct directives *d = e->d;
    bool taken, ok;
    if (!directive_skip(d, '(', &taken))
        return false;
    if (taken) {
        if (++e->depth > DEEPEST)
            return too_large(e);
        ok = read_sum(e, out) && directive_expect(d, ')', "behind this expression");
        e->depth--;
        return ok;
    }
    if (d->word.kind == WORD_NAME)
        return named(e, out);
    if (d->word.kind != WORD_NUMBER) {
        char text[40];
        return directive_fail(d, "a number is missing: %s", shown(d, text));
    }
    *out = (struct linear){ .constant = d->word.number, .name = -1 };
    return directive_next_word(d);
}

static bool multiply(struct expression *e, struct linear *a, const struct linear *b)
{
    if (a->name >= 0 && b->name >= 0)
        return directive_fail(e->d, "an index may be multiplied with constants only");
    const struct linear *variable = b->name >= 0 ? b : a;
    int64_t by = b->name >= 0 ? a->constant : b->constant;
    struct linear product = { .name = variable->name };
    if (__builtin_mul_overflow(variable->factor, by, &product.factor)
        || __builtin_mul_overflow(variable->constant, by, &product.constant))
        return too_large(e);
    *a = product;
    return true;
}

static bool divide(struct expression *e, struct linear *a, const struct linear *b)
{
    if (a->name >= 0 || b->name >= 0 || !b->constant
        || (a->constant == INT64_MIN && b->constant == -1))
        return directive_fail(e->d, "only constants may be divided, and not by 0");
    a->constant /= b->constant;
    return true;
}

static bool read_product(struct expression *e, struct linear *out)
{
    struct linear other;
    if (!read_factor(e, out))
        return false;
    while (directive_at(e->d, '*') || directive_at(e->d, '/')) {
        bool by = directive_at(e->d, '*');
        if (!directive_next_word(e->d) || !read_factor(e, &other)
            || !(by ? multiply(e, out, &other) : divide(e, out, &other)))
            return false;
    }
    return true;
}

static bool add(struct expression *e, struct linear *a, const struct linear *b, bool minus)
{
    int64_t sign = minus ? -1 : 1, factor, constant;
    if (a->name >= 0 && b->name >= 0 && a->name != b->name)
        return directive_fail(e->d, "an expression may have one index only");
    if (__builtin_mul_overflow(b->factor, sign, &factor)
        || __builtin_mul_overflow(b->constant, sign, &constant)
        || __builtin_add_overflow(a->factor, factor, &a->factor)
        || __builtin_add_overflow(a->constant, constant, &a->constant))
        return too_large(e);
    a->name = a->name >= 0 ? a->name : b->name;
    return true;
}

static bool read_sum(struct expression *e, struct linear *out)
{
    struct linear term;
    bool first = true;
    *out = (struct linear){ .name = -1 };
    while (first || directive_at(e->d, '+') || directive_at(e->d, '-')) {
        bool minus = directive_at(e->d, '-');
        if ((minus || directive_at(e->d, '+')) && !directive_next_word(e->d))
            return false;
        if (!read_product(e, &term) || !add(e, out, &term, minus))
            return false;
        first = false;
    }
    return true;
}

bool directive_expression(struct directives *d, char *const *names, uint32_t n,
                          struct linear *out)
{
    struct expression e = { d, names, n, 0 };
    return read_sum(&e, out);
}

bool directive_constant(struct directives *d, int64_t *out)
{
    struct linear value;
    if (!directive_expression(d, NULL, 0, &value))
        return false;
    *out = value.constant;
    return true;
}
