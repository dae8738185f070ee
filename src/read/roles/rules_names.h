/* SPDX-License-Identifier: Apache-2.0 */
/* A map from names of things of some type: rules and values may both be a hundred thousand. */
#ifndef WEFT_READ_ROLES_RULES_NAMES_H
#define WEFT_READ_ROLES_RULES_NAMES_H

#include "base/map.h"

struct rules_names { /* a zeroed one is empty */
    struct weft_text_map map;
    char *key;
    size_t capacity;
};

/* What was put first for this name of a thing of type OF stays. */
void rules_names_put(struct rules_names *names, uint32_t of, const char *name,
                     uint32_t number);
uint32_t rules_names_get(struct rules_names *names, uint32_t of, const char *name);
void rules_names_free(struct rules_names *names);

/* The one text that a pattern stands for, in ARENA; NULL: it stands for several. */
const char *rules_plain(const char *pattern, struct weft_arena *arena);

#endif
