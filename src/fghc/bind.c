/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: comparing them, binding them, waiting for them. */
#include "fghc/machine_priv.h"

void wait_for(struct pe *pe, term variable)
{
    if (variable == pe->unknown) /* stands for a part: the goal waits for the whole */
        return;
    for (uint32_t i = 0; i < pe->n_waited; i++)
        if (pe->waited[i] == variable)
            return;
    pe->waited =
        weft_grow(pe->waited, &pe->waited_capacity, pe->n_waited + 1, sizeof *pe->waited);
    pe->waited[pe->n_waited++] = variable;
}

/*
 * The arguments of two terms in *x and *y, when both are lists or structures of one
 * functor; returns their number.  0: nothing is inside, and *equal says if the terms are
 * equal.
 */
static uint32_t parts(term a, term b, const term **x, const term **y, bool *equal)
{
    *equal = false;
    if (term_is_integer(a) && term_is_integer(b))
        *equal = term_integer(a) == term_integer(b);
    if (term_tag(a) != term_tag(b))
        return 0;
    *x = term_cell(a);
    *y = term_cell(b);
    if (term_tag(a) == TERM_LIST)
        return 2;
    if (term_tag(a) != TERM_STRUCT || **x != **y)
        return 0;
    uint32_t n = term_arity(**x);
    ++*x;
    ++*y;
    return n;
}

/* ---- Passive ---- */

static enum outcome same_at(struct pe *pe, term a, term b, uint32_t depth, uint64_t *steps)
{
    enum outcome all = OUTCOME_YES;
    for (;;) {
        a = term_deref(a);
        b = term_deref(b);
        if (a == b)
            return all;
        if (term_tag(a) == TERM_REF || term_tag(b) == TERM_REF) {
            if (term_tag(a) == TERM_REF)
                wait_for(pe, a);
            if (term_tag(b) == TERM_REF)
                wait_for(pe, b);
            return OUTCOME_WAIT;
        }
        const term *x, *y;
        bool equal;
        uint32_t n = parts(a, b, &x, &y, &equal);
        if (n == 0)
            return equal ? all : OUTCOME_NO;
        if (depth == MOST_TERM_DEPTH || ++*steps > MOST_STEPS) {
            stop_with(pe->machine, WEFT_ERR_LIMIT, pe->site,
                      "two terms are nested too deeply to compare them");
            return OUTCOME_WAIT;
        }
        for (uint32_t i = 0; i + 1 < n; i++) {
            enum outcome one = same_at(pe, x[i], y[i], depth + 1, steps);
            if (one == OUTCOME_NO)
                return one;
            all = one == OUTCOME_WAIT ? one : all;
        }
        a = x[n - 1];
        b = y[n - 1];
    }
}

enum outcome same_terms(struct pe *pe, term a, term b)
{
    uint64_t steps = 0;
    return same_at(pe, a, b, 0, &steps);
}

/* ---- Active ---- */

/* Put the goals that wait for a cell on this PE's stack. */
static void wake(struct pe *pe, term waiting)
{
    while (term_tag(waiting) == TERM_WAIT) {
        const struct waiter *waiter = (struct waiter *)(void *)term_cell(waiting);
        struct goal *goal = waiter->goal;
        uint32_t wait = (uint32_t)waiter->wait;
        waiting = waiter->next;
        if (!atomic_compare_exchange_strong(&goal->wait, &wait, wait + 1))
            continue;
        if (pe->machine->options.record)
            record_waking(pe, goal);
        push_goal(pe, goal);
    }
}

/* Bind an unbound cell; false when another PE has bound it first. */
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

static enum outcome unify_at(struct pe *pe, term a, term b, uint32_t depth, uint64_t *steps)
{
    for (;;) {
        a = term_deref(a);
        b = term_deref(b);
        if (a == b)
            return OUTCOME_YES;
        bool a_free = term_tag(a) == TERM_REF, b_free = term_tag(b) == TERM_REF;
        if (a_free && b_free) {
            /* The higher address refers to the lower, so threads cannot make a cycle. */
            term high = a > b ? a : b, low = a > b ? b : a;
            if (bind(pe, high, low))
                return OUTCOME_YES;
            continue;
        }
        if (a_free || b_free) {
            if (bind(pe, a_free ? a : b, a_free ? b : a))
                return OUTCOME_YES;
            continue;
        }
        const term *x, *y;
        bool equal;
        uint32_t n = parts(a, b, &x, &y, &equal);
        if (n == 0)
            return equal ? OUTCOME_YES : OUTCOME_NO;
        if (depth == MOST_TERM_DEPTH || ++*steps > MOST_STEPS)
            return OUTCOME_WAIT;
        for (uint32_t i = 0; i + 1 < n; i++) {
            enum outcome one = unify_at(pe, x[i], y[i], depth + 1, steps);
            if (one != OUTCOME_YES)
                return one;
        }
        a = x[n - 1];
        b = y[n - 1];
    }
}

enum outcome unify(struct pe *pe, term a, term b)
{
    uint64_t steps = 0;
    return unify_at(pe, a, b, 0, &steps);
}

/* ---- Waiting ---- */

void suspend(struct pe *pe, struct goal *goal)
{
    pe->n_suspensions++;
    if (pe->machine->options.record)
        record_suspension(pe, goal);
    /* From here on a PE that binds one of the variables may take the goal. */
    uint32_t wait = atomic_load_explicit(&goal->wait, memory_order_relaxed) + 1;
    atomic_store(&goal->wait, wait);
    for (uint32_t i = 0; i < pe->n_waited; i++) {
        term variable = pe->waited[i], *cell = term_cell(variable);
        struct waiter *waiter = (struct waiter *)(void *)heap_take(pe, WAITER_WORDS);
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
        /*
         * The variable was bound meanwhile: the goal runs again, unless another PE took it.
         */
        if (atomic_compare_exchange_strong(&goal->wait, &wait, wait + 1))
            push_goal(pe, goal);
        return;
    }
}
