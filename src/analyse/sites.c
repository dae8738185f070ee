/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/sites.h"

#include <string.h>

#include "base/map.h"

static const char *without_folders(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

uint32_t *weft_sites_alike(struct weft_arena *arena, const struct weft_schema *schema)
{
    uint32_t *alike = weft_arena_alloc(arena, (schema->n_sites + 1) * sizeof *alike);
    struct weft_arena keys = { 0 };
    struct weft_text_map first = { 0 };
    for (uint32_t i = 0; i < schema->n_sites; i++) {
        const struct weft_site *site = &schema->sites[i];
        const char *key =
            site->file[0] && site->line ? weft_arena_printf(
                &keys, "%s\n%s:%u", site->function, site->file, site->line)
            : site->function[0]
                ? weft_arena_printf(&keys, "%s\n%s", site->function, site->object)
                : weft_arena_printf(&keys, "\n%s\n%s+%llx", site->file, site->object,
                                    (unsigned long long)site->address);
        alike[i] = weft_text_map_get(&first, key, strlen(key));
        if (alike[i] != WEFT_MAP_NONE)
            continue;
        weft_text_map_put(&first, key, strlen(key), i);
        alike[i] = i;
    }
    weft_text_map_free(&first);
    weft_arena_free(&keys);
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
