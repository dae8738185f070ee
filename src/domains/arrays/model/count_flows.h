/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the communication between processors (struct weft_flow in count.h), one step
   after the other.  Used in this folder only. */
#ifndef WEFT_ARRAY_COUNT_FLOWS_H
#define WEFT_ARRAY_COUNT_FLOWS_H

#include "domains/arrays/model/count_priv.h"

/* The computation of flows (struct weft_flow: the communication from one processor to
   another), one step after the other; the caller sets the first four fields and zeroes the
   rest, which is private. */
struct count_flows {
    const struct weft_profile *profile; /* of the patterns */
    struct array_work *work;            /* that of the whole count */
    /* Called at the end of a step for each flow of the step, sorted by (from, to). */
    void (*visit)(void *user, const struct weft_flow *flow);
    void *user; /* the first argument of `visit` */

    struct count_roles *patterns; /* of the current step */
    size_t n_patterns, pattern_capacity;
    struct flow_box **boxes; /* boxes of these patterns, and their parts */
    size_t n_boxes, box_capacity;
    struct contribution *contributions; /* of each pair of processors of a box to a flow */
    size_t n_contributions, contribution_capacity;
    struct weft_arena arena;
    uint64_t words; /* memory left for the unions of the step, in 64-bit words */
};

/*
 * Adds the references of a pattern to the current step, which lasts until
 * count_flows_end_step().  ROLES (the pattern, and how the processors of its references are
 * found) is copied, but its distributions must live until then.  The caller has set
 * profile, work, visit and user of *FLOWS, and zeroed the rest, before the first call.
 */
void count_flows_add(struct count_flows *flows, const struct count_roles *roles);
/*
 * Calls flows->visit for each flow of the current step (from one processor to another, of
 * one occurrence of the step: messages is 1), sorted by (from, to), and begins the next
 * step.  Flows are missing if array_work_end() of flows->work returns false; the caller
 * checks that.
 */
void count_flows_end_step(struct count_flows *flows);
/* Frees the memory, not FLOWS itself; a step that has begun is dropped.  Call it once. */
void count_flows_free(struct count_flows *flows);

#endif
