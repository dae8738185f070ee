/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of MPI in a recording (recording_layout.h frames them).  The recorder keeps
 * no tables: it writes handles as the program has them (communicators, requests, matched
 * messages, windows: a pointer or an integer, as one word), and the join learns from other
 * records what a handle means.
 *
 * A call is a record WEFT_RECORD_MPI_CALL... at its entry, then records of what is known at
 * its return, then WEFT_RECORD_MPI_RETURN...; the argument of the first is an enum
 * weft_mpi_call (call_table.h).  A peer is a rank in the communicator, in the remote group
 * of an intercommunicator.  A word of peer and tag has the peer in its high half, both
 * signed; a receive of any source or any tag has WEFT_MPI_ANY there.  Bytes are counted as
 * MPI_Type_size counts them.
 *
 * Below, "+" precedes a word of the record, and "1:" the meaning of an argument.
 */
#ifndef WEFT_FORMAT_RECORDING_MPI_H
#define WEFT_FORMAT_RECORDING_MPI_H

#include "format/recording_layout.h"
#include "format/stack_words.h"

/*
 * Name of the environment variable for comparing the clocks of hosts: 0, they are not
 * compared; 1, all ranks compare theirs; "by-ranks": every rank is recorded, so the first
 * rank of each host compares its clock if there are several hosts.  Unset: like "by-ranks",
 * but only under a launcher like MPICH's, which hands its environment on to all hosts;
 * under others they are not compared.
 */
#define WEFT_MPI_CLOCKS_VARIABLE "WEFT_MPI_CLOCKS"
/* Value of WEFT_MPI_CLOCKS_VARIABLE: every rank is recorded by its own `weft record`. */
#define WEFT_MPI_CLOCKS_BY_RANKS                                                           \
 "by-ranks" /* set by a weft record that is itself a rank of MPI */

/* The number of this family of records, which is a part of their kinds. */
enum { WEFT_FAMILY_MPI = 3 };

/*
 * Kinds of records of MPI.  "+" precedes each word that follows, "1:" the meaning of that
 * argument; the argument of WEFT_RECORD_MPI_CALL... is an enum weft_mpi_call.  A site is
 * the return address of the program's call.  Communicators, requests, messages and windows
 * are handles.
 */
enum {
    /* A call begins; + site. */
    WEFT_RECORD_MPI_CALL = WEFT_FIRST_KIND(WEFT_FAMILY_MPI),
    /* A call begins that sends; + site + peer and tag + communicator + bytes. */
    WEFT_RECORD_MPI_CALL_SEND,
    /* A call begins that receives; + site + peer and tag asked for + communicator. */
    WEFT_RECORD_MPI_CALL_RECEIVE,
    /*
     * A call of a collective operation begins; + site + communicator + bytes that the
     * caller sends to each receiver, on average + root, or WEFT_MPI_NO_ROOT.
     */
    WEFT_RECORD_MPI_CALL_COLLECTIVE,
    WEFT_RECORD_MPI_CALL_START, /* MPI_Start begins; + site + request */
    WEFT_RECORD_MPI_CALL_WAIT, /* MPI_Wait begins; + site + request, or 0: a null request */
    WEFT_RECORD_MPI_CALL_FILE, /* a call on a file begins; + site + bytes */
    /* A one-sided transfer begins; + site + window + target rank + bytes. */
    WEFT_RECORD_MPI_CALL_TRANSFER,
    /*
     * A call begins; at its return transfers of the window are complete; + site + window +
     * target rank, or WEFT_MPI_ANY: of all ranks.
     */
    WEFT_RECORD_MPI_CALL_COMPLETE,

    /* The call returns; argument: 0, or its error code, cut to the argument's bits. */
    WEFT_RECORD_MPI_RETURN,
    /*
     * The call returns, its receive is complete; 1: the receive was cancelled; + peer and
     * tag + bytes.
     */
    WEFT_RECORD_MPI_RETURN_RECEIVED,

    WEFT_RECORD_MPI_SEND, /* the call also sends; + peer and tag + communicator + bytes */
    WEFT_RECORD_MPI_RECEIVE, /* the call also receives; + peer and tag + communicator */
    /* The call's operation goes on under a request; + request. */
    WEFT_RECORD_MPI_REQUEST,
    WEFT_RECORD_MPI_STARTED, /* the call starts a persistent request; + request */
    /*
     * An operation is complete; 1: cancelled; + request + peer and tag + bytes, which mean
     * something only of a receive that was not cancelled.
     */
    WEFT_RECORD_MPI_COMPLETED,
    WEFT_RECORD_MPI_FREED, /* the completion will not be recorded; + request */
    /*
     * MPI_Mprobe or the like has matched a message, which counts as posting its receive;
     * + message + peer and tag + communicator.
     */
    WEFT_RECORD_MPI_MATCHED,
    WEFT_RECORD_MPI_TAKE, /* the call receives a message that a probe matched; + message */

    /*
     * A new communicator; + handle (0: the caller is not in it) + handle of the one that it
     * was made from + enum weft_mpi_origin | its bits | weft_mpi_group_tag() + members, as
     * ranks of the process's MPI_COMM_WORLD, in runs (weft_mpi_run).
     */
    WEFT_RECORD_MPI_COMMUNICATOR,
    /*
     * A communicator is freed; 1: by a callback, so that the failure of the call around it
     * means nothing; + handle.
     */
    WEFT_RECORD_MPI_COMMUNICATOR_GONE,
    WEFT_RECORD_MPI_COMMUNICATOR_NAME, /* a communicator is named; + handle + text */

    /*
     * The process is a rank; + rank << 32 | size + identity of the run, or 0
     * + MPI_COMM_WORLD + MPI_COMM_SELF + text: the library and its version.
     */
    WEFT_RECORD_MPI_RANK,
    /*
     * Two clocks at the same time; + own ticks + ticks of rank 0's clock
     * + error, in own ticks.
     */
    WEFT_RECORD_MPI_CLOCK,
    WEFT_RECORD_MPI_WINDOW,      /* a new window; + window + communicator */
    WEFT_RECORD_MPI_WINDOW_GONE, /* a window is freed; 1: by a callback; + window */
    /* MPI cannot be recorded; + text: the library's version; empty: none is loaded. */
    WEFT_RECORD_MPI_UNKNOWN,
    /*
     * Ranks that the caller sends to (WEFT_MPI_TO) or receives from (WEFT_MPI_FROM) in
     * neighbourhood collectives, in addition to those of earlier records; + communicator
     * + how many + a rank each.
     */
    WEFT_RECORD_MPI_NEIGHBORS,
    /*
     * MPI_Pcontrol was called: from here on the calls of the process are shown (argument 1)
     * or hidden (0).  Hidden ones are recorded, too, since messages that are shown could
     * not be matched without them.
     */
    WEFT_RECORD_MPI_SHOWN,
    /*
     * The call was left by longjmp or an exception, or its thread ends.  Argument: number
     * of later calls that were not recorded, as they seemed nested in it.
     */
    WEFT_RECORD_MPI_LEFT,
    /*
     * The stack at the thread's calls from a site in a library, until its next such record:
     * + the words of format/stack_words.h.
     */
    WEFT_RECORD_MPI_STACK,
    /*
     * The process ends, has initialized MPI, and none of its calls went past the
     * recorder.
     */
    WEFT_RECORD_MPI_UNSEEN,
    WEFT_RECORD_MPI_END, /* one more than the last kind */
};

/* Arguments of WEFT_RECORD_MPI_NEIGHBORS: the ranks are sent to, or received from. */
enum { WEFT_MPI_TO, WEFT_MPI_FROM };

/* In place of a rank or tag: any source, any tag; or all target ranks of a window. */
#define WEFT_MPI_ANY INT32_MIN
/* In place of a root: the collective operation has none. */
#define WEFT_MPI_NO_ROOT UINT64_MAX

/* How a communicator was made: one of the first three values, and bits. */
enum weft_mpi_origin {
    /* by a call that all members of the old communicator make, in the same order */
    WEFT_MPI_OF_ALL,
    WEFT_MPI_OF_GROUP,  /* by a call that only the members of the new one make */
    WEFT_MPI_OF_GROUPS, /* from two disjoint groups */
    WEFT_MPI_ORIGINS,   /* the number of these values */
    WEFT_MPI_SAME = 4,  /* bit: a duplicate; the members are not listed */
    WEFT_MPI_BETWEEN =
        8, /* bit: an intercommunicator; members of its remote group follow in records with
              WEFT_MPI_OTHER */
    WEFT_MPI_OTHER = 16, /* bit: the members in this record are the remote group's */
    WEFT_MPI_MORE = 32,  /* bit: more members follow in the next record */
    /*
     * Bit: the members are ranks in the old communicator, not in MPI_COMM_WORLD; ranks of
     * its remote group are counted on after those of its local group.
     */
    WEFT_MPI_OF_OLD = 64,
    /*
     * WEFT_MPI_ASKED, _ANSWERED and _BY_PORT are bits of a communicator of two groups of
     * different runs: the caller's group spawned the other or connected to it; or it was
     * spawned by the other or accepted it; by connect and accept, in addition to these.
     */
    WEFT_MPI_ASKED = 128,
    WEFT_MPI_ANSWERED = 256,
    WEFT_MPI_BY_PORT = 512,
    WEFT_MPI_ORIGIN_MASK = 3, /* the bits of the first three values */
};

/* In place of a rank in a run of members: not in the process's MPI_COMM_WORLD. */
enum { WEFT_MPI_NOT_IN_WORLD = 0xffffff };

/*
 * Returns the high half of the word in a WEFT_RECORD_MPI_COMMUNICATOR whose low half is an
 * enum weft_mpi_origin: TAG, the argument of a call like MPI_Comm_create_group.  It tells
 * apart communicators that threads of one group make at the same time.
 */
static inline uint64_t weft_mpi_group_tag(int32_t tag)
{
    return (uint64_t)(uint32_t)tag << 32;
}

/*
 * Packs a run of COUNT ranks FIRST, FIRST + STEP, FIRST + 2 STEP, ... into a word.  FIRST
 * and COUNT have 24 bits, STEP 16 with its sign; higher bits are lost, so the caller makes
 * several runs of a longer one.  FIRST may be WEFT_MPI_NOT_IN_WORLD.
 */
static inline uint64_t weft_mpi_run(uint32_t first, uint32_t count, int32_t step)
{
    return (uint64_t)first << 40 | (uint64_t)(count & 0xffffff) << 16 | (uint16_t)step;
}

/* Returns the first rank of a run that weft_mpi_run packed. */
static inline uint32_t weft_mpi_run_first(uint64_t run)
{
    return (uint32_t)(run >> 40);
}

/* Returns the number of ranks in a run that weft_mpi_run packed. */
static inline uint32_t weft_mpi_run_count(uint64_t run)
{
    return (uint32_t)(run >> 16) & 0xffffff;
}

/* Returns the difference of neighbouring ranks in a run that weft_mpi_run packed. */
static inline int32_t weft_mpi_run_step(uint64_t run)
{
    return (int16_t)(uint16_t)run;
}

/*
 * Packs the rank PEER and TAG of a message into a word of a record; either may be
 * WEFT_MPI_ANY.
 */
static inline uint64_t weft_mpi_peer_and_tag(int32_t peer, int32_t tag)
{
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

/* Returns the rank in a word that weft_mpi_peer_and_tag packed. */
static inline int32_t weft_mpi_peer(uint64_t word)
{
    return (int32_t)(uint32_t)(word >> 32);
}

/* Returns the tag in a word that weft_mpi_peer_and_tag packed. */
static inline int32_t weft_mpi_tag(uint64_t word)
{
    return (int32_t)(uint32_t)word;
}

#endif
