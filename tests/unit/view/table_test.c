/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/test.h"
#include "view/table.h"

static struct weft_table *text_of_all(FILE *stream)
{
    return weft_table_text(stream, (struct weft_text_columns){ 0 });
}

static char *write_with(struct weft_table *(*make)(FILE *))
{
    static const char *const names[] = { "name", "total_ns", "share_pct" };
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    struct weft_table *table = make(stream);
    table->begin(table, names, 3);
    const struct weft_cell rows[][3] = {
        { weft_text_cell("plain"), weft_integer_cell(-5), weft_real_cell(12.345, 2) },
        { weft_text_cell("a,\"b\"\n"), weft_integer_cell(INT64_MAX),
          weft_real_cell(NAN, 2) },
        { weft_text_cell("t\\\x01"), { .kind = WEFT_CELL_EMPTY }, weft_real_cell(0.1, -1) },
    };
    for (int i = 0; i < 3; i++)
        assert_true(table->row(table, rows[i]));
    table->end(table);
    weft_table_free(table);
    fclose(stream);
    return text;
}

/* RFC 4180: fields with commas, quotes or line ends in quotes, quotes doubled. */
static void test_csv(void **unused)
{
    (void)unused;
    char *text = write_with(weft_table_csv);
    assert_string_equal(text, "name,total_ns,share_pct\n"
                              "plain,-5,12.35\n"
                              "\"a,\"\"b\"\"\n\",9223372036854775807,\n"
                              "t\\\x01,,0.1\n");
    free(text);
}

/* RFC 8259: control characters escaped, no NaN. */
static void test_json(void **unused)
{
    (void)unused;
    char *text = write_with(weft_table_json);
    assert_string_equal(
        text, "[\n {\"name\": \"plain\", \"total_ns\": -5, \"share_pct\": 12.35},\n"
              " {\"name\": \"a,\\\"b\\\"\\u000a\", \"total_ns\": 9223372036854775807, "
              "\"share_pct\": null},\n"
              " {\"name\": \"t\\\\\\u0001\", \"total_ns\": null, \"share_pct\": 0.1}\n]\n");
    free(text);
}

/* RFC 8259, section 8.1: UTF-8; and a terminal must not be told what to do. */
static void test_bytes_that_are_no_text(void **unused)
{
    (void)unused;
    static const char *const names[] = { "name" };
    struct weft_table *(*const makers[])(FILE *) = { weft_table_json, text_of_all };
    static const char *const expected[] = {
        "[\n {\"name\": \"\\u001b[31m\xef\xbf\xbd\xc3\xa9\"}\n]\n",
        "name\n\xef\xbf\xbd[31m\xef\xbf\xbd\xc3\xa9\n",
    };
    for (int i = 0; i < 2; i++) {
        char *text;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        struct weft_table *table = makers[i](stream);
        table->begin(table, names, 1);
        const struct weft_cell cell = weft_text_cell("\x1b[31m\xff\xc3\xa9");
        assert_true(table->row(table, &cell));
        table->end(table);
        weft_table_free(table);
        fclose(stream);
        assert_string_equal(text, expected[i]);
        free(text);
    }
}

static void test_text_aligns(void **unused)
{
    (void)unused;
    char *text = write_with(text_of_all);
    char *first = text, *second = strchr(text, '\n') + 1;
    /* Numbers end under the end of their heading: -5 ns is -0.000 ms to the microsecond. */
    char *heading = strstr(first, "total_ms");
    assert_non_null(heading);
    assert_memory_equal(second + (heading + 8 - first) - 6, "-0.000", 6);
    /* 2^63 - 1 ns, to the precision of a double, in groups of three. */
    assert_non_null(strstr(text, "  9,223,372,036,854.775"));
    free(text);
}

/* Programs read every double back; people read four digits, and all of those before the point. */
static void test_digits_suit_the_reader(void **unused)
{
    (void)unused;
    static const char *const names[] = { "actual" };
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        { 0, "0" },
        { 1, "1" },
        { -2.5, "-2.5" },
        { 6.067940049531132, "6.068" },
        { 0.028370966337821137, "0.02837" },
        { 999.96, "1,000" },
        { 12345.6, "12,346" },
        { -123456789.2, "-123,456,789" },
        { 1.23456e18, "1.235e+18" },
        { 1.23456e-7, "1.235e-07" },
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct weft_table *(*const makers[])(FILE *) = { text_of_all, weft_table_csv };
    for (int i = 0; i < 2; i++) {
        char *text;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        struct weft_table *table = makers[i](stream);
        table->begin(table, names, 1);
        for (int r = 0; r < ROWS; r++) {
            const struct weft_cell cell = weft_real_cell(rows[r].value, -1);
            assert_true(table->row(table, &cell));
        }
        table->end(table);
        weft_table_free(table);
        fclose(stream);
        char *line = strtok(text, "\n");
        for (int r = 0; r < ROWS; r++) {
            line = strtok(NULL, "\n");
            assert_non_null(line);
            if (makers[i] == weft_table_csv)
                assert_true(strtod(line, NULL) == rows[r].value);
            else
                assert_string_equal(line + strspn(line, " "), rows[r].text);
        }
        free(text);
    }
}

/* A text of 100 characters of two bytes each is shown by its first and last 39. */
static void test_long_text_is_cut_in_the_middle(void **unused)
{
    (void)unused;
    static const char *const names[] = { "name" };
    char long_text[201], expected[1 + 200 + 8] = "", *text;
    size_t size;
    for (int i = 0; i < 100; i++)
        memcpy(long_text + (size_t)i * 2, i < 50 ? "\xc3\xa9" : "\xc3\xa8", 3);
    FILE *stream = open_memstream(&text, &size);
    struct weft_table *table = text_of_all(stream);
    table->begin(table, names, 1);
    const struct weft_cell cell = weft_text_cell(long_text);
    assert_true(table->row(table, &cell));
    table->end(table);
    weft_table_free(table);
    fclose(stream);
    for (int i = 0; i < 39; i++)
        strcat(expected, "\xc3\xa9");
    strcat(expected, "\xe2\x80\xa6");
    for (int i = 0; i < 39; i++)
        strcat(expected, "\xc3\xa8");
    strcat(expected, "\n");
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

/* Columns without values go first, then the seldom ones, then the least times; from the right. */
static void test_few_columns(void **unused)
{
    (void)unused;
    static const char *const names[] = { "a", "b", "c",    "d_ns", "e",
                                         "f", "g", "h_ns", "i",    "j" };
    static const char *const seldom[] = { "d_ns", "j" };
    static const struct {
        size_t most, n_seldom;
        const char *expected;
    } cases[] = {
        { 10, 2,
          "a  b  c      d_ms  e  f  g   h_ms  i  j\n"
          "1  0  1  0.001500  1  1  1  2.000  1  1\n" },
        { 9, 2,
          "a  c      d_ms  e  f  g   h_ms  i  j\n"
          "1  1  0.001500  1  1  1  2.000  1  1\n(--all-columns: also b)\n" },
        { 8, 2,
          "a  c      d_ms  e  f  g   h_ms  i\n"
          "1  1  0.001500  1  1  1  2.000  1\n(--all-columns: also b, j)\n" },
        { 7, 2,
          "a  c  e  f  g   h_ms  i\n"
          "1  1  1  1  1  2.000  1\n(--all-columns: also b, d_ms, j)\n" },
        { 8, 0,
          "a  c  e  f  g   h_ms  i  j\n"
          "1  1  1  1  1  2.000  1  1\n(--all-columns: also b, d_ms)\n" },
        { 6, 0,
          "a  c  e  f  g  i\n1  1  1  1  1  1\n(--all-columns: also b, d_ms, h_ms, j)\n" },
        { 1, 0, "a\n1\n(--all-columns: also b, c, d_ms, e, f, g, h_ms, i, j)\n" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct weft_cell cells[10];
        char *text;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        struct weft_text_columns columns = { cases[k].most, seldom, cases[k].n_seldom };
        struct weft_table *table = weft_table_text(stream, columns);
        for (int i = 0; i < 10; i++)
            cells[i] = weft_integer_cell(i == 3 ? 1500 : i == 7 ? 2000000 : i != 1);
        table->begin(table, names, 10);
        assert_true(table->row(table, cells));
        table->end(table);
        weft_table_free(table);
        fclose(stream);
        assert_string_equal(text, cases[k].expected);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_csv),
                                        cmocka_unit_test(test_json),
                                        cmocka_unit_test(test_bytes_that_are_no_text),
                                        cmocka_unit_test(test_text_aligns),
                                        cmocka_unit_test(test_few_columns),
                                        cmocka_unit_test(test_digits_suit_the_reader),
                                        cmocka_unit_test(
                                            test_long_text_is_cut_in_the_middle) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
