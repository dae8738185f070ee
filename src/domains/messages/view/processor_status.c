/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor status: four arrays of squares, one square a processor: its state, its task,
 * the bytes that it is sending, and those that await receipt by it (Heath, Finger:
 * ParaGraph, 2003, section 5.4, "Processor Status").  Without a moment it is that of the
 * window at which the most is on its way, since at a run's end there often is nothing to
 * see.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/model/unknown_pending.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/processor_rows.h"
#include "domains/messages/view/task_color_code.h"
#include "domains/messages/view/views.h"
#include "store/time.h"
#include "view/damage.h"

static const struct weft_parameter parameters[] = {
    WEFT_PARAMETER_OF_ORDER,
    COMM_PARAMETER_COLLECTIVES,
    WEFT_PARAMETER_OF_TASK_COLORS,
};

/* ---- Data ---- */

/* A processor at the moment. */
struct status {
    enum weft_class class; /* or WEFT_CLASS_UNKNOWN */
    bool has_task;
    int64_t task;
    struct weft_amount pending[WEFT_DIRECTIONS];
    bool unknown[WEFT_DIRECTIONS]; /* whether the bytes of `pending` are not known */
};

struct statuses {
    struct weft_shown shown;
    const struct weft_traffic *traffic;
    struct comm_moment moment;
    struct status *list; /* [shown.list.n], by position */
};

/* The most bytes, or where no message has a length, the most messages. */
static bool find_moment(struct statuses *s, const struct weft_request *request,
                        struct weft_err *err)
{
    const struct weft_history *history =
        comm_use_history(request->use, comm_collectives(request), WEFT_NONE, err);
    return history
           && comm_use_moment(request->use, weft_history_peak(history).bytes > 0,
                              &s->moment, err);
}

static bool begin(struct statuses *s, const struct weft_request *request,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    enum weft_collectives collectives = comm_collectives(request);
    if (!weft_shown_begin(&s->shown, request, weft_setting(request, "order"), err))
        return false;
    s->traffic = weft_use_traffic(request->use, err);
    if (!s->traffic || !find_moment(s, request, err))
        return false;
    size_t n = (size_t)s->shown.processors->n + 1;
    uint8_t *class = weft_arena_zalloc(arena, n, sizeof *class);
    struct weft_amount *pending[WEFT_DIRECTIONS];
    bool *unknown[WEFT_DIRECTIONS];
    for (int d = 0; d < WEFT_DIRECTIONS; d++) {
        pending[d] = weft_arena_zalloc(arena, n, sizeof *pending[d]);
        unknown[d] = weft_arena_zalloc(arena, n, sizeof *unknown[d]);
    }
    weft_processors_at(s->shown.processors, s->moment.time, class);
    weft_traffic_at(s->traffic, s->moment.time, collectives, pending[WEFT_OUTGOING],
                    pending[WEFT_INCOMING]);
    weft_unknown_pending(s->traffic, collectives, s->moment.time, unknown[WEFT_OUTGOING],
                         unknown[WEFT_INCOMING]);
    s->list = weft_arena_zalloc(arena, (size_t)s->shown.list.n + 1, sizeof *s->list);
    for (uint32_t i = 0; i < s->shown.list.n; i++) {
        uint32_t q = s->shown.list.index[i];
        struct status *status = &s->list[i];
        status->class = (enum weft_class) class[q];
        status->has_task =
            weft_task_at(s->shown.processors, q, s->moment.time, &status->task);
        for (int d = 0; d < WEFT_DIRECTIONS; d++) {
            status->pending[d] = pending[d][q];
            status->unknown[d] = unknown[d][q];
        }
    }
    return true;
}

/* ---- Table ---- */

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_cell nothing = { .kind = WEFT_CELL_EMPTY };
    struct statuses s;
    if (!begin(&s, request, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; i < s.shown.list.n; i++) {
        const struct status *status = &s.list[i];
        struct weft_cell cells[] = {
            weft_integer_cell(s.shown.processors->processors[s.shown.list.index[i]].number),
            status->class == WEFT_CLASS_UNKNOWN
                ? nothing
                : weft_text_cell(weft_class_name(status->class)),
            status->has_task ? weft_integer_cell(status->task) : nothing,
            weft_integer_cell(status->pending[WEFT_OUTGOING].bytes),
            weft_integer_cell(status->pending[WEFT_INCOMING].bytes),
        };
        cells[3] = status->unknown[WEFT_OUTGOING] ? nothing : cells[3];
        cells[4] = status->unknown[WEFT_INCOMING] ? nothing : cells[4];
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

enum what { STATE, TASK, SENDING, AWAITING, PANELS };
enum {
    HEAD = 34,
    SPACE = 14,
    MIN_SIDE = 5,
    MIN_LABEL_SIDE = 18,
    MIN_PATTERN_SIDE = 10,
    MAX_SQUARES = 4096
};

struct status_picture {
    const struct statuses *s;
    struct weft_frame frame;
    uint32_t size, n, columns; /* processors in a square, squares, squares in a row */
    double side, gutter; /* of a square; of the names of rows, or 0: squares have theirs */
    struct status *squares; /* [n] */
    struct weft_swatch looks[WEFT_CLASSES];
    struct weft_task_colors colors;
    struct weft_message_code code;
    bool any_known, any_unknown; /* bytes that are shown */
};

/* Returns what a square shows: of several processors the most frequent, or the greatest. */
static struct status status_of(const struct status_picture *p, uint32_t square)
{
    uint32_t first = square * p->size, after = first + p->size;
    after = after < p->s->shown.list.n ? after : p->s->shown.list.n;
    struct status of = p->s->list[first];
    uint32_t counts[WEFT_CLASSES + 1] = { 0 }, most = 0;
    for (uint32_t i = first; i < after; i++) {
        const struct status *one = &p->s->list[i];
        counts[one->class]++;
        uint32_t same = 0; /* of a few processors; else the task is the first one's */
        for (uint32_t k = first; one->has_task && k < after && p->size <= 64; k++)
            same += p->s->list[k].has_task && p->s->list[k].task == one->task;
        if (same > most) {
            most = same;
            of.has_task = true;
            of.task = one->task;
        }
        for (int d = 0; d < WEFT_DIRECTIONS; d++) {
            if (one->pending[d].bytes > of.pending[d].bytes)
                of.pending[d] = one->pending[d];
            of.unknown[d] |= one->unknown[d];
        }
    }
    for (int k = 0; k <= WEFT_CLASSES; k++)
        if (counts[k] > counts[of.class])
            of.class = (enum weft_class)k;
    return of;
}

static bool is_unknown(enum what what, const struct status *status)
{
    return what == STATE      ? status->class == WEFT_CLASS_UNKNOWN
           : what == SENDING  ? status->unknown[WEFT_OUTGOING]
           : what == AWAITING ? status->unknown[WEFT_INCOMING]
                              : false;
}

/* Returns the look of a square; its fill is 0 where there is nothing to show. */
static struct weft_swatch look_of(const struct status_picture *p, enum what what,
                                  const struct status *status)
{
    const struct weft_swatch nothing = { .ink = p->frame.theme->quiet };
    if (what == STATE)
        return status->class == WEFT_CLASS_UNKNOWN ? nothing : p->looks[status->class];
    if (what == TASK)
        return status->has_task ? weft_task_swatch(&p->colors, status->task) : nothing;
    const struct weft_amount *amount =
        &status->pending[what == SENDING ? WEFT_OUTGOING : WEFT_INCOMING];
    if (is_unknown(what, status))
        return nothing;
    return amount->messages > 0 ? weft_code_swatch(&p->code, amount->bytes) : nothing;
}

static void title_square(const struct status_picture *p, struct weft_mark *mark,
                         uint32_t square, const struct status *status)
{
    struct weft_arena *arena = p->frame.scene->arena;
    const char *task =
        status->has_task ? weft_arena_printf(arena, " · task %lld", (long long)status->task)
                         : "";
    weft_mark_title(p->frame.scene, mark, "%s · %s%s · sending %s · awaiting %s",
                    weft_group_name(&p->s->shown, arena, square, p->size),
                    status->class == WEFT_CLASS_UNKNOWN ? "cannot be read"
                                                        : weft_class_name(status->class),
                    task,
                    status->unknown[WEFT_OUTGOING]
                        ? "bytes that are not known"
                        : comm_amount_text(arena, &status->pending[WEFT_OUTGOING]),
                    status->unknown[WEFT_INCOMING]
                        ? "bytes that are not known"
                        : comm_amount_text(arena, &status->pending[WEFT_INCOMING]));
}

static void draw_square(const struct status_picture *p, enum what what,
                        struct weft_rect panel, uint32_t square)
{
    struct weft_scene *scene = p->frame.scene;
    const struct weft_theme *theme = p->frame.theme;
    struct status status = p->squares[square];
    struct weft_swatch look = look_of(p, what, &status);
    double gap = p->side >= 8 ? 2 : p->side >= 4 ? 1 : 0;
    struct weft_rect rect = { panel.x + square % p->columns * p->side,
                              panel.y + square / p->columns * p->side, p->side - gap,
                              p->side - gap };
    struct weft_paint paint = { .fill = look.fill ? look.fill : theme->empty,
                                .stroke =
                                    weft_theme_hatches(theme) ? theme->quiet : theme->grid,
                                .stroke_width = gap > 1 ? 0.5f : 0,
                                .hatch = look.hatch };
    if (look.hatch && p->side < MIN_PATTERN_SIDE)
        paint = (struct weft_paint){ .fill = look.tone };
    struct weft_mark *mark = weft_scene_rect(scene, rect, paint);
    if (mark && p->size == 1)
        mark->id = weft_container_id(
            p->s->shown.processors->processors[p->s->shown.list.index[square]].container,
            false);
    title_square(p, mark, square, &status);
    if (is_unknown(what, &status))
        weft_scene_rect(scene, rect, weft_damage_paint(theme));
    if (p->gutter > 0)
        return;
    const char *name = p->s->shown.names[square];
    double width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, name);
    struct weft_point at = { rect.x + rect.width / 2, rect.y + rect.height / 2 + 4 };
    if (look.hatch)
        weft_scene_rect(
            scene, (struct weft_rect){ at.x - width / 2 - 2, at.y - 11, width + 4, 14 },
            (struct weft_paint){ .fill = theme->panel });
    weft_scene_text(scene, at, WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                    look.hatch ? theme->text : look.ink, name);
}

/* Draws an entry of a panel's legend; returns where the next one begins. */
static double draw_entry(const struct status_picture *p, double x, double y, double end,
                         struct weft_swatch look, const char *label)
{
    enum { SIDE = 10 };
    struct weft_scene *scene = p->frame.scene;
    double width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, label);
    if (look.hatch && p->side < MIN_PATTERN_SIDE) { /* as in the squares */
        look.fill = look.tone;
        look.hatch = WEFT_HATCH_NONE;
    }
    if (x + SIDE + 4 + width > end)
        return end;
    weft_scene_rect(scene, (struct weft_rect){ x, y - 9, SIDE, SIDE },
                    (struct weft_paint){ .fill = look.fill,
                                         .stroke = p->frame.theme->quiet,
                                         .stroke_width = 0.5f,
                                         .hatch = look.hatch });
    weft_scene_text(scene, (struct weft_point){ x + SIDE + 4, y }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, p->frame.theme->quiet, label);
    return x + SIDE + 4 + width + 10;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Draws the tasks that processors are in, each once, as many as have room. */
static void draw_task_legend(const struct status_picture *p, double x, double y, double end)
{
    struct weft_arena *arena = p->frame.scene->arena;
    int64_t *tasks = weft_arena_alloc(arena, ((size_t)p->n + 1) * sizeof *tasks);
    size_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->squares[i].has_task)
            tasks[n++] = p->squares[i].task;
    }
    if (n)
        qsort(tasks, n, sizeof *tasks, by_number);
    else
        draw_entry(p, x, y, end, (struct weft_swatch){ .fill = p->frame.theme->empty },
                   "none");
    for (size_t i = 0; i < n && x < end; i++)
        if (!i || tasks[i] != tasks[i - 1])
            x = draw_entry(p, x, y, end, weft_task_swatch(&p->colors, tasks[i]),
                           weft_arena_printf(arena, "%lld", (long long)tasks[i]));
}

/* Draws the legend of bytes; the least are left out where there is no room. */
static void draw_code_legend(const struct status_picture *p, double x, double y, double end)
{
    static const char up_to[] = "up to ";
    enum { SIGN = 24 }; /* pixels of an entry beside its label */
    struct weft_arena *arena = p->frame.scene->arena;
    size_t n, first;
    struct weft_legend_entry *entries = weft_code_legend(&p->code, arena, NULL, 0, &n);
    double room = end - x + SIGN - 14;
    for (size_t i = 0; i < n; i++)
        if (strncmp(entries[i].label, up_to, strlen(up_to)) == 0)
            entries[i].label =
                weft_arena_printf(arena, "≤ %s", entries[i].label + strlen(up_to));
    for (first = n; first > 0; first--) {
        room -=
            SIGN
            + weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, entries[first - 1].label);
        if (room < 0)
            break;
    }
    for (size_t i = first; i < n && p->any_known; i++)
        x = draw_entry(p, x, y, end, entries[i].swatch, entries[i].label);
    const struct weft_paint unknown = weft_damage_paint(p->frame.theme);
    if (p->any_unknown)
        draw_entry(p, x, y, end,
                   (struct weft_swatch){ .fill = p->frame.theme->empty,
                                         .tone = unknown.stroke,
                                         .hatch = unknown.hatch },
                   "not known");
}

static void draw_legend(const struct status_picture *p, enum what what, double x, double y,
                        double end)
{
    struct weft_arena *arena = p->frame.scene->arena;
    if (what == STATE) {
        uint32_t counts[WEFT_CLASSES + 1] = { 0 };
        for (uint32_t i = 0; i < p->s->shown.list.n; i++)
            counts[p->s->list[i].class]++;
        for (int k = 0; k < WEFT_CLASSES; k++)
            x = draw_entry(p, x, y, end, p->looks[k],
                           weft_arena_printf(arena, "%s %u",
                                             weft_class_name((enum weft_class)k),
                                             counts[k]));
        return;
    }
    if (what == TASK) {
        draw_task_legend(p, x, y, end);
        return;
    }
    draw_code_legend(p, x, y, end);
}

/* Writes the name of the first processor of each row that has room. */
static void draw_row_names(const struct status_picture *p, struct weft_rect panel)
{
    enum { LEAST = 11 };
    uint32_t step = (uint32_t)ceil(LEAST / p->side);
    for (uint32_t row = 0; row * p->columns < p->n; row += step)
        weft_scene_text(
            p->frame.scene,
            (struct weft_point){ panel.x + p->gutter - 5,
                                 panel.y + row * p->side + fmax(p->side / 2 + 3, 8) },
            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, p->frame.theme->quiet,
            p->s->shown.names[(size_t)row * p->columns * p->size]);
}

static void draw_panel(const struct status_picture *p, enum what what,
                       struct weft_rect panel)
{
    static const char *const names[PANELS] = { "state", "task", "bytes being sent",
                                               "bytes that await receipt" };
    struct weft_scene *scene = p->frame.scene;
    weft_scene_layer(scene, names[what], panel, WEFT_LAYER_FIXED);
    weft_scene_text(scene, (struct weft_point){ panel.x, panel.y + 11 }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_FONT_SIZE, p->frame.theme->text, names[what]);
    draw_legend(p, what, panel.x + 1, panel.y + 26, panel.x + panel.width);
    panel.y += HEAD;
    if (p->gutter > 0)
        draw_row_names(p, panel);
    panel.x += p->gutter;
    for (uint32_t i = 0; i < p->n; i++)
        draw_square(p, what, panel, i);
}

/* Places squares, with their names in them, or with those of rows beside these. */
static void place_squares(struct status_picture *p, double width, double height)
{
    enum { AROUND = 6 };
    double most = width * height / (MIN_SIDE * MIN_SIDE), widest = 0;
    p->size = weft_group_size(p->s->shown.list.n, fmin(fmax(1, most), MAX_SQUARES));
    p->n = (p->s->shown.list.n + p->size - 1) / p->size;
    p->gutter = 0;
    weft_fit_squares(p->n, width, height, &p->side, &p->columns);
    for (uint32_t i = 0; i < p->n; i++)
        widest = fmax(widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                              p->s->shown.names[(size_t)i * p->size]));
    if (p->size == 1 && widest + AROUND <= p->side && p->side >= MIN_LABEL_SIDE)
        return;
    p->gutter = fmin(widest + AROUND, width / 4);
    weft_fit_squares(p->n, width - p->gutter, height, &p->side, &p->columns);
}

/* Makes the code of colours: it ends at the most bytes that any processor ever had. */
static bool find_most(struct status_picture *p, const struct weft_request *request,
                      struct weft_err *err)
{
    double most = 0;
    const struct weft_history *history =
        comm_use_history(request->use, comm_collectives(request), WEFT_NONE, err);
    if (!history)
        return false;
    size_t n = p->s->shown.processors->n;
    for (int d = 0; d < WEFT_DIRECTIONS; d++) {
        struct weft_amount *highs = weft_arena_zalloc(request->arena, n + 1, sizeof *highs);
        weft_history_high(history, (enum weft_direction)d, p->s->shown.schema->span.end,
                          highs);
        for (size_t q = 0; q < n; q++)
            most = fmax(most, (double)highs[q].bytes);
    }
    p->any_known = most > 0;
    for (uint32_t i = 0; i < p->s->shown.list.n; i++)
        p->any_unknown |= p->s->list[i].unknown[0] || p->s->list[i].unknown[1];
    p->code = weft_code_make(WEFT_CODE_SIZE, request->theme, fmax(most, 1));
    return true;
}

static void draw(const struct status_picture *p)
{
    struct weft_rect plot = p->frame.plot;
    double width = fmax(1, (plot.width - SPACE) / 2),
           height = fmax(1, (plot.height - SPACE) / 2);
    for (int what = 0; what < PANELS; what++)
        draw_panel(p, (enum what)what,
                   (struct weft_rect){ plot.x + what % 2 * (width + SPACE),
                                       plot.y + what / 2 * (height + SPACE / 2), width,
                                       height });
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct statuses s;
    if (!begin(&s, request, err))
        return false;
    struct status_picture p = { .s = &s };
    if (!weft_task_colors_make(&p.colors, request->theme, weft_setting(request, "colors"),
                               err)
        || !find_most(&p, request, err))
        return false;
    weft_class_swatches(request->theme, p.looks);
    /* The subtitle needs the processors a square, and these the frame: it is made twice. */
    for (int round = 0; round < 2; round++) {
        const char *each =
            round && p.size > 1
                ? weft_arena_printf(request->arena,
                                    " · a square is %u processors, their usual state and "
                                    "task and their greatest volume",
                                    p.size)
                : "";
        weft_frame_begin(
            &p.frame, out, request, 0, false, NULL, 0,
            weft_arena_printf(request->arena, "%s · %s processors%s",
                              comm_moment_text(request->arena, request, s.moment),
                              weft_number_text(request->arena, s.shown.list.n, 0), each));
        place_squares(&p, (p.frame.plot.width - SPACE) / 2,
                      fmax(1, (p.frame.plot.height - SPACE) / 2 - HEAD));
    }
    p.squares = weft_arena_alloc(request->arena, ((size_t)p.n + 1) * sizeof *p.squares);
    for (uint32_t i = 0; i < p.n; i++)
        p.squares[i] = status_of(&p, i);
    if (s.shown.list.n)
        draw(&p);
    else
        weft_frame_empty(&p.frame, "There is no processor here.");
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor" },     { .name = "state" },          { .name = "task" },
    { .name = "sending_bytes" }, { .name = "awaiting_bytes" },
};

const struct weft_view weft_view_processor_status = {
    .name = "processor-status",
    .title = "Processor status",
    .group = "Communication",
    .explanation = "Each processor is one square in each of the four parts, row by row, "
                   "always at the same place.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
