/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the changes of a processor's class, by runs of some hundreds or one by one. */
#ifndef WEFT_MODEL_CLASS_RUNS_H
#define WEFT_MODEL_CLASS_RUNS_H

#include "domains/messages/model/processors.h"

/*
 * Visits the class of a processor at the begin of WINDOW, then each change to another class
 * that lasts for at least a tick.  Classes are of enum weft_class, WEFT_CLASS_UNKNOWN among
 * them.  A run is what the source keeps together, so a window that begins just after the
 * first change of a run reads nothing of the run before.  VISIT returns false to stop.
 * Costs a search, and a nanosecond or two a change.
 */
void weft_class_runs(const struct weft_processors *processors, uint32_t index,
                     struct weft_span window,
                     bool (*visit)(void *user, const struct weft_class_run *run),
                     void *user);
/* A processor and a short window. */
struct weft_class_part {
    uint32_t index;
    struct weft_span window;
};
/*
 * Fills TICKS[n][WEFT_CLASSES] with the ticks that the processor of each part was in each
 * class during its window.  Their sum is the window's length, less unreadable time.  Costs
 * a search a part, and a nanosecond a change; quickest for some tens of parts at once.
 */
void weft_class_ticks(const struct weft_processors *processors,
                      const struct weft_class_part *parts, size_t n,
                      int64_t (*ticks)[WEFT_CLASSES]);
/* The same as weft_class_runs, change by change. */
void weft_class_changes(const struct weft_processors *processors, uint32_t index,
                        struct weft_span window,
                        bool (*visit)(void *user, int64_t time, enum weft_class class),
                        void *user);

#endif
