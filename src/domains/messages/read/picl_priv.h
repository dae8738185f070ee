/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PICL traces, as MPICL writes them and ParaGraph reads them (Heath and Finger, "ParaGraph: a
 * performance visualization tool for MPI", appendix D), and the older ones of PICL itself.  A
 * line is a record:
 *
 *     record-type key time node process n [type value-1 ... value-n]
 *
 * Record types are -2 mark, -3 entry, -4 exit, -5 label, -6 data, -7 message and -202 the
 * members of a group; the key says of what: a call of the library when it is negative (keys.c),
 * a number of the user's when it is not.  Times are seconds.  Positive record types are those
 * of old traces (old.c).
 *
 * What becomes of it is in ARCHITECTURE.md, "Messages".  Beyond that, a parameter that the
 * shape of its key does not account for is kept as it stands, as the text "entry" or "exit" of
 * the state, or "parameters" of the event, so that the trace can be written again
 * (write/picl.h).
 *
 *   picl.c        the file: lines, one reading after another, what the reader is called
 *   lex.c         a line to a record
 *   quick.c       the same for lines as programs write them
 *   old.c         a line of an old trace to a record
 *   batch.c       records, put together by their processors
 *   keys.c        the calls of the library and what they mean
 *   order.c       in which order the records of a file stand, and sorting them
 *   types.c       what the store is told of names, and processors by their numbers
 *   records.c     records to states and events of their processor
 *   texts.c       parameters that no shape accounts for, as texts
 *   requests.c    what is begun under a number
 *   posted.c      receives, from their begin to when it is known which message they got
 *   queues.c      the first of such receives
 *   messages.c    sends and receives to links
 *   channels.c    sources, destinations and tags that have such halves
 *   groups.c      groups to communicators, calls to collective operations
 *   faults.c      what may be wrong
 *
 * Memory: what the builder takes, a few hundred bytes a processor, 48 bytes a message that was
 * sent and not received yet (in a file in node order, that of all processors so far), 128 bytes
 * a receive that was begun and is not complete or that follows such a one which might have got
 * its message, 24 bytes a collective operation, and 12 MB for text and a batch of records.
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
    uint32_t
        n_values; /* words behind the type word that are there, at most what was announced */
    bool rounded;           /* the time has more digits than are kept */
    bool untyped;           /* the word before the values is missing */
    bool integers;          /* the first PICL_VALUES of them all are */
    const char *parameters; /* from the number of values to the end of the line */
    uint32_t length;
    uint64_t line;
};

enum picl_lexed {
    PICL_RECORD,
    PICL_BLANK,     /* nothing on the line, or a comment */
    PICL_IGNORED,   /* of the host, or of an old trace's kind that says nothing */
    PICL_BAD_WORDS, /* fewer words than a record has, or than it announces */
    PICL_BAD_NUMBER,
    PICL_BAD_TIME,
    PICL_MANY_WORDS, /* a record; words that it does not announce are left out */
};
/* The text must be readable for 8 bytes beyond END. */
enum picl_lexed picl_lex(struct paje_clock *clock, const char *at, const char *end,
                         struct picl_record *record);
/*
 * The same for a line without faults that is written as programs do it, whose end is not known
 * yet: returns its newline, or NULL: it must be asked of the other one.  A newline must follow
 * AT, and 8 bytes beyond it.
 */
const char *picl_lex_quick(const struct paje_clock *clock, const char *at,
                           struct picl_record *record);
/* Are the parameters of this key a text, or without their number before them? */
bool picl_has_text(const struct picl_record *record);
/* The same, when the record's type is positive or a word. */
enum picl_lexed picl_lex_old(struct paje_clock *clock, const char *at, const char *end,
                             struct picl_record *record);
const char *picl_old_name(int32_t type); /* NULL: none of an old trace */
/* The next integer of parameters; false at the end, and at a word that is none. */
bool picl_next_integer(const char **at, const char *end, int64_t *number);
/* The first value of a record as a number. */
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
/* The sentence of a fault takes two numbers. */
void picl_report(struct picl_reading *reading, enum picl_fault fault, uint64_t line,
                 int64_t first, int64_t second);
/* The same without waiting for the end of a batch. */
void picl_tell(struct picl_reading *reading, enum picl_fault fault, uint64_t line,
               int64_t first, int64_t second);

/* ---- Processors (records.c) ---- */

struct picl_numbers { /* from numbers of nodes, which are small and dense, to indices */
    uint32_t *direct;
    size_t n;
    struct weft_id_map far; /* those beyond PICL_MOST_DIRECT */
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

struct picl_frame { /* an entry whose exit has not come */
    int64_t time;
    uint64_t line, id; /* id: once it is in the store, else WEFT_NO_ID */
    int64_t values[PICL_VALUES];
    uint64_t operation;
    uint64_t order; /* of the entry, among all of the trace's */
    const struct picl_key *of;
    int32_t key;
    uint32_t n_values;
    uint32_t text; /* the entry's parameters, where the shape does not say them */
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
    uint64_t tracing; /* line where its tracing begins, until it ends; else 0 */
    struct picl_stack stacks[PICL_STACKS];
    uint32_t
        events; /* track of each event type, from here on in picl_reading.event_tracks */
    struct weft_id_map requests; /* that are open, by number; requests.c says to what */
    uint64_t posted;             /* receives in posted.c */
    uint64_t open_of_any;        /* of them: those of any source or tag that are open */
    struct weft_id_map groups;   /* communicators that it means, by the group's number */
    struct weft_id_map next_operations; /* its next one, by communicator */
};

/* ---- Texts (texts.c) ---- */

/* A record's parameters as they stand, with blanks for control characters: a string. */
uint32_t picl_text_of(const struct picl_reading *reading, const struct picl_record *record);
/* The parameters that N integers are. */
uint32_t picl_numbers_text(const struct picl_reading *reading, const int64_t *numbers,
                           uint32_t n);

/* ---- Messages (messages.c) ---- */

struct picl_half { /* a send without its receive, or the other way round */
    int64_t time;
    uint64_t entity, line;
    int64_t bytes;
    uint32_t next;
};

struct
    picl_channel { /* where such halves wait: of one source, destination, tag and group */
    int64_t tag;
    int32_t source, destination;
    uint32_t communicator;
    uint32_t first, last; /* halves; first WEFT_NONE: the slot is free */
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
/* The slot of a channel, or the free one where it would be.  There is room already. */
size_t picl_channels_find(const struct picl_channels *channels,
                          const struct picl_message *of);
/* The same, and makes room for one more, which moves all of them. */
size_t picl_channels_place(struct picl_channels *channels, const struct picl_message *of);
/* Put a channel with one half into a free slot. */
void picl_channels_put(struct picl_channels *channels, size_t slot,
                       const struct picl_message *of, uint32_t first);
/* Free a slot in use; others may move. */
void picl_channels_take_out(struct picl_channels *channels, size_t slot);
/* A message with the source, destination, tag and group of a channel. */
struct picl_message picl_channel_name(const struct picl_channel *channel);

/*
 * The entry of a send, or the exit of what received: links it with the other, or keeps it.
 * Receives of a channel come in the order in which they were posted.
 */
void picl_send(struct picl_reading *reading, const struct picl_message *message);
void picl_receive(struct picl_reading *reading, const struct picl_message *message);
/* After the last record: what found no other end. */
void picl_messages_end(struct picl_reading *reading);
void picl_messages_free(struct picl_messages *messages);

/* ---- Receives that were begun (posted.c) ---- */

enum picl_posted_state {
    PICL_POSTED_FREE,
    PICL_POSTED_OPEN,
    PICL_POSTED_COMPLETE,
    PICL_POSTED_HANDED_ON, /* but it is still in the list of what was held back */
};

/* What receives wait in, each with others in order of posting. */
enum picl_queue {
    PICL_IN_CHANNEL, /* those of its channel, or those that ask for any as it does */
    PICL_HELD_BACK,  /* complete ones that one that is open holds back */
    PICL_QUEUES
};

struct picl_place { /* in such a queue; WEFT_NONE: none */
    uint32_t previous, next, child;
};

struct picl_posted {
    struct picl_message
        message;    /* what it asks for, -1 for any; when complete: what it got */
    uint64_t order; /* no two have the same */
    struct picl_place places[PICL_QUEUES];
    uint32_t holds; /* the first of the complete ones that it holds back; free: the next */
    enum picl_posted_state state;
    bool held; /* in the list of one that holds it back */
};

struct picl_all_posted {
    struct picl_channels channels;
    struct picl_posted *all;
    size_t n, capacity;
    uint32_t free;
};

/* (queues.c) The first of two queues that become one; WEFT_NONE is an empty one. */
uint32_t picl_queue_join(struct picl_posted *all, enum picl_queue queue, uint32_t a,
                         uint32_t b);
/* INDEX leaves the queue that begins with FIRST: what it begins with then. */
uint32_t picl_queue_take(struct picl_posted *all, enum picl_queue queue, uint32_t first,
                         uint32_t index);

/*
 * ORDER is that of the entries that post, from PICL_ENTERED on; below are those whose entry is not
 * known.  SOURCE and TAG below 0 are any.
 */
#define PICL_ENTERED (UINT64_C(1) << 63)
uint32_t picl_post(struct picl_reading *reading, struct picl_processor *processor,
                   int64_t tag, int64_t source, uint64_t order);
/* What was posted got this message ... */
void picl_complete(struct picl_reading *reading, struct picl_processor *processor,
                   uint32_t posted, const struct picl_message *message);
/* ... or none, or nobody will know. */
void picl_unpost(struct picl_reading *reading, struct picl_processor *processor,
                 uint32_t posted);
/* A receive that is posted and complete in one call. */
void picl_receive_at_once(struct picl_reading *reading, struct picl_processor *processor,
                          uint64_t order, const struct picl_message *message);
/* After the last record: what is open has got no message. */
void picl_posted_end(struct picl_reading *reading);
void picl_posted_free(struct picl_all_posted *posted);

/* ---- Requests (requests.c) ---- */

/* The call that FRAME is of began something under this number; a receive is posted now. */
void picl_begin_request(struct picl_reading *reading, struct picl_processor *processor,
                        const struct picl_frame *frame, int64_t request);
/* The receive got this message; false: no receive that is posted has the number. */
bool picl_complete_request(struct picl_reading *reading, struct picl_processor *processor,
                           int64_t request, const struct picl_message *message);
/* If it is a receive that is still posted, it has got no message that anybody will know of. */
void picl_forget_request(struct picl_reading *reading, struct picl_processor *processor,
                         int64_t request);
/* The number is free again. */
void picl_end_request(struct picl_reading *reading, struct picl_processor *processor,
                      int64_t request, uint64_t line);

/* ---- Groups (groups.c) ---- */

struct picl_operation {
    int64_t first; /* time of the first entry */
    uint64_t line;
    int32_t root;
    uint32_t entered;
    uint16_t key; /* less its sign */
};

struct picl_communicator {
    int64_t group;
    uint32_t container, track; /* track: WEFT_NONE, or that of its operations */
    uint32_t n_members;        /* 0: not known */
    struct picl_operation *operations;
    size_t n_operations, capacity;
};

struct picl_groups {
    struct picl_communicator *all; /* 0: the world, once somebody uses it */
    size_t n, capacity;
    struct weft_text_map by_members; /* of those that are defined */
    struct weft_id_map global;       /* by number: defined for all, the latest */
};

/* A record that names the members of a group. */
void picl_define_group(struct picl_reading *reading, const struct picl_record *record,
                       struct picl_processor *processor);
/* What a processor means by a group's number. */
uint32_t picl_group(struct picl_reading *reading, struct picl_processor *processor,
                    int64_t group, uint64_t line);
/* A processor enters a collective operation: the id of the event that stands for it. */
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
    /* of calls */
    PICL_CALL_ENTRY,
    PICL_CALL_EXIT,
    PICL_CALL_REQUEST,
    PICL_CALL_OPERATION,
    PICL_CALL_BYTES,
    /* of tasks */
    PICL_TASK_NUMBER,
    PICL_TASK_WORK,
    PICL_TASK_ENTRY,
    PICL_TASK_EXIT,
    /* of messages */
    PICL_LINK_TAG,
    PICL_LINK_BYTES,
    PICL_LINK_COMMUNICATOR,
    PICL_LINK_PEER,
    /* of operations and of a group's definition */
    PICL_OPERATION_ROOT,
    PICL_DEFINITION_KEY,
    /* facts */
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
    uint32_t calls[PICL_KEYS];   /* values of the calls, by the key without its sign */
    struct weft_text_map values; /* the others, by type, record type and key */
};

struct picl_found {
    enum picl_fault fault;
    uint64_t line;
    int64_t first, second;
    size_t number; /* in the order in which they were found */
};

struct picl_batch { /* records that wait for others of their processor (batch.c) */
    struct picl_record *records;
    uint32_t *processors; /* of the records: indices */
    size_t n;
    bool defers; /* faults are kept until the batch has ended */
    struct picl_found *faults;
    size_t n_faults, fault_capacity;
};

struct picl_reading {
    struct weft_builder *builder;
    const struct weft_job *job; /* once it is cancelled records are left out; or NULL */
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
    uint64_t looks;  /* at open frames */
    uint64_t handed; /* complete receives from one that held them back to another */
    int64_t begin;   /* of the first bytes' records; communicators are there from then on */
};

/* Make the types. */
void picl_begin(struct picl_reading *reading, struct weft_builder *builder);
/* The processor of a number: found, or made at TIME. */
struct picl_processor *picl_processor(struct picl_reading *reading, int32_t number,
                                      int64_t time);
/* The same, but NULL when there is none. */
struct picl_processor *picl_processor_find(const struct picl_reading *reading,
                                           int64_t number);
/* Put a record into the store.  Its time is not before that of its processor's latest. */
void picl_add(struct picl_reading *reading, const struct picl_record *record);
/* The same at the end of its batch: what its parameters point to must stay until then. */
void picl_batch_add(struct picl_reading *reading, const struct picl_record *record);
/* Put into the store what waits for it, and list what was wrong with it. */
void picl_batch_end(struct picl_reading *reading);
/* Keep a fault until the batch ends. */
void picl_batch_fault(struct picl_reading *reading, enum picl_fault fault, uint64_t line,
                      int64_t first, int64_t second);
void picl_batch_free(struct picl_batch *batch);
/* After the last record. */
void picl_end(struct picl_reading *reading);
void picl_free(struct picl_reading *reading);
/*
 * The value of a type for a key, made when it is needed: NAME, or NOUN and the key.  Its alias
 * is the key, which the writer needs.
 */
uint32_t picl_value(struct picl_reading *reading, uint32_t type, const char *name,
                    const char *noun, int32_t key, enum weft_role role);
uint32_t picl_event_value(struct picl_reading *reading, enum picl_event_type type,
                          const struct picl_record *record);

/* ---- Order (order.c) ---- */

enum picl_order {
    PICL_IN_ORDER,     /* each processor's records are in order of time */
    PICL_CONCATENATED, /* several such traces, one behind the other */
    PICL_UNSORTED,
};

/* What is known of the order of a file's records while they come. */
struct picl_survey {
    struct picl_numbers index; /* in seen, by node */
    struct picl_seen *seen;
    size_t n, capacity;
    uint64_t records, disorder;
    uint32_t epoch;        /* traces before this one */
    int64_t latest, shift; /* of all; what is added to times of this epoch */
    int32_t node;
    bool by_time, by_node;
    bool brackets;  /* some node says where its tracing begins or ends */
    bool one_trace; /* what goes back is never the begin of another trace */
};

enum picl_step {
    PICL_STEP_ON,
    PICL_STEP_NEW,      /* the first record of another trace */
    PICL_STEP_BACK,     /* before an earlier record of its node */
    PICL_STEP_UNSORTED, /* fine for its node, but the file is in order of neither */
};
void picl_survey_begin(struct picl_survey *survey);
/* Take a record in; its time becomes that of one run. */
enum picl_step picl_survey_add(struct picl_survey *survey, struct picl_record *record);
enum picl_order picl_survey_end(const struct picl_survey *survey);
void picl_survey_free(struct picl_survey *survey);

extern const struct weft_reader weft_reader_picl;

#endif
