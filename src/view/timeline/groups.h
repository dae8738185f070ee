/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the view of groups: which groups there are, and the numbers about them. */
#ifndef WEFT_VIEW_GROUPS_H
#define WEFT_VIEW_GROUPS_H

#include "analyse/active_members.h"
#include "view/view.h"

struct group {
    uint32_t container;
    const char *name;
    const uint8_t *active; /* [n_values] what counts as active */
    struct weft_members members;
    size_t at_once; /* how many of them lived at once at most */
};

/* The groups of a request, which may lie in each other; arrays are in its arena. */
struct groups {
    const struct weft_request *request;
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_span window; /* of the request, or its moment */
    const char *what;        /* what active members are: "at work" */
    struct group *list;      /* [n], in the order of the tree */
    size_t n;
    uint32_t *group_of; /* by container: the innermost group that holds it; WEFT_NONE */
};

/*
 * Sets *GROUPS to those that the settings `containers` and `active` of REQUEST mean.
 * Returns false with WEFT_ERR_USAGE for a setting that does not suit the trace.
 */
bool groups_find(struct groups *groups, const struct weft_request *request,
                 struct weft_err *err);
/*
 * Returns the ticks of groups->window in which exactly k members of group G were active, by
 * k, up to the number of members; the caller frees it.
 */
int64_t *groups_count_active(const struct groups *groups, size_t g, struct weft_job *job);
/*
 * Sets *OUT, zeroed before, to the sums of links between groups, which begin in the window,
 * or at a moment are under way; `from` and `to` are indices in groups->list, and those with
 * most links come first.  Links with an end in no group are left out.
 */
void groups_sum_links(const struct groups *groups, struct weft_pair_sums *out);

/* The variables of one type that a group has, in the window. */
struct group_variable {
    size_t group;
    uint32_t type;
    size_t members;        /* how many have values in the window */
    double min, mean, max; /* of all members; the mean over time */
    double sum;            /* of the members, on average over the window */
};
/* Returns the variables of all groups, *N of them, in ARENA, by group and type. */
const struct group_variable *groups_variables(const struct groups *groups,
                                              struct weft_arena *arena, size_t *n);

#endif
