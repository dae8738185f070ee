/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of every display of utilization and communication that a trace fills, 1920 x 1080, as
 * the server draws them, with a shelf.  For each display:
 *
 *     first       the first frame of all, with all that is prepared for it
 *     p50, p99    100 frames of random windows at four scales, at random moments where the
 *                 display has a moment, half of them without
 *     p99_cpu     the same of the processor time of all threads: what others do on the machine
 *                 does not count, but nor does it help that threads work side by side
 *     choice      the slowest frame with any choice of any of its parameters, after the first
 *                 frame with that choice
 *
 * In the end the memory that is not a mapped file.
 *
 *     messages_bench NAME LIMIT-IN-MS TRACE.weft [VIEW...]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "store/trace/trace.h"
#include "view/prepare.h"
#include "view/view.h"

enum { FRAMES = 100, FRAMES_OF_CHOICE = 3 };

static uint64_t seed = 0x853c49e6748fea9bu;
static uint64_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct cost { /* of a frame, in milliseconds */
    double time, processors;
};

/* Nothing when the display has no picture with these settings. */
static struct cost draw(const struct weft_view *view, const struct weft_request *request,
                        struct weft_arena *arena)
{
    struct weft_scene scene;
    struct weft_err err;
    double start = milliseconds(CLOCK_MONOTONIC);
    double start_processors = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    weft_arena_reset(arena);
    if (weft_view_scene(view, request, arena, &scene, &err))
        return (struct cost){ milliseconds(CLOCK_MONOTONIC) - start,
                              milliseconds(CLOCK_PROCESS_CPUTIME_ID) - start_processors };
    if (err.code == WEFT_ERR_USAGE)
        return (struct cost){ 0 };
    fprintf(stderr, "messages_bench: %s: %s\n", view->name, err.message);
    exit(1);
}

/* Somewhere in the run, all of it or a tenth, a hundredth, a thousandth. */
static void choose_time(const struct weft_view *view, struct weft_request *request)
{
    static const double zooms[] = { 1, 10, 100, 1000 };
    struct weft_span span = request->set->sources[0]->schema->span;
    double length = (double)(span.end - span.begin), size = length / zooms[roll() % 4];
    double from = (length - size) * ((double)(roll() >> 11) * 0x1p-53);
    request->window.begin = span.begin + (int64_t)from;
    request->window.end = request->window.begin + (int64_t)size + 1;
    request->has_at = view->moment != WEFT_MOMENT_NONE && (roll() & 1);
    request->at = span.begin + (int64_t)(length * ((double)(roll() >> 11) * 0x1p-53));
}

static void measure(const char *name, double limit, const struct weft_view *view,
                    struct weft_request *request, struct weft_arena *arena)
{
    double times[FRAMES], processors[FRAMES];
    double first = draw(view, request, arena).time;
    for (int i = 0; i < FRAMES; i++) {
        choose_time(view, request);
        struct cost cost = draw(view, request, arena);
        times[i] = cost.time;
        processors[i] = cost.processors;
    }
    qsort(times, FRAMES, sizeof *times, compare);
    qsort(processors, FRAMES, sizeof *processors, compare);
    double p99 = times[FRAMES * 99 / 100], p99_cpu = processors[FRAMES * 99 / 100];
    printf("messages.%s.%s.first %.1f ms\n", name, view->name, first);
    printf("messages.%s.%s.p50 %.2f ms\n", name, view->name, times[FRAMES / 2]);
    printf("messages.%s.%s.p99 %.2f ms (ratio to the limit of %g: %.2f)\n", name,
           view->name, p99, limit, p99 / limit);
    printf("messages.%s.%s.p99_cpu %.2f ms (ratio to the limit of %g: %.2f)\n", name,
           view->name, p99_cpu, limit, p99_cpu / limit);
    fflush(stdout);
}

/* Frames with each choice of each parameter, the others as they are at first. */
static void measure_choices(const char *name, double limit, const struct weft_view *view,
                            struct weft_request *request, struct weft_arena *arena)
{
    const char **settings = calloc(view->n_parameters + 1, sizeof *settings);
    char *worst_choice = weft_asprintf("%s", "");
    double worst = 0;
    request->settings = settings;
    for (size_t p = 0; p < view->n_parameters; p++) {
        const struct weft_parameter *parameter = &view->parameters[p];
        const char *list = parameter->kind == WEFT_PARAMETER_CHOICE ? parameter->choices
                           : parameter->kind == WEFT_PARAMETER_FLAG ? "on|off"
                                                                    : "";
        char *choices = weft_asprintf("%s", list), *rest = choices, *choice;
        while ((choice = strsep(&rest, "|")) && *choice) {
            settings[p] = choice;
            for (int i = 0; i <= FRAMES_OF_CHOICE; i++) {
                choose_time(view, request);
                double time = draw(view, request, arena).time;
                if (i == 0 || time <= worst)
                    continue;
                worst = time;
                free(worst_choice);
                worst_choice = weft_asprintf("%s=%s, ", parameter->name, choice);
            }
        }
        settings[p] = NULL;
        free(choices);
    }
    if (*worst_choice)
        printf("messages.%s.%s.choice %.2f ms (%sratio to the limit of %g: %.2f)\n", name,
               view->name, worst, worst_choice, limit, worst / limit);
    request->settings = NULL;
    free(worst_choice);
    free(settings);
}

static double anonymous_megabytes(void)
{
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "RssAnon:", 8) == 0)
            kilobytes = strtod(line + 8, NULL);
    if (status)
        fclose(status);
    return kilobytes / 1024;
}

static bool wanted(const struct weft_view *view, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], view->name) == 0)
            return true;
    return n == 0
           && (strcmp(view->group, "Utilization") == 0
               || strcmp(view->group, "Communication") == 0);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: messages_bench NAME LIMIT-IN-MS TRACE.weft [VIEW...]\n", stderr);
        return 2;
    }
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(argv[3], &err);
    if (!trace) {
        fprintf(stderr, "messages_bench: %s\n", err.message);
        return 1;
    }
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    struct weft_arena arena = { 0 };
    struct weft_request request = { .set = &set,
                                    .width = 1920,
                                    .height = 1080,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .shelf = weft_shelf_new() };
    double limit = strtod(argv[2], NULL);
    int measured = 0;
    for (size_t i = 0; i < weft_view_count(); i++) {
        const struct weft_view *view = weft_view_at(i);
        if (view->compares || !wanted(view, argv + 4, argc - 4) || !view->fills(&set))
            continue;
        request.window = source->schema->span;
        request.has_at = false;
        measure(argv[1], limit, view, &request, &arena);
        measure_choices(argv[1], limit, view, &request, &arena);
        measured++;
    }
    printf("messages.%s.rss_anon %.0f MB (ratio to the limit of 500: %.2f)\n", argv[1],
           anonymous_megabytes(), anonymous_megabytes() / 500);
    if (!measured)
        fputs("messages_bench: the trace fills no such display\n", stderr);
    weft_arena_free(&arena);
    weft_shelf_free(request.shelf);
    weft_trace_close(trace);
    return measured == 0;
}
