/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing PICL: each processor yields records in order of time.  picl.c puts those of all
 * processors into the order that is wanted, picl_node.c merges the calls, tasks and events of
 * one, picl_calls.c makes records of the calls of a trace that was PICL, picl_classes.c of those
 * of any other.
 *
 * What comes out depends only on the order within each track, which the reader keeps.  So a file
 * that was written here, read and written again is the same, byte for byte.
 */
#ifndef WEFT_WRITE_PICL_PRIV_H
#define WEFT_WRITE_PICL_PRIV_H

#include "base/map.h"
#include "domains/messages/read/keys.h"
#include "domains/messages/write/picl.h"
#include "store/source.h"

struct picl_record { /* to be written */
    int64_t time;
    int32_t type, key;
    char *text; /* from the number of values on; owned */
};

#define PICL_NO_GROUP INT64_MIN

enum {
    PICL_TRACING = -901 /* the key of the entry and exit around all records of a node */
};

/* Records at one time and processor: what ends comes before what begins. */
enum picl_rank {
    PICL_RANK_CALL_EXIT,
    PICL_RANK_TASK_EXIT,
    PICL_RANK_EVENT,
    PICL_RANK_TASK_ENTRY,
    PICL_RANK_CALL_ENTRY,
    PICL_RANK_LAST, /* the end of tracing */
    PICL_RANKS,
};

struct picl_queue {
    struct picl_record *records;
    size_t first, n, capacity;
};

/* The begins and ends of the states of a track, one after the other. */
struct picl_edge {
    int64_t time;
    const struct weft_state *state;
    bool begins;
};
struct picl_states {
    const struct picl_write *w;
    uint32_t track; /* WEFT_NONE: there are none */
    uint64_t next, first;
    struct weft_state *window; /* the states from number FIRST on, N of them */
    size_t n;
    struct weft_state *open;
    size_t n_open, capacity;
};
void picl_states_begin(struct picl_states *states, const struct picl_write *w,
                       uint32_t track);
bool picl_states_peek(struct picl_states *states, struct picl_edge *edge);
void picl_states_next(struct picl_states *states);
void picl_states_end(struct picl_states *states);

struct picl_end { /* an end of a message that is no whole call of its own */
    int64_t time;
    uint64_t link;
    bool receives;
};

struct picl_block { /* of a track, as it was decoded last; WEFT_NONE: none was */
    uint32_t track;
    struct weft_run run;
};

struct picl_write {
    const struct weft_source *source;
    const struct weft_schema *schema;
    bool native;      /* the trace was PICL: its names are keys */
    int64_t origin;   /* the time that is written as 0 */
    int64_t *numbers; /* of processors, by container; -1: it is none */
    int64_t *groups;  /* of communicators, by container; PICL_NO_GROUP: it is none */
    uint32_t *nodes;  /* containers of the processors, by number */
    size_t n_nodes;
    uint8_t *used; /* by track: records are made of it */
    uint32_t
        *parameters; /* by type: the field of events that is their text, or WEFT_NONE */
    uint64_t lost_members; /* of groups that are too large */
    struct picl_block *block;
    size_t
        window; /* entities of a track that are kept, since many tracks may be walked at once */
    /* Fields of a trace that was PICL, WEFT_NONE in others (read/picl/picl_priv.h). */
    uint32_t call_entry, call_exit, call_request, task_entry, task_exit, link_peer;
};

/* The events of a track, one after the other: there is a next one. */
struct picl_events {
    uint32_t track;
    uint32_t place; /* among those of the processor */
    uint64_t next, first;
    struct weft_event *window;
    size_t n;
};

struct picl_node {
    const struct picl_write *w;
    uint32_t container;
    int64_t start, finish; /* not native: when it came to be, and its last event */
    bool ended;            /* not native: the records after its last call are made */
    struct picl_states calls, tasks;
    struct picl_queue call_queue; /* records of calls that were made and not taken yet */
    struct weft_id_map begun;     /* not native: operations that go on in the background */
    struct picl_end *ends;        /* not native: by time */
    size_t n_ends, end_capacity, next_end;
    bool adds_receives;         /* which ends are being listed */
    struct picl_events *events; /* a heap, by the next one of each */
    size_t n_events, event_capacity;
};

void picl_node_begin(struct picl_node *node, const struct picl_write *w,
                     uint32_t container);
/* The next record, whose text is the caller's; false: there are no more. */
bool picl_node_next(struct picl_node *node, struct picl_record *record);
void picl_node_end(struct picl_node *node);

void picl_queue_add(struct picl_queue *queue, int64_t time, int32_t type, int32_t key,
                    char *text);

/* Add the next records of calls to the queue; false: there are no more. */
bool picl_calls_next(struct picl_node *node);
bool picl_classes_next(struct picl_node *node);
void picl_classes_begin(struct picl_node *node);

/* Not native: is the link written, a message from a processor to a processor? */
bool picl_is_message(const struct picl_write *w, const struct weft_link *link);
/* "3 2 LENGTH TAG PARTNER [GROUP]", of a link at one of its ends. */
char *picl_link_text(const struct picl_write *w, const struct weft_link *link,
                     bool receives, bool with_length);
/* "2 2 LENGTH GROUP" and the like, of a call with an operation; NULL: it has none. */
char *picl_operation_text(const struct picl_write *w, uint64_t call, enum picl_shape shape);

/* What was left out (picl.h), when all is written; to be freed. */
char *picl_losses(const struct picl_write *w);

/* A field of an entity, by its role or by its number; false: it has none. */
bool picl_field_with_role(const struct picl_write *w, uint64_t entity, enum weft_role role,
                          enum weft_field_kind kind, struct weft_field_value *out);
bool picl_field(const struct picl_write *w, uint64_t entity, uint32_t field,
                struct weft_field_value *out);
/* A text of the schema, copied; NULL when INDEX is none. */
char *picl_text(const struct picl_write *w, uint32_t index);

#endif
