/* SPDX-License-Identifier: Apache-2.0 */
#include "store/link_sums_cover.h"

#include <string.h>

static const uint64_t none = UINT64_C(1) << 60; /* rows of a missing node: prohibitive */

struct levels {
    const struct weft_pair_list *list;
    uint64_t n_leaves;
    uint64_t width[WEFT_PAIR_LEVELS + 1]; /* leaves in a node */
    uint64_t begin[WEFT_PAIR_LEVELS + 1]; /* index of its first node */
    uint64_t nodes[WEFT_PAIR_LEVELS + 1]; /* complete nodes */
    uint64_t all[WEFT_PAIR_LEVELS + 1];   /* also an incomplete one at the end */
    unsigned n;
    bool subtract;
};

/*
 * A border between leaves.  In the node of each level that it lies in, LEFT is the cost of
 * the part before it and RIGHT that of the part behind it; by_rest: the part is read as the
 * node minus the other part.
 */
struct border {
    uint64_t leaf;
    uint64_t left[WEFT_PAIR_LEVELS + 1], right[WEFT_PAIR_LEVELS + 1];
    bool left_by_rest[WEFT_PAIR_LEVELS + 1], right_by_rest[WEFT_PAIR_LEVELS + 1];
};

static void begin_levels(struct levels *levels, const struct weft_pair_list *list,
                         bool subtract)
{
    uint64_t n_leaves = (list->n_blocks + WEFT_PAIR_LEAF - 1) / WEFT_PAIR_LEAF, begin = 0;
    *levels = (struct levels){ .list = list, .n_leaves = n_leaves, .subtract = subtract };
    uint64_t width = 1;
    for (uint64_t size = n_leaves; size && levels->n < WEFT_PAIR_LEVELS;
         size /= WEFT_PAIR_FAN, width *= WEFT_PAIR_FAN) {
        levels->width[levels->n] = width;
        levels->begin[levels->n] = begin;
        levels->nodes[levels->n] = size;
        levels->all[levels->n++] = n_leaves / width + (n_leaves % width != 0);
        begin += size;
    }
}

static const struct weft_file_pair_node *node_at(const struct levels *levels,
                                                 unsigned level, uint64_t index)
{
    const struct weft_file_pair_node *node;
    if (index >= levels->nodes[level])
        return NULL;
    node = &levels->list->nodes[levels->begin[level] + index];
    return node->n_rows ? node : NULL;
}

static uint64_t rows_of(const struct levels *levels, unsigned level, uint64_t index)
{
    const struct weft_file_pair_node *node = node_at(levels, level, index);
    return node ? node->n_rows : none;
}

/* Returns the index after the last child of a node. */
static uint64_t after_children(const struct levels *levels, unsigned level, uint64_t index)
{
    uint64_t after = (index + 1) * WEFT_PAIR_FAN, all = levels->all[level - 1];
    return after < all ? after : all;
}

/* Returns the cost of all leaves of a node. */
static uint64_t whole(const struct levels *levels, unsigned level, uint64_t index)
{
    const struct weft_file_pair_node *node = node_at(levels, level, index);
    uint64_t cost = 0;
    if (node)
        return node->n_rows;
    if (level == 0)
        return (uint64_t)WEFT_PAIR_LEAF * WEFT_BLOCK_ROWS;
    for (uint64_t c = index * WEFT_PAIR_FAN; c < after_children(levels, level, index); c++)
        cost += whole(levels, level - 1, c);
    return cost;
}

static void begin_border(struct border *border, const struct levels *levels, uint64_t leaf)
{
    memset(border, 0, sizeof *border);
    border->leaf = leaf;
    border->right[0] = leaf < levels->n_leaves ? whole(levels, 0, leaf) : 0;
    for (unsigned l = 1; l < levels->n; l++) {
        uint64_t index = leaf / levels->width[l], child = leaf / levels->width[l - 1];
        uint64_t left = border->left[l - 1], right = border->right[l - 1];
        uint64_t node = levels->subtract ? rows_of(levels, l, index) : none;
        for (uint64_t c = index * WEFT_PAIR_FAN; c < child; c++)
            left += whole(levels, l - 1, c);
        for (uint64_t c = child + 1; c < after_children(levels, l, index); c++)
            right += whole(levels, l - 1, c);
        border->left_by_rest[l] = node + right < left;
        border->right_by_rest[l] = node + left < right;
        border->left[l] = border->left_by_rest[l] ? node + right : left;
        border->right[l] = border->right_by_rest[l] ? node + left : right;
    }
}

static void add_part(struct weft_pair_cover *out, const struct weft_file_pair_node *node,
                     uint64_t leaf, bool minus)
{
    out->parts = weft_grow(out->parts, &out->capacity, out->n + 1, sizeof *out->parts);
    out->parts[out->n++] = (struct weft_pair_part){ node, leaf, minus };
    out->subtracts |= minus;
}

static void cover_whole(const struct levels *levels, unsigned level, uint64_t index,
                        bool minus, struct weft_pair_cover *out)
{
    const struct weft_file_pair_node *node = node_at(levels, level, index);
    if (node || level == 0) {
        add_part(out, node, index, minus);
        return;
    }
    for (uint64_t c = index * WEFT_PAIR_FAN; c < after_children(levels, level, index); c++)
        cover_whole(levels, level - 1, c, minus, out);
}

/*
 * Takes the part to the left of a border (or to its right) in its nodes up to LEVEL.  If a
 * part is read as the node minus the other part, the other part is subtracted, child by
 * child, in the levels below.
 */
static void cover_side(const struct levels *levels, const struct border *border,
                       unsigned level, bool left, bool minus, struct weft_pair_cover *out)
{
    for (; level > 0; level--) {
        uint64_t index = border->leaf / levels->width[level];
        uint64_t child = border->leaf / levels->width[level - 1];
        if (left ? border->left_by_rest[level] : border->right_by_rest[level]) {
            add_part(out, node_at(levels, level, index), 0, minus);
            minus = !minus;
            left = !left;
        }
        for (uint64_t c = index * WEFT_PAIR_FAN; left && c < child; c++)
            cover_whole(levels, level - 1, c, minus, out);
        for (uint64_t c = child + 1; !left && c < after_children(levels, level, index); c++)
            cover_whole(levels, level - 1, c, minus, out);
    }
    if (!left && border->leaf < levels->n_leaves)
        cover_whole(levels, 0, border->leaf, minus, out);
}

void weft_pair_cover(const struct weft_pair_list *list, uint64_t first, uint64_t after,
                     bool subtract, struct weft_pair_cover *out)
{
    struct levels levels;
    struct border from, to;
    unsigned level = 0;
    if (first >= after)
        return;
    begin_levels(&levels, list, subtract);
    begin_border(&from, &levels, first);
    begin_border(&to, &levels, after);
    /* Find the highest level at which the borders lie in different nodes. */
    while (level + 1 < levels.n
           && first / levels.width[level + 1] != after / levels.width[level + 1])
        level++;
    uint64_t begin = first / levels.width[level], end = after / levels.width[level];
    uint64_t direct = from.right[level] + to.left[level], node = none;
    for (uint64_t i = begin + 1; i < end; i++)
        direct += whole(&levels, level, i);
    if (subtract && level + 1 < levels.n)
        node = rows_of(&levels, level + 1, first / levels.width[level + 1]);
    if (level + 1 < levels.n
        && node + from.left[level + 1] + to.right[level + 1] < direct) {
        add_part(out, node_at(&levels, level + 1, first / levels.width[level + 1]), 0,
                 false);
        cover_side(&levels, &from, level + 1, true, true, out);
        cover_side(&levels, &to, level + 1, false, true, out);
        return;
    }
    cover_side(&levels, &from, level, false, false, out);
    for (uint64_t i = begin + 1; i < end; i++)
        cover_whole(&levels, level, i, false, out);
    cover_side(&levels, &to, level, true, false, out);
}
