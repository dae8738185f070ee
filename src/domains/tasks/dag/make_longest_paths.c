/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest paths through sections and tasks, which are their times on unlimited workers.
 * The children of a section are passed in their order, and each created task begins when
 * its creator has created it and the tasks that it is ordered after have ended.  Where an
 * order crosses the border of a section, the section takes longer in what is around it than
 * alone, so its children are passed again with those of the sections around it.
 */
#include <string.h>

#include "domains/tasks/dag/make_priv.h"
#include "store/time.h"

/* A point in time on unlimited workers, from the begin of the section or task that is
   passed, and what was counted on the longest path to it. */
struct position {
    int64_t ticks;
    struct make_counters counted;
};

/* A section or task whose children are passed. */
struct make_frame {
    uint32_t node, child;             /* CHILD: the next of its children */
    int64_t begin;                    /* ticks */
    struct position along;            /* where its own task is */
    struct position joined, unjoined; /* latest ends of its own tasks; of those inside that
                                         no wait has joined; 0 if there are none */
};

static void add(const struct weft_dag_maker *maker, struct position *to, int64_t ticks,
                const int64_t *counted)
{
    to->ticks = weft_ticks_add(to->ticks, ticks);
    if (maker->counts)
        for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
            to->counted.of[k] = weft_ticks_add(to->counted.of[k], counted[k]);
}

static void raise(struct position *to, const struct position *other)
{
    if (other->ticks > to->ticks)
        *to = *other;
}

/* Moves AT to the end of the latest of the tasks that NODE is ordered after. */
static void hold(struct weft_dag_maker *maker, uint32_t node, struct position *at)
{
    uint32_t first = maker->nodes[node].orders;
    int64_t before = at->ticks;

    for (uint32_t i = first; i != WEFT_NONE; i = maker->orders[i].next) {
        uint32_t sum = maker->nodes[maker->orders[i].before].sum;
        if (maker->sums[sum].pass != maker->pass || maker->sums[sum].finish <= at->ticks)
            continue;
        at->ticks = maker->sums[sum].finish;
        if (maker->counts)
            memcpy(at->counted.of, maker->sum_counts[sum].finish, sizeof at->counted.of);
    }
    if (first != WEFT_NONE)
        maker->orders[first].held = at->ticks - before;
}

/* Raises frame->unjoined to where the tasks in the section or task SUM end that no wait has
   joined, if it begins AT. */
static void pass_unjoined(const struct weft_dag_maker *maker, struct make_frame *frame,
                          struct position at, uint32_t sum)
{
    if (maker->sums[sum].carried == 0)
        return;
    add(maker, &at, maker->sums[sum].tail,
        maker->counts ? maker->sum_counts[sum].tail : NULL);
    raise(&frame->unjoined, &at);
}

/* The task of a create begins when its creator is there, or later. */
static void pass_task(struct weft_dag_maker *maker, struct make_frame *frame, uint32_t task)
{
    uint32_t sum = maker->nodes[task].sum;
    struct position at = frame->along;

    hold(maker, task, &at);
    pass_unjoined(maker, frame, at, sum);
    add(maker, &at, maker->sums[sum].span,
        maker->counts ? maker->sum_counts[sum].span : NULL);
    maker->sums[sum].pass = maker->pass;
    maker->sums[sum].finish = at.ticks;
    if (maker->counts)
        memcpy(maker->sum_counts[sum].finish, at.counted.of, sizeof at.counted.of);
    raise(&frame->joined, &at);
}

static void pass_leaf(struct weft_dag_maker *maker, struct make_frame *frame, uint32_t leaf)
{
    const struct make_node *node = &maker->nodes[leaf];

    hold(maker, leaf, &frame->along);
    add(maker, &frame->along, make_work_of(node),
        maker->counts ? maker->node_counters[leaf].of : NULL);
    if (node->kind == WEFT_DAG_CREATE)
        pass_task(maker, frame, node->inside);
}

/* Passes the section CHILD, which no order crosses. */
static void pass_section(struct weft_dag_maker *maker, struct make_frame *frame,
                         uint32_t child)
{
    uint32_t sum = maker->nodes[child].sum;

    pass_unjoined(maker, frame, frame->along, sum);
    add(maker, &frame->along, maker->sums[sum].span,
        maker->counts ? maker->sum_counts[sum].span : NULL);
}

/* All children of FRAME are passed: moves it to the end of the section's wait. */
static void end_section(const struct weft_dag_maker *maker, struct make_frame *frame)
{
    struct make_sum *sum = make_sum_of(maker, frame->node);

    if (maker->nodes[frame->node].kind != WEFT_DAG_SECTION)
        return;
    raise(sum->waits ? &frame->along : &frame->unjoined, &frame->joined);
    if (sum->waits && sum->deep) {
        raise(&frame->along, &frame->unjoined);
        frame->unjoined = (struct position){ 0 };
    }
    sum->transit = frame->along.ticks - frame->begin;
}

/* Sets the figures of the section or task at which the pass began. */
static void set_paths(struct weft_dag_maker *maker, const struct make_frame *frame)
{
    uint32_t index = maker->nodes[frame->node].sum;
    struct make_sum *sum = &maker->sums[index];

    sum->span = sum->transit = frame->along.ticks;
    sum->tail = frame->unjoined.ticks;
    if (!maker->counts)
        return;
    memcpy(maker->sum_counts[index].span, frame->along.counted.of,
           sizeof maker->sum_counts[index].span);
    memcpy(maker->sum_counts[index].tail, frame->unjoined.counted.of,
           sizeof maker->sum_counts[index].tail);
}

static void enter(struct weft_dag_maker *maker, size_t *n, uint32_t node,
                  const struct position *at)
{
    maker->frames =
        weft_grow(maker->frames, &maker->frames_capacity, *n + 1, sizeof *maker->frames);
    maker->frames[(*n)++] = (struct make_frame){
        .node = node, .child = maker->nodes[node].inside, .begin = at->ticks, .along = *at
    };
}

void make_paths(struct weft_dag_maker *maker, uint32_t node)
{
    size_t n = 0;

    maker->pass++;
    enter(maker, &n, node, &(struct position){ 0 });
    while (n > 0) {
        struct make_frame *frame = &maker->frames[n - 1];
        uint32_t child = frame->child;
        if (child == WEFT_NONE) {
            end_section(maker, frame);
            if (--n == 0)
                break;
            frame[-1].along = frame->along;
            raise(&frame[-1].unjoined, &frame->unjoined);
            continue;
        }
        frame->child = maker->nodes[child].next;
        if (make_is_leaf(&maker->nodes[child])) {
            pass_leaf(maker, frame, child);
        } else if (make_sum_of(maker, child)->crossed) {
            struct position at = frame->along;
            enter(maker, &n, child, &at);
        } else {
            pass_section(maker, frame, child);
        }
    }
    set_paths(maker, &maker->frames[0]);
}
