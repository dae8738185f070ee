/* SPDX-License-Identifier: Apache-2.0 */
#include "store/entities_by_time.h"

#include <stdlib.h>
#include <string.h>

struct weft_walk_track {
    uint32_t track;
    enum weft_kind kind;
    int64_t time;          /* time of the next entity ... */
    uint64_t ordinal;      /* ... and its number */
    uint64_t first, after; /* of the entities below */
    void *entities;        /* of the kind, first to after */
    size_t capacity;       /* bytes */
};

static size_t size_of(enum weft_kind kind)
{
    switch (kind) {
    case WEFT_STATE: return sizeof(struct weft_state);
    case WEFT_EVENT: return sizeof(struct weft_event);
    case WEFT_VARIABLE: return sizeof(struct weft_sample);
    case WEFT_LINK: return sizeof(struct weft_link);
    case WEFT_CONTAINER: break;
    }
    return 0;
}

static struct weft_entity entity_of(const struct weft_walk_track *at)
{
    struct weft_entity entity = { .kind = at->kind,
                                  .id = weft_entity_id(at->track, at->ordinal) };
    size_t i = (size_t)(at->ordinal - at->first);
    switch (at->kind) {
    case WEFT_STATE:
        entity.state = (const struct weft_state *)at->entities + i;
        entity.time = entity.state->begin;
        break;
    case WEFT_EVENT:
        entity.event = (const struct weft_event *)at->entities + i;
        entity.time = entity.event->time;
        break;
    case WEFT_VARIABLE:
        entity.sample = (const struct weft_sample *)at->entities + i;
        entity.time = entity.sample->begin;
        break;
    case WEFT_LINK:
        entity.link = (const struct weft_link *)at->entities + i;
        entity.time =
            entity.link->begin < entity.link->end ? entity.link->begin : entity.link->end;
        break;
    case WEFT_CONTAINER: break;
    }
    return entity;
}

/* Advances a track to its next entity, past damaged blocks; returns false at its end. */
static bool come_to(struct weft_walk *walk, struct weft_walk_track *at, uint64_t ordinal)
{
    uint64_t count = walk->source->schema->tracks[at->track].count;
    struct weft_run *run = walk->scratch;
    while (ordinal < count) { /* backwards, 0 - 1 is also beyond COUNT */
        if (ordinal < at->first || ordinal >= at->after) {
            walk->source->ops->run(walk->source, at->track, ordinal, run);
            if (!run->n) {
                ordinal = walk->backward ? run->first - 1 : run->after;
                continue;
            }
            at->first = run->first;
            at->after = run->after;
            size_t size = run->n * size_of(at->kind);
            at->entities = weft_grow(at->entities, &at->capacity, size, 1);
            memcpy(at->entities, run->states, size);
        }
        at->ordinal = ordinal;
        at->time = entity_of(at).time;
        return true;
    }
    return false;
}

static bool comes_before(const struct weft_walk *walk, const struct weft_walk_track *a,
                         const struct weft_walk_track *b)
{
    if (a->time != b->time)
        return (a->time < b->time) != walk->backward;
    return (a->track < b->track) != walk->backward;
}

static void sink(struct weft_walk *walk, size_t i)
{
    struct weft_walk_track *heap = walk->heap, moved = heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < walk->n && comes_before(walk, &heap[child + 1], &heap[child]))
            child++;
        if (child >= walk->n || !comes_before(walk, &heap[child], &moved))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

void weft_walk_begin(struct weft_walk *walk, const struct weft_source *source,
                     const uint32_t *tracks, size_t n_tracks, unsigned kinds, int64_t time,
                     bool backward)
{
    *walk = (struct weft_walk){ .source = source, .backward = backward };
    walk->heap = weft_alloc((n_tracks + 1) * sizeof *walk->heap);
    walk->scratch = weft_alloc(sizeof *walk->scratch);
    const struct weft_schema *schema = source->schema;
    for (size_t i = 0; i < n_tracks; i++) {
        struct weft_walk_track at = { .track = tracks[i] };
        at.kind = schema->types[schema->tracks[tracks[i]].type].kind;
        if (!(kinds >> at.kind & 1) || !size_of(at.kind))
            continue;
        uint64_t rank = source->ops->rank(source, tracks[i], time);
        if (come_to(walk, &at, backward ? rank - 1 : rank))
            walk->heap[walk->n++] = at;
        else
            free(at.entities);
    }
    for (size_t i = walk->n; i-- > 0;)
        sink(walk, i);
}

/* Advances the track that came last to its next entity, or removes it at its end. */
static void step(struct weft_walk *walk)
{
    struct weft_walk_track *top = &walk->heap[0];
    if (!come_to(walk, top, walk->backward ? top->ordinal - 1 : top->ordinal + 1)) {
        free(top->entities);
        *top = walk->heap[--walk->n];
    }
    if (walk->n)
        sink(walk, 0);
}

bool weft_walk_next(struct weft_walk *walk, struct weft_entity *out)
{
    if (walk->given)
        step(walk);
    walk->given = walk->n > 0;
    if (walk->given)
        *out = entity_of(&walk->heap[0]);
    return walk->given;
}

void weft_walk_end(struct weft_walk *walk)
{
    for (size_t i = 0; i < walk->n; i++)
        free(walk->heap[i].entities);
    free(walk->heap);
    free(walk->scratch);
}
