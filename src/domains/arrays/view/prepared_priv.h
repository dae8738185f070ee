/* SPDX-License-Identifier: Apache-2.0 */
/* Cache keys of counts of references, and the profile and distributions that are held while
   these are counted.  Shared by the files that implement prepared.h. */
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
/*
 * Gets the profile of a trace, and the distributions of a key of arrays_make_key(), in
 * which SIZE bytes come before their text.  Returns true, and then arrays_let_go() releases
 * both; or false with the errors of weft_profile_open() or weft_distributions_parse().
 */
bool arrays_hold(const struct weft_prepare_args *args, size_t size,
                 struct arrays_held *held, struct weft_err *err) WEFT_MUST_CHECK;
void arrays_let_go(struct arrays_held *held);

#endif
