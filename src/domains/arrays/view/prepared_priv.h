/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that implement prepared.h. */
#ifndef WEFT_VIEW_ARRAYS_PREPARED_PRIV_H
#define WEFT_VIEW_ARRAYS_PREPARED_PRIV_H

#include "domains/arrays/view/prepared.h"

/* The inputs of counts, held while they are computed. */
struct arrays_held {
    const struct weft_held *profile, *distributions; /* distributions: NULL if none */
    struct weft_count_query query; /* with these two; the caller fills in the rest */
};

/* Makes the cache key of counts in the question's arena, of *TOTAL bytes: KEY of SIZE
   bytes, then the text of the distributions. */
void *arrays_make_key(const struct arrays_question *q, const void *key, size_t size,
                      size_t *total);
/* Gets the profile, and the distributions of a key of arrays_make_key(), SIZE bytes of
   which come before their text.  Returns false with *ERR; else arrays_let_go() releases
   both. */
bool arrays_hold(const struct weft_prepare_args *args, size_t size,
                 struct arrays_held *held, struct weft_err *err) WEFT_MUST_CHECK;
void arrays_let_go(struct arrays_held *held);

#endif
