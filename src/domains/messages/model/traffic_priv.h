/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the model of traffic share: traffic.c, traffic_sums.c,
 * traffic_collectives.c.
 */
#ifndef WEFT_MODEL_TRAFFIC_PRIV_H
#define WEFT_MODEL_TRAFFIC_PRIV_H

#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"

/* Read the collective operations of a trace and the calls that take part in them. */
bool weft_collectives_read(struct weft_traffic *traffic, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;

/* Messages between programs; data that is moved between memories is not that. */
static inline bool weft_is_message_type(const struct weft_type *type)
{
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
}

/* ---- Sums by pair ---- */

/*
 * Put a row behind others, and add up those of one pair when there are many.  *LIMIT is 0 at
 * first.  Memory: twice that of the pairs that differ, while they are sorted four times.
 */
void traffic_add_row(struct weft_pair_sums *rows, size_t *limit,
                     const struct weft_pair_sum *row);
/* A trace may say anything, also that a message has the least number of bytes there is. */
int64_t traffic_add_wrapping(int64_t a, int64_t b);
int64_t traffic_minus(int64_t a);

/* Sums that are being added up: a matrix where that is small, else rows to be combined. */
struct traffic_sink {
    const struct weft_traffic_query *query;
    uint32_t n;
    struct weft_amount *matrix; /* [n][n], or NULL */
    struct weft_pair_sums *rows;
    size_t limit; /* of rows */
};

/* DENSE: most pairs will have messages. */
void traffic_sink_begin(struct traffic_sink *sink, const struct weft_traffic *traffic,
                        const struct weft_traffic_query *query, bool dense);
/* Which row and column of the sums a processor belongs to. */
uint32_t traffic_sink_group(const struct traffic_sink *sink, uint32_t processor);
void traffic_sink_add(struct traffic_sink *sink, uint32_t from, uint32_t to,
                      int64_t messages, int64_t bytes);
/* The rows are in order then, each pair once. */
void traffic_sink_end(struct traffic_sink *sink);

#endif
