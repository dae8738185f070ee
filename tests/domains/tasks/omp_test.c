/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task parallelism: what becomes of OpenMP's records and of weft_task.h's.  The recordings are
 * described in the tests (synthetic.h), whose clocks count nanoseconds, so that a record's
 * number is its time; the processes end at 9000.  What is expected is worked out beside each.
 */
#include "omp_dags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/join/contraction_rules.h"
#include "tests/count_where.h"
#include "tests/random.h"

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
    check_dag(TWO_THREADS "3050 omp-schedule 7 20\n"
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

/*
 * Both tasks are created by the first thread's implicit one, 11.  One yields at 3500 and goes
 * on at 3600: it is two states, of which the first names its creator.
 */
static void test_tasks_name_their_creators(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag;

    (void)state;
    dag = dag_of(&recorded, TWO_THREADS "3050 omp-schedule 7 20\n"
                                        "3500 omp-schedule 2 12\n"
                                        "3600 omp-schedule 7 20\n"
                                        "4000 omp-schedule 1 12\n");
    assert_int_equal(count_where(recorded.source, "creator-number = 11"), 2);
    assert_int_equal(count_where(recorded.source, "creator = 12"), 0);
    assert_int_equal(count_where(recorded.source, "task-number = 20"), 2);
    assert_int_equal(count_where(recorded.source, "task-number = 21"), 1);
    weft_dag_close(dag);
    forget(&recorded);
}

/* The thread is in its taskwait from 3200 on, runs a task of it from 3300 to 3800, and could go
   on at 4000, when the other task ended: for 100 + 200 it waited, then it was delayed. */
static void test_task_waits(void **state)
{
    struct recorded recorded;
    struct weft_dag_shares shares;
    struct weft_dag *dag;

    (void)state;
    dag = dag_of(&recorded, TWO_THREADS "3050 omp-schedule 7 20\n"
                                        "4000 omp-schedule 1 12\n");
    assert_true(weft_dag_shares(dag, &shares));
    assert_int_equal(shares.task_waits, 300);
    assert_int_equal(shares.waiting, 300);
    assert_int_equal(shares.work + shares.waiting + shares.delay + shares.no_work,
                     2 * 8000);
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
    check_dag(PROCESS "thread 0\n"
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
    check_dag(PROCESS "thread 0\n"
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

/* Waits, loops and critical sections are states of the thread, tasks that run meanwhile inside.
   Nobody waits for a section that is free. */
static void test_states(void **state)
{
    struct recorded recorded = synthetic_trace(PROCESS "thread 0\n"
                                                       "starts 1000\n"
                                                       "1000 omp-initial 0 1\n"
                                                       "1100 omp-work 0 0x100 64\n"
                                                       "1200 omp-lock-wait 1 7 0x200\n"
                                                       "2300 omp-lock 1 7\n"
                                                       "2400 omp-unlock 1 7\n"
                                                       "2500 omp-worked 0\n"
                                                       "2600 omp-create 0 20 0x300\n"
                                                       "2700 omp-wait 0 0x300\n"
                                                       "2800 omp-schedule 7 20\n"
                                                       "2900 omp-schedule 1 1\n"
                                                       "3000 omp-waited 0\n");
    static const struct {
        const char *value;
        int64_t begin, end;
        uint32_t depth;
    } expected[] = { { "loop", 1100, 2500, 0 },
                     { "critical section", 2300, 2400, 1 },
                     { "taskwait", 2700, 3000, 0 },
                     { "task", 2800, 2900, 1 } };
    struct found_state found[8];
    uint32_t thread = container(&recorded, "Thread", "tasks");

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, thread, "OpenMP"), found, 8), 4);
    for (int i = 0; i < 4; i++) {
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
    check_dag(PROCESS
              "thread 0\n"
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
        cmocka_unit_test(test_tasks_name_their_creators),
        cmocka_unit_test(test_task_waits),
        cmocka_unit_test(test_what_follows_a_wait),
        cmocka_unit_test(test_skewed_clocks),
        cmocka_unit_test(test_one_thread),
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
