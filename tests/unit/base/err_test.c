/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

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
    assert_string_equal(strstr(err.message, "…"), "…: Input/output error");
    memset(name, '\0', sizeof name);
    for (size_t i = 0; i < 990; i += 2) /* not within a character */
        memcpy(name + i, "ä", 2);
    errno = EIO;
    weft_fail_errno(&err, WEFT_ERR_READ, "cannot open %s", name);
    assert_non_null(strstr(err.message, "ä…: Input/output error"));
    for (size_t n = 470; n < 520; n++) { /* about the length that just fits */
        errno = EIO;
        weft_fail_errno(&err, WEFT_ERR_READ, "%.*s", (int)n, name);
        assert_string_equal(strchr(err.message, ':'), ": Input/output error");
    }
    memset(name, 'n', sizeof name - 1);
    weft_fail(&err, WEFT_ERR_READ, "%s", name);
    weft_err_format(&err, text, sizeof text);
    assert_string_equal(text, "nnnnnnn");
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
        cmocka_unit_test(test_exit_statuses_are_the_documented_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
