/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/idle.h"

#include <stdlib.h>

#include "base/binary_search.h"

enum { WORKS, WAITS };

/* ---- Waiting values ---- */

bool weft_role_waits(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_IDLE) || role == WEFT_ROLE_BLOCKING_SEND;
}

void weft_waiting_begin(struct weft_waiting *waiting, const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    *waiting = (struct weft_waiting){
        .source = source,
        .of_value = weft_zalloc((size_t)schema->n_values + 1, 1),
        .of_type = weft_zalloc((size_t)schema->n_types + 1, sizeof *waiting->of_type),
    };
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (weft_role_waits(schema->values[v].role)) {
            waiting->of_value[v] = WAITS;
            waiting->of_type[schema->values[v].type] = true;
        }
}

void weft_waiting_end(struct weft_waiting *waiting)
{
    free(waiting->of_value);
    free(waiting->of_type);
    *waiting = (struct weft_waiting){ 0 };
}

/* ---- Times ---- */

struct idle_scan {
    struct weft_idle_times *times;
    size_t capacity;
    int64_t end; /* of the track */
    bool open;
};

static bool add_classes(void *user, const struct weft_class_run *run)
{
    struct idle_scan *scan = user;
    struct weft_idle_times *times = scan->times;
    for (size_t i = 0; i < run->n; i++) {
        int64_t time = run->times[i] < scan->end ? run->times[i] : scan->end;
        if (scan->open)
            times->spans[times->n - 1].end = time;
        scan->open = run->classes[i] == WAITS;
        if (!scan->open)
            continue;
        times->spans =
            weft_grow(times->spans, &scan->capacity, times->n + 1, sizeof *times->spans);
        times->spans[times->n++] = (struct weft_span){ time, scan->end };
    }
    return true;
}

static void sum_up(struct weft_idle_times *times)
{
    int64_t sum = 0;
    times->before = weft_alloc((times->n + 1) * sizeof *times->before);
    for (size_t i = 0; i < times->n; i++) {
        times->before[i] = sum;
        sum += times->spans[i].end - times->spans[i].begin;
    }
}

/* Returns the idle times by the first track from TRACK on that has any in its container. */
static struct weft_idle_times read_times(const struct weft_waiting *waiting,
                                         uint32_t container, uint32_t track)
{
    const struct weft_source *source = waiting->source;
    const struct weft_schema *schema = source->schema;
    const struct weft_classing classing = { waiting->of_value, WORKS, WORKS, NULL };
    struct weft_idle_times times = { .track = WEFT_NONE };
    for (uint32_t t = track; t < schema->n_tracks && !times.n; t++) {
        const struct weft_track *of = &schema->tracks[t];
        if (of->container != container)
            break;
        if (schema->types[of->type].kind != WEFT_STATE || of->max_depth > 1
            || !waiting->of_type[of->type])
            continue;
        struct idle_scan scan = { .times = &times, .end = of->end };
        source->ops->classes(source, t, (struct weft_span){ of->begin, of->end }, &classing,
                             add_classes, &scan);
        times.track = times.n ? t : WEFT_NONE;
    }
    sum_up(&times);
    return times;
}

/* Returns how many intervals begin at TIME or before. */
static size_t begun(const struct weft_idle_times *times, int64_t time)
{
    return WEFT_FIRST(i, 0, times->n, times->spans[i].begin > time);
}

int64_t weft_idle_until(const struct weft_idle_times *times, int64_t time)
{
    size_t n = begun(times, time);
    if (!n)
        return 0;
    struct weft_span last = times->spans[n - 1];
    return times->before[n - 1] + (time < last.end ? time : last.end) - last.begin;
}

int64_t weft_idle_begin_before(const struct weft_idle_times *times, int64_t time)
{
    size_t n = begun(times, time);
    return n && times->spans[n - 1].end >= time ? times->spans[n - 1].begin : time;
}

/* ---- Idle times of containers ---- */

static void forget(struct weft_idle_times *times)
{
    free(times->spans);
    free(times->before);
    *times = (struct weft_idle_times){ 0 };
}

void weft_idle_end(struct weft_idle *idle)
{
    forget(&idle->first);
    forget(&idle->second);
    idle->known = idle->has_second = false;
}

const struct weft_idle_times *weft_idle_of(struct weft_idle *idle, uint32_t track)
{
    const struct weft_schema *schema = idle->waiting->source->schema;
    uint32_t container = schema->tracks[track].container;
    if (!idle->known || idle->container != container) {
        weft_idle_end(idle);
        idle->known = true;
        idle->container = container;
        uint32_t first = schema->track_begin[schema->containers[container].order];
        idle->first = read_times(idle->waiting, container, schema->track_at[first]);
    }
    if (idle->first.track != track)
        return &idle->first;
    /* The row's own states are in its calls already: use the next track. */
    if (!idle->has_second)
        idle->second = read_times(idle->waiting, container, track + 1);
    idle->has_second = true;
    return &idle->second;
}
