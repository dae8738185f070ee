/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the state summary: its numbers, and its picture. */
#ifndef WEFT_VIEW_STATE_TIME_STATISTICS_PRIV_H
#define WEFT_VIEW_STATE_TIME_STATISTICS_PRIV_H

#include "analyse/durations.h"
#include "analyse/track_state_times.h"
#include "analyse/where_selection.h"
#include "store/time.h"
#include "view/view.h"

/* The setting `by`: a group for each value, each track (a container and type), each type,
   or each value on each track. */
enum by { BY_VALUE, BY_CONTAINER, BY_TYPE, BY_EACH };

/* A row of the state summary: the states of a value, a track or a type (enum by). */
struct group {
    uint32_t type;    /* index in schema->types */
    const char *name; /* of the value or container; BY_TYPE: "any" */
    uint32_t value;   /* BY_VALUE, BY_EACH: index in schema->values; else WEFT_NONE */
    uint32_t track;   /* BY_EACH: index in schema->tracks */
    /* of states that overlap the window, with what lies outside it */
    struct weft_durations durations;
    /* ticks within the window: in which such a state was open; was the innermost one */
    int64_t total, self;
    unsigned order; /* weft_type_order and weft_value_order: the most relevant first */
    double lived;   /* ticks that its tracks' containers lived in the window */
    int64_t p50, p95, p99; /* quantiles of `durations`, ticks */
};

/* The state summary while it is made; its arrays are in the request's arena. */
struct summary {
    const struct weft_source *source; /* the request's first trace */
    const struct weft_schema *schema;
    struct weft_type_values of_types;
    struct weft_span window;       /* the request's */
    struct weft_where_query query; /* the states that count; where NULL: all */
    enum by by;
    const char **labels;     /* of containers, if they are named; else NULL */
    const char **type_names; /* by type: its name, made to differ from others */
    uint32_t *tracks;        /* [n_tracks], those of states that are asked for */
    size_t n_tracks;
    size_t n_groups;
    struct group *groups;     /* [n_groups], in the end the most relevant first */
    uint32_t *group_of_track; /* by track: index in groups; not BY_VALUE, BY_EACH */
    size_t parts;             /* of the work, for threads */
    struct group *partial;    /* [parts][n_groups], heap; while durations are added */
    struct weft_job *job;     /* or NULL */
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
