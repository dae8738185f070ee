/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the nodes and passes them on. */
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/dag/make_priv.h"
#include "store/time.h"

/* A list of siblings whose children are numbered next: the next sibling, and its number. */
struct level {
    uint32_t node, number;
    int64_t earliest;
};

struct node_numbering {
    const struct weft_dag_maker *maker;
    void (*visit)(void *user, const struct weft_dag_node *node);
    void *user;
    uint32_t next;     /* number of the next node */
    uint32_t *numbers; /* by index of a node: its number; NULL without orders */
    struct level *levels;
    size_t n_levels, capacity;
};

/* The number of nodes inside a node that are numbered after its siblings. */
static uint64_t inside(const struct weft_dag_maker *maker, const struct make_node *node)
{
    if (node->kind == WEFT_DAG_CREATE)
        return make_sum_of(maker, node->inside)->materialized;
    return make_is_leaf(node) ? 0 : maker->sums[node->sum].materialized - 1;
}

/* The ticks for which a node is held up by the tasks that it is ordered after. */
static int64_t held(const struct weft_dag_maker *maker, const struct make_node *node)
{
    return node->orders == WEFT_NONE ? 0 : maker->orders[node->orders].held;
}

/* The ticks for which the first leaf of a section is held up; 0 for other nodes. */
static int64_t held_inside(const struct weft_dag_maker *maker, const struct make_node *node)
{
    if (node->kind != WEFT_DAG_SECTION)
        return 0;
    while (node->kind == WEFT_DAG_SECTION && maker->sums[node->sum].crossed)
        node = &maker->nodes[node->inside];
    return make_is_leaf(node) ? held(maker, node) : 0;
}

/* The ticks from a node's begin to that of the next one on unlimited workers. */
static int64_t transit(const struct weft_dag_maker *maker, const struct make_node *node)
{
    return make_is_leaf(node) ? make_work_of(node) : maker->sums[node->sum].transit;
}

/* Sets the counters of a section or task, in all and on its critical path. */
static void fill_counts(struct weft_dag_node *out, const struct weft_dag_maker *maker,
                        uint32_t sum)
{
    const struct make_counts *counts = &maker->sum_counts[sum];
    bool tail = maker->sums[sum].tail > maker->sums[sum].span;

    memcpy(out->counters, counts->all, sizeof out->counters);
    memcpy(out->critical_counters, tail ? counts->tail : counts->span,
           sizeof out->critical_counters);
}

static void fill_figures(struct weft_dag_node *out, const struct make_sum *sum)
{
    out->n = sum->n;
    out->last_start = sum->last_start;
    out->work = sum->work;
    out->waiting = sum->waiting;
    out->critical_path = sum->span > sum->tail ? sum->span : sum->tail;
    memcpy(out->ready, sum->ready, sizeof out->ready);
    memcpy(out->leaves, sum->leaves, sizeof out->leaves);
    memcpy(out->edges, sum->edges, sizeof out->edges);
    out->materialized = sum->materialized;
    out->least = sum->least;
    out->creates = sum->creates;
    out->knows_inside = sum->n == 0;
    out->own_work = sum->own_work;
    out->create_delay = sum->create_delay;
}

static struct weft_dag_node describe(const struct node_numbering *numbering,
                                     const struct make_node *node, uint32_t parent,
                                     uint32_t insides, int64_t earliest)
{
    struct weft_dag_node out = {
        .kind = node->kind,
        .in_edge = node->in_edge,
        .parent = parent,
        .first = WEFT_NONE,
        .created = node->kind == WEFT_DAG_CREATE ? insides : WEFT_NONE,
        .worker = node->worker,
        .cpu = node->cpu,
        .begin_site = node->begin_site,
        .end_site = node->end_site,
        .begin = node->begin,
        .end = node->end,
        .first_ready = node->first_ready,
        .last_start = node->begin,
        .earliest = earliest,
    };

    if (!make_is_leaf(node)) {
        if (numbering->maker->counts)
            fill_counts(&out, numbering->maker, node->sum);
        fill_figures(&out, &numbering->maker->sums[node->sum]);
        out.first = out.n > 0 ? insides : WEFT_NONE;
        return out;
    }
    out.joins_all =
        node->kind == WEFT_DAG_WAIT && make_sum_of(numbering->maker, node->parent)->deep;
    out.work = out.critical_path = make_work_of(node);
    out.waiting = node->waiting;
    out.ready[node->in_edge] = node->begin - node->first_ready;
    out.leaves[node->kind] = 1;
    if (numbering->maker->counts) {
        const struct make_counters *own =
            &numbering->maker->node_counters[node - numbering->maker->nodes];
        memcpy(out.counters, own->of, sizeof out.counters);
        memcpy(out.critical_counters, own->of, sizeof out.critical_counters);
    }
    out.materialized = out.least = 1;
    return out;
}

/* Passes on the siblings from FIRST on; their insides are numbered after them. */
static void give_siblings(struct node_numbering *numbering, uint32_t first, uint32_t parent,
                          int64_t earliest)
{
    const struct weft_dag_maker *maker = numbering->maker;
    uint32_t n = 0, insides, number = numbering->next;
    int64_t at = earliest;

    numbering->levels = weft_grow(numbering->levels, &numbering->capacity,
                                  numbering->n_levels + 1, sizeof *numbering->levels);
    numbering->levels[numbering->n_levels++] =
        (struct level){ first, numbering->next, earliest };
    for (uint32_t i = first; i != WEFT_NONE; i = maker->nodes[i].next)
        n++;
    insides = numbering->next + n;
    numbering->next = insides;
    for (uint32_t i = first; i != WEFT_NONE; i = maker->nodes[i].next) {
        const struct make_node *node = &maker->nodes[i];
        struct weft_dag_node out;
        at = weft_ticks_add(at, held(maker, node));
        out = describe(numbering, node, parent, insides,
                       weft_ticks_add(at, held_inside(maker, node)));
        numbering->visit(numbering->user, &out);
        if (numbering->numbers)
            numbering->numbers[i] = number;
        number++;
        insides += (uint32_t)inside(maker, node);
        at = weft_ticks_add(at, transit(maker, node));
    }
}

bool weft_dag_make_nodes(struct weft_dag_maker *maker,
                         void (*visit)(void *user, const struct weft_dag_node *node),
                         void *user)
{
    struct node_numbering numbering = { .maker = maker, .visit = visit, .user = user };

    if (maker->root == WEFT_NONE)
        return false;
    if (maker->n_orders > 0) {
        numbering.numbers = weft_alloc(maker->n_nodes * sizeof *numbering.numbers);
        memset(numbering.numbers, 0xff, maker->n_nodes * sizeof *numbering.numbers);
    }
    give_siblings(&numbering, maker->root, WEFT_NONE, 0);
    while (numbering.n_levels > 0) {
        struct level *level = &numbering.levels[numbering.n_levels - 1], now = *level;
        const struct make_node *node;
        int64_t begin, end;
        if (now.node == WEFT_NONE) {
            numbering.n_levels--;
            continue;
        }
        node = &maker->nodes[now.node];
        begin = weft_ticks_add(now.earliest, held(maker, node));
        end = weft_ticks_add(begin, transit(maker, node));
        level->node = node->next;
        level->number++;
        level->earliest = end;
        if (node->inside != WEFT_NONE)
            give_siblings(&numbering, node->inside, now.number,
                          node->kind == WEFT_DAG_CREATE ? end : begin);
    }
    if (numbering.numbers)
        make_orders_give(maker, numbering.numbers);
    free(numbering.numbers);
    free(numbering.levels);
    return true;
}
