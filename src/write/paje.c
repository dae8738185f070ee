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

#include "base/compare.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "store/time.h"
#include "write/dump_and_paje.h"
#include "write/paje_lines.h"
#include "write/paje_losses.h"

/* The readers of a line; see paje_lines.h. */
enum readers { ALL, ONLY_WEFT, ONLY_OTHERS };

struct writer {
    const struct weft_source *source;
    const struct weft_schema *schema;
    FILE *stream;
    struct paje_lines lines;
    enum readers readers; /* of the current line */
    const struct weft_track *track;
    struct weft_entity_fields entities;
    struct weft_state *open; /* states of the track, outermost first */
    size_t n_open, open_capacity;
    struct weft_link *links; /* of the track */
    size_t n_links, link_capacity;
    struct weft_id_map keys; /* hashes of the keys of the track's links */
    int decimals;            /* of times at least; 0: as many as they need */
    bool *whole;             /* see struct paje_lines */
    bool *reordered;         /* by container: its children have places of their own */
    bool *refused;           /* by container: pj_dump refuses it, and all in it */
    int64_t *latest;         /* by container: time of its last line for all readers */
    struct paje_counts counts;
};

static void begin_line(struct writer *w, enum readers readers, uint32_t id)
{
    w->readers = readers;
    w->lines.literal = readers == ONLY_WEFT;
    fprintf(w->stream, "%s%" PRIu32, readers == ONLY_WEFT ? PAJE_FOR_WEFT : "", id);
}

static void end_line(struct writer *w)
{
    fputs(w->readers == ONLY_OTHERS ? " " PAJE_FOR_OTHERS "\n" : "\n", w->stream);
    w->lines.literal = false;
}

/* ---- Types, values, containers ---- */

static void put_role(struct writer *w, enum weft_role role)
{
    fprintf(w->stream, " %s", role ? weft_role_name(role) : PAJE_NO_ROLE);
}

static void put_type(struct writer *w, enum readers readers, uint32_t index)
{
    const struct weft_type *type = &w->schema->types[index];
    uint32_t line = PAJE_LINE_CONTAINER_TYPE + (uint32_t)type->kind;
    bool colored = type->color && (type->kind == WEFT_EVENT || type->kind == WEFT_VARIABLE);
    if (colored)
        line = type->kind == WEFT_EVENT ? PAJE_LINE_EVENT_TYPE_COLOR
                                        : PAJE_LINE_VARIABLE_TYPE_COLOR;
    begin_line(w, readers, line);
    paje_put_id(&w->lines, 't', index);
    paje_put_id(&w->lines, 't', type->parent);
    if (type->kind == WEFT_LINK) {
        paje_put_id(&w->lines, 't', type->start_type == WEFT_NONE ? 0 : type->start_type);
        paje_put_id(&w->lines, 't', type->end_type == WEFT_NONE ? 0 : type->end_type);
    }
    /* pj_dump wants no type of containers to be called 0. */
    bool zero = readers == ONLY_OTHERS && strcmp(type->name, "0") == 0;
    paje_put_text(&w->lines, zero ? "0 " : type->name);
    put_role(w, type->role);
    if (colored)
        paje_put_color(&w->lines, type->color);
    end_line(w);
}

static void put_value(struct writer *w, enum readers readers, uint32_t index)
{
    const struct weft_value *value = &w->schema->values[index];
    begin_line(w, readers, value->color ? PAJE_LINE_VALUE_COLOR : PAJE_LINE_VALUE);
    paje_put_value(&w->lines, index);
    paje_put_id(&w->lines, 't', value->type);
    paje_put_text(&w->lines, value->name);
    put_role(w, value->role);
    if (value->color)
        paje_put_color(&w->lines, value->color);
    end_line(w);
}

/*
 * pj_dump compares times as doubles, and reads those of more than 15 digits in order only
 * if all have equally many decimals: returns how many that are, or 0 for any number.
 */
static int decimals_needed(const struct weft_schema *schema)
{
    const int64_t short_enough = 1000000000000000;
    int decimals = 0;
    if (schema->span.begin > -short_enough && schema->span.end < short_enough)
        return 0;
    for (uint64_t n = schema->ticks_numerator; n >= 10; n /= 10)
        decimals++;
    return decimals;
}

static void put_time(struct writer *w, int64_t time)
{
    char text[WEFT_TIME_TEXT];
    fprintf(w->stream, " %s", weft_time_exact(w->schema, time, text));
    if (!w->decimals)
        return;
    const char *point = strchr(text, '.');
    int n = point ? (int)strlen(point + 1) : 0;
    if (!point)
        putc('.', w->stream);
    for (; n < w->decimals; n++)
        putc('0', w->stream);
}

/* The fields of its line are added already; ID is that of their definition. */
static void put_container(struct writer *w, enum readers readers, uint32_t index,
                          uint32_t id)
{
    const struct weft_container *container = &w->schema->containers[index];
    begin_line(w, readers, id);
    put_time(w, container->begin);
    paje_put_id(&w->lines, 'c', index);
    paje_put_id(&w->lines, 't', container->type);
    paje_put_id(&w->lines, 'c', container->parent);
    paje_put_text(&w->lines, container->name);
    paje_put_fields(&w->lines);
    end_line(w);
}

/*
 * Calls PUT for all readers; if some cannot take the line as it is (DIFFER), once for Weft
 * and once for the others.
 */
static void put_for_all(struct writer *w, bool differ,
                        void (*put)(struct writer *, enum readers, uint32_t),
                        uint32_t index)
{
    put(w, differ ? ONLY_WEFT : ALL, index);
    if (differ)
        put(w, ONLY_OTHERS, index);
}

static void put_types(struct writer *w)
{
    for (uint32_t i = 1; i < w->schema->n_types; i++) {
        const struct weft_type *type = &w->schema->types[i];
        bool zero = type->kind == WEFT_CONTAINER && strcmp(type->name, "0") == 0;
        put_for_all(w, zero || !*type->name, put_type, i);
    }
    for (uint32_t i = 0; i < w->schema->n_values; i++)
        if (w->schema->types[w->schema->values[i].type].kind != WEFT_VARIABLE)
            put_for_all(w, !*w->schema->values[i].name, put_value, i);
}

/* Sets for each container whether its children are not in the order of their indices. */
static void find_reordered(struct writer *w)
{
    for (uint32_t i = 1; i < w->schema->n_containers; i++) {
        const struct weft_container *container = &w->schema->containers[i];
        if (container->next_sibling < i)
            w->reordered[container->parent] = true;
    }
}

static void add_facts(struct writer *w, uint32_t index)
{
    const struct weft_container *container = &w->schema->containers[index];
    size_t n;
    const struct weft_field_value *facts = weft_container_facts(w->schema, index, &n);
    w->lines.n_fields = 0;
    if (container->role && container->role != w->schema->types[container->type].role)
        paje_add_field(&w->lines,
                       &(struct weft_field_value){ .field = PAJE_ROLE_FIELD,
                                                   .index = container->role },
                       index);
    if (w->reordered[container->parent])
        paje_add_field(&w->lines,
                       &(struct weft_field_value){ .field = PAJE_PLACE_FIELD,
                                                   .integer = container->order },
                       index);
    for (size_t i = 0; i < n && i < WEFT_FIELDS_MAX; i++)
        paje_add_field(&w->lines, &facts[i], index);
}

static void put_containers(struct writer *w)
{
    const struct weft_schema *schema = w->schema;
    find_reordered(w);
    for (uint32_t index = 1; index < schema->n_containers; index++) {
        const struct weft_container *container = &schema->containers[index];
        uint32_t parent = container->parent;
        w->refused[index] =
            w->refused[parent]
            || schema->types[container->type].parent != schema->containers[parent].type;
        w->latest[index] = container->begin;
        add_facts(w, index);
        uint32_t id = paje_shape(&w->lines, PAJE_LINE_CREATE);
        if (w->refused[index] || !*container->name)
            put_container(w, ONLY_WEFT, index, id);
        else
            put_container(w, ALL, index, id);
        if (!w->refused[index] && !*container->name)
            put_container(w, ONLY_OTHERS, index, id);
        w->counts.misplaced += w->refused[index];
    }
}

static void put_destructions(struct writer *w)
{
    for (uint32_t index = w->schema->n_containers; index-- > 1;) {
        const struct weft_container *container = &w->schema->containers[index];
        if (container->flags & WEFT_END_IMPLIED)
            continue;
        /* pj_dump refuses an end before a line that it has read. */
        bool refused = w->refused[index] || container->end < w->latest[index];
        begin_line(w, refused ? ONLY_WEFT : ALL, PAJE_LINE_DESTROY);
        put_time(w, container->end);
        paje_put_id(&w->lines, 't', container->type);
        paje_put_id(&w->lines, 'c', index);
        end_line(w);
    }
}

/*
 * pj_dump ends its output, and all that has no end, at the time of the last line.  Weft
 * takes no line as the root's end.
 */
static void put_end(struct writer *w)
{
    begin_line(w, ONLY_OTHERS, PAJE_LINE_DESTROY);
    put_time(w, w->schema->span.end);
    fputs(" 0 0", w->stream);
    end_line(w);
}

/* ---- Entities ---- */

static void add_fields(struct writer *w, uint64_t entity)
{
    size_t n;
    const struct weft_field_value *fields = weft_entity_fields(&w->entities, entity, &n);
    w->lines.n_fields = 0;
    for (size_t i = 0; i < n; i++)
        paje_add_field(&w->lines, &fields[i], WEFT_NONE);
}

/* Returns the readers of the track's lines. */
static enum readers readers_of_track(const struct writer *w)
{
    const struct weft_schema *schema = w->schema;
    return w->refused[w->track->container]
                   || schema->types[w->track->type].parent
                          != schema->containers[w->track->container].type
               ? ONLY_WEFT
               : ALL;
}

/* Every line of an entity begins with id, time, container and type. */
static void begin_entity(struct writer *w, enum readers readers, uint32_t id, int64_t time)
{
    int64_t *latest = &w->latest[w->track->container];
    begin_line(w, readers, id);
    put_time(w, time);
    paje_put_id(&w->lines, 'c', w->track->container);
    paje_put_id(&w->lines, 't', w->track->type);
    if (readers != ONLY_WEFT && time > *latest)
        *latest = time;
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
        begin_entity(w, readers_of_track(w), PAJE_LINE_POP, state->end);
        end_line(w);
    }
}

/* Writes a state or an event, whose fields are added already. */
static void put_entity(struct writer *w, enum paje_line line, int64_t time, uint32_t value)
{
    enum readers readers = readers_of_track(w);
    begin_entity(w, readers, paje_shape(&w->lines, line), time);
    paje_put_value(&w->lines, value);
    paje_put_fields(&w->lines);
    end_line(w);
    w->counts.misplaced += readers == ONLY_WEFT;
}

static bool put_state(void *user, const struct weft_state *state)
{
    struct writer *w = user;
    close_states(w, state->depth, false);
    w->open = weft_grow(w->open, &w->open_capacity, w->n_open + 1, sizeof *w->open);
    w->open[w->n_open++] = *state;
    add_fields(w, state->id);
    put_entity(w, PAJE_LINE_PUSH, state->begin, state->value);
    return !ferror(w->stream);
}

static bool put_event(void *user, const struct weft_event *event)
{
    struct writer *w = user;
    add_fields(w, event->id);
    put_entity(w, PAJE_LINE_EVENT, event->time, event->value);
    return !ferror(w->stream);
}

static bool put_sample(void *user, const struct weft_sample *sample)
{
    struct writer *w = user;
    char number[32];
    if (!isfinite(sample->value)) { /* readers of Paje refuse such a line */
        w->counts.not_finite++;
        return true;
    }
    begin_entity(w, readers_of_track(w), PAJE_LINE_SET_VARIABLE, sample->begin);
    fprintf(w->stream, " %s", weft_real_text(sample->value, number));
    end_line(w);
    w->counts.misplaced += w->readers == ONLY_WEFT;
    return !ferror(w->stream);
}

/* ---- Links ---- */

static bool add_link(void *user, const struct weft_link *link)
{
    struct writer *w = user;
    w->links = weft_grow(w->links, &w->link_capacity, w->n_links + 1, sizeof *w->links);
    w->links[w->n_links++] = *link;
    return true;
}

static bool is_half(const struct weft_link *link)
{
    return link->from == WEFT_NONE || link->to == WEFT_NONE;
}

/*
 * Paje pairs the start of a link with the next end of the same key.  So half links are
 * written after all whole ones: before them, they would be paired with an end of a whole
 * link.  pj_dump wants the later ends of links in order of time.
 */
static int by_last_time(const void *a, const void *b)
{
    const struct weft_link *x = a, *y = b;
    int64_t x_last = x->begin > x->end ? x->begin : x->end;
    int64_t y_last = y->begin > y->end ? y->begin : y->end;
    if (is_half(x) != is_half(y))
        return is_half(x) ? 1 : -1;
    return x_last != y_last ? WEFT_COMPARE(x_last, y_last) : WEFT_COMPARE(x->id, y->id);
}

/* pj_dump refuses a link whose ends are not of the types that its own type has. */
static bool is_refused(const struct writer *w, const struct weft_link *link)
{
    const struct weft_schema *schema = w->schema;
    const struct weft_type *type = &schema->types[link->type];
    return is_half(link) || readers_of_track(w) == ONLY_WEFT || w->refused[link->from]
           || w->refused[link->to]
           || schema->containers[link->from].type != type->start_type
           || schema->containers[link->to].type != type->end_type;
}

enum { KEY_TEXT = 32 };

/* Returns the key of a link, made in MADE if it has none. */
static const char *key_of(const struct writer *w, const struct weft_link *link,
                          char made[KEY_TEXT])
{
    if (link->key < w->schema->n_strings)
        return w->schema->strings[link->key];
    snprintf(made, KEY_TEXT, PAJE_NO_KEY "%" PRIu64, link->id);
    return made;
}

static void put_link_end(struct writer *w, const struct weft_link *link,
                         enum readers readers, bool start, uint32_t id)
{
    begin_entity(w, readers, id, start ? link->begin : link->end);
    paje_put_value(&w->lines, link->value);
    paje_put_id(&w->lines, 'c', start ? link->from : link->to);
    char made[KEY_TEXT];
    if (readers == ONLY_OTHERS)
        fprintf(w->stream, " weft~%" PRIu64, link->id);
    else if (link->key < w->schema->n_strings)
        paje_put_text(&w->lines, key_of(w, link, made));
    else
        fprintf(w->stream, " %s", key_of(w, link, made));
    if (id >= PAJE_LINES)
        paje_put_fields(&w->lines);
    end_line(w);
}

/* The fields are in the line of the start, if there is one. */
static void put_link_ends(struct writer *w, const struct weft_link *link,
                          enum readers readers, uint32_t shape)
{
    bool end_first = link->end < link->begin;
    for (int i = 0; i < 2; i++) {
        bool start = (i == 0) != end_first;
        uint32_t plain = start ? PAJE_LINE_START_LINK : PAJE_LINE_END_LINK;
        if ((start ? link->from : link->to) == WEFT_NONE)
            continue;
        put_link_end(w, link, readers, start,
                     start || link->from == WEFT_NONE ? shape : plain);
    }
}

/* Returns true if the key is empty, or was that of an earlier link of the track. */
static bool is_bad_key(struct writer *w, const struct weft_link *link)
{
    char made[KEY_TEXT];
    const char *key = key_of(w, link, made);
    uint64_t hash = weft_hash(key, strlen(key));
    if (weft_id_map_get(&w->keys, hash) != WEFT_MAP_NONE)
        return true;
    weft_id_map_put(&w->keys, hash, 1);
    return !*key;
}

static void put_link(struct writer *w, const struct weft_link *link)
{
    add_fields(w, link->id);
    if (link->from_entity != WEFT_NO_ID)
        paje_add_field(&w->lines,
                       &(struct weft_field_value){ .field = PAJE_FROM_FIELD,
                                                   .entity = link->from_entity },
                       WEFT_NONE);
    if (link->to_entity != WEFT_NO_ID)
        paje_add_field(
            &w->lines,
            &(struct weft_field_value){ .field = PAJE_TO_FIELD, .entity = link->to_entity },
            WEFT_NONE);
    uint32_t shape = paje_shape(&w->lines, link->from == WEFT_NONE ? PAJE_LINE_END_LINK
                                                                   : PAJE_LINE_START_LINK);
    bool refused = is_refused(w, link);
    bool differ = !refused && is_bad_key(w, link);
    put_link_ends(w, link, refused || differ ? ONLY_WEFT : ALL, shape);
    if (differ)
        put_link_ends(w, link, ONLY_OTHERS, shape);
    w->counts.half += is_half(link);
    w->counts.misplaced += refused && !is_half(link);
}

static void put_links(struct writer *w, uint32_t track, struct weft_span span)
{
    w->n_links = 0;
    w->source->ops->links(w->source, track, span, add_link, w);
    if (w->n_links)
        qsort(w->links, w->n_links, sizeof *w->links, by_last_time);
    for (size_t i = 0; i < w->n_links && !ferror(w->stream); i++)
        put_link(w, &w->links[i]);
    weft_id_map_free(&w->keys);
}

/* ---- The trace ---- */

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

static bool count_state(void *user, const struct weft_state *state)
{
    uint64_t *n = user;
    return weft_entity_ordinal(state->id) == (*n)++;
}

static bool count_event(void *user, const struct weft_event *event)
{
    uint64_t *n = user;
    return weft_entity_ordinal(event->id) == (*n)++;
}

/*
 * An entity is named by its number on its track, which is that in the text only if no
 * earlier one was lost by damage.
 */
static void find_whole_tracks(struct writer *w)
{
    const struct weft_source_ops *ops = w->source->ops;
    struct weft_span all = { w->schema->span.begin, w->schema->span.end + 1 };
    for (uint32_t i = 0; i < w->schema->n_tracks; i++) {
        const struct weft_track *track = &w->schema->tracks[i];
        enum weft_kind kind = w->schema->types[track->type].kind;
        uint64_t n = 0;
        if (kind == WEFT_STATE)
            ops->states(w->source, i, all, count_state, &n);
        else if (kind == WEFT_EVENT)
            ops->events(w->source, i, all, count_event, &n);
        w->whole[i] = (kind == WEFT_STATE || kind == WEFT_EVENT) && n == track->count;
    }
}

static bool put_tracks(struct writer *w, struct weft_job *job, struct weft_err *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->schema->n_tracks && !ferror(w->stream); i++) {
        ok = weft_job_step(job, i, w->schema->n_tracks, err);
        if (ok)
            put_track(w, i);
    }
    return ok;
}

static void free_writer(struct writer *w)
{
    weft_entity_fields_end(&w->entities);
    paje_lines_end(&w->lines);
    free(w->open);
    free(w->links);
    free(w->whole);
    free(w->reordered);
    free(w->refused);
    free(w->latest);
    free(w);
}

bool weft_write_paje(const struct weft_source *source, FILE *stream, char **losses,
                     struct weft_job *job, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct writer *w = weft_zalloc(1, sizeof *w); /* too large for the stack */
    w->source = source;
    w->schema = schema;
    w->stream = stream;
    w->decimals = decimals_needed(schema);
    w->whole = weft_zalloc((size_t)schema->n_tracks + 1, sizeof *w->whole);
    w->reordered = weft_zalloc((size_t)schema->n_containers + 1, sizeof *w->reordered);
    w->refused = weft_zalloc((size_t)schema->n_containers + 1, sizeof *w->refused);
    w->latest = weft_zalloc((size_t)schema->n_containers + 1, sizeof *w->latest);
    weft_entity_fields_begin(&w->entities, source);
    find_whole_tracks(w);
    paje_lines_begin(&w->lines, schema, w->whole, stream);
    put_types(w);
    put_containers(w);
    bool ok = put_tracks(w, job, err);
    if (ok) {
        put_destructions(w);
        put_end(w);
    }
    w->counts.unnamed = w->lines.n_lost;
    w->counts.changed = w->lines.n_changed;
    if (losses)
        *losses = ok ? paje_losses(source, &w->counts) : NULL;
    free_writer(w);
    if (ok && (fflush(stream) != 0 || ferror(stream)))
        ok = weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the trace");
    return ok;
}
