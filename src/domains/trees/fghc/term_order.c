/* SPDX-License-Identifier: Apache-2.0 */
/* Compares terms in the standard order, and computes their hash codes. */
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "domains/trees/fghc/term_order.h"

/* Returns the rank of a term's kind: numbers, atoms, strings, lists, structures. */
static int kind_of(term t)
{
    return term_is_integer(t)           ? 0
           : term_tag(t) == TERM_ATOM   ? 1
           : term_tag(t) == TERM_STRING ? 2
           : term_tag(t) == TERM_LIST   ? 3
                                        : 4;
}

/* Compares the constants or principal functors of two bound terms: functors by arity, then
 * name. */
static int compare_outside(const struct program *program, term a, term b)
{
    if (kind_of(a) != kind_of(b))
        return kind_of(a) - kind_of(b);
    switch (kind_of(a)) {
    case 0: return WEFT_COMPARE(term_integer(a), term_integer(b));
    case 1:
        return strcmp(program->names[term_atom_index(a)],
                      program->names[term_atom_index(b)]);
    case 2: {
        size_t n = term_length(a), m = term_length(b);
        int order = memcmp(term_bytes(a), term_bytes(b), n < m ? n : m);
        return order ?: WEFT_COMPARE(n, m);
    }
    case 3: return 0;
    default: {
        term f = *term_cell(a), g = *term_cell(b);
        int order = WEFT_COMPARE(term_arity(f), term_arity(g));
        return order ?: strcmp(program->names[term_name(f)], program->names[term_name(g)]);
    }
    }
}

/* Compares two terms from left to right up to a difference or, WAIT, an unbound
 * variable. */
static enum outcome compare_terms(struct pe *pe, term a, term b, int *order)
{
    struct term_walk *walk = &pe->walk;
    uint32_t steps = 0;
    *order = 0;
    walk_begin(walk);
    do {
        if (is_cut_off(pe, ++steps))
            return OUTCOME_WAIT;
        a = term_deref(a);
        b = term_deref(b);
        if (a == b && a != pe->unknown)
            continue;
        if (wait_for_either(pe, a, b))
            return OUTCOME_WAIT;
        *order = compare_outside(pe->machine->program, a, b);
        if (*order || kind_of(a) < 3)
            continue;
        bool list = kind_of(a) == 3;
        uint32_t n = list ? 2 : term_arity(*term_cell(a));
        if (walk_is_new_pair(walk, a, b))
            for (uint32_t i = n; i--;) {
                walk_push(walk, term_cell(b)[i + !list]);
                walk_push(walk, term_cell(a)[i + !list]);
            }
    } while (!*order && walk_pop(walk, &a) && walk_pop(walk, &b));
    return OUTCOME_YES;
}

enum outcome run_compare(struct pe *pe, term *a)
{
    int order;
    enum outcome outcome = compare_terms(pe, a[0], a[1], &order);
    a[2] = term_small(WEFT_COMPARE(order, 0));
    return outcome;
}

static enum outcome in_order(struct pe *pe, term *a, int least, int most)
{
    int order;
    enum outcome outcome = compare_terms(pe, a[0], a[1], &order);
    if (outcome != OUTCOME_YES)
        return outcome;
    order = WEFT_COMPARE(order, 0);
    return order >= least && order <= most ? OUTCOME_YES : OUTCOME_NO;
}
enum outcome run_before(struct pe *pe, term *a)
{
    return in_order(pe, a, -1, -1);
}
enum outcome run_not_after(struct pe *pe, term *a)
{
    return in_order(pe, a, -1, 0);
}
enum outcome run_after(struct pe *pe, term *a)
{
    return in_order(pe, a, 1, 1);
}
enum outcome run_not_before(struct pe *pe, term *a)
{
    return in_order(pe, a, 0, 1);
}

/* hash(Term, Code): of the constant or principal functor, so no argument need be bound. */
enum outcome run_hash(struct pe *pe, term *a)
{
    const struct program *program = pe->machine->program;
    uint64_t code;
    if (term_is_integer(a[0])) {
        int64_t value = term_integer(a[0]);
        code = weft_hash(&value, sizeof value);
    } else if (term_tag(a[0]) == TERM_STRING) {
        code = weft_hash(term_bytes(a[0]), term_length(a[0]));
    } else {
        term functor = term_tag(a[0]) == TERM_STRUCT ? *term_cell(a[0]) : 0;
        const char *name =
            program->names[term_tag(a[0]) == TERM_ATOM ? term_atom_index(a[0])
                           : functor                   ? term_name(functor)
                                                       : ATOM_DOT];
        code = weft_hash(name, strlen(name)) + term_arity(functor);
    }
    a[1] = term_small((int64_t)(code >> 36)); /* 28 bits, as in KLIC */
    return OUTCOME_YES;
}
