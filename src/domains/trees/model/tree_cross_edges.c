/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/tree_cross_edges.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/hash_map.h"

enum { STEP = 1 << 14 }; /* edges between two looks at the job: well below a millisecond */

/* ---- Collecting ---- */

struct edge {
    uint32_t from, to;
    uint8_t role;
};

struct edge_collector {
    const struct weft_tree *tree;
    const struct weft_schema *schema;
    struct weft_id_map rows; /* by track */
    struct edge *list;
    size_t n, capacity;
    uint64_t seen, all; /* links */
    struct weft_job *job;
    struct weft_err *err;
    bool failed;
};

static uint32_t end_of(const struct edge_collector *c, uint64_t id)
{
    if (id == WEFT_NO_ID)
        return WEFT_NONE;
    uint32_t row = weft_id_map_get(&c->rows, weft_entity_track(id));
    uint64_t ordinal = weft_entity_ordinal(id);
    return row != WEFT_MAP_NONE && ordinal < c->tree->pes[row].count
               ? c->tree->node_of[c->tree->pes[row].first + ordinal]
               : WEFT_NONE;
}

/* Returns the role in the coding that weft_tree_edge_role decodes. */
static uint8_t role_of(const struct weft_schema *schema, uint32_t type)
{
    enum weft_role role = schema->types[type].role;
    bool of_link = weft_role_subject(role) == WEFT_ROLE_OF_LINK;
    return of_link ? (uint8_t)(role - WEFT_ROLE_MESSAGE + 1) : 0;
}

static bool add_link(void *user, const struct weft_link *link)
{
    struct edge_collector *c = user;
    if (c->seen++ % STEP == 0 && !weft_job_step(c->job, c->seen, 2 * c->all, c->err))
        return !(c->failed = true);
    struct edge edge = { end_of(c, link->from_entity), end_of(c, link->to_entity),
                         role_of(c->schema, link->type) };
    if (edge.from == WEFT_NONE || edge.to == WEFT_NONE)
        return true;
    if (c->n == UINT32_MAX) {
        weft_fail(c->err, WEFT_ERR_LIMIT, "more than 2^32 links between nodes of a tree");
        return !(c->failed = true);
    }
    c->list = weft_grow(c->list, &c->capacity, c->n + 1, sizeof *c->list);
    c->list[c->n++] = edge;
    return true;
}

static bool collect(struct edge_collector *c, const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    c->all = schema->n_links;
    for (uint32_t p = 0; p < c->tree->n_pes; p++)
        if (c->tree->pes[p].track != WEFT_NONE)
            weft_id_map_put(&c->rows, c->tree->pes[p].track, p);
    for (uint32_t t = 0; t < schema->n_tracks && !c->failed; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_LINK)
            source->ops->links(source, t, all, add_link, c);
    weft_id_map_free(&c->rows);
    return !c->failed;
}

/* ---- Sorting: stable counting sorts ---- */

struct edge_sort {
    struct weft_tree_edges *edges;
    uint64_t done; /* edges moved, in three walks through all */
    struct weft_job *job;
    struct weft_err *err;
};

static bool step(struct edge_sort *s)
{
    uint64_t n = s->edges->n;
    return s->done++ % STEP || weft_job_step(s->job, 3 * n + s->done, 6 * n, s->err);
}

/*
 * Turns the counts in begin[i] into the place of node i's next edge. Once all edges are
 * placed, begin[i] is the end of node i's edges.
 */
static void begins_from_counts(uint32_t *begin, uint32_t n_nodes)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= n_nodes; i++) {
        uint32_t count = begin[i];
        begin[i] = sum;
        sum += count;
    }
}

static void begins_from_ends(uint32_t *begin, uint32_t n_nodes)
{
    for (uint32_t i = n_nodes; i > 0; i--)
        begin[i] = begin[i - 1];
    begin[0] = 0;
}

/* Sorts LIST by `to`, that by `from`, and the resulting edge numbers by `to` again. */
static bool sort_edges(struct edge_sort *s, const struct edge *list, struct edge *by_to)
{
    struct weft_tree_edges *e = s->edges;
    for (uint32_t i = 0; i < e->n; i++) {
        e->out_begin[list[i].from]++;
        e->in_begin[list[i].to]++;
    }
    begins_from_counts(e->out_begin, e->n_nodes);
    begins_from_counts(e->in_begin, e->n_nodes);
    for (uint32_t i = 0; i < e->n; i++) {
        if (!step(s))
            return false;
        by_to[e->in_begin[list[i].to]++] = list[i];
    }
    begins_from_ends(e->in_begin, e->n_nodes);
    for (uint32_t i = 0; i < e->n; i++) {
        if (!step(s))
            return false;
        uint32_t at = e->out_begin[by_to[i].from]++;
        e->to[at] = by_to[i].to;
        e->role[at] = by_to[i].role;
    }
    begins_from_ends(e->out_begin, e->n_nodes);
    for (uint32_t i = 0; i < e->n; i++) {
        if (!step(s))
            return false;
        e->in[e->in_begin[e->to[i]]++] = i;
    }
    begins_from_ends(e->in_begin, e->n_nodes);
    return true;
}

static bool order(struct weft_tree_edges *edges, const struct edge *list,
                  struct weft_job *job, struct weft_err *err)
{
    struct edge_sort s = { edges, 0, job, err };
    size_t n = (size_t)edges->n + 1;
    struct edge *by_to = weft_alloc(n * sizeof *by_to);
    edges->out_begin = weft_zalloc((size_t)edges->n_nodes + 1, sizeof *edges->out_begin);
    edges->in_begin = weft_zalloc((size_t)edges->n_nodes + 1, sizeof *edges->in_begin);
    edges->to = weft_alloc(n * sizeof *edges->to);
    edges->role = weft_alloc(n * sizeof *edges->role);
    edges->in = weft_alloc(n * sizeof *edges->in);
    bool ok = sort_edges(&s, list, by_to);
    free(by_to);
    return ok;
}

struct weft_tree_edges *weft_tree_edges_read(const struct weft_tree *tree,
                                             const struct weft_source *source,
                                             struct weft_job *job, struct weft_err *err)
{
    struct weft_tree_edges *edges = weft_zalloc(1, sizeof *edges);
    struct edge_collector c = {
        .tree = tree, .schema = source->schema, .job = job, .err = err
    };
    bool ok = collect(&c, source);
    edges->n = (uint32_t)c.n;
    edges->n_nodes = tree->n;
    ok = ok && order(edges, c.list, job, err);
    free(c.list);
    if (ok)
        return edges;
    weft_tree_edges_free(edges);
    return NULL;
}

void weft_tree_edges_free(struct weft_tree_edges *edges)
{
    if (!edges)
        return;
    free(edges->out_begin);
    free(edges->to);
    free(edges->role);
    free(edges->in_begin);
    free(edges->in);
    free(edges);
}

size_t weft_tree_edges_bytes(const struct weft_tree_edges *edges)
{
    size_t node = sizeof *edges->out_begin + sizeof *edges->in_begin;
    size_t edge = sizeof *edges->to + sizeof *edges->role + sizeof *edges->in;
    return sizeof *edges + edges->n_nodes * node + edges->n * edge;
}

uint32_t weft_tree_edge_from(const struct weft_tree_edges *edges, uint32_t edge)
{
    return WEFT_LAST(node, 0, edges->n_nodes, edges->out_begin[node] <= edge);
}
