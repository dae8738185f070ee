/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two files of the view `logical-time`. */
#ifndef WEFT_VIEW_LOGICAL_TIME_H
#define WEFT_VIEW_LOGICAL_TIME_H

#include "domains/messages/model/logical_time.h"
#include "domains/messages/view/processor_rows.h"

/* The events that a request shows, and where they are in its picture. */
struct logical_picture {
    const struct weft_request *request;
    struct weft_shown shown;
    const struct weft_logical *logical;
    size_t *from, *after; /* [shown.list.n]: the events of each that are in the window */
    size_t n;             /* of them all */
    uint32_t first, last; /* their least and their greatest step; first > last: none */
    float latest;         /* their greatest lateness, ticks, at least 0 */
    struct weft_frame frame;
    struct weft_processor_rows rows;
    uint32_t *row_of; /* by processor: its row, WEFT_NONE: not shown; set when drawn */
};

/* One event in full. */
struct logical_facts {
    uint32_t partner;   /* a processor, the other end or the root; WEFT_NONE: none known */
    uint64_t id;        /* of the message, or of the call's state */
    const char *kind;   /* "send", "receive", or the pattern of an operation */
    int64_t bytes, tag; /* if has_bytes, has_tag */
    bool has_bytes, has_tag;
};
/*
 * Sets *FACTS for event I of LOGICAL, but without bytes and tag of a message.  Sets *LINK,
 * if LINK is not NULL, to the message; its id is WEFT_NO_ID if it is damaged, or there is
 * none.
 */
void logical_facts_of(const struct weft_logical *logical, size_t i,
                      struct logical_facts *facts, struct weft_link *link);
/* Adds bytes and tag of the message, which costs a look-up of its fields. */
void logical_facts_add_numbers(const struct weft_logical *logical, size_t i,
                               struct logical_facts *facts);

/* Returns the index of the first event of PROCESSOR after the request's moment. */
size_t logical_until_moment(const struct logical_picture *p, uint32_t processor);

/* Draws the picture P, whose events are set, into SCENE.  Returns false if P is empty. */
bool logical_draw(struct logical_picture *p, struct weft_scene *scene);
/* Lays out the picture P in SCENE: its frame, rows and row_of. */
void logical_lay_out(struct logical_picture *p, struct weft_scene *scene);
/* Returns the event that stands at AT in a laid out picture; logical->n: none does. */
size_t logical_event_at(const struct logical_picture *p, struct weft_point at);

#endif
