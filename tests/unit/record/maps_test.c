/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's core, in this process: how often it copies the map of the address space, for code
 * in more mappings than programs mostly have.
 */
#define _GNU_SOURCE
#include "log_fixture.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "record/core/maps.h"

enum { PAGE = 4096, MAPPINGS = 2000 };

/* MAPPINGS pages of code, each followed by one that is none, so that they stay apart. */
static unsigned char *map_code(void)
{
    unsigned char *memory = mmap(NULL, (size_t)2 * MAPPINGS * PAGE, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    for (size_t i = 0; i < MAPPINGS; i++)
        assert_int_equal(mprotect(memory + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC), 0);
    return memory;
}

static uint64_t address_in(const unsigned char *code, uint64_t mapping)
{
    return (uint64_t)(uintptr_t)code + 2 * mapping * PAGE + log_throw(PAGE);
}

static int64_t size_of_log(void)
{
    struct stat status;

    assert_int_equal(stat(weft_process.file.path, &status), 0);
    return status.st_size;
}

static int64_t size_of_map(void)
{
    FILE *map = fopen("/proc/self/maps", "r");
    int64_t n = 0;

    assert_non_null(map);
    while (fgetc(map) != EOF)
        n++;
    fclose(map);
    return n;
}

/* Between one copy and two: pieces have heads and round up, which is less than a tenth. */
static void check_one_copy(int64_t before)
{
    int64_t grown = size_of_log() - before, map = size_of_map();

    if (grown < map || grown > map + map / 2)
        fail_msg("the log has grown by %lld bytes, a copy has %lld", (long long)grown,
                 (long long)map);
}

/* Row 5 of the second foundation: beyond 512 mappings each look was a copy. */
static void test_many_mappings_are_copied_once(void **state)
{
    unsigned char *code = map_code();
    int64_t before = size_of_log();

    (void)state;
    for (uint64_t i = 0; i < MAPPINGS; i++)
        weft_maps_see(address_in(code, (i * 7 + 3) % MAPPINGS));
    for (int i = 0; i < 10 * MAPPINGS; i++)
        weft_maps_see(address_in(code, log_throw(MAPPINGS)));
    check_one_copy(before);
    munmap(code, (size_t)2 * MAPPINGS * PAGE);
}

static void test_new_mappings_are_copied_once(void **state)
{
    unsigned char *first = map_code(), *second;
    int64_t before;

    (void)state;
    weft_maps_see(address_in(first, 0));
    second = map_code();
    before = size_of_log();
    for (uint64_t i = 0; i < MAPPINGS; i++) {
        weft_maps_see(address_in(second, i));
        weft_maps_see(address_in(first, i));
    }
    check_one_copy(before);
    munmap(first, (size_t)2 * MAPPINGS * PAGE);
    munmap(second, (size_t)2 * MAPPINGS * PAGE);
}

/* An address where there is no code is looked up once, whatever is asked of its page later. */
static void test_code_that_no_copy_has(void **state)
{
    unsigned char *code = map_code();
    int64_t before;

    (void)state;
    weft_maps_see(address_in(code, 0));
    before = size_of_log();
    for (int i = 0; i < 1000; i++)
        weft_maps_see(address_in(code, 5) + PAGE);
    check_one_copy(before);
    munmap(code, (size_t)2 * MAPPINGS * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_many_mappings_are_copied_once, log_start,
                                        log_stop),
        cmocka_unit_test_setup_teardown(test_new_mappings_are_copied_once, log_start,
                                        log_stop),
        cmocka_unit_test_setup_teardown(test_code_that_no_copy_has, log_start, log_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
