/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of ids, against one flag an id; their texts, good and bad; many ids. */
#include <inttypes.h>

#include "base/memory.h"
#include "store/entity_set.h"
#include "store/schema.h"
#include "tests/random.h"
#include "tests/test.h"

/*
 * What the reference knows: runs of ids.  Some lie at the ends of tracks, so that their ids
 * follow one another in number, but not on a track.
 */
enum { RUNS = 6, LENGTH = 40, IDS = RUNS * LENGTH, LAST_TRACK = WEFT_CONTAINER_TRACK - 1 };

static uint64_t id_of(int i)
{
    const uint64_t end = UINT64_C(1) << 40, all = UINT64_C(1) << 32;
    const uint64_t starts[RUNS] = {
        weft_entity_id(0, end - LENGTH),
        weft_entity_id(1, 0),
        weft_entity_id(7, 1000),
        weft_entity_id(LAST_TRACK, end - LENGTH),
        weft_entity_id(WEFT_CONTAINER_TRACK, 0),
        weft_entity_id(WEFT_CONTAINER_TRACK, all),
    };
    return starts[i / LENGTH] + (uint64_t)(i % LENGTH);
}

/* The text that a set of these flags must have. */
static char *text_of(const bool *is)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool any = false;
    int last_group = -1;
    for (int i = 0; i < IDS; i++) {
        int end = i, run = i / LENGTH, group = run == 5 ? 4 : run;
        while (is[i] && end / LENGTH == run && end < IDS && is[end])
            end++;
        if (end == i)
            continue;
        fputs(!any ? "" : group == last_group ? "," : ";", out);
        uint64_t low = weft_entity_ordinal(id_of(i)) % (run < 4 ? 1ULL << 40 : 1ULL << 32);
        if (run < 4 && group != last_group)
            fprintf(out, "t%u:", (unsigned)(id_of(i) >> 40));
        fprintf(out, "%s%" PRIu64, run < 4 ? "" : "#", low);
        if (end - i > 1)
            fprintf(out, "-%" PRIu64, low + (uint64_t)(end - i - 1));
        fputs(run == 5 ? "+" : "", out);
        any = true;
        last_group = group;
        i = end - 1;
    }
    fclose(out);
    return text;
}

static void compare(const struct weft_entity_set *set, const bool *is)
{
    uint64_t count = 0;
    for (int i = 0; i < IDS; i++) {
        count += is[i];
        assert_int_equal(weft_entity_set_contains(set, id_of(i)), is[i]);
        size_t slow = 0;
        while (slow < set->n_ranges && set->ranges[slow].last < id_of(i))
            slow++;
        assert_int_equal(weft_entity_set_seek(set, id_of(i)), slow);
    }
    assert_int_equal(weft_entity_set_count(set), count);
    assert_false(weft_entity_set_contains(set, weft_entity_id(7, 999)));
    assert_false(weft_entity_set_contains(set, weft_entity_id(7, 1000 + LENGTH)));
    assert_false(weft_entity_set_contains(set, WEFT_NO_ID));
    char *text = weft_entity_set_text(set), *expected = text_of(is);
    assert_string_equal(text, expected);
    struct weft_entity_set again;
    assert_true(weft_entity_set_parse(&again, text, NULL));
    assert_int_equal(again.n_ranges, set->n_ranges);
    for (size_t i = 0; i < set->n_ranges; i++) {
        assert_int_equal(again.ranges[i].first, set->ranges[i].first);
        assert_int_equal(again.ranges[i].last, set->ranges[i].last);
    }
    weft_entity_set_free(&again);
    free(text);
    free(expected);
}

/* Part of one run, most often short. */
static struct weft_entity_range some_range(int *from, int *to)
{
    int first = (int)roll(LENGTH), left = LENGTH - first;
    int n = 1 + (int)roll(roll(3) ? (uint64_t)(left < 4 ? left : 4) : (uint64_t)left);
    *from = (int)roll(RUNS) * LENGTH + first;
    *to = *from + n;
    return (struct weft_entity_range){ id_of(*from), id_of(*to - 1) };
}

static void unite_with_some(struct weft_entity_set *set, bool *is)
{
    struct weft_entity_set other = { 0 };
    for (uint64_t n = roll(6); n-- > 0;) {
        int from, to;
        assert_true(weft_entity_set_add(&other, some_range(&from, &to), NULL));
        memset(is + from, true, (size_t)(to - from));
    }
    assert_true(weft_entity_set_unite(set, &other, NULL));
    weft_entity_set_free(&other);
}

static void test_like_flags(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        roll_from(seed);
        struct weft_entity_set set = { 0 };
        bool is[IDS] = { 0 };
        compare(&set, is);
        for (int step = 0; step < 150; step++) {
            int from, to;
            struct weft_entity_range range = some_range(&from, &to);
            switch (roll(8)) {
            case 0: unite_with_some(&set, is); break;
            case 1:
            case 2:
                assert_true(weft_entity_set_remove(&set, range, NULL));
                memset(is + from, false, (size_t)(to - from));
                break;
            case 3:
            case 4:
                assert_true(weft_entity_set_add(&set, range, NULL));
                memset(is + from, true, (size_t)(to - from));
                break;
            default:
                assert_true(weft_entity_set_toggle(&set, range.first, NULL));
                is[from] = !is[from];
            }
            compare(&set, is);
        }
        weft_entity_set_free(&set);
        assert_int_equal(weft_entity_set_count(&set), 0);
    }
}

static void test_what_a_text_may_say(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "", "" },
        { "t12:0-99999,100003;t13:5;#5,#7-9,#5+", "t12:0-99999,100003;t13:5;#5,#7-9,#5+" },
        { "t13:5;t12:7,3", "t12:3,7;t13:5" },
        { "node:9,5-7;t12:3;node:8", "t12:3;t16777214:5-9" },
        { "node:1;processor:9,3", "t16777213:3,9;t16777214:1" },
        { "t1:1-5,3-9,2,10", "t1:1-10" },
        { "t1:5;t2:1;t1:4", "t1:4-5;t2:1" },
        { "#5+,#4,#5", "#4-5,#5+" },
        { "t007:05", "t7:5" },
        { "#0;t0:0", "t0:0;#0" },
        { "t16777214:1099511627775;#4294967294,#4294967294+",
          "t16777214:1099511627775;#4294967294,#4294967294+" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_entity_set set;
        struct weft_err err;
        assert_true(weft_entity_set_parse(&set, cases[i].text, &err));
        char *text = weft_entity_set_text(&set);
        assert_string_equal(text, cases[i].expected);
        free(text);
        weft_entity_set_free(&set);
    }
}

static void test_what_a_text_may_not_say(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *what;
    } cases[] = {
        { "5", "character 1:", "neither a track" },
        { ";", "character 1:", "neither a track" },
        { "t1:5;", "character 6:", "neither a track" },
        { "t1:5;;t2:1", "character 6:", "neither a track" },
        { " t1:5", "character 1:", "neither a track" },
        { "T1:5", "character 1:", "neither a track" },
        { "t", "character 2:", "number is missing" },
        { "t:5", "character 2:", "number is missing" },
        { "t1", "character 3:", ": is missing" },
        { "t1;", "character 3:", ": is missing" },
        { "t1:", "character 4:", "number is missing" },
        { "t1:,5", "character 4:", "number is missing" },
        { "t1:5,", "character 6:", "number is missing" },
        { "t1:-5", "character 4:", "number is missing" },
        { "t1:+5", "character 4:", "number is missing" },
        { "t1:5-", "character 6:", "number is missing" },
        { "t1:9-5", "character 7:", "runs backwards" },
        { "t1:5-6-7", "character 7:", "neither , nor ;" },
        { "t1:5+", "character 5:", "neither , nor ;" },
        { "t1:5 ", "character 5:", "neither , nor ;" },
        { "t1:0x5", "character 5:", "neither , nor ;" },
        { "t16777215:0", "character 9:", "too large" }, /* that of the containers */
        { "t1:1099511627776", "character 16:", "too large" },
        { "t1:99999999999999999999999999999999", "too large", "character" },
        { "t18446744073709551617:0", "too large", "character" },
        { "#", "character 2:", "number is missing" },
        { "#4294967295", "character 11:", "too large" },
        { "#5,t1:5", "character 4:", "# is missing" },
        { "#5,6", "character 4:", "# is missing" },
        { "#5++", "character 4:", "neither , nor ;" },
        { "#5+-7", "character 4:", "neither , nor ;" },
        { "t1:5\xff", "character 5:", "neither , nor ;" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_entity_set set;
        struct weft_err err = { 0 };
        assert_false(weft_entity_set_parse(&set, cases[i].text, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
        assert_non_null(strstr(err.message, cases[i].place));
        assert_non_null(strstr(err.message, cases[i].what));
        assert_null(set.ranges);
        assert_int_equal(set.n_ranges, 0);
    }
}

/* Bytes of which most are of the language: whatever is taken has one text, which is stable. */
static void test_random_texts(void **state)
{
    (void)state;
    static const char alphabet[] = "tt##::;;,,--++0123456789 x";
    int taken = 0;
    for (int n = 0; n < 200000; n++) {
        char text[24];
        size_t length = roll(sizeof text);
        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[roll(sizeof alphabet - 1)];
        text[length] = '\0';
        struct weft_entity_set set, again;
        if (!weft_entity_set_parse(&set, text, NULL))
            continue;
        taken++;
        char *one = weft_entity_set_text(&set);
        assert_true(weft_entity_set_parse(&again, one, NULL));
        char *two = weft_entity_set_text(&again);
        assert_string_equal(one, two);
        assert_int_equal(weft_entity_set_count(&set), weft_entity_set_count(&again));
        free(one);
        free(two);
        weft_entity_set_free(&set);
        weft_entity_set_free(&again);
    }
    assert_true(taken > 1000);
}

static void test_an_item_of_a_list(void **state)
{
    (void)state;
    struct weft_entity_range range;
    struct weft_err err = { 0 };
    assert_true(weft_container_range_parse("#5,#6", 2, &range, &err));
    assert_true(range.first == weft_container_id(5, false) && range.last == range.first);
    assert_true(weft_container_range_parse("#7-9+", 5, &range, &err));
    assert_true(range.first == weft_container_id(7, true));
    assert_true(range.last == weft_container_id(9, true));
    assert_false(weft_container_range_parse("#5,#6", 5, &range, &err));
    assert_false(weft_container_range_parse("#57", 1, &range, &err));
    assert_false(weft_container_range_parse("5", 1, &range, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
}

/* Numbers BEGIN, BEGIN + STEP ... of track 3, N of them in a jumbled order. */
static char *scattered(size_t n, uint64_t begin, uint64_t step)
{
    uint64_t *numbers = weft_alloc(n * sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = begin + i * step;
    for (size_t i = n; i-- > 1;) {
        size_t other = roll(i + 1);
        uint64_t swap = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = swap;
    }
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "t3:", numbers[i]);
    fclose(out);
    free(numbers);
    return text;
}

static struct weft_entity_set parsed(char *text)
{
    struct weft_entity_set set;
    assert_true(weft_entity_set_parse(&set, text, NULL));
    free(text);
    return set;
}

static void test_a_hundred_thousand(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct weft_entity_set even = parsed(scattered(N, 0, 2)), odd;
    assert_int_equal(even.n_ranges, N);
    assert_int_equal(weft_entity_set_count(&even), N);
    for (uint64_t i = 0; i < 2 * N; i++)
        assert_int_equal(weft_entity_set_contains(&even, weft_entity_id(3, i)), i % 2 == 0);
    char *text = weft_entity_set_text(&even);
    odd = parsed(text);
    assert_int_equal(odd.n_ranges, N);
    weft_entity_set_free(&odd);

    odd = parsed(scattered(N, 1, 2));
    assert_true(weft_entity_set_unite(&even, &odd, NULL));
    text = weft_entity_set_text(&even);
    assert_string_equal(text, "t3:0-199999");
    free(text);
    /* Closed one by one, and opened again. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < 1000; i++)
            assert_true(weft_entity_set_toggle(&even, weft_entity_id(3, 190 * i), NULL));
        assert_int_equal(weft_entity_set_count(&even), pass ? 2 * N : 2 * N - 1000);
        assert_int_equal(even.n_ranges, pass ? 1 : 1000);
    }
    weft_entity_set_free(&even);
    weft_entity_set_free(&odd);
}

static void test_no_more_than_the_limit(void **state)
{
    (void)state;
    const uint64_t most = WEFT_ENTITY_SET_MAX;
    struct weft_err err = { 0 };
    struct weft_entity_set full = parsed(scattered(most, 0, 2)), other;
    assert_int_equal(full.n_ranges, most);
    uint64_t far = weft_entity_id(3, 3 * most);
    assert_false(weft_entity_set_toggle(&full, far, &err));
    assert_int_equal(err.code, WEFT_ERR_LIMIT);
    assert_false(weft_entity_set_contains(&full, far));
    /* Between two: they become one, and leave room for a range that is then not to be cut. */
    assert_true(weft_entity_set_toggle(&full, weft_entity_id(3, 1), &err));
    assert_true(weft_entity_set_toggle(&full, far, &err));
    assert_false(weft_entity_set_toggle(&full, weft_entity_id(3, 1), &err));
    assert_true(weft_entity_set_contains(&full, weft_entity_id(3, 1)));
    assert_int_equal(weft_entity_set_count(&full), most + 2);

    other = parsed(weft_strdup("t3:1;t4:1"));
    assert_false(weft_entity_set_unite(&full, &other, &err));
    assert_int_equal(err.code, WEFT_ERR_LIMIT);
    assert_int_equal(weft_entity_set_count(&full), most + 2);
    weft_entity_set_free(&other);
    weft_entity_set_free(&full);

    char *text = scattered(most + 1, 0, 2);
    assert_false(weft_entity_set_parse(&full, text, &err));
    assert_int_equal(err.code, WEFT_ERR_LIMIT);
    assert_null(full.ranges);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_flags),
        cmocka_unit_test(test_what_a_text_may_say),
        cmocka_unit_test(test_what_a_text_may_not_say),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_an_item_of_a_list),
        cmocka_unit_test(test_a_hundred_thousand),
        cmocka_unit_test(test_no_more_than_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
