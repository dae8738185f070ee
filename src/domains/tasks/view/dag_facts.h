/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of a node of a task DAG (dag/dag.h): in tooltips, tags and details, after figure 1.7
 * of the thesis on DAGViz.
 */
#ifndef WEFT_VIEW_DAG_FACTS_H
#define WEFT_VIEW_DAG_FACTS_H

#include "domains/tasks/dag/dag.h"
#include "domains/tasks/model/dag_layout.h"

struct weft_dag_fact {
    const char *name, *value;
    uint32_t site; /* the place in the program that it names, or WEFT_NONE */
};
enum { WEFT_DAG_MOST_FACTS = 48 };
/* All about a node, texts in ARENA; returns how many.  The first FEW are those of every day. */
size_t weft_dag_facts(const struct weft_source *source, const struct weft_dag *dag,
                      uint32_t node, struct weft_arena *arena,
                      struct weft_dag_fact facts[WEFT_DAG_MOST_FACTS], size_t *few);
/* What the trace calls a worker, as the rows of timelines do; NULL: several, or not known. */
const char *weft_dag_worker_name(const struct weft_dag *dag,
                                 const struct weft_schema *schema, int32_t worker,
                                 struct weft_arena *arena);
const char *weft_dag_kind_text(enum weft_dag_kind kind);
/* False with *err when the root is lost: nothing about the whole run is known then. */
bool weft_dag_has_figures(const struct weft_dag *dag, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * The id of a node in marks and details: that of its state, so that timelines show the same thing,
 * else weft_dag_layout_id().  O(log n).
 */
uint64_t weft_dag_mark_id(const struct weft_dag *dag, uint32_t node);
/* The node of such an id; WEFT_NONE when it is none. */
uint32_t weft_dag_of_mark(const struct weft_dag *dag, uint64_t id);
/*
 * The node that a text names, an id or "node:NUMBER".  An id may be of something that another
 * view has picked, and is no node: then *NODE is WEFT_NONE.  False with *err, which names the
 * PARAMETER.
 */
bool weft_dag_node_named(const struct weft_dag *dag, const char *parameter,
                         const char *text, uint32_t *node,
                         struct weft_err *err) WEFT_MUST_CHECK;
/*
 * That times are those of the clock, when the workers' threads had processors in less of it: what
 * they worked then holds time in which they waited for one.  In ARENA; NULL: they had, or the
 * trace does not say.
 */
const char *weft_dag_clock_remark(const struct weft_source *source,
                                  struct weft_arena *arena);
/*
 * That the states of contracted nodes last through delays, and how much of that was work; NULL:
 * there are none.  O(nodes) where something is contracted.
 */
const char *weft_dag_contracted_remark(const struct weft_source *source,
                                       struct weft_arena *arena);
/* Where a place in the program is: "sort.c:42"; NULL when it is not known. */
const char *weft_dag_site_text(const struct weft_schema *schema, uint32_t site,
                               struct weft_arena *arena);

#endif
