/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task parallelism: what becomes of OpenMP's records and of weft_task.h's.  The recordings are
 * described in the tests (synthetic.h), whose clocks count nanoseconds, so that a record's
 * number is its time; the processes end at 9000.  What is expected is worked out beside each.
 */
#include "tests/unit/recording/synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/analyse/constructs.h"
#include "domains/tasks/dag/dag.h"
#include "domains/tasks/join/contraction.h"
#include "tests/random.h"

#define PROCESS                                                                            \
 "fact contraction=off\n"                                                                  \
 "host alpha boot-a ns\n"                                                                  \
 "process 10 tasks\n"                                                                      \
 "families 16\n"

/* The DAG of a description; the trace is to be forgotten after it. */
static struct weft_dag *dag_of(struct recorded *recorded, const char *description)
{
    struct weft_err err = { 0 };
    struct weft_dag *dag;

    *recorded = synthetic_trace(description);
    dag = weft_dag_open(recorded->source, &err);
    assert_non_null(dag);
    return dag;
}

/* The nest below a node, its leaves with begin and end. */
static void spell(const struct weft_dag *dag, uint32_t i, char *to)
{
    static const char *const names[] = {
        "create", "wait", "other", "end", "section", "task"
    };
    struct weft_dag_node node;

    weft_dag_node(dag, i, &node);
    to += strlen(to);
    if (node.kind < WEFT_DAG_LEAF_KINDS)
        sprintf(to, "%s %d-%d@%d", names[node.kind], (int)node.begin, (int)node.end,
                node.worker);
    else
        sprintf(to, "%s(", names[node.kind]);
    for (uint32_t j = 0; j < node.n; j++) {
        strcat(to, j ? ", " : "");
        spell(dag, node.first + j, to);
    }
    if (node.kind == WEFT_DAG_CREATE) {
        strcat(to, ": ");
        spell(dag, node.created, to);
    } else if (node.kind >= WEFT_DAG_LEAF_KINDS) {
        strcat(to, ")");
    }
}

static void check(const char *description, const char *expected)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, description);
    char text[4096] = "";

    spell(dag, 0, text);
    assert_string_equal(text, expected);
    weft_dag_close(dag);
    forget(&recorded);
}

/*
 * Two threads; the first creates two tasks and waits for them, the other one comes to the barrier
 * at once and takes one of them.  It leaves that barrier only when the next region begins.
 */
#define TWO_THREADS                                                                        \
 PROCESS "thread 0\n"                                                                      \
         "starts 1000\n"                                                                   \
         "1500 omp-initial 0 1\n"                                                          \
         "2000 omp-parallel 2 10 1 0x100\n"                                                \
         "2100 omp-implicit 0 10 11\n"                                                     \
         "3000 omp-create 0 20 0x200\n"                                                    \
         "3100 omp-create 0 21 0x200\n"                                                    \
         "3200 omp-wait 0 0x300\n"                                                         \
         "3300 omp-schedule 7 21\n"                                                        \
         "3800 omp-schedule 1 11\n"                                                        \
         "4100 omp-waited 0\n"                                                             \
         "4500 omp-wait 3 0x400\n"                                                         \
         "4600 omp-waited 3\n"                                                             \
         "4600 omp-implicit-end 0 11\n"                                                    \
         "4700 omp-parallel-end 0 10 1\n"                                                  \
         "thread 1\n"                                                                      \
         "2200 omp-implicit 1 10 12\n"                                                     \
         "2300 omp-wait 3 0x400\n"

static const char two_threads[] =
    "task(section(create 1000-2000@0: task("
    "section(create 2100-3000@0: task(end 3050-4000@1), "
    "create 3000-3100@0: task(end 3300-3800@0), wait 3100-3200@0), "
    "other 4100-4500@0, end 4600-4600@0), "
    "create 2000-2000@0: task(end 2200-2300@1), wait 2000-2000@0), end 4700-9000@0)";

static void test_two_threads(void **state)
{
    struct recorded recorded;
    struct weft_dag_node root, node;
    struct weft_dag *dag;

    (void)state;
    check(TWO_THREADS "3050 omp-schedule 7 20\n"
                      "4000 omp-schedule 1 12\n"
                      "6000 omp-waited 3\n"
                      "6000 omp-implicit-end 0 12\n",
          two_threads);
    dag = dag_of(&recorded, TWO_THREADS "3050 omp-schedule 7 20\n"
                                        "4000 omp-schedule 1 12\n");
    weft_dag_node(dag, 0, &root);
    assert_int_equal(weft_dag_workers(dag), 2);
    assert_int_equal(root.work, 1000 + 4300 + (900 + 100 + 100 + 400) + 950 + 500 + 100);
    /* By the first task: 900 + 950 are more than all that the second one is behind. */
    assert_int_equal(root.critical_path, 1000 + (900 + 950 + 400) + 4300);
    assert_int_equal(root.leaves[WEFT_DAG_CREATE], 4);
    assert_int_equal(root.leaves[WEFT_DAG_END], 5);
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        weft_dag_node(dag, i, &node);
        if (node.kind == WEFT_DAG_OTHER) { /* behind the taskwait */
            assert_int_equal(node.first_ready, 4000);
            assert_int_equal(node.in_edge, WEFT_DAG_EDGE_END);
        }
        if (node.kind == WEFT_DAG_END && node.begin == 4600) /* behind the barrier */
            assert_int_equal(node.first_ready, 4500);
    }
    weft_dag_close(dag);
    forget(&recorded);
}

/* What follows a wait begins at what the call returns to, and the wait is the call before. */
static void test_what_follows_a_wait(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag;
    struct weft_dag_node node;
    unsigned found = 0;

    (void)state;
    dag = dag_of(&recorded, TWO_THREADS "3050 omp-schedule 7 20\n"
                                        "4000 omp-schedule 1 12\n");
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        const struct weft_site *sites = recorded.source->schema->sites;
        weft_dag_node(dag, i, &node);
        if (node.kind == WEFT_DAG_WAIT && node.begin == 3100) {
            assert_int_equal(sites[node.end_site].address, 0x2ff);
            found |= 1;
        }
        if (node.kind == WEFT_DAG_OTHER) { /* the taskwait's continuation, to the barrier */
            assert_int_equal(sites[node.begin_site].address, 0x300);
            assert_int_equal(sites[node.end_site].address, 0x3ff);
            found |= 2;
        }
        if (node.kind == WEFT_DAG_END && node.begin == 4600) { /* behind the barrier */
            assert_int_equal(sites[node.begin_site].address, 0x3ff);
            found |= 4;
        }
        if (node.kind == WEFT_DAG_END && node.begin == 4700) { /* behind the region */
            assert_int_equal(sites[node.begin_site].address, 0x100);
            found |= 8;
        }
    }
    assert_int_equal(found, 15);
    /* Creations tell no end, but for those that another task came behind at once. */
    assert_false(weft_dag_knows_creations(dag));
    weft_dag_close(dag);
    forget(&recorded);
}

/* The clock of one processor is ahead: a task is not run before it is created. */
static void test_skewed_clocks(void **state)
{
    (void)state;
    check(PROCESS "thread 0\n"
                  "starts 1000\n"
                  "1500 omp-initial 0 1\n"
                  "2000 omp-parallel 2 10 1 0x100\n"
                  "2000 omp-implicit 0 10 11\n"
                  "3000 omp-create 0 20 0x200\n"
                  "3500 omp-wait 3 0x400\n"
                  "4500 omp-waited 3\n"
                  "4600 omp-implicit-end 0 11\n"
                  "4700 omp-parallel-end 0 10 1\n"
                  "thread 1\n"
                  "1990 omp-implicit 1 10 12\n"
                  "2300 omp-wait 3 0x400\n"
                  "2900 omp-schedule 7 20\n"
                  "4000 omp-schedule 1 12\n",
          "task(section(create 1000-2000@0: task(section(create 2000-3000@0: "
          "task(end 3000-4000@1), wait 3000-3500@0), end 4500-4600@0), "
          "create 2000-2000@0: task(end 2000-2300@1), wait 2000-2000@0), "
          "end 4700-9000@0)");
}

/* One thread: a task that is not deferred runs before its creator goes on; task groups nest. */
static void test_one_thread(void **state)
{
    (void)state;
    check(PROCESS "thread 0\n"
                  "starts 1000\n"
                  "1000 omp-initial 0 1\n"
                  "1100 omp-group 1 0x100\n"
                  "1200 omp-create 1 20 0x200\n"
                  "1300 omp-schedule 7 20\n"
                  "1400 omp-schedule 2 20\n" /* it yields, and nobody wants to run */
                  "1500 omp-schedule 1 1\n"
                  "1600 omp-wait 0 0x300\n" /* a taskwait in the group */
                  "1600 omp-waited 0\n"
                  "1700 omp-create 0 21 0x200\n"
                  "1800 omp-wait 1 0x300\n"
                  "1850 omp-schedule 7 21\n"
                  "1900 omp-schedule 1 1\n"
                  "2000 omp-waited 1\n",
          "task(section(section(create 1000-1200@0: task(end 1300-1500@0), "
          "wait 1500-1600@0), create 1600-1700@0: task(end 1850-1900@0), "
          "wait 1700-1800@0), end 2000-9000@0)");
}

/* The orders of a DAG, as the begins of their nodes, "1500>2000"; "x" for an exclusion, "i" for
   a task that its creator waits for at once. */
static void spell_orders(const struct weft_dag *dag, char *to)
{
    to[0] = 0;
    for (uint64_t row = 0; row < weft_dag_orders(dag); row++) {
        struct weft_dag_order order;
        struct weft_dag_node before, after;
        assert_true(weft_dag_order(dag, row, &order));
        weft_dag_node(dag, order.before, &before);
        weft_dag_node(dag, order.after, &after);
        sprintf(to + strlen(to), "%s%d>%d%s", row ? " " : "", (int)before.begin,
                (int)after.begin, (const char *[]){ "", "x", "i" }[order.kind]);
    }
}

static void check_orders(const char *description, const char *expected, int critical_path)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, description);
    struct weft_dag_node root;
    char text[1024];

    spell_orders(dag, text);
    assert_string_equal(text, expected);
    weft_dag_node(dag, 0, &root);
    assert_int_equal(root.critical_path, critical_path);
    weft_dag_close(dag);
    forget(&recorded);
}

/* Task 21 reads what 20 wrote, which ends at 1900: before that it is not ready. */
static void test_dependence(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, PROCESS "thread 0\n"
                                                     "starts 1000\n"
                                                     "1000 omp-initial 0 1\n"
                                                     "1200 omp-create 32 20 0x200\n"
                                                     "1200 omp-depends 1 20 0x9000\n"
                                                     "1300 omp-create 32 21 0x200\n"
                                                     "1300 omp-depends 0 21 0x9000\n"
                                                     "1400 omp-wait 0 0x300\n"
                                                     "1500 omp-schedule 7 20\n"
                                                     "1900 omp-schedule 1 1\n"
                                                     "2000 omp-schedule 7 21\n"
                                                     "2100 omp-schedule 1 1\n"
                                                     "2200 omp-waited 0\n");
    struct weft_dag_node root;

    (void)state;
    weft_dag_node(dag, 0, &root);
    assert_int_equal(root.ready[WEFT_DAG_EDGE_CREATE], (1500 - 1200) + (2000 - 1900));
    weft_dag_close(dag);
    forget(&recorded);
}

/* NUMBER is 20 to 24; each task takes 90, and begins at 100 * NUMBER. */
#define RUN(number)                                                                        \
# number "00 omp-schedule 7 " # number "\n" # number "90 omp-schedule 1 1\n"
#define NAMES(number, how)                                                                 \
 "1200 omp-create 32 " #number " 0x200\n1200 omp-depends " #how " " #number " 0x9000\n"
#define BEGIN PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n"
#define WAIT  "1400 omp-wait 0 0x300\n"
#define END   "8000 omp-waited 0\n"

/*
 * The rules of OpenMP's depend clause, on one address.  The initial task creates all at 1200,
 * after 200, waits after another 200, and goes on for 1000 when all have ended.
 */
static void test_order_of_dependences(void **state)
{
    (void)state;
    /* out, in, in, out, in: the two readers are not ordered. */
    check_orders(BEGIN NAMES(20, 1) NAMES(21, 0) NAMES(22, 0) NAMES(23, 1) NAMES(24, 0)
                     WAIT RUN(20) RUN(21) RUN(22) RUN(23) RUN(24) END,
                 "2000>2100 2000>2200 2100>2300 2200>2300 2300>2400", 1000 + 200 + 4 * 90);
    /* inoutset, inoutset, in, inoutset. */
    check_orders(BEGIN NAMES(20, 3) NAMES(21, 3) NAMES(22, 0) NAMES(23, 3) WAIT RUN(20)
                     RUN(21) RUN(22) RUN(23) END,
                 "2000>2200 2100>2200 2200>2300", 1000 + 200 + 3 * 90);
    /* mutexinoutset: three that exclude one another, whichever runs first, between outs. */
    check_orders(BEGIN NAMES(20, 1) NAMES(21, 2) NAMES(22, 2) NAMES(23, 2) NAMES(24, 1)
                     WAIT RUN(20) RUN(21) RUN(22) RUN(23) RUN(24) END,
                 "2000>2100 2000>2200 2100>2200x 2000>2300 2200>2300x 2100>2400 2200>2400 "
                 "2300>2400",
                 1000 + 200 + 5 * 90);
    /* All memory: after both, and before the last, of another address. */
    check_orders(
        BEGIN NAMES(20, 1) NAMES(21, 0) NAMES(
            22,
            4) "1300 omp-create 32 23 0x200\n1300 omp-depends 0 23 0x9900\n" WAIT RUN(20)
            RUN(21) RUN(22) RUN(23) END,
        "2000>2100 2100>2200 2200>2300", 1000 + 200 + 4 * 90);
    /* A task that names an address twice does not depend on itself. */
    check_orders(BEGIN NAMES(20, 0) "1200 omp-depends 1 20 0x9000\n" NAMES(21, 0)
                     WAIT RUN(20) RUN(21) END,
                 "2000>2100", 1000 + 400);
    /* After a taskwait nothing depends on what was before. */
    check_orders(
        BEGIN NAMES(20, 1) WAIT RUN(
            20) "2100 omp-waited 0\n2200 omp-create 32 21 0x200\n"
                "2200 omp-depends 1 21 0x9000\n2300 omp-wait 0 0x300\n"
                "2400 omp-schedule 7 21\n2410 omp-schedule 1 1\n2500 omp-waited 0\n",
        "", 400 + 100 + 100 + 6500);
}

/*
 * if(0): the creator waits for task 20 at once, and for what it depends on before; then a
 * taskwait for the one that wrote 0x9000, though 21 runs on.
 */
static void test_included_and_waited(void **state)
{
    (void)state;
    check_orders(PROCESS "thread 0\n"
                         "starts 1000\n"
                         "1000 omp-initial 0 1\n"
                         "1200 omp-create 1 20 0x200\n"
                         "1300 omp-schedule 7 20\n"
                         "1900 omp-schedule 1 1\n"
                         "2000 omp-wait 0 0x300\n"
                         "2000 omp-waited 0\n",
                 "1300>1900i", 200 + 600 + 7100);
    check_orders(PROCESS "thread 0\n"
                         "starts 1000\n"
                         "1000 omp-initial 0 1\n"
                         "1100 omp-create 32 20 0x200\n"
                         "1100 omp-depends 1 20 0x9000\n"
                         "1200 omp-create 0 21 0x200\n"
                         "1300 omp-create 120 22 0x300\n"
                         "1300 omp-depends 0 22 0x9000\n"
                         "1400 omp-schedule 7 20\n"
                         "2400 omp-schedule 1 1\n"
                         "2500 omp-schedule 8 22\n"
                         "2600 omp-wait 0 0x300\n"
                         "2600 omp-schedule 7 21\n"
                         "2700 omp-schedule 1 1\n"
                         "2800 omp-waited 0\n",
                 "1400>2500", 100 + 1000 + 100 + 6200);
    /* Nothing to wait for: the taskwait leaves no node, and no task is unfinished. */
    check(PROCESS "thread 0\n"
                  "starts 1000\n"
                  "1000 omp-initial 0 1\n"
                  "1300 omp-create 120 22 0x300\n"
                  "1300 omp-depends 0 22 0x9000\n"
                  "2500 omp-schedule 8 22\n",
          "task(end 1000-9000@0)");
}

/* A detached task ends when its event is fulfilled, at 3000, not when it leaves its thread. */
static void test_detached(void **state)
{
    (void)state;
    check(PROCESS "thread 0\n"
                  "starts 1000\n"
                  "1000 omp-initial 0 1\n"
                  "1200 omp-create 0 20 0x200\n"
                  "1300 omp-wait 0 0x300\n"
                  "1400 omp-schedule 7 20\n"
                  "1500 omp-schedule 4 1\n"
                  "3000 omp-schedule 6 20\n"
                  "3100 omp-waited 0\n",
          "task(section(create 1000-1200@0: task(other 1400-1500@0, end 3000-3000@0), "
          "wait 1200-1300@0), end 3100-9000@0)");
}

/* A task that was cancelled before it began is over, and took no time. */
static void test_discarded(void **state)
{
    (void)state;
    check(PROCESS "thread 0\n"
                  "starts 1000\n"
                  "1000 omp-initial 0 1\n"
                  "1200 omp-create 0 20 0x200\n"
                  "1300 omp-wait 0 0x300\n"
                  "1400 omp-discard 0 20\n"
                  "1400 omp-schedule 3 1\n"
                  "3100 omp-waited 0\n",
          "task(section(create 1000-1200@0: task(end 1400-1400@0), wait 1200-1300@0), "
          "end 3100-9000@0)");
}

/* Tasks that the runtime creates for a construct, as of a taskloop, have its creator's place. */
static void test_place_in_the_runtime(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, PROCESS "thread 0\n"
                                                     "starts 1000\n"
                                                     "1000 omp-initial 0 1\n"
                                                     "1200 omp-create 0 20 0x200\n"
                                                     "1300 omp-wait 0 0x300\n"
                                                     "1400 omp-schedule 7 20\n"
                                                     "1500 omp-create 0 21 0\n"
                                                     "1600 omp-schedule 1 1\n"
                                                     "1700 omp-schedule 7 21\n"
                                                     "1800 omp-schedule 1 1\n"
                                                     "2200 omp-waited 0\n");
    uint32_t site = WEFT_NONE;

    (void)state;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        if (node.kind != WEFT_DAG_CREATE)
            continue;
        assert_true(node.end_site != WEFT_NONE);
        assert_true(site == WEFT_NONE || site == node.end_site);
        site = node.end_site;
    }
    weft_dag_close(dag);
    forget(&recorded);
}

/*
 * Two threads execute a region twice.  Each time, the first works 300 in a loop and waits 0 at
 * its end, the other works 100 and waits 200; then one runs a single for 50, for which the
 * other waits, and a critical section, for which it waits 20, is work of the region alone.
 */
static void test_constructs(void **state)
{
    char text[8192] = PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n", *at;
    struct weft_constructs constructs;
    struct weft_err err = { 0 };
    struct recorded recorded;

    (void)state;
    for (int t = 0; t < 2; t++) {
        if (t == 1)
            strcat(text, "thread 1\nstarts 1000\n");
        for (int k = 0; k < 2; k++) {
            int base = 2000 + 1000 * k;
            at = text + strlen(text);
            if (t == 0)
                at += sprintf(at, "%d omp-parallel 2 %d 1 0x100\n", base, 10 + k);
            at +=
                sprintf(at, "%d omp-implicit %d %d %d\n", base, t, 10 + k, 20 + 2 * k + t);
            at += sprintf(at, "%d omp-work 0 0x110 64\n%d omp-worked 0\n", base + 10,
                          base + 10 + (t ? 100 : 300));
            at += sprintf(at, "%d omp-wait 3 0x110\n%d omp-waited 3\n",
                          base + 10 + (t ? 100 : 300), base + 310);
            if (t == 1)
                at += sprintf(at, "%d omp-work 2 0x120 1\n", base + 310);
            at += sprintf(at, "%d omp-wait 3 0x120\n%d omp-waited 3\n",
                          base + (t ? 360 : 310), base + 360);
            if (t == 0)
                at += sprintf(at,
                              "%d omp-lock-wait 1 7 0x130\n%d omp-lock 1 7\n"
                              "%d omp-unlock 1 7\n",
                              base + 360, base + 380, base + 390);
            at += sprintf(at, "%d omp-wait 3 0\n%d omp-waited 3\n", base + 390, base + 400);
            at += sprintf(at, "%d omp-implicit-end 0 %d\n", base + 400, 20 + 2 * k + t);
            if (t == 0)
                sprintf(at, "%d omp-parallel-end 0 %d 1\n", base + 400, 10 + k);
        }
    }
    recorded = synthetic_trace(text);
    assert_true(weft_constructs_read(recorded.source, 0, recorded.source->schema->span,
                                     NULL, &constructs, &err));
    assert_int_equal(constructs.n, 3);
    /* The loop. */
    assert_int_equal(constructs.list[0].count, 2);
    assert_int_equal(constructs.list[0].most, 300);
    assert_int_equal(constructs.list[0].least, 100);
    assert_int_equal(constructs.list[0].slowest, 600);
    assert_int_equal(constructs.list[0].mean, 400);
    assert_int_equal(constructs.list[0].waited, 2 * 200);
    assert_int_equal(constructs.list[0].iterations, 2 * 64);
    /* The region: 400 each without waits of 50 + 20 + 10, and of 200 + 10. */
    assert_int_equal(constructs.list[1].count, 2);
    assert_int_equal(constructs.list[1].threads, 2);
    assert_int_equal(constructs.list[1].most, 320);
    assert_int_equal(constructs.list[1].least, 190);
    assert_int_equal(constructs.list[1].work, 2 * (320 + 190));
    assert_int_equal(constructs.list[1].waited, 2 * (10 + 10));
    /* The single, of which the runtime does not tell the end. */
    assert_int_equal(constructs.list[2].threads, 1);
    assert_int_equal(constructs.list[2].work, 2 * 50);
    assert_int_equal(constructs.list[2].waited, 2 * 50);
    weft_constructs_free(&constructs);
    /* In half of the second region's loop: that half alone. */
    assert_true(weft_constructs_read(recorded.source, 0, (struct weft_span){ 3060, 3110 },
                                     NULL, &constructs, &err));
    assert_int_equal(constructs.n, 2);
    assert_int_equal(constructs.list[0].work + constructs.list[1].work, 4 * 50);
    weft_constructs_free(&constructs);
    forget(&recorded);
}

/* The loop of a "parallel for", whose place the runtime tells of the first thread only. */
static void test_combined_construct(void **state)
{
    struct recorded recorded =
        synthetic_trace(PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n"
                                "2000 omp-parallel 2 10 1 0x100\n"
                                "2000 omp-implicit 0 10 20\n"
                                "2000 omp-work 0 0x100 8\n"
                                "2300 omp-worked 0\n"
                                "2300 omp-implicit-end 0 20\n"
                                "2300 omp-parallel-end 0 10 1\n"
                                "thread 1\nstarts 1000\n"
                                "2000 omp-implicit 1 10 21\n"
                                "2000 omp-work 0 0 8\n"
                                "2100 omp-worked 0\n"
                                "2300 omp-implicit-end 0 21\n");
    struct weft_constructs constructs;
    struct weft_err err = { 0 };

    (void)state;
    assert_true(weft_constructs_read(recorded.source, 0, recorded.source->schema->span,
                                     NULL, &constructs, &err));
    assert_int_equal(constructs.n, 2);
    assert_int_equal(constructs.list[1].count, 1);
    assert_int_equal(constructs.list[1].threads, 2);
    assert_int_equal(constructs.list[1].least, 100);
    assert_int_equal(constructs.list[1].slowest, 300);
    assert_int_equal(constructs.list[1].mean, 200);
    assert_int_equal(constructs.list[1].iterations, 8);
    weft_constructs_free(&constructs);
    forget(&recorded);
}

/* Waits, loops and critical sections are states of the thread, tasks that run meanwhile inside. */
static void test_states(void **state)
{
    struct recorded recorded = synthetic_trace(PROCESS "thread 0\n"
                                                       "starts 1000\n"
                                                       "1000 omp-initial 0 1\n"
                                                       "1100 omp-work 0 0x100 64\n"
                                                       "1200 omp-lock-wait 1 7 0x200\n"
                                                       "1300 omp-lock 1 7\n"
                                                       "1400 omp-unlock 1 7\n"
                                                       "1500 omp-worked 0\n"
                                                       "1600 omp-create 0 20 0x300\n"
                                                       "1700 omp-wait 0 0x300\n"
                                                       "1800 omp-schedule 7 20\n"
                                                       "1900 omp-schedule 1 1\n"
                                                       "2000 omp-waited 0\n");
    static const struct {
        const char *value;
        int64_t begin, end;
        uint32_t depth;
    } expected[] = { { "loop", 1100, 1500, 0 },
                     { "waits for a critical section", 1200, 1300, 1 },
                     { "critical section", 1300, 1400, 1 },
                     { "taskwait", 1700, 2000, 0 },
                     { "task", 1800, 1900, 1 } };
    struct found_state found[8];
    uint32_t thread = container(&recorded, "Thread", "tasks");

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, thread, "OpenMP"), found, 8), 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(found[i].value, expected[i].value);
        assert_int_equal(found[i].state.begin, expected[i].begin);
        assert_int_equal(found[i].state.end, expected[i].end);
        assert_int_equal(found[i].state.depth, expected[i].depth);
    }
    forget(&recorded);
}

/* What a program says itself is believed, beside what its runtime tells. */
/*
 * The region ends at 4700, as its first thread says; the other one leaves its barrier, as the
 * runtime says, only when the next region begins, at 6000: until then it is in no region.
 */
static void test_end_of_region(void **state)
{
    struct recorded recorded = synthetic_trace(PROCESS "thread 0\n"
                                                       "starts 1000\n"
                                                       "1500 omp-initial 0 1\n"
                                                       "2000 omp-parallel 2 10 1 0x100\n"
                                                       "2100 omp-implicit 0 10 11\n"
                                                       "4500 omp-wait 3 0x400\n"
                                                       "4600 omp-waited 3\n"
                                                       "4600 omp-implicit-end 0 11\n"
                                                       "4700 omp-parallel-end 0 10 1\n"
                                                       "5900 omp-parallel 2 13 1 0x100\n"
                                                       "thread 1\n"
                                                       "2200 omp-implicit 1 10 12\n"
                                                       "2300 omp-wait 3 0x400\n"
                                                       "6000 omp-waited 3\n"
                                                       "6000 omp-implicit-end 0 12\n"
                                                       "6000 omp-implicit 1 13 14\n"
                                                       "7000 omp-wait 3 0x400\n");
    static const struct {
        const char *value;
        int64_t begin, end;
    } expected[] = { { "parallel region", 2200, 4700 },
                     { "implicit barrier", 2300, 4700 },
                     { "parallel region", 6000, 9000 },
                     { "implicit barrier", 7000, 9000 } };
    struct found_state found[8];
    uint32_t thread = container(&recorded, "Thread", "thread 1");

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, thread, "OpenMP"), found, 8), 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(found[i].value, expected[i].value);
        assert_int_equal(found[i].state.begin, expected[i].begin);
        assert_int_equal(found[i].state.end, expected[i].end);
    }
    forget(&recorded);
}

static void test_points(void **state)
{
    (void)state;
    check(PROCESS "thread 0\n"
                  "starts 1000\n"
                  "1000 omp-initial 0 1\n"
                  "2000 task-start 0 30 0x100\n"
                  "2050 task-point 5 30 0x100\n" /* a group */
                  "2100 task-creates 0 30 0x100 31\n"
                  "2110 omp-create 0 20 0x200\n"
                  "2200 task-point 2 30 0x100\n"
                  "2300 task-point 3 30 0x100\n"
                  "2900 task-point 4 30 0x100\n"
                  "3000 task-stop 0 30 0x100\n"
                  "thread 1\n"
                  "2090 task-point 0 31 0x100\n" /* before it was created: a clock ahead */
                  "2800 task-point 1 31 0x100\n",
          "task(section(create 2000-2100@0: task(end 2100-2800@1), "
          "wait 2200-2300@0), end 2900-3000@0)");
}

/* A killed program: what it had begun ends with the recording, and that is said. */
static void test_killed(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, PROCESS "killed\n"
                                                     "thread 0\n"
                                                     "starts 1000\n"
                                                     "1000 omp-initial 0 1\n"
                                                     "1200 omp-create 0 20 0x200\n"
                                                     "1250 omp-create 0 21 0x200\n"
                                                     "1300 omp-wait 0 0x300\n"
                                                     "1400 omp-schedule 7 21\n");
    struct weft_dag_node root;

    (void)state;
    weft_dag_node(dag, 0, &root);
    assert_int_equal(root.leaves[WEFT_DAG_END], 3);
    assert_true(has_problem(&recorded, "unfinished-tasks"));
    weft_dag_close(dag);
    forget(&recorded);
}

/*
 * A task that is created at 3000 and runs on the other thread: what each thread counts between
 * two of its records is of the interval that it ran.
 */
static void test_counters(void **state)
{
    struct recorded recorded;
    struct weft_dag_node root, node;
    char name[32];
    struct weft_dag *dag = dag_of(
        &recorded, "fact counters=cycles,instructions,page-faults\n" PROCESS "thread 0\n"
                   "starts 1000\n"
                   "1400 omp-runtime LLVM OMP version: 5\n"
                   "1450 omp-uncounted 1 2\n"
                   "1500 omp-initial 0 1\n"
                   "2000 omp-counts 0 100 0 1\n"
                   "2000 omp-parallel 2 10 1 0x100\n"
                   "2100 omp-counts 0 110 0 1\n"
                   "2100 omp-implicit 0 10 11\n"
                   "3000 omp-counts 0 500 0 2\n"
                   "3000 omp-create 0 20 0x200\n"
                   "3200 omp-counts 0 505 0 2\n"
                   "3200 omp-wait 0 0x300\n"
                   "4100 omp-counts 0 520 0 2\n"
                   "4100 omp-waited 0\n"
                   "4500 omp-counts 0 600 0 2\n"
                   "4500 omp-wait 3 0x400\n"
                   "4600 omp-waited 3\n"
                   "4600 omp-implicit-end 0 11\n"
                   "4700 omp-counts 0 620 0 2\n"
                   "4700 omp-parallel-end 0 10 1\n"
                   "thread 1\n"
                   "2200 omp-implicit 1 10 12\n"
                   "2300 omp-wait 3 0x400\n"
                   "3050 omp-counts 0 7000 0 40\n"
                   "3050 omp-schedule 7 20\n"
                   "4000 omp-counts 0 7900 0 44\n"
                   "4000 omp-schedule 1 12\n"
                   "6000 omp-waited 3\n"
                   "6000 omp-implicit-end 0 12\n");

    (void)state;
    weft_dag_node(dag, 0, &root);
    /* Until the region, the creation, the wait; behind that; and 900 in the task.  What threads
       count while their tasks wait is nobody's. */
    assert_int_equal(root.counters[0], 100 + 390 + 5 + 80 + 900);
    assert_int_equal(root.counters[1], 0);
    assert_int_equal(root.counters[2], 1 + 1 + 0 + 4);
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        weft_dag_node(dag, i, &node);
        if (node.kind == WEFT_DAG_TASK && node.begin == 3050)
            assert_int_equal(node.counters[0], 900);
    }
    assert_true(weft_dag_counter_name(dag, 0, name, sizeof name));
    assert_string_equal(name, "cycles");
    assert_false(weft_dag_counter_name(dag, 1, name, sizeof name));
    assert_true(weft_dag_counter_name(dag, 2, name, sizeof name));
    assert_string_equal(name, "page-faults");
    assert_false(weft_dag_counter_name(dag, 3, name, sizeof name));
    assert_string_equal(note(&recorded, "runtime"), "LLVM OMP");
    assert_int_equal(recorded.schema->n_problems, 1);
    weft_dag_close(dag);
    forget(&recorded);
}

/*
 * A task whose child nobody waits for: the taskwait joins the task, and not its child, which goes
 * on until the region's end.
 */
static void test_grandchild(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, PROCESS "thread 0\n"
                                                     "starts 1000\n"
                                                     "1500 omp-initial 0 1\n"
                                                     "2000 omp-parallel 1 10 1 0x100\n"
                                                     "2100 omp-implicit 0 10 11\n"
                                                     "3000 omp-create 0 20 0x200\n"
                                                     "3100 omp-wait 0 0x300\n"
                                                     "3200 omp-schedule 7 20\n"
                                                     "3300 omp-create 0 21 0x210\n"
                                                     "3400 omp-schedule 1 11\n"
                                                     "3500 omp-waited 0\n"
                                                     "3600 omp-wait 3 0x400\n"
                                                     "3700 omp-schedule 7 21\n"
                                                     "3800 omp-schedule 1 11\n"
                                                     "3900 omp-waited 3\n"
                                                     "3900 omp-implicit-end 0 11\n"
                                                     "4000 omp-parallel-end 0 10 1\n");
    struct weft_dag_node from, to;
    struct weft_dag_arc arcs[WEFT_DAG_ARCS];
    int seen = 0;

    (void)state;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        weft_dag_node(dag, i, &from);
        if (from.kind != WEFT_DAG_END || (from.begin != 3700 && from.end != 3400))
            continue;
        assert_int_equal(weft_dag_successors(dag, i, arcs), 1);
        assert_int_equal(arcs[0].kind, WEFT_DAG_EDGE_END);
        weft_dag_node(dag, arcs[0].to, &to);
        /* The task is joined at 3500; its child by the region, behind which the root goes on. */
        assert_int_equal(to.begin, from.end == 3400 ? 3500 : 4000);
        seen++;
    }
    assert_int_equal(seen, 2);
    weft_dag_close(dag);
    forget(&recorded);
}

static void test_contraction_rules(void **state)
{
    static const char *const wrong[] = { "",
                                         "yes",
                                         "least",
                                         "least=",
                                         "least=1h",
                                         "least=1ms,",
                                         "most=-1",
                                         "leaves=0",
                                         "leaves=3s",
                                         "leaves=3,most=1",
                                         "most=1,most=2",
                                         "least=99999999999999999999",
                                         "most=9999999999s" };
    struct weft_dag_contraction rule;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(weft_recording_contraction(wrong[i], &rule));
        assert_true(!rule.off && rule.least == 0 && rule.most == INT64_MAX);
    }
    assert_true(weft_recording_contraction(NULL, &rule) && !rule.off);
    assert_true(weft_recording_contraction("on", &rule) && !rule.off);
    assert_true(weft_recording_contraction("off", &rule) && rule.off);
    assert_true(weft_recording_contraction("most=2ms,least=15", &rule));
    assert_true(!rule.off && rule.least == 15 && rule.most == 2000000 && rule.leaves == 0);
    assert_true(weft_recording_contraction("least=1s", &rule));
    assert_true(rule.least == 1000000000 && rule.most == INT64_MAX);
    assert_true(weft_recording_contraction("leaves=7", &rule) && rule.leaves == 7);
}

/* Records in no order that any runtime keeps: whatever comes of it, the DAG is one. */
static void test_any_order(void **state)
{
    static const char *const verbs[] = {
        "initial", "parallel", "parallel-end", "implicit", "implicit-end", "create",
        "create",  "schedule", "schedule",     "schedule", "depends",      "wait",
        "waited",  "group",    "work",         "worked",   "lock-wait",    "lock",
        "unlock",  "counts",   "uncounted"
    };

    (void)state;
    for (int i = 0; i < 200; i++) {
        char text[16384] = PROCESS;
        int n = (int)strlen(text), time = 1000;
        struct recorded recorded;
        struct weft_dag_node node;
        struct weft_err err = { 0 };
        struct weft_dag *dag;
        for (int thread = 0; thread < 2; thread++) {
            time = 1000;
            n += sprintf(text + n, "thread %d\nstarts 1000\n", thread);
            if (thread == 0)
                n += sprintf(text + n, "1000 omp-initial 0 1\n");
            for (int k = 0; k < 40; k++)
                n += sprintf(text + n, "%d omp-%s %u %u %u %u\n", time += (int)roll(100),
                             verbs[roll(sizeof verbs / sizeof *verbs)], (unsigned)roll(8),
                             1 + (unsigned)roll(8), 1 + (unsigned)roll(8),
                             (unsigned)roll(8));
        }
        recorded = synthetic_trace(text);
        dag = weft_dag_open(recorded.source, &err);
        assert_non_null(dag);
        weft_dag_node(dag, 0, &node);
        assert_int_equal(node.materialized, weft_dag_size(dag));
        assert_int_equal(node.leaves[WEFT_DAG_CREATE] + 1, node.leaves[WEFT_DAG_END]);
        weft_dag_close(dag);
        forget(&recorded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_what_follows_a_wait),
        cmocka_unit_test(test_skewed_clocks),
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_dependence),
        cmocka_unit_test(test_order_of_dependences),
        cmocka_unit_test(test_included_and_waited),
        cmocka_unit_test(test_detached),
        cmocka_unit_test(test_constructs),
        cmocka_unit_test(test_combined_construct),
        cmocka_unit_test(test_discarded),
        cmocka_unit_test(test_place_in_the_runtime),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_grandchild),
        cmocka_unit_test(test_end_of_region),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_contraction_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
