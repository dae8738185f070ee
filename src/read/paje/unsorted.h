/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of tracks whose lines are not in time order.  The first pass over the file detects
 * such tracks; the second pass sets their events aside, and sorts and applies them at the
 * end.  Memory: about 60 bytes an event.
 */
#ifndef WEFT_READ_PAJE_UNSORTED_H
#define WEFT_READ_PAJE_UNSORTED_H

#include "read/paje/event_definitions.h"

struct paje_simulator;
struct paje_action;

/*
 * An event that was set aside: a struct paje_action (apply_records.h) with its line and
 * track.
 */
struct paje_late {
    uint64_t line;        /* in the trace, from 1 */
    double number;        /* this, `value` and `event`: as in struct paje_action */
    uint32_t pair, value; /* pair: number of (container name, type name), symbols.h */
    uint32_t track;       /* of the pair then: its container may be created again later */
    uint32_t n_fields;
    enum paje_event event;
    size_t first_field; /* index in paje_lates.fields, of n_fields ones */
};

/* All events that were set aside.  All 0 is empty; paje_lates_free() frees it. */
struct paje_lates {
    struct paje_late *list; /* [n] in order of lines */
    int64_t *times;         /* [n] parallel to list */
    size_t n, capacity, time_capacity;
    struct weft_field_value *fields;
    size_t n_fields, field_capacity;
};

/*
 * Sets an event aside until paje_late_apply(): ACTION, copied with its fields, on the
 * present track of PAIR (number of container name, type name), which paje_resolve() has
 * found.  Its line is the joining thread's.
 */
void paje_late_add(struct paje_simulator *simulator, uint32_t pair,
                   const struct paje_action *action);
/*
 * Applies the events set aside, of all tracks, in order of time, and of lines for one time.
 * The list stays.  Returns false with WEFT_ERR_CANCELLED, in the middle, if JOB (or NULL)
 * is cancelled.
 */
bool paje_late_apply(struct paje_simulator *simulator, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the memory of LATES, which may not be used afterwards. */
void paje_lates_free(struct paje_lates *lates);

#endif
