/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/err.h"
#include "tests/test.h"

static void test_fail_returns_false_and_fills(void **state)
{
    (void)state;
    struct weft_err err = { .file = "stale", .line = 7 };
    assert_false(weft_fail(&err, WEFT_ERR_FORMAT, "value %d of %s", 42, "x"));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    assert_string_equal(err.file, "");
    assert_int_equal(err.line, 0);
    assert_string_equal(err.message, "value 42 of x");
}

static void test_nobody_listens(void **state)
{
    (void)state;
    assert_false(weft_fail(NULL, WEFT_ERR_READ, "gone"));
    assert_false(weft_fail_at(NULL, WEFT_ERR_READ, "f", 1, "gone"));
    assert_false(weft_fail_errno(NULL, WEFT_ERR_READ, "gone"));
}

static void test_errno_is_told(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    errno = ENOENT;
    assert_false(weft_fail_errno(&err, WEFT_ERR_READ, "cannot open %s", "a"));
    assert_string_equal(err.message, "cannot open a: No such file or directory");
}

static void test_place_is_written_as_far_as_known(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    char text[64];
    weft_fail_at(&err, WEFT_ERR_FORMAT, "t.paje", 17, "bad");
    weft_err_format(&err, text, sizeof text);
    assert_string_equal(text, "t.paje:17: bad");
    weft_fail_at(&err, WEFT_ERR_FORMAT, "t.paje", 0, "bad");
    weft_err_format(&err, text, sizeof text);
    assert_string_equal(text, "t.paje: bad");
    weft_fail(&err, WEFT_ERR_FORMAT, "bad");
    weft_err_format(&err, text, sizeof text);
    assert_string_equal(text, "bad");
}

static void test_long_messages_are_cut(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    char name[2000], text[8];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    weft_fail_at(&err, WEFT_ERR_READ, name, 1, "%s", name);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    errno = EIO;
    weft_fail_errno(&err, WEFT_ERR_READ, "%s", name);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    weft_err_format(&err, text, sizeof text);
    assert_string_equal(text, "nnnnnnn");
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* A path may be longer than a message: what is at its ends is told, and what is wrong. */
static void test_long_names_hide_no_reason(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    char name[4000];
    for (size_t i = 0; i < sizeof name; i++) /* characters of two bytes */
        name[i] = i % 2 ? '\xa9' : '\xc3';
    memcpy(name, "/begin", 6);
    strcpy(name + sizeof name - 6, "/end");
    for (size_t more = 0; more < 4; more++) { /* wherever it is cut */
        errno = ENOENT;
        weft_fail_errno(&err, WEFT_ERR_READ, "cannot open %.*s%s", (int)more, "xxxx", name);
        assert_true(ends_with(err.message, "/end: No such file or directory"));
        assert_memory_equal(err.message, "cannot open ", 12);
        const char *cut = strstr(err.message, "...");
        assert_non_null(cut);
        assert_int_equal((unsigned char)cut[-1], 0xa9);
        assert_int_equal((unsigned char)cut[3], 0xc3);
        assert_null(strstr(cut + 3, "..."));
    }
    weft_fail_at(&err, WEFT_ERR_FORMAT, name, 3, "%s is no trace", name);
    assert_true(ends_with(err.message, "/end is no trace"));
    assert_memory_equal(err.file, "/begin", 6);
    assert_true(ends_with(err.file, "/end"));
    assert_true(strlen(err.file) < sizeof err.file);
}

static void test_exit_statuses_are_the_documented_ones(void **state)
{
    (void)state;
    assert_int_equal(weft_err_exit_status(WEFT_OK), 0);
    assert_int_equal(weft_err_exit_status(WEFT_ERR_USAGE), 2);
    assert_int_equal(weft_err_exit_status(WEFT_ERR_READ), 3);
    assert_int_equal(weft_err_exit_status(WEFT_ERR_FORMAT), 3);
    assert_int_equal(weft_err_exit_status(WEFT_ERR_LIMIT), 3);
    assert_int_equal(weft_err_exit_status(WEFT_ERR_WRITE), 4);
    assert_int_equal(weft_err_exit_status(WEFT_ERR_CANCELLED), 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fail_returns_false_and_fills),
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_errno_is_told),
        cmocka_unit_test(test_place_is_written_as_far_as_known),
        cmocka_unit_test(test_long_messages_are_cut),
        cmocka_unit_test(test_long_names_hide_no_reason),
        cmocka_unit_test(test_exit_statuses_are_the_documented_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
