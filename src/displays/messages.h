/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between weft and the process in which a person's own display runs
 * (displays/host/).  Both are built together, so a message is plain: its length in bytes
 * and its kind, each uint32_t, then its content: numbers in the machine's order, and texts
 * as their length, their bytes and NUL.
 */
#ifndef WEFT_DISPLAYS_MESSAGES_H
#define WEFT_DISPLAYS_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MESSAGE_HEAD = 8,           /* bytes before the content: its length, its kind */
    MESSAGE_LARGEST = 64 << 20, /* bytes of the content of one message, at most */
    MESSAGE_USUAL = 64 << 10,   /* marks, rows and events are sent in such portions */
    MESSAGE_SOCKET = 3,         /* the file descriptor of the display's process */
};

/* The kinds of messages.  To the display's process: */
enum message_kind {
    MESSAGE_TRACE = 1, /* length; rows; names of types, values and fields */
    MESSAGE_BEGIN,     /* forget all events */
    MESSAGE_EVENTS,    /* events in order of time */
    MESSAGE_DRAW,      /* a moment, and width and height: answer with marks, then DONE */
    MESSAGE_TABLE,     /* a moment: answer with rows, then DONE */
    /* From it: */
    MESSAGE_DISPLAYS, /* first of all: the displays of the file */
    MESSAGE_FAILED,   /* instead of them: a text that says why there are none */
    MESSAGE_MARKS,    /* a list of marks */
    MESSAGE_ROWS, /* a list of rows, each with as many cells as the display has columns */
    MESSAGE_DONE, /* the answer is complete */
};

/* The sort of an event's field; its whole and its real number follow, then its text. */
enum message_field {
    MESSAGE_NUMBER,
    MESSAGE_TEXT,
    MESSAGE_PARAMETERS, /* a text: values, as PICL writes them (WEFT_ROLE_PARAMETERS) */
};

/* The kinds of marks in a message of marks, and what belongs to each. */
enum mark_kind {
    MARK_RECTANGLE = 1, /* x, y, width, height; fill, outline */
    MARK_CIRCLE,        /* x, y, radius; fill, outline */
    MARK_LINE,          /* n, points; ink; width */
    MARK_POLYGON,       /* n, points; fill, outline */
    MARK_TEXT,          /* x, y, size; align, ink; the text */
    MARK_TITLE,         /* a text: of the last mark, as the two after it */
    MARK_SETS,          /* name, value */
    MARK_LISTS,         /* a selection */
    MARK_LEGEND,        /* ink, label */
    MARK_SUBTITLE,      /* a text */
};

/* A message that is written; zeroed at first, freed by message_free(). */
struct message {
    unsigned char *bytes; /* head and content */
    size_t size, capacity;
};
/* Begins another message in MESSAGE, of the given kind, in the memory of the last one. */
void message_begin(struct message *message, enum message_kind kind);
void message_put(struct message *message, const void *bytes, size_t size);
void message_put_u32(struct message *message, uint32_t number);
void message_put_i64(struct message *message, int64_t number);
void message_put_real(struct message *message, double number);
void message_put_text(struct message *message, const char *text); /* NULL: like "" */
/* Sets the length in the head; returns all bytes of the message, message->size. */
const unsigned char *message_end(struct message *message);
void message_free(struct message *message);

/* A message's content that is read; what lies behind its end reads as 0 and "". */
struct message_reader {
    const unsigned char *at, *end;
    bool wrong; /* something was read behind the end, or a text was no text */
};
uint32_t message_u32(struct message_reader *reader);
int64_t message_i64(struct message_reader *reader);
double message_real(struct message_reader *reader);
/* Returns a text in the content, never NULL. */
const char *message_text(struct message_reader *reader);
/*
 * Reads N pairs of numbers into XY [2 * n]; reader->wrong, and nothing written, if they are
 * not there.
 */
void message_points(struct message_reader *reader, double *xy, size_t n);

#endif
