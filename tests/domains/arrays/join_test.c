/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References to arrays: what becomes of their records, and of numbers column by column.  The
 * recordings are described in the tests (synthetic.h), whose clocks count nanoseconds; a name is
 * the word of its letters, so 0x41 is A.
 */
#include "tests/unit/recording/synthetic.h"

#include <stdlib.h>
#include <string.h>

#include "domains/arrays/join/row_major.h"
#include "domains/arrays/model/reference_profile.h"
#include "tests/random.h"

#define PROCESS                                                                            \
 "host alpha boot-a ns\n"                                                                  \
 "process 10 arrays\n"                                                                     \
 "families 32\n"                                                                           \
 "thread 0\n"                                                                              \
 "starts 1000\n"

static struct weft_profile *profile_of(struct recorded *recorded, const char *description)
{
    struct weft_err err = { 0 };
    struct weft_profile *profile;

    *recorded = synthetic_trace(description);
    profile = weft_profile_open(recorded->source, NULL, &err);
    assert_non_null(profile);
    return profile;
}

static void end(struct recorded *recorded, struct weft_profile *profile)
{
    weft_profile_close(profile);
    forget(recorded);
}

/* Two arrays; a row of one is read on behalf of a row of the other, then written, in steps. */
static void patterns(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile = profile_of(
        &recorded, PROCESS "1100 array 0 0x200000000 10 11 0x41\n"
                           "1100 array 0 0x100000001 20 0x42\n"
                           "1200 array-memory 1 4 0\n"
                           "1300 array-pattern 0 0x100000000 1 0 1 22 5 11 1 1\n"
                           "1400 array-step 0 1\n"
                           "1500 array-pattern 0 0x0001010100000001 1 0 3 5 5 2 1 1\n"
                           "1600 array-step 0 2\n"
                           "1700 array-pattern 0 0x2 0xffff 0 1 7 0\n");
    struct weft_pattern pattern;

    (void)state;
    assert_int_equal(weft_profile_arrays(profile), 2);
    assert_string_equal(weft_profile_array(profile, 0)->name, "A");
    assert_int_equal(weft_profile_array(profile, 0)->shape[1], 11);
    assert_int_equal(weft_profile_array(profile, 0)->element_bytes, 8);
    assert_int_equal(weft_profile_array(profile, 1)->element_bytes, 4);
    assert_int_equal(weft_profile_steps(profile), 3);
    assert_int_equal(weft_profile_patterns(profile), 3);
    weft_profile_pattern(profile, 0, &pattern);
    assert_int_equal(pattern.array, 0);
    assert_int_equal(pattern.owner_array, 1);
    assert_int_equal(pattern.element, 22);
    assert_int_equal(pattern.owner, 5);
    assert_int_equal(pattern.extent[0], 11);
    assert_int_equal(pattern.operation, WEFT_REFERENCE_READ);
    weft_profile_pattern(profile, 1, &pattern);
    assert_int_equal(pattern.step, 1);
    assert_int_equal(pattern.array, 1);
    assert_int_equal(pattern.operation, WEFT_REFERENCE_WRITE);
    assert_int_equal(pattern.times, 3);
    weft_profile_pattern(profile, 2, &pattern);
    assert_int_equal(pattern.step, 2);
    assert_int_equal(pattern.owner_array, WEFT_NONE);
    /* Times count from the first record of the trace. */
    assert_int_equal(weft_profile_step_end(profile, 1) - weft_profile_step_end(profile, 0),
                     200);
    assert_int_equal(weft_profile_step_at(profile, weft_profile_step_end(profile, 0) + 1),
                     1);
    end(&recorded, profile);
}

/* A thread's references may come before the declaration that another thread wrote. */
static void before_declaration(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile = profile_of(
        &recorded, PROCESS "1500 array 0 0x100000000 10 0x41\n"
                           "thread 1\n"
                           "starts 1000\n"
                           "1400 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n");

    (void)state;
    assert_int_equal(weft_profile_patterns(profile), 1);
    assert_false(has_problem(&recorded, "references-without-array"));
    end(&recorded, profile);
}

/* A forked child goes on with its parent's arrays; another process has none in this profile. */
static void processes(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile = profile_of(
        &recorded, PROCESS "1100 array 0 0x100000000 10 0x41\n"
                           "process 11 child\n"
                           "image 1150\n"
                           "forked 10 0 0\n"
                           "families 32\n"
                           "thread 0\n"
                           "1200 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n"
                           "process 12 other\n"
                           "families 32\n"
                           "thread 0\n"
                           "1300 array 0 0x100000000 10 0x41\n"
                           "1400 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n");

    (void)state;
    assert_int_equal(weft_profile_arrays(profile), 1);
    assert_int_equal(weft_profile_patterns(profile), 1);
    assert_true(has_problem(&recorded, "other-profiles"));
    end(&recorded, profile);
}

/* What is damaged or was lost is said, and is not there. */
static void faults(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile =
        profile_of(&recorded, PROCESS
                   "1100 array 0 0x100000000 10 0x41\n"
                   "1200 array-pattern 0 0x100000000 0 0 1 1 0 10 1 1\n" /* 1 to 10 */
                   "1210 array-pattern 0 0x900000000 0 0 1 1 0\n"        /* nine loops */
                   "1220 array-pattern 0 0x0005000000000000 0 0 1 1 0\n" /* array 5 */
                   "1230 array-pattern 0 0 0 0 0 1 0\n"                  /* zero times */
                   "1240 array-pattern 0 0 0 0 1 3 0\n"
                   "1300 array 0 0x900000001 1 0x42\n" /* nine dimensions */
                   "1350 array-step 0 0x1000000\n"     /* step 2^24 */
                   "1360 array-step 0 1\n"
                   "1400 array-lost 0 7\n"
                   "1400 array-lost 2 1\n"
                   "1400 array-lost 3 1\n"
                   "1400 array-lost 4 1\n"
                   "1400 array-lost 60 1\n");

    (void)state;
    assert_int_equal(weft_profile_patterns(profile), 1);
    assert_int_equal(weft_profile_steps(profile), 1);
    assert_true(has_problem(&recorded, "references-outside"));
    assert_true(has_problem(&recorded, "references-without-array"));
    assert_true(has_problem(&recorded, "array-of-two-shapes"));
    assert_true(has_problem(&recorded, "references-interrupted"));
    assert_true(has_problem(&recorded, "other-hooks"));
    end(&recorded, profile);
}

/* The step that begins when the last one is done is none. */
static void last_step(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile =
        profile_of(&recorded, PROCESS "1100 array 0 0x100000000 10 0x41\n"
                                      "1200 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n"
                                      "1300 array-step 0 1\n"
                                      "1400 array-pattern 0 0x100000001 0 0 1 0 0 10 1 1\n"
                                      "1500 array-step 0 2\n");

    (void)state;
    assert_int_equal(weft_profile_steps(profile), 2);
    end(&recorded, profile);
}

/* A program that passes over steps: what it did was in the step that ended, not in the last. */
static void passed_steps(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile = profile_of(
        &recorded, PROCESS "1100 array 0 0x100000000 10 0x41\n"
                           "1200 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n"
                           "1300 array-step 0 9000000\n"
                           "1400 array-pattern 0 0x100895440 0 0 1 0 0 10 1 1\n");

    (void)state;
    assert_int_equal(weft_profile_steps(profile), 9000001);
    assert_int_equal(weft_profile_step_end(profile, 0),
                     weft_profile_step_end(profile, 8999999));
    assert_int_equal(
        weft_profile_step_end(profile, 9000000) - weft_profile_step_end(profile, 0), 100);
    end(&recorded, profile);
}

/* Somebody declared an array, and forgot all else. */
static void nothing_refers(void **state)
{
    struct recorded recorded =
        synthetic_trace(PROCESS "1100 array 0 0x100000000 10 0x41\n");

    (void)state;
    assert_true(has_problem(&recorded, "arrays-without-references"));
    forget(&recorded);
}

/*
 * Threads that wait for an array look again whenever one is declared.  Where that is far more work
 * than there are records, they go on without it, and it is said.
 */
static bool all_are_found(uint32_t threads, uint32_t arrays)
{
    char *text = weft_strdup(PROCESS);
    size_t size = strlen(text), room = size + 1;
    struct recorded recorded;
    bool found;

    for (uint32_t i = 1; i <= threads + arrays; i++) {
        text = weft_grow(text, &room, size + 200, 1);
        if (i <= threads)
            size +=
                (size_t)sprintf(text + size,
                                "thread %u\nstarts 1000\n"
                                "1100 array-pattern 0 0x%04x000000000000 0xffff 0 1 7 0\n",
                                i, arrays);
        else
            size += (size_t)sprintf(text + size, "%s1100 array 0 0x1%08x 10 0x41\n",
                                    i == threads + 1 ? "thread 9999\nstarts 1000\n" : "",
                                    i - threads);
    }
    recorded = synthetic_trace(text);
    found = !has_problem(&recorded, "references-without-array");
    forget(&recorded);
    free(text);
    return found;
}

static void many_wait_for_long(void **state)
{
    (void)state;
    assert_true(all_are_found(100, 100));
    assert_false(all_are_found(1500, 1000));
}

/* An array that no memory holds is said to be left out, though nobody refers to it. */
static void impossible_things(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile =
        profile_of(&recorded, PROCESS "1100 array 0 0x100000000 10 0x41\n"
                                      "1200 array 0 0x100000001 0x1000000000000000 0x42\n"
                                      "1300 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n"
                                      "1400 array-step 0 0x1000000\n"); /* 2^24 */

    (void)state;
    assert_int_equal(weft_profile_arrays(profile), 1);
    assert_true(has_problem(&recorded, "references-outside"));
    assert_true(has_problem(&recorded, "array-of-two-shapes"));
    end(&recorded, profile);
}

/* ---- Order ---- */

enum { MAX_ELEMENTS = 4096 };

/* References by element and owner, both numbered row by row. */
struct grid {
    uint32_t counts[MAX_ELEMENTS][64];
    uint64_t n;
};

/* The number row by row of the element with a number column by column, index by index. */
static uint64_t turn(const struct weft_array *array, uint64_t number)
{
    uint64_t index[WEFT_ARRAY_RANK], turned = 0;

    for (uint32_t d = 0; d < array->rank; d++) {
        index[d] = number % array->shape[d];
        number /= array->shape[d];
    }
    for (uint32_t d = 0; d < array->rank; d++)
        turned = turned * array->shape[d] + index[d];
    return turned;
}

/* Every reference of a pattern; ARRAY and OWNER as order_by_rows takes them. */
static void count_all(struct grid *grid, const struct weft_pattern *pattern,
                      const struct weft_array *array, const struct weft_array *owner_array)
{
    uint64_t i[4];

    for (i[0] = 0; i[0] < pattern->extent[0]; i[0]++)
        for (i[1] = 0; i[1] < pattern->extent[1]; i[1]++)
            for (i[2] = 0; i[2] < pattern->extent[2]; i[2]++)
                for (i[3] = 0; i[3] < pattern->extent[3]; i[3]++) {
                    uint64_t element = pattern->element, owner = pattern->owner;
                    for (int k = 0; k < 4; k++) {
                        element += i[k] * (uint64_t)pattern->stride[k];
                        owner += i[k] * (uint64_t)pattern->owner_stride[k];
                    }
                    element = array ? turn(array, element) : element;
                    owner = owner_array ? turn(owner_array, owner) : owner;
                    assert_true(element < MAX_ELEMENTS);
                    grid->counts[element][owner % 64]++;
                    grid->n++;
                }
}

static void give(void *grid, const struct weft_pattern *pattern)
{
    count_all(grid, pattern, NULL, NULL);
}

static struct weft_array random_array(void)
{
    struct weft_array array = { .rank = 1 + roll(4) };

    for (uint32_t d = 0; d < array.rank; d++)
        array.shape[d] = 1 + roll(7);
    return array;
}

/* Strides of one side such that all of its elements are inside; false: there is no room. */
static bool place(const struct weft_array *array, const uint64_t *extent, uint64_t *first,
                  int64_t *stride)
{
    int64_t low = 0, high = 0, n = (int64_t)weft_array_elements(array);

    for (int k = 0; k < 4; k++) {
        stride[k] = (int64_t)roll((uint32_t)n + 1) * (roll(2) ? 1 : -1);
        low += stride[k] < 0 ? stride[k] * (int64_t)(extent[k] - 1) : 0;
        high += stride[k] > 0 ? stride[k] * (int64_t)(extent[k] - 1) : 0;
    }
    if (high - low >= n)
        return false;
    *first = (uint64_t)(-low + roll((uint32_t)(n - (high - low))));
    return true;
}

static void order(void **state)
{
    static struct grid expected, given;
    uint32_t tried = 0;

    (void)state;
    for (uint64_t seed = 1; tried < 2000; seed++) {
        roll_from(seed);
        struct weft_array array = random_array(), owner = random_array();
        struct weft_pattern pattern = { .times = 1, .extent = { 1, 1, 1, 1 } };
        const struct weft_array *by_columns = roll(4) ? &array : NULL;
        const struct weft_array *owner_by_columns = roll(2) ? &owner : NULL;
        uint32_t room = MAX_ELEMENTS;
        for (int k = 0; k < 4; k++)
            pattern.extent[k] = roll(3) ? 1 : 1 + roll(12);
        if (place(&array, pattern.extent, &pattern.element, pattern.stride)
            && place(&owner, pattern.extent, &pattern.owner, pattern.owner_stride)) {
            memset(&expected, 0, sizeof expected);
            memset(&given, 0, sizeof given);
            count_all(&expected, &pattern, by_columns, owner_by_columns);
            assert_int_equal(
                order_by_rows(&pattern, by_columns, owner_by_columns, &room, give, &given),
                ORDER_DONE);
            assert_memory_equal(&expected, &given, sizeof expected);
            tried++;
        }
    }
}

static void count_pieces(void *n, const struct weft_pattern *pattern)
{
    (void)pattern;
    ++*(uint32_t *)n;
}

/* Loops over columns stay loops; one over all of memory is one for each column. */
static void order_keeps_loops(void **state)
{
    const struct weft_array array = { .rank = 2, .shape = { 4096, 4096 } };
    struct weft_pattern pattern = { .times = 1,
                                    .extent = { 4094, 4094, 1, 1 },
                                    .element = 4097,
                                    .stride = { 1, 4096, 0, 0 } };
    uint32_t n = 0, room = 5000;

    (void)state;
    assert_int_equal(order_by_rows(&pattern, &array, NULL, &room, count_pieces, &n),
                     ORDER_DONE);
    assert_int_equal(n, 1);
    pattern = (struct weft_pattern){ .times = 1,
                                     .extent = { 4096 * 4096, 1, 1, 1 },
                                     .stride = { 1, 0, 0, 0 } };
    n = 0;
    assert_int_equal(order_by_rows(&pattern, &array, NULL, &room, count_pieces, &n),
                     ORDER_DONE);
    assert_int_equal(n, 4096);
    assert_int_equal(room, 5000 - 1 - 4096);
}

static enum order_end try(const struct weft_pattern *pattern, uint32_t *n)
{
    const struct weft_array array = { .rank = 2, .shape = { 10, UINT64_C(1) << 40 } };
    uint32_t room = 1000;

    return order_by_rows(pattern, &array, NULL, &room, count_pieces, n);
}

/* What a damaged file may say. */
static void order_refuses(void **state)
{
    struct weft_pattern pattern = { .times = 1, .extent = { 10, 1, 1, 1 } };
    uint32_t n = 0;

    (void)state;
    pattern.stride[0] = INT64_MAX / 2;
    assert_int_equal(try(&pattern, &n), ORDER_OUTSIDE);
    pattern.stride[0] = -1;
    assert_int_equal(try(&pattern, &n), ORDER_OUTSIDE);
    pattern.stride[0] = 0;
    pattern.extent[1] = UINT64_MAX;
    assert_int_equal(try(&pattern, &n), ORDER_OUTSIDE);
    pattern.extent[1] = 0;
    assert_int_equal(try(&pattern, &n), ORDER_OUTSIDE);
    pattern.extent[1] = 1;
    pattern.element = UINT64_MAX;
    assert_int_equal(try(&pattern, &n), ORDER_OUTSIDE);
    assert_int_equal(n, 0);
    /* In absurdly many parts. */
    pattern.element = 0;
    pattern.extent[0] = UINT64_C(1) << 40;
    pattern.stride[0] = 7;
    assert_int_equal(try(&pattern, &n), ORDER_SCATTERED);
    assert_int_equal(n, 1000);
}

/*
 * A record that falls into a part for each of 2^20 columns uses up what all have together: the
 * next one is left out, and that is said.
 */
static void scattered(void **state)
{
    struct recorded recorded;
    struct weft_profile *profile = profile_of(
        &recorded, PROCESS "1100 array 0 0x200000000 2 0x100000 0x41\n"
                           "1200 array-pattern 0 0x100000000 0x1ffff 0 1 0 0 0x200000 1 0\n"
                           "1210 array-pattern 0 0x100000000 0x1ffff 0 1 0 0 4 1 0\n");

    (void)state;
    assert_true(has_problem(&recorded, "references-scattered"));
    assert_false(has_problem(&recorded, "references-outside"));
    end(&recorded, profile);
}

/* Images that are forked from themselves, or from each other, are forked from none. */
static void circles(void **state)
{
    struct recorded recorded =
        synthetic_trace(PROCESS "1100 array 0 0x100000000 10 0x41\n"
                                "process 11 its own child\n"
                                "image 5\n"
                                "forked 11 5 0\n"
                                "families 33\n"
                                "thread 0\n"
                                "1150 instant 7\n"
                                "1200 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n"
                                "process 12 one\n"
                                "image 6\n"
                                "forked 13 7 0\n"
                                "families 33\n"
                                "thread 0\n"
                                "1150 wait mutex 0x3000\n"
                                "1200 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n"
                                "process 13 another\n"
                                "image 7\n"
                                "forked 12 6 0\n"
                                "families 33\n"
                                "thread 0\n"
                                "1200 array-pattern 0 0x100000000 0 0 1 0 0 10 1 1\n");

    (void)state;
    assert_true(has_problem(&recorded, "references-without-array"));
    assert_true(has_problem(&recorded, "arrays-without-references"));
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),           cmocka_unit_test(before_declaration),
        cmocka_unit_test(processes),          cmocka_unit_test(faults),
        cmocka_unit_test(nothing_refers),     cmocka_unit_test(impossible_things),
        cmocka_unit_test(many_wait_for_long), cmocka_unit_test(last_step),
        cmocka_unit_test(passed_steps),       cmocka_unit_test(order),
        cmocka_unit_test(order_keeps_loops),  cmocka_unit_test(order_refuses),
        cmocka_unit_test(scattered),          cmocka_unit_test(circles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
