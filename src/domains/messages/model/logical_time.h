/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical time: Lamport's clocks of the events of processors (Lamport, "Time, Clocks, and
 * the Ordering of Events in a Distributed System", CACM 21, 1978: rules IR1 and IR2), and
 * how late each event is (Isaacs et al., "Combing the communication hairball", 2014).
 *
 * Events of a processor are the sends of messages (at their begin), the receives (at their
 * end) and its calls of collective operations (at their entry), in order of their times; at
 * equal times sends come first, then receives, then calls.  The *step* of an event is one
 * more than the greatest among that of the event before it on its processor (0: none) and
 * those of the events that it depends on:
 *
 *     a receive                       the send, if the sender is known
 *     a call that all wait for, that sends all to all, or of unknown pattern
 *                                     what precedes each call of the operation on its own
 *                                     processor: all calls of an operation share a step
 *     one to all, not the root        the root's call
 *     all to one, the root            the calls of all others
 *     prefix                          the call of the rank before
 *
 * Messages that are parts of operations among neighbors are events, the calls of these are
 * not.  The *lateness* of an event is its time less the earliest time of any event on its
 * step.
 *
 * In a faulty trace events may wait for each other in a circle.  The earliest of those that
 * block all others then does not wait: its step is one more than that of the event before.
 */
#ifndef WEFT_MODEL_LOGICAL_TIME_H
#define WEFT_MODEL_LOGICAL_TIME_H

#include "domains/messages/model/traffic.h"

/* Kinds of events, in the order of those of one time. */
enum weft_logical_kind { WEFT_LOGICAL_SEND, WEFT_LOGICAL_RECEIVE, WEFT_LOGICAL_CALL };

/* An event of a processor. */
struct weft_logical_event {
    int64_t time;  /* ticks */
    uint32_t step; /* from 1 */
    uint32_t what; /* weft_logical_kind_of(), weft_logical_number() */
};

enum { WEFT_LOGICAL_NUMBER_BITS = 30 };
/* Returns the kind of EVENT. */
static inline enum weft_logical_kind
weft_logical_kind_of(const struct weft_logical_event *event)
{
    return (enum weft_logical_kind)(event->what >> WEFT_LOGICAL_NUMBER_BITS);
}
/* Returns the number of EVENT's message, or the index of its call in traffic->calls. */
static inline uint32_t weft_logical_number(const struct weft_logical_event *event)
{
    return event->what & ((UINT32_C(1) << WEFT_LOGICAL_NUMBER_BITS) - 1);
}

/*
 * Blocks of 8 events, of 64 and so on keep the greatest lateness in them: level L has
 * blocks of 8^(L + 1) events.
 */
enum { WEFT_LOGICAL_FAN = 8, WEFT_LOGICAL_LEVELS = 10, WEFT_LOGICAL_BINNINGS = 32 };

/* Made by weft_logical_make, freed by weft_logical_free. */
struct weft_logical {
    const struct weft_traffic *traffic; /* borrowed */
    struct weft_logical_event *events;  /* by processor, then by time, then by `what` */
    size_t *first;          /* [processors + 1]: where the events of each processor begin */
    size_t n;               /* of all events */
    uint32_t n_steps;       /* the greatest step */
    int64_t *earliest;      /* [n_steps + 1]: by step, the time of its first event */
    uint64_t *numbers;      /* [n_tracks + 1]: number of the first message of each track */
    uint32_t *operation_of; /* by index in traffic->calls: its operation, or WEFT_NONE */
    uint64_t n_forced;      /* events that did not wait, since they would for themselves */
    float *latest[WEFT_LOGICAL_LEVELS]; /* greatest lateness of each block, in ticks */
    size_t n_levels;
    /*
     * The greatest lateness of each processor in each bin of 2^(bin_shift + L) steps, from
     * step 0 on; -1: none.  [processors][weft_logical_bins(logical, L)], L below
     * n_binnings.  A bin of L = 0 has two events or so, on average.
     */
    float *binnings[WEFT_LOGICAL_BINNINGS];
    unsigned bin_shift, n_binnings;
};

/* Returns how many bins a processor has in binning L. */
static inline size_t weft_logical_bins(const struct weft_logical *logical, unsigned l)
{
    return ((size_t)logical->n_steps >> (logical->bin_shift + l)) + 1;
}

/*
 * Makes the logical time of all messages and operations of TRAFFIC, which is borrowed and
 * must outlive the result.  Reads the messages twice, and sorts the events of each
 * processor.  Takes about 20 bytes an event, and 4 bytes a message in the meantime.  The
 * caller frees the result with weft_logical_free.  Returns NULL with WEFT_ERR_LIMIT for
 * more than 2^30 messages or calls, or with WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
struct weft_logical *weft_logical_make(const struct weft_traffic *traffic,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
/* Frees LOGICAL; NULL is fine. */
void weft_logical_free(struct weft_logical *logical);
/* Returns the bytes of memory that LOGICAL takes. */
size_t weft_logical_bytes(const struct weft_logical *logical);

/* Returns how late the event with index I is, in ticks, at least 0. */
static inline int64_t weft_logical_lateness(const struct weft_logical *logical, size_t i)
{
    const struct weft_logical_event *event = &logical->events[i];
    return event->time - logical->earliest[event->step];
}
/*
 * Returns the greatest lateness of the events with indices from FROM to before AFTER, in
 * ticks, rounded to a float; -1 if there is none.  O(log(AFTER - FROM)).
 */
float weft_logical_latest(const struct weft_logical *logical, size_t from, size_t after);
/* Returns the id of the message with that number, the opposite of the numbering. */
uint64_t weft_logical_message(const struct weft_logical *logical, uint32_t number);
/*
 * Returns the index of the event of PROCESSOR at TIME with that `what`; logical->n if there
 * is none.  O(log n).
 */
size_t weft_logical_find(const struct weft_logical *logical, uint32_t processor,
                         int64_t time, uint32_t what);

#endif
