/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/spinning.h"

#include "store/time.h"

enum { AT_ONCE = 64 }; /* waits that are asked for in one query */

/* The waits of a track, and how long another track was running during them. */
struct wait_sum {
    const struct weft_spinning *spinning;
    uint32_t running; /* the other track */
    bool waits;       /* since `begin` */
    int64_t begin;
    struct weft_class_query queries[AT_ONCE]; /* [n] not yet answered */
    size_t n;
    int64_t ticks;
};

void weft_spinning_find(const struct weft_source *source, struct weft_arena *arena,
                        struct weft_spinning *out)
{
    const struct weft_schema *schema = source->schema;
    uint8_t *runs = weft_arena_alloc(arena, (size_t)schema->n_values + 1);
    uint8_t *waits = weft_arena_alloc(arena, (size_t)schema->n_values + 1);
    bool *reports = weft_arena_zalloc(arena, (size_t)schema->n_types + 1, sizeof *reports);

    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        const struct weft_type *type = &schema->types[value->type];
        runs[v] = weft_role_is(value->role, WEFT_ROLE_SPINNING)
                  || (!weft_role_is(value->role, WEFT_ROLE_BUSY)
                      && !weft_role_is(value->role, WEFT_ROLE_OVERHEAD));
        waits[v] = !weft_role_is(value->role, WEFT_ROLE_BLOCKED)
                   && !weft_role_is(value->role, WEFT_ROLE_BLOCKING_SEND)
                   && !weft_role_is(value->role, WEFT_ROLE_IDLE);
        if (type->kind == WEFT_STATE && !waits[v] && value->self_ticks > 0)
            reports[value->type] = weft_role_is(type->role, WEFT_ROLE_CALL)
                                   || weft_role_is(type->role, WEFT_ROLE_COMMUNICATION);
    }
    *out = (struct weft_spinning){ source, runs, waits, reports };
}

static void answer(struct wait_sum *sum)
{
    const struct weft_source *source = sum->spinning->source;
    struct weft_classing classing = { .of = sum->spinning->runs, .none = 1, .damaged = 1 };
    int64_t ticks[AT_ONCE][WEFT_TALLIES] = { { 0 } };

    source->ops->class_ticks(source, sum->queries, sum->n, &classing, ticks);
    for (size_t i = 0; i < sum->n; i++)
        sum->ticks = weft_ticks_add(sum->ticks, ticks[i][0]);
    sum->n = 0;
}

static void end_wait(struct wait_sum *sum, int64_t end)
{
    if (!sum->waits)
        return;
    sum->waits = false;
    sum->queries[sum->n++] = (struct weft_class_query){ sum->running, { sum->begin, end } };
    if (sum->n == AT_ONCE)
        answer(sum);
}

static bool follow(void *user, const struct weft_class_run *run)
{
    struct wait_sum *sum = user;

    for (size_t i = 0; i < run->n; i++) {
        end_wait(sum, run->times[i]);
        sum->waits = run->classes[i] == 0;
        sum->begin = run->times[i];
    }
    return true;
}

int64_t weft_spinning_ticks(const struct weft_spinning *spinning, uint32_t track,
                            struct weft_span window)
{
    const struct weft_source *source = spinning->source;
    const struct weft_schema *schema = source->schema;
    uint32_t place = schema->containers[schema->tracks[track].container].order;
    struct weft_classing classing = { .of = spinning->waits, .none = 1, .damaged = 1 };
    struct wait_sum sum = { .spinning = spinning, .running = track };

    for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1]; i++) {
        uint32_t t = schema->track_at[i];
        if (t == track || !spinning->reports[schema->tracks[t].type])
            continue;
        source->ops->classes(source, t, window, &classing, follow, &sum);
        end_wait(&sum, window.end);
    }
    answer(&sum);
    return sum.ticks;
}
