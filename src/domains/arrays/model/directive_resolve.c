/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes distributions of arrays from the directives on arrays, templates and arrangements.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/arrays/model/directives.h"

enum {
    DEEPEST = 256,          /* length of a chain of alignments */
    MAX_RESOLVED = 1 << 20, /* each may take a kilobyte */
};

static uint32_t distributed_dimensions(const struct entity *entity)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < entity->rank; k++)
        n += entity->format[k].format != WEFT_DISTRIBUTION_COLLAPSED;
    return n;
}

/* Chooses the only arrangement with RANK dimensions, if no ONTO names one. */
static bool choose_arrangement(struct directives *d, const struct entity *entity,
                               uint32_t rank, uint32_t *out)
{
    uint32_t n = d->arrangements[rank].n;
    *out = n ? d->arrangements[rank].last : WEFT_NONE;
    if (n == 1 || (!n && !rank))
        return true;
    return directive_fail_at(
        d, entity->line,
        n ? "%s may lie on several arrangements with %u dimensions: say "
            "which, ONTO P"
          : "%s needs an arrangement with %u dimensions: "
            "PROCESSORS P(%s) before, and ONTO P behind",
        entity->name, rank,
        rank == 1   ? "4"
        : rank == 2 ? "2,4"
                    : "2,2,2");
}

static void write_text(struct weft_distribution *out, const struct entity *entity,
                       const struct entity *processors)
{
    static const char *const names[] = { "*", "BLOCK", "CYCLIC" };
    size_t n = 0, size = sizeof out->text;
#define PUT(...)                                                                           \
 if (n < size)                                                                             \
 n += (size_t)snprintf(out->text + n, size - n, __VA_ARGS__)
    PUT("(");
    for (uint32_t k = 0; k < entity->rank; k++) {
        PUT("%s%s", k ? ", " : "", names[entity->format[k].format]);
        if (entity->format[k].block)
            PUT("(%" PRId64 ")", entity->format[k].block);
    }
    PUT(") ONTO %s", processors ? processors->name : "one processor");
    for (uint32_t k = 0; processors && k < processors->rank; k++)
        PUT("%s%" PRIu64, k ? "," : "(", processors->extent[k]);
    if (processors && processors->rank)
        PUT(")");
#undef PUT
}

/* Makes the axis of one dimension; returns false if the blocks are too small to hold it. */
static bool cut(struct directives *d, const struct entity *entity, uint32_t k,
                uint64_t processors, struct weft_distribution_axis *axis)
{
    uint64_t extent = entity->extent[k] + (uint64_t)entity->shift[k];
    const struct format *format = &entity->format[k];
    uint64_t fits = (extent + processors - 1) / processors;
    uint64_t usual = format->format == WEFT_DISTRIBUTION_BLOCK ? fits : 1;
    *axis =
        (struct weft_distribution_axis){ .kind = WEFT_AXIS_ARRAY,
                                         .dimension = k,
                                         .stride = 1,
                                         .offset = entity->shift[k],
                                         .template_extent = extent,
                                         .format = format->format,
                                         .block = format->block ? (uint64_t)format->block
                                                                : usual,
                                         .processors = processors };
    if (format->format == WEFT_DISTRIBUTION_BLOCK && axis->block < fits)
        return directive_fail_at(
            d, entity->line,
            "BLOCK(%" PRIu64 ") is too small: dimension %u of %s has %" PRIu64
            " elements for %" PRIu64 " processors, so BLOCK(%" PRIu64 ") or more is right",
            axis->block, k + 1, entity->name, extent, processors, fits);
    return true;
}

static bool resolve_distributed(struct directives *d, const struct entity *entity,
                                struct weft_distribution *out)
{
    uint32_t rank = distributed_dimensions(entity), onto = entity->target;
    if (onto == WEFT_NONE && !choose_arrangement(d, entity, rank, &onto))
        return false;
    const struct entity *processors = onto == WEFT_NONE ? NULL : &d->entities[onto];
    if (processors && processors->rank != rank)
        return directive_fail_at(
            d, entity->line,
            "%u dimensions of %s are distributed, and %s has %u: each that "
            "is not * takes one",
            rank, entity->name, processors->name, processors->rank);
    out->rank = rank;
    for (uint32_t k = 0, at = 0; k < entity->rank; k++) {
        if (entity->format[k].format == WEFT_DISTRIBUTION_COLLAPSED)
            continue;
        out->extent[at] = processors->extent[at];
        if (!cut(d, entity, k, out->extent[at], &out->axis[at]))
            return false;
        at++;
    }
    write_text(out, entity, processors);
    return true;
}

static void resolve_mapped(const struct directives *d, const struct entity *entity,
                           struct weft_distribution *out)
{
    const struct entity *processors =
        entity->target == WEFT_NONE ? NULL : &d->entities[entity->target];
    out->map = entity->map;
    out->rank = processors ? processors->rank : 1;
    out->extent[0] = entity->map_processors;
    if (processors)
        memcpy(out->extent, processors->extent, sizeof out->extent);
    snprintf(out->text, sizeof out->text, "map of %s", d->file);
}

/* Composes an axis of an alignment's target with the alignment, giving an axis of the
   array. */
static bool compose(const struct entity *entity, struct weft_distribution_axis *axis)
{
    if (axis->kind != WEFT_AXIS_ARRAY)
        return true;
    const struct align_place *place = &entity->place[axis->dimension];
    int64_t offset;
    switch (place->kind) {
    case PLACE_REPLICATED: axis->kind = WEFT_AXIS_REPLICATED; return true;
    case PLACE_CONSTANT:
        axis->coordinate = weft_distribution_coordinate(axis, (uint64_t)place->offset);
        axis->kind = WEFT_AXIS_CONSTANT;
        return true;
    case PLACE_DIMENSION: break;
    }
    if (__builtin_mul_overflow(axis->stride, place->offset, &offset)
        || __builtin_add_overflow(axis->offset, offset, &axis->offset)
        || __builtin_mul_overflow(axis->stride, place->stride, &axis->stride))
        return false;
    axis->dimension = place->dimension;
    return true;
}

/* Resolves an entity; *SAID is false if it has no distribution. */
static bool resolve(struct directives *d, uint32_t at, uint32_t depth,
                    struct weft_distribution *out, bool *said)
{
    const struct entity *entity = &d->entities[at];
    *said = entity->state != ENTITY_FREE;
    if (entity->state != ENTITY_FREE && d->resolved++ == MAX_RESOLVED)
        return directive_fail_at(d, entity->line,
                                 "there are more than %d arrays times steps", MAX_RESOLVED);
    switch (entity->state) {
    case ENTITY_FREE: return true;
    case ENTITY_DISTRIBUTED: return resolve_distributed(d, entity, out);
    case ENTITY_MAPPED: resolve_mapped(d, entity, out); return true;
    case ENTITY_ALIGNED: break;
    }
    const struct entity *target = &d->entities[entity->target];
    if (depth > d->n_entities)
        return directive_fail_at(d, entity->line, "%s is aligned with itself",
                                 entity->name);
    if (depth == DEEPEST)
        return directive_fail_at(d, entity->line,
                                 "%s is at the end of more than %d alignments",
                                 entity->name, DEEPEST);
    if (!resolve(d, entity->target, depth + 1, out, said) || !*said)
        return false;
    if (out->map)
        return directive_fail_at(d, entity->line,
                                 "%s cannot be aligned with %s, which lies as a map says",
                                 entity->name, target->name);
    for (uint32_t k = 0; k < out->rank; k++)
        if (!compose(entity, &out->axis[k]))
            return directive_fail_at(d, entity->line, "this alignment is too large");
    size_t n = strlen(out->text);
    snprintf(out->text + n, sizeof out->text - n, ", aligned with %.40s", target->name);
    return true;
}

/*
 * Describes why an array has no distribution: the end of its chain of alignments has none.
 */
static const char *undistributed(const struct directives *d, const struct entity *entity)
{
    while (entity->state == ENTITY_ALIGNED)
        entity = &d->entities[entity->target];
    return entity->name;
}

bool directive_resolve(struct directives *d)
{
    if (!d->changed)
        return true;
    if (d->n_sorted < d->n_placed)
        qsort(d->placed, d->n_placed, sizeof *d->placed, weft_by_u32);
    d->n_sorted = d->n_placed;
    for (size_t k = 0; k < d->n_placed; k++) {
        uint32_t i = d->placed[k];
        struct weft_distribution out;
        memset(&out, 0, sizeof out);
        bool said;
        d->err->code = WEFT_OK;
        bool ok = resolve(d, i, 0, &out, &said);
        if (!ok && d->err->code == WEFT_OK)
            return directive_fail_at(
                d, d->entities[i].line,
                "%s is aligned with %s, of which nothing says how it is "
                "distributed (DISTRIBUTE %s(BLOCK) ONTO P)",
                d->entities[i].name, undistributed(d, &d->entities[i]),
                undistributed(d, &d->entities[i]));
        if (!ok)
            return false;
        if (said && d->entities[i].array != WEFT_NONE)
            weft_distributions_add(d->set, d->entities[i].array, d->step, &out);
    }
    d->changed = false;
    return true;
}
