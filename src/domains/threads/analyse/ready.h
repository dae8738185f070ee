/* SPDX-License-Identifier: Apache-2.0 */
/* How long threads wanted a processor and had none: time in states of role ready. */
#ifndef WEFT_ANALYSE_READY_H
#define WEFT_ANALYSE_READY_H

#include "base/memory.h"
#include "store/source.h"

/* The tracks on which threads are ready.  Made by weft_ready_find; not changed after. */
struct weft_ready {
    const struct weft_source *source;
    const uint32_t *track_of; /* by container: its track with such states, or WEFT_NONE */
    const uint8_t *classes;   /* by value: 0 if it is ready, else 1 */
    bool known;               /* some thread was ready; else the trace may not say it */
};

/* Sets *OUT to the tracks of the trace; its lists are in ARENA. */
void weft_ready_find(const struct weft_source *source, struct weft_arena *arena,
                     struct weft_ready *out);

enum { WEFT_READY_QUERIES = 64 };
/* Questions that are not answered yet, and the sum of the answers.  All but READY is 0. */
struct weft_ready_sum {
    const struct weft_ready *ready;
    struct weft_class_query queries[WEFT_READY_QUERIES];
    size_t n;
    int64_t ticks;
};

/* Asks how long CONTAINER was ready in WINDOW; nothing is known of WEFT_NONE. */
void weft_ready_ask(struct weft_ready_sum *sum, uint32_t container,
                    struct weft_span window);
/* Answers what was asked; returns the sum of all answers, in ticks. */
int64_t weft_ready_answer(struct weft_ready_sum *sum);

#endif
