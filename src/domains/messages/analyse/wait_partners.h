/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On whom a call that waits for a message waited.  A link of role message names the calls at its
 * ends; where it names none, it belongs to the calls that were open when it was sent and when
 * it arrived.  Of several messages that one call waits for, it waited longest for the one that
 * was sent last, or, of those that it sends, for the one that arrived last.  A call that
 * completes sends and receives nothing says whom it waited for in its fields of the roles partner
 * and tag.
 */
#ifndef WEFT_ANALYSE_WAIT_PARTNERS_H
#define WEFT_ANALYSE_WAIT_PARTNERS_H

#include "domains/messages/model/processors.h"
#include "model/field_window.h"
#include "store/source.h"

struct weft_wait_partner {
    uint32_t processor; /* WEFT_NONE: nobody is known */
    bool tagged;
    int64_t tag;
    uint32_t communicator; /* the message's, a container; WEFT_NONE: it names none */
};

/*
 * The ends of messages, by processor.  They are read in parts so that they need not all be in
 * memory: part p of n has those of processor i when i % n is p.
 */
struct weft_wait_ends;
/* How many parts keep each below 256 MiB, when all processors have as many. */
uint32_t weft_wait_ends_parts(const struct weft_processors *processors,
                              struct weft_span window);
/*
 * Those of the messages that overlap WINDOW; free them with weft_wait_ends_free.  One pass over
 * these messages; 52 bytes for each end that is in the part.  Error: WEFT_ERR_CANCELLED.
 */
struct weft_wait_ends *weft_wait_ends_read(const struct weft_processors *processors,
                                           struct weft_span window, uint32_t part,
                                           uint32_t n_parts, struct weft_job *job,
                                           struct weft_err *err) WEFT_MUST_CHECK;
void weft_wait_ends_free(struct weft_wait_ends *ends);

/* Who asks about the calls of one track, of a processor of the part. */
struct weft_wait_asker {
    const struct weft_wait_ends *ends;
    uint32_t processor; /* WEFT_NONE: the track is of none */
    uint32_t track, partner_field;
    struct weft_field_window tags; /* what calls say themselves */
};
void weft_wait_asker_begin(struct weft_wait_asker *asker, const struct weft_wait_ends *ends,
                           uint32_t track);
/* Whom STATE, of that track, waited for; states best come in order.  O(log messages). */
struct weft_wait_partner weft_wait_partner_of(struct weft_wait_asker *asker,
                                              const struct weft_state *state);

#endif
