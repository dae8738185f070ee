/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that run, or have run: the latest four of each trace, since several users may
 * search in it.  One without a request for 2 s is cancelled when another is requested.  A
 * caller holds a search while it reads its results, and releases it.
 */
#ifndef WEFT_SERVE_SEARCHES_H
#define WEFT_SERVE_SEARCHES_H

#include "store/trace/trace.h"
#include "view/search.h"

struct searches;
struct running_search;

struct searches *searches_new(void);
void searches_free(struct searches *searches); /* cancels and waits */

/*
 * Returns the search of TEXT in TRACE, held; starts it if there is none. *DONE: it has
 * ended.  NULL with *ERR if no thread can be started for it.
 */
struct running_search *searches_hold(struct searches *searches,
                                     const struct weft_trace *trace, const char *text,
                                     bool *done, bool *cancelled,
                                     struct weft_err *err) WEFT_MUST_CHECK;
struct weft_search *searches_search(struct running_search *running);
void searches_release(struct searches *searches, struct running_search *running);

/* Before a trace is closed: ends and frees its searches, none of which may be held. */
void searches_forget(struct searches *searches, const struct weft_trace *trace);

#endif
