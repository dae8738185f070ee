/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/analyse/partner_of_one_wait.h"

/* The message that kept the call longest, of those that were looked at. */
struct latest_message {
    const struct weft_processors *processors;
    const struct weft_state *state;
    uint32_t processor;   /* of the call */
    bool incoming, named; /* which messages are looked at; named: they name a call */
    bool found;
    int64_t other; /* time of the message's other end */
    struct weft_wait_partner partner;
};

static bool is_message(const struct weft_schema *schema, const struct weft_link *link)
{
    enum weft_role role = schema->types[link->type].role;
    return weft_role_is(role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(role, WEFT_ROLE_COLLECTIVE)
           && !weft_role_is(role, WEFT_ROLE_TRANSFER);
}

/* Sets the tag and the communicator that the message with ID, of TYPE, has. */
static void read_fields(const struct weft_source *source, uint64_t id, uint32_t type,
                        struct weft_wait_partner *out)
{
    const struct weft_schema *schema = source->schema;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *tag =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER);
    const struct weft_field_value *communicator = weft_field_with_role(
        schema, fields, n, WEFT_ROLE_COMMUNICATOR_OF, WEFT_FIELD_CONTAINER);
    out->tagged =
        weft_field_of_type(schema, type, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER) != WEFT_NONE;
    out->tag = tag ? tag->integer : 0;
    out->communicator =
        communicator && communicator->index < schema->n_containers
                && weft_role_is(schema->containers[communicator->index].role,
                                WEFT_ROLE_COMMUNICATOR)
            ? communicator->index
            : WEFT_NONE;
}

/* Ties go to the lower partner, then to the lower tag and communicator. */
static bool is_later(const struct latest_message *than, int64_t other,
                     const struct weft_wait_partner *partner)
{
    const struct weft_wait_partner *best = &than->partner;
    if (!than->found || other != than->other)
        return !than->found || other > than->other;
    if (partner->processor != best->processor)
        return partner->processor < best->processor;
    return partner->tag != best->tag ? partner->tag < best->tag
                                     : partner->communicator < best->communicator;
}

static bool take(void *user, const struct weft_link *link)
{
    struct latest_message *latest = user;
    const struct weft_source *source = latest->processors->source;
    const uint32_t *index_of = latest->processors->index_of;
    uint64_t call = latest->incoming ? link->to_entity : link->from_entity;
    int64_t time = latest->incoming ? link->end : link->begin;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE
        || call != (latest->named ? latest->state->id : WEFT_NO_ID)
        || time < latest->state->begin || time > latest->state->end
        || (latest->incoming && (link->flags & WEFT_END_IMPLIED))
        || !is_message(source->schema, link))
        return true;
    uint32_t from = index_of[link->from], to = index_of[link->to];
    int64_t other = latest->incoming ? link->begin : link->end;
    struct weft_wait_partner partner = { .processor = latest->incoming ? from : to };
    if (from == WEFT_NONE || to == WEFT_NONE
        || (latest->incoming ? to : from) != latest->processor)
        return true;
    read_fields(source, link->id, link->type, &partner);
    if (!is_later(latest, other, &partner))
        return true;
    latest->found = true;
    latest->other = other;
    latest->partner = partner;
    return true;
}

/*
 * Looks at the messages that name no call and arrive, or leave, while the call is open:
 * unless the call takes no time, one that arrives at its begin or leaves at its end is not
 * in it.
 */
static void look_at_unnamed(struct latest_message *latest)
{
    const struct weft_processors *processors = latest->processors;
    const struct weft_source *source = processors->source;
    const struct weft_schema *schema = source->schema;
    const struct weft_container *root =
        &schema->containers[processors->processors[latest->processor].container];
    struct weft_span span = { latest->state->begin, latest->state->end };
    if (span.begin == span.end)
        span.end++;
    else if (latest->incoming)
        span = (struct weft_span){ span.begin + 1, span.end + 1 };
    latest->named = false;
    for (uint32_t i = root->order; i < root->subtree_end; i++) {
        uint32_t container = schema->preorder[i];
        if (processors->index_of[container] == latest->processor)
            source->ops->links_at(source, container, latest->incoming, span, take, latest);
    }
}

static void look(struct latest_message *latest, bool incoming)
{
    const struct weft_source *source = latest->processors->source;
    latest->incoming = incoming;
    latest->named = true;
    source->ops->links_of(source, latest->state->id, incoming, take, latest);
    look_at_unnamed(latest);
}

/* Sets *OUT to the partner that the call's own fields name, if they name one. */
static void read_call(const struct weft_processors *processors, uint32_t track,
                      const struct weft_state *state, struct weft_wait_partner *out)
{
    const struct weft_source *source = processors->source;
    const struct weft_schema *schema = source->schema;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, state->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *partner =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_PARTNER, WEFT_FIELD_CONTAINER);
    if (!partner || partner->index >= schema->n_containers
        || processors->index_of[partner->index] == WEFT_NONE)
        return;
    read_fields(source, state->id, schema->tracks[track].type, out);
    out->processor = processors->index_of[partner->index];
    out->communicator = WEFT_NONE;
}

struct weft_wait_partner weft_partner_of_one_wait(const struct weft_processors *processors,
                                                  uint32_t track,
                                                  const struct weft_state *state)
{
    struct weft_wait_partner none = { WEFT_NONE, false, 0, WEFT_NONE };
    uint32_t container = processors->source->schema->tracks[track].container;
    struct latest_message latest = { .processors = processors,
                                     .state = state,
                                     .processor = processors->index_of[container] };
    if (latest.processor == WEFT_NONE)
        return none;
    look(&latest, true);
    if (!latest.found)
        look(&latest, false);
    if (!latest.found)
        read_call(processors, track, state, &none);
    return latest.found ? latest.partner : none;
}
