/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies records to the builder, one by one.  One comparison detects all special cases of
 * a track (not resolved yet, destroyed, out of order): its `last` is then INT64_MAX, later
 * than any event.
 */
#include "read/paje/apply_records.h"

#include <stdlib.h>

void paje_simulator_init(struct paje_simulator *s, struct weft_builder *builder,
                         struct paje_names *names,
                         const struct paje_definitions *definitions,
                         struct paje_lesson *lesson)
{
    *s = (struct paje_simulator){
        .builder = builder, .names = names, .definitions = definitions, .lesson = lesson
    };
    s->links.free = WEFT_NONE;
    weft_builder_lanes(builder, PAJE_LANES);
    paje_tables_init(s);
}

void paje_simulator_free(struct paje_simulator *s)
{
    free(s->tracks);
    free(s->direct);
    paje_tables_free(&s->tables);
    free(s->destructions);
    free(s->waiting);
    paje_links_free(&s->links);
    paje_lates_free(&s->lates);
    paje_findings_free(&s->scribe.findings);
    paje_findings_free(&s->found);
    for (int i = 0; i < PAJE_LANE_TASKS; i++) {
        paje_findings_free(&s->lanes[i].scribe.findings);
        free(s->lanes[i].learned.items);
    }
}

void paje_fault_symbol(const struct paje_simulator *s, struct paje_scribe *scribe,
                       enum paje_fault fault, uint32_t symbol)
{
    const struct paje_symbol *text = &s->names->symbols.list[symbol];
    paje_fault(scribe, fault, text->text, text->length);
}

enum weft_kind paje_kind_of(enum paje_event event)
{
    if (event == PAJE_NEW_EVENT)
        return WEFT_EVENT;
    if (event <= PAJE_RESET_STATE)
        return WEFT_STATE;
    return event <= PAJE_SUB_VARIABLE ? WEFT_VARIABLE : WEFT_LINK;
}

static uint32_t container_symbol(const struct paje_simulator *s, uint32_t pair)
{
    return (uint32_t)(s->names->pairs.list[pair] >> 32);
}

void paje_apply(const struct paje_simulator *s, struct paje_scribe *scribe, uint32_t pair,
                uint32_t track, const struct paje_action *action)
{
    struct weft_builder *b = s->builder;
    enum weft_build result = WEFT_BUILD_OK;
    switch (action->event) {
    case PAJE_PUSH_STATE:
        result = weft_builder_push(b, track, action->time, action->value, action->fields,
                                   action->n_fields, NULL);
        break;
    case PAJE_POP_STATE: result = weft_builder_pop(b, track, action->time, NULL); break;
    case PAJE_SET_STATE:
        result = weft_builder_set(b, track, action->time, action->value, action->fields,
                                  action->n_fields, NULL);
        break;
    case PAJE_RESET_STATE:
        weft_builder_reset(b, track, action->time); /* no effect without a state */
        break;
    case PAJE_NEW_EVENT:
        result = weft_builder_event(b, track, action->time, action->value, action->fields,
                                    action->n_fields, NULL);
        break;
    case PAJE_SET_VARIABLE:
        result = weft_builder_sample(b, track, action->time, action->number);
        break;
    default: {
        double delta =
            action->event == PAJE_SUB_VARIABLE ? -action->number : action->number;
        result = weft_builder_add(b, track, action->time, delta);
        if (result == WEFT_BUILD_UNSET)
            weft_builder_sample(b, track, action->time, delta);
    }
    }
    if (result == WEFT_BUILD_OK)
        return;
    paje_fault_symbol(s, scribe,
                      result == WEFT_BUILD_EMPTY   ? PAJE_FAULT_EMPTY_STACK
                      : result == WEFT_BUILD_UNSET ? PAJE_FAULT_UNSET
                      : result == WEFT_BUILD_RANGE ? PAJE_FAULT_SUM
                      : result == WEFT_BUILD_DEEP  ? PAJE_FAULT_DEEP
                                                   : PAJE_FAULT_ORDER,
                      container_symbol(s, pair));
}

/* Returns the lane of a pair's container, by its name, like the lexer. */
static uint32_t lane_of(const struct paje_simulator *s, uint32_t pair)
{
    const struct paje_symbol *name = &s->names->symbols.list[container_symbol(s, pair)];
    struct paje_key key = paje_key(name->text, name->length);
    return paje_lane_of(&key, name->text, name->length);
}

struct paje_track *paje_track_of(struct paje_simulator *s, uint32_t pair)
{
    if (pair < s->n_tracks)
        return &s->tracks[pair];
    s->tracks =
        weft_grow(s->tracks, &s->track_capacity, (size_t)pair + 1, sizeof *s->tracks);
    s->direct =
        weft_grow(s->direct, &s->direct_capacity, (size_t)pair + 1, sizeof *s->direct);
    for (; s->n_tracks <= pair; s->n_tracks++) {
        s->tracks[s->n_tracks] =
            (struct paje_track){ .last = INT64_MAX, .newest = INT64_MIN };
        s->direct[s->n_tracks] = false;
    }
    return &s->tracks[pair];
}

void paje_set_direct(struct paje_simulator *s, uint32_t pair, bool direct)
{
    /* Parts lexed before assume a direct pair: they are simulated record by record. */
    s->epoch += s->tracks[pair].direct && !direct;
    s->tracks[pair].direct = s->direct[pair] = direct;
}

bool paje_resolvable(const struct paje_simulator *s, struct paje_scribe *scribe,
                     uint32_t pair)
{
    uint64_t members = s->names->pairs.list[pair];
    uint32_t owner = (uint32_t)(members >> 32), of = (uint32_t)members;
    uint32_t type = paje_type_index(s, of);
    enum paje_fault fault;
    if (paje_container_index(s, owner) == WEFT_NONE)
        fault = PAJE_FAULT_CONTAINER;
    else if (type == WEFT_NONE)
        fault = PAJE_FAULT_TYPE;
    else if (s->tables.types[type].kind == WEFT_CONTAINER)
        fault = PAJE_FAULT_KIND;
    else
        return true;
    if (scribe)
        paje_fault_symbol(s, scribe, fault, fault == PAJE_FAULT_CONTAINER ? owner : of);
    return false;
}

bool paje_resolve(struct paje_simulator *s, uint32_t pair)
{
    if (!paje_resolvable(s, &s->scribe, pair))
        return false;
    struct paje_track *track = &s->tracks[pair];
    uint32_t of = (uint32_t)s->names->pairs.list[pair], type = paje_type_index(s, of);
    uint32_t container = paje_container_index(s, container_symbol(s, pair));
    enum weft_kind kind = s->tables.types[type].kind;
    struct paje_container *c = &s->tables.containers[container];
    if (s->tables.types[type].parent != c->type)
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_WRONG_TYPE, of);
    bool lives = c->end == INT64_MAX;
    *track = (struct paje_track){
        .last = lives ? c->begin : INT64_MAX,
        .newest = INT64_MIN,
        .track = weft_builder_track(s->builder, container, type),
        .container = container,
        .type = type,
        .next = c->first_pair,
        .kind = (uint8_t)kind,
        .resolved = true,
        .sorted =
            kind != WEFT_LINK && weft_id_map_get(&s->lesson->sorted, pair) != WEFT_MAP_NONE,
    };
    weft_builder_assign(s->builder, track->track, lane_of(s, pair));
    if (kind == WEFT_LINK)
        track->last = INT64_MIN; /* links may come in any order */
    c->first_pair = pair;
    if (track->sorted)
        track->last = INT64_MAX;
    paje_set_direct(s, pair, kind == WEFT_LINK || (lives && !track->sorted));
    return true;
}

void paje_learn(struct paje_simulator *s, uint32_t pair)
{
    weft_id_map_put(&s->lesson->sorted, pair, 1);
    s->lesson->again = true;
}

/*
 * Handle a special case of the track, or an event out of order.  Returns true if the event
 * is to be applied (or set *aside); false if it is dropped.
 */
static bool look_closer(struct paje_simulator *s, uint32_t pair,
                        const struct paje_record *record, bool *aside)
{
    struct paje_track *track = &s->tracks[pair];
    if (!track->resolved && !paje_resolve(s, pair))
        return false;
    if (track->kind == WEFT_LINK)
        return true;
    uint32_t symbol = container_symbol(s, pair);
    const struct paje_container *container = &s->tables.containers[track->container];
    if (container->end != INT64_MAX) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_DESTROYED, symbol);
        if (record->time >= container->end)
            return false;
        if (!track->sorted) {
            weft_id_map_put(&s->lesson->late, track->container, 1);
            paje_learn(s, pair);
            return false;
        }
    }
    if (track->sorted) {
        if (record->time < track->newest)
            paje_fault_symbol(s, &s->scribe, PAJE_FAULT_ORDER, symbol);
        else
            track->newest = record->time;
        *aside = true;
        return true;
    }
    if (record->time >= track->last)
        return true;
    if (track->newest == INT64_MIN) { /* the first event on this track */
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_BEFORE_CREATION, symbol);
        return true;
    }
    paje_learn(s, pair);
    return false;
}

struct paje_action paje_action_of(const struct paje_simulator *s,
                                  const struct paje_part *part,
                                  const struct paje_record *record)
{
    const struct paje_definition *d = paje_definition_of(s, record);
    struct paje_action action = { .event = d->event,
                                  .time = record->time,
                                  .value = WEFT_NONE };
    if (paje_kind_of(d->event) == WEFT_VARIABLE) {
        action.number = record->number;
    } else if (d->event != PAJE_POP_STATE && d->event != PAJE_RESET_STATE) {
        action.value = record->value;
        if (d->has_extras) {
            struct paje_run run = part->runs[record->more];
            action.fields = part->fields + run.first;
            action.n_fields = run.n;
        }
    }
    return action;
}

void paje_link_record(struct paje_simulator *s, struct paje_scribe *scribe,
                      const struct paje_part *part, const struct paje_record *record)
{
    const struct paje_track *track = &s->tracks[record->pair];
    if (!track->resolved)
        paje_resolvable(s, scribe, record->pair);
    else if (track->kind != WEFT_LINK)
        paje_fault_symbol(s, scribe, PAJE_FAULT_KIND,
                          (uint32_t)s->names->pairs.list[record->pair]);
    else
        paje_link(s, scribe, part, record);
}

void paje_prepare_link(struct paje_simulator *s, struct paje_part *part,
                       struct paje_record *record)
{
    const struct paje_track *track = paje_track_of(s, record->pair);
    if (!track->resolved && paje_resolvable(s, NULL, record->pair))
        paje_resolve(s, record->pair);
    uint32_t other = part->links[record->more].other;
    if (track->kind == WEFT_LINK && paje_container_index(s, other) != WEFT_NONE)
        paje_complete(s, part, record, track->type);
}

void paje_entity(struct paje_simulator *s, struct paje_part *part,
                 struct paje_record *record)
{
    enum paje_event event = paje_definition_of(s, record)->event;
    if (paje_is_link(event)) {
        paje_prepare_link(s, part, record);
        paje_link_record(s, &s->scribe, part, record);
        return;
    }
    struct paje_track *track = paje_track_of(s, record->pair);
    bool aside = false;
    if (record->time < track->last && !look_closer(s, record->pair, record, &aside))
        return;
    if (track->kind != paje_kind_of(event)) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_KIND,
                          (uint32_t)s->names->pairs.list[record->pair]);
        return;
    }
    paje_complete(s, part, record, track->type);
    struct paje_action action = paje_action_of(s, part, record);
    if (aside) {
        paje_late_add(s, record->pair, &action);
        return;
    }
    track->last = track->newest = record->time;
    paje_apply(s, &s->scribe, record->pair, track->track, &action);
}

bool paje_simulate_end(struct paje_simulator *s, struct weft_job *job, struct weft_err *err)
{
    weft_builder_lanes(s->builder, 0); /* from here on one thread, without buffering */
    if (!paje_late_apply(s, job, err))
        return false;
    paje_links_finish(s);
    for (size_t i = 0; i < s->n_destructions; i++)
        weft_builder_destroy(s->builder, s->destructions[i].container,
                             s->destructions[i].time);
    paje_findings_move(&s->found, &s->scribe.findings, 0);
    return true;
}
