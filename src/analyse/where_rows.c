/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the terms of selections that are about rows alone. */
#include <stdlib.h>

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

bool weft_where_state_values(const struct weft_where *where, uint8_t *values)
{
    const struct weft_schema *schema = where->source->schema;
    uint32_t *track_of = weft_alloc(((size_t)schema->n_types + 1) * sizeof *track_of);
    bool sure = true;
    for (uint32_t i = 0; i < where->n_nodes; i++)
        sure &= where->nodes[i].test != TEST_ROW;
    for (uint32_t t = 0; t < schema->n_types; t++)
        track_of[t] = WEFT_NONE;
    for (uint32_t t = schema->n_tracks; t-- > 0;)
        if (schema->types[schema->tracks[t].type].kind == WEFT_STATE)
            track_of[schema->tracks[t].type] = t;
    for (uint32_t v = 0; v < schema->n_values; v++) {
        uint32_t track = track_of[schema->values[v].type];
        enum weft_where_answer answer =
            track == WEFT_NONE ? WEFT_WHERE_NEVER : weft_where_of_value(where, track, v);
        values[v] = answer == WEFT_WHERE_ALWAYS;
        sure &= answer != WEFT_WHERE_SOMETIMES;
    }
    free(track_of);
    return sure;
}
