/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/wait_partners.h"

#include <stdlib.h>

#include "base/parallel.h"

enum { INCOMING, OUTGOING, DIRECTIONS };
enum { PART_BYTES = 256 << 20, LINKS_A_REPORT = 1 << 14 };

struct end {             /* of a message, on one processor */
    int64_t time, other; /* here and there */
    uint64_t call;       /* here; WEFT_NO_ID: not named */
    int64_t tag;
    uint32_t partner, communicator;
    bool tagged;
};

struct list {
    struct end *ends; /* in order of time */
    size_t n, capacity;
};

struct weft_wait_ends {
    const struct weft_processors *processors;
    uint32_t part, n_parts;
    struct list (*lists)[DIRECTIONS]; /* by processor */
};

/* ---- Reading ---- */

static bool is_message_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(type->role, WEFT_ROLE_COLLECTIVE)
           && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
}

uint32_t weft_wait_ends_parts(const struct weft_processors *processors,
                              struct weft_span window)
{
    const struct weft_source *source = processors->source;
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (is_message_track(source->schema, t))
            bytes +=
                source->ops->density(source, t, window) * DIRECTIONS * sizeof(struct end);
    uint64_t parts = bytes / PART_BYTES + 1;
    return parts < processors->n ? (uint32_t)parts : processors->n ? processors->n : 1;
}

struct reading {
    struct weft_wait_ends *ends;
    struct weft_field_window tags, communicators; /* of the track that is read */
    struct weft_job *job;
    struct weft_err *err;
    uint64_t n;
    bool ok;
};

static void add(struct reading *reading, int direction, uint32_t processor, struct end end)
{
    struct weft_wait_ends *ends = reading->ends;
    struct list *list = &ends->lists[processor][direction];
    if (processor % ends->n_parts != ends->part)
        return;
    list->ends = weft_grow(list->ends, &list->capacity, list->n + 1, sizeof *list->ends);
    list->ends[list->n++] = end;
}

/* Which communicator a message is of; a link without the field has 0 there. */
static uint32_t communicator_of(struct reading *reading, uint64_t ordinal)
{
    const struct weft_schema *schema = reading->ends->processors->source->schema;
    int64_t container = weft_field_window_get(&reading->communicators, ordinal);
    return container >= 0 && container < (int64_t)schema->n_containers
                   && weft_role_is(schema->containers[container].role,
                                   WEFT_ROLE_COMMUNICATOR)
               ? (uint32_t)container
               : WEFT_NONE;
}

static bool take_link(void *user, const struct weft_link *link)
{
    struct reading *reading = user;
    const uint32_t *index_of = reading->ends->processors->index_of;
    if (++reading->n % LINKS_A_REPORT == 0
        && !weft_job_step(reading->job, 0, 0, reading->err))
        return reading->ok = false;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    uint32_t from = index_of[link->from], to = index_of[link->to];
    if (from == WEFT_NONE || to == WEFT_NONE)
        return true;
    struct end end = {
        .tag = weft_field_window_get(&reading->tags, weft_entity_ordinal(link->id)),
        .tagged = reading->tags.field != WEFT_NONE,
        .communicator = communicator_of(reading, weft_entity_ordinal(link->id)),
    };
    end.time = link->begin;
    end.other = link->end;
    end.call = link->from_entity;
    end.partner = to;
    add(reading, OUTGOING, from, end);
    end.time = link->end;
    end.other = link->begin;
    end.call = link->to_entity;
    end.partner = from;
    if (!(link->flags & WEFT_END_IMPLIED))
        add(reading, INCOMING, to, end);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static void sort_lists(void *user, size_t processor)
{
    struct weft_wait_ends *ends = user;
    for (int d = 0; d < DIRECTIONS; d++) {
        struct list *list = &ends->lists[processor][d];
        if (list->n)
            qsort(list->ends, list->n, sizeof *list->ends, by_time);
    }
}

struct weft_wait_ends *weft_wait_ends_read(const struct weft_processors *processors,
                                           struct weft_span window, uint32_t part,
                                           uint32_t n_parts, struct weft_job *job,
                                           struct weft_err *err)
{
    const struct weft_source *source = processors->source;
    struct weft_wait_ends *ends = weft_zalloc(1, sizeof *ends);
    struct reading *reading = weft_zalloc(1, sizeof *reading);
    ends->processors = processors;
    ends->part = part;
    ends->n_parts = n_parts;
    ends->lists = weft_zalloc((size_t)processors->n + 1, sizeof *ends->lists);
    reading->ends = ends;
    reading->job = job;
    reading->err = err;
    reading->ok = true;
    for (uint32_t t = 0; t < source->schema->n_tracks && reading->ok; t++)
        if (is_message_track(source->schema, t)) {
            weft_field_window_begin(&reading->tags, source, t, WEFT_ROLE_TAG);
            weft_field_window_begin_containers(&reading->communicators, source, t,
                                               WEFT_ROLE_COMMUNICATOR_OF);
            source->ops->links(source, t, window, take_link, reading);
        }
    bool ok = reading->ok;
    free(reading);
    if (!ok) {
        weft_wait_ends_free(ends);
        return NULL;
    }
    weft_parallel(processors->n, 16, sort_lists, ends);
    return ends;
}

void weft_wait_ends_free(struct weft_wait_ends *ends)
{
    for (uint32_t i = 0; ends && i < ends->processors->n; i++)
        for (int d = 0; d < DIRECTIONS; d++)
            free(ends->lists[i][d].ends);
    if (ends)
        free(ends->lists);
    free(ends);
}

/* ---- Asking ---- */

static size_t first_at(const struct list *list, int64_t time)
{
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->ends[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does the end belong to the state?  What is not named arrives within it, or leaves it. */
static bool belongs(const struct end *end, const struct weft_state *state, int direction)
{
    if (end->call != WEFT_NO_ID)
        return end->call == state->id;
    return state->begin == state->end
           || (direction == INCOMING ? end->time > state->begin : end->time < state->end);
}

/* Of several, the one that kept the caller longest; of equal ones the lowest partner's. */
static bool is_later(const struct end *a, const struct end *b)
{
    if (a->other != b->other)
        return a->other > b->other;
    return a->partner != b->partner ? a->partner < b->partner : a->tag < b->tag;
}

static const struct end *end_of(const struct weft_wait_asker *asker, int direction,
                                const struct weft_state *state)
{
    const struct list *list = &asker->ends->lists[asker->processor][direction];
    const struct end *best = NULL;
    for (size_t i = first_at(list, state->begin);
         i < list->n && list->ends[i].time <= state->end; i++)
        if (belongs(&list->ends[i], state, direction)
            && (!best || is_later(&list->ends[i], best)))
            best = &list->ends[i];
    return best;
}

void weft_wait_asker_begin(struct weft_wait_asker *asker, const struct weft_wait_ends *ends,
                           uint32_t track)
{
    const struct weft_source *source = ends->processors->source;
    const struct weft_track *of = &source->schema->tracks[track];
    asker->ends = ends;
    asker->processor = ends->processors->index_of[of->container];
    asker->track = track;
    asker->partner_field = weft_field_of_type(source->schema, of->type, WEFT_ROLE_PARTNER,
                                              WEFT_FIELD_CONTAINER);
    weft_field_window_begin(&asker->tags, source, track, WEFT_ROLE_TAG);
}

struct said {
    uint64_t ordinal;
    int64_t container; /* -1: nobody */
};

static bool take_partner(void *user, const struct weft_field_run *run)
{
    struct said *said = user;
    for (size_t i = 0; i < run->n; i++)
        if (run->ordinals[i] == said->ordinal)
            said->container = run->values[i];
    return true;
}

/* What the call itself says. */
static struct weft_wait_partner ask_call(struct weft_wait_asker *asker,
                                         const struct weft_state *state)
{
    const struct weft_processors *processors = asker->ends->processors;
    const struct weft_source *source = processors->source;
    struct weft_wait_partner partner = { WEFT_NONE, false, 0, WEFT_NONE };
    struct said said = { weft_entity_ordinal(state->id), -1 };
    if (asker->partner_field == WEFT_NONE)
        return partner;
    source->ops->field_range(source, asker->track, asker->partner_field, said.ordinal,
                             said.ordinal + 1, take_partner, &said);
    if (said.container < 0 || said.container >= (int64_t)source->schema->n_containers
        || processors->index_of[said.container] == WEFT_NONE)
        return partner;
    partner.processor = processors->index_of[said.container];
    partner.tagged = asker->tags.field != WEFT_NONE;
    partner.tag = weft_field_window_get(&asker->tags, said.ordinal);
    return partner;
}

struct weft_wait_partner weft_wait_partner_of(struct weft_wait_asker *asker,
                                              const struct weft_state *state)
{
    if (asker->processor == WEFT_NONE)
        return (struct weft_wait_partner){ WEFT_NONE, false, 0, WEFT_NONE };
    const struct end *end = end_of(asker, INCOMING, state);
    if (!end)
        end = end_of(asker, OUTGOING, state);
    if (!end)
        return ask_call(asker, state);
    return (struct weft_wait_partner){ end->partner, end->tagged, end->tag,
                                       end->communicator };
}
