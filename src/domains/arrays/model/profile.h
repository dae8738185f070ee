/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference profiles: which elements of which arrays a program read and wrote, in which
 * step, and on behalf of which other element, independent of any distribution (S. T.
 * Hackstadt and A. D. Malony, "Data Distribution Visualization (DDV) for Performance
 * Evaluation", CIS-TR-93-21, University of Oregon, 1993; sections 3.4 and 4.2.1).
 *
 * A profile is kept as *patterns*: a nest of at most WEFT_PATTERN_LOOPS loops over
 * references whose elements advance by fixed strides, so a loop over a whole array is one
 * row of a grid.  Elements are numbered row by row, the last index fastest (C's order; the
 * declaration says whether the program's own is Fortran's), from 0.
 *
 * Steps are numbered from 0.  What happens within a step might happen at the same time.
 */
#ifndef WEFT_ARRAY_PROFILE_H
#define WEFT_ARRAY_PROFILE_H

#include "store/build/builder.h"
#include "store/source.h"

enum {
    WEFT_ARRAY_RANK = 7,    /* dimensions at most: Fortran's limit */
    WEFT_PATTERN_LOOPS = 4, /* loops of a pattern at most */
    WEFT_PROFILE_STEPS =
        1 << 24, /* at most: a number beyond is nonsense, and not worth a table */
    WEFT_PROFILE_ARRAYS = 1 << 16,
    WEFT_PROFILE_PROCESSORS = 1 << 20,
};

/* Elements of an array, and references of a pattern, are fewer. */
#define WEFT_ARRAY_LIMIT (UINT64_C(1) << 48)

enum weft_reference_operation {
    WEFT_REFERENCE_READ,
    WEFT_REFERENCE_WRITE,
    WEFT_REFERENCE_OPERATIONS,
};

/* An array, as it was declared. */
struct weft_array {
    const char *name;
    uint32_t rank;                   /* 1 to WEFT_ARRAY_RANK */
    uint64_t shape[WEFT_ARRAY_RANK]; /* each at least 1; their product is below 2^48 */
    uint64_t element_bytes;          /* at least 1; 8 when nobody said */
    bool
        column_major; /* the program's own order is Fortran's: said, not used for numbers */
    uint32_t container; /* in the store */
    /*
     * Of a trace that names processors: how these were arranged; rank 0: it does not say.
     */
    uint32_t arrangement_rank;
    uint64_t arrangement[WEFT_ARRAY_RANK];
};

/*
 * A pattern: for every i in [0, extent[0]) x ... x [0, extent[WEFT_PATTERN_LOOPS - 1)), the
 * element  element + sum of i[k] * stride[k]  of ARRAY was referenced TIMES times on behalf
 * of the element  owner + sum of i[k] * owner_stride[k]  of OWNER_ARRAY.  Loops that are
 * not needed have extent 1 and strides 0 and stand last; extents are at least 1.
 */
struct weft_pattern {
    uint32_t step;
    uint32_t array, owner_array; /* numbers of arrays; owner_array WEFT_NONE: not known */
    enum weft_reference_operation operation;
    uint32_t site; /* place in the program (store/schema.h), or WEFT_NONE */
    /*
     * A trace that was made for one distribution (section 4.2.2, figure 4.4) names the
     * processor that owns the element, and whether the reference was local; -1: not said.
     * The requester's processor is a later extension of it.
     */
    int64_t owner_processor, requester_processor;
    int8_t local; /* 1 local, 0 remote, -1 not said */
    uint64_t times;
    uint64_t element, owner;
    uint64_t extent[WEFT_PATTERN_LOOPS];
    int64_t stride[WEFT_PATTERN_LOOPS], owner_stride[WEFT_PATTERN_LOOPS];
};

/* References that a pattern stands for: TIMES of every turn of its loops. */
static inline uint64_t weft_pattern_references(const struct weft_pattern *pattern)
{
    uint64_t references = pattern->times;
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
        references *= pattern->extent[k];
    return references;
}

static inline uint64_t weft_array_elements(const struct weft_array *array)
{
    uint64_t elements = 1;
    for (uint32_t d = 0; d < array->rank; d++)
        elements *= array->shape[d];
    return elements;
}

/* ---- Writing: used by a reader and by the join of a recording ---- */

struct weft_profile_writer;

/* PROCESS: the container that the arrays are made under.  One profile a store. */
struct weft_profile_writer *weft_profile_writer_new(struct weft_builder *builder,
                                                    uint32_t process,
                                                    uint32_t process_type);
/*
 * Declare an array, which is there from TIME on; the name is copied.  Returns its number,
 * counted from 0, or WEFT_NONE when its rank or shape is absurd.
 */
uint32_t weft_profile_writer_array(struct weft_profile_writer *writer,
                                   const struct weft_array *array, int64_t time);
/*
 * When a step was over, for the time axis.  When nobody says it of any step, step n ends at
 * n + 1 ticks; else a step of which nobody says it ends with the one before it.  The trace
 * grows by the steps that have patterns or an end, not by the numbers that they have.
 */
void weft_profile_writer_step(struct weft_profile_writer *writer, uint32_t step,
                              int64_t time);
/*
 * Add a pattern.  Steps may come in any order.  Patterns that continue one another are
 * joined to larger ones as they come, and equal ones are counted, in bounded memory.
 * False: it lies outside of its arrays, or a number is absurd; nothing was added, and the
 * caller says so.
 */
bool weft_profile_writer_add(struct weft_profile_writer *writer,
                             const struct weft_pattern *pattern);
/* Frees the writer, also on failure. */
bool weft_profile_writer_finish(struct weft_profile_writer *writer, struct weft_job *job,
                                struct weft_err *err) WEFT_MUST_CHECK;
void weft_profile_writer_abandon(struct weft_profile_writer *writer); /* NULL is fine */

/* ---- Reading ---- */

struct weft_profile; /* immutable; any number of threads may ask */

bool weft_profile_fills(const struct weft_source *source);
/*
 * All patterns are checked here; those that are damaged or absurd are left out and counted.
 */
struct weft_profile *weft_profile_open(const struct weft_source *source,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_profile_close(struct weft_profile *profile);

uint32_t weft_profile_arrays(const struct weft_profile *profile);
const struct weft_array *weft_profile_array(const struct weft_profile *profile,
                                            uint32_t number);
/* WEFT_NONE: no array has the name. */
uint32_t weft_profile_array_named(const struct weft_profile *profile, const char *name);
/* Steps are 0 ... this - 1; at least 1. */
uint32_t weft_profile_steps(const struct weft_profile *profile);
/* The step that a time lies in, and the time at which a step ends. */
uint32_t weft_profile_step_at(const struct weft_profile *profile, int64_t time);
int64_t weft_profile_step_end(const struct weft_profile *profile, uint32_t step);
/* Does the profile name owners and processors of its own (figure 4.4)? */
bool weft_profile_as_found(const struct weft_profile *profile);
/* Does every reference say on whose behalf it was: an element, or a processor? */
bool weft_profile_names_requesters(const struct weft_profile *profile);
/* One more than the highest processor that the profile itself names; 0: it names none. */
uint64_t weft_profile_processors(const struct weft_profile *profile);

uint64_t weft_profile_patterns(const struct weft_profile *profile);
/* Patterns are sorted by step: those of step S are [first(S), first(S + 1)). */
uint64_t weft_profile_first(const struct weft_profile *profile, uint32_t step);
/* The first step from STEP on that has patterns; weft_profile_steps(): none has. */
uint32_t weft_profile_next_step(const struct weft_profile *profile, uint32_t step);
void weft_profile_pattern(const struct weft_profile *profile, uint64_t number,
                          struct weft_pattern *out);
uint64_t weft_profile_left_out(const struct weft_profile *profile);

#endif
