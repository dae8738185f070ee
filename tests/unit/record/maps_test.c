/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's core, in this process: how often it copies the map of the address space, for code
 * in more mappings than programs mostly have.
 */
#define _GNU_SOURCE
#include "log_fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "record/maps/maps.h"
#include "tests/random.h"

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

/*
 * No code any more, and nothing else is mapped there: what the recorder knows of the address space
 * outlives a test, and the next one must not meet it.
 */
static void leave(unsigned char *memory)
{
    assert_int_equal(mprotect(memory, (size_t)2 * MAPPINGS * PAGE, PROT_NONE), 0);
}

static uint64_t address_in(const unsigned char *code, uint64_t mapping)
{
    return (uint64_t)(uintptr_t)code + 2 * mapping * PAGE + roll(PAGE);
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
        weft_maps_see(address_in(code, roll(MAPPINGS)));
    check_one_copy(before);
    leave(code);
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
    leave(first);
    leave(second);
}

/* An address where there is no code is looked up once, whatever is asked of its page later. */
static void test_code_that_no_copy_has(void **state)
{
    unsigned char *code = map_code();
    int64_t before;

    (void)state;
    before = size_of_log();
    for (int i = 0; i < 1000; i++)
        weft_maps_see(address_in(code, 5) + PAGE);
    check_one_copy(before);
    leave(code);
}

/* Code that is generated page by page, each of which calls when it is there. */
static void test_generated_code_is_not_copied_each_time(void **state)
{
    /* 2 + 4 + 8 ... pages: as many copies as that has summands, and none is longer than the last. */
    enum { COPIES = 12 };
    unsigned char *memory = mmap(NULL, (size_t)2 * MAPPINGS * PAGE, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int64_t before = size_of_log(), grown;
    void *library;

    (void)state;
    for (size_t i = 0; i < MAPPINGS; i++) {
        assert_int_equal(mprotect(memory + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC), 0);
        weft_maps_see(address_in(memory, i));
    }
    grown = size_of_log() - before;
    if (grown > COPIES * (size_of_map() + PAGE))
        fail_msg("the log has grown by %lld bytes", (long long)grown);
    /* What is loaded meanwhile has a name, and is copied at once; what was passed over at the end. */
    library =
        dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD) /* a sanitizer has it already */
            ? NULL
            : dlopen("libgcc_s.so.1", RTLD_NOW);
    if (library && dlsym(RTLD_DEFAULT, "_dl_find_object")) {
        before = size_of_log();
        weft_maps_see((uint64_t)(uintptr_t)dlsym(library, "_Unwind_Backtrace"));
        check_one_copy(before);
        dlclose(library);
    }
    before = size_of_log();
    assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_READ | PROT_EXEC), 0);
    weft_maps_see((uint64_t)(uintptr_t)memory + PAGE);
    assert_int_equal(size_of_log(), before);
    weft_maps_end();
    check_one_copy(before);
    before = size_of_log();
    weft_maps_end();
    assert_int_equal(size_of_log(), before);
    leave(memory);
}

__attribute__((noinline)) static void leave_on_the_stack(int byte)
{
    volatile char bytes[1 << 16];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)byte;
}

/* What an event costs is measured with a lock that is known, whose caller is nowhere. */
static void test_measuring_looks_nothing_up(void **state)
{
    int64_t before = size_of_log();

    (void)state;
    leave_on_the_stack(0xa5);
    assert_true(weft_log_event_cost() > 0);
    assert_int_equal(size_of_log(), before);
}

/* Each test is a process of its own. */
static int start(void **state)
{
    weft_maps_forked();
    return log_start(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_many_mappings_are_copied_once, start,
                                        log_stop),
        cmocka_unit_test_setup_teardown(test_new_mappings_are_copied_once, start, log_stop),
        cmocka_unit_test_setup_teardown(test_measuring_looks_nothing_up, start, log_stop),
        cmocka_unit_test_setup_teardown(test_code_that_no_copy_has, start, log_stop),
        cmocka_unit_test_setup_teardown(test_generated_code_is_not_copied_each_time, start,
                                        log_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
