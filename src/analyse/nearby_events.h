/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a trace, one by one, that are nearest to a moment: begins and ends of
 * states, events, and links that leave or reach a container.  It reads about as many as it
 * returns, however long the trace is: it asks the source how many there may be in a window
 * beside the moment, and makes that longer until enough are found.
 */
#ifndef WEFT_ANALYSE_NEARBY_EVENTS_H
#define WEFT_ANALYSE_NEARBY_EVENTS_H

#include "base/progress_and_cancel.h"
#include "store/source.h"

/* Kinds of events; at one time and on one row in this order, but for ENDs and BEGINs. */
enum weft_happening {
    WEFT_HAPPENS_ARRIVAL, /* a link reaches the container */
    WEFT_HAPPENS_BEGIN,   /* of a state */
    WEFT_HAPPENS_END, /* of a state; in the order of the track, before BEGINs on others */
    WEFT_HAPPENS_DEPARTURE, /* a link leaves the container */
    WEFT_HAPPENS_EVENT,
};

/* One of them.  Sides that a trace does not tell (WEFT_END_IMPLIED ...) are none. */
struct weft_nearby_event {
    int64_t time; /* ticks */
    enum weft_happening what;
    uint32_t row;       /* by the question's row_of */
    uint32_t container; /* where it happens */
    uint32_t track;     /* of the state, the event or the link */
    /* among those of the track at that time; of links the row at the other end */
    uint32_t order;
    uint32_t value; /* of the state, the event or the link; or WEFT_NONE */
    uint32_t other; /* links: the container at the other end, or WEFT_NONE */
    uint64_t id;
};

/* A question; the caller owns the arrays. */
struct weft_nearby_question {
    const uint32_t *tracks; /* [n_tracks] of states and of events */
    size_t n_tracks;
    /*
     * [n_link_tracks]: links that leave or reach one of [n_containers] CONTAINERS count;
     * n_link_tracks may be 0.
     */
    const uint32_t *link_tracks;
    size_t n_link_tracks;
    const uint32_t *containers;
    size_t n_containers;
    /* [n_containers of the schema]: orders what happens at one time; NULL: by index */
    const uint32_t *row_of;
    struct weft_span within; /* others are not looked at */
    int64_t time;
    bool backward; /* those at or before TIME, the last ones; else those after it */
    size_t most;   /* at least 1 */
};

/* The answer: in order of time, then of rows. */
struct weft_nearby_events {
    struct weft_nearby_event *list; /* [n], malloc'ed */
    size_t n, capacity;
};

/*
 * Finds the events that QUESTION asks for; where `most` leaves out some of those of one
 * time, the nearest in order stay.  OUT may hold anything; the caller frees out->list.
 * Costs about `most` events and some searches in the directory of each track.  Returns
 * false with WEFT_ERR_CANCELLED, and nothing to free, if JOB (may be NULL) is cancelled.
 */
bool weft_nearby_events(const struct weft_source *source,
                        const struct weft_nearby_question *question,
                        struct weft_nearby_events *out, struct weft_job *job,
                        struct weft_err *err) WEFT_MUST_CHECK;

#endif
