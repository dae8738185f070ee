/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first frame after a change of a chain of filters: the filtered source is made and the
 * timeline drawn, over the store that store_bench leaves (4,096 rows of nested states).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "filter/filtered_source.h"
#include "store/trace/trace.h"
#include "view/damage.h"
#include "view/views.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Draws the timeline of SOURCE; returns the milliseconds. */
static double draw(const struct weft_source *source)
{
    struct weft_set set = { &source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 1920,
                                    .height = 1080,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    struct weft_arena arena = { 0 };
    struct weft_scene scene = { 0 };
    struct weft_err err;
    double start = now();
    if (!weft_view_draw(&weft_view_space_time, &request, &arena, &scene, &err))
        fprintf(stderr, "%s\n", err.message);
    weft_arena_free(&arena);
    return now() - start;
}

static void measure(const struct weft_source *below, const char *name, const char *filters,
                    double limit)
{
    enum { ROUNDS = 3 };
    double best_make = 1e9, best_frame = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_err err;
        double start = now();
        struct weft_source *source = weft_filtered_new(below, filters, &err);
        if (!source) {
            fprintf(stderr, "%s: %s\n", name, err.message);
            return;
        }
        double make = now() - start, frame = draw(source);
        if (make + frame < best_make + best_frame) {
            best_make = make;
            best_frame = frame;
        }
        weft_filtered_free(source);
    }
    printf("filters, %s: chain %.1f ms\n", name, best_make);
    printf("filters, %s: chain and frame %.1f ms", name, best_make + best_frame);
    if (limit > 0)
        printf(" (ratio to the limit of %g: %.2f)", limit,
               (best_make + best_frame) / limit);
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *scale = getenv("BENCH_SCALE");
    const char *n = argc > 1                               ? argv[1]
                    : scale && strcmp(scale, "small") == 0 ? "1000000"
                                                           : "100000000";
    char path[512];
    struct weft_err err;
    snprintf(path, sizeof path, "%s/weft-bench-%s-8.weft", argc > 2 ? argv[2] : "/tmp", n);
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace) {
        fprintf(stderr, "filters_bench: %s (run store_bench first)\n", err.message);
        return 1;
    }
    const struct weft_source *below = weft_trace_source(trace);
    printf("filters, no chain: frame %.1f ms\n", (draw(below), draw(below)));
    measure(below, "none", "", 100);
    measure(below, "rows hidden", "hide row in \"node 3\" or row = \"thread 77\"", 100);
    measure(below, "256 groups of 16, sorted by name",
            "group thread 0-4095 by 16\nsort by name", 100);
    measure(below, "two nodes moved, values coloured",
            "move \"thread 5\", \"thread 6\" under \"node 9\"\ncolor \"value 1\" = #ff0000",
            100);
    measure(below, "sorted by share", "sort by share \"value 2\"", 0);
    measure(below, "64 nodes reduced to bars", "reduce depth 1", 100);
    measure(below, "256 groups reduced to shades",
            "group thread 0-4095 by 16\nreduce groups as shades of \"value 2\"", 100);
    measure(below, "a value dimmed", "dim \"value 2\"", 100);
    measure(below, "rows dimmed", "dim not row in \"node 3\"", 100);
    measure(below, "all of a type hidden", "hide state", 100);
    measure(below, "a value of a node hidden", "hide \"value 2\" and row in \"node 3\"", 0);
    measure(below, "a value hidden where states nest", "hide \"value 2\"", 0);
    weft_trace_close(trace);
    return 0;
}
