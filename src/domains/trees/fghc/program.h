/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program: procedures with their clauses, which parse.c reads, and the code that
 * compile.c makes of them.
 *
 * The language is FGHC (Flat Guarded Horn Clauses; Ueda 1985) with the syntax of KL1: a
 * clause is "head :- guard | body."; a guard holds built-in tests only.  Clauses are
 * numbered in the order of the source, from 1; "otherwise." and "alternatively." take no
 * number.
 */
#ifndef WEFT_FGHC_PROGRAM_H
#define WEFT_FGHC_PROGRAM_H

#include "base/err.h"
#include "base/map.h"
#include "base/memory.h"
#include "domains/trees/fghc/code.h"
#include "domains/trees/fghc/term.h"

enum {
    MAX_CLAUSES = UINT16_MAX, /* a record has 16 bits for a clause's number */
    MAX_VECTOR = 32000,       /* elements: they fit into a chunk of the heap */
    MAX_STRING = 250000,      /* bytes, likewise */
};

enum node_kind {
    NODE_VOID, /* a variable that occurs once */
    NODE_VARIABLE,
    NODE_INTEGER,
    NODE_ATOM,
    NODE_STRING,
    NODE_LIST,
    NODE_STRUCT,
};

/* A term of the source. */
struct node {
    enum node_kind kind;
    uint32_t variable; /* a variable's number in the clause */
    uint32_t name, arity;
    int64_t integer;
    const char *string; /* LENGTH bytes of any value, then a NUL */
    size_t length;
    struct node *arguments; /* [arity]; a list has two, its head and its tail */
    uint32_t line, column;
};

enum goal_kind { GOAL_CALL, GOAL_UNIFY, GOAL_ASSIGN, GOAL_TEST, GOAL_BUILTIN };

/* The tests of guards. */
enum test {
    TEST_TRUE,
    TEST_FAIL,
    TEST_LESS,
    TEST_GREATER,
    TEST_AT_MOST,
    TEST_AT_LEAST,
    TEST_EQUAL_NUMBER,
    TEST_OTHER_NUMBER,
    TEST_SAME,
    TEST_OTHER,
    TEST_OTHER_FUNCTOR, /* \= compares principal functors only, like KLIC */
    TEST_INTEGER,
    TEST_ATOM,
    TEST_ATOMIC,
    TEST_LIST,
    TEST_STRING,
    TEST_FUNCTOR,
    TEST_VECTOR,
    TEST_WAIT,
    TEST_FUNCTION, /* a built-in function (functions.h); its results are matched */
    TEST_UNIFY,    /* = in a guard: passive */
    TEST_ASSIGN,   /* := in a guard: compares, or binds a variable of the clause */
};

/* A goal in the guard or body of a clause. */
struct goal_call {
    enum goal_kind kind;
    enum test test;
    bool is_negated; /* a test behind \+ */
    bool has_module; /* written MODULE:GOAL; else `module` is the clause's */
    bool is_generic; /* generic:GOAL */
    uint32_t module, name;
    uint32_t
        procedure; /* GOAL_CALL: index; GOAL_BUILTIN: enum builtin; TEST_FUNCTION: index */
    struct node *arguments; /* [arity] */
    uint32_t arity, line, column;
};

struct clause {
    struct node *head; /* [arity of the procedure] */
    struct goal_call *guards, *body;
    const char **variables; /* [n_variables] names */
    uint32_t n_guards, n_body, n_variables;
    uint32_t number; /* from 1; 0: the clause of a typed goal */
    uint32_t line;
    const char *path; /* of its file */
    uint32_t code;    /* index of its first word in program.code */
    bool is_compiled;
    bool after_otherwise; /* tried only when all clauses before it have failed */
};

/* A goal in the body of a clause, for messages and recordings. */
struct call_site {
    const struct goal_call *goal;
    const char **variables; /* the names of its clause's variables */
    const char *path;       /* of the file */
};

struct procedure {
    uint32_t module, name, arity;
    struct clause *clauses;
    uint32_t n_clauses, line;
    bool is_auxiliary; /* made of a condition in a body: its clauses are numbered last */
};

/* An error in a program's source, or a warning. */
struct program_note {
    struct weft_err err;
    bool is_error;
};

struct program_notes {
    struct program_note *list; /* in the order of the source */
    size_t n, capacity;
    size_t n_errors, n_warnings; /* of all notes, of which LIST has only the first */
};

/* The text of one file of a program. */
struct program_text {
    const char *path, *text;
    size_t size;
};

struct program {
    struct weft_arena arena; /* owns texts, names, nodes and constants */
    struct weft_text_map names_map;
    const char **names;
    size_t n_names, name_capacity;
    struct procedure *procedures;
    uint32_t n_procedures, n_clauses;
    const char *path; /* of the first file */
    struct program_text *texts;
    size_t n_texts;
    struct program_notes notes;
    /* Set by program_compile(). */
    union word *code;
    size_t n_code, code_capacity;
    term *constants;
    size_t n_constants, constant_capacity;
    struct call_site *calls; /* [n_calls] from 1; 0 stands for no call */
    size_t n_calls, call_capacity;
    struct weft_id_map constants_map;
    struct weft_text_map strings_map;
    term *strings; /* [n_strings] string constants, each text once */
    size_t n_strings, string_capacity;
    uint32_t most_registers;
};

/*
 * Reads and compiles a program of N files, or of their texts, which are copied.  Returns
 * false with the first error; program->notes has the first 50 errors and 50 warnings with
 * their lines and columns.  PROGRAM needs program_free() also when this fails.
 */
bool program_read(struct program *program, const char *const *paths, size_t n,
                  struct weft_err *err) WEFT_MUST_CHECK;
bool program_read_texts(struct program *program, const struct program_text *texts, size_t n,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* A typed goal, such as "go(10, X), print(X)". */
struct query {
    uint32_t procedure; /* index */
    const char **names; /* [n_variables] in order of appearance */
    uint32_t n_variables;
    uint32_t n_calls; /* goals that call procedures of the program */
    const char *text;
};
/*
 * Reads and compiles a goal as the body of a new procedure "$goal" that has an argument for
 * each of the goal's variables.  PROGRAM owns what QUERY points to.
 */
bool program_read_goal(struct program *program, const char *text, struct query *query,
                       struct weft_err *err) WEFT_MUST_CHECK;
void program_free(struct program *program);

/* Returns the index of a name, which it adds if it is new. */
uint32_t program_name(struct program *program, const char *text, size_t length);
/* Returns the index of a procedure of MODULE, or with ANY_MODULE of the first module that
 * has it; UINT32_MAX when there is none.  O(procedures). */
enum { NO_MODULE = ATOM_NIL, ANY_MODULE = ATOM_NORMAL }; /* names that no module has */
uint32_t program_find(const struct program *program, uint32_t module, uint32_t name,
                      uint32_t arity);

/*
 * Returns the enum operation of a functor in arithmetic, or -1 if it has none.  For an
 * operator with one operand the instruction's first operand is 0.
 */
static inline int program_arithmetic(uint32_t name, uint32_t arity)
{
    if (arity == 1)
        return name == ATOM_PLUS || name == ATOM_MINUS ? (int)(OP_ADD + name - ATOM_PLUS)
               : name == ATOM_NOT                      ? OP_NOT
                                                       : -1;
    if (arity != 2)
        return -1;
    if (name == ATOM_SLASHES)
        return OP_DIVIDE;
    return name >= ATOM_PLUS && name <= ATOM_POWER ? (int)(OP_ADD + name - ATOM_PLUS) : -1;
}

/* Compiles the clauses that have no code yet.  Errors: WEFT_ERR_LIMIT. */
bool program_compile(struct program *program, struct weft_err *err) WEFT_MUST_CHECK;

/* Built-in processes that a body may call: by name and arity (builtin.c). */
enum builtin {
    BUILTIN_ASSIGN,
    BUILTIN_OUTSTREAM,
    BUILTIN_KLICIO,
    BUILTIN_MERGE,
    BUILTIN_PRINT,
    BUILTIN_EXIT,
    /* Processes that only the machine starts: an open stream, and a print that may wait. */
    BUILTIN_WRITING,
    BUILTIN_PRINTING,
    BUILTIN_FUNCTION /* + the index of a built-in function (functions.h) */
};
/* Returns the enum builtin with a name and arity, or -1 if there is none. */
int builtin_find(const char *name, uint32_t arity);

#endif
