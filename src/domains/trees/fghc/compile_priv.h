/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the compiler that its files share: compile.c emits code, and compiles heads
 * and guards; compile_body.c compiles bodies. */
#ifndef WEFT_FGHC_COMPILE_PRIV_H
#define WEFT_FGHC_COMPILE_PRIV_H

#include "domains/trees/fghc/program.h"

enum { NOWHERE = 0xfffe }; /* the operand of a variable that has not occurred yet */

/*
 * A ":=" in a body that is computed in line.  If an operand is unbound when it runs, it
 * jumps to instructions behind those of the clause, which finish_pending() emits: they
 * start a process that waits for the operand.
 */
struct inline_assignment {
    const struct goal_call *goal;
    uint32_t first, last; /* its instructions: word indices in the code, without `last` */
    uint16_t target;      /* operand */
    bool target_is_new;   /* the target has no value before this ":=" */
};

struct compiler {
    struct program *program;
    struct clause *clause;
    struct weft_err *err;
    uint16_t *places;                 /* [n_variables] operands, or NOWHERE */
    uint32_t n_registers, first_site; /* first_site: of the body, in program.calls */
    /* too_far: a jump to a pending ":=" is too long; the clause is compiled again without
     * inline_arithmetic. */
    bool inline_arithmetic, too_far, failed;
    struct inline_assignment *pending;
    size_t n_pending, pending_capacity;
};

/* Returns true for a variable that has not occurred yet in the clause. */
static inline bool compiler_is_new(const struct compiler *c, const struct node *node)
{
    return node->kind == NODE_VARIABLE && c->places[node->variable] == NOWHERE;
}

/* Appends an instruction, a term or operands to the code; returns the instruction's word
 * index in it. */
uint32_t compiler_emit(struct compiler *c, struct instruction instruction);
void compiler_emit_term(struct compiler *c, term t);
void compiler_emit_operands(struct compiler *c, const uint16_t *operands, uint32_t n);
/* Returns the first of N unused registers; fails the clause and returns 0 when there are
 * too few. */
uint16_t compiler_registers(struct compiler *c, uint32_t n);
/* Returns the operand of a constant.  Once the program has too many constants, it emits
 * code that loads the constant into a register. */
uint16_t compiler_constant(struct compiler *c, term t);
term compiler_integer(struct compiler *c, int64_t value);
/* Returns the term of an integer, atom or string. */
term compiler_term(struct compiler *c, const struct node *node);
/* Fails the clause with WEFT_ERR_LIMIT and returns false; the first error is kept. */
bool compiler_wrong(struct compiler *c, uint32_t line, const char *what);

/* Returns the operand of a term, and emits code that builds the term unless it is a
 * constant or in a register; OPERAND_NEW for a variable that occurs once. */
uint16_t compiler_build(struct compiler *c, const struct node *node);
/* Like compiler_build(), but never returns OPERAND_NEW: emits code that creates a variable
 * that occurs once. */
uint16_t compiler_build_here(struct compiler *c, const struct node *node);
/* Emits code for an arithmetic expression; returns the operand that holds its value: INTO,
 * or one of the compiler's choice if INTO is NOWHERE. */
uint16_t compiler_number(struct compiler *c, const struct node *node, uint16_t into);
/* Emits the code of the clause's body. */
void compiler_body(struct compiler *c);

#endif
