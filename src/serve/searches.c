/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/searches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct running_search {
    const struct weft_trace *trace;
    struct weft_search *search;
    struct weft_job job;
    pthread_t thread;
    bool has_thread, done, latest;
    unsigned held;
    struct searches *searches;
    struct running_search *next;
};

struct searches {
    pthread_mutex_t lock;
    struct running_search *list;
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

/* With the lock held: take out the searches that have ended, are not the latest and are not
 * held.  The caller destroys them. */
static struct running_search *sweep(struct searches *searches)
{
    struct running_search *old = NULL;
    for (struct running_search **at = &searches->list; *at;) {
        struct running_search *running = *at;
        if (!running->latest && running->done && !running->held) {
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

/* With the lock held. */
static struct running_search *start(struct searches *searches,
                                    const struct weft_trace *trace, const char *text)
{
    struct running_search *running = weft_zalloc(1, sizeof *running);
    running->trace = trace;
    running->search = weft_search_new(weft_trace_source(trace), text);
    running->latest = true;
    running->searches = searches;
    running->next = searches->list;
    searches->list = running;
    running->has_thread = pthread_create(&running->thread, NULL, run, running) == 0;
    running->done = !running->has_thread;
    return running;
}

struct running_search *searches_hold(struct searches *searches,
                                     const struct weft_trace *trace, const char *text,
                                     bool *done, bool *cancelled)
{
    struct running_search *found = NULL;
    pthread_mutex_lock(&searches->lock);
    for (struct running_search *r = searches->list; r; r = r->next) {
        if (r->trace != trace || !r->latest)
            continue;
        if (strcmp(r->search->text, text) == 0) {
            found = r;
        } else {
            atomic_store(&r->job.cancelled, true);
            r->latest = false;
        }
    }
    if (!found)
        found = start(searches, trace, text);
    found->held++;
    *done = found->done;
    *cancelled = weft_job_cancelled(&found->job);
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

void searches_forget(struct searches *searches, const struct weft_trace *trace)
{
    struct running_search *old = NULL;
    pthread_mutex_lock(&searches->lock);
    for (struct running_search **at = &searches->list; *at;) {
        struct running_search *running = *at;
        if (running->trace != trace) {
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
