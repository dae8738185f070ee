/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/dag/dag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "domains/tasks/dag/columns.h"
#include "domains/tasks/dag/dag_priv.h"
#include "store/time.h"

enum {
    MAX_WORKERS = 1 << 20, /* limit; a larger number in a file is an error */
};

enum { UNSEEN, GOOD, BAD }; /* result of the check of a block */

bool weft_dag_fills(const struct weft_source *source)
{
    return source->ops->grid_rows(source, WEFT_GRID_DAG_NODES) != 0;
}

static const char *note(const struct weft_schema *schema, const char *key)
{
    for (uint32_t i = 0; i < schema->n_notes; i++)
        if (strcmp(schema->notes[i].key, key) == 0)
            return schema->notes[i].text;
    return NULL;
}

/* Finds the containers of workers by their fact `worker-number`. */
static void find_workers(struct weft_dag *dag)
{
    const struct weft_schema *schema = dag->source->schema;
    size_t capacity = 0;
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_field_value *number =
            weft_container_fact(schema, c, WEFT_ROLE_WORKER_NUMBER, WEFT_FIELD_INTEGER);
        if (!number || number->integer < 0 || number->integer >= MAX_WORKERS)
            continue;
        uint32_t worker = (uint32_t)number->integer;
        dag->workers = weft_grow(dag->workers, &capacity, worker + 1, sizeof *dag->workers);
        while (dag->worker_limit <= worker)
            dag->workers[dag->worker_limit++] = WEFT_NONE;
        dag->n_workers += dag->workers[worker] == WEFT_NONE;
        dag->workers[worker] = c;
    }
}

static uint32_t track_with_role(const struct weft_schema *schema, enum weft_role role)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (weft_role_is(schema->types[schema->tracks[t].type].role, role))
            return t;
    return WEFT_NONE;
}

static void find_tracks(struct weft_dag *dag)
{
    static const enum weft_role roles[WEFT_DAG_EDGES] = {
        [WEFT_DAG_EDGE_END] = WEFT_ROLE_READY_AFTER_END,
        [WEFT_DAG_EDGE_CREATE] = WEFT_ROLE_READY_AFTER_CREATE,
        [WEFT_DAG_EDGE_CREATE_CONTINUATION] = WEFT_ROLE_READY_IN_CREATOR,
        [WEFT_DAG_EDGE_WAIT_CONTINUATION] = WEFT_ROLE_READY_AFTER_WAIT,
        [WEFT_DAG_EDGE_OTHER_CONTINUATION] = WEFT_ROLE_READY_AFTER_OTHER,
    };
    const struct weft_schema *schema = dag->source->schema;
    uint32_t type = weft_type_with_role(schema, WEFT_ROLE_TASK_INTERVAL);
    dag->node_field = type == WEFT_NONE ? WEFT_NONE
                                        : weft_field_of_type(schema, type, WEFT_ROLE_NODE,
                                                             WEFT_FIELD_INTEGER);
    dag->running = track_with_role(schema, WEFT_ROLE_RUNNING_NODES);
    dag->waiting = track_with_role(schema, WEFT_ROLE_WAITING_WORKERS);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        dag->ready[k] = track_with_role(schema, roles[k]);
}

struct weft_dag *weft_dag_open(const struct weft_source *source, struct weft_err *err)
{
    uint64_t n = source->ops->grid_rows(source, WEFT_GRID_DAG_NODES);
    if (!n || n >= WEFT_NONE) {
        weft_fail(err, WEFT_ERR_FORMAT,
                  n ? "the task DAG has more nodes than there are numbers"
                    : "the trace has no task DAG");
        return NULL;
    }
    struct weft_dag *dag = weft_zalloc(1, sizeof *dag);
    dag->source = source;
    dag->n = (uint32_t)n;
    dag->seen = weft_zalloc(n / WEFT_BLOCK_ROWS + 1, sizeof *dag->seen);
    dag->n_seen = weft_zalloc(1, sizeof *dag->n_seen);
    dag->entered = weft_zalloc(n / 32 + 1, sizeof *dag->entered);
    dag->several = note(source->schema, WEFT_DAG_NOTE_SEVERAL) != NULL;
    find_workers(dag);
    find_tracks(dag);
    return dag;
}

void weft_dag_close(struct weft_dag *dag)
{
    if (!dag)
        return;
    free(dag->workers);
    free(dag->seen);
    free(dag->n_seen);
    free(dag->entered);
    free(dag);
}

uint32_t weft_dag_size(const struct weft_dag *dag)
{
    return dag->n;
}

uint32_t weft_dag_workers(const struct weft_dag *dag)
{
    return dag->n_workers ? dag->n_workers : 1;
}

uint32_t weft_dag_worker_limit(const struct weft_dag *dag)
{
    return dag->worker_limit ? dag->worker_limit : 1;
}

uint32_t weft_dag_worker_container(const struct weft_dag *dag, uint32_t worker)
{
    return worker < dag->worker_limit ? dag->workers[worker] : WEFT_NONE;
}

uint32_t weft_dag_running(const struct weft_dag *dag)
{
    return dag->running;
}

uint32_t weft_dag_waiting(const struct weft_dag *dag)
{
    return dag->waiting;
}

uint32_t weft_dag_ready(const struct weft_dag *dag, enum weft_dag_edge kind)
{
    return dag->ready[kind];
}

/* Reads a fact with a role from the first container that has it. */
static bool fact(const struct weft_schema *schema, enum weft_role role, int64_t *out)
{
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_field_value *value =
            weft_container_fact(schema, c, role, WEFT_FIELD_INTEGER);
        if (!value)
            continue;
        *out = dag_amount(value->integer);
        return true;
    }
    return false;
}

bool weft_dag_shares(const struct weft_dag *dag, struct weft_dag_shares *out)
{
    struct weft_dag_node root;
    weft_dag_node(dag, 0, &root);
    out->work = root.work;
    out->task_waits = 0;
    (void)fact(dag->source->schema, WEFT_ROLE_TASK_WAITS, &out->task_waits);
    out->waiting = weft_ticks_add(root.waiting, out->task_waits);
    return fact(dag->source->schema, WEFT_ROLE_DELAY, &out->delay)
           && fact(dag->source->schema, WEFT_ROLE_NO_WORK, &out->no_work);
}

/* ---- Blocks of nodes ---- */

/*
 * Releases mapped memory from time to time, so that a walk through millions of nodes does
 * not keep all of them: a walk in order does so at each multiple of NODES, others after
 * each BLOCKS blocks that were touched for the first time.
 */
static void rest_at_times(const struct weft_dag *dag, uint32_t node, bool is_first)
{
    enum {
        NODES = 1 << 16, /* nodes between two releases: some MiB with details */
        BLOCKS = 1 << 9  /* 64 MiB at most, with the pages mapped around faults */
    };
    if (node % NODES == NODES - 1
        || (is_first
            && atomic_fetch_add_explicit(dag->n_seen, 1, memory_order_relaxed) % BLOCKS
                   == BLOCKS - 1))
        weft_mappings_rest(WEFT_MAPPED_MAX);
}

static const unsigned char *block_of(const struct weft_dag *dag, uint32_t node)
{
    uint32_t block = node / WEFT_BLOCK_ROWS;
    const unsigned char *bytes = dag_raw_block(dag, block);
    uint8_t known = atomic_load_explicit(&dag->seen[block], memory_order_relaxed);
    if (known == UNSEEN) {
        known = bytes && dag_block_fits(dag, bytes, block) ? GOOD : BAD;
        atomic_store_explicit(&dag->seen[block], known, memory_order_relaxed);
        rest_at_times(dag, node, true);
    }
    rest_at_times(dag, node, false);
    return known == GOOD ? bytes : NULL;
}

/* ---- Nodes ---- */

static bool inside_fits(const struct weft_dag *dag, uint32_t node,
                        const struct dag_claims *of)
{
    _Atomic uint32_t *word = &dag->entered[node / 32];
    uint32_t bit = 1u << node % 32;
    if (!of->children && !of->created)
        return true;
    if (atomic_load_explicit(word, memory_order_relaxed) & bit)
        return true;
    if (!dag_inside_fits(dag, node, of))
        return false;
    atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    return true;
}

/* BYTES is its block, or NULL.  ENTERS: check the inside, too.  Returns false if nothing of
   the node can be trusted. */
static bool read_shape(const struct weft_dag *dag, const unsigned char *bytes,
                       uint32_t node, bool enters, struct weft_dag_node *out)
{
    struct dag_claims of = { .kind = WEFT_DAG_CREATE };
    if (bytes)
        of = dag_claims_of(bytes, node);
    bool fits = bytes && ((!enters && !of.created) || inside_fits(dag, node, &of));
    if (!fits)
        of = (struct dag_claims){ .kind = WEFT_DAG_CREATE };
    out->kind = of.kind;
    out->parent = node ? (uint32_t)of.parent : WEFT_NONE;
    out->first = of.children ? (uint32_t)of.link : WEFT_NONE;
    out->n = (uint32_t)of.children;
    out->created = of.created ? (uint32_t)of.link : WEFT_NONE;
    out->joins_all = of.joins_all;
    return fits;
}

void weft_dag_shape(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out)
{
    WEFT_REQUIRE(node < dag->n, "node %u of %u", node, dag->n);
    (void)read_shape(dag, block_of(dag, node), node, true, out);
}

void weft_dag_glance(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out)
{
    WEFT_REQUIRE(node < dag->n, "node %u of %u", node, dag->n);
    (void)read_shape(dag, block_of(dag, node), node, false, out);
}

void dag_complete_leaf(struct weft_dag_node *node)
{
    node->last_start = node->begin;
    node->work = node->critical_path = node->end - node->begin;
    node->waiting = 0;
    memset(node->ready, 0, sizeof node->ready);
    node->ready[node->in_edge] = dag_amount(node->begin - node->first_ready);
    memset(node->leaves, 0, sizeof node->leaves);
    if (node->kind < WEFT_DAG_LEAF_KINDS)
        node->leaves[node->kind] = 1;
    memset(node->edges, 0, sizeof node->edges);
    node->materialized = node->least = 1;
    node->creates = 0;
    memcpy(node->critical_counters, node->counters, sizeof node->counters);
}

static uint32_t site_of(const struct weft_dag *dag, int64_t site)
{
    return site >= 1 && site <= dag->source->schema->n_sites ? (uint32_t)(site - 1)
                                                             : WEFT_NONE;
}

static void read_leaf(const struct weft_dag *dag, const unsigned char *bytes, uint32_t node,
                      struct weft_dag_node *out)
{
    int64_t edge = dag_cell(bytes, DAG_FLAGS, node) >> 3 & 7;
    int64_t worker = dag_cell(bytes, DAG_WORKER, node),
            cpu = dag_number(dag_cell(bytes, DAG_CPU, node)) - 1;
    out->in_edge = edge < WEFT_DAG_EDGES ? (enum weft_dag_edge)edge : WEFT_DAG_EDGE_END;
    out->worker = worker >= 0 && worker < dag->worker_limit ? (int32_t)worker : -1;
    out->cpu = cpu >= 0 && cpu <= INT32_MAX ? (int32_t)cpu : -1;
    out->begin_site = site_of(dag, dag_cell(bytes, DAG_BEGIN_SITE, node));
    out->end_site = site_of(dag, dag_cell(bytes, DAG_END_SITE, node));
    out->begin = weft_time_clamp(dag_cell(bytes, DAG_BEGIN, node));
    out->end = weft_time_clamp(out->begin + dag_amount(dag_cell(bytes, DAG_TICKS, node)));
    out->first_ready =
        weft_time_clamp(out->begin - dag_amount(dag_cell(bytes, DAG_WAITED, node)));
    out->earliest = dag_amount(dag_cell(bytes, DAG_EARLIEST, node));
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        out->counters[k] =
            dag_amount(dag_cell(bytes, (enum dag_node_column)(DAG_COUNTERS + k), node));
}

static void read_details(const struct weft_dag *dag, uint64_t row,
                         struct weft_dag_node *out)
{
    const unsigned char *bytes = dag->source->ops->grid_block(
        dag->source, WEFT_GRID_DAG_DETAILS, row / WEFT_BLOCK_ROWS);
    if (!bytes) { /* damaged: the children are valid, the figures are lost */
        out->work = out->critical_path = out->waiting = 0;
        out->materialized = 0;
        return;
    }
    row %= WEFT_BLOCK_ROWS;
    out->last_start =
        weft_time_clamp(out->begin + dag_amount(weft_grid_cell(bytes, DAG_SPREAD, row)));
    out->work = dag_amount(weft_grid_cell(bytes, DAG_WORK, row));
    out->waiting = dag_amount(weft_grid_cell(bytes, DAG_WAITING, row));
    out->critical_path = dag_amount(
        (int64_t)((uint64_t)out->work - (uint64_t)weft_grid_cell(bytes, DAG_SLACK, row)));
    for (size_t k = 0; k < WEFT_DAG_EDGES; k++)
        out->ready[k] = dag_amount(weft_grid_cell(bytes, DAG_READY + k, row));
    for (size_t k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        out->leaves[k] = (uint64_t)dag_amount(weft_grid_cell(bytes, DAG_LEAVES + k, row));
    for (size_t k = 0; k < WEFT_DAG_EDGES; k++)
        out->edges[k] = (uint64_t)dag_amount(
            (int64_t)(out->leaves[dag_leaf_of((enum weft_dag_edge)k)]
                      - (uint64_t)weft_grid_cell(bytes, DAG_EDGES + k, row)));
    out->materialized = (uint64_t)dag_amount(weft_grid_cell(bytes, DAG_MATERIALIZED, row));
    out->least = (uint64_t)dag_amount(weft_grid_cell(bytes, DAG_LEAST, row));
    out->creates = (uint64_t)dag_amount(weft_grid_cell(bytes, DAG_CREATES, row));
    for (size_t k = 0; k < WEFT_DAG_COUNTERS; k++)
        out->critical_counters[k] =
            dag_amount(weft_grid_cell(bytes, DAG_CRITICAL_COUNTERS + k, row));
    int64_t own = weft_grid_cell(bytes, DAG_OWN_WORK, row);
    out->knows_inside = own > 0 && !out->n && out->kind >= WEFT_DAG_LEAF_KINDS;
    if (!out->knows_inside)
        return;
    out->own_work = dag_amount(own - 1);
    out->create_delay = dag_amount(weft_grid_cell(bytes, DAG_CREATE_DELAY, row));
}

void weft_dag_node(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out)
{
    WEFT_REQUIRE(node < dag->n, "node %u of %u", node, dag->n);
    const unsigned char *bytes = block_of(dag, node);
    memset(out, 0, sizeof *out);
    if (!read_shape(dag, bytes, node, true, out)) {
        out->worker = out->cpu = -1;
        out->begin_site = out->end_site = WEFT_NONE;
        return;
    }
    read_leaf(dag, bytes, node, out);
    dag_complete_leaf(out);
    if (dag_cell(bytes, DAG_FLAGS, node) & DAG_HAS_DETAILS)
        read_details(dag, (uint64_t)dag_cell(bytes, DAG_DETAIL, node), out);
}

/* ---- Notes ---- */

/*
 * Damaged tables are reported when a store is opened, so they are among the first problems.
 */
static bool notes_are_lost(const struct weft_source *source)
{
    enum { TABLES = 64 }; /* more tables than a store has */
    struct weft_damage list[TABLES];
    size_t known = source->ops->damage(source, 0, list, TABLES);
    for (size_t i = 0; i < known && i < TABLES; i++)
        if (list[i].what == WEFT_DAMAGED_TABLE && list[i].table
            && strcmp(list[i].table, "notes") == 0)
            return true;
    return false;
}

bool weft_dag_has_several(const struct weft_dag *dag)
{
    return dag->several;
}

bool weft_dag_is_program(const struct weft_dag *dag, uint32_t task)
{
    struct weft_dag_node node;

    if (!dag->several || task == 0)
        return task == 0 && !dag->several;
    weft_dag_shape(dag, task, &node); /* root, its section, a create, the program */
    for (int i = 0; i < 3 && node.parent != WEFT_NONE; i++) {
        if (i == 2)
            return node.parent == 0;
        weft_dag_shape(dag, node.parent, &node);
    }
    return false;
}

/* An unreadable note may be the one that says that creations are unknown. */
bool weft_dag_knows_creations(const struct weft_dag *dag)
{
    return !note(dag->source->schema, WEFT_DAG_NOTE_CREATIONS)
           && !notes_are_lost(dag->source);
}

bool weft_dag_has_tasks(const struct weft_source *source)
{
    return weft_dag_fills(source) && !note(source->schema, WEFT_DAG_NOTE_REGIONS);
}

bool weft_dag_counter_name(const struct weft_dag *dag, int counter, char *name,
                           size_t length)
{
    const struct weft_schema *schema = dag->source->schema;
    struct weft_dag_node root;
    const char *list = note(schema, WEFT_DAG_NOTE_COUNTED);
    if (!list) {
        weft_dag_node(dag, 0, &root);
        snprintf(name, length, "counter %d", counter + 1);
        return root.counters[counter] > 0;
    }
    for (int i = 0; i < counter && list; i++) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    if (!list || strcspn(list, ",") == 0)
        return false;
    snprintf(name, length, "%.*s", (int)strcspn(list, ","), list);
    return true;
}

/*
 * Sections and tasks are counted by their waits and ends, since each has one; those without
 * one are not counted.
 */
uint64_t weft_dag_contracted(const struct weft_dag *dag)
{
    struct weft_dag_node root;
    uint64_t all = 0;
    weft_dag_node(dag, 0, &root);
    for (int k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        all += root.leaves[k];
    all += root.leaves[WEFT_DAG_WAIT] + root.leaves[WEFT_DAG_END];
    return all > root.materialized ? all - root.materialized : 0;
}

uint64_t weft_dag_tasks_rows(const struct weft_dag *dag)
{
    return dag->source->ops->grid_rows(dag->source, WEFT_GRID_DAG_TASKS);
}

void weft_dag_tasks_row(const struct weft_dag *dag, uint64_t row,
                        struct weft_dag_tasks *out)
{
    const unsigned char *bytes = dag->source->ops->grid_block(
        dag->source, WEFT_GRID_DAG_TASKS, row / WEFT_BLOCK_ROWS);
    int64_t cells[DAG_TASKS_COLUMNS] = { 0 };
    for (size_t c = 0; bytes && c < DAG_TASKS_COLUMNS; c++)
        cells[c] = weft_grid_cell(bytes, c, row % WEFT_BLOCK_ROWS);
    out->site = site_of(dag, cells[DAG_TASKS_SITE]);
    out->count = (uint64_t)dag_amount(cells[DAG_TASKS_COUNT]);
    out->stolen = (uint64_t)dag_amount(cells[DAG_TASKS_STOLEN]);
    out->work = dag_amount(cells[DAG_TASKS_WORK]);
    out->smallest = dag_amount(cells[DAG_TASKS_SMALLEST]);
    out->largest = weft_ticks_add(out->smallest, dag_amount(cells[DAG_TASKS_SPREAD]));
}

/* ---- States ---- */

static bool keep_first(void *user, uint64_t id)
{
    *(uint64_t *)user = id;
    return false;
}

uint64_t weft_dag_state(const struct weft_dag *dag, uint32_t node)
{
    uint64_t id = WEFT_NO_ID;
    struct weft_field_value value = { .field = dag->node_field, .integer = node };
    if (dag->node_field == WEFT_NONE
        || !dag->source->ops->find(dag->source, &value, keep_first, &id))
        return WEFT_NO_ID;
    return id;
}

uint32_t weft_dag_node_of(const struct weft_dag *dag, uint64_t id)
{
    struct weft_field_value values[WEFT_FIELDS_MAX];
    if (id == WEFT_NO_ID || weft_is_container_id(id))
        return WEFT_NONE;
    size_t n = dag->source->ops->fields(dag->source, id, values, WEFT_FIELDS_MAX);
    const struct weft_field_value *node = weft_field_with_role(
        dag->source->schema, values, n, WEFT_ROLE_NODE, WEFT_FIELD_INTEGER);
    return node && node->integer >= 0 && node->integer < dag->n ? (uint32_t)node->integer
                                                                : WEFT_NONE;
}

struct number_column {
    const struct weft_dag *dag;
    uint64_t first;
    uint32_t *out;
};

static bool fill_numbers(void *user, const struct weft_field_run *run)
{
    const struct number_column *column = user;
    for (size_t i = 0; i < run->n; i++)
        if (run->values[i] >= 0 && run->values[i] < column->dag->n)
            column->out[run->ordinals[i] - column->first] = (uint32_t)run->values[i];
    return true;
}

void weft_dag_nodes_of(const struct weft_dag *dag, uint32_t track, uint64_t first, size_t n,
                       uint32_t *out)
{
    struct number_column column = { dag, first, out };
    for (size_t i = 0; i < n; i++)
        out[i] = WEFT_NONE;
    if (dag->node_field != WEFT_NONE)
        dag->source->ops->field_range(dag->source, track, dag->node_field, first, first + n,
                                      fill_numbers, &column);
}
