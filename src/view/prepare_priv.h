/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the shelf (prepare.h), a cache of prepared things: prepare.c makes items and lets
 * callers wait for them, prepare_cache.c keeps them.
 *
 * An item is one thing.  It is listed, in the hash table, from when its making begins;
 * `users` counts the callers that wait for it and those that hold it.  It leaves the list
 * when its making fails or is cancelled, when it is evicted, or when its source is
 * forgotten.  It is freed when it is not listed, has no users and is not being made.
 *
 * One mutex guards the shelf.  It is not held while an item is made or freed, since either
 * may use the shelf again.
 */
#ifndef WEFT_VIEW_PREPARE_PRIV_H
#define WEFT_VIEW_PREPARE_PRIV_H

#include <pthread.h>

#include "view/prepare.h"

/* Buckets of the hash table of items, of which there are at most some thousands. */
enum { SHELF_BUCKETS = 256 };

/* An item's thing is being made, exists (`held`), or could not be made (`err`). */
enum item_state { MAKING, READY, FAILED };

/* A thing of the shelf, and what identifies it: preparation, traces, parameters. */
struct shelf_item {
    struct weft_held held; /* first, so that a pointer to it is one to the item */
    struct weft_shelf *shelf;
    const struct weft_preparation *preparation;
    struct weft_set set; /* its own copy of the array, not of the sources */
    void *parameters;    /* [size] its own copy */
    size_t size;
    uint64_t hash;       /* weft_shelf_hash() of the three */
    struct weft_job job; /* the job of its making */
    enum item_state state;
    struct weft_err err; /* if it failed */
    size_t bytes;        /* that the thing takes, as `make` said; if READY */
    unsigned users;
    uint64_t asked; /* the shelf's `clock` when it was last requested */
    /*
     * When the last waiter left a making, in ms of CLOCK_MONOTONIC; 0 while there are
     * waiters.  Written with the mutex held, read also without.
     */
    _Atomic int64_t left_since;
    bool listed;             /* in shelf->buckets, so that requests find it */
    struct shelf_item *next; /* in its bucket */
};

/*
 * A thread that makes an item, from its start until it is joined.  The item may be freed
 * before that.
 */
struct item_maker {
    struct weft_shelf *shelf;
    struct shelf_item *item;
    struct weft_set set; /* the item's set of traces; a copy, as the item may be freed */
    pthread_t thread;
    struct item_maker *next; /* in the list of running or of ended makers */
};

/* The cache of prepared things; made by weft_shelf_new, freed by weft_shelf_free. */
struct weft_shelf {
    pthread_mutex_t mutex;                     /* guards all other members */
    pthread_cond_t changed;                    /* a making or an eviction has ended */
    struct shelf_item *buckets[SHELF_BUCKETS]; /* listed items, by hash % SHELF_BUCKETS */
    struct item_maker *makers, *ended;         /* threads that run; that are to be joined */
    /* number of requests, which orders them by time; bytes (weft_shelf_set_budget) */
    uint64_t clock, budget;
    unsigned patience; /* ms (weft_shelf_set_patience) */
    size_t n_evicting; /* items off the list that are being freed to make room */
    struct weft_shelf_counts counts;
};

/*
 * Returns a hash of what identifies an item: the addresses of PREPARATION and of the
 * sources of SET, and the SIZE bytes of PARAMETERS (NULL if SIZE is 0).
 */
uint64_t weft_shelf_hash(const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size);
/*
 * The caller holds the mutex.  Returns the listed item, ready or being made, with the same
 * preparation, sources and parameters; NULL if there is none.  Adds no user.
 */
struct shelf_item *weft_shelf_find(const struct weft_shelf *shelf,
                                   const struct weft_preparation *preparation,
                                   const struct weft_set *set, const void *parameters,
                                   size_t size);
/*
 * The caller holds the mutex.  Takes ITEM off the list, if it is listed, so that no request
 * finds it; does not free it.
 */
void weft_shelf_unlist(struct shelf_item *item);
/*
 * The caller holds the mutex.  Sets ITEM's job cancelled and takes it off the list, so that
 * no further caller waits for it.  The making goes on until it looks at its job; its thread
 * or the last user then frees the item.
 */
void weft_shelf_cancel(struct shelf_item *item);
/*
 * The caller does not hold the mutex, unless ITEM has no thing yet.  Frees ITEM, which must
 * be off the list and without users, with its thing, which may release other items from
 * which it was made.
 */
void weft_shelf_free_item(struct shelf_item *item);
/*
 * The caller does not hold the mutex.  While the things take more than the budget, frees
 * the ready item without users that was requested longest ago, but never the one requested
 * last.
 */
void weft_shelf_trim(struct weft_shelf *shelf);
/*
 * The caller holds the mutex, which is unlocked meanwhile.  Waits until `changed` is
 * signalled, at most 20 ms; the caller must test its condition again.
 */
void weft_shelf_wait(struct weft_shelf *shelf);
/*
 * The caller does not hold the mutex.  Joins the threads in shelf->ended, which have made
 * things, and frees their structs.
 */
void weft_shelf_reap(struct weft_shelf *shelf);
/* Frees MAKER, whose thread was joined or never started, and its copy of the set. */
void weft_shelf_free_maker(struct item_maker *maker);

#endif
