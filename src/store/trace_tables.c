/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: the tables of the indexes and of the sums of links, every place in them checked. */
#include "store/pairs.h"

static bool load_indexes(struct weft_trace *trace)
{
    bool ok = true;
    trace->indexes = weft_trace_section(trace, WEFT_SECTION_INDEXES, sizeof *trace->indexes,
                                        &trace->n_indexes);
    trace->index_blocks =
        weft_trace_section(trace, WEFT_SECTION_INDEX_BLOCKS, sizeof *trace->index_blocks,
                           &trace->n_index_blocks);
    for (uint64_t i = 0; i < trace->n_indexes; i++) {
        const struct weft_file_index *index = &trace->indexes[i];
        ok &= index->kind < WEFT_INDEX_KINDS
              && weft_fits(index->first_block, index->n_blocks, trace->n_index_blocks)
              && (index->kind != WEFT_INDEX_FIELD || index->field < trace->schema.n_fields);
    }
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
    for (uint64_t i = 0; i < trace->n_pair_trees && ok; i++) {
        const struct weft_file_pair_tree *tree = &trace->pair_trees[i];
        ok = check_pair_tree(trace, tree);
        /* At most two a track: else asking would take as long as a file says. */
        ok &= i == 0 || tree[-1].track < tree->track
              || (tree[-1].track == tree->track && !tree[-1].late && tree->late);
    }
    return ok;
}

bool weft_trace_load_indexes(struct weft_trace *trace)
{
    return load_indexes(trace) && load_pairs(trace);
}
