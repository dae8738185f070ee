/* SPDX-License-Identifier: Apache-2.0 */
/* What a processor did, change by change: some hundreds at once, or one by one. */
#ifndef WEFT_MODEL_CLASS_RUNS_H
#define WEFT_MODEL_CLASS_RUNS_H

#include "domains/messages/model/processors.h"

/*
 * Visit the changes of a processor's class in WINDOW: first its class at the begin, then each
 * time at which it becomes another one, to stay for at least a tick.  A run's classes are of enum
 * weft_class, WEFT_CLASS_UNKNOWN among them; a run is what the source keeps together, so a
 * window that begins just after the first change of a run reads nothing of the one before.
 * VISIT returns false to stop.  A search, and a nanosecond or two a change.
 */
void weft_class_runs(const struct weft_processors *processors, uint32_t index,
                     struct weft_span window,
                     bool (*visit)(void *user, const struct weft_class_run *run),
                     void *user);
/* A short window of a processor. */
struct weft_class_part {
    uint32_t index;
    struct weft_span window;
};
/*
 * For how long the processors of N parts were in each class in them: TICKS[n][WEFT_CLASSES].
 * Their sum is the part's length, but for what cannot be read.  A search each, and a nanosecond
 * a change; quickest for some tens at once.
 */
void weft_class_ticks(const struct weft_processors *processors,
                      const struct weft_class_part *parts, size_t n,
                      int64_t (*ticks)[WEFT_CLASSES]);
/* The same as weft_class_runs, one by one. */
void weft_class_changes(const struct weft_processors *processors, uint32_t index,
                        struct weft_span window,
                        bool (*visit)(void *user, int64_t time, enum weft_class class),
                        void *user);

#endif
