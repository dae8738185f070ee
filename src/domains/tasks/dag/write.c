/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/dag/write.h"

#include <stdlib.h>

#include "base/compare.h"
#include "domains/tasks/dag/columns.h"
#include "domains/tasks/dag/write_priv.h"

struct weft_dag_writer {
    struct weft_builder *builder;
    uint32_t n;
    uint64_t n_details;
    int64_t link; /* link of the row before */
    struct dag_tracks tracks;
};

/* Writes the number of each worker as a fact of its container. */
static void number_workers(const struct weft_dag_target *target)
{
    uint32_t field = weft_builder_field(target->builder, target->worker_type, "worker",
                                        WEFT_FIELD_INTEGER);
    weft_builder_field_role(target->builder, field, WEFT_ROLE_WORKER_NUMBER);
    for (uint32_t w = 0; w < target->n_workers; w++)
        if (target->workers[w] != WEFT_NONE)
            weft_builder_container_field(
                target->builder, target->workers[w],
                &(struct weft_field_value){ .field = field, .integer = w });
}

struct weft_dag_writer *weft_dag_writer_new(const struct weft_dag_target *target)
{
    WEFT_REQUIRE(target->n_workers > 0, "a DAG without workers");
    struct weft_dag_writer *writer = weft_zalloc(1, sizeof *writer);
    writer->builder = target->builder;
    writer->link = 1;
    number_workers(target);
    dag_tracks_begin(&writer->tracks, target);
    return writer;
}

void weft_dag_writer_abandon(struct weft_dag_writer *writer)
{
    if (!writer)
        return;
    dag_tracks_end(&writer->tracks);
    free(writer);
}

bool weft_dag_writer_finish(struct weft_dag_writer *writer, struct weft_job *job,
                            struct weft_err *err)
{
    bool ok = dag_tracks_finish(&writer->tracks, job, err);
    weft_dag_writer_abandon(writer);
    return ok;
}

uint32_t weft_dag_writer_size(const struct weft_dag_writer *writer)
{
    return writer->n;
}

/* Brings all numbers within their limits. */
static struct weft_dag_node within_limits(const struct weft_dag_node *node)
{
    struct weft_dag_node fit = *node;
    fit.begin = weft_time_clamp(node->begin);
    fit.end = weft_time_clamp(node->end < fit.begin ? fit.begin : node->end);
    /* Differences are stored, so these must be below the limit, too. */
    fit.end = fit.begin + dag_amount(fit.end - fit.begin);
    int64_t ready = weft_time_clamp(node->first_ready);
    fit.first_ready = fit.begin - dag_amount(fit.begin - ready);
    int64_t start = weft_time_clamp(node->last_start);
    fit.last_start = fit.begin + dag_amount(start - fit.begin);
    fit.earliest = dag_amount(node->earliest);
    fit.work = dag_amount(node->work);
    fit.critical_path = dag_amount(node->critical_path);
    fit.waiting = dag_amount(node->waiting);
    fit.own_work = dag_amount(node->own_work);
    fit.create_delay = dag_amount(node->create_delay);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        fit.ready[k] = dag_amount(node->ready[k]);
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++) {
        fit.counters[k] = dag_amount(node->counters[k]);
        fit.critical_counters[k] = dag_amount(node->critical_counters[k]);
    }
    return fit;
}

/* Returns true if all other fields of a node follow from the leaf columns. */
static bool is_plain(const struct weft_dag_node *node)
{
    struct weft_dag_node leaf = *node;
    if (node->kind >= WEFT_DAG_LEAF_KINDS)
        return false;
    dag_complete_leaf(&leaf);
    return leaf.last_start == node->last_start && leaf.work == node->work
           && leaf.waiting == node->waiting && leaf.critical_path == node->critical_path
           && leaf.materialized == node->materialized && leaf.least == node->least
           && leaf.creates == node->creates
           && memcmp(leaf.ready, node->ready, sizeof leaf.ready) == 0
           && memcmp(leaf.leaves, node->leaves, sizeof leaf.leaves) == 0
           && memcmp(leaf.edges, node->edges, sizeof leaf.edges) == 0
           && memcmp(leaf.critical_counters, node->critical_counters,
                     sizeof leaf.critical_counters)
                  == 0;
}

static void write_details(struct weft_dag_writer *writer, const struct weft_dag_node *node)
{
    int64_t cells[DAG_DETAIL_COLUMNS];
    cells[DAG_SPREAD] = node->last_start - node->begin;
    cells[DAG_WORK] = node->work;
    cells[DAG_SLACK] = node->work - node->critical_path;
    for (int k = 0; k < WEFT_DAG_EDGES; k++) {
        enum weft_dag_kind from = dag_leaf_of((enum weft_dag_edge)k);
        cells[DAG_READY + k] = node->ready[k];
        cells[DAG_EDGES + k] = (int64_t)(node->leaves[from] - node->edges[k]);
    }
    for (int k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        cells[DAG_LEAVES + k] = (int64_t)node->leaves[k];
    cells[DAG_MATERIALIZED] = (int64_t)node->materialized;
    cells[DAG_LEAST] = (int64_t)node->least;
    cells[DAG_CREATES] = (int64_t)node->creates;
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        cells[DAG_CRITICAL_COUNTERS + k] = node->critical_counters[k];
    cells[DAG_OWN_WORK] = node->knows_inside ? node->own_work + 1 : 0;
    cells[DAG_CREATE_DELAY] = node->knows_inside ? node->create_delay : 0;
    cells[DAG_WAITING] = node->waiting;
    weft_builder_grid_row(writer->builder, WEFT_GRID_DAG_DETAILS, cells,
                          DAG_DETAIL_COLUMNS);
    writer->n_details++;
}

void weft_dag_writer_add_tasks(struct weft_dag_writer *writer,
                               const struct weft_dag_tasks *tasks)
{
    int64_t smallest = dag_amount(tasks->smallest), largest = dag_amount(tasks->largest);
    int64_t cells[DAG_TASKS_COLUMNS] = {
        [DAG_TASKS_SITE] = tasks->site == WEFT_NONE ? 0 : (int64_t)tasks->site + 1,
        [DAG_TASKS_COUNT] = (int64_t)tasks->count,
        [DAG_TASKS_STOLEN] = (int64_t)tasks->stolen,
        [DAG_TASKS_WORK] = dag_amount(tasks->work),
        [DAG_TASKS_SMALLEST] = smallest,
        [DAG_TASKS_SPREAD] = dag_amount(largest - smallest),
    };
    weft_builder_grid_row(writer->builder, WEFT_GRID_DAG_TASKS, cells, DAG_TASKS_COLUMNS);
}

/* An order's row, and what rows are sorted by. */
struct order_key {
    uint32_t before, after;
    uint64_t row;
};

static int compare_before(const void *left, const void *right)
{
    const struct order_key *a = left, *b = right;

    return WEFT_COMPARE(a->before, b->before) ?: WEFT_COMPARE(a->after, b->after)
           ?: WEFT_COMPARE(a->row, b->row);
}

void weft_dag_writer_add_orders(struct weft_dag_writer *writer,
                                const struct weft_dag_order *orders, size_t n)
{
    struct order_key *by_before = weft_alloc((n + 1) * sizeof *by_before);

    for (size_t i = 0; i < n; i++)
        by_before[i] = (struct order_key){ orders[i].before, orders[i].after, i };
    if (n > 1)
        qsort(by_before, n, sizeof *by_before, compare_before);
    for (size_t i = 0; i < n; i++) {
        int64_t cells[DAG_ORDER_COLUMNS] = {
            [DAG_ORDER_AFTER] = orders[i].after,
            [DAG_ORDER_BEFORE] = orders[i].before,
            [DAG_ORDER_KIND] = orders[i].kind,
            [DAG_ORDER_BY_BEFORE] = (int64_t)by_before[i].row,
        };
        WEFT_REQUIRE(orders[i].before < writer->n && orders[i].after < writer->n
                         && (i == 0 || orders[i - 1].after <= orders[i].after),
                     "order %zu of nodes %u and %u", i, orders[i].before, orders[i].after);
        weft_builder_grid_row(writer->builder, WEFT_GRID_DAG_ORDERS, cells,
                              DAG_ORDER_COLUMNS);
    }
    free(by_before);
}

void weft_dag_writer_add_wait(struct weft_dag_writer *writer, uint32_t worker,
                              int64_t begin, int64_t end)
{
    const struct weft_dag_target *target = &writer->tracks.target;

    WEFT_REQUIRE(worker < target->n_workers && target->workers[worker] != WEFT_NONE,
                 "worker %u waits", worker);
    begin = weft_time_clamp(begin);
    end = weft_time_clamp(end);
    if (begin < end)
        dag_tracks_add_wait(&writer->tracks, worker, begin, end);
}

static void check_structure(const struct weft_dag_writer *writer,
                            const struct weft_dag_node *node)
{
    uint32_t n = writer->n;
    WEFT_REQUIRE(n < WEFT_NONE - 1 && (unsigned)node->kind < WEFT_DAG_KINDS
                     && (unsigned)node->in_edge < WEFT_DAG_EDGES,
                 "node %u of kind %d", n, (int)node->kind);
    WEFT_REQUIRE(n ? node->parent < n : node->parent == WEFT_NONE, "parent %u of node %u",
                 node->parent, n);
    WEFT_REQUIRE(!node->n || (node->kind >= WEFT_DAG_SECTION && node->first > n),
                 "node %u has %u children from %u on", n, node->n, node->first);
    WEFT_REQUIRE(node->created == WEFT_NONE
                     || (node->kind == WEFT_DAG_CREATE && node->created > n),
                 "node %u made %u", n, node->created);
    const struct weft_dag_target *target = &writer->tracks.target;
    WEFT_REQUIRE(node->worker == -1
                     || (node->worker >= 0 && (uint32_t)node->worker < target->n_workers
                         && target->workers[node->worker] != WEFT_NONE),
                 "node %u ran on worker %d", n, node->worker);
}

void weft_dag_writer_add(struct weft_dag_writer *writer, const struct weft_dag_node *given)
{
    check_structure(writer, given);
    struct weft_dag_node node = within_limits(given);
    bool plain = is_plain(&node), made = node.created != WEFT_NONE;
    if (node.n || made)
        writer->link = made ? node.created : node.first;
    int64_t cells[DAG_NODE_COLUMNS];
    cells[DAG_FLAGS] = (int64_t)node.kind | (int64_t)node.in_edge << 3
                       | (plain ? 0 : DAG_HAS_DETAILS) | (made ? DAG_HAS_CREATED : 0)
                       | (node.joins_all ? DAG_JOINS_ALL : 0);
    cells[DAG_PARENT] = node.parent == WEFT_NONE ? 0 : node.parent;
    cells[DAG_LINK] = writer->link;
    cells[DAG_CHILDREN] = node.n;
    cells[DAG_DETAIL] = (int64_t)writer->n_details;
    cells[DAG_WORKER] = node.worker;
    cells[DAG_BEGIN] = node.begin;
    cells[DAG_TICKS] = node.end - node.begin;
    cells[DAG_WAITED] = node.begin - node.first_ready;
    cells[DAG_EARLIEST] = node.earliest;
    cells[DAG_BEGIN_SITE] = node.begin_site == WEFT_NONE ? 0 : (int64_t)node.begin_site + 1;
    cells[DAG_END_SITE] = node.end_site == WEFT_NONE ? 0 : (int64_t)node.end_site + 1;
    cells[DAG_CPU] = node.cpu < 0 ? 0 : (int64_t)node.cpu + 1;
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        cells[DAG_COUNTERS + k] = node.counters[k];
    weft_builder_grid_row(writer->builder, WEFT_GRID_DAG_NODES, cells, DAG_NODE_COLUMNS);
    if (!plain)
        write_details(writer, &node);
    if (!node.n)
        dag_tracks_add(&writer->tracks, writer->n, &node);
    writer->n++;
}
