/* SPDX-License-Identifier: Apache-2.0 */
#include "store/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"

const char *weft_kind_name(enum weft_kind kind)
{
    switch (kind) {
    case WEFT_CONTAINER: return "container";
    case WEFT_STATE: return "state";
    case WEFT_EVENT: return "event";
    case WEFT_VARIABLE: return "variable";
    case WEFT_LINK: return "link";
    }
    return "unknown";
}

enum weft_role_subject weft_kind_subject(enum weft_kind kind)
{
    switch (kind) {
    case WEFT_CONTAINER: return WEFT_ROLE_OF_CONTAINER;
    case WEFT_STATE: return WEFT_ROLE_OF_STATE;
    case WEFT_EVENT: return WEFT_ROLE_OF_EVENT;
    case WEFT_VARIABLE: return WEFT_ROLE_OF_VARIABLE;
    case WEFT_LINK: return WEFT_ROLE_OF_LINK;
    }
    return WEFT_ROLE_SUBJECTS;
}

/* Returns true if the text, site or container that a field's value names exists. */
static bool refers(const struct weft_schema *schema, const struct weft_field_value *value)
{
    switch (schema->fields[value->field].kind) {
    case WEFT_FIELD_TEXT: return value->index < schema->n_strings;
    case WEFT_FIELD_SITE: return value->index < schema->n_sites;
    case WEFT_FIELD_CONTAINER: return value->index < schema->n_containers;
    default: return true;
    }
}

const struct weft_field_value *weft_field_with_role(const struct weft_schema *schema,
                                                    const struct weft_field_value *fields,
                                                    size_t n, enum weft_role role,
                                                    enum weft_field_kind kind)
{
    for (size_t i = 0; i < n; i++) {
        if (fields[i].field >= schema->n_fields)
            continue;
        const struct weft_field *field = &schema->fields[fields[i].field];
        if (field->kind == kind && weft_role_is(field->role, role)
            && refers(schema, &fields[i]))
            return &fields[i];
    }
    return NULL;
}

const struct weft_field_value *weft_container_fact(const struct weft_schema *schema,
                                                   uint32_t container, enum weft_role role,
                                                   enum weft_field_kind kind)
{
    size_t n;
    const struct weft_field_value *facts = weft_container_facts(schema, container, &n);
    return weft_field_with_role(schema, facts, n, role, kind);
}

uint32_t weft_type_with_role(const struct weft_schema *schema, enum weft_role role)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (weft_role_is(schema->types[t].role, role))
            return t;
    return WEFT_NONE;
}

uint32_t weft_value_with_role(const struct weft_schema *schema, uint32_t type,
                              enum weft_role role)
{
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (schema->values[v].type == type && weft_role_is(schema->values[v].role, role))
            return v;
    return WEFT_NONE;
}

size_t weft_values_with_role(const struct weft_schema *schema, uint32_t type,
                             enum weft_role role, uint32_t *values, size_t capacity)
{
    size_t n = 0;
    for (uint32_t v = 0; v < schema->n_values; v++) {
        if (schema->values[v].type != type || !weft_role_is(schema->values[v].role, role))
            continue;
        if (n < capacity)
            values[n] = v;
        n++;
    }
    return n;
}

uint32_t weft_field_of_type(const struct weft_schema *schema, uint32_t type,
                            enum weft_role role, enum weft_field_kind kind)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].type == type && schema->fields[f].kind == kind
            && weft_role_is(schema->fields[f].role, role))
            return f;
    return WEFT_NONE;
}

const char *weft_name_cut(const char *name, struct weft_arena *arena)
{
    enum { MAX_NAME_BYTES = 256 };
    size_t n = strnlen(name, MAX_NAME_BYTES + 1);
    if (n <= MAX_NAME_BYTES)
        return name;
    for (n = MAX_NAME_BYTES; n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80;)
        n--;
    return weft_arena_printf(arena, "%.*s…", (int)n, name);
}

const char **weft_container_labels(const struct weft_schema *schema,
                                   struct weft_arena *arena)
{
    const char **labels =
        weft_arena_alloc(arena, (schema->n_containers + 1) * sizeof *labels);
    struct weft_text_map first = { 0 }; /* by type and name: the container, or SEVERAL */
    const uint32_t several = WEFT_MAP_NONE - 1;
    struct weft_arena keys = { 0 };
    const char **key = weft_arena_alloc(&keys, (schema->n_containers + 1) * sizeof *key);
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_container *of = &schema->containers[c];
        key[c] =
            weft_arena_printf(&keys, "%u %s", of->type, weft_name_cut(of->name, &keys));
        bool again = weft_text_map_get(&first, key[c], strlen(key[c])) != WEFT_MAP_NONE;
        weft_text_map_put(&first, key[c], strlen(key[c]), again ? several : c);
    }
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_container *of = &schema->containers[c];
        bool alone = weft_text_map_get(&first, key[c], strlen(key[c])) != several;
        if (alone || of->parent == WEFT_NONE) {
            labels[c] = of->name;
            continue;
        }
        labels[c] = weft_arena_printf(
            arena, "%s/%s", weft_name_cut(schema->containers[of->parent].name, arena),
            weft_name_cut(of->name, arena));
    }
    weft_text_map_free(&first);
    weft_arena_free(&keys);
    return labels;
}

static bool is_called(const struct weft_container *container, const char *text,
                      size_t length)
{
    return (strncmp(container->name, text, length) == 0 && !container->name[length])
           || (container->alias[0] && strncmp(container->alias, text, length) == 0
               && !container->alias[length]);
}

enum { MAX_LOOKS = 1 << 26 }; /* comparisons of names: a second */

struct
    /* a step of the way from the root: a child, whose name ends before END */
    path_step {
    uint32_t container;
    const char *path, *end;
    size_t longest; /* length of the longest of its names */
};

struct path_search {
    const struct weft_schema *schema;
    uint32_t result; /* the last match */
    unsigned found;
    uint64_t looks; /* at names: aliases lead to a container in many ways */
};

static struct path_step step_to(const struct path_search *search, uint32_t container,
                                const char *path)
{
    struct path_step step = { container, path, path, 0 };
    if (container != WEFT_NONE) {
        size_t name = strlen(search->schema->containers[container].name);
        size_t alias = strlen(search->schema->containers[container].alias);
        step.longest = name > alias ? name : alias;
    }
    return step;
}

/*
 * Follows a path of names below the root.  A name may itself contain slashes, so every
 * prefix that names a child is tried.
 */
static void follow(struct path_search *search, const char *path)
{
    const struct weft_container *containers = search->schema->containers;
    size_t n = 0, capacity = 0;
    struct path_step *steps = weft_grow(NULL, &capacity, 1, sizeof *steps);
    steps[n++] = step_to(search, containers[0].first_child, path);
    while (n && search->looks < MAX_LOOKS) {
        struct path_step *step = &steps[n - 1];
        if (step->container == WEFT_NONE) {
            n--;
            continue;
        }
        if (!*step->end || (size_t)(step->end - step->path) >= step->longest) {
            *step = step_to(search, containers[step->container].next_sibling, step->path);
            continue;
        }
        const char *end = ++step->end; /* behind a name, if it ends here */
        uint32_t c = step->container;
        if (*end && *end != '/')
            continue;
        search->looks++;
        if (!is_called(&containers[c], step->path, (size_t)(end - step->path)))
            continue;
        if (!*end) {
            search->found += search->result != c;
            search->result = c;
            continue;
        }
        steps = weft_grow(steps, &capacity, n + 1, sizeof *steps);
        steps[n++] = step_to(search, containers[c].first_child, end + 1);
    }
    free(steps);
}

uint32_t weft_find_container(const struct weft_schema *schema, const char *text,
                             bool *ambiguous)
{
    *ambiguous = false;
    if (!schema->n_containers || !text[0])
        return WEFT_NONE;
    if (text[0] == '#') {
        char *end;
        unsigned long long index = strtoull(text + 1, &end, 10);
        return text[1] && !*end && index < schema->n_containers ? (uint32_t)index
                                                                : WEFT_NONE;
    }
    size_t length = strlen(text);
    if (is_called(&schema->containers[0], text, length))
        return 0;
    struct path_search search = { .schema = schema, .result = WEFT_NONE };
    const char *path = text;
    const char *root = schema->containers[0].name;
    size_t root_length = strlen(root);
    if (strncmp(text, root, root_length) == 0 && text[root_length] == '/')
        path += root_length + 1;
    follow(&search, path);
    if (search.looks >= MAX_LOOKS) { /* there may be other matches */
        *ambiguous = true;
        return WEFT_NONE;
    }
    if (!search.found) {
        for (uint32_t c = 1; c < schema->n_containers; c++)
            if (is_called(&schema->containers[c], text, length)) {
                search.result = c;
                search.found++;
            }
    }
    *ambiguous = search.found > 1;
    return search.found == 1 ? search.result : WEFT_NONE;
}
