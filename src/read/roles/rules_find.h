/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rules are about a thing.  There may be as many rules as things, so those whose patterns
 * are names are found by them; the others are tried one after the other.
 */
#ifndef WEFT_READ_ROLES_RULES_FIND_H
#define WEFT_READ_ROLES_RULES_FIND_H

#include "read/roles/rules_names.h"
#include "read/roles/rules_priv.h"

/* What a list of rules says of things of one subject. */
struct rules_finder {
    const struct weft_schema *schema;
    const struct rule *const *rules; /* in order of rank */
    struct rules_names
        ofs; /* names of what things belong to: to numbers, from RULES_OF_FIRST */
    struct rules_names names; /* group and name: to the first rule */
    uint32_t *next, *last;    /* of those of any type by a pattern, and of one name: [n] */
    size_t *tried;            /* rules whose name is a pattern, group by group, by rank */
    size_t *begin;            /* [n_groups + 1]: where each group's begin */
    size_t n_groups, n;       /* n: rules of the subject */
    uint32_t (*of)[2]; /* of each type: the numbers of its name and identifier in ofs */
};

/* A thing that rules may be about. */
struct rules_thing {
    const char *name, *alias; /* alias: NULL, or its identifier */
    uint32_t of;              /* the type that it belongs to, or WEFT_NONE */
    bool links;               /* may it have a role of links? */
};

/* SINGLE: rules for single containers, else those are left out. */
void rules_finder_begin(struct rules_finder *finder, const struct weft_schema *schema,
                        const struct rule *const *rules, size_t n,
                        enum weft_role_subject subject, bool single);
void rules_finder_end(struct rules_finder *finder);
/* The first rule about a thing; WEFT_MAP_NONE: there is none. */
uint32_t rules_first(struct rules_finder *finder, const struct rules_thing *thing);
/* Note in USED, [n], which rules are about it; of those with the same patterns the first alone. */
void rules_mark(struct rules_finder *finder, const struct rules_thing *thing, bool *used);
/* The first rule with the same patterns, when these are names; else the rule itself. */
uint32_t rules_same(struct rules_finder *finder, uint32_t rule);

/* Does a pattern match the name or the identifier? */
bool rules_is_called(const char *pattern, const char *name, const char *alias);
bool rules_is_type_called(const struct weft_schema *schema, uint32_t type,
                          const char *pattern);

#endif
