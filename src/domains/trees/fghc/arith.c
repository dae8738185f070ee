/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on integers of 64 bits, or of 32 when the run asks for it; both wrap. */
#include "domains/trees/fghc/machine_priv.h"

/* Computes a power by squaring; the result wraps. */
static uint64_t power(uint64_t x, int64_t exponent)
{
    uint64_t value = 1;
    for (; exponent > 0; exponent >>= 1, x *= x)
        if (exponent & 1)
            value *= x;
    return value;
}

static bool apply(enum operation op, int64_t a, int64_t b, uint64_t *value)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case OP_ADD: *value = x + y; return true;
    case OP_SUBTRACT: *value = x - y; return true;
    case OP_MULTIPLY: *value = x * y; return true;
    case OP_DIVIDE: /* INT64_MIN / -1 traps, so division by -1 is a negation */
        *value = b == -1 ? 0 - x : b ? (uint64_t)(a / b) : 0;
        return b != 0;
    case OP_MODULO: *value = b == -1 || b == 0 ? 0 : (uint64_t)(a % b); return b != 0;
    case OP_AND: *value = x & y; return true;
    case OP_OR: *value = x | y; return true;
    case OP_XOR: *value = x ^ y; return true;
    case OP_SHIFT_LEFT: *value = y < 64 ? x << y : 0; return true;
    case OP_SHIFT_RIGHT: *value = (uint64_t)(a >> (y < 64 ? y : 63)); return true;
    case OP_POWER: *value = power(x, b); return b >= 0;
    case OP_NOT: *value = ~y; return true;
    default: return false;
    }
}

/* Returns true for an operator with one or two operands. */
static bool is_expression(term t, int *op, uint32_t *arity)
{
    if (term_tag(t) != TERM_STRUCT)
        return false;
    *arity = term_arity(*term_cell(t));
    *op = program_arithmetic(term_name(*term_cell(t)), *arity);
    return *op >= 0;
}

static bool apply_to(struct pe *pe, int op, uint32_t arity, const int64_t *operands,
                     int64_t *result)
{
    uint64_t value;
    bool ok = apply((enum operation)op, arity == 1 ? 0 : operands[0], operands[arity - 1],
                    &value);
    pe->by_zero |= !ok && op != OP_POWER;
    *result = pe->machine->options.int32 ? (int32_t)(uint32_t)value : (int64_t)value;
    return ok;
}

/*
 * Looks up the class of an expression in the walk, the index of its value in pe->results: a
 * shared expression is evaluated once.  Returns false when it is new, or the walk has no
 * table.
 */
static bool find_result(struct pe *pe, term t, uint32_t *class)
{
    bool is_new;
    *class = walk_class(&pe->walk, t, &is_new);
    if (*class == WEFT_MAP_NONE || !is_new)
        return *class != WEFT_MAP_NONE;
    pe->results = weft_grow(pe->results, &pe->result_capacity, *class + (size_t)1,
                            sizeof *pe->results);
    pe->results[*class].is_known = false;
    return false;
}

/*
 * Evaluates an expression without recursion.  The walk's stack has pairs of an expression
 * and a mark.  Mark 0: the expression is still to be evaluated; else its operands are on
 * the stack of values, and its class is mark - 1.
 */
static enum outcome evaluate_all(struct pe *pe, term expression, int64_t *result)
{
    struct term_walk *walk = &pe->walk;
    enum outcome all = OUTCOME_YES;
    uint32_t steps = 0;
    size_t n = 0;
    walk_begin(walk);
    walk_push(walk, expression);
    walk_push(walk, 0);
    for (term mark, t; walk_pop(walk, &mark) && walk_pop(walk, &t);) {
        int op;
        uint32_t arity, class;
        if (is_cut_off(pe, ++steps))
            return OUTCOME_WAIT;
        pe->values = weft_grow(pe->values, &pe->value_capacity, n + 1, sizeof *pe->values);
        t = term_deref(t);
        if (mark) {
            if (!is_expression(t, &op, &arity))
                return OUTCOME_NO;
            n -= arity;
            if (all == OUTCOME_YES
                && !apply_to(pe, op, arity, pe->values + n, &pe->values[n]))
                return OUTCOME_NO;
            if (mark - 1 < WEFT_MAP_NONE)
                pe->results[mark - 1] = (struct result){ pe->values[n], true };
            n++;
        } else if (term_is_integer(t)) {
            pe->values[n++] = term_integer(t);
        } else if (term_tag(t) == TERM_REF) {
            wait_for(pe, t);
            pe->values[n++] = 0;
            all = OUTCOME_WAIT;
        } else if (!is_expression(t, &op, &arity)) {
            return OUTCOME_NO;
        } else if (!find_result(pe, t, &class)) {
            walk_push(walk, t);
            walk_push(walk, 1 + (term) class);
            for (uint32_t i = arity; i; i--) {
                walk_push(walk, term_cell(t)[i]);
                walk_push(walk, 0);
            }
        } else if (pe->results[class].is_known) {
            pe->values[n++] = pe->results[class].value;
        } else {
            return OUTCOME_NO; /* the expression contains itself */
        }
    }
    *result = pe->values[0];
    return all;
}

enum outcome evaluate(struct pe *pe, term expression, term *value)
{
    *value = expression = term_deref(expression);
    if (term_is_integer(expression))
        return OUTCOME_YES;
    if (term_tag(expression) == TERM_REF) {
        wait_for(pe, expression);
        return OUTCOME_WAIT;
    }
    int64_t result;
    enum outcome outcome = evaluate_all(pe, expression, &result);
    if (outcome == OUTCOME_YES)
        *value = heap_integer(pe, result);
    return outcome;
}

/* Evaluates two terms, each of which may be an expression. */
static enum outcome both(struct pe *pe, term x, term y, int64_t *a, int64_t *b)
{
    term left, right;
    enum outcome first = evaluate(pe, x, &left), second = evaluate(pe, y, &right);
    if (first == OUTCOME_NO || second == OUTCOME_NO)
        return OUTCOME_NO;
    if (first == OUTCOME_WAIT || second == OUTCOME_WAIT)
        return OUTCOME_WAIT;
    *a = term_integer(left);
    *b = term_integer(right);
    return OUTCOME_YES;
}

enum outcome arithmetic(struct pe *pe, enum operation op, term x, term y, term *result)
{
    int64_t a, b;
    uint64_t value;
    enum outcome outcome = both(pe, x, y, &a, &b);
    if (outcome != OUTCOME_YES)
        return outcome;
    if (!apply(op, a, b, &value))
        return OUTCOME_NO;
    *result = heap_integer(pe, (int64_t)value);
    return OUTCOME_YES;
}

enum outcome compare_numbers(struct pe *pe, enum test test, term x, term y)
{
    int64_t a, b;
    enum outcome outcome = both(pe, x, y, &a, &b);
    if (outcome != OUTCOME_YES)
        return outcome;
    return numbers_are(test, a, b) ? OUTCOME_YES : OUTCOME_NO;
}
