/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes let several threads append to different tracks at once.  Counters, the span and
 * scratch memory are kept once for each lane, and blocks wait in the lane's memory until
 * one thread writes them, lane by lane.
 */
#include <stdlib.h>
#include <string.h>

#include "store/build/builder_priv.h"
#include "store/column.h"

static struct build_lane *new_lanes(uint32_t n)
{
    struct build_lane *lanes = weft_zalloc(n, sizeof *lanes);
    for (uint32_t i = 0; i < n; i++) {
        lanes[i].begin = INT64_MAX;
        lanes[i].end = INT64_MIN;
    }
    return lanes;
}

void weft_build_lanes_free(struct weft_builder *b)
{
    for (uint32_t i = 0; i < b->n_lanes; i++) {
        free(b->lanes[i].scratch);
        free(b->lanes[i].bytes);
        free(b->lanes[i].waiting);
    }
    free(b->lanes);
    b->lanes = NULL;
    b->n_lanes = 0;
}

void weft_builder_lanes(struct weft_builder *b, uint32_t n)
{
    if (b->n_lanes)
        weft_builder_settle(b);
    weft_build_lanes_free(b);
    b->blocks_wait = n > 0;
    b->n_lanes = n ? n : 1;
    b->lanes = new_lanes(b->n_lanes);
    for (size_t i = 0; i < b->n_tracks; i++)
        b->tracks[i].lane = 0;
}

void weft_builder_assign(struct weft_builder *b, uint32_t track, uint32_t lane)
{
    WEFT_REQUIRE(track < b->n_tracks && lane < b->n_lanes, "track %u to lane %u", track,
                 lane);
    b->tracks[track].lane = lane;
}

/* Adds the counters and the span of the lane to the header. */
static void settle_counts(struct weft_builder *b, struct build_lane *lane)
{
    b->header.n_states += lane->n_states;
    b->header.n_events += lane->n_events;
    b->header.n_samples += lane->n_samples;
    lane->n_states = lane->n_events = lane->n_samples = 0;
    if (lane->begin <= lane->end) {
        weft_build_time(b, lane->begin);
        weft_build_time(b, lane->end);
    }
    lane->begin = INT64_MAX;
    lane->end = INT64_MIN;
}

void weft_builder_settle(struct weft_builder *b)
{
    for (uint32_t i = 0; i < b->n_lanes; i++) {
        struct build_lane *lane = &b->lanes[i];
        settle_counts(b, lane);
        if (!lane->n_waiting)
            continue;
        uint64_t base = weft_writer_append(b->writer, lane->bytes, lane->size);
        for (size_t w = 0; w < lane->n_waiting; w++) {
            const struct build_waiting *at = &lane->waiting[w];
            const struct build_track *track = &b->tracks[at->track];
            struct weft_file_block *blocks =
                at->column == WEFT_NONE ? track->blocks : track->columns[at->column].blocks;
            blocks[at->block].offset += base;
        }
        lane->size = lane->n_waiting = 0;
    }
}

unsigned char *weft_build_scratch(struct weft_builder *b, const struct build_track *track,
                                  size_t size)
{
    struct build_lane *lane = weft_build_lane(b, track);
    lane->scratch = weft_grow(lane->scratch, &lane->scratch_capacity, size, 1);
    return lane->scratch;
}

/* Keeps the block in the lane; returns where it begins there. */
static uint64_t put_aside(struct build_lane *lane, struct build_waiting waiting,
                          const void *bytes, size_t size)
{
    size_t at = lane->size, padded = (size + 7) & ~(size_t)7;
    lane->bytes = weft_grow(lane->bytes, &lane->capacity, at + padded, 1);
    memcpy(lane->bytes + at, bytes, size);
    memset(lane->bytes + at + size, 0, padded - size);
    lane->size += padded;
    lane->waiting = weft_grow(lane->waiting, &lane->waiting_capacity, lane->n_waiting + 1,
                              sizeof *lane->waiting);
    lane->waiting[lane->n_waiting++] = waiting;
    return at;
}

void weft_build_block(struct weft_builder *b, struct build_track *track,
                      struct build_column *column, struct weft_file_block entry,
                      const void *bytes, size_t size)
{
    struct weft_file_block **blocks = column ? &column->blocks : &track->blocks;
    size_t *n = column ? &column->n_blocks : &track->n_blocks;
    size_t *capacity = column ? &column->block_capacity : &track->block_capacity;
    if (b->blocks_wait) {
        struct build_waiting waiting = { (uint32_t)(track - b->tracks),
                                         column ? (uint32_t)(column - track->columns)
                                                : WEFT_NONE,
                                         *n };
        entry.offset = put_aside(weft_build_lane(b, track), waiting, bytes, size);
    } else {
        entry.offset = weft_writer_append(b->writer, bytes, size);
    }
    entry.checksum = weft_checksum(bytes, size);
    *blocks = weft_grow(*blocks, capacity, *n + 1, sizeof **blocks);
    (*blocks)[(*n)++] = entry;
}
