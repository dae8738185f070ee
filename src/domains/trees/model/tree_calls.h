/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of calls of a trace of nested states.
 *
 * A type of states that nest somewhere is one of calls, and all its tracks are rows, also those
 * on which nothing happens to nest.  The outermost calls are children of their thread, whatever
 * holds their tracks.  A thread that another created (a link of the role spawn) hangs on the
 * innermost call of its creator that began before it and ended after it; where there is none,
 * on the creator itself.
 */
#ifndef WEFT_MODEL_TREE_CALLS_H
#define WEFT_MODEL_TREE_CALLS_H

#include "domains/trees/model/tree.h"

/* Are there states inside states, or calls, or states that say what a thread did? */
bool weft_tree_has_calls(const struct weft_schema *schema);
struct weft_tree *weft_tree_read_calls(const struct weft_source *source,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
