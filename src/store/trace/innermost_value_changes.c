/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the innermost value of a state track as it changes; each block is decoded once. */
#include <stdlib.h>

#include "store/trace/trace_priv.h"

struct change_walk {
    const struct weft_trace *trace;
    const struct weft_file_track *track;
    struct weft_span window;
    const uint8_t *passed_over; /* by value, or NULL */
    uint32_t *inner; /* [depth + 1]: value reported while so many levels are open */
    size_t depth, capacity;
    struct weft_innermost_change before; /* at the window's begin, until it is given */
    bool began;
    bool damaged; /* the part being added is unreadable */
    struct weft_innermost_change out[WEFT_BLOCK_ROWS + 2];
    size_t n;
};

/* Returns false if TIME is beyond the window. */
static bool add(struct change_walk *c, int64_t time, uint32_t value)
{
    if (time <= c->window.begin) {
        c->before = (struct weft_innermost_change){ c->window.begin, value, c->damaged };
        return true;
    }
    if (time >= c->window.end)
        return false;
    if (!c->began)
        c->out[c->n++] = c->before;
    c->began = true;
    c->out[c->n++] = (struct weft_innermost_change){ time, value, c->damaged };
    return true;
}

/* Opens a level inside the others; returns the value to report from then on. */
static uint32_t open_level(struct change_walk *c, uint32_t value)
{
    c->inner = weft_grow(c->inner, &c->capacity, c->depth + 2, sizeof *c->inner);
    bool passed = value == WEFT_NONE || c->passed_over[value];
    c->inner[0] = WEFT_NONE;
    c->inner[c->depth + 1] = passed ? c->inner[c->depth] : value;
    return c->inner[++c->depth];
}

/* Opens the levels that are open when a block begins; returns the value to report. */
static uint32_t open_stack(struct change_walk *c, const struct weft_changes *changes)
{
    if (!c->passed_over)
        return weft_code_value(c->trace, c->track,
                               changes->stack[changes->depth - 1] >> 40);
    uint32_t value = WEFT_NONE;
    c->depth = 0;
    for (size_t i = 0; i < changes->depth; i++)
        value = open_level(c, weft_code_value(c->trace, c->track, changes->stack[i] >> 40));
    return value;
}

static uint32_t apply(struct change_walk *c, uint64_t operation)
{
    uint32_t value = weft_code_value(c->trace, c->track, operation >> 2);
    if (!c->passed_over)
        return value;
    switch ((enum weft_change_kind)(operation & 3)) {
    case WEFT_CHANGE_PUSH: return open_level(c, value);
    case WEFT_CHANGE_POP:
        c->depth -= c->depth > 0;
        return c->depth ? c->inner[c->depth] : WEFT_NONE;
    case WEFT_CHANGE_SET: c->depth = 0; return open_level(c, value);
    case WEFT_CHANGE_RESET: break;
    }
    c->depth = 0;
    return WEFT_NONE;
}

/*
 * Adds the changes of a block; *FOLLOWS: the block before it was readable.  Returns false
 * beyond the window.
 */
static bool add_block(struct change_walk *c, size_t b, bool *follows)
{
    const struct weft_file_block *block = &c->trace->directory[c->track->first_block + b];
    struct weft_changes changes;
    if (!weft_changes_decode(c->trace, c->track, b, &changes)) {
        *follows = false;
        c->depth = 0;
        c->damaged = true;
        return add(c, block->time, WEFT_NONE);
    }
    bool was_damaged = c->damaged;
    c->damaged = false;
    if (!*follows && (changes.depth || was_damaged)
        && !add(c, block->time, changes.depth ? open_stack(c, &changes) : WEFT_NONE))
        return false;
    *follows = true;
    for (size_t i = 0; i < changes.n; i++)
        if (!add(c, (int64_t)changes.times[i], apply(c, changes.operations[i])))
            return false;
    return true;
}

void weft_trace_changes(const struct weft_source *source, uint32_t track_index,
                        struct weft_span window, const uint8_t *passed_over,
                        bool (*visit)(void *user,
                                      const struct weft_innermost_change *changes,
                                      size_t n),
                        void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    WEFT_REQUIRE(track_index < trace->schema.n_tracks, "track %u", track_index);
    const struct weft_file_track *track = &trace->tracks[track_index];
    if (trace->schema.types[track->type].kind != WEFT_STATE || window.end <= window.begin)
        return;
    struct change_walk c = { .trace = trace,
                             .track = track,
                             .window = window,
                             .passed_over = passed_over,
                             .before = { .time = window.begin, .value = WEFT_NONE } };
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    bool follows = false, within = true;
    size_t first =
        track->n_blocks ? weft_block_at(blocks, track->n_blocks, window.begin) : 0;
    for (size_t b = first; b < track->n_blocks && within; b++) {
        if (blocks[b].time >= window.end)
            break;
        within = add_block(&c, b, &follows);
        if (c.n && !visit(user, c.out, c.n)) {
            free(c.inner);
            return;
        }
        c.n = 0;
    }
    free(c.inner);
    if (!c.began) {
        c.out[0] = c.before;
        visit(user, c.out, 1);
    }
}
