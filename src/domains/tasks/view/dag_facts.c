/* SPDX-License-Identifier: Apache-2.0 */
/* Texts about a node of a DAG, for tooltips, tags and the table of details. */
#include "domains/tasks/view/dag_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/analyse/dag_time_breakdown.h"
#include "store/time.h"
#include "view/axis_ticks.h"

const char *weft_dag_kind_text(enum weft_dag_kind kind)
{
    static const char *const names[] = {
        "create", "wait", "other", "end", "section", "task"
    };
    return kind < WEFT_DAG_KINDS ? names[kind] : "?";
}

bool weft_dag_has_figures(const struct weft_dag *dag, struct weft_err *err)
{
    struct weft_dag_node root;
    weft_dag_node(dag, 0, &root);
    return !weft_dag_is_lost(&root)
           || weft_fail(err, WEFT_ERR_READ,
                        "the figures of the run cannot be read: the part of the file that "
                        "has the root of its task DAG is damaged");
}

const char *weft_dag_worker_name(const struct weft_dag *dag,
                                 const struct weft_schema *schema, int32_t worker,
                                 struct weft_arena *arena)
{
    if (worker < 0)
        return NULL;
    uint32_t container = weft_dag_worker_container(dag, (uint32_t)worker);
    if (container >= schema->n_containers)
        return weft_arena_printf(arena, "worker %" PRId32, worker);
    const char *name = schema->containers[container].name;
    uint32_t process = schema->containers[container].parent;
    return weft_dag_has_several(dag) && process < schema->n_containers
               ? weft_arena_printf(arena, "%s/%s", schema->containers[process].name, name)
               : name;
}

const char *weft_dag_site_text(const struct weft_schema *schema, uint32_t site,
                               struct weft_arena *arena)
{
    if (site >= schema->n_sites)
        return NULL;
    const struct weft_site *place = &schema->sites[site];
    const char *slash = strrchr(place->file, '/');
    const char *file = slash ? slash + 1 : place->file;
    if (!file[0])
        return place->function[0] ? place->function : NULL;
    return place->line ? weft_arena_printf(arena, "%s:%u", file, place->line) : file;
}

uint64_t weft_dag_mark_id(const struct weft_dag *dag, uint32_t node)
{
    uint64_t state = weft_dag_state(dag, node);
    return state != WEFT_NO_ID ? state : weft_dag_layout_id(node);
}

uint32_t weft_dag_of_mark(const struct weft_dag *dag, uint64_t id)
{
    if (id == WEFT_NO_ID)
        return WEFT_NONE;
    if (weft_entity_track(id) != WEFT_NODE_TRACK)
        return weft_dag_node_of(dag, id);
    return weft_entity_ordinal(id) < weft_dag_size(dag) ? (uint32_t)weft_entity_ordinal(id)
                                                        : WEFT_NONE;
}

bool weft_dag_node_named(const struct weft_dag *dag, const char *parameter,
                         const char *text, uint32_t *node, struct weft_err *err)
{
    char *end;
    bool by_number = strncmp(text, "node:", 5) == 0;
    const char *digits = by_number ? text + 5 : text;
    uint64_t id = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end)
        return weft_fail(err, WEFT_ERR_USAGE, "%s=%s (right: an id, or node:NUMBER)",
                         parameter, text);
    if (by_number)
        id = id < WEFT_NONE ? weft_dag_layout_id((uint32_t)id) : WEFT_NO_ID;
    *node = weft_dag_of_mark(dag, id);
    return *node != WEFT_NONE || !by_number
           || weft_fail(err, WEFT_ERR_USAGE, "%s=%s: the DAG has no such node", parameter,
                        text);
}

struct fact_list {
    const struct weft_schema *schema;
    struct weft_arena *arena;
    struct weft_dag_fact *facts;
    size_t n;
};

static void add(struct fact_list *list, const char *name, const char *value)
{
    if (value && list->n < WEFT_DAG_MAX_FACTS)
        list->facts[list->n++] = (struct weft_dag_fact){ name, value, WEFT_NONE };
}

static const char *length(const struct fact_list *list, int64_t ticks)
{
    char text[WEFT_TIME_TEXT];
    return weft_arena_printf(list->arena, "%s",
                             weft_duration_text(list->schema, ticks, text));
}

static const char *moment(const struct fact_list *list, int64_t time)
{
    return length(list, time - list->schema->span.begin);
}

static void add_count(struct fact_list *list, const char *name, uint64_t count)
{
    if (count)
        add(list, name, weft_number_text(list->arena, (double)count, 0));
}

static void add_place(struct fact_list *list, const char *name, int64_t time, uint32_t site)
{
    const char *place = weft_dag_site_text(list->schema, site, list->arena);
    add(list, name,
        place ? weft_arena_printf(list->arena, "%s, %s", moment(list, time), place)
              : moment(list, time));
    if (place && list->n)
        list->facts[list->n - 1].site = site;
}

static void add_inside(struct fact_list *list, const struct weft_dag_node *node)
{
    static const char *const leaves[] = { "create nodes", "wait nodes", "other nodes",
                                          "end nodes" };
    static const char *const edges[] = { "end edges", "create edges",
                                         "create-continuation edges",
                                         "wait-continuation edges",
                                         "other-continuation edges" };
    static const char *const ready[] = { "ready behind end", "ready behind create",
                                         "ready behind create-continuation",
                                         "ready behind wait-continuation",
                                         "ready behind other" };
    for (int i = 0; i < WEFT_DAG_EDGES; i++)
        if (node->ready[i])
            add(list, ready[i], length(list, node->ready[i]));
    for (int i = 0; i < WEFT_DAG_LEAF_KINDS; i++)
        add_count(list, leaves[i], node->leaves[i]);
    for (int i = 0; i < WEFT_DAG_EDGES; i++)
        add_count(list, edges[i], node->edges[i]);
    add_count(list, "nodes here", node->materialized);
    add_count(list, "nodes at least", node->least);
    add_count(list, "tasks created directly", node->creates);
}

static const char *parallelism(const struct fact_list *list,
                               const struct weft_dag_node *node)
{
    if (node->critical_path <= 0)
        return NULL;
    return weft_arena_printf(list->arena, "%.2f",
                             (double)node->work / (double)node->critical_path);
}

/* Appends the number of NODE to the list TEXT, or " ..." after a few. */
static const char *append_node(const struct fact_list *list, const char *text, size_t n,
                               uint32_t node, enum weft_dag_order_kind kind)
{
    enum { FEW = 8 };
    static const char *const why[WEFT_DAG_ORDER_KINDS] = {
        [WEFT_DAG_ORDER_EXCLUSION] = " (excludes it)",
        [WEFT_DAG_ORDER_INCLUDED] = " (its creator waits)",
    };
    if (n > FEW)
        return text;
    if (n == FEW)
        return weft_arena_printf(list->arena, "%s ...", text);
    return weft_arena_printf(list->arena, "%s%s%" PRIu32 "%s", text ? text : "",
                             text ? ", " : "", node, why[kind] ? why[kind] : "");
}

/* Adds the tasks that NODE is ordered after, and the nodes that are ordered after it. */
static void add_orders(struct fact_list *list, const struct weft_dag *dag, uint32_t node)
{
    uint64_t all = weft_dag_orders(dag);
    const char *before = NULL, *after = NULL;
    struct weft_dag_order order;
    size_t n = 0;
    if (all == 0)
        return;
    for (uint64_t row = weft_dag_orders_into(dag, node);
         row < all && weft_dag_order(dag, row, &order) && order.after == node; row++)
        before = append_node(list, before, n++, order.before, order.kind);
    n = 0;
    for (uint64_t row = weft_dag_orders_from(dag, node);
         row < all && weft_dag_order_by_before(dag, row, &order) && order.before == node;
         row++)
        after = append_node(list, after, n++, order.after, order.kind);
    add(list, "depends on tasks", before);
    add(list, "before nodes", after);
}

/* Adds the counters of a node, in all and on its critical path. */
static void add_counters(struct fact_list *list, const struct weft_dag *dag,
                         const struct weft_dag_node *node)
{
    char name[64];
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++) {
        if (!weft_dag_counter_name(dag, k, name, sizeof name))
            continue;
        add(list, weft_arena_printf(list->arena, "%s", name),
            weft_number_text(list->arena, (double)node->counters[k], 0));
        if (node->kind >= WEFT_DAG_LEAF_KINDS)
            add(list, weft_arena_printf(list->arena, "%s on its critical path", name),
                weft_number_text(list->arena, (double)node->critical_counters[k], 0));
    }
}

size_t weft_dag_facts(const struct weft_source *source, const struct weft_dag *dag,
                      uint32_t node, struct weft_arena *arena,
                      struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS], size_t *few)
{
    static const char *const edges[] = { "end", "create", "create-continuation",
                                         "wait-continuation", "other" };
    struct fact_list list = { source->schema, arena, facts, 0 };
    struct weft_dag_node all;
    weft_dag_node(dag, node, &all);
    if (weft_dag_is_lost(&all)) {
        add(&list, "node",
            weft_arena_printf(arena, "node %" PRIu32 " cannot be read: damaged", node));
        return *few = list.n;
    }
    bool is_leaf = all.kind < WEFT_DAG_LEAF_KINDS;
    add(&list, "node",
        weft_arena_printf(arena, "%s %" PRIu32 "%s", weft_dag_kind_text(all.kind), node,
                          !is_leaf && !all.n ? ", contracted" : ""));
    add(&list, "worker", weft_dag_worker_name(dag, source->schema, all.worker, arena));
    add(&list, "work", length(&list, all.work));
    if (all.waiting > 0)
        add(&list, "waiting for locks", length(&list, all.waiting));
    if (!is_leaf) {
        add(&list, "critical path", length(&list, all.critical_path));
        add(&list, "parallelism", parallelism(&list, &all));
    }
    add_place(&list, "begins", all.begin, all.begin_site);
    add_place(&list, "ends", all.end, all.end_site);
    *few = list.n;
    add(&list, "lasts", length(&list, all.end - all.begin));
    add(&list, "CPU",
        all.cpu < 0 ? NULL : weft_arena_printf(arena, "CPU %" PRId32, all.cpu));
    add(&list, "ready at", moment(&list, all.first_ready));
    if (all.last_start != all.begin)
        add(&list, "last start", moment(&list, all.last_start));
    add(&list, "earliest start", length(&list, all.earliest));
    add(&list, "became ready behind",
        all.in_edge < WEFT_DAG_EDGES ? edges[all.in_edge] : NULL);
    add_orders(&list, dag, node);
    add_counters(&list, dag, &all);
    if (!is_leaf)
        add_inside(&list, &all);
    return list.n;
}

/* ---- Remarks on times ---- */

const char *weft_dag_clock_remark(const struct weft_source *source,
                                  struct weft_arena *arena)
{
    const double most = 0.95; /* no remark if workers had processors for a larger share */
    struct weft_err err;
    struct weft_dag *dag = weft_dag_open(source, &err);
    const char *remark = NULL;
    if (!dag)
        return NULL;
    struct weft_dag_node root;
    weft_dag_node(dag, 0, &root);
    int64_t processor = weft_dag_processor_time(dag, source);
    double all = (double)weft_ticks_to_ns(source->schema, root.end - root.first_ready)
                 * weft_dag_workers(dag);
    char had[WEFT_TIME_TEXT], whole[WEFT_TIME_TEXT];
    if (processor >= 0 && (double)processor < most * all)
        remark = weft_arena_printf(
            arena,
            "times are of the clock: threads of the workers had processors for %s of %s, "
            "and what they worked holds time in which they waited for one",
            weft_nanoseconds_text((double)processor, had),
            weft_nanoseconds_text(all, whole));
    weft_dag_close(dag);
    return remark;
}

/* Sums work and duration of all contracted nodes, in ticks. */
static void add_up_contracted(const struct weft_dag *dag, int64_t *work, int64_t *lasted)
{
    *work = *lasted = 0;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        weft_dag_shape(dag, i, &node);
        if (node.n || node.kind < WEFT_DAG_LEAF_KINDS)
            continue;
        weft_dag_node(dag, i, &node);
        *work = weft_ticks_add(*work, node.work);
        *lasted = weft_ticks_add(*lasted, node.end - node.begin);
    }
}

const char *weft_dag_contracted_remark(const struct weft_source *source,
                                       struct weft_arena *arena)
{
    const struct weft_schema *schema = source->schema;
    struct weft_err err;
    struct weft_dag *dag = weft_dag_fills(source) ? weft_dag_open(source, &err) : NULL;
    const char *remark = NULL;
    if (dag && weft_dag_contracted(dag)) {
        char texts[2][WEFT_TIME_TEXT];
        int64_t work, lasted;
        add_up_contracted(dag, &work, &lasted);
        remark = weft_arena_printf(arena,
                                   "contracted tasks and sections last through delays: "
                                   "they worked %s of %s in all",
                                   weft_duration_text(schema, work, texts[0]),
                                   weft_duration_text(schema, lasted, texts[1]));
    }
    weft_dag_close(dag);
    return remark;
}
