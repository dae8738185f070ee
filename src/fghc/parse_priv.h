/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the parser: lex.c makes tokens, parse.c terms of them (operator precedence, for the
 * part of Prolog's syntax that FGHC and KL1 use), clauses.c clauses of those, resolve.c finds
 * what their goals are.
 */
#ifndef WEFT_FGHC_PARSE_PRIV_H
#define WEFT_FGHC_PARSE_PRIV_H

#include "fghc/program.h"

enum {
    MOST_ARITY = 255,      /* a goal keeps its number of arguments in 8 bits */
    MOST_VARIABLES = 4096, /* of a clause: a small part of its MOST_REGISTERS */
    MOST_DEPTH = 2000,     /* of nested terms: the parser recurses, on a stack of 8 MB */
    MOST_NAME = 1 << 20,   /* bytes of a name or string */
};

enum token_kind {
    TOKEN_END, /* of the text */
    TOKEN_STOP,
    TOKEN_NAME,
    TOKEN_QUOTED,
    TOKEN_VARIABLE,
    TOKEN_INTEGER,
    TOKEN_STRING,
    TOKEN_MARK, /* ( ) [ ] { } , | */
};

struct token {
    enum token_kind kind;
    char mark;
    bool before_open; /* "name(" without a space */
    const char *text;
    size_t length;
    int64_t integer;
    uint32_t line, column;
};

struct variable {
    const char *text;
    size_t length;
    uint32_t uses;
};

struct parser {
    struct program *program;
    const char *path, *at, *end, *line_start;
    uint32_t line;
    struct token token;
    struct variable variables[MOST_VARIABLES];
    uint32_t n_variables, depth;
    bool otherwise;
    struct weft_err *err;
    bool failed;
};

/* Keep an error, unless there is one already; returns false. */
WEFT_PRINTF(4, 5)
bool parser_wrong_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt,
                     ...);
bool parser_wrong(struct parser *p, const char *text); /* at the token */
/*
 * Read the next token into p->token; false when the text is not a token: that is an error.
 */
bool parser_next(struct parser *p);
bool parser_is_name(const struct parser *p, const char *text);
bool parser_is_mark(const struct parser *p, char mark);
/* Parse a term whose operators have a priority of at most MOST. */
bool parser_expression(struct parser *p, int most, struct node *out);
struct node *parser_nodes(struct parser *p, const struct node *nodes, size_t n);
/* True of an expression that arithmetic can evaluate; else keeps an error. */
bool parser_check_number(struct parser *p, const struct node *node);
/*
 * Find what each goal is: call, unification or assignment.  Fails when a procedure is
 * missing.
 */
bool parser_resolve(struct parser *p);

#endif
