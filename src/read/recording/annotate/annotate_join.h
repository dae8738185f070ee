/* SPDX-License-Identifier: Apache-2.0 */
/* The family of annotations, joined: regions, tasks, instants, counters (annotate.c),
 * messages (messages.c), and events with values (values.c). */
#ifndef WEFT_READ_RECORDING_ANNOTATE_JOIN_H
#define WEFT_READ_RECORDING_ANNOTATE_JOIN_H

#include "format/recording_annotate.h"
#include "read/recording/join/join.h"

enum { ANNOTATED_SAID = 4 }; /* enum weft_said has as many */

struct annotated_stack { /* of regions, or of tasks, of a thread */
    uint32_t track;      /* WEFT_NONE as long as there is nothing on it */
    uint32_t open;       /* how many have begun and not ended */
    uint32_t outermost;  /* value of the first of these */
    uint64_t *ids;       /* of these, innermost last */
    size_t capacity;
};

struct annotated_text { /* of values that are being told */
    char *text;
    size_t length, capacity;
    uint64_t n; /* values */
    bool cut;   /* there were more */
};

struct annotated_thread { /* this family's, of a join_thread */
    struct annotated_stack regions, tasks;
    struct annotated_text values;
};

struct message { /* one end of it, or both */
    struct weft_link link;
    uint64_t bytes;
    uint32_t next; /* of the same name and key, that lack the same end; or WEFT_NONE */
    uint32_t last; /* of that list; kept in its first */
};

struct annotate_types {
    uint32_t regions, tasks, instants, message;
    uint32_t region_site, task_site, task_work, task_number, instant_site, instant_number,
        message_bytes; /* fields */
};

struct annotate_join {
    struct join *join;
    struct annotate_types types;
    struct annotated_thread *threads; /* as join->threads */
    struct weft_text_map counters;    /* name to type */
    struct message *messages;
    size_t n_messages, messages_capacity;
    struct weft_text_map trace_files; /* that are wanted, too */
    struct annotated_values {
        uint32_t type, number, parameters; /* an event type and its fields */
    } values[ANNOTATED_SAID];              /* by enum weft_said; type 0: not defined yet */
    struct weft_text_map sends, receives; /* that lack the other end: the first of a list */
};

/* An event with values, or a part of one. */
void annotate_values(struct annotate_join *annotate, const struct join_thread *thread,
                     const struct record *record, int64_t time);

/* One end of a message. */
void annotate_message(struct annotate_join *annotate, const struct join_thread *thread,
                      const char *name, const struct record *record, int64_t time);
/* Those that lack an end, as half links. */
void annotate_half_messages(struct annotate_join *annotate);

#endif
