/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions: whom a signal tells to go on, and where waiting for the condition becomes waiting
 * for the mutex.  The recordings are described in the tests (synthetic.h); the mutex is at
 * 0x1000, the condition at 0x2000, and a record's number is its time.
 */
#include "tests/unit/recording/synthetic.h"

#include <stdio.h>
#include <string.h>

#define BEGIN                                                                              \
 "host alpha boot-a ns\n"                                                                  \
 "process 7 told\n"                                                                        \
 "thread 0\n"                                                                              \
 "starts 1000\n"
/* Goes to wait at the time of WAITS; "is back" at the time of RETURNS. */
#define WAITER(number, waits, returns)                                                     \
 "thread " #number "\n"                                                                    \
 "starts 1100\n" waits "0 acquire mutex 0x1000\n" waits "1 release mutex 0x1000\n" waits   \
 "1 wait condition 0x2000\n" returns "0 wake condition 0x2000\n" returns                   \
 "1 acquire mutex 0x1000\n" returns "5 release mutex 0x1000\n"

struct expected_state {
    const char *value;
    int64_t begin, end;
};

static void check_states(const struct recorded *recorded, uint32_t of,
                         const struct expected_state *expected, size_t n)
{
    struct found_state found[32];

    assert_int_equal(states(recorded, of, found, 32), n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(found[i].value, expected[i].value);
        assert_int_equal(found[i].state.begin, expected[i].begin);
        if (expected[i].end)
            assert_int_equal(found[i].state.end, expected[i].end);
    }
}

static uint32_t states_of(const struct recorded *recorded, const char *thread)
{
    return track(recorded, container(recorded, "Thread", thread), "Thread state");
}

/*
 * Two wait.  At 3,000 the main thread, which has the mutex, tells both, and gives it back at
 * 4,000: from 3,000 on they wait for the mutex.  Thread 2 has it from 4,011 to 4,015, thread 1
 * from 4,021.
 */
static void test_broadcast_by_the_holder(void **state)
{
    static const struct expected_state first[] = {
        { "running", 1100, 2001 },
        { "blocked on condition", 2001, 3000 },
        { "blocked on mutex", 3000, 4021 },
        { "running", 4021, 0 },
    };
    static const struct expected_state second[] = {
        { "running", 1100, 2101 },
        { "blocked on condition", 2101, 3000 },
        { "blocked on mutex", 3000, 4011 },
        { "running", 4011, 0 },
    };
    static const struct expected_state lock[] = {
        { "held", 2000, 2001 }, { "free", 2001, 2100 },
        { "held", 2100, 2101 }, { "free", 2101, 2900 },
        { "held", 2900, 3000 }, { "held, others blocked", 3000, 4000 },
        { "free", 4000, 4011 }, { "held, others blocked", 4011, 4015 },
        { "free", 4015, 4021 }, { "held", 4021, 4025 },
        { "free", 4025, 0 },
    };
    struct recorded recorded = synthetic_trace(BEGIN "2900 acquire mutex 0x1000\n"
                                                     "3000 broadcast condition 0x2000\n"
                                                     "4000 release mutex 0x1000\n"  //
                                               WAITER(1, "200", "402")              //
                                               WAITER(2, "210", "401"));
    uint32_t boss = container(&recorded, "Thread", "told");
    uint32_t threads[2] = { container(&recorded, "Thread", "thread 1"),
                            container(&recorded, "Thread", "thread 2") };
    struct weft_link link;

    (void)state;
    check_states(&recorded, states_of(&recorded, "thread 1"), first, 4);
    check_states(&recorded, states_of(&recorded, "thread 2"), second, 4);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            count_links(&recorded, "Wake-up", "condition", boss, threads[i], &link), 1);
        assert_int_equal(link.begin, 3000);
        assert_int_equal(link.end, 3000);
        assert_int_equal(link.flags & WEFT_INFERRED, WEFT_INFERRED);
    }
    /* The mutex came from who had it before. */
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", boss, threads[1], &link),
                     1);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(
        count_links(&recorded, "Wake-up", "mutex", threads[1], threads[0], &link), 1);
    assert_int_equal(link.begin, 4015);
    check_states(&recorded,
                 track(&recorded, container(&recorded, "Mutex", "mutex 1"), "Lock state"),
                 lock, sizeof lock / sizeof *lock);
    forget(&recorded);
}

/*
 * The mutex is free when all are told, at 3,000.  Thread 1, back at 3,040, has waited for the
 * condition all the time; thread 2 waits for the mutex from then on, when thread 1 has it.
 */
static void test_broadcast_with_a_free_mutex(void **state)
{
    static const struct expected_state first[] = {
        { "running", 1100, 2001 },
        { "blocked on condition", 2001, 3040 },
        { "running", 3040, 0 },
    };
    static const struct expected_state second[] = {
        { "running", 1100, 2101 },
        { "blocked on condition", 2101, 3041 },
        { "blocked on mutex", 3041, 3061 },
        { "running", 3061, 0 },
    };
    struct recorded recorded = synthetic_trace(BEGIN "3000 broadcast condition 0x2000\n"  //
                                               WAITER(1, "200", "304")                    //
                                               WAITER(2, "210", "306"));
    struct weft_link link;

    (void)state;
    check_states(&recorded, states_of(&recorded, "thread 1"), first, 3);
    check_states(&recorded, states_of(&recorded, "thread 2"), second, 4);
    assert_int_equal(count_links(&recorded, "Wake-up", "condition",
                                 container(&recorded, "Thread", "told"),
                                 container(&recorded, "Thread", "thread 1"), &link),
                     1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3040);
    forget(&recorded);
}

/*
 * Thread 1 waits first, but comes back second.  So the signal at 3,000 was for thread 2, that
 * at 4,000 for thread 1, and the one at 5,000 for nobody.
 */
static void test_signals_in_the_order_of_returns(void **state)
{
    struct recorded recorded = synthetic_trace(BEGIN "3000 signal condition 0x2000\n"
                                                     "4000 signal condition 0x2000\n"
                                                     "5000 signal condition 0x2000\n"  //
                                               WAITER(1, "200", "404")                 //
                                               WAITER(2, "210", "304"));
    uint32_t boss = container(&recorded, "Thread", "told");
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", NULL, boss,
                                 container(&recorded, "Thread", "thread 1"), &link),
                     1);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(count_links(&recorded, "Wake-up", NULL, boss,
                                 container(&recorded, "Thread", "thread 2"), &link),
                     1);
    assert_int_equal(link.begin, 3000);
    forget(&recorded);
}

/* Thread 1 gives up at 3,500: the signal of 3,000 was not for it, but for thread 2. */
static void test_signal_and_time_out(void **state)
{
    struct recorded recorded = synthetic_trace(BEGIN "3000 signal condition 0x2000\n"
                                                     "thread 1\n"
                                                     "starts 1100\n"
                                                     "2000 acquire mutex 0x1000\n"
                                                     "2001 release mutex 0x1000\n"
                                                     "2001 wait condition 0x2000\n"
                                                     "3500 give-up condition 0x2000\n"
                                                     "3501 acquire mutex 0x1000\n"  //
                                               WAITER(2, "210", "304"));
    uint32_t boss = container(&recorded, "Thread", "told");

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", NULL, boss,
                                 container(&recorded, "Thread", "thread 1"), NULL),
                     0);
    assert_int_equal(count_links(&recorded, "Wake-up", "condition", boss,
                                 container(&recorded, "Thread", "thread 2"), NULL),
                     1);
    forget(&recorded);
}

/*
 * A waiter comes back without a word, as records were lost, and waits again: nobody has told it to go
 * on this time.
 */
static void test_lost_return(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 lossy\n"
                                               "thread 0\n"
                                               "10 acquire mutex 0x1000\n"
                                               "20 release mutex 0x1000\n"
                                               "30 wait condition 0x2000\n"
                                               "40 acquire mutex 0x1000\n"
                                               "60 release mutex 0x1000\n"
                                               "70 wait condition 0x2000\n"
                                               "thread 1\n"
                                               "50 signal condition 0x2000\n"
                                               "80 acquire mutex 0x1000\n");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Thread"), 2);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadcast_by_the_holder),
        cmocka_unit_test(test_broadcast_with_a_free_mutex),
        cmocka_unit_test(test_signals_in_the_order_of_returns),
        cmocka_unit_test(test_lost_return),
        cmocka_unit_test(test_signal_and_time_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
