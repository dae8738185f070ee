/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states, events and links that a request selects (analyse/where_selection.h): the
 * longest of them, or the first, for the views that list them.  They are prepared once for
 * a window and a selection, so that the pages of a table do not search the trace again.
 */
#ifndef WEFT_VIEW_REQUESTED_ENTITIES_H
#define WEFT_VIEW_REQUESTED_ENTITIES_H

#include "analyse/where_selection.h"
#include "analyse/who_ended_wait.h"
#include "view/view.h"

/* The setting "where", which things_find() reads: an initializer of struct
   weft_parameter. */
#define SELECTED_THINGS                                                                    \
 {                                                                                         \
  .name = "where", .kind = WEFT_PARAMETER_TEXT, .fallback = "",                            \
  .help = "only these (doc/selections.md): blocked and duration > 1ms", .offered = true    \
 }

/* The states, events and links that things_find() found; the shelf owns them. */
struct things {
    struct weft_thing *list; /* in the order that was asked for */
    size_t n;
    uint64_t matched; /* how many there are, listed or not */
};

/*
 * Returns the things that the request's setting "where" selects in its window and subtree
 * of the first trace: at most MOST, the longest first, or (BY_TIME) those that begin first,
 * in that order; valid until the answer is complete.  NULL with WEFT_ERR_USAGE if the
 * selection is wrong, or WEFT_ERR_CANCELLED.
 */
const struct things *things_find(const struct weft_request *request, bool by_time,
                                 size_t most, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns what tells the partners and wakers of the waits of REQUEST's first trace
 * (analyse/who_ended_wait.h), kept in the shelf, so that a server makes it once; valid
 * until the answer is complete.  NULL with *ERR, such as WEFT_ERR_CANCELLED.
 */
const struct weft_wait_ends_finder *things_wait_ends(const struct weft_request *request,
                                                     struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true if the first trace of SET has states, events or links. */
bool things_fill(const struct weft_set *set);

#endif
