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

/* A row: a header with only a name, states, events, a curve, or a note of folded rows. */
struct st_row {
    enum st_row_kind kind;
    uint32_t container;
    uint32_t type;    /* of the tracks */
    uint32_t *tracks; /* if several: the row is their aggregate */
    uint32_t n_tracks;
    uint32_t depth;     /* indentation */
    uint32_t max_depth; /* of nested states */
    bool first;         /* the first row of its container, which carries the name */
    bool closed;        /* the container is closed: the row stands for its subtree */
    bool secondary;     /* of a lock or the like: dropped before rows of threads */
    const char *label;  /* ST_FOLD: says which children have no rows; else NULL */
    uint32_t *events;   /* tracks of events drawn on top of a row of states */
    uint32_t n_events;
    uint32_t first_processor,
        n_processors;      /* in st_activity's list, if rows are of processors */
    uint32_t states_below; /* ST_HEADER: the first row of states below it; or WEFT_NONE */
    double y, height;      /* in the plot, from its top */
};

struct st_rows {
    struct st_row *list;
    size_t n, capacity;
    size_t total;     /* rows before those that do not fit were left out */
    size_t group;     /* tracks merged into a row, as rows would be thinner than a pixel */
    uint32_t *row_of; /* by container: the row that shows it, or WEFT_NONE */
    double height;    /* pixels of all rows in the plot */
    bool scrolls;     /* there are more rows below the plot */
    double ease;      /* height of scrolling rows: 0: the least, 1: the full one */
    double scroll;    /* pixels of rows above the first one that is shown */
    double content;   /* pixels of all rows, shown or not */
};

/* Private to the domain that has the st_layers below. */
struct st_activity;
struct st_collectives;
struct st_messages;

struct st_row *st_row_add(struct st_rows *rows, struct weft_arena *arena);

/* The room for the rows, in pixels. */
struct st_room {
    double height;  /* of the plot */
    double seen;    /* visible part of the plot, if it can scroll; else 0 */
    double screens; /* most that all rows may take, in multiples of the visible part */
    double fixed;   /* height of each row, if the reader sets it; else 0 */
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
/*
 * Copies into PINNED the rows of the containers that MEMBER[N_CONTAINERS] marks, placed
 * from the top, in at most 0.4 of HEIGHT pixels.
 */
void st_rows_pin(struct st_rows *pinned, const struct st_rows *rows, const uint8_t *member,
                 struct weft_arena *arena, size_t n_containers, double height);
void st_rows_size(struct st_rows *rows, double height, double fixed);
/*
 * Sets the rows' y in a plot of HEIGHT pixels; if they scroll, SCROLL pixels lie above it.
 */
void st_rows_place(struct st_rows *rows, double height, double scroll);

/* The reader's wish "A<B" that container A stand right before its sibling B. */
struct st_move {
    uint32_t parent, what, before; /* what: A, before: B */
};

/*
 * With more links than this they are painted behind the states, which they would darken.
 */
enum { ST_MAX_LINKS_IN_FRONT = 60 };

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
    const struct st_layers *layers;     /* of a domain, or NULL */
    struct st_activity *activity;       /* NULL: rows are of containers, and have bars */
    struct st_collectives *collectives; /* NULL: no collective operations are drawn */
    const char *collectives_note;       /* why not as the reader asked, or NULL */
    uint32_t *row_of_track;             /* by track, of all rows; or WEFT_NONE */
    struct st_messages *messages;       /* colours of messages; NULL: like other links */
    struct weft_span window, shown;     /* shown: the visible part of the window */
    double scale;                       /* pixels a tick */
    double gutter;                      /* pixels left of the plot, for names */
    size_t columns;                     /* whole pixels of the plot's width */
    size_t links;                       /* links that begin and end on shown rows */
    bool links_behind;                  /* links are painted before the states */
    size_t density_links;               /* links that are shown as a density */
    bool endless; /* a state without an end was painted, which has a hatch */
};

/* Prepares a trace's struct weft_relevance, which decides what rows there are. */
extern const struct weft_preparation st_relevance_preparation;

/*
 * Makes the rows of the request's subtree, by RELEVANCE, which is not kept; or, if ACTIVITY
 * is not NULL, a row for each of its processors.  HEIGHT is the plot's, in pixels.  Copies
 * pinned rows into PINNED, at the top of the plot; y = 0 of ROWS is then below these.
 * Returns false with *ERR.
 */
bool st_rows_make(struct st_rows *rows, struct st_rows *pinned,
                  const struct weft_request *request,
                  const struct weft_relevance *relevance,
                  const struct st_activity *activity, struct weft_arena *arena,
                  double height, struct weft_err *err);
/*
 * Returns an array, by container, that is true if the setting `rows` names the container or
 * one around it; the caller frees it.  NULL with WEFT_ERR_USAGE if no container matches.
 */
bool *st_rows_named(const struct weft_request *request, struct weft_err *err);
/* Returns the pixels that the pinned rows take, with the line below them. */
double st_pinned_height(const struct st_rows *pinned);

/*
 * Parses the setting `order` ("A<B,...") into *N moves in ARENA; instead of A and B, their
 * ancestors that are siblings are moved.  Returns false with WEFT_ERR_USAGE.
 */
bool st_moves_parse(const struct weft_schema *schema, const char *text,
                    struct weft_arena *arena, struct st_move **moves, size_t *n,
                    struct weft_err *err);

/* Returns true if the row begins in the visible part of the plot. */
static inline bool st_is_shown(const struct st_picture *p, const struct st_row *row)
{
    return row->y >= 0 && row->y < p->frame.plot.height;
}

/*
 * Sets *OUT to a legend of the shown values, once for each name and look, and returns the
 * number of entries.  Only the main type of states has shares of the time: those of several
 * types would add to more than all.
 */
size_t st_legend(struct st_picture *p, struct weft_legend_entry **out);
/*
 * Lays the picture out and begins its scene: all but the painting.  Returns false with
 * *ERR.
 */
bool st_lay_out(struct st_picture *p, struct weft_err *err);
/*
 * Sets *P to a copy of WHOLE for painting only its pinned rows, or only the others: `rows`
 * are these, and frame.plot is their part of the plot.
 */
void st_choose_band(struct st_picture *p, const struct st_picture *whole, bool pinned);
bool st_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err);

/* Returns the x of TIME in the picture. */
static inline double st_x(const struct st_picture *p, int64_t time)
{
    /* Subtracted as integers: doubles would lose ticks of a clock that counts from 1970. */
    return p->frame.plot.x + (double)(time - p->window.begin) * p->scale;
}

/* Returns the swatch of a state by the setting `color`: by value, container or duration. */
struct weft_swatch st_swatch(const struct st_picture *p, uint32_t value, uint32_t container,
                             int64_t duration);

/* Return the width in pixels of the rows' names; draw the layer of the names. */
double st_gutter(const struct st_picture *p);
void st_draw_labels(struct st_picture *p, unsigned moves);
/* Returns how many pixels of a row's height its bars take. */
double st_bar_height(const struct st_picture *p, const struct st_row *row);
/*
 * Returns the name of a variable type's curve, which shows the value, or the slope of a
 * cumulative variable.
 */
const char *st_curve_name(const struct st_picture *p, uint32_t type);

void st_paint_states(struct st_picture *p);
/* Draws PIXELS[HEIGHT][p->columns], 0xAARRGGBB, 0: none, over the plot. */
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
 * Additions of a domain that knows processors and messages (view/domain_answers.h): a line
 * for each processor, drawn where it is busy, instead of bars of states; collective
 * operations; and colours of messages.  No function is NULL.
 */
struct st_layers {
    /*
     * If the setting `activity` asks for lines, sets p->activity to the processors of the
     * request's container.  Returns false with *ERR if there are none.
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
     * Returns the colour of LINE if it is a message; 0 if it is none, or if messages look
     * like other links.
     */
    weft_color (*color)(struct st_picture *p, const struct st_line *line);
    /*
     * Appends the meaning of the messages' colours to the N entries of *LIST; returns the
     * new number.
     */
    size_t (*legend)(struct st_picture *p, struct weft_legend_entry **list, size_t n);
};

/*
 * Sets *Y of the picture to where a link ends on a CONTAINER: in the row of the state or
 * event ENTITY (or WEFT_NO_ID) at its end, else in the container's row, or the row of
 * states below its name.  Returns false if no such row is shown.  P is the whole picture,
 * not one of st_choose_band().
 */
bool st_link_row(const struct st_picture *p, uint32_t container, uint64_t entity,
                 double *y);

/* Sets p->links, the number of links to paint, which decides how they are painted. */
void st_count_links(struct st_picture *p);
/* MODE: on, auto (as a density if there are more links than pixels) or density. */
void st_paint_links(struct st_picture *p, const char *mode);

/* Hatches p->rows where LIST[N] says that their tracks are damaged (view/damage.h). */
void st_paint_damage(struct st_picture *p, const struct weft_damage *list, size_t n);

#endif
