/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store at scale.  Makes a trace of N states on 4,096 tracks (depth at most 6, durations
 * exponential with mean 10 us, 20 % gaps, a call site per state, VALUES values), then measures
 * what the store is made for: bytes a state, opening, exact sums, shares and frames.
 *
 *     store_bench [N [VALUES [FOLDER]]]     10^8 states with 8 values unless given
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

enum { TRACKS = 4096, SITES = 200, DEPTH = 6, THREADS_PER_NODE = 64 };

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint64_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t exponential(double mean)
{
    double u = (double)(roll() >> 11) * 0x1p-53;
    return (int64_t)(-mean * log(1 - u));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Milliseconds: the median and the 99th percentile, and the latter's part of the limit. */
static void report(const char *name, double *times, size_t n, double limit)
{
    qsort(times, n, sizeof *times, compare);
    printf("%s, p50 %.3f ms\n", name, 1e3 * times[n / 2]);
    double p99 = 1e3 * times[n * 99 / 100];
    if (limit > 0)
        printf("%s, p99 %.3f ms (ratio to the limit of %g ms: %.2f)\n", name, p99, limit,
               p99 / limit);
    else
        printf("%s, p99 %.3f ms\n", name, p99);
    fflush(stdout);
}

static void make(const char *path, uint64_t n_states, uint32_t n_values)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "bench", &err);
    if (!b) {
        fprintf(stderr, "%s\n", err.message);
        exit(4);
    }
    uint32_t node =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Node" });
    uint32_t thread = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .parent = node, .name = "Thread" });
    uint32_t type = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .parent = thread, .name = "State" });
    uint32_t site = weft_builder_field(b, type, "site", WEFT_FIELD_SITE);
    uint32_t *values = weft_alloc(n_values * sizeof *values);
    char name[32];
    for (uint32_t v = 0; v < n_values; v++) {
        snprintf(name, sizeof name, "value %u", v);
        values[v] = weft_builder_value(b, type, name, NULL, 0);
    }
    for (uint32_t s = 0; s < SITES; s++)
        weft_builder_site(
            b, &(struct weft_site){ .address = s, .file = "bench.c", .line = s });
    static uint32_t tracks[TRACKS], depth[TRACKS];
    static int64_t time[TRACKS];
    uint32_t parent = 0;
    for (uint32_t t = 0; t < TRACKS; t++) {
        snprintf(name, sizeof name, "node %u", t / THREADS_PER_NODE);
        if (t % THREADS_PER_NODE == 0)
            parent = weft_builder_container(b, node, 0, name, NULL, 0);
        snprintf(name, sizeof name, "thread %u", t);
        tracks[t] = weft_builder_track(
            b, weft_builder_container(b, thread, parent, name, NULL, 0), type);
    }
    for (uint64_t made = 0; made < n_states;) {
        for (uint32_t t = 0; t < TRACKS && made < n_states; t++) {
            uint64_t r = roll();
            if (depth[t] == 0 || (depth[t] < DEPTH && (r & 1))) {
                if (depth[t] == 0 && r % 5 == 0)
                    time[t] += exponential(12500);
                struct weft_field_value field = { site,
                                                  { .index = (uint32_t)(r >> 8) % SITES } };
                (void)!weft_builder_push(b, tracks[t], time[t],
                                         values[(r >> 32) % n_values], &field, 1, NULL);
                depth[t]++;
                made++;
            } else {
                (void)!weft_builder_pop(b, tracks[t], time[t], NULL);
                depth[t]--;
            }
            time[t] += exponential(10000);
        }
    }
    free(values);
    if (!weft_builder_finish(b, NULL, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(4);
    }
}

/* The limit is of blocks that were touched before; the first time each is checked, too. */
static void measure_sums(const struct weft_source *source, size_t n_tracks, double limit)
{
    enum { ROUNDS = 300 };
    double times[ROUNDS];
    uint32_t *tracks = weft_alloc(n_tracks * sizeof *tracks);
    struct weft_sum *sums = weft_zalloc(source->schema->n_values, sizeof *sums);
    uint64_t length = (uint64_t)(source->schema->span.end - source->schema->span.begin);
    uint64_t intervals = seed;
    for (int again = 0; again < 2; again++) {
        seed = intervals;
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t first = (uint32_t)(roll() % (TRACKS - n_tracks + 1));
            for (uint32_t t = 0; t < n_tracks; t++)
                tracks[t] = first + t;
            int64_t a = source->schema->span.begin + (int64_t)(roll() % length);
            int64_t b = source->schema->span.begin + (int64_t)(roll() % length);
            double start = now();
            source->ops->sums(source, tracks, n_tracks,
                              (struct weft_span){ a < b ? a : b, a < b ? b : a }, sums);
            times[i] = now() - start;
        }
        char name[80];
        snprintf(name, sizeof name, "exact sums, random interval, %zu tracks%s", n_tracks,
                 again ? "" : ", seen first");
        report(name, times, ROUNDS, again ? limit : 0);
    }
    free(tracks);
    free(sums);
}

static void measure_shares(const struct weft_source *source, size_t rows, size_t group,
                           double zoom)
{
    enum { ROUNDS = 20, COLUMNS = 1920 };
    double times[ROUNDS];
    float *shares = weft_alloc(COLUMNS * WEFT_MAX_SLOTS * sizeof *shares);
    double length = (double)(source->schema->span.end - source->schema->span.begin);
    for (int i = 0; i < ROUNDS; i++) {
        double size = length / zoom;
        double from = (length - size) * ((double)(roll() >> 11) * 0x1p-53);
        struct weft_span window = { source->schema->span.begin + (int64_t)from,
                                    source->schema->span.begin + (int64_t)(from + size) };
        uint32_t first = (uint32_t)(roll() % (TRACKS - rows * group + 1)) & ~63u;
        double start = now();
        for (size_t r = 0; r < rows; r++) {
            uint32_t tracks[64];
            for (uint32_t g = 0; g < group; g++)
                tracks[g] = first + (uint32_t)(r * group) + g;
            struct weft_share_query query = { tracks, group, window, COLUMNS, shares };
            source->ops->shares(source, &query);
        }
        times[i] = now() - start;
    }
    char name[64];
    snprintf(name, sizeof name, "shares, %zu rows of %zu, zoom %g (1 thread)", rows, group,
             zoom);
    report(name, times, ROUNDS, 0);
    free(shares);
}

static char *store_path(uint64_t n, uint32_t n_values, const char *folder)
{
    return weft_asprintf("%s/weft-bench-%llu-%u.weft", folder, (unsigned long long)n,
                         n_values);
}

int main(int argc, char **argv)
{
    const char *scale = getenv("BENCH_SCALE");
    bool small = scale && strcmp(scale, "small") == 0;
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : small ? 1000000 : 100000000;
    uint32_t n_values = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 8;
    char *path = store_path(n, n_values, argc > 3 ? argv[3] : "/tmp");
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace) { /* none yet, or one of an older format */
        double start = now();
        make(path, n, n_values);
        printf("build and write %.1f ns/state\n", (now() - start) * 1e9 / (double)n);
    } else {
        weft_trace_close(trace);
    }
    double start = now();
    trace = weft_trace_open(path, &err);
    if (!trace) {
        fprintf(stderr, "%s\n", err.message);
        return 3;
    }
    printf("open %.2f ms\n", (now() - start) * 1e3);
    const struct weft_source *source = weft_trace_source(trace);
    double bytes = (double)weft_trace_file_size(trace) / (double)source->schema->n_states;
    printf("size %.2f bytes/state (ratio to the limit of 12: %.2f)\n", bytes, bytes / 12);
    measure_sums(source, 1, 0.1);
    measure_sums(source, 512, 1);
    measure_sums(source, 4096, 3);
    static const double zooms[] = { 1, 4, 10, 100, 1000, 10000 };
    for (size_t z = 0; z < 6; z++)
        measure_shares(source, 64, 1, zooms[z]);
    for (size_t z = 0; z < 6; z++)
        measure_shares(source, 1024, 4, zooms[z]);
    weft_trace_close(trace);
    free(path);
    return 0;
}
