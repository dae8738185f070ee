/* SPDX-License-Identifier: Apache-2.0 */
/* Implements analyse/awaited_processor.h for messages. */
#include "analyse/awaited_processor.h"

#include <stdlib.h>

#include "domains/messages/analyse/last_comers.h"
#include "domains/messages/analyse/partner_of_one_wait.h"
#include "domains/messages/analyse/wait_partners.h"
#include "domains/messages/model/traffic.h"

struct partners {
    struct weft_processors *processors;
    struct weft_last_comers *last_comers; /* NULL: no collective operations */
    struct weft_wait_ends *ends;          /* of the part that is read, or NULL */
};

static bool begin(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err)
{
    *state = NULL;
    if (!weft_has_traffic(source->schema) || !weft_has_processors(source))
        return true;
    struct weft_processors *processors = weft_processors_make(source, job, err);
    if (!processors)
        return false;
    struct weft_last_comers *last_comers;
    if (!weft_last_comers_read(processors, job, &last_comers, err)) {
        weft_processors_free(processors);
        return false;
    }
    struct partners *partners = weft_zalloc(1, sizeof *partners);
    partners->processors = processors;
    partners->last_comers = last_comers;
    *state = partners;
    return true;
}

static uint32_t parts(const void *state, struct weft_span window)
{
    const struct partners *partners = state;
    return weft_wait_ends_parts(partners->processors, window);
}

/* Containers that are no processor count to part 0. */
static uint32_t part_of(const void *state, uint32_t container, uint32_t n_parts)
{
    const struct partners *partners = state;
    uint32_t processor = partners->processors->index_of[container];
    return processor == WEFT_NONE ? 0 : processor % n_parts;
}

static bool read_part(void *state, struct weft_span window, uint32_t part, uint32_t n_parts,
                      struct weft_job *job, struct weft_err *err)
{
    struct partners *partners = state;
    partners->ends =
        weft_wait_ends_read(partners->processors, window, part, n_parts, job, err);
    return partners->ends;
}

struct asker {
    struct weft_wait_asker of;
    const struct partners *partners;
};

static void *ask(const void *state, uint32_t track)
{
    const struct partners *partners = state;
    struct asker *asker = weft_alloc(sizeof *asker);
    asker->partners = partners;
    weft_wait_asker_begin(&asker->of, partners->ends, track);
    return asker;
}

static uint32_t last(const void *state, const struct weft_state *call)
{
    const struct partners *partners = state;
    uint32_t processor = weft_last_comer_of(partners->last_comers, call, NULL);
    return processor == WEFT_NONE ? WEFT_NONE
                                  : partners->processors->processors[processor].container;
}

static struct weft_waited_for found(const struct partners *partners,
                                    struct weft_wait_partner partner,
                                    const struct weft_state *state)
{
    const struct weft_processor *processors = partners->processors->processors;
    struct weft_waited_for found = { .container = WEFT_NONE,
                                     .communicator = WEFT_NONE,
                                     .last = last(partners, state) };
    if (partner.processor == WEFT_NONE)
        return found;
    return (struct weft_waited_for){ processors[partner.processor].container,
                                     processors[partner.processor].number,
                                     partner.tagged,
                                     partner.tag,
                                     partner.communicator,
                                     found.last };
}

static struct weft_waited_for partner_of(void *of, const struct weft_state *state)
{
    struct asker *asker = of;
    return found(asker->partners, weft_wait_partner_of(&asker->of, state), state);
}

static struct weft_waited_for of_one(const void *state, uint32_t track,
                                     const struct weft_state *call)
{
    const struct partners *partners = state;
    return found(partners, weft_partner_of_one_wait(partners->processors, track, call),
                 call);
}

static void end_part(void *state)
{
    struct partners *partners = state;
    weft_wait_ends_free(partners->ends);
    partners->ends = NULL;
}

static void end(void *state)
{
    struct partners *partners = state;
    if (partners) {
        weft_last_comers_free(partners->last_comers);
        weft_processors_free(partners->processors);
    }
    free(partners);
}

static size_t bytes(const void *state)
{
    const struct partners *partners = state;
    return sizeof *partners + weft_processors_bytes(partners->processors)
           + weft_last_comers_bytes(partners->last_comers);
}

static uint32_t numbered(const struct weft_source *source, int64_t number)
{
    struct weft_err err;
    uint32_t container = WEFT_NONE;
    if (!weft_has_processors(source))
        return container;
    struct weft_processors *processors = weft_processors_make(source, NULL, &err);
    for (uint32_t i = 0; processors && i < processors->n; i++)
        if (processors->processors[i].number == number)
            container = processors->processors[i].container;
    weft_processors_free(processors);
    return container;
}

extern const struct weft_wait_partners weft_wait_partners_of_messages;
const struct weft_wait_partners weft_wait_partners_of_messages = {
    .may_have = weft_has_traffic,
    .begin = begin,
    .parts = parts,
    .part_of = part_of,
    .read_part = read_part,
    .ask = ask,
    .partner = partner_of,
    .end_asker = free,
    .end_part = end_part,
    .end = end,
    .bytes = bytes,
    .of_one = of_one,
    .last = last,
    .numbered = numbered,
};
