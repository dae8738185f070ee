/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The family of threads, joined: what keeps threads from running (states.c), the objects that
 * they wait in or hold (objects.c), and who woke whom.
 */
#ifndef WEFT_READ_RECORDING_THREADS_JOIN_H
#define WEFT_READ_RECORDING_THREADS_JOIN_H

#include "format/recording_threads.h"
#include "read/recording/core/join.h"

enum {
    MOST_NESTED = 8,   /* waits of a thread inside one another: handlers in handlers */
    MOST_PENDING = 64, /* wakers of an object that have not woken all that they may */
};

/* Why a thread does not run: index into the values of "Thread state". */
enum reason {
    REASON_RUNNING,
    REASON_OBJECT, /* + enum weft_object */
    REASON_JOIN = REASON_OBJECT + WEFT_OBJECT_KINDS,
    REASON_CALL, /* + enum weft_call */
    REASON_KINDS = REASON_CALL + WEFT_CALL_KINDS,
};

struct wait {
    enum reason reason;
    struct object_state *object; /* or NULL */
    uint64_t site;
    int64_t begin;
    uint64_t id; /* of the state */
};

struct thread_state { /* this family's, of a join_thread */
    uint32_t states;  /* track; WEFT_NONE before its start */
    uint64_t now;     /* id of the state that it is in, or was in last */
    struct wait waits[MOST_NESTED];
    unsigned n_waits;
    struct join_thread *join_target; /* or NULL */
    uint64_t join_handle;
    uint64_t barrier_round;
};

struct cause { /* who did something that may wake others */
    struct join_thread *thread;
    int64_t time;
    uint64_t count; /* how many it may wake */
    uint64_t state; /* id of the state in which it did */
};

struct object_state {
    enum weft_object class;
    uint32_t container, states, waiting; /* tracks; WEFT_NONE where it has none */
    int64_t time;                        /* of its latest change */
    uint32_t process;
    bool destroyed;
    struct join_thread *holder;
    uint64_t held_at;    /* the site where it was taken; 0: not known */
    uint32_t held_image; /* of that site */
    uint64_t depth, readers, waiters;
    uint64_t count; /* semaphore's; or a barrier's size */
    uint64_t arrivals;
    struct cause last, rounds[2];
    struct cause pending[MOST_PENDING];
    unsigned first_pending, n_pending;
    struct join_place place; /* who waits for its release to be read */
};

/* What is defined in the store: types.c. */
struct thread_types {
    uint32_t objects[WEFT_OBJECT_KINDS]; /* containers, and facts about them */
    uint32_t address[WEFT_OBJECT_KINDS], symbol[WEFT_OBJECT_KINDS];
    uint32_t thread_states, wake_up;
    uint32_t lock_states[WEFT_OBJECT_KINDS], waiting[WEFT_OBJECT_KINDS], semaphore_states;
    uint32_t reasons[REASON_KINDS], wakes[REASON_KINDS]; /* values */
    uint32_t lock_values[WEFT_OBJECT_KINDS][3], semaphore_values[3];
    uint32_t state_object, state_site; /* fields */
    uint32_t lock_holder[WEFT_OBJECT_KINDS], lock_acquisition[WEFT_OBJECT_KINDS];
    uint32_t lock_site[WEFT_OBJECT_KINDS];
};

struct threads_join {
    struct join *join;
    struct thread_types types;
    struct thread_state *threads;  /* as join->threads */
    struct object_state **objects; /* NULL: destroyed */
    size_t n_objects, objects_capacity;
    struct weft_text_map object_map;   /* by process and address */
    struct weft_text_map object_names; /* how many of a process bear a name */
};

void threads_define_types(struct threads_join *threads);

/* states.c */
void threads_show_state(struct threads_join *threads, const struct join_thread *thread,
                        int64_t time);
/* The thread does at this time what may wake up to COUNT others. */
struct cause threads_cause(const struct threads_join *threads, struct join_thread *thread,
                           int64_t time, uint64_t count);
void threads_block(struct threads_join *threads, struct join_thread *thread, int64_t time,
                   enum reason reason, struct object_state *object, uint64_t site);
/* The innermost wait of this reason and object ends; false: there was none. */
bool threads_unblock(struct threads_join *threads, struct join_thread *thread, int64_t time,
                     enum reason reason, const struct object_state *object,
                     struct wait *ended);
void threads_wake(struct threads_join *threads, const struct cause *cause,
                  struct join_thread *woken, int64_t time, const struct wait *wait,
                  uint32_t flags);

/* objects.c */
struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time);
void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time);

#endif
