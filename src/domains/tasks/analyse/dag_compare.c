/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/radix_sort.h"
#include "store/time.h"

enum { STEP = 1 << 14 }; /* nodes, or moments, between two steps of the job: milliseconds */

/* ---- Bills ---- */

struct weft_dag_bill {
    const struct weft_dag *dag;
    double ns_per_tick;
    double *delay, *no_work; /* by node, in ticks */
};

enum change { BEGINS, ENDS, IS_READY, STARTS_LAST, WAITING };

struct moments {
    struct weft_sort_item *list; /* time; node, or the number of
                                    workers that wait for tasks then, << 3 | enum change */
    size_t n, capacity;
};

static void add_moment(struct moments *moments, int64_t time, uint32_t node,
                       enum change change)
{
    moments->list[moments->n++] =
        (struct weft_sort_item){ (uint64_t)time ^ UINT64_C(1) << 63,
                                 (uint64_t)node << 3 | change };
}

static bool collect(struct weft_dag_bill *bill, struct moments *moments,
                    struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(bill->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node node;
        if (i % STEP == 0 && !weft_job_step(job, i, 2 * (uint64_t)n, err))
            return false;
        weft_dag_shape(bill->dag, i, &node);
        if (node.n)
            continue;
        weft_dag_node(bill->dag, i, &node);
        bill->delay[i] = (double)(node.end - node.begin - node.work - node.waiting);
        moments->list = weft_grow(moments->list, &moments->capacity, moments->n + 4,
                                  sizeof *moments->list);
        if (node.end > node.begin) {
            add_moment(moments, node.begin, i, BEGINS);
            add_moment(moments, node.end, i, ENDS);
        }
        if (node.last_start > node.first_ready) {
            add_moment(moments, node.first_ready, i, IS_READY);
            add_moment(moments, node.last_start, i, STARTS_LAST);
        }
    }
    return true;
}

/* Collects how many workers wait for tasks, and run nothing. */
static void collect_waits(const struct weft_dag *dag, const struct weft_source *source,
                          struct moments *moments)
{
    uint32_t track = weft_dag_waiting(dag);
    uint64_t count = track == WEFT_NONE ? 0 : source->schema->tracks[track].count;
    struct weft_run *run = weft_alloc(sizeof *run);
    for (uint64_t i = 0; i<count; i = run->after> i ? run->after : i + 1) {
        source->ops->run(source, track, i, run);
        moments->list = weft_grow(moments->list, &moments->capacity, moments->n + run->n,
                                  sizeof *moments->list);
        for (size_t k = 0; k < run->n; k++) {
            double workers = run->samples[k].value;
            add_moment(moments, run->samples[k].begin,
                       workers > 0 && workers < 1e9 ? (uint32_t)workers : 0, WAITING);
        }
    }
    free(run);
}

/*
 * Cost that a node would bear if it had been ready (running) since the begin of the run.  A
 * node's own cost is the difference of this between the moments at which it became and
 * ceased to be so.
 */
struct burden {
    double delay, no_work;
    int64_t running, ready, waiting, workers, from;
};

static void pass(struct burden *burden, int64_t until)
{
    double ticks = (double)(until - burden->from);
    int64_t idle = burden->workers - burden->running, ready = burden->ready;
    int64_t free = idle > burden->waiting ? idle - burden->waiting : idle < 0 ? idle : 0;
    int64_t alive = burden->running + ready;
    if (ready > 0)
        burden->delay += ticks * (double)(free < ready ? free : ready) / (double)ready;
    if (free > ready && alive > 0)
        burden->no_work += ticks * (double)(free - ready) / (double)alive;
    burden->from = until;
}

static void happen(struct weft_dag_bill *bill, struct burden *burden, uint32_t node,
                   enum change change)
{
    int sign = change == BEGINS || change == IS_READY ? -1 : 1;
    bill->no_work[node] += sign * burden->no_work;
    if (change == IS_READY || change == STARTS_LAST) {
        bill->delay[node] += sign * burden->delay;
        burden->ready -= sign;
    } else {
        burden->running -= sign;
    }
}

static void share_out(struct weft_dag_bill *bill, struct moments *moments)
{
    struct burden burden = { .workers = weft_dag_workers(bill->dag) };
    weft_sort(moments->list, moments->n);
    for (size_t i = 0; i < moments->n; i++) {
        int64_t time = (int64_t)(moments->list[i].key ^ UINT64_C(1) << 63);
        if (!i)
            burden.from = time;
        pass(&burden, time);
        enum change change = (enum change)(moments->list[i].payload & 7);
        uint32_t what = (uint32_t)(moments->list[i].payload >> 3);
        if (change == WAITING)
            burden.waiting = what;
        else
            happen(bill, &burden, what, change);
    }
}

/* Children have higher numbers than their parents, so one backwards pass adds all up. */
static void add_up(struct weft_dag_bill *bill)
{
    for (uint32_t i = weft_dag_size(bill->dag); i-- > 1;) {
        struct weft_dag_node node;
        weft_dag_shape(bill->dag, i, &node);
        bill->delay[node.parent] += bill->delay[i];
        bill->no_work[node.parent] += bill->no_work[i];
    }
}

struct weft_dag_bill *weft_dag_bill_new(const struct weft_dag *dag,
                                        const struct weft_source *source,
                                        struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_bill *bill = weft_zalloc(1, sizeof *bill);
    struct moments moments = { 0 };
    bill->dag = dag;
    bill->ns_per_tick = 1e9 * (double)source->schema->ticks_denominator
                        / (double)source->schema->ticks_numerator;
    bill->delay = weft_zalloc(weft_dag_size(dag), sizeof *bill->delay);
    bill->no_work = weft_zalloc(weft_dag_size(dag), sizeof *bill->no_work);
    bool ok = collect(bill, &moments, job, err);
    if (ok) {
        collect_waits(dag, source, &moments);
        share_out(bill, &moments);
        add_up(bill);
    }
    free(moments.list);
    if (ok)
        return bill;
    weft_dag_bill_free(bill);
    return NULL;
}

void weft_dag_bill_free(struct weft_dag_bill *bill)
{
    if (!bill)
        return;
    free(bill->delay);
    free(bill->no_work);
    free(bill);
}

struct weft_dag_costs weft_dag_bill_of(const struct weft_dag_bill *bill, uint32_t node)
{
    struct weft_dag_node is;
    weft_dag_node(bill->dag, node, &is);
    return (struct weft_dag_costs){ .work = (double)is.work * bill->ns_per_tick,
                                    .waiting = (double)is.waiting * bill->ns_per_tick,
                                    .delay = bill->delay[node] * bill->ns_per_tick,
                                    .no_work = bill->no_work[node] * bill->ns_per_tick };
}

/* ---- Alignment ---- */

struct couple { /* N consecutive nodes of each DAG, from these on */
    uint32_t first[2], n, depth;
    size_t around; /* the innermost listed pair around them */
};

#define NO_PAIR SIZE_MAX /* around no pair */

struct couple_walk {
    const struct weft_dag *const *dags;
    const struct weft_dag_bill *const *bills;
    struct couple *couples;
    size_t n, capacity;
    struct weft_dag_pairs *out;
    size_t out_capacity;
    size_t *around; /* [out->n]: the pair around each, whose index is lower, or NO_PAIR */
    size_t around_capacity;
    bool orders; /* one of the DAGs has orders */
};

static void push(struct couple_walk *walk, const uint32_t first[2], uint32_t n,
                 uint32_t depth, size_t around)
{
    walk->couples =
        weft_grow(walk->couples, &walk->capacity, walk->n + 1, sizeof *walk->couples);
    walk->couples[walk->n++] = (struct couple){ { first[0], first[1] }, n, depth, around };
}

/* Returns the index of the new pair. */
static size_t add_pair(struct couple_walk *walk, const uint32_t node[2], uint32_t depth,
                       bool differs, size_t around)
{
    struct weft_dag_pairs *out = walk->out;
    struct weft_dag_costs a = weft_dag_bill_of(walk->bills[0], node[0]);
    struct weft_dag_costs b = weft_dag_bill_of(walk->bills[1], node[1]);
    out->list = weft_grow(out->list, &walk->out_capacity, out->n + 1, sizeof *out->list);
    walk->around =
        weft_grow(walk->around, &walk->around_capacity, out->n + 1, sizeof *walk->around);
    walk->around[out->n] = around;
    out->list[out->n] = (struct weft_dag_pair){
        .node = { node[0], node[1] },
        .depth = depth,
        .differs = differs,
        .own = { b.work - a.work, b.waiting - a.waiting, b.delay - a.delay,
                 b.no_work - a.no_work },
    };
    out->differing += differs;
    return out->n++;
}

/* Takes the costs of pairs inside from those of the pairs around them.  A pair is listed
   before all that are inside. */
static void find_own(struct couple_walk *walk)
{
    struct weft_dag_pairs *out = walk->out;
    for (size_t i = out->n; i-- > 0;) {
        struct weft_dag_pair *pair = &out->list[i];
        if (walk->around[i] != NO_PAIR)
            out->list[walk->around[i]].inside |= pair->differs || pair->inside;
    }
    for (size_t i = 0; i < out->n; i++) {
        const struct weft_dag_costs *own = &out->list[i].own;
        struct weft_dag_costs *outer =
            walk->around[i] == NO_PAIR ? NULL : &out->list[walk->around[i]].own;
        if (!outer)
            continue;
        outer->work -= own->work;
        outer->waiting -= own->waiting;
        outer->delay -= own->delay;
        outer->no_work -= own->no_work;
    }
    for (size_t i = 0; i < out->n; i++) {
        const struct weft_dag_costs *own = &out->list[i].own;
        out->list[i].change =
            fabs(own->work) + fabs(own->waiting) + fabs(own->delay) + fabs(own->no_work);
    }
}

/* Returns true if ORDER, into a node, comes from a task that was created in the section of
   that node or of its create; *PLACE is then the create's among the section's children. */
static bool is_sibling(const struct weft_dag *dag, const struct weft_dag_order *order,
                       uint32_t *place)
{
    struct weft_dag_node after, before, create, section;
    weft_dag_shape(dag, order->after, &after);
    if (after.kind == WEFT_DAG_TASK && after.parent != WEFT_NONE)
        weft_dag_shape(dag, after.parent, &after);
    weft_dag_shape(dag, order->before, &before);
    if (before.parent == WEFT_NONE || after.parent == WEFT_NONE)
        return false;
    weft_dag_shape(dag, before.parent, &create);
    if (create.parent != after.parent)
        return false;
    weft_dag_shape(dag, after.parent, &section);
    *place = before.parent - section.first;
    return true;
}

/* Finds the next order into NODE between siblings, from row *ROW on; returns false at the
   end. */
static bool next_order(const struct weft_dag *dag, uint32_t node, uint64_t *row,
                       uint32_t *place, enum weft_dag_order_kind *kind)
{
    struct weft_dag_order order;
    for (; *row < weft_dag_orders(dag); ++*row) {
        if (!weft_dag_order(dag, *row, &order))
            continue;
        if (order.after != node)
            return false;
        if (is_sibling(dag, &order, place)) {
            *kind = order.kind;
            ++*row;
            return true;
        }
    }
    return false;
}

/* Compares the orders into two nodes.  Orders between sections are left out, since
   contraction may have dropped them in one run. */
static bool orders_differ(const struct couple_walk *walk, const uint32_t node[2])
{
    uint64_t rows[2];
    for (int i = 0; i < 2; i++)
        rows[i] = weft_dag_orders_into(walk->dags[i], node[i]);
    for (;;) {
        uint32_t places[2] = { 0 };
        enum weft_dag_order_kind kinds[2] = { 0 };
        bool more[2];
        for (int i = 0; i < 2; i++)
            more[i] = next_order(walk->dags[i], node[i], &rows[i], &places[i], &kinds[i]);
        if (!more[0] && !more[1])
            return false;
        if (more[0] != more[1] || places[0] != places[1] || kinds[0] != kinds[1])
            return true;
    }
}

/* Compares the insides of two nodes, of which at least one is contracted or a leaf, by
   counts. */
static bool counts_differ(const struct couple_walk *walk, const uint32_t node[2])
{
    struct weft_dag_node a, b;
    weft_dag_node(walk->dags[0], node[0], &a);
    weft_dag_node(walk->dags[1], node[1], &b);
    return memcmp(a.leaves, b.leaves, sizeof a.leaves) != 0;
}

static void look_at(struct couple_walk *walk, const uint32_t node[2], uint32_t depth,
                    size_t around)
{
    struct weft_dag_node a, b;
    weft_dag_shape(walk->dags[0], node[0], &a);
    weft_dag_shape(walk->dags[1], node[1], &b);
    walk->out->aligned++;
    bool makes[2] = { a.created != WEFT_NONE, b.created != WEFT_NONE };
    bool differs = a.kind != b.kind || makes[0] != makes[1];
    if (a.n && b.n)
        differs |= a.n != b.n;
    else if (a.kind >= WEFT_DAG_LEAF_KINDS && a.kind == b.kind)
        differs |= counts_differ(walk, node);
    if (walk->orders)
        differs |= orders_differ(walk, node);
    size_t inner = around;
    if (a.kind >= WEFT_DAG_LEAF_KINDS && a.kind == b.kind)
        inner = add_pair(walk, node, depth, differs, around);
    else if (differs)
        add_pair(walk, node, depth, differs, around);
    if (a.kind != b.kind)
        return;
    const uint32_t tasks[2] = { a.created, b.created }, children[2] = { a.first, b.first };
    if (makes[0] && makes[1])
        push(walk, tasks, 1, depth + 1, inner);
    if (a.n && b.n)
        push(walk, children, a.n < b.n ? a.n : b.n, depth + 1, inner);
}

/* Pairs the children of two nodes, up to the first two of different kinds. */
static void look_at_couple(struct couple_walk *walk, struct couple couple)
{
    for (uint32_t i = 0; i < couple.n; i++) {
        uint32_t node[2] = { couple.first[0] + i, couple.first[1] + i };
        struct weft_dag_node a, b;
        look_at(walk, node, couple.depth, couple.around);
        weft_dag_shape(walk->dags[0], node[0], &a);
        weft_dag_shape(walk->dags[1], node[1], &b);
        if (a.kind != b.kind)
            return;
    }
}

static int compare_pairs(const void *left, const void *right)
{
    const struct weft_dag_pair *a = left, *b = right;
    return WEFT_COMPARE(b->change, a->change) ?: WEFT_COMPARE(a->node[0], b->node[0]);
}

bool weft_dag_compare(const struct weft_dag *const dags[2],
                      const struct weft_dag_bill *const bills[2], struct weft_job *job,
                      struct weft_dag_pairs *out, struct weft_err *err)
{
    struct couple_walk walk = { .dags = dags, .bills = bills, .out = out };
    uint32_t n = weft_dag_size(dags[0]);
    bool ok = true;
    *out = (struct weft_dag_pairs){ 0 };
    walk.orders = weft_dag_orders(dags[0]) + weft_dag_orders(dags[1]) > 0;
    push(&walk, (const uint32_t[]){ 0, 0 }, 1, 0, NO_PAIR);
    for (uint64_t i = 0; ok && walk.n; i++) {
        look_at_couple(&walk, walk.couples[--walk.n]);
        ok = i % STEP || weft_job_step(job, out->aligned, n, err);
    }
    if (ok)
        find_own(&walk);
    free(walk.couples);
    free(walk.around);
    if (ok && out->n)
        qsort(out->list, out->n, sizeof *out->list, compare_pairs);
    if (!ok)
        weft_dag_pairs_free(out);
    return ok;
}

void weft_dag_pairs_free(struct weft_dag_pairs *pairs)
{
    free(pairs->list);
    *pairs = (struct weft_dag_pairs){ 0 };
}
