/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallelism and comparison of task DAGs that dag_generate made:
 *
 *     dag_profile_bench A.weft           what is prepared of it, and windows of its parallelism
 *     dag_profile_bench A.weft B.weft    the two against each other
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domains/tasks/analyse/dag_compare.h"
#include "domains/tasks/analyse/dag_parallelism_over_time.h"
#include "domains/tasks/analyse/dag_time_breakdown.h"
#include "store/trace/trace.h"

enum { COLUMNS = 1920, WINDOWS = 50 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Of all threads: what others do on the machine does not count. */
static double busy_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const struct weft_err *err)
{
    fprintf(stderr, "dag_profile_bench: %s\n", err->message);
    exit(1);
}

/* The most memory so far. */
static void print_peak(const char *what)
{
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            printf("%s.rss_peak %ld MiB\n", what, strtol(line + 6, NULL, 10) / 1024);
    if (file)
        fclose(file);
}

static uint64_t state = 1;

static uint64_t next_random(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

static struct weft_trace *open_trace(const char *path)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace)
        die(&err);
    return trace;
}

static void measure_profile(const struct weft_trace *trace)
{
    struct weft_err err = { 0 };
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_dag *dag = weft_dag_open(source, &err);
    static double means[WEFT_DAG_CURVES * COLUMNS];
    double worst = 0, from = now_ms(), busy = busy_ms();
    if (!dag)
        die(&err);
    uint32_t nodes = weft_dag_size(dag);
    struct weft_dag_profile *profile =
        weft_dag_profile_new(dag, source, WEFT_DAG_ALL_DEPTHS, NULL, &err);
    if (!profile)
        die(&err);
    printf("dag.profile.%u %.0f ms (%.0f ms of the processor)\n", nodes, now_ms() - from,
           busy_ms() - busy);
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
    print_peak("dag.profile");
    from = now_ms(), busy = busy_ms();
    profile = weft_dag_profile_new(dag, source, 10, NULL, &err);
    printf("dag.profile.depth10.%u %.0f ms (%.0f ms of the processor)\n", nodes,
           now_ms() - from, busy_ms() - busy);
    printf("dag.profile.depth10.%u.kept %zu MiB\n", nodes,
           weft_dag_profile_bytes(profile) >> 20);
    weft_dag_profile_free(profile);
    print_peak("dag.profile.depth10");
    struct weft_dag_time time;
    from = now_ms(), busy = busy_ms();
    if (!weft_dag_time_read(dag, source, NULL, &time, &err))
        die(&err);
    printf("dag.time.%u %.0f ms (%.0f ms of the processor)\n", nodes, now_ms() - from,
           busy_ms() - busy);
    print_peak("dag.time");
    weft_dag_close(dag);
}

static void measure_compare(struct weft_trace *const traces[2])
{
    struct weft_err err = { 0 };
    struct weft_dag *dags[2];
    struct weft_dag_bill *bills[2];
    struct weft_dag_pairs pairs;
    double from = now_ms(), busy = busy_ms();
    for (int i = 0; i < 2; i++) {
        const struct weft_source *source = weft_trace_source(traces[i]);
        dags[i] = weft_dag_open(source, &err);
        bills[i] = dags[i] ? weft_dag_bill_new(dags[i], source, NULL, &err) : NULL;
        if (!bills[i])
            die(&err);
    }
    if (!weft_dag_compare((const struct weft_dag *const[]){ dags[0], dags[1] },
                          (const struct weft_dag_bill *const[]){ bills[0], bills[1] }, NULL,
                          &pairs, &err))
        die(&err);
    printf("dag.compare.%u %.0f ms (%.0f ms of the processor)\n", weft_dag_size(dags[0]),
           now_ms() - from, busy_ms() - busy);
    weft_dag_pairs_free(&pairs);
    for (int i = 0; i < 2; i++) {
        weft_dag_bill_free(bills[i]);
        weft_dag_close(dags[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: dag_profile_bench A.weft [B.weft]\n");
        return 2;
    }
    struct weft_trace *traces[2] = { open_trace(argv[1]),
                                     argc > 2 ? open_trace(argv[2]) : NULL };
    if (traces[1])
        measure_compare(traces);
    else
        measure_profile(traces[0]);
    weft_trace_close(traces[0]);
    if (traces[1])
        weft_trace_close(traces[1]);
    return 0;
}
