/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of threads (or ranks, or whatever else has calls): how long the longest way of work
 * through the run is, in which each piece could not begin before the one ahead of it was done.
 *
 * A thread's work is one piece after another.  A piece ends where a link leaves the thread, and
 * where one reaches it:
 *
 *     a creation: what a thread does comes after what its creator had done by then;
 *     a wake-up: from who released a lock, ended, or signalled to who waited for that.  What is
 *         done under one lock is never done at once, in whatever order, so a lock's hand-over
 *         counts as well;
 *     a message, from the begin of its sending to the end of its receiving;
 *     a dependence of any other kind.
 *
 * Waiting costs nothing on a way: the way leads through what was waited for, where a link says what
 * that was.  Waits without a link (a collective operation, a lock that nobody recorded) are not
 * known to order anything, so the span is a lower bound there, and work by span an upper one.
 * Links that end before they begin (clocks that differ) are counted and left out.
 */
#ifndef WEFT_ANALYSE_THREAD_SPAN_H
#define WEFT_ANALYSE_THREAD_SPAN_H

#include "domains/trees/model/tree.h"

/* Work of a row between two links. */
struct weft_stretch {
    uint32_t row;    /* in tree->pes */
    uint32_t before; /* the stretch ahead of it on the longest way to it, or WEFT_NONE */
    struct weft_span
        time;      /* when that was in the run; the row may have waited in it, too */
    int64_t first; /* ticks of that way: when it could begin, after the run's begin */
    int64_t work;  /* ticks */
};

struct weft_thread_span {
    int64_t work, span;
    struct weft_stretch *stretches;
    size_t n_stretches;
    uint32_t *path; /* [n_path] stretches of the longest way, from its first to its last */
    uint32_t n_path;
    uint64_t n_links, n_backward; /* between rows: that count, that end before they begin */
};

/*
 * Of all rows of a TREE of calls of SOURCE.  O(changes + links log links); takes 16 bytes for each
 * time that a row begins to work, and about 200 a link.  WEFT_ERR_CANCELLED.
 */
bool weft_thread_span(const struct weft_source *source, const struct weft_tree *tree,
                      struct weft_job *job, struct weft_thread_span *out,
                      struct weft_err *err) WEFT_MUST_CHECK;
void weft_thread_span_free(struct weft_thread_span *span);

#endif
