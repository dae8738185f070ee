/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "store_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyse/lifetime.h"
#include "analyse/locks.h"
#include "analyse/relevance.h"
#include "analyse/work_span.h"
#include "array/advise.h"
#include "dag/dag.h"
#include "draw/draw.h"
#include "model/graph.h"
#include "model/tree.h"
#include "read/roles/maps.h"
#include "store/raw_time.h"
#include "store/time.h"
#include "store/trace.h"
#include "store/walk.h"
#include "tests/sweep/roll.h"
#include "tests/sweep/scene_check.h"
#include "tests/sweep/shots.h"
#include "view/damage.h"
#include "write/ddv.h"
#include "write/picl.h"
#include "write/write.h"

enum {
    FEW_TRACKS = 6,        /* that the questions about one track are asked of */
    SEEN_MOST = 4000,      /* entities taken from one answer */
    MOST_COLUMNS = 300,    /* of shares and envelopes */
    PICTURES = 2,          /* of views that the store fills */
    PICTURE_WIDTH = 700,   /* pixels at most: larger pictures take no other way ... */
    PICTURE_HEIGHT = 500,  /* ... through the code, and more time */
    PLAYED_PIXELS = 40000, /* at most in a picture that a back end draws */
};

struct asking {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_job *job;
};

/* ---- What is given to questions that call back ---- */

static bool see(void *user)
{
    return ++*(size_t *)user < SEEN_MOST;
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

static int64_t some_time(const struct asking *ask)
{
    static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX, 0 };
    struct weft_span span = ask->schema->span;
    if (roll(8) == 0)
        return ends[roll(5)];
    uint64_t length = (uint64_t)span.end - (uint64_t)span.begin;
    return (int64_t)((uint64_t)span.begin
                     + roll(length < UINT64_MAX ? length + 1 : length));
}

static struct weft_span some_part(const struct asking *ask)
{
    int64_t a = some_time(ask), b = some_time(ask);
    if (roll(4) == 0)
        return ask->schema->span;
    return a < b ? (struct weft_span){ a, b } : (struct weft_span){ b, a };
}

static uint64_t some_id(const struct asking *ask)
{
    const struct weft_schema *schema = ask->schema;
    if (!schema->n_tracks || roll(20) == 0)
        return roll(2) ? WEFT_NO_ID : roll(UINT64_MAX);
    uint32_t track = (uint32_t)roll(schema->n_tracks);
    uint64_t count = schema->tracks[track].count;
    return weft_entity_id(track, roll(10) && count ? roll(count) : roll(1 << 20));
}

/* ---- Tables ---- */

static size_t length_of(const char *text)
{
    return strnlen(text, 1 << 20);
}

/* Everything that the schema names is there. */
static void read_schema(const struct weft_schema *schema)
{
    volatile size_t sum = length_of(schema->format);
    for (uint32_t i = 0; i < schema->n_types; i++)
        sum = sum + length_of(schema->types[i].name) + length_of(schema->types[i].alias);
    for (uint32_t i = 0; i < schema->n_values; i++)
        sum = sum + length_of(schema->values[i].name)
              + length_of(schema->types[schema->values[i].type].name);
    for (uint32_t i = 0; i < schema->n_strings; i++)
        sum = sum + length_of(schema->strings[i]);
    for (uint32_t i = 0; i < schema->n_problems; i++)
        sum = sum + length_of(schema->problems[i].message);
    for (uint32_t i = 0; i < schema->n_notes; i++)
        sum = sum + length_of(schema->notes[i].text);
    for (uint32_t i = 0; i < schema->n_sites; i++)
        sum = sum + length_of(schema->sites[i].file);
    for (uint32_t i = 0; i < schema->n_clocks; i++)
        sum = sum + schema->clocks[i].n_knots;
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        size_t n;
        const struct weft_field_value *facts = weft_container_facts(schema, i, &n);
        for (size_t f = 0; f < n; f++)
            sum = sum + facts[f].field;
        sum = sum + length_of(schema->containers[i].name);
        (void)weft_container_fact(schema, i, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
    }
    bool ambiguous;
    (void)weft_find_container(schema, "process/thread 1", &ambiguous);
}

/* ---- Questions ---- */

static void ask_state_track(const struct asking *ask, uint32_t t)
{
    const struct weft_source *source = ask->source;
    size_t n = 0, columns = 1 + roll(MOST_COLUMNS);
    struct weft_sum *sums = weft_zalloc(ask->schema->n_values, sizeof *sums);
    float *shares = weft_alloc(MOST_COLUMNS * WEFT_MOST_SLOTS * sizeof *shares);
    struct weft_state state;
    source->ops->states(source, t, some_part(ask), see_state, &n);
    source->ops->sums(source, &t, 1, some_part(ask), sums);
    /* Pictures ask within the span, or about as far beyond it as it is long. */
    struct weft_share_query query = { &t, 1, some_window(ask->schema->span), columns,
                                      shares };
    source->ops->shares(source, &query);
    for (int i = 0; i < 4; i++)
        (void)source->ops->state(source, some_id(ask), &state);
    free(sums);
    free(shares);
}

static void ask_track(const struct asking *ask, uint32_t t)
{
    const struct weft_source *source = ask->source;
    struct weft_envelope envelope[MOST_COLUMNS];
    struct weft_event event;
    struct weft_link link;
    size_t n = 0;
    source->ops->density(source, t, some_part(ask));
    switch (ask->schema->types[ask->schema->tracks[t].type].kind) {
    case WEFT_STATE: ask_state_track(ask, t); break;
    case WEFT_EVENT:
        source->ops->events(source, t, some_part(ask), see_event, &n);
        (void)source->ops->event(source, some_id(ask), &event);
        break;
    case WEFT_VARIABLE:
        source->ops->samples(source, t, some_part(ask), see_sample, &n);
        source->ops->envelope(source, t, some_window(ask->schema->span),
                              1 + roll(MOST_COLUMNS), envelope);
        break;
    case WEFT_LINK:
        source->ops->links(source, t, some_part(ask), see_link, &n);
        (void)source->ops->link(source, some_id(ask), &link);
        break;
    case WEFT_CONTAINER: break;
    }
    for (uint32_t f = 0; f < ask->schema->n_fields && f < 16; f++) {
        n = 0;
        source->ops->column(source, t, f, see_run, &n);
        source->ops->field_range(source, t, f, roll(50), roll(2000), see_run, &n);
    }
    struct weft_run *run = weft_alloc(sizeof *run);
    (void)source->ops->rank(source, t, some_time(ask));
    if (ask->schema->tracks[t].count)
        source->ops->run(source, t, roll(ask->schema->tracks[t].count), run);
    free(run);
}

static void ask_walk(const struct asking *ask, const uint32_t *tracks, size_t n)
{
    struct weft_walk walk;
    struct weft_entity entity;
    bool backward = roll(2);
    weft_walk_begin(&walk, ask->source, tracks, n, (unsigned)roll(32), some_time(ask),
                    backward);
    for (size_t i = 0; i < SEEN_MOST && weft_walk_next(&walk, &entity); i++)
        continue;
    weft_walk_end(&walk);
}

static bool take_changes(void *user, const struct weft_innermost_change *changes, size_t n)
{
    const struct asking *ask = user;
    for (size_t i = 0; i < n; i++)
        WEFT_REQUIRE(changes[i].value < ask->schema->n_values
                         || changes[i].value == WEFT_NONE,
                     "changes are of values");
    return roll(100) > 0;
}

static bool take_classes(void *user, const struct weft_class_run *run)
{
    (void)user;
    for (size_t i = 0; i < run->n; i++)
        WEFT_REQUIRE(run->classes[i] < 3 && (!i || run->classes[i] != run->classes[i - 1])
                         && (!i || run->times[i] > run->times[i - 1]),
                     "classes change");
    return roll(100) > 0;
}

/* Questions about many tracks at once, TRACKS in order. */
static void ask_tracks(const struct asking *ask, const uint32_t *tracks, size_t n)
{
    const struct weft_source *source = ask->source;
    const struct weft_schema *schema = ask->schema;
    struct weft_innermost *at = weft_alloc((n + 1) * sizeof *at);
    struct weft_sum *sums = weft_zalloc(schema->n_values, sizeof *sums);
    struct weft_pair_sums pairs = { 0 };
    source->ops->values_at(source, tracks, n, some_time(ask), at);
    source->ops->sums(source, tracks, n, some_part(ask), sums);
    source->ops->pair_sums(source, tracks, n, some_part(ask), &pairs);
    for (size_t i = 0; i < pairs.n; i++)
        WEFT_REQUIRE(
            (pairs.rows[i].from < schema->n_containers || pairs.rows[i].from == WEFT_NONE)
                && (pairs.rows[i].to < schema->n_containers
                    || pairs.rows[i].to == WEFT_NONE),
            "pairs are of containers");
    source->ops->pairs_pending(source, tracks, n, some_time(ask), &pairs);
    uint32_t value = schema->n_values ? (uint32_t)roll(schema->n_values) : 0;
    struct weft_near_query query = { tracks, n, &value, roll(2), some_time(ask), roll(2) };
    (void)source->ops->near(source, &query);
    ask_walk(ask, tracks, n);
    uint8_t *passed_over = weft_zalloc((size_t)schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++)
        passed_over[v] = roll(2);
    for (size_t i = 0; i < n; i++)
        source->ops->changes(source, tracks[i], some_part(ask),
                             roll(2) ? passed_over : NULL, take_changes, (void *)ask);
    uint8_t *of = weft_zalloc((size_t)schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++)
        of[v] = (uint8_t)roll(3);
    const struct weft_classing classing = { of, 0, roll(2) ? passed_over : NULL };
    int64_t ticks[WEFT_TALLIES] = { 0 };
    for (size_t i = 0; i < n; i++) {
        source->ops->classes(source, tracks[i], some_part(ask), &classing, take_classes,
                             (void *)ask);
        const struct weft_class_query of_class = { tracks[i], some_part(ask) };
        source->ops->class_ticks(source, &of_class, 1, &classing, &ticks);
    }
    free(of);
    free(passed_over);
    free(at);
    free(sums);
    free(pairs.rows);
}

/* Shares of a run of tracks of one type: groups have summaries of their own. */
static void ask_group_shares(const struct asking *ask)
{
    const struct weft_schema *schema = ask->schema;
    uint32_t *tracks = weft_alloc((schema->n_tracks + 1) * sizeof *tracks);
    uint32_t type = schema->n_types ? (uint32_t)roll(schema->n_types) : 0;
    struct weft_share_query query = { .tracks = tracks };
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].type == type)
            tracks[query.n_tracks++] = t;
    if (query.n_tracks && schema->types[type].kind == WEFT_STATE) {
        query.columns = 1 + roll(MOST_COLUMNS);
        query.window = some_window(schema->span);
        query.shares =
            weft_alloc(query.columns * schema->types[type].slots * sizeof *query.shares);
        ask->source->ops->shares(ask->source, &query);
        free(query.shares);
    }
    free(tracks);
}

static void ask_fields_and_links(const struct asking *ask)
{
    const struct weft_source *source = ask->source;
    struct weft_field_value values[8];
    size_t n = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t id = some_id(ask);
        size_t got = source->ops->fields(source, id, values, 8);
        for (size_t f = 0; f < got; f++)
            (void)source->ops->find(source, &values[f], see_id, &n);
        source->ops->links_of(source, id, roll(2), see_link, &n);
        source->ops->links_at(source, (uint32_t)roll(ask->schema->n_containers), roll(2),
                              some_part(ask), see_link, &n);
    }
    for (uint32_t f = 0; f < ask->schema->n_fields && f < 16; f++)
        (void)source->ops->find(
            source, &(struct weft_field_value){ f, { .integer = (int64_t)roll(50) } },
            see_id, &n);
}

static void ask_source(const struct asking *ask)
{
    uint32_t n_tracks = ask->schema->n_tracks;
    uint32_t *tracks = weft_alloc((n_tracks + 1) * sizeof *tracks);
    size_t n = 0;
    for (uint32_t t = 0; t < n_tracks && n < 64; t++)
        if (roll(4))
            tracks[n++] = t;
    for (int i = 0; n && i < FEW_TRACKS; i++)
        ask_track(ask, tracks[roll(n)]);
    ask_tracks(ask, tracks, n);
    ask_group_shares(ask);
    ask_fields_and_links(ask);
    free(tracks);
}

/* ---- Analyses and writers ---- */

static void ask_graph(const struct asking *ask)
{
    struct weft_err err;
    struct weft_graph *graph =
        weft_graph_fills(ask->source) ? weft_graph_read(ask->source, ask->job, &err) : NULL;
    struct weft_work_span span;
    if (!graph)
        return;
    if (weft_work_span(graph, WEFT_WORK_IN_TICKS, ask->job, &span, &err))
        weft_work_span_free(&span);
    for (int i = 0; i < 20; i++) {
        uint32_t n, node = graph->tree->n ? (uint32_t)roll(graph->tree->n) : 0;
        (void)weft_graph_node(graph, some_id(ask));
        (void)(weft_graph_end(graph, node) >= weft_graph_begin(graph, node));
        (void)weft_graph_work(graph, node);
        (void)weft_graph_out(graph, node, &n);
        (void)weft_graph_in(graph, node, &n);
    }
    uint32_t *same = weft_tree_match(graph->tree, graph->tree, ask->job, &err);
    free(same);
    weft_graph_free(graph);
}

static void analyse(const struct asking *ask)
{
    struct weft_err err;
    struct weft_locks locks;
    struct weft_arena arena = { 0 };
    struct weft_relevance relevance;
    if (weft_locks_read(ask->source, (uint32_t)roll(ask->schema->n_containers),
                        some_window(ask->schema->span), ask->job, &locks, &err))
        weft_locks_free(&locks);
    (void)!weft_relevance(ask->source, &arena, ask->job, &relevance, &err);
    for (uint32_t t = 0; t < ask->schema->n_tracks; t++)
        (void)weft_track_lifetime(ask->schema, t, some_window(ask->schema->span));
    weft_arena_free(&arena);
    ask_graph(ask);
}

/* What a node says keeps what dag.h promises. */
static void check_node(const struct weft_dag *dag, uint32_t i,
                       const struct weft_dag_node *node)
{
    uint32_t n = weft_dag_size(dag);
    WEFT_REQUIRE(
        (unsigned)node->kind < WEFT_DAG_KINDS && (unsigned)node->in_edge < WEFT_DAG_EDGES
            && (i ? node->parent < i : node->parent == WEFT_NONE)
            && (!node->n || (node->first > i && node->n <= n - node->first))
            && (node->created == WEFT_NONE || (node->created > i && node->created < n)),
        "the place of node %u", i);
    WEFT_REQUIRE(weft_time_fits(node->begin) && weft_time_fits(node->end)
                     && node->end >= node->begin && node->first_ready <= node->begin
                     && node->last_start >= node->begin && node->work >= 0
                     && node->critical_path >= 0 && node->earliest >= 0,
                 "the times of node %u", i);
}

/* What is known of tasks without nodes: each row, or as many as show what rows may be. */
static void ask_tasks(const struct weft_dag *dag, const struct weft_schema *schema)
{
    enum { MOST = 1000 };
    for (uint64_t r = 0; r < weft_dag_tasks_rows(dag) && r < MOST; r++) {
        struct weft_dag_tasks tasks;
        weft_dag_tasks_row(dag, r, &tasks);
        WEFT_REQUIRE(tasks.site == WEFT_NONE || tasks.site < schema->n_sites,
                     "a site of tasks");
        WEFT_REQUIRE(tasks.work >= 0 && tasks.smallest >= 0
                         && tasks.largest >= tasks.smallest && tasks.count >> 62 == 0
                         && tasks.stolen >> 62 == 0,
                     "what tasks are");
    }
}

/* From the root to the next node in its section, else of a parent: each is met at most once. */
static void walk_dag(const struct weft_dag *dag)
{
    uint32_t at = 0, steps = 0;
    for (;;) {
        struct weft_dag_node node, parent;
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        weft_dag_node(dag, at, &node);
        check_node(dag, at, &node);
        WEFT_REQUIRE(++steps <= weft_dag_size(dag), "the walk does not end");
        for (size_t i = weft_dag_successors(dag, at, arcs); i-- > 0;)
            WEFT_REQUIRE(arcs[i].to < weft_dag_size(dag), "an edge leads out");
        if (node.n || node.created != WEFT_NONE) {
            at = node.n ? node.first : node.created;
            continue;
        }
        for (bool found = false; !found;) {
            if (at == 0)
                return;
            weft_dag_shape(dag, at, &node);
            weft_dag_shape(dag, node.parent, &parent);
            found = parent.n && at - parent.first < parent.n - 1;
            at = found ? at + 1 : node.parent;
        }
    }
}

static void ask_dag(const struct asking *ask)
{
    struct weft_err err;
    struct weft_dag *dag =
        weft_dag_fills(ask->source) ? weft_dag_open(ask->source, &err) : NULL;
    if (!dag)
        return;
    uint32_t n = weft_dag_size(dag);
    for (int i = 0; i < 40; i++) {
        uint32_t node = (uint32_t)roll(n);
        struct weft_dag_node is;
        weft_dag_node(dag, node, &is);
        check_node(dag, node, &is);
        (void)weft_dag_state(dag, node);
        (void)weft_dag_node_of(dag, roll(UINT64_MAX));
        (void)weft_dag_worker_container(dag, (uint32_t)is.worker);
        WEFT_REQUIRE(weft_dag_first(dag, node) < n && weft_dag_last(dag, node) < n,
                     "outside");
    }
    ask_tasks(dag, ask->source->schema);
    walk_dag(dag);
    weft_dag_close(dag);
}

/* ---- Arrays ---- */

/* Patterns of a hostile file may stand for any number of references: only few are looked at. */
static uint64_t references_of(const struct weft_profile *profile)
{
    uint64_t references = 0;
    for (uint64_t i = 0; i < weft_profile_patterns(profile); i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        WEFT_REQUIRE(pattern.step < weft_profile_steps(profile)
                         && pattern.array < weft_profile_arrays(profile),
                     "pattern %llu is nowhere", (unsigned long long)i);
        WEFT_REQUIRE(weft_profile_first(profile, pattern.step) <= i
                         && i < weft_profile_first(profile, pattern.step + 1),
                     "pattern %llu is in another step", (unsigned long long)i);
        references += weft_pattern_references(&pattern);
    }
    return references;
}

static void write_references(const struct asking *ask, const struct weft_count_query *query,
                             uint32_t array)
{
    struct weft_err err;
    FILE *stream = fopen("/dev/null", "we");
    if (!stream)
        return;
    (void)!weft_write_ddv(query, array, roll(2), stream, ask->job, &err);
    fclose(stream);
}

static void count_arrays(const struct asking *ask, const struct weft_profile *profile)
{
    enum { MOST_REFERENCES = 20000, MOST_ELEMENTS = 100000, MOST_PROCESSORS = 10000 };
    struct weft_count_query query = { .profile = profile,
                                      .rule = (enum weft_compute_rule)roll(3),
                                      .after_step = weft_profile_steps(profile) };
    uint32_t array = (uint32_t)roll(weft_profile_arrays(profile));
    uint64_t processors = weft_count_all_processors(&query);
    uint64_t elements = weft_array_elements(weft_profile_array(profile, array));
    struct weft_flow *flows;
    size_t n;
    if (references_of(profile) > MOST_REFERENCES || processors > MOST_PROCESSORS)
        return;
    struct weft_reference_counts *counts = weft_zalloc(
        MOST_ELEMENTS > MOST_PROCESSORS ? MOST_ELEMENTS : MOST_PROCESSORS, sizeof *counts);
    (void)(weft_count_processors(&query, WEFT_NONE, roll(2), counts, ask->job, NULL)
           && (elements > MOST_ELEMENTS
               || weft_count_elements(&query, array, counts, ask->job, NULL)));
    if (weft_count_flows(&query, array, &flows, &n, ask->job, NULL))
        free(flows);
    free(counts);
    write_references(ask, &query, array);
    const struct weft_advice_query advice = {
        .profile = profile, .array = array, .processors = 1 + roll(4), .costs = { 1, 1, 1 }
    };
    /* Sets of the elements of larger arrays take seconds, which the job would end. */
    if (elements <= 64 * MOST_ELEMENTS)
        weft_advice_free(weft_advice_make(&advice, ask->job, NULL));
}

static void ask_arrays(const struct asking *ask)
{
    struct weft_err err;
    struct weft_profile *profile = weft_profile_fills(ask->source)
                                       ? weft_profile_open(ask->source, ask->job, &err)
                                       : NULL;
    if (!profile)
        return;
    (void)weft_profile_step_at(profile, (int64_t)roll(UINT64_MAX));
    if (weft_profile_arrays(profile))
        count_arrays(ask, profile);
    weft_profile_close(profile);
}

static void write_out(const struct asking *ask)
{
    struct weft_err err;
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return;
    (void)!(roll(2) ? weft_write_dump(ask->source, stream, ask->job, &err)
                    : weft_write_paje(ask->source, stream, ask->job, &err));
    (void)!weft_write_dot(ask->source, stream, roll(2) ? WEFT_NONE : (uint32_t)roll(5),
                          ask->job, &err);
    (void)!weft_write_task_tree(ask->source, stream, "/tmp", ask->job, &err);
    char *losses = NULL;
    (void)!weft_write_picl(ask->source, stream,
                           roll(2) ? WEFT_PICL_BY_TIME : WEFT_PICL_BY_NODE, &losses,
                           ask->job, &err);
    free(losses);
    fclose(stream);
    free(bytes);
}

/* ---- Views ---- */

struct counting_table {
    struct weft_table table;
    size_t n_columns, n_rows;
};

static void begin_table(struct weft_table *table, const char *const *names, size_t n)
{
    ((struct counting_table *)table)->n_columns = names[0] ? n : 0;
}
static bool take_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct counting_table *count = (struct counting_table *)table;
    volatile size_t sum = 0;
    for (size_t i = 0; i < count->n_columns; i++)
        if (cells[i].kind == WEFT_CELL_TEXT)
            sum = sum + length_of(cells[i].text);
    return ++count->n_rows < SEEN_MOST;
}
static void end_table(struct weft_table *table)
{
    (void)table;
}

static void play(const struct weft_scene *scene)
{
    struct weft_err err;
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return;
    (void)!weft_backends[roll(weft_n_backends)]->draw(scene, stream, NULL, &err);
    fclose(stream);
    free(bytes);
}

static void draw(struct shot *shot, const struct weft_set *set)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    char what[600];
    struct weft_request *request = &shot->request;
    some_request(shot, set);
    request->width = request->width < PICTURE_WIDTH ? request->width : PICTURE_WIDTH;
    request->height = request->height < PICTURE_HEIGHT ? request->height : PICTURE_HEIGHT;
    if (weft_view_draw(shot->view, request, &arena, &scene, &err)) {
        const char *fault = scene_fault(&scene, what, sizeof what);
        WEFT_REQUIRE(!fault, "%s: %s", shot->view->name, fault);
        if (roll(8) == 0 && scene.width * scene.height < PLAYED_PIXELS)
            play(&scene);
    }
    weft_arena_free(&arena);
    struct counting_table count = { { begin_table, take_row, end_table }, 0, 0 };
    if (roll(2))
        (void)!shot->view->table(request, &count.table, &err);
    uint64_t id;
    struct weft_point at = { (double)roll(PICTURE_WIDTH), (double)roll(PICTURE_HEIGHT) };
    if (shot->view->point)
        (void)!shot->view->point(request, at, &id, &count.table, &err);
}

static void look(const struct asking *ask)
{
    static struct shot shot;
    const struct weft_source *both[2] = { ask->source, ask->source };
    memset(&shot, 0, sizeof shot);
    shot.rows = ask->schema->n_containers;
    for (unsigned i = 0; i < PICTURES; i++) {
        shot.view = weft_views[roll(weft_n_views)];
        struct weft_set set = { both, shot.view->compares ? 2 : 1 };
        if (shot.view->fills(&set))
            draw(&shot, &set);
    }
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
static void ask_damage(const struct asking *ask)
{
    struct weft_damage list[16];
    size_t n = ask->source->ops->damage(ask->source, 0, list, 16);
    for (size_t i = 0; i < n && i < 16; i++)
        WEFT_REQUIRE(
            (list[i].track < ask->schema->n_tracks || list[i].track == WEFT_NONE)
                && (list[i].field < ask->schema->n_fields || list[i].field == WEFT_NONE)
                && list[i].span.begin <= list[i].span.end,
            "damage is of what is there");
}

static void ask_all(const struct weft_source *source)
{
    struct weft_job job = { .cancelled = roll(30) == 0 };
    struct asking ask = { source, source->schema, &job };
    ask_source(&ask);
    ask_dag(&ask);
    ask_arrays(&ask);
    if (roll(3) == 0)
        analyse(&ask);
    if (roll(6) == 0)
        write_out(&ask);
    look(&ask);
    ask_damage(&ask);
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
