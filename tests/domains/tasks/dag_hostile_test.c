/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores with right checksums and a wrong structure, as anybody may write them: whoever walks
 * through such a DAG comes to an end, and meets no node twice.
 */
#include "dag_store.h"

#include "base/memory.h"
#include "domains/tasks/dag/columns.h"
#include "tests/random.h"
#include "tests/small_store.h"

/* The row of a node, with a number that is not as it should be now and then. */
static void put_row(struct weft_builder *b, const struct random_dag *from, uint32_t i,
                    unsigned wrong)
{
    const struct weft_dag_node *node = &from->nodes[i];
    bool made = node->created != WEFT_NONE;
    int64_t cells[DAG_NODE_COLUMNS] = { 0 };
    cells[DAG_FLAGS] = (int64_t)node->kind | (made ? DAG_HAS_CREATED : 0);
    cells[DAG_PARENT] = i ? node->parent : 0;
    cells[DAG_LINK] = made ? node->created : node->n ? node->first : 0;
    cells[DAG_CHILDREN] = node->n;
    cells[DAG_BEGIN] = node->begin;
    cells[DAG_TICKS] = node->end - node->begin;
    if (roll(1000) < wrong) {
        size_t column = roll(8) ? DAG_PARENT + roll(3) : roll(DAG_NODE_COLUMNS);
        int64_t numbers[] = { (int64_t)roll(from->n),
                              (int64_t)roll(from->n),
                              cells[column] + 1,
                              cells[column] - 1,
                              (int64_t)roll(0),
                              INT64_MAX,
                              INT64_MIN,
                              UINT32_MAX };
        cells[column] = numbers[roll(sizeof numbers / sizeof *numbers)];
    }
    weft_builder_grid_row(b, WEFT_GRID_DAG_NODES, cells, DAG_NODE_COLUMNS);
}

/* By children and tasks, with a stack of its own: meets each node at most once. */
static uint32_t walk_down(const struct weft_dag *dag)
{
    uint32_t n = weft_dag_size(dag), left = 1, met = 0;
    uint32_t *stack = weft_alloc(((size_t)n + 1) * sizeof *stack);
    stack[0] = 0;
    while (left) {
        struct weft_dag_node node, child;
        uint32_t at = stack[--left];
        assert_true(++met <= n);
        weft_dag_node(dag, at, &node);
        assert_true(node.end >= node.begin);
        for (uint32_t c = 0; c < node.n; c++) {
            assert_true(node.first > at && left < n);
            weft_dag_shape(dag, node.first + c, &child);
            stack[left++] = node.first + c;
        }
        if (node.created != WEFT_NONE)
            stack[left++] = node.created;
    }
    free(stack);
    return met;
}

/* From a node to what follows it, by parents. */
static uint32_t walk_on(const struct weft_dag *dag)
{
    uint32_t n = weft_dag_size(dag), at = 0, met = 0;
    for (;;) {
        struct weft_dag_node node, parent;
        assert_true(++met <= n);
        weft_dag_shape(dag, at, &node);
        if (node.n || node.created != WEFT_NONE) {
            at = node.n ? node.first : node.created;
            continue;
        }
        for (bool found = false; !found;) {
            if (at == 0)
                return met;
            weft_dag_shape(dag, at, &node);
            weft_dag_shape(dag, node.parent, &parent);
            found = parent.n && at - parent.first < parent.n - 1;
            at = found ? at + 1 : node.parent;
        }
    }
}

/* Write a DAG with some wrong rows, of 1,000 so many, and walk: the nodes that are met. */
static uint32_t walk_through(const struct random_dag *from, const char *path,
                             unsigned wrong)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    for (uint32_t k = 0; k < from->n; k++)
        put_row(b, from, k, wrong);
    struct weft_trace *trace = small_store_open(b, path);
    struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
    assert_non_null(dag);
    uint32_t met = walk_down(dag);
    (void)walk_on(dag);
    for (uint32_t k = 0; k < from->n; k++) {
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        assert_true(weft_dag_first(dag, k) >= k && weft_dag_last(dag, k) >= k);
        for (size_t a = weft_dag_successors(dag, k, arcs); a-- > 0;)
            assert_true(arcs[a].to < from->n);
    }
    weft_dag_close(dag);
    weft_trace_close(trace);
    return met;
}

/* DAGs of several blocks: what is wrong in one leaves the others as they are. */
static void walks_end(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-dag-hostile.XXXXXX";
    unsigned part = 0, seeds = 0;
    close(mkstemp(path));
    for (unsigned large = 0; large < 8; large++) {
        struct random_dag from = random_dag_make(++seeds, 0, 2000);
        for (; from.n < 3 * WEFT_BLOCK_ROWS; from = random_dag_make(++seeds, 0, 2000))
            random_dag_free(&from);
        assert_int_equal(walk_through(&from, path, 0), from.n);
        for (unsigned i = 0; i < 50; i++) {
            uint32_t met = walk_through(&from, path, (unsigned)roll(1 + 8000 / from.n));
            part += met > 1 && met < from.n;
        }
        random_dag_free(&from);
    }
    unlink(path);
    assert_true(part >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(walks_end) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
