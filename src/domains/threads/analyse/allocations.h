/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory by the place that allocated it: how much, how often, what was given back, what was
 * live at the peak and at the end.  A trace has these sums, of the whole run, not each
 * block.
 */
#ifndef WEFT_DOMAINS_THREADS_ALLOCATIONS_H
#define WEFT_DOMAINS_THREADS_ALLOCATIONS_H

#include "base/err.h"
#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/*
 * The allocations of one kind of memory at one place, by one program of a process.  Sums
 * stop at INT64_MAX.
 */
struct allocations {
    uint32_t process; /* its container */
    int64_t image;    /* which of the programs that the process executed, from 0 */
    uint32_t program; /* its name: index in the schema's strings; WEFT_NONE: not known */
    uint32_t value;   /* the kind of memory (heap, mapped file): index in schema->values */
    uint32_t site;    /* the place: index in schema->sites, the first with the same text;
                         WEFT_NONE: the allocation was not recorded */
    uint32_t thread;  /* container of the thread that allocated; WEFT_NONE: not known, or
                         the row is of all threads */
    int64_t count, frees;    /* number of allocations; of times that they were given back */
    int64_t frees_elsewhere; /* the part of `frees` by threads that did not allocate it */
    int64_t refusals;        /* calls that got no memory */
    int64_t bytes, largest;  /* of all allocations together; of the largest one */
    /* bytes live (not given back): when the program had most of this kind; at its end */
    int64_t at_peak, at_end;
    int64_t ticks, longest; /* in all calls that allocate and give back; in the longest */
};

/*
 * Returns true if SCHEMA has a type of events with sums of allocations; there may be no
 * such event.
 */
bool allocations_known(const struct weft_schema *schema);
/*
 * Sets *LIST, in ARENA, to the *N rows of the processes in the subtree of the container
 * UNDER, and of the threads in it: a row for each place, program and kind of memory, and
 * for each thread, too, if THREADS is set.  The most bytes at the peak are first, of equal
 * ones the most bytes.  Returns false with *ERR (WEFT_ERR_CANCELLED) only if JOB (or NULL)
 * is cancelled; *LIST is not complete then.
 */
bool allocations_read(const struct weft_source *source, uint32_t under, bool threads,
                      struct weft_arena *arena, struct weft_job *job,
                      struct allocations **list, size_t *n, struct weft_err *err);

/* The greatest value of a variable that counts bytes, and when it was reached first. */
struct bytes_peak {
    uint32_t track; /* of the variable; WEFT_NONE: there is none, the rest is 0 */
    int64_t time;   /* ticks */
    double bytes;   /* -1, at time 0, if the track has no sample */
};
/*
 * Returns the highest peak of all variables with ROLE whose container is in the subtree of
 * UNDER (a container), or has UNDER in its own subtree, as a process has its threads.
 * Reads all their samples.
 */
struct bytes_peak allocations_peak(const struct weft_source *source, uint32_t under,
                                   enum weft_role role);

#endif
