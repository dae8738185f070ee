/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the timeline of a task DAG's workers: dag_timeline.c reads the settings, begins
 * the frame and makes the table, dag_lanes.c draws the nodes.
 */
#ifndef WEFT_VIEW_TASKS_DAG_LANES_H
#define WEFT_VIEW_TASKS_DAG_LANES_H

#include "domains/tasks/view/dag_contracted.h"
#include "domains/tasks/view/dag_picture.h"

enum {
    /* Nodes drawn as boxes; if there are more, pixel columns show shares of time. */
    DAG_MOST_BOXES = 5000,
    DAG_MOST_LABELS = 64, /* labels in a legend */
    DAG_KNOWN = 128,      /* states whose nodes are looked up at once */
};

struct dag_steal {
    uint32_t node, by, from; /* lanes */
};

struct dag_lanes {
    struct dag_picture p; /* source, DAG, colours and frame; the layout is unused */
    const struct dag_contracted *contracted;
    bool down, delays, steals;
    struct weft_span window;
    uint32_t n, drawn;
    uint32_t *workers; /* [n], worker number of each lane */
    uint32_t *lanes;   /* lane of each worker number, or WEFT_NONE */
    uint32_t *tracks;  /* [n], track of each lane, or WEFT_NONE */
    struct weft_rect plot;
    struct weft_legend_entry *legend;
    size_t n_legend;
    uint32_t lane;             /* the lane that is being drawn */
    double lost_until;         /* end of its last unreadable node, in pixels */
    uint32_t known_track;      /* track of the states in `known` */
    uint64_t known_first;      /* number of the first of them */
    uint32_t known[DAG_KNOWN]; /* their nodes */
    uint64_t n_boxes;
    struct dag_steal *stolen; /* [DAG_MOST_BOXES] */
    size_t n_stolen;
};

double dag_lane_side(const struct dag_lanes *l);
/* The rectangle of a lane from time FROM to TO, and from TOP to BOTTOM as parts of its
   side. */
struct weft_rect dag_part_of_lane(const struct dag_lanes *l, uint32_t lane, double from,
                                  double to, double top, double bottom);
/* The worker that made a node ready if another worker ran it, else -1. */
int32_t dag_stolen_from(const struct dag_lanes *l, uint32_t node,
                        const struct weft_dag_node *all);
/* Draws the nodes, as boxes or as columns, and fills l->legend. */
void dag_draw_lanes(struct dag_lanes *l);
/* Draws arrows of steals over all boxes. */
void dag_draw_steals(struct dag_lanes *l);

#endif
