/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the times at which the rows of a tree of calls worked and at which they waited
 * inside calls, from the calls and from other states of their threads (model/idle.h).
 *
 * The rows of one container share the idle times of their thread, so these are not kept for
 * each row: that would take rows times intervals.
 */
#ifndef WEFT_ANALYSE_ROW_WORK_AND_WAITS_H
#define WEFT_ANALYSE_ROW_WORK_AND_WAITS_H

#include "domains/trees/model/idle.h"

/* Intervals [begin, end) in ticks of the trace's clock, in order, without overlap; one may
   begin where the one before it ends. The caller zeroes the struct before its first use and
   frees `list`. */
struct weft_row_times {
    struct weft_span *list; /* [n] */
    size_t n, capacity;
};

/*
 * Sets WORKING to the times in WINDOW at which the innermost state on TRACK has a value
 * that does not mean waiting, and WAITING_TIMES, unless NULL, to the times at which it has
 * a value that does (struct weft_waiting). Times without a state, and unreadable ones, are
 * in neither. States on other tracks are ignored. Both lists are overwritten, and grow as
 * needed; the caller frees them.
 */
void weft_row_calls(const struct weft_waiting *waiting, uint32_t track,
                    struct weft_span window, struct weft_row_times *working,
                    struct weft_row_times *waiting_times);

/* The activity of a row of calls (a track of nested states) at one time, inside a call: it
   works, or it waits. */
enum weft_row_doing { WEFT_ROW_WORKS, WEFT_ROW_WAITS };

/*
 * Calls VISIT with USER for each interval of WINDOW in which a constant number of rows,
 * above 0, which is the N of VISIT, work, and likewise for those in which rows wait inside
 * calls. The intervals of each kind come in order, without overlap; those of the two kinds
 * are interleaved. TRACKS[N] are the tracks of the rows, all of one container, whose idle
 * times are IDLE: in these, a row that would work counts as waiting. O(c log c + idle
 * intervals) for c changes of the rows; takes up to 32 bytes a change.
 */
void weft_row_times(const struct weft_waiting *waiting, const uint32_t *tracks, size_t n,
                    const struct weft_idle_times *idle, struct weft_span window,
                    void (*visit)(void *user, enum weft_row_doing doing,
                                  struct weft_span time, uint32_t n),
                    void *user);

#endif
