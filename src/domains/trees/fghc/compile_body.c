/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/compile_priv.h"

enum { MAX_DISTANCE = 255 }; /* words from an operation to its pending code (field n) */

/* ---- Terms ---- */

static uint16_t variable(struct compiler *c, uint32_t v)
{
    if (c->places[v] == NOWHERE) {
        c->places[v] = compiler_registers(c, 1);
        compiler_emit(c, (struct instruction){ .op = OP_NEW, .a = c->places[v] });
    }
    return c->places[v];
}

/* Builds a list from its end, so that a long one needs one register and no recursion. */
static uint16_t list(struct compiler *c, const struct node *node)
{
    const struct node **pairs = NULL;
    size_t n = 0, capacity = 0;
    for (; node->kind == NODE_LIST; node = &node->arguments[1]) {
        pairs = weft_grow(pairs, &capacity, n + 1, sizeof *pairs);
        pairs[n++] = node;
    }
    uint16_t tail = compiler_build(c, node), at = compiler_registers(c, 1);
    while (n-- && !c->failed) {
        const struct node *element = &pairs[n]->arguments[0];
        uint32_t used = c->n_registers;
        uint16_t head = compiler_build(c, element);
        compiler_emit(c, (struct instruction){ OP_LIST, 0, at, head, tail });
        tail = at;
        if (element->kind == NODE_INTEGER) /* it may have taken a register (OP_CONSTANT) */
            c->n_registers = used;
    }
    free(pairs);
    return at;
}

static uint16_t structure(struct compiler *c, const struct node *node)
{
    uint16_t *parts = weft_alloc((node->arity + 1) * sizeof *parts);
    for (uint32_t i = 0; i < node->arity; i++)
        parts[i] = compiler_build(c, &node->arguments[i]);
    uint16_t at = compiler_registers(c, 1);
    compiler_emit(c, (struct instruction){ OP_STRUCT, (uint8_t)node->arity, at, 0, 0 });
    compiler_emit_term(c, term_functor(node->name, node->arity));
    compiler_emit_operands(c, parts, node->arity);
    free(parts);
    return at;
}

uint16_t compiler_build(struct compiler *c, const struct node *node)
{
    switch (node->kind) {
    case NODE_VOID: return OPERAND_NEW;
    case NODE_VARIABLE: return variable(c, node->variable);
    case NODE_LIST: return list(c, node);
    case NODE_STRUCT: return structure(c, node);
    default: return compiler_constant(c, compiler_term(c, node));
    }
}

uint16_t compiler_build_here(struct compiler *c, const struct node *node)
{
    uint16_t at = compiler_build(c, node);
    if (at != OPERAND_NEW)
        return at;
    at = compiler_registers(c, 1);
    compiler_emit(c, (struct instruction){ .op = OP_NEW, .a = at });
    return at;
}

uint16_t compiler_number(struct compiler *c, const struct node *node, uint16_t into)
{
    if (node->kind != NODE_STRUCT) {
        uint16_t at = compiler_build_here(c, node);
        if (into == NOWHERE)
            return at;
        /* Adding 0 tests whether it is a number. */
        uint16_t zero = compiler_constant(c, term_small(0));
        compiler_emit(c, (struct instruction){ OP_ADD, 0, into, at, zero });
        return into;
    }
    uint16_t a = node->arity == 1 ? compiler_constant(c, term_small(0))
                                  : compiler_number(c, &node->arguments[0], NOWHERE);
    uint16_t b = compiler_number(c, &node->arguments[node->arity - 1], NOWHERE);
    uint16_t at = into == NOWHERE ? compiler_registers(c, 1) : into;
    uint8_t op = (uint8_t)program_arithmetic(node->name, node->arity);
    compiler_emit(c, (struct instruction){ op, 0, at, a, b });
    return at;
}

/* ---- Goals ---- */

/* Appends the goals of the body to program.calls, in the order of the source. */
static void make_sites(struct compiler *c)
{
    struct program *p = c->program;
    uint32_t n = c->clause->n_body;
    if (p->n_calls + n >= MAX_CALLS) {
        compiler_wrong(c, c->clause->line, "more than 65,533 goals in bodies");
        return;
    }
    p->calls = weft_grow(p->calls, &p->call_capacity, p->n_calls + n + 1, sizeof *p->calls);
    if (!p->n_calls) /* index 0 stands for no call */
        p->calls[p->n_calls++] = (struct call_site){ 0 };
    c->first_site = (uint32_t)p->n_calls;
    for (uint32_t i = 0; i < n; i++)
        p->calls[p->n_calls++] =
            (struct call_site){ &c->clause->body[i], c->clause->variables,
                                c->clause->path };
}

static uint16_t call_site(const struct compiler *c, const struct goal_call *goal)
{
    return (uint16_t)(c->first_site + (uint32_t)(goal - c->clause->body));
}

static void call(struct compiler *c, const struct goal_call *goal, enum operation op)
{
    uint16_t *operands = weft_alloc((goal->arity + 1) * sizeof *operands);
    for (uint32_t i = 0; i < goal->arity; i++)
        operands[i] = compiler_build(c, &goal->arguments[i]);
    compiler_emit(c, (struct instruction){ (uint8_t)op, (uint8_t)goal->arity, 0,
                                           (uint16_t)goal->procedure, call_site(c, goal) });
    compiler_emit_operands(c, operands, goal->arity);
    free(operands);
}

static void assign_goal(struct compiler *c, const struct goal_call *goal, uint16_t target)
{
    uint16_t operands[2] = { target, compiler_build(c, &goal->arguments[1]) };
    compiler_emit(
        c, (struct instruction){ OP_BUILTIN, 2, 0, BUILTIN_ASSIGN, call_site(c, goal) });
    compiler_emit_operands(c, operands, 2);
}

static void unification(struct compiler *c, const struct goal_call *goal)
{
    const struct node *a = &goal->arguments[0], *b = &goal->arguments[1];
    if (compiler_is_new(c, b)) {
        const struct node *other = a;
        a = b;
        b = other;
    }
    uint16_t right = compiler_build_here(c, b);
    if (compiler_is_new(c, a)) {
        c->places[a->variable] = right;
        return;
    }
    uint16_t left = compiler_build_here(c, a);
    compiler_emit(c, (struct instruction){ OP_UNIFY, 0, left, right, call_site(c, goal) });
}

static bool holds_new(const struct compiler *c, const struct node *node)
{
    if (node->kind == NODE_VOID || compiler_is_new(c, node))
        return true;
    for (uint32_t i = 0; node->kind == NODE_STRUCT && i < node->arity; i++)
        if (holds_new(c, &node->arguments[i]))
            return true;
    return false;
}

/*
 * Emits a ":=" that computes its value straight into the target's register.  When an
 * operand is no number yet, it jumps to the code of finish_pending(), which makes the
 * target a variable and the whole ":=" a built-in process that waits.
 */
static void assignment(struct compiler *c, const struct goal_call *goal)
{
    const struct node *target = &goal->arguments[0], *expression = &goal->arguments[1];
    if (!c->inline_arithmetic || holds_new(c, expression)) {
        assign_goal(c, goal, compiler_build_here(c, target));
        return;
    }
    struct inline_assignment pending = { .goal = goal,
                                         .target_is_new = compiler_is_new(c, target)
                                                          || target->kind == NODE_VOID };
    if (!pending.target_is_new)
        pending.target = compiler_build_here(c, target);
    pending.first = (uint32_t)c->program->n_code;
    uint16_t at = compiler_number(c, expression, compiler_registers(c, 1));
    if (pending.target_is_new)
        pending.target = at;
    else
        compiler_emit(
            c, (struct instruction){ OP_UNIFY, 0, pending.target, at, call_site(c, goal) });
    pending.last = (uint32_t)c->program->n_code;
    if (target->kind == NODE_VARIABLE)
        c->places[target->variable] = pending.target;
    c->pending =
        weft_grow(c->pending, &c->pending_capacity, c->n_pending + 1, sizeof *c->pending);
    c->pending[c->n_pending++] = pending;
}

static void finish_pending(struct compiler *c, const struct inline_assignment *pending)
{
    uint32_t here = (uint32_t)c->program->n_code;
    for (uint32_t at = pending->first; at < pending->last; at++) {
        struct instruction *i = &c->program->code[at].instruction;
        if (i->op == OP_CONSTANT) { /* the word after it is not an instruction */
            at++;
            continue;
        }
        if (i->op < OP_ADD || i->op > OP_NOT)
            continue;
        c->too_far |= here - at > MAX_DISTANCE;
        i->n = (uint8_t)(here - at);
    }
    if (pending->target_is_new)
        compiler_emit(c, (struct instruction){ .op = OP_NEW, .a = pending->target });
    assign_goal(c, pending->goal, pending->target);
    uint32_t back = (uint32_t)c->program->n_code - pending->last;
    compiler_emit(c, (struct instruction){ .op = OP_JUMP,
                                           .b = (uint16_t)(back & 0xffff),
                                           .c = (uint16_t)(back >> 16) });
}

void compiler_body(struct compiler *c)
{
    const struct clause *clause = c->clause;
    const struct goal_call *first = NULL;
    make_sites(c);
    for (uint32_t i = 0; i < clause->n_body && !c->failed; i++) {
        const struct goal_call *goal = &clause->body[i];
        if (goal->kind == GOAL_UNIFY)
            unification(c, goal);
        else if (goal->kind == GOAL_ASSIGN)
            assignment(c, goal);
        else if (!first)
            first = goal;
    }
    for (uint32_t i = clause->n_body; i-- && !c->failed;) {
        const struct goal_call *goal = &clause->body[i];
        if (goal->kind == GOAL_BUILTIN)
            call(c, goal, OP_BUILTIN);
        else if (goal->kind == GOAL_CALL)
            call(c, goal, goal == first ? OP_EXECUTE : OP_CALL);
    }
    if (!first || first->kind != GOAL_CALL)
        compiler_emit(c, (struct instruction){ .op = OP_PROCEED });
    for (size_t i = 0; i < c->n_pending && !c->failed; i++)
        finish_pending(c, &c->pending[i]);
}
