/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containers, objects and sites that texts of a selection name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/awaited_processor.h"
#include "analyse/sites_by_line.h"
#include "analyse/where_selection_priv.h"

enum {
    MAX_PATTERN = 1024,    /* bytes of a pattern that are looked at */
    MAX_NAME = 4096,       /* bytes of a name that a pattern is compared with */
    MAX_PATH_LEVELS = 256, /* of a container's path */
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool weft_where_like(const char *pattern, const char *name)
{
    /* After a mismatch, the text for which the last * stands grows by a byte. */
    const char *star = NULL, *from = name, *end = name + strnlen(name, MAX_NAME);
    while (name < end) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern && lower(*pattern) == lower(*name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

struct where_text where_text_of(struct weft_arena *arena, const struct where_word *value,
                                enum where_operator op)
{
    bool star = strchr(value->text, '*') != NULL;
    bool exact = op != WHERE_LIKE && (value->quoted || !star);
    const char *sides = star || exact ? "" : "*";
    return (struct where_text){ value->text, exact,
                                weft_arena_printf(arena, "%s%.*s%s", sides, MAX_PATTERN,
                                                  value->text, sides) };
}

bool where_text_is(const struct where_text *text, const char *name)
{
    return text->exact ? strcmp(text->text, name) == 0
                       : weft_where_like(text->pattern, name);
}

/* ---- Sites ---- */

static const char *without_folders(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Tables print a place as text; its function, file and FILE:LINE are names of it, too. */
static bool site_is(struct weft_arena *arena, const struct weft_schema *schema,
                    const struct where_text *text, uint32_t index)
{
    const struct weft_site *site = &schema->sites[index];
    bool is = where_text_is(text, weft_site_text(arena, schema, index))
              || (site->function[0] && where_text_is(text, site->function))
              || (site->file[0] && where_text_is(text, without_folders(site->file)));
    if (!is && site->file[0] && site->line)
        is = where_text_is(text, weft_arena_printf(arena, "%s:%u",
                                                   without_folders(site->file), site->line))
             || where_text_is(text,
                              weft_arena_printf(arena, "%s:%u", site->file, site->line));
    weft_arena_reset(arena);
    return is;
}

size_t where_sites(const struct weft_schema *schema, const struct where_text *text,
                   uint8_t *bits)
{
    struct weft_arena arena = { 0 };
    size_t n = 0;
    for (uint32_t s = 0; s < schema->n_sites; s++)
        if (site_is(&arena, schema, text, s)) {
            n += !bits[s];
            bits[s] = 1;
        }
    weft_arena_free(&arena);
    return n;
}

/* ---- Containers ---- */

static const struct weft_field_value *text_fact(const struct weft_schema *schema,
                                                uint32_t container, enum weft_role role)
{
    return weft_container_fact(schema, container, role, WEFT_FIELD_TEXT);
}

static const struct weft_field_value *site_fact(const struct weft_schema *schema,
                                                uint32_t container, enum weft_role role)
{
    return weft_container_fact(schema, container, role, WEFT_FIELD_SITE);
}

/*
 * Tables that count several objects as one print what these have in common: the name that
 * the program gave, the variable, else where they were made, else where they were used.
 */
static bool common_text_is(struct weft_arena *arena, const struct weft_schema *schema,
                           const struct where_text *text, uint32_t container)
{
    const struct weft_field_value *fact;
    if (!weft_role_is(schema->containers[container].role, WEFT_ROLE_SYNCHRONIZATION))
        return false;
    if ((fact = text_fact(schema, container, WEFT_ROLE_GIVEN_NAME))
        || (fact = text_fact(schema, container, WEFT_ROLE_SYMBOL)))
        return where_text_is(text, schema->strings[fact->index]);
    if (!(fact = site_fact(schema, container, WEFT_ROLE_CREATED_AT))
        && !(fact = site_fact(schema, container, WEFT_ROLE_SITE)))
        return false;
    return where_text_is(text, weft_site_text(arena, schema, fact->index));
}

/* Returns "host/thread 1", the names from the root's children on; "" if it is too long. */
static const char *path_of(struct weft_arena *arena, const struct weft_schema *schema,
                           uint32_t container)
{
    const char *names[MAX_PATH_LEVELS];
    size_t n = 0, size = 0;
    for (uint32_t c = container;
         c != WEFT_NONE && schema->containers[c].parent != WEFT_NONE;
         c = schema->containers[c].parent) {
        size += strnlen(schema->containers[c].name, MAX_NAME) + 1;
        if (n == MAX_PATH_LEVELS || size > MAX_NAME)
            return "";
        names[n++] = schema->containers[c].name;
    }
    char *path = weft_arena_alloc(arena, size + 1), *at = path;
    *at = '\0';
    while (n--) {
        size_t length = strlen(names[n]);
        memcpy(at, names[n], length);
        at += length;
        *at++ = n ? '/' : '\0';
    }
    return path;
}

static bool container_is(struct weft_arena *arena, const struct weft_schema *schema,
                         const struct where_text *text, const char *label,
                         uint32_t container)
{
    const struct weft_container *c = &schema->containers[container];
    return where_text_is(text, c->name) || where_text_is(text, label)
           || (c->alias[0] && where_text_is(text, c->alias))
           || (strchr(text->text, '/')
               && where_text_is(text, path_of(arena, schema, container)));
}

/*
 * Returns the processor with the number that follows PREFIX in TEXT, as tables of messages
 * number them; WEFT_NONE: there is none.
 */
static uint32_t find_processor(const struct weft_source *source, const char *text,
                               const char *prefix)
{
    const struct weft_wait_partners *messages = weft_wait_partners();
    char *end;
    if (strncmp(text, prefix, strlen(prefix)) != 0)
        return WEFT_NONE;
    text += strlen(prefix);
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (!messages || end == text || *end || errno)
        return WEFT_NONE;
    return messages->numbered(source, number);
}

uint32_t weft_where_container(const struct weft_source *source, const char *text,
                              bool *ambiguous)
{
    uint32_t found = weft_find_container(source->schema, text, ambiguous);
    if (found == WEFT_NONE && !*ambiguous)
        found = find_processor(source, text, "processor number ");
    if (found == WEFT_NONE && !*ambiguous)
        found = find_processor(source, text, "processor ");
    return found;
}

/* Adds the containers below those that have a bit. */
static void add_below(const struct weft_schema *schema, uint8_t *bits)
{
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        uint32_t c = schema->preorder[p], parent = schema->containers[c].parent;
        if (parent != WEFT_NONE && bits[parent])
            bits[c] = 1;
    }
}

size_t where_containers(const struct weft_source *source, const struct where_text *text,
                        bool objects, bool below, uint8_t *bits)
{
    const struct weft_schema *schema = source->schema;
    struct weft_arena labels_arena = { 0 }, arena = { 0 };
    const char **labels = weft_container_labels(schema, &labels_arena);
    size_t n = 0;
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        bool is = container_is(&arena, schema, text, labels[c], c)
                  || (objects && common_text_is(&arena, schema, text, c));
        bits[c] |= is;
        n += is;
        weft_arena_reset(&arena);
    }
    if (!n && text->exact) { /* "#5", and paths that begin with the root's name */
        bool ambiguous;
        uint32_t found = weft_where_container(source, text->text, &ambiguous);
        if (found != WEFT_NONE)
            bits[found] = 1;
        n += found != WEFT_NONE;
    }
    if (below)
        add_below(schema, bits);
    weft_arena_free(&labels_arena);
    weft_arena_free(&arena);
    return n;
}
