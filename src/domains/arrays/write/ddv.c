/* SPDX-License-Identifier: Apache-2.0 */
/* Writes references to an array under a distribution, one line each (CIS-TR-93-21, figure
   4.4). */
#include <errno.h>
#include <inttypes.h>

#include "domains/arrays/write/ddv.h"

struct ddv_writer {
    const struct weft_array *array;
    FILE *stream;
    uint64_t rows, columns; /* shape of the array */
    uint64_t processor_columns;
    bool requesters;
    uint64_t unowned; /* reads that are neither local nor remote, so they have no line */
};

static bool put_reference(void *user, const struct weft_reference *reference)
{
    struct ddv_writer *w = user;
    char asked[64] = "";
    uint64_t columns = w->processor_columns;
    if (reference->unowned) {
        w->unowned += reference->times;
        return true;
    }
    if (w->requesters && reference->requester >= 0)
        snprintf(asked, sizeof asked, " %" PRIu64 " %" PRIu64,
                 (uint64_t)reference->requester / columns,
                 (uint64_t)reference->requester % columns);
    for (uint64_t i = 0; i < reference->times; i++)
        if (fprintf(
                w->stream, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s%s\n",
                reference->step, reference->server / columns, reference->server % columns,
                reference->element / w->columns, reference->element % w->columns,
                reference->operation == WEFT_REFERENCE_WRITE ? "write" : "read",
                reference->local ? "local" : "remote", asked)
            < 0)
            return false;
    return true;
}

/*
 * Gets rows and columns of an extent with at most two dimensions; a vector has one column.
 */
static bool arrange(uint32_t rank, const uint64_t *extent, uint64_t *rows,
                    uint64_t *columns)
{
    *rows = rank ? extent[0] : 1;
    *columns = rank == 2 ? extent[1] : 1;
    return rank <= 2;
}

static bool refuse_processors(const struct weft_array *array, struct weft_err *err)
{
    return weft_fail(err, WEFT_ERR_USAGE,
                     "the processors of %s have more than two dimensions; such a trace has "
                     "rows and columns of them",
                     array->name);
}

bool weft_write_ddv(const struct weft_count_query *query, uint32_t array, bool requesters,
                    FILE *stream, struct weft_job *job, struct weft_err *err)
{
    const struct weft_array *is = weft_profile_array(query->profile, array);
    struct ddv_writer w = { .array = is, .stream = stream, .requesters = requesters };
    uint64_t rows;
    bool placed =
        arrange(is->arrangement_rank, is->arrangement, &rows, &w.processor_columns);
    if (!arrange(is->rank, is->shape, &w.rows, &w.columns))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "%s has %u dimensions; such a trace is of a vector or matrix",
                         is->name, is->rank);
    if (!query->distributions && !placed)
        return refuse_processors(is, err);
    for (uint32_t step = 0;
         query->distributions && step < weft_profile_steps(query->profile);
         step = weft_profile_next_step(query->profile, step + 1)) {
        const struct weft_distribution *distribution =
            weft_distributions_of(query->distributions, array, step);
        uint64_t columns, more;
        if (!distribution)
            return weft_fail(err, WEFT_ERR_USAGE, "the distribution says nothing of %s",
                             is->name);
        if (!arrange(distribution->rank, distribution->extent, &more, &columns))
            return refuse_processors(is, err);
        if (step && columns != w.processor_columns)
            return weft_fail(
                err, WEFT_ERR_USAGE,
                "the arrangement of processors changes in step %u; such a trace "
                "has one",
                step);
        w.processor_columns = columns;
        rows = !step || more > rows ? more : rows;
    }
    fprintf(stream,
            "# array %s %" PRIu64 " %" PRIu64 " processors %" PRIu64 " %" PRIu64 "\n",
            is->name, w.rows, w.columns, rows, w.processor_columns);
    errno = 0;
    bool ok = weft_count_each(query, array, put_reference, &w, job, err);
    if (ok && w.unowned)
        fprintf(stream, "# reads on behalf of nobody, left out: %" PRIu64 "\n", w.unowned);
    if (ok && !ferror(stream))
        return true;
    return ferror(stream)
               ? weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the references")
               : false;
}
