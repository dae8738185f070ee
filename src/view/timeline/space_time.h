/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the space-time view: space_time_rows.c chooses the rows (space_time_lanes.c
 * those that are used again, space_time_closed_rows.c those of closed containers) by what
 * space_time_relevance.c prepares, space_time_constants.c the row of variables that never
 * change, space_time_row_moves.c their order, space_time_heights.c their heights;
 * space_time_states.c paints rows of states (space_time_shares.c what is denser than
 * pixels), and space_time_sampled_functions.c finds the functions that are named in them;
 * space_time_curves.c paints curves, space_time_events_and_links.c events and links
 * (space_time_link_sums.c sums those of reduced rows),
 * space_time_locks.c bars of locks; space_time_damage.c hatches unreadable parts,
 * space_time_legend.c names the values, space_time_names.c the rows; space_time_point.c
 * tells what is at a point, and space_time.c puts all together. Domains may add struct
 * st_layers.
 */
#ifndef WEFT_VIEW_SPACE_TIME_H
#define WEFT_VIEW_SPACE_TIME_H

#include "analyse/container_relevance.h"
#include "view/picture_frame.h"
#include "view/prepare.h"

/*
 * The content of a row: only a name (HEADER), bars of states, events, the curve of a
 * variable, or a note that some children of its container have no rows (FOLD).
 */
enum st_row_kind { ST_HEADER, ST_STATES, ST_EVENTS, ST_CURVE, ST_FOLD };

/* A row of the picture.  Its arrays are in the request's arena. */
struct st_row {
    enum st_row_kind kind;
    uint32_t container;
    uint32_t type;    /* of the tracks; WEFT_NONE: a header or a fold */
    uint32_t *tracks; /* [n_tracks] if several, the row shows their sum */
    uint32_t n_tracks;
    /* rows that the tracks would fill if several take turns in each; 0: one for each */
    uint32_t lanes;
    const struct weft_reduction *reduction; /* of a row that a filter reduces; or NULL */
    double set_height;                      /* pixels that a filter sets; or 0 */
    uint32_t depth;     /* indentation: levels below the container of the request */
    uint32_t max_depth; /* levels of nested states; 1: none are nested */
    bool first;         /* the first row of its container, which carries the name */
    bool closed;        /* the container is closed: the row stands for its subtree */
    bool secondary;     /* of a lock or the like: left out before rows of threads */
    /* ST_FOLD: says which children have no rows; of a row of several containers that take
       turns, their names; else NULL */
    const char *label;
    uint32_t *events; /* [n_events] tracks of events drawn on top of a row of states */
    uint32_t n_events;
    uint32_t first_processor,
        n_processors; /* in st_activity's list, if rows are of processors */
    /* ST_HEADER: index of the first row of states of a container inside; or WEFT_NONE */
    uint32_t states_below;
    /* top edge, pixels below the plot's; -1e9 or 1e9 if the row is scrolled out of it */
    double y, height;
};

/* Returns how many rows the tracks of ROW would fill, each of them whole. */
static inline uint32_t st_row_lanes(const struct st_row *row)
{
    return row->lanes ? row->lanes : row->n_tracks;
}

/* The rows of a picture, or those of its pinned part; all memory is in an arena. */
struct st_rows {
    struct st_row *list; /* [n] from top to bottom */
    size_t n, capacity;
    size_t total; /* number of rows before those that do not fit were left out */
    /* most rows that are merged into one, as they would be thinner than a pixel; 1: none */
    size_t group;
    /* [n_containers], index in `list` of the row that shows it or a container around it (of
       pinned rows: only its own), or WEFT_NONE */
    uint32_t *row_of;
    uint32_t n_containers;
    double height;  /* pixels of the shown rows, at most the plot's height */
    bool scrolls;   /* rows may reach beyond the plot, and the reader can scroll */
    double ease;    /* heights if they scroll, from 0, readable, to 1, comfortable */
    double scroll;  /* pixels of rows above the first one that is shown */
    double content; /* pixels of all rows, shown or not */
};

/*
 * Data that the domain which has the st_layers below prepares for a picture and draws:
 * when each processor of a row is busy or in overhead.  That domain defines the struct;
 * others only pass pointers to it.
 */
struct st_activity;
/* The same for the collective operations of the window. */
struct st_collectives;
/* The same for the colours of messages. */
struct st_messages;
/* The locks that have bars on the rows of threads (space_time_locks.c). */
struct st_locks;

/* Sums of links that end on reduced rows (space_time_link_sums.c). */
struct st_link_sums;

/*
 * Appends a row and returns it, all 0 but `type`, which is WEFT_NONE.  The pointer is valid
 * until the next row is added.
 */
struct st_row *st_row_add(struct st_rows *rows, struct weft_arena *arena);

/* The room for the rows, in pixels. */
struct st_room {
    double height;  /* of the plot */
    double seen;    /* visible part of the plot, if rows can scroll; else 0 */
    double screens; /* most that scrolling rows may take, in multiples of `seen` */
    double fixed;   /* height of each row, if the reader sets it; else 0 */
};

/*
 * Removes the rows that do not fit from ROWS, of which there is at least one, decides
 * whether they scroll, and calls st_rows_size.  Without room for rows with names, curves
 * are left out first, then events and rows of locks, then headers and folds; if rows of
 * states would be about three pixels high or thinner, only they are kept, and 4, 16 ...
 * neighbours of one type become one row if there are more rows than pixels.  If the reader
 * can scroll, rows keep a height at which they have names, as long as they, if need be
 * without curves and events, take at most ROOM's number of screens.  Rows of a fixed height
 * always scroll, and none is left out.
 */
void st_rows_fit(struct st_rows *rows, struct weft_arena *arena,
                 const struct st_room *room);
/*
 * Sets *PINNED to copies of the rows, which have heights, of the containers that
 * MEMBER[N_CONTAINERS] marks, placed from the top.  A row that would go beyond 0.4 of
 * HEIGHT pixels is not copied.
 */
void st_rows_pin(struct st_rows *pinned, const struct st_rows *rows, const uint8_t *member,
                 struct weft_arena *arena, size_t n_containers, double height);
/*
 * Sets the height of each row for a plot of HEIGHT pixels: FIXED, if that is not 0 (headers
 * and folds at most 17 pixels); else by its kind, stretched or shrunk to fill the plot, few
 * rows not beyond a limit; if they scroll, by rows->ease.
 */
void st_rows_size(struct st_rows *rows, double height, double fixed);
/*
 * Sets the rows' y in a plot of HEIGHT pixels, and rows->scroll, content and height.  If
 * they scroll, SCROLL pixels lie above the plot, rounded down to whole rows, and a row that
 * does not fit wholly at the bottom is not shown.
 */
void st_rows_place(struct st_rows *rows, double height, double scroll);

/* The reader's wish "A<B" that container A stand right before its sibling B. */
struct st_move {
    uint32_t parent, what, before; /* containers: of both; A; B */
};

/*
 * With more links than this they are painted behind the states, which they would darken.
 */
enum { ST_MAX_LINKS_IN_FRONT = 60 };

/* The setting `color`: a state's colour stands for its value, container or duration. */
enum st_color { ST_BY_VALUE, ST_BY_CONTAINER, ST_BY_DURATION };

/*
 * A picture, or a band of it (st_choose_band), while it is made.  The caller sets request,
 * arena and scene, all else to 0; st_lay_out sets the rest.  Nothing needs to be freed.
 */
struct st_picture {
    const struct weft_request *request;
    const struct weft_source *source; /* the request's first trace */
    const struct weft_schema *schema;
    struct weft_arena *arena;
    struct weft_scene *scene;
    struct weft_frame frame;
    struct st_rows rows;          /* the rows that are being painted */
    struct st_rows pinned;        /* fixed at the top while the others scroll */
    struct weft_swatch *swatches; /* by value; st_swatch() chooses */
    enum st_color color;
    const struct st_layers *layers;     /* of a domain, or NULL */
    struct st_activity *activity;       /* NULL: rows are of containers, and have bars */
    struct st_collectives *collectives; /* NULL: no collective operations are drawn */
    const char *collectives_note;       /* why not as the reader asked, or NULL */
    uint32_t *row_of_track;             /* by track: its row of states; or WEFT_NONE */
    struct st_messages *messages;       /* colours of messages; NULL: like other links */
    struct st_locks *locks;             /* with bars; NULL: the setting `locks` is off */
    struct weft_span window, shown;     /* ticks; shown: the visible part of the window */
    double scale;                       /* pixels a tick */
    double gutter;                      /* pixels left of the plot, for names */
    const char **labels;  /* by container: names of rows; NULL: the containers' own */
    size_t columns;       /* whole pixels of the plot's width */
    size_t links;         /* links to paint (st_count_links) */
    bool links_behind;    /* links are painted before the states */
    size_t density_links; /* links that are shown as a density */
    struct st_link_sums *link_sums; /* NULL: all links are drawn one by one */
    bool only_sums;                 /* no link of the window is drawn by itself */
    bool endless; /* a state without an end was painted, which has a hatch */
};

/* Returns the container of an entity on ROW: one of several if they take turns there. */
static inline uint32_t st_owner(const struct st_picture *p, const struct st_row *row,
                                uint64_t id)
{
    return row->lanes ? p->schema->tracks[weft_entity_track(id)].container : row->container;
}

/*
 * Prepares the struct weft_relevance of the first trace, which decides what rows there are;
 * it has no parameters.
 */
extern const struct weft_preparation st_relevance_preparation;

/*
 * Sets *ROWS to the rows of the request's subtree, by RELEVANCE, which is not kept; or, if
 * ACTIVITY is not NULL (RELEVANCE may then be), to a row for each of its processors.
 * HEIGHT is the plot's, in pixels.  Sets *PINNED to copies of pinned rows, at the top of
 * the plot; y = 0 of ROWS is then below these (st_pinned_height).  Memory is in ARENA.
 * Returns false with WEFT_ERR_USAGE for a setting that names no container, or with
 * WEFT_ERR_CANCELLED.
 */
bool st_rows_make(struct st_rows *rows, struct st_rows *pinned,
                  const struct weft_request *request,
                  const struct weft_relevance *relevance,
                  const struct st_activity *activity, struct weft_arena *arena,
                  double height, struct weft_err *err);
/*
 * Returns an array, by container, that is true if the setting `rows` names the container or
 * one around it; the caller frees it by free().  The setting is "" or "all", for every one,
 * or a comma-separated list of patterns, which match any part of a name, or with * ? or [
 * the whole name, ignoring case.  NULL with WEFT_ERR_USAGE if no container matches.
 */
bool *st_rows_named(const struct weft_request *request, struct weft_err *err);
/* Returns the pixels that the pinned rows take, with the line below them; 0 without any. */
double st_pinned_height(const struct st_rows *pinned);

/*
 * Parses TEXT, the setting `order` ("A<B,...", A and B as for weft_find_container), into
 * *MOVES, [*N] in ARENA.  If A and B are not siblings, their ancestors that are take their
 * place; a move in which one holds the other is skipped.  Returns false with WEFT_ERR_USAGE
 * for wrong syntax or an unknown container.
 */
bool st_moves_parse(const struct weft_schema *schema, const char *text,
                    struct weft_arena *arena, struct st_move **moves, size_t *n,
                    struct weft_err *err);

/* Returns true if the top edge of ROW, one of p->rows, lies in the plot of P. */
static inline bool st_is_shown(const struct st_picture *p, const struct st_row *row)
{
    return row->y >= 0 && row->y < p->frame.plot.height;
}

/*
 * Sets *OUT, in the arena, to the values of states that are innermost in p->shown on the
 * tracks of p->rows (but for idle values of locks and the like), one entry for each name
 * and look, unsorted, and returns the number of entries; 0 if colours are not by value.
 * Only the main type of states has shares of the time that its containers lived: those of
 * several types would add to more than all.
 */
size_t st_legend(struct st_picture *p, struct weft_legend_entry **out);
/*
 * Lays the picture out and begins its scene, with title and legend: all but the painting.
 * P has request, arena and scene.  Returns false with WEFT_ERR_USAGE for a setting that
 * does not suit the trace, WEFT_ERR_CANCELLED, or an error of preparing the trace's
 * relevance.
 */
bool st_lay_out(struct st_picture *p, struct weft_err *err);
/*
 * Sets *P to a copy of WHOLE for painting only its pinned rows, or only the others: `rows`
 * are these, and frame.plot is their part of the plot.  Arrays are shared.
 */
void st_choose_band(struct st_picture *p, const struct st_picture *whole, bool pinned);
/*
 * The view's function `point` (view/view.h): writes facts about the row and the time at AT,
 * pixels of the picture, and sets *ID to the state or event there, or WEFT_NO_ID.  Without
 * a row at AT it writes an empty table and returns true.  Returns false like st_lay_out().
 */
bool st_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err);

/* Returns the x of TIME in the picture, in pixels; not clipped to the plot. */
static inline double st_x(const struct st_picture *p, int64_t time)
{
    /* Subtracted as integers: doubles would lose ticks of a clock that counts from 1970. */
    return p->frame.plot.x + (double)(time - p->window.begin) * p->scale;
}

/*
 * Returns the swatch of a state, by p->color: by its VALUE, by the name of its CONTAINER,
 * or by DURATION (ticks), on a logarithmic ramp from a millionth to all of the trace's
 * span.  Only the one that counts must be valid.
 */
struct weft_swatch st_swatch(const struct st_picture *p, uint32_t value, uint32_t container,
                             int64_t duration);

/* Returns true if ROW is of states, reduced to shades of its active members. */
bool st_is_shaded(const struct st_picture *p, const struct st_row *row);
/*
 * Returns the shade for so many active of MEMBERS: by the square root of their part, since
 * of many members often few are active.
 */
weft_color st_shade(const struct weft_theme *theme, double active, double members);
/* Returns COLOR as it is drawn for what a filter dims: most of it is the panel's. */
weft_color st_pale(const struct st_picture *p, weft_color color);

/*
 * Sets p->labels: where p->rows have no heads above them that say whose they are, rows of
 * one name are called "parent/name".  O(n_containers) then.
 */
void st_choose_labels(struct st_picture *p);

/*
 * Returns the width in pixels that the names of p->rows need at the left of the plot: at
 * most 240, and about a quarter of the picture.
 */
double st_gutter(const struct st_picture *p);
/*
 * Draws the names of p->rows where there is room, as a layer with MOVES (WEFT_LAYER_*); in
 * a page (request->bare) also the signs that open and close rows.
 */
void st_draw_labels(struct st_picture *p, unsigned moves);
/*
 * Returns how many pixels of a row's height its bars take: all of a row lower than 6; else
 * one pixel below them is free, or, if p->links_behind and the row has at least 14, a
 * quarter of its height, at most 16.
 */
double st_bar_height(const struct st_picture *p, const struct st_row *row);
/* Returns the decimals of VALUE for three significant digits; 0 for whole numbers. */
int st_value_decimals(double value);
/*
 * Returns the name of the curve of TYPE, a type of variables: the type's name; with ", per
 * second" if the curve shows the slope of a cumulative variable; "share of a processor" for
 * processor time.  In the arena, the schema, or constant.
 */
const char *st_curve_name(const struct st_picture *p, uint32_t type);

/* The function that a thread was sampled in most: innermost in its call stacks. */
struct st_function {
    const char *name; /* in the arena; NULL: not known */
    double part;      /* its part of the time that the samples stand for, 0 to 1 */
    uint64_t samples; /* number of samples in the span, in whatever function */
};
/*
 * Returns the function in which the thread CONTAINER was sampled most in the visible part
 * of SPAN, a time in which it ran.  Its name is NULL if there are fewer than 3 samples, or
 * so many (about 50,000) that reading them would take long, or if stacks without a known
 * function have the most time.
 */
struct st_function st_function_of(const struct st_picture *p, uint32_t container,
                                  struct weft_span span);
/* Returns the end of a bar's title that tells of FUNCTION, in the arena; "" if none. */
const char *st_function_text(const struct st_picture *p,
                             const struct st_function *function);
/*
 * Adds the states of the shown rows of P, a band (st_choose_band), to the scene's last
 * layer.  Stops early if the request's job is cancelled.
 */
void st_paint_states(struct st_picture *p);
/*
 * Sets p->locks if the setting `locks` asks for bars of locks: the locks with states in the
 * window, those with the fewest first, as long as they have 200,000 states together.
 */
void st_locks_begin(struct st_picture *p);
/* Appends the colours of p->locks to the N entries of *LIST; returns the new number. */
size_t st_locks_legend(struct st_picture *p, struct weft_legend_entry **list, size_t n);
/* Returns how many locks have no bars, as a note in the arena; "" if all have. */
const char *st_locks_note(const struct st_picture *p);
/*
 * Adds a bar for each hold of p->locks on the row of its holder, and one for each wait, to
 * the scene's last layer.  Rows that are low, or of several threads, have none.
 */
void st_paint_locks(struct st_picture *p);
/* Adds the events of the shown rows of P, a band (st_choose_band), to the scene's last
   layer.  Stops early if the request's job is cancelled. */
void st_paint_events(struct st_picture *p);
/* Adds the curves of variables of the shown rows of P, a band (st_choose_band), to the
   scene's last layer.  Stops early if the request's job is cancelled. */
void st_paint_curves(struct st_picture *p);
/* A line that is drawn as an arrow; a line to the centre of a star; the centre itself. */
enum st_part { ST_LINK, ST_STAR_LINE, ST_STAR_CENTRE };
/*
 * A link, or a part of a collective operation, which is drawn as arrows or as a star.  It
 * is valid only while its visitor runs.
 */
struct st_line {
    struct weft_point a, b; /* ends, in pixels; a centre is at b */
    /* the trace's; or one made up, with the id of the operation's event */
    const struct weft_link *link;
    int64_t bytes; /* an arrow of a collective operation: its bytes; else -1 */
    enum st_part part;
};

/*
 * Additions of a domain that knows processors and messages (view/domain_answers.h): a line
 * for each processor, drawn where it is busy, instead of bars of states; collective
 * operations; and colours of messages.  No function is NULL.  Functions for activity are
 * called only if the setting `activity` asks for lines.  Memory is in the picture's arena.
 */
struct st_layers {
    /*
     * Sets p->activity to the processors of the request's container; called before there
     * are rows.  Returns false with *ERR if there are none.
     */
    bool (*begin_activity)(struct st_picture *p, struct weft_err *err);
    /* Adds a row for each processor of ACTIVITY, and sets rows->row_of of its container. */
    void (*activity_rows)(struct st_rows *rows, const struct st_activity *activity,
                          struct weft_arena *arena);
    /* Adds the lines of p->rows to the scene's last layer. */
    void (*paint_activity)(struct st_picture *p);
    /* Sets *OUT to the legend instead of st_legend(); returns the number of entries. */
    size_t (*activity_legend)(struct st_picture *p, struct weft_legend_entry **out);
    /*
     * Calls FACT, with USER, for each fact (a name and a value) about how the processors of
     * ROW spent WINDOW; the texts are valid as long as the picture's arena.
     */
    void (*tell_activity)(const struct st_picture *p, const struct st_row *row,
                          struct weft_span window,
                          void (*fact)(void *user, const char *name, const char *value),
                          void *user);
    /*
     * Reads the settings for collective operations and colours of messages, and sets
     * p->collectives, collectives_note and messages; called once, when rows are first made.
     * Returns false with *ERR for a wrong setting, or if cancelled.
     */
    bool (*begin)(struct st_picture *p, struct weft_err *err);
    /*
     * Visits the lines of collective operations in the window that end on shown rows of P,
     * the whole picture (st_link_row), until VISIT returns false.
     */
    void (*each_line)(const struct st_picture *p,
                      bool (*visit)(void *user, const struct st_line *line), void *user);
    /*
     * Returns the colour of LINE by the setting `messages`, if it is a message; 0 if it is
     * none, or if messages look like other links.
     */
    weft_color (*color)(struct st_picture *p, const struct st_line *line);
    /*
     * Appends the meaning of the messages' colours to the N entries of *LIST, which it may
     * replace by a longer copy; returns the new number.
     */
    size_t (*legend)(struct st_picture *p, struct weft_legend_entry **list, size_t n);
};

/*
 * Sets *Y, in the picture, to the middle of the row at which an end of a link on CONTAINER
 * is drawn: the row of states that has the track of ENTITY, the state at that end, if it is
 * one (WEFT_NO_ID: none); else the container's row, or, if that has only a name, the row of
 * states below it.  Returns false if that row is not shown.  P is the whole picture, not
 * one of st_choose_band().
 */
bool st_link_row(const struct st_picture *p, uint32_t container, uint64_t entity,
                 double *y);
/* Returns the index of that row in p->rows, which need not be shown; WEFT_NONE: none. */
uint32_t st_row_of_end(const struct st_picture *p, uint32_t container, uint64_t entity);

/*
 * Sums the links of P, the whole picture, of which an end is on a shown reduced row, by
 * pair of rows (of the link's container, if its row is open), type of links, and slot of
 * time of about 40 pixels in which they leave; links inside of one row are left out.  Sets
 * p->link_sums and *N_OTHERS, how many links of the window are not summed.  Visits all
 * links of the window.  Returns false, without any sums, if no reduced row is shown, rows
 * are merged, or there would be more than 4,000 sums.
 */
bool st_sum_links(struct st_picture *p, size_t *n_others);
/* Returns true if p->link_sums has LINK, or leaves it out inside of a row. */
bool st_link_is_summed(const struct st_picture *p, const struct weft_link *link);
/* Returns how many lines SUMS has. */
size_t st_link_sums_count(const struct st_link_sums *sums);
/*
 * Adds the lines of p->link_sums to the scene's last layer, from the mean of the begins to
 * the mean of the ends, 1 to 6 pixels thick, with a title and a click that lists the links.
 * Calls SINGLE with USER for sums of one link instead.
 */
void st_paint_link_sums(struct st_picture *p,
                        bool (*single)(void *user, const struct weft_link *link),
                        void *user);

/*
 * Sets p->links to the number of links, and lines of collective operations, with both ends
 * on shown rows of P, the whole picture.  Stops counting near 2 * p->columns + 1000.
 */
void st_count_links(struct st_picture *p);
/*
 * Adds the links of P, the whole picture, to the scene's last layer; none if p->links is 0.
 * MODE, the setting `links`: "on", one by one; "density", as a raster of how many cross
 * each cell of 3 by 3 pixels, which sets p->density_links; "auto", the latter if there are
 * more than two a pixel column.
 */
void st_paint_links(struct st_picture *p, const char *mode);

/*
 * Hatches the shown rows of P, a band (st_choose_band), where LIST[N] says that entities of
 * their tracks cannot be read (view/damage.h); for links, a strip of 8 pixels at the plot's
 * top.
 */
void st_paint_damage(struct st_picture *p, const struct weft_damage *list, size_t n);

#endif
