/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of OpenMP's tasks by the clause `depend` (OpenMP API 5.2, section 15.9.5): from
 * what the tasks of one creator say of addresses follows after which earlier ones each
 * begins.  So it is known also where the earlier one had ended, or the runtime had nothing
 * to wait for.
 */
#ifndef WEFT_JOIN_OMP_DEPENDS_H
#define WEFT_JOIN_OMP_DEPENDS_H

#include "domains/tasks/dag/make.h"
#include "domains/tasks/format/records.h"

/* The dependences, by address, of the tasks of one creator since it last waited for all. */
struct omp_depends;
/* Returns new, empty dependences; the caller frees them with omp_depends_free(). */
struct omp_depends *omp_depends_new(void);
void omp_depends_free(struct omp_depends *depends); /* NULL is fine */

/*
 * After which tasks one begins.  The caller zeroes it, omp_depends_add() adds to it, and
 * the caller frees the array.
 */
struct omp_predecessors {
    struct weft_dag_ref *tasks; /* some may have ended */
    size_t n, capacity;
};
/*
 * A task names ADDRESS as HOW says.  Adds to *OUT the earlier tasks after which it begins.
 * If TASK refers to a task, later ones depend on it; {0} stands for a creator that waits.
 * Returns the task that was created last among those that exclude TASK by this dependence;
 * {0} if there is none.
 */
struct weft_dag_ref omp_depends_add(struct omp_depends *depends, struct weft_dag_ref task,
                                    uint64_t address, enum weft_omp_depend how,
                                    struct omp_predecessors *out);

#endif
