/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store with a task DAG: opening it when nothing of it is in memory, asking nodes at random and
 * in order, and the memory that this takes.
 *
 *     dag_bench FILE.weft
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "domains/tasks/dag/dag.h"
#include "store/trace/trace.h"

enum {
    ASKED =
        200000, /* nodes at random: some thousand blocks of the largest DAG stay untouched */
    DIVES = 2000, /* ways from the root to a leaf */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the processor: what others do on the machine does not count. */
static double busy(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long resident(void)
{
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            value = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return value / 1024;
}

/* What the kernel kept of the file is dropped. */
static void make_cold(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0)
        close(fd);
}

static uint64_t roll(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* From the root to a leaf, looking at all children on the way, as expanding does. */
static uint64_t dive(const struct weft_dag *dag, uint64_t *seed)
{
    uint32_t node = 0;
    uint64_t seen = 0;
    for (;;) {
        struct weft_dag_node shape, child;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n && shape.created == WEFT_NONE)
            return seen;
        if (!shape.n) {
            node = shape.created;
            continue;
        }
        uint32_t shown = shape.n < 64 ? shape.n : 64;
        uint32_t from = shape.first + (uint32_t)(roll(seed) % (shape.n - shown + 1));
        for (uint32_t i = 0; i < shown; i++, seen++)
            weft_dag_node(dag, from + i, &child);
        node = from + (uint32_t)(roll(seed) % shown);
    }
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    if (argc != 2)
        return 2;
    make_cold(argv[1]);
    double start = now();
    struct weft_trace *trace = weft_trace_open(argv[1], &err);
    struct weft_dag *dag = trace ? weft_dag_open(weft_trace_source(trace), &err) : NULL;
    struct weft_dag_node node;
    if (!dag) {
        fprintf(stderr, "dag_bench: %s\n", err.message);
        return 1;
    }
    weft_dag_node(dag, 0, &node);
    uint32_t n = weft_dag_size(dag);
    printf("dag.nodes %u nodes\n", n);
    printf("dag.bytes_per_node %.1f B\n", (double)weft_trace_file_size(trace) / n);
    printf("dag.open_cold %.1f ms\n", 1e3 * (now() - start));
    printf("dag.open_cold.rss %ld MiB\n", resident());
    uint64_t seed = 88172645463325252u, seen = 0, sum = 0;
    start = busy();
    for (int i = 0; i < DIVES; i++)
        seen += dive(dag, &seed);
    printf("dag.dive %.3f us a node (%" PRIu64 " nodes, cold at first)\n",
           1e6 * (busy() - start) / (double)seen, seen);
    printf("dag.dive.rss %ld MiB\n", resident());
    start = busy();
    for (int i = 0; i < ASKED; i++) {
        weft_dag_node(dag, (uint32_t)(roll(&seed) % n), &node);
        sum += (uint64_t)node.work;
    }
    printf("dag.random_node %.3f us\n", 1e6 * (busy() - start) / ASKED);
    start = busy();
    for (uint32_t i = 0; i < n; i++) {
        weft_dag_shape(dag, i, &node);
        sum += node.n;
    }
    printf("dag.all_shapes %.1f ns a node\n", 1e9 * (busy() - start) / n);
    start = busy();
    for (uint32_t i = 0; i < n; i++) {
        weft_dag_node(dag, i, &node);
        sum += (uint64_t)node.work;
    }
    printf("dag.all_nodes %.1f ns a node\n", 1e9 * (busy() - start) / n);
    printf("dag.all.rss_meanwhile %ld MiB\n", resident());
    weft_mappings_rest(WEFT_MAPPED_MAX); /* as behind each thing that a server prepares */
    printf("dag.all.rss %ld MiB\n", resident());
    weft_dag_close(dag);
    weft_trace_close(trace);
    return sum == 0;
}
