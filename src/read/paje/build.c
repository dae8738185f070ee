/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to the store: the semantics of Paje.  Most records end in one call of the
 * builder; all that is unusual about a track (not looked up yet, destroyed, out of order)
 * hides behind one comparison: its `last` is then INT64_MAX, later than any event.
 */
#include <stdlib.h>
#include <string.h>

#include "read/paje/paje_priv.h"

void paje_simulator_free(struct paje_simulator *s)
{
    free(s->tracks);
    free(s->values);
    free(s->container_of);
    free(s->type_of);
    weft_id_map_free(&s->value_index);
    weft_id_map_free(&s->fields);
    free(s->containers);
    free(s->types);
    free(s->field_values);
    free(s->destructions);
    free(s->late);
    free(s->late_times);
    free(s->late_fields);
    paje_links_free(&s->links);
}

static void report(struct weft_builder *builder, enum paje_fault fault, uint64_t line,
                   const char *text, size_t length)
{
    const struct paje_fault_kind *kind = &paje_faults[fault];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    weft_builder_problem(builder, kind->severity, kind->name, line, kind->sentence,
                         (int)(length < 200 ? length : 200), text);
#pragma GCC diagnostic pop
}

void paje_fault(struct paje_simulator *s, enum paje_fault fault, const char *text,
                size_t length)
{
    report(s->builder, fault, s->line, text, length);
}

void paje_fault_symbol(struct paje_simulator *s, enum paje_fault fault, uint32_t symbol)
{
    const struct paje_symbol *text = paje_symbol_text(&s->lexer->symbols, symbol);
    report(s->builder, fault, s->line, text->text, text->length);
}

static enum weft_kind kind_of(enum paje_event event)
{
    if (event == PAJE_NEW_EVENT)
        return WEFT_EVENT;
    if (event <= PAJE_RESET_STATE)
        return WEFT_STATE;
    return event <= PAJE_SUB_VARIABLE ? WEFT_VARIABLE : WEFT_LINK;
}

static uint32_t container_symbol(const struct paje_simulator *s, uint32_t pair)
{
    return (uint32_t)(paje_pair_members(&s->lexer->pairs, pair) >> 32);
}

void paje_apply(struct paje_simulator *s, const struct paje_track *track,
                const struct paje_action *action)
{
    struct weft_builder *b = s->builder;
    enum weft_build result = WEFT_BUILD_OK;
    switch (action->event) {
    case PAJE_PUSH_STATE:
        result = weft_builder_push(b, track->track, action->time, action->value,
                                   action->fields, action->n_fields, NULL);
        break;
    case PAJE_POP_STATE:
        result = weft_builder_pop(b, track->track, action->time, NULL);
        break;
    case PAJE_SET_STATE:
        result = weft_builder_set(b, track->track, action->time, action->value,
                                  action->fields, action->n_fields, NULL);
        break;
    case PAJE_RESET_STATE:
        weft_builder_reset(b, track->track, action->time); /* of nothing: that is fine */
        break;
    case PAJE_NEW_EVENT:
        result = weft_builder_event(b, track->track, action->time, action->value,
                                    action->fields, action->n_fields, NULL);
        break;
    case PAJE_SET_VARIABLE:
        result = weft_builder_sample(b, track->track, action->time, action->number);
        break;
    default: {
        double delta =
            action->event == PAJE_SUB_VARIABLE ? -action->number : action->number;
        result = weft_builder_add(b, track->track, action->time, delta);
        if (result == WEFT_BUILD_UNSET)
            weft_builder_sample(b, track->track, action->time, delta);
    }
    }
    if (result == WEFT_BUILD_OK)
        return;
    uint32_t pair = (uint32_t)(track - s->tracks);
    paje_fault_symbol(s,
                      result == WEFT_BUILD_EMPTY   ? PAJE_FAULT_EMPTY_STACK
                      : result == WEFT_BUILD_UNSET ? PAJE_FAULT_UNSET
                      : result == WEFT_BUILD_DEEP  ? PAJE_FAULT_DEEP
                                                   : PAJE_FAULT_ORDER,
                      container_symbol(s, pair));
}

/* Find out what a pair is.  False, with a report, when it is nothing (yet). */
static bool resolve(struct paje_simulator *s, uint32_t pair)
{
    struct paje_track *track = &s->tracks[pair];
    uint64_t members = paje_pair_members(&s->lexer->pairs, pair);
    uint32_t owner = (uint32_t)(members >> 32), of = (uint32_t)members;
    uint32_t container = paje_container_index(s, owner), type = paje_type_index(s, of);
    if (container == WEFT_NONE || type == WEFT_NONE) {
        paje_fault_symbol(s,
                          container == WEFT_NONE ? PAJE_FAULT_CONTAINER : PAJE_FAULT_TYPE,
                          container == WEFT_NONE ? owner : of);
        return false;
    }
    enum weft_kind kind = s->types[type].kind;
    if (kind == WEFT_CONTAINER) {
        paje_fault_symbol(s, PAJE_FAULT_KIND, of);
        return false;
    }
    if (s->types[type].parent != s->containers[container].type)
        paje_fault_symbol(s, PAJE_FAULT_WRONG_TYPE, of);
    struct paje_container *c = &s->containers[container];
    *track = (struct paje_track){
        .last = kind == WEFT_LINK || c->end == INT64_MAX ? c->begin : INT64_MAX,
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
    if (kind == WEFT_LINK)
        track->last = INT64_MIN; /* links may come in any order */
    c->first_pair = pair;
    if (track->sorted)
        track->last = INT64_MAX;
    return true;
}

/* In the next reading, put the events of this track in order of time. */
static void learn(struct paje_simulator *s, uint32_t pair)
{
    weft_id_map_put(&s->lesson->sorted, pair, 1);
    s->lesson->again = true;
}

/*
 * Something is unusual about the track, or the time of the event.  True: the event goes on as
 * if nothing was; false: it is dropped, or put aside.
 */
static bool look_closer(struct paje_simulator *s, uint32_t pair,
                        const struct paje_record *record, bool *aside)
{
    struct paje_track *track = &s->tracks[pair];
    if (!track->resolved && !resolve(s, pair))
        return false;
    if (track->kind == WEFT_LINK)
        return true;
    uint32_t symbol = container_symbol(s, pair);
    struct paje_container *container = &s->containers[track->container];
    if (container->end != INT64_MAX) {
        paje_fault_symbol(s, PAJE_FAULT_DESTROYED, symbol);
        if (record->time >= container->end)
            return false;
        if (!track->sorted) {
            weft_id_map_put(&s->lesson->late, track->container, 1);
            learn(s, pair);
            return false;
        }
    }
    if (track->sorted) {
        if (record->time < track->newest)
            paje_fault_symbol(s, PAJE_FAULT_ORDER, symbol);
        else
            track->newest = record->time;
        *aside = true;
        return true;
    }
    if (record->time >= track->last)
        return true;
    if (track->newest == INT64_MIN) { /* the first on this track */
        paje_fault_symbol(s, PAJE_FAULT_BEFORE_CREATION, symbol);
        return true;
    }
    learn(s, pair);
    return false;
}

static void grow_tracks(struct paje_simulator *s, uint32_t pair)
{
    s->tracks =
        weft_grow(s->tracks, &s->track_capacity, (size_t)pair + 1, sizeof *s->tracks);
    while (s->n_tracks <= pair)
        s->tracks[s->n_tracks++] =
            (struct paje_track){ .last = INT64_MAX, .newest = INT64_MIN };
}

static void entity(struct paje_simulator *s, const struct paje_record *record)
{
    const struct paje_definition *d = record->definition;
    uint32_t pair = record->pair;
    if (pair >= s->n_tracks)
        grow_tracks(s, pair);
    bool aside = false;
    if (record->time < s->tracks[pair].last && !look_closer(s, pair, record, &aside))
        return;
    struct paje_track *track = &s->tracks[pair];
    if (track->kind != kind_of(d->event)) {
        paje_fault_symbol(s, PAJE_FAULT_KIND,
                          (uint32_t)paje_pair_members(&s->lexer->pairs, pair));
        return;
    }
    if (track->kind == WEFT_LINK) {
        paje_link_end(s, record, track);
        return;
    }
    struct paje_action action = { .event = d->event,
                                  .time = record->time,
                                  .number = record->number,
                                  .value = WEFT_NONE };
    if (track->kind != WEFT_VARIABLE) {
        bool has_value = d->event != PAJE_POP_STATE && d->event != PAJE_RESET_STATE;
        action.number = 0;
        if (has_value)
            action.value =
                record->choice < s->n_values && s->values[record->choice] != WEFT_NONE
                    ? s->values[record->choice]
                    : paje_value(s, track->type, record->choice);
        if (d->has_extras && has_value) {
            action.n_fields = paje_fields(s, record, track->type);
            action.fields = s->field_values;
        }
    }
    if (aside) {
        paje_late_add(s, pair, &action);
        return;
    }
    track->last = track->newest = record->time;
    paje_apply(s, track, &action);
}

/* Fetch what the events ahead will need: with many tracks, memory is the bottleneck. */
static void look_ahead(const struct paje_simulator *s, const struct paje_record *record,
                       const struct paje_record *end)
{
    enum { FAR = 20, MIDDLE = 12, NEAR = 5, MANY = 1000 /* tracks: fewer fit in caches */ };
    if (end - record <= FAR || s->n_tracks < MANY)
        return;
    uint32_t far = record[FAR].pair, middle = record[MIDDLE].pair, near = record[NEAR].pair;
    if (far < s->n_tracks)
        __builtin_prefetch(&s->tracks[far], 1);
    if (middle < s->n_tracks && s->tracks[middle].resolved)
        weft_builder_expect(s->builder, s->tracks[middle].track, false);
    if (near < s->n_tracks && s->tracks[near].kind == WEFT_LINK)
        paje_link_expect(&s->links, record[NEAR].hash);
    else if (near < s->n_tracks && s->tracks[near].resolved)
        weft_builder_expect(s->builder, s->tracks[near].track, true);
}

void paje_simulate(struct paje_simulator *s, const struct paje_batch *batch)
{
    s->batch = batch;
    for (size_t i = 0; i < batch->n_reports; i++) {
        const struct paje_report *at = &batch->reports[i];
        report(s->builder, at->fault, batch->first_line + at->line, at->text, at->length);
    }
    for (size_t i = 0; i < batch->n_records; i++) {
        const struct paje_record *record = &batch->records[i];
        s->line = batch->first_line + record->line;
        look_ahead(s, record, batch->records + batch->n_records);
        switch (record->definition->event) {
        case PAJE_DEFINE_CONTAINER_TYPE:
        case PAJE_DEFINE_STATE_TYPE:
        case PAJE_DEFINE_EVENT_TYPE:
        case PAJE_DEFINE_VARIABLE_TYPE:
        case PAJE_DEFINE_LINK_TYPE: paje_define_type(s, record); break;
        case PAJE_DEFINE_ENTITY_VALUE: paje_define_value(s, record); break;
        case PAJE_CREATE_CONTAINER: paje_create(s, record); break;
        case PAJE_DESTROY_CONTAINER: paje_destroy(s, record); break;
        case PAJE_TRACE_FILE:
        case PAJE_UNKNOWN_EVENT: break;
        default: entity(s, record);
        }
    }
}

void paje_simulate_end(struct paje_simulator *s)
{
    paje_late_apply(s);
    paje_links_finish(s);
    for (size_t i = 0; i < s->n_destructions; i++)
        weft_builder_destroy(s->builder, s->destructions[i].container,
                             s->destructions[i].time);
}
