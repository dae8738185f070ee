/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up the figures of sections and tasks that have ended, and contracts them. */
#include <string.h>

#include "domains/tasks/dag/make_priv.h"
#include "store/time.h"

/* State while the children of a section or task are summed up. */
struct child_sums {
    struct make_node *node;
    struct make_sum *sum;
    struct make_counts *counts; /* NULL if nothing is counted */
    bool first;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_counters(int64_t to[WEFT_DAG_COUNTERS], const int64_t *more)
{
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        to[k] = weft_ticks_add(to[k], more[k]);
}

static void add_interval(const struct weft_dag_maker *maker, struct child_sums *to,
                         const struct make_node *node)
{
    struct make_node *all = to->node;

    if (to->first || node->first_ready < all->first_ready)
        all->first_ready = node->first_ready;
    if (to->first) {
        all->worker = node->worker;
        all->cpu = node->cpu;
        to->sum->first_worker =
            make_is_leaf(node) ? node->worker : maker->sums[node->sum].first_worker;
    }
    if (all->worker != node->worker)
        all->worker = -1;
    if (all->cpu != node->cpu)
        all->cpu = -1;
    all->end = to->first ? node->end : larger(all->end, node->end);
    to->first = false;
}

static void add_leaf(const struct weft_dag_maker *maker, struct child_sums *to,
                     const struct make_node *leaf)
{
    struct make_sum *sum = to->sum;
    int64_t ticks = make_work_of(leaf), *ready = &sum->ready[leaf->in_edge];

    add_interval(maker, to, leaf);
    sum->last_start = larger(sum->last_start, leaf->begin);
    sum->work = weft_ticks_add(sum->work, ticks);
    sum->own_work = weft_ticks_add(sum->own_work, ticks);
    sum->waiting = weft_ticks_add(sum->waiting, leaf->waiting);
    *ready = weft_ticks_add(*ready, leaf->begin - leaf->first_ready);
    sum->leaves[leaf->kind]++;
    sum->materialized++;
    sum->least++;
    if (leaf->gap != MAKE_NO_GAP)
        sum->create_delay = weft_ticks_add(sum->create_delay, leaf->gap);
    if (leaf->kind == WEFT_DAG_OTHER)
        sum->edges[WEFT_DAG_EDGE_OTHER_CONTINUATION]++;
}

/* Adds the figures of a section or task but for those of paths. */
static void add_sum(const struct weft_dag_maker *maker, struct child_sums *to,
                    const struct make_node *node)
{
    struct make_sum *sum = to->sum;
    const struct make_sum *part = &maker->sums[node->sum];
    const struct make_counts *counts = to->counts ? &maker->sum_counts[node->sum] : NULL;

    add_interval(maker, to, node);
    sum->last_start = larger(sum->last_start, part->last_start);
    sum->work = weft_ticks_add(sum->work, part->work);
    sum->waiting = weft_ticks_add(sum->waiting, part->waiting);
    sum->create_delay = weft_ticks_add(sum->create_delay, part->create_delay);
    for (int i = 0; i < WEFT_DAG_EDGES; i++) {
        sum->ready[i] = weft_ticks_add(sum->ready[i], part->ready[i]);
        sum->edges[i] += part->edges[i];
    }
    for (int i = 0; i < WEFT_DAG_LEAF_KINDS; i++)
        sum->leaves[i] += part->leaves[i];
    sum->materialized += part->materialized;
    sum->least += part->least;
    sum->carried += part->carried;
    if (counts)
        add_counters(to->counts->all, counts->all);
}

static void add_child(struct weft_dag_maker *maker, struct child_sums *to,
                      const struct make_node *child)
{
    struct make_sum *sum = to->sum;

    if (!make_is_leaf(child)) {
        const struct make_sum *part = &maker->sums[child->sum];
        add_sum(maker, to, child);
        sum->own_work = weft_ticks_add(sum->own_work, part->own_work);
        sum->edges[WEFT_DAG_EDGE_WAIT_CONTINUATION] += part->waits;
        sum->edges[WEFT_DAG_EDGE_END] += part->ends;
        return;
    }
    add_leaf(maker, to, child);
    if (to->counts)
        add_counters(to->counts->all, maker->node_counters[child - maker->nodes].of);
    if (child->kind == WEFT_DAG_CREATE) {
        sum->edges[WEFT_DAG_EDGE_CREATE]++;
        sum->edges[WEFT_DAG_EDGE_CREATE_CONTINUATION]++;
        add_sum(maker, to, &maker->nodes[child->inside]);
    }
}

/* Counts the tasks inside that the section's wait joins, if it has one. */
static void join(const struct make_node *node, struct make_sum *sum)
{
    if (node->kind == WEFT_DAG_TASK)
        return;
    if (!sum->waits) {
        sum->carried += sum->creates;
        return;
    }
    sum->ends = sum->creates;
    if (sum->deep) {
        sum->ends += sum->carried;
        sum->carried = 0;
    }
}

/*
 * Returns true if no task inside outlives it, no order crosses it, and it holds no "other".
 * During an "other" the worker may have run something else or nothing, so the whole cannot
 * count as one interval.
 */
static bool is_whole(const struct make_sum *sum)
{
    return sum->carried == 0 && !sum->crossed && sum->leaves[WEFT_DAG_OTHER] == 0;
}

static void sum_up(struct weft_dag_maker *maker, uint32_t index)
{
    struct make_node *node = &maker->nodes[index];
    struct child_sums all = { .node = node,
                              .sum = &maker->sums[node->sum],
                              .counts =
                                  maker->counts ? &maker->sum_counts[node->sum] : NULL,
                              .first = true };
    const struct make_node *first = &maker->nodes[node->inside];

    node->begin = first->begin;
    node->begin_site = first->begin_site;
    node->in_edge = first->in_edge;
    all.sum->last_start = node->begin;
    all.sum->materialized = all.sum->least = 1;
    for (uint32_t i = node->inside; i != WEFT_NONE; i = maker->nodes[i].next)
        add_child(maker, &all, &maker->nodes[i]);
    node->end_site = maker->nodes[all.sum->last].end_site;
    join(node, all.sum);
    make_paths(maker, index);
    if (node->worker >= 0 && is_whole(all.sum))
        all.sum->least = 1;
    all.sum->over = true;
}

static bool is_contracted(const struct weft_dag_contraction *rule,
                          const struct make_node *node, const struct make_sum *sum)
{
    int64_t ticks = node->end - node->begin;
    uint64_t leaves = 0;

    if (rule->off || !is_whole(sum))
        return false;
    for (int i = 0; i < WEFT_DAG_LEAF_KINDS; i++)
        leaves += sum->leaves[i];
    if (rule->leaves > 0)
        return leaves < rule->leaves;
    return ticks < rule->least || (node->worker >= 0 && ticks < rule->most);
}

/* Drops the inside of a section or task. */
static void contract(struct weft_dag_maker *maker, uint32_t index)
{
    struct make_sum *sum = make_sum_of(maker, index);
    size_t n = 0;

    make_push(maker, &n, maker->nodes[index].inside);
    maker->nodes[index].inside = WEFT_NONE;
    sum->last = WEFT_NONE;
    sum->n = 0;
    sum->materialized = 1;
    while (n > 0) {
        uint32_t at = maker->stack[--n];
        const struct make_node *node = &maker->nodes[at];
        if (node->next != WEFT_NONE)
            make_push(maker, &n, node->next);
        if (node->inside != WEFT_NONE)
            make_push(maker, &n, node->inside);
        if (node->kind == WEFT_DAG_CREATE)
            make_count_forgotten(maker, node);
        make_free_node(maker, at);
    }
}

void make_settle(struct weft_dag_maker *maker, uint32_t index)
{
    while (index != WEFT_NONE) {
        struct make_sum *sum = make_sum_of(maker, index), *around;
        const struct make_node *node = &maker->nodes[index];
        uint32_t outer;
        if (!sum->closed || sum->unsummed > 0 || sum->over)
            return;
        sum_up(maker, index);
        outer =
            node->kind == WEFT_DAG_TASK ? make_section_of_task(maker, index) : node->parent;
        if (outer != WEFT_NONE) {
            around = make_sum_of(maker, outer);
            around->latest_inside = larger(around->latest_inside, node->end);
            around->unsummed--;
        }
        if (is_contracted(&maker->contraction, node, sum))
            contract(maker, index);
        index = outer;
    }
}
