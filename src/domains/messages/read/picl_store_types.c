/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the types, fields, values and processors in the store of a PICL trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/read/picl_priv.h"

const char *const picl_event_names[PICL_EVENTS] = {
    [PICL_EVENT_MARK] = "mark",     [PICL_EVENT_LABEL] = "label",
    [PICL_EVENT_MESSAGE] = "note",  [PICL_EVENT_DATA] = "data",
    [PICL_EVENT_RECORD] = "record",
};

static uint32_t make_type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                          const char *name, enum weft_role role)
{
    struct weft_type type = { .kind = kind,
                              .parent = parent,
                              .name = name,
                              .start_type = WEFT_NONE,
                              .end_type = WEFT_NONE };
    uint32_t index = weft_builder_type(b, &type);
    weft_builder_type_role(b, index, role);
    return index;
}

static void make_state_types(struct picl_types *t, struct weft_builder *b)
{
    t->stacks[PICL_CALLS] =
        make_type(b, WEFT_STATE, t->processor, "call", WEFT_ROLE_COMMUNICATION);
    t->stacks[PICL_TASKS] = make_type(b, WEFT_STATE, t->processor, "task", WEFT_ROLE_TASK);
}

static void make_event_types(struct picl_types *t, struct weft_builder *b)
{
    for (int i = 0; i < PICL_EVENTS; i++) {
        enum weft_role role = i == PICL_EVENT_MARK      ? WEFT_ROLE_MARK
                              : i == PICL_EVENT_LABEL   ? WEFT_ROLE_NAMING
                              : i == PICL_EVENT_MESSAGE ? WEFT_ROLE_NOTE
                              : i == PICL_EVENT_DATA    ? WEFT_ROLE_DATA
                                                        : WEFT_ROLE_NONE;
        t->events[i] = make_type(b, WEFT_EVENT, t->processor, picl_event_names[i], role);
        t->event_numbers[i] =
            weft_builder_field(b, t->events[i], "number", WEFT_FIELD_INTEGER);
        weft_builder_field_role(b, t->event_numbers[i], WEFT_ROLE_NUMBER);
        t->event_parameters[i] =
            weft_builder_field(b, t->events[i], "parameters", WEFT_FIELD_TEXT);
        if (i != PICL_EVENT_RECORD)
            weft_builder_field_role(b, t->event_parameters[i], WEFT_ROLE_PARAMETERS);
    }
}

static void make_fields(struct picl_types *t, struct weft_builder *b)
{
    const struct {
        enum picl_field field;
        uint32_t type;
        const char *name;
        enum weft_field_kind kind;
        enum weft_role role;
        bool late;
    } fields[] = {
        /* clang-format off */
        { PICL_CALL_ENTRY, t->stacks[PICL_CALLS], "entry", WEFT_FIELD_TEXT, WEFT_ROLE_NONE, false },
        { PICL_CALL_EXIT, t->stacks[PICL_CALLS], "exit", WEFT_FIELD_TEXT, WEFT_ROLE_NONE, true },
        { PICL_CALL_REQUEST, t->stacks[PICL_CALLS], "request", WEFT_FIELD_INTEGER, WEFT_ROLE_NONE, false },
        { PICL_CALL_OPERATION, t->stacks[PICL_CALLS], "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION, false },
        { PICL_CALL_BYTES, t->stacks[PICL_CALLS], "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES, false },
        { PICL_TASK_NUMBER, t->stacks[PICL_TASKS], "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER, false },
        { PICL_TASK_WORK, t->stacks[PICL_TASKS], "work", WEFT_FIELD_REAL, WEFT_ROLE_WORK, true },
        { PICL_TASK_ENTRY, t->stacks[PICL_TASKS], "entry", WEFT_FIELD_TEXT, WEFT_ROLE_NONE, false },
        { PICL_TASK_EXIT, t->stacks[PICL_TASKS], "exit", WEFT_FIELD_TEXT, WEFT_ROLE_NONE, true },
        { PICL_LINK_TAG, t->message, "tag", WEFT_FIELD_INTEGER, WEFT_ROLE_TAG, false },
        { PICL_LINK_BYTES, t->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES, false },
        { PICL_LINK_COMMUNICATOR, t->message, "communicator", WEFT_FIELD_CONTAINER, WEFT_ROLE_COMMUNICATOR_OF, false },
        { PICL_LINK_PEER, t->message, "peer", WEFT_FIELD_INTEGER, WEFT_ROLE_NONE, false },
        { PICL_OPERATION_ROOT, t->operation, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT, false },
        { PICL_DEFINITION_KEY, t->definition, "key", WEFT_FIELD_INTEGER, WEFT_ROLE_NONE, false },
        { PICL_PROCESSOR_RANK, t->processor, "rank", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER, false },
        { PICL_COMMUNICATOR_NUMBER, t->communicator, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER, false },
        { PICL_COMMUNICATOR_MEMBERS, t->communicator, "members", WEFT_FIELD_TEXT, WEFT_ROLE_MEMBERS, false },
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint32_t field =
            weft_builder_field(b, fields[i].type, fields[i].name, fields[i].kind);
        t->fields[fields[i].field] = field;
        weft_builder_field_role(b, field, fields[i].role);
        if (fields[i].late)
            weft_builder_late_field(b, field);
    }
    weft_builder_index_field(b, t->fields[PICL_CALL_OPERATION]);
}

void picl_begin(struct picl_import *import, struct weft_builder *b)
{
    struct picl_types *t = &import->types;
    import->builder = b;
    memset(t->calls, 0xff, sizeof t->calls);
    t->processor = make_type(b, WEFT_CONTAINER, 0, "processor", WEFT_ROLE_RANK);
    t->communicator =
        make_type(b, WEFT_CONTAINER, 0, "communicator", WEFT_ROLE_COMMUNICATOR);
    make_state_types(t, b);
    make_event_types(t, b);
    t->operation = make_type(b, WEFT_EVENT, t->communicator, "operation",
                             WEFT_ROLE_COLLECTIVE_OPERATION);
    t->definition = make_type(b, WEFT_EVENT, t->communicator, "definition", WEFT_ROLE_NONE);
    t->message = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                           .parent = 0,
                                                           .name = "message",
                                                           .start_type = t->processor,
                                                           .end_type = t->processor });
    weft_builder_type_role(b, t->message, WEFT_ROLE_MESSAGE);
    make_fields(t, b);
}

/* ---- Values ---- */

/* The key of a value: its type, the type of its records or 0, and their key. */
struct value_key {
    uint32_t type;
    int32_t record, key;
};

/* Makes a value.  ALIAS is the key; of an event, the record type and the key. */
static uint32_t value_of(struct picl_import *import, const struct value_key *key,
                         const char *name, const char *alias, enum weft_role role)
{
    uint32_t value = weft_builder_value(import->builder, key->type, name, alias, 0);
    if (role != WEFT_ROLE_NONE)
        weft_builder_value_role(import->builder, value, role);
    weft_text_map_put(&import->types.values, key, sizeof *key, value);
    return value;
}

uint32_t picl_value(struct picl_import *import, uint32_t type, const char *name,
                    const char *noun, int32_t key, enum weft_role role)
{
    const struct value_key id = { type, 0, key };
    uint32_t value = weft_text_map_get(&import->types.values, &id, sizeof id);
    if (value != WEFT_MAP_NONE)
        return value;
    char text[48], alias[16];
    snprintf(text, sizeof text, "%s %" PRId32, noun, key);
    snprintf(alias, sizeof alias, "%" PRId32, key);
    return value_of(import, &id, name ? name : text, alias, role);
}

static void name_edge(const struct picl_record *record, const struct picl_key *key,
                      char *text, size_t size)
{
    const char *edge = record->type == PICL_ENTRY ? "begin" : "end";
    if (key)
        snprintf(text, size, "%s of %s", edge, key->name);
    else
        snprintf(text, size, "%s of key %" PRId32, edge, record->key);
}

/* Names a record that is no mark, label, message or datum of the user. */
static void name_record(const struct picl_record *record, char *text, size_t size)
{
    const struct picl_key *key = picl_key_find(record->key);
    const char *old = picl_old_name(record->type);
    if (old)
        snprintf(text, size, "%s", old);
    else if (record->type == PICL_SUBSET)
        snprintf(text, size, "members");
    else if (record->type == PICL_ENTRY || record->type == PICL_EXIT)
        name_edge(record, key, text, size);
    else if (key)
        snprintf(text, size, "%s", key->name);
    else
        snprintf(text, size, "record %" PRId32 " key %" PRId32, record->type, record->key);
}

uint32_t picl_event_value(struct picl_import *import, enum picl_event_type type,
                          const struct picl_record *record)
{
    const struct value_key id = { import->types.events[type], record->type, record->key };
    uint32_t value = weft_text_map_get(&import->types.values, &id, sizeof id);
    if (value != WEFT_MAP_NONE)
        return value;
    char text[48], alias[32];
    if (type == PICL_EVENT_RECORD)
        name_record(record, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s %" PRId32, picl_event_names[type], record->key);
    snprintf(alias, sizeof alias, "%" PRId32 " %" PRId32, record->type, record->key);
    return value_of(import, &id, text, alias, WEFT_ROLE_NONE);
}

/* ---- Processors ---- */

void picl_number_put(struct picl_numbers *numbers, int32_t number, uint32_t index)
{
    if (number >= PICL_MAX_DIRECT) {
        weft_id_map_put(&numbers->far, (uint64_t)number, index);
        return;
    }
    size_t old = numbers->n, need = (size_t)number + 1;
    if (need > old) {
        need = need > 2 * old ? need : 2 * old;
        numbers->direct = weft_realloc(numbers->direct, need * sizeof *numbers->direct);
        memset(numbers->direct + old, 0xff, (need - old) * sizeof *numbers->direct);
        numbers->n = need;
    }
    numbers->direct[number] = index;
}

void picl_numbers_free(struct picl_numbers *numbers)
{
    free(numbers->direct);
    weft_id_map_free(&numbers->far);
}

struct picl_processor *picl_processor_find(const struct picl_import *import, int64_t number)
{
    uint32_t index = picl_number_get(&import->by_number, number);
    return index == WEFT_NONE ? NULL : &import->processors[index];
}

struct picl_processor *picl_processor(struct picl_import *import, int32_t number,
                                      int64_t time)
{
    uint32_t index = picl_number_get(&import->by_number, number);
    if (index != WEFT_NONE)
        return &import->processors[index];
    char name[16];
    snprintf(name, sizeof name, "%" PRId32, number);
    import->processors = weft_grow(import->processors, &import->processor_capacity,
                                   import->n_processors + 1, sizeof *import->processors);
    index = (uint32_t)import->n_processors++;
    picl_number_put(&import->by_number, number, index);
    struct picl_processor *p = &import->processors[index];
    *p = (struct picl_processor){ .number = number, .last = time, .events = WEFT_NONE };
    for (int kind = 0; kind < PICL_STACKS; kind++)
        p->stacks[kind].track = WEFT_NONE;
    p->container = weft_builder_container(import->builder, import->types.processor, 0, name,
                                          NULL, time);
    struct weft_field_value rank = { import->types.fields[PICL_PROCESSOR_RANK],
                                     { number } };
    weft_builder_container_field(import->builder, p->container, &rank);
    return p;
}
