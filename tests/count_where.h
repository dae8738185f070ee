/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a selection means. */
#ifndef WEFT_TESTS_COUNT_WHERE_H
#define WEFT_TESTS_COUNT_WHERE_H

#include "analyse/where_selection.h"
#include "tests/test.h"

static inline bool count_thing(void *user, const struct weft_thing *thing)
{
    (void)thing;
    ++*(uint64_t *)user;
    return true;
}

/* Returns the number of things in all of SOURCE that the selection TEXT, a right one, means. */
static inline uint64_t count_where(const struct weft_source *source, const char *text)
{
    struct weft_err err;
    struct weft_where *where = weft_where_new(source, text, &err);
    if (!where)
        fail_msg("%s: %s", text, err.message);
    struct weft_where_query query = { where, { 0, source->schema->span.end + 1 }, 0, NULL };
    struct weft_arena arena = { 0 };
    size_t n;
    uint64_t count = 0;
    uint32_t *tracks = weft_where_tracks(&query, &arena, &n);
    for (size_t i = 0; i < n; i++)
        weft_where_walk(&query, tracks[i], count_thing, &count);
    weft_arena_free(&arena);
    weft_where_free(where);
    return count;
}

#endif
