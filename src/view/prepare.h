/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that views compute once and keep between frames: a tree of 10^7 nodes cannot be
 * read for each frame.  A preparation says how such a thing is made.  A thing is identified
 * by its preparation, the set of traces and its parameters, so the layouts of a tree from
 * two roots are two things.  A program that draws many frames (the workbench's server) has
 * one shelf, a cache of things, which any number of threads may use.
 *
 * Each thing is made once, on a thread of the shelf and with a job of its own.  Callers
 * that want it wait with their jobs: one whose job is cancelled leaves, the others get the
 * thing.  When the last has left, the making is cancelled, too.
 *
 * A thing is kept while it is held, and after that until the shelf exceeds its budget: then
 * the least recently requested things are freed first.
 */
#ifndef WEFT_VIEW_PREPARE_H
#define WEFT_VIEW_PREPARE_H

#include "view/view.h"

struct weft_shelf;

/* Arguments for making a thing.  All but the job live as long as the thing. */
struct weft_prepare_args {
    struct weft_shelf *shelf;   /* for other things from which this one is made */
    const struct weft_set *set; /* a copy; its sources are borrowed */
    const void *parameters;     /* a copy of those of weft_prepare() */
    size_t size;                /* of the parameters, in bytes */
    struct weft_job *job;       /* of the making */
};

/* How a kind of thing is made and freed; a constant, whose address identifies the kind. */
struct weft_preparation {
    const char *name; /* for people */
    /*
     * Makes *THING and sets *BYTES to the memory that it takes; false with *ERR.  It may be
     * made from others of args->shelf (weft_prepare() with args->job), and hold those that
     * it refers to until it is freed; no thing may need itself, also not indirectly.  Must
     * call weft_job_step() often on args->job, which is cancelled when nobody waits any
     * more.  A failure is reported to all waiters, and not remembered.
     */
    bool (*make)(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                 struct weft_err *err);
    void (*free)(void *thing); /* on any thread */
};

/*
 * A hold on a prepared thing: weft_prepare() returns it, and the thing is not freed before
 * the caller gives it to weft_release().  The shelf owns the thing.
 */
struct weft_held {
    const void *thing;
};

/* Returns a new, empty cache of prepared things, never NULL; weft_shelf_free() frees it. */
struct weft_shelf *weft_shelf_new(void);
/*
 * Cancels all makings, waits until they have ended, and frees the shelf (NULL is fine) with
 * its things.  No caller may be waiting or hold a thing (aborts if one is held).
 */
void weft_shelf_free(struct weft_shelf *shelf);
/*
 * Frees the things made from SOURCE, which is about to be closed, and cancels and waits for
 * those being made.  No view may be using the source: aborts if such a thing is held.
 */
void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source);

/*
 * Sets how many bytes the shelf's things may take together, by their own count; at first a
 * quarter of the machine's memory, and 256 MiB at least.  Held things and the most recently
 * requested one are kept even beyond that.
 */
void weft_shelf_set_budget(struct weft_shelf *shelf, uint64_t bytes);
/*
 * Sets for how many milliseconds a thing goes on being made when nobody waits for it any
 * more; at first 1000.  A panel that is dragged cancels its request and at once sends
 * another that needs the same thing.
 */
void weft_shelf_set_patience(struct weft_shelf *shelf, unsigned milliseconds);

/* Statistics of a shelf, the cache of prepared things, since it was made. */
struct weft_shelf_counts {
    uint64_t found;   /* requests for an existing thing */
    uint64_t joined;  /* requests for a thing that was being made */
    uint64_t started; /* requests that made a new thing */
    uint64_t evicted; /* things freed since the budget was exceeded */
    uint64_t bytes;   /* of all existing things */
    size_t n_things;  /* existing things */
    size_t n_makings; /* things being made, with or without waiters */
    size_t n_waiting; /* calls that wait for a thing */
};
/* Returns a copy of the statistics as they are now. */
struct weft_shelf_counts weft_shelf_count(struct weft_shelf *shelf);

/*
 * Returns a hold on the thing of a preparation, a set and SIZE bytes of parameters, which
 * are copied, and compared as bytes: a struct of them must have no padding.  Waits until it
 * is made; JOB (may be NULL) shows the making's progress.  NULL with *ERR if making it
 * fails, with WEFT_ERR_CANCELLED if JOB is cancelled first or may not wait
 * (weft_job_waits()), and with WEFT_ERR_READ if no thread can be started.  Any thread.
 */
const struct weft_held *weft_prepare(struct weft_shelf *shelf,
                                     const struct weft_preparation *preparation,
                                     const struct weft_set *set, const void *parameters,
                                     size_t size, struct weft_job *job,
                                     struct weft_err *err) WEFT_MUST_CHECK;
/* Ends a hold that weft_prepare() returned; the thing may then be freed.  NULL is fine. */
void weft_release(const struct weft_held *held);

/* ---- For views ---- */

enum { WEFT_USE_MAX = 24 }; /* most things that a view may get for one answer */

/*
 * The things that a view uses to answer one request, held from weft_use_begin() to
 * weft_use_end().  `own` is the shelf for a request without one.
 */
struct weft_use {
    const struct weft_request *request;
    struct weft_shelf *shelf, *own; /* the one that is used; the temporary one, or NULL */
    const struct weft_held *held[WEFT_USE_MAX];
    size_t n_held;
};
/*
 * Sets USE to hold nothing, and to work for REQUEST, with its shelf and job.  USE keeps the
 * pointer: the struct *REQUEST must outlive it.
 */
void weft_use_begin(struct weft_use *use, const struct weft_request *request);
/*
 * Returns the thing that PREPARATION makes of SET, which is the request's or a part of it,
 * and of the SIZE bytes of PARAMETERS (compared as bytes), held until weft_use_end().  It
 * is in the request's shelf (a cache; a temporary one if the request has none), or is made
 * now, for which it waits.  NULL with *ERR if the making fails or the request's job is
 * cancelled.  Aborts at more than WEFT_USE_MAX things.
 */
const void *weft_use_get(struct weft_use *use, const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size,
                         struct weft_err *err) WEFT_MUST_CHECK;
/* Releases all things that weft_use_get() returned, and frees a temporary shelf. */
void weft_use_end(struct weft_use *use);

#endif
