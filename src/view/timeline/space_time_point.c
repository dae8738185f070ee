/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what is at a point of the space-time picture: for the pointer, where marks are too
   dense. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/timeline/space_time.h"

enum { FEW = 4096, NEAR = 5 }; /* states that are read at most; pixels to an event */

struct point {
    struct st_picture p; /* the band */
    const struct st_row *row;
    struct weft_span pixel;
    struct weft_table *table;
    uint64_t id;
    /* while states are visited */
    size_t seen;
    int64_t longest;
    uint16_t deepest;
    struct weft_state best;
    /* while events are visited */
    double nearest;
    struct weft_event event;
};

static void fact(struct point *at, const char *name, const char *value)
{
    const struct weft_cell cells[] = { weft_text_cell(name), weft_text_cell(value) };
    at->table->row(at->table, cells);
}

/* Keeps the innermost of the states that cover most of the pixel. */
static bool see_state(void *user, const struct weft_state *state)
{
    struct point *at = user;
    int64_t from = state->begin > at->pixel.begin ? state->begin : at->pixel.begin;
    int64_t to = state->end < at->pixel.end ? state->end : at->pixel.end;
    at->seen++;
    if (to - from > at->longest
        || (to - from == at->longest && state->depth >= at->deepest)) {
        at->longest = to - from;
        at->deepest = state->depth;
        at->best = *state;
        at->id = state->id;
    }
    return at->seen < FEW;
}

static void tell_shares(struct point *at)
{
    const struct st_picture *p = &at->p;
    const struct weft_schema *schema = p->schema;
    unsigned slots = schema->types[at->row->type].slots;
    float shares[WEFT_MAX_SLOTS];
    struct weft_share_query query = { .tracks = at->row->tracks,
                                      .n_tracks = at->row->n_tracks,
                                      .window = at->pixel,
                                      .columns = 1,
                                      .shares = shares,
                                      .job = p->request->job,
                                      .exact = true };
    p->source->ops->shares(p->source, &query);
    for (unsigned s = 0; s < slots; s++) {
        double percent = 100 * (double)shares[s] / st_row_lanes(at->row);
        const char *name = NULL;
        bool others = false; /* the last slot has all rarer values, too */
        for (uint32_t v = 0; v < schema->n_values; v++) {
            const struct weft_value *value = &schema->values[v];
            if (value->type != at->row->type)
                continue;
            if (value->rank == s)
                name = value->name;
            others |= s + 1 == slots && value->rank > s;
        }
        if (others || !name)
            name = "(others)";
        if (percent >= 0.05)
            fact(at, name, weft_arena_printf(p->arena, "%.1f %%", percent));
    }
}

/* Tells how many members of a reduced row were in each state, on average over the pixel. */
static void tell_members(struct point *at)
{
    enum { MANY = 8 };
    const struct st_picture *p = &at->p;
    const struct weft_schema *schema = p->schema;
    const struct weft_reduction *reduction = at->row->reduction;
    double length = (double)(at->pixel.end - at->pixel.begin), active = 0;
    size_t told = 0;
    struct weft_sum *sums = weft_arena_zalloc(p->arena, schema->n_values + 1, sizeof *sums);
    p->source->ops->sums(p->source, at->row->tracks, at->row->n_tracks, at->pixel, sums);
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (schema->values[v].type == at->row->type && reduction->active[v])
            active += (double)sums[v].self_ticks / length;
    if (st_is_shaded(p, at->row))
        fact(at, reduction->what,
             weft_arena_printf(p->arena, "%.3g of %u", active, at->row->n_tracks));
    for (uint32_t v = 0; v < schema->n_values && told < MANY; v++) {
        double members = (double)sums[v].self_ticks / length;
        if (schema->values[v].type != at->row->type || members < 5e-4)
            continue;
        fact(at, schema->values[v].name, weft_arena_printf(p->arena, "%.3g", members));
        told++;
    }
}

static void tell_states(struct point *at)
{
    const struct st_picture *p = &at->p;
    uint64_t changes = 0;
    for (uint32_t t = 0; t < at->row->n_tracks; t++)
        changes += p->source->ops->density(p->source, at->row->tracks[t], at->pixel);
    at->longest = -1;
    if (changes < FEW)
        for (uint32_t t = 0; t < at->row->n_tracks && at->seen < FEW; t++)
            p->source->ops->states(p->source, at->row->tracks[t], at->pixel, see_state, at);
    if (at->row->reduction) {
        tell_members(at);
        return;
    }
    if (at->seen != 1 || st_row_lanes(at->row) > 1) {
        tell_shares(at);
        return;
    }
    char length[WEFT_TIME_TEXT];
    fact(at, p->schema->values[at->best.value].name,
         weft_duration_text(p->schema, at->best.end - at->best.begin, length));
}

static bool see_event(void *user, const struct weft_event *event)
{
    struct point *at = user;
    double middle = (double)(at->pixel.begin - event->time) * at->p.scale;
    if (fabs(middle) < at->nearest) {
        at->nearest = fabs(middle);
        at->event = *event;
        at->id = event->id;
    }
    return true;
}

static void tell_events(struct point *at, const uint32_t *tracks, uint32_t n)
{
    const struct st_picture *p = &at->p;
    int64_t near = (int64_t)fmin(NEAR / p->scale, 0x1p60);
    struct weft_span around = { at->pixel.begin - near, at->pixel.end + near };
    uint64_t before = at->id;
    at->nearest = NEAR;
    for (uint32_t t = 0; t < n; t++)
        if (p->source->ops->density(p->source, tracks[t], around) < FEW)
            p->source->ops->events(p->source, tracks[t], around, see_event, at);
    if (at->id != before)
        fact(at, "event",
             at->event.value == WEFT_NONE ? "" : p->schema->values[at->event.value].name);
}

static void tell_curve(struct point *at, uint32_t track, const char *name)
{
    const struct st_picture *p = &at->p;
    struct weft_envelope value;
    p->source->ops->envelope(p->source, track, at->pixel, 1, &value);
    if (isnan(value.mean))
        fact(at, name, "no value here");
    else if (value.min == value.max)
        fact(at, name, weft_arena_printf(p->arena, "%.6g", (double)value.mean));
    else
        fact(at, name,
             weft_arena_printf(p->arena, "%.6g (%.6g to %.6g)", (double)value.mean,
                               (double)value.min, (double)value.max));
}

/* The curves of the row's members, the first ones by name. */
static void tell_curves(struct point *at)
{
    enum { MANY = 8 };
    const struct weft_schema *schema = at->p.schema;
    if (at->row->n_tracks == 1)
        tell_curve(at, at->row->tracks[0], schema->types[at->row->type].name);
    for (uint32_t t = 0; at->row->n_tracks > 1 && t < at->row->n_tracks && t < MANY; t++)
        tell_curve(at, at->row->tracks[t],
                   schema->containers[schema->tracks[at->row->tracks[t]].container].name);
    if (at->row->n_tracks > MANY)
        fact(at, "more", weft_arena_printf(at->p.arena, "%u", at->row->n_tracks - MANY));
}

/* Finds the row at Y, in either band; the band is left in at->p. */
static bool find_row(struct point *at, const struct st_picture *whole, double y)
{
    for (int pinned = whole->pinned.n > 0; pinned >= 0; pinned--) {
        st_choose_band(&at->p, whole, pinned);
        for (size_t i = 0; i < at->p.rows.n; i++) {
            const struct st_row *row = &at->p.rows.list[i];
            double top = at->p.frame.plot.y + row->y;
            if (st_is_shown(&at->p, row) && y >= top && y < top + row->height) {
                at->row = row;
                return true;
            }
        }
    }
    return false;
}

static void activity_fact(void *user, const char *name, const char *value)
{
    fact(user, name, value);
}

/* Returns the container of the row; of several that take turns, the one living there. */
static uint32_t container_there(const struct point *at)
{
    const struct weft_schema *schema = at->p.schema;
    uint32_t c = at->row->container;
    while (at->row->lanes && !at->row->closed && schema->lane_next[c] != WEFT_NONE
           && schema->containers[schema->lane_next[c]].begin <= at->pixel.begin)
        c = schema->lane_next[c];
    return c;
}

static void tell(struct point *at)
{
    const struct st_picture *p = &at->p;
    const struct weft_container *c = &p->schema->containers[container_there(at)];
    char time[WEFT_TIME_TEXT];
    fact(at, p->schema->types[c->type].name, c->name);
    fact(at, "time",
         weft_duration_text(p->schema, at->pixel.begin - p->schema->span.begin, time));
    if (p->activity) {
        p->layers->tell_activity(p, at->row, at->pixel, activity_fact, at);
        return;
    }
    switch (at->row->kind) {
    case ST_STATES:
        tell_states(at);
        tell_events(at, at->row->events, at->row->n_events);
        break;
    case ST_EVENTS: tell_events(at, at->row->tracks, at->row->n_tracks); break;
    case ST_CURVE: tell_curves(at); break;
    case ST_HEADER:
    case ST_FOLD: break;
    }
}

bool st_point(const struct weft_request *request, struct weft_point where, uint64_t *id,
              struct weft_table *table, struct weft_err *err)
{
    struct weft_scene scene;
    struct st_picture whole = { .request = request,
                                .arena = request->arena,
                                .scene = &scene };
    struct point at = { .table = table, .id = WEFT_NO_ID };
    bool ok = st_lay_out(&whole, err);
    if (ok)
        weft_table_begin_facts(table);
    struct weft_rect plot = whole.frame.plot;
    if (ok && where.x >= plot.x && where.x < plot.x + plot.width
        && find_row(&at, &whole, where.y)) {
        double first = floor(where.x - plot.x);
        at.pixel.begin = whole.window.begin + (int64_t)(first / whole.scale);
        at.pixel.end = whole.window.begin + (int64_t)ceil((first + 1) / whole.scale);
        if (at.pixel.end <= at.pixel.begin)
            at.pixel.end = at.pixel.begin + 1;
        tell(&at);
    }
    if (ok)
        table->end(table);
    *id = at.id;
    return ok;
}
