/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the records of calls in a trace that was PICL: value names are keys, and values
 * that fit no field are kept as text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/messages/write/picl_priv.h"

bool picl_field(const struct picl_write *w, uint64_t entity, uint32_t field,
                struct weft_field_value *out)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = w->source->ops->fields(w->source, entity, fields, WEFT_FIELDS_MAX);
    for (size_t i = 0; i < n; i++)
        if (fields[i].field == field) {
            *out = fields[i];
            return true;
        }
    return false;
}

bool picl_field_with_role(const struct picl_write *w, uint64_t entity, enum weft_role role,
                          enum weft_field_kind kind, struct weft_field_value *out)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = w->source->ops->fields(w->source, entity, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *found =
        weft_field_with_role(w->schema, fields, n, role, kind);
    if (found)
        *out = *found;
    return found;
}

char *picl_text(const struct picl_write *w, uint32_t index)
{
    return index < w->schema->n_strings ? weft_strdup(w->schema->strings[index]) : NULL;
}

static char *text_field(const struct picl_write *w, uint64_t entity, uint32_t field)
{
    struct weft_field_value value;
    return field != WEFT_NONE && picl_field(w, entity, field, &value)
               ? picl_text(w, value.index)
               : NULL;
}

static bool copy_link(void *user, const struct weft_link *link)
{
    struct weft_link *out = user;
    *out = *link;
    return false;
}

static bool first_link(const struct picl_write *w, uint64_t call, bool incoming,
                       struct weft_link *link)
{
    link->id = WEFT_NO_ID;
    w->source->ops->links_of(w->source, call, incoming, copy_link, link);
    return link->id != WEFT_NO_ID;
}

/*
 * Returns the number of the processor at the other end.  A link without that end has it in
 * its field `peer` if the trace was PICL, else -1.
 */
static int64_t partner(const struct picl_write *w, const struct weft_link *link,
                       bool receives)
{
    uint32_t other = receives ? link->from : link->to;
    if (other < w->schema->n_containers)
        return w->numbers[other];
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = w->source->ops->fields(w->source, link->id, fields, WEFT_FIELDS_MAX);
    for (size_t i = 0; w->native && i < n; i++)
        if (fields[i].field == w->link_peer)
            return fields[i].integer;
    return -1;
}

static int64_t integer_of(const struct picl_write *w, uint64_t entity, enum weft_role role)
{
    struct weft_field_value value;
    return picl_field_with_role(w, entity, role, WEFT_FIELD_INTEGER, &value) ? value.integer
                                                                             : 0;
}

char *picl_link_text(const struct picl_write *w, const struct weft_link *link,
                     bool receives, bool with_length)
{
    struct weft_field_value communicator;
    int64_t group = PICL_WORLD;
    if (picl_field_with_role(w, link->id, WEFT_ROLE_COMMUNICATOR_OF, WEFT_FIELD_CONTAINER,
                             &communicator))
        group = w->groups[communicator.index];
    group = group == PICL_NO_GROUP ? PICL_WORLD : group;
    char length[32] = "", suffix[32] = "";
    if (with_length)
        snprintf(length, sizeof length, " %" PRId64,
                 integer_of(w, link->id, WEFT_ROLE_BYTES));
    if (group != PICL_WORLD)
        snprintf(suffix, sizeof suffix, " %" PRId64, group);
    return weft_asprintf(
        "%d 2%s %" PRId64 " %" PRId64 "%s", 2 + with_length + (group != PICL_WORLD), length,
        integer_of(w, link->id, WEFT_ROLE_TAG), partner(w, link, receives), suffix);
}

char *picl_operation_text(const struct picl_write *w, uint64_t call, enum picl_shape shape)
{
    struct weft_field_value operation;
    if (!picl_field_with_role(w, call, WEFT_ROLE_OPERATION, WEFT_FIELD_ENTITY, &operation)
        || weft_entity_track(operation.entity) >= w->schema->n_tracks)
        return NULL;
    uint32_t on = w->schema->tracks[weft_entity_track(operation.entity)].container;
    int64_t bytes = integer_of(w, call, WEFT_ROLE_BYTES);
    int64_t root = integer_of(w, operation.entity, WEFT_ROLE_ROOT), group = w->groups[on];
    switch (shape) {
    case PICL_SHAPE_BARRIER: return weft_asprintf("1 2 %" PRId64, group);
    case PICL_SHAPE_ALL: return weft_asprintf("2 2 %" PRId64 " %" PRId64, bytes, group);
    default:
        return weft_asprintf("3 2 %" PRId64 " %" PRId64 " %" PRId64, bytes, root, group);
    }
}

static char *request_text(const struct picl_write *w, uint64_t call)
{
    struct weft_field_value request;
    return w->call_request != WEFT_NONE && picl_field(w, call, w->call_request, &request)
               ? weft_asprintf("1 2 %" PRId64, request.integer)
               : NULL;
}

static char *entry_text(const struct picl_write *w, uint64_t call, enum picl_shape shape)
{
    struct weft_link link;
    char *text = text_field(w, call, w->call_entry);
    if (text)
        return text;
    switch (shape) {
    case PICL_SHAPE_SEND:
    case PICL_SHAPE_SEND_BEGIN:
        return first_link(w, call, false, &link) ? picl_link_text(w, &link, false, true)
                                                 : NULL;
    case PICL_SHAPE_RECEIVE:
        return first_link(w, call, true, &link) ? picl_link_text(w, &link, true, false)
                                                : NULL;
    case PICL_SHAPE_SEND_END:
    case PICL_SHAPE_RECEIVE_END: return request_text(w, call);
    case PICL_SHAPE_BARRIER:
    case PICL_SHAPE_ALL:
    case PICL_SHAPE_ROOTED: return picl_operation_text(w, call, shape);
    default: return NULL;
    }
}

static char *exit_text(const struct picl_write *w, uint64_t call, enum picl_shape shape)
{
    struct weft_link link;
    char *text = text_field(w, call, w->call_exit);
    if (text)
        return text;
    switch (shape) {
    case PICL_SHAPE_SEND_BEGIN:
    case PICL_SHAPE_RECEIVE_BEGIN: return request_text(w, call);
    case PICL_SHAPE_RECEIVE:
    case PICL_SHAPE_RECEIVE_END:
        return first_link(w, call, true, &link) ? picl_link_text(w, &link, true, true)
                                                : NULL;
    case PICL_SHAPE_ALL:
    case PICL_SHAPE_ROOTED: {
        struct weft_field_value bytes;
        return picl_field_with_role(w, call, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER, &bytes)
                   ? weft_asprintf("1 2 %" PRId64, bytes.integer)
                   : NULL;
    }
    default: return NULL;
    }
}

bool picl_calls_next(struct picl_node *node)
{
    struct picl_edge edge;
    if (!picl_states_peek(&node->calls, &edge))
        return false;
    const struct picl_write *w = node->w;
    int32_t key = (int32_t)strtol(w->schema->values[edge.state->value].alias, NULL, 10);
    const struct picl_key *of = picl_key_find(key);
    enum picl_shape shape = of ? of->shape : PICL_SHAPE_NONE;
    uint64_t id = edge.state->id;
    char *text = edge.begins ? entry_text(w, id, shape) : exit_text(w, id, shape);
    picl_queue_add(&node->call_queue, edge.time, edge.begins ? PICL_ENTRY : PICL_EXIT, key,
                   text ? text : weft_strdup("0"));
    picl_states_next(&node->calls);
    return true;
}
