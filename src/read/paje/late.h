/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks whose lines are not in order of time.  The first reading notices them; in the second
 * their events are put aside, and at the end sorted by time and applied.  Memory: about 60
 * bytes for each event of such tracks.
 */
#ifndef WEFT_READ_PAJE_LATE_H
#define WEFT_READ_PAJE_LATE_H

#include "read/paje/definitions.h"

struct paje_simulator;
struct paje_action;

struct paje_late { /* an event that waits for its turn in time */
    uint64_t line;
    double number;
    uint32_t pair, value;
    uint32_t track; /* the pair's then: its container may be created again meanwhile */
    uint32_t n_fields;
    enum paje_event event;
    size_t first_field;
};

struct paje_lates {
    struct paje_late *list;
    int64_t *times; /* parallel to list */
    size_t n, capacity, time_capacity;
    struct weft_field_value *fields;
    size_t n_fields, field_capacity;
};

/* Put an event aside, at the line that the joining scribe is at. */
void paje_late_add(struct paje_simulator *simulator, uint32_t pair,
                   const struct paje_action *action);
bool paje_late_apply(struct paje_simulator *simulator, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;
void paje_lates_free(struct paje_lates *lates);

#endif
