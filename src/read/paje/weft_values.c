/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "read/paje/weft_values.h"

#include <stdlib.h>
#include <string.h>

#include "read/paje/apply_records.h"

#define MAX_ORDINAL ((INT64_C(1) << 40) - 1) /* of an entity on its track */

/* Returns the index of the container that LENGTH bytes of TEXT name; WEFT_NONE: none. */
static uint32_t container_called(const struct paje_simulator *s, const char *text,
                                 size_t length)
{
    struct paje_key key = paje_key(text, length);
    uint32_t symbol = paje_symbol_find(&s->names->symbols, &key, text, length);
    return symbol == WEFT_NONE ? WEFT_NONE : paje_container_index(s, symbol);
}

uint64_t paje_entity_id(struct paje_simulator *s, const char *text, size_t length)
{
    const char *end = text + length, *type_at = memchr(text, '/', length);
    uint32_t container =
        container_called(s, text, (size_t)((type_at ? type_at : end) - text));
    if (container == WEFT_NONE)
        return WEFT_NO_ID;
    if (!type_at++)
        return weft_container_id(container, false);
    const char *ordinal_at = memchr(type_at, '/', (size_t)(end - type_at));
    if (!ordinal_at)
        return WEFT_NO_ID;
    struct paje_key key = paje_key(type_at, (size_t)(ordinal_at - type_at));
    uint32_t symbol =
        paje_symbol_find(&s->names->symbols, &key, type_at, (size_t)(ordinal_at - type_at));
    uint32_t type = symbol == WEFT_NONE ? WEFT_NONE : paje_type_index(s, symbol);
    int64_t ordinal;
    ordinal_at++;
    if (type == WEFT_NONE || s->tables.types[type].kind == WEFT_CONTAINER
        || !paje_parse_integer(ordinal_at, (size_t)(end - ordinal_at), &ordinal)
        || ordinal < 0 || ordinal > MAX_ORDINAL)
        return WEFT_NO_ID;
    return weft_entity_id(weft_builder_track(s->builder, container, type),
                          (uint64_t)ordinal);
}

/* Takes file:line, LENGTH bytes of TEXT; false if it is none.  The caller frees *FILE. */
static bool parse_line(const char *text, size_t length, char **file, uint32_t *line)
{
    const char *colon = memrchr(text, ':', length);
    size_t behind = colon ? (size_t)(text + length - colon - 1) : 0;
    int64_t number;
    if (!colon || !paje_parse_integer(colon + 1, behind, &number) || number < 0
        || number > INT32_MAX)
        return false;
    *line = (uint32_t)number;
    *file = weft_strndup(text, (size_t)(colon - text));
    return true;
}

static bool parse_hex(const char *text, size_t length, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, text[i]);
        if (!digit || !text[i])
            return false;
        *number = *number << 4 | (uint64_t)(digit - digits);
    }
    return length > 0 && length <= 16;
}

/* Takes a place, LENGTH bytes of TEXT; false if it is none.  A function may have bars. */
static bool parse_site(struct paje_simulator *s, const char *text, size_t length,
                       uint32_t *index)
{
    const char *end = text + length;
    const char *first = memchr(text, PAJE_SITE_BAR, length);
    const char *last = memrchr(text, PAJE_SITE_BAR, length);
    const char *middle =
        first < last ? memrchr(first + 1, PAJE_SITE_BAR, (size_t)(last - first - 1)) : NULL;
    char *file = NULL, *function = NULL, *object = NULL;
    struct weft_site site = { 0 };
    if (middle && parse_hex(last + 1, (size_t)(end - last - 1), &site.address)
        && parse_line(text, (size_t)(first - text), &file, &site.line)) {
        function = weft_strndup(first + 1, (size_t)(middle - first - 1));
        object = weft_strndup(middle + 1, (size_t)(last - middle - 1));
    } else {
        site.address = 0;
        if (!parse_line(text, length, &file, &site.line))
            return false;
    }
    site.file = file;
    site.function = function;
    site.object = object;
    *index = weft_builder_site(s->builder, &site);
    free(file);
    free(function);
    free(object);
    return true;
}

bool paje_parse_written(struct paje_simulator *s, enum paje_writing writing,
                        const char *text, size_t length, struct weft_field_value *value,
                        enum weft_field_kind *kind)
{
    switch (writing) {
    case PAJE_AS_REAL:
        *kind = WEFT_FIELD_REAL;
        return paje_parse_number(text, length, &value->real);
    case PAJE_AS_CONTAINER:
        *kind = WEFT_FIELD_CONTAINER;
        value->index = container_called(s, text, length);
        return value->index != WEFT_NONE;
    case PAJE_AS_ENTITY:
        *kind = WEFT_FIELD_ENTITY;
        value->entity = paje_entity_id(s, text, length);
        return value->entity != WEFT_NO_ID;
    case PAJE_AS_SITE:
        *kind = WEFT_FIELD_SITE;
        return parse_site(s, text, length, &value->index);
    default: return false;
    }
}
