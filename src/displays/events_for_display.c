/* SPDX-License-Identifier: Apache-2.0 */
#include "displays/events_for_display.h"

#include <stdlib.h>
#include <weft/view.h>

#include "base/memory.h"

struct weft_later_event {
    struct weft_display_step step;
    uint64_t begun; /* number of its begin */
};

/* Returns true if A comes before B. */
static bool is_before(const struct weft_later_event *a, const struct weft_later_event *b)
{
    if (a->step.time != b->step.time)
        return a->step.time < b->step.time;
    if (a->step.kind != b->step.kind)
        return a->step.kind < b->step.kind; /* END, SEND, RECEIVE */
    /* Inner states began later, and end first. */
    return a->step.kind == WEFT_DISPLAY_END ? a->begun > b->begun : a->begun < b->begun;
}

static void push(struct weft_display_events *events, const struct weft_display_step *step)
{
    const struct weft_later_event added = { *step, events->begun };
    events->later = weft_grow(events->later, &events->later_capacity, events->n_later + 1,
                              sizeof *events->later);
    size_t at = events->n_later++;
    while (at && is_before(&added, &events->later[(at - 1) / 2])) {
        events->later[at] = events->later[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    events->later[at] = added;
}

static void pop(struct weft_display_events *events)
{
    const struct weft_later_event last = events->later[--events->n_later];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < events->n_later) {
        if (child + 1 < events->n_later
            && is_before(&events->later[child + 1], &events->later[child]))
            child++;
        if (!is_before(&events->later[child], &last))
            break;
        events->later[at] = events->later[child];
        at = child;
    }
    events->later[at] = last;
}

static bool takes(const struct weft_display_events *events, enum weft_display_kind kind)
{
    return events->takes >> kind & 1;
}

/* Returns the kinds of entities that the events come from. */
static unsigned kinds_of(const struct weft_display_events *events)
{
    unsigned kinds = 0;
    if (takes(events, WEFT_DISPLAY_BEGIN) || takes(events, WEFT_DISPLAY_END))
        kinds |= 1u << WEFT_STATE;
    if (takes(events, WEFT_DISPLAY_INSTANT))
        kinds |= 1u << WEFT_EVENT;
    if (takes(events, WEFT_DISPLAY_SEND) || takes(events, WEFT_DISPLAY_RECEIVE))
        kinds |= 1u << WEFT_LINK;
    if (takes(events, WEFT_DISPLAY_SAMPLE))
        kinds |= 1u << WEFT_VARIABLE;
    return kinds;
}

void weft_display_events_begin(struct weft_display_events *events,
                               const struct weft_source *source, unsigned takes)
{
    const struct weft_schema *schema = source->schema;
    uint32_t *tracks = weft_zalloc((size_t)schema->n_tracks + 1, sizeof *tracks);
    uint32_t n = schema->track_begin[schema->containers[0].subtree_end];
    *events = (struct weft_display_events){ .source = source, .takes = takes };
    for (uint32_t i = 0; i < n; i++)
        tracks[i] = schema->track_at[i];
    weft_walk_begin(&events->walk, source, tracks, n, kinds_of(events), -WEFT_TIME_LIMIT,
                    false);
    events->has_next = weft_walk_next(&events->walk, &events->next);
    free(tracks);
}

void weft_display_events_end(struct weft_display_events *events)
{
    weft_walk_end(&events->walk);
    free(events->later);
    *events = (struct weft_display_events){ 0 };
}

/* Puts both events of a link among the later ones. */
static void push_link(struct weft_display_events *events, const struct weft_link *link)
{
    struct weft_display_step step = { .kind = WEFT_DISPLAY_SEND,
                                      .time = link->begin,
                                      .id = link->id,
                                      .row = link->from,
                                      .peer = link->to,
                                      .type = link->type,
                                      .value = link->value };
    if (takes(events, WEFT_DISPLAY_SEND) && !(link->flags & WEFT_BEGIN_IMPLIED))
        push(events, &step);
    step.kind = WEFT_DISPLAY_RECEIVE;
    step.time = link->end;
    step.row = link->to;
    step.peer = link->from;
    if (takes(events, WEFT_DISPLAY_RECEIVE) && !(link->flags & WEFT_END_IMPLIED))
        push(events, &step);
}

/*
 * Takes the walk's next entity: sets *STEP to its event, and keeps its end for later.
 * Returns false if there is no event now.
 */
static bool take(struct weft_display_events *events, struct weft_display_step *step)
{
    const struct weft_entity *entity = &events->next;
    const struct weft_track *track =
        &events->source->schema->tracks[weft_entity_track(entity->id)];
    *step = (struct weft_display_step){ .time = entity->time,
                                        .id = entity->id,
                                        .row = track->container,
                                        .peer = WEFT_NONE,
                                        .type = track->type,
                                        .value = WEFT_NONE };
    events->begun++;
    switch (entity->kind) {
    case WEFT_STATE:
        step->value = entity->state->value;
        if (takes(events, WEFT_DISPLAY_END)) {
            step->kind = WEFT_DISPLAY_END;
            step->time = entity->state->end;
            push(events, step);
            step->time = entity->time;
        }
        step->kind = WEFT_DISPLAY_BEGIN;
        return takes(events, WEFT_DISPLAY_BEGIN);
    case WEFT_EVENT:
        step->kind = WEFT_DISPLAY_INSTANT;
        step->value = entity->event->value;
        return true;
    case WEFT_VARIABLE:
        step->kind = WEFT_DISPLAY_SAMPLE;
        step->sample = entity->sample->value;
        return true;
    case WEFT_LINK: push_link(events, entity->link); return false;
    default: return false;
    }
}

bool weft_display_events_next(struct weft_display_events *events, int64_t until,
                              struct weft_display_step *step)
{
    for (;;) {
        bool later =
            events->n_later
            && (!events->has_next || events->later[0].step.time <= events->next.time);
        if (later) {
            if (events->later[0].step.time > until)
                return false;
            *step = events->later[0].step;
            pop(events);
            return true;
        }
        if (!events->has_next || events->next.time > until)
            return false;
        bool is_event = take(events, step);
        events->has_next = weft_walk_next(&events->walk, &events->next);
        if (is_event)
            return true;
    }
}
