/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares the relevance of a trace's rows, kept between frames: with thousands of locks it
   takes milliseconds. */
#include <stdlib.h>

#include "view/timeline/space_time.h"

struct prepared {
    struct weft_relevance relevance; /* first: a pointer to it is the prepared thing */
    struct weft_arena arena;
};

static void free_relevance(void *thing)
{
    struct prepared *prepared = thing;
    weft_arena_free(&prepared->arena);
    free(prepared);
}

static bool make_relevance(const struct weft_prepare_args *args, void **thing,
                           size_t *bytes, struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    struct prepared *prepared = weft_zalloc(1, sizeof *prepared);
    const struct weft_relevance *made = &prepared->relevance;
    if (!weft_relevance(source, &prepared->arena, args->job, &prepared->relevance, err)) {
        free_relevance(prepared);
        return false;
    }
    size_t each =
        sizeof *made->secondary + sizeof *made->waited + sizeof *made->may_be_idle;
    *thing = prepared;
    *bytes = sizeof *prepared + source->schema->n_containers * each
             + source->schema->n_tracks * sizeof *made->constant;
    return true;
}

const struct weft_preparation st_relevance_preparation = { "relevance", make_relevance,
                                                           free_relevance };
