/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "domains/tasks/dag/dag_priv.h"

enum { REMEMBERED = 8 }; /* rows kept of other blocks: neighbours share parents */

/* The rows of a block, and the latest rows read from other blocks. */
struct rows {
    const struct weft_dag *dag;
    uint32_t first, n;
    struct dag_claims own[WEFT_BLOCK_ROWS];
    struct {
        uint32_t node;
        bool is_known, is_there; /* is_there: its block is not damaged */
        struct dag_claims claims;
    } others[REMEMBERED];
};

const unsigned char *dag_raw_block(const struct weft_dag *dag, uint32_t block)
{
    const unsigned char *bytes =
        dag->source->ops->grid_block(dag->source, WEFT_GRID_DAG_NODES, block);
    uint32_t left = dag->n - block * WEFT_BLOCK_ROWS;
    size_t rows = left < WEFT_BLOCK_ROWS ? left : WEFT_BLOCK_ROWS;
    return bytes && weft_grid_block_rows(bytes) == rows ? bytes : NULL;
}

static void read_own(struct rows *rows, const unsigned char *bytes)
{
    int64_t flags[WEFT_BLOCK_ROWS], parents[WEFT_BLOCK_ROWS], links[WEFT_BLOCK_ROWS],
        children[WEFT_BLOCK_ROWS];
    weft_grid_column(bytes, DAG_FLAGS, rows->n, flags);
    weft_grid_column(bytes, DAG_PARENT, rows->n, parents);
    weft_grid_column(bytes, DAG_LINK, rows->n, links);
    weft_grid_column(bytes, DAG_CHILDREN, rows->n, children);
    for (uint32_t i = 0; i < rows->n; i++)
        rows->own[i] = dag_claims_from(flags[i], parents[i], links[i], children[i]);
}

/* Reads the claims of a node in any block.  Returns false if the block is damaged, and then
   nothing contradicts the node. */
static bool claims_at(struct rows *rows, uint32_t node, struct dag_claims *out)
{
    if (node - rows->first < rows->n) {
        *out = rows->own[node - rows->first];
        return true;
    }
    size_t slot = node % REMEMBERED;
    if (!rows->others[slot].is_known || rows->others[slot].node != node) {
        const unsigned char *bytes = dag_raw_block(rows->dag, node / WEFT_BLOCK_ROWS);
        rows->others[slot].is_known = true;
        rows->others[slot].is_there = bytes != NULL;
        rows->others[slot].node = node;
        if (bytes)
            rows->others[slot].claims = dag_claims_of(bytes, node);
    }
    *out = rows->others[slot].claims;
    return rows->others[slot].is_there;
}

/* Returns true if NODE, whose row is OF, is the first or last child of its parent, or a
   created task. */
static bool is_at_edge(struct rows *rows, uint32_t node, const struct dag_claims *of,
                       bool last)
{
    struct dag_claims parent;
    if (node == 0 || of->parent < 0 || of->parent >= node
        || !claims_at(rows, (uint32_t)of->parent, &parent))
        return true;
    if (parent.created)
        return true;
    return node == (last ? parent.link + parent.children - 1 : parent.link);
}

/*
 * Checks two neighbours: both are children of one parent, or the first is its parent's last
 * child and the second its parent's first.  If this holds everywhere, no row has two
 * parents.
 */
static bool neighbours_fit(struct rows *rows, uint32_t node)
{
    struct dag_claims left, right;
    if (node == 0 || node >= rows->dag->n || !claims_at(rows, node - 1, &left)
        || !claims_at(rows, node, &right))
        return true;
    if (left.parent == right.parent && node > 1)
        return true;
    return is_at_edge(rows, node - 1, &left, true) && is_at_edge(rows, node, &right, false);
}

/* Returns true if the parent that a node names has it as a child or created task. */
static bool parent_fits(struct rows *rows, uint32_t node, const struct dag_claims *of)
{
    struct dag_claims parent;
    if (node == 0)
        return of->parent == 0;
    if (of->parent < 0 || of->parent >= node)
        return false;
    if (!claims_at(rows, (uint32_t)of->parent, &parent))
        return true;
    return parent.created ? parent.link == node
                          : parent.link <= node && node - parent.link < parent.children;
}

/* Returns true if the numbers of a node's children and created task are possible. */
static bool bounds_fit(uint32_t size, uint32_t node, const struct dag_claims *of)
{
    if (!of->children && !of->created)
        return of->kind < WEFT_DAG_KINDS;
    int64_t n = of->created ? 1 : of->children;
    return of->kind < WEFT_DAG_KINDS && of->link > node && of->link < size && n >= 1
           && n <= size - of->link;
}

bool dag_inside_fits(const struct weft_dag *dag, uint32_t node, const struct dag_claims *of)
{
    uint32_t first = (uint32_t)of->link, last = first + (uint32_t)of->children;
    last -= of->children > 0;
    const unsigned char *bytes = dag_raw_block(dag, first / WEFT_BLOCK_ROWS);
    if (!bytes)
        return true;
    if (dag_cell(bytes, DAG_PARENT, first) != node
        || (of->created && (dag_cell(bytes, DAG_FLAGS, first) & 7) != WEFT_DAG_TASK))
        return false;
    if (last / WEFT_BLOCK_ROWS != first / WEFT_BLOCK_ROWS)
        bytes = dag_raw_block(dag, last / WEFT_BLOCK_ROWS);
    return !bytes || dag_cell(bytes, DAG_PARENT, last) == node;
}

bool dag_block_fits(const struct weft_dag *dag, const unsigned char *bytes, uint32_t block)
{
    uint32_t first = block * WEFT_BLOCK_ROWS;
    struct rows rows;
    rows.dag = dag;
    rows.first = first;
    rows.n = dag->n - first < WEFT_BLOCK_ROWS ? dag->n - first : WEFT_BLOCK_ROWS;
    memset(rows.others, 0, sizeof rows.others);
    read_own(&rows, bytes);
    for (uint32_t i = 0; i < rows.n; i++) {
        const struct dag_claims *of = &rows.own[i];
        if (!parent_fits(&rows, first + i, of) || !bounds_fit(dag->n, first + i, of)
            || !neighbours_fit(&rows, first + i))
            return false;
    }
    return first + rows.n == dag->n || neighbours_fit(&rows, first + rows.n);
}
