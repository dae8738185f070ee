/* SPDX-License-Identifier: Apache-2.0 */
/* Types, values, containers and fields, by their names. */
#include "read/paje/lookup_by_name.h"

#include <stdlib.h>
#include <string.h>

#include "read/paje/apply_records.h"
#include "read/paje/weft_values.h"

/* Returns the texts of a record whose definition keeps them. */
static const struct paje_text *texts_of(const struct paje_simulator *s,
                                        const struct paje_part *part,
                                        const struct paje_record *record)
{
    bool link = paje_is_link(paje_definition_of(s, record)->event);
    return part->texts + (link ? part->links[record->more].first_text : record->more);
}

const struct paje_text *paje_text_of(const struct paje_simulator *s,
                                     const struct paje_part *part,
                                     const struct paje_record *record,
                                     enum paje_field_name name)
{
    int place = paje_definition_of(s, record)->place[name];
    return place < 0 ? NULL : texts_of(s, part, record) + place;
}

/* The same for a record of the part that is being joined. */
static const struct paje_text *text_of(const struct paje_simulator *s,
                                       const struct paje_record *record,
                                       enum paje_field_name name)
{
    return paje_text_of(s, s->part, record, name);
}

static const char *text_at(const struct paje_simulator *s, const struct paje_text *text)
{
    return text ? s->part->text + text->offset : "";
}

static char *copy_of(const struct paje_simulator *s, const struct paje_text *text)
{
    return weft_strndup(text_at(s, text), text ? text->length : 0);
}

static const struct paje_symbol *symbol_text(const struct paje_simulator *s,
                                             uint32_t symbol)
{
    return &s->names->symbols.list[symbol];
}

uint32_t paje_type_index(const struct paje_simulator *s, uint32_t symbol)
{
    return symbol < s->tables.n_types_of ? s->tables.type_of[symbol] : WEFT_NONE;
}

uint32_t paje_container_index(const struct paje_simulator *s, uint32_t symbol)
{
    return symbol < s->tables.n_containers_of ? s->tables.container_of[symbol] : WEFT_NONE;
}

static void bind(uint32_t **array, size_t *n, size_t *capacity, uint32_t symbol,
                 uint32_t index)
{
    *array = weft_grow(*array, capacity, (size_t)symbol + 1, sizeof **array);
    while (*n <= symbol)
        (*array)[(*n)++] = WEFT_NONE;
    (*array)[symbol] = index;
}

static void bind_type(struct paje_simulator *s, uint32_t symbol, uint32_t index,
                      struct paje_type type)
{
    bind(&s->tables.type_of, &s->tables.n_types_of, &s->tables.type_of_capacity, symbol,
         index);
    s->tables.types = weft_grow(s->tables.types, &s->tables.type_capacity, index + 1,
                                sizeof *s->tables.types);
    s->tables.types[index] = type;
    s->tables.n_types = index + 1;
}

static void bind_container(struct paje_simulator *s, uint32_t symbol, uint32_t index,
                           uint32_t type, uint32_t parent, int64_t begin)
{
    bind(&s->tables.container_of, &s->tables.n_containers_of,
         &s->tables.container_of_capacity, symbol, index);
    s->tables.containers = weft_grow(s->tables.containers, &s->tables.container_capacity,
                                     index + 1, sizeof *s->tables.containers);
    s->tables.containers[index] = (struct paje_container){ .begin = begin,
                                                           .end = INT64_MAX,
                                                           .type = type,
                                                           .parent = parent,
                                                           .first_pair = WEFT_NONE };
    s->tables.n_containers = index + 1;
}

void paje_tables_init(struct paje_simulator *s)
{
    /* Symbol 0 is the root container, and its type. */
    bind_type(s, 0, 0,
              (struct paje_type){ WEFT_CONTAINER, WEFT_NONE, WEFT_NONE, WEFT_NONE });
    bind_container(s, 0, 0, 0, WEFT_NONE, INT64_MIN);
}

void paje_tables_free(struct paje_tables *tables)
{
    free(tables->values);
    free(tables->container_of);
    free(tables->type_of);
    weft_id_map_free(&tables->value_index);
    weft_id_map_free(&tables->fields);
    free(tables->told_roles);
    free(tables->containers);
    free(tables->types);
}

/* Returns the identifier that later lines use: the alias, else the name. */
static const struct paje_text *identifier(const struct paje_simulator *s,
                                          const struct paje_record *record)
{
    const struct paje_text *alias = text_of(s, record, PAJE_ALIAS);
    return alias && alias->length ? alias : text_of(s, record, PAJE_NAME);
}

static uint32_t color_of(struct paje_simulator *s, const struct paje_record *record)
{
    const struct paje_text *text = text_of(s, record, PAJE_COLOR);
    uint32_t color = 0;
    if (text && text->length && !paje_parse_color(text_at(s, text), text->length, &color))
        paje_fault(&s->scribe, PAJE_FAULT_COLOR, text_at(s, text), text->length);
    return color;
}

static void tell_role(struct paje_simulator *s, enum weft_role_subject subject,
                      uint32_t index, enum weft_role role)
{
    struct paje_tables *t = &s->tables;
    t->told_roles = weft_grow(t->told_roles, &t->told_role_capacity, t->n_told_roles + 1,
                              sizeof *t->told_roles);
    t->told_roles[t->n_told_roles++] = (struct paje_told_role){ subject, index, role };
}

/*
 * Remembers the role that the line of a type, value or container tells, if it is one of
 * GROUP or OTHER.
 */
static void take_role(struct paje_simulator *s, const struct paje_record *record,
                      enum weft_role_subject subject, uint32_t index,
                      enum weft_role_subject group, enum weft_role_subject other)
{
    if (!text_of(s, record, PAJE_ROLE))
        return;
    char *name = copy_of(s, text_of(s, record, PAJE_ROLE));
    enum weft_role role = weft_role_find(name);
    enum weft_role_subject of = weft_role_subject(role);
    if (role ? of == group || of == other : strcmp(name, PAJE_NO_ROLE) == 0)
        tell_role(s, subject, index, role);
    free(name);
}

void paje_give_told_roles(const struct paje_simulator *s)
{
    for (size_t i = 0; i < s->tables.n_told_roles; i++) {
        const struct paje_told_role *told = &s->tables.told_roles[i];
        switch (told->subject) {
        case WEFT_ROLE_OF_VALUE:
            weft_builder_value_role(s->builder, told->index, told->role);
            break;
        case WEFT_ROLE_OF_FIELD:
            weft_builder_field_role(s->builder, told->index, told->role);
            break;
        case WEFT_ROLE_OF_CONTAINER:
            weft_builder_container_role(s->builder, told->index, told->role);
            break;
        default: weft_builder_type_role(s->builder, told->index, told->role); break;
        }
    }
}

/* Returns the type that a line names; WEFT_NONE, with a report, if it does not fit. */
static uint32_t known_type(struct paje_simulator *s, uint32_t symbol, bool container)
{
    uint32_t type = paje_type_index(s, symbol);
    if (type == WEFT_NONE)
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_TYPE, symbol);
    else if (container != (s->tables.types[type].kind == WEFT_CONTAINER))
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_KIND, symbol);
    else
        return type;
    return WEFT_NONE;
}

void paje_define_type(struct paje_simulator *s, const struct paje_record *record)
{
    static const enum weft_kind kinds[] = { WEFT_CONTAINER, WEFT_STATE, WEFT_EVENT,
                                            WEFT_VARIABLE, WEFT_LINK };
    struct paje_type type = { kinds[paje_definition_of(s, record)->event], WEFT_NONE,
                              WEFT_NONE, WEFT_NONE };
    type.parent = known_type(s, text_of(s, record, PAJE_TYPE)->symbol, true);
    if (type.parent == WEFT_NONE)
        return;
    if (type.kind == WEFT_LINK) {
        type.start_type = known_type(s, text_of(s, record, PAJE_START_TYPE)->symbol, true);
        type.end_type = known_type(s, text_of(s, record, PAJE_END_TYPE)->symbol, true);
        if (type.start_type == WEFT_NONE || type.end_type == WEFT_NONE)
            return;
    }
    uint32_t symbol = identifier(s, record)->symbol;
    if (paje_type_index(s, symbol) != WEFT_NONE) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_DUPLICATE_TYPE, symbol);
        return;
    }
    char *name = copy_of(s, text_of(s, record, PAJE_NAME));
    char *alias = copy_of(s, text_of(s, record, PAJE_ALIAS));
    uint32_t index =
        weft_builder_type(s->builder, &(struct weft_type){ .kind = type.kind,
                                                           .parent = type.parent,
                                                           .name = name,
                                                           .alias = alias,
                                                           .color = color_of(s, record),
                                                           .start_type = type.start_type,
                                                           .end_type = type.end_type });
    free(name);
    free(alias);
    bind_type(s, symbol, index, type);
    take_role(s, record, WEFT_ROLE_OF_STATE, index, weft_kind_subject(type.kind),
              weft_kind_subject(type.kind));
}

static void index_value(struct paje_simulator *s, uint32_t type, uint32_t symbol,
                        uint32_t value)
{
    uint64_t key = (uint64_t)type << 32 | symbol;
    if (weft_id_map_get(&s->tables.value_index, key) == WEFT_MAP_NONE)
        weft_id_map_put(&s->tables.value_index, key, value);
}

void paje_define_value(struct paje_simulator *s, const struct paje_record *record)
{
    const struct paje_text *of = text_of(s, record, PAJE_TYPE);
    uint32_t type = known_type(s, of->symbol, false);
    if (type == WEFT_NONE)
        return;
    if (s->tables.types[type].kind == WEFT_VARIABLE) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_KIND, of->symbol);
        return;
    }
    uint32_t symbol = identifier(s, record)->symbol;
    uint32_t known = weft_id_map_get(&s->tables.value_index, (uint64_t)type << 32 | symbol);
    if (known != WEFT_MAP_NONE) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_DUPLICATE_VALUE, symbol);
        return;
    }
    const struct paje_text *named = text_of(s, record, PAJE_NAME);
    char *name = copy_of(s, named);
    char *alias = copy_of(s, text_of(s, record, PAJE_ALIAS));
    uint32_t value = weft_builder_value(s->builder, type, name, alias, color_of(s, record));
    free(name);
    free(alias);
    take_role(s, record, WEFT_ROLE_OF_VALUE, value, WEFT_ROLE_OF_VALUE, WEFT_ROLE_OF_LINK);
    index_value(s, type, symbol, value);
    index_value(s, type, named->symbol, value);
}

/*
 * Returns the value of a choice on a type, made from its text if new; WEFT_NONE for an
 * event or link that says that it has none.
 */
static uint32_t value_of(struct paje_simulator *s, uint32_t type, uint32_t choice)
{
    struct paje_tables *t = &s->tables;
    if (choice < t->n_values && t->values[choice] != WEFT_NONE)
        return t->values[choice];
    uint32_t symbol = (uint32_t)(s->names->choices.list[choice] >> 32);
    if (t->types[type].kind != WEFT_STATE
        && strcmp(symbol_text(s, symbol)->text, PAJE_NO_VALUE) == 0)
        return WEFT_NONE;
    uint64_t key = (uint64_t)type << 32 | symbol;
    uint32_t value = weft_id_map_get(&t->value_index, key);
    if (value == WEFT_MAP_NONE) {
        value = weft_builder_value(s->builder, type, symbol_text(s, symbol)->text, NULL, 0);
        weft_id_map_put(&t->value_index, key, value);
    }
    bind(&t->values, &t->n_values, &t->value_capacity, choice, value);
    return value;
}

/* Returns the field of a type for a field of a definition; one for each kind of value. */
static uint32_t field_of(struct paje_simulator *s, uint32_t type,
                         const struct paje_field *of, enum weft_field_kind kind)
{
    /* Names need 28 bits, kinds 3, types rarely more than 33. */
    uint64_t key = (uint64_t)type << 31 | (uint64_t)of->text << 3 | kind;
    uint32_t field = weft_id_map_get(&s->tables.fields, key);
    if (field == WEFT_MAP_NONE) {
        field = weft_builder_field(s->builder, type,
                                   s->definitions->names.list[of->text].text, kind);
        weft_id_map_put(&s->tables.fields, key, field);
        if (of->tells_role)
            tell_role(s, WEFT_ROLE_OF_FIELD, field, of->role);
    }
    return field;
}

/* Returns true if a double keeps the decimal digits, as it does up to 15. */
static bool keeps_digits(const char *text, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length && (text[i] | 0x20) != 'e'; i++)
        digits += text[i] >= '0' && text[i] <= '9' && (digits || text[i] != '0');
    return digits <= 15;
}

static struct weft_field_value field_value(struct paje_simulator *s, uint32_t type,
                                           const struct paje_field *field,
                                           const struct paje_text *text)
{
    const char *at = text_at(s, text);
    struct weft_field_value value = { 0 };
    enum weft_field_kind kind = WEFT_FIELD_TEXT;
    if (paje_parse_written(s, field->writing, at, text->length, &value, &kind)) {
        value.field = field_of(s, type, field, kind);
        return value;
    }
    value = (struct weft_field_value){ 0 };
    kind = WEFT_FIELD_TEXT;
    if (field->type == PAJE_INT && paje_parse_integer(at, text->length, &value.integer))
        kind = WEFT_FIELD_INTEGER;
    else if ((field->type == PAJE_DOUBLE || field->type == PAJE_FLOAT)
             && keeps_digits(at, text->length)
             && paje_parse_number(at, text->length, &value.real))
        kind = WEFT_FIELD_REAL;
    else
        value.index = weft_builder_string(s->builder, at, text->length);
    value.field = field_of(s, type, field, kind);
    return value;
}

/* Sets the user-defined fields of the line of a new container, and its place. */
static void take_facts(struct paje_simulator *s, const struct paje_record *record,
                       uint32_t type, uint32_t container)
{
    const struct paje_definition *d = paje_definition_of(s, record);
    const struct paje_text *texts = texts_of(s, s->part, record);
    const struct paje_text *place = text_of(s, record, PAJE_PLACE);
    int64_t number;
    if (place && paje_parse_integer(text_at(s, place), place->length, &number)
        && number >= 0 && number <= UINT32_MAX)
        weft_builder_container_place(s->builder, container, (uint32_t)number);
    for (uint32_t i = 0; d->has_extras && i < d->n_fields; i++) {
        if (!paje_is_extra(d, &d->fields[i]))
            continue;
        struct weft_field_value value = field_value(s, type, &d->fields[i], &texts[i]);
        weft_builder_container_field(s->builder, container, &value);
    }
}

/* The symbol is bound to a new container: tracks of the old one must be resolved again. */
static void forget_tracks(struct paje_simulator *s, struct paje_container *container)
{
    for (uint32_t pair = container->first_pair; pair != WEFT_NONE;) {
        paje_set_direct(s, pair, false);
        struct paje_track *track = &s->tracks[pair];
        pair = track->next;
        *track = (struct paje_track){ .last = INT64_MAX, .newest = INT64_MIN };
    }
    container->first_pair = WEFT_NONE;
}

void paje_create(struct paje_simulator *s, const struct paje_record *record)
{
    uint32_t type_symbol = text_of(s, record, PAJE_TYPE)->symbol;
    uint32_t type = known_type(s, type_symbol, true);
    uint32_t above = text_of(s, record, PAJE_CONTAINER)->symbol;
    uint32_t parent = paje_container_index(s, above);
    if (parent == WEFT_NONE)
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_CONTAINER, above);
    if (type == WEFT_NONE || parent == WEFT_NONE)
        return;
    if (s->tables.types[type].parent != s->tables.containers[parent].type)
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_WRONG_TYPE, type_symbol);
    if (s->tables.containers[parent].end != INT64_MAX)
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_DESTROYED, above);
    uint32_t symbol = identifier(s, record)->symbol;
    uint32_t known = paje_container_index(s, symbol);
    if (known != WEFT_NONE) {
        if (s->tables.containers[known].end == INT64_MAX) {
            paje_fault_symbol(s, &s->scribe, PAJE_FAULT_DUPLICATE_CONTAINER, symbol);
            return;
        }
        forget_tracks(s, &s->tables.containers[known]);
    }
    char *name = copy_of(s, text_of(s, record, PAJE_NAME));
    char *alias = copy_of(s, text_of(s, record, PAJE_ALIAS));
    uint32_t index =
        weft_builder_container(s->builder, type, parent, name, alias, record->time);
    free(name);
    free(alias);
    bind_container(s, symbol, index, type, parent, record->time);
    s->tables.containers[parent].live_children++;
    take_role(s, record, WEFT_ROLE_OF_CONTAINER, index, WEFT_ROLE_OF_CONTAINER,
              WEFT_ROLE_OF_CONTAINER);
    take_facts(s, record, type, index);
}

void paje_destroy(struct paje_simulator *s, const struct paje_record *record)
{
    uint32_t symbol = text_of(s, record, PAJE_NAME)->symbol;
    uint32_t index = paje_container_index(s, symbol);
    if (index == WEFT_NONE) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_CONTAINER, symbol);
        return;
    }
    struct paje_container *container = &s->tables.containers[index];
    if (container->end != INT64_MAX) {
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_DESTROYED_TWICE, symbol);
        return;
    }
    const struct paje_text *type = text_of(s, record, PAJE_TYPE);
    if (type && paje_type_index(s, type->symbol) != container->type)
        paje_fault_symbol(s, &s->scribe, PAJE_FAULT_WRONG_TYPE, type->symbol);
    container->end = record->time;
    if (container->parent != WEFT_NONE)
        s->tables.containers[container->parent].live_children--;
    bool put_off = container->live_children
                   || weft_id_map_get(&s->lesson->late, index) != WEFT_MAP_NONE;
    for (uint32_t pair = container->first_pair; pair != WEFT_NONE;
         pair = s->tracks[pair].next) {
        s->tracks[pair].last = INT64_MAX;
        if (s->tracks[pair].kind != WEFT_LINK)
            paje_set_direct(s, pair, false);
        put_off |= s->tracks[pair].sorted;
    }
    if (!put_off) {
        weft_builder_destroy(s->builder, index, record->time);
        return;
    }
    /* In Paje children may outlive their parent, and some events are applied later. */
    s->destructions = weft_grow(s->destructions, &s->destruction_capacity,
                                s->n_destructions + 1, sizeof *s->destructions);
    s->destructions[s->n_destructions++] = (struct paje_destruction){ index, record->time };
}

static bool site_value(struct paje_simulator *s, const struct paje_record *record,
                       uint32_t type, struct weft_field_value *value)
{
    const struct paje_text *file = text_of(s, record, PAJE_FILE);
    const struct paje_text *line = text_of(s, record, PAJE_LINE);
    int64_t number = 0;
    if (!file || !line || !paje_parse_integer(text_at(s, line), line->length, &number)
        || number < 0 || number > INT32_MAX)
        return false;
    char *name = copy_of(s, file);
    value->index = weft_builder_site(
        s->builder, &(struct weft_site){ .file = name, .line = (uint32_t)number });
    free(name);
    const struct paje_definition *d = paje_definition_of(s, record);
    value->field = field_of(s, type, &d->fields[d->place[PAJE_FILE]], WEFT_FIELD_SITE);
    return true;
}

/* Append the user-defined fields of a line to those of the part. */
static uint32_t add_run(struct paje_simulator *s, struct paje_part *part,
                        const struct paje_record *record, uint32_t type)
{
    const struct paje_definition *d = paje_definition_of(s, record);
    part->fields = weft_grow(part->fields, &part->field_capacity,
                             part->n_fields + d->n_fields, sizeof *part->fields);
    struct weft_field_value *values = part->fields + part->n_fields;
    uint32_t n = 0;
    bool site = site_value(s, record, type, &values[0]);
    n += site;
    const struct paje_text *texts = texts_of(s, part, record);
    for (uint32_t i = 0; i < d->n_fields; i++) {
        const struct paje_field *field = &d->fields[i];
        if (!paje_is_extra(d, field)
            || (site && (field->name == PAJE_FILE || field->name == PAJE_LINE)))
            continue;
        values[n++] = field_value(s, type, field, &texts[i]);
    }
    part->runs =
        weft_grow(part->runs, &part->run_capacity, part->n_runs + 1, sizeof *part->runs);
    part->runs[part->n_runs] = (struct paje_run){ (uint32_t)part->n_fields, n };
    part->n_fields += n;
    return (uint32_t)part->n_runs++;
}

/* Returns the entity that a link's line names in a field; WEFT_NO_ID if it names none. */
static uint64_t end_of_link(struct paje_simulator *s, const struct paje_part *part,
                            const struct paje_record *record, enum paje_field_name name)
{
    const struct paje_text *text = paje_text_of(s, part, record, name);
    uint64_t id =
        text ? paje_entity_id(s, part->text + text->offset, text->length) : WEFT_NO_ID;
    return weft_is_container_id(id) ? WEFT_NO_ID : id;
}

void paje_complete(struct paje_simulator *s, struct paje_part *part,
                   struct paje_record *record, uint32_t type)
{
    const struct paje_definition *d = paje_definition_of(s, record);
    bool link = paje_is_link(d->event);
    if (!link && d->event != PAJE_NEW_EVENT && d->event != PAJE_PUSH_STATE
        && d->event != PAJE_SET_STATE)
        return;
    if (record->value == WEFT_NONE)
        record->value = value_of(s, type, record->choice);
    if (link) {
        struct paje_link_end *end = &part->links[record->more];
        end->from_entity = end_of_link(s, part, record, PAJE_FROM_ENTITY);
        end->to_entity = end_of_link(s, part, record, PAJE_TO_ENTITY);
    }
    if (!d->has_extras)
        return;
    uint32_t run = add_run(s, part, record, type);
    *(link ? &part->links[record->more].run : &record->more) = run;
}
