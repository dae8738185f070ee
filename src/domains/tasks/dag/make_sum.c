/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up the figures of sections and tasks that have ended, and contracts them. */
#include <string.h>

#include "domains/tasks/dag/make_priv.h"
#include "store/time.h"

/* A path through a section or task, and the counters on it. */
struct counted_path {
    int64_t ticks;
    struct make_counters counted;
};

/* State while the children of a section or task are summed up. */
struct child_sums {
    struct make_node *node;
    struct make_sum *sum;
    struct make_counts *counts; /* NULL if nothing is counted */
    struct counted_path
        joined; /* longest path from its begin to the end of a joined task ... */
    struct counted_path unjoined; /* ... and to the end of one that is not joined */
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

/* Replaces PATH by the path along all children so far plus MORE, if that is longer.
   COUNTED has the counters of MORE. */
static void keep_longer(const struct child_sums *to, struct counted_path *path,
                        int64_t more, const int64_t *counted)
{
    int64_t ticks = weft_ticks_add(to->sum->span, more);

    if (ticks <= path->ticks)
        return;
    path->ticks = ticks;
    if (!to->counts)
        return;
    memcpy(path->counted.of, to->counts->span, sizeof path->counted.of);
    add_counters(path->counted.of, counted);
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
    int64_t ticks = leaf->end - leaf->begin, *ready = &sum->ready[leaf->in_edge];

    add_interval(maker, to, leaf);
    sum->last_start = larger(sum->last_start, leaf->begin);
    sum->work = weft_ticks_add(sum->work, ticks);
    sum->own_work = weft_ticks_add(sum->own_work, ticks);
    sum->span = weft_ticks_add(sum->span, ticks);
    *ready = weft_ticks_add(*ready, leaf->begin - leaf->first_ready);
    sum->leaves[leaf->kind]++;
    sum->materialized++;
    sum->least++;
    if (leaf->gap != MAKE_NO_GAP)
        sum->create_delay = weft_ticks_add(sum->create_delay, leaf->gap);
    if (leaf->kind == WEFT_DAG_OTHER)
        sum->edges[WEFT_DAG_EDGE_OTHER_CONTINUATION]++;
}

static void count_leaf(struct child_sums *to, const struct make_counters *counters)
{
    add_counters(to->counts->all, counters->of);
    add_counters(to->counts->span, counters->of);
}

/* Adds the figures of a section or task that do not depend on the path. */
static void add_sum(const struct weft_dag_maker *maker, struct child_sums *to,
                    const struct make_node *node)
{
    struct make_sum *sum = to->sum;
    const struct make_sum *part = &maker->sums[node->sum];
    const struct make_counts *counts = to->counts ? &maker->sum_counts[node->sum] : NULL;

    add_interval(maker, to, node);
    sum->last_start = larger(sum->last_start, part->last_start);
    sum->work = weft_ticks_add(sum->work, part->work);
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
    if (part->carried > 0)
        keep_longer(to, &to->unjoined, part->tail, counts ? counts->tail : NULL);
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
        sum->span = weft_ticks_add(sum->span, part->span);
        sum->own_work = weft_ticks_add(sum->own_work, part->own_work);
        if (to->counts)
            add_counters(to->counts->span, maker->sum_counts[child->sum].span);
        sum->edges[WEFT_DAG_EDGE_WAIT_CONTINUATION] += part->waits;
        sum->edges[WEFT_DAG_EDGE_END] += part->ends;
        return;
    }
    add_leaf(maker, to, child);
    if (to->counts)
        count_leaf(to, &maker->node_counters[child - maker->nodes]);
    if (child->kind == WEFT_DAG_CREATE) {
        const struct make_node *task = &maker->nodes[child->inside];
        const struct make_sum *part = &maker->sums[task->sum];
        sum->edges[WEFT_DAG_EDGE_CREATE]++;
        sum->edges[WEFT_DAG_EDGE_CREATE_CONTINUATION]++;
        add_sum(maker, to, task);
        keep_longer(to, &to->joined, part->span,
                    to->counts ? maker->sum_counts[task->sum].span : NULL);
    }
}

static void set_tail(const struct child_sums *all, const struct counted_path *path)
{
    all->sum->tail = path->ticks;
    if (all->counts)
        memcpy(all->counts->tail, path->counted.of, sizeof all->counts->tail);
}

/* Makes the span at least as long as PATH. */
static void lengthen_span(const struct child_sums *all, const struct counted_path *path)
{
    if (path->ticks <= all->sum->span)
        return;
    all->sum->span = path->ticks;
    if (all->counts)
        memcpy(all->counts->span, path->counted.of, sizeof all->counts->span);
}

/* Handles the tasks inside at the section's wait, if it has one. */
static void join(const struct child_sums *all)
{
    static const struct counted_path none = { 0 };
    struct make_sum *sum = all->sum;

    set_tail(all, &all->unjoined);
    if (all->node->kind == WEFT_DAG_TASK)
        return;
    if (!sum->waits) {
        sum->carried += sum->creates;
        set_tail(all,
                 all->joined.ticks > all->unjoined.ticks ? &all->joined : &all->unjoined);
        return;
    }
    sum->ends = sum->creates;
    lengthen_span(all, &all->joined);
    if (sum->deep) {
        sum->ends += sum->carried;
        lengthen_span(all, &all->unjoined);
        sum->carried = 0;
        set_tail(all, &none);
    }
}

/*
 * Returns true if no task inside outlives it and it holds no "other".  During an "other"
 * the worker may have run something else or nothing, so the whole cannot count as one
 * interval.
 */
static bool is_whole(const struct make_sum *sum)
{
    return sum->carried == 0 && sum->leaves[WEFT_DAG_OTHER] == 0;
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
    join(&all);
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

static void push(struct weft_dag_maker *maker, size_t *n, uint32_t node)
{
    maker->stack =
        weft_grow(maker->stack, &maker->stack_capacity, *n + 1, sizeof *maker->stack);
    maker->stack[(*n)++] = node;
}

/* Drops the inside of a section or task. */
static void contract(struct weft_dag_maker *maker, uint32_t index)
{
    struct make_sum *sum = make_sum_of(maker, index);
    size_t n = 0;

    push(maker, &n, maker->nodes[index].inside);
    maker->nodes[index].inside = WEFT_NONE;
    sum->last = WEFT_NONE;
    sum->n = 0;
    sum->materialized = 1;
    while (n > 0) {
        uint32_t at = maker->stack[--n];
        const struct make_node *node = &maker->nodes[at];
        if (node->next != WEFT_NONE)
            push(maker, &n, node->next);
        if (node->inside != WEFT_NONE)
            push(maker, &n, node->inside);
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
