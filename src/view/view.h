/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: the contract between a view and its callers (the command line and the server).
 *
 * A view is one struct weft_view, registered in view/views.h. It is called with a struct
 * weft_request, and answers with a scene (a picture made of marks in pixels, view/scene.h)
 * or with a table (rows of numbers, view/table.h).  It does not know the output: the same
 * scene becomes a PNG, an SVG or a panel of the workbench.  Help, completion and the
 * workbench's catalogue are made from the struct, so a view needs no code elsewhere.
 *
 * A view may rely on this: fills() was true for the set; settings were checked against the
 * kinds of its parameters.  A view must ask for roles (store/role.h) and never compare
 * names; keep no state between calls, since any number of threads call it at once; take all
 * memory that the scene refers to from the request's arena; call weft_job_step often, and
 * stop when that fails; cost by its pixels, not by the trace's length (store/source.h says
 * what each query costs; things that many frames need are prepared, view/prepare.h).  Times
 * of a trace may be any int64_t.
 */
#ifndef WEFT_VIEW_VIEW_H
#define WEFT_VIEW_VIEW_H

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/entity_set.h"
#include "store/source.h"
#include "view/palette.h"
#include "view/scene.h"
#include "view/table.h"

/* The traces that a view looks at: one, or several to compare.  The caller of the view owns
   the array and the sources; they must live until the view has answered. */
struct weft_set {
    const struct weft_source *const *sources;
    size_t n_sources;
    /* [n_sources]: the names of their files, to tell them apart; NULL: not known. */
    const char *const *names;
};

/* The kind of a setting's text.  SCROLL, ZOOM, TALL and PLACE are numbers, too. */
enum weft_parameter_kind {
    WEFT_PARAMETER_CHOICE, /* one of `choices`, separated by '|' */
    WEFT_PARAMETER_NUMBER, /* minimum to maximum */
    WEFT_PARAMETER_FLAG,   /* on | off */
    WEFT_PARAMETER_TEXT,
    WEFT_PARAMETER_CONTAINER,  /* a text for weft_find_container, which the view calls */
    WEFT_PARAMETER_CONTAINERS, /* a comma-separated list of CONTAINER texts */
    WEFT_PARAMETER_ENTITIES,   /* a set of entities and containers (store/entity_set.h) */
    WEFT_PARAMETER_ORDER,      /* a list of A<B: A stands right before B */
    /*
     * One of `choices`, or the content of a file.  The command line takes the file's name,
     * and "user" for `file`; the page lets the reader pick one.  A view, and so the server,
     * gets the content: it opens no file.
     */
    WEFT_PARAMETER_FILE,
    /* The page sets these by its scroll bar, by pointing, by wheel and by dragging: */
    WEFT_PARAMETER_SCROLL,  /* pixels */
    WEFT_PARAMETER_ENTITY,  /* an id, or empty */
    WEFT_PARAMETER_ZOOM,    /* magnification of the fitting size; or see frame.zoom */
    WEFT_PARAMETER_TALL,    /* how many times more ZOOM enlarges heights than widths */
    WEFT_PARAMETER_PLACE_X, /* x of the scene's anchor, as a part of the plot's width */
    WEFT_PARAMETER_PLACE_Y, /* y of the scene's anchor, as a part of the plot's height */
    /*
     * The effect of the mouse wheel, one of `choices`: zoom, x or y (only widths or
     * heights), or the name of the parameter whose number it multiplies.
     */
    WEFT_PARAMETER_WHEEL,
};

/* A setting that a view has. */
struct weft_parameter {
    const char *name; /* in --set NAME=VALUE, in the URL, in the panel's head */
    enum weft_parameter_kind kind;
    const char *choices;     /* "one|two" of CHOICE and WHEEL, of FILE if it has any */
    double minimum, maximum; /* of a NUMBER and the other kinds of numbers, inclusive */
    const char *fallback;    /* the default, as text; never NULL */
    const char *help;        /* a few words */
    bool seldom;             /* a narrow panel shows it only on demand */
    const char *file;        /* FILE: name of the file that the choice "user" reads */
    bool shared;             /* panels of one trace have the same value, unless detached */
    /* panels without a choice of their own take the last one made in another */
    bool offered;
    const char *with_view; /* a page shows it only if the trace fills this view; or NULL */
    /*
     * Returns true if a page should offer CHOICE, one of `choices`, for the traces of SET;
     * looks at tables only.  NULL: all are offered.
     */
    bool (*offers)(const struct weft_set *set, const char *choice);
};

/* A column of a view's table. */
struct weft_column {
    const char *name;
    const char *help; /* a few words; NULL: the name says it */
    const char *with; /* NAME=VALUE: only with this setting; NULL: always */
    /*
     * Terms of a selection (analyse/where_selection.h) that mean what a row of the table
     * counts; $ is the text of the row's cell in this column ("$ns": that and "ns"), {NAME}
     * the text of a setting.  A page joins those of all columns by "and", and lists what
     * that selects. "value" alone is short for "value = $".  Several are separated by '|',
     * some with a condition NAME=VALUE: before them, about a setting of the view, or else a
     * cell of the row: the first that holds counts; it may be empty.  NULL: no term.
     */
    const char *selects;
    const char *narrows; /* a further term if this very cell is clicked; NULL: none */
    bool seldom;         /* aligned text leaves it out before others */
    /*
     * Only in tables for the page (request->of_page), which does not show `id`, that of the
     * thing that a row is, and `where`, a selection of what it counts.
     */
    bool of_page;
};

/* A key of the page that changes a setting of the view in the active panel. */
struct weft_view_key {
    char key[2];         /* the character, as a text */
    const char *setting; /* name of a NUMBER, CHOICE or FLAG */
    double step;         /* is added to the number; how many choices it goes on, around */
    const char *help;    /* a few words */
};

struct weft_shelf;
struct weft_use;

/* The arguments of every call of a view. */
struct weft_request {
    const struct weft_set *set;
    /* Ticks of the trace's clock; it may reach beyond the trace's span, not beyond
     * WEFT_TIME_LIMIT. */
    struct weft_span window;
    /*
     * The visible part of the window, to which labels and sums refer: a page asks for a
     * wider window, so that it can be moved.  Empty: all of the window is visible.
     */
    struct weft_span shown;
    bool has_at;          /* whether `at` is set; only for views that have a moment */
    int64_t at;           /* a moment, ticks of the trace's clock; within the span */
    uint32_t under;       /* index of a container: only its subtree; 0, the root: all */
    double width, height; /* of the picture, pixels */
    double seen_height;   /* visible part of the height; 0: all of it */
    bool of_page;         /* the table has columns that only a page needs, too */
    bool bare;            /* without title, explanation and legend, which the page shows */
    const struct weft_theme *theme;
    /* [n_parameters] texts, like view->parameters; NULL, it or an element: the default */
    const char *const *settings;
    struct weft_job *job;     /* progress and cancelling; or NULL */
    struct weft_shelf *shelf; /* keeps prepared things (view/prepare.h); or NULL */
    /* Set for the view by weft_view_scene and the functions beside it: */
    const struct weft_view *view;
    struct weft_arena *arena; /* freed after the answer; that of a scene by the caller */
    struct weft_use *use;     /* holds prepared things until the answer is complete */
};

/* How a view uses the moment of a request (`at`). */
enum weft_moment {
    WEFT_MOMENT_NONE,   /* not: it shows the whole window, and never gets one */
    WEFT_MOMENT_MARKED, /* a line across its time axis; the table is of that moment */
    WEFT_MOMENT_SHOWN,  /* picture and table are of that moment */
};

/* The place of a view in the workbench when a trace is opened for the first time. */
enum weft_place {
    WEFT_PLACE_NONE, /* not shown until opened */
    WEFT_PLACE_MAIN,
    WEFT_PLACE_BESIDE, /* to the right of the main one */
    WEFT_PLACE_BELOW,
};

/* A view: its names, what it takes, and the functions that answer; a constant. */
struct weft_view {
    const char *name; /* in commands and addresses: "space-time" */
    /* a view in whose place it answers for traces that this one cannot fill; or NULL */
    const char *stands_for;
    const char *title;       /* over its picture: "Space-time" */
    const char *group;       /* in the catalogue: "Timeline" */
    const char *explanation; /* one plain sentence: how to read the picture */
    const char *needs; /* what a trace must hold and how to record that, after "it needs" */
    const struct weft_parameter *parameters;
    size_t n_parameters;
    const struct weft_column *columns; /* of the table, at most WEFT_MAX_COLUMNS */
    size_t n_columns;
    const struct weft_view_key *keys; /* of the page; or NULL */
    size_t n_keys;

    enum weft_moment moment;
    bool of_all;   /* ignores `under`: shows all containers of the trace */
    bool of_run;   /* ignores `window`: shows the whole run */
    bool compares; /* compares two traces: the first with the second */
    bool many;     /* takes any number of traces */
    bool diffs;    /* its table marks cells that differ; weft diff prints it without --by */
    /*
     * Its table marks cells that differ; weft diff prints it with --by one of these
     * choices, separated by '|', which becomes the setting "by" if the view has that; NULL:
     * not
     */
    const char *diffs_by;
    /*
     * Returns true if the traces of SET have what the view needs.  Must be quick: every
     * view is asked when a trace is opened.
     */
    bool (*fills)(const struct weft_set *set);
    enum weft_place usual_place; /* the view's place in the workbench, if `place` is NULL */
    /* Returns the view's place in the workbench for SET; NULL: usual_place for all. */
    enum weft_place (*place)(const struct weft_set *set);
    /*
     * Draws the picture.  The callee initialises SCENE, by weft_frame_begin
     * (view/picture_frame.h) or weft_scene_init; it lives as long as the request's arena.
     * For a window without content, the scene says so (weft_frame_empty).  Errors:
     * WEFT_ERR_USAGE for a setting that does not suit the trace, WEFT_ERR_CANCELLED.
     */
    bool (*scene)(const struct weft_request *request, struct weft_scene *scene,
                  struct weft_err *err);
    /*
     * Writes the numbers behind the picture: weft_view_begin_table, rows, end.  The numbers
     * are exact, unlike a picture: they may cost as much as the window holds.  Fails like
     * `scene`.
     */
    bool (*table)(const struct weft_request *request, struct weft_table *table,
                  struct weft_err *err);
    /*
     * Tells what the picture shows at the point AT, in pixels of the picture: facts as rows
     * of name and value (weft_table_begin_facts()), and in *ID, WEFT_NO_ID at first, the
     * entity there.  Needed where a picture is denser than its marks; NULL: the marks'
     * titles tell all.
     */
    bool (*point)(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err);
    /*
     * Names what picture and table lack because of how the traces were made, and the
     * remedy: a sentence in the request's arena, which commands print beside a table, or
     * NULL. May itself be NULL.
     */
    const char *(*remark)(const struct weft_request *request);
    /* For functions that several views share: data by which they tell the views apart. */
    const void *own;
};

/* Returns the view with INDEX, from 0, of all that were built in; NULL behind the last. */
const struct weft_view *weft_view_at(size_t index);
/* Returns how many views were built in. */
size_t weft_view_count(void);

/*
 * The views that a program offers: all that were built in, then N_OWN others, which it has
 * loaded (displays/own_displays.h).
 */
struct weft_views {
    const struct weft_view *const *own; /* [n_own] */
    size_t n_own;
};
/*
 * Returns view INDEX, from 0, of VIEWS (NULL: only those built in); NULL behind the last.
 */
const struct weft_view *weft_views_at(const struct weft_views *views, size_t index);
/* Returns the view of VIEWS with weft_view.name NAME, or NULL. */
const struct weft_view *weft_views_find(const struct weft_views *views, const char *name);

/* Returns the view that was built in with weft_view.name NAME, or NULL. */
const struct weft_view *weft_view_find(const char *name);
/*
 * Returns VIEW, or, if SET cannot fill it, a view that stands for it (`stands_for`) and
 * that SET fills, if there is one.
 */
const struct weft_view *weft_view_for(const struct weft_view *view,
                                      const struct weft_set *set);

/*
 * Draws the picture of VIEW into SCENE, which lives as long as ARENA: calls view->scene
 * with a copy of REQUEST in which `view`, `arena` and `use` are set.  Returns false with
 * *ERR if that does.
 */
bool weft_view_scene(const struct weft_view *view, const struct weft_request *request,
                     struct weft_arena *arena, struct weft_scene *scene,
                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Writes the table of VIEW to TABLE: calls view->table with a copy of REQUEST, as
 * weft_view_scene() does, with an arena of its own.  Returns false with *ERR if that does.
 */
bool weft_view_table(const struct weft_view *view, const struct weft_request *request,
                     struct weft_table *table, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Writes facts about the point AT, pixels of the picture, to TABLE: calls view->point,
 * which must not be NULL, with a copy of REQUEST in which `view`, `use` and an arena of its
 * own are set.  Sets *ID to the entity there, or WEFT_NO_ID.  Returns false with *ERR if
 * view->point does.
 */
bool weft_view_point(const struct weft_view *view, const struct weft_request *request,
                     struct weft_point at, uint64_t *id, struct weft_table *table,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Returns the remark of VIEW, by view->remark, in ARENA; NULL if it has none. */
const char *weft_view_remark(const struct weft_view *view,
                             const struct weft_request *request, struct weft_arena *arena);

/* ---- For views ---- */

/* The most columns that a view's table may have. */
enum { WEFT_MAX_COLUMNS = 64 };
/*
 * Begins a table with the columns of request->view, in order, but without columns whose
 * `with` (NAME=VALUE) differs from the request's setting.  Each row must have these cells.
 */
void weft_view_begin_table(const struct weft_request *request, struct weft_table *table);

/*
 * Returns the window, extended by a tick if it ends with the trace, so that events and
 * empty states at the very end are included.
 */
static inline struct weft_span weft_window_with_end(const struct weft_schema *schema,
                                                    struct weft_span window)
{
    window.end += window.end == schema->span.end;
    return window;
}
/*
 * Returns the time that a table covers: the one tick of the request's moment (`at`) if it
 * has one, else its window.
 */
struct weft_span weft_request_instant(const struct weft_request *request);
/*
 * Returns a setting by parameter name: the request's, else the parameter's default; never
 * NULL.  Aborts if the view has no such parameter.
 */
const char *weft_setting(const struct weft_request *request, const char *name);
/*
 * Returns weft_setting() of NAME as a number (strtod()); 0 if it does not begin like one.
 */
double weft_setting_number(const struct weft_request *request, const char *name);
/*
 * Sets MEMBER[n_containers] by a comma-separated list (WEFT_PARAMETER_CONTAINERS) of names
 * (as for weft_find_container()) or numbers ("#5", "#7-9"): 1 for a listed container, 2 for
 * one listed with its subtree ("#5+"), 0 for others, also those in such a subtree; for ""
 * all are 0.  Returns false with WEFT_ERR_USAGE, which names the item, and MEMBER without
 * meaning, if an item names no container, or several.
 */
bool weft_setting_containers(const struct weft_schema *schema, const char *list,
                             uint8_t *member, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Like weft_setting_containers(), but 2 also for all that a container listed with its
 * subtree holds, or one that has nothing itself (a rank, whose threads have the states):
 * MEMBER is not 0 for each container that LIST means.
 */
bool weft_setting_subtrees(const struct weft_schema *schema, const char *list,
                           uint8_t *member, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Parses a set (WEFT_PARAMETER_ENTITIES), all of whose members must be entities and
 * containers of the trace, not nodes or processors (store/entity_set.h); the caller frees
 * it.  Returns false with WEFT_ERR_USAGE or WEFT_ERR_LIMIT, which tells what is wrong with
 * the text or which member does not exist; the set is then empty.  In an address, the
 * server's limit on the head of a request limits the text to some kilobytes.
 */
bool weft_setting_entities(const struct weft_schema *schema, const char *text,
                           struct weft_entity_set *set,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Parses TEXT, NAME=VALUE, and sets the element of SETTINGS[n_parameters] for the parameter
 * NAME ("colour" means "color", too) to VALUE, which lies in TEXT, after checking choices,
 * flags, numbers and sets of entities; texts, files, containers, an ENTITY and orders are
 * not checked.  Returns false, nothing set, with WEFT_ERR_USAGE (or WEFT_ERR_LIMIT), naming
 * what would be right.
 */
bool weft_setting_parse(const struct weft_view *view, const char *text,
                        const char **settings, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the view's parameter that TEXT, a NAME or NAME=VALUE, names ("colour" means
 * "color", too), or NULL; does not check the value.
 */
const struct weft_parameter *weft_setting_parameter(const struct weft_view *view,
                                                    const char *text);
/* Returns true if VALUE is one of CHOICES, separated by '|' ("one|two"; NULL: none). */
bool weft_setting_is_choice(const char *choices, const char *value);

#endif
