/* SPDX-License-Identifier: Apache-2.0 */
/* Orders between tasks, and between tasks and intervals of their creator. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "domains/tasks/dag/make_priv.h"

struct weft_dag_ref weft_dag_make_ref(const struct weft_dag_maker *maker, uint32_t task)
{
    uint32_t node;

    WEFT_REQUIRE(task < maker->n_tasks && maker->tasks[task].node != WEFT_NONE,
                 "a reference to a task that has ended");
    node = maker->tasks[task].node;
    return (struct weft_dag_ref){ node, make_sum_of(maker, node)->stamp };
}

static bool is_there(const struct weft_dag_maker *maker, struct weft_dag_ref ref)
{
    const struct make_node *node;

    if (ref.stamp == 0 || ref.node >= maker->n_nodes)
        return false;
    node = &maker->nodes[ref.node];
    return node->kind == WEFT_DAG_TASK && node->sum != WEFT_NONE
           && maker->sums[node->sum].stamp == ref.stamp;
}

/* Adds to the list *FIRST that the task with the node BEFORE must have ended. */
static void add(struct weft_dag_maker *maker, uint32_t *first, uint32_t before,
                enum weft_dag_order_kind kind)
{
    uint32_t index = maker->free_order;

    if (index != WEFT_NONE) {
        maker->free_order = maker->orders[index].next;
    } else {
        maker->orders = weft_grow(maker->orders, &maker->orders_capacity,
                                  maker->n_orders + 1, sizeof *maker->orders);
        index = (uint32_t)maker->n_orders++;
    }
    maker->orders[index] =
        (struct make_order){ .before = before, .next = *first, .kind = (uint8_t)kind };
    *first = index;
}

void make_orders_free(struct weft_dag_maker *maker, uint32_t first)
{
    while (first != WEFT_NONE) {
        uint32_t next = maker->orders[first].next;
        maker->orders[first].next = maker->free_order;
        maker->free_order = first;
        first = next;
    }
}

int64_t make_orders_end(const struct weft_dag_maker *maker, uint32_t first)
{
    int64_t latest = INT64_MIN;

    for (; first != WEFT_NONE; first = maker->orders[first].next) {
        const struct make_sum *sum = make_sum_of(maker, maker->orders[first].before);
        if (maker->orders[first].kind != WEFT_DAG_ORDER_EXCLUSION && sum->closed
            && sum->own_end > latest)
            latest = sum->own_end;
    }
    return latest;
}

/* Returns the task around the section or task NODE, which is NODE if that is a task, and
   sets *DEPTH to the number of sections between. */
static uint32_t task_around(const struct weft_dag_maker *maker, uint32_t node,
                            uint32_t *depth)
{
    for (*depth = 0; maker->nodes[node].kind != WEFT_DAG_TASK; ++*depth)
        node = maker->nodes[node].parent;
    return node;
}

/* Returns the innermost section or task that holds both A and B, which are sections or
   tasks; WEFT_NONE if they are not in one task. */
static uint32_t common_of(const struct weft_dag_maker *maker, uint32_t a, uint32_t b)
{
    uint32_t a_depth, b_depth;

    if (task_around(maker, a, &a_depth) != task_around(maker, b, &b_depth))
        return WEFT_NONE;
    for (; a_depth > b_depth; a_depth--)
        a = maker->nodes[a].parent;
    for (; b_depth > a_depth; b_depth--)
        b = maker->nodes[b].parent;
    while (a != b) {
        a = maker->nodes[a].parent;
        b = maker->nodes[b].parent;
    }
    return a;
}

/* Returns true if the wait of a section below AROUND has joined the tasks created in FROM,
   so that they end before what follows in AROUND. */
static bool is_joined(const struct weft_dag_maker *maker, uint32_t from, uint32_t around)
{
    for (uint32_t i = from; i != around; i = maker->nodes[i].parent) {
        const struct make_sum *sum = make_sum_of(maker, i);
        if (sum->closed && sum->waits && (sum->deep || i == from))
            return true;
    }
    return false;
}

static void mark_crossed(struct weft_dag_maker *maker, uint32_t inner, uint32_t around)
{
    for (; inner != around; inner = maker->nodes[inner].parent)
        make_sum_of(maker, inner)->crossed = true;
}

/* Marks the sections that an order leads out of or into, from a task created in FROM to a
   task or leaf in TO.  Returns false, without effect, if the structure says that order, or
   if FROM and TO are not in one task. */
static bool cross(struct weft_dag_maker *maker, uint32_t from, uint32_t to)
{
    uint32_t around = common_of(maker, from, to);

    if (around == WEFT_NONE || is_joined(maker, from, around))
        return false;
    mark_crossed(maker, from, around);
    mark_crossed(maker, to, around);
    return true;
}

/* Marks the sections that the orders of a task or leaf in SECTION lead into. */
static void cross_into(struct weft_dag_maker *maker, uint32_t node, uint32_t section)
{
    uint32_t order = maker->nodes[node].orders;

    for (; order != WEFT_NONE; order = maker->orders[order].next)
        (void)cross(maker, make_section_of_task(maker, maker->orders[order].before),
                    section);
}

void make_orders_cross(struct weft_dag_maker *maker, uint32_t section)
{
    size_t n = 0;

    make_push(maker, &n, section);
    while (n > 0) {
        uint32_t around = maker->stack[--n];
        uint32_t child = maker->nodes[around].inside;
        for (; child != WEFT_NONE; child = maker->nodes[child].next) {
            cross_into(maker, child, around);
            if (maker->nodes[child].kind == WEFT_DAG_CREATE)
                cross_into(maker, maker->nodes[child].inside, around);
            else if (maker->nodes[child].kind == WEFT_DAG_SECTION
                     && make_sum_of(maker, child)->crossed)
                make_push(maker, &n, child);
        }
    }
}

void make_orders_attach(struct weft_dag_maker *maker, struct make_task *task, uint32_t leaf)
{
    uint32_t orders = task->orders;

    task->orders = WEFT_NONE;
    maker->nodes[leaf].orders = orders;
    cross_into(maker, leaf, maker->nodes[leaf].parent);
}

/* Orders the next interval of a task, which is not running, after the task BEFORE that it
   created; its section is known only when it ends. */
static void order_interval(struct weft_dag_maker *maker, struct make_task *task,
                           uint32_t before, enum weft_dag_order_kind kind)
{
    uint32_t from = make_section_of_task(maker, before);
    uint32_t to = task->section == WEFT_NONE ? task->node : task->section, around;

    around = common_of(maker, from, to);
    if (around != WEFT_NONE && !is_joined(maker, from, around))
        add(maker, &task->orders, before, kind);
}

void weft_dag_make_order(struct weft_dag_maker *maker, struct weft_dag_ref before,
                         uint32_t index, enum weft_dag_order_kind kind)
{
    struct make_task *task;
    uint32_t from, to;

    WEFT_REQUIRE(index < maker->n_tasks && maker->tasks[index].node != WEFT_NONE,
                 "an order of a task that has ended");
    task = &maker->tasks[index];
    if (!is_there(maker, before) || task->phase == MAKE_RUNNING)
        return;
    from = make_section_of_task(maker, before.node);
    to = make_section_of_task(maker, task->node);
    if (from == WEFT_NONE)
        return;
    if (task->phase != MAKE_NEW)
        order_interval(maker, task, before.node, kind);
    else if (to != WEFT_NONE && before.stamp < make_sum_of(maker, task->node)->stamp
             && cross(maker, from, to))
        add(maker, &maker->nodes[task->node].orders, before.node, kind);
}

static int compare_orders(const void *left, const void *right)
{
    const struct weft_dag_order *a = left, *b = right;

    return WEFT_COMPARE(a->after, b->after) ?: WEFT_COMPARE(a->before, b->before)
           ?: WEFT_COMPARE((int)a->kind, (int)b->kind);
}

void make_orders_give(struct weft_dag_maker *maker, const uint32_t *numbers)
{
    size_t n = 0;

    for (uint32_t i = 0; i < maker->n_nodes; i++) {
        uint32_t order = numbers[i] == WEFT_NONE ? WEFT_NONE : maker->nodes[i].orders;
        for (; order != WEFT_NONE; order = maker->orders[order].next) {
            maker->given_orders = weft_grow(maker->given_orders, &maker->given_capacity,
                                            n + 1, sizeof *maker->given_orders);
            maker->given_orders[n++] =
                (struct weft_dag_order){ numbers[maker->orders[order].before], numbers[i],
                                         maker->orders[order].kind };
        }
    }
    if (n > 1)
        qsort(maker->given_orders, n, sizeof *maker->given_orders, compare_orders);
    maker->n_given = 0;
    for (size_t i = 0; i < n; i++) /* a task may depend on another for several reasons */
        if (i == 0 || compare_orders(&maker->given_orders[i - 1], &maker->given_orders[i]))
            maker->given_orders[maker->n_given++] = maker->given_orders[i];
}

const struct weft_dag_order *weft_dag_make_orders(const struct weft_dag_maker *maker,
                                                  size_t *n)
{
    *n = maker->n_given;
    return maker->given_orders;
}
