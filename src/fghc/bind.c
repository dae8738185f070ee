/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fghc/machine_priv.h"

struct chunk {
    struct chunk *next;
    char bytes[];
};

term *heap_take(struct pe *pe, size_t words)
{
    size_t size = words * sizeof(term);
    if ((size_t)(pe->limit - pe->free) < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        struct machine *machine = pe->machine;
        uint64_t all = atomic_fetch_add(&machine->bytes, room) + room;
        if (all > machine->options.most_bytes)
            stop_with(machine, WEFT_ERR_LIMIT, 0,
                      "the run needs more memory than it may have");
        struct chunk *chunk = weft_alloc(sizeof *chunk + room + sizeof(term));
        chunk->next = pe->chunks;
        pe->chunks = chunk;
        pe->free = (char *)(((uintptr_t)chunk->bytes + 7) & ~(uintptr_t)7);
        pe->limit = pe->free + room;
    }
    term *at = (term *)(void *)pe->free;
    pe->free += size;
    return at;
}

term heap_variable(struct pe *pe)
{
    term *cell = heap_take(pe, 1);
    *cell = term_of(cell, TERM_REF);
    return *cell;
}

term heap_integer(struct pe *pe, int64_t value)
{
    if (pe->machine->options.int32)
        value = (int32_t)(uint32_t)(uint64_t)value;
    if (term_fits(value))
        return term_small(value);
    term *box = heap_take(pe, 1);
    *box = (term)value;
    return term_of(box, TERM_BOX);
}

term heap_string(struct pe *pe, const char *text)
{
    size_t size = strlen(text) + 1;
    term *at = heap_take(pe, 1 + (size + 7) / 8);
    at[0] = size;
    memcpy(at + 1, text, size);
    return term_of(at, TERM_STRING);
}

const char *string_text(term t)
{
    return (const char *)(term_cell(t) + 1);
}

/* Hand the goals that waited for a cell to this PE. */
static void wake(struct pe *pe, term waiting)
{
    while (term_tag(waiting) == TERM_WAIT) {
        struct waiter *waiter = (struct waiter *)(void *)term_cell(waiting);
        struct goal *goal = atomic_exchange(&waiter->suspension->goal, NULL);
        if (goal)
            push_goal(pe, goal);
        waiting = waiter->next;
    }
}

/* Give an unbound cell its value; false when somebody else was first. */
static bool bind(struct pe *pe, term variable, term value)
{
    term *cell = term_cell(variable), before = term_load(cell);
    while (before == variable || term_tag(before) == TERM_WAIT)
        if (__atomic_compare_exchange_n(cell, &before, value, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            wake(pe, before);
            return true;
        }
    return false;
}

bool unify(struct pe *pe, term a, term b)
{
    for (;;) {
        a = term_deref(a);
        b = term_deref(b);
        if (a == b)
            return true;
        bool a_free = term_tag(a) == TERM_REF, b_free = term_tag(b) == TERM_REF;
        if (a_free && b_free) {
            /* The higher address refers to the lower: no two threads make a ring. */
            term high = a > b ? a : b, low = a > b ? b : a;
            if (bind(pe, high, low))
                return true;
        } else if (a_free || b_free) {
            if (bind(pe, a_free ? a : b, a_free ? b : a))
                return true;
        } else {
            break;
        }
    }
    if (term_is_integer(a) && term_is_integer(b))
        return term_integer(a) == term_integer(b);
    if (term_tag(a) != term_tag(b))
        return false;
    const term *x = term_cell(a), *y = term_cell(b);
    switch (term_tag(a)) {
    case TERM_LIST: return unify(pe, x[0], y[0]) && unify(pe, x[1], y[1]);
    case TERM_STRUCT:
        if (x[0] != y[0])
            return false;
        for (uint32_t i = 1; i <= term_arity(x[0]); i++)
            if (!unify(pe, x[i], y[i]))
                return false;
        return true;
    case TERM_STRING: return strcmp(string_text(a), string_text(b)) == 0;
    default: return false;
    }
}

void suspend(struct pe *pe, struct goal *goal)
{
    struct suspension *suspension = weft_alloc(sizeof *suspension);
    atomic_init(&suspension->goal, goal);
    suspension->next = pe->suspensions;
    pe->suspensions = suspension;
    pe->n_suspensions++;
    for (uint32_t i = 0; i < pe->n_waited; i++) {
        term variable = pe->waited[i], *cell = term_cell(variable);
        struct waiter *waiter = (struct waiter *)(void *)heap_take(pe, 2);
        waiter->suspension = suspension;
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
        /* Bound while we looked: try again at once, unless somebody has it already. */
        struct goal *mine = atomic_exchange(&suspension->goal, NULL);
        if (mine)
            push_goal(pe, mine);
        return;
    }
}
