/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/selected_state_times.h"

#include <stdlib.h>

#include "base/compare.h"
#include "store/time.h"

/* The last state that was met at a depth. */
struct level {
    int64_t begin, end;
    uint32_t value;
    bool selected;
};

struct sum_walk {
    struct weft_where_asker *asker;
    struct weft_span window;
    uint32_t track;
    struct weft_track_sums *sums;
    struct level *levels; /* by depth */
    size_t n_levels, capacity;
};

/* Returns the sums of VALUE, which is listed if it was not yet on this track. */
static struct weft_sum *sum_of(struct weft_track_sums *sums, uint32_t value)
{
    if (sums->listed[value] == sums->calls)
        return &sums->of[value];
    sums->listed[value] = sums->calls;
    sums->of[value] = (struct weft_sum){ 0 };
    sums->met = weft_grow(sums->met, &sums->capacity, sums->n_met + 1, sizeof *sums->met);
    sums->met[sums->n_met++] = value;
    return &sums->of[value];
}

/* Returns the state around one of DEPTH, or NULL. */
static const struct level *around(const struct sum_walk *walk, size_t depth,
                                  const struct weft_state *state)
{
    const struct level *level =
        depth && depth <= walk->n_levels ? &walk->levels[depth - 1] : NULL;
    return level && level->begin <= state->begin && state->end <= level->end ? level : NULL;
}

/* Returns true if a selected state of the same value is around STATE. */
static bool is_inside_itself(const struct sum_walk *walk, const struct weft_state *state)
{
    const struct level *level;
    for (size_t depth = state->depth; (level = around(walk, depth, state)); depth--)
        if (level->selected && level->value == state->value)
            return true;
    return false;
}

static bool add_state(void *user, const struct weft_state *state)
{
    struct sum_walk *walk = user;
    struct weft_span window = walk->window;
    int64_t begin = state->begin > window.begin ? state->begin : window.begin;
    int64_t end = state->end < window.end ? state->end : window.end;
    int64_t ticks = weft_ticks_length(begin, end);
    bool selected = weft_where_holds(
        walk->asker, &(struct weft_thing){ state->id, state->begin, state->end, walk->track,
                                           state->value, WEFT_NONE, WEFT_NONE });
    const struct level *outer = around(walk, state->depth, state);
    if (outer && outer->selected) {
        struct weft_sum *sum = sum_of(walk->sums, outer->value);
        sum->self_ticks -= ticks;
    }
    if (selected) {
        struct weft_sum *sum = sum_of(walk->sums, state->value);
        sum->self_ticks = weft_ticks_add(sum->self_ticks, ticks);
        if (!is_inside_itself(walk, state))
            sum->total_ticks = weft_ticks_add(sum->total_ticks, ticks);
    }
    walk->levels = weft_grow(walk->levels, &walk->capacity, state->depth + (size_t)1,
                             sizeof *walk->levels);
    for (; walk->n_levels <= state->depth; walk->n_levels++)
        walk->levels[walk->n_levels] = (struct level){ .begin = INT64_MAX };
    walk->levels[state->depth] =
        (struct level){ state->begin, state->end, state->value, selected };
    return true;
}

void weft_selected_sums_of_track(const struct weft_source *source,
                                 const struct weft_where_query *query,
                                 struct weft_span window, uint32_t track,
                                 struct weft_track_sums *sums)
{
    struct sum_walk walk = { .window = window, .track = track, .sums = sums };
    if (!sums->listed)
        sums->listed =
            weft_zalloc((size_t)source->schema->n_values + 1, sizeof *sums->listed);
    sums->calls++;
    sums->n_met = 0;
    walk.asker = weft_where_ask(query, track);
    source->ops->states(source, track, query->window, add_state, &walk);
    weft_where_end_asker(walk.asker);
    if (sums->n_met)
        qsort(sums->met, sums->n_met, sizeof *sums->met, weft_by_u32);
    sums->values = sums->met;
    sums->n = sums->n_met;
    free(walk.levels);
}
