/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What processors did, kept so that any moment and any window can be asked for: how long each
 * was busy, in overhead and idle, and its streaks (Heath and Finger 2003, section 5.1).
 *
 * A streak is a time in which a processor did not stop to win, or to lose: busy wins, idle loses,
 * and overhead counts as either.
 *
 * All changes of class are read once.  At the begin of each run of some hundred of them the sums
 * until then are kept, so an answer reads one run a processor at each end of its window: for p
 * processors 2 p searches and 2 p runs, whatever the window.  Memory: 0.4 bytes a change, and
 * 100 a processor.
 */
#ifndef WEFT_MODEL_UTILIZATION_H
#define WEFT_MODEL_UTILIZATION_H

#include "domains/messages/model/class_runs.h"

/* What is not known breaks a streak, and is none. */
enum { WEFT_LOSS, WEFT_WIN, WEFT_NO_STREAK };

/* Changes of a processor between two of these, at most. */
enum { WEFT_CHUNK_MOST = 512 };
/* What is known at a change of class, after it, and until the next of these. */
struct weft_utilization_chunk {
    int64_t spent[WEFT_CLASSES]; /* ticks from the span's begin to here */
    struct weft_chunk_streaks {
        int64_t since; /* begin of the streak that is on at `begin` */
        int64_t
            first_end; /* when that ends, if by the next chunk's begin; else INT64_MAX */
        int64_t longest[2]; /* of streaks that begin later and end by then: losses, wins */
    } streaks[2];           /* [0]: overhead loses, [1]: it wins */
    enum weft_class class;
};

struct weft_utilization {
    const struct weft_processors *processors;
    size_t *first;   /* [n + 1]: the chunks of a processor, the first at the span's begin */
    int64_t *begins; /* of chunks: apart from the rest, as they are searched */
    struct weft_utilization_chunk *chunks;
};

/*
 * Read all changes; free it with weft_utilization_free.  PROCESSORS stay the caller's, and
 * outlive it.  O(changes), on several threads.  Error: WEFT_ERR_CANCELLED.
 */
struct weft_utilization *weft_utilization_make(const struct weft_processors *processors,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
void weft_utilization_free(struct weft_utilization *utilization);
size_t weft_utilization_bytes(const struct weft_utilization *utilization);

struct weft_processor_moment {
    uint32_t index; /* of a processor */
    int64_t time;
};
/*
 * For how long processors were in each class before N moments: SPENT[n][WEFT_CLASSES], which
 * makes no sense before the span.
 */
void weft_utilization_spent(const struct weft_utilization *utilization,
                            const struct weft_processor_moment *moments, size_t n,
                            int64_t (*spent)[WEFT_CLASSES]);
/*
 * For how long each processor of a list was in each class in a window of the span: TICKS[list.n];
 * their sum is the window's length, but for what cannot be read.
 */
void weft_utilization_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            int64_t (*ticks)[WEFT_CLASSES]);

/* The last chunk of a processor that begins at TIME or before, in the span: each has one. */
size_t weft_utilization_chunk_at(const struct weft_utilization *utilization, uint32_t index,
                                 int64_t time);
/*
 * The window from just after a chunk's begin, where its class is known, to END: the changes in it
 * are read without those of the chunk before.
 */
static inline struct weft_span
weft_utilization_after(const struct weft_utilization *utilization, size_t chunk,
                       int64_t end)
{
    return (struct weft_span){ utilization->begins[chunk] + 1, end };
}

/* A part of the span around TIME in which its stretch of one class begins and ends. */
struct weft_span weft_utilization_around(const struct weft_utilization *utilization,
                                         uint32_t index, int64_t time);

struct weft_streak {
    int kind;       /* of the one that is on at the window's end, WEFT_NO_STREAK: none */
    int64_t length; /* ticks that it has lasted until then */
    int64_t longest[2]; /* losses, wins: the longest in the window, that one among them */
};
/* The streaks of a window of the span, cut at its edges: OUT[list.n]. */
void weft_utilization_streaks(const struct weft_utilization *utilization,
                              struct weft_processor_list list, struct weft_span window,
                              bool overhead_wins, struct weft_streak *out);

/* ---- Moving averages (Kiviat diagrams) ---- */

/*
 * The average of a time t is the part of [t - width, t) in which a processor was busy, or busy
 * or in overhead; before the trace begins nobody is.  So it needs one width to reach its height
 * and nobody has a high water mark of 100 % because the first tick was busy.
 */
struct weft_average_chunk {
    int64_t begin;
    int64_t most; /* ticks in a width, from here to the next chunk's begin */
};
struct weft_averages {
    const struct weft_utilization *utilization;
    int64_t width; /* ticks, at least 1 */
    bool with_overhead;
    size_t *first; /* [n + 1] */
    struct weft_average_chunk *chunks;
};
/* O(changes), on several threads; half a byte a change.  Error: WEFT_ERR_CANCELLED. */
struct weft_averages *weft_averages_make(const struct weft_utilization *utilization,
                                         int64_t width, bool with_overhead,
                                         struct weft_job *job,
                                         struct weft_err *err) WEFT_MUST_CHECK;
void weft_averages_free(struct weft_averages *averages);
size_t weft_averages_bytes(const struct weft_averages *averages);

struct weft_average {
    int64_t current; /* ticks of the width that ends at the window's end */
    int64_t high;    /* the most of any time of the window */
    int64_t spent;   /* ticks of all the time from SINCE to the window's end */
};
/*
 * OUT[list.n].  Two runs of changes a processor, one more where SINCE is after the span's
 * begin, and for those whose most may lie in a chunk that an edge of the window cuts two
 * more, or six.
 */
void weft_averages_of(const struct weft_averages *averages, struct weft_processor_list list,
                      struct weft_span window, int64_t since, struct weft_average *out);

#endif
