/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VISTA trace from text to pixels' coordinates: reading it into a store, the tree and its
 * layout, a first scene, and scenes afterwards (other colours, zoom, panning), as the
 * workbench asks for them.
 *
 *     tree_bench TRACE [FOLDER]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "domains/trees/view/tree_prepared.h"
#include "read/reader.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void need(bool ok, const struct weft_err *err)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static double draw(const struct weft_view *view, struct weft_request *request,
                   const char *const *settings)
{
    const char *values[32] = { 0 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    for (; *settings; settings++)
        need(weft_setting_parse(view, *settings, values, &err), &err);
    request->settings = values;
    double start = now();
    need(weft_view_scene(view, request, &arena, &scene, &err), &err);
    double took = now() - start;
    request->settings = NULL;
    weft_arena_free(&arena);
    return took;
}

static long status_of(const char *key)
{
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key) + 1, NULL, 10);
    if (file)
        fclose(file);
    return value / 1024;
}

int main(int argc, char **argv)
{
    static const char *const redraws[][5] = {
        { "color=pe" },
        { "color=time" },
        { "color=procedure" },
        { "layout=icicle" },
        { "zoom=1.5", "x=0.45" },
        { "zoom=4", "x=0.1", "y=0.9" },
        { "zoom=40", "x=-8", "y=-3" },
        { "color=time" }, /* as it was in the middle of the run */
    };
    if (argc < 2)
        return 2;
    struct weft_err err = { 0 };
    char store[512];
    snprintf(store, sizeof store, "%s/tree-bench-%ld.weft", argc > 2 ? argv[2] : "/tmp",
             (long)getpid());
    double start = now();
    need(weft_import(argv[1], NULL, store, NULL, &err), &err);
    double read_end = now();
    struct weft_trace *trace = weft_trace_open(store, &err);
    need(trace, &err);
    unlink(store);
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_set set = { &source, 1 };
    const struct weft_view *view = weft_view_find("reduction-tree");
    struct weft_shelf *shelf = weft_shelf_new();
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 1280,
                                    .height = 720,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .shelf = shelf };
    double tree_start = now();
    const struct weft_held *tree =
        weft_prepare(shelf, &weft_tree_preparation, &set, NULL, 0, NULL, &err);
    need(tree != NULL, &err);
    double tree_end = now();
    double first = draw(view, &request, (const char *const[]){ NULL });
    printf("tree.%llu.read %.1f ms\n", (unsigned long long)source->schema->n_states,
           read_end - start);
    printf("tree.%llu.tree %.1f ms\n", (unsigned long long)source->schema->n_states,
           tree_end - tree_start);
    printf("tree.%llu.first_scene %.1f ms\n", (unsigned long long)source->schema->n_states,
           first);
    for (size_t i = 0; i < sizeof redraws / sizeof *redraws; i++) {
        double best = 1e9;
        bool halfway = i + 1 == sizeof redraws / sizeof *redraws;
        struct weft_span span = source->schema->span;
        request.has_at = halfway;
        request.at = span.begin + (span.end - span.begin) / 2;
        for (int again = 0; again < 5; again++) {
            double took = draw(view, &request, redraws[i]);
            best = took < best ? took : best;
        }
        printf("tree.%llu.redraw.%s %.1f ms\n",
               (unsigned long long)source->schema->n_states,
               halfway ? "at=50%" : redraws[i][0], best);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("tree.%llu.peak_rss %ld MiB (now %ld, anonymous %ld)\n",
           (unsigned long long)source->schema->n_states, usage.ru_maxrss / 1024,
           status_of("VmRSS:"), status_of("RssAnon:"));
    weft_release(tree);
    weft_shelf_free(shelf);
    weft_trace_close(trace);
    return 0;
}
