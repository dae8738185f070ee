/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PICL records, for ParaGraph and its like, of any trace that has processors and messages
 * (ARCHITECTURE.md, "Messages").
 *
 * A trace that was read from PICL gives its records back: each with its key, time, node and
 * values, in order of each node.  Of a file that was written here that is every byte.  Times of
 * other traces are seconds since their begin, with all digits (MPICL's have six), and each node's
 * tracing lasts as long as the trace; it is idle before the processor came to be and after its
 * last event, so that the displays of both traces say the same.  What PICL has no word for in
 * other traces: idle time and overhead that are no message and no collective
 * operation become keys -601 and -602; messages that are not the whole of a call, sends and
 * receives of no length; operations in the background, as long as the calls that begin them;
 * names of tasks and marks, numbers.
 *
 * Data of the user's are written as records of the type -6, which ParaGraph does not know:
 *
 *     -6 event time node 0 n type data-id item-2 ... item-n
 */
#ifndef WEFT_WRITE_PICL_H
#define WEFT_WRITE_PICL_H

#include <stdio.h>

#include "store/source.h"

enum weft_picl_order {
    WEFT_PICL_BY_TIME, /* as ParaGraph wants it, ties as its guide sorts them */
    WEFT_PICL_BY_NODE, /* as MPICL writes it */
};

/*
 * In order of nodes one processor is looked at after the other; in order of time all at once,
 * which takes some 20 KiB for each, and of many 128 MiB and 1 KiB for each.  Traces that were not
 * PICL take 48 bytes a message more.
 * *LOSSES, when not NULL, gets what the trace holds and its PICL file does not, to be
 * freed: states, events, samples and links that are no calls, tasks, marks or messages of a
 * processor, or messages with an end elsewhere, with their types; members of a group beyond
 * 2^20; names of calls and places in the program, which are numbers and nothing there.  "12
 * states (lock), 3 links (wake-up)"; "" when nothing is lost; NULL after a failure.
 * Errors: WEFT_ERR_USAGE when there are no processors, WEFT_ERR_WRITE, WEFT_ERR_CANCELLED.
 */
bool weft_write_picl(const struct weft_source *source, FILE *stream,
                     enum weft_picl_order order, char **losses, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

#endif
