/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a run, in the order of its reductions, and as files. */
#ifndef WEFT_FGHC_TRACE_H
#define WEFT_FGHC_TRACE_H

#include "fghc/machine.h"

/* A walk through all PEs' reductions in order of time, parents before their children. */
struct fghc_order {
    const struct fghc_result *result;
    const struct fghc_record *record; /* the current record */
    unsigned pe;
    uint64_t index; /* on its PE, from 1 */
    uint64_t *at;   /* [pes] how many of its records the walk has passed */
};
void fghc_order_open(struct fghc_order *order, const struct fghc_result *result);
bool fghc_order_next(struct fghc_order *order); /* false: that was the last */
void fghc_order_close(struct fghc_order *order);

/* Write VISTA's format (Park 1991, figure 9): the number of PEs, then for each reduction time,
 * clause, PE and index, and PE and index of its parent. */
bool fghc_write_vista(const struct fghc_result *result, FILE *out);
/*
 * Write a store with the schema of model/tree.h: besides VISTA's six fields it has the
 * variables that goals waited for, and links from the reduction whose binding woke a goal
 * to the reduction that the goal became.
 */
bool fghc_write_store(const struct fghc_result *result, const struct program *program,
                      const char *path, struct weft_err *err) WEFT_MUST_CHECK;

#endif
