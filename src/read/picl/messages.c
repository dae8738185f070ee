/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: sends and receives of one source, destination, tag and group match in the order in
 * which they stand for their processors.  Whichever is read first waits in a channel.
 *
 * A message of an old trace to all others waits until the end; then the receives that found no
 * send of their own get it, each in order.
 */
#include <stdlib.h>
#include <string.h>

#include "read/picl/picl_priv.h"

enum { FIRST_CHANNELS = 1024 };

/* ---- Channels: open addressing, without holes when one is taken out ---- */

static size_t place_of(const struct picl_messages *m, const struct picl_message *of)
{
    uint64_t key = (uint64_t)(uint32_t)of->source << 32 | (uint32_t)of->destination;
    key ^=
        (uint64_t)of->tag * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)of->communicator << 40;
    key *= UINT64_C(0xff51afd7ed558ccd); /* the finisher of MurmurHash3 */
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    key ^= key >> 33;
    return (size_t)key & (m->capacity - 1);
}

static struct picl_message name_of(const struct picl_channel *c)
{
    return (struct picl_message){ .source = c->source,
                                  .destination = c->destination,
                                  .tag = c->tag,
                                  .communicator = c->communicator };
}

static void enlarge(struct picl_messages *m)
{
    struct picl_messages bigger = { .capacity =
                                        m->capacity ? 2 * m->capacity : FIRST_CHANNELS };
    bigger.channels = weft_alloc(bigger.capacity * sizeof *bigger.channels);
    memset(bigger.channels, 0xff, bigger.capacity * sizeof *bigger.channels);
    for (size_t i = 0; i < m->capacity; i++) {
        if (m->channels[i].first == WEFT_NONE)
            continue;
        struct picl_message name = name_of(&m->channels[i]);
        size_t at = place_of(&bigger, &name);
        while (bigger.channels[at].first != WEFT_NONE)
            at = (at + 1) & (bigger.capacity - 1);
        bigger.channels[at] = m->channels[i];
    }
    free(m->channels);
    m->channels = bigger.channels;
    m->capacity = bigger.capacity;
}

/* The slot of a channel, or the free one where it would be. */
static size_t find(const struct picl_messages *m, const struct picl_message *of)
{
    size_t at = place_of(m, of);
    for (;; at = (at + 1) & (m->capacity - 1)) {
        const struct picl_channel *c = &m->channels[at];
        if (c->first == WEFT_NONE
            || (c->source == of->source && c->destination == of->destination
                && c->tag == of->tag && c->communicator == of->communicator))
            return at;
    }
}

/* Free a slot; those behind it that it kept from their place move up (Knuth, 6.4, R). */
static void take_out(struct picl_messages *m, size_t hole)
{
    size_t mask = m->capacity - 1;
    for (size_t at = (hole + 1) & mask; m->channels[at].first != WEFT_NONE;
         at = (at + 1) & mask) {
        struct picl_message name = name_of(&m->channels[at]);
        size_t home = place_of(m, &name);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* it is as near to its place as it can be */
        m->channels[hole] = m->channels[at];
        hole = at;
    }
    m->channels[hole].first = WEFT_NONE;
    m->n_channels--;
}

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
    struct picl_channel *c = &m->channels[slot];
    if (c->first == WEFT_NONE) {
        *c = (struct picl_channel){ .tag = message->tag,
                                    .source = message->source,
                                    .destination = message->destination,
                                    .communicator = message->communicator,
                                    .first = index,
                                    .last = index,
                                    .receives = receives };
        m->n_channels++;
    } else {
        m->halves[c->last].next = index;
        c->last = index;
    }
}

/* The half that waits longest; the channel goes with its last one. */
static struct picl_half take_first(struct picl_messages *m, size_t slot)
{
    struct picl_channel *c = &m->channels[slot];
    uint32_t index = c->first;
    struct picl_half half = m->halves[index];
    m->halves[index].next =
        m->free; /* free counts from 1, so that a zeroed list is empty */
    m->free = index + 1;
    c->first = half.next;
    if (half.next == WEFT_NONE)
        take_out(m, slot);
    return half;
}

/* ---- Links ---- */

/*
 * SENT or RECEIVED may be NULL: half a link, which keeps the number of the other end.  What nobody
 * received stays on its way to whom it was sent, to the end of the trace.
 */
static void link_up(struct picl_reading *r, const struct picl_message *name,
                    const struct picl_half *sent, const struct picl_half *received)
{
    const struct picl_processor *from = picl_processor_find(r, name->source);
    const struct picl_processor *to = picl_processor_find(r, name->destination);
    struct weft_link link = { .type = r->types.message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = sent ? from->container : WEFT_NONE,
                              .to = to ? to->container : WEFT_NONE,
                              .begin = sent ? sent->time : 0,
                              .end = received ? received->time : r->messages.last,
                              .from_entity = sent ? sent->entity : WEFT_NO_ID,
                              .to_entity = received ? received->entity : WEFT_NO_ID,
                              .flags = (sent ? 0u : WEFT_BEGIN_IMPLIED)
                                       | (received ? 0u : WEFT_END_IMPLIED) };
    struct weft_field_value fields[4] = {
        { r->types.fields[PICL_LINK_TAG], { name->tag } },
        { r->types.fields[PICL_LINK_BYTES], { sent ? sent->bytes : received->bytes } },
        { r->types.fields[PICL_LINK_COMMUNICATOR],
          { .index = r->groups.all[name->communicator].container } },
    };
    size_t n = 3;
    if (!sent || !received)
        fields[n++] =
            (struct weft_field_value){ r->types.fields[PICL_LINK_PEER],
                                       { sent ? name->destination : name->source } };
    weft_builder_link(r->builder, &link, fields, n);
    if (sent && received && received->time < sent->time)
        picl_report(r, PICL_FAULT_TACHYON, received->line, name->destination, name->source);
}

static void add(struct picl_reading *r, const struct picl_message *message, bool receives)
{
    struct picl_messages *m = &r->messages;
    if (m->n_channels * 2 >= m->capacity)
        enlarge(m);
    size_t slot = find(m, message);
    if (m->channels[slot].first == WEFT_NONE || m->channels[slot].receives == receives) {
        wait(m, slot, message, receives);
        return;
    }
    struct picl_half here = { .time = message->time,
                              .entity = message->entity,
                              .line = message->line,
                              .bytes = message->bytes };
    struct picl_half there = take_first(m, slot);
    link_up(r, message, receives ? &there : &here, receives ? &here : &there);
}

void picl_send(struct picl_reading *r, const struct picl_message *message)
{
    add(r, message, false);
}

void picl_receive(struct picl_reading *r, const struct picl_message *message)
{
    add(r, message, true);
}

/* ---- The end ---- */

static int by_first_line(const void *a, const void *b)
{
    const struct picl_half *x = *(const struct picl_half *const *)a;
    const struct picl_half *y = *(const struct picl_half *const *)b;
    return (x->line > y->line) - (x->line < y->line);
}

/*
 * Give the receives of a channel the messages that their source sent to all; returns the first
 * that is left.  A message to all stays for the other destinations, and notes that it came.
 */
static uint32_t take_broadcasts(struct picl_reading *r, const struct picl_channel *c,
                                struct weft_id_map *came)
{
    struct picl_messages *m = &r->messages;
    struct picl_message name = name_of(c), all = name;
    all.destination = PICL_ALL;
    size_t slot = find(m, &all);
    uint32_t receive = c->first, sent = m->channels[slot].first;
    while (receive != WEFT_NONE && sent != WEFT_NONE) {
        link_up(r, &name, &m->halves[sent], &m->halves[receive]);
        weft_id_map_put(came, sent, 1);
        receive = m->halves[receive].next;
        sent = m->halves[sent].next;
    }
    return receive;
}

struct left { /* what nothing matches, to be told in order of lines */
    const struct picl_half *half;
    struct picl_message name;
    bool receives;
};

static int compare_left(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    return by_first_line(&x->half, &y->half);
}

static void tell(struct picl_reading *r, const struct left *left)
{
    if (left->receives)
        picl_report(r, PICL_FAULT_UNSENT, left->half->line, left->name.destination,
                    left->name.source);
    else
        picl_report(r, PICL_FAULT_UNRECEIVED, left->half->line, left->name.source,
                    left->name.destination);
    link_up(r, &left->name, left->receives ? NULL : left->half,
            left->receives ? left->half : NULL);
}

void picl_messages_end(struct picl_reading *r)
{
    struct picl_messages *m = &r->messages;
    struct weft_id_map came = { 0 };
    struct left *left = NULL;
    size_t n = 0, capacity = 0;
    m->last = INT64_MIN;
    for (size_t i = 0; i < r->n_processors; i++)
        m->last = r->processors[i].last > m->last ? r->processors[i].last : m->last;
    for (int all = 0; all < 2; all++) { /* messages to all: when it is known who got them */
        for (size_t i = 0; i < m->capacity; i++) {
            const struct picl_channel *c = &m->channels[i];
            if (c->first == WEFT_NONE || (c->destination == PICL_ALL) != all)
                continue;
            uint32_t at = c->receives ? take_broadcasts(r, c, &came) : c->first;
            for (; at != WEFT_NONE; at = m->halves[at].next) {
                if (all && weft_id_map_get(&came, at) == 1)
                    continue;
                left = weft_grow(left, &capacity, n + 1, sizeof *left);
                left[n++] = (struct left){ &m->halves[at], name_of(c), c->receives };
            }
        }
    }
    if (n)
        qsort(left, n, sizeof *left, compare_left);
    for (size_t i = 0; i < n; i++)
        tell(r, &left[i]);
    free(left);
    weft_id_map_free(&came);
}

void picl_messages_free(struct picl_messages *m)
{
    free(m->channels);
    free(m->halves);
}
