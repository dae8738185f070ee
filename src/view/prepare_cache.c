/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps items on the shelf, evicts them, and creates and frees the shelf. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "view/prepare_priv.h"

enum { PATIENCE_MS = 1000 }; /* see weft_shelf_set_patience */
enum { LOOK_MS = 20 };       /* between a waiter's looks at its job, which cannot wake it */
#define MIN_BUDGET ((uint64_t)256 << 20) /* bytes; if the memory's size is not known */

static uint64_t default_budget(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t quarter = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 : 0;
    return quarter > MIN_BUDGET ? quarter : MIN_BUDGET;
}

/* ---- The list ---- */

uint64_t weft_shelf_hash(const struct weft_preparation *preparation,
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

struct shelf_item *weft_shelf_find(const struct weft_shelf *shelf,
                                   const struct weft_preparation *preparation,
                                   const struct weft_set *set, const void *parameters,
                                   size_t size)
{
    uint64_t hash = weft_shelf_hash(preparation, set, parameters, size);
    for (struct shelf_item *item = shelf->buckets[hash % SHELF_BUCKETS]; item;
         item = item->next)
        if (item->hash == hash && item->preparation == preparation && item->size == size
            && item->set.n_sources == set->n_sources
            && same_bytes(item->parameters, parameters, size)
            && same_bytes(item->set.sources, set->sources,
                          set->n_sources * sizeof *set->sources))
            return item;
    return NULL;
}

void weft_shelf_unlist(struct shelf_item *item)
{
    struct shelf_item **at = &item->shelf->buckets[item->hash % SHELF_BUCKETS];
    if (!item->listed)
        return;
    while (*at != item)
        at = &(*at)->next;
    *at = item->next;
    item->listed = false;
    if (item->state == READY) {
        item->shelf->counts.n_things--;
        item->shelf->counts.bytes -= item->bytes;
    }
}

void weft_shelf_free_item(struct shelf_item *item)
{
    if (item->state == READY)
        item->preparation->free((void *)item->held.thing);
    free((void *)item->set.sources);
    free(item->parameters);
    free(item);
}

void weft_shelf_cancel(struct shelf_item *item)
{
    atomic_store(&item->job.cancelled, true);
    weft_shelf_unlist(item);
}

void weft_shelf_free_maker(struct item_maker *maker)
{
    free((void *)maker->set.sources);
    free(maker);
}

/* A timed wait also without a job: until version 2.41 glibc may lose a wakeup if several
   threads wait (its bug 25847). */
void weft_shelf_wait(struct weft_shelf *shelf)
{
    struct timespec soon;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_nsec += LOOK_MS * 1000000L;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&shelf->changed, &shelf->mutex, &soon);
}

void weft_shelf_reap(struct weft_shelf *shelf)
{
    pthread_mutex_lock(&shelf->mutex);
    struct item_maker *list = shelf->ended;
    shelf->ended = NULL;
    pthread_mutex_unlock(&shelf->mutex);
    for (struct item_maker *next; list; list = next) {
        next = list->next;
        pthread_join(list->thread, NULL);
        weft_shelf_free_maker(list);
    }
}

/* ---- Room ---- */

/* With the mutex: returns the least recently requested item without users, but never the
 * most recently requested one. */
static struct shelf_item *oldest(const struct weft_shelf *shelf)
{
    struct shelf_item *found = NULL;
    uint64_t last = 0;
    for (size_t b = 0; b < SHELF_BUCKETS; b++)
        for (struct shelf_item *item = shelf->buckets[b]; item; item = item->next) {
            last = item->asked > last ? item->asked : last;
            if (item->state == READY && !item->users
                && (!found || item->asked < found->asked))
                found = item;
        }
    return found && found->asked < last ? found : NULL;
}

void weft_shelf_trim(struct weft_shelf *shelf)
{
    for (;;) {
        pthread_mutex_lock(&shelf->mutex);
        struct shelf_item *item =
            shelf->counts.bytes > shelf->budget ? oldest(shelf) : NULL;
        if (item) {
            weft_shelf_unlist(item);
            shelf->counts.evicted++;
            shelf->n_evicting++;
        }
        pthread_mutex_unlock(&shelf->mutex);
        if (!item)
            return;
        weft_shelf_free_item(item);
        pthread_mutex_lock(&shelf->mutex);
        shelf->n_evicting--;
        pthread_cond_broadcast(&shelf->changed);
        pthread_mutex_unlock(&shelf->mutex);
    }
}

void weft_shelf_set_budget(struct weft_shelf *shelf, uint64_t bytes)
{
    pthread_mutex_lock(&shelf->mutex);
    shelf->budget = bytes;
    pthread_mutex_unlock(&shelf->mutex);
    weft_shelf_trim(shelf);
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

/* With the mutex: cancels all makings of a source (NULL: of any). */
static void cancel_makings(struct weft_shelf *shelf, const struct weft_source *source)
{
    for (size_t b = 0; b < SHELF_BUCKETS; b++)
        for (struct shelf_item *item = shelf->buckets[b], *next; item; item = next) {
            next = item->next;
            if (item->state == MAKING && is_of(&item->set, source))
                weft_shelf_cancel(item);
        }
}

static bool is_making(const struct weft_shelf *shelf, const struct weft_source *source)
{
    for (const struct item_maker *maker = shelf->makers; maker; maker = maker->next)
        if (is_of(&maker->set, source))
            return true;
    return false;
}

/* With the mutex: takes one unused item of the source off the list and returns it, or
   NULL. *REST becomes true if there are used ones. */
static struct shelf_item *evict_one(struct weft_shelf *shelf,
                                    const struct weft_source *source, bool *rest)
{
    *rest = false;
    for (size_t b = 0; b < SHELF_BUCKETS; b++)
        for (struct shelf_item *item = shelf->buckets[b]; item; item = item->next) {
            if (item->state != READY || !is_of(&item->set, source))
                continue;
            if (!item->users) {
                weft_shelf_unlist(item);
                return item;
            }
            *rest = true;
        }
    return NULL;
}

/* With the mutex, which is unlocked meanwhile: waits until nothing is made of a source, nor
   evicted. */
static void quieten(struct weft_shelf *shelf, const struct weft_source *source)
{
    while (is_making(shelf, source) || shelf->n_evicting) {
        /* Again, since a making may have begun another just before. */
        cancel_makings(shelf, source);
        weft_shelf_wait(shelf);
    }
}

/*
 * Cancels and frees all items of a source (NULL: of any).  An item that others were made
 * from is used by them, and is freed after them.  Also waits for items that another thread
 * evicts.
 */
static void clear(struct weft_shelf *shelf, const struct weft_source *source)
{
    bool rest;
    pthread_mutex_lock(&shelf->mutex);
    quieten(shelf, source);
    for (struct shelf_item *item; (item = evict_one(shelf, source, &rest));) {
        pthread_mutex_unlock(&shelf->mutex);
        weft_shelf_free_item(item);
        pthread_mutex_lock(&shelf->mutex);
        quieten(shelf, source);
    }
    pthread_mutex_unlock(&shelf->mutex);
    WEFT_REQUIRE(!rest, "what was prepared of a trace is still in use");
}

void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source)
{
    clear(shelf, source);
    weft_shelf_reap(shelf);
}

void weft_shelf_free(struct weft_shelf *shelf)
{
    if (!shelf)
        return;
    clear(shelf, NULL);
    weft_shelf_reap(shelf);
    pthread_cond_destroy(&shelf->changed);
    pthread_mutex_destroy(&shelf->mutex);
    free(shelf);
}
