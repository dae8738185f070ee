/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of the records of threads: makes the states of threads (states.c), the objects
 * that they wait for or hold (objects.c), the states of these (changes.c, conditions.c),
 * and links for wake-ups; shared.c knows memory that processes share.
 */
#ifndef WEFT_READ_RECORDING_THREADS_JOIN_H
#define WEFT_READ_RECORDING_THREADS_JOIN_H

#include "domains/threads/format/records.h"
#include "domains/threads/join/wrapper_callers.h"
#include "read/recording/join/join.h"
#include "read/recording/join/names.h"

enum {
    MAX_NESTED = 8,   /* waits of a thread inside each other, in signal handlers */
    MAX_PENDING = 64, /* posts of a semaphore whose wake-ups are not known yet */
};

enum lock_value { LOCK_FREE, LOCK_HELD, LOCK_CONTENDED, LOCK_OWNER_DIED, LOCK_VALUES };

/* The reason why a thread does not run: index into the values of "Thread state". */
enum reason {
    REASON_RUNNING,
    REASON_OBJECT, /* + enum weft_object */
    REASON_JOIN = REASON_OBJECT + WEFT_OBJECT_KINDS,
    REASON_CALL, /* + enum weft_call */
    REASON_KINDS = REASON_CALL + WEFT_CALL_KINDS,
};

struct cause {                  /* an action that may wake other threads */
    struct join_thread *thread; /* the thread that acts; NULL if unknown */
    int64_t time;
    uint64_t count; /* threads that it may wake */
    uint64_t state; /* id of the state of the thread then */
    bool died;      /* the thread ended while it held the lock */
};

struct wait {
    enum reason reason;
    struct object_state *object; /* or NULL */
    uint64_t site;
    int64_t begin;
    uint64_t id; /* of the thread's state */
    /* for a condition: the mutex given back, or NULL; the signal or broadcast to it */
    struct object_state *mutex;
    struct cause cause;
};

struct thread_state {              /* a thread, with what this join knows about it */
    uint32_t states;               /* track of its states; WEFT_NONE before its start */
    struct wait waits[MAX_NESTED]; /* [n_waits], the innermost last */
    unsigned n_waits;
    struct join_thread *join_target; /* the thread whose end it waits for, or NULL */
    uint64_t join_handle;            /* the handle of that thread, as recorded */
    uint64_t barrier_round;          /* times that its barrier was passed before it came */
    /* the lock of its latest record if that was a release; or NULL */
    struct object_state *gave_back;
    uint64_t stack[WEFT_STACK_MAX]; /* its latest WEFT_RECORD_STACK */
    uint32_t n_stack;
};

struct thread_list { /* in order of arrival */
    struct join_thread **threads;
    size_t n, capacity;
};

struct object_state {
    enum weft_object class;
    /* WAITING: track of the number of waiters, or a semaphore's count; WEFT_NONE if none */
    uint32_t container, states, waiting;
    int64_t time;     /* of its latest change */
    uint32_t process; /* WEFT_NONE if several processes share it */
    bool destroyed;
    struct join_thread *holder;       /* of a lock: that took it last; NULL: it is free */
    uint64_t held_at;                 /* the site where it was taken; 0 if unknown */
    uint32_t held_image;              /* the image of that site */
    uint64_t depth, readers, waiters; /* holds of one thread, of readers; waiting threads */
    uint64_t count;                   /* of a semaphore; or the size of a barrier */
    uint64_t arrivals;                /* at a barrier so far */
    /* latest release or arrival; the last arrivals of the latest two rounds of a barrier */
    struct cause last, rounds[2];
    /* ring buffer [MAX_PENDING] of posts of a semaphore, n_pending are in it; or NULL */
    struct cause *pending;
    unsigned first_pending, n_pending;
    struct thread_list inside;    /* of a condition: the threads that wait for it */
    struct thread_list returning; /* of a mutex: woken waiters of conditions that need it */
    struct join_place place;      /* threads whose records are held up until its release */
};

/* Types and values that types.c defines in the store. */
struct thread_types {
    uint32_t objects[WEFT_OBJECT_KINDS]; /* container types, and their fields */
    uint32_t address[WEFT_OBJECT_KINDS], symbol[WEFT_OBJECT_KINDS];
    uint32_t thread_states, wake_up;
    uint32_t lock_states[WEFT_OBJECT_KINDS], waiting[WEFT_OBJECT_KINDS], semaphore_states;
    uint32_t reasons[REASON_KINDS], wakes[REASON_KINDS], wake_by_death; /* values */
    uint32_t lock_values[WEFT_OBJECT_KINDS][LOCK_VALUES], semaphore_values[3];
    uint32_t initialized_at[WEFT_OBJECT_KINDS], first_used_at[WEFT_OBJECT_KINDS];
    uint32_t state_object, state_site; /* fields */
    uint32_t lock_holder[WEFT_OBJECT_KINDS], lock_acquisition[WEFT_OBJECT_KINDS];
    uint32_t lock_site[WEFT_OBJECT_KINDS];
};

/* The identity of an object: process and address; if shared: host, file and offset. */
struct object_key {
    uint64_t process, address; /* if shared: UINT64_MAX - host, and the file's offset */
    uint64_t device, inode;    /* of the shared file; else 0 */
};

struct initialization { /* where an object was initialized */
    uint64_t site;      /* 0: unknown, or the object was destroyed */
    uint32_t image;     /* the image of that site */
};

struct mapping {     /* of memory that processes share */
    uint32_t before; /* index of the image's mapping before it, or WEFT_MAP_NONE */
    uint64_t begin, end, offset, device, inode;
    const char *path;
};

struct threads_join {
    struct join *join;
    struct thread_types types;
    struct thread_state *threads;  /* by index in join->threads */
    struct object_state **objects; /* [n_objects]; NULL: destroyed */
    size_t n_objects, objects_capacity;
    struct weft_text_map object_map;  /* struct object_key to index of objects */
    struct weft_text_map initialized; /* struct object_key to index of initializations */
    struct initialization *initializations;
    size_t n_initializations, initializations_capacity;
    struct mapping *mappings; /* shared memory of all images */
    size_t n_mappings, mappings_capacity;
    struct weft_id_map last_mappings; /* image to index of its latest mapping */
    uint32_t *groups; /* by host: container of shared objects, or WEFT_NONE */
    struct frames *frames;
    struct weft_text_map object_names; /* process and name to number of such objects */
};

void threads_define_types(struct threads_join *threads);

/* states.c */
/* Writes the thread's current state from TIME on: its innermost wait, or running. */
void threads_show_state(struct threads_join *threads, struct join_thread *thread,
                        int64_t time);
/* Returns the cause that the thread acts at TIME, and may wake up to COUNT others. */
struct cause threads_cause(struct join_thread *thread, int64_t time, uint64_t count);
/*
 * Begins a wait of the thread for OBJECT, or NULL; SITE is the hook's return address.  The
 * result is valid until the thread's next wait begins or ends.
 */
struct wait *threads_block(struct threads_join *threads, struct join_thread *thread,
                           int64_t time, enum reason reason, struct object_state *object,
                           uint64_t site);
/*
 * Ends the thread's innermost wait with this reason and object, and waits inside it, and
 * copies it to *ENDED; returns false, with *ENDED untouched, if there is none.
 */
bool threads_unblock(struct threads_join *threads, struct join_thread *thread, int64_t time,
                     enum reason reason, const struct object_state *object,
                     struct wait *ended);
/* Returns the thread's innermost wait if it waits for OBJECT; else NULL. */
struct wait *threads_waits_in(struct threads_join *threads,
                              const struct join_thread *thread,
                              const struct object_state *object);
/* Ends the N innermost waits of the thread, which a longjmp has left. */
void threads_leave(struct threads_join *threads, struct join_thread *thread, uint64_t n,
                   int64_t time);
/* Writes a link with FLAGS from CAUSE's thread to WOKEN, whose WAIT ended at TIME. */
void threads_wake(struct threads_join *threads, const struct cause *cause,
                  struct join_thread *woken, int64_t time, const struct wait *wait,
                  uint32_t flags);
/* Returns frames_site() of SITE, by the thread's latest WEFT_RECORD_STACK. */
uint64_t threads_site(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site);

/* objects.c */
/* Returns the object that a slot of the thread means, made at TIME if it is new. */
struct object_state *threads_object(struct threads_join *threads,
                                    const struct join_thread *thread,
                                    struct slot_binding *binding, int64_t time);
/* Takes a WEFT_RECORD_INIT: keeps the site, and destroys an older object at the address. */
void threads_initialize_object(struct threads_join *threads,
                               const struct join_thread *thread,
                               const struct record *record, int64_t time);
/* Takes a WEFT_RECORD_DESTROY: destroys the object of a slot, unless processes share it. */
void threads_destroy_binding(struct threads_join *threads, const struct join_thread *thread,
                             const struct slot_binding *binding, int64_t time);
/* Ends the object's container and states at TIME, and frees its lists. */
void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time);

/* shared.c */
/* Takes a WEFT_RECORD_SHARED: a mapping of shared memory of the thread's image. */
void threads_add_mapping(struct threads_join *threads, const struct join_thread *thread,
                         const struct record *record);
/* Returns the shared memory that ADDRESS in IMAGE lies in; NULL: it is not shared. */
const struct mapping *threads_mapping(const struct threads_join *threads, uint32_t image,
                                      uint64_t address);
/* Returns the container of the objects that processes on PROCESS's host share. */
uint32_t threads_shared_group(struct threads_join *threads, uint32_t process, int64_t time);

/* changes.c */
/*
 * Takes a record of an object, and returns NULL; or, if it takes a lock that another thread
 * still holds, returns the place where the thread's records must wait for the release.
 */
struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time);
/* Writes the object's current state, or number of waiters, from TIME on. */
void threads_show_object(struct threads_join *threads, struct object_state *object,
                         int64_t time);
/* Begins a wait of the thread for the object; SITE is the hook's return address. */
void threads_wait_begins(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, uint64_t site, int64_t time);
/* Takes the thread, whose wait WAIT ends, out of the waiters of its object. */
void threads_waits_no_more(struct join_thread *thread, const struct wait *wait);
/* Ends the thread's wait for the object, copied to *WAIT; false if there is none. */
bool threads_wait_ends(struct threads_join *threads, struct join_thread *thread,
                       struct object_state *object, int64_t time, struct wait *wait);

/* conditions.c */
/* Notes that the thread waits for a condition, and which mutex it has just given back. */
void threads_enter_condition(struct threads_join *threads, struct join_thread *thread,
                             struct object_state *condition);
/* Takes the thread, whose wait WAIT for a condition ends, out of all lists. */
void threads_leave_condition(struct join_thread *thread, const struct wait *wait);
/* Assigns the thread's signal to a waiter of the condition; ALL: a broadcast, to all. */
void threads_tell_condition(struct threads_join *threads, struct object_state *condition,
                            struct join_thread *thread, bool all, int64_t time);
/* After the thread has taken the mutex: woken waiters of conditions now wait for that. */
void threads_mutex_acquired(struct threads_join *threads, struct object_state *mutex,
                            struct join_thread *thread, int64_t time);
void threads_list_free(struct thread_list *list);

#endif
