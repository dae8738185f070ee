/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rules by the names of things and of their types. */
#include "read/roles/rules_find.h"

#include <stdlib.h>

#include "base/radix_sort.h"

/* Groups of rules by type; names of types count from RULES_OF_FIRST. */
enum { RULES_OF_PATTERN, RULES_OF_ANY, RULES_OF_FIRST };
enum { RULES_OF = 0 }; /* the group of all keys in rules_finder.ofs */

bool rules_is_called(const char *pattern, const char *name, const char *alias)
{
    return weft_rules_match(pattern, name)
           || (alias && alias[0] && weft_rules_match(pattern, alias));
}

bool rules_is_type_called(const struct weft_schema *schema, uint32_t type,
                          const char *pattern)
{
    if (type == WEFT_NONE)
        return false;
    return rules_is_called(pattern, schema->types[type].name, schema->types[type].alias);
}

/* Values of links may have roles of links; others may not. */
static bool is_for_links(const struct rule *rule)
{
    return weft_role_subject(rule->role) == WEFT_ROLE_OF_LINK;
}

/* Rules are grouped by the type of their things, and whether these are links. */
static uint32_t group_of(uint32_t of, bool links)
{
    return 2 * of + links;
}

static uint32_t of_rule(struct rules_finder *f, const struct rule *rule,
                        struct weft_arena *arena)
{
    if (!rule->about.of)
        return RULES_OF_ANY;
    const char *name = rules_plain(rule->about.of, arena);
    return name ? rules_names_get(&f->ofs, RULES_OF, name) : RULES_OF_PATTERN;
}

static uint32_t group_of_rule(struct rules_finder *f, const struct rule *rule,
                              struct weft_arena *arena)
{
    return group_of(of_rule(f, rule, arena), is_for_links(rule));
}

static bool is_wanted(const struct rule *rule, enum weft_role_subject subject, bool single)
{
    return rule->about.subject == subject
           && (subject != WEFT_ROLE_OF_CONTAINER || single == (rule->about.of != NULL));
}

/* Add rule I to its group by its name. */
static void add_named(struct rules_finder *f, uint32_t group, const char *name, uint32_t i)
{
    uint32_t first = rules_names_get(&f->names, group, name);
    f->last[i] = i;
    f->next[i] = WEFT_MAP_NONE;
    if (first == WEFT_MAP_NONE) {
        rules_names_put(&f->names, group, name, i);
    } else if (group / 2 == RULES_OF_PATTERN) {
        f->next[f->last[first]] = i;
        f->last[first] = i;
    }
}

/* Collect the rules of the subject; returns those with patterns, by group and rank. */
static struct weft_sort_item *list_rules(struct rules_finder *f, size_t n,
                                         enum weft_role_subject subject, bool single,
                                         size_t *n_tried)
{
    struct weft_arena arena = { 0 };
    struct weft_sort_item *tried = NULL;
    size_t capacity = 0;
    uint32_t n_ofs = RULES_OF_FIRST;
    for (size_t i = 0; i < n; i++) {
        const struct rule *rule = f->rules[i];
        if (!is_wanted(rule, subject, single))
            continue;
        const char *of = rule->about.of ? rules_plain(rule->about.of, &arena) : NULL;
        if (of && rules_names_get(&f->ofs, RULES_OF, of) == WEFT_MAP_NONE)
            rules_names_put(&f->ofs, RULES_OF, of, n_ofs++);
        uint32_t group = group_of_rule(f, rule, &arena);
        const char *name = rules_plain(rule->about.name, &arena);
        if (name) {
            add_named(f, group, name, (uint32_t)i);
        } else {
            tried = weft_grow(tried, &capacity, *n_tried + 1, sizeof *tried);
            tried[(*n_tried)++] = (struct weft_sort_item){ group, i };
        }
        f->n++;
        weft_arena_reset(&arena);
    }
    f->n_groups = group_of(n_ofs, false);
    weft_arena_free(&arena);
    return tried;
}

void rules_finder_begin(struct rules_finder *f, const struct weft_schema *schema,
                        const struct rule *const *rules, size_t n,
                        enum weft_role_subject subject, bool single)
{
    size_t n_tried = 0;
    *f = (struct rules_finder){ .schema = schema, .rules = rules };
    f->next = weft_alloc((n + 1) * sizeof *f->next);
    f->last = weft_alloc((n + 1) * sizeof *f->last);
    struct weft_sort_item *tried = list_rules(f, n, subject, single, &n_tried);
    if (n_tried)
        weft_sort(tried, n_tried); /* stable: keeps the order of ranks */
    f->tried = weft_alloc((n_tried + 1) * sizeof *f->tried);
    f->begin = weft_zalloc(f->n_groups + 1, sizeof *f->begin);
    for (size_t i = 0; i < n_tried; i++) {
        f->tried[i] = tried[i].payload;
        f->begin[tried[i].key + 1]++;
    }
    for (size_t g = 0; g < f->n_groups; g++)
        f->begin[g + 1] += f->begin[g];
    free(tried);
    f->of = weft_alloc((schema->n_types + 1) * sizeof *f->of);
    for (uint32_t t = 0; t < schema->n_types && f->n; t++) {
        const char *alias = schema->types[t].alias;
        f->of[t][0] = rules_names_get(&f->ofs, RULES_OF, schema->types[t].name);
        f->of[t][1] =
            alias && alias[0] ? rules_names_get(&f->ofs, RULES_OF, alias) : WEFT_MAP_NONE;
    }
}

void rules_finder_end(struct rules_finder *f)
{
    rules_names_free(&f->ofs);
    rules_names_free(&f->names);
    free(f->next);
    free(f->last);
    free(f->tried);
    free(f->begin);
    free(f->of);
}

enum { MAX_GROUPS = 8 };

/* List the groups of rules that may match a thing, those with patterns first. */
static size_t groups_of(const struct rules_finder *f, const struct rules_thing *thing,
                        uint32_t groups[MAX_GROUPS])
{
    uint32_t ofs[MAX_GROUPS / 2] = { RULES_OF_PATTERN, RULES_OF_ANY };
    size_t n_ofs = 2, n = 0;
    for (int i = 0; i < 2 && thing->of != WEFT_NONE; i++)
        if (f->of[thing->of][i] != WEFT_MAP_NONE)
            ofs[n_ofs++] = f->of[thing->of][i];
    for (size_t i = 0; i < n_ofs; i++)
        for (int links = 0; links <= thing->links; links++)
            groups[n++] = group_of(ofs[i], links);
    return n;
}

/* Returns true if a rule of one of the thing's groups matches it. */
static bool is_about(const struct rules_finder *f, size_t i,
                     const struct rules_thing *thing, bool of_pattern)
{
    const struct rule_subject *about = &f->rules[i]->about;
    return rules_is_called(about->name, thing->name, thing->alias)
           && (!of_pattern || rules_is_type_called(f->schema, thing->of, about->of));
}

/* Returns the first rule of a group with this name. */
static uint32_t first_named(struct rules_finder *f, uint32_t group,
                            const struct rules_thing *thing, const char *name)
{
    if (!f->names.map.count || !name)
        return WEFT_MAP_NONE;
    uint32_t at = rules_names_get(&f->names, group, name);
    while (group / 2 == RULES_OF_PATTERN && at != WEFT_MAP_NONE
           && !rules_is_type_called(f->schema, thing->of, f->rules[at]->about.of))
        at = f->next[at];
    return at;
}

static const char *alias_of(const struct rules_thing *thing)
{
    return thing->alias && thing->alias[0] ? thing->alias : NULL;
}

uint32_t rules_first(struct rules_finder *f, const struct rules_thing *thing)
{
    uint32_t groups[MAX_GROUPS], first = WEFT_MAP_NONE;
    size_t n = f->n ? groups_of(f, thing, groups) : 0;
    for (size_t g = 0; g < n; g++) {
        uint32_t by_name = first_named(f, groups[g], thing, thing->name);
        uint32_t by_alias = first_named(f, groups[g], thing, alias_of(thing));
        first = by_name < first ? by_name : first;
        first = by_alias < first ? by_alias : first;
    }
    for (size_t g = 0; g < n; g++)
        for (size_t i = f->begin[groups[g]]; i < f->begin[groups[g] + 1]; i++) {
            if (f->tried[i] > first)
                break;
            if (is_about(f, f->tried[i], thing, groups[g] / 2 == RULES_OF_PATTERN)) {
                first = (uint32_t)f->tried[i];
                break;
            }
        }
    return first;
}

static void mark_named(struct rules_finder *f, uint32_t group,
                       const struct rules_thing *thing, const char *name, bool *used)
{
    uint32_t at = first_named(f, group, thing, name);
    while (at != WEFT_MAP_NONE) {
        used[at] = used[at] || group / 2 != RULES_OF_PATTERN
                   || rules_is_type_called(f->schema, thing->of, f->rules[at]->about.of);
        at = group / 2 == RULES_OF_PATTERN ? f->next[at] : WEFT_MAP_NONE;
    }
}

void rules_mark(struct rules_finder *f, const struct rules_thing *thing, bool *used)
{
    uint32_t groups[MAX_GROUPS];
    size_t n = f->n ? groups_of(f, thing, groups) : 0;
    for (size_t g = 0; g < n; g++) {
        mark_named(f, groups[g], thing, thing->name, used);
        mark_named(f, groups[g], thing, alias_of(thing), used);
        for (size_t i = f->begin[groups[g]]; i < f->begin[groups[g] + 1]; i++)
            used[f->tried[i]] =
                used[f->tried[i]]
                || is_about(f, f->tried[i], thing, groups[g] / 2 == RULES_OF_PATTERN);
    }
}

uint32_t rules_same(struct rules_finder *f, uint32_t rule)
{
    struct weft_arena arena = { 0 };
    uint32_t group = group_of_rule(f, f->rules[rule], &arena), same = WEFT_MAP_NONE;
    const char *name = rules_plain(f->rules[rule]->about.name, &arena);
    if (name && group / 2 != RULES_OF_PATTERN)
        same = rules_names_get(&f->names, group, name);
    weft_arena_free(&arena);
    return same == WEFT_MAP_NONE ? rule : same;
}
