/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache for reading one field of a track's entities roughly in order: some
 * hundred values are decoded at a time, and kept until a value outside of them is read.
 */
#ifndef WEFT_MODEL_FIELD_CACHE_H
#define WEFT_MODEL_FIELD_CACHE_H

#include "store/source.h"

/*
 * A cache of the values of one field of a track (the entities of one type in one
 * container); weft_field_window_begin() sets it.
 */
struct weft_field_window {
    const struct weft_source *source;
    uint32_t track, field;        /* field WEFT_NONE: the track has no such field */
    uint64_t first, after;        /* cached ordinals [first, after); empty at first */
    int64_t values[WEFT_RUN_MAX]; /* [i]: of the entity first + i */
    bool said[WEFT_RUN_MAX];      /* [i]: the entity first + i has a value */
};

/*
 * Sets WINDOW to read the integer field that has ROLE in the type of TRACK, an index in
 * schema->tracks; the type need not have one: window->field is WEFT_NONE then.  Nothing is
 * to be freed.  SOURCE must live as long as WINDOW.
 */
void weft_field_window_begin(struct weft_field_window *window,
                             const struct weft_source *source, uint32_t track,
                             enum weft_role role);
/*
 * Sets WINDOW to read the field of TRACK, an index in schema->tracks, that has ROLE and
 * whose values are containers (WEFT_FIELD_CONTAINER): indices in schema->containers.
 * window->field is WEFT_NONE if the track's type has none.  Nothing is to be freed.  SOURCE
 * must live as long as WINDOW.
 */
void weft_field_window_begin_containers(struct weft_field_window *window,
                                        const struct weft_source *source, uint32_t track,
                                        enum weft_role role);
/*
 * Sets WINDOW to read FIELD, an index in schema->fields (or WEFT_NONE: no values), of any
 * kind, of TRACK, an index in schema->tracks: values are as in struct weft_field_run.
 * Nothing is to be freed.  SOURCE must live as long as WINDOW.
 */
void weft_field_window_begin_field(struct weft_field_window *window,
                                   const struct weft_source *source, uint32_t track,
                                   uint32_t field);
/*
 * Sets *VALUE to the field's value of the track's entity with ORDINAL (its place in order
 * of begin, from 0).  Returns false, with any *VALUE, if the entity or track has none or
 * its block in the store is damaged.
 */
bool weft_field_window_find(struct weft_field_window *window, uint64_t ordinal,
                            int64_t *value);
/*
 * Returns the value of WINDOW's field that the track's entity with ORDINAL has, like
 * weft_field_window_find(); 0 if it has none or its block in the store is damaged.
 */
int64_t weft_field_window_get(struct weft_field_window *window, uint64_t ordinal);

#endif
