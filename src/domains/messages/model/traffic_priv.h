/* SPDX-License-Identifier: Apache-2.0 */
/* Reads collective operations, and adds up messages by pair of processors. */
#ifndef WEFT_MODEL_TRAFFIC_PRIV_H
#define WEFT_MODEL_TRAFFIC_PRIV_H

#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"

/*
 * Sets the collective operations of TRAFFIC and the calls that take part in them
 * (collectives, calls, reach and their numbers), read from traffic->source.  Returns false
 * with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled; weft_traffic_free then frees
 * what is set.
 */
bool weft_collectives_read(struct weft_traffic *traffic, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns true if links of TYPE, one of the types of SCHEMA, count as messages between
 * processors: those of role message, and one-sided transfers between processes; not copies
 * between memories.
 */
bool traffic_has_messages_of(const struct weft_schema *schema,
                             const struct weft_type *type);

/* ---- Sums by pair ---- */

/*
 * Appends a copy of ROW to ROWS, which the caller owns and frees.  When there are *LIMIT
 * rows, those of the same pair are first added up, and *LIMIT is set anew; the caller only
 * sets it to 0 before the first call.  ROWS may hold several rows of a pair, in no order.
 * Memory: up to two rows a pair (or 2^20 rows), four while sorting.
 */
void traffic_add_row(struct weft_pair_sums *rows, size_t *limit,
                     const struct weft_pair_sum *row);
/* Returns A + B, wrapping around on overflow: a damaged trace may have any bytes. */
int64_t traffic_add_wrapping(int64_t a, int64_t b);
/* Returns -A; INT64_MIN for INT64_MIN. */
int64_t traffic_minus(int64_t a);

/*
 * Adds up messages by (sender, receiver): in a matrix if that is small, else in rows to be
 * combined.  The caller sets `rows`, then calls traffic_sink_begin, traffic_sink_add any
 * number of times, and traffic_sink_end, which leaves only the rows to be freed.
 */
struct traffic_sink {
    const struct weft_traffic_query *query;
    uint32_t n;                  /* processors, or groups of the query */
    struct weft_amount *matrix;  /* [n][n], by sender, or NULL: rows are used */
    struct weft_pair_sums *rows; /* the result, the caller's */
    size_t limit;                /* for traffic_add_row */
};

/*
 * Begins adding up messages, between QUERY's groups, if any, else between TRAFFIC's
 * processors.  Empties sink->rows, which must be set.  DENSE: most pairs will have
 * messages, so that a matrix is used from the beginning if it has at most 1024 rows.
 * QUERY must live until traffic_sink_end.
 */
void traffic_sink_begin(struct traffic_sink *sink, const struct weft_traffic *traffic,
                        const struct weft_traffic_query *query, bool dense);
/* Returns PROCESSOR's group in sink->query, or PROCESSOR if the query has no groups. */
uint32_t traffic_sink_group(const struct traffic_sink *sink, uint32_t processor);
/*
 * Adds MESSAGES and BYTES, which may be negative, to the pair (FROM, TO) of groups, or of
 * processors if the query has no groups.  No effect if MESSAGES is 0, whatever BYTES is.
 */
void traffic_sink_add(struct traffic_sink *sink, uint32_t from, uint32_t to,
                      int64_t messages, int64_t bytes);
/*
 * Ends adding: sink->rows then are in order of (from, to), each pair once, without pairs
 * whose messages add up to 0.  The caller frees sink->rows->rows.
 */
void traffic_sink_end(struct traffic_sink *sink);

#endif
