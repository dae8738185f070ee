/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/alike_objects.h"

#include "analyse/sites_by_line.h"
#include "base/hash_map.h"

/* Where objects come from; WEFT_NONE: not known, or not needed. */
struct origin {
    uint32_t type;
    uint32_t name, symbol;        /* strings */
    uint32_t created_at, used_at; /* sites */
};

static uint32_t fact(const struct weft_schema *schema, uint32_t object, enum weft_role role,
                     enum weft_field_kind kind)
{
    const struct weft_field_value *value = weft_container_fact(schema, object, role, kind);
    return value ? value->index : WEFT_NONE;
}

static struct origin origin_of(const struct weft_schema *schema, uint32_t object)
{
    struct origin origin = { schema->containers[object].type, WEFT_NONE, WEFT_NONE,
                             WEFT_NONE, WEFT_NONE };
    origin.name = fact(schema, object, WEFT_ROLE_GIVEN_NAME, WEFT_FIELD_TEXT);
    if (origin.name != WEFT_NONE)
        return origin;
    origin.symbol = fact(schema, object, WEFT_ROLE_SYMBOL, WEFT_FIELD_TEXT);
    if (origin.symbol != WEFT_NONE)
        return origin;
    origin.created_at = fact(schema, object, WEFT_ROLE_CREATED_AT, WEFT_FIELD_SITE);
    if (origin.created_at == WEFT_NONE)
        origin.used_at = fact(schema, object, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    return origin;
}

static uint32_t first_alike(struct weft_text_map *first, const struct weft_schema *schema,
                            uint32_t object, const uint32_t *sites_alike)
{
    if (!weft_role_is(schema->containers[object].role, WEFT_ROLE_SYNCHRONIZATION))
        return object;
    struct origin origin = origin_of(schema, object);
    if (origin.created_at != WEFT_NONE)
        origin.created_at = sites_alike[origin.created_at];
    if (origin.used_at != WEFT_NONE)
        origin.used_at = sites_alike[origin.used_at];
    if ((origin.name & origin.symbol & origin.created_at & origin.used_at) == WEFT_NONE)
        return object;
    uint32_t known = weft_text_map_get(first, &origin, sizeof origin);
    if (known != WEFT_MAP_NONE)
        return known;
    weft_text_map_put(first, &origin, sizeof origin, object);
    return object;
}

uint32_t *weft_objects_alike(struct weft_arena *arena, const struct weft_schema *schema,
                             const uint32_t *sites_alike)
{
    struct weft_text_map first = { 0 };
    uint32_t *alike =
        weft_arena_alloc(arena, ((size_t)schema->n_containers + 1) * sizeof *alike);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        alike[c] = first_alike(&first, schema, c, sites_alike);
    weft_text_map_free(&first);
    return alike;
}

const char *weft_objects_text(struct weft_arena *arena, const struct weft_schema *schema,
                              uint32_t object)
{
    struct origin origin = origin_of(schema, object);
    if (origin.name != WEFT_NONE)
        return schema->strings[origin.name];
    if (origin.symbol != WEFT_NONE)
        return schema->strings[origin.symbol];
    return weft_site_text(
        arena, schema, origin.created_at != WEFT_NONE ? origin.created_at : origin.used_at);
}
