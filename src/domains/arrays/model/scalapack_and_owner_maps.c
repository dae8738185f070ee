/* SPDX-License-Identifier: Apache-2.0 */
/* Formats besides HPF's: ScaLAPACK's array descriptors ("ScaLAPACK Users' Guide", section
   4.3.3), and maps that list the owner of each element. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/directives.h"

/* ---- DESCRIPTOR B(1, context, M, N, MB, NB, RSRC, CSRC, LLD) ONTO P ---- */

enum descriptor_word { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD, DESCRIPTOR_WORDS };

static bool read_words(struct directives *d, int64_t *words)
{
    if (!directive_expect(d, '(', "before the nine numbers of a descriptor"))
        return false;
    for (int i = 0; i < DESCRIPTOR_WORDS; i++) {
        bool last = i + 1 == DESCRIPTOR_WORDS;
        if (!directive_constant(d, &words[i]))
            return false;
        if (!last && !directive_at(d, ','))
            return directive_fail(
                d, "a descriptor has nine numbers: DTYPE, CTXT, M, N, MB, NB, "
                   "RSRC, CSRC, LLD");
        if (!last && !directive_next_word(d))
            return false;
    }
    return directive_expect(d, ')', "behind the nine numbers of a descriptor");
}

static bool check_words(struct directives *d, const struct entity *entity,
                        const struct entity *processors, const int64_t *words)
{
    if (words[DTYPE] != 1)
        return directive_fail(d, "a descriptor of a dense matrix begins with 1");
    if (entity->rank != 2 || processors->rank != 2)
        return directive_fail(d,
                              "a descriptor is of a matrix ONTO an arrangement of two "
                              "dimensions; %s has %u, %s %u",
                              entity->name, entity->rank, processors->name,
                              processors->rank);
    for (int k = 0; k < 2; k++) {
        if (words[M + k] < 0 || (uint64_t)words[M + k] != entity->extent[k])
            return directive_fail(d, "%c is %" PRId64 ", and %s is %" PRIu64 " x %" PRIu64,
                                  k ? 'N' : 'M', words[M + k], entity->name,
                                  entity->extent[0], entity->extent[1]);
        if (words[MB + k] < 1 || (uint64_t)words[MB + k] >= WEFT_ARRAY_LIMIT)
            return directive_fail(d, "%cB is %" PRId64 "; it should be at least 1",
                                  k ? 'N' : 'M', words[MB + k]);
        if (words[RSRC + k] < 0 || (uint64_t)words[RSRC + k] >= processors->extent[k])
            return directive_fail(d, "%cSRC is %" PRId64 "; it should be 0 to %" PRIu64,
                                  k ? 'C' : 'R', words[RSRC + k],
                                  processors->extent[k] - 1);
        if (words[MB + k] * (__int128)words[RSRC + k] >= (__int128)WEFT_ARRAY_LIMIT)
            return directive_fail(d, "%cB is %" PRId64 ", too much with this %cSRC",
                                  k ? 'N' : 'M', words[MB + k], k ? 'C' : 'R');
    }
    return true;
}

bool directive_descriptor(struct directives *d)
{
    int64_t words[DESCRIPTOR_WORDS];
    uint32_t at, onto;
    if (!directive_next_word(d) || !directive_entity(d, ENTITY_ARRAY, &at)
        || !read_words(d, words))
        return false;
    if (!directive_is(d, "ONTO"))
        return directive_fail(d, "ONTO P is missing: the arrangement of two dimensions");
    if (!directive_next_word(d) || !directive_entity(d, ENTITY_PROCESSORS, &onto)
        || !directive_expect_end(d))
        return false;
    struct entity *entity = &d->entities[at];
    if (!check_words(d, entity, &d->entities[onto], words)
        || !directive_place(d, entity, ENTITY_DISTRIBUTED))
        return false;
    entity->target = onto;
    for (int k = 0; k < 2; k++) {
        entity->format[k] = (struct format){ WEFT_DISTRIBUTION_CYCLIC, words[MB + k] };
        entity->shift[k] = words[RSRC + k] * words[MB + k];
    }
    return true;
}

/* ---- MAP B ONTO P, and then the owner of each element, row by row ---- */

static bool begin_map(struct directives *d, uint32_t at)
{
    struct entity *entity = &d->entities[at];
    uint64_t elements = 1;
    if (entity->kind != ENTITY_ARRAY || entity->array == WEFT_NONE)
        return directive_fail(d, "%s is no array of the program", entity->name);
    for (uint32_t k = 0; k < entity->rank; k++)
        elements *= entity->extent[k];
    if (!directive_place(d, entity, ENTITY_MAPPED))
        return false;
    d->mapped = at;
    d->map = NULL; /* grows with the numbers actually read */
    d->map_n = d->map_capacity = 0;
    d->map_size = elements;
    d->map_limit = 0;
    entity->target = WEFT_NONE;
    entity->map = NULL;
    entity->map_processors = 1;
    return true;
}

bool directive_map(struct directives *d)
{
    uint32_t at;
    if (!directive_next_word(d) || !directive_entity(d, ENTITY_ARRAY, &at)
        || !begin_map(d, at))
        return false;
    if (directive_is(d, "ONTO")) {
        struct entity *entity = &d->entities[at];
        if (!directive_next_word(d)
            || !directive_entity(d, ENTITY_PROCESSORS, &entity->target))
            return false;
        const struct entity *processors = &d->entities[entity->target];
        d->map_limit = 1;
        for (uint32_t k = 0; k < processors->rank; k++)
            d->map_limit *= processors->extent[k];
    }
    return directive_expect_end(d);
}

static bool add_owner(struct directives *d)
{
    struct entity *entity = &d->entities[d->mapped];
    uint64_t owner = (uint64_t)d->word.number;
    uint64_t limit = d->map_limit ? d->map_limit : WEFT_DISTRIBUTION_PROCESSORS;
    if (d->map_n == d->map_size)
        return directive_fail(d, "%s has %" PRIu64 " elements, and this is an owner more",
                              entity->name, d->map_size);
    if (owner >= limit)
        return directive_fail(d, "there is no processor %" PRIu64 " (0 to %" PRIu64 ")",
                              owner, limit - 1);
    d->map = weft_grow(d->map, &d->map_capacity, d->map_n + 1, sizeof *d->map);
    d->map[d->map_n++] = (uint32_t)owner;
    if (owner >= entity->map_processors)
        entity->map_processors = owner + 1;
    return true;
}

bool directive_map_numbers(struct directives *d)
{
    bool comma;
    while (d->word.kind != WORD_END) {
        if (d->word.kind != WORD_NUMBER)
            return directive_fail(d, "the owner of an element of %s is a number, from 0",
                                  d->entities[d->mapped].name);
        if (!add_owner(d) || !directive_next_word(d) || !directive_skip(d, ',', &comma))
            return false;
    }
    return true;
}

bool directive_map_end(struct directives *d)
{
    if (d->mapped == WEFT_NONE)
        return true;
    struct entity *entity = &d->entities[d->mapped];
    if (d->map_n != d->map_size)
        return directive_fail_at(d, entity->line,
                                 "%s has %" PRIu64 " elements, and %" PRIu64
                                 " owners are given",
                                 entity->name, d->map_size, d->map_n);
    struct weft_distributions *set = d->set;
    set->maps =
        weft_grow(set->maps, &set->map_capacity, set->n_maps + 1, sizeof *set->maps);
    set->maps[set->n_maps++] = d->map;
    entity->map = d->map;
    d->map = NULL;
    d->mapped = WEFT_NONE;
    return true;
}

bool directive_bare_map(struct directives *d)
{
    bool more = true;
    if (d->n_entities != 1)
        return directive_fail_at(d, 1,
                                 "of which array?  The program has %zu: a line before says "
                                 "it, MAP %s",
                                 d->n_entities, d->n_entities ? d->entities[0].name : "B");
    if (!directive_first_word(d) || !begin_map(d, 0))
        return false;
    for (; more; more = directive_lines_next(&d->lines, &d->statement))
        if (!directive_first_word(d) || !directive_map_numbers(d))
            return false;
    return directive_map_end(d) && directive_resolve(d);
}
