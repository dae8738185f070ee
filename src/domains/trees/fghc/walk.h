/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through terms without recursion.  What is still to be looked at is on a stack that
 * grows, so the depth of a term is limited by memory alone.  A part that several terms share,
 * or that is a part of itself, is looked at once: a walk takes a number of steps that is about
 * linear in the number of different parts.  The first steps of a walk do without the table
 * that this needs, since most terms are small.
 */
#ifndef WEFT_FGHC_WALK_H
#define WEFT_FGHC_WALK_H

#include "base/map.h"
#include "domains/trees/fghc/term.h"

struct walk {
    term *stack;
    size_t n, capacity;
    uint64_t steps;
    struct weft_id_map classes; /* by address; in a walk of one term: the parts seen */
    uint32_t *parents; /* of each class; its own index: the class's representative */
    size_t n_classes, class_capacity;
};

/* Begin again; the memory of the walk before is kept. */
void walk_begin(struct walk *walk);
void walk_free(struct walk *walk);
void walk_grow(struct walk *walk, size_t n);

static inline void walk_push(struct walk *walk, term t)
{
    if (walk->n == walk->capacity)
        walk_grow(walk, 1);
    walk->stack[walk->n++] = t;
}
static inline bool walk_pop(struct walk *walk, term *t)
{
    if (!walk->n)
        return false;
    *t = walk->stack[--walk->n];
    return true;
}

/* The class of a list or structure, or WEFT_MAP_NONE while the walk has no table. */
uint32_t walk_class(struct walk *walk, term t, bool *is_new);
/* True when a list or structure was not seen in this walk, or the walk does not know yet. */
bool walk_is_new(struct walk *walk, term t);
/*
 * The same for a pair that is compared: false when both are known to be equal if all that is
 * still on the stack is (Hopcroft and Karp, "A linear algorithm for testing equivalence of
 * finite automata", 1971).
 */
bool walk_is_new_pair(struct walk *walk, term a, term b);

#endif
