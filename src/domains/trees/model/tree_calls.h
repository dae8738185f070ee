/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the tree of calls of a trace.
 *
 * A type of states with nesting on some track is a type of calls, and all of its tracks are
 * rows, also those without nesting. The outermost calls are children of the thread, which
 * is the container of their track. A thread with a creator (a link of the role spawn) is a
 * child of the innermost call of its creator that was open at the link's begin and ends no
 * earlier than the thread's last call; without such a call, of the creator itself.
 */
#ifndef WEFT_MODEL_TREE_CALLS_H
#define WEFT_MODEL_TREE_CALLS_H

#include "domains/trees/model/tree.h"

/*
 * Returns true if the trace has nested states, or states of the roles call, communication
 * or activity.
 */
bool weft_tree_has_calls(const struct weft_schema *schema);
/*
 * Returns the tree of calls of a trace, to be freed with weft_tree_free(). NULL with
 * WEFT_ERR_LIMIT for too many calls or rows, or the errors of weft_tree_finish().
 */
struct weft_tree *weft_tree_read_calls(const struct weft_source *source,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
