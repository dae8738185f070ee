/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the timeline of a task DAG's workers, which has a lane (row; column if time goes
 * down) for each worker: dag_timeline.c reads the settings, begins the frame and makes the
 * table, dag_lanes.c draws the nodes.
 */
#ifndef WEFT_VIEW_TASKS_DAG_LANES_H
#define WEFT_VIEW_TASKS_DAG_LANES_H

#include "domains/tasks/view/dag_contracted_work.h"
#include "domains/tasks/view/dag_picture_priv.h"

enum {
    /* Nodes drawn as boxes; if there are more, pixel columns show shares of time. */
    DAG_MAX_BOXES = 5000,
    DAG_MAX_LABELS = 64, /* labels in a legend */
    DAG_KNOWN = 128,     /* states whose nodes are looked up at once */
};

/* A steal: a node, by its number in the DAG, that the worker of lane number BY ran and the
   worker of lane number FROM had made ready. */
struct dag_steal {
    uint32_t node, by, from;
};

/* A picture of the timeline of a DAG's workers while it is drawn; dag_timeline.c makes
   and frees it, arrays are in the request's arena.  A lane is the row (column) of one
   worker. */
struct dag_lanes {
    struct dag_picture p; /* source, DAG, colours and frame; the layout is unused */
    const struct dag_contracted *contracted; /* how much of contracted nodes was work */
    bool down, delays, steals; /* time goes down; delays are drawn; steals are drawn */
    struct weft_span window;   /* the time that is shown */
    uint32_t n, drawn; /* number of lanes; the first DRAWN of them are in the picture */
    uint32_t *workers; /* [n], worker number of each lane */
    uint32_t *lanes;   /* by worker number: its lane, or WEFT_NONE */
    uint32_t *tracks;  /* [n], track of the states of each lane's worker, or WEFT_NONE */
    struct weft_rect plot; /* part of the picture that has the lanes, in pixels */
    struct weft_legend_entry *legend; /* [n_legend], room for DAG_MAX_LABELS */
    size_t n_legend;
    uint32_t lane;                    /* the lane that is being drawn */
    double lost_until;                /* end of its last unreadable node, in pixels */
    uint32_t known_track;             /* track of the states in `known` */
    uint64_t known_first;             /* number of the first such state on the track */
    uint32_t known[DAG_KNOWN];        /* nodes of DAG_KNOWN states from that one on */
    struct weft_swatch *value_colors; /* by value of the trace: as in its timeline */
    uint64_t n_waits;                 /* waits for tasks drawn so far */
    uint64_t n_boxes;                 /* nodes drawn as boxes so far */
    struct dag_steal *stolen;         /* [n_stolen], room for DAG_MAX_BOXES */
    size_t n_stolen;
};

/* Returns the extent of a lane (a worker's row or column) across the time axis, in
 * pixels. */
double dag_lane_side(const struct dag_lanes *l);
/* Returns a rectangle within the lane (a worker's row or column) number LANE, in pixels:
   FROM and TO along the time axis, in pixels from the plot's begin; TOP and BOTTOM across
   it, as shares of dag_lane_side(), 0 to 1. */
struct weft_rect dag_part_of_lane(const struct dag_lanes *l, uint32_t lane, double from,
                                  double to, double top, double bottom);
/* Returns the number of the worker that made NODE ready by a create (NODE is the new task's
   first node, or what follows the create) if another worker ran NODE; -1 if no create made
   it ready, it became ready later, by a dependence, that worker ran it itself, or either is
   unknown.  ALL: NODE's fields. */
int32_t dag_stolen_from(const struct dag_lanes *l, uint32_t node,
                        const struct weft_dag_node *all);
/* Draws the nodes of each lane (a worker's row or column) into the scene, as boxes, or as
   shares of time in pixel columns if they are too many; fills l->legend and, of nodes drawn
   as boxes, l->stolen. */
void dag_draw_lanes(struct dag_lanes *l);
/* Draws a line for each steal (a node that another worker made ready) that dag_draw_lanes()
   found, over all boxes. */
void dag_draw_steals(struct dag_lanes *l);
/* Draws the orders (struct weft_dag_order) of the marked node and of the task that it is a
   part of, as lines between lanes; no effect if no node is marked. */
void dag_draw_orders_of_marked(struct dag_lanes *l);

#endif
