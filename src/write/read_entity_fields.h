/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the fields of entities, one after the other.  Looking up each field for each entity
 * would be quadratic where a track has many fields but each entity only a few, so fields
 * are read for a window of as many entities at once as there are fields.
 */
#ifndef WEFT_WRITE_READ_ENTITY_FIELDS_H
#define WEFT_WRITE_READ_ENTITY_FIELDS_H

#include "store/source.h"

/* A cache of the fields of one window (some successive entities of a track); begun by
   weft_entity_fields_begin(), ended by weft_entity_fields_end(). */
struct weft_entity_fields {
    const struct weft_source *source;
    uint32_t *n_of_type; /* by type: how many fields of the schema it has */
    uint32_t track;      /* track whose fields are cached, for ordinals in [first, after) */
    uint64_t first, after;
    size_t window; /* entities read at once: a power of 2 */
    struct cell {
        uint32_t at, field; /* at: the entity's ordinal less `first` */
        int64_t value;
    } * cells; /* [n_cells] values of the window, field by field */
    size_t n_cells, capacity;
    struct weft_field_value *values; /* the same values, entity by entity */
    uint32_t *begin;                 /* [window + 1]: where an entity's values begin */
    bool too_many;                   /* reading the window took too much memory: halve it */
};
/* Begins reading fields of entities of SOURCE, which must outlive FIELDS. */
void weft_entity_fields_begin(struct weft_entity_fields *fields,
                              const struct weft_source *source);
/* Frees the memory of FIELDS. */
void weft_entity_fields_end(struct weft_entity_fields *fields);

/*
 * Returns the *N fields, at most WEFT_FIELDS_MAX, of an entity (its id), in the order of
 * the query `fields` of a source; NULL with *N 0 if the schema has no such track, not NULL
 * with *N 0 if the entity has no fields or does not exist.  Valid until the next call.
 * Fastest if entities of a track are read in order.  Takes at most about 40 MiB: in a
 * damaged trace that would need more, some fields are left out.
 */
const struct weft_field_value *weft_entity_fields(struct weft_entity_fields *fields,
                                                  uint64_t entity, size_t *n);

#endif
