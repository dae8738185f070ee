/* SPDX-License-Identifier: Apache-2.0 */
/* State tracks: a stack of open states, written as blocks of changes (store_layout.h). */
#include <stdlib.h>
#include <string.h>

#include "store/build/builder_priv.h"
#include "store/column.h"

enum {
    FIRST_ROOM = 16, /* rows of a new track's block; most tracks of a large run are small */
    /* Sums of a code take 16 bytes: after so many changes a code, half a byte each. */
    ROWS_PER_CODE = 32,
    /*
     * Values at smaller positions of their type have their code in an array, not a map; the
     * array grows with the number of the track's codes, since many tracks have one value.
     */
    DIRECT_CODES = 4096,
    DIRECT_AT_FIRST = 64,
    DIRECT_FOR_EACH = 16,
};

void weft_build_row_room(struct build_track *track)
{
    if (track->n < track->capacity)
        return;
    track->capacity = track->capacity ? (uint16_t)(track->capacity * 4) : FIRST_ROOM;
    if (track->capacity > WEFT_BLOCK_ROWS)
        track->capacity = WEFT_BLOCK_ROWS;
    track->times = weft_realloc(track->times, track->capacity * sizeof *track->times);
    size_t cell =
        track->kind == WEFT_VARIABLE ? sizeof *track->values : sizeof *track->operations;
    track->operations = weft_realloc(track->operations, track->capacity * cell);
}

uint32_t weft_build_code(struct weft_builder *b, struct build_track *track, uint32_t value)
{
    if (value == WEFT_NONE)
        return 0;
    WEFT_REQUIRE(value < b->n_values, "value %u", value);
    uint32_t position = b->value_position[value];
    if (position < track->code_of_capacity && track->code_of[position])
        return track->code_of[position];
    if (position >= track->code_of_capacity && position < DIRECT_CODES
        && position < DIRECT_AT_FIRST + DIRECT_FOR_EACH * track->n_codes) {
        size_t old = track->code_of_capacity;
        track->code_of = weft_grow(track->code_of, &track->code_of_capacity, position + 1,
                                   sizeof *track->code_of);
        memset(track->code_of + old, 0,
               (track->code_of_capacity - old) * sizeof *track->code_of);
    }
    if (track->far_codes.count) { /* it may have been beyond the array when it was first
                                     seen */
        uint32_t code = weft_id_map_get(&track->far_codes, value);
        if (code != WEFT_MAP_NONE)
            return code;
    }
    track->codes = weft_grow(track->codes, &track->code_capacity, track->n_codes + 1,
                             sizeof *track->codes);
    track->code_values = weft_grow(track->code_values, &track->code_value_capacity,
                                   track->n_codes + 1, sizeof *track->code_values);
    track->codes[track->n_codes] = (struct build_code){ 0 };
    track->code_values[track->n_codes++] = value;
    if (position < track->code_of_capacity)
        track->code_of[position] = (uint32_t)track->n_codes;
    else
        weft_id_map_put(&track->far_codes, value, (uint32_t)track->n_codes);
    return (uint32_t)track->n_codes;
}

/* Packs sums in place into as few bytes each as the largest needs; returns that width. */
static unsigned pack_sums(uint64_t *sums, size_t n)
{
    uint64_t all = 1;
    for (size_t i = 0; i < n; i++)
        all |= sums[i];
    unsigned width = (unsigned)(8 - __builtin_clzll(all) / 8);
    unsigned char *out = (unsigned char *)sums;
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = sums[i]; /* copied first: the packed sum may overwrite it */
        memcpy(out + i * width, &sum, width);
    }
    size_t size = n * width;
    memset(out + size, 0, (size + 7) / 8 * 8 - size);
    return width;
}

/* Begins a block with the stack just before TIME and, when they are due, the sums. */
static void begin_block(struct build_track *track, int64_t time)
{
    size_t n_codes = track->n_codes;
    bool sums = track->n_blocks > 0
                && (size_t)(track->blocks_since_sums + 1) * WEFT_BLOCK_ROWS
                       >= n_codes * ROWS_PER_CODE;
    track->blocks_since_sums = sums ? 0 : track->blocks_since_sums + (track->n_blocks > 0);
    uint32_t back = track->blocks_since_sums;
    track->header = (struct weft_change_header){
        .depth = (uint16_t)track->depth,
        .n_codes = sums ? (uint32_t)n_codes : 0,
        .sums_back = { (uint8_t)back, (uint8_t)(back >> 8), (uint8_t)(back >> 16) },
    };
    track->first_ordinal = track->count;
    track->low = (uint16_t)track->depth;
    size_t size = track->depth * 8 + (sums ? n_codes * 16 : 0);
    track->head = weft_grow(track->head, &track->head_capacity, size, 1);
    track->head_size = size;
    uint64_t *stack = (uint64_t *)(void *)track->head;
    for (size_t i = 0; i < track->depth; i++)
        stack[i] = (uint64_t)track->stack[i].code << 40 | track->stack[i].ordinal;
    if (!sums)
        return;
    uint64_t *self = stack + track->depth, *total = self + n_codes;
    for (size_t i = 0; i < n_codes; i++) {
        const struct build_code *code = &track->codes[i];
        self[i] = (uint64_t)code->self;
        total[i] = (uint64_t)(code->total + (code->open ? time - code->since : 0));
    }
    /*
     * The sums do not include yet that the innermost state has lasted since the latest
     * change.
     */
    if (track->depth)
        self[track->stack[track->depth - 1].code - 1] += (uint64_t)(time - track->end);
    track->header.sum_width = (uint8_t)pack_sums(self, 2 * n_codes);
    track->head_size = track->depth * 8 + weft_sums_size(n_codes, track->header.sum_width);
}

/*
 * Returns the width of a column of deltas that takes the fewest bytes, where each delta
 * that does not fit takes 10 bytes beside it.
 */
static unsigned cheapest_width(const uint64_t *deltas, size_t n)
{
    static const unsigned widths[] = { 1, 2, 4, 8 };
    size_t over[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        over[0] += deltas[i] > UINT8_MAX;
        over[1] += deltas[i] > UINT16_MAX;
        over[2] += deltas[i] > UINT32_MAX;
    }
    size_t best = 3;
    for (size_t w = 3; w-- > 0;)
        if (n * widths[w] + 10 * over[w] < n * widths[best] + 10 * over[best])
            best = w;
    return widths[best];
}

/* Writes the deltas, and the long ones beside them; returns the bytes written. */
static size_t put_deltas(unsigned char *out, uint64_t *deltas, size_t n,
                         struct weft_change_header *header)
{
    unsigned width = cheapest_width(deltas, n);
    uint64_t most = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
    uint64_t lengths[WEFT_BLOCK_ROWS], rows[WEFT_BLOCK_ROWS];
    size_t n_long = 0;
    for (size_t i = 0; i < n; i++) {
        if (deltas[i] <= most)
            continue;
        lengths[n_long] = deltas[i];
        rows[n_long++] = i;
        deltas[i] = 0;
    }
    header->delta_width = (uint8_t)width;
    header->n_long = (uint16_t)n_long;
    size_t size = weft_pack(out, deltas, n, width);
    size += weft_pack(out + size, lengths, n_long, 8);
    return size + weft_pack(out + size, rows, n_long, 2);
}

void weft_build_flush_states(struct weft_builder *b, struct build_track *track)
{
    size_t n = track->n;
    if (!n)
        return;
    uint64_t deltas[WEFT_BLOCK_ROWS], operations[WEFT_BLOCK_ROWS], highest = 1;
    for (size_t i = 0; i < n; i++) {
        deltas[i] = i ? (uint64_t)track->times[i] - (uint64_t)track->times[i - 1] : 0;
        operations[i] = track->operations[i];
        highest |= operations[i];
    }
    unsigned char *out = weft_build_scratch(
        b, track, sizeof track->header + track->head_size + 4 * 8 * WEFT_BLOCK_ROWS);
    size_t size = sizeof track->header;
    if (track->head_size)
        memcpy(out + size, track->head, track->head_size);
    size += track->head_size;
    size += put_deltas(out + size, deltas, n, &track->header);
    track->header.n = (uint16_t)n;
    track->header.operation_width = (uint8_t)weft_width_of(highest);
    size += weft_pack(out + size, operations, n, track->header.operation_width);
    memcpy(out, &track->header, sizeof track->header);
    weft_build_block(b, track, NULL,
                     (struct weft_file_block){ .time = track->times[0],
                                               .ordinal = track->first_ordinal,
                                               .n = (uint16_t)n,
                                               .low = track->low },
                     out, size);
    track->n = 0;
}

/* Records that a change of KIND at TIME left the stack as it is now. */
static void record(struct weft_builder *b, struct build_track *track,
                   enum weft_change_kind kind, int64_t time)
{
    uint32_t top = track->depth ? track->stack[track->depth - 1].code : 0;
    track->times[track->n] = time;
    track->operations[track->n] = top << 2 | (uint32_t)kind;
    size_t low = kind == WEFT_CHANGE_SET ? 0 : track->depth;
    if (low < track->low)
        track->low = (uint16_t)low;
    track->end = time;
    if (++track->n == WEFT_BLOCK_ROWS)
        weft_build_flush_states(b, track);
}

/*
 * Before a change at TIME: begins a block if needed, and adds to the innermost state's sum.
 */
static void advance(struct weft_builder *b, struct build_track *track, int64_t time)
{
    weft_build_row_room(track);
    if (track->n == 0)
        begin_block(track, time);
    if (track->depth)
        track->codes[track->stack[track->depth - 1].code - 1].self += time - track->end;
    if (time < track->begin)
        track->begin = time;
    weft_build_lane_time(weft_build_lane(b, track), time);
}

static void close_top(struct build_track *track, int64_t time)
{
    struct build_code *code = &track->codes[track->stack[--track->depth].code - 1];
    if (--code->open == 0)
        code->total += time - code->since;
}

static void open_state(struct weft_builder *b, struct build_track *track, int64_t time,
                       uint32_t code_number)
{
    struct build_code *code = &track->codes[code_number - 1];
    if (code->open++ == 0)
        code->since = time;
    track->stack = weft_grow(track->stack, &track->stack_capacity, track->depth + 1,
                             sizeof *track->stack);
    track->stack[track->depth++] = (struct build_state){ track->count++, code_number };
    if (track->depth > track->max_depth)
        track->max_depth = (uint32_t)track->depth;
    weft_build_lane(b, track)->n_states++;
}

static struct build_track *state_track(struct weft_builder *b, uint32_t index)
{
    WEFT_REQUIRE(index < b->n_tracks && b->tracks[index].kind == WEFT_STATE,
                 "track %u is not of states", index);
    return &b->tracks[index];
}

static enum weft_build open_one(struct weft_builder *b, uint32_t index, int64_t time,
                                uint32_t value, const struct weft_field_value *fields,
                                size_t n_fields, uint64_t *id, enum weft_change_kind kind)
{
    struct build_track *track = state_track(b, index);
    if (time < track->end && track->end != INT64_MIN)
        return WEFT_BUILD_BACKWARD;
    if (track->depth >= UINT16_MAX - 1 && kind == WEFT_CHANGE_PUSH)
        return WEFT_BUILD_DEEP;
    uint32_t code = weft_build_code(b, track, value);
    WEFT_REQUIRE(code, "a state without a value");
    track->flags = 0;
    advance(b, track, time);
    if (kind == WEFT_CHANGE_SET)
        while (track->depth)
            close_top(track, time);
    if (n_fields)
        weft_build_fields(b, track, track->count, fields, n_fields);
    if (id)
        *id = weft_entity_id(index, track->count);
    open_state(b, track, time, code);
    record(b, track, kind, time);
    return WEFT_BUILD_OK;
}

enum weft_build weft_builder_push(struct weft_builder *b, uint32_t track, int64_t time,
                                  uint32_t value, const struct weft_field_value *fields,
                                  size_t n_fields, uint64_t *id)
{
    return open_one(b, track, time, value, fields, n_fields, id, WEFT_CHANGE_PUSH);
}

enum weft_build weft_builder_set(struct weft_builder *b, uint32_t track, int64_t time,
                                 uint32_t value, const struct weft_field_value *fields,
                                 size_t n_fields, uint64_t *id)
{
    return open_one(b, track, time, value, fields, n_fields, id, WEFT_CHANGE_SET);
}

enum weft_build weft_builder_pop(struct weft_builder *b, uint32_t index, int64_t time,
                                 uint64_t *id)
{
    struct build_track *track = state_track(b, index);
    if (!track->depth)
        return WEFT_BUILD_EMPTY;
    if (time < track->end)
        return WEFT_BUILD_BACKWARD;
    advance(b, track, time);
    if (id)
        *id = weft_entity_id(index, track->stack[track->depth - 1].ordinal);
    close_top(track, time);
    record(b, track, WEFT_CHANGE_POP, time);
    return WEFT_BUILD_OK;
}

static void close_all(struct weft_builder *b, struct build_track *track, int64_t time)
{
    advance(b, track, time);
    while (track->depth)
        close_top(track, time);
    record(b, track, WEFT_CHANGE_RESET, time);
}

enum weft_build weft_builder_reset(struct weft_builder *b, uint32_t index, int64_t time)
{
    struct build_track *track = state_track(b, index);
    if (!track->depth)
        return WEFT_BUILD_EMPTY;
    if (time < track->end)
        return WEFT_BUILD_BACKWARD;
    close_all(b, track, time);
    return WEFT_BUILD_OK;
}

void weft_build_close_states(struct weft_builder *b, struct build_track *track,
                             int64_t time)
{
    if (!track->depth)
        return;
    close_all(b, track, time < track->end ? track->end : time);
    track->flags |= WEFT_TRACK_END_IMPLIED;
}

uint32_t weft_builder_open_states(const struct weft_builder *b, uint32_t track)
{
    return track < b->n_tracks ? (uint32_t)b->tracks[track].depth : 0;
}

uint32_t weft_builder_top_value(const struct weft_builder *b, uint32_t index)
{
    if (index >= b->n_tracks || !b->tracks[index].depth)
        return WEFT_NONE;
    const struct build_track *track = &b->tracks[index];
    return track->code_values[track->stack[track->depth - 1].code - 1];
}
