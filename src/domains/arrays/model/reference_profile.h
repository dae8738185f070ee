/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference profiles: the elements of arrays that a program read and wrote, in each step,
 * and the element on whose behalf, independent of any distribution (S. T. Hackstadt and A.
 * D. Malony, "Data Distribution Visualization (DDV) for Performance Evaluation",
 * CIS-TR-93-21, University of Oregon, 1993; sections 3.4 and 4.2.1).
 *
 * A profile is a list of *patterns*: nests of at most WEFT_PATTERN_LOOPS loops over
 * references whose elements advance by fixed strides, so a loop over a whole array is one
 * row of a grid.  Elements are numbered from 0, row by row, the last index fastest (C's
 * order, also if the program's own is Fortran's).
 *
 * Steps are numbered from 0.  All references within a step may be concurrent.
 */
#ifndef WEFT_ARRAY_REFERENCE_PROFILE_H
#define WEFT_ARRAY_REFERENCE_PROFILE_H

#include "store/build/builder.h"
#include "store/source.h"

/* Limits of a profile. */
enum {
    WEFT_ARRAY_RANK = 7,               /* dimensions at most: Fortran's limit */
    WEFT_PATTERN_LOOPS = 4,            /* loops of a pattern at most */
    WEFT_PROFILE_STEPS = 1 << 24,      /* at most, so their numbers are below it */
    WEFT_PROFILE_ARRAYS = 1 << 16,     /* arrays at most */
    WEFT_PROFILE_PROCESSORS = 1 << 20, /* processors that a trace names, at most */
};

/* An array must have fewer elements, and a pattern fewer references, than this. */
#define WEFT_ARRAY_LIMIT (UINT64_C(1) << 48)

/* The operation of a reference on its element: a read or a write; and their number. */
enum weft_reference_operation {
    WEFT_REFERENCE_READ,
    WEFT_REFERENCE_WRITE,
    WEFT_REFERENCE_OPERATIONS,
};

/* An array of a profile (the references of a run to arrays), as it was declared. */
struct weft_array {
    const char *name;                /* of a profile: valid as long as its source */
    uint32_t rank;                   /* 1 to WEFT_ARRAY_RANK */
    uint64_t shape[WEFT_ARRAY_RANK]; /* each at least 1; their product is below 2^48 */
    uint64_t element_bytes;          /* 1 to 2^31 - 1; 8 if unknown */
    bool column_major;  /* in the program; the numbers of elements here are row by row */
    uint32_t container; /* index in schema->containers of the array's container */
    /* Extents of the arrangement of the processors that the trace names; rank 0 if
       unknown. */
    uint32_t arrangement_rank;
    uint64_t arrangement[WEFT_ARRAY_RANK];
};

/*
 * A pattern: for every i in [0, extent[0]) x ... x [0, extent[WEFT_PATTERN_LOOPS - 1)), the
 * element  element + sum of i[k] * stride[k]  of ARRAY was referenced TIMES times on behalf
 * of the element  owner + sum of i[k] * owner_stride[k]  of OWNER_ARRAY.  Extents are at
 * least 1; unused loops have extent 1 and strides 0 and come last.
 */
struct weft_pattern {
    uint32_t step;               /* its number, below WEFT_PROFILE_STEPS */
    uint32_t array, owner_array; /* numbers of arrays; owner_array WEFT_NONE if unknown */
    enum weft_reference_operation operation;
    uint32_t site; /* place in the program: an index in schema->sites; or WEFT_NONE */
    /*
     * A trace made for one distribution (section 4.2.2, figure 4.4) names the processor
     * that owns the element, and says if the reference was local.  The requester's
     * processor is an extension of that format.  -1 if unknown.
     */
    int64_t owner_processor, requester_processor;
    int8_t local;   /* 1 local, 0 remote, -1 unknown */
    uint64_t times; /* at least 1, except of a pattern whose file was overwritten */
    uint64_t element, owner; /* numbers of the first ones; owner is 0 if unknown */
    uint64_t extent[WEFT_PATTERN_LOOPS]; /* iterations of each loop, at least 1 */
    int64_t stride[WEFT_PATTERN_LOOPS], owner_stride[WEFT_PATTERN_LOOPS]; /* in elements */
};

/* Returns the number of references of a pattern: TIMES for each iteration of its loops. */
static inline uint64_t weft_pattern_references(const struct weft_pattern *pattern)
{
    uint64_t references = pattern->times;
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
        references *= pattern->extent[k];
    return references;
}

/* Returns true for reads on behalf of nobody: they name neither their owner element nor a
   processor, nor whether they are local. */
static inline bool weft_pattern_is_unowned(const struct weft_pattern *pattern)
{
    return pattern->operation == WEFT_REFERENCE_READ && pattern->owner_array == WEFT_NONE
           && pattern->requester_processor < 0 && pattern->local < 0;
}

/* Returns the number of elements: the product of the extents. */
static inline uint64_t weft_array_elements(const struct weft_array *array)
{
    uint64_t elements = 1;
    for (uint32_t d = 0; d < array->rank; d++)
        elements *= array->shape[d];
    return elements;
}

/* ---- Writing: used by a reader and by the join of a recording ---- */

/* A profile while it is written into a store: weft_profile_writer_new() makes it. */
struct weft_profile_writer;

/*
 * Returns a writer, never NULL, of the profile of the store that BUILDER builds, one at
 * most for a builder; weft_profile_writer_finish() or weft_profile_writer_abandon() frees
 * it.  Containers of arrays are created under the container PROCESS, whose type is
 * PROCESS_TYPE (both from BUILDER).
 */
struct weft_profile_writer *weft_profile_writer_new(struct weft_builder *builder,
                                                    uint32_t process,
                                                    uint32_t process_type);
/*
 * Declares an array, which exists from TIME on, in ticks of the builder; the name is
 * copied, `container` is ignored.  Returns its number for patterns, from 0; or WEFT_NONE if
 * its rank or shape is invalid, an element has 0 or 2^31 bytes or more, or there are
 * WEFT_PROFILE_ARRAYS arrays.
 */
uint32_t weft_profile_writer_array(struct weft_profile_writer *writer,
                                   const struct weft_array *array, int64_t time);
/*
 * Sets the end of step number STEP to TIME, in ticks of the builder; of several ends of a
 * step the greatest TIME counts, whichever came last, and steps from WEFT_PROFILE_STEPS on
 * are ignored.  If no step has an end, step n ends at n + 1 ticks; else no step ends before
 * the step before it, and one without an end ends with the step before it (steps before
 * the first with an end: at that end, the least of several).  The trace's size depends on
 * the number of steps with patterns or an end, not on their numbering.
 */
void weft_profile_writer_step(struct weft_profile_writer *writer, uint32_t step,
                              int64_t time);
/*
 * Adds a pattern, which is copied.  Steps may come in any order.  Adjacent patterns are
 * joined to larger ones, and equal ones counted, in bounded memory.  Returns false, without
 * adding it, if the pattern is not within its declared arrays, a number is invalid, it has
 * 0 or 2^48 references or more, or all patterns together would have 2^63 - 1 references;
 * the caller reports that.
 */
bool weft_profile_writer_add(struct weft_profile_writer *writer,
                             const struct weft_pattern *pattern);
/* Writes patterns and steps to the store and frees the writer, also on failure.  Returns
   false with WEFT_ERR_WRITE or WEFT_ERR_CANCELLED. */
bool weft_profile_writer_finish(struct weft_profile_writer *writer, struct weft_job *job,
                                struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the writer without writing steps and patterns; NULL is fine. */
void weft_profile_writer_abandon(struct weft_profile_writer *writer);

/* ---- Reading ---- */

struct weft_profile; /* immutable; safe to read from any number of threads */
/* Returns true if the trace has a profile: at least one pattern, valid or not. */
bool weft_profile_fills(const struct weft_source *source);
/*
 * Opens the profile of a trace, for weft_profile_close() to free, and checks all patterns;
 * damaged and invalid ones are left out and counted (weft_profile_left_out), and so may be
 * all of them.  SOURCE must outlive it.  NULL with WEFT_ERR_FORMAT if the trace has no
 * profile, or WEFT_ERR_CANCELLED.
 */
struct weft_profile *weft_profile_open(const struct weft_source *source,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_profile_close(struct weft_profile *profile); /* NULL is fine */

/* Returns the number of arrays, which may be 0; they are numbered from 0. */
uint32_t weft_profile_arrays(const struct weft_profile *profile);
/* Returns the array with NUMBER, which is below weft_profile_arrays(); valid until the
   profile is closed. */
const struct weft_array *weft_profile_array(const struct weft_profile *profile,
                                            uint32_t number);
/* Returns the number of the first array named NAME (case matters), or WEFT_NONE. */
uint32_t weft_profile_array_named(const struct weft_profile *profile, const char *name);
/* Returns the number of steps, at least 1: the last with patterns or an end, plus one. */
uint32_t weft_profile_steps(const struct weft_profile *profile);
/* Returns the step at TIME, in ticks of the trace: the first that ends after it; the last
   step if TIME is after all. */
uint32_t weft_profile_step_at(const struct weft_profile *profile, int64_t time);
/* Returns the time at which a step ends, in ticks of the trace, which is the first moment
   after it; that of the last step if STEP is too large. */
int64_t weft_profile_step_end(const struct weft_profile *profile, uint32_t step);
/* Returns true if the trace itself names the processor that owns the element in at least
   one pattern (owner_processor). */
bool weft_profile_as_found(const struct weft_profile *profile);
/* Returns true if every pattern names its owner element (owner_array) or the requesting
   processor. */
bool weft_profile_names_requesters(const struct weft_profile *profile);
/* Returns the number of reads, and sets *UNOWNED to that of the reads on behalf of nobody
   (weft_pattern_is_unowned). */
uint64_t weft_profile_reads(const struct weft_profile *profile, uint64_t *unowned);
/* Returns the highest number of a processor that the trace itself names, as owner or
   requester, plus one; 0 if it names none. */
uint64_t weft_profile_processors(const struct weft_profile *profile);

/* Returns the number of patterns (nests of loops over references, struct weft_pattern). */
uint64_t weft_profile_patterns(const struct weft_profile *profile);
/*
 * Returns the number of the first pattern of STEP or of a later step;
 * weft_profile_patterns() if there is none.  Patterns are sorted by step, so those of STEP
 * end before weft_profile_first() of STEP + 1.
 */
uint64_t weft_profile_first(const struct weft_profile *profile, uint32_t step);
/* Returns the first step >= STEP that has patterns, or weft_profile_steps(). */
uint32_t weft_profile_next_step(const struct weft_profile *profile, uint32_t step);
/*
 * Writes the pattern with NUMBER, which is below weft_profile_patterns(), to *OUT, in its
 * normal form: used loops first, each changing the element or its owner.  If the file was
 * overwritten since it was opened, the pattern may have 0 references (`times` is 0).
 */
void weft_profile_pattern(const struct weft_profile *profile, uint64_t number,
                          struct weft_pattern *out);
/* Returns how many patterns of the trace were left out, since they were damaged or
   invalid; weft_profile_patterns() does not count them. */
uint64_t weft_profile_left_out(const struct weft_profile *profile);

#endif
