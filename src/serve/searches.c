/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/searches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

enum {
    MAX_PER_TRACE = 4, /* searches that are kept: of tabs and users that search at the same
                       time */
    IDLE_MS = 2000,    /* of a search without requests; the page asks every 150 */
};

struct running_search {
    const struct weft_source *source;
    struct weft_search *search;
    struct weft_job job;
    pthread_t thread;
    bool has_thread, done, wanted;
    unsigned held;
    uint64_t asked;   /* the number of the latest hold */
    int64_t asked_ms; /* its time */
    struct searches *searches;
    struct running_search *next;
};

struct searches {
    pthread_mutex_t lock;
    struct running_search *list;
    uint64_t n_asked;
};

struct searches *searches_new(void)
{
    struct searches *searches = weft_zalloc(1, sizeof *searches);
    pthread_mutex_init(&searches->lock, NULL);
    return searches;
}

static void *run(void *argument)
{
    struct running_search *running = argument;
    struct weft_err err;
    (void)!weft_search_run(running->search, &running->job, &err);
    pthread_mutex_lock(&running->searches->lock);
    running->done = true;
    pthread_mutex_unlock(&running->searches->lock);
    return NULL;
}

static void destroy(struct running_search *running)
{
    if (running->has_thread)
        pthread_join(running->thread, NULL);
    weft_search_free(running->search);
    free(running);
}

/* With the lock held: takes out the searches that have ended, were given up and are not
 * held.  The caller destroys them. */
static struct running_search *sweep(struct searches *searches)
{
    struct running_search *old = NULL;
    for (struct running_search **at = &searches->list; *at;) {
        struct running_search *running = *at;
        if (!running->wanted && running->done && !running->held) {
            *at = running->next;
            running->next = old;
            old = running;
        } else {
            at = &running->next;
        }
    }
    return old;
}

static void destroy_all(struct running_search *list)
{
    while (list) {
        struct running_search *next = list->next;
        destroy(list);
        list = next;
    }
}

void searches_free(struct searches *searches)
{
    if (!searches)
        return;
    for (struct running_search *r = searches->list; r; r = r->next)
        atomic_store(&r->job.cancelled, true);
    destroy_all(searches->list);
    pthread_mutex_destroy(&searches->lock);
    free(searches);
}

/* With the lock held; NULL with *ERR if no thread can be created. */
static struct running_search *start(struct searches *searches,
                                    const struct weft_source *source, const char *text,
                                    struct weft_err *err)
{
    struct running_search *running = weft_zalloc(1, sizeof *running);
    running->source = source;
    running->search = weft_search_new(source, text);
    running->wanted = true;
    running->searches = searches;
    running->has_thread = pthread_create(&running->thread, NULL, run, running) == 0;
    if (!running->has_thread) { /* it would seem to have found nothing */
        weft_fail(err, WEFT_ERR_READ, "cannot start a thread for the search");
        destroy(running);
        return NULL;
    }
    running->next = searches->list;
    searches->list = running;
    return running;
}

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void give_up(struct running_search *running)
{
    atomic_store(&running->job.cancelled, true);
    running->wanted = false;
}

/* With the lock held: returns the search of a text, or NULL.  Gives up others of the trace
   that have had no request for IDLE_MS. */
static struct running_search *find(struct searches *searches,
                                   const struct weft_source *source, const char *text,
                                   int64_t now)
{
    struct running_search *found = NULL;
    for (struct running_search *r = searches->list; r; r = r->next) {
        if (r->source != source || !r->wanted)
            continue;
        if (strcmp(r->search->text, text) == 0)
            found = r;
        else if (!r->done && now - r->asked_ms > IDLE_MS)
            give_up(r);
    }
    return found;
}

/* With the lock held: gives up the least recently requested search of a trace, if there are
   too many. */
static void make_room(struct searches *searches, const struct weft_source *source)
{
    struct running_search *oldest = NULL;
    size_t n = 0;
    for (struct running_search *r = searches->list; r; r = r->next) {
        if (r->source != source || !r->wanted)
            continue;
        n++;
        if (!oldest || r->asked < oldest->asked)
            oldest = r;
    }
    if (n >= MAX_PER_TRACE)
        give_up(oldest);
}

struct running_search *searches_hold(struct searches *searches,
                                     const struct weft_source *source, const char *text,
                                     bool *done, bool *cancelled, struct weft_err *err)
{
    pthread_mutex_lock(&searches->lock);
    int64_t now = milliseconds_now();
    struct running_search *found = find(searches, source, text, now);
    if (!found) {
        make_room(searches, source);
        found = start(searches, source, text, err);
    }
    if (found) {
        found->held++;
        found->asked = ++searches->n_asked;
        found->asked_ms = now;
        *done = found->done;
        *cancelled = weft_job_cancelled(&found->job);
    }
    struct running_search *old = sweep(searches);
    pthread_mutex_unlock(&searches->lock);
    destroy_all(old);
    return found;
}

struct weft_search *searches_search(struct running_search *running)
{
    return running->search;
}

void searches_release(struct searches *searches, struct running_search *running)
{
    pthread_mutex_lock(&searches->lock);
    running->held--;
    struct running_search *old = sweep(searches);
    pthread_mutex_unlock(&searches->lock);
    destroy_all(old);
}

void searches_forget(struct searches *searches, const struct weft_source *source)
{
    struct running_search *old = NULL;
    pthread_mutex_lock(&searches->lock);
    for (struct running_search **at = &searches->list; *at;) {
        struct running_search *running = *at;
        if (running->source != source) {
            at = &running->next;
            continue;
        }
        WEFT_REQUIRE(!running->held, "a search of a trace that is closed is in use");
        atomic_store(&running->job.cancelled, true);
        *at = running->next;
        running->next = old;
        old = running;
    }
    pthread_mutex_unlock(&searches->lock);
    destroy_all(old);
}
