/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of the records of MPI: calls become states, messages and transfers links,
 * communicators containers, collective operations events.
 *
 *     mpi.c                   the types, and what becomes of each record
 *     worlds.c                ranks, runs of MPI, and groups of different runs that met
 *     communicators.c         communicators and collective operations
 *     requests.c              operations that go on under a request
 *     matching.c              pairs sends with receives
 *     neighbor_collectives.c  parts of neighbourhood collectives
 *     rma_windows.c           one-sided transfers
 *     completing_calls.c      the operations that a wait or test completes, as fields of
 *                             its state
 *     call_table.c            the table of calls
 *     freed_handles.c         handles that calls free
 *     pcontrol_pauses.c       the time in which MPI_Pcontrol has stopped the recording
 *     clocks.c                relates the clocks of hosts
 *     rank_list_limits.c      reports lists of ranks that were left out
 *     unknown_calls.c         reports what was not recorded or not understood
 *
 * A run is the set of ranks of one MPI_COMM_WORLD.  A processor is a process that is a
 * rank; a recording numbers processors over all runs, the first run's by their ranks.
 * Below, `processor` is such a number, `rank` a rank in a communicator, and `member` the
 * index of a struct mpi_member, a process in a communicator.
 *
 * Records come in order of time, but a receive may come before its send where clocks
 * differ.
 */
#ifndef WEFT_READ_RECORDING_MPI_JOIN_H
#define WEFT_READ_RECORDING_MPI_JOIN_H

#include "base/hash_map.h"
#include "domains/messages/format/call_table.h"
#include "domains/messages/format/records.h"
#include "read/recording/join/join.h"
#include "read/recording/sites/callers.h"

/* ---- The list of calls (call_table.c) ---- */

/*
 * The thing that a call of MPI begins.  ONE_TO_ALL to NEIGHBORS are collective operations
 * by pattern; a value with ..._LATER makes a persistent request of one, which begins it at
 * each start.
 */
enum mpi_begins {
    MPI_BEGINS_NONE,  /* nothing, or what further records of the call name */
    MPI_BEGINS_LATER, /* a persistent send or receive */
    MPI_BEGINS_PARTS, /* a partitioned persistent send or receive */
    MPI_BEGINS_ONE_TO_ALL,
    MPI_BEGINS_ALL_TO_ONE,
    MPI_BEGINS_ALL_TO_ALL,
    MPI_BEGINS_PREFIX,    /* from each member to those of higher rank */
    MPI_BEGINS_BARRIER,   /* all to all, without data */
    MPI_BEGINS_NEIGHBORS, /* from each member to its neighbours */
    MPI_BEGINS_ONE_TO_ALL_LATER,
    MPI_BEGINS_ALL_TO_ONE_LATER,
    MPI_BEGINS_ALL_TO_ALL_LATER,
    MPI_BEGINS_PREFIX_LATER,
    MPI_BEGINS_BARRIER_LATER,
    MPI_BEGINS_NEIGHBORS_LATER,
    MPI_BEGINS_PUT,      /* a one-sided transfer to another rank's memory */
    MPI_BEGINS_GET,      /* a one-sided transfer from there */
    MPI_BEGINS_EXCHANGE, /* a one-sided transfer both ways */
};

/* The name and meaning of one call of MPI: an element of mpi_calls. */
struct mpi_call {
    const char *name;    /* "MPI_Send" */
    enum weft_role role; /* of the caller's state while the call lasts */
    enum mpi_begins begins;
    enum weft_role pattern; /* of its collective operation, or WEFT_ROLE_NONE */
};
/* All recorded calls, by enum weft_mpi_call. */
extern const struct mpi_call mpi_calls[WEFT_MPI_N_CALLS];

/*
 * Tells join->sites, which finds the places in the program of recorded addresses, the
 * functions by which Fortran programs call MPI: their callers are the places.  To be called
 * before the first address is looked up.
 */
void mpi_know_wrappers(struct join *join);

/* ---- Objects of the join ---- */

enum { MPI_COMPLETED_TEXT = 256 }; /* bytes of mpi_completed.text, with its 0 */
/* most ranks of a run, or members of a group: a record that claims more is damaged */
enum { MPI_SIZE_MAX = 1 << 20 };

/* A run of MPI: the ranks of one MPI_COMM_WORLD.  An element of mpi_join.worlds. */
struct mpi_world {
    uint64_t identity; /* as recorded, or its launcher's; 0: unknown */
    /* its processors, numbers over all runs: SIZE from FIRST on, by rank */
    uint32_t first, size;
    uint32_t communicator; /* its MPI_COMM_WORLD: index in mpi_join.communicators */
};

/*
 * A collective operation of a communicator, kept until all members have entered it and for
 * some time after.
 */
struct mpi_operation {
    /* id of its event; WEFT_NO_ID while only calls that are not shown entered it */
    uint64_t event;
    uint32_t entered; /* members that have entered it */
};

/*
 * A communicator, the same for all its members.  An element of mpi_join.communicators;
 * mpi_free_communicators frees its lists.
 */
struct mpi_communicator {
    uint32_t container; /* in the store; WEFT_NONE until it is made */
    uint32_t number;    /* from 0, in the order in which communicators get containers */
    /*
     * [n] of each of two groups: by rank, the processor (number of the rank over all
     * runs), or WEFT_NONE for one of no known run
     */
    uint32_t *members[2], n[2];
    bool between;   /* an intercommunicator; else the second group is empty */
    uint32_t track; /* of its operations, or WEFT_NONE */
    /* in the join's arena, not empty; NULL: not named, shown as "communicator NUMBER" */
    const char *name;
    /*
     * [n_operations]: its collective operations from number first_operation on; those that
     * all members entered are dropped in batches.
     */
    struct mpi_operation *operations;
    uint64_t first_operation, n_operations;
    size_t operations_capacity;
};

/* A list of ranks; its owner frees the list. */
struct mpi_ranks {
    int32_t *list;
    size_t n, capacity;
};

/*
 * A process's view of a communicator that it is in: an element of mpi_join.members, which
 * stays to the end of the join.
 */
struct mpi_member {
    uint32_t communicator, process; /* indices in mpi_join.communicators, .processes */
    uint32_t side; /* index of the process's own group in mpi_communicator.members */
    /* number of communicators made from this one so far by calls of all its members */
    uint64_t made;
    uint64_t operations; /* collective operations that it has entered */
    /*
     * first and last of its incomplete receives in order of posting, indices in
     * mpi_join.receives; WEFT_NONE: it has none
     */
    uint32_t first, last;
    /* ranks of neighbours: that it sends to [WEFT_MPI_TO], receives from [WEFT_MPI_FROM] */
    struct mpi_ranks neighbors[2];
};

/*
 * Sends match receives of the same kind only: whole messages, partitioned ones, or the
 * parts of neighbourhood collectives.
 */
enum mpi_matching { MPI_WHOLE, MPI_PARTS, MPI_OF_NEIGHBORS };

/* A posted receive, until it is paired with a send: an element of mpi_join.receives. */
struct mpi_receive {
    uint32_t member; /* the receiver: index in mpi_join.members */
    /*
     * Sender's processor and tag: asked for, WEFT_MPI_ANY for any; once complete, the
     * message's.  A source of WEFT_NONE is unknown.
     */
    int32_t source, tag;
    enum mpi_matching matching;
    bool complete;
    bool hidden;    /* completed while the process's calls were not shown */
    uint64_t order; /* number of receives that its process posted before */
    /*
     * Neighbours in the member's list of incomplete receives; NEXT also in the list that
     * begins with WAITS, in that of a channel, and in that of free receives.
     */
    uint32_t previous, next;
    /*
     * First and last of the complete receives, by posting, that are not paired since this
     * one, posted before them, may get their messages; WEFT_NONE.
     */
    uint32_t waits, last_waits;
    int64_t bytes, end; /* once complete; END: time of completion, in ns */
    uint64_t entity;    /* id of the state of the call that completed it, or WEFT_NO_ID */
};

/* A message that no receive was paired with yet: an element of mpi_join.sends. */
struct mpi_send {
    uint32_t next;        /* later send of its channel, or next free element; WEFT_NONE */
    bool hidden;          /* sent while the process's calls were not shown */
    int64_t bytes, begin; /* BEGIN: time of the send, in ns */
    uint64_t entity;      /* id of the state of the call that sent it, or WEFT_NO_ID */
};

/*
 * The unpaired messages from one processor to another with one tag in one communicator: an
 * element of mpi_join.channels.  One of the lists is empty.
 */
struct mpi_channel {
    /*
     * COMMUNICATOR: index in mpi_join.communicators; FROM and TO are processors, numbers of
     * ranks over all runs
     */
    uint32_t communicator, from, to;
    int32_t tag;
    enum mpi_matching matching;
    /*
     * Lists of the unpaired sends and complete receives, in order; first WEFT_NONE: empty,
     * and then last is of no meaning.
     */
    uint32_t first_send, last_send, first_receive, last_receive;
};

/* The kind of a struct mpi_deed; MPI_NOTHING: no operation. */
enum mpi_what { MPI_NOTHING, MPI_SEND, MPI_RECEIVE, MPI_COLLECTIVE, MPI_TRANSFER };

/*
 * An operation (deed): a send, receive, collective operation or one-sided transfer, of a
 * call or under a request.  A persistent request repeats it at each start.  A plain value.
 */
struct mpi_deed {
    enum mpi_what what;
    uint32_t call;   /* enum weft_mpi_call */
    uint32_t member; /* index in mpi_join.members; not of a transfer */
    /* as recorded (weft_mpi_peer_and_tag); of a collective operation the root */
    uint64_t peer_and_tag;
    int64_t bytes;   /* of a send; to each receiver, of a collective operation */
    uint32_t index;  /* in mpi_join.receives, of the posted one, or in mpi_join.transfers */
    uint64_t serial; /* of the transfer: INDEX may be that of a later one by now */
    bool takes_part; /* the member has entered the collective operation */
    uint64_t event;  /* of the operation that was entered; WEFT_NO_ID: it is not shown */
};

/* An operation under a request's handle: an element of mpi_join.requests. */
struct mpi_request {
    /*
     * Index of the next younger request of the same handle (the oldest one completes
     * first), or of the next free element; WEFT_NONE: there is none.
     */
    uint32_t next;
    bool persistent, active; /* active: it is started and not complete */
    struct mpi_deed deed;
};

/* A one-sided transfer that is not complete: an element of mpi_join.transfers. */
struct mpi_transfer {
    /* the caller's process and window: indices in mpi_join.processes, .windows */
    uint32_t process, window;
    uint32_t next;   /* older one of the window, or next free element; WEFT_NONE */
    uint64_t serial; /* from 1; tells apart transfers with one index; 0: free */
    bool hidden;     /* begun while the process's calls were not shown */
    int32_t rank;    /* of the target, in the window's communicator */
    uint32_t call;   /* that began it: enum weft_mpi_call */
    /* the link to be written, still without its end; an exchange writes its reverse, too */
    struct weft_link link;
    int64_t bytes; /* in each direction */
};

/* A process's view of a window for one-sided transfers: an element of mpi_join.windows. */
struct mpi_window {
    uint32_t member; /* index in mpi_join.members: the process in its communicator */
    uint32_t first;  /* newest transfer that is not complete; WEFT_NONE */
};

/* A recorded process, with what this join knows: an element of mpi_join.processes. */
struct mpi_process {
    uint32_t processor; /* number of its rank over all runs; WEFT_NONE: it is no rank */
    uint32_t world;     /* its run: index in mpi_join.worlds; 0 if it is no rank */
    /*
     * By handle: index in mpi_join.members, for a communicator; in .requests, of the oldest
     * request; in .receives, posted for a message that a probe matched; in .windows.
     */
    struct weft_id_map members, requests, messages, windows;
    uint64_t posted; /* number of receives that it has posted so far */
    bool begun;      /* the join has taken its WEFT_RECORD_MPI_RANK */
    /* next meeting with a group of another run, in mpi_join.scanned; how many are left */
    uint32_t meetings, n_meetings;
    bool hidden;      /* MPI_Pcontrol has stopped the recording: its calls are not shown */
    int64_t shown_at; /* when MPI_Pcontrol last showed them again; INT64_MIN: never */
};

/*
 * The members of a new communicator, while its records are read.  The communicator takes
 * the lists over, or the end of the join frees them.
 */
struct mpi_creation {
    uint32_t *members[2], n[2]; /* processors: of the caller's group, of the remote group */
    size_t capacity[2];
};

/* The operations that a thread's wait or test has completed so far; part of its state. */
struct mpi_completed {
    size_t n, named; /* number of operations; number of those that are in the text */
    char text[MPI_COMPLETED_TEXT]; /* "MPI_Isend to 3, tag 7; ..."; 3 is a processor */
    size_t length;                 /* of the text, in bytes */
    bool received;                 /* a receive was among them; its link names the sender */
    uint32_t partner; /* container that the last send among them went to; WEFT_NONE */
    int32_t tag;      /* of that send */
};

/* Value in a map of a handle that the program has freed: maps cannot remove keys. */
#define MPI_GONE (WEFT_MAP_NONE - 1)
/* A handle of a communicator or window that a thread's call frees, and its old meaning. */
struct mpi_gone {
    uint64_t handle;
    uint32_t index; /* in mpi->members or mpi->windows; WEFT_NONE: the call frees none */
    bool is_window;
};

/*
 * A thread and its current call, as this join knows them: an element of mpi_join.threads.
 */
struct mpi_thread {
    uint32_t track;       /* of its calls, or WEFT_NONE */
    bool open;            /* a state of its current call is open on the track */
    uint32_t call;        /* the current or last call, enum weft_mpi_call */
    uint64_t state;       /* id of the call's state; WEFT_NO_ID: it is not shown */
    struct mpi_deed deed; /* operation of the call, until a request takes it over */
    bool goes_on;         /* a request has taken the call's operation over */
    /* the receive that the call's return completes, in mpi_join.receives; WEFT_NONE */
    uint32_t receive;
    bool unrecorded;   /* the state "not recorded" is open on the track */
    int64_t hidden_at; /* when that state began, in ns */
    /* index of the window whose transfers are complete when the call returns; WEFT_NONE */
    uint32_t window;
    int32_t window_rank; /* only transfers with this target rank, or WEFT_MPI_ANY */
    /* the message that the call itself sent, to be cancelled if it fails; MPI_NOTHING */
    struct mpi_deed sent;
    struct mpi_gone gone;
    struct mpi_creation creation;
    struct mpi_completed completed;
    uint64_t stack[WEFT_STACK_MAX]; /* [n_stack]: its latest WEFT_RECORD_MPI_STACK */
    uint32_t n_stack;
};

/*
 * Indices of the types of this join in the store, and of their fields: message_tag is the
 * field "tag" of the type message.  All 0 in a recording without MPI.
 */
struct mpi_types {
    uint32_t communicator, communicator_number, communicator_members;
    uint32_t call, call_site, call_operation, call_bytes, call_communicator;
    uint32_t call_completes, call_partner, call_tag;
    uint32_t operation, operation_root;
    uint32_t message, message_tag, message_bytes, message_communicator;
    uint32_t part, part_bytes, part_communicator; /* of operations between neighbours */
    uint32_t transfer, transfer_bytes, transfer_communicator;
    uint32_t rank;
};

/* The state of this join: one for each trace that is made.  mpi.c makes and frees it. */
struct mpi_join {
    struct join *join;
    struct frames *frames; /* finds the callers of wrappers; owned */
    struct mpi_types types;
    struct mpi_process *processes; /* by index in recording->processes */
    struct mpi_thread *threads;    /* by index in join->threads */
    /*
     * By enum weft_mpi_call: index of the store's value of its states, and of its
     * collective operations; WEFT_NONE until used.
     */
    uint32_t values[WEFT_MPI_N_CALLS], operations[WEFT_MPI_N_CALLS];

    struct mpi_world *worlds;
    size_t n_worlds, worlds_capacity;
    struct mpi_scanned *scanned; /* what mpi_scan_worlds found; NULL: no records of ranks */
    /* [n_processors]: index in processes; WEFT_NONE: not recorded */
    uint32_t *process_of;
    size_t n_processors, processors_capacity;
    struct mpi_communicator *communicators;
    size_t n_communicators, communicators_capacity;
    uint32_t n_shown; /* communicators that have a container */
    struct mpi_member *members;
    size_t n_members, members_capacity;
    /* struct identity (communicators.c), equal for all members, to index of communicator */
    struct weft_text_map identities;
    /* identity and process to number of such communicators that it has made, less one */
    struct weft_text_map makings;

    struct mpi_channel *channels;
    size_t n_channels, channels_capacity;
    struct weft_text_map channel_map; /* struct channel_key (matching.c) to index */
    struct mpi_send *sends;
    size_t n_sends, sends_capacity;
    uint32_t free_send; /* first free element, also free_receive...; WEFT_NONE: none */
    struct mpi_receive *receives;
    size_t n_receives, receives_capacity;
    uint32_t free_receive;
    struct mpi_request *requests;
    size_t n_requests, requests_capacity;
    uint32_t free_request;

    struct mpi_window *windows;
    size_t n_windows, windows_capacity;
    struct mpi_transfer *transfers;
    size_t n_transfers, transfers_capacity;
    uint32_t free_transfer;
    uint64_t serial; /* of the newest transfer */

    /*
     * Ranks in lists of members and neighbours (mpi_has_room), and messages of
     * neighbourhood collectives, so far; lists and messages beyond the limits
     * (rank_list_limits.c, neighbor_collectives.c).
     */
    uint64_t n_ranks, n_parts, lists_left_out, parts_left_out;
    /* messages that end before they begin, or have no known peer; unknown communicators */
    uint64_t tachyons, unknown_peers, unknown_handles;
    uint64_t worldless; /* communicators of processes that have no known rank */
    /* calls not recorded, as they seemed nested in one that was left unnoticed */
    uint64_t passed;
    uint64_t failed_operations; /* calls of collective operations that failed */
    uint32_t unrecorded;        /* the value "not recorded"; WEFT_NONE until used */
    /* messages and transfers not shown, as MPI_Pcontrol had stopped an end's recording */
    uint64_t hidden;
    struct weft_link tachyon; /* the first message that ends before it begins */
    /*
     * The MPI library whose calls could not be recorded: "" if the program had none, NULL
     * if all could be.
     */
    const char *library;
    uint64_t unseen; /* processes that used MPI, and none of whose calls were recorded */
};

/* ---- Runs, and groups of different runs that met (worlds.c) ---- */

/*
 * In the pass before the join: takes a WEFT_RECORD_MPI_RANK or _COMMUNICATOR of STREAM, a
 * thread's records.  Keeps ranks, and the meetings of groups of different runs, in
 * recording->worlds, which mpi_make_worlds takes.
 */
void mpi_scan_worlds(struct recording *recording, const struct stream *stream,
                     const struct record *record);
/*
 * Makes the runs, numbers the processors, and pairs the meetings of groups of different
 * runs (spawn; connect and accept), by what mpi_scan_worlds found in all records.  Moves
 * that from recording->worlds to mpi->scanned.
 */
void mpi_make_worlds(struct mpi_join *mpi);
/*
 * Steps to the next meeting of PROCESS (an index in mpi->processes) with a group of another
 * run, by spawn or by connect and accept, and puts that group's processors into MEMBERS[n],
 * by rank; WEFT_NONE for unknown ones.  Returns false, and leaves MEMBERS as they are, if
 * there is no such meeting, or its group is not known or has not N members.
 */
bool mpi_meet(struct mpi_join *mpi, uint32_t process, uint32_t *members, uint32_t n);
/* Frees mpi->scanned and sets it to NULL; the runs themselves stay. */
void mpi_free_worlds(struct mpi_join *mpi);

/* ---- Communicators and ranks (communicators.c) ---- */

/*
 * Call before a list of N ranks (members, neighbours) takes memory.  Returns true, and
 * adds N to mpi->n_ranks, if the ranks of all lists stay within a limit that grows with
 * the recording; else counts one list in mpi->lists_left_out, and returns false.
 */
bool mpi_has_room(struct mpi_join *mpi, uint64_t n);
/*
 * Reports as problems of the trace how many lists of ranks, and messages of neighbourhood
 * collectives, were left out, since there are too many.  No report if none were.
 */
void mpi_report_limits(const struct mpi_join *mpi);

/*
 * Returns the index in mpi->worlds of the first run of MPI with this IDENTITY (0: unknown)
 * and SIZE (in ranks) in which no process has RANK, less than SIZE, yet.  If there is none,
 * makes one, with its processors, still without processes, and an MPI_COMM_WORLD still
 * without members; returns WEFT_NONE if that exceeds the limit of mpi_has_room.
 */
uint32_t mpi_find_world(struct mpi_join *mpi, uint64_t identity, uint32_t rank,
                        uint32_t size);
/*
 * Takes a WEFT_RECORD_MPI_RANK of the thread's process at TIME (ns): makes the run's
 * MPI_COMM_WORLD unless another rank did, and the rank's MPI_COMM_SELF, and names the
 * process.  No effect for a process that has done so, or is no rank of a known run.
 */
void mpi_set_rank(struct mpi_join *mpi, const struct join_thread *thread,
                  const struct record *record, int64_t time);
/*
 * Takes a WEFT_RECORD_MPI_COMMUNICATOR at TIME (ns): adds the members in it.  The last of
 * the records of one communicator finds it, if another member recorded it before, or makes
 * it, and gives its handle a meaning.  For a process that is no rank, only counts it.
 */
void mpi_add_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                          const struct record *record, int64_t time);
/*
 * Takes a WEFT_RECORD_MPI_COMMUNICATOR_NAME: names the communicator, and its container if
 * that exists.  No effect if the name is empty, so that the one that is shown stays; none
 * either if the handle is unknown, which is counted in mpi->unknown_handles.
 */
void mpi_set_name(struct mpi_join *mpi, const struct join_thread *thread,
                  const struct record *record);
/*
 * Returns the index in mpi->members of the member that the thread's process is in the
 * communicator with this HANDLE; WEFT_NONE if the handle means none, or was freed, which is
 * counted in mpi->unknown_handles.
 */
uint32_t mpi_find_member(struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle);
/*
 * Returns the processor (number of a rank over all runs) that is RANK in the group that
 * MEMBER (an index in mpi->members) sends to, which is the remote group of an
 * intercommunicator.  WEFT_NONE: the group has no such rank, or that is of an unknown run.
 */
uint32_t mpi_peer(struct mpi_join *mpi, uint32_t member, int32_t rank);
/*
 * Returns the container of COMMUNICATOR, an index in mpi->communicators; made at TIME (ns),
 * with name, number and the processors of its members as a text, if there is none.
 */
uint32_t mpi_container(struct mpi_join *mpi, uint32_t communicator, int64_t time);
/*
 * Returns the container of the process that is PROCESSOR, the number of a rank over all
 * runs.  WEFT_NONE: it was not recorded or has not started, or PROCESSOR is WEFT_NONE.
 */
uint32_t mpi_processor(const struct mpi_join *mpi, uint32_t processor);
/*
 * Has MEMBER (an index in mpi->members) enter its next collective operation at TIME (ns),
 * by CALL (enum weft_mpi_call) with ROOT (a rank, or WEFT_MPI_NO_ROOT).  The Nth operations
 * of all members are one.  The first member that enters it and is shown writes its event.
 * Returns the event's id; WEFT_NO_ID if MPI_Pcontrol has hidden the process's calls, or
 * records are damaged.
 */
uint64_t mpi_operation(struct mpi_join *mpi, uint32_t member, uint32_t call, uint64_t root,
                       int64_t time);
/*
 * Reports as a problem of the trace, for each run of MPI, how many of its ranks have no
 * recording.  No report for a run that is complete.
 */
void mpi_report_ranks(struct mpi_join *mpi);
/*
 * Frees what communicators, their members, and the threads' unfinished creations hold, but
 * not the arrays of these.
 */
void mpi_free_communicators(struct mpi_join *mpi);

/* ---- Calls (mpi.c), and hidden ones (pcontrol_pauses.c) ---- */

/* Returns the track of the thread's MPI calls; makes it if there is none. */
uint32_t mpi_call_track(struct mpi_join *mpi, const struct join_thread *thread);
/*
 * Begins the thread's state "not recorded" at TIME (ns), if MPI_Pcontrol has stopped the
 * process's recording and the thread is not in that state yet.  Ends such a state first if
 * the recording was resumed since that began.
 */
void mpi_hide(struct mpi_join *mpi, const struct join_thread *thread, int64_t time);
/*
 * Ends the thread's state "not recorded", if it is in that, at TIME (ns), or when another
 * thread resumed the recording by MPI_Pcontrol, if that was before.
 */
void mpi_show(struct mpi_join *mpi, const struct join_thread *thread, int64_t time);
/*
 * Reports, as a note in the trace, how many messages and transfers are not shown since
 * MPI_Pcontrol had stopped the recording.  No report if there are none.
 */
void mpi_report_hidden(const struct mpi_join *mpi);

/* ---- Messages (matching.c) ---- */

/*
 * Has MEMBER (an index in mpi->members) send a message of BYTES at TIME (ns), in the call
 * whose state has the id ENTITY (or WEFT_NO_ID).  PEER_AND_TAG is as recorded
 * (weft_mpi_peer_and_tag).  MATCHING: only a receive of the same kind gets it.  Writes the
 * message's link if its receive is complete; else keeps the send until that is.  Only
 * counts it in mpi->unknown_peers if the peer is unknown; a message with a hidden end is
 * counted in mpi->hidden, and has no link.
 */
void mpi_send(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag, int64_t bytes,
              enum mpi_matching matching, uint64_t entity, int64_t time);
/*
 * Removes a send that was cancelled: the newest that has no receive yet, of MEMBER (an
 * index in mpi->members) to the peer with the tag in PEER_AND_TAG (weft_mpi_peer_and_tag),
 * of the kind MATCHING.  Returns false if there is none, the search was given up
 * (join_may_look), or the peer is unknown: mpi->unknown_peers, where mpi_send counted it,
 * is then one less.  Costs the number of such sends.
 */
bool mpi_send_cancelled(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                        enum mpi_matching matching);
/*
 * Posts a receive of MEMBER (an index in mpi->members) from the peer with the tag in
 * PEER_AND_TAG (weft_mpi_peer_and_tag; either may be WEFT_MPI_ANY), which gets only sends
 * of the kind MATCHING.  Returns its index in mpi->receives, valid until mpi_receive or
 * mpi_unpost.
 */
uint32_t mpi_post(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                  enum mpi_matching matching);
/*
 * Completes the posted receive RECEIVE, an index in mpi->receives that is no longer valid
 * then, with a message of BYTES, at TIME (ns) in the call whose state has the id ENTITY (or
 * WEFT_NO_ID).  PEER_AND_TAG (weft_mpi_peer_and_tag) is the message's; it counts where any
 * source or tag was asked for.  Pairs the receive with a send, as soon as no receive that
 * was posted earlier may get that.  Only counts it in mpi->unknown_peers if the peer is
 * unknown.
 */
void mpi_receive(struct mpi_join *mpi, uint32_t receive, uint64_t peer_and_tag,
                 int64_t bytes, uint64_t entity, int64_t time);
/*
 * Removes the posted receive RECEIVE, an index in mpi->receives that is no longer valid
 * then: it was cancelled or freed, or failed.  Receives that it held up are paired with
 * their sends.
 */
void mpi_unpost(struct mpi_join *mpi, uint32_t receive);
/*
 * After the last record: writes the links of messages that have no send or no receive,
 * with that end flagged as implied and at the time of the other, and reports how many
 * there are as problems of the trace.  A message whose only end is hidden by MPI_Pcontrol
 * is counted in mpi->hidden instead.  Forgets the receives that are not complete.
 */
void mpi_half_messages(struct mpi_join *mpi);
/* Counts LINK in mpi->tachyons if it ends before it begins; keeps a copy of the first. */
void mpi_check_order(struct mpi_join *mpi, const struct weft_link *link);
/*
 * Reports as a problem of the trace how many messages arrive before they were sent.  No
 * report if none do.
 */
void mpi_report_tachyons(struct mpi_join *mpi);

/* ---- Neighbours (neighbor_collectives.c) ---- */

/*
 * Takes a WEFT_RECORD_MPI_NEIGHBORS: adds its ranks to the neighbours that the thread's
 * process has in the communicator, up to 2^20 in each direction.  If the communicator's
 * handle is unknown, only counts that in mpi->unknown_handles.
 */
void mpi_set_neighbors(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/*
 * Call when DEED begins, at TIME (ns) in the call whose state has the id ENTITY.  If DEED
 * is a neighbourhood collective that its member has entered, sends a message to each
 * neighbour; beyond a limit the messages are only counted.
 */
void mpi_begin_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                         int64_t time);
/*
 * Call when DEED ends, at TIME (ns) in the call whose state has the id ENTITY.  If DEED is
 * a neighbourhood collective that its member has entered, receives a message from each
 * neighbour; beyond a limit the messages are only counted.
 */
void mpi_end_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                       int64_t time);

/* ---- Requests (requests.c) ---- */

/*
 * Lets DEED, which is copied, go on under the request HANDLE of the thread's process,
 * behind older requests of that handle.  A request is persistent if deed->call makes such
 * ones (mpi_calls), and not active until its start.  No effect if DEED is MPI_NOTHING.
 */
void mpi_begin_request(struct mpi_join *mpi, const struct join_thread *thread,
                       uint64_t handle, const struct mpi_deed *deed);
/*
 * Starts the oldest request of HANDLE, if persistent, in the thread's call at TIME (ns):
 * sends, posts the receive, or enters the collective operation.  Returns the id of the
 * event if that is a collective operation that is shown, else WEFT_NO_ID.  No effect if
 * there is no such request.
 */
uint64_t mpi_start_request(struct mpi_join *mpi, const struct join_thread *thread,
                           uint64_t handle, int64_t time);
/*
 * Returns the id of the event of the collective operation that is active under the oldest
 * request HANDLE of the thread's process; WEFT_NO_ID if it is another operation or is not
 * shown.
 */
uint64_t mpi_operation_of_request(const struct mpi_join *mpi,
                                  const struct join_thread *thread, uint64_t handle);
/*
 * Takes a WEFT_RECORD_MPI_COMPLETED at TIME (ns): completes the oldest request of the
 * handle in it, or cancels that if the argument is 1, and removes it; a persistent request
 * stays, inactive.  No effect if the handle is unknown (of MPI_PROC_NULL, for example) or
 * the request is not active.
 */
void mpi_complete_request(struct mpi_join *mpi, const struct join_thread *thread,
                          const struct record *record, int64_t time);
/*
 * Frees the oldest request HANDLE of the thread's process, like MPI_Request_free: its
 * completion will not be recorded, so its posted receive is removed.  No effect if the
 * handle is unknown.
 */
void mpi_free_request(struct mpi_join *mpi, const struct join_thread *thread,
                      uint64_t handle);
/*
 * Takes a WEFT_RECORD_MPI_MATCHED, of a message that MPI_Mprobe or the like has matched:
 * posts its receive, and keeps that for mpi_take_message.  If the communicator's handle is
 * unknown, only counts that in mpi->unknown_handles.
 */
void mpi_match_message(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/*
 * Returns the index in mpi->receives of the posted receive of the message HANDLE, which a
 * probe in the thread's process matched, and forgets the handle.  WEFT_NONE: it is unknown.
 */
uint32_t mpi_take_message(struct mpi_join *mpi, const struct join_thread *thread,
                          uint64_t handle);

/* ---- Operations that calls complete (completing_calls.c) ---- */

/*
 * Notes that the thread's call completes DEED, for mpi_say_completed.  PEER_AND_TAG
 * (weft_mpi_peer_and_tag), from the status, is used where a receive was posted for any
 * source or tag.  No effect if DEED is MPI_NOTHING.
 */
void mpi_note_completed(struct mpi_join *mpi, const struct join_thread *thread,
                        const struct mpi_deed *deed, uint64_t peer_and_tag);
/*
 * Call before the state of the thread's call ends: writes the operations that the call has
 * completed into a field of that state, and the last send's partner and tag if there was no
 * receive among them.  No effect if there are none, or the call is not shown.
 */
void mpi_say_completed(struct mpi_join *mpi, struct mpi_thread *thread);

/* ---- Clocks (clocks.c) ---- */

/*
 * In a pass before the join: takes RECORD of STREAM, a thread's records; its kind must be
 * one of two.  A WEFT_RECORD_MPI_RANK says which rank of which run the records that follow
 * are from.  A WEFT_RECORD_MPI_CLOCK is a comparison of its clock with rank 0's; no effect
 * if the latest WEFT_RECORD_MPI_RANK was of another stream.  Keeps what it finds in
 * recording->comparisons, for mpi_relate_clocks.
 */
void mpi_compare_clocks(struct recording *recording, const struct stream *stream,
                        const struct record *record);
/*
 * After mpi_compare_clocks has taken all records: relates the clocks of hosts to one
 * reference, the clock of the host of rank 0 in the first run with comparisons, by the
 * comparisons with that clock; clocks without any stay as they are.  Frees
 * recording->comparisons and sets it to NULL.
 */
void mpi_relate_clocks(struct recording *recording);

/* ---- Problems (unknown_calls.c) ---- */

/*
 * Reports as problems of the trace the calls, communicators and peers that were not
 * recorded or not understood, as counted in MPI.  No report if there are none.
 */
void mpi_report_unknown(const struct mpi_join *mpi);

/* ---- Handles that calls free (freed_handles.c) ---- */

/*
 * Takes a WEFT_RECORD_MPI_COMMUNICATOR_GONE: from now on its handle means no communicator
 * in the thread's process. mpi_undo_free can restore the meaning if the argument is 0.
 */
void mpi_forget_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record);
/*
 * Takes a WEFT_RECORD_MPI_WINDOW_GONE: from now on its handle means no window in the
 * thread's process. mpi_undo_free can restore the meaning if the argument is 0.
 */
void mpi_forget_window(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/*
 * After the thread's call failed, or was left without a return: restores the meaning of the
 * handle of a communicator or window that the call freed, unless the handle has a new
 * meaning.  No effect if it freed none.
 */
void mpi_undo_free(struct mpi_join *mpi, const struct join_thread *thread);

/* ---- Windows (rma_windows.c) ---- */

/*
 * Adds a window for one-sided transfers to the thread's process.  HANDLE is its handle,
 * COMMUNICATOR that of its communicator; if that is unknown, it is counted in
 * mpi->unknown_handles, and no window is added.
 */
void mpi_add_window(struct mpi_join *mpi, const struct join_thread *thread, uint64_t handle,
                    uint64_t communicator);
/*
 * Returns the index in mpi->windows of the window with HANDLE in the thread's process;
 * WEFT_NONE: it is unknown, or was freed.
 */
uint32_t mpi_find_window(const struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle);
/*
 * Begins a one-sided transfer of BYTES in WINDOW (an index in mpi->windows) to or from RANK
 * of its communicator at TIME (ns), in CALL (enum weft_mpi_call), whose state has the id
 * ENTITY (or WEFT_NO_ID).  Returns it, for mpi_end_transfer.  If the target or the caller
 * was not recorded, that is counted in mpi->unknown_peers, and `what` of the result is
 * MPI_NOTHING.
 */
struct mpi_deed mpi_begin_transfer(struct mpi_join *mpi, const struct join_thread *thread,
                                   uint32_t call, uint32_t window, int32_t rank,
                                   int64_t bytes, uint64_t entity, int64_t time);
/*
 * Completes the one-sided transfer of DEED (MPI_TRANSFER) at TIME (ns), in the call whose
 * state has the id ENTITY, and writes its link, or two for an exchange; if the process's
 * calls are hidden, or were at its begin, only counts it in mpi->hidden.  No effect if it
 * was complete.
 */
void mpi_end_transfer(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                      int64_t time);
/*
 * Forgets the one-sided transfer of DEED, which MPI refused; no effect if it is complete.
 */
void mpi_drop_transfer(struct mpi_join *mpi, const struct mpi_deed *deed);
/*
 * Completes all transfers of WINDOW (an index in mpi->windows) to or from RANK, or to and
 * from all ranks if that is WEFT_MPI_ANY, at TIME (ns), in the call whose state has the id
 * ENTITY, as mpi_end_transfer.
 */
void mpi_end_transfers(struct mpi_join *mpi, uint32_t window, int32_t rank, uint64_t entity,
                       int64_t time);

#endif
