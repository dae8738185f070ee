/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of entities, for who writes the entities of a track one after the other.  A track may
 * have as many fields as it has entities, each of them with a few: so those of as many
 * entities are read at once as there are fields.
 */
#ifndef WEFT_WRITE_FIELDS_H
#define WEFT_WRITE_FIELDS_H

#include "store/source.h"

struct weft_entity_fields {
    const struct weft_source *source;
    uint32_t *n_of_type; /* fields, by type */
    uint32_t track;      /* whose fields are here, of ordinals in [first, after) */
    uint64_t first, after;
    size_t window; /* so many entities at once: a power of 2 */
    struct cell {
        uint32_t at, field; /* number of its entity behind the first */
        int64_t value;
    } * cells; /* as they were read, field by field */
    size_t n_cells, capacity;
    struct weft_field_value *values; /* entity by entity */
    uint32_t *begin;                 /* [window + 1] in values */
    bool too_many;                   /* to be read at once: the window has to be smaller */
};
void weft_entity_fields_begin(struct weft_entity_fields *fields,
                              const struct weft_source *source);
void weft_entity_fields_end(struct weft_entity_fields *fields);

/*
 * Those of an entity: *N, at most WEFT_FIELDS_MOST, in the order of the question `fields`.  Valid
 * until the next call.  Entities of a track best come in order.  Takes some 40 MiB at most.
 */
const struct weft_field_value *weft_entity_fields(struct weft_entity_fields *fields,
                                                  uint64_t entity, size_t *n);

#endif
