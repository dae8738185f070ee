/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads PICL traces: those that MPICL writes and ParaGraph reads (Heath and Finger,
 * "ParaGraph: a performance visualization tool for MPI", appendix D), and the older ones of
 * PICL itself.  A line is a record:
 *
 *     record-type key time node process n [type value-1 ... value-n]
 *
 * Record types are -2 mark, -3 entry, -4 exit, -5 label, -6 data, -7 message and -202 the
 * members of a group.  A negative key is a call of the library (picl_keys.c), any other a
 * number that the user chose.  Times are seconds.  Positive record types are those of old
 * traces (lex_old.c).
 *
 * doc/dev/messages.md says how the store represents a run.  Beyond that, a parameter that
 * the shape of its key does not account for is kept verbatim, as the text "entry" or "exit"
 * of the state, or "parameters" of the event, so that the trace can be written again
 * (write/picl.h).
 *
 *   picl.c               reads a file line by line, again if it was read under wrong
 *                        assumptions
 *   lex.c                parses a line
 *   lex_quick.c          parses lines in the form that programs write, faster
 *   lex_old.c            parses a line of an old trace
 *   processor_batches.c  groups records by processor
 *   picl_keys.c          describes the calls of the library
 *   sortedness.c         finds out how the records of a file are ordered
 *   picl_store_types.c   makes the types and values of the store, and the processors
 *   picl_states_and_events.c
 *                        turns records into states and events of their processor
 *   parameter_texts.c    keeps parameters of a record as texts
 *   requests.c           maps the numbers of requests to the receives that they began
 *   posted_receives.c    holds posted receives until it is known which message each got
 *   posted_receive_heaps.c
 *                        priority queues of posted receives, in order of posting
 *   match_messages.c     matches sends with receives and makes links
 *   channel_table.c      hash table of unmatched messages by source, destination, tag and
 *                        group
 *   groups.c             turns groups into communicators and calls into collective
 *                        operations
 *   faults.c             has the text of every problem
 *
 * Memory: what the builder takes, a few hundred bytes a processor, 48 bytes a message that
 * was sent and not received yet (in a file in node order, all messages of the processors so
 * far), 128 bytes a receive that is posted and incomplete, or complete but held back by
 * such a one, 24 bytes a collective operation, and 12 MB for text and a batch of records.
 */
#ifndef WEFT_READ_PICL_PRIV_H
#define WEFT_READ_PICL_PRIV_H

#include "base/hash_map.h"
#include "domains/messages/read/picl_keys.h"
#include "read/paje/number.h"
#include "read/reader.h"

/* ---- Records (lex.c, lex_old.c) ---- */

/*
 * A line of the trace, parsed; `parameters` points into its text, or in a line of an old
 * trace to the constant "0".
 */
struct picl_record {
    int64_t time; /* ticks of the clock that parsed it */
    /* by enum picl_shape for calls; no meaning for words that are no integers */
    int64_t values[PICL_VALUES];
    int32_t type, key, node; /* TYPE: enum picl_record_type, or another number */
    uint32_t n_values;       /* also counts values beyond PICL_VALUES */
    bool rounded;           /* the time has more digits than can be kept, and was rounded */
    bool untyped;           /* the type word before the values is missing */
    bool integers;          /* all that are in `values` are integers */
    const char *parameters; /* from the number of values to the end of the line */
    uint32_t length;        /* bytes of `parameters` */
    uint64_t line;          /* its number in the file, from 1 */
};

/* The result of parsing a line. */
enum picl_lexed {
    PICL_RECORD,     /* a record without fault */
    PICL_BLANK,      /* an empty line, or a comment */
    PICL_IGNORED,    /* a record of the host; in old traces also one of a negative node */
    PICL_BAD_WORDS,  /* fewer words than a record has or announces */
    PICL_BAD_NUMBER, /* a word that should be an integer is none, or too large */
    PICL_BAD_TIME,   /* the time is no number, or too large */
    PICL_MANY_WORDS, /* a record; words beyond the announced ones are left out */
};
/*
 * Parses the line from AT to END into *RECORD, except for record->line.  The text must be
 * readable for 8 bytes beyond END, and live as long as record->parameters, which points
 * into it, is used.  CLOCK, which gives ticks a second, notes the decimals of the time.
 * *RECORD is valid if the result is PICL_RECORD or PICL_MANY_WORDS.  A line that does not
 * begin with '-' goes to picl_lex_old.
 */
enum picl_lexed picl_lex(struct paje_clock *clock, const char *at, const char *end,
                         struct picl_record *record);
/*
 * Parses the line from AT into *RECORD, except for record->line, if it is faultless and in
 * the form that programs write, faster than picl_lex; its end need not be known.  CLOCK
 * gives ticks a second.  Returns a pointer to the newline that ends it, or NULL if the line
 * is not of that form: it must go to picl_lex then.  There must be a newline at AT or
 * behind it, and 8 readable bytes behind that.
 */
const char *picl_lex_quick(const struct paje_clock *clock, const char *at,
                           struct picl_record *record);
/*
 * Returns true if a record of this type and key has parameters that are a text, or do not
 * begin with the number of values.
 */
bool picl_has_text(const struct picl_record *record);
/*
 * Parses the line from AT to END, of a trace of the first PICL: its record type is positive
 * or a word.  Translates it into a record of today's types in *RECORD, with line 0.  CLOCK
 * gives the decimals of ticks.  *RECORD is valid if the result is PICL_RECORD.
 */
enum picl_lexed picl_lex_old(struct paje_clock *clock, const char *at, const char *end,
                             struct picl_record *record);
/*
 * Returns the name of the record type of old traces that TYPE stands for: number N is kept
 * as TYPE = -PICL_OLD - N.  NULL if there is none.
 */
const char *picl_old_name(int32_t type);
/*
 * Parses the next word, of at most 18 digits and a sign, into *NUMBER, and moves *AT behind
 * it.  Returns false, *AT unchanged and *NUMBER undefined, at END and at any other word.
 */
bool picl_next_integer(const char **at, const char *end, int64_t *number);
/*
 * Sets *NUMBER to the first value among the record's parameters, "n type value ...", as a
 * real number; returns false, *NUMBER as it was, if there is none, or it is no number.
 */
bool picl_first_real(const struct picl_record *record, double *number);
/* Returns true if C separates words: a blank or control character. */
bool picl_is_blank(char c);

/* ---- Faults (faults.c) ---- */

/* The problems that a trace can have; faults.c has the kind and the sentence of each. */
enum picl_fault {
    PICL_FAULT_RECORD,      /* a line with too few words */
    PICL_FAULT_NUMBER,      /* a word that should be an integer is none, or too large */
    PICL_FAULT_TIME,        /* a time that is no number, or too large */
    PICL_FAULT_ROUNDED,     /* a time with more digits than are kept */
    PICL_FAULT_MORE_WORDS,  /* more words than the record announces */
    PICL_FAULT_LONG_LINE,   /* a line that is too long */
    PICL_FAULT_RECORD_TYPE, /* an unknown record type */
    PICL_FAULT_NODE,        /* a node's number that no processor has */
    PICL_FAULT_VALUES,      /* values that do not fit the key */
    PICL_FAULT_UNSORTED, /* a record before an earlier one of its node, or out of order */
    PICL_FAULT_CONCATENATED, /* another trace begins */
    PICL_FAULT_CUT,          /* the last line has no end, and is no whole record */
    PICL_FAULT_UNFINISHED,   /* the last line has no end, but is a record */
    PICL_FAULT_EXIT,         /* an exit without an entry */
    PICL_FAULT_NESTING,      /* an exit while later entries are open */
    PICL_FAULT_DEEP,         /* an entry in too many others */
    PICL_FAULT_OPEN,         /* an entry without an exit */
    PICL_FAULT_UNSENT,       /* a receive without a send */
    PICL_FAULT_UNRECEIVED,   /* a send without a receive */
    PICL_FAULT_TACHYON,      /* a message that arrives before it was sent */
    PICL_FAULT_REQUEST,      /* a request that is not open */
    PICL_FAULT_HELD,  /* too many receives held back by others: matching may be wrong */
    PICL_FAULT_GROUP, /* a group that was not defined */
    PICL_FAULT_INCOMPLETE, /* a collective operation that some members did not enter */
    PICL_FAULT_EMPTY,      /* no records */
    PICL_FAULT_DAMAGED,    /* damaged compression */
    PICL_FAULTS,           /* the number of kinds */
};
struct picl_import;
/*
 * Adds the problem FAULT in LINE to the trace, or while records are added processor by
 * processor (batch.defers) keeps it, so that problems are listed in order of lines.  FIRST
 * and SECOND are the two numbers in the fault's sentence (faults.c).
 */
void picl_report(struct picl_import *import, enum picl_fault fault, uint64_t line,
                 int64_t first, int64_t second);
/*
 * Adds the problem FAULT in LINE to the trace, at once.  FIRST and SECOND are the two
 * numbers in the fault's sentence (faults.c).
 */
void picl_tell(struct picl_import *import, enum picl_fault fault, uint64_t line,
               int64_t first, int64_t second);

/* ---- Processors (picl_store_types.c) ---- */

/* A map from node numbers, mostly small and dense, to indices; zeroed: empty. */
struct picl_numbers {
    uint32_t *direct; /* [n]: by number; WEFT_NONE: not in the map */
    size_t n;
    struct weft_id_map far; /* numbers from PICL_MAX_DIRECT on */
};
enum { PICL_MAX_DIRECT = 1 << 20 }; /* the least number that picl_numbers.far maps */
/* Returns the index that picl_number_put gave to node NUMBER; WEFT_NONE: none. */
static inline uint32_t picl_number_get(const struct picl_numbers *numbers, int64_t number)
{
    if (number >= 0 && (uint64_t)number < numbers->n)
        return numbers->direct[number];
    return number < PICL_MAX_DIRECT || !numbers->far.count
               ? WEFT_NONE
               : weft_id_map_get(&numbers->far, (uint64_t)number);
}
/* Maps node NUMBER, at least 0, to INDEX, in place of any index before. */
void picl_number_put(struct picl_numbers *numbers, int32_t number, uint32_t index);
/* Frees what the map holds, not NUMBERS itself. */
void picl_numbers_free(struct picl_numbers *numbers);

/* The stacks of a processor: calls of the library, and tasks of the user. */
enum picl_stack_kind { PICL_CALLS, PICL_TASKS, PICL_STACKS };

/* An entry whose exit has not been read. */
struct picl_frame {
    int64_t time;
    uint64_t line, id; /* id: of its state, or WEFT_NO_ID before that is in the store */
    int64_t values[PICL_VALUES]; /* of the entry record */
    uint64_t operation; /* id of the event of its collective operation, or WEFT_NO_ID */
    uint64_t order;     /* PICL_ENTERED + number of its record in the trace, from 1 */
    const struct picl_key *of; /* description of its key; NULL for a task */
    int32_t key;               /* of a call negative, of a task the user's number */
    uint32_t n_values;         /* 0 if they do not fit the key's shape */
    /*
     * Index of a string of the store: the record's parameters, if `values` do not have them
     * all; else WEFT_NONE.
     */
    uint32_t text;
};

/* The entries of a processor, of calls or of tasks, whose exits have not been read. */
struct picl_stack {
    uint32_t track; /* of its states, in the store; WEFT_NONE: not made yet */
    uint32_t n;
    size_t capacity;
    struct picl_frame *frames; /* [n]: open entries, the innermost last */
};

/* A processor, made by picl_processor, freed by picl_free. */
struct picl_processor {
    int32_t number;     /* of its node, in the file */
    uint32_t container; /* in the store */
    int64_t last;       /* time of its latest record */
    uint64_t line;      /* line of its latest record */
    uint64_t tracing; /* line of the record that began tracing, until one ends it; else 0 */
    struct picl_stack stacks[PICL_STACKS];
    /* index in picl_import.event_tracks of its PICL_EVENTS tracks, or WEFT_NONE */
    uint32_t events;
    /*
     * Open requests, by number: 0, or 1 + the index in picl_all_posted.all of the receive
     * that is still posted under it.
     */
    struct weft_id_map requests;
    uint64_t posted;      /* number of its receives that picl_import.posted holds */
    uint64_t open_of_any; /* number of these that are open, of any source or any tag */
    /* by group number: index in picl_groups.all, as this processor defined it */
    struct weft_id_map groups;
    /*
     * By index in picl_groups.all: index in picl_communicator.operations of the first
     * operation that it may enter next.
     */
    struct weft_id_map next_operations;
};

/* ---- Texts (parameter_texts.c) ---- */

/*
 * Adds a record's parameters, control characters replaced by blanks, to the strings of the
 * store, and returns the index of the string there.
 */
uint32_t picl_text_of(const struct picl_import *import, const struct picl_record *record);
/*
 * Adds the text of a record's values, "N 2 NUMBERS[0] NUMBERS[1] ...", N <= PICL_VALUES, to
 * the strings of the store, and returns the index of the string there.
 */
uint32_t picl_numbers_text(const struct picl_import *import, const int64_t *numbers,
                           uint32_t n);

/* ---- Messages (match_messages.c) ---- */

/* A send whose receive has not been read yet, or the reverse. */
struct picl_half {
    int64_t time;          /* of the send's entry, or of the receive's exit */
    uint64_t entity, line; /* id of its call's state, or WEFT_NO_ID; its line */
    int64_t bytes;         /* length of the message */
    /* index of the next in its channel, or WEFT_NONE; if free, of the next free one + 1 */
    uint32_t next;
};

/*
 * Unmatched halves of one source, destination, tag and communicator; also a queue of posted
 * receives (picl_all_posted).
 */
struct picl_channel {
    int64_t tag;
    /* nodes; a destination of PICL_ALL: all others, in old traces */
    int32_t source, destination;
    /* index in picl_groups.all; of posted receives 0, or 1 for those with wildcards */
    uint32_t communicator;
    /*
     * Indices in picl_messages.halves, or in picl_all_posted.all, where LAST is not used;
     * FIRST is WEFT_NONE in a free slot.
     */
    uint32_t first, last;
    bool receives; /* the halves are receives, else sends */
};

/*
 * A hash table of channels (channel_table.c).  A zeroed one is empty:
 * picl_channels_place() may be called on it, picl_channels_find() only after that.
 */
struct picl_channels {
    struct picl_channel *slots; /* [capacity], a power of two */
    size_t n, capacity;         /* N: channels in it, at most half of the slots */
};

/*
 * Sends and receives that wait for each other; zeroed: none; freed by picl_messages_free.
 */
struct picl_messages {
    struct picl_channels channels;
    struct picl_half *halves;
    size_t n_halves, half_capacity;
    uint32_t free; /* index of the first free half + 1; 0: none */
};

/* A send or a complete receive; a plain value. */
struct picl_message {
    int32_t source, destination; /* nodes; destination may be PICL_ALL */
    int64_t tag, bytes, time;    /* TIME: of the send's entry, or of the receive's exit */
    uint32_t communicator;       /* index in picl_groups.all */
    uint64_t entity, line;       /* id of its call's state, or WEFT_NO_ID; its line */
};
/*
 * Returns the index in channels->slots of the channel with the source, destination, tag and
 * communicator of OF, or the free slot where it would be.  The table must have a free slot.
 */
size_t picl_channels_find(const struct picl_channels *channels,
                          const struct picl_message *of);
/*
 * Returns the index in channels->slots of the channel with the source, destination, tag and
 * communicator of OF, or the free slot where picl_channels_put may put it.  Enlarges the
 * table if needed, which may move all slots.
 */
size_t picl_channels_place(struct picl_channels *channels, const struct picl_message *of);
/*
 * Puts a channel with the source, destination, tag and communicator of OF into SLOT, which
 * is free; its only half has the index FIRST, and counts as a send.
 */
void picl_channels_put(struct picl_channels *channels, size_t slot,
                       const struct picl_message *of, uint32_t first);
/* Removes the channel in SLOT; other channels may move to other slots. */
void picl_channels_remove(struct picl_channels *channels, size_t slot);
/*
 * Returns a message with the source, destination, tag and communicator of CHANNEL, all else
 * 0, to look the channel up by.
 */
struct picl_message picl_channel_name(const struct picl_channel *channel);

/*
 * Matches a send, at its entry, with its receive: the n-th send of one source, destination,
 * tag and communicator belongs to the n-th receive, so sends must come in the order of
 * their entries.  Makes the link if picl_receive has got that receive, else keeps a copy of
 * MESSAGE until it comes.
 */
void picl_send(struct picl_import *import, const struct picl_message *message);
/*
 * Matches a complete receive with its send: the n-th send of one source, destination, tag
 * and communicator belongs to the n-th receive, so receives must come in the order in which
 * they were posted.  Makes the link if picl_send has got that send, else keeps a copy of
 * MESSAGE until it comes.
 */
void picl_receive(struct picl_import *import, const struct picl_message *message);
/*
 * After the last record: matches receives with messages that an old trace sent to all, then
 * makes links with one end of the unmatched sends and receives, and reports them.
 */
void picl_messages_end(struct picl_import *import);
/* Frees what MESSAGES holds, without making links. */
void picl_messages_free(struct picl_messages *messages);

/* ---- Receives that were begun (posted_receives.c) ---- */

/* The state of a struct picl_posted. */
enum picl_posted_state {
    PICL_POSTED_FREE,     /* the element is not used */
    PICL_POSTED_OPEN,     /* not complete */
    PICL_POSTED_COMPLETE, /* got its message, but was not passed on to picl_receive yet */
    /* passed on, but still in the queue PICL_HELD_BACK of another receive */
    PICL_POSTED_HANDED_ON,
};

/* The queues, in order of posting, in which a posted receive may be. */
enum picl_queue {
    PICL_IN_CHANNEL, /* those of one source and tag, or open ones with the same wildcards */
    PICL_HELD_BACK,  /* complete ones that an open one, posted before, holds back */
    PICL_QUEUES
};

/* A node of a queue, which is a pairing heap (posted_receive_heaps.c). */
struct picl_place {
    /*
     * Indices in picl_all_posted.all, or WEFT_NONE: the sibling before it, or the parent of
     * a first child; the sibling after it; its first child.
     */
    uint32_t previous, next, child;
};

/* A receive that was begun and is not yet passed on to picl_receive. */
struct picl_posted {
    /* asks for this source and tag, below 0: any; once complete, the message that it got */
    struct picl_message message;
    uint64_t order;                        /* receives posted later have greater ones */
    struct picl_place places[PICL_QUEUES]; /* its place in each queue, by enum picl_queue */
    /* first of the receives that it holds back; if free, the next free one + 1, or 0 */
    uint32_t holds;
    enum picl_posted_state state;
    bool held; /* it is in the queue PICL_HELD_BACK of an open receive */
};

/* The posted receives of all processors; zeroed: none; freed by picl_posted_free. */
struct picl_all_posted {
    struct picl_channels channels; /* the queues PICL_IN_CHANNEL */
    struct picl_posted *all;
    size_t n, capacity;
    uint32_t free; /* index of the first free one + 1; 0: none */
};

/*
 * Merges two queues of posted receives, of kind QUEUE, given by the indices in ALL of their
 * first receives, A and B, and returns that of the result: the one posted first.  WEFT_NONE
 * is an empty queue.  O(1).
 */
uint32_t picl_queue_join(struct picl_posted *all, enum picl_queue queue, uint32_t a,
                         uint32_t b);
/*
 * Takes receive INDEX out of the queue of kind QUEUE whose first receive is FIRST (indices
 * in ALL); returns the first of the rest, WEFT_NONE if it is empty.  Amortized O(log n).
 */
uint32_t picl_queue_remove(struct picl_posted *all, enum picl_queue queue, uint32_t first,
                           uint32_t index);

/*
 * Least order of posting (picl_post, ORDER) of a receive whose entry was read; one whose
 * entry is missing has a smaller one, and so counts as posted earlier.
 */
#define PICL_ENTERED (UINT64_C(1) << 63)
/*
 * Posts a receive of PROCESSOR, which waits for a message, and returns its index in
 * import->posted.all, valid until picl_complete or picl_unpost.  A TAG below 0, and a
 * SOURCE (a node) below 0 or above INT32_MAX, are wildcards.  ORDER, the order of posting,
 * is PICL_ENTERED or more if the entry of the call was read; a receive whose entry is
 * missing has a smaller one, and so counts as posted earlier.
 */
uint32_t picl_post(struct picl_import *import, struct picl_processor *processor,
                   int64_t tag, int64_t source, uint64_t order);
/*
 * Notes that the open receive POSTED (an index from picl_post) of PROCESSOR got MESSAGE,
 * which goes to picl_receive now or, in order of posting, once no earlier open receive may
 * take messages like it; beyond a limit, which is reported, at once.  POSTED is void
 * afterwards.
 */
void picl_complete(struct picl_import *import, struct picl_processor *processor,
                   uint32_t posted, const struct picl_message *message);
/*
 * Frees the open receive POSTED (an index from picl_post) of PROCESSOR, which got no
 * message, or one that the trace lacks; passes on the receives that it held back.
 */
void picl_unpost(struct picl_import *import, struct picl_processor *processor,
                 uint32_t posted);
/*
 * Notes that PROCESSOR got MESSAGE by a receive that was not posted with picl_post, such
 * as a blocking one.  ORDER, the order of posting, is PICL_ENTERED or more if the entry of
 * the call was read, else a smaller number.  MESSAGE goes to picl_receive now or, in order
 * of posting, once no earlier open receive may take messages like it.
 */
void picl_receive_at_once(struct picl_import *import, struct picl_processor *processor,
                          uint64_t order, const struct picl_message *message);
/*
 * After the last record: frees all receives that are open, as none got a message, and so
 * passes the complete ones that they held back to picl_receive.  Stops once the job is
 * cancelled.
 */
void picl_posted_end(struct picl_import *import);
/* Frees what POSTED holds, without passing receives on. */
void picl_posted_free(struct picl_all_posted *posted);

/* ---- Requests (requests.c) ---- */

/*
 * Opens REQUEST, the number of a nonblocking send or receive of PROCESSOR that the call of
 * FRAME began; a receive is also posted (picl_post).  A receive that was still posted under
 * that number is freed first, as it got no message.
 */
void picl_begin_request(struct picl_import *import, struct picl_processor *processor,
                        const struct picl_frame *frame, int64_t request);
/*
 * Completes the receive of PROCESSOR that is posted under the number REQUEST with MESSAGE
 * (picl_complete); the request stays open until picl_end_request.  Returns false, with no
 * effect, if no receive is posted under it.
 */
bool picl_complete_request(struct picl_import *import, struct picl_processor *processor,
                           int64_t request, const struct picl_message *message);
/*
 * Frees the receive of PROCESSOR under the number REQUEST if it is still posted, as it got
 * no message in the trace (picl_unpost); the request stays open.
 */
void picl_forget_request(struct picl_import *import, struct picl_processor *processor,
                         int64_t request);
/*
 * Closes REQUEST of PROCESSOR, so that its number can be used again, and frees its receive
 * if that is still posted.  If it is not open, only reports that, as a fault in LINE.
 */
void picl_end_request(struct picl_import *import, struct picl_processor *processor,
                      int64_t request, uint64_t line);

/* ---- Groups (groups.c) ---- */

/* A collective operation, which becomes an event of its communicator at the end. */
struct picl_operation {
    int64_t first;    /* time of the first entry */
    uint64_t line;    /* line of the entry that was read first */
    int32_t root;     /* node, or -1 */
    uint32_t entered; /* members that have entered it */
    uint16_t key;     /* key of the calls, without its sign */
};

/* A communicator: a group with certain members, and its collective operations so far. */
struct picl_communicator {
    int64_t group;             /* group number; PICL_WORLD: all processors */
    uint32_t container, track; /* track of its operations, or WEFT_NONE */
    uint32_t n_members;        /* 0: unknown */
    struct picl_operation *operations;
    size_t n_operations, capacity;
};

/* The communicators of a trace; zeroed: none; freed by picl_groups_free. */
struct picl_groups {
    /* the first is the world, made when a group is first needed */
    struct picl_communicator *all;
    size_t n, capacity;
    /* text "number:members" of a group that a record defined, to its index in ALL */
    struct weft_text_map by_members;
    /* group number to index in ALL, by the latest definition for all processors */
    struct weft_id_map global;
};

/*
 * Defines the group whose number and members RECORD lists, for PROCESSOR, or if that is
 * NULL for all processors.  A record of the world, the group of all (PICL_WORLD), has no
 * effect; one whose values are not integers, or that has none, is reported.
 */
void picl_define_group(struct picl_import *import, const struct picl_record *record,
                       struct picl_processor *processor);
/*
 * Returns the index in import->groups.all of the communicator that GROUP, a number, means
 * to PROCESSOR: by its own definition, else by one for all; -1 and an undefined 0 are the
 * world, of all processors.  Any other undefined group is reported, as a fault in LINE, and
 * made.
 */
uint32_t picl_group(struct picl_import *import, struct picl_processor *processor,
                    int64_t group, uint64_t line);
/*
 * Has PROCESSOR enter a collective operation of COMMUNICATOR (an index from picl_group) by
 * the call of FRAME: of the next 64 operations after its latest the first with the same key
 * and root, else a new one.  ROOT is a node's number; any negative one means none.  Returns
 * the id that the operation's event will have in the store.
 */
uint64_t picl_join(struct picl_import *import, struct picl_processor *processor,
                   uint32_t communicator, const struct picl_frame *frame, int64_t root);
/*
 * After the last record: stores the members of the world, the group of all processors, and
 * the events of collective operations; reports operations that members did not enter.
 */
void picl_groups_end(struct picl_import *import);
/* Frees what GROUPS holds, not the containers in the store. */
void picl_groups_free(struct picl_groups *groups);

/* ---- Reading ---- */

/* The types of events that records of a processor become. */
enum picl_event_type {
    PICL_EVENT_MARK, /* to PICL_EVENT_DATA: the user's records of these types */
    PICL_EVENT_LABEL,
    PICL_EVENT_MESSAGE, /* a text, not a message between processors */
    PICL_EVENT_DATA,
    PICL_EVENT_RECORD, /* any other record that is no entry or exit of a call or task */
    PICL_EVENTS
};

/* The fields of the store's types; indices in picl_types.fields. */
enum picl_field {
    /* calls; ENTRY and EXIT: texts of parameters that nothing else in the store tells */
    PICL_CALL_ENTRY,
    PICL_CALL_EXIT,
    PICL_CALL_REQUEST,   /* its number */
    PICL_CALL_OPERATION, /* the event of its collective operation */
    PICL_CALL_BYTES,     /* the length in its entry, if it is collective */
    /* tasks; ENTRY and EXIT as of calls */
    PICL_TASK_NUMBER, /* its key, which the user chose */
    PICL_TASK_WORK,   /* the first value of its exit, a real number */
    PICL_TASK_ENTRY,
    PICL_TASK_EXIT,
    /* messages */
    PICL_LINK_TAG,
    PICL_LINK_BYTES,
    PICL_LINK_COMMUNICATOR,
    PICL_LINK_PEER, /* node at the end that no record tells of, if one is missing */
    /* operations, and definitions of groups */
    PICL_OPERATION_ROOT, /* a node's number */
    PICL_DEFINITION_KEY, /* key of the record that defined the group */
    /* facts of containers */
    PICL_PROCESSOR_RANK,
    PICL_COMMUNICATOR_NUMBER,  /* its group number */
    PICL_COMMUNICATOR_MEMBERS, /* a text of node numbers: "0-3,8" */
    PICL_FIELDS,               /* the number of fields */
};

/* The names of the types of events, such as "mark". */
extern const char *const picl_event_names[PICL_EVENTS];

/*
 * Indices in the store of the types, fields and values that picl_begin and picl_value make.
 * Types: `processor` and `communicator` of containers, `stacks` of states, `events`,
 * `operation` and `definition` (of a group) of events, `message` of links.
 */
struct picl_types {
    uint32_t processor, communicator, stacks[PICL_STACKS], events[PICL_EVENTS], message,
        operation, definition;
    uint32_t fields[PICL_FIELDS];
    uint32_t event_numbers[PICL_EVENTS], event_parameters[PICL_EVENTS]; /* fields */
    /* values of calls by key without its sign; WEFT_NONE: not made yet */
    uint32_t calls[PICL_KEYS];
    struct weft_text_map values; /* other values, by type, record type and key */
};

/* A problem that a batch keeps: the arguments of picl_tell. */
struct picl_found {
    enum picl_fault fault;
    uint64_t line;
    int64_t first, second;
    size_t number; /* how many the batch found before it */
};

/* Records that wait to be added processor by processor (processor_batches.c); zeroed:
   empty. */
struct picl_batch {
    struct picl_record *records; /* [n], copies; their parameters are borrowed */
    uint32_t *processors;        /* [n]: index of each one's in picl_import.processors */
    size_t n;
    bool defers;               /* picl_report keeps faults until the batch has ended */
    struct picl_found *faults; /* [n_faults], in the order in which they were found */
    size_t n_faults, fault_capacity;
};

/*
 * The reading of one trace into a store.  The caller zeroes it before picl_begin, and sets
 * `job` and `begin` after; freed by picl_free.
 */
struct picl_import {
    struct weft_builder *builder;
    /* once it is cancelled, records are left out; may be NULL */
    const struct weft_job *job;
    struct picl_types types;
    struct picl_processor *processors; /* in the order in which they were made */
    size_t n_processors, processor_capacity;
    struct picl_numbers by_number; /* node to index in `processors` */
    /*
     * PICL_EVENTS elements for each processor that has events: its track in the store of
     * each enum picl_event_type, or WEFT_NONE.
     */
    uint32_t *event_tracks;
    size_t n_event_tracks, event_track_capacity;
    struct picl_messages messages;
    struct picl_all_posted posted;
    struct picl_groups groups;
    struct picl_batch batch;
    uint64_t records; /* records so far */
    uint64_t looks;   /* open entries that exits were compared with, to limit the time */
    uint64_t handed;  /* complete receives that open ones held back, to limit the time */
    /* earliest time in the first bytes of the file; communicators begin then */
    int64_t begin;
};

/*
 * Begins to read a trace into BUILDER, which must outlive IMPORT: makes the types and
 * fields of the store.  The caller zeroes IMPORT before, and calls picl_free in the end.
 */
void picl_begin(struct picl_import *import, struct weft_builder *builder);
/*
 * Returns the processor of node NUMBER, at least 0; if it is new, it is made, with a
 * container that begins at TIME.  That may move all others, so the pointer is valid until
 * the next call.
 */
struct picl_processor *picl_processor(struct picl_import *import, int32_t number,
                                      int64_t time);
/*
 * Returns the processor of node NUMBER, or NULL if there is none; valid until
 * picl_processor() makes another.
 */
struct picl_processor *picl_processor_find(const struct picl_import *import,
                                           int64_t number);
/*
 * Adds a record to the store; records of one processor must come in order of time.  A
 * record of a negative node defines a group for all processors (PICL_SUBSET), or is
 * reported and skipped.
 */
void picl_add(struct picl_import *import, const struct picl_record *record);
/*
 * Puts a record into the batch, which is added when it is full, or by picl_batch_end; the
 * text of the record's parameters must stay valid until then.  Makes the record's processor
 * at once.  A definition of a group (PICL_SUBSET), or a record of a negative node, ends the
 * batch and is added itself.
 */
void picl_batch_add(struct picl_import *import, const struct picl_record *record);
/*
 * Adds all records of the batch to the store, then reports their faults in order of lines.
 */
void picl_batch_end(struct picl_import *import);
/*
 * Keeps the problem FAULT in LINE until the batch ends, when problems are added to the
 * trace in order of lines.  FIRST and SECOND are the two numbers in the fault's sentence.
 */
void picl_batch_fault(struct picl_import *import, enum picl_fault fault, uint64_t line,
                      int64_t first, int64_t second);
/* Frees what BATCH holds; records that wait are lost. */
void picl_batch_free(struct picl_batch *batch);
/*
 * After the last record and picl_batch_end: stores entries without exits, messages without
 * a send or receive, and the events of collective operations; reports these entries and
 * messages, operations that some members of their group did not enter, and processors whose
 * tracing began and did not end.
 */
void picl_end(struct picl_import *import);
/* Frees what IMPORT holds, neither IMPORT itself nor the builder. */
void picl_free(struct picl_import *import);
/*
 * Returns the store's value of TYPE for KEY, made if it is new, with ROLE: called NAME, or
 * if that is NULL, NOUN and the key ("task 5"), with the key as alias, which the writer
 * needs.
 */
uint32_t picl_value(struct picl_import *import, uint32_t type, const char *name,
                    const char *noun, int32_t key, enum weft_role role);
/*
 * Returns the value, made if it is new, of the event that RECORD becomes: one for each
 * TYPE, record type and key.  Its alias is "-2 5", record type and key, which the writer
 * needs.
 */
uint32_t picl_event_value(struct picl_import *import, enum picl_event_type type,
                          const struct picl_record *record);

/* ---- Order (sortedness.c) ---- */

/* The order of a file's records. */
enum picl_order {
    PICL_IN_ORDER,     /* the records of each node are in order of time */
    PICL_CONCATENATED, /* several traces in such order, one after the other */
    PICL_UNSORTED,     /* neither; the reader sorts them by time */
};

/*
 * Learns how the records of a file are ordered while they are read; begun by
 * picl_survey_begin, freed by picl_survey_free.
 */
struct picl_survey {
    struct picl_numbers index; /* by node: index in SEEN */
    struct picl_seen *seen;    /* [n]: a node each */
    size_t n, capacity;
    /* all; those whose time is before that of an earlier record of their node */
    uint64_t records, disorder;
    uint32_t epoch; /* traces in the file that ended before this one */
    /* latest time of all records; ticks to add to times of the current trace */
    int64_t latest, shift;
    int32_t node;          /* node of the latest record, or -1 */
    bool by_time, by_node; /* so far the trace is in order of time; node after node */
    bool brackets;         /* some record begins or ends tracing (key -901) */
    bool one_trace;        /* a step back in time is never the begin of another trace */
};

/* The place of a record among those before it. */
enum picl_step {
    PICL_STEP_ON,   /* in order */
    PICL_STEP_NEW,  /* the first record of another trace */
    PICL_STEP_BACK, /* its time is before that of an earlier record of its node */
    /* in order for its node, but the file is neither in order of time nor node by node */
    PICL_STEP_UNSORTED,
};
/* Sets *SURVEY to one of no records; the caller may set one_trace then. */
void picl_survey_begin(struct picl_survey *survey);
/*
 * Takes a record, the next one of the file, into account, and shifts record->time so that
 * several traces in one file follow one another.  Returns its place among those before it.
 * A record of a negative node is left as it is: PICL_STEP_ON.
 */
enum picl_step picl_survey_add(struct picl_survey *survey, struct picl_record *record);
/*
 * Returns how the records that picl_survey_add got are ordered; SURVEY stays as it is, to
 * be freed with picl_survey_free.
 */
enum picl_order picl_survey_end(const struct picl_survey *survey);
/* Frees what SURVEY holds. */
void picl_survey_free(struct picl_survey *survey);

/* The reader of PICL traces, for the list of readers (read/reader.h). */
extern const struct weft_reader weft_reader_picl;

#endif
