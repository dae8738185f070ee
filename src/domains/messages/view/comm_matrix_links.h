/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of the communication matrix that the trace has as links, to which its cells
 * lead: all that it counts, but those that follow from the pattern of a collective
 * operation.
 */
#ifndef WEFT_VIEW_COMM_MATRIX_LINKS_H
#define WEFT_VIEW_COMM_MATRIX_LINKS_H

#include "domains/messages/model/traffic.h"
#include "view/view.h"

/*
 * Returns, in ARENA, the selection of the messages that the matrix counts from one
 * processor to another, given by their numbers: those that begin in the request's window,
 * or are pending at its moment.
 */
const char *comm_matrix_where(const struct weft_request *request, struct weft_arena *arena,
                              enum weft_collectives collectives, int64_t from, int64_t to);
/*
 * Sums up these messages by pair, in order of (from, to); OUT as in weft_traffic_total().
 */
void comm_matrix_links(const struct weft_traffic *traffic,
                       const struct weft_request *request,
                       enum weft_collectives collectives, struct weft_pair_sums *out);
/*
 * Returns how many messages the pair of ROW has in LINKS, whose rows are in order of (from,
 * to).  O(log n).
 */
uint64_t comm_matrix_links_of_pair(const struct weft_pair_sums *links,
                                   const struct weft_pair_sum *row);
/* Puts the rows of SUMS with most bytes first, then those with most messages. */
void comm_matrix_most_first(struct weft_pair_sums *sums);
/* Returns the row of SUMS, of at least one, with most bytes, then with most messages. */
const struct weft_pair_sum *comm_matrix_most(const struct weft_pair_sums *sums);
/*
 * Writes the table's row of a pair, of whose messages LINKS are links; returns false if no
 * more rows are wanted.
 */
bool comm_matrix_put_row(struct weft_table *out, const struct weft_request *request,
                         const struct weft_processors *processors,
                         const struct weft_pair_sum *row, uint64_t links,
                         enum weft_collectives collectives);

#endif
