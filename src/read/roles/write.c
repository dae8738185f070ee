/* SPDX-License-Identifier: Apache-2.0 */
#include "read/roles/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"

struct schema_walk {
    const struct weft_schema *schema;
    struct weft_text_map types; /* text: number of types with it as name or identifier */
    uint32_t *first_value, *next_value, *first_field, *next_field; /* lists by type */
    void (*visit)(void *user, const struct weft_role_thing *thing);
    void *user;
};

/* Returns a pattern that matches only this name; a control character becomes ?. */
static char *pattern_of(const char *name)
{
    char *text = weft_alloc(2 * strlen(name) + 3), *to = text;
    bool quote = !*name || strpbrk(name, " \t#/\"") != NULL;
    if (quote)
        *to++ = '"';
    for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
        if (strchr("*?\\\"", *at))
            *to++ = '\\';
        /* U+0080 to U+009F: one character */
        bool two = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        bool control = two || (*at < ' ' && *at != '\t') || *at == 0x7f;
        *to++ = control ? '?' : (char)*at;
        at += two;
    }
    if (quote)
        *to++ = '"';
    *to = '\0';
    return text;
}

static void count_text(struct weft_text_map *types, const char *text)
{
    uint32_t known = weft_text_map_get(types, text, strlen(text));
    weft_text_map_put(types, text, strlen(text), known == WEFT_MAP_NONE ? 1 : known + 1);
}

static void count_names(struct schema_walk *walk)
{
    for (uint32_t t = 0; t < walk->schema->n_types; t++) {
        const struct weft_type *type = &walk->schema->types[t];
        count_text(&walk->types, type->name);
        if (type->alias[0] && strcmp(type->alias, type->name) != 0)
            count_text(&walk->types, type->alias);
    }
}

static bool is_its_own(const struct schema_walk *walk, const char *text)
{
    return weft_text_map_get(&walk->types, text, strlen(text)) == 1;
}

/* Returns the name of a type; or its identifier if only that is unique. */
static char *reference(const struct schema_walk *walk, uint32_t type)
{
    const struct weft_type *of = &walk->schema->types[type];
    bool by_alias =
        of->alias[0] && !is_its_own(walk, of->name) && is_its_own(walk, of->alias);
    return pattern_of(by_alias ? of->alias : of->name);
}

static void make_lists(struct schema_walk *walk)
{
    const struct weft_schema *schema = walk->schema;
    size_t heads = (schema->n_types + 1) * sizeof(uint32_t);
    walk->first_value = weft_alloc(heads);
    walk->first_field = weft_alloc(heads);
    walk->next_value = weft_alloc((schema->n_values + 1) * sizeof(uint32_t));
    walk->next_field = weft_alloc((schema->n_fields + 1) * sizeof(uint32_t));
    memset(walk->first_value, 0xff, heads);
    memset(walk->first_field, 0xff, heads);
    for (uint32_t i = schema->n_values; i-- > 0;) {
        walk->next_value[i] = walk->first_value[schema->values[i].type];
        walk->first_value[schema->values[i].type] = i;
    }
    for (uint32_t i = schema->n_fields; i-- > 0;) {
        walk->next_field[i] = walk->first_field[schema->fields[i].type];
        walk->first_field[schema->fields[i].type] = i;
    }
}

/* Visit a value or field called NAME of a type. */
static void visit_member(const struct schema_walk *walk, struct weft_role_thing thing,
                         const char *name)
{
    char *of = reference(walk, thing.type), *own = pattern_of(name);
    char *both = weft_asprintf("%s/%s", of, own);
    thing.name = both;
    walk->visit(walk->user, &thing);
    free(both);
    free(own);
    free(of);
}

static void visit_type(const struct schema_walk *walk, uint32_t type)
{
    const struct weft_schema *schema = walk->schema;
    const struct weft_type *of = &schema->types[type];
    char *name = reference(walk, type);
    walk->visit(walk->user, &(struct weft_role_thing){ weft_kind_subject(of->kind), type,
                                                       type, false, name, of->role });
    free(name);
    for (uint32_t v = walk->first_value[type]; v != WEFT_NONE; v = walk->next_value[v]) {
        enum weft_role role = schema->values[v].role;
        if (role || of->kind == WEFT_STATE || !of->role)
            visit_member(
                walk,
                (struct weft_role_thing){ WEFT_ROLE_OF_VALUE, v, type, false, NULL, role },
                schema->values[v].name);
    }
    for (uint32_t f = walk->first_field[type]; f != WEFT_NONE; f = walk->next_field[f])
        visit_member(walk,
                     (struct weft_role_thing){ WEFT_ROLE_OF_FIELD, f, type, false, NULL,
                                               schema->fields[f].role },
                     schema->fields[f].name);
}

void weft_roles_each(const struct weft_schema *schema,
                     void (*visit)(void *user, const struct weft_role_thing *thing),
                     void *user)
{
    struct schema_walk walk = { .schema = schema, .visit = visit, .user = user };
    count_names(&walk);
    make_lists(&walk);
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (t > 0 || schema->types[t].role)
            visit_type(&walk, t);
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_container *of = &schema->containers[c];
        if (of->role != schema->types[of->type].role)
            visit_member(&walk,
                         (struct weft_role_thing){ WEFT_ROLE_OF_CONTAINER, c, of->type,
                                                   true, NULL, of->role },
                         of->name);
    }
    weft_text_map_free(&walk.types);
    free(walk.first_value);
    free(walk.first_field);
    free(walk.next_value);
    free(walk.next_field);
}

struct role_writer {
    FILE *stream;
    size_t unknown;
};

static void put_rule(void *user, const struct weft_role_thing *thing)
{
    struct role_writer *writer = user;
    fprintf(writer->stream, "%s%-9s  %-40s  %s\n", thing->role ? "" : "# ",
            weft_role_subject_name(thing->subject), thing->name,
            thing->role ? weft_role_name(thing->role) : "none");
    writer->unknown += !thing->role;
}

size_t weft_roles_write(const struct weft_schema *schema, FILE *stream)
{
    struct role_writer writer = { .stream = stream };
    weft_roles_each(schema, put_rule, &writer);
    return writer.unknown;
}
