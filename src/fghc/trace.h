/* SPDX-License-Identifier: Apache-2.0 */
/* What a run recorded, in the order of its reductions and as files. */
#ifndef WEFT_FGHC_TRACE_H
#define WEFT_FGHC_TRACE_H

#include "fghc/machine.h"

/* A walk through all PEs' reductions in order of time, parents before their children. */
struct fghc_order {
    const struct fghc_result *result;
    const struct fghc_record *record; /* the one that was come to */
    unsigned pe;
    uint64_t index; /* on its PE, from 1 */
    uint64_t *at;   /* [pes] how many were come to */
};
void fghc_order_open(struct fghc_order *order, const struct fghc_result *result);
bool fghc_order_next(struct fghc_order *order); /* false: that was the last */
void fghc_order_close(struct fghc_order *order);

/* Write figure 9's format: the number of PEs, then time, clause, PE, index, parent's both. */
bool fghc_write_vista(const struct fghc_result *result, FILE *out);
/*
 * Write a store, by the schema of model/tree.h: besides VISTA's six fields what goals waited
 * for, and links from the reduction whose binding woke a goal to the one it became.
 */
bool fghc_write_store(const struct fghc_result *result, const struct program *program,
                      const char *path, struct weft_err *err) WEFT_MUST_CHECK;

#endif
