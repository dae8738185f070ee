/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of task-parallel programs, for comparison: the application, the type (a runtime or
 * tasking model), the number of workers, and where the time went.
 */
#ifndef WEFT_VIEW_TASKS_TASK_RUNS_FOR_COMPARISON_H
#define WEFT_VIEW_TASKS_TASK_RUNS_FOR_COMPARISON_H

#include "domains/tasks/analyse/dag_parallelism_over_time.h"
#include "domains/tasks/analyse/dag_time_breakdown.h"
#include "view/picture_frame.h"
#include "view/prepare.h"

/* ---- What is prepared ---- */

/* Ends USE (weft_use_end()) of a picture that may have read a whole DAG, then unmaps memory
   of mapped files until at most some 300 MB of them stay mapped. */
void weft_dag_use_end(struct weft_use *use);
/* Unmaps memory of mapped files until at most some 300 MB less BYTES stay mapped.  Called
   within a picture before BYTES more are read. */
void weft_dag_make_room(size_t bytes);

/* The preparation (a result computed once, which pictures share) that makes the struct
   weft_dag_time of the first trace of a set; its key is empty. */
extern const struct weft_preparation weft_prepared_dag_time;
/*
 * Returns where the workers' time went in the trace with index SOURCE in the request's set,
 * valid until USE ends.  NULL with WEFT_ERR_FORMAT if it has no task DAG, WEFT_ERR_WRITE or
 * WEFT_ERR_CANCELLED.
 */
const struct weft_dag_time *weft_use_dag_time(struct weft_use *use, size_t source,
                                              struct weft_err *err) WEFT_MUST_CHECK;
/* Returns the parallelism profile of the request's first trace down to DEPTH
   (WEFT_DAG_ALL_DEPTHS: of all nodes), valid until USE ends.  NULL with WEFT_ERR_FORMAT if
   it has no task DAG, WEFT_ERR_WRITE or WEFT_ERR_CANCELLED. */
const struct weft_dag_profile *weft_use_dag_profile(struct weft_use *use, uint32_t depth,
                                                    struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true if all traces of SET have a task DAG; the `fills` function of the views that
   compare runs. */
bool weft_set_has_dags(const struct weft_set *set);

/*
 * Returns a remark, in the request's arena, on how many nodes of each of its traces are
 * missing, since nodes around them were contracted, and how to avoid that.  NULL if none
 * are.  The `remark` function of views of nodes or tasks.
 */
const char *weft_contraction_remark(const struct weft_request *request);

/* ---- Runs ---- */

/* The parameters app, type, serial and repeated of views that compare runs: initializers
   for an array of struct weft_parameter. */
#define WEFT_PARAMETERS_OF_RUNS                                                            \
 { .name = "app",                                                                          \
   .kind = WEFT_PARAMETER_TEXT,                                                            \
   .fallback = "",                                                                         \
   .help = "the application of each run, in the order of the traces: a,b (one: "           \
           "of all)" },                                                                    \
     { .name = "type",                                                                     \
       .kind = WEFT_PARAMETER_TEXT,                                                        \
       .fallback = "",                                                                     \
       .help = "the runtime or model of each run, in the order of the traces: a,b "        \
               "(one: of all)" },                                                          \
     { .name = "serial",                                                                   \
       .kind = WEFT_PARAMETER_TEXT,                                                        \
       .fallback = "",                                                                     \
       .help = "seconds that each run's program takes without tasks, in the order of the " \
               "traces: 1.5,2 (one: of all); in place of the run on one worker" },         \
 {                                                                                         \
  .name = "repeated", .kind = WEFT_PARAMETER_CHOICE, .choices = "best|median",             \
  .fallback = "best",                                                                      \
  .help = "of several runs of one application, type and number of workers: "               \
          "which one counts"                                                               \
 }

/* A run of a task-parallel program, one trace of a request; weft_task_runs_read() makes
 * it. */
struct weft_task_run {
    const char *app, *type; /* application; runtime or tasking model; "" if unknown */
    uint32_t workers;       /* number of workers */
    size_t source;          /* index in the request's set */
    const char *file;       /* the name of the trace's file; "" if unknown */
    /* The fields of struct weft_dag_time, in nanoseconds, so that runs with different
       clocks can be compared. */
    int64_t work, waiting, delay, no_work, elapsed;
    bool damaged;         /* delay, no_work and create_delay are unknown */
    int64_t create_delay; /* nanoseconds; -1 if unknown */
    int64_t processor;    /* processor time of the workers' threads, in nanoseconds; -1 if
                             unknown */
    /* Time that the program takes without tasks, by the setting `serial`, in nanoseconds;
       0: not known. */
    double serial;
    /* The run of the same application and type on one worker that `counts`, to compare
       with; it may be this run.  NULL if there is none. */
    const struct weft_task_run *alone;
    /*
     * The number of runs of the same application, type and number of workers, including
     * this one; `counts` is true for the one that represents them: the quickest, or the
     * median.
     */
    size_t alike;
    bool counts;
};

/* The runs of all traces of a request, for comparison; the list is in the request's
 * arena. */
struct weft_task_runs {
    /* [n], sorted by application, type, workers, index in the set. */
    struct weft_task_run *list;
    size_t n;
    bool one_app, one_type; /* all runs have the same application; the same type */
    bool median;            /* the median of repeated runs counts, else the quickest */
    size_t most_alike;      /* maximum of `alike`, at least 1 */
};

/*
 * Reads the runs of all traces of REQUEST, whose view has WEFT_PARAMETERS_OF_RUNS, into
 * *OUT.  The application is named like its program, and the type is the recorded runtime,
 * unless a setting names them.  out->list is in the request's arena.  Returns false with
 * WEFT_ERR_FORMAT if a trace has no task DAG, WEFT_ERR_READ if a DAG's root is damaged,
 * WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.
 */
bool weft_task_runs_read(const struct weft_request *request, struct weft_task_runs *out,
                         struct weft_err *err) WEFT_MUST_CHECK;
/* Sets *WORK and *ELAPSED, in nanoseconds, to those that RUN is compared with: of its
   program without tasks if that is known, else of the run `alone`.  Returns false if there
   is neither. */
bool weft_task_run_base(const struct weft_task_run *run, double *work, double *elapsed);
/*
 * Returns a name of RUN, in ARENA, such as "sort · omp · 4 workers": its application and
 * its type, each only if RUNS differ in it, its number of workers, and its file if other
 * runs have the same name.
 */
const char *weft_task_run_name(const struct weft_task_runs *runs,
                               const struct weft_task_run *run, struct weft_arena *arena);

/* The shares of a run's time (workers x elapsed) that pictures show.  STRETCH is the work
   beyond that of the same program's run on one worker, 0 without such a run; WORK is the
   rest of the work; the others as in struct weft_dag_time.  WEFT_SHARES is their number. */
enum {
    WEFT_SHARE_WORK,
    WEFT_SHARE_STRETCH,
    WEFT_SHARE_WAITING,
    WEFT_SHARE_DELAY,
    WEFT_SHARE_NO_WORK,
    WEFT_SHARES
};
/* The name of each share of a run's time, by WEFT_SHARE_WORK and so on: constant texts. */
extern const char *const weft_share_names[WEFT_SHARES];
/* Writes the colour (swatch) of each share of a run's time, by WEFT_SHARE_WORK and so on,
   in THEME to SWATCHES. */
void weft_share_swatches(const struct weft_theme *theme,
                         struct weft_swatch swatches[WEFT_SHARES]);

/* Makes a swatch (colour and hatch) of each of COLORS[N] into OUT[N].  In the grey theme
   the I-th is one of eight greys instead, which repeat; in black and white the first is
   black, and the others are white with one of seven hatches, every eighth without one. */
void weft_hue_swatches(const struct weft_theme *theme, const weft_color *colors, size_t n,
                       struct weft_swatch *out);

#endif
