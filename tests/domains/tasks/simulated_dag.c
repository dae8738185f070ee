/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated_dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/tasks/dag/write.h"

/* What a section or task is made from. */
enum task_part { WHOLE, MERGE, SORTS, MERGES, LAST_MERGE };
struct plan {
    uint32_t size;
    uint8_t part;
};

struct maker {
    const struct simulated_dag *what;
    struct weft_dag_node *nodes;
    struct plan *plans;
    uint32_t n;
    size_t capacity, plan_capacity;
    uint32_t *waits_for,
        *join; /* by node, of leaves: how many before it; what is after it */
};

/* ---- Structure ---- */

static uint32_t add(struct maker *m, enum weft_dag_kind kind, uint32_t parent,
                    struct plan plan)
{
    m->nodes = weft_grow(m->nodes, &m->capacity, (size_t)m->n + 1, sizeof *m->nodes);
    m->plans = weft_grow(m->plans, &m->plan_capacity, (size_t)m->n + 1, sizeof *m->plans);
    m->nodes[m->n] = (struct weft_dag_node){
        .kind = kind, .parent = parent, .created = WEFT_NONE, .worker = -1, .cpu = -1
    };
    m->plans[m->n] = plan;
    return m->n++;
}

static void child(struct maker *m, uint32_t box, enum weft_dag_kind kind,
                  enum task_part part, uint32_t size)
{
    uint32_t node = add(m, kind, box, (struct plan){ size, (uint8_t)part });
    if (!m->nodes[box].n++)
        m->nodes[box].first = node;
}

static void fill_section(struct maker *m, uint32_t box, struct plan plan)
{
    uint32_t n = plan.size;
    switch (m->what->program) {
    case SIMULATED_FIB:
        child(m, box, WEFT_DAG_CREATE, WHOLE, n - 1);
        child(m, box, WEFT_DAG_CREATE, WHOLE, n - 2);
        break;
    case SIMULATED_LOOP:
        for (uint32_t i = 0; i < n; i++)
            child(m, box, WEFT_DAG_CREATE, MERGE, i % 7 + 1);
        break;
    case SIMULATED_NEST:
        if (n)
            child(m, box, WEFT_DAG_SECTION, WHOLE, n - 1);
        break;
    case SIMULATED_SORT:
        for (int i = 0; i < 4 && plan.part == SORTS; i++)
            child(m, box, WEFT_DAG_CREATE, WHOLE, n / 4);
        for (int i = 0; i < 2 && plan.part == MERGES; i++)
            child(m, box, WEFT_DAG_CREATE, MERGE, n / 2);
        if (plan.part == LAST_MERGE)
            child(m, box, WEFT_DAG_CREATE, MERGE, n);
        for (int i = 0; i < 2 && plan.part == MERGE; i++)
            child(m, box, WEFT_DAG_CREATE, MERGE, n / 2);
        break;
    }
    child(m, box, WEFT_DAG_WAIT, WHOLE, 1);
}

static void fill_task(struct maker *m, uint32_t box, struct plan plan)
{
    enum simulated_program program = m->what->program;
    if (program == SIMULATED_SORT && plan.size > 4 && plan.part == MERGE)
        child(m, box, WEFT_DAG_SECTION, MERGE, plan.size);
    else if (program == SIMULATED_SORT && plan.size > 4) {
        child(m, box, WEFT_DAG_SECTION, SORTS, plan.size);
        child(m, box, WEFT_DAG_SECTION, MERGES, plan.size);
        child(m, box, WEFT_DAG_SECTION, LAST_MERGE, plan.size);
    } else if ((program == SIMULATED_FIB && plan.size >= 2)
               || (program == SIMULATED_LOOP && plan.part == WHOLE && plan.size)
               || (program == SIMULATED_NEST && plan.size))
        child(m, box, WEFT_DAG_SECTION, WHOLE, plan.size);
    child(m, box, WEFT_DAG_END, plan.part, plan.size);
}

static void make_nodes(struct maker *m)
{
    add(m, WEFT_DAG_TASK, WEFT_NONE, (struct plan){ m->what->size, WHOLE });
    for (uint32_t i = 0; i < m->n; i++) {
        enum weft_dag_kind kind = m->nodes[i].kind;
        struct plan plan = m->plans[i];
        if (kind == WEFT_DAG_TASK && (i == 0 || plan.size >= m->what->contracted))
            fill_task(m, i, plan);
        else if (kind == WEFT_DAG_SECTION)
            fill_section(m, i, plan);
        else if (kind == WEFT_DAG_CREATE) {
            uint32_t task = add(m, WEFT_DAG_TASK, i, plan);
            m->nodes[i].created = task;
        }
    }
}

/* ---- Running ---- */

static uint32_t first_of(const struct maker *m, uint32_t node)
{
    while (m->nodes[node].n)
        node = m->nodes[node].first;
    return node;
}

/* What runs when NODE and all inside has ended: JOIN, by node; counts what each waits for. */
static void link_nodes(struct maker *m)
{
    m->waits_for = weft_zalloc(m->n, sizeof *m->waits_for);
    m->join = weft_alloc(m->n * sizeof *m->join);
    m->join[0] = WEFT_NONE;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct weft_dag_node *box = &m->nodes[i];
        if (box->kind == WEFT_DAG_CREATE && box->created != WEFT_NONE) {
            /* Its task is joined by what comes after the section. */
            uint32_t after = m->join[box->parent];
            m->join[box->created] = after;
        }
        for (uint32_t k = 0; k < box->n; k++)
            m->join[box->first + k] =
                k + 1 < box->n ? first_of(m, box->first + k + 1) : m->join[i];
    }
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->nodes[i].n)
            continue;
        if (m->join[i] != WEFT_NONE)
            m->waits_for[m->join[i]]++;
        if (m->nodes[i].created != WEFT_NONE)
            m->waits_for[first_of(m, m->nodes[i].created)]++;
    }
}

static int64_t length_of(const struct maker *m, uint32_t i)
{
    struct plan plan = m->plans[i];
    uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    int64_t base = m->nodes[i].kind == WEFT_DAG_END ? 400 + 90 * (int64_t)plan.size : 150;
    return base + (int64_t)(mixed % (uint64_t)base);
}

struct deque {
    uint32_t *list;
    size_t first, n, capacity; /* those at [first, n) are there */
};

struct run {
    struct maker *m;
    struct deque *deques;
    int64_t *free_at;
    uint32_t left;
};

static void make_ready(struct run *run, uint32_t node, uint32_t worker, int64_t time,
                       enum weft_dag_edge edge)
{
    struct deque *deque = &run->deques[worker];
    if (--run->m->waits_for[node])
        return;
    run->m->nodes[node].first_ready = time;
    run->m->nodes[node].in_edge = edge;
    deque->list =
        weft_grow(deque->list, &deque->capacity, deque->n + 1, sizeof *deque->list);
    deque->list[deque->n++] = node;
}

static enum weft_dag_edge edge_behind(enum weft_dag_kind kind)
{
    return kind == WEFT_DAG_CREATE  ? WEFT_DAG_EDGE_CREATE_CONTINUATION
           : kind == WEFT_DAG_WAIT  ? WEFT_DAG_EDGE_WAIT_CONTINUATION
           : kind == WEFT_DAG_OTHER ? WEFT_DAG_EDGE_OTHER_CONTINUATION
                                    : WEFT_DAG_EDGE_END;
}

static void run_node(struct run *run, uint32_t i, uint32_t worker)
{
    struct weft_dag_node *node = &run->m->nodes[i];
    int64_t now = run->free_at[worker];
    node->begin = now > node->first_ready ? now : node->first_ready;
    node->last_start = node->begin;
    node->end = node->begin + length_of(run->m, i);
    node->worker = node->cpu = (int32_t)worker;
    run->free_at[worker] = node->end + 10;
    run->left--;
    /* Help first: it goes on itself, its task waits at the other end. */
    if (node->created != WEFT_NONE)
        make_ready(run, first_of(run->m, node->created), worker, node->end,
                   WEFT_DAG_EDGE_CREATE);
    if (run->m->join[i] != WEFT_NONE)
        make_ready(run, run->m->join[i], worker, node->end, edge_behind(node->kind));
}

/* The next node of the worker that is free first; an idle one steals, or looks again later. */
static void run_one(struct run *run)
{
    uint32_t workers = run->m->what->workers, worker = 0, from;
    for (uint32_t w = 1; w < workers; w++)
        if (run->free_at[w] < run->free_at[worker])
            worker = w;
    struct deque *deque = &run->deques[worker];
    for (from = 0; deque->first == deque->n && from < workers; from++)
        deque = &run->deques[(worker + from) % workers];
    if (deque->first == deque->n) {
        run->free_at[worker] += 200;
        return;
    }
    bool own = deque == &run->deques[worker];
    uint32_t node = own ? deque->list[--deque->n] : deque->list[deque->first++];
    if (run->m->nodes[node].first_ready > run->free_at[worker] + 200) {
        run->free_at[worker] += 200; /* not ready yet, as others count time */
        if (own)
            deque->n++;
        else
            deque->first--;
        return;
    }
    run_node(run, node, worker);
}

static void run_all(struct maker *m)
{
    struct run run = { .m = m };
    uint32_t workers = m->what->workers;
    run.deques = weft_zalloc(workers, sizeof *run.deques);
    run.free_at = weft_zalloc(workers, sizeof *run.free_at);
    for (uint32_t i = 0; i < m->n; i++)
        run.left += !m->nodes[i].n;
    m->waits_for[first_of(m, 0)] = 1;
    make_ready(&run, first_of(m, 0), 0, 0, WEFT_DAG_EDGE_CREATE);
    while (run.left)
        run_one(&run);
    for (uint32_t w = 0; w < workers; w++)
        free(run.deques[w].list);
    free(run.deques);
    free(run.free_at);
}

/* ---- Figures, from the last node to the first ---- */

static void count_leaf(struct weft_dag_node *node)
{
    bool contracted = node->kind >= WEFT_DAG_LEAF_KINDS;
    node->work = node->critical_path = node->end - node->begin;
    node->ready[node->in_edge] = node->begin - node->first_ready;
    node->leaves[contracted ? WEFT_DAG_END : node->kind] = 1;
    if (node->kind == WEFT_DAG_CREATE) {
        node->edges[WEFT_DAG_EDGE_CREATE] = node->edges[WEFT_DAG_EDGE_CREATE_CONTINUATION] =
            1;
    }
    node->materialized = node->least = 1;
}

static void take_in(struct weft_dag_node *box, const struct weft_dag_node *node)
{
    box->work += node->work;
    box->begin = node->begin < box->begin ? node->begin : box->begin;
    box->end = node->end > box->end ? node->end : box->end;
    box->first_ready =
        node->first_ready < box->first_ready ? node->first_ready : box->first_ready;
    box->last_start =
        node->last_start > box->last_start ? node->last_start : box->last_start;
    for (int k = 0; k < WEFT_DAG_EDGES; k++) {
        box->ready[k] += node->ready[k];
        box->edges[k] += node->edges[k];
    }
    for (int k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        box->leaves[k] += node->leaves[k];
    box->materialized += node->materialized;
    box->least += node->least;
    if (node->worker != box->worker)
        box->worker = box->cpu = -1;
}

static void count_box(struct maker *m, uint32_t i)
{
    struct weft_dag_node *box = &m->nodes[i];
    int64_t path = 0;
    *box = (struct weft_dag_node){ .kind = box->kind,
                                   .parent = box->parent,
                                   .first = box->first,
                                   .n = box->n,
                                   .created = WEFT_NONE,
                                   .worker = m->nodes[first_of(m, i)].worker,
                                   .cpu = m->nodes[first_of(m, i)].cpu,
                                   .in_edge = m->nodes[first_of(m, i)].in_edge,
                                   .begin = INT64_MAX,
                                   .first_ready = INT64_MAX,
                                   .materialized = 1,
                                   .least = 1 };
    for (uint32_t k = box->n; k-- > 0;) {
        const struct weft_dag_node *node = &m->nodes[box->first + k];
        take_in(box, node);
        box->creates += node->kind == WEFT_DAG_CREATE;
        if (node->created != WEFT_NONE) {
            take_in(box, &m->nodes[node->created]);
            int64_t made = m->nodes[node->created].critical_path;
            path = made > path ? made : path;
        }
        path += node->critical_path;
    }
    box->critical_path = path;
}

/* ---- Writing ---- */

static uint32_t new_type(struct weft_builder *b, uint32_t parent, const char *name)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

static void write_nodes(struct maker *m, struct weft_builder *b)
{
    struct weft_err err = { 0 };
    uint32_t process_type = new_type(b, 0, "Process");
    uint32_t worker_type = new_type(b, process_type, "Worker");
    uint32_t process = weft_builder_container(b, process_type, 0, "program", NULL, 0);
    uint32_t *workers = weft_alloc(m->what->workers * sizeof *workers), sites[8];
    for (uint32_t w = 0; w < m->what->workers; w++) {
        char name[32];
        snprintf(name, sizeof name, "worker %u", w);
        workers[w] = weft_builder_container(b, worker_type, process, name, NULL, 0);
    }
    for (uint32_t i = 0; i < 8; i++)
        sites[i] = weft_builder_site(b, &(struct weft_site){ .object = "program",
                                                             .address = 16 * i,
                                                             .function = "run",
                                                             .file = "src/program.c",
                                                             .line = 10 + 7 * i });
    struct weft_dag_writer *writer = weft_dag_writer_new(&(struct weft_dag_target){
        b, process, process_type, workers, m->what->workers, worker_type });
    for (uint32_t i = 0; i < m->n; i++) {
        const struct weft_dag_node *from = &m->nodes[m->nodes[i].n ? first_of(m, i) : i];
        m->nodes[i].begin_site = sites[from->in_edge % 4];
        m->nodes[i].end_site = sites[4 + m->nodes[i].kind % 4];
        weft_dag_writer_add(writer, &m->nodes[i]);
    }
    WEFT_REQUIRE(weft_dag_writer_finish(writer, NULL, &err), "%s", err.message);
    free(workers);
}

uint32_t simulated_dag_write(const char *path, const struct simulated_dag *what)
{
    struct maker m = { .what = what };
    struct weft_err err = { 0 };
    make_nodes(&m);
    link_nodes(&m);
    run_all(&m);
    for (uint32_t i = m.n; i-- > 0;) {
        if (m.nodes[i].n)
            count_box(&m, i);
        else
            count_leaf(&m.nodes[i]);
    }
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    WEFT_REQUIRE(b, "%s", err.message);
    weft_builder_resolution(b, 1000000000, 1);
    write_nodes(&m, b);
    WEFT_REQUIRE(weft_builder_finish(b, NULL, &err), "%s", err.message);
    free(m.nodes);
    free(m.plans);
    free(m.waits_for);
    free(m.join);
    return m.n;
}
