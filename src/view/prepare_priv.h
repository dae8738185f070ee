/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the shelf (prepare.h): prepare.c makes items and lets callers wait for them,
 * shelf.c keeps them.
 *
 * An item is listed from when its making begins; `users` counts the callers that wait for
 * it and those that hold it.  It leaves the list when its making fails or is cancelled,
 * when it is evicted, or when its source is forgotten, and it is freed when it is not
 * listed and has no users.
 *
 * One mutex guards the shelf.  It is not held while an item is made or freed, since either
 * may use the shelf again.
 */
#ifndef WEFT_VIEW_PREPARE_PRIV_H
#define WEFT_VIEW_PREPARE_PRIV_H

#include <pthread.h>

#include "view/prepare.h"

enum {
    SHELF_BUCKETS = 256
}; /* of the hash table of items, of which there are at most some thousands */

enum item_state { MAKING, READY, FAILED };

struct shelf_item {
    struct weft_held held; /* first, so that a pointer to it is one to the item */
    struct weft_shelf *shelf;
    const struct weft_preparation *preparation;
    struct weft_set set; /* its own copy */
    void *parameters;    /* its own copy */
    size_t size;
    uint64_t hash;
    struct weft_job job; /* the job of its making */
    enum item_state state;
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
    struct shelf_item *next; /* in its bucket */
};

/* A thread that makes an item.  The item may be freed before the thread is joined. */
struct item_maker {
    struct weft_shelf *shelf;
    struct shelf_item *item;
    struct weft_set set; /* the item's set of traces; a copy, as the item may be freed */
    pthread_t thread;
    struct item_maker *next; /* in the list of running or of ended makers */
};

struct weft_shelf {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a making has ended */
    struct shelf_item *buckets[SHELF_BUCKETS];
    struct item_maker *makers, *ended;
    uint64_t clock, budget;
    unsigned patience;
    size_t n_evicting; /* items off the list that are being freed to make room */
    struct weft_shelf_counts counts;
};

/* Hashes what identifies an item; SIZE: bytes of PARAMETERS. */
uint64_t weft_shelf_hash(const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size);
/* The caller holds the mutex.  Returns the item, ready or being made; NULL: none. */
struct shelf_item *weft_shelf_find(const struct weft_shelf *shelf,
                                   const struct weft_preparation *preparation,
                                   const struct weft_set *set, const void *parameters,
                                   size_t size);
/* The caller holds the mutex.  Takes the item off the list, if it is listed. */
void weft_shelf_unlist(struct shelf_item *item);
/*
 * The caller holds the mutex.  Cancels the making of the item and takes it off the list,
 * so that no further caller waits for it.
 */
void weft_shelf_cancel(struct shelf_item *item);
/*
 * The caller does not hold the mutex.  Frees an item, which may release other items from
 * which it was made.
 */
void weft_shelf_free_item(struct shelf_item *item);
/* The caller does not hold the mutex.  Frees items to keep the budget, if any can go. */
void weft_shelf_trim(struct weft_shelf *shelf);
/* The caller holds the mutex.  Waits until some item is made or fails, at most 20 ms. */
void weft_shelf_wait(struct weft_shelf *shelf);
/* The caller does not hold the mutex.  Joins the makers' threads that have ended. */
void weft_shelf_reap(struct weft_shelf *shelf);
void weft_shelf_free_maker(struct item_maker *maker);

#endif
