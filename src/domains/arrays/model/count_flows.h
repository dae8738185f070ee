/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the flows of one step after the other.  Used in this folder only. */
#ifndef WEFT_ARRAY_COUNT_FLOWS_H
#define WEFT_ARRAY_COUNT_FLOWS_H

#include "domains/arrays/model/count_priv.h"

struct count_flows {
    const struct weft_profile *profile;
    struct array_work *work;
    /* Called at the end of a step for each pair of processors with references, in order. */
    void (*visit)(void *user, const struct weft_flow *flow);
    void *user;

    struct count_roles *patterns; /* of the current step */
    size_t n_patterns, pattern_capacity;
    struct flow_box **boxes;
    size_t n_boxes, box_capacity;
    struct contribution *contributions;
    size_t n_contributions, contribution_capacity;
    struct weft_arena arena;
    uint64_t words; /* memory left for the unions of the step, in 64-bit words */
};

void count_flows_add(struct count_flows *flows, const struct count_roles *roles);
void count_flows_end_step(struct count_flows *flows);
void count_flows_free(struct count_flows *flows);

#endif
