/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several programs with tasks in one recording: the DAG's root is around them.  Clocks count
 * nanoseconds, so that a record's number is its time; the processes end at 9000.
 */
#include <stdio.h>
#include <string.h>

#include "omp_dags.h"

/*
 * Both use the same numbers of tasks.  The second one begins first; each creates a task, runs it,
 * and waits for it.
 */
#define TWO_PROGRAMS                                                                       \
 PROCESS "thread 0\n"                                                                      \
         "starts 1500\n"                                                                   \
         "1500 omp-initial 0 1\n"                                                          \
         "2000 omp-create 0 20 0x200\n"                                                    \
         "2100 omp-wait 0 0x300\n"                                                         \
         "2200 omp-schedule 7 20\n"                                                        \
         "4200 omp-schedule 1 1\n"                                                         \
         "4300 omp-waited 0\n"                                                             \
         "process 11 tasks\n"                                                              \
         "families 16\n"                                                                   \
         "thread 0\n"                                                                      \
         "starts 1000\n"                                                                   \
         "1000 omp-initial 0 1\n"                                                          \
         "3000 omp-create 0 20 0x200\n"                                                    \
         "3100 omp-wait 0 0x300\n"                                                         \
         "3200 omp-schedule 7 20\n"                                                        \
         "3300 omp-schedule 1 1\n"                                                         \
         "3400 omp-waited 0\n"

static void test_programs(void **state)
{
    struct recorded recorded;
    struct weft_dag_shares shares;
    struct weft_dag_node root;
    struct weft_dag *dag;
    uint32_t programs = 0;

    (void)state;
    check_dag(
        TWO_PROGRAMS,
        "task(section("
        "create 1000-1000@-1: task(section(create 1000-3000@0: task(end 3200-3300@0), "
        "wait 3000-3100@0), end 3400-9000@0), "
        "create 1500-1500@-1: task(section(create 1500-2000@1: task(end 2200-4200@1), "
        "wait 2000-2100@1), end 4300-9000@1)), "
        "end 9000-9000@-1)");
    dag = dag_of(&recorded, TWO_PROGRAMS);
    assert_true(weft_dag_has_several(dag));
    weft_dag_node(dag, 0, &root);
    assert_int_equal(root.work, (2000 + 100 + 100 + 5600) + (500 + 100 + 2000 + 4700));
    /* The first program: 2000, its task or the way to the wait, and 5600. */
    assert_int_equal(root.critical_path, 2000 + 100 + 5600);
    assert_int_equal(root.first_ready, 1000);
    assert_int_equal(root.end, 9000);
    assert_true(weft_dag_shares(dag, &shares));
    assert_int_equal(shares.work + shares.waiting + shares.delay + shares.no_work,
                     2 * 8000);
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        if (node.kind != WEFT_DAG_TASK || !weft_dag_is_program(dag, i))
            continue;
        programs++;
        assert_int_equal(node.end, 9000);
    }
    assert_int_equal(programs, 2);
    assert_string_equal(note(&recorded, WEFT_DAG_NOTE_PROGRAMS), "tasks");
    weft_dag_close(dag);
    forget(&recorded);
}

/* A program alone is the root itself, also beside one without tasks. */
static void test_one(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag;

    (void)state;
    dag = dag_of(&recorded, PROCESS "thread 0\n"
                                    "starts 1500\n"
                                    "1500 omp-initial 0 1\n"
                                    "process 11 other\n"
                                    "families 16\n"
                                    "thread 0\n"
                                    "starts 1000\n");
    assert_false(weft_dag_has_several(dag));
    assert_true(weft_dag_is_program(dag, 0));
    assert_string_equal(note(&recorded, WEFT_DAG_NOTE_PROGRAMS), "tasks");
    weft_dag_close(dag);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
