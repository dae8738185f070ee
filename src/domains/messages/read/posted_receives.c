/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds posted receives until it is known which message each got.  Messages do not overtake
 * in MPI: of the messages from one processor to another with one tag, the first that was
 * sent goes to the first posted receive that accepts it, whichever completes first.  So the
 * receives of a channel go to match_messages.c in the order in which they were posted.
 *
 * The channel of a wildcard receive (any source or tag) is known only when it is complete.
 * Until then it is in a list of its processor's receives with the same wildcards, and holds
 * back complete receives that were posted after it and whose message it might have got.
 *
 * Groups are not distinguished here; at most that holds a receive back longer than needed.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/read/picl_priv.h"

static struct picl_posted *at(const struct picl_import *import, uint32_t index)
{
    return &import->posted.all[index];
}

enum { OF_ONE, OF_ANY }; /* take the place of the communicator in names of channels */

static bool is_of_any(const struct picl_message *asked)
{
    return asked->source < 0 || asked->tag < 0;
}

static struct picl_message channel_of(const struct picl_message *message)
{
    struct picl_message name = *message;
    name.communicator = OF_ONE;
    return name;
}

/*
 * The name of the list of open receives with these wildcards: SOURCE or TAG below 0, or
 * both.
 */
static struct picl_message list_of_any(int32_t source, int32_t destination, int64_t tag)
{
    return (struct picl_message){ .source = source < 0 ? -1 : source,
                                  .destination = destination,
                                  .tag = tag < 0 ? -1 : tag,
                                  .communicator = OF_ANY };
}

static uint32_t new_posted(struct picl_import *import, const struct picl_message *message,
                           uint64_t order)
{
    struct picl_all_posted *posted = &import->posted;
    uint32_t index = posted->free - 1; /* FREE is an index + 1 */
    if (posted->free) {
        posted->free = posted->all[index].holds;
    } else {
        posted->all =
            weft_grow(posted->all, &posted->capacity, posted->n + 1, sizeof *posted->all);
        index = (uint32_t)posted->n++;
    }
    struct picl_posted *new = &posted->all[index];
    memset(new, 0xff, sizeof *new); /* in no queue, and holding nothing back */
    new->message = *message;
    new->order = order;
    new->state = PICL_POSTED_OPEN;
    new->held = false;
    return index;
}

static void free_posted(struct picl_import *import, uint32_t index)
{
    at(import, index)->state = PICL_POSTED_FREE;
    at(import, index)->holds = import->posted.free;
    import->posted.free = index + 1;
}

/* ---- Queues in order of posting ---- */

static void insert_into_channel(struct picl_import *import, const struct picl_message *name,
                                uint32_t index)
{
    struct picl_channels *channels = &import->posted.channels;
    size_t slot = picl_channels_place(channels, name);
    struct picl_channel *channel = &channels->slots[slot];
    if (channel->first == WEFT_NONE)
        picl_channels_put(channels, slot, name, index);
    else
        channel->first =
            picl_queue_join(import->posted.all, PICL_IN_CHANNEL, channel->first, index);
}

static void remove_from_channel(struct picl_import *import, const struct picl_message *name,
                                uint32_t index)
{
    struct picl_channels *channels = &import->posted.channels;
    size_t slot = picl_channels_find(channels, name);
    struct picl_channel *channel = &channels->slots[slot];
    uint32_t first =
        picl_queue_remove(import->posted.all, PICL_IN_CHANNEL, channel->first, index);
    if (first == WEFT_NONE)
        picl_channels_remove(channels, slot);
    else
        channel->first = first;
}

/* The list of an open receive that asks for MESSAGE. */
static struct picl_message list_of_open(const struct picl_message *message)
{
    return is_of_any(message)
               ? list_of_any(message->source, message->destination, message->tag)
               : channel_of(message);
}

static void insert_open(struct picl_import *import, struct picl_processor *p,
                        uint32_t index)
{
    struct picl_message name = list_of_open(&at(import, index)->message);
    insert_into_channel(import, &name, index);
    p->open_of_any += name.communicator == OF_ANY;
}

static void remove_open(struct picl_import *import, struct picl_processor *p,
                        uint32_t index)
{
    struct picl_message name = list_of_open(&at(import, index)->message);
    remove_from_channel(import, &name, index);
    p->open_of_any -= name.communicator == OF_ANY;
}

static void insert_complete(struct picl_import *import, uint32_t index)
{
    struct picl_message name = channel_of(&at(import, index)->message);
    insert_into_channel(import, &name, index);
}

/* ---- Handing on ---- */

/*
 * Returns the first open wildcard receive that was posted before COMPLETE and might have
 * got its message, or WEFT_NONE.
 */
static uint32_t holder_of(const struct picl_import *import, const struct picl_processor *p,
                          const struct picl_posted *complete)
{
    if (!p->open_of_any)
        return WEFT_NONE;
    const struct picl_message *got = &complete->message;
    const struct picl_message lists[] = {
        list_of_any(-1, got->destination, -1),
        list_of_any(-1, got->destination, got->tag),
        list_of_any(got->source, got->destination, -1),
    };
    const struct picl_channels *channels = &import->posted.channels;
    uint64_t order = complete->order;
    uint32_t holder = WEFT_NONE;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint32_t first = channels->slots[picl_channels_find(channels, &lists[i])].first;
        if (first != WEFT_NONE && at(import, first)->order < order) {
            holder = first;
            order = at(import, first)->order;
        }
    }
    return holder;
}

/*
 * Limits how often complete receives become held back, since one may pass from holder to
 * holder.  Beyond it they are no longer held back.
 */
enum { MAX_HANDED = 1 << 22, HANDED_OF_A_RECORD = 16 };

/* Lets an open receive hold back a complete one; false beyond the limit. */
static bool hold_back(struct picl_import *import, uint32_t holder, uint32_t index)
{
    uint64_t most = MAX_HANDED + HANDED_OF_A_RECORD * import->records;
    struct picl_posted *complete = at(import, index);
    if (complete->held)
        return true;
    if (import->handed >= most) {
        if (import->handed != UINT64_MAX)
            picl_report(import, PICL_FAULT_HELD, complete->message.line,
                        complete->message.destination, (int64_t)most);
        import->handed = UINT64_MAX;
        return false;
    }
    import->handed++;
    complete->held = true;
    at(import, holder)->holds = picl_queue_join(import->posted.all, PICL_HELD_BACK,
                                                at(import, holder)->holds, index);
    return true;
}

/*
 * Passes complete receives at the head of a channel on to match_messages.c, until one is
 * held back.
 */
static void hand_on(struct picl_import *import, struct picl_processor *p,
                    struct picl_message name)
{
    name = channel_of(&name);
    for (;;) {
        const struct picl_channels *channels = &import->posted.channels;
        uint32_t index = channels->slots[picl_channels_find(channels, &name)].first;
        if (index == WEFT_NONE || at(import, index)->state != PICL_POSTED_COMPLETE)
            return;
        struct picl_posted *first = at(import, index);
        uint32_t holder = holder_of(import, p, first);
        if (holder != WEFT_NONE && hold_back(import, holder, index))
            return;
        remove_from_channel(import, &name, index);
        p->posted--;
        picl_receive(import, &first->message);
        if (first->held) /* release() still has it in its queue */
            first->state = PICL_POSTED_HANDED_ON;
        else
            free_posted(import, index);
    }
}

/*
 * Passes on the receives HELD that a receive for ASKED held back while it was open.  The
 * next open receive that asks for the same takes over, in one step, those that were posted
 * after it.
 */
static void release(struct picl_import *import, struct picl_processor *p,
                    const struct picl_message *asked, uint32_t held)
{
    const struct picl_channels *channels = &import->posted.channels;
    if (held == WEFT_NONE)
        return;
    struct picl_message name = list_of_open(asked);
    uint32_t next = channels->slots[picl_channels_find(channels, &name)].first;
    while (held != WEFT_NONE && !weft_job_cancelled(import->job)) {
        uint32_t index = held;
        struct picl_posted *posted = at(import, index);
        if (next != WEFT_NONE && at(import, next)->order < posted->order) {
            at(import, next)->holds = picl_queue_join(import->posted.all, PICL_HELD_BACK,
                                                      at(import, next)->holds, held);
            return;
        }
        held = picl_queue_remove(import->posted.all, PICL_HELD_BACK, held, index);
        posted->held = false;
        if (posted->state == PICL_POSTED_HANDED_ON)
            free_posted(import, index);
        else
            hand_on(import, p, posted->message);
    }
}

uint32_t picl_post(struct picl_import *import, struct picl_processor *p, int64_t tag,
                   int64_t source, uint64_t order)
{
    bool any = source < 0 || source > INT32_MAX;
    struct picl_message asked = { .source = any ? -1 : (int32_t)source,
                                  .destination = p->number,
                                  .tag = tag };
    uint32_t index = new_posted(import, &asked, order);
    insert_open(import, p, index);
    p->posted++;
    return index;
}

void picl_unpost(struct picl_import *import, struct picl_processor *p, uint32_t index)
{
    struct picl_message asked = at(import, index)->message;
    uint32_t holds = at(import, index)->holds;
    remove_open(import, p, index);
    free_posted(import, index);
    p->posted--;
    if (import->posted.channels.n && !is_of_any(&asked))
        hand_on(import, p, asked);
    release(import, p, &asked, holds);
}

void picl_complete(struct picl_import *import, struct picl_processor *p, uint32_t index,
                   const struct picl_message *message)
{
    struct picl_message asked = at(import, index)->message;
    uint32_t holds = at(import, index)->holds;
    bool moves =
        asked.tag != message->tag || asked.source != message->source || is_of_any(&asked);
    if (moves)
        remove_open(import, p, index);
    at(import, index)->message = *message;
    at(import, index)->state = PICL_POSTED_COMPLETE;
    at(import, index)->holds = WEFT_NONE;
    if (moves)
        insert_complete(import, index);
    hand_on(import, p, *message);
    if (moves && !is_of_any(&asked))
        hand_on(import, p,
                asked); /* it left the channel of the message that it asked for */
    release(import, p, &asked, holds);
}

void picl_receive_at_once(struct picl_import *import, struct picl_processor *p,
                          uint64_t order, const struct picl_message *message)
{
    if (!p->posted) {
        picl_receive(import, message);
        return;
    }
    uint32_t index = new_posted(import, message, order);
    at(import, index)->state = PICL_POSTED_COMPLETE;
    insert_complete(import, index);
    p->posted++;
    hand_on(import, p, *message);
}

void picl_posted_end(struct picl_import *import)
{
    for (uint32_t i = 0; i < import->posted.n && !weft_job_cancelled(import->job); i++)
        if (at(import, i)->state == PICL_POSTED_OPEN)
            picl_unpost(import,
                        picl_processor_find(import, at(import, i)->message.destination), i);
}

void picl_posted_free(struct picl_all_posted *posted)
{
    free(posted->channels.slots);
    free(posted->all);
}
