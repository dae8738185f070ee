/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of MPI that a program left by a jump or an exception. */
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

static const char *message_of(const struct recorded *recorded, const char *kind)
{
    for (uint32_t i = 0; i < recorded->schema->n_problems; i++)
        if (strcmp(recorded->schema->problems[i].kind, kind) == 0)
            return recorded->schema->problems[i].message;
    return "";
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

/*
 * The first receive was left before the message came, and never gets it: the second one, of the
 * same source and tag, does.  It ends when it was left, not when the next call begins.
 */
static void test_receive_that_was_left(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 8\n"
                               "2010 mpi-return 0\n" RANK_1 "1100 mpi-receive Recv 0:7 1\n"
                               "1200 mpi-left 0\n"
                               "1300 mpi-receive Recv 0:7 1\n"
                               "2100 mpi-received 0 0:7 8\n");
    struct found_state found[4];

    (void)state;
    assert_int_equal(calls_of(&recorded, "rank 1", found, 4), 2);
    assert_int_equal(found[0].state.begin, 1100);
    assert_int_equal(found[0].state.end, 1200);
    assert_int_equal(found[1].state.begin, 1300);
    assert_int_equal(found[1].state.end, 2100);
    assert_int_equal(recorded.schema->tracks[track(&recorded, 0, "MPI message")].count, 1);
    assert_false(has_problem(&recorded, "receive-without-send"));
    assert_false(has_problem(&recorded, "send-without-receive"));
    assert_false(has_problem(&recorded, "passed-calls"));
    forget(&recorded);
}

/* What may be missing since nobody saw it is said, of all threads together. */
static void test_calls_that_passed(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-call Probe\n"
                               "2100 mpi-left 3\n" RANK_1 "2000 mpi-call Probe\n"
                               "2100 mpi-left 4\n");
    struct found_state found[4];

    (void)state;
    assert_int_equal(calls_of(&recorded, "rank 0", found, 4), 1);
    assert_int_equal(found[0].state.end, 2100);
    assert_non_null(strstr(message_of(&recorded, "passed-calls"), "up to 7 calls of MPI "));
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_receive_that_was_left),
        cmocka_unit_test(test_calls_that_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
