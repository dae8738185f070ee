/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tree_edges.h"

#include <stdlib.h>

#include "base/map.h"

enum { STEP = 1 << 14 }; /* edges between two looks at the job: well below a millisecond */

/* ---- Collecting ---- */

struct collecting {
    const struct weft_tree *tree;
    struct weft_id_map rows; /* of tracks */
    struct weft_tree_edge *list;
    size_t n, capacity;
    uint64_t seen, all; /* links */
    struct weft_job *job;
    struct weft_err *err;
    bool failed;
};

static uint32_t end_of(const struct collecting *c, uint64_t id)
{
    if (id == WEFT_NO_ID)
        return WEFT_NONE;
    uint32_t row = weft_id_map_get(&c->rows, weft_entity_track(id));
    uint64_t ordinal = weft_entity_ordinal(id);
    return row != WEFT_MAP_NONE && ordinal < c->tree->pes[row].count
               ? c->tree->node_of[c->tree->pes[row].first + ordinal]
               : WEFT_NONE;
}

static bool take_link(void *user, const struct weft_link *link)
{
    struct collecting *c = user;
    if (c->seen++ % STEP == 0 && !weft_job_step(c->job, c->seen, 2 * c->all, c->err))
        return !(c->failed = true);
    struct weft_tree_edge edge = { end_of(c, link->from_entity),
                                   end_of(c, link->to_entity) };
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

static bool collect(struct collecting *c, const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    c->all = schema->n_links;
    for (uint32_t p = 0; p < c->tree->n_pes; p++)
        if (c->tree->pes[p].track != WEFT_NONE)
            weft_id_map_put(&c->rows, c->tree->pes[p].track, p);
    for (uint32_t t = 0; t < schema->n_tracks && !c->failed; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_LINK)
            source->ops->links(source, t, all, take_link, c);
    weft_id_map_free(&c->rows);
    return !c->failed;
}

/* ---- Sorting: by counting, one end at a time, which keeps the order of equal ones ---- */

struct sorting {
    uint32_t nodes, n;
    uint32_t *next; /* [nodes + 1]: where the next edge of a node goes */
    struct weft_job *job;
    struct weft_err *err;
};

static void count_ends(struct sorting *s, const struct weft_tree_edge *list, bool by_to)
{
    for (uint32_t i = 0; i <= s->nodes; i++)
        s->next[i] = 0;
    for (uint32_t i = 0; i < s->n; i++)
        s->next[(by_to ? list[i].to : list[i].from) + 1]++;
    for (uint32_t i = 0; i < s->nodes; i++)
        s->next[i + 1] += s->next[i];
}

/* Sort into OUT, or the positions into ORDER; whichever is not NULL. */
static bool sort_by(struct sorting *s, const struct weft_tree_edge *list, bool by_to,
                    struct weft_tree_edge *out, uint32_t *order)
{
    count_ends(s, list, by_to);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i % STEP == 0
            && !weft_job_step(s->job, (uint64_t)s->n + i, 2 * (uint64_t)s->n, s->err))
            return false;
        uint32_t at = s->next[by_to ? list[i].to : list[i].from]++;
        if (out)
            out[at] = list[i];
        if (order)
            order[at] = i;
    }
    return true;
}

static bool sort_edges(struct weft_tree_edges *edges, const struct weft_tree *tree,
                       struct weft_job *job, struct weft_err *err)
{
    struct sorting s = { tree->n, edges->n, NULL, job, err };
    s.next = weft_alloc(((size_t)tree->n + 1) * sizeof *s.next);
    struct weft_tree_edge *other = weft_alloc(((size_t)edges->n + 1) * sizeof *other);
    edges->by_to = weft_alloc(((size_t)edges->n + 1) * sizeof *edges->by_to);
    bool ok = sort_by(&s, edges->list, true, other, NULL)
              && sort_by(&s, other, false, edges->list, NULL)
              && sort_by(&s, edges->list, true, NULL, edges->by_to);
    free(other);
    free(s.next);
    return ok;
}

struct weft_tree_edges *weft_tree_edges_read(const struct weft_tree *tree,
                                             const struct weft_source *source,
                                             struct weft_job *job, struct weft_err *err)
{
    struct weft_tree_edges *edges = weft_zalloc(1, sizeof *edges);
    struct collecting c = { .tree = tree, .job = job, .err = err };
    bool ok = collect(&c, source);
    edges->list = c.list;
    edges->n = (uint32_t)c.n;
    if (ok && sort_edges(edges, tree, job, err))
        return edges;
    weft_tree_edges_free(edges);
    return NULL;
}

void weft_tree_edges_free(struct weft_tree_edges *edges)
{
    if (!edges)
        return;
    free(edges->list);
    free(edges->by_to);
    free(edges);
}

size_t weft_tree_edges_bytes(const struct weft_tree_edges *edges)
{
    return sizeof *edges + edges->n * (sizeof *edges->list + sizeof *edges->by_to);
}

/* ---- Looking up ---- */

uint32_t weft_tree_edges_from(const struct weft_tree_edges *edges, uint32_t node)
{
    uint32_t low = 0, high = edges->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edges->list[middle].from < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t weft_tree_edges_to(const struct weft_tree_edges *edges, uint32_t node)
{
    uint32_t low = 0, high = edges->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edges->list[edges->by_to[middle]].to < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
