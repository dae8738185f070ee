/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maker of task DAGs, against a flat DAG: random programs run on random workers, and each
 * interval is written down with the edges into it (random_programs.h).  Every figure of every
 * node is then worked out from the leaves inside it and those edges alone.
 */
// clang-format off
// clang-format on

#include "random_programs.h"
#include "tests/test.h"

enum { PROGRAMS = 1000 };

/* ---- What the maker gives ---- */

struct made_dag {
    struct weft_dag_node *nodes;
    size_t n, capacity;
    struct weft_dag_tasks *tasks;
    size_t n_tasks;
};

static void free_made(struct made_dag *made)
{
    free(made->nodes);
    free(made->tasks);
}

static void take(void *user, const struct weft_dag_node *node)
{
    struct made_dag *made = user;

    made->nodes = weft_grow(made->nodes, &made->capacity, made->n + 1, sizeof *made->nodes);
    made->nodes[made->n++] = *node;
}

static struct made_dag replay(const struct program *program,
                              const struct weft_dag_contraction *contraction)
{
    struct weft_dag_maker *maker = weft_dag_maker_new(contraction);
    const struct weft_dag_tasks *tasks;
    struct made_dag made = { 0 };

    weft_dag_maker_counts(maker);
    program_replay(program, maker);
    assert_int_equal(weft_dag_make_finish(maker, 0), 0);
    tasks = weft_dag_make_tasks(maker, &made.n_tasks);
    made.tasks = weft_alloc((made.n_tasks + 1) * sizeof *tasks);
    if (made.n_tasks > 0)
        memcpy(made.tasks, tasks, made.n_tasks * sizeof *tasks);
    assert_int_equal(weft_dag_make_nodes(maker, take, &made), program->n_tasks > 0);
    if (made.n > 0)
        assert_int_equal(weft_dag_make_size(maker), made.n);
    weft_dag_maker_free(maker);
    return made;
}

static bool is_leaf(const struct weft_dag_node *node)
{
    return node->kind < WEFT_DAG_LEAF_KINDS;
}

/* What every reader of a DAG may rely on. */
static void check_shape(const struct made_dag *made)
{
    for (uint32_t i = 0; i < made->n; i++) {
        const struct weft_dag_node *node = &made->nodes[i];
        assert_true(i == 0 ? node->parent == WEFT_NONE : node->parent < i);
        for (uint32_t j = 0; j < node->n; j++) {
            assert_true(node->first + j > i && node->first + j < made->n);
            assert_int_equal(made->nodes[node->first + j].parent, i);
        }
        if (node->created != WEFT_NONE) {
            assert_true(node->created > i && node->created < made->n);
            assert_int_equal(made->nodes[node->created].parent, i);
            assert_int_equal(made->nodes[node->created].kind, WEFT_DAG_TASK);
        }
    }
}

/* ---- The same, from the flat DAG ---- */

/* Mark the flat leaves inside of node I: a leaf's begin site is its number. */
static void mark(const struct made_dag *made, uint32_t i, bool *inside)
{
    const struct weft_dag_node *node = &made->nodes[i];

    if (is_leaf(node))
        inside[node->begin_site] = true;
    for (uint32_t j = 0; j < node->n; j++)
        mark(made, node->first + j, inside);
    if (node->created != WEFT_NONE && node->kind == WEFT_DAG_CREATE)
        mark(made, node->created, inside);
}

/* Node I without the task that it made, when it is a create. */
static void mark_own(const struct made_dag *made, uint32_t i, bool *inside)
{
    if (is_leaf(&made->nodes[i]))
        inside[made->nodes[i].begin_site] = true;
    else
        mark(made, i, inside);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t work_of(const struct leaf *leaf)
{
    return leaf->end - leaf->begin - leaf->waiting;
}

/* The longest way through what is marked; leaves are numbered in an order of their edges. */
static int64_t longest(const struct program *program, const bool *inside,
                       int64_t *until /* [n_leaves] each begin, or NULL */)
{
    int64_t *at = weft_zalloc(program->n_leaves + 1, sizeof *at), most = 0;

    for (size_t i = 0; i < program->n_edges; i++)
        assert_true(program->edges[i].from < program->edges[i].to);
    for (uint32_t i = 0; i < program->n_leaves; i++) {
        const struct leaf *leaf = &program->leaves[i];
        if (!inside[i])
            continue;
        for (size_t e = leaf->first_edge; e < leaf->first_edge + leaf->n_edges; e++) {
            uint32_t from = program->edges[e].from;
            if (inside[from])
                at[i] = larger(at[i], at[from] + work_of(&program->leaves[from]));
        }
        most = larger(most, at[i] + work_of(leaf));
        if (until)
            until[i] = at[i];
    }
    free(at);
    return most;
}

struct figures {
    int64_t work, waiting, begin, end, first_ready, last_start, ready[WEFT_DAG_EDGES];
    uint64_t leaves[WEFT_DAG_LEAF_KINDS], edges[WEFT_DAG_EDGES];
    int32_t worker, cpu;
};

static struct figures add_up(const struct program *program, const bool *inside,
                             uint32_t own_wait)
{
    struct figures f = { .begin = INT64_MAX,
                         .end = INT64_MIN,
                         .first_ready = INT64_MAX,
                         .last_start = INT64_MIN };
    bool first = true;

    for (uint32_t i = 0; i < program->n_leaves; i++) {
        const struct leaf *leaf = &program->leaves[i];
        if (!inside[i])
            continue;
        f.work += work_of(leaf);
        f.waiting += leaf->waiting;
        f.begin = leaf->begin < f.begin ? leaf->begin : f.begin;
        f.first_ready = leaf->ready < f.first_ready ? leaf->ready : f.first_ready;
        f.end = larger(f.end, leaf->end);
        f.last_start = larger(f.last_start, leaf->begin);
        f.ready[leaf->in_edge] += leaf->begin - leaf->ready;
        f.leaves[leaf->kind]++;
        f.worker = first || f.worker == leaf->worker ? leaf->worker : -1;
        f.cpu = first || f.cpu == leaf->cpu ? leaf->cpu : -1;
        first = false;
    }
    /* An edge is counted where it begins; what follows a section, around the section. */
    for (size_t i = 0; i < program->n_edges; i++) {
        const struct edge *edge = &program->edges[i];
        bool joins = edge->kind == WEFT_DAG_EDGE_END
                     || edge->kind == WEFT_DAG_EDGE_WAIT_CONTINUATION;
        if (edge->kind != (enum weft_dag_edge)ORDER_EDGE
            && inside[joins ? edge->wait : edge->from]
            && !(joins && edge->wait == own_wait))
            f.edges[edge->kind]++;
    }
    return f;
}

/* Is every task that was created inside also joined there, does no order lead in or out, and
   did no worker go meanwhile?  An order of a task is of the task as a whole. */
static bool is_whole(const struct program *program, const bool *inside)
{
    for (uint32_t i = 0; i < program->n_leaves; i++)
        if (inside[i] && program->leaves[i].kind == WEFT_DAG_OTHER)
            return false;
    for (size_t i = 0; i < program->n_edges; i++)
        if (program->edges[i].kind == (enum weft_dag_edge)ORDER_EDGE
            && inside[program->edges[i].from_create] != inside[program->edges[i].to_create])
            return false;
    for (uint32_t i = 1; i < program->n_tasks; i++)
        if (inside[program->tasks[i].create]
            && (program->tasks[i].joined_by == WEFT_NONE
                || !inside[program->tasks[i].joined_by]))
            return false;
    return true;
}

static void check_inner(const struct program *program, const struct made_dag *made,
                        uint32_t i, uint64_t *least)
{
    const struct weft_dag_node *node = &made->nodes[i], *last;
    bool *inside = weft_zalloc(program->n_leaves + 1, 1);
    struct figures f;
    uint64_t materialized = 1, creates = 0;

    mark(made, i, inside);
    last = &made->nodes[node->first + node->n - 1];
    f = add_up(program, inside,
               node->kind == WEFT_DAG_SECTION && last->kind == WEFT_DAG_WAIT
                   ? last->begin_site
                   : WEFT_NONE);
    assert_int_equal(node->work, f.work);
    assert_int_equal(node->waiting, f.waiting);
    assert_int_equal(node->critical_path, longest(program, inside, NULL));
    assert_int_equal(node->begin, f.begin);
    assert_int_equal(node->end, f.end);
    assert_int_equal(node->first_ready, f.first_ready);
    assert_int_equal(node->last_start, f.last_start);
    assert_int_equal(node->worker, f.worker);
    assert_int_equal(node->cpu, f.cpu);
    assert_memory_equal(node->ready, f.ready, sizeof f.ready);
    assert_memory_equal(node->leaves, f.leaves, sizeof f.leaves);
    assert_memory_equal(node->edges, f.edges, sizeof f.edges);
    least[i] = 1;
    for (uint32_t j = node->first; j < node->first + node->n; j++) {
        const struct weft_dag_node *child = &made->nodes[j];
        uint32_t task = child->created;
        materialized += child->materialized;
        creates += child->kind == WEFT_DAG_CREATE;
        least[i] += least[j];
        if (child->kind == WEFT_DAG_CREATE) {
            materialized += made->nodes[task].materialized;
            least[i] += least[task];
        }
    }
    if (f.worker >= 0 && is_whole(program, inside))
        least[i] = 1;
    assert_int_equal(node->materialized, materialized);
    assert_int_equal(node->least, least[i]);
    assert_int_equal(node->creates, creates);
    free(inside);
}

static void check_leaf(const struct program *program, const struct weft_dag_node *node)
{
    const struct leaf *leaf = &program->leaves[node->begin_site];

    assert_int_equal(node->kind, leaf->kind);
    assert_int_equal(node->in_edge, leaf->in_edge);
    assert_int_equal(node->begin, leaf->begin);
    assert_int_equal(node->end, leaf->end);
    assert_int_equal(node->first_ready, leaf->ready);
    assert_int_equal(node->worker, leaf->worker);
    assert_int_equal(node->cpu, leaf->cpu);
    assert_int_equal(node->work, work_of(leaf));
    assert_int_equal(node->waiting, leaf->waiting);
    assert_int_equal(node->ready[leaf->in_edge], leaf->begin - leaf->ready);
    assert_int_equal(node->last_start, leaf->begin);
}

/* By whatever longest way: what is counted on it is thrice its length. */
static void check_counters(const struct weft_dag_node *node)
{
    assert_int_equal(node->counters[0], 0);
    assert_int_equal(node->counters[1], 3 * node->work);
    assert_int_equal(node->critical_counters[1], 3 * node->critical_path);
}

/* All figures, of everything. */
static void check_all(const struct program *program, const struct made_dag *made)
{
    bool *inside = weft_zalloc(program->n_leaves + 1, 1), *seen;
    int64_t *until = weft_zalloc(program->n_leaves + 1, sizeof *until);
    uint64_t *least = weft_zalloc(made->n + 1, sizeof *least);

    check_shape(made);
    mark(made, 0, inside);
    for (uint32_t i = 0; i < program->n_leaves; i++)
        assert_true(inside[i]);
    (void)longest(program, inside, until);
    seen = weft_zalloc(program->n_leaves + 1, 1);
    for (uint32_t i = (uint32_t)made->n; i-- > 0;) {
        const struct weft_dag_node *node = &made->nodes[i];
        if (is_leaf(node)) {
            least[i] = 1;
            assert_false(seen[node->begin_site]);
            seen[node->begin_site] = true;
            check_leaf(program, node);
        } else {
            check_inner(program, made, i, least);
        }
        assert_int_equal(node->earliest, until[node->begin_site]);
        check_counters(node);
    }
    free(inside);
    free(seen);
    free(until);
    free(least);
}

/* ---- Contraction, a second time: of the whole DAG ---- */

static bool shall_contract(const struct program *program, const struct made_dag *whole,
                           uint32_t i, const struct weft_dag_contraction *rule)
{
    const struct weft_dag_node *node = &whole->nodes[i];
    bool *inside = weft_zalloc(program->n_leaves + 1, 1), whole_inside;
    int64_t ticks = node->end - node->begin;

    mark_own(whole, i, inside);
    whole_inside = is_whole(program, inside);
    free(inside);
    if (rule->off || !whole_inside || is_leaf(node))
        return false;
    if (rule->leaves > 0)
        return node->leaves[0] + node->leaves[1] + node->leaves[2] + node->leaves[3]
               < rule->leaves;
    return ticks < rule->least || (node->worker >= 0 && ticks < rule->most);
}

/* Of node I without the tasks that are created inside. */
static int64_t own_work(const struct made_dag *made, uint32_t i)
{
    const struct weft_dag_node *node = &made->nodes[i];
    int64_t work = is_leaf(node) ? node->work : 0;

    for (uint32_t j = 0; j < node->n; j++)
        work += own_work(made, node->first + j);
    return work;
}

/* From each create inside of node I to the first of what follows it on its worker. */
static int64_t create_delay(const struct program *program, const struct made_dag *whole,
                            uint32_t i)
{
    bool *inside = weft_zalloc(program->n_leaves + 1, 1);
    int64_t delay = 0;

    mark_own(whole, i, inside);
    for (uint32_t from = 0; from < program->n_leaves; from++) {
        const struct leaf *create = &program->leaves[from];
        int64_t least = INT64_MAX;
        if (!inside[from] || create->kind != WEFT_DAG_CREATE)
            continue;
        for (size_t e = 0; e < program->n_edges; e++) {
            const struct leaf *to = &program->leaves[program->edges[e].to];
            if (program->edges[e].from == from && to->worker == create->worker
                && to->begin - create->end < least)
                least = to->begin - create->end;
        }
        delay += least == INT64_MAX ? 0 : least;
    }
    free(inside);
    return delay;
}

/* Compare A of the whole with B of the contracted one; returns the nodes inside of B. */
static uint64_t compare(const struct program *program, const struct made_dag *whole,
                        uint32_t a, const struct made_dag *contracted, uint32_t b,
                        const struct weft_dag_contraction *rule)
{
    const struct weft_dag_node *one = &whole->nodes[a], *two = &contracted->nodes[b];
    uint64_t inside = 1, made = 0;

    assert_int_equal(one->kind, two->kind);
    assert_int_equal(one->in_edge, two->in_edge);
    assert_int_equal(one->begin, two->begin);
    assert_int_equal(one->end, two->end);
    assert_int_equal(one->begin_site, two->begin_site);
    assert_int_equal(one->end_site, two->end_site);
    assert_int_equal(one->worker, two->worker);
    assert_int_equal(one->earliest, two->earliest);
    assert_int_equal(one->first_ready, two->first_ready);
    assert_int_equal(one->last_start, two->last_start);
    assert_int_equal(one->work, two->work);
    assert_int_equal(one->critical_path, two->critical_path);
    assert_int_equal(one->creates, two->creates);
    assert_memory_equal(one->ready, two->ready, sizeof one->ready);
    assert_memory_equal(one->leaves, two->leaves, sizeof one->leaves);
    assert_memory_equal(one->edges, two->edges, sizeof one->edges);
    if (one->kind == WEFT_DAG_CREATE)
        made = compare(program, whole, one->created, contracted, two->created, rule);
    if (shall_contract(program, whole, a, rule)) {
        assert_int_equal(two->n, 0);
        assert_int_equal(two->materialized, 1);
        assert_true(two->knows_inside);
        assert_int_equal(two->own_work, own_work(whole, a));
        assert_int_equal(two->create_delay, create_delay(program, whole, a));
        return 1;
    }
    assert_int_equal(one->n, two->n);
    for (uint32_t i = 0; i < one->n; i++)
        inside += compare(program, whole, one->first + i, contracted, two->first + i, rule);
    assert_int_equal(two->materialized, inside);
    return inside + made;
}

/* Tasks whose creates are nodes, by that: the leaf's number is where it begins. */
static bool *created_here(const struct made_dag *made, size_t n_leaves)
{
    bool *here = weft_zalloc(n_leaves + 1, 1);

    for (size_t i = 0; i < made->n; i++)
        if (made->nodes[i].kind == WEFT_DAG_CREATE)
            here[made->nodes[i].end_site] = true;
    return here;
}

/* Each task that is no node any more is in one entry, of its place and of its size. */
static void check_forgotten(const struct program *program, const struct made_dag *whole,
                            const struct made_dag *contracted)
{
    bool *here = created_here(contracted, program->n_leaves);
    size_t found = 0;

    for (size_t i = 0; i < whole->n; i++) {
        const struct weft_dag_node *create = &whole->nodes[i];
        const struct weft_dag_tasks *entry = NULL;
        const struct leaf *first;
        int64_t work;
        if (create->kind != WEFT_DAG_CREATE || here[create->end_site])
            continue;
        for (size_t e = 0; e < contracted->n_tasks; e++)
            if (contracted->tasks[e].site == create->end_site)
                entry = &contracted->tasks[e];
        work = own_work(whole, create->created);
        first = &program->leaves[whole->nodes[create->created].begin_site];
        assert_non_null(entry);
        assert_int_equal(entry->count, 1);
        assert_int_equal(entry->work, work);
        assert_int_equal(entry->smallest, work);
        assert_int_equal(entry->largest, work);
        assert_int_equal(entry->stolen,
                         first->worker != create->worker && first->ready == create->end);
        found++;
    }
    assert_int_equal(contracted->n_tasks, found);
    free(here);
}

static void test_random_programs(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        struct program program = random_program(seed);
        struct weft_dag_contraction off = { .off = true };
        struct weft_dag_contraction rule = {
            .least = seed % 3 == 0 ? seed % 50 : 0,
            .most = seed % 4 == 0 ? seed % 90 : INT64_MAX,
            .leaves = seed % 5 == 0 ? seed % 17 : 0,
        };
        struct made_dag whole = replay(&program, &off), contracted;
        check_all(&program, &whole);
        contracted = replay(&program, &rule);
        check_shape(&contracted);
        (void)compare(&program, &whole, 0, &contracted, 0, &rule);
        check_forgotten(&program, &whole, &contracted);
        free_made(&contracted);
        free_made(&whole);
        /* Points of several tasks in another order make the same. */
        random_order(&program, seed);
        whole = replay(&program, &off);
        check_all(&program, &whole);
        free_made(&whole);
        random_program_free(&program);
    }
}

/* ---- By hand ---- */

static struct weft_dag_place at(int64_t time)
{
    return (struct weft_dag_place){ .time = time, .site = WEFT_NONE };
}

/* fib(N) of the thesis's figure 1.1, one tick a point; returns the time at its end. */
static int64_t fib(struct weft_dag_maker *maker, uint32_t task, int n, int64_t time)
{
    struct weft_dag_place now = at(time);

    for (int child = 1; n >= 2 && child <= 2; child++) {
        uint32_t made;
        now = at(++time);
        made = weft_dag_make_create(maker, task, &now);
        weft_dag_make_start(maker, made, &now);
        time = fib(maker, made, n - child, time);
        now = at(time);
        weft_dag_make_end(maker, made, &now);
        weft_dag_make_created(maker, task, &now);
    }
    if (n >= 2) {
        now = at(++time);
        weft_dag_make_wait(maker, task, WEFT_DAG_WAIT_SECTION, &now);
        weft_dag_make_waited(maker, task, &now);
    }
    return time + 1;
}

/* Figure 1.3: and all of it on one worker becomes one node that says the same. */
static void test_figure_1_3(void **state)
{
    (void)state;
    for (int contract = 0; contract < 2; contract++) {
        struct weft_dag_contraction rule = { .off = !contract, .most = INT64_MAX };
        struct weft_dag_maker *maker = weft_dag_maker_new(&rule);
        struct weft_dag_place now = at(0);
        uint32_t root = weft_dag_make_root(maker, &now);
        struct made_dag made = { 0 };
        const struct weft_dag_node *all;
        size_t kinds[WEFT_DAG_KINDS] = { 0 };
        now = at(fib(maker, root, 3, 0));
        weft_dag_make_end(maker, root, &now);
        assert_int_equal(weft_dag_make_finish(maker, 0), 0);
        assert_true(weft_dag_make_nodes(maker, take, &made));
        all = &made.nodes[0];
        assert_int_equal(all->leaves[WEFT_DAG_CREATE], 4);
        assert_int_equal(all->leaves[WEFT_DAG_WAIT], 2);
        assert_int_equal(all->leaves[WEFT_DAG_END], 5);
        assert_int_equal(all->leaves[WEFT_DAG_OTHER], 0);
        assert_int_equal(all->edges[WEFT_DAG_EDGE_CREATE], 4);
        assert_int_equal(all->edges[WEFT_DAG_EDGE_CREATE_CONTINUATION], 4);
        assert_int_equal(all->edges[WEFT_DAG_EDGE_END], 4);
        assert_int_equal(all->edges[WEFT_DAG_EDGE_WAIT_CONTINUATION], 2);
        for (size_t i = 0; i < made.n; i++)
            kinds[made.nodes[i].kind]++;
        assert_int_equal(kinds[WEFT_DAG_SECTION], contract ? 0 : 2);
        assert_int_equal(kinds[WEFT_DAG_TASK], contract ? 1 : 5);
        assert_int_equal(made.n, contract ? 1 : 18);
        assert_int_equal(all->materialized, made.n);
        free(made.nodes);
        weft_dag_maker_free(maker);
    }
}

static uint32_t create(struct weft_dag_maker *maker, uint32_t task, int64_t time)
{
    struct weft_dag_place now = at(time);
    uint32_t made = weft_dag_make_create(maker, task, &now);

    weft_dag_make_created(maker, task, &now);
    weft_dag_make_start(maker, made, &now);
    weft_dag_make_end(maker, made, &now);
    return made;
}

static void wait_for(struct weft_dag_maker *maker, uint32_t task, enum weft_dag_wait wait,
                     int64_t time)
{
    struct weft_dag_place now = at(time);

    weft_dag_make_wait(maker, task, wait, &now);
    weft_dag_make_waited(maker, task, &now);
}

/* The nest of kinds below node I, as "task(section(create wait) end)". */
static void spell(const struct made_dag *made, uint32_t i, char *to)
{
    static const char *const names[] = {
        "create", "wait", "other", "end", "section", "task"
    };
    const struct weft_dag_node *node = &made->nodes[i];

    strcat(to, names[node->kind]);
    if (node->n == 0)
        return;
    strcat(to, "(");
    for (uint32_t j = 0; j < node->n; j++) {
        strcat(to, j ? " " : "");
        spell(made, node->first + j, to);
    }
    strcat(to, ")");
}

static void check_nest(struct weft_dag_maker *maker, uint32_t root, int64_t time,
                       const char *expected)
{
    struct weft_dag_place now = at(time);
    struct made_dag made = { 0 };
    char text[512] = "";

    weft_dag_make_end(maker, root, &now);
    (void)weft_dag_make_finish(maker, time);
    assert_true(weft_dag_make_nodes(maker, take, &made));
    spell(&made, 0, text);
    assert_string_equal(text, expected);
    free(made.nodes);
    weft_dag_maker_free(maker);
}

static struct weft_dag_maker *begin(uint32_t *root)
{
    struct weft_dag_contraction off = { .off = true };
    struct weft_dag_maker *maker = weft_dag_maker_new(&off);
    struct weft_dag_place now = at(0);

    *root = weft_dag_make_root(maker, &now);
    return maker;
}

/* Figure 1.6: a group inside another is a section inside another. */
static void test_nested_groups(void **state)
{
    uint32_t root;
    struct weft_dag_maker *maker = begin(&root);

    (void)state;
    weft_dag_make_section(maker, root);
    create(maker, root, 1);
    weft_dag_make_section(maker, root);
    create(maker, root, 2);
    create(maker, root, 3);
    wait_for(maker, root, WEFT_DAG_WAIT_SECTION, 4);
    create(maker, root, 5);
    wait_for(maker, root, WEFT_DAG_WAIT_SECTION, 6);
    create(maker, root, 7);
    wait_for(maker, root, WEFT_DAG_WAIT_SECTION, 8);
    check_nest(maker, root, 9,
               "task(section(create section(create create wait) create wait) "
               "section(create wait) end)");
}

/* What waits for nothing leaves nothing, whether it was asked for or not. */
static void test_waits_without_creations(void **state)
{
    uint32_t root;
    struct weft_dag_maker *maker = begin(&root);

    (void)state;
    for (int wait = WEFT_DAG_WAIT_SECTION; wait <= WEFT_DAG_WAIT_ALL; wait++) {
        assert_false(weft_dag_make_joins(maker, root, wait));
        wait_for(maker, root, wait, wait);
    }
    weft_dag_make_section(maker, root);
    wait_for(maker, root, WEFT_DAG_WAIT_GROUP, 5);
    create(maker, root, 6);
    wait_for(maker, root, WEFT_DAG_WAIT_GROUP, 7); /* there is no group any more */
    wait_for(maker, root, WEFT_DAG_WAIT_CHILDREN, 8);
    check_nest(maker, root, 9, "task(section(create wait) end)");
}

/* Points in an order that no program has: a wait inside of a wait, which finds nothing. */
static void test_wait_in_wait(void **state)
{
    uint32_t root;
    struct weft_dag_maker *maker = begin(&root);
    struct weft_dag_place now = at(2);

    (void)state;
    create(maker, root, 1);
    weft_dag_make_wait(maker, root, WEFT_DAG_WAIT_CHILDREN, &now);
    wait_for(maker, root, WEFT_DAG_WAIT_CHILDREN, 3);
    weft_dag_make_waited(maker, root, &now);
    check_nest(maker, root, 9, "task(section(create wait) end)");
}

/* A taskwait in a group is a section in it, with all creations since the one before. */
static void test_taskwait_in_group(void **state)
{
    uint32_t root;
    struct weft_dag_maker *maker = begin(&root);

    (void)state;
    weft_dag_make_section(maker, root);
    create(maker, root, 1);
    create(maker, root, 2);
    wait_for(maker, root, WEFT_DAG_WAIT_CHILDREN, 3);
    wait_for(maker, root, WEFT_DAG_WAIT_CHILDREN, 4); /* nothing since */
    create(maker, root, 5);
    weft_dag_make_section(maker, root);
    create(maker, root, 6);
    wait_for(maker, root, WEFT_DAG_WAIT_GROUP, 7);
    wait_for(maker, root, WEFT_DAG_WAIT_CHILDREN, 8);
    create(maker, root, 9);
    wait_for(maker, root, WEFT_DAG_WAIT_GROUP, 10);
    check_nest(maker, root, 11,
               "task(section(section(create create wait) "
               "section(create section(create wait) wait) create wait) end)");
}

/*
 * A task of 100 ticks that its parent leaves behind, and a taskwait of the root that does not
 * wait for it: the root's 100 ticks behind that run beside it.
 */
static void test_tasks_left_behind(void **state)
{
    uint32_t root, parent, left;
    struct weft_dag_maker *maker = begin(&root);
    struct weft_dag_place now;
    struct made_dag made = { 0 };

    (void)state;
    now = at(1);
    parent = weft_dag_make_create(maker, root, &now);
    weft_dag_make_created(maker, root, &now);
    weft_dag_make_start(maker, parent, &now);
    now = at(2);
    left = weft_dag_make_create(maker, parent, &now);
    weft_dag_make_created(maker, parent, &now);
    weft_dag_make_start(maker, left, &now);
    weft_dag_make_end(maker, parent, &now);
    wait_for(maker, root, WEFT_DAG_WAIT_CHILDREN, 2);
    create(maker, root, 52);
    now = at(102);
    weft_dag_make_end(maker, left, &now);
    wait_for(maker, root, WEFT_DAG_WAIT_ALL, 102);
    now = at(110);
    weft_dag_make_end(maker, root, &now);
    (void)weft_dag_make_finish(maker, 110);
    assert_true(weft_dag_make_nodes(maker, take, &made));
    assert_int_equal(made.nodes[0].work, 110 + 1 + 100);
    assert_int_equal(made.nodes[0].leaves[WEFT_DAG_END], 4);
    /* Were it joined by the taskwait, it would be 2 + 100 + 50 and more. */
    assert_int_equal(made.nodes[0].critical_path, 110);
    free(made.nodes);
    weft_dag_maker_free(maker);
}

/* Tasks that never ended are ended, and the order of their numbers does not matter. */
static void test_unfinished(void **state)
{
    uint32_t root;
    struct weft_dag_maker *maker = begin(&root);
    struct weft_dag_place now = at(1);
    uint32_t one = weft_dag_make_create(maker, root, &now);
    struct made_dag made = { 0 };

    (void)state;
    (void)weft_dag_make_create(maker, root, &now);
    weft_dag_make_start(maker, one, &now);
    weft_dag_make_wait(maker, root, WEFT_DAG_WAIT_SECTION, &now);
    assert_int_equal(weft_dag_make_finish(maker, 20), 3);
    assert_true(weft_dag_make_nodes(maker, take, &made));
    check_shape(&made);
    assert_int_equal(made.nodes[0].leaves[WEFT_DAG_END], 3);
    assert_int_equal(made.nodes[0].work, 1 + 19);
    assert_int_equal(made.nodes[0].end, 20);
    free(made.nodes);
    weft_dag_maker_free(maker);
}

/* Four tasks that run for 2^62 ticks each, and four that wait so long: sums stay at the largest. */
static void test_sums_beyond_64_bits(void **state)
{
    enum { TASKS = 8 };
    const int64_t end = (int64_t)1 << 62;
    uint32_t root, tasks[TASKS];
    struct weft_dag_maker *maker = begin(&root);
    struct weft_dag_place now = at(0);
    struct made_dag made = { 0 };

    (void)state;
    for (int i = 0; i < TASKS; i++) {
        tasks[i] = weft_dag_make_create(maker, root, &now);
        weft_dag_make_created(maker, root, &now);
    }
    for (int i = 0; i < TASKS / 2; i++)
        weft_dag_make_start(maker, tasks[i], &now);
    now = at(end);
    for (int i = TASKS / 2; i < TASKS; i++)
        weft_dag_make_start(maker, tasks[i], &now);
    for (int i = 0; i < TASKS; i++)
        weft_dag_make_end(maker, tasks[i], &now);
    wait_for(maker, root, WEFT_DAG_WAIT_ALL, end);
    (void)weft_dag_make_finish(maker, end);
    assert_true(weft_dag_make_nodes(maker, take, &made));
    assert_true(made.nodes[0].work == INT64_MAX);
    assert_true(made.nodes[0].ready[WEFT_DAG_EDGE_CREATE] == INT64_MAX);
    free(made.nodes);
    weft_dag_maker_free(maker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_1_3),
        cmocka_unit_test(test_nested_groups),
        cmocka_unit_test(test_waits_without_creations),
        cmocka_unit_test(test_wait_in_wait),
        cmocka_unit_test(test_taskwait_in_group),
        cmocka_unit_test(test_tasks_left_behind),
        cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_sums_beyond_64_bits),
        cmocka_unit_test(test_random_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
