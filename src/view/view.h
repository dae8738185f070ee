/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: the contract between those who write one and those who ask it (the command line
 * and the server).
 *
 * A view is one struct weft_view, registered in view/views.h.  It is asked with a struct
 * weft_request, and answers with a scene (a picture made of marks in pixels, view/scene.h)
 * or with a table (rows of numbers, view/table.h).  It does not know where either goes: the
 * same scene becomes a PNG, an SVG or a panel of the workbench.  Help, completion and the
 * workbench's catalogue are made from the struct, so a view needs no code elsewhere.
 *
 * A view may rely on this: fills() was true for the set; settings were checked against the
 * kinds of its parameters.  A view must ask for roles (store/role.h) and never compare
 * names; keep no state between calls, since any number of threads call it at once; take all
 * memory that the scene refers to from the arena; call weft_job_step now and then, and stop
 * when that fails; cost what its pixels cost, not what the trace is long (store/source.h
 * says what each question costs; what many frames need is a preparation, view/prepare.h).
 * Times of a trace may be anything that 64 bits hold.
 */
#ifndef WEFT_VIEW_VIEW_H
#define WEFT_VIEW_VIEW_H

#include "base/err.h"
#include "base/job.h"
#include "store/entity_set.h"
#include "store/source.h"
#include "view/palette.h"
#include "view/scene.h"
#include "view/table.h"

/* The traces that a view looks at: one, or several to compare. */
struct weft_set {
    const struct weft_source *const *sources;
    size_t n_sources;
};

enum weft_parameter_kind {
    WEFT_PARAMETER_CHOICE, /* one of `choices`, separated by '|' */
    WEFT_PARAMETER_NUMBER, /* minimum to maximum */
    WEFT_PARAMETER_FLAG,   /* on | off */
    WEFT_PARAMETER_TEXT,
    WEFT_PARAMETER_CONTAINER,  /* as weft_find_container takes it; the view looks it up */
    WEFT_PARAMETER_CONTAINERS, /* a list of them, separated by commas: a set */
    WEFT_PARAMETER_ENTITIES,   /* a set of entities and containers (store/entity_set.h) */
    WEFT_PARAMETER_ORDER,      /* a list of A<B: A stands right before B */
    /*
     * One of `choices`, or what is in a file.  The command line takes the file's name, and
     * "user" for `file`; the page lets people pick one.  A view, and so the server, gets
     * the content: it opens no file.
     */
    WEFT_PARAMETER_FILE,
    /* The page sets these by its scroll bar, by pointing, by wheel and by dragging: */
    WEFT_PARAMETER_SCROLL,  /* pixels */
    WEFT_PARAMETER_ENTITY,  /* an id, or empty */
    WEFT_PARAMETER_ZOOM,    /* how many times larger than what fits; or see frame.zoom */
    WEFT_PARAMETER_TALL,    /* how many times more ZOOM enlarges heights than widths */
    WEFT_PARAMETER_PLACE_X, /* where the scene's anchor is, as a part of the plot's width */
    WEFT_PARAMETER_PLACE_Y, /* the same of its height */
    /*
     * Effect of the mouse wheel, one of `choices`: zoom, x or y (only widths or heights),
     * or it multiplies the number that has this name.
     */
    WEFT_PARAMETER_WHEEL,
};

struct weft_parameter {
    const char *name; /* in --set NAME=VALUE, in the URL, in the panel's head */
    enum weft_parameter_kind kind;
    const char *choices;     /* CHOICE, and FILE or NULL: "one|two" */
    double minimum, maximum; /* of numbers */
    const char *fallback;    /* the default, as text; never NULL */
    const char *help;        /* a few words */
    bool seldom;             /* a narrow panel shows it only when asked for all */
    const char *file;        /* FILE: where "user" is, in the current folder */
    bool
        /* panels of one trace have the same, unless one is detached from the others */
        shared;
    /* panels that have not chosen theirs take what was chosen last in another */
    bool offered;
};

struct weft_shelf;

/* The request that every view is called with. */
struct weft_request {
    const struct weft_set *set;
    /* Ticks of the own clock; it may reach beyond the trace's span, not beyond
     * WEFT_TIME_LIMIT. */
    struct weft_span window;
    /*
     * A page asks for a wider window than is seen, so that it can be moved.  This is the
     * part that is seen: labels and sums are of it.  Empty: all of the window is seen.
     */
    struct weft_span shown;
    bool has_at;          /* whether `at` is set; only for views that have a moment */
    int64_t at;           /* a moment, ticks of the own clock; within the span */
    uint32_t under;       /* only this container's subtree; 0 is the root: all */
    double width, height; /* of the picture, pixels */
    double seen_height;   /* how much of the height is seen at once; 0: all of it */
    bool bare; /* without title, explanation and legend, which the page shows itself */
    const struct weft_theme *theme;
    const char *const *settings; /* by parameter of the view; NULL: the default */
    struct weft_job *job;        /* progress and cancelling; NULL: nobody waits */
    struct weft_shelf *shelf;    /* what is kept (view/prepare.h); NULL: nothing is */
};

/* Use that a view makes of the moment of a request (`at`). */
enum weft_moment {
    WEFT_MOMENT_NONE,   /* nothing: it is about the whole window, and is never given one */
    WEFT_MOMENT_MARKED, /* a line across its time axis; the table has what is there then */
    WEFT_MOMENT_SHOWN,  /* picture and table are of that moment */
};

/* Where a view stands in the workbench when a trace is opened for the first time. */
enum weft_place {
    WEFT_PLACE_NONE, /* nowhere: people open it when they want it */
    WEFT_PLACE_MAIN,
    WEFT_PLACE_BESIDE, /* to the right of the main one */
    WEFT_PLACE_BELOW,
};

struct weft_view {
    const char *name;        /* in commands and addresses: "space-time" */
    const char *title;       /* over its picture: "Space-time" */
    const char *group;       /* in the catalogue: "Timeline" */
    const char *explanation; /* one plain sentence: how to read the picture */
    const char *needs; /* what a trace must hold and how to record that, after "it needs" */
    const struct weft_parameter *parameters;
    size_t n_parameters;
    /* Columns of the table, for the help; NULL: doc/command-line.md alone says them. */
    const struct weft_column *columns;
    size_t n_columns;

    enum weft_moment moment;
    bool of_all;   /* whatever container is asked for: it shows all of the trace */
    bool of_run;   /* whatever window is asked for: it shows the whole run */
    bool compares; /* a set of two traces: the first with the second */
    bool many;     /* a set of any number of traces */
    bool diffs;    /* its table marks cells that differ: weft diff prints it */
    /* Has the trace what the view needs?  It must be quick: it is asked of every view when
       a trace is opened. */
    bool (*fills)(const struct weft_set *set);
    /* Its place for a trace that it fills; NULL: nowhere. */
    enum weft_place (*place)(const struct weft_set *set);
    /*
     * Draw.  SCENE is initialised by the callee, by weft_frame_begin (view/frame.h) or
     * weft_scene_init, and lives as long as ARENA.  Where a window has nothing to show, the
     * scene says so (weft_frame_empty).  Errors: WEFT_ERR_USAGE for a setting that does not
     * suit the trace, WEFT_ERR_CANCELLED.
     */
    bool (*scene)(const struct weft_request *request, struct weft_arena *arena,
                  struct weft_scene *scene, struct weft_err *err);
    /*
     * Write the numbers behind the picture: begin, rows, end.  The columns are always the
     * same, as doc/command-line.md lists them.  Exact, unlike a picture: it may cost as
     * much as the window holds.  The same errors.
     */
    bool (*table)(const struct weft_request *request, struct weft_table *table,
                  struct weft_err *err);
    /*
     * Says what the picture shows at a point: facts as rows of name
     * and value, and in *id the entity there, or WEFT_NO_ID.  Needed where a picture is
     * denser than its marks; NULL: the marks' titles say all.
     */
    bool (*point)(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err);
    /*
     * Names what picture and table lack because of how the traces were made, and the
     * remedy: a sentence in ARENA, which commands say beside a table; NULL: nothing, or the
     * view never knows.
     */
    const char *(*remark)(const struct weft_request *request, struct weft_arena *arena);
};

/* The INDEXth view of all that were built in; NULL behind the last. */
const struct weft_view *weft_view_at(size_t index);
size_t weft_view_count(void);

const struct weft_view *weft_view_find(const char *name);

/*
 * A window in which what lasts no time at its end is counted, too, when that is the end of
 * the trace: nobody could ask for it otherwise.
 */
static inline struct weft_span weft_window_with_end(const struct weft_schema *schema,
                                                    struct weft_span window)
{
    window.end += window.end == schema->span.end;
    return window;
}
/*
 * The time that a table covers: the instant of the request's moment when it has one, else
 * its window.
 */
struct weft_span weft_request_instant(const struct weft_request *request);
/*
 * A setting by parameter name: what the request has, else the parameter's default; never
 * NULL.  Aborts when the view has no such parameter.
 */
const char *weft_setting(const struct weft_view *view, const struct weft_request *request,
                         const char *name);
double weft_setting_number(const struct weft_view *view, const struct weft_request *request,
                           const char *name);
/*
 * The containers of a list (WEFT_PARAMETER_CONTAINERS), by name, or by number as in a set's
 * text: marks [n_containers] in MEMBER, 1 for those named, 2 for those named with all that
 * they hold ("#5+").  An error names the one that is not there.
 */
bool weft_setting_containers(const struct weft_schema *schema, const char *list,
                             uint8_t *member, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * The set that a text says (WEFT_PARAMETER_ENTITIES), all of whose members are in the
 * trace; the caller frees it.  Error: WEFT_ERR_USAGE or WEFT_ERR_LIMIT, of the text or with
 * the member that is not there; the set is empty then.  An address takes texts of some
 * kilobytes only, as the server takes no longer head of a request; --set takes what the
 * shell does.
 */
bool weft_setting_entities(const struct weft_schema *schema, const char *text,
                           struct weft_entity_set *set,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Parse NAME=VALUE into SETTINGS[n_parameters], checking the value against the parameter's
 * kind.  The error names the choices.
 */
bool weft_setting_parse(const struct weft_view *view, const char *text,
                        const char **settings, struct weft_err *err) WEFT_MUST_CHECK;
/* The parameter that NAME=VALUE sets, or NULL. */
const struct weft_parameter *weft_setting_parameter(const struct weft_view *view,
                                                    const char *text);
/* Whether VALUE is one of choices "one|two". */
bool weft_setting_is_choice(const char *choices, const char *value);

#endif
