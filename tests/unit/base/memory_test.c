/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "tests/test.h"

static void test_arena_hands_out_separate_aligned_memory(void **state)
{
    (void)state;
    enum { PIECES = 3000 };
    struct weft_arena arena = { 0 };
    unsigned char *pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = weft_arena_alloc(&arena, i % 257);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)(i % 251), i % 257);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t j = 0; j < i % 257; j++)
            assert_int_equal(pieces[i][j], i % 251);
    weft_arena_free(&arena);
}

static void test_arena_takes_what_is_larger_than_a_block(void **state)
{
    (void)state;
    struct weft_arena arena = { 0 };
    char *small = weft_arena_strdup(&arena, "small");
    unsigned char *large = weft_arena_zalloc(&arena, 1000, 1000);
    for (size_t i = 0; i < 1000000; i++)
        assert_int_equal(large[i], 0);
    assert_string_equal(small, "small");
    weft_arena_free(&arena);
}

static void test_arena_can_be_used_again(void **state)
{
    (void)state;
    struct weft_arena arena = { 0 };
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10000; i++)
            weft_arena_alloc(&arena, 64);
        assert_int_equal(arena.used, 640000);
        weft_arena_reset(&arena);
        assert_int_equal(arena.used, 0);
        /* Zeroed memory is zero also where something was before. */
        unsigned char *zero = weft_arena_zalloc(&arena, 64, 1);
        assert_int_equal(zero[0] | zero[63], 0);
        memset(zero, 0xff, 64);
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
    assert_string_equal(weft_arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    weft_arena_free(&arena);
}

static void test_grow_keeps_the_content(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t capacity = 0;
    int moves = 0;
    for (size_t n = 0; n < 100000; n++) {
        size_t before = capacity;
        array = weft_grow(array, &capacity, n + 1, sizeof *array);
        moves += capacity != before;
        array[n] = (uint32_t)n;
    }
    for (size_t n = 0; n < 100000; n++)
        assert_int_equal(array[n], n);
    assert_in_range(moves, 1, 40); /* geometric: log(100000 / 8) / log(1.5) is 24 */
    free(array);
}

static void test_texts(void **state)
{
    (void)state;
    char *a = weft_strndup("abcdef", 3), *b = weft_asprintf("%s/%d", a, 12),
         *c = weft_strdup(b);
    assert_string_equal(a, "abc");
    assert_string_equal(c, "abc/12");
    free(a);
    free(b);
    free(c);
}

static void overflow_product(void)
{
    free(weft_zalloc(SIZE_MAX / 2, 4));
}

static void overflow_array(void)
{
    size_t capacity = 0;
    free(weft_grow(NULL, &capacity, SIZE_MAX / 4, 8));
}

static void assert_aborts(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        freopen("/dev/null", "w", stderr);
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

static void test_overflows_abort(void **state)
{
    (void)state;
    assert_aborts(overflow_product);
    assert_aborts(overflow_array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_hands_out_separate_aligned_memory),
        cmocka_unit_test(test_arena_takes_what_is_larger_than_a_block),
        cmocka_unit_test(test_arena_can_be_used_again),
        cmocka_unit_test(test_grow_keeps_the_content),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_overflows_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
