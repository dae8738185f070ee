/* SPDX-License-Identifier: Apache-2.0 */
/* The function in which a thread was sampled most while it ran. */
#include <stdlib.h>
#include <string.h>

#include "analyse/call_stack_profile.h"
#include "base/hash_map.h"
#include "store/time.h"
#include "view/timeline/space_time.h"

enum {
    LEAST_SAMPLES = 3,   /* fewer say little of a bar */
    MAX_SAMPLES = 50000, /* of a bar: about 5 ms to read */
};

/* Returns about how many samples a thread has in SPAN; 0 if it has none. */
static uint64_t count_events(const struct st_picture *p, uint32_t container,
                             struct weft_span span)
{
    const struct weft_schema *schema = p->schema;
    const struct weft_container *thread = &schema->containers[container];
    uint64_t n = 0;

    for (uint32_t i = schema->track_begin[thread->order];
         i < schema->track_begin[thread->subtree_end]; i++) {
        uint32_t t = schema->track_at[i];
        if (weft_role_is(schema->types[schema->tracks[t].type].role, WEFT_ROLE_SAMPLE))
            n += p->source->ops->density(p->source, t, span);
    }
    return n;
}

/* Returns the innermost function of a call stack, and sets *SIZE to its bytes. */
static const char *innermost(const char *text, size_t *size)
{
    const char *name = text, *last = text;

    while (name)
        last = weft_profile_name(&name, size);
    return last;
}

/* Sets *FOUND to the function of PROFILE with most time; a sum in each of its stacks. */
static void find_most(const struct st_picture *p, const struct weft_profile *profile,
                      struct st_function *found)
{
    struct weft_text_map map = { 0 };
    int64_t *ticks = weft_zalloc(profile->n_stacks + 1, sizeof *ticks), most = 0;

    for (size_t i = 0; i < profile->n_stacks; i++) {
        const struct weft_profile_stack *stack = &profile->stacks[i];
        size_t size = 0;
        const char *name = stack->text == WEFT_NONE
                               ? ""
                               : innermost(p->schema->strings[stack->text], &size);
        uint32_t index = weft_text_map_get(&map, name, size);
        if (index == WEFT_MAP_NONE) {
            index = (uint32_t)map.count;
            weft_text_map_put(&map, name, size, index);
        }
        ticks[index] = weft_ticks_add(ticks[index], stack->ticks);
        if (ticks[index] > most) {
            most = ticks[index];
            found->name =
                size > 0 ? weft_arena_printf(p->arena, "%.*s", (int)size, name) : NULL;
        }
    }
    found->part = profile->ticks > 0 ? (double)most / (double)profile->ticks : 0;
    found->samples = profile->count;
    weft_text_map_free(&map);
    free(ticks);
}

struct st_function st_function_of(const struct st_picture *p, uint32_t container,
                                  struct weft_span span)
{
    struct weft_profile_query query = { .source = p->source,
                                        .under = container,
                                        .job = p->request->job };
    struct st_function found = { 0 };
    struct weft_profile profile;
    struct weft_err err;
    uint64_t n;

    span.begin = span.begin > p->shown.begin ? span.begin : p->shown.begin;
    span.end = span.end < p->shown.end ? span.end : p->shown.end;
    query.window = span;
    n = span.end > span.begin ? count_events(p, container, span) : 0;

    if (n == 0 || n > MAX_SAMPLES || !weft_profile_read(&query, &profile, &err))
        return found;
    if (profile.count >= LEAST_SAMPLES)
        find_most(p, &profile, &found);
    weft_profile_free(&profile);
    return found;
}

const char *st_function_text(const struct st_picture *p, const struct st_function *function)
{
    return function->name ? weft_arena_printf(p->arena,
                                              " · %s in %.0f %% of %llu samples in this "
                                              "stretch",
                                              function->name, 100 * function->part,
                                              (unsigned long long)function->samples)
                          : "";
}
