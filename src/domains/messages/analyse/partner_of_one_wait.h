/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processor that one call waited for, by the rules of wait_partners.h, without
 * reading all messages first: it asks the source for those of the call and of its time.
 */
#ifndef WEFT_ANALYSE_PARTNER_OF_ONE_WAIT_H
#define WEFT_ANALYSE_PARTNER_OF_ONE_WAIT_H

#include "domains/messages/analyse/wait_partners.h"

/*
 * Returns what weft_wait_partner_of() returns for STATE, a call on TRACK, an index in the
 * schema's tracks.  O(log n) and the messages that the call names, or that begin or end
 * during it on its processor.  Any number of threads at once.
 */
struct weft_wait_partner weft_partner_of_one_wait(const struct weft_processors *processors,
                                                  uint32_t track,
                                                  const struct weft_state *state);

#endif
