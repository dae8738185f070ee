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
#include "base/hash_map.h"
#include "base/memory.h"
#include "domains/trees/fghc/instructions.h"
#include "domains/trees/fghc/term.h"

/* Limits of a program. */
enum {
    MAX_CLAUSES = UINT16_MAX, /* a record has 16 bits for a clause's number */
    MAX_VECTOR = 32000,       /* elements of a vector: they fit into a chunk of the heap */
    MAX_STRING = 250000,      /* bytes of a string: they fit into a chunk of the heap */
};

/* The kinds of terms in a program's source. */
enum node_kind {
    NODE_VOID, /* a variable that occurs once in its clause */
    NODE_VARIABLE,
    NODE_INTEGER,
    NODE_ATOM,
    NODE_STRING,
    NODE_LIST,
    NODE_STRUCT,
};

/* A term of the source, made by the parser; an arena owns it and what it points to.  Only
 * the fields of its kind are set. */
struct node {
    enum node_kind kind;
    uint32_t variable;    /* NODE_VARIABLE: index in the clause's variables */
    uint32_t name, arity; /* of an atom or structure; name: index in program.names */
    int64_t integer;      /* of NODE_INTEGER: its value */
    const char *string;   /* LENGTH bytes of any value, then a NUL */
    size_t length;
    struct node *arguments; /* [arity]; a list has two, its head and its tail */
    uint32_t line, column;  /* where it begins in its file, from 1 */
};

/* The kinds of goals: a call of a procedure of the program, "=" in a body, ":=" in a body,
 * a test in a guard, a built-in process in a body. */
enum goal_kind { GOAL_CALL, GOAL_UNIFY, GOAL_ASSIGN, GOAL_TEST, GOAL_BUILTIN };

/* The tests of guards. */
enum test {
    TEST_TRUE,
    TEST_FAIL,
    TEST_LESS, /* from here to TEST_OTHER_NUMBER: compare the values of two expressions */
    TEST_GREATER,
    TEST_AT_MOST,       /* =< */
    TEST_AT_LEAST,      /* >= */
    TEST_EQUAL_NUMBER,  /* =:= */
    TEST_OTHER_NUMBER,  /* =\= */
    TEST_SAME,          /* ==: the same term */
    TEST_OTHER,         /* \==: different terms */
    TEST_OTHER_FUNCTOR, /* \= compares principal functors only, like KLIC */
    TEST_INTEGER,       /* from here to TEST_VECTOR: the type of a term */
    TEST_ATOM,
    TEST_ATOMIC, /* an integer, an atom or a string */
    TEST_LIST,
    TEST_STRING,
    TEST_FUNCTOR, /* a structure, no vector */
    TEST_VECTOR,
    TEST_WAIT,     /* true as soon as its argument is bound */
    TEST_FUNCTION, /* a built-in function (builtin_functions.h); its results are matched */
    TEST_UNIFY,    /* = in a guard: passive */
    TEST_ASSIGN,   /* := in a guard: compares, or binds a variable of the clause */
};

/* A goal in the guard or body of a clause, made by the parser; the program's arena owns it.
 * `test` and is_negated are set for GOAL_TEST only. */
struct goal_call {
    enum goal_kind kind;
    enum test test;
    bool is_negated;       /* a test behind \+, which must fail */
    bool has_module;       /* written MODULE:GOAL; else `module` is the clause's */
    bool is_generic;       /* written generic:GOAL: calls a built-in process only */
    uint32_t module, name; /* indices in program.names */
    /* GOAL_CALL: index in program.procedures, UINT32_MAX until parser_resolve();
     * GOAL_BUILTIN: enum builtin; TEST_FUNCTION: index for function_run(). */
    uint32_t procedure;
    struct node *arguments;       /* [arity] */
    uint32_t arity, line, column; /* arguments; where it begins, from 1 */
};

/* A clause of a procedure.  A clause of the source whose guard has ";" is several of these,
 * with the same head, body and number.  The program's arena owns the arrays. */
struct clause {
    struct node *head;               /* [the procedure's arity] arguments of the head */
    struct goal_call *guards, *body; /* [n_guards], [n_body] */
    const char **variables;          /* [n_variables] names */
    uint32_t n_guards, n_body, n_variables;
    uint32_t number;      /* in the program, from 1; 0: the clause of a typed goal */
    uint32_t line;        /* of its head */
    const char *path;     /* of its file */
    uint32_t code;        /* index of its first word in program.code */
    bool is_compiled;     /* `code` is set */
    bool after_otherwise; /* tried only when all clauses before it have failed */
};

/* A goal in the body of a clause, for messages and recordings: an entry of program.calls,
 * whose index running goals and recordings keep.  It owns nothing. */
struct call_site {
    const struct goal_call *goal; /* the goal in the source */
    const char **variables;       /* the names of its clause's variables */
    const char *path;             /* of the file */
};

/* All clauses with one name and number of arguments in one module. */
struct procedure {
    uint32_t module, name, arity; /* module, name: indices in program.names */
    struct clause *clauses;       /* [n_clauses] in the order of the source; owned */
    size_t clauses_capacity;      /* elements that there is room for */
    uint32_t n_clauses, line;     /* line: of its first clause */
    bool is_auxiliary; /* made of a condition in a body: its clauses are numbered last */
};

/* An error in a program's source, or a warning. */
struct program_note {
    struct weft_err err; /* with path, line and perhaps column in its message */
    bool is_error;       /* false: a warning */
};

/* The errors and warnings found in a program's source; program_free() frees the list. */
struct program_notes {
    struct program_note *list; /* [n] the first 50 errors and 50 warnings, as found */
    size_t n, capacity;
    size_t n_errors, n_warnings; /* of all notes, also those that the list has not */
};

/* The text of one file of a program: SIZE bytes, and the path for messages. */
struct program_text {
    const char *path, *text;
    size_t size;
};

/* A program that was read and compiled: made by program_read() or program_read_texts(),
 * freed by program_free(), which frees all that it points to. */
struct program {
    struct weft_arena arena;        /* owns texts, names, nodes and constants */
    struct weft_text_map names_map; /* index in `names` by name */
    const char **names; /* [n_names] of atoms, functors, modules; term.h has the first */
    size_t n_names, name_capacity;
    struct procedure *procedures;     /* [n_procedures] */
    uint32_t n_procedures, n_clauses; /* n_clauses: the highest number of a clause */
    const char *path;                 /* of the first file */
    struct program_text *texts;       /* [n_texts] copies of the files */
    size_t n_texts;
    struct program_notes notes;
    /* Set by program_compile(): */
    union word *code; /* [n_code] of all clauses; clause.code is an index */
    size_t n_code, code_capacity;
    term *constants; /* [n_constants] by the index in an operand */
    size_t n_constants, constant_capacity;
    struct call_site *calls; /* [n_calls] the first, of zeros, stands for no call */
    size_t n_calls, call_capacity;
    struct weft_id_map constants_map; /* index in `constants` by term */
    struct weft_text_map strings_map; /* index in `strings` by text */
    term *strings;                    /* [n_strings] string constants, each text once */
    size_t n_strings, string_capacity;
    uint32_t most_registers; /* registers that the largest clause needs */
};

/*
 * Reads and compiles a program of the N files PATHS into *PROGRAM, which need not be
 * initialised; it needs program_free() also when this fails.  Returns false with the first
 * error in *ERR: a file that cannot be read or is larger than 16 MiB, an error of the
 * source (WEFT_ERR_FORMAT), a limit of the compiler (WEFT_ERR_LIMIT).  program->notes has
 * the source's first 50 errors and 50 warnings.
 */
bool program_read(struct program *program, const char *const *paths, size_t n,
                  struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Reads and compiles a program of N texts, which are copied, into *PROGRAM, which need not
 * be initialised; it needs program_free() also when this fails.  Returns false with the
 * first error in *ERR: WEFT_ERR_FORMAT for one of the source, WEFT_ERR_LIMIT of the
 * compiler. program->notes has the source's first 50 errors and 50 warnings.
 */
bool program_read_texts(struct program *program, const struct program_text *texts, size_t n,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* A typed goal, such as "go(10, X), print(X)", which program_read_goal() has compiled.  The
 * program owns what it points to. */
struct query {
    uint32_t procedure; /* index in program.procedures of "$goal", whose body the goal is */
    const char **names; /* [n_variables] in order of appearance */
    uint32_t n_variables;
    uint32_t n_calls; /* goals in it that call procedures of the program */
    const char *text; /* as typed */
};
/*
 * Reads and compiles the goal TEXT into PROGRAM, as the body of a procedure "$goal" that
 * has an argument for each of the goal's variables, and sets *QUERY.  At most once for a
 * program. Returns false with WEFT_ERR_FORMAT or WEFT_ERR_LIMIT in *ERR.
 */
bool program_read_goal(struct program *program, const char *text, struct query *query,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* Frees all that PROGRAM points to, not PROGRAM itself, which is zeroed. */
void program_free(struct program *program);

/* Returns the index in program->names of the name TEXT of LENGTH bytes, which is copied to
 * the end of the names if it is new. */
uint32_t program_name(struct program *program, const char *text, size_t length);
/* Values for program_find()'s MODULE: the clauses that stand in no module; or any module.
 * No module has these names. */
enum { NO_MODULE = ATOM_NIL, ANY_MODULE = ATOM_NORMAL };
/* Returns the index in program->procedures of the procedure NAME (an index in
 * program->names) with ARITY arguments in MODULE (likewise, or NO_MODULE), or with
 * ANY_MODULE of the first that any module has; UINT32_MAX when there is none.
 * O(procedures). */
uint32_t program_find(const struct program *program, uint32_t module, uint32_t name,
                      uint32_t arity);

/*
 * Returns the instruction, an enum operation, that computes the arithmetic functor NAME (an
 * index in program.names) with ARITY operands, or -1 if it is no arithmetic.  For one
 * operand the instruction's first operand must be 0: -X is 0 - X.
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

/* Compiles the clauses that have no code yet; their goals must be resolved.  Returns false
 * with WEFT_ERR_LIMIT for a program or clause that is too large. */
bool program_compile(struct program *program, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Built-in processes: goals in bodies that the machine itself runs (builtin_processes.c).
 */
enum builtin {
    BUILTIN_ASSIGN,    /* := that waits for its operands */
    BUILTIN_OUTSTREAM, /* outstream(Commands), instream(Commands) */
    BUILTIN_KLICIO,    /* klicio(Requests), unix(Requests) */
    BUILTIN_MERGE,     /* merge(In, Out) */
    BUILTIN_PRINT,     /* print(Term) */
    BUILTIN_EXIT,      /* exit(Status) */
    /* Processes that only the machine starts: */
    BUILTIN_WRITING,  /* an open stream, which carries out commands */
    BUILTIN_PRINTING, /* a print that waits until its term is ground */
    BUILTIN_FUNCTION  /* + the index of a built-in function (builtin_functions.h) */
};
/* Returns the enum builtin of the built-in process that a body calls by NAME with ARITY
 * arguments, also BUILTIN_FUNCTION + a function's index; -1 if there is none. */
int builtin_find(const char *name, uint32_t arity);

#endif
