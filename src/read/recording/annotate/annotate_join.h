/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the records that programs write by weft.h: regions, tasks, instants, counters
 * (annotate.c), messages (messages.c), and events with values (mpicl_event_values.c).
 */
#ifndef WEFT_READ_RECORDING_ANNOTATE_JOIN_H
#define WEFT_READ_RECORDING_ANNOTATE_JOIN_H

#include "format/recording_annotate.h"
#include "read/recording/join/join.h"

enum { ANNOTATED_SAID = 4 }; /* number of values of enum weft_said */

/*
 * The nested states of one kind (regions, or tasks) that a thread has open.  The join's
 * state (struct annotate_join) has two for each thread, and frees `ids` at its end.
 */
struct annotated_stack {
    uint32_t track;     /* the builder's track of these states; WEFT_NONE: no state yet */
    uint32_t open;      /* number of open states */
    uint32_t outermost; /* value (name, of join_value()) of the outermost open state, or of
                           the last one if none is open; not set before the first */
    uint64_t *ids;      /* [capacity], the first `open` valid: the builder's state ids,
                           innermost last; heap */
    size_t capacity;
};

/*
 * The values of one event as text (" 1 2.5"), to which several records of a thread append.
 * When the last record has come, the event is written and the text emptied; the buffer
 * stays.
 */
struct annotated_text {
    char *text; /* [capacity], heap, the first `length` bytes valid, no NUL; or NULL */
    size_t length, capacity;
    uint64_t n; /* number of values in the text; 0 if the event's value is a string */
    bool cut;   /* values were left out: the text would be longer than 16 MiB */
};

/* The open regions, open tasks and unfinished event of one recorded thread. */
struct annotated_thread {
    struct annotated_stack regions, tasks;
    struct annotated_text values;
};

/* A message of which the sending, the receiving or both were recorded. */
struct message {
    struct weft_link link; /* from or to is WEFT_NONE while that end is missing */
    uint64_t bytes;        /* the larger size of the ends that were recorded */
    uint32_t next; /* index in `messages` of the next message with the same name and key
                      that lacks the same end, or WEFT_NONE */
    uint32_t last; /* index of the last message of that list; only set in the first one */
};

/* The builder's numbers of the types that annotations become, and of their fields. */
struct annotate_types {
    uint32_t regions, tasks, instants, message;
    uint32_t region_site, task_site, task_work, task_number, instant_site, instant_number,
        message_bytes; /* fields */
};

/*
 * The state of the join of annotations (what a program recorded by weft.h): one for a
 * recording.  annotate.c makes it before the first record and frees it after the last.
 */
struct annotate_join {
    struct join *join;
    struct annotate_types types;
    struct annotated_thread *threads; /* by index in join->threads */
    struct weft_text_map counters;    /* name: the builder's type of that variable */
    struct message *messages;         /* [n_messages]: all, paired or not; heap */
    size_t n_messages, messages_capacity;
    struct weft_text_map trace_files; /* paths noted already (WEFT_NOTE_TRACE_FILE): 0 */
    struct annotated_values {
        uint32_t type, number, parameters; /* an event type and its fields */
    } values[ANNOTATED_SAID];              /* by enum weft_said; type 0 until defined */
    /* struct message_key: index of the first of the messages that lack the other end */
    struct weft_text_map sends, receives;
};

/*
 * Takes a record WEFT_RECORD_VALUES of THREAD: an event with values, or a part of one.  The
 * last part writes the event, at TIME in ns, and a problem if values were left out.  A
 * record of an unknown kind or type of value is damage, and has no effect.
 */
void annotate_values(struct annotate_join *annotate, const struct join_thread *thread,
                     const struct record *record, int64_t time);

/*
 * Takes the sending (record->kind is WEFT_RECORD_SEND), else the receiving, of a message by
 * THREAD at TIME in ns.  It is paired with the earliest unpaired other end of the same NAME
 * (compared up to 248 bytes) and key (words[0]); the link is then written.  Without such an
 * end it is kept.  words[1] is the size in bytes.
 */
void annotate_message(struct annotate_join *annotate, const struct join_thread *thread,
                      const char *name, const struct record *record, int64_t time);
/*
 * After the last record: writes each message that lacks an end, as a link that begins and
 * ends at the time of the other and has no container at the missing end, which is marked as
 * implied; and reports problems with the numbers of such messages.
 */
void annotate_half_messages(struct annotate_join *annotate);

#endif
