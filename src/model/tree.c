/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a tree: nodes come in any order, each with the number of its parent, and are put in
 * order of levels by one walk in breadth.  Nothing recurses: trees are as deep as they like.
 */
#include "model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "store/sort.h"

enum { SMALL_FAMILY = 24, GRAIN = 1 << 16 };

#define MOST_NODES (UINT32_MAX - 16)

struct weft_tree_builder {
    struct weft_tree *tree;
    struct weft_tree_node *nodes; /* by number */
    size_t n, capacity;
    size_t pe_capacity, label_capacity;
    bool indexed, ranked; /* nodes have indices, records of their own */
    bool sorted;          /* children are listed in the order of their records */
    uint32_t *order;      /* numbers, in order of levels */
    uint32_t *children;   /* numbers, by parent */
    uint32_t *begin;      /* [n + 1] in children, by parent's number */
};

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
           + tree->n_pes * sizeof *tree->pes + tree->n_labels * sizeof *tree->labels
           + tree->arena.used;
}

const struct weft_tree_pe *weft_tree_pe(struct weft_tree_builder *b, const char *name,
                                        uint32_t container, uint32_t track, uint64_t count)
{
    struct weft_tree *tree = b->tree;
    if (tree->n_pes == WEFT_TREE_MOST_PES || count > MOST_NODES - b->n)
        return NULL;
    tree->pes = weft_grow(tree->pes, &b->pe_capacity, tree->n_pes + 1, sizeof *tree->pes);
    tree->pes[tree->n_pes] =
        (struct weft_tree_pe){ weft_arena_strdup(&tree->arena, name), container, track,
                               (uint32_t)b->n, count };
    b->n += count;
    if (b->n > b->capacity) { /* exactly: a tree may be most of the memory that there is */
        b->nodes = weft_realloc(b->nodes, (b->n + 1) * sizeof *b->nodes);
        b->capacity = b->n + 1;
    }
    for (size_t i = b->n - count; i < b->n; i++)
        b->nodes[i].parent = (uint32_t)i; /* its own parent: never put */
    return &tree->pes[tree->n_pes++];
}

uint32_t weft_tree_label(struct weft_tree_builder *b, const struct weft_tree_label *label)
{
    struct weft_tree *tree = b->tree;
    tree->labels = weft_grow(tree->labels, &b->label_capacity, tree->n_labels + 1,
                             sizeof *tree->labels);
    tree->labels[tree->n_labels] = *label;
    tree->labels[tree->n_labels].name = weft_arena_strdup(&tree->arena, label->name);
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
    WEFT_REQUIRE(b->n < MOST_NODES, "too many nodes");
    b->nodes = weft_grow(b->nodes, &b->capacity, b->n + 1, sizeof *b->nodes);
    b->nodes[b->n] = *node;
    return (uint32_t)b->n++;
}

/* Find the root, or make one above several.  Parents that are none become roots of nothing. */
static uint32_t find_root(struct weft_tree_builder *b)
{
    uint32_t root = WEFT_NONE, roots = 0;
    for (size_t i = 0; i < b->n; i++) {
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

/* Without records: the order of time, and of numbers within it. */
static void rank_by_time(struct weft_tree_builder *b)
{
    struct weft_sort_item *items = weft_alloc((b->n + 1) * sizeof *items);
    for (size_t i = 0; i < b->n; i++)
        items[i] =
            (struct weft_sort_item){ (uint64_t)b->nodes[i].time ^ UINT64_C(1) << 63, i };
    weft_sort(items, b->n);
    uint32_t rank = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct weft_tree_node *node = &b->nodes[items[i].payload];
        node->record = node->ordinal == WEFT_NONE ? 0 : ++rank;
    }
    free(items);
}

/*
 * The nodes by their records, so that nobody needs to sort children; WEFT_NONE where a record
 * has none.  NULL: two nodes have one record, or records are far more than nodes.
 */
static uint32_t *by_record(const struct weft_tree_builder *b)
{
    size_t n = b->n;
    uint32_t *nodes = weft_alloc((n + 1) * sizeof *nodes);
    memset(nodes, 0xff, (n + 1) * sizeof *nodes);
    for (size_t i = 0; i < n; i++) {
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

/* List the children of each node: by their records, else by their numbers, to be sorted. */
static void list_children(struct weft_tree_builder *b)
{
    size_t n = b->n;
    uint32_t *sequence = by_record(b);
    b->begin = weft_zalloc(n + 2, sizeof *b->begin);
    b->children = weft_alloc((n + 1) * sizeof *b->children);
    b->sorted = sequence != NULL;
    for (size_t i = 0; i < n; i++)
        if (has_parent(b, i))
            b->begin[b->nodes[i].parent + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        b->begin[i] += b->begin[i - 1];
    for (size_t i = 0; i < n; i++) /* those without a record come first */
        if (has_parent(b, i) && (!sequence || !b->nodes[i].record))
            b->children[b->begin[b->nodes[i].parent + 1]++] = (uint32_t)i;
    for (size_t r = 1; sequence && r <= n; r++) {
        uint32_t i = sequence[r];
        if (i != WEFT_NONE && has_parent(b, i))
            b->children[b->begin[b->nodes[i].parent + 1]++] = i;
    }
    free(sequence);
}

/* Children stand in the order of their records. */
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

/* What is walked next is far apart in memory: ask for it some steps before. */
static inline void look_ahead(const struct weft_tree_builder *b, uint32_t i, uint32_t n)
{
    if (i + 64 < n)
        __builtin_prefetch(&b->begin[b->order[i + 64]]);
    if (i + 48 < n)
        __builtin_prefetch(&b->children[b->begin[b->order[i + 48]]]);
    if (i + 32 >= n)
        return;
    if (b->sorted)
        return;
    uint32_t number = b->order[i + 32], size = b->begin[number + 1] - b->begin[number];
    if (size < 2)
        return;
    const uint32_t *family = b->children + b->begin[number];
    for (uint32_t c = 0; c < (size < 4 ? size : 4); c++)
        __builtin_prefetch(&b->nodes[family[c]].record);
}

/* Breadth first from the root: fills order, first_child, parent and the levels. */
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
    for (size_t i = from; i < to; i++) {
        if (i + 12 < to)
            __builtin_prefetch(&b->nodes[b->order[i + 12]]);
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

static void fill(struct weft_tree_builder *b)
{
    struct weft_tree *tree = b->tree;
    size_t n = tree->n;
    /* The lists have served; their memory becomes the tree's. */
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
    tree->count = b->order; /* the same number of the same size */
    b->order = NULL;
    for (size_t i = 0; i < n; i++)
        tree->count[i] = 1;
    for (size_t i = n; i-- > 1;)
        tree->count[tree->parent[i]] += tree->count[i];
}

struct weft_tree *weft_tree_finish(struct weft_tree_builder *b, struct weft_job *job,
                                   struct weft_err *err)
{
    uint32_t root = find_root(b);
    struct weft_tree *tree = NULL;
    if (root == WEFT_NONE) {
        weft_fail(err, WEFT_ERR_FORMAT, "the tree has no root: every node has a parent");
    } else {
        if (!b->ranked)
            rank_by_time(b);
        list_children(b);
        if (walk(b, root, job, err) && weft_job_step(job, b->n, b->n, err)) {
            fill(b);
            tree = b->tree;
            b->tree = NULL;
        }
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
    uint32_t track = weft_entity_track(id);
    uint64_t ordinal = weft_entity_ordinal(id);
    if (weft_is_container_id(id)) { /* those nodes stand right below the root */
        for (uint32_t i = 0; tree->n_levels > 1 && i < tree->level_begin[2]; i++)
            if (weft_tree_id(tree, i) == id)
                return i;
        return WEFT_NONE;
    }
    /* Rows are in the order of their tracks, but for those without one. */
    for (uint32_t p = 0; p < tree->n_pes; p++)
        if (tree->pes[p].track == track)
            return ordinal < tree->pes[p].count
                       ? tree->node_of[tree->pes[p].first + ordinal]
                       : WEFT_NONE;
    return WEFT_NONE;
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
    uint32_t low = 0, high = tree->n_levels;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->level_begin[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
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
