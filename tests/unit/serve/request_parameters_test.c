/* SPDX-License-Identifier: Apache-2.0 */
/* Queries in the body of a request, and the parameters of a request as numbers. */
#include <inttypes.h>
#include <limits.h>

#include "serve/request_parameters.h"
#include "tests/test.h"

static struct weft_arena arena;

static int tear_down(void **state)
{
    (void)state;
    weft_arena_free(&arena);
    return 0;
}

static void check_decoded(const char *text, const char *wanted)
{
    assert_string_equal(request_decode(&arena, text, strlen(text)), wanted);
}

static void test_what_is_escaped_comes_back(void **state)
{
    (void)state;
    check_decoded("", "");
    check_decoded("a+b%20c", "a b c");
    check_decoded("%2B%2b%25", "++%");
    check_decoded("caf%C3%A9", "caf\xc3\xa9");
    check_decoded("x%00y", "x");
    /* What is no escape stands for itself. */
    check_decoded("%", "%");
    check_decoded("100%", "100%");
    check_decoded("%4", "%4");
    check_decoded("%zz%4g%g4", "%zz%4g%g4");
    check_decoded("%+1%-1% 1", "% 1%-1% 1");
    check_decoded("%%41", "%A");
    assert_string_equal(request_decode(&arena, "%41%42", 5), "A%4"); /* cut in an escape */
    for (int byte = 1; byte < 256; byte++) {
        char text[8], wanted[2] = { (char)byte, '\0' };
        snprintf(text, sizeof text, "%%%02x", byte);
        check_decoded(text, wanted);
        snprintf(text, sizeof text, "%%%02X", byte);
        check_decoded(text, wanted);
    }
}

/* How many there are; -1: the query is refused. */
static int parse(const char *query, struct parameter *got, size_t most)
{
    struct weft_err err;
    size_t n;
    return request_split(&arena, query, got, most, &n, &err) ? (int)n : -1;
}

static void test_a_query_is_its_pairs(void **state)
{
    struct parameter got[4];
    (void)state;
    assert_int_equal(parse("", got, 4), 0);
    assert_int_equal(parse("a=1&b=x+y&c=&d%3D=%26", got, 4), 4);
    static const char *const wanted[][2] = {
        { "a", "1" }, { "b", "x y" }, { "c", "" }, { "d=", "&" }
    };
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(got[i].name, wanted[i][0]);
        assert_string_equal(got[i].value, wanted[i][1]);
    }
    assert_int_equal(parse("a=b=c&&novalue&=v&", got, 4), 3);
    assert_string_equal(got[0].value, "b=c");
    assert_string_equal(got[1].name, "novalue");
    assert_string_equal(got[1].value, "");
    assert_string_equal(got[2].name, "");
    /* What would be left out or cut is another question: it is refused. */
    assert_int_equal(parse("a=1&a=2&a=3&a=4&", got, 4), 4);
    assert_int_equal(parse("a=1&a=2&a=3&a=4&a=5", got, 4), -1);
    assert_int_equal(parse("a=1&under=p%00x", got, 4), -1);
    assert_int_equal(parse("a%00b=1", got, 4), -1);
    assert_int_equal(parse("a=%%00", got, 4), -1);
    assert_int_equal(parse("a=%0&b=0", got, 4), 2); /* these are no escapes */
}

/* Any text of these characters is taken without reading beyond it (the sanitizers watch). */
static void test_any_text_can_be_parsed(void **state)
{
    static const char letters[] = "a=&%+4";
    char text[7];
    (void)state;
    for (int i = 0; i < 6 * 6 * 6 * 6 * 6 * 6; i++) {
        struct parameter got[3];
        for (int at = 0, rest = i; at < 6; at++, rest /= 6)
            text[at] = letters[rest % 6];
        text[6] = '\0';
        int n = parse(text, got, 3), wanted = 0;
        for (const char *part = text; part; part = strchr(part, '&')) {
            part += *part == '&';
            wanted += *part && *part != '&';
        }
        assert_int_equal(n, wanted <= 3 ? wanted : -1);
        for (int p = 0; p < n; p++)
            assert_true(strlen(got[p].name) + strlen(got[p].value) <= 6);
        weft_arena_reset(&arena);
    }
}

static void test_numbers_out_of_their_range_are_not_taken(void **state)
{
    static const struct {
        const char *text;
        long long wanted;
    } cases[] = {
        { NULL, 7 },
        { "", 7 },
        { "5", 5 },
        { "-3", -3 },
        { "10", 10 },
        { "11", 7 },
        { "-4", 7 },
        { "5x", 7 },
        { "x", 7 },
        { "5 ", 7 },
        { "0x5", 7 },
        { "5.0", 7 },
        { "1e1", 7 },
        { "+5", 5 },
        { "05", 5 },
        { "99999999999999999999", 7 },
        { "-99999999999999999999", 7 },
        { "--5", 7 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct parameter parameters[] = { { "other", "6" }, { "n", cases[i].text } };
        struct request request = { .parameters = parameters,
                                   .n_parameters = cases[i].text ? 2 : 1 };
        assert_int_equal(request_number(&request, "n", -3, 10, 7), cases[i].wanted);
    }
}

static void test_the_first_of_a_name_counts(void **state)
{
    const struct parameter parameters[] = { { "a", "1" }, { "a", "2" }, { "A", "3" } };
    struct request request = { .parameters = parameters, .n_parameters = 3 };
    (void)state;
    assert_string_equal(request_get(&request, "a"), "1");
    assert_string_equal(request_get(&request, "A"), "3");
    assert_null(request_get(&request, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_escaped_comes_back),
        cmocka_unit_test(test_a_query_is_its_pairs),
        cmocka_unit_test(test_any_text_can_be_parsed),
        cmocka_unit_test(test_numbers_out_of_their_range_are_not_taken),
        cmocka_unit_test(test_the_first_of_a_name_counts),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
