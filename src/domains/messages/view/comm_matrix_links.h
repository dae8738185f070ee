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
 * Returns how many messages the pair of ROW has in LINKS.  Begins to look at row *AT, which
 * it moves on: *AT is 0 at first, and rows are asked in order of (from, to).
 */
uint64_t comm_matrix_links_of_pair(const struct weft_pair_sums *links, size_t *at,
                                   const struct weft_pair_sum *row);
/*
 * Writes the table's row of a pair, of whose messages LINKS are links; returns false if no
 * more rows are wanted.
 */
bool comm_matrix_put_row(struct weft_table *out, const struct weft_request *request,
                         const struct weft_processors *processors,
                         const struct weft_pair_sum *row, uint64_t links,
                         enum weft_collectives collectives);

#endif
