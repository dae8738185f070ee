/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Space-time: containers as rows in their tree, states as bars, events as marks, variables
 * as curves, links as arrows.  Paje's central display (Chassin de Kergommeaux, Stein,
 * Bernard 2000, section 2.2), at any scale.
 */
#include "view/timeline/space_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/damage.h"
#include "view/domain_answers.h"
#include "view/network_setting.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "rows",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "empty: what matters first; all; or only containers that match, a "
              "comma-separated list of patterns" },
    { .name = "close",
      .kind = WEFT_PARAMETER_NUMBER,
      .maximum = 64,
      .fallback = "0",
      .help = "close containers from this depth on: one row is the sum of what is "
              "below (0: none)",
      .seldom = true },
    { .name = "activity",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "bars|lines",
      .fallback = "bars",
      .help = "bars of states, or for each processor a line while it is busy or "
              "in overhead",
      .seldom = true },
    { .name = "color",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "value|container|duration",
      .fallback = "value",
      .help = "what colours stand for" },
    { .name = "links",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "auto|on|density|off",
      .fallback = "auto",
      .help = "arrows, or a density when there are more than pixels" },
    { .name = "messages",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "plain|size|tag|distance",
      .fallback = "plain",
      .help = "what the colours of messages stand for",
      .seldom = true,
      .with_view = "traffic" },
    WEFT_PARAMETERS_DISTANCE,
    { .name = "collectives",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "auto|data|messages|group|none",
      .fallback = "auto",
      .help = "collective operations: lines of messages, with a star for a barrier "
              "(data) or not, one star for each (group), or nothing; auto: data with "
              "activity=lines, else nothing",
      .seldom = true,
      .with_view = "traffic" },
    { .name = "locks",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "off",
      .help = "a bar in the colour of each lock where it is held, hatched where it is "
              "waited for",
      .seldom = true,
      .with_view = "lock-summary" },
    { .name = "events",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "on",
      .help = "rows of events",
      .seldom = true },
    { .name = "variables",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "on",
      .help = "rows of curves",
      .seldom = true },
    { .name = "row_height",
      .kind = WEFT_PARAMETER_NUMBER,
      .maximum = 400,
      .fallback = "0",
      .help = "pixels; 0: as they fit, and where one can scroll not below what "
              "can be read",
      .seldom = true },
    { .name = "scroll",
      .kind = WEFT_PARAMETER_SCROLL,
      .maximum = 1e9,
      .fallback = "0",
      .help = "pixels scrolled down, where rows scroll" },
    { .name = "closed",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "closed containers (or open ones, where close closes): one row sums "
              "what is below" },
    { .name = "unfolded",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "containers whose locks and the like are all shown" },
    { .name = "pinned",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "containers pinned on top" },
    { .name = "order",
      .kind = WEFT_PARAMETER_ORDER,
      .fallback = "",
      .help = "rows moved: A<B puts A right before B" },
};

static bool fills(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    return schema->n_states || schema->n_events || schema->n_samples || schema->n_links;
}

static enum st_color color_of(const struct weft_request *request)
{
    const char *text = weft_setting(request, "color");
    return strcmp(text, "container") == 0  ? ST_BY_CONTAINER
           : strcmp(text, "duration") == 0 ? ST_BY_DURATION
                                           : ST_BY_VALUE;
}

/* Draws a light rectangle behind each row, from the container's begin to its end. */
static void draw_lives(struct st_picture *p)
{
    struct weft_rect plot = p->frame.plot;
    if (p->rows.n > 2000 || p->activity) /* empty then means idle */
        return;
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        const struct weft_container *c = &p->schema->containers[row->container];
        if (!st_is_shown(p, row) || row->kind == ST_HEADER || row->kind == ST_FOLD
            || row->height < 3)
            continue;
        double x0 = st_x(p, c->begin), x1 = st_x(p, c->end);
        weft_scene_rect(p->scene,
                        (struct weft_rect){ x0, plot.y + row->y, x1 - x0, row->height - 1 },
                        (struct weft_paint){ .fill = p->request->theme->empty });
    }
}

static bool only_states(const struct st_picture *p)
{
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.list[i].kind == ST_CURVE || p->rows.list[i].kind == ST_EVENTS)
            return false;
    return true;
}

/* Returns notes on signs in the picture that no legend explains; "" for none. */
static const char *notes_of(const struct st_picture *p)
{
    const char *links =
        weft_arena_printf(p->arena, "%s links as a density",
                          weft_number_text(p->arena, (double)p->density_links, 0));
    const char *parts[] = { p->density_links ? links : "",
                            p->collectives_note ? p->collectives_note : "",
                            st_locks_note(p),
                            p->endless ? "cross-hatched: no end in the trace" : "" };
    const char *text = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i][0])
            text =
                weft_arena_printf(p->arena, "%s%s%s", text, text[0] ? " · " : "", parts[i]);
    return text;
}

static const char *subtitle_of(const struct st_picture *p)
{
    /* A page shows the range itself, and its window is wider than the visible part. */
    const char *text =
        p->request->bare ? "" : weft_range_text(p->arena, p->schema, p->window);
    const char *notes = notes_of(p);
    if (notes[0])
        text = weft_arena_printf(p->arena, "%s · %s", text, notes);
    if (p->rows.group > 1)
        text = weft_arena_printf(p->arena, "%s · each row: %zu %s", text, p->rows.group,
                                 p->activity ? "processors" : "tracks");
    else if (p->rows.n < p->rows.total)
        text = weft_arena_printf(p->arena, "%s · %zu of %zu rows%s", text, p->rows.n,
                                 p->rows.total, only_states(p) ? ", states only" : "");
    if (p->color == ST_BY_DURATION)
        text =
            weft_arena_printf(p->arena, "%s · colour: duration, %s", text,
                              p->request->theme->dark ? "light is long" : "dark is long");
    if (p->color == ST_BY_CONTAINER)
        text = weft_arena_printf(p->arena, "%s · colour: container", text);
    const char *separator = " · ";
    return strncmp(text, separator, strlen(separator)) == 0 ? text + strlen(separator)
                                                            : text;
}

static void draw_notes(struct st_picture *p)
{
    enum { ROOM = 400 }; /* pixels: the note would hide what a smaller plot shows */
    struct weft_rect plot = p->frame.plot;
    const char *text = notes_of(p);
    if (!text[0] || plot.width < ROOM)
        return;
    weft_scene_layer(p->scene, "note",
                     (struct weft_rect){ 0, 0, p->scene->width, p->scene->height },
                     WEFT_LAYER_FIXED);
    double width = weft_text_width(WEFT_FONT_SANS, 11, text) + 10;
    weft_scene_rect(
        p->scene, (struct weft_rect){ plot.x + plot.width - width, plot.y + 2, width, 17 },
        (struct weft_paint){ .fill =
                                 (p->request->theme->panel & 0xffffffu) | 0xd0000000u });
    weft_scene_text(p->scene, (struct weft_point){ plot.x + plot.width - 5, plot.y + 14 },
                    WEFT_ANCHOR_END, WEFT_FONT_SANS, 11, p->request->theme->quiet, text);
}

/* Lays out rows, legend and frame, all but the scale, by the relevance of rows. */
static bool lay_out_rows(struct st_picture *p, const struct weft_relevance *relevance,
                         struct weft_err *err)
{
    const struct weft_request *request = p->request;
    /*
     * The frame needs the rows (for names and legend), and the rows need the frame's
     * height: rows are made with a guessed height first, and again when the frame is laid
     * out.
     */
    if (!st_rows_make(&p->rows, &p->pinned, request, relevance, p->activity, p->arena,
                      fmax(1, request->height - (request->bare ? 20 : 100)), err)
        || (p->layers && !p->layers->begin(p, err)))
        return false;
    struct weft_legend_entry *legend;
    size_t n_legend =
        p->activity ? p->layers->activity_legend(p, &legend) : st_legend(p, &legend);
    if (p->layers)
        n_legend = p->layers->legend(p, &legend, n_legend);
    n_legend = st_locks_legend(p, &legend, n_legend);
    st_choose_labels(p);
    p->gutter = request->width < 200 ? 0 : st_gutter(p);
    weft_frame_begin(&p->frame, p->scene, request, p->gutter, true, legend, n_legend,
                     subtitle_of(p));
    if (!st_rows_make(&p->rows, &p->pinned, request, relevance, p->activity, p->arena,
                      p->frame.plot.height, err))
        return false;
    st_choose_labels(p);
    return true;
}

/*
 * Prepares what rows are made from: the relevance, or, for lines of activity, the
 * processors.
 */
static bool lay_out_with_rows(struct st_picture *p, struct weft_err *err)
{
    const struct weft_set one = { p->request->set->sources, 1 };
    const char *activity = weft_setting(p->request, "activity");
    if (strcmp(activity, "lines") == 0) {
        if (!p->layers)
            return weft_fail(err, WEFT_ERR_USAGE,
                             "activity=lines needs processors, which this build of Weft "
                             "does not know");
        return p->layers->begin_activity(p, err) && lay_out_rows(p, NULL, err);
    }
    const struct weft_relevance *relevance =
        weft_use_get(p->request->use, &st_relevance_preparation, &one, NULL, 0, err);
    return relevance && lay_out_rows(p, relevance, err);
}

bool st_lay_out(struct st_picture *p, struct weft_err *err)
{
    const struct weft_request *request = p->request;
    p->source = request->set->sources[0];
    p->schema = p->source->schema;
    p->layers = weft_answer_space_time();
    p->color = color_of(request);
    p->swatches = weft_palette(p->arena, p->schema, request->theme);
    p->window = request->window;
    if (p->window.end <= p->window.begin)
        p->window.end = p->window.begin + 1;
    p->shown = request->shown.end > request->shown.begin ? request->shown : p->window;
    st_locks_begin(p);
    if (!lay_out_with_rows(p, err))
        return false;
    p->columns = (size_t)p->frame.plot.width;
    if (!p->columns)
        p->columns = 1;
    p->scale = p->frame.plot.width / (double)(p->window.end - p->window.begin);
    struct weft_scene_frame *frame = &p->scene->frame;
    frame->pinned = st_pinned_height(&p->pinned);
    frame->scroll = p->rows.scroll;
    if (p->rows.scrolls)
        frame->scroll_height = p->rows.content;
    return true;
}

void st_choose_band(struct st_picture *p, const struct st_picture *whole, bool pinned)
{
    double top = st_pinned_height(&whole->pinned);
    *p = *whole;
    if (pinned) {
        p->rows = whole->pinned;
        p->frame.plot.height = whole->pinned.height;
    } else {
        p->frame.plot.y += top;
        p->frame.plot.height = fmax(1, whole->frame.plot.height - top);
    }
}

/* Paints one band of rows, all but links. */
static void paint_band(struct st_picture *p, unsigned moves)
{
    struct weft_rect plot = p->frame.plot;
    plot.height = fmax(1, p->rows.height);
    st_draw_labels(p, moves);
    weft_scene_layer(p->scene, "states", plot, WEFT_LAYER_MOVES_X | moves);
    if (p->activity) {
        p->layers->paint_activity(p);
        return;
    }
    st_paint_states(p);
    weft_scene_layer(p->scene, "locks", plot, WEFT_LAYER_MOVES_X | moves);
    st_paint_locks(p);
    weft_scene_layer(p->scene, "curves", plot, WEFT_LAYER_MOVES_X | moves);
    st_paint_curves(p);
    weft_scene_layer(p->scene, "events", plot, WEFT_LAYER_MOVES_X | moves);
    st_paint_events(p);
}

/*
 * Returns the picture with pinned and other rows in one list, since links go between any
 * rows.
 */
static struct st_picture all_rows(const struct st_picture *p)
{
    struct st_rows all = p->rows;
    double top = st_pinned_height(&p->pinned);
    uint32_t n = (uint32_t)p->pinned.n;
    all.n = p->pinned.n + p->rows.n;
    all.list = weft_arena_alloc(p->arena, (all.n + 1) * sizeof *all.list);
    all.row_of = weft_arena_alloc(p->arena, p->schema->n_containers * sizeof *all.row_of);
    if (n)
        memcpy(all.list, p->pinned.list, n * sizeof *all.list);
    for (size_t i = 0; i < p->rows.n; i++) {
        all.list[n + i] = p->rows.list[i];
        all.list[n + i].y += top;
        if (all.list[n + i].states_below != WEFT_NONE)
            all.list[n + i].states_below += n;
    }
    for (uint32_t c = 0; c < p->schema->n_containers; c++) {
        uint32_t row = p->rows.row_of[c], pinned = p->pinned.row_of[c];
        all.row_of[c] = pinned != WEFT_NONE ? pinned : row != WEFT_NONE ? n + row : row;
    }
    all.height = p->rows.height + top;
    struct st_picture whole = *p;
    whole.rows = all;
    whole.row_of_track =
        weft_arena_alloc(p->arena, (p->schema->n_tracks + 1) * sizeof *whole.row_of_track);
    for (uint32_t t = 0; t < p->schema->n_tracks; t++)
        whole.row_of_track[t] = WEFT_NONE;
    for (size_t i = all.n; i-- > 0;) /* pinned rows, which come first, win */
        for (uint32_t t = 0; t < all.list[i].n_tracks && all.list[i].kind == ST_STATES; t++)
            whole.row_of_track[all.list[i].tracks[t]] = (uint32_t)i;
    return whole;
}

static void paint_links(struct st_picture *p, struct st_picture *whole, const char *mode)
{
    struct weft_rect plot = p->frame.plot;
    plot.height = fmax(1, whole->rows.height);
    weft_scene_layer(p->scene, "links", plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    st_paint_links(whole, mode);
    p->density_links = whole->density_links;
}

/* By now all blocks of the picture were read, so their damage is known. */
static void paint_damage(struct st_picture *p)
{
    const struct weft_damage *list;
    struct st_picture band;
    size_t n;
    if (!weft_damage_list(p->source, p->arena, &list, &n))
        return;
    for (int pinned = p->pinned.n > 0; pinned >= 0; pinned--) {
        st_choose_band(&band, p, pinned);
        struct weft_rect plot = band.frame.plot;
        plot.height = fmax(1, band.rows.height);
        weft_scene_layer(p->scene, WEFT_DAMAGE_LAYER, plot,
                         WEFT_LAYER_MOVES_X | (pinned ? 0 : WEFT_LAYER_MOVES_Y));
        st_paint_damage(&band, list, n);
    }
}

static void paint(struct st_picture *p)
{
    const struct weft_request *request = p->request;
    struct st_picture band;
    for (int pinned = p->pinned.n > 0; pinned >= 0; pinned--) {
        unsigned moves = pinned ? 0 : WEFT_LAYER_MOVES_Y;
        st_choose_band(&band, p, pinned);
        struct weft_rect plot = band.frame.plot;
        plot.height = fmax(1, band.rows.height);
        weft_scene_layer(p->scene, "lives", plot, WEFT_LAYER_MOVES_X | moves);
        draw_lives(&band);
    }
    weft_frame_time_axis(&p->frame, p->schema, p->window);
    const char *links = weft_setting(request, "links");
    struct st_picture whole = all_rows(p);
    if (strcmp(links, "off") != 0)
        st_count_links(&whole);
    p->links_behind = whole.links > ST_MAX_LINKS_IN_FRONT;
    if (p->links_behind)
        paint_links(p, &whole, links);
    for (int pinned = p->pinned.n > 0; pinned >= 0; pinned--) {
        st_choose_band(&band, p, pinned);
        paint_band(&band, pinned ? 0 : WEFT_LAYER_MOVES_Y);
        p->endless |= band.endless;
    }
    if (p->pinned.n) {
        struct weft_rect plot = p->frame.plot;
        weft_scene_layer(p->scene, "pinned",
                         (struct weft_rect){ 0, plot.y, p->scene->width, plot.height }, 0);
        weft_scene_rect(
            p->scene,
            (struct weft_rect){ 0, plot.y + p->pinned.height + 1, p->scene->width, 1 },
            (struct weft_paint){ .fill = request->theme->quiet });
    }
    if (whole.links && !p->links_behind)
        paint_links(p, &whole, links);
    paint_damage(p);
    if (request->bare)
        p->scene->frame.subtitle = subtitle_of(p);
    else
        draw_notes(p);
    weft_frame_moment(&p->frame, p->schema, p->window);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct st_picture p = { .request = request, .arena = request->arena, .scene = out };
    if (!st_lay_out(&p, err))
        return false;
    paint(&p);
    if (!fills(request->set))
        weft_frame_empty(&p.frame,
                         "Nothing happens in this trace: it has no states, events, "
                         "variables or links.");
    return weft_job_step(request->job, 1, 1, err);
}

/* ---- The table: states of the window, or open at the moment, of the chosen rows ---- */

struct table_walk {
    const struct weft_schema *schema;
    struct weft_table *table;
    const char **labels; /* by container */
    uint32_t track;
    bool more;
};

static bool table_row(void *user, const struct weft_state *state)
{
    struct table_walk *walk = user;
    const struct weft_schema *schema = walk->schema;
    const struct weft_track *track = &schema->tracks[walk->track];
    int64_t zero = schema->span.begin;
    const struct weft_cell cells[] = {
        weft_text_cell(walk->labels[track->container]),
        weft_text_cell(schema->types[track->type].name),
        weft_text_cell(schema->values[state->value].name),
        weft_integer_cell(weft_ticks_to_ns(schema, state->begin - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, state->end - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, state->end - state->begin)),
        weft_integer_cell(state->depth),
        weft_integer_cell((int64_t)state->id),
    };
    return walk->more = walk->table->row(walk->table, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    const struct weft_container *root = &schema->containers[request->under];
    struct weft_span window = request->has_at
                                  ? weft_request_instant(request)
                                  : weft_window_with_end(schema, request->window);
    struct table_walk walk = { schema, out, weft_container_labels(schema, request->arena),
                               0, true };
    bool *named = st_rows_named(request, err), ok = named;
    if (!ok)
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t i = schema->track_begin[root->order];
         i < schema->track_begin[root->subtree_end] && walk.more && ok; i++) {
        uint32_t t = schema->track_at[i];
        const struct weft_track *track = &schema->tracks[t];
        if (schema->types[track->type].kind != WEFT_STATE || !named[track->container])
            continue;
        walk.track = t;
        source->ops->states(source, t, window, table_row, &walk);
        ok = weft_job_step(request->job, t, schema->n_tracks, err);
    }
    free(named);
    if (ok)
        out->end(out);
    return ok;
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_answer_place(set, WEFT_ABOUT_TIME, WEFT_PLACE_MAIN);
}

static const struct weft_column columns[] = {
    { .name = "container" }, { .name = "type" },   { .name = "value" },
    { .name = "start_ns" },  { .name = "end_ns" }, { .name = "duration_ns" },
    { .name = "depth" },     { .name = "id" },
};

const struct weft_view weft_view_space_time = {
    .name = "space-time",
    .title = "Space-time",
    .group = "Timeline",
    .explanation = "Each row is a container over time: bars are its states, marks events, "
                   "curves variables; arrows go from who sent or woke to whom.",
    .needs = "states, events, variables or links (any recording has them)",
    .moment = WEFT_MOMENT_MARKED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .place = place,
    .scene = scene,
    .table = table,
    .point = st_point,
};
