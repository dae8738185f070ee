/* SPDX-License-Identifier: Apache-2.0 */
#include "random_dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/random.h"

/* A node of the whole DAG, before anything is contracted. */
struct whole_node {
    struct weft_dag_node is;
    uint32_t *children;
    uint32_t n_children;
    uint32_t made; /* the task of a create, or WEFT_NONE */
    uint32_t
        number; /* in the DAG that is given back, or WEFT_NONE: inside a contracted one */
    bool contracted;
};

struct random_dag_maker {
    struct whole_node *nodes;
    size_t n, capacity;
    struct random_arc *arcs; /* of leaves, by their places in nodes */
    size_t n_arcs, arc_capacity;
    uint32_t leaves_left;
    unsigned char *inside; /* [n]: of the node that is looked at */
};

static uint32_t new_node(struct random_dag_maker *m, enum weft_dag_kind kind,
                         uint32_t parent)
{
    m->nodes = weft_grow(m->nodes, &m->capacity, m->n + 1, sizeof *m->nodes);
    m->nodes[m->n] = (struct whole_node){ .is = { .kind = kind,
                                                  .parent = parent,
                                                  .created = WEFT_NONE,
                                                  .worker = -1,
                                                  .cpu = -1,
                                                  .begin_site = WEFT_NONE,
                                                  .end_site = WEFT_NONE },
                                          .made = WEFT_NONE,
                                          .number = WEFT_NONE };
    if (kind < WEFT_DAG_LEAF_KINDS && m->leaves_left)
        m->leaves_left--;
    return (uint32_t)m->n++;
}

static uint32_t new_child(struct random_dag_maker *m, uint32_t parent,
                          enum weft_dag_kind kind)
{
    uint32_t child = new_node(m, kind, parent);
    struct whole_node *above = &m->nodes[parent];
    above->children =
        weft_realloc(above->children, (above->n_children + 1) * sizeof *above->children);
    above->children[above->n_children++] = child;
    return child;
}

static void grow_task(struct random_dag_maker *m, uint32_t task, unsigned depth);

static void grow_section(struct random_dag_maker *m, uint32_t section, unsigned depth)
{
    unsigned creates = 0;
    for (uint64_t left = roll(5) + 1; left || !creates; left -= left > 0) {
        uint64_t what = depth && m->leaves_left ? roll(8) : 7;
        if (what == 0) {
            grow_section(m, new_child(m, section, WEFT_DAG_SECTION), depth - 1);
        } else if (what == 1) {
            (void)new_child(m, section, WEFT_DAG_OTHER);
        } else {
            uint32_t create = new_child(m, section, WEFT_DAG_CREATE);
            uint32_t task = new_node(m, WEFT_DAG_TASK, create);
            m->nodes[create].made = task;
            grow_task(m, task, depth ? depth - 1 : 0);
            creates++;
        }
    }
    (void)new_child(m, section, WEFT_DAG_WAIT);
}

static void grow_task(struct random_dag_maker *m, uint32_t task, unsigned depth)
{
    for (uint64_t left = depth && m->leaves_left ? roll(4) : 0; left; left--) {
        bool other = roll(5) == 0;
        uint32_t child = new_child(m, task, other ? WEFT_DAG_OTHER : WEFT_DAG_SECTION);
        if (!other)
            grow_section(m, child, depth - 1);
    }
    (void)new_child(m, task, WEFT_DAG_END);
}

static uint32_t first_leaf(const struct random_dag_maker *m, uint32_t node)
{
    while (m->nodes[node].n_children)
        node = m->nodes[node].children[0];
    return node;
}
static uint32_t last_leaf(const struct random_dag_maker *m, uint32_t node)
{
    while (m->nodes[node].n_children)
        node = m->nodes[node].children[m->nodes[node].n_children - 1];
    return node;
}

static void add_arc(struct random_dag_maker *m, uint32_t from, uint32_t to,
                    enum weft_dag_edge kind)
{
    m->arcs = weft_grow(m->arcs, &m->arc_capacity, m->n_arcs + 1, sizeof *m->arcs);
    m->arcs[m->n_arcs++] = (struct random_arc){ from, to, kind };
}

static enum weft_dag_edge continuation_of(enum weft_dag_kind kind)
{
    return kind == WEFT_DAG_CREATE  ? WEFT_DAG_EDGE_CREATE_CONTINUATION
           : kind == WEFT_DAG_OTHER ? WEFT_DAG_EDGE_OTHER_CONTINUATION
                                    : WEFT_DAG_EDGE_WAIT_CONTINUATION;
}

/* All edges of the flat DAG, each once. */
static void list_arcs(struct random_dag_maker *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct whole_node *node = &m->nodes[i];
        for (uint32_t c = 0; c + 1 < node->n_children; c++) {
            uint32_t from = node->children[c], to = node->children[c + 1];
            add_arc(m, last_leaf(m, from), first_leaf(m, to),
                    continuation_of(m->nodes[from].is.kind));
            for (uint32_t k = 0; m->nodes[from].is.kind == WEFT_DAG_SECTION
                                 && k < m->nodes[from].n_children;
                 k++) {
                uint32_t made = m->nodes[m->nodes[from].children[k]].made;
                if (made != WEFT_NONE)
                    add_arc(m, last_leaf(m, made), first_leaf(m, to), WEFT_DAG_EDGE_END);
            }
        }
        if (node->made != WEFT_NONE)
            add_arc(m, i, first_leaf(m, node->made), WEFT_DAG_EDGE_CREATE);
    }
}

/* Run the leaves: each when all before it have ended, often where one of these ran. */
static void run(struct random_dag_maker *m, unsigned n_workers)
{
    int64_t free_at[8] = { 0 };
    unsigned char *done = weft_zalloc(m->n, 1);
    for (bool all = false; !all;) {
        all = true;
        for (uint32_t i = 0; i < m->n; i++) {
            struct weft_dag_node *leaf = &m->nodes[i].is;
            if (leaf->kind >= WEFT_DAG_LEAF_KINDS || done[i])
                continue;
            all = false;
            bool ready = roll(4) != 0;
            int64_t since = -1;
            int32_t worker = 0;
            leaf->earliest = 0;
            for (size_t a = 0; a < m->n_arcs && ready; a++) {
                if (m->arcs[a].to != i)
                    continue;
                const struct weft_dag_node *before = &m->nodes[m->arcs[a].from].is;
                ready = done[m->arcs[a].from];
                if (!ready)
                    break;
                if (before->end > since) {
                    since = before->end;
                    worker = before->worker;
                    leaf->in_edge = m->arcs[a].kind;
                }
                if (before->earliest + before->work > leaf->earliest)
                    leaf->earliest = before->earliest + before->work;
            }
            if (!ready)
                continue;
            if (since < 0) { /* the first of all */
                since = 0;
                leaf->in_edge = WEFT_DAG_EDGE_CREATE;
            }
            if (roll(3) == 0)
                worker = (int32_t)roll(n_workers);
            leaf->first_ready = since;
            leaf->begin = since > free_at[worker] ? since : free_at[worker];
            leaf->begin += (int64_t)(roll(3) ? roll(4) : roll(2000));
            leaf->work = (int64_t)(roll(6) ? roll(30) : roll(100000));
            leaf->end = leaf->begin + leaf->work;
            if (roll(3) == 0) {
                leaf->waiting = (int64_t)roll((uint32_t)leaf->work + 1);
                leaf->work -= leaf->waiting;
            }
            free_at[worker] = leaf->end;
            leaf->worker = worker;
            leaf->last_start = leaf->begin;
            leaf->cpu = worker + 1;
            if (roll(5)) {
                leaf->begin_site = (uint32_t)roll(3);
                leaf->end_site = (uint32_t)roll(3);
            }
            for (int k = 0; k < WEFT_DAG_COUNTERS - 1; k++)
                leaf->counters[k] = (int64_t)roll(1000) * leaf->work;
            done[i] = 1;
        }
    }
    free(done);
}

static void mark_inside(struct random_dag_maker *m, uint32_t node)
{
    m->inside[node] = 1;
    for (uint32_t c = 0; c < m->nodes[node].n_children; c++)
        mark_inside(m, m->nodes[node].children[c]);
    if (m->nodes[node].made != WEFT_NONE && m->nodes[node].is.kind == WEFT_DAG_CREATE)
        mark_inside(m, m->nodes[node].made);
}

/* What all leaves inside say together, and the longest path among them. */
static void add_up(struct random_dag_maker *m, uint32_t node)
{
    struct weft_dag_node *is = &m->nodes[node].is;
    const struct weft_dag_node *first = &m->nodes[first_leaf(m, node)].is;
    const struct weft_dag_node *last = &m->nodes[last_leaf(m, node)].is;
    is->begin = first->begin;
    is->begin_site = first->begin_site;
    is->end = last->end;
    is->end_site = last->end_site;
    is->in_edge = first->in_edge;
    is->earliest = first->earliest;
    is->first_ready = INT64_MAX;
    is->last_start = INT64_MIN;
    is->worker = first->worker;
    is->cpu = first->cpu;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct weft_dag_node *leaf = &m->nodes[i].is;
        if (!m->inside[i] || leaf->kind >= WEFT_DAG_LEAF_KINDS)
            continue;
        is->work += leaf->work;
        is->waiting += leaf->waiting;
        is->leaves[leaf->kind]++;
        is->ready[leaf->in_edge] += leaf->begin - leaf->first_ready;
        if (leaf->first_ready < is->first_ready)
            is->first_ready = leaf->first_ready;
        if (leaf->begin > is->last_start)
            is->last_start = leaf->begin;
        if (leaf->worker != is->worker)
            is->worker = is->cpu = -1;
        for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
            is->counters[k] += leaf->counters[k];
    }
    for (size_t a = 0; a < m->n_arcs; a++)
        is->edges[m->arcs[a].kind] +=
            m->inside[m->arcs[a].from] && m->inside[m->arcs[a].to];
    for (uint32_t c = 0; c < m->nodes[node].n_children; c++)
        is->creates += m->nodes[m->nodes[node].children[c]].is.kind == WEFT_DAG_CREATE;
}

/* The longest path through the leaves that are marked: until nothing gets longer. */
static void longest_path(struct random_dag_maker *m, uint32_t node)
{
    int64_t *to = weft_zalloc(m->n, sizeof *to);
    struct weft_dag_node *is = &m->nodes[node].is;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < m->n_arcs; a++) {
            uint32_t u = m->arcs[a].from, v = m->arcs[a].to;
            if (!m->inside[u] || !m->inside[v] || to[u] + m->nodes[u].is.work <= to[v])
                continue;
            to[v] = to[u] + m->nodes[u].is.work;
            changed = true;
        }
    }
    is->critical_path = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->inside[i] && m->nodes[i].is.kind < WEFT_DAG_LEAF_KINDS
            && to[i] + m->nodes[i].is.work > is->critical_path)
            is->critical_path = to[i] + m->nodes[i].is.work;
    free(to);
}

static void work_out(struct random_dag_maker *m)
{
    m->inside = weft_alloc(m->n);
    for (uint32_t i = (uint32_t)m->n; i-- > 0;) { /* what is inside comes behind */
        struct weft_dag_node *is = &m->nodes[i].is;
        if (is->kind < WEFT_DAG_LEAF_KINDS) {
            is->critical_path = is->work;
            is->ready[is->in_edge] = is->begin - is->first_ready;
            is->leaves[is->kind] = 1;
            is->materialized = is->least = 1;
            memcpy(is->critical_counters, is->counters, sizeof is->counters);
            continue;
        }
        memset(m->inside, 0, m->n);
        mark_inside(m, i);
        is->work = is->waiting = 0;
        add_up(m, i);
        longest_path(m, i);
        /* Not worked out: any numbers, which come back as they are. */
        for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
            is->critical_counters[k] = is->counters[k] / 2;
        is->least = 1;
        for (uint32_t c = 0; c < m->nodes[i].n_children && is->worker < 0; c++) {
            const struct whole_node *child = &m->nodes[m->nodes[i].children[c]];
            is->least += child->is.least;
            if (child->made != WEFT_NONE)
                is->least += m->nodes[child->made].is.least;
        }
    }
    free(m->inside);
}

/* ---- What is given back ---- */

/* Number what is not inside a contracted node: level by level, or depth first. */
static void number_nodes(struct random_dag_maker *m, struct random_dag *dag, bool by_level)
{
    uint32_t *waiting = weft_alloc(m->n * sizeof *waiting), first = 0, n = 0;
    m->nodes[0].number = dag->n++;
    waiting[n++] = 0;
    while (first < n) {
        uint32_t at = by_level ? waiting[first++] : waiting[--n];
        struct whole_node *node = &m->nodes[at];
        if (node->contracted)
            continue;
        if (node->made != WEFT_NONE) {
            m->nodes[node->made].number = dag->n++;
            waiting[n++] = node->made;
        }
        for (uint32_t c = 0; c < node->n_children; c++) {
            m->nodes[node->children[c]].number = dag->n++;
            waiting[n++] = node->children[c];
        }
    }
    free(waiting);
}

static uint64_t count_materialized(const struct random_dag_maker *m, uint32_t node)
{
    const struct whole_node *of = &m->nodes[node];
    uint64_t n = 1;
    if (of->contracted)
        return n;
    for (uint32_t c = 0; c < of->n_children; c++)
        n += count_materialized(m, of->children[c]);
    return n + (of->made == WEFT_NONE ? 0 : count_materialized(m, of->made));
}

static void give_back(struct random_dag_maker *m, struct random_dag *dag)
{
    dag->nodes = weft_zalloc(dag->n, sizeof *dag->nodes);
    for (uint32_t i = 0; i < m->n; i++) {
        const struct whole_node *of = &m->nodes[i];
        if (of->number == WEFT_NONE)
            continue;
        struct weft_dag_node *node = &dag->nodes[of->number];
        *node = of->is;
        if (i)
            node->parent = m->nodes[of->is.parent].number;
        node->first = WEFT_NONE;
        if (of->n_children && !of->contracted) {
            node->n = of->n_children;
            node->first = m->nodes[of->children[0]].number;
        }
        if (of->made != WEFT_NONE)
            node->created = m->nodes[of->made].number;
        node->materialized = node->kind == WEFT_DAG_CREATE ? 1 : count_materialized(m, i);
    }
}

/* The node that stands for a leaf: the outermost contracted one that holds it, or itself. */
static uint32_t stand_in(const struct random_dag_maker *m, uint32_t leaf)
{
    uint32_t found = leaf;
    for (uint32_t at = leaf; at != WEFT_NONE; at = m->nodes[at].is.parent)
        if (m->nodes[at].contracted)
            found = at;
    return m->nodes[found].number;
}

/* A section contains the tasks that its creates made; a task that is contracted, too. */
static void list_kept_arcs(const struct random_dag_maker *m, struct random_dag *dag)
{
    dag->arcs = weft_alloc((m->n_arcs + 1) * sizeof *dag->arcs);
    for (size_t a = 0; a < m->n_arcs; a++) {
        uint32_t from = stand_in(m, m->arcs[a].from), to = stand_in(m, m->arcs[a].to);
        /* Out of the middle of a contracted section lead only ends, which it stands for. */
        bool from_last = true;
        if (dag->nodes[from].kind == WEFT_DAG_SECTION)
            from_last = m->arcs[a].kind == WEFT_DAG_EDGE_WAIT_CONTINUATION;
        if (from != to && from_last)
            dag->arcs[dag->n_arcs++] = (struct random_arc){ from, to, m->arcs[a].kind };
    }
}

struct random_dag random_dag_make(uint64_t seed, unsigned contract, uint32_t most)
{
    struct random_dag_maker m = { .leaves_left = most };
    struct random_dag dag = { .n_sites = 3 };
    roll_from(seed);
    dag.n_workers = (uint32_t)roll(6) + 1;
    grow_task(&m, new_node(&m, WEFT_DAG_TASK, WEFT_NONE), (unsigned)roll(6) + 1);
    list_arcs(&m);
    run(&m, dag.n_workers);
    work_out(&m);
    for (uint32_t i = 0; i < m.n; i++)
        m.nodes[i].contracted =
            m.nodes[i].is.kind >= WEFT_DAG_LEAF_KINDS && roll(100) < contract;
    number_nodes(&m, &dag, roll(2));
    give_back(&m, &dag);
    list_kept_arcs(&m, &dag);
    for (size_t i = 0; i < m.n; i++)
        free(m.nodes[i].children);
    free(m.nodes);
    free(m.arcs);
    return dag;
}

void random_dag_free(struct random_dag *dag)
{
    free(dag->nodes);
    free(dag->arcs);
}
