/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the time of a row (a thread, rank, worker: a container whose tracks say what it
 * did) into adjacent intervals, each of one class.  A thread may have several tracks of
 * states, such as its scheduling and its MPI calls: a wait in a call counts before what the
 * scheduling says, since a call may wait by polling.  Among nested states the innermost
 * counts.  Meanings are found by roles.
 */
#ifndef WEFT_ANALYSE_ACTIVITY_INTERVALS_H
#define WEFT_ANALYSE_ACTIVITY_INTERVALS_H

#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/* The classes into which the time of a row is divided. */
enum weft_activity_class {
    WEFT_ACTIVITY_WORK,     /* what the program is for */
    WEFT_ACTIVITY_OVERHEAD, /* calls of libraries, runtime, recorder */
    WEFT_ACTIVITY_WAITING,  /* for somebody of the same run */
    WEFT_ACTIVITY_READY,    /* wanted a processor and had none */
    WEFT_ACTIVITY_OUTSIDE,  /* slept, or waited for a file, a device, the network */
    WEFT_ACTIVITY_UNKNOWN,
    WEFT_ACTIVITY_CLASSES,
};
/* Returns the name of CLASS for tables, such as "work"; "" for an invalid one. */
const char *weft_activity_class_name(enum weft_activity_class class);
/*
 * Returns the class of a state whose value has ROLE; WEFT_ACTIVITY_UNKNOWN for a role, such
 * as none, that does not tell.
 */
enum weft_activity_class weft_activity_class_of(enum weft_role role);

/* An interval of the life of a row (a container that does something), of one class. */
struct weft_activity {
    enum weft_activity_class class;
    struct weft_span span; /* never empty */
    struct weft_state of;  /* the state that it is a part of; of.id WEFT_NO_ID: no state */
};

/* Intervals of one row (a container), adjacent, in order of time; all 0: none. */
struct weft_activities {
    struct weft_activity *list; /* [n] */
    size_t n, capacity;
};

/*
 * Returns true if TRACK, an index in SCHEMA's tracks, has states that say what its
 * container did.
 */
bool weft_is_activity_track(const struct weft_schema *schema, uint32_t track);
/* Returns true if the container ROW has such a track. */
bool weft_is_activity_row(const struct weft_schema *schema, uint32_t row);
/*
 * Sets *OUT, zeroed before the first use, to the intervals of the container ROW in WINDOW,
 * cut to WINDOW and to the life of ROW; none if these do not overlap.  Memory of *OUT is
 * reused; weft_activities_free() frees it.  Reads the states of the window.  Time in no
 * state is work for a row that has calls only, else unknown.
 */
void weft_activities_read(const struct weft_source *source, uint32_t row,
                          struct weft_span window, struct weft_activities *out);
/*
 * The same by the scheduling alone, without the row's calls: what a thread in a call that
 * waits did meanwhile.  None if the row has calls only.
 */
void weft_activities_read_scheduled(const struct weft_source *source, uint32_t row,
                                    struct weft_span window, struct weft_activities *out);
/* Frees the list of ACTIVITIES, which is empty then. */
void weft_activities_free(struct weft_activities *activities);

#endif
