/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what belongs to a thing that a person points at: of a blocked thread the object
 * that it waits for, its state and holder, all others that wait for it, and who woke the
 * thread; of an object who holds it and waits for it; of a message its ends; of a call its
 * messages.  Meanings are found by roles.
 */
#ifndef WEFT_VIEW_RELATED_H
#define WEFT_VIEW_RELATED_H

#include "analyse/releases_of_waits.h"
#include "store/source.h"

/* A thing that belongs to another; a plain value. */
struct weft_related_thing {
    uint64_t id;          /* of a state, link, event or container */
    const char *relation; /* static or the schema's, such as "holder", "waits, too" */
    uint32_t container;   /* whose row has it; WEFT_NONE: unknown */
    struct weft_span span;
    const char *name; /* of its value, type or container; the schema's */
};

/* The things that belong to one: no id twice, the thing itself not among them. */
struct weft_related {
    struct weft_related_thing *list; /* [n] in the arena of weft_related_read() */
    size_t n;
    bool cut; /* there are more than 1,000 */
};

/*
 * Sets *OUT to what belongs to the thing ID of SOURCE at the time AT, or at the thing's
 * begin if AT is not in its time.  RELEASES, if not NULL, tell who woke a thread.  The
 * list is in ARENA.  Returns false, *OUT empty, if there is no such thing.  Looks at the
 * innermost state of each row: O(rows log n).
 */
bool weft_related_read(const struct weft_source *source,
                       const struct weft_releases *releases, uint64_t id, int64_t at,
                       struct weft_arena *arena, struct weft_related *out);

#endif
