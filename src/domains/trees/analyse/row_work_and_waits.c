/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/analyse/row_work_and_waits.h"

#include <stdlib.h>

#include "base/compare.h"

/* ---- Calls ---- */

enum { WORKS, WAITS, NOTHING }; /* the first two as in struct weft_waiting */

struct class_stretch {
    struct weft_row_times *working, *waiting;
    int64_t since;
    uint8_t class;
};

static void end_stretch(struct class_stretch *stretch, int64_t time)
{
    struct weft_row_times *times = stretch->class == WORKS   ? stretch->working
                                   : stretch->class == WAITS ? stretch->waiting
                                                             : NULL;
    if (times && time > stretch->since) {
        times->list =
            weft_grow(times->list, &times->capacity, times->n + 1, sizeof *times->list);
        times->list[times->n++] = (struct weft_span){ stretch->since, time };
    }
    stretch->since = time;
}

static bool add_classes(void *user, const struct weft_class_run *run)
{
    struct class_stretch *stretch = user;
    for (size_t i = 0; i < run->n; i++) {
        end_stretch(stretch, run->times[i]);
        stretch->class = run->classes[i];
    }
    return true;
}

void weft_row_calls(const struct weft_waiting *waiting, uint32_t track,
                    struct weft_span window, struct weft_row_times *working,
                    struct weft_row_times *waiting_times)
{
    const struct weft_classing classing = { waiting->of_value, NOTHING, NOTHING, NULL };
    struct class_stretch stretch = { working, waiting_times, window.begin, NOTHING };
    working->n = 0;
    if (waiting_times)
        waiting_times->n = 0;
    waiting->source->ops->classes(waiting->source, track, window, &classing, add_classes,
                                  &stretch);
    end_stretch(&stretch, window.end);
}

/* ---- Rows of a thread ---- */

/* A change: how many more rows work and wait from TIME on. */
struct row_change {
    int64_t time;
    int32_t more[2];
};

struct row_changes {
    struct row_change *list;
    size_t n, capacity;
};

struct sweep {
    const struct weft_idle_times *idle;
    size_t at; /* idle intervals before it have ended */
    void (*visit)(void *user, enum weft_row_doing doing, struct weft_span time, uint32_t n);
    void *user;
    struct part { /* the latest interval found, which may be extended */
        struct weft_span time;
        uint32_t n;
    } parts[2];
};

static void add_turns(struct row_changes *changes, const struct weft_row_times *times,
                      int doing)
{
    for (size_t i = 0; i < times->n; i++) {
        changes->list = weft_grow(changes->list, &changes->capacity, changes->n + 2,
                                  sizeof *changes->list);
        struct row_change *change = &changes->list[changes->n];
        change[0] = (struct row_change){ .time = times->list[i].begin };
        change[1] = (struct row_change){ .time = times->list[i].end };
        change[0].more[doing] = 1;
        change[1].more[doing] = -1;
        changes->n += 2;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct row_change *x = a, *y = b;
    return WEFT_COMPARE(x->time, y->time);
}

static void end_part(struct sweep *s, enum weft_row_doing doing)
{
    struct part *part = &s->parts[doing];
    if (part->n)
        s->visit(s->user, doing, part->time, part->n);
    part->n = 0;
}

static void add_part(struct sweep *s, enum weft_row_doing doing, int64_t begin, int64_t end,
                     uint32_t n)
{
    struct part *part = &s->parts[doing];
    if (begin >= end || !n)
        return;
    if (part->n == n && part->time.end == begin) {
        part->time.end = end;
        return;
    }
    end_part(s, doing);
    *part = (struct part){ { begin, end }, n };
}

/*
 * Adds the times from FROM to TO: N rows have working calls, which count as waiting in idle
 * times; WAITING rows wait.
 */
static void sweep_to(struct sweep *s, int64_t from, int64_t to, uint32_t n,
                     uint32_t waiting)
{
    const struct weft_idle_times *idle = s->idle;
    while (s->at < idle->n && idle->spans[s->at].end <= from)
        s->at++;
    for (size_t i = s->at; i < idle->n && idle->spans[i].begin < to; i++) {
        struct weft_span span = idle->spans[i];
        int64_t begin = span.begin > from ? span.begin : from;
        add_part(s, WEFT_ROW_WORKS, from, begin, n);
        add_part(s, WEFT_ROW_WAITS, from, begin, waiting);
        from = span.end < to ? span.end : to;
        add_part(s, WEFT_ROW_WAITS, begin, from, n + waiting);
    }
    add_part(s, WEFT_ROW_WORKS, from, to, n);
    add_part(s, WEFT_ROW_WAITS, from, to, waiting);
}

void weft_row_times(const struct weft_waiting *waiting, const uint32_t *tracks, size_t n,
                    const struct weft_idle_times *idle, struct weft_span window,
                    void (*visit)(void *user, enum weft_row_doing doing,
                                  struct weft_span time, uint32_t n),
                    void *user)
{
    struct weft_row_times working = { 0 }, waits = { 0 };
    struct row_changes changes = { 0 };
    struct sweep sweep = { .idle = idle, .visit = visit, .user = user };
    uint32_t count[2] = { 0 };
    for (size_t i = 0; i < n; i++) {
        weft_row_calls(waiting, tracks[i], window, &working, &waits);
        add_turns(&changes, &working, WEFT_ROW_WORKS);
        add_turns(&changes, &waits, WEFT_ROW_WAITS);
    }
    free(working.list);
    free(waits.list);
    if (changes.n)
        qsort(changes.list, changes.n, sizeof *changes.list, by_time);
    for (size_t i = 0; i < changes.n; i++) {
        if (i && changes.list[i].time > changes.list[i - 1].time)
            sweep_to(&sweep, changes.list[i - 1].time, changes.list[i].time,
                     count[WEFT_ROW_WORKS], count[WEFT_ROW_WAITS]);
        for (int d = 0; d < 2; d++)
            count[d] += (uint32_t)changes.list[i].more[d];
    }
    end_part(&sweep, WEFT_ROW_WORKS);
    end_part(&sweep, WEFT_ROW_WAITS);
    free(changes.list);
}
