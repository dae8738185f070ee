/* SPDX-License-Identifier: Apache-2.0 */
/* Rules applied to what a trace has. */
#include "read/roles/rules.h"

#include <stdlib.h>
#include <string.h>

#include "read/roles/rules_names.h"
#include "read/roles/rules_priv.h"

/* One character of a pattern, which may be escaped; false at its end. */
static const char *literal(const char *pattern)
{
    return *pattern == '\\' && pattern[1] ? pattern + 1 : pattern;
}

/* Past one character of UTF-8. */
static const char *next_character(const char *text)
{
    do
        text++;
    while (((unsigned char)*text & 0xc0) == 0x80);
    return text;
}

bool weft_rules_match(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL; /* the last *, and where it began to stand for */
    while (*text || *pattern) {
        const char *plain = literal(pattern);
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == '?' && *text) {
            pattern++;
            text = next_character(text);
        } else if (*text && *plain == *text) {
            pattern = plain + 1;
            text++;
        } else if (star && *from) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_called(const char *pattern, const char *name, const char *alias)
{
    return weft_rules_match(pattern, name)
           || (alias && alias[0] && weft_rules_match(pattern, alias));
}

static bool is_type_called(const struct weft_schema *schema, uint32_t type,
                           const char *pattern)
{
    if (type == WEFT_NONE)
        return false;
    return is_called(pattern, schema->types[type].name, schema->types[type].alias);
}

/* Is it about the type itself?  A container type with "of" means single containers. */
static bool is_about_type(const struct rule_subject *about,
                          const struct weft_schema *schema, uint32_t type)
{
    const struct weft_type *of = &schema->types[type];
    if (about->subject != weft_kind_subject(of->kind)
        || (about->of && of->kind == WEFT_CONTAINER))
        return false;
    return is_called(about->name, of->name, of->alias)
           && (!about->of || is_type_called(schema, of->parent, about->of));
}

static bool is_about_value(const struct rule_subject *about,
                           const struct weft_schema *schema, uint32_t value)
{
    const struct weft_value *of = &schema->values[value];
    return about->subject == WEFT_ROLE_OF_VALUE
           && (!about->of || is_type_called(schema, of->type, about->of))
           && is_called(about->name, of->name, of->alias);
}

static bool is_about_field(const struct rule_subject *about,
                           const struct weft_schema *schema, uint32_t field)
{
    const struct weft_field *of = &schema->fields[field];
    return about->subject == WEFT_ROLE_OF_FIELD
           && (!about->of || is_type_called(schema, of->type, about->of))
           && weft_rules_match(about->name, of->name);
}

static bool is_about_container(const struct rule_subject *about,
                               const struct weft_schema *schema, uint32_t container)
{
    const struct weft_container *of = &schema->containers[container];
    return about->subject == WEFT_ROLE_OF_CONTAINER && about->of
           && is_called(about->name, of->name, of->alias)
           && is_type_called(schema, of->type, about->of);
}

/* Is a type, a value or a field in the trace? */
static bool is_there(const struct rule_subject *about, const struct weft_schema *schema)
{
    for (uint32_t i = 0; i < schema->n_types; i++)
        if (is_about_type(about, schema, i))
            return true;
    for (uint32_t i = 0; i < schema->n_values; i++)
        if (is_about_value(about, schema, i))
            return true;
    for (uint32_t i = 0; i < schema->n_fields; i++)
        if (is_about_field(about, schema, i))
            return true;
    return false;
}

static bool is_met(const struct rule_need *need, const struct weft_schema *schema)
{
    return need->is_format ? weft_rules_match(need->about.name, schema->format)
                           : is_there(&need->about, schema);
}

static bool names_containers(const struct rule *rule)
{
    return rule->about.subject == WEFT_ROLE_OF_CONTAINER && rule->about.of;
}

/* The values and containers of a trace by their names and identifiers, each of its type. */
struct things {
    const struct weft_schema *schema;
    struct rules_names values, containers;
    struct weft_arena arena;
};

static void put_thing(struct rules_names *names, uint32_t type, const char *name,
                      const char *alias)
{
    rules_names_put(names, type, name, 0);
    if (alias && alias[0])
        rules_names_put(names, type, alias, 0);
}

static void list_things(struct things *things)
{
    const struct weft_schema *schema = things->schema;
    for (uint32_t i = 0; i < schema->n_values; i++)
        put_thing(&things->values, schema->values[i].type, schema->values[i].name,
                  schema->values[i].alias);
    for (uint32_t i = 0; i < schema->n_containers; i++)
        put_thing(&things->containers, schema->containers[i].type,
                  schema->containers[i].name, schema->containers[i].alias);
}

/* Is a thing with this name there, of a type that RULE may mean? */
static bool is_named(const struct things *things, struct rules_names *names,
                     const struct rule_subject *about, const char *name)
{
    for (uint32_t t = 0; t < things->schema->n_types; t++)
        if ((!about->of || is_type_called(things->schema, t, about->of))
            && rules_names_get(names, t, name) != WEFT_MAP_NONE)
            return true;
    return false;
}

static bool is_used(struct things *things, const struct rule *rule)
{
    const struct rule_subject *about = &rule->about;
    const char *name = rules_plain(about->name, &things->arena);
    if (name && about->subject == WEFT_ROLE_OF_VALUE)
        return is_named(things, &things->values, about, name);
    if (name && names_containers(rule))
        return is_named(things, &things->containers, about, name);
    if (is_there(about, things->schema))
        return true;
    for (uint32_t c = 0; names_containers(rule) && c < things->schema->n_containers; c++)
        if (is_about_container(about, things->schema, c))
            return true;
    return false;
}

size_t weft_rules_unused(const struct weft_rules *rules, const struct weft_schema *schema,
                         uint32_t *line)
{
    struct things things = { .schema = schema };
    size_t unused = 0;
    list_things(&things);
    for (size_t i = 0; i < rules->n_rules; i++)
        if (!is_used(&things, &rules->rules[i]) && unused++ == 0)
            *line = rules->rules[i].line;
    rules_names_free(&things.values);
    rules_names_free(&things.containers);
    weft_arena_free(&things.arena);
    return unused;
}

bool weft_rules_fit(const struct weft_rules *rules, const struct weft_schema *schema,
                    uint32_t *line)
{
    for (size_t i = 0; i < rules->n_needs;) {
        uint32_t here = rules->needs[i].line;
        bool met = false;
        for (; i < rules->n_needs && rules->needs[i].line == here; i++)
            met = met || is_met(&rules->needs[i], schema);
        if (met)
            continue;
        if (line)
            *line = here;
        return false;
    }
    return true;
}

const char *weft_rules_tool(const struct weft_rules *rules)
{
    return rules->tool;
}

bool weft_rules_name_containers(const struct weft_rules *rules)
{
    for (size_t i = 0; i < rules->n_rules; i++)
        if (names_containers(&rules->rules[i]))
            return true;
    return false;
}

void weft_roles_init(struct weft_roles *roles, const struct weft_schema *schema)
{
    roles->types = weft_zalloc(schema->n_types + 1, sizeof *roles->types);
    roles->values = weft_zalloc(schema->n_values + 1, sizeof *roles->values);
    roles->fields = weft_zalloc(schema->n_fields + 1, sizeof *roles->fields);
    roles->containers = weft_zalloc(schema->n_containers + 1, sizeof *roles->containers);
    for (uint32_t i = 0; i < schema->n_types; i++)
        roles->types[i] = schema->types[i].role;
    for (uint32_t i = 0; i < schema->n_values; i++)
        roles->values[i] = schema->values[i].role;
    for (uint32_t i = 0; i < schema->n_fields; i++)
        roles->fields[i] = schema->fields[i].role;
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        const struct weft_container *container = &schema->containers[i];
        /* What is as its type stays so when the type gets another role. */
        if (container->role != schema->types[container->type].role)
            roles->containers[i] = container->role;
    }
}

void weft_roles_free(struct weft_roles *roles)
{
    free(roles->types);
    free(roles->values);
    free(roles->fields);
    free(roles->containers);
}

/* Lists of rules, one after another. */
struct applying {
    const struct weft_schema *schema;
    const struct rule **rules; /* in order of rank */
    const size_t *list;        /* of each, which list it is from */
    size_t n;
    bool override;
    size_t *found; /* by list */
};

/* Give what rule I says; true, for the first rule that matches is the one that counts. */
static bool takes(const struct applying *a, enum weft_role *role, size_t i)
{
    if (!a->override && *role != WEFT_ROLE_NONE)
        return true;
    *role = a->rules[i]->role;
    a->found[a->list[i]] += *role != WEFT_ROLE_NONE;
    return true;
}

static void apply_to_types(const struct applying *a, enum weft_role *roles)
{
    for (uint32_t t = 0; t < a->schema->n_types; t++)
        for (size_t i = 0; i < a->n; i++)
            if (is_about_type(&a->rules[i]->about, a->schema, t) && takes(a, &roles[t], i))
                break;
}

static void apply_to_fields(const struct applying *a, enum weft_role *roles)
{
    for (uint32_t f = 0; f < a->schema->n_fields; f++)
        for (size_t i = 0; i < a->n; i++)
            if (is_about_field(&a->rules[i]->about, a->schema, f) && takes(a, &roles[f], i))
                break;
}

/* Values of links may tell kinds of links apart, others may not. */
static bool may_be_of(const struct rule *rule, enum weft_kind kind)
{
    return weft_role_subject(rule->role) != WEFT_ROLE_OF_LINK || kind == WEFT_LINK;
}

/*
 * The rules about the values of types, or about single containers, picked once, for there may be
 * as many of these as of the things.  Those whose pattern is a name are found by it; the others
 * are tried one after the other.
 */
struct picked {
    struct rules_names names; /* of a type, to the first rule of that name */
    size_t *tried;            /* the others, type by type, in order of rank */
    size_t *begin;            /* [n_types + 1]: where each type's begin */
};

/* May a rule of this kind be about things of TYPE? */
static bool is_of_type(const struct applying *a, const struct rule *rule,
                       enum weft_role_subject subject, uint32_t type)
{
    const struct rule_subject *about = &rule->about;
    return about->subject == subject && may_be_of(rule, a->schema->types[type].kind)
           && (about->of ? is_type_called(a->schema, type, about->of)
                         : subject != WEFT_ROLE_OF_CONTAINER);
}

static struct picked pick(const struct applying *a, enum weft_role_subject subject)
{
    struct picked picked = { .begin =
                                 weft_alloc((a->schema->n_types + 1) * sizeof(size_t)) };
    struct weft_arena arena = { 0 };
    size_t n = 0, capacity = 0;
    for (uint32_t t = 0; t < a->schema->n_types; t++) {
        picked.begin[t] = n;
        for (size_t i = 0; i < a->n; i++) {
            if (!is_of_type(a, a->rules[i], subject, t))
                continue;
            const char *name = rules_plain(a->rules[i]->about.name, &arena);
            if (name) {
                rules_names_put(&picked.names, t, name, (uint32_t)i);
                continue;
            }
            picked.tried = weft_grow(picked.tried, &capacity, n + 1, sizeof(size_t));
            picked.tried[n++] = i;
        }
        weft_arena_reset(&arena);
    }
    picked.begin[a->schema->n_types] = n;
    weft_arena_free(&arena);
    return picked;
}

static void free_picked(struct picked *picked)
{
    rules_names_free(&picked->names);
    free(picked->tried);
    free(picked->begin);
}

/* Give a thing of TYPE the role that the first rule about it says. */
static void apply_first(const struct applying *a, struct picked *picked, uint32_t type,
                        const char *name, const char *alias, enum weft_role *role)
{
    uint32_t first = rules_names_get(&picked->names, type, name);
    uint32_t other =
        alias && alias[0] ? rules_names_get(&picked->names, type, alias) : WEFT_MAP_NONE;
    first = other < first ? other : first;
    for (size_t i = picked->begin[type]; i < picked->begin[type + 1]; i++) {
        if (picked->tried[i] > first)
            break;
        if (is_called(a->rules[picked->tried[i]]->about.name, name, alias)) {
            first = (uint32_t)picked->tried[i];
            break;
        }
    }
    if (first != WEFT_MAP_NONE)
        (void)takes(a, role, first);
}

static void apply_to_values(const struct applying *a, enum weft_role *roles)
{
    struct picked picked = pick(a, WEFT_ROLE_OF_VALUE);
    for (uint32_t v = 0; v < a->schema->n_values; v++) {
        const struct weft_value *value = &a->schema->values[v];
        apply_first(a, &picked, value->type, value->name, value->alias, &roles[v]);
    }
    free_picked(&picked);
}

static void apply_to_containers(const struct applying *a, enum weft_role *roles)
{
    struct picked picked = pick(a, WEFT_ROLE_OF_CONTAINER);
    for (uint32_t c = 0; c < a->schema->n_containers; c++) {
        const struct weft_container *container = &a->schema->containers[c];
        apply_first(a, &picked, container->type, container->name, container->alias,
                    &roles[c]);
    }
    free_picked(&picked);
}

void weft_rules_apply(const struct weft_rules *const *rules, size_t n,
                      const struct weft_schema *schema, bool override,
                      struct weft_roles *roles, size_t *found)
{
    struct weft_arena arena = { 0 };
    size_t total = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        total += rules[i]->n_rules;
    const struct rule **all = weft_arena_zalloc(&arena, total + 1, sizeof *all);
    size_t *list = weft_arena_zalloc(&arena, total + 1, sizeof *list);
    struct applying a = { .schema = schema,
                          .rules = all,
                          .list = list,
                          .n = total,
                          .override = override,
                          .found = weft_arena_zalloc(&arena, n + 1, sizeof *a.found) };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < rules[i]->n_rules; k++) {
            all[at] = &rules[i]->rules[k];
            list[at++] = i;
        }
    apply_to_types(&a, roles->types);
    apply_to_fields(&a, roles->fields);
    apply_to_values(&a, roles->values);
    apply_to_containers(&a, roles->containers);
    for (size_t i = 0; i < n && found; i++)
        found[i] = a.found[i];
    weft_arena_free(&arena);
}
