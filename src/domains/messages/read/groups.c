/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns groups into communicators, and the calls of their members into collective
 * operations.  A group number means what its latest definition says, by the same processor
 * or, if that has none, for all processors: two halves of a group that was split may have
 * the same number.
 *
 * The n-th operation of a communicator is the same for all members, because each of them
 * enters operations in the same order.  So the first entries of operations are in order of
 * n, too, and the ids of the events are known before the events are made, which is at the
 * end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/messages/read/picl_priv.h"

enum {
    WORLD = 0,       /* index of the world */
    LOOK_AHEAD = 64, /* operations that a processor may miss while its tracing is off */
};

/* ---- Members ---- */

struct member_text {
    char *bytes;
    size_t n, capacity;
};

static void append_run(struct member_text *text, int64_t first, int64_t last)
{
    char run[64];
    int n = first == last
                ? snprintf(run, sizeof run, "%s%" PRId64, text->n ? "," : "", first)
                : snprintf(run, sizeof run, "%s%" PRId64 "-%" PRId64, text->n ? "," : "",
                           first, last);
    text->bytes = weft_grow(text->bytes, &text->capacity, text->n + (size_t)n + 1, 1);
    memcpy(text->bytes + text->n, run, (size_t)n + 1);
    text->n += (size_t)n;
}

struct number_run { /* members with consecutive numbers */
    int64_t first, last;
    bool any;
};

static void append_member(struct member_text *text, struct number_run *run, int64_t number)
{
    if (run->any && number == run->last + 1) {
        run->last = number;
        return;
    }
    if (run->any)
        append_run(text, run->first, run->last);
    *run = (struct number_run){ number, number, true };
}

/* Appends all processors, the members of the world. */
static void append_all(const struct picl_import *import, struct member_text *text)
{
    int32_t *numbers = weft_alloc((import->n_processors + 1) * sizeof *numbers);
    for (size_t i = 0; i < import->n_processors; i++)
        numbers[i] = import->processors[i].number;
    qsort(numbers, import->n_processors, sizeof *numbers, weft_by_i32);
    struct number_run run = { 0 };
    for (size_t i = 0; i < import->n_processors; i++)
        append_member(text, &run, numbers[i]);
    if (run.any)
        append_run(text, run.first, run.last);
    free(numbers);
}

/* ---- Communicators ---- */

static void set_members(struct picl_import *import, const struct picl_communicator *c,
                        const char *members, size_t length)
{
    struct weft_field_value fact = { import->types.fields[PICL_COMMUNICATOR_MEMBERS],
                                     { .index = weft_builder_string(import->builder,
                                                                    members, length) } };
    weft_builder_container_field(import->builder, c->container, &fact);
}

static uint32_t make(struct picl_import *import, int64_t group)
{
    struct picl_groups *g = &import->groups;
    char name[32] = "world";
    if (g->n != WORLD)
        snprintf(name, sizeof name, "group %" PRId64, group);
    g->all = weft_grow(g->all, &g->capacity, g->n + 1, sizeof *g->all);
    struct picl_communicator *c = &g->all[g->n];
    *c = (struct picl_communicator){ .group = group,
                                     .track = WEFT_NONE,
                                     .container = weft_builder_container(
                                         import->builder, import->types.communicator, 0,
                                         name, NULL, import->begin) };
    struct weft_field_value fact = { import->types.fields[PICL_COMMUNICATOR_NUMBER],
                                     { group } };
    weft_builder_container_field(import->builder, c->container, &fact);
    return (uint32_t)g->n++;
}

static void need_world(struct picl_import *import)
{
    if (!import->groups.n)
        make(import, PICL_WORLD);
}

/*
 * Writes the members as "0-3,8", up to the first word that is no integer, and returns how
 * many there are.
 */
static uint32_t read_members(const struct picl_record *record, struct member_text *text)
{
    const char *at = record->parameters, *end = at + record->length;
    int64_t skipped, number;
    uint32_t n = 0;
    struct number_run run = { 0 };
    for (int i = 0; i < 3; i++) /* the number of values, their type, and the group */
        picl_next_integer(&at, end, &skipped);
    while (picl_next_integer(&at, end, &number) && n + 1 < record->n_values) {
        append_member(text, &run, number);
        n++;
    }
    if (run.any)
        append_run(text, run.first, run.last);
    return n;
}

/* A definition for all processors is kept as an event of the communicator. */
static void note_definition(struct picl_import *import, const struct picl_communicator *c,
                            const struct picl_record *record)
{
    const struct picl_key *key = picl_key_find(record->key);
    struct weft_field_value field = { import->types.fields[PICL_DEFINITION_KEY],
                                      { record->key } };
    uint32_t track =
        weft_builder_track(import->builder, c->container, import->types.definition);
    uint32_t value = picl_value(import, import->types.definition, key ? key->name : NULL,
                                "key", record->key, WEFT_ROLE_NONE);
    enum weft_build built =
        weft_builder_event(import->builder, track, record->time, value, &field, 1, NULL);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "a definition could not be stored");
}

void picl_define_group(struct picl_import *import, const struct picl_record *record,
                       struct picl_processor *p)
{
    struct picl_groups *g = &import->groups;
    if (!record->integers || !record->n_values || record->values[0] == PICL_WORLD) {
        if (!record->integers || !record->n_values)
            picl_report(import, PICL_FAULT_VALUES, record->line, record->key,
                        record->n_values);
        return;
    }
    need_world(import);
    int64_t group = record->values[0];
    struct member_text members = { 0 };
    uint32_t n_members = read_members(record, &members);
    char *name = weft_asprintf("%" PRId64 ":%s", group, n_members ? members.bytes : "");
    uint32_t index = weft_text_map_get(&g->by_members, name, strlen(name));
    if (index == WEFT_MAP_NONE) {
        index = make(import, group);
        weft_text_map_put(&g->by_members, name, strlen(name), index);
        g->all[index].n_members = n_members;
        if (n_members)
            set_members(import, &g->all[index], members.bytes, members.n);
        if (!p)
            note_definition(import, &g->all[index], record);
    }
    if (p)
        weft_id_map_put(&p->groups, (uint64_t)group, index);
    else
        weft_id_map_put(&g->global, (uint64_t)group, index);
    free(name);
    free(members.bytes);
}

uint32_t picl_group(struct picl_import *import, struct picl_processor *p, int64_t group,
                    uint64_t line)
{
    need_world(import);
    if (group == PICL_WORLD)
        return WORLD;
    uint32_t index = weft_id_map_get(&p->groups, (uint64_t)group);
    if (index == WEFT_MAP_NONE)
        index = weft_id_map_get(&import->groups.global, (uint64_t)group);
    if (index != WEFT_MAP_NONE)
        return index;
    if (group == 0)
        return WORLD; /* coNCePTuaL writes 0 behind the partner of a message */
    picl_report(import, PICL_FAULT_GROUP, line, p->number, group);
    index = make(import, group);
    weft_id_map_put(&import->groups.global, (uint64_t)group, index);
    return index;
}

/* ---- Operations ---- */

uint64_t picl_join(struct picl_import *import, struct picl_processor *p,
                   uint32_t communicator, const struct picl_frame *f, int64_t root)
{
    struct picl_communicator *c = &import->groups.all[communicator];
    if (c->track == WEFT_NONE)
        c->track =
            weft_builder_track(import->builder, c->container, import->types.operation);
    uint32_t next = weft_id_map_get(&p->next_operations, communicator);
    next = next == WEFT_MAP_NONE ? 0 : next;
    uint16_t key = (uint16_t)-f->key;
    int32_t wanted = root >= 0 && root <= INT32_MAX ? (int32_t)root : -1;
    size_t last = (size_t)next + LOOK_AHEAD, k = next;
    last = last < c->n_operations ? last : c->n_operations;
    while (k < last && (c->operations[k].key != key || c->operations[k].root != wanted))
        k++;
    if (k == last) {
        k = c->n_operations;
        c->operations =
            weft_grow(c->operations, &c->capacity, k + 1, sizeof *c->operations);
        c->operations[c->n_operations++] = (struct picl_operation){
            .first = f->time, .line = f->line, .root = wanted, .key = key
        };
    }
    struct picl_operation *operation = &c->operations[k];
    operation->first = f->time < operation->first ? f->time : operation->first;
    operation->entered++;
    weft_id_map_put(&p->next_operations, communicator, (uint32_t)k + 1);
    return weft_entity_id(c->track, k);
}

static void end_operations(struct picl_import *import, const struct picl_communicator *c)
{
    int64_t latest = INT64_MIN;
    for (size_t k = 0; k < c->n_operations; k++) {
        const struct picl_operation *o = &c->operations[k];
        const struct picl_key *key = picl_key_find(-(int32_t)o->key);
        struct weft_field_value root = { import->types.fields[PICL_OPERATION_ROOT],
                                         { o->root } };
        /* First entries may be out of order where processors missed operations. */
        latest = o->first > latest ? o->first : latest;
        enum weft_build built =
            weft_builder_event(import->builder, c->track, latest,
                               picl_value(import, import->types.operation, key->name, "",
                                          -(int32_t)o->key, key->pattern),
                               &root, o->root >= 0, NULL);
        WEFT_REQUIRE(built == WEFT_BUILD_OK, "an operation could not be stored");
        if (o->entered < c->n_members)
            picl_report(import, PICL_FAULT_INCOMPLETE, o->line, o->entered, c->n_members);
    }
}

void picl_groups_end(struct picl_import *import)
{
    struct picl_groups *g = &import->groups;
    if (g->n) {
        struct member_text members = { 0 };
        append_all(import, &members);
        g->all[WORLD].n_members = (uint32_t)import->n_processors;
        if (members.n)
            set_members(import, &g->all[WORLD], members.bytes, members.n);
        free(members.bytes);
    }
    for (size_t i = 0; i < g->n; i++)
        end_operations(import, &g->all[i]);
}

void picl_groups_free(struct picl_groups *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->all[i].operations);
    free(g->all);
    weft_text_map_free(&g->by_members);
    weft_id_map_free(&g->global);
}
