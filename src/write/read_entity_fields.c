/* SPDX-License-Identifier: Apache-2.0 */
#include "write/read_entity_fields.h"

#include <stdlib.h>

enum {
    MIN_WINDOW = 256,     /* entities at once: as many as a block holds */
    MAX_WINDOW = 1 << 20, /* of them, */
    MAX_CELLS = 1 << 20,  /* and of their fields: 32 MiB */
};

void weft_entity_fields_begin(struct weft_entity_fields *fields,
                              const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    *fields = (struct weft_entity_fields){
        .source = source,
        .n_of_type = weft_zalloc((size_t)schema->n_types + 1, sizeof *fields->n_of_type),
        .track = WEFT_NONE,
    };
    for (uint32_t f = 0; f < schema->n_fields; f++)
        fields->n_of_type[schema->fields[f].type]++;
}

void weft_entity_fields_end(struct weft_entity_fields *fields)
{
    free(fields->n_of_type);
    free(fields->cells);
    free(fields->values);
    free(fields->begin);
    *fields = (struct weft_entity_fields){ 0 };
}

static bool add_run(void *user, uint32_t field, const struct weft_field_run *run)
{
    struct weft_entity_fields *fields = user;
    if (fields->n_cells + run->n > MAX_CELLS) {
        fields->too_many = true;
        return false;
    }
    fields->cells = weft_grow(fields->cells, &fields->capacity, fields->n_cells + run->n,
                              sizeof *fields->cells);
    for (size_t i = 0; i < run->n; i++)
        fields->cells[fields->n_cells++] =
            (struct cell){ (uint32_t)(run->ordinals[i] - fields->first), field,
                           run->values[i] };
    return true;
}

/* Reads the window around ORDINAL; returns false if it has too many fields. */
static bool read_window(struct weft_entity_fields *fields, uint64_t ordinal)
{
    fields->first = ordinal - ordinal % fields->window;
    fields->after = fields->first + fields->window;
    fields->n_cells = 0;
    fields->too_many = false;
    fields->source->ops->all_fields(fields->source, fields->track, fields->first,
                                    fields->after, add_run, fields);
    return !fields->too_many;
}

/* Sorts the cells by entity; stable within an entity. */
static void sort_cells(struct weft_entity_fields *fields)
{
    size_t n = fields->window;
    free(fields->begin);
    free(fields->values);
    fields->begin = weft_zalloc(n + 2, sizeof *fields->begin);
    fields->values = weft_alloc((fields->n_cells + 1) * sizeof *fields->values);
    /* Counted two places on, so that filling leaves the begins. */
    for (size_t i = 0; i < fields->n_cells; i++)
        fields->begin[fields->cells[i].at + 2]++;
    for (size_t i = 2; i <= n; i++)
        fields->begin[i] += fields->begin[i - 1];
    for (size_t i = 0; i < fields->n_cells; i++) {
        const struct cell *cell = &fields->cells[i];
        fields->values[fields->begin[cell->at + 1]++] =
            (struct weft_field_value){ .field = cell->field, .integer = cell->value };
    }
}

static void load(struct weft_entity_fields *fields, uint32_t track, uint64_t ordinal)
{
    const struct weft_schema *schema = fields->source->schema;
    if (fields->track != track) {
        fields->track = track;
        fields->window = MIN_WINDOW;
        while (fields->window < fields->n_of_type[schema->tracks[track].type]
               && fields->window < MAX_WINDOW)
            fields->window *= 2;
    }
    /*
     * Only a crafted store has too many fields even for the smallest window: they are cut
     * off.
     */
    while (!read_window(fields, ordinal) && fields->window > MIN_WINDOW)
        fields->window /= 2;
    sort_cells(fields);
}

const struct weft_field_value *weft_entity_fields(struct weft_entity_fields *fields,
                                                  uint64_t entity, size_t *n)
{
    uint32_t track = weft_entity_track(entity);
    uint64_t ordinal = weft_entity_ordinal(entity);
    *n = 0;
    if (track >= fields->source->schema->n_tracks)
        return NULL;
    if (fields->track != track || ordinal < fields->first || ordinal >= fields->after)
        load(fields, track, ordinal);
    uint32_t begin = fields->begin[ordinal - fields->first];
    *n = fields->begin[ordinal - fields->first + 1] - begin;
    *n = *n < WEFT_FIELDS_MAX ? *n : WEFT_FIELDS_MAX;
    return fields->values + begin;
}
