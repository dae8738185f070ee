/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "store_ask.h"
#include "store_ask_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/roles/user_maps.h"
#include "store/entities_by_time.h"
#include "store/raw_time/raw_source.h"
#include "store/trace/trace.h"
#include "tests/random.h"

enum {
    FEW_TRACKS = 6,    /* that the questions about one track are asked of */
    MAX_COLUMNS = 300, /* of shares and envelopes */
};

/* ---- What is given to questions that call back ---- */

static bool see(void *user)
{
    return ++*(size_t *)user < SEEN_MAX;
}
static bool see_state(void *user, const struct weft_state *state)
{
    return state->begin <= state->end && see(user);
}
static bool see_event(void *user, const struct weft_event *event)
{
    return event->time != INT64_MIN && see(user);
}
static bool see_sample(void *user, const struct weft_sample *sample)
{
    return sample->begin <= sample->end && see(user);
}
static bool see_link(void *user, const struct weft_link *link)
{
    return link->type != WEFT_NONE && see(user);
}
static bool see_id(void *user, uint64_t id)
{
    return id != WEFT_NO_ID && see(user);
}
static bool see_run(void *user, const struct weft_field_run *run)
{
    for (size_t i = 1; i < run->n; i++)
        WEFT_REQUIRE(run->ordinals[i] > run->ordinals[i - 1], "ordinals of a run rise");
    return see(user);
}

int64_t some_time(const struct store_asker *asker)
{
    static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX, 0 };
    struct weft_span span = asker->schema->span;
    if (roll(8) == 0)
        return ends[roll(5)];
    uint64_t length = (uint64_t)span.end - (uint64_t)span.begin;
    return (int64_t)((uint64_t)span.begin
                     + roll(length < UINT64_MAX ? length + 1 : length));
}

static struct weft_span some_part(const struct store_asker *asker)
{
    int64_t a = some_time(asker), b = some_time(asker);
    if (roll(4) == 0)
        return asker->schema->span;
    return a < b ? (struct weft_span){ a, b } : (struct weft_span){ b, a };
}

uint64_t some_id(const struct store_asker *asker)
{
    const struct weft_schema *schema = asker->schema;
    if (!schema->n_tracks || roll(20) == 0)
        return roll(2) ? WEFT_NO_ID : roll(UINT64_MAX);
    uint32_t track = (uint32_t)roll(schema->n_tracks);
    uint64_t count = schema->tracks[track].count;
    return weft_entity_id(track, roll(10) && count ? roll(count) : roll(1 << 20));
}

/* ---- Tables ---- */

size_t text_length(const char *text)
{
    return strnlen(text, 1 << 20);
}

/* Everything that the schema names is there. */
static void read_schema(const struct weft_schema *schema)
{
    volatile size_t sum = text_length(schema->format);
    for (uint32_t i = 0; i < schema->n_types; i++)
        sum =
            sum + text_length(schema->types[i].name) + text_length(schema->types[i].alias);
    for (uint32_t i = 0; i < schema->n_values; i++)
        sum = sum + text_length(schema->values[i].name)
              + text_length(schema->types[schema->values[i].type].name);
    for (uint32_t i = 0; i < schema->n_strings; i++)
        sum = sum + text_length(schema->strings[i]);
    for (uint32_t i = 0; i < schema->n_problems; i++)
        sum = sum + text_length(schema->problems[i].message);
    for (uint32_t i = 0; i < schema->n_notes; i++)
        sum = sum + text_length(schema->notes[i].text);
    for (uint32_t i = 0; i < schema->n_sites; i++)
        sum = sum + text_length(schema->sites[i].file);
    for (uint32_t i = 0; i < schema->n_clocks; i++)
        sum = sum + schema->clocks[i].n_knots;
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        size_t n;
        const struct weft_field_value *facts = weft_container_facts(schema, i, &n);
        for (size_t f = 0; f < n; f++)
            sum = sum + facts[f].field;
        sum = sum + text_length(schema->containers[i].name);
        (void)weft_container_fact(schema, i, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
    }
    bool ambiguous;
    (void)weft_find_container(schema, "process/thread 1", &ambiguous);
}

/* ---- Questions ---- */

static void ask_state_track(const struct store_asker *asker, uint32_t t)
{
    const struct weft_source *source = asker->source;
    size_t n = 0, columns = 1 + roll(MAX_COLUMNS);
    struct weft_sum *sums = weft_zalloc(asker->schema->n_values, sizeof *sums);
    float *shares = weft_alloc(MAX_COLUMNS * WEFT_MAX_SLOTS * sizeof *shares);
    struct weft_state state;
    source->ops->states(source, t, some_part(asker), see_state, &n);
    source->ops->sums(source, &t, 1, some_part(asker), sums);
    /* Pictures ask within the span, or about as far beyond it as it is long. */
    struct weft_share_query query = { &t, 1, some_window(asker->schema->span), columns,
                                      shares };
    source->ops->shares(source, &query);
    for (int i = 0; i < 4; i++)
        (void)source->ops->state(source, some_id(asker), &state);
    free(sums);
    free(shares);
}

static void ask_track(const struct store_asker *asker, uint32_t t)
{
    const struct weft_source *source = asker->source;
    struct weft_envelope envelope[MAX_COLUMNS];
    struct weft_event event;
    struct weft_link link;
    size_t n = 0;
    source->ops->density(source, t, some_part(asker));
    switch (asker->schema->types[asker->schema->tracks[t].type].kind) {
    case WEFT_STATE: ask_state_track(asker, t); break;
    case WEFT_EVENT:
        source->ops->events(source, t, some_part(asker), see_event, &n);
        (void)source->ops->event(source, some_id(asker), &event);
        break;
    case WEFT_VARIABLE:
        source->ops->samples(source, t, some_part(asker), see_sample, &n);
        source->ops->envelope(source, t, some_window(asker->schema->span),
                              1 + roll(MAX_COLUMNS), envelope);
        break;
    case WEFT_LINK:
        source->ops->links(source, t, some_part(asker), see_link, &n);
        (void)source->ops->link(source, some_id(asker), &link);
        break;
    case WEFT_CONTAINER: break;
    }
    for (uint32_t f = 0; f < asker->schema->n_fields && f < 16; f++) {
        n = 0;
        source->ops->column(source, t, f, see_run, &n);
        source->ops->field_range(source, t, f, roll(50), roll(2000), see_run, &n);
    }
    struct weft_run *run = weft_alloc(sizeof *run);
    (void)source->ops->rank(source, t, some_time(asker));
    if (asker->schema->tracks[t].count)
        source->ops->run(source, t, roll(asker->schema->tracks[t].count), run);
    free(run);
}

static void ask_walk(const struct store_asker *asker, const uint32_t *tracks, size_t n)
{
    struct weft_walk walk;
    struct weft_entity entity;
    bool backward = roll(2);
    weft_walk_begin(&walk, asker->source, tracks, n, (unsigned)roll(32), some_time(asker),
                    backward);
    for (size_t i = 0; i < SEEN_MAX && weft_walk_next(&walk, &entity); i++)
        continue;
    weft_walk_end(&walk);
}

static bool take_changes(void *user, const struct weft_innermost_change *changes, size_t n)
{
    const struct store_asker *asker = user;
    for (size_t i = 0; i < n; i++)
        WEFT_REQUIRE(changes[i].value < asker->schema->n_values
                         || changes[i].value == WEFT_NONE,
                     "changes are of values");
    return roll(100) > 0;
}

static bool take_classes(void *user, const struct weft_class_run *run)
{
    (void)user;
    for (size_t i = 0; i < run->n; i++)
        WEFT_REQUIRE(run->classes[i] <= 3 && (!i || run->classes[i] != run->classes[i - 1])
                         && (!i || run->times[i] > run->times[i - 1]),
                     "classes change");
    return roll(100) > 0;
}

/* Questions about many tracks at once, TRACKS in order. */
static void ask_tracks(const struct store_asker *asker, const uint32_t *tracks, size_t n)
{
    const struct weft_source *source = asker->source;
    const struct weft_schema *schema = asker->schema;
    struct weft_innermost *at = weft_alloc((n + 1) * sizeof *at);
    struct weft_sum *sums = weft_zalloc(schema->n_values, sizeof *sums);
    struct weft_pair_sums pairs = { 0 };
    source->ops->values_at(source, tracks, n, some_time(asker), at);
    source->ops->sums(source, tracks, n, some_part(asker), sums);
    source->ops->pair_sums(source, tracks, n, some_part(asker), &pairs);
    for (size_t i = 0; i < pairs.n; i++)
        WEFT_REQUIRE(
            (pairs.rows[i].from < schema->n_containers || pairs.rows[i].from == WEFT_NONE)
                && (pairs.rows[i].to < schema->n_containers
                    || pairs.rows[i].to == WEFT_NONE),
            "pairs are of containers");
    source->ops->pairs_pending(source, tracks, n, some_time(asker), &pairs);
    uint32_t value = schema->n_values ? (uint32_t)roll(schema->n_values) : 0;
    struct weft_near_query query = {
        tracks, n, &value, roll(2), some_time(asker), roll(2)
    };
    (void)source->ops->near(source, &query);
    ask_walk(asker, tracks, n);
    uint8_t *passed_over = weft_zalloc((size_t)schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++)
        passed_over[v] = roll(2);
    for (size_t i = 0; i < n; i++)
        source->ops->changes(source, tracks[i], some_part(asker),
                             roll(2) ? passed_over : NULL, take_changes, (void *)asker);
    uint8_t *of = weft_zalloc((size_t)schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++)
        of[v] = (uint8_t)roll(3);
    const struct weft_classing classing = { of, 0, 3, roll(2) ? passed_over : NULL };
    int64_t ticks[WEFT_TALLIES] = { 0 };
    for (size_t i = 0; i < n; i++) {
        source->ops->classes(source, tracks[i], some_part(asker), &classing, take_classes,
                             (void *)asker);
        const struct weft_class_query of_class = { tracks[i], some_part(asker) };
        source->ops->class_ticks(source, &of_class, 1, &classing, &ticks);
    }
    free(of);
    free(passed_over);
    free(at);
    free(sums);
    free(pairs.rows);
}

/* Shares of a run of tracks of one type: groups have summaries of their own. */
static void ask_group_shares(const struct store_asker *asker)
{
    const struct weft_schema *schema = asker->schema;
    uint32_t *tracks = weft_alloc((schema->n_tracks + 1) * sizeof *tracks);
    uint32_t type = schema->n_types ? (uint32_t)roll(schema->n_types) : 0;
    struct weft_share_query query = { .tracks = tracks };
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].type == type)
            tracks[query.n_tracks++] = t;
    if (query.n_tracks && schema->types[type].kind == WEFT_STATE) {
        query.columns = 1 + roll(MAX_COLUMNS);
        query.window = some_window(schema->span);
        query.shares =
            weft_alloc(query.columns * schema->types[type].slots * sizeof *query.shares);
        asker->source->ops->shares(asker->source, &query);
        free(query.shares);
    }
    free(tracks);
}

static void ask_fields_and_links(const struct store_asker *asker)
{
    const struct weft_source *source = asker->source;
    struct weft_field_value values[8];
    size_t n = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t id = some_id(asker);
        size_t got = source->ops->fields(source, id, values, 8);
        for (size_t f = 0; f < got; f++)
            (void)source->ops->find(source, &values[f], see_id, &n);
        source->ops->links_of(source, id, roll(2), see_link, &n);
        source->ops->links_at(source, (uint32_t)roll(asker->schema->n_containers), roll(2),
                              some_part(asker), see_link, &n);
    }
    for (uint32_t f = 0; f < asker->schema->n_fields && f < 16; f++)
        (void)source->ops->find(
            source, &(struct weft_field_value){ f, { .integer = (int64_t)roll(50) } },
            see_id, &n);
}

static void ask_source(const struct store_asker *asker)
{
    uint32_t n_tracks = asker->schema->n_tracks;
    uint32_t *tracks = weft_alloc((n_tracks + 1) * sizeof *tracks);
    size_t n = 0;
    for (uint32_t t = 0; t < n_tracks && n < 64; t++)
        if (roll(4))
            tracks[n++] = t;
    for (int i = 0; n && i < FEW_TRACKS; i++)
        ask_track(asker, tracks[roll(n)]);
    ask_tracks(asker, tracks, n);
    ask_group_shares(asker);
    ask_fields_and_links(asker);
    free(tracks);
}

static void give_roles(struct weft_trace *trace)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    enum weft_role *none = weft_zalloc(1 + schema->n_types + schema->n_values
                                           + schema->n_fields + schema->n_containers,
                                       sizeof *none);
    struct weft_trace_roles roles = { none, none, none, none, "nowhere" };
    struct weft_err err;
    weft_trace_set_roles(trace, &roles);
    /* There is no such folder: it must say so, and leave nothing behind. */
    WEFT_REQUIRE(!weft_trace_save(trace, "/nonexistent/x.weft", &err), "saved");
    free(none);
}

/* Damage is of tracks and fields that are there. */
static void ask_damage(const struct store_asker *asker)
{
    struct weft_damage list[16];
    size_t n = asker->source->ops->damage(asker->source, 0, list, 16);
    for (size_t i = 0; i < n && i < 16; i++)
        WEFT_REQUIRE(
            (list[i].track < asker->schema->n_tracks || list[i].track == WEFT_NONE)
                && (list[i].field < asker->schema->n_fields || list[i].field == WEFT_NONE)
                && list[i].span.begin <= list[i].span.end,
            "damage is of what is there");
}

static void ask_all(const struct weft_source *source)
{
    struct weft_job job = { .cancelled = roll(30) == 0 };
    struct store_asker asker = { source, source->schema, &job };
    ask_source(&asker);
    ask_dag(&asker);
    ask_arrays(&asker);
    if (roll(3) == 0)
        ask_analyses(&asker);
    if (roll(6) == 0)
        ask_writers(&asker);
    ask_details(&asker);
    ask_views(&asker);
    ask_damage(&asker);
}

int store_ask(const uint8_t *data, size_t size)
{
    struct weft_err err;
    char path[64];
    int fd = memfd_create("store", MFD_CLOEXEC);
    WEFT_REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no memory for a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct weft_trace *trace = weft_trace_open(path, &err);
    close(fd);
    if (!trace)
        return 0;
    read_schema(weft_trace_schema(trace));
    if (roll(4) == 0)
        (void)weft_trace_verify(trace, NULL);
    ask_all(weft_trace_source(trace));
    if (roll(8) == 0) {
        struct weft_source *raw = weft_raw_time_new(weft_trace_source(trace));
        ask_all(raw);
        weft_raw_time_free(raw);
    }
    if (roll(16) == 0)
        give_roles(trace);
    weft_trace_close(trace);
    return 1;
}
