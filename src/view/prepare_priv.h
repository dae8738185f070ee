/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the shelf (prepare.h): prepare.c makes things and lets callers wait for them,
 * shelf.c keeps them.
 *
 * A thing is listed from when its making begins; `users` counts the callers that wait for
 * it and those that hold it.  It leaves the list when its making fails or is cancelled,
 * when it is evicted, or when its source is forgotten, and it is freed when it is not
 * listed and has no users.
 *
 * One mutex guards the shelf.  It is not held while a thing is made or freed, since either
 * may use the shelf again.
 */
#ifndef WEFT_VIEW_PREPARE_PRIV_H
#define WEFT_VIEW_PREPARE_PRIV_H

#include <pthread.h>

#include "view/prepare.h"

enum {
    SHELF_BUCKETS = 256
}; /* of the hash table of things, of which there are at most some thousands */

enum thing_state { MAKING, READY, FAILED };

struct thing {
    struct weft_held held; /* first, so that a pointer to it is one to the thing */
    struct weft_shelf *shelf;
    const struct weft_preparation *preparation;
    struct weft_set set; /* its own copy */
    void *parameters;    /* its own copy */
    size_t size;
    uint64_t hash;
    struct weft_job job; /* the job of its making */
    enum thing_state state;
    struct weft_err err; /* if it failed */
    size_t bytes;
    unsigned users;
    uint64_t asked; /* the shelf's `clock` when it was last requested */
    /*
     * When the last waiter left a making, in ms; 0 while there are waiters.  Written with
     * the mutex held.
     */
    _Atomic int64_t left_since;
    bool listed;
    struct thing *next; /* in its bucket */
};

/* A thread that makes a thing.  The thing may be freed before the thread is joined. */
struct maker {
    struct weft_shelf *shelf;
    struct thing *thing;
    struct weft_set set; /* its own copy */
    pthread_t thread;
    struct maker *next; /* in the list of running or of ended makers */
};

struct weft_shelf {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a making has ended */
    struct thing *buckets[SHELF_BUCKETS];
    struct maker *makers, *ended;
    uint64_t clock, budget;
    unsigned patience;
    size_t n_evicting; /* things off the list that are being freed to make room */
    struct weft_shelf_counts counts;
};

/* Hashes what identifies a thing; SIZE: bytes of PARAMETERS. */
uint64_t weft_shelf_hash(const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size);
/* The caller holds the mutex.  Returns the thing, ready or being made; NULL: none. */
struct thing *weft_shelf_find(const struct weft_shelf *shelf,
                              const struct weft_preparation *preparation,
                              const struct weft_set *set, const void *parameters,
                              size_t size);
/* The caller holds the mutex.  Takes the thing off the list, if it is listed. */
void weft_shelf_take_off(struct thing *thing);
/*
 * The caller holds the mutex.  Cancels the making of the thing and takes it off the list,
 * so that no further caller waits for it.
 */
void weft_shelf_cancel(struct thing *thing);
/*
 * The caller does not hold the mutex.  Frees a thing, which may release other things from
 * which it was made.
 */
void weft_shelf_free_thing(struct thing *thing);
/* The caller does not hold the mutex.  Frees things to keep the budget, if any can go. */
void weft_shelf_trim(struct weft_shelf *shelf);
/* The caller holds the mutex.  Waits until some thing is made or fails, at most 20 ms. */
void weft_shelf_wait(struct weft_shelf *shelf);
/* The caller does not hold the mutex.  Joins the makers' threads that have ended. */
void weft_shelf_reap(struct weft_shelf *shelf);
void weft_shelf_free_maker(struct maker *maker);

#endif
