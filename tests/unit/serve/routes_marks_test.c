/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: what is kept beside a trace, for a user and for several tabs. */
#define _GNU_SOURCE
#include "routes_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void test_marks_are_kept_beside_the_trace(void **state)
{
    (void)state;
    unlink(marks_path);
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    assert_string_equal(answer.content, "[]\n");
    assert_int_equal(ask("/marks", "trace=0", ""), 200);
    assert_int_equal(access(marks_path, F_OK), -1); /* no change makes no file */
    assert_int_equal(
        ask("/marks", "trace=0", "+5\t10\tthe \"first\"\n+-3\t0\t\n+7\t1\ta\tb\n"), 200);
    static const char all[] =
        "[{\"begin_ns\":5,\"length_ns\":10,\"note\":\"the \\\"first\\\"\"},"
        "\n{\"begin_ns\":-3,\"length_ns\":0,\"note\":\"\"},"
        "\n{\"begin_ns\":7,\"length_ns\":1,\"note\":\"a\\u0009b\"}]\n";
    assert_string_equal(answer.content, all);
    assert_int_equal(ask("/marks", "trace=0", ""), 200); /* nothing changes */
    assert_string_equal(answer.content, all);
    assert_int_equal(ask("/marks", "trace=0", "--3\t0\t\n-5\t10\tthe \"first\"\n"), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":7,\"length_ns\":1,\"note\":\"a\\u0009b\"}]\n");
    assert_int_equal(ask("/marks", "trace=0", "-7\t1\ta\tb\n"), 200);
    assert_string_equal(answer.content, "[]\n");
}

/* Each says what it changed since it last looked: nobody's mark is lost. */
static void test_marks_of_two_tabs_are_all_kept(void **state)
{
    (void)state;
    unlink(marks_path);
    assert_int_equal(ask("/marks", "trace=0", "+1\t0\tboth see this\n"), 200);
    assert_int_equal(ask("/marks", "trace=0", "+2\t0\tof the first\n"), 200);
    assert_int_equal(ask("/marks", "trace=0", "+3\t0\tof the second\n"), 200);
    answered("both see this");
    answered("of the first");
    answered("of the second");
    /* Both give the first another note: both notes stay.  And both take one out. */
    assert_int_equal(ask("/marks", "trace=0", "-1\t0\tboth see this\n+1\t0\tone\n"), 200);
    assert_int_equal(ask("/marks", "trace=0", "-1\t0\tboth see this\n+1\t0\ttwo\n"), 200);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ask("/marks", "trace=0", "-2\t0\tof the first\n"), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":3,\"length_ns\":0,\"note\":\"of the second\"},"
                        "\n{\"begin_ns\":1,\"length_ns\":0,\"note\":\"one\"},"
                        "\n{\"begin_ns\":1,\"length_ns\":0,\"note\":\"two\"}]\n");
    /* What is there already is not there twice. */
    assert_int_equal(ask("/marks", "trace=0", "+1\t0\tone\n"), 200);
    assert_non_null(strstr(answer.content, "one"));
    assert_null(strstr(strstr(answer.content, "one") + 1, "one"));
}

/* A bad line refuses the whole, and leaves what was there. */
static void test_bad_marks_change_nothing(void **state)
{
    static const char *const bad[] = { "x",
                                       "+5",
                                       "+5\t",
                                       "+5\t10",
                                       "+\t10\tnote",
                                       "+5\t\tnote",
                                       "+5\t-1\tnote",
                                       "+5 10 note",
                                       "+5x\t10\tnote",
                                       "+9223372036854775808\t1\tbeyond 64 bits",
                                       "+-9223372036854775809\t1\tbeyond 64 bits",
                                       "+5\t9223372036854775808\tbeyond 64 bits",
                                       "1\t2\tno sign",
                                       "+1\t1\tgood\nbad",
                                       "-1\t2\tkept\nbad" };
    (void)state;
    unlink(marks_path);
    assert_int_equal(ask("/marks", "trace=0", "+1\t2\tkept\n"), 200);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ask("/marks", "trace=0", bad[i]), 400);
        assert_int_equal(ask("/marks", "trace=0", NULL), 200);
        answered("\"note\":\"kept\"");
    }
    enum { LONGEST = 4096, MAX_LINES = 10000 };
    char *long_note = weft_asprintf("+1\t1\t%0*d", LONGEST, 0);
    assert_int_equal(ask("/marks", "trace=0", long_note), 200);
    free(long_note);
    long_note = weft_asprintf("+1\t1\t%0*d", LONGEST + 1, 0);
    assert_int_equal(ask("/marks", "trace=0", long_note), 400);
    free(long_note);
    char *many = NULL;
    size_t size;
    FILE *stream = open_memstream(&many, &size);
    for (int i = 0; i < MAX_LINES - 2; i++) /* two are there */
        fprintf(stream, "+%d\t1\tx\n", i);
    fclose(stream);
    assert_int_equal(ask("/marks", "trace=0", many), 200);
    free(many);
    assert_int_equal(ask("/marks", "trace=0", "+1\t1\tone too many\n"), 400);
    assert_int_equal(ask("/marks", "trace=0", "-1\t1\tx\n+1\t1\tin its place\n"), 200);
    unlink(marks_path);
}

static void test_marks_that_cannot_be_written_are_told(void **state)
{
    (void)state;
    unlink(marks_path);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit none = { 0, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0); /* as on a full disk */
    assert_int_equal(ask("/marks", "trace=0", "+1\t2\tlost\n"), 500);
    answered("cannot write");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* Neither shown as no marks, nor written over. */
static void refused(const char *why)
{
    struct stat before, after;
    assert_int_equal(lstat(marks_path, &before), 0);
    assert_int_equal(ask("/marks", "trace=0", NULL), 500);
    answered(why);
    assert_int_equal(ask("/marks", "trace=0", "+1\t2\tlost\n"), 500);
    answered(why);
    assert_int_equal(lstat(marks_path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(remove(marks_path), 0);
}

static void test_marks_that_cannot_be_read_are_told(void **state)
{
    (void)state;
    unlink(marks_path);
    assert_int_equal(mkdir(marks_path, 0700), 0);
    refused("not a regular file");
    assert_int_equal(mkfifo(marks_path, 0600), 0);
    refused("not a regular file");
}

/* The folder may be somebody else's, what its links lead to may not. */
static void test_links_out_of_the_folder_are_not_followed(void **state)
{
    (void)state;
    char path[64], text[64] = "";
    unlink(marks_path);
    assert_int_equal(symlink("/dev/zero", marks_path), 0);
    refused("leads out of its folder");
    assert_int_equal(symlink("nowhere", marks_path), 0);
    refused("leads out of its folder");
    char outside[] = "/tmp/weft-marks-test.XXXXXX";
    close(mkstemp(outside));
    write_text(outside, "5\t1\tsecret\n");
    assert_int_equal(symlink(outside, marks_path), 0);
    refused("leads out of its folder");
    assert_null(strstr(answer.content, "secret"));
    FILE *file = fopen(outside, "rb");
    assert_int_equal(fread(text, 1, sizeof text, file), 11);
    fclose(file);
    unlink(outside);
    assert_int_equal(symlink("trace.weft", marks_path), 0);
    refused("a link to a trace"); /* it would be written over */
    snprintf(path, sizeof path, "%s/inside.marks", routes_folder);
    write_text(path, "5\t1\tinside\n");
    assert_int_equal(symlink("inside.marks", marks_path), 0);
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    answered("\"note\":\"inside\"");
    unlink(path);
    unlink(marks_path);
}

/* Lines that are no marks have a limit of their own. */
static void test_lines_that_are_no_marks_do_not_count_as_marks(void **state)
{
    enum { COMMENTS = 10001, MAX_LINES = 1000000 };
    (void)state;
    char *text = malloc(2 * MAX_LINES + 1);
    assert_non_null(text);
    for (int i = 0; i < MAX_LINES; i++)
        memcpy(text + (ptrdiff_t)2 * i, "#\n", 2);
    text[2 * COMMENTS] = '\0';
    write_text(marks_path, text);
    assert_int_equal(ask("/marks", "trace=0", "+5\t1\tone\n"), 200);
    answered("\"note\":\"one\"");
    text[2 * COMMENTS] = '#';
    text[2 * MAX_LINES] = '\0';
    write_text(marks_path, text);
    assert_int_equal(ask("/marks", "trace=0", "+5\t1\tone\n"), 400);
    answered("at most 1000000 lines");
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    free(text);
    unlink(marks_path);
}

static void test_marks_files_have_limits(void **state)
{
    (void)state;
    write_text(marks_path, "5\t1\tone\n");
    assert_int_equal(truncate(marks_path, 1LL << 36), 0); /* without a further line */
    refused("longer than 64 MiB");
    write_text(marks_path, "5\t1\tone\n6\t1\ttwo\n");
    assert_int_equal(truncate(marks_path, 100), 0);
    refused(".marks:3: a NUL byte");
    char line[(64 << 10) + 3];
    memset(line, 'x', sizeof line);
    strcpy(line + sizeof line - 2, "\n");
    write_text(marks_path, line);
    refused(".marks:1: a line of more than 64 KiB");
    char *marks = malloc(10001 * 8), *at = marks;
    assert_non_null(marks);
    for (int i = 0; i <= 10000; i++)
        at += sprintf(at, "%d\t1\tx\n", i % 10);
    write_text(marks_path, marks);
    free(marks);
    assert_int_equal(ask("/marks", "trace=0", NULL), 500);
    answered("more than 10000 marks");
    unlink(marks_path);
}

/* The file is the user's: what is no mark in it is passed over, and stays. */
static void test_lines_that_are_no_marks_are_passed_over(void **state)
{
    (void)state;
    write_text(
        marks_path,
        "# mine\n99999999999999999999\t1\tx\n5\t1\tone\n\n5\t1\n6\t1\ttwo \xff\r\n7\t1\tlast");
    assert_int_equal(ask("/marks", "trace=0", NULL), 200);
    assert_string_equal(answer.content,
                        "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"},"
                        "\n{\"begin_ns\":6,\"length_ns\":1,\"note\":\"two \xef\xbf\xbd\"},"
                        "\n{\"begin_ns\":7,\"length_ns\":1,\"note\":\"last\"}]\n");
    assert_int_equal(ask("/marks", "trace=0", "-5\t1\tone\n+8\t0\tnew\n"), 200);
    char text[200];
    FILE *file = fopen(marks_path, "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(
        text,
        "# mine\n99999999999999999999\t1\tx\n\n5\t1\n6\t1\ttwo \xff\n7\t1\tlast\n8\t0\tnew\n");
}

/* What a person wrote into the file by hand can be taken out, and given another note, as shown. */
static void test_marks_go_by_what_is_shown(void **state)
{
    (void)state;
    static const struct {
        const char *line, *shown; /* and as the page says it back */
    } cases[] = {
        { " 7\t0\tx", "7\t0\tx" },
        { "+8\t 0\ty", "8\t0\ty" },
        { "007\t00\tx\r", "7\t0\tx" },
        { "9\t1\ta\tb", "9\t1\ta b" },
        { "9\t1\tcaf\xe9 \xff", "9\t1\tcaf\xef\xbf\xbd \xef\xbf\xbd" },
        { "9007199254740993\t1\tfar", "9007199254740992\t1\tfar" },
        { "9223372036854775807\t1\tfar", "9223372036854776000\t1\tfar" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = weft_asprintf("5\t1\tone\n%s\n", cases[i].line);
        char *removal = weft_asprintf("-%s\n", cases[i].shown);
        char *edit = weft_asprintf("-%s\n+6\t1\tother\n", cases[i].shown);
        write_text(marks_path, text);
        assert_int_equal(ask("/marks", "trace=0", removal), 200);
        assert_string_equal(answer.content,
                            "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"}]\n");
        write_text(marks_path, text);
        assert_int_equal(ask("/marks", "trace=0", edit), 200);
        assert_string_equal(answer.content,
                            "[{\"begin_ns\":5,\"length_ns\":1,\"note\":\"one\"},"
                            "\n{\"begin_ns\":6,\"length_ns\":1,\"note\":\"other\"}]\n");
        free(text);
        free(removal);
        free(edit);
    }
    /* The one that is written so goes first. */
    write_text(marks_path, " 7\t0\tx\n7\t0\tx\n");
    assert_int_equal(ask("/marks", "trace=0", "-7\t0\tx\n"), 200);
    answered("\"begin_ns\":7");
    assert_int_equal(ask("/marks", "trace=0", "-7\t0\tx\n"), 200);
    assert_string_equal(answer.content, "[]\n");
    unlink(marks_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_are_kept_beside_the_trace),
        cmocka_unit_test(test_bad_marks_change_nothing),
        cmocka_unit_test(test_lines_that_are_no_marks_are_passed_over),
        cmocka_unit_test(test_marks_go_by_what_is_shown),
        cmocka_unit_test(test_marks_of_two_tabs_are_all_kept),
        cmocka_unit_test(test_marks_that_cannot_be_written_are_told),
        cmocka_unit_test(test_marks_that_cannot_be_read_are_told),
        cmocka_unit_test(test_links_out_of_the_folder_are_not_followed),
        cmocka_unit_test(test_lines_that_are_no_marks_do_not_count_as_marks),
        cmocka_unit_test(test_marks_files_have_limits),
    };
    return cmocka_run_group_tests(tests, routes_set_up, routes_tear_down);
}
