/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache for reading one integer field of a track's entities roughly in order: some
 * hundred values are decoded at a time, and kept until a value outside of them is read.
 */
#ifndef WEFT_MODEL_FIELD_CACHE_H
#define WEFT_MODEL_FIELD_CACHE_H

#include "store/source.h"

struct weft_field_window {
    const struct weft_source *source;
    uint32_t track, field; /* field WEFT_NONE: the track has no such field */
    uint64_t first, after; /* cached ordinals [first, after); empty at first */
    int64_t values[WEFT_RUN_MAX];
    bool said[WEFT_RUN_MAX]; /* [i]: the entity first + i has a value */
};

/*
 * Sets WINDOW to read the integer field with ROLE of the type of TRACK, an index; the type
 * need not have one.  Nothing is to be freed.  SOURCE is borrowed.
 */
void weft_field_window_begin(struct weft_field_window *window,
                             const struct weft_source *source, uint32_t track,
                             enum weft_role role);
/* Like weft_field_window_begin(), for a field whose values are indices of containers. */
void weft_field_window_begin_containers(struct weft_field_window *window,
                                        const struct weft_source *source, uint32_t track,
                                        enum weft_role role);
/*
 * Sets *VALUE to the field's value of the track's entity with ORDINAL.  Returns false,
 * with any *VALUE, if it has none or its block in the store is damaged.
 */
bool weft_field_window_find(struct weft_field_window *window, uint64_t ordinal,
                            int64_t *value);
/* Returns what weft_field_window_find() sets, or 0 where that returns false. */
int64_t weft_field_window_get(struct weft_field_window *window, uint64_t ordinal);

#endif
