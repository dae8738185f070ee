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

#include "base/hash_map.h"
#include "domains/trees/fghc/term.h"

/* A traversal of one or several terms.  Begins zeroed; walk_begin() starts each traversal
 * and walk_free() frees the memory.  Each PE (a thread) has one of its own. */
struct term_walk {
    term *stack; /* [n] parts still to be visited */
    size_t n, capacity;
    uint64_t steps;             /* calls of walk_class() and its like in this traversal */
    struct weft_id_map classes; /* by term: the index (class) of a part that was visited */
    uint32_t *parents; /* union-find over classes; a representative is its own parent */
    size_t n_classes, class_capacity;
};

/* Begins a traversal: empties the stack and forgets visited parts.  WALK is zeroed or was
 * used before; the memory of its stack is kept. */
void walk_begin(struct term_walk *walk);
/* Frees the memory behind WALK, not WALK itself, which must not be used again unless it is
 * zeroed. */
void walk_free(struct term_walk *walk);
/* Makes room for N more parts on the stack, which may move; walk_push() calls it when
 * needed. */
void walk_grow(struct term_walk *walk, size_t n);

/* Puts a term on the stack of parts still to be visited. */
static inline void walk_push(struct term_walk *walk, term t)
{
    if (walk->n == walk->capacity)
        walk_grow(walk, 1);
    walk->stack[walk->n++] = t;
}
/* Takes the term last pushed off the stack into *T; returns false, with *T unchanged, when
 * the stack is empty. */
static inline bool walk_pop(struct term_walk *walk, term *t)
{
    if (!walk->n)
        return false;
    *t = walk->stack[--walk->n];
    return true;
}

/*
 * Counts a step and marks the list or structure T as visited.  Returns its index, from 0,
 * in the table of visited parts; WEFT_MAP_NONE in the first 2,000 steps of a traversal,
 * which keep no table.  Sets *IS_NEW to false if T is in the table already, else to true.
 */
uint32_t walk_class(struct term_walk *walk, term t, bool *is_new);
/* Counts a step and marks the list or structure T as visited.  Returns false if the table
 * of visited parts has it already; always true in the first 2,000 steps of a traversal,
 * which keep no table. */
bool walk_is_new(struct term_walk *walk, term t);
/*
 * Counts a step of a comparison that has come to the lists or structures A and B.  Returns
 * false when their equality follows from that of the pairs visited or on the stack: their
 * parts need no visit.  Else returns true and merges the sets of terms taken for equal that
 * have A and B (Hopcroft and Karp, "A linear algorithm for testing equivalence of finite
 * automata", 1971).  Always true, without merging, in the first 2,000 steps.
 */
bool walk_is_new_pair(struct term_walk *walk, term a, term b);

#endif
