/* SPDX-License-Identifier: Apache-2.0 */
/* What is written into a profile comes back, however it was joined, and loops become small. */
#include "array_store.h"

#include "tests/random.h"
#include "tests/test.h"

/* ---- All references, sorted ---- */

struct reference {
    uint64_t element, owner, times;
    uint32_t step, array, owner_array, site;
    int32_t operation;
    int32_t reserved;
};

struct references {
    struct reference *rows;
    size_t n, capacity;
};

static void take(void *user, const struct weft_pattern *pattern, uint64_t element,
                 uint64_t owner)
{
    struct references *all = user;
    all->rows = weft_grow(all->rows, &all->capacity, all->n + 1, sizeof *all->rows);
    all->rows[all->n++] =
        (struct reference){ .step = pattern->step,
                            .array = pattern->array,
                            .owner_array = pattern->owner_array,
                            .site = pattern->site,
                            .operation = (int32_t)pattern->operation,
                            .element = element,
                            .owner = pattern->owner_array == WEFT_NONE ? 0 : owner,
                            .times = pattern->times };
}

static int compare(const void *left, const void *right)
{
    const struct reference *a = left, *b = right;
    const uint64_t keys[][2] = {
        { a->step, b->step },
        { a->array, b->array },
        { a->owner_array, b->owner_array },
        { a->site, b->site },
        { (uint64_t)a->operation, (uint64_t)b->operation },
        { a->element, b->element },
        { a->owner, b->owner },
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void sort(struct references *all)
{
    size_t n = 0;
    if (all->n)
        qsort(all->rows, all->n, sizeof *all->rows, compare);
    for (size_t i = 0; i < all->n; i++) {
        if (n && compare(&all->rows[n - 1], &all->rows[i]) == 0)
            all->rows[n - 1].times += all->rows[i].times;
        else
            all->rows[n++] = all->rows[i];
    }
    all->n = n;
}

static void compare_all(const struct weft_profile *profile, struct references *expected)
{
    struct references found = { 0 };
    struct weft_pattern pattern;
    for (uint64_t i = 0; i < weft_profile_patterns(profile); i++) {
        weft_profile_pattern(profile, i, &pattern);
        array_expand(&pattern, take, &found);
        assert_true(i >= weft_profile_first(profile, pattern.step));
        assert_true(i < weft_profile_first(profile, pattern.step + 1));
    }
    sort(&found);
    sort(expected);
    assert_int_equal(found.n, expected->n);
    for (size_t i = 0; i < found.n; i++) {
        assert_int_equal(compare(&found.rows[i], &expected->rows[i]), 0);
        assert_int_equal(found.rows[i].times, expected->rows[i].times);
    }
    free(found.rows);
    free(expected->rows);
}

/* ---- Random nests of loops ---- */

enum { ROWS = 12, COLUMNS = 9, ELEMENTS = ROWS * COLUMNS };

static struct weft_pattern random_pattern(void)
{
    struct weft_pattern pattern =
        array_reference((uint32_t)roll(4), (uint32_t)roll(2), roll(ELEMENTS),
                        roll(5) ? (uint32_t)roll(2) : WEFT_NONE, roll(ELEMENTS), roll(2));
    pattern.times = 1 + roll(3) / 2;
    pattern.site = roll(3) ? WEFT_NONE : (uint32_t)roll(2);
    static const int64_t strides[] = { 0, 1, -1, COLUMNS, -COLUMNS, COLUMNS + 1, 2 };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        pattern.extent[k] = 1 + roll(5) * roll(2);
        pattern.stride[k] = strides[roll(7)];
        pattern.owner_stride[k] = strides[roll(7)];
    }
    return pattern;
}

/* Put each reference into the writer by itself, as TRACE does. */
static void put(void *user, const struct weft_pattern *of, uint64_t element, uint64_t owner)
{
    struct array_store *store = user;
    struct weft_pattern pattern = array_reference(of->step, of->array, element,
                                                  of->owner_array, owner, of->operation);
    pattern.times = of->times;
    pattern.site = of->site;
    assert_true(weft_profile_writer_add(store->writer, &pattern));
}

static void references_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        roll_from(seed);
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", 2, (const uint64_t[]){ ROWS, COLUMNS });
        array_store_array(&store, "B", 3, (const uint64_t[]){ 3, ROWS / 3, COLUMNS });
        for (uint32_t i = 0; i < 2; i++)
            (void)weft_builder_site(store.builder,
                                    &(struct weft_site){ .file = "a.c", .line = i + 1 });
        struct references expected = { 0 };
        for (uint64_t i = 0, n = 1 + roll(40); i < n;) {
            struct weft_pattern pattern = random_pattern();
            bool single = roll(3) == 0;
            /* What does not fit is refused, whole. */
            if (!single && !weft_profile_writer_add(store.writer, &pattern))
                continue;
            if (single)
                pattern.extent[0] = pattern.extent[1] = pattern.extent[2] =
                    pattern.extent[3] = 1;
            array_expand(&pattern, take, &expected);
            if (single)
                array_expand(&pattern, put, &store);
            i++;
        }
        array_store_open(&store);
        compare_all(store.profile, &expected);
        array_store_free(&store);
    }
}

/* A line in pieces, one after the other: rows and blocks of rows that may continue one another. */
static void pieces_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        roll_from(seed);
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", 1, (const uint64_t[]){ 1000 });
        struct weft_pattern pieces[12];
        struct references expected = { 0 };
        size_t n = 2 + roll(10);
        uint64_t at = 0, pitch = 2 + roll(5);
        for (size_t i = 0; i < n; i++) {
            pieces[i] = array_reference(0, 0, at, WEFT_NONE, 0, WEFT_REFERENCE_READ);
            pieces[i].extent[0] = 1 + roll(pitch + 2);
            pieces[i].stride[0] = 1;
            if (roll(3) == 0 && pieces[i].extent[0] < pitch) {
                pieces[i].extent[1] = 2 + roll(2);
                pieces[i].stride[1] = (int64_t)pitch;
                at += pitch * (pieces[i].extent[1] - 1);
            }
            at += roll(4) ? pieces[i].extent[0] : pitch;
        }
        for (size_t i = n; i-- > 0;) { /* in any order */
            size_t k = roll(i + 1);
            struct weft_pattern piece = pieces[k];
            pieces[k] = pieces[i];
            assert_true(weft_profile_writer_add(store.writer, &piece));
            array_expand(&piece, take, &expected);
        }
        array_store_open(&store);
        compare_all(store.profile, &expected);
        array_store_free(&store);
    }
}

/* More than are gathered at a time, of which few join. */
static void many_come_back(void **state)
{
    (void)state;
    roll_from(7);
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 1, (const uint64_t[]){ 1 << 20 });
    struct references expected = { 0 };
    for (int i = 0; i < 100000; i++) {
        struct weft_pattern pattern =
            array_reference((uint32_t)roll(3), 0, roll(1 << 20), 0, roll(1 << 20), roll(2));
        assert_true(weft_profile_writer_add(store.writer, &pattern));
        array_expand(&pattern, take, &expected);
    }
    array_store_open(&store);
    compare_all(store.profile, &expected);
    array_store_free(&store);
}

/* ---- Loops become small ---- */

/*
 * C = C + A * B, element by element, in one step: a pattern for each of its references, and some
 * more where gathering was cut.
 */
static void a_product_is_few_patterns(void **state)
{
    (void)state;
    enum { N = 40 };
    struct array_store store = array_store_begin();
    for (int i = 0; i < 3; i++)
        array_store_array(&store, (const char *[]){ "A", "B", "C" }[i], 2,
                          (const uint64_t[]){ N, N });
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t j = 0; j < N; j++)
            for (uint64_t k = 0; k < N; k++) {
                const struct weft_pattern all[] = {
                    array_reference(0, 0, i * N + k, 2, i * N + j, WEFT_REFERENCE_READ),
                    array_reference(0, 1, k * N + j, 2, i * N + j, WEFT_REFERENCE_READ),
                    array_reference(0, 2, i * N + j, 2, i * N + j, WEFT_REFERENCE_READ),
                    array_reference(0, 2, i * N + j, 2, i * N + j, WEFT_REFERENCE_WRITE),
                };
                for (int r = 0; r < 4; r++)
                    assert_true(weft_profile_writer_add(store.writer, &all[r]));
            }
    array_store_open(&store);
    assert_in_range(weft_profile_patterns(store.profile), 4, 100);
    uint64_t references = 0;
    for (uint64_t i = 0; i < weft_profile_patterns(store.profile); i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(store.profile, i, &pattern);
        references += weft_pattern_references(&pattern);
    }
    assert_int_equal(references, 4 * N * N * N);
    array_store_free(&store);
}

/* Five points around each, without anything that tells them apart: a pattern for each. */
static void a_stencil_is_five_patterns_at_most(void **state)
{
    (void)state;
    enum { N = 60 };
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 2, (const uint64_t[]){ N, N });
    array_store_array(&store, "B", 2, (const uint64_t[]){ N, N });
    for (uint64_t i = 1; i + 1 < N; i++)
        for (uint64_t j = 1; j + 1 < N; j++) {
            const uint64_t from[] = { i * N + j, (i - 1) * N + j, (i + 1) * N + j,
                                      i * N + j - 1, i * N + j + 1 };
            for (int r = 0; r < 5; r++) {
                struct weft_pattern pattern =
                    array_reference(0, 0, from[r], 1, i * N + j, WEFT_REFERENCE_READ);
                assert_true(weft_profile_writer_add(store.writer, &pattern));
            }
        }
    array_store_open(&store);
    assert_in_range(weft_profile_patterns(store.profile), 1, 5);
    array_store_free(&store);
}

/* Steps may come in any order, and equal references of several steps stay apart. */
static void steps_are_sorted(void **state)
{
    (void)state;
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 1, (const uint64_t[]){ 10 });
    static const uint32_t steps[] = { 5, 0, 3, 5, 9, 0 };
    for (int i = 0; i < 6; i++)
        for (uint64_t e = 0; e < 10; e++) {
            struct weft_pattern pattern =
                array_reference(steps[i], 0, e, 0, e, WEFT_REFERENCE_READ);
            assert_true(weft_profile_writer_add(store.writer, &pattern));
        }
    array_store_open(&store);
    assert_int_equal(weft_profile_steps(store.profile), 10);
    assert_int_equal(weft_profile_patterns(store.profile), 4);
    static const uint64_t firsts[] = { 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4 };
    for (uint32_t s = 0; s < 12; s++)
        assert_int_equal(weft_profile_first(store.profile, s), firsts[s]);
    struct weft_pattern pattern;
    weft_profile_pattern(store.profile, 0, &pattern);
    assert_int_equal(pattern.times, 2);
    assert_int_equal(pattern.extent[0], 10);
    /* Nobody said when a step was over: a tick each. */
    assert_int_equal(weft_profile_step_end(store.profile, 3), 4);
    assert_int_equal(weft_profile_step_at(store.profile, 3), 3);
    assert_int_equal(weft_profile_step_at(store.profile, -5), 0);
    assert_int_equal(weft_profile_step_at(store.profile, 1000), 9);
    array_store_free(&store);
}

static void steps_have_times(void **state)
{
    (void)state;
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 1, (const uint64_t[]){ 10 });
    struct weft_pattern pattern = array_reference(4, 0, 1, 0, 1, WEFT_REFERENCE_WRITE);
    assert_true(weft_profile_writer_add(store.writer, &pattern));
    weft_profile_writer_step(store.writer, 3, 700);
    weft_profile_writer_step(store.writer, 0, 100);
    weft_profile_writer_step(store.writer, 1, 50); /* before the one before: at its time */
    array_store_open(&store);
    static const int64_t ends[] = { 100, 100, 100, 700, 700 };
    for (uint32_t s = 0; s < 5; s++)
        assert_int_equal(weft_profile_step_end(store.profile, s), ends[s]);
    assert_int_equal(weft_profile_step_at(store.profile, 99), 0);
    assert_int_equal(weft_profile_step_at(store.profile, 100), 3);
    array_store_free(&store);
}

static bool count_event(void *user, const struct weft_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
    return true;
}

static uint64_t events(const struct weft_source *source)
{
    const struct weft_span all = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT - 1 };
    uint64_t n = 0;
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (source->schema->types[source->schema->tracks[t].type].kind == WEFT_EVENT)
            source->ops->events(source, t, all, count_event, &n);
    return n;
}

/* One line may claim any step: the store does not grow by those that nobody speaks of. */
static void claimed_steps(void **state)
{
    (void)state;
    const uint32_t most = WEFT_PROFILE_STEPS - 1;
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 1, (const uint64_t[]){ 10 });
    static const uint32_t steps[] = { most, 7 };
    for (int i = 0; i < 2; i++) {
        struct weft_pattern pattern =
            array_reference(steps[i], 0, 1, 0, 1, WEFT_REFERENCE_WRITE);
        assert_true(weft_profile_writer_add(store.writer, &pattern));
    }
    array_store_open(&store);
    assert_in_range(events(store.source), 2, 6);
    assert_int_equal(weft_profile_steps(store.profile), most + 1);
    for (uint32_t s = 0; s <= most; s = s < 20 ? s + 1 : 2 * s) {
        assert_int_equal(weft_profile_step_end(store.profile, s), s + 1);
        assert_int_equal(weft_profile_step_at(store.profile, s), s);
        assert_int_equal(weft_profile_next_step(store.profile, s), s <= 7 ? 7 : most);
    }
    assert_int_equal(weft_profile_step_end(store.profile, most), most + 1);
    assert_int_equal(weft_profile_step_at(store.profile, most), most);
    assert_int_equal(weft_profile_next_step(store.profile, most), most);
    assert_int_equal(weft_profile_next_step(store.profile, most + 1), most + 1);
    array_store_free(&store);
}

/* What is kept of some steps says of each what a table of all of them says. */
static void steps_like_a_table(void **state)
{
    enum { RUNS = 300, STEPS = 40 };
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        int64_t said[STEPS], end = 0;
        bool any_said = false, referred[STEPS] = { false };
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", 1, (const uint64_t[]){ 10 });
        uint32_t n = 1;
        for (uint32_t s = 0; s < STEPS; s++) {
            said[s] = run % 2 && roll(4) == 0 ? (int)roll(100) : -1;
            referred[s] = roll(5) == 0 || s == 20;
            if (said[s] >= 0) {
                weft_profile_writer_step(store.writer, s, said[s]);
                end = any_said ? end : said[s];
                any_said = true;
            }
            struct weft_pattern pattern =
                array_reference(s, 0, 1, 0, 1, WEFT_REFERENCE_WRITE);
            if (referred[s])
                assert_true(weft_profile_writer_add(store.writer, &pattern));
            n = said[s] >= 0 || referred[s] ? s + 1 : n;
        }
        array_store_open(&store);
        assert_int_equal(weft_profile_steps(store.profile), n);
        uint64_t first = 0;
        for (uint32_t s = 0; s < n; s++) {
            end = !any_said ? s + 1 : said[s] > end ? said[s] : end;
            assert_int_equal(weft_profile_step_end(store.profile, s), end);
            assert_int_equal(weft_profile_first(store.profile, s), first);
            assert_int_equal(weft_profile_next_step(store.profile, s) == s, referred[s]);
            first += referred[s];
        }
        array_store_free(&store);
    }
}

static void arrays_come_back(void **state)
{
    (void)state;
    struct array_store store = array_store_begin();
    struct weft_array array = {
        .name = "M", .rank = 7, .element_bytes = 4, .column_major = true
    };
    for (uint32_t d = 0; d < 7; d++)
        array.shape[d] = d + 2;
    assert_int_equal(weft_profile_writer_array(store.writer, &array, 0), 0);
    array.shape[3] = 0;
    assert_int_equal(weft_profile_writer_array(store.writer, &array, 0), WEFT_NONE);
    array.shape[3] = UINT64_C(1) << 40;
    assert_int_equal(weft_profile_writer_array(store.writer, &array, 0), WEFT_NONE);
    assert_int_equal(array_store_array(&store, "v", 1, (const uint64_t[]){ 3 }), 1);
    struct weft_pattern pattern = array_reference(0, 1, 2, 0, 1, WEFT_REFERENCE_WRITE);
    assert_true(weft_profile_writer_add(store.writer, &pattern));
    array_store_open(&store);
    assert_int_equal(weft_profile_arrays(store.profile), 2);
    const struct weft_array *m = weft_profile_array(store.profile, 0);
    assert_string_equal(m->name, "M");
    assert_int_equal(m->rank, 7);
    assert_int_equal(weft_array_elements(m), 2 * 3 * 4 * 5 * 6 * 7 * 8);
    assert_int_equal(m->element_bytes, 4);
    assert_true(m->column_major);
    assert_false(weft_profile_array(store.profile, 1)->column_major);
    assert_int_equal(weft_profile_array_named(store.profile, "v"), 1);
    assert_int_equal(weft_profile_array_named(store.profile, "w"), WEFT_NONE);
    array_store_free(&store);
}

static void refuse(struct array_store *store, const struct weft_pattern *pattern)
{
    assert_false(weft_profile_writer_add(store->writer, pattern));
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 2, (const uint64_t[]){ 4, 5 });
    const struct weft_pattern good = array_reference(0, 0, 19, 0, 0, WEFT_REFERENCE_READ);
    struct weft_pattern bad = good;
    bad.element = 20;
    refuse(&store, &bad);
    bad = good;
    bad.owner = 20;
    refuse(&store, &bad);
    bad = good;
    bad.array = 1;
    refuse(&store, &bad);
    bad = good;
    bad.owner_array = 1;
    refuse(&store, &bad);
    bad = good;
    bad.extent[0] = 2;
    bad.stride[0] = 1;
    refuse(&store, &bad);
    bad.stride[0] = INT64_MIN;
    refuse(&store, &bad);
    bad.extent[0] = UINT64_MAX;
    bad.stride[0] = INT64_MAX;
    refuse(&store, &bad);
    bad.stride[0] = 0;
    refuse(&store, &bad);
    bad = good;
    bad.extent[2] = 0;
    refuse(&store, &bad);
    bad = good;
    bad.times = 0;
    refuse(&store, &bad);
    bad.times = WEFT_ARRAY_LIMIT;
    refuse(&store, &bad);
    bad = good;
    bad.step = WEFT_PROFILE_STEPS;
    refuse(&store, &bad);
    assert_true(weft_profile_writer_add(store.writer, &good));
    array_store_open(&store);
    assert_int_equal(weft_profile_patterns(store.profile), 1);
    array_store_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_come_back),
        cmocka_unit_test(pieces_come_back),
        cmocka_unit_test(many_come_back),
        cmocka_unit_test(a_product_is_few_patterns),
        cmocka_unit_test(a_stencil_is_five_patterns_at_most),
        cmocka_unit_test(steps_are_sorted),
        cmocka_unit_test(steps_have_times),
        cmocka_unit_test(claimed_steps),
        cmocka_unit_test(steps_like_a_table),
        cmocka_unit_test(arrays_come_back),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
