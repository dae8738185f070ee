/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of the view `why`: the chain of causes in time, and its parts as bars. */
#include <math.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/text.h"
#include "view/timeline/why.h"

enum { ROW_HEIGHT = 22, ROWS_MAX = 512 };

/* The upper part of the picture: rows in the order in which the walk came to them. */
struct chain {
    const struct weft_schema *schema;
    struct weft_scene *scene;
    struct weft_rect plot;
    struct weft_span span;
    const struct weft_swatch *swatches;
    const struct weft_theme *theme;
    uint32_t rows[ROWS_MAX]; /* containers */
    size_t n_rows, shown;
    double last_x[ROWS_MAX]; /* left end of what was drawn of the row */
    uint32_t visit;
    double last_y; /* of the row that the walk was at; negative: it begins */
};

static size_t place_of(struct chain *chain, uint32_t row)
{
    for (size_t i = 0; i < chain->n_rows; i++)
        if (chain->rows[i] == row)
            return i;
    if (chain->n_rows < ROWS_MAX) {
        chain->rows[chain->n_rows] = row;
        chain->last_x[chain->n_rows] = INFINITY;
        return chain->n_rows++;
    }
    return ROWS_MAX;
}

static double x_of(const struct chain *chain, int64_t time)
{
    return chain->plot.x
           + chain->plot.width * (double)(time - chain->span.begin)
                 / (double)(chain->span.end - chain->span.begin);
}

/* Draws how the walk goes from the row that it was at to that of STEP. */
static void draw_change(struct chain *chain, const struct weft_step *step, double middle)
{
    double x = x_of(chain, step->span.end);
    if (chain->last_y >= 0 && chain->visit != step->visit)
        weft_scene_line(
            chain->scene, (struct weft_point){ x, chain->last_y },
            (struct weft_point){ x, middle },
            (struct weft_paint){ .stroke = chain->theme->accent, .stroke_width = 1.5F });
    chain->visit = step->visit;
    chain->last_y = middle;
}

static void draw_step(struct chain *chain, const struct weft_step *step, size_t place)
{
    double x0 = x_of(chain, step->span.begin), x1 = x_of(chain, step->span.end);
    double y = chain->plot.y + (double)place * ROW_HEIGHT;
    bool thin = step->kind != WEFT_STEP_DID;
    struct weft_paint paint = { .fill = chain->theme->empty };
    char length[WEFT_TIME_TEXT];
    if (step->of.value != WEFT_NONE) {
        paint.fill = chain->swatches[step->of.value].fill;
        paint.hatch = chain->swatches[step->of.value].hatch;
    } else if (step->class == WEFT_ACTIVITY_WORK) {
        paint.fill = chain->theme->busy;
    }
    if (x1 - x0 < 0.5) {
        /* The walk goes back in time: what is drawn already covers the pixel. */
        if (chain->last_x[place] - x0 < 0.5)
            return;
        x1 = x0 + 0.5;
    }
    chain->last_x[place] = x0;
    struct weft_rect rect = { x0, y + (thin ? 8 : 3), x1 - x0,
                              ROW_HEIGHT - (thin ? 16 : 6) };
    struct weft_mark *mark = weft_scene_rect(chain->scene, rect, paint);
    if (!mark)
        return;
    mark->id = step->of.id;
    weft_duration_text(chain->schema, step->span.end - step->span.begin, length);
    weft_mark_title(
        chain->scene, mark, "%s: %s%s, %s", chain->schema->containers[step->row].name,
        step->of.value == WEFT_NONE ? "no state"
                                    : chain->schema->values[step->of.value].name,
        step->kind == WEFT_STEP_ON_ITS_WAY ? " (on its way)" : "", length);
}

static bool see_step(void *user, const struct weft_step *step)
{
    struct chain *chain = user;
    size_t place = place_of(chain, step->row);
    if (place >= chain->shown)
        return true;
    draw_change(chain, step, chain->plot.y + ((double)place + 0.5) * ROW_HEIGHT);
    draw_step(chain, step, place);
    return true;
}

static void draw_names(struct chain *chain, const char **labels, double gutter)
{
    for (size_t i = 0; i < chain->n_rows && i < chain->shown; i++) {
        double y = chain->plot.y + ((double)i + 0.5) * ROW_HEIGHT;
        const char *name =
            weft_text_fit(chain->scene->arena, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                          labels[chain->rows[i]], gutter - 8);
        weft_scene_text(chain->scene, (struct weft_point){ chain->plot.x - 6, y + 4 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_FONT_SIZE, chain->theme->text,
                        name);
    }
}

/* ---- Bars ---- */

static const char *numbers_of(struct weft_arena *arena, const struct weft_schema *schema,
                              const char **labels, const struct weft_cause *cause,
                              int64_t whole)
{
    char length[WEFT_TIME_TEXT];
    const char *site = weft_site_text(arena, schema, cause->site);
    const char *object = cause->object == WEFT_NONE ? "" : labels[cause->object];
    return weft_arena_printf(arena, "%s · %.1f %%%s%s%s%s",
                             weft_duration_text(schema, cause->ticks, length),
                             100 * (double)cause->ticks / (double)whole,
                             object[0] ? " · " : "", object, site[0] ? " · " : "", site);
}

static struct weft_bar *bars_of(const struct weft_request *request, const char **labels,
                                const struct weft_swatch *swatches,
                                const struct weft_causes *causes, int64_t whole)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_bar *bars = weft_arena_zalloc(request->arena, causes->n + 1, sizeof *bars);
    for (size_t i = 0; i < causes->n; i++) {
        const struct weft_cause *cause = &causes->list[i];
        bars[i] =
            (struct weft_bar){ why_cause_name(request->arena, schema, labels, cause),
                               why_cause_swatch(request->theme, swatches, cause),
                               (double)cause->ticks,
                               numbers_of(request->arena, schema, labels, cause, whole),
                               weft_container_id(cause->row, false) };
    }
    return bars;
}

/* ---- Both ---- */

/* Draws the chain into the upper part of the plot, and leaves the lower one. */
static bool draw_chain(const struct weft_request *request, struct weft_frame *frame,
                       const struct why_question *question, struct chain *chain,
                       const char **labels, double gutter, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    struct weft_rect plot = frame->plot;
    double height = fmin((double)chain->n_rows * ROW_HEIGHT, plot.height * 0.6);
    const struct weft_releases *releases = why_releases(request, 0, err);
    if (!releases)
        return false;
    frame->plot.height = height;
    chain->plot = frame->plot;
    chain->shown = (size_t)(height / ROW_HEIGHT);
    weft_frame_time_axis(frame, source->schema, question->span);
    /* The axis is that of the wait: the page's window does not move it. */
    chain->scene->frame.has_time = false;
    weft_scene_layer(chain->scene, "chain", chain->plot, WEFT_LAYER_FIXED);
    const struct weft_walk_query query = { source, releases, question->row, question->span,
                                           request->job };
    bool ok = weft_walk(&query, see_step, chain, err);
    weft_scene_layer(
        chain->scene, "names",
        (struct weft_rect){ 0, chain->plot.y, chain->plot.x, chain->plot.height },
        WEFT_LAYER_FIXED);
    draw_names(chain, labels, gutter);
    weft_scene_layer(chain->scene, "bars",
                     (struct weft_rect){ 0, 0, request->width, request->height },
                     WEFT_LAYER_FIXED);
    frame->plot = plot;
    frame->plot.y += height + ROW_HEIGHT / 2;
    frame->plot.height = fmax(1, plot.height - height - ROW_HEIGHT / 2);
    return ok;
}

bool why_scene(const struct weft_request *request, struct weft_scene *out,
               struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct why_question question;
    struct weft_causes causes;
    if (!why_ask(request, &question, err) || !why_read(request, &question, &causes, err))
        return false;
    const char **labels = weft_container_labels(schema, request->arena);
    struct weft_swatch *swatches = weft_palette(request->arena, schema, request->theme);
    struct chain *chain = weft_arena_zalloc(request->arena, 1, sizeof *chain);
    *chain = (struct chain){ .schema = schema,
                             .scene = out,
                             .span = question.span,
                             .swatches = swatches,
                             .theme = request->theme,
                             .last_y = -1 };
    for (size_t i = 0; i < causes.n_stays; i++)
        place_of(chain, causes.stays[i].row);
    weft_causes_sum(&causes);
    int64_t whole = question.span.end - question.span.begin;
    struct weft_bar *bars = bars_of(request, labels, swatches, &causes, whole);
    double gutter = weft_bars_gutter(request, bars, causes.n);
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, gutter, question.found, NULL, 0,
                     why_question_text(request, &question, request->arena));
    bool ok = true;
    if (!causes.n)
        weft_frame_empty(&frame, "Nothing waited in this range.");
    else
        ok = draw_chain(request, &frame, &question, chain, labels, gutter, err);
    if (ok && causes.n)
        weft_bars_draw(&frame, bars, causes.n);
    weft_causes_free(&causes);
    return ok;
}
