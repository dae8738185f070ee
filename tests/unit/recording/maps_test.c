/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of address spaces, against a slow search of the text, line by line. */
#include <inttypes.h>

#include "base/memory.h"
#include "read/recording/sites/memory_maps.h"
#include "tests/random.h"
#include "tests/test.h"

/* The last line of TEXT that covers the address: its begin, or 0. */
static uint64_t slow_find(const char *text, uint64_t address)
{
    uint64_t found = 0;

    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        uint64_t begin, end;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) == 2 && address >= begin
            && address < end)
            found = begin;
    }
    return found;
}

static void test_random_maps(void **state)
{
    static char text[100000];

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct maps maps;
        char *end = text;
        *text = 0;
        for (uint64_t copy = roll(4) + 1; copy > 0; copy--) {
            uint64_t at = 0x1000 * (1 + roll(4));
            for (uint64_t line = roll(12); line > 0; line--) {
                uint64_t size = 0x1000 * (1 + roll(4));
                end +=
                    sprintf(end, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 08:01 5   /a b\n",
                            at, at + size);
                at += size + 0x1000 * roll(3);
            }
        }
        maps_parse(&maps, weft_strdup(text));
        for (uint64_t address = 0; address < 0x60000; address += 0x800) {
            const struct map_line *line = maps_find(&maps, address);
            assert_int_equal(line ? line->begin : 0, slow_find(text, address));
            if (line) {
                assert_int_equal(line->path_size, 4);
                assert_memory_equal(line->path, "/a b", 4);
            }
        }
        maps_free(&maps);
    }
}

/*
 * A program's data: its file maps 4000-5000, and what is zero at the start follows to 7000
 * without a file.  The heap, which has a name but is no file, and what stands alone are not
 * of it.
 */
static void test_data_behind_its_file(void **state)
{
    struct maps maps;
    const struct map_line *line;

    (void)state;
    maps_parse(&maps, weft_strdup("1000-4000 r-xp 00000000 08:01 5      /bin/x\n"
                                  "4000-5000 rw-p 00003000 08:01 5      /bin/x\n"
                                  "5000-7000 rw-p 00000000 00:00 0 \n"
                                  "7000-8000 rw-p 00000000 00:00 0      [heap]\n"
                                  "9000-a000 rw-p 00000000 00:00 0 \n"));
    line = maps_find_data(&maps, 0x4800);
    assert_non_null(line);
    assert_int_equal(line->offset, 0x3000);
    assert_ptr_equal(maps_find_data(&maps, 0x6fff), line);
    assert_null(maps_find_data(&maps, 0x7800));
    assert_null(maps_find_data(&maps, 0x9800));
    assert_null(maps_find_data(&maps, 0xb000));
    maps_free(&maps);
}

/* Data are mapped where a library's code was: an address of code is the library's. */
static void test_data_where_code_was(void **state)
{
    struct maps maps;
    const struct map_line *line;

    (void)state;
    maps_parse(&maps, weft_strdup("1000-4000 r-xp 00000000 08:01 5      /lib/a.so\n"
                                  "1000-2000 rw-s 00000000 08:01 6      /tmp/data\n"));
    line = maps_find(&maps, 0x1800);
    assert_non_null(line);
    assert_memory_equal(line->path, "/lib/a.so", 9);
    line = maps_find_data(&maps, 0x1800);
    assert_non_null(line);
    assert_memory_equal(line->path, "/tmp/data", 9);
    maps_free(&maps);
}

/* Of very many copies the latest are known. */
static void test_many_copies(void **state)
{
    struct maps maps;
    char *text = weft_alloc((MAPS_COPIES_MAX + 2) * 32), *at = text;

    (void)state;
    at += sprintf(at, "9000-a000 r-x\n");
    at += sprintf(at, "7000-8000 r-x\n");
    for (int i = 0; i < MAPS_COPIES_MAX - 1; i++)
        at += sprintf(at, "1000-2000 r-x\n");
    maps_parse(&maps, text);
    assert_int_equal(maps.n_copies, MAPS_COPIES_MAX + 1);
    assert_non_null(maps_find(&maps, 0x1000));
    assert_non_null(maps_find(&maps, 0x7000));
    assert_null(maps_find(&maps, 0x9000));
    maps_free(&maps);
}

/* Cut at any byte: what is whole is found, nothing is read beyond the end. */
static void test_cut_text(void **state)
{
    static const char text[] = "1000-4000 r-xp 00000000 08:01 5      /bin/x\n"
                               "4000-5000 rw-p 00003000 08:01 5      /bin/x\n";

    (void)state;
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct maps maps;
        maps_parse(&maps, weft_strndup(text, cut));
        if (cut > 44)
            assert_non_null(maps_find(&maps, 0x3fff));
        (void)maps_find_data(&maps, 0x4800);
        maps_free(&maps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_maps),
        cmocka_unit_test(test_data_behind_its_file),
        cmocka_unit_test(test_data_where_code_was),
        cmocka_unit_test(test_many_copies),
        cmocka_unit_test(test_cut_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
