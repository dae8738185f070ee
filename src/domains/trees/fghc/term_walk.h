/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through terms without recursion.  A growing stack holds the parts still to be
 * visited, so the depth of a term is limited by memory alone.  A shared part, or one that
 * contains itself, is visited once: a walk takes about as many steps as there are different
 * parts.  The first 2,000 steps of a walk do without the table that this needs, since most
 * terms are small.
 */
#ifndef WEFT_FGHC_TERM_WALK_H
#define WEFT_FGHC_TERM_WALK_H

#include "base/map.h"
#include "domains/trees/fghc/term.h"

/* A traversal of one or several terms. */
struct term_walk {
    term *stack;
    size_t n, capacity;
    uint64_t steps;
    struct weft_id_map classes; /* by term: the index of a part that was visited */
    uint32_t *parents; /* union-find over classes; a representative is its own parent */
    size_t n_classes, class_capacity;
};

/* Begins a traversal with an empty stack; memory of the last one is reused. */
void walk_begin(struct term_walk *walk);
void walk_free(struct term_walk *walk);
void walk_grow(struct term_walk *walk, size_t n); /* makes room for N more on the stack */

static inline void walk_push(struct term_walk *walk, term t)
{
    if (walk->n == walk->capacity)
        walk_grow(walk, 1);
    walk->stack[walk->n++] = t;
}
/* Returns false when the stack is empty. */
static inline bool walk_pop(struct term_walk *walk, term *t)
{
    if (!walk->n)
        return false;
    *t = walk->stack[--walk->n];
    return true;
}

/*
 * Counts a step and marks the list or structure T as visited.  Returns its index in the
 * table of visited parts; WEFT_MAP_NONE in the first 2,000 steps, which keep no table.
 * Sets *IS_NEW to false if T was visited before, as far as the table knows.
 */
uint32_t walk_class(struct term_walk *walk, term t, bool *is_new);
/* Like walk_class(), but returns *IS_NEW. */
bool walk_is_new(struct term_walk *walk, term t);
/*
 * Like walk_is_new(), for two parts that are compared: returns false when they are equal
 * provided that all pairs visited or still on the stack are.  Otherwise marks them as equal
 * by merging their sets (Hopcroft and Karp, "A linear algorithm for testing equivalence of
 * finite automata", 1971).
 */
bool walk_is_new_pair(struct term_walk *walk, term a, term b);

#endif
