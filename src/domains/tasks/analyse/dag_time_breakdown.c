/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_time_breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/parallel.h"
#include "domains/tasks/analyse/dag_parallelism_over_time.h"
#include "store/build/sort_runs.h"
#include "store/time.h"

enum {
    STEP = 1 << 14
}; /* nodes, or moments, between two steps of the job: a millisecond */

/* The payload of a moment: the change that happens then. */
enum change { BEGINS, ENDS, IS_READY, STARTS_LAST };

static void add_moment(struct weft_sort_runs *moments, int64_t time, enum change change)
{
    weft_sort_runs_add(moments, (uint64_t)time ^ UINT64_C(1) << 63, change);
}

static int64_t area(int64_t height, int64_t ticks)
{
    int64_t product;
    if (__builtin_mul_overflow(height, ticks, &product))
        return height < 0 ? INT64_MIN : INT64_MAX;
    return product;
}

/* Ticks from the end of a create until its worker begins the new task or continues the old
   one. */
static int64_t delay_of_create(const struct weft_dag *dag, uint32_t number,
                               const struct weft_dag_node *create)
{
    struct weft_dag_arc arcs[WEFT_DAG_ARCS];
    size_t n = weft_dag_successors(dag, number, arcs);
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        struct weft_dag_node next;
        weft_dag_node(dag, arcs[i].to, &next);
        int64_t ticks = weft_ticks_between(create->end, next.begin);
        if (next.worker == create->worker && ticks >= 0 && ticks < least)
            least = ticks;
    }
    return create->worker < 0 || least == INT64_MAX ? 0 : least;
}

/* Sums of one part of the nodes. */
struct node_sums {
    int64_t rest;   /* sum of end - begin - work - waiting */
    int64_t lasted; /* sum of end - begin */
    int64_t create_delay;
    uint64_t lost; /* unreadable nodes */
    bool averages; /* some node counts in the variables with an average */
};

struct node_scan {
    const struct weft_dag *dag;
    struct weft_job *job;
    struct node_sums *sums; /* by part of STEP nodes */
};

static void look_at_node(const struct weft_dag *dag, uint32_t number,
                         struct node_sums *sums)
{
    struct weft_dag_node node;
    weft_dag_shape(dag, number, &node);
    if (node.n)
        return;
    weft_dag_node(dag, number, &node);
    if (weft_dag_is_lost(&node)) {
        sums->lost++;
        return;
    }
    int64_t rest = node.end - node.begin - node.work - node.waiting;
    bool contracted = node.kind >= WEFT_DAG_LEAF_KINDS;
    sums->rest = weft_ticks_add(sums->rest, rest);
    sums->lasted = weft_ticks_add(sums->lasted, node.end - node.begin);
    sums->averages |= contracted || node.waiting > 0;
    if (node.kind == WEFT_DAG_CREATE)
        sums->create_delay =
            weft_ticks_add(sums->create_delay, delay_of_create(dag, number, &node));
    else if (node.knows_inside)
        sums->create_delay = weft_ticks_add(sums->create_delay, node.create_delay);
    else if (contracted && node.worker >= 0 && rest > 0)
        sums->create_delay = weft_ticks_add(sums->create_delay, rest);
}

static void look_at_part(void *user, size_t index)
{
    struct node_scan *scan = user;
    uint32_t first = (uint32_t)index * STEP, left = weft_dag_size(scan->dag) - first;
    for (uint32_t i = first; i < first + (left < STEP ? left : STEP); i++)
        if (!weft_job_cancelled(scan->job))
            look_at_node(scan->dag, i, &scan->sums[index]);
    weft_mappings_rest(WEFT_MAPPED_MAX);
}

/*
 * Computes everything that needs no order of time; returns true if any node counts in the
 * store's variables with an average.
 */
static bool look_at_nodes(const struct weft_dag *dag, struct weft_job *job,
                          struct weft_dag_time *out)
{
    size_t n = weft_dag_size(dag) / STEP + 1;
    struct node_scan scan = { dag, job, weft_zalloc(n, sizeof *scan.sums) };
    bool averages = false;
    weft_parallel(n, 1, look_at_part, &scan);
    for (size_t i = 0; i < n; i++) {
        out->delay = weft_ticks_add(out->delay, scan.sums[i].rest);
        out->lasted = weft_ticks_add(out->lasted, scan.sums[i].lasted);
        out->create_delay = weft_ticks_add(out->create_delay, scan.sums[i].create_delay);
        out->lost += scan.sums[i].lost;
        averages |= scan.sums[i].averages;
    }
    if (!weft_dag_knows_creations(dag))
        out->create_delay = -1;
    free(scan.sums);
    return averages;
}

static void add_node(const struct weft_dag *dag, uint32_t number,
                     struct weft_sort_runs *moments)
{
    struct weft_dag_node node;
    weft_dag_shape(dag, number, &node);
    if (node.n)
        return;
    weft_dag_node(dag, number, &node);
    if (node.end > node.begin) {
        add_moment(moments, node.begin, BEGINS);
        add_moment(moments, node.end, ENDS);
    }
    if (node.last_start > node.first_ready) {
        add_moment(moments, node.first_ready, IS_READY);
        add_moment(moments, node.last_start, STARTS_LAST);
    }
}

/* Integrates over the moments in the span of the root. */
struct sweep {
    int64_t running, ready, from;
    struct weft_span span;
    struct weft_dag_time *out;
};

static void pass(struct sweep *sweep, int64_t until)
{
    until = until < sweep->span.end ? until : sweep->span.end;
    if (until <= sweep->from)
        return;
    struct weft_dag_time *out = sweep->out;
    int64_t ticks = until - sweep->from, free = (int64_t)out->workers - sweep->running;
    out->delay =
        weft_ticks_add(out->delay, area(free < sweep->ready ? free : sweep->ready, ticks));
    if (free > sweep->ready)
        out->no_work = weft_ticks_add(out->no_work, area(free - sweep->ready, ticks));
    sweep->from = until;
}

static bool integrate_moments(struct weft_sort_runs *moments, struct sweep *sweep,
                              struct weft_job *job, struct weft_err *err)
{
    struct weft_sort_item item;
    if (!weft_sort_runs_merge(moments, err))
        return false;
    for (uint64_t i = 0; weft_sort_runs_next(moments, &item); i++) {
        pass(sweep, (int64_t)(item.key ^ UINT64_C(1) << 63));
        switch ((enum change)item.payload) {
        case BEGINS: sweep->running++; break;
        case ENDS: sweep->running--; break;
        case IS_READY: sweep->ready++; break;
        case STARTS_LAST: sweep->ready--; break;
        }
        if (i % STEP == 0 && !weft_job_step(job, i, moments->count, err))
            return false;
    }
    pass(sweep, sweep->span.end);
    return true;
}

/*
 * Counts running and ready nodes from the nodes themselves.  A node that is contracted, or
 * waited inside, counts as one, while the store's variables have its average.
 */
static bool integrate_nodes(const struct weft_dag *dag, struct sweep *sweep,
                            struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(dag);
    struct weft_sort_runs moments;
    weft_sort_runs_begin(&moments, weft_temporary_folder());
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        add_node(dag, i, &moments);
        ok = i % STEP || weft_job_step(job, i, 2 * (uint64_t)n, err);
    }
    ok = ok && integrate_moments(&moments, sweep, job, err);
    weft_sort_runs_end(&moments);
    return ok;
}

struct sweep_job {
    struct sweep *sweep;
    struct weft_job *job;
    uint64_t n;
};

/* A variable's value as a number of nodes; in a damaged store it may be anything. */
static int64_t count_of(double value)
{
    return value > 0 && value <= UINT32_MAX ? (int64_t)value : 0;
}

static bool follow(void *user, int64_t time, const double values[WEFT_DAG_CURVES])
{
    struct sweep_job *following = user;
    struct sweep *sweep = following->sweep;
    pass(sweep, time);
    sweep->running = count_of(values[WEFT_DAG_ACTUAL]);
    sweep->ready = 0;
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        sweep->ready += count_of(values[WEFT_DAG_AVAILABLE + k]);
    return ++following->n % STEP || !weft_job_cancelled(following->job);
}

/* The number of unreadable parts of the variables for running and ready nodes. */
static uint64_t count_damage(const struct weft_dag *dag, const struct weft_source *source)
{
    uint64_t lost = 0;
    size_t n = source->ops->damage(source, 0, NULL, 0);
    struct weft_damage *list = weft_alloc((n + 1) * sizeof *list);
    size_t found = source->ops->damage(source, 0, list, n);
    for (size_t i = 0; i < n && i < found; i++) {
        if (list[i].what != WEFT_DAMAGED_ENTITIES || list[i].track == WEFT_NONE)
            continue;
        bool is_one = list[i].track == weft_dag_running(dag);
        for (int k = 0; k < WEFT_DAG_EDGES; k++)
            is_one |= list[i].track == weft_dag_ready(dag, (enum weft_dag_edge)k);
        lost += is_one;
    }
    free(list);
    return lost;
}

/*
 * Where no node counts with an average, the store's variables are these counts, sorted by
 * time already.
 */
static bool integrate_variables(const struct weft_dag *dag,
                                const struct weft_source *source, struct sweep *sweep,
                                struct weft_job *job, struct weft_err *err)
{
    struct sweep_job following = { .sweep = sweep, .job = job };
    struct weft_dag_profile *profile =
        weft_dag_profile_new(dag, source, WEFT_DAG_ALL_DEPTHS, job, err);
    if (!profile)
        return false;
    weft_dag_profile_changes(profile, sweep->span, follow, &following);
    pass(sweep, sweep->span.end);
    weft_dag_profile_free(profile);
    sweep->out->lost += count_damage(dag, source);
    return weft_job_step(job, 1, 1, err);
}

/* Takes delay and no-work as the trace stores them, beside which are the waits for tasks.
   Returns false, without effect, if it has none of these. */
static bool take_shares(const struct weft_dag *dag, const struct weft_source *source,
                        struct weft_dag_time *out)
{
    struct weft_dag_shares shares;
    if (!weft_dag_shares(dag, &shares) || shares.task_waits == 0)
        return false;
    out->waiting = shares.waiting;
    out->task_waits = shares.task_waits;
    out->delay = shares.delay;
    out->no_work = shares.no_work;
    out->lost += count_damage(dag, source);
    return true;
}

bool weft_dag_time_read(const struct weft_dag *dag, const struct weft_source *source,
                        struct weft_job *job, struct weft_dag_time *out,
                        struct weft_err *err)
{
    struct weft_dag_node root;
    weft_dag_node(dag, 0, &root);
    *out = (struct weft_dag_time){ .workers = weft_dag_workers(dag),
                                   .elapsed = root.end - root.first_ready,
                                   .work = root.work,
                                   .waiting = root.waiting,
                                   .critical_path = root.critical_path };
    struct sweep sweep = { .from = root.first_ready,
                           .span = { root.first_ready, root.end },
                           .out = out };
    bool averages = look_at_nodes(dag, job, out);
    if (take_shares(dag, source, out))
        return weft_job_step(job, 1, 1, err);
    return averages ? integrate_nodes(dag, &sweep, job, err)
                    : integrate_variables(dag, source, &sweep, job, err);
}

/* The last sample of a track that counts from the thread's begin; 0 if it has none. */
static double last_sample(const struct weft_source *source, uint32_t track)
{
    uint64_t count = source->schema->tracks[track].count;
    struct weft_run run = { 0 };
    if (!count)
        return 0;
    source->ops->run(source, track, count - 1, &run);
    bool found = count - 1 >= run.first && count - 1 - run.first < run.n;
    return found ? run.samples[count - 1 - run.first].value : 0;
}

int64_t weft_dag_processor_time(const struct weft_dag *dag,
                                const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    double seconds = 0;
    bool known = false;
    for (uint32_t w = 0; w < weft_dag_worker_limit(dag); w++) {
        uint32_t container = weft_dag_worker_container(dag, w);
        if (container == WEFT_NONE)
            continue;
        uint32_t position = schema->containers[container].order;
        for (uint32_t i = schema->track_begin[position];
             i < schema->track_begin[position + 1]; i++) {
            uint32_t t = schema->track_at[i];
            if (weft_role_is(schema->types[schema->tracks[t].type].role,
                             WEFT_ROLE_PROCESSOR_TIME)) {
                seconds += last_sample(source, t);
                known = true;
            }
        }
    }
    return known && seconds >= 0 && seconds < 4e9 ? (int64_t)(seconds * 1e9) : -1;
}

/* ---- Steals ---- */

/* A part of the nodes, handled by one thread. */
struct steal_list {
    struct weft_dag_steal *list;
    size_t n, capacity;
};

struct arc_scan {
    const struct weft_dag *dag;
    struct weft_job *job;
    struct steal_list *parts;
    struct weft_dag_joins *joins;
};

/* Returns true if BEFORE made NEXT ready.  A contracted section contains the tasks that it
   joins, so its successor waited for nothing else. */
static bool makes_ready(const struct weft_dag_node *before, struct weft_dag_arc arc,
                        const struct weft_dag_node *next)
{
    if (before->kind == WEFT_DAG_SECTION)
        return true;
    return arc.kind == next->in_edge && before->end == next->first_ready;
}

/* Adds a steal if another worker continued where BEFORE had ended. */
static void look_at_arc(const struct arc_scan *scan, struct steal_list *steals,
                        const struct weft_dag_node *before, struct weft_dag_arc arc)
{
    struct weft_dag_node next;
    weft_dag_node(scan->dag, arc.to, &next);
    if (before->worker < 0 || next.worker < 0 || before->worker == next.worker
        || !makes_ready(before, arc, &next))
        return;
    uint32_t task = weft_dag_task_of(scan->dag, arc.to, scan->joins);
    steals->list =
        weft_grow(steals->list, &steals->capacity, steals->n + 1, sizeof *steals->list);
    steals->list[steals->n++] =
        (struct weft_dag_steal){ .node = arc.to,
                                 .task = task == WEFT_NONE ? 0 : task,
                                 .from = before->worker,
                                 .by = next.worker,
                                 .ready = next.first_ready,
                                 .begin = next.begin,
                                 .edge = next.in_edge };
}

static void search_part(void *user, size_t index)
{
    struct arc_scan *scan = user;
    uint32_t first = (uint32_t)index * STEP, left = weft_dag_size(scan->dag) - first;
    for (uint32_t i = first; i < first + (left < STEP ? left : STEP); i++) {
        struct weft_dag_node node;
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        weft_dag_shape(scan->dag, i, &node);
        if (node.n || weft_job_cancelled(scan->job))
            continue;
        weft_dag_node(scan->dag, i, &node);
        size_t n = weft_dag_successors_of_many(scan->dag, i, scan->joins, arcs);
        for (size_t a = 0; a < n; a++)
            look_at_arc(scan, &scan->parts[index], &node, arcs[a]);
    }
}

static int compare_node(const void *left, const void *right)
{
    const struct weft_dag_steal *a = left, *b = right;
    return WEFT_COMPARE(a->node, b->node) ?: WEFT_COMPARE(a->from, b->from);
}

static int compare_begin(const void *left, const void *right)
{
    const struct weft_dag_steal *a = left, *b = right;
    return WEFT_COMPARE(a->begin, b->begin) ?: WEFT_COMPARE(a->node, b->node);
}

/*
 * Joins the lists.  If several tasks ended last at the same tick, the node is listed once.
 */
static void join_parts(struct steal_list *parts, size_t n_parts,
                       struct weft_dag_steals *out)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < n_parts; i++)
        n += parts[i].n;
    out->list = weft_alloc((n + 1) * sizeof *out->list);
    for (size_t i = 0, at = 0; i < n_parts; at += parts[i++].n)
        if (parts[i].n)
            memcpy(out->list + at, parts[i].list, parts[i].n * sizeof *out->list);
    qsort(out->list, n, sizeof *out->list, compare_node);
    for (size_t i = 0; i < n; i++)
        if (!kept || out->list[kept - 1].node != out->list[i].node)
            out->list[kept++] = out->list[i];
    qsort(out->list, kept, sizeof *out->list, compare_begin);
    out->n = kept;
}

bool weft_dag_steals_read(const struct weft_dag *dag, struct weft_job *job,
                          struct weft_dag_steals *out, struct weft_err *err)
{
    size_t n_parts = weft_dag_size(dag) / STEP + 1;
    struct arc_scan scan = { dag, job, weft_zalloc(n_parts, sizeof *scan.parts),
                             weft_dag_joins_new() };
    *out = (struct weft_dag_steals){ 0 };
    weft_parallel(n_parts, 1, search_part, &scan);
    bool ok = weft_job_step(job, 1, 1, err);
    if (ok)
        join_parts(scan.parts, n_parts, out);
    for (size_t i = 0; i < n_parts; i++)
        free(scan.parts[i].list);
    free(scan.parts);
    weft_dag_joins_free(scan.joins);
    return ok;
}

void weft_dag_steals_free(struct weft_dag_steals *steals)
{
    free(steals->list);
    *steals = (struct weft_dag_steals){ 0 };
}
