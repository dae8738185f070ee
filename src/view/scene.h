/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene: what a view draws, as plain data.  Views fill it through the functions below,
 * back ends (src/draw) play it: PNG, SVG, PDF, and the browser's canvas.  A scene does not
 * depend on the back end.
 *
 * Coordinates are doubles, in pixels of the picture, x to the right, y down, the origin at
 * the top left corner.  A view computes them from times as (t - window.begin) in int64_t
 * first, double afterwards, so that a clock that counts from 1970 loses nothing.  The
 * functions that add rectangles, lines, polygons and sectors clip them to the current
 * layer's rectangle, in doubles: no coordinate outside of it reaches a back end, however
 * far the view is zoomed in.  Glyphs, texts and rasters are kept whole or dropped; back
 * ends cut them at that rectangle.
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

/* A rectangle: its top left corner and its size, in pixels. */
struct weft_rect {
    double x, y, width, height;
};

/* A point, in pixels of the picture. */
struct weft_point {
    double x, y;
};

typedef uint32_t weft_color; /* 0xAARRGGBB, not premultiplied; 0 paints nothing */

/* A pattern of thin lines or dots over a fill. */
enum weft_hatch {
    WEFT_HATCH_NONE,
    WEFT_HATCH_DIAGONAL,
    WEFT_HATCH_DOTS,
    WEFT_HATCH_CROSS, /* both diagonals */
    WEFT_HATCH_BACK_DIAGONAL,
    WEFT_HATCH_HORIZONTAL,
    WEFT_HATCH_VERTICAL,
    WEFT_HATCH_GRID, /* horizontal and vertical */
    WEFT_HATCHES,    /* number of hatches */
};

/* The look of a mark.  Lines and polylines have only a stroke, texts only a fill. */
struct weft_paint {
    weft_color fill;    /* 0: not filled */
    weft_color stroke;  /* of the outline or line; 0: none */
    float stroke_width; /* pixels; 0: no stroke */
    float dash;         /* length of dashes and of gaps, pixels; 0: solid */
    /*
     * Drawn translucent, black or white: whichever contrasts with the fill, or,
     * without a fill, is nearer to the stroke (weft_hatch_ink).
     */
    enum weft_hatch hatch;
};

/* The kind of a mark, which tells what members of struct weft_mark it needs. */
enum weft_mark_kind {
    WEFT_MARK_RECT,
    WEFT_MARK_LINE, /* two points */
    WEFT_MARK_POLYLINE,
    WEFT_MARK_POLYGON, /* closed: the last point is joined to the first */
    WEFT_MARK_SECTOR,  /* part of a ring or of a disc */
    WEFT_MARK_GLYPH,
    WEFT_MARK_TEXT,
    WEFT_MARK_RASTER,
};

/* A small sign around its anchor point, as wide and high as its size says. */
enum weft_glyph {
    WEFT_GLYPH_TICK, /* a thin vertical bar */
    WEFT_GLYPH_DIAMOND,
    WEFT_GLYPH_CIRCLE,
    WEFT_GLYPH_TRIANGLE,
    WEFT_GLYPH_SQUARE,
    WEFT_GLYPH_CROSS,     /* two bars across each other, like + */
    WEFT_GLYPH_ARROWHEAD, /* its tip is the anchor; points along `angle`, 0: right */
};

/* The place of a text's anchor point on its baseline: left end, middle, right end. */
enum weft_anchor { WEFT_ANCHOR_START, WEFT_ANCHOR_MIDDLE, WEFT_ANCHOR_END };

/* The typefaces of texts: DejaVu Sans, Sans Bold and Sans Mono. */
enum weft_font { WEFT_FONT_SANS, WEFT_FONT_BOLD, WEFT_FONT_MONO };

/* The effect of a click on a mark, in a picture that can be clicked. */
enum weft_action_kind {
    WEFT_ACTION_NONE,
    WEFT_ACTION_TOGGLE, /* adds `id` to the set in the setting `parameter`, or removes it */
    WEFT_ACTION_MOVE,   /* dragging writes the line "ID X Y" to the setting `parameter`;
                         X and Y are 0 to 1 of the plot's width and height */
    WEFT_ACTION_LIST,   /* lists what the selection (analyse/where_selection.h) `parameter`
                           means, within those of the view's settings; `id` says nothing */
    WEFT_ACTION_SET,    /* sets a setting of the view: `parameter` is NAME=VALUE */
};

/* The effect and the thing that it applies to; all 0: no effect. */
struct weft_action {
    enum weft_action_kind kind;
    const char *parameter; /* name of a setting, or a text; lives as long as the scene */
    uint64_t id; /* of an entity or a container (store/schema.h), or a number of the view */
};
/* Returns the action that lists what WHERE, which it borrows, means; none for NULL. */
static inline struct weft_action weft_list_action(const char *where)
{
    return (struct weft_action){ where ? WEFT_ACTION_LIST : WEFT_ACTION_NONE, where, 0 };
}

/*
 * A picture of cells, for parts of a view where several things share a pixel: each cell has
 * their mixed colours.  It is stretched over its mark's rectangle without smoothing.
 */
struct weft_raster {
    uint32_t columns, rows;
    /* [rows][columns] 0xAARRGGBB, not premultiplied; NULL: the bands tell them */
    const uint32_t *pixels;
    const struct weft_band *bands; /* [n_bands], none above another */
    size_t n_bands;
};

/* Most cells that a pile is high, and most colours in it. */
enum { WEFT_PILE_HEIGHT = 255, WEFT_PILE_COLORS = 32 };

/*
 * Neighbouring rows of a raster, told in less memory than their pixels take: columns that
 * are piles of a few colours, or rows that are alike.  Cells in no band are empty.
 */
struct weft_band {
    int32_t top;             /* row of the raster at its upper edge; negative: cut there */
    uint32_t height;         /* rows; they may reach beyond the raster */
    uint32_t first, columns; /* the raster's columns from the first on */
    /* [columns][n_colors]: the cell, counted from the lower edge, at which each colour of a
       column ends and the next begins; none is less than the one before it; or NULL */
    const uint8_t *ends;
    const weft_color *colors; /* [n_colors], 1 to WEFT_PILE_COLORS */
    uint32_t n_colors;
    const uint32_t *pixels; /* without ends: [height][columns], or [columns] if alike */
    bool alike;
};

/*
 * Returns RASTER with pixels.  If it has none, they are made from its bands, and *MADE is
 * their memory, which the caller frees after use; else *MADE is NULL.
 */
struct weft_raster weft_raster_with_pixels(const struct weft_raster *raster,
                                           uint32_t **made);

/* One thing that is drawn.  Members that the kind does not need are 0. */
struct weft_mark {
    enum weft_mark_kind kind;
    uint8_t detail; /* enum weft_glyph, or enum weft_anchor of a text */
    uint8_t font;   /* enum weft_font */
    bool heading;   /* the head of a row that only names the rows below it */
    float size;     /* text: font size; glyph: its diameter; pixels */
    float angle;    /* glyph: radians clockwise */
    struct weft_paint paint;
    struct weft_rect
        box; /* rect, raster: the rectangle; text, glyph: x, y is the anchor point
                             (a text's baseline); sector: x, y is the centre */
    float inner, outer, from,
        sweep; /* sector: radii in pixels; begin (radians, clockwise from east), extent */
    const struct weft_point *points; /* [n_points] of lines, polylines and polygons */
    uint32_t n_points;
    const char *text; /* of a text, valid UTF-8 */
    const struct weft_raster *raster;
    uint64_t id;               /* the thing that it shows, or WEFT_NO_ID (all ones) */
    const char *title;         /* one line for the tooltip, or NULL */
    struct weft_action action; /* effect of a click, or of dragging */
    struct weft_action twice;  /* effect of a double click */
};

/* One entry of the legend, for a page that shows it beside the picture. */
struct weft_legend_item {
    weft_color fill, tone; /* the tone replaces fill and hatch in narrow columns */
    enum weft_hatch hatch;
    const char *label;
    double share; /* of the time, 0 to 1; -1: not shown; -2: nor is the entry a value */
};

/*
 * The geometry that a page needs to move a picture before the next one arrives.  The frame
 * (view/picture_frame.h) and the view set it; at first all is 0.
 */
struct weft_scene_frame {
    struct weft_rect plot; /* the place of the data */
    bool has_time;         /* the plot's x is time, from begin to end */
    int64_t begin, end;    /* ticks of the trace's clock, at the plot's left and right */
    double scroll;         /* pixels of rows above the first one that is drawn */
    double scroll_height;  /* pixels of all rows together; 0: they do not scroll */
    double pinned;         /* pixels at the top of the plot that do not scroll */
    bool zooms; /* a page zooms it both ways about `anchor`, by the view's settings */
    struct weft_point anchor; /* if `zooms`: the point, even outside the plot, that stays */
    /*
     * The values of the zoom and tall settings that the view chose if they are not set, or
     * 0. A page moves such a picture point by point, without stretching text and outlines.
     */
    double zoom, tall;
    uint32_t levels; /* of a tree that are open, if a setting says how many; else 0 */
    /*
     * The rectangle of the thing that a setting marks, even outside the plot; a page
     * scrolls to it.  Valid if has_marked.
     */
    bool has_marked;
    struct weft_rect marked;
    struct weft_point again; /* offset of a second plot, which moves alike; 0, 0: none */
    bool has_moments;        /* the picture changes in steps of time, not continuously */
    int64_t previous, next;  /* ticks: times in the step before and in the next */
    /*
     * Rows of a list around the moment, by which the wheel moves it; 0: no list.  Its ends:
     * ticks, times of the first and the last row.
     */
    uint32_t rows;
    int64_t first, last;
    const char *subtitle; /* what is shown: "0.6 s from 1 s; each row: 4 tracks"; or NULL */
    const struct weft_legend_item *legend; /* [n_legend] */
    size_t n_legend;
};

/* Bits: how a page may move a layer while it waits for the next picture. */
enum {
    WEFT_LAYER_FIXED = 0,
    WEFT_LAYER_MOVES_X = 1, /* pans and zooms with time */
    WEFT_LAYER_MOVES_Y = 2, /* scrolls with the rows */
};

/* Marks with one clip rectangle; drawn over the layers before it. */
struct weft_layer {
    const char *name;        /* for the page and tests; not copied, not unique */
    struct weft_rect clip;   /* within the scene; empty if the layer lies outside */
    unsigned moves;          /* WEFT_LAYER_MOVES_X, MOVES_Y, both, or WEFT_LAYER_FIXED */
    struct weft_mark *marks; /* [n_marks] in the order in which they are drawn */
    size_t n_marks, capacity;
};

/* A picture.  weft_scene_init() begins it; nothing needs to be freed but the arena. */
struct weft_scene {
    struct weft_arena *arena; /* owns all that the scene refers to */
    double width, height;     /* pixels */
    weft_color background;
    struct weft_layer *layers;
    size_t n_layers, layer_capacity;
    const char *title;       /* of the picture; also the SVG's and PDF's */
    const char *description; /* one plain sentence */
    struct weft_scene_frame frame;
    bool full; /* the arena's limit was reached: marks are missing, discard the picture */
};

/*
 * Sets *SCENE to an empty scene of WIDTH * HEIGHT pixels.  All its memory comes from ARENA
 * and lives as long as that.  When more than arena->most bytes (0: no limit) are used, each
 * new mark replaces the last one, and the scene is full.
 */
void weft_scene_init(struct weft_scene *scene, struct weft_arena *arena, double width,
                     double height, weft_color background);

/*
 * Begins a layer, above all others; the next marks go into it, clipped to CLIP, which is
 * itself cut to the scene.  NAME is kept, not copied.  MOVES: bits WEFT_LAYER_*.  Marks
 * that are added before the first layer go into a fixed layer "all" of the scene's size.
 */
void weft_scene_layer(struct weft_scene *scene, const char *name, struct weft_rect clip,
                      unsigned moves);

/*
 * These functions add marks to the last layer.  Each returns the added mark, so that its
 * id, title and action can be set, until the next mark is added: it may move then.  They
 * return NULL if nothing of it lies inside the layer, or a coordinate is not a number or
 * infinite.
 *
 * A rectangle is cut to the layer's; its width and height may be infinite.
 */
struct weft_mark *weft_scene_rect(struct weft_scene *scene, struct weft_rect rect,
                                  struct weft_paint paint);
/* Adds the part inside the layer of the line from A to B; NULL if there is none. */
struct weft_mark *weft_scene_line(struct weft_scene *scene, struct weft_point a,
                                  struct weft_point b, struct weft_paint paint);
/*
 * Adds a polyline through POINTS, which are copied, cut to the layer.  One that leaves the
 * layer and comes back becomes several marks; the last is returned, so only that gets the
 * caller's id and title.  Segments to a point that is not finite are left out.  NULL if no
 * segment is inside.
 */
struct weft_mark *weft_scene_polyline(struct weft_scene *scene,
                                      const struct weft_point *points, size_t n_points,
                                      struct weft_paint paint);
/*
 * Adds a polygon with the corners POINTS, which are copied, cut to the layer; NULL if it
 * has fewer than three corners, one that is not finite, or no part inside.
 */
struct weft_mark *weft_scene_polygon(struct weft_scene *scene,
                                     const struct weft_point *points, size_t n_points,
                                     struct weft_paint paint);
/*
 * Adds the part of a ring between the radii INNER (0: of a disc) and OUTER, from the angle
 * FROM (radians, clockwise from east) over SWEEP radians.  If its circle leaves the layer,
 * it becomes a polygon of 194 corners, which is cut.  NULL if nothing of it is inside.
 */
struct weft_mark *weft_scene_sector(struct weft_scene *scene, struct weft_point centre,
                                    double inner, double outer, double from, double sweep,
                                    struct weft_paint paint);
/*
 * Adds a glyph of SIZE pixels, turned clockwise by ANGLE radians; NULL if AT, its anchor,
 * lies outside the layer.
 */
struct weft_mark *weft_scene_glyph(struct weft_scene *scene, enum weft_glyph glyph,
                                   struct weft_point at, double size, double angle,
                                   struct weft_paint paint);
/*
 * Adds a copy of TEXT, one line, in a font of SIZE pixels; BASELINE is its anchor point.
 * Bytes that cannot be shown become U+FFFD (weft_text_clean).  Returns NULL if TEXT is NULL
 * or "", its anchor lies outside the layer, or a part of it outside the picture.
 */
struct weft_mark *weft_scene_text(struct weft_scene *scene, struct weft_point baseline,
                                  enum weft_anchor anchor, enum weft_font font, double size,
                                  weft_color color, const char *text);
/*
 * Adds a raster over RECT.  The struct is copied, its arrays `pixels` and `bands` are
 * not: they must live as long as the scene.  Rows of cells wholly above or below the layer
 * are left out; else the mark keeps RECT even where it leaves the layer.  NULL if RECT lies
 * outside the layer, or the raster has no cells.
 */
struct weft_mark *weft_scene_raster(struct weft_scene *scene, struct weft_rect rect,
                                    const struct weft_raster *raster);

/*
 * Appends the background and the layers of PART to SCENE, its top left corner at X, Y,
 * which should lie inside: clip rectangles are cut to SCENE, marks are not.  PART's frame,
 * title and description are not used.  Texts and rasters are shared: PART's arena must
 * outlive SCENE.
 */
void weft_scene_append(struct weft_scene *scene, const struct weft_scene *part, double x,
                       double y);

/*
 * Sets the title of MARK (NULL: no effect), formatted as by printf into the scene's arena;
 * no effect if the scene is full.  A title of more than 511 bytes ends in "…".  Aborts if
 * FMT itself has about 500 bytes.
 */
void weft_mark_title(struct weft_scene *scene, struct weft_mark *mark, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
