/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/lifetime.h"

int64_t weft_track_lifetime(const struct weft_schema *schema, uint32_t track,
                            struct weft_span window)
{
    const struct weft_container *c = &schema->containers[schema->tracks[track].container];
    int64_t from = c->begin > window.begin ? c->begin : window.begin;
    int64_t to = c->end < window.end ? c->end : window.end;
    return to > from ? to - from : 0;
}
