/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums.  S(t), the time that each value was on before t, comes from the sums at the
 * begin of the nearest block before or after t, and a scan of the changes from there to t.
 * The sums of [a, b) are S(b) - S(a).
 *
 * A track needs two look-ups, at different places of the file, and most of their time would
 * be waiting for memory.  So many look-ups are in flight at once, in stages: each stage
 * prefetches what the next one reads some look-ups later.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "store/build/state_sum_scan.h"
#include "store/time.h"

/*
 * Look-ups between two stages: enough for memory to answer, few enough to stay in the
 * cache.
 */
enum { APART = 6, UNDER_WAY = 32 /* more than three times as many; a power of 2 */ };
enum {
    LINE = 64, /* bytes of a cache line */
    /*
     * bytes of a block to prefetch: its header, and the stack and sums of an ordinary one
     */
    HEAD = 256
};

/* One end of the interval on one track. */
struct edge {
    const struct weft_file_track *track;
    const struct weft_file_block *blocks;
    int64_t time;
    bool nothing; /* S(time) is 0, or unknown */
    bool damaged; /* unknown, since a block is damaged */
    size_t guess; /* interpolated position of BLOCK */
    size_t block; /* last block of the track that begins before the time */
    bool back;    /* the time is nearer to the begin of the next block */
    struct weft_change_parts parts, next;
};

/* ---- The stages of a look-up ---- */

static void fetch(const unsigned char *from, size_t size)
{
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch(from + i);
}

/* First stage: prefetch the directory at an interpolated position. */
static void aim(struct edge *edge)
{
    const struct weft_file_track *track = edge->track;
    edge->nothing |= !track->n_blocks;
    if (edge->nothing)
        return;
    double part = ((double)edge->time - (double)track->begin)
                  / fmax(1, (double)track->end - (double)track->begin);
    size_t last = track->n_blocks - 1;
    edge->guess = (size_t)(fmin(1, fmax(0, part)) * (double)last);
    /* A cache line has two entries; prefetch also the lines around it. */
    uintptr_t entry = (uintptr_t)&edge->blocks[edge->guess];
    for (uintptr_t at = entry - LINE; at <= entry + LINE; at += LINE)
        __builtin_prefetch((const void *)at);
}

static void fetch_head(const struct weft_trace *trace, const struct weft_file_block *block)
{
    size_t left;
    const unsigned char *at = weft_trace_fetch(trace, block, &left);
    fetch(at, left < HEAD ? left : HEAD);
}

/* Second stage: finds the block, and prefetches its head. */
static void find(const struct weft_trace *trace, struct edge *edge)
{
    if (edge->nothing)
        return;
    edge->block =
        weft_block_near(edge->blocks, edge->track->n_blocks, edge->time, edge->guess);
    const struct weft_file_block *block = &edge->blocks[edge->block];
    edge->nothing = block->time >= edge->time;
    if (edge->nothing)
        return;
    edge->back = edge->block + 1 < edge->track->n_blocks
                 && (uint64_t)edge->time - (uint64_t)block[0].time
                        > (uint64_t)block[1].time - (uint64_t)edge->time;
    fetch_head(trace, block);
    if (edge->back)
        fetch_head(trace, block + 1);
}

/*
 * Finds the parts of a block; returns false if it is damaged, or too near to the end of the
 * file.
 */
static bool open_block(const struct weft_trace *trace, const struct edge *edge,
                       size_t index, struct weft_change_parts *parts)
{
    const struct weft_file_block *block = &edge->blocks[index];
    size_t left;
    const unsigned char *at = weft_trace_block(trace, block, &left);
    size_t size = at ? weft_change_parts(at, left, parts) : 0;
    return size && parts->header.n == block->n
           && parts->header.n_codes <= edge->track->n_codes
           && (size_t)(trace->map.data + trace->map.size - at) >= size + WEFT_SCAN_BEYOND;
}

static size_t sums_back(const struct weft_change_parts *parts)
{
    const uint8_t *bytes = parts->header.sums_back;
    return bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16;
}

/* Third stage: reads the block's header, and prefetches its columns. */
static void open(const struct weft_trace *trace, struct edge *edge)
{
    if (edge->nothing)
        return;
    edge->damaged = edge->nothing = !open_block(trace, edge, edge->block, &edge->parts)
                                    || sums_back(&edge->parts) > edge->block;
    if (edge->nothing)
        return;
    edge->back = edge->back && open_block(trace, edge, edge->block + 1, &edge->next)
                 && edge->next.header.n_codes;
    const struct weft_change_header *header = &edge->parts.header;
    fetch(edge->parts.deltas, (size_t)header->n * header->delta_width);
    fetch(edge->parts.operations, (size_t)header->n * header->operation_width);
}

/* Returns false if a block is damaged. */
static bool scan_forward(const struct weft_trace *trace, const struct edge *edge,
                         struct weft_scan *scan, uint64_t zero, uint64_t until)
{
    size_t block = edge->block;
    if (!edge->parts.header.n_codes)
        block -= sums_back(&edge->parts);
    struct weft_change_parts parts = edge->parts;
    if (block < edge->block && !open_block(trace, edge, block, &parts))
        return false;
    scan->at = (uint64_t)edge->blocks[block].time - zero;
    weft_scan_begin(scan, &parts);
    for (;; block++) {
        weft_scan_forward(scan, &parts, (uint64_t)edge->blocks[block].time - zero, until);
        if (block == edge->block)
            return true;
        if (!open_block(trace, edge, block + 1, &parts)
            || parts.header.depth != scan->depth)
            return false;
    }
}

static void scan_back(const struct edge *edge, struct weft_scan *scan, uint64_t zero,
                      uint64_t until)
{
    scan->at = (uint64_t)edge->blocks[edge->block + 1].time - zero;
    weft_scan_begin(scan, &edge->next);
    weft_scan_back(scan, &edge->parts, (uint64_t)edge->blocks[edge->block].time - zero,
                   until);
}

/* Fourth stage: adds S(time) to the scratch; returns false if it is unknown. */
static bool add_edge(const struct weft_trace *trace, const struct edge *edge,
                     struct weft_scan *scan)
{
    bool whole = !edge->damaged;
    if (edge->nothing)
        return whole;
    uint64_t zero = (uint64_t)edge->track->begin, until = (uint64_t)edge->time - zero;
    scan->at = until;
    scan->top = 0;
    if (edge->back && weft_scan_can_go_back(&edge->parts))
        scan_back(edge, scan, zero, until);
    else
        whole = scan_forward(trace, edge, scan, zero, until);
    weft_scan_end(scan, until);
    return whole;
}

/* ---- Many tracks ---- */

struct sums_work {
    const struct weft_trace *trace;
    const uint32_t *tracks;
    size_t n_tracks, n_parts;
    struct weft_span window;
    struct weft_sum *sums; /* [n_parts][n_values] */
};

/* Returns edge I of a part; its edges are the begin and the end of each of its tracks. */
static struct edge edge_of(const struct sums_work *work, size_t i)
{
    const struct weft_trace *trace = work->trace;
    const struct weft_file_track *track = &trace->tracks[work->tracks[i / 2]];
    int64_t end = work->window.end < track->end ? work->window.end : track->end;
    struct edge edge = { .track = track,
                         .blocks = trace->directory + track->first_block,
                         .time = i & 1 ? end : work->window.begin,
                         .nothing = trace->schema.types[track->type].kind != WEFT_STATE
                                    || end <= work->window.begin };
    return edge;
}

static void end_track(const struct weft_trace *trace, const struct weft_file_track *track,
                      const struct weft_scan *scan, struct weft_sum *sums)
{
    for (uint32_t c = 0; c < track->n_codes; c++) {
        struct weft_sum *sum = &sums[trace->codes[track->first_code + c]];
        sum->self_ticks = weft_ticks_add(sum->self_ticks, (int64_t)scan->codes[c + 1].self);
        sum->total_ticks =
            weft_ticks_add(sum->total_ticks, (int64_t)scan->codes[c + 1].total);
    }
}

static void add_part(void *user, size_t part)
{
    const struct sums_work *work = user;
    const struct weft_trace *trace = work->trace;
    struct weft_sum *sums = work->sums + part * trace->schema.n_values;
    size_t from = 2 * (work->n_tracks * part / work->n_parts);
    size_t to = 2 * (work->n_tracks * (part + 1) / work->n_parts);
    struct edge edges[UNDER_WAY];
    struct weft_scan scan = { 0 };
    bool whole = true; /* no damage at either edge of the track so far */
    for (size_t i = from; i < to + 3 * APART; i++) {
        if (i < to) {
            edges[i % UNDER_WAY] = edge_of(work, i);
            aim(&edges[i % UNDER_WAY]);
        }
        if (i >= from + APART && i < to + APART)
            find(trace, &edges[(i - APART) % UNDER_WAY]);
        if (i >= from + 2 * APART && i < to + 2 * APART)
            open(trace, &edges[(i - 2 * APART) % UNDER_WAY]);
        if (i < from + 3 * APART)
            continue;
        const struct edge *edge = &edges[(i - 3 * APART) % UNDER_WAY];
        bool end = (i - 3 * APART) & 1;
        if (end)
            weft_scan_negate(&scan);
        else
            weft_scan_track(&scan, edge->track->n_codes);
        whole = add_edge(trace, edge, &scan) && (whole || !end);
        if (end && whole)
            end_track(trace, edge->track, &scan, sums);
    }
    weft_scan_free(&scan);
}

enum { MAX_PARTIAL = 1 << 22 /* sums of all parts together: 64 MiB */ };

void weft_trace_sums(const struct weft_source *source, const uint32_t *tracks,
                     size_t n_tracks, struct weft_span window, struct weft_sum *sums)
{
    const struct weft_trace *trace = weft_trace_of(source);
    size_t n_values = trace->schema.n_values;
    size_t parts = n_tracks < 32 ? 1 : 4 * weft_parallel_width();
    size_t most = MAX_PARTIAL / (n_values + 1);
    parts = parts < most ? parts : most ? most : 1;
    struct sums_work work = { trace, tracks, n_tracks, parts, window, NULL };
    if (parts == 1) { /* a caller that sums track after track has many values */
        work.sums = sums;
        add_part(&work, 0);
        return;
    }
    work.sums = weft_zalloc(parts * n_values, sizeof *work.sums);
    weft_parallel(parts, 1, add_part, &work);
    for (size_t i = 0; i < parts * n_values; i++) {
        struct weft_sum *sum = &sums[i % n_values];
        sum->self_ticks = weft_ticks_add(sum->self_ticks, work.sums[i].self_ticks);
        sum->total_ticks = weft_ticks_add(sum->total_ticks, work.sums[i].total_ticks);
    }
    free(work.sums);
}
