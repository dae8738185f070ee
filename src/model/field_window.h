/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The integers of a field of a track's entities, for who comes by them more or less in order:
 * some hundred are decoded at a time, and kept until others are asked for.
 */
#ifndef WEFT_MODEL_FIELD_WINDOW_H
#define WEFT_MODEL_FIELD_WINDOW_H

#include "store/source.h"

struct weft_field_window {
    const struct weft_source *source;
    uint32_t track, field; /* field WEFT_NONE: there is none, and all values are 0 */
    uint64_t first, after; /* ordinals; none at first */
    int64_t values[WEFT_RUN_MOST];
    bool said[WEFT_RUN_MOST]; /* which there are */
};

/* For the field with ROLE of a track. */
void weft_field_window_begin(struct weft_field_window *window,
                             const struct weft_source *source, uint32_t track,
                             enum weft_role role);
/* The same for one that names containers. */
void weft_field_window_begin_containers(struct weft_field_window *window,
                                        const struct weft_source *source, uint32_t track,
                                        enum weft_role role);
/* The value of an entity by its ordinal; false: it has none, or that cannot be read. */
bool weft_field_window_find(struct weft_field_window *window, uint64_t ordinal,
                            int64_t *value);
/* The same; 0 where it has none. */
int64_t weft_field_window_get(struct weft_field_window *window, uint64_t ordinal);

#endif
