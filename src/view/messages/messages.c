/* SPDX-License-Identifier: Apache-2.0 */
#include "view/messages/messages.h"

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
