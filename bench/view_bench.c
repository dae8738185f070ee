/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame of space-time, 1920 x 1080, ready to send: the scene, from opening to the last
 * mark.  On the store that store_bench makes (4,096 tracks), 100 random windows at each of
 * five scales, with 64 rows and with all of them on screen.
 *
 *     view_bench [N [VALUES [FOLDER]]]
 *
 * Then frames of a recording with thousands of locks, of which a frame shows a few.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"
#include "view/prepare.h"
#include "view/view.h"

enum { WINDOWS = 100, NODES = 64, THREADS = 8, LOCKS = 2700, TURNS = 400 };

static uint64_t seed = 0x853c49e6748fea9bu;
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
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Of all threads: what others do on the machine does not count. */
static double processor_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double draw(const struct weft_request *request, struct weft_arena *arena)
{
    const struct weft_view *view = weft_view_find("space-time");
    struct weft_scene scene;
    struct weft_err err;
    double start = now();
    weft_arena_reset(arena);
    if (!weft_view_scene(view, request, arena, &scene, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return now() - start;
}

/* 100 windows at a scale; UNDER 0: everything, else one of the 64 nodes with 64 rows. */
static void measure(struct weft_request *request, double zoom, bool all, double *pool,
                    size_t *n_pool)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    double length = (double)(schema->span.end - schema->span.begin), times[WINDOWS];
    struct weft_arena arena = { 0 };
    for (int i = 0; i < WINDOWS; i++) {
        double size = length / zoom;
        double from = (length - size) * ((double)(roll() >> 11) * 0x1p-53);
        request->window.begin = schema->span.begin + (int64_t)from;
        request->window.end = request->window.begin + (int64_t)size;
        request->under = 0;
        uint32_t node = (uint32_t)(roll() % NODES);
        for (uint32_t c = schema->containers[0].first_child; !all && c != WEFT_NONE;
             c = schema->containers[c].next_sibling)
            if (node-- == 0)
                request->under = c;
        times[i] = draw(request, &arena);
        pool[(*n_pool)++] = times[i];
    }
    weft_arena_free(&arena);
    qsort(times, WINDOWS, sizeof *times, compare);
    printf("frame, %s rows, zoom %g, p50 %.2f ms\n", all ? "4096" : "64", zoom,
           times[WINDOWS / 2]);
    printf("frame, %s rows, zoom %g, p99 %.2f ms\n", all ? "4096" : "64", zoom,
           times[WINDOWS - 1]);
    fflush(stdout);
}

static void measure_all(struct weft_request *request, bool all)
{
    static const double zooms[] = { 1, 10, 100, 1000, 10000 };
    double pool[5 * WINDOWS];
    size_t n = 0;
    for (size_t z = 0; z < 5; z++)
        measure(request, zooms[z], all, pool, &n);
    qsort(pool, n, sizeof *pool, compare);
    double p50 = pool[n / 2], p99 = pool[n * 99 / 100];
    if (all)
        printf(
            "frame, 4096 rows, all scales, p50 %.2f ms (ratio to the limit of 16: %.2f)\n",
            p50, p50 / 16);
    else
        printf("frame, 64 rows, all scales, p50 %.2f ms\n", p50);
    double limit = all ? 33 : 8;
    printf("frame, %s rows, all scales, p99 %.2f ms (ratio to the limit of %g: %.2f)\n",
           all ? "4096" : "64", p99, limit, p99 / limit);
}

/* All pages of the file that are mapped are present from here on: their faults count for nobody. */
static void populate(const char *path)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t from, to;
        if (strstr(line, path) && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2
            && madvise((void *)from, to - from, MADV_POPULATE_READ) != 0)
            fprintf(stderr, "view_bench: pages of %s are not populated\n", path);
    }
    if (maps)
        fclose(maps);
}

/*
 * The same 100 windows, all rows, in a trace that was just opened, and once more: STEP 0, each
 * anywhere, else this part of its length behind the one before.  TIMES: processor time of each
 * frame the first time and once more, in ms, where it is below what stands there.
 */
static void draw_twice(const char *path, struct weft_request request, double step,
                       double times[2][WINDOWS])
{
    static const double zooms[] = { 1, 10, 100, 1000, 10000 };
    enum { EACH = WINDOWS / (sizeof zooms / sizeof *zooms) };
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace) {
        fprintf(stderr, "view_bench: %s\n", err.message);
        exit(1);
    }
    populate(path);
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    double length = (double)(source->schema->span.end - source->schema->span.begin);
    struct weft_arena arena = { 0 };
    uint64_t first = seed;
    request.set = &set;
    for (int again = 0; again < 2; again++) {
        double from = 0;
        seed = first;
        for (size_t i = 0; i < WINDOWS; i++) {
            double size = length / zooms[i / EACH];
            double room = length - size - step * size * EACH;
            if (step == 0 || i % EACH == 0)
                from = (room > 0 ? room : 0) * ((double)(roll() >> 11) * 0x1p-53);
            else
                from += step * size;
            request.window.begin = source->schema->span.begin + (int64_t)from;
            request.window.end = request.window.begin + (int64_t)size;
            double start = processor_now();
            (void)draw(&request, &arena);
            double took = processor_now() - start;
            times[again][i] = took < times[again][i] ? took : times[again][i];
        }
    }
    seed = first;
    weft_arena_free(&arena);
    weft_trace_close(trace);
}

/* What is checked when it is touched first, as part of drawing; of each frame the best time. */
static void measure_checks(const char *path, struct weft_request request)
{
    enum { TIMES = 5 };
    static const double steps[] = { 0.1, 0 };
    for (int k = 0; k < 2; k++) {
        double times[2][WINDOWS], sums[2] = { 0 };
        for (int i = 0; i < WINDOWS; i++)
            times[0][i] = times[1][i] = 1e300;
        for (int i = 0; i < TIMES; i++)
            draw_twice(path, request, steps[k], times);
        for (int i = 0; i < 2 * WINDOWS; i++)
            sums[i / WINDOWS] += times[i / WINDOWS][i % WINDOWS];
        double part = 100 * (sums[0] - sums[1]) / sums[1];
        if (k == 0)
            printf("frame, a tenth further: checks %.1f %% of it (limit 3)\n", part);
        else
            printf("frame, anywhere, nothing of it seen before: checks %.1f %%\n", part);
    }
}

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .role = role,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

static uint32_t value(struct weft_builder *b, uint32_t type, const char *name,
                      enum weft_role role)
{
    uint32_t made = weft_builder_value(b, type, name, NULL, 0);
    weft_builder_value_role(b, made, role);
    return made;
}

/* N containers whose states take turns. */
static void add_containers(struct weft_builder *b, uint32_t type, uint32_t state,
                           uint32_t n, const uint32_t turns[2])
{
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%u", i);
        uint32_t container = weft_builder_container(b, type, 0, name, NULL, 0);
        uint32_t track = weft_builder_track(b, container, state);
        int64_t time = (int64_t)(roll() % 5000);
        for (int turn = 0; turn < TURNS; turn++, time += 1 + (int64_t)(roll() % 5000))
            (void)!weft_builder_set(b, track, time, turns[turn & 1], NULL, 0, NULL);
    }
}

static void make_locks(const char *path)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "bench", &err);
    if (b) {
        uint32_t thread = define(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
        uint32_t lock = define(b, WEFT_CONTAINER, 0, "Mutex", WEFT_ROLE_MUTEX);
        uint32_t activity = define(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
        uint32_t held =
            define(b, WEFT_STATE, lock, "Lock", WEFT_ROLE_SYNCHRONIZATION_STATE);
        add_containers(b, thread, activity, THREADS,
                       (uint32_t[]){ value(b, activity, "running", WEFT_ROLE_RUNNING),
                                     value(b, activity, "blocked", WEFT_ROLE_BLOCKED) });
        add_containers(b, lock, held, LOCKS,
                       (uint32_t[]){ value(b, held, "free", WEFT_ROLE_FREE),
                                     value(b, held, "contended", WEFT_ROLE_CONTENDED) });
    }
    if (!b || !weft_builder_finish(b, NULL, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
}

/* Frames as the server draws them, with a shelf, after the first. */
static void measure_locks(const char *folder)
{
    char *path = weft_asprintf("%s/weft-view-bench-locks.weft", folder);
    make_locks(path);
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace) {
        fprintf(stderr, "view_bench: %s\n", err.message);
        exit(1);
    }
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 1920,
                                    .height = 1080,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .shelf = weft_shelf_new() };
    struct weft_arena arena = { 0 };
    double times[WINDOWS], first = draw(&request, &arena);
    for (int i = 0; i < WINDOWS; i++)
        times[i] = draw(&request, &arena);
    qsort(times, WINDOWS, sizeof *times, compare);
    printf("frame, 8 threads and 2700 locks, first %.2f ms\n", first);
    printf("frame, 8 threads and 2700 locks, p50 %.2f ms\n", times[WINDOWS / 2]);
    weft_arena_free(&arena);
    weft_shelf_free(request.shelf);
    weft_trace_close(trace);
    unlink(path);
    free(path);
}

int main(int argc, char **argv)
{
    const char *scale = getenv("BENCH_SCALE");
    const char *n = argc > 1                               ? argv[1]
                    : scale && strcmp(scale, "small") == 0 ? "1000000"
                                                           : "100000000";
    char *path = weft_asprintf("%s/weft-bench-%s-%s.weft", argc > 3 ? argv[3] : "/tmp", n,
                               argc > 2 ? argv[2] : "8");
    struct weft_err err;
    double start = now();
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace) {
        fprintf(stderr, "view_bench: %s (run store_bench first)\n", err.message);
        return 1;
    }
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 1920,
                                    .height = 1080,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    struct weft_arena arena = { 0 };
    draw(&request, &arena);
    double first = now() - start;
    printf("open to first frame %.1f ms (ratio to the limit of 100: %.2f)\n", first,
           first / 100);
    weft_arena_free(&arena);
    measure_all(&request, false);
    measure_all(&request, true);
    request.under = 0;
    measure_checks(path, request);
    weft_trace_close(trace);
    free(path);
    measure_locks(argc > 3 ? argv[3] : "/tmp");
    return 0;
}
