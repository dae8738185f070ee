/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_shapes.h"

#include <stdlib.h>

#include "tests/random.h"

const char *const tree_shape_names[TREE_SHAPES] = { "chain", "comb",   "star",  "random",
                                                    "deep",  "binary", "broom", "two rings",
                                                    "sieve", "spiral" };

/* A trunk; from its node i hangs a chain of so many nodes. */
static void hang_chains(uint32_t *parents, uint32_t n, bool longer)
{
    uint32_t trunk = 0, made = 1, ordinal = 0;
    while (made < n) {
        uint32_t length = longer ? 1 + ordinal / 2 : n / 8 / (ordinal + 1) + 1;
        for (uint32_t i = 0, last = trunk; i < length && made < n; i++, made++) {
            parents[made] = last;
            last = made;
        }
        if (made < n) {
            parents[made] = trunk;
            trunk = made++;
        }
        ordinal++;
    }
}

void tree_shape_parents(enum tree_shape shape, uint32_t *parents, uint32_t n)
{
    parents[0] = WEFT_NONE;
    if (shape == TREE_SIEVE || shape == TREE_SPIRAL) {
        hang_chains(parents, n, shape == TREE_SPIRAL);
        return;
    }
    uint32_t deep = n / 1000 + 1, first = (n - deep) / 2;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t near = i < 4 ? i : 4;
        switch (shape) {
        case TREE_CHAIN: parents[i] = i - 1; break;
        case TREE_COMB: parents[i] = (i - 1) / 2 * 2; break;
        case TREE_STAR: parents[i] = 0; break;
        case TREE_RANDOM: parents[i] = roll(i); break;
        case TREE_DEEP: parents[i] = i - 1 - roll(near); break;
        case TREE_BINARY: parents[i] = (i - 1) / 2; break;
        case TREE_BROOM: parents[i] = i <= n / 2 ? i - 1 : n / 2; break;
        default: /* two rings, then what is deep */
            parents[i] = i <= first         ? 0
                         : i < n - deep     ? 1 + (i - first - 1) % (first ? first : 1)
                         : i < n - deep + 3 ? i - deep
                                            : i - 3;
        }
    }
}

struct weft_tree *tree_of_parents(const uint32_t *parents, uint32_t n)
{
    struct weft_tree_builder *b = weft_tree_builder_new();
    struct weft_err err = { 0 };
    uint32_t label =
        weft_tree_label(b, &(struct weft_tree_label){ "p", WEFT_NONE, 0, WEFT_NONE });
    if (!weft_tree_pe(b, "PE 0", 1, 0, n))
        abort();
    for (uint32_t i = 0; i < n; i++)
        weft_tree_put(b, i,
                      &(struct weft_tree_node){ .parent = parents[i],
                                                .label = label,
                                                .time = i,
                                                .ordinal = i,
                                                .record = i + 1 });
    return weft_tree_finish(b, NULL, &err);
}

struct weft_tree *tree_of_shape(enum tree_shape shape, uint32_t n)
{
    uint32_t *parents = weft_alloc(n * sizeof *parents);
    tree_shape_parents(shape, parents, n);
    struct weft_tree *tree = tree_of_parents(parents, n);
    free(parents);
    return tree;
}
