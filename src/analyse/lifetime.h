/* SPDX-License-Identifier: Apache-2.0 */
/* How long the things of a trace existed: what shares of time are shares of. */
#ifndef WEFT_ANALYSE_LIFETIME_H
#define WEFT_ANALYSE_LIFETIME_H

#include "store/schema.h"

/* Ticks that the container of TRACK existed within WINDOW; 0 when it did not. */
int64_t weft_track_lifetime(const struct weft_schema *schema, uint32_t track,
                            struct weft_span window);

#endif
