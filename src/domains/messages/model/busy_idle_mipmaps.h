/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shares of the classes at several scales (mipmaps), for Gantt charts, whose rows are
 * one processor or more and whose columns are intervals of time.
 *
 * A chart has some million cells, so a cell may cost some ten nanoseconds, and the many
 * changes of a wide cell cannot be read.  Therefore processors are put into groups, as many
 * as a screen has rows, and time is cut into bins of about four changes of a group.  A bin
 * holds the shares of its time that the group was busy and in overhead; each higher level
 * has bins four times as wide.  A cell then is a few bins of one level, for each group of
 * its row.  Changes are read only where columns are narrower than the finest bins, so where
 * there are few.  Memory: two thirds of a byte a change, at most 64 MB.
 */
#ifndef WEFT_MODEL_BUSY_IDLE_MIPMAPS_H
#define WEFT_MODEL_BUSY_IDLE_MIPMAPS_H

#include "domains/messages/model/processors.h"

enum { WEFT_MIP_LEVELS = 16 }; /* the most levels of a struct weft_class_mips */

/*
 * The shares of all processors over the trace's span; made by weft_class_mips_make, freed
 * by weft_class_mips_free.  A bin is an interval of time of a group of processors.  Group G
 * has the processors with the indices G * group up to (G + 1) * group - 1.
 */
struct weft_class_mips {
    const struct weft_processors *processors; /* borrowed */
    /* processors in a group (fewer in the last one); number of groups */
    uint32_t group, n_groups;
    unsigned n_levels; /* 1 to WEFT_MIP_LEVELS; the last has a single bin, unless cut off */
    int64_t width; /* ticks of a bin of level 0; bins of level L are 4^L times as wide */
    /* by level: number of bins, and index in bins[G], of any group G, of the first one */
    size_t n_bins[WEFT_MIP_LEVELS], first[WEFT_MIP_LEVELS];
    /* bins of a group, on all levels together */
    size_t n_all;
    /*
     * [n_groups][n_all]: the shares of a bin's time in which the group's processors were
     * busy [0], in overhead [1], in 255ths; their mean.  Time after the trace's span in the
     * last bin of a level does not count.
     */
    uint8_t (*bins)[2];
};

/*
 * Makes the mipmaps of all processors: for how much of each bin (an interval of time) each
 * group of processors was busy and in overhead.  GROUP is the number of processors in a
 * group, or 0: 1 for fewer than 2048 processors, else a power of two that makes 1024 to
 * 2048 groups.  Reads all changes of class, on several threads; unreadable time counts as
 * idle.  PROCESSORS must outlive the result, which the caller frees with
 * weft_class_mips_free.  Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
struct weft_class_mips *weft_class_mips_make(const struct weft_processors *processors,
                                             uint32_t group, struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
/* Frees MIPS; NULL is fine. */
void weft_class_mips_free(struct weft_class_mips *mips);
/* Returns the bytes of memory that MIPS takes, without the processors. */
size_t weft_class_mips_bytes(const struct weft_class_mips *mips);

/*
 * Fills SHARES[columns][WEFT_CLASSES] with the mean number of the list's processors in each
 * class during each of COLUMNS equal parts of WINDOW, from bins: intervals of time whose
 * shares are known in 255ths.  Each number may be wrong by what happens within one bin at
 * each edge of the part, and by 1/255 of a bin; time that cannot be read counts as idle.
 * Returns false, with SHARES untouched, if the list is not made of whole groups (each with
 * its processors side by side), WINDOW leaves the trace's span, COLUMNS is 0, or a part is
 * narrower than the finest bins.
 */
bool weft_class_mips_shares(const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares);

/*
 * Fills SHARES[columns][WEFT_CLASSES] with the mean number of the list's processors in each
 * class during each of COLUMNS equal parts of WINDOW, by reading all changes of class: some
 * nanoseconds each.  Exact but for rounding (to 1/65536 of a column a change).  Time that
 * cannot be read is in no class.  SHARES are 0 if WINDOW is empty.
 */
void weft_class_shares_read(const struct weft_processors *processors,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares);

#endif
