/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source above another one that groups, hides, moves, sorts, colours and renames, as a
 * chain of filters says (doc/filters.md).  It alters and copies no entity: it changes
 * tables of the schema, and leaves out hidden things when it is queried.  Ids, and the
 * indices of types, containers, tracks and values stay; groups are containers behind the
 * others, of a type behind the others.
 *
 * A hidden container stands in preorder behind the root's subtree, and its tracks are
 * empty, as are those on which everything is hidden.  Where a state is hidden, what is
 * around it shows.  The queries state, event, link and fields answer for hidden entities,
 * too: a hand with an id may ask for it.
 *
 * Costs: tracks that are shown whole are answered by the source below.  Hidden values cost
 * nothing where states do not nest; else shares and sums read the changes in the window.
 * Filters by fields or times look at each entity of the tracks that they concern, and then
 * damage of the file between changes is not told apart from "no state".
 */
#ifndef WEFT_FILTER_FILTERED_SOURCE_H
#define WEFT_FILTER_FILTERED_SOURCE_H

#include "base/err.h"
#include "store/source.h"

/*
 * Returns a source that answers from BELOW, which must outlive it, as the filters in TEXT
 * say; NULL with WEFT_ERR_USAGE, whose message names the line and the word at fault.  Costs
 * a walk over the schema's tables for each filter; `sort by share` asks for sums.
 * weft_filtered_free() frees it.
 */
struct weft_source *weft_filtered_new(const struct weft_source *below, const char *text,
                                      struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a source that weft_filtered_new() returned, not the one below; NULL is fine. */
void weft_filtered_free(struct weft_source *source);

#endif
