/* SPDX-License-Identifier: Apache-2.0 */
#include "view/messages/messages.h"

#include <stdlib.h>

static bool make_processors(const struct weft_making *making, void **thing, size_t *bytes,
                            struct weft_err *err)
{
    struct weft_processors *processors =
        weft_processors_make(making->set->sources[0], making->job, err);
    if (!processors)
        return false;
    *thing = processors;
    *bytes = weft_processors_bytes(processors);
    return true;
}

static void free_processors(void *thing)
{
    weft_processors_free(thing);
}

const struct weft_preparation weft_prepared_processors = { "processors", make_processors,
                                                           free_processors };

const struct weft_processors *weft_use_processors(struct weft_use *use,
                                                  struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    return weft_use_get(use, &weft_prepared_processors, &one, NULL, 0, err);
}

bool weft_set_has_processors(const struct weft_set *set)
{
    return weft_has_processors(set->sources[0]);
}

/* ---- Messages ---- */

struct kept_traffic {
    struct weft_traffic *traffic;
    const struct weft_held *processors; /* which the traffic refers to */
};

static void free_traffic(void *thing)
{
    struct kept_traffic *kept = thing;
    weft_traffic_free(kept->traffic);
    weft_release(kept->processors);
    free(kept);
}

static bool make_traffic(const struct weft_making *making, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    struct kept_traffic kept;
    kept.processors = weft_prepare(making->shelf, &weft_prepared_processors, making->set,
                                   NULL, 0, making->job, err);
    if (!kept.processors)
        return false;
    kept.traffic = weft_traffic_make(making->set->sources[0], kept.processors->thing,
                                     making->job, err);
    if (!kept.traffic) {
        weft_release(kept.processors);
        return false;
    }
    struct kept_traffic *out = weft_alloc(sizeof *out);
    *out = kept;
    *thing = out;
    *bytes = sizeof *out + weft_traffic_bytes(kept.traffic);
    return true;
}

const struct weft_preparation weft_prepared_traffic = { "traffic", make_traffic,
                                                        free_traffic };

const struct weft_traffic *weft_use_traffic(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    const struct kept_traffic *kept =
        weft_use_get(use, &weft_prepared_traffic, &one, NULL, 0, err);
    return kept ? kept->traffic : NULL;
}

const struct weft_traffic *weft_traffic_of_held(const struct weft_held *held)
{
    return ((const struct kept_traffic *)held->thing)->traffic;
}

bool weft_set_has_traffic(const struct weft_set *set)
{
    return weft_set_has_processors(set) && weft_has_traffic(set->sources[0]->schema);
}
