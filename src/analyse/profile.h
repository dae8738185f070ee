/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of a part of a trace: how much running time each function, each line and
 * each call stack had, by its samples (WEFT_ROLE_SAMPLE); or how long threads waited in
 * them, by their states.  A sample or wait without a call stack counts as one of an unknown
 * function.
 */
#ifndef WEFT_ANALYSE_PROFILE_H
#define WEFT_ANALYSE_PROFILE_H

#include "base/err.h"
#include "base/job.h"
#include "base/memory.h"
#include "store/source.h"

/* The samples, or waits, of one thread with one call stack and one place. */
struct weft_profile_stack {
    uint32_t track;
    uint32_t text;  /* of the call stack, a string of the schema; WEFT_NONE: none */
    uint32_t site;  /* place of the innermost function; WEFT_NONE: unknown */
    uint64_t count; /* samples, or waits */
    int64_t ticks;  /* of running that they stand for, or of waiting */
};

/* weft_profile_read() fills it, weft_profile_free() frees it. */
struct weft_profile {
    struct weft_profile_stack *stacks; /* [n_stacks], in order of tracks */
    size_t n_stacks;
    uint64_t count; /* all samples, or waits */
    int64_t ticks;
};

/* A question: the samples or waits that a profile is made of. */
struct weft_profile_query {
    const struct weft_source *source;
    uint32_t under;          /* a container: only the samples of its subtree */
    const uint8_t *member;   /* [n_containers] 0: not the samples of this one; NULL: all */
    struct weft_span window; /* only samples, or parts of waits, in it */
    bool waits;           /* states in which threads were blocked or slept; not samples */
    struct weft_job *job; /* or NULL */
};

/*
 * Sets *PROFILE.  Reads all samples or states of the window.  Returns false with
 * WEFT_ERR_CANCELLED, and nothing to free.
 */
bool weft_profile_read(const struct weft_profile_query *query, struct weft_profile *profile,
                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_profile_free(struct weft_profile *profile);

/* Returns true if a trace has samples that say for how much running each stands. */
bool weft_has_samples(const struct weft_schema *schema);

/*
 * Returns the next name of a call stack from *AT on, which is its text at first, and sets
 * *SIZE to its bytes, and *AT behind it: NULL after the last.  Returns NULL if *AT is NULL.
 */
const char *weft_profile_name(const char **at, size_t *size);

#endif
