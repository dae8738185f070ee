/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fghc/parse_priv.h"

/* ---- Trouble ---- */

bool parser_wrong_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    char text[400];
    va_list args;
    if (p->failed)
        return false;
    p->failed = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (column)
        weft_fail_at(p->err, WEFT_ERR_FORMAT, p->path, line, "column %u: %s", column, text);
    else
        weft_fail_at(p->err, WEFT_ERR_FORMAT, p->path, line, "%s", text);
    return false;
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

static void skip_space(struct parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '\n') {
            new_line(p, ++p->at);
        } else if (isspace((unsigned char)*p->at)) {
            p->at++;
        } else if (*p->at == '%') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        } else if (*p->at == '/' && p->at + 1 < p->end && p->at[1] == '*') {
            for (p->at += 2; p->at < p->end; p->at++) {
                if (*p->at == '\n')
                    new_line(p, p->at + 1);
                if (*p->at == '*' && p->at + 1 < p->end && p->at[1] == '/')
                    break;
            }
            p->at = p->at < p->end ? p->at + 2 : p->end;
        } else {
            return;
        }
    }
}

static bool is_symbol(char c)
{
    return c && strchr("+-*/\\^<>=~:.?@#&$", c) != NULL;
}

static bool quoted(struct parser *p, struct token *t, char quote)
{
    size_t most = (size_t)(p->end - p->at), n = 0;
    char *out = weft_arena_alloc(&p->program->arena, most + 1);
    for (p->at++; p->at < p->end; p->at++) {
        char c = *p->at;
        if (c == quote && !(p->at + 1 < p->end && p->at[1] == quote))
            break;
        if (c == quote)
            p->at++;
        if (c == '\n')
            return parser_wrong_at(p, t->line, t->column,
                                   "this %s does not end on its line",
                                   quote == '"' ? "string" : "quoted atom");
        if (c == '\\' && p->at + 1 < p->end) {
            c = *++p->at;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        out[n++] = c;
    }
    if (p->at == p->end)
        return parser_wrong_at(p, t->line, t->column, "this %s has no end",
                               quote == '"' ? "string" : "quoted atom");
    p->at++;
    out[n] = '\0';
    t->text = out;
    t->length = n;
    t->kind = quote == '"' ? TOKEN_STRING : TOKEN_QUOTED;
    return true;
}

static bool number(struct parser *p, struct token *t)
{
    uint64_t value = 0;
    t->kind = TOKEN_INTEGER;
    if (*p->at == '0' && p->at + 2 < p->end && p->at[1] == '\'') {
        t->integer = (unsigned char)p->at[2];
        p->at += 3;
        return true;
    }
    for (; p->at < p->end && isdigit((unsigned char)*p->at); p->at++) {
        unsigned digit = (unsigned)(*p->at - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10)
            return parser_wrong_at(p, t->line, t->column,
                                   "this number does not fit into 64 bits");
        value = value * 10 + digit;
    }
    if (p->at + 1 < p->end && *p->at == '.' && isdigit((unsigned char)p->at[1]))
        return parser_wrong_at(p, t->line, t->column,
                               "floating-point numbers are not supported");
    t->integer = (int64_t)value;
    return true;
}

bool parser_next(struct parser *p)
{
    skip_space(p);
    struct token *t = &p->token;
    *t = (struct token){ .line = p->line,
                         .column = (uint32_t)(p->at - p->line_start) + 1,
                         .text = p->at };
    if (p->failed)
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
    if (isalpha(c) || c == '_') {
        t->kind = isupper(c) || c == '_' ? TOKEN_VARIABLE : TOKEN_NAME;
        while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
            p->at++;
    } else if (is_symbol((char)c)) {
        t->kind = TOKEN_NAME;
        while (p->at < p->end && is_symbol(*p->at))
            p->at++;
        if (p->at - t->text == 2 && memcmp(t->text, "->", 2) == 0)
            return parser_wrong_at(p, t->line, t->column,
                                   "conditions (a -> b ; c) are not supported");
    } else if (c == ';' || c == '!') {
        return parser_wrong_at(p, t->line, t->column, "'%s' is not part of FGHC",
                               c == ';' ? ";" : "!");
    } else {
        return parser_wrong_at(p, t->line, t->column, "a character that begins no term");
    }
    t->length = (size_t)(p->at - t->text);
    t->before_open = p->at < p->end && *p->at == '(';
    return true;
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
