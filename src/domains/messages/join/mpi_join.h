/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI, joined.  mpi.c takes the records and makes states of calls; worlds.c knows who is which
 * rank of which run, communicators.c knows communicators, requests.c what goes on under a request,
 * matching.c which receive got which message, windows.c transfers between memories; completed.c
 * says what a call completes; calls.c is the list of calls.
 *
 * A processor is a process with a rank.  Processors are numbered over all runs of MPI that the
 * recording holds, the first run's by their ranks.  All ranks below are such numbers, but where
 * a comment says otherwise.
 *
 * Records come in order of time, but a receive may come before its send where clocks differ.
 */
#ifndef WEFT_READ_RECORDING_MPI_JOIN_H
#define WEFT_READ_RECORDING_MPI_JOIN_H

#include "base/map.h"
#include "domains/messages/format/calls.h"
#include "domains/messages/format/records.h"
#include "read/recording/join/join.h"

/* ---- The list of calls (calls.c) ---- */

enum mpi_begins { /* what a call begins: recording_mpi_calls.h */
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
    enum weft_role pattern; /* of a collective operation, or none */
};
extern const struct mpi_call mpi_calls[WEFT_MPI_N_CALLS];

/* ---- What there is ---- */

enum { MPI_COMPLETED_TEXT = 256 }; /* bytes */
/* A run with more ranks than this is damage. */
enum { MPI_SIZE_MOST = 1 << 20 };

struct mpi_world { /* one run of MPI */
    uint64_t identity;
    uint32_t first, size;  /* its processors */
    uint32_t communicator; /* its MPI_COMM_WORLD */
};

struct mpi_operation { /* a collective one */
    uint64_t event;    /* WEFT_NO_ID: no call that takes part in it is shown so far */
    uint32_t entered;  /* members that have */
};

struct mpi_communicator {
    uint32_t container; /* WEFT_NONE: not made yet */
    uint32_t number;
    uint32_t *members[2],
        n[2];       /* of its groups, by rank there; WEFT_NONE: in no run known */
    bool between;   /* there are two groups */
    bool single;    /* MPI_COMM_SELF: a container only when it is used */
    uint32_t track; /* of its operations, or WEFT_NONE */
    const char *name;
    struct mpi_operation *operations; /* those that not all have entered, and some more */
    uint64_t first_operation, n_operations;
    size_t operations_capacity;
};

struct mpi_ranks {
    int32_t *list;
    size_t n, capacity;
};

/* A member's view of a communicator, from its making to its end. */
struct mpi_member {
    uint32_t communicator, process;
    uint32_t side;        /* the member's group */
    uint64_t made;        /* communicators that it made of this one with all others */
    uint64_t operations;  /* that it took part in */
    uint32_t first, last; /* receives that were posted and are not complete; WEFT_NONE */
    /* Ranks that it sends to, and gets from, in operations between neighbours. */
    struct mpi_ranks neighbors[2];
};

/* What matches what: messages among themselves, parts of them, those of operations. */
enum mpi_matching { MPI_WHOLE, MPI_PARTS, MPI_OF_NEIGHBORS };

/* A receive that was posted. */
struct mpi_receive {
    uint32_t member;
    int32_t source, tag; /* processor; WEFT_MPI_ANY.  When complete: the message's */
    enum mpi_matching matching;
    bool complete, cancelled;
    bool hidden;                /* completed by a call that is not shown */
    uint64_t order;             /* of posting, in its process */
    uint32_t previous, next;    /* of the member's; next, too: of those that wait for one */
    uint32_t waits, last_waits; /* those that wait for this one, as they were posted */
    int64_t bytes, end;
    uint64_t entity; /* the call that completed it */
};

struct mpi_send { /* that no receive has got yet */
    uint32_t next;
    bool hidden; /* by a call that is not shown */
    int64_t bytes, begin;
    uint64_t entity;
};

/* Messages from one processor to another with one tag in one communicator. */
struct mpi_channel {
    uint32_t communicator, from, to;
    int32_t tag;
    enum mpi_matching matching;
    uint32_t first_send, last_send, first_receive,
        last_receive; /* that lack the other end */
};

enum mpi_what { MPI_NOTHING, MPI_SEND, MPI_RECEIVE, MPI_COLLECTIVE, MPI_TRANSFER };

/* What is done under a request, or would be when it is started. */
struct mpi_deed {
    enum mpi_what what;
    uint32_t call;
    uint32_t member;
    uint64_t peer_and_tag; /* as recorded; of a collective operation: the root */
    int64_t bytes;
    uint32_t index;  /* of the receive that is posted, of the transfer */
    uint64_t serial; /* of the transfer */
    bool takes_part; /* in an operation, from now on ... */
    uint64_t event;  /* ... which is this event; WEFT_NO_ID where the call is not shown */
};

struct mpi_request {
    uint32_t next; /* of the same handle: the oldest is complete first */
    bool persistent, active;
    struct mpi_deed deed;
};

struct mpi_transfer {
    uint32_t process, window; /* that began it; index into windows */
    uint32_t next;            /* of the window; WEFT_NONE */
    uint64_t serial;          /* 0: free */
    bool hidden;              /* it was begun by a call that is not shown */
    int32_t rank;             /* of the target, in the communicator */
    uint32_t call;
    struct weft_link link;
    int64_t bytes;
};

struct mpi_window {
    uint32_t member;
    uint32_t first; /* transfer that is not complete; WEFT_NONE */
};

struct mpi_process {
    uint32_t processor; /* WEFT_NONE: it is no rank */
    uint32_t world;
    struct weft_id_map members, requests, messages, windows; /* by handle */
    uint64_t posted;                                         /* receives so far */
    bool begun; /* its record has come; who is which rank is known before */
    uint32_t meetings, n_meetings; /* its first one; those that have not come yet */
    bool hidden;      /* MPI_Pcontrol has stopped the recording: calls are not shown */
    int64_t shown_at; /* since when they have been again, the last time; INT64_MIN: never */
};

/* A communicator whose members are being told. */
struct mpi_making {
    uint32_t *members[2], n[2];
    size_t capacity[2];
};

/* What a call has completed so far. */
struct mpi_completed {
    size_t n, named; /* operations; those that have no room in the text are counted */
    char text[MPI_COMPLETED_TEXT];
    size_t length;
    bool received;    /* a message, whose link says from whom */
    uint32_t partner; /* container that it sent to; WEFT_NONE */
    int32_t tag;
};

/* What meant a handle that a call gives back. */
#define MPI_GONE (WEFT_MAP_NONE - 1) /* in its place: maps do not forget */
struct mpi_gone {
    uint64_t handle;
    uint32_t index; /* WEFT_NONE: the call gives none back */
    bool is_window;
};

struct mpi_thread {
    uint32_t track; /* of its calls, or WEFT_NONE */
    bool open;      /* in a call ... */
    uint32_t call;
    uint64_t state;       /* ... and what it is in the trace */
    struct mpi_deed deed; /* that goes on when a request follows */
    bool goes_on;         /* under a request */
    uint32_t receive;     /* that the call completes; WEFT_NONE */
    bool unrecorded;      /* in the state that says so ... */
    int64_t hidden_at;    /* ... since this time */
    uint32_t window;      /* whose transfers it completes; WEFT_NONE */
    int32_t window_rank;  /* those to this rank, or WEFT_MPI_ANY */
    struct mpi_deed sent; /* the message that the call has begun at once, if any */
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
    struct mpi_process *processes; /* as join->processes */
    struct mpi_thread *threads;    /* as join->threads */
    uint32_t values[WEFT_MPI_N_CALLS], operations[WEFT_MPI_N_CALLS]; /* WEFT_NONE: unused */

    struct mpi_world *worlds;
    size_t n_worlds, worlds_capacity;
    struct mpi_scanned *scanned; /* NULL: of no rank there is anything */
    uint32_t *process_of;        /* by processor; WEFT_NONE */
    size_t n_processors, processors_capacity;
    struct mpi_communicator *communicators;
    size_t n_communicators, communicators_capacity;
    uint32_t n_shown; /* that have a container */
    struct mpi_member *members;
    size_t n_members, members_capacity;
    struct weft_text_map identities; /* of communicators */
    struct weft_text_map makings;    /* by a group alone: how many so far */

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
     * What a few bytes may claim, and what was left out of it: ranks in lists, and parts of
     * operations between neighbours.
     */
    uint64_t n_ranks, n_parts, lists_left_out, parts_left_out;
    uint64_t tachyons, unknown_peers, unknown_handles, foreign;
    uint64_t worldless; /* communicators of processes whose rank is not known */
    uint64_t passed;    /* calls that seemed to be part of one that was left unseen */
    uint64_t failed_operations; /* calls of collective ones */
    uint32_t unrecorded; /* the value of stretches that are hidden; WEFT_NONE: none is */
    uint64_t hidden;     /* messages and transfers of which an end is not shown */
    struct weft_link tachyon; /* the first one */
    const char *library;      /* whose calls could not be recorded, or NULL */
};

/* ---- Who is in which run, and which runs met (worlds.c) ---- */

/* The reading of all streams before the join: ranks, and groups that met others. */
void mpi_scan_worlds(struct recording *recording, const struct stream *stream,
                     const struct record *record);
/* It is over: make the runs and number the processors. */
void mpi_make_worlds(struct mpi_join *mpi);
/*
 * A process tells of its next meeting: the processors of the group that its own one met, as
 * many as it says, into MEMBERS; false: that group's recording is missing.
 */
bool mpi_meet(struct mpi_join *mpi, uint32_t process, uint32_t *members, uint32_t n);
void mpi_free_worlds(struct mpi_join *mpi);

/* ---- Communicators and ranks (communicators.c) ---- */

/* Room for N more ranks in lists; false: they are left out, and counted. */
bool mpi_has_room(struct mpi_join *mpi, uint64_t n);
/* Problems, when any of that was left out. */
void mpi_report_limits(const struct mpi_join *mpi);

/*
 * The run of MPI that a process belongs to: one of this identity that lacks its rank.  WEFT_NONE:
 * there is no room for one so large.
 */
uint32_t mpi_find_world(struct mpi_join *mpi, uint64_t identity, uint32_t rank,
                        uint32_t size);
void mpi_take_rank(struct mpi_join *mpi, const struct join_thread *thread,
                   const struct record *record, int64_t time);
void mpi_take_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                           const struct record *record, int64_t time);
void mpi_take_name(struct mpi_join *mpi, const struct join_thread *thread,
                   const struct record *record);
/* The process's view of the communicator with this handle; WEFT_NONE, and counted. */
uint32_t mpi_find_member(struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle);
/* The processor with a rank in the group that the member sends to; WEFT_NONE. */
uint32_t mpi_peer(struct mpi_join *mpi, uint32_t member, int32_t rank);
/* Its container, made when it is the first time. */
uint32_t mpi_container(struct mpi_join *mpi, uint32_t communicator, int64_t time);
/* The processor's container; WEFT_NONE when its recording is missing. */
uint32_t mpi_processor(const struct mpi_join *mpi, uint32_t processor);
/* A member enters its next collective operation, of this call; the event's id, or WEFT_NO_ID
 * where the call is not shown. */
uint64_t mpi_operation(struct mpi_join *mpi, uint32_t member, uint32_t call, uint64_t root,
                       int64_t time);
void mpi_report_ranks(struct mpi_join *mpi);
void mpi_free_communicators(struct mpi_join *mpi);

/* ---- Calls (mpi.c), and those that are hidden (hidden.c) ---- */

/* The track of the thread's calls, made when it is the first time. */
uint32_t mpi_call_track(struct mpi_join *mpi, const struct join_thread *thread);
/* A call of the thread is hidden from TIME on: the track says so, if its process has stopped. */
void mpi_hide(struct mpi_join *mpi, const struct join_thread *thread, int64_t time);
/* The thread has something to show at TIME. */
void mpi_show(struct mpi_join *mpi, const struct join_thread *thread, int64_t time);
void mpi_report_hidden(const struct mpi_join *mpi);

/* ---- Messages (matching.c) ---- */

/* PEER_AND_TAG as recorded.  ENTITY: the call. */
void mpi_send(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag, int64_t bytes,
              enum mpi_matching matching, uint64_t entity, int64_t time);
/* The send was cancelled; false: somebody has got the message. */
bool mpi_send_cancelled(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                        enum mpi_matching matching);
uint32_t mpi_post(struct mpi_join *mpi, uint32_t member, uint64_t peer_and_tag,
                  enum mpi_matching matching);
/* The posted receive is complete, by the call ENTITY. */
void mpi_receive(struct mpi_join *mpi, uint32_t receive, uint64_t peer_and_tag,
                 int64_t bytes, uint64_t entity, int64_t time);
/* It never will be, or nobody will know. */
void mpi_unpost(struct mpi_join *mpi, uint32_t receive);
/* At the end: what lacks a send or a receive. */
void mpi_half_messages(struct mpi_join *mpi);
/* A link runs backwards: counted, and the first one kept. */
void mpi_check_order(struct mpi_join *mpi, const struct weft_link *link);
void mpi_report_tachyons(struct mpi_join *mpi);

/* ---- Neighbours (neighbors.c) ---- */

void mpi_take_neighbors(struct mpi_join *mpi, const struct join_thread *thread,
                        const struct record *record);
/* DEED is a collective operation: it begins, or is complete; of neighbours, messages go. */
void mpi_begin_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                         int64_t time);
void mpi_end_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                       int64_t time);

/* ---- Requests (requests.c) ---- */

/* DEED goes on under this handle. */
void mpi_begin_request(struct mpi_join *mpi, const struct join_thread *thread,
                       uint64_t handle, const struct mpi_deed *deed);
/* A persistent request is started by the call STATE; the event of a collective operation. */
uint64_t mpi_start_request(struct mpi_join *mpi, const struct join_thread *thread,
                           uint64_t handle, int64_t time);
/* Which operation's event the wait for it is part of; WEFT_NO_ID. */
uint64_t mpi_operation_of_request(const struct mpi_join *mpi,
                                  const struct join_thread *thread, uint64_t handle);
void mpi_complete_request(struct mpi_join *mpi, const struct join_thread *thread,
                          const struct record *record, int64_t time);
void mpi_free_request(struct mpi_join *mpi, const struct join_thread *thread,
                      uint64_t handle);
void mpi_match_message(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/* The receive of a matched message; WEFT_NONE. */
uint32_t mpi_take_message(struct mpi_join *mpi, const struct join_thread *thread,
                          uint64_t handle);

/* ---- What calls complete (completed.c) ---- */

/* The current call of the thread completes this; PEER_AND_TAG: of what it received. */
void mpi_note_completed(struct mpi_join *mpi, const struct join_thread *thread,
                        const struct mpi_deed *deed, uint64_t peer_and_tag);
/* The call is over: fields of its state. */
void mpi_say_completed(struct mpi_join *mpi, struct mpi_thread *thread);

/* ---- Clocks (clocks.c) ---- */

/* The first reading of all: who is rank 0, and who compared its clock with that one's. */
void mpi_compare_clocks(struct recording *recording, const struct stream *stream,
                        const struct record *record);
void mpi_relate_clocks(struct recording *recording);

/* ---- What could not be followed (unknown.c) ---- */

/* At the end. */
void mpi_report_unknown(const struct mpi_join *mpi);

/* ---- What is gone (gone.c) ---- */

/* Of the handle in the record's first word. */
void mpi_forget_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record);
void mpi_forget_window(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record);
/* The thread's call has failed: what it was to give back is there. */
void mpi_take_back(struct mpi_join *mpi, const struct join_thread *thread);

/* ---- Windows (windows.c) ---- */

void mpi_take_window(struct mpi_join *mpi, const struct join_thread *thread,
                     uint64_t handle, uint64_t communicator);
uint32_t mpi_find_window(const struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle);
/* The deed of a call that moves BYTES to or from RANK of the window's communicator. */
struct mpi_deed mpi_begin_transfer(struct mpi_join *mpi, const struct join_thread *thread,
                                   uint32_t call, uint32_t window, int32_t rank,
                                   int64_t bytes, uint64_t entity, int64_t time);
void mpi_end_transfer(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                      int64_t time);
/* It was refused: there is none. */
void mpi_drop_transfer(struct mpi_join *mpi, const struct mpi_deed *deed);
/* Those of the window to RANK, or to all. */
void mpi_end_transfers(struct mpi_join *mpi, uint32_t window, int32_t rank, uint64_t entity,
                       int64_t time);

#endif
