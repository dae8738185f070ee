/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the parser that its files share.  lex.c makes tokens; parse.c parses terms
 * (by operator precedence, the part of Prolog's syntax that FGHC and KL1 use);
 * parse_clauses.c makes clauses of terms, parse_guards.c and parse_bodies.c their goals;
 * resolve_calls.c finds the procedure that each goal calls; rewrite_argument_pairs.c and
 * rewrite_named_arithmetic.c rewrite KL1's abbreviations.
 */
#ifndef WEFT_FGHC_PARSE_PRIV_H
#define WEFT_FGHC_PARSE_PRIV_H

#include <string.h>

#include "base/progress_and_cancel.h"
#include "domains/trees/fghc/program.h"

/* Limits of the parser. */
enum {
    MAX_ARITY = 255,      /* a goal keeps its number of arguments in 8 bits */
    MAX_VARIABLES = 4096, /* of a clause: a small part of its MAX_REGISTERS */
    MAX_DEPTH = 2000,     /* nesting of terms: the parser recurses, on a stack of 8 MB */
    MAX_NOTES = 50,       /* errors that are kept, and as many warnings */
};

/* The kinds of tokens. */
enum token_kind {
    TOKEN_END,      /* the end of the text */
    TOKEN_STOP,     /* a full stop that ends a clause */
    TOKEN_NAME,     /* an atom or operator without quotes */
    TOKEN_QUOTED,   /* an atom in '' */
    TOKEN_VARIABLE, /* begins with a capital letter or _ */
    TOKEN_INTEGER,  /* without a sign */
    TOKEN_STRING,   /* in "" */
    TOKEN_MARK,     /* ( ) [ ] { } , | */
};

/* A token of the source.  The text is in the source, or in the parser's arena for a quoted
 * atom or a string, whose escapes are resolved. */
struct token {
    enum token_kind kind;
    char mark;             /* of TOKEN_MARK */
    bool before_open;      /* "(" follows without a space, as in "name(" */
    const char *text;      /* LENGTH bytes of a name, variable or string, without quotes */
    size_t length;         /* bytes of TEXT */
    int64_t integer;       /* of TOKEN_INTEGER, from 0; INT64_MIN if is_minimum */
    bool is_minimum;       /* the integer is 2^63, which is valid only behind a minus */
    uint32_t line, column; /* where it begins, from 1 */
};

/* A variable of the clause that is being read; its index is its number in the clause. */
struct variable {
    const char *text; /* its name: LENGTH bytes, in the source or a constant string */
    size_t length;
    uint32_t uses, line, column; /* occurrences; line and column of the first */
};

/* The state of the parser: zeroed, then `program` is set; whoever made it frees it and
 * `added`. */
struct parser {
    struct program *program;
    struct weft_arena *arena;   /* of terms and strings; NULL: the program's */
    size_t most_bytes;          /* limit of `arena`, which is then not NULL; 0: none */
    const struct weft_job *job; /* when it is cancelled, parser_next() fails; may be NULL */
    /* The text's path, the rest to be read (at..end), the begin of the current line. */
    const char *path, *at, *end, *line_start;
    const char *comment; /* the begin of the latest comment, for read_terms.c; NULL: none */
    uint32_t line;       /* of AT, from 1 */
    struct token token;  /* the next one, not parsed yet */
    struct variable variables[MAX_VARIABLES]; /* [n_variables] of the clause being read */
    uint32_t n_variables, depth; /* of the clause; depth: of the parser's recursion */
    uint32_t height;      /* levels of the latest term; the length of a list is no level */
    uint32_t module;      /* of the clauses being read: index in program->names */
    uint32_t procedure;   /* name of the procedure being read: index there, too */
    uint32_t n_auxiliary; /* auxiliary procedures made of conditions so far */
    struct added {        /* a clause made of the clause being read, or of its conditions */
        uint32_t procedure, clause; /* indices in program->procedures and its clauses */
    } * added;
    size_t n_added, added_capacity;
    bool otherwise; /* "otherwise." stands before the next clause */
    bool failed;    /* the clause being read has an error: later ones are not noted */
};

/* Returns the arena that owns terms and strings that are read: p->arena, or the
 * program's. */
static inline struct weft_arena *parser_arena(struct parser *p)
{
    return p->arena ? p->arena : &p->program->arena;
}
/* Returns true when the terms that were read take more than p->most_bytes; always false if
 * that is 0. */
static inline bool parser_is_too_large(const struct parser *p)
{
    return p->most_bytes && p->arena->used > p->most_bytes;
}
/* Adds an error at LINE and COLUMN (0: none) of p->path to program->notes, with the message
 * FMT, unless the clause being read has one already.  Returns false. */
WEFT_PRINTF(4, 5)
bool parser_wrong_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt,
                     ...);
/* Adds the error TEXT at the current token to program->notes, unless the clause being read
 * has one already.  Returns false. */
bool parser_wrong(struct parser *p, const char *text);
/* Adds a warning at LINE and COLUMN (0: none) of p->path to program->notes, with the
 * message FMT. */
WEFT_PRINTF(4, 5)
void parser_warn_at(struct parser *p, uint32_t line, uint32_t column, const char *fmt, ...);
/* Skips tokens after an error until p->token is the next full stop (it stays if it is one
 * already), or the text ends; clears p->failed, so that errors are noted again. */
void parser_skip_clause(struct parser *p);
/*
 * Reads the next token into p->token; TOKEN_END at the end of the text.  Returns false with
 * an error noted when no token begins here, p->job was cancelled, or the terms take more
 * than p->most_bytes; also when the clause has an error already.
 */
bool parser_next(struct parser *p);
/* Returns true when p->token is the name TEXT without quotes. */
bool parser_is_name(const struct parser *p, const char *text);
/* Returns true when p->token is the mark MARK, such as '('. */
bool parser_is_mark(const struct parser *p, char mark);
/* Parses a term that begins at p->token, whose operator has a priority of at most MOST,
 * into *OUT; p->token is then the token behind the term.  Returns false with an error noted
 * in program->notes. */
bool parser_expression(struct parser *p, int most, struct node *out);
/* Returns the name of NODE if it is an atom or a structure, else ""; the program owns
 * it. */
static inline const char *parser_name_of(const struct parser *p, const struct node *node)
{
    return node->kind == NODE_ATOM || node->kind == NODE_STRUCT
               ? p->program->names[node->name]
               : "";
}
/* Returns true when NODE is a structure with the name TEXT and two arguments, as an infix
 * operator gives. */
static inline bool parser_is_operator(const struct parser *p, const struct node *node,
                                      const char *text)
{
    return node->kind == NODE_STRUCT && node->arity == 2
           && strcmp(p->program->names[node->name], text) == 0;
}
/* Returns a copy of N nodes, which the parser's arena owns; their arguments are not
 * copied. */
struct node *parser_nodes(struct parser *p, const struct node *nodes, size_t n);
/* Returns true when arithmetic may evaluate NODE: an integer, a variable, or an arithmetic
 * operator on one or two such terms; else false, with an error in program->notes. */
bool parser_check_number(struct parser *p, const struct node *node);

struct goals { /* a list of N goals; begins zeroed, its maker frees `list` */
    struct goal_call *list;
    uint32_t n;
    size_t capacity;
};
/* Appends a goal, zeroed but for its procedure, UINT32_MAX (none yet), to GOALS; returns it
 * for the caller to fill in.  The pointer is valid until the next goal is appended. */
struct goal_call *parser_add_goal(struct goals *goals);
/*
 * Splits the guard NODE at each ";" (below "\+" at each ",") into alternatives, at most
 * 64, and calls ADD with the tests of each and USER.  The tests keep the terms of NODE,
 * copied if there are several alternatives.  ADD frees GUARDS->list if it returns true.
 * Returns false when ADD does, or with an error noted in program->notes.
 */
bool parser_guard(struct parser *p, struct node *node,
                  bool (*add)(struct parser *p, struct goals *guards, void *user),
                  void *user);
/* Appends the goals of the body NODE to GOALS; a condition in it becomes a procedure of its
 * own and a call of that.  Returns false with an error noted in program->notes. */
bool parser_body(struct parser *p, struct node *node, struct goals *goals);
/* Replaces each ~(Expression) in the N terms NODES by a new variable, and appends a goal to
 * GOALS that gives it the value: a test if IN_GUARD, else for a body.  GOALS is NULL for a
 * head, where ~ is an error.  Returns false with an error noted in program->notes. */
bool parser_expand(struct parser *p, struct node *nodes, uint32_t n, bool in_guard,
                   struct goals *goals);
/*
 * Returns the two arguments of the ":=" that a goal NAME(ARGUMENTS[ARITY]) such as
 * add(X,Y,Z) stands for, here Z and X + Y; NULL for other goals.  The program's arena owns
 * them; they get the line and column of AT.
 */
struct node *parser_named_arithmetic(struct parser *p, const char *name,
                                     const struct node *arguments, uint32_t arity,
                                     const struct node *at);
/* Adds a variable that is not in the source to the clause being read, and sets *INDEX to
 * its number.  TEXT, of one letter, is its name, which the caller keeps until the clause
 * is read.  Returns false with an error noted in program->notes when there are
 * MAX_VARIABLES. */
bool parser_new_variable(struct parser *p, const char *text, uint32_t *index);
/*
 * Replaces the argument pairs of a clause, such as p(X)-S, KL1's abbreviation of two
 * arguments (rewrite_argument_pairs.c), in HEAD and *BODY by arguments.  *BODY is NULL for
 * none, and may be replaced.  Returns false with an error noted in program->notes.
 */
bool parser_pairs(struct parser *p, struct node *head, struct node **body);
/* Returns true if NAME with ARITY arguments is a test that a guard may hold, such as
 * integer/1; false for built-in functions (builtin_functions.h), which guards may hold,
 * too. */
bool parser_is_test(const char *name, uint32_t arity);
/* Reads the clauses of one file, TEXT, into the program, which keeps pointers into it; goes
 * on behind errors.  Returns false when it has any, which are in program->notes. */
bool parser_read_text(struct parser *p, const struct program_text *text);
/*
 * Reads TEXT, a typed goal, as the body of the procedure "$goal", resolves it and sets
 * *QUERY, whose memory the program owns; compiling is left to program_read_goal().  Returns
 * false with an error noted in program->notes.
 */
bool parser_read_goal(struct parser *p, const char *text, struct query *query);
/* Returns a new name, an index in program->names, for the procedure that a condition in a
 * body becomes: the name of the procedure being read, "$" and a number. */
uint32_t parser_auxiliary_name(struct parser *p);
/*
 * Adds a clause HEAD :- GUARD | BODY to its procedure, which is made if it is new; one for
 * each alternative if the guard has ";".  GUARD and BODY may be NULL.  The clauses keep the
 * arguments of HEAD and the terms of GUARD and BODY, and may change them; they take
 * p->otherwise, which is then false.  IS_INNER: the clause is made of a condition in the
 * clause being read, and gets no number yet.  Returns false with an error noted in
 * program->notes.
 */
bool parser_add_clause(struct parser *p, struct node *head, struct node *guard,
                       struct node *body, bool is_inner);
/*
 * Sets the kind of each goal in a body that has no procedure yet: a call and its procedure,
 * a unification, an assignment or a built-in process.  All clauses must have been read.
 * Returns false with errors in program->notes, one for each wrong goal, such as the call of
 * a procedure that does not exist.
 */
bool parser_resolve(struct parser *p);

#endif
