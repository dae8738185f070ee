/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of two task DAGs, as its table and its picture share it. */
#ifndef WEFT_VIEW_DAG_COMPARE_PRIV_H
#define WEFT_VIEW_DAG_COMPARE_PRIV_H

#include "domains/tasks/analyse/dag_compare.h"
#include "view/palette.h"
#include "view/picture_frame.h"

/* Totals of a run, in nanoseconds. */
struct dag_run_totals {
    struct weft_dag_costs costs;
    double elapsed;
};

struct dag_comparison {
    struct weft_dag *dags[2];
    struct dag_run_totals sums[2];
    struct weft_dag_bill *bills[2];
    struct weft_dag_pairs pairs; /* first those of which a shown number or word changed */
    size_t n_changed;            /* how many these are; the others are never listed */
};

/* Returns the next listed pair from index *AT on, and sets *AT behind it; NULL at the end.
   Pairs are listed if they changed, and by the setting `only`. */
const struct weft_dag_pair *dag_compare_next(const struct dag_comparison *c,
                                             const struct weft_request *request,
                                             size_t *at);
/* Returns a word for a kind of node, a literal: "create", "section" ... */
const char *dag_compare_kind(enum weft_dag_kind kind);
/* Returns where the first node of a pair begins in the program, in ARENA or a literal. */
const char *dag_compare_site(const struct dag_comparison *c,
                             const struct weft_request *request,
                             const struct weft_dag_pair *pair, struct weft_arena *arena);

enum { DAG_COMPARE_COSTS = 4 }; /* work, waiting, delay and no-work, in this order */
extern const int dag_compare_looks[DAG_COMPARE_COSTS]; /* their share, WEFT_SHARE_... */
/* Draws the listed pairs that have room into the frame's plot, largest change first, below
   a row for the whole run; SWATCHES[WEFT_SHARES] are those of the shares. */
void dag_compare_draw(struct weft_frame *frame, const struct dag_comparison *c,
                      const struct weft_request *request,
                      const struct weft_swatch *swatches);

#endif
