/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: the tables of the indexes, of the sums of links and of the shares of time;
 * checks every position in them.
 */
#include "store/link_sums.h"
#include "store/mipmaps.h"

#include <stdlib.h>

/* Checks that the first keys of the blocks rise: searches rely on it. */
static bool keys_rise(const struct weft_trace *trace, const struct weft_file_index *index)
{
    const struct weft_file_block *blocks = trace->index_blocks + index->first_block;
    for (uint64_t i = 1; i < index->n_blocks; i++)
        if (blocks[i].time < blocks[i - 1].time)
            return false;
    return true;
}

static bool load_indexes(struct weft_trace *trace)
{
    bool ok = true;
    uint64_t left; /* blocks: each is of one index, which bounds the checks */
    trace->indexes = weft_trace_section(trace, WEFT_SECTION_INDEXES, sizeof *trace->indexes,
                                        &trace->n_indexes);
    trace->index_blocks =
        weft_trace_section(trace, WEFT_SECTION_INDEX_BLOCKS, sizeof *trace->index_blocks,
                           &trace->n_index_blocks);
    left = trace->n_index_blocks;
    ok &= trace->n_indexes <= (uint64_t)trace->schema.n_fields + WEFT_INDEX_KINDS;
    for (uint64_t i = 0; i < trace->n_indexes && ok; i++) {
        const struct weft_file_index *index = &trace->indexes[i];
        ok &= index->n_blocks <= left;
        left -= ok ? index->n_blocks : 0;
        ok &= index->kind < WEFT_INDEX_KINDS
              && weft_fits(index->first_block, index->n_blocks, trace->n_index_blocks)
              && (index->kind != WEFT_INDEX_FIELD || index->field < trace->schema.n_fields)
              && (!ok || keys_rise(trace, index));
    }
    for (uint64_t i = 0; i < trace->n_index_blocks; i++)
        ok &= weft_trace_is_row_block(trace, &trace->index_blocks[i]);
    for (uint64_t i = 0; i < trace->n_link_ends; i++)
        ok &= weft_trace_is_row_block(trace, &trace->link_ends[i]);
    return ok;
}

static bool check_pair_tree(const struct weft_trace *trace,
                            const struct weft_file_pair_tree *tree)
{
    bool ok = tree->track < trace->schema.n_tracks
              && weft_fits(tree->first_end, tree->n_ends, trace->n_pair_ends)
              && weft_fits(tree->first_node, tree->n_nodes, trace->n_pair_nodes)
              && weft_fits(tree->first_block, tree->n_blocks, trace->n_index_blocks);
    if (!ok)
        return false;
    const struct weft_track *track = &trace->schema.tracks[tree->track];
    ok &= trace->schema.types[track->type].kind == WEFT_LINK;
    uint64_t blocks = tree->late ? tree->n_blocks : trace->tracks[tree->track].n_blocks;
    ok &= tree->n_nodes == weft_pair_nodes(blocks);
    const struct weft_file_block *late = trace->index_blocks + tree->first_block;
    for (uint64_t i = 0; ok && i < tree->n_blocks; i++)
        ok = weft_time_fits(late[i].time) && (i == 0 || late[i].time >= late[i - 1].time);
    const uint32_t *ends = trace->pair_ends + tree->first_end;
    for (uint32_t i = 0; i < tree->n_ends; i++)
        ok &= (ends[i] < trace->schema.n_containers
               || (ends[i] == WEFT_NONE && i + 1 == tree->n_ends))
              && (i == 0 || ends[i] > ends[i - 1]);
    return ok;
}

static bool load_pairs(struct weft_trace *trace)
{
    bool ok = true;
    trace->pair_trees = weft_trace_section(trace, WEFT_SECTION_PAIR_TREES,
                                           sizeof *trace->pair_trees, &trace->n_pair_trees);
    trace->pair_nodes = weft_trace_section(trace, WEFT_SECTION_PAIR_NODES,
                                           sizeof *trace->pair_nodes, &trace->n_pair_nodes);
    trace->pair_ends =
        weft_trace_section(trace, WEFT_SECTION_PAIR_ENDS, 4, &trace->n_pair_ends);
    for (uint64_t i = 0; i < trace->n_pair_nodes; i++) {
        const struct weft_file_pair_node *node = &trace->pair_nodes[i];
        ok &= node->n_rows <= trace->n_index_blocks * WEFT_BLOCK_ROWS
              && weft_fits(node->first_block,
                           (node->n_rows + WEFT_BLOCK_ROWS - 1) / WEFT_BLOCK_ROWS,
                           trace->n_index_blocks);
    }
    uint64_t blocks = trace->n_index_blocks, nodes = trace->n_pair_nodes;
    uint64_t ends = 2 * trace->n_pair_ends; /* the two trees of a track share their ends */
    for (uint64_t i = 0; i < trace->n_pair_trees && ok; i++) {
        const struct weft_file_pair_tree *tree = &trace->pair_trees[i];
        if (tree->n_blocks > blocks || tree->n_nodes > nodes || tree->n_ends > ends)
            return false; /* parts overlap: the checks would have no bound */
        blocks -= tree->n_blocks;
        nodes -= tree->n_nodes;
        ends -= tree->n_ends;
        ok = check_pair_tree(trace, tree);
        /* At most two a track, so that a hostile file cannot make a query long. */
        ok &= i == 0 || tree[-1].track < tree->track
              || (tree[-1].track == tree->track && !tree[-1].late && tree->late);
    }
    return ok;
}

bool weft_trace_load_indexes(struct weft_trace *trace)
{
    return load_indexes(trace) && load_pairs(trace);
}

/*
 * Checks a mip: its group is one of its level and consists of tracks of its type, and its
 * levels lie within the shares. *AT: where the previous mip ended.
 */
static bool mip_fits(const struct weft_trace *trace, const struct weft_file_mip *mip,
                     const uint32_t *tracks_of_type, uint64_t *at)
{
    if (mip->type >= trace->schema.n_types
        || trace->schema.types[mip->type].kind != WEFT_STATE || mip->width <= 0
        || mip->width - 1 > trace->schema.span.end - trace->schema.span.begin
        || mip->level > 12 || mip->n_levels == 0 || mip->n_levels > 31
        || mip->width > INT64_MAX >> 2 * (mip->n_levels - 1u)
        || mip->n_tracks != UINT32_C(1) << 2 * mip->level
        || !weft_fits(mip->first_track, mip->n_tracks, tracks_of_type[mip->type])
        || mip->first_share < *at)
        return false;
    unsigned slots = trace->schema.types[mip->type].slots;
    uint64_t end = mip->first_share;
    for (unsigned level = 0; level < mip->n_levels; level++) {
        /* At most 2^63 bins of 16 bytes: the products need 128 bits. */
        unsigned __int128 size =
            (unsigned __int128)weft_mip_bins(trace, mip->width << 2 * level) * slots;
        if (end > trace->n_shares || size > trace->n_shares - end)
            return false;
        end += (uint64_t)size;
    }
    *at = end;
    return true;
}

bool weft_trace_load_shares(struct weft_trace *trace)
{
    trace->shares = weft_trace_section(trace, WEFT_SECTION_SHARES, 1, &trace->n_shares);
    trace->mips =
        weft_trace_section(trace, WEFT_SECTION_MIPS, sizeof *trace->mips, &trace->n_mips);
    trace->share_checksums =
        weft_trace_section(trace, WEFT_SECTION_SHARE_CHECKSUMS, 4, &trace->n_share_pieces);
    bool ok =
        trace->n_share_pieces
        == trace->n_shares / WEFT_SHARE_PIECE + (trace->n_shares % WEFT_SHARE_PIECE != 0);
    uint32_t *tracks_of_type = weft_zalloc((size_t)trace->schema.n_types + 1, 4);
    for (uint32_t t = 0; t < trace->schema.n_tracks; t++)
        tracks_of_type[trace->tracks[t].type]++;
    uint64_t at = 0;
    for (uint64_t i = 0; i < trace->n_mips && ok; i++) {
        const struct weft_file_mip *mip = &trace->mips[i];
        ok = mip_fits(trace, mip, tracks_of_type, &at);
        /* They are searched by type, level and first track. */
        if (i && ok)
            ok = mip[-1].type < mip->type
                 || (mip[-1].type == mip->type
                     && (mip[-1].level < mip->level
                         || (mip[-1].level == mip->level
                             && mip[-1].first_track < mip->first_track)));
    }
    free(tracks_of_type);
    return ok;
}
