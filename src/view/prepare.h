/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What views compute once and keep between frames: a tree of 10^7 nodes must not be read for
 * each.  A preparation says how such a thing is made; a thing is known by its preparation, the
 * set of traces and its parameters, so a layout of each root of a tree is a thing of its own.
 * Whoever draws many frames (the workbench's server, a film) has one shelf of them, and any
 * number of threads may ask it.
 *
 * Each thing is made once, on a thread of the shelf's own and with a job of its own.  Those who
 * want it wait with their jobs: one that is cancelled leaves, the others get the thing.  When
 * the last one has left, the making is cancelled too.
 *
 * A thing stays while it is held, and then until the shelf is over its budget: what was asked
 * for longest ago goes first.
 */
#ifndef WEFT_VIEW_PREPARE_H
#define WEFT_VIEW_PREPARE_H

#include "view/view.h"

struct weft_shelf;

/* What is to be made: all of it lives as long as the thing does, but for the job. */
struct weft_making {
    struct weft_shelf *shelf; /* for what the thing is made from */
    const struct weft_set *set;
    const void *parameters;
    size_t size;
    struct weft_job *job;
};

struct weft_preparation {
    const char *name;
    /*
     * Make the thing, and say how many bytes it takes.  It may be made from others that MAKING's
     * shelf has (weft_prepare with MAKING's job), and hold those that it refers to until it is
     * freed; preparations must not go round in a circle.  It steps its job all
     * along: that is where it learns that nobody waits any more.  A failure is told to
     * all who wait, and not remembered.
     */
    bool (*make)(const struct weft_making *making, void **thing, size_t *bytes,
                 struct weft_err *err);
    void (*free)(void *thing); /* any thread */
};

/* A thing that is held: it does not go away before weft_release. */
struct weft_held {
    const void *thing;
};

struct weft_shelf *weft_shelf_new(void);
/* Cancels what is being made.  Nobody holds anything or waits. */
void weft_shelf_free(struct weft_shelf *shelf);
/*
 * Free what was made of a source, before it is closed, and stop what is being made of it.
 * Nobody may be drawing it.
 */
void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source);

/*
 * Bytes that the things may take together.  At first a quarter of the machine's memory: the
 * rest is for the pages of traces and for other programs.  What is held, and what was asked
 * for last, stays even when it is more than that.
 */
void weft_shelf_set_budget(struct weft_shelf *shelf, uint64_t bytes);
/*
 * Milliseconds for which a making goes on although all have left; at first 1000.  A panel that
 * is dragged gives up its request and sends the next one, which wants the same, at once.
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
 * The thing of a preparation, a set and SIZE bytes of parameters, which are compared as bytes:
 * a struct of them must have no padding.  Waits until it is made, watching JOB (NULL: nobody
 * watches), which tells how far the making is.  NULL with *err when making it fails, and with
 * WEFT_ERR_CANCELLED when the job is cancelled first.  Any thread.
 */
const struct weft_held *weft_prepare(struct weft_shelf *shelf,
                                     const struct weft_preparation *preparation,
                                     const struct weft_set *set, const void *parameters,
                                     size_t size, struct weft_job *job,
                                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_release(const struct weft_held *held); /* NULL is nothing */

/* ---- For views ---- */

enum { WEFT_USE_MOST = 8 };

/*
 * What one answer of a view uses, held until it ends.  A request without a shelf gets one for
 * this answer alone.
 */
struct weft_use {
    const struct weft_request *request;
    struct weft_shelf *shelf, *own;
    const struct weft_held *held[WEFT_USE_MOST];
    size_t n_held;
};
void weft_use_begin(struct weft_use *use, const struct weft_request *request);
/* The thing itself; SET is the request's or a part of it.  At most WEFT_USE_MOST of them. */
const void *weft_use_get(struct weft_use *use, const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size,
                         struct weft_err *err) WEFT_MUST_CHECK;
void weft_use_end(struct weft_use *use);

#endif
