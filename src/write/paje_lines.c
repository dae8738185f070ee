/* SPDX-License-Identifier: Apache-2.0 */
#include "write/paje_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "write/dump_and_paje.h"

enum { MAX_WORDS = 20 }; /* of a line: pj_dump does not see more */

/* clang-format off */
static const struct {
    const char *event, *fields;
    size_t n_words; /* with the id */
} definitions[PAJE_LINES] = {
    [PAJE_LINE_CONTAINER_TYPE] = { "DefineContainerType",
        "Alias string\0Type string\0Name string\0Role string\0", 5 },
    [PAJE_LINE_STATE_TYPE] = { "DefineStateType",
        "Alias string\0Type string\0Name string\0Role string\0", 5 },
    [PAJE_LINE_EVENT_TYPE] = { "DefineEventType",
        "Alias string\0Type string\0Name string\0Role string\0", 5 },
    [PAJE_LINE_VARIABLE_TYPE] = { "DefineVariableType",
        "Alias string\0Type string\0Name string\0Role string\0", 5 },
    [PAJE_LINE_LINK_TYPE] = { "DefineLinkType", "Alias string\0Type string\0"
        "StartContainerType string\0EndContainerType string\0Name string\0"
        "Role string\0", 7 },
    [PAJE_LINE_VALUE] = { "DefineEntityValue",
        "Alias string\0Type string\0Name string\0Role string\0", 5 },
    [PAJE_LINE_EVENT_TYPE_COLOR] = { "DefineEventType",
        "Alias string\0Type string\0Name string\0Role string\0Color color\0", 6 },
    [PAJE_LINE_VARIABLE_TYPE_COLOR] = { "DefineVariableType",
        "Alias string\0Type string\0Name string\0Role string\0Color color\0", 6 },
    [PAJE_LINE_VALUE_COLOR] = { "DefineEntityValue",
        "Alias string\0Type string\0Name string\0Role string\0Color color\0", 6 },
    [PAJE_LINE_CREATE] = { "CreateContainer", "Time date\0Alias string\0Type string\0"
        "Container string\0Name string\0", 6 },
    [PAJE_LINE_DESTROY] = { "DestroyContainer", "Time date\0Type string\0Name string\0", 4 },
    [PAJE_LINE_PUSH] = { "PushState",
        "Time date\0Container string\0Type string\0Value string\0", 5 },
    [PAJE_LINE_POP] = { "PopState", "Time date\0Container string\0Type string\0", 4 },
    [PAJE_LINE_EVENT] = { "NewEvent",
        "Time date\0Container string\0Type string\0Value string\0", 5 },
    [PAJE_LINE_SET_VARIABLE] = { "SetVariable",
        "Time date\0Container string\0Type string\0Value double\0", 5 },
    [PAJE_LINE_START_LINK] = { "StartLink",
        "Time date\0Container string\0Type string\0Value string\0"
        "StartContainer string\0Key string\0", 7 },
    [PAJE_LINE_END_LINK] = { "EndLink",
        "Time date\0Container string\0Type string\0Value string\0"
        "EndContainer string\0Key string\0", 7 },
};
/* clang-format on */

/* Writes a text that is in quotes, without characters that cannot be there. */
static void put_inside(struct paje_lines *l, const char *text)
{
    bool changed = false;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        changed |= *at == '"' || *at < ' ';
        putc(*at == '"' ? '\'' : *at < ' ' ? ' ' : *at, l->stream);
    }
    l->n_changed += changed;
}

/*
 * Writes TEXT in quotes.  pj_dump takes "" for the begin of a text: a blank stands for it.
 */
static void put_quoted(struct paje_lines *l, const char *text)
{
    putc('"', l->stream);
    if (!*text && !l->literal)
        putc(' ', l->stream);
    put_inside(l, text);
    putc('"', l->stream);
}

void paje_put_text(struct paje_lines *l, const char *text)
{
    putc(' ', l->stream);
    put_quoted(l, text);
}

void paje_put_id(struct paje_lines *l, char letter, uint32_t index)
{
    /* Paje predefines the root's type and the root container, both called 0. */
    if (index == 0)
        fputs(" 0", l->stream);
    else
        fprintf(l->stream, " %c%" PRIu32, letter, index);
}

void paje_put_value(struct paje_lines *l, uint32_t value)
{
    putc(' ', l->stream);
    if (value == WEFT_NONE) {
        fputs("\"" PAJE_NO_VALUE "\"", l->stream);
        return;
    }
    for (uint32_t i = 0; i < l->prefix; i++)
        putc('v', l->stream);
    fprintf(l->stream, "%" PRIu32, value);
}

void paje_put_color(struct paje_lines *l, uint32_t color)
{
    fprintf(l->stream, " \"%.6f %.6f %.6f", (color >> 16 & 255) / 255.0,
            (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
    if (color >> 24 != 255)
        fprintf(l->stream, " %.6f", (color >> 24) / 255.0);
    putc('"', l->stream);
}

/* A field, as a definition describes it. */
struct field_words {
    const char *name, *type;
    enum weft_role role;
    enum paje_writing writing;
};

static struct field_words words_of(const struct paje_lines *l, uint32_t field)
{
    static const struct {
        const char *type;
        enum paje_writing writing;
    } kinds[WEFT_FIELD_KINDS] = {
        [WEFT_FIELD_INTEGER] = { "int", PAJE_AS_TYPE },
        [WEFT_FIELD_REAL] = { "double", PAJE_AS_REAL },
        [WEFT_FIELD_TEXT] = { "string", PAJE_AS_TYPE },
        [WEFT_FIELD_SITE] = { "string", PAJE_AS_SITE },
        [WEFT_FIELD_CONTAINER] = { "string", PAJE_AS_CONTAINER },
        [WEFT_FIELD_ENTITY] = { "string", PAJE_AS_ENTITY },
    };
    if (field == PAJE_FROM_FIELD)
        return (struct field_words){ "From", "string", WEFT_ROLE_NONE, PAJE_AS_FROM };
    if (field == PAJE_TO_FIELD)
        return (struct field_words){ "To", "string", WEFT_ROLE_NONE, PAJE_AS_TO };
    if (field == PAJE_PLACE_FIELD)
        return (struct field_words){ "Place", "int", WEFT_ROLE_NONE, PAJE_AS_PLACE };
    const struct weft_field *of = &l->schema->fields[field];
    return (struct field_words){ of->name, kinds[of->kind].type, of->role,
                                 kinds[of->kind].writing };
}

/* Writes a field's name without quotes, like other tools, if it stays one word. */
static void put_field_name(struct paje_lines *l, const char *name)
{
    bool bare = *name && *name != '%' && !strchr(name, '#');
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        bare = bare && *at > ' ' && *at != '"';
    if (bare)
        fputs(name, l->stream);
    else
        put_quoted(l, name);
}

static void put_field_line(struct paje_lines *l, const struct paje_put_field *field)
{
    if (field->value.field == PAJE_ROLE_FIELD) {
        fputs("%  Role string\n", l->stream);
        return;
    }
    struct field_words words = words_of(l, field->value.field);
    bool own = paje_is_own_word(words.name);
    fputs(field->hidden ? PAJE_FOR_WEFT "%  " : "%  ", l->stream);
    if (own)
        fprintf(l->stream, "weft-%s", words.name);
    else
        put_field_name(l, words.name);
    fprintf(l->stream, " %s " PAJE_FOR_WEFT "%s", words.type,
            words.role ? weft_role_name(words.role) : PAJE_NO_ROLE);
    if (words.writing || own)
        fprintf(l->stream, " \"%s\"", paje_writing_name(words.writing));
    if (own)
        fprintf(l->stream, " \"%s\"", words.name);
    putc('\n', l->stream);
}

static void put_definition(struct paje_lines *l, enum paje_line line, uint32_t id)
{
    fprintf(l->stream, "%%EventDef Paje%s %" PRIu32 "\n", definitions[line].event, id);
    for (const char *at = definitions[line].fields; *at; at += strlen(at) + 1)
        fprintf(l->stream, "%%  %s\n", at);
    for (size_t i = 0; i < l->n_fields; i++)
        put_field_line(l, &l->fields[i]);
    fputs("%EndEventDef\n", l->stream);
}

static bool is_identifier_like(const char *name, uint32_t prefix)
{
    return strspn(name, "v") == prefix && name[prefix] >= '0' && name[prefix] <= '9';
}

/*
 * Readers know values by identifier and by name: returns the number of letters that the
 * identifiers need to differ from all names.
 */
static uint32_t prefix_of(const struct weft_schema *schema)
{
    uint32_t prefix = 1;
    for (uint32_t i = 0; i < schema->n_values; i++) {
        const char *name = schema->values[i].name;
        uint32_t n = (uint32_t)strspn(name, "v");
        if (n >= prefix && n < 64 && is_identifier_like(name, n))
            prefix = n + 1;
    }
    return prefix;
}

void paje_lines_begin(struct paje_lines *l, const struct weft_schema *schema,
                      const bool *whole, FILE *stream)
{
    *l = (struct paje_lines){ .schema = schema,
                              .stream = stream,
                              .n_ids = PAJE_LINES,
                              .whole = whole,
                              .prefix = prefix_of(schema) };
    for (int i = 0; i < PAJE_LINES; i++)
        put_definition(l, (enum paje_line)i, (uint32_t)i);
}

void paje_lines_end(struct paje_lines *l)
{
    weft_text_map_free(&l->shapes);
}

/* Returns true if a container is known where a line names it; see paje_add_field(). */
static bool is_known(const struct weft_schema *schema, uint64_t container, uint32_t last)
{
    return container < schema->n_containers && container <= last;
}

/* Returns true if the text names the entity right. */
static bool is_nameable(const struct paje_lines *l, uint64_t id, uint32_t last)
{
    uint32_t track = weft_entity_track(id);
    if (id == WEFT_NO_ID)
        return false;
    if (weft_is_container_id(id))
        return is_known(l->schema, weft_entity_ordinal(id), last);
    return track < l->schema->n_tracks && l->whole[track]
           && is_known(l->schema, l->schema->tracks[track].container, last);
}

static bool is_writable(struct paje_lines *l, const struct weft_field_value *value,
                        uint32_t last)
{
    const struct weft_schema *schema = l->schema;
    if (value->field == PAJE_ROLE_FIELD || value->field == PAJE_PLACE_FIELD)
        return true;
    enum weft_field_kind kind = value->field >= PAJE_TO_FIELD
                                    ? WEFT_FIELD_ENTITY
                                    : schema->fields[value->field].kind;
    switch (kind) {
    case WEFT_FIELD_TEXT: return value->index < schema->n_strings;
    case WEFT_FIELD_SITE: return value->index < schema->n_sites;
    case WEFT_FIELD_CONTAINER: return is_known(schema, value->index, last);
    case WEFT_FIELD_ENTITY: return is_nameable(l, value->entity, last);
    default: return true;
    }
}

void paje_add_field(struct paje_lines *l, const struct weft_field_value *value,
                    uint32_t last)
{
    if (is_writable(l, value, last))
        l->fields[l->n_fields++].value = *value;
    else
        l->n_lost++;
}

static bool is_empty_text(const struct paje_lines *l, const struct weft_field_value *value)
{
    return value->field < PAJE_PLACE_FIELD
           && l->schema->fields[value->field].kind == WEFT_FIELD_TEXT
           && !*l->schema->strings[value->index];
}

/* Moves the fields that others cannot take behind the rest, and marks them. */
static void hide_fields(struct paje_lines *l, enum paje_line line)
{
    struct paje_put_field hidden[WEFT_FIELDS_MAX + 4];
    size_t n_shown = 0, n_hidden = 0, room = MAX_WORDS - definitions[line].n_words;
    for (size_t i = 0; i < l->n_fields; i++) {
        struct paje_put_field *field = &l->fields[i];
        field->hidden = n_shown == room || is_empty_text(l, &field->value);
        if (field->hidden)
            hidden[n_hidden++] = *field;
        else
            l->fields[n_shown++] = *field;
    }
    memcpy(l->fields + n_shown, hidden, n_hidden * sizeof *hidden);
}

uint32_t paje_shape(struct paje_lines *l, enum paje_line line)
{
    if (!l->n_fields)
        return line;
    hide_fields(l, line);
    uint32_t key[1 + 2 * (WEFT_FIELDS_MAX + 4)];
    key[0] = line;
    for (size_t i = 0; i < l->n_fields; i++) {
        key[2 * i + 1] = l->fields[i].value.field;
        key[2 * i + 2] = l->fields[i].hidden;
    }
    size_t size = (1 + 2 * l->n_fields) * sizeof *key;
    uint32_t id = weft_text_map_get(&l->shapes, key, size);
    if (id == WEFT_MAP_NONE) {
        id = l->n_ids++;
        weft_text_map_put(&l->shapes, key, size, id);
        put_definition(l, line, id);
    }
    return id;
}

static void put_entity_name(struct paje_lines *l, uint64_t id)
{
    if (weft_is_container_id(id)) {
        paje_put_id(l, 'c', (uint32_t)weft_entity_ordinal(id));
        return;
    }
    const struct weft_track *track = &l->schema->tracks[weft_entity_track(id)];
    paje_put_id(l, 'c', track->container);
    fprintf(l->stream, "/t%" PRIu32 "/%" PRIu64, track->type, weft_entity_ordinal(id));
}

bool paje_site_is_short(const struct weft_site *site)
{
    return strchr(site->file, PAJE_SITE_BAR) || strchr(site->object, PAJE_SITE_BAR);
}

static void put_site(struct paje_lines *l, const struct weft_site *site)
{
    fputs(" \"", l->stream);
    put_inside(l, site->file);
    fprintf(l->stream, ":%" PRIu32, site->line);
    bool more = site->function[0] || site->object[0] || site->address;
    if (more && !paje_site_is_short(site)) {
        putc(PAJE_SITE_BAR, l->stream);
        put_inside(l, site->function);
        putc(PAJE_SITE_BAR, l->stream);
        put_inside(l, site->object);
        fprintf(l->stream, "%c%" PRIx64, PAJE_SITE_BAR, site->address);
    }
    putc('"', l->stream);
}

static void put_field(struct paje_lines *l, const struct weft_field_value *value)
{
    const struct weft_schema *schema = l->schema;
    char number[32];
    if (value->field == PAJE_ROLE_FIELD) {
        fprintf(l->stream, " %s", weft_role_name((enum weft_role)value->index));
        return;
    }
    if (value->field == PAJE_PLACE_FIELD) {
        fprintf(l->stream, " %" PRId64, value->integer);
        return;
    }
    if (value->field >= PAJE_TO_FIELD) {
        put_entity_name(l, value->entity);
        return;
    }
    switch (schema->fields[value->field].kind) {
    case WEFT_FIELD_INTEGER: fprintf(l->stream, " %" PRId64, value->integer); break;
    case WEFT_FIELD_REAL:
        fprintf(l->stream, " %s", weft_real_text(value->real, number));
        break;
    case WEFT_FIELD_TEXT: paje_put_text(l, schema->strings[value->index]); break;
    case WEFT_FIELD_SITE: put_site(l, &schema->sites[value->index]); break;
    case WEFT_FIELD_CONTAINER: paje_put_id(l, 'c', value->index); break;
    case WEFT_FIELD_ENTITY: put_entity_name(l, value->entity); break;
    case WEFT_FIELD_KINDS: break;
    }
}

void paje_put_fields(struct paje_lines *l)
{
    bool literal = l->literal, hiding = false;
    for (size_t i = 0; i < l->n_fields; i++) {
        if (l->fields[i].hidden && !hiding) {
            fputs(" " PAJE_FOR_WEFT, l->stream);
            l->literal = hiding = true;
        }
        put_field(l, &l->fields[i].value);
    }
    l->literal = literal;
}
