/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene: what a view draws, as plain data.  Views fill it through the functions below,
 * back ends (src/draw) play it: PNG, SVG, PDF, and the browser's canvas.  Nothing here
 * knows where the picture ends up.
 *
 * Coordinates are doubles, in pixels of the picture, x to the right, y down, the origin at
 * the top left corner.  A view computes them from times as (t - window.begin) in int64_t
 * first, double afterwards, so that a clock that counts from 1970 loses nothing.  Every
 * function clips what it is given to the current layer's rectangle, in doubles: no
 * coordinate outside of it ever reaches a back end, however far the view is zoomed in.
 * Only a raster keeps its rectangle, which must touch the layer's: back ends cut it.
 *
 * A scene is a list of layers, drawn in order.  A layer has a clip rectangle and says
 * whether it moves when the reader pans (so that a page can shift and scale the last frame
 * while the next is on its way).  A mark may carry the id of the thing that it shows and a
 * short title; together they make tooltips, clicks and SVG's <title>.
 */
#ifndef WEFT_VIEW_SCENE_H
#define WEFT_VIEW_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct weft_rect {
    double x, y, width, height;
};

struct weft_point {
    double x, y;
};

typedef uint32_t weft_color; /* 0xAARRGGBB, not premultiplied; 0 paints nothing */

enum weft_hatch {
    WEFT_HATCH_NONE,
    WEFT_HATCH_DIAGONAL,
    WEFT_HATCH_DOTS,
    WEFT_HATCH_CROSS, /* both diagonals */
    WEFT_HATCH_BACK_DIAGONAL,
    WEFT_HATCH_HORIZONTAL,
    WEFT_HATCH_VERTICAL,
    WEFT_HATCH_GRID, /* horizontal and vertical */
    WEFT_HATCHES,
};

struct weft_paint {
    weft_color fill;
    weft_color stroke;
    float stroke_width; /* pixels */
    float dash;         /* length of dashes and gaps; 0: solid */
    /* black or white: what shows on the fill, else like the stroke */
    enum weft_hatch hatch;
};

enum weft_mark_kind {
    WEFT_MARK_RECT,
    WEFT_MARK_LINE, /* two points */
    WEFT_MARK_POLYLINE,
    WEFT_MARK_POLYGON,
    WEFT_MARK_SECTOR, /* part of a ring */
    WEFT_MARK_GLYPH,
    WEFT_MARK_TEXT,
    WEFT_MARK_RASTER,
};

enum weft_glyph {
    WEFT_GLYPH_TICK, /* a thin vertical bar */
    WEFT_GLYPH_DIAMOND,
    WEFT_GLYPH_CIRCLE,
    WEFT_GLYPH_TRIANGLE,
    WEFT_GLYPH_ARROWHEAD, /* pointing along `angle` */
};

enum weft_anchor { WEFT_ANCHOR_START, WEFT_ANCHOR_MIDDLE, WEFT_ANCHOR_END };

enum weft_font { WEFT_FONT_SANS, WEFT_FONT_BOLD, WEFT_FONT_MONO };

/* Effect of a click on a mark, in a picture that can be clicked. */
enum weft_action_kind {
    WEFT_ACTION_NONE,
    WEFT_ACTION_TOGGLE, /* put `id` into the set that is the setting `parameter`, or take it
                           out of it when it is there */
    WEFT_ACTION_MOVE, /* dragging: the line "ID X Y" in the setting `parameter`, X and Y from
                           0 to 1 of the plot's width and height */
};

struct weft_action {
    enum weft_action_kind kind;
    const char *parameter; /* name of one of the view's; lives as long as the scene */
    uint64_t id;           /* of an entity or a container (store/schema.h), or a number of
                              the view's own */
};

/*
 * Cells that are denser than their pixels.  Two planes: the mixed colour (mixed in linear
 * light) for the eye, and for the pointer the dominant value with whether it has the cell
 * alone.  Stretched over its rectangle without smoothing.
 */
struct weft_raster {
    uint32_t columns, rows;
    const uint32_t *pixels; /* [rows][columns] 0xAARRGGBB, not premultiplied */
    const uint8_t
        *dominant; /* [rows][columns] index into the view's legend, 255: none; bit 7
                                 clear.  NULL when nothing can be pointed at. */
};

struct weft_mark {
    enum weft_mark_kind kind;
    uint8_t detail; /* enum weft_glyph, or enum weft_anchor of a text */
    uint8_t font;   /* enum weft_font */
    float size;     /* text: font size; glyph: its diameter */
    float angle;    /* text, glyph: radians clockwise */
    struct weft_paint paint;
    struct weft_rect
        box; /* rect, raster: the rectangle; text, glyph: x, y is the anchor point
                             (a text's baseline); sector: x, y is the centre */
    float inner, outer, from,
        sweep; /* sector: radii and angles (radians, clockwise from east) */
    const struct weft_point *points;
    uint32_t n_points;
    const char *text; /* text */
    const struct weft_raster *raster;
    uint64_t id;       /* what it shows, or WEFT_NO_ID (all ones) */
    const char *title; /* one line for the tooltip, or NULL */
    struct weft_action action;
    struct weft_action twice; /* what a double click does */
};

/* One entry of the legend, for whoever shows it beside the picture. */
struct weft_legend_item {
    weft_color fill, tone; /* the tone stands for fill and hatch where columns are narrow */
    enum weft_hatch hatch;
    const char *label;
    double share; /* of the time, 0 to 1; negative: none is shown */
};

/* Geometry that a page needs to move a picture before the next one comes. */
struct weft_scene_frame {
    struct weft_rect plot; /* where the data are */
    bool has_time;         /* the plot's x is time, from begin to end */
    int64_t begin, end;    /* ticks of the own clock */
    double scroll;         /* pixels of rows above the first one that is drawn */
    double scroll_height;  /* pixels of all rows together; 0: they do not scroll */
    double pinned;         /* pixels at the top of the plot that do not scroll */
    bool zooms;            /* both ways, about the anchor, by parameters of their own */
    struct weft_point anchor;
    /*
     * Where zoom and place are chosen by the view as long as they are not set: what they
     * are here. Such a picture is moved point by point, without stretching text and
     * outlines.  Or 0.
     */
    double zoom, tall;
    uint32_t levels; /* that stand open, where a setting says how many; or 0 */
    /* Where the thing is that a setting marks, also beyond the edges; a page goes there. */
    bool has_marked;
    struct weft_rect marked;
    struct weft_point again; /* the same plot once more, so far from the first; or 0, 0 */
    bool has_moments;        /* the picture changes from step to step, not continuously: */
    int64_t previous, next; /* moments at which it is that of the steps before and behind */
    const char *subtitle;   /* what is shown: "0.6 s from 1 s; each row: 4 tracks" */
    const struct weft_legend_item *legend;
    size_t n_legend;
};

enum {
    WEFT_LAYER_FIXED = 0,
    WEFT_LAYER_MOVES_X = 1, /* pans and zooms with time */
    WEFT_LAYER_MOVES_Y = 2, /* scrolls with the rows */
};

struct weft_layer {
    const char *name;
    struct weft_rect clip;
    unsigned moves;
    struct weft_mark *marks;
    size_t n_marks, capacity;
};

struct weft_scene {
    struct weft_arena *arena; /* owns everything below */
    double width, height;
    weft_color background;
    struct weft_layer *layers;
    size_t n_layers, layer_capacity;
    const char *title;       /* of the picture; also the SVG's and PDF's */
    const char *description; /* one plain sentence */
    struct weft_scene_frame frame;
    bool full; /* more than the arena may hand out was to be drawn: not all of it is here */
};

/*
 * Start a scene.  All memory comes from ARENA and lives as long as it does; beyond
 * arena->most marks are not kept, and the scene is full.
 */
void weft_scene_init(struct weft_scene *scene, struct weft_arena *arena, double width,
                     double height, weft_color background);

/* Begin a layer; what follows goes into it, clipped to CLIP (itself cut to the scene). */
void weft_scene_layer(struct weft_scene *scene, const char *name, struct weft_rect clip,
                      unsigned moves);

/*
 * Marks.  Each returns the mark that was added, so that id and title can be set on it, or
 * NULL when nothing of it lies inside the layer (or a coordinate is not a number).  Texts
 * are copied; a text is kept whole when its anchor lies inside the layer and all of it
 * inside the picture, and dropped otherwise.
 */
struct weft_mark *weft_scene_rect(struct weft_scene *scene, struct weft_rect rect,
                                  struct weft_paint paint);
struct weft_mark *weft_scene_line(struct weft_scene *scene, struct weft_point a,
                                  struct weft_point b, struct weft_paint paint);
/* A polyline that leaves the layer and comes back becomes several marks; the last is
   returned. */
struct weft_mark *weft_scene_polyline(struct weft_scene *scene,
                                      const struct weft_point *points, size_t n_points,
                                      struct weft_paint paint);
struct weft_mark *weft_scene_polygon(struct weft_scene *scene,
                                     const struct weft_point *points, size_t n_points,
                                     struct weft_paint paint);
struct weft_mark *weft_scene_sector(struct weft_scene *scene, struct weft_point centre,
                                    double inner, double outer, double from, double sweep,
                                    struct weft_paint paint);
struct weft_mark *weft_scene_glyph(struct weft_scene *scene, enum weft_glyph glyph,
                                   struct weft_point at, double size, double angle,
                                   struct weft_paint paint);
struct weft_mark *weft_scene_text(struct weft_scene *scene, struct weft_point baseline,
                                  enum weft_anchor anchor, enum weft_font font, double size,
                                  weft_color color, const char *text);
/*
 * PIXELS and DOMINANT are kept, not copied: allocate them from the scene's arena.  Rows of
 * cells beyond the layer are left out.
 */
struct weft_mark *weft_scene_raster(struct weft_scene *scene, struct weft_rect rect,
                                    const struct weft_raster *raster);

/* Put another picture into this one, its corner at X, Y; its texts and marks are shared. */
void weft_scene_append(struct weft_scene *scene, const struct weft_scene *part, double x,
                       double y);

/* The title of a mark (NULL is fine): formatted into the scene's arena. */
void weft_mark_title(struct weft_scene *scene, struct weft_mark *mark, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
