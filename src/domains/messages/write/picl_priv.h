/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that write PICL.  picl.c sorts the records of all processors,
 * picl_node.c merges the calls, tasks and events of one processor by time, picl_calls.c
 * makes records of calls of a trace that was PICL, picl_classes.c of any other trace,
 * picl_losses.c counts what is lost.
 *
 * The output depends only on the order within each track, which the reader keeps.  So a
 * file that was written here, read, and written again stays the same byte for byte.
 */
#ifndef WEFT_WRITE_PICL_PRIV_H
#define WEFT_WRITE_PICL_PRIV_H

#include "base/map.h"
#include "domains/messages/read/keys.h"
#include "domains/messages/write/picl.h"
#include "store/source.h"

struct picl_record {
    int64_t time;
    int32_t type, key;
    char *text; /* the record's text from the number of values on; owned */
};

#define PICL_NO_GROUP INT64_MIN

enum {
    PICL_TRACING = -901 /* the key of the records around all others of a node */
};

/* The order of a processor's records at one time: exits come before entries. */
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

/* The begin or end of a state. */
struct picl_edge {
    int64_t time;
    const struct weft_state *state;
    bool begins;
};
struct picl_states {
    const struct picl_write *w;
    uint32_t track; /* or WEFT_NONE: an empty iterator */
    uint64_t next, first;
    struct weft_state *window; /* [n] states copied, from number `first` on */
    size_t n;
    struct weft_state *open;
    size_t n_open, capacity;
};
/*
 * Iterates over the begins and ends of the states of TRACK, nested ones inside their
 * parents.
 */
void picl_states_begin(struct picl_states *states, const struct picl_write *w,
                       uint32_t track);
/* Sets *EDGE to the next one, which stays until picl_states_next; false at the end. */
bool picl_states_peek(struct picl_states *states, struct picl_edge *edge);
void picl_states_next(struct picl_states *states);
void picl_states_end(struct picl_states *states);

struct picl_end { /* an end of a message, at the processor */
    int64_t time;
    uint64_t link;
    bool receives;
};

struct picl_block { /* the run that was decoded last; track WEFT_NONE: none yet */
    uint32_t track;
    struct weft_run run;
};

struct picl_write {
    const struct weft_source *source;
    const struct weft_schema *schema;
    bool native;      /* the trace was PICL: its value aliases are keys */
    int64_t origin;   /* the time that is written as 0 */
    int64_t *numbers; /* by container: the processor's number, or -1 */
    int64_t *groups;  /* by container: the communicator's number, or PICL_NO_GROUP */
    uint32_t *nodes;  /* [n_nodes] containers of the processors, by number */
    size_t n_nodes;
    uint8_t *used; /* by track: 1 once records are made of it */
    /* By type: the field with the text of its events, or WEFT_NONE. */
    uint32_t *parameters;
    uint64_t lost_members; /* members of groups beyond 2^20 */
    struct picl_block *block;
    /* Entities of a track that are copied at once, since many tracks may be open. */
    size_t window;
    /* Field numbers, WEFT_NONE in a trace that was not PICL (read/picl_priv.h). */
    uint32_t call_entry, call_exit, call_request, task_entry, task_exit, link_peer;
};

/* Iterates over the events of a track; while it is in the heap, it has a next event. */
struct picl_events {
    uint32_t track;
    uint32_t place; /* among the processor's tracks of events; breaks ties */
    uint64_t next, first;
    struct weft_event *window;
    size_t n;
};

struct picl_node {
    const struct picl_write *w;
    uint32_t container;
    int64_t start, finish; /* not native: begin of the processor, and its last event */
    bool ended;            /* not native: the records after its last call are queued */
    struct picl_states calls, tasks;
    struct picl_queue call_queue; /* records of calls that were made and not returned yet */
    struct weft_id_map begun;     /* not native: nonblocking operations that were begun */
    struct picl_end *ends;        /* not native: all ends of its messages, by time */
    size_t n_ends, end_capacity, next_end;
    bool adds_receives;         /* direction of the links that are being listed */
    struct picl_events *events; /* a heap by the time of the next event */
    size_t n_events, event_capacity;
};

/* Finds the tracks of processor CONTAINER; the caller calls picl_node_end. */
void picl_node_begin(struct picl_node *node, const struct picl_write *w,
                     uint32_t container);
/* Returns the next record, whose text the caller frees; false when there are no more. */
bool picl_node_next(struct picl_node *node, struct picl_record *record);
void picl_node_end(struct picl_node *node);

/* Appends a record; TEXT may be NULL, which is written as "0", and becomes the queue's. */
void picl_queue_add(struct picl_queue *queue, int64_t time, int32_t type, int32_t key,
                    char *text);

/*
 * Each adds the records of the next begin, end or message to the call queue; false at the
 * end.
 */
bool picl_calls_next(struct picl_node *node);
bool picl_classes_next(struct picl_node *node);
/* Queues the records before the first call, and lists the ends of messages. */
void picl_classes_begin(struct picl_node *node);

/* In a trace that was not PICL: whether the link is a message between two processors. */
bool picl_is_message(const struct picl_write *w, const struct weft_link *link);
/*
 * "3 2 LENGTH TAG PARTNER [GROUP]" of a link at one of its ends, without LENGTH unless
 * WITH_LENGTH; the caller frees it.
 */
char *picl_link_text(const struct picl_write *w, const struct weft_link *link,
                     bool receives, bool with_length);
/*
 * "2 2 LENGTH GROUP" or the like, by SHAPE, of a call in a collective operation; NULL if it
 * is in none.  The caller frees it.
 */
char *picl_operation_text(const struct picl_write *w, uint64_t call, enum picl_shape shape);

/* Lists what was left out (picl.h), after everything is written; the caller frees it. */
char *picl_losses(const struct picl_write *w);

/* Sets *OUT to a field of an entity, by its role or number; false when it has none. */
bool picl_field_with_role(const struct picl_write *w, uint64_t entity, enum weft_role role,
                          enum weft_field_kind kind, struct weft_field_value *out);
bool picl_field(const struct picl_write *w, uint64_t entity, uint32_t field,
                struct weft_field_value *out);
/* A copy of the schema's string INDEX, or NULL when there is none; the caller frees it. */
char *picl_text(const struct picl_write *w, uint32_t index);

#endif
