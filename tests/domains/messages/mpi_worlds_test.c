/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of MPI that meet.  Bits of what a communicator is (domains/messages/format/records.h):
 * 2 it was made from two groups, 8 it is between them, 16 these are the other one's members,
 * 32 more follow, 64 ranks of the old communicator; 128 the caller asked, 256 it answered,
 * 512 through a port.  16777215 is a rank of no known world; clocks count nanoseconds.
 */
#include "tests/unit/recording/synthetic.h"

#include <stdio.h>
#include <string.h>

/* A rank that asks for a world of three, or is one of those, and has communicator 9 with them. */
static const char parent[] = "process %u %s\n"
                             "families 8\n"
                             "thread 0\n"
                             "1000 mpi-rank %u 2\n"
                             "%u mpi-call Comm_spawn\n"
                             "%u mpi-communicator 0 9 1 170 0+2\n"
                             "%u mpi-communicator 0 9 1 154 16777215+3\n"
                             "%u mpi-return 0\n";
static const char child[] = "process %u %s\n"
                            "families 8\n"
                            "thread 0\n"
                            "%u mpi-call Init\n"
                            "%u mpi-rank %u 3\n"
                            "%u mpi-communicator 0 9 1 298 0+3\n"
                            "%u mpi-communicator 0 9 1 282 16777215+2\n"
                            "%u mpi-return 0\n";

static uint64_t count_of(const struct recorded *recorded, const char *from, const char *to)
{
    struct weft_link link;

    return count_links(recorded, "MPI message", NULL, container(recorded, "Process", from),
                       container(recorded, "Process", to), &link);
}

static uint32_t count_communicators(const struct recorded *recorded)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < recorded->schema->n_containers; i++)
        n += weft_role_is(recorded->schema->containers[i].role, WEFT_ROLE_COMMUNICATOR);
    return n;
}

static void add(char *to, size_t size, const char *text)
{
    assert_true(strlen(to) + strlen(text) < size);
    memcpy(to + strlen(to), text, strlen(text) + 1);
}

static void add_parent(char *to, size_t size, unsigned pid, unsigned rank, unsigned time)
{
    char text[1024];

    snprintf(text, sizeof text, parent, pid, "asks", rank, time, time, time, time);
    add(to, size, text);
}

static void add_child(char *to, size_t size, unsigned pid, unsigned rank, unsigned time)
{
    char text[1024];

    snprintf(text, sizeof text, child, pid, "answers", time, time, rank, time, time, time);
    add(to, size, text);
}

/*
 * Rank 1 of two sends to rank 2 of three before that one has begun, as its own clock says, and
 * gets an answer.  All five then make a communicator of communicator 9, in which rank 0 of three
 * is rank 2: it sends to rank 1.
 */
static void test_spawned(void **state)
{
    char text[8192] = "host alpha boot-a ns\n";
    struct recorded recorded;

    (void)state;
    add_parent(text, sizeof text, 10, 0, 3000);
    add(text, sizeof text,
        "5000 mpi-call Intercomm_merge\n"
        "5100 mpi-communicator 0 8 9 64 0+5\n"
        "5100 mpi-return 0\n");
    add_parent(text, sizeof text, 11, 1, 3000);
    add(text, sizeof text,
        "3100 mpi-send Send 2:7 9 4\n"
        "3110 mpi-return 0\n"
        "3200 mpi-receive Recv *:* 9\n"
        "4200 mpi-received 0 2:8 4\n"
        "5000 mpi-call Intercomm_merge\n"
        "5100 mpi-communicator 0 8 9 64 0+5\n"
        "5100 mpi-return 0\n"
        "5200 mpi-receive Recv 2:9 8\n"
        "5300 mpi-received 0 2:9 4\n");
    add_child(text, sizeof text, 20, 0, 3600);
    /* Of the merged one its own group's ranks come first in the old one, as it sees that. */
    add(text, sizeof text,
        "5000 mpi-call Intercomm_merge\n"
        "5100 mpi-communicator 0 8 9 64 3+2 0+3\n"
        "5100 mpi-return 0\n"
        "5200 mpi-send Send 1:9 8 4\n"
        "5210 mpi-return 0\n");
    add_child(text, sizeof text, 21, 1, 3600);
    add_child(text, sizeof text, 22, 2, 3700);
    add(text, sizeof text,
        "3800 mpi-receive Recv 1:7 9\n"
        "3900 mpi-received 0 1:7 4\n"
        "4000 mpi-send Send 1:8 9 4\n"
        "4100 mpi-return 0\n");
    recorded = synthetic_trace(text);
    assert_int_equal(count_of(&recorded, "rank 1", "rank 2 of run 2"), 1);
    assert_int_equal(count_of(&recorded, "rank 2 of run 2", "rank 1"), 1);
    assert_int_equal(count_of(&recorded, "rank 0 of run 2", "rank 1"), 1);
    assert_false(has_problem(&recorded, "unknown-peer"));
    assert_false(has_problem(&recorded, "unknown-communicator"));
    assert_false(has_problem(&recorded, "missing-ranks"));
    /* MPI_COMM_WORLD of both, the one between them, and the merged one: each once. */
    assert_int_equal(count_communicators(&recorded), 4);
    forget(&recorded);
}

/*
 * Twice a world of three is spawned: each goes to the spawn that is nearest, and the same for all
 * ranks of both.
 */
static void test_twice(void **state)
{
    char text[8192] = "host alpha boot-a ns\n";
    struct recorded recorded;

    (void)state;
    for (unsigned rank = 0; rank < 2; rank++) {
        add_parent(text, sizeof text, 10 + rank, rank, 3000);
        add(text, sizeof text,
            "3500 mpi-gone 0 9\n"
            "7000 mpi-call Comm_spawn\n"
            "7000 mpi-communicator 0 9 1 170 0+2\n"
            "7000 mpi-communicator 0 9 1 154 16777215+3\n"
            "7000 mpi-return 0\n");
        if (rank == 1)
            add(text, sizeof text,
                "7100 mpi-send Send 0:7 9 4\n"
                "7110 mpi-return 0\n");
    }
    for (unsigned rank = 0; rank < 3; rank++)
        add_child(text, sizeof text, 20 + rank, rank, 3300);
    for (unsigned rank = 0; rank < 3; rank++) {
        add_child(text, sizeof text, 30 + rank, rank, 6900);
        if (rank == 0)
            add(text, sizeof text,
                "7200 mpi-receive Recv 1:7 9\n"
                "7300 mpi-received 0 1:7 4\n");
    }
    recorded = synthetic_trace(text);
    assert_int_equal(count_of(&recorded, "rank 1", "rank 0 of run 3"), 1);
    assert_false(has_problem(&recorded, "unknown-peer"));
    assert_false(has_problem(&recorded, "send-without-receive"));
    forget(&recorded);
}

/* Of those who were spawned there is nothing: what is sent to them is counted. */
static void test_missing(void **state)
{
    char text[8192] = "host alpha boot-a ns\n";
    struct recorded recorded;

    (void)state;
    add_parent(text, sizeof text, 10, 0, 3000);
    add_parent(text, sizeof text, 11, 1, 3000);
    add(text, sizeof text,
        "3100 mpi-send Send 2:7 9 4\n"
        "3110 mpi-return 0\n");
    recorded = synthetic_trace(text);
    assert_true(has_problem(&recorded, "unknown-peer"));
    assert_false(has_problem(&recorded, "unknown-communicator"));
    forget(&recorded);
}

/*
 * Two runs of two ranks whose launcher gives them no name begin together, the second one's rank 1
 * before the first one's: who started them tells which belong together.  Rank 0 of the first sends to
 * its rank 1, rank 1 of the second to its rank 0.
 */
static void test_launched_together(void **state)
{
    struct recorded recorded =
        synthetic_trace("host alpha boot-a ns\n"
                        "process 20 first\nparent 100\nfamilies 8\nthread 0\n"
                        "1000 mpi-rank 0 2\n"
                        "2000 mpi-send Send 1:7 1 4\n"
                        "2010 mpi-return 0\n"
                        "process 31 second\nparent 200\nfamilies 8\nthread 0\n"
                        "1001 mpi-rank 1 2\n"
                        "2001 mpi-send Send 0:7 1 4\n"
                        "2011 mpi-return 0\n"
                        "process 21 first\nparent 100\nfamilies 8\nthread 0\n"
                        "1002 mpi-rank 1 2\n"
                        "2002 mpi-receive Recv 0:7 1\n"
                        "2100 mpi-received 0 0:7 4\n"
                        "process 30 second\nparent 200\nfamilies 8\nthread 0\n"
                        "1003 mpi-rank 0 2\n"
                        "2003 mpi-receive Recv 1:7 1\n"
                        "2103 mpi-received 0 1:7 4\n");

    (void)state;
    assert_int_equal(count_of(&recorded, "rank 0", "rank 1"), 1);
    assert_int_equal(count_of(&recorded, "rank 1 of run 2", "rank 0 of run 2"), 1);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawned),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_launched_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
