/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds trees: nodes come in any order, each with its parent's number, and one
 * breadth-first walk puts them in order of levels. Nothing recurses, so a deep tree cannot
 * overflow the stack.
 */
#include "domains/trees/model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

enum {
    SMALL_FAMILY = 24, /* children: up to here insertion beats a radix sort */
    GRAIN = 1 << 16,   /* nodes a thread gathers at a time: about a millisecond */
};

/*
 * How many nodes ahead the walk prefetches. For each node it needs, in turn, its entry of
 * `begin`, the list of its children and their records: each is prefetched when the one
 * before has arrived.
 */
enum { AHEAD_BEGIN = 64, AHEAD_CHILDREN = 48, AHEAD_RECORDS = 32, AHEAD_NODES = 12 };
enum {
    MAX_FETCHED_BLOCKS = 4
}; /* children whose records are prefetched: most nodes have
                              fewer */

/* Numbers have 32 bits; WEFT_NONE and the added root need two of the 16 left out. */
#define MAX_NODES (UINT32_MAX - 16)

struct weft_tree_builder {
    struct weft_tree *tree;
    struct weft_tree_node *nodes; /* by number */
    size_t n, capacity;
    size_t pe_capacity, label_capacity;
    struct weft_id_map named; /* by value: the first label with its name */
    bool indexed, ranked;     /* some node has an index, a record */
    bool sorted;              /* children are listed by record */
    uint32_t *order;          /* the nodes' numbers, in order of levels */
    uint32_t *children;       /* the nodes' numbers, grouped by parent */
    struct weft_job *job;     /* set while the nodes are put in order */
    uint32_t *begin; /* [n + 1]: where each number's children begin in `children` */
};

/*
 * Returns true if the job is cancelled; for step I of loops that take tenths of a second.
 * They then end early with unusable results: weft_tree_finish checks the job after each of
 * them.
 */
static inline bool is_stopped(const struct weft_tree_builder *b, size_t i)
{
    enum { STEP = 1 << 16 }; /* below a millisecond */
    return i % STEP == 0 && weft_job_cancelled(b->job);
}

struct weft_tree_builder *weft_tree_builder_new(void)
{
    struct weft_tree_builder *b = weft_zalloc(1, sizeof *b);
    b->tree = weft_zalloc(1, sizeof *b->tree);
    b->tree->type = WEFT_NONE;
    return b;
}

void weft_tree_builder_free(struct weft_tree_builder *b)
{
    if (!b)
        return;
    weft_tree_free(b->tree);
    free(b->nodes);
    free(b->order);
    free(b->children);
    free(b->begin);
    weft_id_map_free(&b->named);
    free(b);
}

void weft_tree_free(struct weft_tree *tree)
{
    if (!tree)
        return;
    free(tree->level_begin);
    free(tree->parent);
    free(tree->first_child);
    free(tree->count);
    free(tree->time);
    free(tree->pe);
    free(tree->label);
    free(tree->ordinal);
    free(tree->record);
    free(tree->index);
    free(tree->pes);
    free(tree->labels);
    free(tree->node_of);
    weft_id_map_free(&tree->rows);
    weft_id_map_free(&tree->threads);
    weft_arena_free(&tree->arena);
    free(tree);
}

size_t weft_tree_bytes(const struct weft_tree *tree)
{
    size_t node = sizeof *tree->parent + sizeof *tree->first_child + sizeof *tree->count
                  + sizeof *tree->time + sizeof *tree->pe + sizeof *tree->label
                  + sizeof *tree->ordinal + sizeof *tree->record
                  + (tree->index ? sizeof *tree->index : 0);
    return sizeof *tree + (size_t)tree->n * node
           + (size_t)tree->n_added * sizeof *tree->node_of
           + (size_t)tree->n_levels * sizeof *tree->level_begin
           + (tree->rows.capacity + tree->threads.capacity) * 2 * sizeof(uint64_t)
           + tree->n_pes * sizeof *tree->pes + tree->n_labels * sizeof *tree->labels
           + tree->arena.used;
}

const struct weft_tree_pe *weft_tree_pe(struct weft_tree_builder *b, const char *name,
                                        uint32_t container, uint32_t track, uint64_t count)
{
    struct weft_tree *tree = b->tree;
    if (tree->n_pes == WEFT_TREE_MAX_PES || count > MAX_NODES - b->n)
        return NULL;
    tree->pes = weft_grow(tree->pes, &b->pe_capacity, tree->n_pes + 1, sizeof *tree->pes);
    const struct weft_tree_pe *last = tree->n_pes ? &tree->pes[tree->n_pes - 1] : NULL;
    tree->pes[tree->n_pes] =
        (struct weft_tree_pe){ last && last->container == container
                                   ? last->name
                                   : weft_arena_strdup(&tree->arena, name),
                               container, track, (uint32_t)b->n, count };
    b->n += count;
    /* Grown to fit, not doubled: a tree may take most of the memory. */
    if (b->n > b->capacity) {
        b->nodes = weft_realloc(b->nodes, (b->n + 1) * sizeof *b->nodes);
        b->capacity = b->n + 1;
    }
    for (size_t i = b->n - count; i < b->n; i++) /* a node that is its own parent is not
                                                    filled yet */
        b->nodes[i] =
            (struct weft_tree_node){ .parent = (uint32_t)i, .ordinal = WEFT_NONE };
    return &tree->pes[tree->n_pes++];
}

uint32_t weft_tree_label(struct weft_tree_builder *b, const struct weft_tree_label *label)
{
    struct weft_tree *tree = b->tree;
    tree->labels = weft_grow(tree->labels, &b->label_capacity, tree->n_labels + 1,
                             sizeof *tree->labels);
    uint32_t named = label->value != WEFT_NONE ? weft_id_map_get(&b->named, label->value)
                                               : WEFT_MAP_NONE;
    struct weft_tree_label *made = &tree->labels[tree->n_labels];
    *made = *label;
    made->name = named != WEFT_MAP_NONE ? tree->labels[named].name
                                        : weft_arena_strdup(&tree->arena, label->name);
    if (label->value != WEFT_NONE && named == WEFT_MAP_NONE)
        weft_id_map_put(&b->named, label->value, tree->n_labels);
    return tree->n_labels++;
}

void weft_tree_put(struct weft_tree_builder *b, uint32_t number,
                   const struct weft_tree_node *node)
{
    WEFT_REQUIRE(number < b->n, "node %u", number);
    b->nodes[number] = *node;
}

struct weft_tree_node *weft_tree_nodes(struct weft_tree_builder *b, uint32_t first)
{
    return b->nodes + first;
}

uint32_t weft_tree_add(struct weft_tree_builder *b, const struct weft_tree_node *node)
{
    WEFT_REQUIRE(b->n < MAX_NODES, "too many nodes");
    b->nodes = weft_grow(b->nodes, &b->capacity, b->n + 1, sizeof *b->nodes);
    b->nodes[b->n] = *node;
    return (uint32_t)b->n++;
}

/*
 * Finds the root, or adds one above several. A node whose parent does not exist becomes its
 * own parent, so the walk from the root does not reach it.
 */
static uint32_t find_root(struct weft_tree_builder *b)
{
    uint32_t root = WEFT_NONE, roots = 0;
    for (size_t i = 0; i < b->n && !is_stopped(b, i); i++) {
        roots += b->nodes[i].parent == WEFT_NONE;
        if (b->nodes[i].parent == WEFT_NONE)
            root = (uint32_t)i;
        else if (b->nodes[i].parent >= b->n)
            b->nodes[i].parent = (uint32_t)i;
        b->indexed |= b->nodes[i].index != 0;
        b->ranked |= b->nodes[i].record != 0;
    }
    if (roots < 2)
        return root;
    b->tree->has_all = true;
    int64_t first = INT64_MAX;
    uint32_t label =
        weft_tree_label(b, &(struct weft_tree_label){ "all", WEFT_NONE, 0, WEFT_NONE });
    for (size_t i = 0; i < b->n; i++) {
        if (b->nodes[i].parent != WEFT_NONE)
            continue;
        b->nodes[i].parent = (uint32_t)b->n;
        first = b->nodes[i].time < first ? b->nodes[i].time : first;
    }
    return weft_tree_add(
        b, &(struct weft_tree_node){
               .parent = WEFT_NONE, .label = label, .time = first, .ordinal = WEFT_NONE });
}

/* Ranks nodes without records by time, then by number. */
static void rank_by_time(struct weft_tree_builder *b)
{
    struct weft_sort_item *items = weft_alloc((b->n + 1) * sizeof *items);
    for (size_t i = 0; i < b->n && !is_stopped(b, i); i++)
        items[i] =
            (struct weft_sort_item){ (uint64_t)b->nodes[i].time ^ UINT64_C(1) << 63, i };
    if (!weft_job_cancelled(b->job))
        weft_sort(items, b->n);
    uint32_t rank = 0;
    for (size_t i = 0; i < b->n && !is_stopped(b, i); i++) {
        struct weft_tree_node *node = &b->nodes[items[i].payload];
        node->record = node->ordinal == WEFT_NONE ? 0 : ++rank;
    }
    free(items);
}

/*
 * Returns the node of each record, or WEFT_NONE: listed in this order, children need no
 * sorting. NULL when two nodes have the same record, or a record exceeds the number of
 * nodes.
 */
static uint32_t *by_record(const struct weft_tree_builder *b)
{
    size_t n = b->n;
    uint32_t *nodes = weft_alloc((n + 1) * sizeof *nodes);
    memset(nodes, 0xff, (n + 1) * sizeof *nodes);
    for (size_t i = 0; i < n && !is_stopped(b, i); i++) {
        uint32_t record = b->nodes[i].record;
        if (!record)
            continue;
        if (record > n || nodes[record] != WEFT_NONE) {
            free(nodes);
            return NULL;
        }
        nodes[record] = (uint32_t)i;
    }
    return nodes;
}

static bool has_parent(const struct weft_tree_builder *b, size_t i)
{
    return b->nodes[i].parent != WEFT_NONE && b->nodes[i].parent != i;
}

/*
 * Lists the children of each node by record if by_record succeeds, else by number; then the
 * walk sorts them.
 */
static void list_children(struct weft_tree_builder *b)
{
    size_t n = b->n;
    uint32_t *sequence = by_record(b);
    b->begin = weft_zalloc(n + 2, sizeof *b->begin);
    b->children = weft_alloc((n + 1) * sizeof *b->children);
    b->sorted = sequence != NULL;
    for (size_t i = 0; i < n && !is_stopped(b, i); i++)
        if (has_parent(b, i))
            b->begin[b->nodes[i].parent + 2]++;
    for (size_t i = 2; i < n + 2 && !is_stopped(b, i); i++)
        b->begin[i] += b->begin[i - 1];
    /* Children without a record come first. */
    for (size_t i = 0; i < n && !is_stopped(b, i); i++)
        if (has_parent(b, i) && (!sequence || !b->nodes[i].record))
            b->children[b->begin[b->nodes[i].parent + 1]++] = (uint32_t)i;
    /* No node has record 0, but at 0 is_stopped checks the job before any write. */
    for (size_t r = 0; sequence && r <= n && !is_stopped(b, r); r++) {
        uint32_t i = sequence[r];
        if (i != WEFT_NONE && has_parent(b, i))
            b->children[b->begin[b->nodes[i].parent + 1]++] = i;
    }
    free(sequence);
}

/* Sorts the children of one node by record. */
static void sort_family(const struct weft_tree_node *nodes, uint32_t *family, size_t n)
{
    if (n <= SMALL_FAMILY) {
        for (size_t i = 1; i < n; i++) {
            uint32_t child = family[i], record = nodes[child].record;
            size_t j = i;
            for (; j > 0 && nodes[family[j - 1]].record > record; j--)
                family[j] = family[j - 1];
            family[j] = child;
        }
        return;
    }
    struct weft_sort_item *items = weft_alloc(n * sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = (struct weft_sort_item){ nodes[family[i]].record, family[i] };
    weft_sort(items, n);
    for (size_t i = 0; i < n; i++)
        family[i] = (uint32_t)items[i].payload;
    free(items);
}

/* Prefetches nodes ahead of the walk: they are far apart in memory. */
static inline void look_ahead(const struct weft_tree_builder *b, uint32_t i, uint32_t n)
{
    if (i + AHEAD_BEGIN < n)
        __builtin_prefetch(&b->begin[b->order[i + AHEAD_BEGIN]]);
    if (i + AHEAD_CHILDREN < n)
        __builtin_prefetch(&b->children[b->begin[b->order[i + AHEAD_CHILDREN]]]);
    if (i + AHEAD_RECORDS >= n)
        return;
    if (b->sorted)
        return;
    uint32_t number = b->order[i + AHEAD_RECORDS];
    uint32_t size = b->begin[number + 1] - b->begin[number];
    if (size < 2)
        return;
    const uint32_t *family = b->children + b->begin[number];
    for (uint32_t c = 0; c < (size < MAX_FETCHED_BLOCKS ? size : MAX_FETCHED_BLOCKS); c++)
        __builtin_prefetch(&b->nodes[family[c]].record);
}

/* Walks breadth-first from the root: fills order, first_child, parent and the levels. */
static bool walk(struct weft_tree_builder *b, uint32_t root, struct weft_job *job,
                 struct weft_err *err)
{
    enum { STEP = 1 << 14 }; /* nodes between two looks at the job: about a millisecond */
    struct weft_tree *tree = b->tree;
    size_t levels = 0, capacity = 0;
    uint32_t level_end = 0, n = 1;
    b->order = weft_alloc((b->n + 1) * sizeof *b->order);
    tree->first_child = weft_alloc((b->n + 1) * sizeof *tree->first_child);
    tree->parent = weft_alloc((b->n + 1) * sizeof *tree->parent);
    b->order[0] = root;
    tree->parent[0] = WEFT_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (i == level_end) {
            tree->level_begin = weft_grow(tree->level_begin, &capacity, levels + 2,
                                          sizeof *tree->level_begin);
            tree->level_begin[levels++] = i;
            level_end = n;
        }
        if (i % STEP == 0 && !weft_job_step(job, i, b->n, err))
            return false;
        look_ahead(b, i, n);
        uint32_t number = b->order[i];
        uint32_t *family = b->children + b->begin[number];
        uint32_t size = b->begin[number + 1] - b->begin[number];
        if (size > 1 && !b->sorted)
            sort_family(b->nodes, family, size);
        tree->first_child[i] = n;
        for (uint32_t c = 0; c < size; c++) {
            tree->parent[n] = i;
            b->order[n++] = family[c];
        }
    }
    tree->first_child[n] = n;
    tree->level_begin[levels] = n;
    tree->n = n;
    tree->n_levels = (uint32_t)levels;
    tree->n_added = (uint32_t)b->n;
    tree->lost = (uint32_t)(b->n - n);
    return true;
}

static void gather(void *user, size_t part)
{
    struct weft_tree_builder *b = user;
    struct weft_tree *tree = b->tree;
    size_t from = part * GRAIN, to = from + GRAIN < tree->n ? from + GRAIN : tree->n;
    if (weft_job_cancelled(b->job))
        return;
    for (size_t i = from; i < to; i++) {
        if (i + AHEAD_NODES < to)
            __builtin_prefetch(&b->nodes[b->order[i + AHEAD_NODES]]);
        const struct weft_tree_node *node = &b->nodes[b->order[i]];
        tree->time[i] = node->time;
        tree->pe[i] = node->pe;
        tree->label[i] = node->label;
        tree->ordinal[i] = node->ordinal;
        tree->record[i] = node->record;
        if (tree->index)
            tree->index[i] = node->index;
        tree->node_of[b->order[i]] = (uint32_t)i;
    }
}

/* Fills the maps of weft_tree_find. Threads were added after all entities. */
static void index_ids(struct weft_tree *tree)
{
    const struct weft_tree_pe *last = tree->n_pes ? &tree->pes[tree->n_pes - 1] : NULL;
    for (uint32_t p = 0; p < tree->n_pes; p++)
        if (tree->pes[p].track != WEFT_NONE)
            weft_id_map_put(&tree->rows, tree->pes[p].track, p);
    for (uint64_t i = last ? last->first + last->count : 0; i < tree->n_added; i++) {
        uint64_t id = tree->node_of[i] != WEFT_NONE ? weft_tree_id(tree, tree->node_of[i])
                                                    : WEFT_NO_ID;
        if (weft_is_container_id(id))
            weft_id_map_put(&tree->threads, weft_entity_ordinal(id), tree->node_of[i]);
    }
}

static void fill(struct weft_tree_builder *b)
{
    struct weft_tree *tree = b->tree;
    size_t n = tree->n;
    /* The lists of children are no longer needed: one is freed, one reused. */
    free(b->children);
    tree->node_of = b->begin;
    b->children = b->begin = NULL;
    memset(tree->node_of, 0xff, (b->n + 1) * sizeof *tree->node_of);
    tree->time = weft_alloc(n * sizeof *tree->time);
    tree->pe = weft_alloc(n * sizeof *tree->pe);
    tree->label = weft_alloc(n * sizeof *tree->label);
    tree->ordinal = weft_alloc(n * sizeof *tree->ordinal);
    tree->record = weft_alloc(n * sizeof *tree->record);
    tree->index = b->indexed ? weft_alloc(n * sizeof *tree->index) : NULL;
    weft_parallel((n + GRAIN - 1) / GRAIN, 1, gather, b);
    free(b->nodes);
    b->nodes = NULL;
    tree->count = b->order; /* reused: both are arrays of 32-bit numbers */
    b->order = NULL;
    for (size_t i = 0; i < n; i++)
        tree->count[i] = 1;
    for (size_t i = n; i-- > 1 && !is_stopped(b, i);)
        tree->count[tree->parent[i]] += tree->count[i];
    if (!weft_job_cancelled(b->job))
        index_ids(tree);
}

struct weft_tree *weft_tree_finish(struct weft_tree_builder *b, struct weft_job *job,
                                   struct weft_err *err)
{
    b->job = job;
    uint32_t root = find_root(b);
    struct weft_tree *tree = NULL;
    bool ok = weft_job_step(job, 0, b->n, err)
              && (root != WEFT_NONE
                  || weft_fail(err, WEFT_ERR_FORMAT,
                               "the tree has no root: every node has a parent"));
    if (ok && !b->ranked)
        rank_by_time(b);
    if (ok)
        list_children(b);
    ok = ok && weft_job_step(job, 0, b->n, err) && walk(b, root, job, err)
         && weft_job_step(job, b->n, b->n, err);
    if (ok)
        fill(b);
    if (ok && weft_job_step(job, b->n, b->n, err)) {
        tree = b->tree;
        b->tree = NULL;
    }
    weft_tree_builder_free(b);
    return tree;
}

/* ---- Finding ---- */

uint64_t weft_tree_id(const struct weft_tree *tree, uint32_t node)
{
    const struct weft_tree_pe *pe = &tree->pes[tree->pe[node]];
    if (tree->ordinal[node] != WEFT_NONE)
        return weft_entity_id(pe->track, tree->ordinal[node]);
    return (node == 0 && tree->has_all) || pe->container == WEFT_NONE
               ? WEFT_NO_ID
               : weft_container_id(pe->container, false);
}

uint32_t weft_tree_find(const struct weft_tree *tree, uint64_t id)
{
    uint64_t ordinal = weft_entity_ordinal(id);
    if (weft_is_container_id(id)) {
        uint32_t thread = weft_id_map_get(&tree->threads, ordinal);
        return thread == WEFT_MAP_NONE ? WEFT_NONE : thread;
    }
    uint32_t row = weft_id_map_get(&tree->rows, weft_entity_track(id));
    return row != WEFT_MAP_NONE && ordinal < tree->pes[row].count
               ? tree->node_of[tree->pes[row].first + ordinal]
               : WEFT_NONE;
}

uint32_t weft_tree_find_record(const struct weft_tree *tree, uint64_t record)
{
    for (uint32_t i = 0; record && i < tree->n; i++)
        if (tree->record[i] == record)
            return i;
    return WEFT_NONE;
}

uint32_t weft_tree_index(const struct weft_tree *tree, uint32_t node)
{
    return tree->index                        ? tree->index[node]
           : tree->ordinal[node] == WEFT_NONE ? 0
                                              : tree->ordinal[node] + 1;
}

uint32_t weft_tree_find_index(const struct weft_tree *tree, uint32_t pe, uint64_t index)
{
    if (pe >= tree->n_pes)
        return WEFT_NONE;
    for (uint64_t i = 0; i < tree->pes[pe].count; i++) {
        uint32_t node = tree->node_of[tree->pes[pe].first + i];
        if (node != WEFT_NONE && weft_tree_index(tree, node) == index)
            return node;
    }
    return WEFT_NONE;
}

uint32_t weft_tree_level(const struct weft_tree *tree, uint32_t node)
{
    return WEFT_LAST(level, 0, tree->n_levels, tree->level_begin[level] <= node);
}

struct weft_span weft_tree_shares(const struct weft_tree *tree, uint32_t node,
                                  uint64_t *of_pe)
{
    struct weft_span span = { INT64_MAX, INT64_MIN };
    struct weft_tree_run run = { node, node + 1 };
    for (; run.begin < run.end; run = weft_tree_below(tree, run))
        for (uint32_t i = run.begin; i < run.end; i++) {
            span.begin = tree->time[i] < span.begin ? tree->time[i] : span.begin;
            span.end = tree->time[i] > span.end ? tree->time[i] : span.end;
            of_pe[tree->pe[i]] += tree->ordinal[i] != WEFT_NONE;
        }
    return span;
}
