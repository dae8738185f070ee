/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON.  Strings are swept over all bytes, all pairs of bytes and all characters, and read back
 * by a slow reader of JSON strings written from RFC 8259; what they should hold is decoded by
 * the table of well-formed sequences of the Unicode standard (3-7), not by the code under test.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "tests/random.h"
#include "tests/test.h"

static struct weft_json json;
static char written[1 << 16];

static void begin(void)
{
    FILE *stream = fmemopen(written, sizeof written, "w");
    assert_non_null(stream);
    weft_json_begin(&json, stream);
}

/* What has been written, without the last newline. */
static const char *end(void)
{
    weft_json_end(&json);
    assert_int_equal(ferror(json.stream), 0);
    fclose(json.stream);
    size_t length = strlen(written);
    assert_int_equal(written[length - 1], '\n');
    written[length - 1] = '\0';
    return written;
}

/* ---- The second implementation: well-formed UTF-8, and a JSON string's characters ---- */

/* Table 3-7 of the Unicode standard: ranges of the first and of the further bytes. */
static const struct {
    unsigned char low[4], high[4];
    size_t size;
} well_formed[] = {
    { { 0x00 }, { 0x7f }, 1 },
    { { 0xc2, 0x80 }, { 0xdf, 0xbf }, 2 },
    { { 0xe0, 0xa0, 0x80 }, { 0xe0, 0xbf, 0xbf }, 3 },
    { { 0xe1, 0x80, 0x80 }, { 0xec, 0xbf, 0xbf }, 3 },
    { { 0xed, 0x80, 0x80 }, { 0xed, 0x9f, 0xbf }, 3 },
    { { 0xee, 0x80, 0x80 }, { 0xef, 0xbf, 0xbf }, 3 },
    { { 0xf0, 0x90, 0x80, 0x80 }, { 0xf0, 0xbf, 0xbf, 0xbf }, 4 },
    { { 0xf1, 0x80, 0x80, 0x80 }, { 0xf3, 0xbf, 0xbf, 0xbf }, 4 },
    { { 0xf4, 0x80, 0x80, 0x80 }, { 0xf4, 0x8f, 0xbf, 0xbf }, 4 },
};

static uint32_t slow_decode(const unsigned char *bytes, size_t left, size_t *size)
{
    for (size_t i = 0; i < sizeof well_formed / sizeof *well_formed; i++) {
        size_t fits = 0;
        while (fits < well_formed[i].size && fits < left
               && bytes[fits] >= well_formed[i].low[fits]
               && bytes[fits] <= well_formed[i].high[fits])
            fits++;
        *size = well_formed[i].size;
        if (fits < *size)
            continue;
        uint32_t code = *size == 1 ? bytes[0] : bytes[0] & ((1u << (7 - *size)) - 1);
        for (size_t j = 1; j < *size; j++)
            code = code * 64 + bytes[j] - 0x80;
        return code;
    }
    *size = 1;
    return 0xfffd;
}

static size_t decode_all(const unsigned char *bytes, size_t length, uint32_t *codes)
{
    size_t n = 0, size;
    for (size_t at = 0; at < length; at += size)
        codes[n++] = slow_decode(bytes + at, length - at, &size);
    return n;
}

/* The characters of a JSON string, which must have nothing that JSON or JavaScript forbid. */
static size_t read_string(const char *text, uint32_t *codes)
{
    size_t n = 0, size, left = strlen(text);
    assert_true(left >= 2 && text[0] == '"' && text[left - 1] == '"');
    for (const char *at = text + 1, *last = text + left - 1; at < last; at += size) {
        uint32_t code = slow_decode((const unsigned char *)at, (size_t)(last - at), &size);
        assert_true(code >= 0x20 && code != '"' && code != 0x7f);
        assert_true(code != 0x2028 && code != 0x2029);
        assert_true(code != 0xfffd || memcmp(at, "\xef\xbf\xbd", 3) == 0);
        if (code == '\\') {
            size = at[1] == 'u' ? 6 : 2;
            char digits[5] = { 0 }, *stop;
            memcpy(digits, at + 2, at[1] == 'u' ? 4 : 0);
            assert_true(at[1] == 'u' || at[1] == '"' || at[1] == '\\');
            code =
                at[1] == 'u' ? (uint32_t)strtoul(digits, &stop, 16) : (unsigned char)at[1];
            assert_true(at[1] != 'u' || stop == digits + 4);
        }
        codes[n++] = code;
    }
    return n;
}

static void check_text(const char *text, size_t length)
{
    uint32_t wanted[16], got[16];
    assert_true(length < 16);
    begin();
    weft_json_text(&json, NULL, text);
    const char *string = end();
    size_t n = decode_all((const unsigned char *)text, length, wanted);
    assert_int_equal(read_string(string, got), n);
    assert_memory_equal(got, wanted, n * sizeof *got);
}

static void test_every_byte_and_pair_of_bytes_is_read_back(void **state)
{
    (void)state;
    for (int a = 1; a < 256; a++) {
        check_text((char[]){ (char)a, 0 }, 1);
        for (int b = 1; b < 256; b++) {
            check_text((char[]){ (char)a, (char)b, 0 }, 2);
            check_text((char[]){ 'x', (char)a, (char)b, 'y', 0 }, 4);
        }
    }
}

/* Overlong forms, surrogates and numbers beyond Unicode are among them. */
static void test_every_kind_of_three_and_four_bytes_is_read_back(void **state)
{
    static const unsigned char edges[] = { 0x01, 0x22, 0x5c, 0x7f, 0x80, 0x8f,
                                           0x90, 0x9f, 0xa0, 0xa8, 0xa9, 0xbf,
                                           0xc0, 0xc2, 0xe2, 0xed, 0xf4, 0xff };
    (void)state;
    for (int a = 0xc0; a < 256; a++)
        for (size_t b = 0; b < sizeof edges; b++)
            for (size_t c = 0; c < sizeof edges; c++) {
                check_text((char[]){ (char)a, (char)edges[b], (char)edges[c], 0 }, 3);
                for (size_t d = 0; d < sizeof edges; d++)
                    check_text((char[]){ (char)a, (char)edges[b], (char)edges[c],
                                         (char)edges[d], 0 },
                               4);
            }
}

static size_t encode(uint32_t code, char out[5])
{
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = size; i-- > 1; code /= 64)
        out[i] = (char)(0x80 + code % 64);
    out[0] = (char)(heads[size] + code);
    out[size] = '\0';
    return size;
}

static void test_every_character_is_decoded(void **state)
{
    (void)state;
    for (uint32_t code = 1; code < 0x110000; code++) {
        char text[5];
        size_t length = encode(code, text), size;
        bool surrogate = code >= 0xd800 && code < 0xe000;
        uint32_t got = weft_utf8_decode(text, &size);
        assert_int_equal(got, surrogate ? WEFT_UTF8_INVALID : code);
        assert_int_equal(size, surrogate ? 1 : length);
        for (size_t cut = 1; cut < length; cut++) { /* it ends too early */
            text[cut] = '\0';
            assert_int_equal(weft_utf8_decode(text, &size), WEFT_UTF8_INVALID);
            assert_int_equal(size, 1);
            encode(code, text);
        }
    }
    size_t size;
    assert_int_equal(weft_utf8_decode("", &size), 0);
}

static void test_strings_are_escaped_as_written(void **state)
{
    static const struct {
        const char *text, *string;
    } cases[] = {
        { "", "\"\"" },
        { NULL, "\"\"" },
        { "a/b <c> 'd'", "\"a/b <c> 'd'\"" },
        { "\"\\", "\"\\\"\\\\\"" },
        { "\t\n\x1f\x7f", "\"\\u0009\\u000a\\u001f\\u007f\"" },
        { "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9", "\"\xe2\x80\xa7\\u2028\\u2029\"" },
        { "caf\xe9", "\"caf\xef\xbf\xbd\"" },
        { "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
        { "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        weft_json_text(&json, NULL, cases[i].text);
        assert_string_equal(end(), cases[i].string);
    }
}

/* ---- Numbers ---- */

static double read_real(double value)
{
    begin();
    weft_json_real(&json, NULL, value);
    const char *text = end();
    assert_int_equal(strspn(text, "0123456789+-.e"), strlen(text));
    return strtod(text, NULL);
}

static void test_reals_read_back_to_the_same_double(void **state)
{
    static const double edges[] = {
        0.0,     -0.0,         0.1,  1.0 / 3, DBL_MAX,
        DBL_MIN, DBL_TRUE_MIN, 1e21, -1e-7,   9007199254740993.0
    };
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double got = read_real(edges[i]);
        assert_memory_equal(&got, &edges[i], sizeof got); /* the sign of zero, too */
    }
    for (int i = 0; i < 200000; i++) {
        double value;
        uint64_t bits = roll(0); /* every exponent comes up */
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        double got = read_real(value);
        assert_memory_equal(&got, &value, sizeof got);
    }
}

static void test_numbers_are_written_exactly(void **state)
{
    (void)state;
    begin();
    weft_json_array(&json, NULL);
    weft_json_integer(&json, NULL, INT64_MIN);
    weft_json_integer(&json, NULL, INT64_MAX);
    weft_json_unsigned(&json, NULL, UINT64_MAX);
    weft_json_real(&json, NULL, 0.1);
    weft_json_real(&json, NULL, 1e9);
    weft_json_real(&json, NULL, NAN);
    weft_json_real(&json, NULL, -INFINITY);
    weft_json_fixed(&json, NULL, 2.5, 0); /* as printf: half to even */
    weft_json_fixed(&json, NULL, -1.005, 2);
    weft_json_fixed(&json, NULL, INFINITY, 2);
    weft_json_fixed(&json, NULL, NAN, 2);
    weft_json_close(&json);
    assert_string_equal(end(), "[-9223372036854775808,9223372036854775807,"
                               "18446744073709551615,0.1,1000000000,null,null,2,-1.00,"
                               "null,null]");
    begin();
    weft_json_fixed(&json, NULL, -DBL_MAX, 3);
    const char *text = end();
    assert_int_equal(strlen(text), 1 + 309 + 4);
    assert_true(strtod(text, NULL) == -DBL_MAX);
}

/* The quick way that most numbers take writes what printf does, also between two decimals. */
static void test_fixed_numbers_are_those_of_printf(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        static const double scales[] = { 1e-7, 1e-3, 1, 1e3, 1e8, 3e9 };
        char expected[64];
        uint64_t bits = roll(0);
        int decimals = (int)(bits >> 60) % 8;
        double value = ((double)(bits >> 33) / 0x1p30 - 1) * scales[(bits >> 40) % 6];
        if (i % 3 == 0) /* ties, and what is next to them */
            value =
                nextafter((double)((int)(bits >> 45) - 200000) / 2000, i % 2 ? 1e9 : -1e9);
        if (i % 5 == 0)
            value = (double)((int)(bits >> 45) - 200000) / 8;
        snprintf(expected, sizeof expected, "%.*f", decimals, value);
        begin();
        weft_json_fixed(&json, NULL, value, decimals);
        assert_string_equal(end(), expected);
    }
}

/* As one by one, however long: what is collected before it is written included. */
static void test_arrays_of_numbers_are_those_of_numbers(void **state)
{
    (void)state;
    static double values[3000];
    static char one_by_one[sizeof written];
    for (size_t n = 0; n <= 3000; n = n < 5 ? n + 1 : n + 599) {
        for (size_t i = 0; i < n; i++) {
            uint64_t bits = roll(0);
            values[i] = ((double)(bits >> 33) / 0x1p30 - 1) * 1000;
            if (i % 97 == 5)
                values[i] = i % 2 ? NAN : 1e12;
        }
        begin();
        weft_json_array(&json, NULL);
        weft_json_integer(&json, NULL, 7);
        weft_json_array(&json, NULL);
        for (size_t i = 0; i < n; i++)
            weft_json_fixed(&json, NULL, values[i], 2);
        weft_json_close(&json);
        weft_json_id(&json, NULL, UINT64_MAX - n);
        weft_json_close(&json);
        snprintf(one_by_one, sizeof one_by_one, "%s", end());
        begin();
        weft_json_array(&json, NULL);
        weft_json_unsigned(&json, NULL, 7);
        weft_json_fixed_array(&json, NULL, values, n, 2);
        weft_json_format(&json, NULL, "%" PRIu64, UINT64_MAX - n);
        weft_json_close(&json);
        assert_string_equal(end(), one_by_one);
    }
}

/* ---- Structure ---- */

static void put_example(void)
{
    weft_json_object(&json, NULL);
    weft_json_line(&json, 2);
    weft_json_bool(&json, "a \"b\"", true);
    weft_json_array(&json, "list");
    weft_json_null(&json, NULL);
    weft_json_bool(&json, NULL, false);
    weft_json_object(&json, NULL);
    weft_json_close(&json);
    weft_json_array(&json, NULL);
    weft_json_close(&json);
    weft_json_format(&json, NULL, "#%u%s", 5u, "\n");
    weft_json_close(&json);
    weft_json_line(&json, 2);
    fputs("[1]", weft_json_value(&json, "own"));
    weft_json_integer(&json, "last", -1);
    weft_json_line(&json, 0);
    weft_json_close(&json);
}

static void test_commas_and_lines_are_where_they_belong(void **state)
{
    (void)state;
    begin();
    put_example();
    assert_string_equal(end(), "{\n  \"a \\\"b\\\"\":true,\"list\":[null,false,{},[],"
                               "\"#5\\u000a\"],\n  \"own\":[1],\"last\":-1\n}");
    begin();
    json.spaced = true;
    put_example();
    assert_string_equal(end(),
                        "{\n  \"a \\\"b\\\"\": true, \"list\": [null, false, {}, [], "
                        "\"#5\\u000a\"],\n  \"own\": [1], \"last\": -1\n}");
}

static void test_it_nests_as_deep_as_it_says(void **state)
{
    char wanted[8 * WEFT_JSON_DEEPEST] = "", *at = wanted;
    (void)state;
    begin();
    for (int i = 0; i < WEFT_JSON_DEEPEST; i++) /* arrays and objects in turn */
        if (i % 2) {
            weft_json_object(&json, NULL);
            at = stpcpy(at, "{");
        } else {
            weft_json_array(&json, i ? "n" : NULL);
            at = stpcpy(at, i ? "\"n\":[" : "[");
        }
    for (int i = WEFT_JSON_DEEPEST; i-- > 0;) {
        weft_json_close(&json);
        at = stpcpy(at, i % 2 ? "}" : "]");
    }
    assert_string_equal(end(), wanted);
}

static void end_with_nothing(void)
{
    weft_json_end(&json);
}
static void end_with_something_open(void)
{
    weft_json_array(&json, NULL);
    weft_json_end(&json);
}
static void write_two_values(void)
{
    weft_json_null(&json, NULL);
    weft_json_null(&json, NULL);
}
static void write_after_the_end_of_an_object(void)
{
    weft_json_object(&json, NULL);
    weft_json_close(&json);
    weft_json_null(&json, NULL);
}
static void close_too_often(void)
{
    weft_json_array(&json, NULL);
    weft_json_close(&json);
    weft_json_close(&json);
}
static void leave_out_a_name(void)
{
    weft_json_object(&json, NULL);
    weft_json_null(&json, NULL);
}
static void name_in_an_array(void)
{
    weft_json_object(&json, NULL);
    weft_json_array(&json, "list");
    weft_json_null(&json, "name");
}
static void name_at_the_top(void)
{
    weft_json_null(&json, "name");
}
static void nest_too_deeply(void)
{
    for (int i = 0; i <= WEFT_JSON_DEEPEST; i++)
        weft_json_array(&json, NULL);
}
static void print_too_much(void)
{
    weft_json_format(&json, NULL, "%256d", 1);
}

static void test_mistakes_abort(void **state)
{
    static void (*const mistakes[])(void) = {
        end_with_nothing, end_with_something_open,
        write_two_values, close_too_often,
        leave_out_a_name, name_in_an_array,
        name_at_the_top,  nest_too_deeply,
        print_too_much,   write_after_the_end_of_an_object,
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGABRT, SIG_DFL); /* cmocka's own handler would go on with the tests */
            freopen("/dev/null", "w", stderr);
            begin();
            mistakes[i]();
            _exit(0);
        }
        int status;
        while (waitpid(child, &status, 0) < 0)
            assert_int_equal(errno, EINTR);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

static void test_the_stream_keeps_its_failure(void **state)
{
    FILE *full = fopen("/dev/full", "w");
    (void)state;
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    weft_json_begin(&json, full);
    put_example();
    weft_json_end(&json);
    assert_true(ferror(full));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_and_pair_of_bytes_is_read_back),
        cmocka_unit_test(test_every_kind_of_three_and_four_bytes_is_read_back),
        cmocka_unit_test(test_every_character_is_decoded),
        cmocka_unit_test(test_strings_are_escaped_as_written),
        cmocka_unit_test(test_reals_read_back_to_the_same_double),
        cmocka_unit_test(test_numbers_are_written_exactly),
        cmocka_unit_test(test_fixed_numbers_are_those_of_printf),
        cmocka_unit_test(test_arrays_of_numbers_are_those_of_numbers),
        cmocka_unit_test(test_commas_and_lines_are_where_they_belong),
        cmocka_unit_test(test_it_nests_as_deep_as_it_says),
        cmocka_unit_test(test_mistakes_abort),
        cmocka_unit_test(test_the_stream_keeps_its_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
