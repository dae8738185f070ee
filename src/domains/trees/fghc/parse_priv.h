/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the parser: lex.c makes tokens, parse.c terms of them (operator precedence, for the
 * part of Prolog's syntax that FGHC and KL1 use), clauses.c clauses of those, resolve.c finds
 * what their goals are; pairs.c and named.c rewrite what KL1 has in short.
 */
#ifndef WEFT_FGHC_PARSE_PRIV_H
#define WEFT_FGHC_PARSE_PRIV_H

#include <string.h>

#include "base/job.h"
#include "domains/trees/fghc/program.h"

enum {
    MOST_ARITY = 255,      /* a goal keeps its number of arguments in 8 bits */
    MOST_VARIABLES = 4096, /* of a clause: a small part of its MOST_REGISTERS */
    MOST_DEPTH = 2000,     /* of nested terms: the parser recurses, on a stack of 8 MB */
    MOST_NOTES = 50,       /* errors, and as many warnings, that are kept */
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
    bool is_minimum; /* an integer: 2^63, which needs a minus before it */
    uint32_t line, column;
};

struct variable {
    const char *text;
    size_t length;
    uint32_t uses, line, column; /* the place: of its first use */
};

struct parser {
    struct program *program;
    struct weft_arena *arena; /* of terms and strings; NULL: the program's */
    size_t most_bytes;        /* in that arena; 0: no limit */
    const struct weft_job *job;
    const char *path, *at, *end, *line_start;
    const char *comment; /* the last one: where it begins */
    uint32_t line;
    struct token token;
    struct variable variables[MOST_VARIABLES];
    uint32_t n_variables, depth;
    uint32_t height;      /* of the term read last: terms in terms, elements in lists */
    uint32_t module;      /* that the clauses are of */
    uint32_t procedure;   /* the name of the one being read */
    uint32_t n_auxiliary; /* of the procedures that conditions became */
    struct added {        /* by the clause that is being read */
        uint32_t procedure, clause;
    } * added;
    size_t n_added, added_capacity;
    bool otherwise;
    bool failed; /* the clause that is being read */
};

static inline struct weft_arena *parser_arena(struct parser *p)
{
    return p->arena ? p->arena : &p->program->arena;
}
/* True when the terms that were read take more than they may. */
static inline bool parser_is_too_large(const struct parser *p)
{
    return p->most_bytes && p->arena->used > p->most_bytes;
}
/* Keep an error, unless this clause has one already; returns false. */
WEFT_PRINTF(4, 5)
bool parser_wrong_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt,
                     ...);
bool parser_wrong(struct parser *p, const char *text); /* at the token */
WEFT_PRINTF(4, 5)
void parser_warn_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt, ...);
/* After an error: go on behind the next full stop. */
void parser_skip_clause(struct parser *p);
/*
 * Read the next token into p->token; false when the text is not a token: that is an error.  So
 * is the end of the job, and of the memory that there may be.
 */
bool parser_next(struct parser *p);
bool parser_is_name(const struct parser *p, const char *text);
bool parser_is_mark(const struct parser *p, char mark);
/* Parse a term whose operators have a priority of at most MOST. */
bool parser_expression(struct parser *p, int most, struct node *out);
/* The name of an atom or structure, else "". */
static inline const char *parser_name_of(const struct parser *p, const struct node *node)
{
    return node->kind == NODE_ATOM || node->kind == NODE_STRUCT
               ? p->program->names[node->name]
               : "";
}
static inline bool parser_is_operator(const struct parser *p, const struct node *node,
                                      const char *text)
{
    return node->kind == NODE_STRUCT && node->arity == 2
           && strcmp(p->program->names[node->name], text) == 0;
}
struct node *parser_nodes(struct parser *p, const struct node *nodes, size_t n);
/* True of an expression that arithmetic can evaluate; else keeps an error. */
bool parser_check_number(struct parser *p, const struct node *node);

struct goals {
    struct goal_call *list;
    uint32_t n;
    size_t capacity;
};
struct goal_call *parser_add_goal(struct goals *goals);
/* Each list of tests of a guard of which one must hold; ADD keeps or frees its list. */
bool parser_guard(struct parser *p, struct node *node,
                  bool (*add)(struct parser *p, struct goals *guards, void *user),
                  void *user);
/* The goals of a body. */
bool parser_body(struct parser *p, struct node *node, struct goals *goals);
/* Replace each ~(Expression) in N terms by a variable, which a goal more gives its value. */
bool parser_expand(struct parser *p, struct node *nodes, uint32_t n, bool in_guard,
                   struct goals *goals);
/*
 * The arguments of the := that named arithmetic such as add(X,Y,Z) stands for, AT its
 * place, or NULL (named.c).
 */
struct node *parser_named_arithmetic(struct parser *p, const char *name,
                                     const struct node *arguments, uint32_t arity,
                                     const struct node *at);
/* A variable of the clause that the source does not have; TEXT has one letter. */
bool parser_new_variable(struct parser *p, const char *text, uint32_t *index);
/* Replace the argument pairs of a clause by arguments (pairs.c); *BODY may be NULL. */
bool parser_pairs(struct parser *p, struct node *head, struct node **body);
/* True when a guard may hold such a test. */
bool parser_is_test(const char *name, uint32_t arity);
/* Read one file; false when an error is noted. */
bool parser_read_text(struct parser *p, const struct program_text *text);
bool parser_read_goal(struct parser *p, const char *text, struct query *query);
/* A name for the procedure that a condition in a body becomes. */
uint32_t parser_auxiliary_name(struct parser *p);
/* Add a clause; GUARD and BODY may be NULL.  INNER: it is a part of the clause being read. */
bool parser_add_clause(struct parser *p, struct node *head, struct node *guard,
                       struct node *body, bool is_inner);
/*
 * Find what each goal is: call, unification or assignment.  False when a procedure is
 * missing.
 */
bool parser_resolve(struct parser *p);

#endif
