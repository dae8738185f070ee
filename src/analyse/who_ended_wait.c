/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/who_ended_wait.h"

#include <stdlib.h>

#include "analyse/wakings.h"
#include "base/memory.h"

struct weft_wait_ends_finder {
    const struct weft_source *source;
    const struct weft_wait_partners *partners; /* NULL: no domain knows messages */
    void *messages;                            /* state of `partners`; NULL: none */
    bool wakings;                              /* the trace has wake-ups */
};

struct weft_wait_ends_finder *weft_wait_ends_finder_new(const struct weft_source *source,
                                                        struct weft_job *job,
                                                        struct weft_err *err)
{
    struct weft_wait_ends_finder *finder = weft_zalloc(1, sizeof *finder);
    finder->source = source;
    finder->partners = weft_wait_partners();
    finder->wakings = weft_has_wakings(source->schema);
    if (finder->partners && !finder->partners->begin(source, job, &finder->messages, err)) {
        free(finder);
        return NULL;
    }
    return finder;
}

void weft_wait_ends_finder_free(struct weft_wait_ends_finder *finder)
{
    if (finder && finder->partners)
        finder->partners->end(finder->messages);
    free(finder);
}

size_t weft_wait_ends_finder_bytes(const struct weft_wait_ends_finder *finder)
{
    return sizeof *finder
           + (finder->messages ? finder->partners->bytes(finder->messages) : 0);
}

bool weft_is_wait(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_BLOCKED) || weft_role_is(role, WEFT_ROLE_SLEEPING)
           || weft_role_is(role, WEFT_ROLE_BLOCKING_SEND);
}

struct weft_waited_for weft_partner_of_wait(const struct weft_wait_ends_finder *finder,
                                            uint32_t track, const struct weft_state *state)
{
    if (finder->messages)
        return finder->partners->of_one(finder->messages, track, state);
    return (struct weft_waited_for){ .container = WEFT_NONE,
                                     .communicator = WEFT_NONE,
                                     .last = WEFT_NONE };
}

uint32_t weft_waker_of_wait(const struct weft_wait_ends_finder *finder, uint32_t track,
                            const struct weft_state *state)
{
    uint32_t waker = WEFT_NONE;
    if (finder->wakings)
        waker = weft_waker_of_one(finder->source,
                                  finder->source->schema->tracks[track].container, state);
    if (waker == WEFT_NONE && finder->messages)
        waker = finder->partners->last(finder->messages, state);
    return waker;
}

static bool names_partners(const struct weft_schema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].role == WEFT_ROLE_PARTNER
            && schema->fields[f].kind == WEFT_FIELD_CONTAINER
            && schema->types[schema->fields[f].type].kind == WEFT_STATE)
            return true;
    return false;
}

bool weft_may_know_row_of_waits(const struct weft_schema *schema, enum weft_wait_row which)
{
    const struct weft_wait_partners *partners = weft_wait_partners();
    if (partners && partners->may_have(schema))
        return true;
    return which == WEFT_WAIT_WAKER ? weft_has_wakings(schema) : names_partners(schema);
}

bool weft_row_of_wait(const struct weft_wait_ends_finder *finder, enum weft_wait_row which,
                      uint32_t track, const struct weft_state *state, uint32_t *row)
{
    const struct weft_schema *schema = finder->source->schema;
    if (state->value == WEFT_NONE || !weft_is_wait(schema->values[state->value].role))
        return false;
    if (which == WEFT_WAIT_WAKER)
        *row = weft_waker_of_wait(finder, track, state);
    else if (finder->messages)
        *row = weft_partner_of_wait(finder, track, state).container;
    else
        return false;
    return true;
}

/* ---- Many waits, in order ---- */

uint32_t weft_wait_parts(const struct weft_wait_ends_finder *finder,
                         enum weft_wait_row which, struct weft_span window)
{
    return which == WEFT_WAIT_PARTNER && finder->messages
               ? finder->partners->parts(finder->messages, window)
               : 1;
}

bool weft_wait_part_begin(struct weft_wait_part *part, struct weft_job *job,
                          struct weft_err *err)
{
    struct weft_wait_ends_finder *finder = part->finder;
    struct weft_span window = part->window;
    window.end += window.end < WEFT_TIME_LIMIT; /* what arrives when a wait ends */
    part->reads = part->which == WEFT_WAIT_PARTNER && finder->messages;
    part->track = WEFT_NONE;
    part->asker = NULL;
    return !part->reads
           || finder->partners->read_part(finder->messages, window, part->index, part->n,
                                          job, err);
}

bool weft_wait_part_has(const struct weft_wait_part *part, uint32_t container)
{
    return !part->reads
           || part->finder->partners->part_of(part->finder->messages, container, part->n)
                  == part->index;
}

static void leave_track(struct weft_wait_part *part)
{
    if (part->asker)
        part->finder->partners->end_asker(part->asker);
    part->asker = NULL;
}

bool weft_row_of_next_wait(struct weft_wait_part *part, uint32_t track,
                           const struct weft_state *state, uint32_t *row)
{
    const struct weft_schema *schema = part->finder->source->schema;
    if (!part->reads || state->begin < part->window.begin || state->end > part->window.end
        || state->value == WEFT_NONE || !weft_is_wait(schema->values[state->value].role))
        return weft_row_of_wait(part->finder, part->which, track, state, row);
    if (part->track != track) {
        leave_track(part);
        part->asker = part->finder->partners->ask(part->finder->messages, track);
        part->track = track;
    }
    *row = part->finder->partners->partner(part->asker, state).container;
    return true;
}

void weft_wait_part_end(struct weft_wait_part *part)
{
    leave_track(part);
    if (part->reads)
        part->finder->partners->end_part(part->finder->messages);
}
