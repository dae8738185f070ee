/* SPDX-License-Identifier: Apache-2.0 */
/* DAG Recorder's files, good and bad. */
#include "tests/unit/read/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dag_file.h"
#include "dag_store.h"
#include "tests/random.h"

enum {
    DAGS = 1000,
    HEAD = 77,
    NODE = 432,
    /* Offsets in a node. */
    KIND = 328,
    IN_EDGE = 332,
    WORKER = 320,
    WORK = 152,
    CURRENT = 296,
    FIRST = 416,
    AFTER = 424,
};

static struct weft_trace *read_as(const void *bytes, size_t size, const char *ticks,
                                  struct weft_err *err)
{
    char *file = weft_strdup(support_path("run.dag"));
    char *store = weft_strdup(support_path("store"));
    struct weft_read_options options = { .values = (struct weft_reader_value[]){
                                             { "ticks-per-second", ticks }, { 0 } } };
    struct weft_trace *trace = NULL;
    support_write(file, bytes, size);
    *err = (struct weft_err){ 0 };
    if (weft_import(file, &options, store, NULL, err))
        trace = weft_trace_open(store, err);
    free(file);
    free(store);
    return trace;
}

static struct weft_trace *read_bytes(const void *bytes, size_t size)
{
    struct weft_err err;
    struct weft_trace *trace = read_as(bytes, size, NULL, &err);
    if (!trace)
        print_message("%s\n", err.message);
    assert_non_null(trace);
    return trace;
}

/* The sites that the reader numbered, as the DAG numbers them. */
static void restore_sites(const struct weft_schema *schema, const struct random_dag *from,
                          struct weft_dag_node *nodes)
{
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t *sites[2] = { &nodes[i].begin_site, &nodes[i].end_site };
        for (int s = 0; s < 2; s++) {
            uint32_t of = s ? from->nodes[i].end_site : from->nodes[i].begin_site;
            if (of == WEFT_NONE) {
                assert_int_equal(*sites[s], WEFT_NONE);
                continue;
            }
            assert_true(*sites[s] < schema->n_sites);
            const struct weft_site *site = &schema->sites[*sites[s]];
            assert_string_equal(site->file, of % 2 ? "dir/b.c" : "a.c");
            assert_int_equal(site->line, of + 1);
            *sites[s] = of;
        }
    }
}

static void files_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 15, seed % 20 ? 60 : 700);
        size_t size;
        unsigned char *bytes = dag_file_make(&from, &size);
        struct weft_trace *trace = read_bytes(bytes, size);
        const struct weft_schema *schema = weft_trace_schema(trace);
        assert_string_equal(schema->format, "dag");
        assert_int_equal(schema->n_problems, 0);
        assert_int_equal(schema->ticks_numerator, 1000000000);
        struct weft_err err;
        struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
        assert_non_null(dag);
        assert_int_equal(weft_dag_size(dag), from.n);
        assert_int_equal(weft_dag_workers(dag), from.n_workers);
        struct weft_dag_node *nodes = weft_zalloc(from.n, sizeof *nodes);
        for (uint32_t i = 0; i < from.n; i++)
            weft_dag_node(dag, i, &nodes[i]);
        restore_sites(schema, &from, nodes);
        for (uint32_t i = 0; i < from.n; i++)
            from.nodes[i].waiting = 0; /* DAG Recorder's files do not have it */
        assert_memory_equal(nodes, from.nodes, from.n * sizeof *nodes);
        free(nodes);
        weft_dag_close(dag);
        weft_trace_close(trace);
        free(bytes);
        random_dag_free(&from);
    }
}

/* ---- Faults ---- */

struct sample {
    struct random_dag from;
    unsigned char *bytes;
    size_t size;
};

static struct sample a_file(void)
{
    struct sample sample = { .from = random_dag_make(7, 0, 60) };
    assert_true(sample.from.n > 20);
    sample.bytes = dag_file_make(&sample.from, &sample.size);
    return sample;
}
static void free_file(struct sample *sample)
{
    free(sample->bytes);
    random_dag_free(&sample->from);
}

static void put_i64(struct sample *sample, uint32_t node, size_t field, int64_t value)
{
    memcpy(sample->bytes + HEAD + (size_t)node * NODE + field, &value, sizeof value);
}
static void put_i32(struct sample *sample, uint32_t node, size_t field, int32_t value)
{
    memcpy(sample->bytes + HEAD + (size_t)node * NODE + field, &value, sizeof value);
}

/* The first section of the file with an inside. */
static uint32_t a_section(const struct sample *sample)
{
    uint32_t node = 1;
    while (sample->from.nodes[node].kind != WEFT_DAG_SECTION || !sample->from.nodes[node].n)
        node++;
    return node;
}

static uint64_t problems(const struct sample *sample, const char *kind, uint32_t *size)
{
    struct weft_trace *trace = read_bytes(sample->bytes, sample->size);
    uint64_t n = support_problems(trace, kind, NULL);
    struct weft_err err;
    struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
    assert_non_null(dag);
    *size = weft_dag_size(dag);
    weft_dag_close(dag);
    weft_trace_close(trace);
    return n;
}

static void bad_insides_are_left_out(void **state)
{
    (void)state;
    static const struct {
        int64_t first, after;
        const char *kind;
    } insides[] = {
        { -1, 2, "backward" },
        { 0, 1, "backward" },
        { 3, 1, "backward" },
        { 1, 1 << 30, "out-of-range" },
        { 1, INT64_MAX, "out-of-range" },
        { INT64_MIN, INT64_MAX, "backward" },
    };
    for (size_t i = 0; i < sizeof insides / sizeof *insides; i++) {
        struct sample sample = a_file();
        uint32_t node = a_section(&sample), size;
        uint64_t inside = sample.from.nodes[node].materialized;
        put_i64(&sample, node, FIRST, insides[i].first);
        put_i64(&sample, node, AFTER, insides[i].after);
        assert_int_equal(problems(&sample, insides[i].kind, &size), 1);
        assert_int_equal(size, sample.from.n - inside + 1);
        assert_int_equal(problems(&sample, "left-out", &size), 1);
        free_file(&sample);
    }
}

static void nobody_has_two_parents(void **state)
{
    (void)state;
    struct sample sample = a_file();
    uint32_t size, section = a_section(&sample);
    /* The root claims all; then nothing is left for the others. */
    put_i64(&sample, 0, FIRST, 1);
    put_i64(&sample, 0, AFTER, sample.from.n);
    assert_true(problems(&sample, "overlap", &size) >= 1);
    assert_int_equal(size, sample.from.n);
    (void)section;
    free_file(&sample);
}

static void odd_kinds_are_told(void **state)
{
    (void)state;
    struct sample sample = a_file();
    uint32_t size, leaf = sample.from.n - 1;
    while (sample.from.nodes[leaf].kind != WEFT_DAG_WAIT)
        leaf--;
    put_i32(&sample, leaf, KIND, 6);
    put_i32(&sample, leaf, IN_EDGE, -1);
    put_i32(&sample, leaf, WORKER, 1 << 20);
    assert_int_equal(problems(&sample, "unknown-kind", &size), 1);
    assert_int_equal(problems(&sample, "unknown-edge", &size), 1);
    assert_int_equal(problems(&sample, "unknown-worker", &size), 1);
    assert_int_equal(size, sample.from.n);
    free_file(&sample);
}

static void impossible_figures_are_told(void **state)
{
    (void)state;
    struct sample sample = a_file();
    uint32_t size;
    put_i64(&sample, 2, WORK, -5);
    put_i64(&sample, 3, CURRENT, 1000);
    assert_int_equal(problems(&sample, "impossible-figure", &size), 1);
    assert_int_equal(problems(&sample, "wrong-count", &size), 1);
    free_file(&sample);
}

static void edges_are_compared(void **state)
{
    (void)state;
    struct sample sample = a_file();
    size_t edge = HEAD + (size_t)sample.from.n * NODE + 24 * 3;
    uint32_t size;
    sample.bytes[edge] ^= 1; /* its kind */
    assert_int_equal(problems(&sample, "wrong-edges", &size), 1);
    assert_int_equal(problems(&sample, "missing-edges", &size), 1);
    free_file(&sample);
}

static void heads_are_doubted(void **state)
{
    (void)state;
    struct sample sample = a_file();
    struct weft_err err;
    static const int64_t nodes[] = { 0, -1, INT64_MIN, INT64_MAX };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        memcpy(sample.bytes + 45, &nodes[i], 8);
        assert_null(read_as(sample.bytes, sample.size, NULL, &err));
        assert_int_equal(err.code, WEFT_ERR_FORMAT);
    }
    memcpy(sample.bytes + 45, &(int64_t){ INT64_C(1) << 40 }, 8);
    uint32_t size;
    assert_int_equal(problems(&sample, "cut-short", &size), 1);
    memcpy(sample.bytes + 45, &(int64_t){ sample.from.n }, 8);
    memcpy(sample.bytes + 69, &(int64_t){ -3 }, 8);
    assert_int_equal(problems(&sample, "absurd-workers", &size), 1);
    assert_int_equal(size, sample.from.n);
    sample.bytes[32] = '5'; /* version 1.25 */
    assert_null(read_as(sample.bytes, sample.size, NULL, &err));
    assert_non_null(strstr(err.message, "1.24"));
    free_file(&sample);
}

static void cut_files_open_in_part(void **state)
{
    (void)state;
    struct sample sample = a_file();
    struct weft_err err;
    uint32_t all = sample.from.n, size;
    size_t whole = sample.size, nodes_end = HEAD + (size_t)all * NODE;
    for (size_t cut = 27; cut < whole; cut += cut < 600 ? 1 : 97) {
        sample.size = cut;
        if (cut < HEAD + NODE) {
            assert_null(read_as(sample.bytes, cut, NULL, &err));
            assert_int_equal(err.code, WEFT_ERR_FORMAT);
            continue;
        }
        uint64_t told = problems(&sample, "cut-short", &size);
        /* The last name, which ends with the file, is all that may go without a word. */
        assert_true(told == 1 || cut > whole - 16);
        if (cut >= nodes_end)
            assert_int_equal(size, all);
        else
            assert_true(size <= (cut - HEAD) / NODE);
    }
    sample.size = whole;
    free_file(&sample);
}

static void ticks_are_chosen(void **state)
{
    (void)state;
    struct sample sample = a_file();
    struct weft_err err;
    struct weft_trace *trace = read_as(sample.bytes, sample.size, "2400000000", &err);
    assert_non_null(trace);
    assert_int_equal(weft_trace_schema(trace)->ticks_numerator, 2400000000);
    assert_int_equal(weft_trace_schema(trace)->ticks_denominator, 1);
    weft_trace_close(trace);
    static const char *const wrong[] = { "", "0", "-1", "1e9", "2.4", "9999999999999999" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(read_as(sample.bytes, sample.size, wrong[i], &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
    }
    free_file(&sample);
}

/* Go through a DAG as views do, by parents: it ends, and meets each node at most once. */
static void walk(const struct weft_dag *dag)
{
    uint32_t n = weft_dag_size(dag), at = 0, steps = 0;
    for (;;) {
        struct weft_dag_node node;
        weft_dag_node(dag, at, &node);
        assert_true(++steps <= n);
        assert_true(node.end >= node.begin && node.work >= 0 && node.critical_path >= 0);
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        for (size_t i = weft_dag_successors(dag, at, arcs); i-- > 0;)
            assert_true(arcs[i].to < n);
        if (node.n || node.created != WEFT_NONE) {
            at = node.n ? node.first : node.created;
            continue;
        }
        for (;;) { /* to the next one, perhaps of a parent */
            if (at == 0)
                return;
            struct weft_dag_node parent;
            weft_dag_shape(dag, at, &node);
            weft_dag_shape(dag, node.parent, &parent);
            uint32_t from = at;
            at = node.parent;
            if (parent.n && from - parent.first < parent.n - 1) {
                at = from + 1;
                break;
            }
        }
    }
}

/* ---- Large ones ---- */

/* A task with N others, then sections inside sections, DEPTH of them, with a task in the last. */
static struct random_dag chain_and_nest(uint32_t n, uint32_t depth, int64_t length)
{
    struct random_dag dag = { .n = n + 2 * depth + 5, .n_workers = 1 };
    dag.nodes = weft_zalloc(dag.n, sizeof *dag.nodes);
    dag.arcs = weft_zalloc(1, sizeof *dag.arcs);
    for (uint32_t i = 0; i < dag.n; i++) {
        struct weft_dag_node *node = &dag.nodes[i];
        node->kind = WEFT_DAG_OTHER;
        node->first = node->created = node->begin_site = node->end_site = WEFT_NONE;
        node->begin = node->last_start = node->first_ready = i;
        node->end = i + length;
        node->work = node->critical_path = length;
        node->materialized = node->least = 1;
    }
    /* Root; N others, the outermost section, the end; then create or section and wait. */
    uint32_t section = n + 1, next = n + 3;
    dag.nodes[0].kind = WEFT_DAG_TASK;
    dag.nodes[0].parent = WEFT_NONE;
    dag.nodes[0].first = 1;
    dag.nodes[0].n = n + 2;
    dag.nodes[0].materialized = dag.n;
    dag.nodes[n + 2].kind = WEFT_DAG_END;
    for (uint32_t d = 0; d < depth; d++, section = next, next += 2) {
        dag.nodes[section].kind = WEFT_DAG_SECTION;
        dag.nodes[section].first = next;
        dag.nodes[section].n = 2;
        dag.nodes[section].materialized = 2 * (depth - d) + 3;
        dag.nodes[next].parent = dag.nodes[next + 1].parent = section;
        dag.nodes[next + 1].kind = WEFT_DAG_WAIT;
    }
    dag.nodes[section].kind = WEFT_DAG_CREATE; /* where one more section would be */
    dag.nodes[section].created = next;
    dag.nodes[next].kind = WEFT_DAG_TASK;
    dag.nodes[next].parent = section;
    dag.nodes[next].first = next + 1;
    dag.nodes[next].n = 1;
    dag.nodes[next].materialized = 2;
    dag.nodes[next + 1].kind = WEFT_DAG_END;
    dag.nodes[next + 1].parent = next;
    return dag;
}

static void *read_deep(void *user)
{
    struct sample *sample = user;
    struct weft_trace *trace = read_bytes(sample->bytes, sample->size);
    struct weft_err err;
    struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
    assert_non_null(dag);
    assert_int_equal(weft_dag_size(dag), sample->from.n);
    assert_int_equal(support_problems(trace, "cut-short", NULL), 0);
    assert_int_equal(support_problems(trace, "left-out", NULL), 0);
    assert_int_equal(support_problems(trace, "wrong-count", NULL), 0);
    walk(dag);
    weft_dag_close(dag);
    weft_trace_close(trace);
    return NULL;
}

/* What is deep or long needs no more stack than anything else. */
static void depth_takes_no_stack(void **state)
{
    (void)state;
    struct sample sample = { .from = chain_and_nest(200000, 200000, 1) };
    pthread_t thread;
    pthread_attr_t attributes;
    sample.bytes = dag_file_make(&sample.from, &sample.size);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, read_deep, &sample), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    free_file(&sample);
}

/* Thousands of leaves that say that one worker ran them at once. */
static void overlaps_are_bounded(void **state)
{
    (void)state;
    struct sample sample = { .from = chain_and_nest(5000, 1, 4000) };
    sample.bytes = dag_file_make(&sample.from, &sample.size);
    struct weft_trace *trace = read_bytes(sample.bytes, sample.size);
    assert_true(weft_trace_schema(trace)->n_states >= 5000);
    assert_true(weft_trace_schema(trace)->n_states <= UINT64_C(64) * sample.from.n);
    assert_int_equal(support_problems(trace, "overlap-too-much", NULL), 1);
    weft_trace_close(trace);
    free_file(&sample);
}

/* More leaves inside one another than a track holds: those that are left out are counted. */
static void nesting_is_bounded(void **state)
{
    (void)state;
    enum { N = 66000, MAX_STATES = 65534 };
    struct sample sample = { .from = chain_and_nest(N, 1, 0) };
    for (uint32_t i = 0; i < sample.from.n; i++)
        sample.from.nodes[i].end = 3 * N - sample.from.nodes[i].begin;
    sample.bytes = dag_file_make(&sample.from, &sample.size);
    struct weft_trace *trace = read_bytes(sample.bytes, sample.size);
    assert_int_equal(weft_trace_schema(trace)->n_states, MAX_STATES);
    assert_int_equal(support_problems(trace, "overlap-too-much", NULL), 1);
    /* The root, the outermost section and the task in it are no leaves. */
    char *wanted = weft_asprintf("that %u of them", sample.from.n - 3 - MAX_STATES);
    assert_non_null(strstr(weft_trace_schema(trace)->problems[0].message, wanted));
    free(wanted);
    weft_trace_close(trace);
    free_file(&sample);
}

/*
 * Tasks whose creates are in no section, as deep as there are such: what is around each node is found
 * in one step or by what others have found before, which is the same.
 */
static void deep_tasks_are_found_alike(void **state)
{
    (void)state;
    enum { N = 500 };
    struct sample sample = { .from = chain_and_nest(3 * N, 1, 1) };
    for (uint32_t i = 0; i < N; i++) {
        struct weft_dag_node *task = &sample.from.nodes[3 * i];
        task[0].kind = WEFT_DAG_TASK;
        task[0].parent = i ? 3 * i - 2 : WEFT_NONE;
        task[0].first = 3 * i + 1;
        task[0].n = 2;
        task[1].kind = WEFT_DAG_CREATE;
        task[1].created = i + 1 < N ? 3 * i + 3 : WEFT_NONE;
        task[2].kind = WEFT_DAG_END;
        task[1].parent = task[2].parent = 3 * i;
    }
    sample.from.n = 3 * N;
    sample.bytes = dag_file_make(&sample.from, &sample.size);
    struct weft_trace *trace = read_bytes(sample.bytes, sample.size);
    struct weft_err err;
    struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
    struct weft_dag_joins *joins = weft_dag_joins_new();
    assert_int_equal(weft_dag_size(dag), 3 * N);
    for (uint32_t i = 0; i < 3 * N; i++) {
        struct weft_dag_arc once[WEFT_DAG_ARCS], again[WEFT_DAG_ARCS];
        struct weft_dag_node shape, task;
        size_t n = weft_dag_successors(dag, i, once);
        assert_int_equal(weft_dag_successors_of_many(dag, i, joins, again), n);
        for (size_t a = 0; a < n; a++)
            assert_true(once[a].to == again[a].to && once[a].kind == again[a].kind);
        uint32_t around = weft_dag_task_of(dag, i, joins);
        assert_int_equal(around, weft_dag_task_of(dag, i, NULL));
        weft_dag_shape(dag, around, &task);
        weft_dag_shape(dag, i, &shape);
        assert_int_equal(task.kind, WEFT_DAG_TASK);
        assert_int_equal(around, shape.kind == WEFT_DAG_TASK ? i : shape.parent);
    }
    weft_dag_joins_free(joins);
    weft_dag_close(dag);
    weft_trace_close(trace);
    free_file(&sample);
}

/* ---- Files that anybody may have written ---- */

static void mutants_are_survived(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct random_dag from = random_dag_make(seed, 10, 80);
        size_t size;
        unsigned char *bytes = dag_file_make(&from, &size);
        roll_from(seed);
        for (uint64_t left = roll(6) + 1; left; left--) {
            size_t at = roll(4)
                            ? HEAD + roll(from.n) * NODE + (roll(2) ? FIRST : roll(NODE))
                            : roll(size);
            if (at + 8 > size)
                continue;
            int64_t value = roll(2) ? (int64_t)roll(from.n) - (int64_t)roll(from.n)
                                    : (int64_t)(roll(UINT64_MAX) * roll(3));
            memcpy(bytes + at, &value, roll(8) + 1);
        }
        struct weft_err err;
        struct weft_trace *trace = read_as(bytes, size, NULL, &err);
        if (trace) {
            struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
            assert_non_null(dag);
            walk(dag);
            weft_dag_close(dag);
            weft_trace_close(trace);
        }
        free(bytes);
        random_dag_free(&from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(bad_insides_are_left_out),
        cmocka_unit_test(nobody_has_two_parents),
        cmocka_unit_test(odd_kinds_are_told),
        cmocka_unit_test(impossible_figures_are_told),
        cmocka_unit_test(edges_are_compared),
        cmocka_unit_test(heads_are_doubted),
        cmocka_unit_test(cut_files_open_in_part),
        cmocka_unit_test(ticks_are_chosen),
        cmocka_unit_test(depth_takes_no_stack),
        cmocka_unit_test(overlaps_are_bounded),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(deep_tasks_are_found_alike),
        cmocka_unit_test(mutants_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
