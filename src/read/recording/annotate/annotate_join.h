/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the records that programs write by weft.h: regions, tasks, instants, counters
 * (annotate.c), messages (messages.c), and events with values (values.c).
 */
#ifndef WEFT_READ_RECORDING_ANNOTATE_JOIN_H
#define WEFT_READ_RECORDING_ANNOTATE_JOIN_H

#include "format/recording_annotate.h"
#include "read/recording/join/join.h"

enum { ANNOTATED_SAID = 4 }; /* number of values of enum weft_said */

struct annotated_stack { /* the regions or tasks of a thread */
    uint32_t track;      /* WEFT_NONE until the first state */
    uint32_t open;       /* number of open states */
    uint32_t outermost;  /* value of the outermost open state */
    uint64_t *ids;       /* of the open states, innermost last */
    size_t capacity;
};

struct annotated_text { /* the values of an event, collected from its records */
    char *text;
    size_t length, capacity;
    uint64_t n; /* values */
    bool cut;   /* values beyond the limit were left out */
};

struct annotated_thread { /* what this join keeps for each join_thread */
    struct annotated_stack regions, tasks;
    struct annotated_text values;
};

struct message { /* a message with one end or both */
    struct weft_link link;
    uint64_t bytes;
    uint32_t next; /* next message with the same name and key that lacks the same end, or
                      WEFT_NONE */
    uint32_t last; /* last message of that list; only in the first one */
};

struct annotate_types {
    uint32_t regions, tasks, instants, message;
    uint32_t region_site, task_site, task_work, task_number, instant_site, instant_number,
        message_bytes; /* fields */
};

struct annotate_join {
    struct join *join;
    struct annotate_types types;
    struct annotated_thread *threads; /* by index in join->threads */
    struct weft_text_map counters;    /* name: type */
    struct message *messages;
    size_t n_messages, messages_capacity;
    struct weft_text_map trace_files; /* paths noted already */
    struct annotated_values {
        uint32_t type, number, parameters; /* an event type and its fields */
    } values[ANNOTATED_SAID];              /* by enum weft_said; type 0 until defined */
    struct weft_text_map sends, receives;  /* struct message_key: first of a list */
};

/* Take a VALUES record: an event with values, or a part of one. */
void annotate_values(struct annotate_join *annotate, const struct join_thread *thread,
                     const struct record *record, int64_t time);

/* Take the sending or receiving of the message NAME, and pair it with its other end. */
void annotate_message(struct annotate_join *annotate, const struct join_thread *thread,
                      const char *name, const struct record *record, int64_t time);
/* Write the messages that lack an end, as half links. */
void annotate_half_messages(struct annotate_join *annotate);

#endif
