/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts about a node of a task DAG (dag/dag.h) for tooltips, tags and details, after figure
 * 1.7 of the thesis on DAGViz.
 */
#ifndef WEFT_VIEW_DAG_FACTS_H
#define WEFT_VIEW_DAG_FACTS_H

#include "domains/tasks/dag/dag.h"
#include "domains/tasks/model/dag_layout.h"

/* A line of a tooltip about a node of a DAG.  The caller's arena or the trace owns its
   texts. */
struct weft_dag_fact {
    const char *name, *value; /* such as "work", "1.2 ms" */
    uint32_t site; /* the place in the program that VALUE names, an index in the schema's
                      sites, or WEFT_NONE */
};
enum { WEFT_DAG_MAX_FACTS = 48 }; /* facts about a node, at most */
/* Writes all facts about NODE of DAG, which is the DAG of SOURCE, to FACTS and returns
   their number, at least 1; texts live as long as ARENA and SOURCE.  Sets *FEW to how many
   of the first facts are the most important ones, for a short text.  A damaged node has one
   fact, which says so. */
size_t weft_dag_facts(const struct weft_source *source, const struct weft_dag *dag,
                      uint32_t node, struct weft_arena *arena,
                      struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS], size_t *few);
/*
 * Returns the name of the worker with the number WORKER, as in the rows of timelines;
 * behind that of its process if several programs made tasks ("rank 0/thread 2"); or
 * "worker 3" if no container has the number.  SCHEMA owns it, or ARENA.  NULL if WORKER is
 * -1 (several, or unknown).
 */
const char *weft_dag_worker_name(const struct weft_dag *dag,
                                 const struct weft_schema *schema, int32_t worker,
                                 struct weft_arena *arena);
/* Returns the name of a kind of nodes, such as "section", a constant text; "?" for no
 * kind. */
const char *weft_dag_kind_text(enum weft_dag_kind kind);
/* Returns false with WEFT_ERR_READ if the root node is damaged: the figures of the whole
   run are then unknown. */
bool weft_dag_has_figures(const struct weft_dag *dag, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the entity id that stands for NODE in marks of a picture and in details: that of
 * its state on a worker's track (row), so that timelines mark it, too, or
 * weft_dag_layout_id() if it has no state.  O(log n).
 */
uint64_t weft_dag_mark_id(const struct weft_dag *dag, uint32_t node);
/* Returns the node whose weft_dag_mark_id() or weft_dag_layout_id() is ID; WEFT_NONE if
   there is none. */
uint32_t weft_dag_of_mark(const struct weft_dag *dag, uint64_t id);
/*
 * Parses TEXT, a weft_dag_mark_id() in decimal or "node:NUMBER", into *NODE and returns
 * true; *NODE is WEFT_NONE if the id is not a node's, such as one picked in another view.
 * Returns false with WEFT_ERR_USAGE, whose text names the setting PARAMETER, if TEXT is
 * neither or the DAG has no node NUMBER.
 */
bool weft_dag_node_named(const struct weft_dag *dag, const char *parameter,
                         const char *text, uint32_t *node,
                         struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns a remark, in ARENA, that work includes time in which the workers' threads waited
 * for a processor.  NULL if their processor time is at least 95 % of workers x elapsed
 * time, or unknown, or if the trace has no task DAG.
 */
const char *weft_dag_clock_remark(const struct weft_source *source,
                                  struct weft_arena *arena);
/*
 * Returns a remark, in ARENA, that states of contracted nodes include delays, and how much
 * of the time of these states was work.  NULL if no node is contracted or there is no task
 * DAG; else O(nodes).
 */
const char *weft_dag_contracted_remark(const struct weft_source *source,
                                       struct weft_arena *arena);
/* Returns file (without folder) and line of the place SITE (an index in SCHEMA's sites),
   "sort.c:42"; the file alone if the line is unknown, or the function if the file is.
   SCHEMA owns the text, or ARENA.  NULL if none is known, or SITE is WEFT_NONE. */
const char *weft_dag_site_text(const struct weft_schema *schema, uint32_t site,
                               struct weft_arena *arena);

struct weft_maker; /* of an answer of the details panel (view/domain_answers.h) */
/* Writes the answer of the details panel for the node whose weft_dag_layout_id() is ID into
   MAKER and returns true; false, with nothing written, if MAKER's trace has no such node
   or no task DAG. */
bool weft_dag_tell_node(struct weft_maker *maker, uint64_t id);
/* Adds to MAKER, the details panel's answer, the facts of the node that STATE shows, and
   the ids of its parent and of its created task or first child; does nothing for a state
   that shows no node. */
void weft_dag_tell_state(struct weft_maker *maker, const struct weft_state *state);

#endif
