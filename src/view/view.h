/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views.  A view answers a window of time with a scene and with a table; it knows nothing of
 * where either ends up.  Each is described by one struct weft_view, registered in
 * view/views.h; the command line and the workbench's menus are made from that table.  Adding a
 * view is one new file and one line there.
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
    WEFT_PARAMETER_CONTAINER,  /* see weft_find_container */
    WEFT_PARAMETER_CONTAINERS, /* a list of them, separated by commas: a set */
    WEFT_PARAMETER_ENTITIES,   /* a set of entities and containers (store/entity_set.h) */
    WEFT_PARAMETER_ORDER,      /* a list of A<B: A stands right before B */
    WEFT_PARAMETER_SCROLL,     /* pixels; in a page, the scroll bar */
    WEFT_PARAMETER_ENTITY,     /* an id, or empty; in a page, by pointing at it */
    WEFT_PARAMETER_ZOOM,       /* how many times larger than what fits: wheel and pinch */
    WEFT_PARAMETER_PLACE_X, /* where the scene's anchor is, as a part of the plot's ... */
    WEFT_PARAMETER_PLACE_Y, /* ... width and height: dragging moves it */
};

struct weft_parameter {
    const char *name; /* in --set NAME=VALUE, in the URL, in the panel's head */
    enum weft_parameter_kind kind;
    const char *choices;
    double minimum, maximum;
    const char *fallback; /* the default, as text */
    const char *help;     /* a few words */
    bool seldom;          /* a narrow panel shows it only when asked for all */
};

struct weft_shelf;

/* What every view is asked with. */
struct weft_request {
    const struct weft_set *set;
    struct weft_span window; /* ticks of the own clock; within the span or beyond it, and
                                within WEFT_TIME_LIMIT */
    /* What of it is seen at once, when a page asks for more: labels and sums keep to that.
       Empty: all of the window. */
    struct weft_span shown;
    bool has_at;          /* whether `at` is set; only for views that have a moment */
    int64_t at;           /* a moment, ticks of the own clock; within the span */
    uint32_t under;       /* only this container's subtree; 0 is the root: all */
    double width, height; /* of the picture, pixels */
    double
        seen_height; /* of that at once, when a page that scrolls asks for more; 0: all */
    bool bare;       /* without title, explanation and legend: a page shows them */
    const struct weft_theme *theme;
    const char *const *settings; /* by parameter of the view; NULL: the default */
    struct weft_job *job;
    struct weft_shelf *shelf; /* what is kept (view/prepare.h); NULL: nothing is */
};

/* What a view does with the moment of a request (`at`). */
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
    const char *name;        /* "space-time" */
    const char *title;       /* "Space-time" */
    const char *group;       /* "Timeline" */
    const char *explanation; /* one plain sentence: how to read it */
    const char *needs;       /* what a trace must hold, and how to record that */
    const struct weft_parameter *parameters;
    size_t n_parameters;

    enum weft_moment moment;
    bool compares;                             /* two traces, the first with the second */
    bool (*fills)(const struct weft_set *set); /* has the trace what it needs? */
    /* Its place for a trace that it fills; NULL: nowhere. */
    enum weft_place (*place)(const struct weft_set *set);
    /*
     * Draw.  SCENE is initialised by the callee (weft_scene_init) with memory from ARENA.
     * Errors: WEFT_ERR_USAGE for a bad setting, WEFT_ERR_CANCELLED.
     */
    bool (*scene)(const struct weft_request *request, struct weft_arena *arena,
                  struct weft_scene *scene, struct weft_err *err);
    bool (*table)(const struct weft_request *request, struct weft_table *table,
                  struct weft_err *err);
    /*
     * What is at a point of the picture that the request asks for: facts as rows of name and
     * value, and in *id the entity there, or WEFT_NO_ID.  NULL: the marks' titles say all.
     */
    bool (*point)(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err);
};

extern const struct weft_view *const weft_views[];
extern const size_t weft_n_views;

const struct weft_view *weft_view_find(const char *name);

/*
 * A window in which what lasts no time at its end is counted, too, when that is the end of the
 * trace: nobody could ask for it otherwise.
 */
static inline struct weft_span weft_window_with_end(const struct weft_schema *schema,
                                                    struct weft_span window)
{
    window.end += window.end == schema->span.end;
    return window;
}
/* What a table is of: the instant of the request's moment when it has one, else its window. */
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
 * The set that a text says (WEFT_PARAMETER_ENTITIES), all of whose members are in the trace;
 * the caller frees it.  Error: WEFT_ERR_USAGE or WEFT_ERR_LIMIT, of the text or with the
 * member that is not there; the set is empty then.  An address takes texts of some kilobytes
 * only, as the server takes no longer head of a request; --set takes what the shell does.
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

#endif
