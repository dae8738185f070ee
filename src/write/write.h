/* SPDX-License-Identifier: Apache-2.0 */
/* Exporters: a whole source, or a part of it, as text on a stream. */
#ifndef WEFT_WRITE_WRITE_H
#define WEFT_WRITE_WRITE_H

#include <stdio.h>

#include "base/err.h"
#include "base/job.h"
#include "store/source.h"

/*
 * The records and fields of pj_dump: one line each for containers, states, variables, events
 * and links, comma and space between fields, nothing quoted.  Times are of the trace's own
 * clock with every digit.  Half links are left out, as pj_dump -z does (check lists them).
 * Errors: WEFT_ERR_WRITE, WEFT_ERR_CANCELLED.
 */
bool weft_write_dump(const struct weft_source *source, FILE *stream, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

struct weft_selection {
    struct weft_span
        window;     /* ticks of the own clock; what overlaps it is kept, cut to it */
    uint32_t under; /* only this container's subtree, and what is above it */
};
static inline struct weft_selection weft_select_all(const struct weft_schema *schema)
{
    struct weft_span all = { schema->span.begin, schema->span.end + 1 };
    return (struct weft_selection){ all, 0 };
}

/* A Paje trace that reads back as the same entities.  Errors as above. */
bool weft_write_paje(const struct weft_source *source,
                     const struct weft_selection *selection, FILE *stream,
                     struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* A new store of the selected part, its links and fields among it. */
bool weft_write_store(const struct weft_source *source,
                      const struct weft_selection *selection, const char *path,
                      struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* The shortest decimal text that reads back as VALUE. */
const char *weft_real_text(double value, char text[32]);

#endif
