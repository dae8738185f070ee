/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that views compute once and keep between frames: a tree of 10^7 nodes cannot be
 * read for each frame.  A preparation says how such a thing is made.  A thing is identified
 * by its preparation, the set of traces and its parameters, so the layouts of a tree from
 * two roots are two things.  A program that draws many frames (the workbench's server) has
 * one shelf of them, which any number of threads may use.
 *
 * Each thing is made once, on a thread of the shelf's own and with a job of its own.
 * Callers that want it wait with their jobs: one whose job is cancelled leaves, the others
 * get the thing.  When the last has left, the making is cancelled, too.
 *
 * A thing is kept while it is held, and after that until the shelf exceeds its budget: then
 * the things that were asked for longest ago are freed first.
 */
#ifndef WEFT_VIEW_PREPARE_H
#define WEFT_VIEW_PREPARE_H

#include "view/view.h"

struct weft_shelf;

/* Arguments for making a thing. All of them live as long as the thing, but for the job. */
struct weft_making {
    struct weft_shelf *shelf; /* for things that this one is made from */
    const struct weft_set *set;
    const void *parameters;
    size_t size;
    struct weft_job *job;
};

struct weft_preparation {
    const char *name;
    /*
     * Make the thing, and say how many bytes it takes.  It may be made from others that
     * MAKING's shelf has (weft_prepare with MAKING's job), and hold those that it refers to
     * until it is freed; no thing may need itself, also not through others.  It steps its
     * job often, since the job tells it that nobody waits any more.  A failure is told to
     * all who wait, and not remembered.
     */
    bool (*make)(const struct weft_making *making, void **thing, size_t *bytes,
                 struct weft_err *err);
    void (*free)(void *thing); /* any thread */
};

/* A thing that is held: it is not freed before weft_release. */
struct weft_held {
    const void *thing;
};

struct weft_shelf *weft_shelf_new(void);
/* Cancels what is being made.  The caller makes sure that nobody waits or holds a thing. */
void weft_shelf_free(struct weft_shelf *shelf);
/*
 * Free what was made of a source, before it is closed, and stop what is being made of it.
 * No view may be using the source.
 */
void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source);

/*
 * Bytes that the things may take together; at first a quarter of the machine's memory, the
 * rest being for the pages of traces and for other programs.  Things that are held, and the
 * thing that was asked for last, are kept even when they are more than that.
 */
void weft_shelf_set_budget(struct weft_shelf *shelf, uint64_t bytes);
/*
 * Milliseconds for which a making goes on without anybody waiting for it; at first 1000.  A
 * panel that is dragged cancels its request and at once sends another that needs the same.
 */
void weft_shelf_set_patience(struct weft_shelf *shelf, unsigned milliseconds);

struct weft_shelf_counts {
    uint64_t found;   /* asked for, and there */
    uint64_t joined;  /* asked for, and being made already */
    uint64_t started; /* asked for, and begun to be made */
    uint64_t evicted;
    uint64_t bytes;   /* of what is there */
    size_t n_things;  /* that are there */
    size_t n_makings; /* that run, whether somebody waits for them or not */
    size_t n_waiting; /* calls that wait */
};
struct weft_shelf_counts weft_shelf_count(struct weft_shelf *shelf);

/*
 * The thing of a preparation, a set and SIZE bytes of parameters, which are compared as
 * bytes: a struct of them must have no padding.  Waits until it is made, watching JOB
 * (NULL: nobody watches), which tells how far the making is.  NULL with *err when making it
 * fails, and with WEFT_ERR_CANCELLED when the job is cancelled first.  Any thread.
 */
const struct weft_held *weft_prepare(struct weft_shelf *shelf,
                                     const struct weft_preparation *preparation,
                                     const struct weft_set *set, const void *parameters,
                                     size_t size, struct weft_job *job,
                                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_release(const struct weft_held *held); /* NULL is nothing */

/* ---- For views ---- */

enum { WEFT_USE_MOST = 24 }; /* things of one answer: more than any view needs */

/*
 * The things that one answer of a view uses, held until it ends.  A request without a shelf
 * gets one for this answer alone.
 */
struct weft_use {
    const struct weft_request *request;
    struct weft_shelf *shelf, *own;
    const struct weft_held *held[WEFT_USE_MOST];
    size_t n_held;
};
void weft_use_begin(struct weft_use *use, const struct weft_request *request);
/*
 * The thing itself; SET is the request's or a part of it.  At most WEFT_USE_MOST of them.
 */
const void *weft_use_get(struct weft_use *use, const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size,
                         struct weft_err *err) WEFT_MUST_CHECK;
void weft_use_end(struct weft_use *use);

#endif
