/* SPDX-License-Identifier: Apache-2.0 */
#include "dag_store.h"

#include "base/memory.h"
#include "domains/tasks/dag/write.h"
#include "tests/small_store.h"

static uint32_t container_type(struct weft_builder *b, uint32_t parent, const char *name,
                               enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                     .parent = parent,
                                                     .name = name,
                                                     .role = role,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

static void write_nodes(struct weft_builder *b, const struct random_dag *from)
{
    uint32_t process_type = container_type(b, 0, "process", WEFT_ROLE_PROCESS);
    uint32_t worker_type = container_type(b, process_type, "worker", WEFT_ROLE_WORKER);
    uint32_t workers[16];
    uint32_t process = weft_builder_container(b, process_type, 0, "run", NULL, 0);
    for (uint32_t w = 0; w < from->n_workers; w++) {
        char name[32];
        snprintf(name, sizeof name, "worker %u", w);
        workers[w] = weft_builder_container(b, worker_type, process, name, NULL, 0);
    }
    for (uint32_t s = 0; s < from->n_sites; s++)
        (void)weft_builder_site(b, &(struct weft_site){ .file = "a.c", .line = s + 1 });
    struct weft_dag_writer *writer =
        weft_dag_writer_new(&(struct weft_dag_target){ .builder = b,
                                                       .process = process,
                                                       .process_type = process_type,
                                                       .workers = workers,
                                                       .n_workers = from->n_workers,
                                                       .worker_type = worker_type });
    for (uint32_t i = 0; i < from->n; i++) {
        assert_int_equal(weft_dag_writer_size(writer), i);
        weft_dag_writer_add(writer, &from->nodes[i]);
    }
    for (size_t i = 0; i < from->n_tasks; i++)
        weft_dag_writer_add_tasks(writer, &from->tasks[i]);
    weft_dag_writer_add_orders(writer, from->orders, from->n_orders);
    for (size_t i = 0; i < from->n_waits; i++)
        weft_dag_writer_add_wait(writer, from->waits[i].worker, from->waits[i].begin,
                                 from->waits[i].end);
    struct weft_err err;
    assert_true(weft_dag_writer_finish(writer, NULL, &err));
}

struct dag_store dag_store_make(const struct random_dag *from)
{
    char path[] = "/tmp/weft-dag-test.XXXXXX";
    struct dag_store store = { 0 };
    struct weft_err err;
    struct weft_builder *b = small_store_begin(path);
    write_nodes(b, from);
    assert_true(weft_builder_finish(b, NULL, &err));
    store.path = weft_strdup(path);
    store.trace = weft_trace_open(path, &err);
    assert_non_null(store.trace);
    store.source = weft_trace_source(store.trace);
    assert_true(weft_dag_fills(store.source));
    store.dag = weft_dag_open(store.source, &err);
    assert_non_null(store.dag);
    return store;
}

void dag_store_free(struct dag_store *store)
{
    weft_dag_close(store->dag);
    weft_trace_close(store->trace);
    unlink(store->path);
    free(store->path);
}

static void compare_arcs(const struct weft_dag *dag, const struct random_dag *from,
                         uint32_t node, struct weft_dag_joins *joins)
{
    struct weft_dag_arc arcs[WEFT_DAG_ARCS], again[WEFT_DAG_ARCS];
    size_t n = weft_dag_successors(dag, node, arcs), expected = 0;
    assert_int_equal(weft_dag_successors_of_many(dag, node, joins, again), n);
    for (size_t i = 0; i < n; i++)
        assert_true(again[i].to == arcs[i].to && again[i].kind == arcs[i].kind);
    for (uint32_t a = 0; a < from->n_arcs; a++) {
        if (from->arcs[a].from != node)
            continue;
        expected++;
        bool found = false;
        for (size_t i = 0; i < n; i++)
            found |= arcs[i].to == from->arcs[a].to && arcs[i].kind == from->arcs[a].kind;
        assert_true(found);
    }
    assert_int_equal(n, expected);
}

void dag_store_compare(const struct weft_dag *dag, const struct random_dag *from)
{
    assert_int_equal(weft_dag_size(dag), from->n);
    assert_int_equal(weft_dag_workers(dag), from->n_workers);
    assert_int_equal(weft_dag_worker_limit(dag), from->n_workers);
    struct weft_dag_joins *joins = weft_dag_joins_new();
    for (uint32_t i = 0; i < from->n; i++) {
        struct weft_dag_node shape, node;
        weft_dag_shape(dag, i, &shape);
        weft_dag_node(dag, i, &node);
        assert_int_equal(shape.kind, node.kind);
        assert_int_equal(shape.parent, node.parent);
        assert_int_equal(shape.first, node.first);
        assert_int_equal(shape.n, node.n);
        assert_int_equal(shape.created, node.created);
        assert_memory_equal(&node, &from->nodes[i], sizeof node);
        uint32_t first = i, last = i;
        while (from->nodes[first].n)
            first = from->nodes[first].first;
        while (from->nodes[last].n)
            last = from->nodes[last].first + from->nodes[last].n - 1;
        assert_int_equal(weft_dag_first(dag, i), first);
        assert_int_equal(weft_dag_last(dag, i), last);
        compare_arcs(dag, from, i, joins);
    }
    weft_dag_joins_free(joins);
}
