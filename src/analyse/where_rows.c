/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the terms of selections that are about rows alone. */
#include "analyse/where_selection_priv.h"

static bool row_holds(const struct weft_where *where, uint32_t index, uint32_t row)
{
    const struct where_node *node = &where->nodes[index];
    uint32_t child = node->first;
    switch (node->test) {
    case TEST_AND:
    case TEST_OR:
        while (child != WEFT_NONE
               && row_holds(where, child, row) == (node->test == TEST_AND))
            child = where->nodes[child].next;
        return (child == WEFT_NONE) == (node->test == TEST_AND);
    case TEST_NOT: return !row_holds(where, child, row);
    case TEST_ROW: return node->containers[row];
    default: return false;
    }
}

bool weft_where_rows(const struct weft_where *where, uint8_t *rows)
{
    for (uint32_t i = 0; i < where->n_nodes; i++) {
        enum where_test test = where->nodes[i].test;
        if (test != TEST_AND && test != TEST_OR && test != TEST_NOT && test != TEST_ROW)
            return false;
    }
    for (uint32_t c = 0; c < where->source->schema->n_containers; c++)
        rows[c] = row_holds(where, where->root, c);
    return true;
}

uint64_t weft_where_row_class(const struct weft_where *where, uint32_t row)
{
    enum { MAX_TERMS = 63 };
    uint64_t bits = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < where->n_nodes; i++) {
        if (where->nodes[i].test != TEST_ROW)
            continue;
        if (n == MAX_TERMS)
            return (UINT64_C(1) << MAX_TERMS) + row;
        bits |= (uint64_t)where->nodes[i].containers[row] << n++;
    }
    return bits;
}
