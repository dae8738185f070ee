/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of the records of MPI: calls become states, messages and transfers links,
 * communicators containers, collective operations events.
 *
 *     mpi.c            the types, and what becomes of each record
 *     worlds.c         ranks, runs of MPI, and groups of different runs that met
 *     communicators.c  communicators and collective operations
 *     requests.c       operations that go on under a request
 *     matching.c       pairs sends with receives
 *     neighbors.c      parts of neighbourhood collectives
 *     windows.c        one-sided transfers
 *     completed.c      the operations that a wait or test completes, as fields of its state
 *     calls.c          the table of calls
 *
 * A run is the set of ranks of one MPI_COMM_WORLD.  A processor is a process that is a
 * rank.  Processors are numbered over all runs in the recording, the first run's by their
 * ranks.  Below, a processor is such a number, and a rank one in a communicator.
 *
 * Records come in order of time, but a receive may come before its send where clocks
 * differ.
 */
#ifndef WEFT_READ_RECORDING_MPI_JOIN_H
#define WEFT_READ_RECORDING_MPI_JOIN_H

#include "base/map.h"
#include "domains/messages/format/calls.h"
#include "domains/messages/format/records.h"
#include "read/recording/join/join.h"

/* ---- The list of calls (calls.c) ---- */

enum mpi_begins { /* format/calls.h says what each means */
                  MPI_BEGINS_NONE,
                  MPI_BEGINS_LATER,
                  MPI_BEGINS_PARTS,
                  MPI_BEGINS_ONE_TO_ALL,
                  MPI_BEGINS_ALL_TO_ONE,
                  MPI_BEGINS_ALL_TO_ALL,
                  MPI_BEGINS_PREFIX,
                  MPI_BEGINS_BARRIER,
                  MPI_BEGINS_NEIGHBORS,
                  MPI_BEGINS_ONE_TO_ALL_LATER,
                  MPI_BEGINS_ALL_TO_ONE_LATER,
                  MPI_BEGINS_ALL_TO_ALL_LATER,
                  MPI_BEGINS_PREFIX_LATER,
                  MPI_BEGINS_BARRIER_LATER,
                  MPI_BEGINS_NEIGHBORS_LATER,
                  MPI_BEGINS_PUT,
                  MPI_BEGINS_GET,
                  MPI_BEGINS_EXCHANGE,
};

struct mpi_call {
    const char *name; /* "MPI_Send" */
    enum weft_role role;
    enum mpi_begins begins;
    enum weft_role pattern; /* of a collective operation, or WEFT_ROLE_NONE */
};
extern const struct mpi_call mpi_calls[WEFT_MPI_N_CALLS];

/* ---- Objects of the join ---- */

enum { MPI_COMPLETED_TEXT = 256 }; /* bytes of text, see completed.c */
/* A record that claims more ranks of a run or members of a group is damage. */
enum { MPI_SIZE_MOST = 1 << 20 };

struct mpi_world { /* a run of MPI */
    uint64_t identity;
    uint32_t first, size;  /* its processors: SIZE from FIRST on */
    uint32_t communicator; /* index of its MPI_COMM_WORLD */
};

struct mpi_operation { /* a collective operation */
    uint64_t event;    /* WEFT_NO_ID while only hidden calls have entered it */
    uint32_t entered;  /* members that have entered it */
};

struct mpi_communicator {
    uint32_t container; /* WEFT_NONE until it is made */
    uint32_t number;
    uint32_t *members[2],
        n[2];       /* of its groups: processors by rank; WEFT_NONE: of no known run */
    bool between;   /* an intercommunicator, which has two groups */
    uint32_t track; /* of its operations, or WEFT_NONE */
    const char *name;
    /*
     * From number first_operation on.  Operations that all members entered are dropped in
     * batches.
     */
    struct mpi_operation *operations;
    uint64_t first_operation, n_operations;
    size_t operations_capacity;
};

struct mpi_ranks {
    int32_t *list;
    size_t n, capacity;
};

/* A process's view of a communicator that it is in.  Never freed. */
struct mpi_member {
    uint32_t communicator, process;
    uint32_t side; /* the index of the process's own group */
    /* Communicators made from this one with all its members, so far. */
    uint64_t made;
    uint64_t operations;  /* collective operations that it has entered */
    uint32_t first, last; /* list of posted receives that are not complete; WEFT_NONE */
    /* Neighbours that it sends to (WEFT_MPI_TO) and receives from (WEFT_MPI_FROM). */
    struct mpi_ranks neighbors[2];
};

/*
 * Sends match receives of the same kind only: whole messages, partitioned ones, or the
 * parts of neighbourhood collectives.
 */
enum mpi_matching { MPI_WHOLE, MPI_PARTS, MPI_OF_NEIGHBORS };

/* A posted receive.  It is freed when it is paired with a send. */
struct mpi_receive {
    uint32_t member;
    /* Processor and tag: of the message when complete; before, WEFT_MPI_ANY for any. */
    int32_t source, tag;
    enum mpi_matching matching;
    bool complete;
    bool hidden;    /* completed by a hidden call */
    uint64_t order; /* position among the receives that its process posted */
    /*
     * In the member's list of incomplete receives; next also links the lists of waits, of a
     * channel, and of free receives.
     */
    uint32_t previous, next;
    /* Complete receives that wait for this one, in order of posting. */
    uint32_t waits, last_waits;
    int64_t bytes, end;
    uint64_t entity; /* state of the call that completed it */
};

struct mpi_send { /* a message that no receive was paired with yet */
    uint32_t next;
    bool hidden; /* sent by a hidden call */
    int64_t bytes, begin;
    uint64_t entity;
};

/* Messages from one processor to another with one tag in one communicator. */
struct mpi_channel {
    uint32_t communicator, from, to;
    int32_t tag;
    enum mpi_matching matching;
    uint32_t first_send, last_send, first_receive,
        last_receive; /* unpaired, in order; the receives are complete */
};

enum mpi_what { MPI_NOTHING, MPI_SEND, MPI_RECEIVE, MPI_COLLECTIVE, MPI_TRANSFER };

/*
 * An operation of a call, or under a request.  A persistent request repeats it at each
 * start.
 */
struct mpi_deed {
    enum mpi_what what;
    uint32_t call;
    uint32_t member;
    uint64_t peer_and_tag; /* as recorded; the root of a collective operation */
    int64_t bytes;
    uint32_t index;  /* of the posted receive, or of the transfer */
    uint64_t serial; /* of the transfer: its slot may have been reused */
    bool takes_part; /* it has entered a collective operation ... */
    uint64_t event;  /* ... with this event; WEFT_NO_ID: of a hidden call */
};

struct mpi_request {
    uint32_t next; /* younger request of the same handle; the oldest completes first */
    bool persistent, active;
    struct mpi_deed deed;
};

struct mpi_transfer {
    uint32_t process, window; /* the origin; index into windows */
    uint32_t next;            /* older one of the window; WEFT_NONE */
    uint64_t serial;          /* 0: free */
    bool hidden;              /* begun by a hidden call */
    int32_t rank;             /* of the target */
    uint32_t call;
    struct weft_link link;
    int64_t bytes;
};

struct mpi_window {
    uint32_t member;
    uint32_t first; /* newest transfer that is not complete; WEFT_NONE */
};

struct mpi_process {
    uint32_t processor; /* WEFT_NONE: the process is no rank */
    uint32_t world;
    /*
     * Indices by handle: of the member, the oldest request, the posted receive of a matched
     * message, the window.
     */
    struct weft_id_map members, requests, messages, windows;
    uint64_t posted; /* receives so far */
    /* Its WEFT_RECORD_MPI_RANK has been taken; the join begins with processor and world. */
    bool begun;
    uint32_t meetings, n_meetings; /* its next meeting in scanned, and how many are left */
    bool hidden;      /* MPI_Pcontrol has stopped the recording: its calls are not shown */
    int64_t shown_at; /* when MPI_Pcontrol last showed them again; INT64_MIN: never */
};

/* The members of a new communicator, while its records are read. */
struct mpi_making {
    uint32_t *members[2], n[2];
    size_t capacity[2];
};

/* The operations that a call has completed so far. */
struct mpi_completed {
    size_t n, named; /* operations; those of them that are in the text */
    char text[MPI_COMPLETED_TEXT];
    size_t length;
    bool received;    /* a message was among them; its link names the sender */
    uint32_t partner; /* container that the last send among them went to; WEFT_NONE */
    int32_t tag;
};

/* Value in a map of a handle that was given back: maps cannot remove keys. */
#define MPI_GONE (WEFT_MAP_NONE - 1)
/* A handle that a call gives back, and what it meant. */
struct mpi_gone {
    uint64_t handle;
    uint32_t index; /* WEFT_NONE: the call gives no handle back */
    bool is_window;
};

struct mpi_thread {
    uint32_t track; /* of its calls, or WEFT_NONE */
    bool open;      /* its call is on the track */
    uint32_t call;
    uint64_t state;       /* of its call in the trace; WEFT_NO_ID: it is hidden */
    struct mpi_deed deed; /* of its call, until a request takes it over */
    bool goes_on;         /* a request has taken the call's operation over */
    uint32_t receive;     /* completed by the return of the call; WEFT_NONE */
    bool unrecorded;      /* the state "not recorded" is on the track ... */
    int64_t hidden_at;    /* ... since this time */
    /* Transfers of this window are complete when the call returns; WEFT_NONE. */
    uint32_t window;
    int32_t window_rank; /* only those to this rank, or WEFT_MPI_ANY */
    /* The message that the call itself sent, to be cancelled if it fails. */
    struct mpi_deed sent;
    struct mpi_gone gone;
    struct mpi_making making;
    struct mpi_completed completed;
};

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

struct mpi_join {
    struct join *join;
    struct mpi_types types;
    struct mpi_process *processes; /* by index in recording->processes */
    struct mpi_thread *threads;    /* by index in join->threads */
    /* Values of states and of events, by call; WEFT_NONE until used. */
    uint32_t values[WEFT_MPI_N_CALLS], operations[WEFT_MPI_N_CALLS];

    struct mpi_world *worlds;
    size_t n_worlds, worlds_capacity;
    struct mpi_scanned *scanned; /* NULL: no records of ranks */
    uint32_t *process_of;        /* by processor; WEFT_NONE: not recorded */
    size_t n_processors, processors_capacity;
    struct mpi_communicator *communicators;
    size_t n_communicators, communicators_capacity;
    uint32_t n_shown; /* communicators that have a container */
    struct mpi_member *members;
    size_t n_members, members_capacity;
    /* Communicators by struct identity, see communicators.c. */
    struct weft_text_map identities;
    /* Number made so far less one, by identity and process. */
    struct weft_text_map makings;

    struct mpi_channel *channels;
    size_t n_channels, channels_capacity;
    struct weft_text_map channel_map;
    struct mpi_send *sends;
    size_t n_sends, sends_capacity;
    uint32_t free_send;
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
    uint64_t serial;

    /*
     * Ranks in lists and parts of neighbourhood collectives so far, and those beyond the
     * limits (limits.c, neighbors.c).
     */
    uint64_t n_ranks, n_parts, lists_left_out, parts_left_out;
    uint64_t tachyons, unknown_peers, unknown_handles;
    uint64_t worldless; /* communicators of processes that have no known rank */
    /* Calls not recorded, as they seemed nested in one that was left unseen. */
    uint64_t passed;
    uint64_t failed_operations; /* calls of collective operations that failed */
    uint32_t unrecorded;        /* the value "not recorded"; WEFT_NONE until used */
    /* Messages and transfers not shown, since a call at an end is hidden. */
    uint64_t hidden;
    struct weft_link tachyon; /* the first message that ends before it begins */
    /*
     * The MPI library whose calls could not be recorded: "" if the program had none, NULL
     * if all could be.
     */
    const char *library;
};

/* ---- Runs, and groups of different runs that met (worlds.c) ---- */

/*
 * Takes a record of the pass before the join: of a rank, or of a communicator of two groups
 * that met.  Keeps what it finds in recording->worlds.
 */
void mpi_scan_worlds(struct recording *recording, const struct stream *stream,
                     const struct record *record);
/* After that pass: makes the runs, numbers the processors, and pairs meetings. */
void mpi_make_worlds(struct mpi_join *mpi);
/*
 * Takes the process's next meeting, and puts the processors of the other group into
 * MEMBERS, of N.  Returns false, and leaves MEMBERS, if that group is not known or has not
 * N members.
 */
bool mpi_meet(struct mpi_join *mpi, uint32_t process, uint32_t *members, uint32_t n);
void mpi_free_worlds(struct mpi_join *mpi);

/* ---- Communicators and ranks (communicators.c) ---- */

/*
 * Returns true if N more ranks in lists are within the limit, and counts them; else counts
 * a list that is left out.
 */
bool mpi_has_room(struct mpi_join *mpi, uint64_t n);
/* Reports lists and parts that were left out. */
void mpi_report_limits(const struct mpi_join *mpi);

/*
 * Returns the run with this identity and size in which RANK is free, made if there is none;
 * WEFT_NONE if its ranks are beyond the limit.
 */
uint32_t mpi_find_world(struct mpi_join *mpi, uint64_t identity, uint32_t rank,
                        uint32_t size);
/* Makes the communicators that the process has from the beginning, and names it. */
void mpi_take_rank(struct mpi_join *mpi, const struct join_thread *thread,
                   const struct record *record, int64_t time);
/*
 * Adds the members in the record; the last of several records finds or makes the
 * communicator.
 */
void mpi_take_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                           const struct record *record, int64_t time);
void mpi_take_name(struct mpi_join *mpi, const struct join_thread *thread,
                   const struct record *record);
/*
 * Returns the process's view of the communicator with this handle; WEFT_NONE, and counts
 * it, if there is none.
 */
uint32_t mpi_find_member(struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle);
/*
 * Returns the processor of RANK in the group that the member sends to, which is the remote
 * group of an intercommunicator; WEFT_NONE if there is none.
 */
uint32_t mpi_peer(struct mpi_join *mpi, uint32_t member, int32_t rank);
/* Returns the communicator's container, made at TIME if there is none. */
uint32_t mpi_container(struct mpi_join *mpi, uint32_t communicator, int64_t time);
/* Returns the container of the processor's process; WEFT_NONE if it was not recorded. */
uint32_t mpi_processor(const struct mpi_join *mpi, uint32_t processor);
/*
 * The member enters its next collective operation by CALL.  Returns the operation's event;
 * WEFT_NO_ID if the call is hidden.
 */
uint64_t mpi_operation(struct mpi_join *mpi, uint32_t member, uint32_t call, uint64_t root,
                       int64_t time);
void mpi_report_ranks(struct mpi_join *mpi);
void mpi_free_communicators(struct mpi_join *mpi);

/* ---- Calls (mpi.c), and hidden ones (hidden.c) ---- */

/* Returns the track of the thread's calls, made if there is none. */
uint32_t mpi_call_track(struct mpi_join *mpi, const struct join_thread *thread);
/*
 * Pushes the state "not recorded" at TIME if the process's calls are hidden and the thread
 * is not in it.
 */
void mpi_hide(struct mpi_join *mpi, const struct join_thread *thread, int64_t time);
/*
 * Ends the thread's state "not recorded" at TIME, or when another thread showed the
 * process's calls again, if that was before.
 */
void mpi_show(struct mpi_join *mpi, const struct join_thread *thread, int64_t time);
void mpi_report_hidden(const struct mpi_join *mpi);

/* ---- Messages (matching.c) ---- */

/*
 * The member sends a message in the call ENTITY.  PEER_AND_TAG is as recorded, here and
 * below.
 */
void mpi_send(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag, int64_t bytes,
              enum mpi_matching matching, uint64_t entity, int64_t time);
/*
 * Removes the newest unpaired send of the channel, for a send that was cancelled.  Returns
 * false if there is none.  Costs the number of unpaired sends.
 */
bool mpi_send_cancelled(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                        enum mpi_matching matching);
/* Posts a receive; returns its index, valid until mpi_receive or mpi_unpost. */
uint32_t mpi_post(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                  enum mpi_matching matching);
/* Completes a posted receive in the call ENTITY.  The index is no longer valid. */
void mpi_receive(struct mpi_join *mpi, uint32_t receive, uint64_t peer_and_tag,
                 int64_t bytes, uint64_t entity, int64_t time);
/* Removes a posted receive whose completion will not be recorded. */
void mpi_unpost(struct mpi_join *mpi, uint32_t receive);
/*
 * After the last record: writes and reports messages without a send or without a receive.
 */
void mpi_half_messages(struct mpi_join *mpi);
/* Counts the link if it ends before it begins, and keeps the first such one. */
void mpi_check_order(struct mpi_join *mpi, const struct weft_link *link);
void mpi_report_tachyons(struct mpi_join *mpi);

/* ---- Neighbours (neighbors.c) ---- */

void mpi_take_neighbors(struct mpi_join *mpi, const struct join_thread *thread,
                        const struct record *record);
/*
 * Begins or ends DEED in the call ENTITY: in a neighbourhood collective one part is sent
 * to, or received from, each neighbour.  Other operations have no effect.
 */
void mpi_begin_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                         int64_t time);
void mpi_end_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                       int64_t time);

/* ---- Requests (requests.c) ---- */

/* DEED goes on under this handle.  Copied; no effect if it is MPI_NOTHING. */
void mpi_begin_request(struct mpi_join *mpi, const struct join_thread *thread,
                       uint64_t handle, const struct mpi_deed *deed);
/*
 * The thread's call starts a persistent request.  Returns the event if it is a collective
 * operation, else WEFT_NO_ID.
 */
uint64_t mpi_start_request(struct mpi_join *mpi, const struct join_thread *thread,
                           uint64_t handle, int64_t time);
/*
 * Returns the event of the collective operation that is active under the handle, or
 * WEFT_NO_ID.
 */
uint64_t mpi_operation_of_request(const struct mpi_join *mpi,
                                  const struct join_thread *thread, uint64_t handle);
/* Completes the oldest request of the handle, or cancels it, as the record says. */
void mpi_complete_request(struct mpi_join *mpi, const struct join_thread *thread,
                          const struct record *record, int64_t time);
/* MPI_Request_free: the completion of the oldest request will not be recorded. */
void mpi_free_request(struct mpi_join *mpi, const struct join_thread *thread,
                      uint64_t handle);
/* Posts the receive of a message that a probe has matched. */
void mpi_match_message(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/*
 * Returns the posted receive of a matched message and forgets the handle; WEFT_NONE if it
 * is unknown.
 */
uint32_t mpi_take_message(struct mpi_join *mpi, const struct join_thread *thread,
                          uint64_t handle);

/* ---- Operations that calls complete (completed.c) ---- */

/*
 * The thread's call completes DEED.  PEER_AND_TAG is from the status, and used where a
 * receive was posted for any source or tag.
 */
void mpi_note_completed(struct mpi_join *mpi, const struct join_thread *thread,
                        const struct mpi_deed *deed, uint64_t peer_and_tag);
/* The call ends: writes its fields. */
void mpi_say_completed(struct mpi_join *mpi, struct mpi_thread *thread);

/* ---- Clocks (clocks.c) ---- */

/*
 * Takes a record of the first pass: of a rank, or a comparison of its clock with rank 0's.
 */
void mpi_compare_clocks(struct recording *recording, const struct stream *stream,
                        const struct record *record);
void mpi_relate_clocks(struct recording *recording);

/* ---- Problems (unknown.c) ---- */

/* Reports calls and communicators that were not recorded or not understood. */
void mpi_report_unknown(const struct mpi_join *mpi);

/* ---- Handles that are given back (gone.c) ---- */

/* The handle in the record's first word means nothing from now on. */
void mpi_forget_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record);
void mpi_forget_window(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/*
 * The thread's call failed: the handle that it gave back means again what it did, unless it
 * has a new meaning.
 */
void mpi_take_back(struct mpi_join *mpi, const struct join_thread *thread);

/* ---- Windows (windows.c) ---- */

void mpi_take_window(struct mpi_join *mpi, const struct join_thread *thread,
                     uint64_t handle, uint64_t communicator);
/* Returns the index of the window with this handle, or WEFT_NONE. */
uint32_t mpi_find_window(const struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle);
/*
 * Begins a transfer of BYTES to or from RANK.  The result's what is MPI_NOTHING, and that
 * is counted, if the target or the caller was not recorded.
 */
struct mpi_deed mpi_begin_transfer(struct mpi_join *mpi, const struct join_thread *thread,
                                   uint32_t call, uint32_t window, int32_t rank,
                                   int64_t bytes, uint64_t entity, int64_t time);
/* Completes a transfer, unless mpi_end_transfers has. */
void mpi_end_transfer(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                      int64_t time);
/* Forgets a transfer that MPI refused. */
void mpi_drop_transfer(struct mpi_join *mpi, const struct mpi_deed *deed);
/* Completes the window's transfers to RANK, or to all if it is WEFT_MPI_ANY. */
void mpi_end_transfers(struct mpi_join *mpi, uint32_t window, int32_t rank, uint64_t entity,
                       int64_t time);

#endif
