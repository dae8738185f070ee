/* SPDX-License-Identifier: Apache-2.0 */
/* Task DAGs that are written into a store come back as they were, on tracks, too. */
#include "dag_store.h"

#include <math.h>

#include "tests/random.h"
#include "tests/test.h"

enum { DAGS = 1000 };

static void nodes_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 15, seed % 20 ? 60 : 700);
        struct dag_store store = dag_store_make(&from);
        dag_store_compare(store.dag, &from);
        assert_int_equal(store.source->ops->damage(store.source, 0, NULL, 0), 0);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- States ---- */

struct times {
    int64_t ticks;
    const struct random_dag *from;
    const struct dag_store *store;
    uint32_t worker;
    int64_t *seen; /* ticks by node */
};

static bool count_state(void *user, const struct weft_state *state)
{
    struct times *times = user;
    uint32_t node = weft_dag_node_of(times->store->dag, state->id);
    assert_true(node < times->from->n);
    const struct weft_dag_node *is = &times->from->nodes[node];
    assert_int_equal(is->worker, times->worker);
    assert_int_equal(is->n, 0);
    assert_true(state->begin >= is->begin && state->end <= is->end);
    times->seen[node] += state->end - state->begin;
    return true;
}

static void leaves_are_states(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 4 * 20, 100);
        struct dag_store store = dag_store_make(&from);
        const struct weft_schema *schema = store.source->schema;
        int64_t *seen = calloc(from.n, sizeof *seen);
        for (uint32_t t = 0; t < schema->n_tracks; t++) {
            if (schema->types[schema->tracks[t].type].kind != WEFT_STATE)
                continue;
            struct times times = { .from = &from, .store = &store, .seen = seen };
            while (weft_dag_worker_container(store.dag, times.worker)
                   != schema->tracks[t].container)
                times.worker++;
            store.source->ops->states(store.source, t,
                                      (struct weft_span){ -1, INT64_C(1) << 60 },
                                      count_state, &times);
        }
        for (uint32_t i = 0; i < from.n; i++) {
            const struct weft_dag_node *is = &from.nodes[i];
            bool on_track = !is->n && is->worker >= 0;
            uint64_t id = weft_dag_state(store.dag, i);
            assert_int_equal(id != WEFT_NO_ID, on_track);
            /* A part may be hidden in others, none is there twice. */
            assert_int_equal(seen[i], on_track ? is->end - is->begin : 0);
            if (on_track)
                assert_int_equal(weft_dag_node_of(store.dag, id), i);
        }
        for (uint32_t t = 0; t < schema->n_tracks; t++) {
            uint32_t found[20];
            uint64_t first = seed % 7 * 3; /* also beyond the last one */
            weft_dag_nodes_of(store.dag, t, first, 20, found);
            for (uint64_t i = 0; i < 20; i++)
                assert_int_equal(found[i], first + i < schema->tracks[t].count
                                               ? weft_dag_node_of(
                                                   store.dag, weft_entity_id(t, first + i))
                                               : WEFT_NONE);
        }
        free(seen);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- Variables ---- */

/* What node I adds to a variable at TIME: 0 running, 1 + k ready behind an edge of kind k. */
static double adds(const struct weft_dag_node *is, int variable, int64_t time)
{
    int64_t from = variable ? is->first_ready : is->begin;
    int64_t to = variable ? is->last_start : is->end;
    int64_t ticks = variable ? is->ready[variable - 1] : is->work;
    return !is->n && time >= from && time < to ? (double)ticks / (double)(to - from) : 0;
}

struct curve {
    const struct random_dag *from;
    int variable;
    double area;
};

static bool look_at(void *user, const struct weft_sample *sample)
{
    struct curve *curve = user;
    double expected = 0;
    curve->area += sample->value * (double)(sample->end - sample->begin);
    if (sample->end == sample->begin)
        return true;
    int64_t inside = sample->begin + (sample->end - sample->begin) / 2;
    for (uint32_t i = 0; i < curve->from->n; i++)
        expected += adds(&curve->from->nodes[i], curve->variable, inside);
    assert_true(fabs(expected - sample->value) <= 1e-9 * (1 + fabs(expected)));
    return true;
}

static void variables_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 4 * 20, 100);
        struct dag_store store = dag_store_make(&from);
        for (int v = 0; v <= WEFT_DAG_EDGES; v++) {
            struct curve curve = { .from = &from, .variable = v };
            uint32_t track = v ? weft_dag_ready(store.dag, (enum weft_dag_edge)(v - 1))
                               : weft_dag_running(store.dag);
            int64_t ticks = v ? from.nodes[0].ready[v - 1] : from.nodes[0].work;
            /* What has no time to be in does not count: a node of no duration. */
            store.source->ops->samples(store.source, track,
                                       (struct weft_span){ -1, INT64_C(1) << 60 }, look_at,
                                       &curve);
            assert_true(fabs(curve.area - (double)ticks) <= 1e-6 * (1 + (double)ticks));
        }
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- Where the time of the workers went ---- */

static int by_time(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The workers that are in a wait at TIME and run no node. */
static int64_t slow_waiting(const struct random_dag *from, int64_t time)
{
    int64_t waiting = 0;
    for (uint32_t w = 0; w < from->n_workers; w++) {
        bool waits = false, runs = false;
        for (size_t k = 0; k < from->n_waits; k++)
            waits |= from->waits[k].worker == w && from->waits[k].begin <= time
                     && time < from->waits[k].end;
        for (uint32_t i = 0; i < from->n; i++)
            runs |= from->nodes[i].n == 0 && from->nodes[i].worker == (int32_t)w
                    && from->nodes[i].begin <= time && time < from->nodes[i].end;
        waiting += waits && !runs;
    }
    return waiting;
}

/* Between any two moments, count who runs and who is ready. */
static struct weft_dag_shares slow_shares(const struct random_dag *from)
{
    int64_t *times = calloc(4 * (size_t)from->n + 2 * from->n_waits, sizeof *times);
    struct weft_dag_shares shares = { .work = from->nodes[0].work,
                                      .waiting = from->nodes[0].waiting };
    size_t n = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        const struct weft_dag_node *is = &from->nodes[i];
        const int64_t of[] = { is->begin, is->end, is->first_ready, is->last_start };
        if (is->n)
            continue;
        memcpy(times + n, of, sizeof of);
        n += 4;
        shares.delay += is->end - is->begin - is->work - is->waiting;
    }
    for (size_t k = 0; k < from->n_waits; k++) {
        times[n++] = from->waits[k].begin;
        times[n++] = from->waits[k].end;
    }
    qsort(times, n, sizeof *times, by_time);
    for (size_t t = 0; t + 1 < n; t++) {
        int64_t ticks = times[t + 1] - times[t], running = 0, ready = 0;
        for (uint32_t i = 0; i < from->n && ticks; i++) {
            const struct weft_dag_node *is = &from->nodes[i];
            if (is->n)
                continue;
            running += is->begin <= times[t] && times[t] < is->end;
            ready += is->first_ready <= times[t] && times[t] < is->last_start;
        }
        int64_t idle = from->n_workers - running;
        int64_t waiting = ticks ? slow_waiting(from, times[t]) : 0;
        waiting = waiting < idle ? waiting : idle > 0 ? idle : 0;
        shares.task_waits += waiting * ticks;
        idle -= waiting;
        int64_t delayed = idle < ready ? idle : ready;
        shares.delay += delayed > 0 ? delayed * ticks : 0;
        shares.no_work += idle - ready > 0 ? (idle - ready) * ticks : 0;
    }
    free(times);
    shares.waiting += shares.task_waits;
    return shares;
}

/* Adds waits, which may overlap one another and what the worker runs. */
static void add_waits(struct random_dag *from, uint64_t seed)
{
    int64_t begin = from->nodes[0].first_ready, length = from->nodes[0].end - begin;
    roll_from(seed);
    for (from->n_waits = 0; length > 0 && from->n_waits < seed % 16; from->n_waits++) {
        struct random_wait *wait = &from->waits[from->n_waits];
        wait->worker = (uint32_t)roll(from->n_workers);
        wait->begin = begin + (int64_t)roll((uint64_t)length);
        wait->end =
            wait->begin + (int64_t)roll((uint64_t)(begin + length - wait->begin) + 1);
    }
}

static void shares_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 4 * 10, 100);
        if (seed > 200)
            add_waits(&from, seed);
        struct dag_store store = dag_store_make(&from);
        struct weft_dag_shares shares, expected = slow_shares(&from);
        assert_true(weft_dag_shares(store.dag, &shares));
        assert_int_equal(shares.work, expected.work);
        assert_int_equal(shares.waiting, expected.waiting);
        assert_int_equal(shares.task_waits, expected.task_waits);
        assert_int_equal(shares.delay, expected.delay < 0 ? 0 : expected.delay);
        assert_int_equal(shares.no_work, expected.no_work);
        /* Flat, they are all of the workers' time, from when the first leaf was ready. */
        if (seed % 4 == 0)
            assert_int_equal(shares.work + shares.waiting + shares.delay + shares.no_work,
                             from.n_workers
                                 * (from.nodes[0].end - from.nodes[0].first_ready));
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_back),
        cmocka_unit_test(leaves_are_states),
        cmocka_unit_test(variables_are_exact),
        cmocka_unit_test(shares_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
