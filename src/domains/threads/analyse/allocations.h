/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory by the place that allocated it: how much, how often, what was given back, what was
 * live at the peak and at the end.  A trace has these sums, of the whole run, not each
 * block.
 */
#ifndef WEFT_DOMAINS_THREADS_ALLOCATIONS_H
#define WEFT_DOMAINS_THREADS_ALLOCATIONS_H

#include "base/err.h"
#include "base/job.h"
#include "base/memory.h"
#include "store/source.h"

/* The allocations of a place, by a program of a process.  Sums stop at INT64_MAX. */
struct allocations {
    uint32_t process; /* container */
    int64_t image;    /* which of the programs that the process executed, from 0 */
    uint32_t program; /* its name: index in the schema's strings; WEFT_NONE: not known */
    uint32_t value;   /* what: index in the schema's values, with its role */
    uint32_t site;    /* WEFT_NONE: the allocation was not recorded */
    uint32_t thread;  /* container; WEFT_NONE: of all threads, or not known */
    int64_t count, frees;
    int64_t frees_elsewhere; /* by other threads than the one that allocated */
    int64_t refusals;        /* calls that got nothing */
    int64_t bytes, largest;  /* all that was allocated; the largest of these */
    int64_t at_peak,
        at_end;             /* bytes live when the program had most of this kind; at last */
    int64_t ticks, longest; /* in calls that allocate and give back; the longest */
};

/* Returns true if the trace has sums of allocations. */
bool allocations_known(const struct weft_schema *schema);
/*
 * Sets *LIST, in ARENA, to the *N places of the processes in the subtree of UNDER, or of
 * the threads there; the most bytes at the peak first, then by bytes.  By thread, too, if
 * THREADS is set.  Returns false with WEFT_ERR_CANCELLED.
 */
bool allocations_read(const struct weft_source *source, uint32_t under, bool threads,
                      struct weft_arena *arena, struct weft_job *job,
                      struct allocations **list, size_t *n, struct weft_err *err);

/* The most that a variable of bytes had, and when first. */
struct bytes_peak {
    uint32_t track; /* WEFT_NONE: no such variable */
    int64_t time;   /* ticks */
    double bytes;
};
/*
 * Returns the peak of the variable with ROLE of the process (a container); of several
 * processes in the subtree of UNDER the one with the highest.  Reads all its samples.
 */
struct bytes_peak allocations_peak(const struct weft_source *source, uint32_t under,
                                   enum weft_role role);

#endif
