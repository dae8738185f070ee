/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of task-parallel programs, to be compared: what ran (application), on what (the type: a
 * runtime, a model of tasks), with how many workers, and where its time went.
 */
#ifndef WEFT_VIEW_TASKS_RUNS_H
#define WEFT_VIEW_TASKS_RUNS_H

#include "domains/tasks/analyse/dag_profile.h"
#include "domains/tasks/analyse/dag_time.h"
#include "view/frame.h"
#include "view/prepare.h"

/* ---- What is prepared ---- */

/* weft_use_end, of a picture that may have read all of a task DAG: most of that is unmapped. */
void weft_dag_use_end(struct weft_use *use);
/* Within such a picture: BYTES of mapped files are read next, or were and will not be again. */
void weft_dag_make_room(size_t bytes);

/* A struct weft_dag_time, of the first trace of a set; without parameters. */
extern const struct weft_preparation weft_prepared_dag_time;
/* Of the trace SOURCE of a request; NULL with *err. */
const struct weft_dag_time *weft_use_dag_time(struct weft_use *use, size_t source,
                                              struct weft_err *err) WEFT_MUST_CHECK;
/* Of the request's first trace, down to DEPTH; NULL with *err. */
const struct weft_dag_profile *weft_use_dag_profile(struct weft_use *use, uint32_t depth,
                                                    struct weft_err *err) WEFT_MUST_CHECK;

/* Whether all traces of a set have a task DAG: `fills` of these views. */
bool weft_set_has_dags(const struct weft_set *set);

/*
 * How many nodes were contracted in one or two traces, which hides what a view is about, and how
 * to keep them: `remark` of such views.
 */
const char *weft_contraction_remark(const struct weft_request *request,
                                    struct weft_arena *arena);

/* ---- Runs ---- */

/* Lines of a view's parameters. */
#define WEFT_PARAMETERS_OF_RUNS                                                             \
 { "app",                                                                                   \
   WEFT_PARAMETER_TEXT,                                                                     \
   NULL,                                                                                    \
   0,                                                                                       \
   0,                                                                                       \
   "",                                                                                      \
   "the application of each run, in the order of the traces: a,b (one: of all)" },          \
     { "type",                                                                              \
       WEFT_PARAMETER_TEXT,                                                                 \
       NULL,                                                                                \
       0,                                                                                   \
       0,                                                                                   \
       "",                                                                                  \
       "the runtime or model of each run, in the order of the traces: a,b (one: of all)" }, \
 {                                                                                          \
  "repeated", WEFT_PARAMETER_CHOICE, "best|median", 0, 0, "best",                           \
      "of several runs of one application, type and number of workers: which one counts"    \
 }

struct weft_task_run {
    const char *app, *type; /* "" where nobody says */
    uint32_t workers;
    size_t source; /* of the request's set */
    /* In nanoseconds, so that runs with other clocks can be compared. */
    int64_t work, delay, no_work, elapsed;
    bool damaged;         /* delay, no_work and create_delay are not known */
    int64_t create_delay; /* -1: not known */
    int64_t processor;    /* that the workers' threads used; -1: not known */
    /* The run of the same application and type on one worker that counts, or NULL. */
    const struct weft_task_run *alone;
    /* Runs of the same application, type and number of workers, this one among them; and
       whether it is the one that counts: the quickest, or the one in the middle. */
    size_t alike;
    bool counts;
};

struct weft_task_runs {
    struct weft_task_run
        *list; /* by application, type, workers, place in the set; in ARENA */
    size_t n;
    bool one_app, one_type; /* is it the same in all runs? */
    bool median;            /* of repeated runs that in the middle counts, else the best */
    size_t most_alike;      /* at least 1 */
};

/*
 * All runs of a request to VIEW, which has WEFT_PARAMETERS_OF_RUNS.  The name of an application
 * is that of its program, unless a setting says it.  Memory is in ARENA.
 */
bool weft_task_runs_read(const struct weft_view *view, const struct weft_request *request,
                         struct weft_arena *arena, struct weft_task_runs *out,
                         struct weft_err *err) WEFT_MUST_CHECK;
/* "sort · omp · 4 workers": of what differs between the runs, at least the workers. */
const char *weft_task_run_name(const struct weft_task_runs *runs,
                               const struct weft_task_run *run, struct weft_arena *arena);

/* The colours of work, work stretch, delay and no-work, the same in all pictures. */
enum {
    WEFT_SHARE_WORK,
    WEFT_SHARE_STRETCH,
    WEFT_SHARE_DELAY,
    WEFT_SHARE_NO_WORK,
    WEFT_SHARES
};
extern const char *const weft_share_names[WEFT_SHARES];
void weft_share_swatches(const struct weft_theme *theme,
                         struct weft_swatch swatches[WEFT_SHARES]);

/*
 * Swatches by hue: in themes without hues COLORS count by their lightness, and in black and
 * white by hatches, each another one.
 */
void weft_hue_swatches(const struct weft_theme *theme, const weft_color *colors, size_t n,
                       struct weft_swatch *out);

#endif
