/* SPDX-License-Identifier: Apache-2.0 */
/* Event definitions: the fields of a line, and what the lexer does with each. */
#include "read/paje/event_definitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
    SHORT_ID = 8,     /* bytes of an event id that fit into a word */
    FIRST_SLOTS = 64, /* traces define about twenty events */
};

#define BIT(name) (1u << PAJE_##name)

/* clang-format off */
static const struct event_kind {
    const char *name;
    unsigned needs; /* required fields */
} event_kinds[] = {
    [PAJE_DEFINE_CONTAINER_TYPE] = { "PajeDefineContainerType", BIT(TYPE) | BIT(NAME) },
    [PAJE_DEFINE_STATE_TYPE] = { "PajeDefineStateType", BIT(TYPE) | BIT(NAME) },
    [PAJE_DEFINE_EVENT_TYPE] = { "PajeDefineEventType", BIT(TYPE) | BIT(NAME) },
    [PAJE_DEFINE_VARIABLE_TYPE] = { "PajeDefineVariableType", BIT(TYPE) | BIT(NAME) },
    [PAJE_DEFINE_LINK_TYPE] = { "PajeDefineLinkType",
        BIT(TYPE) | BIT(NAME) | BIT(START_TYPE) | BIT(END_TYPE) },
    [PAJE_DEFINE_ENTITY_VALUE] = { "PajeDefineEntityValue", BIT(TYPE) | BIT(NAME) },
    [PAJE_CREATE_CONTAINER] = { "PajeCreateContainer",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(NAME) },
    [PAJE_DESTROY_CONTAINER] = { "PajeDestroyContainer", BIT(TIME) | BIT(NAME) },
    [PAJE_NEW_EVENT] = { "PajeNewEvent",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) },
    [PAJE_SET_STATE] = { "PajeSetState",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) },
    [PAJE_PUSH_STATE] = { "PajePushState",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) },
    [PAJE_POP_STATE] = { "PajePopState", BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) },
    [PAJE_RESET_STATE] = { "PajeResetState", BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) },
    [PAJE_SET_VARIABLE] = { "PajeSetVariable",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) },
    [PAJE_ADD_VARIABLE] = { "PajeAddVariable",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) },
    [PAJE_SUB_VARIABLE] = { "PajeSubVariable",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) },
    [PAJE_START_LINK] = { "PajeStartLink",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) | BIT(START) | BIT(KEY) },
    [PAJE_END_LINK] = { "PajeEndLink",
        BIT(TIME) | BIT(TYPE) | BIT(CONTAINER) | BIT(VALUE) | BIT(END) | BIT(KEY) },
    [PAJE_TRACE_FILE] = { "PajeTraceFile", 0 },
};
/* clang-format on */

static const struct {
    const char *text;
    enum paje_field_name name;
} field_names[] = {
    { "Time", PAJE_TIME },
    { "Name", PAJE_NAME },
    { "Type", PAJE_TYPE },
    { "Container", PAJE_CONTAINER },
    { "StartContainerType", PAJE_START_TYPE },
    { "EndContainerType", PAJE_END_TYPE },
    { "StartContainer", PAJE_START },
    { "EndContainer", PAJE_END },
    { "Value", PAJE_VALUE },
    { "Key", PAJE_KEY },
    { "Alias", PAJE_ALIAS },
    { "Color", PAJE_COLOR },
    { "Line", PAJE_LINE },
    { "File", PAJE_FILE },
    { "Filename", PAJE_FILE },
    { "Role", PAJE_ROLE },
    /* Names before version 1.2 of the format. */
    { "ContainerType", PAJE_TYPE },
    { "EntityType", PAJE_TYPE },
    { "SourceContainerType", PAJE_START_TYPE },
    { "DestContainerType", PAJE_END_TYPE },
    { "SourceContainer", PAJE_START },
    { "DestContainer", PAJE_END },
};

static const char *const type_names[] = { "string", "int",  "double", "float",
                                          "hex",    "date", "color" };

static const char *const writing_names[PAJE_WRITINGS] = {
    [PAJE_AS_TYPE] = "",
    [PAJE_AS_REAL] = "real",
    [PAJE_AS_CONTAINER] = "container",
    [PAJE_AS_ENTITY] = "entity",
    [PAJE_AS_SITE] = "site",
    [PAJE_AS_FROM] = "from",
    [PAJE_AS_TO] = "to",
    [PAJE_AS_PLACE] = "place",
};

const char *paje_writing_name(enum paje_writing writing)
{
    return writing_names[writing];
}

static bool same(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static enum paje_field_name field_name(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++)
        if (same(text, length, field_names[i].text))
            return field_names[i].name;
    return PAJE_EXTRA;
}

bool paje_is_own_word(const char *name)
{
    return !*name || strcmp(name, "Event") == 0 || strcmp(name, "EventDef") == 0
           || strcmp(name, "EndEventDef") == 0
           || field_name(name, strlen(name)) != PAJE_EXTRA;
}

/* Returns the id as a search key of the hash table; it has up to 8 bytes. */
static uint64_t word_of(const char *id, size_t length)
{
    uint64_t word;
    memcpy(&word, id, SHORT_ID);
    return length < SHORT_ID ? word & ((UINT64_C(1) << 8 * length) - 1) : word;
}

static size_t slot_of(const struct paje_definitions *definitions, uint64_t word)
{
    size_t mask = definitions->n_slots - 1;
    size_t i = weft_hash_word(word) & mask;
    while (definitions->slots[i] && definitions->words[i] != word)
        i = (i + 1) & mask;
    return i;
}

uint32_t paje_definition_index(const struct paje_definitions *definitions, const char *id,
                               size_t length)
{
    if (length <= SHORT_ID && definitions->n_slots)
        return definitions->slots[slot_of(definitions, word_of(id, length))] - 1;
    uint32_t index = weft_text_map_get(&definitions->ids, id, length);
    return index == WEFT_MAP_NONE ? WEFT_NONE : index;
}

static void begin(struct paje_definitions *definitions, struct paje_findings *findings,
                  uint64_t line, const char *text, const struct paje_text *words, size_t n)
{
    if (definitions->open)
        paje_definition_close(definitions, findings, line, true);
    const char *name = n > 1 ? text + words[1].offset : "";
    size_t length = n > 1 ? words[1].length : 0;
    struct paje_definition *definition = weft_zalloc(1, sizeof *definition);
    definition->event = PAJE_UNKNOWN_EVENT;
    for (size_t i = 0; i < sizeof event_kinds / sizeof *event_kinds; i++)
        if (same(name, length, event_kinds[i].name))
            definition->event = (enum paje_event)i;
    if (definition->event == PAJE_UNKNOWN_EVENT)
        paje_note_line(findings, line, PAJE_FAULT_EVENT_NAME, name, length);
    definition->id =
        n > 2 ? weft_strndup(text + words[2].offset, words[2].length) : weft_strdup("");
    if (!*definition->id)
        paje_note_line(findings, line, PAJE_FAULT_BAD_DEFINITION, text + words[0].offset,
                       words[n - 1].offset + words[n - 1].length - words[0].offset);
    memset(definition->place, -1, sizeof definition->place);
    definitions->open = definition;
}

/* Returns true if WORD follows a comment that is for Weft. */
static bool is_for_weft(const char *text, const struct paje_text *word)
{
    size_t length = strlen(PAJE_FOR_WEFT);
    return word->offset >= length
           && memcmp(text + word->offset - length, PAJE_FOR_WEFT, length) == 0;
}

/* Takes what a file of Weft says of a field, in the N words after its name and type. */
static void take_words(struct paje_field *field, const char *text,
                       const struct paje_text *words, size_t n)
{
    char *role = weft_strndup(text + words[0].offset, words[0].length);
    field->role = weft_role_find(role);
    if (weft_role_subject(field->role) != WEFT_ROLE_OF_FIELD)
        field->role = WEFT_ROLE_NONE;
    field->tells_role = field->role || strcmp(role, PAJE_NO_ROLE) == 0;
    free(role);
    for (int i = 0; n > 1 && i < PAJE_WRITINGS; i++)
        if (same(text + words[1].offset, words[1].length, writing_names[i]))
            field->writing = (enum paje_writing)i;
    static const enum paje_field_name names[PAJE_WRITINGS] = {
        [PAJE_AS_FROM] = PAJE_FROM_ENTITY,
        [PAJE_AS_TO] = PAJE_TO_ENTITY,
        [PAJE_AS_PLACE] = PAJE_PLACE,
    };
    if (names[field->writing])
        field->name = names[field->writing];
    else if (n > 2 || field->writing)
        field->name = PAJE_EXTRA;
}

static void add_field(struct paje_definitions *definitions, struct paje_findings *findings,
                      uint64_t line, const char *text, const struct paje_text *words,
                      size_t n)
{
    struct paje_definition *d = definitions->open;
    bool renamed = n > 4 && is_for_weft(text, &words[2]);
    const struct paje_text *called = &words[renamed ? 4 : 0];
    const char *name = text + called->offset;
    size_t length = called->length;
    if (d->n_fields == PAJE_MAX_FIELDS) {
        paje_note_line(findings, line, PAJE_FAULT_MANY_FIELDS, name, length);
        return;
    }
    struct paje_key key = paje_key(name, length);
    struct paje_field field = {
        .name = field_name(name, length),
        .type = PAJE_STRING,
        .text = paje_symbol_add(&definitions->names, &key, name, length),
        .step = PAJE_STEP_TEXT,
    };
    if (n > 2 && is_for_weft(text, &words[2]))
        take_words(&field, text, words + 2, n - 2);
    /* Old tracers destroy by a field Container. */
    if (d->event == PAJE_DESTROY_CONTAINER && field.name == PAJE_CONTAINER)
        field.name = PAJE_NAME;
    const char *type = n > 1 ? text + words[1].offset : "";
    size_t type_length = n > 1 ? words[1].length : 0;
    bool known = false;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (same(type, type_length, type_names[i])) {
            field.type = (enum paje_field_type)i;
            known = true;
        }
    }
    if (!known)
        paje_note_line(findings, line, PAJE_FAULT_FIELD_TYPE, type, type_length);
    if (field.name != PAJE_EXTRA && d->place[field.name] >= 0) {
        paje_note_line(findings, line, PAJE_FAULT_DUPLICATE_FIELD, name, length);
        field.name = PAJE_EXTRA;
    }
    if (field.name != PAJE_EXTRA)
        d->place[field.name] = (int16_t)d->n_fields;
    d->fields =
        weft_grow(d->fields, &d->field_capacity, d->n_fields + 1, sizeof *d->fields);
    d->fields[d->n_fields++] = field;
}

static enum paje_step step_of(enum paje_event event, enum paje_field_name name)
{
    if (event == PAJE_TRACE_FILE || event == PAJE_UNKNOWN_EVENT)
        return PAJE_STEP_TEXT;
    switch (name) {
    case PAJE_TIME: return event >= PAJE_CREATE_CONTAINER ? PAJE_STEP_TIME : PAJE_STEP_TEXT;
    case PAJE_TYPE: return paje_is_entity(event) ? PAJE_STEP_TYPE : PAJE_STEP_SYMBOL;
    case PAJE_CONTAINER:
        return paje_is_entity(event) ? PAJE_STEP_CONTAINER : PAJE_STEP_SYMBOL;
    case PAJE_START: return event == PAJE_START_LINK ? PAJE_STEP_OTHER : PAJE_STEP_TEXT;
    case PAJE_END: return event == PAJE_END_LINK ? PAJE_STEP_OTHER : PAJE_STEP_TEXT;
    case PAJE_VALUE:
        if (event >= PAJE_SET_VARIABLE && event <= PAJE_SUB_VARIABLE)
            return PAJE_STEP_NUMBER;
        return paje_is_entity(event) && event != PAJE_POP_STATE && event != PAJE_RESET_STATE
                   ? PAJE_STEP_VALUE
                   : PAJE_STEP_TEXT;
    case PAJE_NAME:
    case PAJE_ALIAS:
    case PAJE_START_TYPE:
    case PAJE_END_TYPE: return paje_is_entity(event) ? PAJE_STEP_TEXT : PAJE_STEP_SYMBOL;
    default: return PAJE_STEP_TEXT;
    }
}

bool paje_is_extra(const struct paje_definition *d, const struct paje_field *field)
{
    if (d->event == PAJE_CREATE_CONTAINER)
        return field->name == PAJE_EXTRA;
    return paje_is_entity(d->event) && field->step == PAJE_STEP_TEXT
           && field->name != PAJE_KEY && field->name != PAJE_FROM_ENTITY
           && field->name != PAJE_TO_ENTITY;
}

static void plan(struct paje_definition *d)
{
    d->keeps_texts = !paje_is_entity(d->event) || d->place[PAJE_KEY] >= 0;
    d->has_ends = d->place[PAJE_FROM_ENTITY] >= 0 || d->place[PAJE_TO_ENTITY] >= 0;
    for (uint32_t i = 0; i < d->n_fields; i++) {
        d->fields[i].step = step_of(d->event, d->fields[i].name);
        if (paje_is_extra(d, &d->fields[i]))
            d->has_extras = d->keeps_texts = true;
    }
    static const enum paje_step usual[PAJE_USUAL] = { PAJE_STEP_TIME, PAJE_STEP_TYPE,
                                                      PAJE_STEP_CONTAINER };
    d->is_usual = d->n_fields >= PAJE_USUAL;
    for (uint32_t i = 0; i < PAJE_USUAL && d->is_usual; i++)
        d->is_usual = d->fields[i].step == usual[i];
}

static void free_definition(struct paje_definition *definition)
{
    if (!definition)
        return;
    free(definition->fields);
    free(definition->id);
    free(definition);
}

void paje_definitions_free(struct paje_definitions *definitions)
{
    free_definition(definitions->open);
    for (size_t i = 0; i < definitions->n; i++)
        free_definition(definitions->list[i]);
    free(definitions->list);
    weft_text_map_free(&definitions->ids);
    free(definitions->slots);
    free(definitions->words);
    paje_symbols_free(&definitions->names);
    *definitions = (struct paje_definitions){ 0 };
}

static void fill_slot(struct paje_definitions *definitions, uint32_t index)
{
    const char *id = definitions->list[index]->id;
    size_t length = strlen(id);
    if (length > SHORT_ID)
        return;
    char padded[SHORT_ID] = { 0 };
    memcpy(padded, id, length);
    uint64_t word = word_of(padded, length);
    size_t slot = slot_of(definitions, word);
    definitions->slots[slot] = index + 1;
    definitions->words[slot] = word;
}

static void add(struct paje_definitions *definitions, struct paje_definition *d)
{
    definitions->list = weft_grow(definitions->list, &definitions->capacity,
                                  definitions->n + 1, sizeof *definitions->list);
    definitions->list[definitions->n] = d;
    weft_text_map_put(&definitions->ids, d->id, strlen(d->id), (uint32_t)definitions->n++);
    if (definitions->n * 2 <= definitions->n_slots) {
        fill_slot(definitions, (uint32_t)definitions->n - 1);
        return;
    }
    free(definitions->slots);
    free(definitions->words);
    definitions->n_slots = definitions->n_slots ? 2 * definitions->n_slots : FIRST_SLOTS;
    definitions->slots = weft_zalloc(definitions->n_slots, sizeof *definitions->slots);
    definitions->words = weft_zalloc(definitions->n_slots, sizeof *definitions->words);
    for (uint32_t i = 0; i < definitions->n; i++)
        fill_slot(definitions, i);
}

void paje_definition_close(struct paje_definitions *definitions,
                           struct paje_findings *findings, uint64_t line, bool missing)
{
    struct paje_definition *d = definitions->open;
    definitions->open = NULL;
    size_t length = strlen(d->id);
    if (missing)
        paje_note_line(findings, line, PAJE_FAULT_NO_END, d->id, length);
    if (d->event != PAJE_UNKNOWN_EVENT) {
        const struct event_kind *kind = &event_kinds[d->event];
        for (int i = 0; i < PAJE_FIELD_NAMES; i++) {
            if (kind->needs & 1u << i && d->place[i] < 0
                && d->event != PAJE_UNKNOWN_EVENT) {
                paje_note_line(findings, line, PAJE_FAULT_MISSING_FIELD, kind->name,
                               strlen(kind->name));
                d->event = PAJE_UNKNOWN_EVENT;
            }
        }
    }
    plan(d);
    if (!length) { /* its begin was a fault already */
        free_definition(d);
    } else if (weft_text_map_get(&definitions->ids, d->id, length) == WEFT_MAP_NONE) {
        add(definitions, d);
    } else {
        paje_note_line(findings, line, PAJE_FAULT_DUPLICATE_ID, d->id, length);
        free_definition(d);
    }
}

void paje_definition_line(struct paje_definitions *definitions,
                          struct paje_findings *findings, uint64_t line, const char *text,
                          const struct paje_text *words, size_t n_words)
{
    if (!n_words)
        return;
    const char *word = text + words[0].offset;
    size_t length = words[0].length;
    if (same(word, length, "EventDef")) {
        begin(definitions, findings, line, text, words, n_words);
    } else if (same(word, length, "EndEventDef")) {
        if (definitions->open)
            paje_definition_close(definitions, findings, line, false);
        else
            paje_note_line(findings, line, PAJE_FAULT_BAD_DEFINITION, word, length);
    } else if (definitions->open) {
        add_field(definitions, findings, line, text, words, n_words);
    } else {
        paje_note_line(findings, line, PAJE_FAULT_BAD_DEFINITION, word, length);
    }
}
