/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What displays of messages and tasks ask a store.  Makes a trace of N messages between 512
 * ranks, and one of M tasks on 64 workers with two dependences each (a number that is indexed,
 * ends that are entities), and measures the questions against their limits, or against a
 * search of everything in the same run; and states on 16,384 tracks, what is open at a moment.
 *
 *     question_bench [N [M [FOLDER]]]       2 * 10^7 messages, 2 * 10^6 tasks unless given
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
#include "store/entities_by_time.h"
#include "store/trace/trace.h"

enum { RANKS = 512, WORKERS = 64, TRACKS = 16384, CHANGES = 600 };

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

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Seconds, sorted: the median, and the worst with its part of the limit in milliseconds. */
static void report(const char *name, double *times, size_t n, double limit)
{
    qsort(times, n, sizeof *times, compare);
    printf("%s, p50 %.3f ms\n", name, 1e3 * times[n / 2]);
    printf("%s, worst %.3f ms (ratio to the limit of %g ms: %.2f)\n", name,
           1e3 * times[n - 1], limit, 1e3 * times[n - 1] / limit);
    fflush(stdout);
}

static void fail(const struct weft_err *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(4);
}

static struct weft_builder *begin(const char *path)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "bench", &err);
    if (!b)
        fail(&err);
    return b;
}

static void finish(struct weft_builder *b)
{
    struct weft_err err;
    if (!weft_builder_finish(b, NULL, &err))
        fail(&err);
}

static struct weft_trace *open_trace(const char *path)
{
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace)
        fail(&err);
    return trace;
}

static uint32_t container(struct weft_builder *b, uint32_t type, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "%u", i);
    return weft_builder_container(b, type, 0, name, NULL, 0);
}

/* Messages of 1 to 65,536 bytes between ranks; one in a thousand arrives before it is sent. */
static void make_messages(const char *path, uint64_t n)
{
    struct weft_builder *b = begin(path);
    uint32_t rank =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Rank" });
    uint32_t message =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK, .name = "Message" });
    uint32_t size = weft_builder_field(b, message, "size", WEFT_FIELD_INTEGER);
    weft_builder_field_role(b, size, WEFT_ROLE_BYTES);
    uint32_t ranks[RANKS];
    for (uint32_t r = 0; r < RANKS; r++)
        ranks[r] = container(b, rank, r);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t dice = roll();
        int64_t time = (int64_t)(i * 100 + dice % 100);
        struct weft_field_value bytes = {
            size, { .integer = (int64_t)1 << (dice >> 8 & 15) | (int64_t)(dice >> 12 & 1) }
        };
        struct weft_link link = { .type = message,
                                  .value = WEFT_NONE,
                                  .key = WEFT_NONE,
                                  .from = ranks[dice >> 20 & (RANKS - 1)],
                                  .to = ranks[dice >> 32 & (RANKS - 1)],
                                  .begin = time,
                                  .end = time + (int64_t)(dice >> 44 & 8191)
                                         - (dice >> 54 == 0 ? 9000 : 0),
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        weft_builder_link(b, &link, &bytes, 1);
    }
    finish(b);
}

struct matrix {
    uint64_t counts[RANKS + 1][RANKS + 1];
    struct weft_span window;
};

static bool add_link(void *user, const struct weft_link *link)
{
    struct matrix *matrix = user;
    if (link->begin >= matrix->window.begin && link->begin < matrix->window.end)
        matrix->counts[link->from][link->to]++;
    return true;
}

static struct weft_span random_window(const struct weft_source *source)
{
    uint64_t length = (uint64_t)(source->schema->span.end - source->schema->span.begin);
    int64_t a = source->schema->span.begin + (int64_t)(roll() % length);
    int64_t b = source->schema->span.begin + (int64_t)(roll() % length);
    return (struct weft_span){ a < b ? a : b, a < b ? b : a };
}

/* The same by looking at every link: how long that takes, and that it says the same. */
static void walk_messages(const struct weft_source *source, struct weft_span window,
                          const struct weft_pair_sums *sums, double took)
{
    static struct matrix matrix;
    memset(matrix.counts, 0, sizeof matrix.counts);
    matrix.window = window;
    double start = now();
    source->ops->links(source, 0, window, add_link, &matrix);
    double walk = now() - start;
    for (size_t i = 0; i < sums->n; i++)
        if (sums->rows[i].count != matrix.counts[sums->rows[i].from][sums->rows[i].to]) {
            fprintf(stderr, "pair sums are wrong\n");
            exit(1);
        }
    printf(
        "sums of links by ends, by visiting the links %.1f ms (ratio: %.0f times the sums)\n",
        1e3 * walk, walk / took);
}

static void measure_messages(const char *path, uint64_t n)
{
    enum { ROUNDS = 100 };
    double times[ROUNDS];
    struct weft_trace *trace = open_trace(path);
    const struct weft_source *source = weft_trace_source(trace);
    double bytes = (double)weft_trace_file_size(trace) / (double)source->schema->n_links;
    printf("messages with sums by ends %.2f bytes each\n", bytes);
    struct weft_pair_sums sums = { 0 };
    const uint32_t track = 0;
    source->ops->pair_sums(source, &track, 1, source->schema->span, &sums);
    char name[80];
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_span window = random_window(source);
        double start = now();
        source->ops->pair_sums(source, &track, 1, window, &sums);
        times[i] = now() - start;
        if (i == ROUNDS - 1)
            walk_messages(source, window, &sums, times[i]);
    }
    snprintf(name, sizeof name, "sums of %.0e links by ends, any window", (double)n);
    report(name, times, ROUNDS, 50);
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();
        source->ops->pairs_pending(source, &track, 1, random_window(source).begin, &sums);
        times[i] = now() - start;
    }
    report("links pending at a moment by ends", times, ROUNDS, 5);
    free(sums.rows);
    weft_trace_close(trace);
}

/* Tasks of random length, each with two dependences on tasks that ended before. */
static void make_tasks(const char *path, uint64_t n)
{
    enum { RECENT = 1024 };
    struct weft_builder *b = begin(path);
    uint32_t worker = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Worker" });
    uint32_t task = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .parent = worker, .name = "Task" });
    uint32_t edge =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK, .name = "Edge" });
    uint32_t number = weft_builder_field(b, task, "number", WEFT_FIELD_INTEGER);
    weft_builder_index_field(b, number);
    uint32_t value = weft_builder_value(b, task, "task", NULL, 0);
    uint32_t tracks[WORKERS], workers[WORKERS];
    int64_t time[WORKERS] = { 0 };
    for (uint32_t w = 0; w < WORKERS; w++) {
        workers[w] = container(b, worker, w);
        tracks[w] = weft_builder_track(b, workers[w], task);
    }
    static struct {
        uint64_t id;
        uint32_t worker;
        int64_t end;
    } recent[RECENT];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t dice = roll();
        uint32_t w = 0;
        for (uint32_t k = 1; k < WORKERS; k++)
            w = time[k] < time[w] ? k : w;
        int64_t begins = time[w] + (int64_t)(dice & 63);
        size_t from[2] = { (size_t)(dice >> 20) & (RECENT - 1),
                           (size_t)(dice >> 32) & (RECENT - 1) };
        for (int d = 0; d < 2; d++)
            begins = recent[from[d]].end > begins ? recent[from[d]].end : begins;
        int64_t ends = begins + 500 + (int64_t)(dice >> 6 & 1023);
        struct weft_field_value field = { number, { .integer = (int64_t)i } };
        uint64_t id;
        (void)!weft_builder_push(b, tracks[w], begins, value, &field, 1, &id);
        (void)!weft_builder_pop(b, tracks[w], ends, NULL);
        time[w] = ends;
        for (int d = 0; d < 2 && i > 2 * RECENT; d++) {
            struct weft_link link = { .type = edge,
                                      .value = WEFT_NONE,
                                      .key = WEFT_NONE,
                                      .from = workers[recent[from[d]].worker],
                                      .to = workers[w],
                                      .begin = recent[from[d]].end,
                                      .end = begins,
                                      .from_entity = recent[from[d]].id,
                                      .to_entity = id };
            weft_builder_link(b, &link, NULL, 0);
        }
        size_t slot = (size_t)(i % RECENT);
        recent[slot].id = id;
        recent[slot].worker = w;
        recent[slot].end = ends;
    }
    finish(b);
}

static bool keep_id(void *user, uint64_t id)
{
    *(uint64_t *)user = id;
    return true;
}

static bool count_link(void *user, const struct weft_link *link)
{
    *(uint64_t *)user += link->id != WEFT_NO_ID;
    return true;
}

struct searched {
    int64_t value;
    size_t hits;
};

static bool search_run(void *user, const struct weft_field_run *run)
{
    struct searched *searched = user;
    for (size_t i = 0; i < run->n; i++)
        searched->hits += run->values[i] == searched->value;
    return true;
}

static void measure_finding(const struct weft_source *source, uint64_t n)
{
    enum { ROUNDS = 20000 };
    uint64_t id = WEFT_NO_ID, edges = 0;
    double start = now();
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_field_value value = { 0, { .integer = (int64_t)(roll() % n) } };
        source->ops->find(source, &value, keep_id, &id);
    }
    double find = (now() - start) / ROUNDS;
    struct searched searched = { (int64_t)(n / 3), 0 };
    start = now();
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        source->ops->column(source, t, 0, search_run, &searched);
    double walk = now() - start;
    printf("a task by its number %.2f us (ratio: %.0f times as long by looking at all)\n",
           1e6 * find, walk / find);
    uint32_t track = weft_entity_track(id);
    uint64_t count = source->schema->tracks[track].count;
    start = now();
    for (int i = 0; i < ROUNDS; i++)
        source->ops->links_of(source, weft_entity_id(track, roll() % count), i & 1,
                              count_link, &edges);
    double links = (now() - start) / ROUNDS;
    printf("links of a task %.2f us (%.1f links each)\n", 1e6 * links,
           (double)edges / ROUNDS);
}

static void measure_walk(const struct weft_source *source)
{
    uint32_t *tracks = weft_alloc(source->schema->n_tracks * sizeof *tracks);
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        tracks[t] = t;
    for (int backward = 0; backward < 2; backward++) {
        struct weft_walk walk;
        struct weft_entity entity;
        double start = now();
        size_t n = 0;
        weft_walk_begin(&walk, source, tracks, source->schema->n_tracks, ~0u,
                        source->schema->span.end / 2, backward);
        while (n < 3000000 && weft_walk_next(&walk, &entity))
            n++;
        weft_walk_end(&walk);
        printf("walk in order of time, %s %.1f ns a step\n",
               backward ? "backwards" : "forwards", 1e9 * (now() - start) / (double)n);
    }
    free(tracks);
}

static void measure_tasks(const char *path, uint64_t n)
{
    struct weft_trace *trace = open_trace(path);
    double bytes = (double)weft_trace_file_size(trace) / (double)n;
    printf(
        "tasks, indexed, with two dependences %.2f bytes each (ratio to the limit of 48: "
        "%.2f)\n",
        bytes, bytes / 48);
    measure_finding(weft_trace_source(trace), n);
    measure_walk(weft_trace_source(trace));
    weft_trace_close(trace);
}

static void make_states(const char *path)
{
    struct weft_builder *b = begin(path);
    uint32_t thread = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Thread" });
    uint32_t type = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .parent = thread, .name = "State" });
    uint32_t values[8];
    for (uint32_t v = 0; v < 8; v++)
        values[v] = weft_builder_value(b, type, (char[]){ (char)('a' + v), 0 }, NULL, 0);
    for (uint32_t t = 0; t < TRACKS; t++) {
        uint32_t track = weft_builder_track(b, container(b, thread, t), type);
        int64_t time = 0;
        unsigned depth = 0;
        for (int i = 0; i < CHANGES; i++) {
            uint64_t dice = roll();
            time += (int64_t)(dice & 16383);
            if (depth == 0 || (depth < 6 && dice >> 20 & 1)) {
                (void)!weft_builder_push(b, track, time, values[dice >> 30 & 7], NULL, 0,
                                         NULL);
                depth++;
            } else {
                (void)!weft_builder_pop(b, track, time, NULL);
                depth--;
            }
        }
    }
    finish(b);
}

static void measure_moments(const char *path)
{
    enum { ROUNDS = 200 };
    double times[ROUNDS];
    struct weft_trace *trace = open_trace(path);
    const struct weft_source *source = weft_trace_source(trace);
    uint32_t *tracks = weft_alloc(TRACKS * sizeof *tracks);
    struct weft_innermost *found = weft_alloc(TRACKS * sizeof *found);
    for (uint32_t t = 0; t < TRACKS; t++)
        tracks[t] = t;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t time = random_window(source).begin;
        double start = now();
        source->ops->values_at(source, tracks, TRACKS, time, found);
        times[i] = now() - start;
    }
    /* The 99th percentile, as others share the machine: the two worst are left out. */
    qsort(times, ROUNDS, sizeof *times, compare);
    report("values of 16,384 tracks at a moment", times, ROUNDS - 2, 5);
    double at = times[ROUNDS / 2];
    struct weft_near found_near = { 0, 0 };
    double start = now();
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_near_query query = {
            tracks, TRACKS, &(uint32_t){ 7 }, 1, random_window(source).begin, i & 1
        };
        found_near = source->ops->near(source, &query);
    }
    double near = (now() - start) / ROUNDS;
    printf(
        "nearest state with a value on 16,384 tracks %.3f ms (ratio to values at a moment: "
        "%.1f)%s\n",
        1e3 * near, near / at, found_near.id == WEFT_NO_ID ? ", none" : "");
    free(tracks);
    free(found);
    weft_trace_close(trace);
}

int main(int argc, char **argv)
{
    const char *scale = getenv("BENCH_SCALE");
    bool small = scale && strcmp(scale, "small") == 0;
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : small ? 1000000 : 20000000;
    uint64_t m = argc > 2 ? strtoull(argv[2], NULL, 10) : small ? 200000 : 2000000;
    char *path = weft_asprintf("%s/weft-question-bench.weft", argc > 3 ? argv[3] : "/tmp");
    double start = now();
    make_messages(path, n);
    printf("build and write messages %.1f ns each\n", 1e9 * (now() - start) / (double)n);
    measure_messages(path, n);
    start = now();
    make_tasks(path, m);
    printf("build and write tasks %.1f ns each\n", 1e9 * (now() - start) / (double)m);
    measure_tasks(path, m);
    make_states(path);
    measure_moments(path);
    unlink(path);
    free(path);
    return 0;
}
