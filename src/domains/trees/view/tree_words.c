/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/view/tree_words.h"

/* Returns the role of the type of the rows' containers; WEFT_ROLE_NONE when they differ. */
static enum weft_role role_of_rows(const struct weft_tree *tree,
                                   const struct weft_schema *schema)
{
    enum weft_role role = WEFT_ROLE_NONE;
    for (uint32_t i = 0; i < tree->n_pes; i++) {
        uint32_t container = tree->pes[i].container;
        if (container >= schema->n_containers)
            return WEFT_ROLE_NONE;
        enum weft_role mine = schema->types[schema->containers[container].type].role;
        if (i && mine != role)
            return WEFT_ROLE_NONE;
        role = mine;
    }
    return role;
}

struct tree_words tree_words_of(const struct weft_tree *tree,
                                const struct weft_schema *schema)
{
    static const struct {
        enum weft_role role;
        const char *row, *rows, *Rows;
    } names[] = {
        { WEFT_ROLE_THREAD, "thread", "threads", "Threads" },
        { WEFT_ROLE_RANK, "rank", "ranks", "Ranks" },
        { WEFT_ROLE_WORKER, "worker", "workers", "Workers" },
        { WEFT_ROLE_PROCESS, "process", "processes", "Processes" },
        { WEFT_ROLE_PROCESSOR, "processor", "processors", "Processors" },
    };
    struct tree_words words = { "Tree of calls", "row",   "rows", "Rows",
                                "call",          "calls", "name" };
    if (tree->has_reductions)
        return (struct tree_words){
            "Reduction tree", "PE",         "PEs",      "Processing elements",
            "reduction",      "reductions", "procedure"
        };
    enum weft_role role = role_of_rows(tree, schema);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (role == names[i].role) {
            words.row = names[i].row;
            words.rows = names[i].rows;
            words.Rows = names[i].Rows;
        }
    return words;
}
