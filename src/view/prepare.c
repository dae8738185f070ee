/* SPDX-License-Identifier: Apache-2.0 */
#include "view/prepare.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOURCES = 8 };

struct thing {
    const struct weft_preparation *preparation;
    const struct weft_source *sources[MOST_SOURCES];
    size_t n_sources;
    bool ready;
    void *prepared;
    struct thing *next;
};

struct weft_shelf {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct thing *things;
};

struct weft_shelf *weft_shelf_new(void)
{
    struct weft_shelf *shelf = weft_zalloc(1, sizeof *shelf);
    pthread_mutex_init(&shelf->mutex, NULL);
    pthread_cond_init(&shelf->changed, NULL);
    return shelf;
}

static void free_thing(struct thing *thing)
{
    if (thing->ready)
        thing->preparation->free(thing->prepared);
    free(thing);
}

void weft_shelf_free(struct weft_shelf *shelf)
{
    if (!shelf)
        return;
    for (struct thing *next; shelf->things; shelf->things = next) {
        next = shelf->things->next;
        free_thing(shelf->things);
    }
    pthread_cond_destroy(&shelf->changed);
    pthread_mutex_destroy(&shelf->mutex);
    free(shelf);
}

void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source)
{
    pthread_mutex_lock(&shelf->mutex);
    for (struct thing **at = &shelf->things; *at;) {
        struct thing *thing = *at;
        bool of_it = false;
        for (size_t i = 0; i < thing->n_sources; i++)
            of_it |= thing->sources[i] == source;
        if (of_it) {
            *at = thing->next;
            free_thing(thing);
        } else {
            at = &thing->next;
        }
    }
    pthread_mutex_unlock(&shelf->mutex);
}

static struct thing *find(const struct weft_shelf *shelf,
                          const struct weft_preparation *preparation,
                          const struct weft_set *set)
{
    for (struct thing *thing = shelf->things; thing; thing = thing->next)
        if (thing->preparation == preparation && thing->n_sources == set->n_sources
            && memcmp(thing->sources, set->sources, set->n_sources * sizeof *set->sources)
                   == 0)
            return thing;
    return NULL;
}

static void take_away(struct weft_shelf *shelf, struct thing *thing)
{
    struct thing **at = &shelf->things;
    while (*at != thing)
        at = &(*at)->next;
    *at = thing->next;
    free(thing);
}

bool weft_prepare(struct weft_shelf *shelf, const struct weft_view *view,
                  struct weft_request *request, struct weft_err *err)
{
    const struct weft_preparation *preparation = view->preparation;
    if (!preparation || request->set->n_sources > MOST_SOURCES)
        return true;
    pthread_mutex_lock(&shelf->mutex);
    struct thing *thing;
    while ((thing = find(shelf, preparation, request->set)) && !thing->ready)
        pthread_cond_wait(&shelf->changed, &shelf->mutex);
    bool ok = true;
    if (!thing) {
        thing = weft_zalloc(1, sizeof *thing);
        thing->preparation = preparation;
        thing->n_sources = request->set->n_sources;
        memcpy(thing->sources, request->set->sources,
               thing->n_sources * sizeof *thing->sources);
        thing->next = shelf->things;
        shelf->things = thing;
        pthread_mutex_unlock(&shelf->mutex);
        void *prepared = NULL;
        ok = preparation->make(request->set, request->job, &prepared, err);
        pthread_mutex_lock(&shelf->mutex);
        thing->prepared = prepared;
        thing->ready = ok;
        if (!ok)
            take_away(shelf, thing);
        pthread_cond_broadcast(&shelf->changed);
    }
    if (ok)
        request->prepared = thing->prepared;
    pthread_mutex_unlock(&shelf->mutex);
    return ok;
}
