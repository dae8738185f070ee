/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs searches (view/search.h) in the background, and keeps the latest four of each trace,
 * since several users may search in it.  A search that nobody has requested for 2 s is
 * cancelled when another is requested.  A caller holds a search while it reads the results.
 */
#ifndef WEFT_SERVE_SEARCHES_H
#define WEFT_SERVE_SEARCHES_H

#include "store/trace/trace.h"
#include "view/search.h"

/* The searches of all traces of a server, each on a thread of its own. */
struct searches;
/* One search of a text in a trace, running or ended. */
struct running_search;

/* Returns an empty set of searches, which searches_free() frees; never NULL. */
struct searches *searches_new(void);
/* Cancels all searches, waits for their threads and frees SEARCHES (may be NULL). */
void searches_free(struct searches *searches);

/*
 * Returns the search of TEXT in SOURCE, held until searches_release(); starts it on a
 * thread of its own if there is none.  Sets *DONE: it has ended, its results are complete
 * unless *CANCELLED: it was or will be ended early.  Cancels running searches of other
 * texts in SOURCE that nobody has requested for 2 s, and the least recent one beyond four.
 * SOURCE must live until searches_forget().  NULL with WEFT_ERR_READ if no thread can
 * be started for it.
 */
struct running_search *searches_hold(struct searches *searches,
                                     const struct weft_source *source, const char *text,
                                     bool *done, bool *cancelled,
                                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the results of RUNNING, which the caller holds; never NULL.  While the search
 * runs only its atomic counts may be read (view/search.h).  They are freed with the search.
 */
struct weft_search *searches_search(struct running_search *running);
/* Ends the hold on RUNNING, from searches_hold(); its results must not be read any more. */
void searches_release(struct searches *searches, struct running_search *running);

/*
 * Cancels, waits for and frees the searches of SOURCE, which is about to be freed.  Aborts
 * if one of them is held.
 */
void searches_forget(struct searches *searches, const struct weft_source *source);

#endif
