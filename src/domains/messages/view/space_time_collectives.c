/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations in the space-time view.  Drawn as messages, an operation is a line
 * from each sender's entry to each receiver's exit.  Drawn as a group, or a barrier among
 * data, it is a star whose centre is at the last entry, with a line from each entry and one
 * to each exit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/messages/view/space_time_layers.h"

/* More lines than this cannot be told apart, and take seconds. */
enum { MAX_LINES = 1 << 20 };

/* A range [first, after) of operations that contains all that overlap the window. */
struct operation_range {
    size_t first, after;
};

static struct operation_range of_window(const struct st_picture *p)
{
    const struct weft_traffic *traffic = p->collectives->traffic;
    size_t n = traffic->n_collectives; /* `reach` never falls */
    size_t first = WEFT_FIRST(i, 0, n, traffic->reach[i] >= p->window.begin);
    size_t after = WEFT_FIRST(i, first, n, traffic->collectives[i].begin >= p->window.end);
    return (struct operation_range){ first, after };
}

static double lines_of(const struct weft_collective *collective, bool group)
{
    double n = collective->n_calls;
    if (group)
        return 2 * n;
    bool rooted = collective->pattern == WEFT_ROLE_ONE_TO_ALL
                  || collective->pattern == WEFT_ROLE_ALL_TO_ONE;
    return rooted ? n : n * n;
}

/* Returns true if OF is drawn as a star. */
static bool is_star(const struct st_collectives *collectives,
                    const struct weft_collective *of)
{
    return collectives->kind == WEFT_COLLECTIVES_GROUP
           || !weft_collective_counts(of, collectives->kind);
}

static double count_lines(const struct st_picture *p, struct operation_range range)
{
    double n = 0;
    for (size_t i = range.first; i < range.after; i++) {
        const struct weft_collective *of = &p->collectives->traffic->collectives[i];
        n += lines_of(of, is_star(p->collectives, of));
    }
    return n;
}

bool st_collectives_begin(struct st_picture *p, struct weft_err *err)
{
    const char *text = weft_setting(p->request, "collectives");
    enum weft_collectives kind = strcmp(text, "auto") != 0 ? weft_collectives_find(text)
                                 : p->activity             ? WEFT_COLLECTIVES_DATA
                                                           : WEFT_COLLECTIVES_NONE;
    if (kind == WEFT_COLLECTIVES_NONE || !weft_has_traffic(p->schema)
        || !weft_has_processors(p->source))
        return true;
    const struct weft_traffic *traffic = weft_use_traffic(p->request->use, err);
    if (!traffic)
        return false;
    p->collectives = weft_arena_alloc(p->arena, sizeof *p->collectives);
    *p->collectives = (struct st_collectives){ traffic, kind };
    struct operation_range range = of_window(p);
    if (kind != WEFT_COLLECTIVES_GROUP && count_lines(p, range) > MAX_LINES) {
        p->collectives->kind = WEFT_COLLECTIVES_GROUP;
        p->collectives_note =
            "collective operations as groups, their messages are too many";
    }
    if (p->collectives->kind == WEFT_COLLECTIVES_GROUP
        && count_lines(p, range) > MAX_LINES) {
        p->collectives->kind = WEFT_COLLECTIVES_NONE;
        p->collectives_note = "too many collective operations to draw: zoom in";
    }
    return true;
}

int64_t st_collectives_most_bytes(const struct st_picture *p)
{
    int64_t most = 0;
    if (!p->collectives || p->collectives->kind == WEFT_COLLECTIVES_GROUP
        || p->collectives->kind == WEFT_COLLECTIVES_NONE)
        return 0;
    struct operation_range range = of_window(p);
    for (size_t i = range.first; i < range.after; i++) {
        const struct weft_collective *of = &p->collectives->traffic->collectives[i];
        for (uint32_t c = 0; c < of->n_calls && of->end >= p->window.begin; c++) {
            const struct weft_collective_call *call =
                &p->collectives->traffic->calls[of->first_call + c];
            if (weft_collective_sends(of, call) && call->bytes > most)
                most = call->bytes;
        }
    }
    return most;
}

/* ---- Lines ---- */

struct collective_walk {
    const struct st_picture *p;
    const struct weft_collective *of;
    struct weft_link link; /* a line's ends and times, and its operation's event */
    bool (*visit)(void *user, const struct st_line *line);
    void *user;
};

/* Sets *Y to the row of a call; false when no such row is shown. */
static bool place_call(const struct collective_walk *walk,
                       const struct weft_collective_call *call, double *y)
{
    const struct st_picture *p = walk->p;
    uint32_t container =
        p->collectives->traffic->processors->processors[call->processor].container;
    return st_link_row(p, container, call->state, y);
}

/* Visits the lines from sender S to its partners among RECEIVERS[n]; false: stop. */
static bool visit_sent(struct collective_walk *walk, uint32_t s, const uint32_t *receivers,
                       size_t n)
{
    const struct st_picture *p = walk->p;
    const struct weft_collective *of = walk->of;
    const struct weft_processor *processors =
        p->collectives->traffic->processors->processors;
    const struct weft_collective_call *calls =
        p->collectives->traffic->calls + of->first_call;
    bool prefix = of->pattern == WEFT_ROLE_PREFIX;
    double y;
    if (weft_job_cancelled(p->request->job))
        return false;
    if (!weft_collective_sends(of, &calls[s]) || !place_call(walk, &calls[s], &y))
        return true;
    for (size_t i = 0; i < n; i++) {
        uint32_t r = receivers[i];
        struct st_line line = { .link = &walk->link, .bytes = calls[s].bytes };
        if (r == s || (prefix && calls[s].rank >= calls[r].rank)
            || !place_call(walk, &calls[r], &line.b.y))
            continue;
        walk->link.from = processors[calls[s].processor].container;
        walk->link.to = processors[calls[r].processor].container;
        walk->link.begin = calls[s].entry;
        walk->link.end = calls[r].exit;
        line.a = (struct weft_point){ st_x(p, calls[s].entry), y };
        line.b.x = st_x(p, calls[r].exit);
        if (!walk->visit(walk->user, &line))
            return false;
    }
    return true;
}

/* Visits the lines of an operation as messages; false: stop. */
static bool visit_messages(struct collective_walk *walk)
{
    const struct weft_collective *of = walk->of;
    const struct weft_collective_call *calls =
        walk->p->collectives->traffic->calls + of->first_call;
    uint32_t *receivers = weft_alloc((of->n_calls + (size_t)1) * sizeof *receivers);
    size_t n = 0;
    bool ok = true;
    for (uint32_t r = 0; r < of->n_calls; r++)
        if (weft_collective_receives(of, &calls[r]))
            receivers[n++] = r;
    for (uint32_t s = 0; s < of->n_calls && ok; s++)
        ok = visit_sent(walk, s, receivers, n);
    free(receivers);
    return ok;
}

/* Visits the lines and the centre of an operation's star; false: stop. */
static bool visit_star(struct collective_walk *walk)
{
    const struct st_picture *p = walk->p;
    const struct weft_collective *of = walk->of;
    const struct weft_collective_call *calls =
        p->collectives->traffic->calls + of->first_call;
    struct st_line line = { .link = &walk->link, .part = ST_STAR_LINE, .bytes = -1 };
    struct weft_point middle = { 0, 0 };
    int64_t last = of->begin;
    double y, n = 0;
    for (uint32_t c = 0; c < of->n_calls; c++)
        if (place_call(walk, &calls[c], &y)) {
            last = calls[c].entry > last ? calls[c].entry : last;
            middle.y += y;
            n++;
        }
    if (n == 0)
        return true;
    middle.y /= n;
    middle.x = st_x(p, last);
    walk->link.from = walk->link.to = of->communicator;
    walk->link.begin = of->begin;
    walk->link.end = of->end;
    for (uint32_t c = 0; c < of->n_calls; c++) {
        if (!place_call(walk, &calls[c], &y))
            continue;
        line.a = (struct weft_point){ st_x(p, calls[c].entry), y };
        line.b = middle;
        if (!walk->visit(walk->user, &line))
            return false;
        line.a = middle;
        line.b = (struct weft_point){ st_x(p, calls[c].exit), y };
        if (!walk->visit(walk->user, &line))
            return false;
    }
    line.a = line.b = middle;
    line.part = ST_STAR_CENTRE;
    return walk->visit(walk->user, &line);
}

void st_each_collective(const struct st_picture *p,
                        bool (*visit)(void *user, const struct st_line *line), void *user)
{
    if (!p->collectives || p->collectives->kind == WEFT_COLLECTIVES_NONE)
        return;
    struct operation_range range = of_window(p);
    for (size_t i = range.first; i < range.after; i++) {
        const struct weft_collective *of = &p->collectives->traffic->collectives[i];
        struct weft_event event = { .value = WEFT_NONE };
        struct collective_walk walk = { .p = p, .of = of, .visit = visit, .user = user };
        if (of->end < p->window.begin
            || !p->source->ops->event(p->source, of->event, &event))
            continue;
        walk.link =
            (struct weft_link){ .type =
                                    p->schema->tracks[weft_entity_track(of->event)].type,
                                .value = event.value,
                                .key = WEFT_NONE,
                                .id = of->event };
        if (!(is_star(p->collectives, of) ? visit_star(&walk) : visit_messages(&walk)))
            return;
    }
}
