/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses, graphs of tasks, arrays and writers of any store. */
#include "store_ask_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/container_relevance.h"
#include "analyse/lifetime.h"
#include "domains/arrays/model/advise.h"
#include "domains/arrays/write/ddv.h"
#include "domains/messages/write/picl.h"
#include "domains/tasks/dag/dag.h"
#include "domains/tasks/write/dag_text.h"
#include "domains/threads/analyse/locks.h"
#include "domains/trees/analyse/work_span.h"
#include "domains/trees/model/tree.h"
#include "domains/trees/model/work_graph.h"
#include "store/raw_time/raw_source.h"
#include "store/time.h"
#include "tests/random.h"
#include "write/dump_and_paje.h"

/* ---- Analyses and writers ---- */

static void ask_graph(const struct store_asker *asker)
{
    struct weft_err err;
    struct weft_graph *graph = weft_graph_fills(asker->source)
                                   ? weft_graph_read(asker->source, asker->job, &err)
                                   : NULL;
    struct weft_work_span span;
    if (!graph)
        return;
    if (weft_work_span(graph, WEFT_WORK_IN_TICKS, asker->job, &span, &err))
        weft_work_span_free(&span);
    for (int i = 0; i < 20; i++) {
        uint32_t n, node = graph->tree->n ? (uint32_t)roll(graph->tree->n) : 0;
        (void)weft_graph_node(graph, some_id(asker));
        (void)(weft_graph_end(graph, node) >= weft_graph_begin(graph, node));
        (void)weft_graph_work(graph, node);
        (void)weft_graph_out(graph, node, &n);
        (void)weft_graph_in(graph, node, &n);
    }
    uint32_t *same = weft_tree_match(graph->tree, graph->tree, asker->job, &err);
    free(same);
    weft_graph_free(graph);
}

void ask_analyses(const struct store_asker *asker)
{
    struct weft_err err;
    struct weft_locks locks;
    struct weft_arena arena = { 0 };
    struct weft_relevance relevance;
    if (weft_locks_read(asker->source, (uint32_t)roll(asker->schema->n_containers),
                        some_window(asker->schema->span), asker->job, &locks, &err))
        weft_locks_free(&locks);
    (void)!weft_relevance(asker->source, &arena, asker->job, &relevance, &err);
    for (uint32_t t = 0; t < asker->schema->n_tracks; t++)
        (void)weft_track_lifetime(asker->schema, t, some_window(asker->schema->span));
    weft_arena_free(&arena);
    ask_graph(asker);
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
    enum { MAX_ROWS = 1000 };
    for (uint64_t r = 0; r < weft_dag_tasks_rows(dag) && r < MAX_ROWS; r++) {
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

void ask_dag(const struct store_asker *asker)
{
    struct weft_err err;
    struct weft_dag *dag =
        weft_dag_fills(asker->source) ? weft_dag_open(asker->source, &err) : NULL;
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
    ask_tasks(dag, asker->source->schema);
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

static void write_references(const struct store_asker *asker,
                             const struct weft_count_query *query, uint32_t array)
{
    struct weft_err err;
    FILE *stream = fopen("/dev/null", "we");
    if (!stream)
        return;
    (void)!weft_write_ddv(query, array, roll(2), stream, asker->job, &err);
    fclose(stream);
}

static void count_arrays(const struct store_asker *asker,
                         const struct weft_profile *profile)
{
    enum { MAX_REFERENCES = 20000, MAX_ELEMENTS = 100000, MAX_PROCESSORS = 10000 };
    struct weft_count_query query = { .profile = profile,
                                      .rule = (enum weft_compute_rule)roll(3),
                                      .after_step = weft_profile_steps(profile) };
    uint32_t array = (uint32_t)roll(weft_profile_arrays(profile));
    uint64_t processors = weft_count_all_processors(&query);
    uint64_t elements = weft_array_elements(weft_profile_array(profile, array));
    struct weft_flow *flows;
    size_t n;
    if (references_of(profile) > MAX_REFERENCES || processors > MAX_PROCESSORS)
        return;
    struct weft_reference_counts *counts = weft_zalloc(
        MAX_ELEMENTS > MAX_PROCESSORS ? MAX_ELEMENTS : MAX_PROCESSORS, sizeof *counts);
    (void)(weft_count_processors(&query, WEFT_NONE, roll(2), counts, asker->job, NULL)
           && (elements > MAX_ELEMENTS
               || weft_count_elements(&query, array, counts, asker->job, NULL)));
    if (weft_count_flows(&query, array, &flows, &n, asker->job, NULL))
        free(flows);
    free(counts);
    write_references(asker, &query, array);
    const struct weft_advice_query advice = {
        .profile = profile, .array = array, .processors = 1 + roll(4), .costs = { 1, 1, 1 }
    };
    /* Sets of the elements of larger arrays take seconds, which the job would end. */
    if (elements <= 64 * MAX_ELEMENTS)
        weft_advice_free(weft_advice_make(&advice, asker->job, NULL));
}

void ask_arrays(const struct store_asker *asker)
{
    struct weft_err err;
    struct weft_profile *profile = weft_profile_fills(asker->source)
                                       ? weft_profile_open(asker->source, asker->job, &err)
                                       : NULL;
    if (!profile)
        return;
    (void)weft_profile_step_at(profile, (int64_t)roll(UINT64_MAX));
    if (weft_profile_arrays(profile))
        count_arrays(asker, profile);
    weft_profile_close(profile);
}

void ask_writers(const struct store_asker *asker)
{
    struct weft_err err;
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return;
    (void)!(roll(2) ? weft_write_dump(asker->source, stream, asker->job, &err)
                    : weft_write_paje(asker->source, stream, NULL, asker->job, &err));
    (void)!weft_write_dot(asker->source, stream, roll(2) ? WEFT_NONE : (uint32_t)roll(5),
                          asker->job, &err);
    (void)!weft_write_task_tree(asker->source, stream, "/tmp", asker->job, &err);
    char *losses = NULL;
    (void)!weft_write_picl(asker->source, stream,
                           roll(2) ? WEFT_PICL_BY_TIME : WEFT_PICL_BY_NODE, &losses,
                           asker->job, &err);
    free(losses);
    fclose(stream);
    free(bytes);
}
