/* SPDX-License-Identifier: Apache-2.0 */
/* Makes items on threads of the shelf, and waits for them. */
#include "view/prepare.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "view/prepare_priv.h"

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Making ---- */

/* A step of the making's job: cancels it after it had no waiters for the patience. */
static void watch_waiters(struct weft_job *job, void *user)
{
    struct shelf_item *item = user;
    struct weft_shelf *shelf = item->shelf;
    /* Usually there are waiters, so left_since is first read without the mutex. */
    if (!item->left_since || weft_job_cancelled(job))
        return;
    pthread_mutex_lock(&shelf->mutex);
    if (item->left_since && milliseconds_now() - item->left_since >= shelf->patience)
        weft_shelf_cancel(item);
    pthread_mutex_unlock(&shelf->mutex);
}

/* Tells the waiters how the making has ended; returns true if nobody uses the item. */
static bool settle(struct shelf_item *item, bool ok, const struct weft_err *err)
{
    struct weft_shelf *shelf = item->shelf;
    pthread_mutex_lock(&shelf->mutex);
    if (ok) {
        item->state = READY;
        shelf->counts.n_things += item->listed;
        shelf->counts.bytes += item->listed ? item->bytes : 0;
    } else {
        weft_shelf_unlist(item);
        item->state = FAILED;
        item->err = *err;
    }
    bool unused = !item->listed && !item->users;
    pthread_cond_broadcast(&shelf->changed);
    pthread_mutex_unlock(&shelf->mutex);
    return unused;
}

static void *make(void *argument)
{
    struct item_maker *maker = argument;
    struct shelf_item *item = maker->item;
    struct weft_shelf *shelf = maker->shelf;
    const struct weft_prepare_args args = { shelf, &item->set, item->parameters, item->size,
                                            &item->job };
    struct weft_err err = { 0 };
    void *made = NULL;
    weft_mappings_rest(WEFT_MAPPED_MAX / 2); /* the making reads more pages */
    bool ok = item->preparation->make(&args, &made, &item->bytes, &err);
    item->held.thing = made;
    weft_mappings_rest(WEFT_MAPPED_MAX); /* the making may have read all of a trace */
    if (settle(item, ok, &err))          /* else another thread may have freed it */
        weft_shelf_free_item(item);
    weft_shelf_trim(shelf);
    pthread_mutex_lock(&shelf->mutex);
    struct item_maker **at = &shelf->makers;
    while (*at != maker)
        at = &(*at)->next;
    *at = maker->next;
    maker->next = shelf->ended;
    shelf->ended = maker;
    shelf->counts.n_makings--;
    pthread_cond_broadcast(&shelf->changed);
    pthread_mutex_unlock(&shelf->mutex);
    return NULL;
}

static void *copy_bytes(const void *bytes, size_t size)
{
    void *copy = weft_alloc(size + 1);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static struct weft_set copy_set(const struct weft_set *set)
{
    return (struct weft_set){
        copy_bytes(set->sources, set->n_sources * sizeof *set->sources), set->n_sources
    };
}

static struct shelf_item *new_item(struct weft_shelf *shelf,
                                   const struct weft_preparation *preparation,
                                   const struct weft_set *set, const void *parameters,
                                   size_t size)
{
    struct shelf_item *item = weft_zalloc(1, sizeof *item);
    item->shelf = shelf;
    item->preparation = preparation;
    item->set = copy_set(set);
    item->parameters = copy_bytes(parameters, size);
    item->size = size;
    item->hash = weft_shelf_hash(preparation, set, parameters, size);
    item->job.progress = watch_waiters;
    item->job.user = item;
    return item;
}

/* With the mutex: lists the item and begins to make it; false if no thread can be
   created. */
static bool start(struct shelf_item *item)
{
    struct weft_shelf *shelf = item->shelf;
    struct item_maker *maker = weft_zalloc(1, sizeof *maker);
    maker->shelf = shelf;
    maker->item = item;
    maker->set = copy_set(&item->set);
    if (pthread_create(&maker->thread, NULL, make, maker) != 0) {
        weft_shelf_free_maker(maker);
        return false;
    }
    maker->next = shelf->makers;
    shelf->makers = maker;
    item->next = shelf->buckets[item->hash % SHELF_BUCKETS];
    shelf->buckets[item->hash % SHELF_BUCKETS] = item;
    item->listed = true;
    shelf->counts.n_makings++;
    shelf->counts.started++;
    return true;
}

/* ---- Asking ---- */

/* With the mutex, which is unlocked while the job is told the progress: waits until the
 * making ends or the job is cancelled. */
static bool wait_for(struct shelf_item *item, struct weft_job *job, struct weft_err *err)
{
    struct weft_shelf *shelf = item->shelf;
    bool stays = true;
    shelf->counts.n_waiting++;
    while (stays && item->state == MAKING) {
        weft_shelf_wait(shelf);
        pthread_mutex_unlock(&shelf->mutex);
        stays = weft_job_step(job, atomic_load(&item->job.done),
                              atomic_load(&item->job.total), err);
        pthread_mutex_lock(&shelf->mutex);
    }
    shelf->counts.n_waiting--;
    return stays;
}

/* Without the mutex: the caller no longer uses the item. */
static void leave(struct shelf_item *item)
{
    struct weft_shelf *shelf = item->shelf;
    pthread_mutex_lock(&shelf->mutex);
    item->users--;
    bool last = !item->users;
    if (last && item->state == MAKING && item->listed) {
        item->left_since = milliseconds_now();
        if (!shelf->patience)
            weft_shelf_cancel(item);
    }
    /* An item that is off the list but still being made is freed by its maker. */
    bool unused = last && !item->listed && item->state != MAKING;
    bool full = shelf->counts.bytes > shelf->budget;
    pthread_mutex_unlock(&shelf->mutex);
    if (unused)
        weft_shelf_free_item(item);
    if (full)
        weft_shelf_trim(shelf);
}

/* Without the mutex, as a user of the item: waits with the job, which gives back its place
   among the workers meanwhile. */
static bool await(struct shelf_item *item, struct weft_job *job, struct weft_err *err)
{
    struct weft_shelf *shelf = item->shelf;
    if (!weft_job_waits(job, true, err))
        return false;
    pthread_mutex_lock(&shelf->mutex);
    bool ok = wait_for(item, job, err);
    if (ok && item->state == FAILED) {
        if (err)
            *err = item->err;
        ok = false;
    }
    /* Update `asked`, so that it is later than that of the items that it was made from. */
    item->asked = ++shelf->clock;
    pthread_mutex_unlock(&shelf->mutex);
    (void)!weft_job_waits(job, false, NULL);
    return ok;
}

/*
 * Returns the item, ready or being made, with the caller as a user; NULL if no thread can
 * be created.
 */
static struct shelf_item *find_or_start(struct weft_shelf *shelf,
                                        const struct weft_preparation *preparation,
                                        const struct weft_set *set, const void *parameters,
                                        size_t size, bool *ready)
{
    pthread_mutex_lock(&shelf->mutex);
    struct shelf_item *item = weft_shelf_find(shelf, preparation, set, parameters, size);
    *ready = item && item->state == READY;
    shelf->counts.found += *ready;
    shelf->counts.joined += item && !*ready;
    if (!item) {
        item = new_item(shelf, preparation, set, parameters, size);
        if (!start(item)) {
            weft_shelf_free_item(item);
            item = NULL;
        }
    }
    if (item) {
        item->users++;
        item->left_since = 0;
        item->asked = ++shelf->clock;
    }
    pthread_mutex_unlock(&shelf->mutex);
    return item;
}

const struct weft_held *weft_prepare(struct weft_shelf *shelf,
                                     const struct weft_preparation *preparation,
                                     const struct weft_set *set, const void *parameters,
                                     size_t size, struct weft_job *job,
                                     struct weft_err *err)
{
    bool ready;
    weft_shelf_reap(shelf);
    if (weft_job_cancelled(job)) {
        weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
        return NULL;
    }
    struct shelf_item *item =
        find_or_start(shelf, preparation, set, parameters, size, &ready);
    if (!item) {
        weft_fail(err, WEFT_ERR_READ, "cannot start a thread");
        return NULL;
    }
    if (ready || await(item, job, err))
        return &item->held;
    leave(item);
    return NULL;
}

void weft_release(const struct weft_held *held)
{
    if (held)
        leave((struct shelf_item *)held);
}

/* ---- For views ---- */

void weft_use_begin(struct weft_use *use, const struct weft_request *request)
{
    *use = (struct weft_use){ .request = request, .shelf = request->shelf };
}

const void *weft_use_get(struct weft_use *use, const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size,
                         struct weft_err *err)
{
    WEFT_REQUIRE(use->n_held < WEFT_USE_MAX, "an answer uses more than %d things",
                 WEFT_USE_MAX);
    if (!use->shelf)
        use->shelf = use->own = weft_shelf_new();
    const struct weft_held *held = weft_prepare(use->shelf, preparation, set, parameters,
                                                size, use->request->job, err);
    if (!held)
        return NULL;
    use->held[use->n_held++] = held;
    return held->thing;
}

void weft_use_end(struct weft_use *use)
{
    while (use->n_held)
        weft_release(use->held[--use->n_held]);
    weft_shelf_free(use->own);
    use->own = NULL;
}
