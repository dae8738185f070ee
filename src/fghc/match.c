/* SPDX-License-Identifier: Apache-2.0 */
/* Heads and guards: passive, they bind nothing but the clause's own variables. */
#include <string.h>

#include "fghc/machine_priv.h"

void wait_for(struct pe *pe, term variable)
{
    for (uint32_t i = 0; i < pe->n_waited; i++)
        if (pe->waited[i] == variable)
            return;
    if (pe->n_waited < MOST_WAITED)
        pe->waited[pe->n_waited++] = variable;
}

/* Are two terms the same?  Waits where an unbound variable keeps that open. */
static enum outcome same(struct pe *pe, term a, term b)
{
    a = term_deref(a);
    b = term_deref(b);
    if (a == b)
        return OUTCOME_YES;
    if (term_tag(a) == TERM_REF || term_tag(b) == TERM_REF) {
        if (term_tag(a) == TERM_REF)
            wait_for(pe, a);
        if (term_tag(b) == TERM_REF)
            wait_for(pe, b);
        return OUTCOME_WAIT;
    }
    if (term_is_integer(a) && term_is_integer(b))
        return term_integer(a) == term_integer(b) ? OUTCOME_YES : OUTCOME_NO;
    if (term_tag(a) != term_tag(b))
        return OUTCOME_NO;
    const term *x = term_cell(a), *y = term_cell(b);
    uint32_t first = 0, n = 2;
    if (term_tag(a) == TERM_STRUCT) {
        if (x[0] != y[0])
            return OUTCOME_NO;
        first = 1;
        n = term_arity(x[0]);
    } else if (term_tag(a) == TERM_STRING) {
        return strcmp(string_text(a), string_text(b)) == 0 ? OUTCOME_YES : OUTCOME_NO;
    } else if (term_tag(a) != TERM_LIST) {
        return OUTCOME_NO;
    }
    enum outcome all = OUTCOME_YES;
    for (uint32_t i = first; i < first + n; i++) {
        enum outcome one = same(pe, x[i], y[i]);
        if (one == OUTCOME_NO)
            return OUTCOME_NO;
        all = one == OUTCOME_WAIT ? OUTCOME_WAIT : all;
    }
    return all;
}

/* All parts of a structure; one that cannot match decides, even beside one that waits. */
static enum outcome match_all(struct pe *pe, const struct node *patterns,
                              const term *values, uint32_t n)
{
    enum outcome all = OUTCOME_YES;
    for (uint32_t i = 0; i < n; i++) {
        enum outcome one = match(pe, &patterns[i], values[i]);
        if (one == OUTCOME_NO)
            return OUTCOME_NO;
        if (one == OUTCOME_WAIT)
            all = OUTCOME_WAIT;
    }
    return all;
}

enum outcome match(struct pe *pe, const struct node *pattern, term value)
{
    switch (pattern->kind) {
    case NODE_VOID: return OUTCOME_YES;
    case NODE_FIRST: pe->variables[pattern->variable] = value; return OUTCOME_YES;
    case NODE_VARIABLE: return same(pe, pe->variables[pattern->variable], value);
    default: break;
    }
    value = term_deref(value);
    if (term_tag(value) == TERM_REF) {
        wait_for(pe, value);
        /* What is inside stays unknown; its variables must be something all the same. */
        for (uint32_t i = 0; pattern->arguments && i < pattern->arity; i++)
            (void)match(pe, &pattern->arguments[i], value);
        return OUTCOME_WAIT;
    }
    bool fits = false;
    switch (pattern->kind) {
    case NODE_INTEGER:
        fits = term_is_integer(value) && term_integer(value) == pattern->integer;
        break;
    case NODE_ATOM: fits = value == term_atom(pattern->name); break;
    case NODE_STRING:
        fits = term_tag(value) == TERM_STRING
               && strcmp(string_text(value), pattern->string) == 0;
        break;
    case NODE_LIST:
        return term_tag(value) == TERM_LIST
                   ? match_all(pe, pattern->arguments, term_cell(value), 2)
                   : OUTCOME_NO;
    case NODE_STRUCT:
        return term_tag(value) == TERM_STRUCT
                       && *term_cell(value) == term_functor(pattern->name, pattern->arity)
                   ? match_all(pe, pattern->arguments, term_cell(value) + 1, pattern->arity)
                   : OUTCOME_NO;
    default: break;
    }
    return fits ? OUTCOME_YES : OUTCOME_NO;
}

term build(struct pe *pe, const struct node *node)
{
    switch (node->kind) {
    case NODE_VOID: return heap_variable(pe);
    case NODE_FIRST: return pe->variables[node->variable] = heap_variable(pe);
    case NODE_VARIABLE: return pe->variables[node->variable];
    case NODE_INTEGER: return heap_integer(pe, node->integer);
    case NODE_ATOM: return term_atom(node->name);
    case NODE_STRING: return heap_string(pe, node->string);
    case NODE_LIST: {
        term *pair = heap_take(pe, 2);
        pair[0] = build(pe, &node->arguments[0]);
        pair[1] = build(pe, &node->arguments[1]);
        return term_of(pair, TERM_LIST);
    }
    case NODE_STRUCT: {
        term *at = heap_take(pe, 1 + (size_t)node->arity);
        at[0] = term_functor(node->name, node->arity);
        for (uint32_t i = 0; i < node->arity; i++)
            at[1 + i] = build(pe, &node->arguments[i]);
        return term_of(at, TERM_STRUCT);
    }
    }
    return term_atom(ATOM_NIL);
}

/* ---- Arithmetic: 64 bits, wrapping, or 32 ---- */

static enum outcome apply(struct pe *pe, const char *name, int64_t a, int64_t b,
                          int64_t *value)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b, r;
    if (strcmp(name, "+") == 0)
        r = x + y;
    else if (strcmp(name, "-") == 0)
        r = x - y;
    else if (strcmp(name, "*") == 0)
        r = x * y;
    else if (strcmp(name, "/") == 0 || strcmp(name, "//") == 0
             || strcmp(name, "mod") == 0) {
        if (b == 0)
            return OUTCOME_NO;
        bool rest = name[0] == 'm';
        r = b == -1 ? (rest ? 0 : 0 - x) : (uint64_t)(rest ? a % b : a / b);
    } else if (strcmp(name, "/\\") == 0)
        r = x & y;
    else if (strcmp(name, "\\/") == 0)
        r = x | y;
    else if (strcmp(name, "xor") == 0)
        r = x ^ y;
    else if (strcmp(name, "<<") == 0)
        r = y < 64 ? x << y : 0;
    else if (strcmp(name, ">>") == 0)
        r = (uint64_t)(a >> (y < 64 ? y : 63));
    else
        return OUTCOME_NO;
    *value = pe->machine->options.int32 ? (int32_t)(uint32_t)r : (int64_t)r;
    return OUTCOME_YES;
}

enum outcome evaluate(struct pe *pe, term expression, int64_t *value)
{
    expression = term_deref(expression);
    if (term_is_integer(expression)) {
        *value = term_integer(expression);
        return OUTCOME_YES;
    }
    if (term_tag(expression) == TERM_REF) {
        wait_for(pe, expression);
        return OUTCOME_WAIT;
    }
    if (term_tag(expression) != TERM_STRUCT || term_arity(*term_cell(expression)) != 2)
        return OUTCOME_NO;
    const term *at = term_cell(expression);
    int64_t a = 0, b = 0;
    enum outcome left = evaluate(pe, at[1], &a), right = evaluate(pe, at[2], &b);
    if (left != OUTCOME_YES || right != OUTCOME_YES)
        return left == OUTCOME_NO || right == OUTCOME_NO ? OUTCOME_NO : OUTCOME_WAIT;
    return apply(pe, pe->machine->program->names[term_name(at[0])], a, b, value);
}

/* The same of the source's own term, without building it first. */
static enum outcome evaluate_node(struct pe *pe, const struct node *node, int64_t *value)
{
    if (node->kind == NODE_INTEGER) {
        *value = node->integer;
        return OUTCOME_YES;
    }
    if (node->kind == NODE_VARIABLE)
        return evaluate(pe, pe->variables[node->variable], value);
    if (node->kind != NODE_STRUCT || node->arity != 2)
        return OUTCOME_NO;
    int64_t a = 0, b = 0;
    enum outcome left = evaluate_node(pe, &node->arguments[0], &a);
    enum outcome right = evaluate_node(pe, &node->arguments[1], &b);
    if (left != OUTCOME_YES || right != OUTCOME_YES)
        return left == OUTCOME_NO || right == OUTCOME_NO ? OUTCOME_NO : OUTCOME_WAIT;
    return apply(pe, pe->machine->program->names[node->name], a, b, value);
}

/* ---- Guards ---- */

static enum outcome compare(struct pe *pe, const struct goal_call *goal)
{
    int64_t a = 0, b = 0;
    enum outcome left = evaluate_node(pe, &goal->arguments[0], &a);
    enum outcome right = evaluate_node(pe, &goal->arguments[1], &b);
    if (left != OUTCOME_YES || right != OUTCOME_YES)
        return left == OUTCOME_NO || right == OUTCOME_NO ? OUTCOME_NO : OUTCOME_WAIT;
    bool yes = goal->test == TEST_LESS           ? a < b
               : goal->test == TEST_GREATER      ? a > b
               : goal->test == TEST_AT_MOST      ? a <= b
               : goal->test == TEST_AT_LEAST     ? a >= b
               : goal->test == TEST_OTHER_NUMBER ? a != b
                                                 : a == b;
    return yes ? OUTCOME_YES : OUTCOME_NO;
}

static enum outcome test_type(struct pe *pe, enum test test, term value)
{
    value = term_deref(value);
    if (term_tag(value) == TERM_REF) {
        wait_for(pe, value);
        return OUTCOME_WAIT;
    }
    bool integer = term_is_integer(value), atom = term_tag(value) == TERM_ATOM;
    bool string = term_tag(value) == TERM_STRING;
    bool yes = test == TEST_INTEGER   ? integer
               : test == TEST_ATOM    ? atom
               : test == TEST_ATOMIC  ? integer || atom || string
               : test == TEST_LIST    ? term_tag(value) == TERM_LIST
               : test == TEST_STRING  ? string
               : test == TEST_FUNCTOR ? term_tag(value) == TERM_STRUCT
                                      : true;
    return yes ? OUTCOME_YES : OUTCOME_NO;
}

/* ":=": a variable of the clause that has no value yet gets one, any other must have it. */
static enum outcome assign(struct pe *pe, const struct goal_call *goal)
{
    const struct node *target = &goal->arguments[0];
    int64_t value = 0, other = 0;
    enum outcome right = evaluate_node(pe, &goal->arguments[1], &value);
    if (target->kind == NODE_FIRST) {
        pe->variables[target->variable] =
            right == OUTCOME_YES ? heap_integer(pe, value) : heap_variable(pe);
        return right;
    }
    enum outcome left = evaluate_node(pe, target, &other);
    if (left != OUTCOME_YES || right != OUTCOME_YES)
        return left == OUTCOME_NO || right == OUTCOME_NO ? OUTCOME_NO : OUTCOME_WAIT;
    return value == other ? OUTCOME_YES : OUTCOME_NO;
}

enum outcome test_guard(struct pe *pe, const struct goal_call *goal)
{
    switch (goal->test) {
    case TEST_TRUE: return OUTCOME_YES;
    case TEST_FAIL: return OUTCOME_NO;
    case TEST_ASSIGN: return assign(pe, goal);
    case TEST_SAME:
    case TEST_UNIFY:
        if (goal->arguments[0].kind == NODE_FIRST) {
            pe->variables[goal->arguments[0].variable] = build(pe, &goal->arguments[1]);
            return OUTCOME_YES;
        }
        return match(pe, &goal->arguments[1], build(pe, &goal->arguments[0]));
    case TEST_OTHER: {
        enum outcome is =
            same(pe, build(pe, &goal->arguments[0]), build(pe, &goal->arguments[1]));
        return is == OUTCOME_WAIT ? is : is == OUTCOME_YES ? OUTCOME_NO : OUTCOME_YES;
    }
    case TEST_INTEGER:
    case TEST_ATOM:
    case TEST_ATOMIC:
    case TEST_LIST:
    case TEST_STRING:
    case TEST_FUNCTOR:
    case TEST_WAIT: return test_type(pe, goal->test, build(pe, &goal->arguments[0]));
    default: return compare(pe, goal);
    }
}
