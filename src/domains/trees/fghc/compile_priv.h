/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the compiler: compile.c emits, and does heads and guards; compile_body.c bodies. */
#ifndef WEFT_FGHC_COMPILE_PRIV_H
#define WEFT_FGHC_COMPILE_PRIV_H

#include "domains/trees/fghc/program.h"

enum { NOWHERE = 0xfffe }; /* the place of a variable that has not occurred yet */

/*
 * A ":=" whose numbers may not be known when it runs.  The instructions for that case stand
 * after those of the clause.
 */
struct pending {
    const struct goal_call *goal;
    uint32_t first, last; /* its instructions: indices of words in the program's code */
    uint16_t target;      /* operand */
    bool target_is_new;   /* the target has no value before this ":=" */
};

struct compiler {
    struct program *program;
    struct clause *clause;
    struct weft_err *err;
    uint16_t *places; /* [n_variables] operands, or NOWHERE */
    uint32_t n_registers, first_site;
    bool inline_arithmetic, too_far, failed;
    struct pending *pending;
    size_t n_pending, pending_capacity;
};

/* True for a variable that has not occurred yet in the clause. */
static inline bool compiler_is_new(const struct compiler *c, const struct node *node)
{
    return node->kind == NODE_VARIABLE && c->places[node->variable] == NOWHERE;
}

/* One more instruction; returns its place in the code. */
uint32_t compiler_emit(struct compiler *c, struct instruction instruction);
void compiler_emit_term(struct compiler *c, term t);
void compiler_emit_operands(struct compiler *c, const uint16_t *operands, uint32_t n);
/* The first of N registers that nothing else uses. */
uint16_t compiler_registers(struct compiler *c, uint32_t n);
/* The operand that stands for a constant. */
uint16_t compiler_constant(struct compiler *c, term t);
term compiler_integer(struct compiler *c, int64_t value);
/* The constant term of a node that holds no variable. */
term compiler_term(struct compiler *c, const struct node *node);
bool compiler_wrong(struct compiler *c, uint32_t line, const char *what);

/* The operand that stands for a term, which is built unless it is a constant or in a register
 * already; OPERAND_NEW for a variable that occurs once. */
uint16_t compiler_build(struct compiler *c, const struct node *node);
/* The same where the instruction cannot take OPERAND_NEW: such a variable is made. */
uint16_t compiler_build_here(struct compiler *c, const struct node *node);
/* The operand that holds the value of an arithmetic expression: register INTO, or a register
 * of the compiler's choice when INTO is NOWHERE. */
uint16_t compiler_number(struct compiler *c, const struct node *node, uint16_t into);
void compiler_body(struct compiler *c);

#endif
