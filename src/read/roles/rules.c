/* SPDX-License-Identifier: Apache-2.0 */
/* Applies rules to the things of a trace. */
#include "read/roles/rules.h"

#include <stdlib.h>
#include <string.h>

#include "read/roles/rules_find.h"

/* Returns a pattern's next character, without its escape. */
static const char *literal(const char *pattern)
{
    return *pattern == '\\' && pattern[1] ? pattern + 1 : pattern;
}

/* Skip one character of UTF-8. */
static const char *next_character(const char *text)
{
    do
        text++;
    while (((unsigned char)*text & 0xc0) == 0x80);
    return text;
}

bool weft_rules_match(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL; /* the last *, and the text that it matches */
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

/* A rule about the type itself?  A container type with "of" means single containers. */
static bool is_about_type(const struct rule_subject *about,
                          const struct weft_schema *schema, uint32_t type)
{
    const struct weft_type *of = &schema->types[type];
    if (about->subject != weft_kind_subject(of->kind)
        || (about->of && of->kind == WEFT_CONTAINER))
        return false;
    return rules_is_called(about->name, of->name, of->alias)
           && (!about->of || rules_is_type_called(schema, of->parent, about->of));
}

static bool is_about_value(const struct rule_subject *about,
                           const struct weft_schema *schema, uint32_t value)
{
    const struct weft_value *of = &schema->values[value];
    return about->subject == WEFT_ROLE_OF_VALUE
           && (!about->of || rules_is_type_called(schema, of->type, about->of))
           && rules_is_called(about->name, of->name, of->alias);
}

static bool is_about_field(const struct rule_subject *about,
                           const struct weft_schema *schema, uint32_t field)
{
    const struct weft_field *of = &schema->fields[field];
    return about->subject == WEFT_ROLE_OF_FIELD
           && (!about->of || rules_is_type_called(schema, of->type, about->of))
           && weft_rules_match(about->name, of->name);
}

/* Returns true if the trace has a matching type, value or field. */
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

/* ---- Things ---- */

/* The kinds of things, each with rules of its own. */
struct kind_of_thing {
    enum weft_role_subject subject;
    bool single; /* containers, not their types */
};
static const struct kind_of_thing kinds[] = {
    { WEFT_ROLE_OF_CONTAINER, false }, { WEFT_ROLE_OF_STATE, false },
    { WEFT_ROLE_OF_EVENT, false },     { WEFT_ROLE_OF_VARIABLE, false },
    { WEFT_ROLE_OF_LINK, false },      { WEFT_ROLE_OF_VALUE, false },
    { WEFT_ROLE_OF_FIELD, false },     { WEFT_ROLE_OF_CONTAINER, true },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint32_t n_things(const struct kind_of_thing *kind, const struct weft_schema *schema)
{
    return kind->single                          ? schema->n_containers
           : kind->subject == WEFT_ROLE_OF_VALUE ? schema->n_values
           : kind->subject == WEFT_ROLE_OF_FIELD ? schema->n_fields
                                                 : schema->n_types;
}

/* Get thing I of a kind; returns false if its type has another kind. */
static bool get_thing(const struct kind_of_thing *kind, const struct weft_schema *schema,
                      uint32_t i, struct rules_thing *out)
{
    if (kind->single) {
        const struct weft_container *of = &schema->containers[i];
        *out = (struct rules_thing){ of->name, of->alias, of->type, false };
    } else if (kind->subject == WEFT_ROLE_OF_VALUE) {
        const struct weft_value *of = &schema->values[i];
        /* Values of links may have roles of links; others may not. */
        *out = (struct rules_thing){ of->name, of->alias, of->type,
                                     schema->types[of->type].kind == WEFT_LINK };
    } else if (kind->subject == WEFT_ROLE_OF_FIELD) {
        const struct weft_field *of = &schema->fields[i];
        *out = (struct rules_thing){ of->name, NULL, of->type, false };
    } else {
        const struct weft_type *of = &schema->types[i];
        *out = (struct rules_thing){ of->name, of->alias, of->parent, true };
        return weft_kind_subject(of->kind) == kind->subject;
    }
    return true;
}

/* ---- What is used ---- */

static void mark_used(const struct weft_schema *schema, const struct rule *const *rules,
                      size_t n, const struct kind_of_thing *kind, bool *used)
{
    struct rules_finder finder;
    struct rules_thing thing;
    rules_finder_begin(&finder, schema, rules, n, kind->subject, kind->single);
    for (uint32_t i = 0; finder.n && i < n_things(kind, schema); i++)
        if (get_thing(kind, schema, i, &thing)) {
            thing.links = true;
            rules_mark(&finder, &thing, used);
        }
    for (uint32_t i = 0; finder.n && i < n; i++)
        if (rules[i]->about.subject == kind->subject)
            used[i] = used[i] || used[rules_same(&finder, i)];
    rules_finder_end(&finder);
}

size_t weft_rules_unused(const struct weft_rules *rules, const struct weft_schema *schema,
                         uint32_t *line)
{
    size_t unused = 0, n = rules->n_rules;
    const struct rule **all = weft_alloc((n + 1) * sizeof *all);
    bool *used = weft_zalloc(n + 1, sizeof *used);
    for (size_t i = 0; i < n; i++)
        all[i] = &rules->rules[i];
    for (size_t k = 0; k < KINDS; k++)
        mark_used(schema, all, n, &kinds[k], used);
    for (size_t i = 0; i < n; i++)
        if (!used[i] && unused++ == 0)
            *line = rules->rules[i].line;
    free(all);
    free(used);
    return unused;
}

bool weft_rules_fit(const struct weft_rules *rules, const struct weft_schema *schema,
                    uint32_t *line, const struct weft_job *job)
{
    for (size_t i = 0; i < rules->n_needs;) {
        uint32_t here = rules->needs[i].line;
        bool met = weft_job_cancelled(job);
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

bool weft_rules_milliseconds(const struct weft_rules *rules)
{
    return rules->milliseconds;
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
        /* Else it has its type's role, also if that changes. */
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
struct rule_pass {
    const struct weft_schema *schema;
    const struct rule **rules; /* in order of rank */
    const size_t *list;        /* by rule: its list */
    size_t n;
    bool override;
    size_t *found; /* by list */
    const struct weft_job *job;
};

/* Assign the role of rule I. */
static void assign_role(const struct rule_pass *a, enum weft_role *role, size_t i)
{
    if (!a->override && *role != WEFT_ROLE_NONE)
        return;
    *role = a->rules[i]->role;
    a->found[a->list[i]] += *role != WEFT_ROLE_NONE;
}

/* Give each thing of a kind the role of the first rule that matches it. */
static void apply_to(const struct rule_pass *a, const struct kind_of_thing *kind,
                     enum weft_role *roles)
{
    struct rules_finder finder;
    struct rules_thing thing;
    rules_finder_begin(&finder, a->schema, a->rules, a->n, kind->subject, kind->single);
    uint32_t n = finder.n ? n_things(kind, a->schema) : 0;
    for (uint32_t i = 0; i < n && !weft_job_cancelled(a->job); i++) {
        if (!get_thing(kind, a->schema, i, &thing))
            continue;
        uint32_t first = rules_first(&finder, &thing);
        if (first != WEFT_MAP_NONE)
            assign_role(a, &roles[i], first);
    }
    rules_finder_end(&finder);
}

static enum weft_role *roles_of(const struct weft_roles *roles,
                                const struct kind_of_thing *kind)
{
    return kind->single                          ? roles->containers
           : kind->subject == WEFT_ROLE_OF_VALUE ? roles->values
           : kind->subject == WEFT_ROLE_OF_FIELD ? roles->fields
                                                 : roles->types;
}

void weft_rules_apply(const struct weft_rules *const *rules, size_t n,
                      const struct weft_schema *schema, bool override,
                      struct weft_roles *roles, size_t *found, const struct weft_job *job)
{
    struct weft_arena arena = { 0 };
    size_t total = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        total += rules[i]->n_rules;
    const struct rule **all = weft_arena_zalloc(&arena, total + 1, sizeof *all);
    size_t *list = weft_arena_zalloc(&arena, total + 1, sizeof *list);
    struct rule_pass a = { .schema = schema,
                           .rules = all,
                           .list = list,
                           .n = total,
                           .override = override,
                           .job = job,
                           .found = weft_arena_zalloc(&arena, n + 1, sizeof *a.found) };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < rules[i]->n_rules; k++) {
            all[at] = &rules[i]->rules[k];
            list[at++] = i;
        }
    for (size_t k = 0; k < KINDS; k++)
        apply_to(&a, &kinds[k], roles_of(roles, &kinds[k]));
    for (size_t i = 0; i < n && found; i++)
        found[i] = a.found[i];
    weft_arena_free(&arena);
}
