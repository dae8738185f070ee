/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by traffic.c, traffic_sums.c and traffic_collectives.c. */
#ifndef WEFT_MODEL_TRAFFIC_PRIV_H
#define WEFT_MODEL_TRAFFIC_PRIV_H

#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"

/*
 * Reads the collective operations of a trace and the calls that take part in them; false
 * with WEFT_ERR_CANCELLED.
 */
bool weft_collectives_read(struct weft_traffic *traffic, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true for messages between programs, not for transfers between memories. */
static inline bool weft_is_message_type(const struct weft_type *type)
{
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
}

/* ---- Sums by pair ---- */

/*
 * Appends a row.  When there are many, rows of the same pair are added up.  *LIMIT is 0 at
 * first.  Memory: up to two rows for each pair, four while they are sorted.
 */
void traffic_add_row(struct weft_pair_sums *rows, size_t *limit,
                     const struct weft_pair_sum *row);
/* Wrap around on overflow: a damaged trace may have any number of bytes. */
int64_t traffic_add_wrapping(int64_t a, int64_t b);
int64_t traffic_minus(int64_t a);

/* Sums in the making: a matrix if that is small, else rows to be combined. */
struct traffic_sink {
    const struct weft_traffic_query *query;
    uint32_t n;
    struct weft_amount *matrix; /* [n][n], or NULL */
    struct weft_pair_sums *rows;
    size_t limit; /* for traffic_add_row */
};

/* Begins sums; sink->rows must be set.  DENSE tells that most pairs will have messages. */
void traffic_sink_begin(struct traffic_sink *sink, const struct weft_traffic *traffic,
                        const struct weft_traffic_query *query, bool dense);
/* Returns the row and column of the sums that a processor belongs to. */
uint32_t traffic_sink_group(const struct traffic_sink *sink, uint32_t processor);
void traffic_sink_add(struct traffic_sink *sink, uint32_t from, uint32_t to,
                      int64_t messages, int64_t bytes);
/* Ends sums: rows then are in order of (from, to), each pair once. */
void traffic_sink_end(struct traffic_sink *sink);

#endif
