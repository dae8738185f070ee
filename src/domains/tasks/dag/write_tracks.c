/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes leaves and contracted nodes as states on the tracks of their workers, and the
 * numbers of running and ready nodes as variables: begins and ends are sorted by time and
 * processed in one pass.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/tasks/dag/write_priv.h"

enum boundary_kind { BEGINS, ENDS, IS_READY, STARTS_LAST, WAITS, WAITED };

struct leaf { /* a leaf or contracted node */
    int64_t end;
    uint32_t node, share, site; /* share: WEFT_NONE for a node that counts as one */
    int32_t worker;
    uint8_t kind, in_edge;
};

/* Average numbers of nodes that one counts as that is contracted or waited inside. */
struct node_weight {
    double running, ready[WEFT_DAG_EDGES];
};

static uint32_t new_type(const struct weft_dag_target *target, enum weft_kind kind,
                         uint32_t parent, const char *name, enum weft_role role)
{
    return weft_builder_type(target->builder, &(struct weft_type){ .kind = kind,
                                                                   .parent = parent,
                                                                   .name = name,
                                                                   .role = role,
                                                                   .start_type = WEFT_NONE,
                                                                   .end_type = WEFT_NONE });
}

static void define_states(struct dag_tracks *tracks)
{
    static const struct {
        const char *name;
        enum weft_role role;
    } kinds[WEFT_DAG_KINDS] = {
        [WEFT_DAG_CREATE] = { "create", WEFT_ROLE_BEFORE_CREATE },
        [WEFT_DAG_WAIT] = { "wait", WEFT_ROLE_BEFORE_WAIT },
        [WEFT_DAG_OTHER] = { "other", WEFT_ROLE_BEFORE_OTHER },
        [WEFT_DAG_END] = { "end", WEFT_ROLE_BEFORE_END },
        [WEFT_DAG_SECTION] = { "contracted section", WEFT_ROLE_WHOLE_SECTION },
        [WEFT_DAG_TASK] = { "contracted task", WEFT_ROLE_WHOLE_TASK },
    };
    struct weft_builder *builder = tracks->target.builder;
    tracks->state_type = new_type(&tracks->target, WEFT_STATE, tracks->target.worker_type,
                                  "Task interval", WEFT_ROLE_TASK_INTERVAL);
    for (int k = 0; k < WEFT_DAG_KINDS; k++) {
        tracks->values[k] =
            weft_builder_value(builder, tracks->state_type, kinds[k].name, NULL, 0);
        weft_builder_value_role(builder, tracks->values[k], kinds[k].role);
    }
    tracks->node_field =
        weft_builder_field(builder, tracks->state_type, "node", WEFT_FIELD_INTEGER);
    weft_builder_field_role(builder, tracks->node_field, WEFT_ROLE_NODE);
    weft_builder_index_field(builder, tracks->node_field);
    tracks->site_field =
        weft_builder_field(builder, tracks->state_type, "site", WEFT_FIELD_SITE);
    weft_builder_field_role(builder, tracks->site_field, WEFT_ROLE_SITE);
}

static void define_variables(struct dag_tracks *tracks)
{
    static const struct {
        const char *name;
        enum weft_role role;
    } kinds[WEFT_DAG_EDGES] = {
        [WEFT_DAG_EDGE_END] = { "Ready after end", WEFT_ROLE_READY_AFTER_END },
        [WEFT_DAG_EDGE_CREATE] = { "Ready after create", WEFT_ROLE_READY_AFTER_CREATE },
        [WEFT_DAG_EDGE_CREATE_CONTINUATION] = { "Ready in creator",
                                                WEFT_ROLE_READY_IN_CREATOR },
        [WEFT_DAG_EDGE_WAIT_CONTINUATION] = { "Ready after wait",
                                              WEFT_ROLE_READY_AFTER_WAIT },
        [WEFT_DAG_EDGE_OTHER_CONTINUATION] = { "Ready after other",
                                               WEFT_ROLE_READY_AFTER_OTHER },
    };
    uint32_t process = tracks->target.process_type;
    tracks->running = new_type(&tracks->target, WEFT_VARIABLE, process, "Running nodes",
                               WEFT_ROLE_RUNNING_NODES);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        tracks->ready[k] =
            new_type(&tracks->target, WEFT_VARIABLE, process, kinds[k].name, kinds[k].role);
}

void dag_tracks_begin(struct dag_tracks *tracks, const struct weft_dag_target *target)
{
    uint32_t *workers = weft_alloc(target->n_workers * sizeof *workers);
    memcpy(workers, target->workers, target->n_workers * sizeof *workers);
    tracks->target = *target;
    tracks->target.workers = workers;
    tracks->folder = weft_builder_folder(target->builder);
    weft_sort_runs_begin(&tracks->moments, tracks->folder);
    weft_spill_init(&tracks->leaves);
    weft_spill_init(&tracks->shares);
    define_states(tracks);
    define_variables(tracks);
}

void dag_tracks_end(struct dag_tracks *tracks)
{
    weft_sort_runs_end(&tracks->moments);
    weft_spill_free(&tracks->leaves);
    weft_spill_free(&tracks->shares);
    free((uint32_t *)tracks->target.workers);
}

static void add_moment(struct dag_tracks *tracks, int64_t time, enum boundary_kind moment)
{
    weft_sort_runs_add(&tracks->moments, (uint64_t)time ^ UINT64_C(1) << 63,
                       tracks->n_leaves << 3 | moment);
}

void dag_tracks_add_wait(struct dag_tracks *tracks, uint32_t worker, int64_t begin,
                         int64_t end)
{
    const uint64_t flip = UINT64_C(1) << 63;

    weft_sort_runs_add(&tracks->moments, (uint64_t)begin ^ flip,
                       (uint64_t)worker << 3 | WAITS);
    weft_sort_runs_add(&tracks->moments, (uint64_t)end ^ flip,
                       (uint64_t)worker << 3 | WAITED);
    tracks->waits = true;
}

/* Adds the averages of a node; returns its index among the shares. */
static uint32_t add_share(struct dag_tracks *tracks, const struct weft_dag_node *node)
{
    struct node_weight share = { 0 };
    if (node->end > node->begin)
        share.running = (double)node->work / (double)(node->end - node->begin);
    for (int k = 0; k < WEFT_DAG_EDGES && node->last_start > node->first_ready; k++)
        share.ready[k] =
            (double)node->ready[k] / (double)(node->last_start - node->first_ready);
    weft_spill_append(&tracks->shares, tracks->folder, &share, sizeof share);
    return tracks->n_shares++;
}

void dag_tracks_add(struct dag_tracks *tracks, uint32_t number,
                    const struct weft_dag_node *node)
{
    bool whole = node->kind < WEFT_DAG_LEAF_KINDS && node->waiting == 0;
    struct leaf leaf = { .end = node->end,
                         .node = number,
                         .share = whole ? WEFT_NONE : add_share(tracks, node),
                         .site = node->begin_site,
                         .worker = node->worker,
                         .kind = (uint8_t)node->kind,
                         .in_edge = (uint8_t)node->in_edge };
    weft_spill_append(&tracks->leaves, tracks->folder, &leaf, sizeof leaf);
    tracks->overhead += (__int128)node->end - node->begin - node->work - node->waiting;
    add_moment(tracks, node->begin, BEGINS);
    if (node->end > node->begin)
        add_moment(tracks, node->end, ENDS);
    if (node->last_start > node->first_ready) {
        add_moment(tracks, node->first_ready, IS_READY);
        add_moment(tracks, node->last_start, STARTS_LAST);
    }
    tracks->n_leaves++;
}

/* ---- Variables ---- */

enum { VARIABLES = 1 + WEFT_DAG_EDGES };

/*
 * The sum over open nodes.  Nodes that count as one are counted; the shares of the others
 * are summed separately and reset to 0 when none is open, so that rounding errors do not
 * accumulate.
 */
struct level {
    uint32_t track;
    int64_t whole, shared;
    double shares, written;
};

static void change(struct level *level, const struct leaf *leaf, double share, int sign)
{
    if (leaf->share == WEFT_NONE) {
        level->whole += sign;
    } else if (share > 0) {
        level->shared += sign;
        level->shares = level->shared ? level->shares + sign * share : 0;
    }
}

/* ---- States ---- */

/* A state to be pushed: a leaf, or the rest of it after a state that it overlaps. */
struct pending_state {
    int64_t begin, end;
    const struct leaf *leaf;
    uint32_t parts; /* parts of the leaf pushed so far */
};

/* Limit of the parts of a leaf.  In a real run it has one or two; in a file where all
   leaves overlap there would be n^2. */
enum { MAX_PARTS = 64 };

struct worker {
    uint32_t track;
    int64_t *ends; /* ends of the open states, outermost first */
    size_t depth, capacity;
    struct pending_state *late; /* to be pushed later: a heap, earliest first */
    size_t n_late, late_capacity;
    int64_t n_running, n_waits; /* its nodes that run, and its open waits for tasks */
};

struct spread {
    const struct dag_tracks *tracks;
    struct weft_builder *builder;
    const struct leaf *leaves;
    const struct node_weight *shares;
    struct level levels[VARIABLES];
    struct worker *workers;
    struct pending_state *now; /* leaves that begin at this time */
    size_t n_now, now_capacity;
    int64_t n_workers, n_running, n_ready; /* now; contracted nodes count as one */
    int64_t n_waiting;                     /* workers that wait for tasks now */
    __int128 delay, no_work, waits;        /* ticks so far */
    struct level waiting;                  /* the variable of n_waiting, if any waits */
    uint64_t left_out;                     /* states that do not fit on a track */
};

/* By begin; equal begins by end, the longer state first. */
static int compare_pending(const void *left, const void *right)
{
    const struct pending_state *a = left, *b = right;
    return WEFT_COMPARE(a->begin, b->begin) ?: WEFT_COMPARE(b->end, a->end)
           ?: WEFT_COMPARE(a->leaf->node, b->leaf->node);
}

static void swap_late(struct pending_state *a, struct pending_state *b)
{
    struct pending_state kept = *a;
    *a = *b;
    *b = kept;
}

static void push_later(struct worker *worker, struct pending_state rest)
{
    worker->late = weft_grow(worker->late, &worker->late_capacity, worker->n_late + 1,
                             sizeof *worker->late);
    size_t i = worker->n_late++;
    worker->late[i] = rest;
    for (; i && compare_pending(&worker->late[i], &worker->late[(i - 1) / 2]) < 0;
         i = (i - 1) / 2)
        swap_late(&worker->late[i], &worker->late[(i - 1) / 2]);
}

static struct pending_state pop_late(struct worker *worker)
{
    struct pending_state first = worker->late[0];
    worker->late[0] = worker->late[--worker->n_late];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < worker->n_late;
             child++)
            if (compare_pending(&worker->late[child], &worker->late[least]) < 0)
                least = child;
        if (least == i)
            return first;
        swap_late(&worker->late[i], &worker->late[least]);
        i = least;
    }
}

/*
 * Pushes a state; the states of a track must nest.  If a contracted node overlaps a state
 * without containing it, the part after the end of that state becomes a second state of the
 * same node.
 */
static void push(struct spread *spread, struct worker *worker, struct pending_state next)
{
    const struct dag_tracks *tracks = spread->tracks;
    if (worker->depth && next.end > worker->ends[worker->depth - 1]) {
        struct pending_state rest = next;
        next.end = rest.begin = worker->ends[worker->depth - 1];
        if (++rest.parts < MAX_PARTS)
            push_later(worker, rest);
        else
            spread->left_out++;
    }
    struct weft_field_value fields[2] = {
        { .field = tracks->node_field, .integer = next.leaf->node },
        { .field = tracks->site_field, .index = next.leaf->site },
    };
    if (weft_builder_push(spread->builder, worker->track, next.begin,
                          tracks->values[next.leaf->kind], fields,
                          next.leaf->site == WEFT_NONE ? 1 : 2, NULL)
        != WEFT_BUILD_OK) { /* deeper than a track can be, which no real run is */
        spread->left_out++;
        return;
    }
    worker->ends =
        weft_grow(worker->ends, &worker->capacity, worker->depth + 1, sizeof *worker->ends);
    worker->ends[worker->depth++] = next.end;
}

/* Pops states that end by TIME, and pushes the rests that begin by then. */
static void advance(struct spread *spread, struct worker *worker, int64_t time)
{
    for (;;) {
        bool rest = worker->n_late && worker->late[0].begin <= time;
        bool end = worker->depth && worker->ends[worker->depth - 1] <= time;
        if (end && (!rest || worker->ends[worker->depth - 1] <= worker->late[0].begin))
            (void)weft_builder_pop(spread->builder, worker->track,
                                   worker->ends[--worker->depth], NULL);
        else if (rest)
            push(spread, worker, pop_late(worker));
        else
            return;
    }
}

static struct worker *worker_of(struct spread *spread, const struct leaf *leaf)
{
    struct worker *worker = &spread->workers[leaf->worker];
    if (worker->track == WEFT_NONE)
        worker->track = weft_builder_track(spread->builder,
                                           spread->tracks->target.workers[leaf->worker],
                                           spread->tracks->state_type);
    return worker;
}

/*
 * Pushes the states that begin at TIME and writes the variables, after all changes at TIME.
 */
static void settle(struct spread *spread, int64_t time)
{
    if (spread->n_now > 1)
        qsort(spread->now, spread->n_now, sizeof *spread->now, compare_pending);
    for (size_t i = 0; i < spread->n_now; i++) {
        struct worker *worker = worker_of(spread, spread->now[i].leaf);
        advance(spread, worker, time);
        push(spread, worker, spread->now[i]);
    }
    spread->n_now = 0;
    if (spread->tracks->waits && (double)spread->n_waiting != spread->waiting.written) {
        spread->waiting.written = (double)spread->n_waiting;
        (void)weft_builder_sample(spread->builder, spread->waiting.track, time,
                                  spread->waiting.written);
    }
    for (int v = 0; v < VARIABLES; v++) {
        struct level *level = &spread->levels[v];
        double value = (double)level->whole + level->shares;
        if (value != level->written)
            (void)weft_builder_sample(spread->builder, level->track, time, value);
        level->written = value;
    }
}

/* Adds TICKS without any change to the totals. */
static void pass(struct spread *spread, int64_t ticks)
{
    int64_t idle = spread->n_workers - spread->n_running;
    int64_t waiting = spread->n_waiting < idle ? spread->n_waiting : idle;
    if (waiting > 0) {
        spread->waits += (__int128)waiting * ticks;
        idle -= waiting;
    }
    int64_t delayed = idle < spread->n_ready ? idle : spread->n_ready;
    /* In a wrong trace more nodes may run than there are workers. */
    spread->delay += (__int128)(delayed > 0 ? delayed : 0) * ticks;
    spread->no_work +=
        (__int128)(idle > spread->n_ready ? idle - spread->n_ready : 0) * ticks;
}

/* Changes how many nodes a worker runs and how many waits it is in. */
static void change_worker(struct spread *spread, uint64_t number, int running, int waits)
{
    struct worker *worker = &spread->workers[number];
    spread->n_waiting -= worker->n_waits > 0 && worker->n_running == 0;
    worker->n_running += running;
    worker->n_waits += waits;
    spread->n_waiting += worker->n_waits > 0 && worker->n_running == 0;
}

static void happen(struct spread *spread, int64_t time, uint64_t payload)
{
    enum boundary_kind moment = (enum boundary_kind)(payload & 7);
    if (moment >= WAITS) {
        change_worker(spread, payload >> 3, 0, moment == WAITS ? 1 : -1);
        return;
    }
    const struct leaf *leaf = &spread->leaves[payload >> 3];
    const struct node_weight *share =
        leaf->share == WEFT_NONE ? NULL : &spread->shares[leaf->share];
    int sign = moment == BEGINS || moment == IS_READY ? 1 : -1;
    if (moment == BEGINS && leaf->worker >= 0) {
        spread->now = weft_grow(spread->now, &spread->now_capacity, spread->n_now + 1,
                                sizeof *spread->now);
        spread->now[spread->n_now++] = (struct pending_state){ time, leaf->end, leaf, 0 };
    }
    if (moment <= ENDS) {
        if (moment == ENDS || leaf->end > time) {
            change(&spread->levels[0], leaf, share ? share->running : 0, sign);
            spread->n_running += sign;
            if (leaf->worker >= 0)
                change_worker(spread, (uint64_t)leaf->worker, sign, 0);
        }
        return;
    }
    spread->n_ready += sign;
    if (!share) {
        change(&spread->levels[1 + leaf->in_edge], leaf, 0, sign);
    } else {
        for (int k = 0; k < WEFT_DAG_EDGES; k++)
            change(&spread->levels[1 + k], leaf, share->ready[k], sign);
    }
}

static bool go_through(struct spread *spread, struct weft_sort_runs *moments,
                       struct weft_job *job, struct weft_err *err)
{
    enum { STEP = 1 << 16 }; /* moments between two steps of the job: some milliseconds */
    struct weft_sort_item item;
    int64_t time = 0;
    for (uint64_t i = 0; weft_sort_runs_next(moments, &item); i++) {
        int64_t at = (int64_t)(item.key ^ UINT64_C(1) << 63);
        if (i && at != time) {
            settle(spread, time);
            pass(spread, at - time);
        }
        time = at;
        happen(spread, time, item.payload);
        if (i % STEP == 0 && !weft_job_step(job, i, moments->count, err))
            return false;
    }
    settle(spread, time);
    for (uint32_t w = 0; w < spread->tracks->target.n_workers; w++)
        advance(spread, &spread->workers[w], INT64_MAX);
    return true;
}

/* Writes the totals of delay and no-work, and of waits for tasks if there are any. */
static void put_shares(const struct spread *spread)
{
    const struct weft_dag_target *target = &spread->tracks->target;
    static const struct {
        const char *name;
        enum weft_role role;
    } fields[3] = { { "delay", WEFT_ROLE_DELAY },
                    { "no work", WEFT_ROLE_NO_WORK },
                    { "waits for tasks", WEFT_ROLE_TASK_WAITS } };
    __int128 ticks[3] = { spread->delay + spread->tracks->overhead, spread->no_work,
                          spread->waits };
    for (int i = 0; i < 2 + spread->tracks->waits; i++) {
        uint32_t field = weft_builder_field(spread->builder, target->process_type,
                                            fields[i].name, WEFT_FIELD_INTEGER);
        weft_builder_field_role(spread->builder, field, fields[i].role);
        int64_t value = ticks[i] < 0                 ? 0
                        : ticks[i] < WEFT_TIME_LIMIT ? (int64_t)ticks[i]
                                                     : WEFT_TIME_LIMIT - 1;
        weft_builder_container_field(
            spread->builder, target->process,
            &(struct weft_field_value){ .field = field, .integer = value });
    }
}

static void begin_spread(struct spread *spread)
{
    const struct dag_tracks *tracks = spread->tracks;
    const struct weft_dag_target *target = &tracks->target;
    spread->builder = target->builder;
    for (int v = 0; v < VARIABLES; v++)
        spread->levels[v].track = weft_builder_track(
            target->builder, target->process, v ? tracks->ready[v - 1] : tracks->running);
    if (tracks->waits)
        spread->waiting.track = weft_builder_track(
            target->builder, target->process,
            new_type(target, WEFT_VARIABLE, target->process_type,
                     "Workers that wait for tasks", WEFT_ROLE_WAITING_WORKERS));
    spread->workers = weft_zalloc(target->n_workers, sizeof *spread->workers);
    for (uint32_t w = 0; w < target->n_workers; w++) {
        spread->workers[w].track = WEFT_NONE;
        spread->n_workers += target->workers[w] != WEFT_NONE;
    }
}

static void end_spread(struct spread *spread)
{
    for (uint32_t w = 0; w < spread->tracks->target.n_workers; w++) {
        free(spread->workers[w].ends);
        free(spread->workers[w].late);
    }
    free(spread->workers);
    free(spread->now);
}

bool dag_tracks_finish(struct dag_tracks *tracks, struct weft_job *job,
                       struct weft_err *err)
{
    struct spread spread = { .tracks = tracks };
    uint64_t size;
    if (!tracks->n_leaves)
        return true;
    if (!(spread.leaves = weft_spill_read(&tracks->leaves, &size, err))
        || !(spread.shares = weft_spill_read(&tracks->shares, &size, err))
        || !weft_sort_runs_merge(&tracks->moments, err))
        return false;
    begin_spread(&spread);
    bool ok = go_through(&spread, &tracks->moments, job, err);
    if (ok)
        put_shares(&spread);
    if (spread.left_out)
        weft_builder_problem(tracks->target.builder, WEFT_WARNING, "overlap-too-much", 0,
                             "nodes overlap with so many others of their worker that %llu "
                             "of them, or their ends, are missing on its timeline",
                             (unsigned long long)spread.left_out);
    end_spread(&spread);
    return ok;
}
