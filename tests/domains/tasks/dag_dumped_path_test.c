/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of the root, against a second, slow implementation: 1,000 random programs
 * with dependences are stored, contracted or not, all nodes, edges and orders are read back,
 * and the longest way through them is found by raising lengths until none rises any more.
 */
#include <string.h>

#include "base/memory.h"
#include "dag_store.h"
#include "random_programs.h"
#include "tests/test.h"

enum { PROGRAMS = 1000 };

static void take(void *user, const struct weft_dag_node *node)
{
    struct random_dag *made = user;
    made->nodes = weft_realloc(made->nodes, (made->n + 1) * sizeof *made->nodes);
    made->nodes[made->n++] = *node;
    if (node->worker >= (int32_t)made->n_workers)
        made->n_workers = (uint32_t)node->worker + 1;
    if (node->begin_site != WEFT_NONE && node->begin_site >= made->n_sites)
        made->n_sites = node->begin_site + 1;
    if (node->end_site != WEFT_NONE && node->end_site >= made->n_sites)
        made->n_sites = node->end_site + 1;
}

static struct dag_store store_of(const struct program *program,
                                 const struct weft_dag_contraction *rule)
{
    struct weft_dag_maker *maker = weft_dag_maker_new(rule);
    struct random_dag made = { .n_workers = 1 };
    program_replay(program, maker);
    assert_int_equal(weft_dag_make_finish(maker, 0), 0);
    assert_true(weft_dag_make_nodes(maker, take, &made));
    made.orders = (struct weft_dag_order *)weft_dag_make_orders(maker, &made.n_orders);
    struct dag_store store = dag_store_make(&made);
    free(made.nodes);
    weft_dag_maker_free(maker);
    return store;
}

/* An edge of the dump: leaves and contracted nodes, the second after the first. */
struct dumped_edge {
    uint32_t from, to;
};

static struct dumped_edge *dump_edges(const struct weft_dag *dag, size_t *n)
{
    uint64_t orders = weft_dag_orders(dag);
    uint32_t size = weft_dag_size(dag);
    struct dumped_edge *edges =
        weft_zalloc(WEFT_DAG_ARCS * (size_t)size + orders + 1, sizeof *edges);
    *n = 0;
    for (uint32_t i = 0; i < size; i++) {
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        size_t k = weft_dag_successors(dag, i, arcs);
        for (size_t a = 0; a < k; a++)
            edges[(*n)++] = (struct dumped_edge){ i, arcs[a].to };
    }
    for (uint64_t row = 0; row < orders; row++) {
        struct weft_dag_order order;
        assert_true(weft_dag_order(dag, row, &order));
        edges[(*n)++] = (struct dumped_edge){ weft_dag_last(dag, order.before),
                                              weft_dag_first(dag, order.after) };
    }
    return edges;
}

/* Raises lengths along edges, in whatever order they stand, until nothing changes. */
static int64_t longest_way(const struct weft_dag *dag, const struct dumped_edge *edges,
                           size_t n)
{
    uint32_t size = weft_dag_size(dag);
    int64_t *own = weft_zalloc(size, sizeof *own),
            *until = weft_zalloc(size, sizeof *until);
    int64_t most = 0;
    for (uint32_t i = 0; i < size; i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        /* A leaf's is its work, that of a contracted node the longest way inside it. */
        own[i] = node.n ? 0 : node.critical_path;
        if (node.kind < WEFT_DAG_LEAF_KINDS)
            assert_int_equal(own[i], node.end - node.begin - node.waiting);
        until[i] = own[i];
    }
    bool raised = true;
    for (uint32_t round = 0; raised; round++) {
        raised = false;
        assert_true(round <= size); /* else there is a circle */
        for (size_t e = 0; e < n; e++) {
            int64_t length = until[edges[e].from] + own[edges[e].to];
            if (length > until[edges[e].to]) {
                until[edges[e].to] = length;
                raised = true;
            }
        }
    }
    for (uint32_t i = 0; i < size; i++)
        most = until[i] > most ? until[i] : most;
    free(own);
    free(until);
    return most;
}

static void dumped_nodes_and_edges_have_the_critical_path(void **state)
{
    unsigned with_orders = 0, decided = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        struct program program = random_program(seed);
        const struct weft_dag_contraction rules[] = {
            { .off = true },
            { .most = INT64_MAX, .leaves = seed % 20 == 0 ? seed % 17 : 0 },
        };
        for (int rule = 0; rule < 1 + (seed % 4 == 0) && program.n_tasks > 0; rule++) {
            struct dag_store store = store_of(&program, &rules[rule]);
            struct weft_dag_node root;
            size_t n;
            struct dumped_edge *edges = dump_edges(store.dag, &n);
            weft_dag_node(store.dag, 0, &root);
            assert_int_equal(root.critical_path, longest_way(store.dag, edges, n));
            with_orders += weft_dag_orders(store.dag) > 0;
            size_t structure = n - weft_dag_orders(store.dag);
            decided += root.critical_path > longest_way(store.dag, edges, structure);
            free(edges);
            dag_store_free(&store);
        }
        random_program_free(&program);
    }
    /* Dependences are in many, and decide about the path in some. */
    assert_true(with_orders > 200);
    assert_true(decided > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dumped_nodes_and_edges_have_the_critical_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
