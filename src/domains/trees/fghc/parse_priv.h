/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the parser that its files share.  lex.c makes tokens; parse.c parses terms
 * (by operator precedence, the part of Prolog's syntax that FGHC and KL1 use); clauses.c
 * makes clauses of terms, guards.c and bodies.c their goals; resolve.c finds the procedure
 * that each goal calls; pairs.c and named.c rewrite KL1's abbreviations.
 */
#ifndef WEFT_FGHC_PARSE_PRIV_H
#define WEFT_FGHC_PARSE_PRIV_H

#include <string.h>

#include "base/job.h"
#include "domains/trees/fghc/program.h"

enum {
    MAX_ARITY = 255,      /* a goal keeps its number of arguments in 8 bits */
    MAX_VARIABLES = 4096, /* of a clause: a small part of its MAX_REGISTERS */
    MAX_DEPTH = 2000,     /* nesting of terms: the parser recurses, on a stack of 8 MB */
    MAX_NOTES = 50,       /* errors that are kept, and as many warnings */
};

enum token_kind {
    TOKEN_END,  /* the end of the text */
    TOKEN_STOP, /* a full stop */
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
    bool before_open; /* "(" follows without a space, as in "name(" */
    const char *text;
    size_t length;
    int64_t integer;
    bool is_minimum; /* the integer is 2^63, which is valid only behind a minus */
    uint32_t line, column;
};

struct variable {
    const char *text;
    size_t length;
    uint32_t uses, line, column; /* line and column of its first use */
};

struct parser {
    struct program *program;
    struct weft_arena *arena; /* of terms and strings; NULL: the program's */
    size_t most_bytes;        /* limit of that arena; 0: none */
    const struct weft_job *job;
    const char *path, *at, *end, *line_start;
    const char *comment; /* the begin of the latest comment */
    uint32_t line;
    struct token token;
    struct variable variables[MAX_VARIABLES];
    uint32_t n_variables, depth;
    uint32_t height;      /* nesting of the latest term, of elements in lists */
    uint32_t module;      /* of the clauses being read: a name */
    uint32_t procedure;   /* the name of the procedure being read */
    uint32_t n_auxiliary; /* auxiliary procedures made of conditions so far */
    struct added {        /* a clause made of the clause being read, or of its conditions */
        uint32_t procedure, clause; /* indices */
    } * added;
    size_t n_added, added_capacity;
    bool otherwise; /* "otherwise." stands before the next clause */
    bool failed;    /* the clause being read has an error: later ones are not noted */
};

static inline struct weft_arena *parser_arena(struct parser *p)
{
    return p->arena ? p->arena : &p->program->arena;
}
/* Returns true when the terms that were read take more than most_bytes. */
static inline bool parser_is_too_large(const struct parser *p)
{
    return p->most_bytes && p->arena->used > p->most_bytes;
}
/* Adds an error to program->notes, unless this clause has one already; returns false. */
WEFT_PRINTF(4, 5)
bool parser_wrong_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt,
                     ...);
bool parser_wrong(struct parser *p, const char *text); /* at the token */
WEFT_PRINTF(4, 5)
void parser_warn_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt, ...);
/* Skips to the next full stop, after an error. */
void parser_skip_clause(struct parser *p);
/*
 * Reads the next token into p->token.  Returns false with an error noted when no token
 * begins here, the job was cancelled, or the terms take more than most_bytes.
 */
bool parser_next(struct parser *p);
bool parser_is_name(const struct parser *p, const char *text);
bool parser_is_mark(const struct parser *p, char mark);
/* Parses a term whose operator has a priority of at most MOST; returns false with an
 * error. */
bool parser_expression(struct parser *p, int most, struct node *out);
/* Returns the name of an atom or structure, else "". */
static inline const char *parser_name_of(const struct parser *p, const struct node *node)
{
    return node->kind == NODE_ATOM || node->kind == NODE_STRUCT
               ? p->program->names[node->name]
               : "";
}
/* Returns true for a structure TEXT(_, _). */
static inline bool parser_is_operator(const struct parser *p, const struct node *node,
                                      const char *text)
{
    return node->kind == NODE_STRUCT && node->arity == 2
           && strcmp(p->program->names[node->name], text) == 0;
}
/* Copies N nodes into the arena. */
struct node *parser_nodes(struct parser *p, const struct node *nodes, size_t n);
/* Returns true for an expression that arithmetic can evaluate; else notes an error. */
bool parser_check_number(struct parser *p, const struct node *node);

struct goals { /* a list of goals; its maker frees `list` */
    struct goal_call *list;
    uint32_t n;
    size_t capacity;
};
/* Appends a goal; the pointer is valid until the next one is appended. */
struct goal_call *parser_add_goal(struct goals *goals);
/* Rewrites a guard to alternatives without ";" and calls ADD with the tests of each.  ADD
 * frees the list if it returns true. */
bool parser_guard(struct parser *p, struct node *node,
                  bool (*add)(struct parser *p, struct goals *guards, void *user),
                  void *user);
/* Appends the goals of a body to GOALS; returns false with an error noted. */
bool parser_body(struct parser *p, struct node *node, struct goals *goals);
/* Replaces each ~(Expression) in N terms by a new variable and appends a goal that assigns
 * it; GOALS is NULL for a head, where ~ is an error. */
bool parser_expand(struct parser *p, struct node *nodes, uint32_t n, bool in_guard,
                   struct goals *goals);
/*
 * Returns the two arguments of the := that a goal such as add(X,Y,Z) stands for, with the
 * line and column of AT; NULL for other goals (named.c).
 */
struct node *parser_named_arithmetic(struct parser *p, const char *name,
                                     const struct node *arguments, uint32_t arity,
                                     const struct node *at);
/* Adds a variable that is not in the source to the clause, with the one letter TEXT as its
 * name, and sets *INDEX; returns false with an error when there are too many. */
bool parser_new_variable(struct parser *p, const char *text, uint32_t *index);
/* Replaces the argument pairs (an abbreviation of KL1) of a clause's head and body by
 * arguments (pairs.c); *BODY may be NULL.  Returns false with an error noted. */
bool parser_pairs(struct parser *p, struct node *head, struct node **body);
/* Returns true for the name of a test in guards other than a built-in function. */
bool parser_is_test(const char *name, uint32_t arity);
/* Reads the clauses of one file; returns false when it has errors. */
bool parser_read_text(struct parser *p, const struct program_text *text);
/* Reads a typed goal: the work of program_read_goal() before it is compiled. */
bool parser_read_goal(struct parser *p, const char *text, struct query *query);
/* Returns a new name for the procedure that a condition in a body becomes. */
uint32_t parser_auxiliary_name(struct parser *p);
/* Adds a clause, or several if its guard has alternatives; GUARD and BODY may be NULL.
 * IS_INNER: the clause is made of a condition in the clause being read, and gets no number
 * yet. */
bool parser_add_clause(struct parser *p, struct node *head, struct node *guard,
                       struct node *body, bool is_inner);
/*
 * Sets the kind of each goal in a body: a call and its procedure, a unification, an
 * assignment or a built-in process.  Returns false with errors noted, one for each goal,
 * such as a procedure that does not exist.
 */
bool parser_resolve(struct parser *p);

#endif
