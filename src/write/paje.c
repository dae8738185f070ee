/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a Paje trace track by track: Paje requires order in time only within one container
 * and type.  An entity that carries fields gets a definition of its own for each set of
 * fields that occurs, written when it is first needed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "store/time.h"
#include "write/entity_fields.h"
#include "write/paje_losses.h"
#include "write/write.h"

/*
 * Fields of one entity.  Readers take up to 256 from a line, and a link has a line at each
 * end.
 */

/* definitions that every file has; those with fields are numbered from N_LINES */
enum line {
    DEFINE_CONTAINER,
    DEFINE_STATE,
    DEFINE_EVENT,
    DEFINE_VARIABLE,
    DEFINE_LINK,
    DEFINE_VALUE,
    CREATE,
    DESTROY,
    PUSH,
    POP,
    EVENT,
    SET_VARIABLE,
    START_LINK,
    END_LINK,
    N_LINES,
};

/* clang-format off */
static const struct {
    const char *event, *fields;
} definitions[N_LINES] = {
    [DEFINE_CONTAINER] = { "DefineContainerType", "Alias string\0Type string\0Name string\0" },
    [DEFINE_STATE] = { "DefineStateType", "Alias string\0Type string\0Name string\0" },
    [DEFINE_EVENT] = { "DefineEventType",
        "Alias string\0Type string\0Name string\0Color color\0" },
    [DEFINE_VARIABLE] = { "DefineVariableType",
        "Alias string\0Type string\0Name string\0Color color\0" },
    [DEFINE_LINK] = { "DefineLinkType", "Alias string\0Type string\0"
        "StartContainerType string\0EndContainerType string\0Name string\0" },
    [DEFINE_VALUE] = { "DefineEntityValue",
        "Alias string\0Type string\0Name string\0Color color\0" },
    [CREATE] = { "CreateContainer", "Time date\0Alias string\0Type string\0"
        "Container string\0Name string\0" },
    [DESTROY] = { "DestroyContainer", "Time date\0Type string\0Name string\0" },
    [PUSH] = { "PushState", "Time date\0Container string\0Type string\0Value string\0" },
    [POP] = { "PopState", "Time date\0Container string\0Type string\0" },
    [EVENT] = { "NewEvent", "Time date\0Container string\0Type string\0Value string\0" },
    [SET_VARIABLE] = { "SetVariable",
        "Time date\0Container string\0Type string\0Value double\0" },
    [START_LINK] = { "StartLink", "Time date\0Container string\0Type string\0Value string\0"
        "StartContainer string\0Key string\0" },
    [END_LINK] = { "EndLink", "Time date\0Container string\0Type string\0Value string\0"
        "EndContainer string\0Key string\0" },
};
/* clang-format on */

struct writer {
    const struct weft_source *source;
    const struct weft_schema *schema;
    FILE *stream;
    struct weft_text_map shapes; /* definitions with fields: (line, fields) -> id */
    uint32_t n_ids;
    const struct weft_track *track;
    struct weft_entity_fields entities;
    const struct weft_field_value *fields; /* [n_fields] of the entity that is written */
    size_t n_fields;
    struct weft_state *open; /* states of the track, outermost first */
    size_t n_open, open_capacity;
    bool puts_halves; /* write links with one end, else those with both */
    uint64_t n_halves;
    uint64_t n_link_ends;  /* that name a state or event */
    uint64_t n_not_finite; /* samples that Paje cannot express */
};

static void put_text(struct writer *w, const char *text)
{
    putc('"', w->stream);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        putc(*at == '"' ? '\'' : *at < ' ' ? ' ' : *at, w->stream);
    putc('"', w->stream);
}

/* Writes a field's name without quotes, like other tools, if it stays one word. */
static void put_field_name(struct writer *w, const char *name)
{
    bool bare = *name && *name != '#' && *name != '%';
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        bare = bare && *at > ' ' && *at != '"';
    if (bare)
        fputs(name, w->stream);
    else
        put_text(w, name);
}

static void put_definition(struct writer *w, enum line line, uint32_t id)
{
    fprintf(w->stream, "%%EventDef Paje%s %u\n", definitions[line].event, id);
    for (const char *at = definitions[line].fields; *at; at += strlen(at) + 1)
        fprintf(w->stream, "%%  %s\n", at);
    for (size_t i = 0; i < w->n_fields; i++) {
        static const char *const kinds[WEFT_FIELD_KINDS] = {
            [WEFT_FIELD_INTEGER] = "int", [WEFT_FIELD_REAL] = "double",
            [WEFT_FIELD_TEXT] = "string", [WEFT_FIELD_CONTAINER] = "string",
            [WEFT_FIELD_ENTITY] = "int",
        };
        const struct weft_field *field = &w->schema->fields[w->fields[i].field];
        if (field->kind == WEFT_FIELD_SITE) {
            fputs("%  Filename string\n%  Line int\n", w->stream);
            continue;
        }
        fputs("%  ", w->stream);
        put_field_name(w, field->name);
        fprintf(w->stream, " %s\n", kinds[field->kind]);
    }
    fputs("%EndEventDef\n", w->stream);
}

static void put_color(struct writer *w, uint32_t color)
{
    if (!color) {
        fputs(" \"\"", w->stream);
        return;
    }
    fprintf(w->stream, " \"%.6f %.6f %.6f", (color >> 16 & 255) / 255.0,
            (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
    if (color >> 24 != 255)
        fprintf(w->stream, " %.6f", (color >> 24) / 255.0);
    putc('"', w->stream);
}

/* Paje predefines the root's type and the root container, both called 0. */
static void put_id(struct writer *w, char letter, uint32_t index)
{
    if (index == 0 && letter != 'v')
        fputs(" 0", w->stream);
    else if (index == WEFT_NONE)
        fputs(" \"\"", w->stream);
    else
        fprintf(w->stream, " %c%u", letter, index);
}

static void put_types(struct writer *w)
{
    for (uint32_t i = 1; i < w->schema->n_types; i++) {
        const struct weft_type *type = &w->schema->types[i];
        fprintf(w->stream, "%d t%u", DEFINE_CONTAINER + (int)type->kind, i);
        put_id(w, 't', type->parent);
        if (type->kind == WEFT_LINK) {
            put_id(w, 't', type->start_type);
            put_id(w, 't', type->end_type);
        }
        putc(' ', w->stream);
        put_text(w, type->name);
        if (type->kind == WEFT_EVENT || type->kind == WEFT_VARIABLE)
            put_color(w, type->color);
        putc('\n', w->stream);
    }
    for (uint32_t i = 0; i < w->schema->n_values; i++) {
        const struct weft_value *value = &w->schema->values[i];
        fprintf(w->stream, "%d v%u", DEFINE_VALUE, i);
        put_id(w, 't', value->type);
        putc(' ', w->stream);
        put_text(w, value->name);
        put_color(w, value->color);
        putc('\n', w->stream);
    }
}

static void put_time(struct writer *w, uint32_t id, int64_t time)
{
    char text[WEFT_TIME_TEXT];
    fprintf(w->stream, "%u %s", id, weft_time_exact(w->schema, time, text));
}

static void put_containers(struct writer *w)
{
    for (uint32_t i = 1; i < w->schema->n_containers; i++) {
        uint32_t index = w->schema->preorder[i];
        const struct weft_container *container = &w->schema->containers[index];
        put_time(w, CREATE, container->begin);
        put_id(w, 'c', index);
        put_id(w, 't', container->type);
        put_id(w, 'c', container->parent);
        putc(' ', w->stream);
        put_text(w, container->name);
        putc('\n', w->stream);
    }
}

static void put_destructions(struct writer *w)
{
    for (uint32_t i = w->schema->n_containers; i-- > 1;) {
        uint32_t index = w->schema->preorder[i];
        const struct weft_container *container = &w->schema->containers[index];
        if (container->flags & WEFT_END_IMPLIED)
            continue;
        put_time(w, DESTROY, container->end);
        put_id(w, 't', container->type);
        put_id(w, 'c', index);
        putc('\n', w->stream);
    }
}

/*
 * Returns the id of the definition of LINE with the fields in w->fields, written if it is
 * new.
 */
static uint32_t shape(struct writer *w, enum line line)
{
    if (!w->n_fields)
        return line;
    uint32_t key[1 + WEFT_FIELDS_MAX] = { line };
    for (size_t i = 0; i < w->n_fields; i++)
        key[i + 1] = w->fields[i].field;
    size_t size = (1 + w->n_fields) * sizeof *key;
    uint32_t id = weft_text_map_get(&w->shapes, key, size);
    if (id == WEFT_MAP_NONE) {
        id = w->n_ids++;
        weft_text_map_put(&w->shapes, key, size, id);
        put_definition(w, line, id);
    }
    return id;
}

static void load_fields(struct writer *w, uint64_t entity)
{
    w->fields = weft_entity_fields(&w->entities, entity, &w->n_fields);
}

static void put_fields(struct writer *w)
{
    const struct weft_schema *schema = w->schema;
    for (size_t i = 0; i < w->n_fields; i++) {
        const struct weft_field_value *value = &w->fields[i];
        char number[32];
        putc(' ', w->stream);
        switch (schema->fields[value->field].kind) {
        case WEFT_FIELD_INTEGER: fprintf(w->stream, "%" PRId64, value->integer); break;
        case WEFT_FIELD_REAL: fputs(weft_real_text(value->real, number), w->stream); break;
        case WEFT_FIELD_TEXT:
            put_text(w,
                     value->index < schema->n_strings ? schema->strings[value->index] : "");
            break;
        case WEFT_FIELD_SITE:
            put_text(w, value->index < schema->n_sites ? schema->sites[value->index].file
                                                       : "");
            fprintf(w->stream, " %u",
                    value->index < schema->n_sites ? schema->sites[value->index].line : 0);
            break;
        case WEFT_FIELD_CONTAINER:
            put_text(w, value->index < schema->n_containers
                            ? schema->containers[value->index].name
                            : "");
            break;
        case WEFT_FIELD_ENTITY: fprintf(w->stream, "%" PRId64, value->integer); break;
        case WEFT_FIELD_KINDS: break;
        }
    }
    w->n_fields = 0;
}

/* Every line of an entity begins with id, time, container and type. */
static void put_entity(struct writer *w, uint32_t id, int64_t time)
{
    put_time(w, id, time);
    put_id(w, 'c', w->track->container);
    put_id(w, 't', w->track->type);
}

/*
 * Ends the open states from DEPTH inwards.  With LAST, at the end of the track, states
 * without an end in the trace stay open; before that they are ended (damage cut them off),
 * else later states would nest in them.
 */
static void close_states(struct writer *w, size_t depth, bool last)
{
    while (w->n_open > depth) {
        const struct weft_state *state = &w->open[--w->n_open];
        if (last && state->flags & WEFT_END_IMPLIED)
            continue;
        put_entity(w, POP, state->end);
        putc('\n', w->stream);
    }
}

static bool put_state(void *user, const struct weft_state *state)
{
    struct writer *w = user;
    close_states(w, state->depth, false);
    w->open = weft_grow(w->open, &w->open_capacity, w->n_open + 1, sizeof *w->open);
    w->open[w->n_open++] = *state;
    load_fields(w, state->id);
    put_entity(w, shape(w, PUSH), state->begin);
    put_id(w, 'v', state->value);
    put_fields(w);
    putc('\n', w->stream);
    return !ferror(w->stream);
}

static bool put_event(void *user, const struct weft_event *event)
{
    struct writer *w = user;
    load_fields(w, event->id);
    put_entity(w, shape(w, EVENT), event->time);
    put_id(w, 'v', event->value);
    put_fields(w);
    putc('\n', w->stream);
    return !ferror(w->stream);
}

static bool put_sample(void *user, const struct weft_sample *sample)
{
    struct writer *w = user;
    char number[32];
    if (!isfinite(sample->value)) { /* readers of Paje refuse such a line */
        w->n_not_finite++;
        return true;
    }
    put_entity(w, SET_VARIABLE, sample->begin);
    fprintf(w->stream, " %s\n", weft_real_text(sample->value, number));
    return !ferror(w->stream);
}

static void put_link_end(struct writer *w, const struct weft_link *link, bool start)
{
    uint32_t id = start || link->from == WEFT_NONE ? shape(w, start ? START_LINK : END_LINK)
                                                   : END_LINK;
    put_entity(w, id, start ? link->begin : link->end);
    put_id(w, 'v', link->value);
    put_id(w, 'c', start ? link->from : link->to);
    putc(' ', w->stream);
    if (link->key < w->schema->n_strings)
        put_text(w, w->schema->strings[link->key]);
    else
        fprintf(w->stream, "weft-%" PRIu64, link->id);
    if (id != END_LINK)
        put_fields(w);
    putc('\n', w->stream);
}

static bool put_link(void *user, const struct weft_link *link)
{
    struct writer *w = user;
    bool half = link->from == WEFT_NONE || link->to == WEFT_NONE;
    w->n_halves += half;
    if (half != w->puts_halves)
        return true;
    w->n_link_ends += (link->from_entity != WEFT_NO_ID) + (link->to_entity != WEFT_NO_ID);
    load_fields(w, link->id);
    if (link->from != WEFT_NONE)
        put_link_end(w, link, true);
    if (link->to != WEFT_NONE)
        put_link_end(w, link, false);
    w->n_fields = 0;
    return !ferror(w->stream);
}

/*
 * Paje pairs the start of a link with the next end of the same key.  So half links are
 * written after all whole ones: before them, they would be paired with an end of a whole
 * link.
 */
static void put_links(struct writer *w, uint32_t track, struct weft_span span)
{
    w->puts_halves = false;
    w->n_halves = 0;
    w->source->ops->links(w->source, track, span, put_link, w);
    w->puts_halves = true;
    if (w->n_halves)
        w->source->ops->links(w->source, track, span, put_link, w);
}

static void put_track(struct writer *w, uint32_t index)
{
    const struct weft_source *source = w->source;
    struct weft_span all = { w->schema->span.begin, w->schema->span.end + 1 };
    w->track = &w->schema->tracks[index];
    switch (w->schema->types[w->track->type].kind) {
    case WEFT_STATE:
        w->n_open = 0;
        source->ops->states(source, index, all, put_state, w);
        close_states(w, 0, true);
        break;
    case WEFT_EVENT: source->ops->events(source, index, all, put_event, w); break;
    case WEFT_VARIABLE: source->ops->samples(source, index, all, put_sample, w); break;
    case WEFT_LINK: put_links(w, index, all); break;
    case WEFT_CONTAINER: break;
    }
}

bool weft_write_paje(const struct weft_source *source, FILE *stream, char **losses,
                     struct weft_job *job, struct weft_err *err)
{
    struct writer w = {
        .source = source, .schema = source->schema, .stream = stream, .n_ids = N_LINES
    };
    weft_entity_fields_begin(&w.entities, source);
    for (int i = 0; i < N_LINES; i++)
        put_definition(&w, (enum line)i, (uint32_t)i);
    put_types(&w);
    put_containers(&w);
    bool ok = true;
    for (uint32_t i = 0; ok && i < w.schema->n_tracks && !ferror(stream); i++) {
        ok = weft_job_step(job, i, w.schema->n_tracks, err);
        if (ok)
            put_track(&w, i);
    }
    if (ok)
        put_destructions(&w);
    if (losses)
        *losses = ok ? paje_losses(source, w.n_link_ends, w.n_not_finite) : NULL;
    weft_entity_fields_end(&w.entities);
    weft_text_map_free(&w.shapes);
    free(w.open);
    if (ok && (fflush(stream) != 0 || ferror(stream)))
        ok = weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the trace");
    return ok;
}
