/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches a whole trace: values, containers and fields by a text (anywhere in the name,
 * ignoring case) or a pattern (with * or ?, which must match the whole name, or its first 4
 * KiB); places in the program also as FILE:LINE.  A hit is an entity whose value or field
 * matches; matching containers are listed apart.  A text that is a duration, "1.2 ms", also
 * finds the states and links that last so long, rounded to its digits; "> 5ms", with <, <=,
 * > or >= before it, those that are longer or shorter.
 */
#ifndef WEFT_VIEW_SEARCH_H
#define WEFT_VIEW_SEARCH_H

#include <stdatomic.h>

#include "store/source.h"

/* Intervals of the trace's span in which hits are counted: about a picture's pixels. */
enum { WEFT_SEARCH_BINS = 2048 };

/* Tells how entities of a type can match the text of a search. */
struct weft_interest {
    bool values; /* a value of the type matches */
    bool fields; /* the type has a field of texts or sites, and some text or site matches */
};

/* A search of a trace for a text, and its results so far. */
struct weft_search {
    const struct weft_source *source;
    char *text; /* its own copy */
    /* by index in the schema's tables of these names: 1 if it matches; weft_search_run()
       sets them first */
    uint8_t *values, *strings, *sites, *containers;
    bool any_value, any_field;      /* some value; some string or site matches */
    struct weft_interest *interest; /* by type */
    bool by_duration;               /* the text is a duration */
    int64_t shortest, longest;      /* ticks; then states and links between match */
    _Atomic uint32_t n_containers;  /* matching ones so far */
    _Atomic uint64_t count;         /* hits so far */
    _Atomic uint32_t bins[WEFT_SEARCH_BINS]; /* hits by begin, over the span */
};

/*
 * Makes a search of SOURCE, which must outlive it, for TEXT, which is copied; never NULL.
 * weft_search_run() runs it, weft_search_free() frees it.
 */
struct weft_search *weft_search_new(const struct weft_source *source, const char *text);
/* Frees SEARCH, which may be NULL and must not be running. */
void weft_search_free(struct weft_search *search);

/*
 * Call it once: finds the names that match (none for an empty text), then counts all hits
 * by walking every state, event and link whose type can match, by its value, its first 16
 * fields and its duration.  Another thread may read n_containers, count and bins
 * meanwhile.  Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled: the
 * counts are then too small.
 */
bool weft_search_run(struct weft_search *search, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

/* An entity that a search has found. */
struct weft_hit {
    uint64_t id;
    int64_t begin, end; /* ticks of the trace's clock; of a link, end may be before begin */
    uint32_t container; /* of its track; of a link the sender, or else the receiver */
    uint64_t number;    /* its place among all hits in order of begin, then id; from 1 */
};

/*
 * Sets *HIT to the hit next after (if BACKWARD: before) begin BEGIN and id ID, in order of
 * begin, then id; no hit needs to have these.  Returns false if there is none, or JOB (may
 * be NULL) was cancelled.  Correct only after weft_search_run() has succeeded.  Reads the
 * entities of one bin, and of each bin with hits on the way.
 */
bool weft_search_next(struct weft_search *search, int64_t begin, uint64_t id, bool backward,
                      struct weft_job *job, struct weft_hit *hit);

/*
 * Returns true if NAME contains TEXT, ignoring case.  A TEXT with * or ? is instead a
 * pattern of fnmatch(), which all of NAME (or its first 4 KiB) must match, ignoring case.
 * The caller must limit TEXT: a pattern takes time by its length.
 */
bool weft_text_matches(const char *text, const char *name);

#endif
