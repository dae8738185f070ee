/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads PICL traces: those that MPICL writes and ParaGraph reads (Heath and Finger,
 * "ParaGraph: a performance visualization tool for MPI", appendix D), and the older ones of
 * PICL itself.  A line is a record:
 *
 *     record-type key time node process n [type value-1 ... value-n]
 *
 * Record types are -2 mark, -3 entry, -4 exit, -5 label, -6 data, -7 message and -202 the
 * members of a group.  A negative key is a call of the library (keys.c), any other a number
 * that the user chose.  Times are seconds.  Positive record types are those of old traces
 * (old.c).
 *
 * doc/dev/messages.md says how the store represents a run.  Beyond that, a parameter that
 * the shape of its key does not account for is kept verbatim, as the text "entry" or "exit"
 * of the state, or "parameters" of the event, so that the trace can be written again
 * (write/picl.h).
 *
 *   picl.c        reads a file line by line, again if it was read under wrong assumptions
 *   lex.c         parses a line
 *   quick.c       parses lines in the form that programs write, faster
 *   old.c         parses a line of an old trace
 *   batch.c       groups records by processor
 *   keys.c        describes the calls of the library
 *   order.c       finds out how the records of a file are ordered
 *   types.c       makes the types and values of the store, and the processors
 *   records.c     turns records into states and events of their processor
 *   texts.c       keeps parameters that no shape accounts for as texts
 *   requests.c    maps the numbers of requests to the receives that they began
 *   posted.c      holds posted receives until it is known which message each got
 *   queues.c      priority queues of them, in order of posting
 *   messages.c    matches sends with receives and makes links
 *   channels.c    hash table of unmatched messages by source, destination, tag and group
 *   groups.c      turns groups into communicators and calls into collective operations
 *   faults.c      has the text of every problem
 *
 * Memory: what the builder takes, a few hundred bytes a processor, 48 bytes a message that
 * was sent and not received yet (in a file in node order, all messages of the processors so
 * far), 128 bytes a receive that is posted and incomplete, or complete but held back by
 * such a one, 24 bytes a collective operation, and 12 MB for text and a batch of records.
 */
#ifndef WEFT_READ_PICL_PRIV_H
#define WEFT_READ_PICL_PRIV_H

#include "base/map.h"
#include "domains/messages/read/keys.h"
#include "read/paje/number.h"
#include "read/reader.h"

/* ---- Records (lex.c, old.c) ---- */

struct picl_record {
    int64_t time;
    int64_t values[PICL_VALUES];
    int32_t type, key, node;
    uint32_t n_values;      /* of all values, also those beyond PICL_VALUES */
    bool rounded;           /* the time has more digits than can be kept, and was rounded */
    bool untyped;           /* the type word before the values is missing */
    bool integers;          /* all values in VALUES are integers */
    const char *parameters; /* from the number of values to the end of the line */
    uint32_t length;
    uint64_t line;
};

enum picl_lexed {
    PICL_RECORD,
    PICL_BLANK,     /* an empty line, or a comment */
    PICL_IGNORED,   /* a record of the host; in old traces also one of a negative node */
    PICL_BAD_WORDS, /* fewer words than a record has or announces */
    PICL_BAD_NUMBER,
    PICL_BAD_TIME,
    PICL_MANY_WORDS, /* a record; words beyond the announced ones are left out */
};
/*
 * Parses the line from AT to END.  The text must be readable for 8 bytes beyond END; RECORD
 * points into it.  CLOCK learns which decimals the time needs.
 */
enum picl_lexed picl_lex(struct paje_clock *clock, const char *at, const char *end,
                         struct picl_record *record);
/*
 * Parses a faultless line in the form that programs write; its end need not be known.
 * Returns its newline, or NULL, and then the line must go to picl_lex.  A newline must
 * follow AT, and 8 readable bytes that newline.
 */
const char *picl_lex_quick(const struct paje_clock *clock, const char *at,
                           struct picl_record *record);
/*
 * Returns true if the parameters of this record are a text, or have no number of values
 * first.
 */
bool picl_has_text(const struct picl_record *record);
/* Parses a line whose record type is positive or a word. */
enum picl_lexed picl_lex_old(struct paje_clock *clock, const char *at, const char *end,
                             struct picl_record *record);
/* Returns the name of an old record type, or NULL.  TYPE is -PICL_OLD - NUMBER. */
const char *picl_old_name(int32_t type);
/* Parses the next integer and moves *AT behind it; false at END and at any other word. */
bool picl_next_integer(const char **at, const char *end, int64_t *number);
/* Parses the first value of a record as a real number; false if it is none. */
bool picl_first_real(const struct picl_record *record, double *number);
bool picl_is_blank(char c);

/* ---- Faults (faults.c) ---- */

enum picl_fault {
    PICL_FAULT_RECORD,
    PICL_FAULT_NUMBER,
    PICL_FAULT_TIME,
    PICL_FAULT_ROUNDED,
    PICL_FAULT_MORE_WORDS,
    PICL_FAULT_LONG_LINE,
    PICL_FAULT_RECORD_TYPE,
    PICL_FAULT_NODE,
    PICL_FAULT_VALUES,
    PICL_FAULT_UNSORTED,
    PICL_FAULT_CONCATENATED,
    PICL_FAULT_CUT,
    PICL_FAULT_UNFINISHED,
    PICL_FAULT_EXIT,
    PICL_FAULT_NESTING,
    PICL_FAULT_DEEP,
    PICL_FAULT_OPEN,
    PICL_FAULT_UNSENT,
    PICL_FAULT_UNRECEIVED,
    PICL_FAULT_TACHYON,
    PICL_FAULT_REQUEST,
    PICL_FAULT_HELD,
    PICL_FAULT_GROUP,
    PICL_FAULT_INCOMPLETE,
    PICL_FAULT_EMPTY,
    PICL_FAULT_DAMAGED,
    PICL_FAULTS,
};
struct picl_reading;
/*
 * Adds a problem to the trace.  FIRST and SECOND are the two numbers in the sentence of the
 * fault (faults.c).  During a batch it is kept, so that problems are listed in order of
 * lines.
 */
void picl_report(struct picl_reading *reading, enum picl_fault fault, uint64_t line,
                 int64_t first, int64_t second);
/* Adds a problem at once. */
void picl_tell(struct picl_reading *reading, enum picl_fault fault, uint64_t line,
               int64_t first, int64_t second);

/* ---- Processors (records.c) ---- */

struct picl_numbers { /* a map from node numbers, mostly small and dense, to indices */
    uint32_t *direct;
    size_t n;
    struct weft_id_map far; /* numbers from PICL_MOST_DIRECT on */
};
enum { PICL_MOST_DIRECT = 1 << 20 };
static inline uint32_t picl_number_get(const struct picl_numbers *numbers, int64_t number)
{
    if (number >= 0 && (uint64_t)number < numbers->n)
        return numbers->direct[number];
    return number < PICL_MOST_DIRECT || !numbers->far.count
               ? WEFT_NONE
               : weft_id_map_get(&numbers->far, (uint64_t)number);
}
void picl_number_put(struct picl_numbers *numbers, int32_t number, uint32_t index);
void picl_numbers_free(struct picl_numbers *numbers);

enum picl_stack_kind { PICL_CALLS, PICL_TASKS, PICL_STACKS };

struct picl_frame { /* an entry whose exit has not been read */
    int64_t time;
    uint64_t line, id; /* id: of its state, or WEFT_NO_ID before that is in the store */
    int64_t values[PICL_VALUES];
    uint64_t operation;
    /* place of the entry among all records: PICL_ENTERED + their number before it */
    uint64_t order;
    const struct picl_key *of;
    int32_t key;
    uint32_t n_values;
    /* the entry's parameters if VALUES do not have them all, else WEFT_NONE */
    uint32_t text;
};

struct picl_stack {
    uint32_t track; /* WEFT_NONE: not made yet */
    uint32_t n;
    size_t capacity;
    struct picl_frame *frames;
};

struct picl_processor {
    int32_t number;
    uint32_t container;
    int64_t last; /* time of its latest record */
    uint64_t line;
    uint64_t tracing; /* line of the record that began tracing, until one ends it; else 0 */
    struct picl_stack stacks[PICL_STACKS];
    /* its first of PICL_EVENTS tracks in picl_reading.event_tracks, or WEFT_NONE */
    uint32_t events;
    struct weft_id_map requests; /* open requests by number; requests.c has the values */
    uint64_t posted;             /* number of its receives in posted.c */
    /* number of open ones that accept any source or tag */
    uint64_t open_of_any;
    /* communicator by group number, as this processor defined it */
    struct weft_id_map groups;
    /* index of its next collective operation, by communicator */
    struct weft_id_map next_operations;
};

/* ---- Texts (texts.c) ---- */

/*
 * Adds a record's parameters to the store's strings, with blanks for control characters.
 * Returns the index of the string.
 */
uint32_t picl_text_of(const struct picl_reading *reading, const struct picl_record *record);
/* The same for N values that are integers: "N 2 value-1 ... value-N". */
uint32_t picl_numbers_text(const struct picl_reading *reading, const int64_t *numbers,
                           uint32_t n);

/* ---- Messages (messages.c) ---- */

/* a send whose receive has not come yet, or a receive without its send */
struct picl_half {
    int64_t time;
    uint64_t entity, line;
    int64_t bytes;
    uint32_t next;
};

struct picl_channel { /* the halves that wait, of one source, destination, tag and group */
    int64_t tag;
    int32_t source, destination;
    uint32_t communicator;
    uint32_t first, last; /* halves; FIRST is WEFT_NONE in a free slot */
    bool receives;
};

struct picl_channels { /* channels.c */
    struct picl_channel *slots;
    size_t n, capacity;
};

struct picl_messages {
    struct picl_channels channels;
    struct picl_half *halves;
    size_t n_halves, half_capacity;
    uint32_t free;
};

struct picl_message {
    int32_t source, destination;
    int64_t tag, bytes, time;
    uint32_t communicator;
    uint64_t entity, line;
};
/*
 * Returns the slot of a channel, or the free one where it would be.  The table must have a
 * free slot.
 */
size_t picl_channels_find(const struct picl_channels *channels,
                          const struct picl_message *of);
/* The same, and makes room for one more channel, which may move all slots. */
size_t picl_channels_place(struct picl_channels *channels, const struct picl_message *of);
/* Puts a channel whose only half is FIRST into a free slot. */
void picl_channels_put(struct picl_channels *channels, size_t slot,
                       const struct picl_message *of, uint32_t first);
/* Frees a slot; other slots may move. */
void picl_channels_take_out(struct picl_channels *channels, size_t slot);
/* Returns a message that has only the source, destination, tag and group of a channel. */
struct picl_message picl_channel_name(const struct picl_channel *channel);

/*
 * Match the entry of a send, or the exit of a completed receive, and make the link; or keep
 * it until its other half comes.  Receives of one channel must come in the order in which
 * they were posted.
 */
void picl_send(struct picl_reading *reading, const struct picl_message *message);
void picl_receive(struct picl_reading *reading, const struct picl_message *message);
/* Call it after the last record: makes links with one end of all that was not matched. */
void picl_messages_end(struct picl_reading *reading);
void picl_messages_free(struct picl_messages *messages);

/* ---- Receives that were begun (posted.c) ---- */

enum picl_posted_state {
    PICL_POSTED_FREE,
    PICL_POSTED_OPEN,
    PICL_POSTED_COMPLETE,
    /* matched, but still in the list of a receive that held it back */
    PICL_POSTED_HANDED_ON,
};

/* Queues of receives in order of posting. */
enum picl_queue {
    PICL_IN_CHANNEL, /* receives of one channel, or open ones with the same wildcards */
    PICL_HELD_BACK,  /* complete receives that one open receive holds back */
    PICL_QUEUES
};

struct picl_place { /* links in such a queue, or WEFT_NONE */
    uint32_t previous, next, child;
};

struct picl_posted {
    /* what it asks for, -1 for any; once complete, the message that it got */
    struct picl_message message;
    uint64_t order; /* place in the order of posting; unique */
    struct picl_place places[PICL_QUEUES];
    /* first of the queue that it holds back; if free, the next free one + 1 */
    uint32_t holds;
    enum picl_posted_state state;
    bool held; /* an open receive holds it back */
};

struct picl_all_posted {
    struct picl_channels channels;
    struct picl_posted *all;
    size_t n, capacity;
    uint32_t free;
};

/*
 * queues.c: merges two queues, given by their first receives, and returns the first of the
 * result.  WEFT_NONE is an empty queue.
 */
uint32_t picl_queue_join(struct picl_posted *all, enum picl_queue queue, uint32_t a,
                         uint32_t b);
/* Takes INDEX out of the queue that begins with FIRST; returns the first of the rest. */
uint32_t picl_queue_take(struct picl_posted *all, enum picl_queue queue, uint32_t first,
                         uint32_t index);

/*
 * Posts a receive and returns its index.  SOURCE and TAG below 0 are wildcards.  ORDER is
 * PICL_ENTERED or more for an entry that was read; a receive whose entry is missing has a
 * smaller one, and so counts as posted before these.
 */
#define PICL_ENTERED (UINT64_C(1) << 63)
uint32_t picl_post(struct picl_reading *reading, struct picl_processor *processor,
                   int64_t tag, int64_t source, uint64_t order);
/* The posted receive got MESSAGE; it is passed on to picl_receive in its turn. */
void picl_complete(struct picl_reading *reading, struct picl_processor *processor,
                   uint32_t posted, const struct picl_message *message);
/* The posted receive got no message, or the trace does not say which. */
void picl_unpost(struct picl_reading *reading, struct picl_processor *processor,
                 uint32_t posted);
/* Posts and completes a receive that does both in one call. */
void picl_receive_at_once(struct picl_reading *reading, struct picl_processor *processor,
                          uint64_t order, const struct picl_message *message);
/* Call it after the last record: no open receive got a message. */
void picl_posted_end(struct picl_reading *reading);
void picl_posted_free(struct picl_all_posted *posted);

/* ---- Requests (requests.c) ---- */

/* The call of FRAME began REQUEST; if it is a receive, it is posted. */
void picl_begin_request(struct picl_reading *reading, struct picl_processor *processor,
                        const struct picl_frame *frame, int64_t request);
/*
 * The receive of REQUEST got MESSAGE.  Returns false if no posted receive has that number.
 */
bool picl_complete_request(struct picl_reading *reading, struct picl_processor *processor,
                           int64_t request, const struct picl_message *message);
/* A receive of REQUEST that is still posted got no message that the trace knows. */
void picl_forget_request(struct picl_reading *reading, struct picl_processor *processor,
                         int64_t request);
/* REQUEST is complete, and its number can be used again. */
void picl_end_request(struct picl_reading *reading, struct picl_processor *processor,
                      int64_t request, uint64_t line);

/* ---- Groups (groups.c) ---- */

struct picl_operation {
    int64_t first; /* time of the first entry */
    uint64_t line;
    int32_t root;
    uint32_t entered;
    uint16_t key; /* without its sign */
};

struct picl_communicator {
    int64_t group;
    uint32_t container, track; /* track of its operations, or WEFT_NONE */
    uint32_t n_members;        /* 0: unknown */
    struct picl_operation *operations;
    size_t n_operations, capacity;
};

struct picl_groups {
    /* the first is the world, made when a group is first needed */
    struct picl_communicator *all;
    size_t n, capacity;
    struct weft_text_map by_members; /* index by "number:members", of defined groups */
    /* index by number, of the latest definition that is of no processor */
    struct weft_id_map global;
};

/* Defines a group by a record that lists its members: for PROCESSOR, or for all if NULL. */
void picl_define_group(struct picl_reading *reading, const struct picl_record *record,
                       struct picl_processor *processor);
/*
 * Returns the communicator that a group number means to a processor: by its own definition,
 * else by one for all; an undefined 0 is the world.  Any other undefined group is reported
 * and made.
 */
uint32_t picl_group(struct picl_reading *reading, struct picl_processor *processor,
                    int64_t group, uint64_t line);
/*
 * A processor enters a collective operation: returns the id that the operation's event will
 * have.  ROOT is a node, or -1.
 */
uint64_t picl_join(struct picl_reading *reading, struct picl_processor *processor,
                   uint32_t communicator, const struct picl_frame *frame, int64_t root);
void picl_groups_end(struct picl_reading *reading);
void picl_groups_free(struct picl_groups *groups);

/* ---- Reading ---- */

enum picl_event_type {
    PICL_EVENT_MARK,
    PICL_EVENT_LABEL,
    PICL_EVENT_MESSAGE,
    PICL_EVENT_DATA,
    PICL_EVENT_RECORD,
    PICL_EVENTS
};

enum picl_field {
    /* calls */
    PICL_CALL_ENTRY,
    PICL_CALL_EXIT,
    PICL_CALL_REQUEST,
    PICL_CALL_OPERATION,
    PICL_CALL_BYTES,
    /* tasks */
    PICL_TASK_NUMBER,
    PICL_TASK_WORK,
    PICL_TASK_ENTRY,
    PICL_TASK_EXIT,
    /* messages */
    PICL_LINK_TAG,
    PICL_LINK_BYTES,
    PICL_LINK_COMMUNICATOR,
    PICL_LINK_PEER,
    /* operations, and definitions of groups */
    PICL_OPERATION_ROOT,
    PICL_DEFINITION_KEY,
    /* facts of containers */
    PICL_PROCESSOR_RANK,
    PICL_COMMUNICATOR_NUMBER,
    PICL_COMMUNICATOR_MEMBERS,
    PICL_FIELDS,
};

extern const char *const picl_event_names[PICL_EVENTS];

struct picl_types {
    uint32_t processor, communicator, stacks[PICL_STACKS], events[PICL_EVENTS], message,
        operation, definition;
    uint32_t fields[PICL_FIELDS];
    uint32_t event_numbers[PICL_EVENTS], event_parameters[PICL_EVENTS];
    /* values of calls by key without its sign; WEFT_NONE: not made yet */
    uint32_t calls[PICL_KEYS];
    struct weft_text_map values; /* other values, by type, record type and key */
};

struct picl_found {
    enum picl_fault fault;
    uint64_t line;
    int64_t first, second;
    size_t number; /* how many were found before it */
};

struct picl_batch { /* records that wait to be added processor by processor (batch.c) */
    struct picl_record *records;
    uint32_t *processors; /* index of each record's processor */
    size_t n;
    bool defers; /* picl_report keeps faults until the batch has ended */
    struct picl_found *faults;
    size_t n_faults, fault_capacity;
};

struct picl_reading {
    struct weft_builder *builder;
    /* once it is cancelled, records are left out; may be NULL */
    const struct weft_job *job;
    struct picl_types types;
    struct picl_processor *processors;
    size_t n_processors, processor_capacity;
    struct picl_numbers by_number;
    uint32_t *event_tracks;
    size_t n_event_tracks, event_track_capacity;
    struct picl_messages messages;
    struct picl_all_posted posted;
    struct picl_groups groups;
    struct picl_batch batch;
    uint64_t records;
    uint64_t looks;  /* open frames that exits were compared with */
    uint64_t handed; /* how often a complete receive became held back by an open one */
    /* earliest time in the first bytes of the file; communicators begin then */
    int64_t begin;
};

/* Makes the types and fields of the store. */
void picl_begin(struct picl_reading *reading, struct weft_builder *builder);
/*
 * Returns the processor of a node number, which is made at TIME if it is new.  Making one
 * may move all others.
 */
struct picl_processor *picl_processor(struct picl_reading *reading, int32_t number,
                                      int64_t time);
/* The same, but returns NULL if there is none. */
struct picl_processor *picl_processor_find(const struct picl_reading *reading,
                                           int64_t number);
/*
 * Adds a record to the store.  Its time must not be before that of its processor's last
 * one.
 */
void picl_add(struct picl_reading *reading, const struct picl_record *record);
/*
 * Adds a record when its batch ends; the text of its parameters must stay valid until then.
 */
void picl_batch_add(struct picl_reading *reading, const struct picl_record *record);
/*
 * Adds all records of the batch to the store, then reports their faults in order of lines.
 */
void picl_batch_end(struct picl_reading *reading);
/* Keeps a fault until the batch ends. */
void picl_batch_fault(struct picl_reading *reading, enum picl_fault fault, uint64_t line,
                      int64_t first, int64_t second);
void picl_batch_free(struct picl_batch *batch);
/*
 * Call it after the last record: stores entries that were never left, unmatched halves of
 * messages, and the collective operations.
 */
void picl_end(struct picl_reading *reading);
void picl_free(struct picl_reading *reading);
/*
 * Returns the value of a type for a key, and makes it if it is new: it is called NAME, or
 * if that is NULL, NOUN and the key.  Its alias is the key, which the writer needs.
 */
uint32_t picl_value(struct picl_reading *reading, uint32_t type, const char *name,
                    const char *noun, int32_t key, enum weft_role role);
uint32_t picl_event_value(struct picl_reading *reading, enum picl_event_type type,
                          const struct picl_record *record);

/* ---- Order (order.c) ---- */

enum picl_order {
    PICL_IN_ORDER,     /* the records of each node are in order of time */
    PICL_CONCATENATED, /* several such traces, one after the other */
    PICL_UNSORTED,
};

/* Learns how the records of a file are ordered while they are read. */
struct picl_survey {
    struct picl_numbers index; /* index in SEEN, by node */
    struct picl_seen *seen;
    size_t n, capacity;
    uint64_t records, disorder;
    uint32_t epoch; /* traces that ended before this one */
    /* latest time of all records; ticks to add to times of this epoch */
    int64_t latest, shift;
    int32_t node;
    bool by_time, by_node;
    bool brackets;  /* some record begins or ends tracing (key -901) */
    bool one_trace; /* a step back in time is never the begin of another trace */
};

enum picl_step {
    PICL_STEP_ON,
    PICL_STEP_NEW,  /* the first record of another trace */
    PICL_STEP_BACK, /* its time is before that of an earlier record of its node */
    /* in order for its node, but the file is neither in order of time nor node by node */
    PICL_STEP_UNSORTED,
};
void picl_survey_begin(struct picl_survey *survey);
/* Takes a record into account.  Its time is shifted so that traces follow one another. */
enum picl_step picl_survey_add(struct picl_survey *survey, struct picl_record *record);
enum picl_order picl_survey_end(const struct picl_survey *survey);
void picl_survey_free(struct picl_survey *survey);

extern const struct weft_reader weft_reader_picl;

#endif
