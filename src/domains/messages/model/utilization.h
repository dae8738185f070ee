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

#include "domains/messages/model/busy_idle_changes.h"

/* Kinds of streaks; unreadable time ends a streak and belongs to none (WEFT_NO_STREAK). */
enum { WEFT_LOSS, WEFT_WIN, WEFT_NO_STREAK };

/* The greatest number of changes of class in a chunk. */
enum { WEFT_CHUNK_MAX = 512 };
/* A chunk: some hundred successive changes of class of a processor, and its streaks. */
struct weft_utilization_chunk {
    int64_t spent[WEFT_CLASSES]; /* ticks in each class, from the span's begin to its own */
    struct weft_chunk_streaks {
        int64_t since; /* begin of the streak that is on at the chunk's begin */
        /* end of that streak; INT64_MAX if it goes on at the next chunk's begin */
        int64_t first_end;
        /* ticks of the longest losses, wins that begin after it and end in the chunk */
        int64_t longest[2];
    } streaks[2];          /* [0]: overhead loses, [1]: overhead wins */
    enum weft_class class; /* at the chunk's begin */
};

/*
 * How long each processor was in each class, by chunk; made by weft_utilization_make, freed
 * by weft_utilization_free.
 */
struct weft_utilization {
    const struct weft_processors *processors; /* borrowed */
    /*
     * [processors + 1]: index in CHUNKS of each one's first chunk, which begins with the
     * span; the last element is the number of chunks.
     */
    size_t *first;
    /* time at which each element of CHUNKS begins; kept apart for the sake of searches */
    int64_t *begins;
    struct weft_utilization_chunk *chunks; /* by processor, then by time */
};

/*
 * Reads all changes of class (busy, overhead, idle) of all processors, on several threads.
 * PROCESSORS must outlive the result, which the caller frees with weft_utilization_free.
 * Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_utilization *weft_utilization_make(const struct weft_processors *processors,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
/* Frees UTILIZATION; NULL is fine. */
void weft_utilization_free(struct weft_utilization *utilization);
/* Returns the bytes of memory that UTILIZATION takes, without the processors. */
size_t weft_utilization_bytes(const struct weft_utilization *utilization);

/* A question to weft_utilization_spent: what had the processor done until TIME? */
struct weft_processor_moment {
    uint32_t index; /* in weft_processors.processors */
    int64_t time;
};
/*
 * Fills SPENT[n][WEFT_CLASSES] with the ticks from the begin of the trace's span to the
 * time of MOMENTS[i] that its processor was in each class; 0 for times before the span.
 * Unreadable time is in no class.
 */
void weft_utilization_spent(const struct weft_utilization *utilization,
                            const struct weft_processor_moment *moments, size_t n,
                            int64_t (*spent)[WEFT_CLASSES]);
/*
 * Fills TICKS[list.n][WEFT_CLASSES] with the ticks of WINDOW, which lies in the trace's
 * span, that each processor was in each class.  The ticks of one processor add up to the
 * window's length, less time that cannot be read.
 */
void weft_utilization_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            int64_t (*ticks)[WEFT_CLASSES]);

/*
 * Returns the index, in utilization->chunks, of the last chunk (some hundred changes of
 * class) of processor INDEX (in weft_processors.processors) that begins at TIME or before;
 * its first chunk if TIME is before the trace's span.
 */
size_t weft_utilization_chunk_at(const struct weft_utilization *utilization, uint32_t index,
                                 int64_t time);
/*
 * Returns the window from a tick after the begin of CHUNK (an index in
 * utilization->chunks, which tells the class at the begin) to END.  Reading the changes of
 * class in it does not read those of the chunk before.
 */
static inline struct weft_span
weft_utilization_after(const struct weft_utilization *utilization, size_t chunk,
                       int64_t end)
{
    return (struct weft_span){ utilization->begins[chunk] + 1, end };
}

/*
 * Returns a window that holds all of the time around TIME, which lies in the trace's span,
 * in which processor INDEX stays in the class that it has at TIME.  It is a chunk's, with
 * at most WEFT_CHUNK_MAX changes of class, and at least a tick long.
 */
struct weft_span weft_utilization_around(const struct weft_utilization *utilization,
                                         uint32_t index, int64_t time);

/* A processor's streaks in a window: the one at its end, and the longest of each kind. */
struct weft_streak {
    int kind;           /* WEFT_LOSS or WEFT_WIN at the window's end, or WEFT_NO_STREAK */
    int64_t length;     /* ticks of that streak in the window; 0 for WEFT_NO_STREAK */
    int64_t longest[2]; /* ticks of the longest loss, win in the window */
};
/*
 * Fills OUT[list.n] with the streaks of each processor in WINDOW, which lies in the trace's
 * span and cuts them at its edges.  A streak is a time in which a processor goes on winning
 * or losing: busy wins, idle loses, overhead wins if OVERHEAD_WINS, else loses.  For an
 * empty window, the kind is that at its time, and all lengths are 0.
 */
void weft_utilization_streaks(const struct weft_utilization *utilization,
                              struct weft_processor_list list, struct weft_span window,
                              bool overhead_wins, struct weft_streak *out);

/* ---- Moving averages (Kiviat diagrams) ---- */

/*
 * A part of a moving average's curve.  The average at time t is how long in [t - width, t)
 * a processor was busy (or in overhead, if that counts); time before the span counts as
 * neither.  So it takes one width to rise, and a first busy tick is no high-water mark.
 */
struct weft_average_chunk {
    int64_t begin; /* a time of the trace */
    int64_t most;  /* greatest average, in ticks, from here to the next chunk's begin */
};
/*
 * The moving averages of all processors over the trace's span; made by weft_averages_make,
 * freed by weft_averages_free.
 */
struct weft_averages {
    const struct weft_utilization *utilization; /* borrowed */
    int64_t width;                              /* ticks, at least 1 */
    bool with_overhead;                         /* overhead counts as busy */
    /* [processors + 1]: index in CHUNKS of each one's first; the last: number of CHUNKS */
    size_t *first;
    struct weft_average_chunk *chunks; /* by processor, then by begin */
};
/*
 * Makes the moving averages over WIDTH ticks (1 if it is less) of the time busy
 * (WITH_OVERHEAD: or in overhead) of all processors, by reading all changes of class on
 * several threads; half a byte a change.  UTILIZATION must outlive the result, which the
 * caller frees with weft_averages_free.  Returns NULL with WEFT_ERR_CANCELLED if JOB (may
 * be NULL) is cancelled.
 */
struct weft_averages *weft_averages_make(const struct weft_utilization *utilization,
                                         int64_t width, bool with_overhead,
                                         struct weft_job *job,
                                         struct weft_err *err) WEFT_MUST_CHECK;
/* Frees AVERAGES; NULL is fine. */
void weft_averages_free(struct weft_averages *averages);
/* Returns the bytes of memory that AVERAGES takes, without the utilization. */
size_t weft_averages_bytes(const struct weft_averages *averages);

/* A processor's moving average in a window. */
struct weft_average {
    int64_t current; /* average at the window's end, in ticks */
    int64_t high;    /* greatest average at any time of the window, in ticks */
    /* busy ticks (and overhead if it counts) from SINCE to the window's end */
    int64_t spent;
};
/*
 * Fills OUT[list.n] with the moving averages of the list's processors in WINDOW, which lies
 * in the trace's span, and the time spent from SINCE to its end.  Reads some hundred
 * changes twice a processor, once more if SINCE is after the span's begin, and two or six
 * times more if the greatest average may lie in a chunk that an edge of WINDOW cuts.
 */
void weft_averages_of(const struct weft_averages *averages, struct weft_processor_list list,
                      struct weft_span window, int64_t since, struct weft_average *out);

#endif
