/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of a part of a trace: how much running time each function, each line and
 * each call stack had, by its samples (WEFT_ROLE_SAMPLE); or how long threads waited in
 * them, by their states.  A sample or wait without a call stack counts as one of an unknown
 * function.
 */
#ifndef WEFT_ANALYSE_CALL_STACK_PROFILE_H
#define WEFT_ANALYSE_CALL_STACK_PROFILE_H

#include "base/err.h"
#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/* The samples, or waits, of one thread with one call stack and one place. */
struct weft_profile_stack {
    uint32_t track; /* the thread's samples or states: an index in schema->tracks */
    uint32_t text;  /* the call stack's, an index in schema->strings; WEFT_NONE: none */
    uint32_t site;  /* the innermost function's, an index in schema->sites; or WEFT_NONE */
    uint64_t count; /* samples in the window, or waits of which some time is in it */
    int64_t ticks;  /* of running that they stand for, or of waiting within the window */
};

/*
 * How much running, or waiting, time each thread had with each call stack; made by
 * weft_profile_read(), freed by weft_profile_free().
 */
struct weft_profile {
    struct weft_profile_stack *stacks; /* [n_stacks], in order of tracks */
    size_t n_stacks;
    uint64_t count; /* sum of the stacks': all samples, or waits */
    int64_t ticks;  /* sum of the stacks'; at most the longest time (store/time.h) */
};

/* A question: the samples or waits that a profile is made of. */
struct weft_profile_query {
    const struct weft_source *source;
    /* Index in schema->containers: only this one and those below; 0, the root: all. */
    uint32_t under;
    /* [n_containers], by index in schema->containers: 0: leave it out; NULL: leave none
       out */
    const uint8_t *member;
    struct weft_span window; /* ticks: only samples, or parts of waits, in it */
    /* [n_spans] in order of time, disjoint: of the samples only those in one of these */
    const struct weft_span *spans;
    size_t n_spans; /* 0: all of the window */
    bool waits; /* true: states in which threads were blocked or slept; false: samples */
    struct weft_job *job; /* or NULL */
};

/*
 * Sets *PROFILE to the times by thread and call stack that QUERY asks for; the caller frees
 * it by weft_profile_free().  Without samples or waits it has no stacks.  Reads all samples
 * or states of the window.  Returns false with WEFT_ERR_CANCELLED if query->job is
 * cancelled; nothing is to be freed then.
 */
bool weft_profile_read(const struct weft_profile_query *query, struct weft_profile *profile,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the stacks, and zeroes *PROFILE. */
void weft_profile_free(struct weft_profile *profile);

/*
 * Returns true if a trace has a sample of a type that says for how much running time each
 * stands (a field WEFT_ROLE_SAMPLED_TIME); looks at tables only.
 */
bool weft_has_samples(const struct weft_schema *schema);

/*
 * Splits a call stack's text: names of functions, outermost first, with a ";" between them.
 * Returns the name at *AT (the begin of the text at first), which has *SIZE bytes (maybe 0)
 * and no NUL of its own, and sets *AT to the next one, or to NULL after the last.  Returns
 * NULL, without *SIZE, if *AT is NULL.
 */
const char *weft_profile_name(const char **at, size_t *size);
/*
 * Returns the innermost entry of a call stack's TEXT: the function that ran, or "[libc.so]"
 * if only its file is known.  It has *SIZE bytes and no NUL of its own.
 */
const char *weft_profile_innermost(const char *text, size_t *size);

#endif
