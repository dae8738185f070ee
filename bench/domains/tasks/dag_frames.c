/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of a task DAG's pictures, ready to send: 1920 x 1080 pixels, as the workbench asks for
 * them while somebody moves, enlarges, opens and closes what is in them.
 *
 *     dag_frames FILE.weft [ROUNDS [VIEW]]
 *
 * In each round a picture is moved, enlarged or made smaller about something that stands in it, a
 * closed box of it is opened, closed and often opened again, and one level more and one less is opened.
 * After some rounds it begins anew with all that fits.  For each kind of step: how long the frame
 * after it took, and how much time of the processor, of all threads.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "draw/draw.h"
#include "store/trace/trace.h"
#include "view/prepare.h"
#include "view/view.h"

enum {
    MAX_SETTINGS = 32,
    AGAIN = 20,  /* rounds until a picture begins anew */
    LIMIT = 16,  /* ms: a frame of a screen */
    LARGEST = 2, /* zoom: a node is 40 pixels wide */
    ROUNDS = 200 /* p99 of fewer frames would be their longest */
};

enum step { FIT, PAN, ZOOM, EXPAND, COLLAPSE, DEEPER, LESS_DEEP, STEPS };
static const char *const step_names[STEPS] = { "fit",      "pan",    "zoom",     "expand",
                                               "collapse", "deeper", "less deep" };

/* What frames of one kind took, in ms. */
struct times {
    double *wall, *cpu;
    size_t n, wall_capacity, cpu_capacity;
};

struct session {
    const struct weft_view *view;
    struct weft_request request;
    struct weft_scene scene; /* the last one */
    struct weft_arena arena;
    bool has_levels, has_time;
    unsigned depth;       /* 0: as many levels as there is room for */
    double zoom, x, y;    /* of DAGs */
    struct weft_span all; /* of times */
    struct weft_entity_set opened, closed;
    struct times times[STEPS];
};

static double worst; /* p99 of all lines, of time of the processor */

static double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static _Noreturn void die(const struct weft_err *err)
{
    fprintf(stderr, "dag_frames: %s\n", err->message);
    exit(1);
}

static uint64_t state = 88172645463325252u;

static uint64_t roll(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* From 0 to 1. */
static double roll_part(void)
{
    return (double)(roll() >> 11) * 0x1p-53;
}

static void note(struct times *times, double wall, double cpu)
{
    times->wall =
        weft_grow(times->wall, &times->wall_capacity, times->n + 1, sizeof *times->wall);
    times->cpu =
        weft_grow(times->cpu, &times->cpu_capacity, times->n + 1, sizeof *times->cpu);
    times->wall[times->n] = wall;
    times->cpu[times->n++] = cpu;
}

static void set(const struct session *w, const char **settings, const char *text)
{
    struct weft_err err = { 0 };
    if (!weft_setting_parse(w->view, text, settings, &err))
        die(&err);
}

/* Draw what the walk is at. */
static void draw(struct session *w, enum step step)
{
    const char *settings[MAX_SETTINGS] = { 0 };
    struct weft_err err = { 0 };
    char *opened = weft_entity_set_text(&w->opened),
         *closed = weft_entity_set_text(&w->closed);
    char *texts[] = {
        weft_asprintf("depth=%u", w->depth), weft_asprintf("opened=%s", opened),
        weft_asprintf("closed=%s", closed),  weft_asprintf("zoom=%.17g", w->zoom),
        weft_asprintf("x=%.17g", w->x),      weft_asprintf("y=%.17g", w->y)
    };
    size_t n = w->has_time ? (size_t)w->has_levels : sizeof texts / sizeof *texts;
    for (size_t i = 0; i < n; i++)
        set(w, settings, texts[i]);
    w->request.settings = settings;
    weft_arena_reset(&w->arena);
    double wall = clock_ms(CLOCK_MONOTONIC), cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    size_t size;
    if (!weft_view_scene(w->view, &w->request, &w->arena, &w->scene, &err))
        die(&err);
    free(weft_scene_pack(&w->scene, &size));
    note(&w->times[step], clock_ms(CLOCK_MONOTONIC) - wall,
         clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(opened);
    free(closed);
}

/* ---- Steps of a DAG ---- */

/* Any mark of a layer that a double click opens or closes; NULL: there is none. */
static const struct weft_mark *any_mark(const struct session *w, const char *layer,
                                        bool toggles)
{
    const struct weft_mark *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < w->scene.n_layers; i++)
        for (size_t k = 0; k < w->scene.layers[i].n_marks; k++) {
            const struct weft_mark *mark = &w->scene.layers[i].marks[k];
            if (strcmp(w->scene.layers[i].name, layer) == 0
                && (!toggles || mark->twice.kind == WEFT_ACTION_TOGGLE)
                && !(toggles && weft_entity_ordinal(mark->twice.id) == 0) /* the root */
                && roll() % ++n == 0)
                found = mark;
        }
    return found;
}

/* Move the root's place to a point of the picture. */
static void put_root(struct session *w, double x, double y)
{
    struct weft_rect plot = w->scene.frame.plot;
    w->x = (x - plot.x) / plot.width;
    w->y = (y - plot.y) / plot.height;
}

static void pan_dag(struct session *w)
{
    struct weft_scene_frame frame = w->scene.frame;
    w->zoom = frame.zoom;
    put_root(w, frame.anchor.x + (roll_part() - 0.5) * frame.plot.width / 2,
             frame.anchor.y + (roll_part() - 0.5) * frame.plot.height / 2);
    draw(w, PAN);
}

/* Something to click on is in the picture. */
static bool shows_much(const struct session *w)
{
    enum { MUCH = 30 };
    size_t n = 0;
    for (size_t i = 0; i < w->scene.n_layers; i++)
        if (strcmp(w->scene.layers[i].name, "nodes") == 0)
            n += w->scene.layers[i].n_marks;
    return n >= MUCH;
}

/* Back to where all fits, when somebody has lost the way or closed nearly all. */
static void find_back(struct session *w)
{
    if (shows_much(w))
        return;
    weft_entity_set_free(&w->closed);
    w->zoom = w->y = 0;
    w->x = 0.5;
    draw(w, FIT);
}

/* More often closer than farther away. */
static void zoom_dag(struct session *w)
{
    struct weft_scene_frame frame = w->scene.frame;
    const struct weft_mark *mark = any_mark(w, "nodes", false);
    double factor = frame.zoom < LARGEST && roll() % 4 ? 1.6 : 1 / 1.6;
    struct weft_point at =
        mark ? (struct weft_point){ mark->box.x, mark->box.y } : frame.anchor;
    w->zoom = frame.zoom * factor;
    put_root(w, at.x + factor * (frame.anchor.x - at.x),
             at.y + factor * (frame.anchor.y - at.y));
    draw(w, ZOOM);
}

static void toggle(struct session *w, struct weft_action action, enum step step)
{
    struct weft_err err = { 0 };
    struct weft_entity_set *changed =
        strcmp(action.parameter, "opened") == 0 ? &w->opened : &w->closed;
    if (!weft_entity_set_toggle(changed, action.id, &err))
        die(&err);
    draw(w, step);
}

/* A double click on a closed box; now and then, one more that closes it again. */
static void click(struct session *w)
{
    const struct weft_mark *mark = any_mark(w, "nodes", true);
    if (!mark)
        return;
    struct weft_action action = mark->twice;
    action.parameter = strcmp(action.parameter, "opened") == 0 ? "opened" : "closed";
    toggle(w, action, EXPAND);
    toggle(w, action, COLLAPSE);
    if (roll() % 4)
        toggle(w, action, EXPAND);
}

/* The same on an open one. */
static void click_open(struct session *w)
{
    const struct weft_mark *mark = any_mark(w, "boxes", true);
    if (mark)
        toggle(w, mark->twice, COLLAPSE);
}

static void levels(struct session *w, int by, enum step step)
{
    unsigned before = w->scene.frame.levels;
    if (by < 0 && before < 2)
        return;
    w->depth = before + (unsigned)by;
    draw(w, step);
}

static void begin_dag(struct session *w, unsigned depth)
{
    weft_entity_set_free(&w->opened);
    weft_entity_set_free(&w->closed);
    w->zoom = w->y = 0;
    w->x = 0.5;
    w->depth = depth;
    draw(w, FIT);
}

static void round_of_dag(struct session *w)
{
    pan_dag(w);
    find_back(w);
    zoom_dag(w);
    find_back(w);
    click(w);
    click_open(w);
    find_back(w);
    levels(w, 1, DEEPER);
    find_back(w);
    levels(w, -1, LESS_DEEP);
    find_back(w);
}

/* ---- Steps in time ---- */

static void pan_time(struct session *w)
{
    struct weft_span *window = &w->request.window;
    int64_t length = window->end - window->begin;
    int64_t by = (int64_t)((roll_part() - 0.5) * (double)length);
    by = by < w->all.begin - window->begin ? w->all.begin - window->begin : by;
    by = by > w->all.end - window->end ? w->all.end - window->end : by;
    window->begin += by;
    window->end += by;
    draw(w, PAN);
}

static void zoom_time(struct session *w)
{
    struct weft_span *window = &w->request.window;
    double length = (double)(window->end - window->begin);
    double at = (double)window->begin + roll_part() * length;
    double factor = roll() % 4 ? 0.4 : 1 / 0.4;
    length = fmin(fmax(length * factor, 100), (double)(w->all.end - w->all.begin));
    at = fmin(fmax(at - length * roll_part(), (double)w->all.begin),
              (double)w->all.end - length);
    *window = (struct weft_span){ (int64_t)at, (int64_t)(at + length) };
    draw(w, ZOOM);
}

static void begin_time(struct session *w, unsigned depth)
{
    w->request.window = w->all;
    w->depth = depth;
    draw(w, FIT);
}

static void round_of_time(struct session *w, unsigned depth)
{
    pan_time(w);
    zoom_time(w);
    if (!w->has_levels || !depth)
        return;
    w->depth = depth + 1;
    draw(w, DEEPER);
    w->depth = depth;
    draw(w, LESS_DEEP);
}

/* ---- Reports ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(struct session *w, const char *depth, double first)
{
    printf("dag.frame.%s.%s.first %.0f ms\n", w->view->name, depth, first);
    for (int s = 0; s < STEPS; s++) {
        struct times *t = &w->times[s];
        if (t->n) {
            qsort(t->wall, t->n, sizeof *t->wall, compare);
            qsort(t->cpu, t->n, sizeof *t->cpu, compare);
            double p99 = t->cpu[t->n * 99 / 100];
            worst = fmax(worst, p99);
            printf("dag.frame.%s.%s.%s p50 %.2f p99 %.2f longest %.2f ms of the processor; "
                   "p50 %.2f p99 %.2f longest %.2f ms (%zu frames)\n",
                   w->view->name, depth, step_names[s], t->cpu[t->n / 2], p99,
                   t->cpu[t->n - 1], t->wall[t->n / 2], t->wall[t->n * 99 / 100],
                   t->wall[t->n - 1], t->n);
        }
        free(t->wall);
        free(t->cpu);
        *t = (struct times){ 0 };
    }
    fflush(stdout);
}

static long status_mib(const char *key)
{
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key), NULL, 10);
    if (file)
        fclose(file);
    return value / 1024;
}

/* One view, beginning at a depth.  What the first frame prepares is not counted as a frame. */
static void measure(const struct weft_request *request, const char *name, unsigned depth,
                    int rounds)
{
    struct session w = { .view = weft_view_find(name), .request = *request };
    bool is_time = strcmp(name, "dag-timeline") == 0 || strcmp(name, "parallelism") == 0;
    w.all = request->window;
    w.has_time = is_time;
    w.has_levels = strcmp(name, "dag-timeline") != 0;
    double first = 0;
    for (int i = 0; i < rounds; i++) {
        if (i % AGAIN == 0 && is_time)
            begin_time(&w, depth);
        else if (i % AGAIN == 0)
            begin_dag(&w, depth);
        if (i == 0) {
            first = w.times[FIT].wall[0];
            w.times[FIT].n = 0;
        }
        if (is_time)
            round_of_time(&w, depth);
        else
            round_of_dag(&w);
    }
    char text[32];
    snprintf(text, sizeof text, depth ? "depth%u" : "automatic", depth);
    report(&w, text, first);
    printf("dag.frame.%s.%s.rss %ld MiB\n", name, text, status_mib("VmRSS:"));
    weft_entity_set_free(&w.opened);
    weft_entity_set_free(&w.closed);
    weft_arena_free(&w.arena);
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = argc > 1 ? weft_trace_open(argv[1], &err) : NULL;
    if (!trace) {
        fprintf(stderr, "use: dag_frames FILE.weft [ROUNDS [VIEW]]\n");
        return 2;
    }
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_set one = { &source, 1 };
    struct weft_request request = { .set = &one,
                                    .window = source->schema->span,
                                    .width = 1920,
                                    .height = 1080,
                                    .bare = true,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .shelf = weft_shelf_new() };
    static const struct {
        const char *view;
        unsigned depth;
    } runs[] = {
        { "dag", 0 },         { "dag", 2 },          { "dag", 6 },
        { "dag", 1000 },      { "dag-box", 0 },      { "dag-box", 6 },
        { "dag-box", 1000 },  { "dag-timeline", 0 }, { "parallelism", 0 },
        { "parallelism", 1 }, { "parallelism", 5 },  { "parallelism", 10 },
    };
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (argc < 4 || strcmp(argv[3], runs[i].view) == 0)
            measure(&request, runs[i].view, runs[i].depth, rounds);
    printf(
        "dag.frame.p99 %.2f ms of the processor, the worst of all (ratio to the limit of %d: %.2f)\n",
        worst, LIMIT, worst / LIMIT);
    printf("dag.frame.rss_peak %ld MiB\n", status_mib("VmHWM:"));
    weft_shelf_free(request.shelf);
    weft_trace_close(trace);
    return 0;
}
