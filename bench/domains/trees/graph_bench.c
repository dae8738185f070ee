/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs at scale: a trace of N tasks on 8 rows, each created by a random earlier one near it,
 * with a dependence on another for every second; reading its graph, and its work and span.
 * The ratio of reading is to a plain scan of the same states and links.
 *
 *     graph_bench [N [FOLDER]]     10^7 tasks unless given
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "domains/trees/analyse/work_span.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

enum { ROWS = 8, ROUNDS = 3, NEAR = 4096 };

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint32_t roll(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % below;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const struct weft_err *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(4);
}

static void make(const char *path, uint32_t n)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "bench", &err);
    if (!b)
        fail(&err);
    uint32_t worker = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Worker" });
    uint32_t tasks = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .parent = worker, .name = "Task" });
    uint32_t link = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_LINK, .name = "Dependence" });
    uint32_t value = weft_builder_value(b, tasks, "f", NULL, 0);
    uint32_t number = weft_builder_field(b, tasks, "number", WEFT_FIELD_INTEGER);
    uint32_t parent = weft_builder_field(b, tasks, "parent", WEFT_FIELD_INTEGER);
    weft_builder_type_role(b, tasks, WEFT_ROLE_TASK);
    weft_builder_type_role(b, link, WEFT_ROLE_DATA_DEPENDENCE);
    weft_builder_field_role(b, number, WEFT_ROLE_NUMBER);
    weft_builder_field_role(b, parent, WEFT_ROLE_PARENT_NUMBER);
    uint32_t rows[ROWS], tracks[ROWS];
    for (uint32_t r = 0; r < ROWS; r++) {
        rows[r] = weft_builder_container(b, worker, 0, "w", NULL, 0);
        tracks[r] = weft_builder_track(b, rows[r], tasks);
    }
    static struct {
        uint64_t id;
        uint32_t row;
    } recent[NEAR]; /* tasks, by number */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = roll(ROWS), near = i < NEAR ? i : NEAR;
        uint32_t from = near ? i - 1 - roll(near) : 0;
        struct weft_field_value fields[] = {
            { number, { .integer = i } },
            { parent, { .integer = i - 1 - (near ? roll(near) : 0) } }
        };
        uint64_t id;
        (void)!weft_builder_set(b, tracks[row], 10 * (int64_t)i, value, fields, i ? 2 : 1,
                                &id);
        if (i % 2)
            weft_builder_link(b,
                              &(struct weft_link){ .type = link,
                                                   .container = 0,
                                                   .value = WEFT_NONE,
                                                   .key = WEFT_NONE,
                                                   .from = rows[recent[from % NEAR].row],
                                                   .to = rows[row],
                                                   .begin = 10 * (int64_t)from,
                                                   .end = 10 * (int64_t)i,
                                                   .from_entity = recent[from % NEAR].id,
                                                   .to_entity = id },
                              NULL, 0);
        recent[i % NEAR].id = id;
        recent[i % NEAR].row = row;
    }
    if (!weft_builder_finish(b, NULL, &err))
        fail(&err);
}

static bool add_state(void *user, const struct weft_state *state)
{
    *(int64_t *)user += state->end - state->begin;
    return true;
}

static bool add_link(void *user, const struct weft_link *link)
{
    *(int64_t *)user += link->end - link->begin;
    return true;
}

static double scan(const struct weft_source *source)
{
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    double start = now();
    int64_t sum = 0;
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (source->schema->types[source->schema->tracks[t].type].kind == WEFT_LINK)
            source->ops->links(source, t, all, add_link, &sum);
        else
            source->ops->states(source, t, all, add_state, &sum);
    return now() - start;
}

static void measure(const struct weft_source *source)
{
    struct weft_err err;
    double plain = 1e9, read = 1e9, span = 1e9, n = 0, bytes = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_work_span found;
        double scanned = scan(source), start = now();
        struct weft_graph *graph = weft_graph_read(source, NULL, &err);
        if (!graph)
            fail(&err);
        double between = now();
        if (!weft_work_span(graph, WEFT_WORK_IN_TICKS, NULL, &found, &err))
            fail(&err);
        double end = now();
        n = graph->tree->n;
        bytes = (double)weft_graph_bytes(graph);
        weft_work_span_free(&found);
        weft_graph_free(graph);
        plain = scanned < plain ? scanned : plain;
        read = between - start < read ? between - start : read;
        span = end - between < span ? end - between : span;
    }
    printf("graph.read %.2f million nodes/s (ratio to a plain scan: %.1f)\n",
           1e-6 * n / read, read / plain);
    printf("graph.memory %.1f bytes a node\n", bytes / n);
    printf("graph.work_span %.2f million nodes/s (ratio to reading: %.2f)\n",
           1e-6 * n / span, span / read);
}

int main(int argc, char **argv)
{
    const char *scale = getenv("BENCH_SCALE");
    uint64_t n = argc > 1                               ? strtoull(argv[1], NULL, 10)
                 : scale && strcmp(scale, "small") == 0 ? 100000
                                                        : 10000000;
    struct weft_err err;
    char *path = weft_asprintf("%s/weft-graph-bench-%ld.weft", argc > 2 ? argv[2] : "/tmp",
                               (long)getpid());
    make(path, (uint32_t)n);
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace)
        fail(&err);
    measure(weft_trace_source(trace));
    weft_trace_close(trace);
    unlink(path);
    free(path);
    return 0;
}
