/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of the views of arrays for views of any trace (view/domain_answers.h). */
#include "view/domain_answers.h"

#include "domains/arrays/model/reference_profile.h"

static bool has_tracks_of_states(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_STATE)
            return true;
    return false;
}

/* Arrays are shown first, with the timeline below them if there are states. */
static enum weft_place place(const struct weft_source *source, enum weft_about about,
                             enum weft_place own)
{
    if (about != WEFT_ABOUT_TIME || !weft_profile_fills(source))
        return own;
    return has_tracks_of_states(source->schema) ? WEFT_PLACE_BELOW : WEFT_PLACE_NONE;
}

extern const struct weft_answers weft_answers_arrays;
const struct weft_answers weft_answers_arrays = { .place = place };
