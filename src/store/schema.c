/* SPDX-License-Identifier: Apache-2.0 */
#include "store/schema.h"

#include <stdlib.h>
#include <string.h>

const char *weft_kind_name(enum weft_kind kind)
{
    switch (kind) {
    case WEFT_CONTAINER: return "container";
    case WEFT_STATE: return "state";
    case WEFT_EVENT: return "event";
    case WEFT_VARIABLE: return "variable";
    case WEFT_LINK: return "link";
    }
    return "unknown";
}

static bool is_called(const struct weft_container *container, const char *text,
                      size_t length)
{
    return (strncmp(container->name, text, length) == 0 && !container->name[length])
           || (container->alias[0] && strncmp(container->alias, text, length) == 0
               && !container->alias[length]);
}

/*
 * Follow a path of names below PARENT.  A name may itself hold slashes, so every prefix that
 * names a child is tried.  Counts the containers found in *FOUND.
 */
static uint32_t follow(const struct weft_schema *schema, uint32_t parent, const char *path,
                       unsigned *found)
{
    uint32_t result = WEFT_NONE;
    for (uint32_t c = schema->containers[parent].first_child; c != WEFT_NONE;
         c = schema->containers[c].next_sibling) {
        const struct weft_container *child = &schema->containers[c];
        for (const char *end = path; *end; end++) {
            if (end[1] && end[1] != '/')
                continue;
            if (!is_called(child, path, (size_t)(end + 1 - path)))
                continue;
            uint32_t here = end[1] ? follow(schema, c, end + 2, found) : c;
            if (!end[1])
                ++*found;
            if (here != WEFT_NONE)
                result = here;
        }
    }
    return result;
}

uint32_t weft_find_container(const struct weft_schema *schema, const char *text,
                             bool *ambiguous)
{
    *ambiguous = false;
    if (!schema->n_containers || !text[0])
        return WEFT_NONE;
    if (text[0] == '#') {
        char *end;
        unsigned long long index = strtoull(text + 1, &end, 10);
        return text[1] && !*end && index < schema->n_containers ? (uint32_t)index
                                                                : WEFT_NONE;
    }
    size_t length = strlen(text);
    if (is_called(&schema->containers[0], text, length))
        return 0;
    unsigned found = 0;
    const char *path = text;
    const char *root = schema->containers[0].name;
    size_t root_length = strlen(root);
    if (strncmp(text, root, root_length) == 0 && text[root_length] == '/')
        path += root_length + 1;
    uint32_t result = follow(schema, 0, path, &found);
    if (!found) {
        for (uint32_t c = 1; c < schema->n_containers; c++)
            if (is_called(&schema->containers[c], text, length)) {
                result = c;
                found++;
            }
    }
    *ambiguous = found > 1;
    return found == 1 ? result : WEFT_NONE;
}
