/* SPDX-License-Identifier: Apache-2.0 */
/* Hides and dims rows and things: what tables tell at once, and the sieve for the rest. */
#include <stdlib.h>
#include <string.h>

#include "filter/filtered_source_priv.h"

/* ---- Filters ---- */

/*
 * A copy of F as it is now, without hidden things: selections are compiled against it, and
 * read fields from it.  It lives in f->arena.
 */
static const struct weft_source *bare(struct filtered *f)
{
    struct filtered *copy = weft_arena_zalloc(&f->arena, 1, sizeof *copy);
    copy->below = f->below;
    copy->schema = f->schema;
    copy->source = (struct weft_source){ &filtered_ops, &copy->schema };
    return &copy->source;
}

struct weft_where *filter_where(struct filtered *f, uint32_t number, const char *text)
{
    struct weft_err err;
    struct weft_where *where = weft_where_new(bare(f), text, &err);
    if (!where)
        weft_filter_fail(f->err, number, "%s", err.message);
    return where;
}

static void take_track(struct filter_things *things, uint32_t track)
{
    things->tracks[track] = (struct filtered_track){ FILTER_HIDDEN, NULL };
}

/* Hides the containers of types, or the tracks of variables, that are like the text. */
static bool hide_types(struct filtered *f, const struct weft_filter_line *line)
{
    bool rows = line->verb == WEFT_FILTER_HIDE_ROWS, any = false;
    uint8_t *hidden = weft_zalloc((size_t)f->schema.n_containers + 1, 1);
    struct weft_arena arena = { 0 };
    const char *text = line->text;
    bool quoted;
    const char *pattern = weft_filter_next_name(&text, &quoted, &arena);
    for (uint32_t t = 0; pattern && t < f->schema.n_types; t++) {
        const struct weft_type *type = &f->schema.types[t];
        if (type->kind != (rows ? WEFT_CONTAINER : WEFT_VARIABLE)
            || !weft_where_like(pattern, type->name))
            continue;
        any = true;
        for (uint32_t c = 1; rows && c < f->schema.n_containers; c++)
            hidden[c] |= f->containers[c].type == t;
        for (uint32_t i = 0; !rows && i < f->schema.n_tracks; i++)
            if (f->schema.tracks[i].type == t)
                take_track(&f->hides, i);
    }
    weft_arena_free(&arena);
    if (rows && any) {
        for (uint32_t p = 1; p < f->schema.n_containers; p++) {
            uint32_t c = f->schema.preorder[p];
            hidden[c] |= hidden[f->containers[c].parent];
        }
        filter_rows_hide(f, hidden);
    }
    free(hidden);
    return any
           || weft_filter_fail(f->err, line->number, "no type of %s is called so: %.100s",
                               rows ? "rows" : "variables", line->text);
}

/* Adds the things of WHERE, which is about rows alone: all of ROWS. */
static void take_rows(const struct filtered *f, struct filter_things *things,
                      const uint8_t *rows)
{
    for (uint32_t t = 0; t < f->schema.n_tracks; t++)
        if (rows[f->schema.tracks[t].container]
            && f->schema.types[f->schema.tracks[t].type].kind != WEFT_LINK)
            take_track(things, t);
    for (uint32_t c = 0; c < f->below->schema->n_containers; c++)
        things->ends[c] |= rows[c];
}

/* Adds what LINE selects to THINGS; sets *ROWS_TOO if it is about rows alone: to ROWS. */
static bool take_things(struct filtered *f, const struct weft_filter_line *line,
                        struct filter_things *things, uint8_t *rows, bool *rows_too)
{
    struct weft_where *where = filter_where(f, line->number, line->text);
    if (!where)
        return false;
    *rows_too = weft_where_rows(where, rows);
    if (*rows_too) {
        take_rows(f, things, rows);
        weft_where_free(where);
        return true;
    }
    things->list =
        weft_realloc(things->list, (things->n + 1) * sizeof(struct weft_where *));
    things->list[things->n++] = where;
    return true;
}

bool filter_hide(struct filtered *f, const struct weft_filter_line *line)
{
    if (line->verb != WEFT_FILTER_HIDE)
        return hide_types(f, line);
    bool rows_too = false;
    uint8_t *rows = weft_zalloc((size_t)f->schema.n_containers + 1, 1);
    bool ok = take_things(f, line, &f->hides, rows, &rows_too);
    if (rows_too) /* rows that stay for what is below them lose what they have themselves */
        filter_rows_hide(f, rows);
    free(rows);
    return ok;
}

bool filter_dim(struct filtered *f, const struct weft_filter_line *line)
{
    bool rows_too;
    uint8_t *rows = weft_zalloc((size_t)f->schema.n_containers + 1, 1);
    bool ok = take_things(f, line, &f->dims, rows, &rows_too);
    free(rows);
    return ok;
}

/* ---- Tables of tracks ---- */

/* A table of hidden or dimmed values that tracks of one type and alike rows share. */
struct value_table {
    struct value_table *next;
    uint32_t type;
    const uint64_t *row_classes; /* [things->n] */
    struct filtered_track track;
};

struct table_maker {
    struct filtered *f;
    struct filter_things *things;
    struct value_table **of_type;       /* by type */
    uint32_t *first_value, *next_value; /* lists of the values of each type */
    uint64_t *row_classes;
};

static void list_values(struct table_maker *m)
{
    const struct weft_schema *schema = &m->f->schema;
    m->first_value = weft_alloc((schema->n_types + 1) * sizeof *m->first_value);
    m->next_value = weft_alloc(((size_t)schema->n_values + 1) * sizeof *m->next_value);
    for (uint32_t t = 0; t < schema->n_types; t++)
        m->first_value[t] = WEFT_NONE;
    for (uint32_t v = schema->n_values; v-- > 0;) {
        m->next_value[v] = m->first_value[schema->values[v].type];
        m->first_value[schema->values[v].type] = v;
    }
}

/* Adds what one selection means on a track to TABLE; returns how much of it that is. */
static enum filter_track add_selected(const struct table_maker *m, size_t i, uint32_t track,
                                      uint8_t *table)
{
    const struct weft_where *where = m->things->list[i];
    uint32_t n_values = m->f->schema.n_values;
    enum weft_where_answer answer = weft_where_of_track(where, track);
    enum filter_track mode = FILTER_SHOWN;
    if (answer != WEFT_WHERE_SOMETIMES)
        return answer == WEFT_WHERE_ALWAYS ? FILTER_HIDDEN : FILTER_SHOWN;
    for (uint32_t v = m->first_value[m->f->schema.tracks[track].type];;
         v = m->next_value[v]) {
        answer = weft_where_of_value(where, track, v);
        if (answer == WEFT_WHERE_SOMETIMES)
            mode = FILTER_BY_ENTITY;
        else if (answer == WEFT_WHERE_ALWAYS) {
            table[v == WEFT_NONE ? n_values : v] = 1;
            mode = mode > FILTER_BY_VALUE ? mode : FILTER_BY_VALUE;
        }
        if (v == WEFT_NONE)
            return mode;
    }
}

static struct filtered_track make_table(const struct table_maker *m, uint32_t track)
{
    struct filtered *f = m->f;
    uint8_t *table = weft_arena_zalloc(&f->arena, (size_t)f->schema.n_values + 1, 1);
    struct filtered_track out = { FILTER_SHOWN, table };
    for (size_t i = 0; i < m->things->n; i++) {
        enum filter_track mode = add_selected(m, i, track, table);
        out.mode = mode > out.mode ? mode : out.mode;
    }
    uint32_t v = m->first_value[f->schema.tracks[track].type];
    bool all = table[f->schema.n_values]
               || f->schema.types[f->schema.tracks[track].type].kind == WEFT_STATE;
    for (; all && v != WEFT_NONE; v = m->next_value[v])
        all = table[v];
    if (all && out.mode != FILTER_SHOWN)
        out.mode = FILTER_HIDDEN;
    return out;
}

static struct filtered_track table_of(struct table_maker *m, uint32_t track)
{
    struct filtered *f = m->f;
    uint32_t type = f->schema.tracks[track].type, row = f->schema.tracks[track].container;
    const struct filter_things *things = m->things;
    size_t size = things->n * sizeof *m->row_classes;
    bool is_link = f->schema.types[type].kind == WEFT_LINK;
    for (size_t i = 0; i < things->n; i++)
        m->row_classes[i] = is_link ? 0 : weft_where_row_class(things->list[i], row);
    for (const struct value_table *t = m->of_type[type]; t; t = t->next)
        if (memcmp(t->row_classes, m->row_classes, size) == 0)
            return t->track;
    struct value_table *t = weft_arena_zalloc(&f->arena, 1, sizeof *t);
    uint64_t *classes = weft_arena_alloc(&f->arena, size + 1);
    memcpy(classes, m->row_classes, size);
    *t = (struct value_table){ m->of_type[type], type, classes, make_table(m, track) };
    m->of_type[type] = t;
    return t->track;
}

/* Values that are hidden on all tracks take no time, so legends leave them out. */
static void forget_hidden_values(struct filtered *f, const struct table_maker *m)
{
    for (uint32_t type = 0; type < f->schema.n_types; type++)
        for (uint32_t v = m->first_value[type]; v != WEFT_NONE; v = m->next_value[v]) {
            bool hidden = m->of_type[type] != NULL;
            for (const struct value_table *t = m->of_type[type]; t && hidden; t = t->next)
                hidden = t->track.mode == FILTER_HIDDEN
                         || (t->track.mode != FILTER_SHOWN && t->track.values[v]);
            if (hidden)
                filter_values(f)[v].self_ticks = 0;
        }
}

static void make_tables(struct filtered *f, struct filter_things *things)
{
    struct table_maker m = { .f = f, .things = things };
    struct weft_track *tracks = f->changed_tracks;
    m.of_type = weft_zalloc((size_t)f->schema.n_types + 1, sizeof *m.of_type);
    m.row_classes = weft_zalloc(things->n + 1, sizeof *m.row_classes);
    list_values(&m);
    for (uint32_t t = 0; t < f->schema.n_tracks; t++)
        if (tracks[t].count && things->tracks[t].mode != FILTER_HIDDEN)
            things->tracks[t] = table_of(&m, t);
    if (things == &f->hides)
        forget_hidden_values(f, &m);
    free(m.of_type);
    free(m.row_classes);
    free(m.first_value);
    free(m.next_value);
}

static void subtract(struct weft_schema *schema, enum weft_kind kind, uint64_t count)
{
    switch (kind) {
    case WEFT_STATE: schema->n_states -= count; break;
    case WEFT_EVENT: schema->n_events -= count; break;
    case WEFT_VARIABLE: schema->n_samples -= count; break;
    case WEFT_LINK: schema->n_links -= count; break;
    case WEFT_CONTAINER: break;
    }
}

static void begin_things(struct filtered *f, struct filter_things *things)
{
    things->tracks =
        weft_arena_zalloc(&f->arena, f->schema.n_tracks + 1, sizeof *things->tracks);
    things->ends = weft_arena_zalloc(&f->arena, f->schema.n_containers + 1, 1);
}

void filter_tracks_begin(struct filtered *f)
{
    uint32_t n = f->schema.n_tracks;
    f->changed_tracks = weft_arena_alloc(&f->arena, (n + 1) * sizeof *f->changed_tracks);
    memcpy(f->changed_tracks, f->below->schema->tracks, n * sizeof *f->changed_tracks);
    f->schema.tracks = f->changed_tracks;
    begin_things(f, &f->hides);
    begin_things(f, &f->dims);
}

/* Makes the tables of THINGS; links are looked at one by one if some end is theirs. */
static void finish_things(struct filtered *f, struct filter_things *things)
{
    bool any_ends = false;
    for (uint32_t c = 0; c < f->below->schema->n_containers; c++)
        any_ends |= things->ends[c];
    if (things->n)
        make_tables(f, things);
    for (uint32_t t = 0; any_ends && t < f->schema.n_tracks; t++)
        if (f->schema.types[f->changed_tracks[t].type].kind == WEFT_LINK
            && things->tracks[t].mode < FILTER_BY_ENTITY)
            things->tracks[t].mode = FILTER_BY_ENTITY;
}

/* Sets schema.dimmed if anything is dimmed. */
static void tell_dimmed(struct filtered *f)
{
    static const uint8_t dimming[] = { [FILTER_SHOWN] = WEFT_DIMS_NOTHING,
                                       [FILTER_BY_VALUE] = WEFT_DIMS_SOME,
                                       [FILTER_BY_ENTITY] = WEFT_DIMS_SOME,
                                       [FILTER_HIDDEN] = WEFT_DIMS_ALL };
    uint8_t *dimmed = weft_arena_alloc(&f->arena, (size_t)f->schema.n_tracks + 1);
    bool any = false;
    for (uint32_t t = 0; t < f->schema.n_tracks; t++) {
        dimmed[t] = dimming[f->dims.tracks[t].mode];
        any |= dimmed[t];
    }
    if (any)
        f->schema.dimmed = dimmed;
    else
        f->dims.tracks = NULL;
}

void filter_tracks_finish(struct filtered *f)
{
    for (uint32_t c = 0; c < f->below->schema->n_containers; c++)
        f->hides.ends[c] |= f->gone[c];
    for (uint32_t t = 0; t < f->schema.n_tracks; t++)
        if (f->gone[f->changed_tracks[t].container])
            take_track(&f->hides, t);
    finish_things(f, &f->hides);
    finish_things(f, &f->dims);
    tell_dimmed(f);
    for (uint32_t t = 0; t < f->schema.n_tracks; t++) {
        struct weft_track *track = &f->changed_tracks[t];
        if (f->hides.tracks[t].mode != FILTER_HIDDEN)
            continue;
        subtract(&f->schema, f->schema.types[track->type].kind, track->count);
        track->count = 0;
        track->begin = 0;
        track->end = -1;
    }
}

/* ---- The sieve ---- */

void filter_sieve_begin(struct filter_sieve *sieve, const struct filtered *f,
                        const struct filter_things *things, uint32_t track)
{
    *sieve = (struct filter_sieve){ .f = f, .things = things, .track = track };
    if (track == WEFT_NONE || !things->tracks || !things->n
        || things->tracks[track].mode != FILTER_BY_ENTITY)
        return;
    sieve->askers = weft_alloc(things->n * sizeof(struct weft_where_asker *));
    for (size_t i = 0; i < things->n; i++)
        if (weft_where_of_track(things->list[i], track) == WEFT_WHERE_SOMETIMES)
            sieve->askers[sieve->n++] = weft_where_ask(
                &(struct weft_where_query){ .where = things->list[i] }, track);
}

void filter_sieve_end(struct filter_sieve *sieve)
{
    for (size_t i = 0; i < sieve->n; i++)
        weft_where_end_asker(sieve->askers[i]);
    free(sieve->askers);
    sieve->askers = NULL;
    sieve->n = 0;
}

static bool is_end(const struct filter_things *things, uint32_t end)
{
    return end != WEFT_NONE && things->ends[end];
}

static enum filter_track mode_of(const struct filter_things *things, uint32_t track)
{
    return things->tracks ? things->tracks[track].mode : FILTER_SHOWN;
}

bool filter_holds_thing(struct filter_sieve *sieve, const struct weft_thing *thing)
{
    const struct filtered *f = sieve->f;
    const struct filter_things *things = sieve->things;
    enum filter_track mode = mode_of(things, thing->track);
    if (mode == FILTER_SHOWN || mode == FILTER_HIDDEN)
        return mode == FILTER_HIDDEN;
    const uint8_t *values = things->tracks[thing->track].values;
    if (values && values[thing->value == WEFT_NONE ? f->schema.n_values : thing->value])
        return true;
    if (mode == FILTER_BY_VALUE)
        return false;
    if (is_end(things, thing->from) || is_end(things, thing->to))
        return true;
    if (sieve->track != thing->track) {
        filter_sieve_end(sieve);
        filter_sieve_begin(sieve, f, things, thing->track);
    }
    for (size_t i = 0; i < sieve->n; i++)
        if (weft_where_holds(sieve->askers[i], thing))
            return true;
    return false;
}

bool filter_holds_state(struct filter_sieve *sieve, const struct weft_state *state)
{
    return filter_holds_thing(sieve,
                              &(struct weft_thing){ state->id, state->begin, state->end,
                                                    weft_entity_track(state->id),
                                                    state->value, WEFT_NONE, WEFT_NONE });
}

bool filter_holds_event(struct filter_sieve *sieve, const struct weft_event *event)
{
    return filter_holds_thing(sieve,
                              &(struct weft_thing){ event->id, event->time, event->time,
                                                    weft_entity_track(event->id),
                                                    event->value, WEFT_NONE, WEFT_NONE });
}

bool filter_holds_link(struct filter_sieve *sieve, const struct weft_link *link)
{
    return filter_holds_thing(sieve,
                              &(struct weft_thing){ link->id, link->begin, link->end,
                                                    weft_entity_track(link->id),
                                                    link->value, link->from, link->to });
}

bool filter_holds_id(struct filter_sieve *sieve, uint64_t id)
{
    const struct weft_source *below = sieve->f->below;
    uint32_t track = weft_entity_track(id);
    if (track >= sieve->f->schema.n_tracks)
        return false;
    enum filter_track mode = mode_of(sieve->things, track);
    if (mode == FILTER_SHOWN || mode == FILTER_HIDDEN)
        return mode == FILTER_HIDDEN;
    struct weft_state state;
    struct weft_event event;
    struct weft_link link;
    switch (sieve->f->schema.types[sieve->f->schema.tracks[track].type].kind) {
    case WEFT_STATE:
        return below->ops->state(below, id, &state) && filter_holds_state(sieve, &state);
    case WEFT_EVENT:
        return below->ops->event(below, id, &event) && filter_holds_event(sieve, &event);
    case WEFT_LINK:
        return below->ops->link(below, id, &link) && filter_holds_link(sieve, &link);
    case WEFT_VARIABLE:
    case WEFT_CONTAINER: break;
    }
    return false;
}
