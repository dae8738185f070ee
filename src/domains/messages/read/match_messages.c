/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matches the n-th send of a source, destination, tag and group with the n-th receive:
 * sends in the order of their entries, receives in that of their posting
 * (posted_receives.c).  The half that is read first waits in a channel.
 *
 * A message of an old trace to all others waits until the end; then receives that found no
 * send of their own are matched with it, in order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "domains/messages/read/picl_priv.h"

/* ---- Halves ---- */

static uint32_t new_half(struct picl_messages *m)
{
    if (m->free) {
        uint32_t index = m->free - 1;
        m->free = m->halves[index].next;
        return index;
    }
    m->halves = weft_grow(m->halves, &m->half_capacity, m->n_halves + 1, sizeof *m->halves);
    return (uint32_t)m->n_halves++;
}

static void wait(struct picl_messages *m, size_t slot, const struct picl_message *message,
                 bool receives)
{
    uint32_t index = new_half(m);
    m->halves[index] = (struct picl_half){ .time = message->time,
                                           .entity = message->entity,
                                           .line = message->line,
                                           .bytes = message->bytes,
                                           .next = WEFT_NONE };
    struct picl_channel *c = &m->channels.slots[slot];
    if (c->first == WEFT_NONE) {
        picl_channels_put(&m->channels, slot, message, index);
        c->receives = receives;
    } else {
        m->halves[c->last].next = index;
        c->last = index;
    }
}

/* Removes the half that waits longest, and with the last one the channel. */
static struct picl_half remove_first(struct picl_messages *m, size_t slot)
{
    struct picl_channel *c = &m->channels.slots[slot];
    uint32_t index = c->first;
    struct picl_half half = m->halves[index];
    /* FREE is an index + 1, so that a zeroed list is empty */
    m->halves[index].next = m->free;
    m->free = index + 1;
    c->first = half.next;
    if (half.next == WEFT_NONE)
        picl_channels_remove(&m->channels, slot);
    return half;
}

/* ---- Links ---- */

/*
 * The link has the length that was sent; if the receive says another, it is kept as a text
 * of the receive's call.
 */
static void keep_length(struct picl_import *import, const struct picl_message *name,
                        const struct picl_half *received)
{
    if (received->entity == WEFT_NO_ID)
        return;
    int64_t group = import->groups.all[name->communicator].group;
    bool world = group == PICL_WORLD;
    char suffix[32] = "", text[128];
    if (!world)
        snprintf(suffix, sizeof suffix, " %" PRId64, group);
    int length = snprintf(text, sizeof text, "%d 2 %" PRId64 " %" PRId64 " %d%s",
                          world ? 3 : 4, received->bytes, name->tag, name->source, suffix);
    struct weft_field_value exit = { import->types.fields[PICL_CALL_EXIT],
                                     { .index = weft_builder_string(import->builder, text,
                                                                    (size_t)length) } };
    weft_builder_field_later(import->builder, received->entity, &exit);
}

/*
 * Makes a link.  SENT or RECEIVED may be NULL: then the link has one end and a field with
 * the number of the other processor.  A message that was not received is on its way until
 * the end of the trace.
 */
static void link_up(struct picl_import *import, const struct picl_message *name,
                    const struct picl_half *sent, const struct picl_half *received)
{
    const struct picl_processor *from = picl_processor_find(import, name->source);
    const struct picl_processor *to = picl_processor_find(import, name->destination);
    struct weft_link link = { .type = import->types.message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = sent ? from->container : WEFT_NONE,
                              .to = to ? to->container : WEFT_NONE,
                              .begin = sent ? sent->time : 0,
                              .end = received ? received->time : 0,
                              .from_entity = sent ? sent->entity : WEFT_NO_ID,
                              .to_entity = received ? received->entity : WEFT_NO_ID,
                              .flags = (sent ? 0u : WEFT_BEGIN_IMPLIED)
                                       | (received ? 0u : WEFT_END_IMPLIED) };
    struct weft_field_value fields[4] = {
        { import->types.fields[PICL_LINK_TAG], { name->tag } },
        { import->types.fields[PICL_LINK_BYTES], { sent ? sent->bytes : received->bytes } },
        { import->types.fields[PICL_LINK_COMMUNICATOR],
          { .index = import->groups.all[name->communicator].container } },
    };
    size_t n = 3;
    if (!sent || !received)
        fields[n++] =
            (struct weft_field_value){ import->types.fields[PICL_LINK_PEER],
                                       { sent ? name->destination : name->source } };
    weft_builder_link(import->builder, &link, fields, n);
    if (sent && received && received->bytes != sent->bytes)
        keep_length(import, name, received);
    if (sent && received && received->time < sent->time)
        picl_report(import, PICL_FAULT_TACHYON, received->line, name->destination,
                    name->source);
}

static void add(struct picl_import *import, const struct picl_message *message,
                bool receives)
{
    struct picl_messages *m = &import->messages;
    size_t slot = picl_channels_place(&m->channels, message);
    if (m->channels.slots[slot].first == WEFT_NONE
        || m->channels.slots[slot].receives == receives) {
        wait(m, slot, message, receives);
        return;
    }
    struct picl_half here = { .time = message->time,
                              .entity = message->entity,
                              .line = message->line,
                              .bytes = message->bytes };
    struct picl_half there = remove_first(m, slot);
    link_up(import, message, receives ? &there : &here, receives ? &here : &there);
}

void picl_send(struct picl_import *import, const struct picl_message *message)
{
    add(import, message, false);
}

void picl_receive(struct picl_import *import, const struct picl_message *message)
{
    add(import, message, true);
}

/* ---- The end ---- */

static int by_first_line(const void *a, const void *b)
{
    const struct picl_half *x = *(const struct picl_half *const *)a;
    const struct picl_half *y = *(const struct picl_half *const *)b;
    return WEFT_COMPARE(x->line, y->line);
}

/*
 * Matches the receives of a channel with messages that their source sent to all, and
 * returns the first receive that is left.  Such a message stays for other destinations;
 * CAME notes that it was received.
 */
static uint32_t match_broadcasts(struct picl_import *import, const struct picl_channel *c,
                                 struct weft_id_map *came)
{
    struct picl_messages *m = &import->messages;
    struct picl_message name = picl_channel_name(c), all = name;
    all.destination = PICL_ALL;
    size_t slot = picl_channels_find(&m->channels, &all);
    uint32_t receive = c->first, sent = m->channels.slots[slot].first;
    while (receive != WEFT_NONE && sent != WEFT_NONE) {
        link_up(import, &name, &m->halves[sent], &m->halves[receive]);
        weft_id_map_put(came, sent, 1);
        receive = m->halves[receive].next;
        sent = m->halves[sent].next;
    }
    return receive;
}

struct unmatched_half { /* unmatched, to be reported in order of lines */
    const struct picl_half *half;
    struct picl_message name;
    bool receives;
};

static int compare_left(const void *a, const void *b)
{
    const struct unmatched_half *x = a, *y = b;
    return by_first_line(&x->half, &y->half);
}

static void tell(struct picl_import *import, const struct unmatched_half *left)
{
    if (left->receives)
        picl_report(import, PICL_FAULT_UNSENT, left->half->line, left->name.destination,
                    left->name.source);
    else
        picl_report(import, PICL_FAULT_UNRECEIVED, left->half->line, left->name.source,
                    left->name.destination);
    link_up(import, &left->name, left->receives ? NULL : left->half,
            left->receives ? left->half : NULL);
}

void picl_messages_end(struct picl_import *import)
{
    struct picl_messages *m = &import->messages;
    struct weft_id_map came = { 0 };
    struct unmatched_half *left = NULL;
    size_t n = 0, capacity = 0;
    /* messages to all come last, when all receives are matched */
    for (int all = 0; all < 2; all++) {
        for (size_t i = 0; i < m->channels.capacity; i++) {
            const struct picl_channel *c = &m->channels.slots[i];
            if (c->first == WEFT_NONE || (c->destination == PICL_ALL) != all)
                continue;
            uint32_t at = c->receives ? match_broadcasts(import, c, &came) : c->first;
            for (; at != WEFT_NONE; at = m->halves[at].next) {
                if (all && weft_id_map_get(&came, at) == 1)
                    continue;
                left = weft_grow(left, &capacity, n + 1, sizeof *left);
                left[n++] = (struct unmatched_half){ &m->halves[at], picl_channel_name(c),
                                                     c->receives };
            }
        }
    }
    if (n)
        qsort(left, n, sizeof *left, compare_left);
    for (size_t i = 0; i < n; i++)
        tell(import, &left[i]);
    free(left);
    weft_id_map_free(&came);
}

void picl_messages_free(struct picl_messages *m)
{
    free(m->channels.slots);
    free(m->halves);
}
