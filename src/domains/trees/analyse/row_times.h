/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the rows of a tree of calls worked, and when they waited inside of calls: as the calls
 * say, and as other states of their threads do (model/idle.h).
 *
 * The rows of one container have their thread's times in common.  So nobody keeps the times at
 * which each of many rows worked: these would be rows times those times.
 */
#ifndef WEFT_ANALYSE_ROW_TIMES_H
#define WEFT_ANALYSE_ROW_TIMES_H

#include "domains/trees/model/idle.h"

/* Times in order that do not overlap; zeroed at first, used again at will. */
struct weft_row_times {
    struct weft_span *list;
    size_t n, capacity;
};

/*
 * The times in WINDOW at which calls on TRACK worked, whatever its thread did, and, when that is
 * not NULL, at which they waited.  Replaces what both hold; the caller frees the lists.
 */
void weft_row_calls(const struct weft_waiting *waiting, uint32_t track,
                    struct weft_span window, struct weft_row_times *working,
                    struct weft_row_times *waiting_times);

/* What a part of time is in a row, or in several. */
enum weft_row_doing { WEFT_ROW_WORKS, WEFT_ROW_WAITS };

/*
 * Visit the times in WINDOW at which the rows TRACKS [n] of one container, and of the same times
 * IDLE, worked and waited: N of them at once.  Costs by changes of the rows (32 bytes each when
 * there are several) and by the idle times, not by their product.
 */
void weft_row_times(const struct weft_waiting *waiting, const uint32_t *tracks, size_t n,
                    const struct weft_idle_times *idle, struct weft_span window,
                    void (*visit)(void *user, enum weft_row_doing doing,
                                  struct weft_span time, uint32_t n),
                    void *user);

#endif
