/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "domains/trees/fghc/operators.h"
#include "domains/trees/fghc/parse_priv.h"

/* ---- Errors and warnings ---- */

WEFT_PRINTF(5, 0)
static void add_note(struct parser *p, bool is_error, uint32_t line, uint32_t column,
                     const char *fmt, va_list args)
{
    struct program_notes *notes = &p->program->notes;
    size_t *count = is_error ? &notes->n_errors : &notes->n_warnings;
    char text[400];
    if ((*count)++ >= MAX_NOTES)
        return;
    vsnprintf(text, sizeof text, fmt, args);
    notes->list =
        weft_grow(notes->list, &notes->capacity, notes->n + 1, sizeof *notes->list);
    struct program_note *note = &notes->list[notes->n++];
    *note = (struct program_note){ .is_error = is_error };
    if (column)
        weft_fail_at(&note->err, WEFT_ERR_FORMAT, p->path, line, "column %u: %s", column,
                     text);
    else
        weft_fail_at(&note->err, WEFT_ERR_FORMAT, p->path, line, "%s", text);
}

bool parser_wrong_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    va_list args;
    if (p->failed)
        return false;
    p->failed = true;
    va_start(args, fmt);
    add_note(p, true, line, column, fmt, args);
    va_end(args);
    return false;
}

void parser_warn_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_note(p, false, line, column, fmt, args);
    va_end(args);
}

bool parser_wrong(struct parser *p, const char *text)
{
    return parser_wrong_at(p, p->token.line, p->token.column, "%s", text);
}

/* ---- Tokens ---- */

static void new_line(struct parser *p, const char *at)
{
    p->line++;
    p->line_start = at;
}

/* Skips a comment; one without an end is an error, since it would hide the rest of the
 * program. */
static bool skip_comment(struct parser *p)
{
    uint32_t line = p->line, column = (uint32_t)(p->at - p->line_start) + 1;
    p->comment = p->at;
    for (p->at += 2; p->at < p->end; p->at++) {
        if (*p->at == '\n')
            new_line(p, p->at + 1);
        if (*p->at == '*' && p->at + 1 < p->end && p->at[1] == '/') {
            p->at += 2;
            return true;
        }
    }
    return parser_wrong_at(p, line, column, "this comment has no end, */");
}

static bool skip_space(struct parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '\n') {
            new_line(p, ++p->at);
        } else if (isspace((unsigned char)*p->at)) {
            p->at++;
        } else if (*p->at == '%') {
            p->comment = p->at;
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        } else if (*p->at == '/' && p->at + 1 < p->end && p->at[1] == '*') {
            if (!skip_comment(p))
                return false;
        } else {
            return true;
        }
    }
    return true;
}

/* Reads the digits of an escape, \ooo or \xhh, at most MOST. */
static char escaped_code(struct parser *p, unsigned base, unsigned most)
{
    unsigned code = 0;
    for (unsigned n = 0; n < most && p->at < p->end; n++, p->at++) {
        unsigned char c = (unsigned char)*p->at;
        unsigned digit = isdigit(c)    ? (unsigned)c - '0'
                         : isxdigit(c) ? (unsigned)tolower(c) - 'a' + 10
                                       : base;
        if (digit >= base)
            break;
        code = code * base + digit;
    }
    return (char)code;
}

/* Reads the escape behind a backslash; returns false for the end of a line, which gives no
 * byte. */
static bool escaped(struct parser *p, char *out)
{
    static const char names[] = "abtnvfr", codes[] = "\a\b\t\n\v\f\r";
    char c = *p->at;
    const char *name = c ? strchr(names, c) : NULL;
    if (c >= '0' && c <= '7') {
        *out = escaped_code(p, 8, 3);
        return true;
    }
    p->at++;
    if (c == 'x')
        *out = escaped_code(p, 16, 2);
    else if (c == '\n')
        new_line(p, p->at);
    else
        *out = name ? codes[name - names] : c;
    return c != '\n';
}

/* Returns an upper bound of the bytes of a quoted token, which ends at the latest with its
 * line. */
static size_t quoted_bytes(const struct parser *p, char quote)
{
    const char *at = p->at + 1;
    while (at < p->end && *at != '\n') {
        bool is_pair = at + 1 < p->end && (*at == '\\' || (*at == quote && at[1] == quote));
        if (*at == quote && !is_pair)
            break;
        at += is_pair ? 2 : 1;
    }
    return (size_t)(at - p->at);
}

static bool quoted(struct parser *p, struct token *t, char quote)
{
    /* Room for the bytes and a NUL: escapes never make the text longer. */
    char *out = weft_arena_alloc(parser_arena(p), quoted_bytes(p, quote) + 1);
    const char *what = quote == '"' ? "string" : "quoted atom";
    bool ends = false;
    size_t n = 0;
    for (p->at++; p->at < p->end && !ends;) {
        char c = *p->at++;
        if (c == '\n')
            return parser_wrong_at(p, t->line, t->column,
                                   "this %s does not end on its line", what);
        if (c == '\\' && p->at < p->end) {
            n += escaped(p, &out[n]);
        } else if (c != quote) {
            out[n++] = c;
        } else if (p->at < p->end && *p->at == quote) {
            out[n++] = *p->at++;
        } else {
            ends = true;
        }
    }
    if (!ends)
        return parser_wrong_at(p, t->line, t->column, "this %s has no end", what);
    if (quote == '\'' && memchr(out, 0, n))
        return parser_wrong_at(p, t->line, t->column, "an atom cannot hold the code 0");
    if (quote == '"' && n > MAX_STRING)
        return parser_wrong_at(p, t->line, t->column, "a string of more than %d bytes",
                               MAX_STRING);
    out[n] = '\0';
    t->text = out;
    t->length = n;
    t->kind = quote == '"' ? TOKEN_STRING : TOKEN_QUOTED;
    return true;
}

static bool digits(struct parser *p, struct token *t, unsigned base)
{
    uint64_t value = 0;
    for (; p->at < p->end && isalnum((unsigned char)*p->at); p->at++) {
        unsigned char c = (unsigned char)*p->at;
        unsigned digit = isdigit(c) ? (unsigned)c - '0' : (unsigned)tolower(c) - 'a' + 10;
        if (digit >= base)
            break;
        /* 2^63 is allowed here, since a minus may stand before it. */
        if (value > ((UINT64_C(1) << 63) - digit) / base)
            return parser_wrong_at(p, t->line, t->column,
                                   "this number does not fit into 64 bits");
        value = value * base + digit;
    }
    t->integer = (int64_t)value;
    t->is_minimum = value > INT64_MAX;
    return true;
}

/* Reads a number: decimal, with a base (16'ff), or the code of a character (0'c). */
static bool number(struct parser *p, struct token *t)
{
    t->kind = TOKEN_INTEGER;
    if (*p->at == '0' && p->at + 2 < p->end && p->at[1] == '\'') {
        char code = p->at[2];
        p->at += 3;
        if (code == '\\' && p->at < p->end)
            (void)escaped(p, &code);
        t->integer = (unsigned char)code;
        return true;
    }
    if (!digits(p, t, 10))
        return false;
    if (p->at + 1 < p->end && *p->at == '\'' && t->integer >= 2 && t->integer <= 36
        && isalnum((unsigned char)p->at[1])) {
        p->at++;
        return digits(p, t, (unsigned)t->integer);
    }
    if (p->at + 1 < p->end && *p->at == '.' && isdigit((unsigned char)p->at[1]))
        return parser_wrong_at(p, t->line, t->column,
                               "floating-point numbers are not supported");
    return true;
}

static bool other(struct parser *p, struct token *t, unsigned char c)
{
    t->kind = TOKEN_NAME;
    if (isalpha(c) || c == '_') {
        if (isupper(c) || c == '_')
            t->kind = TOKEN_VARIABLE;
        while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
            p->at++;
    } else if (operator_symbol((char)c)) {
        while (p->at < p->end && operator_symbol(*p->at))
            p->at++;
    } else {
        p->at++; /* reading goes on behind an error, too */
        if (c != ';' && c != '!')
            return parser_wrong_at(p, t->line, t->column,
                                   "a character that begins no term");
    }
    t->length = (size_t)(p->at - t->text);
    t->before_open = p->at < p->end && *p->at == '(';
    return true;
}

bool parser_next(struct parser *p)
{
    struct token *t = &p->token;
    if (parser_is_too_large(p) || weft_job_cancelled(p->job))
        return parser_wrong_at(p, p->line, 0, "this cannot be read to its end");
    bool ok = skip_space(p);
    *t = (struct token){ .line = p->line,
                         .column = (uint32_t)(p->at - p->line_start) + 1,
                         .text = p->at };
    if (!ok || p->failed)
        return false;
    if (p->at >= p->end)
        return true;
    unsigned char c = (unsigned char)*p->at;
    if (isdigit(c))
        return number(p, t);
    if (c == '\'' || c == '"') {
        if (!quoted(p, t, (char)c))
            return false;
        t->before_open = c == '\'' && p->at < p->end && *p->at == '(';
        return true;
    }
    if (strchr("()[]{},|", c)) {
        t->kind = TOKEN_MARK;
        t->mark = (char)c;
        p->at++;
        return true;
    }
    if (c == '.'
        && (p->at + 1 == p->end || isspace((unsigned char)p->at[1]) || p->at[1] == '%')) {
        t->kind = TOKEN_STOP;
        p->at++;
        return true;
    }
    return other(p, t, c);
}

void parser_skip_clause(struct parser *p)
{
    p->failed = false;
    while (p->token.kind != TOKEN_STOP && p->at < p->end) {
        bool ok = parser_next(p);
        p->failed = false;
        if (!ok)
            p->token.kind = TOKEN_END;
    }
}

bool parser_is_name(const struct parser *p, const char *text)
{
    return p->token.kind == TOKEN_NAME && strlen(text) == p->token.length
           && memcmp(p->token.text, text, p->token.length) == 0;
}

bool parser_is_mark(const struct parser *p, char mark)
{
    return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}
