/* SPDX-License-Identifier: Apache-2.0 */
/* Makes things on threads of the shelf, and waits for them. */
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
    struct thing *thing = user;
    struct weft_shelf *shelf = thing->shelf;
    /* Usually there are waiters, so left_since is first read without the mutex. */
    if (!thing->left_since || weft_job_cancelled(job))
        return;
    pthread_mutex_lock(&shelf->mutex);
    if (thing->left_since && milliseconds_now() - thing->left_since >= shelf->patience)
        weft_shelf_cancel(thing);
    pthread_mutex_unlock(&shelf->mutex);
}

/* Tells the waiters how the making has ended; returns true if nobody uses the thing. */
static bool settle(struct thing *thing, bool ok, const struct weft_err *err)
{
    struct weft_shelf *shelf = thing->shelf;
    pthread_mutex_lock(&shelf->mutex);
    if (ok) {
        thing->state = READY;
        shelf->counts.n_things += thing->listed;
        shelf->counts.bytes += thing->listed ? thing->bytes : 0;
    } else {
        weft_shelf_take_off(thing);
        thing->state = FAILED;
        thing->err = *err;
    }
    bool unused = !thing->listed && !thing->users;
    pthread_cond_broadcast(&shelf->changed);
    pthread_mutex_unlock(&shelf->mutex);
    return unused;
}

static void *make(void *argument)
{
    struct maker *maker = argument;
    struct thing *thing = maker->thing;
    struct weft_shelf *shelf = maker->shelf;
    const struct weft_making making = { shelf, &thing->set, thing->parameters, thing->size,
                                        &thing->job };
    struct weft_err err = { 0 };
    void *made = NULL;
    weft_mappings_rest(WEFT_MAPPED_MAX / 2); /* the making reads more pages */
    bool ok = thing->preparation->make(&making, &made, &thing->bytes, &err);
    thing->held.thing = made;
    weft_mappings_rest(WEFT_MAPPED_MAX); /* the making may have read all of a trace */
    if (settle(thing, ok, &err))         /* else another thread may have freed it */
        weft_shelf_free_thing(thing);
    weft_shelf_trim(shelf);
    pthread_mutex_lock(&shelf->mutex);
    struct maker **at = &shelf->makers;
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

static struct thing *new_thing(struct weft_shelf *shelf,
                               const struct weft_preparation *preparation,
                               const struct weft_set *set, const void *parameters,
                               size_t size)
{
    struct thing *thing = weft_zalloc(1, sizeof *thing);
    thing->shelf = shelf;
    thing->preparation = preparation;
    thing->set = copy_set(set);
    thing->parameters = copy_bytes(parameters, size);
    thing->size = size;
    thing->hash = weft_shelf_hash(preparation, set, parameters, size);
    thing->job.progress = watch_waiters;
    thing->job.user = thing;
    return thing;
}

/* With the mutex: lists the thing and begins to make it; false if no thread can be
   created. */
static bool start(struct thing *thing)
{
    struct weft_shelf *shelf = thing->shelf;
    struct maker *maker = weft_zalloc(1, sizeof *maker);
    maker->shelf = shelf;
    maker->thing = thing;
    maker->set = copy_set(&thing->set);
    if (pthread_create(&maker->thread, NULL, make, maker) != 0) {
        weft_shelf_free_maker(maker);
        return false;
    }
    maker->next = shelf->makers;
    shelf->makers = maker;
    thing->next = shelf->buckets[thing->hash % SHELF_BUCKETS];
    shelf->buckets[thing->hash % SHELF_BUCKETS] = thing;
    thing->listed = true;
    shelf->counts.n_makings++;
    shelf->counts.started++;
    return true;
}

/* ---- Asking ---- */

/* With the mutex, which is unlocked while the job is told the progress: waits until the
 * making ends or the job is cancelled. */
static bool wait_for(struct thing *thing, struct weft_job *job, struct weft_err *err)
{
    struct weft_shelf *shelf = thing->shelf;
    bool stays = true;
    shelf->counts.n_waiting++;
    while (stays && thing->state == MAKING) {
        weft_shelf_wait(shelf);
        pthread_mutex_unlock(&shelf->mutex);
        stays = weft_job_step(job, atomic_load(&thing->job.done),
                              atomic_load(&thing->job.total), err);
        pthread_mutex_lock(&shelf->mutex);
    }
    shelf->counts.n_waiting--;
    return stays;
}

/* Without the mutex: the caller no longer uses the thing. */
static void leave(struct thing *thing)
{
    struct weft_shelf *shelf = thing->shelf;
    pthread_mutex_lock(&shelf->mutex);
    thing->users--;
    bool last = !thing->users;
    if (last && thing->state == MAKING && thing->listed) {
        thing->left_since = milliseconds_now();
        if (!shelf->patience)
            weft_shelf_cancel(thing);
    }
    /* A thing that is off the list but still being made is freed by its maker. */
    bool unused = last && !thing->listed && thing->state != MAKING;
    bool full = shelf->counts.bytes > shelf->budget;
    pthread_mutex_unlock(&shelf->mutex);
    if (unused)
        weft_shelf_free_thing(thing);
    if (full)
        weft_shelf_trim(shelf);
}

/* Without the mutex, as a user of the thing: waits with the job, which gives back its place
   among the workers meanwhile. */
static bool await(struct thing *thing, struct weft_job *job, struct weft_err *err)
{
    struct weft_shelf *shelf = thing->shelf;
    if (!weft_job_waits(job, true, err))
        return false;
    pthread_mutex_lock(&shelf->mutex);
    bool ok = wait_for(thing, job, err);
    if (ok && thing->state == FAILED) {
        if (err)
            *err = thing->err;
        ok = false;
    }
    /* Update `asked`, so that it is later than that of the things that it was made from. */
    thing->asked = ++shelf->clock;
    pthread_mutex_unlock(&shelf->mutex);
    (void)!weft_job_waits(job, false, NULL);
    return ok;
}

/*
 * Returns the thing, ready or being made, with the caller as a user; NULL if no thread can
 * be created.
 */
static struct thing *find_or_start(struct weft_shelf *shelf,
                                   const struct weft_preparation *preparation,
                                   const struct weft_set *set, const void *parameters,
                                   size_t size, bool *ready)
{
    pthread_mutex_lock(&shelf->mutex);
    struct thing *thing = weft_shelf_find(shelf, preparation, set, parameters, size);
    *ready = thing && thing->state == READY;
    shelf->counts.found += *ready;
    shelf->counts.joined += thing && !*ready;
    if (!thing) {
        thing = new_thing(shelf, preparation, set, parameters, size);
        if (!start(thing)) {
            weft_shelf_free_thing(thing);
            thing = NULL;
        }
    }
    if (thing) {
        thing->users++;
        thing->left_since = 0;
        thing->asked = ++shelf->clock;
    }
    pthread_mutex_unlock(&shelf->mutex);
    return thing;
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
    struct thing *thing = find_or_start(shelf, preparation, set, parameters, size, &ready);
    if (!thing) {
        weft_fail(err, WEFT_ERR_READ, "cannot start a thread");
        return NULL;
    }
    if (ready || await(thing, job, err))
        return &thing->held;
    leave(thing);
    return NULL;
}

void weft_release(const struct weft_held *held)
{
    if (held)
        leave((struct thing *)held);
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
