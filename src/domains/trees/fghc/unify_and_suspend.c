/* SPDX-License-Identifier: Apache-2.0 */
/* Compares and unifies terms, suspends goals on variables and wakes them. */
#include <string.h>

#include "domains/trees/fghc/machine_priv.h"

enum { LOOKED_AT = 16 }; /* latest variables that are searched for duplicates */

void wait_for(struct pe *pe, term variable)
{
    if (variable == pe->unknown) /* a part: the goal waits for the whole already */
        return;
    /* A duplicate does no harm; searching all variables would take quadratic time. */
    uint32_t first = pe->n_waited > LOOKED_AT ? pe->n_waited - LOOKED_AT : 0;
    for (uint32_t i = first; i < pe->n_waited; i++)
        if (pe->waited[i] == variable)
            return;
    pe->waited =
        weft_grow(pe->waited, &pe->waited_capacity, pe->n_waited + 1, sizeof *pe->waited);
    pe->waited[pe->n_waited++] = variable;
}

bool same_constants(term a, term b)
{
    if (term_is_integer(a) && term_is_integer(b))
        return term_integer(a) == term_integer(b);
    return a == b
           || (term_tag(a) == TERM_STRING && term_tag(b) == TERM_STRING
               && term_length(a) == term_length(b)
               && memcmp(term_bytes(a), term_bytes(b), term_length(a)) == 0);
}

/*
 * Compares two bound terms and pushes their parts onto the walk, the first on top, so that
 * they are compared from left to right.  Returns false when the terms differ.
 */
static bool push_parts(struct term_walk *walk, term a, term b)
{
    if (term_tag(a) != term_tag(b)
        || (term_tag(a) != TERM_LIST && term_tag(a) != TERM_STRUCT))
        return same_constants(a, b);
    const term *x = term_cell(a), *y = term_cell(b);
    uint32_t n = 2;
    if (term_tag(a) == TERM_STRUCT) {
        if (*x != *y)
            return false;
        n = term_arity(*x++);
        y++;
    }
    if (!walk_is_new_pair(walk, a, b))
        return true;
    while (n--) {
        walk_push(walk, y[n]);
        walk_push(walk, x[n]);
    }
    return true;
}

/* ---- Passive ---- */

enum outcome same_terms(struct pe *pe, term a, term b)
{
    struct term_walk *walk = &pe->walk;
    enum outcome all = OUTCOME_YES;
    uint32_t steps = 0;
    walk_begin(walk);
    do {
        if (is_cut_off(pe, ++steps))
            return OUTCOME_WAIT;
        a = term_deref(a);
        b = term_deref(b);
        if (a == b && a != pe->unknown)
            continue;
        if (wait_for_either(pe, a, b))
            all = OUTCOME_WAIT; /* later parts may still differ */
        else if (!push_parts(walk, a, b))
            return OUTCOME_NO;
    } while (walk_pop(walk, &a) && walk_pop(walk, &b));
    return all;
}

enum outcome other_functors(struct pe *pe, term a, term b)
{
    a = term_deref(a);
    b = term_deref(b);
    if (a == b && a != pe->unknown)
        return OUTCOME_NO;
    if (wait_for_either(pe, a, b))
        return OUTCOME_WAIT;
    if (term_tag(a) == TERM_LIST && term_tag(b) == TERM_LIST)
        return OUTCOME_NO;
    if (term_tag(a) == TERM_STRUCT && term_tag(b) == TERM_STRUCT)
        return *term_cell(a) == *term_cell(b) ? OUTCOME_NO : OUTCOME_YES;
    return same_constants(a, b) ? OUTCOME_NO : OUTCOME_YES;
}

enum outcome is_known(struct pe *pe, struct term_walk *walk)
{
    uint32_t steps = 0;
    for (term t; walk_pop(walk, &t);) {
        t = term_deref(t);
        enum term_tag tag = term_tag(t);
        bool is_free = tag == TERM_REF;
        if (is_free)
            wait_for(pe, t);
        if (is_free || is_cut_off(pe, ++steps)) {
            walk_push(walk, t);
            return OUTCOME_WAIT;
        }
        if ((tag != TERM_LIST && tag != TERM_STRUCT) || !walk_is_new(walk, t))
            continue;
        const term *at = term_cell(t);
        uint32_t first = tag == TERM_STRUCT, n = first ? term_arity(at[0]) : 2;
        for (uint32_t i = first + n; i-- > first;)
            walk_push(walk, at[i]);
    }
    return OUTCOME_YES;
}

/* ---- Active ---- */

/* Puts the goals that wait for a cell on this PE's stack. */
static void wake(struct pe *pe, term waiting)
{
    while (term_tag(waiting) == TERM_WAIT) {
        const struct waiter *waiter = (struct waiter *)(void *)term_cell(waiting);
        struct goal *goal = waiter->goal;
        uint32_t wait = (uint32_t)waiter->wait;
        waiting = waiter->next;
        if (!atomic_compare_exchange_strong(&goal->wait, &wait, wait + 1))
            continue;
        if (pe->machine->options.record_to)
            record_waking(pe, goal);
        push_goal(pe, goal);
    }
}

/* Binds an unbound cell; returns false when another PE has bound it first. */
static bool bind(struct pe *pe, term variable, term value)
{
    term *cell = term_cell(variable), before = term_load(cell);
    while (before == variable || term_tag(before) == TERM_WAIT)
        if (__atomic_compare_exchange_n(cell, &before, value, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            if (before != variable)
                wake(pe, before);
            return true;
        }
    return false;
}

enum outcome unify(struct pe *pe, term a, term b)
{
    struct term_walk *walk = &pe->walk;
    uint32_t steps = 0;
    walk_begin(walk);
    do {
        if (is_cut_off(pe, ++steps))
            return OUTCOME_WAIT;
        for (bool bound = false; !bound;) {
            a = term_deref(a);
            b = term_deref(b);
            bool a_free = term_tag(a) == TERM_REF, b_free = term_tag(b) == TERM_REF;
            if (a == b)
                break;
            if (a_free && b_free) {
                /* The higher address refers to the lower: two PEs cannot make a cycle. */
                term high = a > b ? a : b, low = a > b ? b : a;
                bound = bind(pe, high, low);
            } else if (a_free || b_free) {
                bound = bind(pe, a_free ? a : b, a_free ? b : a);
            } else if (push_parts(walk, a, b)) {
                break;
            } else {
                return OUTCOME_NO;
            }
        }
    } while (walk_pop(walk, &a) && walk_pop(walk, &b));
    return OUTCOME_YES;
}

/* ---- Waiting ---- */

void suspend(struct pe *pe, struct goal *goal)
{
    pe->n_suspensions++;
    if (pe->machine->options.record_to)
        record_suspension(pe, goal);
    /* From here on a PE that binds one of the variables may take the goal. */
    uint32_t wait = atomic_load_explicit(&goal->wait, memory_order_relaxed) + 1;
    atomic_store(&goal->wait, wait);
    for (uint32_t i = 0; i < pe->n_waited; i++) {
        term variable = pe->waited[i], *cell = term_cell(variable);
        struct waiter *waiter = (struct waiter *)(void *)heap_alloc(pe, WAITER_WORDS);
        *waiter = (struct waiter){ .goal = goal, .wait = wait };
        term before = term_load(cell);
        bool bound = false;
        do {
            bound = before != variable && term_tag(before) != TERM_WAIT;
            waiter->next = before;
        } while (!bound
                 && !__atomic_compare_exchange_n(cell, &before, term_of(waiter, TERM_WAIT),
                                                 false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE));
        if (!bound)
            continue;
        /* The variable was bound meanwhile: push the goal, unless another PE took it. */
        if (atomic_compare_exchange_strong(&goal->wait, &wait, wait + 1))
            push_goal(pe, goal);
        return;
    }
}
