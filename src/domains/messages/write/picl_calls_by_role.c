/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the records of calls in a trace that was not PICL, by roles.  A call whose only
 * message begins at its begin is a send, one whose only message ends at its end a receive.
 * A call in a collective operation gets the key of its pattern; any other waiting or
 * library call is idle time or overhead.  The remaining messages become sends and receives
 * of zero duration inside those.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "domains/messages/write/picl_priv.h"

enum class_key {
    SEND = -21,
    SYNCHRONOUS_SEND = -23,
    RECEIVE = -51,
    RECEIVE_BLOCK = -52,
    BARRIER = -402,
    IDLE = -601,
    OVERHEAD = -602,
    ALL_TO_ALL = -782,
    ONE_TO_ALL = -785,
    ALL_TO_ONE = -790,
    PREFIX = -792,
};

/* ---- Messages that are a whole call ---- */

struct only { /* the first link of a call in one direction; n: 0, 1, or 2 for more */
    struct weft_link link;
    unsigned n;
};

static bool count_link(void *user, const struct weft_link *link)
{
    struct only *only = user;
    if (only->n++ == 0)
        only->link = *link;
    return only->n < 2;
}

static struct only only_link(const struct picl_write *w, uint64_t call, bool incoming)
{
    struct only only = { .n = 0 };
    w->source->ops->links_of(w->source, call, incoming, count_link, &only);
    return only;
}

/* Transfers between memories are not written, since no processor receives them. */
bool picl_is_message(const struct picl_write *w, const struct weft_link *link)
{
    enum weft_role role = w->schema->types[link->type].role;
    return weft_role_is(role, WEFT_ROLE_MESSAGE) && !weft_role_is(role, WEFT_ROLE_TRANSFER)
           && link->from < w->schema->n_containers && link->to < w->schema->n_containers
           && w->numbers[link->from] >= 0 && w->numbers[link->to] >= 0;
}

static enum weft_role role_of(const struct picl_write *w, const struct weft_state *call)
{
    return w->schema->values[call->value].role;
}

static bool is_idle(const struct picl_write *w, const struct weft_state *call)
{
    return weft_role_is(role_of(w, call), WEFT_ROLE_IDLE);
}

/*
 * Whether a waiting or library call has exactly one message, which begins or ends with it.
 */
static bool is_whole(const struct picl_write *w, const struct weft_state *call,
                     struct weft_link *link, bool *receives)
{
    if (!is_idle(w, call) && !weft_role_is(role_of(w, call), WEFT_ROLE_OVERHEAD))
        return false;
    struct only out = only_link(w, call->id, false), in = only_link(w, call->id, true);
    if (out.n + in.n != 1)
        return false;
    *receives = in.n;
    *link = in.n ? in.link : out.link;
    return picl_is_message(w, link)
           && (in.n ? link->end == call->end : link->begin == call->begin);
}

/* ---- The other messages ---- */

static bool add_end(void *user, const struct weft_link *link)
{
    struct picl_node *node = user;
    if (!picl_is_message(node->w, link))
        return true;
    node->ends =
        weft_grow(node->ends, &node->end_capacity, node->n_ends + 1, sizeof *node->ends);
    node->ends[node->n_ends++] =
        (struct picl_end){ .time = node->adds_receives ? link->end : link->begin,
                           .link = link->id,
                           .receives = node->adds_receives };
    return true;
}

static int compare_ends(const void *a, const void *b)
{
    const struct picl_end *x = a, *y = b;
    /* A message may be received when it is sent: sends come first. */
    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->receives, y->receives)
           ?: WEFT_COMPARE(x->link, y->link);
}

/* ---- Begin of tracing ---- */

static void put_idle(struct picl_node *node, int64_t begin, int64_t end)
{
    if (begin >= end)
        return;
    picl_queue_add(&node->call_queue, begin, PICL_ENTRY, IDLE, NULL);
    picl_queue_add(&node->call_queue, end, PICL_EXIT, IDLE, NULL);
}

static void begin_tracing(struct picl_node *node)
{
    int64_t begin = node->w->schema->span.begin;
    picl_queue_add(&node->call_queue, begin, PICL_ENTRY, PICL_TRACING, NULL);
    put_idle(node, begin, node->start);
}

void picl_classes_begin(struct picl_node *node)
{
    const struct picl_write *w = node->w;
    struct weft_span all = { w->schema->span.begin, w->schema->span.end + 1 };
    begin_tracing(node);
    node->adds_receives = false;
    w->source->ops->links_at(w->source, node->container, false, all, add_end, node);
    node->adds_receives = true;
    w->source->ops->links_at(w->source, node->container, true, all, add_end, node);
    if (node->n_ends)
        qsort(node->ends, node->n_ends, sizeof *node->ends, compare_ends);
}

/* Whether the record of the call at this end of a message already is that message's. */
static bool is_told(const struct picl_node *node, const struct picl_end *end,
                    const struct weft_link *link)
{
    struct weft_state call;
    struct weft_link whole;
    bool receives;
    uint64_t id = end->receives ? link->to_entity : link->from_entity;
    const struct picl_write *w = node->w;
    return id != WEFT_NO_ID && weft_entity_track(id) == node->calls.track
           && w->source->ops->state(w->source, id, &call)
           && is_whole(w, &call, &whole, &receives) && receives == end->receives
           && whole.id == link->id;
}

static void next_end_record(struct picl_node *node)
{
    const struct picl_write *w = node->w;
    const struct picl_end *end = &node->ends[node->next_end++];
    struct weft_link link;
    if (!w->source->ops->link(w->source, end->link, &link) || is_told(node, end, &link))
        return;
    int32_t key = end->receives ? RECEIVE : SEND;
    picl_queue_add(&node->call_queue, end->time, PICL_ENTRY, key,
                   picl_link_text(w, &link, end->receives, !end->receives));
    picl_queue_add(&node->call_queue, end->time, PICL_EXIT, key,
                   end->receives ? picl_link_text(w, &link, true, true) : weft_strdup("0"));
}

/* ---- Calls ---- */

static int32_t operation_key(const struct picl_write *w, const struct weft_state *call,
                             uint64_t *id)
{
    struct weft_field_value operation;
    struct weft_event event;
    if (!picl_field_with_role(w, call->id, WEFT_ROLE_OPERATION, WEFT_FIELD_ENTITY,
                              &operation)
        || !w->source->ops->event(w->source, operation.entity, &event)
        || event.value >= w->schema->n_values
        || w->groups[w->schema->tracks[weft_entity_track(event.id)].container]
               == PICL_NO_GROUP)
        return 0;
    *id = event.id;
    if (weft_role_is(role_of(w, call), WEFT_ROLE_BLOCKED_ON_BARRIER))
        return BARRIER;
    switch (w->schema->values[event.value].role) {
    case WEFT_ROLE_ONE_TO_ALL: return ONE_TO_ALL;
    case WEFT_ROLE_ALL_TO_ONE: return ALL_TO_ONE;
    case WEFT_ROLE_PREFIX: return PREFIX;
    case WEFT_ROLE_NEIGHBORS: return 0; /* its parts are written as messages */
    default: return ALL_TO_ALL;
    }
}

/* The values of an entry or exit record of a call in a collective operation. */
static char *operation_values(const struct picl_write *w, const struct weft_state *call,
                              int32_t key, bool begins)
{
    enum picl_shape shape = picl_key_find(key)->shape;
    char *text = picl_operation_text(w, call->id, shape), *length;
    if (begins)
        return text;
    /* Both begin with the length, behind the number of values and their format. */
    length = strndup(text + strlen("2 2 "), strcspn(text + strlen("2 2 "), " "));
    free(text);
    text = shape == PICL_SHAPE_BARRIER ? NULL : weft_asprintf("1 2 %s", length);
    free(length);
    return text;
}

/*
 * Returns the key of a call by its collective operation, else 0.  A nonblocking operation
 * is written as the call that begins it, since all members begin operations in the same
 * order; a call that waits for it is idle time.
 */
static int32_t own_operation_key(struct picl_node *node, const struct weft_state *call)
{
    uint64_t id = 0;
    int32_t key = operation_key(node->w, call, &id);
    if (!key || !is_idle(node->w, call)) {
        if (key)
            weft_id_map_put(&node->begun, id, 1);
        return key;
    }
    return weft_id_map_get(&node->begun, id) == WEFT_MAP_NONE ? key : 0;
}

/* Displays count PICL's operations as idle, so overhead is nested inside its operation. */
static void put_operation(struct picl_node *node, const struct weft_state *call,
                          int32_t key, bool begins)
{
    struct picl_queue *queue = &node->call_queue;
    bool nested = !is_idle(node->w, call);
    char *text = operation_values(node->w, call, key, begins);
    if (begins)
        picl_queue_add(queue, call->begin, PICL_ENTRY, key, text);
    if (nested)
        picl_queue_add(queue, begins ? call->begin : call->end,
                       begins ? PICL_ENTRY : PICL_EXIT, OVERHEAD, NULL);
    if (!begins)
        picl_queue_add(queue, call->end, PICL_EXIT, key, text);
}

static void call_record(struct picl_node *node, const struct weft_state *call, bool begins)
{
    const struct picl_write *w = node->w;
    struct weft_link link;
    bool receives, idle = is_idle(w, call);
    int32_t key = own_operation_key(node, call);
    char *text = NULL;
    if (key) {
        put_operation(node, call, key, begins);
        return;
    }
    if (is_whole(w, call, &link, &receives)) {
        key = receives ? (idle ? RECEIVE_BLOCK : RECEIVE) : idle ? SYNCHRONOUS_SEND : SEND;
        if (begins || receives)
            text = picl_link_text(w, &link, receives, begins != receives);
    } else if (idle || weft_role_is(role_of(w, call), WEFT_ROLE_OVERHEAD)) {
        key = idle ? IDLE : OVERHEAD;
    } else {
        return; /* the program's own work */
    }
    picl_queue_add(&node->call_queue, begins ? call->begin : call->end,
                   begins ? PICL_ENTRY : PICL_EXIT, key, text ? text : weft_strdup("0"));
}

/* Adds the records after the last call, once; then returns false. */
static bool end_tracing(struct picl_node *node)
{
    int64_t end = node->w->schema->span.end;
    if (node->ended)
        return false;
    node->ended = true;
    put_idle(node, node->finish > node->start ? node->finish : node->start, end);
    picl_queue_add(&node->call_queue, end, PICL_EXIT, PICL_TRACING, NULL);
    return true;
}

/* At equal times begins of calls come first, then messages, then ends of calls. */
bool picl_classes_next(struct picl_node *node)
{
    struct picl_edge edge;
    bool calls = picl_states_peek(&node->calls, &edge);
    bool ends = node->next_end < node->n_ends;
    if (!calls && !ends)
        return end_tracing(node);
    if (calls
        && (!ends || edge.time < node->ends[node->next_end].time
            || (edge.time == node->ends[node->next_end].time && edge.begins))) {
        call_record(node, edge.state, edge.begins);
        picl_states_next(&node->calls);
    } else {
        next_end_record(node);
    }
    return true;
}
