/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs sends with receives.  MPI does not let messages overtake: the first message sent on
 * a channel (two processors, one tag, one communicator) goes to the first receive posted
 * that could take it.  So each channel pairs sends, in order of their calls, with receives,
 * in order of their posting.
 *
 * A receive of any source or tag shows its channel only when it is complete.  Until then
 * every complete receive posted after it that it could have preceded on the channel waits
 * for it.
 */
#include <inttypes.h>
#include <string.h>

#include "domains/messages/join/mpi_join.h"

struct channel_key {
    uint32_t communicator, from, to;
    int32_t tag;
    uint32_t matching;
};

static struct mpi_channel *channel_of(struct mpi_join *mpi, const struct channel_key *key)
{
    uint32_t index = weft_text_map_get(&mpi->channel_map, key, sizeof *key);

    if (index == WEFT_MAP_NONE) {
        mpi->channels = weft_grow(mpi->channels, &mpi->channels_capacity,
                                  mpi->n_channels + 1, sizeof *mpi->channels);
        index = (uint32_t)mpi->n_channels++;
        mpi->channels[index] = (struct mpi_channel){ key->communicator,
                                                     key->from,
                                                     key->to,
                                                     key->tag,
                                                     (enum mpi_matching)key->matching,
                                                     WEFT_NONE,
                                                     WEFT_NONE,
                                                     WEFT_NONE,
                                                     WEFT_NONE };
        weft_text_map_put(&mpi->channel_map, key, sizeof *key, index);
    }
    return &mpi->channels[index];
}

static uint32_t new_send(struct mpi_join *mpi)
{
    uint32_t index = mpi->free_send;

    if (index != WEFT_NONE) {
        mpi->free_send = mpi->sends[index].next;
        return index;
    }
    mpi->sends =
        weft_grow(mpi->sends, &mpi->sends_capacity, mpi->n_sends + 1, sizeof *mpi->sends);
    return (uint32_t)mpi->n_sends++;
}

static uint32_t new_receive(struct mpi_join *mpi)
{
    uint32_t index = mpi->free_receive;

    if (index != WEFT_NONE) {
        mpi->free_receive = mpi->receives[index].next;
        return index;
    }
    mpi->receives = weft_grow(mpi->receives, &mpi->receives_capacity, mpi->n_receives + 1,
                              sizeof *mpi->receives);
    return (uint32_t)mpi->n_receives++;
}

static void free_send(struct mpi_join *mpi, uint32_t send)
{
    mpi->sends[send].next = mpi->free_send;
    mpi->free_send = send;
}

static void free_receive(struct mpi_join *mpi, uint32_t receive)
{
    mpi->receives[receive].next = mpi->free_receive;
    mpi->free_receive = receive;
}

void mpi_check_order(struct mpi_join *mpi, const struct weft_link *link)
{
    if (link->end < link->begin && mpi->tachyons++ == 0)
        mpi->tachyon = *link;
}

/*
 * Writes the link of a message, or counts it if a call at an end is hidden.  SEND or
 * RECEIVE is NULL if it is missing: the link's end there is flagged as implied, at the
 * other's time.
 */
static void put_message(struct mpi_join *mpi, const struct mpi_channel *channel,
                        const struct mpi_send *send, const struct mpi_receive *receive)
{
    const struct mpi_types *types = &mpi->types;
    bool part = channel->matching == MPI_OF_NEIGHBORS;
    struct weft_link link = { .type = part ? types->part : types->message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = send ? mpi_processor(mpi, channel->from) : WEFT_NONE,
                              .to = mpi_processor(mpi, channel->to),
                              .begin = send ? send->begin : receive->end,
                              .end = receive ? receive->end : send->begin,
                              .from_entity = send ? send->entity : WEFT_NO_ID,
                              .to_entity = receive ? receive->entity : WEFT_NO_ID };
    struct weft_field_value fields[3] = {
        { part ? types->part_bytes : types->message_bytes,
          { .integer = send ? send->bytes : receive->bytes } },
        { part ? types->part_communicator : types->message_communicator,
          { .index = mpi_container(mpi, channel->communicator, link.begin) } },
        { types->message_tag, { .integer = channel->tag } }, /* parts have none */
    };

    if ((send && send->hidden) || (receive && receive->hidden)) {
        mpi->hidden += channel->matching != MPI_OF_NEIGHBORS;
        return;
    }
    link.flags = (send ? 0u : WEFT_BEGIN_IMPLIED) | (receive ? 0u : WEFT_END_IMPLIED);
    mpi_check_order(mpi, &link);
    weft_builder_link(mpi->join->builder, &link, fields, part ? 2 : 3);
}

/* Makes the key of the channel that a send goes to; false if the peer is unknown. */
static bool send_key(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                     enum mpi_matching matching, struct channel_key *key)
{
    const struct mpi_member *by = &mpi->members[member];

    *key = (struct channel_key){ by->communicator, mpi->processes[by->process].processor,
                                 mpi_peer(mpi, member, weft_mpi_peer(peer_and_tag)),
                                 weft_mpi_tag(peer_and_tag), matching };
    return key->to != WEFT_NONE;
}

void mpi_send(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag, int64_t bytes,
              enum mpi_matching matching, uint64_t entity, int64_t time)
{
    struct mpi_send send = { .next = WEFT_NONE,
                             .hidden = mpi->processes[mpi->members[member].process].hidden,
                             .bytes = bytes,
                             .begin = time,
                             .entity = entity };
    struct channel_key key;
    struct mpi_channel *channel;
    uint32_t index;

    if (!send_key(mpi, member, peer_and_tag, matching, &key)) {
        mpi->unknown_peers++;
        return;
    }
    channel = channel_of(mpi, &key);
    index = channel->first_receive;
    if (index != WEFT_NONE) {
        channel->first_receive = mpi->receives[index].next;
        put_message(mpi, channel, &send, &mpi->receives[index]);
        free_receive(mpi, index);
        return;
    }
    index = new_send(mpi);
    mpi->sends[index] = send;
    if (channel->first_send == WEFT_NONE)
        channel->first_send = index;
    else
        mpi->sends[channel->last_send].next = index;
    channel->last_send = index;
}

/*
 * The recording does not say which send of the channel was cancelled: most likely the last.
 */
bool mpi_send_cancelled(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                        enum mpi_matching matching)
{
    struct channel_key key;
    struct mpi_channel *channel;
    uint32_t last, before = WEFT_NONE;

    if (!send_key(mpi, member, peer_and_tag, matching, &key)) {
        mpi->unknown_peers -= mpi->unknown_peers > 0; /* mpi_send counted it */
        return false;
    }
    channel = channel_of(mpi, &key);
    if (channel->first_send == WEFT_NONE)
        return false;
    for (last = channel->first_send; mpi->sends[last].next != WEFT_NONE;
         last = mpi->sends[last].next) {
        if (!join_may_look(mpi->join))
            return false;
        before = last;
    }
    if (before == WEFT_NONE)
        channel->first_send = WEFT_NONE;
    else
        mpi->sends[before].next = WEFT_NONE;
    channel->last_send = before;
    free_send(mpi, last);
    return true;
}

uint32_t mpi_post(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                  enum mpi_matching matching)
{
    struct mpi_member *by = &mpi->members[member];
    uint32_t index = new_receive(mpi);
    int32_t source = weft_mpi_peer(peer_and_tag);

    if (source != WEFT_MPI_ANY)
        source = (int32_t)mpi_peer(mpi, member, source);
    mpi->receives[index] =
        (struct mpi_receive){ .member = member,
                              .source = source,
                              .tag = weft_mpi_tag(peer_and_tag),
                              .matching = matching,
                              .order = mpi->processes[by->process].posted++,
                              .previous = by->last,
                              .next = WEFT_NONE,
                              .waits = WEFT_NONE,
                              .entity = WEFT_NO_ID };
    if (by->last == WEFT_NONE)
        by->first = index;
    else
        mpi->receives[by->last].next = index;
    by->last = index;
    return index;
}

/* Take it out of the member's list of incomplete receives. */
static void remove_posted(struct mpi_join *mpi, uint32_t index)
{
    struct mpi_receive *receive = &mpi->receives[index];
    struct mpi_member *by = &mpi->members[receive->member];

    if (receive->previous == WEFT_NONE)
        by->first = receive->next;
    else
        mpi->receives[receive->previous].next = receive->next;
    if (receive->next == WEFT_NONE)
        by->last = receive->previous;
    else
        mpi->receives[receive->next].previous = receive->previous;
    receive->previous = receive->next = WEFT_NONE;
}

static bool may_get(const struct mpi_receive *open, const struct mpi_receive *complete)
{
    return open->matching == complete->matching
           && (open->source == WEFT_MPI_ANY || open->source == complete->source)
           && (open->tag == WEFT_MPI_ANY || open->tag == complete->tag);
}

/* Pair a complete receive with the first send of its channel, or append it there. */
static void pair(struct mpi_join *mpi, uint32_t index)
{
    const struct mpi_receive *receive = &mpi->receives[index];
    const struct mpi_member *by = &mpi->members[receive->member];
    struct channel_key key = { by->communicator, (uint32_t)receive->source,
                               mpi->processes[by->process].processor, receive->tag,
                               receive->matching };
    struct mpi_channel *channel = channel_of(mpi, &key);
    uint32_t send = channel->first_send;

    if (send != WEFT_NONE) {
        channel->first_send = mpi->sends[send].next;
        put_message(mpi, channel, &mpi->sends[send], receive);
        free_send(mpi, send);
        free_receive(mpi, index);
        return;
    }
    mpi->receives[index].next = WEFT_NONE;
    if (channel->first_receive == WEFT_NONE)
        channel->first_receive = index;
    else
        mpi->receives[channel->last_receive].next = index;
    channel->last_receive = index;
}

/* Insert a complete receive by order into the waits of an open one: mostly at the end. */
static void wait_for(struct mpi_join *mpi, uint32_t open, uint32_t index)
{
    struct mpi_receive *at = &mpi->receives[open], *receive = &mpi->receives[index];
    uint32_t *place = &at->waits;

    if (at->waits != WEFT_NONE && mpi->receives[at->last_waits].order < receive->order)
        place = &mpi->receives[at->last_waits].next;
    while (*place != WEFT_NONE && mpi->receives[*place].order < receive->order
           && join_may_look(mpi->join))
        place = &mpi->receives[*place].next;
    receive->next = *place;
    *place = index;
    if (receive->next == WEFT_NONE)
        at->last_waits = index;
}

/*
 * Pair a complete receive, unless an incomplete one posted before it may get its message.
 */
static void settle(struct mpi_join *mpi, uint32_t index)
{
    struct mpi_receive *receive = &mpi->receives[index];
    uint32_t open = mpi->members[receive->member].first;

    for (; open != WEFT_NONE && mpi->receives[open].order < receive->order
           && join_may_look(mpi->join);
         open = mpi->receives[open].next)
        if (may_get(&mpi->receives[open], receive)) {
            wait_for(mpi, open, index);
            return;
        }
    pair(mpi, index);
}

/* Settle the receives that waited for a receive which is complete or removed, in order. */
static void settle_all(struct mpi_join *mpi, uint32_t first)
{
    while (first != WEFT_NONE) {
        uint32_t next = mpi->receives[first].next;
        settle(mpi, first);
        first = next;
    }
}

void mpi_receive(struct mpi_join *mpi, uint32_t index, uint64_t peer_and_tag, int64_t bytes,
                 uint64_t entity, int64_t time)
{
    struct mpi_receive *receive = &mpi->receives[index];
    uint32_t waited = receive->waits, source = (uint32_t)receive->source;

    /*
     * A source or tag that was asked for is used: MPICH 4.0's MPI_Isendrecv has wrong
     * statuses.
     */
    if (receive->source == WEFT_MPI_ANY)
        source = mpi_peer(mpi, receive->member, weft_mpi_peer(peer_and_tag));
    if (receive->tag == WEFT_MPI_ANY)
        receive->tag = weft_mpi_tag(peer_and_tag);

    remove_posted(mpi, index);
    if (source == WEFT_NONE) {
        mpi->unknown_peers++;
        free_receive(mpi, index);
    } else {
        receive->source = (int32_t)source;
        receive->complete = true;
        receive->hidden = mpi->processes[mpi->members[receive->member].process].hidden;
        receive->waits = WEFT_NONE;
        receive->bytes = bytes;
        receive->end = time;
        receive->entity = entity;
        settle(mpi, index);
    }
    settle_all(mpi, waited);
}

void mpi_unpost(struct mpi_join *mpi, uint32_t index)
{
    uint32_t waited = mpi->receives[index].waits;

    remove_posted(mpi, index);
    free_receive(mpi, index);
    settle_all(mpi, waited);
}

/* ---- The end ---- */

/*
 * A receive that never completed has got no message: release the receives that wait for it.
 */
static void settle_rest(struct mpi_join *mpi)
{
    for (size_t i = 0; i < mpi->n_members; i++)
        while (mpi->members[i].first != WEFT_NONE)
            mpi_unpost(mpi, mpi->members[i].first);
}

struct half {
    uint64_t n;
    struct mpi_channel example;
};

static void add_half(struct half *half, const struct mpi_channel *channel)
{
    if (half->n++ == 0)
        half->example = *channel;
}

static void report_half(const struct mpi_join *mpi, const struct half *half,
                        const char *kind, const char *what)
{
    if (half->n > 0)
        weft_builder_problem(mpi->join->builder, WEFT_WARNING, kind, 0,
                             "%" PRIu64 " message%s %s, as one from rank %u to rank %u"
                             " with tag %d",
                             half->n, half->n == 1 ? " was" : "s were", what,
                             half->example.from, half->example.to, half->example.tag);
}

void mpi_half_messages(struct mpi_join *mpi)
{
    struct half unsent = { 0 }, unreceived = { 0 };

    settle_rest(mpi);
    for (size_t i = 0; i < mpi->n_channels; i++) {
        const struct mpi_channel *channel = &mpi->channels[i];
        for (uint32_t at = channel->first_send; at != WEFT_NONE; at = mpi->sends[at].next) {
            put_message(mpi, channel, &mpi->sends[at], NULL);
            if (channel->matching != MPI_OF_NEIGHBORS && !mpi->sends[at].hidden)
                add_half(&unreceived, channel);
        }
        for (uint32_t at = channel->first_receive; at != WEFT_NONE;
             at = mpi->receives[at].next) {
            put_message(mpi, channel, NULL, &mpi->receives[at]);
            if (channel->matching != MPI_OF_NEIGHBORS && !mpi->receives[at].hidden)
                add_half(&unsent, channel);
        }
    }
    report_half(mpi, &unsent, "receive-without-send", "received and never sent");
    report_half(mpi, &unreceived, "send-without-receive", "sent and never received");
}

void mpi_report_tachyons(struct mpi_join *mpi)
{
    const struct weft_link *link = &mpi->tachyon;

    if (mpi->tachyons > 0)
        weft_builder_problem(mpi->join->builder, WEFT_WARNING, "tachyon", 0,
                             "%" PRIu64 " message%s before %s sent, one by %" PRId64
                             " ns: the clocks disagree",
                             mpi->tachyons, mpi->tachyons == 1 ? " arrives" : "s arrive",
                             mpi->tachyons == 1 ? "it was" : "they were",
                             link->begin - link->end);
}
