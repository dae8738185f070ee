/* SPDX-License-Identifier: Apache-2.0 */
/* Rules applied to what a trace has. */
#include "read/roles/rules.h"

#include <stdlib.h>
#include <string.h>

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

size_t weft_rules_unused(const struct weft_rules *rules, const struct weft_schema *schema,
                         uint32_t *line)
{
    size_t unused = 0;
    for (size_t i = 0; i < rules->n_rules; i++) {
        const struct rule *rule = &rules->rules[i];
        bool there = is_there(&rule->about, schema);
        for (uint32_t c = 0; names_containers(rule) && c < schema->n_containers && !there;
             c++)
            there = is_about_container(&rule->about, schema, c);
        if (!there && unused++ == 0)
            *line = rule->line;
    }
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
 * The rules about one type's values (or single containers) are picked once, for there may be
 * many of these.  BEGIN: [n_types + 1], where each type's rules begin in what is returned.
 */
static size_t *rules_by_type(const struct applying *a, enum weft_role_subject subject,
                             size_t *begin)
{
    size_t *list = NULL;
    size_t n = 0, capacity = 0;
    for (uint32_t t = 0; t < a->schema->n_types; t++) {
        begin[t] = n;
        for (size_t i = 0; i < a->n; i++) {
            const struct rule_subject *about = &a->rules[i]->about;
            if (about->subject != subject
                || !may_be_of(a->rules[i], a->schema->types[t].kind)
                || (about->of && !is_type_called(a->schema, t, about->of))
                || (subject == WEFT_ROLE_OF_CONTAINER && !about->of))
                continue;
            list = weft_grow(list, &capacity, n + 1, sizeof *list);
            list[n++] = i;
        }
    }
    begin[a->schema->n_types] = n;
    return list;
}

static void apply_to_values(const struct applying *a, enum weft_role *roles)
{
    size_t *begin = weft_alloc((a->schema->n_types + 1) * sizeof *begin);
    size_t *rules = rules_by_type(a, WEFT_ROLE_OF_VALUE, begin);
    for (uint32_t v = 0; v < a->schema->n_values; v++) {
        const struct weft_value *value = &a->schema->values[v];
        for (size_t i = begin[value->type]; i < begin[value->type + 1]; i++)
            if (is_called(a->rules[rules[i]]->about.name, value->name, value->alias)
                && takes(a, &roles[v], rules[i]))
                break;
    }
    free(rules);
    free(begin);
}

static void apply_to_containers(const struct applying *a, enum weft_role *roles)
{
    size_t *begin = weft_alloc((a->schema->n_types + 1) * sizeof *begin);
    size_t *rules = rules_by_type(a, WEFT_ROLE_OF_CONTAINER, begin);
    for (uint32_t c = 0; c < a->schema->n_containers; c++) {
        const struct weft_container *container = &a->schema->containers[c];
        for (size_t i = begin[container->type]; i < begin[container->type + 1]; i++)
            if (is_called(a->rules[rules[i]]->about.name, container->name, container->alias)
                && takes(a, &roles[c], rules[i]))
                break;
    }
    free(rules);
    free(begin);
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
