/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/filter_chains.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/filtered_source.h"
#include "view/prepare.h"

enum { MAX_IDLE = 16 }; /* sources that are kept without a request */

struct chain {
    const struct weft_trace *trace;
    char *text;
    struct weft_source *source;
    unsigned held;
    uint64_t asked; /* the number of the latest hold */
    struct chain *next;
};

struct filter_chains {
    pthread_mutex_t lock;
    struct chain *list;
    uint64_t n_asked;
    struct weft_shelf *shelf;
    struct searches *searches;
};

struct filter_chains *filter_chains_new(struct weft_shelf *shelf, struct searches *searches)
{
    struct filter_chains *chains = weft_zalloc(1, sizeof *chains);
    pthread_mutex_init(&chains->lock, NULL);
    chains->shelf = shelf;
    chains->searches = searches;
    return chains;
}

static void free_chain(struct chain *chain)
{
    weft_filtered_free(chain->source);
    free(chain->text);
    free(chain);
}

void filter_chains_free(struct filter_chains *chains)
{
    if (!chains)
        return;
    while (chains->list) {
        struct chain *next = chains->list->next;
        WEFT_REQUIRE(!chains->list->held, "a filtered source is in use");
        free_chain(chains->list);
        chains->list = next;
    }
    pthread_mutex_destroy(&chains->lock);
    free(chains);
}

/* With the lock held: returns the chain of TEXT, counted once more; NULL: there is none. */
static struct chain *find(struct filter_chains *chains, const struct weft_trace *trace,
                          const char *text)
{
    struct chain *found = chains->list;
    while (found && (found->trace != trace || strcmp(found->text, text) != 0))
        found = found->next;
    if (found) {
        found->held++;
        found->asked = ++chains->n_asked;
    }
    return found;
}

/* With the lock held: takes out the idle chain that was asked for least recently, if there
 * are too many; the caller forgets it. */
static struct chain *take_oldest(struct filter_chains *chains)
{
    struct chain **oldest = NULL;
    size_t n = 0;
    for (struct chain **at = &chains->list; *at; at = &(*at)->next) {
        n += !(*at)->held;
        if (!(*at)->held && (!oldest || (*at)->asked < (*oldest)->asked))
            oldest = at;
    }
    if (n <= MAX_IDLE)
        return NULL;
    struct chain *old = *oldest;
    *oldest = old->next;
    return old;
}

/* Frees CHAIN, which was taken out and is not held; NULL is fine. */
static void forget_chain(const struct filter_chains *chains, struct chain *chain)
{
    if (!chain)
        return;
    searches_forget(chains->searches, chain->source);
    weft_shelf_forget(chains->shelf, chain->source);
    free_chain(chain);
}

const struct weft_source *filter_chains_hold(struct filter_chains *chains,
                                             const struct weft_trace *trace,
                                             const char *text, struct weft_err *err)
{
    pthread_mutex_lock(&chains->lock);
    struct chain *found = find(chains, trace, text), *fresh = NULL;
    pthread_mutex_unlock(&chains->lock);
    if (found)
        return found->source;
    struct weft_source *source = weft_filtered_new(weft_trace_source(trace), text, err);
    if (!source)
        return NULL;
    fresh = weft_zalloc(1, sizeof *fresh);
    *fresh = (struct chain){ .trace = trace, .text = weft_strdup(text), .source = source };
    pthread_mutex_lock(&chains->lock);
    found = find(chains, trace, text); /* another request may have made it meanwhile */
    if (!found) {
        fresh->next = chains->list;
        chains->list = fresh;
        found = find(chains, trace, text);
        fresh = NULL;
    }
    pthread_mutex_unlock(&chains->lock);
    if (fresh)
        free_chain(fresh);
    return found->source;
}

void filter_chains_release(struct filter_chains *chains, const struct weft_source *source)
{
    pthread_mutex_lock(&chains->lock);
    for (struct chain *c = chains->list; c; c = c->next)
        c->held -= c->source == source;
    struct chain *old = take_oldest(chains);
    pthread_mutex_unlock(&chains->lock);
    forget_chain(chains, old);
}

void filter_chains_forget(struct filter_chains *chains, const struct weft_trace *trace)
{
    struct chain *old = NULL;
    pthread_mutex_lock(&chains->lock);
    for (struct chain **at = &chains->list; *at;) {
        struct chain *chain = *at;
        if (chain->trace != trace) {
            at = &chain->next;
            continue;
        }
        WEFT_REQUIRE(!chain->held, "a filtered source of a closed trace is in use");
        *at = chain->next;
        chain->next = old;
        old = chain;
    }
    pthread_mutex_unlock(&chains->lock);
    while (old) {
        struct chain *next = old->next;
        forget_chain(chains, old);
        old = next;
    }
}
