/* SPDX-License-Identifier: Apache-2.0 */
/* Parallelism of random task DAGs, against sums over all nodes for each stretch of time. */
#include <math.h>

#include "dag_looks.h"
#include "dag_store.h"
#include "domains/tasks/analyse/dag_parallelism_over_time.h"
#include "tests/random.h"
#include "tests/test.h"

struct sums {
    const struct random_dag *dag;
    struct weft_span window;
    uint32_t limit;
    double sums[WEFT_DAG_CURVES];
};

static void add_share(struct sums *s, int curve, int64_t begin, int64_t end, int64_t amount)
{
    int64_t from = begin > s->window.begin ? begin : s->window.begin;
    int64_t to = end < s->window.end ? end : s->window.end;
    if (to > from)
        s->sums[curve] += (double)amount * (double)(to - from) / (double)(end - begin);
}

static void add_down_to(struct sums *s, uint32_t number, uint32_t depth)
{
    const struct weft_dag_node *node = &s->dag->nodes[number];
    if (node->created != WEFT_NONE)
        add_down_to(s, node->created, depth);
    for (uint32_t c = 0; depth < s->limit && c < node->n; c++)
        add_down_to(s, node->first + c, depth + 1);
    if (node->n && depth < s->limit)
        return;
    add_share(s, WEFT_DAG_ACTUAL, node->begin, node->end, node->work);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        add_share(s, WEFT_DAG_AVAILABLE + k, node->first_ready, node->last_start,
                  node->ready[k]);
}

static void compare_means(const struct weft_dag_profile *profile,
                          const struct random_dag *from, struct weft_span window, size_t n,
                          uint32_t depth)
{
    double *means = calloc(n * WEFT_DAG_CURVES, sizeof *means);
    struct weft_span length = { 0, window.end - window.begin };
    weft_dag_profile_means(profile, window, n, means);
    for (size_t c = 0; c < n; c++) {
        struct sums s = { .dag = from, .limit = depth };
        int64_t left = (int64_t)c, parts = (int64_t)n;
        s.window.begin = window.begin + length.end * left / parts;
        s.window.end = window.begin + length.end * (left + 1) / parts;
        if (s.window.end == s.window.begin)
            continue;
        add_down_to(&s, 0, 0);
        for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
            assert_near(means[k * n + c],
                        s.sums[k] / (double)(s.window.end - s.window.begin));
    }
    free(means);
}

struct steps {
    int64_t time;
    double values[WEFT_DAG_CURVES], areas[WEFT_DAG_CURVES];
};

static bool add_step(void *user, int64_t time, const double values[WEFT_DAG_CURVES])
{
    struct steps *steps = user;
    assert_true(time >= steps->time);
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        steps->areas[k] += steps->values[k] * (double)(time - steps->time);
    memcpy(steps->values, values, sizeof steps->values);
    steps->time = time;
    return true;
}

/* The changes of a window, added up, are what the nodes have in it. */
static void compare_changes(const struct weft_dag_profile *profile,
                            const struct random_dag *from, struct weft_span window,
                            uint32_t depth)
{
    struct steps steps = { .time = window.begin };
    struct sums s = { .dag = from, .limit = depth, .window = window };
    weft_dag_profile_changes(profile, window, add_step, &steps);
    add_step(&steps, window.end, steps.values);
    add_down_to(&s, 0, 0);
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        assert_near(steps.areas[k], s.sums[k]);
}

static void parallelism_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        static const uint32_t depths[] = { 0, 1, 2, 5, 1000, WEFT_DAG_ALL_DEPTHS };
        struct random_dag from = random_dag_make(seed, seed % 3 * 15, seed % 20 ? 60 : 500);
        struct dag_store store = dag_store_make(&from);
        roll_from(seed);
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            struct weft_dag_profile *profile =
                weft_dag_profile_new(store.dag, store.source, depths[d], NULL, NULL);
            struct weft_span all = store.source->schema->span, window = all;
            struct steps steps = { .time = all.begin - 1 };
            assert_non_null(profile);
            weft_dag_profile_changes(profile,
                                     (struct weft_span){ all.begin - 1, all.end + 1 },
                                     add_step, &steps);
            assert_near(steps.areas[WEFT_DAG_ACTUAL], (double)from.nodes[0].work);
            compare_means(profile, &from, (struct weft_span){ all.begin, all.end + 1 }, 37,
                          depths[d]);
            int64_t length = all.end - all.begin;
            window.begin += (int64_t)roll((uint64_t)length + 1);
            window.end = window.begin + 1 + (int64_t)roll((uint64_t)length + 10);
            compare_means(profile, &from, window, roll(50) + 1, depths[d]);
            compare_changes(profile, &from, window, depths[d]);
            weft_dag_profile_free(profile);
        }
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* Also where nodes run before what they wait for, as clocks that differ say. */
static void times_may_contradict_the_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        static const uint32_t depths[] = { 1, 3, 6 };
        struct random_dag from = random_dag_make(seed, 0, 300);
        roll_from(seed);
        for (uint32_t i = 0; i < from.n; i++) {
            struct weft_dag_node *node = &from.nodes[i];
            int64_t by = (int64_t)roll(4000) - 3000;
            if (node->n || roll(4))
                continue;
            node->begin += by;
            node->end += by;
            node->first_ready += by;
            node->last_start += by;
        }
        struct dag_store store = dag_store_make(&from);
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            struct weft_dag_profile *profile =
                weft_dag_profile_new(store.dag, store.source, depths[d], NULL, NULL);
            struct weft_span all = store.source->schema->span;
            assert_non_null(profile);
            compare_means(profile, &from, (struct weft_span){ all.begin, all.end + 1 }, 37,
                          depths[d]);
            weft_dag_profile_free(profile);
        }
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallelism_is_exact),
        cmocka_unit_test(times_may_contradict_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
