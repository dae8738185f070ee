/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallelism and comparison of task DAGs: dag_profile_bench NODES FOLDER.  Makes a DAG of a tree of tasks
 * with two created tasks each, run by eight workers, and measures what is prepared of it, windows
 * of its parallelism, and two of a tenth of the size (at most 10^6) against each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyse/dag_compare.h"
#include "analyse/dag_profile.h"
#include "analyse/dag_time.h"
#include "base/memory.h"
#include "dag/write.h"
#include "store/trace.h"

enum { WORKERS = 8, COLUMNS = 1920, WINDOWS = 50 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const struct weft_err *err)
{
    fprintf(stderr, "dag_profile_bench: %s\n", err->message);
    exit(1);
}

static uint64_t state;

static uint64_t next_random(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* A task of seven nodes: itself, a section of two creates and a wait, the section, and its end. */
struct maker {
    struct weft_dag_writer *writer;
    uint32_t n, target;
    int64_t free_at[WORKERS];
};

static struct weft_dag_node leaf(struct maker *m, enum weft_dag_kind kind, uint32_t parent,
                                 uint32_t created)
{
    uint32_t worker = (uint32_t)(next_random() % WORKERS);
    int64_t ready = m->free_at[worker], begin = ready + (int64_t)(next_random() % 100);
    int64_t end = begin + 1 + (int64_t)(next_random() % 1000);
    m->free_at[worker] = end;
    struct weft_dag_node node = {
        .kind = kind,
        .in_edge = WEFT_DAG_EDGE_CREATE,
        .parent = parent,
        .first = WEFT_NONE,
        .created = created,
        .worker = (int32_t)worker,
        .cpu = -1,
        .begin_site = WEFT_NONE,
        .end_site = WEFT_NONE,
        .begin = begin,
        .end = end,
        .first_ready = ready,
        .last_start = begin,
        .work = end - begin,
        .critical_path = end - begin,
        .materialized = 1,
        .least = 1,
    };
    node.leaves[kind] = 1;
    node.ready[WEFT_DAG_EDGE_CREATE] = begin - ready;
    return node;
}

static struct weft_dag_node box(struct maker *m, enum weft_dag_kind kind, uint32_t parent,
                                uint32_t first, uint32_t n)
{
    struct weft_dag_node node = leaf(m, WEFT_DAG_END, parent, WEFT_NONE);
    node.kind = kind;
    node.first = n ? first : WEFT_NONE;
    node.n = n;
    return node;
}

/*
 * Breadth first: tasks wait in a queue, so that the children of a node lie side by side and behind
 * it.  What a box says of its inside is not worked out: nothing here asks for it.
 */
static void make_tasks(struct maker *m)
{
    uint32_t parent = WEFT_NONE;
    uint32_t *parents = weft_alloc(((size_t)m->target + 16) * sizeof *parents);
    size_t first = 0, n = 0;
    parents[n++] = parent;
    /* Task t of the queue takes the nodes 7 t (itself) to 7 t + 6. */
    for (; first < n; first++) {
        uint32_t base = (uint32_t)(7 * first);
        bool grows = 7 * (n + 2) <= m->target;
        struct weft_dag_node nodes[7];
        nodes[0] = box(m, WEFT_DAG_TASK, parents[first], base + 1, 2);
        nodes[1] = box(m, WEFT_DAG_SECTION, base, base + 3, 4);
        nodes[2] = leaf(m, WEFT_DAG_END, base, WEFT_NONE);
        for (uint32_t c = 0; c < 2; c++) {
            uint32_t made = grows ? (uint32_t)(7 * (n + c)) : WEFT_NONE;
            nodes[3 + c] = leaf(m, WEFT_DAG_CREATE, base + 1, made);
        }
        nodes[5] = leaf(m, WEFT_DAG_OTHER, base + 1, WEFT_NONE);
        nodes[6] = leaf(m, WEFT_DAG_WAIT, base + 1, WEFT_NONE);
        for (int i = 0; i < 7; i++)
            weft_dag_writer_add(m->writer, &nodes[i]);
        for (uint32_t c = 0; grows && c < 2; c++)
            parents[n++] = base + 3 + c;
    }
    m->n = (uint32_t)(7 * n);
    free(parents);
}

static uint32_t new_type(struct weft_builder *b, uint32_t parent, const char *name,
                         enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                     .parent = parent,
                                                     .name = name,
                                                     .role = role,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

static struct weft_trace *make_trace(const char *folder, const char *name, uint32_t nodes,
                                     uint64_t seed)
{
    char *path = weft_asprintf("%s/%s", folder, name);
    struct weft_err err = { 0 };
    struct weft_builder *b = weft_builder_new(path, "bench", &err);
    uint32_t workers[WORKERS];
    if (!b)
        die(&err);
    uint32_t process_type = new_type(b, 0, "process", WEFT_ROLE_PROCESS);
    uint32_t worker_type = new_type(b, process_type, "worker", WEFT_ROLE_WORKER);
    uint32_t process = weft_builder_container(b, process_type, 0, "run", NULL, 0);
    for (int w = 0; w < WORKERS; w++)
        workers[w] = weft_builder_container(b, worker_type, process, "worker", NULL, 0);
    struct maker m = { .target = nodes };
    m.writer = weft_dag_writer_new(&(struct weft_dag_target){ .builder = b,
                                                              .process = process,
                                                              .process_type = process_type,
                                                              .workers = workers,
                                                              .n_workers = WORKERS,
                                                              .worker_type = worker_type });
    state = seed;
    make_tasks(&m);
    if (!weft_dag_writer_finish(m.writer, NULL, &err)
        || !weft_builder_finish(b, NULL, &err))
        die(&err);
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace)
        die(&err);
    unlink(path);
    free(path);
    return trace;
}

static void measure_profile(const struct weft_trace *trace, uint32_t nodes)
{
    struct weft_err err = { 0 };
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_dag *dag = weft_dag_open(source, &err);
    static double means[WEFT_DAG_CURVES * COLUMNS];
    double worst = 0, from = now_ms();
    if (!dag)
        die(&err);
    struct weft_dag_profile *profile =
        weft_dag_profile_new(dag, source, WEFT_DAG_ALL_DEPTHS, NULL, &err);
    if (!profile)
        die(&err);
    printf("dag.profile.%u %.0f ms\n", nodes, now_ms() - from);
    struct weft_span span = source->schema->span;
    for (int i = 0; i < WINDOWS; i++) {
        double length = (double)(span.end - span.begin);
        struct weft_span window = span;
        if (i) { /* the first one is all of it; then ever narrower ones, anywhere */
            int64_t wide = (int64_t)(length / (1 << i % 24)) + 1;
            window.begin += (int64_t)(next_random() % (uint64_t)(length + 1));
            window.end = window.begin + wide;
        }
        from = now_ms();
        weft_dag_profile_means(profile, window, COLUMNS, means);
        double took = now_ms() - from;
        worst = took > worst ? took : worst;
    }
    printf("dag.profile.window.%u %.1f ms (the slowest of %d, 1920 columns)\n", nodes,
           worst, WINDOWS);
    weft_dag_profile_free(profile);
    from = now_ms();
    profile = weft_dag_profile_new(dag, source, 10, NULL, &err);
    printf("dag.profile.depth10.%u %.0f ms\n", nodes, now_ms() - from);
    weft_dag_profile_free(profile);
    struct weft_dag_time time;
    from = now_ms();
    if (!weft_dag_time_read(dag, source, NULL, &time, &err))
        die(&err);
    printf("dag.time.%u %.0f ms\n", nodes, now_ms() - from);
    weft_dag_close(dag);
}

static void measure_compare(struct weft_trace *const traces[2], uint32_t nodes)
{
    struct weft_err err = { 0 };
    struct weft_dag *dags[2];
    struct weft_dag_bill *bills[2];
    struct weft_dag_pairs pairs;
    double from = now_ms();
    for (int i = 0; i < 2; i++) {
        const struct weft_source *source = weft_trace_source(traces[i]);
        dags[i] = weft_dag_open(source, &err);
        bills[i] = dags[i] ? weft_dag_bill_new(dags[i], source->schema, NULL, &err) : NULL;
        if (!bills[i])
            die(&err);
    }
    if (!weft_dag_compare((const struct weft_dag *const[]){ dags[0], dags[1] },
                          (const struct weft_dag_bill *const[]){ bills[0], bills[1] }, NULL,
                          &pairs, &err))
        die(&err);
    printf("dag.compare.%u %.0f ms\n", nodes, now_ms() - from);
    weft_dag_pairs_free(&pairs);
    for (int i = 0; i < 2; i++) {
        weft_dag_bill_free(bills[i]);
        weft_dag_close(dags[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: dag_profile_bench NODES FOLDER\n");
        return 2;
    }
    uint32_t nodes = (uint32_t)strtoul(argv[1], NULL, 10);
    uint32_t few = nodes < 1000000 ? nodes : 1000000;
    struct weft_trace *trace = make_trace(argv[2], "bench.weft", nodes, 1);
    measure_profile(trace, nodes);
    weft_trace_close(trace);
    struct weft_trace *two[2] = { make_trace(argv[2], "first.weft", few, 1),
                                  make_trace(argv[2], "second.weft", few, 2) };
    measure_compare(two, few);
    weft_trace_close(two[0]);
    weft_trace_close(two[1]);
    return 0;
}
