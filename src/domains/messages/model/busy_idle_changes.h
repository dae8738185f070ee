/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the changes of a processor's class: some hundred at once, or one by one. */
#ifndef WEFT_MODEL_BUSY_IDLE_CHANGES_H
#define WEFT_MODEL_BUSY_IDLE_CHANGES_H

#include "domains/messages/model/processors.h"

/*
 * Calls VISIT with the classes (enum weft_class, also WEFT_CLASS_UNKNOWN) of processor
 * INDEX (in processors->processors) during WINDOW, in order of time, as runs: arrays of one
 * change or more, valid during the call.  The first change is the class at the begin of
 * WINDOW; each later one is to another class, which lasts for at least a tick.  Before the
 * processor's start and from its finish on the class is idle.  VISIT returns false to
 * stop.  An empty window has no visit.  A window that begins just after the first change of
 * a run reads nothing of the run before.  Costs a search, and a nanosecond or two a change.
 */
void weft_class_runs(const struct weft_processors *processors, uint32_t index,
                     struct weft_span window,
                     bool (*visit)(void *user, const struct weft_class_run *run),
                     void *user);
/* A question to weft_class_ticks: how long was a processor in each class in WINDOW? */
struct weft_class_part {
    uint32_t index;          /* of the processor, in weft_processors.processors */
    struct weft_span window; /* may leave the trace's span: there it is idle */
};
/*
 * Fills TICKS[n][WEFT_CLASSES] with the ticks that the processor of each of PARTS[n] was in
 * each class during its window, which should be short.  The ticks of one part add up to its
 * length, less time that cannot be read; to 0 if its window is empty or ends before it
 * begins.  Costs a search a part, and a nanosecond a change; quickest for some tens of
 * parts at once.
 */
void weft_class_ticks(const struct weft_processors *processors,
                      const struct weft_class_part *parts, size_t n,
                      int64_t (*ticks)[WEFT_CLASSES]);
/*
 * Calls VISIT with the class of processor INDEX (in processors->processors) at the begin of
 * WINDOW, then at each change to another class that lasts for at least a tick, until VISIT
 * returns false.  TIME is that of the change, CLASS the class from then on: idle before the
 * processor's start and from its finish on, WEFT_CLASS_UNKNOWN where the trace is damaged.
 * An empty window has no visit.
 */
void weft_class_changes(const struct weft_processors *processors, uint32_t index,
                        struct weft_span window,
                        bool (*visit)(void *user, int64_t time, enum weft_class class),
                        void *user);

#endif
