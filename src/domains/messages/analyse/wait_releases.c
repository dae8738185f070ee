/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements analyse/releases_of_waits.h for waits for messages: a receive ends by the
 * message that was sent last of those that it receives; a send that waits, when the
 * receiver begins to receive; a collective operation, when the last of those came whose
 * data the call needs (last_comers.h).
 */
#include "analyse/releases_of_waits.h"

#include <stdlib.h>

#include "analyse/activity_intervals.h"
#include "domains/messages/analyse/last_comers.h"
#include "domains/messages/model/traffic.h"

struct finder {
    const struct weft_source *source;
    struct weft_processors *processors; /* NULL: the trace has none */
    struct weft_last_comers *comers;    /* NULL: no collective operations */
};

static bool begin(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err)
{
    struct finder *finder = weft_zalloc(1, sizeof *finder);
    finder->source = source;
    if (weft_has_processors(source)) {
        finder->processors = weft_processors_make(source, job, err);
        if (!finder->processors) {
            free(finder);
            return false;
        }
        if (!weft_last_comers_read(finder->processors, job, &finder->comers, err)) {
            weft_processors_free(finder->processors);
            free(finder);
            return false;
        }
    }
    *state = finder;
    return true;
}

/*
 * Returns the row at an end of a message: that of the call ENTITY if it is named, else
 * CONTAINER, or the first row that it holds; WEFT_NONE: there is none.
 */
static uint32_t row_of_end(const struct weft_schema *schema, uint32_t container,
                           uint64_t entity)
{
    uint32_t track = entity == WEFT_NO_ID ? WEFT_NONE : weft_entity_track(entity);
    if (track < schema->n_tracks
        && weft_is_activity_row(schema, schema->tracks[track].container))
        return schema->tracks[track].container;
    uint32_t end = schema->containers[container].subtree_end;
    for (uint32_t p = schema->containers[container].order; p < end; p++)
        if (weft_is_activity_row(schema, schema->preorder[p]))
            return schema->preorder[p];
    return WEFT_NONE;
}

struct search {
    const struct finder *finder;
    const struct weft_state *wait;
    bool named; /* only messages that name the call, else only those that name none */
    bool found;
    struct weft_release *out;
};

static bool is_plain_message(const struct weft_schema *schema, const struct weft_link *link)
{
    enum weft_role role = schema->types[link->type].role;
    return weft_role_is(role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(role, WEFT_ROLE_COLLECTIVE)
           && !weft_role_is(role, WEFT_ROLE_TRANSFER) && link->from != WEFT_NONE
           && link->to != WEFT_NONE
           && !(link->flags & (WEFT_BEGIN_IMPLIED | WEFT_END_IMPLIED));
}

/* Keeps of the messages that arrive during the wait the one that was sent last. */
static bool take_received(void *user, const struct weft_link *link)
{
    struct search *search = user;
    const struct weft_schema *schema = search->finder->source->schema;
    const struct weft_state *wait = search->wait;
    if (!is_plain_message(schema, link) || link->end < wait->begin || link->end > wait->end
        || (!search->named && (link->to_entity != WEFT_NO_ID || link->end == wait->begin))
        || (search->found && link->begin <= search->out->time))
        return true;
    uint32_t row = row_of_end(schema, link->from, link->from_entity);
    if (row == WEFT_NONE)
        return true;
    *search->out =
        (struct weft_release){ WEFT_RELEASED_BY_MESSAGE, row, link->begin, link->id };
    search->found = true;
    return true;
}

/* Keeps of the messages that the wait sends that whose receiver began last to receive. */
static bool take_sent(void *user, const struct weft_link *link)
{
    struct search *search = user;
    const struct weft_source *source = search->finder->source;
    const struct weft_state *wait = search->wait;
    struct weft_state receive;
    if (!is_plain_message(source->schema, link) || link->begin < wait->begin
        || link->end > wait->end || link->to_entity == WEFT_NO_ID
        || !source->ops->state(source, link->to_entity, &receive)
        || receive.begin > link->end
        || (search->found && receive.begin <= search->out->time))
        return true;
    uint32_t row = row_of_end(source->schema, link->to, link->to_entity);
    if (row == WEFT_NONE)
        return true;
    *search->out =
        (struct weft_release){ WEFT_RELEASED_BY_RECEIVING, row, receive.begin, link->id };
    search->found = true;
    return true;
}

/* Messages that name no call arrive at the row's processor while the call is open. */
static void search_unnamed(struct search *search, uint32_t row)
{
    const struct weft_processors *processors = search->finder->processors;
    const struct weft_source *source = search->finder->source;
    uint32_t processor = processors ? processors->index_of[row] : WEFT_NONE;
    search->named = false;
    if (processor != WEFT_NONE)
        source->ops->links_at(
            source, processors->processors[processor].container, true,
            (struct weft_span){ search->wait->begin, search->wait->end + 1 }, take_received,
            search);
}

/* The calls of a sender during a wait for its message. */
struct progress {
    const struct weft_state *wait;
    bool inside;    /* it was in a call as the wait began */
    int64_t enters; /* when it entered its first call after that; -1: in none */
};

static bool see_call(void *user, const struct weft_state *call)
{
    struct progress *progress = user;
    if (call->depth)
        return true;
    if (call->begin <= progress->wait->begin)
        progress->inside |= call->end > progress->wait->begin;
    else if (progress->enters < 0)
        progress->enters = call->begin;
    return !progress->inside && progress->enters < 0;
}

/*
 * A message that was sent before the wait for it began should be there.  Many libraries
 * send a long one on only while the sender is in a call: if the sender computed, and the
 * wait ends soon after the sender's next call begins, in its last quarter, that call is the
 * release.
 */
static void look_for_progress(const struct search *search)
{
    const struct weft_source *source = search->finder->source;
    const struct weft_schema *schema = source->schema;
    const struct weft_state *wait = search->wait;
    struct weft_release *out = search->out;
    struct progress progress = { wait, false, -1 };
    uint32_t place = schema->containers[out->row].order;
    for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1]; i++) {
        uint32_t t = schema->track_at[i];
        if (weft_role_is(schema->types[schema->tracks[t].type].role,
                         WEFT_ROLE_COMMUNICATION))
            source->ops->states(source, t, (struct weft_span){ wait->begin, wait->end },
                                see_call, &progress);
    }
    if (progress.inside || progress.enters < 0
        || wait->end - progress.enters > (wait->end - wait->begin) / 4)
        return;
    out->kind = WEFT_RELEASED_BY_PROGRESS;
    out->time = progress.enters;
}

static bool find_collective(const struct finder *finder, const struct weft_state *wait,
                            struct weft_release *out)
{
    int64_t entry;
    uint32_t last = weft_last_comer_of(finder->comers, wait, &entry);
    if (last == WEFT_NONE)
        return false;
    uint32_t row = row_of_end(finder->source->schema,
                              finder->processors->processors[last].container, WEFT_NO_ID);
    *out = (struct weft_release){ WEFT_RELEASED_BY_ARRIVAL, row, entry, WEFT_NO_ID };
    return row != WEFT_NONE;
}

/* Returns true if a wait of such a value can be one for a message. */
static bool may_be_message(enum weft_role role)
{
    return role == WEFT_ROLE_BLOCKED || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_MESSAGE)
           || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_COLLECTIVE)
           || weft_role_is(role, WEFT_ROLE_BLOCKING_SEND) || role == WEFT_ROLE_IDLE;
}

static bool of_wait(const void *state, uint32_t row, const struct weft_state *wait,
                    struct weft_release *out)
{
    const struct finder *finder = state;
    const struct weft_source *source = finder->source;
    struct search search = { finder, wait, true, false, out };
    if (find_collective(finder, wait, out))
        return true;
    if (!may_be_message(source->schema->values[wait->value].role))
        return false;
    source->ops->links_of(source, wait->id, true, take_received, &search);
    if (!search.found)
        search_unnamed(&search, row);
    if (search.found && out->time <= wait->begin)
        look_for_progress(&search);
    if (!search.found)
        source->ops->links_of(source, wait->id, false, take_sent, &search);
    return search.found;
}

static size_t bytes(const void *state)
{
    const struct finder *finder = state;
    return sizeof *finder
           + (finder->processors ? weft_processors_bytes(finder->processors) : 0)
           + weft_last_comers_bytes(finder->comers);
}

static void end(void *state)
{
    struct finder *finder = state;
    weft_last_comers_free(finder->comers);
    if (finder->processors)
        weft_processors_free(finder->processors);
    free(finder);
}

extern const struct weft_release_finder weft_releases_of_messages;
const struct weft_release_finder weft_releases_of_messages = {
    .may_have = weft_has_traffic,
    .begin = begin,
    .of_wait = of_wait,
    .bytes = bytes,
    .end = end,
};
