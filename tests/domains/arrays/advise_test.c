/* SPDX-License-Identifier: Apache-2.0 */
/* Advice is what counting says of each distribution, and the report's elimination has better ones. */
#include "array_store.h"

#include <sys/resource.h>

#include "domains/arrays/model/advise.h"
#include "tests/random.h"
#include "tests/test.h"

static const struct weft_advice_costs costs = { 1, 500, 0.25 };

/* ---- Every row against the counts of its directives ---- */

static void compare_row(const struct array_store *store, const struct weft_advice *advice,
                        size_t row)
{
    const struct weft_advice_row *is = &advice->rows[row];
    struct weft_err err = { 0 };
    char *text = weft_advice_directives(advice, store->profile, row);
    struct weft_distributions *set =
        weft_distributions_parse("advice", text, strlen(text), store->profile, &err);
    if (!set)
        fail_msg("%s%s", text, err.message);
    const struct weft_count_query query = { .profile = store->profile,
                                            .distributions = set,
                                            .after_step =
                                                weft_profile_steps(store->profile) };
    struct weft_reference_counts *counts = calloc(advice->processors, sizeof *counts);
    assert_true(weft_distributions_processors(set) <= advice->processors);
    assert_true(weft_count_processors(&query, WEFT_NONE, false, counts, NULL, &err));
    uint64_t all = 0, remote = 0, most = 0;
    for (uint64_t p = 0; p < advice->processors; p++) {
        uint64_t far = counts[p].remote_reads + counts[p].remote_writes;
        uint64_t load = counts[p].local_reads + counts[p].local_writes + far;
        all += load;
        remote += far;
        most = load > most ? load : most;
    }
    struct weft_flow *flows;
    size_t n;
    uint64_t messages = 0, bytes = 0;
    assert_true(weft_count_flows(&query, WEFT_NONE, &flows, &n, NULL, &err));
    for (size_t i = 0; i < n; i++) {
        messages += flows[i].messages;
        bytes += flows[i].bytes;
    }
    if (is->references != all || is->remote != remote || is->max_load != most
        || is->messages != messages || is->bytes != bytes)
        fail_msg("%s: %lu %lu %lu %lu %lu, not %lu %lu %lu %lu %lu", text,
                 (unsigned long)is->references, (unsigned long)is->remote,
                 (unsigned long)is->max_load, (unsigned long)is->messages,
                 (unsigned long)is->bytes, (unsigned long)all, (unsigned long)remote,
                 (unsigned long)most, (unsigned long)messages, (unsigned long)bytes);
    struct weft_advice_row same;
    const struct weft_advice_query ask = { .profile = store->profile,
                                           .array = advice->array,
                                           .costs = costs };
    assert_true(weft_advice_of(&ask, set, &same, NULL, NULL, &err));
    assert_int_equal(same.remote, remote);
    assert_int_equal(same.messages, messages);
    double off = same.estimated_ns - is->estimated_ns;
    assert_true(off * off <= 1e-12 * is->estimated_ns * is->estimated_ns);
    free(flows);
    free(counts);
    weft_distributions_free(set);
    free(text);
}

static void check_advice(const struct array_store *store, uint64_t processors,
                         uint32_t array, bool all_rows)
{
    struct weft_err err = { 0 };
    const struct weft_advice_query query = { .profile = store->profile,
                                             .array = array,
                                             .processors = processors,
                                             .costs = costs,
                                             .rank = (enum weft_advice_rank)roll(3) };
    struct weft_advice *advice = weft_advice_make(&query, NULL, &err);
    assert_non_null(advice);
    assert_int_equal(advice->left_out, 0);
    for (size_t i = 0; i < advice->n; i += all_rows ? 1 : 1 + roll(advice->n / 10 + 1))
        compare_row(store, advice, i);
    double best = advice->rows[0].estimated_ns;
    for (size_t i = 0; i < advice->n; i++)
        best = advice->rows[i].estimated_ns < best ? advice->rows[i].estimated_ns : best;
    assert_true(advice->phased_ns <= best * (1 + 1e-9));
    assert_true(advice->n_phases >= 1);
    weft_advice_free(advice);
}

/* Loops along the dimensions of matrices and of vectors beside them, and some others. */
static void rows_are_counts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        roll_from(seed);
        uint64_t shape[2] = { 3 + roll(14), 3 + roll(14) }, columns = shape[1];
        shape[0] += shape[0] == shape[1]; /* so that it is clear where vectors lie */
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", 2, shape);
        array_store_array(&store, "B", 2, shape);
        array_store_array(&store, "v", 1, &shape[roll(2)]);
        for (uint64_t i = 0, n = 1 + roll(8); i < n;) {
            uint32_t array = (uint32_t)roll(3), owner = (uint32_t)roll(3);
            struct weft_pattern pattern = array_reference(
                (uint32_t)roll(3), array, roll(60), owner, roll(60), roll(2));
            static const int64_t strides[] = { 0, 1, -1, 2 };
            for (int k = 0; k < 2; k++) {
                int64_t step = k ? (int64_t)columns : 1;
                pattern.extent[k] = 1 + roll(12);
                pattern.stride[k] =
                    strides[roll(4)] * (array == 2 ? (int64_t)roll(2) : step);
                pattern.owner_stride[k] =
                    strides[roll(4)] * (owner == 2 ? (int64_t)roll(2) : step);
                if (roll(15) == 0)
                    pattern.stride[k] = (int64_t)roll(9);
            }
            i += weft_profile_writer_add(store.writer, &pattern);
        }
        array_store_open(&store);
        check_advice(&store, 1 + roll(8), 0, seed % 10 == 0);
        array_store_free(&store);
    }
}

/*
 * Around the border of the first two of four blocks each element reads the two before it: the
 * second processor needs the last two elements of the first, one of them twice.
 */
static struct array_store neighbours(uint64_t size)
{
    struct array_store store = array_store_begin();
    uint64_t border = size / 4;
    array_store_array(&store, "A", 1, &size);
    for (uint64_t before = 1; before <= 2; before++) {
        struct weft_pattern pattern =
            array_reference(0, 0, border - 2 - before, 0, border - 2, WEFT_REFERENCE_READ);
        pattern.extent[0] = 4;
        pattern.stride[0] = pattern.owner_stride[0] = 1;
        assert_true(weft_profile_writer_add(store.writer, &pattern));
    }
    array_store_open(&store);
    return store;
}

/* A set of the elements of a vector of 64 GiB would take a gigabyte. */
static void large_arrays_take_no_memory(void **state)
{
    (void)state;
    const char text[] = "PROCESSORS P(4)\nDISTRIBUTE A(BLOCK) ONTO P\n";
    struct array_store store = neighbours(UINT64_C(1) << 33);
    struct weft_err err;
    struct weft_distributions *set =
        weft_distributions_parse("d", text, strlen(text), store.profile, &err);
    assert_non_null(set);
    const struct weft_count_query query = { .profile = store.profile,
                                            .distributions = set,
                                            .after_step = 1 };
    struct weft_flow *flows;
    size_t n;
    assert_true(weft_count_flows(&query, WEFT_NONE, &flows, &n, NULL, &err));
    assert_int_equal(n, 1);
    assert_int_equal(flows[0].from, 0);
    assert_int_equal(flows[0].to, 1);
    assert_int_equal(flows[0].references, 3);
    assert_int_equal(flows[0].elements, 2);
    free(flows);
    weft_distributions_free(set);
    array_store_free(&store);
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    assert_true(used.ru_maxrss < 512 * 1024);
}

/* Where sets would be large, advice counts without them: the rows are the same. */
static void advice_on_large_arrays_is_counts(void **state)
{
    (void)state;
    struct array_store store = neighbours(UINT64_C(1) << 26);
    check_advice(&store, 2, 0, true);
    array_store_free(&store);
}

/* ---- The elimination of the report (figures 5.2 and 5.3) ---- */

enum { MAX = 10 };
static const enum weft_reference_operation READ = WEFT_REFERENCE_READ;
static const enum weft_reference_operation WRITE = WEFT_REFERENCE_WRITE;

/* Make B(i, col) zero by row j, in all columns: the loose owner computes of the report. */
static void add_row(struct array_store *store, uint32_t step, uint64_t i, uint64_t j)
{
    for (uint64_t col = 0; col < MAX; col++) {
        array_store_trace(store, 0, MAX, step, j, col, i, j, READ);
        array_store_trace(store, 0, MAX, step, j, col, j, col, READ);
        array_store_trace(store, 0, MAX, step, j, col, i, col, READ);
        array_store_trace(store, 0, MAX, step, j, col, i, col, WRITE);
    }
}

static void eliminate(struct array_store *store)
{
    uint32_t step = 0;
    for (uint64_t j = 0; j < MAX; j++) {
        for (uint64_t col = 0; col < MAX; col++) {
            array_store_trace(store, 0, MAX, step, j, col, j, j, READ);
            array_store_trace(store, 0, MAX, step, j, col, j, col, READ);
            array_store_trace(store, 0, MAX, step, j, col, j, col, WRITE);
        }
        step++;
        for (uint64_t i = j + 1; i < MAX; i++)
            add_row(store, step++, i, j);
    }
    assert_int_equal(step, 55);
    for (uint64_t j = MAX; j-- > 0;)
        for (uint64_t i = j; i-- > 0;)
            add_row(store, step++, i, j);
    assert_int_equal(step, 100);
}

static uint64_t most_served(const struct array_store *store, const char *text)
{
    struct weft_err err;
    struct weft_reference_counts counts[16] = { { 0 } };
    uint64_t most = 0;
    struct weft_distributions *set =
        weft_distributions_parse("d", text, strlen(text), store->profile, &err);
    assert_non_null(set);
    const struct weft_count_query query = { .profile = store->profile,
                                            .distributions = set,
                                            .after_step = 100 };
    assert_true(weft_count_processors(&query, 0, false, counts, NULL, &err));
    for (int p = 0; p < 16; p++) {
        uint64_t served = counts[p].local_reads + counts[p].remote_reads
                          + counts[p].local_writes + counts[p].remote_writes;
        most = served > most ? served : most;
    }
    weft_distributions_free(set);
    return most;
}

static void a_better_one_is_found(void **state)
{
    (void)state;
    struct array_store store = array_store_begin();
    array_store_array(&store, "B", 2, (const uint64_t[]){ MAX, MAX });
    eliminate(&store);
    array_store_open(&store);
    assert_int_equal(weft_profile_steps(store.profile), 100);
    check_advice(&store, 16, 0, true);

    struct weft_err err;
    const struct weft_advice_query query = { .profile = store.profile,
                                             .array = WEFT_NONE,
                                             .processors = 16,
                                             .costs = costs,
                                             .rank = WEFT_ADVICE_IMBALANCE };
    struct weft_advice *advice = weft_advice_make(&query, NULL, &err);
    assert_non_null(advice);
    char *best = weft_advice_directives(advice, store.profile, 0);
    uint64_t reports = most_served(
        &store, "!HPF$ PROCESSORS P(2,8)\n!HPF$ DISTRIBUTE B(CYCLIC,CYCLIC) ONTO P\n");
    assert_int_equal(most_served(&store, best), advice->rows[0].max_load);
    assert_true(advice->rows[0].max_load < reports);
    assert_true(weft_advice_imbalance(&advice->rows[0], 16)
                < (double)reports * 16 / (double)advice->rows[0].references);
    /* The report's own is among the rows, with the load that was counted. */
    bool found = false;
    for (size_t i = 0; i < advice->n; i++)
        if (strcmp(advice->rows[i].distribution.text, "(CYCLIC, CYCLIC) ONTO P(2,8)")
            == 0) {
            assert_int_equal(advice->rows[i].max_load, reports);
            found = true;
        }
    assert_true(found);
    free(best);
    weft_advice_free(advice);
    array_store_free(&store);
}

/* What each step takes by each distribution is kept: a gigabyte of it is refused. */
static void what_steps_take_has_a_bound(void **state)
{
    (void)state;
    enum { SIDE = 256, ELEMENTS = 4096, STEPS = 60000 };
    struct array_store store = array_store_begin();
    array_store_array(&store, "A", 3, (const uint64_t[]){ SIDE, SIDE, SIDE });
    for (uint32_t i = 0; i < STEPS; i++) { /* each is of a reference of its own */
        struct weft_pattern pattern =
            array_reference(i, 0, i % ELEMENTS, 0, i / ELEMENTS, WEFT_REFERENCE_READ);
        assert_true(weft_profile_writer_add(store.writer, &pattern));
    }
    array_store_open(&store);
    struct weft_advice_query query = {
        .profile = store.profile, .array = WEFT_NONE, .processors = 64, .costs = costs
    };
    struct weft_err err = { 0 };
    assert_null(weft_advice_make(&query, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_LIMIT);
    assert_non_null(strstr(err.message, "fewer processors"));
    query.processors = 1;
    struct weft_advice *advice = weft_advice_make(&query, NULL, &err);
    assert_non_null(advice);
    weft_advice_free(advice);
    array_store_free(&store);
}

/* More references than are made to boxes, each of its own: some equal, some of one element for
   several owners, on both sides of writes. */
static void irregular_rows_are_counts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        roll_from(seed);
        uint64_t shape[2] = { 4 + roll(8), 4 + roll(8) }, n = shape[0] * shape[1];
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", 2, shape);
        array_store_array(&store, "B", 2, shape);
        for (int i = 0; i < 400; i++) {
            struct weft_pattern pattern =
                array_reference((uint32_t)roll(2), (uint32_t)roll(2), roll(n) / 2,
                                (uint32_t)roll(2), roll(n), roll(2));
            pattern.times = 1 + roll(3);
            assert_true(weft_profile_writer_add(store.writer, &pattern));
        }
        array_store_open(&store);
        check_advice(&store, 1 + roll(12), WEFT_NONE, true);
        array_store_free(&store);
    }
}

/* Two of 20 reads may be on behalf of nobody, three are too many; writes do not count. */
static void a_ranking_needs_most_reads(void **state)
{
    (void)state;
    const uint64_t shape = 20;
    for (uint32_t unknown = 2; unknown <= 3; unknown++) {
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", 1, &shape);
        for (uint32_t i = 0; i < shape; i++) {
            uint32_t owner = i < unknown ? WEFT_NONE : 0;
            struct weft_pattern read =
                array_reference(0, 0, i, owner, i < unknown ? 0 : i, WEFT_REFERENCE_READ);
            struct weft_pattern write =
                array_reference(0, 0, i, 0, i, WEFT_REFERENCE_WRITE);
            assert_true(weft_profile_writer_add(store.writer, &read));
            assert_true(weft_profile_writer_add(store.writer, &write));
        }
        array_store_open(&store);
        struct weft_advice_query query = {
            .profile = store.profile, .array = WEFT_NONE, .processors = 2, .costs = costs
        };
        struct weft_err err = { 0 };
        struct weft_advice *advice = weft_advice_make(&query, NULL, &err);
        assert_non_null(advice);
        assert_int_equal(advice->reads, 20);
        assert_int_equal(advice->reads_nobody, unknown);
        assert_int_equal(advice->reads_left_out, unknown);
        assert_int_equal(weft_advice_is_sound(advice), unknown == 2);
        weft_advice_free(advice);
        array_store_free(&store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_arrays_take_no_memory),
        cmocka_unit_test(advice_on_large_arrays_is_counts),
        cmocka_unit_test(rows_are_counts),
        cmocka_unit_test(irregular_rows_are_counts),
        cmocka_unit_test(a_better_one_is_found),
        cmocka_unit_test(what_steps_take_has_a_bound),
        cmocka_unit_test(a_ranking_needs_most_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
