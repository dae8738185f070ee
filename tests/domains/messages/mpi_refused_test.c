/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of MPI that fail, and what MPI does without MPI_COMM_WORLD. */
#include "tests/unit/recording/synthetic.h"

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

static size_t links_of(const struct recorded *recorded, const char *type)
{
    uint32_t of = track(recorded, 0, type);

    return of == WEFT_NONE ? 0 : recorded->schema->tracks[of].count;
}

static bool keep_link(void *user, const struct weft_link *link)
{
    *(struct weft_link *)user = *link;
    return false;
}

/* The first of a type. */
static struct weft_link link_of(const struct recorded *recorded, const char *type)
{
    struct weft_link link = { 0 };

    recorded->source->ops->links(
        recorded->source, track(recorded, 0, type),
        (struct weft_span){ recorded->schema->span.begin, recorded->schema->span.end + 1 },
        keep_link, &link);
    return link;
}

/* Rank 0 cannot free MPI_COMM_WORLD, by an error and by one whose handler jumps; it goes on. */
static void test_communicator_that_stays(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1100 mpi-call Comm_free\n"
                               "1110 mpi-gone 0 1\n"
                               "1120 mpi-return 5\n"
                               "1200 mpi-send Send 1:7 1 8\n"
                               "1210 mpi-return 0\n"
                               "1300 mpi-call Comm_disconnect\n"
                               "1310 mpi-gone 0 1\n"
                               "1320 mpi-left 0\n"
                               "1400 mpi-send Send 1:8 1 8\n"
                               "1410 mpi-return 0\n" RANK_1 "1500 mpi-receive Recv 0:7 1\n"
                               "1510 mpi-received 0 0:7 8\n"
                               "1600 mpi-receive Recv 0:8 1\n"
                               "1610 mpi-received 0 0:8 8\n");

    (void)state;
    assert_int_equal(links_of(&recorded, "MPI message"), 2);
    assert_false(has_problem(&recorded, "unknown-communicator"));
    assert_false(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/* Of several sends only the one at 1,300 was a message. */
static void check_last_send_alone(const struct recorded *recorded)
{
    struct weft_link link = link_of(recorded, "MPI message");

    assert_int_equal(links_of(recorded, "MPI message"), 1);
    assert_int_equal(link.begin, 1300);
    assert_false(has_problem(recorded, "send-without-receive"));
}

/* A send that MPI refuses is no message: the receive gets the next one, which has 8 bytes. */
static void test_send_that_failed(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1100 mpi-send Send 1:7 1 100\n"
                               "1110 mpi-return 3\n"
                               "1200 mpi-send Isend 1:7 1 100\n"
                               "1210 mpi-return 3\n"
                               "1220 mpi-send Send 99:7 1 100\n"
                               "1230 mpi-return 6\n"
                               "1300 mpi-send Send 1:7 1 8\n"
                               "1310 mpi-return 0\n" RANK_1 "1500 mpi-receive Recv 0:7 1\n"
                               "1510 mpi-received 0 0:7 8\n");

    (void)state;
    check_last_send_alone(&recorded);
    assert_false(has_problem(&recorded, "unknown-peer")); /* there is no rank 99 */
    forget(&recorded);
}

/* The same where the call was to receive as well; what it received when it failed is none. */
static void test_exchange_that_failed(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1100 mpi-call Sendrecv\n"
                               "1101 mpi-sends 0 1:7 1 100\n"
                               "1102 mpi-receives 0 1:7 1\n"
                               "1110 mpi-return 3\n"
                               "1300 mpi-send Send 1:7 1 8\n"
                               "1310 mpi-return 0\n" RANK_1 "1500 mpi-receive Recv 0:7 1\n"
                               "1510 mpi-received 0 0:7 8\n");

    (void)state;
    check_last_send_alone(&recorded);
    forget(&recorded);
}

#define BCASTS(first)                                                                      \
 RANK_0 "1100 mpi-collective Bcast 1 8 0\n"                                                \
        "1110 mpi-return " first "\n"                                                      \
        "1200 mpi-collective Bcast_init 1 8 0\n" /* begins nothing */                      \
        "1210 mpi-return 2\n"

/* Nobody knows whether a rank took part in an operation that failed on it, so it is told. */
static void test_operation_that_failed(void **state)
{
    struct recorded done = synthetic_trace(BCASTS("0"));
    struct recorded failed = synthetic_trace(BCASTS("2"));

    (void)state;
    assert_false(has_problem(&done, "failed-operation"));
    assert_true(has_problem(&failed, "failed-operation"));
    forget(&done);
    forget(&failed);
}

/*
 * Two threads of rank 0: while one frees the communicator 9 the other makes one that gets its
 * handle, and that is there afterwards, also where the first call is said to have failed.
 */
static void test_handle_that_is_given_again(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1010 mpi-call Comm_dup\n"
                               "1020 mpi-communicator 0 9 1 4\n"
                               "1030 mpi-return 0\n"
                               "1100 mpi-call Comm_free\n"
                               "1110 mpi-gone 0 9\n"
                               "1190 mpi-return 5\n"
                               "1200 mpi-send Send 1:7 9 8\n"
                               "1210 mpi-return 0\n"
                               "thread 1\n"
                               "1120 mpi-call Comm_dup\n"
                               "1130 mpi-communicator 0 9 1 4\n"
                               "1140 mpi-return 0\n" RANK_1 "1011 mpi-call Comm_dup\n"
                               "1021 mpi-communicator 0 9 1 4\n"
                               "1031 mpi-return 0\n"
                               "1121 mpi-call Comm_dup\n"
                               "1131 mpi-communicator 0 10 1 4\n"
                               "1141 mpi-return 0\n"
                               "1500 mpi-receive Recv 0:7 10\n"
                               "1510 mpi-received 0 0:7 8\n");

    (void)state;
    assert_int_equal(links_of(&recorded, "MPI message"), 1);
    assert_false(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/*
 * A callback of the attributes of 9 frees 10, and 9 itself cannot be freed: 9 is there afterwards,
 * 10 is not, so that nothing of what has its handle then is taken for it.
 */
static void test_handle_that_a_callback_frees(void **state)
{
#define TWO_DUPLICATES(at)                                                                 \
 at "10 mpi-call Comm_dup\n" at "11 mpi-communicator 0 9 1 4\n" at "12 mpi-return 0\n" at  \
    "20 mpi-call Comm_dup\n" at "21 mpi-communicator 0 10 1 4\n" at "22 mpi-return 0\n"
    struct recorded recorded = synthetic_trace(
        RANK_0 TWO_DUPLICATES("10") "1100 mpi-call Comm_free\n"
                                    "1110 mpi-gone 0 9\n"
                                    "1120 mpi-gone 1 10\n"
                                    "1190 mpi-return 5\n"
                                    "1200 mpi-send Send 1:7 9 8\n"
                                    "1210 mpi-return 0\n"
                                    "1220 mpi-send Send 1:7 10 8\n"
                                    "1230 mpi-return 0\n" RANK_1 TWO_DUPLICATES(
                                        "10") "1500 mpi-receive Recv 0:7 9\n"
                                              "1510 mpi-received 0 0:7 8\n"
                                              "1520 mpi-receive Recv 0:7 10\n"
                                              "1530 mpi-received 0 0:7 8\n");

    (void)state;
    assert_int_equal(link_of(&recorded, "MPI message").begin, 1200);
    assert_int_equal(link_of(&recorded, "MPI message").end, 1510);
    assert_true(has_problem(&recorded, "unknown-communicator"));
    assert_true(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/* The window is there, and its transfer is complete at the fence, when it cannot be freed first. */
static void test_window_that_stays(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1100 mpi-window 0 0x50 1\n"
                               "2000 mpi-transfer Put 0x50 1 64\n"
                               "2001 mpi-return 0\n"
                               "2010 mpi-completes Win_free 0x50 0x80000000\n"
                               "2011 mpi-window-gone 0 0x50\n"
                               "2020 mpi-return 50\n"
                               "2030 mpi-transfer Put 0x50 1 64\n"
                               "2031 mpi-return 0\n"
                               "2040 mpi-completes Win_fence 0x50 0x80000000\n"
                               "2050 mpi-return 0\n" RANK_1 "1100 mpi-window 0 0x60 1\n");

    (void)state;
    assert_int_equal(links_of(&recorded, "MPI transfer"), 2);
    assert_false(has_problem(&recorded, "unknown-communicator"));
    forget(&recorded);
}

/* A transfer that MPI refuses is none, at once or under a request. */
static void test_transfer_that_failed(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1100 mpi-window 0 0x50 1\n"
                               "2000 mpi-transfer Put 0x50 1 64\n"
                               "2001 mpi-return 0\n"
                               "2010 mpi-transfer Put 0x50 1 100\n"
                               "2011 mpi-return 3\n"
                               "2020 mpi-transfer Rput 0x50 1 100\n"
                               "2021 mpi-return 3\n"
                               "2040 mpi-completes Win_fence 0x50 0x80000000\n"
                               "2050 mpi-return 0\n" RANK_1 "1100 mpi-window 0 0x60 1\n");
    struct weft_link link = link_of(&recorded, "MPI transfer");

    (void)state;
    assert_int_equal(links_of(&recorded, "MPI transfer"), 1);
    assert_int_equal(link.begin, 2000);
    forget(&recorded);
}

/* A process that only has a session: what it does is there, and that is all, which is said. */
static void test_session(void **state)
{
    struct recorded recorded =
        synthetic_trace("host alpha boot-a ns\n"
                        "process 10 ring\n"
                        "families 8\n"
                        "thread 0\n"
                        "1100 mpi-call Comm_create_from_group\n"
                        "1110 mpi-communicator 0 9 0 1 16777215+1\n"
                        "1120 mpi-return 0\n"
                        "1200 mpi-collective Barrier 9 0 0xffffffffffffffff\n"
                        "1210 mpi-return 0\n");

    (void)state;
    assert_true(has_problem(&recorded, "no-world"));
    assert_true(has_problem(&recorded, "unknown-communicator"));
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_communicator_that_stays),
        cmocka_unit_test(test_send_that_failed),
        cmocka_unit_test(test_exchange_that_failed),
        cmocka_unit_test(test_operation_that_failed),
        cmocka_unit_test(test_handle_that_is_given_again),
        cmocka_unit_test(test_handle_that_a_callback_frees),
        cmocka_unit_test(test_window_that_stays),
        cmocka_unit_test(test_transfer_that_failed),
        cmocka_unit_test(test_session),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
