/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the order of rows as the reader wants. */
#include <string.h>

#include "view/timeline/space_time.h"

/*
 * Lifts both to children of their nearest common ancestor: dragging a thread of one process
 * above a thread of another moves the process.  Returns false if one holds the other.
 */
static bool lift(const struct weft_schema *schema, struct st_move *move)
{
    const struct weft_container *all = schema->containers;
    while (all[move->what].depth > all[move->before].depth)
        move->what = all[move->what].parent;
    while (all[move->before].depth > all[move->what].depth)
        move->before = all[move->before].parent;
    while (all[move->what].parent != all[move->before].parent) {
        move->what = all[move->what].parent;
        move->before = all[move->before].parent;
    }
    move->parent = all[move->what].parent;
    return move->what != move->before;
}

static bool find(const struct weft_schema *schema, const char *text, size_t length,
                 uint32_t *container, struct weft_err *err)
{
    char name[512];
    bool ambiguous;
    if (length >= sizeof name)
        return weft_fail(err, WEFT_ERR_USAGE, "a container's name is too long");
    memcpy(name, text, length);
    name[length] = '\0';
    *container = weft_find_container(schema, name, &ambiguous);
    return *container != WEFT_NONE
           || weft_fail(err, WEFT_ERR_USAGE, "order: no container is called '%s'", name);
}

bool st_moves_parse(const struct weft_schema *schema, const char *text,
                    struct weft_arena *arena, struct st_move **moves, size_t *n,
                    struct weft_err *err)
{
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    *moves = weft_arena_alloc(arena, most * sizeof **moves);
    *n = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ","), less = strcspn(at, "<,");
        if (length && (less == length || less == 0))
            return weft_fail(err, WEFT_ERR_USAGE,
                             "order=%s (right: A<B for A right before B)", text);
        struct st_move move;
        if (length) {
            if (!find(schema, at, less, &move.what, err)
                || !find(schema, at + less + 1, length - less - 1, &move.before, err))
                return false;
            if (lift(schema, &move))
                (*moves)[(*n)++] = move;
        }
        at += length + (at[length] == ',');
    }
    return true;
}
