/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the space-time view: space_time_rows.c chooses the rows by what
 * space_time_relevance.c prepares, space_time_order.c their order, space_time_heights.c
 * their heights; space_time_states.c paints rows of states, space_time_curves.c curves,
 * space_time_marks.c events and links, space_time_damage.c hatches unreadable parts,
 * space_time_legend.c names the values, space_time_names.c the rows; space_time_point.c
 * tells what is at a point, and space_time.c puts all together.  Domains may add struct
 * st_layers.
 */
#ifndef WEFT_VIEW_SPACE_TIME_H
#define WEFT_VIEW_SPACE_TIME_H

#include "analyse/relevance.h"
#include "view/frame.h"
#include "view/prepare.h"

enum st_row_kind { ST_HEADER, ST_STATES, ST_EVENTS, ST_CURVE, ST_FOLD };

struct st_row {
    enum st_row_kind kind;
    uint32_t container;
    uint32_t type;    /* of the tracks */
    uint32_t *tracks; /* if several: the row is their aggregate */
    uint32_t n_tracks;
    uint32_t depth;     /* indentation */
    uint32_t max_depth; /* of nested states */
    bool first;         /* of its container: carries the name */
    bool closed;        /* stands for all that its container holds */
    bool secondary;     /* of a lock or the like: dropped before rows of threads */
    const char *label;  /* ST_FOLD: the container's children without rows; else NULL */
    uint32_t *events;   /* tracks of events drawn on top of a row of states */
    uint32_t n_events;
    uint32_t first_processor,
        n_processors;      /* of the listed ones, if rows are lines of activity */
    uint32_t states_below; /* ST_HEADER: the first row of states below it; or WEFT_NONE */
    double y, height;      /* in the plot, from its top */
};

struct st_rows {
    struct st_row *list;
    size_t n, capacity;
    size_t total;     /* before rows that do not fit were left out */
    size_t group;     /* tracks in a row, if rows are thinner than a pixel */
    uint32_t *row_of; /* by container: the row that shows it, or WEFT_NONE */
    double height;    /* of all rows in the plot */
    bool scrolls;     /* there are more rows below the plot */
    double ease;      /* how far scrolling rows are from the least height, 0 to 1 */
    double scroll;    /* pixels of rows above the first one that is shown */
    double content;   /* pixels of all rows, shown or not */
};

struct st_activity; /* lines of activity: processors instead of containers */
struct st_collectives;
struct st_messages;

struct st_row *st_row_add(struct st_rows *rows, struct weft_arena *arena);

/* The room for the rows, in pixels. */
struct st_room {
    double height;  /* of the plot */
    double seen;    /* visible part of it, if it can scroll; else 0 */
    double screens; /* how many visible parts may be scrolled through */
    double fixed;   /* of each row, if the reader sets it; else 0 */
};

/*
 * Gives every row its height, leaving out rows that do not fit: curves first, then events
 * and rows of locks; the remaining rows of states are merged where they would be thinner
 * than three pixels.  If the reader can scroll, rows keep a height at which they have
 * names, as long as all of them take no more than ROOM's number of screens.  Rows of a
 * fixed height always scroll, and none is left out.
 */
void st_rows_fit(struct st_rows *rows, struct weft_arena *arena,
                 const struct st_room *room);
/* Copies the rows of the containers in MEMBER to the top, in at most 0.4 of HEIGHT. */
void st_rows_pin(struct st_rows *pinned, const struct st_rows *rows, const uint8_t *member,
                 struct weft_arena *arena, size_t n_containers, double height);
void st_rows_size(struct st_rows *rows, double height, double fixed);
/*
 * Places the rows in a plot of HEIGHT pixels; if they scroll, SCROLL pixels lie above it.
 */
void st_rows_place(struct st_rows *rows, double height, double scroll);

/* "A<B": A stands right before B. Stored as siblings of one parent. */
struct st_move {
    uint32_t parent, what, before;
};

/*
 * Beyond this many, links would darken the states that they cross: they are painted behind.
 */
enum { ST_MOST_LINKS_IN_FRONT = 60 };

enum st_color { ST_BY_VALUE, ST_BY_CONTAINER, ST_BY_DURATION };

struct st_picture {
    const struct weft_request *request;
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_arena *arena;
    struct weft_scene *scene;
    struct weft_frame frame;
    struct st_rows rows;          /* the rows that are being painted */
    struct st_rows pinned;        /* fixed at the top while the others scroll */
    struct weft_swatch *swatches; /* by value */
    enum st_color color;
    struct weft_use use;                /* held until st_end */
    const struct st_layers *layers;     /* of a domain, or NULL */
    struct st_activity *activity;       /* NULL: rows are of containers, and have bars */
    struct st_collectives *collectives; /* NULL: no collective operations are drawn */
    const char *collectives_note;       /* why not as the reader asked, or NULL */
    uint32_t *row_of_track;             /* by track, of all rows; or WEFT_NONE */
    struct st_messages *messages;       /* their colours; NULL: like other links */
    struct weft_span window, shown;     /* shown: the visible part of the window */
    double scale;                       /* pixels a tick */
    double gutter;                      /* pixels left of the plot, for names */
    size_t columns;                     /* whole pixels of the plot's width */
    size_t links;                       /* links that begin and end on shown rows */
    bool links_behind;                  /* they are painted before the states */
    size_t density_links;               /* links that are shown as a density */
    bool endless; /* a state without an end was painted, which has a hatch */
};

/*
 * Prepares the relevance of a trace's rows (struct weft_relevance), the same for all
 * frames.
 */
extern const struct weft_preparation st_relevance_preparation;

/*
 * Makes the rows of the request's subtree, by RELEVANCE, which is not kept; or, if ACTIVITY
 * is not NULL, a row for each of its processors.  HEIGHT is the plot's.  Pinned rows are
 * also in PINNED, from the top of the plot; ROWS then begin below them, at y = 0 of what is
 * left.
 */
bool st_rows_make(struct st_rows *rows, struct st_rows *pinned,
                  const struct weft_view *view, const struct weft_request *request,
                  const struct weft_relevance *relevance,
                  const struct st_activity *activity, struct weft_arena *arena,
                  double height, struct weft_err *err);
/*
 * Returns by container whether the setting rows names it or a container around it; the
 * caller frees it.  NULL with WEFT_ERR_USAGE if no container matches.
 */
bool *st_rows_named(const struct weft_view *view, const struct weft_request *request,
                    struct weft_err *err);
/* Returns the height of the band of pinned rows, with the line below it. */
double st_pinned_height(const struct st_rows *pinned);

/* Parses the setting `order` into moves in ARENA, lifted to siblings of one parent. */
bool st_moves_parse(const struct weft_schema *schema, const char *text,
                    struct weft_arena *arena, struct st_move **moves, size_t *n,
                    struct weft_err *err);

static inline bool st_is_shown(const struct st_picture *p, const struct st_row *row)
{
    return row->y >= 0 && row->y < p->frame.plot.height;
}

/*
 * Puts the shown values, once for each name and look, into *OUT, with shares of the time
 * for the main type of states; shares of several types would add to more than all.  Returns
 * how many there are.
 */
size_t st_legend(struct st_picture *p, struct weft_legend_entry **out);
/*
 * Lays the picture out: all but the painting.  The scene is begun.  Call st_end() in any
 * case.
 */
bool st_lay_out(struct st_picture *p, struct weft_err *err);
void st_end(struct st_picture *p);
/*
 * Copies the picture for a band of rows: its part of the plot as frame.plot, and its rows.
 */
void st_choose_band(struct st_picture *p, const struct st_picture *whole, bool pinned);
bool st_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err);

static inline double st_x(const struct st_picture *p, int64_t time)
{
    /* Subtracted as integers: doubles would lose ticks of a clock that counts from 1970. */
    return p->frame.plot.x + (double)(time - p->window.begin) * p->scale;
}

/* Returns the swatch of a value on a container, by the setting `color`. */
struct weft_swatch st_swatch(const struct st_picture *p, uint32_t value, uint32_t container,
                             int64_t duration);

/* Return the width in pixels of the rows' names; draw their layer, with signs in a page. */
double st_gutter(const struct st_picture *p);
void st_draw_labels(struct st_picture *p, unsigned moves);
/* Returns how much of a row's height its bars take. */
double st_bar_height(const struct st_picture *p, const struct st_row *row);
/*
 * Returns the name of a curve for a type of variables: its value, or the slope of a
 * cumulative one.
 */
const char *st_curve_name(const struct st_picture *p, uint32_t type);

void st_paint_states(struct st_picture *p);
/* Draws PIXELS, [HEIGHT][columns] of the plot, 0: none (space_time_raster.c). */
void st_draw_raster(struct st_picture *p, const uint32_t *pixels, size_t height);
void st_paint_events(struct st_picture *p);
void st_paint_curves(struct st_picture *p);
enum st_part { ST_LINK, ST_STAR_LINE, ST_STAR_CENTRE };
/* A link, or a part of a collective operation that is drawn as a link or as a star. */
struct st_line {
    struct weft_point a, b;
    const struct weft_link *link;
    int64_t bytes; /* of a part of a collective operation; -1: a link of the trace */
    enum st_part part;
};

/*
 * Additions of a domain that knows processors and messages (view/answers.h): rows that are
 * lines of activity instead of bars, collective operations, and colours of messages.  No
 * function is NULL.
 */
struct st_layers {
    /*
     * Finds the processors of the request's container if the setting `activity` asks for
     * lines, and sets p->activity.  Fails if there are none.
     */
    bool (*begin_activity)(struct st_picture *p, struct weft_err *err);
    void (*activity_rows)(struct st_rows *rows, const struct st_activity *activity,
                          struct weft_arena *arena);
    void (*paint_activity)(struct st_picture *p);
    size_t (*activity_legend)(struct st_picture *p, struct weft_legend_entry **out);
    /* Tells by FACT how the processors of a row spent WINDOW. */
    void (*tell_activity)(const struct st_picture *p, const struct st_row *row,
                          struct weft_span window,
                          void (*fact)(void *user, const char *name, const char *value),
                          void *user);
    /*
     * Reads the settings for collective operations and colours of messages; called when the
     * rows are made.  Returns false for a wrong setting.
     */
    bool (*begin)(struct st_picture *p, struct weft_err *err);
    /*
     * Visits the lines of collective operations in the window, until VISIT returns false.
     */
    void (*each_line)(const struct st_picture *p,
                      bool (*visit)(void *user, const struct st_line *line), void *user);
    /*
     * Returns the colour of a line; 0 if it is no message, or messages look like other
     * links.
     */
    weft_color (*color)(struct st_picture *p, const struct st_line *line);
    /*
     * Appends the meaning of the colours to the N entries of *LIST; returns the new number.
     */
    size_t (*legend)(struct st_picture *p, struct weft_legend_entry **list, size_t n);
};

/*
 * Finds where a link ends on a container: in the row of the call at its end (ENTITY, or
 * WEFT_NO_ID), else in the container's row, or the row of states below a row with only a
 * name. *Y is in the picture; false if no such row is shown.  Considers all rows
 * (row_of_track).
 */
bool st_link_row(const struct st_picture *p, uint32_t container, uint64_t entity,
                 double *y);

/* Counts the links to paint: the number decides how they are painted. */
void st_count_links(struct st_picture *p);
/* MODE: on, auto (as a density if there are more links than pixels) or density. */
void st_paint_links(struct st_picture *p, const char *mode);

/* Hatches the rows of a band where their tracks are damaged (view/damage.h). */
void st_paint_damage(struct st_picture *p, const struct weft_damage *list, size_t n);

#endif
