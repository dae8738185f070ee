/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that write PICL.  picl.c sorts the records of all processors,
 * picl_node.c merges the calls, tasks and events of one processor by time,
 * picl_calls_by_key.c makes records of calls of a trace that was PICL, picl_calls_by_role.c
 * of any other trace, picl_losses.c counts what is lost.
 *
 * The output depends only on the order within each track, which the reader keeps.  So a
 * file that was written here, read, and written again stays the same byte for byte.
 */
#ifndef WEFT_WRITE_PICL_PRIV_H
#define WEFT_WRITE_PICL_PRIV_H

#include "base/hash_map.h"
#include "domains/messages/read/picl_keys.h"
#include "domains/messages/write/picl.h"
#include "store/source.h"

/* A record to be written, without its node. */
struct picl_record {
    int64_t time;      /* in the trace's ticks */
    int32_t type, key; /* TYPE: enum picl_record_type (read/picl_keys.h) */
    char *text; /* the record's words from the number of values on; owned; NULL: "0" */
};

#define PICL_NO_GROUP INT64_MIN /* group number of a container that is no communicator */

/* Key of the first and last record of a node: tracing begins, ends. */
enum { PICL_TRACING = -901 };

/*
 * The order of a processor's records at one time: exits, events, entries, then the end of
 * tracing.
 */
enum picl_rank {
    PICL_RANK_CALL_EXIT,
    PICL_RANK_TASK_EXIT,
    PICL_RANK_EVENT,
    PICL_RANK_TASK_ENTRY,
    PICL_RANK_CALL_ENTRY,
    PICL_RANK_LAST, /* the end of tracing */
    PICL_RANKS,
};

/* Records of a processor that were made and wait to be written; zeroed: empty. */
struct picl_queue {
    struct picl_record *records; /* those from `first` to n - 1 are in the queue */
    size_t first, n, capacity;
};

/* The begin or end of a state. */
struct picl_edge {
    int64_t time;
    const struct weft_state *state; /* valid until picl_states_next */
    bool begins;                    /* else it ends */
};
/*
 * Iterates over the begins and ends of a track's states, in order of time: begun by
 * picl_states_begin, freed by picl_states_end.
 */
struct picl_states {
    const struct picl_write *w;
    uint32_t track; /* or WEFT_NONE: an empty iterator */
    /* ordinals on the track: of the state that begins next; of window[0] */
    uint64_t next, first;
    struct weft_state *window; /* [n]: copies of states */
    size_t n;
    struct weft_state *open; /* [n_open]: begun and not ended, the innermost last */
    size_t n_open, capacity;
};
/*
 * Begins to iterate over the begins and ends of the states of TRACK, or of none if that is
 * WEFT_NONE.  Nested states come inside their parents; states that the trace left open have
 * no end at the end of the track.  The caller frees STATES with picl_states_end; W must
 * live until then.
 */
void picl_states_begin(struct picl_states *states, const struct picl_write *w,
                       uint32_t track);
/*
 * Sets *EDGE to the next begin or end of a state, without moving on; edge->state is valid
 * until picl_states_next.  Returns false at the end.
 */
bool picl_states_peek(struct picl_states *states, struct picl_edge *edge);
/* Moves on past the begin or end that picl_states_peek sets; no effect at the end. */
void picl_states_next(struct picl_states *states);
/* Frees what STATES holds, also before its end. */
void picl_states_end(struct picl_states *states);

/* The send or receive of a message by the processor. */
struct picl_end {
    int64_t time;
    uint64_t link; /* its id */
    bool receives; /* else it sends */
};

/* The entities that were decoded last. */
struct picl_block {
    uint32_t track;      /* index in the schema's tracks; WEFT_NONE: none yet */
    struct weft_run run; /* a block of that track's entities */
};

/* One call of weft_write_picl, which makes and frees all of it. */
struct picl_write {
    const struct weft_source *source;
    const struct weft_schema *schema;
    bool native;      /* the trace was read from PICL: aliases of its values are keys */
    int64_t origin;   /* the time that is written as 0 */
    int64_t *numbers; /* [containers]: the number of a processor, or -1 */
    int64_t *groups;  /* [containers]: the number of a communicator, or PICL_NO_GROUP */
    uint32_t *nodes;  /* [n_nodes] containers of the processors, by number */
    int64_t *members; /* [n_nodes] their numbers in lists of members, which rise */
    bool renumbered;  /* some node's number is not the one in lists of members */
    size_t n_nodes;
    uint8_t *used; /* [tracks]: 1 once records are made of it */
    /* [types]: the field with the text of its events, or WEFT_NONE */
    uint32_t *parameters;
    uint64_t lost_members;    /* of groups: beyond 2^20, or of no one node */
    struct picl_block *block; /* one for all tracks; owned */
    /* most entities of a track that are copied at once, since many tracks may be open */
    size_t window;
    /*
     * Indices in the schema's fields of those that the reader makes (enum picl_field in
     * read/picl_priv.h); WEFT_NONE if not native, or the trace has no such field.
     */
    uint32_t call_entry, call_exit, call_request, task_entry, task_exit, link_peer;
};

/* Iterates over the events of a track; one of picl_node.events. */
struct picl_events {
    uint32_t track;
    uint32_t place;       /* number among the processor's tracks of events; breaks ties */
    uint64_t next, first; /* ordinals on the track: of the next event; of window[0] */
    struct weft_event *window; /* [n]: copies of events */
    size_t n;
};

/*
 * Iterates over the records of a processor, in order of time; begun by picl_node_begin,
 * freed by picl_node_end.
 */
struct picl_node {
    const struct picl_write *w;
    uint32_t container;    /* the processor's: index in the schema's containers */
    int64_t start, finish; /* not native: begin of the processor, and its last event */
    bool ended;            /* not native: the records after its last call are queued */
    struct picl_states calls, tasks; /* the begins and ends of its states, to come */
    struct picl_queue call_queue; /* records of calls that were made and not returned yet */
    /* not native: by id of its event, 1 for each nonblocking operation that was begun */
    struct weft_id_map begun;
    struct picl_end *ends;                 /* not native: its sends and receives, by time */
    size_t n_ends, end_capacity, next_end; /* next_end: index of the next one in ENDS */
    bool adds_receives;         /* links that are being listed are receives, else sends */
    struct picl_events *events; /* a heap by the time of the next event; each has one */
    size_t n_events, event_capacity;
};

/*
 * Begins to iterate over the records of the processor with index CONTAINER in the schema's
 * containers, in order of time.  The caller frees NODE with picl_node_end; W must live
 * until then.
 */
void picl_node_begin(struct picl_node *node, const struct picl_write *w,
                     uint32_t container);
/*
 * Sets *RECORD to the processor's next record, whose text, never NULL, the caller frees.
 * Returns false, with *RECORD as it was, if none is left.
 */
bool picl_node_next(struct picl_node *node, struct picl_record *record);
/* Frees what NODE holds, also before its last record. */
void picl_node_end(struct picl_node *node);

/*
 * Appends a record of TIME, TYPE (enum picl_record_type) and KEY to QUEUE, whose records
 * must be added in order of time.  TEXT, its words from the number of values on, was
 * allocated and is the queue's from now on; NULL is written as "0", no values.
 */
void picl_queue_add(struct picl_queue *queue, int64_t time, int32_t type, int32_t key,
                    char *text);

/*
 * For a trace that was read from PICL: adds the record of the next begin or end of a call
 * of the processor to node->call_queue.  Returns false if nothing is left.
 */
bool picl_calls_next(struct picl_node *node);
/*
 * For a trace that was not PICL: adds the records, by roles and perhaps none, of the next
 * begin or end of a call of the processor, or of its next message, to node->call_queue;
 * behind the last those that end its tracing.  Returns false if nothing is left.
 */
bool picl_classes_next(struct picl_node *node);
/*
 * For a trace that was not PICL: adds the records before the processor's first call to
 * node->call_queue, and lists its sends and receives in node->ends.
 */
void picl_classes_begin(struct picl_node *node);

/*
 * Returns true if LINK is a message between two processors that are written (not a copy
 * between memories).
 */
bool picl_is_message(const struct picl_write *w, const struct weft_link *link);
/*
 * Returns the values of the record of the send, or if RECEIVES of the receive, of message
 * LINK, as in the file: their number, the type 2 (integers), then LENGTH, TAG, PARTNER and
 * GROUP.  LENGTH, in bytes, is left out if not WITH_LENGTH, GROUP if it is the world;
 * PARTNER is the number of the other processor, -1 if it is unknown.  So "3 2 8 7 1" is 8
 * bytes with tag 7 to processor 1.  The caller frees the text.
 */
char *picl_link_text(const struct picl_write *w, const struct weft_link *link,
                     bool receives, bool with_length);
/*
 * Returns the values of the entry record of CALL (id of a state) in a collective operation,
 * as in the file, their number and the type 2 first: "1 2 GROUP", "2 2 LENGTH GROUP" or "3
 * 2 LENGTH ROOT GROUP" for a SHAPE of barrier, all or rooted; NULL if the call is in none.
 * The operation must be one of a communicator with a number (w->groups).  The caller frees
 * the text.
 */
char *picl_operation_text(const struct picl_write *w, uint64_t call, enum picl_shape shape);

/*
 * Returns the text of what the trace holds and its records lack (weft_write_picl, LOSSES),
 * "" if nothing, once all records are made.  The caller frees it.
 */
char *picl_losses(const struct picl_write *w);

/*
 * Sets *OUT to the first field of ROLE and KIND that ENTITY (an id) has; returns false,
 * with *OUT as it was, if it has none.
 */
bool picl_field_with_role(const struct picl_write *w, uint64_t entity, enum weft_role role,
                          enum weft_field_kind kind, struct weft_field_value *out);
/*
 * Sets *OUT to the field of ENTITY (an id) that has the index FIELD in the schema; returns
 * false, with *OUT as it was, if it has none.
 */
bool picl_field(const struct picl_write *w, uint64_t entity, uint32_t field,
                struct weft_field_value *out);
/*
 * Returns a copy of the schema's string INDEX, or NULL if there is none; the caller frees.
 */
char *picl_text(const struct picl_write *w, uint32_t index);

#endif
