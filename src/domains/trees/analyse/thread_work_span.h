/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of threads, ranks, or other containers with rows of calls. The span is the
 * length of the longest path of work through the run on which each stretch had to wait for
 * the stretch before it.
 *
 * The work of a thread is a sequence of stretches. A link that leaves or reaches the thread
 * ends a stretch and orders the stretches at its ends:
 *
 *     a creation: the created thread comes after the work of its creator until then;
 *     a wake-up: from the thread that released a lock, ended or signalled, to the thread
 *         that waited. Critical sections of one lock never overlap, in whatever order they
 *         run, so the hand-over of a lock counts as well;
 *     a message or collective, from the begin of its sending to the end of its receiving;
 *     a dependence of any other kind.
 *
 * Waiting adds nothing to a path: the path leads through the work that was waited for,
 * where a link names it. A wait without a link (a collective operation, a lock that was not
 * recorded) orders nothing, so the span is then a lower bound, and work / span an upper
 * bound of the parallelism. Links that end before they begin (clocks that differ) are
 * counted and left out.
 */
#ifndef WEFT_ANALYSE_THREAD_WORK_SPAN_H
#define WEFT_ANALYSE_THREAD_WORK_SPAN_H

#include "domains/trees/model/tree.h"

/* A stretch of work: what one row (a track of calls) worked between two links of its
   thread. Belongs to a struct weft_thread_span. */
struct weft_stretch {
    uint32_t row;          /* index in tree->pes */
    uint32_t before;       /* index in `stretches` of the one before it on the longest path
                              to it, or WEFT_NONE */
    struct weft_span time; /* from its begin to its end; the row may wait in between */
    int64_t first; /* length of the longest path to it, in ticks: its earliest possible
                      begin, counted from the run's */
    int64_t work;  /* ticks of work in `time` */
};

/* Work and span of the threads of a trace: filled by weft_thread_span(), emptied by
   weft_thread_span_free(). */
struct weft_thread_span {
    int64_t work, span; /* in ticks: the work of all rows; the work on the longest path */
    struct weft_stretch *stretches; /* [n_stretches], each after the one in its `before` */
    size_t n_stretches;
    uint32_t *path; /* [n_path] indices of the stretches of the longest path, in order */
    uint32_t n_path;
    uint64_t n_links, n_backward; /* links between two containers with rows: followed; left
                                     out since they end before they begin */
};

/*
 * Computes the work of all rows of TREE together, TREE being the tree of calls of SOURCE,
 * and their span: the length of the one longest path of stretches (struct weft_stretch)
 * through the run on which each waited for the one before it, by the links between threads.
 * *OUT is overwritten; weft_thread_span_free() frees what it holds. Returns false, with
 * *OUT empty, with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled, or WEFT_ERR_LIMIT
 * for more than 2^31 links, 2^25 stretches plus 8 a link, or if links reach rows 64 times
 * as often. O(changes + links log links) if threads have few rows; takes 16 bytes for each
 * interval in which a row works, and about 200 a link.
 */
bool weft_thread_span(const struct weft_source *source, const struct weft_tree *tree,
                      struct weft_job *job, struct weft_thread_span *out,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Frees what SPAN holds, but not SPAN itself, and zeroes it; a second call is allowed. */
void weft_thread_span_free(struct weft_thread_span *span);

#endif
