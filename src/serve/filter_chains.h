/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the filtered sources (filter/filtered_source.h) that requests ask for, by trace and
 * text: every frame of a panel asks for the same one.  The latest 16 without a request are
 * kept.  Any thread may call these functions.
 */
#ifndef WEFT_SERVE_FILTER_CHAINS_H
#define WEFT_SERVE_FILTER_CHAINS_H

#include "serve/searches.h"

struct weft_shelf;

/* The filtered sources of a server. */
struct filter_chains;

/*
 * Returns an empty set, which filter_chains_free() frees.  Before a source is freed, SHELF
 * and SEARCHES forget it; they must outlive the use of the set, but not its freeing.
 */
struct filter_chains *filter_chains_new(struct weft_shelf *shelf,
                                        struct searches *searches);
/*
 * Frees all sources, of which none is held, and CHAINS (may be NULL).  Call it when the
 * shelf and the searches are freed, and before the traces are closed.
 */
void filter_chains_free(struct filter_chains *chains);
/*
 * Returns TRACE as the filters in TEXT leave it, held until filter_chains_release(); NULL
 * with WEFT_ERR_USAGE, whose message names the line and the word at fault.
 */
const struct weft_source *filter_chains_hold(struct filter_chains *chains,
                                             const struct weft_trace *trace,
                                             const char *text,
                                             struct weft_err *err) WEFT_MUST_CHECK;
/* Ends a hold on SOURCE, which must not be used any more. */
void filter_chains_release(struct filter_chains *chains, const struct weft_source *source);
/* Frees the sources above TRACE, which is about to be closed; aborts if one is held. */
void filter_chains_forget(struct filter_chains *chains, const struct weft_trace *trace);

#endif
