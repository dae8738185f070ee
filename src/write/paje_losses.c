/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the data of a trace that its Paje text cannot hold. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/roles/tables.h"
#include "write/losses.h"
#include "write/paje_losses.h"

/*
 * Returns how many sites lose something: only file and line are written, with each entity.
 */
static uint64_t count_places(const struct weft_schema *schema)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < schema->n_sites; s++)
        n += schema->sites[s].address || schema->sites[s].object[0]
             || schema->sites[s].function[0];
    return n;
}

/* Notes are lost, except those that reading adds anew. */
static uint64_t count_notes(const struct weft_schema *schema)
{
    static const char *const made[] = { WEFT_NOTE_TOOL, WEFT_NOTE_ROLES, WEFT_NOTE_MAP };
    uint64_t n = schema->n_notes;
    for (uint32_t i = 0; i < schema->n_notes; i++)
        for (size_t m = 0; m < sizeof made / sizeof *made; m++)
            n -= strcmp(schema->notes[i].key, made[m]) == 0;
    return n;
}

/* Copies the schema's names only, as reading the text gives them. */
static void forget_roles(const struct weft_schema *schema, struct weft_arena *arena,
                         struct weft_schema *out)
{
    struct weft_type *types = weft_arena_zalloc(arena, schema->n_types + 1, sizeof *types);
    struct weft_value *values =
        weft_arena_zalloc(arena, (size_t)schema->n_values + 1, sizeof *values);
    struct weft_field *fields =
        weft_arena_zalloc(arena, (size_t)schema->n_fields + 1, sizeof *fields);
    struct weft_container *containers =
        weft_arena_zalloc(arena, (size_t)schema->n_containers + 1, sizeof *containers);
    *out = *schema;
    out->format = "paje";
    out->types = types;
    out->values = values;
    out->fields = fields;
    out->containers = containers;
    for (uint32_t i = 0; i < schema->n_types; i++) {
        types[i] = schema->types[i];
        types[i].role = WEFT_ROLE_NONE;
    }
    for (uint32_t i = 0; i < schema->n_values; i++) {
        values[i] = schema->values[i];
        values[i].role = WEFT_ROLE_NONE;
    }
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        fields[i] = schema->fields[i];
        fields[i].role = WEFT_ROLE_NONE;
    }
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        containers[i] = schema->containers[i];
        containers[i].role = WEFT_ROLE_NONE;
    }
}

/* Returns true if a role is lost, where reading assigns FOUND. */
static bool is_lost(enum weft_role role, enum weft_role found)
{
    return role != WEFT_ROLE_NONE && role != found;
}

/* Returns how many roles are lost: Paje has only names, and Weft's own tables know some. */
static uint64_t count_roles(const struct weft_schema *schema)
{
    struct weft_arena arena = { 0 };
    struct weft_schema names;
    struct weft_roles found;
    uint64_t n = 0;
    forget_roles(schema, &arena, &names);
    weft_tables_find(&names, &found);
    for (uint32_t i = 0; i < schema->n_types; i++)
        n += is_lost(schema->types[i].role, found.types[i]);
    for (uint32_t i = 0; i < schema->n_values; i++)
        n += is_lost(schema->values[i].role, found.values[i]);
    for (uint32_t i = 0; i < schema->n_fields; i++)
        n += schema->types[schema->fields[i].type].kind != WEFT_CONTAINER
             && is_lost(schema->fields[i].role, found.fields[i]);
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        const struct weft_container *container = &schema->containers[i];
        n += container->role != schema->types[container->type].role
             && is_lost(container->role, found.containers[i]);
    }
    weft_roles_free(&found);
    weft_arena_free(&arena);
    return n;
}

char *paje_losses(const struct weft_source *source, uint64_t n_link_ends,
                  uint64_t n_not_finite)
{
    const struct weft_schema *schema = source->schema;
    char *losses;
    size_t size;
    FILE *text = weft_text_begin(&losses, &size);
    losses_add(text, source->ops->grid_rows(source, WEFT_GRID_DAG_NODES), "node",
               " of the task DAG");
    losses_add(text, source->ops->grid_rows(source, WEFT_GRID_ARRAY_PATTERNS), "pattern",
               " of references to arrays");
    losses_add(text, n_link_ends, "state", " at the ends of links");
    losses_add(text, n_not_finite, "sample", " without a finite value");
    losses_add(text, schema->n_container_fields, "fact", " of containers");
    losses_add(text, count_roles(schema), "role", "");
    losses_add(text, count_places(schema), "function", " of places");
    losses_add(text, schema->n_hosts, "host", "");
    losses_add(text, schema->n_clocks, "clock", "");
    losses_add(text, count_notes(schema), "note", "");
    weft_text_end(text);
    return losses;
}
