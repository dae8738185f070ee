/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of sorted tables, against a sort of all rows. */
#include <math.h>

#include "base/memory.h"
#include "serve/request_limits.h"
#include "serve/table_page.h"
#include "tests/random.h"
#include "tests/test.h"

enum { ROWS = 7000 };

static const char *const names[] = { "name", "wait_ns", "number" };
static struct { /* what the table has: a wait is now and then not there */
    char name[16];
    int64_t wait;
    bool has_wait;
} all[ROWS];
static int order[ROWS];

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        snprintf(all[i].name, sizeof all[i].name, "t%d", (int)roll(500));
        all[i].wait = (int64_t)roll(2000); /* many are equal */
        all[i].has_wait = roll(10) > 0;
    }
    return 0;
}

/* As a view gives it. */
static void give(struct weft_table *table)
{
    table->begin(table, names, 3);
    for (int i = 0; i < ROWS; i++) {
        char name[16];
        strcpy(name, all[i].name); /* only during the call */
        const struct weft_cell cells[] = { weft_text_cell(name),
                                           all[i].has_wait ? weft_integer_cell(all[i].wait)
                                                           : (struct weft_cell){ 0 },
                                           weft_integer_cell(i) };
        if (!table->row(table, cells))
            return;
        memset(name, 'x', sizeof name - 1);
    }
    table->end(table);
}

static bool by_wait, falling;

/* The order that is asked for: what is empty last, rows that are equal as they came. */
static int expected(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    if (by_wait && all[a].has_wait != all[b].has_wait)
        return all[b].has_wait - all[a].has_wait;
    long long by = !by_wait          ? atoll(all[a].name + 1) - atoll(all[b].name + 1)
                   : all[a].has_wait ? all[a].wait - all[b].wait
                                     : 0;
    if (by)
        return (by > 0) == falling ? -1 : 1;
    return a - b;
}

struct seen_rows {
    struct weft_table table;
    int numbers[ROWS];
    size_t n;
};
static void see_begin(struct weft_table *table, const char *const *given, size_t n)
{
    (void)table;
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(given[i], names[i]);
}
static bool see_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct seen_rows *seen = (struct seen_rows *)table;
    int number = (int)cells[2].integer;
    assert_string_equal(cells[0].text, all[number].name);
    seen->numbers[seen->n++] = number;
    return true;
}
static void see_end(struct weft_table *table)
{
    (void)table;
}

static void check(const char *column, size_t offset, size_t limit)
{
    static struct seen_rows seen;
    seen = (struct seen_rows){ .table = { see_begin, see_row, see_end } };
    struct table_page page;
    const struct table_page_order asked = { column, falling, offset, limit };
    table_page_begin(&page, &asked, NULL);
    give(&page.table);
    assert_int_equal(page.n_all, ROWS);
    assert_false(page.stopped);
    assert_true(page.n <= offset + limit); /* no more is kept than may be shown */
    FILE *stream = tmpfile();
    struct weft_err err;
    assert_true(table_page_write(&page, &seen.table, stream, &err));
    fclose(stream);
    size_t n = offset >= ROWS ? 0 : offset + limit > ROWS ? ROWS - offset : limit;
    assert_int_equal(seen.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(seen.numbers[i], order[offset + i]);
    table_page_end(&page);
}

static void test_pages_are_those_of_the_sorted_table(void **state)
{
    (void)state;
    static const size_t offsets[] = { 0, 1, 99, 3500, ROWS - 1, ROWS, 3 * ROWS };
    static const size_t limits[] = { 1, 2, 100, ROWS };
    for (int way = 0; way < 4; way++) {
        by_wait = way & 1;
        falling = way & 2;
        for (int i = 0; i < ROWS; i++)
            order[i] = i;
        qsort(order, ROWS, sizeof *order, expected);
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
            for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
                check(by_wait ? "wait_ns" : "name", offsets[o], limits[l]);
    }
}

static void test_pages_without_an_order_are_those_of_the_table(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        order[i] = i;
    check(NULL, 0, 100);
    check(NULL, 6990, 100);
    check(NULL, ROWS, 1);
}

static void test_who_leaves_ends_the_table(void **state)
{
    (void)state;
    struct weft_job job = { .cancelled = true };
    struct table_page page;
    table_page_begin(&page, &(struct table_page_order){ "name", false, 0, 10 }, &job);
    give(&page.table);
    assert_int_equal(page.n_all, 0);
    table_page_end(&page);
}

static bool see_real(struct weft_table *table, const struct weft_cell *cells)
{
    struct seen_rows *seen = (struct seen_rows *)table;
    seen->numbers[seen->n++] = isfinite(cells[0].real) ? (int)cells[0].real : -1;
    return true;
}
static void begin_any(struct weft_table *table, const char *const *given, size_t n)
{
    (void)table, (void)given, (void)n;
}

/* What is no number is empty in CSV and JSON: it comes last either way, as what is empty does. */
static void test_what_is_no_number_comes_last(void **state)
{
    (void)state;
    static const double given[] = { 5, NAN, 3, NAN, 1, INFINITY, 4, NAN, 2, NAN };
    static const char *const name[] = { "share" };
    for (int way = 0; way < 2; way++) {
        struct weft_err err;
        struct table_page page;
        struct seen_rows seen = { .table = { begin_any, see_real, see_end } };
        FILE *stream = tmpfile();
        table_page_begin(&page, &(struct table_page_order){ "share", way, 0, 10 }, NULL);
        page.table.begin(&page.table, name, 1);
        for (size_t i = 0; i < 10; i++) {
            const struct weft_cell cell = weft_real_cell(given[i], 1);
            assert_true(page.table.row(&page.table, &cell));
        }
        assert_true(table_page_write(&page, &seen.table, stream, &err));
        assert_int_equal(seen.n, 10);
        for (int i = 0; i < 10; i++)
            assert_int_equal(seen.numbers[i], i >= 5 ? -1 : way ? 5 - i : i + 1);
        fclose(stream);
        table_page_end(&page);
    }
}

/* The text of a page has a limit of its own, and ends for who has left. */
static void test_the_text_of_a_page_has_a_limit(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_job job = { 0 };
    struct table_page page;
    struct seen_rows seen = { .table = { see_begin, see_row, see_end } };
    FILE *stream = tmpfile();
    table_page_begin(&page, &(struct table_page_order){ NULL, false, 0, 10 }, &job);
    give(&page.table);
    atomic_store(&job.cancelled, true);
    assert_false(table_page_write(&page, &seen.table, stream, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    assert_int_equal(seen.n, 1);
    atomic_store(&job.cancelled, false);
    assert_int_equal(fseek(stream, LIMIT_ANSWER - 10, SEEK_SET), 0); /* so much before it */
    struct weft_table *text = weft_table_json(stream);
    assert_false(table_page_write(&page, text, stream, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    assert_non_null(strstr(err.message, "longer than 256 MiB"));
    assert_in_range(ftell(stream), LIMIT_ANSWER, LIMIT_ANSWER + 200);
    weft_table_free(text);
    fclose(stream);
    table_page_end(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_are_those_of_the_sorted_table),
        cmocka_unit_test(test_pages_without_an_order_are_those_of_the_table),
        cmocka_unit_test(test_who_leaves_ends_the_table),
        cmocka_unit_test(test_what_is_no_number_comes_last),
        cmocka_unit_test(test_the_text_of_a_page_has_a_limit),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
