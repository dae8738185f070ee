/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP's locks and critical sections: what becomes of their records.  Clocks count nanoseconds,
 * so that a record's number is its time; the processes end at 9000.
 */
#include <stdio.h>
#include <string.h>

#include "omp_dags.h"

#define REGION                                                                             \
 PROCESS "thread 0\n"                                                                      \
         "starts 1000\n"                                                                   \
         "1500 omp-initial 0 1\n"                                                          \
         "2000 omp-parallel 2 10 1 0x100\n"                                                \
         "2100 omp-implicit 0 10 11\n"

struct expected_state {
    const char *value;
    int64_t begin, end;
    const char *text;
    int64_t acquisition;
};

static void check_states(const struct recorded *recorded, uint32_t on,
                         const struct expected_state *expected, size_t n)
{
    struct found_state found[16];

    assert_int_equal(states(recorded, on, found, 16), n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(found[i].value, expected[i].value);
        assert_int_equal(found[i].state.begin, expected[i].begin);
        assert_int_equal(found[i].state.end, expected[i].end);
        assert_string_equal(found[i].text, expected[i].text);
        assert_int_equal(found[i].integer, expected[i].acquisition);
    }
}

/* The state of a thread with this value; fails unless there are N of it. */
static struct found_state one_of(const struct recorded *recorded, const char *thread,
                                 const char *value, size_t n)
{
    struct found_state found[16], one = { 0 };
    uint32_t on = track(recorded, container(recorded, "Thread", thread), "OpenMP");
    size_t count = states(recorded, on, found, 16), fit = 0;

    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].value, value) == 0) {
            one = found[i];
            fit++;
        }
    assert_int_equal(fit, n);
    return one;
}

/*
 * The first thread has the section at once, for which it does not wait; the other one waits for
 * it from 3000 to 5000.  That the first one has left is told at 5010 only.
 */
static void test_critical(void **state)
{
    static const struct expected_state of_section[] = {
        { "held", 2250, 3000, "tasks", 1 },
        { "held, others blocked", 3000, 5000, "tasks", 0 },
        { "held", 5000, 6500, "thread 1", 1 },
        { "free", 6500, 9000, "", 0 },
    };
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, REGION "2200 omp-lock-wait 1 7 0x300\n"
                                                    "2250 omp-lock 1 7\n"
                                                    "5010 omp-unlock 1 7\n"
                                                    "6600 omp-wait 3 0x400\n"
                                                    "7000 omp-waited 3\n"
                                                    "7000 omp-implicit-end 0 11\n"
                                                    "7000 omp-parallel-end 0 10 1\n"
                                                    "thread 1\n"
                                                    "2100 omp-implicit 1 10 12\n"
                                                    "3000 omp-lock-wait 1 7 0x300\n"
                                                    "5000 omp-lock 1 7\n"
                                                    "6500 omp-unlock 1 7\n"
                                                    "6600 omp-wait 3 0x400\n"
                                                    "7000 omp-waited 3\n"
                                                    "7000 omp-implicit-end 0 12\n");
    uint32_t section = container(&recorded, "Critical section", "critical section");
    uint32_t first = container(&recorded, "Thread", "tasks");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct found_state wait =
        one_of(&recorded, "thread 1", "waits for a critical section", 1);
    struct weft_dag_node node;
    struct weft_link link;
    int64_t waiting = 0;

    (void)state;
    check_states(&recorded, track(&recorded, section, "Lock state"), of_section, 4);
    assert_int_equal(wait.state.begin, 3000);
    assert_int_equal(wait.state.end, 5000);
    assert_string_equal(wait.text, "critical section");
    (void)one_of(&recorded, "tasks", "waits for a critical section", 0);
    assert_int_equal(count_links(&recorded, "Lock given back", NULL, first, second, &link),
                     1);
    assert_int_equal(link.begin, 5000);
    assert_int_equal(link.end, 5000);
    assert_true(link.to_entity == wait.state.id);
    /* Not work: 1000 of the root, 4500 of each thread to the barrier, 2000 behind the region. */
    weft_dag_node(dag, 0, &node);
    assert_int_equal(node.waiting, 2000);
    assert_int_equal(node.work, 1000 + 2 * 4500 - 2000 + 2000);
    assert_int_equal(node.critical_path, 1000 + 4500 + 2000);
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        weft_dag_node(dag, i, &node);
        if (node.kind < WEFT_DAG_LEAF_KINDS && node.waiting > 0) {
            waiting += node.waiting;
            assert_int_equal(node.worker, 1);
            assert_int_equal(node.work, node.end - node.begin - 2000);
        }
    }
    assert_int_equal(waiting, 2000);
    weft_dag_close(dag);
    forget(&recorded);
}

/* A thread that never gets a lock waits for it until the process ends. */
static void test_never_got(void **state)
{
    struct recorded recorded = synthetic_trace(REGION "2250 omp-lock 0 7\n"
                                                      "thread 1\n"
                                                      "2100 omp-implicit 1 10 12\n"
                                                      "3000 omp-lock-wait 0 7 0x300\n");
    struct found_state wait = one_of(&recorded, "thread 1", "waits for a lock", 1);

    (void)state;
    assert_int_equal(wait.state.begin, 3000);
    assert_int_equal(wait.state.end, 9000);
    assert_string_equal(wait.text, "lock");
    forget(&recorded);
}

/*
 * Two locks of one address and other kinds are two; locks of one name are numbered; the turn in an
 * ordered section is no object.  A lock that was tried, and got, was not waited for.  A nested lock
 * is held until it was given back as often as it was taken.
 */
static void test_kinds(void **state)
{
    struct recorded recorded = synthetic_trace(REGION "2200 omp-lock 0 7\n"
                                                      "2250 omp-lock 0 7\n"
                                                      "2260 omp-unlock 0 7\n"
                                                      "2300 omp-unlock 0 7\n"
                                                      "2400 omp-lock 0 8\n"
                                                      "2500 omp-unlock 0 8\n"
                                                      "2600 omp-lock-wait 1 7 0x300\n"
                                                      "2700 omp-lock 1 7\n"
                                                      "2800 omp-unlock 1 7\n"
                                                      "3000 omp-lock-wait 3 7 0x300\n"
                                                      "4500 omp-lock 3 7\n"
                                                      "4600 omp-unlock 3 7\n"
                                                      "4700 omp-lock-wait 3 7 0x300\n"
                                                      "4800 omp-lock 3 7\n"
                                                      "4900 omp-unlock 3 7\n");
    static const struct expected_state of_nested[] = { { "held", 2200, 2300, "tasks", 1 },
                                                       { "free", 2300, 9000, "", 0 } };
    struct found_state turn = one_of(&recorded, "tasks", "waits for its turn", 1);

    (void)state;
    assert_int_equal(count_containers(&recorded, "OpenMP lock"), 2);
    assert_int_equal(count_containers(&recorded, "Critical section"), 1);
    check_states(
        &recorded,
        track(&recorded, container(&recorded, "OpenMP lock", "lock"), "Lock state"),
        of_nested, 2);
    (void)container(&recorded, "OpenMP lock", "lock 2");
    (void)one_of(&recorded, "tasks", "waits for a lock", 0);
    (void)one_of(&recorded, "tasks", "waits for a critical section", 0);
    (void)one_of(&recorded, "tasks", "ordered", 2);
    assert_int_equal(turn.state.begin, 3000);
    assert_int_equal(turn.state.end, 4500);
    assert_string_equal(turn.text, "");
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_critical),
        cmocka_unit_test(test_never_got),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
