/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that run, or have run: the latest of each trace.  A new text cancels the search
 * before it.  A caller holds a search while it reads its results, and releases it.
 */
#ifndef WEFT_SERVE_SEARCHES_H
#define WEFT_SERVE_SEARCHES_H

#include "store/trace.h"
#include "view/search.h"

struct searches;
struct running_search;

struct searches *searches_new(void);
void searches_free(struct searches *searches); /* cancels and waits */

/* The search of TEXT in TRACE, started when it is not the latest; *done: it has ended. */
struct running_search *searches_hold(struct searches *searches,
                                     const struct weft_trace *trace, const char *text,
                                     bool *done, bool *cancelled);
struct weft_search *searches_search(struct running_search *running);
void searches_release(struct searches *searches, struct running_search *running);

/* Before a trace is closed: end and free its searches, none of which is held. */
void searches_forget(struct searches *searches, const struct weft_trace *trace);

#endif
