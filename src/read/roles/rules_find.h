/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the rules for a thing.  There may be as many rules as things, so rules whose
 * patterns are plain names are found by a map; the others are tried one by one.
 */
#ifndef WEFT_READ_ROLES_RULES_FIND_H
#define WEFT_READ_ROLES_RULES_FIND_H

#include "read/roles/rules_names.h"
#include "read/roles/rules_priv.h"

/* An index of the rules for one subject.  A thing is a type, value, field or container. */
struct rules_finder {
    const struct weft_schema *schema;
    const struct rule *const *rules; /* in order of rank */
    /* names of types: numbers, from RULES_OF_FIRST */
    struct rules_names ofs;
    struct rules_names names; /* group (by type) and name: first rule */
    /* by rule: linked lists of rules of one name in a group of RULES_OF_PATTERN */
    uint32_t *next, *last;
    size_t *tried;      /* rules whose name is a pattern, by group, then by rank */
    size_t *begin;      /* [n_groups + 1]: index of each group's first */
    size_t n_groups, n; /* n: number of rules of the subject */
    uint32_t (*of)[2];  /* by type: numbers of its name and identifier in ofs */
};

/* A thing that rules may match. */
struct rules_thing {
    const char *name, *alias; /* alias: its identifier, or NULL */
    uint32_t of;              /* its type, or WEFT_NONE */
    bool links;               /* it may have a role of WEFT_ROLE_OF_LINK */
};

/* Index those of N rules for SUBJECT.  SINGLE: only those for single containers; else
   others. */
void rules_finder_begin(struct rules_finder *finder, const struct weft_schema *schema,
                        const struct rule *const *rules, size_t n,
                        enum weft_role_subject subject, bool single);
void rules_finder_end(struct rules_finder *finder);
/* Returns the index of the first rule that matches; WEFT_MAP_NONE if there is none. */
uint32_t rules_first(struct rules_finder *finder, const struct rules_thing *thing);
/*
 * Set USED[rule] to true for each rule of the finder that matches THING; of several rules
 * for the same plain name (no * or ?), only for the first.  Other elements stay.
 */
void rules_mark(struct rules_finder *finder, const struct rules_thing *thing, bool *used);
/*
 * Returns the index of the finder's first rule with the same plain name and type as RULE,
 * an index: maybe RULE itself.  Returns RULE if its name or type is a pattern with * or ?.
 */
uint32_t rules_same(struct rules_finder *finder, uint32_t rule);

/* Returns true if PATTERN matches NAME, or ALIAS (NULL: none). */
bool rules_is_called(const char *pattern, const char *name, const char *alias);
/* Returns true if PATTERN matches the name or identifier of TYPE, an index; false if TYPE
   is WEFT_NONE. */
bool rules_is_type_called(const struct weft_schema *schema, uint32_t type,
                          const char *pattern);

#endif
