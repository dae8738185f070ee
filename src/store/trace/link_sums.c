/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums links by their ends over a window: by the fewest nodes that lie in it, and by the
 * links themselves at its edges, and where a node was left out or is damaged.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "base/parallel.h"
#include "store/link_sums_cover.h"

enum {
    PIECE = 64,   /* blocks that a thread takes at once */
    MAX_PARTS = 8 /* threads; each has a table of its own */
};

struct pair_range {
    const struct weft_pair_list *list; /* its links are read; NULL: rows of a node */
    uint64_t first, after;             /* blocks */
    bool minus;                        /* subtracted */
};

struct pair_query {
    const struct weft_trace *trace;
    /*
     * Lists of a track: links that run forwards; those that run backwards, sorted by begin,
     * with a tree; and those without it.
     */
    struct weft_pair_list lists[3];
    size_t n_lists;
    struct weft_pair_filter filter;
    struct pair_range *pieces;
    size_t n_pieces, capacity, n_parts;
    bool subtracts; /* some pieces are subtracted: needs a matrix */
    struct weft_pair_table tables[MAX_PARTS];
};

static void add_piece(struct pair_query *query, const struct weft_pair_list *list,
                      uint64_t first, uint64_t after)
{
    for (; first < after; first += PIECE) {
        query->pieces = weft_grow(query->pieces, &query->capacity, query->n_pieces + 1,
                                  sizeof *query->pieces);
        query->pieces[query->n_pieces++] =
            (struct pair_range){ list, first, after - first < PIECE ? after : first + PIECE,
                                 false };
    }
}

static uint64_t blocks_of(const struct weft_file_pair_node *node)
{
    return node->n_rows / WEFT_BLOCK_ROWS + (node->n_rows % WEFT_BLOCK_ROWS != 0);
}

struct block_check { /* checks some blocks, on several threads */
    const struct weft_trace *trace;
    const struct weft_file_block *blocks;
    atomic_bool bad;
};

static void look_at(void *user, size_t i)
{
    struct block_check *check = user;
    size_t left;
    if (!weft_trace_block(check->trace, &check->blocks[i], &left))
        atomic_store_explicit(&check->bad, true, memory_order_relaxed);
}

static bool all_good(const struct weft_trace *trace, const struct weft_file_block *blocks,
                     uint64_t n)
{
    struct block_check check = { .trace = trace, .blocks = blocks };
    weft_parallel(n, PIECE, look_at, &check);
    return !check.bad;
}

/*
 * Returns the largest node that begins at leaf FIRST, ends before AFTER, was kept and is
 * not damaged, or NULL. *SIZE: the leaves that it sums.
 */
static const struct weft_file_pair_node *
best_node(const struct weft_pair_list *list, uint64_t first, uint64_t after, uint64_t *size)
{
    const struct weft_file_pair_node *kept[WEFT_PAIR_LEVELS];
    uint64_t sizes[WEFT_PAIR_LEVELS], at = 1, begin = 0;
    uint64_t n_leaves = (list->n_blocks + WEFT_PAIR_LEAF - 1) / WEFT_PAIR_LEAF;
    size_t n = 0;
    for (uint64_t level = n_leaves; level && n < WEFT_PAIR_LEVELS && first % at == 0
                                    && first + at <= after && first / at < level;
         begin += level, level /= WEFT_PAIR_FAN, at *= WEFT_PAIR_FAN) {
        const struct weft_file_pair_node *node = &list->nodes[begin + first / at];
        if (node->n_rows) {
            kept[n] = node;
            sizes[n++] = at;
        }
    }
    while (n-- > 0)
        if (all_good(list->trace, &list->trace->index_blocks[kept[n]->first_block],
                     blocks_of(kept[n]))) {
            *size = sizes[n];
            return kept[n];
        }
    *size = 1;
    return NULL;
}

static uint64_t rows_of_cover(const struct weft_pair_cover *cover)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < cover->n; i++)
        rows += cover->parts[i].node ? cover->parts[i].node->n_rows
                                     : (uint64_t)WEFT_PAIR_LEAF * WEFT_BLOCK_ROWS;
    return rows;
}

/* Returns the cheapest cover; it subtracts only if the table will be a matrix anyway. */
static struct weft_pair_cover cheapest(const struct weft_pair_list *list, uint64_t first,
                                       uint64_t after)
{
    struct weft_pair_cover cover = { 0 }, other = { 0 };
    weft_pair_cover(list, first, after, false, &cover);
    if (!weft_pair_table_fits(list->n_ends, rows_of_cover(&cover)))
        return cover;
    weft_pair_cover(list, first, after, true, &other);
    free(cover.parts);
    return other;
}

/* Returns true if the links of the blocks [BEGIN, END) are readable, and their bytes. */
static bool links_are_good(const struct weft_pair_list *list, uint64_t begin, uint64_t end)
{
    const struct weft_trace *trace = list->trace;
    if (!all_good(trace, list->blocks + begin, end - begin))
        return false;
    if (list->late || !list->bytes || begin == end)
        return true;
    const struct weft_file_block *blocks = trace->directory + list->bytes->first_block;
    size_t n = list->bytes->n_blocks;
    int64_t after = (int64_t)(list->blocks[end - 1].ordinal + WEFT_BLOCK_ROWS);
    ptrdiff_t before = weft_block_before(blocks, n, (int64_t)list->blocks[begin].ordinal);
    size_t first = before < 0 ? 0 : (size_t)before, last = first;
    while (last < n && blocks[last].time < after)
        last++;
    return all_good(trace, blocks + first, last - first);
}

/*
 * Returns true if a part is readable.  Links to be added may be damaged, those to be
 * subtracted not.
 */
static bool part_is_good(const struct weft_pair_list *list,
                         const struct weft_pair_part *part)
{
    if (part->node)
        return all_good(list->trace, &list->trace->index_blocks[part->node->first_block],
                        blocks_of(part->node));
    uint64_t begin = part->leaf * WEFT_PAIR_LEAF, end = begin + WEFT_PAIR_LEAF;
    return !part->minus
           || links_are_good(list, begin, end < list->n_blocks ? end : list->n_blocks);
}

/*
 * Covers the leaves [first, after) at the least cost; returns false if one of its nodes is
 * damaged, or links that would be subtracted are.
 */
static bool cover_cheaply(struct pair_query *query, const struct weft_pair_list *list,
                          uint64_t first, uint64_t after)
{
    struct weft_pair_cover cover = cheapest(list, first, after);
    bool good = true;
    for (size_t i = 0; i < cover.n && good; i++)
        good = part_is_good(list, &cover.parts[i]);
    for (size_t i = 0; i < cover.n && good; i++) {
        const struct weft_pair_part *part = &cover.parts[i];
        uint64_t begin = part->leaf * WEFT_PAIR_LEAF, end = begin + WEFT_PAIR_LEAF;
        size_t from = query->n_pieces;
        if (part->node)
            add_piece(query, NULL, part->node->first_block,
                      part->node->first_block + blocks_of(part->node));
        else
            add_piece(query, list, begin, end < list->n_blocks ? end : list->n_blocks);
        for (; from < query->n_pieces; from++)
            query->pieces[from].minus = part->minus;
    }
    query->subtracts |= good && cover.subtracts;
    free(cover.parts);
    return good;
}

/*
 * Covers the leaves [first, after) if nodes are damaged: at each place with the largest
 * readable node, or the links of one leaf.
 */
static void cover_leaves(struct pair_query *query, const struct weft_pair_list *list,
                         uint64_t first, uint64_t after)
{
    uint64_t n_blocks = list->n_blocks, size;
    for (; first < after; first += size) {
        const struct weft_file_pair_node *best = best_node(list, first, after, &size);
        uint64_t end = (first + 1) * WEFT_PAIR_LEAF;
        if (best)
            add_piece(query, NULL, best->first_block, best->first_block + blocks_of(best));
        else
            add_piece(query, list, first * WEFT_PAIR_LEAF, end < n_blocks ? end : n_blocks);
    }
}

/* Returns the first block that begins at TIME or later. */
static uint64_t blocks_before(const struct weft_pair_list *list, int64_t time)
{
    size_t at = weft_block_at(list->blocks, list->n_blocks, time);
    return at < list->n_blocks && list->blocks[at].time < time ? at + 1 : at;
}

static void cover_window(struct pair_query *query, const struct weft_pair_list *list,
                         struct weft_span window)
{
    if (!list->n_blocks || window.end <= window.begin)
        return;
    /*
     * Blocks [from, to) hold all that begin in the window; those in [whole, part) hold no
     * others.
     */
    uint64_t whole = blocks_before(list, window.begin);
    uint64_t from = whole ? whole - 1 : 0, to = blocks_before(list, window.end);
    bool rest = to == list->n_blocks && list->trace->tracks[list->track].end < window.end;
    uint64_t part = rest ? to : to ? to - 1 : 0;
    if (!list->nodes) { /* the tree is lost */
        add_piece(query, list, from, to);
        return;
    }
    uint64_t first_leaf = (whole + WEFT_PAIR_LEAF - 1) / WEFT_PAIR_LEAF;
    uint64_t after_leaf =
        (part == list->n_blocks ? part + WEFT_PAIR_LEAF - 1 : part) / WEFT_PAIR_LEAF;
    if (first_leaf >= after_leaf) {
        add_piece(query, list, from, to);
        return;
    }
    add_piece(query, list, from, first_leaf * WEFT_PAIR_LEAF);
    if (!cover_cheaply(query, list, first_leaf, after_leaf))
        cover_leaves(query, list, first_leaf, after_leaf);
    add_piece(query, list, after_leaf * WEFT_PAIR_LEAF, to);
}

/* Covers links that run backwards, without a tree: all blocks with a time in the window. */
static void cover_backward(struct pair_query *query, const struct weft_pair_list *list,
                           struct weft_span window)
{
    const int64_t *reach =
        list->trace->reach + list->trace->tracks[list->track].first_depth;
    for (uint64_t b = 0; b < list->n_blocks && list->blocks[b].time < window.end; b++)
        if (reach[b] >= window.begin)
            add_piece(query, list, b, b + 1);
}

/*
 * Does the same by their tree, unless a block of their copy, sorted by begin, is damaged
 * that would be read.
 */
static void cover_late(struct pair_query *query, const struct weft_pair_list *list,
                       const struct weft_pair_list *backward, struct weft_span window)
{
    size_t before = query->n_pieces;
    bool good = true;
    cover_window(query, list, window);
    for (size_t i = before; i < query->n_pieces && good; i++) {
        const struct pair_range *range = &query->pieces[i];
        if (range->list)
            good = all_good(list->trace, list->blocks + range->first,
                            range->after - range->first);
    }
    if (good)
        return;
    query->n_pieces = before;
    cover_backward(query, backward, window);
}

static void cover_pending(struct pair_query *query, const struct weft_pair_list *list)
{
    const int64_t *reach =
        list->trace->reach + list->trace->tracks[list->track].first_depth;
    int64_t time = query->filter.from;
    for (uint64_t b = 0; b < list->n_blocks && list->blocks[b].time <= time; b++)
        if (reach[b] > time)
            add_piece(query, list, b, b + 1);
}

/* Unsigned arithmetic wraps, so subtracting is exact. */
static uint64_t signed_by(bool minus, int64_t number)
{
    return minus ? -(uint64_t)number : (uint64_t)number;
}

/* Adds the rows of a block of a node. */
static void add_node_block(const struct pair_query *query, uint64_t index, bool minus,
                           struct weft_pair_table *table)
{
    const struct weft_trace *trace = query->trace;
    const struct weft_file_block *block = &trace->index_blocks[index];
    int64_t columns[WEFT_PAIR_COLUMNS][WEFT_BLOCK_ROWS];
    size_t n = weft_rows_decode(trace, block, columns, WEFT_PAIR_COLUMNS);
    uint64_t pair = (uint64_t)block->time;
    for (size_t i = 0; i < n; i++) {
        pair += i ? (uint64_t)columns[WEFT_PAIR_STEP][i] + 1 : 0;
        if (pair < table->n_pairs && columns[WEFT_PAIR_COUNT][i] > 0) /* else damaged */
            weft_pair_add(table, pair, signed_by(minus, columns[WEFT_PAIR_COUNT][i]),
                          (int64_t)signed_by(minus, columns[WEFT_PAIR_BYTES][i]));
    }
}

static void add_part(void *user, size_t part)
{
    struct pair_query *query = user;
    struct weft_pair_table *table = &query->tables[part];
    const struct weft_pair_filter all = { .choice = WEFT_PAIRS_ALL };
    struct weft_pair_links links;
    for (size_t i = part; i < query->n_pieces; i += query->n_parts) {
        const struct pair_range *range = &query->pieces[i];
        for (uint64_t b = range->first; b < range->after; b++) {
            if (!range->list) {
                add_node_block(query, b, range->minus, table);
                continue;
            }
            /* A leaf is subtracted from a node whole, without the window's filter. */
            size_t n = weft_pair_read(range->list, b, range->minus ? &all : &query->filter,
                                      &links);
            for (size_t row = 0; row < n; row++)
                weft_pair_add(table, links.pairs[row], signed_by(range->minus, 1),
                              (int64_t)signed_by(range->minus, links.bytes[row]));
        }
    }
}

static void merge_table(struct weft_pair_table *into, const struct weft_pair_table *from)
{
    for (size_t i = 0; i < from->n_rows; i++)
        if (from->rows[i].count || from->rows[i].bytes)
            weft_pair_add(into, from->matrix ? i : from->rows[i].pair, from->rows[i].count,
                          from->rows[i].bytes);
}

/* Adds up the pieces, and appends the sums to OUT. */
static void answer(struct pair_query *query, struct weft_pair_sums *out)
{
    const struct weft_pair_list *list = &query->lists[0];
    uint64_t expected = 0;
    for (size_t i = 0; i < query->n_pieces; i++)
        expected += (query->pieces[i].after - query->pieces[i].first) * WEFT_BLOCK_ROWS;
    size_t width = weft_parallel_width();
    query->n_parts = width < MAX_PARTS ? width : MAX_PARTS;
    if (query->n_parts > query->n_pieces)
        query->n_parts = query->n_pieces ? query->n_pieces : 1;
    for (size_t i = 0; i < query->n_parts; i++)
        weft_pair_table_begin(&query->tables[i], list->n_ends,
                              query->subtracts ? UINT64_MAX : expected);
    weft_parallel(query->n_parts, 1, add_part, query);
    for (size_t i = 1; i < query->n_parts; i++) {
        merge_table(&query->tables[0], &query->tables[i]);
        weft_pair_table_end(&query->tables[i]);
    }
    size_t n;
    struct weft_pair_row *rows = weft_pair_table_rows(&query->tables[0], &n);
    weft_pair_table_end(&query->tables[0]);
    out->rows = weft_grow(out->rows, &out->capacity, out->n + n + 1, sizeof *out->rows);
    for (size_t i = 0; i < n; i++)
        out->rows[out->n++] =
            (struct weft_pair_sum){ list->ends[rows[i].pair / list->n_ends],
                                    list->ends[rows[i].pair % list->n_ends], rows[i].count,
                                    rows[i].bytes };
    free(rows);
    free(query->pieces);
}

static struct weft_pair_list list_of(const struct weft_trace *trace,
                                     const struct weft_file_pair_tree *tree)
{
    const struct weft_file_track *track = &trace->tracks[tree->track];
    return (struct weft_pair_list){
        .trace = trace,
        .track = tree->track,
        .late = tree->late,
        .blocks = tree->late ? trace->index_blocks + tree->first_block
                             : trace->directory + track->first_block,
        .n_blocks = tree->late ? tree->n_blocks : track->n_blocks,
        .nodes = trace->pair_nodes + tree->first_node,
        .ends = trace->pair_ends + tree->first_end,
        .n_ends = tree->n_ends,
    };
}

/*
 * Returns the list of a track whose trees are lost: all its links, with all containers as
 * possible ends.
 */
static struct weft_pair_list list_without_tree(const struct weft_trace *trace,
                                               uint32_t track, uint32_t *ends)
{
    uint32_t n = trace->schema.n_containers;
    for (uint32_t i = 0; i < n; i++)
        ends[i] = i;
    ends[n] = WEFT_NONE;
    return (struct weft_pair_list){
        .trace = trace,
        .track = track,
        .blocks = trace->directory + trace->tracks[track].first_block,
        .n_blocks = trace->tracks[track].n_blocks,
        .ends = ends,
        .n_ends = n + 1,
    };
}

/*
 * Returns the first tree of TRACK or of a track behind it: they are in order of track, at
 * most two each.
 */
static uint64_t first_tree(const struct weft_trace *trace, uint32_t track)
{
    return WEFT_FIRST(i, 0, trace->n_pair_trees, trace->pair_trees[i].track >= track);
}

/*
 * Finds the lists of a track: links that run forwards first; last, without a tree of their
 * own, those that run backwards.  Returns false if there are no links.  ENDS has room for
 * all containers and one more, for lost trees.
 */
static bool find_lists(struct pair_query *query, uint32_t track, uint32_t *ends)
{
    const struct weft_trace *trace = query->trace;
    struct weft_pair_list *lists = query->lists;
    bool is_of_links = trace->schema.types[trace->tracks[track].type].kind == WEFT_LINK;
    for (uint64_t t = first_tree(trace, track);
         t < trace->n_pair_trees && trace->pair_trees[t].track == track; t++)
        lists[query->n_lists++] = list_of(trace, &trace->pair_trees[t]);
    if (ends && is_of_links)
        lists[query->n_lists++] = list_without_tree(trace, track, ends);
    if (!query->n_lists || !lists[0].n_ends)
        return false;
    weft_pair_list_begin(&lists[0]);
    struct weft_pair_list backward = lists[0];
    backward.blocks = trace->directory + trace->tracks[track].first_block;
    backward.n_blocks = trace->tracks[track].n_blocks;
    backward.nodes = NULL;
    backward.late = false;
    backward.backward = true;
    lists[query->n_lists++] = backward;
    return true;
}

/* Appends the sums of a track; returns false if it has no links. */
static bool ask_track(const struct weft_trace *trace, uint32_t track,
                      const struct weft_pair_filter *filter, struct weft_pair_sums *out)
{
    struct pair_query query = { .trace = trace, .filter = *filter };
    bool lost = trace->lost[WEFT_SECTION_PAIR_TREES];
    uint32_t *ends =
        lost ? weft_alloc(((size_t)trace->schema.n_containers + 1) * sizeof *ends) : NULL;
    bool has_links = find_lists(&query, track, ends);
    if (has_links) {
        struct weft_span window = { filter->from, filter->to };
        const struct weft_pair_list *first = &query.lists[0];
        const struct weft_pair_list *backward = &query.lists[query.n_lists - 1];
        for (size_t i = 0; i < query.n_lists; i++) {
            struct weft_pair_list *list = &query.lists[i];
            list->position = first->position;
            if (list->ends != first->ends || list->n_ends != first->n_ends)
                continue; /* damaged */
            if (filter->choice != WEFT_PAIRS_BEGIN_IN) {
                /* A link that ends before it begins is never pending. */
                if (!list->late && !list->backward)
                    cover_pending(&query, list);
            } else if (list->late)
                cover_late(&query, list, backward, window);
            else if (!list->backward)
                cover_window(&query, list, window);
            else if (lost)
                cover_backward(&query, list, window);
        }
        answer(&query, out);
        free(query.lists[0].position);
    }
    free(ends);
    return has_links;
}

static void ask_tracks(const struct weft_source *source, const uint32_t *tracks, size_t n,
                       const struct weft_pair_filter *filter, struct weft_pair_sums *out)
{
    size_t asked = 0;
    out->n = 0;
    for (size_t i = 0; i < n; i++)
        asked += ask_track(weft_trace_of(source), tracks[i], filter, out);
    if (asked > 1)
        weft_pair_sums_combine(out);
}

void weft_trace_pair_sums(const struct weft_source *source, const uint32_t *tracks,
                          size_t n, struct weft_span window, struct weft_pair_sums *out)
{
    struct weft_pair_filter filter = { WEFT_PAIRS_BEGIN_IN, window.begin, window.end };
    ask_tracks(source, tracks, n, &filter, out);
}

void weft_trace_pairs_pending(const struct weft_source *source, const uint32_t *tracks,
                              size_t n, int64_t time, struct weft_pair_sums *out)
{
    struct weft_pair_filter filter = { WEFT_PAIRS_PENDING, time, time };
    ask_tracks(source, tracks, n, &filter, out);
}
