/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells how long each processor was busy, in overhead and idle until any moment or in any
 * window, and its streaks (Heath and Finger 2003, section 5.1).
 *
 * A streak is a time in which a processor goes on winning, or losing: busy wins, idle
 * loses, and overhead counts as either.
 *
 * All changes of class are read once.  At the begin of each run of some hundred changes,
 * the sums up to it are kept, so an answer reads one run a processor at each end of its
 * window: 2 p searches and 2 p runs for p processors, whatever the window.  Memory: 0.4
 * bytes a change, and 100 a processor.
 */
#ifndef WEFT_MODEL_UTILIZATION_H
#define WEFT_MODEL_UTILIZATION_H

#include "domains/messages/model/class_runs.h"

/* Unknown time ends a streak, and is none itself. */
enum { WEFT_LOSS, WEFT_WIN, WEFT_NO_STREAK };

/* Greatest number of changes in a chunk. */
enum { WEFT_CHUNK_MOST = 512 };
/* The state at the begin of a chunk of changes, and the streaks in it. */
struct weft_utilization_chunk {
    int64_t spent[WEFT_CLASSES]; /* ticks from the span's begin to the chunk's */
    struct weft_chunk_streaks {
        int64_t since; /* begin of the streak that is on at the chunk's begin */
        /* end of that streak, if by the next chunk's begin; else INT64_MAX */
        int64_t first_end;
        int64_t longest[2]; /* losses, wins: of streaks that begin later and end by then */
    } streaks[2];           /* [0]: overhead loses, [1]: overhead wins */
    enum weft_class class;
};

struct weft_utilization {
    const struct weft_processors *processors;
    /* [n + 1]: first chunk of each processor, which begins with the span */
    size_t *first;
    int64_t *begins; /* of chunks; kept apart for the sake of searches */
    struct weft_utilization_chunk *chunks;
};

/*
 * Reads all changes.  PROCESSORS are borrowed and must outlive the result.  O(changes), on
 * several threads.  Returns NULL with WEFT_ERR_CANCELLED.
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
 * Fills SPENT[n][WEFT_CLASSES] with the ticks that a processor was in each class from the
 * span's begin to each of N moments.  Moments before the span give meaningless numbers.
 */
void weft_utilization_spent(const struct weft_utilization *utilization,
                            const struct weft_processor_moment *moments, size_t n,
                            int64_t (*spent)[WEFT_CLASSES]);
/*
 * Fills TICKS[list.n][WEFT_CLASSES] with the ticks of WINDOW, which lies in the span, that
 * each processor was in each class.  Their sum is the window's length, less unreadable
 * time.
 */
void weft_utilization_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            int64_t (*ticks)[WEFT_CLASSES]);

/*
 * Returns the last chunk of a processor that begins at TIME or before; TIME lies in the
 * span.
 */
size_t weft_utilization_chunk_at(const struct weft_utilization *utilization, uint32_t index,
                                 int64_t time);
/*
 * Returns the window from just after a chunk's begin, where the chunk has the class, to
 * END.  Reading its changes does not read those of the chunk before.
 */
static inline struct weft_span
weft_utilization_after(const struct weft_utilization *utilization, size_t chunk,
                       int64_t end)
{
    return (struct weft_span){ utilization->begins[chunk] + 1, end };
}

/*
 * Returns a part of the span in which the stretch of one class around TIME begins and ends.
 */
struct weft_span weft_utilization_around(const struct weft_utilization *utilization,
                                         uint32_t index, int64_t time);

struct weft_streak {
    int kind;       /* of the streak that is on at the window's end, or WEFT_NO_STREAK */
    int64_t length; /* ticks of that streak in the window */
    int64_t longest[2]; /* losses, wins: the longest in the window, that one included */
};
/*
 * Fills OUT[list.n] with the streaks in WINDOW, which lies in the span; they are cut at its
 * edges.
 */
void weft_utilization_streaks(const struct weft_utilization *utilization,
                              struct weft_processor_list list, struct weft_span window,
                              bool overhead_wins, struct weft_streak *out);

/* ---- Moving averages (Kiviat diagrams) ---- */

/*
 * The average at time t is the share of [t - width, t) in which a processor was busy, or
 * busy or in overhead; the time before the span counts as neither.  So the average takes
 * one width to rise, and a first busy tick does not make a high water mark of 100 %.
 */
struct weft_average_chunk {
    int64_t begin;
    int64_t most; /* greatest average, in ticks, from here to the next chunk's begin */
};
struct weft_averages {
    const struct weft_utilization *utilization;
    int64_t width; /* ticks, at least 1 */
    bool with_overhead;
    size_t *first; /* [n + 1]: first chunk of each processor */
    struct weft_average_chunk *chunks;
};
/*
 * Makes the averages; UTILIZATION is borrowed and must outlive them.  O(changes), on
 * several threads; half a byte a change.  Returns NULL with WEFT_ERR_CANCELLED.
 */
struct weft_averages *weft_averages_make(const struct weft_utilization *utilization,
                                         int64_t width, bool with_overhead,
                                         struct weft_job *job,
                                         struct weft_err *err) WEFT_MUST_CHECK;
void weft_averages_free(struct weft_averages *averages);
size_t weft_averages_bytes(const struct weft_averages *averages);

struct weft_average {
    int64_t current; /* average at the window's end, in ticks */
    int64_t high;    /* greatest average at any time of the window, in ticks */
    /* busy ticks (and overhead if it counts) from SINCE to the window's end */
    int64_t spent;
};
/*
 * Fills OUT[list.n].  Reads two runs of changes a processor, one more if SINCE is after the
 * span's begin, and two or six more if the greatest average may lie in a chunk that an edge
 * of the window cuts.
 */
void weft_averages_of(const struct weft_averages *averages, struct weft_processor_list list,
                      struct weft_span window, int64_t since, struct weft_average *out);

#endif
