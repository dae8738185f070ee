/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the compiler that its files share: compile.c emits code, and compiles heads
 * and guards; compile_body.c compiles bodies. */
#ifndef WEFT_FGHC_COMPILE_PRIV_H
#define WEFT_FGHC_COMPILE_PRIV_H

#include "domains/trees/fghc/program.h"

/* Instead of an operand: a variable that has not occurred yet in the clause; for
 * compiler_number(): into any register. */
enum { NOWHERE = 0xfffe };

/*
 * A ":=" in a body that is computed in line.  If an operand is unbound when it runs, it
 * jumps to instructions behind those of the clause, which finish_pending() emits: they
 * start a process that waits for the operand.
 */
struct inline_assignment {
    const struct goal_call *goal; /* the ":=" in the source */
    uint32_t first, last; /* words [first, last) of program.code: they compute and unify */
    uint16_t target;      /* register or constant that the value is unified with */
    bool target_is_new;   /* the target has no value before this ":=" */
};

/* The compilation of one clause; compile_one() in compile.c makes and frees it. */
struct compiler {
    struct program *program;
    struct clause *clause;
    struct weft_err *err; /* gets the first error of the clause */
    uint16_t *places; /* [clause->n_variables] the operand that holds each, or NOWHERE */
    uint32_t n_registers, first_site; /* registers in use; index in program.calls of the
                                       * body's first goal */
    /* inline_arithmetic: compute ":=" in line.  too_far: a jump to a pending ":=" is too
     * long; the clause is compiled again without inline_arithmetic.  failed: *err is
     * set. */
    bool inline_arithmetic, too_far, failed;
    struct inline_assignment *pending; /* [n_pending] to be finished behind the body */
    size_t n_pending, pending_capacity;
};

/* Returns true for a variable that has not occurred yet in the code of the clause, unless
 * the source has it only once (NODE_VOID). */
static inline bool compiler_is_new(const struct compiler *c, const struct node *node)
{
    return node->kind == NODE_VARIABLE && c->places[node->variable] == NOWHERE;
}

/* Appends an instruction to the program's code; returns its word index there. */
uint32_t compiler_emit(struct compiler *c, struct instruction instruction);
/* Appends a word that holds the term or functor word T to the program's code. */
void compiler_emit_term(struct compiler *c, term t);
/* Appends N operands to the program's code, four in a word; 0 fills the last word. */
void compiler_emit_operands(struct compiler *c, const uint16_t *operands, uint32_t n);
/* Takes N consecutive registers that the clause does not use; returns the first.  When
 * there are too few, fails the clause (compiler.failed) and returns 0. */
uint16_t compiler_registers(struct compiler *c, uint32_t n);
/* Returns the operand of the constant T, which is added to program.constants if it is new.
 * When that is full, emits code that loads T into a register, and returns this. */
uint16_t compiler_constant(struct compiler *c, term t);
/* Returns VALUE as a term; the program's arena owns the memory of a large one. */
term compiler_integer(struct compiler *c, int64_t value);
/* Returns the constant that NODE, an integer, an atom or a string of the source, stands
 * for.  The program owns the memory of strings and large integers. */
term compiler_term(struct compiler *c, const struct node *node);
/* Fails the clause: sets compiler.failed, and *compiler.err to WEFT_ERR_LIMIT with the
 * message WHAT at LINE unless it failed before.  Returns false. */
bool compiler_wrong(struct compiler *c, uint32_t line, const char *what);

/* Returns the operand that holds the term NODE when the code runs, and emits code that
 * builds the term unless it is a constant or in a register; OPERAND_NEW, without code, for
 * a variable that occurs once. */
uint16_t compiler_build(struct compiler *c, const struct node *node);
/* Returns the register or constant that holds the term NODE when the code runs, and emits
 * code that builds the term unless it is there.  Like compiler_build(), but a variable that
 * occurs once is created in a register. */
uint16_t compiler_build_here(struct compiler *c, const struct node *node);
/* Emits code that computes the arithmetic expression NODE; returns the operand that holds
 * the value: the register INTO, or with NOWHERE a register or constant of the compiler's
 * choice.  With NOWHERE, code does not test that a mere variable is a number. */
uint16_t compiler_number(struct compiler *c, const struct node *node, uint16_t into);
/* Emits the code of the clause's body, up to its end, and appends the body's goals to
 * program.calls.  On failure sets c->failed and *c->err. */
void compiler_body(struct compiler *c);

#endif
