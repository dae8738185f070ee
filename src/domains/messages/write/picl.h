/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes PICL records, for ParaGraph and similar tools, from any trace that has processors
 * and messages (doc/dev/messages.md).
 *
 * A trace that was read from PICL gives its records back: each with its key, time, node and
 * values, in the order of each node.  A file that was written here is reproduced byte for
 * byte.
 *
 * In other traces times are seconds since the trace's begin, with all digits (MPICL writes
 * six), and each node is traced for the whole span.  A node is idle before the processor
 * began and after its last event, so that displays of both files agree.  Where PICL lacks a
 * concept, the record is a substitute:
 *
 * - idle time and overhead without a message or collective operation: keys -601 and -602;
 * - a message that is not a whole call: a send and a receive of zero duration;
 * - a nonblocking collective operation: its length is the call that begins it;
 * - names of tasks and marks: numbers.
 *
 * The user's data become records of type -6, which ParaGraph does not know:
 *
 *     -6 event time node 0 n type data-id item-2 ... item-n
 */
#ifndef WEFT_WRITE_PICL_H
#define WEFT_WRITE_PICL_H

#include <stdio.h>

#include "store/source.h"

/* The order of the records in the file. */
enum weft_picl_order {
    WEFT_PICL_BY_TIME, /* by time, as ParaGraph needs it; ties as in its guide */
    WEFT_PICL_BY_NODE, /* node after node, as MPICL writes them */
};

/*
 * Writes all records of the trace SOURCE to STREAM, in ORDER.  By node, one processor is
 * read after the other; by time, all are read at once, which takes about 20 KiB per
 * processor, or with very many 128 MiB plus 1 KiB per processor.  A trace that was not PICL
 * takes 48 bytes a message more.
 *
 * *LOSSES (if LOSSES is not NULL; the caller frees it) lists what the file lacks: states,
 * events, samples and links that are no calls, tasks, marks or messages between processors,
 * with their types; members of a group beyond 2^20, or, if nodes are not numbered by rank,
 * that are none of them; names of calls; places in the program.  "12 states (lock), 3 links
 * (wake-up)"; "" when nothing is lost; NULL after a failure other than WEFT_ERR_WRITE.
 *
 * Fails with WEFT_ERR_FORMAT when the trace has no processors, with WEFT_ERR_WRITE when
 * STREAM, which is flushed and left open, has an error, and with WEFT_ERR_CANCELLED when
 * JOB (may be NULL) is cancelled.
 */
bool weft_write_picl(const struct weft_source *source, FILE *stream,
                     enum weft_picl_order order, char **losses, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

#endif
