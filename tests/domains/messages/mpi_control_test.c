/* SPDX-License-Identifier: Apache-2.0 */
/* Where MPI_Pcontrol has stopped the recording: what is shown, and what is only counted. */
#include "tests/unit/recording/synthetic.h"

#include <string.h>

#define RANK_0                                                                             \
 "host alpha boot-a ns\n"                                                                  \
 "process 10 ring\n"                                                                       \
 "families 8\n"                                                                            \
 "thread 0\n"                                                                              \
 "1000 mpi-rank 0 2\n"
#define RANK_1                                                                             \
 "process 11 ring\n"                                                                       \
 "families 8\n"                                                                            \
 "thread 0\n"                                                                              \
 "1001 mpi-rank 1 2\n"

static uint64_t count_of(const struct recorded *recorded, const char *type)
{
    uint32_t of = track(recorded, 0, type);

    return of == WEFT_NONE ? 0 : recorded->schema->tracks[of].count;
}

/* The calls of the thread of a rank. */
static size_t calls_of(const struct recorded *recorded, const char *rank,
                       struct found_state *found, size_t most)
{
    uint32_t process = container(recorded, "Process", rank);
    uint32_t order = recorded->schema->containers[process].order;

    return states(recorded,
                  track(recorded, recorded->schema->preorder[order + 1], "MPI call"), found,
                  most);
}

/* It is neither the program's work nor a wait. */
static void assert_unrecorded(const struct recorded *recorded,
                              const struct found_state *found, int64_t begin, int64_t end)
{
    const struct weft_value *value = &recorded->schema->values[found->state.value];

    assert_string_equal(found->value, "not recorded");
    assert_int_equal(value->role, WEFT_ROLE_MEASURING);
    assert_int_equal(found->state.begin, begin);
    assert_int_equal(found->state.end, end);
}

static const char *message_of(const struct recorded *recorded, const char *kind)
{
    for (uint32_t i = 0; i < recorded->schema->n_problems; i++)
        if (strcmp(recorded->schema->problems[i].kind, kind) == 0)
            return recorded->schema->problems[i].message;
    return "";
}

/*
 * Of three messages the second is sent in a stretch in which rank 0 has stopped: it is received
 * by the second receive, not by one of the others, and neither it nor its send is shown.
 */
static void test_messages(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                               "2010 mpi-return 0\n"
                               "2100 mpi-call Pcontrol\n"
                               "2100 mpi-shown 0\n"
                               "2110 mpi-return 0\n"
                               "2200 mpi-send Send 1:7 1 20\n"
                               "2210 mpi-return 0\n"
                               "2300 mpi-call Pcontrol\n"
                               "2300 mpi-shown 1\n"
                               "2310 mpi-return 0\n"
                               "2400 mpi-send Send 1:7 1 300\n"
                               "2410 mpi-return 0\n" RANK_1 "3000 mpi-receive Recv 0:7 1\n"
                               "3010 mpi-received 0 0:7 1\n"
                               "3100 mpi-receive Recv 0:7 1\n"
                               "3110 mpi-received 0 0:7 20\n"
                               "3200 mpi-receive Recv 0:7 1\n"
                               "3210 mpi-received 0 0:7 300\n");
    struct found_state found[8];

    (void)state;
    assert_int_equal(count_of(&recorded, "MPI message"), 2);
    /* The stops themselves are shown: two sends, two of these, and what is between them. */
    assert_int_equal(calls_of(&recorded, "rank 0", found, 8), 5);
    assert_string_equal(found[1].value, "MPI_Pcontrol");
    assert_int_equal(found[1].state.end, 2110);
    assert_unrecorded(&recorded, &found[2], 2110, 2300);
    assert_string_equal(found[3].value, "MPI_Pcontrol");
    assert_int_equal(found[3].state.begin, 2300);
    assert_int_equal(calls_of(&recorded, "rank 1", found, 8), 3);
    assert_false(has_problem(&recorded, "receive-without-send"));
    assert_false(has_problem(&recorded, "send-without-receive"));
    assert_string_equal(message_of(&recorded, "stopped-by-program"),
                        "1 message was sent or received while MPI_Pcontrol had stopped the "
                        "recording: it is not shown");
    forget(&recorded);
}

/*
 * A receive that is begun in a stopped stretch and complete after it is shown, at its wait; one
 * that is begun before and complete in it is not; what is never received is no fault if it was
 * sent in one.
 */
static void test_requests(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1500 mpi-call Pcontrol\n"
                               "1500 mpi-shown 0\n"
                               "1510 mpi-return 0\n"
                               "2000 mpi-receive Irecv 1:* 1\n"
                               "2001 mpi-request 0 0x100\n"
                               "2001 mpi-return 0\n"
                               "2050 mpi-send Send 1:9 1 5\n"
                               "2060 mpi-return 0\n"
                               "2100 mpi-call Pcontrol\n"
                               "2100 mpi-shown 1\n"
                               "2110 mpi-return 0\n"
                               "2200 mpi-wait Wait 0x100\n"
                               "2300 mpi-completed 0 0x100 1:3 8\n"
                               "2300 mpi-return 0\n"
                               "2400 mpi-receive Irecv 1:* 1\n"
                               "2401 mpi-request 0 0x200\n"
                               "2401 mpi-return 0\n"
                               "2500 mpi-call Pcontrol\n"
                               "2500 mpi-shown 0\n"
                               "2510 mpi-return 0\n"
                               "2600 mpi-wait Wait 0x200\n"
                               "2700 mpi-completed 0 0x200 1:4 8\n"
                               "2700 mpi-return 0\n" RANK_1 "2000 mpi-send Send 0:3 1 8\n"
                               "2010 mpi-return 0\n"
                               "2020 mpi-send Send 0:4 1 8\n"
                               "2030 mpi-return 0\n");

    (void)state;
    assert_int_equal(count_of(&recorded, "MPI message"), 1);
    assert_false(has_problem(&recorded, "receive-without-send"));
    assert_false(has_problem(&recorded, "send-without-receive"));
    assert_non_null(strstr(message_of(&recorded, "stopped-by-program"), "2 messages were"));
    forget(&recorded);
}

/*
 * Both ranks take part in three operations; rank 0 has stopped in the second, both in the third:
 * it is not shown, and the second has the call of rank 1 alone.
 */
static void test_operations(void **state)
{
    struct recorded recorded = synthetic_trace(
        RANK_0 "2000 mpi-collective Bcast 1 40 0\n"
               "2100 mpi-return 0\n"
               "2110 mpi-call Pcontrol\n"
               "2110 mpi-shown 0\n"
               "2120 mpi-return 0\n"
               "2200 mpi-collective Allreduce 1 8 0xffffffffffffffff\n"
               "2300 mpi-return 0\n"
               "2400 mpi-collective Barrier 1 0 0xffffffffffffffff\n"
               "2500 mpi-return 0\n" RANK_1 "2000 mpi-collective Bcast 1 0 0\n"
               "2100 mpi-return 0\n"
               "2210 mpi-collective Allreduce 1 8 0xffffffffffffffff\n"
               "2300 mpi-return 0\n"
               "2310 mpi-call Pcontrol\n"
               "2310 mpi-shown 0\n"
               "2320 mpi-return 0\n"
               "2400 mpi-collective Barrier 1 0 0xffffffffffffffff\n"
               "2500 mpi-return 0\n");
    uint32_t world = container(&recorded, "Communicator", "MPI_COMM_WORLD");
    uint32_t operations = track(&recorded, world, "Collective operation");
    struct found_state found[8];

    (void)state;
    assert_int_equal(recorded.schema->tracks[operations].count, 2);
    assert_int_equal(count_events(&recorded, operations, "MPI_Allreduce"), 1);
    assert_int_equal(calls_of(&recorded, "rank 0", found, 8), 3);
    assert_int_equal(found[2].state.begin, 2120); /* to the end */
    assert_int_equal(calls_of(&recorded, "rank 1", found, 8), 4);
    assert_int_equal(found[3].state.begin, 2320);
    forget(&recorded);
}

/*
 * A second thread has calls in two stretches that the first one hides, and one between them that
 * is shown: it says nothing of the time before its first call in each, nor of that after it.
 */
static void test_threads(void **state)
{
    struct recorded recorded = synthetic_trace(RANK_0 "2000 mpi-call Pcontrol\n"
                                                      "2000 mpi-shown 0\n"
                                                      "2010 mpi-return 0\n"
                                                      "2100 mpi-call Pcontrol\n"
                                                      "2100 mpi-shown 0\n"
                                                      "2110 mpi-return 0\n"
                                                      "2300 mpi-call Pcontrol\n"
                                                      "2300 mpi-shown 1\n"
                                                      "2310 mpi-return 0\n"
                                                      "2500 mpi-call Pcontrol\n"
                                                      "2500 mpi-shown 0\n"
                                                      "2510 mpi-return 0\n"
                                                      "2700 mpi-call Pcontrol\n"
                                                      "2700 mpi-shown 2\n"
                                                      "2710 mpi-return 0\n"
                                                      "2900 end\n"
                                                      "thread 1\n"
                                                      "2050 mpi-call Probe\n"
                                                      "2060 mpi-return 0\n"
                                                      "2200 mpi-call Probe\n"
                                                      "2210 mpi-return 0\n"
                                                      "2400 mpi-call Probe\n"
                                                      "2410 mpi-return 0\n"
                                                      "2490 mpi-call Probe\n"
                                                      "2520 mpi-return 0\n"
                                                      "2600 mpi-call Probe\n"
                                                      "2610 mpi-return 0\n"
                                                      "2800 end\n");
    uint32_t process = container(&recorded, "Process", "rank 0");
    uint32_t order = recorded.schema->containers[process].order;
    struct found_state found[8];

    (void)state;
    assert_int_equal(calls_of(&recorded, "rank 0", found, 8), 8);
    assert_unrecorded(&recorded, &found[1], 2010, 2100);
    assert_unrecorded(&recorded, &found[3], 2110, 2300);
    assert_unrecorded(&recorded, &found[6], 2510, 2700);
    assert_int_equal(
        states(&recorded,
               track(&recorded, recorded.schema->preorder[order + 2], "MPI call"), found,
               8),
        4);
    assert_unrecorded(&recorded, &found[0], 2050, 2300);
    assert_int_equal(found[1].state.begin, 2400);
    assert_int_equal(found[2].state.begin, 2490); /* it was shown when it began */
    assert_int_equal(found[2].state.end, 2520);
    assert_unrecorded(&recorded, &found[3], 2520, 2700);
    forget(&recorded);
}

/* Parts of operations between neighbours keep their partners, and are not counted. */
static void test_neighbors(void **state)
{
    struct recorded recorded = synthetic_trace(
        RANK_0 "1100 mpi-neighbors 0 1 1 1\n"
               "1100 mpi-neighbors 1 1 1 1\n"
               "2000 mpi-call Pcontrol\n"
               "2000 mpi-shown 0\n"
               "2010 mpi-return 0\n"
               "2100 mpi-collective Neighbor_alltoall 1 4 0xffffffffffffffff\n"
               "2200 mpi-return 0\n"
               "2300 mpi-call Pcontrol\n"
               "2300 mpi-shown 1\n"
               "2310 mpi-return 0\n"
               "3100 mpi-collective Neighbor_alltoall 1 5 0xffffffffffffffff\n"
               "3200 mpi-return 0\n" RANK_1 "1100 mpi-neighbors 0 1 1 0\n"
               "1100 mpi-neighbors 1 1 1 0\n"
               "2100 mpi-collective Neighbor_alltoall 1 4 0xffffffffffffffff\n"
               "2200 mpi-return 0\n"
               "3100 mpi-collective Neighbor_alltoall 1 5 0xffffffffffffffff\n"
               "3200 mpi-return 0\n");

    (void)state;
    assert_int_equal(count_of(&recorded, "MPI part of an operation"), 2);
    assert_false(has_problem(&recorded, "stopped-by-program"));
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_requests),  cmocka_unit_test(test_operations),
        cmocka_unit_test(test_neighbors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
