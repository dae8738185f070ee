/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shelf.  A thing is listed from when its making begins; `users` counts the callers
 * that wait for it and those that hold it.  It leaves the list when its making fails or is
 * cancelled, when it is evicted, or when its source is forgotten, and it is freed when it
 * is not listed and has no users.
 *
 * One mutex guards the shelf.  It is not held while a thing is made or freed, since either
 * may use the shelf again.
 */
#include "view/prepare.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"

enum {
    BUCKETS = 256,      /* of the hash table: for some thousands of things, a few in each */
    LOOK_MS = 20,       /* between a waiter's looks at its job, which cannot wake it */
    PATIENCE_MS = 1000, /* see weft_shelf_set_patience */
};
#define LEAST_BUDGET ((uint64_t)256 << 20) /* bytes; where the memory's size is not known */

enum state { MAKING, READY, FAILED };

struct thing {
    struct weft_held held; /* first, so that a pointer to it is one to the thing */
    struct weft_shelf *shelf;
    const struct weft_preparation *preparation;
    struct weft_set set; /* its own copy */
    void *parameters;    /* its own copy */
    size_t size;
    uint64_t hash;
    struct weft_job job; /* the job of its making */
    enum state state;
    struct weft_err err; /* when it failed */
    size_t bytes;
    unsigned users;
    uint64_t asked; /* when it was last asked for: the shelf's `clock` then */
    /*
     * When the last waiter left a making, in ms; 0: somebody waits.  Written with the
     * mutex.
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
    struct maker *next; /* in the list of those at work, or of those that have ended */
};

struct weft_shelf {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a making has ended */
    struct thing *buckets[BUCKETS];
    struct maker *makers, *ended;
    uint64_t clock, budget;
    unsigned patience;
    struct weft_shelf_counts counts;
};

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t default_budget(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t quarter = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 : 0;
    return quarter > LEAST_BUDGET ? quarter : LEAST_BUDGET;
}

/* ---- The list ---- */

static uint64_t hash_of(const struct weft_preparation *preparation,
                        const struct weft_set *set, const void *parameters, size_t size)
{
    uint64_t parts[] = {
        (uint64_t)(uintptr_t)preparation,
        set->n_sources ? weft_hash(set->sources, set->n_sources * sizeof *set->sources) : 0,
        size ? weft_hash(parameters, size) : 0
    };
    return weft_hash(parts, sizeof parts);
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return !size || memcmp(a, b, size) == 0;
}

static struct thing *find(const struct weft_shelf *shelf,
                          const struct weft_preparation *preparation,
                          const struct weft_set *set, const void *parameters, size_t size)
{
    uint64_t hash = hash_of(preparation, set, parameters, size);
    for (struct thing *thing = shelf->buckets[hash % BUCKETS]; thing; thing = thing->next)
        if (thing->hash == hash && thing->preparation == preparation && thing->size == size
            && thing->set.n_sources == set->n_sources
            && same_bytes(thing->parameters, parameters, size)
            && same_bytes(thing->set.sources, set->sources,
                          set->n_sources * sizeof *set->sources))
            return thing;
    return NULL;
}

static void take_off(struct thing *thing)
{
    struct thing **at = &thing->shelf->buckets[thing->hash % BUCKETS];
    if (!thing->listed)
        return;
    while (*at != thing)
        at = &(*at)->next;
    *at = thing->next;
    thing->listed = false;
    if (thing->state == READY) {
        thing->shelf->counts.n_things--;
        thing->shelf->counts.bytes -= thing->bytes;
    }
}

/* Without the mutex: freeing a thing may release other things that it was made from. */
static void free_thing(struct thing *thing)
{
    if (thing->state == READY)
        thing->preparation->free((void *)thing->held.thing);
    free((void *)thing->set.sources);
    free(thing->parameters);
    free(thing);
}

/* ---- Making ---- */

/* With the mutex.  The thing leaves the list, so that no further caller waits for it. */
static void cancel(struct thing *thing)
{
    atomic_store(&thing->job.cancelled, true);
    take_off(thing);
}

/* Called as the making goes on: cancels it when it has had no waiters for the patience. */
static void watch_waiters(struct weft_job *job, void *user)
{
    struct thing *thing = user;
    struct weft_shelf *shelf = thing->shelf;
    /* Somebody waits nearly always, so left_since is first read without the mutex. */
    if (!thing->left_since || weft_job_cancelled(job))
        return;
    pthread_mutex_lock(&shelf->mutex);
    if (thing->left_since && milliseconds_now() - thing->left_since >= shelf->patience)
        cancel(thing);
    pthread_mutex_unlock(&shelf->mutex);
}

static void trim(struct weft_shelf *shelf);

/* Tell the waiters that the making has ended, and how; true when nobody uses the thing. */
static bool settle(struct thing *thing, bool ok, const struct weft_err *err)
{
    struct weft_shelf *shelf = thing->shelf;
    pthread_mutex_lock(&shelf->mutex);
    if (ok) {
        thing->state = READY;
        shelf->counts.n_things += thing->listed;
        shelf->counts.bytes += thing->listed ? thing->bytes : 0;
    } else {
        take_off(thing);
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
    bool ok = thing->preparation->make(&making, &made, &thing->bytes, &err);
    thing->held.thing = made;
    if (settle(thing, ok, &err)) /* else another thread may have freed it */
        free_thing(thing);
    trim(shelf);
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

static void free_maker(struct maker *maker)
{
    free((void *)maker->set.sources);
    free(maker);
}

/* Without the mutex: join the threads that have ended. */
static void reap(struct weft_shelf *shelf)
{
    pthread_mutex_lock(&shelf->mutex);
    struct maker *list = shelf->ended;
    shelf->ended = NULL;
    pthread_mutex_unlock(&shelf->mutex);
    for (struct maker *next; list; list = next) {
        next = list->next;
        pthread_join(list->thread, NULL);
        free_maker(list);
    }
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
    thing->hash = hash_of(preparation, set, parameters, size);
    thing->job.progress = watch_waiters;
    thing->job.user = thing;
    return thing;
}

/* With the mutex: list the thing and begin to make it; false when there is no thread for it. */
static bool start(struct thing *thing)
{
    struct weft_shelf *shelf = thing->shelf;
    struct maker *maker = weft_zalloc(1, sizeof *maker);
    maker->shelf = shelf;
    maker->thing = thing;
    maker->set = copy_set(&thing->set);
    if (pthread_create(&maker->thread, NULL, make, maker) != 0) {
        free_maker(maker);
        return false;
    }
    maker->next = shelf->makers;
    shelf->makers = maker;
    thing->next = shelf->buckets[thing->hash % BUCKETS];
    shelf->buckets[thing->hash % BUCKETS] = thing;
    thing->listed = true;
    shelf->counts.n_makings++;
    shelf->counts.started++;
    return true;
}

/* ---- Room ---- */

/* With the mutex: the thing without users that was asked for longest ago, but never the one
 * that was asked for last. */
static struct thing *oldest(const struct weft_shelf *shelf)
{
    struct thing *found = NULL;
    uint64_t last = 0;
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct thing *thing = shelf->buckets[b]; thing; thing = thing->next) {
            last = thing->asked > last ? thing->asked : last;
            if (thing->state == READY && !thing->users
                && (!found || thing->asked < found->asked))
                found = thing;
        }
    return found && found->asked < last ? found : NULL;
}

/* Without the mutex: evict until the budget is kept, or nothing more can go. */
static void trim(struct weft_shelf *shelf)
{
    for (;;) {
        pthread_mutex_lock(&shelf->mutex);
        struct thing *thing = shelf->counts.bytes > shelf->budget ? oldest(shelf) : NULL;
        if (thing) {
            take_off(thing);
            shelf->counts.evicted++;
        }
        pthread_mutex_unlock(&shelf->mutex);
        if (!thing)
            return;
        free_thing(thing);
    }
}

void weft_shelf_set_budget(struct weft_shelf *shelf, uint64_t bytes)
{
    pthread_mutex_lock(&shelf->mutex);
    shelf->budget = bytes;
    pthread_mutex_unlock(&shelf->mutex);
    trim(shelf);
}

void weft_shelf_set_patience(struct weft_shelf *shelf, unsigned milliseconds)
{
    pthread_mutex_lock(&shelf->mutex);
    shelf->patience = milliseconds;
    pthread_mutex_unlock(&shelf->mutex);
}

struct weft_shelf_counts weft_shelf_count(struct weft_shelf *shelf)
{
    pthread_mutex_lock(&shelf->mutex);
    struct weft_shelf_counts counts = shelf->counts;
    pthread_mutex_unlock(&shelf->mutex);
    return counts;
}

/* ---- Asking ---- */

/* With the mutex, which is unlocked while the job is told of the progress: wait until the
 * making ends or the job is cancelled. */
static bool wait_for(struct thing *thing, struct weft_job *job, struct weft_err *err)
{
    struct weft_shelf *shelf = thing->shelf;
    bool stays = true;
    shelf->counts.n_waiting++;
    while (stays && thing->state == MAKING) {
        struct timespec soon;
        clock_gettime(CLOCK_MONOTONIC, &soon);
        soon.tv_nsec += LOOK_MS * 1000000L;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&shelf->changed, &shelf->mutex, &soon);
        pthread_mutex_unlock(&shelf->mutex);
        stays = weft_job_step(job, atomic_load(&thing->job.done),
                              atomic_load(&thing->job.total), err);
        pthread_mutex_lock(&shelf->mutex);
    }
    shelf->counts.n_waiting--;
    return stays;
}

/* Without the mutex: the caller does not use the thing any more. */
static void leave(struct thing *thing)
{
    struct weft_shelf *shelf = thing->shelf;
    pthread_mutex_lock(&shelf->mutex);
    thing->users--;
    bool last = !thing->users;
    if (last && thing->state == MAKING && thing->listed) {
        thing->left_since = milliseconds_now();
        if (!shelf->patience)
            cancel(thing);
    }
    /* A thing that is still being made but not listed any more is freed by its maker. */
    bool unused = last && !thing->listed && thing->state != MAKING;
    bool full = shelf->counts.bytes > shelf->budget;
    pthread_mutex_unlock(&shelf->mutex);
    if (unused)
        free_thing(thing);
    if (full)
        trim(shelf);
}

/* Without the mutex, as a user of the thing: wait with the job, which may lend the place of its
 * worker. */
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
    /* Ask again, so that it counts as later than the things that it was made from. */
    thing->asked = ++shelf->clock;
    pthread_mutex_unlock(&shelf->mutex);
    (void)!weft_job_waits(job, false, NULL);
    return ok;
}

/*
 * The thing, ready or being made, with the caller as a user; NULL when no thread can be
 * made.
 */
static struct thing *find_or_start(struct weft_shelf *shelf,
                                   const struct weft_preparation *preparation,
                                   const struct weft_set *set, const void *parameters,
                                   size_t size, bool *ready)
{
    pthread_mutex_lock(&shelf->mutex);
    struct thing *thing = find(shelf, preparation, set, parameters, size);
    *ready = thing && thing->state == READY;
    shelf->counts.found += *ready;
    shelf->counts.joined += thing && !*ready;
    if (!thing) {
        thing = new_thing(shelf, preparation, set, parameters, size);
        if (!start(thing)) {
            free_thing(thing);
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
    reap(shelf);
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

/* ---- Life ---- */

struct weft_shelf *weft_shelf_new(void)
{
    struct weft_shelf *shelf = weft_zalloc(1, sizeof *shelf);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&shelf->mutex, NULL);
    pthread_cond_init(&shelf->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    shelf->budget = default_budget();
    shelf->patience = PATIENCE_MS;
    return shelf;
}

static bool is_of(const struct weft_set *set, const struct weft_source *source)
{
    bool of_it = !source;
    for (size_t i = 0; i < set->n_sources; i++)
        of_it |= set->sources[i] == source;
    return of_it;
}

/* With the mutex: cancel what is being made of a source (NULL: of any). */
static void cancel_makings(struct weft_shelf *shelf, const struct weft_source *source)
{
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct thing *thing = shelf->buckets[b], *next; thing; thing = next) {
            next = thing->next;
            if (thing->state == MAKING && is_of(&thing->set, source))
                cancel(thing);
        }
}

static bool is_making(const struct weft_shelf *shelf, const struct weft_source *source)
{
    for (const struct maker *maker = shelf->makers; maker; maker = maker->next)
        if (is_of(&maker->set, source))
            return true;
    return false;
}

/* With the mutex: take a thing of the source that nobody uses off the list.  *rest: there are
 * others, with users. */
static struct thing *take_one(struct weft_shelf *shelf, const struct weft_source *source,
                              bool *rest)
{
    *rest = false;
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct thing *thing = shelf->buckets[b]; thing; thing = thing->next) {
            if (thing->state != READY || !is_of(&thing->set, source))
                continue;
            if (!thing->users) {
                take_off(thing);
                return thing;
            }
            *rest = true;
        }
    return NULL;
}

/*
 * Cancel and free all things of a source (NULL: of any).  A thing that others were made
 * from is used by them, and can be freed after them.
 */
static void clear(struct weft_shelf *shelf, const struct weft_source *source)
{
    bool rest;
    pthread_mutex_lock(&shelf->mutex);
    while (is_making(shelf, source)) {
        /* Again, since a making may have begun another just before. */
        cancel_makings(shelf, source);
        pthread_cond_wait(&shelf->changed, &shelf->mutex);
    }
    for (struct thing *thing; (thing = take_one(shelf, source, &rest));) {
        pthread_mutex_unlock(&shelf->mutex);
        free_thing(thing);
        pthread_mutex_lock(&shelf->mutex);
    }
    pthread_mutex_unlock(&shelf->mutex);
    WEFT_REQUIRE(!rest, "what was prepared of a trace is still in use");
}

void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source)
{
    clear(shelf, source);
    reap(shelf);
}

void weft_shelf_free(struct weft_shelf *shelf)
{
    if (!shelf)
        return;
    clear(shelf, NULL);
    reap(shelf);
    pthread_cond_destroy(&shelf->changed);
    pthread_mutex_destroy(&shelf->mutex);
    free(shelf);
}

/* ---- For views ---- */

void weft_use_begin(struct weft_use *use, const struct weft_request *request)
{
    *use = (struct weft_use){ .request = request, .shelf = request->shelf };
    if (!use->shelf)
        use->shelf = use->own = weft_shelf_new();
}

const void *weft_use_get(struct weft_use *use, const struct weft_preparation *preparation,
                         const struct weft_set *set, const void *parameters, size_t size,
                         struct weft_err *err)
{
    WEFT_REQUIRE(use->n_held < WEFT_USE_MOST, "an answer uses more than %d things",
                 WEFT_USE_MOST);
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
