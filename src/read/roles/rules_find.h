/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the rules for a thing.  There may be as many rules as things, so rules whose
 * patterns are plain names are found by a map; the others are tried one by one.
 */
#ifndef WEFT_READ_ROLES_RULES_FIND_H
#define WEFT_READ_ROLES_RULES_FIND_H

#include "read/roles/rules_name_maps.h"
#include "read/roles/rules_priv.h"

/*
 * An index of the rules for one subject.  A thing is a type, value, field or container.
 * Rules of one group have the same prefix (a type's name, a pattern, or none), and either
 * all or none of them give a role of links.
 */
struct rules_finder {
    const struct weft_schema *schema;
    const struct rule *const *rules; /* the caller's, in order of rank: the first counts */
    /* prefixes that are plain names, numbered from RULES_OF_FIRST (rules_find.c) on */
    struct rules_names ofs;
    struct rules_names names; /* (group, plain name): index in `rules` of the first rule */
    /* by index in `rules`: linked lists of the rules of one plain name in a group whose
       prefix is a pattern; `last` is set in the first of each */
    uint32_t *next, *last;
    size_t *tried;      /* rules whose name is a pattern, by group, then by rank */
    size_t *begin;      /* [n_groups + 1]: index in `tried` of each group's first */
    size_t n_groups, n; /* n: number of rules of the subject */
    uint32_t (*of)[2];  /* by type: numbers of its name and identifier in ofs, or none:
                           WEFT_MAP_NONE */
};

/* A thing that rules may match. */
struct rules_thing {
    const char *name, *alias; /* alias: its identifier, or NULL */
    /* index of the type that a rule's prefix names: of a value, field or single container
       its type, of a type its parent; or WEFT_NONE */
    uint32_t of;
    bool links; /* it may have a role of WEFT_ROLE_OF_LINK */
};

/*
 * Sets *FINDER to an index of those of N rules that are for SUBJECT; of rules for
 * containers only those for single ones if SINGLE, else only those for types.  RULES and
 * SCHEMA must live as long; rules_finder_end() frees it.
 */
void rules_finder_begin(struct rules_finder *finder, const struct weft_schema *schema,
                        const struct rule *const *rules, size_t n,
                        enum weft_role_subject subject, bool single);
/* Frees what FINDER owns, not FINDER itself, the rules or the schema. */
void rules_finder_end(struct rules_finder *finder);
/*
 * Returns the index in finder->rules of the first rule that matches THING; WEFT_MAP_NONE if
 * there is none.
 */
uint32_t rules_first(struct rules_finder *finder, const struct rules_thing *thing);
/*
 * Sets USED[i] to true for each rule finder->rules[i] of the subject that matches THING; of
 * several rules with the same plain name and the same plain prefix (no * or ?), or none,
 * only for the first.  Other elements stay.
 */
void rules_mark(struct rules_finder *finder, const struct rules_thing *thing, bool *used);
/*
 * RULE is an index in finder->rules.  Returns the index of the first rule there that has
 * the same plain name, the same prefix and a role of the same sort (of links, or not):
 * RULE itself if it is the first, or if its name or prefix is a pattern with * or ?.
 */
uint32_t rules_same(struct rules_finder *finder, uint32_t rule);

/* Returns true if PATTERN (weft_rules_match) matches NAME, or ALIAS (NULL or "": none). */
bool rules_is_called(const char *pattern, const char *name, const char *alias);
/*
 * Returns true if PATTERN matches the name or identifier of TYPE, an index in
 * schema->types; false if TYPE is WEFT_NONE.
 */
bool rules_is_type_called(const struct weft_schema *schema, uint32_t type,
                          const char *pattern);

#endif
