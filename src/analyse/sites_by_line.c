/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/sites_by_line.h"

#include <string.h>

#include "base/hash_map.h"

static const char *without_folders(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * Returns the same number for the same text: names may be long, and shared by many sites.
 */
static uint32_t number_of(struct weft_text_map *numbers, const char *text)
{
    size_t length = strlen(text);
    uint32_t number = weft_text_map_get(numbers, text, length);
    if (number == WEFT_MAP_NONE) {
        number = (uint32_t)numbers->count;
        weft_text_map_put(numbers, text, length, number);
    }
    return number;
}

uint32_t *weft_sites_alike(struct weft_arena *arena, const struct weft_schema *schema)
{
    uint32_t *alike = weft_arena_alloc(arena, (schema->n_sites + 1) * sizeof *alike);
    struct weft_text_map names = { 0 }, first = { 0 };
    for (uint32_t i = 0; i < schema->n_sites; i++) {
        const struct weft_site *site = &schema->sites[i];
        bool by_line = site->file[0] && site->line;
        bool by_function = !by_line && site->function[0];
        const uint64_t key[] = {
            by_line       ? 0
            : by_function ? 1
                          : 2,
            number_of(&names, site->function),
            by_function ? 0 : number_of(&names, site->file),
            by_line ? 0 : number_of(&names, site->object),
            by_line       ? site->line
            : by_function ? 0
                          : site->address,
        };
        alike[i] = weft_text_map_get(&first, key, sizeof key);
        if (alike[i] != WEFT_MAP_NONE)
            continue;
        weft_text_map_put(&first, key, sizeof key, i);
        alike[i] = i;
    }
    weft_text_map_free(&names);
    weft_text_map_free(&first);
    return alike;
}

const char *weft_site_text(struct weft_arena *arena, const struct weft_schema *schema,
                           uint32_t index)
{
    if (index == WEFT_NONE)
        return "";
    const struct weft_site *site = &schema->sites[index];
    const char *file = without_folders(site->file), *object = without_folders(site->object);
    bool line = file[0] && site->line;
    if (site->function[0])
        return line ? weft_arena_printf(arena, "%s (%s:%u)", site->function, file,
                                        site->line)
                    : weft_arena_printf(arena, "%s (%s)", site->function,
                                        file[0] ? file : object);
    return line      ? weft_arena_printf(arena, "%s:%u", file, site->line)
           : file[0] ? file
                     : weft_arena_printf(arena, "%s+0x%llx", object,
                                         (unsigned long long)site->address);
}
