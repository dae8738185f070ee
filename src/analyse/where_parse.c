/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of selections:
 *
 *     any   = all { "or" all }
 *     all   = part { "and" part }
 *     part  = "not" part | "(" any ")" | name [ operator value ]
 *
 * A name or a value is a text in quotes, or the words up to the next operator, "and", "or",
 * or parenthesis.
 */
#include <string.h>

#include "analyse/where_selection_priv.h"

enum token {
    TOKEN_END,
    TOKEN_WORD, /* without quotes, and no keyword */
    TOKEN_QUOTED,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_OPERATOR, /* also "in" */
    TOKEN_WRONG,    /* a quote without its end, or a "!" */
};

struct parser {
    struct weft_arena *arena;
    const char *text;
    struct weft_err *err;
    unsigned depth, n_nodes;
    /* the token to be looked at next */
    enum token token;
    size_t at, after; /* its bytes */
    enum where_operator op;
};

/* Returns the number, from 1, of the character at byte AT. */
static size_t character_at(const char *text, size_t at)
{
    size_t n = 1;
    for (size_t i = 0; i < at; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

bool where_fail(struct weft_err *err, const char *text, size_t at, size_t size,
                const char *fmt, ...)
{
    enum { MOST = 60 }; /* bytes of the word that are shown */
    char why[400];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(why, sizeof why, fmt, arguments);
    va_end(arguments);
    if (!size)
        return weft_fail(err, WEFT_ERR_USAGE, "selection, at its end: %s", why);
    return weft_fail(err, WEFT_ERR_USAGE, "selection, character %zu, '%.*s'%s: %s",
                     character_at(text, at), (int)(size < MOST ? size : MOST), text + at,
                     size < MOST ? "" : "…", why);
}

/* ---- Tokens ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Sets the token to an operator of signs if one is at P; returns its bytes, else 0. */
static size_t take_signs(struct parser *parser, const char *p)
{
    static const struct {
        const char *text;
        enum where_operator op;
    } signs[] = {
        { "==", WHERE_IS },       { "!=", WHERE_IS_NOT }, { "<=", WHERE_AT_MOST },
        { ">=", WHERE_AT_LEAST }, { "=", WHERE_IS },      { "<", WHERE_LESS },
        { ">", WHERE_MORE },      { "~", WHERE_LIKE },
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(p, signs[i].text, strlen(signs[i].text)) == 0) {
            parser->op = signs[i].op;
            return strlen(signs[i].text);
        }
    return 0;
}

static bool ends_word(const char *p)
{
    return !*p || is_space(*p) || strchr("()=<>~\"", *p) || (*p == '!' && p[1] == '=');
}

static enum token word_token(struct parser *parser, const char *word, size_t size)
{
    static const struct {
        const char *text;
        enum token token;
    } keywords[] = { { "and", TOKEN_AND },
                     { "or", TOKEN_OR },
                     { "not", TOKEN_NOT },
                     { "in", TOKEN_OPERATOR } };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i].text) == size && memcmp(keywords[i].text, word, size) == 0) {
            parser->op = WHERE_IN;
            return keywords[i].token;
        }
    return TOKEN_WORD;
}

/* Looks at the next token. */
static void advance(struct parser *parser)
{
    const char *text = parser->text, *p = text + parser->after;
    while (is_space(*p))
        p++;
    parser->at = (size_t)(p - text);
    size_t size = 1;
    if (!*p) {
        parser->token = TOKEN_END;
        size = 0;
    } else if (*p == '(' || *p == ')') {
        parser->token = *p == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
    } else if (*p == '"') {
        while (p[size] && p[size] != '"')
            size += p[size] == '\\' && p[size + 1] ? 2 : 1;
        parser->token = p[size] ? TOKEN_QUOTED : TOKEN_WRONG;
        size += p[size] == '"';
    } else if ((size = take_signs(parser, p))) {
        parser->token = TOKEN_OPERATOR;
    } else {
        while (!ends_word(p + size))
            size++;
        parser->token = word_token(parser, p, size);
    }
    parser->after = parser->at + size;
}

static bool fail_here(struct parser *parser, const char *why)
{
    return where_fail(parser->err, parser->text, parser->at, parser->after - parser->at,
                      "%s", why);
}

/* ---- Grammar ---- */

static struct where_syntax *new_node(struct parser *parser, enum where_kind kind)
{
    if (++parser->n_nodes > WEFT_WHERE_TERMS) {
        fail_here(parser, "the selection has too many terms");
        return NULL;
    }
    struct where_syntax *node = weft_arena_zalloc(parser->arena, 1, sizeof *node);
    node->kind = kind;
    return node;
}

/* Takes a text in quotes, in which \ stands before a quote or another \. */
static void take_quoted(struct parser *parser, struct where_word *word)
{
    const char *from = parser->text + parser->at + 1;
    size_t size = parser->after - parser->at - 2, n = 0;
    char *copy = weft_arena_alloc(parser->arena, size + 1);
    for (size_t i = 0; i < size; i++) {
        i += from[i] == '\\' && i + 1 < size;
        copy[n++] = from[i];
    }
    copy[n] = '\0';
    *word = (struct where_word){ copy, parser->at, parser->after - parser->at, true };
    advance(parser);
}

/* Takes words up to what ends them; IS_VALUE: "in" and "not" are words of it, too. */
static void take_words(struct parser *parser, bool is_value, struct where_word *word)
{
    size_t first = parser->at, after = parser->after;
    for (;;) {
        bool keyword = parser->token == TOKEN_NOT
                       || (parser->token == TOKEN_OPERATOR && parser->op == WHERE_IN);
        if (parser->token != TOKEN_WORD && !(is_value && keyword))
            break;
        after = parser->after;
        advance(parser);
    }
    *word =
        (struct where_word){ weft_arena_printf(parser->arena, "%.*s", (int)(after - first),
                                               parser->text + first),
                             first, after - first, false };
}

static bool take_value(struct parser *parser, struct where_syntax *term)
{
    if (parser->token == TOKEN_QUOTED)
        take_quoted(parser, &term->value);
    else if (parser->token == TOKEN_WORD)
        take_words(parser, true, &term->value);
    else
        return fail_here(parser, parser->token == TOKEN_WRONG
                                     ? "the quote has no end"
                                     : "a value is missing here (a text with signs or "
                                       "keywords is written in quotes)");
    return true;
}

static struct where_syntax *parse_part(struct parser *parser);
static struct where_syntax *parse_any(struct parser *parser);

static struct where_syntax *parse_term(struct parser *parser)
{
    struct where_syntax *term = new_node(parser, WHERE_TERM);
    if (!term)
        return NULL;
    if (parser->token == TOKEN_QUOTED)
        take_quoted(parser, &term->name);
    else
        take_words(parser, false, &term->name);
    if (parser->token != TOKEN_OPERATOR)
        return term;
    term->op = parser->op;
    advance(parser);
    return take_value(parser, term) ? term : NULL;
}

static struct where_syntax *parse_inner(struct parser *parser)
{
    enum token token = parser->token;
    advance(parser);
    if (token == TOKEN_NOT) {
        struct where_syntax *not = new_node(parser, WHERE_NOT);
        return not &&(not ->first = parse_part(parser)) ? not : NULL;
    }
    struct where_syntax *inner = parse_any(parser);
    if (!inner)
        return NULL;
    if (parser->token != TOKEN_CLOSE) {
        fail_here(parser, "a ) is missing");
        return NULL;
    }
    advance(parser);
    return inner;
}

static struct where_syntax *parse_part(struct parser *parser)
{
    struct where_syntax *part = NULL;
    switch (parser->token) {
    case TOKEN_WORD:
    case TOKEN_QUOTED: return parse_term(parser);
    case TOKEN_NOT:
    case TOKEN_OPEN:
        if (++parser->depth > WEFT_WHERE_DEPTH)
            fail_here(parser, "this is nested too deeply");
        else
            part = parse_inner(parser);
        parser->depth--;
        return part;
    case TOKEN_WRONG: fail_here(parser, "the quote has no end"); return NULL;
    case TOKEN_END:
    case TOKEN_CLOSE:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_OPERATOR: break;
    }
    fail_here(parser, "a term is missing here, such as blocked, or duration > 1ms");
    return NULL;
}

/* Parses parts that JOIN joins; each is parsed by PARSE. */
static struct where_syntax *parse_joined(struct parser *parser, enum token join,
                                         enum where_kind kind,
                                         struct where_syntax *(*parse)(struct parser *))
{
    struct where_syntax *first = parse(parser);
    if (!first || parser->token != join)
        return first;
    struct where_syntax *joined = new_node(parser, kind);
    if (!joined)
        return NULL;
    joined->first = first;
    for (struct where_syntax *last = first; parser->token == join; last = last->next) {
        advance(parser);
        if (!(last->next = parse(parser)))
            return NULL;
    }
    return joined;
}

static struct where_syntax *parse_all(struct parser *parser)
{
    return parse_joined(parser, TOKEN_AND, WHERE_AND, parse_part);
}

static struct where_syntax *parse_any(struct parser *parser)
{
    return parse_joined(parser, TOKEN_OR, WHERE_OR, parse_all);
}

const struct where_syntax *where_parse(struct weft_arena *arena, const char *text,
                                       struct weft_err *err)
{
    struct parser parser = { .arena = arena, .text = text, .err = err };
    if (strlen(text) > WEFT_WHERE_BYTES) {
        weft_fail(err, WEFT_ERR_USAGE, "the selection is longer than %d bytes",
                  WEFT_WHERE_BYTES);
        return NULL;
    }
    advance(&parser);
    if (parser.token == TOKEN_END)
        return new_node(&parser, WHERE_ALL);
    const struct where_syntax *all = parse_any(&parser);
    if (all && parser.token != TOKEN_END) {
        fail_here(&parser, parser.token == TOKEN_CLOSE
                               ? "there is no ( for it"
                               : "here must be and, or, or the end (a text with signs is "
                                 "written in quotes)");
        return NULL;
    }
    return all;
}

const char *weft_where_and(struct weft_arena *arena, const char *where, const char *term,
                           const char *text)
{
    enum { MOST = 256 };
    char quoted[2 * MOST + 1], *at = quoted;
    if (!where || strnlen(text, MOST + 1) > MOST)
        return NULL;
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *at++ = '\\';
        *at++ = *text;
    }
    *at = '\0';
    return weft_arena_printf(arena, "%s%s%s \"%s\"", where, where[0] ? " and " : "", term,
                             quoted);
}
