/* SPDX-License-Identifier: Apache-2.0 */
#include "view/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "view/text.h"

#define NO_ID UINT64_MAX

void weft_scene_init(struct weft_scene *scene, struct weft_arena *arena, double width,
                     double height, weft_color background)
{
    *scene = (struct weft_scene){
        .arena = arena, .width = width, .height = height, .background = background
    };
}

/* Arena arrays grow by copying: the old copy stays until the arena is reset. */
static void *grow(struct weft_arena *arena, void *array, size_t *capacity, size_t need,
                  size_t size)
{
    if (need <= *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *larger = weft_arena_alloc(arena, wanted * size);
    if (array)
        memcpy(larger, array, *capacity * size);
    *capacity = wanted;
    return larger;
}

static struct weft_rect intersect(struct weft_rect a, struct weft_rect b)
{
    double x = fmax(a.x, b.x), y = fmax(a.y, b.y);
    double right = fmin(a.x + a.width, b.x + b.width);
    double bottom = fmin(a.y + a.height, b.y + b.height);
    return (struct weft_rect){ x, y, fmax(0, right - x), fmax(0, bottom - y) };
}

void weft_scene_layer(struct weft_scene *scene, const char *name, struct weft_rect clip,
                      unsigned moves)
{
    scene->layers = grow(scene->arena, scene->layers, &scene->layer_capacity,
                         scene->n_layers + 1, sizeof *scene->layers);
    struct weft_rect all = { 0, 0, scene->width, scene->height };
    scene->layers[scene->n_layers++] =
        (struct weft_layer){ .name = name, .clip = intersect(clip, all), .moves = moves };
}

static struct weft_layer *current(struct weft_scene *scene)
{
    if (!scene->n_layers)
        weft_scene_layer(scene, "all",
                         (struct weft_rect){ 0, 0, scene->width, scene->height },
                         WEFT_LAYER_FIXED);
    return &scene->layers[scene->n_layers - 1];
}

static bool is_full(struct weft_scene *scene)
{
    const struct weft_arena *arena = scene->arena;
    scene->full |= arena->most && arena->used > arena->most;
    return scene->full;
}

static struct weft_mark *add(struct weft_scene *scene, enum weft_mark_kind kind,
                             struct weft_paint paint)
{
    struct weft_layer *layer = current(scene);
    if (is_full(scene) && layer->n_marks)
        layer->n_marks--; /* the picture is discarded */
    layer->marks = grow(scene->arena, layer->marks, &layer->capacity, layer->n_marks + 1,
                        sizeof *layer->marks);
    struct weft_mark *mark = &layer->marks[layer->n_marks++];
    *mark = (struct weft_mark){ .kind = kind, .paint = paint, .id = NO_ID };
    return mark;
}

struct weft_mark *weft_scene_rect(struct weft_scene *scene, struct weft_rect rect,
                                  struct weft_paint paint)
{
    struct weft_rect cut = intersect(rect, current(scene)->clip);
    /* fmin and fmax ignore NaN, so the rectangle itself is tested for it. */
    if (isnan(rect.x + rect.width) || isnan(rect.y + rect.height))
        return NULL;
    if (!(cut.width > 0) || !(cut.height > 0) || !isfinite(cut.width)
        || !isfinite(cut.height))
        return NULL;
    struct weft_mark *mark = add(scene, WEFT_MARK_RECT, paint);
    mark->box = cut;
    return mark;
}

/* Clip the segment from A to B to a rectangle (Liang and Barsky 1984). */
static bool clip_segment(struct weft_rect clip, struct weft_point *a, struct weft_point *b)
{
    if (!isfinite(a->x) || !isfinite(a->y) || !isfinite(b->x) || !isfinite(b->y))
        return false;
    double dx = b->x - a->x, dy = b->y - a->y, from = 0, to = 1;
    const double p[4] = { -dx, dx, -dy, dy };
    const double q[4] = { a->x - clip.x, clip.x + clip.width - a->x, a->y - clip.y,
                          clip.y + clip.height - a->y };
    for (int side = 0; side < 4; side++) {
        if (p[side] == 0) {
            if (q[side] < 0)
                return false;
            continue;
        }
        double at = q[side] / p[side];
        if (p[side] < 0)
            from = fmax(from, at);
        else
            to = fmin(to, at);
    }
    if (from > to)
        return false;
    struct weft_point start = *a;
    if (to < 1)
        *b = (struct weft_point){ start.x + to * dx, start.y + to * dy };
    if (from > 0)
        *a = (struct weft_point){ start.x + from * dx, start.y + from * dy };
    /* If the ends are very far away, rounding errors exceed a pixel: clamp the result. */
    a->x = fmin(fmax(a->x, clip.x), clip.x + clip.width);
    a->y = fmin(fmax(a->y, clip.y), clip.y + clip.height);
    b->x = fmin(fmax(b->x, clip.x), clip.x + clip.width);
    b->y = fmin(fmax(b->y, clip.y), clip.y + clip.height);
    return true;
}

static struct weft_mark *add_points(struct weft_scene *scene, enum weft_mark_kind kind,
                                    const struct weft_point *points, size_t n,
                                    struct weft_paint paint)
{
    struct weft_point *copy = weft_arena_alloc(scene->arena, n * sizeof *copy);
    memcpy(copy, points, n * sizeof *copy);
    struct weft_mark *mark = add(scene, kind, paint);
    mark->points = copy;
    mark->n_points = (uint32_t)n;
    return mark;
}

struct weft_mark *weft_scene_line(struct weft_scene *scene, struct weft_point a,
                                  struct weft_point b, struct weft_paint paint)
{
    if (!clip_segment(current(scene)->clip, &a, &b))
        return NULL;
    return add_points(scene, WEFT_MARK_LINE, (struct weft_point[]){ a, b }, 2, paint);
}

struct weft_mark *weft_scene_polyline(struct weft_scene *scene,
                                      const struct weft_point *points, size_t n_points,
                                      struct weft_paint paint)
{
    struct weft_rect clip = current(scene)->clip;
    struct weft_point *run = weft_arena_alloc(scene->arena, (n_points + 1) * sizeof *run);
    struct weft_mark *last = NULL;
    size_t n = 0;
    for (size_t i = 1; i < n_points; i++) {
        struct weft_point a = points[i - 1], b = points[i];
        if (!clip_segment(clip, &a, &b)) {
            if (n > 1)
                last = add_points(scene, WEFT_MARK_POLYLINE, run, n, paint);
            n = 0;
            continue;
        }
        if (n && (run[n - 1].x != a.x || run[n - 1].y != a.y)) {
            if (n > 1)
                last = add_points(scene, WEFT_MARK_POLYLINE, run, n, paint);
            n = 0;
        }
        if (n == 0)
            run[n++] = a;
        run[n++] = b;
    }
    if (n > 1)
        last = add_points(scene, WEFT_MARK_POLYLINE, run, n, paint);
    return last;
}

/* Cuts a polygon at one side of the clip (Sutherland and Hodgman 1974). */
static size_t cut_side(const struct weft_point *in, size_t n, struct weft_point *out,
                       int side, struct weft_rect clip)
{
    double limit = side == 0   ? clip.x
                   : side == 1 ? clip.x + clip.width
                   : side == 2 ? clip.y
                               : clip.y + clip.height;
    double sign = side % 2 ? -1 : 1;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        struct weft_point a = in[i], b = in[(i + 1) % n];
        double da = sign * ((side < 2 ? a.x : a.y) - limit);
        double db = sign * ((side < 2 ? b.x : b.y) - limit);
        if (da >= 0)
            out[m++] = a;
        if ((da < 0) != (db < 0)) {
            double at = da / (da - db);
            struct weft_point p = { a.x + at * (b.x - a.x), a.y + at * (b.y - a.y) };
            if (side < 2)
                p.x = limit;
            else
                p.y = limit;
            out[m++] = p;
        }
    }
    return m;
}

struct weft_mark *weft_scene_polygon(struct weft_scene *scene,
                                     const struct weft_point *points, size_t n_points,
                                     struct weft_paint paint)
{
    for (size_t i = 0; i < n_points; i++)
        if (!isfinite(points[i].x) || !isfinite(points[i].y))
            return NULL;
    /* Most polygons lie wholly within, or wholly beyond one side. */
    struct weft_rect clip = current(scene)->clip;
    unsigned all = 15, any = 0;
    for (size_t i = 0; i < n_points; i++) {
        unsigned beyond = (unsigned)(points[i].x < clip.x)
                          | (unsigned)(points[i].x > clip.x + clip.width) << 1
                          | (unsigned)(points[i].y < clip.y) << 2
                          | (unsigned)(points[i].y > clip.y + clip.height) << 3;
        all &= beyond;
        any |= beyond;
    }
    if (all || n_points < 3)
        return NULL;
    if (!any)
        return add_points(scene, WEFT_MARK_POLYGON, points, n_points, paint);
    size_t room = 2 * n_points + 8;
    struct weft_point *a = weft_arena_alloc(scene->arena, 16 * room * sizeof *a);
    struct weft_point *b = a + 8 * room;
    memcpy(a, points, n_points * sizeof *a);
    size_t n = n_points;
    for (int side = 0; side < 4 && n; side++) {
        n = cut_side(a, n, b, side, current(scene)->clip);
        struct weft_point *swap = a;
        a = b;
        b = swap;
    }
    return n < 3 ? NULL : add_points(scene, WEFT_MARK_POLYGON, a, n, paint);
}

static bool inside(struct weft_rect clip, struct weft_point p)
{
    return p.x >= clip.x && p.x <= clip.x + clip.width && p.y >= clip.y
           && p.y <= clip.y + clip.height;
}

struct weft_mark *weft_scene_sector(struct weft_scene *scene, struct weft_point centre,
                                    double inner, double outer, double from, double sweep,
                                    struct weft_paint paint)
{
    struct weft_rect clip = current(scene)->clip;
    struct weft_rect bounds = { centre.x - outer, centre.y - outer, 2 * outer, 2 * outer };
    struct weft_rect cut = intersect(bounds, clip);
    if (!(cut.width > 0) || !(cut.height > 0) || !isfinite(outer) || !isfinite(centre.x)
        || !isfinite(centre.y) || !isfinite(inner) || !isfinite(from) || !isfinite(sweep))
        return NULL;
    bool whole = cut.width >= bounds.width && cut.height >= bounds.height;
    if (whole) {
        struct weft_mark *mark = add(scene, WEFT_MARK_SECTOR, paint);
        mark->box = (struct weft_rect){ centre.x, centre.y, 0, 0 };
        mark->inner = (float)inner;
        mark->outer = (float)outer;
        mark->from = (float)from;
        mark->sweep = (float)sweep;
        return mark;
    }
    /*
     * A sector that leaves the layer becomes a polygon, fine enough to look round, and is
     * cut.
     */
    enum { STEPS = 96 };
    struct weft_point ring[2 * (STEPS + 1)];
    for (int i = 0; i <= STEPS; i++) {
        double angle = from + sweep * i / STEPS;
        ring[i] = (struct weft_point){ centre.x + outer * cos(angle),
                                       centre.y + outer * sin(angle) };
        ring[2 * STEPS + 1 - i] = (struct weft_point){ centre.x + inner * cos(angle),
                                                       centre.y + inner * sin(angle) };
    }
    return weft_scene_polygon(scene, ring, 2 * (STEPS + 1), paint);
}

struct weft_mark *weft_scene_glyph(struct weft_scene *scene, enum weft_glyph glyph,
                                   struct weft_point at, double size, double angle,
                                   struct weft_paint paint)
{
    if (!inside(current(scene)->clip, at) || !isfinite(size) || !isfinite(angle))
        return NULL;
    struct weft_mark *mark = add(scene, WEFT_MARK_GLYPH, paint);
    mark->detail = (uint8_t)glyph;
    mark->size = (float)size;
    mark->angle = (float)angle;
    mark->box = (struct weft_rect){ at.x, at.y, 0, 0 };
    return mark;
}

/*
 * Returns true if a text lies within the picture: half of a name or number would mislead.
 */
static bool fits(const struct weft_scene *scene, struct weft_point baseline,
                 enum weft_anchor anchor, enum weft_font font, double size,
                 const char *text)
{
    /* Metrics of DejaVu Sans, in em: the height of capitals, the depth of descenders; and
       half a pixel for rounding. */
    const double above = 0.73, below = 0.24, slack = 0.5;
    double width = weft_text_width(font, size, text);
    double left = baseline.x
                  - (anchor == WEFT_ANCHOR_START    ? 0
                     : anchor == WEFT_ANCHOR_MIDDLE ? width / 2
                                                    : width);
    return left >= -slack && left + width <= scene->width + slack
           && baseline.y - above * size >= -slack
           && baseline.y + below * size <= scene->height + slack;
}

struct weft_mark *weft_scene_text(struct weft_scene *scene, struct weft_point baseline,
                                  enum weft_anchor anchor, enum weft_font font, double size,
                                  weft_color color, const char *text)
{
    if (!inside(current(scene)->clip, baseline) || !text || !text[0])
        return NULL;
    /* Names come from traces: back ends must get no byte that they cannot show. */
    text = is_full(scene) ? "" : weft_text_clean(scene->arena, text);
    if (!fits(scene, baseline, anchor, font, size, text))
        return NULL;
    struct weft_mark *mark =
        add(scene, WEFT_MARK_TEXT, (struct weft_paint){ .fill = color });
    mark->detail = (uint8_t)anchor;
    mark->font = (uint8_t)font;
    mark->size = (float)size;
    mark->box = (struct weft_rect){ baseline.x, baseline.y, 0, 0 };
    mark->text = weft_arena_strdup(scene->arena, text);
    return mark;
}

/* Moves the bands up by ABOVE rows, and leaves out those beyond the raster. */
static void cut_bands(struct weft_arena *arena, struct weft_raster *raster, int64_t above)
{
    struct weft_band *left = weft_arena_zalloc(arena, raster->n_bands, sizeof *left);
    size_t n = 0;
    for (size_t i = 0; i < raster->n_bands; i++) {
        struct weft_band band = raster->bands[i];
        int64_t top = band.top - above;
        if (top >= raster->rows || top + band.height <= 0)
            continue;
        band.top = (int32_t)top;
        left[n++] = band;
    }
    raster->bands = left;
    raster->n_bands = n;
}

/* Leaves out the rows of cells that lie wholly above or below CLIP. */
static void cut_rows(struct weft_arena *arena, struct weft_raster *raster,
                     struct weft_rect *rect, struct weft_rect clip)
{
    double cell = rect->height / raster->rows, above = floor((clip.y - rect->y) / cell),
           below = floor((rect->y + rect->height - clip.y - clip.height) / cell);
    above = above > 0 ? above : 0;
    below = below > 0 ? below : 0;
    if (!(above + below < raster->rows))
        return;
    if (raster->pixels)
        raster->pixels += (size_t)above * raster->columns;
    raster->rows -= (uint32_t)(above + below);
    cut_bands(arena, raster, (int64_t)above);
    rect->y += above * cell;
    rect->height -= (above + below) * cell;
}

struct weft_mark *weft_scene_raster(struct weft_scene *scene, struct weft_rect rect,
                                    const struct weft_raster *raster)
{
    struct weft_rect cut = intersect(rect, current(scene)->clip);
    if (isnan(rect.x + rect.width) || isnan(rect.y + rect.height) || !(cut.width > 0)
        || !(cut.height > 0) || !raster->columns || !raster->rows)
        return NULL;
    struct weft_raster *copy = weft_arena_alloc(scene->arena, sizeof *copy);
    *copy = *raster;
    cut_rows(scene->arena, copy, &rect, current(scene)->clip);
    struct weft_mark *mark = add(scene, WEFT_MARK_RASTER, (struct weft_paint){ 0 });
    mark->box = rect;
    mark->raster = copy;
    return mark;
}

enum { TITLE = 512 /* bytes */ };

/*
 * Copies FMT with a precision at each %s. Names come from traces and may have megabytes,
 * which vsnprintf would read to their end for each mark; a title has no room for them.
 */
static void limit_texts(const char *fmt, char limited[static TITLE])
{
    size_t n = 0;
    for (; *fmt; fmt++) {
        WEFT_REQUIRE(n + 8 < TITLE, "a format of a title is too long");
        limited[n++] = *fmt;
        if (fmt[0] != '%' || !fmt[1])
            continue;
        if (fmt[1] == 's')
            n += (size_t)sprintf(limited + n, ".%d", TITLE);
        limited[n++] = *++fmt; /* the second % of %% begins no conversion */
    }
    limited[n] = '\0';
}

void weft_mark_title(struct weft_scene *scene, struct weft_mark *mark, const char *fmt, ...)
{
    if (!mark || scene->full)
        return;
    char text[TITLE], limited[TITLE];
    va_list args;
    limit_texts(fmt, limited);
    va_start(args, fmt);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the compiler checked FMT */
    int length = vsnprintf(text, sizeof text, limited, args);
#pragma GCC diagnostic pop
    va_end(args);
    if (length >= (int)sizeof text) {
        /* Cut before the character that does not fit as a whole. */
        size_t end = sizeof text - 4;
        while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
            end--;
        strcpy(text + end, "\xe2\x80\xa6");
    }
    mark->title = weft_arena_strdup(scene->arena, weft_text_clean(scene->arena, text));
}

static void move_mark(struct weft_scene *scene, struct weft_mark *mark, double x, double y)
{
    mark->box.x += x;
    mark->box.y += y;
    if (!mark->n_points)
        return;
    struct weft_point *points =
        weft_arena_alloc(scene->arena, mark->n_points * sizeof *points);
    for (uint32_t i = 0; i < mark->n_points; i++)
        points[i] = (struct weft_point){ mark->points[i].x + x, mark->points[i].y + y };
    mark->points = points;
}

void weft_scene_append(struct weft_scene *scene, const struct weft_scene *part, double x,
                       double y)
{
    struct weft_rect all = { x, y, part->width, part->height };
    weft_scene_layer(scene, "panel", all, WEFT_LAYER_FIXED);
    scene->full |= part->full;
    weft_scene_rect(scene, all, (struct weft_paint){ .fill = part->background });
    for (size_t l = 0; l < part->n_layers; l++) {
        const struct weft_layer *from = &part->layers[l];
        struct weft_rect clip = from->clip;
        clip.x += x;
        clip.y += y;
        weft_scene_layer(scene, from->name, clip, from->moves);
        struct weft_layer *to = &scene->layers[scene->n_layers - 1];
        to->n_marks = to->capacity = from->n_marks;
        to->marks = weft_arena_alloc(scene->arena, (from->n_marks + 1) * sizeof *to->marks);
        for (size_t i = 0; i < from->n_marks; i++) {
            to->marks[i] = from->marks[i];
            move_mark(scene, &to->marks[i], x, y);
        }
    }
}
