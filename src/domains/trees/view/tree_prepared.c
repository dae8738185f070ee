/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/view/tree_prepared.h"

#include <stdlib.h>
#include <string.h>

/* ---- Trees ---- */

bool tree_set_fills(const struct weft_set *set)
{
    return weft_tree_fills(set->sources[0]);
}

static bool make_tree(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    if (!weft_tree_fills(source))
        return weft_fail(err, WEFT_ERR_USAGE, "the trace has neither reductions nor calls");
    struct weft_tree *tree = weft_tree_read(source, args->job, err);
    if (!tree)
        return false;
    *thing = tree;
    *bytes = weft_tree_bytes(tree);
    return true;
}

static void free_tree(void *thing)
{
    weft_tree_free(thing);
}

const struct weft_preparation weft_tree_preparation = { "tree", make_tree, free_tree };

static const void *get_of_one(struct weft_use *use, size_t source,
                              const struct weft_preparation *preparation,
                              const void *parameters, size_t size, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources + source, 1 };
    return weft_use_get(use, preparation, &one, parameters, size, err);
}

const struct weft_tree *tree_of(struct weft_use *use, size_t source, struct weft_err *err)
{
    return get_of_one(use, source, &weft_tree_preparation, NULL, 0, err);
}

/* Holds the tree of a source while something else is made of it. */
static const struct weft_held *hold_tree(const struct weft_prepare_args *args,
                                         size_t source, struct weft_err *err)
{
    const struct weft_set one = { args->set->sources + source, 1 };
    return weft_prepare(args->shelf, &weft_tree_preparation, &one, NULL, 0, args->job, err);
}

bool tree_migrated(const struct weft_tree *tree, uint32_t node)
{
    uint32_t parent = tree->parent[node];
    return parent != WEFT_NONE && tree->ordinal[parent] != WEFT_NONE
           && tree->pe[parent] != tree->pe[node];
}

/* ---- Edges ---- */

static bool make_edges(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct weft_held *held = hold_tree(args, 0, err);
    if (!held)
        return false;
    struct weft_tree_edges *edges =
        weft_tree_edges_read(held->thing, args->set->sources[0], args->job, err);
    weft_release(held); /* edges are node numbers and do not refer to the tree */
    if (!edges)
        return false;
    *thing = edges;
    *bytes = weft_tree_edges_bytes(edges);
    return true;
}

static void free_edges(void *thing)
{
    weft_tree_edges_free(thing);
}

static const struct weft_preparation edges_preparation = { "tree edges", make_edges,
                                                           free_edges };

const struct weft_tree_edges *tree_edges_of(struct weft_use *use, size_t source,
                                            struct weft_err *err)
{
    return get_of_one(use, source, &edges_preparation, NULL, 0, err);
}

/* ---- Graphs ---- */

struct held_graph {
    struct weft_graph *graph;
    const struct weft_held *tree, *edges;
};

static void free_graph(void *thing)
{
    struct held_graph *held = thing;
    weft_graph_free(held->graph);
    weft_release(held->edges);
    weft_release(held->tree);
    free(held);
}

static bool make_graph(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    struct held_graph *held = weft_zalloc(1, sizeof *held);
    held->tree = hold_tree(args, 0, err);
    if (held->tree)
        held->edges = weft_prepare(args->shelf, &edges_preparation, args->set, NULL, 0,
                                   args->job, err);
    if (held->edges)
        held->graph = weft_graph_of(args->set->sources[0], held->tree->thing,
                                    held->edges->thing, args->job, err);
    if (!held->graph) {
        free_graph(held);
        return false;
    }
    *thing = held;
    *bytes = weft_graph_bytes(held->graph);
    return true;
}

static const struct weft_preparation graph_preparation = { "tree graph", make_graph,
                                                           free_graph };

const struct weft_graph *tree_graph_of(struct weft_use *use, size_t source,
                                       struct weft_err *err)
{
    const struct held_graph *held =
        get_of_one(use, source, &graph_preparation, NULL, 0, err);
    return held ? held->graph : NULL;
}

const struct weft_held *tree_hold_graph(const struct weft_prepare_args *args,
                                        struct weft_err *err)
{
    return weft_prepare(args->shelf, &graph_preparation, args->set, NULL, 0, args->job,
                        err);
}

const struct weft_graph *tree_graph_in(const struct weft_held *held)
{
    return ((const struct held_graph *)held->thing)->graph;
}

/* ---- Sizes ---- */

static bool make_sizes(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const uint32_t *measure = args->parameters;
    const struct weft_held *held = tree_hold_graph(args, err);
    if (!held)
        return false;
    *thing = weft_tree_sizes(tree_graph_in(held), (enum weft_tree_measure) * measure,
                             args->job, err);
    *bytes = tree_graph_in(held)->tree->n * sizeof(double);
    weft_release(held);
    return *thing != NULL;
}

static const struct weft_preparation sizes_preparation = { "tree sizes", make_sizes, free };

/* ---- Spreads ---- */

struct spread_key {
    uint32_t root, size;
};

/* Returns a node's own size; GRAPH is NULL when nodes are counted. */
static double own_size(const struct weft_graph *graph, uint32_t size, uint32_t node)
{
    if (!graph)
        return 1;
    double own = (double)weft_graph_work(graph, node);
    return size == TREE_SIZE_TIME ? own + (double)weft_graph_waited(graph, node) : own;
}

static void count_nodes(struct tree_spread *of, const struct weft_tree *tree,
                        const struct weft_graph *graph, const struct spread_key *key)
{
    struct weft_tree_run run = { key->root, key->root + 1 };
    for (; run.begin < run.end; run = weft_tree_below(tree, run)) {
        of->n += run.end - run.begin;
        for (uint32_t i = run.begin; i < run.end; i++) {
            double own = own_size(graph, key->size, i);
            of->first = tree->time[i] < of->first ? tree->time[i] : of->first;
            of->last = tree->time[i] > of->last ? tree->time[i] : of->last;
            of->migrated += i != key->root && tree_migrated(tree, i);
            if (tree->ordinal[i] == WEFT_NONE)
                continue;
            of->size += own;
            of->nodes_of_pe[tree->pe[i]]++;
            of->nodes_of_label[tree->label[i]]++;
            of->of_pe[tree->pe[i]] += own;
            of->of_label[tree->label[i]] += own;
        }
    }
}

static void free_spread(void *thing)
{
    struct tree_spread *spread = thing;
    free(spread->nodes_of_pe);
    free(spread->of_pe);
    free(spread);
}

static bool make_spread(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    const struct spread_key *key = args->parameters;
    bool timed = key->size == TREE_SIZE_TIME || key->size == TREE_SIZE_SELF;
    const struct weft_held *held = hold_tree(args, 0, err);
    const struct weft_held *graph = held && timed ? tree_hold_graph(args, err) : NULL;
    if (!held || (timed && !graph)) {
        weft_release(held);
        return false;
    }
    const struct weft_tree *tree = held->thing;
    size_t n = tree->n_pes + tree->n_labels;
    struct tree_spread *spread = weft_zalloc(1, sizeof *spread);
    spread->first = INT64_MAX;
    spread->last = INT64_MIN;
    spread->nodes_of_pe = weft_zalloc(n + 1, sizeof *spread->nodes_of_pe);
    spread->nodes_of_label = spread->nodes_of_pe + tree->n_pes;
    spread->of_pe = weft_zalloc(n + 1, sizeof *spread->of_pe);
    spread->of_label = spread->of_pe + tree->n_pes;
    count_nodes(spread, tree, graph ? tree_graph_in(graph) : NULL, key);
    *thing = spread;
    *bytes = sizeof *spread + n * (sizeof *spread->of_pe + sizeof *spread->nodes_of_pe);
    weft_release(graph);
    weft_release(held); /* a spread does not refer to the tree */
    return true;
}

static const struct weft_preparation spread_preparation = { "tree spread", make_spread,
                                                            free_spread };

const struct tree_spread *tree_spread_of(struct weft_use *use, size_t source, uint32_t root,
                                         enum tree_size size, struct weft_err *err)
{
    const struct spread_key key = { root,
                                    size == TREE_SIZE_WEIGHT ? TREE_SIZE_COUNT : size };
    return get_of_one(use, source, &spread_preparation, &key, sizeof key, err);
}

/* ---- Layouts ---- */

struct layout_key {
    uint32_t root, most;
    uint32_t depth, size;
    uint32_t n_opened;
    struct weft_tree_run opened[TREE_MAX_OPENED];
};

struct held_layout {
    struct weft_tree_layout *layout;
    const struct weft_held *tree, *sizes;
};

static void free_layout(void *thing)
{
    struct held_layout *held = thing;
    weft_tree_layout_free(held->layout);
    weft_release(held->sizes);
    weft_release(held->tree);
    free(held);
}

/* Holds the sizes for SIZE if it is a time, and sets HOW to use them unless all are 0. */
static bool hold_sizes(const struct weft_prepare_args *args, uint32_t size,
                       struct held_layout *held, struct weft_tree_how *how,
                       struct weft_err *err)
{
    if (size != TREE_SIZE_TIME && size != TREE_SIZE_SELF)
        return true;
    const uint32_t measure = size == TREE_SIZE_TIME ? WEFT_TREE_TIME : WEFT_TREE_SELF;
    held->sizes = weft_prepare(args->shelf, &sizes_preparation, args->set, &measure,
                               sizeof measure, args->job, err);
    const double *sums = held->sizes ? held->sizes->thing : NULL;
    if (sums && sums[0] > 0) {
        how->size = WEFT_TREE_SIZE_SUMS;
        how->sums = sums;
    }
    return sums != NULL;
}

static bool make_layout(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    const struct layout_key *key = args->parameters;
    struct weft_tree_how how = { .most = key->most,
                                 .depth = (enum weft_tree_depth)key->depth,
                                 .size = key->size == TREE_SIZE_WEIGHT
                                             ? WEFT_TREE_SIZE_WEIGHT
                                             : WEFT_TREE_SIZE_COUNT,
                                 .opened = key->opened,
                                 .n_opened = key->n_opened };
    const struct weft_held *tree = hold_tree(args, 0, err);
    if (!tree)
        return false;
    struct held_layout *held = weft_zalloc(1, sizeof *held);
    held->tree = tree;
    if (!hold_sizes(args, key->size, held, &how, err)) {
        free_layout(held);
        return false;
    }
    held->layout = weft_tree_lay_out(tree->thing, key->root, &how, args->job, err);
    if (!held->layout) {
        free_layout(held);
        return false;
    }
    *thing = held;
    *bytes = sizeof *held + weft_tree_layout_bytes(held->layout);
    return true;
}

static const struct weft_preparation layout_preparation = { "tree layout", make_layout,
                                                            free_layout };

const struct weft_tree_layout *tree_layout_of(struct weft_use *use, size_t source,
                                              const struct weft_tree *tree, uint32_t root,
                                              const struct weft_tree_how *how,
                                              enum tree_size size, struct weft_err *err)
{
    /*
     * With room for three times the levels, nothing is folded: at least a third of the
     * depth is given evenly.
     */
    uint64_t enough =
        how->depth == WEFT_TREE_DEPTH_VISTA ? tree->n_levels : 3 * (uint64_t)tree->n_levels;
    struct layout_key key = { root, how->most < enough ? how->most : (uint32_t)enough,
                              how->depth, size, (uint32_t)how->n_opened };
    WEFT_REQUIRE(how->n_opened <= TREE_MAX_OPENED, "%zu opened chains", how->n_opened);
    if (how->n_opened)
        memcpy(key.opened, how->opened, how->n_opened * sizeof *key.opened);
    const struct held_layout *held =
        get_of_one(use, source, &layout_preparation, &key, sizeof key, err);
    return held ? held->layout : NULL;
}

/* ---- Bundles of edges ---- */

/* Nodes or edges between two looks at the job: below a millisecond. */
enum { STEP = 1 << 16 };

/* Returns the group of each node, its index plus one; 0 for none. NULL when cancelled. */
static uint8_t *spread_groups(const struct weft_tree *tree, const uint32_t *key, size_t n,
                              struct weft_job *job, struct weft_err *err)
{
    uint8_t *group_of = weft_zalloc(tree->n, 1);
    for (size_t g = 0; g < n; g++)
        group_of[key[1 + g]] = (uint8_t)(g + 1);
    for (uint32_t i = key[0] + 1; i < tree->n; i++) { /* parents precede children */
        if (!group_of[i])
            group_of[i] = group_of[tree->parent[i]];
        if (i % STEP == 0 && !weft_job_step(job, i, tree->n, err)) {
            free(group_of);
            return NULL;
        }
    }
    return group_of;
}

static bool count_bundles(const struct weft_tree_edges *edges, const uint8_t *group_of,
                          uint32_t *count, size_t n, struct weft_job *job,
                          struct weft_err *err)
{
    for (uint32_t node = 0; node < edges->n_nodes; node++) {
        uint8_t x = group_of[node];
        for (uint32_t i = edges->out_begin[node]; x && i < edges->out_begin[node + 1];
             i++) {
            uint8_t y = group_of[edges->to[i]];
            if (y && x != y)
                count[(size_t)(x - 1) * n + (y - 1)]++;
        }
        if (node % STEP == 0 && !weft_job_step(job, node, edges->n_nodes, err))
            return false;
    }
    return true;
}

/* The parameters are the root, then the top nodes of the groups. */
static bool make_bundles(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    const uint32_t *key = args->parameters;
    size_t n = args->size / sizeof *key - 1;
    const struct weft_held *tree = hold_tree(args, 0, err);
    const struct weft_held *edges = tree ? weft_prepare(args->shelf, &edges_preparation,
                                                        args->set, NULL, 0, args->job, err)
                                         : NULL;
    uint8_t *group_of = edges ? spread_groups(tree->thing, key, n, args->job, err) : NULL;
    uint32_t *count = weft_zalloc(n * n + 1, sizeof *count);
    bool ok = group_of && count_bundles(edges->thing, group_of, count, n, args->job, err);
    free(group_of);
    weft_release(edges);
    weft_release(tree);
    if (!ok) {
        free(count);
        return false;
    }
    *thing = count;
    *bytes = n * n * sizeof *count;
    return true;
}

static const struct weft_preparation bundles_preparation = { "tree bundles", make_bundles,
                                                             free };

const uint32_t *tree_bundles_of(struct weft_use *use, size_t source, uint32_t root,
                                const uint32_t *groups, size_t n, struct weft_err *err)
{
    uint32_t key[1 + TREE_MAX_GROUPS] = { root };
    WEFT_REQUIRE(n <= TREE_MAX_GROUPS, "%zu groups of nodes", n);
    memcpy(key + 1, groups, n * sizeof *key);
    return get_of_one(use, source, &bundles_preparation, key, (1 + n) * sizeof *key, err);
}

/* ---- Two trees ---- */

static bool make_match(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct weft_held *a = hold_tree(args, 0, err);
    const struct weft_held *b = a ? hold_tree(args, 1, err) : NULL;
    if (b)
        *thing = weft_tree_match(a->thing, b->thing, args->job, err);
    bool ok = *thing != NULL;
    if (ok)
        *bytes = ((const struct weft_tree *)a->thing)->n * sizeof(uint32_t);
    weft_release(b);
    weft_release(a);
    return ok;
}

static const struct weft_preparation match_preparation = { "tree match", make_match, free };

const uint32_t *tree_match_of(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set *set = use->request->set;
    if (set->n_sources > 1) {
        const struct weft_set two = { set->sources, 2 };
        return weft_use_get(use, &match_preparation, &two, NULL, 0, err);
    }
    weft_fail(err, WEFT_ERR_USAGE, "comparing takes two traces with trees");
    return NULL;
}

/* ---- Names of nodes ---- */

uint32_t tree_node_named(const struct weft_tree *tree, const char *parameter,
                         const char *text, struct weft_err *err)
{
    char *end, *second;
    uint32_t node = WEFT_NONE;
    if (!*text)
        return 0;
    if (strncmp(text, "record:", 7) == 0) {
        unsigned long long record = strtoull(text + 7, &end, 10);
        node = *end || !text[7] ? WEFT_NONE : weft_tree_find_record(tree, record);
    } else {
        unsigned long long number = strtoull(text, &end, 10);
        if (end > text && *end == ':' && number < tree->n_pes) {
            unsigned long long index = strtoull(end + 1, &second, 10);
            if (!*second && second > end + 1)
                node = weft_tree_find_index(tree, (uint32_t)number, index);
        } else if (end > text && !*end) {
            node = weft_tree_find(tree, number);
        }
    }
    if (node == WEFT_NONE)
        weft_fail(err, WEFT_ERR_USAGE,
                  "%s=%s: the tree has no such node (right: record:NUMBER, PE:INDEX, or "
                  "the id that a mark carries)",
                  parameter, text);
    return node;
}
