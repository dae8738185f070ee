/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells all about one thing in a trace, as a click shows it.  A fact is a name and a value;
 * it may lead to another thing (by its id) or to a place in a program (by its site).
 */
#ifndef WEFT_VIEW_DETAIL_H
#define WEFT_VIEW_DETAIL_H

#include "store/source.h"

/* A fact about a thing; its texts live as long as the detail. */
struct weft_fact {
    const char *name, *value;
    uint64_t id;   /* of the thing that the fact leads to, or WEFT_NO_ID */
    uint32_t site; /* index in the schema's sites that it leads to, or WEFT_NONE */
};

/* A table of a view that tells more about a thing; its texts live as long as the detail. */
struct weft_detail_question {
    const char *title;
    const char *view; /* its name */
    const char *by;   /* its setting of that name, or NULL */
    /* doc/selections.md; of the view lock-summary the lock, as that names it */
    const char *selection;
};

enum { WEFT_DETAIL_MAX_QUESTIONS = 4 };

/* All about one thing; weft_detail() sets it. */
struct weft_detail {
    const char *kind; /* "state", "event", "link", "container", or "node" of a task DAG */
    const char *name; /* of its value, else of its type; a container's own */
    uint32_t
        container; /* that it is on; links: sender, else receiver; a container: itself */
    /*
     * ticks of the trace's clock; end >= begin, also of a link that arrives before it
     * leaves
     */
    int64_t begin, end;
    uint64_t previous, next; /* ids: neighbours on the track by begin, or WEFT_NO_ID */
    /*
     * Ids of states or events, or WEFT_NO_ID.  For a state: those at the other end of the
     * first link that reaches its container while it lasts, and of the first that leaves it
     * then.  For a link: those at its begin and at its end.  For others: none.
     */
    uint64_t incoming, outgoing;
    bool waits; /* a state in which a row waits or sleeps: the view `why` can be asked */
    struct weft_fact *facts; /* at most 64, in the order in which they are shown */
    size_t n_facts;
    /* of a container that waits or is waited for, and of a task */
    struct weft_detail_question questions[WEFT_DETAIL_MAX_QUESTIONS];
    size_t n_questions;
};

/*
 * Sets *DETAIL to all about the thing ID: a state, event, link, container or, by the
 * domains' answers, another; returns false, *DETAIL then meaningless, if there is none.
 * Texts and facts are in ARENA or in the schema.
 */
bool weft_detail(const struct weft_source *source, uint64_t id, struct weft_arena *arena,
                 struct weft_detail *detail);

/*
 * Returns the id of the first state or event that begins after TIME, or (not FORWARD) of
 * the last one that begins before it: on the track of the entity ID, or on any track of the
 * container ID (not of its subtree).  WEFT_NO_ID if there is none.  O(log n) a track.
 */
uint64_t weft_detail_step(const struct weft_source *source, uint64_t id, int64_t time,
                          bool forward);

/*
 * Limit of weft_container_path() in bytes: with deep nesting, all full paths together would
 * take the square of the file's size.
 */
enum { WEFT_PATH_MAX = 4096 };
/*
 * Returns the path of CONTAINER, in ARENA, "host/thread 1": the names from the root's
 * children on, and the root's own name for the root; of a path longer than WEFT_PATH_MAX
 * the end, behind "…".
 */
const char *weft_container_path(struct weft_arena *arena, const struct weft_schema *schema,
                                uint32_t container);

#endif
