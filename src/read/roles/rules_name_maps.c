/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of names, and patterns that are plain names. */
#include "read/roles/rules_name_maps.h"

#include <stdlib.h>
#include <string.h>

static size_t make_key(struct rules_names *names, uint32_t of, const char *name)
{
    size_t size = strlen(name);
    names->key = weft_grow(names->key, &names->capacity, sizeof of + size + 1, 1);
    memcpy(names->key, &of, sizeof of);
    memcpy(names->key + sizeof of, name, size);
    return sizeof of + size;
}

void rules_names_put(struct rules_names *names, uint32_t of, const char *name,
                     uint32_t number)
{
    size_t size = make_key(names, of, name);
    if (weft_text_map_get(&names->map, names->key, size) == WEFT_MAP_NONE)
        weft_text_map_put(&names->map, names->key, size, number);
}

uint32_t rules_names_get(struct rules_names *names, uint32_t of, const char *name)
{
    size_t size = make_key(names, of, name);
    return weft_text_map_get(&names->map, names->key, size);
}

void rules_names_free(struct rules_names *names)
{
    weft_text_map_free(&names->map);
    free(names->key);
}

const char *rules_plain(const char *pattern, struct weft_arena *arena)
{
    char *text = weft_arena_alloc(arena, strlen(pattern) + 1), *to = text;
    for (; *pattern; pattern++) {
        if (*pattern == '*' || *pattern == '?')
            return NULL;
        if (*pattern == '\\' && pattern[1])
            pattern++;
        *to++ = *pattern;
    }
    *to = '\0';
    return text;
}
