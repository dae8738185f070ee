/* SPDX-License-Identifier: Apache-2.0 */
#include "read/roles/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

/* A name as a pattern that only it matches; a control character becomes "any". */
static char *pattern_of(const char *name)
{
    char *text = weft_alloc(2 * strlen(name) + 3), *to = text;
    bool quote = !*name || strpbrk(name, " \t#/\"") != NULL;
    if (quote)
        *to++ = '"';
    for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
        if (strchr("*?\\\"", *at))
            *to++ = '\\';
        *to++ = *at < ' ' && *at != '\t' ? '?' : (char)*at;
    }
    if (quote)
        *to++ = '"';
    *to = '\0';
    return text;
}

/* Are there other types that a rule with this name is about? */
static bool is_shared(const struct weft_schema *schema, uint32_t type, const char *name)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (t != type
            && (strcmp(schema->types[t].name, name) == 0
                || strcmp(schema->types[t].alias, name) == 0))
            return true;
    return false;
}

/* The name of a type, or its identifier where the name is not its own. */
static char *reference(const struct weft_schema *schema, uint32_t type)
{
    const struct weft_type *of = &schema->types[type];
    bool by_alias = of->alias[0] && is_shared(schema, type, of->name)
                    && !is_shared(schema, type, of->alias);
    return pattern_of(by_alias ? of->alias : of->name);
}

static char *joined(char *of, char *name)
{
    char *text = weft_asprintf("%s/%s", of, name);
    free(of);
    free(name);
    return text;
}

char *weft_roles_type_name(const struct weft_schema *schema, uint32_t type)
{
    return reference(schema, type);
}

char *weft_roles_value_name(const struct weft_schema *schema, uint32_t value)
{
    const struct weft_value *of = &schema->values[value];
    return joined(reference(schema, of->type), pattern_of(of->name));
}

char *weft_roles_field_name(const struct weft_schema *schema, uint32_t field)
{
    const struct weft_field *of = &schema->fields[field];
    return joined(reference(schema, of->type), pattern_of(of->name));
}

bool weft_roles_is_worth_saying(const struct weft_schema *schema, uint32_t value)
{
    const struct weft_value *of = &schema->values[value];
    const struct weft_type *type = &schema->types[of->type];
    return of->role || type->kind == WEFT_STATE || !type->role;
}

static bool put(FILE *stream, const char *subject, char *name, enum weft_role role)
{
    fprintf(stream, "%s%-9s  %-40s  %s\n", role ? "" : "# ", subject, name,
            role ? weft_role_name(role) : "none");
    free(name);
    return !role;
}

/* The values and fields of each type, in order: "first of" and "next" lists. */
struct lists {
    uint32_t *first, *next;
};

static struct lists list_by_type(const struct weft_schema *schema, uint32_t n,
                                 uint32_t (*type_of)(const struct weft_schema *, uint32_t))
{
    struct lists lists = { weft_alloc((schema->n_types + 1) * sizeof(uint32_t)),
                           weft_alloc((n + 1) * sizeof(uint32_t)) };
    memset(lists.first, 0xff, (schema->n_types + 1) * sizeof(uint32_t));
    for (uint32_t i = n; i-- > 0;) {
        lists.next[i] = lists.first[type_of(schema, i)];
        lists.first[type_of(schema, i)] = i;
    }
    return lists;
}

static uint32_t type_of_value(const struct weft_schema *schema, uint32_t value)
{
    return schema->values[value].type;
}

static uint32_t type_of_field(const struct weft_schema *schema, uint32_t field)
{
    return schema->fields[field].type;
}

static void free_lists(struct lists *lists)
{
    free(lists->first);
    free(lists->next);
}

static void put_containers(const struct weft_schema *schema, FILE *stream)
{
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_container *of = &schema->containers[c];
        if (of->role == schema->types[of->type].role)
            continue;
        put(stream, "container", joined(reference(schema, of->type), pattern_of(of->name)),
            of->role);
    }
}

size_t weft_roles_write(const struct weft_schema *schema, FILE *stream)
{
    struct lists values = list_by_type(schema, schema->n_values, type_of_value);
    struct lists fields = list_by_type(schema, schema->n_fields, type_of_field);
    size_t unknown = 0;
    for (uint32_t t = 0; t < schema->n_types; t++) {
        if (t == 0 && !schema->types[0].role)
            continue; /* the root, which holds all others */
        unknown += put(stream, weft_kind_name(schema->types[t].kind),
                       weft_roles_type_name(schema, t), schema->types[t].role);
        for (uint32_t v = values.first[t]; v != WEFT_NONE; v = values.next[v])
            if (weft_roles_is_worth_saying(schema, v))
                unknown += put(stream, "value", weft_roles_value_name(schema, v),
                               schema->values[v].role);
        for (uint32_t f = fields.first[t]; f != WEFT_NONE; f = fields.next[f])
            unknown += put(stream, "field", weft_roles_field_name(schema, f),
                           schema->fields[f].role);
    }
    put_containers(schema, stream);
    free_lists(&values);
    free_lists(&fields);
    return unknown;
}
