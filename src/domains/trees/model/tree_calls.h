/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the tree of calls of a trace.
 *
 * A type of states with nesting on some track is a type of calls, and all of its tracks are
 * rows, also those without nesting. Where no states nest, the states of types of role call
 * are the calls; without these of role communication; without these of role activity. The
 * outermost calls are children of the thread, which is the container of their track. A
 * thread with a creator (a link of the role spawn) is a child of the innermost call of its
 * creator that was open at the link's begin and ends no earlier than the thread's last
 * call; without such a call, of the creator itself. A creator without calls is replaced by
 * its own creator. A thread is a root if no creator is left, if it is among its creator's
 * creators, or if these are 64 or more.
 */
#ifndef WEFT_MODEL_TREE_CALLS_H
#define WEFT_MODEL_TREE_CALLS_H

#include "domains/trees/model/tree.h"

/*
 * Returns true if the trace has nested states, or states of types of the roles call,
 * communication or activity of threads that create others.  Where neither is so, the tree
 * that weft_tree_read_calls() makes has no depth.
 */
bool weft_tree_has_calls(const struct weft_schema *schema);
/*
 * Returns the tree of calls of a trace, to be freed with weft_tree_free(): a node for each
 * call (a state), and one for each thread with calls. NULL with WEFT_ERR_LIMIT for more
 * than 64 million calls or WEFT_TREE_MAX_PES rows, WEFT_ERR_FORMAT without calls, or
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_tree *weft_tree_read_calls(const struct weft_source *source,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
