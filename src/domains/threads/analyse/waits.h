/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits by what was waited for and where: which condition, join, read, sleep or message of whom,
 * at which line of the program, cost how much.
 *
 * Everything is known by its role.  A wait is a state whose value is a kind of blocked, of
 * sleeping or of blocking send; its field of role object (a container) names what it waits for,
 * its field of role site where in the program.  Both may be absent, and what they name may not be
 * there, which counts as absent.  Where states have no such object it is the communicator: that of
 * the call (communicator-of), or of the message that it waited for.  Whose message that is, is said
 * by analyse/wait_partners.h.
 */
#ifndef WEFT_ANALYSE_WAITS_H
#define WEFT_ANALYSE_WAITS_H

#include "store/source.h"

struct weft_wait {
    uint32_t value;  /* the kind of wait */
    uint32_t object; /* a container; WEFT_NONE: none is named */
    uint32_t site; /* the first of those that read alike (analyse/sites.h), or WEFT_NONE */
    uint32_t partner; /* the container of the processor that was waited for, or WEFT_NONE */
    int64_t partner_number; /* what that processor is called */
    int64_t tag;            /* of the message, when it has one and was asked for */
    bool tagged;
    uint64_t count;  /* waits that overlap the window */
    int64_t ticks;   /* their parts within the window, added, without states inside them */
    /* The longest of them, outside of the window, too, without states inside it (in the window). */
    int64_t longest;
    uint32_t worst;  /* the container that waited most so, in the window */
    int64_t worst_ticks; /* how long */
    uint32_t waiters;    /* containers that waited so */
};

struct weft_waits {
    struct weft_wait *list; /* longest together first */
    size_t n;
};

/* Whether there are states that may be waits, and may say for what, for whom or where. */
bool weft_has_waits(const struct weft_schema *schema);

/*
 * The waits of the subtree of the container UNDER in WINDOW; those for messages of one processor
 * that differ in their tags only are one, unless BY_TAG.  Costs one walk through the
 * states of the window on the tracks that may have waits, a track a processor, and through its
 * messages; takes 1 MiB for each track that is walked, about 100 bytes for each row, and up to
 * some 256 MiB for messages.  WEFT_ERR_CANCELLED.
 */
bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, bool by_tag, struct weft_job *job,
                     struct weft_waits *out, struct weft_err *err) WEFT_MUST_CHECK;
void weft_waits_free(struct weft_waits *waits);

#endif
