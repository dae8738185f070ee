/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run could not be shorter than: a way through its task DAG, from its first node to its
 * last, and the places of the program that it is made of.
 *
 * By work it is the critical path: the way with most work, which takes that long on any number of
 * workers (t_inf; Blumofe and Leiserson, "Scheduling multithreaded computations by work
 * stealing", 1999).  By time it is what this very run waited for: back from its end, always to
 * the one of the nodes before that ended last; its work and delay are all of the elapsed time.
 */
#ifndef WEFT_ANALYSE_DAG_PATH_H
#define WEFT_ANALYSE_DAG_PATH_H

#include "domains/tasks/dag/dag.h"

enum weft_dag_way { WEFT_DAG_BY_WORK, WEFT_DAG_BY_TIME };

struct weft_dag_step {
    uint32_t node;       /* a leaf or contracted node */
    uint32_t site, last; /* where it begins and ends in the program, or WEFT_NONE */
    int64_t work; /* ticks; of a contracted node what lies on its own critical path, and
                            by time no more than it lasted */
    /*
     * By work, how long it was ready before it began; by time, how long after the step before it
     * began; and how long a contracted node lasted beyond its work.
     */
    int64_t delay;
};

struct weft_dag_path {
    enum weft_dag_way way;
    struct weft_dag_step *steps; /* from the first node to the last */
    size_t n;
    int64_t work, delay; /* of all steps */
    uint64_t
        lost; /* nodes on or beside the way that cannot be read: it is another one then */
};

/*
 * O(nodes on the way and beside it), without recursion.  Tasks that nothing joined are beside
 * the way.  Error: WEFT_ERR_CANCELLED.
 */
bool weft_dag_path_read(const struct weft_dag *dag, enum weft_dag_way way,
                        struct weft_job *job, struct weft_dag_path *out,
                        struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_path_free(struct weft_dag_path *path);

/* Steps from one place in the program to another. */
struct weft_dag_path_place {
    uint32_t site, last; /* or WEFT_NONE */
    bool begins, ends;   /* the way's first step is among them, its last one */
    uint64_t count;
    int64_t work, delay;
    uint32_t longest; /* the node of the first of the steps with most work (and delay) */
    int64_t longest_ticks;
};

/*
 * The steps by their places, returns how many: those first that have most work, and on a way by
 * time most work and delay.  ALIKE: of each of
 * N_SITES sites the one that it counts as.  Free *OUT.
 */
size_t weft_dag_path_places(const struct weft_dag_path *path, const uint32_t *alike,
                            uint32_t n_sites, struct weft_dag_path_place **out);

#endif
