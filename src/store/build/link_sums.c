/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the trees of sums of links.  A few leaves at a time are summed from the links in
 * parallel, and each four nodes of a level make one of the next, so that memory holds a few
 * nodes of each level.
 */
#include <stdlib.h>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "store/link_sums.h"
#include "store/write_row_blocks.h"

enum {
    BATCH = 32,         /* leaves summed at once */
    MAX_ROWS = 1 << 21, /* a node with more (48 MiB) is not summed into the next level */
};

struct node {                   /* of an incomplete level */
    struct weft_pair_row *rows; /* NULL: too many */
    size_t n_rows;
    uint64_t cost; /* rows or links to read for its sums, given the nodes that were
                      written */
};

struct tree {
    struct weft_pair_list list;
    const struct weft_pair_row *late; /* links that run backwards; NULL: the others */
    size_t n_late;
    struct weft_row_blocks *out;
    struct weft_file_pair_node *nodes; /* leaves, then the next level, ... */
    uint64_t level_begin[WEFT_PAIR_LEVELS], level_size[WEFT_PAIR_LEVELS];
    uint64_t made[WEFT_PAIR_LEVELS];
    struct node waiting[WEFT_PAIR_LEVELS][WEFT_PAIR_FAN];
    unsigned n_levels;
    uint64_t batch_first;
    struct node batch[BATCH];
};

static void sum_leaf(void *user, size_t i)
{
    struct tree *tree = user;
    uint64_t first = (tree->batch_first + i) * WEFT_PAIR_LEAF;
    uint64_t after = first + WEFT_PAIR_LEAF;
    after = after < tree->list.n_blocks ? after : tree->list.n_blocks;
    const struct weft_pair_filter all = { .choice = WEFT_PAIRS_ALL };
    struct weft_pair_links links;
    struct weft_pair_table table;
    struct node *node = &tree->batch[i];
    *node = (struct node){ 0 };
    weft_pair_table_begin(&table, tree->list.n_ends, (after - first) * WEFT_BLOCK_ROWS);
    for (uint64_t b = first; b < after && !tree->late; b++) {
        size_t n = weft_pair_read(&tree->list, b, &all, &links);
        node->cost += n;
        for (size_t row = 0; row < n; row++)
            weft_pair_add(&table, links.pairs[row], 1, links.bytes[row]);
    }
    if (tree->late) { /* their blocks are not readable yet */
        uint64_t at = first * WEFT_BLOCK_ROWS, end = after * WEFT_BLOCK_ROWS;
        for (; at < end && at < tree->n_late; at++, node->cost++)
            weft_pair_add(&table, tree->late[at].pair, 1, tree->late[at].bytes);
    }
    node->rows = weft_pair_table_rows(&table, &node->n_rows);
    weft_pair_table_end(&table);
}

static void write_rows(struct weft_row_blocks *out, const struct weft_pair_row *rows,
                       size_t n_rows)
{
    int64_t columns[WEFT_PAIR_COLUMNS][WEFT_BLOCK_ROWS];
    for (size_t first = 0; first < n_rows; first += WEFT_BLOCK_ROWS) {
        size_t n = n_rows - first < WEFT_BLOCK_ROWS ? n_rows - first : WEFT_BLOCK_ROWS;
        const struct weft_pair_row *from = rows + first;
        for (size_t i = 0; i < n; i++) {
            columns[WEFT_PAIR_STEP][i] =
                i ? (int64_t)(from[i].pair - from[i - 1].pair - 1) : 0;
            columns[WEFT_PAIR_COUNT][i] = (int64_t)from[i].count;
            columns[WEFT_PAIR_BYTES][i] = from[i].bytes;
        }
        struct weft_file_block entry = { .time = (int64_t)from[0].pair, .ordinal = first };
        weft_row_blocks_add(out, entry, columns, WEFT_PAIR_COLUMNS, n, 0);
    }
}

/* Sums four nodes by merging their rows. */
static struct node sum_nodes(struct node *parts)
{
    struct node sum = { 0 };
    size_t at[WEFT_PAIR_FAN] = { 0 }, most = 0;
    bool all = true;
    for (int i = 0; i < WEFT_PAIR_FAN; i++) {
        all &= parts[i].rows != NULL;
        most += parts[i].n_rows;
        sum.cost += parts[i].cost;
    }
    sum.rows = all ? weft_alloc((most + 1) * sizeof *sum.rows) : NULL;
    while (all) {
        uint64_t least = UINT64_MAX;
        for (int i = 0; i < WEFT_PAIR_FAN; i++)
            if (at[i] < parts[i].n_rows && parts[i].rows[at[i]].pair < least)
                least = parts[i].rows[at[i]].pair;
        if (least == UINT64_MAX)
            break;
        struct weft_pair_row row = { .pair = least };
        for (int i = 0; i < WEFT_PAIR_FAN; i++) {
            if (at[i] == parts[i].n_rows || parts[i].rows[at[i]].pair != least)
                continue;
            const struct weft_pair_row *add = &parts[i].rows[at[i]++];
            row.count += add->count;
            row.bytes = (int64_t)((uint64_t)row.bytes + (uint64_t)add->bytes);
        }
        sum.rows[sum.n_rows++] = row;
    }
    for (int i = 0; i < WEFT_PAIR_FAN; i++)
        free(parts[i].rows);
    return sum;
}

/*
 * Writes a node if it at least halves the reading, and keeps it until its siblings are
 * made.
 */
static void finish_node(struct tree *tree, unsigned level, struct node node)
{
    for (;;) {
        uint64_t index = tree->made[level]++;
        struct weft_file_pair_node *file = &tree->nodes[tree->level_begin[level] + index];
        if (node.rows && node.n_rows && 2 * node.n_rows <= node.cost) {
            *file = (struct weft_file_pair_node){ tree->out->n, node.n_rows };
            write_rows(tree->out, node.rows, node.n_rows);
            node.cost = node.n_rows;
        }
        if (node.n_rows > MAX_ROWS) {
            free(node.rows);
            node.rows = NULL;
        }
        tree->waiting[level][index % WEFT_PAIR_FAN] = node;
        if (index % WEFT_PAIR_FAN != WEFT_PAIR_FAN - 1)
            return;
        node = sum_nodes(tree->waiting[level]);
        memset(tree->waiting[level], 0, sizeof tree->waiting[level]);
        level++;
    }
}

static bool sum_leaves(struct tree *tree, struct weft_job *job, struct weft_err *err)
{
    uint64_t n_leaves = tree->level_size[0];
    bool ok = true;
    for (uint64_t first = 0; first < n_leaves && ok; first += BATCH) {
        uint64_t left = n_leaves - first;
        size_t n = left < BATCH ? (size_t)left : BATCH;
        tree->batch_first = first;
        weft_parallel(n, 1, sum_leaf, tree);
        for (size_t i = 0; i < n; i++)
            finish_node(tree, 0, tree->batch[i]);
        ok = weft_job_step(job, first, n_leaves, err);
    }
    for (unsigned level = 0; level < WEFT_PAIR_LEVELS; level++)
        for (int i = 0; i < WEFT_PAIR_FAN; i++)
            free(tree->waiting[level][i].rows);
    return ok;
}

/*
 * LATE: NULL, or the rows of links that run backwards, whose blocks begin at FIRST_BLOCK.
 */
static bool build_tree(const struct weft_pair_list *list, const struct weft_pair_row *late,
                       size_t n_late, uint64_t first_block, struct weft_row_blocks *out,
                       struct weft_row_tables *tables, struct weft_job *job,
                       struct weft_err *err)
{
    struct tree *tree = weft_zalloc(1, sizeof *tree);
    tree->list = *list;
    tree->late = late;
    tree->n_late = n_late;
    tree->out = out;
    uint64_t n_nodes = weft_pair_nodes(list->n_blocks);
    uint64_t level = (list->n_blocks + WEFT_PAIR_LEAF - 1) / WEFT_PAIR_LEAF, begin = 0;
    for (; level; begin += level, level /= WEFT_PAIR_FAN, tree->n_levels++) {
        tree->level_begin[tree->n_levels] = begin;
        tree->level_size[tree->n_levels] = level;
    }
    tree->nodes = weft_zalloc(n_nodes + 1, sizeof *tree->nodes);
    bool ok = sum_leaves(tree, job, err);
    struct weft_file_pair_tree file = { .track = list->track,
                                        .n_ends = list->n_ends,
                                        .first_end = tables->n_ends - list->n_ends,
                                        .first_node = tables->n_nodes,
                                        .n_nodes = n_nodes,
                                        .first_block = first_block,
                                        .n_blocks = late ? list->n_blocks : 0,
                                        .late = late != NULL };
    tables->nodes = weft_grow(tables->nodes, &tables->node_capacity,
                              tables->n_nodes + n_nodes + 1, sizeof *tables->nodes);
    memcpy(tables->nodes + tables->n_nodes, tree->nodes, n_nodes * sizeof *tree->nodes);
    tables->n_nodes += n_nodes;
    tables->trees = weft_grow(tables->trees, &tables->tree_capacity, tables->n_trees + 1,
                              sizeof *tables->trees);
    tables->trees[tables->n_trees++] = file;
    free(tree->nodes);
    free(tree);
    return ok;
}

struct late_link {
    int64_t begin, from, to, bytes;
};

struct track_ends { /* of the links of a track, and its links that run backwards */
    const struct weft_pair_list *list;
    bool *seen;      /* by container, last: a missing end; all false between tracks */
    uint64_t *found; /* the containers in `seen` */
    size_t n_found;
    struct late_link *late;
    size_t n_late, late_capacity;
};

static void see_end(struct track_ends *ends, int64_t end)
{
    uint32_t none = ends->list->trace->schema.n_containers;
    uint32_t c = end >= 0 && end < none ? (uint32_t)end : none;
    if (!ends->seen[c])
        ends->found[ends->n_found++] = c;
    ends->seen[c] = true;
}

static void see_block(const struct weft_file_block *block, struct track_ends *ends)
{
    const struct weft_trace *trace = ends->list->trace;
    int64_t bytes[WEFT_BLOCK_ROWS];
    bool has_bytes = false;
    int64_t columns[WEFT_LINK_TO + 1][WEFT_BLOCK_ROWS];
    size_t n = weft_rows_decode(trace, block, columns, WEFT_LINK_TO + 1);
    weft_times_from_deltas(columns[WEFT_LINK_DELTA], n, block->time);
    for (size_t i = 0; i < n; i++) {
        int64_t from = columns[WEFT_LINK_FROM][i], to = columns[WEFT_LINK_TO][i];
        see_end(ends, from);
        see_end(ends, to);
        if (!columns[WEFT_LINK_BEGIN][i])
            continue;
        if (!has_bytes)
            weft_pair_bytes(ends->list, block->ordinal, n, bytes);
        has_bytes = true;
        ends->late = weft_grow(ends->late, &ends->late_capacity, ends->n_late + 1,
                               sizeof *ends->late);
        ends->late[ends->n_late++] =
            (struct late_link){ (int64_t)((uint64_t)columns[WEFT_LINK_DELTA][i]
                                          + (uint64_t)columns[WEFT_LINK_BEGIN][i]),
                                from, to, bytes[i] };
    }
}

/*
 * Writes the links that run backwards in order of begin; returns their rows in that order.
 */
static struct weft_pair_row *write_late(const struct track_ends *ends,
                                        struct weft_row_blocks *out)
{
    struct weft_pair_row *rows = weft_alloc(ends->n_late * sizeof *rows);
    struct weft_sort_item *order = weft_alloc((ends->n_late + 1) * sizeof *order);
    int64_t columns[WEFT_LATE_COLUMNS][WEFT_BLOCK_ROWS], before = 0, first = 0;
    for (size_t i = 0; i < ends->n_late; i++)
        order[i] =
            (struct weft_sort_item){ (uint64_t)ends->late[i].begin ^ UINT64_C(1) << 63, i };
    weft_sort(order, ends->n_late);
    for (size_t i = 0; i < ends->n_late; i++) {
        const struct late_link *link = &ends->late[order[i].payload];
        size_t row = i % WEFT_BLOCK_ROWS;
        first = row ? first : link->begin;
        columns[WEFT_LATE_STEP][row] =
            row ? (int64_t)((uint64_t)link->begin - (uint64_t)before) : 0;
        before = link->begin;
        rows[i] = (struct weft_pair_row){ weft_pair_of(ends->list, link->from, link->to), 1,
                                          link->bytes };
        columns[WEFT_LATE_PAIR][row] = (int64_t)rows[i].pair;
        columns[WEFT_LATE_BYTES][row] = link->bytes;
        if (row + 1 == WEFT_BLOCK_ROWS || i + 1 == ends->n_late)
            weft_row_blocks_add(out, (struct weft_file_block){ .time = first }, columns,
                                WEFT_LATE_COLUMNS, row + 1, 0);
    }
    free(order);
    return rows;
}

/*
 * Appends the containers at the ends of a track's links to the table of ends; returns their
 * number.
 */
static uint32_t keep_ends(const struct weft_trace *trace, struct track_ends *ends,
                          struct weft_row_tables *tables)
{
    uint32_t n = (uint32_t)ends->n_found;
    weft_sort_keys(ends->found, n);
    tables->ends = weft_grow(tables->ends, &tables->end_capacity, tables->n_ends + n,
                             sizeof *tables->ends);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = (uint32_t)ends->found[i];
        tables->ends[tables->n_ends++] = c < trace->schema.n_containers ? c : WEFT_NONE;
        ends->seen[c] = false;
    }
    ends->n_found = 0;
    return n;
}

static bool build_track(const struct weft_trace *trace, uint32_t index,
                        struct track_ends *ends, struct weft_row_blocks *out,
                        struct weft_row_tables *tables, struct weft_job *job,
                        struct weft_err *err)
{
    enum { STEP = 256 }; /* blocks between two looks at the job */
    const struct weft_file_track *track = &trace->tracks[index];
    struct weft_pair_list list = { .trace = trace,
                                   .track = index,
                                   .blocks = trace->directory + track->first_block,
                                   .n_blocks = track->n_blocks,
                                   .bytes = weft_pair_bytes_column(trace, index) };
    ends->list = &list;
    ends->n_late = 0;
    for (uint64_t b = 0; b < track->n_blocks; b++) {
        if (b % STEP == 0 && !weft_job_step(job, b, track->n_blocks, err))
            return false;
        see_block(&list.blocks[b], ends);
    }
    list.n_ends = keep_ends(trace, ends, tables);
    list.ends = tables->ends + tables->n_ends - list.n_ends;
    weft_pair_list_begin(&list);
    bool ok = build_tree(&list, NULL, 0, 0, out, tables, job, err);
    if (ok && ends->n_late) {
        uint64_t first = out->n;
        struct weft_pair_row *late = write_late(ends, out);
        list.n_blocks = out->n - first;
        ok = build_tree(&list, late, ends->n_late, first, out, tables, job, err);
        free(late);
    }
    free(list.position);
    return ok;
}

bool weft_pairs_build(const struct weft_trace *trace, struct weft_row_blocks *out,
                      struct weft_row_tables *tables, struct weft_job *job,
                      struct weft_err *err)
{
    const struct weft_schema *schema = &trace->schema;
    size_t n = (size_t)schema->n_containers + 1;
    struct track_ends ends = { .seen = weft_zalloc(n, sizeof *ends.seen),
                               .found = weft_alloc(n * sizeof *ends.found) };
    bool ok = true;
    for (uint32_t t = 0; t < schema->n_tracks && ok; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_LINK
            && trace->tracks[t].count)
            ok = build_track(trace, t, &ends, out, tables, job, err);
    free(ends.seen);
    free(ends.found);
    free(ends.late);
    return ok;
}
