/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of an array, ready to send: 900 x 800 pixels of a profile of references, as the
 * workbench asks for them.
 *
 *     array_frames PROFILE.weft DIRECTIVES
 *
 * The directives are the text of a file of them.
 * The first frame makes what the others use; then frames that step through the run, and frames at
 * one step that zoom in and move.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "domains/arrays/model/reference_profile.h"
#include "draw/draw.h"
#include "store/trace/trace.h"
#include "view/prepare.h"
#include "view/view.h"

enum { MAX_SETTINGS = 32, FRAMES = 100 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double frame(const struct weft_view *view, struct weft_request *request,
                    const char *distribution, const char *step, const char *zoom,
                    const char *x)
{
    const char *settings[MAX_SETTINGS] = { 0 };
    const char *const texts[] = { distribution, step, zoom, x, zoom ? "y=-1" : NULL };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && !weft_setting_parse(view, texts[i], settings, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(2);
        }
    request->settings = settings;
    double begin = now();
    if (!weft_view_scene(view, request, &arena, &scene, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(2);
    }
    size_t size;
    free(weft_scene_pack(&scene, &size));
    double took = now() - begin;
    weft_arena_free(&arena);
    return took;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(const char *view, const char *what, double *took, size_t n)
{
    qsort(took, n, sizeof *took, compare);
    printf("%-22s %-10s median %7.2f ms   longest %7.2f ms\n", view, what, took[n / 2],
           took[n - 1]);
}

static void measure(const char *name, struct weft_request *request,
                    const char *distribution, uint32_t steps)
{
    const struct weft_view *view = weft_view_find(name);
    double took[FRAMES];
    char step[32], zoom[32], x[32];
    printf("%-22s first  %22.0f ms\n", name,
           frame(view, request, distribution, NULL, NULL, NULL));
    for (uint32_t i = 0; i < FRAMES; i++) {
        snprintf(step, sizeof step, "step=%u", i % steps);
        took[i] = frame(view, request, distribution, step, NULL, NULL);
    }
    report(name, "stepping", took, FRAMES);
    if (strcmp(name, "processor-grid") == 0)
        return;
    /* Cells of other sizes are counted when they are asked for first. */
    printf("%-22s zoomed %22.0f ms\n", name,
           frame(view, request, distribution, NULL, "zoom=1", "x=0")
               + frame(view, request, distribution, NULL, "zoom=0.5", "x=0"));
    for (uint32_t i = 0; i < FRAMES; i++) {
        snprintf(zoom, sizeof zoom, "zoom=%g", 0.1 * (1 + i * 7 % 60));
        snprintf(x, sizeof x, "x=-%g", 0.01 * i);
        took[i] = frame(view, request, distribution, NULL, zoom, x);
    }
    report(name, "panning", took, FRAMES);
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = argc == 3 ? weft_trace_open(argv[1], &err) : NULL;
    if (!trace) {
        fprintf(stderr, "use: array_frames PROFILE.weft DIRECTIVES\n");
        return 2;
    }
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_set set = { &source, 1 };
    struct weft_profile *profile = weft_profile_open(source, NULL, &err);
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 900,
                                    .height = 800,
                                    .bare = true,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .shelf = weft_shelf_new() };
    char *distribution = weft_asprintf("distribution=%s", argv[2]);
    static const char *const views[] = { "array-grid", "processor-grid",
                                         "array-and-processors", "distribution-map" };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        measure(views[i], &request, distribution, weft_profile_steps(profile));
    free(distribution);
    weft_shelf_free(request.shelf);
    weft_profile_close(profile);
    weft_trace_close(trace);
    return 0;
}
