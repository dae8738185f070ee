/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs sends and receives with the same name and key in order, whichever comes first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "read/recording/annotate/annotate_join.h"

struct message_key {
    uint64_t key;
    char name[248];
};

/* Marks a list that has become empty: maps have no removal. */
#define EMPTY (WEFT_MAP_NONE - 1)

static void put_message(struct annotate_join *annotate, const struct message *message)
{
    struct weft_field_value bytes = { annotate->types.message_bytes,
                                      { .integer = (int64_t)message->bytes } };

    weft_builder_link(annotate->join->builder, &message->link, &bytes, 1);
}

static uint32_t first_of(const struct weft_text_map *map, const struct message_key *key)
{
    uint32_t first = weft_text_map_get(map, key, sizeof *key);

    return first == EMPTY ? WEFT_MAP_NONE : first;
}

/* Add a message at the end of the list of KEY in MAP. */
static struct message *add_message(struct annotate_join *annotate,
                                   struct weft_text_map *map, const struct message_key *key,
                                   const char *name)
{
    uint32_t first = first_of(map, key);
    struct message *message;
    char text[32];

    annotate->messages = weft_grow(annotate->messages, &annotate->messages_capacity,
                                   annotate->n_messages + 1, sizeof *annotate->messages);
    message = &annotate->messages[annotate->n_messages];
    *message = (struct message){ .next = WEFT_NONE };
    snprintf(text, sizeof text, "%" PRIu64, key->key);
    message->link = (struct weft_link){ .type = annotate->types.message,
                                        .value = join_value(annotate->join,
                                                            annotate->types.message, name),
                                        .key = join_text(annotate->join, text),
                                        .from = WEFT_NONE,
                                        .to = WEFT_NONE,
                                        .from_entity = WEFT_NO_ID,
                                        .to_entity = WEFT_NO_ID };
    if (first == WEFT_MAP_NONE) {
        weft_text_map_put(map, key, sizeof *key, (uint32_t)annotate->n_messages);
        message->last = (uint32_t)annotate->n_messages;
    } else {
        annotate->messages[annotate->messages[first].last].next =
            (uint32_t)annotate->n_messages;
        annotate->messages[first].last = (uint32_t)annotate->n_messages;
    }
    annotate->n_messages++;
    return message;
}

void annotate_message(struct annotate_join *annotate, const struct join_thread *thread,
                      const char *name, const struct record *record, int64_t time)
{
    bool sends = record->kind == WEFT_RECORD_SEND;
    struct weft_text_map *others = sends ? &annotate->receives : &annotate->sends;
    struct weft_text_map *mine = sends ? &annotate->sends : &annotate->receives;
    struct message_key key = { record->words[0], { 0 } };
    struct message *message;
    uint32_t index;

    memcpy(key.name, name, strnlen(name, sizeof key.name));
    index = first_of(others, &key);
    if (index != WEFT_MAP_NONE) {
        message = &annotate->messages[index];
        if (message->next != WEFT_NONE)
            annotate->messages[message->next].last = message->last;
        weft_text_map_put(others, &key, sizeof key,
                          message->next == WEFT_NONE ? EMPTY : message->next);
    } else {
        message = add_message(annotate, mine, &key, name);
    }
    if (record->words[1] > message->bytes)
        message->bytes = record->words[1];
    if (sends) {
        message->link.from = thread->container;
        message->link.begin = time;
    } else {
        message->link.to = thread->container;
        message->link.end = time;
    }
    if (message->link.from != WEFT_NONE && message->link.to != WEFT_NONE)
        put_message(annotate, message);
}

/* Report messages that lack one end: their number, and an example. */
static void report_half(struct annotate_join *annotate, uint64_t n,
                        const struct message *example, const char *kind, const char *what)
{
    if (n > 0)
        weft_builder_problem(annotate->join->builder, WEFT_WARNING, kind, 0,
                             "%" PRIu64 " message%s %s, as \"%s\"", n,
                             n == 1 ? " was" : "s were", what,
                             join_value_name(annotate->join, example->link.value));
}

void annotate_half_messages(struct annotate_join *annotate)
{
    const struct message *unsent = NULL, *unreceived = NULL;
    uint64_t n_unsent = 0, n_unreceived = 0;

    for (size_t i = 0; i < annotate->n_messages; i++) {
        struct message *message = &annotate->messages[i];
        if (message->link.from == WEFT_NONE) {
            message->link.begin = message->link.end;
            message->link.flags = WEFT_BEGIN_IMPLIED;
            unsent = n_unsent++ ? unsent : message;
        } else if (message->link.to == WEFT_NONE) {
            message->link.end = message->link.begin;
            message->link.flags = WEFT_END_IMPLIED;
            unreceived = n_unreceived++ ? unreceived : message;
        } else {
            continue;
        }
        put_message(annotate, message);
    }
    report_half(annotate, n_unsent, unsent, "receive-without-send",
                "received and never sent");
    report_half(annotate, n_unreceived, unreceived, "send-without-receive",
                "sent and never received");
}
