/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of the family of threads: the states of threads (states.c), the objects that
 * they wait for or hold (objects.c), the states of these (changes.c, conditions.c), and
 * wake-ups.
 */
#ifndef WEFT_READ_RECORDING_THREADS_JOIN_H
#define WEFT_READ_RECORDING_THREADS_JOIN_H

#include "domains/threads/format/records.h"
#include "domains/threads/join/frames.h"
#include "read/recording/join/join.h"
#include "read/recording/join/names.h"

enum {
    MOST_NESTED = 8,   /* nested waits of a thread: in signal handlers */
    MOST_PENDING = 64, /* posts that have not woken as many threads as they may */
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
    struct join_thread *thread; /* NULL if unknown */
    int64_t time;
    uint64_t count; /* threads that it may wake */
    uint64_t state; /* id of the state of the thread that acted */
    bool died;      /* the thread ended while it held the lock */
};

struct wait {
    enum reason reason;
    struct object_state *object; /* or NULL */
    uint64_t site;
    int64_t begin;
    uint64_t id; /* of the state */
    /* In a condition: the mutex given back, or NULL, and the signal or broadcast. */
    struct object_state *mutex;
    struct cause cause;
};

struct thread_state { /* the state of a join_thread in this family */
    uint32_t states;  /* track; WEFT_NONE before its start */
    struct wait waits[MOST_NESTED];
    unsigned n_waits;
    struct join_thread *join_target; /* or NULL */
    uint64_t join_handle;
    uint64_t barrier_round;
    /* the lock of its latest record if that was a release; or NULL */
    struct object_state *gave_back;
    uint64_t stack[WEFT_STACK_MOST]; /* its latest WEFT_RECORD_STACK */
    uint32_t n_stack;
};

struct thread_list { /* in order of arrival */
    struct join_thread **threads;
    size_t n, capacity;
};

struct object_state {
    enum weft_object class;
    uint32_t container, states, waiting; /* tracks; WEFT_NONE if it has none */
    int64_t time;                        /* of its latest change */
    uint32_t process;                    /* WEFT_NONE if several processes share it */
    bool destroyed;
    struct join_thread *holder;
    uint64_t held_at;    /* the site where it was taken; 0 if unknown */
    uint32_t held_image; /* the image of that site */
    uint64_t depth, readers, waiters;
    uint64_t count; /* of a semaphore; or the size of a barrier */
    uint64_t arrivals;
    struct cause last, rounds[2];
    struct cause *pending; /* [MOST_PENDING], posts of a semaphore; or NULL */
    unsigned first_pending, n_pending;
    struct thread_list inside;    /* condition: the threads that wait for it */
    struct thread_list returning; /* mutex: woken waiters of conditions that need it */
    struct join_place place;      /* threads whose records wait for its release */
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

/* The identity of an object: its process and address, or its place in a shared file. */
struct object_key {
    uint64_t process, address; /* shared: UINT64_MAX - host, and the offset */
    uint64_t device, inode;
};

struct initialization { /* of an object that has not been used yet */
    uint64_t site;
    uint32_t image;
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
    struct object_state **objects; /* NULL: destroyed */
    size_t n_objects, objects_capacity;
    struct weft_text_map object_map;  /* struct object_key to index of objects */
    struct weft_text_map initialized; /* struct object_key to index of initializations */
    struct initialization *initializations;
    size_t n_initializations, initializations_capacity;
    struct mapping *mappings; /* shared.c */
    size_t n_mappings, mappings_capacity;
    struct weft_id_map last_mappings; /* image: index of its latest mapping */
    uint32_t *groups; /* by host: container of shared objects, or WEFT_NONE */
    struct frames *frames;
    struct weft_text_map object_names; /* struct name_key: number of objects */
};

void threads_define_types(struct threads_join *threads);

/* states.c */
/* Write the thread's current state: its innermost wait, or running. */
void threads_show_state(struct threads_join *threads, struct join_thread *thread,
                        int64_t time);
/* Returns a cause: the thread acts at TIME, and may wake up to COUNT others. */
struct cause threads_cause(struct join_thread *thread, int64_t time, uint64_t count);
/* Begin a wait; SITE is the hook's return address.  Valid until the next wait begins. */
struct wait *threads_block(struct threads_join *threads, struct join_thread *thread,
                           int64_t time, enum reason reason, struct object_state *object,
                           uint64_t site);
/* End the innermost wait with this reason and object; returns false if there is none. */
bool threads_unblock(struct threads_join *threads, struct join_thread *thread, int64_t time,
                     enum reason reason, const struct object_state *object,
                     struct wait *ended);
/* Returns the thread's innermost wait if it waits for OBJECT; else NULL. */
struct wait *threads_waits_in(struct threads_join *threads,
                              const struct join_thread *thread,
                              const struct object_state *object);
/* A longjmp has left the N innermost waits of the thread. */
void threads_leave(struct threads_join *threads, struct join_thread *thread, uint64_t n,
                   int64_t time);
/* Write a link from the thread that acted to WOKEN, whose wait WAIT ended at TIME. */
void threads_wake(struct threads_join *threads, const struct cause *cause,
                  struct join_thread *woken, int64_t time, const struct wait *wait,
                  uint32_t flags);
/* Returns the return address of the call that is not in a wrapper, from SITE outwards. */
uint64_t threads_site(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site);

/* objects.c */
/* Returns the object of a slot; made at its first use. */
struct object_state *threads_object(struct threads_join *threads,
                                    const struct join_thread *thread,
                                    struct join_meaning *meaning, int64_t time);
/* Take an INIT record: an older object at its address has ended. */
void threads_initialize_object(struct threads_join *threads,
                               const struct join_thread *thread,
                               const struct record *record, int64_t time);
/* The program has destroyed the object of a slot. */
void threads_destroy_meaning(struct threads_join *threads, const struct join_thread *thread,
                             const struct join_meaning *meaning, int64_t time);
void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time);

/* shared.c */
void threads_add_mapping(struct threads_join *threads, const struct join_thread *thread,
                         const struct record *record);
/* Returns the mapping of shared memory that has an address of an image; or NULL. */
const struct mapping *threads_mapping(const struct threads_join *threads, uint32_t image,
                                      uint64_t address);
/* Returns the container of the objects that processes of a host share. */
uint32_t threads_shared_group(struct threads_join *threads, uint32_t process, int64_t time);

/* changes.c */
/* Take a record; returns the place to wait if another thread holds the lock; else NULL. */
struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time);
/* Write the object's current state. */
void threads_show_object(struct threads_join *threads, struct object_state *object,
                         int64_t time);
/* Begin a wait of the thread for the object. */
void threads_wait_begins(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, uint64_t site, int64_t time);
/* Count the thread out of the object's waiters when its wait ends. */
void threads_waits_no_more(struct join_thread *thread, const struct wait *wait);
/* End the thread's wait for the object; returns false if it was not waiting for it. */
bool threads_wait_ends(struct threads_join *threads, struct join_thread *thread,
                       struct object_state *object, int64_t time, struct wait *wait);

/* conditions.c */
void threads_enter_condition(struct threads_join *threads, struct join_thread *thread,
                             struct object_state *condition);
void threads_leave_condition(struct join_thread *thread, const struct wait *wait);
/* A signal; or a broadcast if ALL. */
void threads_tell_condition(struct threads_join *threads, struct object_state *condition,
                            struct join_thread *thread, bool all, int64_t time);
/* The thread has taken the mutex: woken waiters of conditions now wait for it. */
void threads_mutex_taken(struct threads_join *threads, struct object_state *mutex,
                         struct join_thread *thread, int64_t time);
void threads_list_free(struct thread_list *list);

#endif
