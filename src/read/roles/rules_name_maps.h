/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from pairs (number, name) to numbers, for rules_find.c: it numbers the names of
 * types that rules have, and finds a rule by its group and the name of its thing.
 */
#ifndef WEFT_READ_ROLES_RULES_NAME_MAPS_H
#define WEFT_READ_ROLES_RULES_NAME_MAPS_H

#include "base/hash_map.h"

/* A map from (number, name) to a number; empty if zeroed, rules_names_free() frees it. */
struct rules_names {
    struct weft_text_map map;
    char *key; /* room of `capacity` bytes in which the key of a look-up is composed */
    size_t capacity;
};

/*
 * Sets the number stored for the pair (OF, NAME), unless it has one: the first stays.  NAME
 * is copied.  NUMBER is not WEFT_MAP_NONE.
 */
void rules_names_put(struct rules_names *names, uint32_t of, const char *name,
                     uint32_t number);
/* Returns the number stored for the pair (OF, NAME); WEFT_MAP_NONE if it has none. */
uint32_t rules_names_get(struct rules_names *names, uint32_t of, const char *name);
/* Frees what NAMES owns; it may not be used afterwards. */
void rules_names_free(struct rules_names *names);

/*
 * Returns the only text that PATTERN matches, without the escapes by \, in ARENA; NULL if
 * PATTERN has a * or ? that is not escaped.
 */
const char *rules_plain(const char *pattern, struct weft_arena *arena);

#endif
