/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that happens in a trace as single events in order of time, as displays of a person's
 * own get them (weft/view.h): begins and ends of states, instants, both ends of links,
 * samples.
 *
 * At one time, ends of states come first (inner before outer), then arrivals of links, then
 * what begins, by id; a state or link without length ends right after its begin.
 */
#ifndef WEFT_DISPLAYS_EVENTS_FOR_DISPLAY_H
#define WEFT_DISPLAYS_EVENTS_FOR_DISPLAY_H

#include "store/entities_by_time.h"

struct weft_later_event; /* the end of a state or link that has begun */

/* The events of a trace from its begin on; begun by weft_display_events_begin(). */
struct weft_display_events {
    const struct weft_source *source;
    unsigned takes; /* a set of 1u << enum weft_display_kind (weft/view.h) */
    struct weft_walk walk;
    struct weft_entity next; /* of the walk, if has_next */
    bool has_next;
    /* binary heap: the ends of what has begun, first the next one */
    struct weft_later_event *later;
    size_t n_later, later_capacity;
    uint64_t begun; /* counts what has begun, to order ends at the same time */
};

/* One event; kinds and meaning as in weft/view.h, times in ticks. */
struct weft_display_step {
    uint32_t kind;        /* enum weft_display_kind */
    int64_t time;         /* ticks of the trace's clock */
    uint64_t id;          /* of the entity */
    uint32_t row, peer;   /* containers, or WEFT_NONE */
    uint32_t type, value; /* indices in the schema; value may be WEFT_NONE */
    double sample;
};

/*
 * Begins the events of SOURCE of the kinds in TAKES at its begin; SOURCE must outlive them.
 * Costs a search on each track.
 */
void weft_display_events_begin(struct weft_display_events *events,
                               const struct weft_source *source, unsigned takes);
/*
 * Sets *STEP to the next event if its time is at most UNTIL; returns false, and stays where
 * it is, if not.  Amortized O(log n) in the open states and pending links.
 */
bool weft_display_events_next(struct weft_display_events *events, int64_t until,
                              struct weft_display_step *step);
/* Frees what weft_display_events_begin() made. */
void weft_display_events_end(struct weft_display_events *events);

#endif
