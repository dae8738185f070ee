/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace: what happens on processors, event by event, in words, around a moment; the last
 * event until then is marked (Heath, Finger: ParaGraph, 2003, section 5.4, "Trace").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/nearby_events.h"
#include "domains/messages/model/traffic_priv.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    { .name = "processor",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "only events of the processor with this number; empty: of all" },
    { .name = "kind",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "all|calls|tasks|messages|marks|events",
      .fallback = "all",
      .help = "only begins and ends of calls, or of tasks, only messages, marks, or other "
              "events" },
    { .name = "most",
      .kind = WEFT_PARAMETER_NUMBER,
      .minimum = 1,
      .maximum = 100000,
      .fallback = "1000",
      .help = "how many rows the table has: with a moment one half until it",
      .seldom = true },
};

struct trace {
    const struct weft_request *request;
    struct weft_shown shown;
    struct weft_nearby_question question;
    const char *kind;
    struct weft_nearby_event *list; /* [n], in the arena */
    size_t n;
    size_t n_until; /* of them at the moment or before it; without a moment 0 */
    bool more;      /* the range has more than these; without a moment */
};

/* ---- Which tracks ---- */

static bool wants(const struct trace *t, const char *kind)
{
    return strcmp(t->kind, "all") == 0 || strcmp(t->kind, kind) == 0;
}

/* Leaves out states of threads that are not of the message passing, as waits for locks. */
static bool is_wanted_state(const struct trace *t, uint32_t track)
{
    const struct weft_schema *schema = t->shown.schema;
    const struct weft_track *of = &schema->tracks[track];
    enum weft_role role = schema->types[of->type].role;
    const struct weft_processor *processor =
        &t->shown.processors->processors[t->shown.processors->index_of[of->container]];
    if (track == processor->construct_track || weft_is_task_track(schema, track))
        return wants(t, "tasks");
    return wants(t, "calls")
           && (track == processor->track || weft_role_is(role, WEFT_ROLE_COMMUNICATION)
               || weft_role_is(role, WEFT_ROLE_CALL)
               || (role == WEFT_ROLE_NONE && of->container == processor->container));
}

static bool is_wanted_event(const struct trace *t, uint32_t track)
{
    const struct weft_schema *schema = t->shown.schema;
    enum weft_role role = schema->types[schema->tracks[track].type].role;
    if (weft_role_is(role, WEFT_ROLE_MARK))
        return wants(t, "marks");
    return wants(t, "events") && !weft_role_is(role, WEFT_ROLE_SAMPLE)
           && !weft_role_is(role, WEFT_ROLE_ALLOCATION);
}

/* Chooses the tracks of the processor with index ONLY, or of all shown (WEFT_NONE). */
static void choose_tracks(struct trace *t, const uint32_t *row_of, uint32_t only)
{
    const struct weft_schema *schema = t->shown.schema;
    const uint32_t *index_of = t->shown.processors->index_of;
    uint32_t *tracks = weft_arena_alloc(t->request->arena,
                                        ((size_t)schema->n_tracks + 1) * sizeof *tracks);
    for (uint32_t i = 0; i < schema->n_tracks; i++) {
        const struct weft_track *track = &schema->tracks[i];
        enum weft_kind kind = schema->types[track->type].kind;
        if (row_of[track->container] == WEFT_NONE || !track->count
            || (only != WEFT_NONE && index_of[track->container] != only))
            continue;
        if (kind == WEFT_STATE ? is_wanted_state(t, i)
                               : kind == WEFT_EVENT && is_wanted_event(t, i))
            tracks[t->question.n_tracks++] = i;
    }
    t->question.tracks = tracks;
}

/* Chooses the tracks of messages that the program sends one by one. */
static void choose_link_tracks(struct trace *t)
{
    const struct weft_schema *schema = t->shown.schema;
    uint32_t *tracks = weft_arena_alloc(t->request->arena,
                                        ((size_t)schema->n_tracks + 1) * sizeof *tracks);
    for (uint32_t i = 0; i < schema->n_tracks; i++) {
        const struct weft_type *type = &schema->types[schema->tracks[i].type];
        if (schema->tracks[i].count && traffic_has_messages_of(schema, type)
            && !weft_role_is(type->role, WEFT_ROLE_COLLECTIVE))
            tracks[t->question.n_link_tracks++] = i;
    }
    t->question.link_tracks = tracks;
}

/* ---- Events ---- */

/* Returns the position of each container's processor, or WEFT_NONE. */
static uint32_t *find_rows(const struct trace *t)
{
    uint32_t n = t->shown.schema->n_containers;
    const struct weft_processors *processors = t->shown.processors;
    struct weft_arena *arena = t->request->arena;
    uint32_t *row_of = weft_arena_alloc(arena, ((size_t)n + 1) * sizeof *row_of);
    uint32_t *position =
        weft_arena_alloc(arena, ((size_t)processors->n + 1) * sizeof *position);
    memset(position, 0xff, ((size_t)processors->n + 1) * sizeof *position);
    for (uint32_t i = 0; i < t->shown.list.n; i++)
        position[t->shown.list.index[i]] = i;
    for (uint32_t c = 0; c < n; c++)
        row_of[c] = processors->index_of[c] == WEFT_NONE
                        ? WEFT_NONE
                        : position[processors->index_of[c]];
    return row_of;
}

static bool choose(struct trace *t, struct weft_err *err)
{
    const struct weft_request *request = t->request;
    const char *processor = weft_setting(request, "processor");
    uint32_t only = WEFT_NONE;
    if (!weft_shown_begin(&t->shown, request, NULL, err)
        || (*processor && !comm_processor(t->shown.processors, processor, &only, err)))
        return false;
    t->kind = weft_setting(request, "kind");
    uint32_t *row_of = find_rows(t);
    uint32_t *containers = weft_arena_alloc(request->arena, ((size_t)t->shown.list.n + 1)
                                                                * sizeof *containers);
    for (uint32_t i = 0; i < t->shown.list.n; i++) {
        uint32_t index = t->shown.list.index[i];
        if (only == WEFT_NONE || index == only)
            containers[t->question.n_containers++] =
                t->shown.processors->processors[index].container;
    }
    t->question.containers = containers;
    t->question.row_of = row_of;
    if (wants(t, "messages"))
        choose_link_tracks(t);
    choose_tracks(t, row_of, only);
    return true;
}

static bool add(struct trace *t, int64_t time, bool backward, size_t most,
                struct weft_err *err)
{
    struct weft_nearby_events found;
    const struct weft_source *source = t->shown.processors->source;
    if (!most)
        return true;
    t->question.time = time;
    t->question.backward = backward;
    t->question.most = most;
    if (!weft_nearby_events(source, &t->question, &found, t->request->job, err))
        return false;
    struct weft_nearby_event *list =
        weft_arena_alloc(t->request->arena, (t->n + found.n + 1) * sizeof *list);
    if (t->n)
        memcpy(list, t->list, t->n * sizeof *list);
    if (found.n)
        memcpy(list + t->n, found.list, found.n * sizeof *list);
    free(found.list);
    t->list = list;
    t->n += found.n;
    return true;
}

/* Finds at most MOST events: around the moment, else the first ones of the range. */
static bool find(struct trace *t, const struct weft_request *request, size_t most,
                 struct weft_err *err)
{
    *t = (struct trace){ .request = request };
    if (!choose(t, err))
        return false;
    if (request->has_at) {
        t->question.within = t->shown.schema->span;
        t->question.within.end++;
        if (!add(t, request->at, true, (most + 1) / 2, err))
            return false;
        t->n_until = t->n;
        return add(t, request->at, false, most / 2, err);
    }
    t->question.within = weft_window_with_end(t->shown.schema, t->shown.window);
    if (!add(t, t->question.within.begin - 1, false, most + 1, err))
        return false;
    t->more = t->n > most;
    t->n -= t->more;
    return true;
}

/* ---- Words ---- */

static const char *kind_of(const struct weft_nearby_event *event)
{
    static const char *const names[] = { "receive", "begin", "end", "send", "event" };
    return names[event->what];
}

static bool is_link(const struct weft_nearby_event *event)
{
    return event->what == WEFT_HAPPENS_ARRIVAL || event->what == WEFT_HAPPENS_DEPARTURE;
}

static const struct weft_processor *processor_of(const struct trace *t, uint32_t container)
{
    uint32_t i =
        container == WEFT_NONE ? WEFT_NONE : t->shown.processors->index_of[container];
    return i == WEFT_NONE ? NULL : &t->shown.processors->processors[i];
}

/* The name of the call, task or mark; of a message its own, or "". */
static const char *name_of(const struct trace *t, const struct weft_nearby_event *event)
{
    const struct weft_schema *schema = t->shown.schema;
    if (event->value != WEFT_NONE)
        return schema->values[event->value].name;
    return is_link(event) ? "" : schema->types[schema->tracks[event->track].type].name;
}

/* Sets the tag and the bytes of a message; what is unknown is an empty cell. */
static void numbers_of(const struct trace *t, const struct weft_nearby_event *event,
                       struct weft_cell *bytes, struct weft_cell *tag)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    const struct weft_schema *schema = t->shown.schema;
    const struct weft_source *source = t->shown.processors->source;
    *bytes = *tag = (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
    if (!is_link(event))
        return;
    size_t n = source->ops->fields(source, event->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *value =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
    if (value)
        *bytes = weft_integer_cell(value->integer);
    value = weft_field_with_role(schema, fields, n, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER);
    if (value)
        *tag = weft_integer_cell(value->integer);
}

/* ---- Table ---- */

static bool put_row(const struct trace *t, const struct weft_nearby_event *event,
                    struct weft_table *out)
{
    const struct weft_schema *schema = t->shown.schema;
    const struct weft_cell nothing = { .kind = WEFT_CELL_EMPTY };
    const struct weft_processor *here = processor_of(t, event->container),
                                *partner = processor_of(t, event->other);
    struct weft_cell bytes, tag;
    numbers_of(t, event, &bytes, &tag);
    const char *name = name_of(t, event);
    const struct weft_cell cells[] = {
        weft_integer_cell(weft_ticks_to_ns(schema, event->time - schema->span.begin)),
        here ? weft_integer_cell(here->number) : nothing,
        weft_text_cell(kind_of(event)),
        *name ? weft_text_cell(name) : nothing,
        partner ? weft_integer_cell(partner->number) : nothing,
        bytes,
        tag,
        weft_integer_cell((int64_t)event->id),
    };
    return out->row(out, cells);
}

static size_t most_of(const struct weft_request *request)
{
    return (size_t)weft_setting_number(request, "most");
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct trace t;
    if (!find(&t, request, most_of(request), err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < t.n; i++)
        if (!put_row(&t, &t.list[i], out))
            break;
    out->end(out);
    return true;
}

static const char *remark(const struct weft_request *request)
{
    struct trace t;
    struct weft_err err;
    if (request->has_at || !find(&t, request, most_of(request), &err) || !t.more)
        return NULL;
    return weft_arena_printf(request->arena,
                             "the range has more events than these %s (--set most=N shows "
                             "more, --at those around a moment)",
                             weft_number_text(request->arena, (double)t.n, 0));
}

/* ---- Picture ---- */

enum { ROW = 17, HEAD = 18, GAP = 14, SWATCH = 9, MAX_ROWS = 300 };
enum { TIME, PROCESSOR, KIND, WHAT, COLUMNS };

struct trace_picture {
    struct trace t;
    struct weft_frame frame;
    const struct weft_swatch *swatches; /* by value */
    const char *(*texts)[COLUMNS];      /* [n] */
    double x[COLUMNS], width[COLUMNS];  /* times and processors end at x + width */
};

/* "to 3 · 400 B · tag 7" */
static const char *message_text(const struct trace *t,
                                const struct weft_nearby_event *event)
{
    struct weft_arena *arena = t->request->arena;
    struct weft_cell bytes, tag;
    const struct weft_processor *partner = processor_of(t, event->other);
    numbers_of(t, event, &bytes, &tag);
    const char *name = partner ? weft_processor_text(arena, partner) : "?";
    return weft_arena_printf(
        arena, "%s %s%s%s%s%s", event->what == WEFT_HAPPENS_DEPARTURE ? "to" : "from", name,
        bytes.kind == WEFT_CELL_INTEGER ? " · " : "",
        bytes.kind == WEFT_CELL_INTEGER ? weft_bytes_text(arena, bytes.integer) : "",
        tag.kind == WEFT_CELL_INTEGER ? " · tag " : "",
        tag.kind == WEFT_CELL_INTEGER
            ? weft_arena_printf(arena, "%lld", (long long)tag.integer)
            : "");
}

/* Returns the digits behind the point of TEXT. */
static int decimals_of(const char *text)
{
    const char *point = strchr(text, '.');
    return point ? (int)strlen(point + 1) : 0;
}

/* Gives all times as many digits as the one with the most. */
static void align_times(struct trace_picture *p)
{
    static const char zeros[] = "000000000000000000";
    int most = 0;
    for (size_t i = 0; i < p->t.n; i++)
        most =
            decimals_of(p->texts[i][TIME]) > most ? decimals_of(p->texts[i][TIME]) : most;
    for (size_t i = 0; i < p->t.n; i++) {
        const char *text = p->texts[i][TIME];
        int missing = most - decimals_of(text);
        if (missing > 0 && missing < (int)sizeof zeros)
            p->texts[i][TIME] =
                weft_arena_printf(p->t.request->arena, "%s%s%.*s", text,
                                  strchr(text, '.') ? "" : ".", missing, zeros);
    }
}

/* The words of the rows, and the columns that they need. */
static void make_texts(struct trace_picture *p)
{
    struct weft_arena *arena = p->t.request->arena;
    const struct weft_schema *schema = p->t.shown.schema;
    p->texts = weft_arena_zalloc(arena, p->t.n + 1, sizeof *p->texts);
    for (size_t i = 0; i < p->t.n; i++) {
        const struct weft_nearby_event *event = &p->t.list[i];
        char time[WEFT_TIME_TEXT];
        p->texts[i][TIME] = weft_arena_strdup(
            arena, weft_time_exact(schema, event->time - schema->span.begin, time));
        p->texts[i][PROCESSOR] =
            event->row < p->t.shown.list.n ? p->t.shown.names[event->row] : "";
        p->texts[i][KIND] = kind_of(event);
        p->texts[i][WHAT] = is_link(event) ? message_text(&p->t, event)
                                           : weft_name_cut(name_of(&p->t, event), arena);
    }
    align_times(p);
}

/* Places the columns, and writes their heads. */
static void place_columns(struct trace_picture *p)
{
    static const char *const heads[COLUMNS] = { "time, s", "processor", "", "" };
    for (int c = 0; c < COLUMNS; c++) {
        p->width[c] = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, heads[c]);
        for (size_t i = 0; i < p->t.n; i++)
            p->width[c] = fmax(p->width[c], weft_text_width(WEFT_FONT_BOLD, WEFT_SMALL_SIZE,
                                                            p->texts[i][c]));
    }
    double x = p->frame.plot.x + 8;
    for (int c = 0; c < COLUMNS; c++) {
        p->x[c] = x;
        x += p->width[c] + GAP + (c == KIND ? SWATCH : 0);
    }
    const double y = p->frame.plot.y + HEAD - 6;
    for (int c = TIME; c <= PROCESSOR; c++)
        weft_scene_text(p->frame.scene, (struct weft_point){ p->x[c] + p->width[c], y },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->frame.theme->quiet, heads[c]);
}

/* The rectangle behind the row at the moment, and a bar at its left. */
static void draw_lit(const struct trace_picture *p, struct weft_rect row)
{
    weft_scene_rect(p->frame.scene, row,
                    (struct weft_paint){ .fill = weft_ramp(p->frame.theme, 0.15) });
    row.width = 3;
    weft_scene_rect(p->frame.scene, row,
                    (struct weft_paint){ .fill = p->frame.theme->accent });
}

static void draw_sign(const struct trace_picture *p, const struct weft_nearby_event *event,
                      double y)
{
    struct weft_scene *scene = p->frame.scene;
    const struct weft_theme *theme = p->frame.theme;
    double x = p->x[WHAT] - SWATCH - 4, middle = y + ROW / 2.0;
    bool arrives = event->what == WEFT_HAPPENS_ARRIVAL;
    if (is_link(event))
        weft_scene_glyph(scene, WEFT_GLYPH_ARROWHEAD,
                         (struct weft_point){ x + SWATCH / 2.0,
                                              middle + (arrives ? SWATCH : -SWATCH) / 2.0 },
                         SWATCH, arrives ? M_PI_2 : -M_PI_2,
                         (struct weft_paint){ .fill = theme->text });
    else if (event->what == WEFT_HAPPENS_EVENT)
        weft_scene_glyph(scene, WEFT_GLYPH_DIAMOND,
                         (struct weft_point){ x + SWATCH / 2.0, middle }, SWATCH, 0,
                         (struct weft_paint){ .fill = theme->accent });
    else if (event->value != WEFT_NONE)
        weft_scene_rect(scene,
                        (struct weft_rect){ x, middle - SWATCH / 2.0, SWATCH, SWATCH },
                        weft_swatch_paint(theme, p->swatches[event->value], SWATCH));
}

static void draw_row(const struct trace_picture *p, size_t i, double y)
{
    struct weft_scene *scene = p->frame.scene;
    const struct weft_theme *theme = p->frame.theme;
    const struct weft_nearby_event *event = &p->t.list[i];
    bool lit = p->t.n_until && i == p->t.n_until - 1;
    struct weft_rect row = { p->frame.plot.x, y, p->frame.plot.width, ROW };
    if (lit)
        draw_lit(p, row);
    draw_sign(p, event, y);
    for (int c = 0; c < COLUMNS; c++) {
        bool right = c <= PROCESSOR;
        double room = p->frame.plot.x + p->frame.plot.width - p->x[c] - 4;
        enum weft_font font = lit ? WEFT_FONT_BOLD : WEFT_FONT_SANS;
        weft_scene_text(
            scene, (struct weft_point){ p->x[c] + (right ? p->width[c] : 0), y + ROW - 5 },
            right ? WEFT_ANCHOR_END : WEFT_ANCHOR_START, font, WEFT_SMALL_SIZE,
            c == KIND && !lit ? theme->quiet : theme->text,
            weft_text_fit(scene->arena, font, WEFT_SMALL_SIZE, p->texts[i][c], room));
    }
    struct weft_mark *mark = weft_scene_rect(scene, row, (struct weft_paint){ 0 });
    const struct weft_processor *here = processor_of(&p->t, event->container);
    if (mark)
        mark->id = event->id;
    weft_mark_title(scene, mark, "%s s · %s · %s %s", p->texts[i][TIME],
                    here ? here->label : "?", p->texts[i][KIND], p->texts[i][WHAT]);
}

static const char *subtitle_of(const struct trace *t)
{
    const struct weft_request *request = t->request;
    const char *when =
        request->has_at
            ? comm_moment_text(request->arena, request, comm_asked_moment(request))
            : weft_range_text(request->arena, t->shown.schema, t->shown.window);
    return weft_arena_printf(request->arena, "%s%s", when,
                             t->more ? " · the first events" : "");
}

/*
 * Says where steps go: to the times of the events before and after those of the moment, or
 * nowhere, and to those at the ends of the list.  Without a moment they go to the first.
 */
static void tell_steps(struct trace_picture *p, struct weft_scene *out)
{
    const struct weft_nearby_event *list = p->t.list;
    struct weft_scene_frame *frame = &out->frame;
    size_t before = p->t.n_until, after = p->t.n_until;
    int64_t now = before ? list[before - 1].time : list[0].time;
    while (before > 0 && list[before - 1].time >= now)
        before--;
    while (p->t.request->has_at && after < p->t.n && list[after].time <= p->t.request->at)
        after++;
    int64_t here = p->t.request->has_at ? p->t.request->at : now;
    frame->has_moments = true;
    frame->previous = before ? list[before - 1].time : here;
    frame->next = after < p->t.n ? list[after].time : here;
    frame->rows = (uint32_t)p->t.n;
    frame->first = list[0].time;
    frame->last = list[p->t.n - 1].time;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct trace_picture p = { 0 };
    size_t rows = 1;
    /* How many rows there are tells the frame, whose subtitle needs them: twice. */
    for (int round = 0; round < 2; round++) {
        if (round && !find(&p.t, request, rows, err))
            return false;
        weft_frame_begin(&p.frame, out, request, 0, false, NULL, 0,
                         round ? subtitle_of(&p.t) : "");
        double room = floor((p.frame.plot.height - HEAD) / ROW);
        rows = (size_t)fmin(MAX_ROWS, fmax(1, room));
    }
    if (!p.t.n) {
        weft_frame_empty(&p.frame, request->has_at
                                       ? "No processor has an event of this kind."
                                       : "No processor has an event in this range.");
        return true;
    }
    p.swatches = weft_palette(request->arena, p.t.shown.schema, request->theme);
    weft_scene_layer(out, "trace", p.frame.plot, WEFT_LAYER_FIXED);
    make_texts(&p);
    place_columns(&p);
    /* The marked row stays where it is, whatever is before it. */
    size_t skip = request->has_at ? (rows + 1) / 2 - p.t.n_until : 0;
    double y = p.frame.plot.y + HEAD + (double)skip * ROW;
    for (size_t i = 0; i < p.t.n; i++, y += ROW)
        draw_row(&p, i, y);
    tell_steps(&p, out);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "processor" },
    { .name = "kind", .help = "begin or end, send or receive, event" },
    { .name = "name", .help = "of the call, the task or the event" },
    { .name = "partner", .help = "of a message: the processor at its other end" },
    { .name = "bytes" },
    { .name = "tag" },
    { .name = "id", .help = "by which the workbench knows it", .seldom = true },
};

const struct weft_view weft_view_trace = {
    .name = "trace",
    .title = "Trace",
    .group = "Communication",
    .explanation = "What happens on processors, event by event; the last one until the "
                   "moment is marked.",
    .needs = "ranks, messages or activity (an MPI run, for example)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_processors,
    .scene = scene,
    .table = table,
    .remark = remark,
};
