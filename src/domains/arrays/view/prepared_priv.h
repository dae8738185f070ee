/* SPDX-License-Identifier: Apache-2.0 */
/* Cache keys of counts of references, and the profile and distributions that are held while
   these are counted.  Shared by the files that implement prepared.h. */
#ifndef WEFT_VIEW_ARRAYS_PREPARED_PRIV_H
#define WEFT_VIEW_ARRAYS_PREPARED_PRIV_H

#include "domains/arrays/view/prepared.h"

/* The inputs of counts, held while they are computed. */
struct arrays_held {
    const struct weft_held *profile, *distributions; /* distributions: NULL if none */
    /* `profile` and `distributions` are set, the rest is 0: the caller fills it in. */
    struct weft_count_query query;
};

/* Returns a cache key for counts, in the question's arena, and sets *TOTAL to its length in
   bytes: the SIZE bytes of KEY, then q->text, the directives, without its NUL. */
void *arrays_make_key(const struct arrays_question *q, const void *key, size_t size,
                      size_t *total);
/*
 * Gets, into *HELD, the profile of the first trace of ARGS, and the distributions whose
 * text follows SIZE bytes in args->parameters, a key of arrays_make_key(); none if that
 * text is empty.  Returns true, and then arrays_let_go() releases both; or false, with
 * nothing to release, with the errors of weft_profile_open() or weft_distributions_parse().
 */
bool arrays_hold(const struct weft_prepare_args *args, size_t size,
                 struct arrays_held *held, struct weft_err *err) WEFT_MUST_CHECK;
/* Releases what arrays_hold() got; held->query is then void. */
void arrays_let_go(struct arrays_held *held);

#endif
