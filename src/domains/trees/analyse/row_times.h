/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the times at which the rows of a tree of calls worked and at which they waited
 * inside calls, from the calls and from other states of their threads (model/idle.h).
 *
 * The rows of one container share the idle times of their thread, so these are not kept for
 * each row: that would take rows times intervals.
 */
#ifndef WEFT_ANALYSE_ROW_TIMES_H
#define WEFT_ANALYSE_ROW_TIMES_H

#include "domains/trees/model/idle.h"

/* Intervals in order, without overlap. The caller zeroes the struct at first and frees
   `list`. */
struct weft_row_times {
    struct weft_span *list;
    size_t n, capacity;
};

/*
 * Sets WORKING to the times in WINDOW at which calls on TRACK worked, without regard to the
 * thread's idle times, and WAITING_TIMES, unless NULL, to the times at which calls waited.
 * Both reuse their lists from an earlier call; the caller frees these.
 */
void weft_row_calls(const struct weft_waiting *waiting, uint32_t track,
                    struct weft_span window, struct weft_row_times *working,
                    struct weft_row_times *waiting_times);

enum weft_row_doing { WEFT_ROW_WORKS, WEFT_ROW_WAITS };

/*
 * Calls VISIT for the intervals of WINDOW in which rows worked, and for those in which rows
 * waited, each with the number of these rows. The rows are TRACKS[N], all of one container
 * with the idle times IDLE. O(c log c + idle intervals) for c changes of the rows; takes up
 * to 32 bytes a change.
 */
void weft_row_times(const struct weft_waiting *waiting, const uint32_t *tracks, size_t n,
                    const struct weft_idle_times *idle, struct weft_span window,
                    void (*visit)(void *user, enum weft_row_doing doing,
                                  struct weft_span time, uint32_t n),
                    void *user);

#endif
