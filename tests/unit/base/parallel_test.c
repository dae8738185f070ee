/* SPDX-License-Identifier: Apache-2.0 */
/* Every index is worked on once, whoever calls.  Also run under ThreadSanitizer. */
#include <pthread.h>

#include "base/parallel.h"
#include "tests/test.h"

enum { COUNT = 20000, CALLERS = 4 };

/* Wake-ups of the pool's helpers get lost while this is set: the linker puts the function below
 * in the place of the C library's. */
static _Atomic bool forgetful;

int __real_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    return forgetful ? 0 : __real_pthread_cond_broadcast(condition);
}

static void count_one(void *user, size_t i)
{
    /* Not atomic on purpose: two threads at one index are a race that the sanitizer sees. */
    unsigned char *visits = user;
    visits[i]++;
}

static void assert_once_each(const unsigned char *visits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(visits[i], 1);
}

static void test_every_index_once(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 2, 63, 64, 65, COUNT };
    static const size_t grains[] = { 0, 1, 7, 64, COUNT + 1 };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
            unsigned char *visits = calloc(COUNT + 1, 1);
            weft_parallel(counts[c], grains[g], count_one, visits);
            assert_once_each(visits, counts[c]);
            assert_int_equal(visits[counts[c]], 0);
            free(visits);
        }
}

static void square(void *user, size_t i)
{
    ((uint64_t *)user)[i] = (uint64_t)i * i;
}

static void test_results_are_visible_to_the_caller(void **state)
{
    (void)state;
    uint64_t *squares = calloc(COUNT, sizeof *squares), sum = 0;
    for (int round = 0; round < 50; round++) {
        memset(squares, 0, COUNT * sizeof *squares);
        weft_parallel(COUNT, 16, square, squares);
        sum = 0;
        for (size_t i = 0; i < COUNT; i++)
            sum += squares[i];
        /* 0 + 1 + 4 + ... + (n - 1)^2 = (n - 1) n (2 n - 1) / 6 */
        assert_int_equal(sum, UINT64_C(19999) * 20000 * 39999 / 6);
    }
    free(squares);
}

/* Returns NULL, or what it was given when an index was not visited just once. */
static void *call_often(void *user)
{
    unsigned char *visits = user;
    for (int round = 0; round < 50; round++) {
        memset(visits, 0, COUNT);
        weft_parallel(COUNT, 32, count_one, visits);
        for (size_t i = 0; i < COUNT; i++)
            if (visits[i] != 1)
                return user;
    }
    return NULL;
}

static void test_several_callers_at_once(void **state)
{
    (void)state;
    static unsigned char visits[CALLERS][COUNT];
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, visits[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void test_width(void **state)
{
    (void)state;
    assert_in_range(weft_parallel_width(), 1, 64);
    static const struct {
        const char *text;
        unsigned width;
    } asked[] = {
        { "1", 1 }, { "3", 3 }, { "64", 64 }, { "65", 64 }, { "99999999999", 64 }
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_int_equal(setenv("WEFT_THREADS", asked[i].text, 1), 0);
        assert_int_equal(weft_parallel_width(), asked[i].width);
    }
    static const char *const wrong[] = { "", "0", "-2", "many" };
    assert_int_equal(unsetenv("WEFT_THREADS"), 0);
    unsigned own = weft_parallel_width();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(setenv("WEFT_THREADS", wrong[i], 1), 0);
        assert_int_equal(weft_parallel_width(), own);
    }
    assert_int_equal(unsetenv("WEFT_THREADS"), 0);
}

/* The pool grows when more threads are asked for, and some rest when fewer are. */
static void test_widths_change_between_calls(void **state)
{
    (void)state;
    static const char *const widths[] = { "2", "8", "1", "3", "8", "2" };
    static unsigned char visits[COUNT];
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        assert_int_equal(setenv("WEFT_THREADS", widths[i], 1), 0);
        memset(visits, 0, sizeof visits);
        weft_parallel(COUNT, 16, count_one, visits);
        assert_once_each(visits, COUNT);
    }
    assert_int_equal(unsetenv("WEFT_THREADS"), 0);
}

/* Condition variables of some C libraries lose a wake-up once in a long while. */
static void test_a_helper_that_is_not_woken_is_not_waited_for(void **state)
{
    (void)state;
    static unsigned char visits[COUNT];
    assert_int_equal(setenv("WEFT_THREADS", "4", 1), 0);
    weft_parallel(COUNT, 16, count_one, visits); /* the helpers are there */
    for (int round = 0; round < 20; round++) {
        forgetful = round % 2 == 0;
        memset(visits, 0, sizeof visits);
        weft_parallel(COUNT, 16, count_one, visits);
        assert_once_each(visits, COUNT);
    }
    forgetful = false;
    assert_int_equal(unsetenv("WEFT_THREADS"), 0);
}

/* Work so small that calls begin and end while helpers still wake up, with threads that come and
 * go: nothing is forgotten or done twice, and no call waits for ever. */
static void *call_with_little(void *user)
{
    unsigned char visits[8];
    for (int round = 0; round < 20000; round++) {
        size_t count = 2 + (size_t)round % 7;
        memset(visits, 0, sizeof visits);
        weft_parallel(count, 1, count_one, visits);
        for (size_t i = 0; i < sizeof visits; i++)
            if (visits[i] != (i < count))
                return user;
    }
    return NULL;
}

static void test_little_work_from_many_threads(void **state)
{
    (void)state;
    static const char *const widths[] = { "2", "8" };
    static char is_wrong;
    pthread_t threads[CALLERS];
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        assert_int_equal(setenv("WEFT_THREADS", widths[w], 1), 0);
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, call_with_little, &is_wrong),
                             0);
        for (int i = 0; i < CALLERS; i++) {
            void *wrong;
            pthread_join(threads[i], &wrong);
            assert_null(wrong);
        }
    }
    assert_int_equal(unsetenv("WEFT_THREADS"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_once),
        cmocka_unit_test(test_results_are_visible_to_the_caller),
        cmocka_unit_test(test_several_callers_at_once),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_widths_change_between_calls),
        cmocka_unit_test(test_a_helper_that_is_not_woken_is_not_waited_for),
        cmocka_unit_test(test_little_work_from_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
