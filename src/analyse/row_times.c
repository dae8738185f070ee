/* SPDX-License-Identifier: Apache-2.0 */
/* When a row of calls worked, and when it waited inside of them. */
#include <stdlib.h>

#include "analyse/thread_span.h"
#include "model/graph.h"

enum { WORKS, WAITS, NOTHING };

struct reading {
    struct weft_row_times *worked, *waited;
    const struct weft_span *idle; /* [n_idle] when the row's thread did not work */
    size_t n_idle, at;            /* spans before `at` are over */
    int64_t since;
    uint8_t class;
};

static void add(struct weft_row_times *times, int64_t begin, int64_t end)
{
    if (!times || begin >= end)
        return;
    if (times->n && times->list[times->n - 1].end == begin) {
        times->list[times->n - 1].end = end;
        return;
    }
    times->list =
        weft_grow(times->list, &times->capacity, times->n + 1, sizeof *times->list);
    times->list[times->n++] = (struct weft_span){ begin, end };
}

/* A stretch in which a row's calls work, less the times when its thread did not. */
static void add_working(struct reading *r, int64_t from, int64_t to)
{
    while (r->at < r->n_idle && r->idle[r->at].end <= from)
        r->at++;
    for (size_t i = r->at; i < r->n_idle && r->idle[i].begin < to; i++) {
        int64_t begin = r->idle[i].begin > from ? r->idle[i].begin : from;
        add(r->worked, from, begin);
        from = r->idle[i].end < to ? r->idle[i].end : to;
        add(r->waited, begin, from);
    }
    add(r->worked, from, to);
}

static void end_stretch(struct reading *r, int64_t time)
{
    if (r->class == WORKS && time > r->since)
        add_working(r, r->since, time);
    else if (r->class == WAITS)
        add(r->waited, r->since, time);
    r->since = time;
}

static bool take_classes(void *user, const struct weft_class_run *run)
{
    struct reading *r = user;
    for (size_t i = 0; i < run->n; i++) {
        end_stretch(r, run->times[i]);
        r->class = run->classes[i];
    }
    return true;
}

void weft_row_times(const struct weft_source *source, uint32_t track,
                    struct weft_span window, struct weft_row_times *worked,
                    struct weft_row_times *waited)
{
    const struct weft_schema *schema = source->schema;
    uint8_t *of = weft_zalloc(schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++)
        of[v] = weft_graph_role_waits(schema->values[v].role) ? WAITS : WORKS;
    struct reading r = {
        .worked = worked, .waited = waited, .since = window.begin, .class = NOTHING
    };
    struct weft_span *idle = weft_graph_idle(source, track, &r.n_idle);
    r.idle = idle;
    const struct weft_classing classing = { of, NOTHING, NOTHING, NULL };
    source->ops->classes(source, track, window, &classing, take_classes, &r);
    end_stretch(&r, window.end);
    free(idle);
    free(of);
}
