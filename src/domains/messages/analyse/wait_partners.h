/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processor that a call waited for, if it waits for a message.  A link of the
 * role message may name the calls at its ends; an end that names no call belongs to the
 * call that was open when the message was sent, or arrived.  A call waits for the message
 * that was sent last of those that it receives; if it receives none, for the one that
 * arrived last of those that it sends.  A call without messages names its partner in fields
 * of the roles partner and tag.
 */
#ifndef WEFT_ANALYSE_WAIT_PARTNERS_H
#define WEFT_ANALYSE_WAIT_PARTNERS_H

#include "domains/messages/model/processors.h"
#include "model/field_cache.h"
#include "store/source.h"

/* The processor that a call waited for, and its message; a plain value. */
struct weft_wait_partner {
    uint32_t processor; /* index in weft_processors.processors; WEFT_NONE: unknown */
    bool tagged;        /* the trace tells the tags of such messages */
    int64_t tag;        /* of the message; of no meaning unless tagged */
    /* container of the message's communicator; WEFT_NONE: none is named */
    uint32_t communicator;
};

/*
 * The sends and receives (ends) of messages, by processor.  Messages are links of the role
 * message, without one-sided transfers and the parts of collective operations.  They are
 * read in parts, so that they need not all be in memory: part P of N has those of the
 * processors I (indices in weft_processors.processors) with I % N = P.  Made by
 * weft_wait_ends_read, freed by weft_wait_ends_free; not changed in between, so several
 * threads may use it.
 */
struct weft_wait_ends;
/*
 * Returns into how many parts, at least 1, to cut the processors, so that the ends of
 * messages in WINDOW take about 256 MiB a part if all processors have as many; at most one
 * a processor.  An estimate: reads no messages.
 */
uint32_t weft_wait_ends_parts(const struct weft_processors *processors,
                              struct weft_span window);
/*
 * Reads the ends (sends and receives) of messages that overlap WINDOW, on the processors I
 * with I % N_PARTS = PART, in one pass over all these messages.  Messages with an unknown
 * processor at an end are left out; one that was never received has no receiving end.
 * Takes 48 bytes an end, 52 if it names no call.  PROCESSORS is borrowed by the result,
 * which the caller frees with weft_wait_ends_free.  Returns NULL, with WEFT_ERR_CANCELLED
 * in *ERR, if JOB (may be NULL) is cancelled.
 */
struct weft_wait_ends *weft_wait_ends_read(const struct weft_processors *processors,
                                           struct weft_span window, uint32_t part,
                                           uint32_t n_parts, struct weft_job *job,
                                           struct weft_err *err) WEFT_MUST_CHECK;
/* Frees ENDS; NULL is fine. */
void weft_wait_ends_free(struct weft_wait_ends *ends);

/*
 * A cursor for the calls of one track, whose processor must be in the part of ENDS.  The
 * caller owns it; weft_wait_asker_begin sets it, and nothing is to be freed.
 */
struct weft_wait_asker {
    const struct weft_wait_ends *ends;
    uint32_t processor; /* index in weft_processors.processors; WEFT_NONE: none */
    /* indices of the track, and of its calls' field of the role partner (or WEFT_NONE) */
    uint32_t track, partner_field;
    struct weft_field_window tags; /* tags in the calls' own fields */
};
/*
 * Sets *ASKER to ask about the calls on TRACK (an index in the schema's tracks), whose
 * container must be, or lie in, a processor of the part that ENDS has; it borrows ENDS.
 * Without a processor, asker->processor is WEFT_NONE.
 */
void weft_wait_asker_begin(struct weft_wait_asker *asker, const struct weft_wait_ends *ends,
                           uint32_t track);
/*
 * Returns the processor that STATE, a call of the asker's track, waited for, with the tag
 * and communicator of the message.  If the call receives messages, that is the sender of
 * the one that was sent last; else, if it sends any, the receiver of the one that arrived
 * last; else the partner that the call's own fields name.  A message whose end names no
 * call belongs to the calls that were open at that time.  The processor is WEFT_NONE if
 * none is known.  Does not check that STATE is a call that waits.  O(log ends) plus the
 * number of ends that name the call; fastest for states in order of time.
 */
struct weft_wait_partner weft_wait_partner_of(struct weft_wait_asker *asker,
                                              const struct weft_state *state);

#endif
