/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the state summary: its numbers, and its picture. */
#ifndef WEFT_VIEW_STATE_SUMMARY_PRIV_H
#define WEFT_VIEW_STATE_SUMMARY_PRIV_H

#include "analyse/durations.h"
#include "analyse/track_state_times.h"
#include "analyse/where.h"
#include "store/time.h"
#include "view/view.h"

/* The setting `by`: a group for each value, each container and type, each type, or each
   container and value. */
enum by { BY_VALUE, BY_CONTAINER, BY_TYPE, BY_EACH };

struct group {
    uint32_t type;
    const char *name;
    uint32_t value;                  /* BY_VALUE, BY_EACH: for its colour; else WEFT_NONE */
    uint32_t track;                  /* BY_EACH */
    struct weft_durations durations; /* not clipped */
    int64_t total, self;
    unsigned order; /* weft_type_order and weft_value_order: the most relevant first */
    double lived;   /* ticks that its tracks' containers lived in the window */
    int64_t p50, p95, p99;
};

struct summary {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_type_values of_types;
    struct weft_span window;
    struct weft_where_query query; /* the states that count; where NULL: all */
    enum by by;
    const char **labels; /* of containers, if they are named; else NULL */
    const char **type_names;
    uint32_t *tracks;
    size_t n_tracks;
    size_t n_groups;
    struct group *groups; /* by value; or by track's container and type; or by type */
    uint32_t *group_of_track;
    size_t parts;
    struct group *partial; /* [parts][n_groups] */
    struct weft_job *job;
};

/*
 * Returns the mean duration of the states of GROUP in ns, exact to the nanosecond even if
 * the trace's clock is coarser.
 */
static inline int64_t mean_ns(const struct weft_schema *schema, const struct group *group)
{
    return weft_mean_to_ns(schema, group->durations.sum, group->durations.count);
}

/* Begins the picture *OUT, which may be uninitialized, and draws a bar for each group of S,
   in the order of s->groups. */
void state_summary_draw(const struct weft_request *request, const struct summary *s,
                        struct weft_scene *out);

#endif
