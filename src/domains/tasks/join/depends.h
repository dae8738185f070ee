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

/* The dependences, by address, of the tasks that one task has created since it last waited
   for all of them: omp_depends_new() makes it, omp_depends_free() frees it. */
struct omp_depends;
/* Returns new, empty dependences; the caller frees them with omp_depends_free(). */
struct omp_depends *omp_depends_new(void);
void omp_depends_free(struct omp_depends *depends); /* frees it; NULL is fine */

/*
 * The tasks that must end before a given task begins.  The caller zeroes it,
 * omp_depends_add() appends to it, and the caller frees the array `tasks`.
 */
struct omp_predecessors {
    struct weft_dag_ref *tasks; /* [n], heap; some may have ended, one may be in it twice */
    size_t n, capacity;         /* elements used, and allocated */
};
/*
 * Adds a dependence of the new TASK: it names ADDRESS (ignored for WEFT_OMP_ALL) in a
 * `depend` clause of type HOW.  Appends the earlier tasks that must end before TASK begins
 * to *OUT, which is not emptied.  If TASK is {0}, the creator itself waits: *OUT gets what
 * it waits for, and later tasks do not depend on it.  Returns the latest earlier task that
 * TASK excludes (both `mutexinoutset`, with no other type between them); {0} if there is
 * none.
 */
struct weft_dag_ref omp_depends_add(struct omp_depends *depends, struct weft_dag_ref task,
                                    uint64_t address, enum weft_omp_depend how,
                                    struct omp_predecessors *out);

#endif
