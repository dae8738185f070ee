/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells all about one thing in a trace, as a click shows it.  A fact is a name and a value;
 * it may lead to another thing (by its id) or to a place in a program (by its site).
 */
#ifndef WEFT_VIEW_DETAIL_H
#define WEFT_VIEW_DETAIL_H

#include "store/source.h"

struct weft_fact {
    const char *name, *value;
    uint64_t id;   /* of the thing that the fact leads to, or WEFT_NO_ID */
    uint32_t site; /* place in a program that it leads to, or WEFT_NONE */
};

struct weft_detail {
    const char *kind; /* "state", "event", "link", "container", or "node" of a task DAG */
    const char *name;
    uint32_t container;          /* the container that it is on */
    int64_t begin, end;          /* ticks of the trace's clock */
    uint64_t previous, next;     /* neighbours on the track by begin, or WEFT_NO_ID */
    uint64_t incoming, outgoing; /* things at the other ends of its first links; or none */
    struct weft_fact *facts;
    size_t n_facts;
};

/*
 * Sets *DETAIL to all about the thing ID; returns false if there is none.  Texts and facts
 * are in ARENA or in the schema.
 */
bool weft_detail(const struct weft_source *source, uint64_t id, struct weft_arena *arena,
                 struct weft_detail *detail);

/*
 * Returns the next state or event that begins after TIME, or (not FORWARD) the last one
 * before it: on the track of the entity ID, or on any track of the container ID.
 * WEFT_NO_ID if there is none.  O(log n) a track.
 */
uint64_t weft_detail_step(const struct weft_source *source, uint64_t id, int64_t time,
                          bool forward);

/*
 * Limit of weft_container_path() in bytes: with deep nesting, all full paths together would
 * take the square of the file's size.
 */
enum { WEFT_PATH_MAX = 4096 };
/* Returns "host/thread 1": the names from the root's children on; the end of a path that is
   too long, behind "…". */
const char *weft_container_path(struct weft_arena *arena, const struct weft_schema *schema,
                                uint32_t container);

#endif
