/* SPDX-License-Identifier: Apache-2.0 */
/* A map from (number of a type, name) to numbers; fast for 100,000 rules or values. */
#ifndef WEFT_READ_ROLES_RULES_NAMES_H
#define WEFT_READ_ROLES_RULES_NAMES_H

#include "base/map.h"

struct rules_names { /* empty if zeroed */
    struct weft_text_map map;
    char *key;
    size_t capacity;
};

/* Set the number of (OF, NAME), unless it has one. */
void rules_names_put(struct rules_names *names, uint32_t of, const char *name,
                     uint32_t number);
/* Returns the number of (OF, NAME); WEFT_MAP_NONE if it has none. */
uint32_t rules_names_get(struct rules_names *names, uint32_t of, const char *name);
void rules_names_free(struct rules_names *names);

/* Returns the only text that a pattern matches, in ARENA; NULL if it matches several. */
const char *rules_plain(const char *pattern, struct weft_arena *arena);

#endif
