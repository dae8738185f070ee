/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins parts, and runs their lanes.  A part that defines, creates and destroys nothing
 * waits after joining: records depend on each other's order only within a lane, so
 * different threads may run the lanes later.  All that a lane cannot do by itself (new
 * names and values, fields, pairs that are not direct) is done while joining.
 */
#include "read/paje/apply_records.h"

#include "base/parallel.h"

static void run_task(void *user, size_t i)
{
    paje_lane_run(user, i);
}

static void run_all(struct paje_simulator *s)
{
    if (!s->n_waiting)
        return;
    weft_parallel(PAJE_LANE_TASKS, 1, run_task, s);
    paje_lanes_settle(s);
}

/* Apply all records in the order of lines, in this thread alone. */
static void simulate(struct paje_simulator *s, struct paje_part *part)
{
    for (size_t i = 0; i < part->order.n; i++) {
        struct paje_record *record = paje_record_at(part, part->order.items[i]);
        s->scribe.line = part->first_line + record->line;
        switch (paje_definition_of(s, record)->event) {
        case PAJE_DEFINE_CONTAINER_TYPE:
        case PAJE_DEFINE_STATE_TYPE:
        case PAJE_DEFINE_EVENT_TYPE:
        case PAJE_DEFINE_VARIABLE_TYPE:
        case PAJE_DEFINE_LINK_TYPE: paje_define_type(s, record); break;
        case PAJE_DEFINE_ENTITY_VALUE: paje_define_value(s, record); break;
        case PAJE_CREATE_CONTAINER: paje_create(s, record); break;
        case PAJE_DESTROY_CONTAINER: paje_destroy(s, record); break;
        default: paje_entity(s, part, record);
        }
    }
}

/* Take a record that the lexer marked: complete it for its lane, or apply it. */
static void attend(struct paje_simulator *s, struct paje_part *part,
                   struct paje_record *record)
{
    enum paje_event event = paje_definition_of(s, record)->event;
    struct paje_track *track = paje_track_of(s, record->pair);
    s->scribe.line = part->first_line + record->line;
    if (paje_is_link(event))
        paje_prepare_link(s, part, record);
    else if (!track->resolved && !paje_resolve(s, record->pair))
        return;
    else if (!track->direct)
        paje_entity(s, part, record);
    else if (track->kind == paje_kind_of(event))
        paje_complete(s, part, record, track->type);
}

void paje_join(struct paje_simulator *s, struct paje_part *part)
{
    s->part = part;
    if (part->n_structural || part->epoch != s->epoch) {
        run_all(s);
        simulate(s, part);
        paje_lanes_settle(s);
        return;
    }
    for (size_t i = 0; i < part->attend.n; i++)
        attend(s, part, paje_record_at(part, part->attend.items[i]));
    s->waiting =
        weft_grow(s->waiting, &s->waiting_capacity, s->n_waiting + 1, sizeof *s->waiting);
    s->waiting[s->n_waiting++] = part;
}

/* Apply an event in its lane.  Pairs that are not direct were done while joining. */
static inline void run_record(struct paje_simulator *s, struct paje_lane *lane,
                              const struct paje_part *part,
                              const struct paje_record *record)
{
    struct paje_track *track = &s->tracks[record->pair];
    if (!track->direct)
        return;
    struct paje_scribe *scribe = &lane->scribe;
    scribe->line = part->first_line + record->line;
    if (record->time < track->last) {
        if (track->newest != INT64_MIN) {
            paje_list_add(&lane->learned, record->pair);
            return;
        }
        paje_fault_symbol(s, scribe, PAJE_FAULT_BEFORE_CREATION,
                          (uint32_t)(s->names->pairs.list[record->pair] >> 32));
    }
    if (track->kind != paje_kind_of(paje_definition_of(s, record)->event)) {
        paje_fault_symbol(s, scribe, PAJE_FAULT_KIND,
                          (uint32_t)s->names->pairs.list[record->pair]);
        return;
    }
    struct paje_action action = paje_action_of(s, part, record);
    track->last = track->newest = record->time;
    paje_apply(s, scribe, record->pair, track->track, &action);
}

/*
 * Prefetch what later events need: with thousands of tracks the builder waits for memory,
 * which arrives in time if requested some events ahead.
 */
static void look_ahead(const struct paje_simulator *s, const struct paje_record *record,
                       size_t left)
{
    /* MANY: tracks; fewer fit into caches */
    enum { FAR = 20, MIDDLE = 12, NEAR = 5, MANY = 1000 };
    if (left <= FAR || s->n_tracks < MANY)
        return;
    __builtin_prefetch(&s->tracks[record[FAR].pair], 1);
    weft_builder_expect(s->builder, s->tracks[record[MIDDLE].pair].track, false);
    weft_builder_expect(s->builder, s->tracks[record[NEAR].pair].track, true);
}

static void run_links(struct paje_simulator *s, struct paje_part *part)
{
    enum { AHEAD = 5 };
    struct paje_scribe *scribe = &s->lanes[PAJE_LANES].scribe;
    const struct paje_records *records = &part->records[PAJE_LANES];
    for (size_t i = 0; i < records->n; i++) {
        const struct paje_record *record = &records->items[i];
        if (i + AHEAD < records->n)
            paje_link_expect(&s->links, part->links[i + AHEAD].hash);
        scribe->line = part->first_line + record->line;
        paje_link_record(s, scribe, part, record);
    }
}

void paje_lane_run(struct paje_simulator *s, size_t i)
{
    for (size_t p = 0; p < s->n_waiting; p++) {
        struct paje_part *part = s->waiting[p];
        if (i == PAJE_LANES) {
            run_links(s, part);
            continue;
        }
        const struct paje_records *records = &part->records[i];
        for (size_t at = 0; at < records->n; at++) {
            look_ahead(s, records->items + at, records->n - at);
            run_record(s, &s->lanes[i], part, &records->items[at]);
        }
    }
}

void paje_lanes_settle(struct paje_simulator *s)
{
    struct paje_findings *findings[PAJE_LANE_TASKS + 1] = { &s->scribe.findings };
    for (int i = 0; i < PAJE_LANE_TASKS; i++) {
        struct paje_lane *lane = &s->lanes[i];
        findings[i + 1] = &lane->scribe.findings;
        for (size_t at = 0; at < lane->learned.n; at++)
            paje_learn(s, lane->learned.items[at]);
        lane->learned.n = 0;
    }
    paje_findings_merge(&s->found, findings, PAJE_LANE_TASKS + 1);
    weft_builder_settle(s->builder);
    s->n_waiting = 0;
}
