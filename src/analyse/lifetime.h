/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how long containers existed: the denominator of shares of time. */
#ifndef WEFT_ANALYSE_LIFETIME_H
#define WEFT_ANALYSE_LIFETIME_H

#include "store/schema.h"

/*
 * Returns for how many ticks of WINDOW the container (a thread, a lock ...) to which TRACK,
 * an index in schema->tracks, belongs existed (container->begin to end); 0 if it did not.
 */
int64_t weft_track_lifetime(const struct weft_schema *schema, uint32_t track,
                            struct weft_span window);

#endif
