/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the writer of DAGs: write.c stores nodes as rows of grids, write_tracks.c as
 * states on the tracks of their workers.
 */
#ifndef WEFT_DAG_WRITE_PRIV_H
#define WEFT_DAG_WRITE_PRIV_H

#include "domains/tasks/dag/write.h"
#include "store/build/sort_runs.h"

/* Collects the leaves (and contracted nodes), which are sorted by time at the end and
   become states and variables (write_tracks.c, which has struct leaf and struct
   node_weight). */
struct dag_tracks {
    struct weft_dag_target target;
    const char *folder; /* of the temporary files; the builder's */
    /* The builder's numbers of the values of states, by kind of node; and of the states'
       type, and its fields for the node's number and its place. */
    uint32_t values[WEFT_DAG_KINDS], state_type, node_field, site_field;
    uint32_t running, ready[WEFT_DAG_EDGES]; /* types of variables */
    /* Time; number of the leaf, or of the worker of a wait, << 3 | enum boundary_kind. */
    struct weft_sort_runs moments;
    struct weft_spill leaves; /* [n_leaves] struct leaf, as they were added */
    struct weft_spill shares; /* [n_shares] struct node_weight */
    __int128 overhead;        /* sum over nodes of duration - work - waiting, in ticks */
    uint64_t n_leaves;
    uint32_t n_shares;
    bool waits; /* a wait for tasks was added */
};

/* Begins *TRACKS, which the caller has zeroed, and defines the types of the states and
   variables in the builder of TARGET, whose array of workers is copied.  The caller frees
   *TRACKS with dag_tracks_end(). */
void dag_tracks_begin(struct dag_tracks *tracks, const struct weft_dag_target *target);
/* Adds NODE, a leaf or contracted node with this NUMBER in the DAG; nodes come in any order
   of time.  An error of a temporary file is returned by dag_tracks_finish(). */
void dag_tracks_add(struct dag_tracks *tracks, uint32_t number,
                    const struct weft_dag_node *node);
/* Adds a wait for tasks of WORKER from BEGIN to END, which is later. */
void dag_tracks_add_wait(struct dag_tracks *tracks, uint32_t worker, int64_t begin,
                         int64_t end);
/* Sorts the nodes by time and writes the states, the variables, and the totals of delay,
   no-work and waits for tasks into the builder; no effect without nodes.  Returns false with WEFT_ERR_WRITE
   (temporary files) or WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
   dag_tracks_end() is still needed.  */
bool dag_tracks_finish(struct dag_tracks *tracks, struct weft_job *job,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the memory and the temporary files of TRACKS, not TRACKS itself. */
void dag_tracks_end(struct dag_tracks *tracks);

#endif
