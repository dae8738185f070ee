/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/builtin_functions.h"
#include "domains/trees/fghc/compile_priv.h"

bool compiler_wrong(struct compiler *c, uint32_t line, const char *what)
{
    if (!c->failed)
        weft_fail_at(c->err, WEFT_ERR_LIMIT, c->clause->path, line, "%s", what);
    c->failed = true;
    return false;
}

static union word *new_word(struct compiler *c)
{
    struct program *p = c->program;
    p->code = weft_grow(p->code, &p->code_capacity, p->n_code + 1, sizeof *p->code);
    return &p->code[p->n_code++];
}

uint32_t compiler_emit(struct compiler *c, struct instruction instruction)
{
    *new_word(c) = (union word){ .instruction = instruction };
    return (uint32_t)c->program->n_code - 1;
}

void compiler_emit_term(struct compiler *c, term t)
{
    *new_word(c) = (union word){ .term = t };
}

void compiler_emit_operands(struct compiler *c, const uint16_t *operands, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += OPERANDS_A_WORD) {
        union word *word = new_word(c);
        *word = (union word){ .term = 0 };
        for (uint32_t k = i; k < n && k < i + OPERANDS_A_WORD; k++)
            word->operands[k - i] = operands[k];
    }
}

uint16_t compiler_registers(struct compiler *c, uint32_t n)
{
    uint32_t first = c->n_registers;
    if (first + n > MAX_REGISTERS) {
        compiler_wrong(c, c->clause->line, "this clause holds too many terms");
        return 0;
    }
    c->n_registers += n;
    if (c->n_registers > c->program->most_registers)
        c->program->most_registers = c->n_registers;
    return (uint16_t)first;
}

uint16_t compiler_constant(struct compiler *c, term t)
{
    struct program *p = c->program;
    uint32_t index = weft_id_map_get(&p->constants_map, t);
    if (index == WEFT_MAP_NONE && p->n_constants < MAX_CONSTANTS) {
        index = (uint32_t)p->n_constants;
        p->constants = weft_grow(p->constants, &p->constant_capacity, p->n_constants + 1,
                                 sizeof *p->constants);
        p->constants[p->n_constants++] = t;
        weft_id_map_put(&p->constants_map, t, index);
    }
    if (index != WEFT_MAP_NONE)
        return (uint16_t)(OPERAND_CONSTANT | index);
    uint16_t at = compiler_registers(c, 1);
    compiler_emit(c, (struct instruction){ .op = OP_CONSTANT, .a = at });
    compiler_emit_term(c, t);
    return at;
}

term compiler_integer(struct compiler *c, int64_t value)
{
    if (term_fits(value))
        return term_small(value);
    int64_t *box = weft_arena_alloc(&c->program->arena, sizeof *box);
    *box = value;
    return term_of(box, TERM_BOX);
}

static term string(struct compiler *c, const char *text, size_t length)
{
    struct program *p = c->program;
    uint32_t index = weft_text_map_get(&p->strings_map, text, length);
    if (index == WEFT_MAP_NONE) {
        term *at = weft_arena_zalloc(&p->arena, term_string_words(length), sizeof *at);
        at[0] = term_small((int64_t)length);
        memcpy(at + 1, text, length);
        index = (uint32_t)p->n_strings;
        p->strings = weft_grow(p->strings, &p->string_capacity, p->n_strings + 1,
                               sizeof *p->strings);
        p->strings[p->n_strings++] = term_of(at, TERM_STRING);
        weft_text_map_put(&p->strings_map, text, length, index);
    }
    return p->strings[index];
}

term compiler_term(struct compiler *c, const struct node *node)
{
    return node->kind == NODE_INTEGER ? compiler_integer(c, node->integer)
           : node->kind == NODE_ATOM  ? term_atom(node->name)
                                      : string(c, node->string, node->length);
}

/* ---- Heads ---- */

/* Emits code that matches the term in register AT with a pattern. */
static void match_term(struct compiler *c, const struct node *node, uint16_t at)
{
    struct instruction get = { .a = at };
    for (;;) {
        get.a = at;
        switch (node->kind) {
        case NODE_VOID: return;
        case NODE_VARIABLE:
            if (c->places[node->variable] == NOWHERE) {
                c->places[node->variable] = at;
                return;
            }
            get.op = OP_GET_SAME;
            get.b = c->places[node->variable];
            compiler_emit(c, get);
            return;
        case NODE_INTEGER:
        case NODE_ATOM:
        case NODE_STRING:
            get.op = OP_GET_CONSTANT;
            get.b = compiler_constant(c, compiler_term(c, node));
            compiler_emit(c, get);
            return;
        case NODE_LIST:
        case NODE_STRUCT: break;
        }
        get.op = node->kind == NODE_LIST ? OP_GET_LIST : OP_GET_STRUCT;
        if (!node->arity) { /* {} */
            compiler_emit(c, get);
            compiler_emit_term(c, term_functor(node->name, 0));
            return;
        }
        get.b = compiler_registers(c, node->arity);
        if (c->failed)
            return;
        compiler_emit(c, get);
        if (node->kind == NODE_STRUCT)
            compiler_emit_term(c, term_functor(node->name, node->arity));
        for (uint32_t i = 0; i + 1 < node->arity; i++)
            match_term(c, &node->arguments[i], (uint16_t)(get.b + i));
        at = (uint16_t)(get.b + node->arity - 1);
        node = &node->arguments[node->arity - 1];
    }
}

/* ---- Guards ---- */

/* Returns true for a variable that is not bound yet: it occurs here first, or only once. */
static bool is_local(const struct compiler *c, const struct node *node)
{
    return node->kind == NODE_VOID || compiler_is_new(c, node);
}

static void match(struct compiler *c, const struct node *pattern, const struct node *value)
{
    uint16_t at = compiler_build_here(c, value);
    if (at >= OPERAND_CONSTANT) { /* match_term() wants a register */
        uint16_t constant = at;
        at = compiler_registers(c, 1);
        compiler_emit(c, (struct instruction){ .op = OP_MOVE, .a = at, .b = constant });
    }
    match_term(c, pattern, at);
}

/*
 * Emits code for "=" in a guard, which is passive: it matches, and binds no variable of the
 * goal, only variables of the clause.  Two terms with the same functor are matched part by
 * part, so that such a variable may stand on either side, at any depth.
 */
static void guard_unify(struct compiler *c, const struct node *a, const struct node *b)
{
    while (a->kind == NODE_LIST && b->kind == NODE_LIST) { /* lists may be long */
        guard_unify(c, &a->arguments[0], &b->arguments[0]);
        a = &a->arguments[1];
        b = &b->arguments[1];
    }
    if (is_local(c, b)) {
        const struct node *other = a;
        a = b;
        b = other;
    }
    if (a->kind == NODE_VOID)
        return;
    if (compiler_is_new(c, a)) {
        uint16_t at = compiler_build_here(c, b);
        c->places[a->variable] = at;
    } else if (a->kind == NODE_STRUCT && b->kind == NODE_STRUCT && a->name == b->name
               && a->arity == b->arity) {
        for (uint32_t i = 0; i < a->arity; i++)
            guard_unify(c, &a->arguments[i], &b->arguments[i]);
    } else if (a->kind == NODE_VARIABLE) {
        match(c, b, a);
    } else {
        match(c, a, b);
    }
}

static void guard_assign(struct compiler *c, const struct goal_call *goal)
{
    const struct node *target = &goal->arguments[0];
    if (compiler_is_new(c, target) || target->kind == NODE_VOID) {
        uint16_t at = compiler_number(c, &goal->arguments[1], compiler_registers(c, 1));
        if (target->kind == NODE_VARIABLE)
            c->places[target->variable] = at;
        return;
    }
    uint16_t a = compiler_number(c, target, NOWHERE);
    uint16_t b = compiler_number(c, &goal->arguments[1], NOWHERE);
    compiler_emit(c, (struct instruction){ OP_COMPARE, TEST_EQUAL_NUMBER, a, b, 0 });
}

/* Moves a function's inputs into consecutive registers, and matches its results there. */
static void guard_function(struct compiler *c, const struct goal_call *goal)
{
    uint16_t first = compiler_registers(c, goal->arity);
    uint32_t outputs = function_outputs((int)goal->procedure);
    for (uint32_t i = 0; i < goal->arity && !c->failed; i++)
        if (!(outputs >> i & 1)) {
            uint16_t from = compiler_build_here(c, &goal->arguments[i]);
            compiler_emit(c, (struct instruction){
                                 .op = OP_MOVE, .a = (uint16_t)(first + i), .b = from });
        }
    if (goal->is_negated)
        compiler_emit(c, (struct instruction){ .op = OP_NOT_NEXT });
    compiler_emit(c, (struct instruction){
                         .op = OP_FUNCTION, .a = first, .b = (uint16_t)goal->procedure });
    for (uint32_t i = 0; i < goal->arity && !c->failed; i++)
        if (outputs >> i & 1)
            match_term(c, &goal->arguments[i], (uint16_t)(first + i));
}

static void guard(struct compiler *c, const struct goal_call *goal)
{
    struct instruction test = { .op = OP_TEST, .n = (uint8_t)goal->test };
    switch (goal->test) {
    case TEST_TRUE:
    case TEST_FAIL:
        if ((goal->test == TEST_FAIL) == goal->is_negated)
            return;
        compiler_emit(c, (struct instruction){ .op = OP_FAIL });
        return;
    case TEST_FUNCTION: guard_function(c, goal); return;
    case TEST_UNIFY: guard_unify(c, &goal->arguments[0], &goal->arguments[1]); return;
    case TEST_ASSIGN: guard_assign(c, goal); return;
    case TEST_INTEGER:
    case TEST_ATOM:
    case TEST_ATOMIC:
    case TEST_LIST:
    case TEST_STRING:
    case TEST_FUNCTOR:
    case TEST_VECTOR:
    case TEST_WAIT: test.a = compiler_build_here(c, &goal->arguments[0]); break;
    case TEST_SAME:
    case TEST_OTHER:
    case TEST_OTHER_FUNCTOR:
        test.op = goal->test == TEST_SAME    ? OP_SAME
                  : goal->test == TEST_OTHER ? OP_OTHER
                                             : OP_OTHER_FUNCTOR;
        test.a = compiler_build_here(c, &goal->arguments[0]);
        test.b = compiler_build_here(c, &goal->arguments[1]);
        break;
    default:
        test.op = OP_COMPARE;
        test.a = compiler_number(c, &goal->arguments[0], NOWHERE);
        test.b = compiler_number(c, &goal->arguments[1], NOWHERE);
        break;
    }
    if (goal->is_negated)
        compiler_emit(c, (struct instruction){ .op = OP_NOT_NEXT });
    compiler_emit(c, test);
}

/* ---- Clauses ---- */

static void compile_clause(struct compiler *c, uint32_t arity)
{
    struct clause *clause = c->clause;
    for (uint32_t v = 0; v < clause->n_variables; v++)
        c->places[v] = NOWHERE;
    c->n_registers = arity;
    c->n_pending = 0;
    c->too_far = false;
    clause->code = (uint32_t)c->program->n_code;
    for (uint32_t i = 0; i < arity; i++)
        match_term(c, &clause->head[i], (uint16_t)i);
    for (uint32_t i = 0; i < clause->n_guards; i++)
        guard(c, &clause->guards[i]);
    compiler_emit(c, (struct instruction){ .op = OP_COMMIT });
    compiler_body(c);
}

static bool compile_one(struct program *program, struct procedure *procedure,
                        struct clause *clause, struct weft_err *err)
{
    struct compiler c = {
        .program = program, .clause = clause, .err = err, .inline_arithmetic = true
    };
    size_t calls = program->n_calls;
    c.places = weft_zalloc(clause->n_variables + 1, sizeof *c.places);
    compile_clause(&c, procedure->arity);
    if (c.too_far && !c.failed) { /* again, with each ":=" a built-in process */
        program->n_code = clause->code;
        program->n_calls = calls;
        c.inline_arithmetic = false;
        compile_clause(&c, procedure->arity);
    }
    free(c.places);
    free(c.pending);
    return !c.failed;
}

bool program_compile(struct program *program, struct weft_err *err)
{
    if (program->n_procedures > UINT16_MAX)
        return weft_fail_at(err, WEFT_ERR_LIMIT, program->path, 0,
                            "more than %d procedures", UINT16_MAX);
    for (uint32_t i = 0; i < program->n_procedures; i++) {
        struct procedure *procedure = &program->procedures[i];
        for (uint32_t k = 0; k < procedure->n_clauses; k++) {
            struct clause *clause = &procedure->clauses[k];
            if (!clause->is_compiled && !compile_one(program, procedure, clause, err))
                return false;
            clause->is_compiled = true;
        }
    }
    return true;
}
