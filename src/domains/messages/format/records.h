/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's records of MPI (recording_layout.h frames them).
 *
 * The recorder keeps no tables: it writes handles as the program has them (communicators,
 * requests, matched messages, windows: a pointer or an integer, as one word), says what a new
 * handle means, and the join follows them.
 *
 * A call is a record WEFT_RECORD_MPI_CALL... at its entry, then what is known at its return,
 * then WEFT_RECORD_MPI_RETURN...; its argument is an enum weft_mpi_call (recording_mpi_calls.h).
 * Peers are ranks in their communicator, of its other group where it has two; a word of peer
 * and tag has the peer in its high half, both signed.  A receive of any source or any tag has
 * WEFT_MPI_ANY there.  Bytes are counted as MPI_Type_size counts them.
 */
#ifndef WEFT_FORMAT_RECORDING_MPI_H
#define WEFT_FORMAT_RECORDING_MPI_H

#include "format/recording_layout.h"

/* Whether clocks of hosts are compared: 0, 1, or, as weft record says to a rank that it starts: */
#define WEFT_MPI_CLOCKS_VARIABLE "WEFT_MPI_CLOCKS"
#define WEFT_MPI_CLOCKS_BY_RANKS                                                           \
 "by-ranks" /* each rank is recorded by itself, so all may be */

enum { WEFT_FAMILY_MPI = 3 };

enum {
    /* A call begins, of which nothing else is known; + site. */
    WEFT_RECORD_MPI_CALL = WEFT_FIRST_KIND(WEFT_FAMILY_MPI),
    /* It sends, or receives (the operation of the call); + site + peer and tag
       + communicator; a send: + bytes. */
    WEFT_RECORD_MPI_CALL_SEND,
    WEFT_RECORD_MPI_CALL_RECEIVE,
    /* It takes part in a collective operation; + site + communicator + bytes that the caller
       sends to each receiver + root, WEFT_MPI_NO_ROOT. */
    WEFT_RECORD_MPI_CALL_COLLECTIVE,
    WEFT_RECORD_MPI_CALL_START, /* it starts a persistent request; + site + request */
    WEFT_RECORD_MPI_CALL_WAIT, /* it waits for this one; + site + request, or 0: for none */
    WEFT_RECORD_MPI_CALL_FILE, /* + site + bytes */
    /* It moves data to or from the memory of a rank of a window's communicator; + site + window
       + rank + bytes. */
    WEFT_RECORD_MPI_CALL_TRANSFER,
    /* When it returns, transfers of the window are complete; + site + window + rank,
       WEFT_MPI_ANY: of all ranks. */
    WEFT_RECORD_MPI_CALL_COMPLETE,

    WEFT_RECORD_MPI_RETURN, /* 0, or what MPI calls an error class */
    /* The receive of the call is done; 1: it was cancelled; + peer and tag + bytes. */
    WEFT_RECORD_MPI_RETURN_RECEIVED,

    /* Further operations of a call. */
    WEFT_RECORD_MPI_SEND,    /* + peer and tag + communicator + bytes */
    WEFT_RECORD_MPI_RECEIVE, /* + peer and tag + communicator */
    /* What the call began goes on under this handle: + request. */
    WEFT_RECORD_MPI_REQUEST,
    WEFT_RECORD_MPI_STARTED,   /* + request */
    WEFT_RECORD_MPI_COMPLETED, /* 1: cancelled; + request + peer and tag + bytes */
    WEFT_RECORD_MPI_FREED,     /* + request: nobody will say when it is complete */
    /* A message was matched by a probe, which is the posting of its receive; + message + peer
       and tag + communicator. */
    WEFT_RECORD_MPI_MATCHED,
    WEFT_RECORD_MPI_TAKE, /* + message: the call receives this one */

    /*
     * A communicator; + handle (0: the caller is not in it) + handle of the one that it was
     * made from + enum weft_mpi_origin | WEFT_MPI_... | weft_mpi_group_tag() + members, as ranks of
     * the process's MPI_COMM_WORLD, in runs (below).
     */
    WEFT_RECORD_MPI_COMMUNICATOR,
    /* 1: by a callback of MPI's, so that the call it is in may fail all the same; + handle */
    WEFT_RECORD_MPI_COMMUNICATOR_GONE,
    WEFT_RECORD_MPI_COMMUNICATOR_NAME, /* + handle + text */

    /* The process is a rank: + rank << 32 | size + identity of the run, or 0
       + MPI_COMM_WORLD + MPI_COMM_SELF + text: the library and its version. */
    WEFT_RECORD_MPI_RANK,
    /* The clocks side by side: + own ticks + ticks of the clock of rank 0 + the error, in own
       ticks. */
    WEFT_RECORD_MPI_CLOCK,
    WEFT_RECORD_MPI_WINDOW,      /* + window + communicator */
    WEFT_RECORD_MPI_WINDOW_GONE, /* as above; + window */
    WEFT_RECORD_MPI_UNKNOWN, /* + text: a library whose calls cannot be recorded; none: there
                                    is no library */
    /* Ranks that the caller sends to in neighbourhood operations (WEFT_MPI_TO), or gets from, after
       those of earlier records; + communicator + how many + a rank each. */
    WEFT_RECORD_MPI_NEIGHBORS,
    /* From here on the calls of the process shall be shown (1), or not (0).  They are recorded
       all the same, as the partners of messages of other times could not be told else. */
    WEFT_RECORD_MPI_SHOWN,
    /* The call was left by a jump or an exception, or its thread ends; or it must have been,
       and so many later ones may have been taken for MPI's own until that was seen. */
    WEFT_RECORD_MPI_LEFT,
    WEFT_RECORD_MPI_END,
};

enum { WEFT_MPI_TO, WEFT_MPI_FROM }; /* arguments of WEFT_RECORD_MPI_NEIGHBORS */

#define WEFT_MPI_ANY     INT32_MIN
#define WEFT_MPI_NO_ROOT UINT64_MAX

/* How a communicator came to be. */
enum weft_mpi_origin {
    WEFT_MPI_OF_ALL,    /* by a call that all members of the old one made, in one order */
    WEFT_MPI_OF_GROUP,  /* by a call of its members only */
    WEFT_MPI_OF_GROUPS, /* from two groups that had none in common */
    WEFT_MPI_ORIGINS,
    WEFT_MPI_SAME = 4, /* bit: the members are those of the old one, and not listed */
    WEFT_MPI_BETWEEN =
        8, /* bit: it is between two groups; those of the other one follow ... */
    WEFT_MPI_OTHER = 16, /* bit: ... in records with this one */
    WEFT_MPI_MORE = 32,  /* bit: more members follow in the next such record */
    /* Bits: the members here are ranks in the old communicator, those of its other group after its
       own: no ranks of the own world. */
    WEFT_MPI_OF_OLD = 64,
    /* Two groups that met: one asked (spawned or connected), the other answered (was spawned, or
       accepted); through a port, that is. */
    WEFT_MPI_ASKED = 128,
    WEFT_MPI_ANSWERED = 256,
    WEFT_MPI_BY_PORT = 512,
    WEFT_MPI_ORIGIN_MASK = 3,
};

enum { WEFT_MPI_NOT_IN_WORLD = 0xffffff }; /* a member that no rank of the own world is */

/* What the program tells apart such communicators of one group by that threads make together. */
static inline uint64_t weft_mpi_group_tag(int32_t tag)
{
    return (uint64_t)(uint32_t)tag << 32;
}

/* A run of members: first rank, how many, and the distance from one to the next. */
static inline uint64_t weft_mpi_run(uint32_t first, uint32_t count, int32_t step)
{
    return (uint64_t)first << 40 | (uint64_t)(count & 0xffffff) << 16 | (uint16_t)step;
}

static inline uint32_t weft_mpi_run_first(uint64_t run)
{
    return (uint32_t)(run >> 40);
}

static inline uint32_t weft_mpi_run_count(uint64_t run)
{
    return (uint32_t)(run >> 16) & 0xffffff;
}

static inline int32_t weft_mpi_run_step(uint64_t run)
{
    return (int16_t)(uint16_t)run;
}

static inline uint64_t weft_mpi_peer_and_tag(int32_t peer, int32_t tag)
{
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static inline int32_t weft_mpi_peer(uint64_t word)
{
    return (int32_t)(uint32_t)(word >> 32);
}

static inline int32_t weft_mpi_tag(uint64_t word)
{
    return (int32_t)(uint32_t)word;
}

#endif
