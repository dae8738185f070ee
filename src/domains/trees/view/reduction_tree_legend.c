/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the legend of a reduction tree: PEs by number, or procedures, with their shares. */
#include <string.h>

#include "domains/trees/view/reduction_tree.h"

static double share_of(const struct rt_picture *p, double size)
{
    return p->look.spread->size > 0 ? size / p->look.spread->size : 0;
}

/* Adds an entry for each container with nodes; its rows share it. */
static size_t pe_legend(const struct rt_picture *p, struct weft_legend_entry *out)
{
    const struct weft_tree *tree = p->look.tree;
    const struct tree_spread *spread = p->look.spread;
    size_t n = 0;
    for (uint32_t i = 0, last = WEFT_NONE; i < tree->n_pes; i++) {
        if (!spread->nodes_of_pe[i])
            continue;
        double share = share_of(p, spread->of_pe[i]);
        if (n && tree->pes[i].container == last)
            out[n - 1].share += share;
        else
            out[n++] = (struct weft_legend_entry){ p->look.by_pe[i], tree->pes[i].name,
                                                   share, .number = i + 1 };
        last = tree->pes[i].container;
    }
    return n;
}

/*
 * Adds an entry for each procedure: for all its clauses, and for values of several types
 * with one name.
 */
static size_t procedure_legend(const struct rt_picture *p, struct weft_legend_entry *out)
{
    const struct weft_tree *tree = p->look.tree;
    const struct weft_schema *schema = p->look.schema;
    const struct tree_spread *spread = p->look.spread;
    double *of_value = weft_arena_zalloc(p->arena, schema->n_values + 1, sizeof *of_value);
    bool *there = weft_arena_zalloc(p->arena, schema->n_values + 1, sizeof *there);
    struct weft_text_map by_name = { 0 };
    size_t n = 0;
    for (uint32_t l = 0; l < tree->n_labels; l++)
        if (tree->labels[l].value != WEFT_NONE && spread->nodes_of_label[l]) {
            of_value[tree->labels[l].value] += spread->of_label[l];
            there[tree->labels[l].value] = true;
        }
    for (uint32_t v = 0; v < schema->n_values; v++) {
        if (!there[v])
            continue;
        const char *name = schema->values[v].name;
        double share = share_of(p, of_value[v]);
        uint32_t entry = weft_text_map_get(&by_name, name, strlen(name));
        if (entry != WEFT_MAP_NONE) {
            out[entry].share += share;
            continue;
        }
        weft_text_map_put(&by_name, name, strlen(name), (uint32_t)n);
        out[n++] = (struct weft_legend_entry){ p->look.by_value[v], name, share };
    }
    weft_text_map_free(&by_name);
    return n;
}

size_t rt_legend(struct rt_picture *p, struct weft_legend_entry **out)
{
    size_t most = p->look.tree->n_pes + p->look.schema->n_values + 3;
    *out = weft_arena_alloc(p->arena, most * sizeof **out);
    return p->color == RT_BY_TIME || p->color == RT_BY_WAITING ? 0
           : p->color == RT_BY_PROCEDURE                       ? procedure_legend(p, *out)
                                                               : pe_legend(p, *out);
}
