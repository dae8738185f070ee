/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the circles and lines of diagrams. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "domains/messages/view/node_diagram.h"
#include "domains/messages/view/task_color_code.h"
#include "store/time.h"

static const double turn = 6.283185307179586;

/* ---- Statuses ---- */

static const char *const names[DIAGRAM_STATUSES] = {
    "busy", "overhead", "idle", "sending", "receiving", "in a collective", "damaged"
};

/*
 * In black and white each status has a hatch; in colour sending, receiving and collective
 * operations have hues far from the theme's three classes.
 */
struct weft_swatch diagram_swatch(const struct weft_theme *theme,
                                  enum diagram_status status)
{
    static const enum weft_hatch hatches[DIAGRAM_STATUSES] = {
        WEFT_HATCH_NONE,          WEFT_HATCH_DOTS,       WEFT_HATCH_DIAGONAL,
        WEFT_HATCH_BACK_DIAGONAL, WEFT_HATCH_HORIZONTAL, WEFT_HATCH_GRID,
        WEFT_HATCH_CROSS
    };
    static const uint8_t greys[] = { 160, 225, 60, 190, 130, 95 };
    static const weft_color light[] = { 0xff3b76b8, 0xff8466b3, 0xff35b0c0 };
    static const weft_color dark[] = { 0xff5590d0, 0xffa389d6, 0xff55cfdf };
    static const weft_color cvd[] = { 0xff3554b4, 0xffa5aeea, 0xff42f2c6 };
    struct weft_swatch swatch = { .hatch = WEFT_HATCH_NONE };
    if (status == DIAGRAM_DAMAGED) {
        swatch.fill = theme->panel;
        swatch.hatch = hatches[status];
    } else if (theme->name == WEFT_THEME_MONO) {
        swatch.fill = 0xffffffff;
        swatch.hatch = hatches[status];
    } else if (theme->name == WEFT_THEME_GREY) {
        swatch.fill = 0xff000000u | greys[status] * 0x010101u;
        swatch.hatch = status >= DIAGRAM_SENDING ? hatches[status] : WEFT_HATCH_NONE;
    } else if (status >= DIAGRAM_SENDING) {
        swatch.fill = (theme->name == WEFT_THEME_CVD ? cvd
                       : theme->dark                 ? dark
                                                     : light)[status - DIAGRAM_SENDING];
    } else {
        swatch.fill = status == DIAGRAM_BUSY       ? theme->busy
                      : status == DIAGRAM_OVERHEAD ? theme->overhead
                                                   : theme->idle;
    }
    swatch.tone = swatch.fill;
    swatch.ink = weft_ink(swatch.fill);
    return swatch;
}

size_t diagram_status_legend(const struct diagram *d, struct weft_legend_entry *out)
{
    uint64_t total[DIAGRAM_STATUSES] = { 0 };
    size_t n = 0;
    for (uint32_t g = 0; d->statuses && g < d->n_groups; g++)
        for (int s = 0; s < DIAGRAM_STATUSES; s++)
            total[s] += d->statuses[g][s];
    for (int s = 0; s < DIAGRAM_DAMAGED; s++)
        if (total[s])
            out[n++] = (struct weft_legend_entry){
                diagram_swatch(d->request->theme, (enum diagram_status)s),
                weft_arena_printf(d->arena, "%s (%" PRIu64 ")", names[s], total[s]), -1,
                100 - s
            };
    return n;
}

/* ---- Labels ---- */

void diagram_reserve(struct diagram_labels *labels, struct weft_rect rect)
{
    if (labels->n == labels->capacity) {
        size_t capacity = labels->capacity ? 2 * labels->capacity : 64;
        struct weft_rect *larger =
            weft_arena_alloc(labels->arena, capacity * sizeof *larger);
        if (labels->n)
            memcpy(larger, labels->taken, labels->n * sizeof *larger);
        labels->taken = larger;
        labels->capacity = capacity;
    }
    labels->taken[labels->n++] = rect;
}

bool diagram_try(struct diagram_labels *labels, struct weft_rect rect)
{
    for (size_t i = 0; i < labels->n; i++) {
        struct weft_rect other = labels->taken[i];
        if (rect.x < other.x + other.width && other.x < rect.x + rect.width
            && rect.y < other.y + other.height && other.y < rect.y + rect.height)
            return false;
    }
    diagram_reserve(labels, rect);
    return true;
}

/* ---- Nodes ---- */

static struct weft_mark *circle(struct weft_frame *frame, struct weft_spot at,
                                double radius, struct weft_paint paint)
{
    return weft_scene_glyph(frame->scene, WEFT_GLYPH_CIRCLE,
                            (struct weft_point){ at.x, at.y }, 2 * radius, 0, paint);
}

void diagram_draw_unused(struct weft_frame *frame, struct weft_spot spot, double radius)
{
    struct weft_mark *mark = circle(frame, spot, radius,
                                    (struct weft_paint){ .fill = 0xff000000,
                                                         .stroke = frame->theme->quiet,
                                                         .stroke_width = 0.5f });
    weft_mark_title(frame->scene, mark, "no processor has this place");
}

/* Draws the status of a processor; for a group with several statuses, sectors. */
static void draw_status(struct weft_frame *frame, const uint32_t *statuses,
                        struct weft_spot at, double radius)
{
    const struct weft_theme *theme = frame->theme;
    uint32_t total = 0, kinds = 0;
    for (int s = 0; s < DIAGRAM_STATUSES; s++) {
        total += statuses[s];
        kinds += statuses[s] > 0;
    }
    double from = -turn / 4;
    for (int s = 0; s < DIAGRAM_STATUSES; s++) {
        if (!statuses[s])
            continue;
        struct weft_swatch swatch = diagram_swatch(theme, (enum diagram_status)s);
        double sweep = turn * statuses[s] / total;
        struct weft_paint paint = { .fill = swatch.fill, .hatch = swatch.hatch };
        if (kinds == 1)
            circle(frame, at, radius, paint);
        else
            weft_scene_sector(frame->scene, (struct weft_point){ at.x, at.y }, 0, radius,
                              from, sweep, paint);
        from += sweep;
    }
    circle(frame, at, radius,
           (struct weft_paint){ .stroke = theme->text, .stroke_width = 0.8f });
}

/* Returns the only status in a group, or -1 when there are several or none. */
static int only_status(const struct diagram *d, uint32_t group)
{
    int only = -1;
    for (int s = 0; d->statuses && s < DIAGRAM_STATUSES; s++) {
        if (!d->statuses[group][s])
            continue;
        if (only >= 0)
            return -1;
        only = s;
    }
    return only;
}

static void title_node(struct weft_frame *frame, const struct diagram *d, uint32_t group,
                       struct weft_mark *mark)
{
    const struct weft_schema *schema = d->processors->source->schema;
    char text[400] = "", at[WEFT_TIME_TEXT];
    size_t used = 0;
    for (int s = 0; d->statuses && s < DIAGRAM_STATUSES; s++)
        if (d->statuses[group][s]) {
            int more = d->each > 1
                           ? snprintf(text + used, sizeof text - used, " · %" PRIu32 " %s",
                                      d->statuses[group][s], names[s])
                           : snprintf(text + used, sizeof text - used, " · %s", names[s]);
            used += more > 0 ? (size_t)more : 0;
        }
    int64_t task;
    if (d->request->has_at) {
        used += (size_t)snprintf(
            text + used, sizeof text - used, " · at %s",
            weft_duration_text(schema, d->request->at - schema->span.begin, at));
        if (d->each == 1
            && weft_task_at(d->processors, d->processor[group], d->request->at, &task))
            snprintf(text + used, sizeof text - used, " · task %" PRId64, task);
    }
    const char *pending = d->request->has_at ? " pending" : "";
    weft_mark_title(frame->scene, mark,
                    "%s %s%s · messages%s in: %" PRIu64 " · messages%s out: %" PRIu64,
                    d->each > 1 ? "processors" : "processor", diagram_name(d, group), text,
                    pending, d->in[group], pending, d->out[group]);
}

/*
 * Writes the label into the circle, else beside it, away from the centre first, else
 * nowhere.
 */
static void label_node(struct weft_frame *frame, const struct diagram *d, uint32_t group,
                       const struct diagram_nodes *nodes, struct diagram_labels *labels)
{
    struct weft_scene *scene = frame->scene;
    struct weft_spot at = nodes->spots[group];
    double r = nodes->radius, size = WEFT_SMALL_SIZE;
    const char *text = diagram_label(d, group);
    double width = weft_text_width(WEFT_FONT_SANS, size, text);
    if (!nodes->grouped && hypot(width, 8) + 2 <= 2 * r) {
        int only = only_status(d, group);
        struct weft_swatch swatch = { .ink = frame->theme->text };
        if (only >= 0)
            swatch = diagram_swatch(frame->theme, (enum diagram_status)only);
        if (swatch.hatch != WEFT_HATCH_NONE || (only < 0 && d->statuses)) {
            circle(frame, at, fmin(r - 2, hypot(width, 8) / 2 + 1),
                   (struct weft_paint){ .fill = frame->theme->panel });
            swatch.ink = frame->theme->text;
        }
        weft_scene_text(scene, (struct weft_point){ at.x, at.y + 4 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, size, swatch.ink, text);
        return;
    }
    /* Away from the centre, at a right angle to the ellipse of a ring. */
    double flat = frame->plot.height / frame->plot.width;
    double dx = (at.x - nodes->centre.x) * flat, dy = (at.y - nodes->centre.y) / flat;
    double far = hypot(dx, dy);
    const double sides[][2] = { { far > 1 ? dx / far : 0, far > 1 ? dy / far : 1 },
                                { 0, 1 },
                                { 0, -1 },
                                { 1, 0 },
                                { -1, 0 } };
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        /* The text's middle is so far away that its box touches the circle. */
        double gap = r + 2;
        double x = at.x + sides[i][0] * (gap + width / 2),
               y = at.y + sides[i][1] * (gap + 5);
        struct weft_rect box = { x - width / 2 - 1, y - 5, width + 2, 10 };
        if (box.x < 0 || box.x + box.width > scene->width || box.y < frame->plot.y - 2
            || box.y + box.height > frame->plot.y + frame->plot.height + 2
            || !diagram_try(labels, box))
            continue;
        weft_scene_rect(scene, box, (struct weft_paint){ .fill = frame->theme->panel });
        weft_scene_text(scene, (struct weft_point){ x, y + 4 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, size, frame->theme->text, text);
        return;
    }
}

void diagram_draw_nodes(struct weft_frame *frame, const struct diagram *d,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels)
{
    const struct weft_theme *theme = frame->theme;
    struct weft_rect plot = frame->plot;
    weft_scene_layer(
        frame->scene, "nodes",
        (struct weft_rect){ 0, plot.y - 2, frame->scene->width, plot.height + 4 },
        WEFT_LAYER_FIXED);
    for (uint32_t g = 0; g < d->n_groups; g++)
        diagram_reserve(labels, (struct weft_rect){ nodes->spots[g].x - nodes->radius,
                                                    nodes->spots[g].y - nodes->radius,
                                                    2 * nodes->radius, 2 * nodes->radius });
    for (uint32_t g = 0; g < d->n_groups; g++) {
        struct weft_spot at = nodes->spots[g];
        if (d->statuses)
            draw_status(frame, d->statuses[g], at, nodes->radius);
        else
            circle(frame, at, nodes->radius,
                   (struct weft_paint){
                       .fill = theme->panel, .stroke = theme->text, .stroke_width = 1 });
        label_node(frame, d, g, nodes, labels);
    }
    /*
     * Transparent circles on top, so that the pointer finds a node under labels and
     * sectors.
     */
    for (uint32_t g = 0; g < d->n_groups; g++) {
        struct weft_mark *mark =
            weft_scene_glyph(frame->scene, WEFT_GLYPH_CIRCLE,
                             (struct weft_point){ nodes->spots[g].x, nodes->spots[g].y },
                             2 * nodes->radius, 0, (struct weft_paint){ 0 });
        if (!mark)
            continue;
        title_node(frame, d, g, mark);
        uint32_t first = d->processor[g * d->each];
        if (d->each == 1)
            mark->id = weft_container_id(d->processors->processors[first].container, false);
        if (nodes->movable)
            mark->action =
                (struct weft_action){ WEFT_ACTION_MOVE, nodes->movable,
                                      (uint64_t)d->processors->processors[first].number };
    }
}

/* ---- Lines ---- */

struct weft_paint diagram_pending_paint(weft_color color, uint64_t count, size_t n_lines)
{
    /* Up to `clear` lines can be told apart at full opacity and by width. */
    const double clear = 250, palest = 0.2;
    if ((double)n_lines <= clear)
        return (struct weft_paint){ .stroke = color,
                                    .stroke_width =
                                        (float)fmin(4, 1 + log2((double)count) / 2) };
    double opacity = fmax(palest, clear / (double)n_lines);
    return (struct weft_paint){ .stroke =
                                    (color & 0xffffffu) | (weft_color)(255 * opacity) << 24,
                                .stroke_width = 1 };
}

static void head(struct weft_frame *frame, struct weft_point from, struct weft_point at,
                 struct weft_paint line)
{
    weft_scene_glyph(frame->scene, WEFT_GLYPH_ARROWHEAD, at, 4 + 1.5 * line.stroke_width,
                     atan2(at.y - from.y, at.x - from.x),
                     (struct weft_paint){ .fill = line.stroke });
}

/* Draws a loop from the left to the right of a circle, above its middle. */
static struct weft_mark *draw_loop(struct weft_frame *frame, struct weft_spot at,
                                   double radius, struct weft_paint paint)
{
    enum { CORNERS = 24 };
    struct weft_point points[CORNERS + 1];
    for (int i = 0; i <= CORNERS; i++) {
        double angle = turn * i / CORNERS;
        points[i] = (struct weft_point){ at.x + 0.7 * radius * sin(angle),
                                         at.y - radius - 0.5 * radius * cos(angle) };
    }
    return weft_scene_polyline(frame->scene, points, CORNERS + 1, paint);
}

enum { BENDS = 14 }; /* segments of each half of a curve */

/* The point T of a quadratic Bezier curve. */
static struct weft_point on_curve(struct weft_spot a, struct weft_spot corner,
                                  struct weft_spot b, double t)
{
    double s = 1 - t;
    return (struct weft_point){ s * s * a.x + 2 * s * t * corner.x + t * t * b.x,
                                s * s * a.y + 2 * s * t * corner.y + t * t * b.y };
}

/* Bisects for the parameter at which a curve leaves the circle around its begin. */
static double leave_circle(struct weft_spot a, struct weft_spot corner, struct weft_spot b,
                           double radius)
{
    double low = 0, high = 0.5;
    for (int i = 0; i < 12; i++) { /* 2^-13 of the curve */
        double t = (low + high) / 2;
        struct weft_point p = on_curve(a, corner, b, t);
        if (hypot(p.x - a.x, p.y - a.y) < radius)
            low = t;
        else
            high = t;
    }
    return high;
}

/*
 * Fills POINTS along a line from circle to circle; returns how many, 0 when they overlap.
 */
static size_t trace_arc(struct weft_spot a, struct weft_spot b, double bend, double radius,
                        struct weft_point *points)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    /* The control point is twice as far aside as the middle of the curve. */
    double cx = (a.x + b.x) / 2 + 2 * bend * dy, cy = (a.y + b.y) / 2 - 2 * bend * dx;
    if (bend == 0) {
        double ux = length > 0 ? dx / length : 0, uy = length > 0 ? dy / length : 0;
        double cut = fmin(radius, length / 2);
        points[0] = (struct weft_point){ a.x + cut * ux, a.y + cut * uy };
        points[1] = (struct weft_point){ b.x - cut * ux, b.y - cut * uy };
        return 2;
    }
    const struct weft_spot corner = { cx, cy };
    double from = leave_circle(a, corner, b, radius);
    double to = 1 - leave_circle(b, corner, a, radius);
    for (int i = 0; i <= 2 * BENDS; i++)
        points[i] = on_curve(a, corner, b, from + (to - from) * i / (2.0 * BENDS));
    return from < to ? 2 * BENDS + 1 : 0;
}

struct weft_mark *diagram_draw_arc(struct weft_frame *frame,
                                   const struct diagram_nodes *nodes,
                                   const struct diagram_arc *arc, double bend, bool heads,
                                   struct weft_paint paint)
{
    struct weft_point points[2 * BENDS + 1];
    if (arc->a == arc->b && nodes->grouped)
        return NULL; /* its messages are not counted in lines */
    if (arc->a == arc->b)
        return draw_loop(frame, nodes->spots[arc->a], nodes->radius, paint);
    size_t n =
        trace_arc(nodes->spots[arc->a], nodes->spots[arc->b], bend, nodes->radius, points);
    if (n < 2)
        return NULL;
    if (heads && arc->there)
        head(frame, points[n - 2], points[n - 1], paint);
    if (heads && arc->back)
        head(frame, points[1], points[0], paint);
    return weft_scene_polyline(frame->scene, points, n, paint);
}

void diagram_arc_title(struct weft_frame *frame, const struct diagram *d,
                       struct weft_mark *mark, const struct diagram_arc *arc,
                       const char *kind)
{
    const char *a = diagram_name(d, arc->a), *b = diagram_name(d, arc->b);
    const char *pending = d->request->has_at ? " pending" : "";
    char there[80] = "", back[80] = "";
    if (arc->there)
        snprintf(there, sizeof there, " · %s \xe2\x86\x92 %s: %" PRIu64 "%s", a, b,
                 arc->there, pending);
    if (arc->back && arc->a != arc->b)
        snprintf(back, sizeof back, " · %s \xe2\x86\x92 %s: %" PRIu64 "%s", b, a, arc->back,
                 pending);
    weft_mark_title(frame->scene, mark, "%s%s%s", kind, there, back);
}

const char *diagram_left_out(const struct diagram *d, size_t drawn, size_t all)
{
    return drawn < all ? weft_arena_printf(d->arena,
                                           "%s of %s lines drawn, those with most messages",
                                           weft_number_text(d->arena, (double)drawn, 0),
                                           weft_number_text(d->arena, (double)all, 0))
                       : NULL;
}

void diagram_count_arcs(struct weft_frame *frame, const struct diagram_arc *arcs, size_t n,
                        const struct diagram_nodes *nodes, struct diagram_labels *labels)
{
    static const double along[] = { 0.5, 0.38, 0.62, 0.28, 0.72 };
    enum { MAX_LABELLED = 60, PLACES = sizeof along / sizeof *along };
    struct weft_scene *scene = frame->scene;
    weft_scene_layer(
        scene, "counts",
        (struct weft_rect){ 0, frame->plot.y, scene->width, frame->plot.height },
        WEFT_LAYER_FIXED);
    for (size_t i = n; n <= MAX_LABELLED && i-- > 0;) {
        struct weft_spot a = nodes->spots[arcs[i].a], b = nodes->spots[arcs[i].b];
        const char *text =
            weft_number_text(scene->arena, (double)(arcs[i].there + arcs[i].back), 0);
        double width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text);
        for (int k = 0; k < PLACES && arcs[i].a != arcs[i].b; k++) {
            double x = a.x + along[k] * (b.x - a.x), y = a.y + along[k] * (b.y - a.y);
            struct weft_rect box = { x - width / 2 - 2, y - 6, width + 4, 12 };
            if (!diagram_try(labels, box))
                continue;
            weft_scene_rect(scene, box, (struct weft_paint){ .fill = frame->theme->panel });
            weft_scene_text(scene, (struct weft_point){ x, y + 4 }, WEFT_ANCHOR_MIDDLE,
                            WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->text, text);
            break;
        }
    }
}

/* Pixels around the nodes' middles for a circle and a label beside it. */
enum { MARGIN_X = 52, MARGIN_Y = 32 };

static struct weft_rect without_margin(struct weft_rect rect)
{
    double x = fmin(MARGIN_X, rect.width / 8), y = fmin(MARGIN_Y, rect.height / 7);
    return (struct weft_rect){ rect.x + x, rect.y + y, rect.width - 2 * x,
                               rect.height - 2 * y };
}

struct weft_rect diagram_room(const struct weft_request *request)
{
    /* Usual height of the title, explanation and a legend of two lines. */
    double around = request->bare ? 0 : request->height < 260 ? 60 : 100;
    return without_margin((struct weft_rect){ 0, 0, fmax(1, request->width - 16),
                                              fmax(1, request->height - around) });
}

struct weft_rect diagram_inset(const struct weft_frame *frame)
{
    return without_margin(frame->plot);
}
