/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/without_wait.h"

#include "store/time.h"

enum { LONG_NS = 100000000 };

/* The latest time without a wait, and the longest one so far. */
struct search {
    bool goes_on; /* since `begin` */
    int64_t begin;
    struct weft_span longest;
};

const uint8_t *weft_wait_classes(const struct weft_schema *schema, struct weft_arena *arena)
{
    uint8_t *classes = weft_arena_alloc(arena, (size_t)schema->n_values + 1);

    for (uint32_t v = 0; v < schema->n_values; v++) {
        enum weft_role role = schema->values[v].role;
        classes[v] = !weft_role_is(role, WEFT_ROLE_BUSY)
                     && !weft_role_is(role, WEFT_ROLE_OVERHEAD)
                     && !weft_role_is(role, WEFT_ROLE_READY);
    }
    return classes;
}

static void end_at(struct search *search, int64_t end)
{
    if (search->goes_on
        && end - search->begin > search->longest.end - search->longest.begin)
        search->longest = (struct weft_span){ search->begin, end };
    search->goes_on = false;
}

static bool follow(void *user, const struct weft_class_run *run)
{
    struct search *search = user;

    for (size_t i = 0; i < run->n; i++) {
        end_at(search, run->times[i]);
        search->goes_on = run->classes[i] == 0;
        search->begin = run->times[i];
    }
    return true;
}

bool weft_longest_without_wait(const struct weft_source *source, const uint8_t *classes,
                               uint32_t track, struct weft_span window,
                               struct weft_span *out)
{
    struct weft_classing classing = { .of = classes, .none = 1, .damaged = 1 };
    struct search search = { .goes_on = false };

    source->ops->classes(source, track, window, &classing, follow, &search);
    end_at(&search, window.end);
    *out = search.longest;
    return out->end > out->begin;
}

const char *weft_without_wait_text(const struct weft_schema *schema, struct weft_span found,
                                   struct weft_arena *arena)
{
    char length[WEFT_TIME_TEXT], since[WEFT_TIME_TEXT];

    if (weft_ticks_to_ns(schema, found.end - found.begin) < LONG_NS)
        return NULL;
    return weft_arena_printf(
        arena, "%s, since %s", weft_duration_text(schema, found.end - found.begin, length),
        weft_duration_text(schema, found.begin - schema->span.begin, since));
}
