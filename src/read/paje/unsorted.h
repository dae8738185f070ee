/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of tracks whose lines are not in time order.  The first pass over the file detects
 * such tracks; the second pass sets their events aside, and sorts and applies them at the
 * end.  Memory: about 60 bytes an event.
 */
#ifndef WEFT_READ_PAJE_UNSORTED_H
#define WEFT_READ_PAJE_UNSORTED_H

#include "read/paje/definitions.h"

struct paje_simulator;
struct paje_action;

struct paje_late { /* an event that was set aside */
    uint64_t line;
    double number;
    uint32_t pair, value; /* pair: (container name, type name), see symbols.h */
    uint32_t track;       /* of the pair then: its container may be created again later */
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

/* Set an event of PAIR aside until paje_late_apply(); its line is the current one. */
void paje_late_add(struct paje_simulator *simulator, uint32_t pair,
                   const struct paje_action *action);
/* Sort by time and apply the events set aside.  Returns false with WEFT_ERR_CANCELLED. */
bool paje_late_apply(struct paje_simulator *simulator, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;
void paje_lates_free(struct paje_lates *lates);

#endif
