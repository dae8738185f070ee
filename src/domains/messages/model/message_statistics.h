/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of each processor's messages in a window: how many, how long, how far, and for
 * how long they were on their way (Heath, Finger: ParaGraph, 2003, section 5.4,
 * "Statistical Summary").
 *
 * An outgoing message belongs to the window in which it was sent, an incoming one to that
 * in which it was received.  Its transit time is that from its begin to its end; less than
 * 0 where it arrives before it was sent, since the clocks of two processors differ.  A
 * collective operation counts as the messages of model/traffic.h.
 */
#ifndef WEFT_MODEL_MESSAGE_STATISTICS_H
#define WEFT_MODEL_MESSAGE_STATISTICS_H

#include "domains/messages/model/traffic_replay.h"
#include "model/network_distance.h"

/* The number, least, greatest and sum of some values; all 0 without values. */
struct weft_tally {
    uint64_t n;
    int64_t least, most;
    double sum;
};
/* Adds the values of OTHER to TALLY. */
void weft_tally_add(struct weft_tally *tally, const struct weft_tally *other);

/* The messages that a processor sends, or those that it receives. */
struct weft_directed_statistics {
    uint64_t messages;
    int64_t bytes; /* sum over those whose length is known; wraps around on overflow */
    struct weft_tally size;     /* bytes of each message whose length is known */
    struct weft_tally distance; /* hops of each message, from sender to receiver */
    struct weft_tally time;     /* ticks in transit of each message that was received */
    /*
     * The length is not known of some message that was in the queue before the window's
     * end, maybe before its begin.
     */
    bool queue_unknown;
};
/* Adds the messages of OTHER to STATISTICS: as if both had been counted in one. */
void weft_statistics_add(struct weft_directed_statistics *statistics,
                         const struct weft_directed_statistics *other);

/* A processor's messages, by direction. */
struct weft_message_statistics {
    struct weft_directed_statistics of[WEFT_DIRECTIONS];
};

/*
 * The statistics of all messages of a trace in up to 256 blocks of time with about as many
 * messages each; made by weft_statistics_index_make, freed by weft_statistics_index_free.
 */
struct weft_statistics_index;

/*
 * Reads all messages of TRAFFIC, which is borrowed.  COLLECTIVES is how collective
 * operations count, DISTANCE, which is copied, the network in which hops are counted.
 * Messages without a known sender and receiver are left out, and the length of a collective
 * operation's messages is 0 where it is not known.  An operation costs its calls, and the
 * first of each set of processors their square.  Takes at most 64 MiB, or 240 bytes for
 * each processor if that is more.  Returns NULL with WEFT_ERR_CANCELLED if JOB (may be
 * NULL) is cancelled.
 */
struct weft_statistics_index *
weft_statistics_index_make(const struct weft_traffic *traffic,
                           enum weft_collectives collectives,
                           const struct weft_distance *distance, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;
/* Frees INDEX; NULL is fine. */
void weft_statistics_index_free(struct weft_statistics_index *index);
/* Returns the bytes of memory that INDEX takes, without the traffic. */
size_t weft_statistics_index_bytes(const struct weft_statistics_index *index);

/*
 * Fills OUT[processors], by index in weft_processors.processors, with the statistics of the
 * messages in WINDOW, whatever it held.  Adds the blocks in the window, and reads the
 * messages of at most two parts of blocks.  Returns false with WEFT_ERR_CANCELLED, and OUT
 * incomplete, if JOB (may be NULL) is cancelled.
 */
bool weft_statistics_index_read(const struct weft_statistics_index *index,
                                struct weft_span window,
                                struct weft_message_statistics *out, struct weft_job *job,
                                struct weft_err *err) WEFT_MUST_CHECK;

#endif
