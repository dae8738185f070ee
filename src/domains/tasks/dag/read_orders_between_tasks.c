/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the orders between nodes. */
#include "domains/tasks/dag/dag_priv.h"

uint64_t weft_dag_orders(const struct weft_dag *dag)
{
    return dag->source->ops->grid_rows(dag->source, WEFT_GRID_DAG_ORDERS);
}

/* Reads a cell of the grid of orders into *OUT; returns false in a damaged part. */
static bool cell(const struct weft_dag *dag, uint64_t row, enum dag_order_column column,
                 int64_t *out)
{
    const unsigned char *bytes = dag->source->ops->grid_block(
        dag->source, WEFT_GRID_DAG_ORDERS, row / WEFT_BLOCK_ROWS);

    if (!bytes || row % WEFT_BLOCK_ROWS >= weft_grid_block_rows(bytes))
        return false;
    *out = weft_grid_cell(bytes, column, row % WEFT_BLOCK_ROWS);
    return true;
}

bool weft_dag_order(const struct weft_dag *dag, uint64_t row, struct weft_dag_order *out)
{
    int64_t before, after, kind;

    if (!cell(dag, row, DAG_ORDER_BEFORE, &before)
        || !cell(dag, row, DAG_ORDER_AFTER, &after)
        || !cell(dag, row, DAG_ORDER_KIND, &kind))
        return false;
    if (before < 0 || before >= dag->n || after < 0 || after >= dag->n || before == after
        || kind < 0 || kind >= WEFT_DAG_ORDER_KINDS)
        return false;
    *out = (struct weft_dag_order){ (uint32_t)before, (uint32_t)after,
                                    (enum weft_dag_order_kind)kind };
    return true;
}

bool weft_dag_order_by_before(const struct weft_dag *dag, uint64_t row,
                              struct weft_dag_order *out)
{
    int64_t at;

    return cell(dag, row, DAG_ORDER_BY_BEFORE, &at) && at >= 0
           && (uint64_t)at < weft_dag_orders(dag) && weft_dag_order(dag, (uint64_t)at, out);
}

/* Returns the first row at which KEY, rising with the row, is at least NODE. */
static uint64_t first_row(const struct weft_dag *dag, uint32_t node, bool by_before)
{
    uint64_t low = 0, high = weft_dag_orders(dag);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct weft_dag_order order;
        bool known = by_before ? weft_dag_order_by_before(dag, middle, &order)
                               : weft_dag_order(dag, middle, &order);
        if (known && (by_before ? order.before : order.after) >= node)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t weft_dag_orders_into(const struct weft_dag *dag, uint32_t node)
{
    return first_row(dag, node, false);
}

uint64_t weft_dag_orders_from(const struct weft_dag *dag, uint32_t node)
{
    return first_row(dag, node, true);
}
