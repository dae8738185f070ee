/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the timeline of a task DAG's workers: dag_timeline.c reads the settings, begins the frame
 * and has the table, dag_lanes.c draws what the workers ran.
 */
#ifndef WEFT_VIEW_TASKS_DAG_LANES_H
#define WEFT_VIEW_TASKS_DAG_LANES_H

#include "domains/tasks/view/dag_contracted.h"
#include "domains/tasks/view/dag_picture.h"

enum {
    DAG_MOST_BOXES =
        5000, /* in a picture; where there are more, columns show shares of time */
    DAG_MOST_LABELS = 64, /* of a legend */
    DAG_KNOWN = 128,      /* states whose nodes are looked up at once */
};

struct dag_steal {
    uint32_t node, by, from; /* lanes */
};

struct dag_lanes {
    struct dag_picture p; /* its source, DAG, colours and frame; no layout */
    const struct dag_contracted *contracted;
    bool down, delays, steals;
    struct weft_span window;
    uint32_t n, drawn;
    uint32_t *workers; /* [n], their numbers, by lane */
    uint32_t *lanes;   /* by number, or WEFT_NONE */
    uint32_t *tracks;  /* [n], or WEFT_NONE */
    struct weft_rect plot;
    struct weft_legend_entry *legend;
    size_t n_legend;
    uint32_t lane;        /* that is being drawn */
    double lost_until;    /* where its last node that cannot be read ends, in pixels */
    uint32_t known_track; /* of the states whose nodes are known */
    uint64_t known_first;
    uint32_t known[DAG_KNOWN];
    uint64_t n_boxes;
    struct dag_steal *stolen; /* [DAG_MOST_BOXES] */
    size_t n_stolen;
};

double dag_lane_side(const struct dag_lanes *l);
/* From FROM to TO in time; in the lane from TOP to BOTTOM, parts of its side. */
struct weft_rect dag_part_of_lane(const struct dag_lanes *l, uint32_t lane, double from,
                                  double to, double top, double bottom);
/* The worker that made a node ready when that was another one than ran it, or -1. */
int32_t dag_stolen_from(const struct dag_lanes *l, uint32_t node,
                        const struct weft_dag_node *all);
/* The nodes, as boxes or as columns; and what of them a legend has, into l->legend. */
void dag_draw_lanes(struct dag_lanes *l);
/* Over all boxes. */
void dag_draw_steals(struct dag_lanes *l);

#endif
