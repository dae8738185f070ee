/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the abstract machine's instructions, which instructions.h describes. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domains/trees/fghc/builtin_functions.h"
#include "domains/trees/fghc/machine_priv.h"

/* ---- Heads and guards: passive, they change only registers ---- */

/*
 * Notes an unbound variable that was matched with a pattern, and sets the registers of the
 * pattern's parts to pe->unknown, which is never bound.  (Another PE may bind the variable
 * itself at any moment.)
 */
static enum outcome unknown(struct pe *pe, term variable, term *parts, uint32_t n)
{
    wait_for(pe, variable);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = pe->unknown;
    return OUTCOME_WAIT;
}

static inline enum outcome get_constant(struct pe *pe, const struct instruction *i)
{
    term value = pe->registers[i->a] = term_deref(pe->registers[i->a]);
    if (term_tag(value) == TERM_REF)
        return unknown(pe, value, NULL, 0);
    term constant = pe_operand(pe, i->b);
    return value == constant || same_constants(value, constant) ? OUTCOME_YES : OUTCOME_NO;
}

static inline enum outcome get_list(struct pe *pe, const struct instruction *i)
{
    term *parts = &pe->registers[i->b];
    term value = pe->registers[i->a] = term_deref(pe->registers[i->a]);
    if (term_tag(value) == TERM_REF)
        return unknown(pe, value, parts, 2);
    if (term_tag(value) != TERM_LIST)
        return OUTCOME_NO;
    parts[0] = term_cell(value)[0];
    parts[1] = term_cell(value)[1];
    return OUTCOME_YES;
}

static inline enum outcome get_struct(struct pe *pe, const struct instruction *i,
                                      term functor)
{
    term *parts = &pe->registers[i->b];
    term value = pe->registers[i->a] = term_deref(pe->registers[i->a]);
    if (term_tag(value) == TERM_REF)
        return unknown(pe, value, parts, term_arity(functor));
    if (term_tag(value) != TERM_STRUCT || *term_cell(value) != functor)
        return OUTCOME_NO;
    for (uint32_t k = 0; k < term_arity(functor); k++)
        parts[k] = term_cell(value)[1 + k];
    return OUTCOME_YES;
}

static enum outcome test_type(struct pe *pe, enum test test, term value)
{
    value = term_deref(value);
    enum term_tag tag = term_tag(value);
    if (tag == TERM_REF) {
        wait_for(pe, value);
        return OUTCOME_WAIT;
    }
    bool integer = term_is_integer(value), atom = tag == TERM_ATOM;
    bool string = tag == TERM_STRING;
    bool vector = tag == TERM_STRUCT && term_name(*term_cell(value)) == ATOM_VECTOR;
    bool yes = test == TEST_INTEGER   ? integer
               : test == TEST_ATOM    ? atom
               : test == TEST_ATOMIC  ? integer || atom || string
               : test == TEST_LIST    ? tag == TERM_LIST
               : test == TEST_STRING  ? string
               : test == TEST_VECTOR  ? vector
               : test == TEST_FUNCTOR ? tag == TERM_STRUCT && !vector
                                      : true;
    return yes ? OUTCOME_YES : OUTCOME_NO;
}

/* Compares unboxed integers; compare_numbers() compares all other terms. */
static inline enum outcome compare(struct pe *pe, const struct instruction *i)
{
    term x = term_deref(pe_operand(pe, i->a)), y = term_deref(pe_operand(pe, i->b));
    if (term_tag(x) != TERM_INT || term_tag(y) != TERM_INT)
        return compare_numbers(pe, i->n, x, y);
    /* Both words have the same tag in their lowest bits, so they compare like the
     * numbers. */
    return numbers_are(i->n, (int64_t)x, (int64_t)y) ? OUTCOME_YES : OUTCOME_NO;
}

static inline enum outcome calculate(struct pe *pe, const struct instruction *i)
{
    term x = term_deref(pe_operand(pe, i->b)), y = term_deref(pe_operand(pe, i->c));
    if (i->op <= OP_SUBTRACT && term_tag(x) == TERM_INT && term_tag(y) == TERM_INT
        && !pe->machine->options.int32) {
        int64_t a = term_integer(x), b = term_integer(y);
        int64_t value = i->op == OP_ADD ? a + b : a - b; /* cannot overflow: 61 bits each */
        if (term_fits(value)) {
            pe->registers[i->a] = term_small(value);
            return OUTCOME_YES;
        }
    }
    return arithmetic(pe, i->op, x, y, &pe->registers[i->a]);
}

/* Sets the results of a function that waits for its inputs to pe->unknown. */
static void forget_results(struct pe *pe, const struct instruction *i)
{
    uint32_t outputs = function_outputs(i->b);
    for (uint32_t k = 0; outputs >> k; k++)
        if (outputs >> k & 1)
            pe->registers[i->a + k] = pe->unknown;
}

static term new_list(struct pe *pe, const struct instruction *i)
{
    term *pair = heap_alloc(pe, 2);
    pair[0] = i->b == OPERAND_NEW ? heap_variable(pe) : pe_operand(pe, i->b);
    pair[1] = i->c == OPERAND_NEW ? heap_variable(pe) : pe_operand(pe, i->c);
    return term_of(pair, TERM_LIST);
}

static void load_operands(struct pe *pe, const union word *from, uint32_t n, term *to)
{
    const uint16_t *operands = from->operands;
    for (uint32_t i = 0; i < n; i++)
        to[i] =
            operands[i] == OPERAND_NEW ? heap_variable(pe) : pe_operand(pe, operands[i]);
}

/* Builds a structure; returns the last word of the instruction. */
static const union word *new_struct(struct pe *pe, const union word *at)
{
    const struct instruction *i = &at->instruction;
    term *structure = heap_alloc(pe, 1 + (size_t)i->n);
    structure[0] = at[1].term;
    load_operands(pe, at + 2, i->n, structure + 1);
    pe->registers[i->a] = term_of(structure, TERM_STRUCT);
    return at + 1 + operand_words(i->n);
}

static enum outcome flip(enum outcome outcome)
{
    return outcome == OUTCOME_WAIT  ? outcome
           : outcome == OUTCOME_YES ? OUTCOME_NO
                                    : OUTCOME_YES;
}

static enum outcome run_test(struct pe *pe, const struct instruction *i)
{
    switch ((enum operation)i->op) {
    case OP_TEST: return test_type(pe, i->n, pe_operand(pe, i->a));
    case OP_SAME: return same_terms(pe, pe_operand(pe, i->a), pe_operand(pe, i->b));
    case OP_OTHER: return flip(same_terms(pe, pe_operand(pe, i->a), pe_operand(pe, i->b)));
    case OP_OTHER_FUNCTOR:
        return other_functors(pe, pe_operand(pe, i->a), pe_operand(pe, i->b));
    case OP_FUNCTION: return function_run(pe, i->b, &pe->registers[i->a]);
    default: return compare(pe, i);
    }
}

/*
 * Executes the head and the guard of a clause; YES: *CODE is then the begin of its body.
 * After an unbound variable the rest is still tried, since it may rule the clause out;
 * parts and results that depend on the variable are pe->unknown.
 */
static enum outcome try_clause(struct pe *pe, const union word **code)
{
    term *r = pe->registers;
    bool waits = false;
    for (const union word *at = *code;; at++) {
        const struct instruction *i = &at->instruction;
        enum outcome outcome = OUTCOME_YES;
        switch ((enum operation)i->op) {
        case OP_GET_CONSTANT: outcome = get_constant(pe, i); break;
        case OP_GET_LIST: outcome = get_list(pe, i); break;
        case OP_GET_STRUCT: outcome = get_struct(pe, i, (++at)->term); break;
        case OP_GET_SAME:
            outcome = same_terms(pe, pe_operand(pe, i->a), pe_operand(pe, i->b));
            break;
        case OP_COMPARE: outcome = compare(pe, i); break;
        case OP_TEST:
        case OP_SAME:
        case OP_OTHER:
        case OP_OTHER_FUNCTOR: outcome = run_test(pe, i); break;
        case OP_FUNCTION:
            outcome = run_test(pe, i);
            if (outcome == OUTCOME_WAIT)
                forget_results(pe, i);
            break;
        case OP_NOT_NEXT: outcome = flip(run_test(pe, &(++at)->instruction)); break;
        case OP_FAIL: return OUTCOME_NO;
        case OP_MOVE: r[i->a] = pe_operand(pe, i->b); break;
        case OP_CONSTANT: r[i->a] = (++at)->term; break;
        case OP_NEW: r[i->a] = heap_variable(pe); break;
        case OP_LIST: r[i->a] = new_list(pe, i); break;
        case OP_STRUCT: at = new_struct(pe, at); break;
        case OP_COMMIT: *code = at + 1; return waits ? OUTCOME_WAIT : OUTCOME_YES;
        default:
            outcome = calculate(pe, i);
            if (outcome == OUTCOME_WAIT)
                r[i->a] = pe->unknown;
            break;
        }
        if (outcome == OUTCOME_NO)
            return OUTCOME_NO;
        waits |= outcome == OUTCOME_WAIT;
    }
}

/* ---- Bodies ---- */

static struct goal *new_goal(struct pe *pe, const union word *at)
{
    const struct instruction *i = &at->instruction;
    struct goal *goal = goal_new(pe, i->n);
    goal->is_builtin = i->op == OP_BUILTIN;
    goal->procedure = i->b;
    goal->site = i->c;
    goal->parent_pe = pe->number;
    goal->parent_index = (uint32_t)pe->reductions;
    load_operands(pe, at + 1, i->n, goal->arguments);
    return goal;
}

/* Makes the call of an EXECUTE the current goal: its arguments become the registers. */
static void load_registers(struct pe *pe, const union word *at)
{
    const struct instruction *i = &at->instruction;
    load_operands(pe, at + 1, i->n, pe->others);
    term *registers = pe->others;
    pe->others = pe->registers;
    pe->registers = registers;
    pe->procedure = i->b;
    pe->site = i->c;
    pe->parent_pe = pe->number;
    pe->parent_index = (uint32_t)pe->reductions;
}

static bool body_unify(struct pe *pe, const struct instruction *i)
{
    struct machine *m = pe->machine;
    enum outcome outcome = unify(pe, pe_operand(pe, i->a), pe_operand(pe, i->b));
    if (outcome != OUTCOME_NO) /* WAIT: the run has ended, as the next safe point finds */
        return outcome == OUTCOME_YES;
    char *a = term_text(m, pe_operand(pe, i->a)), *b = term_text(m, pe_operand(pe, i->b));
    stop_with(m, WEFT_ERR_FORMAT, i->c, "the program fails: %s = %s, which differ", a, b);
    free(a);
    free(b);
    return false;
}

/* Executes a body; returns true when the registers hold the next goal. */
static bool run_body(struct pe *pe, const union word *at)
{
    term *r = pe->registers;
    for (;; at++) {
        const struct instruction *i = &at->instruction;
        switch ((enum operation)i->op) {
        case OP_MOVE: r[i->a] = pe_operand(pe, i->b); break;
        case OP_CONSTANT: r[i->a] = (++at)->term; break;
        case OP_NEW: r[i->a] = heap_variable(pe); break;
        case OP_LIST: r[i->a] = new_list(pe, i); break;
        case OP_STRUCT: at = new_struct(pe, at); break;
        case OP_UNIFY:
            if (!body_unify(pe, i))
                return false;
            break;
        case OP_CALL:
        case OP_BUILTIN:
            push_goal(pe, new_goal(pe, at));
            at += operand_words(i->n);
            break;
        case OP_EXECUTE:
            if (pe->machine->options.seed) { /* random order: this goal is queued, too */
                push_goal(pe, new_goal(pe, at));
                return false;
            }
            load_registers(pe, at);
            return true;
        case OP_JUMP: at -= (i->b | (uint32_t)i->c << 16) + 1; break;
        case OP_PROCEED: return false;
        default:
            pe->n_waited = 0;
            if (calculate(pe, i) != OUTCOME_YES)
                at += i->n - 1;
            break;
        }
    }
}

/* ---- Goals ---- */

/* Copies the goal in the registers into memory, so that it can be suspended. */
static struct goal *put_away(struct pe *pe)
{
    uint32_t arity = pe->procedures[pe->procedure].arity;
    struct goal *goal = goal_new(pe, arity);
    goal->procedure = pe->procedure;
    goal->site = pe->site;
    goal->parent_pe = pe->parent_pe;
    goal->parent_index = pe->parent_index;
    goal->waiting = pe->waiting;
    pe->waiting = NULL;
    memcpy(goal->arguments, pe->registers, arity * sizeof(term));
    return goal;
}

static void no_clause_fits(struct pe *pe)
{
    struct goal *goal = put_away(pe);
    char *text = goal_text(pe->machine, goal);
    stop_with(pe->machine, WEFT_ERR_FORMAT, pe->site, "no clause fits the goal %s", text);
    free(text);
    goal_free(pe, goal);
}

enum {
    SLEEP = 10000
}; /* microseconds after which a sleeping PE looks whether the run has ended */

/* Sleeps, as if reductions were long: PEs then overlap even on one processor. */
static void keep_pace(const struct pe *pe)
{
    uint32_t left = pe->machine->options.pace;
    while (left && !atomic_load(&pe->machine->stopped)) {
        uint32_t us = left < SLEEP ? left : SLEEP;
        struct timespec t = { 0, (long)us * 1000 };
        nanosleep(&t, NULL);
        left -= us;
    }
}

static inline void count_reduction(struct pe *pe, uint32_t clause)
{
    pe->reductions++;
    pe->migrations += pe->parent_pe != pe->number && pe->parent_index;
    if (pe->machine->options.record_to)
        record_reduction(pe, clause);
    if (pe->machine->options.pace)
        keep_pace(pe);
}

/* Reduces or suspends the goal; returns true when the registers hold another goal. */
static bool reduce(struct pe *pe)
{
    const struct procedure *procedure = &pe->procedures[pe->procedure];
    bool waits = false;
    pe->n_waited = 0;
    for (uint32_t c = 0; c < procedure->n_clauses; c++) {
        const struct clause *clause = &procedure->clauses[c];
        if (clause->after_otherwise && waits)
            break; /* a clause before "otherwise" may still be chosen */
        const union word *at = pe->code + clause->code;
        uint32_t waited = pe->n_waited;
        enum outcome outcome = try_clause(pe, &at);
        if (outcome == OUTCOME_YES) {
            if (clause->number) /* the typed goal itself is not counted */
                count_reduction(pe, clause->number);
            return run_body(pe, at);
        }
        if (outcome == OUTCOME_WAIT)
            waits = true;
        else
            pe->n_waited = waited; /* the clause has failed: its variables do not matter */
    }
    if (waits)
        suspend(pe, put_away(pe));
    else
        no_clause_fits(pe);
    return false;
}

void run_goal(struct pe *pe)
{
    do {
        pe->n_live = pe->procedures[pe->procedure].arity;
        if (!safe_point(pe))
            return;
    } while (reduce(pe));
    pe->n_live = 0;
}
