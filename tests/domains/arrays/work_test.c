/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of references that a small file claims by the billion: each ends as soon as its job is
 * cancelled, or when it has gone too far.  What is asked for here would take days.
 */
#include "array_store.h"

#include <signal.h>
#include <sys/time.h>

#include "domains/arrays/model/advise.h"
#include "domains/arrays/model/count_cells.h"
#include "domains/arrays/model/owner_pairs.h"
#include "tests/random.h"
#include "tests/test.h"

/* ---- Sorting ---- */

struct row {
    uint32_t key, before;
};

static int by_row(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->before > b->before) - (a->before < b->before);
}

static void sorts_as_qsort(void **state)
{
    static const size_t sizes[] = { 0,     1,      2,      1000,   65535,  65536,
                                    65537, 131071, 131072, 131073, 200000, 500001 };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        struct row *rows = malloc((n + 1) * sizeof *rows);
        struct row *same = malloc((n + 1) * sizeof *same);
        for (size_t i = 0; i < n; i++)
            rows[i] = same[i] = (struct row){ (uint32_t)roll(1 + n / 3), (uint32_t)i };
        if (n)
            qsort(same, n, sizeof *same, by_row);
        assert_true(array_work_sort(NULL, rows, n, sizeof *rows, by_row));
        assert_memory_equal(rows, same, n * sizeof *rows);
        free(rows);
        free(same);
    }
}

/* ---- An end by itself ---- */

/* Parts whose pairs are more than may be looked at. */
static void goes_too_far(void **state)
{
    (void)state;
    const struct weft_array array = { .rank = 1, .shape = { 1 << 20 }, .element_bytes = 8 };
    const struct array_box box = {
        .loops = 1, .extent = { 1 << 20 }, .stride = { { 1 } }, .owner_stride = { { 1 } }
    };
    struct weft_distribution cyclic = {
        .rank = 1,
        .extent = { 4096 },
        .axis = { { .kind = WEFT_AXIS_ARRAY,
                    .format = WEFT_DISTRIBUTION_CYCLIC,
                    .processors = 4096,
                    .block = 1,
                    .stride = 1 } },
    };
    for (uint64_t most = 1; most <= UINT64_C(1) << 24; most *= 16) {
        struct array_work work = { .most = most, .most_rows = UINT64_MAX };
        struct parts parts = { .work = &work };
        struct parts_pair pair;
        struct weft_err err = { 0 };
        uint64_t turns = 0;
        work.taken = &work.own;
        parts_begin(&parts, &box);
        parts_add(&parts, &cyclic, &array, false, false);
        parts_make(&parts, &array);
        parts_first(&parts, &pair);
        do
            turns += pair.turns;
        while (parts_next(&parts, &pair));
        (void)array_work_look(&work);
        if (array_work_end(&work, &err)) {
            assert_true(most > 4096);
            assert_true(turns == box.extent[0]);
        } else {
            assert_true(most < 3 * 4096);
            assert_int_equal(err.code, WEFT_ERR_LIMIT);
        }
        parts_free(&parts);
    }
}

/* More rows than may be kept. */
static void keeps_too_much(void **state)
{
    (void)state;
    struct array_work work = { .most = UINT64_MAX, .most_rows = 1000 };
    struct weft_err err = { 0 };
    work.taken = &work.own;
    assert_true(array_work_keep(&work, 1000));
    assert_true(array_work_end(&work, &err));
    assert_false(array_work_keep(&work, 1001));
    assert_false(array_work_report(&work, 1));
    assert_false(array_work_end(&work, &err));
    assert_int_equal(err.code, WEFT_ERR_LIMIT);
}

/* ---- Cancelled ---- */

static struct weft_job job;

static void cancel(int signal)
{
    (void)signal;
    job.cancelled = true;
}

static void cancel_soon(void)
{
    const struct itimerval soon = { .it_value = { .tv_usec = 20000 } };
    job.cancelled = false;
    signal(SIGALRM, cancel);
    setitimer(ITIMER_REAL, &soon, NULL);
}

/*
 * Patterns of which nobody finds a formula: each third element of rows of five, again and again; a
 * vector against itself, backwards; and two stencils that overlap.
 */
static struct array_store claims(int which)
{
    static const uint64_t cube[] = { 1 << 20, 1 << 20, 5 }, line[] = { UINT64_C(1) << 40 };
    struct array_store store = array_store_begin();
    uint32_t array = array_store_array(&store, "A", which ? 1 : 3, which ? line : cube);
    struct weft_pattern pattern =
        array_reference(0, array, 0, array, 0, WEFT_REFERENCE_READ);
    if (which == 0) {
        pattern.extent[0] = UINT64_C(1) << 39;
        pattern.stride[0] = pattern.owner_stride[0] = 3;
        pattern.owner = 1;
    } else if (which == 1) {
        pattern.extent[0] = UINT64_C(1) << 40;
        pattern.stride[0] = 1;
        pattern.owner_stride[0] = -1;
        pattern.owner = line[0] - 1;
    } else {
        pattern.extent[0] = pattern.extent[1] = UINT64_C(1) << 20;
        pattern.stride[0] = 3;
        pattern.stride[1] = 7;
        pattern.owner_stride[0] = 5;
        pattern.owner_stride[1] = 11;
    }
    assert_true(weft_profile_writer_add(store.writer, &pattern));
    array_store_open(&store);
    return store;
}

static struct weft_distributions *distributed(const struct array_store *store, int which)
{
    const char *text = which ? "PROCESSORS P(1009)\nDISTRIBUTE A(CYCLIC(3)) ONTO P\n"
                             : "PROCESSORS P(2)\nDISTRIBUTE A(*,BLOCK,*) ONTO P\n";
    struct weft_err err = { 0 };
    struct weft_distributions *set =
        weft_distributions_parse("claims", text, strlen(text), store->profile, &err);
    if (!set)
        fail_msg("%s", err.message);
    return set;
}

static bool never(void *user, const struct weft_reference *reference)
{
    (void)user;
    (void)reference;
    return true;
}

enum question { PROCESSORS, FLOWS, CELLS, EACH, ADVICE, ADVICE_OF, QUESTIONS };

static bool ask(enum question question, const struct weft_count_query *query,
                struct weft_err *err)
{
    const struct weft_advice_query advice = { .profile = query->profile,
                                              .array = WEFT_NONE,
                                              .processors = 7,
                                              .costs = { 1, 1000, 0.1 } };
    static struct weft_reference_counts counts[2048];
    static uint32_t cells[1 << 14][WEFT_REFERENCE_KINDS];
    const struct weft_array *array = weft_profile_array(query->profile, 0);
    struct weft_array_plane plane = { .row_dimension = array->rank > 1 ? 0 : WEFT_NONE,
                                      .column_dimension = array->rank > 1 ? 1 : 0,
                                      .shift = array->rank > 1 ? 14 : 27 };
    struct weft_flow *flows = NULL;
    struct weft_advice_row row;
    size_t n;
    bool full = false, ok = false;
    switch (question) {
    case PROCESSORS:
        return weft_count_processors(query, WEFT_NONE, false, counts, &job, err);
    case FLOWS:
        ok = weft_count_flows(query, WEFT_NONE, &flows, &n, &job, err);
        free(flows);
        return ok;
    case CELLS: return weft_count_cells(query, 0, &plane, cells, &full, &job, err);
    case EACH: return weft_count_each(query, WEFT_NONE, never, NULL, &job, err);
    case ADVICE: {
        struct weft_advice *made = weft_advice_make(&advice, &job, err);
        weft_advice_free(made);
        return made != NULL;
    }
    case ADVICE_OF:
        return weft_advice_of(&advice, query->distributions, &row, NULL, &job, err);
    default: return false;
    }
}

/* Each question either has an answer by formulas, at once, or is cancelled. */
static void is_cancelled(void **state)
{
    size_t cancelled = 0;
    (void)state;
    for (int which = 0; which < 3; which++) {
        struct array_store store = claims(which);
        struct weft_distributions *set = distributed(&store, which);
        const struct weft_count_query query = { .profile = store.profile,
                                                .distributions = set,
                                                .after_step = 1 };
        for (enum question q = 0; q < QUESTIONS; q++) {
            struct weft_err err = { 0 };
            cancel_soon();
            if (!ask(q, &query, &err)) {
                assert_int_equal(err.code, WEFT_ERR_CANCELLED);
                cancelled++;
            }
        }
        weft_distributions_free(set);
        array_store_free(&store);
    }
    assert_true(cancelled >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_as_qsort),
        cmocka_unit_test(goes_too_far),
        cmocka_unit_test(keeps_too_much),
        cmocka_unit_test(is_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
