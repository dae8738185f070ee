/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/fghc/term_walk.h"

#include <stdlib.h>

#include "base/memory.h"

/* Steps without a table: for so few parts, filling it costs more than visiting them
 * twice. */
enum { FREE_STEPS = 2000 };

void walk_begin(struct term_walk *walk)
{
    walk->n = 0;
    walk->steps = 0;
    if (walk->n_classes) {
        weft_id_map_free(&walk->classes);
        walk->classes = (struct weft_id_map){ 0 };
        walk->n_classes = 0;
    }
}

void walk_free(struct term_walk *walk)
{
    weft_id_map_free(&walk->classes);
    free(walk->parents);
    free(walk->stack);
}

void walk_grow(struct term_walk *walk, size_t n)
{
    walk->stack = weft_grow(walk->stack, &walk->capacity, walk->n + n, sizeof *walk->stack);
}

/* Returns the class of a part, before merging; makes a new one if there is none. */
static uint32_t class_of(struct term_walk *walk, term t, bool *is_new)
{
    uint32_t class = weft_id_map_get(&walk->classes, t);
    *is_new = class == WEFT_MAP_NONE;
    if (*is_new) {
        class = (uint32_t)walk->n_classes;
        walk->parents = weft_grow(walk->parents, &walk->class_capacity, class + (size_t)1,
                                  sizeof *walk->parents);
        walk->parents[walk->n_classes++] = class;
        weft_id_map_put(&walk->classes, t, class);
    }
    return class;
}

uint32_t walk_class(struct term_walk *walk, term t, bool *is_new)
{
    *is_new = true;
    return ++walk->steps > FREE_STEPS ? class_of(walk, t, is_new) : WEFT_MAP_NONE;
}

bool walk_is_new(struct term_walk *walk, term t)
{
    bool is_new;
    (void)walk_class(walk, t, &is_new);
    return is_new;
}

/* Returns the representative of a class; halves paths on the way. */
static uint32_t find(uint32_t *parents, uint32_t class)
{
    while (parents[class] != class)
        class = parents[class] = parents[parents[class]];
    return class;
}

bool walk_is_new_pair(struct term_walk *walk, term a, term b)
{
    bool is_new;
    if (++walk->steps <= FREE_STEPS)
        return true;
    uint32_t x = class_of(walk, a, &is_new), y = class_of(walk, b, &is_new);
    x = find(walk->parents, x);
    y = find(walk->parents, y);
    walk->parents[x] = y;
    return x != y;
}
