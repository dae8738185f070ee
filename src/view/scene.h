/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene: what a view draws, as plain data.  Views fill it through the functions below,
 * back ends (src/draw) play it: PNG, SVG, PDF, and the browser's canvas.  A scene does not
 * depend on the back end.
 *
 * Coordinates are doubles, in pixels of the picture, x to the right, y down, the origin at
 * the top left corner.  A view computes them from times as (t - window.begin) in int64_t
 * first, double afterwards, so that a clock that counts from 1970 loses nothing.  Every
 * function clips its marks to the current layer's rectangle, in doubles: no coordinate
 * outside of it reaches a back end, however far the view is zoomed in.  Only a raster keeps
 * its rectangle, which must touch the layer's: back ends cut it.
 *
 * A scene is a list of layers, drawn in order.  A layer has a clip rectangle and says
 * whether it moves when the reader pans (so that a page can shift and scale the last frame
 * while it waits for the next).  A mark may carry the id of the thing that it shows and a
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
    /* drawn black or white, whichever contrasts with the fill (weft_hatch_ink) */
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

/* The effect of a click on a mark, in a picture that can be clicked. */
enum weft_action_kind {
    WEFT_ACTION_NONE,
    WEFT_ACTION_TOGGLE, /* toggles `id` in the set that is the setting `parameter` */
    WEFT_ACTION_MOVE,   /* dragging writes the line "ID X Y" to the setting `parameter`;
                         X and Y are 0 to 1 of the plot's width and height */
};

struct weft_action {
    enum weft_action_kind kind;
    const char *parameter; /* one of the view's; lives as long as the scene */
    uint64_t id; /* of an entity or a container (store/schema.h), or a number of the view */
};

/*
 * A picture of cells where several things share a pixel: for the eye their colours mixed in
 * linear light, for the pointer the dominant value.  Stretched over its rectangle without
 * smoothing.
 */
struct weft_raster {
    uint32_t columns, rows;
    const uint32_t *pixels; /* [rows][columns] 0xAARRGGBB, not premultiplied */
    /* [rows][columns]: index into the view's legend, 255: none; bit 7 is clear.  NULL if
       the pointer finds nothing. */
    const uint8_t *dominant;
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
    uint64_t id;       /* the thing that it shows, or WEFT_NO_ID (all ones) */
    const char *title; /* one line for the tooltip, or NULL */
    struct weft_action action;
    struct weft_action twice; /* effect of a double click */
};

/* One entry of the legend, for a page that shows it beside the picture. */
struct weft_legend_item {
    weft_color fill, tone; /* the tone replaces fill and hatch in narrow columns */
    enum weft_hatch hatch;
    const char *label;
    double share; /* of the time, 0 to 1; negative: not shown */
};

/* The geometry that a page needs to move a picture before the next one arrives. */
struct weft_scene_frame {
    struct weft_rect plot; /* the place of the data */
    bool has_time;         /* the plot's x is time, from begin to end */
    int64_t begin, end;    /* ticks of the trace's clock */
    double scroll;         /* pixels of rows above the first one that is drawn */
    double scroll_height;  /* pixels of all rows together; 0: they do not scroll */
    double pinned;         /* pixels at the top of the plot that do not scroll */
    bool zooms;            /* in both directions about `anchor`, by the view's settings */
    struct weft_point anchor;
    /*
     * The values of the zoom and tall settings that the view chose if they are not set, or
     * 0. A page moves such a picture point by point, without stretching text and outlines.
     */
    double zoom, tall;
    uint32_t levels; /* of a tree that are open, if a setting says how many; else 0 */
    /* Where the thing that a setting marks is, even outside the plot; a page scrolls there.
     */
    bool has_marked;
    struct weft_rect marked;
    struct weft_point again; /* distance to a second copy of the plot; or 0, 0 */
    bool has_moments;        /* the picture changes in steps of time, not continuously */
    int64_t previous, next;  /* ticks: times in the step before and in the next */
    const char *subtitle;    /* what is shown: "0.6 s from 1 s; each row: 4 tracks" */
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
    unsigned moves; /* WEFT_LAYER_MOVES_X, WEFT_LAYER_MOVES_Y or both */
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
    bool full; /* marks were dropped: the arena's limit was reached */
};

/*
 * Starts a scene.  All memory comes from ARENA and lives as long as it does; beyond
 * arena->most marks are dropped, and the scene is full.
 */
void weft_scene_init(struct weft_scene *scene, struct weft_arena *arena, double width,
                     double height, weft_color background);

/* Begins a layer; the next marks go into it, clipped to CLIP (itself cut to the scene). */
void weft_scene_layer(struct weft_scene *scene, const char *name, struct weft_rect clip,
                      unsigned moves);

/*
 * Add marks.  Each returns the added mark, so that id and title can be set, or NULL if
 * nothing of it lies inside the layer (or a coordinate is not a number).  Texts are copied;
 * a text is dropped unless its anchor lies inside the layer and all of it inside the
 * picture.
 */
struct weft_mark *weft_scene_rect(struct weft_scene *scene, struct weft_rect rect,
                                  struct weft_paint paint);
struct weft_mark *weft_scene_line(struct weft_scene *scene, struct weft_point a,
                                  struct weft_point b, struct weft_paint paint);
/* Adds a polyline.  One that leaves the layer and comes back becomes several marks; the
   last is returned. */
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
 * Adds a raster.  PIXELS and DOMINANT are kept, not copied: allocate them from the scene's
 * arena.  Rows of cells beyond the layer are left out.
 */
struct weft_mark *weft_scene_raster(struct weft_scene *scene, struct weft_rect rect,
                                    const struct weft_raster *raster);

/*
 * Puts PART into SCENE, its top left corner at X, Y.  Texts and marks are shared: PART's
 * arena must outlive SCENE.
 */
void weft_scene_append(struct weft_scene *scene, const struct weft_scene *part, double x,
                       double y);

/* Sets the title of a mark (NULL is fine), formatted into the scene's arena. */
void weft_mark_title(struct weft_scene *scene, struct weft_mark *mark, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
