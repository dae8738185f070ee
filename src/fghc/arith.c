/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on integers of 64 bits, or of 32 when the run asks for it; both wrap. */
#include "fghc/machine_priv.h"

static bool apply(enum operation op, int64_t a, int64_t b, uint64_t *value)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case OP_ADD: *value = x + y; return true;
    case OP_SUBTRACT: *value = x - y; return true;
    case OP_MULTIPLY: *value = x * y; return true;
    case OP_DIVIDE: /* by -1 as a negation, since the least number wraps there, too */
        *value = b == -1 ? 0 - x : b ? (uint64_t)(a / b) : 0;
        return b != 0;
    case OP_MODULO: *value = b == -1 || b == 0 ? 0 : (uint64_t)(a % b); return b != 0;
    case OP_AND: *value = x & y; return true;
    case OP_OR: *value = x | y; return true;
    case OP_XOR: *value = x ^ y; return true;
    case OP_SHIFT_LEFT: *value = y < 64 ? x << y : 0; return true;
    case OP_SHIFT_RIGHT: *value = (uint64_t)(a >> (y < 64 ? y : 63)); return true;
    default: return false;
    }
}

static enum outcome evaluate_at(struct pe *pe, term expression, uint32_t depth, term *value)
{
    *value = expression = term_deref(expression);
    if (term_is_integer(expression))
        return OUTCOME_YES;
    if (term_tag(expression) == TERM_REF) {
        wait_for(pe, expression);
        return OUTCOME_WAIT;
    }
    if (term_tag(expression) != TERM_STRUCT || depth == MOST_TERM_DEPTH)
        return OUTCOME_NO;
    const term *at = term_cell(expression);
    int op = program_arithmetic(term_name(at[0]));
    if (term_arity(at[0]) != 2 || op < 0)
        return OUTCOME_NO;
    term a, b;
    enum outcome left = evaluate_at(pe, at[1], depth + 1, &a);
    enum outcome right = evaluate_at(pe, at[2], depth + 1, &b);
    if (left == OUTCOME_NO || right == OUTCOME_NO)
        return OUTCOME_NO;
    return left == OUTCOME_YES && right == OUTCOME_YES
               ? arithmetic(pe, (enum operation)op, a, b, value)
               : OUTCOME_WAIT;
}

enum outcome evaluate(struct pe *pe, term expression, term *value)
{
    return evaluate_at(pe, expression, 0, value);
}

/* Evaluate two terms, each of which may be an expression. */
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
