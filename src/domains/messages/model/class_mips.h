/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How busy processors were at every scale, for pictures with a row for one processor or some, and
 * a column for a time (Gantt charts).
 *
 * A picture has some million cells, so a cell may cost some ten nanoseconds: changes cannot be
 * read where a cell has many.  Therefore processors are put together in groups, as many groups as
 * a screen has rows, and time is cut into bins of about four changes of a group.  A bin has the
 * parts of its time that the group was busy, and in overhead; levels above have bins four times
 * as wide.  A cell then is a few bins of a level, for each group that its row has; and a row is
 * asked for by its changes only where its columns are narrower than the finest bins, so where
 * it has few.  Memory: two thirds of a byte a change, and 64 MB at most.
 */
#ifndef WEFT_MODEL_CLASS_MIPS_H
#define WEFT_MODEL_CLASS_MIPS_H

#include "domains/messages/model/processors.h"

enum { WEFT_MIP_LEVELS = 16 };

struct weft_class_mips {
    const struct weft_processors *processors;
    uint32_t group,
        n_groups; /* processors of one, a power of two; the last may have fewer */
    unsigned n_levels;
    int64_t
        width; /* ticks of the finest bins; those of a level are four times as wide ... */
    size_t n_bins[WEFT_MIP_LEVELS], first[WEFT_MIP_LEVELS]; /* ... and lie behind those */
    size_t n_all;                                           /* bins of a group */
    uint8_t (*bins)[2]; /* [n_groups][n_all]: busy, overhead, in 255ths of a bin's time */
};

/*
 * Of all processors.  GROUP: processors of a group, or 0: as they fit a screen.  O(changes), on
 * several threads.  Error: WEFT_ERR_CANCELLED.
 */
struct weft_class_mips *weft_class_mips_make(const struct weft_processors *processors,
                                             uint32_t group, struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_class_mips_free(struct weft_class_mips *mips);
size_t weft_class_mips_bytes(const struct weft_class_mips *mips);

/*
 * As weft_processors_shares; false, and nothing, where the mips cannot tell: when the list is not
 * made of whole groups, or a column is narrower than a bin.  Each column may be wrong by what
 * happens within one bin at each of its edges, and by a 255th of a bin.
 */
bool weft_class_mips_shares(const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares);

/*
 * Exactly, by reading the changes: the parts of each column of a window in which the processors
 * of a list were in each class, SHARES[columns][WEFT_CLASSES].  Some nanoseconds a change.
 */
void weft_class_shares_read(const struct weft_processors *processors,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares);

#endif
