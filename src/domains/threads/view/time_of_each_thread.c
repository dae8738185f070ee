/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: where the time of each went.  A row is a thread: a bar of its whole life,
 * divided by what it did (analyse/thread_times.h).
 */
#include <math.h>
#include <string.h>

#include "analyse/where_selection.h"
#include "analyse/without_wait.h"
#include "domains/threads/analyse/thread_times.h"
#include "domains/threads/view/views.h"
#include "store/time.h"
#include "view/picture_frame.h"

static const struct {
    const char *name;
    enum weft_role role; /* gives the colour */
} parts[THREAD_TIMES] = {
    [THREAD_RUNNING] = { "running", WEFT_ROLE_RUNNING },
    [THREAD_READY] = { "ready", WEFT_ROLE_READY },
    [THREAD_LOCK] = { "blocked on locks", WEFT_ROLE_BLOCKED_ON_LOCK },
    [THREAD_CONDITION] = { "on conditions", WEFT_ROLE_BLOCKED_ON_CONDITION },
    [THREAD_SEMAPHORE] = { "on semaphores", WEFT_ROLE_BLOCKED_ON_SEMAPHORE },
    [THREAD_BARRIER] = { "at barriers", WEFT_ROLE_BLOCKED_ON_BARRIER },
    [THREAD_END] = { "for an end", WEFT_ROLE_BLOCKED_ON_END },
    [THREAD_INPUT_OUTPUT] = { "on input and output", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [THREAD_OTHER] = { "blocked otherwise", WEFT_ROLE_BLOCKED },
    [THREAD_SLEEPING] = { "sleeping", WEFT_ROLE_SLEEPING },
    [THREAD_UNKNOWN] = { "unknown", WEFT_ROLE_NONE },
};

static const struct weft_column columns[] = {
    { "thread", "or how many short threads of a process are in one row", .selects = "row" },
    { "process", "the process that it belongs to", .selects = "process=:|row in $" },
    { "running_ns", "it had a processor, as far as is known", .narrows = "role = running" },
    { "ready_ns", "it could run and had no processor", .narrows = "role = ready" },
    { "lock_ns", "blocked on mutexes and other locks",
      .narrows = "role = blocked-on-lock" },
    { "condition_ns", "blocked on conditions", .narrows = "role = blocked-on-condition" },
    { "semaphore_ns", "blocked on semaphores", .narrows = "role = blocked-on-semaphore" },
    { "barrier_ns", "blocked at barriers", .narrows = "role = blocked-on-barrier" },
    { "end_ns", "waited for a thread or child to end", .narrows = "role = blocked-on-end" },
    { "input_output_ns", "in a call that reads, writes or waits for a file",
      .narrows = "role = blocked-on-input-output" },
    { "otherwise_ns", "blocked on something else, or it is not known on what" },
    { "sleeping_ns", "waited for a time to come", .narrows = "role = sleeping" },
    { "unknown_ns", "not known" },
    { "sum_ns", "all of these: how long it lived in the range", .seldom = true },
    { "spinning_ns",
      "the part of running_ns in which its samples prove that it polled memory, or OpenMP's "
      "or MPI's runtime said that it waited" },
    { "system_ns",
      "the part of running_ns in the kernel, for a whole life with a second of "
      "processor time or more; else, or not known: empty",
      .seldom = true },
    { "page_faults", "in its whole life; empty if not known, or the range is less",
      .seldom = true },
    { "voluntary_switches", "how often it gave its processor up, likewise",
      .seldom = true },
    { "preemptions", "how often it lost its processor to another thread, likewise",
      .seldom = true },
    { "migrations", "how often it got another processor than before, likewise",
      .seldom = true },
    { "counter_1", "what the first counter of --counters counted, likewise",
      .seldom = true },
    { "counter_2", "the second", .seldom = true },
    { "counter_3", "the third", .seldom = true },
    { "counter_4", "the fourth", .seldom = true },
};

static bool read_times(const struct weft_request *request, struct thread_times **list,
                       size_t *n, struct weft_err *err)
{
    return thread_times_read(request->set->sources[0], request->under, request->window,
                             request->arena, request->job, list, n, err);
}

static const char *name_of(const struct weft_request *request, const char **labels,
                           const struct thread_times *times)
{
    return times->folded ? weft_arena_printf(request->arena, "%u short threads",
                                             (unsigned)times->folded)
                         : labels[times->container];
}

static const char *process_of(const struct weft_schema *schema,
                              const struct thread_times *times)
{
    uint32_t process =
        times->folded ? times->container : schema->containers[times->container].parent;

    return process == WEFT_NONE || process == 0 ? "" : schema->containers[process].name;
}

static struct weft_cell count_cell(int64_t count)
{
    return count < 0 ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                     : weft_integer_cell(count);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char **labels = weft_container_labels(schema, request->arena);
    struct thread_times *list;
    size_t n;

    if (!read_times(request, &list, &n, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < n; i++) {
        struct weft_cell cells[2 + THREAD_TIMES + 7 + THREAD_COUNTERS] = {
            weft_text_cell(name_of(request, labels, &list[i])),
            weft_text_cell(process_of(schema, &list[i])),
        };
        for (int k = 0; k < THREAD_TIMES; k++)
            cells[2 + k] = weft_integer_cell(weft_ticks_to_ns(schema, list[i].of[k]));
        cells[2 + THREAD_TIMES] =
            weft_integer_cell(weft_ticks_to_ns(schema, list[i].lifetime));
        cells[2 + THREAD_TIMES + 1] =
            weft_integer_cell(weft_ticks_to_ns(schema, list[i].spinning));
        cells[2 + THREAD_TIMES + 2] = count_cell(list[i].system_ns);
        cells[2 + THREAD_TIMES + 3] = count_cell(list[i].page_faults);
        cells[2 + THREAD_TIMES + 4] = count_cell(list[i].voluntary_switches);
        cells[2 + THREAD_TIMES + 5] = count_cell(list[i].preemptions);
        cells[2 + THREAD_TIMES + 6] = count_cell(list[i].migrations);
        for (int k = 0; k < THREAD_COUNTERS; k++)
            cells[2 + THREAD_TIMES + 7 + k] = count_cell(list[i].counters[k]);
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

static struct weft_swatch swatch_of(const struct weft_theme *theme, int part)
{
    if (parts[part].role != WEFT_ROLE_NONE)
        return weft_role_swatch(theme, parts[part].role);
    return (struct weft_swatch){ .fill = theme->empty,
                                 .tone = theme->empty,
                                 .ink = theme->text };
}

/* The look of running while waiting. */
static struct weft_swatch spinning_swatch(const struct weft_theme *theme)
{
    struct weft_swatch swatch = swatch_of(theme, THREAD_RUNNING);

    swatch.hatch = WEFT_HATCH_CROSS;
    return swatch;
}

/* Fills LEGEND with the parts that have any time; returns their number. */
static size_t make_legend(const struct weft_request *request,
                          const struct thread_times *list, size_t n,
                          struct weft_legend_entry legend[THREAD_TIMES + 1])
{
    double of[THREAD_TIMES] = { 0 }, all = 0, spinning = 0;
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        spinning += (double)list[i].spinning;
        for (int k = 0; k < THREAD_TIMES; k++) {
            of[k] += (double)list[i].of[k];
            all += (double)list[i].of[k];
        }
    }
    for (int k = 0; k < THREAD_TIMES; k++)
        if (of[k] > 0)
            legend[used++] = (struct weft_legend_entry){ swatch_of(request->theme, k),
                                                         parts[k].name, of[k] / all };
    if (spinning > 0)
        legend[used++] = (struct weft_legend_entry){ spinning_swatch(request->theme),
                                                     "of it spinning", spinning / all };
    return used;
}

/* A part of a thread's bar: TICKS of what NAME says. */
struct bar_part {
    const char *name;
    int64_t ticks;
    struct weft_swatch swatch;
    enum weft_role role; /* of all its states and no others; WEFT_ROLE_NONE: not known */
};

/* Divides a thread's time into parts, those that it spun apart; returns their number. */
static size_t divide(const struct weft_theme *theme, const struct thread_times *times,
                     struct bar_part out[THREAD_TIMES + 1])
{
    size_t n = 0;

    for (int k = 0; k < THREAD_TIMES; k++) {
        int64_t spinning = k == THREAD_RUNNING ? times->spinning : 0;
        out[n++] =
            (struct bar_part){ parts[k].name, times->of[k] - spinning, swatch_of(theme, k),
                               k == THREAD_OTHER ? WEFT_ROLE_NONE : parts[k].role };
        if (spinning > 0)
            out[n++] = (struct bar_part){ "spinning", spinning, spinning_swatch(theme),
                                          WEFT_ROLE_NONE };
    }
    return n;
}

/* Makes a click list the states of a part of a thread's time. */
static void lead_on(const struct weft_request *request, const char *thread,
                    enum weft_role role, struct weft_mark *mark)
{
    const char *where = weft_where_and(request->arena, "", "row =", thread);

    where = weft_where_and(request->arena, where, "role =", weft_role_name(role));
    mark->action = weft_list_action(where);
}

/* Draws the parts of a thread's time from left to right. */
static void draw_thread(const struct weft_request *request, struct weft_frame *frame,
                        const struct thread_times *times, const char *name,
                        struct weft_rect bar, double most)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct bar_part list[THREAD_TIMES + 1];
    size_t n = divide(request->theme, times, list);
    const char *unwaited =
        weft_without_wait_text(schema, times->without_wait, frame->scene->arena);
    double x = bar.x;
    char text[WEFT_TIME_TEXT];

    for (size_t i = 0; i < n; i++) {
        const struct weft_swatch *swatch = &list[i].swatch;
        double width = bar.width * (double)list[i].ticks / most;
        struct weft_mark *mark;
        if (list[i].ticks == 0)
            continue;
        mark = weft_scene_rect(
            frame->scene, (struct weft_rect){ x, bar.y, width, bar.height },
            (struct weft_paint){ .fill = width < 2 ? swatch->tone : swatch->fill,
                                 .hatch = width < 2 ? WEFT_HATCH_NONE : swatch->hatch,
                                 .stroke = request->theme->panel,
                                 .stroke_width = 0.5f });
        weft_mark_title(frame->scene, mark, "%s · %s %s · %.1f %% of its %s%s%s", name,
                        list[i].name, weft_duration_text(schema, list[i].ticks, text),
                        100 * (double)list[i].ticks / (double)times->lifetime,
                        times->folded ? "sum" : "life",
                        list[i].role == WEFT_ROLE_RUNNING && unwaited
                            ? " · longest without a known wait "
                            : "",
                        list[i].role == WEFT_ROLE_RUNNING && unwaited ? unwaited : "");
        if (mark)
            mark->id = weft_container_id(times->container, false);
        if (mark && !times->folded && list[i].role != WEFT_ROLE_NONE)
            lead_on(request, name, list[i].role, mark);
        x += width;
    }
}

static double most_of(const struct thread_times *list, size_t n)
{
    double most = 1;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)list[i].lifetime);
    return most;
}

enum { ROW = 20 };

static void draw_all(const struct weft_request *request, struct weft_frame *frame,
                     const struct thread_times *list, size_t n, const char *const *names)
{
    struct weft_rect plot = frame->plot;
    size_t fit = (size_t)(plot.height / ROW), shown = n <= fit  ? n
                                                      : fit > 1 ? fit - 1
                                                                : fit;
    double most = most_of(list, n);

    weft_scene_layer(frame->scene, "threads",
                     (struct weft_rect){ 0, plot.y, frame->scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < shown; i++) {
        double y = plot.y + (double)i * ROW;
        const char *name = weft_text_fit(frame->scene->arena, WEFT_FONT_SANS,
                                         WEFT_FONT_SIZE, names[i], plot.x - 12);
        if (name)
            weft_scene_text(frame->scene, (struct weft_point){ plot.x - 8, y + 14 },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                            request->theme->text, name);
        draw_thread(request, frame, &list[i], names[i],
                    (struct weft_rect){ plot.x, y + 2, plot.width, ROW - 4 }, most);
    }
    if (shown < n)
        weft_scene_text(
            frame->scene, (struct weft_point){ plot.x, plot.y + (double)shown * ROW + 14 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, request->theme->quiet,
            weft_arena_printf(frame->scene->arena, "and %zu more, in the table",
                              n - shown));
}

/* Says above the rows, in the colour of faults, if threads run beyond their processors. */
static void warn_beyond(const struct weft_request *request, struct weft_frame *frame,
                        const struct thread_times *list, size_t n)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct running_bound bound;
    const char *text;

    if (frame->plot.height < 2 * ROW
        || !thread_times_beyond(schema, list, n, request->window, &bound))
        return;
    text = thread_times_beyond_text(schema, &bound, request->arena);
    text = weft_text_fit(frame->scene->arena, WEFT_FONT_SANS, WEFT_FONT_SIZE, text,
                         frame->scene->width - 16);
    if (!text)
        return;
    weft_scene_layer(frame->scene, "warning",
                     (struct weft_rect){ 0, frame->plot.y, frame->scene->width, ROW },
                     WEFT_LAYER_FIXED);
    weft_scene_text(frame->scene, (struct weft_point){ 8, frame->plot.y + 14 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                    weft_unhatched(request->theme, request->theme->idle), text);
    frame->plot.y += ROW;
    frame->plot.height -= ROW;
}

static double gutter_of(const struct weft_request *request, const char *const *names,
                        size_t n)
{
    enum { MEASURED = 200 };
    double gutter = 40;

    for (size_t i = 0; i < n && i < MEASURED; i++)
        gutter =
            fmax(gutter, weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE, names[i]) + 10);
    return fmin(gutter, request->width * 0.3);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char **labels = weft_container_labels(schema, request->arena);
    struct weft_legend_entry legend[THREAD_TIMES + 1];
    struct thread_times *list;
    struct weft_frame frame;
    const char **names;
    size_t n, n_legend;

    if (!read_times(request, &list, &n, err))
        return false;
    names = weft_arena_alloc(request->arena, (n + 1) * sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = name_of(request, labels, &list[i]);
    n_legend = make_legend(request, list, n, legend);
    weft_frame_begin(&frame, out, request, gutter_of(request, names, n), false, legend,
                     n_legend, weft_range_text(request->arena, schema, request->window));
    warn_beyond(request, &frame, list, n);
    if (n > 0)
        draw_all(request, &frame, list, n, names);
    else
        weft_frame_empty(&frame, "No thread lived in this range.");
    return true;
}

static bool fills(const struct weft_set *set)
{
    return thread_times_known(set->sources[0]->schema);
}

const struct weft_view weft_view_threads = {
    .name = "threads",
    .title = "Threads",
    .group = "Statistics",
    .explanation = "Each bar is the life of a thread, divided by what it did.",
    .needs = "threads with states of role activity (any recording has them)",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .usual_place = WEFT_PLACE_NONE,
    .scene = scene,
    .table = table,
};
