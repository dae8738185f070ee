/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of the displays of nodes and lines, 1280 x 720, at random moments of a trace and of
 * random windows: the median and the 99th part of a hundred.
 *
 *     diagram_bench STORE [FRAMES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "store/trace.h"
#include "view/prepare.h"
#include "view/view.h"

static uint64_t seed = 0x853c49e6748fea9bu;
static double roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Pick a moment, or a window of any length. */
static void pick(struct weft_request *request, struct weft_span span, bool moment)
{
    double length = (double)(span.end - span.begin);
    request->has_at = moment;
    request->at = span.begin + (int64_t)(roll() * length);
    double part = roll() * roll() * length, from = roll() * (length - part);
    request->window.begin = span.begin + (int64_t)from;
    request->window.end = request->window.begin + (int64_t)part + 1;
    request->shown = request->window;
}

static void measure(const struct weft_view *view, struct weft_request *request,
                    struct weft_span span, const char *setting, bool moment, size_t frames)
{
    const char *settings[32] = { 0 };
    double *times = weft_alloc(frames * sizeof *times);
    struct weft_err err;
    WEFT_REQUIRE(!setting || weft_setting_parse(view, setting, settings, &err), "%s",
                 err.message);
    request->settings = settings;
    for (size_t i = 0; i <= frames; i++) { /* the first one prepares what all need */
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        pick(request, span, moment);
        double start = now();
        WEFT_REQUIRE(view->scene(request, &arena, &scene, &err), "%s", err.message);
        if (i)
            times[i - 1] = now() - start;
        weft_arena_free(&arena);
    }
    qsort(times, frames, sizeof *times, compare);
    printf("%s %s %s: median %.2f ms, p99 %.2f ms\n", view->name, setting ? setting : "",
           moment ? "moment" : "window", times[frames / 2], times[frames * 99 / 100]);
    free(times);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *view, *setting;
    } looks[] = { { "animation", NULL },
                  { "animation", "layout=mesh" },
                  { "hypercube", "layout=cubes" },
                  { "hypercube", "layout=mesh" },
                  { "network", "network=butterfly" },
                  { "network", "network=crossbar" },
                  { "network", "network=mesh" },
                  { "network", "network=quadtree" } };
    if (argc < 2)
        return 2;
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(argv[1], &err);
    WEFT_REQUIRE(trace, "%s", err.message);
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_set set = { &source, 1 };
    struct weft_shelf *shelf = weft_shelf_new();
    struct weft_request request = { .set = &set,
                                    .width = 1280,
                                    .height = 720,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .shelf = shelf };
    size_t frames = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        for (int moment = 1; moment >= 0; moment--)
            measure(weft_view_find(looks[i].view), &request, source->schema->span,
                    looks[i].setting, moment, frames ? frames : 1);
    weft_shelf_free(shelf);
    weft_trace_close(trace);
    return 0;
}
